//! The names of one page.

use super::EntityKind;
use super::candidates::{Run, runs};
use super::case_counts::CaseCounts;
use super::gazetteer::{FoundName, Gazetteer};
use super::name_tokens::name_tokens;
use crate::text::sentences;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Where a text names an entity of an authority file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameMention {
    /// The entities that are called so, by their places in the list of the gazetteer: one, or several where
    /// the text alone does not say which.
    pub entities: Vec<u32>,
    /// As it is written.
    pub text: String,
    /// Its first character in the text, from 0.
    pub start: u32,
    /// The sentence that it is in, from 0.
    pub sentence: u32,
}

/// A run of capitalised words that may be a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameCandidate {
    /// As it is written.
    pub text: String,
    /// Its first character in the text, from 0.
    pub start: u32,
    /// The sentence that it is in, from 0.
    pub sentence: u32,
    /// Where it begins a sentence: characters before its second word that could begin a name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub first_chars: Option<u32>,
    /// Its kind, by a word in it or before it.
    #[serde(skip_serializing_if = "is_unknown", default)]
    pub kind: EntityKind,
}

fn is_unknown(kind: &EntityKind) -> bool {
    *kind == EntityKind::Unknown
}

/// The names of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageNames {
    /// Sentences of its text.
    pub sentences: u32,
    /// Names of authority files, in their order.
    pub mentions: Vec<NameMention>,
    /// Further names, in their order.
    pub candidates: Vec<NameCandidate>,
    /// Words that are small within sentences, and those with a capital there, as [`CaseCounts`] counts them.
    #[serde(skip)]
    pub(super) small: Vec<u64>,
    #[serde(skip)]
    pub(super) capitalised: Vec<u64>,
}

/// Finds the names of a text.
pub fn page_names(text: &str, gazetteer: &Gazetteer) -> PageNames {
    let mut page = PageNames::default();
    let found = gazetteer.find(text);
    let mut chars = CharCount::new(text);
    let mut mentions = found.iter().peekable();
    for (number, sentence) in sentences(text).enumerate() {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        page.sentences = number.saturating_add(1);
        // A sentence is a part of the text.
        let begin = (sentence.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        let end = begin + sentence.len();
        let tokens = name_tokens(sentence, begin);
        for token in tokens.iter().filter(|token| !token.is_initial) {
            match token.text.chars().next() {
                Some(first) if first.is_lowercase() => page.small.push(CaseCounts::key_of(token.text)),
                Some(first) if first.is_uppercase() => page.capitalised.push(CaseCounts::key_of(token.text)),
                _ => {}
            }
        }
        let mut here: Vec<&FoundName> = Vec::new();
        while let Some(name) = mentions.next_if(|name| name.range.start < end) {
            here.push(name);
        }
        let mut runs = runs(text, &tokens).into_iter().peekable();
        let mut places: Vec<(Range<usize>, Option<&FoundName>, Option<Run>)> = Vec::new();
        for run in runs.by_ref() {
            for (range, is_cut) in beside(text, &run, &here) {
                let without_first = run.without_first.clone().filter(|_| !is_cut || range.start == run.range.start);
                let without_first = without_first.map(|rest| rest.start.min(range.end)..range.end);
                let run = Run { range: range.clone(), without_first, kind: run.kind };
                places.push((range, None, Some(run)));
            }
        }
        places.extend(here.iter().map(|name| (name.range.clone(), Some(*name), None)));
        places.sort_by_key(|(range, ..)| range.start);
        for (range, name, run) in places {
            let (written, start) = (text.get(range.clone()).unwrap_or_default(), chars.up_to(range.start));
            if let Some(name) = name {
                let (entities, text) = (name.entities.clone(), written.to_owned());
                page.mentions.push(NameMention { entities, text, start, sentence: number });
            }
            if let Some(run) = run {
                let first = run.without_first.and_then(|rest| text.get(range.start..rest.start));
                let first_chars = first.and_then(|first| u32::try_from(first.chars().count()).ok());
                let (text, kind) = (written.to_owned(), run.kind);
                page.candidates.push(NameCandidate { text, start, sentence: number, first_chars, kind });
            }
        }
    }
    page
}

/// The parts of a run that no name of an authority file covers. A name of a place or the like within a longer
/// run leaves that whole, as `Banco de Portugal`, but not where only the word that begins the sentence is before it: `Planos
/// do Estaleiro Naval`.
fn beside(text: &str, of: &Run, names: &[&FoundName]) -> Vec<(Range<usize>, bool)> {
    let run = &of.range;
    let overlapping = names.iter().filter(|name| name.range.start < run.end && run.start < name.range.end);
    let overlapping: Vec<&&FoundName> = overlapping.collect();
    if overlapping.is_empty() {
        return vec![(run.clone(), false)];
    }
    let is_name = |part: &Range<usize>| {
        text.get(part.clone())
            .is_some_and(|part| part.split_whitespace().any(|word| word.starts_with(char::is_uppercase)))
    };
    let mut parts = Vec::new();
    let mut begin = run.start;
    for name in &overlapping {
        parts.push(begin..name.range.start.max(begin));
        begin = name.range.end.max(begin);
    }
    parts.push(begin.min(run.end)..run.end);
    parts.retain(is_name);
    if parts.is_empty() {
        return Vec::new();
    }
    let begins_sentence =
        of.without_first.as_ref().is_some_and(|rest| overlapping.iter().any(|name| name.range == *rest));
    if begins_sentence {
        return Vec::new();
    }
    let splits = overlapping.iter().any(|name| name.splits || name.range.start < run.start || name.range.end > run.end);
    if !splits {
        return vec![(run.clone(), false)];
    }
    let trimmed = parts.into_iter().filter_map(|part| {
        let written = text.get(part.clone())?;
        // Small words that join it with the name are no part of it.
        let capitals = || written.split_whitespace().filter(|word| word.starts_with(char::is_uppercase));
        let offset = |word: &str| (word.as_ptr() as usize).saturating_sub(written.as_ptr() as usize);
        let (first, last) = (capitals().next()?, capitals().next_back()?);
        Some((part.start + offset(first)..part.start + offset(last) + last.len(), true))
    });
    trimmed.collect()
}

/// Counts the characters of a text up to places in order.
struct CharCount<'t> {
    text: &'t str,
    bytes: usize,
    chars: u32,
}

impl<'t> CharCount<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, bytes: 0, chars: 0 }
    }

    /// The characters before a byte; places that come later are not smaller.
    fn up_to(&mut self, byte: usize) -> u32 {
        let between = self.text.get(self.bytes..byte).unwrap_or_default();
        self.chars = self.chars.saturating_add(u32::try_from(between.chars().count()).unwrap_or(u32::MAX));
        self.bytes = self.bytes.max(byte);
        self.chars
    }
}
