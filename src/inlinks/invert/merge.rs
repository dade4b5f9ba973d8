//! Merges many sorted streams into one.
//!
//! Two small heaps: one of streams by their target, one of those at the present target by the rest of the
//! row. So targets, which are long and much alike, are compared once for a group and not for every row.

use super::ranked::{PartStream, SortedGeneration};
use super::row::Parts;
use super::run::{RowReader, Run, Step};
use std::cmp::Ordering;
use std::io;

/// Source of sorted rows.
pub(super) enum Stream<'s> {
    Parts(Box<PartStream<'s>>),
    Rows(Box<RowReader<'s>>),
}

impl<'s> Stream<'s> {
    pub(super) fn of_parts(ranked: &'s SortedGeneration, from: &[u8], until: Option<&[u8]>) -> Self {
        Self::Parts(Box::new(PartStream::between(ranked, from, until)))
    }

    pub(super) fn of_run(run: &'s Run, from: &[u8]) -> Self {
        Self::Rows(Box::new(run.read_from(from)))
    }

    #[inline]
    fn row(&self) -> Parts<'_> {
        match self {
            Self::Parts(parts) => parts.row(),
            Self::Rows(reader) => reader.row(),
        }
    }

    /// The target alone: the other texts lie elsewhere in memory.
    #[inline]
    fn target(&self) -> &[u8] {
        match self {
            Self::Parts(parts) => parts.target(),
            Self::Rows(reader) => reader.row().target,
        }
    }

    #[inline]
    fn when(&self) -> u64 {
        match self {
            Self::Parts(parts) => parts.when(),
            Self::Rows(reader) => reader.row().when,
        }
    }

    #[inline]
    fn advance(&mut self) -> io::Result<Step> {
        match self {
            Self::Parts(parts) => parts.advance(),
            Self::Rows(reader) => reader.advance(),
        }
    }
}

/// The rows of several streams in order, each identity once (the least row of it).
pub(super) struct Merge<'s> {
    streams: Vec<Stream<'s>>,
    /// Streams before their next target, the least first.
    waiting: Vec<usize>,
    /// Streams at the present target, the one with the least row first.
    active: Vec<usize>,
    /// Targets from here on are left out.
    until: Option<Vec<u8>>,
    target: Vec<u8>,
    /// Of the row before: it is compared where the time is the same.
    when: u64,
    last: Last,
    source: Vec<u8>,
    anchor: Vec<u8>,
    new_target: bool,
    given: bool,
    duplicates: u64,
}

/// Place of the texts of the row before.
enum Last {
    /// At a place of the part that a stream has in memory.
    Part { stream: usize, at: usize },
    /// Kept in the merge: what is read from disk goes by.
    Kept,
}

impl<'s> Merge<'s> {
    /// Rows of targets from `from` on and before `until`.
    pub(super) fn new(streams: Vec<Stream<'s>>, from: &[u8], until: Option<Vec<u8>>) -> io::Result<Self> {
        let mut merge = Self {
            streams,
            waiting: Vec::new(),
            active: Vec::new(),
            until,
            target: Vec::new(),
            when: 0,
            last: Last::Kept,
            source: Vec::new(),
            anchor: Vec::new(),
            new_target: false,
            given: false,
            duplicates: 0,
        };
        for number in 0..merge.streams.len() {
            loop {
                if merge.streams[number].advance()? == Step::End {
                    break;
                }
                if merge.streams[number].target() >= from {
                    merge.wait(number);
                    break;
                }
            }
        }
        Ok(merge)
    }

    /// Rows that were left out because an equal one came before.
    pub(super) fn duplicates(&self) -> u64 {
        let in_parts = self.streams.iter().map(|stream| match stream {
            Stream::Parts(parts) => parts.duplicates(),
            Stream::Rows(_) => 0,
        });
        self.duplicates + in_parts.sum::<u64>()
    }

    /// Goes to the next row; `false` at the end.
    #[inline]
    pub(super) fn advance(&mut self) -> io::Result<bool> {
        self.new_target = false;
        loop {
            if std::mem::take(&mut self.given) {
                self.leave_row()?;
            }
            if self.active.is_empty() && !self.next_target() {
                return Ok(false);
            }
            self.given = true;
            let when = self.streams[self.active[0]].when();
            if self.streams.len() > 1 && !self.new_target && when == self.when && self.repeats_last() {
                self.duplicates += 1;
                continue;
            }
            self.when = when;
            return Ok(true);
        }
    }

    /// Whether the row that comes has the source and anchor of the one before.
    fn repeats_last(&self) -> bool {
        let row = self.streams[self.active[0]].row();
        match self.last {
            Last::Kept => row.source == self.source && row.anchor == self.anchor,
            Last::Part { stream, at } => match &self.streams[stream] {
                Stream::Parts(parts) => {
                    parts.row_at(at).is_some_and(|last| row.source == last.source && row.anchor == last.anchor)
                }
                Stream::Rows(_) => false,
            },
        }
    }

    /// The present row.
    #[inline]
    pub(super) fn row(&self) -> Parts<'_> {
        let none = Parts { target: b"", when: 0, source: b"", anchor: b"", tail: b"" };
        let row = self.active.first().map_or(none, |&number| self.streams[number].row());
        Parts { target: &self.target, ..row }
    }

    /// The target of the present row: its other texts lie elsewhere in memory.
    #[inline]
    pub(super) fn target(&self) -> &[u8] {
        &self.target
    }

    /// Kind and date of the present row.
    #[inline]
    pub(super) fn when(&self) -> u64 {
        self.when
    }

    /// Whether the present row is the first of its target.
    #[inline]
    pub(super) fn is_new_target(&self) -> bool {
        self.new_target
    }

    /// Keeps what the next row is compared with.
    fn remember(&mut self, number: usize) {
        let place = match &self.streams[number] {
            Stream::Parts(parts) => parts.place(),
            Stream::Rows(_) => None,
        };
        match place {
            Some(at) => self.last = Last::Part { stream: number, at },
            None => {
                let row = self.streams[number].row();
                self.source.clear();
                self.source.extend_from_slice(row.source);
                self.anchor.clear();
                self.anchor.extend_from_slice(row.anchor);
                self.last = Last::Kept;
            }
        }
    }

    /// Moves the stream of the present row on.
    #[inline]
    fn leave_row(&mut self) -> io::Result<()> {
        let number = self.active[0];
        // A stream alone holds each row once.
        if self.streams.len() > 1 {
            self.remember(number);
        }
        match self.streams[number].advance()? {
            Step::Same if self.active.len() == 1 => {}
            Step::Same => sift_down(&mut self.active, 0, |a, b| by_rest(&self.streams, a, b)),
            step => {
                self.active.swap_remove(0);
                if !self.active.is_empty() {
                    sift_down(&mut self.active, 0, |a, b| by_rest(&self.streams, a, b));
                }
                if step == Step::New {
                    self.wait(number);
                }
            }
        }
        Ok(())
    }

    /// Adds a stream at the first row of a target to those that wait.
    fn wait(&mut self, number: usize) {
        let target = self.streams[number].target();
        if self.until.as_deref().is_some_and(|until| target >= until) {
            return;
        }
        self.waiting.push(number);
        let mut at = self.waiting.len() - 1;
        while at > 0 {
            let parent = (at - 1) / 2;
            let (child, above) = (self.waiting[at], self.waiting[parent]);
            if target_of(&self.streams, child) >= target_of(&self.streams, above) {
                break;
            }
            self.waiting.swap(at, parent);
            at = parent;
        }
    }

    /// Takes up the streams with the least target; `false` where none is left.
    fn next_target(&mut self) -> bool {
        let Some(&first) = self.waiting.first() else { return false };
        self.target.clear();
        self.target.extend_from_slice(target_of(&self.streams, first));
        while let Some(&least) = self.waiting.first() {
            if target_of(&self.streams, least) != self.target {
                break;
            }
            self.active.push(least);
            self.waiting.swap_remove(0);
            if !self.waiting.is_empty() {
                sift_down(&mut self.waiting, 0, |a, b| target_of(&self.streams, a).cmp(target_of(&self.streams, b)));
            }
        }
        for at in (0..self.active.len() / 2).rev() {
            sift_down(&mut self.active, at, |a, b| by_rest(&self.streams, a, b));
        }
        self.new_target = true;
        true
    }
}

#[inline]
fn target_of<'a>(streams: &'a [Stream<'_>], number: usize) -> &'a [u8] {
    streams[number].target()
}

#[inline]
fn by_rest(streams: &[Stream<'_>], a: usize, b: usize) -> Ordering {
    let (a, b) = (&streams[a], &streams[b]);
    a.when().cmp(&b.when()).then_with(|| {
        let (a, b) = (a.row(), b.row());
        (a.source, a.anchor, a.tail).cmp(&(b.source, b.anchor, b.tail))
    })
}

/// Sifts the element at `at` down in a heap with the least first.
fn sift_down(heap: &mut [usize], mut at: usize, order: impl Fn(usize, usize) -> Ordering) {
    loop {
        let mut least = at;
        for child in [2 * at + 1, 2 * at + 2] {
            if child < heap.len() && order(heap[child], heap[least]) == Ordering::Less {
                least = child;
            }
        }
        if least == at {
            return;
        }
        heap.swap(at, least);
        at = least;
    }
}
