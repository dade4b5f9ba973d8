//! Read models about the scope: what would change, and who let what in.

use super::rows::LaunchId;
use crate::scope::{GeoEvidence, GeoFact, Verdict};
use crate::uri::CaptureDate;
use serde::Serialize;

/// What an edited list of rules would change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WhatIf {
    /// The launches whose URLs were tried.
    pub launches: Vec<LaunchId>,
    /// Distinct URLs tried.
    pub seen: u64,
    /// Of these, fetched because others needed them, which no rule decides.
    pub apart: u64,
    /// Taken, and still taken.
    pub stay_in: u64,
    /// Refused, and still refused.
    pub stay_out: u64,
    /// Of those that stay: decided by a rule of another index.
    pub other_rule: u64,
    /// Whether they change side hangs on a country that nobody has looked up, or
    /// whose look-up failed: rules that accept countries could let them in,
    /// rules that reject them could throw them out. Each is counted, too, as
    /// though its server stood in no country.
    pub unknown: Moved,
    /// Distinct hosts (with port) of the URLs that change side.
    pub moved_hosts: u64,
    /// Taken by the edited rules as far as is known, but what a fetch would
    /// tell (robots.txt, type or size) could refuse it, and nobody has asked.
    pub unfetched: u64,
    /// What would be taken in addition.
    pub moved_in: Moved,
    /// What would be refused in addition.
    pub moved_out: Moved,
    /// Of each edited rule, in order: what it decides among these.
    pub by_rule: Vec<RuleMoves>,
}

/// One side of a [`WhatIf`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Moved {
    /// URLs.
    pub urls: u64,
    /// Distinct hosts (with port) of these URLs.
    pub hosts: u64,
    /// URLs that have a capture, whose size is known.
    pub captured: u64,
    /// Payload bytes of the last capture of each of them.
    pub bytes: u64,
    /// Numbers of the seen URLs, ascending; eight bytes each.
    #[serde(skip)]
    pub ids: Vec<i64>,
}

/// The side that URLs change to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MovedSide {
    /// Would be taken.
    In,
    /// Would be refused.
    Out,
    /// Cannot be told: it hangs on a country that nobody has looked up, or whose look-up failed.
    Unknown,
}

impl WhatIf {
    /// One of the lists.
    pub fn side(&self, side: MovedSide) -> &Moved {
        match side {
            MovedSide::In => &self.moved_in,
            MovedSide::Out => &self.moved_out,
            MovedSide::Unknown => &self.unknown,
        }
    }
}

/// What an edited rule decides among the URLs that change side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleMoves {
    /// Its index in the edited list.
    pub index: usize,
    /// Its name in logs.
    pub name: String,
    /// What it is, in words.
    pub words: String,
    /// Whether it is switched on.
    pub enabled: bool,
    /// URLs it takes that were refused.
    pub moved_in: u64,
    /// URLs it refuses that were taken.
    pub moved_out: u64,
}

/// A URL that would change side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovedRow {
    /// Number of the seen URL.
    pub seen: i64,
    /// The launch that saw it last.
    pub launch: LaunchId,
    /// The URL.
    pub url: String,
    /// The page that led here.
    pub via: String,
    /// Its path from the seed.
    pub hops: String,
    /// What the rules of that launch say.
    pub before: Verdict,
    /// What the edited ones say.
    pub after: Verdict,
    /// Payload bytes of its last capture; none where there is none.
    pub bytes: Option<u64>,
}

impl MovedRow {
    /// Its host, with port where the URL has one; empty where it has none.
    pub fn host(&self) -> &str {
        let rest = self.url.split_once("://").map_or("", |(_, rest)| rest);
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        authority.rsplit('@').next().unwrap_or_default()
    }
}

/// How often a rule spoke and decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleHits {
    /// Its index.
    pub index: usize,
    /// Its name in logs.
    pub name: String,
    /// What it is, in words.
    pub words: String,
    /// Whether it is switched on.
    pub enabled: bool,
    /// URLs it had an opinion of.
    pub spoke: u64,
    /// URLs it had the last word on.
    pub decided: u64,
    /// Number of an example (one it decided, if there is any).
    pub seen: Option<i64>,
    /// Its URL.
    pub example: Option<String>,
    /// Numbers of the URLs it decided, ascending; eight bytes each.
    #[serde(skip)]
    pub ids: Vec<i64>,
}

/// A host that only its location let in.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GeoHost {
    /// The host, with port where it is no default.
    pub host: String,
    /// URLs that only geolocation let in.
    pub urls: u64,
    /// Names of other rules that said yes to some of them on the way, without
    /// having the last word.
    pub also: Vec<String>,
    /// The evidence.
    pub evidence: GeoFact,
    /// The first such URL.
    pub first_url: String,
    /// When it was found.
    pub first_seen: CaptureDate,
    /// The page that led there; empty for a seed.
    pub first_via: String,
    /// Captures of the host.
    pub captures: u64,
    /// Their payload bytes.
    pub bytes: u64,
}

/// The report about such hosts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GeoReport {
    /// One row a host, by name.
    pub hosts: Vec<GeoHost>,
    /// URLs that a geolocation rule had the last word on and let in.
    pub decided: u64,
    /// Of these, URLs that would have come in without it.
    pub otherwise: u64,
}

/// A host whose verdicts another database would change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DriftHost {
    /// The host.
    pub host: String,
    /// URLs that would be taken.
    pub moved_in: u64,
    /// URLs that would be refused.
    pub moved_out: u64,
    /// One of them.
    pub example: String,
    /// The evidence that was recorded.
    pub old: GeoEvidence,
    /// The same addresses in the other database.
    pub new: GeoEvidence,
}

/// What another database would change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drift {
    /// Hosts whose verdicts change, by name.
    pub hosts: Vec<DriftHost>,
    /// Hosts with recorded addresses.
    pub known: u64,
    /// Of these, hosts some address of which has another country now.
    pub moved: u64,
    /// Hosts whose name could not be resolved; nothing is known of them.
    pub failed: u64,
    /// Type of the other database.
    pub database: String,
    /// When it was built.
    pub database_build: CaptureDate,
    /// What speaks against trusting the comparison, in words.
    pub remarks: Vec<String>,
}
