//! Samples of review and reason codes in a handover, out and in.

use super::lines::document as document_of;
use super::read::{AnnotationReach, Placement, Target, capture_of};
use crate::export::RewrittenRecord;
use crate::jobs::{JobCx, counted};
use crate::store::{SampleDocument, Workspace};
use crate::work::Report;
use crate::work::models::{CampaignId, CaptureId, ReviewReason};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// Pages of all samples that are taken in.
const MOST_PAGES: usize = 200_000;
/// Letters of a name that are taken in.
const LONGEST_NAME: usize = 80;

/// `data/review.json`.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct ReviewDocument {
    /// The reason codes of the workspace; none where they are the usual ones.
    reasons: Vec<ReviewReason>,
    /// Samples of the campaign, oldest first.
    samples: Vec<SampleDocument>,
}

/// The outcome of taking samples and reason codes in.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReviewImport {
    /// Samples that are new here.
    pub samples: u64,
    /// Their pages that are not here: what was judged of them there counts.
    pub elsewhere: u64,
    /// Reason codes that were taken over, since nobody had changed those that were here.
    pub reasons: u64,
}

impl Report for ReviewImport {
    fn summary(&self) -> String {
        let mut parts = vec![counted(self.samples, "sample")];
        if self.elsewhere > 0 {
            parts.push(format!("{} of them judged elsewhere", counted(self.elsewhere, "page")));
        }
        if self.reasons > 0 {
            parts.push(counted(self.reasons, "reason code"));
        }
        format!("Review: {}", parts.join(", "))
    }
}

/// Whether a campaign has samples, or its workspace reason codes of its own.
pub(super) fn has_review(workspace: &Workspace, id: CampaignId) -> anyhow::Result<bool> {
    let catalogue = workspace.catalogue();
    Ok(catalogue.has_own_reasons()? || !catalogue.samples(Some(id))?.is_empty())
}

/// `data/review.json` of a campaign, where records of these captures are named otherwise in the export.
///
/// # Errors
///
/// A catalogue or an export that cannot be read.
pub(super) fn review_document(
    workspace: &Workspace,
    id: CampaignId,
    rewritten: &dyn Fn(CaptureId) -> io::Result<Option<RewrittenRecord>>,
) -> anyhow::Result<String> {
    let catalogue = workspace.catalogue();
    let reasons = if catalogue.has_own_reasons()? { catalogue.review_reasons()? } else { Vec::new() };
    let mut document = ReviewDocument { reasons, samples: catalogue.sample_documents(id)? };
    for page in document.samples.iter_mut().flat_map(|sample| &mut sample.pages) {
        if let Some(capture) = page.capture
            && let Some(new) = rewritten(capture)?
        {
            page.record = new.id.unwrap_or_else(|| std::mem::take(&mut page.record));
            page.digest = new.payload_digest.unwrap_or_else(|| std::mem::take(&mut page.digest));
        }
    }
    Ok(format!("{}\n", serde_json::to_string_pretty(&document)?))
}

/// Reads the document and takes nothing in.
///
/// # Errors
///
/// A file that is no such document.
pub(super) fn check_review(document: Option<&Path>) -> anyhow::Result<()> {
    let Some(path) = document else { return Ok(()) };
    let document: ReviewDocument = document_of(path)?;
    let at = path.display();
    let pages = document.samples.iter().map(|sample| sample.pages.len()).sum::<usize>();
    anyhow::ensure!(pages <= MOST_PAGES, "{at}: {pages} pages of samples are more than {MOST_PAGES}");
    for sample in &document.samples {
        let name = sample.name.trim();
        anyhow::ensure!(!name.is_empty(), "{at}: a sample without a name");
        anyhow::ensure!((0.0..=1.0).contains(&sample.margin), "{at}: the margin of “{name}” is none");
    }
    Ok(())
}

/// Takes samples and reason codes in, for a campaign of this workspace.
///
/// # Errors
///
/// A document that cannot be read, a catalogue that cannot be written, or a stop. A second import of the same changes
/// nothing.
pub(super) fn import_review(
    workspace: &Workspace,
    campaign: CampaignId,
    document: &Path,
    (origin, reach): (&str, AnnotationReach<'_>),
    cx: &JobCx,
) -> anyhow::Result<ReviewImport> {
    let catalogue = workspace.catalogue();
    let document: ReviewDocument = document_of(document)?;
    let mut report = ReviewImport::default();
    if !document.reasons.is_empty() && !catalogue.has_own_reasons()? {
        report.reasons = document.reasons.len() as u64;
        catalogue.set_review_reasons(document.reasons)?;
    }
    for mut sample in document.samples {
        sample.name = sample.name.trim().chars().take(LONGEST_NAME).collect();
        let mut elsewhere = 0;
        for page in &mut sample.pages {
            cx.checkpoint()?;
            let target = Target {
                url: &page.url,
                captured: Some(page.date),
                digest: &page.digest,
                record: &page.record,
                written: page.date,
            };
            page.capture = match capture_of(workspace, &target, reach)? {
                Placement::On((capture, true)) => Some(capture),
                _ => None,
            };
            elsewhere += u64::from(page.capture.is_none());
        }
        if catalogue.take_sample(campaign, sample, origin)? {
            report.samples += 1;
            report.elsewhere += elsewhere;
        }
    }
    Ok(report)
}
