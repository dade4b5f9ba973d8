//! Bytes of a file, hashed while they go by.

use crate::jobs::{JobCx, make_folder, sync_folder};
use crate::store::Workspace;
use sha2::{Digest, Sha256};
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Bytes read at once.
const CHUNK: usize = 1 << 20;

/// The folder of copies in a workspace.
pub(in crate::work) const IMPORTS: &str = "imports";

/// The prefix of the name of a copy until it is whole.
pub(in crate::work) const INCOMING: &str = "incoming-";

/// Hex digits of a digest that name a folder: too many to find two files that
/// share them.
const FOLDER_DIGITS: usize = 32;

/// The workspace takes no more copies. No file is to blame for that, and none
/// that follows would fare better.
#[derive(Debug, thiserror::Error)]
#[error(
    "{path}: {source}. Nothing more can be copied into the workspace: mend that, then import again, which goes on here",
    path = path.display()
)]
pub(super) struct NoRoom {
    path: PathBuf,
    source: io::Error,
}

/// An error of writing to this place in the workspace.
fn of_workspace(path: &Path) -> impl Fn(io::Error) -> anyhow::Error {
    use io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    move |source| match source.kind() {
        StorageFull | QuotaExceeded | ReadOnlyFilesystem => NoRoom { path: path.to_owned(), source }.into(),
        _ => anyhow::Error::from(source).context(path.display().to_string()),
    }
}

/// A reader that hashes and counts what is read through it, and reports to the job.
pub(in crate::work) struct Hashing<'a, R> {
    inner: R,
    hasher: Sha256,
    bytes: u64,
    cx: &'a JobCx,
    reports: bool,
}

impl<'a, R: Read> Hashing<'a, R> {
    pub(in crate::work) fn new(inner: R, cx: &'a JobCx) -> Self {
        Self { inner, hasher: Sha256::new(), bytes: 0, cx, reports: true }
    }

    /// Hashes bytes that somebody else reads, too, and reports to the job.
    pub(super) fn aside(inner: R, cx: &'a JobCx) -> Self {
        Self { reports: false, ..Self::new(inner, cx) }
    }

    /// Reads what is left; SHA-256 in hex, and the size in bytes.
    pub(in crate::work) fn finish(&mut self) -> io::Result<(String, u64)> {
        let mut buffer = vec![0; CHUNK];
        while self.read(&mut buffer)? > 0 {}
        Ok(self.digest_so_far())
    }

    /// Digest and size of what was read so far.
    fn digest_so_far(&self) -> (String, u64) {
        (data_encoding::HEXLOWER.encode(&self.hasher.clone().finalize()), self.bytes)
    }
}

impl<R: Read> Read for Hashing<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.inner.read(buffer)?;
        self.hasher.update(buffer.get(..len).unwrap_or_default());
        self.bytes += len as u64;
        match self.reports {
            true => self.cx.advance(len as u64),
            false => self.cx.checkpoint(),
        }
        .map_err(io::Error::other)?;
        Ok(len)
    }
}

/// SHA-256 in hex, and the size in bytes.
pub(in crate::work) fn digest_of(path: &Path, cx: &JobCx) -> io::Result<(String, u64)> {
    let file = File::open(path)?;
    // Some files of the system have no bytes by their size, and more are waited for.
    let len = file.metadata()?.len();
    Hashing::new(file.take(len), cx).finish()
}

/// Copies a file into the workspace; its digest keeps equal names apart. Returns the place of the
/// copy and the digest. Its bytes count when they are read as records.
pub(super) fn copy_in(workspace: &Workspace, path: &Path, cx: &JobCx) -> anyhow::Result<(PathBuf, String)> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let cx = &cx.aside("copying");
    let file = File::open(path)?;
    let permissions = file.metadata()?.permissions();
    keep_incoming(workspace, cx, &mut Hashing::new(file, cx), permissions, |sha256| (sha256.to_owned(), name))
}

/// Writes bytes into the workspace: into a folder named after a digest, under a name, as `place`
/// returns them for its digest. Who may read where they come from may read the copy.
pub(super) fn keep_incoming(
    workspace: &Workspace,
    cx: &JobCx,
    source: &mut Hashing<'_, impl Read>,
    permissions: Permissions,
    place: impl FnOnce(&str) -> (String, String),
) -> anyhow::Result<(PathBuf, String)> {
    let imports = workspace.own_folder(IMPORTS)?;
    let in_imports = of_workspace(&imports);
    fs::create_dir_all(&imports).map_err(&in_imports)?;
    let mut copy = tempfile::Builder::new().prefix(INCOMING).tempfile_in(&imports).map_err(&in_imports)?;
    let mut buffer = vec![0; CHUNK];
    loop {
        let len = source.read(&mut buffer)?;
        if len == 0 {
            break;
        }
        copy.as_file_mut().write_all(buffer.get(..len).unwrap_or_default()).map_err(&in_imports)?;
    }
    let (sha256, size) = source.digest_so_far();
    copy.as_file().sync_all().map_err(&in_imports)?;
    let (of_folder, name) = place(&sha256);
    let folder = workspace.own_folder(imports.join(of_folder.get(..FOLDER_DIGITS).unwrap_or(&of_folder)))?;
    make_folder(&folder).map_err(of_workspace(&folder))?;
    let goal = folder.join(&name);
    // A copy that a killed import left is as good, and its date is known; one
    // that has rotted since is not.
    let is_there = goal.symlink_metadata().is_ok_and(|meta| meta.is_file() && meta.len() == size)
        && digest_of(&goal, cx).is_ok_and(|(kept, _)| kept == sha256);
    if !is_there {
        copy.as_file().set_permissions(permissions).map_err(of_workspace(&goal))?;
        copy.persist(&goal).map_err(|error| of_workspace(&goal)(error.error))?;
        // The catalogue will name it.
        sync_folder(Some(&folder));
    }
    Ok((goal, sha256))
}

/// Takes away what a killed import left of copies that were not whole.
pub(super) fn clear(workspace: &Workspace) {
    let Ok(imports) = workspace.own_folder(IMPORTS) else { return };
    for entry in fs::read_dir(imports).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(INCOMING) {
            // One that cannot be taken away is in nobody's way.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let _ = if is_folder { fs::remove_dir_all(entry.path()) } else { fs::remove_file(entry.path()) };
        }
    }
}

/// Takes a copy away that turned out to be of no use, and its folder.
pub(super) fn take_back(copy: &Path) {
    // What cannot be taken away does no harm; the copy is not in the catalogue.
    let _ = fs::remove_file(copy);
    if let Some(folder) = copy.parent() {
        let _ = fs::remove_dir(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::super::one::is_of_workspace;
    use super::*;

    #[test]
    fn a_workspace_without_room_is_no_fault_of_a_file() {
        use io::ErrorKind::{NotFound, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        for (kind, ends) in [(StorageFull, true), (QuotaExceeded, true), (ReadOnlyFilesystem, true), (NotFound, false)]
        {
            let error = of_workspace(Path::new("/ws/imports"))(kind.into());
            assert_eq!(is_of_workspace(&error), ends, "{kind}");
            assert!(error.to_string().starts_with("/ws/imports"), "{error}");
        }
    }
}
