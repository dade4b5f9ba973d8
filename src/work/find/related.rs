//! Captures are related with a reason: links, pages that cite both, and texts that are like each
//! other.

use super::text_index::index_folder;
use crate::work::Session;
use crate::work::models::{CaptureId, CaptureRow};
use serde::Serialize;
use std::collections::HashMap;

/// Related captures at most.
const MOST_RELATED: usize = 100;
/// Texts that are compared.
const MOST_TEXTS: usize = 40;
/// Texts less like it than this are not.
const LEAST_LIKENESS: f32 = 0.1;
/// The weight of a link beside a text that is the same, where its page has no other.
const LINK_WORTH: f64 = 0.5;

/// A capture that is related to another, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RelatedRow {
    /// The capture.
    #[serde(flatten)]
    pub capture: CaptureRow,
    /// The other one links to it.
    pub is_linked: bool,
    /// It links to the other one.
    pub links_here: bool,
    /// Pages that link to both.
    pub cited_together: u64,
    /// The similarity of its text with that of the other, 0 to 1.
    pub likeness: Option<f32>,
    /// The sum of its weights.
    pub weight: f64,
}

impl RelatedRow {
    /// The reasons why it is related, as text.
    pub fn reasons(&self) -> String {
        let mut reasons = Vec::new();
        if let Some(likeness) = self.likeness {
            reasons.push(format!("text {likeness:.2} like this one"));
        }
        match self.cited_together {
            0 => {}
            1 => reasons.push("cited by 1 of the same pages".to_owned()),
            pages => reasons.push(format!("cited by {pages} of the same pages")),
        }
        match (self.links_here, self.is_linked) {
            (true, true) => reasons.push("links to this and is linked from this".to_owned()),
            (true, false) => reasons.push("links to this".to_owned()),
            (false, true) => reasons.push("linked from this".to_owned()),
            (false, false) => {}
        }
        reasons.join(", ")
    }
}

/// The captures related to a capture, and how complete their list is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RelatedPage {
    /// The captures, the most related first.
    pub rows: Vec<RelatedRow>,
    /// Further ones that were left out.
    pub left_out: u64,
    /// Whether inlinks are built: without them, it is not known what links here.
    pub built: bool,
    /// Whether the text of the capture is in the index of texts.
    pub indexed: bool,
}

impl Session {
    /// The captures related to a capture, the most related first: what it links to and what links to
    /// it, each link counting the less the more there are, what the same pages cite (cosine of the
    /// citing pages), and pages whose text is like its own. Of each page one capture.
    ///
    /// # Errors
    ///
    /// No such capture, and a catalogue, links or index that cannot be read.
    pub fn related(&self, id: CaptureId, window_days: u32) -> anyhow::Result<RelatedPage> {
        let catalogue = self.catalogue();
        let linked = self.workspace.linked_captures(id, window_days)?;
        let mut found: HashMap<CaptureId, RelatedRow> = HashMap::new();
        for row in &linked.rows {
            let capture = catalogue.capture_row(row.capture)?;
            let inlinks = capture.inlinks_internal.unwrap_or(0) + capture.inlinks_external.unwrap_or(0);
            let root = |number: u64| (number.max(1) as f64).sqrt();
            let mut weight = row.cited_together as f64 / (root(linked.citing) * root(inlinks.max(row.cited_together)));
            if row.is_linked {
                weight += LINK_WORTH / root(inlinks);
            }
            weight += row.links_here.map_or(0.0, |links| LINK_WORTH / root(links));
            let (is_linked, links_here) = (row.is_linked, row.links_here.is_some());
            let cited_together = row.cited_together;
            let row = RelatedRow { capture, is_linked, links_here, cited_together, likeness: None, weight };
            found.insert(row.capture.id, row);
        }
        let indexed = self.add_similar_texts(id, &mut found)?;
        let mut rows: Vec<RelatedRow> = found.into_values().collect();
        rows.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.capture.id.cmp(&b.capture.id)));
        let left_out = rows.len().saturating_sub(MOST_RELATED) as u64 + linked.left_out;
        rows.truncate(MOST_RELATED);
        Ok(RelatedPage { rows, left_out, built: linked.built, indexed })
    }

    /// Adds what has a text like that of a capture; whether that is indexed.
    fn add_similar_texts(&self, id: CaptureId, found: &mut HashMap<CaptureId, RelatedRow>) -> anyhow::Result<bool> {
        let Some(index) = self.search_room().index(self.catalogue(), &index_folder(&self.workspace))? else {
            return Ok(false);
        };
        let facts = self.search_room().facts(self.catalogue())?;
        let version = usize::try_from(id).map(|id| facts.version_of(id)).unwrap_or_default();
        if index.pages()?.slot(version as u64)?.is_none() {
            return Ok(false);
        }
        let page = self.catalogue().page_number(id)?;
        let mut by_page: HashMap<i64, CaptureId> = HashMap::new();
        for capture in found.keys() {
            by_page.insert(self.catalogue().page_number(*capture)?, *capture);
        }
        for similar in index.similar(version as u64, MOST_TEXTS)? {
            let captures = usize::try_from(similar.version).map(|version| facts.captures_of_version(version));
            let newest = captures.into_iter().flatten().max_by_key(|capture| (facts.date_ms_of(*capture), *capture));
            let Some(capture) = newest.and_then(|capture| CaptureId::try_from(capture).ok()) else { continue };
            let of = self.catalogue().page_number(capture)?;
            if similar.score < LEAST_LIKENESS || of == page {
                continue;
            }
            let row = match by_page.get(&of).and_then(|known| found.get_mut(known)) {
                Some(row) => row,
                None => {
                    by_page.insert(of, capture);
                    found.entry(capture).or_insert(RelatedRow {
                        capture: self.catalogue().capture_row(capture)?,
                        is_linked: false,
                        links_here: false,
                        cited_together: 0,
                        likeness: None,
                        weight: 0.0,
                    })
                }
            };
            // The most like one of a page comes first.
            if row.likeness.is_none() {
                row.likeness = Some(similar.score);
                row.weight += f64::from(similar.score);
            }
        }
        Ok(true)
    }
}
