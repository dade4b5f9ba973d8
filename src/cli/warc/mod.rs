//! `fonds warc`: look into archive files, and make others of them.

mod cat;
mod check;
mod cut;
mod filter;
mod index;
mod ls;
mod recompress;

use super::output::plain;
use crate::warc::Span;
use anyhow::Context;
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Commands for WARC and ARC files.
#[derive(Debug, clap::Subcommand)]
pub enum WarcCommand {
    /// List the records of WARC and ARC files.
    Ls(Box<ls::LsArgs>),
    /// Write one record, or what is inside it.
    Cat(Box<cat::CatArgs>),
    /// Say what is wrong with WARC and ARC files.
    Check(check::CheckArgs),
    /// Write a sorted CDXJ index.
    Index(index::IndexArgs),
    /// Copy files into another packing, records unchanged.
    Recompress(recompress::RecompressArgs),
    /// Copy some records of a file into a file of their own.
    Cut(Box<cut::CutArgs>),
}

pub(super) fn run(command: WarcCommand, out: &mut dyn Write) -> anyhow::Result<u8> {
    match command {
        WarcCommand::Ls(args) => ls::run(&args, out),
        WarcCommand::Cat(args) => cat::run(&args, out),
        WarcCommand::Check(args) => check::run(&args, out),
        WarcCommand::Index(args) => index::run(&args, out),
        WarcCommand::Recompress(args) => recompress::run(&args, out),
        WarcCommand::Cut(args) => cut::run(&args, out),
    }
}

/// Files without those that were named before, compared by `same`; a note is printed of these.
fn each_once<'a, K: Eq + std::hash::Hash>(
    files: impl IntoIterator<Item = &'a PathBuf>,
    same: impl Fn(&Path) -> K,
) -> impl Iterator<Item = &'a PathBuf> {
    let mut named = HashSet::new();
    files.into_iter().filter(move |file| {
        let is_new = named.insert(same(file));
        if !is_new {
            notice!("{}: named twice, read once", plain(&file.display().to_string()));
        }
        is_new
    })
}

/// The place of a file, whatever it is called by.
fn real_place(file: &Path) -> PathBuf {
    file.canonicalize().unwrap_or_else(|_| file.to_path_buf())
}

/// An offset as `ls` prints it, read back; that of a shared member is marked
/// (see [`Span`]).
fn offset_of(text: &str) -> anyhow::Result<u64> {
    let (inside, digits) = match text.strip_prefix('+') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let offset = digits.parse().with_context(|| format!("“{text}” is no offset; fonds warc ls lists them"))?;
    Ok(if inside { Span::inside_member(offset, 0).offset } else { offset })
}

/// A bound for offsets as `ls` prints them, with or without “+”.
fn place_of(text: &str) -> anyhow::Result<u64> {
    offset_of(text).map(|offset| Span { offset, length: 0 }.decoded_offset())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::cdx::CdxForm;
    use super::super::output::written;
    use super::super::{FINE, PROBLEMS, WRONG_USE};
    use super::*;
    use crate::uri::CaptureDate;
    use crate::warc::RecordBuilder;
    use check::CheckArgs;
    use filter::FilterArgs;
    use index::IndexArgs;
    use ls::LsArgs;
    use std::path::{Path, PathBuf};

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
    fn check(command: WarcCommand, status: u8, expected: &[&str]) {
        let out = written(status, |out| run(command, out));
        for text in expected {
            assert!(out.contains(text), "{text} is not in\n{out}");
        }
    }

    #[test]
    fn a_file_is_listed_checked_and_indexed() {
        let folder = tempfile::tempdir().unwrap();
        let right = crate::warc::sha1_base32(b"page");
        let path = file(folder.path(), &right);
        let files = vec![path.clone()];
        let listed = ["warcinfo", "response", "200", "text/html", "http://a.pt/"];
        check(
            WarcCommand::Ls(Box::new(LsArgs { files: files.clone(), json: false, filter: FilterArgs::default() })),
            FINE,
            &listed,
        );
        let object = ["\"url\":\"http://a.pt/\"", "\"shares_member\":false", "\"status\":200"];
        check(
            WarcCommand::Ls(Box::new(LsArgs { files: files.clone(), json: true, filter: FilterArgs::default() })),
            FINE,
            &object,
        );
        let checked =
            |json| WarcCommand::Check(CheckArgs { files: files.clone(), no_digests: false, strict: false, json });
        check(checked(false), FINE, &["2 records", "fine"]);
        check(checked(true), FINE, &["\"problems\":0"]);
        check(
            WarcCommand::Index(IndexArgs { files: files.clone(), format: CdxForm::Cdx11, post_append: false }),
            FINE,
            &[" CDX N b a", "pt,a)/ 20240301090000 http://a.pt/ text/html 200 "],
        );
    }

    #[test]
    fn a_wrong_digest_is_a_problem() {
        let folder = tempfile::tempdir().unwrap();
        let files = vec![file(folder.path(), "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")];
        let args =
            |no_digests| WarcCommand::Check(CheckArgs { files: files.clone(), no_digests, strict: false, json: false });
        check(args(false), PROBLEMS, &["wrong digest", "1 error"]);
        check(args(true), FINE, &["fine"]);
    }

    #[test]
    fn one_bad_file_does_not_hide_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let good = file(folder.path(), "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
        let empty = folder.path().join("empty.warc");
        std::fs::write(&empty, "").unwrap();
        let files = vec![folder.path().join("missing.warc"), empty.clone(), good];
        let args = |files: Vec<PathBuf>| {
            WarcCommand::Check(CheckArgs { files, no_digests: false, strict: false, json: false })
        };
        check(args(files.clone()), WRONG_USE, &["nothing in it", "1 error"]);
        check(args(vec![empty]), PROBLEMS, &["nothing in it"]);
        check(
            WarcCommand::Ls(Box::new(LsArgs { files, json: false, filter: FilterArgs::default() })),
            WRONG_USE,
            &["http://a.pt/"],
        );
    }

    #[test]
    fn offsets_are_read_as_they_are_printed() {
        for span in [Span { offset: 17, length: 1 }, Span::inside_member(17, 1)] {
            assert_eq!(offset_of(&crate::warc::format_offset(span.offset)).unwrap(), span.offset);
        }
        assert!(offset_of("x").is_err());
    }
}
