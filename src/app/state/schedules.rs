//! An open window starts what schedules say.

use super::super::models::{CampaignId, Notice, RunState, ScheduledRun, campaign_title};
use super::{Answer, AppState, NoticeCause, failure};
use crate::uri::CaptureDate;
use crate::work::models::RunId;
use crate::work::{CHECK_INTERVAL, DueRuns, JobKind};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// What a window knows of runs that are due.
#[derive(Debug, Default)]
pub struct ScheduleWatch {
    /// Missed runs that wait for a person's answer.
    pub asked: Vec<ScheduledRun>,
    /// What would run in a workspace that somebody else made: each campaign with what its crawls do.
    pub of_others: Vec<(String, Vec<String>)>,
    /// That was answered with no.
    leaves_others: bool,
    looked: Option<Instant>,
    looking: bool,
    /// Runs this window has tried to start, by what they are: one that cannot
    /// even be written down is not tried for ever. The number of a row that is
    /// gone is given to another run.
    tried: HashSet<Tried>,
    told: HashSet<String>,
}

impl ScheduleWatch {
    /// Whether a person is asked about a run or a schedule.
    pub fn has_questions(&self) -> bool {
        !self.asked.is_empty() || !self.of_others.is_empty()
    }
}

/// The campaign of a run, when it was due, and when it was found due.
type Tried = (CampaignId, CaptureDate, CaptureDate);

fn tried(run: &ScheduledRun) -> Tried {
    (run.campaign, run.due, run.noticed)
}

impl ScheduleWatch {
    /// When the next look is due.
    pub(super) fn next_look(&self) -> Duration {
        if self.looking {
            return CHECK_INTERVAL;
        }
        self.looked.map_or(Duration::ZERO, |looked| CHECK_INTERVAL.saturating_sub(looked.elapsed()))
    }

    fn look_again(&mut self) {
        self.looked = None;
    }
}

impl AppState {
    /// Asks a worker for what is due, now and then.
    pub(super) fn watch_schedules(&mut self) {
        if self.open.schedules.looking || self.session().is_none() || !self.open.schedules.next_look().is_zero() {
            return;
        }
        self.open.schedules.looking = true;
        self.open.schedules.looked = Some(Instant::now());
        self.write(|session| session.poll_schedules(), Answer::Schedules);
    }

    pub(super) fn take_in_schedules(&mut self, look: anyhow::Result<DueRuns>) {
        self.open.schedules.looking = false;
        let look = match look {
            Ok(look) => look,
            Err(error) => {
                let notice = failure("Schedules could not be read", &error);
                if self.open.schedules.told.insert(notice.why.clone()) {
                    self.error_notice(NoticeCause::Schedules, notice);
                }
                return;
            }
        };
        self.cure(|cause| *cause == NoticeCause::Schedules);
        self.open.schedules.asked = look.unanswered;
        self.open.schedules.of_others = if self.open.schedules.leaves_others { Vec::new() } else { look.of_others };
        for run in look.noted.iter().filter(|run| matches!(run.state, RunState::Missed | RunState::Overlapped)) {
            let name = campaign_title(run.campaign, &run.campaign_name);
            let what = format!("{name}: the run at {} UTC did not start", run.due.to_readable());
            self.notice(Notice { is_error: false, what, why: run.why.clone(), hint: String::new() });
        }
        for problem in look.problems {
            if self.open.schedules.told.insert(problem.clone()) {
                let hint = "Correct it on the Spec page, tab Schedule".to_owned();
                self.notice(Notice { is_error: true, what: "A schedule cannot start".to_owned(), why: problem, hint });
            }
        }
        // One crawl at a time: the rest waits for the next look.
        if let Some(run) = look.waiting.into_iter().find(|run| !self.open.schedules.tried.contains(&tried(run)))
            && self.crawl_job().is_none()
        {
            self.open.schedules.tried.insert(tried(&run));
            self.say(&format!("Scheduled crawl of {} started", campaign_title(run.campaign, &run.campaign_name)));
            self.start(JobKind::ScheduledCrawl, move |session, cx| session.run_scheduled(run.id, cx));
        }
    }

    pub(super) fn let_schedules_run(&mut self, lets: bool) {
        self.open.schedules.of_others.clear();
        self.open.schedules.leaves_others = !lets;
        if lets {
            self.write(|session| session.let_run().map(|()| "Schedules run".to_owned()), Answer::Marked);
            self.open.schedules.look_again();
        }
    }

    pub(super) fn answer_scheduled(&mut self, run: RunId, starts: bool) {
        self.open.schedules.asked.retain(|asked| asked.id != run);
        self.write(move |session| session.answer_scheduled(run, starts), Answer::Marked);
        self.open.schedules.look_again();
    }
}
