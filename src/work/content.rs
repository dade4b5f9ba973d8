//! What stands in the WARC record of a capture, read again from its file.

use crate::captures::limits::{MAX_HTTP_HEAD_BYTES, SHOWN_BLOCK_BYTES, SHOWN_PAGE_BYTES, SHOWN_TEXT_BYTES};
use crate::captures::{Body, body_of};
use crate::links::{Page, PageOptions};
use crate::store::{RecordRow, StoredCapture, Workspace};
use crate::text::PageText;
use crate::uri::Url;
use crate::warc::http::parse_response_head;
use crate::warc::{Record, RecordType, format_offset, read_record_in};
use crate::work::models::{CaptureContent, CaptureId};
use anyhow::Context;

/// The main record of a capture, read and decoded.
pub(super) struct Decoded {
    record: Record,
    body: Body<'static>,
    problems: Vec<String>,
}

impl Decoded {
    /// The body read as a page; none when it is no page.
    pub(super) fn page(&self, url: &Url) -> Option<Page> {
        self.body.page(url, PageOptions::default())
    }

    /// Title, main text and the rest of what has text, for the index.
    pub(super) fn page_text(&self, url: &Url) -> Option<PageText> {
        self.body.text(url, SHOWN_TEXT_BYTES)
    }

    /// The body as text: of a page the visible one, of all else what the index has of it.
    pub(super) fn text(&self, url: &Url) -> String {
        self.text_beside(self.page(url).as_ref(), url)
    }

    /// The same where the page was read before.
    fn text_beside(&self, page: Option<&Page>, url: &Url) -> String {
        match page {
            Some(page) => page.text.clone(),
            None => self.page_text(url).map(|text| text.all()).unwrap_or_default(),
        }
    }
}

/// Reads the main record of a capture; for a revisit, that of what it repeats.
pub(super) fn decoded(workspace: &Workspace, stored: &StoredCapture) -> anyhow::Result<Decoded> {
    let mut problems = Vec::new();
    let original = match stored.revisit_of {
        None => None,
        Some(date) => {
            let original = workspace.catalogue().original_of(stored.id)?;
            if original.is_none() {
                problems.push(format!(
                    "this is a revisit of a capture of {}, which is not in this workspace: its text cannot be shown",
                    date.to_readable()
                ));
            }
            original
        }
    };
    let source = original.as_ref().unwrap_or(stored);
    let place = source.records.first().with_context(|| format!("capture {} has no records", source.id))?;
    let (record, odd) = record_of(workspace, place, SHOWN_BLOCK_BYTES)?;
    problems.extend(odd);
    if record.omitted > 0 {
        problems.push(format!("{} bytes at the end of the record were left out", record.omitted));
    }
    let (head, body) = body_of(&record, SHOWN_PAGE_BYTES);
    let flaws = head.iter().flat_map(|head| &head.flaws).chain(&body.payload.flaws);
    problems.extend(flaws.map(|flaw| flaw.detail.clone()));
    if head.is_some() && body.payload.cut {
        problems.push(format!("only the first {SHOWN_PAGE_BYTES} decoded bytes are read"));
    }
    let body = body.into_owned();
    Ok(Decoded { record, body, problems })
}

/// Reads a record of the catalogue from its file, and tells what is odd about
/// it. Size and date of the file may be as they were and its bytes not: the
/// record has to be the one that was read.
pub(super) fn record_of(
    workspace: &Workspace,
    place: &RecordRow,
    max_block: usize,
) -> anyhow::Result<(Record, Vec<String>)> {
    let path = workspace.source_of(place)?;
    let (record, problems) = read_record_in(&path, place.span, max_block)?;
    let is_it = place.record_id.is_empty() || record.head.record_id().as_deref() == Some(&place.record_id);
    anyhow::ensure!(
        is_it,
        "{}, offset {}: another record stands here than the one that was read; import the file again, or check all files with: fonds files list {} --check",
        path.display(),
        format_offset(place.span.offset),
        workspace.folder().display()
    );
    Ok((record, problems.iter().map(ToString::to_string).collect()))
}

/// Heads, fields and text of a capture.
pub fn content(workspace: &Workspace, id: CaptureId) -> anyhow::Result<CaptureContent> {
    let stored = workspace.catalogue().stored_capture(id)?;
    let decoded = decoded(workspace, &stored)?;
    let mut problems = decoded.problems.clone();
    let request_head = match stored.records.iter().find(|record| record.record_type == RecordType::Request) {
        None => String::new(),
        Some(place) => {
            let (record, odd) = record_of(workspace, place, MAX_HTTP_HEAD_BYTES)?;
            problems.extend(odd);
            String::from_utf8_lossy(&record.block).into_owned()
        }
    };
    // A revisit keeps its own head beside the payload of what it repeats.
    let own = match (stored.revisit_of, stored.records.first()) {
        (Some(_), Some(place)) => Some(record_of(workspace, place, MAX_HTTP_HEAD_BYTES)?),
        _ => None,
    };
    let own = own.map(|(record, odd)| {
        problems.extend(odd);
        record
    });
    let shown = own.as_ref().unwrap_or(&decoded.record);
    let head_len = parse_response_head(&shown.block).map_or(0, |head| head.head_len);
    let page = decoded.page(&stored.url);
    let charset = page.as_ref().map(|page| format!("{} ({})", page.charset, page.charset_from.label()));
    Ok(CaptureContent {
        request_head,
        response_head: String::from_utf8_lossy(shown.block.get(..head_len).unwrap_or_default()).into_owned(),
        warc_fields: shown
            .head
            .headers
            .iter()
            .map(|(name, value)| (name.to_owned(), String::from_utf8_lossy(value).into_owned()))
            .collect(),
        text: decoded.text_beside(page.as_ref(), &stored.url),
        charset: charset.unwrap_or_default(),
        problems,
    })
}
