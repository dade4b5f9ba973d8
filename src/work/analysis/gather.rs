//! What single pages hold becomes the entities and terms of a run.

use super::inputs::{KnownEntities, Merges};
use crate::analysis::entities::{CaseCounts, EntityKind};
use crate::analysis::terms::{TermTotals, corpus_terms};
use crate::jobs::JobCx;
use crate::search::CaptureFacts;
use crate::store::{AnalysedPage, AnalysisStore, EntityRow, Places, RunCounts, RunResults, RunWriter};
use crate::text::fold;
use crate::uri::CaptureDate;
use fixedbitset::FixedBitSet;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Terms of a page that are kept.
const MOST_PAGE_TERMS: usize = 10;
/// Terms of a run that are kept.
const MOST_TERMS: usize = 5_000;

/// What is put together.
pub(super) struct Gathering<'a> {
    pub store: &'a AnalysisStore,
    pub facts: &'a CaptureFacts,
    pub captures: &'a FixedBitSet,
    /// Versions of these captures.
    pub versions: &'a FixedBitSet,
    /// Every version.
    pub all: &'a FixedBitSet,
    pub known: &'a KnownEntities,
    pub merges: &'a Merges,
    pub has_entities: bool,
    pub has_terms: bool,
    /// Texts that were read for it.
    pub fresh: u64,
}

/// Puts together what pages hold, and keeps it as results of a run.
pub(super) fn gather(of: &Gathering<'_>, run: i64, digest: &str, cx: &JobCx) -> anyhow::Result<RunCounts> {
    let corpus = of.store.corpus()?;
    cx.stage("Putting results together", Some(of.versions.count_ones(..) as u64));
    of.store.end_run(run, digest, |writer: &mut RunWriter<'_>| {
        let mut entities = Entities::new(of, &corpus.case);
        let mut totals = TermTotals::default();
        let mut counts =
            RunCounts { fresh: of.fresh, captures: of.captures.count_ones(..) as u64, ..RunCounts::default() };
        of.store.each_page::<anyhow::Error>(of.versions, |pages| {
            let step = pages.len() as u64;
            for page in pages {
                counts.pages += 1;
                counts.sentences += u64::from(page.names.sentences);
                if of.has_entities {
                    let found = entities.add(&page);
                    counts.mentions += found.iter().map(|(_, places)| places.len() as u64).sum::<u64>();
                    writer.mentions(page.version, &found)?;
                }
                if of.has_terms {
                    totals.add(&page.terms);
                    let best = corpus.terms.best(&page.terms, MOST_PAGE_TERMS);
                    let best: Vec<(&str, f64)> =
                        best.iter().map(|(term, weight)| (term.text.as_str(), *weight)).collect();
                    writer.page_terms(page.version, &best)?;
                }
            }
            Ok(cx.advance(step)?)
        })?;
        let mut rest = of.all.clone();
        rest.difference_with(of.versions);
        let terms = corpus_terms(&totals, &corpus.terms, MOST_TERMS, |each| {
            if !of.has_terms || rest.is_clear() {
                return Ok(());
            }
            of.store.each_page::<anyhow::Error>(&rest, |pages| {
                pages.iter().for_each(|page| each(&page.terms));
                Ok(cx.checkpoint()?)
            })
        })?;
        let entities = entities.rows();
        (counts.entities, counts.terms) = (entities.len() as u64, terms.len() as u64);
        Ok(RunResults { entities, terms, counts })
    })
}

/// What an entity is known by in a run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum EntityKey {
    /// Its place among the known ones.
    Known(u32),
    /// The folded name of a candidate.
    Name(String),
}

/// Figures of an entity.
#[derive(Debug, Clone, Default)]
struct Figures {
    /// How candidates are written, and how often.
    spellings: BTreeMap<String, u64>,
    folded: BTreeSet<String>,
    kinds: BTreeMap<EntityKind, u64>,
    mentions: u64,
    sentences: u64,
    pages: u64,
    hosts: BTreeSet<String>,
    first_ms: Option<i64>,
    last_ms: Option<i64>,
}

/// The entities of a run.
struct Entities<'a> {
    of: &'a Gathering<'a>,
    case: &'a CaseCounts,
    /// Known entities by folded name, and by URI.
    by_name: HashMap<String, Vec<u32>>,
    by_uri: HashMap<&'a str, u32>,
    numbers: HashMap<EntityKey, u32>,
    figures: Vec<Figures>,
}

impl<'a> Entities<'a> {
    fn new(of: &'a Gathering<'a>, case: &'a CaseCounts) -> Self {
        let mut by_name: HashMap<String, Vec<u32>> = HashMap::new();
        let mut by_uri = HashMap::new();
        for (at, entity) in (0_u32..).zip(&of.known.entities) {
            if !entity.uri.is_empty() {
                by_uri.insert(entity.uri.as_str(), at);
            }
            for name in entity.names().map(fold).collect::<BTreeSet<_>>() {
                by_name.entry(name).or_default().push(at);
            }
        }
        Self { of, case, by_name, by_uri, numbers: HashMap::new(), figures: Vec::new() }
    }

    /// What a name or URI means: the known entity, if there is one alone.
    fn key_of(&self, name: &str) -> EntityKey {
        if let Some(at) = self.by_uri.get(name) {
            return EntityKey::Known(*at);
        }
        let folded = fold(name);
        match self.by_name.get(&folded).map(Vec::as_slice) {
            Some([only]) => EntityKey::Known(*only),
            _ => EntityKey::Name(folded),
        }
    }

    /// The entity that a candidate's folded name means, by what persons put together.
    fn of_candidate(&self, folded: String) -> EntityKey {
        match self.of.merges.target(&folded) {
            Some(target) => self.key_of(target),
            None => EntityKey::Name(folded),
        }
    }

    /// The entity that a name of authority files means: none where several are called so and the page does not say which.
    fn of_mention(&self, entities: &[u32], clear: &BTreeSet<u32>) -> Option<EntityKey> {
        let only = match entities {
            [only] => *only,
            several => {
                let mut here = several.iter().filter(|entity| clear.contains(entity));
                *here.next().filter(|_| here.next().is_none())?
            }
        };
        let name = self.of.known.entities.get(only as usize).map(|entity| fold(&entity.name));
        match name.and_then(|name| self.of.merges.target(&name).map(str::to_owned)) {
            Some(target) => Some(self.key_of(&target)),
            None => Some(EntityKey::Known(only)),
        }
    }

    /// Adds a page; the numbers of its entities with their places.
    fn add(&mut self, page: &AnalysedPage) -> Vec<(u32, Places)> {
        let mut found: BTreeMap<EntityKey, (Places, Vec<(String, EntityKind)>)> = BTreeMap::new();
        let clear: BTreeSet<u32> = page
            .names
            .mentions
            .iter()
            .filter_map(|mention| <[u32; 1]>::try_from(mention.entities.as_slice()).ok())
            .map(|[only]| only)
            .collect();
        let chars = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        for mention in &page.names.mentions {
            let key = match self.of_mention(&mention.entities, &clear) {
                Some(key) => key,
                // Whom it means is for a person to decide.
                None => self.of_candidate(fold(&mention.text)),
            };
            let (places, spellings) = found.entry(key).or_default();
            places.push([mention.start, chars(&mention.text), mention.sentence]);
            spellings.push((mention.text.clone(), EntityKind::Unknown));
        }
        for candidate in &page.names.candidates {
            let Some((name, before)) = candidate.resolved(self.case) else { continue };
            let folded = fold(name);
            if folded.is_empty() {
                continue;
            }
            let (places, spellings) = found.entry(self.of_candidate(folded)).or_default();
            places.push([candidate.start.saturating_add(before), chars(name), candidate.sentence]);
            spellings.push((name.to_owned(), candidate.kind));
        }
        let version = usize::try_from(page.version).unwrap_or(usize::MAX);
        let captures = self.of.facts.captures_of_version(version).filter(|capture| self.of.captures.contains(*capture));
        let captures: Vec<usize> = captures.collect();
        let dates = captures.iter().map(|capture| self.of.facts.date_ms_of(*capture));
        let (first, last) = (dates.clone().min(), dates.max());
        let host = captures.first().map(|capture| self.of.facts.host_of(*capture).to_owned());
        let mut numbered = Vec::with_capacity(found.len());
        for (key, (mut places, spellings)) in found {
            places.sort_unstable();
            let next = u32::try_from(self.figures.len()).unwrap_or(u32::MAX);
            let number = *self.numbers.entry(key).or_insert(next);
            if number == next {
                self.figures.push(Figures::default());
            }
            if let Some(figures) = self.figures.get_mut(number as usize) {
                figures.pages += 1;
                figures.mentions += places.len() as u64;
                figures.sentences += places.iter().map(|place| place[2]).collect::<BTreeSet<_>>().len() as u64;
                figures.hosts.extend(host.clone());
                figures.first_ms = figures.first_ms.into_iter().chain(first).min();
                figures.last_ms = figures.last_ms.into_iter().chain(last).max();
                for (spelling, kind) in spellings {
                    figures.folded.insert(fold(&spelling));
                    *figures.spellings.entry(spelling).or_default() += 1;
                    if kind != EntityKind::Unknown {
                        *figures.kinds.entry(kind).or_default() += 1;
                    }
                }
            }
            numbered.push((number, places));
        }
        numbered
    }

    /// The entities with their folded names.
    fn rows(self) -> Vec<(EntityRow, Vec<String>)> {
        let mut keys: Vec<Option<EntityKey>> = vec![None; self.figures.len()];
        for (key, number) in self.numbers {
            if let Some(place) = keys.get_mut(number as usize) {
                *place = Some(key);
            }
        }
        let most = |counts: &BTreeMap<String, u64>| {
            counts.iter().max_by_key(|(_, count)| **count).map(|(name, _)| name.clone())
        };
        let rows = (0..).zip(keys).zip(self.figures).map(|((id, key), figures)| {
            let known = match key {
                Some(EntityKey::Known(at)) => {
                    self.of.known.entities.get(at as usize).zip(self.of.known.sources.get(at as usize))
                }
                _ => None,
            };
            let mut names = figures.folded.clone();
            let (name, kind, uri, source) = match known {
                Some((entity, source)) => {
                    names.extend(entity.names().map(fold));
                    (entity.name.clone(), entity.kind, entity.uri.clone(), source.clone())
                }
                None => {
                    let kind = figures.kinds.iter().max_by_key(|(_, count)| **count).map(|(kind, _)| *kind);
                    let mut name = most(&figures.spellings).unwrap_or_default();
                    if let Some(EntityKey::Name(key)) = &key {
                        // Of a name that others were put together with, its own spelling.
                        let own = figures.spellings.iter().filter(|(spelling, _)| fold(spelling) == *key);
                        let own: BTreeMap<String, u64> =
                            own.map(|(spelling, count)| (spelling.clone(), *count)).collect();
                        name = most(&own).unwrap_or(name);
                    }
                    (name, kind.unwrap_or_default(), String::new(), String::new())
                }
            };
            let row = EntityRow {
                id,
                name,
                kind,
                uri,
                source,
                mentions: figures.mentions,
                sentences: figures.sentences,
                pages: figures.pages,
                hosts: figures.hosts.len() as u64,
                first: CaptureDate::from_millis(figures.first_ms.unwrap_or_default()),
                last: CaptureDate::from_millis(figures.last_ms.unwrap_or_default()),
            };
            (row, names.into_iter().collect())
        });
        rows.collect()
    }
}
