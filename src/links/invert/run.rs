//! Sorted runs on disk: each row as what it shares with the row before and
//! what is new, deflated.

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Read and write buffer of a run, in bytes.
const BUFFER_BYTES: usize = 64 * 1024;

/// What one run takes of the memory while runs are merged, in bytes: buffers
/// and the state of the decoder.
pub(super) const RUN_MEMORY_BYTES: usize = 2 * BUFFER_BYTES + 48 * 1024;

/// Writes rows that come in order.
pub(super) struct RunWriter {
    encoder: DeflateEncoder<BufWriter<File>>,
    plain: Vec<u8>,
    last: Vec<u8>,
}

impl RunWriter {
    /// The file has no name: the system frees it when the program ends, however it ends.
    pub(super) fn create(folder: &Path) -> io::Result<Self> {
        let file = BufWriter::with_capacity(BUFFER_BYTES, tempfile::tempfile_in(folder)?);
        Ok(Self {
            encoder: DeflateEncoder::new(file, Compression::fast()),
            plain: Vec::with_capacity(BUFFER_BYTES),
            last: Vec::new(),
        })
    }

    pub(super) fn write(&mut self, row: &[u8]) -> io::Result<()> {
        let shared = self.last.iter().zip(row).take_while(|(a, b)| a == b).count();
        let new = row.get(shared..).unwrap_or_default();
        // Lengths are stored with one added, so that a 0 can end the run.
        push_number(&mut self.plain, row.len() as u64 + 1);
        push_number(&mut self.plain, shared as u64);
        self.plain.extend_from_slice(new);
        self.last.truncate(shared);
        self.last.extend_from_slice(new);
        if self.plain.len() >= BUFFER_BYTES {
            self.encoder.write_all(&self.plain)?;
            self.plain.clear();
        }
        Ok(())
    }

    /// Ends the run and opens it for reading.
    pub(super) fn finish(mut self) -> io::Result<RunReader> {
        push_number(&mut self.plain, 0);
        self.encoder.write_all(&self.plain)?;
        let mut file = self.encoder.finish()?.into_inner().map_err(|error| error.into_error())?;
        file.seek(SeekFrom::Start(0))?;
        let bytes = file.metadata()?.len();
        let decoder = DeflateDecoder::new(file);
        Ok(RunReader { decoder: BufReader::with_capacity(BUFFER_BYTES, decoder), row: Vec::new(), bytes })
    }
}

/// Reads a run back.
pub(super) struct RunReader {
    decoder: BufReader<DeflateDecoder<File>>,
    row: Vec<u8>,
    bytes: u64,
}

impl RunReader {
    /// Size on disk.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The present row; empty before the first and after the last.
    pub(super) fn row(&self) -> &[u8] {
        &self.row
    }

    /// Goes to the next row; `false` at the end.
    pub(super) fn advance(&mut self) -> io::Result<bool> {
        let len = self.number()?;
        let Some(len) = len.checked_sub(1) else {
            self.row.clear();
            return Ok(false);
        };
        let shared = self.number()?;
        let new = len.checked_sub(shared).filter(|_| shared <= self.row.len() as u64);
        let Some(new) = new else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a row is longer than it can be"));
        };
        self.row.truncate(usize::try_from(shared).unwrap_or(usize::MAX));
        let read = (&mut self.decoder).take(new).read_to_end(&mut self.row)?;
        if read as u64 != new {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(true)
    }

    fn number(&mut self) -> io::Result<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let mut byte = [0];
            self.decoder.read_exact(&mut byte)?;
            value |= u64::from(byte[0] & 0x7f) << shift;
            if byte[0] & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, "a number without end"))
    }
}

fn push_number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_went() {
        let folder = tempfile::tempdir().unwrap();
        let rows: Vec<Vec<u8>> =
            (0..3000).map(|n| format!("row {:08}{}", n, "x".repeat(n % 200)).into_bytes()).collect();
        let mut writer = RunWriter::create(folder.path()).unwrap();
        for row in &rows {
            writer.write(row).unwrap();
        }
        let mut reader = writer.finish().unwrap();
        assert!(reader.bytes() < 100_000);
        for row in &rows {
            assert!(reader.advance().unwrap());
            assert_eq!(reader.row(), row);
        }
        assert!(!reader.advance().unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
