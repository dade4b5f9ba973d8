//! Threads that read long pages for the workers.
//!
//! The system's allocator keeps for each thread about what it took at most: a
//! few threads that read long pages keep little, dozens of workers keep much.

use crossbeam_channel::{Sender, bounded, unbounded};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Threads that read long pages.
const THREADS: usize = 2;

type Job = Box<dyn FnOnce() + Send>;

/// Does work on its own threads; they end when it goes.
pub struct PageReaders(Sender<Job>);

impl PageReaders {
    /// Starts the threads, as far as the system lets them start.
    pub fn start() -> Self {
        let (jobs, inbox) = unbounded::<Job>();
        for number in 0..THREADS {
            let inbox = inbox.clone();
            let made = std::thread::Builder::new().name(format!("read-{number}")).spawn(move || {
                inbox.into_iter().for_each(|job| job());
            });
            if let Err(error) = made {
                tracing::warn!("pages are read on fewer threads: {error}");
            }
        }
        Self(jobs)
    }

    /// Waits until a thread has done the work; without a thread the caller does
    /// it. A panic goes on in the caller.
    pub fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let (sender, done) = bounded(1);
        let job: Job = Box::new(move || {
            // The caller waits below.
            let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
        });
        if let Err(unsent) = self.0.send(job) {
            (unsent.into_inner())();
        }
        match done.recv() {
            Ok(Ok(value)) => value,
            Ok(Err(panic)) => resume_unwind(panic),
            Err(_) => resume_unwind(Box::new("the threads that read pages have ended")),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_elsewhere_and_a_panic_comes_back() {
        let readers = PageReaders::start();
        let name = || std::thread::current().name().unwrap_or_default().to_owned();
        assert!(readers.run(name).starts_with("read-"));
        for _ in 0..THREADS + 1 {
            let panic =
                catch_unwind(AssertUnwindSafe(|| readers.run(|| -> u32 { resume_unwind(Box::new("a defect")) })));
            assert_eq!(*panic.unwrap_err().downcast_ref::<&str>().unwrap(), "a defect");
        }
        assert!(readers.run(name).starts_with("read-"));
        let without = PageReaders(unbounded().0);
        assert_eq!(without.run(name), name());
    }
}
