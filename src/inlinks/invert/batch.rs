//! Buffers rows, so that their texts are looked up together.

use super::entry::BLOCK_ROWS;
use super::row::{FLAGS, LinkRow, TargetCapture, encode_tail, plain_tail, when_of_capture, when_of_link, without_nul};
use super::texts::TextId;

/// Texts of waiting rows stay near in memory.
const BATCH_BYTES: usize = 128 * 1024;

/// A row: when, the number of its tail if that is known already, and where
/// its texts end.
struct Waiting {
    when: u64,
    tail: Option<TextId>,
    ends: [usize; 4],
}

/// Rows of one thread.
#[derive(Default)]
pub(super) struct RowBatch {
    rows: Vec<Waiting>,
    texts: Vec<u8>,
    pub(super) links: u64,
    pub(super) captures: u64,
}

/// A column of texts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Column {
    Target,
    Source,
    Anchor,
    Tail,
}

impl RowBatch {
    pub(super) fn push_link(&mut self, row: &LinkRow<'_>) {
        let tail = plain_tail(row).map(TextId::from);
        self.links += 1;
        self.push([row.target, row.source, row.anchor], when_of_link(row.date), tail, |out| match tail {
            Some(_) => {}
            None => encode_tail(row, out),
        });
    }

    pub(super) fn push_capture(&mut self, row: &TargetCapture<'_>) {
        let tail = (row.id == 0).then_some(FLAGS as TextId);
        self.captures += 1;
        self.push([row.target, "", ""], when_of_capture(row.date), tail, |out| match tail {
            Some(_) => {}
            None => out.extend_from_slice(&row.id.to_be_bytes()),
        });
    }

    fn push(&mut self, texts: [&str; 3], when: u64, tail: Option<TextId>, write_tail: impl FnOnce(&mut Vec<u8>)) {
        let mut ends = [0; 4];
        let start = self.texts.len();
        for (end, text) in ends.iter_mut().zip(texts) {
            self.texts.extend_from_slice(text.as_bytes());
            *end = self.texts.len();
        }
        if self.texts.get(start..).is_some_and(|texts| memchr::memchr(0, texts).is_some()) {
            self.texts.truncate(start);
            for (end, text) in ends.iter_mut().zip(texts) {
                self.texts.extend_from_slice(&without_nul(text));
                *end = self.texts.len();
            }
        }
        write_tail(&mut self.texts);
        ends[3] = self.texts.len();
        self.rows.push(Waiting { when, tail, ends });
    }

    /// Whether the rows should be looked up now; `room` is what they may take, in bytes.
    #[inline]
    pub(super) fn is_full(&self, room: usize) -> bool {
        self.rows.len() >= BLOCK_ROWS || self.texts.len() >= BATCH_BYTES.min(room)
    }

    /// Memory of the rows, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.rows.len() * size_of::<Waiting>() + self.texts.len()
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The texts of a column.
    pub(super) fn column(&self, column: Column) -> impl Iterator<Item = &[u8]> {
        let number = column as usize;
        let mut before = 0;
        self.rows.iter().map(move |row| {
            let start = number.checked_sub(1).and_then(|left| row.ends.get(left)).copied().unwrap_or(before);
            before = row.ends[3];
            self.texts.get(start..row.ends[number]).unwrap_or_default()
        })
    }

    /// Time, and the tail if it is known, of each row.
    pub(super) fn rest(&self) -> impl Iterator<Item = (u64, Option<TextId>)> {
        self.rows.iter().map(|row| (row.when, row.tail))
    }

    /// Forgets the rows and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.texts.clear();
        (self.links, self.captures) = (0, 0);
    }
}
