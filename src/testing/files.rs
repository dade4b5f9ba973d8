//! Folders of the tests, also for those in `tests/it`.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Every file under a folder, in order of its path.
pub(crate) fn files_under(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_under(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

/// Copies a folder with everything in it.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let copy = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_folder(&path, &copy);
        } else {
            std::fs::copy(&path, &copy).unwrap();
        }
    }
}

/// The folder for files of a value of the whole run of tests. Such a value is
/// never dropped: the next run removes what earlier ones left.
pub(crate) fn folder_of_this_run(place: &Path, prefix: &str) -> PathBuf {
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(prefix);
        let made = entry.metadata().and_then(|meta| meta.modified()).ok();
        let age = made.and_then(|made| SystemTime::now().duration_since(made).ok());
        if is_ours && age.is_some_and(|age| age > Duration::from_secs(3600)) {
            drop(std::fs::remove_dir_all(entry.path()));
        }
    }
    let folder = place.join(format!("{prefix}{}", std::process::id()));
    drop(std::fs::remove_dir_all(&folder));
    folder
}

/// Says that a test is skipped, or fails it where `FONDS_REQUIRE` names its need.
#[track_caller]
pub(crate) fn skip(need: &str, why: &str) {
    let required = std::env::var("FONDS_REQUIRE").unwrap_or_default();
    assert!(!required.split(',').any(|name| name.trim() == need), "FONDS_REQUIRE names {need}, but {why}");
    println!("skipped: {why}");
}

/// A file or folder of the test data of others, which do not travel with the
/// project: below the folder that `FONDS_TEST_DATA` names, else beside the
/// project. None where it is absent.
#[track_caller]
pub(crate) fn data(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("FONDS_TEST_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from);
    let path = root.join(name);
    if !path.exists() {
        skip("data", &format!("{} is not there (FONDS_TEST_DATA names the folder of test data)", path.display()));
        return None;
    }
    Some(path)
}
