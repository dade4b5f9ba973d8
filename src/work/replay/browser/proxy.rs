//! A proxy that answers every URL with its capture, bytes and fields as they were archived, and nothing else.

use super::certificate::PinnedCertificate;
use super::tunnel::{Behind, pass_on};
use crate::jobs::lock;
use crate::replay::{Hint, Part, part_of};
use crate::serve::{Handler, HttpReply, HttpRequest, HttpServer, ReplyBody, ServerLimits};
use crate::uri::{CaptureDate, Url};
use crate::work::replay::archive::request_head;
use crate::work::replay::capture::{ArchivedAnswer, ArchivedBody};
use crate::work::replay::known::what_is_known;
use crate::work::replay::lookup::{Lookup, LookupEnd};
use crate::work::replay::{MAX_BODY_BYTES, Replay};
use serde::{Deserialize, Serialize};
use std::io::{self, Read};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Requests that are remembered.
const MOST_REQUESTS: usize = 5_000;
/// Connections of a browser at once.
const MAX_CONNECTIONS: usize = 256;
/// Hosts that Chromium contacts by itself (measured with Chromium 150).
const OF_THE_BROWSER: [&str; 6] = [
    "update.googleapis.com",
    "clients2.google.com",
    "accounts.google.com",
    "redirector.gvt1.com",
    "optimizationguide-pa.googleapis.com",
    "content-autofill.googleapis.com",
];

/// A request of a page and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageRequest {
    /// Its URL. Hostile text.
    pub url: String,
    /// HTTP status of the capture; none where nothing was captured.
    pub status: Option<u16>,
    /// Why there is no capture, for people; empty where there is one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// Milliseconds from the date of the page to that of the capture.
    #[serde(default)]
    pub distance_ms: i64,
}

/// What a proxy answers by, and what it was requested.
struct Answering {
    replay: Arc<Replay>,
    date: Mutex<CaptureDate>,
    requests: Mutex<Vec<PageRequest>>,
}

/// A running proxy; it ends when dropped.
pub(super) struct ArchiveProxy {
    pub(super) address: SocketAddr,
    /// The pin of its certificate ([`PinnedCertificate::pin`]).
    pub(super) pin: String,
    answering: Arc<Answering>,
    is_ending: Arc<AtomicBool>,
    listener: Option<JoinHandle<()>>,
    _servers: [HttpServer; 2],
}

impl ArchiveProxy {
    /// Starts one at a free port of loopback; it answers with the captures nearest to `date`.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub(super) fn start(replay: Arc<Replay>, date: CaptureDate) -> anyhow::Result<Self> {
        let answering = Arc::new(Answering { replay, date: Mutex::new(date), requests: Mutex::default() });
        let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let begin = |scheme| {
            let limits =
                ServerLimits { body_bytes: MAX_BODY_BYTES, connections: MAX_CONNECTIONS, ..ServerLimits::default() };
            let handler = OfScheme { scheme, answering: Arc::clone(&answering) };
            let mut server = HttpServer::new(Arc::new(handler), limits);
            let address = server.listen(loopback)?;
            Ok::<_, io::Error>((server, address))
        };
        let ((http, http_address), (https, https_address)) = (begin("http")?, begin("https")?);
        let behind = Behind { http: http_address, https: https_address };
        let certificate = PinnedCertificate::new()?;
        let listener = TcpListener::bind(loopback)?;
        let address = listener.local_addr()?;
        let is_ending = Arc::new(AtomicBool::new(false));
        let (ending, tls) = (Arc::clone(&is_ending), certificate.tls);
        let accepting = move || {
            for client in listener.incoming() {
                if ending.load(Ordering::SeqCst) {
                    return;
                }
                let (Ok(client), tls) = (client, Arc::clone(&tls)) else { continue };
                let passing = move || {
                    if let Err(error) = pass_on(client, behind, tls) {
                        tracing::debug!(%error, "a connection of the browser ended");
                    }
                };
                // Where the system has no thread left, the browser loses this connection alone.
                drop(std::thread::Builder::new().name("proxy connection".into()).spawn(passing));
            }
        };
        let listener = std::thread::Builder::new().name("archive proxy".into()).spawn(accepting)?;
        Ok(Self {
            address,
            pin: certificate.pin,
            answering,
            is_ending,
            listener: Some(listener),
            _servers: [http, https],
        })
    }

    /// From now on, answers are the captures nearest to this date, and no requests are known.
    pub(super) fn begin_page(&self, date: CaptureDate) {
        *lock(&self.answering.date) = date;
        lock(&self.answering.requests).clear();
    }

    /// The requests since then, in their order; a URL is named once.
    pub(super) fn requests(&self) -> Vec<PageRequest> {
        lock(&self.answering.requests).clone()
    }
}

impl Drop for ArchiveProxy {
    fn drop(&mut self) {
        self.is_ending.store(true, Ordering::SeqCst);
        let woken = TcpStream::connect_timeout(&self.address, Duration::from_secs(1)).is_ok();
        if let Some(listener) = self.listener.take().filter(|_| woken) {
            drop(listener.join());
        }
    }
}

/// The server behind a proxy for URLs of one scheme.
struct OfScheme {
    scheme: &'static str,
    answering: Arc<Answering>,
}

impl Handler for OfScheme {
    fn handle(&self, request: &HttpRequest) -> HttpReply {
        let host = request.header("Host").unwrap_or_default();
        let Ok(url) = Url::parse(&format!("{}://{host}{}", self.scheme, request.target())) else {
            return HttpReply::plain(400, "This is no URL");
        };
        if request.method == "OPTIONS" && request.header("Access-Control-Request-Method").is_some() {
            return preflight(request);
        }
        let answer = self.answering.answer(request, &url);
        answer.unwrap_or_else(|error| {
            let why = crate::work::error_chain(&error);
            tracing::warn!(%url, why, "a request of the browser cannot be answered");
            self.answering.note(PageRequest { url: url.to_string(), status: None, why, distance_ms: 0 });
            HttpReply::plain(500, "this capture cannot be read")
        })
    }
}

impl Answering {
    fn answer(&self, request: &HttpRequest, url: &Url) -> anyhow::Result<HttpReply> {
        let date = *lock(&self.date);
        let is_page = matches!(request.header("Sec-Fetch-Dest"), Some("document" | "iframe" | "frame"))
            || request.header("Sec-Fetch-Dest").is_none();
        let hint = if is_page { Hint::Page } else { Hint::Other };
        let posted = (request.method == "POST").then(|| (request_head(request), request.body.as_slice()));
        let found = self.replay.find(&Lookup { url: url.clone(), date, hint, is_page, posted })?;
        let answer = match found {
            LookupEnd::Capture { answer, .. } => answer,
            // The same page but for a slash: a browser has to know, since links are relative to it.
            LookupEnd::Moved(target) => {
                return Ok(HttpReply::plain(307, "").with("Location", target.as_str()));
            }
            LookupEnd::OnlyRedirect(target) => {
                let why = format!("its captures lead to {target}, which was not captured");
                return Ok(self.missing(url, why));
            }
            LookupEnd::Nothing if OF_THE_BROWSER.contains(&request.host.as_str()) => {
                return Ok(HttpReply::plain(404, "not captured"));
            }
            LookupEnd::Nothing => return Ok(self.missing(url, what_is_known(&self.replay.session, url).brief)),
        };
        let reply = as_archived(&answer, request)?;
        let Some(reply) = reply else {
            return Ok(self.missing(url, "it repeats a capture that is not in this archive".to_owned()));
        };
        self.note(PageRequest {
            url: url.to_string(),
            status: Some(answer.status),
            why: String::new(),
            distance_ms: answer.date.millis() - date.millis(),
        });
        Ok(reply)
    }

    fn missing(&self, url: &Url, why: String) -> HttpReply {
        self.note(PageRequest { url: url.to_string(), status: None, why, distance_ms: 0 });
        HttpReply::plain(404, "not captured")
    }

    fn note(&self, request: PageRequest) {
        let mut requests = lock(&self.requests);
        if requests.len() < MOST_REQUESTS && requests.iter().all(|known| known.url != request.url) {
            requests.push(request);
        }
    }
}

/// Says that a page may request what it wants: whether it was captured is the answer to that.
fn preflight(request: &HttpRequest) -> HttpReply {
    let field = |name: &str| request.header(name).unwrap_or("*").to_owned();
    HttpReply { headers: Vec::new(), ..HttpReply::new(204, "", "") }
        .with("Access-Control-Allow-Origin", &field("Origin"))
        .with("Access-Control-Allow-Credentials", "true")
        .with("Access-Control-Allow-Methods", &field("Access-Control-Request-Method"))
        .with("Access-Control-Allow-Headers", &field("Access-Control-Request-Headers"))
}

/// Fields that speak of a connection, or tell a browser what it shall do after this session.
const LEFT_OUT: [&str; 20] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "content-length",
    "content-range",
    "date",
    "strict-transport-security",
    "public-key-pins",
    "public-key-pins-report-only",
    "expect-ct",
    "alt-svc",
    "report-to",
    "reporting-endpoints",
    "nel",
    "content-security-policy-report-only",
];

/// A capture as it was archived; none where it repeats one that is not there.
fn as_archived(answer: &ArchivedAnswer, request: &HttpRequest) -> anyhow::Result<Option<HttpReply>> {
    let is_encoded = answer.headers.get_text("Content-Encoding").is_some_and(|coding| !coding.trim().is_empty());
    let len = match &answer.body {
        ArchivedBody::Absent(_) => return Ok(None),
        ArchivedBody::File(body) => body.len,
        ArchivedBody::Memory(..) => answer.entity().unwrap_or_default().len() as u64,
    };
    let range = request.header("Range").filter(|_| answer.status == 200 && !is_encoded);
    let (status, part) = match part_of(range, len) {
        Part::Whole => (answer.status, 0..len),
        Part::Bytes(part) => (206, part),
        Part::Outside => {
            let reply = HttpReply::plain(416, "The range begins behind the end");
            return Ok(Some(reply.with("Content-Range", &format!("bytes */{len}"))));
        }
    };
    let part_len = part.end - part.start;
    let body = match &answer.body {
        ArchivedBody::File(body) => ReplyBody::Stream(part_len, Box::new(body.read_from(part.start)?.take(part_len))),
        // It fits: it is in memory.
        _ => ReplyBody::Bytes(
            answer
                .entity()
                .unwrap_or_default()
                .get(part.start as usize..part.end as usize)
                .unwrap_or_default()
                .to_vec(),
        ),
    };
    let mut reply = HttpReply { status, headers: Vec::new(), body, ..HttpReply::new(200, "", "") };
    for (name, value) in answer.headers.iter() {
        if !LEFT_OUT.iter().any(|own| own.eq_ignore_ascii_case(name)) {
            // Bytes of fields are Latin-1 where they are no UTF-8.
            let value = std::str::from_utf8(value)
                .map_or_else(|_| value.iter().map(|byte| char::from(*byte)).collect(), str::to_owned);
            reply.headers.push((name.to_owned(), value));
        }
    }
    if status == 206 {
        reply = reply.with("Content-Range", &format!("bytes {}-{}/{len}", part.start, part.end.saturating_sub(1)));
    }
    Ok(Some(reply))
}
