//! What leaves with one capture: where its records are, what its metadata record
//! says, the same as RDF, and its line of the inlink data set.

use super::{CaptureGrounds, KnownGrounds, SelectionGraph};
use crate::export::{ExportItem, ExportRecord, Original, StatedLink, stated_links};
use crate::inlinks::{push_json, render_links};
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
            inlinks: known.inlinks.as_ref().filter(|links| !links.is_empty()).map(|links| dataset_line(stored, links)),
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
            return Ok((None, Some(Lacking { page, page_date, url, date, who, reason, is_new_version: false })));
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
        let knowledge = OfCapture {
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
        };
        let links = known.inlinks.as_deref().map(|links| KnownLinks {
            built: self.built,
            window_days: spec.window_days,
            count: links.len(),
            count_internal: links.iter().filter(|link| link.internal).count(),
            count_external: links.iter().filter(|link| !link.internal).count(),
        });
        let grounds = BehindInlinks {
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
        let mut json = serde_json::to_vec(&knowledge)?;
        // Hundreds of links of a page are nearly all of its record.
        join_fields(&mut json, b",\"inlinks\":");
        match (links, &known.inlinks) {
            (Some(counts), Some(links)) => {
                serde_json::to_writer(&mut json, &counts)?;
                join_fields(&mut json, b",\"list\":[");
                for (number, link) in links.iter().enumerate() {
                    if number > 0 {
                        json.push(b',');
                    }
                    push_link(&mut json, link);
                }
                json.extend_from_slice(b"]}");
            }
            _ => json.extend_from_slice(b"null"),
        }
        let rest = serde_json::to_vec(&grounds)?;
        json.push(b',');
        json.extend_from_slice(rest.strip_prefix(b"{").unwrap_or(&rest));
        Ok(String::from_utf8(json)?)
    }
}

/// Goes on with an object, of which all fields so far stand there.
fn join_fields(json: &mut Vec<u8>, field: &[u8]) {
    json.pop_if(|last| *last == b'}');
    json.extend_from_slice(field);
}

/// Appends a link as a metadata record lists it.
fn push_link(json: &mut Vec<u8>, link: &ExportedLink) {
    json.extend_from_slice(b"{\"date\":\"");
    json.extend_from_slice(link.date.to_warc().as_bytes());
    json.extend_from_slice(b"\",\"source\":");
    push_json(json, &link.source.url);
    json.extend_from_slice(b",\"sourceKey\":");
    match &link.source.key {
        Some(key) => push_json(json, key),
        None => json.extend_from_slice(b"null"),
    }
    json.extend_from_slice(b",\"anchor\":");
    push_json(json, &link.anchor);
    json.extend_from_slice(if link.internal { b",\"internal\":true}" } else { b",\"internal\":false}" });
}

/// Why a capture is in an export; see [`Gatherer::knowledge`] on `selected`.
fn role_of(selected: Option<Option<&ScoredRow>>) -> &'static str {
    match selected {
        None => "needed by a selected page",
        Some(Some(score)) if score.decision != Some(ReviewMark::Approve) => "selected",
        Some(_) => "included by hand",
    }
}

/// What a metadata record says of a capture itself, in the order of its fields. Behind it
/// come the inlinks.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OfCapture<'k> {
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
}

/// The inlinks of a metadata record without their list, which comes last.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct KnownLinks {
    built: Option<CaptureDate>,
    window_days: u32,
    count: usize,
    count_internal: usize,
    count_external: usize,
}

/// What a metadata record says behind the inlinks.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BehindInlinks {
    annotations: Vec<Value>,
    geolocation: Value,
    permission: Value,
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

/// The links to a capture as a line of the data set.
fn dataset_line(stored: &StoredCapture, links: &[ExportedLink]) -> String {
    let internal = links.iter().filter(|link| link.internal).count() as u64;
    let sides = [internal, links.len() as u64 - internal];
    fn source(link: &ExportedLink) -> &str {
        link.source.key.as_deref().unwrap_or(&link.source.url)
    }
    let mut line = Vec::new();
    let links = links.iter().map(|link| (link.date, source(link), link.anchor.as_str()));
    render_links(DatasetKey::of(&stored.url).as_str(), sides, Some(stored.date), links, &mut line);
    line.pop_if(|end| *end == b'\n');
    // It is made of texts.
    String::from_utf8(line).unwrap_or_default()
}
