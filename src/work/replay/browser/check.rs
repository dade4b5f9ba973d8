//! Pages of a workspace in a browser: what is shown of each, beside what was captured.

use super::crawler_records::{CrawlerRecords, KINDS};
use super::devtools::Devtools;
use super::page::{ShownPage, VIEWPORT, show_page};
use super::picture::Picture;
use super::program::arguments;
use super::proxy::{ArchiveProxy, PageRequest};
use crate::captures::is_page_type;
use crate::jobs::{JobCx, counted};
use crate::store::{ReplayCheck, StoredCapture};
use crate::text::words;
use crate::uri::CaptureDate;
use crate::work::models::{CaptureId, CaptureQuery};
use crate::work::replay::Replay;
use crate::work::{JobKind, Report, Session};
use anyhow::Context;
use crossbeam_channel::{Sender, unbounded};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Folder of the pictures in a workspace.
const PICTURES: &str = "replay";
/// Browsers at once by default: each takes a core while a page is loaded.
const BROWSERS: usize = 2;
/// Times that a browser is started anew before its part of the pages is given up.
const MOST_STARTS: usize = 5;
/// Words of a text below which no share of it is named.
const LEAST_TERMS: usize = 5;

/// The file of the picture of a capture, below the workspace.
pub(super) fn picture_place(capture: CaptureId) -> String {
    format!("{PICTURES}/{capture}.png")
}

/// The choice of pages that are opened.
#[derive(Debug, Clone, Default)]
pub struct ReplayCheckOptions {
    /// A filter of captures.
    pub filter: String,
    /// Pages that were opened before as well.
    pub again: bool,
    /// At most so many pages.
    pub most: Option<u64>,
    /// The browser.
    pub browser: PathBuf,
    /// Browsers at once; 0 for the usual number.
    pub browsers: usize,
}

/// What a browser showed of a page, in full.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ReplayFindings {
    /// The address at the end, where it is another one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub final_url: String,
    /// Whether the page came to rest within 15 s.
    pub is_at_rest: bool,
    /// What it requested and nobody captured, with the reason.
    pub missing: Vec<PageRequest>,
    /// Captures that are errors.
    pub errors: Vec<PageRequest>,
    /// The answer farthest in time from the page, in milliseconds.
    pub farthest_ms: i64,
    /// Errors of its scripts.
    pub script_errors: Vec<String>,
    /// The share of the window that is of one colour.
    pub one_colour: f64,
    /// Compared with the picture, the text and the requests that its crawler kept (Browsertrix, ArchiveWeb.page).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crawler: Option<AtCrawl>,
}

/// A page in replay beside what its crawler's browser kept of it: 1 for equal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct AtCrawl {
    /// Equal pixels of both windows (`urn:view:`).
    pub picture: Option<f64>,
    /// Words that are in both texts, of the longer one (`urn:text:`).
    pub text: Option<f64>,
    /// Requests that were answered without an error at the crawl, and of these, now (`urn:pageinfo:`).
    pub requests: Option<[u64; 2]>,
}

/// The outcome of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayCheckReport {
    /// Pages that were opened.
    pub checked: u64,
    /// Pages that could not be opened.
    pub failed: u64,
    /// Pages that lack something.
    pub incomplete: u64,
}

impl Report for ReplayCheckReport {
    fn summary(&self) -> String {
        let failed = match self.failed {
            0 => String::new(),
            number => format!(", {number} could not be opened"),
        };
        format!("{} opened in a browser, {} lack something{failed}", counted(self.checked, "page"), self.incomplete)
    }
}

impl Session {
    /// Opens pages in a browser, each as it was captured and with what was captured of its parts, and keeps what is shown:
    /// picture, words, requests, errors. Calls `each` for every page as soon as it is kept; an error of it ends the check.
    /// What was kept before a check was cancelled stays, and is left out of the next one.
    ///
    /// # Errors
    ///
    /// A filter without meaning, a browser that cannot be started, a catalogue that cannot be written; `Cancelled`.
    pub fn check_replay(
        self: &Arc<Self>,
        options: &ReplayCheckOptions,
        mut each: impl FnMut(&ReplayCheck) -> anyhow::Result<()>,
        cx: &JobCx,
    ) -> anyhow::Result<ReplayCheckReport> {
        self.run_job(JobKind::ReplayPages, || {
            cx.stage("Pages to open", None);
            let pages = self.pages_to_open(options)?;
            cx.stage("Records of crawlers", None);
            let crawler = CrawlerRecords::in_files(&self.files_of(&pages)?, cx)?;
            cx.stage("Opening pages", Some(pages.len() as u64));
            let check = Check {
                session: self,
                options,
                pages,
                crawler,
                next: AtomicUsize::new(0),
                failed: AtomicU64::new(0),
                incomplete: AtomicU64::new(0),
                cx,
            };
            std::fs::create_dir_all(self.workspace.folder().join(PICTURES))?;
            let browsers = if options.browsers == 0 { BROWSERS } else { options.browsers };
            std::thread::scope(|scope| {
                let (sender, checked) = unbounded();
                let threads: Vec<_> = (0..browsers.min(check.pages.len()))
                    .map(|_| {
                        let sender = sender.clone();
                        let check = &check;
                        scope.spawn(move || check.run(&sender))
                    })
                    .collect();
                drop(sender);
                let reported = checked.iter().try_for_each(|page| each(&page));
                // Browsers end with the next page that nobody takes.
                drop(checked);
                let ended = threads.into_iter().try_for_each(|thread| match thread.join() {
                    Ok(ended) => ended,
                    Err(panic) => std::panic::resume_unwind(panic),
                });
                reported.and(ended)
            })?;
            cx.checkpoint()?;
            let failed = check.failed.into_inner();
            Ok(ReplayCheckReport {
                checked: check.pages.len() as u64 - failed,
                failed,
                incomplete: check.incomplete.into_inner(),
            })
        })
    }

    /// The archive files with these captures, and those with no capture at all, in which Browsertrix has pictures and
    /// texts; without those that are not at their place.
    fn files_of(&self, captures: &[CaptureId]) -> anyhow::Result<BTreeSet<PathBuf>> {
        let mut files = BTreeSet::new();
        for id in captures {
            let stored = self.catalogue().stored_capture(*id)?;
            files.extend(stored.records.first().and_then(|record| self.workspace.source_of(record).ok()));
        }
        let others = self.catalogue().files_without_captures()?;
        files.extend(others.iter().filter_map(|path| self.workspace.file_path(path).ok()));
        Ok(files)
    }

    fn pages_to_open(&self, options: &ReplayCheckOptions) -> anyhow::Result<Vec<CaptureId>> {
        let query = CaptureQuery { filter: options.filter.clone(), ..crate::work::everything() };
        let known = self.catalogue().replay_checked()?;
        let mut pages = Vec::new();
        for id in self.catalogue().capture_ids(&query)? {
            if options.most.is_some_and(|most| pages.len() as u64 >= most) {
                break;
            }
            if !options.again && known.contains(&id) {
                continue;
            }
            let row = self.catalogue().capture_row(id)?;
            if is_page_type(&row.mime) && row.status == 200 {
                pages.push(id);
            }
        }
        Ok(pages)
    }
}

/// A check that runs.
struct Check<'c> {
    session: &'c Arc<Session>,
    options: &'c ReplayCheckOptions,
    pages: Vec<CaptureId>,
    crawler: CrawlerRecords,
    next: AtomicUsize,
    failed: AtomicU64,
    incomplete: AtomicU64,
    cx: &'c JobCx,
}

impl Check<'_> {
    /// Opens pages, one after the other, until none is left or nobody takes them.
    fn run(&self, checked: &Sender<ReplayCheck>) -> anyhow::Result<()> {
        let mut starts = 0;
        let mut opened: Option<Opened> = None;
        loop {
            self.cx.checkpoint()?;
            let Some(id) = self.pages.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return Ok(()) };
            let stored = self.session.catalogue().stored_capture(*id)?;
            let mut browser = match opened.take() {
                Some(browser) => browser,
                None => {
                    starts += 1;
                    Opened::start(self.session, &self.options.browser)?
                }
            };
            let shown = browser.show(&stored, &|| self.cx.is_cancelled());
            let is_running = browser.devtools.is_running();
            match shown {
                Ok(shown) => {
                    if let Some(check) = self.keep(&stored, &shown, &browser)?
                        && checked.send(check).is_err()
                    {
                        return Ok(());
                    }
                }
                Err(error) => {
                    self.failed.fetch_add(1, Ordering::Relaxed);
                    tracing::warn!(url = %stored.url, why = crate::work::error_chain(&error), "a page cannot be opened");
                    anyhow::ensure!(
                        is_running || starts < MOST_STARTS,
                        "{} ended {starts} times: choose another browser with --browser",
                        self.options.browser.display()
                    );
                }
            }
            if is_running {
                opened = Some(browser);
            }
            self.cx.advance(1)?;
        }
    }

    /// Keeps what a browser showed; nothing of a page that was cut off.
    fn keep(&self, stored: &StoredCapture, shown: &ShownPage, browser: &Opened) -> anyhow::Result<Option<ReplayCheck>> {
        if self.cx.is_cancelled() {
            return Ok(None);
        }
        let requests = browser.proxy.requests();
        let captured = self.session.content(stored.id).map(|content| content.text).unwrap_or_default();
        let that = |holds: &dyn Fn(&PageRequest) -> bool| {
            requests.iter().filter(|request| holds(request)).cloned().collect::<Vec<_>>()
        };
        let missing = that(&|request| request.status.is_none());
        let picture = Picture::read(&shown.picture)?;
        let findings = ReplayFindings {
            final_url: if shown.url == stored.url.as_str() { String::new() } else { shown.url.clone() },
            is_at_rest: shown.is_at_rest,
            errors: that(&|request| request.status.is_some_and(|status| status >= 400)),
            farthest_ms: requests
                .iter()
                .map(|request| request.distance_ms)
                .max_by_key(|far| far.abs())
                .unwrap_or_default(),
            script_errors: shown.errors.clone(),
            one_colour: picture.commonest_share(),
            crawler: self.at_crawl(stored, shown, &picture, &requests),
            missing,
        };
        let place = picture_place(stored.id);
        std::fs::write(self.session.workspace.folder().join(&place), &shown.picture)
            .with_context(|| format!("{place} cannot be written"))?;
        let check = ReplayCheck {
            capture: stored.id,
            url: stored.url.to_string(),
            date: stored.date,
            checked: CaptureDate::now(),
            browser: browser.version.clone(),
            viewport: VIEWPORT,
            words: kept_share(&captured, &shown.text),
            requested: requests.len() as u64,
            missing: findings.missing.len() as u64,
            script_errors: shown.errors.len() as u64,
            picture: place,
            findings: serde_json::to_value(&findings)?,
        };
        if check.missing > 0 {
            self.incomplete.fetch_add(1, Ordering::Relaxed);
        }
        self.session.catalogue().keep_replay_check(&check)?;
        Ok(Some(check))
    }

    /// The page beside what its crawler's browser kept of it; none where it kept nothing.
    fn at_crawl(
        &self,
        stored: &StoredCapture,
        shown: &ShownPage,
        picture: &Picture,
        requests: &[PageRequest],
    ) -> Option<AtCrawl> {
        let [view, text, info] = KINDS.map(|kind| self.crawler.of_page(kind, stored.url.as_str(), stored.date));
        if view.is_none() && text.is_none() && info.is_none() {
            return None;
        }
        Some(AtCrawl {
            picture: view.and_then(|view| picture.likeness(&Picture::read(&view).ok()?)),
            text: text.and_then(|text| likeness(&String::from_utf8_lossy(&text), &shown.text)),
            requests: info.and_then(|info| answered(&info, requests)),
        })
    }
}

/// A browser with the proxy behind it and a profile of its own.
struct Opened {
    // In the order in which they end.
    devtools: Devtools,
    proxy: ArchiveProxy,
    version: String,
    _profile: tempfile::TempDir,
}

impl Opened {
    fn start(session: &Arc<Session>, program: &Path) -> anyhow::Result<Self> {
        let replay = Arc::new(Replay::of(Arc::clone(session)));
        let proxy = ArchiveProxy::start(replay, CaptureDate::now())?;
        let profile = tempfile::Builder::new().prefix("fonds-browser-").tempdir()?;
        let arguments = arguments(profile.path(), proxy.address.port(), &proxy.pin, true);
        let mut devtools = Devtools::start(program, &arguments)?;
        let about = devtools
            .call(None, "Browser.getVersion", &serde_json::json!({}))
            .with_context(|| format!("{} does not speak as Chromium does", program.display()))?;
        let version = about["product"].as_str().unwrap_or_default().to_owned();
        Ok(Self { devtools, proxy, version, _profile: profile })
    }

    fn show(&mut self, stored: &StoredCapture, is_stopped: &dyn Fn() -> bool) -> anyhow::Result<ShownPage> {
        self.proxy.begin_page(stored.date);
        show_page(&mut self.devtools, stored.url.as_str(), is_stopped)
    }
}

fn counted_terms(text: &str) -> (HashMap<String, u64>, u64) {
    let (mut counts, mut total) = (HashMap::new(), 0);
    for word in words(text) {
        *counts.entry(word).or_default() += 1;
        total += 1;
    }
    (counts, total)
}

/// The number of words that are in both.
fn common(one: &HashMap<String, u64>, other: &HashMap<String, u64>) -> u64 {
    one.iter().map(|(word, count)| other.get(word).map_or(0, |others| *count.min(others))).sum()
}

/// The share of the words of a captured text that are shown, from 0 to 1; none where it has next to none.
fn kept_share(captured: &str, shown: &str) -> Option<f64> {
    let ((captured, total), (shown, _)) = (counted_terms(captured), counted_terms(shown));
    (total >= LEAST_TERMS as u64).then(|| common(&captured, &shown) as f64 / total as f64)
}

/// The share of words that are in both, of the longer text; none where both are empty.
fn likeness(one: &str, other: &str) -> Option<f64> {
    let ((one, one_total), (other, other_total)) = (counted_terms(one), counted_terms(other));
    let most = one_total.max(other_total);
    (most > 0).then(|| common(&one, &other) as f64 / most as f64)
}

/// Of the requests that a crawler's browser had answered without an error, how many are so now.
fn answered(info: &[u8], requests: &[PageRequest]) -> Option<[u64; 2]> {
    let info: serde_json::Value = serde_json::from_slice(info).ok()?;
    let then = info["urls"].as_object()?;
    let good: Vec<&String> = then
        .iter()
        .filter(|(_, about)| about["status"].as_u64().is_some_and(|status| (100..400).contains(&status)))
        .map(|(url, _)| url)
        .collect();
    let is_good_now = |url: &str| {
        requests.iter().any(|request| request.url == url && request.status.is_some_and(|status| status < 400))
    };
    let now = good.iter().filter(|url| is_good_now(url)).count() as u64;
    Some([good.len() as u64, now])
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_by_the_number_of_each_term_and_not_by_place() {
        assert_eq!(kept_share("um dois dois três quatro", "quatro DOIS um"), Some(0.6));
        assert_eq!(kept_share("um dois", "um dois"), None);
        assert_eq!(likeness("a b c d", "a b"), Some(0.5));
        assert_eq!(likeness("", ""), None);
    }

    #[test]
    fn requests_of_a_crawler_count_where_they_were_good() {
        let info = br#"{"urls":{"http://a.pt/":{"status":200},"http://a.pt/b":{"status":404},"http://a.pt/c":{"status":200}}}"#;
        let request =
            |url: &str, status| PageRequest { url: url.to_owned(), status, why: String::new(), distance_ms: 0 };
        let now = [request("http://a.pt/", Some(200)), request("http://a.pt/c", None)];
        assert_eq!(answered(info, &now), Some([2, 1]));
        assert_eq!(answered(b"[]", &now), None);
    }
}
