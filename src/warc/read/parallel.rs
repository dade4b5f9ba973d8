//! Reads files with several threads and returns their records in order.
//!
//! A file is cut into segments by bytes. The reader of a segment searches for the first record in it and
//! reads on from there, without knowing whether the place is right: a payload may hold a whole WARC. The
//! reader of the segment before proves it: one that ends a record exactly there would go on in the same way.
//! If it never does, it reads through the segment itself, and the results of the other reader are dropped. So
//! the result is that of one reader, in every file; files that cannot be cut (one member for all records) are
//! read by one thread.
//!
//! Memory is bounded: only a few segments are ahead of the one whose results
//! are taken, and each may hold only so many results.

use super::super::{Problem, ProblemKind, RecordHead, SharedMember, Span, WarcError};
use super::gzip::GzipNote;
use super::input::RETAIN;
use super::place::{open_archive_file, open_present};
use super::reader::ArchiveReader;
use super::records::FileFormat;
use super::segment_scheduler::{FileSegment, Handoff, SegmentScheduler};
use crate::jobs::JobCx;
use crossbeam_channel::Sender;
use std::fs::File;
use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Limits on how much of a file is read and kept at a time.
#[derive(Clone, Copy)]
pub(super) struct ReadLimits {
    /// Bytes of a file that one thread reads.
    pub segment: u64,
    /// See [`ArchiveReader::retaining`].
    pub retain: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self { segment: 2 * 1024 * 1024, retain: RETAIN }
    }
}

/// More threads than this want more memory than they bring speed.
const MAX_THREADS: usize = 4;

/// Results sent at once.
const BATCH: usize = 128;

/// Bytes of heads in one message, after which it is sent: hostile heads are long.
const BATCH_HEAD_BYTES: usize = 256 * 1024;

/// A record that was read, and what the caller made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit<T> {
    /// What the caller made of it.
    pub value: T,
    /// Its place; none when it was cut off or damaged (a problem says so).
    pub span: Option<Span>,
    /// What was odd or broken since the record before, in the order it was met.
    pub problems: Vec<Problem>,
    /// Compressed members it lies in; 1 as it should be.
    pub members: u64,
    /// See [`ArchiveReader::member_of_record`].
    pub member: Option<SharedMember>,
    /// See [`ArchiveReader::gzip_note`].
    pub gzip_note: Option<GzipNote>,
    /// Offset in the file up to which it has been read, for progress.
    pub read_to: u64,
}

impl<T> Visit<T> {
    /// Describes the record at `span` that `reader` has just ended.
    pub fn of_ended<R: Read>(reader: &mut ArchiveReader<R>, value: T, span: Option<Span>) -> Self {
        let (members, member, gzip_note) = (reader.members_of_record(), reader.member_of_record(), reader.gzip_note());
        let (problems, read_to) = (reader.take_problems(), reader.file_offset());
        Self { value, span, problems, members, member, gzip_note, read_to }
    }
}

/// Event of [`read_in_parallel`].
#[derive(Debug)]
pub enum Event<T> {
    /// The next record.
    Record(Visit<T>),
    /// The end of the file and the problems after its last record.
    End(Vec<Problem>),
    /// The file cannot be read (further), as [`ArchiveReader::next_head`] says.
    Failed(WarcError),
}

/// Message of a worker: events of its segment, and where it stopped.
pub(super) enum Message<T> {
    Events(Vec<Event<T>>),
    /// Where the segment begins, in the decoded bytes that its reader counts.
    Begins(u64),
    /// The segment that goes on where this one ended, and where that is in the
    /// decoded bytes that the reader of this one counts.
    GoOnWith(usize, u64),
}

/// Number of threads that reading is worth on this machine.
pub fn reading_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS)
}

/// Reads files with so many threads. `map` is called by any of them, for every record, with its head and its
/// block; it may be called for records that turn out to be none, so it must do no more than compute. `sink`
/// is called by the calling thread with the number of the file, in the order of files and records, as reading
/// with one [`ArchiveReader`] would have it; each file ends with [`Event::End`] or [`Event::Failed`]. `sink`
/// can break off and `cx` can cancel, also within a long block: then no more events follow.
///
/// # Panics
///
/// When `map` does.
pub fn read_in_parallel<T: Send>(
    files: &[PathBuf],
    threads: usize,
    cx: &JobCx,
    map: impl Fn(&RecordHead, &mut dyn BufRead) -> io::Result<T> + Sync,
    sink: impl FnMut(usize, Event<T>) -> ControlFlow<()>,
) {
    read_in_segments(files, threads.min(MAX_THREADS), ReadLimits::default(), cx, map, sink);
}

/// As [`read_in_parallel`], within these limits.
pub(super) fn read_in_segments<T: Send>(
    files: &[PathBuf],
    threads: usize,
    limits: ReadLimits,
    cx: &JobCx,
    map: impl Fn(&RecordHead, &mut dyn BufRead) -> io::Result<T> + Sync,
    mut sink: impl FnMut(usize, Event<T>) -> ControlFlow<()>,
) {
    let segments: Vec<FileSegment> = match threads {
        0 | 1 => (0..files.len()).map(FileSegment::whole_file).collect(),
        _ => files.iter().enumerate().flat_map(|(file, path)| segments_of(file, path, limits.segment, cx)).collect(),
    };
    let mut filter = NotPerRecordOnce::default();
    let mut forward = |file: usize, mut event: Event<T>| {
        if matches!(event, Event::Failed(_)) && cx.is_cancelled() {
            return ControlFlow::Break(());
        }
        filter.apply(file, &mut event);
        sink(file, event)
    };
    if threads < 2 || segments.len() < 2 {
        // Whole files, then.
        let _ = segments.iter().try_for_each(|segment| {
            read_alone(&files[segment.file], limits, cx, &map, |event| forward(segment.file, event))
        });
        return;
    }
    let segment_scheduler = SegmentScheduler::new(segments, threads);
    std::thread::scope(|scope| {
        let _guard = segment_scheduler.stop_on_panic();
        for _ in 0..threads {
            scope.spawn(|| {
                let _guard = segment_scheduler.stop_on_panic();
                while let Some((number, sender)) = segment_scheduler.claim() {
                    let path = &files[segment_scheduler.segment(number).file];
                    // Results that nobody wants are no failure.
                    let _ =
                        Worker { segment_scheduler: &segment_scheduler, number, path, limits, cx, sender }.run(&map);
                }
            });
        }
        let mut front = Some((0, 0u64));
        while let Some((number, decoded)) = front.take() {
            let Some(receiver) = segment_scheduler.receiver(number) else { break };
            let file = segment_scheduler.segment(number).file;
            // A reader that entered the file in its middle counts decoded bytes
            // from there.
            let mut shift = 0u64;
            for message in receiver {
                match message {
                    Message::Begins(own) => shift = decoded.wrapping_sub(own),
                    Message::GoOnWith(next, own) => front = Some((next, own.wrapping_add(shift))),
                    Message::Events(events) => {
                        let mut each = events.into_iter().map(|event| shifted(event, shift));
                        if each.try_for_each(|event| forward(file, event)).is_break() {
                            segment_scheduler.stop();
                            return;
                        }
                    }
                }
            }
        }
    });
}

/// As [`read_in_parallel`], one file; returns the problems after its last record.
pub fn read_file_in_parallel<T: Send>(
    path: &Path,
    threads: usize,
    cx: &JobCx,
    map: impl Fn(&RecordHead, &mut dyn BufRead) -> io::Result<T> + Sync,
    mut sink: impl FnMut(Visit<T>) -> ControlFlow<()>,
) -> Result<Vec<Problem>, WarcError> {
    let mut end = Ok(Vec::new());
    read_in_parallel(&[path.to_owned()], threads, cx, map, |_, event| match event {
        Event::Record(visit) => sink(visit),
        Event::End(problems) => {
            end = Ok(problems);
            ControlFlow::Continue(())
        }
        Event::Failed(error) => {
            end = Err(error);
            ControlFlow::Continue(())
        }
    });
    end
}

/// Places in the decoded bytes of the whole file.
fn shifted<T>(mut event: Event<T>, shift: u64) -> Event<T> {
    let shift_place = |span: Span| match span.is_inside_member() {
        true => Span::inside_member(span.decoded_offset().wrapping_add(shift), span.length),
        false => span,
    };
    let shift_member =
        |member: SharedMember| SharedMember { decoded_offset: member.decoded_offset.wrapping_add(shift), ..member };
    let problems = match &mut event {
        Event::Record(Visit { span, problems, member, .. }) => {
            *span = span.map(shift_place);
            *member = member.map(shift_member);
            problems
        }
        Event::End(problems) => problems,
        Event::Failed(_) => return event,
    };
    for problem in problems {
        problem.offset = shift_place(Span { offset: problem.offset, length: 0 }).offset;
        problem.member = problem.member.map(shift_member);
    }
    event
}

/// Filter that reports once per file that records share a member.
#[derive(Default)]
struct NotPerRecordOnce {
    file: usize,
    reported: bool,
}

impl NotPerRecordOnce {
    fn apply<T>(&mut self, file: usize, event: &mut Event<T>) {
        if self.file != file {
            *self = Self { file, reported: false };
        }
        let (Event::Record(Visit { problems, .. }) | Event::End(problems)) = event else { return };
        problems.retain(|problem| {
            problem.kind != ProblemKind::NotPerRecord || !std::mem::replace(&mut self.reported, true)
        });
    }
}

/// The segments of a file: one when it is short or packed so that it cannot be
/// entered in its middle.
fn segments_of(file: usize, path: &Path, segment_len: u64, cx: &JobCx) -> Vec<FileSegment> {
    let whole = || vec![FileSegment::whole_file(file)];
    let Ok(source) = open_archive_file(path) else { return whole() };
    let Ok(len) = source.metadata().map(|data| data.len()) else { return whole() };
    if len < 2 * segment_len {
        return whole();
    }
    // The first record has the properties of the whole file; its end is not searched.
    let Ok(reader) = ArchiveReader::new(source, path) else { return whole() };
    let mut reader = reader.stopped_by(cx);
    let format = match reader.next_head() {
        Ok(Some(_)) => reader.format(),
        _ => return whole(),
    };
    if !format.can_be_entered() {
        return whole();
    }
    (0..len.div_ceil(segment_len))
        .map(|number| {
            let begin = number * segment_len;
            let end = if begin + segment_len >= len { u64::MAX } else { begin + segment_len };
            FileSegment { file, begin, end, format: (begin > 0).then(|| format.clone()) }
        })
        .collect()
}

/// Reads a file from its beginning to its end.
fn read_alone<T>(
    path: &Path,
    limits: ReadLimits,
    cx: &JobCx,
    map: impl Fn(&RecordHead, &mut dyn BufRead) -> io::Result<T>,
    mut sink: impl FnMut(Event<T>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut reader = match ArchiveReader::open(path) {
        Ok(reader) => reader.retaining(limits.retain).stopped_by(cx),
        Err(error) => return sink(Event::Failed(error)),
    };
    loop {
        let event = next_event(&mut reader, path, &map, &mut 0);
        let goes_on = matches!(event, Event::Record(_));
        sink(event)?;
        if !goes_on {
            return ControlFlow::Continue(());
        }
    }
}

fn next_event<T>(
    reader: &mut ArchiveReader<File>,
    path: &Path,
    map: impl Fn(&RecordHead, &mut dyn BufRead) -> io::Result<T>,
    head_bytes: &mut usize,
) -> Event<T> {
    match next_visit(reader, path, map, head_bytes) {
        Ok(Some(visit)) => Event::Record(visit),
        Ok(None) => Event::End(reader.take_problems()),
        Err(error) => Event::Failed(error),
    }
}

fn next_visit<T>(
    reader: &mut ArchiveReader<File>,
    path: &Path,
    map: impl Fn(&RecordHead, &mut dyn BufRead) -> io::Result<T>,
    head_bytes: &mut usize,
) -> Result<Option<Visit<T>>, WarcError> {
    let Some(head) = reader.next_head()? else { return Ok(None) };
    *head_bytes += head.headers.byte_len();
    let value = map(&head, reader).map_err(|source| WarcError::Io { path: path.to_owned(), source })?;
    let span = reader.finish_record()?;
    Ok(Some(Visit::of_ended(reader, value, span)))
}

/// Nobody wants the results of a segment (any more).
struct Unwanted;

/// Reads one segment.
struct Worker<'a, T> {
    segment_scheduler: &'a SegmentScheduler<T>,
    number: usize,
    path: &'a Path,
    limits: ReadLimits,
    cx: &'a JobCx,
    sender: Sender<Message<T>>,
}

impl<T: Send> Worker<'_, T> {
    fn run(&self, map: impl Fn(&RecordHead, &mut dyn BufRead) -> io::Result<T>) -> Result<(), Unwanted> {
        let segment = self.segment_scheduler.segment(self.number);
        let mut reader = match &segment.format {
            None => match ArchiveReader::open(self.path) {
                Ok(reader) => reader.retaining(self.limits.retain).stopped_by(self.cx),
                Err(error) => {
                    self.send(vec![Event::Failed(error)])?;
                    return self.end_of_file();
                }
            },
            Some(format) => match self.find(segment, format) {
                // Where this reader fails, the one before reports it.
                Ok(None) | Err(_) => {
                    self.segment_scheduler.nothing_begins(self.number);
                    return Ok(());
                }
                Ok(Some(reader)) => {
                    self.sender.send(Message::Begins(reader.decoded_offset())).map_err(|_| Unwanted)?;
                    self.segment_scheduler.begins(self.number, reader.file_offset());
                    reader
                }
            },
        };
        let mut next = self.number + 1;
        let mut events = Vec::with_capacity(BATCH);
        let mut head_bytes = 0;
        loop {
            let event = next_event(&mut reader, self.path, &map, &mut head_bytes);
            let goes_on = matches!(event, Event::Record(_));
            events.push(event);
            if events.len() == BATCH || head_bytes > BATCH_HEAD_BYTES || !goes_on {
                head_bytes = 0;
                self.send(std::mem::replace(&mut events, Vec::with_capacity(BATCH)))?;
            }
            if !goes_on {
                return self.end_of_file();
            }
            if let Some(offset) = reader.boundary().filter(|&offset| offset >= self.segment_scheduler.begin_of(next)) {
                match self.segment_scheduler.try_handoff(self.number, next, offset, &reader.format()) {
                    Handoff::Done(to) => {
                        self.send(events)?;
                        return self.go_on_with(to, reader.decoded_offset());
                    }
                    Handoff::NotYet(first) => next = first,
                    Handoff::Superseded => return Err(Unwanted),
                }
            }
        }
    }

    fn find(&self, segment: &FileSegment, format: &FileFormat) -> io::Result<Option<ArchiveReader<File>>> {
        let (mut file, present) = open_present(self.path)?;
        file.seek(SeekFrom::Start(segment.begin))?;
        ArchiveReader::find(file, &present, segment.begin, segment.end, format, self.limits.retain, self.cx)
    }

    fn send(&self, events: Vec<Event<T>>) -> Result<(), Unwanted> {
        self.sender.send(Message::Events(events)).map_err(|_| Unwanted)
    }

    fn go_on_with(&self, next: usize, decoded: u64) -> Result<(), Unwanted> {
        self.sender.send(Message::GoOnWith(next, decoded)).map_err(|_| Unwanted)
    }

    fn end_of_file(&self) -> Result<(), Unwanted> {
        let next = self.segment_scheduler.file_is_read(self.number).ok_or(Unwanted)?;
        self.go_on_with(next, 0)
    }
}
