//! Builds inlinks of everything captured, and writes them as a data set.

use crate::jobs::JobCx;
use crate::links::invert::{AssignOptions, CaptureRow, LinkRow, Row, Shuffle, ShuffleOptions, ShuffleReport, assign};
use crate::links::{DatasetObject, LinkKind};
use crate::store::{Access, InlinkFeed, LoadedInlink, Workspace};
use crate::uri::{CaptureDate, DatasetKey, Fqdn, InternalPolicy, Url};
use serde::Serialize;
use std::collections::HashSet;
use std::io::Write;

/// Inlinks kept in one write of the catalogue.
const BATCH: usize = 5_000;

/// What a build came to.
#[derive(Debug, Clone, Default, Serialize)]
pub struct InlinkReport {
    /// Outlinks looked at.
    pub links_seen: u64,
    /// Those that repeat another exactly (target, source, date, anchor).
    pub duplicates: u64,
    /// Inlinks kept.
    pub inlinks: u64,
    /// Those of the same site.
    pub internal: u64,
    /// Those of other sites.
    pub external: u64,
    /// Pages that are linked to.
    pub targets: u64,
    /// Those that were never captured.
    pub uncaptured: u64,
    /// Captures with inlinks in the window.
    pub captures_with_inlinks: u64,
    /// Days of the window that the columns use.
    pub window_days: u32,
    /// Sorted runs that went to disk.
    pub runs: u64,
}

impl InlinkReport {
    /// The report in words.
    pub fn words(&self) -> String {
        format!(
            "{} inlinks ({} internal, {} external) of {} pages from {} links; {} exact duplicates; {} pages were never captured; {} captures have inlinks within ±{} days",
            self.inlinks,
            self.internal,
            self.external,
            self.targets,
            self.links_seen,
            self.duplicates,
            self.uncaptured,
            self.captures_with_inlinks,
            self.window_days
        )
    }
}

/// Sorts the outlinks of the catalogue by target, keeps them, and counts them
/// for each capture. What was built before stays until the end.
pub fn build_inlinks(workspace: &Workspace, cx: &JobCx) -> anyhow::Result<InlinkReport> {
    let catalogue = workspace.catalogue();
    cx.stage("Reading outlinks", Some(catalogue.count_anchor_links()?));
    let mut shuffle = Shuffle::new(&shuffle_options(workspace), cx);
    let policy = InternalPolicy::default();
    catalogue.feed_inlinks(|link| -> anyhow::Result<()> {
        cx.advance(1)?;
        shuffle.push_link(&row_of(&link, &link.target_key, &link.source_key, policy))?;
        Ok(())
    })??;
    cx.stage("Inverting outlinks", Some(shuffle.report().links));
    let mut sorted = shuffle.finish()?;
    let mut report = InlinkReport::default();
    let mut batch = Vec::with_capacity(BATCH);
    catalogue.begin_inlinks()?;
    sorted.for_each(|row| -> anyhow::Result<()> {
        let Row::Link(link) = row else { return Ok(()) };
        report.inlinks += 1;
        *(if link.internal { &mut report.internal } else { &mut report.external }) += 1;
        batch.push(LoadedInlink {
            target_key: link.target.to_owned(),
            target_url: link.target_url.to_owned(),
            source_key: link.source.to_owned(),
            capture: i64::try_from(link.source_id)?,
            date: link.date,
            anchor: link.anchor.to_owned(),
            internal: link.internal,
        });
        if batch.len() == BATCH {
            catalogue.load_inlinks(std::mem::take(&mut batch))?;
            cx.checkpoint()?;
        }
        Ok(())
    })?;
    catalogue.load_inlinks(batch)?;
    let ShuffleReport { links, duplicates, runs, .. } = sorted.report();
    (report.links_seen, report.duplicates, report.runs) = (links, duplicates, runs);
    cx.stage("Keeping inlinks", None);
    (report.targets, report.uncaptured) = catalogue.end_inlinks()?;
    report.window_days = catalogue.window_days()?;
    report.captures_with_inlinks = catalogue.count_inlinks(report.window_days, cx)??;
    catalogue.keep_inlink_report(&serde_json::to_value(&report)?)?;
    Ok(report)
}

pub(super) fn shuffle_options(workspace: &Workspace) -> ShuffleOptions {
    // Beside the archive: the system's folder for temporary files is often
    // small, but the only one when the workspace is looked at.
    let temp_folder = match workspace.access() {
        Access::Write => Some(workspace.folder().join("inlinks")),
        Access::ReadOnly(_) => None,
    };
    ShuffleOptions { temp_folder, ..ShuffleOptions::default() }
}

pub(super) fn row_of<'a>(
    link: &'a InlinkFeed,
    target: &'a str,
    source: &'a str,
    policy: InternalPolicy,
) -> LinkRow<'a> {
    LinkRow {
        target,
        target_url: &link.target_url,
        source,
        source_url: &link.source_url,
        source_id: link.capture.unsigned_abs(),
        date: whole_seconds(link.date),
        anchor: &link.anchor,
        internal: is_internal(policy, &link.target_url, &link.source_url),
        nofollow: false,
        kind: LinkKind::Anchor,
        position: 0,
    }
}

fn is_internal(policy: InternalPolicy, target: &str, source: &str) -> bool {
    match (Url::parse(target), Url::parse(source)) {
        (Ok(target), Ok(source)) => policy.is_internal(&Fqdn::of(&target), &Fqdn::of(&source)),
        _ => false,
    }
}

/// Writes the inlinks of the catalogue as the published data set has them;
/// with `only`, just the pages with these data set keys. Says how many pages
/// were written.
pub fn write_dataset(
    workspace: &Workspace,
    window_days: u32,
    only: Option<&HashSet<String>>,
    out: &mut dyn Write,
    cx: &JobCx,
) -> anyhow::Result<u64> {
    let catalogue = workspace.catalogue();
    cx.stage("Reading outlinks", Some(catalogue.count_anchor_links()?));
    let mut shuffle = Shuffle::new(&shuffle_options(workspace), cx);
    let policy = InternalPolicy::default();
    let wanted = |key: &str| only.is_none_or(|only| only.contains(key));
    catalogue.feed_inlinks(|link| -> anyhow::Result<()> {
        cx.advance(1)?;
        let target = key_of(&link.target_url)?;
        if wanted(&target) {
            let source = key_of(&link.source_url)?;
            shuffle.push_link(&row_of(&link, &target, &source, policy))?;
        }
        Ok(())
    })??;
    for (url, date, id) in catalogue.page_captures()? {
        let key = key_of(&url)?;
        if wanted(&key) {
            shuffle.push_capture(&CaptureRow { target: &key, date: whole_seconds(date), id: id.unsigned_abs() })?;
        }
    }
    cx.stage("Writing the data set", None);
    let options = AssignOptions { window_days, ..AssignOptions::default() };
    let (_, report) = assign(shuffle.finish()?, &options, |object| DatasetObject::from(object).write_line(out))?;
    Ok(report.objects)
}

/// Inlinks know whole seconds: order and equality go by them.
pub(super) fn whole_seconds(date: CaptureDate) -> CaptureDate {
    CaptureDate::from_seconds(date.seconds())
}

fn key_of(url: &str) -> anyhow::Result<String> {
    Ok(DatasetKey::of(&Url::parse(url)?).as_str().to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "inlinks_tests.rs"]
mod tests;
