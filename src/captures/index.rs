//! Captures out of archive files, made here or elsewhere.
//!
//! In: a WARC or ARC file. Out: one [`CaptureEntry`] per response, revisit or
//! resource of a web URL, with the request and metadata records that belong
//! to it. In files of this workspace links come from a metadata record of ours
//! where there is one, else out of the page. What others write of a capture is
//! no more than their word: its links come out of the page.
//!
//! Memory is bounded: records of one capture are looked for within a window
//! of [`WINDOW`] captures, fewer where these are full of links, and only the
//! last payload is held.

use super::large::LargePagePermit;
use super::limits::MAX_NOTES_BYTES;
use super::page::links_bytes;
use super::part::LeftOut;
use super::record::{AuxiliaryRecord, LinkReading, LinksSoFar, RecordRole, SeenCapture, SeenRecord};
use super::{CaptureEntry, RecordPlace};
use crate::captures::crawl_metadata::CaptureNotes;
use crate::jobs::{Cancelled, JobCx};
use crate::uri::{CaptureDate, Url};
use crate::warc::{
    ArchiveReader, PlaceReader, Problem, ProblemKind, RecordHead, SharedMember, Span, WarcError, open_record_at,
    read_file_in_parallel,
};
use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Captures between which records of one capture may be.
pub const WINDOW: usize = 64;
/// Requests and metadata records kept of one capture.
const MAX_OTHERS: usize = 256;
/// Bytes of links that the captures of the window have at most, beside those of the
/// newest one: beyond, the oldest captures leave it before it is full.
const MAX_WINDOW_BYTES: usize = 16 << 20;
/// Bytes of links and payloads that several threads may have read ahead.
const MAX_WAITING_BYTES: usize = 128 << 20;
/// Problems kept of one file; further ones are counted.
const MAX_PROBLEMS: usize = 1000;
/// Pages among them that were not read whole: damage of the file has room beside them.
const MAX_UNREAD: usize = 900;
/// Schemes of URIs that are counted apart.
const MAX_SCHEMES: usize = 16;

/// The author of an archive file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// A crawl of this workspace: its metadata records have how a capture came about.
    ThisWorkspace,
    /// Anyone: a verdict in a metadata record is a claim of the file.
    Anyone,
}

/// The outcome of indexing a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexReport {
    /// Records read.
    pub records: u64,
    /// Captures passed on.
    pub captures: u64,
    /// Captures among them that repeat a payload.
    pub revisits: u64,
    /// Requests and metadata without a capture nearby.
    pub orphans: u64,
    /// Records of other kinds (warcinfo, dns, conversion …).
    pub others: u64,
    /// Responses and resources among those that are about nothing of the web,
    /// by the scheme of their URIs.
    pub left_out: BTreeMap<String, u64>,
    /// Damage and oddities, pages that were not read whole before the others;
    /// at most a thousand, and 900 such pages.
    pub problems: Vec<Problem>,
    /// Problems beyond those.
    pub more_problems: u64,
}

/// Reads a file from its beginning and passes its captures to `sink`, in their order in it.
/// `file_label` becomes [`RecordPlace::file`].
///
/// # Errors
///
/// When the file is no archive, cannot be read, or `sink` fails. Damage
/// inside the file is no error but a problem in the report.
pub fn index_archive<E: IndexError>(
    path: &Path,
    file_label: &str,
    author: Author,
    sink: impl FnMut(CaptureEntry) -> Result<(), E>,
    cx: &JobCx,
) -> Result<IndexReport, E> {
    all_of(index_records(ArchiveReader::open(path)?, file_label, author, sink, cx))
}

/// Reads captures as [`index_archive`], from any reader. What was found before an error is returned
/// beside it, and all of it has been passed on.
pub fn index_records<R: Read, E: IndexError>(
    reader: ArchiveReader<R>,
    file_label: &str,
    author: Author,
    sink: impl FnMut(CaptureEntry) -> Result<(), E>,
    cx: &JobCx,
) -> (IndexReport, Result<(), E>) {
    Indexer::new(file_label, author, sink).run(reader, cx)
}

/// Reads a file as [`index_records`], with several threads: `threads` of them unpack it and read
/// pages. The result is that of one. `read_to` gets their progress, in bytes of the file.
pub fn index_in_parallel<E: IndexError>(
    path: &Path,
    threads: usize,
    file_label: &str,
    author: Author,
    sink: impl FnMut(CaptureEntry) -> Result<(), E>,
    cx: &JobCx,
    read_to: impl FnMut(u64),
) -> (IndexReport, Result<(), E>) {
    index_ahead(path, (threads, MAX_WAITING_BYTES), file_label, author, sink, cx, read_to)
}

/// Reads a file as [`index_in_parallel`], with room for so many bytes of links.
pub fn index_ahead<E: IndexError>(
    path: &Path,
    (threads, room): (usize, usize),
    file_label: &str,
    author: Author,
    sink: impl FnMut(CaptureEntry) -> Result<(), E>,
    cx: &JobCx,
    mut read_to: impl FnMut(u64),
) -> (IndexReport, Result<(), E>) {
    let mut indexer = Indexer::new(file_label, author, sink);
    let (waiting, has_notes) = (AtomicUsize::new(0), AtomicBool::new(false));
    let see = |head: &RecordHead, block: &mut dyn BufRead| {
        // Where notes have the links, nobody has to read them.
        let links = if has_notes.load(Ordering::Relaxed) { LinkReading::Later } else { LinkReading::Now };
        let mut seen = SeenRecord::of(head, block, links)?;
        if author == Author::ThisWorkspace && seen.has_notes_of_ours() {
            has_notes.store(true, Ordering::Relaxed);
        }
        let bytes = seen.weight();
        let before = waiting.fetch_add(bytes, Ordering::Relaxed);
        if before > 0 && before.saturating_add(bytes) > room {
            // Hostile pages are all links.
            waiting.fetch_sub(bytes, Ordering::Relaxed);
            seen.role = RecordRole::Deferred;
            return Ok((seen, Ahead { waiting: &waiting, bytes: 0 }));
        }
        Ok((seen, Ahead { waiting: &waiting, bytes }))
    };
    let mut ended = Ok(());
    let mut again = PlaceReader::default();
    let read = read_file_in_parallel(path, threads, cx, see, |visit| {
        let (seen, ahead) = visit.value;
        drop(ahead);
        read_to(visit.read_to);
        let seen = match (&seen.role, visit.span) {
            (RecordRole::Deferred, Some(span)) => SeenRecord::again(&mut again, path, span, cx),
            _ => Ok(seen),
        };
        ended = cx.checkpoint().map_err(E::from).and_then(|()| indexer.take(seen?, visit.span, visit.member));
        visit.problems.into_iter().for_each(|problem| indexer.problem(problem));
        if ended.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    let read = read.map(|problems| problems.into_iter().for_each(|problem| indexer.problem(problem)));
    // Reading that was stopped within a block passes on no error of its own.
    let ended = ended.and(read.map_err(E::from)).and_then(|()| Ok(cx.checkpoint()?));
    indexer.end(ended, cx)
}

/// Bytes that were read ahead and not taken in yet. They are free again when
/// the record is taken in, and when it is thrown away.
struct Ahead<'a> {
    waiting: &'a AtomicUsize,
    bytes: usize,
}

impl Drop for Ahead<'_> {
    fn drop(&mut self) {
        self.waiting.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

fn all_of<E>((report, ended): (IndexReport, Result<(), E>)) -> Result<IndexReport, E> {
    ended.map(|()| report)
}

/// Reads a file as [`index_archive`], from a place in it that a record begins at.
pub fn index_archive_from<E: IndexError>(
    path: &Path,
    offset: u64,
    file_label: &str,
    author: Author,
    sink: impl FnMut(CaptureEntry) -> Result<(), E>,
    cx: &JobCx,
) -> Result<IndexReport, E> {
    all_of(index_records(open_record_at(path, offset)?, file_label, author, sink, cx))
}

/// A capture in the making.
#[derive(Default)]
struct Group {
    url: Option<Url>,
    date: Option<CaptureDate>,
    /// Its own record ids and those its records point to.
    ids: Vec<String>,
    entry: Option<CaptureEntry>,
    /// The compressed member that its own record shares with others.
    member: Option<SharedMember>,
    /// Request and metadata records.
    others: Vec<RecordPlace>,
    notes: Option<CaptureNotes>,
    /// Bytes of its links.
    link_bytes: usize,
}

/// The links of the capture read last, until it is known whether notes follow.
struct PendingLinks {
    /// Number of its group.
    group: u64,
    links: LinksSoFar,
}

/// The errors of a reader of captures, besides those of whoever takes them.
pub trait IndexError: From<WarcError> + From<Cancelled> {}

impl<E: From<WarcError> + From<Cancelled>> IndexError for E {}

struct Indexer<'a, S> {
    label: &'a str,
    author: Author,
    sink: S,
    report: IndexReport,
    window: VecDeque<Group>,
    /// Number of the group at the front of the window.
    first: u64,
    /// Bytes of links in the window.
    link_bytes: usize,
    pending_links: Option<PendingLinks>,
    /// The sink took a capture with an error: it gets no more.
    sink_failed: bool,
    /// Pages that were not read whole: listed before the reader's problems, the last of which shows how
    /// far it came.
    unread: Vec<Problem>,
}

impl<'a, E: IndexError, S: FnMut(CaptureEntry) -> Result<(), E>> Indexer<'a, S> {
    fn new(label: &'a str, author: Author, sink: S) -> Self {
        Self {
            label,
            author,
            sink,
            report: IndexReport::default(),
            window: VecDeque::new(),
            first: 0,
            link_bytes: 0,
            pending_links: None,
            sink_failed: false,
            unread: Vec::new(),
        }
    }

    fn run<R: Read>(mut self, reader: ArchiveReader<R>, cx: &JobCx) -> (IndexReport, Result<(), E>) {
        let mut reader = reader.stopped_by(cx);
        let ended = cx.or_cancelled(self.read(&mut reader, cx));
        self.take_problems(&mut reader);
        self.end(ended, cx)
    }

    fn end(mut self, mut ended: Result<(), E>, cx: &JobCx) -> (IndexReport, Result<(), E>) {
        // An error of the reader concerns what comes after it only. Stopped on
        // request, a capture may lack records that the next run will find.
        if cx.is_cancelled() {
            return (self.report, ended);
        }
        while !self.sink_failed && !self.window.is_empty() {
            if let Err(error) = self.flush_one() {
                ended = Err(error);
                break;
            }
        }
        self.report.problems.splice(0..0, self.unread);
        (self.report, ended)
    }

    fn read<R: Read>(&mut self, reader: &mut ArchiveReader<R>, cx: &JobCx) -> Result<(), E> {
        while let Some(head) = reader.next_head()? {
            cx.checkpoint()?;
            let seen = SeenRecord::of(&head, reader, LinkReading::Later);
            let seen = seen.map_err(|source| WarcError::Io { path: self.label.into(), source })?;
            let span = reader.finish_record()?;
            self.take(seen, span, reader.member_of_record())?;
            self.take_problems(reader);
        }
        Ok(())
    }

    fn problem(&mut self, problem: Problem) {
        let has_room = self.report.problems.len() + self.unread.len() < MAX_PROBLEMS;
        match problem.kind {
            ProblemKind::UnreadPage if has_room && self.unread.len() < MAX_UNREAD => self.unread.push(problem),
            ProblemKind::UnreadPage => self.report.more_problems += 1,
            _ if has_room => self.report.problems.push(problem),
            _ => self.report.more_problems += 1,
        }
    }

    fn take_problems<R: Read>(&mut self, reader: &mut ArchiveReader<R>) {
        for problem in reader.take_problems() {
            self.problem(problem);
        }
    }

    /// Takes in a record that begins in `member`; without a span it is cut off or damaged, and the
    /// reader's problems list that.
    fn take(&mut self, seen: SeenRecord, span: Option<Span>, member: Option<SharedMember>) -> Result<(), E> {
        self.report.records += u64::from(span.is_some());
        let SeenRecord { record_type, record_id, role } = seen;
        self.report.others += u64::from(matches!(role, RecordRole::Other(_)));
        let Some(span) = span else { return Ok(()) };
        let place = RecordPlace { record_type, record_id, file: self.label.to_owned(), span };
        let problem = |kind, detail| Problem::new(span.offset, kind, detail).in_member(member);
        match role {
            RecordRole::Other(Some(LeftOut::Scheme(scheme))) => {
                let is_listed = self.report.left_out.len() < MAX_SCHEMES || self.report.left_out.contains_key(&scheme);
                let scheme = if is_listed { scheme } else { "other".to_owned() };
                *self.report.left_out.entry(scheme).or_default() += 1;
            }
            RecordRole::Other(Some(LeftOut::Unclear(why))) => self.problem(problem(ProblemKind::BadField, why)),
            RecordRole::Other(None) | RecordRole::Deferred => {}
            RecordRole::Undated(url) => {
                let detail = format!("the {} record of {url} has no readable date", place.record_type);
                self.problem(problem(ProblemKind::BadField, detail));
            }
            RecordRole::Capture(main) => return self.main(place, member, *main),
            RecordRole::Auxiliary(side) => {
                if let Some(left_out) = side.left_out {
                    let (url, most) = (&side.url, MAX_NOTES_BYTES >> 20);
                    let detail = format!("the metadata record of {url} is longer than {most} MiB: {left_out}");
                    self.problem(problem(ProblemKind::Limit, detail));
                }
                return self.side(place, *side);
            }
        }
        Ok(())
    }

    fn main(&mut self, place: RecordPlace, member: Option<SharedMember>, main: SeenCapture) -> Result<(), E> {
        self.flush_pending_links();
        self.make_room()?;
        let SeenCapture { mut entry, links } = main;
        let (url, date) = (entry.url.clone(), entry.date);
        let id = place.record_id.clone();
        entry.records.push(place);
        let found = self
            .window
            .iter()
            .position(|group| group.entry.is_none() && (group.is_named(&url, [&id]) || group.is_like(&url, date)));
        let at = match found {
            Some(at) => at,
            None => self.new_group()?,
        };
        let group = &mut self.window[at];
        (group.url, group.date) = (Some(url), Some(date));
        group.ids.push(id);
        group.entry = Some(entry);
        group.member = member;
        self.pending_links = links.map(|links| PendingLinks { group: self.first + at as u64, links });
        Ok(())
    }

    fn side(&mut self, place: RecordPlace, side: AuxiliaryRecord) -> Result<(), E> {
        let AuxiliaryRecord { url, date, points_to, notes, .. } = side;
        let id = place.record_id.clone();
        let found = self
            .window
            .iter()
            .rposition(|group| group.is_named(&url, points_to.iter().chain([&id])))
            .or_else(|| self.window.iter().rposition(|group| group.is_like(&url, date)));
        let at = match found {
            Some(at) => at,
            None => self.new_group()?,
        };
        let group = &mut self.window[at];
        group.url.get_or_insert(url);
        group.date.get_or_insert(date);
        // Beyond this, records of one capture are a flood.
        if group.others.len() >= MAX_OTHERS {
            self.report.orphans += 1;
            return Ok(());
        }
        group.ids.extend(points_to);
        group.ids.push(id);
        if let Some(notes) = notes.filter(|_| group.notes.is_none()) {
            let bytes = links_bytes(&notes.outlinks);
            group.link_bytes += bytes;
            self.link_bytes += bytes;
            group.notes = Some(notes);
        }
        group.others.push(place);
        Ok(())
    }

    /// Hands the oldest captures on until the links of the others have room;
    /// records of the newest one may follow still.
    fn make_room(&mut self) -> Result<(), E> {
        while self.link_bytes > MAX_WINDOW_BYTES && self.window.len() > 1 {
            self.flush_one()?;
        }
        Ok(())
    }

    fn new_group(&mut self) -> Result<usize, E> {
        if self.window.len() >= WINDOW {
            self.flush_one()?;
        }
        self.window.push_back(Group::default());
        Ok(self.window.len() - 1)
    }

    /// Reads the links of the pending payload, unless notes have them.
    fn flush_pending_links(&mut self) {
        let Some(pending_links) = self.pending_links.take() else { return };
        let Some(at) = pending_links.group.checked_sub(self.first).and_then(|at| usize::try_from(at).ok()) else {
            return;
        };
        let Some(group) = self.window.get_mut(at) else { return };
        let Some(entry) = &mut group.entry else { return };
        let is_of_crawl = |notes: &&CaptureNotes| self.author == Author::ThisWorkspace && notes.verdict.is_some();
        let notes = group.notes.as_ref().filter(is_of_crawl);
        if notes.is_none() {
            let links = pending_links.links.read(&entry.url, &mut LargePagePermit::default());
            entry.notes.title = links.title.or(entry.notes.title.take());
            entry.notes.language = links.language.or(entry.notes.language.take());
            entry.redirect_to = links.redirect_to;
            (entry.notes.outlinks, entry.notes.unread) = (links.outlinks, links.unread);
            let bytes = links_bytes(&entry.notes.outlinks);
            group.link_bytes += bytes;
            self.link_bytes += bytes;
        }
    }

    /// Hands the oldest capture on.
    fn flush_one(&mut self) -> Result<(), E> {
        if self.pending_links.as_ref().is_some_and(|pending_links| pending_links.group == self.first) {
            self.flush_pending_links();
        }
        let Some(group) = self.window.pop_front() else { return Ok(()) };
        self.first += 1;
        self.link_bytes -= group.link_bytes;
        let Some(mut entry) = group.entry else {
            self.report.orphans += group.others.len() as u64;
            return Ok(());
        };
        entry.records.extend(group.others);
        if let Some(notes) = group.notes {
            apply(&mut entry, notes, self.author);
        }
        entry.note_truncation();
        if let (Some(why), Some(place)) = (entry.notes.unread.filter(|why| why.loses_links()), entry.records.first()) {
            let detail = format!("{}: {why}; links may be missing", entry.url);
            let problem = Problem::new(place.span.offset, ProblemKind::UnreadPage, detail);
            self.problem(problem.in_member(group.member));
        }
        self.report.captures += 1;
        self.report.revisits += u64::from(entry.revisit_of.is_some());
        let taken = (self.sink)(entry);
        self.sink_failed = taken.is_err();
        taken
    }
}

impl Group {
    /// Whether one of these ids is of this capture. The URL has to be the
    /// same: some tools give one id to records of several captures.
    fn is_named<'i>(&self, url: &Url, ids: impl IntoIterator<Item = &'i String>) -> bool {
        self.url.as_ref() == Some(url) && ids.into_iter().any(|id| !id.is_empty() && self.ids.contains(id))
    }

    fn is_like(&self, url: &Url, date: CaptureDate) -> bool {
        self.url.as_ref() == Some(url) && self.date == Some(date)
    }
}

/// Takes over what a crawl wrote down about a capture.
fn apply(entry: &mut CaptureEntry, notes: CaptureNotes, author: Author) {
    let own = std::mem::take(&mut entry.notes);
    if author == Author::ThisWorkspace && notes.verdict.is_some() {
        // A record of ours, which has everything.
        let redirect = notes.outlinks.iter().find(|link| link.kind == crate::links::LinkKind::Redirect);
        entry.redirect_to = redirect.map(|link| link.url.clone());
        entry.notes = CaptureNotes { status: own.status, mime: own.mime, ..notes };
        return;
    }
    let CaptureNotes { via, hops, seed, source_tag, fetch_ms, verdict, .. } = notes;
    entry.claimed_rule = verdict.map(|verdict| verdict.rule_name).unwrap_or_default();
    entry.notes = CaptureNotes { via, hops, seed, source_tag, fetch_ms, ..own };
}
