//! Inflates whole gzip members at once.
//!
//! libdeflate inflates about half as fast again as a decoder of streams, but needs the whole member and does
//! not report its end. So the end is guessed (the next gzip header, or the end of the file) and then proven:
//! libdeflate compares checksum and length with the eight bytes after the real end of the stream; those four
//! bytes of length occur once between the header and the guess, right before the guess; so this is where the
//! member ends. What cannot be proven is streamed.

use super::gzip;
use super::input::Input;
use libdeflater::Decompressor;
use memchr::memmem;
use std::io::{self, Read};

/// Members that are longer than this, compressed or not, are streamed.
pub(super) const MAX_WHOLE: usize = 4 * 1024 * 1024;

/// Wrong guesses (a payload may hold gzip headers) before a member is streamed.
const MAX_WRONG: usize = 4;

/// Headers that cannot be where the next member begins, before a member is
/// streamed: the search runs over bytes that the next member searches again.
const MAX_PASSED: usize = 64;

/// Room behind the decoded bytes: libdeflate is slow at the edge of its output.
const SLACK: usize = 512;

/// Deflate never squeezes more than this.
const MAX_RATIO: usize = 1032;

/// Inflates members as a whole.
pub(super) struct WholeMembers {
    inflate: Decompressor,
    header: memmem::Finder<'static>,
}

/// Possible end of a member.
pub(super) struct Guess {
    /// Bytes of the member with header and trailer.
    pub raw_len: usize,
    /// Declared bytes after decoding.
    len: usize,
}

/// The search for the end of one member.
#[derive(Default)]
pub(super) struct Search {
    /// Bytes of the member that were searched.
    searched: usize,
    wrong: usize,
    passed: usize,
    at_end: bool,
}

impl Guess {
    /// Room that [`WholeMembers::inflate`] wants.
    pub(super) fn room(&self) -> usize {
        self.len + SLACK
    }
}

impl WholeMembers {
    pub(super) fn new() -> Self {
        Self { inflate: Decompressor::new(), header: memmem::Finder::new(&gzip::MAGIC) }
    }

    /// Guesses the end of the member at the next raw byte, with a header of `header_len` bytes; `None` when
    /// it has to be streamed.
    pub(super) fn guess<R: Read>(
        &self,
        search: &mut Search,
        header_len: usize,
        input: &mut Input<R>,
    ) -> io::Result<Option<Guess>> {
        let least = header_len + gzip::TRAILER;
        search.searched = search.searched.max(least);
        while search.wrong < MAX_WRONG && search.passed < MAX_PASSED && search.searched <= MAX_WHOLE {
            let window = input.window();
            let found = window.get(search.searched..).and_then(|rest| self.header.find(rest));
            let end = match found {
                Some(place) => search.searched + place,
                None if search.at_end => break,
                None => {
                    // The magic may straddle the edge of the window.
                    search.searched = search.searched.max(window.len().saturating_sub(gzip::MAGIC.len() - 1));
                    if input.fill()? {
                        continue;
                    }
                    search.at_end = true;
                    input.window().len()
                }
            };
            search.searched = search.searched.max(end + 1);
            let guess = guess_at(input.window(), end, least);
            if guess.is_some() {
                return Ok(guess);
            }
            search.passed += 1;
        }
        Ok(None)
    }

    /// Inflates `raw` into `out`; `None` when the guess is not proven.
    pub(super) fn inflate(
        &mut self,
        search: &mut Search,
        guess: &Guess,
        header_len: usize,
        raw: &[u8],
        out: &mut [u8],
    ) -> Option<usize> {
        match self.inflate.gzip_decompress(raw, &mut out[..guess.len + SLACK]) {
            Ok(len) if len == guess.len && is_length_unique(&raw[header_len..]) => Some(len),
            // It ends before the guess, or perhaps does.
            Ok(_) => {
                search.wrong = MAX_WRONG;
                None
            }
            // It ends behind the guess, or is damaged.
            Err(_) => {
                search.wrong += 1;
                None
            }
        }
    }
}

fn guess_at(window: &[u8], end: usize, least: usize) -> Option<Guess> {
    let raw = window.get(..end).filter(|raw| raw.len() >= least && raw.len() <= MAX_WHOLE)?;
    let len = u32::from_le_bytes(*raw.last_chunk()?) as usize;
    let is_header = gzip::header_len(&window[end..]).is_ok() || end == window.len();
    (is_header && len <= MAX_WHOLE && len / MAX_RATIO <= end).then_some(Guess { raw_len: end, len })
}

/// Whether the last four bytes occur once.
fn is_length_unique(raw: &[u8]) -> bool {
    match (raw.last_chunk::<4>(), raw.split_last()) {
        (Some(len), Some((_, before))) => memmem::find(before, len).is_none(),
        _ => false,
    }
}
