//! The answer of a server as it comes in, and the exchange that it makes.
//!
//! In: bytes in any pieces, from a [`Client`](super::Client) or from whoever recorded them. Out: an [`Exchange`]. Nothing
//! is corrected.

use super::disk::Reservation;
use super::message::{ChunkScanner, Framing, Head, MAX_HEAD_BYTES, head_end};
use super::spool::Spool;
use super::wire::TlsFacts;
use crate::captures::plain_mime;
use crate::jobs::filled;
use crate::uri::CaptureDate;
use crate::warc::digest::{BlockDigester, Digests};
use crate::warc::http::{MediaType, Payload, decode_payload, parse_response_head};
use std::io::{self, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

/// Bytes of an answer that are read at once.
pub(super) const READ_BYTES: usize = 64 << 10;

/// The reason why an answer was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutCause {
    /// The most bytes of an answer.
    Length,
    /// The most time of an answer.
    Time,
    /// The least rate of a body.
    Rate,
    /// The server sent nothing for long.
    Silence,
    /// The server ended it early.
    Disconnect,
}

impl CutCause {
    /// The value of `WARC-Truncated`.
    pub fn truncated(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Time | Self::Rate | Self::Silence => "time",
            Self::Disconnect => "disconnect",
        }
    }
}

/// A request that was sent, and what is known of its exchange besides the answer.
#[derive(Debug, Clone)]
pub struct SentRequest {
    /// The request as sent.
    pub request: Vec<u8>,
    /// The server.
    pub address: SocketAddr,
    /// The secured line, if it was one.
    pub tls: Option<TlsFacts>,
    /// When the request went out.
    pub date: CaptureDate,
    /// How long the exchange took.
    pub took: Duration,
    /// Why whoever received the answer stopped before its end.
    pub cut: Option<CutCause>,
}

/// A finished exchange.
#[derive(Debug)]
pub struct Exchange {
    /// The request as sent.
    pub request: Vec<u8>,
    /// The final answer as received: head and body, transfer encoding kept.
    pub response: Spool,
    /// Its head.
    pub head: Head,
    /// Bytes of its head.
    pub head_len: u64,
    /// Interim answers (1xx) as received before it.
    pub interim: Vec<u8>,
    /// Digests of the response and of its payload.
    pub digests: Digests,
    /// Why it was cut, if it was.
    pub cut: Option<CutCause>,
    /// The server.
    pub address: SocketAddr,
    /// The secured line, if it was one.
    pub tls: Option<TlsFacts>,
    /// When the request went out.
    pub date: CaptureDate,
    /// How long it took.
    pub took: Duration,
    /// Oddities, as annotations of the crawl log.
    pub notes: Vec<&'static str>,
    /// Room on the disk that is kept for it.
    _reserved: Option<Reservation>,
}

impl Exchange {
    /// Makes the exchange of a request that somebody else sent, such as the browser behind a proxy. `answer` gives
    /// everything that the server sent for it, byte for byte: interim heads, the head, and the body with its transfer
    /// encoding. Many bytes are kept in a nameless file in `folder`, for which no room is reserved.
    ///
    /// An answer that ends before its body does is cut, by the server where `sent` gives no other cause.
    ///
    /// # Errors
    ///
    /// `InvalidData` where the answer has no HTTP head, or goes on behind its body: a record of it would not be what
    /// was sent. Errors of `answer` and of the disk.
    pub fn recorded(sent: SentRequest, mut answer: impl Read, folder: &Path) -> io::Result<Self> {
        let (mut heads, mut buffer) = (IncomingHeads::default(), filled(0, READ_BYTES));
        let invalid = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
        let (mut incoming, mut rest) = loop {
            if let Some((head, rest)) = heads.take_final().map_err(invalid)? {
                break (IncomingAnswer::begin(heads, head, Spool::new(folder)), rest);
            }
            match answer.read(&mut buffer)? {
                0 => return Err(invalid("the answer ends inside its head".to_owned())),
                count => heads.push(&buffer[..count]),
            }
        };
        // RFC 9112, 6.3: whatever its head says.
        if sent.request.starts_with(b"HEAD ") {
            incoming.framing = Framing::Empty;
        }
        incoming.keep_head()?;
        loop {
            let used = incoming.take(&rest)?;
            if used < rest.len() {
                return Err(invalid("bytes follow that are not of the body".to_owned()));
            }
            match answer.read(&mut buffer)? {
                0 => break,
                count => rest = buffer[..count].to_vec(),
            }
        }
        let is_short = !incoming.is_complete() && !incoming.may_end();
        let cut = sent.cut.or(is_short.then_some(CutCause::Disconnect));
        Ok(incoming.finish(SentRequest { cut, ..sent }))
    }

    /// The payload without transfer and content encoding, at most `limit`
    /// bytes of it, made from at most `limit` bytes of the answer.
    pub fn decoded_payload(&mut self, limit: usize) -> io::Result<Payload<'static>> {
        let mut bytes = Vec::new();
        let head_len = usize::try_from(self.head_len).unwrap_or(usize::MAX);
        self.response.reader(0)?.take(limit.saturating_add(head_len) as u64).read_to_end(&mut bytes)?;
        let mut payload = match parse_response_head(&bytes) {
            Some(head) => decode_payload(&head, bytes.get(head.head_len..).unwrap_or_default(), limit).into_owned(),
            None => bytes.split_off(head_len.min(bytes.len())).into(),
        };
        payload.cut |= self.response.len().saturating_sub(self.head_len) > limit as u64;
        Ok(payload)
    }

    /// MIME type without parameters, lower case; `-` where the answer has none.
    pub fn mime(&self) -> String {
        let value = self.head.headers.get("Content-Type").unwrap_or_default();
        plain_mime(&MediaType::parse(&value).mime)
    }
}

/// The heads of an answer while they come in.
#[derive(Default)]
pub(super) struct IncomingHeads {
    interim: Vec<u8>,
    /// The next head, as far as it is there.
    bytes: Vec<u8>,
    scanned: usize,
}

impl IncomingHeads {
    /// Whether nothing came.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.interim.is_empty()
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The head that is not interim, and the bytes of the body that came with it; none where it is not whole yet. The
    /// error says why it is no HTTP.
    pub fn take_final(&mut self) -> Result<Option<(Head, Vec<u8>)>, String> {
        while let Some(end) = head_end(&self.bytes, self.scanned) {
            let head = Head::parse(&self.bytes[..end]).map_err(|why| self.not_http(&why))?;
            let rest = self.bytes.split_off(end);
            if !head.is_interim() {
                return Ok(Some((head, rest)));
            }
            self.interim.append(&mut self.bytes);
            (self.bytes, self.scanned) = (rest, 0);
        }
        self.scanned = self.bytes.len();
        let start = self.bytes.trim_ascii_start();
        let known = start.len().min(5);
        if !start[..known].eq_ignore_ascii_case(&b"HTTP/"[..known]) {
            return Err(self.not_http("it does not begin with HTTP/"));
        }
        if self.bytes.len() + self.interim.len() > MAX_HEAD_BYTES {
            return Err(format!("the head of the answer is longer than {MAX_HEAD_BYTES} bytes"));
        }
        Ok(None)
    }

    fn not_http(&self, why: &str) -> String {
        let begin = &self.bytes[..self.bytes.len().min(60)];
        let begin: String = String::from_utf8_lossy(begin).escape_debug().collect();
        format!("the answer is no HTTP ({why}): “{begin}”")
    }
}

/// An answer while its body comes in.
pub(super) struct IncomingAnswer {
    head: Head,
    head_bytes: Vec<u8>,
    interim: Vec<u8>,
    response: Spool,
    chunks: ChunkScanner,
    framing: Framing,
    digester: BlockDigester,
    body_len: u64,
    reserved: Option<Reservation>,
    /// The longest answer that is kept.
    limit: u64,
}

impl IncomingAnswer {
    /// After the heads; the final one is kept with [`keep_head`](Self::keep_head).
    pub fn begin(heads: IncomingHeads, head: Head, response: Spool) -> Self {
        let framing = head.framing();
        let (digester, chunks) = (BlockDigester::new(true), ChunkScanner::default());
        let IncomingHeads { interim, bytes: head_bytes, .. } = heads;
        let (body_len, reserved, limit) = (0, None, u64::MAX);
        Self { head, head_bytes, interim, response, chunks, framing, digester, body_len, reserved, limit }
    }

    /// Reserves room for an answer of at most `limit` bytes.
    pub fn within(mut self, limit: u64, reserved: Option<Reservation>) -> Self {
        (self.limit, self.reserved) = (limit, reserved);
        self.reserve();
        self
    }

    pub fn keep_head(&mut self) -> io::Result<()> {
        self.response.push(&self.head_bytes)?;
        self.digester.update(&self.head_bytes);
        Ok(())
    }

    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// The part of `bytes` that the limit leaves room for, and whether that is not all.
    pub fn within_limit<'a>(&self, bytes: &'a [u8]) -> (&'a [u8], bool) {
        let room = self.limit.saturating_sub(self.response.len());
        let take = usize::try_from(room).unwrap_or(usize::MAX).min(bytes.len());
        (&bytes[..take], take < bytes.len())
    }

    /// Whether the connection can be used for another request, after an answer that is complete.
    pub fn keeps_connection(&self) -> bool {
        let end_is_certain = matches!(self.framing, Framing::Empty | Framing::Length(_) | Framing::Chunked);
        end_is_certain && self.head.keeps_alive() && self.head.status != 101
    }

    /// The exchange, as far as the answer came.
    pub fn finish(self, sent: SentRequest) -> Exchange {
        let notes = [
            (self.chunks.is_broken(), "badChunks"),
            (matches!(self.framing, Framing::Conflicting { .. }), "conflictingLengths"),
            (!self.interim.is_empty(), "interim"),
        ];
        let SentRequest { request, address, tls, date, took, cut } = sent;
        Exchange {
            request,
            head_len: self.head_bytes.len() as u64,
            response: self.response,
            _reserved: self.reserved,
            head: self.head,
            interim: self.interim,
            digests: self.digester.finish(),
            cut,
            address,
            tls,
            date,
            took,
            notes: notes.into_iter().filter(|(applies, _)| *applies).map(|(_, note)| note).collect(),
        }
    }

    /// Counts the room that it will take, by what is announced and received.
    fn reserve(&mut self) {
        let announced = match self.framing {
            Framing::Length(length) | Framing::Conflicting { high: length, .. } => length.min(self.limit),
            _ => 0,
        };
        if let Some(reserved) = &mut self.reserved {
            reserved.set(self.body_len, announced);
        }
    }

    /// Takes the bytes of the body; returns their number.
    pub fn take(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = |length: u64| usize::try_from(length - self.body_len).unwrap_or(usize::MAX).min(bytes.len());
        let used = match self.framing {
            Framing::Empty => 0,
            Framing::Length(length) | Framing::Conflicting { high: length, .. } => room(length),
            Framing::UntilClose => bytes.len(),
            Framing::Chunked => self.chunks.feed(bytes),
        };
        self.response.push(&bytes[..used])?;
        self.body_len += used as u64;
        self.digester.update(&bytes[..used]);
        self.reserve();
        Ok(used)
    }

    pub fn is_complete(&self) -> bool {
        match self.framing {
            Framing::Empty => true,
            Framing::Length(length) | Framing::Conflicting { high: length, .. } => self.body_len >= length,
            Framing::Chunked => self.chunks.is_done(),
            Framing::UntilClose => false,
        }
    }

    /// Whether the server may stop here.
    pub fn may_end(&self) -> bool {
        match self.framing {
            Framing::UntilClose => true,
            Framing::Conflicting { low, .. } => self.body_len >= low,
            Framing::Chunked => self.chunks.is_broken(),
            _ => self.is_complete(),
        }
    }
}
