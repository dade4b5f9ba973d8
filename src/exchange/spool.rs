//! Bytes as they came: in memory while they are few, in a nameless temporary
//! file when they are many.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes kept in memory before a file is used.
const MEMORY_BYTES: usize = 4 << 20;

/// A growing sequence of bytes.
#[derive(Debug)]
pub struct Spool {
    memory: Vec<u8>,
    file: Option<File>,
    len: u64,
    folder: PathBuf,
}

impl Spool {
    /// Empty; the temporary file, if one is needed, is made in `folder` and
    /// goes away by itself.
    pub fn new(folder: &Path) -> Self {
        Self { memory: Vec::new(), file: None, len: 0, folder: folder.to_owned() }
    }

    /// Appends bytes. Fails only when the disk does.
    pub fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.file {
            Some(file) => file.write_all(bytes)?,
            None if self.memory.len() + bytes.len() <= MEMORY_BYTES => self.memory.extend_from_slice(bytes),
            None => {
                let mut file = tempfile::tempfile_in(&self.folder)?;
                file.write_all(&self.memory)?;
                file.write_all(bytes)?;
                self.memory = Vec::new();
                self.file = Some(file);
            }
        }
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// The number of bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether nothing came.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Reads everything from byte `offset` on. One reader at a time.
    pub fn reader(&mut self, offset: u64) -> io::Result<Box<dyn Read + '_>> {
        match &mut self.file {
            Some(file) => {
                file.seek(SeekFrom::Start(offset))?;
                Ok(Box::new(AtEnd(file)))
            }
            None => {
                let from = usize::try_from(offset).unwrap_or(usize::MAX).min(self.memory.len());
                Ok(Box::new(&self.memory[from..]))
            }
        }
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.push(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads a file and leaves its cursor at the end, where [`Spool::push`] goes on.
struct AtEnd<'a>(&'a mut File);

impl Read for AtEnd<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        // A failing seek shows up as a failing write or a wrong length later.
        let _ = self.0.seek(SeekFrom::End(0));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn many_bytes_go_to_a_file_and_come_back_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::new(folder.path());
        let block: Vec<u8> = (0..100_000u32).map(|number| (number % 251) as u8).collect();
        let mut expected = Vec::new();
        for _ in 0..60 {
            spool.push(&block).unwrap();
            expected.extend_from_slice(&block);
        }
        assert!(spool.file.is_some());
        assert_eq!(spool.len(), 6_000_000);
        let mut got = Vec::new();
        spool.reader(0).unwrap().take(10).read_to_end(&mut got).unwrap();
        spool.push(b"end").unwrap();
        expected.extend_from_slice(b"end");
        got.clear();
        spool.reader(7).unwrap().read_to_end(&mut got).unwrap();
        assert_eq!(got, expected[7..]);
    }
}
