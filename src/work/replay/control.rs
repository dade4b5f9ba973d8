//! The origin of this program's own pages: the page around a replayed one, what it shows.

use super::capture::ArchivedAnswer;
use super::lookup::{Lookup, LookupEnd, MOST_REDIRECTS};
use super::{Origin, Replay};
use crate::captures::redirect_target;
use crate::jobs::counted;
use crate::replay::{Hint, REPLAY_PATH, ReplayTime, ReplayUrl, frame_page, own_file};
use crate::serve::{HttpReply, HttpRequest};
use crate::store::{ListedCapture, PageRange};
use crate::uri::{CaptureDate, PageKey};
use crate::work::models::{CaptureId, ReviewMark};
use serde_json::json;

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;
/// Versions that are counted.
const MOST_VERSIONS: u64 = 10_000;
/// Hosts that the first page lists.
const MOST_HOSTS: u64 = 100;

impl Replay {
    pub(super) fn control(&self, request: &HttpRequest) -> anyhow::Result<HttpReply> {
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return Ok(HttpReply::method_not_allowed("GET, HEAD"));
        }
        if let Some(file) = own_file(&request.path) {
            return Ok(file);
        }
        let query = request.query.as_deref().unwrap_or_default();
        let parameter = |name: &str| {
            url::form_urlencoded::parse(query.as_bytes())
                .find(|(own, _)| own == name)
                .map(|(_, value)| value.into_owned())
        };
        if let Some(rest) = request.path.strip_prefix("/r/") {
            return self.frame(rest, request.query.as_deref());
        }
        if let Some(id) = request.path.strip_prefix("/capture/").and_then(|id| id.parse().ok()) {
            let stored = self.session.catalogue().stored_capture(CaptureId::new(id))?;
            let target = self.shown_path(&stored.date.to_digits14(), stored.url.as_str());
            return Ok(HttpReply { headers: vec![("Location".into(), target)], ..HttpReply::new(302, "", "") });
        }
        if let Some(name) = request.path.strip_prefix("/warc/") {
            return self.archive_file(name, request.header("Range"));
        }
        match request.path.as_str() {
            "/" => self.start(parameter("url").as_deref()),
            "/cdx" => self.cdx(query),
            "/info" => self.info(&parameter("path").unwrap_or_default()),
            "/list" => self.list(&parameter("url").unwrap_or_default(), None, None, true),
            "/missing" => Ok(self.missing()),
            _ => Ok(self.own_page(404, "This server has no such page", &[], &[])),
        }
    }

    fn start(&self, url: Option<&str>) -> anyhow::Result<HttpReply> {
        if let Some(url) = url.and_then(crate::uri::parse_typed_url) {
            let target = self.shown_path("", url.as_str());
            return Ok(HttpReply { headers: vec![("Location".into(), target)], ..HttpReply::new(302, "", "") });
        }
        let catalogue = self.session.catalogue();
        let mut hosts = Vec::new();
        for page in catalogue.first_pages(MOST_HOSTS)? {
            if let Some(near) = catalogue.captures_near(&page, CaptureDate::now(), 1)?.into_iter().next() {
                let path = self.shown_path(&near.date.to_digits14(), &near.url);
                hosts.push((path, near.url, format!("{} UTC", near.date.to_readable())));
            }
        }
        let count = counted(catalogue.newest_capture()?.get().unsigned_abs(), "capture");
        let about = match hosts.len() as u64 {
            0 => count,
            MOST_HOSTS => format!("{count}; of the first {MOST_HOSTS} hosts, a page each:"),
            number => format!("{count} of {}, a page of each:", counted(number, "host")),
        };
        let page = crate::replay::start_page(&self.root, &about, &hosts);
        Ok(HttpReply::html(200, page))
    }

    fn frame(&self, rest: &str, query: Option<&str>) -> anyhow::Result<HttpReply> {
        let read = ReplayUrl::parse(rest.strip_prefix('/').unwrap_or(rest), query);
        let Some((read, url)) = read.and_then(|read| read.target().map(|url| (read, url))) else {
            return Ok(self.own_page(404, "No archived URL is named", &[], &[]));
        };
        let date = match read.time {
            ReplayTime::Nearest(date) => date,
            ReplayTime::Between(from, until) => return self.list(&read.url, from, until, true),
        };
        let date = match date {
            Some(date) => date,
            None => {
                let near = self.session.catalogue().captures_near(&PageKey::of(&url), CaptureDate::now(), 1)?;
                near.first().map_or_else(CaptureDate::now, |near| near.date)
            }
        };
        let page = frame_page(&self.root, &self.origin(Origin::Archive), &self.page_path(url.as_str(), date));
        Ok(HttpReply::html(200, page))
    }

    /// What the page around shows of the capture at a path.
    fn info(&self, path: &str) -> anyhow::Result<HttpReply> {
        let (path_url, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        let query = query.map(|query| query.split('#').next().unwrap_or_default());
        let path_url = path_url.split('#').next().unwrap_or_default();
        let path_url = path_url.strip_prefix(&self.root).unwrap_or_default();
        let read = path_url.strip_prefix(REPLAY_PATH).and_then(|rest| ReplayUrl::parse(rest, query));
        let Some((read, url)) = read.and_then(|read| read.target().map(|url| (read, url))) else {
            return Ok(HttpReply::plain(404, "No archived URL is named"));
        };
        let ReplayTime::Nearest(date) = read.time else { return Ok(HttpReply::plain(404, "No archived URL is named")) };
        let date = date.unwrap_or_else(CaptureDate::now);
        let shown = self.shown(url.clone(), date)?;
        let (url, shown_date) = shown.as_ref().map_or((url, date), |answer| (answer.url.clone(), answer.date));
        let catalogue = self.session.catalogue();
        let page = PageKey::of(&url);
        let mut near = catalogue.captures_near(&page, shown_date, 5)?;
        near.sort_by_key(|near| near.date);
        let version = |near: Option<&ListedCapture>| {
            near.map(|near| {
                let date = format!("{} UTC", near.date.to_readable());
                json!({"path": self.shown_path(&near.date.to_digits14(), &near.url), "date": date})
            })
        };
        let decision = match &shown {
            None => String::new(),
            Some(answer) => self.decision(answer)?,
        };
        let versions = self.versions(&PageRange::Exact(page), None, None)?.len() as u64;
        let log = crate::jobs::lock(&self.log).of_page(path);
        let drift = log
            .farthest
            .filter(|(_, far)| *far >= DAY_MS)
            .map(|(url, far)| format!("{} apart: {url}", counted((far / DAY_MS).unsigned_abs(), "day")));
        let encoded: String = url::form_urlencoded::byte_serialize(url.as_str().as_bytes()).collect();
        let answer = json!({
            "url": url.as_str(),
            "timestamp": shown_date.to_digits14(),
            "date": if shown.is_some() { format!("{} UTC", shown_date.to_readable()) } else { "not captured".to_owned() },
            "before": version(near.iter().rev().find(|near| near.date < shown_date)),
            "after": version(near.iter().find(|near| near.date > shown_date)),
            "all": format!("{}/list?url={encoded}", self.root),
            "versions": versions.min(MOST_VERSIONS),
            "decision": decision,
            "drift": drift.unwrap_or_default(),
            "missing": log.missing,
        });
        Ok(HttpReply::new(200, "application/json", answer.to_string()))
    }

    /// The capture that a browser shows for a page, behind its redirects.
    fn shown(&self, mut url: crate::uri::Url, date: CaptureDate) -> anyhow::Result<Option<ArchivedAnswer>> {
        for _ in 0..MOST_REDIRECTS {
            let lookup = Lookup { url: url.clone(), date, hint: Hint::Page, is_page: true, posted: None };
            match self.find(&lookup)? {
                LookupEnd::Capture { answer, .. } => match redirect_target(&answer.url, answer.status, &answer.headers)
                {
                    Some(target) => url = target,
                    None => return Ok(Some(*answer)),
                },
                LookupEnd::Moved(target) => url = target,
                LookupEnd::OnlyRedirect(_) | LookupEnd::Nothing => return Ok(None),
            }
        }
        Ok(None)
    }

    fn decision(&self, answer: &ArchivedAnswer) -> anyhow::Result<String> {
        let catalogue = self.session.catalogue();
        let row = catalogue.capture_row(answer.id)?;
        Ok(match (row.mark, catalogue.decision(answer.id)?) {
            (Some(mark), Some(decision)) => {
                let what = match mark {
                    ReviewMark::Approve => "approved",
                    ReviewMark::Reject => "rejected",
                    _ => "flagged",
                };
                let reason = if decision.note.is_empty() { String::new() } else { format!(": {}", decision.note) };
                format!("{what} by {}{reason}", decision.by())
            }
            _ => "not reviewed".to_owned(),
        })
    }

    /// All that replayed pages needed and did not get, a line each.
    fn missing(&self) -> HttpReply {
        let log = crate::jobs::lock(&self.log);
        let mut out = String::new();
        for (page, url) in log.missing() {
            let row = json!({"page": page, "url": url.url, "hint": url.hint, "why": url.why, "count": url.count});
            out.push_str(&row.to_string());
            out.push('\n');
        }
        HttpReply::new(200, "text/x-ndjson", out).with("X-Fonds-Escaped", &log.escaped.to_string())
    }
}
