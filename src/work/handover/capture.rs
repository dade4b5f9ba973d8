//! What leaves with one capture: where its records are, what its metadata record
//! says, the same as RDF, and its line of the inlink data set.

use super::{CaptureGrounds, KnownGrounds, SelectionGraph};
use crate::export::{ExportItem, ExportRecord, Original, StatedLink, stated_links};
use crate::inlinks::{DatasetInlink, DatasetObject};
use crate::store::{ExportedCapture, ExportedLink, Lacking, LinkingPages, RecordRow, StoredCapture, Workspace};
use crate::uri::{CaptureDate, DatasetKey};
use crate::work::models::{CaptureId, CaptureNote, ReviewMark, ScoredRow, SelectionSpec};
use serde::Serialize;
use serde_json::{Value, json};

/// Gathers what leaves with the captures of a selection. Threads may share it.
pub(in crate::work) struct Gatherer<'a> {
    pub workspace: &'a Workspace,
    pub spec: &'a SelectionSpec,
    /// The campaign, as metadata records name it.
    pub campaign: Value,
    /// When inlinks were built.
    pub built: Option<CaptureDate>,
    /// Where RDF comes along.
    pub graph: Option<&'a SelectionGraph<'a>>,
    pub grounds: &'a CaptureGrounds<'a>,
    pub sources: LinkingPages,
}

impl Gatherer<'_> {
    /// What leaves with a capture, which is selected or needed by one that is; and
    /// what it will lack, if that is what it repeats.
    ///
    /// # Errors
    ///
    /// A catalogue or links that cannot be read.
    pub(in crate::work) fn item(
        &self,
        id: CaptureId,
        is_selected: bool,
    ) -> anyhow::Result<(ExportItem, Option<Lacking>)> {
        let known = self.workspace.exported_capture(id, self.spec.window_days, &self.sources)?;
        let score = if is_selected { self.workspace.catalogue().scored(self.spec.campaign, id)? } else { None };
        let role = is_selected.then_some(score.as_ref());
        let grounds = self.grounds.of(&known.stored)?;
        let statements = match self.graph {
            Some(graph) => graph.of_capture(&known, role_of(role), score.as_ref(), &grounds)?,
            None => Vec::new(),
        };
        let stored = &known.stored;
        let (original, lacks) = self.original(stored)?;
        let item = ExportItem {
            url: stored.url.to_string(),
            date: stored.date,
            records: self.records(stored),
            original,
            knowledge: self.knowledge(&known, role, grounds)?,
            statements,
            links: self.graph.and(known.inlinks.as_deref()).map(links_to_state).unwrap_or_default(),
            inlinks: known
                .inlinks
                .as_ref()
                .filter(|links| !links.is_empty())
                .map(|links| dataset_object(stored, links).line()),
        };
        Ok((item, lacks))
    }

    /// What a revisit repeats; or that a person rejected it.
    fn original(&self, stored: &StoredCapture) -> anyhow::Result<(Option<Original>, Option<Lacking>)> {
        let catalogue = self.workspace.catalogue();
        let original = match stored.revisit_of {
            None => None,
            Some(_) => catalogue.original_of(stored.id)?,
        };
        let Some(original) = original else { return Ok((None, None)) };
        let (url, date) = (original.url.to_string(), original.date);
        if let Some(decision) = catalogue.decision(original.id)?.filter(|of| of.mark == ReviewMark::Reject) {
            let (who, reason) = (decision.by(), decision.note);
            let (page, page_date) = (stored.url.to_string(), stored.date);
            return Ok((None, Some(Lacking { page, page_date, url, date, who, reason })));
        }
        Ok((Some(Original { url, date, records: self.records(&original) }), None))
    }

    fn records(&self, stored: &StoredCapture) -> Vec<ExportRecord> {
        let record = |row: &RecordRow| {
            let (file, lost) = match self.workspace.source_of(row) {
                Ok(file) => (file, None),
                Err(error) => (self.workspace.folder().join(&row.file), Some(error.to_string())),
            };
            ExportRecord {
                file,
                lost,
                span: row.span,
                record_type: row.record_type.clone(),
                record_id: row.record_id.clone(),
            }
        };
        stored.records.iter().map(record).collect()
    }

    /// The block of a capture's metadata record. `selected` is none for what comes
    /// along with selected captures; its score is none where a person approved a
    /// capture that was not scored.
    fn knowledge(
        &self,
        known: &ExportedCapture,
        selected: Option<Option<&ScoredRow>>,
        grounds: KnownGrounds,
    ) -> anyhow::Result<String> {
        let spec = self.spec;
        let by_filter = !spec.filter.trim().is_empty();
        let own = !known.imported;
        let (captured_for, captured_version, job, launch) = &known.provenance;
        let score = selected.flatten();
        let knowledge = CaptureKnowledge {
            software: concat!("Fonds/", env!("CARGO_PKG_VERSION")),
            campaign: &self.campaign,
            captured_for: json!({
                "campaign": captured_for, "version": captured_version, "job": job, "launch": launch
            }),
            title: Some(known.stored.title.as_str()).filter(|title| !title.is_empty()),
            language: Some(known.stored.language.as_str()).filter(|language| !language.is_empty()),
            tag: Some(known.source_tag.as_str()).filter(|tag| own && !tag.is_empty()),
            hops: own.then_some(&known.hops),
            via: own.then_some(&known.via),
            seed: own.then_some(&known.seed),
            verdict: known.rule.as_ref().filter(|_| own).map(|rule| {
                json!({
                    "decision": "ACCEPT", "ruleIndex": known.rule_index, "rule": rule
                })
            }),
            // No crawl of the workspace vouches for what an imported file says.
            file_says: known.imported.then(|| {
                json!({
                    "hops": known.hops, "via": known.via, "seed": known.seed, "rule": known.rule
                })
            }),
            selection: match score {
                None => json!({ "role": role_of(selected) }),
                Some(score) => json!({
                    "role": role_of(selected),
                    "score": score.score,
                    "threshold": (!by_filter).then_some(spec.threshold),
                    "filter": by_filter.then_some(spec.filter.trim()),
                    "parts": score.parts,
                }),
            },
            inlinks: known.inlinks.as_ref().map(|links| KnownLinks {
                built: self.built,
                window_days: spec.window_days,
                count: links.len(),
                count_internal: links.iter().filter(|link| link.internal).count(),
                count_external: links.iter().filter(|link| !link.internal).count(),
                list: links.iter().map(KnownLink::from).collect(),
            }),
            annotations: known
                .notes
                .iter()
                .map(|CaptureNote { date, who, origin, mark, note, .. }| {
                    json!({
                        "date": date.to_warc(), "who": who, "origin": origin, "mark": mark, "note": note
                    })
                })
                .collect(),
            geolocation: grounds.location_value(&known.stored),
            permission: grounds.permission,
        };
        Ok(serde_json::to_string(&knowledge)?)
    }
}

/// Why a capture is in an export; see [`Gatherer::knowledge`] on `selected`.
fn role_of(selected: Option<Option<&ScoredRow>>) -> &'static str {
    match selected {
        None => "needed by a selected page",
        Some(Some(score)) if score.decision != Some(ReviewMark::Approve) => "selected",
        Some(_) => "included by hand",
    }
}

/// What a metadata record says, in the order of its fields.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CaptureKnowledge<'k> {
    software: &'static str,
    campaign: &'k Value,
    captured_for: Value,
    title: Option<&'k str>,
    language: Option<&'k str>,
    tag: Option<&'k str>,
    hops: Option<&'k String>,
    via: Option<&'k String>,
    seed: Option<&'k String>,
    verdict: Option<Value>,
    file_says: Option<Value>,
    selection: Value,
    inlinks: Option<KnownLinks<'k>>,
    annotations: Vec<Value>,
    geolocation: Value,
    permission: Value,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct KnownLinks<'k> {
    built: Option<CaptureDate>,
    window_days: u32,
    count: usize,
    count_internal: usize,
    count_external: usize,
    list: Vec<KnownLink<'k>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct KnownLink<'k> {
    date: CaptureDate,
    source: &'k str,
    source_key: Option<&'k str>,
    anchor: &'k str,
    internal: bool,
}

impl<'k> From<&'k ExportedLink> for KnownLink<'k> {
    fn from(link: &'k ExportedLink) -> Self {
        Self {
            date: link.date,
            source: &link.source.url,
            source_key: link.source.key.as_deref(),
            anchor: &link.anchor,
            internal: link.internal,
        }
    }
}

/// Those links to a capture that are stated as RDF.
fn links_to_state(links: &[ExportedLink]) -> Vec<StatedLink> {
    let internal: Vec<bool> = links.iter().map(|link| link.internal).collect();
    let stated = |link: &ExportedLink| StatedLink {
        date: link.date,
        source: link.source.url.clone(),
        anchor: link.anchor.clone(),
        internal: link.internal,
    };
    stated_links(&internal).filter_map(|at| links.get(at)).map(stated).collect()
}

/// The links to a capture as the data set has them.
fn dataset_object(stored: &StoredCapture, links: &[ExportedLink]) -> DatasetObject {
    let count_internal = links.iter().filter(|link| link.internal).count() as u64;
    DatasetObject {
        url: DatasetKey::of(&stored.url).as_str().to_owned(),
        count: links.len() as u64,
        count_internal,
        count_external: links.len() as u64 - count_internal,
        capture_date: Some(stored.date),
        inlinks: links
            .iter()
            .map(|link| DatasetInlink {
                date: Some(link.date),
                source: link.source.key.as_ref().unwrap_or(&link.source.url).clone(),
                anchor: link.anchor.clone(),
            })
            .collect(),
    }
}
