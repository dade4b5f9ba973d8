//! Match of the request with a page.
//!
//! Every name of a term (its value and aliases, [`name_test`]) is looked for
//! among the words of title, URL, main text and what is around that, each
//! by itself. White space and punctuation between the words of a phrase do not
//! matter. What an index counts of the same tests is put in by [`Matcher::matches`]:
//! a page scores the same whether it is read or indexed.
//!
//! **Holds**: the boolean tree over the terms with a weight above 0. A
//! language term holds when the page's language is it (`pt` takes `pt-BR`;
//! an unknown language is none), a period when the capture's day lies in it,
//! every other term when it occurs. An event's dates describe it and decide
//! nothing. Terms with a weight of 0 or less do not count; a group in which
//! nothing counts is met.
//!
//! **Score**, 0 to 1: a term's strength is `n / (n + 1)` with `n` = 3 for
//! each time in the title, 2 for each in the URL, 1 for each in the text;
//! language and period have 1 or 0. Then up the tree, as a pair
//! (got, could):
//! - a term that speaks for: (weight × strength, weight);
//! - AND: sums of both; OR: 1 − Π(1 − got), at most could, and the highest could;
//! - a term that speaks against (negative weight, or under NOT) multiplies the
//!   got of its group by 1 − |weight| × strength;
//! - the request: got / could, where nothing speaks for it 1 if it holds;
//!   half of that where it does not hold, so that near misses stay in view
//!   below the matches.
//!
//! Under NOT, AND and OR change places and weights change sign, so that NOT
//! NOT x is x.

use super::name_finder::NameFinder;
use super::text_match::folded_pattern;
use crate::campaign::{Request, Term, TermKind};
use crate::query::{TextTest, name_test};
use crate::text::fold;
use crate::uri::CaptureDate;

/// The texts of a page that are read.
#[derive(Debug, Clone, Copy, Default)]
pub struct TextFields<'a> {
    /// Its title.
    pub title: &'a str,
    /// Its main text.
    pub main: &'a str,
    /// Menus, footers and the like.
    pub rest: &'a str,
    /// The text of its URL, by [`url_text`](super::url_text).
    pub url: &'a str,
    /// Its language (ISO 639-1, `pt` or `pt-BR`).
    pub language: Option<&'a str>,
    /// When it was captured.
    pub date: Option<CaptureDate>,
}

/// The place where a term was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchPlace {
    /// In the title.
    Title,
    /// In the URL.
    Url,
    /// In the text.
    Text,
    /// It is the page's language.
    Language,
    /// The capture lies in the period.
    Date,
}

impl MatchPlace {
    /// Places with words, in the order of [`TermCounts`].
    pub const OF_TEXT: [Self; 3] = [Self::Title, Self::Url, Self::Text];

    /// The name of the place for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Url => "URL",
            Self::Text => "text",
            Self::Language => "language",
            Self::Date => "date",
        }
    }

    /// The worth of one occurrence.
    pub fn worth(self) -> u64 {
        match self {
            Self::Title => 3,
            Self::Url => 2,
            Self::Text | Self::Language | Self::Date => 1,
        }
    }
}

/// Counts of a term in each of [`MatchPlace::OF_TEXT`].
pub type TermCounts = [u32; 3];

/// A term found in a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermHit {
    /// Number of the term in [`Matcher::terms`].
    pub term: usize,
    /// How often.
    pub count: u32,
    /// Where.
    pub place: MatchPlace,
}

/// The terms of the request that a page has.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Matches {
    /// Terms found, by term and place; also those that speak against.
    pub hits: Vec<TermHit>,
    /// Whether the boolean tree holds.
    pub holds: bool,
    /// 0 to 1, by the formula of this file.
    pub score: f64,
}

/// A request made ready for reading many pages. Cheap to share.
#[derive(Debug, Clone)]
pub struct Matcher {
    terms: Vec<Term>,
    tree: Node,
    /// Finds the names of all terms.
    names: NameFinder,
    /// Terms that speak for the request, by term.
    speaks_for: Vec<bool>,
}

#[derive(Debug, Clone)]
enum Node {
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
    Term(usize),
}

impl Matcher {
    /// Makes a request ready. Every request can be compiled; terms without
    /// letters or digits are never found.
    pub fn compile(request: &Request) -> Self {
        let mut terms = Vec::new();
        let mut speaks_for = Vec::new();
        let tree = compile(request, true, &mut terms, &mut speaks_for);
        let mut names = NameFinder::default();
        for (number, term) in terms.iter().enumerate() {
            tests(term).iter().for_each(|test| names.add(test, number));
        }
        Self { terms, tree, names, speaks_for }
    }

    /// The request's terms in reading order.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Reads a page.
    pub fn read(&self, page: &TextFields<'_>) -> Matches {
        let mut counts = vec![TermCounts::default(); self.terms.len()];
        for (slot, text) in [(0, page.title), (1, page.url), (2, page.main), (2, page.rest)] {
            self.names.find(text, &mut |term| {
                if let Some(count) = counts.get_mut(term).and_then(|slots| slots.get_mut(slot)) {
                    *count = count.saturating_add(1);
                }
            });
        }
        self.matches(&counts, page.language, page.date)
    }

    /// Calls `found` with the number of every term that a text has, as often as it has it.
    pub fn find(&self, text: &str, found: &mut impl FnMut(usize)) {
        self.names.find(text, found);
    }

    /// Makes the matches of a page from counts of its terms.
    pub fn matches(&self, counts: &[TermCounts], language: Option<&str>, date: Option<CaptureDate>) -> Matches {
        let mut strength = vec![0_u64; self.terms.len()];
        let mut hits = Vec::new();
        for (number, counts) in counts.iter().enumerate() {
            let met_otherwise = self.met_without_text(number, language, date);
            let found = MatchPlace::OF_TEXT.into_iter().zip(counts.iter().copied());
            for (place, count) in found.chain(met_otherwise.map(|place| (place, 1))).filter(|(_, count)| *count > 0) {
                hits.push(TermHit { term: number, count, place });
                if let Some(strength) = strength.get_mut(number) {
                    *strength += place.worth() * u64::from(count);
                }
            }
        }
        let (holds, score) = self.weigh(&strength);
        Matches { hits, holds, score }
    }

    /// Whether the request holds, and the score, where the occurrences of each
    /// term come to so much: a sum of [`MatchPlace::worth`].
    pub fn weigh(&self, strength: &[u64]) -> (bool, f64) {
        let reading = Reading { matcher: self, strength };
        let holds = reading.holds(&self.tree).unwrap_or(true);
        (holds, reading.score(holds))
    }

    /// The tests of a term in texts: its value and aliases, each once.
    pub fn tests(&self, term: usize) -> Vec<TextTest> {
        self.terms.get(term).map(tests).unwrap_or_default()
    }

    /// Whether there is anything that a term can be found by.
    pub fn may_be_met(&self, term: usize) -> bool {
        self.terms.get(term).is_some_and(|term| match term.kind {
            TermKind::Language => !term.value.trim().is_empty(),
            TermKind::Period => term.from.is_some() || term.to.is_some(),
            _ => !tests(term).is_empty(),
        })
    }

    /// The place where a page meets a language or period, whatever its text.
    pub fn met_without_text(
        &self,
        term: usize,
        language: Option<&str>,
        date: Option<CaptureDate>,
    ) -> Option<MatchPlace> {
        let term = self.terms.get(term)?;
        match term.kind {
            TermKind::Language => language_is(term, language).then_some(MatchPlace::Language),
            TermKind::Period => in_period(term, date).then_some(MatchPlace::Date),
            _ => None,
        }
    }

    /// Whether a short text, such as an anchor, holds a term that speaks for the request.
    pub fn speaks_of(&self, text: &str) -> bool {
        let mut found = false;
        self.names.find(text, &mut |term| found |= self.speaks_for(term));
        found
    }

    /// Formats the terms that were found: `“ria” 2 × in title, 5 × in text; lang:pt`.
    pub fn describe(&self, matches: &Matches) -> String {
        let parts = self.described(matches, |_| true);
        if parts.is_empty() { Self::NOTHING_FOUND.to_owned() } else { parts.join("; ") }
    }

    /// Lists what lowers the score of a page: terms for the request that it does not
    /// have, and terms against it that it has; empty where nothing does.
    pub fn lacks(&self, matches: &Matches) -> String {
        let is_found = |number: usize| matches.hits.iter().any(|hit| hit.term == number);
        let missing =
            self.terms.iter().enumerate().filter(|(number, _)| self.speaks_for(*number) && !is_found(*number));
        let missing: Vec<String> = missing.map(|(_, term)| Self::name_of(term)).collect();
        let is_against =
            |number: usize| !self.speaks_for(number) && self.terms.get(number).is_some_and(|term| term.weight != 0.0);
        let against = self.described(matches, is_against);
        let parts = [("not found", missing), ("against it", against)];
        let filled = parts.into_iter().filter(|(_, terms)| !terms.is_empty());
        filled.map(|(what, terms)| format!("{what}: {}", terms.join(", "))).collect::<Vec<_>>().join("; ")
    }

    /// The terms found, of some, each with where and how often.
    fn described(&self, matches: &Matches, is_meant: impl Fn(usize) -> bool) -> Vec<String> {
        let mut parts: Vec<String> = Vec::new();
        for group in matches.hits.chunk_by(|a, b| a.term == b.term) {
            let Some(hit) = group.first().filter(|hit| is_meant(hit.term)) else { continue };
            let Some(term) = self.terms.get(hit.term) else { continue };
            let counted: Vec<String> = group
                .iter()
                .filter(|hit| !matches!(hit.place, MatchPlace::Language | MatchPlace::Date))
                .map(|hit| format!("{} × in {}", hit.count, hit.place.label()))
                .collect();
            let name = Self::name_of(term);
            parts.push(if counted.is_empty() { name } else { format!("{name} {}", counted.join(", ")) });
        }
        parts
    }

    /// The output of [`Self::describe`] where no term was found.
    pub(super) const NOTHING_FOUND: &'static str = "no term of the request found";

    /// The name of a term in descriptions.
    pub(super) fn name_of(term: &Term) -> String {
        if is_text_term(term.kind) { format!("“{}”", term.value) } else { term.to_string() }
    }

    /// Whether a term of [`Self::terms`] speaks for the request, by its weight and place.
    pub fn speaks_for(&self, term: usize) -> bool {
        self.speaks_for.get(term).copied().unwrap_or(false)
    }
}

fn compile(request: &Request, positive: bool, terms: &mut Vec<Term>, speaks_for: &mut Vec<bool>) -> Node {
    match request {
        Request::And(parts) => Node::All(parts.iter().map(|p| compile(p, positive, terms, speaks_for)).collect()),
        Request::Or(parts) => Node::Any(parts.iter().map(|p| compile(p, positive, terms, speaks_for)).collect()),
        Request::Not(part) => Node::Not(Box::new(compile(part, !positive, terms, speaks_for))),
        Request::Term(term) => {
            terms.push(term.clone());
            speaks_for.push(if positive { term.weight > 0.0 } else { term.weight < 0.0 });
            Node::Term(terms.len() - 1)
        }
    }
}

/// Whether terms of the kind are searched for in the text.
fn is_text_term(kind: TermKind) -> bool {
    !matches!(kind, TermKind::Language | TermKind::Period)
}

/// The tests of a term, each once; none for a term without words.
fn tests(term: &Term) -> Vec<TextTest> {
    let mut tests: Vec<TextTest> = Vec::new();
    if is_text_term(term.kind) {
        let as_written = |text: &str| TextTest::Phrase { text: text.to_owned(), slop: 0 };
        let value = if term.kind == TermKind::Phrase { as_written(&term.value) } else { name_test(&term.value) };
        for test in std::iter::once(value).chain(term.aliases.iter().map(|alias| name_test(alias))) {
            let test = folded_test(test);
            if test.as_ref().is_some_and(|test| !tests.contains(test)) {
                tests.extend(test);
            }
        }
    }
    tests
}

/// A test with its text folded, so that two spellings are one; none without words.
fn folded_test(test: TextTest) -> Option<TextTest> {
    Some(match test {
        TextTest::Phrase { text, slop } => {
            TextTest::Phrase { text: Some(fold(&text)).filter(|text| !text.is_empty())?, slop }
        }
        TextTest::Fuzzy(word) => TextTest::Fuzzy(fold(&word)),
        TextTest::Pattern(pattern) => TextTest::Pattern(folded_pattern(&pattern).into_iter().collect()),
        other => other,
    })
}

fn language_is(term: &Term, page: Option<&str>) -> bool {
    let tag = |text: &str| text.trim().replace('_', "-").to_ascii_lowercase();
    let Some(page) = page.map(tag) else {
        return false;
    };
    std::iter::once(&term.value).chain(&term.aliases).map(|expected| tag(expected)).any(|expected| {
        page.strip_prefix(&expected)
            .is_some_and(|rest| !expected.is_empty() && (rest.is_empty() || rest.starts_with('-')))
    })
}

/// Days are compared as text: `2024-07` holds every day that begins so.
fn in_period(term: &Term, date: Option<CaptureDate>) -> bool {
    let Some(instant) = date.map(CaptureDate::to_dataset) else {
        return false;
    };
    let part = |len: usize| instant.get(..len.min(10)).unwrap_or(&instant);
    let after_first = term.from.as_deref().is_none_or(|from| part(from.len()) >= from);
    let before_last = term.to.as_deref().is_none_or(|to| part(to.len()) <= to);
    after_first && before_last
}

/// A page's strengths, to be carried up the tree.
struct Reading<'a> {
    matcher: &'a Matcher,
    /// The sum of the worth of each term's occurrences.
    strength: &'a [u64],
}

/// What a part of the tree got of what it could get, and what is left of
/// the got of the group around it.
#[derive(Clone, Copy)]
struct Worth {
    got: f64,
    could: f64,
    keep: f64,
}

impl Reading<'_> {
    fn occurs(&self, term: usize) -> bool {
        self.strength.get(term).is_some_and(|strength| *strength > 0)
    }

    /// Evaluates a part of the tree; none where nothing in it counts.
    fn holds(&self, node: &Node) -> Option<bool> {
        match node {
            Node::All(parts) => parts.iter().filter_map(|part| self.holds(part)).reduce(|a, b| a && b),
            Node::Any(parts) if parts.is_empty() => Some(false),
            Node::Any(parts) => parts.iter().filter_map(|part| self.holds(part)).reduce(|a, b| a || b),
            Node::Not(part) => self.holds(part).map(|holds| !holds),
            Node::Term(term) => {
                let has_weight = self.matcher.terms.get(*term).is_some_and(|term| term.weight > 0.0);
                has_weight.then(|| self.occurs(*term))
            }
        }
    }

    fn score(&self, holds: bool) -> f64 {
        let Worth { got, could, keep } = self.worth(&self.matcher.tree, 1.0);
        let full = if could > 0.0 { got / could } else { f64::from(u8::from(holds)) * keep };
        (if holds { full } else { full / 2.0 }).clamp(0.0, 1.0)
    }

    fn worth(&self, node: &Node, sign: f64) -> Worth {
        match node {
            Node::Term(number) => self.term_worth(*number, sign),
            Node::Not(part) => self.worth(part, -sign),
            Node::All(parts) => self.group_worth(parts, sign, sign > 0.0),
            Node::Any(parts) => self.group_worth(parts, sign, sign < 0.0),
        }
    }

    fn term_worth(&self, number: usize, sign: f64) -> Worth {
        let Some(term) = self.matcher.terms.get(number) else {
            return Worth { got: 0.0, could: 0.0, keep: 1.0 };
        };
        let n = self.strength.get(number).copied().unwrap_or(0) as f64;
        let strength = match term.kind {
            TermKind::Language | TermKind::Period => n.min(1.0),
            _ => n / (n + 1.0),
        };
        // A weight out of range or not a number comes only from a file made by hand.
        let weight = if term.weight.is_finite() { sign * term.weight.clamp(-1.0, 1.0) } else { 0.0 };
        if weight > 0.0 {
            Worth { got: weight * strength, could: weight, keep: 1.0 }
        } else {
            Worth { got: 0.0, could: 0.0, keep: 1.0 + weight * strength }
        }
    }

    fn group_worth(&self, parts: &[Node], sign: f64, all: bool) -> Worth {
        let (mut got, mut missed, mut could, mut keep) = (0.0, 1.0, 0.0_f64, 1.0);
        for part in parts.iter().map(|part| self.worth(part, sign)) {
            keep *= part.keep;
            got += part.got;
            missed *= 1.0 - part.got.min(1.0);
            could = if all { could + part.could } else { could.max(part.could) };
        }
        if !all {
            got = f64::min(1.0 - missed, could);
        }
        if could > 0.0 { Worth { got: got * keep, could, keep: 1.0 } } else { Worth { got: 0.0, could: 0.0, keep } }
    }
}

#[cfg(test)]
mod tests;
