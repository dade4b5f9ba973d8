//! Large pages are read by few threads at once, within a budget of memory.
//!
//! A page of 64 MiB may take several times as much while it is read, and many
//! threads read pages: beyond [`LARGE_PAGE_BYTES`] one waits for the other.
//! A crawl keeps the links of a page until they are stored; the workers share
//! one [`PageBudget`] for that.
//!
//! Invariant: who waits for a large page may have a part of the budget, and
//! who waits for the budget has no large page.

use super::limits::{LARGE_PAGE_BYTES, MAX_PAGE_BYTES};
use crate::warc::http::Payload;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

static LARGE_PAGE: Mutex<()> = Mutex::new(());

/// The permit to read a large page, taken with the first one.
#[derive(Default)]
pub struct LargePagePermit(Option<MutexGuard<'static, ()>>);

impl LargePagePermit {
    /// Waits for the permit where so many bytes make a large page.
    pub fn wait_for(&mut self, bytes: usize) {
        if bytes > LARGE_PAGE_BYTES && self.0.is_none() {
            self.0 = Some(LARGE_PAGE.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Decodes a page with a limit of bytes: how long it comes out is not known
    /// before.
    pub fn decode<'a, E>(&mut self, mut decode: impl FnMut(usize) -> Result<Payload<'a>, E>) -> Result<Payload<'a>, E> {
        let payload = decode(LARGE_PAGE_BYTES)?;
        if !payload.cut {
            return Ok(payload);
        }
        drop(payload);
        self.wait_for(LARGE_PAGE_BYTES + 1);
        decode(MAX_PAGE_BYTES)
    }
}

/// The interval of checks whether the crawl was cancelled.
const POLL: Duration = Duration::from_millis(100);

/// The memory that the pages being read by all workers share.
pub struct PageBudget {
    bytes: usize,
    state: Mutex<BudgetState>,
    changed: Condvar,
}

#[derive(Default)]
struct BudgetState {
    used: usize,
    next: u64,
    /// Waiting pages, first come first served: no large page waits for ever.
    waiting: VecDeque<u64>,
}

impl PageBudget {
    /// A budget of so many bytes.
    pub fn new(bytes: usize) -> Self {
        Self { bytes, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Waits until so many bytes are free; what is more than the budget waits until nothing else is
    /// reserved. None when cancelled meanwhile.
    pub fn reserve(&self, bytes: usize, is_cancelled: impl Fn() -> bool) -> Option<PagePermit<'_>> {
        let mut state = self.lock();
        let ticket = state.next;
        state.next += 1;
        state.waiting.push_back(ticket);
        loop {
            let is_first = state.waiting.front() == Some(&ticket);
            let fits = state.used == 0 || state.used.saturating_add(bytes) <= self.bytes;
            let is_granted = is_first && fits;
            if is_granted || is_cancelled() {
                state.waiting.retain(|waiting| *waiting != ticket);
                if is_granted {
                    state.used = state.used.saturating_add(bytes);
                }
                self.changed.notify_all();
                return is_granted.then(|| PagePermit { budget: self, bytes });
            }
            state = self.changed.wait_timeout(state, POLL).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, BudgetState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A part of a budget, free again when it goes.
pub struct PagePermit<'b> {
    budget: &'b PageBudget,
    bytes: usize,
}

impl PagePermit<'_> {
    /// Corrects an estimate without waiting.
    pub fn set_bytes(&mut self, bytes: usize) {
        let mut state = self.budget.lock();
        state.used = state.used.saturating_sub(self.bytes).saturating_add(bytes);
        self.bytes = bytes;
        self.budget.changed.notify_all();
    }
}

impl Drop for PagePermit<'_> {
    fn drop(&mut self) {
        self.set_bytes(0);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn pages_in_memory_stay_within_the_budget_and_one_beyond_it_is_read_by_itself() {
        let budget = PageBudget::new(100);
        let (in_flight, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for bytes in [30, 60, 250, 40, 100, 70, 10, 30, 50, 90] {
                let (budget, in_flight, most) = (&budget, &in_flight, &most);
                scope.spawn(move || {
                    let _permit = budget.reserve(bytes, || false).unwrap();
                    let now = in_flight.fetch_add(bytes, Ordering::SeqCst) + bytes;
                    assert!(now <= 100 || now == bytes, "{now}");
                    most.fetch_max(now, Ordering::SeqCst);
                    std::thread::yield_now();
                    in_flight.fetch_sub(bytes, Ordering::SeqCst);
                });
            }
        });
        assert_eq!((most.into_inner(), budget.lock().used), (250, 0));
    }

    #[test]
    fn who_waits_goes_when_the_crawl_is_cancelled() {
        let budget = PageBudget::new(100);
        let mut first = budget.reserve(90, || false).unwrap();
        assert!(budget.reserve(20, || true).is_none());
        first.set_bytes(70);
        assert!(budget.reserve(30, || false).is_some());
        assert!(budget.lock().waiting.is_empty());
    }
}
