//! Checks the member headers of a gzip file.

use super::super::findings::Finding;
use super::super::{GzipNote, ProblemKind, Span};

/// Findings about the header of the member that a record has for its own.
pub(super) fn findings(note: GzipNote, span: Span) -> Vec<Finding> {
    let mut found = Vec::new();
    if let Some((declared, fits)) = note.checksum.filter(|(declared, fits)| declared != fits) {
        let detail = format!("the checksum of the gzip header is {fits:04x}, the file says {declared:04x}");
        found.push((ProblemKind::BadCompression, detail));
    }
    if let Some(declared) = note.skip_length.filter(|&declared| u64::from(declared) != span.length) {
        let detail =
            format!("the gzip header declares {declared} bytes up to the next record, there are {}", span.length);
        found.push((ProblemKind::Advice, detail));
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::super::read::gzip_note;
    use super::*;
    use flate2::Crc;

    #[test]
    fn headers_that_do_not_fit_are_found() {
        let mut header = vec![0x1f, 0x8b, 8, 2, 0, 0, 0, 0, 0, 3];
        let mut crc = Crc::new();
        crc.update(&header);
        let sum = (crc.sum() as u16).to_le_bytes();
        header.extend_from_slice(&sum);
        let check =
            |bytes: &[u8]| gzip_note(bytes).map_or(0, |note| findings(note, Span { offset: 0, length: 12 }).len());
        assert_eq!(check(&header), 0);
        header[10] ^= 1;
        assert_eq!(check(&header), 1);
        // The extra field: an alien one, then skip lengths.
        let extra = |declared: u8| {
            let fields = [b"xy\x01\0!".as_slice(), b"sl\x08\0", &[declared, 0, 0, 0, 99, 0, 0, 0]].concat();
            [&[0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 3, fields.len() as u8, 0], fields.as_slice()].concat()
        };
        assert_eq!(check(&extra(12)), 0);
        assert_eq!(check(&extra(13)), 1);
    }
}
