//! `fonds inlinks`.

pub(super) mod convert;
pub(super) mod dataset;
pub(super) mod filters;
pub(super) mod hosts;
pub(super) mod loaded;
pub(super) mod options;

use super::campaign::{read_only_session, session};
use super::output::{json_line, plain, short, to_file, with_progress};
use super::{FINE, PROBLEMS};
use crate::cli::inlinks::convert::no_parquet;
use crate::cli::inlinks::dataset::print_assign;
use crate::cli::inlinks::loaded::with_links;
use crate::cli::inlinks::options::{StoredOptions, window};
use crate::inlinks::MATCH_WINDOW_DAYS;
use crate::inlinks::stored::{CitedCounts, Window};
use crate::jobs::{Existing, counted, noun};
use crate::store::Workspace;
use crate::store::rows::{AnchorRow, InlinkPage, InlinkRow, ProspectPage, ProspectRow};
use crate::uri::CaptureDate;
use crate::work;
use crate::work::LinkSource;
use crate::work::PageAnchors;
use crate::work::Report;
use crate::work::Session;
use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Inlinks: outlinks seen from their targets.
#[derive(Debug, clap::Subcommand)]
pub enum InlinksCommand {
    /// Invert the outlinks of everything captured.
    #[command(after_help = "Example:\n  fonds inlinks build my-archive\n\n\
        Call it again after a crawl or an import: the links of new captures are merged into those that are there,\n\
        which stay in use until then. Exit status 1 says that links may be missing: pages were not read whole, or what\n\
        revisits repeat is not here or cannot be read again.")]
    Build {
        /// Workspace.
        folder: PathBuf,
        /// Take all captures in again, and make one file of all links.
        #[arg(long = "anew")]
        from_scratch: bool,
        /// Make one file of all links, and give the disk back what the catalogue does not need: it needs room for a
        /// copy meanwhile.
        #[arg(long)]
        compact: bool,
        /// The report as one object.
        #[arg(long)]
        json: bool,
    },
    /// Write the inlinks of a workspace in the shape of the published data set.
    #[command(after_help = "Examples:\n  fonds inlinks export my-archive --out inlinks.jsonl\n  \
        fonds inlinks export my-archive --per-capture --notation cdx --window-days 365 > captures.jsonl\n\n\
        Without --window-days or a preset, the window is that of the workspace. The lines are those of fonds inlinks\n\
        dataset on the archive files; what of these is read was decided when they came in, so --kinds, --image-alt and\n\
        --from are of dataset alone. A page counts as captured by a response of status 200 to 299 that is HTML, or a\n\
        revisit of one: what was captured as an error, a redirect or a PDF file has no captureDate, and is not in the\n\
        list of fonds inlinks uncaptured either.")]
    Export {
        /// Workspace.
        folder: PathBuf,
        /// File to write, which must not exist; standard output without it. Packed where its name ends in .gz or .zst.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        #[command(flatten)]
        options: StoredOptions,
    },
    /// Show who links to a page.
    #[command(after_help = "Examples:\n  fonds inlinks show my-archive http://www.site.pt/sobre\n  \
        fonds inlinks show my-archive '(pt,site,)/sobre'\n  \
        fonds inlinks show my-links http://www.site.pt/sobre --date 2009-06-01 --window-days 365\n\n\
        Columns: date of the linking capture, side, linking page, anchor; of a workspace also which link of its page it\n\
        is, the part of the page it is in, and its rel.")]
    Show {
        /// Workspace, or folder of stored links.
        folder: PathBuf,
        /// URL or key of the page.
        page: String,
        /// Those around this date; without it, those of all times.
        #[arg(long, value_name = "DATE", value_parser = CaptureDate::parse)]
        date: Option<CaptureDate>,
        /// Days before and after the date, 0 to 3650, or none for links of all times [default: 90]
        #[arg(long, value_name = "N", value_parser = window, requires = "date")]
        window_days: Option<u32>,
        /// One object an inlink.
        #[arg(long)]
        json: bool,
    },
    /// List the captures that most other hosts link to.
    #[command(after_help = "Examples:\n  fonds inlinks top my-archive\n  \
        fonds inlinks top my-archive --limit 500 --json | jq -r .url\n\n\
        Columns: linking hosts, external and internal inlinks in the window, date of the capture, URL, commonest anchor.\n\
        With --json: inlink_hosts, inlinks_external, inlinks_internal, date, url, top_anchor; of a workspace also what\n\
        the table of captures has. Of a workspace, whatever was captured is in the list, errors, redirects and PDF files\n\
        too (with --json: status, mime); stored links and the data set know captures of pages alone.")]
    Top {
        /// Workspace, or folder of stored links.
        folder: PathBuf,
        /// Days of the window, 0 to 3650, or none; without it that of the columns of a workspace, and 90 of stored
        /// links.
        #[arg(long, value_name = "N", value_parser = window)]
        window_days: Option<u32>,
        /// Most rows.
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
        limit: u64,
        /// One object a capture.
        #[arg(long)]
        json: bool,
    },
    /// List pages that are cited but were never captured.
    #[command(after_help = "Examples:\n  fonds inlinks uncaptured my-archive\n  \
        fonds inlinks uncaptured my-archive --json | jq -r 'select(.hosts > 2) | .url'\n\n\
        Columns: linking hosts, links, days of the first and the last citing page, URL, commonest anchor, what the rules of\n\
        the campaign say of it now. Of a workspace, a page that was captured as anything (an error, a redirect, a PDF file)\n\
        is left out; in the data set that export writes, it has no captureDate. Stored links know captures of pages\n\
        alone, so that there it is in the list.")]
    Uncaptured {
        /// Workspace, or folder of stored links.
        folder: PathBuf,
        /// Pages whose keys begin so, as (pt,site, for a site and what is below it; or those of a host, or below a URL.
        #[arg(long, value_name = "KEY", default_value = "")]
        prefix: String,
        /// Number or title of the campaign of a workspace whose rules are asked; the only one without it.
        #[arg(long, value_name = "CAMPAIGN")]
        campaign: Option<String>,
        /// Most rows.
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
        limit: u64,
        /// One object a page.
        #[arg(long)]
        json: bool,
    },
    /// List the anchor texts that other sites use most, or those for one page.
    #[command(after_help = "Examples:\n  fonds inlinks anchors my-archive\n  \
        fonds inlinks anchors my-archive https://www.example.org/about\n  \
        fonds inlinks anchors my-archive https://www.example.org/about --date 2009-06-01 --window-days 365\n  \
        fonds inlinks anchors my-links --nutch > linkdb.txt\n\n\
        Columns: linking hosts, links, anchor. For a page, links within its site count too. Without --date, those of a\n\
        captured page in a workspace are of the links around its newest capture, in the window of the workspace, and\n\
        others of links of all times. --nutch reads all captures of a workspace, whether inlinks are built or not: links\n\
        of captures since the last build are in.")]
    Anchors {
        /// Workspace, or folder of stored links.
        folder: PathBuf,
        /// URL or key of a page.
        page: Option<String>,
        /// Those of links to the page around this date.
        #[arg(long, value_name = "DATE", value_parser = CaptureDate::parse, requires = "page")]
        date: Option<CaptureDate>,
        /// Days before and after the date, 0 to 3650, or none for links of all times [default: 90]
        #[arg(long, value_name = "N", value_parser = window, requires = "date")]
        window_days: Option<u32>,
        /// Most rows.
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
        limit: u64,
        /// All pages with the links of other hosts to them, as nutch readlinkdb -dump prints them: each (page,
        /// anchor) once, 10,000 of a page, 100 characters of an anchor. With --json, the anchors that Nutch
        /// indexes: one object a page, each (host, text) once.
        #[arg(long, conflicts_with_all = ["page", "limit"])]
        nutch: bool,
        /// One object an anchor.
        #[arg(long)]
        json: bool,
    },
    /// List captures that have not one characteristic word of the links from other sites: parked domains, soft
    /// errors, changed owners.
    #[command(after_help = "Examples:\n  fonds inlinks check my-archive\n  \
        fonds inlinks check my-archive --all --json | jq -r 'select(.finding) | .url'\n\n\
        Columns: linking hosts, date of the capture, URL, what was found. Exit status 1 says that something was.")]
    Check {
        /// Workspace.
        folder: PathBuf,
        /// Captures that are checked, those that most other hosts link to first.
        #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
        limit: u64,
        /// Those that agree, too.
        #[arg(long)]
        all: bool,
        /// One object a capture.
        #[arg(long)]
        json: bool,
    },
    /// List hosts by their PageRank, with what links to them.
    Hosts(crate::cli::inlinks::hosts::HostsArgs),
    /// Write which hosts link to which, for programs that draw and count graphs.
    Graph(crate::cli::inlinks::hosts::GraphArgs),
    /// Turn WARC and ARC files straight into the inlink data set.
    Dataset(crate::cli::inlinks::dataset::DatasetArgs),
    /// Turn archive files into rows for a sort elsewhere.
    Map(crate::cli::inlinks::filters::MapArgs),
    /// Turn rows on standard input into the inlink data set.
    Reduce(crate::cli::inlinks::filters::ReduceArgs),
    /// Write a data set in another form: plain, gzip, zstd, Parquet.
    Convert(crate::cli::inlinks::convert::InlinkConvertArgs),
    /// Keep data sets and rows so that questions are answered at once.
    Load(loaded::LoadArgs),
}

/// The note of a stopped command that goes on from its work when called again.
pub(super) const GOES_ON: &str = "what was finished is kept, and the same command goes on";

impl InlinksCommand {
    /// The note about the work that is left after a stop.
    pub(super) fn after_a_stop(&self) -> &'static str {
        const RUNS: &str = "runs that were sorted are kept, and the same command goes on from them";
        match self {
            Self::Build { .. } => {
                "inlinks that were built before answer as they did, and the same command begins again"
            }
            Self::Dataset(args) if args.resume.is_some() => RUNS,
            Self::Dataset(_) => "nothing of it is kept; with --resume, a call that is stopped can go on",
            Self::Load(_) => "links that were not stored yet are not kept",
            _ => "what was written is not whole; the same command begins again",
        }
    }
}

/// Least free room that is reported, in MiB: the catalogue grows into less again.
const MIN_FREE_MIB: u64 = 64;

/// Refuses to answer out of inlinks that nobody has built.
fn built(session: &Session) -> anyhow::Result<()> {
    if session.workspace.built_links()?.is_some() {
        if session.workspace.links_are_old()? {
            let folder = session.workspace.folder().display();
            notice!(
                "inlinks are of a build before the last captures; to bring them in run: fonds inlinks build {folder}"
            );
        }
        return Ok(());
    }
    let why = session.workspace.why_no_links()?;
    anyhow::bail!("{why}; run: fonds inlinks build {}", session.workspace.folder().display())
}

/// Refuses as well where a build ended before it had counted: lists that are
/// made of counts would look as if nothing was cited.
fn counted_too(session: &Session) -> anyhow::Result<()> {
    built(session)?;
    if session.workspace.counts_are_missing()? {
        let folder = session.workspace.folder().display();
        anyhow::bail!("the last build of inlinks ended before it had counted them; run: fonds inlinks build {folder}");
    }
    Ok(())
}

/// Prints on stderr why a list is empty; standard output stays as it is for scripts.
pub(super) fn print_if_empty(empty: bool, message: &str) {
    if empty {
        notice!("{message}");
    }
}

/// Cuts a list that was queried with one row more than its limit. True where it was too long.
pub(super) fn is_cut<T>(rows: &mut Vec<T>, limit: u64) -> bool {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let is_longer = rows.len() > limit;
    rows.truncate(limit);
    is_longer
}

/// Prints on stderr that a list was cut.
pub(super) fn print_if_cut(cut: bool, limit: u64) {
    if cut {
        notice!("only the first {limit} are listed; --limit lists more");
    }
}

pub(super) fn run(command: InlinksCommand, out: &mut dyn Write) -> anyhow::Result<u8> {
    match command {
        InlinksCommand::Build { folder, from_scratch, compact, json } => {
            let session = session(&folder)?;
            if let Some(warning) = work::room_warning(&session.workspace, from_scratch)? {
                notice!("{warning}");
            }
            let report = with_progress(|cx| {
                let report = session.build_inlinks(from_scratch, cx)?;
                if compact {
                    session.workspace.compact_links(cx)?;
                    cx.stage("Making the catalogue smaller", None);
                    session.catalogue().vacuum()?;
                }
                Ok(report)
            })?;
            let free_mib = session.catalogue().free_bytes()? >> 20;
            if free_mib >= MIN_FREE_MIB {
                let folder = folder.display();
                notice!(
                    "{free_mib} MiB of the catalogue hold nothing; to give them back run: fonds inlinks build --compact {folder}"
                );
            }
            if json {
                json_line(out, &report)?
            } else {
                writeln!(out, "{}", report.summary())?
            }
            loaded::print_if_only_loaded(&session.workspace)?;
            return Ok(if report.loses_links() { PROBLEMS } else { FINE });
        }
        InlinksCommand::Export { folder, out: file, options } => {
            let session = read_only_session(&folder)?;
            let options = options.dataset_options(session.catalogue().window_days()?)?;
            no_parquet(file.as_deref())?;
            loaded::not_only_loaded(&session.workspace)?;
            let (shuffle, assign) = to_file(file.as_deref(), Existing::Stays, out, |out| {
                with_progress(|cx| work::write_dataset(&session.workspace, &options, out, cx))
            })?;
            print_assign(&shuffle, &assign);
        }
        InlinksCommand::Show { folder, page, date, window_days, json } => {
            let window = date.map(|around| Window { around, days: window_days.unwrap_or(MATCH_WINDOW_DAYS) });
            let answer = with_links(&folder, built, |links| links.inlinks_of(&page, window))?;
            return print_inlinks(&answer, json, out);
        }
        InlinksCommand::Top { folder, window_days, limit, json } => {
            let one_more = limit.saturating_add(1);
            let check = |session: &Session| match window_days {
                Some(days) if days != session.catalogue().window_days()? => built(session),
                _ => counted_too(session),
            };
            let mut rows =
                with_links(&folder, check, |links| with_progress(|cx| links.most_cited(window_days, one_more, cx)))?;
            let cut = is_cut(&mut rows, limit);
            print_if_empty(rows.is_empty(), "No capture has inlinks in the window");
            for row in rows {
                if json {
                    json_line(out, &row)?;
                } else {
                    top_line(row.line(), out)?;
                }
            }
            print_if_cut(cut, limit);
        }
        InlinksCommand::Uncaptured { folder, prefix, campaign, limit, json } => {
            let prefix = with_scheme(prefix.trim());
            let ProspectPage { rows, total, unlisted, .. } = uncaptured(&folder, &prefix, campaign.as_deref(), limit)?;
            print_if_empty(total == 0, &no_prospects(&prefix));
            print_prospects(&rows, json, out)?;
            let (listed, total) = (rows.len() as u64, total + unlisted);
            if listed < total {
                notice!("only the first {listed} of {} are listed; --limit lists more", counted(total, "page"));
            }
        }
        InlinksCommand::Anchors { folder, nutch: true, json, .. } => {
            return with_progress(|cx| crate::cli::inlinks::hosts::nutch(&folder, json, out, cx));
        }
        InlinksCommand::Anchors { folder, page: Some(page), date, window_days, limit, json, .. } => {
            let window = date.map(|around| Window { around, days: window_days.unwrap_or(MATCH_WINDOW_DAYS) });
            let mut found = with_links(&folder, built, |links| links.anchors_of(&page, window))?;
            if date.is_none()
                && let Some(Window { around, days }) = found.window
            {
                let newest = around.to_readable();
                notice!("of links within ±{days} days of its newest capture, {newest}; --date asks for another time");
            }
            print_if_empty(found.rows.is_empty(), &no_anchors(&found));
            print_anchors(&mut found.rows, limit, json, out)?;
        }
        InlinksCommand::Anchors { folder, limit, json, .. } => {
            let one_more = limit.saturating_add(1);
            let mut rows =
                with_links(&folder, counted_too, |links| with_progress(|cx| links.top_anchors(one_more, cx)))?;
            print_if_empty(rows.is_empty(), "No site links to another one with words");
            print_anchors(&mut rows, limit, json, out)?;
        }
        InlinksCommand::Check { folder, limit, all, json } => return check(&folder, limit, all, json, out),
        InlinksCommand::Hosts(args) => return with_progress(|cx| crate::cli::inlinks::hosts::hosts(&args, out, cx)),
        InlinksCommand::Graph(args) => return with_progress(|cx| crate::cli::inlinks::hosts::graph(&args, out, cx)),
        InlinksCommand::Dataset(args) => return with_progress(|cx| crate::cli::inlinks::dataset::run(&args, out, cx)),
        InlinksCommand::Map(args) => {
            let names = || crate::cli::inlinks::filters::file_names(std::io::stdin().lock());
            return with_progress(|cx| crate::cli::inlinks::filters::map(&args, names, out, cx));
        }
        InlinksCommand::Reduce(args) => {
            let input = std::io::stdin().lock();
            return with_progress(|cx| crate::cli::inlinks::filters::reduce(&args, input, out, cx));
        }
        InlinksCommand::Convert(args) => {
            return with_progress(|cx| crate::cli::inlinks::convert::convert(&args, out, cx));
        }
        InlinksCommand::Load(args) => {
            let input = || -> Box<dyn std::io::Read> { Box::new(std::io::stdin().lock()) };
            return with_progress(|cx| loaded::run_load(&args, input, out, cx));
        }
    }
    Ok(FINE)
}

/// Why the anchors of a page are none.
fn no_anchors(found: &PageAnchors) -> String {
    match (found.inlinks, found.outside, found.window) {
        (0, outside @ 1.., Some(Window { around, days })) => format!(
            "Nothing links to this page within ±{days} days of {}, and {} of other times: another --date, or more \
             --window-days with it, lists them",
            around.to_readable(),
            counted(outside, "link")
        ),
        (0, ..) => "Nothing links to this page".to_owned(),
        (inlinks, ..) => format!("{} without words", counted(inlinks, "link")),
    }
}

/// A host or URL without scheme as one of http; keys as they are.
fn with_scheme(prefix: &str) -> Cow<'_, str> {
    match prefix.contains('.') && !prefix.contains(['(', ')', ',']) && !prefix.contains("://") {
        true => Cow::Owned(format!("http://{prefix}")),
        false => Cow::Borrowed(prefix),
    }
}

/// Why a list of pages never captured is empty.
fn no_prospects(prefix: &str) -> String {
    match plain(prefix) {
        prefix if prefix.is_empty() => "Every page that is linked to was captured".to_owned(),
        prefix => format!("No page under “{prefix}” is linked to and was never captured"),
    }
}

fn uncaptured(folder: &Path, prefix: &str, campaign: Option<&str>, limit: u64) -> anyhow::Result<ProspectPage> {
    let session = if Workspace::is_in(folder) { Some(read_only_session(folder)?) } else { None };
    let campaign = match (&session, campaign) {
        (_, None) => None,
        (Some(session), Some(name)) => Some(session.catalogue().find_campaign(name)?),
        (None, Some(_)) => anyhow::bail!("--campaign is for a workspace; stored links know no rules"),
    };
    with_links(folder, counted_too, |links| {
        let mut page = with_progress(|cx| links.uncaptured(prefix, campaign, limit, cx))?;
        // Links that were loaded into a workspace: its rules apply to them.
        if let (LinkSource::Store(store), Some(session)) = (links, &session) {
            let notation = store.rules().notation;
            let url = |row: &ProspectRow| notation.likely_url(&row.url).map_or(row.url.clone(), |url| url.to_string());
            work::judge_prospects(session, campaign, &mut page.rows, url)?;
        }
        Ok(page)
    })
}

/// Prints captures whose anchors and texts have no word in common, or all.
fn check(folder: &Path, limit: u64, all: bool, json: bool, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(folder)?;
    counted_too(&session)?;
    let (mut checked, mut findings) = (0, 0);
    let left = with_progress(|cx| {
        work::check_captures(&session, limit, cx, |row| {
            checked += 1;
            findings += u64::from(row.finding);
            if !row.finding && !all {
                return Ok(());
            }
            if json {
                return json_line(out, &row);
            }
            let hosts = noun(row.hosts, "host");
            let (date, url, anchor) = (row.date.to_readable(), plain(&row.url), short(&row.check, 200));
            Ok(writeln!(out, "{:>4} {hosts:<6} {date}  {url}  {anchor}", row.hosts)?)
        })
    })?;
    notice!("{} checked to which others link; findings: {findings}", counted(checked, "capture"));
    if left > 0 {
        notice!("{} with fewer links not checked, by --limit", counted(left, "capture"));
    }
    Ok(if findings > 0 { PROBLEMS } else { FINE })
}

/// A line of `top`.
fn top_line(
    (counts, date, page, anchor): (CitedCounts, CaptureDate, &str, &str),
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let CitedCounts { hosts, external, internal } = counts;
    Ok(writeln!(
        out,
        "{hosts:>4} {:<6} {external:>5} external {internal:>5} internal  {}  {}  “{}”",
        noun(hosts, "host"),
        date.to_readable(),
        plain(page),
        short(anchor, 60)
    )?)
}

/// The day of a date, for people.
fn day(date: CaptureDate) -> String {
    date.to_readable().split(' ').next().unwrap_or_default().to_owned()
}

fn print_inlinks(answer: &InlinkPage, json: bool, out: &mut dyn Write) -> anyhow::Result<u8> {
    for row in &answer.rows {
        if json {
            json_line(out, row)?;
        } else {
            let side = if row.internal { "internal" } else { "external" };
            let (date, source, anchor) = (row.date.to_readable(), plain(&row.source), short(&row.anchor, 80));
            writeln!(out, "{date} {side} {source}  “{anchor}”{}", link_text(row))?;
        }
    }
    notice!(
        "{} internal, {} external, {} cut by the cap; the page was {}",
        answer.internal,
        answer.external,
        answer.cut,
        match answer.capture_dates.as_slice() {
            [] => "never captured".to_owned(),
            [once] => format!("captured once, {}", once.to_readable()),
            [first, .., last] => format!(
                "captured {} times, {} to {}",
                answer.capture_dates.len(),
                first.to_readable(),
                last.to_readable()
            ),
        }
    );
    Ok(if answer.rows.is_empty() { PROBLEMS } else { FINE })
}

/// A link's place in its page, its origin and its `rel`, in brackets.
fn link_text(row: &InlinkRow) -> String {
    let mut parts: Vec<String> =
        row.position.map(|position| format!("link {}", u64::from(position) + 1)).into_iter().collect();
    parts.extend(row.origin.as_ref().map(|origin| format!("page not here, from {}", plain(origin))));
    parts.extend(row.place.as_ref().map(|place| format!("in {}", plain(place))));
    match row.rel.as_str() {
        "" if row.nofollow => parts.push("nofollow".to_owned()),
        "" => {}
        rel => parts.push(format!("rel {}", short(rel, 80))),
    }
    if parts.is_empty() { String::new() } else { format!("  ({})", parts.join(", ")) }
}

fn print_prospects(rows: &[ProspectRow], json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    for row in rows {
        if json {
            json_line(out, row)?;
        } else {
            writeln!(
                out,
                "{:>4} {:<6} {:>5} {:<6} {} to {}  {}  “{}”  {}",
                row.hosts,
                noun(row.hosts, "host"),
                row.links,
                noun(row.links, "link"),
                day(row.first),
                day(row.last),
                plain(&row.url),
                short(&row.anchor, 60),
                plain(&row.verdict)
            )?;
        }
    }
    Ok(())
}

fn print_anchors(rows: &mut Vec<AnchorRow>, limit: u64, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let cut = is_cut(rows, limit);
    for row in rows.iter() {
        if json {
            json_line(out, row)?;
        } else {
            let request = if row.matches_request { "  (in the request)" } else { "" };
            writeln!(
                out,
                "{:>4} {:<6} {:>5} {:<6} “{}”{request}",
                row.hosts,
                noun(row.hosts, "host"),
                row.links,
                noun(row.links, "link"),
                short(&row.text, 100)
            )?;
        }
    }
    print_if_cut(cut, limit);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inlink_shows_what_is_known_of_its_link() {
        let row = InlinkRow {
            date: CaptureDate::from_seconds(0),
            source: "http://b.pt/".to_owned(),
            source_host: "b.pt".to_owned(),
            anchor: "P".to_owned(),
            internal: false,
            in_window: true,
            capture: None,
            nofollow: false,
            rel: String::new(),
            place: None,
            position: None,
            origin: None,
        };
        assert_eq!(link_text(&row), "");
        assert_eq!(link_text(&InlinkRow { nofollow: true, ..row.clone() }), "  (nofollow)");
        let rel = "ugc nofollow".to_owned();
        let placed = InlinkRow { rel, nofollow: true, place: Some("nav".to_owned()), position: Some(2), ..row };
        assert_eq!(link_text(&placed), "  (link 3, in nav, rel ugc nofollow)");
    }
}
