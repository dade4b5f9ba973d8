//! How the records of a gzip file are packed: what its member headers hold.

use super::super::findings::Finding;
use super::super::read::gzip_header;
use super::super::{ProblemKind, Span};
use flate2::Crc;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// A gzip header is looked at so far.
const LOOK: u64 = 4096;

/// Findings about the header of the member that a record has for its own.
pub(super) fn findings(file: &mut File, span: Span) -> io::Result<Vec<Finding>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(span.offset))?;
    file.take(LOOK).read_to_end(&mut bytes)?;
    let Some(header) = gzip_header(&bytes) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    if let Some(told) = header.crc {
        let mut crc = Crc::new();
        crc.update(&bytes[..header.len - 2]);
        let sum = crc.sum() as u16;
        if sum != told {
            let detail = format!("the checksum of the gzip header is {sum:04x}, the file says {told:04x}");
            found.push((ProblemKind::BadCompression, detail));
        }
    }
    if let Some(told) = skip_length(&bytes[..header.len])
        && u64::from(told) != span.length
    {
        let detail = format!("the gzip header tells {told} bytes up to the next record, there are {}", span.length);
        found.push((ProblemKind::Advice, detail));
    }
    Ok(found)
}

/// The compressed length in the extra field `sl` (“skip lengths”), which the
/// annex on gzip of the standard allows.
fn skip_length(header: &[u8]) -> Option<u32> {
    const FLAG_EXTRA: u8 = 4;
    if header[3] & FLAG_EXTRA == 0 {
        return None;
    }
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn headers_that_do_not_fit_are_found() {
        let mut header = vec![0x1f, 0x8b, 8, 2, 0, 0, 0, 0, 0, 3];
        let mut crc = Crc::new();
        crc.update(&header);
        let sum = (crc.sum() as u16).to_le_bytes();
        header.extend_from_slice(&sum);
        let check = |bytes: &[u8]| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(bytes).unwrap();
            findings(&mut file, Span { offset: 0, length: 12 }).unwrap().len()
        };
        assert_eq!(check(&header), 0);
        header[10] ^= 1;
        assert_eq!(check(&header), 1);
        assert_eq!(check(b"WARC/1.0"), 0);
        // The extra field: an alien one, then skip lengths.
        let extra = |told: u8| {
            let fields = [b"xy\x01\0!".as_slice(), b"sl\x08\0", &[told, 0, 0, 0, 99, 0, 0, 0]].concat();
            [&[0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 3, fields.len() as u8, 0], fields.as_slice()].concat()
        };
        assert_eq!(check(&extra(12)), 0);
        assert_eq!(check(&extra(13)), 1);
    }
}
