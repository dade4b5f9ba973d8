//! Why a URL is taken or refused.
//!
//! In: a [`Candidate`] and the [`Facts`] known about it. Out: a [`Verdict`]
//! that names the rule that spoke last, and on demand the whole [`Trace`].
//!
//! Out of logs that others wrote: which hosts a rule let in ([`LogReport`]).
//! Scopes of other crawlers are read and written ([`engines`]).
//!
//! Semantics are Heritrix's (`DecideRuleSequence`): every enabled rule speaks
//! in order, the last opinion wins, a disabled rule keeps its index, no
//! opinion is reject.
//!
//! Invariants: deciding is pure; addresses, countries and robots rules are
//! facts looked up before and recorded with their evidence.
//!
//! ```
//! use fonds::campaign::{Campaign, Seed};
//! use fonds::scope::{Candidate, DecideRules, Decision, Facts, standard_rules};
//!
//! let seed: Seed = serde_json::from_str(r#"{"url": "http://a.pt/"}"#).unwrap();
//! let campaign = Campaign { seeds: vec![seed], rules: standard_rules(), ..Campaign::default() };
//! let rules = DecideRules::compile(&campaign).unwrap();
//! let decide = |url: &str| rules.decide(&Candidate::bare(url.parse().unwrap()), &Facts::default());
//! assert_eq!(decide("http://a.pt/sobre").decision, Decision::Accept);
//! let verdict = decide("http://b.pt/");
//! assert_eq!((verdict.decision, verdict.rule_name.as_str()), (Decision::Reject, "RejectDecideRule"));
//! ```
//!
//! Not here: resolving names and fetching robots.txt. [`GeoDatabase`] answers
//! for addresses that somebody has resolved.

mod decide_rules;
mod domains;
mod explain;
mod geo;
mod hops;
mod host_runs;
mod left_out;
mod log_lines;
mod log_report;
mod permissions;
mod rule_labels;
pub mod rules;
mod scope_log;
mod standard;

pub mod other_crawlers;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod semantics;

pub use decide_rules::{DecideRules, NO_RULE, Needs, ScopeError};
pub use domains::Domains;
pub use explain::Remedy;
pub use geo::{GeoDatabase, GeoError};
pub use hops::{MAX_REDIRECTS, TOO_MANY_REDIRECTS, hop_count, refused_anyway, with_hop};
pub use left_out::{reject_below, rejects_below};
pub use log_report::{GEOLOCATION_RULE, LogQuestion, LogReport, LogReportError, LogTotals, LoggedHost};
pub use permissions::{Derivation, DerivationStep, Permissions, SeedsVerdict};
pub use rule_labels::{PREREQUISITE_RULE, PRIVATE_ADDRESS_RULE, ROBOTS_RULE, UNSUPPORTED_SCHEME, rule_label};
pub use rules::{REFUSED_PERMISSION, Refusals, RuleRemark, SeedReach, broken_pattern, is_open_redirect, seed_reach};
pub(crate) use scope_log::split_extra;
pub use scope_log::{ScopeLine, ScopeLineError};
pub use standard::{regex_rule, rule_groups, rule_templates, standard_rules};

use crate::uri::{CaptureDate, ScopeSurt, Url};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// Accept or reject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Decision {
    /// In scope.
    Accept,
    /// Out of scope.
    Reject,
}

impl Decision {
    /// `ACCEPT` or `REJECT`, as logs have it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "ACCEPT",
            Self::Reject => "REJECT",
        }
    }
}

/// A URL found, not yet decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The URL, without fragment.
    pub url: Url,
    /// Its SURT, which most rules test.
    pub surt: ScopeSurt,
    /// One letter a hop from the seed: L, E, R, M, P. Empty for a seed; of a
    /// long path the last 50 letters, behind the number of the others.
    pub hops: String,
    /// The page that led here.
    pub via: Option<Url>,
    /// Text of the link that led here.
    pub anchor: String,
    /// Whether it is a seed of the campaign.
    pub is_seed: bool,
    /// The seed it descends from, as typed.
    pub seed: Option<String>,
    /// The word the seed carries.
    pub source_tag: String,
    /// The link that led here says nofollow.
    pub nofollow: bool,
}

impl Candidate {
    /// A URL nobody linked to, as a tester types it.
    pub fn bare(url: Url) -> Self {
        Self {
            surt: ScopeSurt::of(&url),
            url,
            hops: String::new(),
            via: None,
            anchor: String::new(),
            is_seed: false,
            seed: None,
            source_tag: String::new(),
            nofollow: false,
        }
    }
}

/// The facts about a candidate's host and path at its decision.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Facts {
    /// Country of its server.
    pub geo: GeoFact,
    /// Decision of its robots.txt on this URL.
    pub robots: RobotsFact,
    /// When it is decided; none where that shall not matter.
    pub date: Option<CaptureDate>,
    /// Marks and notes of people on its captures, where there are some.
    pub annotation: Option<AnnotationFact>,
    /// The content that was fetched.
    pub content: ContentFact,
}

/// Marks and notes of people on a URL's captures.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AnnotationFact {
    /// The last mark that holds (`approve`, `reject`, `flag`); may be empty.
    pub mark: String,
    /// Notes that hold.
    pub notes: Vec<String>,
}

/// The answer of a URL.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum ContentFact {
    /// Nothing yet.
    #[default]
    NotFetched,
    /// This.
    Fetched {
        /// HTTP status.
        status: u16,
        /// MIME type as the server gave it.
        mime: String,
        /// Bytes of the payload.
        bytes: u64,
    },
}

/// The country of a host's server, with the evidence.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum GeoFact {
    /// Not looked up yet.
    #[default]
    #[serde(rename = "not_asked")]
    NotQueried,
    /// The name could not be resolved: a failure, never "not in the country".
    Failed {
        /// The error of the resolver.
        why: String,
    },
    /// Looked up.
    Known(GeoEvidence),
}

impl GeoFact {
    /// The country that the first address with one is in (ISO 3166).
    pub fn country(&self) -> Option<&str> {
        let Self::Known(evidence) = self else { return None };
        evidence.addresses.iter().find_map(|address| address.country.as_deref())
    }
}

/// The evidence of one geolocation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GeoEvidence {
    /// When it was looked up.
    pub date: CaptureDate,
    /// Each address of the host with the network and country the database has for it.
    pub addresses: Vec<AddressCountry>,
    /// Type of the database, such as `GeoLite2-Country`.
    pub database: String,
    /// Build date of the database.
    pub database_build: CaptureDate,
    /// The source of the addresses.
    #[serde(default)]
    pub source: AnswerSource,
}

impl GeoEvidence {
    /// Sets the source of the addresses.
    pub fn answered_by(self, source: AnswerSource) -> Self {
        Self { source, ..self }
    }

    /// Each address with network and country, in words.
    pub fn places(&self) -> String {
        self.addresses.iter().map(AddressCountry::summary).collect::<Vec<_>>().join("; ")
    }
}

/// The source of the addresses of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerSource {
    /// That was not written down.
    #[default]
    Unrecorded,
    /// The system's resolver.
    Resolver,
    /// The URL itself: its host is an address.
    Url,
    /// A person, for this host and port.
    Override,
}

impl AnswerSource {
    /// The name of the source for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Unrecorded => "not recorded",
            Self::Resolver => "resolver",
            Self::Url => "the URL",
            Self::Override => "set by hand",
        }
    }
}

/// An address with network and country by the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressCountry {
    /// The address.
    pub address: IpAddr,
    /// The network that the database entry covers, such as `192.0.2.0/24`.
    pub network: String,
    /// ISO 3166 code, where the database has one.
    pub country: Option<String>,
    /// Country that the network is registered in, where the database has it;
    /// no rule uses it, a person may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registered: Option<String>,
    /// City, where the database has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
}

impl AddressCountry {
    /// An address of which no more than its network and country is known.
    pub fn new(address: IpAddr, network: impl Into<String>, country: Option<String>) -> Self {
        Self { address, network: network.into(), country, registered: None, city: None }
    }

    /// `192.0.2.1 in 192.0.2.0/24 is PT (Aveiro)`.
    pub fn summary(&self) -> String {
        let country = self.country.as_deref().unwrap_or("no country");
        let city = self.city.as_ref().map(|city| format!(" ({city})")).unwrap_or_default();
        format!("{} in {} is {country}{city}", self.address, self.network)
    }
}

/// The decision of robots.txt on one URL.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RobotsFact {
    /// robots.txt was not fetched (yet).
    #[default]
    NotFetched,
    /// Allowed.
    Allowed,
    /// Disallowed, with the reason (the line, or the status that denies all).
    Denied {
        /// Why.
        why: String,
    },
}

/// The decision of all rules, and the rule that gave it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// In or out.
    pub decision: Decision,
    /// Index of the rule that spoke last; none when no rule spoke.
    pub rule_index: Option<usize>,
    /// Its name as logs have it, such as `TooManyHopsDecideRule`.
    pub rule_name: String,
}

impl Verdict {
    /// A verdict that no rule of the campaign gave, by its name in logs.
    pub fn unlisted(decision: Decision, rule_name: &str) -> Self {
        Self { decision, rule_index: None, rule_name: rule_name.to_owned() }
    }
}

/// A line of a trace: one rule with its test and decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceStep {
    /// Index of the rule in the list, from 0; disabled rules keep theirs.
    pub index: usize,
    /// Its name as logs have it.
    pub name: String,
    /// A summary of the rule with its arguments.
    pub words: String,
    /// Whether it is switched on.
    pub enabled: bool,
    /// The value it tested, in words (`4 hops`, `http://(pt,fct,)/`).
    pub tested: String,
    /// Its decision; none is no opinion.
    #[serde(rename = "said")]
    pub opinion: Option<Decision>,
    /// Whether it is the rule that spoke last.
    pub deciding: bool,
}

/// Why a candidate was taken or refused, rule by rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The candidate's URL.
    pub url: String,
    /// One line a rule.
    pub steps: Vec<TraceStep>,
    /// The end of it.
    pub verdict: Verdict,
    /// The smallest change that would turn the verdict, in words.
    #[serde(rename = "turn")]
    pub remedy: Option<String>,
}
