//! Builds inlinks of everything captured, and writes them as a data set.

use crate::jobs::JobCx;
use crate::links::invert::{AssignOptions, CaptureRow, LinkRow, Shuffle, ShuffleOptions, ShuffleReport, assign};
use crate::links::stored::{CountTotals, Mark, host_of};
use crate::links::{DatasetObject, LinkKind};
use crate::store::{InlinkFeed, PageFeed, Workspace};
use crate::uri::{CaptureDate, DatasetKey, Fqdn, InternalPolicy, Url};
use serde::Serialize;
use std::collections::HashSet;
use std::io::Write;

/// What a build came to.
#[derive(Debug, Clone, Default, Serialize)]
pub struct InlinkReport {
    /// Outlinks looked at.
    pub links_seen: u64,
    /// Those that repeat another exactly (target, source, date, anchor).
    pub duplicates: u64,
    /// Inlinks kept.
    pub inlinks: u64,
    /// Those of the same site.
    pub internal: u64,
    /// Those of other sites.
    pub external: u64,
    /// Pages that are linked to.
    pub targets: u64,
    /// Those that were never captured.
    pub uncaptured: u64,
    /// Captures with inlinks in the window.
    pub captures_with_inlinks: u64,
    /// Days of the window that the columns use.
    pub window_days: u32,
    /// Sorted runs that went to disk.
    pub runs: u64,
}

/// The form of the keys of pages; links with keys of another one are built anew.
const PAGE_KEYS: u32 = 1;

impl InlinkReport {
    fn with(self, totals: &CountTotals) -> Self {
        Self {
            inlinks: totals.internal + totals.external,
            internal: totals.internal,
            external: totals.external,
            targets: totals.targets,
            uncaptured: totals.uncaptured,
            captures_with_inlinks: totals.captures_with_inlinks,
            ..self
        }
    }

    /// The report in words.
    pub fn words(&self) -> String {
        format!(
            "{} inlinks ({} internal, {} external) of {} pages from {} links; {} exact duplicates; {} pages were never captured; {} captures have inlinks within ±{} days",
            self.inlinks,
            self.internal,
            self.external,
            self.targets,
            self.links_seen,
            self.duplicates,
            self.uncaptured,
            self.captures_with_inlinks,
            self.window_days
        )
    }
}

/// Sorts the outlinks of the catalogue by target and keeps them, then counts
/// them for each capture. What was built before stays until the end.
pub fn build_inlinks(workspace: &Workspace, cx: &JobCx) -> anyhow::Result<InlinkReport> {
    let catalogue = workspace.catalogue();
    let newest = catalogue.newest_capture()?;
    let mut store = workspace.links_to_build()?;
    cx.stage("Reading outlinks", Some(catalogue.count_anchor_links()?));
    // One thread brings rows: it may have all of the memory.
    let mut shuffle = Shuffle::new(&ShuffleOptions { threads: 1, ..workspace.shuffle_options() }, cx);
    catalogue.feed_inlinks(|link| -> anyhow::Result<()> {
        cx.advance(1)?;
        Ok(shuffle.push_link(&built_row(&link))?)
    })??;
    catalogue.feed_pages(|page| shuffle.push_capture(&capture_of(&page, &page.key)))??;
    let ShuffleReport { links, captures, .. } = shuffle.report();
    cx.stage("Inverting outlinks", Some(links + captures));
    let mut sorted = shuffle.finish()?;
    let added = store.fill(&mut sorted, Mark { captures_up_to: newest, keys: PAGE_KEYS })?;
    drop(store);
    let ShuffleReport { links, runs, .. } = sorted.report();
    let report = InlinkReport {
        links_seen: links,
        duplicates: links.saturating_sub(added.counts.links),
        runs,
        window_days: catalogue.window_days()?,
        ..InlinkReport::default()
    };
    let told = |totals: &CountTotals| serde_json::json!(report.clone().with(totals));
    let totals = workspace.keep_build(report.window_days, told, cx)?;
    Ok(report.with(&totals))
}

/// A link as it is stored: URLs are in the catalogue, under the number of the
/// capture that links, and most rows are alike without them.
fn built_row(link: &InlinkFeed) -> LinkRow<'_> {
    LinkRow {
        target: &link.target_key,
        target_url: "",
        source: &link.source_key,
        source_url: "",
        source_id: link.capture.unsigned_abs(),
        date: whole_seconds(link.date),
        anchor: &link.anchor,
        internal: host_of(&link.target_key) == host_of(&link.source_key),
        nofollow: false,
        kind: LinkKind::Anchor,
        position: 0,
    }
}

pub(super) fn row_of<'a>(
    link: &'a InlinkFeed,
    target: &'a str,
    source: &'a str,
    policy: InternalPolicy,
) -> LinkRow<'a> {
    LinkRow {
        target,
        target_url: &link.target_url,
        source,
        source_url: &link.source_url,
        source_id: link.capture.unsigned_abs(),
        date: whole_seconds(link.date),
        anchor: &link.anchor,
        internal: is_internal(policy, &link.target_url, &link.source_url),
        nofollow: false,
        kind: LinkKind::Anchor,
        position: 0,
    }
}

pub(super) fn capture_of<'a>(page: &PageFeed, key: &'a str) -> CaptureRow<'a> {
    CaptureRow { target: key, date: whole_seconds(page.date), id: page.capture.unsigned_abs() }
}

fn is_internal(policy: InternalPolicy, target: &str, source: &str) -> bool {
    match (Url::parse(target), Url::parse(source)) {
        (Ok(target), Ok(source)) => policy.is_internal(&Fqdn::of(&target), &Fqdn::of(&source)),
        _ => false,
    }
}

/// Writes the inlinks of the catalogue as the published data set has them;
/// with `only`, just the pages with these data set keys. Says how many pages
/// were written.
pub fn write_dataset(
    workspace: &Workspace,
    window_days: u32,
    only: Option<&HashSet<String>>,
    out: &mut dyn Write,
    cx: &JobCx,
) -> anyhow::Result<u64> {
    let catalogue = workspace.catalogue();
    cx.stage("Reading outlinks", Some(catalogue.count_anchor_links()?));
    let mut shuffle = Shuffle::new(&workspace.shuffle_options(), cx);
    let policy = InternalPolicy::default();
    let wanted = |key: &str| only.is_none_or(|only| only.contains(key));
    catalogue.feed_inlinks(|link| -> anyhow::Result<()> {
        cx.advance(1)?;
        let target = key_of(&link.target_url)?;
        if wanted(&target) {
            let source = key_of(&link.source_url)?;
            shuffle.push_link(&row_of(&link, &target, &source, policy))?;
        }
        Ok(())
    })??;
    catalogue.feed_pages(|page| -> anyhow::Result<()> {
        let key = key_of(&page.url)?;
        if wanted(&key) {
            shuffle.push_capture(&capture_of(&page, &key))?;
        }
        Ok(())
    })??;
    cx.stage("Writing the data set", None);
    let options = AssignOptions { window_days, ..AssignOptions::default() };
    let (_, report) = assign(shuffle.finish()?, &options, |object| DatasetObject::from(object).write_line(out))?;
    Ok(report.objects)
}

/// Inlinks know whole seconds: order and equality go by them.
fn whole_seconds(date: CaptureDate) -> CaptureDate {
    CaptureDate::from_seconds(date.seconds())
}

fn key_of(url: &str) -> anyhow::Result<String> {
    Ok(DatasetKey::of(&Url::parse(url)?).as_str().to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "inlinks_tests.rs"]
mod tests;
