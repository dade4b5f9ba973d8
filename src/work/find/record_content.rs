//! The WARC record of a capture is read again from its file.

use super::stored_pages::{PageTexts, facts_of};
use crate::analysis::url_text;
use crate::captures::limits::{LARGE_PAGE_BYTES, MAX_HTTP_HEAD_BYTES, MAX_PAGE_BYTES, TEXT_BYTES};
use crate::captures::media::SNIFFED_BYTES;
use crate::captures::{Body, LargePagePermit, PageFacts, body_of};
use crate::search::StoredPage;
use crate::store::{RecordRow, StoredCapture, Workspace};
use crate::text::PageText;
use crate::uri::Url;
use crate::warc::http::{HttpHead, parse_response_head};
use crate::warc::{Record, RecordType, format_offset, read_record_in};
use crate::work::models::{CaptureContent, CaptureId};
use anyhow::Context;

/// The text of the main record of a capture, and the facts of its page.
pub(in crate::work) struct RecordReading {
    text: PageText,
    facts: PageFacts,
}

impl RecordReading {
    /// The page as the index keeps it, with title and language of the catalogue where the page has
    /// none.
    pub(in crate::work) fn into_page(self, version: u64, stored: &StoredCapture) -> StoredPage {
        let Self { text, facts } = self;
        StoredPage {
            version,
            title: text.title.unwrap_or_else(|| stored.title.clone()),
            description: text.description.unwrap_or_default(),
            url: url_text(stored.url.as_str()),
            language: text.language.unwrap_or_else(|| stored.language.clone()),
            published: text.published.map(|date| (date.date.seconds(), date.evidence.as_str().to_owned())),
            order: text.order,
            main: text.main,
            rest: text.rest,
            facts: facts.encode(),
        }
    }

    /// Whether there is more text than is searched and scored.
    pub(in crate::work) fn is_text_cut(&self) -> bool {
        self.facts.is_text_cut
    }
}

/// Reads the main record of a capture for its text and all that its page has by itself; for a revisit, that of what
/// it repeats.
pub(in crate::work) fn read_record(workspace: &Workspace, stored: &StoredCapture) -> anyhow::Result<RecordReading> {
    let (original, problem) = original_of(workspace, stored)?;
    let kinds = workspace.site_kinds()?;
    with_body(workspace, original.as_ref().unwrap_or(stored), &stored.url, |record, head, body, odd| {
        let mut facts = PageFacts::of_record(record, head, body);
        let text = body.text_with_facts(&stored.url, TEXT_BYTES, Some(&mut facts));
        let has_text = text.is_some();
        let text = text.unwrap_or_default();
        facts.add_text(&text);
        if facts.is_page {
            facts.site_kinds = kinds.of_page(&facts.fields, &body.payload.bytes);
        }
        let is_body_cut = record.omitted > 0 || head.is_some() && body.payload.cut;
        facts.is_text_cut = text.is_cut || has_text && is_body_cut;
        facts.add_problems(problem);
        facts.add_problems(odd);
        if record.omitted > 0 {
            facts.add_problems([format!("{} bytes at the end of the record were left out", record.omitted)]);
        }
        let flaws = head.iter().flat_map(|head| &head.flaws).chain(&body.payload.flaws);
        facts.add_problems(flaws.map(|flaw| flaw.detail.clone()));
        if head.is_some() && body.payload.cut {
            facts.add_problems([format!("only the first {} decoded bytes are read", body.payload.bytes.len())]);
        }
        if text.is_cut {
            facts.add_problems([format!(
                "only the first {} of its text are searched, scored and shown",
                mebibytes(TEXT_BYTES)
            )]);
        }
        RecordReading { text, facts }
    })
}

/// Reads the same record for title and text alone, without facts.
pub(in crate::work) fn read_record_text(
    workspace: &Workspace,
    stored: &StoredCapture,
) -> anyhow::Result<RecordReading> {
    let (original, _) = original_of(workspace, stored)?;
    with_body(workspace, original.as_ref().unwrap_or(stored), &stored.url, |_, _, body, _| {
        let text = body.text_parts(&stored.url, TEXT_BYTES).unwrap_or_default();
        RecordReading { text, facts: PageFacts::default() }
    })
}

/// The original of a revisit, or why that is not known; neither for other captures.
pub(super) fn original_of(
    workspace: &Workspace,
    stored: &StoredCapture,
) -> anyhow::Result<(Option<StoredCapture>, Option<String>)> {
    let Some(date) = stored.revisit_of else { return Ok((None, None)) };
    let original = workspace.catalogue().original_of(stored.id)?;
    let problem = original.is_none().then(|| {
        let date = date.to_readable();
        format!("this is a revisit of a capture of {date}, which is not in this workspace: its text cannot be shown")
    });
    Ok((original, problem))
}

/// Reads the main record of a capture, and gives it out with its HTTP head, its body, and what is odd about it; a
/// large one whole only where it may have text. The one place where records are read for their texts.
pub(super) fn with_body<T>(
    workspace: &Workspace,
    source: &StoredCapture,
    url: &Url,
    take: impl FnOnce(&Record, Option<&HttpHead>, &Body<'_>, Vec<String>) -> T,
) -> anyhow::Result<T> {
    let place = source.records.first().with_context(|| format!("capture {} has no records", source.id))?;
    // Pages above this are in memory one at a time, in all threads together.
    let mut permit = LargePagePermit::default();
    let mut read = record_of(workspace, place, LARGE_PAGE_BYTES)?;
    if read.0.omitted > 0 && body_of(&read.0, SNIFFED_BYTES).1.may_have_text(url) {
        permit.wait_for(LARGE_PAGE_BYTES + 1);
        read = record_of(workspace, place, MAX_PAGE_BYTES + MAX_HTTP_HEAD_BYTES)?;
    }
    let (record, odd) = read;
    let (head, mut body) = body_of(&record, LARGE_PAGE_BYTES);
    if body.payload.cut && body.may_have_text(url) {
        permit.wait_for(LARGE_PAGE_BYTES + 1);
        body = body_of(&record, MAX_PAGE_BYTES).1;
    }
    Ok(take(&record, head.as_ref(), &body, odd))
}

/// A limit as people read it.
fn mebibytes(bytes: usize) -> String {
    format!("{} MiB", bytes >> 20)
}

/// Reads a record of the catalogue from its file, and lists its problems. Size and date of the file
/// may be as they were and its bytes not: the record has to be the one that was read.
pub(in crate::work) fn record_of(
    workspace: &Workspace,
    place: &RecordRow,
    max_block: usize,
) -> anyhow::Result<(Record, Vec<String>)> {
    let path = workspace.source_of(place)?;
    #[cfg(test)]
    count_read(workspace.folder(), &path, place.span.offset);
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

/// Heads and fields of a capture in its file, and its text.
pub(in crate::work) fn content(
    workspace: &Workspace,
    texts: &PageTexts<'_>,
    id: CaptureId,
) -> anyhow::Result<CaptureContent> {
    let stored = workspace.catalogue().stored_capture(id)?;
    let page = texts.read(id)?;
    let facts = facts_of(&page);
    let mut problems = facts.problems;
    let request_head = match stored.records.iter().find(|record| record.record_type == RecordType::Request) {
        None => String::new(),
        Some(place) => {
            let (record, odd) = record_of(workspace, place, MAX_HTTP_HEAD_BYTES)?;
            problems.extend(odd);
            String::from_utf8_lossy(&record.block).into_owned()
        }
    };
    // A revisit keeps its own head beside the payload of what it repeats.
    let place = stored.records.first().with_context(|| format!("capture {id} has no records"))?;
    let (shown, odd) = record_of(workspace, place, MAX_HTTP_HEAD_BYTES)?;
    if stored.revisit_of.is_some() {
        problems.extend(odd);
    }
    let head_len = parse_response_head(&shown.block).map_or(0, |head| head.head_len);
    let charset = facts.charset.map(|(charset, source)| format!("{charset} ({})", source.label()));
    Ok(CaptureContent {
        request_head,
        response_head: String::from_utf8_lossy(shown.block.get(..head_len).unwrap_or_default()).into_owned(),
        warc_fields: shown
            .head
            .headers
            .iter()
            .map(|(name, value)| (name.to_owned(), String::from_utf8_lossy(value).into_owned()))
            .collect(),
        text: page.text(),
        charset: charset.unwrap_or_default(),
        problems,
    })
}

/// Records that were read: folder of the workspace, file, place in it.
#[cfg(test)]
static READ: std::sync::Mutex<Vec<(std::path::PathBuf, std::path::PathBuf, u64)>> = std::sync::Mutex::new(Vec::new());

#[cfg(test)]
fn count_read(folder: &std::path::Path, file: &std::path::Path, offset: u64) {
    crate::jobs::lock(&READ).push((folder.to_owned(), file.to_owned(), offset));
}

/// The number of records of a workspace that were read from their files until now.
#[cfg(test)]
pub(in crate::work) fn records_read(folder: &std::path::Path) -> u64 {
    crate::jobs::lock(&READ).iter().filter(|(of, ..)| of == folder).count() as u64
}

/// Records of a workspace that were read more than once.
#[cfg(test)]
pub(in crate::work) fn records_read_again(folder: &std::path::Path) -> Vec<String> {
    let mut places = std::collections::HashSet::new();
    let read = crate::jobs::lock(&READ);
    let again = read.iter().filter(|read| read.0 == folder && !places.insert((&read.1, read.2)));
    again.map(|(_, file, offset)| format!("{}, offset {offset}", file.display())).collect()
}
