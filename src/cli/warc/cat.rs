//! `fonds warc cat`

use super::super::output::{json_line, plain};
use super::super::{FINE, PROBLEMS};
use super::{each_once, offset_of, real_place};
use crate::captures::{FoundOriginal, find_original};
use crate::jobs::JobCx;
use crate::uri::CaptureDate;
use crate::warc::http::{Form, decode_body, decode_payload, parse_request_head};
use crate::warc::{
    ArchiveReader, ProblemKind, RecordFacts, RecordHead, RecordType, SegmentSeries, copy_span, enter_record_at,
    enter_record_in, find_segments, format_offset, same_url,
};
use anyhow::{Context, bail};
use serde_json::json;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Bytes of a decoded payload, which is in memory; beyond them it is cut and a note printed.
const MAX_PAYLOAD: usize = 1 << 30;

/// Arguments of `fonds warc cat`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Examples:\n  fonds warc cat crawl.warc.gz 48211             head and block, as they stand\n  \
    fonds warc cat crawl.warc.gz 48211 --payload   the page, decoded\n  \
    fonds warc cat crawl.warc.gz --url https://www.fct.pt/ --date 2024-03 --payload\n  \
    fonds warc cat new.warc.gz 771 --payload --also old.warc.gz\n\n\
    Offsets are those of fonds warc ls and of CDXJ indexes. With --url, the latest capture is meant, or the\n\
    one nearest to --date. The payload of a revisit is that of its original, searched in the file and in\n\
    those of --also by the rule that fonds inlinks dataset --help names; standard error says where it was found. On a terminal, control characters are not sent.\n\
    Exit status: 0 fine, 1 something is damaged or malformed, 2 there is no such record.")]
#[group(skip)]
pub struct CatArgs {
    /// File.
    pub(super) file: PathBuf,
    /// Offset of the record, as ls prints it.
    #[arg(required_unless_present_any = ["url", "record_id"])]
    pub(super) offset: Option<String>,
    /// The capture of this URL.
    #[arg(long, conflicts_with_all = ["offset", "record_id"])]
    pub(super) url: Option<String>,
    /// The capture nearest to this instant, in place of the latest.
    #[arg(long, requires = "url")]
    pub(super) date: Option<String>,
    /// The record with this id.
    #[arg(long, conflicts_with = "offset")]
    pub(super) record_id: Option<String>,
    /// Further files to look into, for originals of revisits and segments.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(super) also: Vec<PathBuf>,
    /// All segments of a record that was cut into several, in place of the one.
    #[arg(long, conflicts_with_all = ["raw", "head"])]
    pub(super) joined: bool,
    #[command(flatten)]
    pub(super) part: PartArgs,
}

/// Options for one part of the record; without one, the record is written whole.
#[derive(Debug, Clone, Default, clap::Args)]
#[group(multiple = false)]
pub struct PartArgs {
    /// The head of the record alone.
    #[arg(long)]
    pub(super) head: bool,
    /// The HTTP head alone.
    #[arg(long)]
    pub(super) http_head: bool,
    /// The block alone.
    #[arg(long)]
    pub(super) block: bool,
    /// The payload alone: without HTTP head, transfer and content encodings.
    #[arg(long)]
    pub(super) payload: bool,
    /// The fields that a request sent in its body, one object a line.
    #[arg(long)]
    pub(super) form: bool,
    /// The bytes as they stand in the file, compressed where it is.
    #[arg(long)]
    pub(super) raw: bool,
}

pub(super) fn run(args: &CatArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let (file, offset) = place(args)?;
    let place = format!("{}, offset {}", plain(&file.display().to_string()), format_offset(offset));
    let mut found = OutputRecord { args, file: &file, place: &place, flaws: Vec::new() };
    let (head, mut reader) = enter_record_at(&file, offset)?;
    if args.part.raw {
        found.raw(&mut reader, out)?;
    } else if args.part.form {
        found.form(&head, &mut reader, out)?;
    } else if args.part.payload {
        found.payload(&head, &mut reader, out)?;
    } else {
        found.parts(&head, &mut reader, out)?;
    }
    for flaw in &found.flaws {
        warn_of!("flaws of a record", "{place}: {}", plain(flaw));
    }
    Ok(if found.flaws.is_empty() { FINE } else { PROBLEMS })
}

/// The file and offset of the record that the arguments mean.
fn place(args: &CatArgs) -> anyhow::Result<(PathBuf, u64)> {
    if let Some(offset) = &args.offset {
        return Ok((args.file.clone(), offset_of(offset)?));
    }
    let passes =
        files(args).iter().any(|file| std::fs::metadata(file).is_ok_and(|meta| !meta.is_file() && !meta.is_dir()));
    anyhow::ensure!(
        !passes,
        "a pipe is read once, and looking for a record takes two readings: give its offset, or save it as a file"
    );
    let target = args.date.as_deref().map(CaptureDate::parse).transpose()?;
    let id = args.record_id.as_deref().map(|id| id.trim().trim_matches(['<', '>']).to_owned());
    let mut best: Option<(i64, PathBuf, u64)> = None;
    for file in files(args) {
        let mut reader = ArchiveReader::open(&file)?;
        while let Some(head) = reader.next_head()? {
            let Some(rank) = rank(&head, id.as_deref(), args.url.as_deref(), target) else { continue };
            let Some(span) = reader.finish_record()? else { continue };
            if best.as_ref().is_none_or(|(other, ..)| rank < *other) {
                best = Some((rank, file.clone(), span.offset));
            }
            if id.is_some() {
                break;
            }
        }
    }
    let what = id.or_else(|| args.url.clone()).unwrap_or_default();
    let (_, file, offset) = best.with_context(|| {
        format!(
            "{}: no whole record is about “{}”; fonds warc ls lists what is there",
            args.file.display(),
            plain(&what)
        )
    })?;
    Ok((file, offset))
}

/// Rank of a record, the least is the best: milliseconds to the date, else the newest; none where it does not match.
fn rank(head: &RecordHead, id: Option<&str>, url: Option<&str>, target: Option<CaptureDate>) -> Option<i64> {
    if let Some(id) = id {
        return (head.record_id().as_deref() == Some(id)).then_some(0);
    }
    if !head.record_type.is_capture() || !same_url(url?, &head.target_uri()?) {
        return None;
    }
    let millis = head.date().map_or(i64::MIN / 2, CaptureDate::millis);
    Some(target.map_or(-millis, |target| (target.millis() - millis).abs()))
}

fn files(args: &CatArgs) -> Vec<PathBuf> {
    each_once([&args.file].into_iter().chain(&args.also), real_place).cloned().collect()
}

/// The record that was found, and what is wrong with it.
struct OutputRecord<'a> {
    args: &'a CatArgs,
    file: &'a Path,
    place: &'a str,
    flaws: Vec<String>,
}

type Reader = ArchiveReader<std::fs::File>;

impl OutputRecord<'_> {
    fn raw(&mut self, reader: &mut Reader, out: &mut dyn Write) -> anyhow::Result<()> {
        let span = reader.finish_record()?;
        let Some(span) = span else {
            self.flaws.extend(reader.take_problems().iter().map(ToString::to_string));
            return Ok(());
        };
        if span.is_inside_member() {
            bail!("{}: the record shares its compressed member with others and has no bytes of its own", self.place);
        }
        copy_span(self.file, span, out)?;
        Ok(())
    }

    /// Head, HTTP head or block, as they stand.
    fn parts(&mut self, head: &RecordHead, reader: &mut Reader, out: &mut dyn Write) -> anyhow::Result<()> {
        let part = &self.args.part;
        if !part.block && !part.http_head {
            out.write_all(reader.head_bytes())?;
        }
        if part.head {
            return Ok(());
        }
        if part.http_head {
            let mut begin = Vec::new();
            reader.by_ref().take(1 << 20).read_to_end(&mut begin)?;
            let response = head.http_response(&begin);
            let len = response.map(|http| http.head_len).or_else(|| Some(parse_request_head(&begin)?.head_len));
            match len.filter(|_| head.is_http()) {
                Some(len) => out.write_all(&begin[..len])?,
                None => self.flaws.push("there is no HTTP head in this record".to_owned()),
            }
            return Ok(());
        }
        match self.series(head)? {
            Some(series) => std::io::copy(&mut series.joined(&JobCx::detached())?, out)?,
            None => std::io::copy(reader, out)?,
        };
        self.end(reader)
    }

    fn payload(&mut self, head: &RecordHead, reader: &mut Reader, out: &mut dyn Write) -> anyhow::Result<()> {
        if head.record_type == RecordType::Revisit {
            let mut begin = Vec::new();
            reader.by_ref().take(1 << 20).read_to_end(&mut begin)?;
            let http = head.http_response(&begin);
            let found = find_original(head, http.as_ref(), &files(self.args), &JobCx::detached())?;
            let Some(original) = found else {
                let why = "the original of this revisit is not in the files given; name more with --also";
                self.flaws.push(why.to_owned());
                return Ok(());
            };
            let (head, mut reader) = enter_record_at(&original.file, original.offset)?;
            notice!("{}: {}", self.place, plain(&source_of(&original, &RecordFacts::of(&head, &[]))));
            let block = block_of(&mut reader)?;
            self.decoded(&head, &block, out)?;
            return self.end(&mut reader);
        }
        if head.content_length > MAX_PAYLOAD as u64 {
            self.flaws.push(format!(
                "the block is declared with {} bytes: its payload is cut at {MAX_PAYLOAD}",
                head.content_length
            ));
        }
        match self.series(head)? {
            Some(series) => {
                // Only the first segment has the type of the block.
                let first = series.segments().next().filter(|first| first.number == 1);
                let first = first.map(|first| enter_record_in(&first.file, first.span)).transpose()?;
                self.decoded(
                    first.as_ref().map_or(head, |(first, _)| first),
                    &block_of(&mut series.joined(&JobCx::detached())?)?,
                    out,
                )?;
            }
            None => self.decoded(head, &block_of(reader)?, out)?,
        }
        self.end(reader)
    }

    /// The fields of a request's body.
    fn form(&mut self, head: &RecordHead, reader: &mut Reader, out: &mut dyn Write) -> anyhow::Result<()> {
        let block = block_of(reader)?;
        let Some(http) = parse_request_head(&block).filter(|_| head.is_http()) else {
            bail!("{}: no HTTP request is in this record", self.place);
        };
        let form = Form::read(&http, &block[http.head_len..]);
        for (name, value) in &form.fields {
            json_line(out, &json!({"name": name, "value": value}))?;
        }
        self.flaws.extend(http.flaws.into_iter().chain(form.flaws).map(|flaw| flaw.detail));
        self.end(reader)
    }

    fn decoded(&mut self, head: &RecordHead, block: &[u8], out: &mut dyn Write) -> anyhow::Result<()> {
        let response = head.http_response(block);
        let request = parse_request_head(block).filter(|_| head.is_http());
        let (flaws, payload) = match (response, request) {
            (Some(http), _) => (http.flaws.clone(), decode_payload(&http, &block[http.head_len..], MAX_PAYLOAD)),
            (None, Some(http)) => {
                let payload = decode_body(&http.headers, &block[http.head_len..], MAX_PAYLOAD);
                (http.flaws, payload)
            }
            (None, None) => return Ok(out.write_all(block)?),
        };
        self.flaws.extend(flaws.into_iter().chain(payload.flaws).map(|flaw| flaw.detail));
        Ok(out.write_all(&payload.bytes)?)
    }

    /// The segments of the record, where it has several and the options need them.
    fn series(&mut self, head: &RecordHead) -> anyhow::Result<Option<SegmentSeries>> {
        let facts = RecordFacts::of(head, &[]);
        let Some(number) = facts.segment else {
            if self.args.joined {
                self.flaws.push("the record has no segments".to_owned());
            }
            return Ok(None);
        };
        if !self.args.joined {
            notice!("{}: segment {number} of a record; --joined writes all of it", self.place);
            return Ok(None);
        }
        let Some(origin) = facts.segment_origin.or(facts.record_id) else { return Ok(None) };
        let series = find_segments(&origin, &files(self.args), &JobCx::detached())?;
        self.flaws.extend(series.flaws().into_iter().map(|(_, flaw)| flaw));
        Ok(Some(series))
    }

    /// Ends the record; later problems of the file are left out.
    fn end(&mut self, reader: &mut Reader) -> anyhow::Result<()> {
        let whole = reader.finish_record()?.is_some();
        let problems = reader.take_problems();
        // A block that ends early is shown as far as it goes.
        let is_relevant = |problem: &&crate::warc::Problem| !whole || problem.kind == ProblemKind::Truncated;
        self.flaws.extend(problems.iter().filter(is_relevant).map(ToString::to_string));
        Ok(())
    }
}

fn block_of(block: &mut impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    block.take(MAX_PAYLOAD as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The origin of a payload, for a person.
fn source_of(original: &FoundOriginal, facts: &RecordFacts) -> String {
    let FoundOriginal { file, offset, found_by } = original;
    let date = facts.date_text.as_deref().unwrap_or("an unknown date");
    let url = facts.url.as_deref().unwrap_or("an unknown URL");
    let offset = format_offset(*offset);
    format!("the payload is that of {}, offset {offset} ({url}, {date}), found by {}", file.display(), found_by.label())
}

#[cfg(test)]
mod tests;
