//! A handover carries its launches, every URL that they have seen, and the locations of hosts; they
//! are written and read back here.
//!
//! Read back, launches stay what they are, crawls of another workspace: see
//! [`crate::store`] on launches that came with a handover.

use super::lines::each_line;
use crate::crawl::SeenState;
use crate::jobs::{JobCx, counted};
use crate::scope::{Decision, GeoFact};
use crate::store::{HandoverLaunch, SeenVerdict, Workspace, check_launch_name};
use crate::uri::{CaptureDate, Url};
use crate::work::Report;
use crate::work::models::{CampaignId, CaptureId, LaunchId};
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use std::io::Write;
use std::path::PathBuf;

/// URLs that are read, and kept, at once.
const PAGE: usize = 10_000;

/// `data/launches.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct LaunchesDocument {
    /// Oldest first.
    launches: Vec<HandoverLaunch>,
}

/// A line of `data/hosts.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct HostLine {
    host: String,
    location: GeoFact,
}

/// A line of `data/seen.jsonl.gz`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SeenLine {
    url: String,
    date: CaptureDate,
    decision: Decision,
    rule: SeenRule,
    state: SeenState,
    status: i32,
    hops: String,
    job: String,
    launch: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    via: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    anchor: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    why: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seed: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    tag: String,
    #[serde(default, skip_serializing_if = "is_false")]
    is_seed: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    nofollow: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SeenRule {
    index: Option<u64>,
    name: String,
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_false(value: &bool) -> bool {
    !value
}

impl From<SeenVerdict> for SeenLine {
    fn from(seen: SeenVerdict) -> Self {
        let ((job, launch), (index, name)) = (seen.launch, seen.rule);
        Self {
            url: seen.url,
            date: seen.date,
            decision: if seen.accepted { Decision::Accept } else { Decision::Reject },
            rule: SeenRule { index, name },
            state: seen.state,
            status: seen.status,
            hops: seen.hops,
            job,
            launch,
            via: seen.via,
            anchor: seen.anchor,
            why: seen.why,
            seed: seen.seed,
            tag: seen.tag,
            is_seed: seen.is_seed,
            nofollow: seen.nofollow,
        }
    }
}

impl From<SeenLine> for SeenVerdict {
    fn from(line: SeenLine) -> Self {
        Self {
            url: line.url,
            launch: (line.job, line.launch),
            date: line.date,
            via: line.via,
            hops: line.hops,
            anchor: line.anchor,
            seed: line.seed,
            accepted: line.decision == Decision::Accept,
            rule: (line.rule.index, line.rule.name),
            state: line.state,
            status: line.status,
            why: line.why,
            tag: line.tag,
            is_seed: line.is_seed,
            nofollow: line.nofollow,
        }
    }
}

/// The outcome of reading the crawls of a handover back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CrawlsImport {
    /// Launches of it.
    pub launches: u64,
    /// Of these, those that were crawled here and stay as they are.
    pub own: u64,
    /// URLs that they have seen.
    pub urls: u64,
    /// Of these, those that are new here.
    pub added: u64,
}

impl CrawlsImport {
    /// Whether the handover had no crawl, so that there is nothing to report.
    pub(super) fn is_nothing(&self) -> bool {
        self.launches == 0 && self.own == 0 && self.urls == 0
    }
}

impl Report for CrawlsImport {
    fn summary(&self) -> String {
        let mut line =
            format!("{} with {} seen, {} new", counted(self.launches, "crawl"), counted(self.urls, "URL"), self.added);
        if self.own > 0 {
            line.push_str(&format!("; {} of this workspace, left as it is", counted(self.own, "crawl")));
        }
        line
    }
}

/// `data/launches.json` of a campaign.
///
/// # Errors
///
/// A catalogue that cannot be read.
pub(super) fn launches_document(workspace: &Workspace, campaign: CampaignId) -> anyhow::Result<String> {
    let document = LaunchesDocument { launches: workspace.catalogue().handover_launches(campaign)? };
    Ok(format!("{}\n", serde_json::to_string_pretty(&document)?))
}

/// Writes the locations of the hosts of captures, a line each by their names; returns how many.
///
/// # Errors
///
/// A catalogue that cannot be read, a full disk, or a stop.
pub(super) fn hosts(
    workspace: &Workspace,
    captures: &[CaptureId],
    out: &mut dyn Write,
    cx: &JobCx,
) -> anyhow::Result<u64> {
    let mut hosts = BTreeSet::new();
    for capture in captures {
        cx.checkpoint()?;
        let url = Url::parse(&workspace.catalogue().url_of_capture(*capture)?);
        hosts.extend(url.ok().and_then(|url| url.host_str().map(str::to_owned)));
    }
    let mut rows = 0;
    for host in hosts {
        let location = workspace.catalogue().known_location(&host)?;
        if location != GeoFact::NotQueried {
            serde_json::to_writer(&mut *out, &HostLine { host, location })?;
            out.write_all(b"\n")?;
            rows += 1;
        }
    }
    Ok(rows)
}

/// Every URL that the campaign's crawls have seen, with its verdict, a line each; returns how many.
///
/// # Errors
///
/// A catalogue that cannot be read, a full disk, or a stop.
pub(super) fn seen(
    workspace: &Workspace,
    campaign: CampaignId,
    out: &mut dyn Write,
    cx: &JobCx,
) -> anyhow::Result<u64> {
    let (mut rows, mut last) = (0, 0);
    loop {
        let page = workspace.catalogue().seen_verdicts(campaign, last, PAGE as u64)?;
        let Some((id, _)) = page.last() else { return Ok(rows) };
        last = *id;
        rows += page.len() as u64;
        for (_, verdict) in page {
            serde_json::to_writer(&mut *out, &SeenLine::from(verdict))?;
            out.write_all(b"\n")?;
        }
        cx.note(format!("{} seen", counted(rows, "URL")));
        cx.checkpoint()?;
    }
}

/// Reads the crawls of a handover and takes nothing in: what is no such document
/// is known before anything changes.
///
/// # Errors
///
/// The first thing that cannot be read, with file and line.
pub(in crate::work) fn check_crawls([launches, seen, hosts]: &[Option<PathBuf>; 3], cx: &JobCx) -> anyhow::Result<()> {
    read_launches(launches)?;
    each_line(seen.as_deref(), |line: SeenLine| {
        cx.checkpoint()?;
        checked(&line)
    })?;
    each_line(hosts.as_deref(), |_: HostLine| Ok(cx.checkpoint()?))
}

/// Takes the crawls of a handover in, for a campaign of this workspace; `origin`
/// is what the handover is called.
///
/// # Errors
///
/// Documents that cannot be read, a catalogue that cannot be written, or a stop.
/// A second import of the same changes nothing.
pub(in crate::work) fn import_crawls(
    workspace: &Workspace,
    campaign: CampaignId,
    [launches, seen, hosts]: &[Option<PathBuf>; 3],
    origin: &str,
    cx: &JobCx,
) -> anyhow::Result<CrawlsImport> {
    let catalogue = workspace.catalogue();
    let mut report = CrawlsImport::default();
    let mut taken: HashMap<(String, String), Option<LaunchId>> = HashMap::new();
    let mut take = |launch: HandoverLaunch, report: &mut CrawlsImport| -> anyhow::Result<Option<LaunchId>> {
        let name = (launch.job.clone(), launch.launch.clone());
        if let Some(known) = taken.get(&name) {
            return Ok(*known);
        }
        let id = catalogue.take_launch(campaign, launch, origin)?;
        report.launches += 1;
        report.own += u64::from(id.is_none());
        taken.insert(name, id);
        Ok(id)
    };
    for launch in read_launches(launches)? {
        take(launch, &mut report)?;
    }
    cx.stage("Reading URLs seen", None);
    let mut batch = Vec::with_capacity(PAGE);
    each_line(seen.as_deref(), |line: SeenLine| {
        cx.advance(1)?;
        report.urls += 1;
        // Handovers of earlier versions have no list of launches.
        let started = CaptureDate::parse(&line.launch).unwrap_or(line.date);
        let unlisted = HandoverLaunch {
            job: line.job.clone(),
            launch: line.launch.clone(),
            version: None,
            finished: true,
            started,
            ended: None,
            ran_ms: 0,
            why: String::new(),
            changes: Vec::new(),
        };
        let Some(launch) = take(unlisted, &mut report)? else { return Ok(()) };
        batch.push((launch, line.into()));
        if batch.len() == PAGE {
            report.added += catalogue.take_seen(std::mem::take(&mut batch))?;
        }
        Ok(())
    })?;
    report.added += catalogue.take_seen(batch)?;
    let mut facts = Vec::new();
    each_line(hosts.as_deref(), |line: HostLine| {
        facts.push((line.host, line.location));
        if facts.len() == PAGE {
            catalogue.take_geo_facts(std::mem::take(&mut facts), origin)?;
        }
        Ok(())
    })?;
    catalogue.take_geo_facts(facts, origin)?;
    Ok(report)
}

/// URLs are URLs, and a launch has the name of a folder: both become rows of the catalogue.
fn checked(line: &SeenLine) -> anyhow::Result<()> {
    Url::parse(&line.url).with_context(|| format!("“{}” is no URL", line.url))?;
    anyhow::ensure!(line.via.is_empty() || Url::parse(&line.via).is_ok(), "“{}” is no URL", line.via);
    Ok(check_launch_name(&line.job, &line.launch)?)
}

fn read_launches(path: &Option<PathBuf>) -> anyhow::Result<Vec<HandoverLaunch>> {
    let Some(path) = path else { return Ok(Vec::new()) };
    let document: LaunchesDocument = super::lines::document(path)?;
    for launch in &document.launches {
        check_launch_name(&launch.job, &launch.launch).with_context(|| path.display().to_string())?;
    }
    Ok(document.launches)
}
