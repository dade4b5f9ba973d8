//! Archive files for tests: small ones to begin with, and readers of others.

pub(crate) use crate::archives::gzip;
use crate::archives::record;
pub(crate) use crate::folders::{copy_folder, files_under};
use fonds::jobs::JobCx;
use fonds::warc::{ArchiveReader, Record, check_file};
use std::path::{Path, PathBuf};

/// A block larger than this is cut when read; none of ours is.
const MAX_BLOCK: usize = 64 << 20;

/// A response in a gzip member of its own; `head` is the status and the fields but the length.
pub fn response(url: &str, date: &str, head: &str, body: &str) -> Vec<u8> {
    let http = format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    gzip(record("response", url, date, "Content-Type: application/http; msgtype=response\r\n", http))
}

/// A resource in a gzip member of its own.
pub fn record_of(url: &str, date: &str, mime: &str, body: &[u8]) -> Vec<u8> {
    gzip(record("resource", url, date, &format!("Content-Type: {mime}\r\n"), body))
}

/// An HTML page in a gzip member of its own.
pub fn page(url: &str, date: &str, html: &str) -> Vec<u8> {
    response(url, date, "200 OK\r\nContent-Type: text/html; charset=UTF-8", html)
}

/// Writes a file.
pub fn write(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Writes a file of these records.
pub fn file(folder: &Path, name: &str, records: &[Vec<u8>]) -> PathBuf {
    write(folder, name, &records.concat())
}

/// The WARC files under a folder.
pub fn warcs_under(folder: &Path) -> Vec<PathBuf> {
    let mut files = files_under(folder);
    let is_archive =
        |name: &str| name.ends_with(".gz") && ![".jsonl.gz", ".nq.gz"].iter().any(|end| name.ends_with(end));
    files.retain(|path| is_archive(&path.to_string_lossy()));
    files
}

/// All records of a file that has to be without problems.
#[track_caller]
pub fn records(file: &Path) -> Vec<Record> {
    let mut records = ArchiveReader::open(file).unwrap().records(MAX_BLOCK);
    let all: Vec<Record> = records.by_ref().collect::<Result<_, _>>().unwrap();
    let problems = records.take_problems();
    assert!(problems.is_empty(), "{}: {problems:?}", file.display());
    all
}

/// Structure, fields and digests of a file hold.
#[track_caller]
pub fn assert_sound(file: &Path) {
    let (report, problems) = check_file(file, true, &JobCx::detached()).unwrap();
    assert!(problems.is_empty(), "{}: {problems:?}", file.display());
    assert!(report.total() > 0, "{} holds nothing", file.display());
}

/// A field of a record that has to be there.
#[track_caller]
pub fn field(record: &Record, name: &str) -> String {
    record.head.headers.get(name).unwrap_or_else(|| panic!("{:?} has no {name}", record.head.target_uri()))
}

/// The text of the graph of an export.
#[track_caller]
pub fn knowledge_of(export: &Path) -> String {
    let packed = std::fs::read(export.join("data/knowledge.nq.gz")).unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut flate2::read::MultiGzDecoder::new(&packed[..]), &mut text).unwrap();
    text
}
