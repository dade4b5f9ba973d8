//! An export in the making: captures come in one after another, each record once, and are packed by several threads
//! before they are appended in order.

use super::attachments::{RewrittenRecord, RewrittenRecords};
use super::copy::{CopyError, PackedMember, Part, SourceRecord, read_source};
use super::notes::ExportNotes;
use super::pack::{AboutCapture, Packed, Unpacked, UnpackedKnowledge, pack};
use super::places::{Originals, Places};
use super::sink::{Archives, Sink};
use super::warcinfo::WarcinfoFinder;
use crate::export::bag::PAYLOAD;
use crate::export::knowledge::{Graph, Zipping, zip};
use crate::export::manifest::Counts;
use crate::export::verify::join::SORT_BYTES;
use crate::export::{ExportError, ExportItem, ExportOptions, FurtherKnowledge, Original, no_temporary};
use crate::jobs::{InOrder, JobCx, SpillSort};
use crate::uri::CaptureDate;
use crate::warc::cdx::{IndexForm, IndexLine, IndexSorter, index_line};
use crate::warc::{
    FileSetOptions, Placed, RecordBuilder, RecordType, SyncPoint, WarcError, metadata_target, reading_threads,
};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

/// Name and version of this program.
pub(in crate::export) const SOFTWARE: &str = concat!("Fonds/", env!("CARGO_PKG_VERSION"));

/// Bytes of records after which those before them go to the disk.
const SYNC_BYTES: u64 = 16 << 20;

/// Problems listed one by one; further ones are counted.
const MAX_PROBLEMS: usize = 1000;

/// The kind in the targets of the metadata records that an export writes.
pub(in crate::export) const METADATA_KIND: &str = "export";

/// The main record of a capture in the export.
pub(in crate::export) struct Main {
    /// Its id in the export, where it came in for this capture.
    pub new: Option<NewName>,
}

/// Id and digest of a record that the export wrote.
pub(in crate::export) struct NewName {
    pub id: String,
    /// Its payload digest, where the one of the source contradicts the bytes.
    pub payload_digest: Option<String>,
}

/// An export in the making.
pub(in crate::export) struct Export {
    pub files: Archives,
    /// Nothing is written: records that can be copied as they are need not be read.
    pub is_dry: bool,
    pub record_id: std::sync::Arc<dyn Fn() -> String + Send + Sync>,
    pub places: Places,
    /// Records that come in with the current capture.
    pub parts: Vec<Part>,
    pub finder: WarcinfoFinder,
    /// Whether a `warcinfo` record that was named is in the export, by its id.
    pub warcinfos: HashMap<String, bool>,
    /// Records that name a `warcinfo` record which is not in the export, by file and id.
    pub missing_warcinfos: BTreeMap<(PathBuf, String), u64>,
    /// Lines of the data set.
    pub inlinks: SpillSort,
    /// Lines of the index.
    pub index: IndexSorter,
    /// Bytes of URLs in the index, where it is not written.
    pub index_urls: u64,
    /// Everything as RDF, where that comes along.
    pub graph: Option<Graph>,
    /// Positions of items that are not in.
    pub left_out: Vec<usize>,
    /// Captures whose record has another id or payload digest than in its source, by position.
    pub rewritten: RewrittenRecords,
    pub counts: Counts,
    pub problems: Vec<String>,
    pub notes: ExportNotes,
    pub unlisted: u64,
}

/// The threads that pack records, and members of the graph.
struct Pipeline {
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
    /// An export without records; what it needs of the options is taken out of them.
    pub(in crate::export) fn begin(options: &mut ExportOptions<'_>, sink: &Sink<'_>) -> Result<Self, ExportError> {
        let mut info = vec![
            ("software".to_owned(), SOFTWARE.to_owned()),
            ("format".to_owned(), "WARC File Format 1.1".to_owned()),
        ];
        if !options.title.is_empty() {
            info.push(("description".to_owned(), options.title.clone()));
        }
        info.append(&mut options.info);
        let archive = sink.folder().map(|folder| folder.join(PAYLOAD).join("archive")).unwrap_or_default();
        let (clock, record_id) = (options.clock.clone(), options.record_id.clone());
        Ok(Self {
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
            problems: std::mem::take(&mut options.problems),
            notes: ExportNotes::default(),
            unlisted: 0,
        })
    }

    /// Takes all captures in, and what their revisits repeat; `expected` has how many captures and bytes there will be.
    pub(in crate::export) fn captures(
        &mut self,
        items: impl Iterator<Item = Result<ExportItem, ExportError>>,
        expected: Option<(u64, u64)>,
        cx: &JobCx,
    ) -> Result<(), ExportError> {
        let (captures, bytes) = expected.unzip();
        let is_dry = self.is_dry;
        cx.stage_in_bytes(if is_dry { "Reading heads of records" } else { "Writing records" }, bytes);
        let read = |item: Result<ExportItem, ExportError>| item.map(|item| ReadItem::of(item, is_dry));
        let pack = |unpacked: Unpacked| pack(unpacked, is_dry);
        let sync = |point: SyncPoint| point.sync();
        std::thread::scope(|scope| {
            let mut pipeline = Pipeline {
                packing: InOrder::start(scope, reading_threads(), &pack),
                zipping: InOrder::start(scope, reading_threads(), &zip),
                syncing: Syncing { thread: InOrder::start(scope, 1, &sync), bytes: 0 },
            };
            let mut originals = Originals::new()?;
            for (position, read) in InOrder::start(scope, reading_threads(), &read).each(items).enumerate() {
                let ReadItem { mut item, sources } = read?;
                let of = captures.map(|captures| format!(" of {captures}")).unwrap_or_default();
                cx.note(format!("capture {}{of}, {}", position + 1, item.url));
                let about = self.capture(position, &mut item, sources, cx)?;
                if about.is_none() {
                    self.left_out.push(position);
                }
                self.pass_on(about, &mut pipeline)?;
                match item.original {
                    Some(original) => {
                        originals.push(&original, &mut self.places)?;
                    }
                    None if item.records.first().is_some_and(|record| record.record_type == RecordType::Revisit) => {
                        self.counts.revisits_unresolved += 1;
                    }
                    None => {}
                }
                cx.advance(item.records.iter().map(|record| record.span.length).sum())?;
            }
            self.originals(originals, &mut pipeline, cx)?;
            while let Some(packed) = pipeline.packing.take() {
                self.append(packed?, &mut pipeline)?;
            }
            self.graph.as_mut().map_or(Ok(()), |graph| graph.end_captures(&mut pipeline.zipping))?;
            pipeline.syncing.finish()
        })?;
        self.report_missing_warcinfos();
        Ok(())
    }

    /// Takes in what revisits repeat and is not in yet.
    fn originals(&mut self, originals: Originals, pipeline: &mut Pipeline, cx: &JobCx) -> Result<(), ExportError> {
        cx.stage("Bringing originals of revisits along", Some(originals.len()));
        let mut originals = originals.read()?;
        while let Some(original) = originals.next(&self.places)? {
            self.original(&original, cx)?;
            self.pass_on(None, pipeline)?;
            cx.advance(1)?;
        }
        Ok(())
    }

    /// Appends the record of what is known beyond captures.
    pub(in crate::export) fn beyond_captures(
        &mut self,
        further: FurtherKnowledge<'_>,
        created: CaptureDate,
        cx: &JobCx,
    ) -> Result<(), ExportError> {
        let Some(graph) = &mut self.graph else { return Ok(()) };
        cx.stage("Writing what is known beyond captures", None);
        let (id, warcinfo) = ((self.record_id)(), self.files.next_warcinfo_id()?);
        let (mut record, head) = graph.of_export(&id, &warcinfo, created, further, &self.left_out)?;
        let len = record.metadata().map_err(no_temporary)?.len();
        let placed = self.files.append_from(&mut record, len)?;
        self.list(index_line(&head, &[], || None), placed)?;
        self.expect_line(metadata_target(METADATA_KIND, &id).len());
        self.counts.records += 1;
        Ok(())
    }

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
            // Left out, or in already with its metadata record: both are reported.
            _ => return Ok(None),
        };
        let NewName { id: main, payload_digest } = new;
        let is_renamed = item.records.first().is_some_and(|record| record.record_id != main);
        let id = is_renamed.then(|| main.clone());
        self.rewritten.insert(position, RewrittenRecord { id, payload_digest }).map_err(no_temporary)?;
        self.counts.captures += 1;
        // The records before it are appended first, so that this may be the file before.
        let warcinfo = self.files.next_warcinfo_id()?;
        let record = metadata_record(&(self.record_id)(), &main, &item.url, item.date);
        self.expect_line(metadata_target(METADATA_KIND, &item.url).len());
        self.counts.metadata += 1;
        self.counts.records += 1;
        let knowledge = self.graph.is_some().then(|| UnpackedKnowledge {
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
    fn pass_on(&mut self, about: Option<AboutCapture>, pipeline: &mut Pipeline) -> Result<(), ExportError> {
        if pipeline.packing.is_full()
            && let Some(packed) = pipeline.packing.take()
        {
            self.append(packed?, pipeline)?;
        }
        pipeline.packing.push(Unpacked { parts: std::mem::take(&mut self.parts), about });
        Ok(())
    }

    fn append(&mut self, Packed { parts, about }: Packed, pipeline: &mut Pipeline) -> Result<(), ExportError> {
        pipeline.syncing.appended(parts.iter().map(|part| part.len).sum(), &mut self.files)?;
        for PackedMember { mut bytes, len, line } in parts {
            let placed = self.files.append_from(&mut bytes, len)?;
            self.list(line, placed)?;
        }
        let Some(about) = about else { return Ok(()) };
        let placed = self.files.append(&about.metadata.member)?;
        self.list(about.metadata.line, placed)?;
        if let (Some(knowledge), Some(graph)) = (about.knowledge, &mut self.graph) {
            let (record, part) = knowledge.into_record(self.files.next_warcinfo_id()?);
            graph.extend(part, &mut pipeline.zipping)?;
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

    /// Counts a line of the index that is not written now.
    pub(in crate::export) fn expect_line(&mut self, url_bytes: usize) {
        if self.is_dry {
            self.counts.index_lines += 1;
            self.index_urls += 2 * url_bytes as u64;
        }
    }

    pub(in crate::export) fn problem(&mut self, why: String) {
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
