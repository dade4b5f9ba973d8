//! Names by the way they are written: runs of capitalised words, with the small words that join them.

use super::case_counts::CaseCounts;
use super::cues::{is_title, kind_of};
use super::name_tokens::NameToken;
use super::page_names::NameCandidate;
use crate::text::fold;
use std::ops::Range;

/// Small words within names: `Viana do Castelo`, `Ludwig van Beethoven`, `Bank of England`.
const LINKS: [&str; 33] = [
    "de", "da", "do", "dos", "das", "del", "della", "dello", "di", "du", "des", "von", "van", "der", "den", "ter",
    "ten", "zu", "zur", "y", "e", "of", "the", "and", "for", "et", "le", "les", "und", "la", "el", "bin", "ibn",
];
/// Months and days, folded: no names, though many languages write them with a capital.
#[rustfmt::skip]
const CALENDAR: [&str; 86] = [
    "janeiro", "fevereiro", "marco", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro", "novembro", "dezembro",
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
    "januar", "februar", "marz", "mai", "juni", "juli", "oktober", "dezember",
    "segunda feira", "terca feira", "quarta feira", "quinta feira", "sexta feira", "segunda", "terca", "quarta", "quinta", "sexta",
    "sabado", "domingo", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag",
    "sat", "sun", "mon", "tue", "wed", "thu", "fri", "am", "pm", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept",
    "oct", "nov", "dec", "fev", "abr", "ago", "set", "out", "dez", "gmt",
];
/// Longest name, in tokens: longer runs are headings in capitals.
const MOST_TOKENS: usize = 8;
/// Letters of a token that may be an initial.
const INITIAL_CHARS: usize = 1;

/// The candidate that a run of tokens is, by byte ranges: it, and its part without the first token where that begins
/// a sentence.
pub(super) struct Run {
    pub range: Range<usize>,
    pub without_first: Option<Range<usize>>,
    pub kind: super::EntityKind,
}

/// The runs of a sentence's tokens. `text` is what the ranges of the tokens are of.
pub(super) fn runs(text: &str, tokens: &[NameToken<'_>]) -> Vec<Run> {
    let mut found = Vec::new();
    let mut begin: Option<usize> = None;
    for (at, token) in tokens.iter().enumerate() {
        if let Some(first) = begin
            && !continues(text, tokens, at, first)
        {
            end_run(text, tokens, first, at, &mut found);
            begin = None;
        }
        if begin.is_none() && token.is_capitalised() {
            begin = Some(at);
        }
    }
    if let Some(first) = begin {
        end_run(text, tokens, first, tokens.len(), &mut found);
    }
    found
}

/// Whether a token belongs to the run before it.
fn continues(text: &str, tokens: &[NameToken<'_>], at: usize, first: usize) -> bool {
    let (Some(before), Some(token)) = (at.checked_sub(1).and_then(|at| tokens.get(at)), tokens.get(at)) else {
        return false;
    };
    let gap = text.get(before.range.end..token.range.start).unwrap_or_default();
    let joins = match gap {
        ". " | "." => before.text.chars().count() <= INITIAL_CHARS || is_title(&fold(before.text)),
        gap => gap.chars().count() <= 1 && gap.chars().all(|c| c.is_whitespace() || matches!(c, '\'' | '’')),
    };
    joins && at - first < MOST_TOKENS && (token.is_capitalised() || LINKS.contains(&token.text))
}

/// Makes a candidate of tokens, without what is small at its end and a title at its beginning.
fn end_run(text: &str, tokens: &[NameToken<'_>], first: usize, end: usize, found: &mut Vec<Run>) {
    let run = tokens.get(first..end).unwrap_or_default();
    let small_at_end = run.iter().rev().take_while(|token| !token.is_capitalised()).count();
    let mut run = run.get(..run.len() - small_at_end).unwrap_or_default();
    let before = first.checked_sub(1).and_then(|at| tokens.get(at));
    // `d'O Moliceiro` is no lady.
    let is_elision =
        |token: &&NameToken<'_>| text.get(token.range.end..).is_some_and(|rest| rest.starts_with(['\'', '’']));
    let mut before = before.filter(|token| !is_elision(token)).map(|token| token.text);
    while let [title, rest @ ..] = run
        && rest.first().is_some_and(NameToken::is_capitalised)
        && is_title(&fold(title.text))
    {
        before = Some(title.text);
        run = rest;
    }
    let (Some(head), Some(last)) = (run.first(), run.last()) else { return };
    // `US$ 5`, `R$`: a currency.
    if text.get(last.range.end..).is_some_and(|rest| rest.starts_with(['$', '€', '£'])) {
        return;
    }
    let range = head.range.start..last.range.end;
    let name = text.get(range.clone()).unwrap_or_default();
    let is_initial = head.is_initial && before.is_none_or(|before| !is_title(&fold(before)));
    let without_first = is_initial.then(|| {
        let rest = run.get(1..).unwrap_or_default();
        let next = rest.iter().find(|token| token.is_capitalised());
        next.map_or(last.range.end, |token| token.range.start)..last.range.end
    });
    found.push(Run { range, without_first, kind: kind_of(name, before) });
}

impl NameCandidate {
    /// The name in it, as the corpus shows: its text, and how many characters of the candidate are before it. None where
    /// it is no name.
    pub fn resolved(&self, counts: &CaseCounts) -> Option<(&str, u32)> {
        let mut name = (self.text.as_str(), 0);
        if let Some(first_chars) = self.first_chars {
            let first =
                self.text.split(|c: char| c.is_whitespace() || c == '\'' || c == '’').next().unwrap_or_default();
            if counts.is_common(first) {
                let begin = self.text.char_indices().nth(first_chars as usize).map_or(self.text.len(), |(at, _)| at);
                name = (self.text.get(begin..).unwrap_or_default(), first_chars);
            }
        }
        let is_single = !name.0.contains(char::is_whitespace);
        let mut chars = name.0.chars();
        if chars.next().is_none() || chars.next().is_none() {
            return None;
        }
        if is_single && counts.is_mostly_small(name.0) || CALENDAR.contains(&fold(name.0).as_str()) {
            return None;
        }
        Some(name)
    }
}
