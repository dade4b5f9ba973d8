//! SURT prefixes.

use super::{Change, DecideRule, Edit, RuleKind, RuleRemark, listed, verb};
use crate::scope::{Candidate, Decision, Facts};
use crate::uri::{ScopePrefix, ScopePrefixSet, ScopeSurt};
use serde::{Deserialize, Serialize};

/// Accepts or rejects URLs whose SURT starts with one of the prefixes, https
/// read as http. A prefix is a SURT (`http://(pt,fct,`) or a URL, which means
/// what begins as it is written ([`ScopePrefix::as_written`]): other than a
/// seed, and than such a line of Heritrix, it keeps all of its path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SurtPrefix {
    /// SURTs or URLs.
    pub prefixes: Vec<String>,
    /// The decision on a match.
    pub decision: Decision,
    /// Whether the page that led here may match instead.
    #[serde(default)]
    pub also_check_via: bool,
}

#[derive(Debug)]
pub(super) struct CompiledSurtPrefix {
    rule: SurtPrefix,
    set: ScopePrefixSet,
}

impl SurtPrefix {
    pub(super) fn compile(&self) -> Result<CompiledSurtPrefix, String> {
        let mut prefixes = Vec::with_capacity(self.prefixes.len());
        for text in &self.prefixes {
            let prefix = ScopePrefix::as_written(text);
            prefixes.push(prefix.ok_or_else(|| {
                format!("“{text}” is neither a SURT prefix nor a URL; give it as http://(pt,fct, or http://fct.pt/")
            })?);
        }
        Ok(CompiledSurtPrefix { rule: self.clone(), set: ScopePrefixSet::new(prefixes) })
    }
}

/// The coverage of a prefix that is written as a URL or a host; none of a
/// SURT, which shows it itself.
fn covered(text: &str) -> Option<String> {
    let prefix = ScopePrefix::as_written(text).filter(|_| !text.contains('('))?;
    let more = prefix.remark().map(|remark| format!(" ({remark})")).unwrap_or_default();
    Some(format!("{prefix}…{more}"))
}

/// A prefix as a sentence about the rule has it.
fn shown(text: &str) -> String {
    match ScopePrefix::as_written(text).filter(|_| !text.contains('(')) {
        Some(prefix) => format!("{text} (covers {prefix}…)"),
        None => text.to_owned(),
    }
}

impl CompiledSurtPrefix {
    fn via(&self, candidate: &Candidate) -> Option<ScopeSurt> {
        candidate.via.as_ref().filter(|_| self.rule.also_check_via).map(ScopeSurt::of)
    }
}

impl DecideRule for CompiledSurtPrefix {
    fn name(&self) -> &'static str {
        "SurtPrefixedDecideRule"
    }

    fn summary(&self) -> String {
        let shown: Vec<String> = self.rule.prefixes.iter().map(|text| shown(text)).collect();
        format!("{} {}", verb(self.rule.decision), listed(&shown, "prefix", "prefixes"))
    }

    fn remarks(&self) -> Vec<RuleRemark> {
        let prefixes = self.rule.prefixes.iter().enumerate();
        let remark = |(at, text): (usize, &String)| {
            let what = format!("{} covers {}", text.trim(), covered(text)?);
            Some(RuleRemark { field: format!("prefixes[{at}]"), what, hint: None })
        };
        prefixes.filter_map(remark).collect()
    }

    fn decide(&self, candidate: &Candidate, _: &Facts) -> Option<Decision> {
        let matched =
            self.set.matches(&candidate.surt) || self.via(candidate).is_some_and(|surt| self.set.matches(&surt));
        matched.then_some(self.rule.decision)
    }

    fn tested(&self, candidate: &Candidate, _: &Facts) -> String {
        if let Some(prefix) = self.set.matching(&candidate.surt) {
            return format!("{} starts with {prefix}", candidate.surt);
        }
        match self.via(candidate).and_then(|surt| self.set.matching(&surt)) {
            Some(prefix) => format!("the page that led here starts with {prefix}"),
            None => candidate.surt.to_string(),
        }
    }

    fn changes(&self, candidate: &Candidate, facts: &Facts, target: Option<Decision>) -> Vec<Change> {
        let edited = |prefixes| Edit::Entry(RuleKind::SurtPrefix(SurtPrefix { prefixes, ..self.rule.clone() }));
        match target {
            None if self.decide(candidate, facts).is_some() => {
                let via = self.via(candidate);
                let matches = |text: &&String| {
                    ScopePrefix::as_written(text).is_some_and(|prefix| {
                        prefix.matches(&candidate.surt) || via.as_ref().is_some_and(|surt| prefix.matches(surt))
                    })
                };
                let out: Vec<String> = self.rule.prefixes.iter().filter(matches).cloned().collect();
                let kept = self.rule.prefixes.iter().filter(|text| !matches(text)).cloned().collect();
                let summary = format!("take out {}", listed(&out, "the prefix", "the prefixes"));
                vec![Change { summary, edit: edited(kept) }]
            }
            Some(target) if target == self.rule.decision && self.decide(candidate, facts).is_none() => {
                let prefix = ScopePrefix::implied_by_seed(candidate.url.as_str()).to_string();
                let summary = format!("add the prefix {prefix}");
                let mut prefixes = self.rule.prefixes.clone();
                prefixes.push(prefix);
                vec![Change { summary, edit: edited(prefixes) }]
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::testing::{candidate, decision_of};
    use super::*;
    use crate::uri::Url;

    fn rule(prefixes: &[&str], also_check_via: bool) -> SurtPrefix {
        let prefixes = prefixes.iter().map(|prefix| (*prefix).to_owned()).collect();
        SurtPrefix { prefixes, decision: Decision::Accept, also_check_via }
    }

    #[test]
    fn matches_surts_and_urls() {
        let compiled = rule(&["http://(pt,fct,", "https://fccn.pt/sobre/"], false).compile().unwrap();
        let accept = Some(Decision::Accept);
        for (url, expected) in [
            ("https://www.fct.pt/a", accept),
            ("http://fct.pt/", accept),
            ("http://fctx.pt/", None),
            ("http://fccn.pt/sobre/nos", accept),
            ("http://fccn.pt/", None),
        ] {
            assert_eq!(decision_of(&compiled, url, "L"), expected, "{url}");
        }
        // A URL means what begins so, and not its host.
        let compiled = rule(&["http://archive.example/details", "b.example"], false).compile().unwrap();
        for (url, expected) in [
            ("https://archive.example/details/1", accept),
            ("http://archive.example/details?x=1", accept),
            ("http://archive.example/about", None),
            ("http://archive.example/", None),
            ("http://www.b.example/x", accept),
        ] {
            assert_eq!(decision_of(&compiled, url, "L"), expected, "{url}");
        }
        assert_eq!(
            compiled.summary(),
            "accepts prefixes http://archive.example/details (covers http://(example,archive,)/details…), \
             b.example (covers http://(example,b,…)"
        );
        let remarks: Vec<String> = compiled.remarks().into_iter().map(|remark| remark.what).collect();
        assert_eq!(remarks[0], "http://archive.example/details covers http://(example,archive,)/details…");
        assert!(remarks[1].starts_with("b.example covers http://(example,b,… (opens subdomains"), "{remarks:?}");
        assert!(rule(&["???"], false).compile().is_err());
    }

    #[test]
    fn the_page_that_led_here_may_match() {
        let via = Some(Url::parse("http://fct.pt/").unwrap());
        let candidate = Candidate { via, ..candidate("http://example.com/", "L") };
        for (also_check_via, expected) in [(true, Some(Decision::Accept)), (false, None)] {
            let compiled = rule(&["(pt,fct,"], also_check_via).compile().unwrap();
            assert_eq!(compiled.decide(&candidate, &Facts::default()), expected);
        }
    }
}
