//! The state of a window, without a window.

#![allow(clippy::unwrap_used)]

use super::fixture::{FixtureOpener, Told};
use super::models::{CaptureQuery, CaptureTab, Loaded, ReviewMark};
use super::{Action, AppState, Command, CrawlStart, Dialog, Route, Settings, resolve};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

fn state() -> (AppState, Arc<Told>, Arc<AtomicUsize>) {
    let told = Arc::new(Told::default());
    let woken = Arc::new(AtomicUsize::new(0));
    let opener = Arc::new(FixtureOpener { empty: false, told: told.clone() });
    let wake = woken.clone();
    let wake = Arc::new(move || {
        wake.fetch_add(1, Ordering::SeqCst);
    });
    (AppState::new(opener, Settings::default(), wake).unwrap(), told, woken)
}

#[track_caller]
fn until(state: &mut AppState, what: &str, holds: impl Fn(&mut AppState) -> bool) {
    let begun = Instant::now();
    while !holds(state) {
        assert!(begun.elapsed() < Duration::from_secs(60), "waited in vain until {what}");
        state.tick();
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn opened() -> (AppState, Arc<Told>) {
    let (mut state, told, _) = state();
    state.send(Command::OpenWorkspace("/archive".into()));
    until(&mut state, "the workspace is open", |state| state.desk().is_some());
    (state, told)
}

fn query(filter: &str) -> CaptureQuery {
    CaptureQuery {
        filter: filter.to_owned(),
        tab: CaptureTab::All,
        campaign: None,
        sort: Vec::new(),
        offset: 0,
        limit: 200,
    }
}

#[test]
fn links_of_a_folder_are_asked_for_by_its_revision() {
    let (mut state, _) = opened();
    let folder = std::path::PathBuf::from("/media/other-links");
    state.send(Command::Go(Route::LinkHosts(Some(folder.clone()))));
    // Not before it is known: they would be read twice.
    assert_eq!(state.links_revision(Some(&folder)), None);
    until(&mut state, "the revision is known", |state| state.links_revision(Some(&folder)) == Some(7));
    until(&mut state, "hosts are there", |state| matches!(state.link_hosts(Some(&folder)).0, Loaded::Ready(_)));
    // Those of the workspace go by the catalogue.
    let of_catalogue = state.desk().map(|desk| desk.revision());
    assert_eq!(state.links_revision(None), of_catalogue);
}

#[test]
fn the_last_answer_stays_while_a_new_one_loads() {
    let (mut state, _) = opened();
    assert!(matches!(state.reads.captures(query("")), Loaded::Loading { last: None }));
    until(&mut state, "rows are there", |state| matches!(state.reads.captures(query("")), Loaded::Ready(_)));
    let Loaded::Loading { last: Some(last) } = state.reads.captures(query("museum")) else {
        panic!("the rows of the last question are gone");
    };
    assert_eq!(last.total, super::fixture::CAPTURES);
    until(
        &mut state,
        "the new rows are there",
        |state| matches!(state.reads.captures(query("museum")), Loaded::Ready(page) if page.total < 200),
    );
}

#[test]
fn a_change_of_the_catalogue_is_shown_and_nothing_is_asked_without_one() {
    let (mut state, told) = opened();
    let id = |state: &mut AppState| match state.reads.captures(query("")) {
        Loaded::Ready(page) => page.rows.get(1).map(|row| (row.id, row.mark)),
        _ => None,
    };
    until(&mut state, "rows are there", |state| id(state).is_some());
    assert_eq!(id(&mut state).unwrap().1, None);
    let capture = id(&mut state).unwrap().0;
    state.send(Command::Mark { captures: vec![capture].into(), mark: ReviewMark::Flag, note: String::new() });
    until(&mut state, "the mark is shown", |state| id(state).unwrap().1 == Some(ReviewMark::Flag));
    assert!(told.said().last().unwrap().starts_with("mark"));
}

#[test]
fn workers_wake_the_window() {
    let (mut state, _, woken) = state();
    state.send(Command::OpenWorkspace("/archive".into()));
    until(&mut state, "the workspace is open", |state| state.desk().is_some());
    // It is told before it is woken.
    until(&mut state, "the window is woken", |_| woken.load(Ordering::SeqCst) >= 1);
}

#[test]
fn a_folder_that_cannot_be_opened_is_told_and_nothing_changes() {
    let (mut state, _) = opened();
    state.send(Command::OpenWorkspace("/broken".into()));
    until(&mut state, "it is told", |state| !state.notices.is_empty());
    assert!(state.notices[0].1.why.contains("no workspace"));
    assert_eq!(state.settings.last_workspace, Some("/archive".into()));
    assert!(state.opening().is_none());
}

#[test]
fn back_goes_the_way_that_was_come() {
    let (mut state, _) = opened();
    let routes = [Route::Crawl, Route::Captures { filter: "host:x".to_owned() }, Route::Jobs];
    for route in &routes {
        state.send(Command::Go(route.clone()));
    }
    state.tick();
    assert_eq!(state.route, Route::Jobs);
    for route in [&routes[1], &routes[0], &Route::Campaigns] {
        assert_eq!(resolve(Action::Back, &state), Ok(Command::Back));
        state.send(Command::Back);
        state.tick();
        assert_eq!(&state.route, route);
    }
    assert_eq!(resolve(Action::Back, &state), Err("No previous page"));
}

#[test]
fn greyed_buttons_have_a_reason() {
    let (mut state, _, _) = state();
    for action in [Action::StartCrawl, Action::BuildInlinks, Action::SaveCampaign] {
        assert_eq!(resolve(action, &state), Err("No workspace open"), "{action:?}");
    }
    assert_eq!(resolve(Action::StopCrawl, &state), Err("No crawl is running"));
    assert_eq!(resolve(Action::Palette, &state), Ok(Command::Ask(Dialog::Palette)));
    state.act(Action::StopCrawl);
    assert_eq!(state.notices[0].1.why, "No crawl is running");
}

#[test]
fn one_crawl_runs_at_a_time_and_stops_on_request() {
    let (mut state, told) = opened();
    state.send(Command::ChooseCampaign(1));
    state.send(Command::StartCrawl(CrawlStart { campaign: 1, version: 7, fresh: false }));
    until(&mut state, "the crawl runs", |state| state.crawl_job().is_some());
    assert_eq!(resolve(Action::StartCrawl, &state), Err("A crawl is running"));
    assert!(state.next_tick().is_some());
    state.send(Command::OpenWorkspace("/other".into()));
    state.tick();
    assert!(state.notices[0].1.why.contains("is running"));
    let id = state.crawl_job().unwrap().id;
    state.send(Command::PauseJob(id, true));
    state.tick();
    assert!(state.crawl_job().unwrap().cx().is_paused());
    state.send(Command::CancelJob(id));
    until(&mut state, "the crawl ends", |state| state.jobs.is_empty());
    assert!(!state.ended[0].failed);
    assert_eq!(told.said()[1], "crawl 1");
}

#[test]
fn every_action_has_words_and_its_own_keys() {
    let mut seen = std::collections::HashSet::new();
    for action in Action::ALL {
        assert!(!action.label().is_empty() && !action.hint().is_empty(), "{action:?}");
        assert!(action.keys().is_empty() || seen.insert(action.keys()), "{action:?}: {}", action.keys());
    }
}

#[test]
fn undo_with_nothing_left_to_undo_is_named_after_what_it_would_undo() {
    let (mut state, _) = opened();
    let refused = |state: &mut AppState| {
        state.act(Action::Undo);
        state.notices.pop().map(|(_, notice)| (notice.what, notice.why))
    };
    assert_eq!(refused(&mut state), None, "a mark can be taken back");
    state.send(Command::Go(Route::Spec(None)));
    state.tick();
    state.spec = Some(super::SpecDraft::new());
    let edited = crate::campaign::Campaign::new("Ria");
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
    let held = crate::store::Workspace::create(&folder).unwrap();
    let opener = Arc::new(crate::work::DiskOpener::default());
    let mut state = AppState::new(opener, Settings::default(), Arc::new(|| {})).unwrap();
    state.send(Command::OpenWorkspace(folder));
    until(&mut state, "the workspace is open", |state| state.desk().is_some());
    let why = state.desk().unwrap().workspace().unwrap().read_only.unwrap();
    let holder = format!("The workspace is open elsewhere (process {} since", std::process::id());
    assert!(why.starts_with(&holder) && why.contains("nothing crawled") && why.contains("Close it there"), "{why}");
    state.send(Command::Go(Route::Review));
    state.send(Command::Mark { captures: vec![1].into(), mark: ReviewMark::Approve, note: String::new() });
    until(&mut state, "it is told", |state| !state.notices.is_empty());
    let why = &state.notices[0].1.why;
    assert!(why.contains(&holder.to_lowercase()) && !why.contains("writable"), "{why}");
    assert_eq!(state.reviewed, 0);
    drop(held);
}

#[test]
fn what_is_kept_on_the_page_review_is_counted() {
    let (mut state, _) = opened();
    let mark = || Command::Mark { captures: vec![1].into(), mark: ReviewMark::Approve, note: String::new() };
    state.send(mark());
    state.send(Command::Go(Route::Review));
    state.send(mark());
    until(&mut state, "it is kept", |state| state.reviewed == 1);
    state.send(mark());
    until(&mut state, "it is kept", |state| state.reviewed == 2);
    assert!(state.notices.is_empty());
}

#[test]
fn the_row_at_hand_goes_with_its_list() {
    use super::{FilesRoute, Focus};
    let (mut state, _) = opened();
    let problems = |kind: &str| {
        let query = super::models::ProblemQuery { kind: kind.to_owned(), ..Default::default() };
        Route::Files(FilesRoute::Problems(query))
    };
    let mut after = |command: Command| {
        state.send(Command::Go(problems("")));
        state.tick();
        state.focus = Some(Focus::Problem(2));
        state.send(command);
        state.tick();
        state.focus
    };
    assert_eq!(after(Command::Go(problems("truncated"))), Some(Focus::Problem(2)));
    assert_eq!(after(Command::Go(Route::Files(FilesRoute::Imports(None)))), None);
    assert_eq!(after(Command::Go(Route::Files(FilesRoute::Files(None)))), None);
    assert_eq!(after(Command::Back), None);
}

#[test]
fn a_campaign_without_a_name_is_called_by_its_number() {
    use super::models::campaign_title;
    assert_eq!(campaign_title(3, " "), "campaign 3 (no name)");
    assert_eq!(campaign_title(3, "Ria"), "Ria");
}

#[test]
fn settings_of_an_older_program_are_read() {
    let settings: Settings = serde_json::from_str(r#"{"theme":"dark","unknown":1}"#).unwrap();
    assert_eq!(settings, Settings { theme: super::ThemeChoice::Dark, ..Settings::default() });
}

#[test]
fn a_run_that_is_due_starts_and_one_that_was_missed_waits_for_an_answer() {
    use super::fixture::run_of;
    use super::models::RunState;
    let (mut state, told, _) = state();
    *told.look.lock().unwrap() = crate::work::ScheduleLook {
        waiting: vec![run_of(7, RunState::Waiting)],
        asked: vec![run_of(8, RunState::Asked)],
        problems: vec!["Other: “Mars/Olympus” is no time zone".to_owned()],
        ..Default::default()
    };
    state.send(Command::OpenWorkspace("/archive".into()));
    until(&mut state, "the run has begun", |state| state.crawl_job().is_some());
    assert_eq!(state.schedules.asked.len(), 1);
    let told_of = |state: &AppState, words: &str| state.notices.iter().filter(|(_, n)| n.why.contains(words)).count();
    assert_eq!(told_of(&state, "Mars/Olympus"), 1);
    // The crawl at work is the only one; what waits is looked at again later.
    state.send(Command::AnswerScheduled { run: 8, starts: false });
    until(&mut state, "the answer is kept", |_| told.said().iter().any(|said| said == "answer 8 false"));
    assert!(state.schedules.asked.is_empty());
    until(&mut state, "the run is at work", |_| told.said().iter().any(|said| said == "crawl 1"));
    assert_eq!(
        told.said().iter().filter(|said| said.starts_with("scheduled run")).collect::<Vec<_>>(),
        ["scheduled run 7"]
    );
    assert!(state.next_tick().is_some());
    // The clock is set back, the row of run 7 goes, and its number is given to a later run.
    state.act(Action::StopCrawl);
    until(&mut state, "the crawl has ended", |state| state.crawl_job().is_none());
    let mut again = run_of(7, RunState::Waiting);
    again.due = crate::uri::CaptureDate::from_millis(again.due.millis() + 86_400_000);
    told.look.lock().unwrap().waiting = vec![again];
    state.send(Command::AnswerScheduled { run: 8, starts: false });
    until(&mut state, "the later run has begun", |_| {
        told.said().iter().filter(|said| *said == "scheduled run 7").count() == 2
    });
}

/// A draft of a campaign that was saved before, with an edit.
fn edited_draft(state: &mut AppState, id: i64) -> super::SpecDraft {
    until(state, "the campaign is read", |state| matches!(state.reads.campaign(id), Loaded::Ready(_)));
    let Loaded::Ready(page) = state.reads.campaign(id) else { unreachable!() };
    let mut draft = super::SpecDraft::of(&page);
    draft.campaign.name.push_str(" II");
    draft
}

#[test]
fn a_campaign_that_is_being_saved_is_not_saved_once_more() {
    let (mut state, told) = opened();
    state.send(Command::Go(Route::Spec(None)));
    let mut draft = super::SpecDraft::new();
    draft.campaign.name = "Town".to_owned();
    state.spec = Some(draft);
    // Twice before the first is carried out, and once before it is answered.
    state.act(Action::SaveCampaign);
    state.act(Action::SaveCampaign);
    state.tick();
    assert_eq!(resolve(Action::SaveCampaign, &state), Err("It is already being saved"));
    until(&mut state, "it is saved", |state| !state.spec.as_ref().unwrap().is_being_saved());
    until(&mut state, "it is told", |state| !state.notices.is_empty());
    assert_eq!(told.said()[1..], ["save None Town with 0 seeds"]);
    let spec = state.spec.as_ref().unwrap();
    assert_eq!((spec.id, spec.version, spec.is_edited()), (Some(3), super::fixture::SAVED_VERSION, false));
    assert_eq!((&state.route, state.campaign), (&Route::Spec(Some(3)), Some(3)));
}

#[test]
fn a_late_answer_to_a_save_leaves_another_draft_alone() {
    let (mut state, _) = opened();
    let (first, second) = (edited_draft(&mut state, 1), edited_draft(&mut state, 2));
    state.send(Command::Go(Route::Spec(Some(1))));
    state.spec = Some(first);
    state.act(Action::SaveCampaign);
    state.tick();
    // The next campaign is opened before the answer is taken in.
    state.route = Route::Spec(Some(2));
    state.campaign = Some(2);
    state.spec = Some(second.clone());
    until(&mut state, "the save is told", |state| !state.notices.is_empty());
    let spec = state.spec.as_ref().unwrap();
    assert_eq!((spec.id, spec.version), (Some(2), second.version));
    assert!(spec.saved == second.saved && spec.is_edited());
    assert_eq!((&state.route, state.campaign), (&Route::Spec(Some(2)), Some(2)));
}

#[test]
fn a_defect_while_saving_is_told_and_it_can_be_saved_again() {
    let (mut state, told) = opened();
    let mut draft = super::SpecDraft::new();
    draft.campaign.name = super::fixture::PANICS.to_owned();
    state.spec = Some(draft);
    state.act(Action::SaveCampaign);
    until(&mut state, "it is told", |state| !state.notices.is_empty());
    assert_eq!(state.notices[0].1.what, "Specification not saved");
    state.spec.as_mut().unwrap().campaign.name = "Town".to_owned();
    state.act(Action::SaveCampaign);
    until(&mut state, "it is saved", |state| !state.spec.as_ref().unwrap().is_edited());
    assert_eq!(told.said()[1..], ["save None Town with 0 seeds"]);
}

#[test]
fn schedules_are_looked_at_again_after_a_defect() {
    use super::fixture::{PANICS, run_of};
    let (mut state, told, _) = state();
    told.look.lock().unwrap().problems = vec![PANICS.to_owned()];
    state.send(Command::OpenWorkspace("/archive".into()));
    until(&mut state, "it is told", |state| {
        state.notices.iter().any(|(_, notice)| notice.what == "Schedules could not be read")
    });
    *told.look.lock().unwrap() =
        crate::work::ScheduleLook { asked: vec![run_of(8, super::models::RunState::Asked)], ..Default::default() };
    // An answer asks for the next look at once.
    state.send(Command::AnswerScheduled { run: 9, starts: false });
    until(&mut state, "the look finds a run", |state| !state.schedules.asked.is_empty());
}

#[test]
fn inlinks_of_an_earlier_form_are_built_once_a_workspace_is_open() {
    let (mut state, told) = opened();
    assert!(!state.runs(crate::work::JobKind::BuildInlinks));
    state.send(Command::OpenWorkspace("/older".into()));
    until(&mut state, "they are built", |_| told.said().iter().any(|said| said.contains("inlinks")));
    assert!(state.notices.iter().any(|(_, notice)| notice.what.starts_with("Inlinks are being rebuilt")));
}

#[test]
fn a_newer_window_stops_the_count_of_an_older_one() {
    let (mut state, told) = opened();
    state.send(Command::SetWindow(30));
    state.send(Command::SetWindow(60));
    state.tick();
    let running: Vec<bool> = state.jobs.iter().map(|job| job.cx().is_cancelled()).collect();
    assert!(matches!(running.as_slice(), [true, false] | [false] | []), "{running:?}");
    until(&mut state, "both ended", |state| !state.runs(crate::work::JobKind::SetWindow));
    assert!(told.said().iter().any(|said| said == "window 60"));
    assert_eq!((state.settings.window_days, state.selection_draft.window_days), (60, 60));
}
