//! Packs bytes as gzip members.

use super::other_head::with_other_head;
use flate2::Compression;
use flate2::write::GzEncoder;
use libdeflater::{CompressionLvl, Compressor};
use std::io::{self, Read, Write};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread;

/// Level of gzip: beyond it, files shrink little and time grows.
pub const LEVEL: u32 = 6;

/// Level of gzip for what repeats itself, such as lists of links and quads: it takes a third of
/// the time. The levels above make lists of some kilobytes smaller by half a percent.
pub const FAST_LEVEL: u32 = 1;

/// Longer records are compressed as a stream: libdeflate, which takes three
/// quarters of the time for files of the same size, wants input and output in
/// memory.
pub const MAX_WHOLE: usize = 4 * 1024 * 1024;

/// Packers that are free. There are at most as many of a level as the processor can do at once: buffers for
/// the largest records stay, however many threads pack now and then, since to allocate that much memory for a
/// record can cost a sixth of the time of packing it.
static SPARE: Mutex<Vec<Packer>> = Mutex::new(Vec::new());

/// Asking for it takes files to be read.
static AT_ONCE: LazyLock<usize> = LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from));

/// Compressor and buffers for packing a record, kept from record to record.
struct Packer {
    level: u32,
    compressor: Compressor,
    plain: Vec<u8>,
    compressed: Vec<u8>,
}

impl Packer {
    fn take(level: u32) -> Self {
        let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        let spare = spare.iter().position(|packer| packer.level == level).map(|at| spare.swap_remove(at));
        spare.unwrap_or_else(|| Self {
            level,
            compressor: Compressor::new(CompressionLvl::new(level as i32).unwrap_or_default()),
            plain: Vec::new(),
            compressed: Vec::new(),
        })
    }

    /// Keeps the tools for the next record.
    fn put_back(mut self) {
        self.plain.clear();
        let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.iter().filter(|packer| packer.level == self.level).count() < *AT_ONCE {
            spare.push(self);
        }
    }

    /// Packs `plain` as one member.
    fn pack(&mut self) -> &[u8] {
        let bound = self.compressor.gzip_compress_bound(self.plain.len());
        if self.compressed.len() < bound {
            self.compressed.resize(bound, 0);
        }
        // There is room enough: this does not fail.
        let len = self.compressor.gzip_compress(&self.plain, &mut self.compressed).unwrap_or_default();
        &self.compressed[..len]
    }
}

/// The parts, one after the other, as one gzip member.
pub fn pack(parts: &[&[u8]], level: u32) -> Vec<u8> {
    let len: usize = parts.iter().map(|part| part.len()).sum();
    if len > MAX_WHOLE {
        let mut encoder = GzEncoder::new(Vec::with_capacity(len / 4), Compression::new(level));
        for part in parts {
            // Writing into memory does not fail.
            let _ = encoder.write_all(part);
        }
        return encoder.finish().unwrap_or_default();
    }
    let mut packer = Packer::take(level);
    packer.plain.reserve(len);
    parts.iter().for_each(|part| packer.plain.extend_from_slice(part));
    let compressed = packer.pack().to_vec();
    packer.put_back();
    compressed
}

/// `head`, `block_len` bytes of `block` and `end` as one gzip member. `member` is one with
/// the same block and end under another head, where there is one: its block stays as it
/// is packed there, where it can.
///
/// # Errors
///
/// Also when `block` holds fewer bytes; more are left unread.
pub(super) fn pack_from(
    head: &[u8],
    (block, block_len): (impl Read, u64),
    end: &[u8],
    member: Option<&[u8]>,
    mut out: impl Write,
) -> io::Result<()> {
    let mut block = block.take(block_len);
    let copied;
    if block_len <= MAX_WHOLE as u64 {
        let mut packer = Packer::take(LEVEL);
        packer.plain.reserve(head.len() + block_len as usize + end.len());
        packer.plain.extend_from_slice(head);
        copied = block.read_to_end(&mut packer.plain)? as u64;
        packer.plain.extend_from_slice(end);
        if copied == block_len {
            let kept =
                member.and_then(|member| with_other_head(member, &packer.plain, head.len(), &mut packer.compressor));
            match kept {
                Some(kept) => out.write_all(&kept)?,
                None => out.write_all(packer.pack())?,
            }
        }
        packer.put_back();
    } else {
        let mut encoder = GzEncoder::new(&mut out, Compression::new(LEVEL));
        encoder.write_all(head)?;
        copied = io::copy(&mut block, &mut encoder)?;
        encoder.write_all(end)?;
        if copied == block_len {
            encoder.finish()?;
        }
    }
    if copied < block_len {
        let why = format!("the block has {copied} bytes instead of {block_len}");
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, why));
    }
    out.flush()
}
