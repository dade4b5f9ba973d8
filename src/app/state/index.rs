//! The text index and the review checks follow imports, crawls and builds of inlinks of an open window by themselves.

use super::{Answer, AppState, JobKind};
use crate::work;
use crate::work::{FollowPace, JobReport, Report};
use std::time::Instant;

/// The state of automatic indexing: whether it is due, runs or rests.
#[derive(Debug, Default)]
pub(in crate::app) struct IndexWatch {
    /// Captures or inlinks may have come since the last check.
    is_due: bool,
    /// A worker checks.
    pending: bool,
    /// Time of the next check while captures come.
    pace: FollowPace,
    /// The time when the running follow-up began.
    begun: Option<Instant>,
    /// The last one was stopped, or failed: it waits for the end of the next job that brings something.
    rests: bool,
    /// Texts were indexed: the checks are next, once no captures come.
    checks_next: bool,
}

/// What is to follow captures that came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::app) struct FollowUps {
    /// Texts are to be indexed.
    texts: bool,
    /// Checks are to run.
    checks: bool,
}

/// Whether captures come by such a job.
fn brings_captures(kind: JobKind) -> bool {
    kind.is_crawl() || kind == JobKind::Import
}

/// Whether such a job follows captures that came.
fn follows_captures(kind: JobKind) -> bool {
    matches!(kind, JobKind::IndexTexts | JobKind::CheckPages)
}

/// Whether inlinks may be built by such a job: what leaves has all of them.
fn builds_inlinks(kind: JobKind) -> bool {
    matches!(kind, JobKind::BuildInlinks | JobKind::Export)
}

impl IndexWatch {
    /// Whether a worker checks for something to index.
    #[cfg(test)]
    pub(in crate::app) fn is_pending(&self) -> bool {
        self.pending
    }

    /// Checks with the next tick, whenever the last check was.
    #[cfg(test)]
    pub(in crate::app) fn check_now(&mut self) {
        self.is_due = true;
    }

    /// Takes notice of a job that has ended.
    pub(in crate::app) fn note(&mut self, kind: JobKind, by_itself: bool, stopped: bool) {
        if brings_captures(kind) || builds_inlinks(kind) {
            (self.is_due, self.rests) = (true, false);
        } else if by_itself {
            self.rests |= stopped;
            self.checks_next |= kind == JobKind::IndexTexts && !stopped;
            self.pace = FollowPace::after(self.begun.take().map_or_else(Default::default, |begun| begun.elapsed()));
        }
    }
}

impl AppState {
    /// Another workspace is open: what waits of an index that it has is indexed.
    pub(super) fn begin_index_watch(&mut self) {
        self.check_for_captures(true);
    }

    /// Asks a worker whether there is something to index: once an import, a crawl or a build of
    /// inlinks has ended, and now and then while captures come.
    pub(super) fn watch_index(&mut self) {
        let watch = &mut self.open.index_watch;
        let captures_come = self.open.jobs.iter().any(|job| brings_captures(job.kind));
        if captures_come && !watch.rests && watch.pace.wait().is_zero() {
            watch.pace = FollowPace::default();
            watch.is_due = true;
        }
        if watch.checks_next && !captures_come {
            (watch.checks_next, watch.is_due) = (false, true);
        }
        let indexes = self.open.jobs.iter().any(|job| follows_captures(job.kind));
        if watch.is_due && !watch.pending && !indexes && self.session().is_some() {
            self.open.index_watch.is_due = false;
            self.check_for_captures(false);
        }
    }

    fn check_for_captures(&mut self, only_where_one_is: bool) {
        if !self.settings.follow_index || self.closing {
            return;
        }
        self.open.index_watch.pending = true;
        let captures_come = self.open.jobs.iter().any(|job| brings_captures(job.kind));
        let check = move |session: &crate::work::Session| {
            let workspace = &session.workspace;
            if session.workspace()?.read_only.is_some() || only_where_one_is && !work::has_index(workspace) {
                return Ok(FollowUps::default());
            }
            let texts = work::is_index_behind(workspace)?;
            // A workspace that nobody checked is left so when it is opened.
            let is_checked = !only_where_one_is || session.catalogue().checked_state()?.is_some();
            let checks = !texts && !captures_come && is_checked && work::has_index(workspace);
            Ok(FollowUps { texts, checks: checks && work::are_checks_due(workspace)? })
        };
        self.write(check, Answer::ToFollow);
    }

    pub(super) fn take_in_follow_ups(&mut self, found: anyhow::Result<FollowUps>) {
        self.open.index_watch.pending = false;
        // Searches and the job itself report what is wrong with an index.
        let found = found.unwrap_or(FollowUps { texts: true, checks: false });
        if self.closing || self.open.jobs.iter().any(|job| follows_captures(job.kind)) {
            return;
        }
        if found.texts {
            self.open.index_watch.begun = Some(Instant::now());
            let captures_come = self.open.jobs.iter().any(|job| job.kind.is_crawl());
            self.start(JobKind::IndexTexts, move |session, cx| {
                let report = session.follow_index(cx)?;
                if captures_come {
                    session.follow_analyses(cx)?;
                }
                Ok(JobReport::Done(report.map_or_else(|| "nothing new".to_owned(), |report| report.summary())))
            });
        } else if found.checks {
            self.start(JobKind::CheckPages, |session, cx| {
                let report = session.follow_checks(cx)?;
                Ok(JobReport::Done(report.map_or_else(|| "nothing new".to_owned(), |report| report.summary())))
            });
        }
        if let Some(job) = self.open.jobs.last_mut().filter(|job| follows_captures(job.kind)) {
            job.by_itself = true;
        }
    }
}
