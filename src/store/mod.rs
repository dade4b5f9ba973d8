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
//! Not here: reading or writing WARC files, the network.

mod absent_links;
mod anchor_texts;
mod backup;
mod built;
mod campaign_deletion;
mod campaign_twins;
mod campaigns;
mod capture_table;
mod captures;
mod catalogue;
mod cited;
mod collections;
mod damage;
mod decision_rows;
mod detail;
mod documents;
mod earlier;
mod engine_logs;
mod error;
mod events;
mod exports;
mod file_rows;
mod files;
mod filter;
mod foreign;
mod handed_launches;
mod handed_scores;
mod handover;
mod hops;
mod ids;
mod import_campaigns;
mod imports;
mod inlink_counts;
mod inlinks;
mod intern;
mod judgements;
mod launch_choice;
mod launches;
mod ledger;
mod lineage;
mod link_list;
mod lossy;
mod marks;
mod order;
mod places;
mod prospects;
mod recovery;
mod refused;
mod related;
pub mod rows;
mod scheduled;
mod schema;
pub mod scope_rows;
mod score_set;
mod seen_scan;
mod seen_tally;
mod selection_rows;
mod selections;
mod settings;
mod sql;
mod versions;
mod workspace;

/// Name of the catalogue in the folder of a workspace.
pub const CATALOGUE_FILE: &str = "fonds.sqlite";

pub use absent_links::AbsentLink;
pub use anchor_texts::AnchorTexts;
pub use built::LOADED_LINKS;
pub use campaign_deletion::CampaignContents;
pub use campaign_twins::{CampaignTwin, TwinKind};
pub use campaigns::next_run;
pub use captures::which::{Answers, WaitingRepeat};
pub use captures::{PackedCapture, RecordRow, StoredCapture};
pub use catalogue::{Catalogue, UnderWay};
pub use documents::{DocumentCapture, LandingPage};
pub use earlier::{EarlierRows, catalogue_version, earlier_files, is_earlier};
pub use engine_logs::{Bulk, LoggedFate, LoggedUrl};
pub use error::StoreError;
pub use exports::{ExportedCapture, ExportedLink, LinkingPage, LinkingPages};
pub use files::{FileToLocate, KnownFile, mtime_ns};
pub use filter::{FilterField, FullText, filter_fields, named_campaigns, query_help};
pub use handed_launches::{HandedCrawl, HandedLaunch, VersionChange};
pub use handed_scores::{HandedCapture, HandedScore};
pub use handover::{CaptureName, ExportedFigures, LeftOutCapture, LeftOutCaptures, MarkRow, SeenVerdict};
pub use import_campaigns::{CapturesElsewhere, ImportAssigned, Unassigned};
pub use imports::ImportProblem;
pub use inlink_counts::{ANCHORS_KEPT, ExternallyLinked, PROSPECTS_KEPT};
pub use inlinks::{Captures, InlinkFeed, PageFeed};
pub use judgements::{ForeignJudgement, GivenJudgement, JudgementRow};
pub use launches::ABANDONED;
pub use ledger::LaunchLedger;
pub use marks::{AnnotationApart, ForeignMark};
pub use order::SortKey;
pub(crate) use places::job_name;
pub use places::{check_launch_name, own_folder};
pub use related::{LinkedCapture, LinkedCaptures};
pub use scheduled::Scheduled;
pub use score_set::{KeptScore, Measurement, ScoreScope, ScoreSet, SelectionCriteria, ToScore};
pub use seen_scan::{SeenAsk, SeenUrl};
pub use selections::Lacking;
pub use versions::{CaptureHead, VersionToIndex, VersionsFound};
pub use workspace::{Access, LOCK_FILE, ReadOnlyReason, Workspace};

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod large_tests;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod number_tests;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
