//! A campaign as a Browsertrix crawl, and the pages of such a crawl as seeds.

use super::{EngineNote, refusals_note};
use crate::campaign::{Campaign, Limits, RobotsPolicy, Seed, SeedScope};
use crate::scope::rules::{Rule, RuleKind};
use crate::scope::{Decision, standard_rules};
use crate::uri::{ScopePrefix, parse_web_url};
use serde_json::Value;

/// Writes the YAML that the crawler takes with `--config`, and notes of what
/// it cannot do or does otherwise. `collection` names the folder it writes
/// into: letters, digits, `-` and `_`.
pub fn browsertrix_yaml(campaign: &Campaign, collection: &str) -> (String, Vec<EngineNote>) {
    let mut notes = Vec::new();
    let patterns = Patterns::of(campaign, &mut notes);
    let mut yaml = String::from("# A Browsertrix crawl, written by Fonds.\n");
    let mut line = |text: String| {
        yaml.push_str(&text);
        yaml.push('\n');
    };
    line(format!("collection: {}", text(collection)));
    if !campaign.description.is_empty() {
        line(format!("description: {}", text(&campaign.description)));
    }
    if !campaign.name.is_empty() {
        line(format!("title: {}", text(&campaign.name)));
    }
    line("generateWACZ: true".to_owned());
    line("generateCDX: true".to_owned());
    let (limits, polite) = (&campaign.limits, &campaign.politeness);
    for (name, limit) in
        [("limit", limits.max_documents), ("sizeLimit", limits.max_bytes), ("timeLimit", limits.max_seconds)]
    {
        if limit > 0 {
            line(format!("{name}: {limit}"));
        }
    }
    if limits.max_documents > 0 {
        notes.push(EngineNote::new("limits.max_documents", "it counts pages there, not single documents"));
    }
    // A browser loads a page at a time in each worker: the delay holds between pages.
    line(format!("pageExtraDelay: {}", polite.min_delay_ms.div_ceil(1000)));
    line("workers: 1".to_owned());
    notes.push(EngineNote::new(
        "politeness",
        "there is one wait, between pages (pageExtraDelay), and it does not grow with slow servers; one worker keeps it true",
    ));
    match polite.user_agent.as_str() {
        "" => notes.push(EngineNote::new("user_agent", "there is none; the crawler will call itself a plain browser")),
        agent => line(format!("userAgentSuffix: {}", text(agent))),
    }
    if polite.robots == RobotsPolicy::Obey {
        line("useRobots: true".to_owned());
        notes.push(EngineNote::new(
            "robots",
            "only crawlers that know useRobots obey robots.txt; look at the version's --help",
        ));
    }
    line("seeds:".to_owned());
    for (position, seed) in campaign.seeds.iter().enumerate() {
        if parse_web_url(&seed.url).is_none() {
            notes.push(EngineNote::new(
                format!("seed {position} ({})", seed.url),
                "it is no web address and is left out",
            ));
            continue;
        }
        line(format!("  - url: {}", text(seed.url.trim())));
        let scope = match seed.scope {
            SeedScope::Resource => "page",
            SeedScope::Plus1 => "page",
            SeedScope::Root => "prefix",
            SeedScope::Subdomains => "domain",
        };
        line(format!("    scopeType: {scope}"));
        if seed.scope == SeedScope::Plus1 {
            line("    extraHops: 1".to_owned());
        }
        let depth = seed.depth.or(patterns.max_hops).filter(|_| scope != "page");
        if let Some(depth) = depth {
            line(format!("    depth: {depth}"));
        }
        for (name, list) in [("include", &patterns.include), ("exclude", &patterns.exclude)] {
            if !list.is_empty() {
                line(format!("    {name}:"));
                list.iter().for_each(|pattern| line(format!("      - {}", text(pattern))));
            }
        }
    }
    (yaml, notes)
}

/// A text in double quotes, which YAML reads as JSON does, but for characters
/// that it takes for line breaks or refuses (YAML 1.2, 5.1): those are escaped.
fn text(text: &str) -> String {
    let is_refused =
        |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    let json = Value::from(text).to_string();
    json.chars().map(|c| if is_refused(c) { format!("\\u{:04x}", c as u32) } else { c.to_string() }).collect()
}

/// The rules as Browsertrix has them: patterns, and a depth.
#[derive(Default)]
struct Patterns {
    include: Vec<String>,
    exclude: Vec<String>,
    max_hops: Option<u32>,
}

impl Patterns {
    fn of(campaign: &Campaign, notes: &mut Vec<EngineNote>) -> Self {
        notes.extend(refusals_note(campaign));
        let mut patterns = Self::default();
        let mut rejected_before = false;
        for (index, value) in campaign.rules.iter().enumerate() {
            let Ok(rule) = Rule::read(value) else {
                notes.push(EngineNote::new(format!("rule {index}"), "it cannot be understood; it is left out"));
                continue;
            };
            if !rule.enabled {
                continue;
            }
            let place = format!("rule {index} ({})", value.get("rule").and_then(Value::as_str).unwrap_or_default());
            if index > 0 && matches!(rule.kind, RuleKind::RejectAll(_)) {
                notes.push(EngineNote::new(
                    &place,
                    "here it refuses what rules before it took; a browser crawl has no such rule, and takes that",
                ));
            }
            match patterns.take(&rule.kind) {
                Ok(Some(decision)) => {
                    if decision == Decision::Accept && rejected_before {
                        notes.push(EngineNote::new(
                            &place,
                            "what is excluded stays out there, also where this later rule would take it",
                        ));
                    }
                    rejected_before |= decision == Decision::Reject;
                }
                Ok(None) => {}
                Err(why) => notes.push(EngineNote::new(place, why)),
            }
        }
        patterns
    }

    /// Adds a rule to a side, if any, and returns that; `Err` is the reason why it has no place.
    fn take(&mut self, kind: &RuleKind) -> Result<Option<Decision>, String> {
        let mut add = |patterns: Vec<String>, decision| {
            let list = if decision == Decision::Accept { &mut self.include } else { &mut self.exclude };
            let some = !patterns.is_empty();
            list.extend(patterns);
            some.then_some(decision)
        };
        Ok(match kind {
            // The seeds' scopes have it, a browser loads what a page needs, and nothing else is fetched anyway.
            RuleKind::RejectAll(_)
            | RuleKind::SeedScope(_)
            | RuleKind::SchemeNotInSet(_)
            | RuleKind::Transclusion(_) => None,
            RuleKind::TooManyHops(rule) => {
                self.max_hops = u32::try_from(rule.max_hops).ok();
                None
            }
            RuleKind::Regex(rule) if rule.any || rule.patterns.len() == 1 => {
                if let Some(odd) = rule.patterns.iter().find(|pattern| pattern.contains("(?")) {
                    let plain = odd.replace("(?:", "").replace("(?=", "").replace("(?!", "").replace("(?<", "");
                    if plain.contains("(?") {
                        return Err(format!(
                            "the pattern “{odd}” has a flag inside, which browsers may not know; it is left out"
                        ));
                    }
                }
                add(rule.patterns.iter().map(|pattern| format!("^(?:{pattern})$")).collect(), rule.decision)
            }
            RuleKind::SurtPrefix(rule) => {
                let mut patterns = Vec::new();
                for prefix in &rule.prefixes {
                    let Some(prefix) = ScopePrefix::as_written(prefix) else { continue };
                    patterns.push(
                        pattern_of(prefix.as_str()).ok_or_else(|| format!("the prefix {prefix} has no pattern"))?,
                    );
                }
                add(patterns, rule.decision)
            }
            RuleKind::HostList(rule) => {
                let sub = if rule.subdomains { r"([^/?#@]+\.)?" } else { r"(www\.)?" };
                let host = |host: &String| {
                    format!(
                        "^https?://{sub}{}[:/?#]",
                        escaped(host.trim().trim_start_matches("*.").trim_start_matches('.'))
                    )
                };
                add(rule.hosts.iter().map(host).collect(), rule.decision)
            }
            RuleKind::TopLevelDomain(rule) => {
                let domain =
                    |name: &String| format!(r"^https?://[^/?#@]+\.{}[:/?#]", escaped(name.trim().trim_matches('.')));
                add(rule.domains.iter().map(domain).collect(), rule.decision)
            }
            RuleKind::QueryParameters(rule) => {
                let max = rule.max_parameters;
                add(vec![format!(r"^[^?]*\?([&;]*[^&;]+[&;]+){{{max}}}[&;]*[^&;]")], Decision::Reject)
            }
            RuleKind::TooManyPathSegments(rule) => {
                add(vec![format!(r"^https?://[^/?#]*(/[^/?#]*){{{},}}", rule.max_segments + 1)], Decision::Reject)
            }
            RuleKind::PathologicalPath(rule) if rule.max_repetitions > 0 => {
                add(vec![format!(r"/([^?#]*/)\1{{{},}}", rule.max_repetitions)], Decision::Reject)
            }
            RuleKind::PathologicalPath(_) => None,
            RuleKind::Robots(_) => None,
            _ => return Err("the crawler has no such rule; it is left out".to_owned()),
        })
    }
}

/// The pattern of a SURT prefix: `http://(pt,fct,)/a` is `^https?://fct\.pt/a`.
fn pattern_of(prefix: &str) -> Option<String> {
    let (_, rest) = prefix.split_once("://(")?;
    let (authority, path) = match rest.split_once(')') {
        Some((authority, path)) => (authority, Some(path)),
        None => (rest, None),
    };
    if authority.contains('@') {
        return None;
    }
    let (labels, port) = match authority.split_once(':') {
        Some((labels, port)) => (labels, format!(":{}", escaped(port))),
        None => (authority, String::new()),
    };
    let mut names: Vec<&str> = labels.split(',').collect();
    let open_label = names.pop().filter(|last| !last.is_empty());
    names.reverse();
    let host = escaped(&names.join("."));
    // A default port is none, and a host ends where its URL goes on.
    let end = if port.is_empty() { "[:/?#]" } else { "" };
    Some(match (path, open_label) {
        // Cut within a label: longer labels match too.
        (None, Some(label)) => format!(r"^https?://([^/?#@]+\.)?{}[^/?#@.]*\.{host}{end}", escaped(label)),
        (None, None) => format!(r"^https?://([^/?#@]+\.)?{host}{port}{end}"),
        (Some(""), _) => format!("^https?://{host}{port}[/?#]"),
        (Some(path), _) => format!("^https?://{host}{port}{}", escaped(path)),
    })
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if "\\^$.|?*+()[]{}".contains(character) {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

/// Makes a campaign of the pages of a crawl (`pages.jsonl`) that are marked as
/// seeds. Returns the number of pages, too, and the lines that are none, from 1.
pub fn browsertrix_campaign(name: &str, pages: &str) -> (Campaign, usize, Vec<(usize, String)>) {
    let (mut seeds, mut count, mut unread): (Vec<Seed>, usize, Vec<(usize, String)>) = (Vec::new(), 0, Vec::new());
    for (number, line) in pages.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let page: Value = match serde_json::from_str(line) {
            Ok(page) => page,
            Err(error) => {
                unread.push((number + 1, error.to_string()));
                continue;
            }
        };
        if number == 0 && page.get("format").is_some() {
            continue;
        }
        let Some(url) = page.get("url").and_then(Value::as_str).filter(|url| parse_web_url(url).is_some()) else {
            unread.push((number + 1, "it has no URL".to_owned()));
            continue;
        };
        count += 1;
        let is_seed = page.get("seed").and_then(Value::as_bool).unwrap_or(false);
        if is_seed && !seeds.iter().any(|seed| seed.url == url) {
            seeds.push(Seed { url: url.to_owned(), scope: SeedScope::Root, depth: None, source_tag: String::new() });
        }
    }
    let campaign = Campaign {
        name: name.to_owned(),
        seeds,
        rules: standard_rules(),
        limits: Limits::default(),
        ..Campaign::default()
    };
    (campaign, count, unread)
}
