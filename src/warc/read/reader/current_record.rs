//! Bytes and offsets of the current record, known before it is read to its end, for copying it byte for byte.

use super::{ArchiveReader, GzipNote, SharedMember};
use std::io::Read;

impl<R: Read> ArchiveReader<R> {
    /// Keeps the bytes of heads from here on, for [`head_bytes`](Self::head_bytes).
    pub fn keep_head_bytes(&mut self) {
        self.head_bytes.get_or_insert_default();
    }

    /// Bytes of the current head in the file, its empty line included; empty unless
    /// [`keep_head_bytes`](Self::keep_head_bytes) was called before.
    pub fn head_bytes(&self) -> &[u8] {
        self.head_bytes.as_deref().unwrap_or_default()
    }

    /// The line breaks after the record that was just ended, at most 64 bytes
    /// of them; empty unless [`keep_head_bytes`](Self::keep_head_bytes) was called before.
    pub fn break_bytes(&self) -> &[u8] {
        &self.break_bytes
    }

    /// Offset in the file of the current record, or of the one just ended: of the member it begins in, where
    /// the file is compressed.
    pub fn record_offset(&self) -> u64 {
        self.begins_at
    }

    /// Offset of that record in the decompressed file.
    pub fn decoded_record_offset(&self) -> u64 {
        self.begins_at_decoded
    }

    /// The compressed member that it begins in; none in a plain file, and where
    /// the file cannot be entered at that member.
    pub fn member_of_record(&self) -> Option<SharedMember> {
        self.begins_in
    }

    /// Number of compressed members of the record that was just ended; 1 in a sound file.
    pub fn members_of_record(&self) -> u64 {
        self.joined + 1
    }

    /// Values in the gzip header before the record that was just ended; none where it has none, or belongs to
    /// another record.
    pub fn gzip_note(&self) -> Option<GzipNote> {
        self.gzip_note
    }
}
