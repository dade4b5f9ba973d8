//! Files that were captured in parts, as browsers fetch videos and large documents.

use super::Replay;
use super::capture::ArchivedAnswer;
use crate::replay::{Part, part_of};
use crate::serve::{HttpReply, HttpRequest};
use crate::uri::PageKey;
use std::ops::Range;

/// Captures that are read for the parts of one file.
const MOST_PARTS: u64 = 30;
/// Bytes of an answer that is joined.
const MAX_JOINED_BYTES: u64 = 64 << 20;

impl Replay {
    /// The part of a file that is requested, joined from captures of parts that name the same length: as far as they
    /// follow each other. Nothing where none has its first byte, and of a whole file where a part is missing.
    pub(super) fn joined(&self, answer: &ArchivedAnswer, request: &HttpRequest) -> anyhow::Result<Option<HttpReply>> {
        let Some((own, total)) = captured_part(answer) else { return Ok(None) };
        let span = match part_of(request.header("Range"), total) {
            Part::Bytes(part) => part,
            Part::Whole => 0..total,
            Part::Outside => return Ok(None),
        };
        let is_whole = span == (0..total);
        if span.end - span.start > MAX_JOINED_BYTES {
            return Ok(None);
        }
        let near = self.session.catalogue().captures_near(&PageKey::of(&answer.url), answer.date, MOST_PARTS)?;
        let mut near = near.into_iter().filter(|near| near.status == 206 && near.id != answer.id);
        let mut parts = vec![(own, answer.decoded().unwrap_or_default())];
        let mut bytes = Vec::new();
        loop {
            let at = span.start + bytes.len() as u64;
            if at >= span.end {
                break;
            }
            if let Some((part, body)) = parts.iter().find(|(part, _)| part.contains(&at)) {
                let piece = (at - part.start) as usize..(span.end.min(part.end) - part.start) as usize;
                let piece = body.get(piece).unwrap_or_default();
                if piece.is_empty() {
                    break;
                }
                bytes.extend_from_slice(piece);
                continue;
            }
            let Some(next) = near.next() else { break };
            let other = self.read_capture(&self.session.catalogue().stored_capture(next.id)?)?;
            if let Some((part, of)) = captured_part(&other)
                && of == total
            {
                parts.push((part, other.decoded().unwrap_or_default()));
            }
        }
        let end = span.start + bytes.len() as u64;
        let reply = |status| HttpReply { headers: Vec::new(), ..HttpReply::new(status, "", bytes.clone()) };
        Ok(match end > span.start {
            true if is_whole && end == total => Some(reply(200)),
            true => Some(reply(206).with("Content-Range", &format!("bytes {}-{}/{total}", span.start, end - 1))),
            false => None,
        })
    }
}

/// The bytes that an archived part has of a file, and the length of that.
fn captured_part(answer: &ArchivedAnswer) -> Option<(Range<u64>, u64)> {
    let field = answer.headers.get_text("Content-Range").filter(|_| answer.status == 206)?;
    let (part, total) = field.trim().strip_prefix("bytes")?.trim().split_once('/')?;
    let (start, end) = part.split_once('-')?;
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let (part, total) = (number(start)?..number(end)?.checked_add(1)?, number(total)?);
    (part.start < part.end && part.end <= total).then_some((part, total))
}
