//! Requests, read within bounds.

use percent_encoding::percent_decode_str;
use std::io::{self, ErrorKind, Read};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The limits of a server on its clients.
#[derive(Debug, Clone)]
pub struct ServerLimits {
    /// Connections at once, each with a thread; one more is answered with 503.
    pub connections: usize,
    /// Bytes of a request head beyond which it is refused with 431.
    pub head_bytes: usize,
    /// Bytes of a request's body beyond which it is refused with 413; none by default.
    pub body_bytes: usize,
    /// How long a connection may be silent between requests.
    pub idle: Duration,
    /// How long head and body of a request may each take, beginning with their first byte.
    pub head_time: Duration,
    /// How long a client may take for each piece of a reply, 64 KiB or less.
    pub write_time: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections: 512,
            head_bytes: 32 << 10,
            body_bytes: 0,
            idle: Duration::from_secs(30),
            head_time: Duration::from_secs(10),
            write_time: Duration::from_secs(30),
        }
    }
}

/// Header fields of a request beyond which it is refused with 431.
const MAX_FIELDS: usize = 100;

/// A request of a client. All of it is hostile.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HttpRequest {
    /// The method as sent; [`super::HttpServer`] passes on any.
    pub method: String,
    /// Host name in lower case, without port; empty where an HTTP/1.0 client named none.
    pub host: String,
    /// Path as sent, percent escapes and dots kept.
    pub path: String,
    /// The query after the first `?`, as sent.
    pub query: Option<String>,
    /// Header fields as sent, in their order; bytes that are no UTF-8 are replaced.
    pub headers: Vec<(String, String)>,
    /// The body; empty unless [`ServerLimits::body_bytes`] lets it in.
    pub body: Vec<u8>,
}

impl HttpRequest {
    /// A plain GET, as tests and link checks send it.
    pub fn get(host: &str, target: &str) -> Self {
        let (path, query) = split_target(target);
        Self { method: "GET".into(), host: host.to_ascii_lowercase(), path, query, ..Self::default() }
    }

    /// Adds a header field.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Path and query as sent.
    pub fn target(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }

    /// The same request for another path.
    #[must_use]
    pub fn at(&self, path: &str) -> Self {
        Self { path: path.to_owned(), ..self.clone() }
    }

    /// First value of a header field.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The path of a file below some folder that the path names: decoded, without empty parts and `.`. None where a
    /// part is `..` or holds what some system takes for a separator, a drive or the end of a name.
    ///
    /// A link on the disk may still lead out of that folder; the code that opens the file has to check that.
    pub fn file_path(&self) -> Option<PathBuf> {
        let decoded = percent_decode_str(&self.path).decode_utf8().ok()?;
        let mut file = PathBuf::new();
        for part in decoded.split('/').filter(|part| !part.is_empty() && *part != ".") {
            if part == ".." || part.contains(['\\', '\0', ':']) {
                return None;
            }
            file.push(part);
        }
        Some(file)
    }

    /// Whether the client has what has this entity tag already (RFC 9110, 13.1.2).
    pub(super) fn has_tag(&self, tag: &str) -> bool {
        let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
        self.header("If-None-Match")
            .is_some_and(|known| known.trim() == "*" || known.split(',').any(|known| opaque(known) == opaque(tag)))
    }
}

fn split_target(target: &str) -> (String, Option<String>) {
    match target.split_once('?') {
        Some((path, query)) => (path.to_owned(), Some(query.to_owned())),
        None => (target.to_owned(), None),
    }
}

/// A request that was read, and what it wants of its connection.
#[derive(Debug)]
pub(super) struct ReadRequest {
    pub request: HttpRequest,
    /// It is the last one on its connection.
    pub close: bool,
    /// The client knows HTTP/1.1, so it reads chunks.
    pub is_current: bool,
}

/// The next input of a connection: a request, an error or its end.
#[derive(Debug)]
pub(super) enum Incoming {
    Request(ReadRequest),
    /// A status and why; nothing more is read of this client.
    Refused(u16, &'static str),
    /// The client is gone, or sent nothing for too long.
    End,
}

/// The bytes of a connection that were read and make no request yet.
pub(super) struct RequestReader {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl RequestReader {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream, buffer: Vec::with_capacity(2048) }
    }

    /// Reads the next request.
    pub(super) fn next(&mut self, limits: &ServerLimits) -> io::Result<Incoming> {
        let head_len = match self.read_head(limits)? {
            Ok(len) => len,
            Err(other) => return Ok(other),
        };
        let parsed = parse_head(&self.buffer[..head_len]);
        self.buffer.drain(..head_len);
        let (mut read, body_len) = match parsed {
            Ok(parsed) => parsed,
            Err((status, why)) => return Ok(Incoming::Refused(status, why)),
        };
        if body_len > limits.body_bytes as u64 {
            return Ok(Incoming::Refused(413, "Content too large"));
        }
        // It fits into memory: the limit does.
        let body_len = body_len as usize;
        let until = Instant::now() + limits.head_time;
        while self.buffer.len() < body_len {
            match self.fill(until) {
                Ok(0) => return Ok(Incoming::End),
                Ok(_) => {}
                Err(error) if is_late(&error) => return Ok(Incoming::Refused(408, "Request timeout")),
                Err(error) => return Err(error),
            }
        }
        read.request.body = self.buffer.drain(..body_len).collect();
        Ok(Incoming::Request(read))
    }

    /// Reads to the end of a head; returns its length.
    fn read_head(&mut self, limits: &ServerLimits) -> io::Result<Result<usize, Incoming>> {
        let mut until = Instant::now() + limits.idle;
        let mut begun = false;
        let mut searched = 0;
        loop {
            // Empty lines between requests are allowed (RFC 9112, 2.2).
            let empty = self.buffer.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            self.buffer.drain(..empty);
            if !begun && !self.buffer.is_empty() {
                begun = true;
                until = Instant::now() + limits.head_time;
            }
            if let Some(end) = memchr::memmem::find(&self.buffer[searched..], b"\r\n\r\n") {
                return Ok(Ok(searched + end + 4));
            }
            searched = self.buffer.len().saturating_sub(3);
            if self.buffer.len() > limits.head_bytes {
                return Ok(Err(Incoming::Refused(431, "Request head too long")));
            }
            match self.fill(until) {
                Ok(0) => return Ok(Err(Incoming::End)),
                Ok(_) => {}
                Err(error) if is_late(&error) && begun => {
                    return Ok(Err(Incoming::Refused(408, "Request timeout")));
                }
                Err(error) if is_late(&error) => return Ok(Err(Incoming::End)),
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads what is there, until a moment.
    fn fill(&mut self, until: Instant) -> io::Result<usize> {
        let mut chunk = [0; 4096];
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        let len = self.stream.read(&mut chunk)?;
        self.buffer.extend_from_slice(&chunk[..len]);
        Ok(len)
    }

    /// Reads on for a moment after a refusal: closing on bytes that nobody read would take the reply from the client.
    pub(super) fn linger(&mut self, time: Duration, most_bytes: usize) {
        let until = Instant::now() + time;
        let mut len = 0;
        while len < most_bytes {
            self.buffer.clear();
            match self.fill(until) {
                Ok(read) if read > 0 => len += read,
                _ => return,
            }
        }
    }
}

fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// Reads a head; gives the request and the length of its body in bytes, or a status and why it is refused.
fn parse_head(head: &[u8]) -> Result<(ReadRequest, u64), (u16, &'static str)> {
    const BAD: (u16, &str) = (400, "Bad request");
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut parsed = httparse::Request::new(&mut fields);
    match parsed.parse(head) {
        Ok(status) if status.is_complete() => {}
        Err(httparse::Error::TooManyHeaders) => return Err((431, "Too many header fields")),
        Err(httparse::Error::Version) => return Err((505, "HTTP version not supported")),
        _ => return Err(BAD),
    }
    let text = |value: &[u8]| String::from_utf8_lossy(value).trim().to_owned();
    let headers: Vec<(String, String)> =
        parsed.headers.iter().map(|field| (field.name.to_owned(), text(field.value))).collect();
    let values = |name: &'static str| {
        headers.iter().filter(move |(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    };
    let is_current = parsed.version == Some(1);
    // Servers understand a request with two hosts, or none, differently (RFC 9112, 3.2).
    if values("host").count() > 1 || is_current && values("host").count() == 0 {
        return Err(BAD);
    }
    if values("transfer-encoding").next().is_some() {
        return Err((411, "Length required"));
    }
    let mut lengths = values("content-length");
    let body_len = lengths.next().map_or(Some(0), |length| {
        let is_number = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| length.parse().unwrap_or(u64::MAX))
    });
    let (Some(body_len), None) = (body_len, lengths.next()) else { return Err(BAD) };
    let (Some(method), Some(target)) = (parsed.method, parsed.path) else { return Err(BAD) };
    // A target for a proxy names its host itself.
    let (host, target) = match target.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("http://")) {
        Some(_) => match target[7..].find(['/', '?']) {
            Some(end) => (&target[7..7 + end], &target[7 + end..]),
            None => (&target[7..], "/"),
        },
        None => (values("host").next().unwrap_or_default(), target),
    };
    let is_path = target.starts_with(['/', '?']) || target == "*" && method == "OPTIONS";
    if !is_path {
        return Err(BAD);
    }
    let (path, query) = split_target(target);
    let connection = values("connection").collect::<Vec<_>>().join(",").to_ascii_lowercase();
    let request = HttpRequest {
        method: method.to_owned(),
        host: without_port(host).to_ascii_lowercase(),
        path: if path.is_empty() { "/".to_owned() } else { path },
        query,
        headers: Vec::new(),
        body: Vec::new(),
    };
    let close = connection.contains("close") || !is_current && !connection.contains("keep-alive");
    Ok((ReadRequest { request: HttpRequest { headers, ..request }, close, is_current }, body_len))
}

/// `a.example` of `a.example:8080`; an address in brackets keeps its colons.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}
