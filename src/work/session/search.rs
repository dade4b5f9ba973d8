//! Searching the open workspace.

use super::*;
use crate::analysis::{Judgement, Matcher};
use crate::campaign::{Request, Term};
use crate::search::{FacetKind, FacetValue, Period, PeriodCount};
use crate::work::find::saved_searches::SavedSearch;
use crate::work::find::search::{Found, NoQuery, SearchAnswer, SearchQuery};
use crate::work::{SearchJudgements, TextIndexReport};

/// Counts of the captures that a search found, by facet and by period.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchCounts {
    /// The error of the query.
    pub problem: Option<String>,
    /// Values of each requested facet, the most frequent first, in captures.
    pub facets: Vec<(FacetKind, Vec<FacetValue>)>,
    /// Captures of each period.
    pub histogram: Vec<PeriodCount>,
}

impl Session {
    /// Indexes the texts of captures that came since the last time, or of all.
    ///
    /// # Errors
    ///
    /// As [`work::index_texts`].
    pub fn index_texts(&self, from_scratch: bool, cx: &JobCx) -> anyhow::Result<TextIndexReport> {
        let _guard = lock_unless_cancelled(&self.indexing, "Waiting for another index job", cx)?;
        self.run_job(JobKind::IndexTexts, || {
            let report = work::index_texts(&self.workspace, from_scratch, cx)?;
            // Kept beside the index for the programs that start after this one.
            self.search.facts(self.catalogue())?;
            Ok(report)
        })
    }

    /// Indexes the texts of captures that came since the last time, and anchors of inlinks that
    /// were built since, while other work goes on. Where there are none, nothing is done and noted.
    ///
    /// # Errors
    ///
    /// As [`work::index_politely`].
    pub fn follow_index(&self, cx: &JobCx) -> anyhow::Result<Option<TextIndexReport>> {
        let _guard = lock_unless_cancelled(&self.indexing, "Waiting for another index job", cx)?;
        if !work::is_index_behind(&self.workspace)? {
            return Ok(None);
        }
        self.run_follow_up(JobKind::IndexTexts, || work::index_politely(&self.workspace, cx)).map(Some)
    }

    /// Follows up the index as [`Self::follow_index`], and analyses as [`Self::follow_analyses`], now and then, as long as
    /// captures come.
    ///
    /// # Errors
    ///
    /// As [`Self::follow_index`], and `Cancelled`.
    pub fn follow_index_while(&self, captures_come: impl Fn() -> bool, cx: &JobCx) -> anyhow::Result<()> {
        work::follow_while(cx, captures_come, || {
            self.follow_index(cx)?;
            self.follow_analyses(cx).map(drop)
        })
    }

    /// The results of a query, best first. Errors of the query itself are in the answer.
    ///
    /// # Errors
    ///
    /// A catalogue or index that cannot be read.
    pub fn search(&self, search: &SearchQuery) -> anyhow::Result<SearchAnswer> {
        let mut answer = match self.found(search)? {
            Ok(found) => found.answer(&self.workspace, search)?,
            Err(problem) => SearchAnswer { problem: Some(problem), ..SearchAnswer::default() },
        };
        let line = search.query_line();
        if answer.problem.is_none() && !line.is_empty() {
            let mut judgements = self.search_judgements(line)?;
            for hit in &mut answer.hits {
                hit.judgements = judgements.of_version.remove(&hit.version).unwrap_or_default();
            }
            answer.evaluation = judgements.evaluation;
        }
        if let Some(index) = self.search.index(self.catalogue(), &work::index_folder(&self.workspace))? {
            let through = index.mark()?.unwrap_or_default().through;
            answer.waiting = Some(self.catalogue().captures_behind(CaptureId::new(through))?);
        }
        Ok(answer)
    }

    /// Counts the results of a query by the values of facets and over time.
    ///
    /// # Errors
    ///
    /// As [`Self::search`].
    pub fn search_counts(
        &self,
        search: &SearchQuery,
        facets: &[FacetKind],
        period: Option<Period>,
    ) -> anyhow::Result<SearchCounts> {
        let found = match self.found(search)? {
            Ok(found) => found,
            Err(problem) => return Ok(SearchCounts { problem: Some(problem), ..SearchCounts::default() }),
        };
        let histogram = period.map(|period| found.histogram(period)).unwrap_or_default();
        let mut counts = SearchCounts { problem: None, facets: Vec::new(), histogram };
        let mut of_columns = found.facets(self.catalogue(), facets)?.into_iter();
        for kind in facets {
            let of_column = of_columns.next().unwrap_or_default();
            let values = match kind {
                FacetKind::Term => {
                    let terms = self.request_terms(search.campaign)?;
                    found.term_facet(&self.workspace, &self.search, terms)?
                }
                FacetKind::Kind => found.kind_facet(&self.workspace, &self.search)?,
                FacetKind::Entity => found.entity_facet(&self.workspace, &self.search)?,
                FacetKind::Since => found.since_facet(self.catalogue())?,
                _ => of_column,
            };
            counts.facets.push((*kind, values));
        }
        Ok(counts)
    }

    /// The terms that count for the request of a campaign, or of the only one there is, as requests and
    /// in its order.
    fn request_terms(&self, campaign: Option<CampaignId>) -> anyhow::Result<Vec<String>> {
        let spec = match campaign {
            Some(campaign) => Some(self.catalogue().campaign(campaign)?),
            // The only one may be one that cannot be read.
            None => self.catalogue().only_campaign()?.and_then(|only| self.catalogue().campaign(only).ok()),
        };
        let Some((_, spec)) = spec else { return Ok(Vec::new()) };
        let matcher = Matcher::compile(&spec.request);
        let mut terms = Vec::new();
        for (nth, term) in matcher.terms().iter().enumerate().filter(|(nth, _)| matcher.speaks_for(*nth)) {
            // How much it counts, and what names it, is no part of what it finds.
            let alone = Term { weight: 1.0, uri: None, ..term.clone() }.to_string();
            if matcher.may_be_met(nth) && !terms.contains(&alone) {
                terms.push(alone);
            }
        }
        terms.truncate(work::find::search::MOST_TERMS);
        Ok(terms)
    }

    /// Counts the rows of the captures table by the values of facets: whatever is chosen of a facet
    /// itself, so that a further value can be chosen.
    ///
    /// # Errors
    ///
    /// A catalogue or index that cannot be read.
    pub fn capture_facets(&self, query: &CaptureQuery) -> anyhow::Result<SearchCounts> {
        let captures = match self.catalogue().matching_captures(query) {
            Ok(captures) => captures,
            Err(crate::store::StoreError::Filter(why)) => {
                return Ok(SearchCounts { problem: Some(why), ..SearchCounts::default() });
            }
            Err(error) => return Err(error.into()),
        };
        let facts = self.search.facts(self.catalogue())?;
        let counts = work::find::search::facet_counts(self.catalogue(), &facts, query, &captures, &FacetKind::ALL)?;
        let mut facets: Vec<(FacetKind, Vec<FacetValue>)> = FacetKind::ALL.into_iter().zip(counts).collect();
        if let Some((_, values)) = facets.iter_mut().find(|(kind, _)| *kind == FacetKind::Kind) {
            *values = self.search.kind_facet(&self.workspace, query, &captures)?;
        }
        if let Some((_, values)) = facets.iter_mut().find(|(kind, _)| *kind == FacetKind::Entity) {
            *values = self.search.entity_facet(&self.workspace, query, &captures)?;
        }
        if let Some((_, values)) = facets.iter_mut().find(|(kind, _)| *kind == FacetKind::Since) {
            *values = work::find::search::since_facet(self.catalogue(), query, &captures)?;
        }
        Ok(SearchCounts { facets, ..SearchCounts::default() })
    }

    /// Tries a request among the captures of a campaign, with so many of the best and the worst.
    ///
    /// # Errors
    ///
    /// A catalogue or index that cannot be read.
    pub fn request_sample(
        &self,
        request: &Request,
        campaign: Option<CampaignId>,
        each: usize,
    ) -> anyhow::Result<RequestSample> {
        work::find::request_sample::request_sample(&self.workspace, &self.search, request, campaign, each)
    }

    /// Saves a search under a name, in the place of one that had it; whether there was one.
    ///
    /// # Errors
    ///
    /// A query without meaning, and errors of [`work::save_search`].
    pub fn save_search(&self, name: &str, search: &SearchQuery, who: &str) -> anyhow::Result<bool> {
        // A query that is not understood is refused here, not when it is opened again.
        if let Err(problem) = self.found(search)? {
            anyhow::bail!("the query cannot be read: {problem}");
        }
        let search = SavedSearch {
            name: name.to_owned(),
            query: search.text.trim().to_owned(),
            order: search.order,
            shows_all: search.shows_all,
            who: who.to_owned(),
            date: CaptureDate::now(),
        };
        work::save_search(self.catalogue(), search)
    }

    /// Keeps judgements of a person on captures as results of a query, with their ranks by relevance
    /// now; none takes back what the person gave before.
    ///
    /// # Errors
    ///
    /// No query, or one that cannot be read; a catalogue or index that cannot be read or written.
    pub fn judge(
        &self,
        search: &SearchQuery,
        captures: &[CaptureId],
        judgement: Option<Judgement>,
        who: &str,
    ) -> anyhow::Result<()> {
        let line = search.query_line();
        anyhow::ensure!(!line.is_empty(), "results are judged by a query, and it is empty; type one first");
        let places = match self.found(search)? {
            Ok(found) => found.places(search, captures)?,
            Err(problem) => anyhow::bail!("the query cannot be read: {problem}"),
        };
        let given = places.into_iter().map(|(capture, rank)| (capture, rank, judgement)).collect();
        self.give_judgements(line.to_owned(), given, who)
    }

    /// The judgements of the results of a query.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn search_judgements(&self, line: &str) -> anyhow::Result<SearchJudgements> {
        SearchJudgements::of(self.catalogue(), line)
    }

    pub(super) fn found(&self, search: &SearchQuery) -> anyhow::Result<Result<Found, String>> {
        match Found::of(self.catalogue(), &work::index_folder(&self.workspace), &self.search, search) {
            Ok(found) => Ok(Ok(found)),
            Err(error) => match error.downcast::<NoQuery>() {
                Ok(NoQuery(why)) => Ok(Err(why)),
                Err(error) => match error.downcast::<crate::store::StoreError>() {
                    Ok(crate::store::StoreError::Filter(why)) => Ok(Err(why)),
                    Ok(error) => Err(error.into()),
                    Err(error) => Err(error),
                },
            },
        }
    }
}
