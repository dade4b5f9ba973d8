//! Searching a workspace: what a query finds, in which order, and how it is
//! spread over hosts, languages, years and the rest.

use super::request_sample::meeting_request;
use super::text_index::open_index;
use crate::analysis::{Highlighter, Judgement, SearchEvaluation};
use crate::captures::Media;
use crate::jobs::{empty_set, lock};
use crate::query::{FieldTerm, Query, TextTest, Wider, parse_fields, wider, write_query};
use crate::search::{
    CaptureFacts, CaptureLetters, FacetKind, FacetValue, FactsMark, LettersOf, NearGroups, Period, PeriodCount,
    TextIndex, TextIndexError, beside_facet, first_by_key, of_facet, stem_term,
};
use crate::store::{Access, Catalogue, Workspace, filter_fields};
use crate::work::models::{CampaignId, CaptureId, CaptureQuery, CaptureRow};
use crate::work::{everything, index_folder};
use fixedbitset::FixedBitSet;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

pub(in crate::work) use answers::TextAnswers;
use terms::KnownTerms;
pub(in crate::work) use terms::{MOST_TERMS, since_facet};

/// The best versions that are looked at when similar ones are folded.
const MOST_RANKED: usize = 1_000;
/// Versions that `like:` finds at most.
const MOST_SIMILAR: usize = 100;
/// Characters of the text that are shown of a result.
const SNIPPET_CHARS: usize = 240;
/// Versions of one host among the results before further ones are folded.
const MOST_OF_HOST: usize = 2;
/// A query that names one of these may want style sheets, scripts and robots.txt.
const CODE_FIELDS: [&str; 4] = ["media", "type", "url", "like"];

/// Captures that are read again by every program that starts, at most, before the columns of all are kept again.
const WORTH_KEEPING: i64 = 20_000;

/// The order of results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchOrder {
    /// Those that answer the query best first; without words in it, the newest.
    #[default]
    Relevance,
    /// The newest captures first.
    Newest,
    /// The oldest first.
    Oldest,
}

impl SearchOrder {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Relevance => "relevance",
            Self::Newest => "newest",
            Self::Oldest => "oldest",
        }
    }

    /// The order of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        match name {
            "relevance" => Some(Self::Relevance),
            "newest" => Some(Self::Newest),
            "oldest" => Some(Self::Oldest),
            _ => None,
        }
    }
}

/// What is searched for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct SearchQuery {
    /// The query as it was typed, with the values of facets that are chosen; an empty one finds everything. As a filter
    /// line it finds the same captures.
    pub text: String,
    /// The campaign whose captures are searched; all without one.
    pub campaign: Option<CampaignId>,
    /// In which order.
    pub order: SearchOrder,
    /// Results that are left out at the beginning.
    pub offset: usize,
    /// Results at most.
    pub limit: usize,
    /// Shows every result; otherwise further ones of a host, and near-duplicates, are folded into the first, and style
    /// sheets, scripts and robots.txt are left out.
    pub shows_all: bool,
    /// Leaves out the part of the text that shows why a result was found.
    pub without_snippets: bool,
}

impl SearchQuery {
    /// The query without blanks around it: judgements are kept under it.
    pub fn query_line(&self) -> &str {
        self.text.trim()
    }

    /// As a filter of the captures table.
    fn filter(&self) -> CaptureQuery {
        CaptureQuery { filter: self.text.clone(), campaign: self.campaign, ..everything() }
    }
}

/// One result: a content version.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Number of the version.
    pub version: u64,
    /// Its newest capture among those found.
    pub capture: CaptureRow,
    /// Captures of it that were found, and their first and last day.
    pub captures: u64,
    /// How well it answers the query; 0 where the query has no words.
    pub score: f32,
    /// A part of the text, and which of its bytes are hits.
    pub snippet: String,
    /// Byte ranges of `snippet`.
    pub marked: Vec<std::ops::Range<usize>>,
    /// Further results of the same host that are not shown.
    pub folded: u64,
    /// Further versions found whose text is nearly the same, shown or not.
    pub similar: u64,
    /// Who said what of it as a result of this query.
    pub judgements: Vec<(String, Judgement)>,
}

impl Hit {
    /// What most of its judges say; none where nobody judged it.
    pub fn judgement(&self) -> Option<Judgement> {
        let judgements = self.judgements.iter().map(|(_, judgement)| *judgement);
        (!self.judgements.is_empty()).then(|| Judgement::of_majority(judgements))
    }
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchAnswer {
    /// What was not understood of the query, with the column.
    pub problem: Option<String>,
    /// Content versions found.
    pub versions: u64,
    /// Their captures that were found.
    pub captures: u64,
    /// Bytes of the payloads of these.
    pub bytes: u64,
    /// Of the versions, style sheets, scripts and robots.txt that are no results, since the query does not ask for them.
    pub code: u64,
    /// The requested results.
    pub hits: Vec<Hit>,
    /// Captures that the index does not have yet; none where there is no index.
    pub waiting: Option<u64>,
    /// The query, which as a filter line finds the same captures in the table of captures.
    pub filter: String,
    /// Queries that find more, where this one finds nothing; none was run.
    pub wider: Vec<Wider>,
    /// What persons said of the results of this query, in figures.
    pub evaluation: SearchEvaluation,
}

/// What is kept in memory to search a workspace.
#[derive(Default)]
pub(in crate::work) struct SearchRoom {
    index: Mutex<Option<(SystemTime, TextIndex)>>,
    /// The folder of the index; none of a room that keeps nothing.
    folder: Option<PathBuf>,
    /// So many captures more than were kept are worth it to keep the columns again; none where they are not kept.
    worth_keeping: Option<i64>,
    /// The last capture of the columns that are kept.
    kept_through: AtomicI64,
    facts: Mutex<Option<([i64; 7], Arc<CaptureFacts>)>>,
    near: Mutex<Option<(SystemTime, Arc<NearGroups>)>>,
    titles: Mutex<Option<([i64; 7], Arc<CaptureLetters>)>>,
    urls: Mutex<Option<([i64; 7], Arc<CaptureLetters>)>>,
    /// The captures that hold terms of requests, with what they were found of.
    terms: Mutex<Option<KnownTerms>>,
}

impl SearchRoom {
    /// For a workspace. One that is open for writing keeps columns of captures beside its index.
    pub(in crate::work) fn of(workspace: &Workspace) -> Self {
        let worth_keeping = (*workspace.access() == Access::Write).then_some(WORTH_KEEPING);
        Self { folder: Some(index_folder(workspace)), worth_keeping, ..Self::default() }
    }

    /// The text index as it was last committed; none where there is none.
    ///
    /// # Errors
    ///
    /// An index that cannot be read.
    pub(in crate::work) fn index(&self, catalogue: &Catalogue, folder: &Path) -> anyhow::Result<Option<TextIndex>> {
        let Ok(meta) = std::fs::metadata(folder.join("meta.json")) else { return Ok(None) };
        let changed = meta.modified()?;
        let mut open = lock(&self.index);
        if let Some((date, index)) = &*open
            && *date == changed
        {
            return Ok(Some(index.clone()));
        }
        match open_index(catalogue, folder) {
            Ok(index) => {
                *open = Some((changed, index.clone()));
                Ok(Some(index))
            }
            Err(error) if error.downcast_ref().is_some_and(TextIndexError::is_outdated) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The near-duplicates in the index as they were found last; none where
    /// nothing was looked for yet.
    pub(in crate::work) fn near(&self, folder: &Path) -> Option<Arc<NearGroups>> {
        let changed = NearGroups::date(folder)?;
        let mut known = lock(&self.near);
        if let Some((date, near)) = &*known
            && *date == changed
        {
            return Some(Arc::clone(near));
        }
        let near = Arc::new(NearGroups::load(folder)?);
        *known = Some((changed, Arc::clone(&near)));
        Some(near)
    }

    /// The columns of all captures, if they are known as they are now, or were kept and are quickly read.
    fn facts_in_memory(&self, catalogue: &Catalogue) -> Option<Arc<CaptureFacts>> {
        let known = lock(&self.facts).clone();
        if known.is_none() && self.folder.as_ref().is_some_and(|folder| CaptureFacts::are_kept(folder)) {
            return self.facts(catalogue).ok();
        }
        known
            .filter(|(stamp, _)| catalogue.facts_stamp().is_ok_and(|present| present == *stamp))
            .map(|(_, facts)| facts)
    }

    /// The columns of all captures.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub(in crate::work) fn facts(&self, catalogue: &Catalogue) -> anyhow::Result<Arc<CaptureFacts>> {
        let stamp = catalogue.facts_stamp()?;
        let mut known = lock(&self.facts);
        let (mut facts, before) = match known.take() {
            // Losses and originals change columns that are there.
            Some((before, facts)) if before[1..3] == stamp[1..3] => (facts, before),
            _ => (Arc::new(self.kept_facts(catalogue)), [0; 7]),
        };
        if before != stamp {
            catalogue.fill_facts(Arc::make_mut(&mut facts))?;
            let further = facts.newest() - self.kept_through.load(Ordering::Relaxed);
            if self.worth_keeping.is_some_and(|captures| further >= captures) {
                self.keep_facts(catalogue, &facts, [stamp[1], stamp[2]])?;
            }
        }
        *known = Some((stamp, Arc::clone(&facts)));
        Ok(facts)
    }

    /// The columns as they were kept beside the index; empty ones where they are none of this catalogue.
    fn kept_facts(&self, catalogue: &Catalogue) -> CaptureFacts {
        let is_own = |kept: &FactsMark| {
            let own = catalogue.facts_mark(CaptureId::new(kept.through));
            own.is_ok_and(|own| own.as_ref() == Some(kept))
        };
        let kept = self.folder.as_ref().and_then(|folder| CaptureFacts::load(folder, is_own)).unwrap_or_default();
        self.kept_through.store(kept.newest(), Ordering::Relaxed);
        kept
    }

    /// Keeps columns beside the index, where there is one that can be written: they are read from the catalogue
    /// otherwise.
    ///
    /// `changes` are those before the columns were read.
    fn keep_facts(&self, catalogue: &Catalogue, facts: &CaptureFacts, changes: [i64; 2]) -> anyhow::Result<()> {
        let Some(folder) = self.folder.as_ref().filter(|folder| folder.is_dir()) else { return Ok(()) };
        let Some(mark) = catalogue.facts_mark(CaptureId::new(facts.newest()))? else { return Ok(()) };
        match facts.save(folder, &FactsMark { changes, ..mark }) {
            Ok(()) => self.kept_through.store(facts.newest(), Ordering::Relaxed),
            Err(error) => tracing::debug!(%error, "the columns of captures are not kept"),
        }
        Ok(())
    }

    /// The letters of titles or URLs of all captures; none where they take too much memory.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    fn letters(&self, catalogue: &Catalogue, of: LettersOf) -> anyhow::Result<Option<Arc<CaptureLetters>>> {
        let stamp = catalogue.facts_stamp()?;
        let mut known = lock(match of {
            LettersOf::Titles => &self.titles,
            LettersOf::Urls => &self.urls,
        });
        let (mut letters, before) = match known.take() {
            // Losses and originals change texts that are there.
            Some((before, letters)) if before[1..3] == stamp[1..3] => (letters, before),
            _ => (Arc::default(), [0; 7]),
        };
        if before[0] != stamp[0] {
            catalogue.fill_letters(of, Arc::make_mut(&mut letters))?;
        }
        *known = Some((stamp, Arc::clone(&letters)));
        Ok(Some(letters).filter(|letters| !letters.is_too_long()))
    }
}

/// The captures that a query finds.
pub(in crate::work) struct Found {
    facts: Arc<CaptureFacts>,
    index: Option<TextIndex>,
    near: Option<Arc<NearGroups>>,
    query: Query<FieldTerm>,
    /// The same as a filter.
    filter: CaptureQuery,
    /// Captures of the campaign that is searched; none where all are.
    of_campaign: Option<FixedBitSet>,
    pub(in crate::work) captures: FixedBitSet,
}

/// A query without meaning: column and what was expected.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoQuery(pub String);

impl Found {
    /// Asks index and catalogue.
    ///
    /// # Errors
    ///
    /// [`NoQuery`] for a query without meaning, and a catalogue or index that cannot be read.
    pub(in crate::work) fn of(
        catalogue: &Catalogue,
        folder: &Path,
        room: &SearchRoom,
        search: &SearchQuery,
    ) -> anyhow::Result<Self> {
        let (query, filter) = (parse_query(&search.text)?, search.filter());
        let (index, facts) = (room.index(catalogue, folder)?, room.facts(catalogue)?);
        let near = index.as_ref().and_then(|_| room.near(folder));
        let campaign = catalogue.query_campaign(search.campaign, &query)?;
        let of_campaign = campaign.map(|campaign| facts.of_campaign(campaign.get()));
        let mut captures = catalogue.matching_captures(&filter)?;
        captures.intersect_with(facts.captures());
        Ok(Self { facts, index, near, query, filter, of_campaign, captures })
    }

    /// How often the captures found have each value of facets: whatever is
    /// chosen of a facet itself, so that a further value can be chosen.
    pub(in crate::work) fn facets(
        &self,
        catalogue: &Catalogue,
        kinds: &[FacetKind],
    ) -> anyhow::Result<Vec<Vec<FacetValue>>> {
        facet_counts(catalogue, &self.facts, &self.filter, &self.captures, kinds)
    }

    /// Captures found in each period.
    pub(in crate::work) fn histogram(&self, period: Period) -> Vec<PeriodCount> {
        self.facts.histogram(&self.captures, self.of_campaign.as_ref().unwrap_or(self.facts.captures()), period)
    }

    /// The versions found, best first, with what each ranks; at most so many.
    fn ranked(
        &self,
        versions: &Arc<FixedBitSet>,
        order: SearchOrder,
        most: usize,
    ) -> anyhow::Result<Vec<(usize, f32)>> {
        let mut ranked: Vec<(usize, f32)> = Vec::new();
        if order == SearchOrder::Relevance
            && let Some(index) = &self.index
        {
            let best = index.rank(&self.query, versions, most)?;
            ranked.extend(best.iter().filter_map(|best| Some((usize::try_from(best.version).ok()?, best.score))));
        }
        if ranked.len() < most {
            let mut is_ranked = empty_set(versions.len());
            ranked.iter().for_each(|(version, _)| is_ranked.insert(*version));
            let last_ms = |version: usize| {
                // Most versions have one capture.
                if self.facts.is_single(version) {
                    return self.facts.date_ms_of(version);
                }
                let found = self.facts.captures_of_version(version).filter(|capture| self.captures.contains(*capture));
                found.map(|capture| self.facts.date_ms_of(capture)).max().unwrap_or_default()
            };
            let others = versions.ones().filter(|version| !is_ranked.contains(*version)).map(|version| {
                let date_ms = last_ms(version);
                (if order == SearchOrder::Oldest { date_ms } else { date_ms.saturating_neg() }, version)
            });
            let first = first_by_key(others, most - ranked.len());
            ranked.extend(first.into_iter().map(|(_, version)| (version, 0.0)));
        }
        Ok(ranked)
    }

    /// The requested results, and what was found in all.
    pub(in crate::work) fn answer(&self, workspace: &Workspace, search: &SearchQuery) -> anyhow::Result<SearchAnswer> {
        let versions = Arc::new(self.facts.versions_of(&self.captures));
        let (results, code) = self.without_code(&versions, search);
        let kept = self.listed(&results, search)?;
        let shown: Vec<_> = kept.into_iter().skip(search.offset).take(search.limit).collect();
        // To find the place in a long text takes a millisecond.
        let hits = shown.into_par_iter().map(|(version, score, folded)| {
            let mut hit = self.hit(workspace, version, score, folded, !search.without_snippets)?;
            hit.iter_mut().for_each(|hit| hit.similar = self.similar(version, &versions));
            Ok(hit)
        });
        let hits: Vec<Option<Hit>> = hits.collect::<anyhow::Result<_>>()?;
        Ok(SearchAnswer {
            problem: None,
            versions: versions.count_ones(..) as u64,
            captures: self.captures.count_ones(..) as u64,
            bytes: self.facts.bytes_of(&self.captures),
            code,
            wider: if versions.is_clear() { wider(&self.query) } else { Vec::new() },
            hits: hits.into_iter().flatten().collect(),
            waiting: None,
            filter: search.query_line().to_owned(),
            evaluation: SearchEvaluation::default(),
        })
    }

    /// The versions that are results, and how many style sheets, scripts and robots.txt are left out of them.
    fn without_code(&self, versions: &Arc<FixedBitSet>, search: &SearchQuery) -> (Arc<FixedBitSet>, u64) {
        let mut results = Arc::clone(versions);
        if search.shows_all || names(&self.query, &CODE_FIELDS) {
            return (results, 0);
        }
        let is_code = |media: &str| media == Media::Code.as_str();
        let code = self.facts.versions_of(&self.facts.with_value_among(&self.captures, FacetKind::Media, is_code));
        // Where nothing else was found, they are the results.
        if versions.is_subset(&code) {
            return (results, 0);
        }
        Arc::make_mut(&mut results).difference_with(&code);
        (results, code.count_ones(..) as u64)
    }

    /// The results as they are listed: version, relevance, and how many are folded into it.
    fn listed(&self, versions: &Arc<FixedBitSet>, search: &SearchQuery) -> anyhow::Result<Vec<(usize, f32, u64)>> {
        let most = (search.offset + search.limit).max(if search.shows_all { 0 } else { MOST_RANKED });
        let ranked = self.ranked(versions, search.order, most)?;
        let folds = Folds {
            hosts: !search.shows_all && !wants(&self.query, &["host", "fqdn"]) && self.has_several_hosts(versions),
            similar: !search.shows_all && !wants(&self.query, &["similar"]),
        };
        Ok(self.folded(ranked, folds))
    }

    /// Whether versions are of different hosts: where one is all there is, its results stand for nothing else.
    fn has_several_hosts(&self, versions: &FixedBitSet) -> bool {
        let mut versions = versions.ones();
        let first = versions.next();
        first.is_some_and(|first| versions.any(|version| !self.facts.have_one_host(first, version)))
    }

    /// The place of captures among the results by relevance, from 1; none for
    /// one that is not among the first [`MOST_RANKED`], or is folded into another.
    pub(in crate::work) fn places(
        &self,
        search: &SearchQuery,
        captures: &[CaptureId],
    ) -> anyhow::Result<Vec<(CaptureId, Option<u64>)>> {
        let search = SearchQuery { order: SearchOrder::Relevance, offset: 0, limit: MOST_RANKED, ..search.clone() };
        let (results, _) = self.without_code(&Arc::new(self.facts.versions_of(&self.captures)), &search);
        let listed = self.listed(&results, &search)?;
        let place = |capture: &CaptureId| {
            let version = self.facts.version_of(usize::try_from(*capture).ok()?);
            Some(listed.iter().position(|(of, ..)| *of == version)? as u64 + 1)
        };
        Ok(captures.iter().map(|capture| (*capture, place(capture))).collect())
    }

    /// How many other versions found are near-duplicates of one.
    fn similar(&self, version: usize, found: &FixedBitSet) -> u64 {
        let members = self.near.as_ref().map_or(&[][..], |near| near.members(version as u64));
        let is_other = |member: &&u64| **member != version as u64 && found.contains(**member as usize);
        members.iter().filter(is_other).count() as u64
    }

    /// The best result of each group of near-duplicates, and of these the first
    /// results of each host, with how many are folded into its last one.
    fn folded(&self, ranked: Vec<(usize, f32)>, folds: Folds) -> Vec<(usize, f32, u64)> {
        let near = self.near.as_ref().filter(|_| folds.similar);
        let mut shown_groups: HashSet<u64> = HashSet::new();
        let mut of_host: HashMap<&str, (usize, usize)> = HashMap::new();
        let mut kept: Vec<(usize, f32, u64)> = Vec::new();
        for (version, score) in ranked {
            let group = near.and_then(|near| near.group_of(version as u64));
            if group.is_some_and(|group| shown_groups.contains(&group)) {
                continue;
            }
            let host = self.facts.host_of(version);
            let (shown, last) = of_host.entry(host).or_default();
            if !folds.hosts || *shown < MOST_OF_HOST {
                shown_groups.extend(group);
                (*shown, *last) = (*shown + 1, kept.len());
                kept.push((version, score, 0));
            } else if let Some((_, _, folded)) = kept.get_mut(*last) {
                *folded += 1;
            }
        }
        kept
    }

    fn hit(
        &self,
        workspace: &Workspace,
        version: usize,
        score: f32,
        folded: u64,
        has_snippet: bool,
    ) -> anyhow::Result<Option<Hit>> {
        let found: Vec<usize> =
            self.facts.captures_of_version(version).filter(|capture| self.captures.contains(*capture)).collect();
        let newest = found.iter().max_by_key(|capture| (self.facts.date_ms_of(**capture), **capture));
        let Some(newest) = newest.and_then(|capture| CaptureId::try_from(*capture).ok()) else { return Ok(None) };
        let capture = workspace.catalogue().capture_row(newest)?;
        let (snippet, marked) = match &self.index {
            Some(index) if has_snippet => self.snippet(index, version as u64)?,
            _ => Default::default(),
        };
        let captures = found.len() as u64;
        let (version, judgements) = (version as u64, Vec::new());
        Ok(Some(Hit { version, capture, captures, score, snippet, marked, folded, similar: 0, judgements }))
    }
}

impl Found {
    /// The part of a text that shows best why it was found, and its bytes to
    /// be marked. Main text before menus, anchors and description.
    fn snippet(&self, index: &TextIndex, version: u64) -> anyhow::Result<(String, Vec<Range<usize>>)> {
        let Some(text) = index.page_of(version)? else { return Ok(Default::default()) };
        let anchors = index.anchors_of(version)?;
        let language = text.stem_language();
        let stem = |word: &str| stem_term(language, word);
        let parts = [("main", &text.main), ("rest", &text.rest), ("anchors", &anchors), ("rest", &text.description)];
        let mut best = (String::new(), Vec::new());
        for (field, part) in parts {
            let excerpt = Highlighter::new(&self.query, &["text", field], &stem).excerpt(part, SNIPPET_CHARS);
            let shown = part.get(excerpt.range.clone()).unwrap_or_default();
            if excerpt.terms > 0 || best.0.is_empty() {
                let begin = excerpt.range.start;
                let marks = excerpt.marks.iter().map(|mark| mark.start - begin..mark.end - begin);
                best = (shown.to_owned(), marks.collect());
            }
            if excerpt.terms > 0 {
                break;
            }
        }
        Ok(best)
    }
}

/// How often the captures that a filter finds have each value of facets, whatever the filter chooses of a facet itself.
///
/// # Errors
///
/// A catalogue or index that cannot be read.
pub(in crate::work) fn facet_counts(
    catalogue: &Catalogue,
    facts: &CaptureFacts,
    filter: &CaptureQuery,
    captures: &FixedBitSet,
    kinds: &[FacetKind],
) -> anyhow::Result<Vec<Vec<FacetValue>>> {
    let query = parse_query(&filter.filter)?;
    let mut beside_all = query.clone();
    // What a facet chooses is of no campaign and no ready filter: the rest of the line has these.
    let mut chosen = Vec::new();
    for kind in FacetKind::ALL {
        let Some(beside) = beside_facet(&beside_all, kind) else { continue };
        beside_all = beside;
        let of_kind = CaptureQuery { filter: write_query(&of_facet(&query, kind)), ..everything() };
        chosen.push((kind, catalogue.matching_captures(&of_kind)?));
    }
    let mut counts = facts.counts(kinds, captures);
    if chosen.is_empty() {
        return Ok(counts);
    }
    let beside_all = CaptureQuery { filter: write_query(&beside_all), ..filter.clone() };
    let beside_all = catalogue.matching_captures(&beside_all)?;
    for (kind, values) in kinds.iter().zip(&mut counts) {
        if chosen.iter().any(|(of, _)| of == kind) {
            let mut beside = beside_all.clone();
            chosen.iter().filter(|(of, _)| of != kind).for_each(|(_, captures)| beside.intersect_with(captures));
            *values = facts.count(*kind, &beside);
        }
    }
    Ok(counts)
}

/// The captures that a filter finds whatever it chooses of a facet; none where it chooses nothing of it.
fn captures_beside(
    catalogue: &Catalogue,
    filter: &CaptureQuery,
    kind: FacetKind,
) -> anyhow::Result<Option<FixedBitSet>> {
    let Some(beside) = beside_facet(&parse_query(&filter.filter)?, kind) else { return Ok(None) };
    let beside = CaptureQuery { filter: write_query(&beside), ..filter.clone() };
    Ok(Some(catalogue.matching_captures(&beside)?))
}

fn parse_query(text: &str) -> Result<Query<FieldTerm>, NoQuery> {
    parse_fields(text).map_err(|error| NoQuery(error.to_string()))
}

/// Which results stand for others.
#[derive(Clone, Copy)]
struct Folds {
    /// Those of a host for further ones.
    hosts: bool,
    /// The best of a group of near-duplicates for the others.
    similar: bool,
}

/// Whether a query names one of some fields: then results that have it in common are what is wanted.
fn names(query: &Query<FieldTerm>, fields: &[&str]) -> bool {
    let mut has = false;
    query.for_each_term(&mut |term| {
        has |= term.field.as_ref().is_some_and(|field| fields.contains(&field.name.as_str()));
    });
    has
}

/// The same of what it wants, and not of what it leaves out.
fn wants(query: &Query<FieldTerm>, fields: &[&str]) -> bool {
    match query {
        Query::And(parts) | Query::Or(parts) => parts.iter().any(|part| wants(part, fields)),
        Query::Not(_) => false,
        Query::Term(_) => names(query, fields),
    }
}

/// Whether what a filter finds depends on the index of texts.
pub(in crate::work) fn depends_on_texts(filter: &str, has_index: bool) -> bool {
    let fields = filter_fields().iter().filter(|field| field.needs_index()).map(|field| field.name);
    let (fields, mut has_plain_terms) = (fields.collect::<Vec<_>>(), false);
    parse_fields(filter).is_ok_and(|query| {
        query.for_each_term(&mut |term| has_plain_terms |= term.field.is_none() && term.test != TextTest::Any);
        names(&query, &fields) || has_index && has_plain_terms
    })
}

mod answers;
mod terms;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod line_tests;
