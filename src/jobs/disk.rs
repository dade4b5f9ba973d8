//! How much room is left.

use std::io;
use std::path::Path;

/// Whether something could not be written for want of room: the disk is full,
/// or a quota or the largest size of a file is reached.
pub fn is_disk_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// Free bytes for this user on the disk that holds `path` (an existing file
/// or folder).
#[cfg(unix)]
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(path)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Not known on this system: the floor is never reached.
#[cfg(not(unix))]
pub fn free_bytes(_path: &Path) -> io::Result<u64> {
    Ok(u64::MAX)
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn free_space_is_read_and_a_missing_folder_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(free_bytes(folder.path()).unwrap() > 0);
        assert!(free_bytes(&folder.path().join("missing")).is_err());
    }
}
