//! Writes an export.

use super::attachments::{RewrittenRecord, RewrittenRecords, Written};
use super::bag::{BagInfo, PAYLOAD, write_bag};
use super::copy::{
    Carried, CopyError, HeadChanges, PackedMember, Part, SourceRecord, carry, location_in, location_of, read_source,
};
use super::finish::{Unwritten, write_files};
use super::join::SORT_BYTES;
use super::knowledge::{Graph, Zipping, is_knowledge, zip};
use super::known_inlinks::is_export_metadata;
use super::manifest::{Counts, LOCK_NAME, Manifest};
use super::pack::{AboutCapture, Knowledge, Packed, Unpacked, pack};
use super::places::{Originals, Places};
use super::signature::write_signature;
use super::sink::{Archives, PlannedFile, Sink};
use super::warcinfo::WarcinfoFinder;
use super::{
    ExportError, ExportItem, ExportOptions, ExportRecord, ExportReport, Original, PackageOptions, io_at, no_temporary,
    write_package,
};
use crate::jobs::{FileLock, InOrder, JobCx, NotLocked, SpillSort, counted};
use crate::keys::SigningKey;
use crate::uri::CaptureDate;
use crate::warc::cdx::{IndexForm, IndexLine, IndexSorter, index_line};
use crate::warc::{
    FileSetOptions, Placed, ProblemKind, RecordBuilder, RecordHead, RecordType, Span, SyncPoint, WarcError,
    metadata_target, reading_threads,
};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::fs;
use std::io::BufRead;
use std::path::{Path, PathBuf};

/// Bytes of a line of the index without its URLs and its file, about.
const INDEX_LINE_BYTES: u64 = 163;
/// Bytes of the name of an archive file behind its prefix.
const NAME_BYTES: u64 = 32;
/// Bytes of a package beside its archive files, about.
const WACZ_BYTES: u64 = 2500;
/// Bytes of a package for each line of its index, about, with its page where there is one.
const WACZ_BYTES_EACH: u64 = 50;

/// Bytes of records after which those before them go to the disk.
const SYNC_BYTES: u64 = 16 << 20;

/// Problems told one by one; further ones are counted.
const MAX_PROBLEMS: usize = 1000;

/// Writes the selected captures and all that belongs to them into `out`,
/// which must be empty or absent. Until it is complete the folder is called
/// `….open`; after an error or a cancel nothing is left. What a killed export
/// left there is deleted first, unless another process writes it.
///
/// Records that cannot be read are told in the report; the rest is written.
pub fn export_selection(
    items: impl Iterator<Item = Result<ExportItem, ExportError>>,
    out: &Path,
    options: ExportOptions,
    cx: &JobCx,
) -> Result<ExportReport, ExportError> {
    let (staging, lock) = prepare(out)?;
    let mut lock = Some(lock);
    let result = write_all(items, &mut Sink::Folder(&staging), options, cx).and_then(|mut report| {
        if out.exists() {
            fs::remove_dir(out).map_err(io_at(out))?;
        }
        if cfg!(not(unix)) {
            // A folder with an open file in it cannot be renamed there.
            lock = None;
        }
        fs::rename(&staging, out).map_err(io_at(out))?;
        // The lock file goes last: without it the folder would not be known as an export's.
        let lock_file = out.join(LOCK_NAME);
        fs::remove_file(&lock_file).map_err(io_at(&lock_file))?;
        report.folder = out.to_owned();
        Ok(report)
    });
    if result.is_err()
        && let Err(error) = fs::remove_dir_all(&staging)
    {
        tracing::warn!("{}: a half-written export is left here: {error}", staging.display());
    }
    drop(lock);
    result
}

/// The files that [`export_selection`] would write, by path, and what it would
/// come to. Nothing is written. Records that can be copied as they are found are
/// taken for sound: damage within them shows when they are written.
///
/// # Errors
///
/// As [`export_selection`], where a source cannot be read.
pub fn plan_export(
    items: impl Iterator<Item = Result<ExportItem, ExportError>>,
    options: ExportOptions,
    cx: &JobCx,
) -> Result<(ExportReport, Vec<PlannedFile>), ExportError> {
    let mut sink = Sink::Sizes(Vec::new());
    let mut report = write_all(items, &mut sink, options, cx)?;
    let files = sink.into_sizes();
    report.bytes = files.iter().map(|file| file.bytes).sum();
    Ok((report, files))
}

/// Makes the folder that is written to, and locks it.
fn prepare(out: &Path) -> Result<(PathBuf, FileLock), ExportError> {
    match fs::read_dir(out) {
        Ok(mut entries) => {
            if entries.next().is_some() {
                return Err(ExportError::NotEmpty { folder: out.to_owned() });
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(io_at(out)(error)),
    }
    // A trailing slash or `.` would put the name inside the folder.
    let clean: PathBuf = out.components().collect();
    let mut staging = OsString::from(&clean);
    staging.push(crate::warc::OPEN_SUFFIX);
    let staging = PathBuf::from(staging);
    if let Some(parent) = clean.parent() {
        fs::create_dir_all(parent).map_err(io_at(parent))?;
    }
    let lock_file = staging.join(LOCK_NAME);
    match fs::create_dir(&staging) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            // A folder without our lock file may be a person's own.
            let is_empty = fs::read_dir(&staging).is_ok_and(|mut entries| entries.next().is_none());
            if staging.is_symlink() || (!is_empty && !lock_file.is_file()) {
                return Err(ExportError::NotAStaging { folder: staging });
            }
        }
        Err(error) => return Err(io_at(&staging)(error)),
    }
    let holder = format!("process {} since {}", std::process::id(), CaptureDate::now());
    let lock = FileLock::take(&lock_file, &holder).map_err(|error| match error {
        NotLocked::Held(holder) => ExportError::BeingWritten { folder: staging.clone(), holder },
        NotLocked::Failed(source) => io_at(&lock_file)(source),
    })?;
    clear(&staging)?;
    Ok((staging, lock))
}

/// Deletes what a killed export left in a folder that is locked now.
fn clear(staging: &Path) -> Result<(), ExportError> {
    for entry in fs::read_dir(staging).map_err(io_at(staging))? {
        let entry = entry.map_err(io_at(staging))?;
        let path = entry.path();
        if entry.file_name() == LOCK_NAME {
            continue;
        }
        match entry.file_type().map_err(io_at(&path))?.is_dir() {
            true => fs::remove_dir_all(&path),
            false => fs::remove_file(&path),
        }
        .map_err(io_at(&path))?;
    }
    Ok(())
}

/// The place of every capture.
pub(super) const INDEX_NAME: &str = "indexes/index.cdxj";
/// The file with the inlinks of all captures.
pub(super) const INLINKS_NAME: &str = "inlinks.jsonl";

/// The word in the targets of the metadata records that an export writes.
pub(super) const METADATA_KIND: &str = "export";

/// The record that stands for a capture.
struct Main {
    /// What names it in the export, where it came in for this capture.
    new: Option<NewName>,
}

/// What names a record in the export.
struct NewName {
    id: String,
    /// Its payload digest, where the one of the source contradicts the bytes.
    payload_digest: Option<String>,
}

/// An export in the making.
struct Export {
    files: Archives,
    /// Nothing is written: records that can be copied as they are need not be read.
    is_dry: bool,
    record_id: std::sync::Arc<dyn Fn() -> String + Send + Sync>,
    places: Places,
    /// Records that come in with the capture in hand.
    parts: Vec<Part>,
    finder: WarcinfoFinder,
    /// Whether a `warcinfo` record that was named is in the export, by its id.
    warcinfos: HashMap<String, bool>,
    /// Records that name a `warcinfo` record which is not in the export, by file and id.
    missing_warcinfos: BTreeMap<(PathBuf, String), u64>,
    /// Lines of the data set.
    inlinks: SpillSort,
    /// Lines of the index.
    index: IndexSorter,
    /// Bytes of URLs in the index, where it is not written.
    index_urls: u64,
    /// Everything as RDF, where that comes along.
    graph: Option<Graph>,
    /// Positions of items that are not in.
    left_out: Vec<usize>,
    /// Captures whose record has another id or payload digest than in its source, by position.
    rewritten: RewrittenRecords,
    counts: Counts,
    problems: Vec<String>,
    unlisted: u64,
}

fn write_all(
    items: impl Iterator<Item = Result<ExportItem, ExportError>>,
    sink: &mut Sink<'_>,
    options: ExportOptions,
    cx: &JobCx,
) -> Result<ExportReport, ExportError> {
    let created = (options.clock)();
    let software = format!("Fonds/{}", env!("CARGO_PKG_VERSION"));
    let mut info =
        vec![("software".to_owned(), software.clone()), ("format".to_owned(), "WARC File Format 1.1".to_owned())];
    if !options.title.is_empty() {
        info.push(("description".to_owned(), options.title.clone()));
    }
    let bag_info = BagInfo::of(&options);
    info.extend(options.info);
    let archive = sink.folder().map(|folder| folder.join(PAYLOAD).join("archive")).unwrap_or_default();
    let (clock, record_id) = (options.clock.clone(), options.record_id.clone());
    let mut export = Export {
        files: sink.archives(FileSetOptions {
            max_bytes: options.max_bytes,
            info,
            clock: Box::new(move || clock()),
            record_id: Box::new(move || record_id()),
            ..FileSetOptions::new(&archive, options.prefix.clone())
        }),
        is_dry: sink.folder().is_none(),
        record_id: options.record_id.clone(),
        places: Places::default(),
        parts: Vec::new(),
        finder: WarcinfoFinder::default(),
        warcinfos: HashMap::new(),
        missing_warcinfos: BTreeMap::new(),
        inlinks: SpillSort::new(SORT_BYTES),
        index: IndexSorter::new(IndexForm::Cdxj),
        index_urls: 0,
        graph: options.further_knowledge.is_some().then(Graph::new).transpose()?,
        left_out: Vec::new(),
        rewritten: RewrittenRecords::default(),
        counts: Counts::default(),
        problems: options.problems,
        unlisted: 0,
    };

    let (captures, bytes) = options.expected.unzip();
    cx.stage_in_bytes(if export.is_dry { "Reading heads of records" } else { "Writing records" }, bytes);
    let is_dry = export.is_dry;
    let read = |item: Result<ExportItem, ExportError>| item.map(|item| ReadItem::of(item, is_dry));
    let pack = |unpacked: Unpacked| pack(unpacked, is_dry);
    let sync = |point: SyncPoint| point.sync();
    std::thread::scope(|scope| {
        let mut hands = Hands {
            packing: InOrder::start(scope, reading_threads(), &pack),
            zipping: InOrder::start(scope, reading_threads(), &zip),
            syncing: Syncing { thread: InOrder::start(scope, 1, &sync), bytes: 0 },
        };
        let mut originals = Originals::new()?;
        for (position, read) in InOrder::start(scope, reading_threads(), &read).each(items).enumerate() {
            let ReadItem { mut item, sources } = read?;
            let of = captures.map(|captures| format!(" of {captures}")).unwrap_or_default();
            cx.note(format!("capture {}{of}, {}", position + 1, item.url));
            let about = export.capture(position, &mut item, sources, cx)?;
            if about.is_none() {
                export.left_out.push(position);
            }
            export.hand_on(about, &mut hands)?;
            match item.original {
                Some(original) => {
                    originals.push(&original, &mut export.places)?;
                }
                None if item.records.first().is_some_and(|record| record.record_type == RecordType::Revisit) => {
                    export.counts.revisits_unresolved += 1;
                }
                None => {}
            }
            cx.advance(item.records.iter().map(|record| record.span.length).sum())?;
        }
        cx.stage("Bringing originals of revisits along", Some(originals.len()));
        let mut originals = originals.read()?;
        while let Some(original) = originals.next(&export.places)? {
            export.original(&original, cx)?;
            export.hand_on(None, &mut hands)?;
            cx.advance(1)?;
        }
        while let Some(packed) = hands.packing.take() {
            export.append(packed?, &mut hands)?;
        }
        export.graph.as_mut().map_or(Ok(()), |graph| graph.end_captures(&mut hands.zipping))?;
        hands.syncing.finish()
    })?;
    export.tell_missing_warcinfos();
    if let (Some(graph), Some(further)) = (&mut export.graph, options.further_knowledge) {
        cx.stage("Writing what is known beyond captures", None);
        let (id, warcinfo) = ((export.record_id)(), export.files.next_warcinfo_id()?);
        let (mut record, head) = graph.of_export(&id, &warcinfo, created, further, &export.left_out)?;
        let len = record.metadata().map_err(no_temporary)?.len();
        let placed = export.files.append_from(&mut record, len)?;
        export.list(index_line(&head, &[], || None), placed)?;
        export.expect_line(metadata_target(METADATA_KIND, &id).len());
        export.counts.records += 1;
    }
    export.counts.records += export.files.len() as u64;
    if export.is_dry {
        let each = INDEX_LINE_BYTES + NAME_BYTES + options.prefix.len() as u64;
        sink.estimate(format!("{PAYLOAD}{INDEX_NAME}"), export.index_urls + each * export.counts.index_lines);
    }
    let mut archives = Some(export.files);
    if options.wacz
        && let Some(archives) = archives.take()
    {
        let name = format!("{PAYLOAD}{}.wacz", options.prefix);
        let archive_files = archives.close(sink)?;
        let archive_bytes: u64 = archive_files.iter().map(|(_, bytes)| bytes).sum();
        match sink.folder() {
            None => sink.estimate(name, archive_bytes + WACZ_BYTES + WACZ_BYTES_EACH * export.counts.index_lines),
            Some(folder) => {
                let words = PackageOptions {
                    title: options.title.clone(),
                    created: Some(created),
                    signer: options.signer.clone(),
                    ..PackageOptions::default()
                };
                let paths: Vec<PathBuf> = archive_files.iter().map(|(path, _)| path.clone()).collect();
                let written = write_package(&folder.join(&name), &paths, &words, cx)?;
                let name = name.strip_prefix(PAYLOAD).unwrap_or(&name);
                export.problems.extend(written.problems.iter().map(|problem| format!("{name}: {problem}")));
            }
        }
    }
    let unwritten = Unwritten {
        archives,
        index: (!export.is_dry).then_some(export.index),
        inlinks: options.inlinks.then_some(export.inlinks),
        graph: export.graph,
    };
    let written = Written {
        counts: &export.counts,
        problems: &export.problems,
        left_out: &export.left_out,
        rewritten: &export.rewritten,
    };
    let attachments = write_files(unwritten, options.attachments, &written, sink, cx)?;

    let files = sink.files(cx)?;
    let bytes = files.iter().map(|file| file.bytes).sum();
    let manifest = Manifest {
        format: Manifest::FORMAT.to_owned(),
        version: Manifest::VERSION,
        software,
        title: options.title,
        created: created.to_warc(),
        selection: options.selection.map(|selection| selection()),
        signed_with: options.signer.iter().flat_map(SigningKey::publics).map(|key| key.to_string()).collect(),
        counts: export.counts.clone(),
        attachments,
        files,
    };
    let (manifest_file, manifest_bytes) = manifest.write(sink)?;
    let mut listed = vec![manifest_file];
    if let Some(key) = &options.signer {
        listed.push(write_signature(sink, key, &manifest, &manifest_bytes)?);
    }
    write_bag(sink, &manifest, listed, &bag_info, created)?;
    if export.unlisted > 0 {
        export.problems.push(format!("{} further problems are not listed", export.unlisted));
    }
    let folder = sink.folder().map(Path::to_owned).unwrap_or_default();
    Ok(ExportReport { folder, counts: export.counts, bytes, problems: export.problems })
}

/// The threads that pack records, and members of the graph.
struct Hands {
    packing: InOrder<Unpacked, Result<Packed, ExportError>>,
    zipping: Zipping,
    syncing: Syncing,
}

/// Brings what was appended to the disk meanwhile, so that nobody waits for all of it
/// in the end.
struct Syncing {
    thread: InOrder<SyncPoint, Result<(), WarcError>>,
    /// Bytes that were appended since the last time.
    bytes: u64,
}

impl Syncing {
    fn appended(&mut self, bytes: u64, files: &mut Archives) -> Result<(), ExportError> {
        self.bytes += bytes;
        if self.bytes < SYNC_BYTES {
            return Ok(());
        }
        self.bytes = 0;
        if let Some(point) = files.sync_point()? {
            if self.thread.is_full()
                && let Some(synced) = self.thread.take()
            {
                synced?;
            }
            self.thread.push(point);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ExportError> {
        while let Some(synced) = self.thread.take() {
            synced?;
        }
        Ok(())
    }
}

/// An item with its records, each as it was read or why it cannot be.
struct ReadItem {
    item: ExportItem,
    sources: Vec<Result<SourceRecord, CopyError>>,
}

impl ReadItem {
    fn of(item: ExportItem, is_dry: bool) -> Self {
        let sources = item.records.iter().map(|record| read_source(record, &item.url, is_dry)).collect();
        Self { item, sources }
    }
}

impl Export {
    /// Takes the records of a capture in that are not in yet; gives its metadata,
    /// where that comes in just now.
    fn capture(
        &mut self,
        position: usize,
        item: &mut ExportItem,
        sources: Vec<Result<SourceRecord, CopyError>>,
        cx: &JobCx,
    ) -> Result<Option<AboutCapture>, ExportError> {
        let sources = item.records.iter().zip(sources).map(|(record, source)| (record, move || source));
        let new = match self.records(&item.url, sources, cx)? {
            Some(Main { new: Some(new) }) => new,
            // Left out, or in already with its metadata record: told both.
            _ => return Ok(None),
        };
        let NewName { id: main, payload_digest } = new;
        let is_renamed = item.records.first().is_some_and(|record| record.record_id != main);
        let id = is_renamed.then(|| main.clone());
        self.rewritten.insert(position, RewrittenRecord { id, payload_digest }).map_err(no_temporary)?;
        self.counts.captures += 1;
        // What stands before it is appended first, so that this may be the file before.
        let warcinfo = self.files.next_warcinfo_id()?;
        let record = metadata_record(&(self.record_id)(), &main, &item.url, item.date);
        self.expect_line(metadata_target(METADATA_KIND, &item.url).len());
        self.counts.metadata += 1;
        self.counts.records += 1;
        let knowledge = self.graph.is_some().then(|| Knowledge {
            id: (self.record_id)(),
            warcinfo,
            main,
            url: item.url.clone(),
            date: item.date,
            statements: std::mem::take(&mut item.statements),
            links: std::mem::take(&mut item.links),
        });
        if knowledge.is_some() {
            self.expect_line(metadata_target(METADATA_KIND, &item.url).len());
            self.counts.records += 1;
        }
        self.counts.inlink_objects += u64::from(item.inlinks.is_some());
        let metadata = (record, std::mem::take(&mut item.knowledge));
        Ok(Some(AboutCapture { metadata, knowledge, inlinks: item.inlinks.take() }))
    }

    /// Gives what was taken in to be packed, and appends what is packed.
    fn hand_on(&mut self, about: Option<AboutCapture>, hands: &mut Hands) -> Result<(), ExportError> {
        if hands.packing.is_full()
            && let Some(packed) = hands.packing.take()
        {
            self.append(packed?, hands)?;
        }
        hands.packing.push(Unpacked { parts: std::mem::take(&mut self.parts), about });
        Ok(())
    }

    fn append(&mut self, Packed { parts, about }: Packed, hands: &mut Hands) -> Result<(), ExportError> {
        hands.syncing.appended(parts.iter().map(|part| part.len).sum(), &mut self.files)?;
        for PackedMember { mut bytes, len, line } in parts {
            let placed = self.files.append_from(&mut bytes, len)?;
            self.list(line, placed)?;
        }
        let Some(about) = about else { return Ok(()) };
        let placed = self.files.append(&about.metadata.member)?;
        self.list(about.metadata.line, placed)?;
        if let (Some(knowledge), Some(graph)) = (about.knowledge, &mut self.graph) {
            let (record, part) = knowledge.into_record(self.files.next_warcinfo_id()?);
            graph.extend(part, &mut hands.zipping)?;
            let placed = self.files.append(&record.member)?;
            self.list(record.line, placed)?;
        }
        about.inlinks.map_or(Ok(()), |line| self.inlinks.push(line)).map_err(no_temporary)
    }

    /// Takes the line of a record that was placed into the index.
    fn list(&mut self, line: Option<IndexLine>, placed: Option<Placed>) -> Result<(), ExportError> {
        let Some((line, placed)) = line.zip(placed) else { return Ok(()) };
        self.counts.index_lines += 1;
        let filename = placed.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.index.push(&IndexLine { span: placed.span, filename, ..line }).map_err(no_temporary)
    }

    /// Takes the records of what a revisit repeats in, unless they are.
    fn original(&mut self, original: &Original, cx: &JobCx) -> Result<(), ExportError> {
        let is_in = match original.records.first() {
            Some(first) => self.places.has(first)?,
            None => false,
        };
        if !is_in {
            let is_dry = self.is_dry;
            let source = |record| (record, move || read_source(record, &original.url, is_dry));
            match self.records(&original.url, original.records.iter().map(source), cx)? {
                Some(_) => self.counts.originals_added += 1,
                None => self.counts.revisits_unresolved += 1,
            }
        }
        Ok(())
    }

    /// Takes records in, with what reads them; returns the id of the first and
    /// whether it came in just now, `None` when that one cannot be carried along
    /// (then none of the others is).
    fn records<'r, S: FnOnce() -> Result<SourceRecord, CopyError>>(
        &mut self,
        url: &str,
        sources: impl Iterator<Item = (&'r ExportRecord, S)>,
        cx: &JobCx,
    ) -> Result<Option<Main>, ExportError> {
        let mut main: Option<Main> = None;
        let (records, sources): (Vec<_>, Vec<_>) = sources.unzip();
        let renamed = self.renamed(url, &records)?;
        for (position, (record, read)) in records.iter().zip(sources).enumerate() {
            if self.places.has(record)? {
                main.get_or_insert(Main { new: None });
                continue;
            }
            let taken = read().and_then(|source| self.record(url, record, source, &renamed, position == 0, cx));
            match taken {
                Ok(new) => {
                    if new.is_some() {
                        main.get_or_insert(Main { new });
                    }
                }
                Err(CopyError::Export(error)) => return Err(error),
                Err(CopyError::Record(why)) => {
                    self.problem(why);
                    if position == 0 {
                        return Ok(None);
                    }
                }
            }
        }
        if records.is_empty() {
            self.problem(format!("{url}: the capture has no records"));
        }
        Ok(main)
    }

    /// New ids for those of these records whose ids other records of the export
    /// have. One that is such a record itself is taken for written.
    fn renamed(&mut self, url: &str, records: &[&ExportRecord]) -> Result<HashMap<String, String>, ExportError> {
        let mut renamed = HashMap::new();
        for record in records.iter().filter(|record| !record.record_id.is_empty()) {
            let Some((first, span)) = self.places.of_id(&record.record_id)? else { continue };
            if self.places.has(record)? || (&first, span.offset) == (&record.file, record.span.offset) {
                continue;
            }
            let at = location_of(record);
            let first_at = location_in(&first, span);
            if is_same_record((&first, span), (&record.file, record.span)) {
                self.places.add(record)?;
                self.problem(format!("{at}, {url}: the same record stands in {first_at}; it is written once"));
                continue;
            }
            let new = (self.record_id)();
            self.problem(format!(
                "{at}, {url}: another record has this record's id <{}> ({first_at}); it is written with the id <{new}>",
                record.record_id
            ));
            renamed.insert(record.record_id.clone(), new);
        }
        Ok(renamed)
    }

    /// Takes one record in; says what names it in the export. What an earlier export
    /// stated of a capture is left behind: this one states it.
    fn record(
        &mut self,
        url: &str,
        record: &ExportRecord,
        source: SourceRecord,
        renamed: &HashMap<String, String>,
        is_main: bool,
        cx: &JobCx,
    ) -> Result<Option<NewName>, CopyError> {
        let head = &source.head;
        if !is_main && (is_export_metadata(head) || is_knowledge(head)) {
            return Ok(None);
        }
        let at = format!("{}, {url}", location_of(record));
        let own_id = head.record_id().filter(|id| !id.is_empty());
        let mut new_id = own_id.as_ref().and_then(|id| renamed.get(id)).cloned();
        if own_id.is_none() && !head.is_arc() {
            let new = (self.record_id)();
            self.problem(format!("{at}: the record has no id; it is written with the id <{new}>"));
            new_id = Some(new);
        }
        if is_main {
            self.tell_odd_target(&at, head);
        }
        let whole_date = odd_date(head);
        if let Some(date) = whole_date {
            self.problem(format!(
                "{at}: the date “{}” is none that every reader takes; it is written as {}",
                head.headers.get("WARC-Date").unwrap_or_default().trim(),
                date.to_warc()
            ));
        }
        let lacks_warcinfo = match head.headers.get("WARC-Warcinfo-ID") {
            Some(named) => !self.brings_warcinfo(record, named.trim().trim_matches(['<', '>']), cx)?,
            None => false,
        };
        let changes = HeadChanges { new_id, renamed: Some(renamed), lacks_warcinfo, whole_date };
        self.take(record, source, &changes, &at).map(Some)
    }

    /// Takes a record in that was read; says what names it in the export.
    fn take(
        &mut self,
        record: &ExportRecord,
        source: SourceRecord,
        changes: &HeadChanges<'_>,
        at: &str,
    ) -> Result<NewName, CopyError> {
        if crate::warc::cdx::is_indexed(&source.head) {
            self.expect_line(source.head.target_uri().map_or(0, |url| url.len()));
        }
        let Carried { part, record_id, as_is, payload_digest, wrong_digests, left_behind } =
            carry(record, source, changes, || (self.record_id)())?;
        for name in wrong_digests {
            self.problem(format!(
                "{at}: {name} does not fit the bytes; they are kept, the field is written with their digest"
            ));
        }
        // Sharing a member is how a source is packed, and no longer so.
        for what in left_behind.iter().filter(|what| !what.starts_with(ProblemKind::NotPerRecord.label())) {
            self.problem(format!("{at}: {what}; the record is written without it"));
        }
        self.parts.push(part);
        self.counts.records += 1;
        *(if as_is { &mut self.counts.copied } else { &mut self.counts.rewrapped }) += 1;
        self.places.add(record).and_then(|()| self.places.add_id(&record_id, record)).map_err(CopyError::Export)?;
        Ok(NewName { id: record_id, payload_digest })
    }

    /// Reports a target URI in angle brackets, as WARC 1.0 had it, or with a blank: it stays.
    fn tell_odd_target(&mut self, at: &str, head: &RecordHead) {
        let Some(target) = head.headers.get("WARC-Target-URI") else { return };
        if target.trim().contains(char::is_whitespace) {
            self.problem(format!(
                "{at}: the target URI holds a blank ({}); it is kept, and checks of other programs refuse it",
                target.trim()
            ));
        }
        if target.trim().starts_with('<') {
            self.problem(format!(
                "{at}: the target URI stands in angle brackets ({}); it is kept, index and metadata record have it without them",
                target.trim()
            ));
        }
    }

    /// Whether the `warcinfo` record that a record names is in the export;
    /// it is written before the first record that names it.
    fn brings_warcinfo(&mut self, of: &ExportRecord, id: &str, cx: &JobCx) -> Result<bool, CopyError> {
        if let Some(is_here) = self.warcinfos.get(id) {
            if !is_here {
                *self.missing_warcinfos.entry((of.file.clone(), id.to_owned())).or_default() += 1;
            }
            return Ok(*is_here);
        }
        let mut is_here = false;
        // The id of another record would lead to that one.
        let found = match self.places.of_id(id).map_err(CopyError::Export)? {
            Some(_) => None,
            None => self.finder.find(of, id, cx).map_err(|error| CopyError::Export(error.into()))?,
        };
        if let Some(info) = found {
            let at = location_of(&info);
            let taken = read_source(&info, "", self.is_dry).and_then(|source| {
                // It describes a file by itself.
                let lacks_warcinfo = source.head.headers.get("WARC-Warcinfo-ID").is_some();
                let whole_date = odd_date(&source.head);
                self.take(&info, source, &HeadChanges { lacks_warcinfo, whole_date, ..HeadChanges::default() }, &at)
            });
            match taken {
                Ok(_) => is_here = true,
                Err(CopyError::Record(why)) => self.problem(why),
                Err(error) => return Err(error),
            }
        }
        self.warcinfos.insert(id.to_owned(), is_here);
        if !is_here {
            *self.missing_warcinfos.entry((of.file.clone(), id.to_owned())).or_default() += 1;
        }
        Ok(is_here)
    }

    /// Tells which `warcinfo` records are named and missing.
    fn tell_missing_warcinfos(&mut self) {
        for ((file, id), records) in std::mem::take(&mut self.missing_warcinfos) {
            self.problem(format!(
                "{}: {} named the warcinfo record <{id}>, which cannot be read from this file; they are written without WARC-Warcinfo-ID",
                file.display(),
                counted(records, "record")
            ));
        }
    }

    /// Counts a line of the index that is not written now.
    fn expect_line(&mut self, url_bytes: usize) {
        if self.is_dry {
            self.counts.index_lines += 1;
            self.index_urls += 2 * url_bytes as u64;
        }
    }

    fn problem(&mut self, why: String) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(why);
        } else {
            self.unlisted += 1;
        }
    }
}

/// The head of the metadata record of a capture.
fn metadata_record(id: &str, main: &str, url: &str, date: CaptureDate) -> RecordBuilder {
    let record = RecordBuilder::json_metadata(id, date, METADATA_KIND, url);
    match main {
        "" => record,
        main => record.reference("WARC-Refers-To", main).reference("WARC-Concurrent-To", main),
    }
}

/// Whether two records are one: the same head and block.
fn is_same_record(one: (&Path, Span), other: (&Path, Span)) -> bool {
    let read = |(file, span): (&Path, Span)| -> Option<(RecordHead, [u8; 32])> {
        let (head, mut reader) = crate::warc::enter_record_in(file, span).ok()?;
        let mut hash = Sha256::new();
        loop {
            let chunk = reader.fill_buf().ok().filter(|chunk| !chunk.is_empty());
            let Some(chunk) = chunk else { break };
            hash.update(chunk);
            let len = chunk.len();
            reader.consume(len);
        }
        reader.finish_record().ok().flatten()?;
        Some((head, hash.finalize().into()))
    };
    let (one, other) = (read(one), read(other));
    one.is_some() && one == other
}

/// The date of a record whose field is in a form that common readers fail on:
/// all but `2024-03-01T09:00:00Z`, with at most six digits behind the second.
fn odd_date(head: &RecordHead) -> Option<CaptureDate> {
    let text = head.headers.get("WARC-Date").filter(|_| !head.is_arc())?;
    let shape: String = text.trim().chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let whole = shape.strip_suffix('Z').unwrap_or_default();
    let (second, fraction) = whole.split_once('.').unwrap_or((whole, "0"));
    let is_whole = second == "0000-00-00T00:00:00" && (1..=6).contains(&fraction.len());
    head.date().filter(|_| !is_whole)
}
