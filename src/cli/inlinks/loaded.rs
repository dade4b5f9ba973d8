//! `fonds inlinks load`, and answers out of what was loaded.

use super::options::{InternalArg, NotationArg, SortOptions};
use crate::cli::campaign::read_only_session;
use crate::cli::output::{json_line, plain};
use crate::cli::{FINE, PROBLEMS};
use crate::inlinks::filters::RowColumns;
use crate::inlinks::stored::LinkStore;
use crate::inlinks::stored::load::{LoadInput, LoadOptions, LoadReport, load};
use crate::jobs::{CountedRead, JobCx, OnStop, counted};
use crate::store::{LOADED_LINKS as LOADED, StoreError, Workspace, own_folder};
use crate::work::models::CaptureId;
use crate::work::{LinkSource, Session};
use anyhow::Context;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Bytes of rows that come of one byte of a compressed data set, at most, as
/// far as published ones show.
const ROW_BYTES_PER_LINE_BYTE: u64 = 3;

/// Arguments of `fonds inlinks load`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fonds inlinks load my-links inlinks-*.jsonl.gz
  fonds inlinks map warcs/*.warc.gz | fonds inlinks load my-links
  fonds inlinks load my-archive PWA9609.jsonl.zst --memory-mib 2048
  fonds inlinks show my-links 'http://www.site.pt/sobre' --date 2009-06-01

Lines are objects of the published data set or rows of map, plain, gzip or zstd. A further call adds to what is
there; links that are there already are not kept twice. Given a workspace, they go to its folder inlinks/loaded, and
answer to show, top, uncaptured, anchors, hosts and graph until inlinks of its own captures are built; all of these take
the folder inlinks/loaded, too.")]
pub struct LoadArgs {
    /// Folder of stored links, which is made where absent, or workspace
    folder: PathBuf,

    /// Files with lines; standard input without any
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// How pages are written: (pt,fct,)/sobre or pt,fct)/sobre [default: as the first one is]
    #[arg(long, value_enum, value_name = "NAME")]
    notation: Option<NotationArg>,

    /// Links are internal within one host name, second-level domain or registrable domain, where lines do not say it [default: fqdn]
    #[arg(long, value_enum, value_name = "NAME")]
    internal: Option<InternalArg>,

    /// How the columns of rows stand: as map writes them, or target, source, date, anchor
    #[arg(long, value_enum, default_value = "map")]
    columns: super::filters::ColumnsArg,

    /// Anchors are cut after so many UTF-16 code units [default: not]
    #[arg(long, value_name = "N")]
    anchor_cap: Option<usize>,

    /// Make one segment of all: answers come faster, and the bytes are those of a load in one go
    #[arg(long)]
    compact: bool,

    #[command(flatten)]
    sort: SortOptions,

    /// The report as one object
    #[arg(long)]
    json: bool,
}

/// Lines in, stored links out.
pub(in crate::cli) fn run_load(
    args: &LoadArgs,
    stdin: impl FnOnce() -> Box<dyn Read>,
    out: &mut dyn Write,
    cx: &JobCx,
) -> anyhow::Result<u8> {
    let folder = match Workspace::is_in(&args.folder) {
        true => own_folder(&args.folder, Path::new(LOADED))?,
        false => args.folder.clone(),
    };
    let mut inputs = Vec::new();
    let mut total = 0;
    for path in &args.files {
        let name = path.display().to_string();
        let file = File::open(path).with_context(|| name.clone())?;
        total += file.metadata().with_context(|| name.clone())?.len();
        // The sort checks for a stop.
        inputs.push(LoadInput { name, input: Box::new(CountedRead::new(file, OnStop::GoOn, cx)) });
    }
    if args.files.is_empty() {
        inputs.push(LoadInput { name: "standard input".to_owned(), input: stdin() });
    }
    cx.stage_in_bytes("Reading lines", (total > 0).then_some(total));
    let options = LoadOptions {
        notation: args.notation.map(NotationArg::notation),
        internal: args.internal.map(InternalArg::policy),
        columns: RowColumns::from(args.columns),
        anchor_cap: args.anchor_cap,
        shuffle: args.sort.shuffle(None)?,
    };
    if let Some(warning) = options.shuffle.room_warning(total.saturating_mul(ROW_BYTES_PER_LINE_BYTE)) {
        notice!("{warning}");
    }
    let mut report = load(&folder, inputs, &options, cx)?;
    if args.compact && LinkStore::is_in(&folder) {
        let rules = LinkStore::open(&folder)?.rules();
        let merged = LinkStore::open_to_add(&folder, rules)?.compact(cx)?;
        (report.added.segments, report.added.bytes) = (merged.segments, merged.bytes);
    }
    if args.json {
        json_line(out, &report)?
    } else {
        writeln!(out, "{}", summary(&report, &folder))?
    }
    if let Some(first) = &report.first_bad {
        notice!("{} left out; the first: {}", counted(report.bad_lines, "line"), plain(first));
    }
    Ok(if report.bad_lines == 0 { FINE } else { PROBLEMS })
}

fn summary(report: &LoadReport, folder: &Path) -> String {
    let counts = report.added.counts;
    let mut text = format!(
        "{} ({} internal) and {} of {} from {} seen; {} left out",
        counted(counts.links, "link"),
        counts.internal,
        counted(counts.captures, "capture"),
        counted(counts.targets, "page"),
        counted(report.shuffle.links, "link"),
        counted(report.shuffle.duplicates, "exact duplicate"),
    );
    for (count, what) in
        [(report.unlisted, "counted in the lines and not listed there"), (report.undated, "without a date left out")]
    {
        if count > 0 {
            text.push_str(&format!("; {} {what}", counted(count, "inlink")));
        }
    }
    text.push_str(&format!(
        "\n{}: {} MiB in {}",
        folder.display(),
        report.added.bytes.div_ceil(1 << 20),
        counted(report.added.segments as u64, "segment")
    ));
    if report.added.unmerged {
        text.push_str("; some wait for the next load, or for --compact, to be made one");
    }
    text
}

/// The stored links that answer for a folder: its own, or those loaded into a
/// workspace, as long as no inlinks of captures of its own are built.
fn answering(folder: &Path) -> anyhow::Result<Option<LinkStore>> {
    if LinkStore::is_in(folder) {
        return Ok(Some(LinkStore::open(folder)?));
    }
    let loaded = folder.join(LOADED);
    if !LinkStore::is_in(&loaded) {
        return Ok(None);
    }
    let (workspace, place) = (Workspace::open_read_only(folder)?, loaded.display());
    if has_only_loaded(&workspace)? {
        notice!("nothing was captured or imported here; this is of the links loaded into {place}");
    } else if workspace.built_links()?.is_none() {
        notice!("inlinks of the workspace are not built; this is of the links loaded into {place}");
    } else {
        notice!("this is of the captures of the workspace; to ask the links loaded into it, name {place}");
        return Ok(None);
    }
    Ok(Some(LinkStore::open(&loaded)?))
}

/// Gives where the links of a folder are to `take`; of a workspace if `check`
/// finds nothing missing in it.
pub(in crate::cli) fn with_links<T>(
    folder: &Path,
    check: impl FnOnce(&Session) -> anyhow::Result<()>,
    take: impl FnOnce(&LinkSource<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    if let Some(store) = answering(folder)? {
        return take(&LinkSource::Store(&store));
    }
    let session = read_only_session(folder).map_err(|error| no_links(folder, error))?;
    check(&session)?;
    take(&LinkSource::Workspace(&session))
}

/// Why no links of a folder answer: one that is neither a workspace nor holds links may be
/// meant for either.
fn no_links(folder: &Path, error: anyhow::Error) -> anyhow::Error {
    let place = folder.display();
    match error.downcast_ref::<StoreError>() {
        Some(StoreError::NoFolder(_) | StoreError::NotAWorkspace(_)) => {
            let what =
                if folder.is_dir() { "this folder holds no links and no workspace" } else { "there is no such folder" };
            anyhow::anyhow!(
                "{place}: {what}. Links of a data set: fonds inlinks load {place} FILES; those of captures: fonds inlinks \
                 build WORKSPACE, then name that workspace"
            )
        }
        _ => error,
    }
}

/// Whether a workspace has no captures, and was given links of others.
fn has_only_loaded(workspace: &Workspace) -> anyhow::Result<bool> {
    Ok(LinkStore::is_in(&workspace.folder().join(LOADED))
        && workspace.catalogue().newest_capture()? == CaptureId::default())
}

/// Prints after a build why it is empty where the links are those of others.
pub(in crate::cli) fn print_if_only_loaded(workspace: &Workspace) -> anyhow::Result<()> {
    if has_only_loaded(workspace)? {
        let loaded = workspace.folder().join(LOADED);
        notice!(
            "nothing was captured or imported here, so there is nothing to build; the links loaded into {} answer as before",
            loaded.display()
        );
    }
    Ok(())
}

/// Refuses to write a data set of a workspace that has no captures and was only
/// given links of others: it would be empty.
pub(in crate::cli) fn not_only_loaded(workspace: &Workspace) -> anyhow::Result<()> {
    anyhow::ensure!(
        !has_only_loaded(workspace)?,
        "{}: nothing was captured or imported here, so there are no inlinks of its own to write. The links loaded into \
         {} answer to show, top, uncaptured, anchors, hosts and graph; to write the data set that they came from in \
         another form, run: fonds inlinks convert",
        workspace.folder().display(),
        workspace.folder().join(LOADED).display()
    );
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::cli::inlinks;
    use clap::Parser;

    #[derive(Parser)]
    struct InlinksCli {
        #[command(subcommand)]
        command: inlinks::InlinksCommand,
    }

    const LINES: &str = concat!(
        r#"{"url":"(pt,fct,","count":9,"countInternal":1,"countExternal":8,"captureDate":"2024-03-01T09:00","inlinks":["#,
        r#"{"date":"2024-03-01T10:00","source":"(pt,fccn,","anchor":"Fundação"},"#,
        r#"{"date":"2015-03-01T10:00","source":"(pt,fccn,","anchor":"FUNDAÇÃO"},"#,
        r#"{"date":"2024-03-02T10:00","source":"(pt,fct,)/sobre","anchor":"Início\u001b[31m"}]}"#,
        "\nbroken\n",
        r#"{"url":"(pt,nunca,)/x","count":1,"captureDate":null,"inlinks":[{"date":"2024-03-01T10:00","source":"(pt,fccn,","anchor":"X"}]}"#,
    );

    fn run_args(args: &[&str]) -> (u8, String) {
        let line = InlinksCli::parse_from(std::iter::once("inlinks").chain(args.iter().copied()));
        let mut out = Vec::new();
        let status = inlinks::run(line.command, &mut out).unwrap();
        (status, String::from_utf8(out).unwrap())
    }

    #[test]
    fn a_data_set_is_loaded_and_answers() {
        let folder = tempfile::tempdir().unwrap();
        let (lines, links) = (folder.path().join("lines.jsonl"), folder.path().join("links"));
        std::fs::write(&lines, LINES).unwrap();
        let (lines, links) = (lines.to_str().unwrap(), links.to_str().unwrap());
        let (status, output) = run_args(&["load", links, lines]);
        assert_eq!(status, PROBLEMS);
        assert_eq!(
            output,
            format!(
                "4 links (1 internal) and 1 capture of 2 pages from 4 links seen; 0 exact duplicates left out; 6 inlinks counted in the lines and not listed there\n{links}: 1 MiB in 1 segment\n"
            )
        );
        let (_, report) = run_args(&["load", links, lines, "--json", "--compact"]);
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        assert_eq!((&report["bad_lines"], &report["added"]["segments"]), (&1.into(), &1.into()));
        // The same lines again change nothing.
        assert_eq!(LinkStore::open(Path::new(links)).unwrap().counts().links, 4);
        let (_, shown) = run_args(&["show", links, "https://www.fct.pt", "--date", "2024-03-01"]);
        assert_eq!(
            shown,
            "2024-03-01 10:00:00 external (pt,fccn,  “Fundação”\n2024-03-02 10:00:00 internal (pt,fct,)/sobre  “Início\u{fffd}[31m”\n"
        );
        assert_eq!(run_args(&["show", links, "pt,fct)/"]).1.lines().count(), 3);
        assert_eq!(run_args(&["show", links, "fct.pt/nothing"]), (PROBLEMS, String::new()));
        let (_, anchors) = run_args(&["anchors", links, "(pt,fct,"]);
        assert_eq!(anchors, "   1 host       2 links  “FUNDAÇÃO”\n   1 host       1 link   “Início\u{fffd}[31m”\n");
        assert_eq!(run_args(&["anchors", links, "--limit", "1"]).1, "   1 host       1 link   “FUNDAÇÃO”\n");
        let (_, top) = run_args(&["top", links]);
        assert_eq!(top, "   1 host       1 external     1 internal  2024-03-01 09:00:00  (pt,fct,  “Fundação”\n");
        assert!(run_args(&["top", links, "--json", "--window-days", "3650"]).1.contains(r#""inlinks_external":2"#));
        let (_, uncaptured) = run_args(&["uncaptured", links]);
        assert_eq!(uncaptured, "   1 host       1 link   2024-03-01 to 2024-03-01  (pt,nunca,)/x  “X”  \n");
        assert_eq!(run_args(&["uncaptured", links, "--prefix", "(pt,fct,"]), (FINE, String::new()));
    }

    #[test]
    fn pages_under_a_beginning_are_found_however_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        for (notation, line) in [
            ("dataset", "(pt,nunca,)/x/1\t20240301100000\t(pt,fccn,\texternal\tX\n"),
            ("cdx", "pt,nunca)/x/1\t20240301100000\tpt,fccn)/\texternal\tX\n"),
        ] {
            let (lines, links) = (folder.path().join("lines.tsv"), folder.path().join(notation));
            std::fs::write(&lines, line).unwrap();
            let (lines, links) = (lines.to_str().unwrap(), links.to_str().unwrap());
            run_args(&["load", links, lines, "--notation", notation]);
            let found = |prefix: &str| run_args(&["uncaptured", links, "--prefix", prefix]).1.lines().count();
            for prefix in [
                "(pt,",
                "(pt,nunca",
                "(pt,nunca,",
                "pt,nunca,",
                "(pt,nunca,)/",
                "(pt,nunca,)/x",
                "pt,nunca)/",
                "pt,nunca)/x",
                "http://www.nunca.pt/",
                "https://nunca.pt/x",
                "",
            ] {
                assert_eq!(found(prefix), 1, "{notation} {prefix}");
            }
            for prefix in ["(pt,nunca,)/y", "pt,nunca)/y", "http://nunca.pt/y", "pt,nun,", "(pt,nun,"] {
                assert_eq!(found(prefix), 0, "{notation} {prefix}");
            }
        }
    }

    #[test]
    fn links_loaded_into_a_workspace_answer_as_long_as_it_has_no_captures() {
        let folder = tempfile::tempdir().unwrap();
        let (lines, archive) = (folder.path().join("lines.jsonl"), folder.path().join("archive"));
        std::fs::write(&lines, LINES).unwrap();
        drop(Workspace::create(&archive).unwrap());
        let (lines, archive) = (lines.to_str().unwrap(), archive.to_str().unwrap());
        run_args(&["load", archive, lines]);
        assert_eq!(run_args(&["show", archive, "fct.pt"]).1.lines().count(), 3);
        let refused = not_only_loaded(&Workspace::open_read_only(archive.as_ref()).unwrap()).unwrap_err().to_string();
        assert!(refused.contains("nothing was captured") && refused.contains("fonds inlinks convert"), "{refused}");
        run_args(&["build", archive]);
        for (command, lines) in [("show", 3), ("top", 1), ("hosts", 3)] {
            let page = if command == "show" { &["fct.pt"][..] } else { &[] };
            let call = [&[command, archive], page].concat();
            assert_eq!(run_args(&call).1.lines().count(), lines, "{command}");
        }
        let loaded = format!("{archive}/{LOADED}");
        assert_eq!(run_args(&["show", &loaded, "fct.pt"]).1.lines().count(), 3);
    }
}
