//! Readers that count their bytes as progress.

use super::JobCx;
use std::io::{self, Read};

/// Behaviour of a reader once the job is cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnStop {
    /// Reading fails.
    Fail,
    /// Reading goes on: the caller checks the job.
    GoOn,
}

/// Tells a job how many bytes were read.
pub struct CountedRead<'c, R> {
    input: R,
    on_stop: OnStop,
    cx: &'c JobCx,
}

impl<'c, R> CountedRead<'c, R> {
    /// Reads `input` for a job.
    pub fn new(input: R, on_stop: OnStop, cx: &'c JobCx) -> Self {
        Self { input, on_stop, cx }
    }
}

impl<R: Read> Read for CountedRead<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(out)?;
        match (self.cx.advance(read as u64), self.on_stop) {
            (Err(stopped), OnStop::Fail) => Err(io::Error::other(stopped)),
            _ => Ok(read),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_counted_and_a_stop_is_an_error_where_it_shall_be() {
        let cx = JobCx::detached();
        let read = |on_stop| CountedRead::new(&b"abc"[..], on_stop, &cx).read(&mut [0; 8]);
        assert_eq!(read(OnStop::Fail).unwrap(), 3);
        assert_eq!(cx.progress().done, 3);
        cx.cancel();
        assert_eq!(read(OnStop::GoOn).unwrap(), 3);
        assert!(read(OnStop::Fail).is_err());
    }
}
