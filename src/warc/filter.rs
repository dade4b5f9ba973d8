//! Filters records for lists and cuts.

use super::{RecordFacts, RecordType, Span};
use crate::uri::{CaptureDate, ScopePrefixSet, ScopeSurt, parse_web_url};
use regex::Regex;
use std::borrow::Cow;

/// Conditions on a record; an empty list is no condition. Filters of all kinds must hold, of the values of
/// one kind any will do.
#[derive(Debug, Clone, Default)]
pub struct RecordFilter {
    /// Types of records.
    pub types: Vec<RecordType>,
    /// Whole URLs, compared after the rules for web URLs (`http://A.pt` is `http://a.pt/`).
    pub urls: Vec<String>,
    /// SURT prefixes of the target.
    pub prefixes: ScopePrefixSet,
    /// HTTP statuses.
    pub statuses: Vec<StatusFilter>,
    /// MIME types: `text/html`, or `image/` for a whole family.
    pub mimes: Vec<String>,
    /// Captured at this instant or later.
    pub date_from: Option<CaptureDate>,
    /// Captured at this instant or earlier.
    pub date_to: Option<CaptureDate>,
    /// Record ids, with or without angle brackets.
    pub record_ids: Vec<String>,
    /// A pattern that the URL has to hold.
    pub pattern: Option<Regex>,
    /// Records that begin at this offset or later (see [`Span::decoded_offset`]).
    pub offset_from: Option<u64>,
    /// Records that begin before this offset.
    pub offset_to: Option<u64>,
}

/// A status or a family of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusFilter {
    /// `404`
    Exactly(u16),
    /// `4xx`: its first digit.
    Family(u16),
}

impl StatusFilter {
    /// Reads `404` or `4xx`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        match text.strip_suffix("xx") {
            Some(digit) => digit.parse().ok().filter(|digit| (1..=9).contains(digit)).map(Self::Family),
            None => text.parse().ok().filter(|status| (100..1000).contains(status)).map(Self::Exactly),
        }
    }

    fn holds(self, status: u16) -> bool {
        match self {
            Self::Exactly(expected) => status == expected,
            Self::Family(digit) => status / 100 == digit,
        }
    }
}

impl RecordFilter {
    /// Whether the filter depends on the HTTP head inside.
    pub fn needs_http_head(&self) -> bool {
        !self.statuses.is_empty() || !self.mimes.is_empty()
    }

    /// Whether the filter has no condition.
    pub fn is_empty(&self) -> bool {
        let Self { types, urls, prefixes, statuses, mimes, record_ids, .. } = self;
        let lists = types.is_empty() && urls.is_empty() && prefixes.is_empty() && statuses.is_empty();
        let ends = [self.date_from, self.date_to].iter().all(Option::is_none)
            && [self.offset_from, self.offset_to].iter().all(Option::is_none);
        lists && mimes.is_empty() && record_ids.is_empty() && self.pattern.is_none() && ends
    }

    /// Whether the filter accepts a record.
    pub fn accepts(&self, facts: &RecordFacts, span: Span) -> bool {
        let any = |is_empty: bool, holds: &dyn Fn() -> bool| is_empty || holds();
        let offset = span.decoded_offset();
        self.offset_from.is_none_or(|from| offset >= from)
            && self.offset_to.is_none_or(|to| offset < to)
            && any(self.types.is_empty(), &|| self.types.contains(&facts.record_type))
            && self.date_from.is_none_or(|from| facts.date.is_some_and(|date| date >= from))
            && self.date_to.is_none_or(|to| facts.date.is_some_and(|date| date <= to))
            && any(self.statuses.is_empty(), &|| {
                facts.status.is_some_and(|status| self.statuses.iter().any(|expected| expected.holds(status)))
            })
            && any(self.mimes.is_empty(), &|| {
                facts.mime.as_ref().is_some_and(|mime| self.mimes.iter().any(|expected| is_mime(mime, expected)))
            })
            && any(self.record_ids.is_empty(), &|| {
                facts.record_id.as_ref().is_some_and(|id| self.record_ids.iter().any(|expected| bare(expected) == id))
            })
            && self.accepts_url(facts.url.as_deref())
    }

    fn accepts_url(&self, url: Option<&str>) -> bool {
        let filters_urls = !self.urls.is_empty() || !self.prefixes.is_empty() || self.pattern.is_some();
        let Some(url) = url else { return !filters_urls };
        (self.urls.is_empty() || self.urls.iter().any(|expected| same_url(expected, url)))
            && (self.prefixes.is_empty()
                || parse_web_url(url).is_some_and(|url| self.prefixes.matches(&ScopeSurt::of(&url))))
            && self.pattern.as_ref().is_none_or(|pattern| pattern.is_match(url))
    }
}

/// Whether two texts name the same web URL.
pub fn same_url(one: &str, other: &str) -> bool {
    one == other || url_identity(one) == url_identity(other)
}

/// The text that all spellings of a web URL have in common ([`same_url`]); other texts are returned
/// unchanged.
pub(super) fn url_identity(text: &str) -> Cow<'_, str> {
    if is_spelled_plainly(text) {
        return Cow::Borrowed(text);
    }
    parse_web_url(text).map_or(Cow::Borrowed(text), |url| Cow::Owned(url.into()))
}

/// Whether parsing would return the same text. Most URLs of an archive are so, and scanning their bytes costs
/// a tenth of parsing them.
fn is_spelled_plainly(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://")) else { return false };
    let Some((host, path)) = rest.split_once('/') else { return false };
    let (host, port) = host.split_once(':').map_or((host, None), |(host, port)| (host, Some(port)));
    let is_port = |port: &str| {
        port.parse::<u16>().is_ok_and(|number| !matches!(number, 80 | 443)) && !port.starts_with(['0', '+'])
    };
    // A last label with digits may be an address, which has many spellings.
    let is_host = host.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-".contains(&byte))
        && host
            .rsplit('.')
            .next()
            .is_some_and(|label| !label.is_empty() && label.bytes().all(|b| b.is_ascii_lowercase()))
        && port.is_none_or(is_port);
    // A segment that begins with a dot, or with a percent sign that may encode one, may be `..`.
    let mut before = b'/';
    is_host
        && path.bytes().all(|byte| {
            let is_plain = byte.is_ascii_alphanumeric() || b"-_~!$&*+,;=:@/?.%".contains(&byte);
            let may_climb = before == b'/' && matches!(byte, b'.' | b'%');
            before = byte;
            is_plain && !may_climb
        })
}

fn is_mime(mime: &str, expected: &str) -> bool {
    let expected = expected.trim().trim_end_matches('*').to_ascii_lowercase();
    if expected.ends_with('/') { mime.starts_with(&expected) } else { mime == expected }
}

fn bare(id: &str) -> &str {
    id.trim().trim_start_matches('<').trim_end_matches('>')
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::uri::ScopePrefix;
    use crate::warc::{Headers, RecordHead};

    fn facts() -> RecordFacts {
        let mut headers = Headers::new();
        headers.push("WARC-Record-ID", "<urn:test:1>");
        headers.push("WARC-Target-URI", "http://www.a.pt/b/?c=1");
        headers.push("WARC-Date", "2024-03-31T23:59:59.5Z");
        headers.push("Content-Type", "application/http; msgtype=response");
        let head =
            RecordHead { version: "WARC/1.1".into(), record_type: RecordType::Response, headers, content_length: 9 };
        RecordFacts::of(&head, b"HTTP/1.1 404 No\r\nContent-Type: Text/HTML; charset=x\r\n\r\n")
    }

    #[track_caller]
    fn check(accepted: bool, filter: RecordFilter) {
        assert!(!filter.is_empty());
        assert_eq!(filter.accepts(&facts(), Span { offset: 100, length: 50 }), accepted, "{filter:?}");
    }

    #[test]
    fn each_filter_takes_and_leaves() {
        let none = RecordFilter::default;
        assert!(none().is_empty() && none().accepts(&facts(), Span::default()));
        let status = |text: &str| RecordFilter { statuses: vec![StatusFilter::parse(text).unwrap()], ..none() };
        check(true, status("404"));
        check(true, status("4xx"));
        check(false, status("2XX"));
        let mime = |text: &str| RecordFilter { mimes: vec![text.to_owned()], ..none() };
        check(true, mime("text/html"));
        check(true, mime("text/*"));
        check(false, mime("text"));
        let url = |text: &str| RecordFilter { urls: vec![text.to_owned()], ..none() };
        check(true, url("http://WWW.a.pt/b/?c=1"));
        check(false, url("http://www.a.pt/b/"));
        let prefix = |text: &str| RecordFilter { prefixes: ScopePrefixSet::new(ScopePrefix::parse(text)), ..none() };
        check(true, prefix("http://(pt,a,"));
        check(false, prefix("http://(pt,b,"));
        let date = |from: &str, to: &str| RecordFilter {
            date_from: CaptureDate::parse(from).ok(),
            date_to: CaptureDate::period(to).ok().map(|(_, end)| end),
            ..none()
        };
        check(true, date("2024", "2024"));
        check(true, date("2024-03", "2024-03"));
        check(true, date("2024-03-31", "2024-03-31T23:59:59Z"));
        check(false, date("2024-04", "2025"));
        check(false, date("2023", "2024-02"));
        let id = |text: &str| RecordFilter { record_ids: vec![text.to_owned()], ..none() };
        check(true, id("<urn:test:1>"));
        check(true, id("urn:test:1"));
        check(false, id("urn:test:10"));
        let pattern = |text: &str| RecordFilter { pattern: Regex::new(text).ok(), ..none() };
        check(true, pattern(r"c=\d$"));
        check(false, pattern(r"c=\d\d"));
        check(true, RecordFilter { offset_from: Some(100), offset_to: Some(101), ..none() });
        check(false, RecordFilter { offset_to: Some(100), ..none() });
        check(false, RecordFilter { types: vec![RecordType::Request], ..none() });
        check(true, RecordFilter { types: vec![RecordType::Request, RecordType::Response], ..none() });
    }

    #[test]
    fn a_status_or_a_family_of_them_has_three_digits() {
        assert_eq!(StatusFilter::parse("0xx"), None);
        assert_eq!(StatusFilter::parse("20"), None);
    }

    #[test]
    fn spellings_of_a_url_are_one() {
        for other in ["http://A.pt", "HTTP://a.pt:80/#x", " http://a.pt/b/../ ", "http://a.pt/%2E%2e"] {
            assert!(same_url("http://a.pt/", other), "{other}");
        }
        assert!(same_url("http://127.1/", "http://127.0.0.1/"));
        assert!(!same_url("http://a.pt/", "https://a.pt/"));
        assert!(!same_url("urn:a", "urn:b"));
    }

    proptest::proptest! {
        #[test]
        fn a_url_that_is_not_parsed_would_come_back_as_it_is(
            rest in proptest::prop_oneof!["[a-z0-9.-]{0,12}", "(xn--)?[a-z]{1,4}[.]pt(:[+0-9]{1,6}|:80|:443|)"],
            path in r"[/.%2eE@:;?&=a-z'^|\\#\[~]{0,16}",
        ) {
            let url = format!("http://{rest}/{path}");
            if is_spelled_plainly(&url) && let Some(parsed) = parse_web_url(&url) {
                proptest::prop_assert_eq!(parsed.as_str(), url);
            }
        }
    }
}
