//! The letters of titles or URLs of all captures in memory, folded, for questions that ask for a part of them.
//!
//! All of them are one row of bytes, so that a part is looked for as fast as memory is read, not row by row. A
//! title takes its own length and 8 bytes; nothing is kept before somebody asks for a part of one.

use fixedbitset::FixedBitSet;
use memchr::memmem::Finder;

/// The texts that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LettersOf {
    /// Titles.
    Titles,
    /// URLs, as they are and without percent-encoding.
    Urls,
}

/// A byte that no text has, behind each.
const END: u8 = 0xff;
/// Bytes of texts that are kept at most: a million URLs of the usual length. Of more, rows are read.
const MOST_BYTES: usize = 96 << 20;
/// Texts behind the last that are tried one by one before they are halved.
const NEAR: usize = 8;

/// The folded texts of captures, one behind the other.
#[derive(Debug, Clone, Default)]
pub struct CaptureLetters {
    bytes: Vec<u8>,
    /// Where each text ends, and whose it is.
    ends: Vec<u32>,
    captures: Vec<u32>,
    newest: i64,
    is_too_long: bool,
}

impl CaptureLetters {
    /// Takes a folded text of a capture in. They come in the order of captures; one may have several.
    pub fn push(&mut self, capture: i64, folded: &str) {
        self.newest = self.newest.max(capture);
        let Ok(number) = u32::try_from(capture) else { return };
        if self.is_too_long || self.bytes.len() + folded.len() > MOST_BYTES {
            *self = Self { newest: self.newest, is_too_long: true, ..Self::default() };
            return;
        }
        self.bytes.extend_from_slice(folded.as_bytes());
        self.bytes.push(END);
        self.ends.push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
        self.captures.push(number);
    }

    /// The newest capture taken in.
    pub fn newest(&self) -> i64 {
        self.newest
    }

    /// Whether the texts are more than are kept.
    pub fn is_too_long(&self) -> bool {
        self.is_too_long
    }

    /// The captures with this folded part in a text.
    pub fn with_part(&self, part: &str) -> FixedBitSet {
        let mut found = FixedBitSet::with_capacity(self.captures.last().map_or(0, |last| *last as usize + 1));
        let finder = Finder::new(part);
        let (mut at, mut nth) = (0, 0);
        while let Some(hit) = self.bytes.get(at..).and_then(|left| finder.find(left)) {
            nth = self.text_at(at + hit, nth);
            let (Some(capture), Some(end)) = (self.captures.get(nth), self.ends.get(nth)) else { break };
            found.insert(*capture as usize);
            at = *end as usize;
        }
        found
    }

    /// The text that a byte is in, which is none before `from`.
    fn text_at(&self, at: usize, from: usize) -> usize {
        let near = self.ends.get(from..).unwrap_or_default();
        let is_before = |end: &u32| *end as usize <= at;
        match near.iter().take(NEAR).position(|end| !is_before(end)) {
            Some(nth) => from + nth,
            None => from + near.partition_point(is_before),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_found_in_the_texts_that_have_it_and_across_none() {
        let mut letters = CaptureLetters::default();
        let texts = ["annual report", "", "report", "port", "re", "port report", "é", "annual"];
        for (capture, text) in (1..).zip(texts.iter().cycle().take(400)) {
            letters.push(capture, text);
        }
        // Another text of the last one.
        letters.push(400, "report 2");
        for part in ["report", "port", "re", "report 2", "é", "annual", "reannual", "zz", "l r", "e"] {
            let expected: Vec<usize> = (1..=400)
                .filter(|capture| {
                    texts[(capture - 1) % 8].contains(part) || *capture == 400 && "report 2".contains(part)
                })
                .collect();
            assert_eq!(letters.with_part(part).ones().collect::<Vec<_>>(), expected, "{part}");
        }
        assert_eq!(letters.newest(), 400);
    }

    #[test]
    fn texts_that_are_too_long_are_not_kept() {
        let mut letters = CaptureLetters::default();
        letters.push(1, &"a".repeat(MOST_BYTES));
        letters.push(2, "b");
        assert!(letters.is_too_long() && letters.with_part("a").is_clear());
        assert_eq!(letters.newest(), 2);
    }
}
