//! Names of authority files, found in one pass over a text (A. V. Aho, M. J. Corasick 1975).
//!
//! A name is met where its words follow one another, folded as everywhere ([`text_tokens`]), and begin with
//! capitals where it does: `Porto` is no `porto`. Of names that overlap the first holds, and of
//! those that begin together the longest.

use super::EntityKind;
use crate::text::{TextToken, text_tokens};
use aho_corasick::{AhoCorasick, BuildError};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::ops::Range;

/// Letters up to which a name in capitals is met in capitals alone: `US` is no `us`, and no `Us`.
const ACRONYM_CHARS: usize = 5;

/// Letters of a token that may have a full stop within a name: `Prof. Vaz`.
const LONGEST_ABBREVIATION: usize = 4;

/// An entity of an authority file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedEntity {
    /// What names it everywhere; empty where its file has none.
    pub uri: String,
    /// Its kind.
    pub kind: EntityKind,
    /// The name that is shown.
    pub name: String,
    /// Its other names, in any language.
    pub aliases: Vec<String>,
}

impl NamedEntity {
    /// All of its names, the one that is shown first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.aliases.iter().map(String::as_str))
    }
}

/// A name in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundName {
    /// The entities that are called so.
    pub entities: Vec<u32>,
    /// Its bytes.
    pub range: Range<usize>,
    /// What is written beside it without a mark is no part of a longer name.
    pub splits: bool,
}

/// How a name is written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct NameForm {
    /// Which of its words begin with a capital.
    capitals: Vec<bool>,
    is_acronym: bool,
}

/// Names that are folded alike.
#[derive(Debug, Clone, Default)]
struct FoldedName {
    tokens: usize,
    forms: Vec<(NameForm, Vec<u32>)>,
}

/// Many names, to be found in texts.
#[derive(Debug, Clone, Default)]
pub struct Gazetteer {
    finder: Option<AhoCorasick>,
    names: Vec<FoldedName>,
    kinds: Vec<EntityKind>,
    digest: String,
}

impl Gazetteer {
    /// Makes one of entities; their numbers are their places in the list.
    ///
    /// # Errors
    ///
    /// More names than can be searched for.
    pub fn new(entities: &[NamedEntity]) -> Result<Self, BuildError> {
        let mut by_folded: HashMap<String, usize> = HashMap::new();
        let (mut patterns, mut names) = (Vec::new(), Vec::<FoldedName>::new());
        let mut hasher = Sha256::new();
        for (number, entity) in entities.iter().enumerate() {
            hasher.update(serde_json::to_vec(entity).unwrap_or_default());
            hasher.update([0]);
            for name in entity.names() {
                let mut tokens = text_tokens(name);
                // The last letter of a run without blanks goes on in a text.
                if tokens.len() > 1 && tokens.last().is_some_and(|last| crate::text::is_open(&last.text)) {
                    tokens.pop();
                }
                if tokens.is_empty() {
                    continue;
                }
                let form = NameForm::of(name, &tokens);
                let pattern = haystack(&tokens).0;
                let at = *by_folded.entry(pattern).or_insert_with_key(|pattern| {
                    patterns.push(pattern.clone());
                    names.push(FoldedName { tokens: tokens.len(), forms: Vec::new() });
                    names.len() - 1
                });
                let number = u32::try_from(number).unwrap_or(u32::MAX);
                let Some(folded) = names.get_mut(at) else { continue };
                match folded.forms.iter_mut().find(|(of, _)| *of == form) {
                    Some((_, entities)) if entities.contains(&number) => {}
                    Some((_, entities)) => entities.push(number),
                    None => folded.forms.push((form, vec![number])),
                }
            }
        }
        let finder = (!patterns.is_empty()).then(|| AhoCorasick::new(&patterns)).transpose()?;
        let digest = data_encoding::HEXLOWER.encode(&hasher.finalize());
        Ok(Self { finder, names, kinds: entities.iter().map(|entity| entity.kind).collect(), digest })
    }

    /// A digest of its entities: equal for equal lists.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The names of a text, in order.
    pub(super) fn find(&self, text: &str) -> Vec<FoundName> {
        let Some(finder) = &self.finder else { return Vec::new() };
        let tokens = text_tokens(text);
        let (folded, begins) = haystack(&tokens);
        let mut met: Vec<(usize, usize, Vec<u32>)> = Vec::new();
        for found in finder.find_overlapping_iter(&folded) {
            let Some(name) = self.names.get(found.pattern().as_usize()) else { continue };
            let Ok(first) = begins.binary_search(&found.start()) else { continue };
            let Some(written) = tokens.get(first..first + name.tokens) else { continue };
            if !are_together(text, written) {
                continue;
            }
            let mut entities: Vec<u32> = Vec::new();
            for (form, of) in name.forms.iter().filter(|(form, _)| form.is_met_by(text, written)) {
                debug_assert_eq!(form.capitals.len(), written.len());
                entities.extend(of.iter().filter(|number| !entities.contains(number)).collect::<Vec<_>>());
            }
            if !entities.is_empty() {
                met.push((first, name.tokens, entities));
            }
        }
        met.sort_by_key(|(first, tokens, _)| (*first, std::cmp::Reverse(*tokens)));
        let mut end = 0;
        let mut names = Vec::new();
        for (first, count, entities) in met {
            if first < end {
                continue;
            }
            end = first + count;
            let ends = tokens.get(first).zip(tokens.get(end - 1));
            let Some((first, last)) = ends else { continue };
            let is_person = |number: &u32| self.kinds.get(*number as usize) == Some(&EntityKind::Person);
            let splits = entities.iter().any(is_person);
            names.push(FoundName { entities, range: first.range.start..last.range.end, splits });
        }
        names
    }
}

/// Whether tokens are in one line and one sentence.
fn are_together(text: &str, tokens: &[TextToken]) -> bool {
    tokens.windows(2).all(|pair| {
        let [one, next] = pair else { return true };
        let gap = text.get(one.range.end..next.range.start).unwrap_or_default();
        let ends_sentence = gap.contains('.') && one.text.chars().count() > LONGEST_ABBREVIATION;
        !ends_sentence && !gap.contains(['\n', '!', '?', ';', ':'])
    })
}

/// Tokens with a blank on both sides of each, and where each begins.
fn haystack(tokens: &[TextToken]) -> (String, Vec<usize>) {
    let mut folded = String::with_capacity(tokens.iter().map(|token| token.text.len() + 2).sum());
    let mut begins = Vec::with_capacity(tokens.len());
    for token in tokens {
        begins.push(folded.len());
        folded.push(' ');
        folded.push_str(&token.text);
        folded.push(' ');
    }
    (folded, begins)
}

fn is_capitalised(text: &str, token: &TextToken) -> bool {
    text.get(token.range.clone()).and_then(|token| token.chars().next()).is_some_and(char::is_uppercase)
}

/// Whether a token has more than one letter, all of them capitals.
fn is_all_capitals(text: &str, token: &TextToken) -> bool {
    let written = text.get(token.range.clone()).unwrap_or_default();
    written.chars().nth(1).is_some() && !written.chars().any(char::is_lowercase)
}

impl NameForm {
    fn of(name: &str, tokens: &[TextToken]) -> Self {
        let capitals = tokens.iter().map(|token| is_capitalised(name, token)).collect();
        let is_acronym =
            matches!(tokens, [one] if is_all_capitals(name, one) && one.text.chars().count() <= ACRONYM_CHARS);
        Self { capitals, is_acronym }
    }

    /// Whether a name of this form is written so, or all in capitals.
    fn is_met_by(&self, text: &str, written: &[TextToken]) -> bool {
        if self.is_acronym {
            return written.iter().all(|token| is_all_capitals(text, token));
        }
        let has_capital = self.capitals.contains(&true);
        self.capitals.len() == written.len()
            && self.capitals.iter().zip(written).all(|(capital, token)| {
                is_capitalised(text, token) == *capital || has_capital && is_all_capitals(text, token)
            })
    }
}
