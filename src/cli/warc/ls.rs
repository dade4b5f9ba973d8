//! `fonds warc ls`

use super::super::output::{json_line, plain};
use super::super::{FINE, PROBLEMS, WRONG_USE};
use super::filter::FilterArgs;
use crate::warc::{ArchiveReader, RecordFacts, RecordFilter, Span, format_offset};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Arguments of `fonds warc ls`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds warc ls crawl.warc.gz\n  \
    fonds warc ls --type response --status 4xx,5xx *.warc.gz\n  \
    fonds warc ls --json *.warc.gz | jq -r 'select(.truncated) | .url'\n\n\
    Columns: offset, length, type, status, MIME type, date, URL. An offset with “+” counts in the\n\
    decompressed file: its record shares a gzip member with others. A request shows its method in\n\
    place of the status. With --json, fields that a record does not have are left out.\n\
    Exit status 1 says that a file has problems; they are listed on standard error.")]
pub struct LsArgs {
    /// Files: WARC or ARC, plain, gzip or zstd, whatever they are called.
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,
    /// One object a record.
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) filter: FilterArgs,
}

pub(super) fn run(args: &LsArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let filter = args.filter.filter()?;
    let mut status = FINE;
    for file in &args.files {
        if args.files.len() > 1 && !args.json {
            writeln!(out, "{}:", plain(&file.display().to_string()))?;
        }
        status = status.max(list(file, &filter, args.json, out)?);
    }
    Ok(status)
}

/// Lists one file; an error of reading is printed and does not hide the others.
fn list(file: &Path, filter: &RecordFilter, json: bool, out: &mut dyn Write) -> anyhow::Result<u8> {
    let failed = |error: &dyn std::error::Error| {
        notice!("fonds: {}", plain(&error.to_string()));
        Ok(WRONG_USE)
    };
    let mut reader = match ArchiveReader::open(file) {
        Ok(reader) => reader,
        Err(error) => return failed(&error),
    };
    loop {
        let head = match reader.next_head() {
            Ok(Some(head)) => head,
            Ok(None) => break,
            Err(error) => return failed(&error),
        };
        let facts = RecordFacts::read(&head, &mut reader, true)?;
        let Some(span) = reader.finish_record()? else { continue };
        if !filter.accepts(&facts, span) {
            continue;
        }
        if json {
            json_line(out, &object(file, &facts, span))?;
        } else {
            let status = facts.status.map(|status| status.to_string()).or_else(|| facts.method.clone());
            writeln!(
                out,
                "{:>12} {:>10} {:<12} {:<4} {:<24} {:<24} {}",
                format_offset(span.offset),
                span.length,
                plain(facts.record_type.as_str()),
                plain(status.as_deref().unwrap_or("-")),
                plain(facts.mime.as_deref().unwrap_or("-")),
                plain(facts.date_text.as_deref().unwrap_or("-")),
                plain(facts.url.as_deref().unwrap_or("-")),
            )?;
        }
    }
    let problems = reader.take_problems();
    for problem in &problems {
        warn_of!(problem.kind.label(), "{}: {}", plain(&file.display().to_string()), plain(&problem.to_string()));
    }
    Ok(if problems.is_empty() { FINE } else { PROBLEMS })
}

/// Everything that is known of a record; what it does not have is left out.
fn object(file: &Path, facts: &RecordFacts, span: Span) -> Value {
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| {
        let absent = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        if !absent {
            object.insert(name.to_owned(), value);
        }
    };
    put("file", json!(file));
    put("offset", json!(span.decoded_offset()));
    put("length", json!(span.length));
    put("shares_member", json!(span.is_inside_member()));
    put("version", json!(facts.version));
    put("type", json!(facts.record_type.as_str()));
    put("id", json!(facts.record_id));
    put("date", json!(facts.date_text));
    put("url", json!(facts.url));
    put("status", json!(facts.status));
    put("method", json!(facts.method));
    put("mime", json!(facts.mime));
    put("ip", json!(facts.ip));
    put("content_length", json!(facts.content_length));
    put("block_digest", json!(facts.block_digest));
    put("payload_digest", json!(facts.payload_digest));
    put("warcinfo_id", json!(facts.warcinfo_id));
    put("concurrent_to", json!(facts.concurrent_to));
    put("profile", json!(facts.profile));
    put("refers_to", json!(facts.refers_to));
    put("refers_to_url", json!(facts.refers_to_url));
    put("refers_to_date", json!(facts.refers_to_date));
    put("truncated", json!(facts.truncated));
    put("segment", json!(facts.segment));
    put("segment_origin", json!(facts.segment_origin));
    Value::Object(object)
}
