//! A trial in the window: pages are marked by keys, proposals accepted, the curve drawn, the trial kept or discarded.

use crate::app::models::{CampaignId, LaunchId, Proposal, Relevance};
use crate::app::{Command, JobKind, Route, Settings, TrialAct};
use crate::campaign::{Campaign, PrivateAddresses, RobotsPolicy, Seed, SeedScope};
use crate::jobs::JobCx;
use crate::store::Workspace;
use crate::testing::{ScriptedReply, ScriptedServer};
use crate::ui::tests::Window;
use crate::work::{self, CrawlOptions, Session};
use egui::Key;
use std::path::Path;

const HOSTS: [&str; 2] = ["estaleiro.example", "porto.example"];
const PAGES: usize = 16;

/// A page about ships or, where its number is odd, about football; all link to all.
fn page(number: usize) -> String {
    let links: String = (0..PAGES)
        .map(|to| {
            format!(
                "<li><a href=\"http://{}/{to}\">{}</a>",
                HOSTS[to / 2 % 2],
                if to % 2 == 0 { "navio" } else { "jogo" }
            )
        })
        .collect();
    let text = match number % 2 {
        0 => "No estaleiro o calafate fechou o casco e a quilha do navio desceu para a doca com a maré cheia.",
        _ => "O treinador da liga disse que o golo no fim do jogo deu a taça ao estádio e à equipa da cidade.",
    };
    format!(
        "<!doctype html><html lang=pt><title>Page {number}</title><ul>{links}</ul><article><p>{text} {number}</p></article>"
    )
}

/// A workspace whose campaign had one trial.
fn crawl_trial(folder: &Path) {
    let server = ScriptedServer::start(|_, path| match path[1..].parse::<usize>() {
        Ok(number) if number < PAGES => ScriptedReply::html(&page(number)),
        _ => ScriptedReply::page(404, "", ""),
    });
    let session = Session::new(Workspace::create(folder).unwrap());
    let overrides = HOSTS.map(|host| format!("{host}:80:{}", server.addr).parse().unwrap());
    session.set_overrides(overrides.to_vec());
    let seed = |(number, host): (usize, &str)| Seed {
        url: format!("http://{host}/{}", 2 * number),
        scope: SeedScope::Subdomains,
        depth: None,
        source_tag: String::new(),
    };
    let mut ships = Campaign::new("Ships");
    ships.request = "estaleiro".parse().unwrap();
    ships.rules = crate::scope::standard_rules();
    ships.seeds = HOSTS.into_iter().enumerate().map(seed).collect();
    ships.politeness.user_agent = "Fonds test (+mailto:archive@town.example)".to_owned();
    (ships.politeness.min_delay_ms, ships.politeness.delay_factor, ships.politeness.max_retries) = (0, 0.0, 0);
    ships.politeness.allow_private_addresses = PrivateAddresses::All;
    ships.politeness.robots = RobotsPolicy::Ignore;
    let id = session.catalogue().save_campaign(None, &ships).unwrap();
    let options = CrawlOptions { trial: Some(300), ..CrawlOptions::default() };
    work::crawl(&session, id, &options, &JobCx::detached()).unwrap();
}

/// The tab Trial of a workspace with one.
fn trial() -> (tempfile::TempDir, Window) {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("w");
    crawl_trial(&folder);
    let mut window = Window::on_disk(root.path(), Settings::default(), Some(folder));
    let id = campaign(&window);
    window.app_mut().send(Command::ChooseCampaign(id));
    window.app_mut().send(Command::Go(Route::Crawl));
    window.until("the launch is there", |window| window.can_click("Trial"));
    window.click("Trial");
    window.until("the sample is there", |window| window.shows(" of 16 marked"));
    window.settle();
    (root, window)
}

fn campaign(window: &Window) -> CampaignId {
    window.session().catalogue().campaigns().unwrap()[0].id
}

fn launch(window: &Window) -> LaunchId {
    window.session().catalogue().launch_ids(None).unwrap()[0]
}

fn marks(window: &Window) -> Vec<Option<Relevance>> {
    work::trial_sample(&window.session(), launch(window)).unwrap().pages.iter().map(|page| page.relevance).collect()
}

/// Marks every page as what it is.
fn mark_all(window: &Window) {
    let session = window.session();
    for page in work::trial_sample(&session, launch(window)).unwrap().pages {
        let number: usize = page.url.rsplit('/').next().unwrap().parse().unwrap();
        let relevance = if number.is_multiple_of(2) { Relevance::Relevant } else { Relevance::Irrelevant };
        session.catalogue().mark_relevance(launch(window), &[page.capture], Some(relevance), "test").unwrap();
    }
}

#[test]
fn keys_mark_the_pages_of_a_trial_and_no_message_comes_of_it() {
    let (_root, mut window) = trial();
    assert!(marks(&window).iter().all(Option::is_none));
    window.press(Key::Plus);
    window.press(Key::Minus);
    window.press(Key::Plus);
    let marked = |window: &Window| marks(window).iter().flatten().count();
    window.until("three are marked", |window| marked(window) == 3);
    assert_eq!(
        marks(&window)[..3],
        [Some(Relevance::Relevant), Some(Relevance::Irrelevant), Some(Relevance::Relevant)]
    );
    window.assert_shows("3 of 16 marked");
    window.assert_shows("✓ relevant");
    window.assert_shows("✕ not relevant");
    let log: Vec<String> = window.app().log().iter().map(|(_, notice)| notice.line()).collect();
    assert!(!log.iter().any(|line| line.contains("ark")), "the rows show it: {log:?}");
    let first = work::trial_sample(&window.session(), launch(&window)).unwrap().pages[0].capture;
    let act = TrialAct::Mark(launch(&window), first, None);
    window.app_mut().send(Command::Trials(act));
    window.until("it is taken back", |window| marked(window) == 2);
    assert_eq!(marks(&window)[0], None);
}

#[test]
fn proposals_are_accepted_the_curve_is_drawn_and_an_older_version_restored() {
    let (_root, mut window) = trial();
    mark_all(&window);
    window.assert_shows("16 of 16 marked");
    window.click("Proposals");
    let found = work::suggestions(&window.session(), campaign(&window), None).unwrap();
    let is_plain = |proposal: &&Proposal| proposal.value.chars().all(char::is_alphabetic);
    let first = found.proposals.iter().find(is_plain).expect("sixteen marks set words apart");
    window.click(&format!("Accept {}", first.value));
    let version = |window: &Window| window.session().catalogue().campaign(campaign(window)).unwrap();
    window.until("there is a second version", |window| version(window).0 == 2);
    assert!(version(&window).1.request.to_string().contains(&first.value));
    window.until("it is proposed no more", |window| !window.can_click(&format!("Accept {}", first.value)));

    window.scroll_to("Harvest rate");
    window.click("Harvest rate");
    window.until("the curve is there", |window| window.shows("found after 10 % of the fetches"));
    window.assert_shows("Relevant pages found by pages fetched");
    window.assert_shows("Version 1, of the trial");
    window.assert_shows("Version 2");
    window.assert_shows("Of 8 pages marked as relevant among 16");

    let id = campaign(&window);
    window.app_mut().send(Command::Go(Route::Spec(Some(id))));
    window.until("the draft is at hand", |window| window.app().open.spec.is_some());
    window.settle();
    window.click("Versions");
    window.click("Compare with the newest");
    window.until("the difference is there", |window| window.shows(&format!("+ {}", first.value)));
    window.click("Restore");
    window.until("there is a third version", |window| version(window).0 == 3);
    let session = window.session();
    assert_eq!(version(&window).1.request, session.catalogue().campaign_version(id, 1).unwrap().request);
}

#[test]
fn a_trial_is_kept() {
    let (_root, mut window) = trial();
    window.click("Keep trial");
    window.until("it is kept", |window| window.shows("Trial kept: it counts as a normal crawl"));
    let trial = window.session().catalogue().launch(launch(&window)).unwrap().trial.unwrap();
    assert!(trial.is_kept);
    assert!(!window.can_click("Discard trial…"));
}

#[test]
fn a_trial_is_discarded_after_a_question_that_names_what_goes() {
    let (_root, mut window) = trial();
    let captures = window.captures("").len();
    window.click("Discard trial…");
    window.until("the question is there", |window| window.shows(&format!("Discard {captures} captures")));
    window.click("Cancel");
    assert_eq!(window.captures("").len(), captures);
    window.click("Discard trial…");
    window.until("the question is there", |window| window.can_click("Discard"));
    window.click("Discard");
    window.until_done(JobKind::DiscardTrial);
    assert_eq!((window.captures("").len(), window.session().catalogue().launch_ids(None).unwrap().len()), (0, 0));
    window.assert_shows("No crawl has run yet");
}
