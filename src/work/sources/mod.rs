//! Sources of a campaign are read, tried and listed; what they name waits for the next launch.
//!
//! A run writes each answer to a WARC file before it keeps the pages of that answer, and keeps how far the source was
//! read after all its pages. So a run that was killed is begun again where the last whole one ended, and finds the pages
//! that it kept known. The files of a run are imported at its end, or by the next run.

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod protocol_tests;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod wire;

use crate::campaign::{Campaign, CampaignSource, Request, SourceKind};
use crate::crawl::check_user_agent;
use crate::exchange::{Archive, Client, FetchLimits, Intake, SystemResolver, private_address};
use crate::jobs::{JobCx, StopError, counted};
use crate::keys::Keychain;
use crate::sources::{
    ApiAnswer, ApiRequest, QueryOutcome, Refusal, RunLimits, SourceExchanges, SourceItem, SourceQuery, SourceRun,
    adapter_of, queries_of, recognise, run_query,
};
use crate::store::{NamedPage, SourceRunEnd, SourceState};
use crate::uri::{CaptureDate, Url};
use crate::warc::{FileSetOptions, OPEN_SUFFIX, repair_open_file};
use crate::work::models::{CampaignChoice, CampaignId, ImportOptions};
use crate::work::{Report, Session};
use anyhow::Context;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use wire::{AnswerArchive, SourceWire};

/// The folder of the answers of sources, beside those of crawls.
const ANSWERS: &str = "source-answers";
/// The time till a source that failed is tried again, where that is less than its interval.
const AFTER_FAILURE_MS: i64 = 3_600_000;
/// The longest time till the next run, whatever a source requests: a month.
const MAX_PAUSE: Duration = Duration::from_secs(31 * 86_400);
/// Items that a test lists.
const MAX_TESTED: usize = 1_000;

/// A source of a campaign with what is kept of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SourceRow {
    /// The source, as the campaign has it.
    #[serde(flatten)]
    pub source: CampaignSource,
    /// What is kept of it.
    #[serde(flatten)]
    pub state: SourceState,
    /// What it is searched for, those made of the request too; an empty text is all that is new.
    pub searches: Vec<String>,
    /// When it was read last, ISO 8601.
    pub last_run: Option<String>,
    /// When launches read it again; none where they do not.
    pub next_run: Option<String>,
}

/// The outcome of a run of one source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SourceOutcome {
    /// The source.
    pub name: String,
    /// Requests that were answered.
    pub requests: u64,
    /// Pages of all answers.
    pub pages: u64,
    /// Those that wait for the next launch since now.
    pub new: u64,
    /// Items without an address that can be fetched.
    pub left_out: u64,
    /// Why it was not read to its end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<String>,
    /// Remarks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl SourceOutcome {
    /// The outcome in one sentence.
    pub fn summary(&self) -> String {
        let mut text = format!(
            "source “{}”: {} of {} new, by {}",
            self.name,
            self.new,
            counted(self.pages, "page"),
            counted(self.requests, "request")
        );
        if self.left_out > 0 {
            text.push_str(&format!(", {} without an address of the web", counted(self.left_out, "entry")));
        }
        for part in self.failures.iter().chain(&self.notes) {
            text.push_str("; ");
            text.push_str(part);
        }
        text
    }
}

/// The outcome of a run of sources.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SourcesOutcome {
    /// Each source that was read.
    pub sources: Vec<SourceOutcome>,
}

impl Report for SourcesOutcome {
    fn summary(&self) -> String {
        match self.sources.as_slice() {
            [] => "no source is due".to_owned(),
            sources => sources.iter().map(SourceOutcome::summary).collect::<Vec<_>>().join(". "),
        }
    }
}

impl SourcesOutcome {
    /// Whether all of them were read to their end.
    pub fn is_whole(&self) -> bool {
        self.sources.iter().all(|source| source.failures.is_empty())
    }
}

/// The sources of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceChoice {
    /// Those that are switched on and due.
    Due,
    /// All that are switched on.
    All,
    /// One, by its name.
    Named(String),
}

/// One page of a source, tried out: nothing of it is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SourceTest {
    /// The first request of each query: what is searched for, and the address.
    pub requests: Vec<(String, String)>,
    /// Pages that would go into the queue: address, title.
    pub pages: Vec<(String, String)>,
    /// Items without an address that can be fetched.
    pub left_out: u64,
    /// Why there are none.
    pub failure: Option<String>,
    /// Remarks.
    pub notes: Vec<String>,
}

impl Report for SourceTest {
    fn summary(&self) -> String {
        match &self.failure {
            Some(why) => why.clone(),
            None => {
                format!("{} on the first page of answers; nothing was kept", counted(self.pages.len() as u64, "page"))
            }
        }
    }
}

/// The first request of a query to a source, before it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedRequest {
    /// What is searched for; empty: all that is new.
    pub text: String,
    /// Its address, or why there is none.
    pub address: Result<String, String>,
}

/// The first requests of the next run of a source; `marks` has how far each query was read.
pub fn planned_requests(
    source: &CampaignSource,
    request: &Request,
    marks: &BTreeMap<String, String>,
) -> Vec<PlannedRequest> {
    let adapter = adapter_of(source.kind);
    let plan = |query: SourceQuery| {
        let first = adapter.first(source, &query, marks.get(&query.text).map(String::as_str));
        PlannedRequest { address: first.map(|first| first.url.to_string()), text: query.text }
    };
    queries_of(source, request).into_iter().map(plan).collect()
}

/// How far a source was read, by a mark of it, for people; empty where that says nothing.
pub fn mark_text(mark: &str) -> String {
    let (place, validators) = mark.split_at(mark.find('{').unwrap_or(mark.len()));
    let (date, entry) = place.trim().split_once(' ').unwrap_or((place.trim(), ""));
    let date = CaptureDate::parse(date).map_or_else(|_| date.to_owned(), |date| format!("{} UTC", date.to_readable()));
    let validators: serde_json::Value = serde_json::from_str(validators).unwrap_or_default();
    let of_server = |name: &str, label: &str| Some(format!("{label} {}", validators[name].as_str()?));
    let parts = [
        Some(date).filter(|date| !date.is_empty()),
        Some(format!("entry {entry}")).filter(|_| !entry.is_empty()),
        of_server("etag", "the server's version"),
        of_server("modified", "changed"),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The name of a token in the system's keychain.
pub fn token_name(source: &CampaignSource) -> String {
    let origin = source.url().map(|url| url.origin().ascii_serialization()).unwrap_or_default();
    format!("source {} {origin}", source.name)
}

fn token_of(source: &CampaignSource, keychain: &dyn Keychain) -> anyhow::Result<Option<String>> {
    if !source.token {
        return Ok(None);
    }
    let token = keychain.secret(&token_name(source))?;
    let missing = "its token is not in the system's keychain; put it there with: fonds sources token DIR CAMPAIGN NAME";
    Ok(Some(token.with_context(|| format!("source “{}”: {missing}", source.name))?))
}

/// The sources of a campaign.
pub fn sources(session: &Session, id: CampaignId) -> anyhow::Result<Vec<SourceRow>> {
    let (_, campaign) = session.catalogue().campaign(id)?;
    let row = |source: &CampaignSource| {
        let state = session.catalogue().source_state(id, source)?;
        let runs = source.enabled && !state.is_gone;
        let next = runs.then(|| state.next_run.unwrap_or_else(CaptureDate::now).to_warc());
        Ok(SourceRow {
            searches: queries_of(source, &campaign.request).into_iter().map(|query| query.text).collect(),
            last_run: state.last_run.map(CaptureDate::to_warc),
            next_run: next,
            source: source.clone(),
            state,
        })
    };
    campaign.sources.iter().map(row).collect()
}

/// The source of this name.
pub fn named_source(campaign: &Campaign, name: &str) -> anyhow::Result<CampaignSource> {
    campaign.sources.iter().find(|source| source.name == name).cloned().with_context(|| {
        let names: Vec<&str> = campaign.sources.iter().map(|source| source.name.as_str()).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        format!("the campaign has no source “{name}”; it has: {names}")
    })
}

/// Adds a source as a new version of the campaign; in the place of one of its name.
pub fn add_source(session: &Session, id: CampaignId, source: CampaignSource) -> anyhow::Result<u32> {
    let (_, mut campaign) = session.catalogue().campaign(id)?;
    match campaign.sources.iter_mut().find(|old| old.name == source.name) {
        Some(old) => *old = source,
        None => campaign.sources.push(source),
    }
    let problems: Vec<String> = campaign
        .problems()
        .into_iter()
        .filter(|problem| problem.field.starts_with("sources"))
        .map(|problem| problem.to_string())
        .collect();
    anyhow::ensure!(problems.is_empty(), "{}", problems.join("; "));
    Ok(session.save_campaign(Some(id), &campaign)?.1)
}

/// Finds out what kind of source an address leads to: kind, address of its interface, evidence. The campaign
/// may have edits that are not saved, or have no number yet.
pub fn recognise_source(
    session: &Session,
    id: Option<CampaignId>,
    campaign: &Campaign,
    address: &Url,
    cx: &JobCx,
) -> anyhow::Result<Vec<(SourceKind, Url, String)>> {
    check_may_request(session, id, campaign)?;
    let client = client(session, campaign, cx)?;
    let mut wire = SourceWire::new(campaign, &client, None, cx);
    let source = CampaignSource::new("x", SourceKind::Feed, address.as_str());
    match wire.fetch(&source, None, &ApiRequest::new(address.clone()))? {
        Ok(answer) => {
            Ok(recognise(&answer).into_iter().map(|found| (found.kind, found.address, found.evidence)).collect())
        }
        Err(Refusal::Failed(why) | Refusal::Gone(why) | Refusal::Wait(_, why)) => anyhow::bail!("{why}"),
        Err(Refusal::BeyondEnd) => Ok(Vec::new()),
    }
}

/// Whether requests may be sent for a campaign: one that came from others waits until somebody here lets it run.
fn check_may_request(session: &Session, id: Option<CampaignId>, campaign: &Campaign) -> anyhow::Result<()> {
    id.map_or(Ok(()), |id| super::launch::crawl::check_activated(session, id, campaign))
}

fn client(session: &Session, campaign: &Campaign, cx: &JobCx) -> anyhow::Result<Client> {
    check_user_agent(&campaign.politeness.user_agent)?;
    let resolver = Arc::new(SystemResolver::start()?);
    let folder = session.workspace.folder().to_owned();
    let politeness = &campaign.politeness;
    let client = Client::new(resolver, &politeness.user_agent, FetchLimits::of(&campaign.limits), folder);
    Ok(client
        .map_err(anyhow::Error::msg)?
        .with_overrides(session.overrides())
        .allowing_private(politeness.allow_private_addresses.clone())
        .cancelled_by(cx))
}

/// Reads one page of a source and keeps nothing. The campaign may have edits that are not saved, or have no number yet.
pub fn test_source(
    session: &Session,
    id: Option<CampaignId>,
    campaign: &Campaign,
    source: &CampaignSource,
    keychain: &dyn Keychain,
    cx: &JobCx,
) -> anyhow::Result<SourceTest> {
    check_may_request(session, id, campaign)?;
    let token = token_of(source, keychain)?;
    let client = client(session, campaign, cx)?;
    let mut wire = SourceWire::new(campaign, &client, None, cx);
    let adapter = adapter_of(source.kind);
    let queries = queries_of(source, &campaign.request);
    let mut test = SourceTest::default();
    for planned in planned_requests(source, &campaign.request, &BTreeMap::new()) {
        match planned.address {
            Ok(address) => test.requests.push((planned.text, address)),
            Err(why) => test.failure = Some(why),
        }
    }
    let Some(query) = queries.first().filter(|_| test.failure.is_none()) else { return Ok(test) };
    let kept = Kept::Listed(Vec::new());
    let mut exchanges = Reading { wire: &mut wire, campaign, source, token, kept, private: 0 };
    let run = SourceRun { source, adapter, query, mark: None };
    let mut limits = RunLimits { requests: 1, waiting: Duration::ZERO, ..RunLimits::default() };
    let outcome = run_query(&run, &mut limits, &mut exchanges)?;
    if let Kept::Listed(pages) = exchanges.kept {
        test.pages = pages.into_iter().map(|page| (page.url, page.title)).take(MAX_TESTED).collect();
    }
    (test.left_out, test.failure) = (outcome.left_out, outcome.failure);
    // That there is more is no remark of a test.
    test.notes = outcome.notes.into_iter().filter(|_| !outcome.is_limited).collect();
    test.notes.extend(private_note(exchanges.private));
    Ok(test)
}

fn private_note(pages: u64) -> Option<String> {
    (pages > 0).then(|| format!("{} with private addresses, which the campaign does not allow", counted(pages, "page")))
}

/// Reads sources of a campaign.
///
/// # Errors
///
/// A campaign that nobody here let run yet, a stop, a disk or a catalogue that takes nothing. What a server does wrong is in
/// the outcome.
pub fn run_sources(
    session: &Session,
    id: CampaignId,
    choice: &SourceChoice,
    keychain: &dyn Keychain,
    cx: &JobCx,
) -> anyhow::Result<SourcesOutcome> {
    let (_, campaign) = session.catalogue().campaign(id)?;
    let chosen = chosen(session, id, &campaign, choice)?;
    if chosen.is_empty() {
        return Ok(SourcesOutcome::default());
    }
    super::launch::crawl::check_activated(session, id, &campaign)?;
    let _guard = session.lock_sources(cx)?;
    import_answers(session, id, cx)?;
    let client = client(session, &campaign, cx)?;
    let folder = session.workspace.warc_folder(ANSWERS, &free_name(session)?)?;
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let archive = Archive::new(file_options(&folder, &campaign), &session.workspace.stored_name(&folder));
    let result = {
        let product = crate::crawl::product_name(&campaign.politeness.user_agent);
        let intake = Intake::new(&archive, &product, cx);
        let mut wire =
            SourceWire::new(&campaign, &client, Some(AnswerArchive { archive: &archive, intake: &intake }), cx);
        let mut outcome = SourcesOutcome::default();
        let mut read = || -> anyhow::Result<()> {
            for source in &chosen {
                cx.stage(format!("Reading the source “{}”", source.name), None);
                outcome.sources.push(run_source(session, id, &campaign, source, &mut wire, keychain)?);
            }
            Ok(())
        };
        read().map(|()| outcome)
    };
    let files = archive.close()?;
    if files.is_empty() {
        // Nothing was answered.
        let _ = std::fs::remove_dir(&folder);
    }
    let outcome = result?;
    import_answers(session, id, cx)?;
    Ok(outcome)
}

/// The sources that a choice means, in the order of the campaign.
fn chosen(
    session: &Session,
    id: CampaignId,
    campaign: &Campaign,
    choice: &SourceChoice,
) -> anyhow::Result<Vec<CampaignSource>> {
    if let SourceChoice::Named(name) = choice {
        return Ok(vec![named_source(campaign, name)?]);
    }
    let now = CaptureDate::now();
    let mut chosen = Vec::new();
    for source in campaign.sources.iter().filter(|source| source.enabled) {
        let state = session.catalogue().source_state(id, source)?;
        let is_due = state.next_run.is_none_or(|next| next <= now);
        if !state.is_gone && (is_due || *choice == SourceChoice::All) {
            chosen.push(source.clone());
        }
    }
    Ok(chosen)
}

fn run_source(
    session: &Session,
    id: CampaignId,
    campaign: &Campaign,
    source: &CampaignSource,
    wire: &mut SourceWire<'_>,
    keychain: &dyn Keychain,
) -> anyhow::Result<SourceOutcome> {
    let state = session.catalogue().source_state(id, source)?;
    let mut outcome = SourceOutcome { name: source.name.clone(), ..SourceOutcome::default() };
    let mut marks = state.marks;
    let (mut pause, mut is_gone) = (None, false);
    match token_of(source, keychain) {
        Err(error) => outcome.failures.push(crate::work::error_chain(&error)),
        Ok(token) => {
            let mut limits = RunLimits::default();
            let queries = queries_of(source, &campaign.request);
            let kept = Kept::InCatalogue(session, id);
            let mut exchanges = Reading { wire, campaign, source, token, kept, private: 0 };
            for query in &queries {
                let mark = marks.get(&query.text).cloned();
                let run = SourceRun { source, adapter: adapter_of(source.kind), query, mark: mark.as_deref() };
                let read = run_query(&run, &mut limits, &mut exchanges)?;
                if let Some(mark) = &read.mark {
                    marks.insert(query.text.clone(), mark.clone());
                }
                pause = pause.max(read.pause);
                is_gone |= read.is_gone;
                let ends = read.is_gone || read.pause.is_some() && read.failure.is_some();
                outcome.add(read);
                if ends {
                    break;
                }
            }
            // Queries that are no more are forgotten.
            marks.retain(|text, _| queries.iter().any(|query| query.text == *text));
            outcome.notes.extend(private_note(exchanges.private));
        }
    }
    let now = CaptureDate::now();
    let mut wait_ms = i64::from(source.every_hours).saturating_mul(3_600_000);
    if !outcome.failures.is_empty() {
        wait_ms = wait_ms.min(AFTER_FAILURE_MS);
    }
    let requested = pause.map_or(0, |pause| i64::try_from(pause.min(MAX_PAUSE).as_millis()).unwrap_or(0));
    let next_run = CaptureDate::from_millis(now.millis() + wait_ms.max(requested));
    let end = SourceRunEnd {
        marks,
        date: now,
        next_run,
        outcome: outcome.summary(),
        has_failed: !outcome.failures.is_empty(),
        is_gone,
    };
    session.catalogue().keep_source_run(id, source, end)?;
    Ok(outcome)
}

impl SourceOutcome {
    fn add(&mut self, read: QueryOutcome) {
        self.requests += read.requests;
        self.pages += read.items;
        self.new += read.new;
        self.left_out += read.left_out;
        self.failures.extend(read.failure.into_iter().filter(|why| !self.failures.contains(why)).collect::<Vec<_>>());
        self.notes.extend(read.notes.into_iter().filter(|note| !self.notes.contains(note)).collect::<Vec<_>>());
    }
}

/// A source that is read.
struct Reading<'a, 'w> {
    wire: &'a mut SourceWire<'w>,
    campaign: &'a Campaign,
    source: &'a CampaignSource,
    token: Option<String>,
    kept: Kept<'a>,
    /// Pages with private addresses, which are not kept.
    private: u64,
}

/// Where pages that a source names go.
enum Kept<'a> {
    /// Into the catalogue.
    InCatalogue(&'a Session, CampaignId),
    /// Into a list.
    Listed(Vec<NamedPage>),
}

impl SourceExchanges for Reading<'_, '_> {
    type Error = anyhow::Error;

    fn fetch(&mut self, request: &ApiRequest) -> anyhow::Result<Result<ApiAnswer, Refusal>> {
        self.wire.fetch(self.source, self.token.as_deref(), request)
    }

    fn keep(&mut self, items: &[SourceItem], via: &Url) -> anyhow::Result<u64> {
        let mut pages = Vec::new();
        for item in items {
            if self.is_private(&item.url) {
                self.private += 1;
                continue;
            }
            let page = |url: &Url, within: Option<String>| NamedPage {
                url: url.to_string(),
                state: if within.is_none() { item.version.clone() } else { String::new() },
                title: if within.is_none() { item.title.clone() } else { String::new() },
                via: via.to_string(),
                within,
            };
            pages.push(page(&item.url, None));
            let links = item.links.iter().filter(|link| !self.is_private(link));
            pages.extend(links.map(|link| page(link, Some(item.url.to_string()))));
        }
        match &mut self.kept {
            Kept::InCatalogue(session, id) => Ok(session.catalogue().keep_named_pages(*id, self.source, pages)?),
            Kept::Listed(listed) => {
                let count = pages.len() as u64;
                listed.extend(pages);
                Ok(count)
            }
        }
    }

    fn wait(&mut self, time: Duration, _: &str) -> anyhow::Result<()> {
        self.wire.wait(time)
    }
}

impl Reading<'_, '_> {
    /// Whether a URL names an address that the crawl would refuse. Names of hosts are resolved when they are fetched.
    fn is_private(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']').parse().ok();
        address.is_some_and(|ip| {
            private_address(ip).is_some() && !self.campaign.politeness.allow_private_addresses.allows(host, ip)
        })
    }
}

fn file_options(folder: &Path, campaign: &Campaign) -> FileSetOptions {
    let mut options = FileSetOptions::new(folder, "sources");
    let info = [
        ("software", concat!("Fonds/", env!("CARGO_PKG_VERSION")).to_owned()),
        ("format", "WARC File Format 1.1".to_owned()),
        ("conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/".to_owned()),
        ("operator", crate::work::operator()),
        ("isPartOf", ANSWERS.to_owned()),
        (
            "description",
            format!("Answers of the sources of {}; fields Authorization of requests are left out", campaign.name),
        ),
        ("http-header-user-agent", campaign.politeness.user_agent.clone()),
    ];
    options.info =
        info.into_iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| (name.to_owned(), value)).collect();
    options
}

/// The name of the folder of a run that no other run has: a second, as of launches.
fn free_name(session: &Session) -> anyhow::Result<String> {
    let mut date = CaptureDate::now();
    while session.workspace.warc_folder(ANSWERS, &date.to_digits14())?.exists() {
        date = CaptureDate::from_millis(date.millis() + 1000);
    }
    Ok(date.to_digits14())
}

/// Brings the answers that are in files and not in the catalogue into it, also those of a run that was killed.
fn import_answers(session: &Session, id: CampaignId, cx: &JobCx) -> anyhow::Result<()> {
    let folder = session.workspace.job_folder(ANSWERS)?;
    let mut files = Vec::new();
    for run in entries(&folder) {
        for file in entries(&run) {
            let Some(name) = file.file_name().and_then(|name| name.to_str()) else { continue };
            let file = match name.strip_suffix(OPEN_SUFFIX) {
                Some(closed) => match repair_open_file(&file) {
                    Ok(_) => file.with_file_name(closed),
                    Err(error) => {
                        tracing::warn!("answers of a source stay in a file that was left open: {error}");
                        continue;
                    }
                },
                None => file,
            };
            let is_archive = crate::work::import::is_archive_name(&file) && file.is_file();
            if is_archive && session.catalogue().file_called(&session.workspace.stored_name(&file))?.is_none() {
                files.push(file);
            }
        }
    }
    if files.is_empty() {
        return Ok(());
    }
    let _guard = session.lock_imports(cx)?;
    let options = ImportOptions { copy: false, follow_links: false, campaign: CampaignChoice::Of(id) };
    crate::work::import::import(&session.workspace, &files, options, cx)?;
    Ok(())
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Reads the sources that are due before a launch; what each brought, or why none could be read.
///
/// # Errors
///
/// A stop by a person.
pub(in crate::work) fn read_due_sources(
    session: &Session,
    id: CampaignId,
    keychain: &dyn Keychain,
    cx: &JobCx,
) -> anyhow::Result<Vec<String>> {
    match run_sources(session, id, &SourceChoice::Due, keychain, cx) {
        Ok(outcome) => Ok(outcome.sources.iter().map(SourceOutcome::summary).collect()),
        Err(error) if error.is_cancelled() => Err(error),
        // The launch is worth as much without them.
        Err(error) => Ok(vec![format!("the sources could not be read: {}", crate::work::error_chain(&error))]),
    }
}
