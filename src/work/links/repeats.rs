//! Links of revisits that repeat a capture of another URL: what was captured
//! before is read again, and resolved against the URL of the revisit.

use crate::captures::{Body, LargePagePermit, body_of};
use crate::jobs::JobCx;
use crate::links::MAX_PAGE_BYTES;
use crate::store::rows::LaunchId;
use crate::store::{StoredCapture, Workspace};
use crate::work::find::record_content::record_of;
use anyhow::Context;

/// Revisits whose links are kept in one write, at most, and about how many
/// links of theirs.
const BATCH: usize = 200;
const BATCH_LINKS: usize = 50_000;

/// Reads links of revisits of other URLs (see [`crate::store::Catalogue::waiting_repeats`])
/// as far as what they repeat is there. Says of how many it could not be read
/// again.
///
/// # Errors
///
/// Errors of the catalogue, or `Cancelled`. A record that cannot be read again is none: its
/// revisits are counted, and wait on.
pub(in crate::work) fn read_repeats(
    workspace: &Workspace,
    launch: Option<LaunchId>,
    cx: &JobCx,
) -> anyhow::Result<u64> {
    let catalogue = workspace.catalogue();
    let mut unread = 0;
    catalogue.settle_originals(cx)?;
    let waiting = catalogue.waiting_repeats(launch)?;
    if waiting.is_empty() {
        return Ok(unread);
    }
    cx.stage("Reading what revisits repeat", Some(waiting.len() as u64));
    let (mut batch, mut links) = (Vec::new(), 0);
    for repeats in waiting.chunk_by(|one, next| one.original == next.original) {
        let Some(original) = repeats.first().map(|repeat| repeat.original) else { continue };
        let read = || body_of_capture(workspace, &catalogue.stored_capture(original)?);
        let body = match read() {
            Ok(body) => body,
            Err(error) => {
                cx.advance(repeats.len() as u64)?;
                tracing::warn!("links of revisits of capture {original}: {}", crate::work::error_chain(&error));
                unread += repeats.len() as u64;
                continue;
            }
        };
        for repeat in repeats {
            cx.advance(1)?;
            let of_this = body.links(&repeat.url, &mut LargePagePermit::default()).outlinks;
            links += of_this.len();
            batch.push((repeat.clone(), of_this));
            if batch.len() >= BATCH || links >= BATCH_LINKS {
                catalogue.keep_repeats(std::mem::take(&mut batch))?;
                links = 0;
            }
        }
    }
    catalogue.keep_repeats(batch)?;
    Ok(unread)
}

/// The body of the response or resource of a capture.
pub(in crate::work) fn body_of_capture(workspace: &Workspace, stored: &StoredCapture) -> anyhow::Result<Body<'static>> {
    let place = stored.records.first().with_context(|| format!("capture {} has no records", stored.id))?;
    let (record, _) = record_of(workspace, place, MAX_PAGE_BYTES)?;
    Ok(body_of(&record, MAX_PAGE_BYTES).1.into_owned())
}
