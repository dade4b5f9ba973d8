//! What runs found, for lists and details.

use super::inputs::request_entities;
use crate::analysis::entities::{EntityKind, NamedEntity};
use crate::analysis::terms::CorpusTerm;
use crate::campaign::Campaign;
use crate::knowledge::{authority_of_statements, authority_of_table};
use crate::search::{CaptureFacts, Period, PeriodCount, TextIndex};
use crate::store::{AnalysisError, AnalysisRun, AnalysisStore, EntityRow, FoundEntity, RelatedEntity, Workspace};
use crate::work::find::text_index::{index_folder, open_index};
use crate::work::models::CaptureId;
use crate::work::specification_syntax;
use anyhow::Context;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Longest authority file, in bytes.
const MAX_FILE_BYTES: u64 = 256 << 20;
/// The name of the list of countries that the program has.
const COUNTRIES: &str = "countries";
/// Characters of text beside a mention, on each side.
const BESIDE_CHARS: usize = 90;
/// Related entities that are shown.
const MOST_RELATED: usize = 20;
/// Pages whose mentions are shown in their text.
const MOST_QUOTED: usize = 50;

/// The runs, newest first; none where nothing was analysed.
///
/// # Errors
///
/// A file that cannot be read.
pub fn analysis_runs(workspace: &Workspace) -> anyhow::Result<Vec<AnalysisRun>> {
    match AnalysisStore::open(workspace.folder()) {
        Ok(store) => Ok(store.runs()?),
        Err(AnalysisError::Absent(_)) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// The runs that answer searches and scores, the latest first; none where nothing was analysed.
///
/// # Errors
///
/// A file that cannot be read.
pub(in crate::work) fn answering_runs(workspace: &Workspace) -> anyhow::Result<Vec<AnalysisRun>> {
    match AnalysisStore::open(workspace.folder()) {
        Ok(store) => Ok(store.answering_runs()?),
        Err(AnalysisError::Absent(_)) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// How many entities of the request of a campaign each content version names, without those that name none; none where
/// nothing was analysed or the request has no entity.
///
/// # Errors
///
/// A file that cannot be read.
pub(in crate::work) fn request_entity_counts(
    workspace: &Workspace,
    campaign: &Campaign,
) -> anyhow::Result<Option<HashMap<u64, u64>>> {
    let entities = request_entities(campaign);
    if entities.is_empty() || answering_runs(workspace)?.is_empty() {
        return Ok(None);
    }
    let store = AnalysisStore::open(workspace.folder())?;
    let mut counts: HashMap<u64, u64> = HashMap::new();
    for entity in entities {
        let address = if entity.uri.is_empty() { &entity.name } else { &entity.uri };
        for version in store.versions_naming(Some(address))?.ones() {
            *counts.entry(version as u64).or_default() += 1;
        }
    }
    Ok(Some(counts))
}

/// A run by its number, or the one that lists are of.
///
/// # Errors
///
/// There is no such run.
pub fn analysis_run(workspace: &Workspace, run: Option<i64>) -> anyhow::Result<AnalysisRun> {
    Ok(AnalysisStore::open(workspace.folder())?.run(run)?)
}

/// Deletes a run with all that it found.
///
/// # Errors
///
/// There is no such run, or a file that cannot be written.
pub fn delete_run(workspace: &Workspace, run: i64) -> anyhow::Result<()> {
    Ok(AnalysisStore::open_or_create(workspace.folder())?.delete_run(run)?)
}

/// The entities of a run, those on most pages first.
///
/// # Errors
///
/// There is no such run, or a file that cannot be read.
pub fn entity_rows(
    workspace: &Workspace,
    run: Option<i64>,
    kind: Option<EntityKind>,
    most: usize,
) -> anyhow::Result<Vec<EntityRow>> {
    let store = AnalysisStore::open(workspace.folder())?;
    let run = store.run(run)?.id;
    Ok(store.entities(run, kind, most)?)
}

/// A name of an authority file that no text of a run has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AbsentEntity {
    /// The name that is shown.
    pub name: String,
    /// Its kind.
    pub kind: EntityKind,
    /// The authority file.
    pub source: String,
}

/// What authority files name and a run has not found, in the order of the files.
///
/// # Errors
///
/// As [`entity_rows`].
pub fn absent_entities(workspace: &Workspace, run: Option<i64>) -> anyhow::Result<Vec<AbsentEntity>> {
    let store = AnalysisStore::open(workspace.folder())?;
    let run = store.run(run)?.id;
    let mut absent = Vec::new();
    for (source, entity) in workspace.catalogue().authority_entities()? {
        let mut is_found = !entity.uri.is_empty() && !store.entities_named(run, &entity.uri)?.is_empty();
        for name in entity.names() {
            is_found = is_found || !store.entities_named(run, name)?.is_empty();
        }
        if !is_found {
            absent.push(AbsentEntity { name: entity.name, kind: entity.kind, source });
        }
    }
    Ok(absent)
}

/// The terms of a run, the best first.
///
/// # Errors
///
/// As [`entity_rows`].
pub fn terms_of_run(workspace: &Workspace, run: Option<i64>, most: usize) -> anyhow::Result<Vec<CorpusTerm>> {
    let store = AnalysisStore::open(workspace.folder())?;
    let run = store.run(run)?.id;
    Ok(store.terms(run, most)?)
}

/// What the page *Entities* shows: the newest run that ended, with its entities and terms.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EntitiesPage {
    /// The run; none where nothing was analysed.
    pub run: Option<AnalysisRun>,
    /// Its entities, those on most pages first; at most ten thousand.
    pub entities: Vec<EntityRow>,
    /// Its terms, the best first.
    pub terms: Vec<CorpusTerm>,
    /// Names of authority files that it has not found.
    pub absent: Vec<AbsentEntity>,
}

/// Entities that a page shows.
const MOST_SHOWN: usize = 10_000;

/// What the newest run that ended found.
///
/// # Errors
///
/// A file that cannot be read.
pub fn entities_page(workspace: &Workspace) -> anyhow::Result<EntitiesPage> {
    let store = match AnalysisStore::open(workspace.folder()) {
        Err(AnalysisError::Absent(_)) => return Ok(EntitiesPage::default()),
        store => store?,
    };
    let Some(run) = store.present_run()? else { return Ok(EntitiesPage::default()) };
    let entities = entity_rows(workspace, Some(run.id), None, MOST_SHOWN)?;
    let terms = terms_of_run(workspace, Some(run.id), MOST_SHOWN)?;
    let absent = absent_entities(workspace, Some(run.id))?;
    Ok(EntitiesPage { run: Some(run), entities, terms, absent })
}

/// A place where a text names an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntityQuote {
    /// The first capture of the content version.
    pub capture: CaptureId,
    /// Its URL.
    pub url: String,
    /// Its first character in the main text, and how many it has.
    pub start: u32,
    /// Characters.
    pub length: u32,
    /// The text before it.
    pub before: String,
    /// As it is written.
    pub name: String,
    /// The text behind it.
    pub after: String,
}

/// An entity with where it is named, and beside whom.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntityDetail {
    /// The run that found it.
    pub run: i64,
    /// The entity.
    #[serde(flatten)]
    pub entity: EntityRow,
    /// Places where it is named, the first on each of some pages.
    pub quotes: Vec<EntityQuote>,
    /// Entities in the same sentences.
    pub related: Vec<RelatedEntity>,
    /// Captures of its pages over time.
    pub periods: Vec<PeriodCount>,
}

/// What an entity that is called so, or has this URI, is in a run. Of several of one name each is given.
///
/// # Errors
///
/// There is no such run, or a file that cannot be read.
pub(in crate::work) fn entity_detail(
    workspace: &Workspace,
    facts: &CaptureFacts,
    run: Option<i64>,
    (name, period): (&str, Period),
) -> anyhow::Result<Vec<EntityDetail>> {
    let store = AnalysisStore::open(workspace.folder())?;
    let run = store.run(run)?.id;
    let index = open_index(workspace.catalogue(), &index_folder(workspace))?;
    let named = store.entities_named(run, name)?;
    named.into_iter().map(|entity| detail(workspace, facts, &store, &index, run, entity, period)).collect()
}

fn detail(
    workspace: &Workspace,
    facts: &CaptureFacts,
    store: &AnalysisStore,
    index: &TextIndex,
    run: i64,
    entity: EntityRow,
    period: Period,
) -> anyhow::Result<EntityDetail> {
    let catalogue = workspace.catalogue();
    let mut quotes = Vec::new();
    let mut pages = index.pages()?;
    for mention in store.mentions_of(run, entity.id, MOST_QUOTED)? {
        let Some([start, length, _]) = mention.places.first().copied() else { continue };
        let Some(page) = pages.page(mention.version)? else { continue };
        let Ok(capture) = CaptureId::try_from(mention.version) else { continue };
        let chars: Vec<char> = page
            .main
            .chars()
            .skip((start as usize).saturating_sub(BESIDE_CHARS))
            .take(2 * BESIDE_CHARS + length as usize)
            .collect();
        let begin = (start as usize).min(BESIDE_CHARS);
        let part = |from: usize, to: usize| -> String {
            let part = chars.get(from.min(chars.len())..to.min(chars.len())).unwrap_or_default();
            part.iter().map(|c| if c.is_whitespace() { ' ' } else { *c }).collect()
        };
        let end = begin + length as usize;
        let (before, name, after) = (part(0, begin), part(begin, end), part(end, chars.len()));
        let url = catalogue.capture_row(capture)?.url.to_string();
        quotes.push(EntityQuote { capture, url, start, length, before, name, after });
    }
    let related = store.related_entities(run, &entity, MOST_RELATED)?;
    let captures = facts.captures_of(&store.versions_with(run, Some(&[entity.id]))?);
    let periods = facts.histogram(&captures, facts.captures(), period);
    Ok(EntityDetail { run, entity, quotes, related, periods })
}

/// The entities and terms of a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PageAnalysis {
    /// The run that has them; none where no run has the page.
    pub run: Option<i64>,
    /// Entities, in the order of the text.
    pub entities: Vec<FoundEntity>,
    /// Terms that set it apart, the best first, each with its weight.
    pub terms: Vec<(String, f64)>,
}

/// The entities and terms of the content version of a capture, by the newest run that ended.
///
/// # Errors
///
/// A file that cannot be read.
pub fn page_analysis(workspace: &Workspace, capture: CaptureId) -> anyhow::Result<PageAnalysis> {
    let store = match AnalysisStore::open(workspace.folder()) {
        Ok(store) => store,
        Err(AnalysisError::Absent(_)) => return Ok(PageAnalysis::default()),
        Err(error) => return Err(error.into()),
    };
    let Some(run) = store.present_run()?.map(|run| run.id) else { return Ok(PageAnalysis::default()) };
    let version = workspace.catalogue().capture_heads(&[capture])?.first().map_or(0, |head| head.version);
    let (entities, terms) = (store.entities_of_page(run, version)?, store.terms_of_page(run, version)?);
    let run = (!entities.is_empty() || !terms.is_empty()).then_some(run);
    Ok(PageAnalysis { run, entities, terms })
}

/// The differences of two runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RunComparison {
    /// Entities that only the first has, by pages.
    pub only_first: Vec<(String, u64)>,
    /// Entities that only the second has.
    pub only_second: Vec<(String, u64)>,
    /// Entities with another number of pages, with both numbers.
    pub changed: Vec<(String, [u64; 2])>,
    /// Entities that both have on as many pages.
    pub same: u64,
}

/// Compares the entities of two runs, by kind and name.
///
/// # Errors
///
/// There is no such run, or a file that cannot be read.
pub fn compare_runs(workspace: &Workspace, runs: [i64; 2]) -> anyhow::Result<RunComparison> {
    let store = AnalysisStore::open(workspace.folder())?;
    let of = |run: i64| -> anyhow::Result<BTreeMap<(String, String), u64>> {
        let run = store.run(Some(run))?.id;
        let rows = store.entities(run, None, usize::MAX)?;
        Ok(rows.into_iter().map(|row| ((row.name, row.uri), row.pages)).collect())
    };
    let (first, mut second) = (of(runs[0])?, of(runs[1])?);
    let mut comparison = RunComparison::default();
    for ((name, uri), pages) in first {
        match second.remove(&(name.clone(), uri)) {
            None => comparison.only_first.push((name, pages)),
            Some(other) if other != pages => comparison.changed.push((name, [pages, other])),
            Some(_) => comparison.same += 1,
        }
    }
    comparison.only_second = second.into_iter().map(|((name, _), pages)| (name, pages)).collect();
    let by_pages = |(a, x): &(String, u64), (b, y): &(String, u64)| y.cmp(x).then_with(|| a.cmp(b));
    comparison.only_first.sort_by(by_pages);
    comparison.only_second.sort_by(by_pages);
    comparison.changed.sort_by_key(|(_, [a, b])| std::cmp::Reverse(a.abs_diff(*b)));
    Ok(comparison)
}

/// Loads an authority file, in the place of one of the same name; `countries` is the list of the program. Entities without a
/// kind are of the `kind` that is given. Its name and how many there are.
///
/// # Errors
///
/// A file that cannot be read, with what is wrong and where; a catalogue that cannot be written.
pub fn load_authority(
    workspace: &Workspace,
    file: &Path,
    kind: Option<EntityKind>,
    who: &str,
) -> anyhow::Result<(String, u64)> {
    let (name, entities) = read_authority(file, kind)?;
    let digest = data_encoding::HEXLOWER.encode(&Sha256::digest(serde_json::to_vec(&entities)?));
    workspace.catalogue().load_authority(&name, &digest, who, &entities)?;
    Ok((name, entities.len() as u64))
}

/// The name of an authority file, and its entities.
pub(super) fn read_authority(file: &Path, kind: Option<EntityKind>) -> anyhow::Result<(String, Vec<NamedEntity>)> {
    if file == Path::new(COUNTRIES) && !file.exists() {
        return Ok((COUNTRIES.to_owned(), countries()));
    }
    let at = || file.display().to_string();
    let bytes = std::fs::metadata(file).with_context(at)?.len();
    anyhow::ensure!(bytes <= MAX_FILE_BYTES, "{}: {bytes} bytes are too many; load a part of it", file.display());
    let text = String::from_utf8(std::fs::read(file).with_context(at)?);
    let text = text.map_err(|_| anyhow::anyhow!("{}: it is not UTF-8; save it as UTF-8", file.display()))?;
    let read = match specification_syntax(file, &text) {
        Some(syntax) => authority_of_statements(&text, syntax),
        None => authority_of_table(&text),
    };
    let mut entities = read.map_err(|why| anyhow::anyhow!("{}: {why}", file.display()))?;
    for entity in entities.iter_mut().filter(|entity| entity.kind == EntityKind::Unknown) {
        entity.kind = kind.unwrap_or_default();
    }
    Ok((file.file_name().map_or_else(at, |name| name.to_string_lossy().into_owned()), entities))
}

/// The countries of `assets/names.tsv`, with their names in five languages.
fn countries() -> Vec<NamedEntity> {
    let rows = include_str!("../../../assets/names.tsv").lines().filter_map(|row| row.split_once('\t'));
    let countries = rows.filter(|(code, _)| code.bytes().all(|byte| byte.is_ascii_uppercase()));
    countries
        .map(|(code, names)| {
            let mut names = names.split('\t').map(str::to_owned);
            let name = names.next().unwrap_or_default();
            let mut aliases: Vec<String> = names.filter(|other| *other != name).collect();
            aliases.dedup();
            NamedEntity { uri: format!("urn:iso:std:iso:3166:{code}"), kind: EntityKind::Place, name, aliases }
        })
        .collect()
}
