//! Schedules and permissions, as they are seen and answered.

use super::Window;
use crate::app::Route;
use crate::app::fixture::{Told, run_of};
use crate::app::models::RunState;
use crate::campaign::{CatchUp, Frequency, PermissionState};
use crate::work::ScheduleLook;

fn spec(tab: &str) -> Window {
    let mut window = Window::full();
    window.app_mut().send(crate::app::Command::Go(Route::Spec(Some(1))));
    window.until("the draft is at hand", |window| window.app().spec.is_some());
    window.settle();
    window.click(tab);
    window
}

#[test]
fn a_missed_run_is_asked_about_and_answered() {
    let told = Told::default();
    *told.look.lock().unwrap() = ScheduleLook { asked: vec![run_of(8, RunState::Asked)], ..ScheduleLook::default() };
    let mut window = Window::open_told(told, false, Some("/home/archivist/fonds".into()));
    window.until("the question is there", |window| window.says("was missed"));
    window.check_says("Fonds was not running");
    window.click("Run now");
    window.check_told("answer 8 true");
    window.check_told("scheduled run 8");
    assert!(!window.says("was missed"));
}

#[test]
fn the_schedule_tells_runs_to_come_and_runs_that_were() {
    let mut window = spec("Schedule");
    window.check_says("missed");
    window.check_says("found 24 hours late");
    let spec = window.app_mut().spec.as_mut().unwrap();
    spec.campaign.schedule.frequency = Frequency::Yearly;
    spec.campaign.schedule.start = Some("2999-12-31T01:30".to_owned());
    spec.campaign.schedule.time_zone = Some("Europe/Lisbon".to_owned());
    window.settle();
    window.check_says("Tuesday 31 Dec 2999 01:30 Europe/Lisbon");
    window.click("make up for them by one run");
    assert_eq!(window.app().spec.as_ref().unwrap().campaign.schedule.catch_up, CatchUp::Once);
}

#[test]
fn permissions_show_where_they_come_from() {
    let mut window = spec("Permissions");
    window.type_into("Another URL", "https://www.bl.uk/collection/");
    window.until("the answer is there", |window| window.says("no record covers it, and no grounds are set"));
    window.type_into("Hosts under these domains", "uk, ");
    window.until("the domain is seen", |window| window.says("is under uk"));
    window.click("Add a record");
    let record = window.app_mut().spec.as_mut().unwrap().campaign.permissions.last_mut().unwrap();
    record.covers = "http://bl.uk/".to_owned();
    record.state = PermissionState::Refused;
    window.until("the record decides", |window| window.says("refused, inherited from http://bl.uk/"));
    window.click("like W3ACT");
    window.until("the refusal counts for nothing", |window| !window.says("✖ refused"));
}
