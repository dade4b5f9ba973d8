//! What two texts differ in, word by word.
//!
//! Lines that both have are found first, then the words between them are compared. Both are longest common
//! subsequences (Myers 1986, the crate `similar`), so that the result is the same on each machine; parts too long for
//! that are taken as replaced as a whole.

use serde::Serialize;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::HashSet;
use unicode_segmentation::UnicodeSegmentation;

/// Lines of one text times lines of the other that are compared.
const MOST_LINE_PAIRS: usize = 25_000_000;
/// Words of one part times words of the other that are compared.
const MOST_TOKEN_PAIRS: usize = 4_000_000;

/// Which of two texts has a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PartKind {
    /// Both.
    Same,
    /// The first alone.
    Removed,
    /// The second alone.
    Added,
}

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DiffPart {
    /// Which text has it.
    pub kind: PartKind,
    /// Its words with what is between them. Hostile text.
    pub text: String,
}

/// A line of two texts, cut where they differ.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DiffLine {
    /// Its parts, in order.
    pub parts: Vec<DiffPart>,
}

impl DiffLine {
    /// Whether both texts have all of it.
    pub fn is_same(&self) -> bool {
        self.parts.iter().all(|part| part.kind == PartKind::Same)
    }
}

/// What two texts differ in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TextDiff {
    /// The lines of both, in order.
    pub lines: Vec<DiffLine>,
    /// Words that the second alone has.
    pub added_words: u64,
    /// Words that the first alone has.
    pub removed_words: u64,
    /// Words that both have.
    pub same_words: u64,
}

/// Compares two texts. Blank lines and the width of blanks are no difference.
pub fn diff_texts(before: &str, after: &str) -> TextDiff {
    let (before, after) = (lines_of(before), lines_of(after));
    let mut out = DiffWriter::default();
    let (mut a, mut b) = (0, 0);
    for (at_before, at_after, len) in common_runs(&before, &after, MOST_LINE_PAIRS) {
        tokens_between(&before[a..at_before], &after[b..at_after], &mut out);
        for line in &before[at_before..at_before + len] {
            out.push(PartKind::Same, line);
            out.end_line();
        }
        (a, b) = (at_before + len, at_after + len);
    }
    tokens_between(&before[a..], &after[b..], &mut out);
    out.finish()
}

/// Lines with something in them, without blanks at their ends.
fn lines_of(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

/// The runs that two lists have in common, in order: their places and lengths. Items that one list alone has are left
/// out before they are compared: the longest common subsequence has none of them.
fn common_runs(before: &[&str], after: &[&str], most_pairs: usize) -> Vec<(usize, usize, usize)> {
    let (in_before, in_after): (HashSet<&str>, HashSet<&str>) =
        (before.iter().copied().collect(), after.iter().copied().collect());
    let shared = |list: &[&str], other: &HashSet<&str>| -> Vec<usize> {
        (0..list.len()).filter(|at| other.contains(list[*at])).collect()
    };
    let (from, to) = (shared(before, &in_after), shared(after, &in_before));
    let old: Vec<&str> = from.iter().map(|at| before[*at]).collect();
    let new: Vec<&str> = to.iter().map(|at| after[*at]).collect();
    let mut pairs = Vec::new();
    if old.len().saturating_mul(new.len()) <= most_pairs {
        for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
            if let DiffOp::Equal { old_index, new_index, len } = op {
                pairs.extend((0..len).map(|next| (from[old_index + next], to[new_index + next])));
            }
        }
    } else {
        let begin = before.iter().zip(after).take_while(|(a, b)| a == b).count();
        let rest = before.len().min(after.len()) - begin;
        let end = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
        pairs.extend((0..begin).map(|at| (at, at)));
        pairs.extend((0..end).rev().map(|back| (before.len() - 1 - back, after.len() - 1 - back)));
    }
    let mut runs: Vec<(usize, usize, usize)> = Vec::new();
    for (a, b) in pairs {
        match runs.last_mut() {
            Some((run_a, run_b, len)) if *run_a + *len == a && *run_b + *len == b => *len += 1,
            _ => runs.push((a, b, 1)),
        }
    }
    runs
}

/// The end of a line among words.
const BREAK: &str = "\n";

/// Words and what is between them, of lines.
fn tokens_of<'t>(lines: &[&'t str]) -> Vec<&'t str> {
    let mut tokens = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        if number > 0 {
            tokens.push(BREAK);
        }
        tokens.extend(line.split_word_bounds().map(|token| if token.trim().is_empty() { " " } else { token }));
    }
    tokens
}

fn tokens_between(before: &[&str], after: &[&str], out: &mut DiffWriter) {
    if before.is_empty() && after.is_empty() {
        return;
    }
    let (old, new) = (tokens_of(before), tokens_of(after));
    let (mut a, mut b) = (0, 0);
    // A comma or a blank alone is nothing that two sentences have in common.
    let is_shared = |token: &str| token == BREAK || token.chars().any(char::is_alphanumeric);
    let runs = common_runs(&old, &new, MOST_TOKEN_PAIRS);
    let is_kept = |(at, _, len): &(usize, usize, usize)| {
        let is_at_edge = *at == 0 || at + len == old.len();
        old[*at..at + len].iter().any(|token| is_shared(token)) || is_at_edge
    };
    for (at_old, at_new, len) in runs.into_iter().filter(is_kept) {
        out.tokens(PartKind::Removed, &old[a..at_old]);
        out.tokens(PartKind::Added, &new[b..at_new]);
        out.tokens(PartKind::Same, &old[at_old..at_old + len]);
        (a, b) = (at_old + len, at_new + len);
    }
    out.tokens(PartKind::Removed, &old[a..]);
    if before.len() != after.len() && a == 0 && b == 0 && !before.is_empty() && !after.is_empty() {
        // Nothing in common: what came has lines of its own.
        out.end_line();
    }
    out.tokens(PartKind::Added, &new[b..]);
    out.end_line();
}

#[derive(Default)]
struct DiffWriter {
    diff: TextDiff,
    line: DiffLine,
}

impl DiffWriter {
    fn tokens(&mut self, kind: PartKind, words: &[&str]) {
        for word in words {
            if *word == BREAK {
                self.end_line();
            } else {
                self.push(kind, word);
            }
        }
    }

    fn push(&mut self, kind: PartKind, text: &str) {
        let count = text.unicode_words().count() as u64;
        *match kind {
            PartKind::Same => &mut self.diff.same_words,
            PartKind::Removed => &mut self.diff.removed_words,
            PartKind::Added => &mut self.diff.added_words,
        } += count;
        match self.line.parts.last_mut() {
            Some(last) if last.kind == kind => last.text.push_str(text),
            _ => self.line.parts.push(DiffPart { kind, text: text.to_owned() }),
        }
    }

    fn end_line(&mut self) {
        if !self.line.parts.is_empty() {
            self.diff.lines.push(std::mem::take(&mut self.line));
        }
    }

    fn finish(mut self) -> TextDiff {
        self.end_line();
        self.diff
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A text as its words: those of one side of a diff.
    fn side(diff: &TextDiff, left_out: PartKind) -> Vec<String> {
        let mut terms = Vec::new();
        for line in &diff.lines {
            let kept: String =
                line.parts.iter().filter(|part| part.kind != left_out).map(|part| part.text.as_str()).collect();
            terms.extend(kept.unicode_words().map(str::to_owned));
        }
        terms
    }

    fn marked(before: &str, after: &str) -> String {
        let diff = diff_texts(before, after);
        let lines = diff.lines.iter().map(|line| {
            let parts = line.parts.iter().map(|part| match part.kind {
                PartKind::Same => part.text.clone(),
                PartKind::Removed => format!("[-{}-]", part.text),
                PartKind::Added => format!("{{+{}+}}", part.text),
            });
            parts.collect::<String>()
        });
        lines.collect::<Vec<_>>().join("|")
    }

    #[test]
    fn what_came_and_went_is_marked_in_its_lines() {
        for (before, after, expected) in [
            ("", "", ""),
            ("a b", "a b", "a b"),
            ("a  b\n\n c", "a b\nc", "a b|c"),
            ("", "new text", "{+new text+}"),
            ("old text", "", "[-old text-]"),
            ("the yard closes", "the old yard closes", "the {+old +}yard closes"),
            ("ninety years, gone", "eighty years, gone", "[-ninety-]{+eighty+} years, gone"),
            ("one\ntwo\nthree", "one\nthree\nfour", "one|[-two-]|three|{+four+}"),
            ("日本語の文", "日本の文", "日本[-語-]の文"),
        ] {
            assert_eq!(marked(before, after), expected, "{before} → {after}");
        }
        let diff = diff_texts("ninety years of boats", "eighty years of boats, and more");
        assert_eq!((diff.same_words, diff.removed_words, diff.added_words), (3, 1, 3));
    }

    #[test]
    fn long_texts_that_differ_as_a_whole_are_compared_in_good_time() {
        let text = |begin: usize| (begin..begin + 30_000).map(|n| format!("word{n}\n")).collect::<String>();
        let diff = diff_texts(&text(0), &text(29_990));
        assert_eq!((diff.same_words, diff.removed_words, diff.added_words), (10, 29_990, 29_990));
        // Lines in another order, of which all are in both.
        let turned: String = (0..30_000).rev().map(|n| format!("word{n}\n")).collect();
        assert!(diff_texts(&text(0), &turned).removed_words >= 29_000);
        let spaced: String = (0..9_000).map(|n| format!("w{n} ")).collect();
        let other: String = (0..9_000).rev().map(|n| format!("w{n} ")).collect();
        assert!(diff_texts(&spaced, &other).removed_words >= 8_000);
    }

    proptest! {
        #[test]
        fn both_texts_can_be_read_out_of_their_difference(
            before in "([abcé,.]{1,3}[ \n]){0,40}",
            after in "([abcé,.]{1,3}[ \n]){0,40}",
        ) {
            let terms_of = |text: &str| text.lines().flat_map(|line| line.trim().unicode_words().map(str::to_owned)
                .collect::<Vec<_>>()).collect::<Vec<_>>();
            let diff = diff_texts(&before, &after);
            prop_assert_eq!(side(&diff, PartKind::Added), terms_of(&before));
            prop_assert_eq!(side(&diff, PartKind::Removed), terms_of(&after));
            prop_assert_eq!(diff_texts(&before, &before).removed_words, 0);
        }
    }
}
