//! Long work started from the window: what runs, how fast, how it ended.

use super::loader::failure;
use super::models::{Notice, VerifyLine};
use crate::jobs::{self, JobCx, JobHandle, Outcome, Wake};
use crate::uri::CaptureDate;
use std::path::PathBuf;
use std::time::Instant;

/// The rate shown is that of about the last seconds.
const RATE_SPAN_SECONDS: f64 = 2.0;

/// What a job brings home.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum JobAnswer {
    /// What it did, in words.
    Words(String),
    /// The checks of an export.
    Verified(PathBuf, Vec<VerifyLine>),
}

/// A job of this window that has not ended.
pub struct RunningJob {
    /// Number for [`super::Command::CancelJob`].
    pub id: u64,
    /// What it is, in words.
    pub name: String,
    /// When it began.
    pub started: CaptureDate,
    /// Units a second, lately.
    pub rate: f64,
    looked: (Instant, u64, String),
    handle: JobHandle<JobAnswer>,
}

/// A job of this window that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedJob {
    /// What it was, in words.
    pub name: String,
    /// When it began.
    pub started: CaptureDate,
    /// When it ended.
    pub ended: CaptureDate,
    /// How it ended, in words.
    pub outcome: String,
    /// Whether it failed.
    pub failed: bool,
}

/// Name of the job that imports.
pub(super) const IMPORT: &str = "Import";

impl RunningJob {
    pub(super) fn spawn(
        id: u64,
        name: &str,
        wake: Wake,
        work: impl FnOnce(&JobCx) -> anyhow::Result<JobAnswer> + Send + 'static,
    ) -> Result<Self, Notice> {
        let handle = jobs::spawn(name, JobCx::default(), wake, work)
            .map_err(|error| failure(&format!("{name} could not be started"), &error.into()))?;
        Ok(Self {
            id,
            name: name.to_owned(),
            started: CaptureDate::now(),
            rate: 0.0,
            looked: (Instant::now(), 0, String::new()),
            handle,
        })
    }

    /// Its progress, and the wish to pause or stop.
    pub fn cx(&self) -> &JobCx {
        &self.handle.cx
    }

    pub(super) fn is_finished(&self) -> bool {
        self.handle.is_finished()
    }

    /// Measures the rate; called about as often as the window is drawn.
    pub(super) fn look(&mut self) {
        let progress = self.handle.cx.progress();
        let seconds = self.looked.0.elapsed().as_secs_f64();
        if progress.stage != self.looked.2 || progress.done < self.looked.1 {
            self.rate = 0.0;
            self.looked = (Instant::now(), progress.done, progress.stage);
        } else if seconds >= RATE_SPAN_SECONDS {
            self.rate = (progress.done - self.looked.1) as f64 / seconds;
            self.looked = (Instant::now(), progress.done, progress.stage);
        }
    }

    /// The end of it, and what a person should hear.
    pub(super) fn finish(self) -> (EndedJob, Notice, Option<(PathBuf, Vec<VerifyLine>)>) {
        let (name, started) = (self.name, self.started);
        let outcome = self.handle.join();
        let mut verified = None;
        let notice = match outcome {
            Outcome::Done(JobAnswer::Words(words)) => said(format!("{name}: done"), words),
            Outcome::Done(JobAnswer::Verified(folder, lines)) => {
                let wrong = lines.iter().filter(|line| !line.ok).count();
                let checks = lines.len();
                verified = Some((folder, lines));
                if wrong == 0 {
                    said(format!("{name}: every check holds"), format!("{checks} checks"))
                } else {
                    Notice {
                        is_error: true,
                        what: format!("{name}: {wrong} of {checks} checks do not hold"),
                        why: String::new(),
                        hint: "The page Select & export shows each check with its reason".to_owned(),
                    }
                }
            }
            Outcome::Cancelled => {
                let kept = match name.as_str() {
                    IMPORT => "What came in is kept. Import the same again to go on; nothing comes in twice",
                    _ => "What was finished is kept",
                };
                said(format!("{name}: stopped on request"), kept.to_owned())
            }
            Outcome::Failed(why) => Notice {
                is_error: true,
                what: format!("{name}: could not go on"),
                why,
                hint: "What was finished is kept".to_owned(),
            },
            Outcome::Panicked(why) => Notice {
                is_error: true,
                what: format!("{name}: ended by a defect of the program"),
                why,
                hint: "The workspace is unharmed; please report this".to_owned(),
            },
        };
        let words =
            if notice.why.is_empty() { notice.what.clone() } else { format!("{} – {}", notice.what, notice.why) };
        let outcome = words.strip_prefix(&format!("{name}: ")).unwrap_or(&words).to_owned();
        let ended = EndedJob { name, started, ended: CaptureDate::now(), outcome, failed: notice.is_error };
        (ended, notice, verified)
    }
}

fn said(what: String, why: String) -> Notice {
    Notice { is_error: false, what, why, hint: String::new() }
}
