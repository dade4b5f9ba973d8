//! `fonds inlinks map` and `reduce`: the two halves of `dataset` as filters.

use super::dataset::{fetch, news, print_assign, print_documents};
use super::options::{MapOptions, ReduceOptions, RuleOptions, dataset_options, reduce_options};
use crate::cli::{FINE, PROBLEMS, WRONG_USE};
use crate::inlinks::filters::{RowColumns, map_files, reduce_rows};
use crate::inlinks::{FileEvent, LinkError};
use crate::jobs::{JobCx, counted, verb};
use clap::ValueEnum;
use crossbeam_channel::bounded;
use std::io::{BufRead, Read, Write};
use std::path::PathBuf;

/// Pieces of output that wait to be written.
const PIECES: usize = 4;

/// Arguments of `fonds inlinks map`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  ls warcs/*.warc.gz | fonds inlinks map | LC_ALL=C sort | fonds inlinks reduce > inlinks.jsonl
  fonds inlinks map crawl.warc.gz > rows.tsv
  Hadoop Streaming:  -D stream.num.map.output.key.fields=1
                     -mapper 'sh -c \"fonds inlinks map; test $? -le 1\"'
                     -reducer 'sh -c \"fonds inlinks reduce; test $? -le 1\"'
  Spark:             assets/inlinks_spark.py

A row is TARGET, DATE for a capture and TARGET, DATE, SOURCE, internal or external, ANCHOR for a link, with tabs
between. A revisit needs its original in the files of the same call. Exit status 1 says that something within the
files is broken, as listed; 2 that one of the files, or all, cannot be read: rows are missing, and a task should
fail.")]
pub struct MapArgs {
    /// WARC or ARC files; without any, their names are read from standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    rules: MapOptions,

    /// Threads; results do not depend on it [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

/// Arguments of `fonds inlinks reduce`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  LC_ALL=C sort rows.tsv | fonds inlinks reduce --per-capture > inlinks.jsonl
  fonds inlinks map a.warc.gz b.warc.gz | fonds inlinks reduce --window-days 365
  cat links.tsv captures.tsv | fonds inlinks reduce --columns table --per-capture

Rows may come in any order; where several reducers share them, those of one page must come to the same one. Keys,
kinds of links and records are those of map, which has the options for them; --internal is for --columns table.")]
pub struct ReduceArgs {
    /// How the columns of a link stand: as map writes them, or target, source, date, anchor
    #[arg(long, value_enum, default_value = "map")]
    columns: ColumnsArg,

    #[command(flatten)]
    rules: RuleOptions,

    #[command(flatten)]
    reduce: ReduceOptions,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(in crate::cli) enum ColumnsArg {
    Map,
    Table,
}

impl From<ColumnsArg> for RowColumns {
    fn from(columns: ColumnsArg) -> Self {
        match columns {
            ColumnsArg::Map => Self::Map,
            ColumnsArg::Table => Self::Table,
        }
    }
}

/// Archive files in, rows out.
pub(in crate::cli) fn map(
    args: &MapArgs,
    input: impl FnOnce() -> std::io::Result<Vec<PathBuf>>,
    out: &mut dyn Write,
    cx: &JobCx,
) -> anyhow::Result<u8> {
    let files = if args.files.is_empty() { input()? } else { args.files.clone() };
    let mut options = dataset_options(&args.rules, &ReduceOptions::default(), None)?;
    if let Some(threads) = args.threads {
        options.shuffle.threads = usize::from(threads);
    }
    let total = files.iter().filter_map(|path| path.metadata().ok()).map(|file| file.len()).sum();
    cx.stage("Reading pages", Some(total));
    // Threads bring the lines, and standard output is locked by this one.
    let (send, pieces) = bounded::<Vec<u8>>(PIECES);
    let (report, unreadable, problems) = std::thread::scope(|scope| -> anyhow::Result<_> {
        let reading = scope.spawn(|| {
            let (mut unreadable, mut problems) = (0, 0_u64);
            let mut on_event = news(&files, cx);
            let report = map_files(
                &files,
                &options,
                cx,
                |file, what| {
                    unreadable += usize::from(matches!(what, FileEvent::Unreadable(_)));
                    problems += u64::from(matches!(what, FileEvent::Problem(_)));
                    on_event(file, what);
                },
                fetch(&files, cx),
                move |lines| send.send(lines).map_err(|_| std::io::ErrorKind::BrokenPipe.into()),
            );
            (report, unreadable, problems)
        });
        let written = pieces.iter().try_for_each(|lines| out.write_all(&lines)).and_then(|()| out.flush());
        drop(pieces);
        let (report, unreadable, problems) = reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        written.map_err(LinkError::Output)?;
        Ok((report?, unreadable, problems))
    })?;
    print_documents(&report, &files);
    if unreadable > 0 {
        notice!("fonds: {unreadable} of {} cannot be read: rows are missing", counted(files.len() as u64, "file"));
        return Ok(WRONG_USE);
    }
    Ok(if problems == 0 && !report.loses_links() { FINE } else { PROBLEMS })
}

/// The names of files on the lines of an input. Hadoop's streaming puts the
/// place of the line before it, with a tab between.
pub(in crate::cli) fn file_names(input: impl BufRead) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for line in input.split(b'\n') {
        let line = line?;
        let line = line.strip_suffix(b"\r").unwrap_or(&line);
        let name = line.rsplit(|byte| *byte == b'\t').next().unwrap_or_default();
        if !name.is_empty() {
            files.push(path_of(name)?);
        }
    }
    Ok(files)
}

/// A name of a file is bytes, whatever letters they are meant as.
#[cfg(unix)]
fn path_of(name: &[u8]) -> std::io::Result<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Ok(PathBuf::from(std::ffi::OsStr::from_bytes(name)))
}

#[cfg(not(unix))]
fn path_of(name: &[u8]) -> std::io::Result<PathBuf> {
    let name = std::str::from_utf8(name).map_err(|error| {
        let shown = String::from_utf8_lossy(name);
        std::io::Error::new(
            std::io::ErrorKind::InvalidData,
            format!("the name of a file is not UTF-8: {shown}: {error}"),
        )
    })?;
    Ok(PathBuf::from(name))
}

/// Rows in, lines of the data set out.
pub(in crate::cli) fn reduce(
    args: &ReduceArgs,
    input: impl Read,
    out: &mut dyn Write,
    cx: &JobCx,
) -> anyhow::Result<u8> {
    let columns = RowColumns::from(args.columns);
    anyhow::ensure!(
        columns == RowColumns::Table || args.rules.internal.is_none(),
        "rows of map say themselves which links are internal: give --internal to fonds inlinks map"
    );
    let options = reduce_options(&args.rules, &args.reduce)?;
    cx.stage("Sorting rows", None);
    let report = reduce_rows(input, columns, &options, cx, |piece| out.write_all(piece))?;
    out.flush().map_err(LinkError::Output)?;
    print_assign(&report.shuffle, &report.assign);
    if let Some((line, why)) = &report.first_bad {
        match report.bad_lines {
            1 => notice!("1 line is no row and was left out, line {line}: {why}"),
            bad => {
                let (lines, are, were) = (counted(bad, "line"), verb(bad, "is"), verb(bad, "was"));
                notice!("{lines} {are} no rows and {were} left out; the first is line {line}: {why}")
            }
        }
    }
    Ok(match report.bad_lines {
        0 => FINE,
        _ if report.shuffle.links + report.shuffle.captures == 0 => WRONG_USE,
        _ => PROBLEMS,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_come_with_or_without_a_place_before_them() {
        let names = file_names(&b"a.warc.gz\n\n0\tdir/b c.warc\r\n"[..]).unwrap();
        assert_eq!(names, [PathBuf::from("a.warc.gz"), PathBuf::from("dir/b c.warc")]);
        #[cfg(unix)]
        assert_eq!(file_names(&b"t\xe9.warc\n"[..]).unwrap(), [path_of(b"t\xe9.warc").unwrap()]);
    }
}
