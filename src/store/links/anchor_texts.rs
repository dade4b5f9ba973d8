//! Anchors of other sites are gathered per page of captures, for the text index.

use crate::inlinks::invert::Row;
use crate::inlinks::stored::LinkStore;
use crate::jobs::JobCx;
use crate::store::captures::originals::version_group_sql;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::workspace::Workspace;
use crate::store::rows::CaptureId;
use rusqlite::CachedStatement;
use std::sync::Arc;

/// Anchors of a page that are indexed, each once: the first ones by date.
const MOST_ANCHORS: usize = 50;

/// Anchors of the built inlinks as they are when it is made, whatever is built
/// meanwhile.
pub struct AnchorTexts(Option<Arc<LinkStore>>);

/// The anchors of a page as its links go by.
#[derive(Default)]
struct PageAnchors {
    page: String,
    anchors: Vec<String>,
}

impl PageAnchors {
    fn take(&mut self, anchor: &str) {
        if self.anchors.len() < MOST_ANCHORS && !self.anchors.iter().any(|known| known == anchor) {
            self.anchors.push(anchor.to_owned());
        }
    }

    /// Gives the versions of the page with its anchors.
    fn give(
        &self,
        versions: &mut CachedStatement<'_>,
        each: &mut impl FnMut(&[CaptureId], &[String]),
    ) -> Result<(), StoreError> {
        if !self.anchors.is_empty() {
            let found: Vec<CaptureId> =
                versions.query_map([&self.page], |row| row.get(0))?.collect::<Result<_, _>>()?;
            each(&found, &self.anchors);
        }
        Ok(())
    }
}

impl Workspace {
    /// The present anchors of other sites by page.
    ///
    /// # Errors
    ///
    /// Links that cannot be read.
    pub fn anchor_texts(&self) -> Result<AnchorTexts, StoreError> {
        Ok(AnchorTexts(self.built_links()?))
    }
}

impl AnchorTexts {
    /// A line that other links do not have; empty where there are none.
    pub fn stamp(&self) -> String {
        let Some(links) = &self.0 else { return String::new() };
        let mark = links.mark();
        // Links that were removed and built again begin with the first edition again.
        format!(
            "{} {} {} {} {}",
            links.edition(),
            links.bytes(),
            links.counts().links,
            mark.captures_up_to,
            mark.read_up_to
        )
    }

    /// The anchors of other sites for the page of a capture.
    ///
    /// # Errors
    ///
    /// No such capture, or links that cannot be read.
    pub fn of(&self, catalogue: &Catalogue, capture: CaptureId) -> Result<Vec<String>, StoreError> {
        let Some(links) = &self.0 else { return Ok(Vec::new()) };
        let key = catalogue.page_of_capture(capture)?.key;
        let mut page = PageAnchors::default();
        links.each_inlink(key.as_str(), None, |link| {
            if !link.internal && !link.anchor.is_empty() {
                page.take(link.anchor);
            }
            page.anchors.len() < MOST_ANCHORS
        })?;
        Ok(page.anchors)
    }

    /// Gives the content versions of every captured page that other sites call
    /// something, with that, as [`of`](Self::of) has it. One pass over the
    /// links; memory holds one page.
    ///
    /// # Errors
    ///
    /// Links or a catalogue that cannot be read, or `Cancelled`.
    pub fn each(
        &self,
        catalogue: &Catalogue,
        cx: &JobCx,
        mut each: impl FnMut(&[CaptureId], &[String]),
    ) -> Result<(), StoreError> {
        let Some(links) = &self.0 else { return Ok(()) };
        let rows = links.counts();
        cx.stage("Comparing anchors", Some(rows.links + rows.captures));
        catalogue.read(|conn| {
            let mut versions = conn.prepare_cached(concat!(
                "SELECT min(c.id) FROM capture c WHERE c.page = (SELECT id FROM page WHERE key = ?1) GROUP BY ",
                version_group_sql!()
            ))?;
            let mut page = PageAnchors::default();
            links.each_row::<StoreError>(cx, |row| {
                let Row::Link(link) = row else { return Ok(()) };
                if link.target != page.page {
                    page.give(&mut versions, &mut each)?;
                    page.page.clear();
                    page.page.push_str(link.target);
                    page.anchors.clear();
                }
                if !link.internal && !link.anchor.is_empty() {
                    page.take(link.anchor);
                }
                Ok(())
            })?;
            page.give(&mut versions, &mut each)
        })
    }
}
