//! Converts ARC files to WARC files.
//!
//! In: an ARC file of any packing. Out: WARC/1.1, one gzip member a record. The line of a record becomes
//! fields, its block stays byte for byte: an HTTP response a `response`, anything else (dns, ftp, HTTP/0.9) a
//! `resource` with the type in the line. Values of the line for which WARC has no field are kept in fields
//! that begin with `ARC-`. The description of the ARC file becomes a `metadata` record behind a new
//! `warcinfo`.
//!
//! As with [`recompress_file`](super::recompress_file), the new file is read back
//! before it gets its name, and damaged records are left out and named.

use super::digest::{BlockDigester, Digests};
use super::http::parse_response_head;
use super::recompress::{RecompressError, RecompressReport, end_copy, prove};
use super::write::{RecordBuilder, new_record_id, warc_fields};
use super::{ArchiveReader, Compression, ProblemKind, RecordHead, RecordType, WarcError};
use crate::jobs::{JobCx, WholeFile};
use crate::uri::CaptureDate;
use std::fs::File;
use std::io::{self, BufRead, Read, Seek, Write};
use std::path::Path;
use tempfile::SpooledTempFile;

/// A block longer than this waits on the disk until its digests are known.
const IN_MEMORY: usize = 8 * 1024 * 1024;

/// Bytes of a block that are searched for its HTTP head.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// Writes the records of the ARC file `old` into the new WARC file `new`;
/// `record_id` makes their ids.
pub fn convert_arc(
    old: &Path,
    new: &Path,
    record_id: &dyn Fn() -> String,
    cx: &JobCx,
) -> Result<RecompressReport, RecompressError> {
    cx.or_cancelled(convert(old, new, record_id, cx))
}

fn convert(
    old: &Path,
    new: &Path,
    record_id: &dyn Fn() -> String,
    cx: &JobCx,
) -> Result<RecompressReport, RecompressError> {
    let mut reader = ArchiveReader::open(old)?.stopped_by(cx);
    let mut out = WholeFile::create(new).map_err(WarcError::from)?;
    let out_path = out.open_path().to_owned();
    let out_io = |source| WarcError::Io { path: out_path.clone(), source };
    let in_io = |source| WarcError::Io { path: old.to_owned(), source };
    let mut report = RecompressReport::new(reader.compression());
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let info_id = record_id();
    let mut digests = Vec::new();
    while let Some(head) = reader.next_head()? {
        let place = reader.record_offset();
        if !head.is_arc() {
            return Err(RecompressError::NotArc { path: old.to_owned() });
        }
        let (mut spool, is_http, found) = take_block(&mut reader, head.is_http()).map_err(in_io)?;
        let whole = reader.finish_record()?.is_some() && found.block_len == head.content_length;
        report.problems.append(&mut reader.take_problems());
        // A record without a date cannot be a WARC record.
        let Some(date) = head.date().filter(|_| whole) else {
            report.left_out.push(place);
            continue;
        };
        if digests.is_empty() {
            let description = format!("converted from the ARC file {}", name(old));
            let info = warc_fields([
                ("software", concat!("Fonds/", env!("CARGO_PKG_VERSION"))),
                ("format", "WARC File Format 1.1"),
                ("description", &description),
            ]);
            let info_date = if head.record_type == RecordType::Warcinfo { date } else { CaptureDate::now() };
            let record = RecordBuilder::warcinfo(&info_id, info_date, &name(new));
            out.write_all(&record.compress(&info)).map_err(out_io)?;
            digests.push(Digests::of_block(&info, false).block);
        }
        let record = record_of(&head, date, &record_id(), &info_id, is_http);
        // Metadata has no payload (WARC/1.1, clause 4).
        let record = match head.record_type {
            RecordType::Warcinfo => record.field("WARC-Block-Digest", &found.block),
            _ => record.digests(&found),
        };
        spool.rewind().map_err(out_io)?;
        record.compress_from(spool, found.block_len, &mut out).map_err(out_io)?;
        digests.push(found.block);
        report.records += 1;
        cx.set_done(reader.file_offset());
        cx.checkpoint()?;
    }
    end_copy(old, &mut reader, out, report, |new| {
        let odd = prove(new, Compression::Gzip, &digests, cx, |reader| Ok(take_block(reader, false)?.2.block))?;
        match odd.into_iter().find(|problem| problem.kind != ProblemKind::Limit) {
            Some(problem) => Err(RecompressError::Unproven { path: new.to_owned(), why: problem.to_string() }),
            None => Ok(()),
        }
    })
}

/// The current block, whether it is an HTTP response, and its digests.
fn take_block(reader: &mut ArchiveReader<File>, may_be_http: bool) -> io::Result<(SpooledTempFile, bool, Digests)> {
    let mut spool = SpooledTempFile::new(IN_MEMORY);
    let mut begin = Vec::new();
    reader.by_ref().take(MAX_HEAD_BYTES as u64).read_to_end(&mut begin)?;
    let is_http = may_be_http && parse_response_head(&begin).is_some();
    let mut digester = BlockDigester::new(is_http);
    digester.update(&begin);
    spool.write_all(&begin)?;
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        digester.update(chunk);
        spool.write_all(chunk)?;
        let len = chunk.len();
        reader.consume(len);
    }
    Ok((spool, is_http, digester.finish()))
}

fn record_of(head: &RecordHead, date: CaptureDate, id: &str, info_id: &str, is_http: bool) -> RecordBuilder {
    let text = |name: &str| head.headers.get(name).filter(|value| !value.is_empty());
    // An ARC line writes “no-type” and “-” where nothing is known.
    let mime = text("ARC-Content-Type").or_else(|| text("Content-Type")).filter(|mime| mime.contains('/'));
    let mime = mime.unwrap_or_else(|| "application/octet-stream".to_owned());
    let uri = head.target_uri().unwrap_or_default().replace(' ', "%20");
    let mut record = match &head.record_type {
        RecordType::Warcinfo => {
            let file = format!("filedesc://{}", text("WARC-Filename").unwrap_or_default());
            let record = RecordBuilder::new(&RecordType::Metadata, id, date).field("WARC-Target-URI", &file);
            return record.reference("WARC-Warcinfo-ID", info_id).field("Content-Type", &mime);
        }
        _ if is_http => RecordBuilder::response(id, date, &uri),
        _ => RecordBuilder::new(&RecordType::Resource, id, date)
            .field("WARC-Target-URI", &uri)
            .field("Content-Type", &mime),
    };
    record = record.reference("WARC-Warcinfo-ID", info_id);
    let ip = text("WARC-IP-Address").and_then(|ip| ip.parse::<std::net::IpAddr>().ok());
    if let Some(ip) = ip.filter(|ip| !ip.is_unspecified()) {
        record = record.field("WARC-IP-Address", &ip.to_string());
    }
    for (name, value) in head.headers.iter().filter(|(name, _)| name.starts_with("ARC-")) {
        record = record.field(name, &String::from_utf8_lossy(value));
    }
    record
}

/// As [`convert_arc`], with random ids.
pub fn convert_arc_file(old: &Path, new: &Path, cx: &JobCx) -> Result<RecompressReport, RecompressError> {
    convert_arc(old, new, &new_record_id, cx)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::warc::{Severity, check_file};
    use std::cell::Cell;
    use std::fs;

    fn arc() -> Vec<u8> {
        let http = "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\npage";
        let info = "1 1 Fonds\nURL IP-address Archive-date Content-type Archive-length\n";
        [
            format!("filedesc://old.arc 0.0.0.0 20040301090000 text/plain {}\n{info}\n", info.len()),
            format!("http://a.pt/a b 193.136.1.1 20040301090001 text/html {}\n{http}\n", http.len()),
            "dns:a.pt - 20040301090002 text/dns 6\nanswer\n".to_owned(),
            "http://a.pt/old 193.136.1.1 20040301090003 no-type 6\n<html>\n".to_owned(),
            "http://a.pt/x 193.136.1.1 99999999999999 text/html 2\nhi\n".to_owned(),
        ]
        .concat()
        .into_bytes()
    }

    #[test]
    fn every_record_keeps_its_block_and_the_fields_of_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old.arc"), folder.path().join("new.warc.gz"));
        fs::write(&old, arc()).unwrap();
        let count = Cell::new(0);
        let ids = || {
            count.set(count.get() + 1);
            format!("urn:test:{}", count.get())
        };
        let report = convert_arc(&old, &new, &ids, &JobCx::detached()).unwrap();
        assert_eq!((report.records, report.left_out.len()), (4, 1), "{:?}", report.problems);
        let (checked, problems) = check_file(&new, true, &JobCx::detached()).unwrap();
        assert_eq!(checked.count(Severity::Error), 0, "{problems:?}");
        let mut text = Vec::new();
        flate2::bufread::MultiGzDecoder::new(&fs::read(&new).unwrap()[..]).read_to_end(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap().replace("\r\n", "\n");
        // The first record has the version of the program.
        let (info, rest) = text.split_once("old.arc\n\n\n").unwrap();
        assert!(info.contains("WARC-Filename: new.warc.gz") && info.contains("converted from the ARC file "), "{info}");
        insta::assert_snapshot!(rest);
    }

    #[test]
    fn a_warc_file_is_not_converted() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        let record = RecordBuilder::response("urn:test:1", CaptureDate::from_millis(0), "http://a.pt/");
        fs::write(&old, record.compress(b"")).unwrap();
        let error = convert_arc_file(&old, &new, &JobCx::detached()).unwrap_err();
        assert!(error.to_string().contains("no ARC file"), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
