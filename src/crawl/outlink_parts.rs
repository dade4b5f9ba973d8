//! The outlinks of a capture, stored in parts.
//!
//! A page may have a million links, and a transaction that stores them all
//! makes every other worker wait, and a stop. So the capture is stored with
//! the first of them and a mark that more follow; the last part takes the mark
//! away.
//!
//! Invariants: a capture without the mark has all its outlinks. With it they
//! are in its metadata record, from which they are completed after a kill or
//! a stop; those that are stored already stay as they are.

use super::{Ledger, LedgerError};
use crate::captures::{CaptureEntry, RecordPlace};
use crate::links::Outlink;

/// Outlinks stored in one transaction at most.
pub const OUTLINKS_AT_ONCE: usize = 2_000;

/// Outlinks of a capture that follow it.
pub(super) struct FurtherOutlinks {
    record: Option<RecordPlace>,
    links: std::vec::IntoIter<Outlink>,
}

impl FurtherOutlinks {
    /// Takes off what is too much for the transaction of the capture.
    pub(super) fn split(entry: &mut CaptureEntry) -> Self {
        let record = entry.records.first().cloned();
        if entry.notes.outlinks.len() <= OUTLINKS_AT_ONCE {
            return Self { record, links: Vec::new().into_iter() };
        }
        entry.outlinks_complete = false;
        let mut links = std::mem::take(&mut entry.notes.outlinks).into_iter();
        entry.notes.outlinks = links.by_ref().take(OUTLINKS_AT_ONCE).collect();
        Self { record, links }
    }

    /// Stores them, as far as nobody wants to stop: the rest is completed when
    /// the launch goes on.
    pub(super) fn store(mut self, ledger: &dyn Ledger, is_cancelled: impl Fn() -> bool) -> Result<(), LedgerError> {
        let Some(record) = self.record else { return Ok(()) };
        while self.links.len() > 0 && !is_cancelled() {
            let part: Vec<Outlink> = self.links.by_ref().take(OUTLINKS_AT_ONCE).collect();
            ledger.add_outlinks(&record, part, self.links.len() == 0)?;
        }
        Ok(())
    }
}
