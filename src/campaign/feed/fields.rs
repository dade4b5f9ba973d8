//! Reader of the fields of an entry, in any dialect.

use super::date::{FeedDate, kind_of};
use super::dialect::Dialect;
use super::{FeedEntry, FeedProblem, message};
use crate::campaign::SeedScope;
use crate::uri::{CaptureDate, parse_web_url};
use serde_json::Value;

/// The crawl frequency of a target, as the annotation tool names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CrawlFrequency {
    /// Only in the crawl of the whole domain.
    DomainCrawl,
    /// Every year.
    Annual,
    /// Every six months.
    SixMonthly,
    /// Every three months.
    Quarterly,
    /// Every month.
    Monthly,
    /// Every week.
    Weekly,
    /// Every day.
    Daily,
    /// Never; blocked.
    NeverCrawl,
}

impl CrawlFrequency {
    /// All of them, in the tool's order.
    pub const ALL: [Self; 8] = [
        Self::DomainCrawl,
        Self::Annual,
        Self::SixMonthly,
        Self::Quarterly,
        Self::Monthly,
        Self::Weekly,
        Self::Daily,
        Self::NeverCrawl,
    ];

    /// Its value in feeds.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DomainCrawl => "DOMAINCRAWL",
            Self::Annual => "ANNUAL",
            Self::SixMonthly => "SIXMONTHLY",
            Self::Quarterly => "QUARTERLY",
            Self::Monthly => "MONTHLY",
            Self::Weekly => "WEEKLY",
            Self::Daily => "DAILY",
            Self::NeverCrawl => "NEVERCRAWL",
        }
    }

    /// The frequency of this value, in whatever case.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|frequency| frequency.as_str().eq_ignore_ascii_case(text.trim()))
    }
}

/// The most bytes that are taken of a target: the tool's “depth”.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SizeCap {
    /// 500 MB.
    Capped,
    /// 2 GB.
    CappedLarge,
    /// No cap.
    Deep,
}

impl SizeCap {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Capped, Self::CappedLarge, Self::Deep];

    /// Its value in feeds.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Capped => "CAPPED",
            Self::CappedLarge => "CAPPED_LARGE",
            Self::Deep => "DEEP",
        }
    }

    /// Bytes of one launch; zero is no cap. The numbers of the crawler's
    /// quotas: 524288 KB by default, 2 GiB with the sheet `higherLimit`.
    pub fn max_bytes(self) -> u64 {
        match self {
            Self::Capped => 512 * 1024 * 1024,
            Self::CappedLarge => 2 * 1024 * 1024 * 1024,
            Self::Deep => 0,
        }
    }

    /// The cap with this many bytes, or the next that lets as much through.
    pub fn of_bytes(bytes: u64) -> Self {
        match bytes {
            0 => Self::Deep,
            bytes if bytes <= Self::Capped.max_bytes() => Self::Capped,
            bytes if bytes <= Self::CappedLarge.max_bytes() => Self::CappedLarge,
            _ => Self::Deep,
        }
    }
}

/// The meaning of an entry. None is what the entry leaves open.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Meaning {
    /// Number or name of the target.
    pub id: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Its seeds, in order, as typed.
    pub seeds: Vec<String>,
    /// Most bytes.
    pub cap: Option<SizeCap>,
    /// How far its seeds reach.
    pub scope: Option<SeedScope>,
    /// Whether robots.txt is ignored.
    pub ignore_robots: Option<bool>,
    /// Not crawled before this.
    pub start: Option<CaptureDate>,
    /// Not crawled after this.
    pub end: Option<CaptureDate>,
    /// How often.
    pub frequency: Option<CrawlFrequency>,
    /// Whether its documents are listed.
    pub watched: Option<bool>,
    /// The begin of the URLs of its documents.
    pub document_url_scheme: Option<String>,
}

pub(super) fn scope_name(scope: SeedScope) -> &'static str {
    match scope {
        SeedScope::Resource => "resource",
        SeedScope::Plus1 => "plus1",
        SeedScope::Root => "root",
        SeedScope::Subdomains => "subdomains",
    }
}

pub(super) fn parse_scope(text: &str) -> Option<SeedScope> {
    let all = [SeedScope::Resource, SeedScope::Plus1, SeedScope::Root, SeedScope::Subdomains];
    all.into_iter().find(|scope| scope_name(*scope).eq_ignore_ascii_case(text.trim()))
}

impl FeedEntry {
    /// Reads the meaning of the entry and its problems; `index` is its place in the
    /// file. Where a problem keeps it out, the meaning is not whole.
    pub fn meaning(&self, index: usize) -> (Meaning, Vec<FeedProblem>) {
        let mut reader = Reader { entry: self, index, problems: Vec::new() };
        let mut meaning = reader.common();
        match self.dialect {
            Dialect::Launch => message::meaning(&self.fields, &mut meaning, &mut reader),
            _ => reader.target(&mut meaning),
        }
        (meaning, reader.problems)
    }
}

/// Reads the fields of one entry.
pub(super) struct Reader<'a> {
    entry: &'a FeedEntry,
    index: usize,
    problems: Vec<FeedProblem>,
}

impl<'a> Reader<'a> {
    pub(super) fn bad(&mut self, field: impl Into<String>, what: impl Into<String>, hint: impl Into<String>) {
        self.push_problem(field, what, hint, true);
    }

    pub(super) fn note(&mut self, field: impl Into<String>, what: impl Into<String>, hint: impl Into<String>) {
        self.push_problem(field, what, hint, false);
    }

    fn push_problem(
        &mut self,
        field: impl Into<String>,
        what: impl Into<String>,
        hint: impl Into<String>,
        keeps_out: bool,
    ) {
        let (field, what, hint) = (field.into(), what.into(), hint.into());
        self.problems.push(FeedProblem { index: Some(self.index), field, what, hint, keeps_out });
    }

    fn field(&self, name: &str) -> Option<&'a Value> {
        self.entry.fields.get(name).filter(|value| !value.is_null())
    }

    fn common(&mut self) -> Meaning {
        let id = match self.field("id") {
            Some(Value::Number(number)) => Some(number.to_string()),
            Some(Value::String(text)) if !text.trim().is_empty() => Some(text.clone()),
            None | Some(Value::String(_)) => None,
            Some(other) => {
                self.bad("id", format!("{} is no number of a target", kind_of(other)), "give the target's number");
                None
            }
        };
        Meaning { id, seeds: self.seeds(), ..Meaning::default() }
    }

    fn seeds(&mut self) -> Vec<String> {
        let name = self.entry.dialect.names().seeds;
        // The tool's forms also take all URLs as one text with commas.
        let listed: Vec<(String, &Value)> = match self.field(name) {
            Some(Value::Array(seeds)) => {
                seeds.iter().enumerate().map(|(i, seed)| (format!("{name}[{i}]"), seed)).collect()
            }
            Some(one @ Value::String(_)) => vec![(name.to_owned(), one)],
            Some(other) => {
                self.bad(name, format!("{} is no list of URLs", kind_of(other)), "give a list of texts");
                return Vec::new();
            }
            None => Vec::new(),
        };
        if listed.is_empty() {
            self.bad(name, "there is no seed", "give at least one URL to start from");
        }
        let is_one_text = matches!(self.field(name), Some(Value::String(_)));
        let mut seeds = Vec::with_capacity(listed.len());
        for (field, seed) in listed {
            match seed {
                Value::String(text) if is_one_text && pieces(text).len() > 1 => {
                    for url in pieces(text) {
                        self.check_seed(&field, url);
                        seeds.push(url.to_owned());
                    }
                }
                Value::String(text) if !text.trim().is_empty() => {
                    self.check_seed(&field, text);
                    seeds.push(text.clone());
                }
                Value::String(_) => self.bad(field, "the seed is empty", "give a URL, or take it out"),
                other => self.bad(field, format!("{} is no URL", kind_of(other)), "give each seed as a text"),
            }
        }
        seeds
    }

    fn check_seed(&mut self, field: &str, text: &str) {
        if parse_web_url(text.trim()).is_none() {
            let what = format!("“{text}” is no web address");
            self.note(field, what, "correct it in the campaign before it is crawled");
        }
    }

    fn target(&mut self, meaning: &mut Meaning) {
        let names = self.entry.dialect.names();
        meaning.title = self.text(names.title).filter(|title| !title.trim().is_empty());
        if meaning.title.is_none() {
            self.note(names.title, "there is no title", "the first seed stands for it");
        }
        if meaning.id.is_none() && self.entry.dialect != Dialect::WriteBack {
            self.note("id", "there is no number", "a second import cannot know the target again");
        }
        meaning.cap = self.one_of(names.cap, &SizeCap::ALL.map(SizeCap::as_str)).map(|at| SizeCap::ALL[at]);
        if let Some(text) = self.text(names.scope) {
            meaning.scope = parse_scope(&text);
            if meaning.scope.is_none() && !text.trim().is_empty() {
                self.bad(
                    names.scope,
                    format!("“{text}” is no scope"),
                    "give one of resource, plus1, root, subdomains, or null",
                );
            }
        }
        meaning.ignore_robots = self.flag(names.ignore_robots);
        meaning.watched = self.flag(names.watched);
        meaning.document_url_scheme = self.text(names.document_url_scheme);
        self.schedule(meaning);
    }

    fn schedule(&mut self, meaning: &mut Meaning) {
        let names = self.entry.dialect.names();
        let entry = self.entry;
        let (path, fields) = match names.schedules {
            None => (String::new(), &entry.fields),
            Some(list) => match self.field(list) {
                Some(Value::Array(schedules)) => {
                    if schedules.len() > 1 {
                        self.note(
                            list,
                            format!("there are {} schedules", schedules.len()),
                            "the first is used; the others are kept and do nothing",
                        );
                    }
                    match schedules.first() {
                        Some(Value::Object(first)) => (format!("{list}[0]."), first),
                        Some(other) => {
                            let what = format!("{} is no schedule", kind_of(other));
                            self.bad(format!("{list}[0]"), what, "give an object with startDate, endDate, frequency");
                            return;
                        }
                        None => {
                            self.note(list, "there is no schedule", "the target is crawled by hand only");
                            return;
                        }
                    }
                }
                Some(other) => {
                    self.bad(list, format!("{} is no list of schedules", kind_of(other)), "give a list of one object");
                    return;
                }
                None => {
                    self.note(list, "there is no schedule", "the target is crawled by hand only");
                    return;
                }
            },
        };
        let mut date = |name: &str| match fields.get(name).map_or(Ok(None), FeedDate::read) {
            Ok(date) => date,
            Err(what) => {
                let hint = "give milliseconds since 1970 or a date such as 2024-03-01 09:00:00, or null";
                self.bad(format!("{path}{name}"), format!("{what} is no date"), hint);
                None
            }
        };
        meaning.start = date(names.start);
        meaning.end = date(names.end);
        if let (Some(start), Some(end)) = (meaning.start, meaning.end)
            && end < start
        {
            self.note(
                format!("{path}{}", names.end),
                "the end is before the start",
                "it is never crawled; correct one",
            );
        }
        match fields.get(names.frequency) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => {
                meaning.frequency = CrawlFrequency::parse(text);
                if meaning.frequency.is_none() && !text.trim().is_empty() {
                    let frequencies = CrawlFrequency::ALL.map(CrawlFrequency::as_str).join(", ");
                    self.bad(
                        format!("{path}{}", names.frequency),
                        format!("“{text}” is no frequency"),
                        format!("give one of {frequencies}"),
                    );
                }
            }
            Some(other) => {
                let what = format!("{} is no frequency", kind_of(other));
                self.bad(format!("{path}{}", names.frequency), what, "give a text such as MONTHLY");
            }
        }
        if meaning.start.is_none() && meaning.frequency.is_some_and(|frequency| frequency != CrawlFrequency::NeverCrawl)
        {
            let hint = "it is crawled by hand only, as the annotation tool never exports such a target; \
                        give a start date";
            self.note(format!("{path}{}", names.start), "there is no start date", hint);
        }
    }

    fn text(&mut self, name: &str) -> Option<String> {
        match self.field(name)? {
            Value::String(text) => Some(text.clone()),
            other => {
                self.bad(name, format!("{} where a text is expected", kind_of(other)), "give a text, or null");
                None
            }
        }
    }

    /// Position of the value of a field among those that are known.
    fn one_of(&mut self, name: &str, known: &[&str]) -> Option<usize> {
        let text = self.text(name).filter(|text| !text.trim().is_empty())?;
        let at = known.iter().position(|known| known.eq_ignore_ascii_case(text.trim()));
        if at.is_none() {
            let hint = format!("give one of {}, or null", known.join(", "));
            self.bad(name, format!("“{text}” is not known"), hint);
        }
        at
    }

    fn flag(&mut self, name: &str) -> Option<bool> {
        match self.field(name)? {
            Value::Bool(flag) => Some(*flag),
            Value::String(text) if text.trim().is_empty() => None,
            // As the tool's tables have it.
            Value::String(text) if ["t", "true"].contains(&text.as_str()) => Some(true),
            Value::String(text) if ["f", "false"].contains(&text.as_str()) => Some(false),
            other => {
                let what = format!("{} where true or false is expected", kind_of(other));
                self.bad(name, what, "give true, false or null");
                None
            }
        }
    }
}

/// The URLs in one text: a comma or a line break before the next `http://` or
/// `https://` ends one. Other commas are part of it.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut begin = 0;
    for (at, _) in text.match_indices([',', '\n']) {
        let next = text[at + 1..].trim_start_matches(|c: char| c == ',' || c.is_whitespace());
        let begins = |scheme: &str| next.get(..scheme.len()).is_some_and(|text| text.eq_ignore_ascii_case(scheme));
        if begins("http://") || begins("https://") {
            pieces.push(text[begin..at].trim_matches(|c: char| c == ',' || c.is_whitespace()));
            begin = at + 1;
        }
    }
    pieces.push(text[begin..].trim_matches(|c: char| c == ',' || c.is_whitespace()));
    pieces.retain(|piece| !piece.is_empty());
    pieces
}
