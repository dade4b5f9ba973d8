//! URLs of replayed captures: `/w/TIMESTAMP HINT/URL`, the form that pywb and the Wayback Machine have.

use crate::uri::{CaptureDate, Url};
use percent_encoding::percent_decode_str;

/// What all of them begin with.
pub const REPLAY_PATH: &str = "/w/";

/// What the place is that a URL was found in, which says what its answer is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hint {
    /// None is named.
    #[default]
    None,
    /// A page, or anything by its type.
    Page,
    /// A script.
    Script,
    /// A style sheet.
    Style,
    /// An image.
    Image,
    /// A page in an `iframe`.
    Frame,
    /// A page in a `frame`.
    OldFrame,
    /// Anything else that a page embeds.
    Other,
    /// As it was archived.
    Raw,
    /// A worker of the page, which none becomes.
    Worker,
}

impl Hint {
    const ALL: [(Self, &'static str); 11] = [
        (Self::None, ""),
        (Self::Page, "mp_"),
        (Self::Script, "js_"),
        (Self::Style, "cs_"),
        (Self::Image, "im_"),
        (Self::Frame, "if_"),
        (Self::OldFrame, "fr_"),
        (Self::Other, "oe_"),
        (Self::Raw, "id_"),
        (Self::Worker, "wkr_"),
        (Self::Worker, "sw_"),
    ];

    /// As it is written in a URL.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(hint, _)| *hint == self).map_or("", |(_, text)| text)
    }

    /// The one that is written so.
    pub fn named(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, own)| *own == text).map(|(hint, _)| *hint)
    }

    /// Whether pages embed it: then a capture that is an error is taken only where there is no other.
    pub fn is_embedded(self) -> bool {
        matches!(self, Self::Script | Self::Style | Self::Image | Self::Other)
    }
}

/// The time that a replay URL names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayTime {
    /// The capture nearest to it; without a date the newest one.
    Nearest(Option<CaptureDate>),
    /// A list of those from one date to another.
    Between(Option<CaptureDate>, Option<CaptureDate>),
}

/// A replay URL that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayUrl {
    /// When.
    pub time: ReplayTime,
    /// What its answer is for.
    pub hint: Hint,
    /// The archived URL, with a scheme, as it was written but for that; a list may end it with `*`.
    pub url: String,
}

impl ReplayUrl {
    /// Reads what follows [`REPLAY_PATH`]: a path, and the query of the request.
    pub fn parse(path: &str, query: Option<&str>) -> Option<Self> {
        let digits = path.bytes().take_while(u8::is_ascii_digit).count().min(14);
        let (from, rest) = path.split_at(digits);
        if let Some(list) = Self::parse_list(from, rest, query) {
            return Some(list);
        }
        let (hint, url) = match rest.split_once('/') {
            Some((hint, url)) if is_hint(hint) => (Hint::named(hint).unwrap_or_default(), url),
            Some(("", url)) if digits > 0 => (Hint::None, url),
            _ => return Self::of(ReplayTime::Nearest(None), Hint::None, path, query),
        };
        let date = match from {
            "" => None,
            digits => Some(CaptureDate::period(digits).ok()?.0),
        };
        Self::of(ReplayTime::Nearest(date), hint, url, query)
    }

    /// `*/URL`, `2009-2015*/URL`, `2009*/URL`.
    fn parse_list(from: &str, rest: &str, query: Option<&str>) -> Option<Self> {
        let (until, url) = match rest.strip_prefix('-') {
            Some(rest) => rest.split_once("*/")?,
            None => (from, rest.strip_prefix("*/")?),
        };
        let bound = |digits: &str| match digits {
            "" => Some(None),
            digits => CaptureDate::period(digits).ok().map(Some),
        };
        let (from, until) = (bound(from)?, bound(until)?);
        let time = ReplayTime::Between(from.map(|(begin, _)| begin), until.map(|(_, end)| end));
        Self::of(time, Hint::None, url, query)
    }

    fn of(time: ReplayTime, hint: Hint, url: &str, query: Option<&str>) -> Option<Self> {
        let mut url = url.trim_start_matches('/').to_owned();
        // Encoded as a whole, as forms and some tools send it.
        let begins = |scheme: &&str| url.get(..scheme.len()).is_some_and(|own| own.eq_ignore_ascii_case(scheme));
        if ["http%3a%2f%2f", "https%3a%2f%2f"].iter().any(begins) {
            url = percent_decode_str(&url).decode_utf8().ok()?.into_owned();
        }
        if let Some((scheme, rest)) = url.split_once(":/")
            && matches!(scheme, "http" | "https" | "ftp" | "urn")
            && !rest.starts_with('/')
        {
            // Proxies and browsers merge two slashes into one.
            url = format!("{scheme}://{rest}");
        } else if !url.contains("://") && !url.starts_with("urn:") && !url.starts_with("dns:") {
            url = format!("http://{url}");
        }
        if let Some(query) = query {
            url = format!("{url}?{query}");
        }
        // A mark of fragments that reached the server was data.
        Some(Self { time, hint, url: url.replace('#', "%23") }).filter(|url| url.url.len() > "http://".len())
    }

    /// The archived URL.
    pub fn target(&self) -> Option<Url> {
        Url::parse(&self.url).ok()
    }
}

/// Whether a text is written like a hint; unknown ones count as none.
fn is_hint(text: &str) -> bool {
    text.len() > 1 && text.ends_with('_') && text[..text.len() - 1].bytes().all(|byte| byte.is_ascii_lowercase())
}

/// The path of a capture below `root`, an address or a path without a slash at its end, or nothing:
/// `/w/20240105093000mp_/https://museu.example/`.
pub fn replay_path(root: &str, timestamp: &str, hint: Hint, url: &str) -> String {
    [root, REPLAY_PATH, timestamp, hint.as_str(), "/", url].concat()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_written_form_is_read() {
        let date = |text: &str| CaptureDate::period(text).unwrap();
        let at = |text: &str| ReplayTime::Nearest(Some(date(text).0));
        let page = "https://museu.example/x";
        for (path, query, time, hint, url) in [
            ("20240105093000mp_/https://museu.example/x", None, at("20240105093000"), Hint::Page, page),
            ("2024/https://museu.example/x", None, at("20240101000000"), Hint::None, page),
            ("mp_/https://museu.example/x", None, ReplayTime::Nearest(None), Hint::Page, page),
            ("https://museu.example/x", None, ReplayTime::Nearest(None), Hint::None, page),
            ("20240105093000/https:/museu.example/x", None, at("20240105093000"), Hint::None, page),
            ("20240105093000/museu.example/x", None, at("20240105093000"), Hint::None, "http://museu.example/x"),
            ("20240105093000/https%3A%2F%2Fmuseu.example%2Fx", None, at("20240105093000"), Hint::None, page),
            ("20240105093000zz_/https://museu.example/x", None, at("20240105093000"), Hint::None, page),
            ("2024im_/https://a.pt/b", Some("c=1&d"), at("2024"), Hint::Image, "https://a.pt/b?c=1&d"),
            ("2024id_/https://a.pt/b#c", None, at("2024"), Hint::Raw, "https://a.pt/b%23c"),
            (
                "2009-2015*/https://museu.example/x",
                None,
                ReplayTime::Between(Some(date("2009").0), Some(date("2015").1)),
                Hint::None,
                page,
            ),
            ("*/https://museu.example/*", None, ReplayTime::Between(None, None), Hint::None, "https://museu.example/*"),
        ] {
            let read = ReplayUrl::parse(path, query).unwrap();
            assert_eq!((read.time, read.hint, read.url.as_str()), (time, hint, url), "{path}");
        }
        for path in ["", "20240105093000mp_/", "99999999999999/http://a.pt/"] {
            assert_eq!(ReplayUrl::parse(path, None), None, "{path}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(path in "([0-9]{0,16}[*-]?[a-z]{0,3}_?/)?.{0,30}") {
            ReplayUrl::parse(&path, Some("a=b"));
        }
    }
}
