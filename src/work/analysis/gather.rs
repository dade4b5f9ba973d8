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
/// Of so many mentions of a name one has to have a word beside it that says its kind.
const CUED_OF: u64 = 20;
/// Entities that are written before a stop is noticed.
const ENTITIES_BETWEEN_CHECKS: u32 = 1_000;

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
                    totals.add(&page.terms, &corpus.terms);
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
        drop(totals);
        counts.terms = terms.len() as u64;
        entities.each_row(|row, names| {
            counts.entities += 1;
            if row.id % ENTITIES_BETWEEN_CHECKS == 0 {
                cx.checkpoint()?;
            }
            Ok(writer.entity(&row, &names)?)
        })?;
        Ok(RunResults { terms, counts })
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

/// Figures of an entity. Most of some hundred thousand have one spelling, one host and one month: lists, no maps.
#[derive(Debug, Clone, Default)]
struct Figures {
    /// How candidates are written, and how often.
    spellings: Vec<(Box<str>, u32)>,
    kinds: [u32; EntityKind::ALL.len()],
    mentions: u64,
    sentences: u64,
    pages: u64,
    /// In order.
    hosts: Vec<u32>,
    first_ms: Option<i64>,
    last_ms: Option<i64>,
    /// Pages by month of first capture, in order.
    months: Vec<[u32; 2]>,
}

impl Figures {
    fn spell(&mut self, spelling: &str, kind: EntityKind) {
        match self.spellings.iter_mut().find(|(known, _)| **known == *spelling) {
            Some((_, count)) => *count += 1,
            None => {
                self.spellings.reserve_exact(1);
                self.spellings.push((spelling.into(), 1));
            }
        }
        if let Some(count) = EntityKind::ALL.iter().position(|of| *of == kind).and_then(|at| self.kinds.get_mut(at)) {
            *count += 1;
        }
    }

    /// The kind that words beside it mostly say, where they say one of enough mentions: `HTTP` has a `d` before it here
    /// and there, which is no lady.
    fn kind(&self) -> EntityKind {
        let all: u32 = self.kinds.iter().sum();
        let counts = EntityKind::ALL.into_iter().zip(self.kinds);
        let is_enough = |count: u32| count > 0 && u64::from(count) * CUED_OF >= u64::from(all);
        let cued = counts.filter(|(kind, count)| *kind != EntityKind::Unknown && is_enough(*count));
        cued.max_by_key(|(_, count)| *count).map_or(EntityKind::Unknown, |(kind, _)| kind)
    }

    /// The most frequent spelling of those that are meant, of several the last in the order of letters.
    fn most(&self, is_meant: impl Fn(&str) -> bool) -> Option<String> {
        let meant = self.spellings.iter().filter(|(spelling, _)| is_meant(spelling));
        meant.max_by_key(|(spelling, count)| (*count, spelling)).map(|(spelling, _)| spelling.to_string())
    }
}

/// The month of a time, as [`EntityRow::months`] has it.
fn month_of(ms: i64) -> u32 {
    let date = CaptureDate::from_millis(ms).to_warc();
    let part = |range| date.get(range).and_then(|part: &str| part.parse::<u32>().ok());
    part(0..4).unwrap_or_default() * 12 + part(5..7).unwrap_or(1).saturating_sub(1)
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
    hosts: HashMap<String, u32>,
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
        Self { of, case, by_name, by_uri, numbers: HashMap::new(), figures: Vec::new(), hosts: HashMap::new() }
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
        let host = captures.first().map(|capture| {
            let (host, next) = (self.of.facts.host_of(*capture), u32::try_from(self.hosts.len()).unwrap_or(u32::MAX));
            self.hosts.get(host).copied().unwrap_or_else(|| *self.hosts.entry(host.to_owned()).or_insert(next))
        });
        let month = first.map(month_of);
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
                if let Some((host, at)) = host.and_then(|host| Some((host, figures.hosts.binary_search(&host).err()?)))
                {
                    figures.hosts.reserve_exact(1);
                    figures.hosts.insert(at, host);
                }
                if let Some(month) = month {
                    match figures.months.binary_search_by_key(&month, |[month, _]| *month) {
                        Ok(at) => figures.months[at][1] += 1,
                        Err(at) => {
                            figures.months.reserve_exact(1);
                            figures.months.insert(at, [month, 1]);
                        }
                    }
                }
                figures.first_ms = figures.first_ms.into_iter().chain(first).min();
                figures.last_ms = figures.last_ms.into_iter().chain(last).max();
                for (spelling, kind) in spellings {
                    figures.spell(&spelling, kind);
                }
            }
            numbered.push((number, places));
        }
        numbered
    }

    /// Gives the entities with their folded names, by their numbers.
    fn each_row(self, mut each: impl FnMut(EntityRow, Vec<String>) -> anyhow::Result<()>) -> anyhow::Result<()> {
        let mut keys: Vec<Option<EntityKey>> = vec![None; self.figures.len()];
        for (key, number) in self.numbers {
            if let Some(place) = keys.get_mut(number as usize) {
                *place = Some(key);
            }
        }
        for ((id, key), figures) in (0..).zip(keys).zip(self.figures) {
            let known = match key {
                Some(EntityKey::Known(at)) => {
                    self.of.known.entities.get(at as usize).zip(self.of.known.sources.get(at as usize))
                }
                _ => None,
            };
            let mut names: BTreeSet<String> = figures.spellings.iter().map(|(spelling, _)| fold(spelling)).collect();
            let (name, kind, uri, source) = match known {
                Some((entity, source)) => {
                    names.extend(entity.names().map(fold));
                    (entity.name.clone(), entity.kind, entity.uri.clone(), source.clone())
                }
                None => {
                    // Of a name that others were put together with, its own spelling.
                    let own = match &key {
                        Some(EntityKey::Name(key)) => figures.most(|spelling| fold(spelling) == *key),
                        _ => None,
                    };
                    let name = own.or_else(|| figures.most(|_| true)).unwrap_or_default();
                    (name, figures.kind(), String::new(), String::new())
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
                months: figures.months,
            };
            each(row, names.into_iter().collect())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_that_of_enough_mentions() {
        let kind = |cued: usize, plain: usize| {
            let mut figures = Figures::default();
            (0..cued).for_each(|_| figures.spell("Silva", EntityKind::Person));
            (0..plain).for_each(|_| figures.spell("Silva", EntityKind::Unknown));
            figures.kind()
        };
        assert_eq!(
            [kind(1, 19), kind(1, 20), kind(0, 3)],
            [EntityKind::Person, EntityKind::Unknown, EntityKind::Unknown]
        );
    }
}
