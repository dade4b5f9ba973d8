//! Runs a job on a thread of its own.

use super::{Cancelled, JobCx};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::thread::JoinHandle;

/// Called by workers when there is something new to show.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// Result of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome<T> {
    /// It did all of its work.
    Done(T),
    /// It stopped on request; what it finished is kept.
    Cancelled,
    /// It failed; the text names what and where.
    Failed(String),
    /// A defect of the program; the job is lost, the program goes on.
    Panicked(String),
}

/// A running job.
pub struct JobHandle<T> {
    /// Its progress, and whether it was cancelled.
    pub cx: JobCx,
    thread: JoinHandle<Outcome<T>>,
}

impl<T> JobHandle<T> {
    /// Whether [`JobHandle::join`] would return at once.
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits for the end.
    pub fn join(self) -> Outcome<T> {
        match self.thread.join() {
            Ok(outcome) => outcome,
            Err(panic) => Outcome::Panicked(panic_message(panic.as_ref())),
        }
    }
}

/// An error that may be `Cancelled`.
pub trait StopError: std::fmt::Display {
    /// Whether this is [`Cancelled`] and not a failure.
    fn is_cancelled(&self) -> bool;
}

impl StopError for Cancelled {
    fn is_cancelled(&self) -> bool {
        true
    }
}

impl StopError for anyhow::Error {
    fn is_cancelled(&self) -> bool {
        self.chain().any(|cause| cause.is::<Cancelled>())
    }
}

/// Starts `work` on a thread called `name` and calls `wake` when it ends.
pub fn spawn<T, E>(
    name: &str,
    cx: JobCx,
    wake: Wake,
    work: impl FnOnce(&JobCx) -> Result<T, E> + Send + 'static,
) -> std::io::Result<JobHandle<T>>
where
    T: Send + 'static,
    E: StopError,
{
    let worker = cx.clone();
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
        let outcome = match std::panic::catch_unwind(AssertUnwindSafe(|| work(&worker))) {
            Ok(Ok(value)) => Outcome::Done(value),
            Ok(Err(error)) if error.is_cancelled() => Outcome::Cancelled,
            Ok(Err(error)) => Outcome::Failed(format!("{error:#}")),
            Err(panic) => Outcome::Panicked(panic_message(panic.as_ref())),
        };
        wake();
        outcome
    })?;
    Ok(JobHandle { cx, thread })
}

/// Message of a panic.
pub fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no words".to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn run(work: impl FnOnce(&JobCx) -> anyhow::Result<u32> + Send + 'static) -> Outcome<u32> {
        spawn("test", JobCx::detached(), Arc::new(|| ()), work).unwrap().join()
    }

    #[test]
    fn every_end_has_its_outcome() {
        assert_eq!(run(|_| Ok(7)), Outcome::Done(7));
        assert_eq!(run(|_| Err(anyhow::Error::new(Cancelled).context("while reading"))), Outcome::Cancelled);
        assert_eq!(
            run(|_| Err(anyhow::anyhow!("disk full").context("writing a.warc.gz"))),
            Outcome::Failed("writing a.warc.gz: disk full".to_owned())
        );
        assert_eq!(run(|_| panic!("oops")), Outcome::Panicked("oops".to_owned()));
    }
}
