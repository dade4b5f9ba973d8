//! Writes the records of a file with another compression.
//!
//! In: any file that can be read. Out: one with a gzip member a record, or
//! plain. Heads and blocks stay byte for byte (so WARC/0.17 stays 0.17, and
//! ARC stays ARC); only the line breaks between WARC records are made those of
//! the standard, and ARC records that had none get one. Before the new file gets
//! its name it is read back, and each record in it must be the one that was
//! read.
//!
//! Records that are cut off or damaged are left out and named: their bytes
//! are only in the old file, which is not touched.
//!
//! Not here: Zstandard. The available encoder has only its fastest level.

use super::write::{GZIP_LEVEL, MAX_WHOLE, pack_member};
use super::{ArchiveReader, Compression, Problem, ProblemKind, WarcError};
use crate::jobs::{Cancelled, JobCx, WholeFile};
use flate2::write::GzEncoder;
use sha1::{Digest as _, Sha1};
use std::fs::File;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

/// Compression of a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewCompression {
    /// One gzip member a record, as the standard advises.
    GzipPerRecord,
    /// Not compressed.
    Plain,
}

/// Counts of records copied and left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecompressReport {
    /// How the old file is compressed.
    pub from: Compression,
    /// Records in the new file.
    pub records: u64,
    /// Records that are damaged or cut off and were left out, by their offset.
    pub left_out: Vec<u64>,
    /// What was odd or broken in the old file.
    pub problems: Vec<Problem>,
    /// Bytes of the old file.
    pub old_bytes: u64,
    /// Bytes of the new file.
    pub new_bytes: u64,
}

impl RecompressReport {
    pub(super) fn new(from: Compression) -> Self {
        Self { from, records: 0, left_out: Vec::new(), problems: Vec::new(), old_bytes: 0, new_bytes: 0 }
    }

    /// Problems that cost bytes: what they are about is not in the new file.
    pub fn losses(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|problem| {
            matches!(problem.kind, ProblemKind::Garbage | ProblemKind::Truncated | ProblemKind::BadCompression)
        })
    }
}

/// A file could not be recompressed.
#[derive(Debug, thiserror::Error)]
pub enum RecompressError {
    /// Reading or writing failed.
    #[error(transparent)]
    Warc(#[from] WarcError),
    /// Stopped on request; nothing was written.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A file to be converted is a WARC file already.
    #[error("{path}: no ARC file, so there is nothing to convert", path = path.display())]
    NotArc {
        /// The old file.
        path: PathBuf,
    },
    /// Nothing of it can be copied.
    #[error("{path}: no whole record in it, so no new file was written", path = path.display())]
    Nothing {
        /// The old file.
        path: PathBuf,
    },
    /// What was read back is not what was written.
    #[error("{path}: {why}; the new file was thrown away", path = path.display())]
    Unproven {
        /// The new file.
        path: PathBuf,
        /// What is not the same.
        why: String,
    },
}

/// Copies the records of `old` into the new file `new`.
pub fn recompress_file(
    old: &Path,
    new: &Path,
    compression: NewCompression,
    cx: &JobCx,
) -> Result<RecompressReport, RecompressError> {
    cx.or_cancelled(recompress(old, new, compression, cx))
}

fn recompress(
    old: &Path,
    new: &Path,
    compression: NewCompression,
    cx: &JobCx,
) -> Result<RecompressReport, RecompressError> {
    let mut reader = ArchiveReader::open(old)?.stopped_by(cx);
    reader.keep_head_bytes();
    let mut out = WholeFile::create(new).map_err(WarcError::from)?;
    let out_path = out.open_path().to_owned();
    let out_io = |source| WarcError::Io { path: out_path.clone(), source };
    let mut report = RecompressReport::new(reader.compression());
    let mut proof = Vec::new();
    while let Some(head) = reader.next_head()? {
        let begin = out.position().map_err(out_io)?;
        let place = reader.record_offset();
        let bytes = reader.head_bytes().to_vec();
        let mut member = MemberWriter::begin(&mut out, compression);
        let (sum, len) = copy_record(&mut reader, &bytes, &mut member).map_err(|error| match error {
            CopyError::Out(source) => out_io(source),
            CopyError::In(source) => WarcError::Io { path: old.to_owned(), source },
        })?;
        let span = reader.finish_record()?;
        member.end(breaks_after(&reader, head.is_arc())).map_err(out_io)?;
        let whole = span.is_some() && len == head.content_length;
        if whole {
            proof.push(sum);
            report.records += 1;
        } else {
            out.cut_back(begin).map_err(out_io)?;
            report.left_out.push(place);
        }
        report.problems.append(&mut reader.take_problems());
        cx.set_done(reader.file_offset());
        cx.checkpoint()?;
    }
    end_copy(old, &mut reader, out, report, |new| {
        let expected = if compression == NewCompression::Plain { Compression::Plain } else { Compression::Gzip };
        // The records keep what was odd about them.
        prove(new, expected, &proof, cx, sum_of_record).map(drop)
    })
}

/// The sum of the current head and block.
fn sum_of_record(reader: &mut ArchiveReader<File>) -> io::Result<[u8; 20]> {
    let head = reader.head_bytes().to_vec();
    match copy_record(reader, &head, &mut io::sink()) {
        Ok((sum, _)) => Ok(sum),
        Err(CopyError::In(source) | CopyError::Out(source)) => Err(source),
    }
}

/// Ends a copy of `old`, which was read to its end: the new file gets its name
/// once it is on the disk and `prove` has read it back.
pub(super) fn end_copy(
    old: &Path,
    reader: &mut ArchiveReader<File>,
    mut new: WholeFile,
    mut report: RecompressReport,
    prove: impl FnOnce(&Path) -> Result<(), RecompressError>,
) -> Result<RecompressReport, RecompressError> {
    report.problems.append(&mut reader.take_problems());
    report.old_bytes = reader.file_offset();
    if report.records == 0 {
        return Err(RecompressError::Nothing { path: old.to_owned() });
    }
    new.sync().map_err(WarcError::from)?;
    let path = new.open_path().to_owned();
    report.new_bytes = new.position().map_err(|source| WarcError::Io { path: path.clone(), source })?;
    prove(&path)?;
    new.finish().map_err(WarcError::from)?;
    Ok(report)
}

enum CopyError {
    In(io::Error),
    Out(io::Error),
}

/// A record while it is written.
struct MemberWriter<W: Write> {
    /// None once a long record is compressed as a stream.
    out: Option<W>,
    compression: NewCompression,
    /// A record that is compressed as a whole.
    bytes: Vec<u8>,
    stream: Option<GzEncoder<W>>,
}

impl<W: Write> MemberWriter<W> {
    fn begin(out: W, compression: NewCompression) -> Self {
        Self { out: Some(out), compression, bytes: Vec::new(), stream: None }
    }

    fn end(mut self, breaks: &[u8]) -> io::Result<()> {
        self.write_all(breaks)?;
        match (self.stream, self.out, self.compression) {
            (Some(stream), ..) => stream.finish().map(drop),
            (None, Some(mut out), NewCompression::GzipPerRecord) => {
                out.write_all(&pack_member(&[&self.bytes], GZIP_LEVEL))
            }
            _ => Ok(()),
        }
    }
}

impl<W: Write> Write for MemberWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(stream) = &mut self.stream {
            return stream.write(bytes);
        }
        if self.compression == NewCompression::GzipPerRecord && self.bytes.len() + bytes.len() <= MAX_WHOLE {
            self.bytes.extend_from_slice(bytes);
            return Ok(bytes.len());
        }
        match (self.compression, &mut self.out) {
            (NewCompression::Plain, Some(out)) => out.write(bytes),
            (_, out) => {
                let Some(out) = out.take() else { return Err(io::ErrorKind::BrokenPipe.into()) };
                let stream = self.stream.insert(GzEncoder::new(out, flate2::Compression::new(GZIP_LEVEL)));
                stream.write_all(&std::mem::take(&mut self.bytes))?;
                stream.write(bytes)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The line breaks that the record just ended is written with. Writers of ARC
/// differ, and readers of theirs count on it.
fn breaks_after<R: io::Read>(reader: &ArchiveReader<R>, is_arc: bool) -> &[u8] {
    match reader.break_bytes() {
        _ if !is_arc => b"\r\n\r\n",
        [] => b"\n",
        breaks => breaks,
    }
}

/// Copies head and block; returns the sum of both and the length of the block.
fn copy_record(block: &mut impl BufRead, head: &[u8], out: &mut impl Write) -> Result<([u8; 20], u64), CopyError> {
    let mut sum = Sha1::new();
    let mut put = |bytes: &[u8], out: &mut dyn Write| {
        sum.update(bytes);
        out.write_all(bytes).map_err(CopyError::Out)
    };
    put(head, out)?;
    let mut len = 0;
    loop {
        let chunk = block.fill_buf().map_err(CopyError::In)?;
        if chunk.is_empty() {
            break;
        }
        put(chunk, out)?;
        let used = chunk.len();
        len += used as u64;
        block.consume(used);
    }
    Ok((sum.finalize().into(), len))
}

/// Writes the current record (its head bytes are kept) as a gzip member, and ends it.
pub(super) fn pack_record(
    path: &Path,
    reader: &mut ArchiveReader<File>,
    is_arc: bool,
    out: &mut dyn Write,
) -> Result<(), WarcError> {
    let head = reader.head_bytes().to_vec();
    let mut member = MemberWriter::begin(out, NewCompression::GzipPerRecord);
    let path = path.to_owned();
    let io = move |source| WarcError::Io { path: path.clone(), source };
    match copy_record(reader, &head, &mut member) {
        Ok(_) => {}
        Err(CopyError::In(source) | CopyError::Out(source)) => return Err(io(source)),
    }
    reader.finish_record()?;
    member.end(breaks_after(reader, is_arc)).map_err(io)
}

/// Reads the new file: the same records in the same order, each with a place, and their sums, which `sum_of`
/// makes of the current record, as `expected`. Returns what was odd.
pub(super) fn prove<T: PartialEq>(
    path: &Path,
    compression: Compression,
    expected: &[T],
    cx: &JobCx,
    sum_of: impl Fn(&mut ArchiveReader<File>) -> io::Result<T>,
) -> Result<Vec<Problem>, RecompressError> {
    let unproven = |why: String| RecompressError::Unproven { path: path.to_owned(), why };
    let mut reader = ArchiveReader::open(path)?.stopped_by(cx);
    reader.keep_head_bytes();
    if reader.compression() != compression {
        return Err(unproven(format!("it is packed as {}", reader.compression().as_str())));
    }
    let mut found = 0;
    while reader.next_head()?.is_some() {
        let sum = sum_of(&mut reader).map_err(|source| WarcError::Io { path: path.to_owned(), source })?;
        let span = reader.finish_record()?;
        let offset = reader.record_offset();
        if span.is_none_or(|span| span.is_inside_member()) || expected.get(found) != Some(&sum) {
            return Err(unproven(format!("record {} (offset {offset}) is not the one that was read", found + 1)));
        }
        found += 1;
        cx.checkpoint()?;
    }
    if found != expected.len() {
        return Err(unproven(format!("{found} records are in it, {} were written", expected.len())));
    }
    Ok(reader.take_problems())
}

#[cfg(test)]
mod tests;
