//! Links counted host by host, and written as lists of other programs.

use super::build::{capture_of, row_of};
use crate::analysis::page_rank;
use crate::inlinks::invert::{Row, Shuffle};
use crate::inlinks::stored::{LinkStore, host_of};
use crate::inlinks::{HostGraph, HostGraphBuilder, Notation};
use crate::jobs::{Cancelled, JobCx};
use crate::store::Captures;
use crate::uri::InternalPolicy;
use crate::work::Session;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Write};

/// The source of links: a store, or the captures of a workspace.
pub enum LinkSource<'s> {
    /// Stored links.
    Store(&'s LinkStore),
    /// The captures of a workspace, whether inlinks are built or not.
    Workspace(&'s Session),
}

/// A graph with the PageRank of its hosts, in their order. Links within a site count for nothing.
pub struct RankedHosts {
    /// Hosts and edges.
    pub graph: HostGraph,
    /// One for each host; together 1.
    pub ranks: Vec<f64>,
}

impl LinkSource<'_> {
    /// Gives out every row in the order of the targets, captures of a page first, equal links once.
    fn each_row(&self, cx: &JobCx, mut take: impl FnMut(&Row<'_>) -> anyhow::Result<()>) -> anyhow::Result<()> {
        let workspace = match self {
            Self::Store(store) => {
                let counts = store.counts();
                cx.stage("Reading links", Some(counts.links + counts.captures));
                return store.each_row(cx, take);
            }
            Self::Workspace(session) => &session.workspace,
        };
        let catalogue = workspace.catalogue();
        cx.stage("Reading outlinks", Some(catalogue.count_anchor_links(Captures::ALL)?));
        let mut shuffle = Shuffle::new(&workspace.shuffle_options(), cx)?;
        catalogue.feed_inlinks(Captures::ALL, |link| -> anyhow::Result<()> {
            cx.advance(1)?;
            let row = row_of(&link, &link.target_key, &link.source_key, InternalPolicy::default());
            Ok(shuffle.push_link(&row)?)
        })??;
        catalogue.feed_pages(Captures::ALL, |page| shuffle.push_capture(&capture_of(&page, &page.key)))??;
        shuffle.finish()?.for_each(|row| take(&row))
    }

    /// The graph of hosts that link to each other, of all times.
    ///
    /// # Errors
    ///
    /// Links that cannot be read, no room for sorting, or `Cancelled`.
    pub fn hosts(&self, cx: &JobCx) -> anyhow::Result<RankedHosts> {
        let mut builder = HostGraphBuilder::default();
        self.each_row(cx, |row| {
            builder.push(row);
            Ok(())
        })?;
        let graph = builder.finish();
        cx.stage("Ranking hosts", None);
        let edges: Vec<(u32, u32)> = graph.external().map(|edge| (edge.source, edge.target)).collect();
        let ranks = page_rank(graph.hosts.len(), &edges, || cx.checkpoint().is_ok()).ok_or(Cancelled)?;
        Ok(RankedHosts { graph, ranks })
    }

    /// Writes who links to each page with which words, as Nutch keeps them in
    /// its LinkDb: each (page that links, anchor) once whatever the date, links
    /// within a host left out, at most [`NutchLimits::inlinks`] of a page,
    /// anchors cut after [`NutchLimits::anchor_chars`]. Says how many pages
    /// were written, and how many links did not fit.
    ///
    /// # Errors
    ///
    /// As [`Self::hosts`], and nobody who takes the lines.
    pub fn write_nutch(
        &self,
        limits: &NutchLimits,
        form: NutchForm,
        out: &mut dyn Write,
        cx: &JobCx,
    ) -> anyhow::Result<NutchReport> {
        let notation = match self {
            Self::Store(store) => store.rules().notation,
            Self::Workspace(_) => Notation::Page,
        };
        let mut report = NutchReport::default();
        let mut page = NutchPage::default();
        self.each_row(cx, |row| {
            let Row::Link(link) = row else { return Ok(()) };
            if page.key != link.target {
                page.write(form, &mut report, out)?;
                page = NutchPage {
                    key: link.target.to_owned(),
                    url: url_of(link.target, link.target_url, notation),
                    ..NutchPage::default()
                };
            }
            // By host, whatever site means elsewhere.
            let host = host_of(link.source);
            if !limits.internal && host == host_of(link.target) {
                return Ok(());
            }
            let anchor: String = link.anchor.chars().take(limits.anchor_chars).collect();
            let source = url_of(link.source, link.source_url, notation);
            if page.inlinks.len() >= limits.inlinks {
                report.cut += u64::from(!page.known.contains(&(source, anchor)));
                return Ok(());
            }
            if page.known.insert((source.clone(), anchor.clone())) {
                page.inlinks.push((host.to_owned(), source, anchor));
            }
            Ok(())
        })?;
        page.write(form, &mut report, out)?;
        Ok(report)
    }
}

/// The limits of Nutch, under its own names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NutchLimits {
    /// `linkdb.max.inlinks`: of one page, the first ones by date.
    pub inlinks: usize,
    /// `linkdb.max.anchor.length`, in characters.
    pub anchor_chars: usize,
    /// Not `linkdb.ignore.internal.links`: links within a host stay.
    pub internal: bool,
}

impl Default for NutchLimits {
    /// As `nutch-default.xml` has them.
    fn default() -> Self {
        Self { inlinks: 10_000, anchor_chars: 100, internal: false }
    }
}

/// The form in which the lists are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NutchForm {
    /// As `nutch readlinkdb -dump`: a line for the page, one for each inlink, an empty one.
    Dump,
    /// A JSON object a page, with the anchors that Nutch indexes: one for
    /// each (host, text), empty ones left out.
    Anchors,
}

/// Counts of what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct NutchReport {
    /// Pages.
    pub pages: u64,
    /// Links to them.
    pub inlinks: u64,
    /// Links over the limit of a page.
    pub cut: u64,
}

#[derive(Default)]
struct NutchPage {
    key: String,
    url: String,
    known: HashSet<(String, String)>,
    /// Host, URL, anchor.
    inlinks: Vec<(String, String, String)>,
}

impl NutchPage {
    fn write(&self, form: NutchForm, report: &mut NutchReport, out: &mut dyn Write) -> io::Result<()> {
        if self.inlinks.is_empty() {
            return Ok(());
        }
        report.pages += 1;
        report.inlinks += self.inlinks.len() as u64;
        match form {
            NutchForm::Dump => {
                writeln!(out, "{}\tInlinks:", one_line(&self.url))?;
                for (_, source, anchor) in &self.inlinks {
                    writeln!(out, " fromUrl: {} anchor: {}", one_line(source), one_line(anchor))?;
                }
                writeln!(out)
            }
            NutchForm::Anchors => {
                let mut known = HashSet::new();
                let texts = self.inlinks.iter().filter(|(_, _, anchor)| !anchor.is_empty());
                let texts: Vec<&str> = texts
                    .filter(|(host, _, anchor)| known.insert((host, anchor)))
                    .map(|(_, _, anchor)| anchor.as_str())
                    .collect();
                serde_json::to_writer(&mut *out, &serde_json::json!({"url": self.url, "anchors": texts}))?;
                writeln!(out)
            }
        }
    }
}

/// Hostile text as a part of one line: objects of others hold any character.
fn one_line(text: &str) -> Cow<'_, str> {
    match text.contains(char::is_control) {
        true => Cow::Owned(text.replace(char::is_control, " ")),
        false => Cow::Borrowed(text),
    }
}

/// The URL of a page: as it was kept, else the likely one of its key.
fn url_of(key: &str, url: &str, notation: Notation) -> String {
    if !url.is_empty() {
        return url.to_owned();
    }
    notation.likely_url(key).map_or_else(|| key.to_owned(), |url| url.to_string())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::inlinks::stored::load::{LoadInput, LoadOptions, load};

    #[test]
    fn hostile_anchors_stay_in_their_line_of_a_dump() {
        let link = |anchor: &str| ("pt,b".to_owned(), "http://b.pt/".to_owned(), anchor.to_owned());
        let page = NutchPage {
            url: "http://a.pt/".to_owned(),
            inlinks: vec![link("two\nlines\tand \u{1b}[31m"), link("Olá")],
            ..NutchPage::default()
        };
        let mut out = Vec::new();
        page.write(NutchForm::Dump, &mut NutchReport::default(), &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "http://a.pt/\tInlinks:\n fromUrl: http://b.pt/ anchor: two lines and  [31m\n fromUrl: http://b.pt/ anchor: Olá\n\n"
        );
    }

    /// The output for rows in the form of `fonds inlinks map`.
    fn written(rows: &str, limits: &NutchLimits, form: NutchForm) -> (String, NutchReport) {
        let folder = tempfile::tempdir().unwrap();
        let input = LoadInput { name: "rows".to_owned(), input: Box::new(rows.as_bytes()) };
        load(folder.path(), vec![input], &LoadOptions::default(), &JobCx::detached()).unwrap();
        let store = LinkStore::open(folder.path()).unwrap();
        let mut out = Vec::new();
        let report = LinkSource::Store(&store).write_nutch(limits, form, &mut out, &JobCx::detached()).unwrap();
        (String::from_utf8(out).unwrap(), report)
    }

    const ROWS: &str = "(pt,a,\t20240301090000\n\
        (pt,a,\t20240303090000\t(pt,b,)/x\texternal\tOlá\n\
        (pt,a,\t20240301090000\t(pt,b,)/x\texternal\tOlá\n\
        (pt,a,\t20240301090000\t(pt,b,)/x\texternal\tOutro\n\
        (pt,a,\t20240301090000\t(pt,b,)/y\texternal\tOlá\n\
        (pt,a,\t20240302090000\t(pt,c,\texternal\tOlá\n\
        (pt,a,\t20240302090000\t(pt,c,)/z\texternal\t\n\
        (pt,a,\t20240301090000\t(pt,a,:8080)/p\tinternal\tDentro\n\
        (pt,a,\t20240301090000\t(pt,a,sub,\texternal\tSub\n\
        (pt,d,\t20240301090000\t(pt,d,)/p\tinternal\tDentro\n";

    #[test]
    fn a_dump_has_each_page_and_anchor_once_and_no_link_within_a_host() {
        let (dump, report) = written(ROWS, &NutchLimits::default(), NutchForm::Dump);
        assert_eq!(
            dump,
            "http://a.pt/\tInlinks:\n fromUrl: http://sub.a.pt/ anchor: Sub\n fromUrl: http://b.pt/x anchor: Olá\n \
             fromUrl: http://b.pt/x anchor: Outro\n fromUrl: http://b.pt/y anchor: Olá\n \
             fromUrl: http://c.pt/ anchor: Olá\n fromUrl: http://c.pt/z anchor: \n\n"
        );
        assert_eq!(report, NutchReport { pages: 1, inlinks: 6, cut: 0 });
        // With them, the port makes no other host.
        let (dump, report) = written(ROWS, &NutchLimits { internal: true, ..Default::default() }, NutchForm::Dump);
        assert!(dump.contains(" fromUrl: http://a.pt:8080/p anchor: Dentro\n"), "{dump}");
        assert_eq!(report, NutchReport { pages: 2, inlinks: 8, cut: 0 });
    }

    #[test]
    fn indexed_anchors_are_once_for_each_host_and_text() {
        let (lists, _) = written(ROWS, &NutchLimits::default(), NutchForm::Anchors);
        let list: serde_json::Value = serde_json::from_str(&lists).unwrap();
        // An anchor of b.pt is in the list once, whichever page has it; c.pt has it again.
        assert_eq!(list, serde_json::json!({"url": "http://a.pt/", "anchors": ["Sub", "Olá", "Outro", "Olá"]}));
    }

    #[test]
    fn the_first_links_by_date_stay_and_anchors_are_cut_before_they_are_compared() {
        let limits = NutchLimits { inlinks: 3, anchor_chars: 2, ..Default::default() };
        let (dump, report) = written(ROWS, &limits, NutchForm::Dump);
        assert_eq!(
            dump,
            "http://a.pt/\tInlinks:\n fromUrl: http://sub.a.pt/ anchor: Su\n fromUrl: http://b.pt/x anchor: Ol\n \
             fromUrl: http://b.pt/x anchor: Ou\n\n"
        );
        // A link that is in already, of another date, is none too many.
        assert_eq!(report, NutchReport { pages: 1, inlinks: 3, cut: 3 });
        let input = "(pt,a,\t20240301090000\t(pt,b,\texternal\tOlá\n(pt,a,\t20240301090000\t(pt,b,\texternal\tOld\n";
        let inlinks = |anchor_chars| {
            written(input, &NutchLimits { anchor_chars, ..Default::default() }, NutchForm::Dump).1.inlinks
        };
        assert_eq!((inlinks(2), inlinks(3)), (1, 2));
    }
}
