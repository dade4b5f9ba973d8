//! Decodes one gzip member at a time (RFC 1952).

use flate2::{Decompress, FlushDecompress, Status};
use libdeflater::Crc;

pub(super) const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];

const FLAG_HEADER_CRC: u8 = 2;
const FLAG_EXTRA: u8 = 4;
const FLAG_NAME: u8 = 8;
const FLAG_COMMENT: u8 = 16;
const FLAGS_RESERVED: u8 = 0xe0;

/// Length of the trailer: CRC-32 and length modulo 2^32.
pub(super) const TRAILER: usize = 8;

/// A gzip header may not be longer than this.
pub(super) const MAX_HEADER: usize = 128 * 1024;

/// Decodes members; the inflate state is kept from one to the next.
pub(super) struct GzipMember {
    inflate: Decompress,
    crc: Crc,
    in_trailer: bool,
    broken: bool,
}

/// Result of a step.
pub(super) enum Step {
    /// So many bytes were used and so many written.
    Went { used: usize, written: usize },
    /// The member is complete; so many bytes were used for it.
    Ended { used: usize },
    /// More input is needed.
    Starved,
    /// The stream is damaged.
    Broken(String),
}

impl GzipMember {
    pub(super) fn new() -> Self {
        Self { inflate: Decompress::new(false), crc: Crc::new(), in_trailer: false, broken: false }
    }

    /// Begins a member after its header.
    pub(super) fn begin(&mut self) {
        self.inflate.reset(false);
        self.crc = Crc::new();
        self.in_trailer = false;
        self.broken = false;
    }

    /// Decodes from `input` into `out`.
    pub(super) fn step(&mut self, input: &[u8], out: &mut [u8]) -> Step {
        if self.in_trailer {
            return self.trailer(input);
        }
        let (used_before, written_before) = (self.inflate.total_in(), self.inflate.total_out());
        if self.broken {
            return damaged();
        }
        let status = self.inflate.decompress(input, out, FlushDecompress::None).ok();
        // What came out before the damage is given first, so that it does not
        // depend on how the input was split.
        self.broken = status.is_none();
        let used = (self.inflate.total_in() - used_before) as usize;
        let written = (self.inflate.total_out() - written_before) as usize;
        self.crc.update(&out[..written]);
        let Some(status) = status else {
            return match written {
                0 => damaged(),
                _ => Step::Went { used, written },
            };
        };
        if status == Status::StreamEnd {
            self.in_trailer = true;
        } else if used == 0 && written == 0 {
            return Step::Starved;
        }
        Step::Went { used, written }
    }

    fn trailer(&self, input: &[u8]) -> Step {
        let Some(trailer) = input.first_chunk::<TRAILER>() else { return Step::Starved };
        let [c0, c1, c2, c3, l0, l1, l2, l3] = *trailer;
        let declared = u32::from_le_bytes([c0, c1, c2, c3]);
        if declared != self.crc.sum() {
            return Step::Broken(format!("the checksum is {:08x}, the file says {declared:08x}", self.crc.sum()));
        }
        if u32::from_le_bytes([l0, l1, l2, l3]) != self.inflate.total_out() as u32 {
            return Step::Broken(format!("{} bytes came out, the file says otherwise", self.inflate.total_out()));
        }
        Step::Ended { used: TRAILER }
    }
}

fn damaged() -> Step {
    Step::Broken("the deflate stream is damaged".to_owned())
}

/// Length of the gzip header at the beginning of `bytes`.
///
/// `Ok(None)` when more bytes are needed, `Err` when there is no gzip header.
pub(super) fn header_len(bytes: &[u8]) -> Result<Option<usize>, &'static str> {
    let seen = bytes.len().min(MAGIC.len());
    if bytes[..seen] != MAGIC[..seen] {
        return Err("no gzip header");
    }
    let Some(flags) = bytes.get(3).copied() else { return Ok(None) };
    if flags & FLAGS_RESERVED != 0 {
        return Err("reserved flags are set in the gzip header");
    }
    let mut len = 10;
    if flags & FLAG_EXTRA != 0 {
        let Some(extra) = bytes.get(len..len + 2) else { return Ok(None) };
        len += 2 + usize::from(u16::from_le_bytes([extra[0], extra[1]]));
    }
    for flag in [FLAG_NAME, FLAG_COMMENT] {
        if flags & flag != 0 {
            let Some(rest) = bytes.get(len..) else { return Ok(None) };
            match memchr::memchr(0, rest) {
                Some(end) => len += end + 1,
                None if rest.len() > MAX_HEADER => return Err("the gzip header does not end"),
                None => return Ok(None),
            }
        }
    }
    if flags & FLAG_HEADER_CRC != 0 {
        len += 2;
    }
    Ok((bytes.len() >= len).then_some(len))
}

/// Length of the header of a member that is all there; none where it has no such header.
pub(in crate::warc) fn gzip_header_len(member: &[u8]) -> Option<usize> {
    header_len(member).ok().flatten()
}

/// Values in the header of a gzip member that can be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GzipNote {
    /// The checksum at the end of the header, and the one that fits it.
    pub checksum: Option<(u16, u16)>,
    /// The compressed length by the extra field `sl` (“skip lengths”), which
    /// the annex on gzip of the WARC standard allows.
    pub skip_length: Option<u32>,
}

/// Values of a whole gzip header that can be checked; most have none.
pub(in crate::warc) fn gzip_note(header: &[u8]) -> Option<GzipNote> {
    let flags = *header.get(3)?;
    if flags & (FLAG_EXTRA | FLAG_HEADER_CRC) == 0 {
        return None;
    }
    let checksum = header.split_last_chunk().filter(|_| flags & FLAG_HEADER_CRC != 0).map(|(before, declared)| {
        let mut crc = Crc::new();
        crc.update(before);
        (u16::from_le_bytes(*declared), crc.sum() as u16)
    });
    let skip_length = if flags & FLAG_EXTRA != 0 { skip_length(header) } else { None };
    Some(GzipNote { checksum, skip_length })
}

fn skip_length(header: &[u8]) -> Option<u32> {
    let len = usize::from(u16::from_le_bytes(header.get(10..12)?.try_into().ok()?));
    let mut fields = header.get(12..12 + len)?;
    loop {
        let [a, b, l0, l1, rest @ ..] = fields else { return None };
        let len = usize::from(u16::from_le_bytes([*l0, *l1]));
        if [*a, *b] == *b"sl" {
            return Some(u32::from_le_bytes(rest.get(..len)?.get(..4)?.try_into().ok()?));
        }
        fields = rest.get(len..)?;
    }
}

/// Looks at what members begin with; its state is kept from one to the next,
/// since damage may hold very many things that look like members.
pub(super) struct Glance(Decompress);

impl Glance {
    pub(super) fn new() -> Self {
        Self(Decompress::new(false))
    }

    /// The first bytes that the member at the beginning of `bytes` decodes to;
    /// none when there is no member.
    pub(super) fn first_bytes(&mut self, bytes: &[u8], out: &mut [u8]) -> usize {
        let Ok(Some(header)) = header_len(bytes) else { return 0 };
        self.0.reset(false);
        let _ = self.0.decompress(&bytes[header..], out, FlushDecompress::None);
        (self.0.total_out() as usize).min(out.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: Result<Option<usize>, ()>) {
        assert_eq!(header_len(bytes).map_err(drop), expected);
    }

    #[test]
    fn headers_are_measured() {
        let plain = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
        check(&plain, Ok(Some(10)));
        check(&plain[..7], Ok(None));
        check(b"", Ok(None));
        check(b"WARC/1.0", Err(()));
        check(&[0x1f, 0x8b, 8, 0x80, 0, 0, 0, 0, 0, 3], Err(()));
        let mut named = vec![0x1f, 0x8b, 8, 8 | 4 | 2, 0, 0, 0, 0, 0, 3, 4, 0, 1, 2, 3, 4];
        check(&named, Ok(None));
        named.extend_from_slice(b"name\0");
        check(&named, Ok(None));
        named.extend_from_slice(b"cc");
        check(&named, Ok(Some(23)));
    }
}
