//! Outlinks that a crawl wrote down and did not store: it was stopped or
//! killed between a page full of links and the catalogue.

use super::repeats::body_of_capture;
use crate::captures::limits::MAX_LINK_NOTES_BYTES;
use crate::captures::{CaptureNotes, LargePagePermit};
use crate::crawl::OUTLINKS_AT_ONCE;
use crate::jobs::JobCx;
use crate::links::Outlink;
use crate::store::rows::CaptureId;
use crate::store::{StoredCapture, Workspace};
use crate::warc::{RecordType, enter_record_in};
use crate::work::find::record_content::record_of;
use std::io::Read;

/// Stores the outlinks that are missing, out of the metadata records of their
/// captures. Says of how many captures they could not be read.
///
/// # Errors
///
/// Errors of the catalogue, or `Cancelled`: the rest is found again.
pub(in crate::work) fn fill_outlink_gaps(workspace: &Workspace, cx: &JobCx) -> anyhow::Result<u64> {
    let catalogue = workspace.catalogue();
    let gaps = catalogue.outlink_gaps()?;
    if gaps.is_empty() {
        return Ok(0);
    }
    cx.stage("Storing links of large pages", Some(gaps.len() as u64));
    let mut unread = 0;
    for capture in gaps {
        cx.advance(1)?;
        let stored = catalogue.stored_capture(capture)?;
        match outlinks_of(workspace, &stored) {
            Ok(links) => fill(workspace, capture, links, cx)?,
            Err(error) => {
                tracing::warn!("links of {} are missing: {}", stored.url, crate::work::error_chain(&error));
                catalogue.leave_outlink_gap(capture)?;
                unread += 1;
            }
        }
    }
    Ok(unread)
}

fn fill(workspace: &Workspace, capture: CaptureId, links: Vec<Outlink>, cx: &JobCx) -> anyhow::Result<()> {
    let mut links = links.into_iter();
    loop {
        cx.checkpoint()?;
        let part: Vec<Outlink> = links.by_ref().take(OUTLINKS_AT_ONCE).collect();
        let is_last = links.len() == 0;
        workspace.catalogue().fill_outlink_gap(capture, part, is_last)?;
        if is_last {
            return Ok(());
        }
    }
}

/// The links that the crawl noted, else those of the page itself.
fn outlinks_of(workspace: &Workspace, stored: &StoredCapture) -> anyhow::Result<Vec<Outlink>> {
    let metadata = stored.records.iter().filter(|place| place.record_type == RecordType::Metadata);
    for place in metadata {
        // It has to be the record that was written.
        record_of(workspace, place, 0)?;
        let (_, block) = enter_record_in(&workspace.source_of(place)?, place.span)?;
        let notes = CaptureNotes::from_json_stream(block.take(MAX_LINK_NOTES_BYTES));
        if let Some(notes) = notes {
            return Ok(notes.outlinks);
        }
    }
    Ok(body_of_capture(workspace, stored)?.links(&stored.url, &mut LargePagePermit::default()).outlinks)
}
