//! `fonds text` and `fonds language`: pages and lines in, text and languages out.

use crate::captures::Body;
use crate::captures::limits::MAX_PAGE_BYTES;
use crate::cli::output::{json_line, json_text};
use crate::cli::surt::each_line;
use crate::cli::{FINE, PROBLEMS, WRONG_USE};
use crate::text::{PageText, Published, language_of};
use crate::uri::Url;
use crate::warc::Headers;
use anyhow::Context;
use serde::Serialize;
use serde_json::json;
use std::io::{BufRead, Read, Write};
use std::path::{Path, PathBuf};

/// Print the main text of pages, without menus, advertising and comments.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fonds text page.html\n  curl -s https://www.ria.pt/ | fonds text - --json | jq -r .language\n  \
    fonds text --all report.pdf\n\n\
    Reads HTML, XHTML, PDF files, plain text, JSON and XML. With --json, one object a file: file, title, description,\n\
    published (a day) with evidence (what says so: meta, json-ld, time, url or line), language (ISO 639-1), main, rest.\n\
    What is not known is null. Which lines are main text is decided by length, links and the names of elements around\n\
    them: a page of links and short lines alone has hardly any. Scanned and encrypted PDF files have no text.\n\n\
    Exit status 1 says that some of the files could not be read."
)]
pub struct TextArgs {
    /// Files; - is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Boilerplate, too, behind the main text.
    #[arg(long, conflicts_with = "json")]
    all: bool,
    /// One object a file.
    #[arg(long)]
    json: bool,
    /// Media type of the files; without it, names and first bytes tell.
    #[arg(long = "type", value_name = "TYPE")]
    media_type: Option<String>,
    /// Address of the files, which may hold a date.
    #[arg(long, value_name = "URL", default_value = "http://localhost/")]
    url: Url,
}

/// Tell the language of each line on standard input.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Writes the language (ISO 639-1), a tab and the line; `-` where the language is unknown, as of lines with fewer\n\
    than 40 letters.\n\n\
    Example:\n  \
    echo 'Todos os seres humanos nascem livres e iguais em dignidade' | fonds language | cut -f1\n  \
    pt"
)]
pub struct LanguageArgs {
    /// Write one JSON object a line, with language and text.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct TextObject<'a> {
    file: String,
    title: Option<&'a str>,
    description: Option<&'a str>,
    published: Option<String>,
    evidence: Option<&'static str>,
    language: Option<&'a str>,
    main: &'a str,
    rest: &'a str,
}

/// Writes the text of each file.
pub fn text(args: &TextArgs, input: &mut dyn Read, out: &mut dyn Write) -> anyhow::Result<u8> {
    let (mut unread, mut empty) = (0, 0);
    for path in &args.files {
        let text = match read(path, args, input) {
            Ok((text, bytes)) => {
                if bytes == 0 {
                    notice!("fonds: {}: there is nothing in it", path.display());
                    empty += 1;
                }
                text
            }
            Err(error) => {
                notice!("fonds: {}", crate::work::error_chain(&error));
                unread += 1;
                continue;
            }
        };
        if args.json {
            json_line(
                out,
                &TextObject {
                    file: path.display().to_string(),
                    title: text.title.as_deref(),
                    description: text.description.as_deref(),
                    published: text.published.map(day),
                    evidence: text.published.map(|published| published.evidence.as_str()),
                    language: text.language.as_deref(),
                    main: &text.main,
                    rest: &text.rest,
                },
            )?;
        } else {
            writeln!(out, "{}", if args.all { text.all() } else { text.main })?;
        }
    }
    out.flush()?;
    Ok(match unread {
        0 if empty == 0 => FINE,
        0 => PROBLEMS,
        all if all == args.files.len() => WRONG_USE,
        _ => PROBLEMS,
    })
}

/// `2024-05-01`
fn day(published: Published) -> String {
    published.date.to_warc().chars().take(10).collect()
}

/// The text of a file, and how many bytes the file has.
fn read(path: &Path, args: &TextArgs, input: &mut dyn Read) -> anyhow::Result<(PageText, usize)> {
    let mut bytes = Vec::new();
    let limit = MAX_PAGE_BYTES as u64;
    match path.as_os_str() == "-" {
        true => input.take(limit).read_to_end(&mut bytes).context("standard input cannot be read")?,
        false => std::fs::File::open(path)
            .and_then(|file| file.take(limit).read_to_end(&mut bytes))
            .with_context(|| format!("{} cannot be read", path.display()))?,
    };
    let len = bytes.len();
    let mut headers = Headers::new();
    headers.push("Content-Type", args.media_type.as_deref().unwrap_or_else(|| media_type(path, &bytes)));
    let text = Body::new(200, &headers, bytes.into()).text(&args.url, MAX_PAGE_BYTES);
    let text = text.with_context(|| {
        format!("{}: no text can be read: it is encrypted, or no page, PDF file or text", path.display())
    })?;
    Ok((text, len))
}

/// The type of a file by its first bytes and its name: HTML where neither shows another.
fn media_type(path: &Path, bytes: &[u8]) -> &'static str {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    match extension.as_deref() {
        _ if bytes.starts_with(b"%PDF-") => "application/pdf",
        Some("xhtml") => "application/xhtml+xml",
        Some("txt" | "md" | "csv" | "tsv") => "text/plain",
        Some("json" | "jsonl") => "application/json",
        Some("xml" | "rss" | "atom") => "text/xml",
        _ => "text/html",
    }
}

/// Writes a language for every line.
pub fn language(args: &LanguageArgs, input: &mut dyn BufRead, out: &mut dyn Write) -> anyhow::Result<u8> {
    each_line(input, |line| {
        let language = language_of(line);
        match args.json {
            true => writeln!(out, "{}", json_text(&json!({"language": language, "text": line}))?),
            false => writeln!(out, "{}\t{line}", language.unwrap_or("-")),
        }
    })?;
    out.flush()?;
    Ok(FINE)
}
