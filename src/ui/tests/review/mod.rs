//! Review by the keyboard alone: the queue, its causes, samples, and marks on findings.

mod patches;

use super::{TOWN, Window};
use crate::analysis::checks::{Finding, FindingState};
use crate::app::models::{CaptureId, CaptureTab, ReviewMark};
use crate::app::{Command, Focus, Route};
use crate::jobs::JobCx;
use crate::store::CaptureFindings;
use crate::testing::{gzip, page_record};
use crate::work::Session;
use crate::work::models::{CampaignChoice, ImportOptions};
use egui::{Key, Modifiers};
use serde_json::json;

/// Captures that the table of captures lists as not reviewed.
fn to_review(window: &Window) -> Vec<CaptureId> {
    let query = crate::app::models::CaptureQuery {
        tab: CaptureTab::NotReviewed,
        campaign: Some(TOWN),
        limit: 1_000,
        ..crate::work::everything()
    };
    window.session().catalogue().captures(&query).unwrap().rows.iter().map(|row| row.id).collect()
}

/// Keeps findings as a run of the checks does: what failed has a problem, a page in English is odd.
fn with_findings(session: &Session) {
    // What ran just now does not run again by itself.
    session.check_pages(&JobCx::detached()).unwrap();
    let query = crate::app::models::CaptureQuery { campaign: Some(TOWN), limit: 1_000, ..crate::work::everything() };
    let rows = session.catalogue().captures(&query).unwrap().rows;
    let checked = rows.iter().map(|row| {
        let mut findings = Vec::new();
        if row.status >= 400 {
            let evidence = json!({ "text": format!("answered with status {}", row.status) });
            findings.push(Finding { check: "status", state: FindingState::Problem, severity: 0.9, evidence });
        }
        if row.status == 200 && row.url.ends_with('/') {
            let evidence = json!({ "text": "other language than the request" });
            findings.push(Finding { check: "language", state: FindingState::Odd, severity: 0.3, evidence });
        }
        let template = "/*".to_owned();
        CaptureFindings { capture: row.id, signs: None, template, external: row.inlinks_external, findings }
    });
    session.catalogue().put_findings(checked.collect()).unwrap();
}

/// The page Review with its queue.
fn reviewing(change: impl FnOnce(&Session)) -> Window {
    let mut window = Window::town_as(change);
    window.press_with(Modifiers::COMMAND, Key::Num8);
    window.until("the queue is there", |window| window.shows("captures to review"));
    window.settle();
    window
}

fn at(window: &Window) -> CaptureId {
    let Some(Focus::Capture(id)) = window.app().focus() else { panic!("no capture is at hand: {:?}", window.texts()) };
    id
}

fn decision(window: &Window, id: CaptureId) -> Option<ReviewMark> {
    window.session().catalogue().capture_row(id).unwrap().mark
}

#[test]
fn twenty_decisions_are_made_with_keys_and_undone_step_by_step() {
    let mut window = reviewing(with_findings);
    let open = to_review(&window);
    window.assert_shows(&format!("{} captures to review", open.len()));
    let mut decided = Vec::new();
    for nth in 0..20 {
        let id = at(&window);
        assert!(open.contains(&id) && !decided.contains(&id), "{id} came up before {decided:?}");
        let row = window.session().catalogue().capture_row(id).unwrap();
        assert!(!row.url.ends_with("/robots.txt") && !row.hops.ends_with(['E', 'P']), "{}", row.url);
        if nth < 3 {
            assert!(row.status >= 400, "what has a problem comes first: {} {}", row.status, row.url);
        }
        match nth % 4 {
            0 => {
                window.press(Key::Num4);
                window.press(Key::D);
            }
            1 => window.press(Key::F),
            2 => window.press(Key::R),
            _ => window.press(Key::A),
        }
        decided.push(id);
        window.until("it is decided", |window| decision(window, id).is_some());
        window.until("the next one moves up", |window| at(window) != id);
    }
    let marks: Vec<Option<ReviewMark>> = decided[..4].iter().map(|id| decision(&window, *id)).collect();
    let expected = [ReviewMark::Reject, ReviewMark::Flag, ReviewMark::Later, ReviewMark::Approve].map(Some);
    assert_eq!(marks, expected);
    let notes = window.session().detail(decided[0], 90).unwrap().notes;
    assert_eq!(notes[0].note, "missing resources");
    assert_eq!(to_review(&window).len() + 20, open.len(), "decisions of one version are one");
    window.assert_shows("20 reviewed now");
    for id in decided.iter().rev().take(3) {
        window.press(Key::Z);
        window.until("it is taken back", |window| decision(window, *id).is_none());
    }
    assert!(decision(&window, decided[16]).is_some());
}

#[test]
fn a_finding_is_confirmed_or_called_a_false_alarm_by_its_key() {
    let mut window = reviewing(with_findings);
    let id = at(&window);
    window.assert_shows("answered with status");
    window.press(Key::X);
    let alarm = |window: &Window| window.session().catalogue().findings_of(id).unwrap()[0].false_alarm;
    window.until("it is a false alarm", alarm);
    window.until("the page has lost nothing", |window| {
        window.session().catalogue().loss_of(id).unwrap().is_some_and(|loss| loss.loss < 0.4)
    });
    window.press(Key::Z);
    window.until("it is a finding again", |window| !alarm(window));
}

#[test]
fn a_cause_is_decided_as_one_and_undone_by_one_key() {
    let mut window = reviewing(with_findings);
    let groups = window.session().catalogue().cause_groups(Some(TOWN)).unwrap();
    let group = groups.iter().max_by_key(|group| group.captures).unwrap().clone();
    let before = to_review(&window).len() as u64;
    window.click_radio("Groups");
    window.until("causes are there", |window| window.shows(&group.host));
    let place = groups.iter().position(|of| of.filter == group.filter).unwrap();
    for _ in 0..place {
        window.press(Key::J);
    }
    window.until("its captures are listed", |window| window.shows(&format!("Reject all {}", group.captures)));
    assert_eq!(window.app().focus(), None, "keys are about the cause");
    window.press(Key::D);
    if window.app().dialog().is_some() {
        window.click(&format!("Reject {} captures", group.captures));
    }
    window.until("all are decided", |window| to_review(window).len() as u64 + group.captures <= before);
    window.press_with(Modifiers::COMMAND, Key::Z);
    window.until("all are to review again", |window| to_review(window).len() as u64 == before);
}

#[test]
fn a_sample_is_drawn_judged_and_read_a_second_time() {
    let mut window = reviewing(|_| {});
    window.click_radio("Sample");
    window.until("the form is there", |window| window.shows("Draw a sample"));
    window.click("Draw sample");
    window.until("it is drawn", |window| !window.session().catalogue().samples(None).unwrap().is_empty());
    window.until("its queue is there", |window| window.shows("no page judged yet"));
    window.settle();
    let sample = window.session().catalogue().samples(None).unwrap().remove(0);
    let drawn = window.session().catalogue().sampled_captures(sample.id).unwrap();
    assert_eq!(at(&window), drawn[0]);
    for (nth, id) in drawn.iter().enumerate().take(6) {
        window.until("the next one is at hand", |window| at(window) == *id);
        window.press(if nth == 0 { Key::D } else { Key::A });
        window.until("it is decided", |window| decision(window, *id).is_some());
    }
    window.until("the share is shown", |window| window.shows("after 6: 16.7 %, 3.0–56.4 %"));
    window.app_mut().settings.name = "Rui".to_owned();
    window.click("Second reader");
    let twice: Vec<CaptureId> = {
        let query = crate::app::models::ReviewQueueQuery {
            campaign: Some(TOWN),
            order: crate::app::models::ReviewOrder::SecondReading(sample.id),
            person: "Rui".to_owned(),
            limit: 10,
            ..crate::app::models::ReviewQueueQuery::default()
        };
        window.session().catalogue().review_queue(&query).unwrap().rows.iter().map(|of| of.row.id).collect()
    };
    assert!(!twice.is_empty());
    window.until("what somebody else judged is there", |window| at(window) == twice[0]);
    assert!(!window.shows("Rejected") && !window.shows("Approved"), "{:?}", window.texts());
    window.press(Key::A);
    window.until("two persons judged it", |window| {
        window.session().catalogue().sample_agreement(sample.id).unwrap().overall.both == 1
    });
    window.until("the agreement is shown", |window| window.shows("κ and AC1 need 30 pages"));
}

#[test]
fn what_a_page_lacks_is_named_above_its_text() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lacking.warc.gz");
    let page = page_record("http://jornal.vilanova.example/lacking", "<title>L</title><p>Text<img src='/lost.png'>");
    std::fs::write(&file, gzip(&page)).unwrap();
    let mut window = reviewing(|session| {
        let options = ImportOptions { copy: true, follow_links: false, campaign: CampaignChoice::Of(TOWN) };
        session.import(&[file], options, &JobCx::detached()).unwrap();
    });
    let session = window.session();
    let lacks = |id: &CaptureId| {
        let needs = session.catalogue().needs(*id).unwrap().needs;
        needs.into_iter().find(|need| need.is_loss()).map(|need| (*id, need))
    };
    let Some((id, need)) = to_review(&window).iter().find_map(lacks) else { panic!("a page lacks something") };
    let url = session.catalogue().capture_row(id).unwrap().url;
    let filter = format!("url:{}", crate::app::models::quoted(&url));
    window.app_mut().send(Command::Go(Route::Review { filter }));
    window.until("it is at hand", |window| window.app().focus() == Some(Focus::Capture(id)));
    window.until("what is missing is named", |window| window.shows("Missing on this page"));
    assert!(window.shows(&crate::ui::text::middle(&need.url, 60)), "{need:?}: {:?}", window.texts());
}
