//! An import reads one file: it finds known ones by digest, and indexes or copies new ones.

use super::copy::{Hashing, IMPORTS, NoRoom, copy_in, digest_of, take_back};
use super::package::{InnerBudget, Titles, is_package};
use super::{Importer, SourceFile};
use crate::captures::{Author, CaptureEntry, IndexReport, index_in_parallel, index_records};
use crate::crawl::{CrawlError, LedgerError};
use crate::jobs::{JobCx, StopError};
pub(super) use crate::store::ImportProblem;
use crate::store::rows::{FileId, FileOutcome, ImportedFile};
use crate::store::{KnownFile, PackedCaptures, UnderWay, mtime_ns};
use crate::warc::{ArchiveReader, reading_threads};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Files from this size on are read by several threads: for less it is not
/// worth while to begin.
const LARGE_FILE_BYTES: u64 = 16 << 20;
/// Captures kept in one write of the catalogue, fewest and most. Each write
/// changes its indexes in as many places as it has captures, and every page of
/// them that changed goes to the disk: the more are there already, the more
/// have to share a write. Others who write wait for it, which bounds it.
const BATCH: RangeInclusive<u64> = 1_000..=8_000;
/// Known captures for each capture of a write.
const KNOWN_FOR_ONE: u64 = 16;
/// Bytes of packed links in one write: pages may hold hundreds of thousands each.
const BATCH_LINK_BYTES: usize = 8 << 20;

/// The result of reading a file, besides its row.
#[derive(Default)]
pub(super) struct FileScan {
    pub sha256: String,
    pub problems: Vec<ImportProblem>,
    /// The disk gave no more: another import has to try again.
    pub is_torn: bool,
}

/// A file that is about to be read.
pub(super) struct Source<'a> {
    pub found: &'a SourceFile,
    /// The path that is read: its own, or that of its copy.
    pub path: PathBuf,
    /// As the catalogue keeps it.
    pub label: String,
    pub mtime_ns: i64,
    /// Counts the bytes that are read, where they count.
    pub cx: JobCx,
}

/// The result of reading the records of a file.
pub(super) struct Shared {
    pub report: IndexReport,
    /// Its digest and size, or why it could not be read to its end.
    pub whole: anyhow::Result<(String, u64)>,
}

impl Importer<'_> {
    /// Imports a file and keeps the outcome.
    pub(super) fn one(&self, found: &SourceFile) -> anyhow::Result<()> {
        self.note(found);
        let begun = Instant::now();
        let mut done = not_read_yet(found);
        let scan = match self.process(found, &mut done) {
            Ok(scan) => scan,
            Err(error) if error.is_cancelled() || is_of_workspace(&error) => return Err(error),
            Err(error) => {
                // A cancel may arrive as an error of the bytes being read.
                self.cx.checkpoint()?;
                done.error = Some(super::super::error_chain(&error));
                FileScan::default()
            }
        };
        done.problem_count += u64::from(done.error.is_some());
        done.took_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(self.workspace.catalogue().keep_imported(self.launch, &done, &scan.sha256, scan.problems)?)
    }

    fn process(&self, found: &SourceFile, done: &mut ImportedFile) -> anyhow::Result<FileScan> {
        if let Some(why) = &found.trouble {
            anyhow::bail!("{why}");
        }
        anyhow::ensure!(found.size > 0, "the file is empty");
        let catalogue = self.workspace.catalogue();
        if let Some(known) = catalogue.known_file_at(&done.path, found.size, found.mtime_ns)? {
            // Of a file that grew since, its beginning is of use where the rest is, too.
            if known.size == found.size || self.is_at_its_place(&known) || self.has_grown_at_its_place(&known)? {
                self.cx.advance(found.size)?;
                return self.known(found, done, &known);
            }
        }
        let same_size: Vec<KnownFile> = catalogue
            .files_of_size(found.size)?
            .into_iter()
            // A crawl's own file is read at its place, for what the catalogue may lack of it.
            .filter(|known| !(known.crawled && self.workspace.folder().join(&known.path) == found.path))
            .collect();
        if !same_size.is_empty() {
            let (sha256, _) = digest_of(&found.path, &self.cx.aside("comparing"))?;
            for known in &same_size {
                if self.digest_of_known(known)?.is_some_and(|digest| digest == sha256) {
                    self.cx.advance(found.size)?;
                    return self.known(found, done, known);
                }
            }
            self.go_on_elsewhere(found, &same_size)?;
        }
        self.read(found, done)
    }

    /// The digest of a file of the catalogue; made now for one that a crawl wrote.
    fn digest_of_known(&self, known: &KnownFile) -> anyhow::Result<Option<String>> {
        if !known.sha256.is_empty() {
            return Ok(Some(known.sha256.clone()));
        }
        let path = self.workspace.stored_place(&known.path)?;
        let Some(meta) = fs::metadata(&path).ok().filter(|meta| known.crawled && meta.len() == known.size) else {
            return Ok(None);
        };
        let (sha256, size) = match digest_of(&path, &self.cx.aside("comparing")) {
            Ok(digest) => digest,
            // It is read for comparing only.
            Err(_) => return Ok(self.cx.checkpoint().map(|()| None)?),
        };
        self.workspace.catalogue().file_is_sound(known.id, size, mtime_ns(&meta), &sha256)?;
        Ok(Some(sha256))
    }

    /// The same bytes were read before. Where they are no longer at the place
    /// they had then, they are read from here on.
    fn known(&self, found: &SourceFile, done: &mut ImportedFile, known: &KnownFile) -> anyhow::Result<FileScan> {
        let catalogue = self.workspace.catalogue();
        done.file = Some(known.id);
        done.same_as = Some(known.path.clone());
        done.outcome = FileOutcome::Known;
        if !self.is_at_its_place(known) && !self.has_grown_at_its_place(known)? {
            let kept = if self.copy { copy_in(self.workspace, &found.path, self.cx)?.0 } else { found.path.clone() };
            let mtime = fs::metadata(&kept).map_or(found.mtime_ns, |meta| mtime_ns(&meta));
            if catalogue.move_file(known.id, &self.label(&kept)?, mtime)? {
                done.outcome = FileOutcome::Moved;
            }
        }
        Ok(FileScan::default())
    }

    fn is_at_its_place(&self, known: &KnownFile) -> bool {
        let place = self.workspace.stored_place(&known.path);
        !known.changed && place.is_ok_and(|place| fs::metadata(place).is_ok_and(|meta| meta.len() == known.size))
    }

    /// Whether the file has more bytes now than were read; they come in when that file is imported.
    fn has_grown_at_its_place(&self, known: &KnownFile) -> anyhow::Result<bool> {
        let place = self.workspace.stored_place(&known.path)?;
        let is_longer = fs::metadata(&place).is_ok_and(|meta| meta.len() > known.size);
        // What cannot be read there is not there.
        let is_it = is_longer && !known.sha256.is_empty() && self.begins_with(&place, known).unwrap_or(false);
        self.cx.checkpoint()?;
        Ok(is_it)
    }

    /// A file that an import was killed in the middle of, and that was given
    /// another name since, goes on under the new one.
    fn go_on_elsewhere(&self, found: &SourceFile, same_size: &[KnownFile]) -> anyhow::Result<()> {
        for known in same_size.iter().filter(|known| known.sha256.is_empty() && !known.crawled && !self.copy) {
            let is_gone = !self.workspace.stored_place(&known.path)?.exists();
            let to_locate = self.workspace.catalogue().file_to_locate(known.id)?;
            if is_gone && super::super::files::holds_records(&found.path, &to_locate.records) {
                self.workspace.catalogue().move_file(known.id, &self.label(&found.path)?, found.mtime_ns)?;
                return Ok(());
            }
        }
        Ok(())
    }

    /// A file that was appended to since it was read, or while it was read, goes on: what is known of
    /// it is still at its place.
    fn go_on_where_it_grew(&self, source: &Source<'_>) -> anyhow::Result<()> {
        let catalogue = self.workspace.catalogue();
        let Some(known) = catalogue.file_called(&source.label)? else { return Ok(()) };
        let size = source.found.size;
        let is_unfinished = known.size < size || (known.size == size && known.sha256.is_empty());
        if is_unfinished
            && super::super::files::holds_records(&source.path, &catalogue.file_to_locate(known.id)?.records)
        {
            catalogue.file_goes_on(known.id, &source.label, size, source.mtime_ns)?;
        }
        Ok(())
    }

    /// A file that was copied in, or linked, and appended to since: the longer copy takes the place of
    /// the shorter one, and what is known of that is at the same place in it. Nothing of a person's is
    /// taken away.
    fn go_on_in_longer_copy(&self, source: &Source<'_>, known: &KnownFile) -> anyhow::Result<()> {
        let is_it = !is_package(&source.path)? && self.begins_with(&source.path, known)?;
        let size = source.found.size;
        let goes_on =
            is_it && self.workspace.catalogue().file_goes_on(known.id, &source.label, size, source.mtime_ns)?;
        if goes_on && self.is_own_copy(known) {
            take_back(&self.workspace.own_folder(self.workspace.stored_place(&known.path)?)?);
        }
        Ok(())
    }

    /// Whether a file begins with the bytes that were read as a known one.
    fn begins_with(&self, path: &Path, known: &KnownFile) -> anyhow::Result<bool> {
        let cx = &self.cx.aside("comparing");
        let sha256 = match known.sha256.as_str() {
            // It was not read to its end; its copy was whole all the same.
            "" if self.is_own_copy(known) => digest_of(&self.workspace.stored_place(&known.path)?, cx).ok(),
            "" => None,
            sha256 => Some((sha256.to_owned(), known.size)),
        };
        self.cx.checkpoint()?;
        let beginning = File::open(path)?.take(known.size);
        Ok(sha256.is_some() && sha256 == Some(Hashing::new(beginning, cx).finish()?))
    }

    /// Whether a file is a copy that an import has made.
    fn is_own_copy(&self, known: &KnownFile) -> bool {
        !known.crawled && Path::new(&known.path).starts_with(IMPORTS)
    }

    /// The name of a path in the catalogue, which keeps text only.
    fn label(&self, path: &Path) -> anyhow::Result<String> {
        anyhow::ensure!(
            path.to_str().is_some(),
            "its name holds bytes that are no UTF-8, so the catalogue cannot find it again; rename it, or import it with --copy"
        );
        Ok(self.workspace.stored_name(path))
    }

    /// Reads a file whose bytes are not known.
    fn read(&self, found: &SourceFile, done: &mut ImportedFile) -> anyhow::Result<FileScan> {
        let before = self.workspace.catalogue().read_from_before(&done.path, found.size)?;
        // What was copied in once stays a copy, or its captures would come in twice.
        let copy = match &before {
            Some(known) if !self.copy && self.is_own_copy(known) => self.begins_with(&found.path, known)?,
            _ => self.copy,
        };
        let (path, sha256) = match copy {
            true => {
                let (copy, sha256) = copy_in(self.workspace, &found.path, self.cx)?;
                (copy, Some(sha256))
            }
            false => (found.path.clone(), None),
        };
        let mtime_ns = fs::metadata(&path).map_or(found.mtime_ns, |meta| mtime_ns(&meta));
        let source = Source { found, label: self.label(&path)?, path, mtime_ns, cx: self.cx.clone() };
        if let Some(known) = before.filter(|known| copy && known.path != source.label) {
            self.go_on_in_longer_copy(&source, &known)?;
        }
        self.go_on_where_it_grew(&source)?;
        let scan = if is_package(&source.path)? {
            // Its parts are read one by one, so that its digest needs a reading of its own.
            let sha256 = match sha256 {
                Some(sha256) => sha256,
                None => digest_of(&source.path, &self.cx.aside("reading its digest"))?.0,
            };
            self.package(&source, sha256, done, 0, None)
        } else {
            self.index(&source, done)
        };
        // Captures may be in the copy already, though reading it failed later.
        let is_needed = || self.workspace.catalogue().file_called(&source.label).map_or(true, |file| file.is_some());
        if copy && done.file.is_none() && !scan.as_ref().is_err_and(StopError::is_cancelled) && !is_needed() {
            take_back(&source.path);
        }
        // A copy may be gone; the file to check is the one it was made from.
        if copy { scan_source(scan, &source, done) } else { scan }
    }

    /// Reads the records of a file into the catalogue, hashing it on the way.
    fn index(&self, source: &Source<'_>, done: &mut ImportedFile) -> anyhow::Result<FileScan> {
        let sink = Sink::new(self, source);
        let Shared { report, whole } = self.read_records(source, &sink)?;
        done.new_captures = sink.brought_in()?;
        (done.records, done.captures, done.revisits) = (report.records, report.captures, report.revisits);
        done.problem_count = report.problems.len() as u64 + report.more_problems;
        (done.left_out, done.orphans) = (report.left_out, report.orphans);
        let sha256 = match whole {
            Ok(_) if done.records == 0 && done.problem_count == 0 => {
                done.outcome = FileOutcome::Unread;
                done.error = Some("there is no record in it".to_owned());
                String::new()
            }
            Ok((sha256, _)) => {
                done.outcome = FileOutcome::Read;
                sink.file()?;
                sha256
            }
            Err(error) => {
                done.outcome = if report.records > 0 { FileOutcome::Cut } else { FileOutcome::Unread };
                done.error = Some(super::super::error_chain(&error));
                String::new()
            }
        };
        done.file = sink.file.get();
        let problems = report.problems.into_iter().map(Into::into).collect();
        Ok(FileScan { sha256, problems, is_torn: false })
    }

    /// Reads all records of a file and hands its captures to the sink.
    pub(super) fn read_records(&self, source: &Source<'_>, sink: &Sink<'_>) -> anyhow::Result<Shared> {
        let (report, ended, digest) = match source.found.size {
            LARGE_FILE_BYTES.. => self.read_in_parallel(source, sink)?,
            _ => self.read_alone(source, sink)?,
        };
        self.cx.checkpoint()?;
        let ended = match ended {
            Err(error @ (CrawlError::Ledger(_) | CrawlError::Cancelled(_))) => return Err(error.into()),
            other => other,
        };
        let whole = ended.map_err(anyhow::Error::from).and_then(|()| {
            let (sha256, size) = digest?;
            let mtime_after = fs::metadata(&source.path).map_or(source.mtime_ns, |meta| mtime_ns(&meta));
            anyhow::ensure!(
                size == source.found.size && mtime_after == source.mtime_ns,
                "it changed while it was read: {size} bytes instead of {}. Import it again when nothing writes it",
                source.found.size
            );
            Ok((sha256, size))
        });
        self.cx.checkpoint()?;
        sink.flush()?;
        Ok(Shared { report, whole })
    }
}

impl Importer<'_> {
    fn read_alone(&self, source: &Source<'_>, sink: &Sink<'_>) -> anyhow::Result<Indexed> {
        let file = File::open(&source.path)?;
        let (beneath, len) = (file.try_clone()?, file.metadata()?.len());
        let mut bytes = Hashing::new(file, &source.cx);
        let reader = ArchiveReader::new(bytes.by_ref(), &source.path).map_err(CrawlError::from)?;
        let reader = reader.backed_by(&beneath, 0, len);
        let (report, ended) =
            index_records(reader, &source.label, Author::Anyone, |entry| sink.take(entry), &source.cx);
        // What comes behind the last record counts for the digest.
        let digest = if ended.is_ok() { bytes.finish() } else { Ok(Default::default()) };
        Ok((report, ended, digest))
    }

    /// Reads records with several threads, and one more that makes the digest.
    fn read_in_parallel(&self, source: &Source<'_>, sink: &Sink<'_>) -> anyhow::Result<Indexed> {
        let _guard = self.large.lock().unwrap_or_else(PoisonError::into_inner);
        let file = File::open(&source.path)?;
        let mut reported = 0;
        let mut advance = |read_to: u64| {
            // The reading itself looks for a cancel.
            let _ = source.cx.advance(read_to.saturating_sub(reported));
            reported = read_to.max(reported);
        };
        let (report, ended, digest) = std::thread::scope(|scope| {
            let digest = scope.spawn(|| Hashing::aside(file, self.cx).finish());
            let take = |entry| sink.take(entry);
            let threads = reading_threads();
            let (path, label) = (&source.path, &source.label);
            let (report, ended) =
                index_in_parallel(path, threads, label, Author::Anyone, take, &source.cx, &mut advance);
            let digest = digest.join().unwrap_or_else(|_| Err(std::io::Error::other("making the digest has failed")));
            (report, ended, digest)
        });
        advance(source.found.size);
        Ok((report, ended, digest))
    }
}

/// A report, how reading ended, and digest and size of all bytes.
type Indexed = (IndexReport, Result<(), CrawlError>, std::io::Result<(String, u64)>);

/// What a file has come to before it is read.
pub(super) fn not_read_yet(found: &SourceFile) -> ImportedFile {
    ImportedFile {
        path: found.name(),
        outcome: FileOutcome::Unread,
        file: None,
        bytes: found.size,
        mtime_ns: found.mtime_ns,
        records: 0,
        captures: 0,
        new_captures: 0,
        revisits: 0,
        left_out: BTreeMap::new(),
        orphans: 0,
        problem_count: 0,
        same_as: None,
        error: None,
        took_ms: 0,
    }
}

/// An error of the catalogue concerns the whole import, and so does one of a
/// workspace that takes no copies.
pub(super) fn is_of_workspace(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.is::<crate::store::StoreError>()
            || cause.is::<NoRoom>()
            || cause.downcast_ref::<CrawlError>().is_some_and(|error| matches!(error, CrawlError::Ledger(_)))
    })
}

/// Names in problems of a copy the file that it was made from.
fn scan_source(
    scan: anyhow::Result<FileScan>,
    source: &Source<'_>,
    done: &mut ImportedFile,
) -> anyhow::Result<FileScan> {
    let (copy, original) = (source.path.display().to_string(), source.found.path.display().to_string());
    let in_place = |text: &mut String| {
        *text = text.replace(&copy, &original);
        // The original may end in the copy's name itself: a copy that another workspace made.
        if !original.contains(&source.label) {
            *text = text.replace(&source.label, &original);
        }
    };
    done.error.iter_mut().for_each(in_place);
    match scan {
        Ok(mut scan) => {
            scan.problems.iter_mut().for_each(|problem| in_place(&mut problem.detail));
            Ok(scan)
        }
        Err(error) if error.is_cancelled() || is_of_workspace(&error) => Err(error),
        Err(error) => {
            let mut text = super::super::error_chain(&error);
            in_place(&mut text);
            Err(anyhow::Error::msg(text))
        }
    }
}

/// Whether a record of a capture shares its compressed member with others.
pub(super) fn shares_member(entry: &CaptureEntry) -> bool {
    entry.records.iter().any(|place| place.span.is_inside_member())
}

/// Takes the captures of one file to the catalogue, many at a time.
pub(super) struct Sink<'a> {
    importer: &'a Importer<'a>,
    pub source: &'a Source<'a>,
    batch: RefCell<PackedCaptures>,
    /// The batch before, which is being written while this one is read.
    under_way: RefCell<Option<UnderWay<u64>>>,
    taken: Cell<u64>,
    /// Of those, captures that repeat a payload.
    revisits: Cell<u64>,
    /// Only captures with a record that shares its compressed member.
    pub only_shared: bool,
    /// Of an unpacked file: the package that it was imported with.
    pub package: Option<&'a Sink<'a>>,
    /// What may still be unpacked out of packages within it.
    inside: Cell<InnerBudget>,
    /// The titles in a package for pages without one.
    pub titles: Option<&'a Titles>,
    /// Captures that the catalogue did not know.
    new: Cell<u64>,
    /// Its number, once something of it is kept.
    pub file: Cell<Option<FileId>>,
}

impl<'a> Sink<'a> {
    pub fn new(importer: &'a Importer<'a>, source: &'a Source<'a>) -> Self {
        Self {
            importer,
            source,
            batch: RefCell::default(),
            under_way: RefCell::default(),
            taken: Cell::new(0),
            revisits: Cell::new(0),
            only_shared: false,
            package: None,
            inside: Cell::new(InnerBudget::of_file(source.found.size)),
            titles: None,
            new: Cell::new(0),
            file: Cell::new(None),
        }
    }

    /// Of the file that is imported, which this one may stand in.
    pub fn outermost(&self) -> &Sink<'a> {
        self.package.unwrap_or(self)
    }

    /// Counts what is unpacked out of packages within this file.
    pub fn unpack_inside(&self, packages: u32, bytes: u64) -> anyhow::Result<()> {
        let mut inside = self.inside.get();
        inside.take(packages, bytes)?;
        self.inside.set(inside);
        Ok(())
    }

    /// Captures that were taken, and those of them that repeat a payload.
    pub fn taken(&self) -> (u64, u64) {
        (self.taken.get(), self.revisits.get())
    }

    pub fn take(&self, mut entry: CaptureEntry) -> Result<(), CrawlError> {
        if self.only_shared && !shares_member(&entry) {
            return Ok(());
        }
        if let Some(titles) = self.titles
            && entry.notes.title.as_ref().is_none_or(String::is_empty)
        {
            entry.notes.title = titles.get(&(entry.url.to_string(), entry.date.seconds())).cloned();
        }
        self.revisits.set(self.revisits.get() + u64::from(entry.revisit_of.is_some()));
        self.taken.set(self.taken.get() + 1);
        self.batch.borrow_mut().push(entry);
        let known = self.importer.known.fetch_add(1, Ordering::Relaxed);
        let batch = (known / KNOWN_FOR_ONE).clamp(*BATCH.start(), *BATCH.end());
        let (captures, link_bytes) = (self.batch.borrow().len() as u64, self.batch.borrow().link_bytes());
        if captures >= batch || link_bytes >= BATCH_LINK_BYTES {
            self.send_batch().map_err(|error| LedgerError(error.to_string()))?;
        }
        Ok(())
    }

    /// The number of the file. What was read at its place before of other
    /// bytes is put aside when the first capture of the new ones is there.
    pub fn file(&self) -> anyhow::Result<FileId> {
        if let Some(file) = self.file.get() {
            return Ok(file);
        }
        let (catalogue, source) = (self.importer.workspace.catalogue(), self.source);
        let file = catalogue.begin_file(self.importer.launch, &source.label, source.found.size, source.mtime_ns)?;
        if let Some(package) = self.package {
            catalogue.member_begins(file, package.file()?)?;
        }
        self.file.set(Some(file));
        Ok(file)
    }

    /// Captures that this import brought in, those before a kill included.
    pub fn brought_in(&self) -> anyhow::Result<u64> {
        match self.file.get() {
            Some(file) if self.new < self.taken => {
                Ok(self.importer.workspace.catalogue().brought_in(self.importer.launch, file)?)
            }
            _ => Ok(self.new.get()),
        }
    }

    /// Hands on what was taken, and waits until it is written.
    pub fn flush(&self) -> anyhow::Result<()> {
        self.send_batch()?;
        self.wait()
    }

    /// Hands on what was taken; the batch before is written by then.
    fn send_batch(&self) -> anyhow::Result<()> {
        let batch = self.batch.take();
        if batch.is_empty() {
            return Ok(());
        }
        self.file()?;
        self.wait()?;
        let Importer { workspace, launch, lost, .. } = self.importer;
        self.under_way.replace(Some(workspace.catalogue().import_captures(*launch, batch, lost)?));
        Ok(())
    }

    fn wait(&self) -> anyhow::Result<()> {
        if let Some(under_way) = self.under_way.take() {
            self.new.set(self.new.get() + under_way.wait()?);
        }
        Ok(())
    }
}
