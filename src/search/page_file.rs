//! The file of pages beside the index: what was read of each content version, so that nobody reads its record again.
//!
//! A file of its own, not stored fields of the engine: the engine copies what it stores with each merge of segments,
//! through memory that it maps. Here a page is written once, and read with no more memory than one block.
//!
//! `pages.bin` is `FONDSPG1` and the number of the index (8 bytes, little-endian as all numbers),
//! then blocks: bytes of the pages in it, bytes that they take packed (4 each), a checksum of these
//! (8), and the packed pages (LZ4). Pages follow each other in a block: bytes of the page behind
//! this number (4), its version (8), bytes of head, facts and main text (4 each), these, and the
//! rest of the text. Head is JSON ([`StoredPage`]), facts are JSON of whoever reads records; empty
//! where the record could not be read.
//!
//! Invariants: the file only grows, and is cut to what the index committed when it is opened for
//! writing; the index has the place of a page ([`PageSlot`]). What is damaged is never taken for a
//! page: the index is made again then.

use crate::jobs::lock;
use crate::text::{LANGUAGE_BYTES, LineOrder, likeliest_language};
use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Name of the file in the folder of the index.
const NAME: &str = "pages.bin";
const MAGIC: [u8; 8] = *b"FONDSPG1";
/// Bytes before the first block.
const HEADER_BYTES: u64 = 16;
/// Bytes of pages after which a block ends: one is unpacked to read a page of it.
const BLOCK_BYTES: usize = 32 << 10;
/// Bytes before the packed pages of a block.
const BLOCK_HEADER_BYTES: usize = 16;
/// Bytes before what is kept of a page.
const PAGE_HEADER_BYTES: usize = 24;
/// A longer block is none: limits of text and facts are far below.
const MAX_BLOCK_BYTES: usize = 64 << 20;
/// LZ4 makes no more than so many bytes of one.
const MOST_UNPACKED: usize = 255;
/// Bits of a [`PageSlot`] for the number of the page in its block.
const NTH_BITS: u32 = 16;

/// The place of a page in the file: its block, and its number in the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageSlot(pub(super) u64);

impl PageSlot {
    fn block(self) -> u64 {
        self.0 >> NTH_BITS
    }

    fn nth(self) -> usize {
        (self.0 & ((1 << NTH_BITS) - 1)) as usize
    }
}

/// A content version as it was read. Hostile text. Serialized fields come before its facts and
/// texts in the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StoredPage {
    /// Number of the version: its first capture.
    #[serde(skip)]
    pub version: u64,
    /// Title.
    pub title: String,
    /// Meta description.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The words of the URL of its first capture.
    pub url: String,
    /// Language (ISO 639-1), empty where it is not known.
    pub language: String,
    /// Its date of publication, in seconds, and how that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<(i64, String)>,
    /// The order of the lines of main text and rest.
    pub order: LineOrder,
    /// Main text.
    #[serde(skip)]
    pub main: String,
    /// Menus, footers and the like.
    #[serde(skip)]
    pub rest: String,
    /// Facts of its record, as JSON; empty where that could not be read.
    #[serde(skip)]
    pub facts: Vec<u8>,
}

impl StoredPage {
    /// The visible text of the page, in its order.
    pub fn text(&self) -> String {
        self.order.join(&self.main, &self.rest)
    }

    /// Whether its record could be read.
    pub fn is_read(&self) -> bool {
        !self.facts.is_empty()
    }

    /// The language by whose rules its words have stems: its own, or the likeliest one where that is unknown.
    pub fn stem_language(&self) -> &str {
        match self.language.as_str() {
            "" => {
                let begin = self.main.get(..self.main.floor_char_boundary(LANGUAGE_BYTES)).unwrap_or_default();
                likeliest_language(&format!("{}\n{begin}", self.title))
            }
            own => own,
        }
    }
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = FixedState::with_seed(0).build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

fn damaged(why: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why.to_owned())
}

fn length_of(bytes: usize) -> io::Result<[u8; 4]> {
    let length = u32::try_from(bytes).ok().filter(|_| bytes <= MAX_BLOCK_BYTES);
    length.map(u32::to_le_bytes).ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "a page is too long to be kept"))
}

/// The file, open for writing.
pub(super) struct PageWriter {
    file: File,
    /// The number of its index.
    pub id: u64,
    /// The place of the current block.
    end: u64,
    block: Vec<u8>,
    /// Pages of the current block.
    pages: u64,
    head: Vec<u8>,
}

impl PageWriter {
    /// Makes the file of a new index.
    pub fn create(folder: &Path) -> io::Result<Self> {
        let mut file =
            crate::jobs::open_own(&folder.join(NAME), File::options().write(true).create(true).truncate(true))?;
        let id = uuid::Uuid::new_v4().as_u64_pair().0;
        file.write_all(&MAGIC)?;
        file.write_all(&id.to_le_bytes())?;
        Ok(Self::at(file, id, HEADER_BYTES))
    }

    /// Opens the file of an index, cut to what that has committed.
    pub fn resume(folder: &Path, id: u64, len: u64) -> io::Result<Self> {
        PageFile::open(folder, id)?;
        let mut file = crate::jobs::open_own(&folder.join(NAME), File::options().write(true))?;
        if file.metadata()?.len() < len || len < HEADER_BYTES {
            return Err(damaged("its end is missing"));
        }
        file.set_len(len)?;
        file.seek(SeekFrom::Start(len))?;
        Ok(Self::at(file, id, len))
    }

    fn at(file: File, id: u64, end: u64) -> Self {
        Self { file, id, end, block: Vec::new(), pages: 0, head: Vec::new() }
    }

    /// Takes a page in; where it will be.
    pub fn push(&mut self, page: &StoredPage) -> io::Result<PageSlot> {
        self.head.clear();
        serde_json::to_writer(&mut self.head, page)?;
        let [facts, main, rest] = [&page.facts[..], page.main.as_bytes(), page.rest.as_bytes()];
        let len = PAGE_HEADER_BYTES - 4 + self.head.len() + facts.len() + main.len() + rest.len();
        let lengths = [length_of(len)?, length_of(self.head.len())?, length_of(facts.len())?, length_of(main.len())?];
        let slot = PageSlot(self.end << NTH_BITS | self.pages);
        let [len, of_head, of_facts, of_main] = &lengths;
        let version = page.version.to_le_bytes();
        let parts: [&[u8]; 9] = [len, &version, of_head, of_facts, of_main, &self.head, facts, main, rest];
        parts.iter().for_each(|part| self.block.extend_from_slice(part));
        self.pages += 1;
        if self.block.len() >= BLOCK_BYTES || self.pages >> NTH_BITS > 0 {
            self.end_block()?;
        }
        Ok(slot)
    }

    fn end_block(&mut self) -> io::Result<()> {
        let packed = lz4_flex::block::compress(&self.block);
        let mut header = [0; BLOCK_HEADER_BYTES];
        header[..4].copy_from_slice(&length_of(self.block.len())?);
        header[4..8].copy_from_slice(&length_of(packed.len())?);
        header[8..].copy_from_slice(&checksum(&packed).to_le_bytes());
        self.file.write_all(&header)?;
        self.file.write_all(&packed)?;
        self.end += (BLOCK_HEADER_BYTES + packed.len()) as u64;
        self.block.clear();
        self.pages = 0;
        Ok(())
    }

    /// Makes everything so far durable; the bytes that the file has now.
    pub fn sync(&mut self) -> io::Result<u64> {
        if self.pages > 0 {
            self.end_block()?;
        }
        self.file.sync_data()?;
        Ok(self.end)
    }
}

/// The file, open for reading. What is appended meanwhile can be read, too.
#[derive(Debug)]
pub(super) struct PageFile {
    file: Mutex<File>,
}

impl PageFile {
    /// Opens the file of the index of this number.
    pub fn open(folder: &Path, id: u64) -> io::Result<Self> {
        let mut file = crate::jobs::open_own(&folder.join(NAME), File::options().read(true))?;
        let mut header = [0; HEADER_BYTES as usize];
        file.read_exact(&mut header)?;
        let (magic, own) = header.split_at(MAGIC.len());
        match magic == MAGIC && own == id.to_le_bytes() {
            true => Ok(Self { file: Mutex::new(file) }),
            false => Err(damaged("it is of another index")),
        }
    }

    /// The path of the file in the folder of an index.
    pub fn path(folder: &Path) -> PathBuf {
        folder.join(NAME)
    }

    /// Its length in bytes.
    pub fn len(&self) -> io::Result<u64> {
        Ok(lock(&self.file).metadata()?.len())
    }

    /// The pages of the block at this place, and the bytes that it takes in the file.
    fn block(&self, at: u64) -> io::Result<(Vec<u8>, u64)> {
        let mut packed = Vec::new();
        let mut header = [0; BLOCK_HEADER_BYTES];
        let mut file = lock(&self.file);
        let left = file.metadata()?.len().saturating_sub(at);
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(&mut header)?;
        let (len, packed_len) = (number(&header, 0)?, number(&header, 4)?);
        // Before anything is allocated: what is declared fits the file, and can come out of it.
        let is_possible = (packed_len + BLOCK_HEADER_BYTES) as u64 <= left
            && len <= MAX_BLOCK_BYTES.min(packed_len.saturating_mul(MOST_UNPACKED));
        if !is_possible {
            return Err(damaged("a block has lengths that cannot be"));
        }
        packed.resize(packed_len, 0);
        file.read_exact(&mut packed)?;
        drop(file);
        if header[8..] != checksum(&packed).to_le_bytes() {
            return Err(damaged("a block has other bytes than were written"));
        }
        let block = lz4_flex::block::decompress(&packed, len).map_err(|error| damaged(&error.to_string()))?;
        Ok((block, (BLOCK_HEADER_BYTES + packed_len) as u64))
    }

    /// Reads every block up to a length of the file.
    pub fn check(&self, len: u64) -> io::Result<()> {
        let mut at = HEADER_BYTES;
        while at < len {
            at += self.block(at)?.1;
        }
        Ok(())
    }
}

/// The number of four bytes.
fn number(bytes: &[u8], at: usize) -> io::Result<usize> {
    let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
    four.map(|four| u32::from_le_bytes(four) as usize).ok_or_else(|| damaged("a page is cut off"))
}

/// The block that was unpacked last, for pages that are read in order.
#[derive(Default)]
pub(super) struct PageBlock {
    at: u64,
    bytes: Vec<u8>,
}

impl PageBlock {
    /// The page at a slot, which is of this version.
    pub fn read(&mut self, file: &PageFile, slot: PageSlot, version: u64) -> io::Result<StoredPage> {
        if self.at != slot.block() || self.bytes.is_empty() {
            self.bytes = file.block(slot.block())?.0;
            self.at = slot.block();
        }
        let mut rest = &self.bytes[..];
        for _ in 0..slot.nth() {
            rest = rest.get(4 + number(rest, 0)?..).ok_or_else(|| damaged("a page is cut off"))?;
        }
        let page = rest.get(4..4 + number(rest, 0)?).ok_or_else(|| damaged("a page is cut off"))?;
        stored_page(page, version)
    }
}

fn stored_page(page: &[u8], version: u64) -> io::Result<StoredPage> {
    if page.get(..8) != Some(&version.to_le_bytes()) {
        return Err(damaged("another page is at its place"));
    }
    let lengths = [number(page, 8)?, number(page, 12)?, number(page, 16)?];
    let mut left = page.get(PAGE_HEADER_BYTES - 4..).unwrap_or_default();
    let mut part = |len: usize| {
        let (part, behind) = left.split_at_checked(len).ok_or_else(|| damaged("a page is cut off"))?;
        left = behind;
        Ok::<_, io::Error>(part)
    };
    let (head, facts, main) = (part(lengths[0])?, part(lengths[1])?, part(lengths[2])?);
    let head: StoredPage = serde_json::from_slice(head)?;
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).map_err(|error| damaged(&error.to_string()));
    Ok(StoredPage { version, main: text(main)?, rest: text(left)?, facts: facts.to_vec(), ..head })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn page(nth: u64) -> StoredPage {
        let (title, language) = (format!("Title {nth}"), "pt".to_owned());
        let (main, rest, facts) = (text(nth), "rest".to_owned(), b"{}".to_vec());
        StoredPage { version: nth, title, language, main, rest, facts, ..StoredPage::default() }
    }

    fn text(nth: u64) -> String {
        format!("text of page {nth} ").repeat(1 + (nth as usize * 37) % 400)
    }

    /// A file with so many pages, its number, their slots, and its length.
    fn written(folder: &Path, pages: u64) -> (u64, Vec<PageSlot>, u64) {
        let mut writer = PageWriter::create(folder).unwrap();
        let slots = (0..pages).map(|nth| writer.push(&page(nth)).unwrap()).collect();
        (writer.id, slots, writer.sync().unwrap())
    }

    #[test]
    fn pages_are_read_in_any_order_and_after_more_came() {
        let folder = tempfile::tempdir().unwrap();
        let (id, mut slots, len) = written(folder.path(), 300);
        let file = PageFile::open(folder.path(), id).unwrap();
        // What was not committed is cut off; what comes then is seen by those who read already.
        let mut writer = PageWriter::resume(folder.path(), id, len).unwrap();
        slots.push(writer.push(&StoredPage { version: 300, ..StoredPage::default() }).unwrap());
        let len = writer.sync().unwrap();
        let mut block = PageBlock::default();
        for nth in (0..=300).rev().chain([7, 299, 8]) {
            let expected = if nth == 300 { StoredPage { version: 300, ..StoredPage::default() } } else { page(nth) };
            assert_eq!(block.read(&file, slots[nth as usize], nth).unwrap(), expected);
        }
        file.check(len).unwrap();
        assert!(block.read(&file, slots[1], 2).unwrap_err().to_string().contains("another page"));
        assert_eq!(file.len().unwrap(), len);
    }

    #[test]
    fn what_is_damaged_or_of_others_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (id, slots, len) = written(folder.path(), 100);
        assert!(PageFile::open(folder.path(), id ^ 1).is_err());
        assert!(PageWriter::resume(folder.path(), id, len + 1).is_err());
        let path = PageFile::path(folder.path());
        let whole = std::fs::read(&path).unwrap();
        let read = || PageBlock::default().read(&PageFile::open(folder.path(), id).unwrap(), slots[0], 0);
        let change = |at: usize, bytes: &[u8]| {
            let mut other = whole.clone();
            other[at..at + bytes.len()].copy_from_slice(bytes);
            std::fs::write(&path, other).unwrap();
        };
        // Lengths that would take gigabytes, and bytes that are others.
        for (at, bytes) in [(16, &[255_u8; 4][..]), (20, &[255; 4]), (24, &[1; 8]), (40, &[9; 3])] {
            change(at, bytes);
            assert_eq!(read().unwrap_err().kind(), ErrorKind::InvalidData, "{at}");
            assert!(PageFile::open(folder.path(), id).unwrap().check(len).is_err(), "{at}");
        }
        std::fs::write(&path, &whole[..30]).unwrap();
        assert!(read().is_err());
        std::fs::write(&path, &whole).unwrap();
        read().unwrap();
        let far = PageSlot(u64::MAX);
        let file = PageFile::open(folder.path(), id).unwrap();
        assert!(PageBlock::default().read(&file, far, 0).is_err());
        assert!(PageBlock::default().read(&file, PageSlot(slots[0].0 | 0xffff), 0).is_err());
    }
}
