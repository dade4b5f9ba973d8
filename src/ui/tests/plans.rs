//! Schedules and permissions, as they are seen and answered.

use super::{TOWN, Window};
use crate::app::models::RunState;
use crate::app::{Action, Command, CrawlTarget, JobKind, Route};
use crate::campaign::{CatchUp, Frequency, PermissionState, Run};
use crate::uri::CaptureDate;
use crate::work::Session;

fn spec(mut window: Window, tab: &str) -> Window {
    window.app_mut().send(Command::Go(Route::Spec(Some(TOWN))));
    window.until("the draft is at hand", |window| window.app().open.spec.is_some());
    window.settle();
    window.click(tab);
    window
}

/// A run that was due an hour ago in the town.
fn keep_run(session: &Session, state: RunState) {
    let now = CaptureDate::now();
    let run = Run { date: CaptureDate::from_millis(now.millis() - 3_600_000), is_extra: false, words: String::new() };
    let why = "found 60 minutes late; Fonds was not running".to_owned();
    session.catalogue().keep_scheduled(TOWN, vec![(run, state, why)], now).unwrap();
}

#[test]
fn a_missed_run_is_offered_and_answered() {
    let mut window = Window::town_as(|session| keep_run(session, RunState::Unanswered));
    window.until("the question is there", |window| window.shows("was missed"));
    window.assert_shows("Fonds was not running");
    window.click("Run now");
    window.until("it runs", |window| window.app().runs(JobKind::ScheduledCrawl));
    assert!(!window.shows("was missed"));
    let launches = |window: &Window| window.session().scheduled_runs(TOWN, 10).unwrap()[0].launch;
    window.until("it has a launch", |window| launches(window).is_some());
    window.app_mut().act(Action::StopCrawl);
    window.until("it has ended", |window| window.app().jobs().is_empty());
}

#[test]
fn the_schedule_lists_future_and_past_runs() {
    let mut window = spec(Window::town_as(|session| keep_run(session, RunState::Missed)), "Schedule");
    window.assert_shows("missed");
    window.assert_shows("found 60 minutes late");
    let spec = window.app_mut().open.spec.as_mut().unwrap();
    spec.campaign.schedule.frequency = Frequency::Yearly;
    spec.campaign.schedule.start = Some("2999-12-31T01:30".to_owned());
    spec.campaign.schedule.time_zone = Some("Europe/Lisbon".to_owned());
    window.settle();
    window.assert_shows("Tuesday 31 Dec 2999 01:30 Europe/Lisbon");
    window.click("make up for them by one run");
    assert_eq!(window.app().open.spec.as_ref().unwrap().campaign.schedule.catch_up, CatchUp::Once);
}

#[test]
fn permissions_show_where_they_come_from() {
    let mut window = spec(Window::town(), "Permissions");
    window.type_into("Another URL", "https://www.bl.uk/collection/");
    window.until("the answer is there", |window| window.shows("no record covers it, and no grounds are set"));
    window.type_into("Hosts under these domains", "uk, ");
    window.until("the domain is seen", |window| window.shows("is under uk"));
    window.click("Add a record");
    let record = window.app_mut().open.spec.as_mut().unwrap().campaign.permissions.last_mut().unwrap();
    record.covers = "http://bl.uk/".to_owned();
    record.state = PermissionState::Refused;
    window.until("the record decides", |window| window.shows("refused, inherited from http://bl.uk/"));
    window.click("like W3ACT");
    window.until("the refusal counts for nothing", |window| !window.shows("✖ refused"));
}

#[test]
fn a_refused_seed_is_an_error_and_a_rule_that_can_be_switched_off() {
    let mut window = spec(Window::town(), "Permissions");
    window.click("Add a record");
    let record = window.app_mut().open.spec.as_mut().unwrap().campaign.permissions.last_mut().unwrap();
    record.state = PermissionState::Refused;
    let covers = record.covers.clone();
    window.until("the seed is an error", |window| window.shows("must not be crawled"));
    window.click("Scope rules 10");
    window.assert_shows(&format!("rejects what permissions refuse: the record for {covers}"));
    // The question before a crawl has it too.
    window.app_mut().send(Command::RequestCrawl(CrawlTarget::Draft));
    window.until("the question is there", |window| window.shows("Save and start this crawl?"));
    window.until("the error is there", |window| window.shows("must not be crawled (permission"));
    window.app_mut().send(Command::CloseDialog);
    window.settle();
    window.click("Permissions");
    window.click("Crawls leave out what a record refuses");
    window.until("it is no error any more", |window| !window.shows("must not be crawled"));
    assert!(!window.app().open.spec.as_ref().unwrap().campaign.grounds.obey_refusals);
}

#[test]
fn scores_of_urls_are_added_named_where_they_are_wrong_and_removed() {
    let mut window = spec(Window::town(), "Order");
    let draft = |window: &Window| window.app().open.spec.as_ref().unwrap().campaign.clone();
    window.click("By relevance");
    window.click("Add a score");
    window.until("the empty row is named", |window| window.shows("it names neither a pattern nor a tag"));
    window.type_into("Pattern of score 1", "/press(");
    window.until("what is wrong is there", |window| window.shows("“/press(” is no regular expression"));
    window.app_mut().open.spec.as_mut().unwrap().campaign.scores[0].pattern = "/press/".to_owned();
    window.until("it is right", |window| !window.shows("has no effect"));
    window.click("Add a score");
    window.type_into("Tag of score 2", "blogs");
    let scores: Vec<_> = draft(&window).scores.into_iter().map(|of| (of.pattern, of.source_tag, of.score)).collect();
    assert_eq!(scores, [("/press/".to_owned(), String::new(), 0.5), (String::new(), "blogs".to_owned(), 0.5)]);
    window.app_mut().act(Action::SaveCampaign);
    window.until("it is saved", |window| !window.app().open.spec.as_ref().unwrap().is_edited());
    assert_eq!(window.session().catalogue().campaign(TOWN).unwrap().1.scores.len(), 2);
    window.app_mut().open.spec.as_mut().unwrap().campaign.order = crate::campaign::CrawlOrder::BreadthFirst;
    window.settle();
    assert!(!window.shows("Add a score"), "no other order has use for them");
}
