//! Measures the free space of a disk.

use std::io;
use std::path::Path;

/// Whether something could not be written for want of room: the disk is full,
/// or a quota or the largest size of a file is reached.
pub fn is_disk_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// The error of a full disk with what to do about it; `path` lies on that disk. One that says so already stays.
pub fn disk_full_advice(path: &Path, error: &io::Error) -> io::Error {
    if error.get_ref().is_some() {
        return io::Error::new(error.kind(), error.to_string());
    }
    let what = match error.kind() {
        io::ErrorKind::QuotaExceeded => "no more may be written to its disk by this user",
        io::ErrorKind::FileTooLarge => "the largest size of a file is reached",
        _ => "its disk is full",
    };
    let free = path.ancestors().find_map(|folder| free_bytes(folder).ok()).filter(|free| *free < u64::MAX);
    let free = free.map(|free| format!(" ({} free)", super::bytes_text(free))).unwrap_or_default();
    let text = format!("{error}: {what}{free}. Make room there, or name a place on another disk");
    io::Error::new(error.kind(), text)
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
    fn the_error_of_a_full_disk_names_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        for (kind, what) in [
            (io::ErrorKind::StorageFull, "its disk is full"),
            (io::ErrorKind::QuotaExceeded, "no more may be written to its disk by this user"),
            (io::ErrorKind::FileTooLarge, "the largest size of a file is reached"),
        ] {
            let error = disk_full_advice(&folder.path().join("not/there"), &kind.into());
            assert!(is_disk_full(&error), "{error}");
            assert_eq!(disk_full_advice(folder.path(), &error).to_string(), error.to_string());
            let text = error.to_string();
            assert!(
                text.contains(&format!(": {what} (")) && text.contains(" free). Make room there, or name"),
                "{text}"
            );
        }
    }

    #[test]
    fn free_space_is_read_and_a_missing_folder_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(free_bytes(folder.path()).unwrap() > 0);
        assert!(free_bytes(&folder.path().join("missing")).is_err());
    }
}
