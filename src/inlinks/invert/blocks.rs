//! Writes and reads blocks on disk, compressed (LZ4), with their lengths and a checksum, and the numbers and
//! texts in them.
//!
//! What is read may be damaged or made by others: no length is trusted, and
//! every error says at which offset.

use libdeflater::crc32;
use std::fs::File;
use std::io;
use std::ops::Range;

/// Bytes of one block before compression, about.
pub(super) const BLOCK_BYTES: usize = 32 * 1024;

/// Lengths before and after compression, checksum.
pub(super) const BLOCK_HEAD: usize = 12;

/// A block holds at least one row, whose texts have limits; more is damage.
const MAX_PLAIN_BYTES: usize = 1 << 29;

/// Most blocks come whole with one call of the system.
const READ_FIRST: u64 = 24 * 1024;

/// Puts a block, ready for the disk, in the place of what `packed` held.
pub(super) fn pack(plain: &[u8], packed: &mut Vec<u8>) -> io::Result<()> {
    packed.clear();
    packed.resize(BLOCK_HEAD + lz4_flex::block::get_maximum_output_size(plain.len()), 0);
    let room = packed.get_mut(BLOCK_HEAD..).unwrap_or_default();
    let len = lz4_flex::block::compress_into(plain, room).map_err(|error| invalid(&error))?;
    packed.truncate(BLOCK_HEAD + len);
    for (number, place) in [plain.len() as u32, len as u32, checksum(plain)].into_iter().zip(packed.chunks_exact_mut(4))
    {
        place.copy_from_slice(&number.to_le_bytes());
    }
    Ok(())
}

/// Reads the block at a place of a file whose blocks end at `end`. Says where
/// the next one begins.
pub(super) fn read_block(
    file: &File,
    offset: u64,
    end: u64,
    packed: &mut Vec<u8>,
    plain: &mut Vec<u8>,
) -> io::Result<u64> {
    let broken = || invalid(&format!("offset {offset}: the block is not as it was written"));
    let left = end.checked_sub(offset).filter(|&left| left >= BLOCK_HEAD as u64).ok_or_else(broken)?;
    packed.resize(left.min(READ_FIRST) as usize, 0);
    read_at(file, packed, offset)?;
    let number = |at: usize| packed.get(at * 4..).and_then(|rest| rest.first_chunk()).map(|n| u32::from_le_bytes(*n));
    let (Some(plain_len), Some(packed_len), Some(sum)) = (number(0), number(1), number(2)) else {
        return Err(broken());
    };
    let (plain_len, packed_len) = (plain_len as usize, packed_len as usize);
    let whole = BLOCK_HEAD as u64 + packed_len as u64;
    // LZ4 makes at most 255 bytes of one.
    if whole > left || plain_len > packed_len.saturating_mul(256).min(MAX_PLAIN_BYTES) {
        return Err(broken());
    }
    let had = packed.len();
    packed.resize(whole as usize, 0);
    if let Some(rest) = packed.get_mut(had..).filter(|rest| !rest.is_empty()) {
        read_at(file, rest, offset + had as u64)?;
    }
    plain.resize(plain_len, 0);
    let got = lz4_flex::block::decompress_into(packed.get(BLOCK_HEAD..).unwrap_or_default(), plain);
    if !got.is_ok_and(|got| got == plain_len) || checksum(plain) != sum {
        return Err(broken());
    }
    Ok(offset + whole)
}

pub(super) fn checksum(bytes: &[u8]) -> u32 {
    crc32(bytes)
}

pub(super) fn invalid(why: &(impl ToString + ?Sized)) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_string())
}

pub(super) fn shared_len(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

pub(super) fn push_number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub(super) fn push_slice(out: &mut Vec<u8>, text: &[u8]) {
    push_number(out, text.len() as u64);
    out.extend_from_slice(text);
}

/// Reads what was pushed; `None` for what never was.
pub(super) struct Reader<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn is_over(&self) -> bool {
        self.at >= self.bytes.len()
    }

    #[inline]
    pub(super) fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    #[inline]
    pub(super) fn number(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// A number that always takes eight bytes.
    #[inline]
    pub(super) fn fixed(&mut self) -> Option<u64> {
        let bytes = self.bytes.get(self.at..)?.first_chunk()?;
        self.at += size_of::<u64>();
        Some(u64::from_le_bytes(*bytes))
    }

    #[inline]
    pub(super) fn slice(&mut self) -> Option<Range<usize>> {
        let len = usize::try_from(self.number()?).ok()?;
        let end = self.at.checked_add(len).filter(|&end| end <= self.bytes.len())?;
        Some(std::mem::replace(&mut self.at, end)..end)
    }

    /// A text that begins as the one in `text`, in whose place it is put.
    #[inline]
    pub(super) fn front_coded(&mut self, text: &mut Vec<u8>) -> Option<()> {
        let shared = usize::try_from(self.number()?).ok().filter(|&shared| shared <= text.len())?;
        let new = self.slice()?;
        text.truncate(shared);
        text.extend_from_slice(self.bytes.get(new)?);
        Some(())
    }
}

/// Writes at a place, so that threads can share a file.
#[cfg(unix)]
pub(super) fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

/// Writes at a place, so that threads can share a file.
#[cfg(windows)]
pub(super) fn write_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, offset)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => {
                bytes = &bytes[written..];
                offset += written as u64;
            }
        }
    }
    Ok(())
}

/// Reads at a place, so that threads can share a file.
#[cfg(unix)]
pub(super) fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

/// Reads at a place, so that threads can share a file.
#[cfg(windows)]
pub(super) fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                offset += read as u64;
            }
        }
    }
    Ok(())
}
