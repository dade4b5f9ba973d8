//! Buffers the raw bytes of a file with their offset.

use std::io::{self, Read};

/// Bytes read from the source at once.
const CHUNK: usize = 128 * 1024;

/// Bytes read first: enough for most records that are read by their place.
const FIRST_CHUNK: usize = 32 * 1024;

/// Bytes that are read behind those that are expected: where a member begins there, the
/// one before has ended.
const BEHIND: usize = 64;

/// Bytes that can be gone back over in any case; what is further back may be
/// dropped.
pub(in crate::warc) const RETAIN: usize = 4 * 1024 * 1024;

/// A buffered source that knows its offset and can go back to a mark, so that
/// a search for the next record can begin inside a damaged stretch that a
/// decoder has already run over.
pub(super) struct Input<R> {
    inner: R,
    buf: Vec<u8>,
    start: usize,
    end: usize,
    mark: usize,
    /// Offset in the file of `buf[0]`.
    base: u64,
    eof: bool,
    retain: usize,
    first_chunk: usize,
}

impl<R: Read> Input<R> {
    /// `base` is the offset of `inner` in the file.
    pub(super) fn new(inner: R, base: u64) -> Self {
        Self {
            inner,
            buf: Vec::new(),
            start: 0,
            end: 0,
            mark: 0,
            base,
            eof: false,
            retain: RETAIN,
            first_chunk: FIRST_CHUNK,
        }
    }

    /// As [`new`](Self::new), for so many bytes and the begin of what follows them.
    pub(super) fn expecting(inner: R, base: u64, len: u64) -> Self {
        let first_chunk = usize::try_from(len).unwrap_or(CHUNK).saturating_add(BEHIND).min(CHUNK);
        Self { first_chunk, ..Self::new(inner, base) }
    }

    /// Bytes that can be gone back over; [`RETAIN`] unless set.
    pub(super) fn retained(&self) -> usize {
        self.retain
    }

    pub(super) fn retain(&mut self, bytes: usize) {
        self.retain = bytes;
    }

    /// Offset in the file of the next byte.
    pub(super) fn offset(&self) -> u64 {
        self.base + self.start as u64
    }

    /// Bytes read and not yet used.
    pub(super) fn window(&self) -> &[u8] {
        &self.buf[self.start..self.end]
    }

    pub(super) fn consume(&mut self, len: usize) {
        self.start = (self.start + len).min(self.end);
    }

    /// Remembers the next byte as the place to go back to.
    pub(super) fn set_mark(&mut self) {
        self.mark = self.start;
    }

    /// Goes back to `offset`, or as near to it as is still held.
    pub(super) fn go_back_to(&mut self, offset: u64) {
        let place = offset.saturating_sub(self.base).min(self.end as u64) as usize;
        self.start = place;
        self.mark = place;
    }

    /// Adds bytes to the window; `false` at the end of the source.
    pub(super) fn fill(&mut self) -> io::Result<bool> {
        if self.eof {
            return Ok(false);
        }
        if self.buf.is_empty() {
            // The system gives zeroed memory, of which only what is read into is touched.
            self.buf = vec![0; self.first_chunk];
        } else if self.buf.len() - self.end < CHUNK {
            let keep = self.mark.min(self.start).max(self.start.saturating_sub(self.retain));
            self.buf.copy_within(keep..self.end, 0);
            self.base += keep as u64;
            self.start -= keep;
            self.end -= keep;
            self.mark = self.mark.saturating_sub(keep);
            if self.buf.len() - self.end < CHUNK {
                self.buf.resize((self.buf.len() * 2).max(self.end + 2 * CHUNK), 0);
            }
        }
        let len = read_some(&mut self.inner, &mut self.buf[self.end..])?;
        self.end += len;
        self.eof = len == 0;
        Ok(!self.eof)
    }

    /// Reads into `out` without holding the bytes: there is no way back to them.
    pub(super) fn read_through(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.start < self.end {
            return self.read(out);
        }
        if self.eof {
            return Ok(0);
        }
        let len = read_some(&mut self.inner, out)?;
        self.eof = len == 0;
        self.base += (self.end + len) as u64;
        (self.start, self.end, self.mark) = (0, 0, 0);
        Ok(len)
    }

    /// At least `len` bytes, fewer only at the end of the source.
    pub(super) fn peek(&mut self, len: usize) -> io::Result<&[u8]> {
        while self.end - self.start < len {
            if !self.fill()? {
                break;
            }
        }
        Ok(self.window())
    }
}

impl<R: Read> Read for Input<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.start == self.end && !self.fill()? {
            return Ok(0);
        }
        let len = out.len().min(self.end - self.start);
        out[..len].copy_from_slice(&self.buf[self.start..self.start + len]);
        self.start += len;
        Ok(len)
    }
}

fn read_some(source: &mut impl Read, out: &mut [u8]) -> io::Result<usize> {
    loop {
        match source.read(out) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
