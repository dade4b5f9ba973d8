//! Replies, and how they go over the wire.

use crate::jobs::filled;
use crate::uri::CaptureDate;
use std::fmt;
use std::io::{self, Read, Write};
use std::time::Duration;

/// Bytes of a body that are written at once.
const PIECE_BYTES: usize = 64 << 10;
/// Bytes of a chunk: uneven, so that a reader cannot count on lines or words.
const CHUNK_BYTES: usize = 777;

/// The framing of a body on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReplyFraming {
    /// `Content-Length`.
    #[default]
    Length,
    /// `Transfer-Encoding: chunked`; a client of HTTP/1.0 gets a length all the same.
    Chunked,
}

/// The body of a reply.
pub enum ReplyBody {
    /// As sent, already encoded.
    Bytes(Vec<u8>),
    /// So many bytes, read as they are sent. A reader that ends before ends the connection.
    Stream(u64, Box<dyn Read + Send>),
}

impl ReplyBody {
    /// The length in bytes.
    pub fn len(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Stream(len, _) => *len,
        }
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Debug for ReplyBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}

/// A reply to a client.
#[derive(Debug)]
pub struct HttpReply {
    /// HTTP status.
    pub status: u16,
    /// Header fields, without those of framing and connection. What cannot be in a head is left out of it.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: ReplyBody,
    /// How the body is framed.
    pub framing: ReplyFraming,
    /// How long the server waits before the first byte.
    pub delay: Duration,
}

impl HttpReply {
    /// A reply with a content type and a body.
    pub fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: vec![("Content-Type".into(), content_type.into())],
            body: ReplyBody::Bytes(body.into()),
            framing: ReplyFraming::Length,
            delay: Duration::ZERO,
        }
    }

    /// A line of plain text.
    pub fn plain(status: u16, line: &str) -> Self {
        Self::new(status, "text/plain; charset=utf-8", format!("{line}\n"))
    }

    /// A page of this program.
    pub fn html(status: u16, page: impl Into<Vec<u8>>) -> Self {
        Self::new(status, "text/html; charset=utf-8", page)
    }

    /// Refuses a method.
    pub fn method_not_allowed(allowed: &str) -> Self {
        Self::plain(405, "Method not allowed").with("Allow", allowed)
    }

    /// Adds a header field.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// First value of a header field.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The body where it is in memory; empty where it is streamed.
    pub fn bytes(&self) -> &[u8] {
        match &self.body {
            ReplyBody::Bytes(bytes) => bytes,
            ReplyBody::Stream(..) => &[],
        }
    }

    /// Says that the client has this already.
    pub(super) fn not_modified(self) -> Self {
        Self { status: 304, body: ReplyBody::Bytes(Vec::new()), framing: ReplyFraming::Length, ..self }
    }

    /// Writes it; `head_only` as for HEAD.
    pub(super) fn write(self, out: &mut dyn Write, head_only: bool, close: bool, takes_chunks: bool) -> io::Result<()> {
        let mut head = Vec::with_capacity(512);
        write!(head, "HTTP/1.1 {} {}\r\n", self.status, reason(self.status))?;
        write!(head, "Date: {}\r\n", http_date(CaptureDate::now()))?;
        for (name, value) in self.headers.iter().filter(|(name, _)| is_field_name(name)) {
            let value: String = value.chars().filter(|c| *c == '\t' || !c.is_ascii_control()).collect();
            write!(head, "{name}: {value}\r\n")?;
        }
        let bodiless = matches!(self.status, 204 | 304);
        let chunked = self.framing == ReplyFraming::Chunked && takes_chunks && !bodiless;
        if chunked {
            head.extend_from_slice(b"Transfer-Encoding: chunked\r\n");
        } else if !bodiless {
            write!(head, "Content-Length: {}\r\n", self.body.len())?;
        }
        write!(head, "Connection: {}\r\n\r\n", if close { "close" } else { "keep-alive" })?;
        if head_only || bodiless {
            return out.write_all(&head);
        }
        // A short body goes with its head.
        let mut piece = head;
        let mut body: (u64, Box<dyn Read + '_>) = match self.body {
            ReplyBody::Bytes(ref bytes) => (bytes.len() as u64, Box::new(bytes.as_slice())),
            ReplyBody::Stream(len, read) => (len, read),
        };
        let mut buffer = filled(0_u8, if chunked { CHUNK_BYTES } else { PIECE_BYTES });
        while body.0 > 0 {
            let most = buffer.len().min(usize::try_from(body.0).unwrap_or(usize::MAX));
            let bytes = &mut buffer[..most];
            if let Err(error) = body.1.read_exact(bytes) {
                // The client sees that the body is cut off.
                out.write_all(&piece)?;
                return Err(error);
            }
            body.0 -= most as u64;
            if chunked {
                write!(piece, "{most:x}\r\n")?;
            }
            piece.extend_from_slice(bytes);
            if chunked {
                piece.extend_from_slice(b"\r\n");
            }
            if piece.len() >= PIECE_BYTES {
                out.write_all(&piece)?;
                piece.clear();
            }
        }
        if chunked {
            piece.extend_from_slice(b"0\r\n\r\n");
        }
        out.write_all(&piece)
    }
}

/// Content type of a file by its name.
pub fn type_by_name(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "ico" => "image/x-icon",
        "svg" => "image/svg+xml",
        "pdf" => "application/pdf",
        "txt" => "text/plain; charset=utf-8",
        "xml" => "application/xml",
        "json" => "application/json",
        "html" | "htm" => "text/html",
        _ => "application/octet-stream",
    }
}

/// Whether a name is one of a header field (RFC 9110, 5.6.2).
fn is_field_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// A date as fields of HTTP have it (RFC 9110, 5.6.7): `Fri, 05 Jan 2024 09:30:00 GMT`.
pub fn http_date(now: CaptureDate) -> String {
    let now = jiff::Timestamp::from_millisecond(now.millis()).unwrap_or_default();
    now.to_zoned(jiff::tz::TimeZone::UTC).strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        206 => "Partial Content",
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
        408 => "Request Timeout",
        410 => "Gone",
        411 => "Length Required",
        413 => "Content Too Large",
        416 => "Range Not Satisfiable",
        421 => "Misdirected Request",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        505 => "HTTP Version Not Supported",
        _ => "Status",
    }
}
