//! The selection of a handover: what it was made with, what each capture
//! scored and why, saved selections and collections; out, and read back.

use super::read::{Target, capture_of};
use crate::jobs::{JobCx, counted};
use crate::store::{HandedScore, Workspace};
use crate::uri::CaptureDate;
use crate::work::Report;
use crate::work::models::{CampaignId, CaptureId, CollectionSpec, SelectionSpec};
use anyhow::Context;
use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

/// Longest line of scores, and longest document, that is read.
const MOST_BYTES: u64 = 16 << 20;
/// Captures that are kept at once.
const BATCH: usize = 1000;

/// `data/selection.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SelectionDocument {
    /// What the selection was made with.
    spec: SelectionSpec,
    /// Saved selections, by name.
    #[serde(default)]
    saved: BTreeMap<String, SavedDocument>,
    /// Collections that hold captures of the handover, by name.
    #[serde(default)]
    collections: BTreeMap<String, CollectionDocument>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SavedDocument {
    spec: SelectionSpec,
    who: String,
    date: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct CollectionDocument {
    about: String,
    filter: String,
    who: String,
}

/// A line of `data/scores.jsonl.gz`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ScoreLine {
    url: String,
    date: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    digest: String,
    #[serde(flatten)]
    score: HandedScore,
}

/// What reading a selection back came to.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SelectionImport {
    /// Captures with their scores.
    pub captures: u64,
    /// Captures of the handover that are not here.
    pub missing: u64,
    /// The name under which it was saved, where another selection is kept here.
    pub saved_as: Option<String>,
}

impl Report for SelectionImport {
    fn summary(&self) -> String {
        let mut line = format!("selection with {}", counted(self.captures, "score"));
        if let Some(name) = &self.saved_as {
            line.push_str(&format!(", saved as “{name}”: the selection kept here stays"));
        }
        if self.missing > 0 {
            line.push_str(&format!(", {} of it are not here", counted(self.missing, "capture")));
        }
        line
    }
}

/// `data/selection.json` of a campaign.
///
/// # Errors
///
/// A catalogue that cannot be read.
pub(super) fn selection_document(
    workspace: &Workspace,
    id: CampaignId,
    spec: &SelectionSpec,
) -> anyhow::Result<String> {
    let saved = workspace.catalogue().named_selections(id)?.into_iter();
    let collections = workspace.catalogue().collections()?.into_iter();
    // The number of a campaign is that of this workspace.
    let anywhere = |spec: SelectionSpec| SelectionSpec { campaign: 0, ..spec };
    let document = SelectionDocument {
        spec: anywhere(spec.clone()),
        saved: saved
            .map(|row| (row.name, SavedDocument { spec: anywhere(row.spec), who: row.who, date: row.date.to_warc() }))
            .collect(),
        collections: collections
            .map(|row| (row.name, CollectionDocument { about: row.about, filter: row.filter, who: row.who }))
            .collect(),
    };
    Ok(format!("{}\n", serde_json::to_string_pretty(&document)?))
}

/// The scores of the captures that are handed over, a line each; says how many.
///
/// # Errors
///
/// A catalogue that cannot be read, a full disk, or a stop.
pub(super) fn scores(
    workspace: &Workspace,
    id: CampaignId,
    captures: &[CaptureId],
    out: &mut dyn Write,
    cx: &JobCx,
) -> anyhow::Result<u64> {
    let mut rows = 0;
    for capture in captures {
        let Some((url, date, digest, score)) = workspace.catalogue().handed_score(id, *capture)? else { continue };
        let line = ScoreLine { url, date: date.to_warc(), digest, score };
        serde_json::to_writer(&mut *out, &line)?;
        out.write_all(b"\n")?;
        rows += 1;
        cx.checkpoint()?;
    }
    Ok(rows)
}

/// Reads the selection of a handover back, for a campaign of this workspace.
/// Where another selection is kept here it stays, and the one that comes is
/// saved under the name of its folder.
///
/// # Errors
///
/// Documents that cannot be read or are no such documents, a catalogue that
/// cannot be written, or a stop. A second import of the same changes nothing.
pub fn import_selection(
    workspace: &Workspace,
    campaign: CampaignId,
    (document, scores): (&Path, &Path),
    folder_name: &str,
    cx: &JobCx,
) -> anyhow::Result<SelectionImport> {
    let catalogue = workspace.catalogue();
    let document = read_document(document)?;
    let spec = SelectionSpec { campaign, ..document.spec };
    let kept = catalogue.kept_selection(campaign)?.map(|(kept, _)| kept);
    let keeps = kept.is_none();
    let saved_as = kept.filter(|kept| *kept != spec).map(|_| folder_name.to_owned());
    let mut report = SelectionImport { saved_as, ..SelectionImport::default() };
    for (name, collection) in &document.collections {
        let CollectionDocument { about, filter, who } = collection.clone();
        if !catalogue.collections()?.iter().any(|row| row.name.eq_ignore_ascii_case(name)) {
            let campaign = (!filter.is_empty()).then_some(campaign);
            catalogue.save_collection(&CollectionSpec { name: name.clone(), about, filter, campaign }, &who)?;
        }
    }
    let mut lines =
        BufReader::new(MultiGzDecoder::new(File::open(scores).with_context(|| scores.display().to_string())?));
    let mut named: BTreeMap<String, Vec<CaptureId>> =
        document.saved.keys().map(|name| (name.clone(), Vec::new())).collect();
    let (mut batch, mut passing) = (Vec::with_capacity(BATCH), Vec::new());
    let (mut text, mut number) = (String::new(), 0_u64);
    cx.stage("Reading scores", None);
    loop {
        text.clear();
        number += 1;
        let at = || format!("{}, line {number}", scores.display());
        let read = (&mut lines).take(MOST_BYTES).read_line(&mut text).with_context(at)?;
        if read == 0 {
            break;
        }
        let line: ScoreLine = serde_json::from_str(&text).with_context(at)?;
        let captured = CaptureDate::parse(&line.date).with_context(at)?;
        let target =
            Target { url: &line.url, captured: Some(captured), digest: &line.digest, record: "", written: captured };
        cx.advance(1)?;
        let Some((id, _)) = capture_of(workspace, &target)? else {
            report.missing += 1;
            continue;
        };
        report.captures += 1;
        for name in &line.score.saved {
            named.entry(name.clone()).or_default().push(id);
        }
        for (name, who) in &line.score.collections {
            if document.collections.contains_key(name) {
                catalogue.collect(name, vec![id], false, who)?;
            }
        }
        if line.score.passes == Some(true) {
            passing.push(id);
        }
        if keeps {
            batch.push((id, line.score));
            if batch.len() == BATCH {
                catalogue.keep_handed_scores(campaign, std::mem::take(&mut batch))?;
            }
        }
    }
    for (name, captures) in named {
        if let Some(saved) = document.saved.get(&name) {
            let (spec, date) = (SelectionSpec { campaign, ..saved.spec.clone() }, CaptureDate::parse(&saved.date)?);
            catalogue.add_named_selection(&name, &spec, &saved.who, date, captures)?;
        }
    }
    if keeps {
        catalogue.keep_handed_scores(campaign, batch)?;
        catalogue.keep_handed_selection(&spec)?;
    } else if let Some(name) = &report.saved_as {
        let who = crate::work::operator();
        catalogue.add_named_selection(name, &spec, &who, CaptureDate::now(), passing)?;
    }
    Ok(report)
}

/// Reads `data/selection.json`, so that what is none is known before anything is taken in.
///
/// # Errors
///
/// A file that cannot be read or is no such document.
pub fn check_selection(document: &Path) -> anyhow::Result<()> {
    read_document(document).map(drop)
}

fn read_document(document: &Path) -> anyhow::Result<SelectionDocument> {
    let at = || document.display().to_string();
    let mut text = String::new();
    File::open(document).with_context(at)?.take(MOST_BYTES).read_to_string(&mut text).with_context(at)?;
    serde_json::from_str(&text).with_context(at)
}
