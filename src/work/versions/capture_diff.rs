//! What two captures differ in: words of their texts, and links.

use crate::store::{Answers, BareLink};
use crate::text::{TextDiff, diff_texts};
use crate::uri::{CaptureDate, PageKey};
use crate::work::find::stored_pages::PageTexts;
use crate::work::models::{CaptureId, CaptureRow};
use crate::work::{Session, error_chain};
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};

/// One of two captures that are compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DiffSide {
    /// Its number.
    pub capture: CaptureId,
    /// Its URL.
    pub url: String,
    /// Its title. Hostile text.
    pub title: String,
    /// When it was captured.
    pub date: CaptureDate,
    /// HTTP status.
    pub status: i32,
    /// Why its text cannot be read; it is compared as if it had none then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread: Option<String>,
}

/// A link that one of two captures has, or that both have with other texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LinkDifference {
    /// Its target.
    pub url: String,
    /// Kind of its element.
    pub kind: String,
    /// Its texts in the first; none where that does not have it. Hostile text.
    pub before: Option<Vec<String>>,
    /// Its texts in the second.
    pub after: Option<Vec<String>>,
}

impl LinkDifference {
    /// The texts of one side in a line.
    pub fn anchors(side: Option<&Vec<String>>) -> String {
        let texts =
            side.map(|texts| texts.iter().filter(|text| !text.is_empty()).map(String::as_str).collect::<Vec<_>>());
        texts.unwrap_or_default().join(" | ")
    }
}

/// What two captures differ in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CaptureDiff {
    /// The first of them.
    pub before: DiffSide,
    /// The second.
    pub after: DiffSide,
    /// Both have the same payload.
    pub is_same_payload: bool,
    /// All of their texts is compared, not the main text alone.
    pub is_whole_text: bool,
    /// Their texts.
    pub text: TextDiff,
    /// Links that the second alone has.
    pub links_added: Vec<LinkDifference>,
    /// Links that the first alone has.
    pub links_removed: Vec<LinkDifference>,
    /// Links of both with other texts.
    pub links_reworded: Vec<LinkDifference>,
}

impl CaptureDiff {
    /// How much differs, in a line.
    pub fn summary(&self) -> String {
        if self.is_same_payload {
            return "Same content".to_owned();
        }
        format!(
            "{} words added, {} removed, {} the same; {} links added, {} removed, {} with another text",
            self.text.added_words,
            self.text.removed_words,
            self.text.same_words,
            self.links_added.len(),
            self.links_removed.len(),
            self.links_reworded.len()
        )
    }
}

/// Compares two captures by what was kept of them: their main texts, or with `is_whole` all of their texts.
///
/// # Errors
///
/// No such capture; a catalogue or an index that cannot be read. A text that cannot be read is named in its side.
pub fn capture_diff(
    session: &Session,
    before: CaptureId,
    after: CaptureId,
    is_whole: bool,
) -> anyhow::Result<CaptureDiff> {
    let catalogue = session.catalogue();
    let texts = PageTexts::open(&session.workspace)?;
    let mut reader = texts.reader()?;
    let mut side = |id: CaptureId| -> anyhow::Result<(DiffSide, String, String, u64)> {
        let CaptureRow { url, title, date, status, .. } = catalogue.capture_row(id)?;
        let version = catalogue.capture_heads(&[id])?.first().map_or(0, |head| head.version);
        let (main, whole, unread) = match reader.text(id, version) {
            Ok(page) => (page.main.clone(), page.text(), None),
            Err(error) => (String::new(), String::new(), Some(error_chain(&error))),
        };
        Ok((DiffSide { capture: id, url, title, date, status, unread }, main, whole, version))
    };
    let (first, main_before, whole_before, version_before) = side(before)?;
    let (second, main_after, whole_after, version_after) = side(after)?;
    // Without any main text the rest is all that there is.
    let is_whole_text = is_whole || main_before.trim().is_empty() && main_after.trim().is_empty();
    let text = match is_whole_text {
        true => diff_texts(&whole_before, &whole_after),
        // What is main text of one page may count as the rest of the other: such a line is no difference.
        false => {
            let main: HashSet<&str> = main_before.lines().chain(main_after.lines()).map(str::trim).collect();
            let of_main = |whole: &str| {
                let lines = whole.lines().filter(|line| main.contains(line.trim()));
                lines.collect::<Vec<_>>().join("\n")
            };
            diff_texts(&of_main(&whole_before), &of_main(&whole_after))
        }
    };
    let links = (by_target(catalogue.bare_links(before)?), by_target(catalogue.bare_links(after)?));
    let (mut links_added, mut links_removed, mut links_reworded) = (Vec::new(), Vec::new(), Vec::new());
    for ((url, kind), anchors) in &links.1 {
        let earlier = links.0.get(&(url.clone(), kind.clone()));
        if earlier == Some(anchors) {
            continue;
        }
        let list = if earlier.is_some() { &mut links_reworded } else { &mut links_added };
        let (before, after) = (earlier.cloned(), Some(anchors.clone()));
        list.push(LinkDifference { url: url.clone(), kind: kind.clone(), before, after });
    }
    for ((url, kind), anchors) in links.0 {
        if !links.1.contains_key(&(url.clone(), kind.clone())) {
            links_removed.push(LinkDifference { url, kind, before: Some(anchors), after: None });
        }
    }
    Ok(CaptureDiff {
        is_same_payload: version_before == version_after && version_before != 0,
        before: first,
        after: second,
        is_whole_text,
        text,
        links_added,
        links_removed,
        links_reworded,
    })
}

/// Texts of links by their target and kind, each once, in the order of the page.
fn by_target(links: Vec<BareLink>) -> BTreeMap<(String, String), Vec<String>> {
    let mut found = BTreeMap::<(String, String), Vec<String>>::new();
    for BareLink { url, kind, anchor } in links {
        let anchors = found.entry((url, kind)).or_default();
        if !anchors.contains(&anchor) {
            anchors.push(anchor);
        }
    }
    found
}

/// A capture as a person names it: by its number, or by the URL of its page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedCapture {
    /// By number.
    Number(CaptureId),
    /// The page of a URL.
    Page(PageKey),
}

impl NamedCapture {
    /// Reads a name.
    ///
    /// # Errors
    ///
    /// What is neither a number nor a URL.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        if let Ok(id) = text.parse::<CaptureId>() {
            return Ok(Self::Number(id));
        }
        let key = PageKey::of_text(text);
        key.map(Self::Page).ok_or_else(|| anyhow::anyhow!("“{text}” is neither the number of a capture nor a URL"))
    }
}

/// The two captures that are compared where a person names one page or capture and perhaps another.
///
/// A capture alone is compared with the one before it of its page, a page alone by its last two captures. A date
/// chooses the capture nearest to it of a page that is named by its URL.
///
/// # Errors
///
/// Pages that were not captured, or only once.
pub fn captures_to_compare(
    session: &Session,
    first: &NamedCapture,
    second: Option<&NamedCapture>,
    dates: (Option<CaptureDate>, Option<CaptureDate>),
) -> anyhow::Result<(CaptureId, CaptureId)> {
    let catalogue = session.catalogue();
    let of = |named: &NamedCapture, date: Option<CaptureDate>| -> anyhow::Result<CaptureId> {
        let found = match (named, date) {
            (NamedCapture::Number(id), _) => return Ok(catalogue.capture_row(*id)?.id),
            (NamedCapture::Page(key), Some(date)) => catalogue.nearest_capture(key, date, Answers::All)?,
            (NamedCapture::Page(key), None) => catalogue.last_capture(key)?,
        };
        found.ok_or_else(|| not_captured(named))
    };
    if let Some(second) = second {
        return Ok((of(first, dates.0)?, of(second, dates.1)?));
    }
    let later = of(first, dates.1)?;
    if let (NamedCapture::Page(_), Some(date)) = (first, dates.0) {
        let earlier = of(first, Some(date))?;
        anyhow::ensure!(earlier != later, "both dates are nearest to capture {later}: there is no other to compare");
        return Ok((earlier, later));
    }
    let versions = catalogue.capture_detail(later)?.versions;
    let at = versions.iter().position(|row| row.id == later);
    match at.and_then(|at| at.checked_sub(1)).and_then(|at| versions.get(at)) {
        Some(before) => Ok((before.id, later)),
        None => anyhow::bail!("capture {later} is the first of its page: there is no earlier one to compare it with"),
    }
}

fn not_captured(named: &NamedCapture) -> anyhow::Error {
    match named {
        NamedCapture::Number(id) => anyhow::anyhow!("there is no capture {id}"),
        NamedCapture::Page(key) => anyhow::anyhow!("no capture of {key} is here"),
    }
}
