//! The workspace folder and its catalogue.
//!
//! In: captures with their links, verdicts, what persons decide. Out: read
//! models ([`rows`]), rows for the inlink build, what an export needs.
//!
//! Invariants: WARC files are the truth, the catalogue an index of them plus
//! what only people know; one process writes (a lock file); one thread owns
//! the write connection and commits in batches; a write is durable against a
//! kill of the process when its call returns; opening a folder that cannot be
//! used changes nothing in it.
//!
//! | folder | answers |
//! |---|---|
//! | `catalogue` | the database: opening, locks, threads, schema, settings, backup |
//! | `captures` | captures and their versions; the nearest in time and the original of a revisit (`originals`) |
//! | `links` | rows for the inlink build, what it built, prospects, anchor texts |
//! | `launches` | crawls and imports as launches, URLs seen, events, schedules |
//! | `campaigns`, `review` | campaigns and versions; decisions, scores, selections, collections |
//! | `analysis` | what analyses found, in a file of its own
//! | `files` | archive files, imports, problems, paths |
//! | `findings` | what checks of review found, and what persons said of it |
//! | `filter`, `rows` | what a filter line means; read models |
//!
//! Not here: reading or writing WARC files, the network.

mod analysis;
mod campaigns;
mod captures;
mod catalogue;
mod files;
mod filter;
mod findings;
mod launches;
mod links;
mod review;
pub mod rows;

/// Name of the catalogue in the folder of a workspace.
pub const CATALOGUE_FILE: &str = "fonds.sqlite";

pub use analysis::{
    AnalysedPage, AnalysisError, AnalysisRun, AnalysisStore, CorpusCounts, EntityMention, EntityRow, FoundEntity,
    PackedPage, Places, RelatedEntity, RunCounts, RunKind, RunReach, RunResults, RunWriter,
};
pub use campaigns::copies::{CampaignTwin, TwinKind};
pub use campaigns::deletion::CampaignContents;
pub use campaigns::next_run;
pub use captures::document_captures::{DocumentCapture, LandingPage};
pub use captures::holes::{Hole, HoleState};
pub use captures::needs::{Need, NeedReader, NeedState, PageNeeds};
pub use captures::originals::{Answers, WaitingRepeat};
pub use captures::related::{LinkedCapture, LinkedCaptures};
pub use captures::replay_checks::ReplayCheck;
pub use captures::replayed::{ListedCapture, PageRange};
pub use captures::versions::{CaptureHead, VersionToIndex, VersionsFound};
pub use captures::{PackedCaptures, RecordRow, StoredCapture};
pub use catalogue::earlier::{EarlierRows, catalogue_version, earlier_files, is_earlier};
pub use catalogue::error::StoreError;
pub use catalogue::sort_keys::SortKey;
pub use catalogue::workspace::{Access, LOCK_FILE, ReadOnlyReason, Workspace};
pub use catalogue::{Catalogue, UnderWay};
pub use files::discarded::DiscardedFile;
pub use files::import_campaigns::{CapturesElsewhere, ImportAssigned, Unassigned};
pub use files::imports::ImportProblem;
pub(crate) use files::paths::job_name;
pub use files::paths::{check_launch_name, own_folder};
pub use files::site_kinds::SITE_KINDS_FILE;
pub use files::{FileToLocate, KnownFile, mtime_ns};
pub use filter::{FilterField, FullText, filter_fields, named_campaigns, query_help};
pub use findings::{
    CaptureFindings, CheckCount, CheckPrecision, FindingGroup, FindingMark, HostCapture, KeptFinding, KeptPage,
    KeptRobots, KeptSigns, LaunchFinding, ListedFinding, OFFER_OFF_BELOW, OFFER_OFF_MARKS, PageLoss, SeenAs,
};
pub use launches::ABANDONED;
pub use launches::changes::{ChangedPage, HostChanges, LaunchPair, PageChange};
pub use launches::engine_logs::{Bulk, LoggedFate, LoggedUrl};
pub use launches::handover_launches::{HandoverCrawl, HandoverLaunch, VersionChange};
pub use launches::ledger::LaunchLedger;
pub use launches::queue::{HostRelevantShare, QueueRow, RECENT_PAGES, RelevantShare};
pub use launches::scheduled::Scheduled;
pub use launches::seen_scan::{SeenColumns, SeenUrl};
pub use launches::sources::{NamedPage, NamedPageList, NamedPageRow, SourceRunEnd, SourceState, SourceYield};
pub use launches::trials::{DiscardedLaunch, LinkedText, ReadPage, Relevance, TrialContents};
pub use links::absent_links::AbsentLink;
pub use links::anchor_texts::AnchorTexts;
pub use links::built_inlinks::{BUILD_FORMAT_VERSION, LOADED_LINKS};
pub use links::inlink_counts::{ANCHORS_KEPT, ExternallyLinked, PROSPECTS_KEPT};
pub use links::link_rows::{BareLink, Captures, InlinkFeed, PageFeed};
pub use review::authorities::{AuthorityRow, EntityMerge};
pub use review::exports::{ExportedCapture, ExportedLink, LinkingPage, LinkingPages};
pub use review::handover::{CaptureName, ExportedFigures, LeftOutCapture, LeftOutCaptures, MarkRow, SeenVerdict};
pub use review::handover_scores::{HandoverCapture, HandoverScore};
pub use review::judgements::{ForeignJudgement, GivenJudgement, JudgementRow};
pub use review::marks::{AnnotationApart, ForeignMark};
pub use review::sample_exchange::{SampleDocument, SampledPage};
pub use review::score_set::{KeptScore, Measurement, MovedCaptures, ScoreScope, ScoreSet, SelectionCriteria, ToScore};
pub use review::selections::Lacking;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod large_tests;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod number_tests;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod plan_tests;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
