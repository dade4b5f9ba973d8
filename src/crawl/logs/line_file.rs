//! A log file to which whole lines are added.

use crate::jobs::open_own;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Adds lines. Lines that could not be written stay in memory and are written
/// before the next ones; none is ever torn or lost while the program runs.
pub(in crate::crawl) struct LineFile {
    file: File,
    path: PathBuf,
    /// Bytes of the file that are whole lines.
    len: u64,
    /// Whether bytes follow them.
    is_torn: bool,
    pending: Vec<u8>,
}

impl LineFile {
    /// Opens the file, made if missing; a line that was torn by a power cut is ended.
    pub(in crate::crawl) fn open(path: &Path) -> io::Result<Self> {
        let mut file = open_own(path, File::options().create(true).append(true).read(true))?;
        let mut len = file.seek(SeekFrom::End(0))?;
        let mut last = *b"\n";
        if len > 0 {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        if last != *b"\n" {
            file.write_all(b"\n")?;
            len += 1;
        }
        Ok(Self { file, path: path.to_owned(), len, is_torn: false, pending: Vec::new() })
    }

    /// Adds lines, each with its end. On an error they are kept for later.
    pub(in crate::crawl) fn add(&mut self, lines: &str) -> io::Result<()> {
        self.pending.extend_from_slice(lines.as_bytes());
        self.flush()
    }

    /// Writes lines that are kept.
    pub(in crate::crawl) fn flush(&mut self) -> io::Result<()> {
        if self.is_torn {
            self.file.set_len(self.len)?;
            self.is_torn = false;
        }
        if self.pending.is_empty() {
            return Ok(());
        }
        // One call for all: lines of several workers never mix.
        if let Err(error) = self.file.write_all(&self.pending) {
            self.is_torn = self.file.set_len(self.len).is_err();
            return Err(error);
        }
        self.len += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }

    /// The path of the file.
    pub(in crate::crawl) fn path(&self) -> &Path {
        &self.path
    }
}
