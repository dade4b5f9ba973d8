//! Review checks run over a workspace: what they read, how, and what they come to.
//!
//! In: page facts and texts of the index, links, verdicts, inlinks and digests of the catalogue. Out: findings in the
//! catalogue (`store/findings`).
//!
//! | file | does |
//! |---|---|
//! | `page_signs` | reads the signs of a content version by itself, once |
//! | `repaired` | reads garbled letters again |
//! | `host` | compares the captures of a host with each other |
//! | `requisites` | has the signs of what a page needs, of `store/captures/needs` |
//! | `launches` | compares launches of a campaign |
//! | `run` | does what is due, as a job |
//!
//! Invariants: killed at any time, the next run comes to the same findings; the order in which captures came changes
//! nothing; memory grows with the captures of one host, not with those of the workspace.

mod host;
mod launches;
mod page_signs;
mod repaired;
mod requisites;
mod run;

pub use run::{CheckPagesReport, are_checks_due, check_pages};
