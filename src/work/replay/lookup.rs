//! Which capture answers a URL at a date.

use super::Replay;
use super::capture::ArchivedAnswer;
use crate::captures::{is_redirect, redirect_target};
use crate::replay::Hint;
use crate::store::{Answers, ListedCapture, PageRange, StoredCapture};
use crate::uri::{CaptureDate, PageKey, Url};
use crate::warc::RecordType;
use crate::warc::cdx::{MAX_REQUEST_BYTES, posted_url};
use crate::warc::http::{HttpRequestHead, parse_request_head};
use crate::work::find::record_content::record_of;
use crate::work::models::CaptureId;

/// Captures of a page that are looked through behind one that leads to itself, or for a request with a body.
const MOST_NEAR: u64 = 100;
/// Redirects in a row that are followed.
pub(super) const MOST_REDIRECTS: usize = 20;
/// Pages of one path that are compared where only marks against caches differ.
const MOST_SIMILAR: u64 = 100;

/// The end of a look-up.
pub(super) enum LookupEnd {
    Capture {
        answer: Box<ArchivedAnswer>,
        /// Another URL than the one that was requested, but for marks against caches.
        is_similar: bool,
    },
    /// The same page has a slash at its end, or has none.
    Moved(Url),
    /// All captures lead to another spelling of the URL that was not captured.
    OnlyRedirect(Url),
    Nothing,
}

/// A request for an archived answer.
pub(super) struct Lookup<'r> {
    pub(super) url: Url,
    pub(super) date: CaptureDate,
    pub(super) hint: Hint,
    /// Whether a browser shows the answer as a page.
    pub(super) is_page: bool,
    /// Head and body of a request that has one.
    pub(super) posted: Option<(HttpRequestHead, &'r [u8])>,
}

impl Replay {
    pub(super) fn find(&self, lookup: &Lookup<'_>) -> anyhow::Result<LookupEnd> {
        let page = PageKey::of(&lookup.url);
        if let Some((head, body)) = &lookup.posted {
            return self.find_posted(&page, lookup, head, body);
        }
        let catalogue = self.session.catalogue();
        let mut id = None;
        if lookup.hint.is_embedded() {
            id = catalogue.nearest_capture(&page, lookup.date, Answers::WithoutErrors)?;
        }
        if id.is_none() {
            id = catalogue.nearest_capture(&page, lookup.date, Answers::All)?;
        }
        let Some(id) = id else {
            return match self.find_similar(&page, lookup)? {
                Some(id) => self.found(id, true),
                None => Ok(LookupEnd::Nothing),
            };
        };
        let stored = catalogue.stored_capture(id)?;
        if is_other_slash(&stored.url, &lookup.url) {
            return Ok(LookupEnd::Moved(stored.url));
        }
        let answer = self.read_capture(&stored)?;
        let Some(target) = own_redirect(&answer, &page) else {
            return Ok(LookupEnd::Capture { answer: Box::new(answer), is_similar: false });
        };
        for near in catalogue.captures_near(&page, lookup.date, MOST_NEAR)? {
            if near.id == id || is_redirect(u16::try_from(near.status).unwrap_or_default()) {
                continue;
            }
            return self.found(near.id, false);
        }
        Ok(LookupEnd::OnlyRedirect(target))
    }

    fn found(&self, id: CaptureId, is_similar: bool) -> anyhow::Result<LookupEnd> {
        let answer = Box::new(self.read_capture(&self.session.catalogue().stored_capture(id)?)?);
        Ok(LookupEnd::Capture { answer, is_similar })
    }

    /// The nearest capture whose request had the same method and body.
    fn find_posted(
        &self,
        page: &PageKey,
        lookup: &Lookup<'_>,
        head: &HttpRequestHead,
        body: &[u8],
    ) -> anyhow::Result<LookupEnd> {
        let key = posted_url(lookup.url.as_str(), head, body);
        let catalogue = self.session.catalogue();
        for near in catalogue.captures_near(page, lookup.date, MOST_NEAR)? {
            let stored = catalogue.stored_capture(near.id)?;
            if key.is_some() && self.posted_key(&stored, &lookup.url) == key {
                return self.found(near.id, false);
            }
        }
        Ok(LookupEnd::Nothing)
    }

    fn posted_key(&self, stored: &StoredCapture, url: &Url) -> Option<String> {
        let place = stored.records.iter().find(|record| record.record_type == RecordType::Request)?;
        let (record, _) = record_of(&self.session.workspace, place, MAX_REQUEST_BYTES).ok()?;
        let head = parse_request_head(&record.block)?;
        posted_url(url.as_str(), &head, record.block.get(head.head_len..).unwrap_or_default())
    }

    /// A capture of what differs only in marks that keep caches from answering, which scripts add; never for a page.
    fn find_similar(&self, page: &PageKey, lookup: &Lookup<'_>) -> anyhow::Result<Option<CaptureId>> {
        let Some((path, query)) = page.as_str().split_once('?').filter(|_| !lookup.is_page) else { return Ok(None) };
        let everything = (CaptureDate::from_millis(i64::MIN), CaptureDate::from_millis(i64::MAX));
        let pages = PageRange::Prefix(path.to_owned());
        let mut similar = self.session.catalogue().list_captures(&pages, everything, MOST_SIMILAR)?;
        let ignores_query = is_file(path);
        similar.retain(|near| {
            let key = Url::parse(&near.url).map(|url| PageKey::of(&url));
            let Some(key) = key.ok().filter(|_| near.status < 400) else { return false };
            let (own_path, own_query) = key.as_str().split_once('?').unwrap_or((key.as_str(), ""));
            own_path == path && (ignores_query || without_marks(own_query) == without_marks(query))
        });
        let distance = |near: &ListedCapture| (near.date.millis() - lookup.date.millis()).abs();
        Ok(similar.iter().min_by_key(|near| distance(near)).map(|near| near.id))
    }
}

/// The target of an answer that leads to another spelling of its own page.
fn own_redirect(answer: &ArchivedAnswer, page: &PageKey) -> Option<Url> {
    let target = redirect_target(&answer.url, answer.status, &answer.headers)?;
    (PageKey::of(&target) == *page).then_some(target)
}

/// Whether one has a slash at its end that the other lacks.
fn is_other_slash(captured: &Url, lookup: &Url) -> bool {
    let (captured, lookup) = (captured.path(), lookup.path());
    captured != lookup && captured.trim_end_matches('/') == lookup.trim_end_matches('/')
}

/// Whether a path is that of a file, whose query is no part of its name: one with an ending that is no program's.
fn is_file(path: &str) -> bool {
    const PROGRAMS: [&str; 8] = ["asp", "aspx", "jsp", "php", "pl", "exe", "dll", "cgi"];
    let name = path.rsplit(['/', ')']).next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(_, ending)| {
        let ending = ending.to_ascii_lowercase();
        (1..=5).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && !PROGRAMS.contains(&ending.as_str())
    })
}

/// A query without the parts that scripts add against caches: `_`, `cb`, `uncache`, `utm_…`, names of callbacks, times.
fn without_marks(query: &str) -> Vec<&str> {
    let is_number = |value: &str, digits: std::ops::RangeInclusive<usize>| {
        digits.contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_mark = |part: &&str| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let name = name.to_ascii_lowercase();
        matches!(name.as_str(), "_" | "cb" | "uncache") && is_number(value, 1..=20)
            || name.starts_with("utm_")
            || name == "callback" && (value.starts_with("jsonp") || value.starts_with("jQuery"))
            || (name.contains("bust") || name.contains("ts")) && is_number(value, 13..=16)
    };
    query.split('&').filter(|part| !part.is_empty() && !is_mark(part)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marks_against_caches_are_passed_over() {
        for (one, other, expected) in [
            ("x=1&_=1700000000000", "x=1&_=1699999999999", true),
            ("x=1&_=1700000000000", "x=2&_=1700000000000", false),
            ("id=7", "id=8", false),
            ("a=1&utm_source=b", "a=1", true),
            ("callback=jQuery11_22&q=1", "callback=jQuery33&q=1", true),
            ("bust=1700000000000", "bust=1700000000009", true),
            ("parts=1", "parts=2", false),
        ] {
            assert_eq!(without_marks(one) == without_marks(other), expected, "{one} {other}");
        }
        assert!(is_file("pt,a)/f/x.woff2") && !is_file("pt,a)/artigo.php") && !is_file("pt,a)/api"));
    }
}
