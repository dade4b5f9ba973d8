//! `fonds index documents`: archive files in, documents for search engines of others out.

use crate::cli::inlinks::filters::file_names;
use crate::cli::output::report_if_empty;
use crate::cli::{FINE, PROBLEMS, WRONG_USE};
use crate::export::{DocumentFormat, DocumentMerger, DocumentOptions, SolrRow, document_rows};
use crate::jobs::{JobCx, SpillSort, StopError, counted};
use crate::uri::escape_controls;
use anyhow::Context;
use clap::ValueEnum;
use serde_json::json;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Turn archive files into documents for Solr, OpenSearch and Elasticsearch.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fonds index documents crawl.warc.gz > documents.jsonl
  fonds index documents *.warc.gz --format opensearch | curl -H 'Content-Type: application/x-ndjson' \\
    --data-binary @- http://localhost:9200/pages/_bulk
  ls warcs/*.warc.gz | fonds index documents --map | LC_ALL=C sort | fonds index documents --reduce
  Spark:             assets/documents_spark.py
  Hadoop Streaming:  -D stream.num.map.output.key.fields=1
                     -mapper 'sh -c \"fonds index documents --map; test $? -le 1\"'
                     -reducer 'sh -c \"fonds index documents --reduce; test $? -le 1\"'

A document is what one URL answered with one payload, with the field names of the Solr schema of
webarchive-discovery, as SolrWayback reads them; crawl_dates has all captures of it, revisits too. content has the main
text first and menus and the like behind it. What is not in that schema ends in _s, for its dynamic fields. Fields of
Tika, DROID and of faces are not written. Documents are in the order of their ids.

With --map, a row is the id, a tab and the object, for a sort by the first column elsewhere; --reduce makes documents
of sorted rows on standard input. Exit status 1 says that something within the files is broken, as listed; 2 that
one of the files, or a row, cannot be read: documents are missing, and a task should fail.")]
pub struct IndexDocumentsArgs {
    /// WARC or ARC files; without any, their names are read from standard input.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How documents are written.
    #[arg(long, value_enum, default_value = "solr", conflicts_with = "map")]
    format: DocumentFormatArg,
    /// Rows for a sort elsewhere.
    #[arg(long, conflicts_with = "reduce")]
    map: bool,
    /// Rows on standard input into documents.
    #[arg(long, conflicts_with = "files")]
    reduce: bool,
    /// Leave out links with their hosts and domains.
    #[arg(long)]
    no_links: bool,
    /// Answers with any status, not only 200 to 299.
    #[arg(long)]
    all_statuses: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum DocumentFormatArg {
    /// One object a line, for /update/json/docs.
    Solr,
    /// Bulk lines: an action, then the object; Elasticsearch reads them, too.
    Opensearch,
}

impl From<DocumentFormatArg> for DocumentFormat {
    fn from(format: DocumentFormatArg) -> Self {
        match format {
            DocumentFormatArg::Solr => Self::Solr,
            DocumentFormatArg::Opensearch => Self::OpenSearch,
        }
    }
}

/// Files or rows in, rows or documents out.
pub(in crate::cli) fn run(
    args: &IndexDocumentsArgs,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    cx: &JobCx,
) -> anyhow::Result<u8> {
    if args.reduce {
        return reduce(args.format.into(), input, out, cx);
    }
    let files = if args.files.is_empty() { file_names(input)? } else { args.files.clone() };
    cx.stage("Reading captures", Some(files.len() as u64));
    let found = ProblemCounts::default();
    if args.map {
        for file in &files {
            read_file(file, args, &found, cx, |row| Ok(writeln!(out, "{}", row.to_line())?))?;
        }
        out.flush()?;
        return Ok(found.status(files.len()));
    }
    let rows = sorted_rows(&files, args, &found, cx)?;
    let mut documents = Documents { format: args.format.into(), merger: DocumentMerger::default(), out };
    for (row, number) in rows.finish()?.zip(1_u64..) {
        documents.add(&row?, number)?;
    }
    documents.finish()?;
    Ok(found.status(files.len()))
}

/// Lines in memory before they go to a temporary file.
const SORT_BYTES: usize = 64 << 20;

/// The rows of all files, read by all cores.
fn sorted_rows(
    files: &[PathBuf],
    args: &IndexDocumentsArgs,
    found: &ProblemCounts,
    cx: &JobCx,
) -> anyhow::Result<SpillSort> {
    let (rows, next) = (Mutex::new(SpillSort::new(SORT_BYTES)), AtomicUsize::new(0));
    let work = || -> anyhow::Result<()> {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            read_file(file, args, found, cx, |row| {
                let mut rows = rows.lock().unwrap_or_else(PoisonError::into_inner);
                rows.push(row.to_line())
                    .context("the folder for temporary files takes no more; name another with TMPDIR")
            })?;
        }
        Ok(())
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(files.len());
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    Ok(rows.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Writes documents of rows that come in the order of their ids.
struct Documents<'o> {
    format: DocumentFormat,
    merger: DocumentMerger,
    out: &'o mut dyn Write,
}

impl Documents<'_> {
    fn add(&mut self, line: &str, number: u64) -> anyhow::Result<()> {
        let row = SolrRow::of_line(line).with_context(|| format!("line {number} is no row of --map: no tab"))?;
        let before = self.merger.add(row).with_context(|| format!("line {number} is no row of --map"))?;
        before.map_or(Ok(()), |document| self.write(&document))
    }

    fn finish(mut self) -> anyhow::Result<()> {
        if let Some(document) = self.merger.finish()? {
            self.write(&document)?;
        }
        Ok(self.out.flush()?)
    }

    fn write(&mut self, document: &SolrRow) -> anyhow::Result<()> {
        if self.format == DocumentFormat::OpenSearch {
            writeln!(self.out, "{}", json!({"index": {"_id": document.id}}))?;
        }
        Ok(writeln!(self.out, "{}", escape_controls(document.json.clone()))?)
    }
}

/// Numbers of problems and of unreadable files.
#[derive(Default)]
struct ProblemCounts {
    problems: AtomicU64,
    unreadable: AtomicU64,
}

impl ProblemCounts {
    fn status(&self, files: usize) -> u8 {
        match (self.unreadable.load(Ordering::Relaxed), self.problems.load(Ordering::Relaxed)) {
            (0, 0) => FINE,
            (0, _) => PROBLEMS,
            (unreadable, _) => {
                notice!(
                    "fonds: {unreadable} of {} cannot be read: documents are missing",
                    counted(files as u64, "file")
                );
                WRONG_USE
            }
        }
    }
}

/// Passes the rows of a file on. A file that cannot be read is reported and counted.
fn read_file(
    file: &std::path::Path,
    args: &IndexDocumentsArgs,
    found: &ProblemCounts,
    cx: &JobCx,
    mut take: impl FnMut(SolrRow) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let options = DocumentOptions { links: !args.no_links, all_statuses: args.all_statuses };
    let mut refused = None;
    let on_problem = |problem: &crate::warc::Problem| {
        found.problems.fetch_add(1, Ordering::Relaxed);
        warn_of!("damage within files", "{}: {problem}", file.display());
    };
    let read = document_rows(file, options, cx, on_problem, |SolrRow { id, json }| {
        // Hadoop and Spark break lines at characters that JSON does not escape.
        take(SolrRow { id, json: escape_controls(json) }).map_err(|error| {
            refused = Some(error);
            std::io::ErrorKind::Other.into()
        })
    });
    match (refused, read) {
        (Some(error), _) => Err(error),
        (None, Err(error)) => {
            let error = anyhow::Error::from(error);
            if StopError::is_cancelled(&error) {
                return Err(error);
            }
            found.unreadable.fetch_add(1, Ordering::Relaxed);
            notice!("fonds: {}", crate::work::error_chain(&error));
            Ok(())
        }
        (None, Ok(())) => {
            if report_if_empty(file) {
                found.problems.fetch_add(1, Ordering::Relaxed);
            }
            Ok(cx.advance(1)?)
        }
    }
}

/// Sorted rows into documents.
fn reduce(format: DocumentFormat, input: &mut dyn BufRead, out: &mut dyn Write, cx: &JobCx) -> anyhow::Result<u8> {
    cx.stage("Reading rows", None);
    let mut documents = Documents { format, merger: DocumentMerger::default(), out };
    for (line, number) in input.lines().zip(1_u64..) {
        let line = line.with_context(|| format!("standard input, line {number}"))?;
        documents.add(&line, number)?;
        cx.advance(1)?;
    }
    documents.finish()?;
    Ok(FINE)
}
