//! The origin of this program's own pages: the page around a replayed one, what it shows, indexes, archive files.

use super::capture::ArchivedAnswer;
use super::lookup::{Lookup, LookupEnd, MOST_REDIRECTS};
use super::{Origin, Replay};
use crate::captures::redirect_target;
use crate::jobs::counted;
use crate::replay::{CdxPages, CdxRequest, Hint, Part, ReplayTime, ReplayUrl, cdx_key, frame_page, own_file, part_of};
use crate::serve::{HttpReply, HttpRequest, ReplyBody};
use crate::store::{ListedCapture, PageRange};
use crate::uri::{CaptureDate, PageKey};
use crate::warc::cdx::IndexLine;
use crate::work::models::{CaptureId, ReviewMark};
use percent_encoding::percent_decode_str;
use serde_json::json;
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;
/// Versions that are counted.
const MOST_VERSIONS: u64 = 10_000;

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
            let target = super::shown_path(&stored.date.to_digits14(), stored.url.as_str());
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
            let target = super::shown_path("", url.as_str());
            return Ok(HttpReply { headers: vec![("Location".into(), target)], ..HttpReply::new(302, "", "") });
        }
        let page = crate::replay::start_page(&counted(
            self.session.catalogue().newest_capture()?.get().unsigned_abs(),
            "capture",
        ));
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
        let page = frame_page(&self.origin(Origin::Archive), &Self::page_path(url.as_str(), date));
        Ok(HttpReply::html(200, page))
    }

    /// What the page around shows of the capture at a path.
    fn info(&self, path: &str) -> anyhow::Result<HttpReply> {
        let (path_url, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        let query = query.map(|query| query.split('#').next().unwrap_or_default());
        let path_url = path_url.split('#').next().unwrap_or_default();
        let read = path_url.strip_prefix("/w/").and_then(|rest| ReplayUrl::parse(rest, query));
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
                json!({"path": super::shown_path(&near.date.to_digits14(), &near.url), "date": date})
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
            "all": format!("/list?url={encoded}"),
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

    /// Answers as a CDX server.
    pub(super) fn cdx(&self, query: &str) -> anyhow::Result<HttpReply> {
        let wish = match CdxRequest::parse(query) {
            Ok(wish) => wish,
            Err(why) => return Ok(HttpReply::new(400, "application/json", json!({ "message": why }).to_string())),
        };
        let catalogue = self.session.catalogue();
        let most = u64::try_from(wish.captures_to_read()).unwrap_or(u64::MAX);
        let mut captures = match (&wish.pages, wish.closest) {
            (CdxPages::Exact(page), Some(date)) => catalogue.captures_near(page, date, most)?,
            (CdxPages::Exact(page), None) => {
                catalogue.list_captures(&PageRange::Exact(page.clone()), wish.between, MOST_VERSIONS.max(most))?
            }
            (CdxPages::Prefixes(prefixes), _) => {
                let mut all = Vec::new();
                for prefix in prefixes {
                    all.extend(catalogue.list_captures(&PageRange::Prefix(prefix.clone()), wish.between, most)?);
                }
                all
            }
        };
        if wish.reverse {
            captures.reverse();
        }
        let names = self.file_names()?;
        let is_within = |date: CaptureDate| wish.between.0 <= date && date <= wish.between.1;
        let lines = captures.into_iter().filter(|capture| !capture.file.is_empty() && is_within(capture.date));
        let lines = lines.map(|capture| index_line(capture, &names)).filter(|line| wish.takes(line));
        let mut lines = wish.collapsed(lines.collect());
        lines.truncate(wish.limit);
        Ok(HttpReply::new(200, wish.content_type(), wish.write(&lines)))
    }

    /// Names of archive files as indexes have them, by those in the catalogue: the last part, with the number of the
    /// file before it where others have the same.
    fn file_names(&self) -> anyhow::Result<HashMap<String, String>> {
        let files = self.session.catalogue().known_files()?;
        let mut uses: HashMap<String, u64> = HashMap::new();
        for file in &files {
            *uses.entry(base_name(&file.path).to_owned()).or_default() += 1;
        }
        let name = |id: &dyn std::fmt::Display, path: &str| match uses.get(base_name(path)) {
            Some(1) | None => base_name(path).to_owned(),
            Some(_) => format!("{id}/{}", base_name(path)),
        };
        Ok(files.into_iter().map(|file| (file.path.clone(), name(&file.id, &file.path))).collect())
    }

    /// The bytes of an archive file of the catalogue, or a part of them.
    fn archive_file(&self, name: &str, range: Option<&str>) -> anyhow::Result<HttpReply> {
        let missing = || HttpReply::plain(404, "The catalogue has no such archive file");
        let Ok(name) = percent_decode_str(name).decode_utf8() else { return Ok(missing()) };
        let names = self.file_names()?;
        let Some((path, _)) = names.iter().find(|(_, own)| **own == name) else { return Ok(missing()) };
        let path = self.session.workspace.file_path(path)?;
        let Ok(mut file) = File::open(&path) else { return Ok(missing()) };
        let len = file.metadata()?.len();
        let reply = |status, len: u64, file: File| HttpReply {
            body: ReplyBody::Stream(len, Box::new(file.take(len))),
            ..HttpReply::new(status, "application/warc", "")
        };
        let reply = match part_of(range, len) {
            Part::Whole => reply(200, len, file),
            Part::Outside => HttpReply::plain(416, "The range begins behind the end")
                .with("Content-Range", &format!("bytes */{len}")),
            Part::Bytes(part) => {
                file.seek(SeekFrom::Start(part.start))?;
                reply(206, part.end - part.start, file)
                    .with("Content-Range", &format!("bytes {}-{}/{len}", part.start, part.end - 1))
            }
        };
        Ok(reply.with("Accept-Ranges", "bytes"))
    }
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn index_line(capture: ListedCapture, names: &HashMap<String, String>) -> IndexLine {
    let digest = Some(capture.digest).filter(|digest| !digest.is_empty());
    let mime = if capture.is_revisit { "warc/revisit".to_owned() } else { capture.mime };
    IndexLine {
        key: cdx_key(&capture.url),
        date: capture.date,
        mime: Some(mime).filter(|mime| !mime.is_empty()),
        status: u16::try_from(capture.status).ok().filter(|status| *status > 0),
        digest,
        span: capture.span,
        filename: names.get(&capture.file).cloned().unwrap_or_else(|| base_name(&capture.file).to_owned()),
        url: capture.url,
        more: serde_json::Map::new(),
    }
}
