//! Does of the checks what is due.

use super::host::{HostChecks, Wishes};
use super::launches::check_launches;
use super::page_signs::{FORM, page_signs};
use super::requisites::Resources;
use crate::analysis::Matcher;
use crate::analysis::checks::{CaptureSigns, CheckSettings, FindingState, address_form, check_capture};
use crate::campaign::TermKind;
use crate::jobs::{JobCx, counted};
use crate::store::{CaptureFindings, Catalogue, KeptPage, KeptSigns, StoreError, Workspace};
use crate::work::Report;
use crate::work::find::stored_pages::{PageTexts, facts_of};
use crate::work::models::{CampaignId, CaptureId};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::HashMap;

/// A number of the rules of all checks, raised where one finds otherwise than before: all is checked again then.
const RULES: u32 = 4;
/// Content versions whose signs are read in one step.
const BATCH: usize = 256;
/// Versions that one thread reads behind each other: those beside each other in a file are unpacked once.
const READ_TOGETHER: usize = 16;
/// Captures whose findings follow from kept signs in one step.
const AGAIN: u64 = 2_000;
/// Between the parts of the state that findings are of.
const PARTS: char = '\n';

/// What a run of the checks came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CheckPagesReport {
    /// Content versions whose signs were read.
    pub read: u64,
    /// Captures that were checked.
    pub captures: u64,
    /// Captures with a problem now.
    pub problems: u64,
    /// Captures with a finding that is odd, and no problem.
    pub odd: u64,
    /// Findings on launches.
    pub launches: u64,
    /// Thresholds changed, and nothing else: findings followed from kept signs.
    pub is_by_thresholds: bool,
    /// Nothing changed since the last run.
    pub is_unchanged: bool,
}

impl Report for CheckPagesReport {
    fn summary(&self) -> String {
        let found = format!("{} with problems, {} odd", self.problems, self.odd);
        if self.is_unchanged {
            return format!("nothing changed since the last run: {found}");
        }
        let how = match self.is_by_thresholds {
            true => "by kept signs".to_owned(),
            false => format!("{} read", counted(self.read, "text")),
        };
        format!("{} checked, {how}: {found}", counted(self.captures, "capture"))
    }
}

/// Checks all captures, as far as something changed since the last run.
///
/// # Errors
///
/// An index or a catalogue that cannot be read or written, or `Cancelled`: what was read by then need not be read again.
pub fn check_pages(workspace: &Workspace, cx: &JobCx) -> anyhow::Result<CheckPagesReport> {
    let catalogue = workspace.catalogue();
    let texts = PageTexts::open(workspace)?;
    let settings = catalogue.check_settings()?;
    let (captures, thresholds) = (state_of(catalogue, &texts)?, serde_json::to_string(&settings)?);
    let before = catalogue.checked_state()?;
    let known = before.as_deref().and_then(|before| before.split_once(PARTS));
    let mut report = CheckPagesReport::default();
    match known {
        Some((of, with)) if of == captures && with == thresholds => report.is_unchanged = true,
        Some((of, _)) if of == captures => {
            report.is_by_thresholds = true;
            report.captures = check_again(catalogue, &settings, cx)?;
        }
        _ => {
            report.read = read_signs(catalogue, &texts, cx)?;
            report.captures = check_hosts(workspace, &texts, &settings, cx)?;
        }
    }
    if !report.is_unchanged {
        cx.stage("Comparing launches", None);
        catalogue.put_launch_findings(check_launches(catalogue, &settings)?)?;
        catalogue.set_checked_state(&format!("{captures}{PARTS}{thresholds}"))?;
    }
    for count in catalogue.loss_counts()? {
        match count {
            (FindingState::Problem, captures) => report.problems = captures,
            (FindingState::Odd, captures) => report.odd = captures,
            (FindingState::NotApplicable, _) => {}
        }
    }
    report.launches = catalogue.launch_findings(None)?.len() as u64;
    Ok(report)
}

/// Whether something changed since the checks ran last; so it is before they ran for the first time.
///
/// # Errors
///
/// An index or a catalogue that cannot be read.
pub fn are_checks_due(workspace: &Workspace) -> anyhow::Result<bool> {
    let catalogue = workspace.catalogue();
    let state = state_of(catalogue, &PageTexts::open(workspace)?)?;
    let thresholds = serde_json::to_string(&catalogue.check_settings()?)?;
    Ok(catalogue.checked_state()?.is_none_or(|before| before != format!("{state}{PARTS}{thresholds}")))
}

/// All that findings follow from, besides thresholds, in a line.
fn state_of(catalogue: &Catalogue, texts: &PageTexts<'_>) -> anyhow::Result<String> {
    let index = match texts.index() {
        Some(index) => format!("{:?}", index.mark()?),
        None => String::new(),
    };
    let parts = [
        FORM.to_string(),
        RULES.to_string(),
        env!("CARGO_PKG_VERSION").to_owned(),
        index,
        catalogue.newest_capture()?.to_string(),
        catalogue.originals_changed()?.to_string(),
        catalogue.state_of_checks()?,
    ];
    Ok(parts.join("|").replace(PARTS, " "))
}

/// Reads signs of versions that have none; how many.
fn read_signs(catalogue: &Catalogue, texts: &PageTexts<'_>, cx: &JobCx) -> anyhow::Result<u64> {
    let Some(index) = texts.index() else { return Ok(0) };
    let (all, known) = (index.versions()?, catalogue.versions_with_signs(FORM)?);
    let new: Vec<usize> = all.ones().filter(|version| !known.contains(*version)).collect();
    cx.stage("Reading the signs of pages", Some(new.len() as u64));
    for batch in new.chunks(BATCH) {
        let some = |versions: &[usize]| -> anyhow::Result<Vec<KeptPage>> {
            let mut reader = texts.reader()?;
            let mut one = |version: &usize| {
                let page = reader.indexed(*version as u64).unwrap_or_default();
                let capture = CaptureId::try_from(*version)?;
                let links = catalogue.links_to_check(capture)?;
                let url = catalogue.url_of_capture(capture)?;
                Ok(page_signs(capture, &page, &facts_of(&page), &links, &url))
            };
            versions.iter().map(&mut one).collect()
        };
        let read: anyhow::Result<Vec<Vec<KeptPage>>> = batch.par_chunks(READ_TOGETHER).map(some).collect();
        catalogue.put_page_signs(FORM, read?.into_iter().flatten().collect())?;
        cx.advance(batch.len() as u64)?;
    }
    Ok(new.len() as u64)
}

/// Compares the captures of each host; how many.
fn check_hosts(
    workspace: &Workspace,
    texts: &PageTexts<'_>,
    settings: &CheckSettings,
    cx: &JobCx,
) -> anyhow::Result<u64> {
    let catalogue = workspace.catalogue();
    let checks = HostChecks {
        workspace,
        texts,
        resources: Resources::new(catalogue),
        settings,
        wishes: wishes(catalogue)?,
        window_days: catalogue.window_days()?,
    };
    cx.stage("Checking captures", Some(catalogue.capture_count()?));
    let mut captures = 0;
    for (host, _) in catalogue.hosts_to_check()? {
        captures += checks.check(host, cx, |checked| Ok(catalogue.put_findings(checked)?))?;
    }
    Ok(captures)
}

/// Finds all again by the signs that are kept; how many captures.
fn check_again(catalogue: &Catalogue, settings: &CheckSettings, cx: &JobCx) -> anyhow::Result<u64> {
    cx.stage("Checking by kept signs", Some(catalogue.capture_count()?));
    let (mut behind, mut captures) = (CaptureId::default(), 0);
    loop {
        let kept = catalogue.kept_signs(behind, AGAIN)?;
        let Some(last) = kept.last() else { return Ok(captures) };
        behind = last.capture;
        let one = |kept: &KeptSigns| -> Result<Option<CaptureFindings>, StoreError> {
            let (page, of) = kept.read()?;
            let findings = check_capture(&CaptureSigns { page: &page, of: &of }, settings);
            let template = address_form(&of.url);
            let of = CaptureFindings { capture: kept.capture, signs: None, template, external: None, findings };
            Ok(Some(of).filter(|of| !kept.has(&of.findings)))
        };
        let changed: Result<Vec<CaptureFindings>, StoreError> =
            kept.par_iter().filter_map(|kept| one(kept).transpose()).collect();
        captures += kept.len() as u64;
        cx.advance(kept.len() as u64)?;
        let changed = changed?;
        if !changed.is_empty() {
            catalogue.put_findings(changed)?;
        }
    }
}

/// The languages and requests of campaigns.
fn wishes(catalogue: &Catalogue) -> anyhow::Result<HashMap<CampaignId, Wishes>> {
    let mut wishes = HashMap::new();
    for (id, campaign) in catalogue.readable_campaigns()? {
        let mut languages = Vec::new();
        campaign.request.for_each_term(&mut |term| {
            if term.kind == TermKind::Language && term.weight > 0.0 {
                languages.push(term.value.trim().to_ascii_lowercase());
            }
        });
        wishes.insert(id, Wishes { languages, matcher: Matcher::compile(&campaign.request) });
    }
    Ok(wishes)
}
