//! Encodes rows as numbers in memory, and as bytes on the disk.

use super::blocks::{checksum, invalid, read_at, write_at};
use super::dictionary::SETS;
use super::row::{FLAGS, LINK};
use super::texts::TextId;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Rows that are passed on together.
pub(super) const BLOCK_ROWS: usize = 1024;

/// Tails with numbers below this are no texts: those of links that hold
/// nothing but kind and marks, and that of a capture without number.
pub(super) const PLAIN_TAILS: TextId = FLAGS as TextId + 1;

/// A row. The target is the number of its text, or its rank among the keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) when: u64,
    pub(super) target: u32,
    pub(super) source: TextId,
    pub(super) anchor: TextId,
    pub(super) tail: TextId,
}

/// Memory of one row, in bytes.
pub(super) const ENTRY_BYTES: usize = size_of::<Entry>();

/// Dates of archives are whole seconds; `when` has milliseconds.
const SECOND: u64 = 1000;

/// Format of some rows: of each number only the bits in which the rows differ. Rows that come together are
/// some decades apart at most, nearly all in whole seconds, and most have one tail.
#[derive(Debug, Clone, Copy)]
struct Form {
    whens: Whens,
    /// Of targets, sources, anchors and tails.
    texts: [Packed; 4],
    /// Of one row.
    bytes: u8,
}

/// Format of the kinds and dates of rows.
#[derive(Debug, Clone, Copy)]
struct Whens {
    /// With the kind, where all have the same.
    least: u64,
    bits: u8,
    in_seconds: bool,
    /// Whether captures are among links: then the kind is the lowest bit.
    mixed: bool,
}

/// Format of the numbers of texts: differences from the least.
#[derive(Debug, Clone, Copy)]
struct Packed {
    least: TextId,
    bits: u8,
    /// Whether the highest bits, which name the set of a text, are put behind
    /// the others: sets seldom fill the bits between.
    turned: bool,
}

/// The bits that name a set.
const ROTATION: u32 = SETS.ilog2();

/// Length of a row that cannot be written shorter, in bytes.
const WIDEST: u8 = (size_of::<u64>() + 4 * size_of::<TextId>()) as u8;

/// Rows are written and read in such words, of which the rest is overwritten or ignored.
type Word = u128;
const WORD: usize = size_of::<Word>();

fn bits_of(most: u64) -> u8 {
    (u64::BITS - most.leading_zeros()) as u8
}

fn mask(bits: u8) -> u64 {
    u64::MAX.unbounded_shr(u64::BITS - u32::from(bits))
}

impl Whens {
    fn of(rows: &[Entry]) -> Self {
        let mixed = rows.iter().any(|row| row.when & LINK != 0) && rows.iter().any(|row| row.when & LINK == 0);
        let counts = if mixed { !LINK } else { u64::MAX };
        let whens = || rows.iter().map(|row| row.when & counts);
        let (least, most) = (whens().min().unwrap_or(0), whens().max().unwrap_or(0));
        let in_seconds = whens().all(|when| (when - least).is_multiple_of(SECOND));
        let most = (most - least) / if in_seconds { SECOND } else { 1 };
        Self { least, bits: bits_of(most) + u8::from(mixed), in_seconds, mixed }
    }

    #[inline]
    fn number(self, when: u64) -> u64 {
        let after = (if self.mixed { when & !LINK } else { when }).wrapping_sub(self.least);
        let number = if self.in_seconds { after / SECOND } else { after };
        if self.mixed { number << 1 | when >> 63 } else { number }
    }

    #[inline]
    fn when(self, number: u64) -> u64 {
        let (kind, number) = if self.mixed { (number << 63, number >> 1) } else { (0, number) };
        kind | self.least.wrapping_add(if self.in_seconds { number * SECOND } else { number })
    }
}

impl Packed {
    fn of(ids: impl Iterator<Item = TextId>) -> Self {
        let (mut plain, mut turned) = ((TextId::MAX, 0), (TextId::MAX, 0));
        for id in ids {
            let other = id.rotate_left(ROTATION);
            plain = (id.min(plain.0), id.max(plain.1));
            turned = (other.min(turned.0), other.max(turned.1));
        }
        let of = |(least, most): (TextId, TextId), turned| {
            let least = least.min(most);
            Self { least, bits: bits_of((most - least).into()), turned }
        };
        let (plain, turned) = (of(plain, false), of(turned, true));
        if turned.bits < plain.bits { turned } else { plain }
    }

    #[inline]
    fn number(self, id: TextId) -> TextId {
        (if self.turned { id.rotate_left(ROTATION) } else { id }).wrapping_sub(self.least)
    }

    #[inline]
    fn id(self, number: TextId) -> TextId {
        let id = self.least.wrapping_add(number);
        if self.turned { id.rotate_right(ROTATION) } else { id }
    }
}

impl Form {
    fn of(rows: &[Entry]) -> Self {
        let whens = Whens::of(rows);
        let texts =
            [|row: &Entry| row.target, |row: &Entry| row.source, |row: &Entry| row.anchor, |row: &Entry| row.tail];
        let texts = texts.map(|text| Packed::of(rows.iter().map(text)));
        let bits = texts.iter().map(|text| u32::from(text.bits)).sum::<u32>() + u32::from(whens.bits);
        let bytes = if bits < Word::BITS { bits.div_ceil(8).max(1) as u8 } else { WIDEST };
        Self { whens, texts, bytes }
    }

    fn row_bytes(&self) -> usize {
        usize::from(self.bytes)
    }

    /// Appends the bytes of the rows.
    fn write(&self, rows: &[Entry], out: &mut Vec<u8>) {
        if self.bytes == WIDEST {
            for row in rows {
                out.extend_from_slice(&row.when.to_le_bytes());
                let texts = [row.target, row.source, row.anchor, row.tail];
                texts.iter().for_each(|text| out.extend_from_slice(&text.to_le_bytes()));
            }
            return;
        }
        let end = out.len() + rows.len() * self.row_bytes();
        let starts = (out.len()..).step_by(self.row_bytes());
        out.resize(end + WORD, 0);
        for (at, row) in starts.zip(rows) {
            let mut word = Word::from(self.whens.number(row.when));
            let mut shift = u32::from(self.whens.bits);
            for (text, id) in self.texts.iter().zip([row.target, row.source, row.anchor, row.tail]) {
                word |= Word::from(text.number(id)) << shift;
                shift += u32::from(text.bits);
            }
            if let Some(place) = out.get_mut(at..at + WORD) {
                place.copy_from_slice(&word.to_le_bytes());
            }
        }
        out.truncate(end);
    }

    /// Puts what was written in the place of `rows`; behind it in `bytes` there
    /// is a word of anything.
    fn read(&self, bytes: &[u8], rows: &mut [Entry]) -> Option<()> {
        if self.bytes == WIDEST {
            for (row, bytes) in rows.iter_mut().zip(bytes.chunks_exact(usize::from(WIDEST))) {
                let (when, texts) = bytes.split_first_chunk()?;
                let [target, source, anchor, tail] = *texts.as_chunks().0.first_chunk()?;
                let [target, source, anchor, tail] = [target, source, anchor, tail].map(TextId::from_le_bytes);
                *row = Entry { when: u64::from_le_bytes(*when), target, source, anchor, tail };
            }
            return Some(());
        }
        let mut shift = u32::from(self.whens.bits);
        let texts = self.texts.map(|text| {
            let from = shift;
            shift += u32::from(text.bits);
            (text, from, mask(text.bits) as TextId)
        });
        let when_mask = mask(self.whens.bits);
        for (at, row) in (0..).step_by(self.row_bytes()).zip(rows) {
            let word = Word::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
            row.when = self.whens.when(word as u64 & when_mask);
            let [target, source, anchor, tail] =
                texts.map(|(text, shift, mask)| text.id((word >> shift) as TextId & mask));
            (row.target, row.source, row.anchor, row.tail) = (target, source, anchor, tail);
        }
        Some(())
    }
}

/// Place of rows in a spool.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpoolSegment {
    file: usize,
    offset: u64,
    pub(super) rows: usize,
    form: Form,
    checksum: u32,
}

impl SpoolSegment {
    /// Bytes of the rows on the disk.
    pub(super) fn bytes(&self) -> usize {
        self.rows * self.form.row_bytes()
    }
}

/// Rows on the disk, in a file without name that the system frees when the
/// program ends, however it ends.
#[derive(Default)]
pub(super) struct Spool {
    file: Mutex<Option<Arc<File>>>,
    /// Bytes that were written, or are being written by some thread.
    bytes: AtomicU64,
    /// Its number among those that are read together.
    number: usize,
}

impl Spool {
    /// To be read together with rows that are on the disk already.
    pub(super) fn after(spooled: &Spooled) -> Self {
        Self { number: spooled.files.len(), ..Self::default() }
    }

    /// Appends rows; `bytes` is room for them. Threads do not wait for each other.
    pub(super) fn write(&self, folder: &Path, rows: &[Entry], bytes: &mut Vec<u8>) -> io::Result<SpoolSegment> {
        let file = self.file(folder)?;
        let form = Form::of(rows);
        bytes.clear();
        form.write(rows, bytes);
        let offset = self.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        write_at(&file, bytes, offset)?;
        Ok(SpoolSegment { file: self.number, offset, rows: rows.len(), form, checksum: checksum(bytes) })
    }

    fn file(&self, folder: &Path) -> io::Result<Arc<File>> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = &*file {
            return Ok(Arc::clone(file));
        }
        Ok(Arc::clone(file.insert(Arc::new(tempfile::tempfile_in(folder)?))))
    }

    /// No more rows come.
    pub(super) fn finish(self) -> Spooled {
        let file = self.file.into_inner().unwrap_or_else(PoisonError::into_inner);
        Spooled { files: vec![file], bytes: self.bytes.into_inner() }
    }
}

/// A spool that is read.
#[derive(Default)]
pub(super) struct Spooled {
    files: Vec<Option<Arc<File>>>,
    pub(super) bytes: u64,
}

impl Spooled {
    /// Takes the rows of a spool that comes after this one.
    pub(super) fn append(&mut self, mut after: Self) {
        self.files.append(&mut after.files);
        self.bytes += after.bytes;
    }

    /// Appends the rows of a segment to `rows`.
    pub(super) fn read(&self, segment: SpoolSegment, bytes: &mut Vec<u8>, rows: &mut Vec<Entry>) -> io::Result<()> {
        let file = self.files.get(segment.file).and_then(Option::as_ref);
        let file = file.ok_or_else(|| invalid("rows on the disk are gone"))?;
        bytes.resize(segment.bytes() + WORD, 0);
        let written = bytes.get_mut(..segment.bytes()).unwrap_or_default();
        read_at(file, written, segment.offset)?;
        if checksum(written) != segment.checksum {
            return Err(invalid("rows on the disk are not as they were written"));
        }
        let had = rows.len();
        rows.resize(had + segment.rows, Entry::default());
        let read = rows.get_mut(had..).and_then(|rows| segment.form.read(bytes, rows));
        read.ok_or_else(|| invalid("rows on the disk are gone"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(n: u32) -> Entry {
        let set = (n % 32).rotate_right(ROTATION);
        Entry {
            when: (1 << 63) | (u64::from(n) * 1000),
            target: set | n,
            source: n * 7,
            anchor: u32::MAX - n,
            tail: n % 256,
        }
    }

    #[test]
    fn rows_come_back_from_the_disk_as_they_went() {
        let folder = tempfile::tempdir().unwrap();
        let plain: Vec<Entry> = (0..1000).map(row).collect();
        let millis = (0..1000).map(|n| Entry { when: u64::MAX - u64::from(n), ..row(n) });
        // Captures among links, and tails that are texts.
        let mixed = |n: u32| Entry { when: row(n).when ^ (u64::from(n % 2) << 63), tail: 300 - n % 100, ..row(n) };
        let mixed = (0..1000).map(mixed);
        let wide = (0..1000_u32).map(|n| {
            let any = n.wrapping_mul(0x9e37_79b9);
            Entry { when: u64::from(any) << 32 | u64::from(n), target: any, source: !any, anchor: any ^ n, tail: any }
        });
        let same = std::iter::repeat_n(row(7), 1000);
        let rows: Vec<Entry> = plain.iter().copied().chain(millis).chain(mixed).chain(wide).chain(same).collect();
        let spool = Spool::default();
        let segments: Vec<SpoolSegment> =
            rows.chunks(250).map(|some| spool.write(folder.path(), some, &mut Vec::new()).unwrap()).collect();
        assert_eq!([0, 4, 8, 12, 16].map(|at: usize| segments[at].bytes() / 250), [6, 6, 6, 24, 1]);
        let spooled = spool.finish();
        assert_eq!(spooled.bytes, segments.iter().map(|segment| segment.bytes() as u64).sum::<u64>());
        let (mut bytes, mut got) = (Vec::new(), Vec::new());
        segments.iter().for_each(|&segment| spooled.read(segment, &mut bytes, &mut got).unwrap());
        assert_eq!(got, rows);
        for other in [SpoolSegment { file: 9, ..segments[0] }, SpoolSegment { checksum: 0, ..segments[0] }] {
            assert!(spooled.read(other, &mut bytes, &mut got).is_err());
        }
    }
    proptest! {
        #[test]
        fn rows_of_any_width_come_back(
            widths in [0_u32..=63, 0..=32, 0..=32, 0..=32, 0..=32],
            mixed in any::<bool>(),
            unit in prop_oneof![Just(1_u64), Just(SECOND)],
            any in prop::collection::vec(any::<[u64; 5]>(), 1..60),
        ) {
            let cut = |number: u64, bits: u32| number & u64::MAX.unbounded_shr(u64::BITS - bits);
            let rows: Vec<Entry> = any
                .into_iter()
                .map(|any| {
                    let date = cut(any[0], widths[0]) / unit * unit;
                    let [target, source, anchor, tail] = [1, 2, 3, 4].map(|at| cut(any[at], widths[at]) as TextId);
                    Entry { when: date | if mixed { any[0] & LINK } else { LINK }, target, source, anchor, tail }
                })
                .collect();
            let form = Form::of(&rows);
            let mut bytes = Vec::new();
            form.write(&rows, &mut bytes);
            prop_assert_eq!(bytes.len(), rows.len() * form.row_bytes());
            let mut got = vec![Entry::default(); rows.len()];
            bytes.extend([0xff; WORD]);
            prop_assert_eq!(form.read(&bytes, &mut got), Some(()));
            prop_assert_eq!(got, rows);
        }
    }
}
