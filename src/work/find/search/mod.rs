//! Searching a workspace: what a query finds, in which order, and how it is
//! spread over hosts, languages, years and the rest.

use super::request_sample::meeting_request;
use super::text_index::open_index;
use crate::analysis::{Highlighter, Judgement, SearchEvaluation};
use crate::jobs::lock;
use crate::query::{FieldTerm, Query, Wider, parse_fields, quoted_value, wider};
use crate::search::{
    CaptureFacts, FacetKind, FacetValue, NearGroups, Period, PeriodCount, TextIndex, TextIndexError, stem_term,
};
use crate::store::{Catalogue, Workspace};
use crate::work::models::{CampaignId, CaptureId, CaptureRow};
use fixedbitset::FixedBitSet;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

pub(in crate::work) use answers::TextAnswers;
use answers::{of_campaign, with_text};
use dates::days_of;
pub(in crate::work) use terms::MOST_TERMS;
use terms::{KnownTerms, with_terms};

/// The best versions that are looked at when similar ones are folded.
const MOST_RANKED: usize = 1_000;
/// Versions that `like:` finds at most.
const MOST_SIMILAR: usize = 100;
/// Characters of the text that are shown of a result.
const SNIPPET_CHARS: usize = 240;
/// Versions of one host among the results before further ones are folded.
const MOST_OF_HOST: usize = 2;

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

/// A value of a facet that results must have, or must not have.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FacetChoice {
    /// Of what.
    #[serde(rename = "facet")]
    pub kind: FacetKind,
    /// The value; empty for what has none.
    pub value: String,
    /// It must not have it.
    #[serde(default, rename = "excluded")]
    pub is_excluded: bool,
}

/// What is searched for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct SearchQuery {
    /// The query as it was typed; an empty one finds everything.
    pub text: String,
    /// Values chosen beside it: of one facet any of them, of each facet one.
    pub facets: Vec<FacetChoice>,
    /// The campaign whose captures are searched; all without one.
    pub campaign: Option<CampaignId>,
    /// In which order.
    pub order: SearchOrder,
    /// Results that are left out at the beginning.
    pub offset: usize,
    /// Results at most.
    pub limit: usize,
    /// Shows every result; otherwise further ones of a host, and near-duplicates, are folded into the first.
    pub shows_all: bool,
    /// Leaves out the part of the text that shows why a result was found.
    pub without_snippets: bool,
}

impl SearchQuery {
    /// The filter line that finds the same captures in the table of captures.
    pub fn filter_line(&self) -> String {
        let mut parts = Vec::new();
        if !self.text.trim().is_empty() {
            parts.push(format!("found:{}", quoted_value(&self.text)));
        }
        let mut kinds: Vec<FacetKind> = self.facets.iter().map(|choice| choice.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for kind in kinds {
            let of = |is_excluded| {
                self.facets.iter().filter(move |other| other.kind == kind && other.is_excluded == is_excluded)
            };
            let any: Vec<String> = of(false).map(|choice| facet_filter(kind, &choice.value)).collect();
            match any.as_slice() {
                [] => {}
                [one] => parts.push(one.clone()),
                several => parts.push(format!("({})", several.join(" OR "))),
            }
            parts.extend(of(true).map(|choice| format!("NOT {}", facet_filter(kind, &choice.value))));
        }
        parts.join(" ")
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
    /// The results asked for.
    pub hits: Vec<Hit>,
    /// Captures that the index does not have yet; none where there is no index.
    pub waiting: Option<u64>,
    /// The filter line that finds the same captures in the table of captures.
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
    facts: Mutex<Option<([i64; 7], Arc<CaptureFacts>)>>,
    near: Mutex<Option<(SystemTime, Arc<NearGroups>)>>,
    with_text: Mutex<Option<([i64; 7], Arc<FixedBitSet>)>>,
    /// The captures that hold terms of requests, with what they were found of.
    terms: Mutex<Option<KnownTerms>>,
}

impl SearchRoom {
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
            _ => (Arc::default(), [0; 7]),
        };
        if before != stamp {
            catalogue.fill_facts(Arc::make_mut(&mut facts))?;
        }
        *known = Some((stamp, Arc::clone(&facts)));
        Ok(facts)
    }

    /// The captures that have text of their own, which a request is held against.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub(in crate::work) fn with_text(&self, catalogue: &Catalogue) -> anyhow::Result<Arc<FixedBitSet>> {
        let stamp = catalogue.facts_stamp()?;
        let mut known = lock(&self.with_text);
        if let Some((before, captures)) = &*known
            && *before == stamp
        {
            return Ok(Arc::clone(captures));
        }
        let captures = catalogue.captures_with_text()?;
        let captures = Arc::new(captures.into_iter().filter_map(|capture| usize::try_from(capture).ok()).collect());
        *known = Some((stamp, Arc::clone(&captures)));
        Ok(captures)
    }
}

/// The captures that a query and chosen values find.
pub(in crate::work) struct Found {
    facts: Arc<CaptureFacts>,
    index: Option<TextIndex>,
    near: Option<Arc<NearGroups>>,
    query: Query<FieldTerm>,
    /// Captures of the campaign that is searched; none where all are.
    of_campaign: Option<FixedBitSet>,
    /// Captures that the query finds, whatever is chosen beside it.
    by_query: FixedBitSet,
    /// Captures that the chosen values of each facet leave.
    by_facet: Vec<(FacetKind, FixedBitSet)>,
    /// Captures that all of it finds.
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
        let query = parse_fields(&search.text).map_err(|error| NoQuery(error.to_string()))?;
        let campaign = catalogue.query_campaign(search.campaign, &query)?;
        let (index, facts) = (room.index(catalogue, folder)?, room.facts(catalogue)?);
        let near = index.as_ref().and_then(|_| room.near(folder));
        let (of_index, of_near) = (index.as_ref(), near.as_deref());
        let context = QueryContext { catalogue, folder, facts: &facts, index: of_index, near: of_near, campaign };
        let mut by_query = context.captures(&query)?;
        let of_campaign = campaign.map(|campaign| of_campaign(&facts, campaign));
        of_campaign.iter().for_each(|of| by_query.intersect_with(of));
        let mut kinds: Vec<FacetKind> = search.facets.iter().map(|choice| choice.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let mut by_facet = Vec::new();
        for kind in kinds {
            let left = match kind {
                FacetKind::Term => with_terms(&context, room, &search.facets)?,
                kind => chosen(&facts, kind, &search.facets),
            };
            by_facet.push((kind, left));
        }
        let mut captures = by_query.clone();
        by_facet.iter().for_each(|(_, left)| captures.intersect_with(left));
        Ok(Self { facts, index, near, query, of_campaign, by_query, by_facet, captures })
    }

    /// How often the captures found have each value of facets: whatever is
    /// chosen of a facet itself, so that a further value can be chosen.
    pub(in crate::work) fn facets(&self, kinds: &[FacetKind]) -> Vec<Vec<FacetValue>> {
        let mut counts = self.facts.counts(kinds, &self.captures);
        for (kind, values) in kinds.iter().zip(&mut counts) {
            if let Cow::Owned(captures) = self.captures_beside(*kind) {
                *values = self.facts.count(*kind, &captures);
            }
        }
        counts
    }

    /// The captures found, whatever is chosen of a facet.
    fn captures_beside(&self, kind: FacetKind) -> Cow<'_, FixedBitSet> {
        if !self.by_facet.iter().any(|(chosen, _)| *chosen == kind) {
            return Cow::Borrowed(&self.captures);
        }
        let mut captures = self.by_query.clone();
        for (_, left) in self.by_facet.iter().filter(|(chosen, _)| *chosen != kind) {
            captures.intersect_with(left);
        }
        Cow::Owned(captures)
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
            let mut is_ranked = FixedBitSet::with_capacity(versions.len());
            ranked.iter().for_each(|(version, _)| is_ranked.insert(*version));
            let last_ms = |version: usize| {
                // Most versions have one capture.
                if self.facts.is_single(version) {
                    return self.facts.date_ms_of(version);
                }
                let found = self.facts.captures_of_version(version).filter(|capture| self.captures.contains(*capture));
                found.map(|capture| self.facts.date_ms_of(capture)).max().unwrap_or_default()
            };
            // The first ones of their order so far, the last of them on top.
            let mut first: BinaryHeap<(i64, usize)> = BinaryHeap::new();
            let most = most - ranked.len();
            for version in versions.ones().filter(|version| !is_ranked.contains(*version)) {
                let date_ms = last_ms(version);
                let one = (if order == SearchOrder::Oldest { date_ms } else { date_ms.saturating_neg() }, version);
                if first.len() < most {
                    first.push(one);
                } else if let Some(mut last) = first.peek_mut().filter(|last| one < **last) {
                    *last = one;
                }
            }
            ranked.extend(first.into_sorted_vec().into_iter().map(|(_, version)| (version, 0.0)));
        }
        Ok(ranked)
    }

    /// The results asked for, and what was found in all.
    pub(in crate::work) fn answer(&self, workspace: &Workspace, search: &SearchQuery) -> anyhow::Result<SearchAnswer> {
        let versions = Arc::new(self.facts.versions_of(&self.captures));
        let kept = self.listed(&versions, search)?;
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
            wider: if versions.is_clear() { wider(&self.query) } else { Vec::new() },
            hits: hits.into_iter().flatten().collect(),
            waiting: None,
            filter: search.filter_line(),
            evaluation: SearchEvaluation::default(),
        })
    }

    /// The results as they are listed: version, relevance, and how many are folded into it.
    fn listed(&self, versions: &Arc<FixedBitSet>, search: &SearchQuery) -> anyhow::Result<Vec<(usize, f32, u64)>> {
        let most = (search.offset + search.limit).max(if search.shows_all { 0 } else { MOST_RANKED });
        let ranked = self.ranked(versions, search.order, most)?;
        let folds = Folds {
            hosts: !search.shows_all
                && !names(&self.query, &["host", "fqdn"])
                && !search.facets.iter().any(|choice| choice.kind == FacetKind::Host)
                && self.has_several_hosts(versions),
            similar: !search.shows_all && !names(&self.query, &["similar"]),
        };
        Ok(self.folded(ranked, folds))
    }

    /// Whether versions are of different hosts: where one is all there is, its results stand for nothing else.
    fn has_several_hosts(&self, versions: &FixedBitSet) -> bool {
        let mut hosts = versions.ones().map(|version| self.facts.host_of(version));
        let first = hosts.next();
        hosts.any(|host| Some(host) != first)
    }

    /// The place of captures among the results by relevance, from 1; none for
    /// one that is not among the first [`MOST_RANKED`], or is folded into another.
    pub(in crate::work) fn places(
        &self,
        search: &SearchQuery,
        captures: &[CaptureId],
    ) -> anyhow::Result<Vec<(CaptureId, Option<u64>)>> {
        let search = SearchQuery { order: SearchOrder::Relevance, offset: 0, limit: MOST_RANKED, ..search.clone() };
        let listed = self.listed(&Arc::new(self.facts.versions_of(&self.captures)), &search)?;
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
        let stem = |word: &str| stem_term(&text.language, word);
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

/// The filter of captures that have a value of a facet.
pub fn facet_filter(kind: FacetKind, value: &str) -> String {
    let quoted = quoted_value(value);
    match (kind, value) {
        (FacetKind::Mark, "") => "mark:none".to_owned(),
        (FacetKind::Campaign | FacetKind::Launch, "") => format!("NOT {}:*", kind.name()),
        (FacetKind::Status, "") => "status:0".to_owned(),
        (FacetKind::TopLevel, "") => "NOT host:*.*".to_owned(),
        (FacetKind::Media | FacetKind::Language | FacetKind::Host | FacetKind::Country, _) => {
            format!("{}={quoted}", kind.name())
        }
        (FacetKind::Domain, _) => format!("host:{quoted}"),
        (FacetKind::TopLevel, _) => format!("host:*.{quoted}"),
        (FacetKind::Year, _) => format!("date:{quoted}"),
        (FacetKind::Status | FacetKind::Campaign | FacetKind::Launch | FacetKind::Mark, _) => {
            format!("{}:{quoted}", kind.name())
        }
        (FacetKind::Term, _) => format!("request:{quoted}"),
    }
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

/// Whether what a filter finds depends on the index of texts.
pub(in crate::work) fn depends_on_texts(filter: &str) -> bool {
    parse_fields(filter).is_ok_and(|query| names(&query, &TEXTS_OF_INDEX) || names(&query, &["found"]))
}

fn chosen(facts: &CaptureFacts, kind: FacetKind, choices: &[FacetChoice]) -> FixedBitSet {
    let values = |is_excluded| -> Vec<&str> {
        let of_kind = choices.iter().filter(|choice| choice.kind == kind && choice.is_excluded == is_excluded);
        of_kind.map(|choice| choice.value.as_str()).collect()
    };
    let (included, excluded) = (values(false), values(true));
    let mut left = if included.is_empty() { facts.captures().clone() } else { facts.with_value(kind, &included) };
    if !excluded.is_empty() {
        left.difference_with(&facts.with_value(kind, &excluded));
    }
    left
}

/// The captures that a query finds, with what it asks of a campaign asked of this one.
fn captures_found(
    catalogue: &Catalogue,
    folder: &Path,
    room: &SearchRoom,
    text: &str,
    campaign: Option<CampaignId>,
) -> anyhow::Result<FixedBitSet> {
    let query = parse_fields(text).map_err(|error| NoQuery(error.to_string()))?;
    let (index, facts) = (room.index(catalogue, folder)?, room.facts(catalogue)?);
    let near = index.as_ref().and_then(|_| room.near(folder));
    let (of_index, of_near) = (index.as_ref(), near.as_deref());
    QueryContext { catalogue, folder, facts: &facts, index: of_index, near: of_near, campaign }.captures(&query)
}

/// Answers the terms of a query: those of texts from the index, all others
/// from the catalogue, as its filter does.
#[derive(Clone, Copy)]
struct QueryContext<'a> {
    catalogue: &'a Catalogue,
    folder: &'a Path,
    facts: &'a CaptureFacts,
    index: Option<&'a TextIndex>,
    near: Option<&'a NearGroups>,
    campaign: Option<CampaignId>,
}

impl QueryContext<'_> {
    fn captures(&self, query: &Query<FieldTerm>) -> anyhow::Result<FixedBitSet> {
        if let Some(found) = self.of_days(query) {
            return Ok(found);
        }
        // A part without texts is one question to the catalogue.
        if !query.is_empty() && !self.has_texts(query) {
            let mut found = FixedBitSet::with_capacity(self.facts.captures().len());
            for capture in self.catalogue.captures_where(query, self.campaign)? {
                if let Ok(capture) = usize::try_from(capture)
                    && capture < found.len()
                {
                    found.insert(capture);
                }
            }
            return Ok(found);
        }
        Ok(match query {
            Query::And(parts) => {
                let mut found = self.facts.captures().clone();
                let (texts, others): (Vec<_>, Vec<_>) = parts.iter().cloned().partition(|part| self.has_texts(part));
                for part in &texts {
                    found.intersect_with(&self.captures(part)?);
                }
                if !others.is_empty() {
                    found.intersect_with(&self.captures(&Query::And(others))?);
                }
                found
            }
            Query::Or(parts) => {
                let mut found = FixedBitSet::with_capacity(self.facts.captures().len());
                for part in parts {
                    found.union_with(&self.captures(part)?);
                }
                found
            }
            Query::Not(part) => {
                let mut found = self.facts.captures().clone();
                found.difference_with(&self.captures(part)?);
                found
            }
            Query::Term(term) => match self.index {
                Some(index) => with_text(index, self.near, self.facts, term)?,
                None => {
                    return Err(NoQuery(format!(
                        "column {}: {}",
                        term.column,
                        TextIndexError::Absent(self.folder.to_owned())
                    ))
                    .into());
                }
            },
        })
    }

    /// The captures of a query that speaks of dates alone; none where it does
    /// not, or of others than whole days.
    fn of_days(&self, query: &Query<FieldTerm>) -> Option<FixedBitSet> {
        let of_term = |query: &Query<FieldTerm>| {
            let Query::Term(FieldTerm { field: Some(field), .. }) = query else { return None };
            (field.name == "date").then(|| days_of(field)).flatten()
        };
        let days = match query {
            Query::And(parts) if !parts.is_empty() => {
                let mut days = parts.iter().map(of_term);
                days.try_fold((i32::MIN, i32::MAX), |(first, last), days| {
                    days.map(|(from, to)| (first.max(from), last.min(to)))
                })
            }
            term => of_term(term),
        };
        days.map(|(first, last)| self.facts.captures_of_days(first..=last))
    }

    /// Whether the index has to be asked.
    fn has_texts(&self, query: &Query<FieldTerm>) -> bool {
        let mut has = false;
        query.for_each_term(&mut |term| {
            has |= match &term.field {
                // Without an index, URLs and titles are searched.
                None => self.index.is_some(),
                Some(field) => TEXTS_OF_INDEX.contains(&field.name.as_str()),
            };
        });
        has
    }
}

/// Fields of text that the index alone has.
const TEXTS_OF_INDEX: [&str; 6] = ["text", "main", "rest", "anchors", "like", "similar"];

mod answers;
mod dates;
mod terms;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
