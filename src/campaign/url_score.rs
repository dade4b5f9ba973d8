//! URLs that come earlier or later than their links say: `URLScope` and `sourceScope` of the ARCOMEM crawl
//! specification (D1.2, 5.2), with scores from -1 to 1.

use regex::bytes::{RegexSet, RegexSetBuilder};
use serde::{Deserialize, Serialize};

/// Scores of one campaign.
const MAX_SCORES: usize = 500;
/// Bytes that the compiled patterns may take.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// What is added to the priority of URLs. It names a pattern or a tag.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct UrlScore {
    /// A regular expression that is found somewhere in the URL.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pattern: String,
    /// The tag of the seeds that URLs descend from.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source_tag: String,
    /// From -1, behind all others, to 1, before all others.
    pub score: f64,
}

impl UrlScore {
    /// The field that is no score, and why.
    fn error(&self) -> Option<(&'static str, String)> {
        match (self.pattern.as_str(), self.source_tag.as_str()) {
            ("", "") => Some(("pattern", "it names neither a pattern nor a tag".to_owned())),
            (pattern, "") => compile(&[pattern]).err().map(|error| ("pattern", format!("“{pattern}” {error}"))),
            ("", _) => None,
            _ => Some(("source_tag", "it names a pattern and a tag".to_owned())),
        }
        .or_else(|| {
            let is_score = (-1.0..=1.0).contains(&self.score);
            (!is_score).then(|| ("score", format!("{} is not between -1 and 1", self.score)))
        })
    }
}

/// What is wrong with the scores of a campaign: field, fault, and way to mend it. Such a score has no effect.
pub(super) fn score_problems(scores: &[UrlScore]) -> Vec<(String, String, &'static str)> {
    let mut problems: Vec<_> = scores
        .iter()
        .enumerate()
        .filter_map(|(at, score)| score.error().map(|(field, what)| (format!("scores[{at}].{field}"), what)))
        .map(|(field, what)| (field, what, "correct it, or take the line out; it has no effect"))
        .collect();
    if scores.len() > MAX_SCORES {
        let what = format!("{} scores are more than {MAX_SCORES}", scores.len());
        problems.push(("scores".to_owned(), what, "put patterns together; further ones have no effect"));
    }
    problems
}

fn compile(patterns: &[&str]) -> Result<RegexSet, String> {
    let mut builder = RegexSetBuilder::new(patterns);
    builder.unicode(false).size_limit(MAX_BYTES).dfa_size_limit(MAX_BYTES).build().map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => "is too large".to_owned(),
        _ => "is no regular expression".to_owned(),
    })
}

/// The scores of a campaign, made ready.
#[derive(Debug)]
pub struct UrlScores {
    patterns: RegexSet,
    of_patterns: Vec<f64>,
    tags: Vec<(String, f64)>,
}

impl UrlScores {
    /// Those that have an effect; none where there are none.
    pub fn of(scores: &[UrlScore]) -> Option<Self> {
        let sound = || scores.iter().take(MAX_SCORES).filter(|score| score.error().is_none());
        let (mut texts, mut of_patterns) = (Vec::new(), Vec::new());
        for score in sound().filter(|score| !score.pattern.is_empty()) {
            texts.push(score.pattern.as_str());
            of_patterns.push(score.score);
        }
        // Each is small enough: where all of them together are not, the first ones count.
        let mut patterns = compile(&texts);
        while patterns.is_err() && !texts.is_empty() {
            texts.truncate(texts.len() / 2);
            patterns = compile(&texts);
        }
        of_patterns.truncate(texts.len());
        let tags = sound().filter(|score| !score.source_tag.is_empty());
        let tags: Vec<(String, f64)> = tags.map(|score| (score.source_tag.clone(), score.score)).collect();
        let patterns = patterns.ok()?;
        (!of_patterns.is_empty() || !tags.is_empty()).then_some(Self { patterns, of_patterns, tags })
    }

    /// The sum of the scores of a URL with this tag, from -1 to 1.
    pub fn value(&self, url: &str, source_tag: &str) -> f64 {
        let of_patterns = self.patterns.matches(url.as_bytes()).into_iter().filter_map(|at| self.of_patterns.get(at));
        let of_tags = self.tags.iter().filter(|(tag, _)| tag == source_tag).map(|(_, score)| score);
        of_patterns.chain(of_tags).sum::<f64>().clamp(-1.0, 1.0)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn score(pattern: &str, source_tag: &str, score: f64) -> UrlScore {
        UrlScore { pattern: pattern.to_owned(), source_tag: source_tag.to_owned(), score }
    }

    #[test]
    fn patterns_and_tags_add_up() {
        let scores = [score("/news/", "", 0.4), score(r"\.pdf$", "", -0.9), score("", "press", 0.8)];
        let scores = UrlScores::of(&scores).unwrap();
        assert!((scores.value("http://a.pt/news/1", "") - 0.4).abs() < 1e-9);
        assert!((scores.value("http://a.pt/news/1.pdf", "") + 0.5).abs() < 1e-9);
        assert_eq!(scores.value("http://a.pt/news/1", "press"), 1.0);
        assert_eq!(scores.value("http://a.pt/", "other"), 0.0);
        assert!(UrlScores::of(&[]).is_none());
    }

    #[test]
    fn what_is_no_score_is_named_and_has_no_effect() {
        let wrong = [score("(", "", 1.0), score("", "", 1.0), score("a", "b", 1.0), score("a", "", 2.0)];
        let fields: Vec<String> = score_problems(&wrong).into_iter().map(|(field, ..)| field).collect();
        assert_eq!(fields, ["scores[0].pattern", "scores[1].pattern", "scores[2].source_tag", "scores[3].score"]);
        assert!(UrlScores::of(&wrong).is_none());
        assert_eq!(score_problems(&[score("a", "", f64::NAN)]).len(), 1);
        let many = vec![score(r"\w{900}", "", 0.1); 400];
        assert!(UrlScores::of(&many).is_none_or(|scores| scores.value("http://a.pt/", "") == 0.0));
    }
}
