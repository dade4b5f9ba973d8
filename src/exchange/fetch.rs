//! Fetcher of one URL: a GET out, the answer in, byte for byte.
//!
//! Nothing is followed, decoded or corrected. `Accept-Encoding: identity` is
//! sent: compressed bodies would be kept as they come, but their bytes differ
//! from one answer to the next while the page does not, and revisits would be
//! missed; the WARC file compresses anyway.

use super::answer::{CutCause, Exchange, IncomingAnswer, IncomingHeads, READ_BYTES, SentRequest};
use super::disk::{DiskGate, Reservation};
use super::message::{Framing, Head};
use super::resolver::{HostOverride, Resolver, private_address};
use super::spool::Spool;
use super::wire::{
    Abandon, AddressGate, ConnectError, Connection, Deadline, IdleConnections, Origin, TlsClient, Way, WirePlace,
};
use crate::campaign::PrivateAddresses;
use crate::jobs::{JobCx, counted_time, filled, is_disk_full};
use crate::scope::AnswerSource;
use crate::uri::{Clock, Url, authority_of};
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Silence of a server before it is given up.
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);
/// A connection is not kept open for longer answers than a day.
const LONGEST: Duration = Duration::from_secs(86_400);
/// Time for a connection, and then for the head of an answer, interim heads
/// too: a server that sends it byte by byte holds a worker no longer.
const HEAD_TIMEOUT: Duration = Duration::from_secs(60);
/// The time over which the rate of a body is averaged.
const RATE_WINDOW: Duration = Duration::from_secs(60);

/// Heritrix's numbers for URLs that got no answer (`FetchStatusCodes`).
pub mod fetch_status {
    /// No request yet: its address has enough exchanges in flight.
    pub const NOT_ATTEMPTED: i32 = 0;
    /// The host name could not be resolved.
    pub const DNS_FAILED: i32 = -1;
    /// No connection.
    pub const CONNECT_FAILED: i32 = -2;
    /// The connection was lost before an answer.
    pub const CONNECT_LOST: i32 = -3;
    /// No answer in time.
    pub const TIMEOUT: i32 = -4;
    /// The crawler itself failed on it (Heritrix: a runtime exception).
    pub const RUNTIME_EXCEPTION: i32 = -5;
    /// The answer is no HTTP.
    pub const UNFETCHABLE: i32 = -7;
    /// The host refused too often (429, 503).
    pub const TOO_MANY_RETRIES: i32 = -8;
    /// The answer could not be kept for want of room. Never written: the URL
    /// goes back into the queue.
    pub const DISK_FULL: i32 = i32::MIN;
    /// The answer could not be kept, for another reason. Never written: the
    /// crawl ends.
    pub const DISK_FAILED: i32 = i32::MIN + 1;
    /// robots.txt could not be had.
    pub const ROBOTS_PREREQUISITE_FAILED: i32 = -61;
    /// A rule rejects it, now that more is known.
    pub const OUT_OF_SCOPE: i32 = -5000;
    /// A setting of the campaign forbids it.
    pub const BLOCKED_BY_SETTING: i32 = -5001;
    /// robots.txt forbids it.
    pub const ROBOTS_PRECLUDED: i32 = -9998;
}

/// A URL got no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FetchError {
    /// One of [`fetch_status`].
    pub status: i32,
    /// Why, for a person.
    pub message: String,
    /// Whether another try may help.
    pub retry: bool,
    /// Time it took, where a request was sent at all.
    pub took: Option<Duration>,
}

impl FetchError {
    /// One that another try may help with.
    fn passing(status: i32, message: String) -> Self {
        Self { status, message, retry: true, took: None }
    }

    fn lasting(status: i32, message: String) -> Self {
        Self { status, message, retry: false, took: None }
    }
}

/// The limits of one fetch.
#[derive(Debug, Clone, Copy)]
pub struct FetchLimits {
    /// Bytes of an answer, head included.
    pub bytes: u64,
    /// Time of an answer.
    pub time: Duration,
    /// Silence of a server.
    pub idle: Duration,
    /// Time for a connection, and again for the head of the answer.
    pub head: Duration,
    /// Bytes a second that the body has to bring, averaged over
    /// [`FetchLimits::rate_window`]; a slower one is cut as too long in time.
    pub least_rate: u64,
    /// See [`FetchLimits::least_rate`].
    pub rate_window: Duration,
}

impl FetchLimits {
    /// Takes the limits of a campaign; zero is no limit.
    pub fn of(limits: &crate::campaign::Limits) -> Self {
        let bytes = if limits.max_response_bytes == 0 { u64::MAX } else { limits.max_response_bytes };
        let time = match limits.max_response_seconds {
            0 => LONGEST,
            seconds => Duration::from_secs(seconds).min(LONGEST),
        };
        Self {
            bytes,
            time,
            idle: IDLE_TIMEOUT.min(time),
            head: HEAD_TIMEOUT.min(time),
            least_rate: limits.min_response_bytes_per_second,
            rate_window: RATE_WINDOW,
        }
    }

    /// Why an answer was cut, for people, with the limit.
    pub fn reason_of(&self, cut: CutCause) -> String {
        match cut {
            CutCause::Length => format!("it is longer than {} bytes (limits.max_response_bytes)", self.bytes),
            CutCause::Time => format!("it took longer than {} (limits.max_response_seconds)", counted_time(self.time)),
            CutCause::Rate => format!(
                "it came slower than {} bytes a second over {} (limits.min_response_bytes_per_second)",
                self.least_rate,
                counted_time(self.rate_window)
            ),
            CutCause::Silence => format!("the server sent nothing for {}", counted_time(self.idle)),
            CutCause::Disconnect => "the server ended the connection before it was whole".to_owned(),
        }
    }
}

/// Header fields of one request besides the usual ones. Values that cannot stand on one line are left out.
#[derive(Clone, Default)]
pub struct RequestFields {
    /// The types that are accepted, where these are others than those of pages.
    pub accept: Option<&'static str>,
    /// Names and values.
    pub fields: Vec<(&'static str, String)>,
    /// A secret, sent as `Authorization: Bearer`. The recorded request lacks that field.
    pub token: Option<String>,
}

/// Fetches URLs. Shared by all workers.
pub struct Client {
    resolver: Arc<dyn Resolver>,
    overrides: Vec<HostOverride>,
    tls: TlsClient,
    idle: IdleConnections,
    user_agent: String,
    private: PrivateAddresses,
    limits: FetchLimits,
    spool_dir: PathBuf,
    abandon: Option<Abandon>,
    disk: Option<Arc<DiskGate>>,
    cancelled: Option<JobCx>,
    clock: Clock,
}

impl Client {
    /// Creates a client that sends `user_agent` and keeps long answers in nameless
    /// files in `spool_dir` while they come in.
    pub fn new(
        resolver: Arc<dyn Resolver>,
        user_agent: &str,
        limits: FetchLimits,
        spool_dir: PathBuf,
    ) -> Result<Self, String> {
        Ok(Self {
            resolver,
            overrides: Vec::new(),
            tls: TlsClient::new()?,
            idle: IdleConnections::default(),
            user_agent: user_agent.to_owned(),
            private: PrivateAddresses::default(),
            limits,
            spool_dir,
            abandon: None,
            disk: None,
            cancelled: None,
            clock: Clock::default(),
        })
    }

    /// Sends some hosts elsewhere.
    pub fn with_overrides(mut self, overrides: Vec<HostOverride>) -> Self {
        self.overrides = overrides;
        self
    }

    /// Lets these private and loopback addresses be fetched from.
    pub fn allowing_private(mut self, private: PrivateAddresses) -> Self {
        self.private = private;
        self
    }

    /// Counts the room that answers in flight will take.
    pub fn with_disk(mut self, disk: &Arc<DiskGate>) -> Self {
        self.disk = Some(Arc::clone(disk));
        self
    }

    /// Dates exchanges by another clock.
    pub fn dated_by(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Asked while a server keeps silent: whether to give up at once.
    pub fn abandoned_when(mut self, abandon: Abandon) -> Self {
        self.abandon = Some(abandon);
        self
    }

    /// Looks nothing up any more once this job is cancelled.
    pub fn cancelled_by(mut self, cx: &JobCx) -> Self {
        self.cancelled = Some(cx.clone());
        self
    }

    /// The limits that it was made with.
    pub fn limits(&self) -> FetchLimits {
        self.limits
    }

    /// Whether the crawl is to end.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.as_ref().is_some_and(JobCx::is_cancelled)
    }

    /// The addresses for a URL: its override, or those of the resolver.
    pub fn addresses(&self, url: &Url) -> Result<Vec<SocketAddr>, FetchError> {
        let host = url.host_str().unwrap_or_default().trim_end_matches('.');
        let port = url.port_or_known_default().unwrap_or(80);
        if let Some(found) = self.overrides.iter().find(|entry| entry.host == host && entry.port == port) {
            return Ok(vec![found.addr]);
        }
        match self.resolver.resolve(host) {
            Ok(addresses) => Ok(addresses.into_iter().map(|ip| SocketAddr::new(ip, port)).collect()),
            Err(error) => Err(FetchError::passing(fetch_status::DNS_FAILED, error.to_string())),
        }
    }

    /// Resolves the addresses of many hosts side by side, as [`Self::addresses`]
    /// does for one; those that an override sends elsewhere are left out.
    pub fn resolve_ahead(&self, urls: &[&Url]) {
        let unresolved = urls.iter().filter(|url| self.answer_source(url) == AnswerSource::Resolver);
        let hosts = unresolved.map(|url| url.host_str().unwrap_or_default().trim_end_matches('.'));
        self.resolver.resolve_ahead(&hosts.collect::<Vec<_>>(), &|| self.is_cancelled());
    }

    /// The source of the addresses of a host: see [`Self::addresses`].
    pub fn answer_source(&self, url: &Url) -> AnswerSource {
        let host = url.host_str().unwrap_or_default().trim_end_matches('.');
        let port = url.port_or_known_default().unwrap_or(80);
        if self.overrides.iter().any(|entry| entry.host == host && entry.port == port) {
            AnswerSource::Override
        } else if url.domain().is_none() {
            AnswerSource::Url
        } else {
            AnswerSource::Resolver
        }
    }

    /// Fetches one URL from one of these addresses, within limits: see [`Self::fetch_with`].
    pub fn fetch(
        &self,
        url: &Url,
        addresses: &[SocketAddr],
        limits: FetchLimits,
        gate: Option<&dyn AddressGate>,
    ) -> Result<Exchange, FetchError> {
        self.fetch_with(url, addresses, limits, gate, &RequestFields::default())
    }

    /// Fetches one URL from one of these addresses, within limits, with fields of its own. The exchange takes a place
    /// at the very address that it is made with: where that is busy the status
    /// is [`fetch_status::NOT_ATTEMPTED`], and no request was sent.
    pub fn fetch_with(
        &self,
        url: &Url,
        addresses: &[SocketAddr],
        limits: FetchLimits,
        gate: Option<&dyn AddressGate>,
        fields: &RequestFields,
    ) -> Result<Exchange, FetchError> {
        let origin: Origin = (
            url.scheme().to_owned(),
            url.host_str().unwrap_or_default().to_owned(),
            url.port_or_known_default().unwrap_or(80),
        );
        let request = self.request(url, fields);
        let begin = Instant::now();
        let took = |mut error: FetchError| {
            error.took = Some(begin.elapsed());
            error
        };
        // A kept connection is used only where a new one would go as well.
        if let Some(connection) = self.idle.take(&origin).filter(|kept| addresses.contains(&kept.address())) {
            let place = gate.map(|gate| WirePlace::take(gate, connection.address().ip()));
            if matches!(place, Some(None)) {
                self.idle.keep(origin, connection);
                return Err(busy());
            }
            match self.exchange(connection, &request, origin.clone(), begin, limits) {
                // The server closed it in the meantime; that is no fault of the URL.
                Err((error, true)) if error.status == fetch_status::CONNECT_LOST => {}
                result => return result.map_err(|(error, _)| took(error)),
            }
        }
        let tls = (origin.0 == "https").then_some((&self.tls, origin.1.as_str()));
        let (connection, _place) = self.connect(url, addresses, limits, tls, gate).map_err(|error| match error {
            ConnectError::Private(ip, why) => FetchError::lasting(
                fetch_status::BLOCKED_BY_SETTING,
                format!("{ip} is not a public address ({why}), and the campaign does not allow it for this host"),
            ),
            ConnectError::Busy => busy(),
            ConnectError::Failed(why) => {
                took(FetchError::passing(fetch_status::CONNECT_FAILED, format!("no connection to {why}")))
            }
        })?;
        self.exchange(connection, &request, origin, begin, limits).map_err(|(error, _)| took(error))
    }

    /// Whether the server of a URL takes a connection; no request is sent.
    pub fn takes_connection(&self, url: &Url) -> bool {
        self.addresses(url).is_ok_and(|addresses| self.connect(url, &addresses, self.limits, None, None).is_ok())
    }

    /// Whether a host has no address but private ones that are not allowed,
    /// as far as its name can be resolved now.
    pub fn is_closed_off(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let is_closed =
            |address: &SocketAddr| private_address(address.ip()).is_some() && !self.private.allows(host, address.ip());
        self.addresses(url).is_ok_and(|addresses| addresses.iter().all(is_closed))
    }

    fn connect<'g>(
        &self,
        url: &Url,
        addresses: &[SocketAddr],
        limits: FetchLimits,
        tls: Option<(&TlsClient, &str)>,
        gate: Option<&'g dyn AddressGate>,
    ) -> Result<(Connection, Option<WirePlace<'g>>), ConnectError> {
        let host = url.host_str().unwrap_or_default();
        let private = |ip| self.private.allows(host, ip);
        let deadline = Deadline { end: Instant::now() + limits.head, idle: limits.idle };
        let way = Way { tls, private: &private, deadline, abandon: self.abandon.clone() };
        Connection::open(addresses, &way, gate)
    }

    fn is_abandoned(&self) -> bool {
        self.abandon.as_ref().is_some_and(|abandon| abandon())
    }

    fn request(&self, url: &Url, fields: &RequestFields) -> Request {
        let target = &url[url::Position::BeforePath..url::Position::AfterQuery];
        let authority = authority_of(url);
        let mut text = format!(
            "GET {target} HTTP/1.1\r\nHost: {authority}\r\nUser-Agent: {}\r\nAccept: {}\r\n\
             Accept-Encoding: identity\r\nConnection: keep-alive\r\n",
            self.user_agent,
            fields.accept.unwrap_or("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
        );
        for (name, value) in fields.fields.iter().filter(|(_, value)| is_field_value(value)) {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        let token = fields.token.as_ref().filter(|token| is_field_value(token));
        let sent = token.map(|token| format!("{text}Authorization: Bearer {token}\r\n\r\n").into_bytes());
        Request { sent, recorded: format!("{text}\r\n").into_bytes() }
    }

    /// The error comes with whether no byte of an answer had arrived.
    fn exchange(
        &self,
        mut connection: Connection,
        request: &Request,
        origin: Origin,
        begin: Instant,
        limits: FetchLimits,
    ) -> Result<Exchange, (FetchError, bool)> {
        // Of a part of the exchange that may take as long from now on.
        let deadline =
            |most: Duration| Deadline { end: (begin + limits.time).min(Instant::now() + most), idle: limits.idle };
        connection.rearm(deadline(limits.head), self.abandon.clone());
        let date = self.clock.now();
        connection.send(request.sent.as_ref().unwrap_or(&request.recorded)).map_err(|error| (lost(&error), true))?;
        let mut reader = AnswerReader { connection, end: begin + limits.time, limits, buffer: filled(0, READ_BYTES) };
        let (heads, head, early) = reader.heads()?;
        reader.connection.rearm(deadline(LONGEST), self.abandon.clone());
        let mut answer = IncomingAnswer::begin(heads, head, Spool::new(&self.spool_dir))
            .within(limits.bytes, self.disk.as_ref().map(Reservation::new));
        // The disk is at fault, not the server.
        let failed = |error: io::Error| {
            let status = if is_disk_full(&error) { fetch_status::DISK_FULL } else { fetch_status::DISK_FAILED };
            (FetchError::passing(status, error.to_string()), false)
        };
        answer.keep_head().map_err(failed)?;
        let end = reader.body(&mut answer, early).map_err(failed)?;
        let (cut, reusable) = match end {
            End::Complete { reusable } => (None, reusable && answer.keeps_connection()),
            End::Cut(_) if self.is_abandoned() => {
                return Err((FetchError::passing(fetch_status::CONNECT_LOST, "given up on request".to_owned()), false));
            }
            End::Cut(why) => (Some(why), false),
        };
        let (address, tls) = (reader.connection.address(), reader.connection.tls().cloned());
        if reusable {
            self.idle.keep(origin, reader.connection);
        }
        let took = begin.elapsed();
        Ok(answer.finish(SentRequest { request: request.recorded.clone(), address, tls, date, took, cut }))
    }
}

/// A request as bytes.
struct Request {
    /// As sent, where that has a secret.
    sent: Option<Vec<u8>>,
    /// As it is recorded: without secrets.
    recorded: Vec<u8>,
}

/// Whether a text can be the value of a header field: printable ASCII on one line.
fn is_field_value(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| (b' '..0x7f).contains(&byte))
}

/// The error of an exchange that was not begun.
fn busy() -> FetchError {
    let message = "enough exchanges are in flight with this address".to_owned();
    FetchError::passing(fetch_status::NOT_ATTEMPTED, message)
}

fn lost(error: &io::Error) -> FetchError {
    let (status, message) = match error.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => {
            (fetch_status::TIMEOUT, "the server did not answer in time".to_owned())
        }
        _ => (fetch_status::CONNECT_LOST, format!("the connection was lost before an answer: {error}")),
    };
    FetchError::passing(status, message)
}

enum End {
    /// Nothing is missing; `reusable` if nothing came after it either.
    Complete { reusable: bool },
    /// Something is missing.
    Cut(CutCause),
}

/// How fast a body comes, window by window.
struct Rate {
    since: Instant,
    bytes: u64,
}

impl Rate {
    /// Whether the window that has just ended brought too little.
    fn is_below(&mut self, limits: &FetchLimits) -> bool {
        let elapsed = self.since.elapsed();
        if elapsed < limits.rate_window {
            return false;
        }
        let expected = u128::from(limits.least_rate) * elapsed.as_millis() / 1000;
        let is_below = u128::from(self.bytes) < expected;
        *self = Self { since: Instant::now(), bytes: 0 };
        is_below
    }
}

struct AnswerReader {
    connection: Connection,
    /// When the answer has to be there.
    end: Instant,
    limits: FetchLimits,
    buffer: Vec<u8>,
}

impl AnswerReader {
    /// The heads, the final one, and bytes of the body that came with it.
    fn heads(&mut self) -> Result<(IncomingHeads, Head, Vec<u8>), (FetchError, bool)> {
        let unfetchable = |message: String| (FetchError::lasting(fetch_status::UNFETCHABLE, message), false);
        let mut heads = IncomingHeads::default();
        loop {
            if let Some((head, early)) = heads.take_final().map_err(unfetchable)? {
                return Ok((heads, head, early));
            }
            let nothing_came = heads.is_empty();
            match self.connection.receive(&mut self.buffer) {
                Ok(0) => {
                    let message = match nothing_came {
                        true => "the server closed the connection without an answer",
                        false => "the connection ended inside the head of the answer",
                    };
                    return Err((FetchError::passing(fetch_status::CONNECT_LOST, message.to_owned()), nothing_came));
                }
                Ok(count) => heads.push(&self.buffer[..count]),
                Err(error) => return Err((lost(&error), nothing_came)),
            }
        }
    }

    /// Reads the body to its end or to a limit. Fails only when it cannot be kept.
    fn body(&mut self, answer: &mut IncomingAnswer, early: Vec<u8>) -> io::Result<End> {
        let mut used = 0;
        if !early.is_empty() {
            let (part, over) = answer.within_limit(&early);
            used = answer.take(part)?;
            if over && !answer.is_complete() {
                return Ok(End::Cut(CutCause::Length));
            }
        }
        let mut reusable = used == early.len();
        let mut rate = Rate { since: Instant::now(), bytes: 0 };
        while !answer.is_complete() {
            if rate.is_below(&self.limits) {
                return Ok(End::Cut(CutCause::Rate));
            }
            let count = match self.connection.receive(&mut self.buffer) {
                Ok(0) if answer.may_end() => return Ok(End::Complete { reusable: false }),
                Ok(0) => return Ok(End::Cut(CutCause::Disconnect)),
                Ok(count) => count,
                Err(error) => {
                    let timeout = matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock);
                    return Ok(match answer.framing() {
                        Framing::Conflicting { .. } if answer.may_end() => End::Complete { reusable: false },
                        _ if timeout && Instant::now() >= self.end => End::Cut(CutCause::Time),
                        _ if timeout => End::Cut(CutCause::Silence),
                        _ => End::Cut(CutCause::Disconnect),
                    });
                }
            };
            rate.bytes += count as u64;
            let bytes = std::mem::take(&mut self.buffer);
            let (part, over) = answer.within_limit(&bytes[..count]);
            let taken = answer.take(part);
            let part_len = part.len();
            self.buffer = bytes;
            reusable = taken? == part_len && !over;
            if over && !answer.is_complete() {
                return Ok(End::Cut(CutCause::Length));
            }
        }
        Ok(End::Complete { reusable })
    }
}
