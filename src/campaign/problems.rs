//! Checks that find the mistakes in a campaign before it runs.

use super::request_text::is_day;
use super::source::source_problems;
use super::url_score::score_problems;
use super::{Campaign, Frequency, Limits, Politeness, Request, Term, TermKind, UNREAD_FIELDS};
use crate::query::MAX_REQUEST_DEPTH;
use crate::query::limits::{Excess, MAX_TERMS, check_text};
use crate::uri::{PageKey, Url, parse_web_url};
use std::collections::HashMap;

/// Something in a campaign that a person should know before it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignProblem {
    /// The field, as a path in the JSON file: `seeds[2].url`.
    pub field: String,
    /// The fault.
    pub what: String,
    /// The way to mend it.
    pub hint: String,
    /// Whether a crawl cannot start before it is put right.
    pub stops_crawl: bool,
    /// Whether it is an error: what it is about is left out of a crawl, or
    /// stops it.
    pub is_error: bool,
}

impl std::fmt::Display for CampaignProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}; {}", self.field, self.what, self.hint)
    }
}

impl Campaign {
    /// Everything that prevents a good run, in the order of the file.
    pub fn problems(&self) -> Vec<CampaignProblem> {
        let mut found = ProblemList::default();
        if self.name.trim().is_empty() {
            found.note("name", "the campaign has no name", "give it a short title");
        }
        request_problems(&self.request, &mut found);
        self.seed_problems(&mut found);
        for (field, what, hint) in source_problems(&self.sources) {
            found.note(field, what, hint);
        }
        for (field, what, hint) in score_problems(&self.scores) {
            found.note(field, what, hint);
        }
        for (i, permission) in self.permissions.iter().enumerate() {
            for (field, what, hint) in permission.problems() {
                found.note(format!("permissions[{i}].{field}"), what, hint);
            }
        }
        for (field, what, hint) in self.grounds.problems() {
            found.note(format!("grounds.{field}"), what, hint);
        }
        for error in self.schedule.errors() {
            found.note(
                format!("schedule.{}", error.field),
                format!("“{}” {}", error.text, error.why),
                "correct the date",
            );
        }
        if !self.active && self.schedule.frequency != Frequency::Manual {
            found.note(
                "active",
                "the schedule is off, so nothing runs by itself",
                "switch the campaign on, or start it by hand",
            );
        }
        limit_problems(&self.limits, &mut found);
        politeness_problems(&self.politeness, &mut found);
        if let Some(unread) = self.other.get(UNREAD_FIELDS).and_then(|unread| unread.as_object()) {
            for field in unread.keys() {
                found.note(
                    field.clone(),
                    "this version does not know the field; it is kept and has no effect",
                    format!("look it over under {UNREAD_FIELDS} in the campaign's file"),
                );
            }
        }
        found.problems
    }

    fn seed_problems(&self, found: &mut ProblemList) {
        if self.seeds.is_empty() && !self.sources.iter().any(|source| source.enabled) {
            found.stop("seeds", "the campaign has no seeds", "add at least one URL to start from");
        }
        let mut seen: HashMap<PageKey, usize> = HashMap::new();
        for (i, seed) in self.seeds.iter().enumerate() {
            let field = format!("seeds[{i}].url");
            let typed = seed.url.trim();
            if seed.without_user().is_some() {
                found.note(
                    field.clone(),
                    "the seed has a user name or a password in it; it is saved and crawled without",
                    "take it out: Fonds sends none, and pages that ask for one cannot be crawled",
                );
            }
            match parse_web_url(typed) {
                _ if typed.is_empty() => found.stop(field, "the seed is empty", "type a URL, or remove the seed"),
                _ if typed.contains(char::is_whitespace) => {
                    found.stop(
                        field,
                        format!("“{typed}” has a blank in it"),
                        "one URL a seed; a blank within a URL is written %20",
                    );
                }
                None => found.stop(field, format!("“{typed}” is no web address"), hint_for_bad_url(typed)),
                Some(url) => match seen.get(&PageKey::of(&url)) {
                    Some(first) => found.note(
                        field,
                        format!("the seed is the same page as seeds[{first}] but for http, www or a slash"),
                        "remove one of them, unless they differ on purpose",
                    ),
                    None => {
                        seen.insert(PageKey::of(&url), i);
                    }
                },
            }
        }
    }
}

fn hint_for_bad_url(typed: &str) -> String {
    match Url::parse(typed) {
        Ok(url) if url.has_host() || matches!(url.scheme(), "mailto" | "javascript" | "data" | "file" | "tel") => {
            format!("only http and https can be crawled, not {}", url.scheme())
        }
        // `ria.example:8080/` parses with a host name for its scheme.
        _ if !typed.contains("://") && parse_web_url(&format!("https://{typed}")).is_some() => {
            format!("write it with its scheme: https://{typed}")
        }
        _ => "write the whole address, such as https://www.example.org/".to_owned(),
    }
}

fn request_problems(request: &Request, found: &mut ProblemList) {
    if request.depth() > MAX_REQUEST_DEPTH {
        found.note(
            "request",
            format!("groups go deeper than {MAX_REQUEST_DEPTH}"),
            "take groups out: the text of the request cannot be read back",
        );
        return;
    }
    let terms = request.count();
    if terms > MAX_TERMS {
        found.note(
            "request",
            format!("it has {terms} terms"),
            format!("write {MAX_TERMS} at most: the text of the request cannot be read back; other names of the same are aliases"),
        );
    }
    part_problems("request", request, found);
}

fn part_problems(path: &str, request: &Request, found: &mut ProblemList) {
    match request {
        Request::And(parts) => {
            parts.iter().enumerate().for_each(|(i, part)| part_problems(&format!("{path}.and[{i}]"), part, found));
        }
        Request::Or(parts) => {
            if parts.is_empty() {
                found.note(
                    format!("{path}.or"),
                    "a choice between no terms is met by no page",
                    "add a term, or remove the group",
                );
            }
            parts.iter().enumerate().for_each(|(i, part)| part_problems(&format!("{path}.or[{i}]"), part, found));
        }
        Request::Not(part) => part_problems(&format!("{path}.not"), part, found),
        Request::Term(term) => term_problems(&format!("{path}.term"), term, found),
    }
}

fn term_problems(path: &str, term: &Term, found: &mut ProblemList) {
    let field = |name: &str| format!("{path}.{name}");
    let has_days = term.from.is_some() || term.to.is_some();
    let has_letters = |text: &String| text.chars().any(char::is_alphanumeric);
    match term.kind {
        TermKind::Period if !has_days => {
            found.note(
                field("from"),
                "the period has no days, so every date is in it",
                "give it a first or a last day",
            );
        }
        TermKind::Period => {}
        TermKind::Language if !is_language(&term.value) => {
            found.note(
                field("value"),
                format!("“{}” is no language code", term.value),
                "two or three letters (ISO 639), such as pt or pt-BR",
            );
        }
        _ if !has_letters(&term.value) => {
            found.note(
                field("value"),
                format!("“{}” holds no letter or digit, so it is never found", term.value),
                "type a word, or remove the term",
            );
        }
        _ => {}
    }
    let names = std::iter::once((field("value"), &term.value))
        .chain(term.aliases.iter().enumerate().map(|(i, alias)| (format!("{path}.aliases[{i}]"), alias)));
    for (name, text) in names {
        if let Err(Excess { expected, found: there }) = check_text(text) {
            found.note(name, format!("it has {there}"), format!("write {expected}"));
        }
    }
    if !(-1.0..=1.0).contains(&term.weight) {
        found.note(
            field("weight"),
            format!("the weight {} is out of range", term.weight),
            "choose a weight from -1 to 1",
        );
    }
    if let Some(i) = term.aliases.iter().position(|alias| !has_letters(alias)) {
        found.note(
            format!("{path}.aliases[{i}]"),
            "the alias holds no letter or digit, so it is never found",
            "type a name, or remove the alias",
        );
    }
    if let Some(uri) = term.uri.as_ref().filter(|uri| Url::parse(uri).is_err()) {
        found.note(
            field("uri"),
            format!("“{uri}” is no URI"),
            "write it whole, such as https://www.wikidata.org/entity/Q42",
        );
    }
    if has_days && !matches!(term.kind, TermKind::Event | TermKind::Period) {
        found.note(
            field("from"),
            "days have a meaning for events and periods only",
            "remove them, or choose another kind",
        );
    }
    for (name, day) in [("from", &term.from), ("to", &term.to)] {
        if let Some(day) = day.as_ref().filter(|day| !is_day(day)) {
            found.note(field(name), format!("“{day}” is no day"), "write 2024-07-01, 2024-07 or 2024");
        }
    }
    if let (Some(from), Some(to)) = (&term.from, &term.to)
        && is_day(from)
        && is_day(to)
        && to < from
        && !from.starts_with(to.as_str())
    {
        found.note(field("to"), format!("the last day {to} is before the first, {from}"), "exchange them");
    }
}

fn is_language(code: &str) -> bool {
    let mut parts = code.split(['-', '_']);
    let letters = |part: &str| part.bytes().all(|b| b.is_ascii_alphabetic());
    parts.next().is_some_and(|first| matches!(first.len(), 2 | 3) && letters(first))
        && parts.all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric()))
}

fn limit_problems(limits: &Limits, found: &mut ProblemList) {
    if limits.max_documents == 0 && limits.max_bytes == 0 && limits.max_seconds == 0 {
        found.note(
            "limits",
            "nothing but the scope and the disk ends the crawl",
            "set a number of documents, bytes or seconds",
        );
    }
}

fn politeness_problems(politeness: &Politeness, found: &mut ProblemList) {
    let agent = politeness.user_agent.trim();
    let field = "politeness.user_agent";
    if agent.chars().any(char::is_control) {
        found.stop(field, "the user agent holds a line break or another control character", "write it in one line");
    } else if contact_in(agent).is_none() {
        found.stop(
            field,
            if agent.is_empty() { "there is no user agent" } else { "the user agent has no contact address" },
            "say who crawls with an e-mail address or a URL, such as: MyArchive (+https://archive.example/crawl; crawl@archive.example)",
        );
    }
    for entry in politeness.allow_private_addresses.broken() {
        found.stop(
            "politeness.allow_private_addresses",
            format!("“{entry}” is no host and no network"),
            "write a host such as intranet.example, or a network such as 10.1.0.0/16",
        );
    }
    if politeness.workers == 0 {
        found.stop("politeness.workers", "without workers nothing is fetched", "set at least 1");
    }
    if !politeness.delay_factor.is_finite() || politeness.delay_factor < 0.0 {
        found.stop("politeness.delay_factor", "the delay factor is no number from 0", "Heritrix's default is 5");
    }
    if politeness.min_delay_ms > politeness.max_delay_ms {
        found.note(
            "politeness.min_delay_ms",
            "the least delay is longer than the most",
            "set it to at most max_delay_ms",
        );
    }
}

/// The contact in a user agent: its first e-mail address, else its first web
/// URL.
pub fn contact_in(agent: &str) -> Option<&str> {
    let tokens = || {
        agent.split(|c: char| {
            c.is_whitespace() || matches!(c, '(' | ')' | '<' | '>' | '[' | ']' | ',' | ';' | '+' | '"')
        })
    };
    let is_mail = |token: &&str| {
        token.split_once('@').is_some_and(|(user, host)| {
            let host = host.trim_end_matches('.');
            !user.is_empty() && host.contains('.') && !host.starts_with('.') && !host.contains('@')
        })
    };
    let mail = tokens().map(|token| token.strip_prefix("mailto:").unwrap_or(token)).find(is_mail);
    mail.or_else(|| tokens().find(|token| parse_web_url(token).is_some()))
}

/// Problems as they are found.
#[derive(Default)]
struct ProblemList {
    problems: Vec<CampaignProblem>,
}

impl ProblemList {
    fn note(&mut self, field: impl Into<String>, what: impl Into<String>, hint: impl Into<String>) {
        self.push(field.into(), what.into(), hint.into(), false);
    }

    fn stop(&mut self, field: impl Into<String>, what: impl Into<String>, hint: impl Into<String>) {
        self.push(field.into(), what.into(), hint.into(), true);
    }

    fn push(&mut self, field: String, what: String, hint: String, stops_crawl: bool) {
        self.problems.push(CampaignProblem { field, what, hint, stops_crawl, is_error: stops_crawl });
    }
}

#[cfg(test)]
mod tests;
