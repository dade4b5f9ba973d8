//! Renames files that are complete.

use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// Renames without ever replacing a file, and makes the new name durable.
///
/// A second name is given and the first one taken away: unlike renaming, this
/// fails where another made a file of that name a moment ago, and at no moment
/// is there no name at all. On file systems without such names (FAT) the file
/// is looked for and then renamed.
///
/// # Errors
///
/// [`io::ErrorKind::AlreadyExists`] where another file has the name. One with
/// the very same bytes, as a kill between the two steps leaves it, is taken as
/// the result; a link is not, since it may lead to the very file that would be
/// taken away.
pub fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    rename_by(|| fs::hard_link(from, to), from, to)
}

/// Renames with `second_name` as the way to give a second name.
fn rename_by(second_name: impl FnOnce() -> io::Result<()>, from: &Path, to: &Path) -> io::Result<()> {
    match second_name() {
        Ok(()) => remove_name(from)?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if !is_copy(from, to)? {
                return Err(already_exists());
            }
            remove_name(from)?;
        }
        Err(_) if fs::symlink_metadata(to).is_ok() => return Err(already_exists()),
        Err(_) => fs::rename(from, to)?,
    }
    sync_folder(to.parent());
    Ok(())
}

fn already_exists() -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, "it exists already and is not replaced; give another name")
}

fn remove_name(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Makes the names in a folder safe against a power cut. Not every system can
/// do that; what was done to the folder has happened all the same.
pub fn sync_folder(folder: Option<&Path>) {
    let folder = folder.map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    if let Some(Ok(folder)) = folder.map(File::open) {
        let _ = folder.sync_all();
    }
}

/// Brings a folder to the disk with everything below it, as it has to be before it gets its name. What is on the disk
/// already takes no time.
///
/// # Errors
///
/// Errors of the system; the files have to be our own.
pub fn sync_tree(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            sync_tree(&entry.path())?;
        } else if kind.is_file() {
            File::options().append(true).open(entry.path())?.sync_all()?;
        }
    }
    sync_folder(Some(folder));
    Ok(())
}

/// Makes a folder with all that lead to it, their names safe against a power cut.
///
/// # Errors
///
/// When the system does not make one.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let missing = folder.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    let missing: Vec<&Path> = missing.collect();
    fs::create_dir_all(folder)?;
    for made in missing {
        sync_folder(made.parent());
    }
    Ok(())
}

/// Whether `to` is itself, and not by a link, a file with the bytes of `from`.
fn is_copy(from: &Path, to: &Path) -> io::Result<bool> {
    let (one, other) = (fs::symlink_metadata(from)?, fs::symlink_metadata(to)?);
    if !other.file_type().is_file() || one.len() != other.len() {
        return Ok(false);
    }
    Ok(are_names_of_one(&one, &other) || have_equal_bytes(File::open(from)?, File::open(to)?)?)
}

#[cfg(unix)]
fn are_names_of_one(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn are_names_of_one(_: &Metadata, _: &Metadata) -> bool {
    false
}

/// Whether the same bytes come from both.
pub fn have_equal_bytes(one: impl Read, other: impl Read) -> io::Result<bool> {
    let (mut one, mut other) = (BufReader::new(one), BufReader::new(other));
    loop {
        let (a, b) = (one.fill_buf()?, other.fill_buf()?);
        let len = a.len().min(b.len());
        if a[..len] != b[..len] {
            return Ok(false);
        }
        if len == 0 {
            return Ok(a.len() == b.len());
        }
        one.consume(len);
        other.consume(len);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_taken_only_where_it_is_free() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a"), b"ours").unwrap();
        fs::write(path("b"), b"them").unwrap();
        assert_eq!(rename_new(&path("a"), &path("b")).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!((fs::read(path("a")).unwrap(), fs::read(path("b")).unwrap()), (b"ours".into(), b"them".into()));
        rename_new(&path("a"), &path("c")).unwrap();
        assert_eq!(fs::read(path("c")).unwrap(), b"ours");
        assert!(!path("a").exists());
        assert_eq!(rename_new(&path("a"), &path("d")).unwrap_err().kind(), io::ErrorKind::NotFound);
        // A kill left both names.
        fs::hard_link(path("c"), path("e")).unwrap();
        rename_new(&path("c"), &path("e")).unwrap();
        assert!(path("e").exists() && !path("c").exists());
    }

    #[test]
    fn a_disk_without_second_names_takes_new_names_and_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let cannot = || Err(io::ErrorKind::Unsupported.into());
        fs::write(path("a"), b"ours").unwrap();
        fs::write(path("b"), b"them").unwrap();
        let taken = rename_by(cannot, &path("a"), &path("b")).unwrap_err();
        assert_eq!(taken.to_string(), "it exists already and is not replaced; give another name");
        assert_eq!((fs::read(path("a")).unwrap(), fs::read(path("b")).unwrap()), (b"ours".into(), b"them".into()));
        rename_by(cannot, &path("a"), &path("c")).unwrap();
        assert_eq!(fs::read(path("c")).unwrap(), b"ours");
        assert!(!path("a").exists());
    }

    #[cfg(unix)]
    #[test]
    fn the_only_copy_is_not_taken_away_where_a_link_has_the_name() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for target in ["a.open", "nowhere"] {
            fs::write(path("a.open"), b"ours").unwrap();
            symlink(target, path("a")).unwrap();
            assert_eq!(rename_new(&path("a.open"), &path("a")).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(fs::read(path("a.open")).unwrap(), b"ours");
            assert_eq!(fs::read_link(path("a")).unwrap(), Path::new(target));
            fs::remove_file(path("a")).unwrap();
        }
        // A copy of its own is another matter.
        fs::write(path("a"), b"ours").unwrap();
        rename_new(&path("a.open"), &path("a")).unwrap();
        assert!(!path("a.open").exists());
    }

    #[test]
    fn of_many_who_want_a_name_one_gets_it() {
        let folder = tempfile::tempdir().unwrap();
        let goal = folder.path().join("goal");
        for round in 0..50 {
            let won = std::thread::scope(|scope| {
                let tries: Vec<_> = (0..4)
                    .map(|number| {
                        let from = folder.path().join(format!("from-{number}"));
                        fs::write(&from, format!("{round} {number}")).unwrap();
                        let goal = &goal;
                        scope.spawn(move || rename_new(&from, goal).is_ok())
                    })
                    .collect();
                tries.into_iter().map(|thread| thread.join().unwrap()).filter(|won| *won).count()
            });
            assert_eq!(won, 1);
            fs::remove_file(&goal).unwrap();
        }
    }
}
