//! The file beside the index that keeps the columns of captures, so that a program that starts has them without reading
//! every capture of the catalogue again.
//!
//! The file is written whole to another name and renamed. It is `FONDSCF2`; bytes of the [`FactsMark`] (8,
//! little-endian as all numbers), and that as JSON; the length of the columns (8); versions and numbers of URLs (4
//! each), dates and sizes (8 each); for each capture 1 where it repeats a payload, 2 where a person reviews it by itself
//! and 4 where it has a text of its own, together (1); of hosts, media, languages, statuses and launches bytes of the
//! names (8), these as JSON, and the number of a name for each capture (4); and a checksum of everything behind
//! `FONDSCF2`.
//!
//! What changes without the captures is not in it: decisions, countries, campaigns and names of launches.

use super::capture_columns::{CaptureFacts, Names32};
use super::near_groups::checksums;
use crate::jobs::{empty_set, replace_own};
use fixedbitset::FixedBitSet;
use foldhash::fast::FoldHasher;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::hash::Hasher;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

/// Name of the file in the folder of the index.
const NAME: &str = "captures.bin";
const MAGIC: [u8; 8] = *b"FONDSCF2";
/// The flags of a capture that repeats a payload, of one that a person reviews by itself, and of one with a text of its
/// own.
const REVISIT: u8 = 1;
const BY_ITSELF: u8 = 2;
const TEXT: u8 = 4;
/// Bytes that are read and written at once.
const CHUNK_BYTES: usize = 1 << 16;

/// Up to where the captures of a catalogue are in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactsMark {
    /// The last capture that the columns have.
    pub through: i64,
    /// The stamp of that capture, so that another catalogue is noticed.
    pub last: String,
    /// Captures that the catalogue had lost by then, and how often columns of captures were changed.
    pub changes: [i64; 2],
}

impl CaptureFacts {
    /// Whether columns were kept, of whatever catalogue.
    pub fn are_kept(folder: &Path) -> bool {
        folder.join(NAME).is_file()
    }

    /// Reads the columns, where their mark is current; none where they are another's, were not kept yet or are damaged.
    pub fn load(folder: &Path, is_current: impl FnOnce(&FactsMark) -> bool) -> Option<Self> {
        let file = crate::jobs::open_own(&folder.join(NAME), File::options().read(true)).ok()?;
        let left = file.metadata().ok()?.len();
        let sum = checksums();
        let mut file = FactReader { file: BufReader::with_capacity(CHUNK_BYTES, file), left, sum };
        let mut magic = [0; MAGIC.len()];
        file.exact(&mut magic)?;
        let mark: FactsMark = serde_json::from_slice(&file.text()?).ok()?;
        if magic != MAGIC || !is_current(&mark) {
            return None;
        }
        file.sum = checksums();
        let len = usize::try_from(file.number()?).ok()?;
        let mut facts = Self::default();
        facts.newest = mark.through;
        facts.versions = file.column(len, u32::from_le_bytes)?;
        facts.urls = file.column(len, u32::from_le_bytes)?;
        facts.dates_ms = file.column(len, i64::from_le_bytes)?;
        facts.sizes = file.column(len, u64::from_le_bytes)?;
        let flags = file.column(len, u8::from_le_bytes)?;
        let set_of = |flag: u8| {
            let mut set = empty_set(len);
            set.extend(flags.iter().enumerate().filter(|(_, flags)| **flags & flag > 0).map(|(at, _)| at));
            set
        };
        (facts.revisits, facts.by_themselves, facts.with_text) = (set_of(REVISIT), set_of(BY_ITSELF), set_of(TEXT));
        for column in
            [&mut facts.hosts, &mut facts.media, &mut facts.languages, &mut facts.statuses, &mut facts.launches]
        {
            *column = file.names(len)?;
        }
        let sum = file.sum.finish();
        (file.number()? == sum && file.left == 0 && facts.versions.iter().zip(0..).all(|(version, at)| *version <= at))
            .then(|| facts.completed())
    }

    /// Keeps the columns.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn save(&self, folder: &Path, mark: &FactsMark) -> io::Result<()> {
        replace_own(&folder.join(NAME), |file| {
            let mark = serde_json::to_vec(mark)?;
            file.write_all(&MAGIC)?;
            file.write_all(&(mark.len() as u64).to_le_bytes())?;
            file.write_all(&mark)?;
            let mut file = FactWriter { file, sum: checksums() };
            file.bytes(&(self.versions.len() as u64).to_le_bytes())?;
            file.column(&self.versions, |number| number.to_le_bytes())?;
            file.column(&self.urls, |number| number.to_le_bytes())?;
            file.column(&self.dates_ms, |number| number.to_le_bytes())?;
            file.column(&self.sizes, |number| number.to_le_bytes())?;
            let flag = |set: &FixedBitSet, at: usize, flag: u8| if set.contains(at) { flag } else { 0 };
            let flags_of = |at| {
                flag(&self.revisits, at, REVISIT)
                    | flag(&self.by_themselves, at, BY_ITSELF)
                    | flag(&self.with_text, at, TEXT)
            };
            let flags: Vec<u8> = (0..self.versions.len()).map(flags_of).collect();
            file.column(&flags, |flags| [flags])?;
            for column in [&self.hosts, &self.media, &self.languages, &self.statuses, &self.launches] {
                let names = serde_json::to_vec(&column.names().collect::<Vec<_>>())?;
                file.bytes(&(names.len() as u64).to_le_bytes())?;
                file.bytes(&names)?;
                file.column(&column.of, |number| number.to_le_bytes())?;
            }
            let sum = file.sum.finish();
            file.bytes(&sum.to_le_bytes())
        })
    }
}

struct FactReader {
    file: BufReader<File>,
    /// Bytes of the file that were not read yet: nothing that it declares is longer.
    left: u64,
    sum: FoldHasher<'static>,
}

impl FactReader {
    fn exact(&mut self, bytes: &mut [u8]) -> Option<()> {
        self.left = self.left.checked_sub(bytes.len() as u64)?;
        self.file.read_exact(bytes).ok()?;
        self.sum.write(bytes);
        Some(())
    }

    fn number(&mut self) -> Option<u64> {
        let mut bytes = [0; 8];
        self.exact(&mut bytes)?;
        Some(u64::from_le_bytes(bytes))
    }

    /// A text behind the number of its bytes.
    fn text(&mut self) -> Option<Vec<u8>> {
        let len = self.number().filter(|len| *len <= self.left)?;
        let mut text = vec![0; usize::try_from(len).ok()?];
        self.exact(&mut text)?;
        Some(text)
    }

    fn column<T, const N: usize>(&mut self, len: usize, number: fn([u8; N]) -> T) -> Option<Vec<T>> {
        if len.checked_mul(N)? as u64 > self.left {
            return None;
        }
        let mut column = Vec::with_capacity(len);
        let mut chunk = [0; CHUNK_BYTES];
        while column.len() < len {
            let chunk = &mut chunk[..CHUNK_BYTES.min((len - column.len()) * N)];
            self.exact(chunk)?;
            column.extend(chunk.as_chunks().0.iter().map(|bytes| number(*bytes)));
        }
        Some(column)
    }

    fn names(&mut self, len: usize) -> Option<Names32> {
        let names: Vec<String> = serde_json::from_slice(&self.text()?).ok()?;
        let of = self.column(len, u32::from_le_bytes)?;
        let last = u32::try_from(names.len().max(1)).ok()?;
        of.iter().all(|number| *number < last).then(|| Names32::of(names, of))
    }
}

struct FactWriter<W> {
    file: W,
    sum: FoldHasher<'static>,
}

impl<W: Write> FactWriter<W> {
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.write(bytes);
        self.file.write_all(bytes)
    }

    fn column<T: Copy, const N: usize>(&mut self, column: &[T], bytes: fn(T) -> [u8; N]) -> io::Result<()> {
        let mut chunk = Vec::with_capacity(CHUNK_BYTES);
        for numbers in column.chunks(CHUNK_BYTES / N) {
            chunk.clear();
            numbers.iter().for_each(|number| chunk.extend_from_slice(&bytes(*number)));
            self.bytes(&chunk)?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::capture_columns::FactsRow;
    use super::*;
    use proptest::prelude::*;

    fn mark(through: i64) -> FactsMark {
        FactsMark { through, last: "2024 sha1:A pt,example)/".to_owned(), changes: [1, 2] }
    }

    fn facts(rows: &[(u8, u8, &str)]) -> CaptureFacts {
        let mut facts = CaptureFacts::default();
        let mut capture = 0;
        for (step, back, name) in rows {
            capture += 1 + i64::from(*step);
            let before = capture - i64::from(*back);
            facts.push(&FactsRow {
                capture,
                version: if facts.version_of(usize::try_from(before).unwrap_or(0)) > 0 { before } else { capture },
                url: i64::from(*back),
                host: name,
                date_ms: -5 + capture * 86_400_000,
                status: i32::from(*back),
                media: name,
                language: "pt",
                launch: i64::from(*step),
                size: capture << 33,
                is_revisit: *back > 0,
                is_by_itself: *step > 1,
                has_text: *back > 1,
            });
        }
        facts
    }

    #[test]
    fn columns_of_another_catalogue_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        assert!(CaptureFacts::load(folder.path(), |_| true).is_none());
        let kept = facts(&[(0, 0, "a.example"), (1, 2, "b.example")]);
        kept.save(folder.path(), &mark(3)).unwrap();
        assert_eq!(CaptureFacts::load(folder.path(), |own| *own == mark(3)), Some(kept));
        assert_eq!(CaptureFacts::load(folder.path(), |own| own.changes == [1, 3]), None);
    }

    #[test]
    fn damage_is_noticed_at_every_byte() {
        let folder = tempfile::tempdir().unwrap();
        let kept = facts(&[(0, 0, "a.example"), (1, 2, "b.example"), (0, 1, "ç \" x")]);
        kept.save(folder.path(), &mark(4)).unwrap();
        let path = folder.path().join(NAME);
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut other = whole.clone();
            other[at] ^= 0x41;
            std::fs::write(&path, other).unwrap();
            assert_eq!(CaptureFacts::load(folder.path(), |own| *own == mark(4)), None, "byte {at}");
            std::fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(CaptureFacts::load(folder.path(), |own| *own == mark(4)), None, "{at} bytes");
        }
    }

    proptest! {
        #[test]
        fn what_is_kept_comes_back(
            rows in prop::collection::vec((0..3_u8, 0..4_u8, prop::sample::select(&["", "a", "b.pt", "\u{0}"][..])), 0..60),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let kept = facts(&rows);
            kept.save(folder.path(), &mark(kept.newest())).unwrap();
            let read = CaptureFacts::load(folder.path(), |_| true).unwrap();
            prop_assert_eq!(&read, &kept);
            // It goes on like the one that was kept.
            let (mut read, mut kept) = (read, kept);
            for facts in [&mut read, &mut kept] {
                let capture = facts.newest() + 1;
                facts.push(&FactsRow {
                    capture, version: capture, url: 7, host: "new", date_ms: 1, status: 200, media: "a", language: "fr", launch: 9,
                    size: 1, is_revisit: true, is_by_itself: false, has_text: true,
                });
            }
            prop_assert_eq!(read, kept);
        }

        #[test]
        fn foreign_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join(NAME), [&MAGIC[..], &bytes].concat()).unwrap();
            CaptureFacts::load(folder.path(), |_| true);
        }
    }
}
