//! The selection of a handover: what it was made with, what each capture
//! scored and why, saved selections and collections; out, and read back.

use super::lines::{document as document_of, each_line};
use super::read::{AnnotationReach, Placement, Target, capture_of};
use crate::campaign::Identity;
use crate::export::Written;
use crate::jobs::{InOrder, JobCx, counted};
use crate::store::{HandoverCapture, HandoverCrawl, HandoverScore, Workspace};
use crate::uri::CaptureDate;
use crate::warc::reading_threads;
use crate::work::Report;
use crate::work::files::campaign_files::CameWith;
use crate::work::models::{CampaignId, CaptureId, CollectionRow, CollectionSpec, SelectionSpec};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Captures that are kept at once.
const BATCH: usize = 1000;

/// `data/selection.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SelectionDocument {
    /// The settings of the selection.
    spec: SelectionSpec,
    /// When it was made; absent in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    date: Option<CaptureDate>,
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
    date: CaptureDate,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct CollectionDocument {
    about: String,
    filter: String,
    who: String,
    /// The identity of the collection in every workspace; absent in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    identity: Option<Identity>,
}

/// A line of `data/scores.jsonl.gz`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ScoreLine {
    url: String,
    date: CaptureDate,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    digest: String,
    /// Id of its record.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    record: String,
    #[serde(flatten)]
    score: HandoverScore,
}

/// The outcome of reading a selection back.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SelectionImport {
    /// Captures with their scores.
    pub captures: u64,
    /// Captures of the handover that are not here.
    pub missing: u64,
    /// The name under which it was saved, where another selection is kept here.
    pub saved_as: Option<String>,
    /// The same selection was kept here before, so that nothing of it is new.
    pub known: bool,
    /// Its collections, by name, that are called otherwise here: another one has that name.
    pub collections_apart: BTreeMap<String, String>,
    /// Captures that are new in collections, by the names that these have here.
    pub collected: BTreeMap<String, u64>,
}

impl Report for SelectionImport {
    fn summary(&self) -> String {
        let mut line = format!("selection with {}", counted(self.captures, "score"));
        if self.known {
            line.push_str(", here already");
        }
        if let Some(name) = &self.saved_as {
            line.push_str(&format!(", saved as “{name}”: the selection kept here stays"));
        }
        if self.missing > 0 {
            line.push_str(&format!(", {} of it are not here", counted(self.missing, "capture")));
        }
        for (name, here) in &self.collections_apart {
            line.push_str(&format!(", its collection “{name}” kept apart as “{here}”: “{name}” is another one here"));
        }
        for (name, captures) in self.collected.iter().filter(|(_, captures)| **captures > 0) {
            line.push_str(&format!(", {} into collection “{name}”", counted(*captures, "new capture")));
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
    (spec, date): (&SelectionSpec, CaptureDate),
) -> anyhow::Result<String> {
    let saved = workspace.catalogue().named_selections(id)?.into_iter();
    let collections = workspace.catalogue().collections()?.into_iter();
    // The number of a campaign is that of this workspace.
    let anywhere = |spec: SelectionSpec| SelectionSpec { campaign: CampaignId::default(), ..spec };
    let document = SelectionDocument {
        spec: anywhere(spec.clone()),
        date: Some(date),
        saved: saved
            .map(|row| (row.name, SavedDocument { spec: anywhere(row.spec), who: row.who, date: row.date }))
            .collect(),
        collections: collections
            .map(|row| {
                let CollectionRow { about, filter, who, identity, .. } = row;
                (row.name, CollectionDocument { about, filter, who, identity: Some(identity) })
            })
            .collect(),
    };
    Ok(format!("{}\n", serde_json::to_string_pretty(&document)?))
}

/// Writes the scores of the captures that are handed over, a line each; returns how many.
///
/// # Errors
///
/// A catalogue that cannot be read, a full disk, or a stop.
pub(super) fn scores(
    workspace: &Workspace,
    id: CampaignId,
    captures: &[CaptureId],
    (out, written): (&mut dyn Write, &Written<'_>),
    cx: &JobCx,
) -> anyhow::Result<u64> {
    let line_of = |(position, capture): (usize, CaptureId)| -> anyhow::Result<Option<String>> {
        let Some(found) = workspace.catalogue().handover_score(id, capture)? else { return Ok(None) };
        let HandoverCapture { url, date, mut digest, mut record, score } = found;
        if let Some(new) = written.rewritten.get(position)? {
            record = new.id.unwrap_or(record);
            digest = new.payload_digest.unwrap_or(digest);
        }
        Ok(Some(serde_json::to_string(&ScoreLine { url, date, digest, record, score })? + "\n"))
    };
    let written_ones = captures.iter().copied().enumerate();
    let written_ones = written_ones.filter(|(position, _)| written.left_out.binary_search(position).is_err());
    std::thread::scope(|scope| {
        let mut rows = 0;
        for line in InOrder::start(scope, reading_threads(), &line_of).each(written_ones) {
            if let Some(line) = line? {
                out.write_all(line.as_bytes())?;
                rows += 1;
            }
            cx.checkpoint()?;
        }
        Ok(rows)
    })
}

/// Reads the selection of a handover back, for a campaign of this workspace.
/// Where another selection is kept here it stays, and the one that comes is
/// saved under the name of its folder.
///
/// # Errors
///
/// Documents that cannot be read or are no such documents, a catalogue that
/// cannot be written, or a stop. A second import of the same changes nothing.
pub(in crate::work) fn import_selection(
    workspace: &Workspace,
    campaign: CampaignId,
    (document, scores): (&Path, &Path),
    came_with: &CameWith,
    reach: AnnotationReach<'_>,
    cx: &JobCx,
) -> anyhow::Result<SelectionImport> {
    let catalogue = workspace.catalogue();
    let origin = came_with.name.as_str();
    let document: SelectionDocument = document_of(document)?;
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for (name, collection) in document.collections {
        let CollectionDocument { about, filter, who, identity } = collection;
        let identity =
            identity.unwrap_or_else(|| Identity::of_parts([&came_with.identity.to_string(), &name.to_lowercase()]));
        let campaign = (!filter.is_empty()).then_some(campaign);
        let spec = CollectionSpec { name: name.clone(), about, filter, campaign };
        names.insert(name, catalogue.take_collection(&spec, &who, (identity, origin))?);
    }
    // Selections name collections as these are called there.
    let of_campaign = |spec: SelectionSpec| {
        let here = |name: String| names.get(&name).cloned().unwrap_or(name);
        SelectionSpec { campaign, collections: spec.collections.into_iter().map(here).collect(), ..spec }
    };
    let spec = of_campaign(document.spec);
    let kept = catalogue.kept_selection(campaign)?.map(|(kept, _)| kept);
    let keeps = kept.is_none();
    let known = kept.as_ref() == Some(&spec);
    let saved_as = kept.filter(|_| !known).map(|_| origin.to_owned());
    let apart = names.iter().filter(|(name, here)| name.trim() != here.as_str());
    let collections_apart = apart.map(|(name, here)| (name.clone(), here.clone())).collect();
    let mut report = SelectionImport { saved_as, known, collections_apart, ..SelectionImport::default() };
    let mut named: BTreeMap<String, Vec<CaptureId>> =
        document.saved.keys().map(|name| (name.clone(), Vec::new())).collect();
    let (mut passing, mut along) = (Vec::new(), Vec::new());
    let mut batch = Batch::default();
    cx.stage("Reading scores", None);
    each_line(Some(scores), |line: ScoreLine| {
        let target = Target {
            url: &line.url,
            captured: Some(line.date),
            digest: &line.digest,
            record: &line.record,
            written: line.date,
        };
        cx.advance(1)?;
        let Placement::On((id, _)) = capture_of(workspace, &target, reach)? else {
            report.missing += 1;
            return Ok(());
        };
        report.captures += 1;
        for name in &line.score.saved {
            named.entry(name.clone()).or_default().push(id);
        }
        for (name, who) in &line.score.collections {
            if let Some(here) = names.get(name) {
                batch.collected.entry((here.clone(), who.clone())).or_default().push(id);
            }
        }
        match line.score.passes {
            Some(true) => passing.push(id),
            _ if keeps => along.push(id),
            _ => {}
        }
        batch.crawls.extend(line.score.crawl.clone().map(|crawl| (id, crawl)));
        if keeps {
            batch.scores.push((id, line.score));
        }
        batch.captures += 1;
        if batch.captures == BATCH { std::mem::take(&mut batch).keep(workspace, campaign, &mut report) } else { Ok(()) }
    })?;
    batch.keep(workspace, campaign, &mut report)?;
    for (name, captures) in named {
        if let Some(saved) = document.saved.get(&name) {
            let spec = of_campaign(saved.spec.clone());
            catalogue.add_named_selection((&name, origin), &spec, (&saved.who, saved.date), captures)?;
        }
    }
    if keeps {
        catalogue.keep_handover_selection(&spec, document.date.unwrap_or_else(CaptureDate::now), along)?;
    } else if let Some(name) = &report.saved_as {
        let who = crate::work::operator();
        let date = document.date.unwrap_or_else(CaptureDate::now);
        catalogue.add_named_selection((name, origin), &spec, (&who, date), passing)?;
    }
    Ok(report)
}

/// The values of some lines, kept at once.
#[derive(Default)]
struct Batch {
    captures: usize,
    scores: Vec<(CaptureId, HandoverScore)>,
    crawls: Vec<(CaptureId, HandoverCrawl)>,
    /// By collection and who put them in.
    collected: BTreeMap<(String, String), Vec<CaptureId>>,
}

impl Batch {
    fn keep(self, workspace: &Workspace, campaign: CampaignId, report: &mut SelectionImport) -> anyhow::Result<()> {
        let catalogue = workspace.catalogue();
        catalogue.assign_to_launches(campaign, self.crawls)?;
        catalogue.keep_handover_scores(campaign, self.scores)?;
        for ((name, who), captures) in self.collected {
            let added = catalogue.collect_from_handover(&name, captures, &who)?;
            *report.collected.entry(name).or_default() += added;
        }
        Ok(())
    }
}

/// Reads the selection of a handover and takes nothing in, so that what is none
/// is known before anything changes.
///
/// # Errors
///
/// The first thing that cannot be read, with file and line.
pub(in crate::work) fn check_selection(
    (selection, scores): (Option<PathBuf>, Option<PathBuf>),
    cx: &JobCx,
) -> anyhow::Result<()> {
    if let Some(selection) = selection {
        document_of::<SelectionDocument>(&selection)?;
    }
    each_line(scores.as_deref(), |_: ScoreLine| Ok(cx.checkpoint()?))
}
