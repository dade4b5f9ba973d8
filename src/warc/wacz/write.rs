//! Writes packages.
//!
//! Archive files are stored as they are, so that replay tools reach into them;
//! the index is cut into blocks of gzip with a list of them (`index.cdx.gz`,
//! `index.idx`), as py-wacz and Browsertrix have it and ReplayWeb.page reads it.

use super::signature::signed_data;
use super::{CheckError, DATAPACKAGE, DATAPACKAGE_DIGEST, PAGES, Wacz, WaczError, WaczPage, WaczProblem};
use crate::jobs::{Cancelled, JobCx, WholeFile, ascii_name};
use crate::keys::SigningKey;
use crate::uri::CaptureDate;
use crate::warc::cdx::{IndexForm, IndexOptions, IndexSorter, index_each};
use crate::warc::{ProblemKind, WarcError, open_archive_file};
use data_encoding::HEXLOWER;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// The version of the format that is written.
const WACZ_VERSION: &str = "1.1.1";

/// Lines in a block of the index: what ArchiveWeb.page and py-wacz take.
const BLOCK_LINES: usize = 1024;

/// A member that may grow beyond this is written with 64-bit lengths.
const LARGE: u64 = 3_500_000_000;

/// Options of [`write_wacz`].
pub struct WaczOptions<'a> {
    /// Its title.
    pub title: String,
    /// A longer description, in Markdown.
    pub description: String,
    /// The page to begin with.
    pub main_page_url: Option<String>,
    /// The program that writes it.
    pub software: String,
    /// When it is made.
    pub created: CaptureDate,
    /// Its pages have their texts.
    pub has_text: bool,
    /// Signs it, in the anonymous form of the specification.
    pub signer: Option<SigningKey>,
    /// Its pages.
    pub pages: Box<dyn Iterator<Item = WaczPage> + 'a>,
}

impl Default for WaczOptions<'_> {
    fn default() -> Self {
        Self {
            title: String::new(),
            description: String::new(),
            main_page_url: None,
            software: concat!("Fonds/", env!("CARGO_PKG_VERSION")).to_owned(),
            created: CaptureDate::now(),
            has_text: false,
            signer: None,
            pages: Box::new(std::iter::empty()),
        }
    }
}

/// Counts of a written package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WaczWritten {
    /// Archive files in it.
    pub archives: u64,
    /// Lines of its index.
    pub index_lines: u64,
    /// Pages in its list.
    pub pages: u64,
    /// Bytes of the package.
    pub bytes: u64,
    /// What is wrong with the records of the archive files: they were taken
    /// as they are.
    pub problems: Vec<WaczProblem>,
    /// What is wrong with the list of pages that was to be taken.
    pub page_problems: Vec<String>,
}

/// A package could not be written; nothing is left behind.
#[derive(Debug, thiserror::Error)]
pub enum WaczWriteError {
    /// There is a file of that name.
    #[error("{}: there is such a file; remove it or name another one", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// An archive file cannot go into a package.
    #[error("{}: {why}", path.display())]
    Source {
        /// The archive file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// Error of the operating system.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// Read back, the package is not what was written.
    #[error("{}: read back, it is not what was written: {problem}", path.display())]
    NotAsWritten {
        /// The package.
        path: PathBuf,
        /// The first difference.
        problem: String,
    },
    /// An archive file cannot be read.
    #[error(transparent)]
    Warc(#[from] WarcError),
    /// The package cannot be read back.
    #[error(transparent)]
    Wacz(#[from] WaczError),
    /// Stopped on request.
    #[error("stopped on request")]
    Cancelled(#[from] Cancelled),
}

/// Packs archive files together. Until it is complete, and was read back and
/// checked, the package is called `….open`.
///
/// # Errors
///
/// When `out` exists, an archive file is none that packages hold, or reading
/// or writing fails; nothing is left behind then.
pub fn write_wacz(
    out: &Path,
    archives: &[PathBuf],
    options: WaczOptions<'_>,
    cx: &JobCx,
) -> Result<WaczWritten, WaczWriteError> {
    let sources = sources(archives)?;
    let mut file = WholeFile::create(out).map_err(|error| match error.source.kind() {
        io::ErrorKind::AlreadyExists => WaczWriteError::Exists { path: error.path },
        _ => WaczWriteError::Warc(error.into()),
    })?;
    let open = file.open_path().to_owned();
    let mut written = write_all(&mut file, &open, &sources, options, cx)?;
    file.sync().map_err(WarcError::from)?;
    written.bytes = fs::metadata(&open).map_err(|source| WaczWriteError::Io { path: open.clone(), source })?.len();
    written.problems = read_back(&open, &written, cx)?;
    file.finish().map_err(WarcError::from)?;
    Ok(written)
}

/// An archive file and what the package calls it.
struct Source {
    path: PathBuf,
    name: String,
}

/// Names in the package: that of the file, with the ending of its format; no two are equal.
fn sources(archives: &[PathBuf]) -> Result<Vec<Source>, WaczWriteError> {
    let mut taken = HashSet::new();
    let mut sources = Vec::new();
    for path in archives {
        let no = |why: &str| WaczWriteError::Source { path: path.clone(), why: why.to_owned() };
        let mut begin = Vec::new();
        let io = |source| WaczWriteError::Io { path: path.clone(), source };
        open_archive_file(path).map_err(io)?.take(4).read_to_end(&mut begin).map_err(io)?;
        let ending = match begin.as_slice() {
            [0x1f, 0x8b, ..] => ".warc.gz",
            b"WARC" => ".warc",
            [] => return Err(no("the file is empty")),
            [0x28, 0xb5, 0x2f, 0xfd] | [0x37, 0xa4, 0x30, 0xec] => {
                return Err(no("packages hold WARC files that are plain or gzip; this one is zstd"));
            }
            _ => return Err(no("packages hold WARC files; this is none")),
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let stem =
            [".open", ".gz", ".warc"].iter().fold(&*name, |name, ending| name.strip_suffix(ending).unwrap_or(name));
        let stem = ascii_name(stem, "-_.~+=");
        let stem = stem.trim_start_matches('.');
        let stem = if stem.is_empty() { "data" } else { stem };
        let mut name = format!("{stem}{ending}");
        let mut number = 2;
        while !taken.insert(name.clone()) {
            name = format!("{stem}-{number}{ending}");
            number += 1;
        }
        sources.push(Source { path: path.clone(), name });
    }
    Ok(sources)
}

fn write_all(
    file: &mut WholeFile,
    open: &Path,
    sources: &[Source],
    options: WaczOptions<'_>,
    cx: &JobCx,
) -> Result<WaczWritten, WaczWriteError> {
    let mut package = Writing::new(file, open, options.created);
    let mut written = WaczWritten { archives: sources.len() as u64, ..WaczWritten::default() };

    let sizes = sources.iter().map(|source| fs::metadata(&source.path).map_or(0, |data| data.len()));
    cx.stage("Packing archive files", Some(sizes.sum()));
    for Source { path, name } in sources {
        cx.note(&**name);
        let io = |source| WaczWriteError::Io { path: path.clone(), source };
        let mut file = open_archive_file(path).map_err(io)?;
        let size = file.metadata().map_err(io)?.len();
        package.begin(&format!("archive/{name}"), CompressionMethod::Stored, size)?;
        let mut buffer = vec![0; 1 << 20];
        loop {
            let read = file.read(&mut buffer).map_err(io)?;
            if read == 0 {
                break;
            }
            package.write(&buffer[..read])?;
            cx.advance(read as u64)?;
        }
    }

    cx.stage("Indexing", Some(sources.len() as u64));
    let mut sorter = IndexSorter::new(IndexForm::Cdxj);
    for Source { path, name } in sources {
        // Problems of the records are reported when the package is read back.
        let options = IndexOptions { post_append: true };
        let before = written.index_lines;
        let problems = index_each(path, name, options, &JobCx::detached(), &mut |line| {
            written.index_lines += 1;
            sorter.push(&line)
        })?;
        let is_closed = problems.iter().any(|problem| problem.kind == ProblemKind::NotPerRecord);
        if written.index_lines == before && is_closed {
            let why = "all records share one gzip member, so none can be reached; compress the file per record";
            return Err(WaczWriteError::Source { path: path.clone(), why: why.to_owned() });
        }
        cx.advance(1)?;
    }
    let mut list = "!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": \"index.cdx.gz\"}\n".to_owned();
    package.begin("indexes/index.cdx.gz", CompressionMethod::Stored, u64::MAX)?;
    let mut offset = 0;
    let mut lines = sorter.finish().map_err(temporary)?.peekable();
    while lines.peek().is_some() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        let mut first = None;
        for line in lines.by_ref().take(BLOCK_LINES) {
            let line = line.map_err(temporary)?;
            encoder.write_all(line.as_bytes()).and_then(|()| encoder.write_all(b"\n")).map_err(package.io())?;
            first.get_or_insert(line);
        }
        let member = encoder.finish().map_err(package.io())?;
        package.write(&member)?;
        let (length, digest) = (member.len(), HEXLOWER.encode(&Sha256::digest(&member)));
        let prefix = first.as_deref().and_then(|line| line.split(" {").next()).unwrap_or_default().trim_end();
        let place = format!("{{\"offset\": {offset}, \"length\": {length}, \"digest\": \"sha256:{digest}\"}}");
        list.push_str(&format!("{prefix} {place}\n"));
        offset += length;
        cx.checkpoint()?;
    }
    drop(lines);
    package.begin("indexes/index.idx", CompressionMethod::Deflated, u64::MAX)?;
    package.write(list.as_bytes())?;

    cx.stage("Listing pages", None);
    package.begin(PAGES, CompressionMethod::Deflated, u64::MAX)?;
    let head = json!({ "format": "json-pages-1.0", "id": "pages", "title": "All Pages", "hasText": options.has_text });
    package.write(format!("{head}\n").as_bytes())?;
    for mut page in options.pages {
        if page.id.is_empty() {
            let name = format!("{} {}", page.date.to_warc(), page.url);
            page.id = HEXLOWER.encode(&Sha256::digest(name.as_bytes())[..8]);
        }
        package.write(page.line().as_bytes())?;
        package.write(b"\n")?;
        written.pages += 1;
        cx.advance(1)?;
    }
    package.end();

    let mut datapackage = Map::new();
    let mut put = |name: &str, value: Value| drop(datapackage.insert(name.to_owned(), value));
    put("profile", "data-package".into());
    put("resources", std::mem::take(&mut package.resources).into());
    // ReplayWeb.page looks for both in `metadata`, under shorter names.
    let mut metadata = Map::new();
    for (name, short, text) in [("title", "title", options.title), ("description", "desc", options.description)] {
        if !text.is_empty() {
            metadata.insert(short.to_owned(), text.clone().into());
            put(name, text.into());
        }
    }
    if !metadata.is_empty() {
        put("metadata", metadata.into());
    }
    if let Some(url) = options.main_page_url {
        // The specification writes mainPageUrl, py-wacz mainPageURL.
        put("mainPageUrl", url.into());
    }
    let created = CaptureDate::from_seconds(options.created.seconds()).to_warc();
    put("created", created.clone().into());
    put("wacz_version", WACZ_VERSION.into());
    put("software", options.software.clone().into());
    let datapackage = pretty(&datapackage.into());
    package.begin(DATAPACKAGE, CompressionMethod::Deflated, 0)?;
    package.write(&datapackage)?;
    let hash = format!("sha256:{}", HEXLOWER.encode(&Sha256::digest(&datapackage)));
    package.begin(DATAPACKAGE_DIGEST, CompressionMethod::Deflated, 0)?;
    let mut digest = json!({ "path": DATAPACKAGE, "hash": hash });
    if let Some(key) = &options.signer {
        digest["signedData"] = signed_data(key, &hash, &created, &options.software);
    }
    package.write(&pretty(&digest))?;
    package.finish()?;
    Ok(written)
}

fn temporary(source: io::Error) -> WaczWriteError {
    WaczWriteError::Io { path: std::env::temp_dir(), source }
}

fn pretty(value: &Value) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(value).unwrap_or_default();
    text.push(b'\n');
    text
}

/// Reads the package from the disk. Problems of untrusted records are returned; any other is an error.
fn read_back(open: &Path, written: &WaczWritten, cx: &JobCx) -> Result<Vec<WaczProblem>, WaczWriteError> {
    let report = Wacz::open(open)?.check(cx).map_err(|error| match error {
        CheckError::Wacz(error) => WaczWriteError::Wacz(error),
        CheckError::Cancelled(error) => WaczWriteError::Cancelled(error),
    })?;
    let of_records =
        |problem: &WaczProblem| problem.member.starts_with("archive/") && problem.what.starts_with("offset ");
    let mut wrong = report.problems.iter().filter(|problem| !of_records(problem)).map(ToString::to_string);
    let counts = (report.index_lines, report.index_found, report.pages);
    let counted = (counts != (written.index_lines, written.index_lines, written.pages)).then(|| {
        format!("{} of {} index lines, {} of {} pages", counts.1, written.index_lines, counts.2, written.pages)
    });
    match wrong.next().or(counted) {
        Some(problem) => Err(WaczWriteError::NotAsWritten { path: open.to_owned(), problem }),
        None => Ok(report.problems),
    }
}

/// The file of a package that is being written. After an error it only counts
/// what follows: a `ZipWriter` that is dropped ends its package, and would write
/// to the terminal what its caller says already.
struct PackageFile<'a> {
    file: &'a mut WholeFile,
    is_failed: bool,
    at: u64,
    len: u64,
}

impl<'a> PackageFile<'a> {
    fn new(file: &'a mut WholeFile) -> Self {
        Self { file, is_failed: false, at: 0, len: 0 }
    }

    fn moved(&mut self, to: io::Result<u64>) -> io::Result<u64> {
        self.is_failed |= to.is_err();
        self.at = to?;
        self.len = self.len.max(self.at);
        Ok(self.at)
    }
}

impl Write for PackageFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = if self.is_failed { Ok(bytes.len()) } else { self.file.write(bytes) };
        let to = written.as_ref().map(|len| self.at + *len as u64).map_err(|error| error.kind().into());
        drop(self.moved(to));
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = if self.is_failed { Ok(()) } else { self.file.flush() };
        self.is_failed |= flushed.is_err();
        flushed
    }
}

impl Seek for PackageFile<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match (self.is_failed, to) {
            (false, to) => self.file.seek(to),
            (true, SeekFrom::Start(at)) => Ok(at),
            (true, SeekFrom::Current(by)) => Ok(self.at.saturating_add_signed(by)),
            (true, SeekFrom::End(by)) => Ok(self.len.saturating_add_signed(by)),
        };
        self.moved(to)
    }
}

/// A package in the making.
struct Writing<'a> {
    zip: ZipWriter<PackageFile<'a>>,
    path: PathBuf,
    date: zip::DateTime,
    present: Option<(String, Sha256, u64)>,
    resources: Vec<Value>,
}

impl<'a> Writing<'a> {
    fn new(file: &'a mut WholeFile, path: &Path, created: CaptureDate) -> Self {
        let digits = created.to_digits14();
        let part = |from: usize, to: usize| digits.get(from..to).and_then(|part| part.parse().ok()).unwrap_or_default();
        let byte = |from: usize| u8::try_from(part(from, from + 2)).unwrap_or_default();
        let date = zip::DateTime::from_date_and_time(part(0, 4), byte(4), byte(6), byte(8), byte(10), byte(12));
        Self {
            zip: ZipWriter::new(PackageFile::new(file)),
            path: path.to_owned(),
            date: date.unwrap_or_default(),
            present: None,
            resources: Vec::new(),
        }
    }

    fn io(&self) -> impl Fn(io::Error) -> WaczWriteError + use<> {
        let path = self.path.clone();
        move |source| WaczWriteError::Io { path: path.clone(), source }
    }

    fn zip_error(&self, error: zip::result::ZipError) -> WaczWriteError {
        WaczWriteError::Io { path: self.path.clone(), source: io::Error::other(error) }
    }

    /// Begins a member of about `size` bytes.
    fn begin(&mut self, name: &str, method: CompressionMethod, size: u64) -> Result<(), WaczWriteError> {
        self.end();
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .last_modified_time(self.date)
            .unix_permissions(0o644)
            .large_file(size > LARGE);
        self.zip.start_file(name, options).map_err(|error| self.zip_error(error))?;
        self.present = Some((name.to_owned(), Sha256::new(), 0));
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), WaczWriteError> {
        if let Some((_, hash, len)) = &mut self.present {
            hash.update(bytes);
            *len += bytes.len() as u64;
        }
        let io = self.io();
        self.zip.write_all(bytes).map_err(io)
    }

    /// Notes the member that was written.
    fn end(&mut self) {
        if let Some((path, hash, bytes)) = self.present.take() {
            let name = path.rsplit('/').next().unwrap_or(&path).to_ascii_lowercase();
            let hash = format!("sha256:{}", HEXLOWER.encode(&hash.finalize()));
            self.resources.push(json!({ "name": name, "path": path, "hash": hash, "bytes": bytes }));
        }
    }

    fn finish(self) -> Result<(), WaczWriteError> {
        let io = self.io();
        self.zip.finish().map(drop).map_err(|error| io(io::Error::other(error)))
    }
}
