//! Assigns segments to threads and decides whose results count.

use super::parallel::Message;
use super::records::FileFormat;
use crossbeam_channel::{Receiver, Sender, bounded};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Messages that a segment may hold until they are taken.
const MAX_MESSAGES: usize = 64;

/// A stretch of a file.
pub(super) struct FileSegment {
    /// Number of the file.
    pub file: usize,
    /// Its first byte.
    pub begin: u64,
    /// The byte after its last; at the end of a file the largest number.
    pub end: u64,
    /// What must be known to enter it; none for the beginning of a file.
    pub format: Option<FileFormat>,
}

impl FileSegment {
    pub(super) fn whole_file(file: usize) -> Self {
        Self { file, begin: 0, end: u64::MAX, format: None }
    }
}

/// State of a segment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SegmentState {
    Free,
    /// Its first record is being looked for.
    Searched,
    /// It is being read from this offset on, or was.
    Begins(u64),
    /// No record seems to begin in it.
    Nothing,
    /// The reader of an earlier segment went on through it.
    Superseded,
}

/// Result of [`SegmentScheduler::try_handoff`].
pub(super) enum Handoff {
    /// This segment goes on.
    Done(usize),
    /// Not here; this is the first segment that may yet do so.
    NotYet(usize),
    /// The reader of an earlier segment went on through this one meanwhile.
    Superseded,
}

pub(super) struct SegmentScheduler<T> {
    segments: Vec<FileSegment>,
    /// How many segments may be claimed beyond the front, not reckoning those
    /// that were passed over: a record may be longer than many segments.
    ahead: usize,
    places: Mutex<Places<T>>,
    changed: Condvar,
}

struct Places<T> {
    states: Vec<SegmentState>,
    receivers: Vec<Option<Receiver<Message<T>>>>,
    /// The segment whose results are being taken.
    front: usize,
    /// The first segment that nobody has claimed.
    next: usize,
    stopped: bool,
}

/// Stops everything when its thread panics, so that nobody waits for it.
pub(super) struct StopOnPanic<'a, T>(&'a SegmentScheduler<T>);

impl<T> Drop for StopOnPanic<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

impl<T> SegmentScheduler<T> {
    pub(super) fn new(segments: Vec<FileSegment>, threads: usize) -> Self {
        let count = segments.len();
        let places = Places {
            states: vec![SegmentState::Free; count],
            receivers: (0..count).map(|_| None).collect(),
            front: 0,
            next: 0,
            stopped: false,
        };
        Self { segments, ahead: threads + 1, places: Mutex::new(places), changed: Condvar::new() }
    }

    pub(super) fn stop_on_panic(&self) -> StopOnPanic<'_, T> {
        StopOnPanic(self)
    }

    pub(super) fn segment(&self, number: usize) -> &FileSegment {
        &self.segments[number]
    }

    /// First byte of a segment; behind the last one, the largest number.
    pub(super) fn begin_of(&self, number: usize) -> u64 {
        // No handoff crosses the beginning of another file.
        self.segments.get(number).filter(|segment| segment.format.is_some()).map_or(u64::MAX, |segment| segment.begin)
    }

    fn lock(&self) -> MutexGuard<'_, Places<T>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, places: MutexGuard<'a, Places<T>>) -> MutexGuard<'a, Places<T>> {
        self.changed.wait(places).unwrap_or_else(PoisonError::into_inner)
    }

    /// The next segment to read and where its results go; `None` when there is
    /// none left. Waits while too many are ahead.
    pub(super) fn claim(&self) -> Option<(usize, Sender<Message<T>>)> {
        let mut places = self.lock();
        loop {
            while places.states.get(places.next) == Some(&SegmentState::Superseded) {
                places.next += 1;
            }
            if places.stopped || places.next >= self.segments.len() {
                return None;
            }
            let claimed = places.states.get(places.front..places.next).unwrap_or_default();
            if claimed.iter().filter(|state| **state != SegmentState::Superseded).count() <= self.ahead {
                break;
            }
            places = self.wait(places);
        }
        let number = places.next;
        places.next += 1;
        let (sender, receiver) = bounded(MAX_MESSAGES);
        places.receivers[number] = Some(receiver);
        places.states[number] = match self.segments[number].format {
            None => SegmentState::Begins(0),
            Some(_) => SegmentState::Searched,
        };
        self.changed.notify_all();
        Some((number, sender))
    }

    /// Makes a segment the one whose results are taken; `None` behind the last
    /// segment and when everything was stopped.
    pub(super) fn receiver(&self, number: usize) -> Option<Receiver<Message<T>>> {
        let mut places = self.lock();
        places.front = number;
        self.changed.notify_all();
        loop {
            if places.stopped || number >= self.segments.len() {
                return None;
            }
            if let Some(receiver) = places.receivers[number].take() {
                return Some(receiver);
            }
            places = self.wait(places);
        }
    }

    /// The reader of a segment found where it begins.
    pub(super) fn begins(&self, number: usize, offset: u64) {
        self.set(number, SegmentState::Begins(offset));
    }

    /// The reader of a segment found no record.
    pub(super) fn nothing_begins(&self, number: usize) {
        self.set(number, SegmentState::Nothing);
    }

    fn set(&self, number: usize, state: SegmentState) {
        let mut places = self.lock();
        if places.states[number] == SegmentState::Searched {
            places.states[number] = state;
            self.changed.notify_all();
        }
    }

    /// The reader of segment `number` ended a record at `offset`, at or behind
    /// the beginning of segment `next`, and knows this of the file: does another
    /// one go on from right here as this one would?
    pub(super) fn try_handoff(&self, number: usize, mut next: usize, offset: u64, format: &FileFormat) -> Handoff {
        let mut places = self.lock();
        while self.begin_of(next) <= offset {
            // One whose own results count for nothing must not take the segments
            // behind it from those whose results do.
            if places.states[number] == SegmentState::Superseded {
                return Handoff::Superseded;
            }
            // A later head of an ARC file may declare another version.
            let same = self.segments.get(next).and_then(|segment| segment.format.as_ref()) == Some(format);
            match places.states[next] {
                SegmentState::Searched if !places.stopped => {
                    places = self.wait(places);
                    continue;
                }
                SegmentState::Begins(begin) if begin == offset && same => return Handoff::Done(next),
                // It may yet come to that.
                SegmentState::Begins(begin) if begin > offset => break,
                _ => self.pass_over(&mut places, next),
            }
            next += 1;
        }
        Handoff::NotYet(next)
    }

    /// The reader of segment `number` read its file to the end; returns the
    /// first segment of the next one, `None` when it was passed over meanwhile.
    pub(super) fn file_is_read(&self, number: usize) -> Option<usize> {
        let mut places = self.lock();
        if places.states[number] == SegmentState::Superseded {
            return None;
        }
        let (file, mut next) = (self.segments[number].file, number + 1);
        while self.segments.get(next).is_some_and(|segment| segment.file == file) {
            self.pass_over(&mut places, next);
            next += 1;
        }
        Some(next)
    }

    fn pass_over(&self, places: &mut Places<T>, number: usize) {
        places.states[number] = SegmentState::Superseded;
        // Whoever reads it notices that nobody listens.
        places.receivers[number] = None;
        self.changed.notify_all();
    }

    /// Ends all work.
    pub(super) fn stop(&self) {
        let mut places = self.lock();
        places.stopped = true;
        places.receivers.iter_mut().for_each(|receiver| *receiver = None);
        self.changed.notify_all();
    }
}
