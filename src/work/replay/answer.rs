//! A capture as it goes to a browser: type, rewriting, fields, parts.

use super::capture::{ArchivedAnswer, ArchivedBody};
use super::{Origin, Replay};

use crate::replay::{
    BodyKind, Cookies, Hint, MementoLinks, Part, Rewriter, Rewritten, archive_policy, body_kind, frame_policy, part_of,
    rewrite_field, shown_type,
};
use crate::serve::{HttpReply, HttpRequest, ReplyBody, http_date};
use crate::uri::CaptureDate;
use crate::warc::http::MediaType;
use std::io::Read;

impl Replay {
    /// The answer for a request; `timestamp` are the digits that its links go on with.
    pub(super) fn reply(
        &self,
        answer: &ArchivedAnswer,
        request: &HttpRequest,
        timestamp: &str,
        hint: Hint,
    ) -> anyhow::Result<HttpReply> {
        let mut reply = match &answer.body {
            ArchivedBody::Absent(date) => return Ok(self.absent_original(answer, *date)),
            ArchivedBody::File(body) => {
                let range = request.header("Range").filter(|_| answer.status == 200);
                match part_of(range, body.len) {
                    Part::Whole => stream(answer.status, body.len, body.read_from(0)?),
                    Part::Outside => outside(body.len),
                    Part::Bytes(part) => {
                        let len = part.end - part.start;
                        stream(206, len, Box::new(body.read_from(part.start)?.take(len)))
                            .with("Content-Range", &format!("bytes {}-{}/{}", part.start, part.end - 1, body.len))
                    }
                }
            }
            ArchivedBody::Memory(..) if hint == Hint::Raw => raw(answer, request),
            ArchivedBody::Memory(..) => match self.joined(answer, request)? {
                Some(reply) => reply,
                None => self.rewritten(answer, request, timestamp, hint),
            },
        };
        // Of what is as it was archived, a browser gets no field either that acts on it.
        let is_browser = request.header("Sec-Fetch-Mode").is_some();
        let hint_of_fields = if hint == Hint::Raw && is_browser { Hint::Page } else { hint };
        self.add_fields(answer, &mut reply, timestamp, hint_of_fields);
        if hint == Hint::Raw && is_browser {
            // A player follows redirects to what is as it was archived.
            let rewriter = self.rewriter(answer, timestamp);
            let target = answer.headers.get("Location").and_then(|target| rewriter.url(&target, Hint::Raw, true));
            let field = reply.headers.iter_mut().find(|(name, _)| name.eq_ignore_ascii_case("location"));
            if let Some((field, target)) = field.zip(target) {
                field.1 = target;
            }
        }
        Ok(reply)
    }

    fn rewriter(&self, answer: &ArchivedAnswer, timestamp: &str) -> Rewriter {
        Rewriter::new(answer.url.clone(), timestamp).below(&self.root)
    }

    fn rewritten(&self, answer: &ArchivedAnswer, request: &HttpRequest, timestamp: &str, hint: Hint) -> HttpReply {
        let body = answer.decoded().unwrap_or_default();
        let declared = MediaType::of(&answer.headers);
        let mime = shown_type(&declared.mime, hint, &body);
        let rewriter = self.rewriter(answer, timestamp);
        let charset = declared.charset.as_deref();
        let form = body_kind(&mime, &body);
        // Short, so that a charset stays within the first 1024 bytes of its page.
        let shim = format!("<script src=\"{}/shim.js\"></script>", self.root);
        let Rewritten { bytes, charset: new_charset } = match form {
            BodyKind::Page => rewriter.html(&body, charset, Some(&shim)),
            BodyKind::Image => rewriter.html(&body, charset, None),
            BodyKind::Sheet => rewriter.css(&body, charset),
            BodyKind::List => Rewritten { bytes: rewriter.script(&body), charset: None },
            BodyKind::Other => Rewritten { bytes: body, charset: None },
        };
        let mut reply = match form {
            BodyKind::Other => part(answer, request, bytes),
            _ => HttpReply { status: answer.status, headers: Vec::new(), ..HttpReply::new(200, "", bytes) },
        };
        let mime = match new_charset {
            Some(charset) => format!("{mime}; charset={charset}"),
            None => match answer.headers.get("Content-Type").filter(|_| mime == declared.mime) {
                Some(declared) => declared,
                None => charset.map_or_else(|| mime.clone(), |charset| format!("{mime}; charset={charset}")),
            },
        };
        if !mime.is_empty() {
            reply = reply.with("Content-Type", &mime);
        }
        reply
    }

    /// Adds fields of the archived answer, and those of this one.
    fn add_fields(&self, answer: &ArchivedAnswer, reply: &mut HttpReply, timestamp: &str, hint: Hint) {
        let rewriter = self.rewriter(answer, timestamp);
        let (has_type, has_range) = (reply.header("Content-Type").is_some(), reply.header("Content-Range").is_some());
        for (name, value) in answer.headers.iter() {
            let lower = name.to_ascii_lowercase();
            let is_framing =
                matches!(lower.as_str(), "transfer-encoding" | "content-length" | "connection" | "keep-alive");
            let is_ours = match lower.as_str() {
                "content-type" => has_type,
                "content-range" => reply.status != 206 || has_range,
                "content-encoding" => true,
                _ => false,
            };
            if (hint == Hint::Raw && is_framing) || is_ours {
                continue;
            }
            // Bytes of fields are Latin-1 where they are no UTF-8.
            let value = std::str::from_utf8(value)
                .map_or_else(|_| value.iter().map(|byte| char::from(*byte)).collect(), str::to_owned);
            if let Some((name, value)) = rewrite_field(&rewriter, hint, Cookies::Dropped, name, &value) {
                reply.headers.push((name, value));
            }
        }
        let links = MementoLinks { base: &self.base(Origin::Archive), url: answer.url.as_str() };
        for (name, value) in [
            ("Memento-Datetime", http_date(answer.date)),
            ("Link", links.field(answer.date, false)),
            ("Accept-Ranges", "bytes".to_owned()),
        ] {
            reply.headers.retain(|(own, _)| !own.eq_ignore_ascii_case(name) || name == "Link");
            reply.headers.push((name.to_owned(), value));
        }
    }

    fn absent_original(&self, answer: &ArchivedAnswer, date: CaptureDate) -> HttpReply {
        let sentences = [
            format!(
                "{} was captured on {} UTC as a repetition of what was captured on {} UTC.",
                answer.url,
                answer.date.to_readable(),
                date.to_readable()
            ),
            "That capture is not in this archive: import the file that has it, and open this page again.".to_owned(),
        ];
        self.own_page(503, "The original of this capture is missing", &sentences, &[])
    }

    /// A page of this program.
    pub(super) fn own_page(
        &self,
        status: u16,
        title: &str,
        sentences: &[String],
        links: &[(String, String, String)],
    ) -> HttpReply {
        HttpReply::html(status, crate::replay::plain_page(&self.root, title, sentences, links))
    }

    /// Every answer has a policy: whatever is in it loads nothing of the web.
    pub(super) fn with_policy(&self, origin: Origin, mut reply: HttpReply) -> HttpReply {
        let (control, archive) = (self.origin(Origin::Control), self.origin(Origin::Archive));
        let own = |name: &str| {
            ["content-security-policy", "x-dns-prefetch-control", "cache-control", "etag"]
                .iter()
                .any(|own| name.eq_ignore_ascii_case(own))
        };
        reply.headers.retain(|(name, _)| !own(name));
        let policy = match origin {
            Origin::Control => frame_policy(&archive),
            Origin::Archive => archive_policy(&self.root, &control, &archive),
        };
        let reply = reply.with("Content-Security-Policy", &policy).with("Cache-Control", "no-store");
        match origin {
            Origin::Control => reply.with("X-Content-Type-Options", "nosniff").with("Referrer-Policy", "no-referrer"),
            Origin::Archive => reply.with("X-DNS-Prefetch-Control", "off").with("Referrer-Policy", "same-origin"),
        }
    }
}

fn stream(status: u16, len: u64, read: Box<dyn Read + Send>) -> HttpReply {
    HttpReply { status, headers: Vec::new(), body: ReplyBody::Stream(len, read), ..HttpReply::new(200, "", "") }
}

fn outside(len: u64) -> HttpReply {
    HttpReply::plain(416, "The range begins behind the end").with("Content-Range", &format!("bytes */{len}"))
}

/// The body as it was archived, for who takes its encoding; else decoded.
fn raw(answer: &ArchivedAnswer, request: &HttpRequest) -> HttpReply {
    let coding = answer.headers.get_text("Content-Encoding").map(|coding| coding.trim().to_ascii_lowercase());
    let accepted = request.header("Accept-Encoding").unwrap_or_default().to_ascii_lowercase();
    match coding.filter(|coding| !coding.is_empty() && coding != "identity") {
        Some(coding) if accepted.split(',').any(|own| own.split(';').next().unwrap_or_default().trim() == coding) => {
            let body = answer.entity().unwrap_or_default();
            HttpReply { status: answer.status, headers: Vec::new(), ..HttpReply::new(200, "", body) }
                .with("Content-Encoding", &coding)
        }
        Some(_) => HttpReply {
            status: answer.status,
            headers: Vec::new(),
            ..HttpReply::new(200, "", answer.decoded().unwrap_or_default())
        },
        None => part(answer, request, answer.entity().unwrap_or_default()),
    }
}

/// A body, or the part of it that is requested. Ranges are those of what was archived: an encoded body has none.
fn part(answer: &ArchivedAnswer, request: &HttpRequest, body: Vec<u8>) -> HttpReply {
    let with = |status, body: Vec<u8>| HttpReply { status, headers: Vec::new(), ..HttpReply::new(200, "", body) };
    let is_encoded = answer.headers.get_text("Content-Encoding").is_some_and(|coding| !coding.trim().is_empty());
    let range = request.header("Range").filter(|_| answer.status == 200 && !is_encoded);
    let len = body.len() as u64;
    match part_of(range, len) {
        Part::Whole => with(answer.status, body),
        Part::Outside => outside(len),
        Part::Bytes(part) => {
            // They fit: the body is in memory.
            let bytes = body.get(part.start as usize..part.end as usize).unwrap_or_default().to_vec();
            with(206, bytes).with("Content-Range", &format!("bytes {}-{}/{len}", part.start, part.end - 1))
        }
    }
}
