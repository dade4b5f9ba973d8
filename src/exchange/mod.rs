//! An exchange with a server, from a request to records in the archive.
//!
//! In: a URL, limits, the folder of WARC files. Out: an [`Exchange`], byte for
//! byte as it went over the wire, then its records in a WARC file and a
//! [`CaptureEntry`](crate::captures::CaptureEntry).
//!
//! Invariants: nothing of an exchange is corrected; no connection to a private
//! address that is not allowed; every wait has an end; memory does not grow with
//! the length of an answer.
//!
//! | step | where |
//! |---|---|
//! | host names to addresses, addresses that are private | `resolver` |
//! | connections: time, TLS, reuse | `wire` |
//! | heads, and where a body ends | `message` |
//! | a request and its answer | `fetch` |
//! | an answer as it comes in, also for whoever has it from elsewhere: [`Exchange::recorded`] | `answer`, kept by `spool` |
//! | the entrance for whoever made an exchange: [`Intake::take`]; its links read, within a bound of memory | `intake`, on the threads of `page_reader` |
//! | its records and its catalogue entry | `archive` |
//! | a disk without room | `disk` |
//!
//! Not here: which URL is fetched, when and why (`crawl`).

mod answer;
mod archive;
mod disk;
mod fetch;
mod intake;
mod message;
mod page_reader;
mod resolver;
mod spool;
mod wire;

#[cfg(test)]
mod fetch_tests;
#[cfg(test)]
mod intake_tests;
#[cfg(test)]
mod tls_tests;

pub use answer::{CutCause, Exchange, SentRequest};
pub use archive::{Archive, RepeatedCapture, file_label};
pub use disk::{DiskGate, Reservation, SPACE_POLL, full_error};
pub use fetch::{Client, FetchError, FetchLimits, RequestFields, fetch_status};
pub use intake::{Intake, Provenance, Taken};
pub use message::Head;
pub use resolver::{HostOverride, NOT_NOW, OverrideError, ResolveError, Resolver, SystemResolver, private_address};
pub use spool::Spool;
pub use wire::{Abandon, AddressGate, TLS_MARK, TlsFacts};
