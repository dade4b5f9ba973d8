//! A dry run counts the contents of an export without writing it.

use super::DecisionCounts;
use super::export::{ExportWishes, check_target, with_selection};
use crate::export::{PlannedFile, SIZE_MARGIN, SIZE_MARGIN_BYTES, plan_export};
use crate::jobs::{JobCx, bytes_text, free_bytes};
use crate::store::{Lacking, Workspace};
use crate::work::models::{CampaignId, ReviewMark, SelectionSpec, with_origin};
use crate::work::{Report, counted};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The figures of an export. Captures and records are those of the export unless a source proves to
/// be damaged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExportDryRun {
    /// The campaign whose selection it is of.
    pub campaign: CampaignId,
    /// The folder that would be written.
    pub folder: PathBuf,
    /// Every file, by path.
    pub files: Vec<PlannedFile>,
    /// Bytes of all of them.
    pub bytes: u64,
    /// The error of these bytes, where sizes are estimated.
    pub margin_bytes: u64,
    /// Captures that the selection holds.
    pub selected: u64,
    /// Captures that come along because a selected page needs them.
    pub requisites: u64,
    /// Captures that would be written.
    pub captures: u64,
    /// Records that would be written, metadata records among them.
    pub records: u64,
    /// The criterion where no person decided, as text.
    pub criterion: String,
    /// Captures that it leaves out.
    pub left_out: u64,
    /// Captures of the campaign that persons rejected.
    pub rejected: u64,
    /// Those by the reason that was noted, most first; with an empty reason where none was.
    pub rejected_by_reason: Vec<(String, u64)>,
    /// What pages of the export would lack because a person rejected it.
    pub lacking: Vec<Lacking>,
    /// Captures or records that cannot be carried along as they are, and why.
    pub problems: Vec<String>,
    /// Remarks on what the sizes leave out.
    pub notes: Vec<String>,
    /// Free bytes on the disk of the folder; none where that is not known.
    pub free_bytes: Option<u64>,
}

impl ExportDryRun {
    /// Whether the disk has room for all of it; yes where that is not known.
    pub fn has_room(&self) -> bool {
        self.free_bytes.is_none_or(|free| free > self.bytes + self.margin_bytes)
    }

    /// The figures of the export as text.
    pub fn figures(&self) -> String {
        format!(
            "{}, about {}; {} of {} ({} selected, {} included)",
            counted(self.files.len() as u64, "file"),
            bytes_text(self.bytes),
            counted(self.records, "record"),
            counted(self.captures, "capture"),
            self.selected,
            counted(self.requisites, "embedded resource")
        )
    }

    /// Whether the disk has room, for a person.
    pub fn room(&self) -> String {
        let Some(free) = self.free_bytes else { return "free disk space is not known".to_owned() };
        let free = bytes_text(free);
        match self.has_room() {
            true => format!("{free} free on that disk: enough"),
            false => format!("{free} free on that disk: not enough. Name a folder on another disk, or make room"),
        }
    }

    /// The captures left out and why, a line each, without what pages lack.
    pub fn left_out_lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.left_out > 0 {
            let scored = counted(self.left_out, "scored capture");
            lines.push(format!("{scored}: rejected, or not of “{}”", self.criterion));
        }
        let reason = |(reason, captures): &(String, u64)| match reason.as_str() {
            "" => format!("{captures} without a reason"),
            reason => format!("{captures} “{reason}”"),
        };
        if self.rejected > 0 {
            let reasons: Vec<String> = self.rejected_by_reason.iter().map(reason).collect();
            lines.push(format!("{} rejected by hand: {}", counted(self.rejected, "capture"), reasons.join(", ")));
        }
        lines
    }
}

impl Report for ExportDryRun {
    fn summary(&self) -> String {
        format!("{}. Nothing was written; {}", self.figures(), self.room())
    }
}

/// Lists what [`export`](super::export) would write into `out`, and changes
/// nothing, in the workspace neither. It goes the same way; records that can be
/// copied as they are are not read, so that it takes a part of the time.
///
/// # Errors
///
/// As [`export`](super::export): no selection, an empty one, a folder that is
/// not empty, a catalogue that cannot be read.
pub fn dry_run_export(
    workspace: &Workspace,
    spec: &SelectionSpec,
    out: &Path,
    wishes: ExportWishes,
    cx: &JobCx,
) -> anyhow::Result<ExportDryRun> {
    check_target(workspace, out)?;
    let ((report, mut files), gathered) =
        with_selection(workspace, spec, wishes, true, cx, |items, options| plan_export(items, options, cx))?;
    let links_change = gathered.inlinks_missing.is_some();
    for file in files.iter_mut().filter(|file| links_change && file.path.ends_with("/inlinks.jsonl")) {
        file.exact = false;
    }
    let margin = |file: &PlannedFile| ((file.bytes as f64 * SIZE_MARGIN) as u64).max(SIZE_MARGIN_BYTES);
    let mut reasons: Vec<(String, u64)> = DecisionCounts::of(workspace, spec.campaign)?
        .by_reason
        .into_iter()
        .filter(|((mark, ..), targets)| *mark == ReviewMark::Reject && targets.here > 0)
        .map(|((_, reason, origin), targets)| (with_origin(&reason, origin.as_deref()), targets.here))
        .collect();
    reasons.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    Ok(ExportDryRun {
        campaign: spec.campaign,
        folder: out.to_owned(),
        bytes: report.bytes,
        margin_bytes: files.iter().filter(|file| !file.exact).map(margin).sum(),
        files,
        selected: gathered.selected,
        requisites: gathered.requisites,
        captures: report.counts.captures,
        records: report.counts.records,
        criterion: gathered.criterion,
        left_out: gathered.balance.outside.captures,
        rejected: gathered.balance.excluded,
        rejected_by_reason: reasons,
        lacking: gathered.lacking,
        problems: report.problems,
        notes: gathered.inlinks_missing.into_iter().chain(report.notes).collect(),
        free_bytes: free_at(out),
    })
}

/// Free bytes on the disk that a folder is or would be on.
fn free_at(out: &Path) -> Option<u64> {
    let out = std::path::absolute(out).ok()?;
    let place = out.ancestors().find(|folder| folder.exists())?;
    free_bytes(place).ok().filter(|free| *free < u64::MAX)
}
