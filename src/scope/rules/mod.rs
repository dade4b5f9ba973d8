//! The decide rules: a rule is data that is saved with the campaign; compiled,
//! it decides.
//!
//! As JSON: `{"rule": "too_many_hops", "enabled": true, "comment": "", "max_hops": 20}`.

mod always;
mod annotation;
mod content_size;
mod content_type;
mod geolocation;
mod hop_path;
mod hop_type;
mod host_list;
mod nofollow;
mod pathological_path;
mod permission;
mod query_parameters;
mod regex_list;
mod robots;
mod schedule_window;
mod scheme_not_in_set;
mod seed_scope;
mod source_tag;
mod surt_prefix;
mod too_many_hops;
mod too_many_path_segments;
mod top_level_domain;
mod transclusion;

pub use always::{AcceptAll, RejectAll};
pub use annotation::Annotation;
pub use content_size::ContentSize;
pub use content_type::ContentType;
pub use geolocation::Geolocation;
pub use hop_path::HopPath;
pub use hop_type::HopType;
pub use host_list::HostList;
pub use nofollow::Nofollow;
pub use pathological_path::PathologicalPath;
pub use permission::{PermissionRule, REFUSED_PERMISSION, Refusals};
pub use query_parameters::QueryParameters;
pub use regex_list::{RegexList, broken_pattern};
pub use robots::Robots;
pub use schedule_window::ScheduleWindow;
pub use scheme_not_in_set::SchemeNotInSet;
pub use seed_scope::{SeedReach, SeedScopeRule, is_open_redirect, seed_reach};
pub use source_tag::SourceTag;
pub use surt_prefix::SurtPrefix;
pub use too_many_hops::TooManyHops;
pub use too_many_path_segments::TooManyPathSegments;
pub use top_level_domain::TopLevelDomain;
pub use transclusion::Transclusion;

use super::permissions::Permissions;
use super::{Candidate, Decision, Facts, hop_count};
use crate::campaign::{Grounds, Permission, Seed};
use crate::jobs::counted;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Debug;
use std::sync::Arc;

/// A rule as it is saved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// Whether it decides; switched off it keeps its index.
    #[serde(default = "switched_on")]
    pub enabled: bool,
    /// Why it is there, in the archivist's words.
    #[serde(default)]
    pub comment: String,
    /// The test of the rule.
    #[serde(flatten)]
    pub kind: RuleKind,
}

impl Rule {
    /// Reads a rule. Empty lines of a list mean nothing, as in Heritrix's
    /// files of prefixes and patterns; but the empty word of a seed is that of
    /// seeds without any, and empty text would be found in every note.
    pub fn read(saved: &Value) -> Result<Self, serde_json::Error> {
        const TEXT: [&str; 2] = ["tags", "notes"];
        let mut saved = saved.clone();
        let fields = saved.as_object_mut().into_iter().flatten();
        let lists = fields.filter(|(name, _)| !TEXT.contains(&name.as_str()));
        for list in lists.filter_map(|(_, value)| value.as_array_mut()) {
            list.retain(|item| item.as_str().is_none_or(|line| !line.trim().is_empty()));
        }
        serde_json::from_value(saved)
    }
}

fn switched_on() -> bool {
    true
}

/// A rule with its settings, by its saved name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "snake_case")]
pub enum RuleKind {
    /// Rejects everything.
    RejectAll(RejectAll),
    /// Accepts everything.
    AcceptAll(AcceptAll),
    /// Accepts what the seeds reach.
    SeedScope(SeedScopeRule),
    /// Accepts or rejects by SURT prefix.
    SurtPrefix(SurtPrefix),
    /// Accepts or rejects by regular expression.
    Regex(RegexList),
    /// Accepts or rejects by host name.
    HostList(HostList),
    /// Rejects what is too far from its seed.
    TooManyHops(TooManyHops),
    /// Rejects paths that are too deep.
    TooManyPathSegments(TooManyPathSegments),
    /// Rejects paths that repeat themselves.
    PathologicalPath(PathologicalPath),
    /// Accepts what a page needs to be shown.
    Transclusion(Transclusion),
    /// Rejects schemes that are not listed.
    SchemeNotInSet(SchemeNotInSet),
    /// Rejects queries with too many parameters.
    QueryParameters(QueryParameters),
    /// Accepts or rejects by the letters of the hop path.
    HopPath(HopPath),
    /// Accepts or rejects by the word the seed carries.
    SourceTag(SourceTag),
    /// Rejects what a link marks nofollow.
    Nofollow(Nofollow),
    /// Rejects what robots.txt denies.
    Robots(Robots),
    /// Accepts or rejects by the country of the server.
    Geolocation(Geolocation),
    /// Accepts or rejects by top-level domain.
    TopLevelDomain(TopLevelDomain),
    /// Accepts or rejects by how the last hop was found.
    HopType(HopType),
    /// Accepts or rejects by what rights holders allowed.
    Permission(PermissionRule),
    /// Accepts or rejects by the time of the decision.
    ScheduleWindow(ScheduleWindow),
    /// Accepts or rejects by marks and notes of people on earlier captures.
    Annotation(Annotation),
    /// Rejects by the size of what was fetched.
    ContentSize(ContentSize),
    /// Accepts or rejects by the MIME type of what was fetched.
    ContentType(ContentType),
}

/// A compiled rule.
pub trait DecideRule: Debug + Send + Sync {
    /// Its name as logs have it: Heritrix's class name where it has the rule.
    fn name(&self) -> &'static str;

    /// What it does, with its arguments, in a sentence without its subject:
    /// `rejects more than 3 hops from the seed`.
    fn summary(&self) -> String;

    /// Decides on a candidate; none is no opinion.
    fn decide(&self, candidate: &Candidate, facts: &Facts) -> Option<Decision>;

    /// The value it tests, in words.
    fn tested(&self, candidate: &Candidate, facts: &Facts) -> String;

    /// Remarks on entries for a person who writes the rule.
    fn remarks(&self) -> Vec<RuleRemark> {
        Vec::new()
    }

    /// The only decision that it can make, if there is but one: the rule is
    /// skipped while that is the current decision.
    fn only_decision(&self) -> Option<Decision> {
        None
    }

    /// Bytes that its compiled patterns take at most.
    fn pattern_bytes(&self) -> usize {
        0
    }

    /// Whether its answer depends on the country of the server.
    fn uses_geo(&self) -> bool {
        false
    }

    /// Whether the country of the server, which nobody has looked up yet, could
    /// change its decision on this candidate.
    fn wants_geo(&self, candidate: &Candidate, facts: &Facts) -> bool {
        let _ = (candidate, facts);
        false
    }

    /// Whether its answer depends on what was fetched.
    fn uses_content(&self) -> bool {
        false
    }

    /// Whether its answer depends on marks and notes of captures.
    fn uses_annotation(&self) -> bool {
        false
    }

    /// The rule with just these seeds that were met on the way, in blocks; none
    /// where seeds do not matter to it.
    fn with_met(&self, blocks: &[Arc<Vec<Seed>>]) -> Option<Result<Arc<dyn DecideRule>, String>> {
        let _ = blocks;
        None
    }

    /// Changes that would make it decide `target` for this candidate (none: no opinion).
    fn changes(&self, candidate: &Candidate, facts: &Facts, target: Option<Decision>) -> Vec<Change> {
        let _ = (candidate, facts, target);
        Vec::new()
    }
}

/// Something about an entry of a rule that does not meet the eye.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleRemark {
    /// The entry, as a path in the rule: `patterns[0]`.
    pub field: String,
    /// The remark, with the entry.
    pub what: String,
    /// What to write instead, where it means nothing.
    pub hint: Option<String>,
}

/// A change that would alter the opinion of a rule.
#[derive(Debug, Clone)]
pub struct Change {
    /// The change as an instruction (`raise the limit from 3 hops to 4`).
    pub summary: String,
    /// The edit that makes it.
    pub edit: Edit,
}

/// The thing that a change alters.
#[derive(Debug, Clone)]
pub enum Edit {
    /// A number of the rule.
    Number(RuleKind),
    /// An entry of the rule's list.
    Entry(RuleKind),
    /// The campaign's seeds.
    Seeds(Vec<Seed>),
    /// The world outside, which the archivist cannot change.
    Fact(Box<Facts>),
}

/// The parts of a campaign that rules are compiled with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ground<'a> {
    pub seeds: &'a [Seed],
    pub permissions: &'a [Permission],
    pub grounds: &'a Grounds,
}

impl RuleKind {
    /// Compiles the rule; the error is the mistake in it.
    pub(super) fn compile(&self, ground: Ground<'_>) -> Result<Arc<dyn DecideRule>, String> {
        Ok(match self {
            Self::RejectAll(_) => Arc::new(always::Always(Decision::Reject)),
            Self::AcceptAll(_) => Arc::new(always::Always(Decision::Accept)),
            Self::SeedScope(rule) => Arc::new(rule.compile(ground.seeds)?),
            Self::SurtPrefix(rule) => Arc::new(rule.compile()?),
            Self::Regex(rule) => Arc::new(rule.compile()?),
            Self::HostList(rule) => Arc::new(rule.compile()?),
            Self::TooManyHops(rule) => Arc::new(rule.clone()),
            Self::TooManyPathSegments(rule) => Arc::new(rule.clone()),
            Self::PathologicalPath(rule) => Arc::new(rule.clone()),
            Self::Transclusion(rule) => Arc::new(rule.clone()),
            Self::SchemeNotInSet(rule) => Arc::new(rule.compile()?),
            Self::QueryParameters(rule) => Arc::new(rule.clone()),
            Self::HopPath(rule) => Arc::new(rule.compile()?),
            Self::SourceTag(rule) => Arc::new(rule.clone()),
            Self::Nofollow(rule) => Arc::new(rule.clone()),
            Self::Robots(rule) => Arc::new(rule.clone()),
            Self::Geolocation(rule) => Arc::new(rule.compile()?),
            Self::TopLevelDomain(rule) => Arc::new(rule.compile()?),
            Self::HopType(rule) => Arc::new(rule.compile()?),
            Self::Permission(rule) => Arc::new(rule.compile(Permissions::compile(ground.permissions, ground.grounds)?)),
            Self::ScheduleWindow(rule) => Arc::new(rule.compile()?),
            Self::Annotation(rule) => Arc::new(rule.compile()?),
            Self::ContentSize(rule) => Arc::new(rule.clone()),
            Self::ContentType(rule) => Arc::new(rule.compile()?),
        })
    }
}

/// `accepts` or `rejects`.
fn verb(decision: Decision) -> &'static str {
    match decision {
        Decision::Accept => "accepts",
        Decision::Reject => "rejects",
    }
}

/// `1 prefix`, `3 prefixes`; the first few by name.
fn listed(entries: &[String], one: &str, many: &str) -> String {
    match entries {
        // “rejects no pattern” would mean the opposite.
        [] => format!("nothing ({} set)", none_of(many)),
        [only] => format!("{one} {only}"),
        _ if entries.len() <= 3 => format!("{many} {}", entries.join(", ")),
        [first, second, ..] => format!("{} {many} ({first}, {second}, …)", entries.len()),
    }
}

/// `no prefixes`, of what several are called in a sentence.
fn none_of(many: &str) -> String {
    let thing = many.trim_start_matches("the ").trim_start_matches("a ");
    format!("no {}", if thing == "permission" { "states" } else { thing })
}

/// Whether a hop is one that a person takes (link, form, list of pages) and
/// not what a page or a redirect brings along.
fn is_navigation(hop: u8) -> bool {
    matches!(hop, b'L' | b'S' | b'M')
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod testing {
    use super::*;
    use crate::uri::parse_web_url;

    /// A candidate at the end of this hop path from `http://fct.pt/`.
    pub fn candidate(url: &str, hops: &str) -> Candidate {
        let url = parse_web_url(url).or_else(|| crate::uri::Url::parse(url).ok()).unwrap();
        Candidate {
            hops: hops.to_owned(),
            is_seed: hops.is_empty(),
            seed: Some("http://fct.pt/".to_owned()),
            ..Candidate::bare(url)
        }
    }

    /// Compiles a rule without seeds.
    pub fn compiled(kind: RuleKind) -> Arc<dyn DecideRule> {
        let grounds = Grounds::default();
        kind.compile(Ground { seeds: &[], permissions: &[], grounds: &grounds }).unwrap()
    }

    /// Decides on a URL at the end of a hop path.
    pub fn decision_of(rule: &dyn DecideRule, url: &str, hops: &str) -> Option<Decision> {
        let candidate = candidate(url, hops);
        assert!(!rule.tested(&candidate, &Facts::default()).is_empty());
        rule.decide(&candidate, &Facts::default())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn empty_lines_of_a_list_mean_nothing() {
        let with = json!({"rule": "geolocation", "countries": ["PT", "", " "], "decision": "ACCEPT"});
        let without = json!({"rule": "geolocation", "countries": ["PT"], "decision": "ACCEPT"});
        assert_eq!(Rule::read(&with).unwrap(), Rule::read(&without).unwrap());
        let prefix = |prefixes: &[&str]| json!({"rule": "surt_prefix", "prefixes": prefixes, "decision": "ACCEPT"});
        let of = |prefixes: &[&str]| Rule::read(&prefix(prefixes)).unwrap();
        assert_eq!(of(&["", "http://(pt,fct,"]), of(&["http://(pt,fct,"]));
    }
    #[test]
    fn the_empty_tag_is_that_of_seeds_without_any() {
        let rule = Rule::read(&json!({"rule": "source_tag", "tags": ["press", ""], "decision": "REJECT"})).unwrap();
        let rule = testing::compiled(rule.kind);
        for (tag, expected) in [("", Some(Decision::Reject)), ("press", Some(Decision::Reject)), ("sport", None)] {
            let candidate = Candidate { source_tag: tag.to_owned(), ..testing::candidate("http://fct.pt/", "L") };
            assert_eq!(rule.decide(&candidate, &Facts::default()), expected, "{tag}");
        }
        assert_eq!(rule.summary(), "rejects what comes from seeds with the words press, “” (none)");
        let rule = Rule::read(&json!({"rule": "annotation", "notes": [" "], "decision": "REJECT"})).unwrap();
        let grounds = Grounds::default();
        let why = rule.kind.compile(Ground { seeds: &[], permissions: &[], grounds: &grounds }).unwrap_err();
        assert!(why.contains("would be found in any"), "{why}");
    }
}
