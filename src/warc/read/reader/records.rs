//! The records of a file as an iterator.

use super::super::super::{Problem, Record, WarcError};
use super::ArchiveReader;
use std::io::Read;

/// The whole records of a file; problems wait in the reader.
pub struct Records<R> {
    pub(super) reader: ArchiveReader<R>,
    pub(super) max_block: usize,
}

impl<R: Read> Records<R> {
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
