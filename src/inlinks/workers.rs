//! Distributes the work of one thread to several.

use super::invert::LinkError;
use crossbeam_channel::bounded;
use std::sync::atomic::{AtomicBool, Ordering};

/// Lets `threads` threads `work` on what `bring` gives, each on all it can get.
/// When one fails, nothing more is given or taken: `give` says so with `false`.
///
/// # Errors
///
/// That of `bring`, or else of the first thread that did not only stop because
/// another one had failed.
pub(super) fn share<T: Send, R: Send>(
    threads: usize,
    work: impl Fn(&mut dyn Iterator<Item = T>) -> Result<R, LinkError> + Sync,
    bring: impl FnOnce(&mut dyn FnMut(T) -> bool) -> Result<(), LinkError>,
) -> Result<Vec<R>, LinkError> {
    let (send, items) = bounded::<T>(threads);
    let failed = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                let (items, work, failed) = (items.clone(), &work, &failed);
                scope.spawn(move || {
                    let _failing = Failing(failed);
                    let done = work(&mut items.iter().take_while(|_| !failed.load(Ordering::Relaxed)));
                    failed.fetch_or(done.is_err(), Ordering::Relaxed);
                    done
                })
            })
            .collect();
        drop(items);
        let brought = bring(&mut |item| !failed.load(Ordering::Relaxed) && send.send(item).is_ok());
        drop(send);
        let (mut results, mut outcome) = (Vec::with_capacity(threads), brought);
        for worker in workers {
            match worker.join() {
                Ok(Ok(result)) => results.push(result),
                Ok(Err(error)) if matches!(outcome, Ok(()) | Err(LinkError::Cancelled(_))) => outcome = Err(error),
                Ok(Err(_)) => {}
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        outcome.map(|()| results)
    })
}

/// Lets what `work` shares among threads run on at most so many.
pub(super) fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    if threads >= rayon::current_num_threads() {
        return work();
    }
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(work),
        // Without room for more threads, those that are there.
        Err(_) => work(),
    }
}

/// Tells the others where a thread panics.
struct Failing<'f>(&'f AtomicBool);

impl Drop for Failing<'_> {
    fn drop(&mut self) {
        self.0.fetch_or(std::thread::panicking(), Ordering::Relaxed);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::jobs::Cancelled;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn work_is_shared_and_ends_when_a_thread_fails() {
        let sums = share(
            3,
            |items| Ok(items.sum::<u64>()),
            |give| {
                assert!((1..=1000).all(give));
                Ok(())
            },
        );
        assert_eq!(sums.unwrap().into_iter().sum::<u64>(), 500_500);

        let worked = AtomicU64::new(0);
        let work = |items: &mut dyn Iterator<Item = u64>| {
            for item in items {
                if worked.fetch_add(1, Ordering::Relaxed) + 1 == 10 {
                    return Err(LinkError::Input(std::io::Error::other(format!("item {item}"))));
                }
            }
            Err::<(), _>(Cancelled.into())
        };
        let mut given = 0;
        let failed = share(3, work, |give| {
            given = (0..1_000_000).take_while(|&item| give(item)).count();
            Ok(())
        });
        assert!(matches!(failed, Err(LinkError::Input(_))), "{failed:?}");
        assert!(given < 1_000_000 && worked.load(Ordering::Relaxed) < 1_000_000, "{given}");
    }
    #[test]
    fn shared_work_keeps_to_its_threads() {
        for threads in 1..rayon::current_num_threads() {
            assert_eq!(on_threads(threads, rayon::current_num_threads), threads);
        }
    }
}
