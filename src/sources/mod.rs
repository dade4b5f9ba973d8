//! Sources: services that name pages, read by their protocol.
//!
//! In: a [`CampaignSource`](crate::campaign::CampaignSource) of a campaign, its request, the mark of the run before, and whoever
//! exchanges requests for answers ([`SourceExchanges`]). Out: [`SourceItem`]s, page by page, and a new mark.
//!
//! Invariants: what a server answers is data: pages, bytes and items are bounded, a list without end is ended, and an
//! answer that is not of the protocol is refused with the reason. An address for the next page is taken from the answer
//! where the protocol has one, never built of numbers. The mark is of the server's own dates, never later than its clock.
//!
//! | step | where |
//! |---|---|
//! | what is searched for, out of the request | `queries` |
//! | one protocol: first request, next page, items, mark, fingerprint | a file in `adapters` |
//! | a run: page after page, waits, limits | `run` |
//! | what a protocol reads of an answer | `answer` |
//!
//! Not here: sockets, robots.txt, politeness, records, what is kept (`work/sources`).

mod adapters;
mod answer;
mod queries;
mod run;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use adapters::{AnswerPage, PageSigns, Recognised, SourceAdapter, adapter_of, recognise};
pub use answer::{ApiAnswer, ApiRequest, Refusal, SourceItem};
pub use queries::{SourceQuery, queries_of};
pub use run::{QueryOutcome, RunLimits, SourceExchanges, SourceRun, run_query};
