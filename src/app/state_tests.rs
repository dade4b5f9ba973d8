//! The state of a window, without a window.

#![allow(clippy::unwrap_used)]

use super::models::{
    CampaignChoice, CampaignId, CaptureId, CaptureQuery, ImportOptions, Launches, Loaded, ReviewMark, RunState,
    ScheduledRun,
};
use super::state::Answer;
use super::{Action, AppState, Command, CrawlStart, Dialog, JobKind, Route, Settings, resolve};
use crate::campaign::{Campaign, Frequency, Run};
use crate::store::Workspace;
use crate::testing::{load_links, town};
use crate::uri::CaptureDate;
use crate::work::models::{ProblemId, RunId};
use crate::work::{self, OwnWorkspaces, Session, Workspaces};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The campaign of the sample town.
const TOWN: CampaignId = CampaignId::new(1);

fn state() -> (AppState, TempDir, Arc<AtomicUsize>) {
    let dir = tempfile::tempdir().unwrap();
    let woken = Arc::new(AtomicUsize::new(0));
    let opener = Arc::new(Workspaces::offering(dir.path().join("fonds")));
    let wake = woken.clone();
    let wake = Arc::new(move || {
        wake.fetch_add(1, Ordering::SeqCst);
    });
    (AppState::new(opener, Settings::default(), wake).unwrap(), dir, woken)
}

#[track_caller]
fn until(state: &mut AppState, what: &str, holds: impl Fn(&mut AppState) -> bool) {
    let begun = Instant::now();
    while !holds(state) {
        assert!(begun.elapsed() < Duration::from_secs(180), "waited in vain until {what}");
        state.tick();
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// On a copy of the sample town, after something was done to it.
fn opened_as(change: impl FnOnce(&Session)) -> (AppState, TempDir) {
    let (mut state, dir, _) = state();
    let folder = town().copy(dir.path());
    change(&Session::new(Workspace::open(&folder).unwrap()));
    state.send(Command::OpenWorkspace(folder));
    until(&mut state, "the workspace is open", |state| state.session().is_some());
    (state, dir)
}

fn opened() -> (AppState, TempDir) {
    opened_as(|_| {})
}

fn folder(state: &AppState) -> PathBuf {
    state.settings.last_workspace.clone().unwrap()
}

/// Gives a table of the open catalogue another name, as damage would.
fn rename_table(state: &AppState, from: &str, to: &str) {
    let catalogue = rusqlite::Connection::open(folder(state).join("fonds.sqlite")).unwrap();
    catalogue.execute_batch(&format!("ALTER TABLE {from} RENAME TO {to}")).unwrap();
}

/// A scheduled run of the town that was due so many seconds ago.
fn keep_run(session: &Session, state: RunState, seconds_ago: i64) -> ScheduledRun {
    let now = CaptureDate::now();
    let date = CaptureDate::from_millis(now.millis() - 1000 * seconds_ago);
    let run = Run { date, is_extra: false, words: String::new() };
    session.catalogue().keep_scheduled(TOWN, vec![(run, state, String::new())], now).unwrap().remove(0)
}

fn query(filter: &str) -> CaptureQuery {
    CaptureQuery { filter: filter.to_owned(), limit: 200, ..work::everything() }
}

#[test]
fn links_of_a_folder_are_loaded_by_its_revision() {
    let (mut state, dir) = opened();
    let folder = dir.path().join("other-links");
    load_links(&folder);
    let revision = crate::work::link_set(&state.session().unwrap().workspace, Some(&folder)).unwrap().unwrap().revision;
    state.send(Command::Go(Route::LinkHosts(Some(folder.clone()))));
    // Not before it is known: they would be read twice.
    assert_eq!(state.links_revision(Some(&folder)), None);
    until(&mut state, "the revision is known", |state| state.links_revision(Some(&folder)) == Some(revision));
    until(&mut state, "hosts are there", |state| matches!(state.link_hosts(Some(&folder)).0, Loaded::Ready(_)));
    // Those of the workspace go by the catalogue.
    let of_catalogue = state.session().map(|session| session.revision());
    assert_eq!(state.links_revision(None), of_catalogue);
}

#[test]
fn the_last_answer_stays_while_a_new_one_loads() {
    let (mut state, _dir) = opened();
    let all = state.session().unwrap().catalogue().captures(&query("")).unwrap().total;
    assert!(matches!(state.reads.captures(query("")), Loaded::Loading { last: None }));
    until(&mut state, "rows are there", |state| matches!(state.reads.captures(query("")), Loaded::Ready(_)));
    let Loaded::Loading { last: Some(last) } = state.reads.captures(query("diaspora")) else {
        panic!("the rows of the last question are gone");
    };
    assert_eq!(last.total, all);
    until(
        &mut state,
        "the new rows are there",
        |state| matches!(state.reads.captures(query("diaspora")), Loaded::Ready(page) if page.total < 200),
    );
}

#[test]
fn a_change_of_the_catalogue_is_shown_and_nothing_is_loaded_without_one() {
    let (mut state, _dir) = opened();
    let row = |state: &mut AppState| match state.reads.captures(query("robots.txt")) {
        Loaded::Ready(page) => page.rows.first().map(|row| (row.id, row.mark)),
        _ => None,
    };
    until(&mut state, "rows are there", |state| row(state).is_some());
    let (capture, mark) = row(&mut state).unwrap();
    assert_eq!(mark, None);
    state.send(Command::Mark { captures: vec![capture].into(), mark: ReviewMark::Flag, note: String::new() });
    until(&mut state, "the mark is shown", |state| row(state).unwrap().1 == Some(ReviewMark::Flag));
}

#[test]
fn workers_wake_the_window() {
    let (mut state, dir, woken) = state();
    state.send(Command::OpenWorkspace(town().copy(dir.path())));
    until(&mut state, "the workspace is open", |state| state.session().is_some());
    // The answer is sent before the window is woken.
    until(&mut state, "the window is woken", |_| woken.load(Ordering::SeqCst) >= 1);
}

#[test]
fn a_folder_that_cannot_be_opened_is_reported_and_nothing_changes() {
    let (mut state, dir) = opened();
    let open = folder(&state);
    state.send(Command::OpenWorkspace(dir.path().to_owned()));
    until(&mut state, "a notice is shown", |state| !state.open.notices.is_empty());
    assert!(state.open.notices[0].1.why.contains("not a workspace"), "{:?}", state.open.notices);
    assert_eq!(state.settings.last_workspace, Some(open));
    assert!(state.opening().is_none());
}

#[test]
fn back_goes_the_way_that_was_come() {
    let (mut state, _dir) = opened();
    let routes = [Route::Crawl, Route::Captures { filter: "host:x".to_owned() }, Route::Jobs];
    for route in &routes {
        state.send(Command::Go(route.clone()));
    }
    state.tick();
    assert_eq!(state.open.route, Route::Jobs);
    for route in [&routes[1], &routes[0], &Route::Campaigns] {
        assert_eq!(resolve(Action::Back, &state), Ok(Command::Back));
        state.send(Command::Back);
        state.tick();
        assert_eq!(&state.open.route, route);
    }
    assert_eq!(resolve(Action::Back, &state), Err("No previous page"));
}

#[test]
fn greyed_buttons_have_a_reason() {
    let (mut state, _dir, _) = state();
    for action in [Action::StartCrawl, Action::BuildInlinks, Action::SaveCampaign] {
        assert_eq!(resolve(action, &state), Err("No workspace open"), "{action:?}");
    }
    assert_eq!(resolve(Action::StopCrawl, &state), Err("No crawl is running"));
    assert_eq!(resolve(Action::Palette, &state), Ok(Command::OpenDialog(Dialog::Palette)));
    state.act(Action::StopCrawl);
    assert_eq!(state.open.notices[0].1.why, "No crawl is running");
}

#[test]
fn one_crawl_runs_at_a_time_and_stops_on_request() {
    let (mut state, dir) = opened();
    state.send(Command::ChooseCampaign(TOWN));
    state.send(Command::StartCrawl(CrawlStart { campaign: TOWN, version: 1, fresh: true }));
    until(&mut state, "the crawl runs", |state| state.crawl_job().is_some());
    assert_eq!(resolve(Action::StartCrawl, &state), Err("A crawl is running"));
    assert!(state.next_tick().is_some());
    let id = state.crawl_job().unwrap().id;
    state.send(Command::PauseJob(id, true));
    state.send(Command::OpenWorkspace(dir.path().join("other")));
    state.tick();
    assert!(state.crawl_job().unwrap().cx().is_paused());
    assert!(state.open.notices[0].1.why.contains("is running"));
    state.send(Command::CancelJob(id));
    until(&mut state, "the crawl ends", |state| state.open.jobs.is_empty());
    assert!(!state.open.ended[0].failed, "{:?}", state.open.ended);
    assert_eq!(state.session().unwrap().crawl(Some(TOWN), Launches::All).unwrap().launches.len(), 3);
}

#[test]
fn every_action_has_a_label_and_its_own_keys() {
    let mut seen = std::collections::HashSet::new();
    for action in Action::ALL {
        assert!(!action.label().is_empty() && !action.hint().is_empty(), "{action:?}");
        assert!(action.keys().is_empty() || seen.insert(action.keys()), "{action:?}: {}", action.keys());
    }
}

#[test]
fn undo_with_nothing_left_to_undo_is_named_after_what_it_would_undo() {
    let (mut state, _dir) = opened();
    let refused = |state: &mut AppState| {
        state.act(Action::Undo);
        state.open.notices.pop().map(|(_, notice)| (notice.what, notice.why))
    };
    assert_eq!(refused(&mut state), None, "a mark can be taken back");
    state.send(Command::Go(Route::Spec(None)));
    state.tick();
    state.open.spec = Some(super::SpecDraft::new(String::new()));
    let edited = Campaign::new("Ria");
    state.send(Command::EditSpec(Box::new(edited)));
    state.send(Command::UndoEdit);
    state.tick();
    assert!(resolve(Action::Redo, &state).is_ok());
    let (what, why) = refused(&mut state).unwrap();
    assert_eq!((what.as_str(), why.as_str()), ("Undo edit is not available now", "Nothing to undo"));
}

#[test]
fn what_another_process_holds_is_not_written_and_not_counted_as_reviewed() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("w");
    let workspace = crate::store::Workspace::create(&folder).unwrap();
    let opener = Arc::new(crate::work::Workspaces::default());
    let mut state = AppState::new(opener, Settings::default(), Arc::new(|| {})).unwrap();
    state.send(Command::OpenWorkspace(folder));
    until(&mut state, "the workspace is open", |state| state.session().is_some());
    let why = state.session().unwrap().workspace().unwrap().read_only.unwrap();
    let holder = format!("The workspace is open elsewhere (process {} since", std::process::id());
    assert!(why.starts_with(&holder) && why.contains("nothing crawled") && why.contains("Close it there"), "{why}");
    state.send(Command::Go(Route::Review { filter: String::new() }));
    state.send(Command::Mark {
        captures: vec![CaptureId::new(1)].into(),
        mark: ReviewMark::Approve,
        note: String::new(),
    });
    until(&mut state, "a notice is shown", |state| !state.open.notices.is_empty());
    let notice = &state.open.notices[0].1;
    assert_eq!(notice.why, "This workspace is open in another window; read only");
    assert!(!notice.is_error);
    assert!(state.open.reviewed.is_empty());
    drop(workspace);
}

#[test]
fn what_is_kept_on_the_page_review_is_counted() {
    let (mut state, _dir) = opened();
    let mark =
        || Command::Mark { captures: vec![CaptureId::new(1)].into(), mark: ReviewMark::Approve, note: String::new() };
    state.send(mark());
    state.send(Command::Go(Route::Review { filter: String::new() }));
    state.send(mark());
    until(&mut state, "it is kept", |state| state.open.reviewed.len() == 1);
    state.send(mark());
    state.send(Command::Mark {
        captures: vec![CaptureId::new(2)].into(),
        mark: ReviewMark::Approve,
        note: String::new(),
    });
    until(&mut state, "it is kept", |state| state.open.reviewed.len() == 2);
    assert!(state.open.notices.is_empty());
}

#[test]
fn the_current_row_goes_with_its_list() {
    use super::{FilesRoute, Focus};
    let (mut state, _dir) = opened();
    let problems = |kind: &str| {
        let query = super::models::ProblemQuery { kind: kind.to_owned(), ..Default::default() };
        Route::Files(FilesRoute::Problems(query))
    };
    let mut after = |command: Command| {
        state.send(Command::Go(problems("")));
        state.tick();
        state.follow(Focus::Problem(ProblemId::new(2)));
        state.send(command);
        state.tick();
        state.focus()
    };
    assert_eq!(after(Command::Go(problems("truncated"))), Some(Focus::Problem(ProblemId::new(2))));
    assert_eq!(after(Command::Go(Route::Files(FilesRoute::Imports(None)))), None);
    assert_eq!(after(Command::Go(Route::Files(FilesRoute::Files(None)))), None);
    assert_eq!(after(Command::Back), None);
}

#[test]
fn what_a_number_counts_is_shown_whole_once() {
    let (mut state, _dir) = opened();
    let captures = || Route::Captures { filter: String::new() };
    state.send(Command::GoToAll(captures()));
    state.tick();
    assert!(state.take_shows_all());
    assert!(!state.take_shows_all(), "what a person chooses then holds");
    // Who goes on to another page sees that as it was.
    state.send(Command::GoToAll(Route::Crawl));
    state.send(Command::Go(captures()));
    state.tick();
    assert!(!state.take_shows_all());
}

#[test]
fn a_campaign_without_a_name_is_called_by_its_number() {
    use super::models::campaign_title;
    assert_eq!(campaign_title(CampaignId::new(3), " "), "campaign 3 (no name)");
    assert_eq!(campaign_title(CampaignId::new(3), "Ria"), "Ria");
}

#[test]
fn settings_of_an_older_program_are_read() {
    let settings: Settings = serde_json::from_str(r#"{"theme":"dark","unknown":1}"#).unwrap();
    assert_eq!(settings, Settings { theme: super::ThemeChoice::Dark, ..Settings::default() });
}

#[test]
fn schedules_of_a_workspace_that_others_made_wait_until_a_person_lets_them_run() {
    let dir = tempfile::tempdir().unwrap();
    let own = OwnWorkspaces::in_folder(&dir.path().join("settings"));
    let open = |folder: &Path| {
        let opener = Workspaces::offering(dir.path().join("fonds")).with_own(own.clone());
        let mut state = AppState::new(Arc::new(opener), Settings::default(), Arc::new(|| {})).unwrap();
        state.send(Command::OpenWorkspace(folder.to_owned()));
        until(&mut state, "a question is shown", |state| !state.open.schedules.of_others.is_empty());
        state
    };
    let folder = town().copy(dir.path());
    {
        let session = Session::new(Workspace::open(&folder).unwrap());
        let mut campaign = session.catalogue().campaign_page(TOWN).unwrap().campaign;
        campaign.schedule.frequency = Frequency::Daily;
        session.save_campaign(Some(TOWN), &campaign).unwrap();
        keep_run(&session, RunState::Waiting, 60);
    }
    let mut state = open(&folder);
    assert!(state.crawl_job().is_none());
    let [(name, terms)] = state.open.schedules.of_others.as_slice() else { panic!("{:?}", state.open.schedules) };
    assert!(!name.is_empty() && terms.iter().any(|term| term == "schedule: every day"), "{name}: {terms:?}");
    // Not now: it waits for as long as it is open.
    state.send(Command::LetSchedulesRun(false));
    state.tick();
    assert!(state.open.schedules.of_others.is_empty() && state.crawl_job().is_none());
    drop(state);
    let mut state = open(&folder);
    state.send(Command::LetSchedulesRun(true));
    until(&mut state, "the run has begun", |state| state.crawl_job().is_some());
    state.act(Action::StopCrawl);
    until(&mut state, "the crawl has ended", |state| state.crawl_job().is_none());
    drop(state);
    // From now on it is one's own here, and elsewhere it is not.
    let listed = |folder: &Path| own.has(&Workspace::open_or_read_only(folder).unwrap()).unwrap();
    assert!(listed(&folder));
    let moved = dir.path().join("moved");
    std::fs::rename(&folder, &moved).unwrap();
    assert!(!listed(&moved));
    // As is one that was made in the window.
    let made = Workspaces::default().with_own(own.clone()).create(&dir.path().join("made")).unwrap();
    assert!(own.has(&made.workspace).unwrap() && !made.is_of_others().unwrap());
}

#[test]
fn a_run_that_is_due_starts_and_one_that_was_missed_waits_for_an_answer() {
    let mut kept = None;
    let (mut state, _dir) = opened_as(|session| {
        let unanswered = keep_run(session, RunState::Unanswered, 7200);
        kept = Some((unanswered, keep_run(session, RunState::Waiting, 60)));
        let mut other = Campaign::new("Other");
        other.schedule.frequency = Frequency::Daily;
        other.schedule.time_zone = Some("Mars/Olympus".to_owned());
        session.save_campaign(None, &other).unwrap();
    });
    let (unanswered, waiting) = kept.unwrap();
    let run = |state: &AppState, id: RunId| {
        let runs = state.session().unwrap().scheduled_runs(TOWN, 10).unwrap();
        runs.into_iter().find(|run| run.id == id)
    };
    until(&mut state, "the run has begun", |state| state.crawl_job().is_some());
    assert_eq!(state.open.schedules.unanswered.len(), 1);
    let notices_of =
        |state: &AppState, text: &str| state.open.notices.iter().filter(|(_, n)| n.why.contains(text)).count();
    assert_eq!(notices_of(&state, "Mars/Olympus"), 1);
    state.crawl_job().unwrap().cx().set_paused(true);
    // The crawl at work is the only one; what waits is looked at again later.
    state.send(Command::AnswerScheduled { run: unanswered.id, starts: false });
    until(&mut state, "the answer is kept", |state| run(state, unanswered.id).unwrap().state != RunState::Unanswered);
    assert!(state.open.schedules.unanswered.is_empty());
    until(&mut state, "the run is at work", |state| run(state, waiting.id).unwrap().launch.is_some());
    assert_eq!(state.open.jobs.len(), 1);
    assert!(state.next_tick().is_some());
    state.act(Action::StopCrawl);
    until(&mut state, "the crawl has ended", |state| state.crawl_job().is_none());
    // The row of that run goes, and its number is given to a later run.
    let catalogue = rusqlite::Connection::open(folder(&state).join("fonds.sqlite")).unwrap();
    let now = CaptureDate::now().millis();
    catalogue
        .execute(
            "UPDATE schedule_run SET due_ms = ?1, noticed_ms = ?1, state = 'waiting', launch = NULL WHERE id = ?2",
            rusqlite::params![now, waiting.id],
        )
        .unwrap();
    state.send(Command::AnswerScheduled { run: unanswered.id, starts: false });
    until(&mut state, "the later run has begun", |state| state.crawl_job().is_some());
    state.act(Action::StopCrawl);
    until(&mut state, "the crawl has ended", |state| state.crawl_job().is_none());
}

/// A draft of a campaign that was saved before, with an edit.
fn edited_draft(state: &mut AppState, id: CampaignId) -> super::SpecDraft {
    until(state, "the campaign is read", |state| matches!(state.reads.campaign(id), Loaded::Ready(_)));
    let Loaded::Ready(page) = state.reads.campaign(id) else { unreachable!() };
    let mut draft = super::SpecDraft::of(&page);
    draft.campaign.name.push_str(" II");
    draft
}

/// The number of the campaign with this name and its version, of all of that name.
fn saved_as(state: &AppState, name: &str) -> Vec<(CampaignId, u32)> {
    let rows = state.session().unwrap().catalogue().campaigns().unwrap().into_iter();
    rows.filter(|row| row.name == name).map(|row| (row.id, row.version)).collect()
}

#[test]
fn a_campaign_that_is_being_saved_is_not_saved_once_more() {
    let (mut state, _dir) = opened();
    state.send(Command::Go(Route::Spec(None)));
    let mut draft = super::SpecDraft::new(String::new());
    draft.campaign.name = "Town".to_owned();
    state.open.spec = Some(draft);
    // Twice before the first is carried out, and once before it is answered.
    state.act(Action::SaveCampaign);
    state.act(Action::SaveCampaign);
    state.tick();
    assert_eq!(resolve(Action::SaveCampaign, &state), Err("It is already being saved"));
    until(&mut state, "it is saved", |state| !state.open.spec.as_ref().unwrap().is_being_saved());
    until(&mut state, "a notice is shown", |state| !state.open.notices.is_empty());
    let saved = saved_as(&state, "Town");
    let spec = state.open.spec.as_ref().unwrap();
    assert_eq!((spec.id, spec.version, spec.is_edited()), (Some(saved[0].0), 1, false));
    assert_eq!(saved, [(saved[0].0, 1)]);
    assert_eq!((&state.open.route, state.open.campaign), (&Route::Spec(spec.id), spec.id));
}

#[test]
fn a_late_answer_to_a_save_leaves_another_draft_alone() {
    let (mut state, _dir) = opened();
    let other = saved_as(&state, "Elections")[0].0;
    let (first, second) = (edited_draft(&mut state, TOWN), edited_draft(&mut state, other));
    state.send(Command::Go(Route::Spec(Some(TOWN))));
    state.open.spec = Some(first);
    state.act(Action::SaveCampaign);
    state.tick();
    // The next campaign is opened before the answer is taken in.
    state.open.route = Route::Spec(Some(other));
    state.open.campaign = Some(other);
    state.open.spec = Some(second.clone());
    until(&mut state, "a notice of the save is shown", |state| !state.open.notices.is_empty());
    let spec = state.open.spec.as_ref().unwrap();
    assert_eq!((spec.id, spec.version), (Some(other), second.version));
    assert!(spec.saved == second.saved && spec.is_edited());
    assert_eq!((&state.open.route, state.open.campaign), (&Route::Spec(Some(other)), Some(other)));
}

#[test]
fn a_save_that_fails_is_reported_and_can_be_made_again() {
    let (mut state, _dir) = opened();
    let mut draft = super::SpecDraft::new(String::new());
    draft.campaign.name = "Town".to_owned();
    state.open.spec = Some(draft);
    rename_table(&state, "campaign_version", "elsewhere");
    state.act(Action::SaveCampaign);
    // The schedules, which are read now and then, fail by the same, with a notice too.
    until(&mut state, "it is reported", |state| {
        state.open.notices.iter().any(|(_, notice)| notice.what == "Specification not saved")
    });
    rename_table(&state, "elsewhere", "campaign_version");
    state.act(Action::SaveCampaign);
    until(&mut state, "it is saved", |state| !state.open.spec.as_ref().unwrap().is_edited());
    assert_eq!(saved_as(&state, "Town").len(), 1);
}

#[test]
fn a_defect_while_writing_is_reported_and_the_next_write_is_made() {
    let (mut state, _dir) = opened();
    state.write(|_| -> anyhow::Result<String> { panic!("a made-up defect") }, Answer::Marked);
    until(&mut state, "a notice is shown", |state| !state.open.notices.is_empty());
    assert!(state.open.notices[0].1.why.contains("internal error"), "{:?}", state.open.notices);
    state.send(Command::Mark { captures: vec![CaptureId::new(1)].into(), mark: ReviewMark::Flag, note: String::new() });
    let is_marked = |state: &AppState| {
        state.session().unwrap().detail(CaptureId::new(1), 90).unwrap().row.mark == Some(ReviewMark::Flag)
    };
    until(&mut state, "it is marked", |state| is_marked(state));
}

#[test]
fn schedules_are_polled_again_after_a_failure() {
    let (mut state, _dir, _) = state();
    let folder = town().copy(_dir.path());
    let rename = |from: &str, to: &str| {
        let catalogue = rusqlite::Connection::open(folder.join("fonds.sqlite")).unwrap();
        catalogue.execute_batch(&format!("ALTER TABLE {from} RENAME TO {to}")).unwrap();
    };
    keep_run(&Session::new(Workspace::open(&folder).unwrap()), RunState::Unanswered, 60);
    state.send(Command::OpenWorkspace(folder.clone()));
    until(&mut state, "the workspace is open", |state| state.session().is_some());
    until(&mut state, "the first look is over", |state| !state.open.schedules.unanswered.is_empty());
    rename("schedule_run", "elsewhere");
    state.send(Command::AnswerScheduled { run: RunId::new(999), starts: false });
    until(&mut state, "a notice is shown", |state| {
        state.open.notices.iter().any(|(_, notice)| notice.what == "Schedules could not be read")
    });
    rename("elsewhere", "schedule_run");
    // An answer makes the next poll due at once.
    state.send(Command::AnswerScheduled { run: RunId::new(999), starts: false });
    until(&mut state, "the look finds a run", |state| {
        !state.open.notices.iter().any(|(_, notice)| notice.what == "Schedules could not be read")
    });
}

#[test]
fn inlinks_of_an_earlier_form_are_built_once_a_workspace_is_open() {
    let (state, _dir) = opened();
    assert!(!state.runs(JobKind::BuildInlinks));
    // What a migration of the catalogue leaves behind.
    let (mut state, _dir) = opened_as(|session| session.catalogue().set_setting("inlinks_wanted", "1").unwrap());
    until(&mut state, "they are built", |state| {
        state.open.ended.iter().any(|job| job.kind == JobKind::BuildInlinks && !job.failed)
    });
    assert!(state.open.log.iter().any(|(_, notice)| notice.what.starts_with("Inlinks are being rebuilt")));
}

#[test]
fn a_newer_window_stops_the_count_of_an_older_one() {
    let (mut state, _dir) = opened();
    state.send(Command::SetWindow(30));
    state.send(Command::SetWindow(60));
    state.tick();
    let running: Vec<bool> = state.open.jobs.iter().map(|job| job.cx().is_cancelled()).collect();
    assert!(matches!(running.as_slice(), [true, false] | [false] | []), "{running:?}");
    until(&mut state, "both ended", |state| !state.runs(JobKind::SetWindow));
    assert_eq!(state.session().unwrap().workspace().unwrap().counted_window_days, Some(60));
    assert_eq!((state.settings.window_days, state.open.selection_draft.window_days), (60, 60));
}

/// Words that a search finds, with how many captures are not indexed yet.
fn found_texts(state: &AppState, text: &str) -> (u64, Option<u64>) {
    let query = work::SearchQuery { text: text.to_owned(), ..Default::default() };
    let answer = state.session().unwrap().search(&query).unwrap();
    (answer.versions, answer.waiting)
}

/// A record of a page of this host.
fn page_of(host: &str, text: &str) -> Vec<u8> {
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{text}</p>");
    let kind = "Content-Type: application/http; msgtype=response\r\n";
    crate::testing::record("response", &format!("https://{host}.pt/"), "2024-03-01T10:00:00Z", kind, answer)
}

/// A WARC file with one page.
fn one_page(folder: &std::path::Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(format!("{name}.warc"));
    std::fs::write(&path, page_of(name, text)).unwrap();
    path
}

/// Imports go to the campaign that the town was crawled for.
fn of_the_town() -> ImportOptions {
    ImportOptions { campaign: CampaignChoice::Of(CampaignId::new(1)), ..ImportOptions::default() }
}

fn import(state: &mut AppState, path: PathBuf) {
    state.send(Command::Import { paths: vec![path], options: of_the_town() });
    state.tick();
    until(state, "the import has ended", |state| !state.runs(JobKind::Import));
}

/// Rows of follow-ups in the job history.
fn follow_ups(state: &AppState) -> Vec<String> {
    let rows = state.session().unwrap().job_history(100).unwrap();
    let name = JobKind::IndexTexts.label();
    rows.into_iter().filter(|row| row.name == name && row.ended.is_some()).map(|row| row.outcome).collect()
}

#[test]
fn what_an_import_brings_is_found_without_anybody_indexing() {
    let (mut state, dir) = opened();
    assert_eq!(found_texts(&state, "caravel").1, None, "no index yet");
    let path = one_page(dir.path(), "ships", "a caravel at sea");
    import(&mut state, path.clone());
    until(&mut state, "its text is found", |state| found_texts(state, "text:caravel") == (1, Some(0)));
    until(&mut state, "the index job has ended", |state| state.open.jobs.is_empty());
    assert_eq!(follow_ups(&state).len(), 1);
    // No message: it began by itself.
    assert!(!state.open.log.iter().any(|(_, notice)| notice.what.contains("Index texts")));
    // Nothing new: nothing is done, and no row is added.
    import(&mut state, path);
    let begun = Instant::now();
    let works = |state: &AppState| state.open.index_watch.is_pending() || !state.open.jobs.is_empty();
    while begun.elapsed() < Duration::from_millis(300) || works(&state) {
        state.tick();
        std::thread::sleep(Duration::from_millis(2));
    }
    assert_eq!(follow_ups(&state).len(), 1);
    // What came by another way is indexed when the workspace is open, where it has an index.
    let later = one_page(dir.path(), "later", "a brigantine");
    let folder = folder(&state);
    drop(state);
    let session = Session::new(Workspace::open(&folder).unwrap());
    session.import(&[later], of_the_town(), &crate::jobs::JobCx::detached()).unwrap();
    drop(session);
    let (mut state, _dir, _) = self::state();
    state.send(Command::OpenWorkspace(folder));
    until(&mut state, "the workspace is open", |state| state.session().is_some());
    until(&mut state, "its text is found", |state| found_texts(state, "text:brigantine") == (1, Some(0)));
}

#[test]
fn anchors_of_inlinks_are_found_without_anybody_indexing() {
    let (mut state, dir) = opened();
    let link = "see <a href='https://ships.pt/'>brigantine</a>";
    import(&mut state, one_page(dir.path(), "ships", "a caravel at sea"));
    import(&mut state, one_page(dir.path(), "pilots", link));
    until(&mut state, "the texts are found", |state| found_texts(state, "text:brigantine") == (1, Some(0)));
    until(&mut state, "the index job has ended", |state| state.open.jobs.is_empty());
    assert_eq!(found_texts(&state, "anchors:brigantine").0, 0);
    state.send(Command::BuildInlinks);
    until(&mut state, "anchors are found", |state| found_texts(state, "anchors:brigantine").0 == 1);
}

/// Pages of an import that takes some seconds.
const LONG_IMPORT: u64 = 20_000;

fn newest(state: &AppState) -> CaptureId {
    state.session().unwrap().catalogue().newest_capture().unwrap()
}

#[test]
fn an_import_is_followed_while_it_runs() {
    let (mut state, dir) = opened();
    let pages: Vec<u8> = (0..LONG_IMPORT).flat_map(|nth| page_of(&format!("page{nth}"), "a caravel at sea")).collect();
    let path = dir.path().join("long.warc");
    std::fs::write(&path, pages).unwrap();
    let before = newest(&state);
    state.send(Command::Import { paths: vec![path], options: of_the_town() });
    until(&mut state, "captures come", |state| newest(state) > before);
    state.open.index_watch.check_now();
    until(&mut state, "some texts are found", |state| found_texts(state, "text:caravel").0 > 0);
    assert!(state.runs(JobKind::Import), "the import has ended before");
    until(&mut state, "all texts are found", |state| found_texts(state, "text:caravel") == (LONG_IMPORT, Some(0)));
}

#[test]
fn automatic_indexing_can_be_switched_off() {
    let (mut state, dir) = opened();
    state.settings.follow_index = false;
    import(&mut state, one_page(dir.path(), "ships", "a caravel at sea"));
    for _ in 0..50 {
        state.tick();
        std::thread::sleep(Duration::from_millis(2));
    }
    assert_eq!((state.open.jobs.len(), found_texts(&state, "caravel").1), (0, None));
    state.send(Command::IndexTexts);
    until(&mut state, "its text is found", |state| found_texts(state, "text:caravel") == (1, Some(0)));
}

#[test]
fn an_index_job_that_nobody_waits_for_gives_way() {
    let (mut state, dir) = opened();
    import(&mut state, one_page(dir.path(), "ships", "a caravel at sea"));
    until(&mut state, "the index job runs", |state| state.runs(JobKind::IndexTexts));
    assert!(!state.is_busy());
    // The window closes without a question, and it is stopped.
    state.send(Command::CloseWindow);
    state.tick();
    assert!(state.closing && state.open.dialog.is_none());
    until(&mut state, "it has ended", |state| state.open.jobs.is_empty());
}
