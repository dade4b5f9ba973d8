//! Parser of decisions out of log lines, without a copy.
//!
//! [`ScopeLine`](super::ScopeLine) reads every part of a line; this reads what
//! a count over a hundred million lines needs.

use crate::uri::{Url, parse_web_url};
use std::borrow::Cow;

/// A decision as its line has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LoggedDecision<'a> {
    /// The deciding rule; empty where the log names none.
    pub rule: &'a [u8],
    /// Whether the URL was let in.
    pub accepted: bool,
    /// The URL.
    pub url: &'a [u8],
}

/// Reads a line, without its end. `Err` is the reason why it is no decision.
pub(super) fn decision_of(line: &[u8]) -> Result<LoggedDecision<'_>, &'static str> {
    let (date, rest) = cut(line).ok_or("the line has one word only")?;
    if !is_date(date) {
        return Err("the line does not begin with a date");
    }
    let (second, after) = cut(rest).ok_or("the line ends after its date")?;
    // `<time> ACCEPT <uri>` is the log that a scope wrote before rules were named.
    if let Some(accepted) = opinion_of(second) {
        return Ok(LoggedDecision { rule: b"", accepted, url: url_of(after) });
    }
    if let Some((rule, after)) = cut(after)
        && let Some((decision, after)) = cut(after)
        && let Some(accepted) = opinion_of(decision)
    {
        return Ok(LoggedDecision { rule, accepted, url: url_of(after) });
    }
    in_crawl_log(line).ok_or("the line holds no decision: neither scope.log nor crawl.log with scopeDecision")
}

fn opinion_of(token: &[u8]) -> Option<bool> {
    match token {
        b"ACCEPT" => Some(true),
        // No rule had an opinion: only what is accepted is in scope.
        b"REJECT" | b"NONE" => Some(false),
        _ => None,
    }
}

/// The text before the first blank, and what follows it.
fn cut(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let blank = memchr::memchr(b' ', text)?;
    Some((&text[..blank], &text[blank + 1..]))
}

fn is_date(token: &[u8]) -> bool {
    token.len() >= 14 && token.first().is_some_and(u8::is_ascii_digit)
}

/// The URL before a JSON object, if one follows it.
fn url_of(rest: &[u8]) -> &[u8] {
    if rest.ends_with(b"}") {
        return memchr::memmem::find(rest, b" {\"").map_or(rest, |at| &rest[..at]);
    }
    rest
}

/// `… "scopeDecision":"ACCEPT by rule #4 ExternalGeoLocationDecideRule" …` in
/// the JSON behind the twelve columns of a crawl.log.
fn in_crawl_log(line: &[u8]) -> Option<LoggedDecision<'_>> {
    const KEY: &[u8] = b"\"scopeDecision\":\"";
    let json = memchr::memmem::find(line, b" {\"")?;
    let at = json + memchr::memmem::find(&line[json..], KEY)? + KEY.len();
    let quoted = &line[at..at + memchr::memchr(b'"', &line[at..])?];
    let (decision, quoted) = cut(quoted)?;
    let rule = quoted.rsplit(|&byte| byte == b' ').next().unwrap_or_default();
    let mut columns = line.split(|&byte| byte == b' ').filter(|column| !column.is_empty());
    Some(LoggedDecision { rule, accepted: opinion_of(decision)?, url: columns.nth(3)? })
}

impl<'a> LoggedDecision<'a> {
    /// The host of the URL in lower case, without user, port and final dot.
    pub(super) fn host(&self) -> Option<Cow<'a, str>> {
        let plain = authority(self.url).map(host_of).filter(|host| {
            let is_usual = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
            !host.is_empty() && host.iter().all(is_usual)
        });
        match plain.and_then(|host| std::str::from_utf8(host).ok()) {
            Some(host) if !host.bytes().any(|byte| byte.is_ascii_uppercase()) => Some(Cow::Borrowed(host)),
            Some(host) => Some(Cow::Owned(host.to_ascii_lowercase())),
            // Letters beyond ASCII, escapes, IPv6: the standard's parser knows.
            None => self.parsed_host().map(Cow::Owned),
        }
    }

    fn parsed_host(&self) -> Option<String> {
        let text = String::from_utf8_lossy(self.url);
        let url: Url = parse_web_url(&text).or_else(|| Url::parse(&text).ok())?;
        Some(url.host_str()?.trim_end_matches('.').to_ascii_lowercase()).filter(|host| !host.is_empty())
    }
}

/// The text between `://` and the path; what follows `dns:`.
fn authority(url: &[u8]) -> Option<&[u8]> {
    let rest = match memchr::memmem::find(url, b"://") {
        Some(at) => &url[at + 3..],
        None => url.strip_prefix(b"dns:")?,
    };
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#' | b'\\' | b' ')).unwrap_or(rest.len());
    Some(&rest[..end])
}

fn host_of(authority: &[u8]) -> &[u8] {
    let host = memchr::memrchr(b'@', authority).map_or(authority, |at| &authority[at + 1..]);
    let host = match memchr::memrchr(b':', host) {
        Some(at) if host[at + 1..].iter().all(u8::is_ascii_digit) => &host[..at],
        _ => host,
    };
    let end = host.iter().rposition(|&byte| byte != b'.').map_or(0, |at| at + 1);
    &host[..end]
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Result<(&str, bool, Option<&str>), &str>) {
        let found = decision_of(line.as_bytes()).map(|decision| {
            let host = decision.host().map(Cow::into_owned);
            (String::from_utf8_lossy(decision.rule).into_owned(), decision.accepted, host)
        });
        let expected = expected.map(|(rule, accepted, host)| (rule.to_owned(), accepted, host.map(str::to_owned)));
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn every_log_that_names_decisions_is_read() {
        let geo = "ExternalGeoLocationDecideRule";
        check(
            "2014-11-05T10:17:39.790Z 4 ExternalGeoLocationDecideRule ACCEPT http://www.jaymoy.com/",
            Ok((geo, true, Some("www.jaymoy.com"))),
        );
        check(
            "2014-11-05T10:17:39.790Z 0 RejectDecideRule REJECT https://t.co/Sz15mxnvtQ",
            Ok(("RejectDecideRule", false, Some("t.co"))),
        );
        check(
            "2014-11-05T10:17:39.790Z 12 PrerequisiteAcceptDecideRule ACCEPT dns:example.org {\"hopPath\":\"LP\"}",
            Ok(("PrerequisiteAcceptDecideRule", true, Some("example.org"))),
        );
        check("2014-11-05T10:17:39.790Z ACCEPT http://a.pt/", Ok(("", true, Some("a.pt"))));
        check(
            "2014-11-05T10:17:39.790Z -1 DecideRuleSequence NONE http://a.pt/",
            Ok(("DecideRuleSequence", false, Some("a.pt"))),
        );
        check(
            "2018-11-26T14:27:48.282Z   404        233 http://acid.matkelly.com/robots.txt P http://acid.matkelly.com/ \
             text/html #002 20181126142747555+280 sha1:YQ - ip:172.19.0.6 {\"contentSize\":380,\
             \"scopeDecision\":\"ACCEPT by rule #14 PrerequisiteAcceptDecideRule\",\"warcFileRecordLength\":1320}",
            Ok(("PrerequisiteAcceptDecideRule", true, Some("acid.matkelly.com"))),
        );
        check("", Err("the line has one word only"));
        check("hello 4 Rule ACCEPT http://a.pt/", Err("the line does not begin with a date"));
        let none = "the line holds no decision: neither scope.log nor crawl.log with scopeDecision";
        check("2018-11-26T14:27:48.282Z 404 233 http://a.pt/robots.txt P", Err(none));
    }

    #[test]
    fn a_host_is_a_name_and_nothing_else() {
        for (url, host) in [
            ("http://shop.uk:8080/a", Some("shop.uk")),
            ("http://shop.uk:/", Some("shop.uk")),
            ("HTTP://Shop.UK./", Some("shop.uk")),
            ("http://me:secret@shop.uk:80/", Some("shop.uk")),
            ("http://me@elsewhere.com@shop.uk/", Some("shop.uk")),
            ("http://a.com?to=b.uk", Some("a.com")),
            ("http://a.com#b.uk", Some("a.com")),
            ("http://a.com\\@b.uk/", Some("a.com")),
            ("http://bücher.example/", Some("xn--bcher-kva.example")),
            ("http://%61.example/", Some("a.example")),
            ("http://[2001:DB8::1]:8080/", Some("[2001:db8::1]")),
            ("http://192.0.2.1/", Some("192.0.2.1")),
            ("mailto:a@b.uk", None),
            ("http://", None),
            ("nothing", None),
        ] {
            let decision = LoggedDecision { rule: b"", accepted: true, url: url.as_bytes() };
            assert_eq!(decision.host().as_deref(), host, "{url}");
        }
    }
}
