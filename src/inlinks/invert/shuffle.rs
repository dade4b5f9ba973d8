//! External merge sort of links and captures.
//!
//! Threads that bring rows gather them in one generation: texts once each, and
//! rows as numbers. When both together do not fit the memory, targets are cut
//! into parts ([`super::split`]), and rows go to the disk by part, once.
//! When its texts grow too large, all threads together sort it and write it as
//! runs, and the next one begins. At the end the last generation and the runs
//! are merged ([`Sorted`]).

use super::super::workers::on_threads;
use super::LinkError;
use super::batch::RowBatch;
use super::dictionary::MAX_ROW_BYTES;
use super::generation::{Finder, Generation, PartSoFar};
use super::kept::{InputRange, KeptRun, KeptRuns, ProcessedInput, ResumeDir};
use super::merge::{Merge, Stream};
use super::notes::Notes;
use super::ranked::{NumberedRun, RunOptions, SortedGeneration};
use super::row::{LinkRow, TargetCapture};
use super::run::{READER_BYTES, Run, RunWriter, run_path};
use super::sorted::{Pool, ROWS_PER_CHECK, ShuffleReport, Sorted};
use crate::jobs::{JobCx, free_bytes};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

/// Default of the memory that sorting takes.
pub const DEFAULT_MEMORY_BYTES: usize = 512 * 1024 * 1024;

/// Less than this is not worth a run; tests go below.
const LEAST_BYTES: usize = 4 * 1024;

/// Percentage of the memory that texts may take before a generation ends, and texts and rows together before
/// rows go to the disk.
const TEXTS_OF_MEMORY: usize = 60;
const ALL_OF_MEMORY: usize = 68;

/// Percentage of the memory that rows take on their way to the disk.
const OPEN_OF_MEMORY: usize = 10;

/// Divisor of the memory for a generation where runs are kept: a build that was killed loses what was not
/// written yet.
const KEPT_GENERATIONS: usize = 4;

/// Where runs are kept, rows of one thread behind its last mark take at most
/// this part of the memory, or so many bytes; more come in without it, and are
/// brought again where the build is taken up.
const UNMARKED_OF_MEMORY: usize = 16;
const UNMARKED_BYTES: usize = 4 << 20;
const MOST_UNMARKED_BYTES: usize = 64 << 20;

/// Rows that wait to be looked up take at most this part of the memory.
const BATCH_OF_MEMORY: usize = 64;

/// Runs that are merged at once at most: each needs an open file.
const MAX_RUNS_AT_ONCE: usize = 96;

/// Room that is left on a disk for others, in bytes.
const DISK_FLOOR_BYTES: u64 = 32 * 1024 * 1024;

/// Options for sorting rows.
#[derive(Debug, Clone)]
pub struct ShuffleOptions {
    /// Memory that rows may take, in bytes.
    pub memory_bytes: usize,
    /// Where sorted runs go; the system's folder for temporary files by default.
    pub temp_folder: Option<PathBuf>,
    /// Threads that bring rows, and that merge at the end.
    pub threads: usize,
    /// Keep the runs, so that a build that was killed goes on from them.
    pub keep: Option<ResumeDir>,
}

impl Default for ShuffleOptions {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        Self { memory_bytes: DEFAULT_MEMORY_BYTES, temp_folder: None, threads, keep: None }
    }
}

impl ShuffleOptions {
    /// Folder of the runs.
    pub fn folder(&self) -> PathBuf {
        match &self.keep {
            Some(keep) => keep.folder.clone(),
            None => self.temp_folder.clone().unwrap_or_else(std::env::temp_dir),
        }
    }

    /// Warning that there may be too little room on the disk for rows of so many bytes; none where they fit.
    pub fn room_warning(&self, row_bytes: u64) -> Option<String> {
        let folder = self.folder();
        let free = free_bytes(&folder).ok()?;
        let in_memory = if self.keep.is_some() { 0 } else { self.memory_bytes as u64 };
        let need = row_bytes.saturating_sub(in_memory).saturating_add(DISK_FLOOR_BYTES);
        (row_bytes > in_memory && free < need).then(|| {
            format!(
                "sorting may need {} MiB in {} and {} MiB are free there: choose another folder, or give more memory",
                need >> 20,
                folder.display(),
                free >> 20
            )
        })
    }
}

/// Rows that one thread brings.
#[derive(Default)]
struct Local {
    batch: RowBatch,
    finder: Finder,
    /// Where runs are kept: rows behind the last mark, that come into a
    /// generation together with it.
    unmarked: Vec<RowBatch>,
    unmarked_bytes: usize,
    /// Links and captures behind the last mark that had to come in without it.
    ahead: (u64, u64),
}

/// State that threads share.
struct Shared {
    folder: PathBuf,
    keep: bool,
    memory_bytes: usize,
    threads: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    report: ShuffleReport,
    runs: Vec<Run>,
    kept: KeptRuns,
}

/// Takes rows in any order.
pub struct Shuffle {
    /// What this thread brings.
    local: Mutex<Local>,
    notes: Notes,
    core: Core,
}

struct Core {
    shared: Shared,
    /// Written to only where a generation ends or is split, when nobody may add to it.
    generation: RwLock<Generation>,
    /// Rows of a generation were lost: what comes after must not count.
    failed: AtomicBool,
    /// First error that could not be returned.
    first_error: Mutex<Option<LinkError>>,
    cx: JobCx,
}

impl Shuffle {
    /// `cx` cancels the sort.
    ///
    /// # Errors
    ///
    /// [`LinkError::Run`] where runs that were kept cannot be read.
    pub fn new(options: &ShuffleOptions, cx: &JobCx) -> Result<Self, LinkError> {
        let threads = options.threads.max(1);
        let (mut state, mut notes) = (State::default(), Notes::default());
        if let Some(keep) = &options.keep {
            let (kept, runs) = KeptRuns::open(keep)?;
            state.report.links = kept.runs.iter().map(|run| run.links).sum();
            state.report.captures = kept.runs.iter().map(|run| run.captures).sum();
            state.report.duplicates = kept.runs.iter().map(|run| run.duplicates).sum();
            (state.report.runs, state.report.spilled_bytes) = kept.written;
            notes = kept.notes();
            (state.kept, state.runs) = (kept, runs);
        }
        let shared = Shared {
            folder: options.folder(),
            keep: options.keep.is_some(),
            memory_bytes: options.memory_bytes.max(LEAST_BYTES),
            threads,
            state: Mutex::new(state),
        };
        let generation = RwLock::new(Generation::new(threads));
        let core =
            Core { shared, generation, failed: AtomicBool::new(false), first_error: Mutex::default(), cx: cx.clone() };
        Ok(Self { local: Mutex::default(), notes, core })
    }

    /// Takes a link.
    pub fn push_link(&mut self, link: &LinkRow<'_>) -> Result<(), LinkError> {
        self.core.push_link(self.local.get_mut().unwrap_or_else(PoisonError::into_inner), link)
    }

    /// Takes a capture.
    pub fn push_capture(&mut self, capture: &TargetCapture<'_>) -> Result<(), LinkError> {
        self.core.push_capture(self.local.get_mut().unwrap_or_else(PoisonError::into_inner), capture)
    }

    /// Makes a writer for another thread that brings rows.
    pub fn row_writer(&self) -> RowWriter<'_> {
        RowWriter { local: Local::default(), core: &self.core }
    }

    /// Number of threads that may bring rows at once.
    pub fn threads(&self) -> usize {
        self.core.shared.threads
    }

    /// Parts of the input in runs that were kept of an earlier build.
    pub fn done(&self) -> ProcessedInput {
        self.core.shared.state().kept.done()
    }

    /// Notes of an earlier build on the input of its runs.
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// Counts so far, without the last rows of the writers.
    pub fn report(&self) -> ShuffleReport {
        self.core.add_rows(&mut self.local.lock().unwrap_or_else(PoisonError::into_inner));
        let mut report = self.core.shared.state().report;
        let generation = self.core.generation();
        let rows = generation.rows();
        report.links += rows.links;
        report.captures += rows.captures;
        report
    }

    /// No more rows come: sorts, and merges as far as needed.
    pub fn finish(self) -> Result<Sorted, LinkError> {
        self.core.add_rows(&mut self.local.lock().unwrap_or_else(PoisonError::into_inner));
        self.core.check_failed()?;
        self.core.cx.checkpoint()?;
        let generation = self.core.generation.into_inner().unwrap_or_else(PoisonError::into_inner);
        let shared = &self.core.shared;
        let ranked = shared.rank(generation, shared.keep, &self.core.cx)?;
        // Each thread then merges runs of its own part.
        let at_once = shared.runs_at_once(shared.threads);
        shared.merge_down(at_once, &self.core.cx)?;
        let state = std::mem::take(&mut *shared.state());
        let pool = Pool { ranked, runs: state.runs, kept: state.kept, folder: shared.folder.clone() };
        Ok(Sorted::new(pool, state.report, self.core.cx.clone()))
    }
}

/// Brings rows from a thread of its own.
pub struct RowWriter<'s> {
    local: Local,
    core: &'s Core,
}

impl RowWriter<'_> {
    /// Takes a link.
    pub fn push_link(&mut self, link: &LinkRow<'_>) -> Result<(), LinkError> {
        self.core.push_link(&mut self.local, link)
    }

    /// Takes a capture.
    pub fn push_capture(&mut self, capture: &TargetCapture<'_>) -> Result<(), LinkError> {
        self.core.push_capture(&mut self.local, capture)
    }

    /// Whether a row of so many bytes would be taken.
    ///
    /// # Errors
    ///
    /// [`LinkError::RowTooLarge`].
    pub fn check_row(&self, row_bytes: usize) -> Result<(), LinkError> {
        self.core.check(row_bytes)
    }

    /// Says that all rows of the places `from..to` in a part of the input (a
    /// file) were brought, by this thread, and what was noted there. Where runs
    /// are kept, [`Shuffle::done`] and [`Shuffle::notes`] of a later build know
    /// of it.
    pub fn mark(&mut self, unit: u32, from: u64, to: u64, notes: &Notes) -> Result<(), LinkError> {
        if !self.core.shared.keep {
            return Ok(());
        }
        let is_full = {
            let generation = self.core.generation();
            self.core.check_failed()?;
            self.core.add_to(&generation, &mut self.local, Some((InputRange { unit, from, to }, notes)))?;
            self.core.shared.is_full(&generation)
        };
        if is_full { self.core.end_generation() } else { Ok(()) }
    }
}

impl Drop for RowWriter<'_> {
    fn drop(&mut self) {
        self.core.add_rows(&mut self.local);
    }
}

impl Local {
    /// Adds all rows to a generation. `covered` says that they end a stretch
    /// of the input, and what was noted there.
    fn add_to(
        &mut self,
        generation: &Generation,
        folder: &Path,
        covered: Option<(InputRange, &Notes)>,
    ) -> io::Result<()> {
        for batch in self.unmarked.drain(..).chain([std::mem::take(&mut self.batch)]) {
            generation.take(&batch, &mut self.finder, folder)?;
            self.ahead.0 += batch.links;
            self.ahead.1 += batch.captures;
            // The memory is used again.
            self.batch = batch;
        }
        self.batch.clear();
        self.unmarked_bytes = 0;
        if let Some((covered, notes)) = covered {
            let mut rows = generation.rows();
            let (links, captures) = std::mem::take(&mut self.ahead);
            rows.marked.0 += links;
            rows.marked.1 += captures;
            covered.add_to(&mut rows.covered);
            rows.notes.add(notes);
        }
        Ok(())
    }

    /// Lets the rows wait for their mark.
    fn set_aside(&mut self) {
        self.unmarked_bytes += self.batch.bytes();
        self.unmarked.push(std::mem::take(&mut self.batch));
    }
}

impl Core {
    fn push_link(&self, local: &mut Local, link: &LinkRow<'_>) -> Result<(), LinkError> {
        let texts = [link.target, link.target_url, link.source, link.source_url, link.anchor];
        self.check(texts.iter().map(|text| text.len()).sum())?;
        local.batch.push_link(link);
        self.after_row(local)
    }

    fn push_capture(&self, local: &mut Local, capture: &TargetCapture<'_>) -> Result<(), LinkError> {
        self.check(capture.target.len())?;
        local.batch.push_capture(capture);
        self.after_row(local)
    }

    #[inline]
    fn check(&self, row_bytes: usize) -> Result<(), LinkError> {
        let most_bytes = self.shared.memory_bytes.min(MAX_ROW_BYTES);
        if row_bytes > most_bytes { Err(LinkError::RowTooLarge { row_bytes, most_bytes }) } else { Ok(()) }
    }

    #[inline]
    fn after_row(&self, local: &mut Local) -> Result<(), LinkError> {
        if local.batch.is_full(self.shared.memory_bytes / BATCH_OF_MEMORY) { self.flush(local) } else { Ok(()) }
    }

    /// Adds the rows of a thread to the generation, and makes room where there is none.
    fn flush(&self, local: &mut Local) -> Result<(), LinkError> {
        self.cx.checkpoint()?;
        if self.shared.keep && local.unmarked_bytes < self.shared.may_wait() {
            local.set_aside();
            return Ok(());
        }
        let is_full = {
            let generation = self.generation();
            self.check_failed()?;
            self.add_to(&generation, local, None)?;
            let is_full = self.shared.is_full(&generation);
            if !is_full && self.shared.has_many_rows(&generation) {
                drop(generation);
                return self.split();
            }
            is_full
        };
        if is_full { self.end_generation() } else { Ok(()) }
    }

    /// Sends rows to the disk from now on, those that are there first, while all threads wait.
    fn split(&self) -> Result<(), LinkError> {
        let mut generation = self.generation.write().unwrap_or_else(PoisonError::into_inner);
        self.check_failed()?;
        // Another thread may have done it meanwhile.
        if !self.shared.has_many_rows(&generation) {
            return Ok(());
        }
        let (generation, shared) = (&mut *generation, &self.shared);
        let split = shared.check_room(generation.row_bytes() as u64).and_then(|()| {
            let open_bytes = shared.part_of_memory(OPEN_OF_MEMORY);
            let split = on_threads(shared.threads, || generation.split(open_bytes, &shared.folder));
            split.map_err(|error| shared.temp_error(error))
        });
        self.note(split)
    }

    /// Adds all rows of a thread to the generation.
    fn add_to(
        &self,
        generation: &Generation,
        local: &mut Local,
        covered: Option<(InputRange, &Notes)>,
    ) -> Result<(), LinkError> {
        let shared = &self.shared;
        let room = if generation.is_split() { shared.check_room(generation.row_bytes() as u64) } else { Ok(()) };
        let added = room
            .and_then(|()| local.add_to(generation, &shared.folder, covered).map_err(|error| shared.temp_error(error)));
        self.note(added)
    }

    /// Adds the last rows of a thread, which cannot return an error: it is kept.
    fn add_rows(&self, local: &mut Local) {
        if let Err(error) = self.add_to(&self.generation(), local, None) {
            self.first_error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }

    fn generation(&self) -> RwLockReadGuard<'_, Generation> {
        self.generation.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sorts the generation and writes it as runs, while all threads wait.
    fn end_generation(&self) -> Result<(), LinkError> {
        let mut generation = self.generation.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have done it meanwhile.
        if !self.shared.is_full(&generation) {
            return Ok(());
        }
        self.check_failed()?;
        let full = std::mem::replace(&mut *generation, Generation::new(self.shared.threads));
        // Until it is written, rows of all threads hang on this one.
        self.failed.store(true, Ordering::Relaxed);
        self.shared.rank(full, true, &self.cx)?;
        self.shared.close_files(&self.cx)?;
        self.failed.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Other threads have to know of an error: rows of theirs may be lost.
    fn note(&self, done: Result<(), LinkError>) -> Result<(), LinkError> {
        self.failed.fetch_or(done.is_err(), Ordering::Relaxed);
        done
    }

    /// An error, where another thread has met one.
    fn check_failed(&self) -> Result<(), LinkError> {
        if !self.failed.load(Ordering::Relaxed) {
            return Ok(());
        }
        let first_error = self.first_error.lock().unwrap_or_else(PoisonError::into_inner).take();
        Err(first_error.unwrap_or_else(|| crate::jobs::Cancelled.into()))
    }
}

impl Shared {
    /// A panic while it is held leaves plain values.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn temp_error(&self, source: io::Error) -> LinkError {
        match source.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
                LinkError::Run { folder: self.folder.clone(), why: source.to_string() }
            }
            _ => LinkError::Temp { folder: self.folder.clone(), source },
        }
    }

    /// Bytes of rows behind its last mark that a thread may hold.
    fn may_wait(&self) -> usize {
        (self.memory_bytes / UNMARKED_OF_MEMORY / self.threads).clamp(UNMARKED_BYTES, MOST_UNMARKED_BYTES)
    }

    /// Runs that so many threads may each merge at once.
    fn runs_at_once(&self, threads: usize) -> usize {
        (self.memory_bytes / (4 * threads * READER_BYTES)).clamp(2, MAX_RUNS_AT_ONCE)
    }

    /// Merges runs until there are at most `most`.
    fn merge_down(&self, most: usize, cx: &JobCx) -> Result<(), LinkError> {
        let at_once = self.runs_at_once(1);
        loop {
            let state = &mut *self.state();
            if state.runs.len() <= most {
                return Ok(());
            }
            // The oldest runs, and not more than needed.
            let take = at_once.min(state.runs.len() - most + 1).max(2);
            let some: Vec<Run> = state.runs.drain(..take).collect();
            self.merge_runs(state, &some, cx)?;
        }
    }

    /// Merges runs where there are many: each has a file open.
    fn close_files(&self, cx: &JobCx) -> Result<(), LinkError> {
        let runs = self.state().runs.len();
        if runs > 2 * MAX_RUNS_AT_ONCE { self.merge_down(MAX_RUNS_AT_ONCE, cx) } else { Ok(()) }
    }

    /// Whether the generation has to end.
    fn is_full(&self, generation: &Generation) -> bool {
        let texts = generation.text_bytes();
        let is_full = match self.keep {
            true => texts + generation.row_bytes() >= (self.memory_bytes / KEPT_GENERATIONS).max(LEAST_BYTES),
            false => texts >= self.part_of_memory(TEXTS_OF_MEMORY),
        };
        is_full || generation.is_crowded()
    }

    fn part_of_memory(&self, hundredths: usize) -> usize {
        self.memory_bytes / 100 * hundredths
    }

    /// Whether rows should go to the disk, and do not yet.
    fn has_many_rows(&self, generation: &Generation) -> bool {
        let bytes = || generation.text_bytes() + generation.row_bytes();
        !generation.is_split() && bytes() >= self.part_of_memory(ALL_OF_MEMORY)
    }

    /// Puts a generation in order. What is `written` comes as runs, and what
    /// is left is none.
    fn rank(&self, mut generation: Generation, written: bool, cx: &JobCx) -> Result<SortedGeneration, LinkError> {
        generation.settle();
        let number = || self.state().kept.next_number();
        let making = RunOptions {
            threads: self.threads,
            memory_bytes: self.memory_bytes,
            folder: &self.folder,
            number: self.keep.then_some(&number),
            cx,
        };
        let (links, captures, covered, notes, marked, on_disk, again) = {
            let mut rows = generation.rows();
            let (covered, on_disk) =
                (std::mem::take(&mut rows.covered), rows.parts.iter().map(PartSoFar::bytes).sum::<u64>());
            let notes = std::mem::take(&mut rows.notes);
            (rows.links, rows.captures, covered, notes, rows.marked, on_disk, making.bytes_again(&rows.parts))
        };
        if written {
            self.check_room((generation.text_bytes() + generation.row_bytes()) as u64 + on_disk + again)?;
        } else if again > 0 {
            self.check_room(again)?;
        }
        let failed = |error| cx.checkpoint().map_or_else(LinkError::from, |()| self.temp_error(error));
        let (mut ranked, mut large) = SortedGeneration::new(generation, making).map_err(failed)?;
        if written {
            let all = ranked.write_all(making).map_err(failed)?;
            large.runs.extend(all.runs);
            large.duplicates += all.duplicates;
        }
        let mut state = self.state();
        state.report.links += links;
        state.report.captures += captures;
        state.report.duplicates += large.duplicates;
        state.report.spilled_bytes += ranked.spooled_bytes();
        self.add_runs(
            &mut state,
            large.runs,
            KeptRun {
                links: marked.0,
                captures: marked.1,
                duplicates: large.duplicates,
                covered,
                notes,
                ..KeptRun::default()
            },
        )?;
        if written {
            ranked = SortedGeneration::default();
        }
        Ok(ranked)
    }

    /// `whole` says what is in all of them.
    fn add_runs(&self, state: &mut State, runs: Vec<NumberedRun>, whole: KeptRun) -> Result<(), LinkError> {
        let mut whole = Some(whole);
        let mut kept = Vec::new();
        for (number, run) in runs {
            state.report.runs += 1;
            state.report.spilled_bytes += run.bytes();
            // Rows behind the last mark are brought again when the build is taken up.
            kept.push(KeptRun { number, bytes: run.bytes(), ..whole.take().unwrap_or_default() });
            state.runs.push(run);
        }
        if self.keep && !kept.is_empty() {
            state.kept.add(&self.folder, kept).map_err(|error| self.temp_error(error))?;
        }
        Ok(())
    }

    fn name_of(&self, number: u64) -> Option<PathBuf> {
        self.keep.then(|| run_path(&self.folder, number))
    }

    fn check_room(&self, need_bytes: u64) -> Result<(), LinkError> {
        let Ok(free_bytes) = free_bytes(&self.folder) else { return Ok(()) };
        let need_bytes = need_bytes + DISK_FLOOR_BYTES;
        if free_bytes >= need_bytes {
            return Ok(());
        }
        Err(LinkError::NoRoom { folder: self.folder.clone(), free_bytes, need_bytes })
    }

    /// Makes one run of several.
    fn merge_runs(&self, state: &mut State, some: &[Run], cx: &JobCx) -> Result<(), LinkError> {
        self.check_room(some.iter().map(Run::bytes).sum())?;
        let number = state.kept.next_number();
        let merge = || -> io::Result<Option<(Run, u64)>> {
            let mut merge = Merge::new(some.iter().map(|run| Stream::of_run(run, b"")).collect(), b"", None)?;
            let mut writer = RunWriter::create(&self.folder, self.name_of(number).as_deref())?;
            let mut count = 0_u64;
            while merge.advance()? {
                writer.write(&merge.row(), !merge.is_new_target())?;
                count += 1;
                if count.is_multiple_of(ROWS_PER_CHECK) && cx.checkpoint().is_err() {
                    return Ok(None);
                }
            }
            Ok(Some((writer.finish(self.keep)?, merge.duplicates())))
        };
        let (run, duplicates) = merge().map_err(|error| self.temp_error(error))?.ok_or(crate::jobs::Cancelled)?;
        state.report.runs += 1;
        state.report.spilled_bytes += run.bytes();
        state.report.duplicates += duplicates;
        if self.keep {
            state
                .kept
                .replace(&self.folder, some.len(), number, run.bytes(), duplicates)
                .map_err(|error| self.temp_error(error))?;
        }
        state.runs.push(run);
        Ok(())
    }
}
