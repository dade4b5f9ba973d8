//! What stands in archive files, read for comparing.

use fonds::jobs::JobCx;
use fonds::warc::{ArchiveReader, Record, check_file};
use std::path::{Path, PathBuf};

/// A block larger than this is cut when read; none of ours is.
const MAX_BLOCK: usize = 64 << 20;

/// Every file under a folder, in order of its path.
pub fn files_under(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// The WARC files under a folder.
pub fn warcs_under(folder: &Path) -> Vec<PathBuf> {
    let mut files = files_under(folder);
    let is_archive = |name: &str| name.ends_with(".gz") && !name.ends_with(".jsonl.gz");
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
