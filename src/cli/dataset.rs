//! `fonds inlinks dataset`: archive files in, data set lines out.

use crate::jobs::{Cancelled, JobCx};
use crate::links::invert::{AssignOptions, Dedup, Shape, ShuffleOptions, Uncaptured};
use crate::links::{
    BuildReport, DatasetBuilder, DatasetOptions, LinkError, MATCH_WINDOW_DAYS, MAX_INLINKS_PER_SIDE, MAX_PAGE_BYTES,
    Notation,
};
use crate::uri::InternalPolicy;
use crate::warc::{ArchiveReader, read_record_at};
use anyhow::Context;
use clap::ValueEnum;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Problems that are printed for each file; all are counted.
const MAX_PRINTED: u64 = 20;

/// Exit statuses: 0 fine, 1 problems found, 2 nothing could be read.
const EXIT_PROBLEMS: u8 = 1;
const EXIT_WRONG_USE: u8 = 2;

/// WARC and ARC files straight to data set lines.
///
/// One JSON object a line: `url`, `count`, `countInternal`, `countExternal`,
/// `captureDate`, `inlinks` with `date`, `source`, `anchor`. The same input
/// gives the same bytes, whatever the order of the files or the memory.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fonds inlinks dataset crawl.warc.gz > inlinks.jsonl
  fonds inlinks dataset --per-capture --notation cdx a.warc.gz b.arc.gz
  fonds inlinks dataset --window-days 365 --out inlinks.jsonl warcs/*.warc.gz")]
pub struct Args {
    /// WARC or ARC files, compressed or not
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// One object for each capture, those without inlinks too
    #[arg(long)]
    per_capture: bool,

    /// How pages are written and told apart: (pt,fct,)/sobre or pt,fct)/sobre
    #[arg(long, value_enum, default_value = "dataset")]
    notation: NotationWord,

    /// An inlink fits a capture when both are at most so many days apart
    #[arg(long, value_name = "N", default_value_t = MATCH_WINDOW_DAYS)]
    window_days: u32,

    /// Links are internal within one host name, second-level domain or registrable domain
    #[arg(long, value_enum, default_value = "fqdn")]
    internal: InternalWord,

    /// When two links count as one
    #[arg(long, value_enum, default_value = "exact")]
    dedup: DedupWord,

    /// Links to pages that were never captured
    #[arg(long, value_enum, default_value = "keep")]
    uncaptured: UncapturedWord,

    /// Inlinks kept on each side, internal and external
    #[arg(long, value_name = "N", default_value_t = MAX_INLINKS_PER_SIDE)]
    cap: usize,

    /// A link without text takes the alternative text of its images
    #[arg(long)]
    image_alt: bool,

    /// Memory for sorting, in MiB
    #[arg(long, value_name = "N", default_value_t = 512)]
    memory_mib: usize,

    /// Folder for sorted runs while the memory does not suffice
    #[arg(long, value_name = "DIR")]
    temp: Option<PathBuf>,

    /// Write to this file and not to standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum NotationWord {
    Dataset,
    Cdx,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum InternalWord {
    Fqdn,
    Sldn,
    Registrable,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum DedupWord {
    Exact,
    SourceTarget,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum UncapturedWord {
    Keep,
    Drop,
}

impl Args {
    fn options(&self) -> DatasetOptions {
        DatasetOptions {
            notation: match self.notation {
                NotationWord::Dataset => Notation::Dataset,
                NotationWord::Cdx => Notation::Cdx,
            },
            internal: match self.internal {
                InternalWord::Fqdn => InternalPolicy::Fqdn,
                InternalWord::Sldn => InternalPolicy::Sldn,
                InternalWord::Registrable => InternalPolicy::Registrable,
            },
            assign: AssignOptions {
                window_days: self.window_days,
                cap: self.cap,
                dedup: match self.dedup {
                    DedupWord::Exact => Dedup::Exact,
                    DedupWord::SourceTarget => Dedup::SourceTarget,
                },
                uncaptured: match self.uncaptured {
                    UncapturedWord::Keep => Uncaptured::Keep,
                    UncapturedWord::Drop => Uncaptured::Drop,
                },
                shape: if self.per_capture { Shape::PerCapture } else { Shape::PerPage },
            },
            shuffle: ShuffleOptions {
                memory_bytes: self.memory_mib.saturating_mul(1024 * 1024),
                temp_folder: self.temp.clone(),
            },
            image_alt: self.image_alt,
        }
    }
}

/// Carries the command out. Lines go to `out` (or the file asked for),
/// problems and totals to standard error; the answer is the exit status.
///
/// # Errors
///
/// A file that cannot be read at all, no room for sorting, nobody who takes
/// the lines, or the wish to stop.
pub fn run(args: &Args, out: &mut dyn Write, cx: &JobCx) -> anyhow::Result<u8> {
    match &args.out {
        None => build(args, out, cx),
        Some(path) => {
            let file = File::create(path).with_context(|| path.display().to_string())?;
            let mut file = BufWriter::new(file);
            let status = build(args, &mut file, cx)?;
            file.into_inner()
                .map_err(|error| error.into_error())
                .and_then(|file| file.sync_all())
                .with_context(|| path.display().to_string())?;
            Ok(status)
        }
    }
}

fn build(args: &Args, out: &mut dyn Write, cx: &JobCx) -> anyhow::Result<u8> {
    let total: u64 = args.files.iter().filter_map(|path| path.metadata().ok()).map(|file| file.len()).sum();
    cx.stage("Reading pages", Some(total));
    let mut builder = DatasetBuilder::new(args.options(), cx);
    let mut unreadable = 0_u64;
    let mut done = 0;
    for (number, path) in args.files.iter().enumerate() {
        cx.note(path.display().to_string());
        match read(&mut builder, u32::try_from(number)?, path, done, cx) {
            Ok(()) => {}
            Err(LinkError::Archive(error)) => {
                eprintln!("fonds: {error}");
                unreadable += 1;
            }
            Err(error) => return Err(error.into()),
        }
        done += path.metadata().map_or(0, |file| file.len());
    }
    if unreadable == args.files.len() as u64 {
        return Ok(EXIT_WRONG_USE);
    }
    cx.stage("Sorting and writing", None);
    let mut out = BufWriter::new(out);
    let report = builder.finish(
        |place| match args.files.get(place.file as usize) {
            Some(path) => read_record_at(path, place.offset, MAX_PAGE_BYTES),
            None => unreachable_file(place.file),
        },
        |object| object.write_line(&mut out),
    )?;
    out.flush().map_err(LinkError::Output)?;
    tell(&report, &args.files, unreadable);
    let faultless = unreadable == 0 && report.problems == 0 && report.documents.unread.is_empty();
    Ok(if faultless { 0 } else { EXIT_PROBLEMS })
}

/// Places come from the files of this very call.
fn unreachable_file(file: u32) -> Result<crate::warc::Record, crate::warc::WarcError> {
    Err(crate::warc::WarcError::NoRecord {
        path: PathBuf::from(format!("file {file}")),
        offset: 0,
        why: "there is no such file".to_owned(),
    })
}

fn read(builder: &mut DatasetBuilder, number: u32, path: &Path, done: u64, cx: &JobCx) -> Result<(), LinkError> {
    let mut reader = ArchiveReader::open(path)?;
    let mut problems = 0;
    let read = builder.add_archive(
        number,
        &mut reader,
        |problem| {
            problems += 1;
            if problems <= MAX_PRINTED {
                eprintln!("{}: {problem}", path.display());
            }
        },
        |offset| {
            cx.set_done(done + offset);
            cx.checkpoint().map_err(|Cancelled| LinkError::Cancelled(Cancelled))
        },
    );
    if problems > MAX_PRINTED {
        eprintln!("{}: {} further problems", path.display(), problems - MAX_PRINTED);
    }
    read
}

/// The totals, for a person.
fn tell(report: &BuildReport, files: &[PathBuf], unreadable: u64) {
    let BuildReport { documents, shuffle, assign, problems } = report;
    eprintln!("{} records, {} revisits, {} pages read", documents.records, documents.revisits, documents.pages);
    let exact = shuffle.links + shuffle.captures;
    eprintln!(
        "{} links seen; left out: {} exact duplicates among {exact} rows, {} outside the window, {} over the cap, {} to pages never captured, {} further ones of a page",
        shuffle.links,
        shuffle.duplicates,
        assign.outside_window,
        assign.cut,
        assign.uncaptured_dropped,
        assign.repeated_sources
    );
    eprintln!(
        "{} objects with {} inlinks ({} internal, {} external); {} of them captured",
        assign.objects,
        assign.inlinks,
        assign.internal,
        assign.inlinks - assign.internal,
        assign.captured_objects
    );
    for (why, count) in &documents.unread {
        eprintln!("{count} × {why}");
    }
    for (place, url, why) in documents.listed.iter().take(usize::try_from(MAX_PRINTED).unwrap_or(usize::MAX)) {
        let file = files.get(place.file as usize).map(|path| path.display().to_string()).unwrap_or_default();
        eprintln!("{file}, offset {}: {url}: {why}", place.offset);
    }
    if *problems > 0 || unreadable > 0 {
        eprintln!("{problems} problems in the files, {unreadable} files unreadable");
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
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

    fn run_words(words: &[&str]) -> (u8, String) {
        let line = Line::parse_from(std::iter::once("dataset").chain(words.iter().copied()));
        let mut out = Vec::new();
        let status = run(&line.args, &mut out, &JobCx::detached()).unwrap();
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
            run_words(&[file]),
            (0, format!("{deep}\n{root}\n").lines().rev().map(|line| format!("{line}\n")).collect())
        );
        // The same file twice changes nothing.
        assert_eq!(run_words(&[file, file, "--memory-mib", "0"]), run_words(&[file]));
        let (_, cdx) = run_words(&[file, "--per-capture", "--notation", "cdx", "--window-days", "0"]);
        assert_eq!(cdx.lines().count(), 1);
        assert!(cdx.starts_with(r#"{"url":"pt,fct)/","count":1,"#), "{cdx}");
        let (_, captured) = run_words(&[file, "--uncaptured", "drop"]);
        assert_eq!(captured, format!("{root}\n"));
        let target = folder.path().join("out.jsonl");
        let (_, nothing) = run_words(&[file, "--out", target.to_str().unwrap()]);
        assert_eq!(nothing, "");
        assert_eq!(std::fs::read_to_string(target).unwrap(), run_words(&[file]).1);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_a_problem_and_not_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let file = warc(folder.path());
        let missing = folder.path().join("missing.warc.gz");
        let (status, lines) = run_words(&[missing.to_str().unwrap(), file.to_str().unwrap()]);
        assert_eq!((status, lines.lines().count()), (1, 2));
        assert_eq!(run_words(&[missing.to_str().unwrap()]), (2, String::new()));
    }
}
