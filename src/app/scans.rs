//! Queries over everything that was ever seen, which take seconds.
//!
//! In: a query, repeated with every frame. Out: its answer when it is
//! there, and of what is being edited the last answer until then. Each kind of query has one
//! answer and one thread: another query stops the work on the last one,
//! whose answer is dropped. A query that is still being changed waits until it
//! has been the same for a moment.
//!
//! Not here: short queries (see `loader`).

use super::loader::{ReadCx, no_workspace};
use super::models::{
    CampaignId, CitedBy, CitedPages, Drift, FoundRecords, GeoReport, HostTable, LaunchId, Loaded, Notice, RuleMatches,
    RuleReport, WhatIfAnswer,
};
use crate::campaign::{Campaign, CampaignProblem};
use crate::jobs::{self, JobCx, JobHandle, Outcome, Progress};
use crate::scope::{DecideRules, RuleRemark};
use crate::uri::CaptureDate;
use crate::work::Session;
use crate::work::models::ProblemId;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time without another edit before an edit is tried.
const SETTLED: Duration = Duration::from_millis(300);
/// A query is repeated when the catalogue has changed, but not sooner than this.
const SHORTEST_WAIT: Duration = Duration::from_secs(10);
/// … nor sooner than this many times what the last answer took.
const WAIT_FACTOR: u32 = 8;
/// Time between two looks at the progress.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// The long queries of the window, one at a time of each kind.
pub struct Scans {
    /// The changes of an edited specification.
    pub(super) what_if: Scan<(CampaignId, Campaign), WhatIfAnswer>,
    /// The lines of the rules of an edited campaign; one that was edited again is another query.
    pub(super) rule_lines: Scan<Arc<Campaign>, Vec<RuleLine>>,
    /// The number of times that each rule matched and decided.
    pub(super) rule_hits: Scan<CampaignId, RuleReport>,
    /// The URLs that one rule had an opinion of.
    pub(super) rule_matches: Scan<(CampaignId, usize), RuleMatches>,
    /// Hosts that only their location let in.
    pub(super) geo_report: Scan<CampaignId, GeoReport>,
    /// Hosts whose verdicts another database would change.
    pub(super) drift: Scan<(CampaignId, PathBuf), Drift>,
    /// The record that a problem is about.
    pub(super) problem_record: Scan<ProblemId, String>,
    /// The records that an import counted, in all files or in one.
    pub(super) import_records: Scan<(LaunchId, Option<String>), FoundRecords>,
    /// Hosts with what links to them, in a folder or here.
    pub(super) link_hosts: Scan<Option<PathBuf>, Option<HostTable>>,
    /// Pages that are linked to, in a folder or here.
    pub(super) cited_pages: Scan<(Option<PathBuf>, CitedBy), Option<CitedPages>>,
}

impl Default for Scans {
    fn default() -> Self {
        Self {
            what_if: Scan { settled: SETTLED, keeps_last: true, ..Scan::new("what if") },
            rule_lines: Scan {
                settled: SETTLED,
                begins_at_once: true,
                keeps_last: true,
                ..Scan::new("words of rules")
            },
            rule_hits: Scan::new("rule hits"),
            rule_matches: Scan::new("matches of a rule"),
            geo_report: Scan::new("geo report"),
            drift: Scan::new("geo drift"),
            problem_record: Scan::new("record of a problem"),
            import_records: Scan::new("records of an import"),
            link_hosts: Scan::new("hosts by their links"),
            cited_pages: Scan::new("cited pages"),
        }
    }
}

/// A kind of long query: the one that runs, and the last answer.
pub(super) struct Scan<Q, T> {
    name: &'static str,
    settled: Duration,
    /// Whether the first query is no edit: then it begins at once.
    begins_at_once: bool,
    /// Whether the answer to another question is worth a look until the new one is there.
    keeps_last: bool,
    pending: Option<Pending<Q, T>>,
    shown: Option<Shown<Q, T>>,
}

struct Pending<Q, T> {
    query: Q,
    since: Instant,
    /// Time without a change before it begins.
    settled: Duration,
    running: Option<(Instant, u64, JobHandle<T>)>,
}

impl<Q, T> Pending<Q, T> {
    fn stop(&mut self) {
        if let Some((_, _, handle)) = self.running.take() {
            handle.cx.cancel();
        }
    }
}

impl<Q, T> Drop for Pending<Q, T> {
    fn drop(&mut self) {
        self.stop();
    }
}

struct Shown<Q, T> {
    query: Q,
    revision: u64,
    at: Instant,
    took: Duration,
    value: Result<Arc<T>, Notice>,
}

impl<Q, T> Scan<Q, T>
where
    Q: Clone + Send + 'static,
    T: Send + Sync + 'static,
{
    /// Queries that begin at once; lists of one are not shown under another.
    fn new(name: &'static str) -> Self {
        Self { name, settled: Duration::ZERO, begins_at_once: false, keeps_last: false, pending: None, shown: None }
    }

    /// The answer that can be shown of the query that `is_same` knows and `make` makes.
    /// The answer may be another one when the catalogue has changed.
    pub(super) fn get(
        &mut self,
        cx: &ReadCx,
        is_same: impl Fn(&Q) -> bool,
        make: impl FnOnce() -> Q,
        work: impl FnOnce(&Session, Q, &JobCx) -> anyhow::Result<T> + Send + 'static,
    ) -> Loaded<Arc<T>> {
        let revision = cx.session.as_ref().map_or(0, |session| session.revision());
        self.get_as_of(revision, cx, is_same, make, work)
    }

    /// As [`get`](Self::get), where the answer may be another one only when
    /// `revision` is.
    pub(super) fn get_as_of(
        &mut self,
        revision: u64,
        cx: &ReadCx,
        is_same: impl Fn(&Q) -> bool,
        make: impl FnOnce() -> Q,
        work: impl FnOnce(&Session, Q, &JobCx) -> anyhow::Result<T> + Send + 'static,
    ) -> Loaded<Arc<T>> {
        let Some(session) = &cx.session else { return Loaded::Failed(no_workspace()) };
        self.collect();
        if !self.pending.as_ref().is_some_and(|pending| is_same(&pending.query)) {
            self.stop();
            let is_edit = self.pending.is_some() || !self.begins_at_once;
            let settled = if is_edit { self.settled } else { Duration::ZERO };
            self.pending = Some(Pending { query: make(), since: Instant::now(), settled, running: None });
        }
        let shown = self.shown.as_ref().filter(|shown| is_same(&shown.query));
        if let Some(pending) = self.pending.as_mut().filter(|pending| pending.running.is_none()) {
            let wait = match shown {
                Some(shown) if shown.revision == revision => None,
                Some(shown) => {
                    let pause = (shown.took * WAIT_FACTOR).max(SHORTEST_WAIT);
                    Some(pause.saturating_sub(shown.at.elapsed()))
                }
                None => Some(pending.settled.saturating_sub(pending.since.elapsed())),
            };
            match wait {
                None => {}
                Some(Duration::ZERO) => {
                    let (session, query) = (session.clone(), pending.query.clone());
                    let spawned = jobs::spawn(self.name, JobCx::default(), cx.wake.clone(), move |cx| {
                        work(session.as_ref(), query, cx)
                    });
                    match spawned {
                        Ok(handle) => pending.running = Some((Instant::now(), revision, handle)),
                        Err(error) => return Loaded::Failed(failed(error.to_string())),
                    }
                }
                Some(wait) => cx.put_off(wait),
            }
        }
        if self.is_running() {
            cx.put_off(POLL_INTERVAL);
        }
        match shown {
            Some(Shown { value: Ok(value), .. }) => Loaded::Ready(value.clone()),
            Some(Shown { value: Err(notice), .. }) => Loaded::Failed(notice.clone()),
            None => {
                let shown = self.shown.as_ref().filter(|_| self.keeps_last);
                Loaded::Loading { last: shown.and_then(|shown| shown.value.as_ref().ok().cloned()) }
            }
        }
    }

    /// Whether its answer is being made, or waits for the end of edits.
    fn is_waited_for(&self) -> bool {
        self.pending.as_ref().is_some_and(|pending| match &pending.running {
            Some((_, _, handle)) => !handle.is_finished(),
            // One whose page was left is not repeated.
            None => {
                pending.since.elapsed() < 2 * pending.settled
                    && self.shown.as_ref().is_none_or(|shown| shown.at < pending.since)
            }
        })
    }

    fn is_running(&self) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.running.is_some())
    }

    /// The progress of the work, while some is under way.
    pub(super) fn progress(&self) -> Option<Progress> {
        self.pending.as_ref()?.running.as_ref().map(|(_, _, handle)| handle.cx.progress())
    }

    /// Stops the work and forgets the answer.
    pub(super) fn forget(&mut self) {
        self.stop();
        self.pending = None;
        self.shown = None;
    }

    /// Forgets every other question.
    pub(super) fn keep_only(&mut self, is_shown: impl Fn(&Q) -> bool) {
        if self.pending.as_ref().is_some_and(|pending| !is_shown(&pending.query)) {
            self.forget();
        }
    }

    /// Stops the work on what is shown no more; an answer that is there stays.
    pub(super) fn cancel_unless(&mut self, is_shown: impl Fn(&Q) -> bool) {
        if self.pending.as_ref().is_some_and(|pending| !is_shown(&pending.query)) {
            self.stop();
        }
    }

    fn stop(&mut self) {
        if let Some(pending) = &mut self.pending {
            pending.stop();
        }
    }

    fn collect(&mut self) {
        let Some(pending) = &mut self.pending else { return };
        if pending.running.as_ref().is_none_or(|(_, _, handle)| !handle.is_finished()) {
            return;
        }
        let Some((begun, revision, handle)) = pending.running.take() else { return };
        let value = match handle.join() {
            Outcome::Done(value) => Ok(Arc::new(value)),
            Outcome::Cancelled => return,
            Outcome::Failed(why) => Err(failed(why)),
            Outcome::Panicked(why) => Err(failed(format!("internal error: {why}"))),
        };
        let took = begun.elapsed();
        self.shown = Some(Shown { query: pending.query.clone(), revision, at: Instant::now(), took, value });
    }
}

fn failed(why: String) -> Notice {
    Notice { is_error: true, what: "No answer".to_owned(), why, hint: String::new() }
}

impl Scans {
    /// Whether an answer is on its way. A record of a problem may be read
    /// without end, so it does not count.
    pub(super) fn is_waited_for(&self) -> bool {
        self.what_if.is_waited_for()
            || self.rule_lines.is_waited_for()
            || self.rule_hits.is_waited_for()
            || self.rule_matches.is_waited_for()
            || self.geo_report.is_waited_for()
            || self.drift.is_waited_for()
            || self.import_records.is_waited_for()
            || self.link_hosts.is_waited_for()
            || self.cited_pages.is_waited_for()
    }
}

/// A rule of a specification with its name, summary, remarks and problems.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleLine {
    /// The rule.
    pub rule: serde_json::Value,
    /// The name and the summary of the rule, or why it cannot be read.
    pub description: Result<(String, String), String>,
    /// Remarks for the person who writes it.
    pub remarks: Vec<RuleRemark>,
    /// Its problems, as the campaign's problems have them.
    pub problems: Vec<CampaignProblem>,
}

/// The rule that obeys refusals, as lists of rules show it.
pub fn refusals_rule(campaign: &Campaign) -> serde_json::Value {
    serde_json::json!({
        "rule": "refused permissions", "enabled": campaign.grounds.obey_refusals, "decision": "REJECT",
        "comment": "Of the permissions; behind all other rules"
    })
}

/// The name and the summary of each rule of a campaign.
pub(super) fn name_rules(campaign: &Campaign, cx: &JobCx) -> anyhow::Result<Vec<RuleLine>> {
    let mut one = Campaign { rules: Vec::new(), ..campaign.clone() };
    let mut lines = Vec::with_capacity(campaign.rules.len());
    let line_of = |index: usize, rule: serde_json::Value, one: &Campaign| {
        let compiled = DecideRules::compile(one);
        let first = |rules: &DecideRules| {
            let line = rules.lines().next();
            line.map(|(_, name, summary, _)| (name.to_owned(), summary)).unwrap_or_default()
        };
        let remarks = compiled.iter().flat_map(|rules| rules.remarks()).map(|(_, remark)| remark).collect();
        let in_list = |problem: CampaignProblem| CampaignProblem {
            field: problem.field.replacen("rules[0]", &format!("rules[{index}]"), 1),
            ..problem
        };
        let problems = compiled.iter().flat_map(|rules| rules.problems(CaptureDate::now())).map(in_list).collect();
        let compiled_rule = compiled.as_ref().map(first).map_err(|error| error.why.clone());
        RuleLine { rule, description: compiled_rule, remarks, problems }
    };
    for (index, rule) in campaign.rules.iter().enumerate() {
        cx.checkpoint()?;
        // Each alone: one that cannot be read does not hide the others.
        one.rules = vec![rule.clone()];
        // What the permissions refuse is a line of its own.
        one.grounds.obey_refusals = false;
        lines.push(line_of(index, rule.clone(), &one));
    }
    if campaign.has_refusals() {
        let alone = Campaign { rules: Vec::new(), ..campaign.clone() };
        lines.push(line_of(campaign.rules.len(), refusals_rule(campaign), &alone));
    }
    Ok(lines)
}

/// Whether two campaigns have the same scope, whatever else they differ in.
pub(super) fn same_scope(a: &Campaign, b: &Campaign) -> bool {
    a.has_same_rules(b)
        && a.politeness.robots == b.politeness.robots
        // robots.txt addresses the crawl by this name.
        && a.politeness.user_agent == b.politeness.user_agent
}

#[cfg(test)]
mod tests;
