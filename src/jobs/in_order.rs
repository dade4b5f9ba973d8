//! Distributes items to several threads and returns the results in the order of the items.

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread::Scope;

/// Items in flight at once, done or not. It does not depend on the number of threads, so that results that
/// depend on earlier ones are the same everywhere.
pub const MAX_IN_FLIGHT: usize = 16;

type WorkResult<R> = std::thread::Result<R>;

/// Gives items to threads and their results back in the order of the items. A
/// panic of the work goes on in the thread that takes the result.
pub struct InOrder<T, R> {
    items: Sender<(T, Sender<WorkResult<R>>)>,
    results: VecDeque<Receiver<WorkResult<R>>>,
    /// Threads begin nothing more when it is gone.
    _alive: Arc<()>,
}

impl<T: Send, R: Send> InOrder<T, R> {
    /// Starts so many threads, which end when this goes.
    pub fn start<'scope, 'env>(
        scope: &'scope Scope<'scope, 'env>,
        threads: usize,
        work: &'env (impl Fn(T) -> R + Sync),
    ) -> Self
    where
        T: 'scope,
        R: 'scope,
    {
        let (send, items) = unbounded::<(T, Sender<WorkResult<R>>)>();
        let alive = Arc::new(());
        for _ in 0..threads.max(1) {
            let (items, alive) = (items.clone(), Arc::downgrade(&alive));
            scope.spawn(move || {
                for (item, result) in items {
                    if alive.strong_count() == 0 {
                        break;
                    }
                    // Nobody may wait for it any more.
                    let _ = result.send(catch_unwind(AssertUnwindSafe(|| work(item))));
                }
            });
        }
        Self { items: send, results: VecDeque::new(), _alive: alive }
    }

    /// Adds an item; callers take results first where [`MAX_IN_FLIGHT`] are in flight.
    pub fn push(&mut self, item: T) {
        let (send, result) = bounded(1);
        self.results.push_back(result);
        // The threads are there as long as this is.
        let _ = self.items.send((item, send));
    }

    /// Whether [`MAX_IN_FLIGHT`] items are in flight.
    pub fn is_full(&self) -> bool {
        self.results.len() >= MAX_IN_FLIGHT
    }

    /// Waits for the result of the first item in flight; none where none is.
    ///
    /// # Panics
    ///
    /// As the work did.
    pub fn take(&mut self) -> Option<R> {
        match self.results.pop_front()?.recv() {
            Ok(Ok(result)) => Some(result),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(gone) => resume_unwind(Box::new(gone.to_string())),
        }
    }

    /// The results of items that come one by one.
    pub fn each(mut self, mut items: impl Iterator<Item = T>) -> impl Iterator<Item = R> {
        std::iter::from_fn(move || {
            while !self.is_full()
                && let Some(item) = items.next()
            {
                self.push(item);
            }
            self.take()
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::{scope, sleep};
    use std::time::Duration;

    #[test]
    fn results_come_in_the_order_of_the_items_and_few_are_in_flight() {
        let begun = AtomicUsize::new(0);
        let work = |number: u64| {
            begun.fetch_add(1, Ordering::Relaxed);
            sleep(Duration::from_micros(number * 7919 % 13 * 20));
            number * 2
        };
        for threads in [1, 2, 5] {
            begun.store(0, Ordering::Relaxed);
            let results: Vec<u64> = scope(|scope| {
                let results = InOrder::start(scope, threads, &work).each(0..300);
                let ahead = |taken: usize| begun.load(Ordering::Relaxed) <= taken + MAX_IN_FLIGHT;
                results.enumerate().inspect(|(taken, _)| assert!(ahead(*taken))).map(|(_, result)| result).collect()
            });
            assert_eq!(results, (0..300).map(|number| number * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn who_leaves_early_or_panics_leaves_no_thread_behind() {
        let work = |number: u64| if number == 9 { panic!("nine") } else { number };
        let sum: u64 = scope(|scope| InOrder::start(scope, 2, &work).each(0..1_000_000).take(5).sum());
        assert_eq!(sum, 10);
        let panic = catch_unwind(|| scope(|scope| InOrder::start(scope, 2, &work).each(0..1_000_000).count()));
        assert_eq!(panic.unwrap_err().downcast_ref::<&str>(), Some(&"nine"));
    }
}
