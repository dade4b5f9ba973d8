//! Index of the records that are in an export already, and of those that come in at its end.
//!
//! Memory does not grow with either: see [`SpillMap`]; originals of revisits
//! wait in a temporary file.

use crate::export::{ExportError, ExportRecord, Original, no_temporary};
use crate::jobs::SpillMap;
use crate::uri::CaptureDate;
use crate::warc::{RecordType, Span};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

/// Entries of each kind that are kept in memory.
const MAX_ENTRIES: usize = 50_000;

/// Records that are in the export, by their places in the sources and by their
/// ids in the export.
pub(in crate::export) struct Places {
    files: Files,
    written: SpillMap<0>,
    ids: SpillMap<20>,
    /// First records of originals that wait.
    waiting: SpillMap<0>,
}

impl Default for Places {
    fn default() -> Self {
        Self {
            files: Files::default(),
            written: SpillMap::new(MAX_ENTRIES),
            ids: SpillMap::new(MAX_ENTRIES),
            waiting: SpillMap::new(MAX_ENTRIES),
        }
    }
}

impl Places {
    /// Whether a record is in.
    pub(in crate::export) fn has(&mut self, record: &ExportRecord) -> Result<bool, ExportError> {
        let place = self.files.place(record);
        self.written.contains(&place).map_err(no_temporary)
    }

    /// Notes that a record is in.
    pub(in crate::export) fn add(&mut self, record: &ExportRecord) -> Result<(), ExportError> {
        let place = self.files.place(record);
        self.written.insert(place, []).map_err(no_temporary)
    }

    /// Notes the record that has an id in the export, unless another has it.
    pub(in crate::export) fn add_id(&mut self, id: &str, record: &ExportRecord) -> Result<(), ExportError> {
        let key = key_of_id(id);
        if self.ids.contains(&key).map_err(no_temporary)? {
            return Ok(());
        }
        let mut value = [0; 20];
        value[..4].copy_from_slice(&self.files.number(&record.file).to_be_bytes());
        value[4..12].copy_from_slice(&record.span.offset.to_be_bytes());
        value[12..].copy_from_slice(&record.span.length.to_be_bytes());
        self.ids.insert(key, value).map_err(no_temporary)
    }

    /// The place in the sources of the record with this id in the export.
    pub(in crate::export) fn of_id(&mut self, id: &str) -> Result<Option<(PathBuf, Span)>, ExportError> {
        let Some(value) = self.ids.get(&key_of_id(id)).map_err(no_temporary)? else { return Ok(None) };
        let number = |bytes: &[u8]| bytes.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        let file = self.files.path(number(&value[..4]));
        Ok(Some((file, Span { offset: number(&value[4..12]), length: number(&value[12..]) })))
    }
}

/// A digest of an id: two ids do not have the same one.
fn key_of_id(id: &str) -> [u8; 16] {
    let mut key = [0; 16];
    key.copy_from_slice(&Sha256::digest(id)[..16]);
    key
}

/// Files by numbers.
#[derive(Default)]
struct Files {
    numbers: HashMap<PathBuf, u32>,
    paths: Vec<PathBuf>,
}

impl Files {
    fn number(&mut self, file: &Path) -> u32 {
        if let Some(number) = self.numbers.get(file) {
            return *number;
        }
        let number = u32::try_from(self.paths.len()).unwrap_or(u32::MAX);
        self.paths.push(file.to_owned());
        self.numbers.insert(file.to_owned(), number);
        number
    }

    fn path(&self, number: u64) -> PathBuf {
        usize::try_from(number).ok().and_then(|number| self.paths.get(number)).cloned().unwrap_or_default()
    }

    fn place(&mut self, record: &ExportRecord) -> [u8; 16] {
        let mut place = [0; 16];
        place[..4].copy_from_slice(&self.number(&record.file).to_be_bytes());
        place[8..].copy_from_slice(&record.span.offset.to_be_bytes());
        place
    }
}

/// A record of an original in the temporary file: number of its file, offset,
/// length, type, id, why it cannot be read.
type WaitingRecord = (u32, u64, u64, String, String, Option<String>);

/// The originals of revisits, each once, until everything else is in.
pub(in crate::export) struct Originals {
    lines: BufWriter<File>,
    len: u64,
}

impl Originals {
    pub(in crate::export) fn new() -> Result<Self, ExportError> {
        Ok(Self { lines: BufWriter::new(tempfile::tempfile().map_err(no_temporary)?), len: 0 })
    }

    pub(in crate::export) fn len(&self) -> u64 {
        self.len
    }

    /// Takes an original, unless it waits already.
    pub(in crate::export) fn push(&mut self, original: &Original, places: &mut Places) -> Result<(), ExportError> {
        let Some(first) = original.records.first() else { return Ok(()) };
        let place = places.files.place(first);
        if places.waiting.contains(&place).map_err(no_temporary)? {
            return Ok(());
        }
        places.waiting.insert(place, []).map_err(no_temporary)?;
        let records: Vec<WaitingRecord> = original
            .records
            .iter()
            .map(|record| {
                let (file, span) = (places.files.number(&record.file), record.span);
                let record_type = record.record_type.as_str().to_owned();
                (file, span.offset, span.length, record_type, record.record_id.clone(), record.lost.clone())
            })
            .collect();
        serde_json::to_writer(&mut self.lines, &(&original.url, original.date.millis(), records))
            .map_err(io::Error::from)
            .and_then(|()| self.lines.write_all(b"\n"))
            .map_err(no_temporary)?;
        self.len += 1;
        Ok(())
    }

    /// Reads the originals back, in their order.
    pub(in crate::export) fn read(self) -> Result<WaitingOriginals, ExportError> {
        let mut file = self.lines.into_inner().map_err(|error| no_temporary(error.into_error()))?;
        file.rewind().map_err(no_temporary)?;
        Ok(WaitingOriginals { lines: BufReader::new(file).lines() })
    }
}

/// The originals in the temporary file.
pub(in crate::export) struct WaitingOriginals {
    lines: io::Lines<BufReader<File>>,
}

impl WaitingOriginals {
    /// The next one.
    pub(in crate::export) fn next(&mut self, places: &Places) -> Result<Option<Original>, ExportError> {
        let Some(line) = self.lines.next().transpose().map_err(no_temporary)? else { return Ok(None) };
        let (url, millis, records): (String, i64, Vec<WaitingRecord>) =
            serde_json::from_str(&line).map_err(|error| no_temporary(error.into()))?;
        let record = |(file, offset, length, record_type, record_id, lost): WaitingRecord| ExportRecord {
            file: places.files.path(file.into()),
            lost,
            span: Span { offset, length },
            record_type: RecordType::parse(&record_type),
            record_id,
        };
        let records = records.into_iter().map(record).collect();
        Ok(Some(Original { url, date: CaptureDate::from_millis(millis), records }))
    }
}
