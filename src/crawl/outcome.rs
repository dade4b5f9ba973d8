//! The outcome of a URL in one sentence, with its remedy.
//!
//! In: what the ledger or a capture has about it. Out: a [`UrlOutcome`], the
//! one text that tables, panels and the command line show.
//!
//! Invariants: a URL without a response is never called accepted or fetched.

use crate::exchange::{TLS_MARK, fetch_status};
use crate::scope::{MAX_REDIRECTS, NO_RULE, PRIVATE_ADDRESS_RULE, REFUSED_PERMISSION, TOO_MANY_REDIRECTS, rule_label};
use crate::uri::Url;
use serde::{Deserialize, Serialize};

/// The state of a URL in the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SeenState {
    /// It waits for its turn.
    Queued,
    /// A rule, robots.txt or a setting refused it.
    Refused,
    /// The server answered.
    Fetched,
    /// It got no answer.
    Failed,
}

impl SeenState {
    /// The name of the state in lists and files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Refused => "refused",
            Self::Fetched => "fetched",
            Self::Failed => "failed",
        }
    }
}

/// The facts that the ledger has about a URL.
#[derive(Debug, Clone, Copy)]
pub struct SeenFacts<'a> {
    /// Its state.
    pub state: SeenState,
    /// Index of the deciding rule, if a rule decided.
    pub rule_index: Option<usize>,
    /// Class name of the deciding rule.
    pub rule_name: &'a str,
    /// HTTP status, or one of Heritrix's negative codes; 0 before a fetch.
    pub fetch_status: i32,
    /// The note of the crawl about it; may be empty.
    pub why: &'a str,
}

/// The sort of an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutcomeKind {
    /// The server answered, well or with a redirect.
    Fetched,
    /// The response was cut off.
    Truncated,
    /// The server answered with an error.
    HttpError,
    /// It waits in the queue.
    Queued,
    /// It waits in the queue after a failed attempt.
    Retrying,
    /// A scope rule refused it.
    RefusedByRule,
    /// robots.txt forbids it.
    RefusedByRobots,
    /// Its address is private or local.
    PrivateAddress,
    /// Another setting of the crawl refused it.
    RefusedBySetting,
    /// A limit of the crawl was reached first.
    OverLimit,
    /// robots.txt of its host could not be read.
    RobotsUnreachable,
    /// Its host name could not be resolved.
    NotResolved,
    /// No connection to its server.
    NotConnected,
    /// No secure connection to its server.
    TlsFailed,
    /// The connection was closed before a response.
    ConnectionLost,
    /// No response in time.
    TimedOut,
    /// The response is not HTTP, or could not be stored.
    Unreadable,
    /// It failed in another way.
    Failed,
}

/// The class of an outcome, from good to failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutcomeClass {
    /// As wished.
    Good,
    /// Fetched, but not as wished.
    Problem,
    /// Not known yet.
    Waiting,
    /// Refused on purpose.
    Refused,
    /// Failed.
    Failed,
}

impl OutcomeKind {
    /// The class of the outcome.
    pub fn class(self) -> OutcomeClass {
        match self {
            Self::Fetched => OutcomeClass::Good,
            Self::Truncated | Self::HttpError => OutcomeClass::Problem,
            Self::Queued | Self::Retrying => OutcomeClass::Waiting,
            Self::RefusedByRule
            | Self::RefusedByRobots
            | Self::PrivateAddress
            | Self::RefusedBySetting
            | Self::OverLimit => OutcomeClass::Refused,
            Self::RobotsUnreachable
            | Self::NotResolved
            | Self::NotConnected
            | Self::TlsFailed
            | Self::ConnectionLost
            | Self::TimedOut
            | Self::Unreadable
            | Self::Failed => OutcomeClass::Failed,
        }
    }
}

/// The outcome of a URL, with a sentence and a remedy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UrlOutcome {
    /// Its sort.
    pub kind: OutcomeKind,
    /// A sentence on what happened.
    pub sentence: String,
    /// A sentence on what to do; empty where nothing is to be done.
    pub remedy: String,
    /// The note of the crawl, unchanged; may be empty.
    pub detail: String,
}

impl std::fmt::Display for UrlOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.sentence)?;
        if !self.remedy.is_empty() {
            write!(f, " {}", self.remedy)?;
        }
        Ok(())
    }
}

impl UrlOutcome {
    /// The outcome of a URL of the ledger.
    pub fn of_seen(facts: SeenFacts<'_>) -> Self {
        let outcome = match facts.state {
            SeenState::Fetched if facts.why.starts_with(NOT_FOLLOWED) => new(
                OutcomeKind::Fetched,
                &format!("Fetched: redirect to a URL that is not followed (HTTP {}).", facts.fetch_status),
                "",
            ),
            SeenState::Fetched => Self::of_capture(facts.fetch_status, ""),
            SeenState::Queued if facts.why.is_empty() => new(
                OutcomeKind::Queued,
                "Not fetched yet: waiting in the queue.",
                "If the crawl has ended, resume it; if a limit ended it, raise the limit first (Spec, Limits; campaign file: limits).",
            ),
            SeenState::Queued => new(
                OutcomeKind::Retrying,
                "Not fetched yet: the last attempt failed.",
                "It will be tried again while the crawl runs.",
            ),
            SeenState::Refused => refused(facts),
            SeenState::Failed => failed(facts.fetch_status, facts.why),
        };
        Self { detail: facts.why.to_owned(), ..outcome }
    }

    /// The outcome of a capture, from its HTTP status and `WARC-Truncated`, which
    /// is empty where nothing was cut off.
    pub fn of_capture(status: i32, truncated: &str) -> Self {
        let (kind, sentence, remedy) = match (status, truncated) {
            (..=0, _) => (OutcomeKind::Fetched, "Captured; the record has no HTTP status.".to_owned(), ""),
            (200..=399, "length") => (
                OutcomeKind::Truncated,
                format!("Fetched, but cut off at the size limit (HTTP {status})."),
                "Raise the limit for a response (Spec, Limits; campaign file: limits.max_response_bytes), then crawl again.",
            ),
            (200..=399, "time") => (
                OutcomeKind::Truncated,
                format!("Fetched, but cut off since it came too slowly (HTTP {status})."),
                "Raise the time limit or lower the least rate of a response (Spec, Limits; campaign file: limits.max_response_seconds, limits.min_response_bytes_per_second), then crawl again.",
            ),
            (200..=399, "disconnect" | "unspecified") => (
                OutcomeKind::Truncated,
                format!("Fetched, but the connection ended early (HTTP {status})."),
                "Crawl again later.",
            ),
            (..=299, _) => (OutcomeKind::Fetched, format!("Fetched (HTTP {status})."), ""),
            (304, _) => (OutcomeKind::Fetched, "Fetched: not modified (HTTP 304).".to_owned(), ""),
            (..=399, _) => (OutcomeKind::Fetched, format!("Fetched: redirect to another URL (HTTP {status})."), ""),
            (401 | 403 | 407 | 451, _) => (
                OutcomeKind::HttpError,
                format!("Fetched, but the server denied access (HTTP {status})."),
                "The page may need a login, or the server may block crawlers; contact the site owner.",
            ),
            (404 | 410, _) => (
                OutcomeKind::HttpError,
                format!("Fetched, but the page was not found (HTTP {status})."),
                "Check the URL.",
            ),
            (429, _) => (
                OutcomeKind::HttpError,
                "Fetched, but the server received too many requests (HTTP 429).".to_owned(),
                "Raise the delay (Spec, Politeness; campaign file: politeness.min_delay_ms), then crawl again.",
            ),
            (..=499, _) => (
                OutcomeKind::HttpError,
                format!("Fetched, but the server rejected the request (HTTP {status})."),
                "Open the URL in a browser to check it.",
            ),
            (500.., _) => (
                OutcomeKind::HttpError,
                format!("Fetched, but the server reported an error (HTTP {status})."),
                "Crawl again later.",
            ),
        };
        new(kind, &sentence, remedy)
    }
}

fn new(kind: OutcomeKind, sentence: &str, remedy: &str) -> UrlOutcome {
    UrlOutcome { kind, sentence: sentence.to_owned(), remedy: remedy.to_owned(), detail: String::new() }
}

fn refused(facts: SeenFacts<'_>) -> UrlOutcome {
    if facts.rule_name == PRIVATE_ADDRESS_RULE {
        return new(
            OutcomeKind::PrivateAddress,
            "Not fetched: its address is private or local.",
            "If this site is meant, allow its host or network (Spec, Politeness; campaign file: politeness.allow_private_addresses), then crawl again.",
        );
    }
    if facts.rule_name == TOO_MANY_REDIRECTS {
        return new(
            OutcomeKind::RefusedByRule,
            &format!("Not fetched: more than {MAX_REDIRECTS} redirects in a row led to it."),
            "The redirects may have no end; if this page is meant, add it to the seeds (Spec, Seeds; campaign file: seeds).",
        );
    }
    if facts.rule_name == REFUSED_PERMISSION {
        return new(
            OutcomeKind::RefusedByRule,
            "Refused: a permission says that this must not be crawled.",
            "If that is wrong, correct the record, or switch off that refusals are obeyed (Spec, Permissions; campaign file: grounds.obey_refusals), then crawl again.",
        );
    }
    match facts.fetch_status {
        fetch_status::ROBOTS_PRECLUDED => new(
            OutcomeKind::RefusedByRobots,
            "Not fetched: robots.txt forbids this URL.",
            "Ask the site owner for permission, or change the robots.txt setting (Spec, Politeness; campaign file: politeness.robots).",
        ),
        fetch_status::BLOCKED_BY_SETTING => new(
            OutcomeKind::RefusedBySetting,
            "Not fetched: a setting of the crawl blocks this URL.",
            "Change the setting, then crawl again.",
        ),
        _ => refused_by_rule(facts.rule_index, facts.rule_name),
    }
}

fn refused_by_rule(index: Option<usize>, name: &str) -> UrlOutcome {
    let kind = OutcomeKind::RefusedByRule;
    match index {
        // Counted from 0, as in scope.log.
        Some(index) => new(
            kind,
            &format!("Refused by rule {index}: {}.", rule_label(name)),
            "To collect it, change the rule (Spec, Scope rules; campaign file: rules), then crawl again.",
        ),
        None if name == NO_RULE || name.is_empty() => new(
            kind,
            "Refused: no rule accepts it.",
            "To collect it, add it to the seeds or the scope rules (Spec; campaign file: seeds, rules), then crawl again.",
        ),
        None => new(
            kind,
            &format!("Refused: {}.", rule_label(name)),
            "To collect it, change the scope rules (Spec; campaign file: rules), then crawl again.",
        ),
    }
}

/// Heritrix's codes that this crawler does not give, but logs of others hold.
mod foreign_status {
    pub const DNS_PREREQUISITE_FAILED: i32 = -6;
    pub const EMPTY_RESPONSE: i32 = -404;
    pub const QUOTA: i32 = -5003;
    pub const TIME_LIMIT: i32 = -5004;
}

fn failed(status: i32, why: &str) -> UrlOutcome {
    use foreign_status as foreign;
    let again = "Crawl again later.";
    match status {
        fetch_status::DNS_FAILED | foreign::DNS_PREREQUISITE_FAILED => new(
            OutcomeKind::NotResolved,
            "Not fetched: the host name could not be resolved.",
            "Check the spelling, or crawl again when the network is up.",
        ),
        fetch_status::CONNECT_FAILED if why.contains(TLS_MARK) => new(
            OutcomeKind::TlsFailed,
            "Not fetched: no secure connection (TLS) to the server.",
            "Check in a browser whether the site works with https, or try its http URL.",
        ),
        fetch_status::CONNECT_FAILED => new(
            OutcomeKind::NotConnected,
            "Not fetched: no connection to the server.",
            "Check host and port, or crawl again when the server is up.",
        ),
        fetch_status::CONNECT_LOST | foreign::EMPTY_RESPONSE => {
            new(OutcomeKind::ConnectionLost, "Not fetched: the server closed the connection without a response.", again)
        }
        fetch_status::TIMEOUT => new(OutcomeKind::TimedOut, "Not fetched: the server did not respond in time.", again),
        fetch_status::RUNTIME_EXCEPTION => new(
            OutcomeKind::Failed,
            "Not fetched: an internal error of the crawler ended it.",
            "Report the URL and the recorded error, then crawl again with a newer version.",
        ),
        fetch_status::UNFETCHABLE if why.starts_with(NOT_STORED) => new(
            OutcomeKind::Unreadable,
            "Not fetched: the response could not be stored.",
            "Check the free disk space, then crawl again.",
        ),
        fetch_status::UNFETCHABLE => new(
            OutcomeKind::Unreadable,
            "Not fetched: the response is not valid HTTP.",
            "Check in a browser whether this is a website.",
        ),
        fetch_status::ROBOTS_PREREQUISITE_FAILED => robots_failed(why),
        fetch_status::OUT_OF_SCOPE => refused_by_rule(None, ""),
        fetch_status::BLOCKED_BY_SETTING | fetch_status::ROBOTS_PRECLUDED => {
            refused(SeenFacts { state: SeenState::Refused, rule_index: None, rule_name: "", fetch_status: status, why })
        }
        foreign::QUOTA | foreign::TIME_LIMIT => new(
            OutcomeKind::OverLimit,
            "Not fetched: a limit of the crawl was reached.",
            "Raise the limit (Spec, Limits; campaign file: limits), then crawl again.",
        ),
        fetch_status::TOO_MANY_RETRIES => new(
            OutcomeKind::Failed,
            "Not fetched: the server asked to wait too many times in a row.",
            "Raise the delay (Spec, Politeness; campaign file: politeness.min_delay_ms), then retry the failed URLs.",
        ),
        _ => new(OutcomeKind::Failed, &format!("Not fetched: the crawl failed on it (status {status})."), again),
    }
}

/// Begin of the note on a response that cannot be written.
pub(super) const NOT_STORED: &str = "the answer cannot be kept";

/// Begin of the note on a redirect to a URL that cannot be fetched.
const NOT_FOLLOWED: &str = "not followed: ";

/// The note on a redirect to a URL that cannot be fetched.
pub(super) fn not_followed(target: &Url) -> String {
    format!("{NOT_FOLLOWED}{target} (only http and https can be fetched)")
}

/// The note on a URL whose host gave no robots.txt, with the status of that.
pub(super) fn robots_unreachable(status: i32) -> String {
    format!("robots.txt of the host could not be had (status {status})")
}

/// Of a URL whose host gave no robots.txt the reason for that counts.
fn robots_failed(why: &str) -> UrlOutcome {
    let status = why.rsplit_once("(status ").and_then(|(_, rest)| rest.trim_end_matches(')').parse::<i32>().ok());
    match status {
        Some(status) if status < 0 && status != fetch_status::ROBOTS_PREREQUISITE_FAILED => failed(status, ""),
        _ => {
            let status = status.filter(|status| *status > 0).map(|status| format!(" (HTTP {status})"));
            new(
                OutcomeKind::RobotsUnreachable,
                &format!("Not fetched: robots.txt of the host could not be read{}.", status.unwrap_or_default()),
                "Crawl again later, or change the robots.txt setting (Spec, Politeness; campaign file: politeness.robots).",
            )
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(state: SeenState, rule: (Option<usize>, &str), status: i32, why: &str, expected: &str) {
        let facts = SeenFacts { state, rule_index: rule.0, rule_name: rule.1, fetch_status: status, why };
        let outcome = UrlOutcome::of_seen(facts);
        assert_eq!(outcome.sentence, expected);
        let is_good = outcome.kind.class() == OutcomeClass::Good;
        assert!(is_good || !outcome.remedy.is_empty(), "{outcome:?}");
        assert!(
            !outcome.to_string().contains("DecideRule") && !outcome.to_string().to_lowercase().contains("accepted")
        );
        if state != SeenState::Fetched {
            assert!(
                outcome.sentence.starts_with("Not fetched") || outcome.sentence.starts_with("Refused"),
                "{outcome}"
            );
        }
    }

    #[test]
    fn each_end_of_a_url_has_its_sentence() {
        use SeenState::{Failed, Fetched, Queued, Refused};
        // In scope by a rule, which is no outcome.
        let seed = (Some(1), "SeedScopeDecideRule");
        check(Queued, seed, 0, "", "Not fetched yet: waiting in the queue.");
        check(Queued, seed, 0, "no connection to 192.0.2.1:80: refused", "Not fetched yet: the last attempt failed.");
        check(Fetched, seed, 200, "", "Fetched (HTTP 200).");
        check(Fetched, seed, 301, "", "Fetched: redirect to another URL (HTTP 301).");
        let elsewhere = not_followed(&Url::parse("file:///etc/passwd").unwrap());
        check(Fetched, seed, 302, &elsewhere, "Fetched: redirect to a URL that is not followed (HTTP 302).");
        let chain = (None, TOO_MANY_REDIRECTS);
        check(Refused, chain, 0, "", "Not fetched: more than 20 redirects in a row led to it.");
        check(Fetched, seed, 403, "", "Fetched, but the server denied access (HTTP 403).");
        check(Fetched, seed, 404, "", "Fetched, but the page was not found (HTTP 404).");
        check(Fetched, seed, 429, "", "Fetched, but the server received too many requests (HTTP 429).");
        check(Fetched, seed, 503, "", "Fetched, but the server reported an error (HTTP 503).");
        check(Failed, seed, -1, "no such host", "Not fetched: the host name could not be resolved.");
        check(Failed, seed, -2, "no connection to 192.0.2.1:80: refused", "Not fetched: no connection to the server.");
        let tls = "no connection to 192.0.2.1:443: TLS: received fatal alert";
        check(Failed, seed, -2, tls, "Not fetched: no secure connection (TLS) to the server.");
        check(Failed, seed, -3, "", "Not fetched: the server closed the connection without a response.");
        check(Failed, seed, -4, "", "Not fetched: the server did not respond in time.");
        let defect = "Not fetched: an internal error of the crawler ended it.";
        check(Failed, seed, -5, "internal error: index out of bounds", defect);
        check(Failed, seed, -7, "the answer is no HTTP", "Not fetched: the response is not valid HTTP.");
        check(Failed, seed, -7, "the answer cannot be kept: full", "Not fetched: the response could not be stored.");
        // Where no robots.txt was had, the reason for that counts.
        check(Failed, seed, -61, &robots_unreachable(-1), "Not fetched: the host name could not be resolved.");
        let unreadable = "Not fetched: robots.txt of the host could not be read";
        check(Failed, seed, -61, &robots_unreachable(503), &format!("{unreadable} (HTTP 503)."));
        check(Failed, seed, -61, "", &format!("{unreadable}."));
        check(Failed, seed, -5003, "", "Not fetched: a limit of the crawl was reached.");
        check(Refused, (Some(5), "MatchesListRegexDecideRule"), 0, "", "Refused by rule 5: URL pattern.");
        check(Refused, (None, NO_RULE), 0, "", "Refused: no rule accepts it.");
        check(Refused, (Some(10), "RobotsDecideRule"), -9998, "", "Not fetched: robots.txt forbids this URL.");
        let guard = (None, PRIVATE_ADDRESS_RULE);
        check(Refused, guard, -5001, "127.0.0.1", "Not fetched: its address is private or local.");
    }

    #[test]
    fn a_truncated_capture_names_its_limit() {
        let cut = UrlOutcome::of_capture(200, "length");
        assert_eq!((cut.kind, cut.sentence.contains("size limit")), (OutcomeKind::Truncated, true));
        assert_eq!(UrlOutcome::of_capture(404, "length").kind, OutcomeKind::HttpError);
        assert_eq!(UrlOutcome::of_capture(0, "").sentence, "Captured; the record has no HTTP status.");
    }
}
