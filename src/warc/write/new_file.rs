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
        if path.exists() {
            return Err(exists(path, "it exists already and is not replaced; give another name"));
        }
        let mut open_path = OsString::from(path);
        open_path.push(OPEN_SUFFIX);
        let open_path = PathBuf::from(open_path);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&open_path);
        let file = file.map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => {
                exists(&open_path, "it is being written, or was left by a call that was killed")
            }
            _ => WarcError::Io { path: open_path.clone(), source },
        })?;
        Ok(Self { path: path.to_owned(), open_path, out: Some(BufWriter::with_capacity(1 << 18, file)) })
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
