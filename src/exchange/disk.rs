//! Pauses a crawl while there is no room on the disk.
//!
//! Two things pause it: a file that cannot be written because its disk is
//! full (or because a quota or limit is reached), and less free room than the
//! campaign wants to keep, what is in flight counted. It goes on by itself
//! when there is room again; a person who resumes it makes it check at once.

use crate::jobs::{JobCx, free_bytes, is_disk_full};
use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Name of the obstacle that a full disk is.
const OBSTACLE: &str = "disk";
/// Between two looks while the disk is full, at first and at most: what pauses
/// again soon after it went on waits longer each time.
const FIRST_POLL: Duration = Duration::from_secs(2);
const LONGEST_POLL: Duration = Duration::from_secs(60);
/// How often it is seen whether a look is due.
pub const SPACE_POLL: Duration = Duration::from_millis(100);
/// Room in bytes that has to be free after a file could not be written.
const MIN_ROOM: u64 = 8 << 20;
/// Bytes that are written to see whether there is room.
const PROBE_BYTES: usize = 256 << 10;
/// Answers longer than this wait in a file before they are packed.
const LARGE_ANSWER: u64 = 4 << 20;

/// Knows whether there is room, and pauses the crawl while there is none.
pub struct DiskGate {
    cx: JobCx,
    folder: PathBuf,
    floor: u64,
    free: Box<dyn Fn() -> Option<u64> + Send + Sync>,
    in_flight: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    full: Option<Full>,
    /// When it went on the last time, and how long it had waited between looks.
    went_on: Option<(Instant, Duration)>,
    events: Vec<String>,
}

struct Full {
    polled: Instant,
    every: Duration,
    /// Free bytes that are needed to go on.
    need: u64,
    /// Whether the crawl was paused for this: a person's pause stays.
    pauses: bool,
    /// Whether a write failed: then one is tried.
    probes: bool,
}

impl DiskGate {
    /// Watches over the disk of a folder, of which `floor` bytes stay free.
    pub fn new(cx: &JobCx, folder: &Path, floor: u64) -> Self {
        let of = folder.to_owned();
        let free = Box::new(move || free_bytes(&of).ok());
        let (cx, folder) = (cx.clone(), folder.to_owned());
        Self { cx, folder, floor, free, in_flight: AtomicU64::new(0), state: Mutex::default() }
    }

    /// Pauses the crawl because a file could not be written.
    pub fn pause(&self, path: &Path, error: &dyn Display) {
        let mut state = self.lock();
        if state.full.is_some() {
            return;
        }
        let free = (self.free)().map_or_else(String::new, |free| format!(", {} free", megabytes(free)));
        let why = format!("Paused: disk full: {} cannot be written ({error}){free}", path.display());
        let need = MIN_ROOM.saturating_add(self.in_flight.load(Ordering::Relaxed)).max(self.floor);
        self.enter(&mut state, why, need, true);
    }

    /// Waits while the crawl is paused; whether it is not to be stopped.
    pub fn wait(&self) -> bool {
        self.cx.checkpoint().is_ok()
    }

    /// Waits for room where nobody else looks for it; whether the crawl is not
    /// to be stopped. `on_event` is called again and again with what happened since.
    pub fn wait_for_room(&self, path: &Path, error: &dyn Display, on_event: &dyn Fn(Vec<String>)) -> bool {
        self.pause(path, error);
        while self.is_full() && !self.cx.is_cancelled() {
            on_event(self.take_events());
            std::thread::sleep(SPACE_POLL);
            self.poll();
        }
        on_event(self.take_events());
        self.wait()
    }

    /// Takes the events since the last call, each a sentence.
    pub fn take_events(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().events)
    }

    /// Gives a pause for want of room up, since nobody looks for room any more.
    pub fn release(&self) {
        if self.lock().full.take().is_some_and(|full| full.pauses) {
            self.cx.set_paused(false);
        }
        self.cx.clear_obstacle(OBSTACLE);
    }

    /// Sees whether there is room: pauses the crawl, or lets it go on.
    pub fn poll(&self) {
        let mut state = self.lock();
        let Some(free) = (self.free)() else { return };
        let left = free.saturating_sub(self.in_flight.load(Ordering::Relaxed));
        let Some(full) = &mut state.full else {
            if self.floor > 0 && left < self.floor && !self.cx.is_paused() {
                let in_flight = match free - left {
                    0 => String::new(),
                    bytes => format!(", {} of it for what is in flight", megabytes(bytes)),
                };
                let why = format!(
                    "Paused: disk full: {} free on the disk of {}{in_flight}; the campaign keeps {} free",
                    megabytes(free),
                    self.folder.display(),
                    megabytes(self.floor),
                );
                // What is in flight may be less than was announced: no
                // pause of a moment each time.
                self.enter(&mut state, why, self.floor.saturating_add(self.floor / 64), false);
            }
            return;
        };
        let is_resumed = full.pauses && !self.cx.is_paused();
        if !is_resumed && full.polled.elapsed() < full.every {
            return;
        }
        full.polled = Instant::now();
        if left < full.need || (full.probes && !self.can_write()) {
            self.cx.set_paused(full.pauses);
            return;
        }
        let (pauses, every) = (full.pauses, full.every);
        state.full = None;
        state.went_on = Some((Instant::now(), every));
        let text = format!("There is room on the disk again ({} free): the crawl goes on", megabytes(free));
        state.events.push(text);
        self.cx.clear_obstacle(OBSTACLE);
        if pauses {
            self.cx.set_paused(false);
        }
    }

    /// Whether the crawl waits for room.
    pub fn is_full(&self) -> bool {
        self.lock().full.is_some()
    }

    fn enter(&self, state: &mut State, why: String, need: u64, probes: bool) {
        let every = match state.went_on {
            Some((when, every)) if when.elapsed() < LONGEST_POLL * 2 => (every * 2).min(LONGEST_POLL),
            _ => FIRST_POLL,
        };
        let why = format!("{why}. Make room: with {} free the crawl goes on by itself", megabytes(need));
        state.events.push(why.clone());
        let pauses = !self.cx.is_paused();
        state.full = Some(Full { polled: Instant::now(), every, need, pauses, probes });
        self.cx.set_obstacle(OBSTACLE, why);
        self.cx.set_paused(true);
    }

    /// Whether a small file can be written, which is gone at once.
    fn can_write(&self) -> bool {
        let written = tempfile::tempfile_in(&self.folder).and_then(|mut file| {
            file.write_all(&vec![0; PROBE_BYTES])?;
            file.sync_data()
        });
        !written.is_err_and(|error| is_disk_full(&error))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Room on the disk that an answer in flight will still take.
pub struct Reservation {
    gate: Arc<DiskGate>,
    bytes: u64,
}

impl Reservation {
    /// Nothing yet.
    pub fn new(gate: &Arc<DiskGate>) -> Self {
        Self { gate: Arc::clone(gate), bytes: 0 }
    }

    /// Counts an answer of which `received` bytes of `expected` have come: the
    /// rest of it, its packed copy, and its records in the WARC file.
    pub fn set(&mut self, received: u64, expected: u64) {
        let expected = expected.max(received);
        let bytes = match expected > LARGE_ANSWER {
            true => (expected - received).saturating_add(expected).saturating_add(expected),
            false => expected,
        };
        let in_flight = &self.gate.in_flight;
        in_flight.fetch_add(bytes.saturating_sub(self.bytes), Ordering::Relaxed);
        in_flight.fetch_sub(self.bytes.saturating_sub(bytes), Ordering::Relaxed);
        let grows = bytes > self.bytes && expected > LARGE_ANSWER && received == 0;
        self.bytes = bytes;
        if grows {
            // The next fetch shall know of it.
            self.gate.poll();
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.gate.in_flight.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl std::fmt::Debug for Reservation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Reservation({})", self.bytes)
    }
}

fn megabytes(bytes: u64) -> String {
    match bytes {
        0..10_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

/// The error of a disk that is full, in the words of whoever met it.
pub fn full_error(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::StorageFull, message)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A gate whose disk has that number of bytes free.
    fn gate(folder: &Path, floor: u64, free: u64) -> (Arc<DiskGate>, Arc<AtomicU64>, JobCx) {
        let cx = JobCx::detached();
        let free = Arc::new(AtomicU64::new(free));
        let of = Arc::clone(&free);
        let mut gate = DiskGate::new(&cx, folder, floor);
        gate.free = Box::new(move || Some(of.load(Ordering::Relaxed)));
        (Arc::new(gate), free, cx)
    }

    /// Lets the next look come at once.
    fn poll_soon(gate: &DiskGate) {
        if let Some(full) = &mut gate.lock().full {
            full.every = Duration::ZERO;
        }
        gate.poll();
    }

    #[test]
    fn a_crawl_goes_on_by_itself_when_there_is_room() {
        let folder = tempfile::tempdir().unwrap();
        let (gate, free, cx) = gate(folder.path(), 0, 1000);
        gate.poll();
        assert!(!cx.is_paused(), "no floor: what little there is may be used");
        gate.pause(Path::new("a.warc.gz.open"), &io::Error::from(io::ErrorKind::StorageFull));
        gate.pause(Path::new("crawl.log"), &"again");
        assert!(cx.is_paused() && cx.obstacle().contains("a.warc.gz.open") && cx.obstacle().contains("0.0 MB free"));
        poll_soon(&gate);
        assert!(cx.is_paused());
        // Who resumes while there is no room sees again why it waits.
        cx.set_paused(false);
        gate.poll();
        assert!(cx.is_paused() && !cx.obstacle().is_empty());
        free.store(MIN_ROOM, Ordering::Relaxed);
        poll_soon(&gate);
        assert!(!cx.is_paused() && cx.obstacle().is_empty());
        let events: Vec<String> = gate.take_events();
        assert_eq!(events.len(), 2, "{events:?}");
        assert!(events[1].starts_with("There is room on the disk again"), "{events:?}");
        // Full again at once: it looks less often.
        gate.pause(Path::new("b"), &"full");
        assert_eq!(gate.lock().full.as_ref().unwrap().every, Duration::ZERO * 2);
    }

    #[test]
    fn the_floor_counts_what_is_in_flight_and_a_person_s_pause_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (gate, free, cx) = gate(folder.path(), 100 << 20, 200 << 20);
        gate.poll();
        assert!(!cx.is_paused());
        let mut reserved = Reservation::new(&gate);
        // 40 MB that come, are packed and written: three times 40 MB.
        reserved.set(0, 40 << 20);
        assert!(cx.is_paused() && cx.obstacle().contains("125 MB of it for what is in flight"), "{}", cx.obstacle());
        reserved.set(40 << 20, 40 << 20);
        poll_soon(&gate);
        assert!(!cx.is_paused(), "80 MB to come leave 120 MB");
        drop(reserved);
        assert_eq!(gate.in_flight.load(Ordering::Relaxed), 0);
        cx.set_paused(true);
        gate.pause(Path::new("a"), &"full");
        free.store(900 << 20, Ordering::Relaxed);
        poll_soon(&gate);
        assert!(cx.is_paused() && cx.obstacle().is_empty(), "who paused it resumes it");
    }
}
