//! Gzip members out of bytes.

use flate2::Compression;
use flate2::write::GzEncoder;
use libdeflater::{CompressionLvl, Compressor};
use std::cell::Cell;
use std::io::{self, Read, Write};

/// Level of gzip: beyond it, files shrink little and time grows.
pub const LEVEL: u32 = 6;

/// Longer records are compressed as a stream: libdeflate, which takes three
/// quarters of the time for files of the same size, wants input and output in
/// memory.
pub const MAX_WHOLE: usize = 4 * 1024 * 1024;

/// Bytes of a buffer that are kept from one record to the next.
const MAX_KEPT: usize = 512 * 1024;

/// The tools of a thread, kept from record to record.
struct Packer {
    compressor: Compressor,
    plain: Vec<u8>,
    packed: Vec<u8>,
}

thread_local! {
    static PACKER: Cell<Option<Packer>> = const { Cell::new(None) };
}

impl Packer {
    fn take() -> Self {
        PACKER.take().unwrap_or_else(|| Self {
            compressor: Compressor::new(CompressionLvl::new(LEVEL as i32).unwrap_or_default()),
            plain: Vec::new(),
            packed: Vec::new(),
        })
    }

    /// What lies in `plain` as one member.
    fn pack(&mut self) -> &[u8] {
        let bound = self.compressor.gzip_compress_bound(self.plain.len());
        if self.packed.len() < bound {
            self.packed.resize(bound, 0);
        }
        // There is room enough: this does not fail.
        let len = self.compressor.gzip_compress(&self.plain, &mut self.packed).unwrap_or_default();
        &self.packed[..len]
    }

    /// Keeps the tools for the next record of this thread; of their memory
    /// not more than most records need.
    fn put_back(mut self) {
        self.plain.clear();
        self.plain.shrink_to(MAX_KEPT);
        if self.packed.len() > MAX_KEPT {
            self.packed = Vec::new();
        }
        PACKER.set(Some(self));
    }
}

/// The parts, one after the other, as one gzip member.
pub fn pack(parts: &[&[u8]]) -> Vec<u8> {
    let len: usize = parts.iter().map(|part| part.len()).sum();
    if len > MAX_WHOLE {
        let mut encoder = GzEncoder::new(Vec::with_capacity(len / 4), Compression::new(LEVEL));
        for part in parts {
            // Writing into memory does not fail.
            let _ = encoder.write_all(part);
        }
        return encoder.finish().unwrap_or_default();
    }
    let mut packer = Packer::take();
    parts.iter().for_each(|part| packer.plain.extend_from_slice(part));
    let packed = packer.pack().to_vec();
    packer.put_back();
    packed
}

/// `head`, `block_len` bytes of `block` and `end` as one gzip member.
///
/// # Errors
///
/// Also when `block` holds fewer bytes; more are left unread.
pub(super) fn pack_from(
    head: &[u8],
    block: impl Read,
    block_len: u64,
    end: &[u8],
    mut out: impl Write,
) -> io::Result<()> {
    let mut block = block.take(block_len);
    let copied;
    if block_len <= MAX_WHOLE as u64 {
        let mut packer = Packer::take();
        packer.plain.extend_from_slice(head);
        copied = block.read_to_end(&mut packer.plain)? as u64;
        packer.plain.extend_from_slice(end);
        if copied == block_len {
            out.write_all(packer.pack())?;
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
