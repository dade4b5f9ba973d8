//! Writes the selection out with everything known about it, and reads an
//! export back.

use super::entities::EntitiesOf;
use super::export_check::{refusal_message, refused_hosts};
use super::site_kinds::SiteKindsOf;
use super::{CaptureGrounds, ExportedEvidence, Gatherer, HandoverOf, MissingLookup, PackedHandover, SelectionGraph};
use crate::campaign::{Campaign, ReportLanguage, contact_in};
use crate::export::{
    ExportError, ExportItem, ExportOptions, FurtherKnowledge, Manifest, VerifyCheck, export_selection,
};
use crate::jobs::{InOrder, JobCx, StopError, verb};
use crate::keys::{KnownKeys, SigningKey};
use crate::store::{Access, Lacking, LinkingPages, Workspace};
use crate::uri::CaptureDate;
use crate::warc::reading_threads;
use crate::work::Report;
use crate::work::analysis::PersonalDataCheck;
use crate::work::counted;
use crate::work::links::build::{complete_inlinks, inlinks_behind};
use crate::work::models::{Balance, CaptureId, ExportRow, SelectionSpec, VerifyLine};
use anyhow::Context;
use serde::Serialize;
use serde_json::json;
use std::cell::RefCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Problems that a message lists; the report has them all.
const MAX_LISTED: usize = 3;

/// The options of an export beyond what every export has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportWishes {
    /// The archive files as a WACZ package too.
    pub wacz: bool,
    /// Every URL that the crawls have seen, with its verdict.
    pub seen: bool,
    /// The knowledge as RDF.
    pub rdf: bool,
    /// The language of the report; none is that of the campaign.
    pub language: Option<ReportLanguage>,
    /// What is known of entities, persons among them.
    pub persons: bool,
    /// Refuses to write where a selected text has personal data.
    pub refuses_personal_data: bool,
    /// Signs the manifest, and the package.
    pub signer: Option<SigningKey>,
}

impl ExportWishes {
    /// The options that are kept with a selection.
    pub fn of(spec: &SelectionSpec) -> Self {
        Self {
            wacz: spec.with_wacz,
            seen: spec.with_seen,
            rdf: spec.with_rdf,
            language: spec.report_language,
            persons: spec.with_persons,
            refuses_personal_data: spec.refuses_personal_data,
            ..Self::default()
        }
    }
}

impl Default for ExportWishes {
    fn default() -> Self {
        Self {
            wacz: false,
            seen: true,
            rdf: true,
            language: None,
            persons: true,
            refuses_personal_data: false,
            signer: None,
        }
    }
}

/// The outcome of an export.
#[derive(Debug, Clone, Serialize)]
pub struct ExportOutcome {
    /// The folder.
    pub folder: PathBuf,
    /// Captures that the selection holds.
    pub selected: u64,
    /// Captures that came along because a selected page needs them.
    pub requisites: u64,
    /// Captures of the campaign that persons rejected: none of them is in it.
    pub excluded: u64,
    /// Captures that persons approved.
    pub included: u64,
    /// Resources that pages of the export lack because a person rejected them.
    pub lacking: Vec<Lacking>,
    /// Captures written.
    pub captures: u64,
    /// Records written, metadata records among them.
    pub records: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// Linked pages in the data set.
    pub linked_pages: u64,
    /// Name of the key that signed it.
    pub signed_by: Option<String>,
    /// Captures or records that could not be carried along, and why.
    pub problems: Vec<String>,
    /// What is written otherwise than in the sources, without a loss: a line for each kind.
    pub notes: Vec<String>,
    /// Why the inlinks are not those of all captures, where the workspace could
    /// only be read.
    pub inlinks_missing: Option<String>,
    /// Why the workspace does not list this export, where it could only be read.
    pub not_listed: Option<String>,
    /// The check of selected texts for personal data, before anything was written.
    pub personal_data: PersonalDataCheck,
    /// Persons were left out of what is known of entities.
    pub without_persons: bool,
}

impl ExportOutcome {
    /// The figures of the export as text, without its problems, for those who list these beside it.
    pub fn figures(&self) -> String {
        let mut text = format!(
            "{} of {} ({} selected, {} included), {} in {}; {} excluded by hand, {} included by hand",
            counted(self.records, "record"),
            counted(self.captures, "capture"),
            self.selected,
            counted(self.requisites, "embedded resource"),
            counted(self.bytes, "byte"),
            self.folder.display(),
            self.excluded,
            self.included
        );
        if let Some(name) = &self.signed_by {
            text.push_str(&format!("; signed with the key “{name}”"));
        }
        if !self.lacking.is_empty() {
            let pages: HashSet<(&str, CaptureDate)> =
                self.lacking.iter().map(|lacking| (lacking.page.as_str(), lacking.page_date)).collect();
            text.push_str(&format!(
                "; {} {} without what was excluded: {}",
                counted(pages.len() as u64, "capture"),
                verb(pages.len() as u64, "is"),
                some_of(self.lacking.iter().map(Lacking::summary))
            ));
        }
        text.push_str(&format!("; {}", self.personal_data.summary()));
        if self.without_persons {
            text.push_str("; persons left out of what is said of entities");
        }
        for why in [&self.inlinks_missing, &self.not_listed].into_iter().flatten() {
            text.push_str("; ");
            text.push_str(why);
        }
        text
    }
}

impl Report for ExportOutcome {
    fn summary(&self) -> String {
        let mut figures = self.figures();
        if !self.notes.is_empty() {
            figures.push_str(&format!("; {}", some_of(self.notes.iter().cloned())));
        }
        match self.problems.len() as u64 {
            0 => figures,
            count => format!("{figures}; {}: {}", counted(count, "problem"), some_of(self.problems.iter().cloned())),
        }
    }
}

/// The first of some texts, and a sign that there are more.
fn some_of(texts: impl ExactSizeIterator<Item = String>) -> String {
    let more = if texts.len() > MAX_LISTED { " …" } else { "" };
    format!("{}{more}", texts.take(MAX_LISTED).collect::<Vec<_>>().join("; "))
}

/// The contents of an export, and what it leaves out, before its files.
#[derive(Debug, Default)]
pub(in crate::work) struct Gathered {
    /// Captures that the selection holds.
    pub selected: u64,
    /// Captures that come along because a selected page needs them.
    pub requisites: u64,
    /// The selection in figures.
    pub balance: Balance,
    /// Resources that pages of the export lack because a person rejected them.
    pub lacking: Vec<Lacking>,
    /// Why the inlinks are not those of all captures.
    pub inlinks_missing: Option<String>,
    /// The criterion of the selection, as text.
    pub criterion: String,
}

/// The captures of an export, one by one.
type Items<'i> = dyn Iterator<Item = Result<ExportItem, ExportError>> + 'i;

/// Writes the campaign's kept selection into a new folder. Nothing that a person rejected is in it,
/// as embedded resource, goal of a redirect or original of a revisit neither. The criteria of the
/// selection are written as they were kept; `spec` decides whether embedded resources come along.
pub fn export(
    workspace: &Workspace,
    spec: &SelectionSpec,
    out: &Path,
    wishes: ExportWishes,
    cx: &JobCx,
) -> anyhow::Result<ExportOutcome> {
    check_target(workspace, out)?;
    let signed_by = wishes.signer.as_ref().map(|key| key.name().to_owned());
    let without_persons = !wishes.persons;
    let write = |items: &mut Items<'_>, options: ExportOptions<'_>| export_selection(items, out, options, cx);
    let (report, gathered) = with_selection(workspace, spec, wishes, false, cx, write)?;
    let not_listed = workspace.if_writable(|catalogue| {
        catalogue.keep_export(&ExportRow {
            campaign: Some(spec.campaign),
            date: CaptureDate::now(),
            folder: report.folder.clone(),
            captures: report.counts.captures,
            records: report.counts.records,
            bytes: report.bytes,
            verified: None,
        })
    })?;
    let not_listed = not_listed.map(|why| format!("the workspace does not list this export, since {why}"));
    Ok(ExportOutcome {
        folder: report.folder,
        selected: gathered.selected,
        requisites: gathered.requisites,
        excluded: gathered.balance.excluded,
        included: gathered.balance.included,
        lacking: gathered.lacking,
        captures: report.counts.captures,
        records: report.counts.records,
        bytes: report.bytes,
        linked_pages: report.counts.inlink_objects,
        signed_by,
        problems: report.problems,
        notes: report.notes,
        inlinks_missing: gathered.inlinks_missing,
        not_listed,
        personal_data: PersonalDataCheck::default(),
        without_persons,
    })
}

/// Says why a folder cannot take an export, before the work.
pub(in crate::work) fn check_target(workspace: &Workspace, out: &Path) -> anyhow::Result<()> {
    workspace.own_folder(std::path::absolute(out)?)?;
    anyhow::ensure!(!out.is_file(), "{}: this is a file. Name a folder that is empty or does not exist", out.display());
    anyhow::ensure!(
        std::fs::read_dir(out).map_or(true, |mut entries| entries.next().is_none()),
        "{}: the folder is not empty; name one that is empty or does not exist",
        out.display()
    );
    Ok(())
}

/// Gathers what leaves with the campaign's kept selection and gives it to
/// `write`. A dry run changes nothing in the workspace: neither are inlinks
/// completed nor is it noted what comes along.
pub(in crate::work) fn with_selection<R>(
    workspace: &Workspace,
    spec: &SelectionSpec,
    wishes: ExportWishes,
    is_dry: bool,
    cx: &JobCx,
    write: impl FnOnce(&mut Items<'_>, ExportOptions<'_>) -> Result<R, ExportError>,
) -> anyhow::Result<(R, Gathered)> {
    let catalogue = workspace.catalogue();
    let (version, campaign) = catalogue.campaign(spec.campaign)?;
    let Some((kept, selected_at)) = catalogue.kept_selection(spec.campaign)? else {
        anyhow::bail!("campaign {} has no selection yet. Score and select first, then export", spec.campaign);
    };
    // Options of a single command are not remembered.
    let spec = &SelectionSpec { with_requisites: spec.with_requisites, ..kept.with_parts_of(spec) };
    let selected = catalogue.selected(spec.campaign, cx)?;
    anyhow::ensure!(
        !selected.is_empty(),
        "the selection is empty. Lower the threshold or approve captures, then export again"
    );
    cx.stage("Finding embedded resources", None);
    let needed = catalogue.find_requisites(spec.campaign, spec.with_requisites, cx)?;
    if !is_dry {
        workspace.if_writable(|catalogue| {
            catalogue.remember_export_parts(spec)?;
            catalogue.keep_requisites(spec.campaign, spec.with_requisites, needed.clone())
        })?;
    }
    // What is selected, and behind it what comes along: there may be millions.
    let selected_count = selected.len();
    let mut captures = selected;
    captures.reserve_exact(needed.len());
    captures.extend(needed);
    let captures = &captures[..];
    let needed = &captures[selected_count..];
    let refused = refused_hosts(workspace, &campaign, || Ok(captures), cx)?;
    let refused = (campaign.grounds.obey_refusals && !refused.is_empty()).then(|| refusal_message(&refused));
    if let Some(why) = refused.as_ref().filter(|_| !is_dry) {
        anyhow::bail!("{why}");
    }

    let inlinks_missing = if is_dry { inlinks_behind(workspace)? } else { complete_inlinks(workspace, cx)? };
    let built = catalogue.inlink_build()?.map(|(date, _)| date);

    let lacking = RefCell::new(if spec.with_requisites { catalogue.lacking(spec.campaign)? } else { Vec::new() });
    let evidence = ExportedEvidence::of_campaign(workspace, spec.campaign, cx)?;
    let grounds = CaptureGrounds::new(workspace, &campaign, &evidence);
    let site_kinds = SiteKindsOf::new(workspace)?;
    let entities = EntitiesOf::new(workspace, spec.campaign, !wishes.persons)?;
    let graph = SelectionGraph::new(workspace, spec, version, selected_at, &evidence, &entities)?;
    let of_campaign = json!({ "id": spec.campaign, "name": campaign.name, "version": version, "tags": campaign.tags });
    let gatherer = Gatherer {
        workspace,
        spec,
        campaign: of_campaign,
        built,
        graph: wishes.rdf.then_some(&graph),
        grounds: &grounds,
        sources: LinkingPages::default(),
        site_kinds: &site_kinds,
        entities: &entities,
    };
    let gather = |(position, id): (usize, CaptureId)| gatherer.item(id, position < selected_count);

    // The scores behind it are as many as the captures of the campaign: they do not stay.
    let balance = catalogue.selection_page(spec.campaign)?.balance;
    let mut options = ExportOptions::new(&campaign.name);
    options.title = campaign.name.clone();
    options.info = vec![
        ("isPartOf".to_owned(), campaign.name.clone()),
        (
            "description".to_owned(),
            format!(
                "Selection of campaign version {version}: {}; {} included by hand, {} excluded by hand",
                spec.criterion(),
                balance.included,
                balance.excluded
            ),
        ),
        ("operator".to_owned(), operator_of(&campaign)),
    ];
    if !campaign.politeness.user_agent.is_empty() {
        options.info.push(("http-header-user-agent".to_owned(), campaign.politeness.user_agent.clone()));
    }
    let selection = || {
        json!({
            "campaign": spec.campaign,
            "campaignName": campaign.name,
            "campaignVersion": version,
            "threshold": spec.filter.trim().is_empty().then_some(spec.threshold),
            "filter": (!spec.filter.trim().is_empty()).then_some(spec.filter.trim()),
            "weights": spec.weights,
            "collections": spec.collections,
            "windowDays": spec.window_days,
            "embeddedResources": spec.with_requisites,
            "selected": selected_count,
            "includedByHand": balance.included,
            "excludedByHand": balance.excluded,
            "inlinksBuilt": built.map(CaptureDate::to_warc),
            "lacking": *lacking.borrow(),
        })
    };
    options.selection = Some(Box::new(selection));
    let further: FurtherKnowledge<'_> = Box::new(|left_out, state| {
        let is_in = |(position, _): &(usize, &CaptureId)| left_out.binary_search(position).is_err();
        let mut exported: Vec<CaptureId> = captures.iter().enumerate().filter(is_in).map(|(_, id)| *id).collect();
        exported.sort_unstable();
        graph.beyond_captures(&exported, state, cx)
    });
    options.further_knowledge = wishes.rdf.then_some(further);
    options.expected = Some((captures.len() as u64, catalogue.record_bytes(captures)?));
    options.problems.clone_from(&evidence.problems);
    options.problems.extend(refused);
    options.wacz = wishes.wacz;
    options.signer = wishes.signer;
    // An export builds them where it can.
    options.inlinks = built.is_some() || (is_dry && *workspace.access() == Access::Write);
    let (missing, lookup_missing) = MissingLookup::new(workspace, spec.campaign, needed, captures, cx);
    options.attachments = HandoverOf {
        workspace,
        id: spec.campaign,
        version,
        campaign: &campaign,
        spec,
        selected_at,
        lacking: &lacking,
        with_seen: wishes.seen,
        language: wishes.language.or(campaign.report_language).unwrap_or_default(),
        balance: &balance,
        captures,
        evidence: &evidence,
        grounds: &grounds,
        site_kinds: &site_kinds,
        without_persons: !wishes.persons,
        requisites: needed,
        missing,
    }
    .attachments(cx)?;
    let written = std::thread::scope(|scope| {
        scope.spawn(lookup_missing);
        let gathered = InOrder::start(scope, reading_threads(), &gather).each(captures.iter().copied().enumerate());
        let mut items = gathered.map(|gathered| {
            let (item, lacks) = gathered.map_err(ExportError::Unread)?;
            lacking.borrow_mut().extend(lacks);
            Ok(item)
        });
        write(&mut items, options)
    })?;
    let gathered = Gathered {
        selected: selected_count as u64,
        requisites: needed.len() as u64,
        balance,
        lacking: lacking.take(),
        inlinks_missing,
        criterion: spec.criterion(),
    };
    Ok((written, gathered))
}

/// The operator of an export and their contact, as WARC's `operator` field has them: the campaign's
/// owner, else who works here, and the contact that the user agent names.
fn operator_of(campaign: &Campaign) -> String {
    let who = match campaign.owner.trim() {
        "" => crate::work::operator(),
        owner => owner.to_owned(),
    };
    match contact_in(&campaign.politeness.user_agent) {
        Some(contact) if !who.contains(contact) => format!("{who} <{contact}>"),
        _ => who,
    }
}

/// Names of the keys with which the person at the keyboard signs.
pub fn own_keys() -> anyhow::Result<Vec<String>> {
    let known = KnownKeys::load()?;
    Ok(known.all().iter().filter(|key| key.own).map(|key| key.name.clone()).collect())
}

/// Reads an export back, one line a check, with its signer by the list of keys that the person at
/// the keyboard vouches for.
pub fn verify(folder: &Path, cx: &JobCx) -> anyhow::Result<Vec<VerifyLine>> {
    verify_with(folder, &KnownKeys::load()?, cx)
}

/// Reads an export back with a list of known keys.
pub fn verify_with(path: &Path, known: &KnownKeys, cx: &JobCx) -> anyhow::Result<Vec<VerifyLine>> {
    if !path.is_file() {
        return verify_folder(path, known, cx);
    }
    let unpacked = |ok: bool, detail: String| VerifyLine {
        what: "The file can be unpacked".to_owned(),
        ok,
        detail,
        ..VerifyLine::default()
    };
    let failed = |error: anyhow::Error| match error.is_cancelled() {
        true => Err(error),
        false => Ok(vec![unpacked(false, crate::work::error_chain(&error))]),
    };
    let packed = match PackedHandover::open(path, cx) {
        Ok(Some(packed)) => packed,
        Ok(None) => {
            let why = "it is a file, and no zip or tar that a handover was packed as. Unpack it and name its folder";
            return Err(ExportError::NotAnExport { folder: path.to_owned(), why: why.to_owned() }.into());
        }
        Err(error) => return failed(error),
    };
    let folder = tempfile::tempdir().context("no folder to unpack the file into (TMPDIR names one)")?;
    if let Err(error) = packed.unpack_into(folder.path(), cx) {
        return failed(error);
    }
    let mut lines = vec![unpacked(true, "it was read as the folder that it unpacks to".to_owned())];
    lines.extend(verify_folder(folder.path(), known, cx)?);
    Ok(lines)
}

fn verify_folder(folder: &Path, known: &KnownKeys, cx: &JobCx) -> anyhow::Result<Vec<VerifyLine>> {
    let mut by_manifest: Option<String> = None;
    let mut lines = Vec::new();
    for VerifyCheck { what, ok, detail, signer } in crate::export::verify(folder, cx)? {
        let Some(key) = signer else {
            lines.push(VerifyLine { what, ok, detail, ..VerifyLine::default() });
            continue;
        };
        let holder = known.holder_of(&key).map(|known| known.name.clone());
        // Whoever vouches for the key of the manifest vouches for what that names.
        let through = by_manifest.clone().filter(|_| holder.is_none());
        let through = match through {
            Some(name) if Manifest::read(folder)?.signed_with.contains(&key.to_string()) => Some(name),
            _ => None,
        };
        let detail = match (&holder, &through) {
            (Some(name), _) => format!("signed by {name}; {detail}"),
            (None, Some(name)) => format!("signed by {name}, whose manifest names the key; {detail}"),
            (None, None) => format!(
                "it holds, and nobody vouches for the key: anybody can make one. Ask the signer by another way whether \
                 it is theirs, then: fonds key trust {key} --name WHO; {detail}"
            ),
        };
        by_manifest = by_manifest.or_else(|| holder.clone());
        let signed_by = holder.or(through);
        lines.push(VerifyLine { what, ok: signed_by.is_some(), unvouched: signed_by.is_none(), signed_by, detail });
    }
    Ok(lines)
}
