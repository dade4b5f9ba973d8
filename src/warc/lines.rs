//! Reads lines of untrusted text files with a limit on their length.

use std::io::{self, BufRead, Read};

/// Lines one after the other, each of at most `max` bytes.
pub(super) struct Lines<R> {
    input: R,
    max: usize,
    number: u64,
    buffer: Vec<u8>,
}

/// A line without its line break.
pub(super) enum Line<'a> {
    Text(&'a str),
    NotUtf8(&'a [u8]),
    /// It is passed over; this is how it begins.
    TooLong(&'a [u8]),
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R, max: usize) -> Self {
        Self { input, max, number: 0, buffer: Vec::new() }
    }

    /// The number of the present line, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The next line; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        self.number += 1;
        let limit = self.max as u64 + 1;
        if self.input.by_ref().take(limit).read_until(b'\n', &mut self.buffer)? == 0 {
            return Ok(None);
        }
        if !self.buffer.ends_with(b"\n") && self.buffer.len() > self.max {
            self.pass_rest()?;
            return Ok(Some(Line::TooLong(&self.buffer[..self.max.min(200)])));
        }
        let text = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        Ok(Some(std::str::from_utf8(text).map_or(Line::NotUtf8(text), Line::Text)))
    }

    fn pass_rest(&mut self) -> io::Result<()> {
        loop {
            let chunk = self.input.fill_buf()?;
            let end = memchr::memchr(b'\n', chunk);
            let len = end.map_or(chunk.len(), |end| end + 1);
            self.input.consume(len);
            if end.is_some() || len == 0 {
                return Ok(());
            }
        }
    }
}
