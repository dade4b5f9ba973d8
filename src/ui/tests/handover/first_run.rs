//! A newcomer: three doors, steps that tick themselves, and the way from the first start to a verified export.

use crate::app::models::{CampaignId, SelectionSpec};
use crate::app::{Command, JobKind, Route};
use crate::ui::tests::{TOWN, Window, is_pressed};
use crate::work::models::FirstStep;
use egui::{Key, Modifiers};
use egui_kittest::Node;
use egui_kittest::kittest::{NodeT, Queryable};
use std::time::Instant;

/// Most clicks from the start to a verified export.
const MOST_CLICKS: u32 = 12;
/// Most seconds until captures of the sample are there, and until its export is verified.
const SAMPLE_WITHIN: u64 = 60;
const EXPORT_WITHIN: u64 = 300;

/// A person who only clicks, and how often.
struct Newcomer {
    window: Window,
    clicks: u32,
    began: Instant,
}

impl Newcomer {
    fn click(&mut self, label: &str) {
        // What is off while something is checked is on in a moment.
        let is_on = |node: &Node<'_>| is_pressed(node) && !node.accesskit_node().is_disabled();
        self.window.until(&format!("“{label}” can be clicked"), |window| {
            window.harness.query_all_by_label(label).any(|node| is_on(&node))
        });
        // A button that took the place of another one waits for a moment.
        self.window.pass(0.6);
        self.window.click(label);
        self.clicks += 1;
    }

    fn seconds(&self) -> u64 {
        self.began.elapsed().as_secs()
    }
}

#[test]
fn a_newcomer_comes_from_the_first_start_to_a_verified_export_in_twelve_clicks() {
    let mut person = Newcomer { window: Window::bare(), clicks: 0, began: Instant::now() };
    person.window.app_mut().settings.panel_open = false;
    person.click("Try the sample");
    person.window.until("the sample is open", |window| window.route() == Route::Overview);
    person.window.assert_shows("First steps");
    person.click("Start crawl: Crawl or import");
    person.click("Start crawl");
    // Some URLs of the town fail, as on any web.
    person.window.until("the crawl ends", |window| {
        window.app().jobs().is_empty() && window.app().ended().iter().any(|job| job.kind == JobKind::Crawl)
    });
    let captures = person.window.session().catalogue().campaigns().unwrap()[0].captures;
    assert!(captures > 100, "{captures}");
    assert!(person.seconds() < SAMPLE_WITHIN, "{} s", person.seconds());
    assert_eq!(person.window.route(), Route::Overview);
    person.click("Build: Build inlinks");
    person.window.until_done(JobKind::BuildInlinks);
    person.click("Select: Save a selection");
    person.click("Save selection");
    person.window.until_done(JobKind::Select);
    let selected = person.window.session().catalogue().campaigns().unwrap()[0].counted.unwrap().selected;
    person.click(&format!("Export {}", crate::ui::text::count(selected)));
    person.window.until_done(JobKind::Export);
    person.click("Verify");
    person.window.until_done(JobKind::Verify);
    person.window.until("all checks passed", |window| window.shows("checks passed"));
    println!("newcomer: {} clicks, {} s to a verified export", person.clicks, person.seconds());
    assert!(person.clicks <= MOST_CLICKS, "{} clicks", person.clicks);
    assert!(person.seconds() < EXPORT_WITHIN, "{} s", person.seconds());
    // What was done is ticked; what was not is still offered.
    let campaign = person.window.app().campaign().unwrap();
    let steps = person.window.session().first_steps(campaign).unwrap();
    let left: Vec<_> = steps.0.into_iter().filter(|(_, done)| !done).map(|(step, _)| step).collect();
    assert_eq!(left, [FirstStep::Review]);
    person.click("Overview");
    person.window.assert_shows("6 of 7 done");
    assert!(person.window.can_click("Review: Review") && !person.window.can_click("Build: Build inlinks"));
}

#[test]
fn the_steps_tick_themselves_and_go_when_they_are_done_or_hidden() {
    let mut window = Window::town();
    // The town went all the way, and its export was read back.
    let steps = window.session().first_steps(TOWN).unwrap();
    assert!(steps.is_finished(), "{steps:?}");
    window.press_with(Modifiers::COMMAND, Key::Num1);
    window.assert_shows("Launches over time. ");
    assert!(!window.shows("First steps"));
    // Another campaign in it has but the inlinks of the workspace.
    let elections = CampaignId::new(2);
    window.app_mut().send(Command::ChooseCampaign(elections));
    let steps = window.session().first_steps(elections).unwrap();
    assert_eq!((steps.done(), steps.next()), (1, Some(FirstStep::Describe)));
    window.assert_shows("1 of 7 done");
    window.click("Hide the first steps");
    assert!(!window.shows("of 7 done"));
    window.click_more("Show the first steps");
    window.assert_shows("1 of 7 done");
    let mut campaign = window.session().catalogue().campaign(elections).unwrap().1;
    campaign.politeness.user_agent = "Fonds (archive@example.org)".to_owned();
    window.session().save_campaign(Some(elections), &campaign).unwrap();
    window.assert_shows("2 of 7 done");
    window.click("Select: Save a selection");
    assert_eq!(window.route(), Route::Select);
}

#[test]
fn the_export_of_one_campaign_is_no_step_of_another() {
    let mut window = Window::town();
    let (session, elections) = (window.session(), CampaignId::new(2));
    let export = window.folder().join("of the town");
    window.app_mut().choose_export(export.clone());
    assert_eq!(window.app().last_export(), Some(export.as_path()));
    window.app_mut().send(Command::ChooseCampaign(elections));
    window.settle();
    assert_eq!(window.app().last_export(), None, "nor what is verified next");
    let catalogue = session.catalogue();
    catalogue.keep_selection(&SelectionSpec { campaign: elections, ..SelectionSpec::default() }, Vec::new()).unwrap();
    let done = session.first_steps(elections).unwrap();
    assert!(done.0.contains(&(FirstStep::Select, true)), "{done:?}");
    assert!(done.0.contains(&(FirstStep::Export, false)) && done.0.contains(&(FirstStep::Verify, false)), "{done:?}");
    assert!(catalogue.selection_page(elections).unwrap().exports.is_empty(), "nor the last export of its page");
}

#[test]
fn doors_that_are_opened_and_left_make_no_further_workspace() {
    let mut window = Window::bare();
    for _ in 0..3 {
        window.click("New campaign…");
        window.until("the form is open", |window| window.route() == Route::Spec(None));
        window.settle();
        window.app_mut().send(Command::Go(Route::Campaigns));
        window.until("it is left", |window| !window.app().has_unused_workspace() && window.app().session().is_none());
        window.settle();
    }
    let folders = std::fs::read_dir(window.root()).unwrap().count();
    assert_eq!(folders, 0, "nothing was kept");
}
