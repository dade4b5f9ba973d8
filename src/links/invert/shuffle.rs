//! The external merge sort.
//!
//! Rows are gathered in arenas, one for each thread that brings rows, together
//! as large as the memory given: the fewer there are, the less there is to
//! merge, and the fewer texts are kept twice. A full one is sorted and written
//! as a run by its thread. At the end the arenas in memory and the runs are
//! merged ([`Sorted`]).

use super::LinkError;
use super::arena::Arena;
use super::kept::{Covered, Done, Keep, KeptRun, KeptRuns};
use super::merge::{Merge, Stream};
use super::row::{CaptureRow, LinkRow};
use super::run::{READER_BYTES, Run, RunWriter, run_path};
use super::sorted::{Pool, Sorted};
use crate::jobs::{JobCx, free_bytes};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Memory that sorting takes unless told otherwise.
pub const DEFAULT_MEMORY_BYTES: usize = 512 * 1024 * 1024;

/// Less than this is not worth a run; tests go below.
const MIN_ARENA_BYTES: usize = 4 * 1024;

/// Positions in an arena are 32 bits wide.
const MAX_ARENA_BYTES: usize = 1 << 30;

/// Where runs are kept, one arena takes at most this part of the memory: a
/// build that was killed loses what was not written yet.
const KEPT_ARENAS: usize = 8;

/// Runs that are merged at once at most: each needs an open file.
const MAX_RUNS_AT_ONCE: usize = 96;

/// Room that is left on a disk for others, in bytes.
const DISK_FLOOR_BYTES: u64 = 32 * 1024 * 1024;

/// Rows between two looks at the wish to stop.
pub(super) const ROWS_PER_CHECK: u64 = 4096;

/// How rows are sorted.
#[derive(Debug, Clone)]
pub struct ShuffleOptions {
    /// Memory that rows may take, in bytes.
    pub memory_bytes: usize,
    /// Where sorted runs go; the system's folder for temporary files by default.
    pub temp_folder: Option<PathBuf>,
    /// Threads that bring rows, and that merge at the end.
    pub threads: usize,
    /// Keep the runs, so that a build that was killed goes on from them.
    pub keep: Option<Keep>,
}

impl Default for ShuffleOptions {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        Self { memory_bytes: DEFAULT_MEMORY_BYTES, temp_folder: None, threads, keep: None }
    }
}

impl ShuffleOptions {
    /// Where runs go.
    pub fn folder(&self) -> PathBuf {
        match &self.keep {
            Some(keep) => keep.folder.clone(),
            None => self.temp_folder.clone().unwrap_or_else(std::env::temp_dir),
        }
    }

    /// Says in words that there may be too little room on the disk for rows
    /// of so many bytes; nothing where they fit.
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

/// What a sort did.
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
    /// Bytes written to disk, compressed.
    pub spilled_bytes: u64,
}

/// Rows that one thread brings.
#[derive(Default)]
struct Local {
    arena: Arena,
    links: u64,
    captures: u64,
    covered: Vec<Covered>,
    /// Links and captures when the last stretch of the input was covered.
    marked: (u64, u64),
    /// Runs that hold rows behind a mark: those would be brought again when the
    /// build is taken up, so they are listed together with the run behind them.
    unlisted: Vec<(Run, KeptRun)>,
}

/// What threads share.
struct Shared {
    folder: PathBuf,
    keep: bool,
    memory_bytes: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    report: ShuffleReport,
    arenas: Vec<Arena>,
    runs: Vec<Run>,
    kept: KeptRuns,
    /// Arenas that were not full when their thread ended.
    rest: Vec<Local>,
}

/// Takes rows in any order.
pub struct Shuffle {
    /// What this thread brought and no filler has taken up.
    local: Mutex<Local>,
    core: Core,
}

struct Core {
    shared: Shared,
    arena_bytes: usize,
    threads: usize,
    cx: JobCx,
}

impl Shuffle {
    /// `cx` is asked now and then whether to stop.
    pub fn new(options: &ShuffleOptions, cx: &JobCx) -> Self {
        let threads = options.threads.max(1);
        let arena_bytes = match options.keep {
            Some(_) => options.memory_bytes / KEPT_ARENAS.max(2 * (threads + 2)),
            // One for each thread, and half of one for what reading and merging need.
            None => options.memory_bytes * 2 / (2 * threads + 1),
        };
        let arena_bytes = arena_bytes.clamp(MIN_ARENA_BYTES, MAX_ARENA_BYTES);
        let folder = options.folder();
        let mut state = State::default();
        if let Some(keep) = &options.keep {
            let (kept, runs) = KeptRuns::open(keep);
            state.report.links = kept.runs.iter().map(|run| run.links).sum();
            state.report.captures = kept.runs.iter().map(|run| run.captures).sum();
            state.report.duplicates = kept.runs.iter().map(|run| run.duplicates).sum();
            (state.kept, state.runs) = (kept, runs);
        }
        let shared = Shared {
            folder,
            keep: options.keep.is_some(),
            memory_bytes: options.memory_bytes,
            state: Mutex::new(state),
        };
        let core = Core { shared, arena_bytes, threads, cx: cx.clone() };
        Self { local: Mutex::default(), core }
    }

    /// Takes a link.
    pub fn push_link(&mut self, link: &LinkRow<'_>) -> Result<(), LinkError> {
        self.core.push_link(self.local.get_mut().unwrap_or_else(PoisonError::into_inner), link)
    }

    /// Takes a capture.
    pub fn push_capture(&mut self, capture: &CaptureRow<'_>) -> Result<(), LinkError> {
        self.core.push_capture(self.local.get_mut().unwrap_or_else(PoisonError::into_inner), capture)
    }

    /// For another thread that brings rows.
    pub fn filler(&self) -> Filler<'_> {
        // What another one left is taken up, or what was brought before: as
        // many arenas are in memory as bring rows at once.
        let left = self.core.shared.state().rest.pop();
        let local = left.unwrap_or_else(|| std::mem::take(&mut *self.local()));
        Filler { local, core: &self.core }
    }

    fn local(&self) -> MutexGuard<'_, Local> {
        self.local.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many threads may bring rows at once.
    pub fn threads(&self) -> usize {
        self.core.threads
    }

    /// Which parts of the input are in runs that were kept of an earlier build.
    pub fn done(&self) -> Done {
        self.core.shared.state().kept.done()
    }

    /// What was done so far, without what fillers at work have not sorted yet.
    pub fn report(&self) -> ShuffleReport {
        let local = self.local();
        let state = self.core.shared.state();
        let mut report = state.report;
        for local in state.rest.iter().chain([&*local]) {
            report.links += local.links;
            report.captures += local.captures;
        }
        report
    }

    /// No more rows come: sorts, and merges as far as needed.
    pub fn finish(self) -> Result<Sorted, LinkError> {
        let shared = &self.core.shared;
        let mut rest = std::mem::take(&mut shared.state().rest);
        rest.push(self.local.into_inner().unwrap_or_else(PoisonError::into_inner));
        self.core.cx.checkpoint()?;
        rest.retain(|local| {
            local.links + local.captures > 0 || !local.covered.is_empty() || !local.unlisted.is_empty()
        });
        let alone = rest.len() == 1;
        std::thread::scope(|scope| {
            let sorts: Vec<_> = rest.into_iter().map(|local| scope.spawn(|| shared.settle(local, alone))).collect();
            let broke_down = |_| Err(shared.run_error("sorting broke down"));
            sorts.into_iter().try_for_each(|sort| sort.join().unwrap_or_else(broke_down))
        })?;
        let at_once = (shared.memory_bytes / (4 * READER_BYTES)).clamp(2, MAX_RUNS_AT_ONCE);
        loop {
            let state = &mut *shared.state();
            if state.runs.len() <= at_once {
                break;
            }
            // The oldest runs, and not more than needed to get down to one pass.
            let take = at_once.min(state.runs.len() - at_once + 1).max(2);
            let some: Vec<Run> = state.runs.drain(..take).collect();
            shared.merge_runs(state, &some, &self.core.cx)?;
        }
        let state = std::mem::take(&mut *shared.state());
        let pool = Pool { arenas: state.arenas, runs: state.runs, kept: state.kept, folder: shared.folder.clone() };
        Ok(Sorted::new(pool, state.report, self.core.cx.clone()))
    }
}

/// Brings rows from a thread of its own.
pub struct Filler<'s> {
    local: Local,
    core: &'s Core,
}

impl Filler<'_> {
    /// Takes a link.
    pub fn push_link(&mut self, link: &LinkRow<'_>) -> Result<(), LinkError> {
        self.core.push_link(&mut self.local, link)
    }

    /// Takes a capture.
    pub fn push_capture(&mut self, capture: &CaptureRow<'_>) -> Result<(), LinkError> {
        self.core.push_capture(&mut self.local, capture)
    }

    /// Says that all rows of the places `from..to` in a part of the input (a
    /// file) were brought, by this thread. Where runs are kept,
    /// [`Shuffle::done`] of a later build knows of it.
    pub fn mark(&mut self, unit: u32, from: u64, to: u64) -> Result<(), LinkError> {
        if !self.core.shared.keep {
            return Ok(());
        }
        Covered { unit, from, to }.add_to(&mut self.local.covered);
        self.local.marked = (self.local.links, self.local.captures);
        if self.core.is_full(&self.local) { self.core.spill(&mut self.local) } else { Ok(()) }
    }
}

impl Drop for Filler<'_> {
    fn drop(&mut self) {
        self.core.shared.state().rest.push(std::mem::take(&mut self.local));
    }
}

impl Core {
    fn push_link(&self, local: &mut Local, link: &LinkRow<'_>) -> Result<(), LinkError> {
        let texts = [link.target, link.target_url, link.source, link.source_url, link.anchor];
        self.check(local, texts.iter().map(|text| text.len()).sum())?;
        local.links += 1;
        local.arena.push_link(link);
        self.after_row(local)
    }

    fn push_capture(&self, local: &mut Local, capture: &CaptureRow<'_>) -> Result<(), LinkError> {
        self.check(local, capture.target.len())?;
        local.captures += 1;
        local.arena.push_capture(capture);
        self.after_row(local)
    }

    fn check(&self, local: &Local, row_bytes: usize) -> Result<(), LinkError> {
        if (local.links + local.captures).is_multiple_of(ROWS_PER_CHECK) {
            self.cx.checkpoint()?;
        }
        if row_bytes > self.shared.memory_bytes.max(MIN_ARENA_BYTES) {
            return Err(LinkError::RowTooLarge { row_bytes, memory_bytes: self.shared.memory_bytes });
        }
        Ok(())
    }

    fn is_full(&self, local: &Local) -> bool {
        local.arena.used_bytes() >= self.arena_bytes
    }

    #[inline]
    fn after_row(&self, local: &mut Local) -> Result<(), LinkError> {
        // Kept runs end where the input can be taken up again, if that comes soon.
        let limit = if self.shared.keep { self.arena_bytes * 2 } else { self.arena_bytes };
        if local.arena.used_bytes() < limit { Ok(()) } else { self.spill(local) }
    }

    fn spill(&self, local: &mut Local) -> Result<(), LinkError> {
        self.shared.spill(local)?;
        // Tables are kept for the next rows, unless they would fill a small arena themselves.
        if local.arena.used_bytes() > self.arena_bytes / 2 {
            local.arena = Arena::default();
        }
        Ok(())
    }
}

impl Shared {
    /// A panic while it is held leaves plain values.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run_error(&self, why: &str) -> LinkError {
        LinkError::Run { folder: self.folder.clone(), why: why.to_owned() }
    }

    fn temp_error(&self, source: io::Error) -> LinkError {
        LinkError::Temp { folder: self.folder.clone(), source }
    }

    /// Sorts what a thread has, writes it as a run, and leaves the memory empty.
    fn spill(&self, local: &mut Local) -> Result<(), LinkError> {
        let duplicates = self.sort(local, false);
        self.write(local, duplicates, false)?;
        local.arena.clear();
        (local.links, local.captures, local.marked) = (0, 0, (0, 0));
        Ok(())
    }

    /// Sorts what is left when nobody brings rows any more: it stays in
    /// memory, where runs are not kept. `alone` says that no other thread is
    /// at work.
    fn settle(&self, mut local: Local, alone: bool) -> Result<(), LinkError> {
        let duplicates = self.sort(&mut local, alone);
        if self.keep {
            return self.write(&mut local, duplicates, true);
        }
        local.arena.settle();
        self.state().arenas.push(local.arena);
        Ok(())
    }

    /// Says how many duplicates were left out.
    fn sort(&self, local: &mut Local, alone: bool) -> u64 {
        let duplicates = local.arena.sort(alone);
        let mut state = self.state();
        state.report.links += local.links;
        state.report.captures += local.captures;
        state.report.duplicates += duplicates;
        duplicates
    }

    fn write(&self, local: &mut Local, duplicates: u64, is_last: bool) -> Result<(), LinkError> {
        if local.arena.len() > 0 {
            self.check_room(local.arena.used_bytes() as u64)?;
            let number = self.state().kept.next_number();
            let run = self.write_arena(&local.arena, number)?;
            let mut state = self.state();
            state.report.runs += 1;
            state.report.spilled_bytes += run.bytes();
            if !self.keep {
                state.runs.push(run);
                return Ok(());
            }
            // What is not marked at the end is brought again when the build is taken up.
            let (links, captures) = if is_last { local.marked } else { (local.links, local.captures) };
            let kept = KeptRun { number, bytes: run.bytes(), links, captures, duplicates, covered: Vec::new() };
            local.unlisted.push((run, kept));
        }
        if let Some((_, last)) = local.unlisted.last_mut() {
            last.covered.append(&mut local.covered);
        }
        let is_marked = local.marked == (local.links, local.captures);
        if local.unlisted.is_empty() || !is_marked && !is_last {
            return Ok(());
        }
        let (runs, kept): (Vec<Run>, Vec<KeptRun>) = local.unlisted.drain(..).unzip();
        let mut state = self.state();
        state.kept.add(&self.folder, kept).map_err(|error| self.temp_error(error))?;
        state.runs.extend(runs);
        Ok(())
    }

    fn name_of(&self, number: u64) -> Option<PathBuf> {
        self.keep.then(|| run_path(&self.folder, number))
    }

    fn write_arena(&self, arena: &Arena, number: u64) -> Result<Run, LinkError> {
        let write = || {
            let mut writer = RunWriter::create(&self.folder, self.name_of(number).as_deref())?;
            for at in 0..arena.len() {
                arena.look_ahead(at);
                if let Some(row) = arena.row(at) {
                    writer.write(&row, at > 0 && arena.is_same_target(at - 1, at))?;
                }
            }
            writer.finish(self.keep)
        };
        write().map_err(|error| self.temp_error(error))
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
