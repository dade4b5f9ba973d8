//! Long work started from the window: what runs, how fast, how it ended.

use super::loader::failure;
use super::models::{CheckState, ExportDryRun, LaunchId, Notice, VerifyLine};
use crate::jobs::{self, JobCx, JobHandle, Outcome, Pace, Wake, counted};
use crate::uri::CaptureDate;
use crate::work::{JobKind, JobReport, Report};
use std::path::PathBuf;

/// A job of this window that has not ended.
pub struct RunningJob {
    /// Number for [`super::Command::CancelJob`].
    pub id: u64,
    /// The kind of the job.
    pub kind: JobKind,
    /// The time when it began.
    pub started: CaptureDate,
    /// The rate of its progress.
    pub pace: Pace,
    /// The window started it, and nobody waits for it: it gives way to what a person wants.
    pub by_itself: bool,
    handle: JobHandle<JobReport>,
}

/// A job of this window that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedJob {
    /// The kind of the job.
    pub kind: JobKind,
    /// The time when it began.
    pub started: CaptureDate,
    /// The time when it ended.
    pub ended: CaptureDate,
    /// The outcome as text.
    pub outcome: String,
    /// Whether it failed.
    pub failed: bool,
    /// Whether it is done, with something to look at.
    pub warned: bool,
    /// Whether the window started it, and nobody waited for it.
    pub by_itself: bool,
    /// The notice of its end.
    pub notice: Notice,
}

/// The result of a job that the window shows beyond its message.
pub(in crate::app) enum JobResult {
    /// An import met problems.
    ImportProblems(LaunchId),
    /// An export was read back.
    Verified(PathBuf, Vec<VerifyLine>),
    /// A dry run of an export has ended.
    Planned(Box<ExportDryRun>),
}

impl RunningJob {
    pub(in crate::app) fn spawn(
        id: u64,
        kind: JobKind,
        wake: Wake,
        work: impl FnOnce(&JobCx) -> anyhow::Result<JobReport> + Send + 'static,
    ) -> Result<Self, Notice> {
        let name = kind.label();
        // Before the work begins, so that its row in the history is not older.
        let started = CaptureDate::now();
        let handle = jobs::spawn(name, JobCx::default(), wake, work)
            .map_err(|error| failure(&format!("{name} failed to start"), &error.into()))?;
        Ok(Self { id, kind, started, pace: Pace::default(), by_itself: false, handle })
    }

    /// The progress of the job, and the request to pause or stop.
    pub fn cx(&self) -> &JobCx {
        &self.handle.cx
    }

    pub(in crate::app) fn is_finished(&self) -> bool {
        self.handle.is_finished()
    }

    /// Measures the rate; called about as often as the window is drawn.
    pub(in crate::app) fn sample_rate(&mut self) {
        self.pace.sample(&self.handle.cx.progress());
    }

    /// The ended job, its notice, and its result.
    pub(in crate::app) fn finish(self) -> (EndedJob, Notice, Option<JobResult>) {
        let (kind, name, started, by_itself) = (self.kind, self.kind.label(), self.started, self.by_itself);
        let outcome = self.handle.join();
        let mut result = None;
        // It was done, and a person has something to do about it.
        let mut is_incomplete_work = false;
        let message = match outcome {
            // It stays in sight: a person has to do something about it.
            Outcome::Done(JobReport::Incomplete(summary)) => {
                is_incomplete_work = true;
                Notice { is_error: true, ..notice(format!("{name} ended"), summary) }
            }
            Outcome::Done(JobReport::Crawled { end, figures, is_incomplete }) => {
                is_incomplete_work = is_incomplete;
                // One sentence about one end: “Crawl stopped on request”.
                let mut end = end.chars();
                let end: String = end.next().into_iter().flat_map(char::to_lowercase).chain(end).collect();
                Notice { is_error: is_incomplete, ..notice(format!("{name} {end}"), figures) }
            }
            Outcome::Done(JobReport::Problems(import, summary)) => {
                result = Some(JobResult::ImportProblems(import));
                notice(format!("{name} finished with problems"), summary)
            }
            Outcome::Done(JobReport::Done(summary)) => notice(format!("{name} finished"), summary),
            Outcome::Done(JobReport::Verified(folder, lines)) => {
                let (state, summary) = CheckState::of(&lines);
                let checks = lines.len();
                result = Some(JobResult::Verified(folder, lines));
                match state {
                    CheckState::Passed => notice(format!("{name}: all checks passed"), counted(checks as u64, "check")),
                    CheckState::Unvouched | CheckState::Failed => Notice {
                        is_error: true,
                        what: format!("{name}: {summary}"),
                        why: String::new(),
                        hint: "The Select & export page lists each check with its reason".to_owned(),
                    },
                }
            }
            Outcome::Done(JobReport::Planned(plan)) => {
                let notice = notice(format!("{name} finished"), plan.summary());
                result = Some(JobResult::Planned(plan));
                notice
            }
            Outcome::Cancelled => {
                let kept = match kind {
                    JobKind::Import => {
                        "Imported captures are kept. Import the same files again to continue; nothing is imported twice"
                    }
                    _ => "Finished work is kept",
                };
                notice(format!("{name} stopped"), kept.to_owned())
            }
            Outcome::Failed(why) => {
                Notice { is_error: true, what: format!("{name} failed"), why, hint: "Finished work is kept".to_owned() }
            }
            Outcome::Panicked(why) => Notice {
                is_error: true,
                what: format!("{name} ended by an internal error"),
                why,
                hint: "The workspace is intact; please report this error".to_owned(),
            },
        };
        let line =
            if message.why.is_empty() { message.what.clone() } else { format!("{} – {}", message.what, message.why) };
        let outcome = line.strip_prefix(name).unwrap_or(&line).trim_start_matches([':', ' ']).to_owned();
        let ended = EndedJob {
            kind,
            started,
            ended: CaptureDate::now(),
            outcome,
            failed: message.is_error,
            warned: is_incomplete_work || matches!(result, Some(JobResult::ImportProblems(_))),
            by_itself,
            notice: message.clone(),
        };
        (ended, message, result)
    }
}

fn notice(what: String, why: String) -> Notice {
    Notice { is_error: false, what, why, hint: String::new() }
}
