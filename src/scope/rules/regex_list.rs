//! Regular expressions over the URL.

use super::{Change, DecideRule, Edit, RuleKind, RuleRemark, listed, verb};
use crate::scope::{Candidate, Decision, Facts};
use aho_corasick::AhoCorasick;
use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use regex_automata::hybrid::dfa::DFA;
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};
use serde::{Deserialize, Serialize};

/// Accepts or rejects URLs that match one of a list of regular expressions, or
/// all of them. An expression has to match the whole URL, as in Heritrix: put
/// `.*` round a part. The time of a test grows with the URL's length only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegexList {
    /// The expressions.
    pub patterns: Vec<String>,
    /// Whether one match is enough.
    #[serde(default = "one_is_enough")]
    pub any: bool,
    /// The decision on a match.
    pub decision: Decision,
}

fn one_is_enough() -> bool {
    true
}

#[derive(Debug)]
pub(super) struct CompiledRegexList {
    rule: RegexList,
    set: RegexSet,
    /// The patterns in two sets, where one match is enough.
    quick: Option<Quick>,
    /// See [`DecideRule::pattern_bytes`].
    bytes: usize,
}

/// Patterns by how they are looked for. Most look for a word somewhere, which
/// takes a fraction of the time that a set of patterns takes; and threads that
/// use a set at once have to share its scratch memory.
#[derive(Debug)]
struct Quick {
    literals: AhoCorasick,
    others: Option<RegexSet>,
    /// Bytes of the others.
    bytes: usize,
}

impl Quick {
    /// `None` where no pattern is a word.
    fn of(anchored: &[String]) -> Result<Option<Self>, String> {
        let (mut literals, mut others) = (Vec::new(), Vec::new());
        for pattern in anchored {
            match name_of(pattern) {
                Some(literal) => literals.push(literal),
                None => others.push(pattern),
            }
        }
        if literals.is_empty() {
            return Ok(None);
        }
        let (others, bytes) = match others.is_empty() {
            true => (None, 0),
            false => set(&others).map(|(others, bytes)| (Some(others), bytes))?,
        };
        // URLs are short, and made of the bytes that looking ahead for rare ones would stop at.
        let literals = AhoCorasick::builder().prefilter(false).build(literals);
        let literals = literals.map_err(|error| format!("the patterns are too many: {error}"))?;
        Ok(Some(Self { literals, others, bytes }))
    }

    fn is_match(&self, url: &[u8]) -> bool {
        self.literals.is_match(url) || self.others.as_ref().is_some_and(|others| others.is_match(url))
    }
}

/// The bytes that an anchored pattern looks for, if it is nothing but a literal
/// that may be anywhere.
fn name_of(anchored: &str) -> Option<Vec<u8>> {
    let part = anchored.strip_prefix("(?:")?.strip_suffix(')')?;
    let (mut literal, mut bytes) = (Vec::with_capacity(part.len()), part.bytes());
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => {
                literal.push(bytes.next().filter(|escaped| escaped.is_ascii_punctuation() && !b"<>".contains(escaped))?)
            }
            b'.' | b'^' | b'$' | b'*' | b'+' | b'?' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'|' => return None,
            _ => literal.push(byte),
        }
    }
    Some(literal)
}

fn set(patterns: &[impl AsRef<str>]) -> Result<(RegexSet, usize), String> {
    let build =
        |limit| RegexSetBuilder::new(patterns).unicode(false).size_limit(limit).dfa_size_limit(SIZE_LIMIT).build();
    sized(build).map_err(|error| format!("the patterns are too many or too large together: {error}"))
}

/// Bytes that the compiled patterns of a rule may take: room for hundreds of
/// them, and for `.{512,}`, which guards against long URLs.
const SIZE_LIMIT: usize = 64 * 1024 * 1024;

/// Compiles within the smallest of some limits that is enough: compiled
/// patterns do not report their size.
fn sized<T>(build: impl Fn(usize) -> Result<T, regex::Error>) -> Result<(T, usize), regex::Error> {
    let mut limit = SIZE_LIMIT >> 10;
    loop {
        match build(limit) {
            Err(regex::Error::CompiledTooBig(_)) if limit < SIZE_LIMIT => limit *= 4,
            built => return built.map(|built| (built, limit)),
        }
    }
}

/// An expression that has to match the whole text, and the bytes it takes. URLs
/// and hop paths are ASCII, and so are `\\w` and `\\d` here, as in Java.
pub(super) fn whole(pattern: &str) -> Result<(Regex, usize), String> {
    check_syntax(pattern)?;
    let anchored = anchored(pattern);
    sized(|limit| RegexBuilder::new(&anchored).unicode(false).size_limit(limit).build())
        .map_err(|error| broken_pattern(pattern, &error))
}

/// Checks the syntax of a pattern, however large it is compiled.
fn check_syntax(pattern: &str) -> Result<(), String> {
    let check = |text: &str| match RegexBuilder::new(text).unicode(false).size_limit(1).build() {
        Err(error @ regex::Error::Syntax(_)) => Err(broken_pattern(pattern, &error)),
        _ => Ok(()),
    };
    // Alone first: a stray parenthesis must not close the group round it.
    check(pattern).and_then(|()| check(&anchored(pattern)))
}

fn anchored(pattern: &str) -> String {
    format!("^(?:{pattern})$")
}

/// Anchors a pattern for URLs, which have no line feed: what may be before or
/// behind a part need not be run through, so that the part is found at once.
fn anchored_in_url(pattern: &str) -> String {
    // These take other things than they seem to, or alternatives of which only one begins or ends so.
    if pattern.contains("(?") || has_open_alternative(pattern) {
        return anchored(pattern);
    }
    let (mut part, mut begin, mut end) = (pattern, "^", "$");
    if let Some(rest) = part.strip_prefix(".*").filter(|rest| !rest.starts_with(['?', '+', '*', '{'])) {
        (part, begin) = (rest, "");
    }
    if let Some(rest) = part.strip_suffix(".*")
        && rest.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 0
    {
        (part, end) = (rest, "");
    }
    format!("{begin}(?:{part}){end}")
}

/// Whether there may be an alternative outside of any group.
fn has_open_alternative(pattern: &str) -> bool {
    if !pattern.contains('|') {
        return false;
    }
    let (mut depth, mut is_escaped) = (0, false);
    for byte in pattern.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'(' => depth += 1,
            b')' => depth -= 1,
            // In a class parentheses mean themselves.
            b'[' => return true,
            b'|' if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

/// Why a pattern that a person wrote cannot be used, in one line.
pub fn broken_pattern(pattern: &str, error: &regex::Error) -> String {
    let why = error.to_string();
    let why = why.lines().last().unwrap_or(&why).trim_start_matches("error: ").to_owned();
    format!("the pattern “{pattern}” is broken: {why}")
}

/// Patterns of a rule that are tested for whether they match anything.
const MAX_REMARKED: usize = 1000;
/// Bytes that the automaton of one of them may take.
const REMARK_BYTES: usize = 1 << 20;

/// Whether a pattern can match any whole URL: false only where it cannot. The
/// automaton of the pattern is dead behind `http://` and another character.
fn may_match_url(pattern: &str) -> bool {
    let config = (syntax::Config::new().unicode(false).utf8(false), thompson::Config::new().utf8(false));
    let dfa = DFA::builder()
        .configure(DFA::config().cache_capacity(REMARK_BYTES))
        .syntax(config.0)
        .thompson(config.1.nfa_size_limit(Some(REMARK_BYTES)))
        .build(&anchored(pattern));
    // Patterns that are too large are not tested.
    let Ok(dfa) = dfa else { return true };
    let mut cache = dfa.create_cache();
    let begin = Input::new(b"").anchored(Anchored::Yes);
    let Ok(start) = dfa.start_state_forward(&mut cache, &begin) else { return true };
    ["http://", "https://"].into_iter().any(|scheme| {
        let mut state = start;
        for byte in scheme.bytes() {
            match dfa.next_state(&mut cache, state, byte) {
                Ok(next) if next.is_dead() => return false,
                Ok(next) => state = next,
                Err(_) => return true,
            }
        }
        let mut host = b'!'..=b'~';
        host.any(|byte| dfa.next_state(&mut cache, state, byte).map_or(true, |next| !next.is_dead()))
    })
}

/// The pattern that matches whole URLs with a part that this one matches.
fn whole_form(pattern: &str) -> Option<String> {
    let part = pattern.strip_prefix('^').unwrap_or(pattern);
    let part = part.strip_suffix('$').filter(|part| !part.ends_with('\\')).unwrap_or(part);
    let part = part.trim_start_matches(".*");
    let part = part.strip_suffix(".*").filter(|part| !part.ends_with('\\')).unwrap_or(part);
    let whole = if has_open_alternative(part) { format!(".*(?:{part}).*") } else { format!(".*{part}.*") };
    (check_syntax(&whole).is_ok() && may_match_url(&whole)).then_some(whole)
}

impl RegexList {
    pub(super) fn compile(&self) -> Result<CompiledRegexList, String> {
        self.patterns.iter().try_for_each(|pattern| check_syntax(pattern))?;
        let anchored: Vec<String> = self.patterns.iter().map(|pattern| anchored_in_url(pattern)).collect();
        let quick = if self.any { Quick::of(&anchored)? } else { None };
        let (set, bytes) = set(&anchored)?;
        let bytes = bytes + quick.as_ref().map_or(0, |quick| quick.bytes);
        Ok(CompiledRegexList { rule: self.clone(), set, quick, bytes })
    }
}

impl DecideRule for CompiledRegexList {
    fn name(&self) -> &'static str {
        "MatchesListRegexDecideRule"
    }

    fn summary(&self) -> String {
        let how = if self.rule.any { "" } else { "all of " };
        format!(
            "{} URLs that match {how}{}",
            verb(self.rule.decision),
            listed(&self.rule.patterns, "pattern", "patterns")
        )
    }

    fn pattern_bytes(&self) -> usize {
        self.bytes
    }

    fn remarks(&self) -> Vec<RuleRemark> {
        let patterns = self.rule.patterns.iter().enumerate().take(MAX_REMARKED);
        let remark = |(at, pattern): (usize, &String)| {
            (!may_match_url(pattern)).then(|| {
                let whole = whole_form(pattern);
                RuleRemark {
                    field: format!("patterns[{at}]"),
                    what: format!("“{pattern}” matches no whole URL, which it has to, so it does nothing"),
                    hint: Some(match whole {
                        Some(whole) => format!("to look for a part, write {whole}"),
                        None => "write it as it matches a URL from http to its end".to_owned(),
                    }),
                }
            })
        };
        patterns.filter_map(remark).collect()
    }

    fn decide(&self, candidate: &Candidate, _: &Facts) -> Option<Decision> {
        if self.set.is_empty() {
            return None;
        }
        let url = candidate.url.as_str().as_bytes();
        let matched = match &self.quick {
            Some(quick) => quick.is_match(url),
            None if self.rule.any => self.set.is_match(url),
            None => self.set.matches(url).iter().count() == self.set.len(),
        };
        matched.then_some(self.rule.decision)
    }

    fn tested(&self, candidate: &Candidate, _: &Facts) -> String {
        let matches = self.set.matches(candidate.url.as_str().as_bytes());
        let found: Vec<String> = matches.iter().filter_map(|at| self.rule.patterns.get(at).cloned()).collect();
        match found.len() {
            0 => "no pattern matches".to_owned(),
            _ => format!("matches {}", listed(&found, "pattern", "patterns")),
        }
    }

    fn changes(&self, candidate: &Candidate, facts: &Facts, target: Option<Decision>) -> Vec<Change> {
        let edited = |patterns| Edit::Entry(RuleKind::Regex(RegexList { patterns, ..self.rule.clone() }));
        match target {
            None if self.decide(candidate, facts).is_some() => {
                let matches = self.set.matches(candidate.url.as_str().as_bytes());
                let all = self.rule.patterns.iter().enumerate();
                let (out, kept): (Vec<_>, Vec<_>) = all.partition(|(at, _)| matches.matched(*at));
                let strip = |list: Vec<(usize, &String)>| list.into_iter().map(|(_, p)| p.clone()).collect::<Vec<_>>();
                let summary = format!("take out {}", listed(&strip(out), "the pattern", "the patterns"));
                vec![Change { summary, edit: edited(strip(kept)) }]
            }
            Some(target) if target == self.rule.decision && self.rule.any => {
                let pattern = regex::escape(candidate.url.as_str());
                let mut patterns = self.rule.patterns.clone();
                patterns.push(pattern.clone());
                vec![Change { summary: format!("add the pattern {pattern}"), edit: edited(patterns) }]
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::testing::{compiled, decision_of};
    use super::*;
    use crate::campaign::Campaign;
    use crate::scope::DecideRules;

    fn rule(patterns: &[&str], any: bool) -> RegexList {
        let patterns = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        RegexList { patterns, any, decision: Decision::Reject }
    }

    #[test]
    fn one_or_all_have_to_match_the_whole_url() {
        let any = compiled(RuleKind::Regex(rule(&[".*replytocom=.*", ".*/calendar/.*"], true)));
        let all = compiled(RuleKind::Regex(rule(&[".*a.*", ".*b.*"], false)));
        let none = compiled(RuleKind::Regex(rule(&[], false)));
        let part = compiled(RuleKind::Regex(rule(&["calendar"], true)));
        let reject = Some(Decision::Reject);
        assert_eq!(decision_of(&*any, "http://fct.pt/?replytocom=3", "L"), reject);
        assert_eq!(decision_of(&*any, "http://fct.pt/calendar", "L"), None);
        assert_eq!(decision_of(&*all, "http://e.pt/ab", "L"), reject);
        assert_eq!(decision_of(&*all, "http://e.pt/a", "L"), None);
        assert_eq!(decision_of(&*none, "http://e.pt/a", "L"), None);
        assert_eq!(decision_of(&*part, "http://e.pt/calendar", "L"), None);
    }

    #[test]
    fn patterns_that_match_no_whole_url_are_named_with_what_was_meant() {
        for (pattern, meant) in [
            (r"/calendar\?month=", Some(r".*/calendar\?month=.*")),
            ("calendar", Some(".*calendar.*")),
            ("^/a/|/b/$", Some(".*(?:/a/|/b/).*")),
            ("replytocom=.*", Some(".*replytocom=.*")),
            ("ftp://.*", Some(".*ftp://.*")),
            ("http://", Some(".*http://.*")),
            ("www\\.a\\.pt/x", Some(".*www\\.a\\.pt/x.*")),
            (".*calendar.*", None),
            (".*calendar", None),
            ("https?://a\\.pt/.*", None),
            ("[a-z]+://x.*", None),
            (".{512,}", None),
            ("", Some(".*.*")),
            ("(?i)HTTP://A.PT/", None),
        ] {
            let remarks = rule(&[pattern], true).compile().unwrap().remarks();
            assert_eq!(remarks.is_empty(), meant.is_none(), "{pattern}: {remarks:?}");
            let Some(meant) = meant else { continue };
            assert_eq!(remarks[0].hint.as_deref(), Some(format!("to look for a part, write {meant}").as_str()));
            assert!(may_match_url(meant), "{meant}");
        }
    }

    #[test]
    fn long_urls_can_be_refused() {
        let long = compiled(RuleKind::Regex(rule(&[".{512,}"], true)));
        assert_eq!(decision_of(&*long, &format!("http://fct.pt/{}", "a".repeat(600)), "L"), Some(Decision::Reject));
        assert_eq!(decision_of(&*long, "http://fct.pt/", "L"), None);
    }

    #[test]
    fn patterns_of_all_rules_together_are_bounded() {
        let large = rule(&["[a-z]{150000}"], true);
        let bytes = large.compile().unwrap().pattern_bytes();
        assert_eq!(bytes, 16 << 20);
        assert!(rule(&[".*replytocom=.*", ".{512,}"], true).compile().unwrap().pattern_bytes() <= 1 << 20);
        let of = |count| {
            let rules = vec![serde_json::to_value(RuleKind::Regex(large.clone())).unwrap(); count];
            DecideRules::compile(&Campaign { rules, ..Campaign::default() })
        };
        assert!(of(8).is_ok());
        let error = of(9).unwrap_err();
        assert_eq!((error.index, error.rule.as_str()), (8, "regex"));
        assert!(error.why.contains("take more than 128 MiB of memory; write fewer or simpler ones"), "{}", error.why);
        // One alone is refused as before, and a stray parenthesis with its own words.
        let why = rule(&["[a-z]{3000000}"], true).compile().unwrap_err();
        assert!(why.contains("too many or too large together"), "{why}");
        assert!(rule(&["a)(b"], true).compile().unwrap_err().contains("the pattern “a)(b” is broken"));
    }

    #[test]
    fn a_part_is_found_wherever_the_whole_would_match() {
        let patterns = [
            ".*id=1.*",
            ".*",
            ".*.*",
            "",
            ".*?a",
            ".*+",
            ".*{2}",
            "a.*",
            ".*a",
            ".*a|b.*",
            ".*(a|b).*",
            ".*[(]a|b.*",
            ".*\\.*",
            "a\\.*",
            "a\\\\.*",
            ".*(a|b)|c.*",
            "(?x) .*a # .*",
            "(?s).*",
            ".*(?i)A.*",
            ".*\\|a.*",
            "x.*|.*y",
            ".*[.*",
            ".*a{0,2}b.*",
            ".*^h.*",
            ".*a$.*",
            ".*(.*",
            ".*\\(a|b.*",
            ".*\\.\\..*",
            ".*\\<a.*",
            ".*\\x61.*",
            ".*c]t.*",
            ".*\u{e7}.*",
        ];
        let texts =
            ["http://a/", "http://fct.pt/?id=1", "http://b/c", "a", "b", "a..", "a\\x", "|a", "ya", "xb", "(a|b", ""];
        for pattern in patterns {
            let (Ok(whole), Ok(part)) = (whole(pattern), regex::bytes::Regex::new(&anchored_in_url(pattern))) else {
                assert!(whole(pattern).is_err(), "{pattern}");
                continue;
            };
            for text in texts.map(str::as_bytes) {
                assert_eq!(whole.0.is_match(text), part.is_match(text), "{pattern} {text:?}");
                let quick = Quick::of(&[anchored_in_url(pattern), "no word$".to_owned()]).unwrap();
                assert!(quick.is_none_or(|quick| quick.is_match(text) == whole.0.is_match(text)), "{pattern} {text:?}");
            }
        }
    }

    #[test]
    fn broken_patterns_are_named() {
        for pattern in ["(", "a)(b", "*x", "(?<n>a)\\k<n>"] {
            let error = rule(&["ok", pattern], true).compile().unwrap_err();
            assert!(error.contains(pattern), "{error}");
        }
    }
}
