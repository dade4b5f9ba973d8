//! Figures of one thing are the same on every page.

use super::{TOWN, Window};
use crate::app::models::{CampaignId, CaptureId, CaptureTab, EventQuery, Launches, ReviewMark};
use crate::app::{Command, JobKind, Route};
use crate::work::Session;
use egui::{Key, Modifiers};

#[test]
fn a_finished_crawl_has_nothing_that_waits_in_its_figures_and_its_plot() {
    let mut window = Window::town();
    super::shell::begin_crawl(&mut window);
    window.app().crawl_job().unwrap().cx().set_paused(false);
    window.until("the crawl ends", |window| window.app().jobs().iter().all(|job| job.kind != JobKind::Crawl));
    window.app_mut().send(Command::Go(Route::Crawl));
    window.settle();
    let page = window.session().crawl(Some(TOWN), Launches::Last).unwrap();
    let launch = page.launch.as_ref().unwrap();
    let last = page.samples.last().unwrap();
    assert_eq!((launch.queued, last.found - last.done), (0, 0), "{last:?}, {} refused", launch.refused);
    window.assert_shows("waiting 0;");
    // Answers that are errors are in the headline.
    let errors = page.classes[2] + page.classes[3];
    assert!(errors > 0, "the town has pages that are gone");
    window.assert_shows(&format!("{errors} answers of 4xx or 5xx"));
    let ended = window.app().log().iter().find(|(_, notice)| notice.what.starts_with("Crawl ")).unwrap();
    assert!(!ended.1.why.to_lowercase().contains("finished"), "listed once: {ended:?}");
}

#[test]
fn a_crawl_that_was_stopped_is_not_called_finished() {
    let mut window = Window::town();
    super::shell::begin_crawl(&mut window);
    let id = window.app().crawl_job().unwrap().id;
    window.app_mut().send(Command::CancelJob(id));
    window.until("it ends", |window| window.app().log().iter().any(|(_, notice)| notice.what.starts_with("Crawl ")));
    let notices: Vec<_> = window.app().log().iter().map(|(_, notice)| notice.line()).collect();
    assert!(notices.iter().any(|line| line.starts_with("Crawl stopped on request – ")), "{notices:?}");
    assert!(!notices.iter().any(|line| line.contains("Crawl finished")), "{notices:?}");
}

/// What is out by a person is out, also where nothing was scored yet.
#[test]
fn what_was_rejected_is_counted_among_what_is_out() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = super::on_disk::window(dir.path(), 5);
    let campaign = CampaignId::new(1);
    let ids: Vec<CaptureId> = window.captures("").iter().take(3).map(|row| row.id).collect();
    window.session().mark(&ids, ReviewMark::Reject, "", "Ana").unwrap();
    let balance = window.session().selection(campaign).unwrap().balance;
    assert_eq!((balance.excluded, balance.outside.captures), (3, 3));
    assert_eq!(window.captures("selected:no").len(), 3, "a number leads to what it counts");
    let hosts = window.session().catalogue().selected_hosts(campaign, false).unwrap();
    assert_eq!(hosts.iter().map(|host| host.captures).sum::<u64>(), 3);
    window.app_mut().send(Command::Go(Route::Select));
    window.settle();
    window.assert_shows("3 rejected");
}

#[test]
fn what_was_undone_is_not_reviewed() {
    let mut window = Window::town();
    window.app_mut().send(Command::Go(Route::Review { filter: String::new() }));
    window.settle();
    for decided in ["1 reviewed now", "2 reviewed now", "3 reviewed now"] {
        window.press(Key::A);
        window.assert_shows(decided);
    }
    window.press_with(Modifiers::COMMAND, Key::Z);
    window.assert_shows("2 reviewed now");
    window.press_with(Modifiers::COMMAND, Key::Z);
    window.assert_shows("1 reviewed now");
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    window.assert_shows("2 reviewed now");
}

#[test]
fn before_inlinks_are_built_nothing_is_without_them() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = super::on_disk::window(dir.path(), 3);
    window.app_mut().send(Command::Go(Route::Captures { filter: String::new() }));
    window.click("View");
    window.assert_shows("Inlinks not built");
    assert!(!window.shows("No inlinks"), "{:?}", window.texts());
    window.press(Key::Escape);
    let counts = window.session().catalogue().tab_counts(&crate::work::everything()).unwrap();
    assert!(counts.iter().all(|(tab, _)| !matches!(tab, CaptureTab::NoInlinks | CaptureTab::ManyExternal)));
    window.app_mut().send(Command::Go(Route::Prospect));
    window.until("Prospect says so, too", |window| window.shows("Build them to list cited pages"));
    assert!(!window.shows("No uncaptured pages are cited"));
    window.app_mut().send(Command::Go(Route::Captures { filter: String::new() }));
    window.session().build_inlinks(false, &crate::jobs::JobCx::detached()).unwrap();
    window.click("View");
    window.assert_shows("No inlinks");
    assert!(!window.shows("Inlinks not built"));
}

#[test]
fn each_rule_that_let_urls_of_a_host_in_is_named_and_each_host_has_its_address() {
    let mut window = Window::town();
    let page = window.session().crawl(Some(TOWN), Launches::Last).unwrap();
    assert!(page.hosts.iter().any(|host| host.rules.len() > 1), "{:?}", page.hosts);
    for host in page.hosts.iter().filter(|host| host.fetched > 0) {
        let accepted: u64 = host.rules.iter().map(|(_, urls)| urls).sum();
        assert!(accepted >= host.fetched + host.failed + host.queued, "{host:?}");
        assert!(!host.address.is_empty(), "{host:?}");
    }
    let layout = window.app_mut().settings.tables.entry("crawl hosts".to_owned()).or_default();
    layout.columns.entry("rule".to_owned()).or_default().shown = Some(true);
    window.app_mut().send(Command::Go(Route::Crawl));
    window.settle();
    let of = page.hosts.iter().find(|host| host.rules.len() > 1).unwrap();
    for (rule, urls) in &of.rules {
        window.assert_shows(&format!("{} {urls}", crate::scope::rule_label(rule)));
    }
}

/// The first launch of the sample is dated back, and so are its messages and lists.
#[test]
fn events_of_a_launch_are_dated_as_it_is() {
    let window = Window::town();
    let session: &Session = &window.session();
    let launches = session.crawl(Some(TOWN), Launches::All).unwrap().launches;
    for choice in &launches {
        let launch = session.crawl(Some(TOWN), Launches::One(choice.id)).unwrap().launch.unwrap();
        let query = EventQuery { launch: choice.id, kind: None, each: true, offset: 0, limit: 1000 };
        let events = session.catalogue().events(&query).unwrap().rows;
        assert!(!events.is_empty());
        let day = launch.started.to_readable()[..10].to_owned();
        for row in events {
            let apart = (row.event.date.millis() - launch.started.millis()).abs();
            assert!(apart < 3_600_000, "{day}: {:?}", row.event);
            let since = row.event.text.split_once("since ").map(|(_, since)| since[..10].to_owned());
            assert!(since.is_none_or(|since| since == day || !since.starts_with("20")), "{day}: {:?}", row.event);
        }
    }
}
