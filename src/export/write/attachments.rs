//! Files of an export that are no archive files: campaigns, decisions, reports.

use crate::export::manifest::{Counts, Manifest};
use crate::export::verify::Faults;
use crate::export::{ExportError, VerifyCheck, io_at};
use crate::jobs::{Cancelled, JobCx, SpillMap, counted};
use crate::warc::wacz::stays_inside;
use crate::warc::{sha1_bytes, sha1_text};
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde::de::IgnoredAny;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use uuid::Uuid;
use uuid::fmt::Urn;

/// Longest line of an attachment that is read back, in bytes.
pub(in crate::export) const MAX_LINE: u64 = 64 << 20;

/// The state of an export when its attachments are written.
pub struct Written<'e> {
    /// Counts of the content of its archive files.
    pub counts: &'e Counts,
    /// Captures or records that could not be carried along, and why.
    pub problems: &'e [String],
    /// What is written otherwise than in the sources, without a loss: a line for each kind.
    pub notes: &'e [String],
    /// Positions of captures that are not in, in order.
    pub left_out: &'e [usize],
    /// Captures whose record is named otherwise in the export, by their position.
    pub rewritten: &'e RewrittenRecords,
}

/// Id and digest of a capture's record in the export, where they differ from
/// its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewrittenRecord {
    /// Its id, without angle brackets, where the one of the source is another.
    pub id: Option<String>,
    /// Its payload digest, where the one of the source contradicts the bytes.
    pub payload_digest: Option<String>,
}

/// Entries of rewritten records that are kept in memory.
const MAX_ENTRIES: usize = 50_000;
/// Bytes of an id and of a digest.
const ID: usize = 16;
const DIGEST: usize = 20;

/// The rewritten records of an export, by the positions of their captures. All records of a
/// selection may be rewritten: what does not fit into memory goes to a temporary file.
#[derive(Debug)]
pub struct RewrittenRecords {
    /// Flags of the fields that are set, a UUID, a SHA-1 digest.
    records: Mutex<SpillMap<{ 1 + ID + DIGEST }>>,
    /// Ids that are no UUID.
    odd_ids: HashMap<usize, String>,
    is_empty: bool,
}

impl Default for RewrittenRecords {
    fn default() -> Self {
        Self { records: Mutex::new(SpillMap::new(MAX_ENTRIES)), odd_ids: HashMap::new(), is_empty: true }
    }
}

impl RewrittenRecords {
    /// Takes in what is other than in the source.
    pub(in crate::export) fn insert(
        &mut self,
        position: usize,
        RewrittenRecord { id, payload_digest }: RewrittenRecord,
    ) -> io::Result<()> {
        let mut value = [0; 1 + ID + DIGEST];
        if let Some(id) = id {
            match id.parse::<Urn>() {
                Ok(uuid) if uuid.to_string() == id => {
                    value[0] |= 1;
                    value[1..=ID].copy_from_slice(uuid.as_uuid().as_bytes());
                }
                _ => {
                    self.is_empty = false;
                    self.odd_ids.insert(position, id);
                }
            }
        }
        if let Some(digest) = payload_digest.and_then(|digest| sha1_bytes(&digest)) {
            value[0] |= 2;
            value[1 + ID..].copy_from_slice(&digest);
        }
        if value[0] == 0 {
            return Ok(());
        }
        self.is_empty = false;
        self.records.get_mut().unwrap_or_else(PoisonError::into_inner).insert(key_of(position), value)
    }

    /// The rewritten record of the capture at a position, where it differs from the source.
    ///
    /// # Errors
    ///
    /// When the temporary file cannot be read.
    pub fn get(&self, position: usize) -> io::Result<Option<RewrittenRecord>> {
        let value = self.records.lock().unwrap_or_else(PoisonError::into_inner).get(&key_of(position))?;
        let odd_id = self.odd_ids.get(&position).cloned();
        let Some(value) = value else {
            return Ok(odd_id.map(|id| RewrittenRecord { id: Some(id), payload_digest: None }));
        };
        let uuid = (value[0] & 1 != 0).then(|| value[1..=ID].try_into().map(Uuid::from_bytes).unwrap_or_default());
        Ok(Some(RewrittenRecord {
            id: uuid.map(|uuid| uuid.urn().to_string()).or(odd_id),
            payload_digest: (value[0] & 2 != 0).then(|| sha1_text(&value[1 + ID..])),
        }))
    }

    /// Whether all records are named as in the source.
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }
}

fn key_of(position: usize) -> [u8; 16] {
    (position as u128).to_be_bytes()
}

/// A function that writes an attachment and returns the number of its rows.
type Writer<'a> = Box<dyn FnOnce(&mut dyn Write, &Written<'_>) -> anyhow::Result<u64> + 'a>;

/// A file of an export that is no archive file.
pub struct Attachment<'a> {
    path: String,
    write: Writer<'a>,
    exact: bool,
}

impl<'a> Attachment<'a> {
    /// An attachment at a path in the folder, with `/`; `.gz` at its end compresses
    /// it. `write` is called when the archive files are there, and returns the
    /// number of its rows.
    pub fn new(
        path: impl Into<String>,
        write: impl FnOnce(&mut dyn Write, &Written<'_>) -> anyhow::Result<u64> + 'a,
    ) -> Self {
        Self { path: path.into(), write: Box::new(write), exact: true }
    }

    /// An attachment of one piece.
    pub fn text(path: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        Self::new(path, move |out, _| Ok(out.write_all(text.as_bytes()).map(|()| 1)?))
    }

    /// Marks an attachment about the export itself: its size is not known
    /// exactly before.
    pub fn estimated(self) -> Self {
        Self { exact: false, ..self }
    }

    /// The path in the folder.
    pub(in crate::export) fn path(&self) -> &str {
        &self.path
    }

    /// Whether it is the same whenever it is written.
    pub(in crate::export) fn is_exact(&self) -> bool {
        self.exact
    }

    /// Writes it, compressed if its name ends so; returns the number of rows.
    pub(in crate::export) fn write(self, out: &mut dyn Write, written: &Written<'_>) -> Result<u64, ExportError> {
        let Self { path: name, write, .. } = self;
        let failed = |error: anyhow::Error| match error.downcast::<Cancelled>() {
            Ok(stopped) => ExportError::Cancelled(stopped),
            Err(error) => ExportError::Unread(error.context(name.clone())),
        };
        if !name.ends_with(".gz") {
            return write(out, written).map_err(failed);
        }
        let mut packed = GzEncoder::new(out, Compression::default());
        let rows = write(&mut packed, written).map_err(failed)?;
        packed.finish().map_err(io_at(Path::new(&name)))?;
        Ok(rows)
    }
}

/// Every attachment has the rows that the manifest names, and each can be read.
pub(in crate::export) fn attachments_are_whole(
    manifest: &Manifest,
    folder: &Path,
    cx: &JobCx,
) -> Result<VerifyCheck, ExportError> {
    let mut faults = Faults::default();
    let mut all = 0;
    for (path, rows) in &manifest.attachments {
        cx.checkpoint()?;
        if !stays_inside(path) || !manifest.files.iter().any(|file| file.path == *path) {
            faults.add(format!("{path}: not among the files of the manifest"));
            continue;
        }
        match rows_of(&folder.join(path), path, &mut faults, cx) {
            Ok(Some(found)) if found != *rows => faults.add(format!("{path}: {found} rows, the manifest says {rows}")),
            Ok(_) => all += rows,
            Err(ExportError::Io { source, .. }) => faults.add(format!("{path}: {source}")),
            Err(error) => return Err(error),
        }
    }
    let figures = format!("{}, {}", counted(manifest.attachments.len() as u64, "attachment"), counted(all, "row"));
    Ok(faults.into_check("Attachments have the rows of the manifest", figures))
}

/// The rows of an attachment, where it has rows.
fn rows_of(path: &Path, name: &str, faults: &mut Faults, cx: &JobCx) -> Result<Option<u64>, ExportError> {
    let plain = name.strip_suffix(".gz").unwrap_or(name);
    let file = BufReader::new(File::open(path).map_err(io_at(path))?);
    let mut reader: Box<dyn BufRead> = match name.ends_with(".gz") {
        true => Box::new(BufReader::new(MultiGzDecoder::new(file))),
        false => Box::new(file),
    };
    if plain.ends_with(".json") {
        if let Err(error) = serde_json::from_reader::<_, IgnoredAny>(&mut reader) {
            faults.add(format!("{name}: {error}"));
        }
        return Ok(None);
    }
    let is_json = plain.ends_with(".jsonl");
    if !is_json && !plain.ends_with(".nq") {
        return Ok(None);
    }
    let (mut rows, mut line) = (0, Vec::new());
    loop {
        line.clear();
        let len = match (&mut reader).take(MAX_LINE).read_until(b'\n', &mut line) {
            Ok(len) => len as u64,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                faults.add(format!("{name}, line {}: {error}", rows + 1));
                return Ok(None);
            }
        };
        if len == 0 {
            return Ok(Some(rows));
        }
        rows += 1;
        if !line.ends_with(b"\n") {
            let why = if len == MAX_LINE { "it is too long" } else { "it is cut off" };
            faults.add(format!("{name}, line {rows}: {why}"));
            return Ok(None);
        }
        if is_json && let Err(error) = serde_json::from_slice::<IgnoredAny>(&line) {
            faults.add(format!("{name}, line {rows}: {error}"));
        }
        cx.checkpoint()?;
    }
}
