//! Writer of an exchange: its records in a WARC file and its entry for the ledger.

use super::answer::{CutCause, Exchange};
use super::spool::Spool;
use crate::captures::CaptureNotes;
use crate::captures::{CaptureEntry, RecordPlace};
use crate::jobs::lock;
use crate::uri::{CaptureDate, Url};
use crate::warc::{
    BlockDigester, FileSetOptions, Placed, RecordBuilder, RecordType, WarcError, WarcFileSet, new_record_id,
};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};

/// Answers longer than this are packed by way of a file.
pub const PACK_IN_MEMORY: u64 = 4 << 20;

/// The WARC files of a launch.
pub struct Archive {
    files: Mutex<WarcFileSet>,
    synced: Mutex<Synced>,
    sync_ended: Condvar,
    /// The folder as the catalogue names it.
    label: String,
    folder: PathBuf,
}

/// The length up to which the current file is safe against a power cut.
#[derive(Default)]
struct Synced {
    /// The file as the catalogue names it; empty before the first sync.
    file: String,
    len: u64,
    /// A worker is syncing; those that come meanwhile share the next sync.
    is_syncing: bool,
    /// The disk refused once. What it dropped then, no later sync brings back.
    failed: Option<(PathBuf, String)>,
}

/// An earlier capture with the same payload: date and record id.
pub type RepeatedCapture = (CaptureDate, String);

impl Archive {
    /// Writes to files in `options.folder`, which the catalogue calls `label`.
    pub fn new(options: FileSetOptions, label: &str) -> Self {
        let folder = options.folder.clone();
        Self {
            files: Mutex::new(WarcFileSet::new(options)),
            synced: Mutex::default(),
            sync_ended: Condvar::new(),
            label: label.trim_end_matches('/').to_owned(),
            folder,
        }
    }

    /// The folder of its files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns when these records are safe against a power cut. The ledger is
    /// gets a capture after that, so that it never claims bytes that a cut
    /// took. One sync serves all who wait, and nobody who appends waits for it.
    ///
    /// # Errors
    ///
    /// A disk that does not take the bytes, now or since the crawl began.
    pub fn make_durable(&self, records: &[RecordPlace]) -> Result<(), WarcError> {
        let Some(last) = records.last() else { return Ok(()) };
        let end = last.span.offset + last.span.length;
        let mut synced = lock(&self.synced);
        loop {
            if let Some((path, why)) = &synced.failed {
                return Err(WarcError::Io { path: path.clone(), source: io::Error::other(why.clone()) });
            }
            if synced.file == last.file && synced.len >= end {
                return Ok(());
            }
            if synced.is_syncing {
                synced = self.sync_ended.wait(synced).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            synced.is_syncing = true;
            drop(synced);
            let reached = self.sync(&last.file);
            synced = lock(&self.synced);
            synced.is_syncing = false;
            self.sync_ended.notify_all();
            match reached {
                // A file that is not current any more was synced when it was closed.
                Ok(None) => return Ok(()),
                Ok(Some((file, len))) => (synced.file, synced.len) = (file, len),
                Err(error) => {
                    let (path, source) = match error {
                        WarcError::Io { path, source } => (path, source),
                        other => (self.folder.clone(), io::Error::other(other.to_string())),
                    };
                    synced.failed = Some((path, source.to_string()));
                }
            }
        }
    }

    /// Syncs the current file if it is `file`; returns its length. None where it is
    /// another one, since `file` was closed.
    fn sync(&self, file: &str) -> Result<Option<(String, u64)>, WarcError> {
        let point = {
            let mut files = lock(&self.files);
            let closed = self.folder.join(file.rsplit('/').next().unwrap_or(file));
            if files.is_unsynced(&closed) {
                let source = io::Error::other("the file could not be synced when it was closed");
                return Err(WarcError::Io { path: closed, source });
            }
            files.sync_point()?
        };
        let Some(point) = point.filter(|point| file_label(&self.label, &point.file) == file) else { return Ok(None) };
        point.sync()?;
        Ok(Some((file.to_owned(), point.len)))
    }

    /// Writes the records of a capture and returns their places: response
    /// or revisit, request, metadata. They are with the system on return.
    /// Everything is packed before the files are locked.
    pub fn write(
        &self,
        url: &Url,
        exchange: &mut Exchange,
        original: Option<&RepeatedCapture>,
        notes: &CaptureNotes,
    ) -> Result<Vec<RecordPlace>, WarcError> {
        let date = exchange.date;
        let ids = [new_record_id(), new_record_id(), new_record_id()];
        let (main_type, mut main) = self.main_record(url, exchange, original, &ids[0])?;
        let request = with_line(RecordBuilder::request(&ids[1], date, url.as_str()), exchange)
            .reference("WARC-Concurrent-To", &ids[0])
            .compress(&exchange.request);
        let io = |source| WarcError::Io { path: self.folder.clone(), source };
        let mut metadata = self.metadata_record(url, date, notes, [&ids[2], &ids[0]]).map_err(io)?;
        let mut main = main.reader(0).map_err(io)?;
        let (mut request, mut metadata) = (request.as_slice(), metadata.reader(0).map_err(io)?);
        let mut members: [&mut dyn Read; 3] = [&mut main, &mut request, &mut metadata];
        let placed = {
            let mut files = lock(&self.files);
            files.append_from(&mut members)?
        };
        let types = [main_type, RecordType::Request, RecordType::Metadata];
        Ok(placed
            .into_iter()
            .zip(types)
            .zip(ids)
            .map(|((placed, record_type), record_id)| RecordPlace {
                record_type,
                record_id,
                file: label_of(&self.label, &placed),
                span: placed.span,
            })
            .collect())
    }

    /// The packed response, or the revisit in its place.
    fn main_record(
        &self,
        url: &Url,
        exchange: &mut Exchange,
        original: Option<&RepeatedCapture>,
        id: &str,
    ) -> Result<(RecordType, Spool), WarcError> {
        let io = |source| WarcError::Io { path: self.folder.clone(), source };
        if let Some((original_date, original_id)) = original {
            let mut packed = Spool::new(&self.folder);
            let mut block = Vec::new();
            let origin = (original_id.as_str(), url.as_str(), *original_date);
            let builder = RecordBuilder::revisit(id, exchange.date, url.as_str(), &exchange.digests.payload, origin);
            let builder = with_line(builder, exchange);
            exchange
                .response
                .reader(0)
                .and_then(|head| head.take(exchange.head_len).read_to_end(&mut block))
                .map_err(io)?;
            packed.push(&builder.compress(&block)).map_err(io)?;
            return Ok((RecordType::Revisit, packed));
        }
        let mut builder = with_line(RecordBuilder::response(id, exchange.date, url.as_str()), exchange);
        if let Some(cut) = exchange.cut {
            builder = builder.field("WARC-Truncated", cut.truncated());
        }
        let builder = builder.digests(&exchange.digests);
        Ok((RecordType::Response, self.pack(&builder, &mut exchange.response).map_err(io)?))
    }

    /// The packed metadata record: its own id, and that of the record it is about.
    fn metadata_record(
        &self,
        url: &Url,
        date: CaptureDate,
        notes: &CaptureNotes,
        [id, about]: [&str; 2],
    ) -> io::Result<Spool> {
        let mut block = Digested { block: Spool::new(&self.folder), digester: BlockDigester::new(false) };
        notes.write_json(url, date, &mut block)?;
        let Digested { mut block, digester } = block;
        let builder = RecordBuilder::metadata(id, date, url.as_str(), "application/json")
            .reference("WARC-Refers-To", about)
            .reference("WARC-Concurrent-To", about)
            .block_digest(&digester.finish().block);
        self.pack(&builder, &mut block)
    }

    /// Packs a record whose digests are known.
    fn pack(&self, builder: &RecordBuilder, block: &mut Spool) -> io::Result<Spool> {
        let mut packed = Spool::new(&self.folder);
        let len = block.len();
        let mut block = block.reader(0)?;
        if len <= PACK_IN_MEMORY {
            let mut bytes = Vec::new();
            block.read_to_end(&mut bytes)?;
            packed.push(&builder.compress(&bytes))?;
        } else {
            builder.compress_from(block, len, &mut packed)?;
        }
        Ok(packed)
    }

    /// Closes the current file; returns the files of this run.
    pub fn close(self) -> Result<Vec<PathBuf>, WarcError> {
        self.files.into_inner().unwrap_or_else(PoisonError::into_inner).close()
    }
}

/// A block that is hashed while it is written.
struct Digested {
    block: Spool,
    digester: BlockDigester,
}

impl Write for Digested {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.block.push(bytes)?;
        self.digester.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn label_of(label: &str, placed: &Placed) -> String {
    file_label(label, &placed.file)
}

/// The name of a file of a launch in the catalogue.
pub fn file_label(label: &str, file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    if label.is_empty() { name.into_owned() } else { format!("{}/{name}", label.trim_end_matches('/')) }
}

/// Adds what is known of the line.
fn with_line(builder: RecordBuilder, exchange: &Exchange) -> RecordBuilder {
    let http = if exchange.head.minor_version == 0 { "http/1.0" } else { "http/1.1" };
    let builder = builder.field("WARC-IP-Address", &exchange.address.ip().to_string()).field("WARC-Protocol", http);
    match &exchange.tls {
        Some(tls) => builder.field("WARC-Protocol", &tls.protocol).field("WARC-Cipher-Suite", &tls.cipher),
        None => builder,
    }
}

/// The entry of a capture for the ledger; its records are written already.
pub fn entry_of(
    url: &Url,
    exchange: &Exchange,
    original: Option<&RepeatedCapture>,
    notes: CaptureNotes,
    records: Vec<RecordPlace>,
) -> CaptureEntry {
    let redirect = notes.outlinks.iter().find(|link| link.kind == crate::links::LinkKind::Redirect);
    let redirect_to = redirect.map(|link| link.url.clone());
    let mut entry = CaptureEntry {
        url: url.clone(),
        date: exchange.date,
        notes,
        payload_len: exchange.digests.payload_len,
        payload_digest: exchange.digests.payload.clone(),
        declared_digest: None,
        truncated: exchange.cut.map(|cut| CutCause::truncated(cut).to_owned()),
        sniffed: None,
        ip: Some(exchange.address.ip()),
        claimed_rule: String::new(),
        redirect_to,
        revisit_of: original.map(|(date, _)| *date),
        repeats: None,
        refers_to: original.map(|(_, id)| id.clone()),
        records,
        outlinks_complete: true,
    };
    entry.note_truncation();
    entry
}
