//! What a campaign asks for, as statements with the predicates of ARCOMEM's crawl specification (deliverable D1.2,
//! section 5.2), and what these have no name for in terms of our own.
//!
//! | here | of a campaign |
//! |---|---|
//! | `#html` | what pages are fetched from: seeds, languages |
//! | `#api-N` | a source: kind, queries, hours between its runs |
//! | `#online` | what guides the crawl: keywords, entities, patterns of URLs and tags that rules accept or refuse |
//! | `#offline` | what its pages are compared with afterwards: events |
//! | `#term-N`, `#seed-N`, `#setting-NAME` | terms with weight and sign, seeds with reach, other fields as JSON |
//!
//! Invariant: [`super::read_specification`] reads the same campaign from it.

use super::graphs::CAMPAIGNS;
use super::statement::{RdfNode, Statements};
use crate::campaign::{Campaign, CampaignFile, CampaignSource, Request, Seed, Term, TermKind};
use crate::query::Query;
use serde_json::{Map, Value};

/// A name of ARCOMEM's crawl specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpecificationTerm {
    /// The name, in its namespace and in ours.
    pub name: &'static str,
    /// What it is of a campaign.
    pub about: &'static str,
    /// Campaigns are written with it.
    pub is_written: bool,
    /// Campaigns are read from it.
    pub is_read: bool,
    /// Why it is not written or not read; empty where it is both.
    pub why: &'static str,
}

const fn both(name: &'static str, about: &'static str) -> SpecificationTerm {
    SpecificationTerm { name, about, is_written: true, is_read: true, why: "" }
}

const fn read_only(name: &'static str, about: &'static str, why: &'static str) -> SpecificationTerm {
    SpecificationTerm { name, about, is_written: false, is_read: true, why }
}

const fn neither(name: &'static str, about: &'static str, why: &'static str) -> SpecificationTerm {
    SpecificationTerm { name, about, is_written: false, is_read: false, why }
}

const NO_TOPICS: &str = "campaigns have words and phrases, and no topics of a model";
const NO_ASSUMED: &str = "the language of a text without any declaration is recognised, none is assumed";
const NO_SOCIAL: &str = "there are no data about posts of social networks to compare with";
const NO_PROFILES: &str = "people and posts of social networks are captured as pages, not kept as data about people";

/// Every name of the specification, in its order.
pub const SPECIFICATION_TERMS: [SpecificationTerm; 48] = [
    both("crawlSpecId", "newest version of a campaign"),
    both("hasAPICrawlId", "sources of a version"),
    both("hasHTMLCrawlId", "seeds and languages of a version"),
    both("hasICSCrawlId", "what guides a crawl"),
    both("hasOfflineSpecId", "what captures are compared with"),
    both("hasPreviousCrawlId", "version before"),
    both("hasStartDate", "first run of the schedule; first day of an event or period"),
    both("hasEndDate", "last run of the schedule; last day of an event or period"),
    both("hasSeed", "seed"),
    both("hasLanguagePreference", "language of the request"),
    both("hasLanguage", "language of the request, by its code"),
    both("hasWeight", "weight of a language"),
    neither("hasAssumedLanguage", "language of pages without one", NO_ASSUMED),
    both("APIScope", "kind of a source"),
    both("hasAPIKeyword", "query of a source"),
    both("hasAPIPeriod_Hour", "hours between two runs of a source"),
    both("URLScope", "regular expression of a rule or of a score"),
    both("hasPattern", "regular expression of a rule or of a score"),
    both("hasScore", "weight of a term; score of URLs; 1 of what a rule accepts, -1 of what it refuses"),
    both("sourceScope", "tag of seeds of a rule or of a score"),
    both("hasTag", "tag of seeds of a rule or of a score"),
    both("hasEntityPreference", "person, place or organisation of the request"),
    both("hasEntityURI", "URI of a term"),
    both("hasEntityName", "name of a person, place or organisation"),
    both("hasKeyword", "word or phrase of the request"),
    read_only("topicScope", "phrase of the request", NO_TOPICS),
    read_only("hasTopic", "phrase of the request", NO_TOPICS),
    both("eventScope", "event of the request"),
    both("hasEvent", "URI of an event"),
    both("hasText", "name of an event"),
    neither("hasSocialDataScope", "condition on social data", NO_SOCIAL),
    neither("hasKey", "field of social data", NO_SOCIAL),
    neither("hasValue", "bound of social data", NO_SOCIAL),
    neither("User", "account", NO_PROFILES),
    neither("Post", "post", NO_PROFILES),
    neither("api", "network of an account or a post", NO_PROFILES),
    neither("name", "name of an account", NO_PROFILES),
    neither("nickname", "name of an account", NO_PROFILES),
    neither("hasUri", "address of an account or a post", NO_PROFILES),
    neither("pictureUrl", "picture of an account", NO_PROFILES),
    neither("hasPost", "post of an account", NO_PROFILES),
    neither("geoLocation", "place of an account or a post", NO_PROFILES),
    neither("fromUser", "author of a post", NO_PROFILES),
    neither("toUser", "addressee of a post", NO_PROFILES),
    neither("title", "title of a post", NO_PROFILES),
    neither("content", "text of a post", NO_PROFILES),
    neither("outlink", "link of a post", NO_PROFILES),
    neither("publicationDate", "date of a post", NO_PROFILES),
];

/// Fields of a campaign that have statements of their own; the others are settings.
const STATED_FIELDS: [&str; 9] =
    ["name", "description", "owner", "tags", "seeds", "request", "sources", "rules", "order"];

/// States what the version of this address asks for.
pub(super) fn state_specification(out: &mut Statements, address: &str, file: &CampaignFile, before: Option<&String>) {
    let campaign = &file.campaign;
    let this = || RdfNode::Iri(address.to_owned());
    let mut about = out
        .about(CAMPAIGNS, this())
        .text("f:parent", file.parent.as_deref().unwrap_or_default())
        .text("f:request", &campaign.request.to_string())
        .text("f:hasStartDate", campaign.schedule.start.as_deref().unwrap_or_default())
        .text("f:hasEndDate", campaign.schedule.end.as_deref().unwrap_or_default());
    if let Some(before) = before {
        about = about.iri("f:hasPreviousCrawlId", before);
    }
    drop(about);
    let of = |name: &str| RdfNode::Iri(format!("{address}#{name}"));
    let mut part = |property: &'static str, name: &str, class: &'static str| {
        out.about(CAMPAIGNS, this()).node(property, of(name));
        out.about(CAMPAIGNS, of(name)).is_a(class);
    };
    part("f:hasHTMLCrawlId", "html", "f:HTMLCrawl");
    part("f:hasICSCrawlId", "online", "f:OnlineAnalysis");
    part("f:hasOfflineSpecId", "offline", "f:OfflineSpecification");
    for (number, seed) in (0_u64..).zip(&campaign.seeds) {
        state_seed(out, &of("html"), &of(&format!("seed-{number}")), number, seed);
    }
    for (number, source) in (0_u64..).zip(&campaign.sources) {
        let node = of(&format!("api-{number}"));
        out.about(CAMPAIGNS, this()).node("f:hasAPICrawlId", node.clone());
        state_source(out, node, number, source);
    }
    let mut number = 0;
    terms(&campaign.request, false, &mut |term, is_negated| {
        number += 1;
        out.about(CAMPAIGNS, this()).node("f:hasTerm", of(&format!("term-{number}")));
        state_term(out, address, number, term, is_negated);
    });
    for (number, rule) in campaign.rules.iter().enumerate() {
        state_scores_of_rule(out, address, number, rule);
    }
    for (number, score) in campaign.scores.iter().enumerate() {
        let scope = match score.pattern.as_str() {
            "" => ("f:sourceScope", "f:hasTag", score.source_tag.as_str()),
            pattern => ("f:URLScope", "f:hasPattern", pattern),
        };
        state_score(out, address, &format!("score-{number}"), scope, score.score, "setting-scores");
    }
    for (name, value) in settings(campaign) {
        let node = of(&format!("setting-{}", super::part_of_address(&name)));
        out.about(CAMPAIGNS, this()).node("f:hasSetting", node.clone());
        out.about(CAMPAIGNS, node).is_a("f:Setting").text("rdfs:label", &name).text("f:json", &value.to_string());
    }
}

/// States the newest version of a campaign.
pub fn state_newest_version(out: &mut Statements, address: &str, file: &CampaignFile) {
    if let Some(identity) = file.identity {
        out.about(CAMPAIGNS, RdfNode::Iri(identity.urn())).iri("f:crawlSpecId", address);
    }
}

fn state_seed(out: &mut Statements, html: &RdfNode, node: &RdfNode, number: u64, seed: &Seed) {
    out.about(CAMPAIGNS, html.clone()).iri("f:hasSeed", seed.url.trim()).node("f:hasSeedSettings", node.clone());
    let mut about = out
        .about(CAMPAIGNS, node.clone())
        .is_a("f:Seed")
        .count("f:seedIndex", number)
        .text("f:seedUrl", &seed.url)
        .text("f:seedScope", name_of(&seed.scope).as_str().unwrap_or_default())
        .text("f:sourceTag", &seed.source_tag);
    if let Some(depth) = seed.depth {
        about = about.count("f:depth", depth.into());
    }
    drop(about);
}

fn state_source(out: &mut Statements, node: RdfNode, number: u64, source: &CampaignSource) {
    let mut about = out
        .about(CAMPAIGNS, node)
        .is_a("f:APICrawl")
        .count("f:sourceIndex", number)
        .text("rdfs:label", &source.name)
        .text("f:APIScope", source.kind.name())
        .text("f:address", &source.address)
        .count("f:hasAPIPeriod_Hour", source.every_hours.into())
        // Their order, and that there are none, are in no other statement.
        .text("f:json", &name_of(source).to_string());
    for query in source.queries.iter().flatten() {
        about = about.text("f:hasAPIKeyword", query);
    }
    drop(about);
}

fn state_term(out: &mut Statements, address: &str, number: u64, term: &Term, is_negated: bool) {
    let node = || RdfNode::Iri(format!("{address}#term-{number}"));
    let part = |name: &str| RdfNode::Iri(format!("{address}#{name}"));
    let uri = term.uri.as_deref().unwrap_or_default();
    let mut about = out
        .about(CAMPAIGNS, node())
        .is_a("f:Term")
        .text("rdfs:label", &term.value)
        .text("f:termKind", name_of(&term.kind).as_str().unwrap_or_default())
        .real("f:hasScore", if is_negated { -term.weight.abs() } else { term.weight })
        .text("f:hasStartDate", term.from.as_deref().unwrap_or_default())
        .text("f:hasEndDate", term.to.as_deref().unwrap_or_default())
        .iri("f:hasEntityURI", uri);
    for alias in &term.aliases {
        about = about.text("f:alias", alias);
    }
    drop(about);
    match term.kind {
        // The specification has no score for a keyword: what speaks against a page is none.
        TermKind::Keyword | TermKind::Phrase if !is_negated && term.weight > 0.0 => {
            out.about(CAMPAIGNS, part("online")).text("f:hasKeyword", &term.value);
        }
        TermKind::Person | TermKind::Place | TermKind::Organisation => {
            out.about(CAMPAIGNS, part("online")).node("f:hasEntityPreference", node());
            out.about(CAMPAIGNS, node()).text("f:hasEntityName", &term.value);
        }
        TermKind::Event => {
            out.about(CAMPAIGNS, part("offline")).node("f:eventScope", node());
            out.about(CAMPAIGNS, node()).text("f:hasText", &term.value).iri("f:hasEvent", uri);
        }
        TermKind::Language if !is_negated => {
            out.about(CAMPAIGNS, part("html")).node("f:hasLanguagePreference", node());
            out.about(CAMPAIGNS, node()).text("f:hasLanguage", &term.value).real("f:hasWeight", term.weight.max(0.0));
        }
        TermKind::Keyword | TermKind::Phrase | TermKind::Language | TermKind::Period => {}
    }
}

/// States the patterns and tags that a rule accepts or refuses as the scores of the specification.
fn state_scores_of_rule(out: &mut Statements, address: &str, number: usize, rule: &Value) {
    let text = |field: &str| rule.get(field).and_then(Value::as_str).unwrap_or_default();
    let is_off = |field: &str| rule.get(field).and_then(Value::as_bool) == Some(false);
    let (property, of_each, list) = match text("rule") {
        "regex" if !is_off("any") => ("f:URLScope", "f:hasPattern", "patterns"),
        "source_tag" => ("f:sourceScope", "f:hasTag", "tags"),
        _ => return,
    };
    let score = match text("decision") {
        "ACCEPT" => 1.0,
        "REJECT" => -1.0,
        _ => return,
    };
    if is_off("enabled") {
        return;
    }
    let values = rule.get(list).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for (at, value) in values.enumerate() {
        let of = format!("rule-{number}");
        state_score(out, address, &format!("{of}-{at}"), (property, of_each, value), score, &of);
    }
}

/// States the score of a pattern or tag, which is that of a part of this name.
fn state_score(
    out: &mut Statements,
    address: &str,
    name: &str,
    (property, of_each, value): (&'static str, &'static str, &str),
    score: f64,
    of: &str,
) {
    let node = RdfNode::Iri(format!("{address}#{name}"));
    out.about(CAMPAIGNS, RdfNode::Iri(format!("{address}#online"))).node(property, node.clone());
    out.about(CAMPAIGNS, node)
        .text(of_each, value)
        .real("f:hasScore", score)
        .iri("f:ofRule", &format!("{address}#{of}"));
}

/// Every field of a campaign that has no statement of its own, and what these do not say, as JSON.
fn settings(campaign: &Campaign) -> Map<String, Value> {
    let Value::Object(mut fields) = name_of(campaign) else { return Map::new() };
    let Value::Object(usual) = name_of(&Campaign::default()) else { return Map::new() };
    // The order of tags is in no statement, and there are requests that no line of text has.
    let has_order = campaign.tags.is_sorted_by(|a, b| a < b) && !campaign.tags.iter().any(String::is_empty);
    let is_line = campaign.request.to_string().parse::<Request>().is_ok_and(|read| read == campaign.request);
    let is_stated = |name: &str| match name {
        "tags" => has_order,
        "request" => is_line,
        _ => STATED_FIELDS.contains(&name),
    };
    fields.retain(|name, value| !is_stated(name) && usual.get(name) != Some(&*value));
    fields
}

/// A value as JSON; null for what has none.
fn name_of(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn terms(request: &Request, is_negated: bool, each: &mut dyn FnMut(&Term, bool)) {
    match request {
        Query::And(parts) | Query::Or(parts) => parts.iter().for_each(|part| terms(part, is_negated, each)),
        Query::Not(part) => terms(part, !is_negated, each),
        Query::Term(term) => each(term, is_negated),
    }
}
