//! `fonds inlinks dataset`: archive files in, data set lines out.

use super::convert::no_parquet;
use super::options::{ARQUIVO_2024, MapOptions, ReduceOptions, dataset_options};
use crate::captures::{DocumentReport, Place};
use crate::cli::output::to_file;
use crate::cli::{FINE, PROBLEMS};
use crate::inlinks::invert::{AssignReport, ResumeDir, ShuffleReport, Sorted};
use crate::inlinks::{DatasetBuilder, DatasetOptions, FileEvent, LinkError};
use crate::jobs::{Existing, JobCx, counted};
use crate::links::MAX_PAGE_BYTES;
use crate::uri::CaptureDate;
use crate::warc::{PlaceReader, Record, WarcError, format_offset};
use std::io::Write;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

/// Problems that are printed for each file; all are counted.
pub(in crate::cli) const MAX_PRINTED: u64 = 20;

const FIRST_UNPRINTED: u64 = MAX_PRINTED + 1;

const HELP: &str = "Examples:
  fonds inlinks dataset crawl.warc.gz > inlinks.jsonl
  fonds inlinks dataset --per-capture --notation cdx a.warc.gz b.arc.gz
  fonds inlinks dataset --window-days 365 --out inlinks.jsonl warcs/*.warc.gz
  fonds inlinks dataset --preset arquivo-2024 --resume /data/runs --out inlinks.jsonl warcs/*.warc.gz

A page counts as captured by a response of status 200 to 299 that is HTML, or a revisit of one: what was captured as
an error, a redirect, a PDF file or an image has no captureDate. (Of a workspace, fonds inlinks uncaptured leaves these
out too.)

What a revisit repeats is searched in all files of the call, by the rule of workspaces and of fonds warc cat: (1) the
capture of the URL and date that it names; (2) of its own URL and payload digest, the one nearest to that date; (3) the
record that it names (WARC-Refers-To), unless that has another digest; (4) of its digest, the page nearest to that date.
Digests are SHA-1; that of no bytes says nothing unless the head says 200 to 299. What has no original is counted and
listed; it is a capture without links if its own head says that it is a page.";

/// WARC and ARC files straight to data set lines.
///
/// One JSON object a line: `url`, `count`, `countInternal`, `countExternal`,
/// `captureDate`, `inlinks` with `date`, `source`, `anchor`. The same input
/// gives the same bytes, whatever the order of the files or the memory.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP, after_long_help = format!("{HELP}\n\n{ARQUIVO_2024}"))]
pub struct DatasetArgs {
    /// WARC or ARC files, compressed or not
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    map: MapOptions,

    #[command(flatten)]
    reduce: ReduceOptions,

    /// Keep sorted runs in this folder until the end: called again after it
    /// was killed, with the same files and the same options of reading, the
    /// build goes on from them. Runs of other ones or of another version of
    /// the program are refused. A folder
    /// that was there before stays, empty again
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) resume: Option<PathBuf>,

    /// Write to this file and not to standard output; packed where its name ends in .gz or .zst. A file that is there
    /// is replaced when the new one is whole. A call that is killed leaves a hidden file beside it, whose name ends in
    /// .open; the next call for the same file takes it away
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl DatasetArgs {
    fn options(&self) -> anyhow::Result<DatasetOptions> {
        let keep = self.resume.as_ref().map(|folder| ResumeDir::take(folder, self.input_summary())).transpose()?;
        dataset_options(&self.map, &self.reduce, keep)
    }

    /// The input and the rules of rows, as text: runs of anything else are no use.
    fn input_summary(&self) -> String {
        with_files(self.map.command_line(), &self.files)
    }
}

/// The identity of an input: options, then files with size and date.
fn with_files(options: String, files: &[PathBuf]) -> String {
    let mut text = options;
    for path in files {
        let state = match path.metadata().and_then(|file| Ok((file.len(), file.modified()?))) {
            Ok((bytes, changed)) => {
                let since = changed.duration_since(UNIX_EPOCH).unwrap_or_default();
                let date = CaptureDate::from_seconds(since.as_secs().try_into().unwrap_or_default());
                format!("{bytes} bytes, changed {}.{:09}", date.to_readable(), since.subsec_nanos())
            }
            Err(error) => error.to_string(),
        };
        text.push_str(&format!("\n{} ({state})", path.display()));
    }
    text
}

/// Carries the command out. Lines go to `out` (or the file of `--out`),
/// problems and totals to standard error; the answer is the exit status.
///
/// # Errors
///
/// A file that cannot be read at all, no room for sorting, nobody who takes
/// the lines, or `Cancelled`.
pub fn run(args: &DatasetArgs, out: &mut dyn Write, cx: &JobCx) -> anyhow::Result<u8> {
    // First, so that a refusal leaves the file of an earlier build alone.
    no_parquet(args.out.as_deref())?;
    let options = args.options()?;
    let (status, sorted) =
        to_file(args.out.as_deref(), Existing::IsReplaced, out, |out| build(args, options, out, cx))?;
    // Only now are the lines safe, and what cannot be removed takes nothing from them.
    if let (Err(error), Some(folder)) = (sorted.remove_kept(), &args.resume) {
        notice!("fonds: {}: {error}. The sorted runs there are needed no more: remove them", folder.display());
    }
    Ok(status)
}

fn build(args: &DatasetArgs, options: DatasetOptions, out: &mut dyn Write, cx: &JobCx) -> anyhow::Result<(u8, Sorted)> {
    let total: u64 = args.files.iter().filter_map(|path| path.metadata().ok()).map(|file| file.len()).sum();
    cx.stage("Reading pages", Some(total));
    let mut builder = DatasetBuilder::new(options, cx)?;
    if let Some(warning) = builder.room_warning(total) {
        notice!("fonds: {warning}");
    }
    builder.add_files(&args.files, news(&args.files, cx))?;
    if builder.unreadable() == args.files.len() as u64 {
        match &args.out {
            Some(path) if path.exists() => {
                anyhow::bail!("none of these files can be read; {} stays as it is", path.display())
            }
            _ => anyhow::bail!("none of these files can be read"),
        }
    }
    let (report, sorted) = builder.finish(fetch(&args.files, cx), |piece| out.write_all(piece))?;
    out.flush().map_err(LinkError::Output)?;
    print_documents(&report.documents, &args.files);
    print_assign(&report.shuffle, &report.assign);
    if report.problems > 0 || report.unreadable > 0 {
        let unreadable = counted(report.unreadable, "file");
        notice!("{} in the files, {unreadable} unreadable", counted(report.problems, "problem"));
    }
    let faultless = report.unreadable == 0 && report.problems == 0 && !report.documents.loses_links();
    Ok((if faultless { FINE } else { PROBLEMS }, sorted))
}

/// Reads what a revisit repeats, from the same files.
pub(in crate::cli) fn fetch<'f>(
    files: &'f [PathBuf],
    cx: &'f JobCx,
) -> impl FnMut(Place) -> Result<Record, WarcError> + 'f {
    let mut reader = PlaceReader::default();
    move |place| match files.get(place.file as usize) {
        Some(path) => reader.read(path, place.offset, MAX_PAGE_BYTES, cx),
        // Places come from the files of this very call.
        None => Err(WarcError::NoRecord {
            path: PathBuf::from(format!("file {}", place.file)),
            offset: place.offset,
            why: "there is no such file".to_owned(),
        }),
    }
}

/// Prints problems of files on standard error, the first ones of each.
pub(in crate::cli) fn news<'f>(files: &'f [PathBuf], cx: &'f JobCx) -> impl FnMut(usize, FileEvent<'_>) + 'f {
    let mut printed = 0;
    move |file, news| {
        let name = files.get(file).map(|path| path.display().to_string()).unwrap_or_default();
        match news {
            FileEvent::Begun => {
                printed = 0;
                cx.note(name);
            }
            FileEvent::Problem(problem) => {
                printed += 1;
                match printed {
                    ..=MAX_PRINTED => notice!("{name}: {problem}"),
                    FIRST_UNPRINTED => notice!("{name}: further problems are only counted"),
                    _ => {}
                }
            }
            FileEvent::Unreadable(error) => notice!("fonds: {error}"),
        }
    }
}

/// Prints the numbers of what was read, for a person.
pub(in crate::cli) fn print_documents(documents: &DocumentReport, files: &[PathBuf]) {
    let (revisits, pages) = (counted(documents.revisits, "revisit"), counted(documents.pages, "page"));
    notice!("{}, {revisits}, {pages}", counted(documents.records, "record"));
    if documents.already_read > 0 {
        notice!("{} of the pages had been read before the build was interrupted", documents.already_read);
    }
    for (why, count) in &documents.unread {
        notice!("{count} × {why}");
    }
    for (place, url, why) in documents.listed.iter().take(usize::try_from(MAX_PRINTED).unwrap_or(usize::MAX)) {
        let file = files.get(place.file as usize).map(|path| path.display().to_string()).unwrap_or_default();
        notice!("{file}, offset {}: {url}: {why}", format_offset(place.offset));
    }
}

/// Prints the numbers of kept and left out links, for a person.
pub(in crate::cli) fn print_assign(shuffle: &ShuffleReport, assign: &AssignReport) {
    let exact = shuffle.links + shuffle.captures;
    notice!(
        "{} seen; left out: {} among {}, {} outside the window, {} over the cap per page, {} to pages never captured, {} further ones of a page",
        counted(shuffle.links, "link"),
        counted(shuffle.duplicates, "exact duplicate"),
        counted(exact, "row"),
        assign.outside_window,
        assign.cut,
        assign.uncaptured_dropped,
        assign.repeated_sources
    );
    notice!(
        "{} with {} ({} internal, {} external); {} of them captured as pages (errors, redirects and other files do not count)",
        counted(assign.objects, "object"),
        counted(assign.inlinks, "inlink"),
        assign.internal,
        assign.inlinks - assign.internal,
        assign.captured_objects
    );
    if shuffle.spilled_bytes > 0 {
        let mebibytes = shuffle.spilled_bytes.div_ceil(1 << 20);
        notice!("{mebibytes} MiB went to the disk while sorting, {} sorted runs among them", shuffle.runs);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use clap::Parser;
    use std::path::Path;

    #[derive(Parser)]
    struct DatasetCli {
        #[command(flatten)]
        args: DatasetArgs,
    }

    const PAGE: &str =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href='http://www.fct.pt/'>Início</a><a href=/x>X</a>";

    fn warc(folder: &Path) -> PathBuf {
        let record = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://fct.pt/\r\nWARC-Date: 2024-03-01T09:00:00Z\r\n\
             WARC-Record-ID: <urn:uuid:1>\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n{PAGE}\r\n\r\n",
            PAGE.len()
        );
        let path = folder.join("a.warc");
        std::fs::write(&path, record).unwrap();
        path
    }

    fn run_args(args: &[&str]) -> (u8, String) {
        let (status, out) = try_args(args);
        (status.unwrap(), out)
    }

    fn try_args(args: &[&str]) -> (anyhow::Result<u8>, String) {
        let line = DatasetCli::parse_from(std::iter::once("dataset").chain(args.iter().copied()));
        let mut out = Vec::new();
        let status = run(&line.args, &mut out, &JobCx::detached());
        (status, String::from_utf8(out).unwrap())
    }

    #[test]
    fn lines_come_out_of_an_archive_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = warc(folder.path());
        let file = file.to_str().unwrap();
        let root = r#"{"url":"(pt,fct,","count":1,"countInternal":1,"countExternal":0,"captureDate":"2024-03-01T09:00:00","inlinks":[{"date":"2024-03-01T09:00:00","source":"(pt,fct,","anchor":"Início"}]}"#;
        let deep = r#"{"url":"(pt,fct,)/x","count":1,"countInternal":1,"countExternal":0,"captureDate":null,"inlinks":[{"date":"2024-03-01T09:00:00","source":"(pt,fct,","anchor":"X"}]}"#;
        assert_eq!(
            run_args(&[file]),
            (0, format!("{deep}\n{root}\n").lines().rev().map(|line| format!("{line}\n")).collect())
        );
        // The same file twice changes nothing.
        assert_eq!(run_args(&[file, file, "--memory-mib", "0"]), run_args(&[file]));
        let (_, cdx) = run_args(&[file, "--per-capture", "--notation", "cdx", "--window-days", "0"]);
        assert_eq!(cdx.lines().count(), 1);
        assert!(cdx.starts_with(r#"{"url":"pt,fct)/","count":1,"#), "{cdx}");
        let (_, captured) = run_args(&[file, "--uncaptured", "drop"]);
        assert_eq!(captured, format!("{root}\n"));
        let target = folder.path().join("out.jsonl");
        let (_, nothing) = run_args(&[file, "--out", target.to_str().unwrap()]);
        assert_eq!(nothing, "");
        assert_eq!(std::fs::read_to_string(target).unwrap(), run_args(&[file]).1);
    }

    #[test]
    fn runs_of_other_options_or_of_a_build_under_way_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (file, runs) = (warc(folder.path()), folder.path().join("runs"));
        let args = |more: &[&str]| -> Vec<String> {
            let fixed = ["dataset", file.to_str().unwrap(), "--resume", runs.to_str().unwrap()];
            fixed.iter().chain(more).map(|&arg| arg.to_owned()).collect()
        };
        let options = |more: &[&str]| DatasetCli::parse_from(args(more)).args.options();
        let refused = |more: &[&str]| options(more).err().unwrap().to_string();
        // A build that is under way, and is killed once a run is written.
        let mut builder = DatasetBuilder::new(options(&[]).unwrap(), &JobCx::detached()).unwrap();
        let why = refused(&[]);
        assert!(why.contains(&format!("process {}", std::process::id())), "{why}");
        builder.add_files(std::slice::from_ref(&file), |_, _| ()).unwrap();
        let files = [file.clone()];
        let broken = builder.finish(fetch(&files, &JobCx::detached()), |_| Err(std::io::ErrorKind::BrokenPipe.into()));
        assert!(broken.is_err());
        let list = runs.join("runs.json");
        let sound = std::fs::read_to_string(&list).unwrap();
        let why = refused(&["--image-alt"]);
        assert!(why.contains("Its options: ") && why.contains("nothing was changed"), "{why}");
        let why = refused(&[folder.path().join("b.warc").to_str().unwrap()]);
        assert!(why.contains("Its files: nothing; asked for now: ") && why.contains("b.warc"), "{why}");
        let version = env!("CARGO_PKG_VERSION");
        std::fs::write(&list, sound.replace(&format!("fonds {version}"), "fonds 9.9.9")).unwrap();
        let why = refused(&[]);
        assert!(why.contains(&format!("Its program: fonds 9.9.9; asked for now: fonds {version}")), "{why}");
        // A list of an earlier program has no version.
        std::fs::write(&list, sound.replace(&format!(r#""program":"fonds {version}","#), "")).unwrap();
        let why = refused(&[]);
        assert!(why.contains("an earlier version"), "{why}");
        // Nothing was taken away meanwhile: with the old arguments it goes on.
        std::fs::write(&list, sound).unwrap();
        let out = folder.path().join("out.jsonl");
        std::fs::write(&out, "kept").unwrap();
        let strange = DatasetCli::parse_from(args(&["--image-alt", "--out", out.to_str().unwrap()]));
        run(&strange.args, &mut Vec::new(), &JobCx::detached()).unwrap_err();
        assert_eq!(std::fs::read_to_string(&out).unwrap(), "kept");
        let (_, lines) = run_args(&args(&[])[1..].iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(lines, run_args(&[file.to_str().unwrap()]).1);
        assert!(!runs.exists());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn runs_stay_until_the_lines_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let (file, runs) = (warc(folder.path()), folder.path().join("runs"));
        let args = |out: &Path| -> Vec<String> {
            let args = [file.as_path(), Path::new("--resume"), &runs, Path::new("--out"), out];
            args.iter().map(|arg| arg.to_str().unwrap().to_owned()).collect()
        };
        let tried = |out: &Path| try_args(&args(out).iter().map(String::as_str).collect::<Vec<_>>()).0;
        // A disk that is always full.
        tried(Path::new("/dev/full")).unwrap_err();
        assert!(runs.join("runs.json").exists() && runs.join("run-000001").exists());
        let free = folder.path().join("free.jsonl");
        tried(&free).unwrap();
        assert_eq!(std::fs::read_to_string(free).unwrap(), run_args(&[file.to_str().unwrap()]).1);
        assert!(!runs.exists());
    }

    #[test]
    fn a_file_that_cannot_be_read_is_a_problem_and_not_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let file = warc(folder.path());
        let missing = folder.path().join("missing.warc.gz");
        let (status, lines) = run_args(&[missing.to_str().unwrap(), file.to_str().unwrap()]);
        assert_eq!((status, lines.lines().count()), (1, 2));
        let (error, out) = try_args(&[missing.to_str().unwrap()]);
        assert!(error.unwrap_err().to_string().contains("none of these files") && out.is_empty());
    }
}
