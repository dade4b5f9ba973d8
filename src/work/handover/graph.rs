//! Everything that is known of a selection as RDF: which statements there are, and what they are made of. How a capture,
//! an annotation or a campaign is stated is in [`crate::knowledge`].

use super::annotations::{as_it_came, source_address};
use super::entities::EntitiesOf;
use super::read::{AnnotationParts, AnnotationRow, annotation_parts, waiting_annotations};
use super::{ExportedEvidence, Ground};
use crate::analysis::checks::check_of_id;
use crate::campaign::CampaignFile;
use crate::jobs::{JobCx, lock};
use crate::knowledge::graphs::RUNS;
use crate::knowledge::{
    CaptureKnowledge, RdfNode, Statement, Statements, WebAnnotation, campaign_address, check_node, domains_node,
    hosting_node, launch_node, part_of_score, permission_node, state_analysis, state_grounds, state_location,
    state_newest_version, state_version,
};
use crate::scope::GeoFact;
use crate::store::{JudgementRow, MarkRow, Workspace};
use crate::uri::CaptureDate;
use crate::work::models::{CampaignId, CaptureId, SelectionSpec};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io;
use std::sync::Mutex;

/// The knowledge about a selection that an export carries as RDF.
pub(in crate::work) struct SelectionGraph<'a> {
    workspace: &'a Workspace,
    campaign: CampaignId,
    spec: &'a SelectionSpec,
    /// When the selection was made.
    selected: CaptureDate,
    /// Versions of the campaign with their addresses.
    versions: BTreeMap<u32, (String, CampaignFile)>,
    /// The version that the selection was made with.
    version: u32,
    /// Judgements of captures as results of searches.
    judgements: BTreeMap<CaptureId, Vec<JudgementRow>>,
    evidence: &'a ExportedEvidence,
    /// The nodes of the records of that version.
    permissions: Vec<RdfNode>,
    /// Hosts whose location captures refer to.
    located: Mutex<BTreeSet<String>>,
    /// The entities that captures name.
    entities: &'a EntitiesOf<'a>,
    /// Names of the parts of scores that were stated.
    parts: Mutex<BTreeSet<String>>,
    /// Names of the checks whose findings were stated.
    checks: Mutex<BTreeSet<String>>,
}

impl<'a> SelectionGraph<'a> {
    /// The graph of a kept selection.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub(in crate::work) fn new(
        workspace: &'a Workspace,
        spec: &'a SelectionSpec,
        version: u32,
        selected: CaptureDate,
        evidence: &'a ExportedEvidence,
        entities: &'a EntitiesOf<'a>,
    ) -> anyhow::Result<Self> {
        let mut versions = BTreeMap::new();
        let identity = workspace.catalogue().campaign_identity(spec.campaign)?;
        for (version, file) in workspace.catalogue().campaign_files(spec.campaign)? {
            versions.insert(version, (campaign_address(version, identity, &file), file));
        }
        let mut judgements: BTreeMap<CaptureId, Vec<JudgementRow>> = BTreeMap::new();
        workspace.catalogue().each_judgement(Some(spec.campaign), |row| -> anyhow::Result<()> {
            judgements.entry(row.capture).or_default().push(row);
            Ok(())
        })?;
        let records = versions.get(&version).map_or(&[][..], |(_, file)| &file.campaign.permissions);
        let permissions = records.iter().map(permission_node).collect();
        let (campaign, parts, checks, located) = (spec.campaign, Mutex::default(), Mutex::default(), Mutex::default());
        Ok(Self {
            workspace,
            campaign,
            spec,
            selected,
            versions,
            version,
            judgements,
            evidence,
            permissions,
            located,
            entities,
            parts,
            checks,
        })
    }

    /// The name of the selection.
    pub(in crate::work) fn selection(&self) -> RdfNode {
        let of = self.versions.get(&self.version).map_or("urn:fonds:campaign:unknown", |(address, _)| address);
        let of = of.strip_prefix("urn:fonds:campaign:").unwrap_or(of);
        RdfNode::Iri(format!("urn:fonds:selection:{of}.{}", self.selected.to_digits17()))
    }

    /// Decisions, notes and judgements that were given on a capture.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub(in crate::work) fn annotations(&self, capture: CaptureId) -> anyhow::Result<Vec<WebAnnotation>> {
        let marks = self.workspace.catalogue().marks_of_capture(capture)?;
        let judgements = self.judgements.get(&capture).into_iter().flatten();
        Ok(marks.iter().map(mark_annotation).chain(judgements.map(judgement_annotation)).collect())
    }

    /// States what is known of a capture. What it refers to is stated at the end.
    pub(in crate::work) fn of_capture(&self, known: &CaptureKnowledge<'_>) -> Vec<Statement> {
        if let (GeoFact::Known(_), Some(host)) = (known.location, known.url.host_str()) {
            let mut located = lock(&self.located);
            if !located.contains(host) {
                located.insert(host.to_owned());
            }
        }
        let mut parts = lock(&self.parts);
        for of in known.score.iter().flat_map(|score| score.parts).filter(|of| of.weight != 0.0) {
            if !parts.contains(&of.name) {
                parts.insert(of.name.clone());
            }
        }
        drop(parts);
        let mut checks = lock(&self.checks);
        for of in &known.findings {
            if !checks.contains(of.check) {
                checks.insert(of.check.to_owned());
            }
        }
        drop(checks);
        known.statements()
    }

    /// Statements beyond the captures that are handed over: `exported`, by their numbers in order.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read, what `state` fails with, or a stop.
    pub(in crate::work) fn beyond_captures(
        &self,
        exported: &[CaptureId],
        state: &mut dyn FnMut(Vec<Statement>) -> io::Result<()>,
        cx: &JobCx,
    ) -> anyhow::Result<()> {
        let mut out = Statements::default();
        let (mut before, mut stated) = (None, HashSet::new());
        if let Some((address, file)) = self.versions.last_key_value().map(|(_, version)| version) {
            state_newest_version(&mut out, address, file);
        }
        for (version, (address, file)) in &self.versions {
            state_version(&mut out, *version, address, file, before.replace(address));
            state_grounds(&mut out, address, file, &|record| self.evidence.of_record(record), &mut stated);
            state(out.take())?;
        }
        for host in lock(&self.located).iter() {
            if let GeoFact::Known(found) = self.workspace.catalogue().known_location(host)? {
                state_location(&mut out, host, &found);
                state(out.take())?;
            }
        }
        self.entities.state_named(state)?;
        if let Some(analysis) = self.entities.analysis() {
            state_analysis(&mut out, &analysis, software(Some(env!("CARGO_PKG_VERSION"))));
        }
        self.runs(&mut out)?;
        state(out.take())?;
        self.workspace.catalogue().each_mark(Some(self.campaign), |mark| -> anyhow::Result<()> {
            if exported.binary_search(&mark.capture).is_err() {
                mark_annotation(&mark).state(&mut out, false);
                state(out.take())?;
            }
            Ok(cx.checkpoint()?)
        })?;
        for row in self.judgements.values().flatten().filter(|row| exported.binary_search(&row.capture).is_err()) {
            judgement_annotation(row).state(&mut out, false);
            state(out.take())?;
        }
        for (_, waiting) in waiting_annotations(self.workspace)? {
            if let Some(parts) = annotation_parts(&waiting) {
                parts.annotation().state(&mut out, false);
            }
            state(out.take())?;
            cx.checkpoint()?;
        }
        Ok(())
    }

    /// The node of the ground that covers a capture.
    pub(in crate::work) fn ground_node(&self, ground: Ground) -> Option<RdfNode> {
        let (address, _) = self.versions.get(&self.version)?;
        match ground {
            Ground::Record(at) => self.permissions.get(at).cloned(),
            Ground::Domain => Some(domains_node(address)),
            Ground::Hosting => Some(hosting_node(address)),
            Ground::None => None,
        }
    }

    fn runs(&self, out: &mut Statements) -> anyhow::Result<()> {
        let version_node = |version: &u32| self.versions.get(version).map(|(address, _)| RdfNode::Iri(address.clone()));
        let (crawler, selector) = (software(None), software(Some(env!("CARGO_PKG_VERSION"))));
        for (node, title) in [
            (&crawler, "Fonds; the warcinfo records have the version"),
            (&selector, concat!("Fonds/", env!("CARGO_PKG_VERSION"))),
        ] {
            out.about(RUNS, node.clone()).is_a("prov:SoftwareAgent").text("dct:title", title);
        }
        let catalogue = self.workspace.catalogue();
        for launch in catalogue.launches(Some(self.campaign))? {
            let (job, versions) = catalogue.job_and_versions(launch.id)?;
            let mut about = out
                .about(RUNS, launch_node(&job, &launch.launch))
                .is_a("prov:Activity")
                .is_a("f:Crawl")
                .date("prov:startedAtTime", launch.started)
                .node("prov:wasAssociatedWith", crawler.clone())
                .count("f:fetched", launch.fetched)
                .count("f:failed", launch.failed)
                .count("f:refused", launch.refused)
                .text("f:why", &launch.why);
            if let Some(ended) = launch.ended {
                about = about.date("prov:endedAtTime", ended);
            }
            for version in versions.iter().filter_map(version_node) {
                about = about.node("prov:used", version);
            }
        }
        for name in lock(&self.parts).iter() {
            out.about(RUNS, part_of_score(name)).is_a("dqv:Metric").text("rdfs:label", name);
        }
        for id in lock(&self.checks).iter() {
            let label = check_of_id(id).map_or(id.as_str(), |check| check.label);
            out.about(RUNS, check_node(id)).is_a("dqv:Metric").text("rdfs:label", label);
        }
        out.about(RUNS, RdfNode::Term("f:relevance")).is_a("dqv:Metric").text("rdfs:label", "Score");
        let (spec, weights) = (self.spec, &self.spec.weights);
        let by_filter = !spec.filter.trim().is_empty();
        let mut about = out
            .about(RUNS, self.selection())
            .is_a("prov:Activity")
            .is_a("f:Selection")
            .date("prov:startedAtTime", self.selected)
            .node("prov:wasAssociatedWith", selector)
            .text("f:criterion", &spec.criterion())
            .text("f:filter", spec.filter.trim())
            .count("f:windowDays", spec.window_days.into())
            .real("f:weightOfRequest", weights.get("request"))
            .real("f:weightOfExternalHosts", weights.get("external_hosts"))
            .real("f:weightOfAnchors", weights.get("anchors"))
            .real("f:weightOfDepth", weights.get("depth"))
            .real("f:weightOfReview", weights.get("review"))
            .real("f:weightOfFreshness", weights.get("freshness"))
            .real("f:weightOfEntities", weights.get("entities"));
        if !by_filter {
            about = about.real("f:threshold", spec.threshold);
        }
        if let Some(version) = version_node(&self.version) {
            about.node("prov:used", version);
        }
        Ok(())
    }
}

fn software(version: Option<&str>) -> RdfNode {
    RdfNode::Iri(version.map_or("urn:fonds:software:fonds".to_owned(), |of| format!("urn:fonds:software:fonds-{of}")))
}

/// A mark as it was given here, or as it came.
fn mark_annotation(mark: &MarkRow) -> WebAnnotation {
    let came = (mark.annotation.as_deref(), mark.line.as_deref(), mark.origin.as_deref());
    annotation_of(came, mark.captured, || AnnotationRow::Mark(mark.clone()))
}

/// A judgement as it was given here, or as it came.
fn judgement_annotation(row: &JudgementRow) -> WebAnnotation {
    let came = (row.annotation.as_deref(), row.line.as_deref(), row.origin.as_deref());
    annotation_of(came, row.captured, || AnnotationRow::Judgement(row.clone()))
}

/// The annotation of a row; of one that came from elsewhere its line, which holds more than the row.
fn annotation_of(
    (id, line, origin): (Option<&str>, Option<&str>, Option<&str>),
    captured: CaptureDate,
    own: impl FnOnce() -> AnnotationRow,
) -> WebAnnotation {
    let came = id.zip(line).and_then(|(id, line)| annotation_parts(&as_it_came(id, line)?));
    let (tags, sources) = (Vec::new(), Vec::new());
    let mut parts = came.unwrap_or_else(|| AnnotationParts { row: own(), captured: Some(captured), tags, sources });
    parts.sources.splice(0..0, origin.map(source_address));
    parts.annotation()
}
