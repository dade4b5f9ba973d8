//! Read models: plain structs in the screen's words, and the questions that
//! they answer. Drawn by the window, printed by the command line.

pub(super) mod file_rows;
pub mod scope_rows;
pub(super) mod selection_rows;

pub use crate::analysis::{ScorePart, ScoreWeights};
use crate::campaign::{Campaign, CampaignFile, Identity};
use crate::captures::PageFacts;
use crate::crawl::{HostPause, HostState, UrlOutcome};
use crate::inlinks::stored::tallied_anchor;
use crate::jobs::counted;
use crate::scope::{Trace, is_open_redirect, rule_label};
pub use crate::store::campaigns::lineage::{BranchPoint, TakenAs};
pub use crate::store::catalogue::ids::*;
use crate::store::findings::KeptFinding;
pub use crate::store::launches::events::*;
pub use crate::store::launches::launch_choice::*;
use crate::store::launches::queue::RelevantShare;
pub use crate::store::launches::scheduled::{RunState, ScheduledRun};
pub use crate::store::launches::trials::Trial;
pub use crate::store::links::prospect_sites::{ProspectSite, ProspectSiteQuery, ProspectSites};
pub use crate::store::review::assessments::*;
pub use crate::store::review::collections::CollectionSpec;
pub use crate::store::review::decision_rows::*;
pub use crate::store::review::queue::*;
pub use crate::store::review::samples::*;
pub use crate::store::review::score_set::SelectionCriteria;
pub use crate::store::rows::file_rows::*;
pub use crate::store::rows::selection_rows::*;
use crate::uri::{CaptureDate, parse_web_url};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The open workspace.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkspaceInfo {
    /// Its folder.
    pub folder: PathBuf,
    /// Set when it is read-only: why, what cannot be done, what to do.
    pub read_only: Option<String>,
    /// Free bytes on its disk.
    pub disk_free: u64,
    /// Captures in it.
    pub captures: u64,
    /// Campaigns in it.
    pub campaigns: u64,
    /// Days of the window that the inlink columns count; none where inlinks are not built.
    pub counted_window_days: Option<u32>,
}

/// A row of the campaign list. Each number is a link to the rows it counts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CampaignRow {
    /// Its number.
    pub id: CampaignId,
    /// Its identity in every workspace.
    pub identity: Identity,
    /// The campaign that it is a branch of, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<BranchPoint>,
    /// Its origin, such as a handover; none where it was made here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Title.
    pub name: String,
    /// Whether its schedule is on.
    pub active: bool,
    /// Its origin, while it waits for a person here to let it run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspended: Option<String>,
    /// Version of its specification.
    pub version: u32,
    /// Seeds.
    pub seeds: u64,
    /// When it last ran.
    pub last_run: Option<CaptureDate>,
    /// When its schedule has it run next, in words.
    pub next_run: Option<String>,
    /// Captures.
    pub captures: u64,
    /// What takes long to count in a large archive; none where it was not counted.
    #[serde(flatten)]
    pub counted: Option<CampaignCounts>,
    /// Bytes of its WARC files.
    pub bytes: u64,
    /// Tags.
    pub tags: Vec<String>,
    /// Why its specification cannot be read, in words; figures of it are empty then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Numbers of a campaign for which each of its captures is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct CampaignCounts {
    /// URLs refused by a rule.
    pub refused: u64,
    /// Content versions without a person's decision.
    pub to_review: u64,
    /// Captures a person or the threshold selected.
    pub selected: u64,
}

impl CampaignRow {
    /// Its title on screen.
    pub fn title(&self) -> String {
        let title = campaign_title(self.id, &self.name);
        self.branch.map_or(title.clone(), |branch| format!("{title} ({branch})"))
    }
}

/// A campaign with what came of the same identity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CampaignWithBranches {
    /// The campaign.
    #[serde(flatten)]
    pub row: CampaignRow,
    /// Its branches, by their numbers.
    pub branches: Vec<CampaignRow>,
}

impl CampaignWithBranches {
    /// Campaigns in the order of the catalogue, which has branches behind their campaign.
    pub fn of(rows: Vec<CampaignRow>) -> Vec<Self> {
        let mut listed: Vec<Self> = Vec::with_capacity(rows.len());
        for row in rows {
            match (listed.last_mut(), row.branch) {
                (Some(last), Some(point)) if point.campaign == last.row.id => last.branches.push(row),
                _ => listed.push(Self { row, branches: Vec::new() }),
            }
        }
        listed
    }
}

/// The title of a campaign on screen: its name, or its number where it has none.
pub fn campaign_title(id: CampaignId, name: &str) -> String {
    match name.trim() {
        "" => format!("campaign {id} (no name)"),
        _ => name.to_owned(),
    }
}

/// A campaign with its saved versions.
#[derive(Debug, Clone, PartialEq)]
pub struct CampaignPage {
    /// Its number.
    pub id: CampaignId,
    /// Latest version.
    pub version: u32,
    /// Its value.
    pub campaign: Campaign,
    /// The campaign in the form of a file.
    pub file: CampaignFile,
    /// The campaign that it is a branch of, where it is one.
    pub branch: Option<BranchPoint>,
    /// Version and date of saving, newest first.
    pub versions: Vec<(u32, CaptureDate)>,
    /// See [`CampaignRow::suspended`].
    pub suspended: Option<String>,
    /// Of each seed, in order: captures so far.
    pub seed_captures: Vec<u64>,
    /// Of each rule, in order: URLs it decided.
    pub rule_hits: Vec<u64>,
    /// Seeds that redirect to another site.
    pub moved_seeds: Vec<MovedSeed>,
}

/// A seed that redirects to another site, whose reach it does not bring along:
/// a person decides whether the target is a seed as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedSeed {
    /// The seed as typed.
    pub seed: String,
    /// Its last target.
    pub target: String,
    /// When.
    pub date: CaptureDate,
}

impl MovedSeed {
    /// Whether a campaign leaves the target open.
    pub fn is_open(&self, campaign: &Campaign) -> bool {
        parse_web_url(&self.target).is_some_and(|target| is_open_redirect(campaign, &self.seed, &target))
    }
}

/// State of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LaunchState {
    /// At work.
    #[default]
    Running,
    /// Waits for a person.
    Paused,
    /// Stopped or killed before its end; can be resumed.
    Stopped,
    /// Came to its end.
    Finished,
}

impl LaunchState {
    /// Its name for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Running => "Running",
            Self::Paused => "Paused",
            Self::Stopped => "Stopped, can be resumed",
            Self::Finished => "Finished",
        }
    }
}

/// The running or last crawl.
#[derive(Debug, Clone, PartialEq)]
pub struct CrawlPage {
    /// Its launch; none when nothing ever ran.
    pub launch: Option<LaunchRow>,
    /// Job to pause or cancel, while it runs.
    pub job: Option<u64>,
    /// Samples of one launch over the time that it ran, twice a second while it runs, oldest first.
    pub samples: Vec<CrawlSample>,
    /// Captures by status class: 2xx, 3xx, 4xx, 5xx, failed.
    pub classes: [u64; 5],
    /// Bytes by MIME type, largest first.
    pub types: Vec<(String, u64, u64)>,
    /// One row a host, of those with the most URLs fetched.
    pub hosts: Vec<HostRow>,
    /// Hosts altogether.
    pub hosts_total: u64,
    /// Refused URLs by the rule that decided.
    pub refused_by_rule: Vec<(String, u64)>,
    /// All launches that there are to choose from, newest first.
    pub launches: Vec<LaunchChoice>,
    /// Hosts that a running crawl leaves alone for some time, the first of them.
    pub pauses: Vec<HostPause>,
    /// The number of all.
    pub pauses_total: u64,
    /// The share of relevant pages among the last that were fetched, where the request says what is relevant.
    pub relevant: Option<RelevantShare>,
    /// The version of its campaign that was saved while it runs.
    pub saved_version: Option<u32>,
    /// Pages that sources of the campaign named for it.
    pub named_by_sources: u64,
}

impl CrawlPage {
    /// The state of the launch as text, with the answers that are errors.
    pub fn label(&self, launch: &LaunchRow) -> String {
        let errors = self.classes[2] + self.classes[3];
        let label = launch.label();
        if errors == 0 || launch.state != LaunchState::Finished || launch.nothing_fetched || launch.only_errors {
            return label;
        }
        let joined = if launch.failed > 0 { " and" } else { " with" };
        format!("{label}{joined} {} of 4xx or 5xx", counted(errors, "answer"))
    }
}

/// The version and kind of a launch, on which its rules depend beside what its seeds redirected to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchBasis {
    /// Its number.
    pub id: LaunchId,
    /// The version of its campaign that it ran.
    pub version: u32,
    /// Of a crawl that another crawler made: from when till when it went. Its
    /// captures are those of an import.
    pub foreign_term: Option<(CaptureDate, CaptureDate)>,
}

/// A launch with its counts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LaunchRow {
    /// Its number.
    pub id: LaunchId,
    /// Its campaign.
    pub campaign: CampaignId,
    /// Title of the campaign.
    pub campaign_name: String,
    /// UTC start, 14 digits: the name of its folders.
    pub launch: String,
    /// Its state.
    pub state: LaunchState,
    /// When it began.
    pub started: CaptureDate,
    /// When it ended.
    pub ended: Option<CaptureDate>,
    /// Milliseconds that it ran, without the time that it was paused or stopped.
    pub ran_ms: u64,
    /// URLs waiting.
    pub queued: u64,
    /// URLs fetched with an answer.
    pub fetched: u64,
    /// URLs that could not be fetched.
    pub failed: u64,
    /// Of those fetched, URLs whose last answer was 429 or an error of the server (5xx): they may be
    /// fetched again.
    pub server_errors: u64,
    /// Whether it has ended with answers and all of them were errors.
    pub only_errors: bool,
    /// URLs refused by a rule.
    pub refused: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Why it stopped, in words; empty for a normal end.
    pub why: String,
    /// Whether it has ended without a URL fetched, but for robots.txt.
    pub nothing_fetched: bool,
    /// The handover that it came with; none where it was crawled here.
    pub origin: Option<String>,
    /// What it is as a trial; none of others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trial: Option<Trial>,
}

impl LaunchRow {
    /// URLs that another try may bring: those that failed, and those whose
    /// last answer was 429 or an error of the server.
    pub fn to_retry(&self) -> u64 {
        self.failed + self.server_errors
    }

    /// This row with the number of its URLs whose answer is no error, robots.txt left out.
    pub(super) fn with_good(self, good: u64) -> Self {
        let only_errors = self.state == LaunchState::Finished && !self.nothing_fetched && self.fetched > 0 && good == 0;
        Self { only_errors, ..self }
    }
}

/// The outcome of a crawl that fetched nothing.
pub const NOTHING_FETCHED: &str = "Ended: nothing fetched";

/// The outcome of a crawl that got nothing but errors.
pub const ONLY_ERRORS: &str = "Ended: only errors";

/// A sample of a crawl.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CrawlSample {
    /// Seconds that the launch had run.
    pub seconds: f64,
    /// URLs found in scope so far.
    pub found: u64,
    /// URLs of these that neither wait nor are being fetched: fetched, failed, or refused when they were due.
    pub done: u64,
    /// Bytes received so far.
    pub bytes: u64,
    /// URLs being fetched now.
    pub in_flight: u64,
}

/// A host of a launch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostRow {
    /// Host, with port where it is no default.
    pub host: String,
    /// Address, where looked up.
    pub address: String,
    /// Country, where looked up.
    pub country: String,
    /// URLs waiting.
    pub queued: u64,
    /// URLs fetched.
    pub fetched: u64,
    /// URLs failed.
    pub failed: u64,
    /// URLs refused.
    pub refused: u64,
    /// Bytes received.
    pub bytes: u64,
    /// The rules that let its URLs in, in the order of the list, with how many each.
    pub rules: Vec<(String, u64)>,
    /// What it does now, where its crawl runs.
    #[serde(skip)]
    pub now: Option<HostState>,
}

/// A URL ever seen, with its verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SeenRow {
    /// Number in the ledger.
    pub id: SeenId,
    /// The URL.
    pub url: String,
    /// The page that led here.
    pub via: String,
    /// Text of the link.
    pub anchor: String,
    /// Path from the seed.
    pub hops: String,
    /// `ACCEPT` or `REJECT`.
    pub decision: String,
    /// The rule that spoke last.
    pub rule: String,
    /// Queued, fetched, refused, failed (with why).
    pub state: String,
    /// Its outcome.
    pub outcome: UrlOutcome,
    /// When it was seen.
    pub date: CaptureDate,
}

/// A column of the captures table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaptureColumn {
    /// A person's word.
    Mark,
    /// Score of the last selection.
    Score,
    /// The URL.
    Url,
    /// Title.
    Title,
    /// Date.
    Date,
    /// HTTP status.
    Status,
    /// MIME type.
    Mime,
    /// Payload bytes.
    Size,
    /// Language.
    Language,
    /// Internal inlinks in the window.
    InlinksInternal,
    /// External inlinks in the window.
    InlinksExternal,
    /// Distinct external hosts in the window.
    InlinkHosts,
    /// Most frequent anchor in the window.
    TopAnchor,
    /// Hops from the seed.
    Depth,
    /// The page that led here.
    Via,
    /// The rule that let it in.
    Rule,
    /// Captures of the same page.
    Versions,
}

/// Ready filters above the captures table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaptureTab {
    /// Everything.
    #[default]
    All,
    /// HTML pages.
    Html,
    /// PDF, office and text documents.
    Documents,
    /// Images.
    Images,
    /// 4xx and 5xx.
    Failed,
    /// 3xx.
    Redirects,
    /// Payload already held (revisits and equal digests).
    Duplicates,
    /// Payload or kind of answer differs from the capture before.
    Changed,
    /// Decided by the geolocation rule; other rules may have let them in, too.
    GeoOnly,
    /// Without inlinks in the window.
    NoInlinks,
    /// Three or more external hosts link here.
    ManyExternal,
    /// Without a person's word.
    NotReviewed,
    /// Selected by hand or score.
    Selected,
}

/// A question to the captures table.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CaptureQuery {
    /// Plain text, `re:…`, or fields such as `host:gov.pt status:404 inlinks.ext>3`.
    pub filter: String,
    /// Ready filter.
    pub tab: CaptureTab,
    /// Only this campaign.
    pub campaign: Option<CampaignId>,
    /// Sort keys, first counts most; `true` is descending.
    pub sort: Vec<(CaptureColumn, bool)>,
    /// First row of the page.
    pub offset: u64,
    /// Rows of the page.
    pub limit: u64,
}

/// A part of the captures table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CapturePage {
    /// Number of the first row.
    pub offset: u64,
    /// The rows.
    pub rows: Vec<CaptureRow>,
    /// Rows that match in all.
    pub total: u64,
    /// Why the filter could not be understood, in words.
    pub filter_problem: Option<String>,
}

/// The number of captures in each ready filter.
pub type TabCounts = Vec<(CaptureTab, u64)>;

/// A row of the captures table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CaptureRow {
    /// Its number.
    pub id: CaptureId,
    /// A person's last decision.
    pub mark: Option<ReviewMark>,
    /// Its origin, where it was given in another workspace.
    pub decision_origin: Option<String>,
    /// Whether the decision was given on another capture of the same page and content.
    pub decision_inherited: bool,
    /// Score of the last selection.
    pub score: Option<f64>,
    /// URL.
    pub url: String,
    /// Title. Hostile text.
    pub title: String,
    /// When.
    pub date: CaptureDate,
    /// HTTP status.
    pub status: i32,
    /// MIME type.
    pub mime: String,
    /// Payload bytes.
    pub size: u64,
    /// Language.
    pub language: String,
    /// Internal inlinks in the window; none when inlinks are not built.
    pub inlinks_internal: Option<u64>,
    /// External inlinks in the window.
    pub inlinks_external: Option<u64>,
    /// Distinct external hosts in the window.
    pub inlink_hosts: Option<u64>,
    /// Most frequent anchor in the window. Hostile text.
    pub top_anchor: String,
    /// Path from the seed; of an import, the one in its file.
    pub hops: String,
    /// The page that led here; of an import, the one in its file.
    pub via: String,
    /// The rule of a campaign that let it in.
    pub rule: String,
    /// The rule that the file of an import names.
    pub file_rule: String,
    /// Whether it came by import: its path and rule are those in its file.
    pub imported: bool,
    /// Whether it repeats a payload already held.
    pub revisit: bool,
    /// Captures of the same page.
    pub versions: u64,
}

impl CaptureRow {
    /// The decision on it, with where it is from and whether it is inherited; empty without one.
    pub fn decision_label(&self) -> String {
        let origin = self.decision_origin.as_deref();
        self.mark.map_or(String::new(), |mark| with_source(mark.label(), origin, self.decision_inherited))
    }

    /// The text of its rule: that of a campaign here, or the one in its file.
    pub fn rule_or_claim(&self) -> String {
        let label = |rule: &str| if rule.is_empty() { String::new() } else { rule_label(rule).to_owned() };
        match self.file_rule.as_str() {
            "" => label(&self.rule),
            claim => format!("{} (the file says)", label(claim)),
        }
    }

    /// The names of its fields as JSON has them.
    pub const COLUMNS: [&str; 23] = [
        "id",
        "mark",
        "decision_origin",
        "decision_inherited",
        "score",
        "url",
        "title",
        "date",
        "status",
        "mime",
        "size",
        "language",
        "inlinks_internal",
        "inlinks_external",
        "inlink_hosts",
        "top_anchor",
        "hops",
        "via",
        "rule",
        "file_rule",
        "imported",
        "revisit",
        "versions",
    ];
}

/// Everything the lower panel shows of one capture, but its links.
#[derive(Debug, Clone, PartialEq)]
pub struct CaptureDetail {
    /// The row.
    pub row: CaptureRow,
    /// Its outcome.
    pub outcome: UrlOutcome,
    /// Label and value, in reading order: SURT, digests, address, file, offset …
    pub details: Vec<(String, String)>,
    /// Why it was taken; none for imports without logs.
    pub trace: Option<Trace>,
    /// Path from the seed: URL and anchor of each step, seed first.
    pub path: Vec<(String, String)>,
    /// Captures of the same page, oldest first.
    pub versions: Vec<CaptureRow>,
    /// Decisions and notes, newest first.
    pub notes: Vec<CaptureNote>,
    /// What checks found, the worst first; none where it was not checked.
    pub findings: Option<Vec<KeptFinding>>,
    /// The facts of its page; none where it is not indexed. The catalogue does not have them.
    pub facts: Option<PageFacts>,
}

/// Content that is read from the WARC record itself.
#[derive(Debug, Clone, PartialEq)]
pub struct CaptureContent {
    /// Request head as sent, where it was kept. Hostile text.
    pub request_head: String,
    /// Response head as received. Hostile text.
    pub response_head: String,
    /// Named fields of the WARC record.
    pub warc_fields: Vec<(String, String)>,
    /// Visible text, at most [`TEXT_BYTES`](crate::captures::limits::TEXT_BYTES) of it; `problems` names that there
    /// is more. Hostile text.
    pub text: String,
    /// Charset that was used, in words with its source.
    pub charset: String,
    /// Problems met while reading.
    pub problems: Vec<String>,
}

/// An inlink of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InlinkRow {
    /// When the linking page was captured.
    pub date: CaptureDate,
    /// The linking page.
    pub source: String,
    /// Its host.
    pub source_host: String,
    /// Text of the link. Hostile text.
    pub anchor: String,
    /// Same site or not.
    pub internal: bool,
    /// Whether it lies in the window of the capture in question.
    pub in_window: bool,
    /// The linking capture, to go to.
    pub capture: Option<CaptureId>,
    /// It, or its page, has `nofollow`; of equal links of a page, all do.
    pub nofollow: bool,
    /// Its `rel`, in lower case; empty without, and where it is not known. Hostile text.
    pub rel: String,
    /// The part of the linking page that holds it (`main`, `nav`, `header`, `footer`, `aside`), where
    /// the markup names one.
    pub place: Option<String>,
    /// Number in the linking page, where it is known.
    pub position: Option<u32>,
    /// The handover that lists it, where the linking page is not here.
    pub origin: Option<String>,
}

impl InlinkRow {
    /// Whether this is what its anchor is tallied as, as in [`AnchorRow::text`].
    pub fn has_anchor(&self, text: &str) -> bool {
        tallied_anchor(&self.anchor) == text
    }
}

/// Inlinks of one page around one capture.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InlinkPage {
    /// The page whose inlinks these are.
    pub target: String,
    /// Capture dates of the page, for the time strip.
    pub capture_dates: Vec<CaptureDate>,
    /// The capture whose inlinks these are.
    pub around: Option<CaptureDate>,
    /// Days of the window.
    pub window_days: u32,
    /// Inlinks, in (date, source, anchor) order, at most the cap a side in the
    /// window and the cap a side outside it.
    pub rows: Vec<InlinkRow>,
    /// Internal ones in the window, in all.
    pub internal: u64,
    /// External ones in the window, in all.
    pub external: u64,
    /// Inlinks in the window that the cap cut off.
    pub cut: u64,
    /// Inlinks outside the window that the cap cut off.
    pub outside_cut: u64,
    /// Whether inlinks were ever built.
    pub built: bool,
}

/// A link out of a capture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OutlinkRow {
    /// Number in the page.
    pub position: u32,
    /// Its target.
    pub url: String,
    /// Text. Hostile text.
    pub anchor: String,
    /// Element kind, in a word.
    pub kind: String,
    /// Its `rel`, in lower case; empty without. Hostile text.
    pub rel: String,
    /// It, or its page, has `nofollow`.
    pub nofollow: bool,
    /// The part of the page that holds it (`main`, `nav`, `header`, `footer`, `aside`), where the
    /// markup names one.
    pub place: Option<String>,
    /// A capture of the target, nearest in time.
    pub capture: Option<CaptureId>,
    /// Its outcome in the same launch, where that saw it.
    pub outcome: Option<UrlOutcome>,
}

/// An anchor text with its tally.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnchorRow {
    /// The text, folded. Hostile text.
    pub text: String,
    /// Distinct linking hosts.
    pub hosts: u64,
    /// Links.
    pub links: u64,
    /// First date.
    pub first: CaptureDate,
    /// Last date.
    pub last: CaptureDate,
    /// Whether it holds a term of the campaign.
    pub matches_request: bool,
}

/// A page that is cited but was never captured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProspectRow {
    /// URL as cited.
    pub url: String,
    /// Distinct external citing hosts.
    pub hosts: u64,
    /// Citing links.
    pub links: u64,
    /// First cited.
    pub first: CaptureDate,
    /// Last cited.
    pub last: CaptureDate,
    /// Best anchor. Hostile text.
    pub anchor: String,
    /// Decision and rule by the present rules of the campaign; those of the last crawl where no
    /// campaign is chosen.
    pub verdict: String,
    /// Decision of the last crawl that saw it, and whether it could be fetched.
    pub last_crawl: String,
}

/// A job of this run or an earlier one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JobRow {
    /// Its number.
    pub id: u64,
    /// Its description.
    pub name: String,
    /// When it began.
    pub started: CaptureDate,
    /// When it ended.
    pub ended: Option<CaptureDate>,
    /// Its outcome as text.
    pub outcome: String,
    /// The job that it followed by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follows: Option<u64>,
}
