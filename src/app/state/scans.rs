//! Questions about everything that was ever seen, with how far the work on each is.
//!
//! Invariant: each kind has one question at a time; what no page shows is not worked on.

use super::super::models::*;
use super::super::scans::{RuleLine, name_rules, same_scope};
use super::AppState;
use crate::campaign::Campaign;
use crate::jobs::{JobCx, Progress};
use crate::work::models::ProblemId;
use crate::work::{self, Session};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

impl AppState {
    /// Takes notice of edits, and of what they would change.
    pub(super) fn refresh_what_if(&mut self) {
        if let Some(spec) = &mut self.open.spec {
            spec.note(Instant::now());
        }
        let edited = self.open.spec.as_ref().filter(|spec| spec.changes_scope());
        let Some((id, edited)) = edited.and_then(|spec| Some((spec.id?, &spec.campaign))) else {
            if self.open.what_if.take().is_some() {
                self.open.scans.what_if.forget();
            }
            return;
        };
        let answer = self.open.scans.what_if.get(
            self.reads.cx(),
            |(of, campaign)| *of == id && same_scope(campaign, edited),
            || (id, edited.clone()),
            |session, (campaign, edited), cx| {
                let figures = work::what_if(session, campaign, None, &edited, cx)?;
                Ok(WhatIfAnswer { campaign, edited, figures })
            },
        );
        self.open.what_if = Some(answer);
    }

    /// The progress of the trial of the edits, while one is under way.
    pub fn what_if_progress(&self) -> Option<Progress> {
        self.open.scans.what_if.progress()
    }

    /// The name and the summary of each rule of a campaign; the last ones while it is being edited.
    pub fn rule_lines(&mut self, campaign: &Arc<Campaign>) -> Loaded<Arc<Vec<RuleLine>>> {
        let is_same = |query: &Arc<Campaign>| Arc::ptr_eq(query, campaign);
        let work = |_: &Session, campaign: Arc<Campaign>, cx: &JobCx| name_rules(&campaign, cx);
        self.open.scans.rule_lines.get(self.reads.cx(), is_same, || campaign.clone(), work)
    }

    /// See [`work::rule_hits`](crate::work::rule_hits).
    pub fn rule_hits(&mut self, campaign: CampaignId) -> Loaded<Arc<RuleReport>> {
        let cx = self.reads.cx();
        let of = |query: &CampaignId| *query == campaign;
        self.open.scans.rule_hits.get(
            cx,
            of,
            || campaign,
            |session, campaign, cx| work::rule_hits(session, campaign, None, cx),
        )
    }

    /// See [`work::urls_matched_by_rule`](crate::work::urls_matched_by_rule); and how far the work on it is.
    pub fn urls_matched_by_rule(
        &mut self,
        campaign: CampaignId,
        rule: usize,
    ) -> (Loaded<Arc<RuleMatches>>, Option<Progress>) {
        let (cx, scan) = (self.reads.cx(), &mut self.open.scans.rule_matches);
        let of = |query: &(CampaignId, usize)| *query == (campaign, rule);
        let work = |session: &Session, (campaign, rule), cx: &JobCx| {
            work::urls_matched_by_rule(session, campaign, None, rule, cx)
        };
        let answer = scan.get(cx, of, || (campaign, rule), work);
        (answer, scan.progress())
    }

    /// See [`work::geo_report`](crate::work::geo_report); and how far the work on it is.
    pub fn geo_report(&mut self, campaign: CampaignId) -> (Loaded<Arc<GeoReport>>, Option<Progress>) {
        let (cx, scan) = (self.reads.cx(), &mut self.open.scans.geo_report);
        let of = |query: &CampaignId| *query == campaign;
        let answer =
            scan.get(cx, of, || campaign, |session, campaign, cx| work::geo_report(session, campaign, None, cx));
        (answer, scan.progress())
    }

    /// See [`Session::geo_drift`]; and how far the work on it is.
    pub fn geo_drift(&mut self, campaign: CampaignId, newer: &Path) -> (Loaded<Arc<Drift>>, Option<Progress>) {
        let (cx, scan) = (self.reads.cx(), &mut self.open.scans.drift);
        let answer = scan.get(
            cx,
            |(query, path)| *query == campaign && path == newer,
            || (campaign, newer.to_owned()),
            |session, (campaign, newer), cx| session.geo_drift(campaign, None, &newer, cx),
        );
        (answer, scan.progress())
    }

    /// See [`work::problem_record`](crate::work::problem_record); and how far the work on it is.
    pub fn problem_record(&mut self, id: ProblemId) -> (Loaded<Arc<String>>, Option<Progress>) {
        let (cx, scan) = (self.reads.cx(), &mut self.open.scans.problem_record);
        let answer = scan.get_as_of(
            0,
            cx,
            |query| *query == id,
            || id,
            |session, id, cx| work::problem_record(&session.workspace, id, cx),
        );
        (answer, scan.progress())
    }

    /// See [`work::import_records`](crate::work::files::import_records); and how far the work on it is. While the
    /// import goes on, so does the answer.
    pub fn import_records(
        &mut self,
        launch: LaunchId,
        path: Option<&str>,
    ) -> (Loaded<Arc<FoundRecords>>, Option<Progress>) {
        let imports = match self.reads.imports() {
            Loaded::Ready(imports) | Loaded::Loading { last: Some(imports) } => imports,
            Loaded::Loading { last: None } => return (Loaded::Loading { last: None }, None),
            Loaded::Failed(notice) => return (Loaded::Failed(notice), None),
        };
        let import = imports.iter().find(|row| row.launch == launch);
        let counted = import.map_or(0, |row| row.files + row.records);
        let (cx, scan) = (self.reads.cx(), &mut self.open.scans.import_records);
        let answer = scan.get_as_of(
            counted,
            cx,
            |(of, query)| *of == launch && query.as_deref() == path,
            || (launch, path.map(str::to_owned)),
            |session, (launch, path), cx| work::import_records(&session.workspace, launch, path.as_deref(), cx),
        );
        (answer, scan.progress())
    }
}
