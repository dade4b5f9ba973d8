//! Everything that is known of a selection as RDF.
//!
//! | here | there |
//! |---|---|
//! | capture | the record's id; `f:Capture`, `prov:specializationOf` its URL |
//! | score and its parts | `dqv:QualityMeasurement`, one each |
//! | mark, note | `oa:Annotation` with who and when |
//! | tag of an annotation of others | a further body of it, of purpose *tagging* |
//! | what an annotation came with from elsewhere | `prov:wasQuotedFrom` |
//! | judgement of a result of a search | the same; its body is an `f:Judgement` with query and rank |
//! | link to a capture | `f:Link` with its text |
//! | verdict of the scope | `f:Verdict` |
//! | where a host stands | `f:HostLocation`, once a host; captures have `f:hostLocation` |
//! | permission | `f:Permission`, by the digest of its content; versions and captures refer to it |
//! | domains or countries of the campaign | `f:Grounds`, once a version; captures refer to them |
//! | file that proves a permission | `f:EvidenceFile`, by its digest |
//! | crawl, selection | `prov:Activity` |
//! | version of the campaign | `prov:Entity`, `prov:specializationOf` the campaign by its identity, `prov:wasRevisionOf` the one before |
//!
//! The graphs are `facts`, `scores`, `marks`, `links`, `runs` and `campaigns`,
//! each `urn:fonds:NAME`.

use super::annotations::{annotation_id, as_it_came, judgement_id, judgement_name, source_address};
use super::read::{AnnotationParts, AnnotationRow, annotation_parts, waiting_annotations};
use super::{ExportedEvidence, Ground, KnownGrounds};
use crate::campaign::{
    Campaign, CampaignFile, Criterion, Identity, Permission, PermissionState, Query, Request, Term, TermKind,
};
use crate::export::{LINKS_GRAPH, RdfNode, Statement, Statements};
use crate::jobs::JobCx;
use crate::scope::{DecideRules, GeoEvidence, GeoFact, ScopeError};
use crate::store::{ExportedCapture, JudgementRow, MarkRow, Workspace};
use crate::uri::CaptureDate;
use crate::work::models::{CampaignId, CaptureId, ReviewMark, ScoredRow, SelectionSpec};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io;
use std::sync::{Mutex, PoisonError};

const FACTS: &str = "facts";
const SCORES: &str = "scores";
const MARKS: &str = "marks";
const RUNS: &str = "runs";
const CAMPAIGNS: &str = "campaigns";

/// What leaves with a selection as RDF.
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
    /// What persons said of captures as results of searches.
    judgements: BTreeMap<CaptureId, Vec<JudgementRow>>,
    evidence: &'a ExportedEvidence,
    /// The nodes of the records of that version.
    permissions: Vec<RdfNode>,
    /// Hosts whose location captures refer to.
    located: Mutex<BTreeSet<String>>,
    /// Names of the parts of scores that were stated.
    parts: Mutex<BTreeSet<String>>,
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
        let (campaign, parts, located) = (spec.campaign, Mutex::default(), Mutex::default());
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
            parts,
        })
    }

    fn selection(&self) -> RdfNode {
        let of = self.versions.get(&self.version).map_or("urn:fonds:campaign:unknown", |(address, _)| address);
        let of = of.strip_prefix("urn:fonds:campaign:").unwrap_or(of);
        RdfNode::Iri(format!("urn:fonds:selection:{of}.{}", self.selected.to_digits17()))
    }

    /// What is known of a capture that is handed over; `score` is none where it
    /// has none.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub(in crate::work) fn of_capture(
        &self,
        known: &ExportedCapture,
        role: &str,
        score: Option<&ScoredRow>,
        grounds: &KnownGrounds,
    ) -> anyhow::Result<Vec<Statement>> {
        let mut out = Statements::default();
        let stored = &known.stored;
        let url = stored.url.as_str();
        let mut about = out
            .about(FACTS, RdfNode::Capture)
            .is_a("f:Capture")
            .iri("prov:specializationOf", url)
            .text("f:url", url)
            .date("dct:date", stored.date)
            .text("dct:format", &stored.mime)
            .text("dct:title", &stored.title)
            .text("dct:language", &stored.language)
            .text("f:digest", &stored.digest)
            .text("f:role", role)
            .node("f:selectedBy", self.selection());
        if let Ok(status) = u64::try_from(stored.status)
            && status > 0
        {
            about = about.count("f:status", status);
        }
        if let Some(ground) = self.ground_node(grounds.ground) {
            about = about.node("f:coveredBy", ground);
        }
        if let (GeoFact::Known(location), Some(host)) = (&grounds.location, stored.url.host_str()) {
            about = about.node("f:hostLocation", location_node(host, location));
            let mut located = self.located.lock().unwrap_or_else(PoisonError::into_inner);
            if !located.contains(host) {
                located.insert(host.to_owned());
            }
        }
        if !known.imported {
            let (_, _, job, launch) = &known.provenance;
            about
                .node("prov:wasGeneratedBy", launch_node(job, launch))
                .iri("f:via", &known.via)
                .iri("f:seed", &known.seed)
                .text("dct:subject", &known.source_tag)
                .text("f:hops", &known.hops);
            if let Some(rule) = &known.rule {
                let verdict = RdfNode::PartOfCapture("verdict".to_owned());
                let mut about = out
                    .about(FACTS, verdict)
                    .is_a("f:Verdict")
                    .node("f:about", RdfNode::Capture)
                    .node("f:decision", RdfNode::Term("f:accept"))
                    .node("prov:wasGeneratedBy", launch_node(job, launch))
                    .text("f:rule", rule);
                if let Some(index) = known.rule_index.and_then(|index| u64::try_from(index).ok()) {
                    about = about.count("f:ruleIndex", index);
                }
                drop(about);
            }
        }
        self.scores(&mut out, score);
        links(&mut out, known);
        for mark in self.workspace.catalogue().marks_of_capture(stored.id)? {
            mark_of_others_or_own(&mut out, &mark, true);
        }
        for row in self.judgements.get(&stored.id).into_iter().flatten() {
            judgement_of_others_or_own(&mut out, row, true);
        }
        Ok(out.take())
    }

    /// What is known beyond the captures that are handed over: `exported`, by
    /// their numbers in order.
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
        for (version, (address, file)) in &self.versions {
            campaign_version(&mut out, *version, address, file, before.replace(address));
            grounds_of(&mut out, address, file, self.evidence, &mut stated);
            state(out.take())?;
        }
        for host in self.located.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            if let GeoFact::Known(found) = self.workspace.catalogue().known_location(host)? {
                location(&mut out, host, &found);
                state(out.take())?;
            }
        }
        self.runs(&mut out)?;
        state(out.take())?;
        self.workspace.catalogue().each_mark(Some(self.campaign), |mark| -> anyhow::Result<()> {
            if exported.binary_search(&mark.capture).is_err() {
                mark_of_others_or_own(&mut out, &mark, false);
                state(out.take())?;
            }
            Ok(cx.checkpoint()?)
        })?;
        for row in self.judgements.values().flatten().filter(|row| exported.binary_search(&row.capture).is_err()) {
            judgement_of_others_or_own(&mut out, row, false);
            state(out.take())?;
        }
        for (_, waiting) in waiting_annotations(self.workspace)? {
            if let Some(parts) = annotation_parts(&waiting) {
                annotation(&mut out, &parts, Some(parts.captured));
            }
            state(out.take())?;
            cx.checkpoint()?;
        }
        Ok(())
    }

    /// What covers a capture.
    fn ground_node(&self, ground: Ground) -> Option<RdfNode> {
        let (address, _) = self.versions.get(&self.version)?;
        match ground {
            Ground::Record(at) => self.permissions.get(at).cloned(),
            Ground::Domain => Some(domains_node(address)),
            Ground::Hosting => Some(hosting_node(address)),
            Ground::None => None,
        }
    }

    fn scores(&self, out: &mut Statements, score: Option<&ScoredRow>) {
        let Some(score) = score else { return };
        out.about(SCORES, RdfNode::PartOfCapture("score".to_owned()))
            .is_a("dqv:QualityMeasurement")
            .node("dqv:computedOn", RdfNode::Capture)
            .node("dqv:isMeasurementOf", RdfNode::Term("f:relevance"))
            .real("dqv:value", score.score);
        for (number, of) in (1..).zip(&score.parts) {
            // What does not count is not known, or nobody asked for it: no measurement.
            if of.weight == 0.0 {
                continue;
            }
            let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
            if !parts.contains(&of.name) {
                parts.insert(of.name.clone());
            }
            drop(parts);
            out.about(SCORES, RdfNode::PartOfCapture(format!("score-{number}")))
                .is_a("dqv:QualityMeasurement")
                .node("dqv:computedOn", RdfNode::Capture)
                .node("dqv:isMeasurementOf", part_of_score(&of.name))
                .real("dqv:value", of.value)
                .real("f:weight", of.weight)
                .text("rdfs:comment", &of.why);
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
        for name in self.parts.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            out.about(RUNS, part_of_score(name)).is_a("dqv:Metric").text("rdfs:label", name);
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
            .real("f:weightOfFreshness", weights.get("freshness"));
        if !by_filter {
            about = about.real("f:threshold", spec.threshold);
        }
        if let Some(version) = version_node(&self.version) {
            about.node("prov:used", version);
        }
        Ok(())
    }
}

/// The address of a version of a campaign: the same in every workspace, and
/// another one than that of every other campaign with the same content.
fn campaign_address(version: u32, identity: Identity, file: &CampaignFile) -> String {
    let digest = file.digest.as_deref().unwrap_or_default();
    format!("urn:fonds:campaign:{identity}.{}.v{version}", digest.get(..32).unwrap_or(digest))
}

/// Text of people as a part of an address.
fn part(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

fn part_of_score(name: &str) -> RdfNode {
    RdfNode::Iri(format!("urn:fonds:ns:part-{}", part(name)))
}

fn launch_node(job: &str, launch: &str) -> RdfNode {
    RdfNode::Iri(format!("urn:fonds:launch:{}/{}", part(job), part(launch)))
}

fn software(version: Option<&str>) -> RdfNode {
    RdfNode::Iri(version.map_or("urn:fonds:software:fonds".to_owned(), |of| format!("urn:fonds:software:fonds-{of}")))
}

/// How many links lead to a capture; the links themselves are stated by the export.
fn links(out: &mut Statements, known: &ExportedCapture) {
    let Some(rows) = &known.inlinks else { return };
    let of_side = |internal| rows.iter().filter(|row| row.internal == internal).count() as u64;
    out.about(LINKS_GRAPH, RdfNode::Capture)
        .count("f:internalLinks", of_side(true))
        .count("f:externalLinks", of_side(false));
}

/// What an annotation says that came from elsewhere and that a row does not say all of.
fn parts_of_line(id: Option<&str>, line: Option<&str>, origin: Option<&str>) -> Option<AnnotationParts> {
    let mut parts = annotation_parts(&as_it_came(id?, line?)?)?;
    parts.sources.splice(0..0, origin.map(source_address));
    Some(parts)
}

/// A mark as it was given here, or as it came; `is_exported` says whether its capture is
/// handed over.
fn mark_of_others_or_own(out: &mut Statements, mark: &MarkRow, is_exported: bool) {
    let of_line = parts_of_line(mark.annotation.as_deref(), mark.line.as_deref(), mark.origin.as_deref());
    let parts = of_line.unwrap_or_else(|| AnnotationParts {
        row: AnnotationRow::Mark(mark.clone()),
        captured: Some(mark.captured),
        tags: Vec::new(),
        sources: mark.origin.as_deref().map(source_address).into_iter().collect(),
    });
    annotation(out, &parts, (!is_exported || parts.captured.is_none()).then_some(parts.captured));
}

/// As [`mark_of_others_or_own`].
fn judgement_of_others_or_own(out: &mut Statements, row: &JudgementRow, is_exported: bool) {
    let of_line = parts_of_line(row.annotation.as_deref(), row.line.as_deref(), row.origin.as_deref());
    let parts = of_line.unwrap_or_else(|| AnnotationParts {
        row: AnnotationRow::Judgement(row.clone()),
        captured: Some(row.captured),
        tags: Vec::new(),
        sources: row.origin.as_deref().map(source_address).into_iter().collect(),
    });
    annotation(out, &parts, (!is_exported || parts.captured.is_none()).then_some(parts.captured));
}

/// An annotation; `left_out` has the date of its capture, where that is known, if the
/// capture is not handed over or it is about something else.
fn annotation(out: &mut Statements, parts: &AnnotationParts, left_out: Option<Option<CaptureDate>>) {
    let id = match &parts.row {
        AnnotationRow::Mark(row) => mark(out, row, left_out, !parts.tags.is_empty()),
        AnnotationRow::Judgement(row) => judgement(out, row, left_out),
    };
    for (number, tag) in parts.tags.iter().enumerate() {
        let body = RdfNode::Iri(format!("{id}#tag-{number}"));
        out.about(MARKS, RdfNode::Iri(id.clone())).node("oa:hasBody", body.clone());
        out.about(MARKS, body)
            .is_a("oa:TextualBody")
            .node("oa:hasPurpose", RdfNode::Term("oa:tagging"))
            .text("rdf:value", tag);
    }
    for source in &parts.sources {
        out.about(MARKS, RdfNode::Iri(id.clone())).iri("prov:wasQuotedFrom", source);
    }
}

/// A mark or a note; says its address. One that has tags may be without a note.
fn mark(out: &mut Statements, mark: &MarkRow, left_out: Option<Option<CaptureDate>>, has_tags: bool) -> String {
    let id = mark.annotation.clone().unwrap_or_else(|| annotation_id(mark));
    let decision = match mark.mark {
        ReviewMark::Approve => Some("f:approve"),
        ReviewMark::Reject => Some("f:reject"),
        ReviewMark::Flag => Some("f:flag"),
        ReviewMark::Clear => Some("f:clear"),
        ReviewMark::Note => None,
    };
    let motive = if decision.is_some() { "oa:assessing" } else { "oa:commenting" };
    frame(out, &id, motive, (&mark.who, mark.date, mark.undone), (&mark.url, &mark.digest), left_out);
    if let Some(decision) = decision {
        out.about(MARKS, RdfNode::Iri(id.clone())).node("oa:hasBody", RdfNode::Term(decision));
    }
    if !mark.note.is_empty() || decision.is_none() && !has_tags {
        let comment = RdfNode::Iri(format!("{id}#comment"));
        out.about(MARKS, RdfNode::Iri(id.clone())).node("oa:hasBody", comment.clone());
        out.about(MARKS, comment)
            .is_a("oa:TextualBody")
            .node("oa:hasPurpose", RdfNode::Term("oa:commenting"))
            .text("rdf:value", &mark.note);
    }
    id
}

/// What a person said of a result of a search; says its address.
fn judgement(out: &mut Statements, row: &JudgementRow, left_out: Option<Option<CaptureDate>>) -> String {
    let id = judgement_id(row);
    frame(out, &id, "oa:assessing", (&row.who, row.date, row.replaced), (&row.url, &row.digest), left_out);
    let body = RdfNode::Iri(format!("{id}#judgement"));
    out.about(MARKS, RdfNode::Iri(id.clone())).node("oa:hasBody", body.clone());
    let about = out
        .about(MARKS, body)
        .is_a("oa:TextualBody")
        .is_a("f:Judgement")
        .node("oa:hasPurpose", RdfNode::Term("oa:assessing"))
        .text("rdf:value", judgement_name(row.judgement))
        .text("f:query", &row.query);
    if let Some(rank) = row.rank {
        about.count("f:rank", rank);
    }
    id
}

/// An annotation without its body: who, when, since when it holds no more, and of what URL and digest.
fn frame(
    out: &mut Statements,
    id: &str,
    motive: &'static str,
    (who, date, undone): (&str, CaptureDate, Option<CaptureDate>),
    (url, digest): (&str, &str),
    left_out: Option<Option<CaptureDate>>,
) {
    let of = |name: &str| RdfNode::Iri(format!("{id}#{name}"));
    let who = if who.trim().is_empty() { "unknown" } else { who.trim() };
    let person = RdfNode::Iri(format!("urn:fonds:person:{}", part(who)));
    let target = if left_out.is_some() { of("target") } else { RdfNode::Capture };
    let about = out
        .about(MARKS, RdfNode::Iri(id.to_owned()))
        .is_a("oa:Annotation")
        .node("oa:motivatedBy", RdfNode::Term(motive))
        .node("oa:hasTarget", target)
        .node("dct:creator", person.clone())
        .date("dct:created", date);
    if let Some(undone) = undone {
        about.date("prov:invalidatedAtTime", undone);
    }
    out.about(MARKS, person).is_a("foaf:Person").text("foaf:name", who);
    let Some(captured) = left_out else { return };
    let mut about = out
        .about(MARKS, of("target"))
        .is_a("oa:SpecificResource")
        .iri("oa:hasSource", url)
        .text("f:url", url)
        .text("f:digest", digest);
    if let Some(captured) = captured {
        about = about.node("oa:hasState", of("state"));
        drop(about);
        out.about(MARKS, of("state")).is_a("oa:TimeState").date("oa:sourceDate", captured);
    }
}

fn campaign_version(out: &mut Statements, version: u32, address: &str, file: &CampaignFile, before: Option<&String>) {
    let campaign = &file.campaign;
    let this = || RdfNode::Iri(address.to_owned());
    let of = |name: String| RdfNode::Iri(format!("{address}#{name}"));
    let mut about = out
        .about(CAMPAIGNS, this())
        .is_a("prov:Entity")
        .is_a("f:CampaignVersion")
        .count("f:version", version.into())
        .iri("prov:specializationOf", &file.identity.map(|identity| identity.urn()).unwrap_or_default())
        .text("f:digest", file.digest.as_deref().unwrap_or_default())
        .text("f:document", &format!("data/campaign/campaign.v{version}.json"))
        .text("dct:title", &campaign.name)
        .text("dct:description", &campaign.description)
        .text("dct:publisher", &campaign.owner);
    if let Some(before) = before {
        about = about.iri("prov:wasRevisionOf", before);
    }
    for tag in &campaign.tags {
        about = about.text("dct:subject", tag);
    }
    for seed in &campaign.seeds {
        about = about.iri("f:hasSeed", seed.url.trim());
    }
    drop(about);
    let mut number = 0;
    terms(&campaign.request, &mut |term| {
        number += 1;
        let node = of(format!("term-{number}"));
        out.about(CAMPAIGNS, this()).node(term_property(term.kind), node.clone());
        let mut about = out
            .about(CAMPAIGNS, node)
            .is_a("f:Term")
            .text("rdfs:label", &term.value)
            .real("f:hasScore", term.weight)
            .text("f:hasStartDate", term.from.as_deref().unwrap_or_default())
            .text("f:hasEndDate", term.to.as_deref().unwrap_or_default())
            .iri("f:hasEntityURI", term.uri.as_deref().unwrap_or_default());
        for alias in &term.aliases {
            about = about.text("f:alias", alias);
        }
    });
    for (number, sentence) in rules_of(campaign).iter().enumerate() {
        let node = of(format!("rule-{number}"));
        out.about(CAMPAIGNS, this()).node("f:hasRule", node.clone());
        out.about(CAMPAIGNS, node).is_a("f:Rule").count("f:ruleIndex", number as u64).text("rdfs:label", sentence);
    }
}

/// The records of a version with the files that prove them, and its domains and
/// countries; `stated` are the records that other versions have as well.
fn grounds_of(
    out: &mut Statements,
    address: &str,
    file: &CampaignFile,
    evidence: &ExportedEvidence,
    stated: &mut HashSet<String>,
) {
    let campaign = &file.campaign;
    let this = || RdfNode::Iri(address.to_owned());
    // One that covers nothing is none.
    for record in campaign.permissions.iter().filter(|record| !record.covers.trim().is_empty()) {
        let node = permission_address(record);
        out.about(CAMPAIGNS, this()).node("f:hasPermission", RdfNode::Iri(node.clone()));
        if stated.insert(node) {
            permission(out, record, evidence);
        }
    }
    let grounds = &campaign.grounds;
    for (node, criterion, property, of) in [
        (domains_node(address), Criterion::Domain, "f:domain", &grounds.domains),
        (hosting_node(address), Criterion::Hosting, "f:country", &grounds.countries),
    ] {
        if of.is_empty() {
            continue;
        }
        out.about(CAMPAIGNS, this()).node("f:hasGrounds", node.clone());
        let mut about = out
            .about(CAMPAIGNS, node)
            .is_a("f:Grounds")
            .text("f:state", PermissionState::Granted.as_str())
            .text("f:criterion", criterion.label());
        for each in of {
            about = about.text(property, each);
        }
    }
}

/// A record and the files that prove it.
fn permission(out: &mut Statements, record: &Permission, evidence: &ExportedEvidence) {
    let files = evidence.of_record(record);
    let file_node = |sha256: &str| RdfNode::Iri(format!("urn:fonds:evidence:{sha256}"));
    let reach = record.reach.map(|reach| serde_json::to_value(reach).unwrap_or_default());
    let mut about = out
        .about(CAMPAIGNS, permission_node(record))
        .is_a("f:Permission")
        .text("f:covers", &record.covers)
        .text("f:reach", reach.as_ref().and_then(|reach| reach.as_str()).unwrap_or_default())
        .text("f:state", record.state.as_str())
        .text("f:criterion", record.criterion.label())
        .text("dct:license", &record.licence)
        .text("f:evidence", &record.evidence)
        .text("f:established", &record.date)
        .text("f:method", &record.method)
        .text("f:validFrom", &record.from)
        .text("f:validUntil", &record.until);
    for listed in &files {
        about = about.node("f:hasEvidence", file_node(&listed.sha256));
    }
    drop(about);
    for listed in &files {
        let about = out
            .about(CAMPAIGNS, file_node(&listed.sha256))
            .is_a("f:EvidenceFile")
            .text("rdfs:label", &listed.name)
            .text("f:sha256", &listed.sha256);
        match &listed.path {
            Some(path) => about.text("f:path", path),
            None => about.text("f:missing", "It is not in this handover"),
        };
    }
}

/// The address of a record: the same for all versions, and campaigns, that have it word for word.
fn permission_address(record: &Permission) -> String {
    let content = serde_json::to_string(record).unwrap_or_default();
    format!("urn:fonds:permission:{}", data_encoding::HEXLOWER.encode(&Sha256::digest(content)))
}

fn permission_node(record: &Permission) -> RdfNode {
    RdfNode::Iri(permission_address(record))
}

/// The domains of a version of a campaign.
fn domains_node(address: &str) -> RdfNode {
    RdfNode::Iri(format!("{address}#domains"))
}

/// Its countries.
fn hosting_node(address: &str) -> RdfNode {
    RdfNode::Iri(format!("{address}#hosting"))
}

fn location_node(host: &str, location: &GeoEvidence) -> RdfNode {
    RdfNode::Iri(location_address(host, location))
}

fn location_address(host: &str, location: &GeoEvidence) -> String {
    format!("urn:fonds:location:{}.{}", part(host), location.date.to_digits17())
}

/// Where a host stands, with its addresses and the database that says so.
fn location(out: &mut Statements, host: &str, location: &GeoEvidence) {
    let address = location_address(host, location);
    let of = |number: usize| RdfNode::Iri(format!("{address}#{number}"));
    let mut about = out
        .about(FACTS, location_node(host, location))
        .is_a("f:HostLocation")
        .text("f:host", host)
        .date("prov:generatedAtTime", location.date)
        .text("f:database", if location.database.is_empty() { "unknown" } else { &location.database })
        .date("f:databaseBuilt", location.database_build)
        .text("f:source", location.source.label());
    for number in 0..location.addresses.len() {
        about = about.node("f:hasAddress", of(number));
    }
    drop(about);
    for (number, place) in location.addresses.iter().enumerate() {
        out.about(FACTS, of(number))
            .is_a("f:ServerAddress")
            .text("f:address", &place.address.to_string())
            .text("f:network", &place.network.to_string())
            .text("f:country", place.country.as_deref().unwrap_or_default());
    }
}

fn term_property(kind: TermKind) -> &'static str {
    match kind {
        TermKind::Keyword | TermKind::Phrase => "f:hasKeyword",
        TermKind::Person | TermKind::Place | TermKind::Organisation => "f:hasEntityPreference",
        TermKind::Event => "f:eventScope",
        TermKind::Language => "f:hasLanguagePreference",
        TermKind::Period => "f:hasPeriod",
    }
}

fn terms(request: &Request, each: &mut dyn FnMut(&Term)) {
    match request {
        Query::And(parts) | Query::Or(parts) => parts.iter().for_each(|part| terms(part, each)),
        Query::Not(part) => terms(part, each),
        Query::Term(term) => each(term),
    }
}

/// The rules of a campaign as sentences, or why one cannot be read.
fn rules_of(campaign: &Campaign) -> Vec<String> {
    let alone = |rule: &Value| Campaign { rules: vec![rule.clone()], ..campaign.clone() };
    let line_of = |compiled: Result<DecideRules, ScopeError>| match compiled {
        Ok(rules) => rules.lines().next().map(|(_, _, sentence, _)| sentence).unwrap_or_default(),
        Err(error) => error.why,
    };
    // Alone it is the rule that obeys refusals.
    let refusals = || line_of(DecideRules::compile(&Campaign { rules: Vec::new(), ..campaign.clone() }));
    let refusals = campaign.has_refusals().then(refusals);
    campaign.rules.iter().map(|rule| line_of(DecideRules::compile(&alone(rule)))).chain(refusals).collect()
}
