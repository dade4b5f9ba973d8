//! Reads sorted rows one after the other, or in parts that threads share.

use super::LinkError;
use super::blocks::BLOCK_BYTES;
use super::kept::KeptRuns;
use super::merge::{Merge, Stream};
use super::ranked::SortedGeneration;
use super::row::Row;
use super::run::Run;
use crate::jobs::JobCx;
use crossbeam_channel::bounded;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Rows between two checks for cancellation.
pub(super) const ROWS_PER_CHECK: u64 = 4096;

/// Counts of a sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ShuffleReport {
    /// Links that were put in.
    pub links: u64,
    /// Captures that were put in.
    pub captures: u64,
    /// Rows left out because an equal one was there: equal (target, source,
    /// date, anchor) of links, equal (target, date) of captures. Complete
    /// when the last row was read.
    pub duplicates: u64,
    /// Runs written to disk.
    pub runs: u64,
    /// Bytes written to disk.
    pub spilled_bytes: u64,
}

/// Rows in memory that equal one block of a run.
const ROWS_PER_SAMPLE: usize = BLOCK_BYTES / 48;

/// A part that threads share has at least so many blocks, and some for each
/// stream: every stream reads one block in vain before each part.
const MIN_PART_BLOCKS: usize = 64;
const PART_BLOCKS_PER_STREAM: usize = 6;

/// Parts that keep threads busy.
const ENOUGH_PARTS: usize = 64;

/// Bytes of a piece of output, about.
const PIECE_BYTES: usize = 512 * 1024;

/// Pieces of one part that wait for the parts before it.
const PIECES_WAITING: usize = 24;

/// Sorted rows in memory and on disk.
pub(super) struct Pool {
    pub(super) ranked: SortedGeneration,
    pub(super) runs: Vec<Run>,
    pub(super) kept: KeptRuns,
    pub(super) folder: PathBuf,
}

impl Pool {
    fn merge(&self, from: &[u8], until: Option<Vec<u8>>) -> Result<Merge<'_>, LinkError> {
        let in_parts = (!self.ranked.is_empty()).then(|| Stream::of_parts(&self.ranked, from, until.as_deref()));
        let runs = self.runs.iter().map(|run| Stream::of_run(run, from));
        Merge::new(in_parts.into_iter().chain(runs).collect(), from, until).map_err(|error| self.error(error))
    }

    pub(super) fn error(&self, error: io::Error) -> LinkError {
        LinkError::Run { folder: self.folder.clone(), why: error.to_string() }
    }

    /// Targets that cut the rows into parts of about the same size.
    fn cuts(&self) -> Vec<Vec<u8>> {
        let in_memory = (0..self.ranked.parts()).flat_map(|part| {
            let samples = self.ranked.rows_in(part).div_ceil(ROWS_PER_SAMPLE);
            std::iter::repeat_n(self.ranked.first_target(part), samples)
        });
        let mut samples: Vec<&[u8]> = in_memory.chain(self.runs.iter().flat_map(Run::samples)).collect();
        samples.sort_unstable();
        let part = MIN_PART_BLOCKS.max(self.runs.len() * PART_BLOCKS_PER_STREAM);
        let mut cuts: Vec<Vec<u8>> = samples.into_iter().skip(part).step_by(part).map(<[u8]>::to_vec).collect();
        // Each part of what is in memory is put in order as a whole: where there
        // are enough of them, none is cut.
        if self.ranked.parts() >= cuts.len().min(ENOUGH_PARTS) {
            cuts.iter_mut().for_each(|cut| self.ranked.first_of_part_with(cut));
        }
        cuts.dedup();
        cuts.retain(|cut| !cut.is_empty());
        cuts
    }
}

/// Sorted rows, each once.
pub struct Sorted {
    pool: Pool,
    report: ShuffleReport,
    cx: JobCx,
}

impl Sorted {
    pub(super) fn new(pool: Pool, report: ShuffleReport, cx: JobCx) -> Self {
        Self { pool, report, cx }
    }

    /// Gives every row to `take`. Counts rows as done with the job, which can cancel it.
    pub fn for_each<E: From<LinkError>>(&mut self, mut take: impl FnMut(Row<'_>) -> Result<(), E>) -> Result<(), E> {
        let mut failed = None;
        self.in_one(|rows| {
            while let Some(merge) = rows.next()? {
                let Some(row) = merge.row().decode() else { return Err(rows.broken()) };
                if let Err(error) = take(row) {
                    failed = Some(error);
                    break;
                }
            }
            Ok(())
        })?;
        failed.map_or(Ok(()), Err)
    }

    /// Counts of the sort; complete after the last row.
    pub fn report(&self) -> ShuffleReport {
        self.report
    }

    /// Removes runs that were kept, when the result is where it shall stay.
    ///
    /// # Errors
    ///
    /// Errors of the system where they cannot be removed.
    pub fn remove_kept(&self) -> io::Result<()> {
        self.pool.kept.remove(&self.pool.folder)
    }

    /// Gives all rows to `work`, on this thread.
    pub(super) fn in_one(
        &mut self,
        work: impl FnOnce(&mut PartRows<'_, '_>) -> Result<(), LinkError>,
    ) -> Result<(), LinkError> {
        let merge = self.pool.merge(b"", None)?;
        let mut rows = PartRows { merge, pool: &self.pool, cx: &self.cx, over: &AtomicBool::new(false), count: 0 };
        work(&mut rows)?;
        self.report.duplicates += rows.merge.duplicates();
        Ok(())
    }

    /// Lets `threads` threads turn parts of the rows into bytes, and gives the
    /// bytes to `write` in the order of the rows. `work` gets the rows of some
    /// targets, all of each, and a place for the bytes.
    pub(super) fn in_parts<R: Send>(
        &mut self,
        threads: usize,
        work: impl Fn(&mut PartRows<'_, '_>, &mut Pieces<'_>) -> Result<R, LinkError> + Sync,
        mut write: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<Vec<R>, LinkError> {
        let cuts = self.pool.cuts();
        let parts = cuts.len() + 1;
        let ends = (0..parts).map(|_| bounded::<Sent<R>>(PIECES_WAITING));
        let (mut senders, receivers): (Vec<_>, Vec<_>) = ends.map(|(to, from)| (Some(to), from)).unzip();
        // Nobody runs far ahead of what is written: memory is bounded.
        let tickets = threads.max(1) + 1;
        let (give_ticket, take_ticket) = bounded::<()>(tickets);
        for _ in 0..tickets {
            let _ = give_ticket.send(());
        }
        let (next, over) = (AtomicUsize::new(0), AtomicBool::new(false));
        // Memory that was written out is used again.
        let spare = Mutex::new(Vec::new());
        let senders = Mutex::new(&mut senders);
        let (pool, cx) = (&self.pool, &self.cx);
        let mut duplicates = 0;
        let results = std::thread::scope(|scope| {
            let worker = || {
                while take_ticket.recv().is_ok() && !over.load(Ordering::Relaxed) {
                    let part = next.fetch_add(1, Ordering::Relaxed);
                    let sender = senders.lock().ok().and_then(|mut all| all.get_mut(part).and_then(Option::take));
                    let Some(sender) = sender else { return };
                    let from = part.checked_sub(1).and_then(|before| cuts.get(before)).map_or(&b""[..], Vec::as_slice);
                    let done = pool.merge(from, cuts.get(part).cloned()).and_then(|merge| {
                        let mut rows = PartRows { merge, pool, cx, over: &over, count: 0 };
                        let send = |piece| sender.send(Sent::Piece(piece)).is_ok();
                        let mut pieces = Pieces { bytes: Vec::new(), send: &send, spare: &spare };
                        let result = work(&mut rows, &mut pieces)?;
                        pieces.flush();
                        Ok((result, rows.merge.duplicates()))
                    });
                    // Nobody listens any more where writing failed.
                    let _ = sender.send(match done {
                        Ok((result, duplicates)) => Sent::Done(result, duplicates),
                        Err(error) => Sent::Failed(error),
                    });
                }
            };
            (0..threads.max(1)).for_each(|_| drop(scope.spawn(worker)));
            let mut results = Vec::with_capacity(parts);
            let outcome = (|| {
                for receiver in &receivers {
                    loop {
                        match receiver.recv() {
                            Ok(Sent::Piece(mut piece)) => {
                                write(&piece).map_err(LinkError::Output)?;
                                piece.clear();
                                // One object can be much larger than a piece.
                                if piece.capacity() <= 2 * PIECE_BYTES {
                                    lock(&spare).push(piece);
                                }
                            }
                            Ok(Sent::Done(result, found)) => {
                                results.push(result);
                                duplicates += found;
                                break;
                            }
                            Ok(Sent::Failed(error)) => return Err(error),
                            Err(_) => return Err(pool.error(io::Error::other("a thread broke down"))),
                        }
                    }
                    let _ = give_ticket.try_send(());
                }
                Ok(())
            })();
            // Wakes those that wait for a ticket or for somebody to read.
            over.store(true, Ordering::Relaxed);
            drop(receivers);
            drop(give_ticket);
            outcome.map(|()| results)
        })?;
        self.report.duplicates += duplicates;
        Ok(results)
    }
}

enum Sent<R> {
    Piece(Vec<u8>),
    Done(R, u64),
    Failed(LinkError),
}

/// Buffer of bytes to be written.
pub(super) struct Pieces<'s> {
    bytes: Vec<u8>,
    send: &'s dyn Fn(Vec<u8>) -> bool,
    spare: &'s Mutex<Vec<Vec<u8>>>,
}

fn lock(spare: &Mutex<Vec<Vec<u8>>>) -> MutexGuard<'_, Vec<Vec<u8>>> {
    spare.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pieces<'_> {
    /// Buffer to append to.
    pub(super) fn bytes(&mut self) -> &mut Vec<u8> {
        if self.bytes.len() >= PIECE_BYTES {
            self.flush();
        }
        &mut self.bytes
    }

    fn flush(&mut self) {
        if !self.bytes.is_empty() {
            let fresh = lock(self.spare).pop().unwrap_or_else(|| Vec::with_capacity(PIECE_BYTES + PIECE_BYTES / 8));
            let piece = std::mem::replace(&mut self.bytes, fresh);
            (self.send)(piece);
        }
    }
}

/// The rows of a part.
pub(super) struct PartRows<'p, 's> {
    merge: Merge<'s>,
    pool: &'p Pool,
    cx: &'p JobCx,
    over: &'p AtomicBool,
    count: u64,
}

impl<'s> PartRows<'_, 's> {
    /// The next row, if there is one.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<&Merge<'s>>, LinkError> {
        self.count += 1;
        if self.count.is_multiple_of(ROWS_PER_CHECK) {
            if self.over.load(Ordering::Relaxed) {
                return Err(crate::jobs::Cancelled.into());
            }
            self.cx.advance(ROWS_PER_CHECK)?;
        }
        let more = self.merge.advance().map_err(|error| self.pool.error(error))?;
        Ok(more.then_some(&self.merge))
    }

    pub(super) fn broken(&self) -> LinkError {
        self.pool.error(io::Error::other("bytes that are no row"))
    }
}
