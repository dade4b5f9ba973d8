//! `fonds cdx`: look into index files.

use super::output::{json_line, plain, report_if_empty, with_progress};
use super::{FINE, PROBLEMS};
use crate::jobs::counted;
use crate::warc::Span;
use crate::warc::cdx::{IndexForm, IndexLine, IndexReader, IndexSorter, LineCheck};
use crate::warc::open_archive_file;
use anyhow::Context;
use serde_json::json;
use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Commands for index files (CDX, CDXJ).
#[derive(Debug, clap::Subcommand)]
pub enum CdxCommand {
    /// List the lines of index files.
    Ls(CdxLsArgs),
    /// Write index files in another form, sorted together.
    Convert(CdxConvertArgs),
    /// Say whether an index leads to the records that it tells of.
    Check(CdxCheckArgs),
}

/// A form of index files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum CdxForm {
    /// CDXJ, as pywb and cdxj-indexer have it.
    #[default]
    Cdxj,
    /// CDXJ with the fields that OutbackCDX takes.
    Outbackcdx,
    /// Classic CDX, 9 columns.
    Cdx9,
    /// Classic CDX, 11 columns.
    Cdx11,
}

impl CdxForm {
    pub(super) fn form(self) -> IndexForm {
        match self {
            Self::Cdxj => IndexForm::Cdxj,
            Self::Outbackcdx => IndexForm::OutbackCdx,
            Self::Cdx9 => IndexForm::Cdx9,
            Self::Cdx11 => IndexForm::Cdx11,
        }
    }
}

/// Arguments of `fonds cdx ls`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds cdx ls index.cdx\n  \
    fonds cdx ls --json index.cdxj.gz | jq -r 'select(.status == 404) | .url'\n\n\
    Reads CDXJ and classic CDX with any columns, plain or gzip.\n\
    Columns: date, status, MIME type, URL, file and offset.\n\
    Exit status 1 says that lines could not be read; they are listed on standard error.")]
pub struct CdxLsArgs {
    /// Index files.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// One object a line.
    #[arg(long)]
    json: bool,
}

/// Arguments of `fonds cdx convert`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  fonds cdx convert old.cdx --format cdxj > index.cdxj\n\n\
    Exit status 1 says that lines could not be read; they are listed on standard error.")]
pub struct CdxConvertArgs {
    /// Index files; their lines are sorted together.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Form to write.
    #[arg(long, value_enum, default_value_t)]
    format: CdxForm,
}

/// Arguments of `fonds cdx check`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fonds cdx check index.cdxj crawl.warc.gz\n  fonds cdx check index.cdx archive/\n\n\
    Every line has to lead to a record of its URL, date and length, in the order that replay tools search in.\n\
    Exit status: 0 nothing is wrong, 1 problems were found, 2 a file cannot be read at all."
)]
pub struct CdxCheckArgs {
    /// Index file.
    index: PathBuf,
    /// Archive files, or folders that hold them, found by the names in the index.
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    /// One object a problem and one at the end.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(command: CdxCommand, out: &mut dyn Write) -> anyhow::Result<u8> {
    match command {
        CdxCommand::Ls(args) => ls(&args, out),
        CdxCommand::Convert(args) => convert(&args, out),
        CdxCommand::Check(args) => check(&args, out),
    }
}

fn open(path: &Path) -> anyhow::Result<IndexReader<'static>> {
    IndexReader::open(path).with_context(|| path.display().to_string())
}

/// Gives every good line to `each`; prints the problems of the others.
fn for_each(files: &[PathBuf], mut each: impl FnMut(IndexLine) -> anyhow::Result<()>) -> anyhow::Result<u8> {
    let mut status = FINE;
    for file in files {
        let lines = open(file)?;
        if report_if_empty(file) {
            status = PROBLEMS;
        }
        for line in lines {
            match line {
                Ok(line) => each(line)?,
                Err(problem) => {
                    status = PROBLEMS;
                    warn_of!("lines left out", "{}", plain(&problem.to_string()));
                }
            }
        }
    }
    Ok(status)
}

fn ls(args: &CdxLsArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    for_each(&args.files, |line| {
        let Span { offset, length } = line.span;
        if args.json {
            let object = json!({
                "key": line.key.as_str(), "date": line.date.to_warc(), "url": line.url, "mime": line.mime,
                "status": line.status, "digest": line.digest, "length": (length > 0).then_some(length),
                "offset": offset, "filename": line.filename, "more": line.more,
            });
            return json_line(out, &object);
        }
        let status = line.status.map_or("-".to_owned(), |status| status.to_string());
        writeln!(
            out,
            "{} {status:<4} {:<24} {} {} {offset}",
            line.date.to_digits14(),
            plain(line.mime.as_deref().unwrap_or("-")),
            plain(&line.url),
            plain(&line.filename),
        )?;
        Ok(())
    })
}

fn convert(args: &CdxConvertArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let mut sorter = IndexSorter::new(args.format.form());
    let status = for_each(&args.files, |line| Ok(sorter.push(&line)?))?;
    sorter.write(out)?;
    Ok(status)
}

/// Archive files by the names that an index may call them.
struct Archives {
    folders: Vec<PathBuf>,
    files: HashMap<String, PathBuf>,
}

impl Archives {
    fn of(paths: &[PathBuf]) -> anyhow::Result<Self> {
        let mut archives = Self { folders: Vec::new(), files: HashMap::new() };
        for path in paths {
            let kind = std::fs::metadata(path).with_context(|| path.display().to_string())?;
            if kind.is_dir() {
                archives.folders.push(path.clone());
            } else if let Some(name) = path.file_name() {
                archives.files.insert(name.to_string_lossy().into_owned(), path.clone());
            }
        }
        Ok(archives)
    }

    /// The file, or the one of its last part: indexes of others have paths of their own.
    fn find(&self, name: &str) -> Option<File> {
        let last = name.rsplit('/').next().unwrap_or(name);
        let safe = |name: &&str| crate::warc::wacz::stays_inside(name);
        let named = [name, last].into_iter().filter(safe);
        let mut places = named.flat_map(|name| self.folders.iter().map(move |folder| folder.join(name)));
        let path = self.files.get(last).cloned().or_else(|| places.find(|path| path.is_file()))?;
        open_archive_file(&path).ok()
    }
}

fn check(args: &CdxCheckArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let archives = Archives::of(&args.archives)?;
    let mut reader = open(&args.index)?;
    let (mut lines, mut problems) = (0_u64, 0_u64);
    let mut check = LineCheck::default();
    let mut report = |number: u64, what: &str| -> anyhow::Result<()> {
        problems += 1;
        if args.json {
            return json_line(out, &json!({"index": args.index, "line": number, "problem": what}));
        }
        writeln!(out, "{}, line {number}: {}", plain(&args.index.display().to_string()), plain(what))?;
        Ok(())
    };
    with_progress(|cx| {
        cx.stage("Looking records up", None);
        while let Some(line) = reader.next() {
            lines += 1;
            match line {
                Err(problem) => report(problem.line, &problem.why)?,
                Ok(line) => {
                    let wrong = check.check_line(&line, archives.find(&line.filename));
                    for what in wrong.with_context(|| line.filename.clone())? {
                        report(reader.line_number(), &what)?;
                    }
                }
            }
            cx.advance(1)?;
        }
        Ok(())
    })?;
    let found = check.found;
    if args.json {
        json_line(out, &json!({"index": args.index, "lines": lines, "found": found, "problems": problems}))?;
    } else {
        let index = plain(&args.index.display().to_string());
        writeln!(out, "{index}: {}, {found} lead to their records", counted(lines, "line"))?;
    }
    Ok(if problems == 0 && lines > 0 { FINE } else { PROBLEMS })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::output::written;
    use super::*;
    use crate::jobs::JobCx;
    use crate::uri::CaptureDate;
    use crate::warc::RecordBuilder;
    use crate::warc::cdx::{IndexOptions, index_file, write_sorted};

    #[track_caller]
    fn check(command: CdxCommand, status: u8) -> String {
        written(status, |out| run(command, out))
    }

    #[test]
    fn an_index_is_listed_converted_and_checked() {
        let folder = tempfile::tempdir().unwrap();
        let date = CaptureDate::from_millis(1_709_283_600_000);
        let page = RecordBuilder::response("urn:test:1", date, "http://a.pt/");
        let archive = folder.path().join("a.warc.gz");
        std::fs::write(&archive, page.compress(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\npage")).unwrap();
        let (lines, _) = index_file(&archive, "a.warc.gz", IndexOptions::default(), &JobCx::detached()).unwrap();
        let index = folder.path().join("index.cdx");
        let mut text = Vec::new();
        write_sorted(&lines, IndexForm::Cdx11, &mut text).unwrap();
        std::fs::write(&index, &text).unwrap();

        let files = vec![index.clone()];
        let listed = check(CdxCommand::Ls(CdxLsArgs { files: files.clone(), json: false }), FINE);
        assert_eq!(listed, "20240301090000 200  text/html                http://a.pt/ a.warc.gz 0\n");
        let listed = check(CdxCommand::Ls(CdxLsArgs { files: files.clone(), json: true }), FINE);
        assert!(
            listed.contains("\"date\":\"2024-03-01T09:00:00Z\"") && listed.contains("\"digest\":\"sha1:"),
            "{listed}"
        );
        let cdxj = check(CdxCommand::Convert(CdxConvertArgs { files: files.clone(), format: CdxForm::Cdxj }), FINE);
        assert_eq!(cdxj, format!("{}\n", lines[0]));
        let again = check(CdxCommand::Convert(CdxConvertArgs { files, format: CdxForm::Cdx11 }), FINE);
        assert_eq!(again.into_bytes(), text);

        let checked =
            |archives: Vec<PathBuf>, json| CdxCommand::Check(CdxCheckArgs { index: index.clone(), archives, json });
        let output = check(checked(vec![archive.clone()], false), FINE);
        assert!(output.ends_with("index.cdx: 1 line, 1 lead to their records\n"), "{output}");
        let output = check(checked(vec![folder.path().to_owned()], true), FINE);
        assert!(output.ends_with("\"lines\":1,\"found\":1,\"problems\":0}\n"), "{output}");
        let wrong = String::from_utf8(text).unwrap().replace(" 0 a.warc.gz", " 7 a.warc.gz\nbad");
        std::fs::write(&index, wrong).unwrap();
        let output = check(checked(vec![archive], false), PROBLEMS);
        assert!(output.contains("line 2: a.warc.gz, offset 7: ") && output.contains("line 3: "), "{output}");
        check(CdxCommand::Ls(CdxLsArgs { files: vec![index], json: false }), PROBLEMS);
        let missing = CdxLsArgs { files: vec![folder.path().join("none")], json: false };
        assert!(run(CdxCommand::Ls(missing), &mut Vec::new()).unwrap_err().to_string().contains("none"));
    }
}
