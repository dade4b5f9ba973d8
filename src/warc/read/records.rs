//! Iterates over the whole records of a file, and the format that another reader of the same file must know.

use super::super::{Problem, Record, WarcError};
use super::members::Compression;
use super::reader::ArchiveReader;
use std::io::Read;

/// The whole records of a file; problems wait in the reader.
pub struct Records<R> {
    reader: ArchiveReader<R>,
    max_block: usize,
}

impl<R: Read> Records<R> {
    pub(super) fn new(reader: ArchiveReader<R>, max_block: usize) -> Self {
        Self { reader, max_block }
    }

    /// See [`ArchiveReader::take_problems`].
    pub fn take_problems(&mut self) -> Vec<Problem> {
        self.reader.take_problems()
    }
}

impl<R: Read> Iterator for Records<R> {
    type Item = Result<Record, WarcError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.reader.next_record(self.max_block).transpose()
    }
}

/// Properties of a whole file, read at its beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileFormat {
    pub compression: Compression,
    pub arc_version: String,
}

impl FileFormat {
    /// Whether a reader can begin in the middle of the file. Frames of zstd may need a dictionary, and their
    /// magic alone may be chance.
    pub(super) fn can_be_entered(&self) -> bool {
        self.compression != Compression::Zstd
    }
}
