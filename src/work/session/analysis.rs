//! Analyses of the open workspace.

use super::*;
use crate::captures::Media;
use crate::search::{CaptureFacts, FacetKind, Period, PeriodCount};
use crate::work::CheckPagesReport;
use crate::work::analysis::{
    AnalysedCaptures, AnalysisInputs, AnalysisReport, EntityDetail, PersonalDataFound, with_personal_data,
};
use crate::work::find::search::{NoQuery, SearchQuery};

/// A term over time.
#[derive(Debug, Clone, PartialEq)]
pub struct TermOverTime {
    /// The term.
    pub term: String,
    /// Captures with it, by month.
    pub months: Vec<PeriodCount>,
}

impl Session {
    /// Analyses what inputs find, after the index has followed up. Where nothing changed since a run with the same inputs,
    /// that one has the results.
    ///
    /// # Errors
    ///
    /// Inputs without meaning; a catalogue, an index or a file of analyses that cannot be read or written; `Cancelled`.
    pub fn analyse(&self, inputs: &AnalysisInputs, cx: &JobCx) -> anyhow::Result<AnalysisReport> {
        if work::is_index_behind(&self.workspace)? || !work::has_index(&self.workspace) {
            self.index_texts(false, cx)?;
        }
        let _guard = lock_unless_cancelled(&self.indexing, "Waiting for another index job", cx)?;
        self.with_captures(inputs, |of| {
            self.run_job(JobKind::Analyse, || work::analysis::analyse(&self.workspace, inputs, &of, cx))
        })
    }

    /// Runs the review checks, as far as something changed since they ran last, after the index has followed up.
    ///
    /// # Errors
    ///
    /// A catalogue or an index that cannot be read or written; `Cancelled`: what was read by then need not be read again.
    pub fn check_pages(&self, cx: &JobCx) -> anyhow::Result<CheckPagesReport> {
        if work::is_index_behind(&self.workspace)? || !work::has_index(&self.workspace) {
            self.index_texts(false, cx)?;
        }
        let _guard = lock_unless_cancelled(&self.indexing, "Waiting for another index job", cx)?;
        self.run_job(JobKind::CheckPages, || work::check_pages(&self.workspace, cx))
    }

    /// Runs the checks by themselves after captures came, and their index with them. Where nothing changed since they ran
    /// last, nothing is done and noted.
    ///
    /// # Errors
    ///
    /// As [`Self::check_pages`].
    pub fn follow_checks(&self, cx: &JobCx) -> anyhow::Result<Option<CheckPagesReport>> {
        if work::is_index_behind(&self.workspace)? || !work::has_index(&self.workspace) {
            self.index_texts(false, cx)?;
        }
        let _guard = lock_unless_cancelled(&self.indexing, "Waiting for another index job", cx)?;
        if !work::are_checks_due(&self.workspace)? {
            return Ok(None);
        }
        self.run_follow_up(JobKind::CheckPages, || work::check_pages(&self.workspace, cx)).map(Some)
    }

    /// Analyses what the index has of the campaigns that are analysed after each run, while captures come.
    /// What is found is searched and shown; the run after the crawl takes the place of what this one keeps.
    ///
    /// # Errors
    ///
    /// As [`Self::analyse`].
    pub fn follow_analyses(&self, cx: &JobCx) -> anyhow::Result<Vec<AnalysisReport>> {
        let mut reports = Vec::new();
        if !work::has_index(&self.workspace) {
            return Ok(reports);
        }
        for campaign in self.catalogue().campaign_numbers()? {
            if !self.catalogue().campaign(campaign).is_ok_and(|(_, of)| of.analyse_after_run) {
                continue;
            }
            let _guard = lock_unless_cancelled(&self.indexing, "Waiting for another index job", cx)?;
            let inputs = AnalysisInputs { campaigns: vec![campaign], ..AnalysisInputs::default() };
            let report = self.with_captures(&inputs, |of| {
                let of = AnalysedCaptures { is_interim: true, ..of };
                self.run_follow_up(JobKind::Analyse, || work::analysis::analyse(&self.workspace, &inputs, &of, cx))
            })?;
            reports.push(report);
        }
        Ok(reports)
    }

    /// The texts of captures that inputs find which hold personal data.
    ///
    /// # Errors
    ///
    /// Inputs without meaning; a catalogue or an index that cannot be read; `Cancelled`.
    pub fn personal_data(&self, inputs: &AnalysisInputs, cx: &JobCx) -> anyhow::Result<Vec<PersonalDataFound>> {
        self.with_captures(inputs, |of| with_personal_data(&self.workspace, &of, cx))
    }

    /// Captures with each of some terms in their main text, by month of capture.
    ///
    /// # Errors
    ///
    /// A catalogue or an index that cannot be read.
    pub fn terms_over_time(&self, terms: &[String]) -> anyhow::Result<Vec<TermOverTime>> {
        let of = |term: &String| {
            let text = format!("main:{}", crate::query::quoted_value(term));
            let query = SearchQuery { text, ..SearchQuery::default() };
            let months = self.search_counts(&query, &[], Some(Period::Month))?.histogram;
            Ok(TermOverTime { term: term.clone(), months })
        };
        terms.iter().map(of).collect()
    }

    /// Looks in the texts of a kept selection for personal data.
    ///
    /// # Errors
    ///
    /// As [`Self::personal_data`].
    pub(super) fn check_personal_data(
        &self,
        spec: &SelectionSpec,
        cx: &JobCx,
    ) -> anyhow::Result<work::PersonalDataCheck> {
        let (campaign, query) = (spec.campaign, "selected:yes");
        let folder = self.workspace.folder().display();
        let command = format!("fonds analyse personal {folder} --campaign {campaign} --query {query}");
        let index = self.search.index(self.catalogue(), &work::index_folder(&self.workspace))?;
        let Some(index) = index else { return Ok(work::PersonalDataCheck { command, ..Default::default() }) };
        let through = CaptureId::new(index.mark()?.unwrap_or_default().through);
        let unindexed = self.catalogue().captures_behind(through)?;
        let inputs = AnalysisInputs { campaigns: vec![campaign], query: query.to_owned(), ..AnalysisInputs::default() };
        let texts = Some(self.personal_data(&inputs, cx)?.len() as u64);
        Ok(work::PersonalDataCheck { texts, unindexed, command })
    }

    /// Whether there is an analysis that ended.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn is_analysed(&self) -> anyhow::Result<bool> {
        Ok(work::analysis_runs(&self.workspace)?.iter().any(|run| run.ended.is_some()))
    }

    /// The columns of all captures.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub(in crate::work) fn facts(&self) -> anyhow::Result<Arc<CaptureFacts>> {
        self.search.facts(self.catalogue())
    }

    fn with_captures<T>(
        &self,
        inputs: &AnalysisInputs,
        run: impl FnOnce(AnalysedCaptures<'_>) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let mut captures = self.found(&inputs.search())?.map_err(NoQuery)?.captures;
        let facts = self.facts()?;
        // Style sheets, scripts and data name nobody.
        let is_code = |media: &str| [Media::Code, Media::Data].iter().any(|code| code.as_str() == media);
        let code = facts.with_value(FacetKind::Media, is_code);
        captures.difference_with(&code);
        let index = self.search.index(self.catalogue(), &work::index_folder(&self.workspace))?;
        let index = index.context("there is no text index; build it: fonds index DIR")?;
        let mut all = index.versions()?;
        all.difference_with(&facts.versions_of(&code));
        run(AnalysedCaptures { index: &index, facts: &facts, all, captures, is_interim: false })
    }

    /// What an entity that is called so, or has this URI, is in a run: where it is named, beside whom, and when.
    ///
    /// # Errors
    ///
    /// There is no such run, or a file that cannot be read.
    pub fn entity_detail(&self, run: Option<i64>, name: &str, period: Period) -> anyhow::Result<Vec<EntityDetail>> {
        let facts = self.facts()?;
        work::analysis::entity_detail(&self.workspace, &facts, run, (name, period))
    }
}
