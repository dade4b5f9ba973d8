//! An export carries each capture with the places of its records, its metadata record, the same as
//! RDF, and its line of the inlink data set.

use super::entities::EntitiesOf;
use super::site_kinds::SiteKindsOf;
use super::{CaptureGrounds, KnownGrounds, SelectionGraph};
use crate::export::{ExportItem, ExportRecord, Original};
use crate::inlinks::render_links;
use crate::knowledge::{
    CaptureEntities, CaptureInlink, CaptureInlinks, CaptureKnowledge, CaptureOrigin, KnownFinding, KnownNote,
    KnownScore,
};
use crate::store::{
    ExportedCapture, ExportedLink, KeptFinding, Lacking, LinkingPages, RecordRow, StoredCapture, Workspace,
};
use crate::uri::{CaptureDate, DatasetKey};
use crate::work::models::{CaptureId, CaptureNote, ReviewMark, ScoredRow, SelectionSpec};
use serde_json::{Value, json};

/// Gathers what leaves with the captures of a selection. Threads may share it.
pub(in crate::work) struct Gatherer<'a> {
    pub workspace: &'a Workspace,
    pub spec: &'a SelectionSpec,
    /// The campaign, as metadata records name it.
    pub campaign: Value,
    /// When inlinks were built.
    pub built: Option<CaptureDate>,
    /// The graph, where RDF comes along.
    pub graph: Option<&'a SelectionGraph<'a>>,
    pub grounds: &'a CaptureGrounds<'a>,
    pub sources: LinkingPages,
    /// The kinds of site that its captures are of.
    pub site_kinds: &'a SiteKindsOf,
    /// The entities that its captures name.
    pub entities: &'a EntitiesOf<'a>,
}

impl Gatherer<'_> {
    /// The item of a capture, which is selected or needed by one that is; and what it will lack, if
    /// that is what it repeats.
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
        let score = if is_selected { self.workspace.catalogue().scored_with(self.spec, id)? } else { None };
        let grounds = self.grounds.of(&known.stored)?;
        let stored = &known.stored;
        let site_kinds = self.site_kinds.of(id);
        let entities = self.entities.of(self.workspace, stored)?;
        let of_page = OfPage { site_kinds: &site_kinds, entities: entities.as_ref() };
        let knowledge = self.knowledge(&known, is_selected, score.as_ref(), &grounds, of_page)?;
        let (original, lacks) = self.original(stored)?;
        let item = ExportItem {
            url: stored.url.to_string(),
            date: stored.date,
            records: self.records(stored),
            original,
            knowledge: knowledge.json()?,
            statements: self.graph.map(|graph| graph.of_capture(&knowledge)).unwrap_or_default(),
            links: self.graph.map(|_| knowledge.links()).unwrap_or_default(),
            inlinks: known.inlinks.as_ref().filter(|links| !links.is_empty()).map(|links| dataset_line(stored, links)),
        };
        Ok((item, lacks))
    }

    /// The original of a revisit; or that a person rejected it.
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

    /// The knowledge of a capture. Its score is none where it is not selected, or a person approved it without one.
    fn knowledge<'k>(
        &'k self,
        known: &'k ExportedCapture,
        is_selected: bool,
        score: Option<&'k ScoredRow>,
        grounds: &'k KnownGrounds,
        OfPage { site_kinds, entities }: OfPage<'k>,
    ) -> anyhow::Result<CaptureKnowledge<'k>> {
        let (stored, spec) = (&known.stored, self.spec);
        let by_filter = !spec.filter.trim().is_empty();
        let (campaign, version, job, launch) = &known.provenance;
        let inlink = |link: &'k ExportedLink| CaptureInlink {
            date: link.date,
            source: &link.source.url,
            anchor: &link.anchor,
            internal: link.internal,
        };
        Ok(CaptureKnowledge {
            url: &stored.url,
            date: stored.date,
            status: u64::try_from(stored.status).ok().filter(|status| *status > 0),
            mime: &stored.mime,
            digest: &stored.digest,
            title: &stored.title,
            language: &stored.language,
            site_kinds,
            findings: known.findings.iter().filter(|of| !of.false_alarm).map(known_finding).collect(),
            entities,
            role: role_of(is_selected, score),
            campaign: &self.campaign,
            selection: self.graph.map(SelectionGraph::selection),
            score: score.map(|score| KnownScore {
                score: score.score,
                parts: &score.parts,
                threshold: (!by_filter).then_some(spec.threshold),
                filter: by_filter.then_some(spec.filter.trim()),
            }),
            origin: CaptureOrigin {
                imported: known.imported,
                campaign: *campaign,
                version: *version,
                job,
                launch,
                hops: &known.hops,
                via: &known.via,
                seed: &known.seed,
                tag: &known.source_tag,
                rule: known.rule.as_deref(),
                rule_index: known.rule_index,
            },
            inlinks: known.inlinks.as_deref().map(|links| CaptureInlinks {
                built: self.built,
                window_days: spec.window_days,
                list: links.iter().map(inlink).collect(),
            }),
            notes: known.notes.iter().map(short_note).collect(),
            annotations: self.graph.map_or(Ok(Vec::new()), |graph| graph.annotations(stored.id))?,
            location: &grounds.location,
            permission: &grounds.permission,
            ground: self.graph.and_then(|graph| graph.ground_node(grounds.ground)),
        })
    }
}

/// What its text and its page tell of a capture.
#[derive(Clone, Copy)]
struct OfPage<'k> {
    site_kinds: &'k [String],
    entities: Option<&'k CaptureEntities>,
}

/// Why a capture is in an export.
fn role_of(is_selected: bool, score: Option<&ScoredRow>) -> &'static str {
    match score {
        _ if !is_selected => "needed by a selected page",
        Some(score) if score.decision != Some(ReviewMark::Approve) => "selected",
        _ => "included by hand",
    }
}

fn known_finding(of: &KeptFinding) -> KnownFinding<'_> {
    KnownFinding { check: &of.check, state: of.state, severity: of.severity, evidence: &of.evidence }
}

fn short_note(note: &CaptureNote) -> KnownNote {
    KnownNote {
        date: note.date.to_warc(),
        who: note.who.clone(),
        origin: note.origin.clone(),
        mark: json!(note.mark),
        note: note.note.clone(),
    }
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
