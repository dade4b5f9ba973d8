//! What replayed pages asked for and did not get, and how far from their date the rest was.

use crate::replay::ReplayUrl;
use crate::uri::CaptureDate;
use serde::Serialize;
use std::collections::{HashMap, VecDeque};

/// Pages that are remembered.
const MOST_PAGES: usize = 500;
/// Missing URLs of a page that are remembered.
const MOST_MISSING: usize = 500;
/// Sheets whose page is remembered.
const MOST_SHEETS: usize = 10_000;

/// A URL that a page needed and no capture has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct MissingUrl {
    pub(super) url: String,
    /// As in replay URLs; empty where a policy stopped it.
    pub(super) hint: &'static str,
    /// Why it is not there, for people.
    pub(super) why: String,
    /// How often it was requested.
    pub(super) count: u64,
}

/// What is known of one page.
#[derive(Debug, Clone, Default)]
pub(super) struct PageLog {
    pub(super) missing: Vec<MissingUrl>,
    /// The resource farthest from the date of the page, and how far, in milliseconds.
    pub(super) farthest: Option<(String, i64)>,
}

/// Pages by their keys ([`page_key`]).
#[derive(Default)]
pub(super) struct ReplayLog {
    pages: HashMap<String, PageLog>,
    order: VecDeque<String>,
    /// Sheets and frames by the page that they are a part of.
    parts: HashMap<String, String>,
    /// Requests that left the path of their page and could not be led back.
    pub(super) escaped: u64,
}

/// The key of a page by its replay URL, or the path of that: date and archived URL, without hint.
pub(super) fn page_key(url: &str) -> Option<String> {
    let path = url.split_once("/w/").map(|(_, path)| path)?;
    let path = path.split('#').next().unwrap_or_default();
    let read = ReplayUrl::parse(path, None)?;
    let digits = path.bytes().take_while(u8::is_ascii_digit).count();
    Some(format!("{}/{}", &path[..digits.min(14)], read.target()?))
}

impl ReplayLog {
    /// The page that a request with this `Referer` belongs to.
    fn page_of(&self, referer: &str) -> Option<String> {
        let key = page_key(referer)?;
        Some(self.parts.get(&key).cloned().unwrap_or(key))
    }

    fn page(&mut self, key: String) -> &mut PageLog {
        if !self.pages.contains_key(&key) {
            self.order.push_back(key.clone());
            if self.order.len() > MOST_PAGES
                && let Some(oldest) = self.order.pop_front()
            {
                self.pages.remove(&oldest);
            }
        }
        self.pages.entry(key).or_default()
    }

    /// A part of a page may need others itself.
    pub(super) fn note_part(&mut self, path: &str, referer: &str) {
        if self.parts.len() < MOST_SHEETS
            && let (Some(part), Some(page)) = (page_key(path), self.page_of(referer))
            && part != page
        {
            self.parts.insert(part, page);
        }
    }

    pub(super) fn note_missing(&mut self, referer: &str, url: &str, hint: &'static str, why: impl FnOnce() -> String) {
        let Some(key) = self.page_of(referer) else { return };
        let page = self.page(key);
        if let Some(known) = page.missing.iter_mut().find(|known| known.url == url) {
            known.count += 1;
        } else if page.missing.len() < MOST_MISSING {
            page.missing.push(MissingUrl { url: url.to_owned(), hint, why: why(), count: 1 });
        }
    }

    /// A resource of a page was answered with a capture of this date.
    pub(super) fn note_date(&mut self, referer: &str, url: &str, date: CaptureDate) {
        let Some(key) = self.page_of(referer) else { return };
        let Some(of_page) = key.split('/').next().and_then(|digits| CaptureDate::parse(digits).ok()) else { return };
        let far = (date.millis() - of_page.millis()).abs();
        let page = self.page(key);
        if page.farthest.as_ref().is_none_or(|(_, most)| far > *most) {
            page.farthest = Some((url.to_owned(), far));
        }
    }

    pub(super) fn of_page(&self, path: &str) -> PageLog {
        page_key(path).and_then(|key| self.pages.get(&key).cloned()).unwrap_or_default()
    }

    /// All missing URLs with a page that needs them.
    pub(super) fn missing(&self) -> impl Iterator<Item = (&str, &MissingUrl)> {
        let urls = self.order.iter().filter_map(|key| Some((key, self.pages.get(key)?)));
        urls.flat_map(|(key, page)| {
            page.missing.iter().map(|url| (key.split_once('/').map_or("", |(_, page)| page), url))
        })
    }
}
