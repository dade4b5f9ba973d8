//! Paths that repeat themselves.

use super::{Change, DecideRule, Edit, RuleKind, counted};
use crate::scope::{Candidate, Decision, Facts};
use serde::{Deserialize, Serialize};

/// Rejects URLs in which a path segment, or a run of segments, is repeated more
/// than `max_repetitions` times right after itself: 2 lets `/a/a/` pass
/// and refuses `/a/a/a/`. Zero switches the test off.
/// Why: relative links on error pages build such paths without end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathologicalPath {
    /// How often a segment may come again.
    pub max_repetitions: usize,
}

/// The longest repetition in a URL: what is repeated, and how often it comes
/// again after its first time.
fn worst(url: &str) -> (String, usize) {
    // Every piece between two slashes, the host too, as Heritrix's pattern.
    let mut pieces: Vec<&str> = url.split('/').skip(1).collect();
    pieces.pop();
    let (mut block, mut again) = (String::new(), 0);
    for period in 1..=pieces.len() / 2 {
        let mut equal = 0;
        for end in period..pieces.len() {
            equal = if pieces[end] == pieces[end - period] { equal + 1 } else { 0 };
            if equal / period > again {
                again = equal / period;
                block = pieces[end + 1 - period..=end].join("/");
            }
        }
    }
    (block, again)
}

/// Whether a URL repeats more than `max` times; without the words.
fn repeats(url: &str, max: usize) -> bool {
    let bytes = url.as_bytes();
    let mut slashes = memchr::memchr_iter(b'/', bytes);
    let Some(mut start) = slashes.next() else {
        return false;
    };
    // Nearly always a single segment that repeats: no list is needed for that.
    let (mut pieces, mut equal, mut previous): (usize, usize, Option<&[u8]>) = (0, 0, None);
    for slash in slashes {
        let piece = &bytes[start + 1..slash];
        equal = if previous == Some(piece) { equal + 1 } else { 0 };
        if equal >= max {
            return true;
        }
        (previous, start, pieces) = (Some(piece), slash, pieces + 1);
    }
    pieces >= 2 * (max + 1) && repeats_in_runs(url, max)
}

/// Whether a run of two or more segments is repeated too often.
fn repeats_in_runs(url: &str, max: usize) -> bool {
    let mut pieces: Vec<&str> = url.split('/').skip(1).collect();
    pieces.pop();
    (2..=pieces.len() / (max + 1)).any(|period| {
        let mut equal = 0;
        (period..pieces.len()).any(|end| {
            equal = if pieces[end] == pieces[end - period] { equal + 1 } else { 0 };
            equal >= period * max
        })
    })
}

impl DecideRule for PathologicalPath {
    fn name(&self) -> &'static str {
        "PathologicalPathDecideRule"
    }

    fn summary(&self) -> String {
        match self.max_repetitions {
            0 => "tests nothing (0 repetitions switches it off)".to_owned(),
            max => format!("rejects a path segment that occurs {} times in a row", max + 1),
        }
    }

    fn decide(&self, candidate: &Candidate, _: &Facts) -> Option<Decision> {
        (self.max_repetitions > 0 && repeats(candidate.url.as_str(), self.max_repetitions)).then_some(Decision::Reject)
    }

    fn tested(&self, candidate: &Candidate, _: &Facts) -> String {
        match worst(candidate.url.as_str()) {
            (_, 0) => "no repetition".to_owned(),
            (block, again) => format!("{block} {} in a row", counted((again + 1) as u64, "time")),
        }
    }

    fn changes(&self, candidate: &Candidate, facts: &Facts, target: Option<Decision>) -> Vec<Change> {
        if target.is_some() || self.decide(candidate, facts).is_none() {
            return Vec::new();
        }
        let (_, again) = worst(candidate.url.as_str());
        vec![Change {
            summary: format!("raise the limit from {} repetitions to {}", self.max_repetitions, again + 1),
            edit: Edit::Number(RuleKind::PathologicalPath(Self { max_repetitions: again + 1 })),
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::decision_of;
    use super::*;

    #[test]
    fn rejects_paths_that_repeat() {
        let rule = PathologicalPath { max_repetitions: 2 };
        for (url, expected) in [
            ("http://example.com/", None),
            ("http://example.com/a/a/boo.html", None),
            ("http://example.com/a/a/a/boo.html", Some(Decision::Reject)),
            ("http://example.com/a/a/a", None),
            ("http://example.com/a/b/a/b/a/b/x", Some(Decision::Reject)),
            ("http://example.com/a/b/a/c/a/b/x", None),
            ("http://example.com/x/a/a/a/", Some(Decision::Reject)),
            ("http://a/a/a/x", Some(Decision::Reject)),
        ] {
            assert_eq!(decision_of(&rule, url, "L"), expected, "{url}");
            assert_eq!(worst(url).1 >= 2, expected.is_some(), "{url}");
        }
        assert_eq!(decision_of(&PathologicalPath { max_repetitions: 0 }, "http://e.pt/a/a/a/a/", "L"), None);
    }
}
