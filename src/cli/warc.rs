//! `fonds warc`: look into archive files.

use super::cdx::Form;
use super::output::{json_line, plain};
use super::{FINE, PROBLEMS, WRONG_USE};
use crate::jobs::JobCx;
use crate::warc::http::parse_response_head;
use crate::warc::{ArchiveReader, Problem, Span, cdx, check_file, open_record_at};
use anyhow::{Context, bail};
use serde_json::json;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// What to do with archive files.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// List the records of WARC and ARC files.
    Ls(LsArgs),
    /// Write one record, or what is inside it.
    Cat(CatArgs),
    /// Say what is wrong with WARC and ARC files.
    Check(CheckArgs),
    /// Write a sorted CDXJ index.
    Index(IndexArgs),
}

/// Words of `fonds warc ls`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds warc ls crawl.warc.gz\n  \
    fonds warc ls --json *.warc.gz | jq -r 'select(.status == 404) | .url'\n\n\
    Columns: offset, length, type, status, MIME type, date, URL. An offset with “+” counts in the\n\
    decompressed file: its record shares a gzip member with others.\n\
    Exit status 1 says that a file has problems; they are told on standard error.")]
pub struct LsArgs {
    /// Files: WARC or ARC, plain, gzip or zstd, whatever they are called.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// One object a record.
    #[arg(long)]
    json: bool,
}

/// Words of `fonds warc cat`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds warc cat crawl.warc.gz 48211             head and block, as they stand\n  \
    fonds warc cat crawl.warc.gz 48211 --payload   the page, decoded\n\n\
    Offsets are those of fonds warc ls and of CDXJ indexes.")]
pub struct CatArgs {
    /// File.
    file: PathBuf,
    /// Offset of the record, as ls prints it.
    offset: String,
    /// The block alone.
    #[arg(long, conflicts_with = "payload")]
    block: bool,
    /// The payload alone: without HTTP head, transfer and content encodings.
    #[arg(long)]
    payload: bool,
}

/// Words of `fonds warc check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds warc check *.warc.gz\n  fonds warc check --json crawl.warc.gz\n\n\
    Looks at structure, required fields, the gzip layout and every digest.\n\
    Exit status: 0 nothing is wrong, 1 problems were found, 2 a file cannot be read at all.")]
pub struct CheckArgs {
    /// Files.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Leave digests alone; faster.
    #[arg(long)]
    no_digests: bool,
    /// One object a problem and one a file.
    #[arg(long)]
    json: bool,
}

/// Words of `fonds warc index`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds warc index *.warc.gz > index.cdxj\n  \
    fonds warc index --format cdx11 *.warc.gz > index.cdx\n\n\
    The lines of all files are sorted together, as pywb wants them. fonds cdx reads indexes back.")]
pub struct IndexArgs {
    /// Files.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Form to write.
    #[arg(long, value_enum, default_value_t)]
    format: Form,
    /// Keys of POST and PUT requests have the body appended, as cdxj-indexer has with the same option.
    #[arg(long)]
    post_append: bool,
}

pub(super) fn run(command: Command, out: &mut dyn Write) -> anyhow::Result<u8> {
    match command {
        Command::Ls(args) => ls(&args, out),
        Command::Cat(args) => cat(&args, out),
        Command::Check(args) => check(&args, out),
        Command::Index(args) => index(&args, out),
    }
}

/// How much of a block is looked at for its HTTP head.
const HEAD_BYTES: u64 = 64 * 1024;

fn ls(args: &LsArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let mut status = FINE;
    for file in &args.files {
        if args.files.len() > 1 && !args.json {
            writeln!(out, "{}:", plain(&file.display().to_string()))?;
        }
        let mut reader = match ArchiveReader::open(file) {
            Ok(reader) => reader,
            Err(error) => {
                eprintln!("fonds: {}", plain(&error.to_string()));
                status = WRONG_USE;
                continue;
            }
        };
        while let Some(head) = reader.next_head()? {
            let mut begin = Vec::new();
            if head.is_http() {
                reader.by_ref().take(HEAD_BYTES).read_to_end(&mut begin)?;
            }
            let Some(span) = reader.finish_record()? else { continue };
            let http = parse_response_head(&begin);
            let http_status = http.as_ref().map(|http| http.status);
            let mime = http.map(|http| http.content_type().mime).filter(|mime| !mime.is_empty());
            let mime = mime.or_else(|| head.headers.get("Content-Type"));
            let (url, date) = (head.target_uri(), head.headers.get("WARC-Date"));
            if args.json {
                let object = json!({
                    "file": file, "offset": span.decoded_offset(), "length": span.length,
                    "shares_member": span.is_inside_member(), "type": head.record_type.as_str(),
                    "id": head.record_id(), "date": date, "url": url, "status": http_status, "mime": mime,
                    "content_length": head.content_length,
                });
                json_line(out, &object)?;
            } else {
                writeln!(
                    out,
                    "{:>12} {:>10} {:<12} {:<4} {:<24} {:<24} {}",
                    offset_words(span),
                    span.length,
                    plain(head.record_type.as_str()),
                    http_status.map_or("-".to_owned(), |status| status.to_string()),
                    plain(mime.as_deref().unwrap_or("-")),
                    plain(date.as_deref().unwrap_or("-")),
                    plain(url.as_deref().unwrap_or("-")),
                )?;
            }
        }
        for problem in reader.take_problems() {
            status = status.max(PROBLEMS);
            eprintln!("{}: {}", file.display(), plain(&problem.to_string()));
        }
    }
    Ok(status)
}

/// An offset as `ls` prints it.
fn offset_words(span: Span) -> String {
    format!("{}{}", if span.is_inside_member() { "+" } else { "" }, span.decoded_offset())
}

/// An offset as `ls` prints it, read back.
fn offset_of(words: &str) -> anyhow::Result<u64> {
    let (inside, digits) = match words.strip_prefix('+') {
        Some(digits) => (true, digits),
        None => (false, words),
    };
    let offset = digits.parse().with_context(|| format!("“{words}” is no offset; fonds warc ls lists them"))?;
    Ok(if inside { Span::inside_member(offset, 0).offset } else { offset })
}

fn cat(args: &CatArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    /// A payload is decoded in memory; beyond this it is cut, and said so.
    const MAX_PAYLOAD: usize = 1 << 30;
    let offset = offset_of(&args.offset)?;
    let mut reader = open_record_at(&args.file, offset)?;
    let place = || format!("{}, offset {}", args.file.display(), args.offset);
    let Some(head) = reader.next_head()? else { bail!("{}: no record begins here", place()) };
    let mut flaws: Vec<String> = Vec::new();
    if args.payload {
        let mut block = Vec::new();
        reader.by_ref().take(MAX_PAYLOAD as u64).read_to_end(&mut block)?;
        match parse_response_head(&block).filter(|_| head.is_http()) {
            Some(http) => {
                let payload = crate::warc::http::decode_payload(&http, &block[http.head_len..], MAX_PAYLOAD);
                out.write_all(&payload.bytes)?;
                flaws.extend(http.flaws.into_iter().chain(payload.flaws).map(|flaw| flaw.detail));
            }
            None => out.write_all(&block)?,
        }
    } else {
        if !args.block {
            writeln!(out, "{}\r", head.version)?;
            for (name, value) in head.headers.iter() {
                out.write_all(name.as_bytes())?;
                out.write_all(b": ")?;
                out.write_all(value)?;
                out.write_all(b"\r\n")?;
            }
            out.write_all(b"\r\n")?;
        }
        std::io::copy(&mut reader, out)?;
    }
    let whole = reader.finish_record()?.is_some();
    // Problems behind this record are not asked for.
    let problems = reader.take_problems();
    flaws.extend(problems.iter().filter(|_| !whole).map(|problem| problem.to_string()));
    for flaw in &flaws {
        eprintln!("{}: {}", place(), plain(flaw));
    }
    Ok(if flaws.is_empty() { FINE } else { PROBLEMS })
}

fn check(args: &CheckArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let mut status = FINE;
    for file in &args.files {
        let name = plain(&file.display().to_string());
        let report = match check_file(file, !args.no_digests, &JobCx::detached()) {
            Ok(report) => report,
            Err(error) => {
                eprintln!("fonds: {}", plain(&error.to_string()));
                status = WRONG_USE;
                continue;
            }
        };
        for problem in &report.problems {
            status = status.max(PROBLEMS);
            tell(problem, file, args.json, out)?;
        }
        let problems = report.problems.len();
        if report.total() == 0 {
            status = status.max(PROBLEMS);
        }
        if args.json {
            json_line(
                out,
                &json!({
                    "file": file, "records": report.total(), "types": report.records,
                    "digests_checked": report.digests_checked, "problems": problems,
                }),
            )?;
        } else {
            let verdict = match problems {
                0 if report.total() == 0 => "nothing in it".to_owned(),
                0 => "fine".to_owned(),
                1 => "1 problem".to_owned(),
                count => format!("{count} problems"),
            };
            let (records, digests) = (report.total(), report.digests_checked);
            writeln!(out, "{name}: {records} records, digests of {digests} checked, {verdict}")?;
        }
    }
    Ok(status)
}

fn tell(problem: &Problem, file: &Path, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    if json {
        let Problem { offset, kind, detail } = problem;
        json_line(out, &json!({"file": file, "offset": offset, "kind": kind.words(), "detail": detail}))
    } else {
        writeln!(out, "{}: {}", plain(&file.display().to_string()), plain(&problem.to_string()))?;
        Ok(())
    }
}

fn index(args: &IndexArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let mut lines = Vec::new();
    let mut status = FINE;
    let options = cdx::IndexOptions { post_append: args.post_append };
    for file in &args.files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let (of_file, problems) = cdx::index_file(file, &name, options, &JobCx::detached())?;
        lines.extend(of_file);
        for problem in problems {
            status = PROBLEMS;
            eprintln!("{}: {}", file.display(), plain(&problem.to_string()));
        }
    }
    cdx::write_sorted(&lines, args.format.form(), out)?;
    Ok(status)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::uri::CaptureDate;
    use crate::warc::RecordBuilder;

    const PAGE: &[u8] =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npage\r\n0\r\n\r\n";

    fn file(folder: &Path, digest: &str) -> PathBuf {
        let path = folder.join("a.warc.gz");
        let date = CaptureDate::from_millis(1_709_283_600_000);
        let info = RecordBuilder::warcinfo("urn:test:0", date, "a.warc.gz").compress(b"software: test\r\n");
        let page = RecordBuilder::response("urn:test:1", date, "http://a.pt/")
            .field("WARC-Payload-Digest", digest)
            .compress(PAGE);
        std::fs::write(&path, [info, page].concat()).unwrap();
        path
    }

    #[track_caller]
    fn check(command: Command, status: u8, expected: &[&str]) {
        let mut out = Vec::new();
        assert_eq!(run(command, &mut out).unwrap(), status);
        let out = String::from_utf8(out).unwrap();
        for words in expected {
            assert!(out.contains(words), "{words} is not in\n{out}");
        }
    }

    #[test]
    fn a_file_is_listed_shown_checked_and_indexed() {
        let folder = tempfile::tempdir().unwrap();
        let right = crate::warc::sha1_base32(b"page");
        let path = file(folder.path(), &right);
        let files = vec![path.clone()];
        let listed = ["warcinfo", "response", "200", "text/html", "http://a.pt/"];
        check(Command::Ls(LsArgs { files: files.clone(), json: false }), FINE, &listed);
        let object = ["\"url\":\"http://a.pt/\"", "\"shares_member\":false", "\"status\":200"];
        check(Command::Ls(LsArgs { files: files.clone(), json: true }), FINE, &object);
        let mut lines = ArchiveReader::open(&path).unwrap().records(0);
        let offset = lines.nth(1).unwrap().unwrap().span.offset.to_string();
        let cat = |block, payload| Command::Cat(CatArgs { file: path.clone(), offset: offset.clone(), block, payload });
        check(cat(false, false), FINE, &["WARC/1.1\r\n", "4\r\npage"]);
        check(cat(true, false), FINE, &["HTTP/1.1 200 OK\r\n"]);
        check(cat(false, true), FINE, &["page"]);
        let checked = |json| Command::Check(CheckArgs { files: files.clone(), no_digests: false, json });
        check(checked(false), FINE, &["2 records", "fine"]);
        check(checked(true), FINE, &["\"problems\":0"]);
        check(
            Command::Index(IndexArgs { files: files.clone(), format: Form::Cdx11, post_append: false }),
            FINE,
            &[" CDX N b a", "pt,a)/ 20240301090000 http://a.pt/ text/html 200 "],
        );
    }

    #[test]
    fn a_wrong_digest_is_a_problem() {
        let folder = tempfile::tempdir().unwrap();
        let files = vec![file(folder.path(), "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")];
        let args = |no_digests| Command::Check(CheckArgs { files: files.clone(), no_digests, json: false });
        check(args(false), PROBLEMS, &["wrong digest", "1 problem"]);
        check(args(true), FINE, &["fine"]);
    }

    #[test]
    fn one_bad_file_does_not_hide_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let good = file(folder.path(), "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
        let empty = folder.path().join("empty.warc");
        std::fs::write(&empty, "").unwrap();
        let files = vec![folder.path().join("missing.warc"), empty.clone(), good];
        let args = |files: Vec<PathBuf>| Command::Check(CheckArgs { files, no_digests: false, json: false });
        check(args(files.clone()), WRONG_USE, &["nothing in it", "1 problem"]);
        check(args(vec![empty]), PROBLEMS, &["nothing in it"]);
        check(Command::Ls(LsArgs { files, json: false }), WRONG_USE, &["http://a.pt/"]);
    }

    #[test]
    fn offsets_are_read_as_they_are_printed() {
        for span in [Span { offset: 17, length: 1 }, Span::inside_member(17, 1)] {
            assert_eq!(offset_of(&offset_words(span)).unwrap(), span.offset);
        }
        assert!(offset_of("x").is_err());
    }
}
