//! A handover, out and in: selections, their export, and what leaves with one besides its records: the campaign with all its
//! versions and the evidence of its permissions, every decision of persons, and
//! every URL that was seen. `import` and `read` take in what comes back.

mod annotations;
mod capture;
pub(super) mod collections;
mod crawls;
mod decision_counts;
pub(super) mod dry_run;
mod entities;
mod evidence;
pub(super) mod export;
pub(super) mod export_check;
mod exported_evidence;
mod graph;
mod grounds;
mod import;
mod inlinks;
mod lines;
mod packed;
mod read;
mod report;
mod samples;
pub(super) mod select;
mod selection;
mod site_kinds;
mod specification;

pub use annotations::annotation;
use annotations::judgement_annotation;
pub(super) use capture::Gatherer;
pub use crawls::CrawlsImport;
use crawls::{check_crawls, import_crawls};
pub(super) use decision_counts::DecisionCounts;
pub use entities::EntitiesImport;
use entities::{check_entities, entities_document, import_entities};
pub use evidence::EvidenceImport;
use evidence::import_evidence;
pub(super) use exported_evidence::ExportedEvidence;
pub(super) use graph::SelectionGraph;
pub(super) use grounds::CaptureGrounds;
use grounds::{Ground, KnownGrounds};
pub(super) use import::Handover;
pub use import::{BadHandover, HandoverImport};
pub use inlinks::InlinksImport;
use inlinks::import_inlinks;
pub(super) use packed::PackedHandover;
pub(super) use read::attach_annotations;
pub use read::{AnnotationImport, AnnotationReach, import_annotations};
use read::{annotations_in, waiting_annotations};
pub(super) use report::MissingLookup;
pub use samples::ReviewImport;
use samples::{check_review, has_review, import_review, review_document};
pub use selection::SelectionImport;
use selection::{check_selection, import_selection};
use site_kinds::SiteKindsOf;
pub use specification::{campaign_text, specification_in, specification_syntax, write_specification};

use crate::campaign::feed::{Dialect, write_feed};
use crate::campaign::{Campaign, ReportLanguage};
use crate::export::{Attachment, RewrittenRecord, Written};
use crate::jobs::{JobCx, SpillSort};
use crate::store::{Lacking, Workspace};
use crate::uri::CaptureDate;
use crate::work::models::{Balance, CampaignId, CaptureId, SelectionSpec};
use anyhow::Context;
use report::ReportFacts;
use serde_json::{Map, Value};
use std::cell::{OnceCell, RefCell};
use std::io::{self, Write};
use std::rc::Rc;

/// Bytes of decisions that are sorted in memory.
const MAX_SORTED: usize = 16 << 20;

/// The guide to a handover for people who have nothing but the folder.
const README: &str = include_str!("../../../assets/handover/README.txt");

macro_rules! format_file {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../assets/handover/formats/", $name)))
    };
}

/// The formats of the documents of a handover, for programs of others.
const FORMATS: [(&str, &str); 15] = [
    format_file!("annotation.schema.json"),
    format_file!("campaign.schema.json"),
    format_file!("context.jsonld"),
    format_file!("entities.schema.json"),
    format_file!("host.schema.json"),
    format_file!("inlinks.schema.json"),
    format_file!("launches.schema.json"),
    format_file!("manifest.schema.json"),
    format_file!("metadata.schema.json"),
    format_file!("review.schema.json"),
    format_file!("score.schema.json"),
    format_file!("seen.schema.json"),
    format_file!("selection.schema.json"),
    format_file!("shapes.ttl"),
    format_file!("signature.schema.json"),
];

/// The campaign, selection and options of a handover.
pub(super) struct HandoverOf<'a> {
    pub workspace: &'a Workspace,
    pub id: CampaignId,
    pub version: u32,
    pub campaign: &'a Campaign,
    pub spec: &'a SelectionSpec,
    /// When the selection was made.
    pub selected_at: CaptureDate,
    /// Resources that pages lack since a person rejected them; grows while captures are written.
    pub lacking: &'a RefCell<Vec<Lacking>>,
    /// Every URL that was seen comes along.
    pub with_seen: bool,
    /// The language of the report.
    pub language: ReportLanguage,
    /// The selection in figures.
    pub balance: &'a Balance,
    /// The captures of the handover, in its order.
    pub captures: &'a [CaptureId],
    /// The files that prove permissions.
    pub evidence: &'a ExportedEvidence,
    /// The grounds of captures; they are counted while they are written.
    pub grounds: &'a CaptureGrounds<'a>,
    /// The kinds of site that captures are of.
    pub site_kinds: &'a SiteKindsOf,
    /// Persons are left out of what is known of entities.
    pub without_persons: bool,
    /// Those of them that come along because a selected page needs them.
    pub requisites: &'a [CaptureId],
    /// The lookup of resources that pages need and nobody captured.
    pub missing: MissingLookup,
}

impl<'a> HandoverOf<'a> {
    /// The attachments of the export.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub(super) fn attachments(self, cx: &'a JobCx) -> anyhow::Result<Vec<Attachment<'a>>> {
        let Self {
            workspace,
            id,
            version,
            campaign,
            spec,
            selected_at,
            lacking,
            with_seen,
            language,
            balance,
            captures,
            evidence,
            grounds,
            site_kinds,
            without_persons,
            requisites,
            missing,
        } = self;
        let missing = Rc::new(missing);
        let mut attachments = vec![Attachment::text("README.txt", README)];
        attachments.extend(FORMATS.map(|(name, text)| Attachment::text(format!("data/formats/{name}"), text)));
        for (version, of_version) in workspace.catalogue().campaign_files(id)? {
            attachments.push(Attachment::text(format!("data/campaign/campaign.v{version}.json"), of_version.to_json()));
        }
        let (entry, _) = campaign.feed_entry(&id.to_string());
        let feed = write_feed(&[entry], Dialect::Lines, &Map::new());
        attachments.push(Attachment::text("data/campaign/feed.jsonl", feed));
        attachments.extend(evidence.attachments());
        attachments.push(Attachment::new("data/decisions.jsonl", move |out, written| {
            decisions_of(workspace, Some(id), &rewritten_records(captures, written), out, cx)
        }));
        if has_review(workspace, id)? {
            attachments.push(Attachment::new("data/review.json", move |out, written| {
                let document = review_document(workspace, id, &rewritten_records(captures, written))?;
                out.write_all(document.as_bytes())?;
                Ok(1)
            }));
        }
        attachments.push(Attachment::text(
            "data/selection.json",
            selection::selection_document(workspace, id, (spec, selected_at))?,
        ));
        attachments.push(Attachment::new("data/scores.jsonl.gz", move |out, written| {
            selection::scores(workspace, id, captures, (out, written), cx)
        }));
        if let Some(document) = entities_document(workspace, without_persons)? {
            attachments.push(Attachment::text("data/entities.json", document));
        }
        attachments.push(Attachment::text("data/launches.json", crawls::launches_document(workspace, id)?));
        attachments
            .push(Attachment::new("data/hosts.jsonl", move |out, _| crawls::hosts(workspace, captures, out, cx)));
        if with_seen {
            attachments.push(Attachment::new("data/seen.jsonl.gz", move |out, _| crawls::seen(workspace, id, out, cx)));
        }
        let facts = ReportFacts {
            id,
            version,
            campaign: campaign.clone(),
            spec: spec.clone(),
            language,
            with_seen,
            balance: balance.clone(),
            requisites,
            missing,
            lacking,
            captures,
            evidence,
            grounds,
            site_kinds: site_kinds.counts(captures),
            without_persons,
        };
        let report = Rc::new(OnceCell::new());
        for (name, is_html) in [("report.html", true), ("report.md", false)] {
            let (facts, report) = (facts.clone(), report.clone());
            let write = move |out: &mut dyn Write, written: &Written<'_>| {
                if report.get().is_none() {
                    drop(report.set(report::report(workspace, &facts, written, cx)?));
                }
                let (html, markdown) = report.get().map(|(a, b): &(String, String)| (a, b)).context("no report")?;
                out.write_all(if is_html { html } else { markdown }.as_bytes())?;
                Ok(1)
            };
            attachments.push(Attachment::new(name, write).estimated());
        }
        Ok(attachments)
    }
}

/// Finds the records of captures that are named otherwise in an export.
fn rewritten_records(
    captures: &[CaptureId],
    written: &Written<'_>,
) -> impl Fn(CaptureId) -> io::Result<Option<RewrittenRecord>> {
    let mut positions: Vec<(CaptureId, usize)> = match written.rewritten.is_empty() {
        true => Vec::new(),
        false => captures.iter().enumerate().map(|(at, capture)| (*capture, at)).collect(),
    };
    positions.sort_unstable();
    move |capture| {
        let Ok(found) = positions.binary_search_by_key(&capture, |(id, _)| *id) else { return Ok(None) };
        written.rewritten.get(positions[found].1)
    }
}

/// Every decision, note and judgement as an annotation, a line each; returns how many.
///
/// # Errors
///
/// A catalogue that cannot be read, a full disk, or a stop.
pub fn decisions(
    workspace: &Workspace,
    campaign: Option<CampaignId>,
    out: &mut dyn Write,
    cx: &JobCx,
) -> anyhow::Result<u64> {
    decisions_of(workspace, campaign, &|_| Ok(None), out, cx)
}

/// Writes decisions beside an export, where records of these captures are named otherwise.
fn decisions_of(
    workspace: &Workspace,
    campaign: Option<CampaignId>,
    rewritten: &dyn Fn(CaptureId) -> io::Result<Option<RewrittenRecord>>,
    out: &mut dyn Write,
    cx: &JobCx,
) -> anyhow::Result<u64> {
    // The same in every workspace, whatever the order in which they came: by date, then by text.
    let mut lines = SpillSort::new(MAX_SORTED);
    let dated = |value: &Value, line: &str| {
        let created: String =
            value["created"].as_str().unwrap_or_default().chars().filter(|c| !c.is_control()).collect();
        format!("{created}\0{line}")
    };
    let mut push = |capture: CaptureId, mut value: Value| -> anyhow::Result<()> {
        // One of others may be about something else than the record.
        if let Some(new) = rewritten(capture)?
            && let Some(target) = value.get_mut("target").and_then(Value::as_object_mut)
            && target.contains_key("state")
        {
            if let Some(id) = new.id {
                target.insert("fonds:record".to_owned(), id.into());
            }
            if let Some(digest) = new.payload_digest {
                target.insert("fonds:digest".to_owned(), digest.into());
            }
        }
        lines.push(dated(&value, &value.to_string()))?;
        Ok(cx.checkpoint()?)
    };
    workspace.catalogue().each_mark(campaign, |mark| push(mark.capture, annotation(&mark)))?;
    workspace.catalogue().each_judgement(campaign, |row| push(row.capture, judgement_annotation(&row)))?;
    for (_, value) in waiting_annotations(workspace)? {
        lines.push(dated(&value, &value.to_string()))?;
    }
    let mut rows = 0;
    for line in lines.finish()? {
        let line = line?;
        writeln!(out, "{}", line.split_once('\0').map_or(line.as_str(), |(_, line)| line))?;
        rows += 1;
    }
    Ok(rows)
}
