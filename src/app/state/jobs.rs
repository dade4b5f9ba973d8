//! Jobs of the window: how they begin, and what comes of their end.

use super::{AppState, NoticeCause, keep};
use crate::app::current_jobs::{JobResult, RunningJob};
use crate::jobs::JobCx;
use crate::work::{JobKind, JobReport, Session};

impl AppState {
    /// The running crawl.
    pub fn crawl_job(&self) -> Option<&RunningJob> {
        self.open.jobs.iter().find(|job| job.kind.is_crawl())
    }

    /// Whether a job runs that somebody waits for.
    pub fn is_busy(&self) -> bool {
        self.open.jobs.iter().any(|job| !job.by_itself)
    }

    /// Whether a job of this name runs.
    pub fn runs(&self, kind: JobKind) -> bool {
        self.open.jobs.iter().any(|job| job.kind == kind)
    }

    pub(super) fn start<R: Into<JobReport>>(
        &mut self,
        kind: JobKind,
        work: impl FnOnce(&Session, &JobCx) -> anyhow::Result<R> + Send + 'static,
    ) {
        let Some(session) = self.session().cloned() else {
            self.no_workspace();
            return;
        };
        let id = self.next_id;
        self.next_id += 1;
        match RunningJob::spawn(id, kind, self.wake.clone(), move |cx| Ok(work(session.as_ref(), cx)?.into())) {
            Ok(job) => {
                self.cure(|cause| matches!(cause, NoticeCause::Job(of) if *of == kind));
                self.open.jobs.push(job);
            }
            Err(notice) => self.job_notice(kind, notice),
        }
    }

    pub(super) fn poll_jobs(&mut self) {
        self.left_jobs.retain(|job| !job.is_finished());
        for job in &mut self.open.jobs {
            job.sample_rate();
        }
        let (finished, running) = std::mem::take(&mut self.open.jobs).into_iter().partition(RunningJob::is_finished);
        self.open.jobs = running;
        let finished: Vec<RunningJob> = finished;
        for job in finished {
            let (by_itself, is_cancelled) = (job.by_itself, job.cx().is_cancelled());
            let (ended, notice, result) = job.finish();
            let mut problems_of = None;
            match result {
                Some(JobResult::Verified(folder, lines)) => {
                    self.open.last_export = Some(folder.clone());
                    self.open.verified = Some((folder, lines));
                }
                Some(JobResult::ImportProblems(import)) => problems_of = Some(import),
                Some(JobResult::Planned(plan)) => self.open.dry_run = Some(plan),
                None => {}
            }
            let kind = ended.kind;
            self.open.index_watch.note(kind, by_itself, is_cancelled || ended.failed);
            keep(&mut self.open.ended, ended);
            if let Some(import) = problems_of {
                self.problems_notice(import, notice);
            } else if !by_itself || notice.is_error {
                self.job_notice(kind, notice);
            }
        }
        if self.open.jobs.is_empty() {
            self.cure(|cause| *cause == NoticeCause::Running);
        }
        self.forget_notices();
    }
}
