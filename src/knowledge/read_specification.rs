//! A campaign is read from statements: those that [`super::specification`] writes, and specifications of others that use
//! the predicates of ARCOMEM.
//!
//! Hostile text: statements are counted, and nothing is followed that is not in the file.

use super::specification::SPECIFICATION_TERMS;
use super::vocabulary::VOCABULARY;
use crate::campaign::{CampaignFile, SourceKind};
use crate::scope::{Decision, regex_rule, standard_rules};
use oxrdf::{NamedOrBlankNode, Term as RdfTerm};
use oxttl::{NQuadsParser, TriGParser};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Statements that are read of one file.
const MAX_STATEMENTS: usize = 1_000_000;
/// Patterns, tags and terms that are read of one specification.
const MAX_PARTS: usize = 10_000;
/// The namespace of ARCOMEM's data model.
const ARCOMEM: &str = "http://www.gate.ac.uk/ns/ontologies/arcomem-data-model.rdf#";
const DCT: &str = "http://purl.org/dc/terms/";
const RDFS_LABEL: &str = "http://www.w3.org/2000/01/rdf-schema#label";
const SPECIALIZATION: &str = "http://www.w3.org/ns/prov#specializationOf";

/// The syntax of a file of statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RdfSyntax {
    /// N-Quads, and N-Triples.
    NQuads,
    /// TriG, and Turtle.
    TriG,
}

/// A campaign that was read from statements.
#[derive(Debug, Clone, PartialEq)]
pub struct SpecificationRead {
    /// The campaign.
    pub file: CampaignFile,
    /// What has no place in a campaign, each with the reason.
    pub left_out: Vec<String>,
}

/// The object of a statement.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Object {
    Node(String),
    Text(String),
}

impl Object {
    fn text(&self) -> &str {
        match self {
            Self::Node(text) | Self::Text(text) => text,
        }
    }
}

/// Statements by subject; names of the specification are those of our namespace.
#[derive(Default)]
pub(super) struct Known(BTreeMap<String, Vec<(String, Object)>>);

/// Reads the newest campaign of a file of statements.
///
/// # Errors
///
/// What is wrong with the file, where, and what to do.
pub fn read_specification(text: &str, syntax: RdfSyntax) -> Result<SpecificationRead, String> {
    let known = Known::read(text, syntax)?;
    let root = known.newest()?;
    Specification { known: &known, root, fields: Map::new(), left_out: Vec::new() }.read()
}

impl Known {
    pub(super) fn read(text: &str, syntax: RdfSyntax) -> Result<Self, String> {
        let mut known = Self::default();
        let mut count = 0;
        let mut take = |quad: Result<oxrdf::Quad, oxttl::TurtleSyntaxError>| {
            let quad = quad.map_err(|error| {
                let at = error.location().start;
                format!("line {}, column {}: {}", at.line + 1, at.column + 1, error.message())
            })?;
            count += 1;
            if count > MAX_STATEMENTS {
                return Err(format!("there are more than {MAX_STATEMENTS} statements; take a part of them"));
            }
            let subject = match quad.subject {
                NamedOrBlankNode::NamedNode(node) => node.into_string(),
                NamedOrBlankNode::BlankNode(node) => format!("_:{}", node.as_str()),
            };
            let object = match quad.object {
                RdfTerm::NamedNode(node) => Object::Node(node.into_string()),
                RdfTerm::BlankNode(node) => Object::Node(format!("_:{}", node.as_str())),
                RdfTerm::Literal(literal) => Object::Text(literal.value().to_owned()),
                #[allow(unreachable_patterns)]
                _ => return Ok(()),
            };
            let property = quad.predicate.into_string();
            let property = match property.strip_prefix(VOCABULARY).or_else(|| property.strip_prefix(ARCOMEM)) {
                Some(name) => name.to_owned(),
                None => property,
            };
            known.0.entry(subject).or_default().push((property, object));
            Ok(())
        };
        match syntax {
            RdfSyntax::NQuads => NQuadsParser::new().for_slice(text.as_bytes()).try_for_each(&mut take)?,
            RdfSyntax::TriG => TriGParser::new().for_slice(text.as_bytes()).try_for_each(&mut take)?,
        }
        Ok(known)
    }

    /// Every subject with its properties and their values.
    pub(super) fn subjects(&self) -> impl Iterator<Item = (&str, impl Iterator<Item = (&str, &str)>)> {
        self.0
            .iter()
            .map(|(subject, of)| (subject.as_str(), of.iter().map(|(name, value)| (name.as_str(), value.text()))))
    }

    fn all<'k>(&'k self, subject: &str, property: &'k str) -> impl Iterator<Item = &'k Object> + use<'k> {
        let of = self.0.get(subject).into_iter().flatten();
        of.filter(move |(name, _)| name == property).map(|(_, object)| object)
    }

    fn text(&self, subject: &str, property: &str) -> Option<String> {
        self.0.get(subject)?.iter().find(|(name, _)| name == property).map(|(_, object)| object.text().to_owned())
    }

    fn number(&self, subject: &str, property: &str) -> Option<f64> {
        self.text(subject, property)?.trim().parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// The specification that none has as the one before it.
    fn newest(&self) -> Result<String, String> {
        let is_one = |of: &[(String, Object)]| {
            of.iter().any(|(name, _)| {
                let is_root = matches!(
                    name.as_str(),
                    "hasHTMLCrawlId" | "hasAPICrawlId" | "hasICSCrawlId" | "hasOfflineSpecId" | "hasPreviousCrawlId"
                );
                is_root || name == "version"
            })
        };
        let named: BTreeSet<&str> =
            self.0.keys().flat_map(|subject| self.all(subject, "crawlSpecId")).map(Object::text).collect();
        let before: BTreeSet<&str> =
            self.0.keys().flat_map(|subject| self.all(subject, "hasPreviousCrawlId")).map(Object::text).collect();
        let mut found: Vec<&String> = self.0.iter().filter(|(_, of)| is_one(of)).map(|(subject, _)| subject).collect();
        if found.iter().any(|subject| named.contains(subject.as_str())) {
            found.retain(|subject| named.contains(subject.as_str()));
        }
        found.retain(|subject| !before.contains(subject.as_str()));
        match found.as_slice() {
            [one] => Ok((*one).clone()),
            [] => {
                // Its parts may stand on one node.
                let has =
                    |of: &[(String, Object)]| of.iter().any(|(name, _)| name == "hasSeed" || name == "hasKeyword");
                match self.0.iter().filter(|(_, of)| has(of)).map(|(subject, _)| subject).collect::<Vec<_>>().as_slice()
                {
                    [one] => Ok((*one).clone()),
                    [] => {
                        Err("there is no crawl specification in it: nothing has hasHTMLCrawlId, hasSeed or hasKeyword \
                               of urn:fonds:ns: or of ARCOMEM"
                            .to_owned())
                    }
                    several => Err(format!("{} specifications are in it; write one file for each", several.len())),
                }
            }
            several => Err(format!(
                "{} specifications are in it, of which none is before another; write one file for each",
                several.len()
            )),
        }
    }
}

/// A specification while it is read.
struct Specification<'k> {
    known: &'k Known,
    root: String,
    fields: Map<String, Value>,
    left_out: Vec<String>,
}

impl Specification<'_> {
    fn read(mut self) -> Result<SpecificationRead, String> {
        let parts = self.parts();
        for (property, field) in [("title", "name"), ("description", "description"), ("publisher", "owner")] {
            if let Some(text) = self.known.text(&self.root, &format!("{DCT}{property}")) {
                self.fields.insert(field.to_owned(), text.into());
            }
        }
        let mut tags: Vec<&str> = self.known.all(&self.root, &TAG).map(Object::text).collect();
        tags.sort_unstable();
        tags.dedup();
        self.fields.insert("tags".to_owned(), json!(tags));
        if let Some(order) = self.known.text(&self.root, "crawlOrder") {
            self.fields.insert("order".to_owned(), order.into());
        }
        self.fields.insert("seeds".to_owned(), self.seeds(&parts)?);
        let sources = self.sources(&parts)?;
        self.fields.insert("sources".to_owned(), sources);
        let rules = self.rules(&parts)?;
        self.fields.insert("rules".to_owned(), rules);
        let request = self.request(&parts)?;
        self.fields.insert("request".to_owned(), request);
        self.settings()?;
        self.schedule();
        self.lineage();
        self.name_left_out();
        let text = Value::Object(self.fields).to_string();
        let file = CampaignFile::from_json(&text).map_err(|error| match error.field.as_str() {
            "" => error.why,
            field => format!("field {field}: {}", error.why),
        })?;
        Ok(SpecificationRead { file, left_out: self.left_out })
    }

    /// The specification itself, and the parts that it names.
    fn parts(&self) -> Vec<String> {
        let mut parts = vec![self.root.clone()];
        for property in ["hasHTMLCrawlId", "hasAPICrawlId", "hasICSCrawlId", "hasOfflineSpecId"] {
            parts.extend(self.known.all(&self.root, property).map(|part| part.text().to_owned()).take(MAX_PARTS));
        }
        let mut seen = BTreeSet::new();
        parts.retain(|part| seen.insert(part.clone()));
        parts
    }

    fn each<'a>(&'a self, parts: &'a [String], property: &'a str) -> impl Iterator<Item = &'a Object> {
        parts.iter().flat_map(move |part| self.known.all(part, property)).take(MAX_PARTS)
    }

    /// Nodes of a property in the order of their numbers.
    fn numbered(&self, parts: &[String], property: &str, index: &str) -> Vec<String> {
        let mut nodes: Vec<(u64, String)> = self
            .each(parts, property)
            .map(|node| {
                let number = self.known.number(node.text(), index).unwrap_or(f64::MAX);
                // `as` stops at both ends.
                (number as u64, node.text().to_owned())
            })
            .collect();
        nodes.sort();
        nodes.dedup();
        nodes.into_iter().map(|(_, node)| node).collect()
    }

    fn seeds(&self, parts: &[String]) -> Result<Value, String> {
        let mut seeds = Vec::new();
        let mut stated = BTreeSet::new();
        for node in self.numbered(parts, "hasSeedSettings", "seedIndex") {
            let Some(url) = self.known.text(&node, "seedUrl") else { continue };
            stated.insert(super::address_of(url.trim()));
            let mut seed = json!({ "url": url, "depth": self.known.number(&node, "depth").map(|depth| depth as u32) });
            for (property, field) in [("seedScope", "scope"), ("sourceTag", "source_tag")] {
                if let Some(text) = self.known.text(&node, property) {
                    seed[field] = text.into();
                }
            }
            seeds.push(seed);
        }
        let mut others: Vec<&str> =
            self.each(parts, "hasSeed").map(Object::text).filter(|url| !stated.contains(*url)).collect();
        others.sort_unstable();
        others.dedup();
        seeds.extend(others.into_iter().map(|url| json!({ "url": url })));
        Ok(seeds.into())
    }

    fn sources(&mut self, parts: &[String]) -> Result<Value, String> {
        let mut sources = Vec::new();
        for node in self.numbered(parts, "hasAPICrawlId", "sourceIndex") {
            if let Some(json) = self.known.text(&node, "json") {
                sources.push(read_json(&node, &json)?);
                continue;
            }
            let kinds: Vec<String> = self.known.all(&node, "APIScope").map(|kind| kind.text().to_owned()).collect();
            let address = self.known.text(&node, "address");
            for kind in kinds {
                let (Ok(known), Some(address)) = (kind.parse::<SourceKind>(), &address) else {
                    self.left_out.push(match kind.as_str() {
                        "facebook" | "flickr" | "google_plus" | "twitter" | "youtube" => {
                            format!("APIScope {kind}: the network is closed to programs, or is there no more")
                        }
                        _ if kind.parse::<SourceKind>().is_ok() => {
                            format!("APIScope {kind}: a source has an address; write it as urn:fonds:ns:address")
                        }
                        _ => format!("APIScope {kind}: no such kind of source is known"),
                    });
                    continue;
                };
                let mut queries: Vec<&str> = self.known.all(&node, "hasAPIKeyword").map(Object::text).collect();
                queries.sort_unstable();
                let mut source = json!({ "kind": known.name(), "address": address });
                source["name"] = self.known.text(&node, RDFS_LABEL).unwrap_or_else(|| kind.clone()).into();
                if !queries.is_empty() {
                    source["queries"] = json!(queries);
                }
                if let Some(hours) = self.known.number(&node, "hasAPIPeriod_Hour") {
                    source["every_hours"] = (hours as u32).into();
                }
                sources.push(source);
            }
        }
        Ok(sources.into())
    }

    /// The rules with their definitions, else the usual ones; behind them patterns and tags of others that are accepted
    /// or refused altogether. Those with other scores become scores.
    fn rules(&mut self, parts: &[String]) -> Result<Value, String> {
        let mut rules = Vec::new();
        for node in self.numbered(parts, "hasRule", "ruleIndex") {
            if let Some(definition) = self.known.text(&node, "definition") {
                rules.push(read_json(&node, &definition)?);
            }
        }
        let is_own = parts.iter().any(|part| self.known.text(part, "crawlOrder").is_some());
        if rules.is_empty() && !is_own {
            rules = standard_rules();
        }
        let (mut patterns, mut tags): ([Vec<String>; 2], [Vec<String>; 2]) = Default::default();
        let mut scores = Vec::new();
        for (property, of_each, values) in
            [("URLScope", "hasPattern", &mut patterns), ("sourceScope", "hasTag", &mut tags)]
        {
            let nodes: Vec<String> = self.each(parts, property).map(|node| node.text().to_owned()).collect();
            for node in nodes.iter().filter(|node| self.known.text(node, "ofRule").is_none()) {
                let score = self.known.number(node, "hasScore").unwrap_or_default();
                for value in self.known.all(node, of_each) {
                    match score {
                        1.0.. => values[0].push(value.text().to_owned()),
                        ..=-1.0 => values[1].push(value.text().to_owned()),
                        _ => {
                            let field = if property == "URLScope" { "pattern" } else { "source_tag" };
                            scores.push(json!({ field: value.text(), "score": score }));
                        }
                    }
                }
            }
        }
        if !scores.is_empty() {
            self.fields.insert("scores".to_owned(), scores.into());
        }
        let decisions = [(Decision::Accept, "ACCEPT"), (Decision::Reject, "REJECT")];
        for ((decision, name), (patterns, tags)) in decisions.into_iter().zip(patterns.into_iter().zip(tags)) {
            if !patterns.is_empty() {
                let anywhere = patterns.iter().map(|pattern| format!(".*(?:{pattern}).*")).collect();
                rules.push(regex_rule("URLScope of the specification", anywhere, decision));
            }
            if !tags.is_empty() {
                rules.push(json!({ "rule": "source_tag", "tags": tags, "decision": name }));
            }
        }
        Ok(rules.into())
    }

    /// The request as its line, or made of the terms of a specification of others.
    fn request(&mut self, parts: &[String]) -> Result<Value, String> {
        if let Some(line) = self.known.text(&self.root, "request") {
            return Ok(line.into());
        }
        let mut terms = Vec::new();
        let score = |known: &Known, node: &str| known.number(node, "hasScore").unwrap_or(1.0).clamp(-1.0, 1.0);
        let kind_of = |text: &str| if text.trim().contains(char::is_whitespace) { "phrase" } else { "keyword" };
        for node in self.each(parts, "hasTerm").map(Object::text) {
            let Some(value) = self.known.text(node, RDFS_LABEL) else { continue };
            let kind = self.known.text(node, "termKind").unwrap_or_else(|| kind_of(&value).to_owned());
            terms.push(json!({ "kind": kind, "value": value, "weight": score(self.known, node) }));
        }
        let has_terms = !terms.is_empty();
        for keyword in self.each(parts, "hasKeyword") {
            let label = self.known.text(keyword.text(), RDFS_LABEL);
            let (value, weight) = match (keyword, label) {
                (Object::Node(node), Some(label)) => (label, score(self.known, node)),
                (keyword, _) => (keyword.text().to_owned(), 1.0),
            };
            terms.push(json!({ "kind": kind_of(&value), "value": value, "weight": weight }));
        }
        let mut note = |node: &Object, names: &[&str], kind: Option<&str>, uri: Option<&str>| {
            let node = node.text();
            let texts: Vec<String> = names.iter().filter_map(|name| self.known.text(node, name)).collect();
            let Some(value) = texts.iter().find(|text| !text.contains("://")).cloned() else {
                self.left_out.push(format!("{}: it has no name in words", node));
                return;
            };
            let uri = uri.and_then(|uri| self.known.text(node, uri)).filter(|uri| uri.contains(':'));
            let kind = self.known.text(node, "termKind").or_else(|| kind.map(str::to_owned));
            let kind = kind.unwrap_or_else(|| kind_of(&value).to_owned());
            let mut term = json!({ "kind": kind, "value": value, "weight": score(self.known, node) });
            for (field, text) in [
                ("uri", uri),
                ("from", self.known.text(node, "hasStartDate")),
                ("to", self.known.text(node, "hasEndDate")),
            ] {
                if let Some(text) = text {
                    term[field] = text.into();
                }
            }
            terms.push(term);
        };
        let nodes = |property: &str| -> Vec<Object> {
            let of = parts.iter().flat_map(|part| self.known.all(part, property).cloned().collect::<Vec<_>>());
            of.take(MAX_PARTS).collect()
        };
        if !has_terms {
            // Which of person, place and organisation it is the specification does not say.
            for node in nodes("hasEntityPreference") {
                note(&node, &["hasEntityName", RDFS_LABEL], None, Some("hasEntityURI"));
            }
            for node in nodes("eventScope") {
                note(&node, &["hasText", RDFS_LABEL, "hasEvent"], Some("event"), Some("hasEvent"));
            }
            for node in nodes("topicScope") {
                note(&node, &["hasTopic", RDFS_LABEL], None, None);
            }
        }
        let mut languages = Vec::new();
        for node in nodes("hasLanguagePreference") {
            let language = self.known.text(node.text(), "hasLanguage").unwrap_or_default();
            let weight = self.known.number(node.text(), "hasWeight").unwrap_or(1.0).clamp(0.0, 1.0);
            match language.split('-').next().unwrap_or_default() {
                _ if has_terms => {}
                "" | "*" => self.left_out.push(format!("hasLanguage {language}: any language is what no term says")),
                code => languages.push(json!({ "kind": "language", "value": code, "weight": weight })),
            }
        }
        let any = |terms: Vec<Value>| {
            let mut terms: Vec<Value> = terms.into_iter().map(|term| json!({ "term": term })).collect();
            terms.sort_by_key(Value::to_string);
            terms.dedup();
            match terms.len() {
                1 => terms.remove(0),
                _ => json!({ "or": terms }),
            }
        };
        let groups: Vec<Value> = [terms, languages].into_iter().filter(|group| !group.is_empty()).map(any).collect();
        Ok(match groups.len() {
            1 => groups.into_iter().next().unwrap_or_default(),
            _ => json!({ "and": groups }),
        })
    }

    fn settings(&mut self) -> Result<(), String> {
        let nodes: Vec<&Object> = self.known.all(&self.root, "hasSetting").take(MAX_PARTS).collect();
        for node in nodes {
            let (name, json) = (self.known.text(node.text(), RDFS_LABEL), self.known.text(node.text(), "json"));
            if let (Some(name), Some(json)) = (name, json) {
                self.fields.insert(name, read_json(node.text(), &json)?);
            }
        }
        Ok(())
    }

    fn schedule(&mut self) {
        for (property, field) in [("hasStartDate", "start"), ("hasEndDate", "end")] {
            let Some(date) = self.known.text(&self.root, property) else { continue };
            let schedule = self.fields.entry("schedule").or_insert_with(|| json!({}));
            if schedule.get(field).is_none_or(Value::is_null) {
                schedule[field] = date.into();
            }
        }
    }

    /// What connects it with the versions of its campaign elsewhere.
    fn lineage(&mut self) {
        let urn = self.known.text(&self.root, SPECIALIZATION);
        if let Some(identity) = urn.as_deref().and_then(|urn| urn.strip_prefix("urn:uuid:")) {
            self.fields.insert("identity".to_owned(), identity.into());
        }
        for field in ["digest", "parent"] {
            if let Some(digest) = self.known.text(&self.root, field) {
                self.fields.insert(field.to_owned(), digest.into());
            }
        }
    }

    /// Names what the file states with a name of the specification that no campaign is read from.
    fn name_left_out(&mut self) {
        for term in SPECIFICATION_TERMS.iter().filter(|term| !term.is_read) {
            let is_class = term.name.starts_with(char::is_uppercase);
            let is_there = self.known.0.values().flatten().any(|(name, object)| match is_class {
                false => name == term.name,
                true => {
                    let class = object.text();
                    class.strip_prefix(ARCOMEM).or_else(|| class.strip_prefix(VOCABULARY)) == Some(term.name)
                }
            });
            if is_there {
                self.left_out.push(format!("{}: {}", term.name, term.why));
            }
        }
    }
}

/// The predicate of tags.
static TAG: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| format!("{DCT}subject"));

fn read_json(node: &str, text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("{node}: its JSON cannot be read: {error}"))
}
