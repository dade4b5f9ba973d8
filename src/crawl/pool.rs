//! The pool of workers: as many as the campaign sets, and one more for each
//! that waits for a slow server.
//!
//! A crawl with eight workers must not stop because eight servers send
//! a byte a second. Invariant: the number of those that do not wait for a slow
//! server is the campaign's, as long as not too many do.

use crate::jobs::lock;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A worker that has waited so long for one server counts for none.
const SLOW_AFTER: Duration = Duration::from_secs(2);
/// Workers that are started for others at most.
const MAX_SPARE: usize = 64;

/// The workers of a run.
pub(super) struct WorkerPool {
    target: usize,
    live: AtomicUsize,
    /// Since when each worker waits for a server.
    waiting: Mutex<HashMap<usize, Instant>>,
}

impl WorkerPool {
    /// Creates a pool for this number of workers, none of them started.
    pub(super) fn new(target: usize) -> Self {
        Self { target, live: AtomicUsize::new(0), waiting: Mutex::default() }
    }

    /// A worker begins to wait for a server, until the answer is dropped.
    pub(super) fn wait_on_server(&self, worker: usize) -> ServerWait<'_> {
        lock(&self.waiting).insert(worker, Instant::now());
        ServerWait { pool: self, worker }
    }

    /// Notes that a worker was started.
    pub(super) fn started(&self) {
        self.live.fetch_add(1, Ordering::SeqCst);
    }

    /// Whether another worker should start in place of one that waits.
    pub(super) fn wants_more(&self) -> bool {
        self.live.load(Ordering::SeqCst) < self.most()
    }

    /// Whether the calling worker is one too many; it is counted no more then.
    pub(super) fn dismisses(&self) -> bool {
        if self.live.load(Ordering::SeqCst) <= self.target {
            return false;
        }
        let most = self.most();
        let fewer = |live: usize| (live > most).then(|| live - 1);
        self.live.fetch_update(Ordering::SeqCst, Ordering::SeqCst, fewer).is_ok()
    }

    fn most(&self) -> usize {
        let slow = lock(&self.waiting).values().filter(|since| since.elapsed() >= SLOW_AFTER).count();
        self.target + slow.min(MAX_SPARE)
    }
}

/// A worker waits for a server.
pub(super) struct ServerWait<'p> {
    pool: &'p WorkerPool,
    worker: usize,
}

impl Drop for ServerWait<'_> {
    fn drop(&mut self) {
        lock(&self.pool.waiting).remove(&self.worker);
    }
}
