//! A scheduler whose clock the tests turn.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::campaign::{Campaign, Frequency, Schedule};
use crate::store::Workspace;
use crate::store::rows::RunId;

/// Long after every campaign here was saved.
const DAY_ONE: &str = "2070-03-01";

struct ScheduleFixture {
    _dir: tempfile::TempDir,
    session: Session,
    scheduler: Scheduler,
}

fn at(text: &str) -> CaptureDate {
    CaptureDate::parse(text).unwrap()
}

/// Day and hour of March 2070.
fn march(day: u32, hour: u32) -> CaptureDate {
    at(&format!("2070-03-{day:02}T{hour:02}:00:00"))
}

fn campaign(frequency: Frequency, catch_up: CatchUp) -> Campaign {
    let start = Some(format!("{DAY_ONE}T09:00"));
    Campaign { schedule: Schedule { frequency, start, catch_up, ..Schedule::default() }, ..Campaign::new("Town") }
}

fn made(campaigns: &[Campaign]) -> ScheduleFixture {
    let dir = tempfile::tempdir().unwrap();
    let session = Session::new(Workspace::create(&dir.path().join("w")).unwrap());
    for campaign in campaigns {
        session.catalogue().save_campaign(None, campaign).unwrap();
    }
    ScheduleFixture { _dir: dir, session, scheduler: Scheduler::new(ON_TIME) }
}

impl ScheduleFixture {
    fn check(&mut self, now: CaptureDate) -> DueRuns {
        self.scheduler.check(&self.session, now).unwrap()
    }

    /// Compares every run in the catalogue, the first due first.
    #[track_caller]
    fn assert_runs(&self, expected: &[(&str, RunState)]) {
        let mut runs = self.session.catalogue().scheduled_runs(None, 100).unwrap();
        runs.reverse();
        let runs: Vec<(String, RunState)> =
            runs.iter().map(|run| (run.due.to_readable()[5..13].to_owned(), run.state)).collect();
        let expected: Vec<_> = expected.iter().map(|(due, state)| ((*due).to_owned(), *state)).collect();
        assert_eq!(runs, expected);
    }

    /// Ends a run that waits, as a crawl would.
    fn ran(&self, run: &ScheduledRun) {
        self.session.catalogue().set_scheduled(run.id, RunState::Done, "").unwrap();
    }
}

#[test]
fn a_run_starts_once_when_it_is_due() {
    let mut made = made(&[campaign(Frequency::Daily, CatchUp::Confirm)]);
    assert_eq!(made.check(march(1, 8)), DueRuns::default());
    let due_runs = made.check(march(1, 9));
    assert_eq!((due_runs.waiting.len(), due_runs.noted.len()), (1, 1));
    // Until it has started it is the same one that waits.
    let again = made.check(march(1, 10));
    assert_eq!((again.waiting, again.noted.len()), (due_runs.waiting.clone(), 0));
    made.ran(&due_runs.waiting[0]);
    assert_eq!(made.check(march(1, 11)), DueRuns::default());
    made.assert_runs(&[("03-01 09", RunState::Done)]);
}

#[test]
fn a_machine_that_slept_over_runs_does_as_the_campaign_sets() {
    use RunState::{Done, MadeUp, Missed, Unanswered, Waiting};
    for (policy, last) in [(CatchUp::Once, Waiting), (CatchUp::Skip, Missed), (CatchUp::Confirm, Unanswered)] {
        let mut made = made(&[campaign(Frequency::Daily, policy)]);
        let first = made.check(march(1, 9)).waiting;
        made.ran(&first[0]);
        let due_runs = made.check(march(4, 12));
        let before = if policy == CatchUp::Skip { Missed } else { MadeUp };
        made.assert_runs(&[("03-01 09", Done), ("03-02 09", before), ("03-03 09", before), ("03-04 09", last)]);
        assert_eq!(due_runs.waiting.len(), usize::from(policy == CatchUp::Once));
        assert_eq!(due_runs.unanswered.len(), usize::from(policy == CatchUp::Confirm));
        assert!(due_runs.noted.iter().all(|run| run.why.contains("late")), "{due_runs:?}");
    }
    // Another program that comes back on time runs without an answer.
    let mut made = made(&[campaign(Frequency::Daily, CatchUp::Confirm)]);
    made.check(march(1, 8));
    made.scheduler = Scheduler::new(ON_TIME);
    assert_eq!(made.check(march(3, 9)).waiting.len(), 1);
    made.assert_runs(&[("03-01 09", MadeUp), ("03-02 09", MadeUp), ("03-03 09", Waiting)]);
}

#[test]
fn an_answer_is_kept_and_a_later_run_makes_the_question_idle() {
    let mut made = made(&[campaign(Frequency::Daily, CatchUp::Confirm)]);
    let unanswered = made.check(march(1, 12)).unanswered;
    let catalogue = made.session.catalogue();
    assert!(catalogue.answer_scheduled(unanswered[0].id, true).unwrap());
    assert!(!catalogue.answer_scheduled(unanswered[0].id, false).unwrap());
    let waiting = made.check(march(1, 13)).waiting;
    made.ran(&waiting[0]);
    let unanswered = made.check(march(2, 12)).unanswered;
    assert!(made.session.catalogue().answer_scheduled(unanswered[0].id, false).unwrap());
    assert_eq!(made.check(march(2, 13)), DueRuns::default());
    assert_eq!(made.check(march(3, 12)).unanswered.len(), 1);
    let due_runs = made.check(march(4, 9));
    assert_eq!((due_runs.unanswered.len(), due_runs.waiting.len()), (0, 1));
    use RunState::{Done, MadeUp, Skipped, Waiting};
    made.assert_runs(&[("03-01 09", Done), ("03-02 09", Skipped), ("03-03 09", MadeUp), ("03-04 09", Waiting)]);
}

#[test]
fn a_crawl_at_work_is_not_started_twice() {
    let mut made = made(&[campaign(Frequency::Daily, CatchUp::Once)]);
    let waiting = made.check(march(1, 9)).waiting;
    let catalogue = made.session.catalogue();
    catalogue.set_scheduled(waiting[0].id, RunState::Running, "").unwrap();
    let launch = catalogue.begin_launch(CampaignId::new(1), "town", march(1, 9)).unwrap();
    catalogue.set_scheduled_launch(waiting[0].id, launch.id).unwrap();
    assert_eq!(made.check(march(3, 9)).waiting, []);
    made.ran(&waiting[0]);
    // A person's crawl counts as well.
    assert_eq!(made.check(march(4, 9)).waiting, []);
    made.session.catalogue().set_launch_state(launch.id, LaunchState::Finished, "").unwrap();
    assert_eq!(made.check(march(5, 9)).waiting.len(), 1);
    use RunState::{Done, Overlapped, Waiting};
    made.assert_runs(&[
        ("03-01 09", Done),
        ("03-02 09", Overlapped),
        ("03-03 09", Overlapped),
        ("03-04 09", Overlapped),
        ("03-05 09", Waiting),
    ]);
}

#[test]
fn one_campaign_waits_for_the_other() {
    let mut made = made(&[campaign(Frequency::Daily, CatchUp::Once), campaign(Frequency::Weekly, CatchUp::Once)]);
    let due_runs = made.check(march(1, 9));
    assert_eq!(due_runs.waiting.iter().map(|run| run.campaign).collect::<Vec<_>>(), [1, 2].map(CampaignId::new));
    made.ran(&due_runs.waiting[0]);
    // The second waits on; its turn comes however long the first one took.
    let due_runs = made.check(march(2, 8));
    assert_eq!(due_runs.waiting.iter().map(|run| run.campaign).collect::<Vec<_>>(), [CampaignId::new(2)]);
    // What falls due before its turn came is not queued twice.
    for hour in 9..=(24 * 6 + 9) {
        made.check(march(2 + hour / 24, hour % 24));
    }
    let weekly = made.session.catalogue().scheduled_runs(Some(CampaignId::new(2)), 9).unwrap();
    assert_eq!(weekly[0].state, RunState::Overlapped);
    assert!(weekly[0].why.contains("had not started yet"), "{weekly:?}");
}

#[test]
fn a_clock_set_back_starts_nothing_twice_and_loses_nothing() {
    let mut made = made(&[campaign(Frequency::Daily, CatchUp::Skip)]);
    let waiting = made.check(march(1, 9)).waiting;
    let launch = made.session.catalogue().begin_launch(CampaignId::new(1), "town", march(1, 9)).unwrap();
    made.session.catalogue().set_scheduled_launch(waiting[0].id, launch.id).unwrap();
    made.session.catalogue().set_launch_state(launch.id, LaunchState::Finished, "").unwrap();
    made.ran(&waiting[0]);
    // An hour back: the run of nine o'clock has been.
    assert_eq!(made.check(march(1, 8)), DueRuns::default());
    assert_eq!(made.check(march(1, 9)), DueRuns::default());
    // Weeks ahead by mistake: what was taken for missed is still to come.
    assert_eq!(made.check(march(20, 12)).noted.len(), 19);
    assert_eq!(made.check(march(1, 10)), DueRuns::default());
    made.assert_runs(&[("03-01 09", RunState::Done)]);
    assert_eq!(made.check(march(2, 9)).waiting.len(), 1);
    made.assert_runs(&[("03-01 09", RunState::Done), ("03-02 09", RunState::Waiting)]);
    // As does a clock set right before the program is started again.
    made.scheduler = Scheduler::new(ON_TIME);
    assert_eq!(made.check(march(2, 8)).waiting, []);
    assert_eq!(made.check(march(2, 9)).waiting.len(), 1);
}

#[test]
fn inactive_beats_all() {
    let mut town = campaign(Frequency::Daily, CatchUp::Confirm);
    let mut made = made(&[town.clone()]);
    assert_eq!(made.check(march(1, 12)).unanswered.len(), 1);
    town.active = false;
    made.session.catalogue().save_campaign(Some(CampaignId::new(1)), &town).unwrap();
    assert_eq!(made.check(march(2, 9)), DueRuns::default());
    made.assert_runs(&[("03-01 09", RunState::Skipped)]);
}

#[test]
fn runs_from_before_the_schedule_was_saved_are_nobodys() {
    let mut town = campaign(Frequency::Hourly, CatchUp::Once);
    town.schedule.start = Some("1996-01-01T00:00".to_owned());
    let made = made(&[town.clone()]);
    let since = made.session.catalogue().schedule_since(CampaignId::new(1)).unwrap();
    // Other words do not begin the schedule again; another schedule does.
    town.description = "More about it".to_owned();
    made.session.catalogue().save_campaign(Some(CampaignId::new(1)), &town).unwrap();
    assert_eq!(made.session.catalogue().schedule_since(CampaignId::new(1)).unwrap(), since);
    town.schedule.frequency = Frequency::Daily;
    std::thread::sleep(Duration::from_millis(2));
    made.session.catalogue().save_campaign(Some(CampaignId::new(1)), &town).unwrap();
    assert!(made.session.catalogue().schedule_since(CampaignId::new(1)).unwrap() > since);
    let mut made = made;
    let due_runs = made.check(CaptureDate::now());
    assert!(due_runs.noted.len() <= 1, "{due_runs:?}");
}

#[test]
fn a_schedule_that_cannot_be_understood_is_reported_and_keeps_nobody_else() {
    let mut broken = campaign(Frequency::Daily, CatchUp::Once);
    broken.schedule.time_zone = Some("Mars/Olympus".to_owned());
    let mut made = made(&[broken, campaign(Frequency::Daily, CatchUp::Once)]);
    let due_runs = made.check(march(1, 9));
    assert_eq!((due_runs.waiting.len(), due_runs.waiting[0].campaign), (1, CampaignId::new(2)));
    assert!(due_runs.problems[0].contains("Mars/Olympus"), "{due_runs:?}");
    let (runs, notes) = next_runs(&made.session, None, Calendar::Fonds, march(1, 9), 3).unwrap();
    assert_eq!(runs.iter().map(|next| next.run.date).collect::<Vec<_>>(), [march(2, 9), march(3, 9), march(4, 9)]);
    assert!(notes[0].contains("Mars/Olympus"), "{notes:?}");
}

#[test]
fn a_crawl_that_cannot_begin_is_written_down_and_tried_no_more() {
    // No seeds and no user agent.
    let made = made(&[campaign(Frequency::Daily, CatchUp::Once)]);
    let watch = Watch { once: true, on_time: ON_TIME, now: &|| march(1, 9) };
    let lines = std::cell::RefCell::new(Vec::new());
    let report =
        keep_schedules(&made.session, &watch, &JobCx::detached(), &|line| lines.borrow_mut().push(line)).unwrap();
    assert_eq!(report, WatchReport { ran: 0, failed: 1, unanswered: 0 });
    let runs = made.session.catalogue().scheduled_runs(None, 9).unwrap();
    assert_eq!(runs[0].state, RunState::Failed);
    assert!(runs[0].why.contains("no seeds"), "{runs:?}");
    assert!(lines.borrow().iter().any(|line| line.contains("no seeds")), "{lines:?}");
    let report = keep_schedules(&made.session, &watch, &JobCx::detached(), &|_| {}).unwrap();
    assert_eq!(report, WatchReport::default());
}

#[test]
fn a_crawl_whose_program_ended_is_taken_up_as_the_campaign_sets() {
    for (policy, expected) in [
        (CatchUp::Once, RunState::Waiting),
        (CatchUp::Confirm, RunState::Unanswered),
        (CatchUp::Skip, RunState::Stopped),
    ] {
        let mut made = made(&[campaign(Frequency::Daily, policy)]);
        let waiting = made.check(march(1, 9)).waiting;
        let catalogue = made.session.catalogue();
        let launch = catalogue.begin_launch(CampaignId::new(1), "town", march(1, 9)).unwrap();
        catalogue.set_scheduled(waiting[0].id, RunState::Running, "").unwrap();
        catalogue.set_scheduled_launch(waiting[0].id, launch.id).unwrap();
        catalogue.set_launch_state(launch.id, LaunchState::Stopped, "").unwrap();
        made.scheduler = Scheduler::new(ON_TIME);
        made.check(march(1, 10));
        made.assert_runs(&[("03-01 09", expected)]);
        // Meanwhile somebody began another launch: the first cannot go on.
        made.session.catalogue().set_scheduled(waiting[0].id, RunState::Waiting, "").unwrap();
        made.session.catalogue().begin_launch(CampaignId::new(1), "town", march(1, 10)).unwrap();
        let error = run_scheduled(&made.session, waiting[0].id, true, &JobCx::detached()).unwrap_err();
        assert!(error.to_string().contains("cannot go on"), "{error}");
        made.assert_runs(&[("03-01 09", RunState::Stopped)]);
        // Or it was crawled to its end by hand.
        let catalogue = made.session.catalogue();
        catalogue.set_scheduled(waiting[0].id, RunState::Waiting, "").unwrap();
        catalogue.set_launch_state(launch.id, LaunchState::Finished, "").unwrap();
        assert!(run_scheduled(&made.session, waiting[0].id, true, &JobCx::detached()).is_err());
        made.assert_runs(&[("03-01 09", RunState::Done)]);
    }
}

#[test]
fn a_campaign_whose_crawl_panicked_runs_again_when_it_is_due() {
    let mut made = made(&[campaign(Frequency::Daily, CatchUp::Skip)]);
    let run = made.check(march(1, 9)).waiting.remove(0);
    let work = || execute(&made.session, &run, false, || panic!("a defect"));
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_err();
    made.assert_runs(&[("03-01 09", RunState::Failed)]);
    assert_eq!(made.check(march(2, 9)).waiting.len(), 1);
}

#[test]
fn what_waited_when_the_program_ended_is_decided_about_again() {
    use RunState::{MadeUp, Missed, Unanswered, Waiting};
    for (policy, alone, with_later) in [
        (CatchUp::Once, Waiting, [MadeUp, MadeUp, Waiting]),
        (CatchUp::Skip, Missed, [Missed, Missed, Missed]),
        (CatchUp::Confirm, Unanswered, [MadeUp, MadeUp, Unanswered]),
    ] {
        // The run waits behind another crawl; the program ends, or the machine sleeps.
        for ended in [true, false] {
            let mut made = made(&[campaign(Frequency::Weekly, policy)]);
            assert_eq!(made.check(march(1, 9)).waiting.len(), 1);
            made.scheduler = if ended { Scheduler::new(ON_TIME) } else { made.scheduler };
            let due_runs = made.check(march(3, 9));
            made.assert_runs(&[("03-01 09", alone)]);
            assert_eq!(
                (due_runs.waiting.len(), due_runs.unanswered.len()),
                (usize::from(alone == Waiting), usize::from(alone == Unanswered))
            );
            made.session.catalogue().set_scheduled(RunId::new(1), Waiting, "").unwrap();
            made.scheduler = if ended { Scheduler::new(ON_TIME) } else { made.scheduler };
            made.check(march(15, 12));
            made.assert_runs(&[("03-01 09", with_later[0]), ("03-08 09", with_later[1]), ("03-15 09", with_later[2])]);
        }
    }
    // Ended between two words: the run was at work by name, but there was no launch yet.
    let mut made = made(&[campaign(Frequency::Weekly, CatchUp::Skip)]);
    let run = made.check(march(1, 9)).waiting.remove(0);
    made.session.catalogue().set_scheduled(run.id, RunState::Running, "").unwrap();
    made.scheduler = Scheduler::new(ON_TIME);
    assert_eq!(made.check(march(3, 9)).waiting, []);
    made.assert_runs(&[("03-01 09", Missed)]);
    // Back within the hour it starts without an answer.
    let mut made = self::made(&[campaign(Frequency::Weekly, CatchUp::Confirm)]);
    made.check(march(1, 9));
    made.scheduler = Scheduler::new(ON_TIME);
    assert_eq!(made.check(march(1, 10)).waiting.len(), 1);
}

#[test]
fn a_campaign_that_cannot_be_read_is_reported_and_keeps_nobody_else() {
    let mut made = made(&[campaign(Frequency::Daily, CatchUp::Once), campaign(Frequency::Daily, CatchUp::Once)]);
    let spoilt = rusqlite::Connection::open(made.session.workspace.folder().join("fonds.sqlite")).unwrap();
    spoilt.execute("UPDATE campaign_version SET spec = replace(spec, '\"delay_factor\":', '\"delay_factor\":null,\"x\":') WHERE campaign = 1", []).unwrap();
    let due_runs = made.check(march(1, 9));
    assert_eq!((due_runs.waiting.len(), due_runs.waiting[0].campaign), (1, CampaignId::new(2)));
    assert!(due_runs.problems[0].contains("campaign 1"), "{due_runs:?}");
    let (runs, notes) = next_runs(&made.session, None, Calendar::Fonds, march(1, 9), 1).unwrap();
    assert_eq!((runs[0].campaign, notes.len()), (CampaignId::new(2), 1));
}
