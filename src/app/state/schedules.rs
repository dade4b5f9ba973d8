//! An open window starts the crawls of schedules.

use super::super::models::{CampaignId, Notice, RunState, ScheduledRun, campaign_title};
use super::{Answer, AppState, NoticeCause, failure};
use crate::uri::CaptureDate;
use crate::work::models::RunId;
use crate::work::{CHECK_INTERVAL, DueRuns, JobKind};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// The due runs that a window knows of, and its questions about them.
#[derive(Debug, Default)]
pub struct ScheduleWatch {
    /// Missed runs that wait for a person's answer.
    pub unanswered: Vec<ScheduledRun>,
    /// Campaigns of a workspace that somebody else made, each with the terms of its crawls.
    pub of_others: Vec<(String, Vec<String>)>,
    /// The answer about them was no.
    leaves_others: bool,
    polled: Option<Instant>,
    polling: bool,
    /// Runs this window has tried to start, by what they are: one that cannot
    /// even be written down is not tried for ever. The number of a row that is
    /// gone is given to another run.
    tried: HashSet<Tried>,
    reported: HashSet<String>,
}

impl ScheduleWatch {
    /// Whether a question about a run or a schedule is shown.
    pub fn has_questions(&self) -> bool {
        !self.unanswered.is_empty() || !self.of_others.is_empty()
    }
}

/// The campaign of a run, when it was due, and when it was found due.
type Tried = (CampaignId, CaptureDate, CaptureDate);

fn tried(run: &ScheduledRun) -> Tried {
    (run.campaign, run.due, run.noticed)
}

impl ScheduleWatch {
    /// Time until the next poll.
    pub(super) fn next_poll(&self) -> Duration {
        if self.polling {
            return CHECK_INTERVAL;
        }
        self.polled.map_or(Duration::ZERO, |polled| CHECK_INTERVAL.saturating_sub(polled.elapsed()))
    }

    fn poll_again(&mut self) {
        self.polled = None;
    }
}

impl AppState {
    /// Asks a worker for what is due, now and then.
    pub(super) fn watch_schedules(&mut self) {
        if self.open.schedules.polling || self.session().is_none() || !self.open.schedules.next_poll().is_zero() {
            return;
        }
        self.open.schedules.polling = true;
        self.open.schedules.polled = Some(Instant::now());
        self.write(|session| session.poll_schedules(), Answer::Schedules);
    }

    pub(super) fn take_in_schedules(&mut self, due: anyhow::Result<DueRuns>) {
        self.open.schedules.polling = false;
        let due = match due {
            Ok(due) => due,
            Err(error) => {
                let notice = failure("Schedules could not be read", &error);
                if self.open.schedules.reported.insert(notice.why.clone()) {
                    self.error_notice(NoticeCause::Schedules, notice);
                }
                return;
            }
        };
        self.cure(|cause| *cause == NoticeCause::Schedules);
        self.open.schedules.unanswered = due.unanswered;
        self.open.schedules.of_others = if self.open.schedules.leaves_others { Vec::new() } else { due.of_others };
        for run in due.noted.iter().filter(|run| matches!(run.state, RunState::Missed | RunState::Overlapped)) {
            let name = campaign_title(run.campaign, &run.campaign_name);
            let what = format!("{name}: the run at {} UTC did not start", run.due.to_readable());
            self.notice(Notice { is_error: false, what, why: run.why.clone(), hint: String::new() });
        }
        for problem in due.problems {
            if self.open.schedules.reported.insert(problem.clone()) {
                let hint = "Correct it on the Spec page, tab Schedule".to_owned();
                self.notice(Notice { is_error: true, what: "A schedule cannot start".to_owned(), why: problem, hint });
            }
        }
        // One crawl at a time: the rest waits for the next look.
        if let Some(run) = due.waiting.into_iter().find(|run| !self.open.schedules.tried.contains(&tried(run)))
            && self.crawl_job().is_none()
        {
            self.open.schedules.tried.insert(tried(&run));
            self.notify(&format!("Scheduled crawl of {} started", campaign_title(run.campaign, &run.campaign_name)));
            self.start(JobKind::ScheduledCrawl, move |session, cx| session.run_scheduled(run.id, cx));
        }
    }

    pub(super) fn let_schedules_run(&mut self, lets: bool) {
        self.open.schedules.of_others.clear();
        self.open.schedules.leaves_others = !lets;
        if lets {
            self.write(|session| session.let_run().map(|()| "Schedules run".to_owned()), Answer::Marked);
            self.open.schedules.poll_again();
        }
    }

    pub(super) fn answer_scheduled(&mut self, run: RunId, starts: bool) {
        self.open.schedules.unanswered.retain(|missed| missed.id != run);
        self.write(move |session| session.answer_scheduled(run, starts), Answer::Marked);
        self.open.schedules.poll_again();
    }
}
