//! The text index follows imports and crawls of an open window by itself.

use super::{Answer, AppState, JobKind};
use crate::work::{FollowPace, JobReport, Report};
use std::time::Instant;

/// When texts are indexed without anybody starting it.
#[derive(Debug, Default)]
pub(in crate::app) struct IndexWatch {
    /// Captures may have come since the last look.
    is_due: bool,
    /// A worker looks.
    pending: bool,
    /// When it is looked next while a crawl runs.
    pace: FollowPace,
    /// When the follow-up that runs began.
    begun: Option<Instant>,
    /// It was stopped, or failed: it waits for the end of the next import or crawl.
    rests: bool,
}

/// Whether captures come by such a job.
fn brings_captures(kind: JobKind) -> bool {
    kind.is_crawl() || kind == JobKind::Import
}

impl IndexWatch {
    /// Whether a worker looks for captures to index.
    #[cfg(test)]
    pub(in crate::app) fn is_pending(&self) -> bool {
        self.pending
    }

    /// Takes notice of a job that has ended.
    pub(in crate::app) fn note(&mut self, kind: JobKind, by_itself: bool, stopped: bool) {
        if brings_captures(kind) {
            (self.is_due, self.rests) = (true, false);
        } else if by_itself {
            self.rests |= stopped;
            self.pace = FollowPace::after(self.begun.take().map_or_else(Default::default, |begun| begun.elapsed()));
        }
    }
}

impl AppState {
    /// Another workspace is open: what waits of an index that it has is indexed.
    pub(super) fn begin_index_watch(&mut self) {
        self.index_watch = IndexWatch::default();
        self.look_for_captures(true);
    }

    /// Asks a worker for captures to index: once an import or a crawl has
    /// ended, and now and then while a crawl runs.
    pub(super) fn watch_index(&mut self) {
        let watch = &mut self.index_watch;
        let crawls = self.jobs.iter().any(|job| job.kind.is_crawl());
        if crawls && !watch.rests && watch.pace.wait().is_zero() {
            watch.pace = FollowPace::default();
            watch.is_due = true;
        }
        let imports = self.jobs.iter().any(|job| matches!(job.kind, JobKind::Import | JobKind::IndexTexts));
        if watch.is_due && !watch.pending && !imports && self.session().is_some() {
            self.index_watch.is_due = false;
            self.look_for_captures(false);
        }
    }

    fn look_for_captures(&mut self, only_where_one_is: bool) {
        if !self.settings.follow_index || self.closing {
            return;
        }
        self.index_watch.pending = true;
        let generation = self.reads.cx().generation;
        let look = move |session: &crate::work::Session| {
            let follows = session.workspace()?.read_only.is_none() && (!only_where_one_is || session.has_index());
            if follows { session.captures_to_index() } else { Ok(0) }
        };
        self.write(look, move |captures| Answer::ToIndex(generation, captures));
    }

    pub(super) fn take_in_captures_to_index(&mut self, generation: u64, captures: anyhow::Result<u64>) {
        // Of a workspace that was open before.
        if generation != self.reads.cx().generation {
            return;
        }
        self.index_watch.pending = false;
        // What is wrong with an index is said where it is asked, or by the job.
        if captures.unwrap_or(1) == 0 || self.closing || self.runs(JobKind::IndexTexts) {
            return;
        }
        self.index_watch.begun = Some(Instant::now());
        self.start(JobKind::IndexTexts, |session, cx| {
            let report = session.follow_index(cx)?;
            Ok(JobReport::Done(report.map_or_else(|| "nothing new".to_owned(), |report| report.summary())))
        });
        if let Some(job) = self.jobs.last_mut().filter(|job| job.kind == JobKind::IndexTexts) {
            job.by_itself = true;
        }
    }
}
