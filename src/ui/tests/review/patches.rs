//! What a page lacks, in Review: named and marked in its text, patched by a key, and gone; the picture of a browser beside it.

use super::at;
use crate::app::models::{CaptureId, CaptureQuery};
use crate::app::{Command, Dialog, JobKind, Route, Settings};
use crate::campaign::{Campaign, PrivateAddresses, RobotsPolicy, Seed, SeedScope};
use crate::jobs::JobCx;
use crate::store::{ReplayCheck, Workspace};
use crate::testing::{ScriptedReply, ScriptedServer};
use crate::ui::tests::Window;
use crate::uri::CaptureDate;
use crate::work::{self, CrawlOptions, Session};
use egui::Key;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const HOST: &str = "estaleiro.example";

/// A page in Review whose image the server did not give when it was crawled, and gives from now on.
fn lacking(before: impl FnOnce(&Session, CaptureId)) -> (tempfile::TempDir, ScriptedServer, Window) {
    let is_mended = Arc::new(AtomicBool::new(false));
    let mended = is_mended.clone();
    let server = ScriptedServer::start(move |_, path| match path {
        "/" => ScriptedReply::html(
            "<title>Yard</title><link rel=stylesheet href=/s.css><p>The last boat left.<p><img src=/boat.png><p>It was sold.",
        ),
        "/boat.png" if mended.load(Ordering::SeqCst) => {
            ScriptedReply::page(200, "Content-Type: image/png\r\n", "\u{89}PNG")
        }
        "/s.css" => ScriptedReply::page(200, "Content-Type: text/css\r\n", "p { color: red }"),
        _ => ScriptedReply::page(503, "", "busy"),
    });
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("w");
    let overrides = vec![format!("{HOST}:80:{}", server.addr).parse().unwrap()];
    {
        let session = Session::new(Workspace::create(&folder).unwrap());
        session.set_overrides(overrides.clone());
        let mut yard = Campaign::new("Yard");
        yard.rules = crate::scope::standard_rules();
        yard.seeds = vec![Seed {
            url: format!("http://{HOST}/"),
            scope: SeedScope::Subdomains,
            depth: None,
            source_tag: String::new(),
        }];
        yard.politeness.user_agent = "Fonds test (+mailto:archive@town.example)".to_owned();
        (yard.politeness.min_delay_ms, yard.politeness.delay_factor, yard.politeness.max_retries) = (0, 0.0, 0);
        yard.politeness.allow_private_addresses = PrivateAddresses::All;
        yard.politeness.robots = RobotsPolicy::Ignore;
        let id = session.catalogue().save_campaign(None, &yard).unwrap();
        work::crawl(&session, id, &CrawlOptions::default(), &JobCx::detached()).unwrap();
        session.check_pages(&JobCx::detached()).unwrap();
        let query = CaptureQuery { filter: "media:page status:200".to_owned(), ..work::everything() };
        let page = session.catalogue().capture_ids(&query).unwrap()[0];
        before(&session, page);
    }
    is_mended.store(true, Ordering::SeqCst);
    let mut window = Window::on_disk(root.path(), Settings::default(), Some(folder));
    window.session().set_overrides(overrides);
    let campaign = window.session().catalogue().campaigns().unwrap()[0].id;
    window.app_mut().send(Command::ChooseCampaign(campaign));
    window.app_mut().send(Command::Go(Route::Review { filter: String::new() }));
    window.until("what is missing is named", |window| window.shows("Missing on this page: 1 resource"));
    window.settle();
    (root, server, window)
}

#[test]
fn p_patches_what_the_page_lacks_after_a_question_and_its_finding_is_gone() {
    let (_root, _server, mut window) = lacking(|_, _| {});
    let page = at(&window);
    window.until("the text has it at its place", |window| {
        window.texts().iter().any(|text| {
            let bracket = format!("[image missing: http://{HOST}/boat.png, answered 503]");
            let (before, after) = (text.find("The last boat left."), text.find("It was sold."));
            before.zip(after).is_some_and(|(from, to)| text[from..to].contains(&bracket))
        })
    });
    let found = |window: &Window| {
        let found = window.session().catalogue().findings_of(page).unwrap();
        found.into_iter().map(|of| of.check).collect::<Vec<_>>()
    };
    assert_eq!(found(&window), ["missing-resources"]);
    window.press(Key::P);
    window.until("the question is there", |window| window.shows("Patch 1 missing resource?"));
    assert_eq!(window.app().dialog(), Some(Dialog::Patch));
    window.click("Patch 1");
    let outcome = window.until_done(JobKind::Patch);
    assert!(outcome.contains("1 of 1 hole filled"), "{outcome}");
    assert_eq!(found(&window), [""; 0], "nobody ran the checks");
    window.until("nothing is missing any more", |window| !window.shows("Missing on this page"));
}

#[test]
fn the_picture_of_a_browser_is_shown_and_a_key_shows_the_text() {
    let (_root, _server, mut window) = lacking(|session, page| {
        let folder = session.workspace.folder();
        std::fs::create_dir_all(folder.join("replay")).unwrap();
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 64, 40);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header().unwrap().write_image_data(&[90; 64 * 40 * 3]).unwrap();
        std::fs::write(folder.join(format!("replay/{page}.png")), bytes).unwrap();
        let row = session.catalogue().capture_row(page).unwrap();
        let check = ReplayCheck {
            capture: page,
            url: row.url,
            date: row.date,
            checked: CaptureDate::now(),
            browser: "Chromium 140".to_owned(),
            viewport: [1280, 800],
            words: None,
            requested: 2,
            missing: 1,
            script_errors: 0,
            // The file is found by the number of its capture, whatever a catalogue of others says.
            picture: "../../outside.png".to_owned(),
            findings: serde_json::Value::Null,
        };
        session.catalogue().keep_replay_check(&check).unwrap();
    });
    window.until("the picture is there", |window| window.shows("As Chromium 140 showed it on"));
    assert!(!window.texts().iter().any(|text| text.contains("It was sold.")));
    window.press(Key::T);
    window.until("the text is there", |window| window.texts().iter().any(|text| text.contains("It was sold.")));
    assert!(!window.shows("As Chromium 140 showed it on"));
    window.press(Key::T);
    window.until("the picture is there again", |window| window.shows("As Chromium 140 showed it on"));
}
