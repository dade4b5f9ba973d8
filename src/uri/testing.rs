//! Help for tests of every room: where the test data of others lie.

use std::path::{Path, PathBuf};

/// A file or folder of the foreign test data, which do not travel with the
/// project: below the folder that `FONDS_TEST_DATA` names, else beside the
/// project. Where it is absent the test is skipped with words, or fails where
/// `FONDS_REQUIRE` names `data`.
#[track_caller]
pub(crate) fn data(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("FONDS_TEST_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from);
    let path = root.join(name);
    if path.exists() {
        return Some(path);
    }
    let required = std::env::var("FONDS_REQUIRE").unwrap_or_default().split(',').any(|word| word.trim() == "data");
    assert!(!required, "FONDS_REQUIRE names data, but {} is not there", path.display());
    println!("skipped: {} is not here (FONDS_TEST_DATA)", path.display());
    None
}

/// The text of such a file; bytes that are no UTF-8 are replaced.
#[track_caller]
pub(crate) fn data_text(name: &str) -> Option<String> {
    let path = data(name)?;
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
