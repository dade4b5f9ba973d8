//! Captures that links bring together: what a capture links to, what links to
//! it, and what the same pages cite.

use super::link_list::{PageKeys, outlinks_of};
use super::originals::{Answers, nearest_capture};
use crate::links::LinkKind;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::workspace::Workspace;
use crate::store::links::built_inlinks::PageOfCapture;
use crate::store::rows::CaptureId;
use rusqlite::Connection;
use std::collections::{HashMap, HashSet};

/// Citing pages that are listed, and read for what else they cite.
const MOST_CITING: usize = 500;
/// Pages cited with it that are looked up.
const MOST_CITED: usize = 300;

/// A capture that links bring together with another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkedCapture {
    /// It: of its page the one nearest in time.
    pub capture: CaptureId,
    /// The other one links to it.
    pub is_linked: bool,
    /// It links to the other one, with so many links in all.
    pub links_here: Option<u64>,
    /// Pages that link to both.
    pub cited_together: u64,
}

/// Captures that are linked with a capture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkedCaptures {
    /// Captures of other pages.
    pub rows: Vec<LinkedCapture>,
    /// Pages that link to it within the window.
    pub citing: u64,
    /// Those of them that were not read: there are too many.
    pub left_out: u64,
    /// Whether inlinks were ever built; without them, it is known only what the capture links to.
    pub built: bool,
}

#[derive(Default)]
struct Links {
    is_linked: bool,
    links_here: Option<u64>,
    cited_together: u64,
}

impl Workspace {
    /// Captures linked with a capture: those that its page links to, those that link to it within the
    /// window, and those that the same pages link to.
    ///
    /// # Errors
    ///
    /// No such capture, or links that cannot be read.
    pub fn linked_captures(&self, id: CaptureId, window_days: u32) -> Result<LinkedCaptures, StoreError> {
        let PageOfCapture { key, date, .. } = self.catalogue().page_of_capture(id)?;
        let mut citing: HashMap<String, CaptureId> = HashMap::new();
        let built = self.each_inlink_of_capture(id, window_days, |link| {
            if link.source != key.as_str()
                && let Ok(source) = CaptureId::try_from(link.source_id)
            {
                citing.insert(link.source.to_owned(), source);
            }
        })?;
        self.catalogue().read(|conn| {
            // One read transaction for all of them.
            let conn = conn.unchecked_transaction()?;
            let (mut pages, mut found) = (PageKeys::default(), HashMap::<String, Links>::new());
            for target in targets(&conn, &mut pages, id)? {
                found.entry(target).or_default().is_linked = true;
            }
            let mut sources: Vec<(&String, &CaptureId)> = citing.iter().collect();
            sources.sort_unstable();
            let mut together: HashMap<String, u64> = HashMap::new();
            let left_out = sources.len().saturating_sub(MOST_CITING) as u64;
            for (source, capture) in sources.into_iter().take(MOST_CITING) {
                let links = targets(&conn, &mut pages, *capture)?;
                found.entry(source.clone()).or_default().links_here = Some(links.len().max(1) as u64);
                for target in links {
                    *together.entry(target).or_default() += 1;
                }
            }
            let mut together: Vec<(String, u64)> = together.into_iter().collect();
            together.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            for (nth, (target, count)) in together.into_iter().enumerate() {
                if nth < MOST_CITED {
                    found.entry(target).or_default().cited_together = count;
                } else if let Some(links) = found.get_mut(&target) {
                    links.cited_together = count;
                }
            }
            found.remove(key.as_str());
            let mut rows = Vec::new();
            for (page, Links { is_linked, links_here, cited_together }) in found {
                let capture = nearest_capture(&conn, &page, date, Answers::All)?;
                rows.extend(capture.map(|capture| LinkedCapture { capture, is_linked, links_here, cited_together }));
            }
            rows.sort_unstable_by_key(|row| row.capture);
            Ok(LinkedCaptures { rows, citing: citing.len() as u64, left_out, built })
        })
    }
}

/// The pages that the links of a capture lead to.
fn targets(conn: &Connection, pages: &mut PageKeys, capture: CaptureId) -> Result<HashSet<String>, StoreError> {
    let mut targets = HashSet::new();
    for link in outlinks_of(conn, capture)?.iter().filter(|link| link.kind == LinkKind::Anchor) {
        targets.insert(pages.of(&link.url)?.as_str().to_owned());
    }
    Ok(targets)
}
