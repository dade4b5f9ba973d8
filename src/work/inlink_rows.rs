//! Rows of a build of inlinks, sorted. Of a large one the sorted runs outlive
//! the program, so that a build that was killed goes on from them.

use super::inlinks::{PAGE_KEYS, capture_of, whole_seconds};
use crate::inlinks::LinkError;
use crate::inlinks::invert::{Done, Filler, Keep, LinkRow, Notes, Shuffle, ShuffleOptions, Sorted};
use crate::inlinks::stored::host_of;
use crate::jobs::JobCx;
use crate::links::LinkKind;
use crate::store::{Captures, InlinkFeed, StoreError, Workspace};
use std::path::PathBuf;

/// From so many links on, runs are kept: fewer are sorted again in seconds.
pub(super) const KEPT_FROM_LINKS: u64 = 5_000_000;

/// Links between two places that a build can go on from.
const LINKS_PER_MARK: u64 = 20_000;

/// Bytes that a link takes on the disk while it is sorted, at most, as far as
/// links of real pages show.
const ROW_BYTES: u64 = 40;

/// Parts of the input, for marks.
const NEW_LINKS: u32 = 0;
const OLD_REVISITS: u32 = 1;
const NEW_PAGES: u32 = 2;
const OLD_PAGES: u32 = 3;

fn kept_folder(workspace: &Workspace) -> Result<PathBuf, StoreError> {
    workspace.own_folder("inlinks/sorting")
}

/// Says in words that there may be too little room on the disk for a build;
/// nothing where there is enough.
///
/// # Errors
///
/// What the catalogue says.
pub fn room_warning(workspace: &Workspace, anew: bool) -> Result<Option<String>, StoreError> {
    let built = workspace.built_links()?.filter(|_| !anew);
    let after = built.map_or(0, |built| built.mark().captures_up_to);
    warning(workspace, Captures { after, ..Captures::ALL })
}

fn warning(workspace: &Workspace, of: Captures) -> Result<Option<String>, StoreError> {
    let links = workspace.catalogue().count_anchor_links(of)?;
    Ok(workspace.shuffle_options().room_warning(links.saturating_mul(ROW_BYTES)))
}

/// Sorts the links of new captures, and says how many of them a build before
/// had sorted that did not end. Runs are kept where there are `kept_from`
/// links or more, until [`Sorted::remove_kept`].
pub(super) fn sorted_rows(
    workspace: &Workspace,
    of: Captures,
    kept_from: u64,
    cx: &JobCx,
) -> anyhow::Result<(Sorted, u64)> {
    let catalogue = workspace.catalogue();
    let links = catalogue.count_anchor_links(of)?;
    cx.stage("Reading outlinks", Some(links));
    if let Some(warning) = warning(workspace, of)? {
        cx.note(warning);
    }
    let Captures { after, up_to, read_after } = of;
    let input = format!(
        "{links} links of captures {} to {up_to} and of readings {read_after} to {}, form {PAGE_KEYS}",
        after + 1,
        catalogue.repeats_read()?
    );
    let sorting = kept_folder(workspace)?;
    let begin = || -> Result<Shuffle, LinkError> {
        let keep = match links >= kept_from {
            true => Some(Keep::take(&sorting, input.clone())?),
            false => None,
        };
        // One thread brings rows: it may have all of the memory.
        Shuffle::new(&ShuffleOptions { threads: 1, keep, ..workspace.shuffle_options() }, cx)
    };
    if links < kept_from {
        remove_sorted(workspace);
    }
    let shuffle = match begin() {
        // Runs of other links, or damaged ones, are of no use.
        Err(LinkError::KeptOther { .. } | LinkError::Run { .. }) => {
            remove_sorted(workspace);
            begin()?
        }
        begun => begun?,
    };
    let before = shuffle.report().links;
    cx.advance(before.min(links))?;
    {
        let done = shuffle.done();
        let place = |id: i64| id.unsigned_abs();
        let mut rows = Marked::new(shuffle.filler(), &done, NEW_LINKS, place(of.after) + 1);
        let rest = Captures { after: rows.from.saturating_sub(1).cast_signed(), ..of };
        catalogue.feed_new_links(rest, |link| rows.push(&link, cx))??;
        rows.end(place(of.up_to) + 1)?;
        let mut rows = Marked::new(shuffle.filler(), &done, OLD_REVISITS, 0);
        catalogue.feed_old_revisits(of, rows.from.cast_signed(), |link| rows.push(&link, cx))??;
        rows.end(place(of.after) + 1)?;
        let mut rows = Marked::new(shuffle.filler(), &done, NEW_PAGES, place(of.after) + 1);
        let rest = Captures { after: rows.from.saturating_sub(1).cast_signed(), ..of };
        catalogue.feed_pages(rest, |page| rows.filler.push_capture(&capture_of(&page, &page.key)))??;
        rows.end(place(of.up_to) + 1)?;
        let mut rows = Marked::new(shuffle.filler(), &done, OLD_PAGES, 0);
        if rows.from == 0 {
            catalogue.feed_old_pages(of, |page| rows.filler.push_capture(&capture_of(&page, &page.key)))??;
        }
        rows.end(place(of.after) + 1)?;
    }
    Ok((shuffle.finish()?, before))
}

/// Takes away runs that a build has left and that are of no use.
pub(super) fn remove_sorted(workspace: &Workspace) {
    // What stays behind costs room, and is taken away by the next build.
    let Ok(sorting) = kept_folder(workspace) else { return };
    if let Err(error) = std::fs::remove_dir_all(&sorting)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!("{}: {error}", sorting.display());
    }
}

/// Brings rows of captures in their order, with marks between.
struct Marked<'s> {
    filler: Filler<'s>,
    unit: u32,
    /// The first capture whose rows are not marked.
    from: u64,
    links: u64,
}

impl<'s> Marked<'s> {
    fn new(filler: Filler<'s>, done: &Done, unit: u32, begin: u64) -> Self {
        Self { filler, unit, from: done.end_of(unit, begin), links: 0 }
    }

    fn push(&mut self, link: &InlinkFeed, cx: &JobCx) -> anyhow::Result<()> {
        cx.advance(1)?;
        let capture = link.capture.unsigned_abs();
        if self.links >= LINKS_PER_MARK && capture > self.from {
            // Rows of captures before this one are complete.
            self.end(capture)?;
        }
        self.links += 1;
        Ok(self.filler.push_link(&built_row(link))?)
    }

    fn end(&mut self, to: u64) -> Result<(), LinkError> {
        if to > self.from {
            self.filler.mark(self.unit, self.from, to, &Notes::default())?;
        }
        (self.from, self.links) = (to, 0);
        Ok(())
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
