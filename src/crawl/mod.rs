//! The crawl: frontier, politeness, robots, fetch, capture.
//!
//! In: a campaign with its compiled rules, a [`Ledger`] that remembers, a
//! folder for WARCs and logs. Out: WARC files, logs, and one
//! [`CaptureEntry`](crate::captures::CaptureEntry) per capture for the ledger.
//!
//! Invariants: what the ledger has stored survives a kill at any instant; a
//! capture is stored only after its records are in the WARC file; at most what
//! was in flight is fetched twice; memory does not grow with the frontier.
//!
//! | step | where |
//! |---|---|
//! | a launch from beginning to end, limits, workers | `engine`, `work` |
//! | the plan that it follows, which may be replaced while it runs | `plan` |
//! | what comes first where the campaign is about something | `relevance` |
//! | who is next, priorities, how long a host is left alone | `frontier` (its `politeness` says how long), `priority` |
//! | may it be fetched | `judge` (scope), `robots` |
//! | which links are followed, and stored in parts | `outlinks`, `outlink_parts` |
//! | crawl.log, scope.log, reports | `logs`, `reports` |
//! | what became of a URL, in words | `outcome` |
//! | what a crawl reports to a person | `events`: a queue (repeats folded), a writer (catalogue, events.log) |
//! | what a kill left behind | `recovery` |
//! | the order of a crawl on pages that are there, without a request | `replay` |
//! | what waits, judged by seeds and rules that were changed meanwhile | `rejudge` |
//! | what happens when the disk is full | [`DiskGate`](crate::exchange::DiskGate) (pause and go on), `logs/line_file` (lines kept for later) |
//! | one more worker for each that a slow server holds | `pool` |
//!
//! Not here: the exchange with a server and its records (`exchange`), how the ledger keeps things (`store`).

mod engine;
mod events;
mod frontier;
mod judge;
mod ledger;
mod logs;
mod outcome;
mod outlink_parts;
mod outlinks;
mod plan;
mod pool;
mod priority;
mod recovery;
mod rejudge;
mod relevance;
mod replay;
mod reports;
mod robots;
mod seeds;
mod setup;
mod stats;

#[cfg(test)]
mod tests;
mod worker;

pub use crate::jobs::free_bytes;
pub use engine::{run_crawl, run_crawl_with};
pub use events::{CrawlEvent, EventKind, EventObserver};
pub use frontier::host_states::{HostActivity, HostState};
pub use frontier::politeness::{Delays, MAX_IN_FLIGHT_PER_ADDRESS, MAX_RETRY_AFTER, retry_after};
pub use ledger::{
    Admission, AdmissionState, Admitted, ChangedAdmission, Finished, HostBacklog, HostWait, LearnedOrder, Ledger,
    LedgerError, LostCapture, PageReading, QueuePart, QueuedUrl, RobotsAnswer, SourcePage, WaitingUrl,
};
pub use logs::crawl_log::CrawlLogLine;
pub use outcome::{OutcomeClass, OutcomeKind, SeenFacts, SeenState, UrlOutcome};
pub use outlink_parts::OUTLINKS_AT_ONCE;
pub use plan::{CurrentPlan, Plan};
pub use priority::{PRIORITY_PARTS, priority_points};
pub use relevance::draws::Draws;
pub use relevance::guide::{RELEVANT_POINTS, RequestGuide, TermTally};
pub use relevance::orders::{OrderPreview, preview_orders};
pub use relevance::parts::{LinkValues, PriorityParts, RELEVANCE_PARTS, TOP_POINTS};
pub use replay::{ReplayPage, ReplayStart, replay};
pub use reports::{HostTally, LaunchTally};
pub use robots::robots_cache::{RobotsTrail, follow_robots};
pub use robots::{MAX_ROBOTS_BYTES, RobotsRules, product_name};
pub use setup::{CrawlEnd, CrawlError, CrawlReport, CrawlSetup, RecoveryReport, TrialBounds, check_user_agent};
pub use stats::{CrawlSnapshot, CrawlStats, HostPause};
