//! The campaign, the order of an archivist to collect: a versioned value, saved as JSON.
//!
//! In and out: JSON files, rows of the catalogue, the request as one line of
//! text, the crawl feed of an annotation tool ([`feed`]). Unknown fields of a
//! newer version are kept.
//!
//! Not here: what the rules decide (`scope`), who starts a run (`work/launch`).

mod crawl_conditions;
mod crawl_order;
mod differences;
mod due;
mod evidence;
pub mod feed;
mod identity;
mod json;
mod permission;
mod private_addresses;
mod problems;
mod report_language;
mod request;
mod request_text;
mod schedule;
mod source;
mod target;
mod url_score;
mod weighted;

pub use crawl_order::CrawlOrder;
pub use differences::{FieldDifference, campaign_differences};
pub use due::{Fate, settle};
pub use evidence::{EvidenceCarried, MissingEvidence, RecordEvidence};
pub use identity::{CampaignFile, Identity};
pub use json::{CampaignFileError, UNREAD_FIELDS};
pub use permission::{Criterion, EvidenceFile, Grounds, Permission, PermissionRequest, PermissionState, Reading};
pub use private_addresses::PrivateAddresses;
pub use problems::{CampaignProblem, contact_in};
pub use report_language::ReportLanguage;
pub use request::{Request, Term, TermKind, with_alternative};
pub use schedule::{Calendar, CatchUp, Frequency, MAX_NEXT_RUNS, Run, Schedule, ScheduleError};
pub use source::{CampaignSource, MAX_SOURCE_QUERIES, QUERY_PLACE, SourceKind, fill_template};
pub use target::Target;
pub use url_score::{UrlScore, UrlScores};
pub use weighted::{WeightedPart, effective_weight, weighted_sum};

use crate::uri::{CaptureDate, Url, drop_user};
use serde::{Deserialize, Serialize};

/// A campaign as it is edited, saved and exported.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Campaign {
    /// Short title.
    pub name: String,
    /// Its purpose, in prose.
    pub description: String,
    /// The person or body that answers for it.
    pub owner: String,
    /// Free comments.
    pub comments: String,
    /// Free tags.
    pub tags: Vec<String>,
    /// Whether its schedule is on; inactive beats every schedule.
    pub active: bool,
    /// The subject of its pages; in a file, a tree or one line of text.
    #[serde(deserialize_with = "json::request")]
    pub request: Request,
    /// Where it starts.
    pub seeds: Vec<Seed>,
    /// URLs on other sites that seeds redirect to, and that a person does not
    /// want as seeds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out_redirects: Vec<String>,
    /// Services that name pages to fetch, read before its launches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<CampaignSource>,
    /// The scope, in order; see [`crate::scope`]. Kept as JSON here because
    /// the rules' meaning lives in the scope room.
    pub rules: Vec<serde_json::Value>,
    /// Permissions of rights holders, and criteria that were found to be met.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub permissions: Vec<Permission>,
    /// On what grounds URLs without such a record may be collected.
    pub grounds: Grounds,
    /// When it runs.
    pub schedule: Schedule,
    /// The kept selection is made again after each of its crawls and each import; without it,
    /// what that would change is offered to a person.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub select_after_run: bool,
    /// Its captures are analysed after each of its crawls and each import.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub analyse_after_run: bool,
    /// What it fetches first.
    pub order: CrawlOrder,
    /// What comes earlier or later than that, by URL or by tag.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<UrlScore>,
    /// Where it stops.
    pub limits: Limits,
    /// How it behaves towards servers.
    pub politeness: Politeness,
    /// The target of an annotation tool that it was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// The language of the report in its handovers; none is English.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report_language: Option<ReportLanguage>,
    /// Fields of a newer program, kept.
    #[serde(flatten)]
    pub other: serde_json::Map<String, serde_json::Value>,
}

impl Default for Campaign {
    fn default() -> Self {
        Self {
            name: String::new(),
            description: String::new(),
            owner: String::new(),
            comments: String::new(),
            tags: Vec::new(),
            active: true,
            request: Request::default(),
            seeds: Vec::new(),
            left_out_redirects: Vec::new(),
            sources: Vec::new(),
            rules: Vec::new(),
            permissions: Vec::new(),
            grounds: Grounds::default(),
            schedule: Schedule::default(),
            select_after_run: false,
            analyse_after_run: false,
            order: CrawlOrder::default(),
            scores: Vec::new(),
            limits: Limits::default(),
            politeness: Politeness::default(),
            target: None,
            report_language: None,
            other: serde_json::Map::new(),
        }
    }
}

impl Campaign {
    /// A campaign to begin with: no request, no seeds, Heritrix's
    /// politeness, and limits that a first try does not outgrow. Seeds and a
    /// user agent with a contact only a person can give; the rules are the
    /// scope room's.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            limits: Limits { max_documents: 10_000, max_bytes: 2_000_000_000, ..Limits::default() },
            ..Self::default()
        }
    }

    /// The rules, and what they are read with, alone.
    pub fn what_rules_read(&self) -> Self {
        Self {
            rules: self.rules.clone(),
            seeds: self.seeds.clone(),
            permissions: self.permissions.clone(),
            grounds: self.grounds.clone(),
            ..Self::default()
        }
    }

    /// Whether any record of a permission is a refusal, which a rule behind the
    /// campaign's own then obeys.
    pub fn has_refusals(&self) -> bool {
        self.permissions.iter().any(|record| record.state == PermissionState::Refused)
    }

    /// Whether two campaigns have the same rules and the same of all that these depend on.
    pub fn has_same_rules(&self, other: &Self) -> bool {
        self.rules == other.rules
            && self.seeds == other.seeds
            && self.permissions == other.permissions
            && self.grounds == other.grounds
    }

    /// The next `count` runs after an instant, of a campaign made at
    /// `created`; none while it is inactive, whatever its schedule.
    pub fn next_runs(&self, after: CaptureDate, created: CaptureDate, count: usize) -> Result<Vec<Run>, ScheduleError> {
        if self.active { self.schedule.next_runs(after, created, count) } else { Ok(Vec::new()) }
    }
}

/// The reach of a seed (the four scopes of the annotation tool).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SeedScope {
    /// The seed's URL and what it needs to be shown.
    Resource,
    /// The seed and everything one link away.
    Plus1,
    /// Everything under the seed's path.
    #[default]
    Root,
    /// Everything on the seed's host and its subdomains.
    Subdomains,
}

/// A URL the campaign starts from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Seed {
    /// The URL as typed; a trailing slash matters.
    pub url: String,
    /// How far it reaches.
    #[serde(default)]
    pub scope: SeedScope,
    /// Most hops from this seed; none means the rule's limit.
    #[serde(default)]
    pub depth: Option<u32>,
    /// A word that every URL found from here carries.
    #[serde(default)]
    pub source_tag: String,
}

impl Seed {
    /// The URL without user name and password; none where it has none.
    pub fn without_user(&self) -> Option<String> {
        let mut url = Url::parse(self.url.trim()).ok()?;
        drop_user(&mut url).then(|| url.into())
    }
}

/// The limits at which a crawl stops. Zero means no limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Captures in one launch.
    pub max_documents: u64,
    /// Bytes of payload in one launch.
    pub max_bytes: u64,
    /// Seconds of one launch.
    pub max_seconds: u64,
    /// Bytes of one response before it is cut and marked.
    pub max_response_bytes: u64,
    /// Seconds of one response before it is cut and marked.
    pub max_response_seconds: u64,
    /// Bytes a second that a response has to bring over a minute, or it is cut
    /// and marked.
    pub min_response_bytes_per_second: u64,
    /// Free bytes below which the crawl pauses.
    pub disk_floor_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_documents: 0,
            max_bytes: 0,
            max_seconds: 0,
            max_response_bytes: 1_000_000_000,
            max_response_seconds: 1200,
            min_response_bytes_per_second: 20,
            disk_floor_bytes: 500_000_000,
        }
    }
}

/// The policy towards robots.txt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RobotsPolicy {
    /// Obey (RFC 9309).
    #[default]
    Obey,
    /// Do not fetch it.
    Ignore,
    /// Fetch it, log its decision, crawl anyway.
    ObeyButLog,
}

/// The behaviour of a crawl towards servers. Heritrix's names and defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Politeness {
    /// Who crawls: `User-Agent` as sent. Has to hold a way to reach a person
    /// (an e-mail address or a URL); nothing is invented.
    pub user_agent: String,
    /// Wait this many times the last fetch's duration.
    pub delay_factor: f64,
    /// At least this long, in milliseconds.
    pub min_delay_ms: u64,
    /// At most this long by the factor, in milliseconds.
    pub max_delay_ms: u64,
    /// Obey a crawl-delay up to this many seconds.
    pub respect_crawl_delay_up_to_seconds: u64,
    /// Robots policy.
    pub robots: RobotsPolicy,
    /// Private and loopback addresses that may be fetched from.
    pub allow_private_addresses: PrivateAddresses,
    /// Worker threads.
    pub workers: usize,
    /// How often a failed URL is tried again.
    pub max_retries: u32,
    /// Seconds before a failed URL is tried again.
    pub retry_delay_seconds: u64,
}

impl Default for Politeness {
    fn default() -> Self {
        Self {
            user_agent: String::new(),
            delay_factor: 5.0,
            min_delay_ms: 3000,
            max_delay_ms: 30_000,
            respect_crawl_delay_up_to_seconds: 300,
            robots: RobotsPolicy::Obey,
            allow_private_addresses: PrivateAddresses::default(),
            workers: 8,
            max_retries: 3,
            retry_delay_seconds: 60,
        }
    }
}
