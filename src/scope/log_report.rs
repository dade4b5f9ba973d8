//! Report of the hosts that one rule let in, out of a scope log of any length.
//!
//! A question of the British Library to 89.5 million lines: the distinct hosts
//! that geolocation ruled in outside the own top-level domains. Read are our
//! own logs, Heritrix's (with and without JSON behind the URL), and crawl.log
//! lines whose JSON has `scopeDecision`.
//!
//! A chain of `grep`, `cut` and `sort -u` goes wrong in ways that this does
//! not: `shop.uk:8080` is a host under `.uk`, and the same host as `shop.uk`;
//! `http://a.com/?to=b.uk` is not; a user name, upper case and a final dot are
//! no part of a host; `uk.com` is not under `.uk`.

use super::domains::Domains;
use super::host_runs::{HostRuns, HostTally};
use super::log_lines::{LoggedDecision, decision_of};
use crate::jobs::{Cancelled, JobCx};
use crate::uri::Fqdn;
use serde::Serialize;
use std::io::{self, Read};

/// The rule that lets in by country, as logs name it.
pub const GEOLOCATION_RULE: &str = "ExternalGeoLocationDecideRule";

/// A longer line is no line of a log; it is counted, not read.
const MAX_LINE_BYTES: usize = 1024 * 1024;

/// Bytes read of a file at once.
const READ_BYTES: usize = 256 * 1024;

/// Unread lines that are kept as examples.
const EXAMPLES: usize = 20;

/// Names of rules that are counted apart; a log has a dozen or two.
const MAX_RULES: usize = 1_000;

/// A question to a log: which hosts a rule let in, beyond those that are expected.
#[derive(Debug, Clone)]
pub struct LogQuestion {
    /// The rule, as the log names it.
    pub rule: String,
    /// Domains whose hosts are expected anyway, such as `uk`, and left out.
    pub own: Domains,
    /// Whether look-ups of names (`dns:` URLs), which fetch no page, count as
    /// decisions and their names as hosts.
    pub with_dns: bool,
    /// Bytes that hosts may take in memory before they go to a temporary file.
    pub memory_bytes: usize,
}

/// A host that the rule let in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LoggedHost {
    /// Its name, without port.
    pub host: String,
    /// Lines of the log that let a URL of it in; a URL may be in several.
    pub decisions: u64,
    /// The first of these URLs.
    pub first_url: String,
}

/// Counts over all lines of a log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LogTotals {
    /// Lines read, empty ones not counted.
    pub lines: u64,
    /// Lines of `dns:` URLs, which are not in the numbers below unless requested.
    pub dns: u64,
    /// Decisions to accept.
    pub accepted: u64,
    /// Decisions to reject.
    pub rejected: u64,
    /// Lines of the rule that let a URL in.
    pub by_rule_accepted: u64,
    /// Of these, lines of hosts under the own domains.
    pub under_own: u64,
    /// Of these, lines of hosts elsewhere.
    pub elsewhere: u64,
    /// Distinct hosts elsewhere.
    pub hosts: u64,
    /// Registrable domains of these hosts, by the public suffix list.
    pub domains: u64,
    /// Lines of the rule whose URL names no host.
    pub without_host: u64,
    /// Lines that are no decision.
    pub unread: u64,
    /// The first of them: where, and why.
    pub unread_examples: Vec<String>,
    /// Decisions of each rule: name, accepted, rejected; most lines first.
    pub rules: Vec<(String, u64, u64)>,
    /// Times that hosts went to a temporary file.
    pub spills: u64,
}

/// Reads logs and gathers hosts.
#[derive(Debug)]
pub struct LogReport {
    question: LogQuestion,
    totals: LogTotals,
    hosts: HostRuns,
    /// Index in `totals.rules` of the last line's rule: mostly the next one's too.
    last_rule: usize,
}

/// Why a log could not be read to its end.
#[derive(Debug, thiserror::Error)]
pub enum LogReportError {
    /// The file, or a temporary one, failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A person stopped it.
    #[error(transparent)]
    Stopped(#[from] Cancelled),
}

impl LogReport {
    /// Nothing read yet.
    pub fn new(question: LogQuestion) -> Self {
        let hosts = HostRuns::new(question.memory_bytes);
        Self { question, totals: LogTotals::default(), hosts, last_rule: 0 }
    }

    /// Reads a log; `name` is its name in the examples. Progress is counted in
    /// bytes of `log`.
    pub fn read(&mut self, name: &str, mut log: impl Read, cx: &JobCx) -> Result<(), LogReportError> {
        let mut buffer = vec![0; READ_BYTES];
        // Bytes at the begin of the buffer that await the end of their line.
        let (mut filled, mut number, mut overlong) = (0, 0, false);
        loop {
            let count = log.read(&mut buffer[filled..])?;
            cx.advance(count as u64)?;
            let end = filled + count;
            let mut begin = 0;
            for newline in memchr::memchr_iter(b'\n', &buffer[filled..end]) {
                let newline = filled + newline;
                number += 1;
                if overlong {
                    self.unread(name, number, "the line is too long");
                    overlong = false;
                } else {
                    self.line(name, number, &buffer[begin..newline])?;
                }
                begin = newline + 1;
            }
            if count == 0 {
                if overlong {
                    self.unread(name, number + 1, "the line is too long");
                } else if begin < end {
                    self.line(name, number + 1, &buffer[begin..end])?;
                }
                return Ok(());
            }
            buffer.copy_within(begin..end, 0);
            filled = end - begin;
            if filled == buffer.len() {
                if filled < MAX_LINE_BYTES {
                    buffer.resize(filled * 2, 0);
                } else {
                    (filled, overlong) = (0, true);
                }
            } else if overlong {
                filled = 0;
            }
        }
    }

    fn line(&mut self, name: &str, number: u64, line: &[u8]) -> io::Result<()> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            return Ok(());
        }
        let decision = match decision_of(line) {
            Ok(decision) => decision,
            Err(why) => {
                self.unread(name, number, why);
                return Ok(());
            }
        };
        self.totals.lines += 1;
        if decision.url.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"dns:")) {
            self.totals.dns += 1;
            if !self.question.with_dns {
                return Ok(());
            }
        }
        self.count_rule(&decision);
        if !decision.accepted {
            self.totals.rejected += 1;
            return Ok(());
        }
        self.totals.accepted += 1;
        if decision.rule != self.question.rule.as_bytes() {
            return Ok(());
        }
        self.totals.by_rule_accepted += 1;
        let Some(host) = decision.host() else {
            self.totals.without_host += 1;
            return Ok(());
        };
        if self.question.own.position(&host).is_some() {
            self.totals.under_own += 1;
            return Ok(());
        }
        self.totals.elsewhere += 1;
        self.hosts.add(&host, decision.url)
    }

    fn unread(&mut self, name: &str, number: u64, why: &str) {
        self.totals.lines += 1;
        self.totals.unread += 1;
        if self.totals.unread_examples.len() < EXAMPLES {
            self.totals.unread_examples.push(format!("{name}, line {number}: {why}"));
        }
    }

    fn count_rule(&mut self, decision: &LoggedDecision<'_>) {
        let rules = &mut self.totals.rules;
        let is_it = |rule: &(String, u64, u64)| rule.0.as_bytes() == decision.rule;
        if !rules.get(self.last_rule).is_some_and(is_it) {
            self.last_rule = match rules.iter().position(is_it) {
                Some(at) => at,
                None if rules.len() < MAX_RULES => {
                    rules.push((String::from_utf8_lossy(decision.rule).into_owned(), 0, 0));
                    rules.len() - 1
                }
                None => return,
            };
        }
        if let Some((_, accepted, rejected)) = rules.get_mut(self.last_rule) {
            *if decision.accepted { accepted } else { rejected } += 1;
        }
    }

    /// Passes every host on once, those of a domain together, and returns the
    /// totals.
    pub fn finish<E: From<io::Error>>(self, mut each: impl FnMut(LoggedHost) -> Result<(), E>) -> Result<LogTotals, E> {
        let mut totals = self.totals;
        totals.spills = self.hosts.spills();
        let mut last_domain = String::new();
        self.hosts.merge(|HostTally { host, decisions, first_url }| {
            totals.hosts += 1;
            let name = Fqdn::new(&host);
            if name.registrable() != last_domain {
                totals.domains += 1;
                name.registrable().clone_into(&mut last_domain);
            }
            each(LoggedHost { host, decisions, first_url })
        })?;
        totals.rules.sort_by(|a, b| (b.1 + b.2).cmp(&(a.1 + a.2)).then_with(|| a.0.cmp(&b.0)));
        Ok(totals)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn report(log: &str, own: &[&str]) -> (Vec<(String, u64, String)>, LogTotals) {
        let question = LogQuestion {
            rule: GEOLOCATION_RULE.to_owned(),
            own: Domains::parse(own.iter().copied()).unwrap(),
            with_dns: false,
            memory_bytes: 1_000_000,
        };
        let mut report = LogReport::new(question);
        report.read("scope.log", log.as_bytes(), &JobCx::detached()).unwrap();
        let mut hosts = Vec::new();
        let totals = report
            .finish(|host| {
                hosts.push((host.host, host.decisions, host.first_url));
                io::Result::Ok(())
            })
            .unwrap();
        (hosts, totals)
    }

    fn geo(urls: &[&str]) -> String {
        let line = |url: &&str| format!("2014-11-05T10:17:39.790Z 4 {GEOLOCATION_RULE} ACCEPT {url}\n");
        urls.iter().map(line).collect()
    }

    #[test]
    fn hosts_outside_the_own_domains_are_listed_once() {
        let mut log = geo(&[
            "http://shop.uk:8080/",
            "http://uk.com/",
            "http://a.com/?to=b.uk",
            "http://www.a.com/",
            "HTTP://WWW.A.com:8080/x",
            "http://user@a.com./",
            "http://bbc.co.uk/",
            "http://UK/",
            "mailto:a@b.c",
        ]);
        log.push_str("2014-11-05T10:17:39.790Z 0 RejectDecideRule REJECT http://b.com/\r\n\n");
        log.push_str("2014-11-05T10:17:39.790Z 1 SurtPrefixedDecideRule ACCEPT http://c.com/\nnonsense\n");
        log.push_str("2014-11-05T10:17:39.790Z 4 ExternalGeoLocationDecideRule REJECT http://d.com/");
        let (hosts, totals) = report(&log, &[".UK"]);
        let expected = [
            ("a.com", 2, "http://a.com/?to=b.uk"),
            ("www.a.com", 2, "http://www.a.com/"),
            ("uk.com", 1, "http://uk.com/"),
        ];
        assert_eq!(hosts, expected.map(|(host, lines, url)| (host.to_owned(), lines, url.to_owned())));
        assert_eq!((totals.lines, totals.accepted, totals.rejected, totals.unread), (13, 10, 2, 1));
        assert_eq!((totals.by_rule_accepted, totals.under_own, totals.elsewhere, totals.without_host), (9, 3, 5, 1));
        assert_eq!((totals.hosts, totals.domains), (3, 2));
        assert_eq!(totals.unread_examples, ["scope.log, line 13: the line has one word only"]);
        assert_eq!(totals.rules[0], (GEOLOCATION_RULE.to_owned(), 9, 1));
        assert_eq!(report(&log, &[]).1.hosts, 6);
    }

    #[test]
    fn lines_of_any_length_and_files_cut_anywhere_are_read() {
        let long = format!("http://long.com/{}", "a".repeat(MAX_LINE_BYTES - 200));
        let too_long = format!("http://toolong.com/{}", "a".repeat(3 * MAX_LINE_BYTES));
        let log = geo(&["http://a.com/", &long, &too_long, "http://b.com/"]);
        let (hosts, totals) = report(&log, &[]);
        let names: Vec<&str> = hosts.iter().map(|(host, ..)| host.as_str()).collect();
        assert_eq!(names, ["a.com", "b.com", "long.com"]);
        assert_eq!((totals.lines, totals.unread), (4, 1));
        assert_eq!(totals.unread_examples, ["scope.log, line 3: the line is too long"]);
        let short = geo(&["http://a.com/", "http://b.com/"]);
        for end in 0..=short.len() {
            let (_, totals) = report(&short[..end], &[]);
            let whole = short[..end].lines().filter(|line| !line.is_empty()).count() as u64;
            assert_eq!(totals.lines, whole, "{end}");
        }
    }

    #[test]
    fn the_lines_that_the_british_library_published() {
        let read = |name: &str| crate::testing::data_text(&format!("logs/{name}"));
        let (Some(scope), Some(crawl)) = (read("scope-seed001.log"), read("h3-crawl-scopeDecision.log")) else {
            return;
        };
        let (hosts, totals) = report(&scope, &["uk"]);
        assert_eq!(hosts, [("www.jaymoy.com".to_owned(), 1, "http://www.jaymoy.com/".to_owned())]);
        assert_eq!((totals.lines, totals.rejected, totals.unread), (3, 2, 0));
        // A crawl.log has decisions too, where its JSON does.
        let (_, totals) = report(&crawl, &["uk"]);
        println!("crawl.log: {} decisions, {} lines without one", totals.accepted, totals.unread);
        assert!(
            totals.accepted > 60 && totals.accepted + totals.rejected + totals.unread + totals.dns == totals.lines,
            "{totals:?}"
        );
        assert!(totals.rules.iter().any(|(rule, ..)| rule == "PrerequisiteAcceptDecideRule"));
    }
}
