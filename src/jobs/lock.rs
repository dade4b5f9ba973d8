//! Locks a file for one holder at a time; the system frees the lock when the holder dies.

use super::open_own;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

/// Attempts before a lock counts as taken: [`FileLock::is_locked`] of another process takes it for a moment,
/// too.
const MAX_TRIES: u32 = 3;
const RETRY_PAUSE: Duration = Duration::from_millis(20);

/// Times that a locked file may have been replaced meanwhile: other holders do not come and go more often.
const MAX_REPLACED: u32 = 100;

/// A locked file; dropping it frees the lock.
#[derive(Debug)]
pub struct FileLock(File);

/// Why a lock was not taken.
#[derive(Debug)]
pub enum NotLocked {
    /// Another holder has it; the text is what that wrote into the file.
    LockedBy(String),
    /// The file cannot be opened, locked or written.
    Failed(io::Error),
}

impl FileLock {
    /// Locks a file, which is made where it is missing, and writes into it who has it.
    /// A link is not followed.
    ///
    /// # Errors
    ///
    /// [`NotLocked`]; the folder has to be there.
    pub fn take(path: &Path, holder: &str) -> Result<Self, NotLocked> {
        Self::take_as(path, holder, is_file_at)
    }

    fn take_as(path: &Path, holder: &str, is_it: impl Fn(&File, &Path) -> io::Result<bool>) -> Result<Self, NotLocked> {
        let (mut tries, mut replaced) = (0, 0);
        loop {
            let opened = open_own(path, File::options().read(true).write(true).create(true).truncate(false));
            let mut file = opened.map_err(NotLocked::Failed)?;
            match file.try_lock() {
                // The holder before removed the file as it freed the lock, and another may have made a new
                // one.
                Ok(()) if !is_it(&file, path).map_err(NotLocked::Failed)? => {
                    replaced += 1;
                    if replaced > MAX_REPLACED {
                        let why = "the file that was locked is never the one at this path: its file system cannot tell files apart. Choose a folder on another disk";
                        return Err(NotLocked::Failed(io::Error::other(why)));
                    }
                }
                Ok(()) => {
                    file.set_len(0).and_then(|()| writeln!(file, "{holder}")).map_err(NotLocked::Failed)?;
                    return Ok(Self(file));
                }
                Err(TryLockError::WouldBlock) if tries < MAX_TRIES => {
                    tries += 1;
                    std::thread::sleep(RETRY_PAUSE);
                }
                Err(TryLockError::WouldBlock) => {
                    let mut holder = String::new();
                    let _ = file.read_to_string(&mut holder);
                    let holder = if holder.trim().is_empty() { "another process" } else { holder.trim() };
                    return Err(NotLocked::LockedBy(holder.to_owned()));
                }
                Err(TryLockError::Error(source)) => return Err(NotLocked::Failed(source)),
            }
        }
    }

    /// Whether the lock is taken at this moment. Nothing is written.
    pub fn is_locked(path: &Path) -> bool {
        let Ok(file) = open_own(path, File::options().read(true)) else { return false };
        match file.try_lock_shared() {
            Ok(()) => {
                let _ = file.unlock();
                false
            }
            Err(_) => true,
        }
    }
}

impl Drop for FileLock {
    /// Closing alone is not enough: a program that this one is starting has
    /// the file open too, until it runs.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// Whether the open file is the one at a path now.
fn is_file_at(file: &File, path: &Path) -> io::Result<bool> {
    let locked = file.metadata()?;
    let there = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        there => there?,
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Ok((locked.dev(), locked.ino()) == (there.dev(), there.ino()))
    }
    #[cfg(not(unix))]
    {
        // A file that is open there keeps its name.
        Ok(locked.is_file() && there.is_file())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn one_has_it_until_it_lets_go() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        let lock = FileLock::take(&path, "the first").unwrap();
        assert!(
            matches!(FileLock::take(&path, "the second"), Err(NotLocked::LockedBy(holder)) if holder == "the first")
        );
        assert!(FileLock::is_locked(&path));
        drop(lock);
        assert!(!FileLock::is_locked(&path));
        FileLock::take(&path, "the second").unwrap();
        let missing = folder.path().join("nowhere").join("a.lock");
        assert!(matches!(FileLock::take(&missing, ""), Err(NotLocked::Failed(_))));
    }

    #[test]
    fn a_file_system_without_file_identities_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        let Err(NotLocked::Failed(error)) = FileLock::take_as(&path, "this", |_, _| Ok(false)) else { panic!() };
        assert!(error.to_string().contains("Choose a folder on another disk"), "{error}");
        // Others may come and go for a while.
        let calls = std::cell::Cell::new(0);
        let come_and_go = |_: &File, _: &Path| Ok(calls.replace(calls.get() + 1) == 50);
        FileLock::take_as(&path, "this", come_and_go).unwrap();
        // An error of the system is returned unchanged.
        let refused = |_: &File, _: &Path| Err(io::Error::from(io::ErrorKind::PermissionDenied));
        let Err(NotLocked::Failed(error)) = FileLock::take_as(&path, "this", refused) else { panic!() };
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    }

    #[test]
    fn a_program_that_is_being_started_does_not_keep_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        let lock = FileLock::take(&path, "this").unwrap();
        // What a start of a program has of it before it runs.
        let inherited = lock.0.try_clone().unwrap();
        drop(lock);
        FileLock::take(&path, "the next").unwrap();
        drop(inherited);
    }
}
