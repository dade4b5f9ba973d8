//! The rules a new campaign starts with, and one of each kind.

use super::Decision;
use super::rules::{
    AcceptAll, Annotation, ContentSize, ContentType, Geolocation, HopPath, HopType, HostList, Nofollow,
    PathologicalPath, PermissionRule, QueryParameters, RegexList, RejectAll, Robots, Rule, RuleKind, ScheduleWindow,
    SchemeNotInSet, SeedScopeRule, SourceTag, SurtPrefix, TooManyHops, TooManyPathSegments, TopLevelDomain,
    Transclusion,
};
use crate::campaign::PermissionState;
use serde_json::Value;

fn rule(enabled: bool, comment: &str, kind: RuleKind) -> Value {
    let rule = Rule { enabled, comment: comment.to_owned(), kind };
    serde_json::to_value(rule).unwrap_or_default()
}

/// The list that a new campaign starts with: the order of Heritrix's profile,
/// with its numbers, and robots.txt at the end.
pub fn standard_rules() -> Vec<Value> {
    use RuleKind as Kind;
    let reject = Decision::Reject;
    vec![
        rule(true, "Nothing is in scope unless a rule below accepts it", Kind::RejectAll(RejectAll {})),
        rule(true, "", Kind::SeedScope(SeedScopeRule {})),
        rule(
            false,
            "Hosts of the country without a name under its domain; needs a country database",
            Kind::Geolocation(Geolocation { countries: Vec::new(), decision: Decision::Accept }),
        ),
        rule(true, "", Kind::TooManyHops(TooManyHops { max_hops: 20 })),
        rule(
            true,
            "Images, styles and scripts from other hosts",
            Kind::Transclusion(Transclusion { max_trans_hops: 2, max_speculative_hops: 1 }),
        ),
        rule(true, "Sites to leave out", Kind::SurtPrefix(prefixes(reject))),
        rule(true, "URLs to leave out", Kind::Regex(RegexList { patterns: Vec::new(), any: true, decision: reject })),
        rule(true, "", Kind::PathologicalPath(PathologicalPath { max_repetitions: 2 })),
        rule(true, "", Kind::TooManyPathSegments(TooManyPathSegments { max_segments: 20 })),
        rule(true, "", Kind::SchemeNotInSet(SchemeNotInSet { schemes: web_schemes() })),
        rule(true, "", Kind::Robots(Robots {})),
    ]
}

fn prefixes(decision: Decision) -> SurtPrefix {
    SurtPrefix { prefixes: Vec::new(), decision, also_check_via: false }
}

fn web_schemes() -> Vec<String> {
    vec!["http".to_owned(), "https".to_owned()]
}

/// A rule that decides on URLs which match one of these regular expressions.
pub fn regex_rule(comment: &str, patterns: Vec<String>, decision: Decision) -> Value {
    rule(true, comment, RuleKind::Regex(RegexList { patterns, any: true, decision }))
}

/// Templates of rules, one of each kind, with its label.
pub fn rule_templates() -> Vec<(&'static str, Value)> {
    templates().into_iter().map(|(label, kind)| (label, rule(true, "", kind))).collect()
}

/// Templates of rules, grouped by what they test, for a menu that adds them.
pub fn rule_groups() -> Vec<(&'static str, Vec<(&'static str, Value)>)> {
    let mut groups: Vec<(&'static str, Vec<(&'static str, Value)>)> = Vec::new();
    for (label, kind) in templates() {
        let name = group_of(&kind);
        let template = (label, rule(true, "", kind));
        match groups.iter_mut().find(|(group, _)| *group == name) {
            Some((_, members)) => members.push(template),
            None => groups.push((name, vec![template])),
        }
    }
    groups
}

fn group_of(kind: &RuleKind) -> &'static str {
    use RuleKind as Kind;
    match kind {
        Kind::RejectAll(_) | Kind::AcceptAll(_) | Kind::SeedScope(_) => "Everything, seeds",
        Kind::SurtPrefix(_)
        | Kind::Regex(_)
        | Kind::HostList(_)
        | Kind::TopLevelDomain(_)
        | Kind::SchemeNotInSet(_)
        | Kind::QueryParameters(_)
        | Kind::TooManyPathSegments(_)
        | Kind::PathologicalPath(_) => "Address",
        Kind::TooManyHops(_)
        | Kind::Transclusion(_)
        | Kind::HopType(_)
        | Kind::HopPath(_)
        | Kind::SourceTag(_)
        | Kind::Nofollow(_) => "Way from the seed",
        Kind::Geolocation(_) | Kind::Permission(_) | Kind::Robots(_) => "Country, rights, robots.txt",
        Kind::ScheduleWindow(_) | Kind::Annotation(_) => "Time, reviewers",
        Kind::ContentSize(_) | Kind::ContentType(_) => "What was fetched",
    }
}

fn templates() -> [(&'static str, RuleKind); 32] {
    use RuleKind as Kind;
    let (accept, reject) = (Decision::Accept, Decision::Reject);
    let hosts = |decision| HostList { hosts: Vec::new(), subdomains: true, decision };
    let patterns = |decision| RegexList { patterns: Vec::new(), any: true, decision };
    let window =
        ScheduleWindow { from: String::new(), until: String::new(), days: Vec::new(), hours: [0, 0], decision: reject };
    [
        ("Reject everything", Kind::RejectAll(RejectAll {})),
        ("Accept everything", Kind::AcceptAll(AcceptAll {})),
        ("Accept what the seeds reach", Kind::SeedScope(SeedScopeRule {})),
        ("Accept SURT prefixes", Kind::SurtPrefix(prefixes(accept))),
        ("Reject SURT prefixes", Kind::SurtPrefix(prefixes(reject))),
        ("Accept by pattern", Kind::Regex(patterns(accept))),
        ("Reject by pattern", Kind::Regex(patterns(reject))),
        ("Accept hosts and domains", Kind::HostList(hosts(accept))),
        ("Reject hosts and domains", Kind::HostList(hosts(reject))),
        (
            "Accept what a page needs to be shown",
            Kind::Transclusion(Transclusion { max_trans_hops: 2, max_speculative_hops: 1 }),
        ),
        ("Accept servers in a country", Kind::Geolocation(Geolocation { countries: Vec::new(), decision: accept })),
        ("Accept top-level domains", Kind::TopLevelDomain(TopLevelDomain { domains: Vec::new(), decision: accept })),
        ("Reject top-level domains", Kind::TopLevelDomain(TopLevelDomain { domains: Vec::new(), decision: reject })),
        ("Accept by kind of hop", Kind::HopType(HopType { hops: "P".to_owned(), decision: accept })),
        ("Reject by kind of hop", Kind::HopType(HopType { hops: "X".to_owned(), decision: reject })),
        (
            "Accept what rights holders granted",
            Kind::Permission(PermissionRule {
                states: vec![PermissionState::Granted],
                uncovered: false,
                decision: accept,
            }),
        ),
        (
            "Reject what rights holders refused",
            Kind::Permission(PermissionRule {
                states: vec![PermissionState::Refused],
                uncovered: false,
                decision: reject,
            }),
        ),
        ("Reject outside a window of time", Kind::ScheduleWindow(window)),
        (
            "Reject what a reviewer rejected",
            Kind::Annotation(Annotation { marks: vec!["reject".to_owned()], notes: Vec::new(), decision: reject }),
        ),
        ("Reject by size, once fetched", Kind::ContentSize(ContentSize { min_bytes: 0, max_bytes: 100_000_000 })),
        ("Accept by MIME type, once fetched", Kind::ContentType(ContentType { types: Vec::new(), decision: accept })),
        ("Reject by MIME type, once fetched", Kind::ContentType(ContentType { types: Vec::new(), decision: reject })),
        ("Reject too many hops", Kind::TooManyHops(TooManyHops { max_hops: 20 })),
        ("Reject deep paths", Kind::TooManyPathSegments(TooManyPathSegments { max_segments: 20 })),
        ("Reject paths that repeat themselves", Kind::PathologicalPath(PathologicalPath { max_repetitions: 2 })),
        ("Reject long queries", Kind::QueryParameters(QueryParameters { max_parameters: 8 })),
        ("Reject hop paths", Kind::HopPath(HopPath { pattern: ".*R{5}".to_owned(), decision: reject })),
        ("Reject other schemes", Kind::SchemeNotInSet(SchemeNotInSet { schemes: web_schemes() })),
        ("Accept by source tag", Kind::SourceTag(SourceTag { tags: Vec::new(), decision: accept })),
        ("Reject by source tag", Kind::SourceTag(SourceTag { tags: Vec::new(), decision: reject })),
        ("Reject nofollow links", Kind::Nofollow(Nofollow {})),
        ("Reject what robots.txt denies", Kind::Robots(Robots {})),
    ]
}
