//! The origin of archived answers: captures, time gate, time map, lists.

use super::known::what_is_known;
use super::lookup::{Lookup, LookupEnd};
use super::{Origin, Replay};
use crate::replay::{Hint, MementoLinks, REPLAY_PATH, ReplayTime, ReplayUrl, own_file, parse_http_date, step_page};
use crate::serve::{HttpReply, HttpRequest};
use crate::store::{Answers, ListedCapture, PageRange};
use crate::uri::{CaptureDate, PageKey, Url};
use crate::warc::Headers;
use crate::warc::http::HttpRequestHead;

/// Captures that a list shows.
const MOST_LISTED: u64 = 10_000;

impl Replay {
    pub(super) fn archive(&self, request: &HttpRequest) -> anyhow::Result<HttpReply> {
        if request.path == "/blocked" {
            return Ok(self.blocked(request));
        }
        if request.method == "OPTIONS" {
            return Ok(HttpReply::plain(200, "").with("Allow", "GET, HEAD, POST, OPTIONS"));
        }
        if !matches!(request.method.as_str(), "GET" | "HEAD" | "POST") {
            return Ok(HttpReply::method_not_allowed("GET, HEAD, POST, OPTIONS"));
        }
        if let Some(file) = own_file(&request.path) {
            return Ok(file);
        }
        if request.path.starts_with("/player/") {
            return Ok(self.player_file(request));
        }
        let Some(rest) = request.path.strip_prefix(REPLAY_PATH) else { return Ok(self.escaped(request)) };
        if let Some((format, url)) = rest.strip_prefix("timemap/").and_then(|rest| rest.split_once('/')) {
            return self.time_map(format, url, request.query.as_deref());
        }
        let parsed = ReplayUrl::parse(rest, request.query.as_deref());
        let Some((read, url)) = parsed.and_then(|read| read.target().map(|url| (read, url))) else {
            return Ok(self.own_page(
                404,
                "No archived URL is named",
                &["An address here is /w/ and an archived URL.".to_owned()],
                &[],
            ));
        };
        let date = match read.time {
            ReplayTime::Between(from, until) => return self.list(&read.url, from, until, false),
            ReplayTime::Nearest(date) => date,
        };
        // A worker of an archived site would answer for all others.
        if read.hint == Hint::Worker || request.header("Service-Worker").is_some() {
            return Ok(self.not_found(request, &read, &url, Some("workers of archived pages are not run")));
        }
        if read.hint != Hint::Raw && read.url.splitn(4, '/').nth(3).is_none() && url.has_host() {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            return Ok(moved(307, &self.capture_path(&rest[..digits], read.hint, url.as_str())));
        }
        let is_navigation = request.header("Sec-Fetch-Mode") == Some("navigate");
        let is_page = matches!(request.header("Sec-Fetch-Dest"), Some("document" | "iframe" | "frame"));
        let is_followed = is_navigation
            && request.method == "GET"
            && request.header("Sec-Fetch-Site") == Some("same-origin")
            && request.header("Sec-Fetch-Dest") == Some("iframe")
            && matches!(read.hint, Hint::Page | Hint::None);
        if is_followed {
            return Ok(HttpReply::html(200, step_page(&self.root, &self.origin(Origin::Control))));
        }
        let posted = (request.method == "POST").then(|| (request_head(request), request.body.as_slice()));
        if (date.is_none() || read.hint == Hint::None) && posted.is_none() {
            return self.time_gate(request, &read, &url, date);
        }
        let date = date.unwrap_or_else(CaptureDate::now);
        let lookup =
            Lookup { url: url.clone(), date, hint: read.hint, is_page: is_page || read.hint == Hint::Raw, posted };
        // As many digits as were named, so that links of a page have its own.
        let timestamp = date.to_digits14();
        match self.find(&lookup)? {
            LookupEnd::Capture { answer, is_similar } => {
                let reply = self.reply(&answer, request, &timestamp, read.hint)?;
                if let Some(referer) = request.header("Referer") {
                    let mut log = crate::jobs::lock(&self.log);
                    if matches!(read.hint, Hint::Style | Hint::Frame | Hint::OldFrame) {
                        log.note_part(&request.target(), referer);
                    }
                    if !is_navigation {
                        log.note_date(referer, answer.url.as_str(), answer.date);
                    }
                }
                Ok(if is_similar { reply.with("X-Fonds-Other-Url", answer.url.as_str()) } else { reply })
            }
            LookupEnd::Moved(url) => Ok(moved(307, &self.capture_path(&timestamp, read.hint, url.as_str()))),
            LookupEnd::OnlyRedirect(target) => {
                let why = format!("its captures lead to {target}, which was not captured");
                Ok(self.not_found(request, &read, &url, Some(&why)))
            }
            LookupEnd::Nothing => Ok(self.not_found(request, &read, &url, None)),
        }
    }

    /// Leads to the capture nearest to a date (RFC 7089, pattern 2.1).
    fn time_gate(
        &self,
        request: &HttpRequest,
        read: &ReplayUrl,
        url: &Url,
        date: Option<CaptureDate>,
    ) -> anyhow::Result<HttpReply> {
        let named = request.header("Accept-Datetime").filter(|date| !date.trim().is_empty());
        let wished = match named.map(parse_http_date) {
            Some(None) => {
                return Ok(HttpReply::plain(
                    400,
                    "Accept-Datetime has to be such a date: Fri, 05 Jan 2024 09:30:00 GMT",
                ));
            }
            Some(date) => date,
            None => date,
        };
        let catalogue = self.session.catalogue();
        let date = wished.unwrap_or_else(CaptureDate::now);
        let Some(near) = catalogue.nearest_capture(&PageKey::of(url), date, Answers::All)? else {
            return Ok(self.not_found(request, read, url, None));
        };
        let near = catalogue.stored_capture(near)?;
        let base = self.base(Origin::Archive);
        let links = MementoLinks { base: &base, url: near.url.as_str() };
        let target = match read.hint {
            Hint::None | Hint::Page => links.memento(near.date),
            hint => {
                let path = self.capture_path(&near.date.to_digits14(), hint, near.url.as_str());
                format!("{}{path}", self.origin(Origin::Archive))
            }
        };
        Ok(moved(302, &target).with("Vary", "accept-datetime").with("Link", &links.field(near.date, true)))
    }

    fn time_map(&self, format: &str, url: &str, query: Option<&str>) -> anyhow::Result<HttpReply> {
        if !matches!(format, "link" | "json" | "cdxj") {
            let message = serde_json::json!({"message": format!("output={format} not supported")});
            return Ok(HttpReply::new(400, "application/json", message.to_string()));
        }
        let url = ReplayUrl::parse(url, query).and_then(|read| read.target());
        let Some(url) = url else { return Ok(HttpReply::new(404, "text/plain", "")) };
        let captures = self.versions(&PageRange::Exact(PageKey::of(&url)), None, None)?;
        if captures.is_empty() {
            return Ok(HttpReply::new(404, "text/plain", ""));
        }
        if format != "link" {
            let encoded: String = url::form_urlencoded::byte_serialize(url.as_str().as_bytes()).collect();
            return self.cdx(&format!("url={encoded}&output={format}"));
        }
        let dates: Vec<CaptureDate> = captures.iter().map(|capture| capture.date).collect();
        let links = MementoLinks { base: &self.base(Origin::Archive), url: url.as_str() };
        Ok(HttpReply::new(200, "application/link-format", links.time_map(&dates)))
    }

    pub(super) fn versions(
        &self,
        pages: &PageRange,
        from: Option<CaptureDate>,
        until: Option<CaptureDate>,
    ) -> anyhow::Result<Vec<ListedCapture>> {
        let from = from.unwrap_or(CaptureDate::from_millis(i64::MIN));
        let until = until.unwrap_or(CaptureDate::from_millis(i64::MAX));
        Ok(self.session.catalogue().list_captures(pages, (from, until), MOST_LISTED)?)
    }

    /// A page with captures of a URL, or of all that begin with one.
    pub(super) fn list(
        &self,
        url: &str,
        from: Option<CaptureDate>,
        until: Option<CaptureDate>,
        is_framed: bool,
    ) -> anyhow::Result<HttpReply> {
        let (target, is_prefix) = url.strip_suffix('*').map_or((url, false), |url| (url, true));
        let Some(parsed) = Url::parse(target).ok() else {
            return Ok(self.own_page(404, "No archived URL is named", &[], &[]));
        };
        let key = PageKey::of(&parsed);
        let pages = if is_prefix { PageRange::Prefix(key.as_str().to_owned()) } else { PageRange::Exact(key) };
        let captures = self.versions(&pages, from, until)?;
        let links: Vec<(String, String, String)> = captures
            .iter()
            .map(|capture| {
                let path = match is_framed {
                    true => self.shown_path(&capture.date.to_digits14(), &capture.url),
                    false => self.page_path(&capture.url, capture.date),
                };
                let kind = if capture.is_revisit { "repeats an earlier one" } else { capture.mime.as_str() };
                let about = format!("{} {kind} {}", capture.status, if is_prefix { capture.url.as_str() } else { "" });
                (path, format!("{} UTC", capture.date.to_readable()), about)
            })
            .collect();
        let status = if links.is_empty() { 404 } else { 200 };
        let mut sentences = vec![crate::jobs::counted(links.len() as u64, "capture")];
        if links.len() as u64 == MOST_LISTED {
            sentences.push("There may be more: this list has no room for them.".to_owned());
        }
        Ok(self.own_page(status, url, &sentences, &links))
    }

    /// What follows [`REPLAY_PATH`] in the `Referer` of a request, where that is an archived page of this replay.
    fn archived_referer<'r>(&self, request: &'r HttpRequest) -> Option<&'r str> {
        request.header("Referer")?.strip_prefix(&self.base(Origin::Archive))?.strip_prefix(REPLAY_PATH)
    }

    /// Whether an archived page of this replay sends a request.
    pub(super) fn is_of_page(&self, request: &HttpRequest) -> bool {
        self.archived_referer(request).is_some()
    }

    /// A path beside [`REPLAY_PATH`] that an archived page named; its `Referer` says of which site.
    pub(super) fn escaped(&self, request: &HttpRequest) -> HttpReply {
        let page = self.archived_referer(request).and_then(|rest| {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count().min(14);
            let read = ReplayUrl::parse(rest, None)?;
            let url = read.target()?.join(&request.target()).ok()?;
            Some(self.capture_path(
                &rest[..digits],
                if read.hint == Hint::None { Hint::Page } else { read.hint },
                url.as_str(),
            ))
        });
        match page {
            Some(path) => moved(307, &path),
            None => {
                crate::jobs::lock(&self.log).escaped += 1;
                self.own_page(
                    404,
                    "This server has no such page",
                    &["Archived pages have addresses that begin with /w/.".to_owned()],
                    &[],
                )
            }
        }
    }

    /// Takes a report of the policy: what a script wanted to load of the web. Whether it was captured is part of it.
    fn blocked(&self, request: &HttpRequest) -> HttpReply {
        let report: serde_json::Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let field = |name: &str| report["csp-report"][name].as_str().unwrap_or_default();
        let (page, url) = (field("document-uri"), field("blocked-uri"));
        if let Ok(parsed) = Url::parse(url)
            && parsed.has_host()
        {
            let is_captured = self.session.catalogue().last_capture(&PageKey::of(&parsed)).ok().flatten().is_some();
            let why = || match is_captured {
                true => {
                    "a script requested it by an address that cannot be led to its capture, which is there".to_owned()
                }
                false => what_is_known(&self.session, &parsed).brief,
            };
            crate::jobs::lock(&self.log).note_missing(page, url, "", why);
        } else if request.query.as_deref() == Some("what=worker") {
            let page = request.header("Referer").unwrap_or_default();
            let why = || "workers of archived pages are not run".to_owned();
            crate::jobs::lock(&self.log).note_missing(page, "a service worker", "", why);
        }
        HttpReply { headers: Vec::new(), ..HttpReply::new(204, "", "") }
    }

    /// A file of the person's own player.
    fn player_file(&self, request: &HttpRequest) -> HttpReply {
        let missing = || HttpReply::plain(404, "There is no such file of a player");
        let Some(folder) = &self.player else { return missing() };
        if request.path == "/player/open" {
            return crate::replay::player_page();
        }
        let Some(path) = request.file_path() else { return missing() };
        let Ok(inside) = path.strip_prefix("player") else { return missing() };
        let inside = if inside.as_os_str().is_empty() { std::path::Path::new("index.html") } else { inside };
        // A link leads nowhere else.
        let (Ok(folder), Ok(file)) = (folder.canonicalize(), folder.join(inside).canonicalize()) else {
            return missing();
        };
        match std::fs::read(&file) {
            Ok(bytes) if file.starts_with(&folder) => {
                HttpReply::new(200, crate::serve::type_by_name(&file.to_string_lossy()), bytes)
            }
            _ => missing(),
        }
    }

    /// Says what is known of a URL without a capture.
    fn not_found(&self, request: &HttpRequest, read: &ReplayUrl, url: &Url, why: Option<&str>) -> HttpReply {
        let known = what_is_known(&self.session, url);
        let reason = why.map_or_else(|| known.brief.clone(), str::to_owned);
        if let Some(referer) = request.header("Referer") {
            let log = &mut crate::jobs::lock(&self.log);
            log.note_missing(referer, &read.url, read.hint.as_str(), || reason.clone());
        }
        match read.hint {
            Hint::Script | Hint::Style => {
                let mime = if read.hint == Hint::Script { "text/javascript" } else { "text/css" };
                HttpReply::new(404, mime, "/* not captured */\n")
            }
            Hint::Image | Hint::Other | Hint::Raw => HttpReply::plain(404, "not captured"),
            _ => {
                let mut sentences = vec![format!("{}: {reason}.", read.url)];
                sentences.extend(known.sentences);
                let prefix = url.join(".").map_or_else(|_| url.to_string(), String::from);
                let around = (
                    format!("{}{REPLAY_PATH}*/{prefix}*", self.root),
                    "Captures below this address".to_owned(),
                    prefix.clone(),
                );
                self.own_page(404, "This was not captured", &sentences, &[around])
            }
        }
    }
}

fn moved(status: u16, target: &str) -> HttpReply {
    HttpReply { headers: vec![("Location".into(), target.into())], ..HttpReply::new(status, "", "") }
}

/// The head of a request as records have it.
pub(super) fn request_head(request: &HttpRequest) -> HttpRequestHead {
    let mut headers = Headers::new();
    request.headers.iter().for_each(|(name, value)| headers.push(name, value));
    HttpRequestHead {
        method: request.method.clone(),
        target: request.target(),
        version: "HTTP/1.1".to_owned(),
        headers,
        head_len: 0,
        flaws: Vec::new(),
    }
}
