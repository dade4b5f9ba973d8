//! Rows of a build of inlinks, sorted.

use super::build::{capture_of, whole_seconds};
use crate::inlinks::invert::{LinkRow, Shuffle, ShuffleOptions, Sorted};
use crate::inlinks::stored::host_of;
use crate::jobs::JobCx;
use crate::links::LinkKind;
use crate::store::{AbsentLink, Captures, InlinkFeed, StoreError, Workspace};
use crate::uri::PageKey;
use crate::work::models::CaptureId;

/// Bytes that a link takes on the disk while it is sorted, at most, as far as
/// links of real pages show.
const ROW_BYTES: u64 = 40;

/// A warning that there may be too little room on the disk for a build; none where there is enough.
///
/// # Errors
///
/// Errors of the catalogue.
pub fn room_warning(workspace: &Workspace, from_scratch: bool) -> Result<Option<String>, StoreError> {
    let built = workspace.built_links()?.filter(|_| !from_scratch);
    let after = built.map_or(0, |built| built.mark().captures_up_to);
    warning(workspace, Captures { after: CaptureId::new(after), ..Captures::ALL })
}

fn warning(workspace: &Workspace, of: Captures) -> Result<Option<String>, StoreError> {
    let links = workspace.catalogue().count_anchor_links(of)?;
    Ok(workspace.shuffle_options().room_warning(links.saturating_mul(ROW_BYTES)))
}

/// Sorts the links of new captures.
pub(in crate::work) fn sorted_rows(workspace: &Workspace, of: Captures, cx: &JobCx) -> anyhow::Result<Sorted> {
    let catalogue = workspace.catalogue();
    cx.stage("Reading outlinks", Some(catalogue.count_anchor_links(of)?));
    if let Some(warning) = warning(workspace, of)? {
        cx.note(warning);
    }
    // One thread brings rows: it may have all of the memory.
    let shuffle = Shuffle::new(&ShuffleOptions { threads: 1, ..workspace.shuffle_options() }, cx)?;
    {
        let mut rows = shuffle.row_writer();
        catalogue.feed_inlinks(of, |link| -> anyhow::Result<()> {
            cx.advance(1)?;
            Ok(rows.push_link(&built_row(&link))?)
        })??;
        catalogue.feed_absent_links(of, |target, link| -> anyhow::Result<()> {
            cx.checkpoint()?;
            let Some(source) = PageKey::of_text(&link.source_url) else { return Ok(()) };
            Ok(rows.push_link(&absent_row(target, source.as_str(), &link))?)
        })??;
        catalogue.feed_pages(of, |page| rows.push_capture(&capture_of(&page, &page.key)))??;
        catalogue.feed_old_pages(of, |page| rows.push_capture(&capture_of(&page, &page.key)))??;
    }
    Ok(shuffle.finish()?)
}

/// Removes sorted runs that an earlier version kept of a build which was killed.
pub(in crate::work) fn remove_kept_runs(workspace: &Workspace) {
    let Ok(kept) = workspace.own_folder("inlinks/sorting") else { return };
    if let Err(error) = std::fs::remove_dir_all(&kept)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!("{}: {error}", kept.display());
    }
}

/// A link as it is stored: URLs are in the catalogue, under the number of the
/// capture that links, and most rows are alike without them.
fn built_row(link: &InlinkFeed) -> LinkRow<'_> {
    LinkRow {
        target: &link.target_key,
        target_url: "",
        source: &link.source_key,
        source_url: "",
        source_id: link.capture.unsigned_abs(),
        date: whole_seconds(link.date),
        anchor: &link.anchor,
        internal: host_of(&link.target_key) == host_of(&link.source_key),
        nofollow: link.nofollow,
        kind: LinkKind::Anchor,
        position: 0,
    }
}

/// A link from a page that is not here. Where the page comes later, the link of its capture is before this one
/// in the order of equal links, which are kept once.
fn absent_row<'a>(target: &'a str, source: &'a str, link: &'a AbsentLink) -> LinkRow<'a> {
    LinkRow {
        target,
        target_url: "",
        source,
        source_url: &link.source_url,
        source_id: u64::MAX,
        date: link.date,
        anchor: &link.anchor,
        internal: host_of(target) == host_of(source),
        nofollow: false,
        kind: LinkKind::Anchor,
        position: 0,
    }
}
