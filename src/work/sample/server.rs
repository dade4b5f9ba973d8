//! A small HTTP/1.1 server on loopback: one listener per address, a thread per
//! connection, keep-alive. It knows nothing of what it serves (see [`Answer`]).

use crate::jobs::lock;
use crate::uri::CaptureDate;
use crossbeam_channel::Sender;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Port that URLs of served hosts carry (none written: http).
pub const URL_PORT: u16 = 80;

/// Bytes of a request head beyond which the server answers 431.
const MAX_HEAD_BYTES: usize = 32 * 1024;

/// Connections beyond which new ones are closed at once.
const MAX_CONNECTIONS: usize = 512;

/// How long a connection may stay silent.
const IDLE: Duration = Duration::from_secs(30);

/// What a client asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// `GET` or `HEAD`; anything else was answered with 405 before.
    pub method: String,
    /// Host name in lower case, without port.
    pub host: String,
    /// Path as sent, percent escapes kept.
    pub path: String,
    /// What follows the first `?`, as sent.
    pub query: Option<String>,
    /// `Accept-Encoding` as sent.
    pub accept_encoding: Option<String>,
}

impl Ask {
    /// A plain GET, as tests and link checks ask.
    pub fn get(host: &str, target: &str) -> Self {
        let (path, query) = split_target(target);
        Self { method: "GET".into(), host: host.to_ascii_lowercase(), path, query, accept_encoding: None }
    }

    /// Path and query as sent.
    pub fn target(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }
}

fn split_target(target: &str) -> (String, Option<String>) {
    match target.split_once('?') {
        Some((path, query)) => (path.to_owned(), Some(query.to_owned())),
        None => (target.to_owned(), None),
    }
}

/// How the body goes over the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReplyFraming {
    /// `Content-Length`.
    #[default]
    Length,
    /// `Transfer-Encoding: chunked`.
    Chunked,
}

/// What the server says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Header fields, without those of framing and connection.
    pub headers: Vec<(String, String)>,
    /// Body as sent (already encoded).
    pub body: Vec<u8>,
    /// How the body is framed.
    pub framing: ReplyFraming,
    /// Wait this long before the first byte.
    pub delay: Duration,
}

impl Reply {
    /// A reply with a content type and a body.
    pub fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: vec![("Content-Type".into(), content_type.into())],
            body: body.into(),
            framing: ReplyFraming::Length,
            delay: Duration::ZERO,
        }
    }

    /// The same with one more header field.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// First value of a header field.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }
}

/// Something that can be served.
pub trait Answer: Send + Sync {
    /// What a client gets for what it asks.
    fn answer(&self, ask: &Ask) -> Reply;
}

/// A running server; it stops when dropped.
pub struct Server {
    shared: Arc<Shared>,
    listeners: Vec<(SocketAddr, Option<JoinHandle<()>>)>,
    resolve: Vec<(String, u16, SocketAddr)>,
    fallback: bool,
}

struct Shared {
    answer: Arc<dyn Answer>,
    stopping: AtomicBool,
    next_connection: AtomicU64,
    connections: Mutex<HashMap<u64, TcpStream>>,
    request_count: AtomicU64,
    log: Option<Sender<Ask>>,
}

impl Server {
    /// Listens on every address named, on ephemeral ports.
    ///
    /// Where an address of 127.0.0.0/8 cannot be bound (other systems than
    /// Linux know 127.0.0.1 only), 127.0.0.1 stands in and
    /// [`Server::fallback`] says so.
    ///
    /// # Errors
    /// When not even 127.0.0.1 can be bound or no thread can be started.
    pub fn start(hosts: &[(String, Ipv4Addr)], answer: Arc<dyn Answer>) -> io::Result<Self> {
        Self::start_logged(hosts, answer, None)
    }

    /// Like [`Server::start`]; every request is sent to `log` as well.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub fn start_logged(
        hosts: &[(String, Ipv4Addr)],
        answer: Arc<dyn Answer>,
        log: Option<Sender<Ask>>,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            answer,
            stopping: AtomicBool::new(false),
            next_connection: AtomicU64::new(0),
            connections: Mutex::new(HashMap::new()),
            request_count: AtomicU64::new(0),
            log,
        });
        let mut server = Self { shared, listeners: Vec::new(), resolve: Vec::new(), fallback: false };
        let mut by_address: BTreeMap<Ipv4Addr, SocketAddr> = BTreeMap::new();
        for (host, address) in hosts {
            let socket = match by_address.get(address) {
                Some(socket) => *socket,
                None => {
                    let socket = server.listen(*address)?;
                    by_address.insert(*address, socket);
                    socket
                }
            };
            server.resolve.push((host.to_ascii_lowercase(), URL_PORT, socket));
        }
        Ok(server)
    }

    fn listen(&mut self, address: Ipv4Addr) -> io::Result<SocketAddr> {
        let listener = match TcpListener::bind((address, 0)) {
            Ok(listener) => listener,
            Err(_) if address != Ipv4Addr::LOCALHOST => {
                self.fallback = true;
                TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
            }
            Err(error) => return Err(error),
        };
        let socket = listener.local_addr()?;
        let shared = Arc::clone(&self.shared);
        let thread =
            std::thread::Builder::new().name(format!("serve {socket}")).spawn(move || accept(&listener, &shared))?;
        self.listeners.push((socket, Some(thread)));
        Ok(socket)
    }

    /// Host, port in URLs and socket of every host, for the crawl's host overrides.
    pub fn resolve(&self) -> Vec<(String, u16, SocketAddr)> {
        self.resolve.clone()
    }

    /// Adds a name whose server does not answer: connections to it are refused.
    pub(super) fn add_dead_host(&mut self, host: &str, address: Ipv4Addr) {
        // Port 1 (tcpmux) is closed on any machine one would crawl from.
        let address = if self.fallback { Ipv4Addr::LOCALHOST } else { address };
        self.resolve.push((host.to_owned(), URL_PORT, SocketAddr::new(IpAddr::V4(address), 1)));
    }

    /// Whether 127.0.0.1 stands in for an address that could not be bound, so
    /// that geolocation cannot tell the hosts apart.
    pub fn fallback(&self) -> bool {
        self.fallback
    }

    /// Requests answered so far.
    pub fn request_count(&self) -> u64 {
        self.shared.request_count.load(Ordering::Relaxed)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        for (socket, thread) in &mut self.listeners {
            // Wakes the accept call; it sees the flag and ends.
            drop(TcpStream::connect_timeout(socket, Duration::from_secs(1)));
            if let Some(thread) = thread.take() {
                drop(thread.join());
            }
        }
        for stream in lock(&self.shared.connections).values() {
            drop(stream.shutdown(Shutdown::Both));
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let Ok(registered) = stream.try_clone() else { continue };
        let id = shared.next_connection.fetch_add(1, Ordering::Relaxed);
        {
            let mut connections = lock(&shared.connections);
            if connections.len() >= MAX_CONNECTIONS {
                continue;
            }
            connections.insert(id, registered);
        }
        let mine = Arc::clone(shared);
        let spawned = std::thread::Builder::new().name("serve connection".into()).spawn(move || {
            if let Err(error) = serve(stream, &mine) {
                tracing::debug!(%error, "connection to the sample server ended");
            }
            lock(&mine.connections).remove(&id);
        });
        if spawned.is_err() {
            lock(&shared.connections).remove(&id);
        }
    }
}

fn serve(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_read_timeout(Some(IDLE))?;
    stream.set_write_timeout(Some(IDLE))?;
    stream.set_nodelay(true)?;
    let mut buffer = Vec::with_capacity(2048);
    loop {
        let head_len = match read_head(&mut stream, &mut buffer)? {
            Head::Complete(len) => len,
            Head::TooLong => {
                return write_reply(&mut stream, &plain(431, "Request head too long"), false, true);
            }
            Head::End => return Ok(()),
        };
        let parsed = parse_head(&buffer[..head_len]);
        // Bodies are not read: a request that has one ends its connection.
        buffer.drain(..head_len);
        let Some(request) = parsed else {
            return write_reply(&mut stream, &plain(400, "Bad request"), false, true);
        };
        shared.request_count.fetch_add(1, Ordering::Relaxed);
        if let Some(log) = &shared.log {
            drop(log.send(request.ask.clone()));
        }
        let head_only = request.ask.method == "HEAD";
        let mut reply = if head_only || request.ask.method == "GET" {
            shared.answer.answer(&request.ask)
        } else {
            plain(405, "Method not allowed").with("Allow", "GET, HEAD")
        };
        let known = reply.header("ETag").is_some_and(|tag| request.if_none_match.as_deref() == Some(tag));
        if known && reply.status == 200 {
            reply.status = 304;
            reply.body.clear();
            reply.framing = ReplyFraming::Length;
        }
        if !reply.delay.is_zero() {
            std::thread::sleep(reply.delay);
        }
        let close = request.close || shared.stopping.load(Ordering::SeqCst);
        write_reply(&mut stream, &reply, head_only, close)?;
        if close {
            return Ok(());
        }
    }
}

enum Head {
    Complete(usize),
    TooLong,
    End,
}

fn read_head(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> io::Result<Head> {
    let mut chunk = [0u8; 4096];
    loop {
        if let Some(end) = memchr::memmem::find(buffer, b"\r\n\r\n") {
            return Ok(Head::Complete(end + 4));
        }
        if buffer.len() > MAX_HEAD_BYTES {
            return Ok(Head::TooLong);
        }
        let got = stream.read(&mut chunk)?;
        if got == 0 {
            return Ok(Head::End);
        }
        buffer.extend_from_slice(&chunk[..got]);
    }
}

struct Request {
    ask: Ask,
    if_none_match: Option<String>,
    close: bool,
}

fn parse_head(head: &[u8]) -> Option<Request> {
    let mut fields = [httparse::EMPTY_HEADER; 100];
    let mut request = httparse::Request::new(&mut fields);
    if !request.parse(head).ok()?.is_complete() {
        return None;
    }
    let field = |name: &str| {
        let found = request.headers.iter().find(|h| h.name.eq_ignore_ascii_case(name))?;
        Some(String::from_utf8_lossy(found.value).trim().to_owned())
    };
    let target = request.path?;
    // A proxy-style target names its host itself.
    let (host, target) = match target.strip_prefix("http://") {
        Some(rest) => match rest.find('/') {
            Some(slash) => (rest[..slash].to_owned(), rest[slash..].to_owned()),
            None => (rest.to_owned(), "/".to_owned()),
        },
        None => (field("host").unwrap_or_default(), target.to_owned()),
    };
    let name = host.rsplit_once(':').map_or(host.as_str(), |(name, _)| name);
    let connection = field("connection").unwrap_or_default().to_ascii_lowercase();
    let has_body = field("transfer-encoding").is_some() || field("content-length").is_some_and(|l| l != "0");
    let (path, query) = split_target(&target);
    Some(Request {
        close: connection.contains("close")
            || has_body
            || (request.version == Some(0) && !connection.contains("keep-alive")),
        if_none_match: field("if-none-match"),
        ask: Ask {
            method: request.method?.to_owned(),
            host: name.to_ascii_lowercase(),
            path,
            query,
            accept_encoding: field("accept-encoding"),
        },
    })
}

fn plain(status: u16, words: &str) -> Reply {
    Reply::new(status, "text/plain; charset=utf-8", format!("{words}\n"))
}

fn write_reply(stream: &mut TcpStream, reply: &Reply, head_only: bool, close: bool) -> io::Result<()> {
    let mut out = Vec::with_capacity(reply.body.len() + 512);
    write!(out, "HTTP/1.1 {} {}\r\n", reply.status, reason(reply.status))?;
    write!(out, "Date: {}\r\nServer: fonds-sample\r\n", http_date(CaptureDate::now()))?;
    for (name, value) in &reply.headers {
        write!(out, "{name}: {value}\r\n")?;
    }
    let bodiless = reply.status == 304 || reply.status == 204;
    let chunked = reply.framing == ReplyFraming::Chunked && !bodiless;
    if chunked {
        out.extend_from_slice(b"Transfer-Encoding: chunked\r\n");
    } else if !bodiless {
        write!(out, "Content-Length: {}\r\n", reply.body.len())?;
    }
    write!(out, "Connection: {}\r\n\r\n", if close { "close" } else { "keep-alive" })?;
    if !head_only && !bodiless {
        if chunked {
            // Uneven pieces, so that a reader cannot count on lines or words.
            for piece in reply.body.chunks(777) {
                write!(out, "{:x}\r\n", piece.len())?;
                out.extend_from_slice(piece);
                out.extend_from_slice(b"\r\n");
            }
            out.extend_from_slice(b"0\r\n\r\n");
        } else {
            out.extend_from_slice(&reply.body);
        }
    }
    stream.write_all(&out)
}

/// `Date:` as RFC 9110 wants it.
fn http_date(now: CaptureDate) -> String {
    let now = jiff::Timestamp::from_millisecond(now.millis()).unwrap_or_default();
    now.to_zoned(jiff::tz::TimeZone::UTC).strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        410 => "Gone",
        421 => "Misdirected Request",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Status",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    struct Echo;
    impl Answer for Echo {
        fn answer(&self, ask: &Ask) -> Reply {
            let mut reply = Reply::new(200, "text/plain", format!("{} {}", ask.host, ask.target()));
            reply = reply.with("ETag", "\"1\"");
            if ask.path == "/chunked" {
                reply.framing = ReplyFraming::Chunked;
            }
            reply
        }
    }

    fn exchange(sent: &str) -> String {
        let server = Server::start(&[("a.example".into(), Ipv4Addr::new(127, 0, 77, 1))], Arc::new(Echo)).unwrap();
        let (_, _, socket) = server.resolve()[0].clone();
        let mut stream = TcpStream::connect(socket).unwrap();
        stream.write_all(sent.as_bytes()).unwrap();
        let mut got = String::new();
        stream.read_to_string(&mut got).unwrap();
        got
    }

    #[test]
    fn answers_several_requests_on_one_connection() {
        let got = exchange(
            "GET /x?y=1 HTTP/1.1\r\nHost: A.example:80\r\n\r\nHEAD /h HTTP/1.1\r\nHost: a.example\r\n\r\n\
             GET /chunked HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n",
        );
        assert!(
            got.contains("Content-Length: 16\r\nConnection: keep-alive\r\n\r\na.example /x?y=1HTTP/1.1 200"),
            "{got}"
        );
        assert!(got.contains("Content-Length: 12\r\nConnection: keep-alive\r\n\r\nHTTP/1.1 200"), "{got}");
        assert!(got.ends_with("12\r\na.example /chunked\r\n0\r\n\r\n"), "{got}");
    }

    #[test]
    fn refuses_what_it_cannot_answer() {
        assert!(exchange("BREW /pot\r\n\r\n").starts_with("HTTP/1.1 400 "));
        assert!(exchange("POST / HTTP/1.0\r\nHost: a.example\r\n\r\n").starts_with("HTTP/1.1 405 "));
    }

    #[test]
    fn knows_what_the_client_already_holds() {
        let got = exchange("GET / HTTP/1.1\r\nHost: a.example\r\nIf-None-Match: \"1\"\r\nConnection: close\r\n\r\n");
        assert!(got.starts_with("HTTP/1.1 304 "), "{got}");
        assert!(got.ends_with("\r\n\r\n"), "{got}");
    }
}
