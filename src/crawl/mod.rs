//! The crawl: frontier, politeness, robots, fetch, capture.
//!
//! In: a campaign with its compiled rules, a [`Ledger`] that remembers, a
//! folder for WARCs and logs. Out: WARC files, logs, and one
//! [`CaptureEntry`] per capture handed to the ledger.
//!
//! Invariants: what the ledger was told survives a kill at any instant; a
//! capture is told only after its records are in the WARC file; at most what
//! was in flight is fetched twice; memory does not grow with the frontier.
//!
//! Not here: how the ledger keeps things (`store`).

mod entry;
mod ledger;
mod robots;

pub use entry::{CaptureEntry, RecordPlace};
pub use ledger::{Admission, AdmissionState, Finished, HostBacklog, Ledger, LedgerError, QueuedUrl};
pub use robots::{MAX_ROBOTS_BYTES, RobotsRules, product_name};
