//! Requests to a service, its answers, and what all protocols read of them.

use crate::crawl::retry_after;
use crate::uri::{CaptureDate, Url, drop_user, resolve};
use crate::warc::Headers;
use crate::warc::http::MediaType;
use serde_json::Value;
use std::time::Duration;

/// Bytes of an address that is queued.
const MAX_URL_BYTES: usize = 2_000;
/// Bytes of a title that is kept.
const MAX_TITLE_BYTES: usize = 300;
/// Bytes of what a server says that are shown.
const MAX_SHOWN_BYTES: usize = 200;

/// A request to a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiRequest {
    /// Where it goes.
    pub url: Url,
    /// Conditions of it: header fields besides the usual ones.
    pub conditions: Vec<(&'static str, String)>,
}

impl ApiRequest {
    /// A request without conditions.
    pub fn new(url: Url) -> Self {
        Self { url, conditions: Vec::new() }
    }
}

/// An answer of a service, without transfer and content encoding.
#[derive(Debug, Clone)]
pub struct ApiAnswer {
    /// Where it came from, after redirects.
    pub url: Url,
    /// HTTP status.
    pub status: u16,
    /// Its header fields.
    pub headers: Headers,
    /// Its body, as far as it is kept.
    pub body: Vec<u8>,
    /// Why it is not whole; none where it is.
    pub cut: Option<String>,
    /// When it came, by the clock of this machine.
    pub date: CaptureDate,
}

/// The reason why an answer gives no items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The server requests a wait before the same request.
    Wait(Duration, String),
    /// There is no such page: the list ended before it.
    BeyondEnd,
    /// The source is gone for good (410).
    Gone(String),
    /// Anything else, for a person.
    Failed(String),
}

/// A page that a source names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceItem {
    /// The page for people.
    pub url: Url,
    /// Its title, as the source has it; may be empty.
    pub title: String,
    /// Its state by the source's word, such as the date of its last change; empty where it has none.
    pub version: String,
    /// Addresses in its text that lead to other sites.
    pub links: Vec<Url>,
}

impl SourceItem {
    /// An item whose address can be fetched.
    pub fn at(base: &Url, reference: &str, title: &str, version: impl Into<String>) -> Option<Self> {
        let url = web_address(base, reference)?;
        let title = title.trim();
        let title = title[..title.floor_char_boundary(MAX_TITLE_BYTES)].to_owned();
        Some(Self { url, title, version: version.into(), links: Vec::new() })
    }
}

/// The address of a page, without user and fragment; none where it is none of the web or too long.
pub(super) fn web_address(base: &Url, reference: &str) -> Option<Url> {
    let reference = reference.trim();
    if reference.is_empty() || reference.len() > MAX_URL_BYTES {
        return None;
    }
    let mut url = resolve(base, reference).filter(|url| matches!(url.scheme(), "http" | "https"))?;
    drop_user(&mut url);
    url.set_fragment(None);
    (url.as_str().len() <= MAX_URL_BYTES && url.has_host()).then_some(url)
}

impl ApiAnswer {
    /// The time of the server, by its `Date`, else that of this machine.
    pub fn server_time(&self) -> CaptureDate {
        let date = self.headers.get_trimmed("Date");
        date.and_then(|date| mail_date(&date)).unwrap_or(self.date)
    }

    /// The wait that `Retry-After` or a rate limit that is used up requests.
    pub fn requested_wait(&self) -> Option<Duration> {
        if let Some(wait) =
            self.headers.get_trimmed("Retry-After").and_then(|text| retry_after(&text, self.server_time()))
        {
            return Some(wait);
        }
        let remaining = self.headers.get_trimmed("X-RateLimit-Remaining")?;
        let reset = self.headers.get_trimmed("X-RateLimit-Reset").filter(|_| remaining == "0")?;
        // An instant of the server's clock, which may be wrong: only the difference counts.
        let wait_ms = CaptureDate::parse(&reset).ok()?.millis().saturating_sub(self.server_time().millis());
        Some(Duration::from_millis(u64::try_from(wait_ms).unwrap_or(0)))
    }

    /// Refuses what no protocol takes: errors, waits, answers that are cut.
    pub(super) fn check(&self) -> Result<(), Refusal> {
        match self.status {
            200..=299 => match &self.cut {
                None => Ok(()),
                Some(why) => Err(Refusal::Failed(format!("the answer is not whole: {why}"))),
            },
            410 => Err(Refusal::Gone("the server says that it is gone for good (410)".to_owned())),
            429 | 503 => {
                let wait = self.requested_wait().or_else(|| self.wait_in_body());
                Err(Refusal::Wait(wait.unwrap_or(DEFAULT_WAIT), format!("the server is busy ({})", self.status)))
            }
            401 | 403 | 422 => Err(Refusal::Failed(format!(
                "the server does not let everybody read this ({}){}: it needs a token (fonds sources token), or is closed",
                self.status,
                self.message()
            ))),
            404 => Err(Refusal::Failed(format!("there is nothing at {} (404){}", self.url, self.message()))),
            status => Err(Refusal::Failed(format!("the server answered {status}{}", self.message()))),
        }
    }

    /// Seconds to wait that the body has (Discourse).
    fn wait_in_body(&self) -> Option<Duration> {
        let body: Value = serde_json::from_slice(&self.body).ok()?;
        let seconds = body["extras"]["wait_seconds"].as_f64().filter(|seconds| (0.0..1e7).contains(seconds))?;
        Some(Duration::from_secs_f64(seconds))
    }

    /// What an error says, for people.
    fn message(&self) -> String {
        let Ok(body) = serde_json::from_slice::<Value>(&self.body) else { return String::new() };
        let texts = [&body["message"], &body["error"]["info"], &body["error"], &body["errors"][0]];
        let Some(text) = texts.into_iter().find_map(Value::as_str) else { return String::new() };
        format!(": “{}”", &text[..text.floor_char_boundary(MAX_SHOWN_BYTES)])
    }

    /// The body as JSON.
    pub(super) fn json(&self) -> Result<Value, Refusal> {
        self.check()?;
        serde_json::from_slice(&self.body).map_err(|error| {
            let is_html = self.body.trim_ascii_start().starts_with(b"<");
            Refusal::Failed(match is_html {
                true => {
                    format!("{} answered a page and not JSON: it is no such interface, or that is closed", self.url)
                }
                false => format!("{}: the answer is no JSON ({error})", self.url),
            })
        })
    }

    /// The `charset` of its `Content-Type`.
    pub(super) fn charset(&self) -> Option<String> {
        MediaType::of(&self.headers).charset
    }

    /// The target of a `Link` field with this relation.
    pub(super) fn link(&self, rel: &str) -> Option<Url> {
        self.headers.all("Link").find_map(|field| {
            let field = String::from_utf8_lossy(field);
            let mut rest = &*field;
            while let Some((reference, behind)) = rest.split_once('<').and_then(|(_, behind)| behind.split_once('>')) {
                let parameters = behind.split('<').next().unwrap_or_default();
                let has_rel = parameters.split([';', ',']).any(|part| {
                    let value = part.trim().strip_prefix("rel=");
                    value.is_some_and(|value| value.trim_matches('"').split_whitespace().any(|word| word == rel))
                });
                if has_rel {
                    return resolve(&self.url, reference.trim());
                }
                rest = behind;
            }
            None
        })
    }
}

/// The wait where a server that is busy names none.
const DEFAULT_WAIT: Duration = Duration::from_secs(30);

/// A date of a service as the catalogue keeps it: UTC, to the second.
pub(super) fn plain_date(text: &str) -> Option<String> {
    let date = CaptureDate::parse(text).ok().or_else(|| mail_date(text))?;
    Some(CaptureDate::from_seconds(date.seconds()).to_warc())
}

fn mail_date(text: &str) -> Option<CaptureDate> {
    let date = jiff::fmt::rfc2822::parse(text.trim()).ok()?;
    Some(CaptureDate::from_millis(date.timestamp().as_millisecond()))
}

/// A mark that is so many seconds earlier, so that what came in the same second is not missed.
pub(super) fn earlier(mark: &str, seconds: i64) -> String {
    match CaptureDate::parse(mark) {
        Ok(date) => CaptureDate::from_seconds(date.seconds() - seconds).to_warc(),
        Err(_) => mark.to_owned(),
    }
}
