//! A damaged catalogue is reported with what can be rebuilt, and from which files.

use super::error::StoreError;
use super::immutable_uri;
use super::untrusted::connect;
use rusqlite::{ErrorCode, OpenFlags};
use std::fmt::Write as _;
use std::path::Path;

/// Files of others that are named; further ones are counted.
const MAX_NAMED: usize = 20;

/// The error of a catalogue whose file is damaged: what can be made again of
/// which files, and what cannot.
pub(in crate::store) fn damaged(path: &Path, why: &str) -> StoreError {
    let (linked, is_whole) = linked_files(path);
    let mut rebuild = rebuild(path);
    for file in linked.iter().take(MAX_NAMED) {
        let _ = write!(rebuild, " {file}");
    }
    if linked.len() > MAX_NAMED {
        let _ = write!(rebuild, " (and {} more linked files)", linked.len() - MAX_NAMED);
    }
    if !is_whole {
        rebuild.push_str(" and the files that were linked from elsewhere, whose list cannot be read to its end");
    }
    StoreError::Damaged { path: path.to_owned(), why: why.to_owned(), rebuild }
}

/// The command that rebuilds what lies in the workspace itself.
fn rebuild(path: &Path) -> String {
    let folder = path.parent().unwrap_or(path);
    let mut sources = vec![folder.join("output/warcs").display().to_string()];
    let copies = folder.join("imports");
    if copies.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
        sources.push(copies.display().to_string());
    }
    format!("fonds import NEW_FOLDER {}", sources.join(" "))
}

/// The error of a catalogue that somebody changed the shape of. Nothing is
/// read of it: its tables may be any statement.
pub(in crate::store) fn altered(path: &Path, what: String) -> StoreError {
    StoreError::Altered { path: path.to_owned(), what, rebuild: rebuild(path) }
}

/// The error of a damaged catalogue in the place of an SQLite error of that kind.
pub(in crate::store) fn explain(path: &Path, error: StoreError) -> StoreError {
    match &error {
        StoreError::Sql { source, .. } if is_damage(source) => damaged(path, &source.to_string()),
        StoreError::Commit(why) if why.contains("disk image is malformed") => damaged(path, why),
        _ => error,
    }
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// The files that imports linked, as far as they can be read, and whether
/// these are all.
fn linked_files(path: &Path) -> (Vec<String>, bool) {
    let mut linked = Vec::new();
    let mut read = || -> rusqlite::Result<()> {
        // Nothing is made or recovered beside what is damaged.
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let uri = immutable_uri(path).map_err(|_| rusqlite::Error::InvalidQuery)?;
        let conn = connect(uri, flags)?;
        let mut statement = conn.prepare("SELECT path FROM warc_file WHERE changed < 2 ORDER BY id")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let file: String = row.get(0)?;
            if Path::new(&file).is_absolute() {
                linked.push(file);
            }
        }
        Ok(())
    };
    let is_whole = read().is_ok();
    (linked, is_whole)
}
