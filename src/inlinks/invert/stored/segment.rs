//! Writes and reads one file of sorted rows.
//!
//! ```text
//! "fondslnk" version 0                       16 bytes
//! blocks of rows                             as in sorted runs
//! leaves: first target and time of each block, and its offset
//! the top: the same of each leaf
//! end of blocks, end of leaves, counts, checksum, version, "fondslnk"
//! ```
//!
//! Blocks, leaves and top are compressed and carry checksums; numbers are
//! little-endian. To find a row, the top (some kilobytes, held in memory)
//! names a leaf and the leaf a block: two reads, whatever the size.

use super::super::LinkError;
use super::super::blocks::{BLOCK_BYTES, checksum, invalid, pack, read_at, read_block};
use super::super::index::Index;
use super::super::merge::Stream;
use super::super::row::{Parts, is_internal, read_when};
use super::super::run::{RowEncoder, RowReader};
use super::recent::Recent;
use crate::jobs::{JobCx, WholeFile};
use crossbeam_channel::{Receiver, Sender, bounded};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Write};
use std::ops::AddAssign;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

/// At both ends of the file.
const MAGIC: [u8; 8] = *b"fondslnk";

/// Grows when the form changes.
const VERSION: u32 = 1;

const HEAD_BYTES: usize = 16;

/// Numbers of the end, its checksum and version, magic.
const END_NUMBERS: usize = 7;
const END_BYTES: usize = END_NUMBERS * 8 + 16;

/// Bytes of a leaf before compression, about.
const LEAF_BYTES: usize = BLOCK_BYTES / 2;

/// Blocks that wait to be compressed.
const BLOCKS_WAITING: usize = 8;

/// Counts of a segment, or of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SegmentCounts {
    /// Links, each (target, source, date, anchor) once.
    pub links: u64,
    /// Of these, internal.
    pub internal: u64,
    /// Captures of pages.
    pub captures: u64,
    /// Pages that are linked to or were captured.
    pub targets: u64,
}

impl AddAssign for SegmentCounts {
    fn add_assign(&mut self, other: Self) {
        self.links += other.links;
        self.internal += other.internal;
        self.captures += other.captures;
        self.targets += other.targets;
    }
}

/// An open segment.
pub(super) struct StoredSegment {
    path: PathBuf,
    file: File,
    /// Where the blocks end, and the leaves.
    blocks_end: u64,
    leaves_end: u64,
    top: Index,
    counts: SegmentCounts,
    bytes: u64,
    recent: Recent,
}

/// Opens a file of stored links. A link, pipe or device in its place is damage: it is not followed or waited for.
pub(super) fn open_own_file(path: &Path) -> io::Result<File> {
    crate::jobs::open_own(path, File::options().read(true)).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput => invalid(&error.to_string()),
        _ => error,
    })
}

impl StoredSegment {
    pub(super) fn open(path: &Path) -> Result<Self, LinkError> {
        Self::read(path)
            .map_err(|error| LinkError::Stored(io::Error::new(error.kind(), format!("{}: {error}", path.display()))))
    }

    fn read(path: &Path) -> io::Result<Self> {
        let file = open_own_file(path)?;
        let bytes = file.metadata()?.len();
        let broken = |what: &str| invalid(what);
        let not_whole = || broken("the file is not whole, or no link segment");
        let end_at = bytes.checked_sub((HEAD_BYTES + END_BYTES) as u64).ok_or_else(not_whole)? + HEAD_BYTES as u64;
        let (mut head, mut end) = ([0; HEAD_BYTES], [0; END_BYTES]);
        read_at(&file, &mut head, 0)?;
        read_at(&file, &mut end, end_at)?;
        if !head.starts_with(&MAGIC) || !end.ends_with(&MAGIC) {
            return Err(not_whole());
        }
        let short =
            |bytes: &[u8], at: usize| bytes.get(at..).and_then(|b| b.first_chunk()).map(|b| u32::from_le_bytes(*b));
        match short(&head, MAGIC.len()) {
            Some(VERSION) => {}
            other => {
                let found = other.unwrap_or(0);
                return Err(broken(&format!("the form has version {found}, this program reads version {VERSION}")));
            }
        }
        if short(&end, END_NUMBERS * 8) != end.get(..END_NUMBERS * 8).map(checksum) {
            return Err(broken(&format!("offset {end_at}: the end is not as it was written")));
        }
        let number = |at: usize| end.get(at * 8..).and_then(|b| b.first_chunk()).map_or(0, |b| u64::from_le_bytes(*b));
        let (blocks_end, leaves_end) = (number(0), number(1));
        if blocks_end < HEAD_BYTES as u64 || leaves_end < blocks_end || leaves_end > end_at {
            return Err(broken(&format!("offset {end_at}: places that are not in the file")));
        }
        let (mut packed, mut plain) = (Vec::new(), Vec::new());
        let after = read_block(&file, leaves_end, end_at, &mut packed, &mut plain)?;
        let top = Index::read(&plain).filter(|_| after == end_at);
        let top =
            top.ok_or_else(|| broken(&format!("offset {leaves_end}: the list of places is not as it was written")))?;
        let counts = SegmentCounts { links: number(2), internal: number(3), captures: number(4), targets: number(5) };
        Ok(Self { path: path.to_owned(), file, blocks_end, leaves_end, top, counts, bytes, recent: Recent::default() })
    }

    pub(super) fn counts(&self) -> SegmentCounts {
        self.counts
    }

    /// Size on disk.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads all blocks and leaves, each of which has a checksum.
    pub(super) fn check(&self, cx: &JobCx) -> Result<(), LinkError> {
        let (mut packed, mut plain) = (Vec::new(), Vec::new());
        for (begin, end) in [(HEAD_BYTES as u64, self.blocks_end), (self.blocks_end, self.leaves_end)] {
            let mut offset = begin;
            while offset < end {
                let after = read_block(&self.file, offset, end, &mut packed, &mut plain).map_err(|error| {
                    LinkError::Stored(io::Error::new(error.kind(), format!("{}, {error}", self.path.display())))
                })?;
                cx.advance(after - offset)?;
                offset = after;
            }
        }
        Ok(())
    }

    /// Rows from some target and time on; a few before them may come first.
    pub(super) fn rows_from(&self, target: &[u8], when: u64) -> io::Result<Stream<'_>> {
        let offset = match self.top.offset_before(target, when) {
            None => self.blocks_end,
            Some(leaf) => {
                let broken = || invalid(&format!("offset {leaf}: the list of places is not as it was written"));
                let read = || {
                    let (mut packed, mut plain) = (Vec::new(), Vec::new());
                    read_block(&self.file, leaf, self.leaves_end, &mut packed, &mut plain)
                        .and_then(|_| Index::read(&plain).ok_or_else(broken))
                };
                self.recent
                    .leaf(leaf, read)
                    .and_then(|leaf| leaf.offset_before(target, when).ok_or_else(broken))
                    .map_err(|error| io::Error::new(error.kind(), format!("{}, {error}", self.path.display())))?
            }
        };
        let rows = RowReader::new(&self.file, offset, self.blocks_end).named(&self.path).beginning_with(&self.recent);
        Ok(Stream::Rows(Box::new(rows)))
    }
}

/// A block on its way to the disk.
struct Full {
    plain: Vec<u8>,
    target: Vec<u8>,
    when: u64,
}

/// Blocks written so far, and the index of them.
struct Blocks {
    file: WholeFile,
    offset: u64,
    /// Leaves as they will be written, and where they will start after the blocks.
    leaves: Vec<u8>,
    leaf: Index,
    top: Index,
    blocks: u64,
    packed: Vec<u8>,
    list: Vec<u8>,
}

impl Blocks {
    fn create(path: &Path) -> io::Result<Self> {
        let mut file = WholeFile::replace_own(path).map_err(|error| error.source)?;
        file.write_all(&MAGIC)?;
        file.write_all(&VERSION.to_le_bytes())?;
        file.write_all(&[0; HEAD_BYTES - MAGIC.len() - size_of::<u32>()])?;
        Ok(Self {
            file,
            offset: HEAD_BYTES as u64,
            leaves: Vec::new(),
            leaf: Index::default(),
            top: Index::default(),
            blocks: 0,
            packed: Vec::new(),
            list: Vec::new(),
        })
    }

    fn write(&mut self, full: &Full) -> io::Result<()> {
        if self.leaf.bytes() >= LEAF_BYTES {
            self.end_leaf()?;
        }
        self.leaf.push(self.offset, &full.target, full.when);
        pack(&full.plain, &mut self.packed)?;
        self.file.write_all(&self.packed)?;
        self.offset += self.packed.len() as u64;
        self.blocks += 1;
        Ok(())
    }

    fn end_leaf(&mut self) -> io::Result<()> {
        if self.leaf.len() == 0 {
            return Ok(());
        }
        self.top.push(self.leaves.len() as u64, self.leaf.target(0), self.leaf.when(0));
        self.list.clear();
        self.leaf.write(&mut self.list);
        pack(&self.list, &mut self.packed)?;
        self.leaves.extend_from_slice(&self.packed);
        self.leaf.clear();
        Ok(())
    }

    /// Writes what follows the blocks, and gives the file its name.
    fn finish(mut self, counts: &SegmentCounts) -> io::Result<()> {
        self.end_leaf()?;
        self.file.write_all(&self.leaves)?;
        self.list.clear();
        self.top.shifted(self.offset).write(&mut self.list);
        pack(&self.list, &mut self.packed)?;
        self.file.write_all(&self.packed)?;
        let leaves_end = self.offset + self.leaves.len() as u64;
        let mut end = Vec::with_capacity(END_BYTES);
        let SegmentCounts { links, internal, captures, targets } = *counts;
        for number in [self.offset, leaves_end, links, internal, captures, targets, self.blocks] {
            end.extend_from_slice(&number.to_le_bytes());
        }
        end.extend_from_slice(&checksum(&end).to_le_bytes());
        end.extend_from_slice(&VERSION.to_le_bytes());
        end.extend_from_slice(&MAGIC);
        self.file.write_all(&end)?;
        self.file.finish().map_err(|error| error.source)
    }
}

/// Writes rows that come in order, each once. The bytes depend on the rows alone.
pub(super) struct SegmentWriter {
    rows: RowEncoder,
    first_target: Vec<u8>,
    first_when: u64,
    counts: SegmentCounts,
    full: Option<Sender<Full>>,
    spare: Receiver<Vec<u8>>,
    /// Compresses and writes, while rows are merged here.
    writer: Option<JoinHandle<io::Result<Blocks>>>,
}

impl SegmentWriter {
    /// Into a file that ends in `.open` until [`Self::finish`].
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let mut blocks = Blocks::create(path)?;
        let (full, waiting) = bounded::<Full>(BLOCKS_WAITING);
        let (give_spare, spare) = bounded(BLOCKS_WAITING + 1);
        let writer = std::thread::Builder::new().name("write links".to_owned()).spawn(move || {
            for full in waiting {
                blocks.write(&full)?;
                // Nobody takes it at the end.
                let _ = give_spare.try_send(full.plain);
            }
            Ok(blocks)
        })?;
        Ok(Self {
            rows: RowEncoder::new(),
            first_target: Vec::new(),
            first_when: 0,
            counts: SegmentCounts::default(),
            full: Some(full),
            spare,
            writer: Some(writer),
        })
    }

    /// `same_target` means that the row before had the same.
    #[inline]
    pub(super) fn push(&mut self, row: &Parts<'_>, same_target: bool) -> io::Result<()> {
        if self.rows.is_full() {
            self.end_block()?;
        }
        if self.rows.is_empty() {
            self.first_target.clear();
            self.first_target.extend_from_slice(row.target);
            self.first_when = row.when;
        }
        self.rows.push(row, same_target);
        self.counts.targets += u64::from(!same_target);
        if read_when(row.when).1 {
            self.counts.links += 1;
            self.counts.internal += u64::from(is_internal(row.tail));
        } else {
            self.counts.captures += 1;
        }
        Ok(())
    }

    fn end_block(&mut self) -> io::Result<()> {
        let plain = self.rows.take(self.spare.try_recv().unwrap_or_default());
        let full = Full { plain, target: self.first_target.clone(), when: self.first_when };
        match &self.full {
            Some(sender) if sender.send(full).is_ok() => Ok(()),
            // It stopped because writing failed; it says why.
            _ => self.join().and_then(|_| Err(broke_down())),
        }
    }

    fn join(&mut self) -> io::Result<Blocks> {
        drop(self.full.take());
        let writer = self.writer.take().ok_or_else(broke_down)?;
        writer.join().map_err(|_| broke_down())?
    }

    /// Gives the file its name when all of it is on the disk.
    pub(super) fn finish(mut self) -> io::Result<SegmentCounts> {
        if !self.rows.is_empty() {
            self.end_block()?;
        }
        let counts = self.counts;
        self.join()?.finish(&counts)?;
        Ok(counts)
    }
}

impl Drop for SegmentWriter {
    fn drop(&mut self) {
        if self.writer.is_some() {
            let _ = self.join();
        }
    }
}

fn broke_down() -> io::Error {
    io::Error::other("writing broke down")
}
