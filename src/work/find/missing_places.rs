//! The text of a page with what it lacks at its places.
//!
//! In: the record of a page, and its parts that are missing ([`crate::store::PageNeeds`]). Out: the text as it is searched, with
//! a bracket for each missing part at the place where the page names it. Style sheets, scripts and what a style names
//! have no place in a text: these are in the list of what is missing alone.

use super::record_content::{content, original_of, with_body};
use super::stored_pages::PageTexts;
use crate::captures::Body;
use crate::captures::limits::TEXT_BYTES;
use crate::replay::Rewriter;
use crate::store::Workspace;
use crate::work::models::{CaptureContent, CaptureId, Need};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Around the number of a missing part, until its bracket takes the place: a word that nobody writes.
const BEGIN: &str = "fondsmissingpart";
const END: &str = "endofpart";
/// Characters of a URL in a bracket.
const SHORTENED: usize = 80;

/// A text with what is missing in it.
#[derive(Debug, Clone)]
pub struct MarkedText {
    /// Heads, fields and text of the capture, the text with brackets.
    pub content: Arc<CaptureContent>,
    /// The places of the brackets in it, in bytes.
    pub marks: Arc<Vec<Range<usize>>>,
    /// Parts that have a place, of those that are missing.
    pub placed: usize,
}

/// Reads the text of a capture, with brackets where parts are missing that its page loses something by.
///
/// # Errors
///
/// A record, a catalogue or an index that cannot be read.
pub(in crate::work) fn marked_text(workspace: &Workspace, id: CaptureId) -> anyhow::Result<MarkedText> {
    let mut content = content(workspace, &PageTexts::open(workspace)?, id)?;
    let needs = workspace.catalogue().needs(id)?.needs;
    let missing: Vec<&Need> = needs.iter().filter(|need| need.is_loss()).collect();
    let mut marks = Vec::new();
    let mut placed = 0;
    if !missing.is_empty()
        && let Some(text) = text_with_numbers(workspace, id, &missing)?
    {
        (content.text, marks, placed) = with_brackets(&text, &missing);
    }
    Ok(MarkedText { content: Arc::new(content), marks: Arc::new(marks), placed })
}

/// The text of the page with the number of each missing part at its place; none of what is no page.
fn text_with_numbers(workspace: &Workspace, id: CaptureId, missing: &[&Need]) -> anyhow::Result<Option<String>> {
    let numbers: HashMap<&str, usize> =
        missing.iter().enumerate().map(|(number, need)| (need.url.as_str(), number)).collect();
    let stored = workspace.catalogue().stored_capture(id)?;
    let (original, _) = original_of(workspace, &stored)?;
    let with_numbers = |body: &Body<'_>| {
        if !body.may_have_text(&stored.url) || body.payload.bomb {
            return None;
        }
        let rewriter = Rewriter::new(stored.url.clone(), "");
        let mark = |url: &crate::uri::Url| Some(format!(" {BEGIN}{}{END} ", numbers.get(url.as_str())?));
        let marked = rewriter.mark(&body.payload.bytes, body.charset(), mark);
        // Of another charset than its head says, the text would be read wrongly.
        if marked.charset.is_some() {
            return None;
        }
        let mut with_numbers = body.clone();
        with_numbers.payload.bytes = Cow::Owned(marked.bytes);
        let text = with_numbers.text_parts(&stored.url, TEXT_BYTES)?;
        Some(text.order.join(&text.main, &text.rest))
    };
    let source = original.as_ref().unwrap_or(&stored);
    with_body(workspace, source, &stored.url, |_, _, body, _| with_numbers(body))
}

/// Puts brackets in the place of numbers; with their places, and how many parts have one.
fn with_brackets(text: &str, missing: &[&Need]) -> (String, Vec<Range<usize>>, usize) {
    let (mut out, mut marks, mut placed) = (String::with_capacity(text.len()), Vec::new(), vec![false; missing.len()]);
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(BEGIN) {
        out.push_str(before);
        let number = behind.split_once(END).and_then(|(number, after)| Some((number.parse::<usize>().ok()?, after)));
        match number.and_then(|(number, after)| Some((number, missing.get(number)?, after))) {
            Some((number, need, after)) => {
                let begin = out.len();
                let url: String = need.url.chars().take(SHORTENED).collect();
                let more = if url.len() < need.url.len() { "…" } else { "" };
                out.push_str(&format!("[{} missing: {url}{more}, {}]", need.kind.as_str(), need.label()));
                marks.push(begin..out.len());
                if let Some(has_place) = placed.get_mut(number) {
                    *has_place = true;
                }
                rest = after;
            }
            None => {
                out.push_str(BEGIN);
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    (out, marks, placed.into_iter().filter(|has_place| *has_place).count())
}
