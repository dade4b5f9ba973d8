//! Runs long work, with progress that can be read at any time, cancel, pause and an outcome; measures free
//! space, locks folders, and names files.
//!
//! Work is a plain function that takes a [`JobCx`]. It knows nothing of
//! windows or command lines; those read [`JobCx::progress`].
//!
//! Invariants: progress is sampled, never sent; a panic ends its job alone and becomes [`Outcome::Panicked`];
//! cancelling never loses data, since work checks for it only where it can stop cleanly.
//!
//! Not here: what the work is about.

mod counted;
mod disk;
mod file_name;
mod filled;
mod guard;
mod in_order;
mod lock;
mod own_file;
mod pace;
mod read;
mod rename;
mod spawn;
mod spill_map;
mod spill_sort;
mod whole_file;

pub use counted::{counted, counted_time, noun, verb};
pub use disk::{disk_full_advice, free_bytes, is_disk_full};
pub use file_name::{ascii_name, end_of_name, is_file_name, plain_name};
pub use filled::{empty_set, filled};
pub use guard::{OnDrop, OnPanic};
pub use in_order::InOrder;
pub use lock::{FileLock, NotLocked};
pub use own_file::{check_readable, create_own, create_private, make_private_folder, open_own, settings_folder};
pub use pace::{Pace, bytes_text, duration_text};
pub use read::{CountedRead, OnStop};
pub use rename::{have_equal_bytes, make_folder, rename_new, sync_folder, sync_tree};
pub use spawn::{JobHandle, Outcome, StopError, Wake, panic_message, spawn};
pub use spill_map::SpillMap;
pub use spill_sort::{SortedLines, SpillSort};
pub use whole_file::{Existing, FileError, WholeFile, remove_left, replace_own, without_path};

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Error of a job that was cancelled and stopped at a clean place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped on request")]
pub struct Cancelled;

/// Progress and control of a running job, shared with those that watch it. Cheap to clone.
#[derive(Clone, Default)]
pub struct JobCx {
    shared: Arc<Shared>,
    counts: Counts,
}

/// Units that are counted as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Counts {
    /// Those of the present stage.
    #[default]
    Stage,
    /// Bytes beside it, counted in its note.
    Aside,
    /// Not counted.
    Nothing,
}

#[derive(Default)]
struct Shared {
    stage: Mutex<Stage>,
    done: AtomicU64,
    aside_bytes: AtomicU64,
    cancelled: AtomicBool,
    obstacles: Mutex<Vec<(&'static str, String)>>,
    paused: Mutex<bool>,
    resumed: Condvar,
}

#[derive(Default, Clone)]
struct Stage {
    name: String,
    total: Option<u64>,
    in_bytes: bool,
    note: String,
    aside: &'static str,
}

/// Snapshot of the progress of a job.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
    /// Name of what the job does now, for a person.
    pub stage: String,
    /// Units done in this stage.
    pub done: u64,
    /// Units there will be, where that is known.
    pub total: Option<u64>,
    /// The units are bytes.
    pub in_bytes: bool,
    /// The current item (a file, a host), or empty.
    pub note: String,
    /// Why the job makes no headway now, or empty. It is shown instead of the note.
    pub obstacle: String,
    /// The job waits until it is resumed.
    pub paused: bool,
    /// The job was cancelled.
    pub cancelled: bool,
}

impl Progress {
    /// Text beside the stage: the obstacle to progress, or the current item.
    pub fn detail(&self) -> &str {
        if self.obstacle.is_empty() { &self.note } else { &self.obstacle }
    }
}

impl JobCx {
    /// A context nobody watches, for tests and plain calls.
    pub fn detached() -> Self {
        Self::default()
    }

    /// This job without its counts, for work beside the present stage.
    pub fn uncounted(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), counts: Counts::Nothing }
    }

    /// As [`JobCx::uncounted`], for bytes on which the bar of the stage does not move: the note names the
    /// action and the bytes until the stage goes on.
    pub fn aside(&self, doing: &'static str) -> Self {
        lock(&self.shared.stage).aside = doing;
        self.shared.aside_bytes.store(0, Ordering::Relaxed);
        Self { shared: Arc::clone(&self.shared), counts: Counts::Aside }
    }

    /// Begins a new stage and sets its counter to zero.
    pub fn stage(&self, name: impl Into<String>, total: Option<u64>) {
        self.begin(Stage { name: name.into(), total, ..Stage::default() });
    }

    /// As [`JobCx::stage`], with bytes as units.
    pub fn stage_in_bytes(&self, name: impl Into<String>, total: Option<u64>) {
        self.begin(Stage { name: name.into(), total, in_bytes: true, ..Stage::default() });
    }

    fn begin(&self, stage: Stage) {
        *lock(&self.shared.stage) = stage;
        self.shared.done.store(0, Ordering::Relaxed);
        self.shared.aside_bytes.store(0, Ordering::Relaxed);
    }

    /// Sets the current item.
    pub fn note(&self, note: impl Into<String>) {
        lock(&self.shared.stage).note = note.into();
        self.shared.aside_bytes.store(0, Ordering::Relaxed);
    }

    /// Says why the job makes no headway, until [`JobCx::clear_obstacle`]. It
    /// is shown instead of the note meanwhile. `name` is that of what is in
    /// the way (`network`, `disk`): a new text replaces the one of this name.
    pub fn set_obstacle(&self, name: &'static str, text: impl Into<String>) {
        let mut obstacles = lock(&self.shared.obstacles);
        let text = text.into();
        match obstacles.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = text,
            None => obstacles.push((name, text)),
        }
    }

    /// The obstacle of this name is out of the way.
    pub fn clear_obstacle(&self, name: &'static str) {
        lock(&self.shared.obstacles).retain(|(known, _)| *known != name);
    }

    /// Why the job makes no headway now, or empty.
    pub fn obstacle(&self) -> String {
        let obstacles = lock(&self.shared.obstacles);
        obstacles.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("; ")
    }

    /// Sets the counter of the present stage.
    pub fn set_done(&self, done: u64) {
        self.shared.done.store(done, Ordering::Relaxed);
    }

    /// Counts `units` as done, waits while paused, and returns whether to go on.
    pub fn advance(&self, units: u64) -> Result<(), Cancelled> {
        match self.counts {
            Counts::Stage => {
                self.shared.done.fetch_add(units, Ordering::Relaxed);
                self.shared.aside_bytes.store(0, Ordering::Relaxed);
            }
            Counts::Aside => drop(self.shared.aside_bytes.fetch_add(units, Ordering::Relaxed)),
            Counts::Nothing => {}
        }
        self.checkpoint()
    }

    /// Waits while paused; `Err` when the job shall stop.
    pub fn checkpoint(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() {
            return Err(Cancelled);
        }
        let mut paused = lock(&self.shared.paused);
        while *paused && !self.is_cancelled() {
            paused = self.shared.resumed.wait(paused).unwrap_or_else(PoisonError::into_inner);
        }
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// Replaces any error of the work by [`Cancelled`] once the job is cancelled.
    pub fn or_cancelled<T, E: From<Cancelled>>(&self, ended: Result<T, E>) -> Result<T, E> {
        ended.map_err(|error| if self.is_cancelled() { Cancelled.into() } else { error })
    }

    /// Asks the job to stop at the next clean place.
    pub fn cancel(&self) {
        // The flag is set under the lock a paused job waits with; otherwise
        // the wake-up could fall between its test and its wait.
        let _paused = lock(&self.shared.paused);
        self.shared.cancelled.store(true, Ordering::SeqCst);
        self.shared.resumed.notify_all();
    }

    /// Whether the job was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::SeqCst)
    }

    /// Makes the job wait at its next clean place, or go on.
    pub fn set_paused(&self, paused: bool) {
        *lock(&self.shared.paused) = paused;
        self.shared.resumed.notify_all();
    }

    /// Whether the job was paused.
    pub fn is_paused(&self) -> bool {
        *lock(&self.shared.paused)
    }

    /// Snapshot of the progress of the job.
    pub fn progress(&self) -> Progress {
        let mut stage = lock(&self.shared.stage).clone();
        let aside_mb = self.shared.aside_bytes.load(Ordering::Relaxed) / 1_000_000;
        if aside_mb > 0 {
            stage.note.push_str(&format!(", {}: {aside_mb} MB", stage.aside));
        }
        Progress {
            stage: stage.name,
            done: self.shared.done.load(Ordering::Relaxed),
            total: stage.total,
            in_bytes: stage.in_bytes,
            note: stage.note,
            obstacle: self.obstacle(),
            paused: self.is_paused(),
            cancelled: self.is_cancelled(),
        }
    }
}

/// A lock that a panicking holder left poisoned still holds plain values.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_job_stops_at_its_next_step() {
        let cx = JobCx::detached();
        cx.stage("Counting", Some(3));
        assert_eq!(cx.advance(1), Ok(()));
        cx.cancel();
        assert_eq!(cx.advance(1), Err(Cancelled));
        assert_eq!(cx.progress().done, 2);
    }

    #[test]
    fn what_is_uncounted_stops_with_its_job() {
        let cx = JobCx::detached();
        assert_eq!(cx.uncounted().advance(5), Ok(()));
        assert_eq!(cx.progress().done, 0);
        cx.cancel();
        assert_eq!(cx.uncounted().advance(5), Err(Cancelled));
    }

    #[test]
    fn bytes_beside_the_stage_are_in_its_note_until_it_goes_on() {
        let cx = JobCx::detached();
        cx.stage_in_bytes("Importing", Some(9_000_000));
        cx.note("file 1 of 2, a.warc.gz");
        let copy = cx.aside("copying");
        assert_eq!(copy.advance(999_999), Ok(()));
        assert_eq!(cx.progress().note, "file 1 of 2, a.warc.gz");
        assert_eq!(copy.advance(3_000_001), Ok(()));
        let progress = cx.progress();
        assert_eq!((progress.done, progress.note.as_str()), (0, "file 1 of 2, a.warc.gz, copying: 4 MB"));
        assert_eq!(cx.advance(1), Ok(()));
        assert_eq!((cx.progress().done, cx.progress().note.as_str()), (1, "file 1 of 2, a.warc.gz"));
    }

    #[test]
    fn an_obstacle_is_shown_until_it_is_gone() {
        let cx = JobCx::detached();
        cx.set_obstacle("network", "Network not reachable since 02:14");
        cx.note("www.example.org");
        cx.set_obstacle("disk", "disk full");
        cx.set_obstacle("network", "Network not reachable since 02:15");
        assert_eq!(cx.progress().obstacle, "Network not reachable since 02:15; disk full");
        cx.clear_obstacle("network");
        cx.clear_obstacle("disk");
        assert_eq!((cx.progress().obstacle.as_str(), cx.progress().note.as_str()), ("", "www.example.org"));
    }

    #[test]
    fn a_paused_job_waits_until_it_is_resumed_or_stopped() {
        let cx = JobCx::detached();
        cx.set_paused(true);
        let worker = std::thread::spawn({
            let cx = cx.clone();
            move || cx.advance(1)
        });
        while cx.progress().done == 0 {
            std::thread::yield_now();
        }
        assert!(!worker.is_finished());
        cx.cancel();
        assert_eq!(worker.join().unwrap(), Err(Cancelled));
    }
}
