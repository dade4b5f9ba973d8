//! One file that appears whole or not at all.

use super::super::{OPEN_SUFFIX, WarcError};
use super::rename::rename_new;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that is written as `….open` and gets its name when it is finished.
/// It never replaces another; dropped before, it leaves nothing behind.
pub struct NewFile {
    path: PathBuf,
    open_path: PathBuf,
    /// None once the file has its name.
    out: Option<BufWriter<File>>,
}

impl NewFile {
    /// # Errors
    ///
    /// Also when the file, or its `.open` form, exists.
    pub fn create(path: &Path) -> Result<Self, WarcError> {
        let exists = |path: &Path, why: &str| WarcError::Io {
            path: path.to_owned(),
            source: io::Error::new(io::ErrorKind::AlreadyExists, why.to_owned()),
        };
        if fs::symlink_metadata(path).is_ok() {
            return Err(exists(path, "it exists already and is not replaced; give another name"));
        }
        let mut open_path = OsString::from(path);
        open_path.push(OPEN_SUFFIX);
        let open_path = PathBuf::from(open_path);
        let file = create_new(&open_path).map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => {
                exists(&open_path, "it is being written, or was left by a call that was killed")
            }
            _ => WarcError::Io { path: open_path.clone(), source },
        })?;
        Ok(Self::of(path, open_path, file))
    }

    /// As [`create`](Self::create), called something short in the same folder
    /// until it is finished: names that have the greatest length already take
    /// no ending, and what a call that was killed left is in nobody's way.
    pub(in crate::warc) fn create_unnamed(path: &Path) -> Result<Self, WarcError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let made = tempfile::Builder::new().prefix(".").suffix(OPEN_SUFFIX).make_in(folder, create_new);
        let kept = made.and_then(|made| made.keep().map_err(|kept| kept.error));
        let (file, open_path) = kept.map_err(|source| WarcError::Io { path: path.to_owned(), source })?;
        Ok(Self::of(path, open_path, file))
    }

    fn of(path: &Path, open_path: PathBuf, file: File) -> Self {
        Self { path: path.to_owned(), open_path, out: Some(BufWriter::with_capacity(1 << 18, file)) }
    }

    /// The name it has until it is finished.
    pub fn open_path(&self) -> &Path {
        &self.open_path
    }

    /// Where the next byte will stand, in bytes.
    pub fn position(&mut self) -> io::Result<u64> {
        self.out().stream_position()
    }

    /// Takes back what was written after `len` bytes.
    pub fn cut_back(&mut self, len: u64) -> io::Result<()> {
        let out = self.out();
        out.flush()?;
        out.get_mut().set_len(len)?;
        out.seek(SeekFrom::Start(len)).map(drop)
    }

    /// Brings everything to the disk; the name stays `….open`.
    pub fn sync(&mut self) -> Result<(), WarcError> {
        let path = self.open_path.clone();
        let out = self.out();
        out.flush().and_then(|()| out.get_mut().sync_all()).map_err(|source| WarcError::Io { path, source })
    }

    /// Gives the file its name.
    pub fn finish(mut self) -> Result<(), WarcError> {
        self.sync()?;
        rename_new(&self.open_path, &self.path).map_err(|source| WarcError::Io { path: self.path.clone(), source })?;
        self.out = None;
        Ok(())
    }

    fn out(&mut self) -> &mut BufWriter<File> {
        self.out.as_mut().expect("only finish, which takes the value, takes it out")
    }
}

fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).open(path)
}

impl Seek for NewFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.out().seek(to)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out().flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if self.out.take().is_some()
            && let Err(error) = fs::remove_file(&self.open_path)
        {
            tracing::warn!("{}: {error}", self.open_path.display());
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_nowhere_has_the_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::os::unix::fs::symlink("nowhere", &path).unwrap();
        let error = NewFile::create(&path).err().unwrap().to_string();
        assert!(error.ends_with("a: it exists already and is not replaced; give another name"), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
