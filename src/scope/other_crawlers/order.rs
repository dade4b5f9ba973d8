//! The order of a Heritrix 1 job as a campaign.

use super::beans::{Element, parse};
use super::heritrix_rules::bare_ground;
use super::{EngineError, EngineJob, EngineNote, seeds_of_text};
use crate::campaign::{Campaign, Grounds, Limits, RobotsPolicy, SeedScope};
use crate::jobs::counted;
use crate::scope::Decision;
use crate::scope::rules::{
    PathologicalPath, RegexList, RejectAll, Rule, RuleKind, SeedScopeRule, TooManyHops, TooManyPathSegments,
    Transclusion,
};
use std::str::FromStr;

/// Reads `order.xml` and the seeds beside it. Heritrix 1 had no decide rules:
/// its scope and filters become the rules that do the same.
///
/// # Errors
///
/// When the text is no XML, or has a document type.
pub fn read_heritrix1_order(file: &str, text: &str, seeds: Option<&str>) -> Result<EngineJob, EngineError> {
    let root = parse(file, text)?;
    let mut notes = Vec::new();
    let mut campaign = Campaign { limits: Limits::default(), ..Campaign::default() };
    if let Some(meta) = root.child("meta") {
        let text = |tag| meta.child(tag).map(Element::text).unwrap_or_default().trim().to_owned();
        campaign.name = text("name");
        campaign.description = text("description");
        campaign.owner = text("operator");
    }
    let controller = root.child("controller").cloned().unwrap_or_default();
    let mut number = |name: &str| read_number::<u64>(&controller, name, NO_LIMIT, &mut notes);
    campaign.limits.max_bytes = number("max-bytes-download").unwrap_or(0);
    campaign.limits.max_documents = number("max-document-download").unwrap_or(0);
    campaign.limits.max_seconds = number("max-time-sec").unwrap_or(0);
    if let Some(threads) = read_number(&controller, "max-toe-threads", DEFAULT, &mut notes) {
        campaign.politeness.workers = threads;
    }
    if let Some(frontier) = named(&controller, "frontier") {
        let polite = &mut campaign.politeness;
        let mut number = |name: &str| read_number::<u64>(frontier, name, DEFAULT, &mut notes);
        polite.min_delay_ms = number("min-delay-ms").unwrap_or(polite.min_delay_ms);
        polite.max_delay_ms = number("max-delay-ms").unwrap_or(polite.max_delay_ms);
        polite.retry_delay_seconds = number("retry-delay-seconds").unwrap_or(polite.retry_delay_seconds);
        if let Some(found) = named(frontier, "delay-factor") {
            match found.text().trim().parse().ok().filter(|factor: &f64| factor.is_finite()) {
                Some(factor) => polite.delay_factor = factor,
                None => notes.push(unusable(found, DEFAULT)),
            }
        }
        polite.max_retries = read_number(frontier, "max-retries", DEFAULT, &mut notes).unwrap_or(polite.max_retries);
    }
    if let Some(policy) = named(&controller, "robots-honoring-policy").and_then(|policy| named(policy, "type")) {
        match policy.text().trim() {
            "classic" | "" => {}
            "ignore" => campaign.politeness.robots = RobotsPolicy::Ignore,
            other => {
                notes.push(EngineNote::new(&policy.place, format!("the robots policy “{other}” is not known here")))
            }
        }
    }
    if let Some(agent) = named(&controller, "http-headers").and_then(|headers| named(headers, "user-agent")) {
        notes.push(EngineNote::new(
            &agent.place,
            format!("the crawler called itself “{}”; give the campaign a user agent of your own", agent.text().trim()),
        ));
    }
    if let Some(text) = seeds {
        let (found, prefixes, unread) = seeds_of_text(text);
        campaign.seeds = found;
        for (line, entry) in unread {
            notes.push(EngineNote::new(format!("seeds, line {line}"), format!("“{entry}” is no URL")));
        }
        if !prefixes.is_empty() {
            notes.push(EngineNote::new(
                "seeds",
                format!("{} with + or - left out", counted(prefixes.len() as u64, "line")),
            ));
        }
    }
    let rules = match named(&controller, "scope") {
        Some(scope) => scope_rules(scope, &mut campaign, &mut notes),
        None => {
            notes.push(EngineNote::new(file, "there is no scope, so there are no rules"));
            0
        }
    };
    Ok(EngineJob { campaign, rules, notes })
}

/// The consequence of a number that cannot be read.
const DEFAULT: &str = "; the default is used";
const NO_LIMIT: &str = "; there is no limit then";
const NO_EMBEDS: &str = "; what pages need to be shown has no rule of its own then";
const ONE: &str = "; 1 is used";
/// Nothing more: the filter that it is of has a note of its own.
const NO_VALUE: &str = "";

/// A number that a setting holds; one that cannot be read becomes a note, with
/// what follows from that.
fn read_number<N: FromStr>(at: &Element, name: &str, then: &str, notes: &mut Vec<EngineNote>) -> Option<N> {
    let found = named(at, name)?;
    let number = found.text().trim().parse().ok();
    if number.is_none() {
        notes.push(unusable(found, then));
    }
    number
}

fn unusable(found: &Element, then: &str) -> EngineNote {
    let (name, text) = (found.attribute("name").unwrap_or_default(), found.text().trim().to_owned());
    EngineNote::new(&found.place, format!("{name}: “{text}” is no number that can be used here{then}"))
}

/// The setting of this name directly in an element.
fn named<'a>(element: &'a Element, name: &str) -> Option<&'a Element> {
    element.elements().find(|child| child.attribute("name") == Some(name))
}

fn scope_rules(scope: &Element, campaign: &mut Campaign, notes: &mut Vec<EngineNote>) -> usize {
    let mut rules = vec![rule("", RuleKind::RejectAll(RejectAll {}))];
    match scope.class() {
        "DomainScope" => campaign.seeds.iter_mut().for_each(|seed| seed.scope = SeedScope::Subdomains),
        "HostScope" | "PathScope" | "SurtPrefixScope" => {}
        other => notes.push(EngineNote::new(
            &scope.place,
            format!("the scope {other} is not known; the seeds' prefixes stand for it"),
        )),
    }
    rules.push(rule(scope.class(), RuleKind::SeedScope(SeedScopeRule {})));
    if let Some(max_hops) = read_number(scope, "max-link-hops", NO_LIMIT, notes) {
        rules.push(rule("", RuleKind::TooManyHops(TooManyHops { max_hops })));
    }
    if let Some(max_trans_hops) = read_number(scope, "max-trans-hops", NO_EMBEDS, notes) {
        let speculative = named(scope, "transitiveFilter");
        let speculative = speculative.and_then(|filter| read_number(filter, "max-speculative-hops", ONE, notes));
        let max_speculative_hops = speculative.unwrap_or(1);
        rules.push(rule("", RuleKind::Transclusion(Transclusion { max_trans_hops, max_speculative_hops })));
    }
    let filters = |name: &str| named(scope, name).and_then(|filter| named(filter, "filters"));
    for filter in filters("exclude-filter").into_iter().flat_map(Element::elements) {
        let name = filter.attribute("name").unwrap_or_default();
        let value = |setting: &str| named(filter, setting).map(|found| found.text().trim().to_owned());
        let kind = match filter.class() {
            "PathDepthFilter" => read_number(filter, "max-path-depth", NO_VALUE, notes)
                .map(|max_segments| RuleKind::TooManyPathSegments(TooManyPathSegments { max_segments })),
            "PathologicalPathFilter" => read_number(filter, "repetitions", NO_VALUE, notes)
                .map(|max_repetitions| RuleKind::PathologicalPath(PathologicalPath { max_repetitions })),
            "URIRegExpFilter" => value("regexp").map(|pattern| {
                RuleKind::Regex(RegexList { patterns: vec![pattern], any: true, decision: Decision::Reject })
            }),
            other => {
                notes.push(EngineNote::new(&filter.place, format!("the filter {other} is not known")));
                continue;
            }
        };
        let enabled = value("enabled").as_deref() != Some("false");
        match kind.map(|kind| kind.compile(bare_ground(&Grounds::default())).map(|_| kind)) {
            Some(Ok(kind)) => rules.push(Rule { enabled, comment: name.to_owned(), kind }),
            Some(Err(why)) => notes.push(EngineNote::new(&filter.place, format!("{name}: {why}; it is left out"))),
            None => {
                let what =
                    format!("{name}: the filter {} has no value that can be used; it is left out", filter.class());
                notes.push(EngineNote::new(&filter.place, what));
            }
        }
    }
    for filter in filters("force-accept-filter").into_iter().flat_map(Element::elements) {
        notes.push(EngineNote::new(&filter.place, format!("the filter {} is not known", filter.class())));
    }
    let count = rules.len();
    campaign.rules = rules.into_iter().map(|rule| serde_json::to_value(rule).unwrap_or_default()).collect();
    count
}

fn rule(comment: &str, kind: RuleKind) -> Rule {
    Rule { enabled: true, comment: comment.to_owned(), kind }
}
