//! Lines of `scope.log`, in Heritrix's format.

use super::{Candidate, Decision, Verdict};
use crate::uri::{CaptureDate, DateError};
use serde_json::{Map, Value};
use std::fmt;

/// One decision as the log has it:
/// `2014-11-05T10:17:39.790Z 4 ExternalGeoLocationDecideRule ACCEPT http://www.jaymoy.com/`
/// and, on request, a JSON object with `hopPath`, `via`, `seed` and `host`.
#[derive(Debug, Clone, PartialEq)]
pub struct ScopeLine {
    /// When it was decided.
    pub date: CaptureDate,
    /// Index, name and decision of the rule. A verdict without a rule
    /// has index -1.
    pub verdict: Verdict,
    /// The URL as the log has it.
    pub url: String,
    /// What else is known.
    pub extra: Option<Map<String, Value>>,
}

/// A line that is no line of a scope log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScopeLineError {
    /// The first word is no date.
    #[error(transparent)]
    Date(#[from] DateError),
    /// The line ends too early.
    #[error("the line has {0} of 5 parts: date, rule index, rule, decision, URL")]
    Short(usize),
    /// The second word is no index.
    #[error("“{0}” is no rule index; a number from 0 is expected, or -1 where no rule spoke")]
    Index(String),
    /// The fourth word is no decision.
    #[error("“{0}” is no decision; ACCEPT or REJECT is expected")]
    Decision(String),
}

impl ScopeLine {
    /// The line of a decision, with hop path, via, seed and host behind it.
    pub fn of(candidate: &Candidate, verdict: &Verdict, date: CaptureDate) -> Self {
        let text = |value: Option<&str>| value.map_or(Value::Null, Value::from);
        let mut extra = Map::new();
        extra.insert("hopPath".to_owned(), Value::from(candidate.hops.as_str()));
        extra.insert("via".to_owned(), text(candidate.via.as_ref().map(|via| via.as_str())));
        extra.insert("seed".to_owned(), text(candidate.seed.as_deref()));
        extra.insert("host".to_owned(), text(candidate.url.host_str()));
        Self { date, verdict: verdict.clone(), url: candidate.url.to_string(), extra: Some(extra) }
    }

    /// Reads one line, without its line end.
    pub fn parse(line: &str) -> Result<Self, ScopeLineError> {
        let line = line.trim_end_matches(['\r', '\n']);
        let parts: Vec<&str> = line.splitn(5, ' ').collect();
        let [date, index, rule, decision, rest] = parts.as_slice() else {
            return Err(ScopeLineError::Short(parts.iter().filter(|part| !part.is_empty()).count()));
        };
        let date = CaptureDate::parse(date)?;
        let rule_index = match *index {
            "-1" => None,
            digits => Some(digits.parse().map_err(|_| ScopeLineError::Index(digits.to_owned()))?),
        };
        let decision = match *decision {
            "ACCEPT" => Decision::Accept,
            "REJECT" => Decision::Reject,
            other => return Err(ScopeLineError::Decision(other.to_owned())),
        };
        let (url, extra) = split_extra(rest);
        let verdict = Verdict { decision, rule_index, rule_name: (*rule).to_owned() };
        Ok(Self { date, verdict, url: url.to_owned(), extra })
    }
}

/// Cuts a JSON object off the end, if it is one.
pub(crate) fn split_extra(rest: &str) -> (&str, Option<Map<String, Value>>) {
    if rest.ends_with('}') {
        for (at, _) in rest.match_indices(" {") {
            if let Ok(extra) = serde_json::from_str(&rest[at + 1..]) {
                return (&rest[..at], Some(extra));
            }
        }
    }
    (rest, None)
}

impl fmt::Display for ScopeLine {
    /// Writes the line without its line end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.date.to_log())?;
        match self.verdict.rule_index {
            Some(index) => write!(f, "{index}")?,
            None => f.write_str("-1")?,
        }
        write!(f, " {} {} {}", self.verdict.rule_name, self.verdict.decision.as_str(), self.url)?;
        match &self.extra {
            Some(extra) => write!(f, " {}", serde_json::to_string(extra).map_err(|_| fmt::Error)?),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn round_trip(line: &str) -> ScopeLine {
        let parsed = ScopeLine::parse(line).unwrap();
        assert_eq!(parsed.to_string(), line);
        parsed
    }

    #[test]
    fn published_lines_come_back() {
        let line = round_trip("2014-11-05T10:17:39.790Z 4 ExternalGeoLocationDecideRule ACCEPT http://www.jaymoy.com/");
        assert_eq!(line.verdict.rule_index, Some(4));
        assert_eq!(line.verdict.decision, Decision::Accept);
        assert_eq!(line.url, "http://www.jaymoy.com/");
        round_trip("2014-11-05T10:17:39.790Z 0 RejectDecideRule REJECT https://t.co/Sz15mxnvtQ");
        let line = round_trip(
            "2014-11-05T10:17:39.790Z 12 PrerequisiteAcceptDecideRule ACCEPT dns:example.org \
             {\"hopPath\":\"LP\",\"via\":\"http://example.org/\",\"seed\":\"http://example.org/\",\"host\":\"example.org\"}",
        );
        assert_eq!(line.url, "dns:example.org");
        assert_eq!(line.extra.unwrap()["hopPath"], "LP");
        round_trip("2014-11-05T10:17:39.790Z -1 DecideRuleSequence REJECT http://a.pt/{x}");
    }

    #[test]
    fn published_file_comes_back() {
        let Some(text) = crate::testing::data_text("logs/scope-seed001.log") else { return };
        let lines: Vec<&str> = text.lines().collect();
        lines.iter().for_each(|line| {
            round_trip(line);
        });
        println!("scope.log lines: {}", lines.len());
    }

    #[test]
    fn own_lines_come_back() {
        let url = crate::uri::Url::parse("http://fct.pt/a?b={1}").unwrap();
        let candidate = Candidate { hops: "LE".to_owned(), ..Candidate::bare(url) };
        let verdict =
            Verdict { decision: Decision::Reject, rule_index: None, rule_name: super::super::NO_RULE.to_owned() };
        let line = ScopeLine::of(&candidate, &verdict, CaptureDate::from_millis(1_415_182_659_790));
        assert_eq!(ScopeLine::parse(&line.to_string()).unwrap(), line);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, expected) in [
            ("", "the line has 0 of 5 parts: date, rule index, rule, decision, URL"),
            (
                "2014-11-05T10:17:39.790Z 4 Rule ACCEPT",
                "the line has 4 of 5 parts: date, rule index, rule, decision, URL",
            ),
            (
                "2014-11-05T10:17:39.790Z x Rule ACCEPT u",
                "“x” is no rule index; a number from 0 is expected, or -1 where no rule spoke",
            ),
            ("2014-11-05T10:17:39.790Z 4 Rule NONE u", "“NONE” is no decision; ACCEPT or REJECT is expected"),
        ] {
            assert_eq!(ScopeLine::parse(line).unwrap_err().to_string(), expected);
        }
        assert!(matches!(ScopeLine::parse("today 4 Rule ACCEPT u"), Err(ScopeLineError::Date(_))));
    }
}
