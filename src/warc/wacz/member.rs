//! Reads the bytes of a member: in place, or unpacked as they are read.

use super::Member;
use flate2::Crc;
use flate2::read::DeflateDecoder;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

/// A part of a file as a file of its own.
#[derive(Debug)]
pub struct MemberWindow {
    file: File,
    start: u64,
    len: u64,
    /// Counts from `start`.
    place: u64,
}

impl MemberWindow {
    /// `len` bytes of the file from `start` on.
    pub fn new(mut file: File, start: u64, len: u64) -> io::Result<Self> {
        file.seek(SeekFrom::Start(start))?;
        Ok(Self { file, start, len, place: 0 })
    }

    /// Length in bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Read for MemberWindow {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.len.saturating_sub(self.place)).unwrap_or(usize::MAX);
        let len = out.len().min(left);
        let read = self.file.read(&mut out[..len])?;
        if read == 0 && len > 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the package ends inside the member"));
        }
        self.place += read as u64;
        Ok(read)
    }
}

impl Seek for MemberWindow {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::End(by) => self.len.checked_add_signed(by),
            SeekFrom::Current(by) => self.place.checked_add_signed(by),
        };
        let real = place.and_then(|place| self.start.checked_add(place));
        let (Some(place), Some(real)) = (place, real) else {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        };
        self.file.seek(SeekFrom::Start(real))?;
        self.place = place;
        Ok(place)
    }
}

/// The bytes of a member, first to last.
#[derive(Debug)]
pub enum MemberReader {
    /// Stored without compression, so that it is seekable.
    Stored(MemberWindow),
    /// Unpacked while it is read, and checked against its length and CRC.
    Deflated(Box<Deflated>),
}

impl MemberReader {
    pub(super) fn new(file: File, member: &Member) -> io::Result<Self> {
        let window = MemberWindow::new(file, member.offset, member.packed_len)?;
        Ok(match member.stored {
            true => Self::Stored(window),
            false => Self::Deflated(Box::new(Deflated {
                inner: DeflateDecoder::new(BufReader::with_capacity(64 * 1024, window)),
                crc: Crc::new(),
                declared_crc: member.crc32,
                left: member.len,
            })),
        })
    }
}

impl Read for MemberReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Stored(window) => window.read(out),
            Self::Deflated(deflated) => deflated.read(out),
        }
    }
}

/// A member that the zip has compressed.
#[derive(Debug)]
pub struct Deflated {
    inner: DeflateDecoder<BufReader<MemberWindow>>,
    crc: Crc,
    declared_crc: u32,
    left: u64,
}

impl Read for Deflated {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let wrong = |why: &str| Err(io::Error::new(io::ErrorKind::InvalidData, why.to_owned()));
        let read = self.inner.read(out)?;
        self.crc.update(&out[..read]);
        self.left = match self.left.checked_sub(read as u64) {
            Some(left) => left,
            None => return wrong("unpacks to more bytes than the zip says"),
        };
        match read {
            0 if !out.is_empty() && self.left > 0 => wrong("unpacks to fewer bytes than the zip says"),
            0 if !out.is_empty() && self.crc.sum() != self.declared_crc => wrong("its CRC is not that of the zip"),
            _ => Ok(read),
        }
    }
}
