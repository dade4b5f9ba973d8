//! Decide rules as the beans of a Heritrix scope.

use super::EngineNote;
use super::beans::{comment_text, value_text};
use crate::campaign::{Campaign, SeedScope};
use crate::scope::Decision;
use crate::scope::rules::{HostList, Rule, RuleKind};
use crate::uri::{ScopePrefix, Url, parse_web_url};
use serde_json::Value;

/// Id of the bean that follows the seeds.
pub(super) const SEED_RULE: &str = "seedSurts";
/// Id of a rule that only Heritrix needs.
pub(super) const ADDED_RULE: &str = "prerequisites";
/// Begin of the comment that keeps a rule which Heritrix has not.
pub(super) const KEPT_RULE: &str = "Fonds rule, unknown to Heritrix: ";

const PACKAGE: &str = "org.archive.modules.deciderules";

/// The URL of a seed. A sign, a `#` or a blank in what is none would make
/// something else of its line in `seeds.txt`.
pub(super) fn seed_url(text: &str) -> Option<Url> {
    let text = text.trim();
    let is_host = !text.contains("://") && text.starts_with(|c: char| c.is_alphanumeric());
    let url = if is_host { parse_web_url(&format!("http://{text}")) } else { parse_web_url(text) }?;
    // A parser of URLs takes `http://(pt,` for a host; Heritrix, for a SURT.
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '[' | ']' | ':');
    url.host_str().is_some_and(|host| host.chars().all(is_name)).then_some(url)
}

/// The SURT prefix of a seed; none where its reach is counted in hops.
pub(super) fn prefix_of(url: &str, scope: SeedScope) -> Option<String> {
    // Text that is no URL may be a prefix that takes the whole web.
    let url = seed_url(url)?;
    match scope {
        SeedScope::Root => Some(ScopePrefix::implied_by_seed(url.as_str()).to_string()),
        SeedScope::Subdomains => Some(ScopePrefix::domain_of(&url).to_string()),
        SeedScope::Resource | SeedScope::Plus1 => None,
    }
}

/// The prefixes of all seeds, each once.
pub(super) fn surts_of(campaign: &Campaign) -> Vec<String> {
    let mut surts: Vec<String> = campaign.seeds.iter().filter_map(|seed| prefix_of(&seed.url, seed.scope)).collect();
    surts.sort();
    surts.dedup();
    surts
}

/// The list of rules, each on lines of its own.
pub(super) fn rules_xml(campaign: &Campaign, notes: &mut Vec<EngineNote>) -> String {
    let mut xml = String::new();
    let mut last_is_prerequisite = false;
    for (index, value) in campaign.rules.iter().enumerate() {
        let place = format!("rule {index}");
        let rule = match Rule::read(value) {
            Ok(rule) => rule,
            Err(error) => {
                notes.push(EngineNote::new(
                    place,
                    format!("it cannot be understood ({error}); it is switched off there"),
                ));
                xml.push_str(&kept(value));
                continue;
            }
        };
        last_is_prerequisite = rule.enabled
            && matches!(&rule.kind, RuleKind::HopType(hop) if hop.hops == "P" && hop.decision == Decision::Accept);
        match bean(campaign, &rule, &place, notes) {
            Some(bean) => {
                if !rule.comment.trim().is_empty() {
                    xml.push_str(&format!("    <!-- {} -->\n", comment_text(&rule.comment)));
                }
                xml.push_str(&bean.xml(rule.enabled));
            }
            None => xml.push_str(&kept(value)),
        }
    }
    if !last_is_prerequisite {
        xml.push_str(
            "    <!-- Heritrix asks for names and robots.txt as URLs of their own, which no rule above lets in -->\n",
        );
        xml.push_str(&format!("    <bean id=\"{ADDED_RULE}\" class=\"{PACKAGE}.PrerequisiteAcceptDecideRule\"/>\n"));
    }
    xml
}

/// A rule that is switched off and keeps the index, with a comment on what it was.
fn kept(rule: &Value) -> String {
    // A comment holds no two hyphens, and blanks in it are folded.
    let json = rule.to_string().replace("--", "-\\u002d").replace("  ", " \\u0020");
    format!("    <!-- {KEPT_RULE}{} -->\n{}", comment_text(&json), Bean::new("RejectDecideRule").xml(false))
}

/// A bean with its properties.
struct Bean {
    id: Option<&'static str>,
    class: String,
    properties: Vec<String>,
}

impl Bean {
    fn new(class: &str) -> Self {
        Self { id: None, class: format!("{PACKAGE}.{class}"), properties: Vec::new() }
    }

    fn with(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        let value = value_text(&value.to_string());
        self.properties.push(format!("     <property name=\"{name}\" value=\"{value}\"/>\n"));
        self
    }

    fn decided(self, decision: Decision) -> Self {
        self.with("decision", decision.as_str())
    }

    fn with_list(mut self, name: &str, tag: &str, values: &[String]) -> Self {
        let values = values.iter().map(|value| format!("       <value>{}</value>\n", value_text(value)));
        let values: String = values.collect();
        self.properties.push(format!(
            "     <property name=\"{name}\">\n      <{tag}>\n{values}      </{tag}>\n     </property>\n"
        ));
        self
    }

    /// Prefixes, one a line.
    fn with_surts(mut self, prefixes: &[String]) -> Self {
        let lines: String = prefixes.iter().map(|prefix| format!("+{}\n", value_text(prefix))).collect();
        self.properties.push(format!(
            "     <property name=\"surtsSource\">\n      <bean class=\"org.archive.spring.ConfigString\">\n       \
             <property name=\"value\">\n        <value>\n{lines}</value>\n       </property>\n      </bean>\n     </property>\n"
        ));
        self
    }

    fn xml(mut self, enabled: bool) -> String {
        if !enabled {
            self = self.with("enabled", "false");
        }
        let id = self.id.map(|id| format!("id=\"{id}\" ")).unwrap_or_default();
        let class = &self.class;
        match self.properties.concat() {
            none if none.is_empty() => format!("    <bean {id}class=\"{class}\"/>\n"),
            properties => format!("    <bean {id}class=\"{class}\">\n{properties}    </bean>\n"),
        }
    }
}

/// The bean of a rule; none, with a note, where Heritrix has nothing like it.
fn bean(campaign: &Campaign, rule: &Rule, place: &str, notes: &mut Vec<EngineNote>) -> Option<Bean> {
    let mut note = |what: &str| notes.push(EngineNote::new(place, what));
    let surts = |prefixes: &[String], decision, via: bool| {
        let bean = Bean::new("surt.SurtPrefixedDecideRule").decided(decision).with("seedsAsSurtPrefixes", false);
        let bean = if via { bean.with("alsoCheckVia", true) } else { bean };
        bean.with_surts(prefixes)
    };
    let regexes = |patterns: &[String], any: bool, decision| {
        let bean = Bean::new("MatchesListRegexDecideRule").decided(decision).with("listLogicalOr", any);
        bean.with_list("regexList", "list", patterns)
    };
    let hops =
        |pattern: &str, decision| Bean::new("HopsPathMatchesRegexDecideRule").decided(decision).with("regex", pattern);
    Some(match &rule.kind {
        RuleKind::RejectAll(_) => Bean::new("RejectDecideRule"),
        RuleKind::AcceptAll(_) => Bean::new("AcceptDecideRule"),
        RuleKind::SeedScope(_) => return Some(seed_rule(campaign, notes)),
        RuleKind::SurtPrefix(rule) => {
            let prefixes = rule.prefixes.iter().filter_map(|text| ScopePrefix::as_written(text));
            let prefixes: Vec<String> = prefixes.map(|prefix| prefix.to_string()).collect();
            surts(&prefixes, rule.decision, rule.also_check_via)
        }
        RuleKind::Regex(rule) => regexes(&rule.patterns, rule.any, rule.decision),
        RuleKind::HostList(rule) => {
            note("names of hosts are written as prefixes there; they come back as such");
            surts(&host_prefixes(rule), rule.decision, false)
        }
        RuleKind::TopLevelDomain(rule) => {
            note("domains are written as prefixes there; they come back as such");
            let prefix = |domain: &String| {
                let labels: Vec<&str> = domain.trim().trim_matches('.').rsplit('.').collect();
                ScopePrefix::parse(&format!("http://({},", labels.join(","))).map(|prefix| prefix.to_string())
            };
            let prefixes: Vec<String> = rule.domains.iter().filter_map(prefix).collect();
            surts(&prefixes, rule.decision, false)
        }
        RuleKind::TooManyHops(rule) => Bean::new("TooManyHopsDecideRule").with("maxHops", rule.max_hops),
        RuleKind::TooManyPathSegments(rule) => {
            Bean::new("TooManyPathSegmentsDecideRule").with("maxPathDepth", rule.max_segments)
        }
        RuleKind::PathologicalPath(rule) => {
            Bean::new("PathologicalPathDecideRule").with("maxRepetitions", rule.max_repetitions)
        }
        RuleKind::Transclusion(rule) => Bean::new("TransclusionDecideRule")
            .with("maxTransHops", rule.max_trans_hops)
            .with("maxSpeculativeHops", rule.max_speculative_hops),
        RuleKind::SchemeNotInSet(rule) => {
            Bean::new("SchemeNotInSetDecideRule").with_list("schemes", "set", &rule.schemes)
        }
        RuleKind::QueryParameters(rule) => {
            note("parameters are counted by a pattern there; it comes back as such");
            let max = rule.max_parameters;
            regexes(&[format!(r"[^?]*\?([&;]*[^&;]+[&;]+){{{max}}}[&;]*[^&;].*")], true, Decision::Reject)
        }
        RuleKind::HopPath(rule) => hops(&rule.pattern, rule.decision),
        RuleKind::HopType(rule) if rule.hops == "P" && rule.decision == Decision::Accept => {
            Bean::new("PrerequisiteAcceptDecideRule")
        }
        RuleKind::HopType(rule) if !rule.hops.is_empty() => hops(&format!(".*[{}]", rule.hops), rule.decision),
        RuleKind::HopType(_) => {
            note("it names no hop, so it says nothing; it is switched off there");
            return None;
        }
        RuleKind::SourceTag(rule) => {
            note("Heritrix compares the tag of the seed, which is the seed's URL unless seeds.txt says otherwise");
            Bean::new("SourceSeedDecideRule").decided(rule.decision).with_list("sourceSeeds", "set", &rule.tags)
        }
        RuleKind::Geolocation(rule) => {
            note(
                "Heritrix has the rule and brings no database; the bean “externalGeoLookup” needs the class of UKWA's \
                 build and the path of a country database",
            );
            let mut bean = Bean::new("ExternalGeoLocationDecideRule").decided(rule.decision);
            bean.properties
                .push("     <property name=\"lookup\"><ref bean=\"externalGeoLookup\"/></property>\n".to_owned());
            bean.with_list("countryCodes", "list", &rule.countries)
        }
        RuleKind::Robots(_) => {
            note("robots.txt is a setting there (robotsPolicyName), which is written; the rule is switched off");
            return None;
        }
        RuleKind::Nofollow(_) => {
            note(
                "nofollow is a setting there (obeyRelNofollow of the extractor), which is written; the rule is switched off",
            );
            return None;
        }
        RuleKind::Permission(_)
        | RuleKind::ScheduleWindow(_)
        | RuleKind::Annotation(_)
        | RuleKind::ContentSize(_)
        | RuleKind::ContentType(_) => {
            note("Heritrix has no such rule; it is switched off there and kept in a comment");
            return None;
        }
    })
}

fn seed_rule(campaign: &Campaign, notes: &mut Vec<EngineNote>) -> Bean {
    for (position, seed) in campaign.seeds.iter().enumerate() {
        let place = format!("seed {position} ({})", seed.url);
        if seed.scope == SeedScope::Plus1 {
            notes.push(EngineNote::new(
                &place,
                "“one link on” cannot be said for one seed there; only the seed and what it needs are taken",
            ));
        }
        if seed.depth.is_some() {
            notes.push(EngineNote::new(&place, "a depth of its own cannot be said there; the limit of hops holds"));
        }
    }
    let plain = campaign.seeds.iter().all(|seed| seed.scope == SeedScope::Root);
    let mut bean = Bean::new("surt.SurtPrefixedDecideRule").with("seedsAsSurtPrefixes", plain);
    bean.id = Some(SEED_RULE);
    if !plain {
        let file = "     <property name=\"surtsSource\">\n      <bean class=\"org.archive.spring.ConfigFile\">\n       \
             <property name=\"path\" value=\"surts.txt\"/>\n      </bean>\n     </property>\n";
        bean.properties.push(file.to_owned());
    }
    // Written beside it in any case, for people.
    debug_assert_eq!(
        surts_of(campaign).is_empty(),
        campaign.seeds.iter().all(|s| prefix_of(&s.url, s.scope).is_none())
    );
    bean
}

fn host_prefixes(rule: &HostList) -> Vec<String> {
    let mut prefixes = Vec::new();
    for host in &rule.hosts {
        let name = host.trim().trim_start_matches("*.").trim_start_matches('.').trim_start_matches("www.");
        let parsed = |name: &str| Url::parse(&format!("http://{name}/")).ok().or_else(|| parse_web_url(name));
        if rule.subdomains {
            prefixes.extend(parsed(name).map(|url| ScopePrefix::domain_of(&url).to_string()));
        } else {
            let names = [name.to_owned(), format!("www.{name}")];
            prefixes
                .extend(names.iter().filter_map(|name| parsed(name)).map(|url| ScopePrefix::host_of(&url).to_string()));
        }
    }
    prefixes
}
