//! Sources of a campaign: added, tested, switched off and read in the window, which waits for none of it.

use crate::app::{Action, Command, JobKind, Route};
use crate::campaign::{Campaign, CampaignSource, PrivateAddresses, Seed, SeedScope, SourceKind};
use crate::jobs::JobCx;
use crate::keys::{Keychain, MemoryKeychain};
use crate::store::Workspace;
use crate::testing::{ScriptedReply, ScriptedServer};
use crate::ui::tests::{TOWN, Window};
use crate::work::{self, CrawlOptions, Session};
use std::sync::{Arc, Condvar, Mutex};

const FEED: &str =
    "<rss><channel><item><title>First</title><link>/1</link></item><item><link>/2</link></item></channel></rss>";

fn feed_site(path: &str) -> ScriptedReply {
    match path {
        "/" => ScriptedReply::html(
            "<link rel=alternate type=application/rss+xml href=/feed.xml><link rel=alternate type=application/atom+xml>",
        ),
        "/feed.xml" => ScriptedReply::page(200, "Content-Type: application/rss+xml\r\nETag: \"v1\"\r\n", FEED),
        "/1" => ScriptedReply::html("one <a href=/3>three</a>"),
        "/2" => ScriptedReply::html("two"),
        _ => ScriptedReply::page(404, "", ""),
    }
}

fn polite(campaign: &mut Campaign) {
    campaign.politeness.user_agent = "Fonds test (+mailto:archive@town.example)".to_owned();
    (campaign.politeness.min_delay_ms, campaign.politeness.delay_factor) = (0, 0.0);
    campaign.politeness.max_retries = 0;
    campaign.politeness.allow_private_addresses = PrivateAddresses::All;
}

/// The section Sources of the town, whose campaign may fetch from this machine.
fn sources_of_town(sources: Vec<CampaignSource>) -> Window {
    let mut window = Window::town_as(|session| {
        let (_, mut town) = session.catalogue().campaign(TOWN).unwrap();
        polite(&mut town);
        town.sources = sources;
        session.catalogue().save_campaign(Some(TOWN), &town).unwrap();
    });
    window.app_mut().send(Command::Go(Route::Spec(Some(TOWN))));
    window.until("the draft is at hand", |window| window.app().open.spec.is_some());
    window.settle();
    let count = draft(&window).len();
    window.click(&if count == 0 { "Sources".to_owned() } else { format!("Sources {count}") });
    window
}

fn draft(window: &Window) -> &[CampaignSource] {
    &window.app().open.spec.as_ref().unwrap().campaign.sources
}

#[test]
fn a_source_is_added_tested_run_and_switched_off() {
    let server = ScriptedServer::start(|_, path| feed_site(path));
    let mut window = sources_of_town(Vec::new());
    window.type_into("Address of another source", &format!("http://{}/", server.addr));
    window.click("Add source");
    window.until("it is recognised", |window| window.shows("was added (Feed: link alternate"));
    let expected = CampaignSource::new("127.0.0.1", SourceKind::Feed, format!("http://{}/feed.xml", server.addr));
    assert_eq!(draft(&window), [expected]);
    window.assert_shows("Next request");
    window.assert_shows("/feed.xml");

    window.click("Test");
    window.until("the test has ended", |window| window.shows("test passed: 2 pages in its first answer"));
    window.assert_shows("First");
    assert!(window.session().catalogue().campaign(TOWN).unwrap().1.sources.is_empty(), "a test saves nothing");
    let is_of_test = |(_, notice): &(u64, crate::app::models::Notice)| notice.line().contains("test");
    assert!(!window.app().notices().iter().any(is_of_test), "its row has the result");

    window.app_mut().act(Action::SaveCampaign);
    window.until("it is saved", |window| !window.app().open.spec.as_ref().unwrap().is_edited());
    window.settle();
    window.click("Run now");
    window.until_done(JobKind::ReadSources);
    let rows = work::sources(&window.session(), TOWN).unwrap();
    assert_eq!((rows[0].state.pages, rows[0].state.waiting, rows[0].state.has_failed), (2, 2, false));
    window.assert_shows("2 of 2 pages new, by 1 request");
    window.assert_shows("the server's version \"v1\"");
    // The numbers lead to the pages.
    window.click_number("Found: 2");
    window.assert_shows(&format!("http://{}/2", server.addr));
    window.assert_shows("the next one");

    window.click("Launches read 127.0.0.1");
    assert!(!draft(&window)[0].enabled);
    window.app_mut().act(Action::SaveCampaign);
    window.until("it is saved", |window| !window.app().open.spec.as_ref().unwrap().is_edited());
    window.until("it is off", |window| window.shows("never by itself: it is off"));
    assert!(!window.session().catalogue().campaign(TOWN).unwrap().1.sources[0].enabled);
}

#[test]
fn failures_have_their_reason_and_an_unknown_address_can_be_added_all_the_same() {
    let server = ScriptedServer::start(|_, path| match path {
        path if path.starts_with("/closed/") => {
            ScriptedReply::page(403, "Content-Type: application/json\r\n", r#"{"errors":["log in first"]}"#)
        }
        _ => ScriptedReply::html("nothing"),
    });
    let address = format!("http://{}/closed", server.addr);
    let mut window = sources_of_town(vec![CampaignSource::new("quay forum", SourceKind::Discourse, address)]);
    window.type_into("Address of another source", &format!("http://{}/plain", server.addr));
    window.click("Add source");
    window.until("it is unknown", |window| window.shows("nothing there is known as a source"));
    assert_eq!(draft(&window).len(), 1);
    window.click("Add it as a feed");
    window.until("it was added all the same", |window| draft(window).len() == 2);
    window.type_into("Address of another source", "https://search.example.org/?q={query}");
    window.click("Add source");
    window.until("search engines are known by their address", |window| draft(window).len() == 3);
    assert_eq!(draft(&window)[2].kind, SourceKind::Search);
    // What is searched for is shown before it is sent.
    window.until("the next request is there", |window| window.shows("https://search.example.org/?q="));
    window.type_into("Address of another source", "no address");
    window.click("Add source");
    window.until("that is none", |window| window.shows("it is no web address"));
    assert_eq!(draft(&window).len(), 3);

    window.click("quay forum");
    // A wiki or a forum has a line for each of its requests above the button.
    window.scroll_to("Test");
    window.click("Test");
    window.until("the test has failed", |window| {
        window.shows("test failed: the server does not let everybody read this")
    });
    window.assert_shows("“log in first”");
}

#[test]
fn the_window_is_used_while_a_source_is_tested() {
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    let closed = Arc::clone(&gate);
    let server = ScriptedServer::start(move |_, path| {
        if path == "/feed.xml" {
            let (is_open, opened) = &*closed;
            drop(opened.wait_while(is_open.lock().unwrap(), |is_open| !*is_open).unwrap());
        }
        feed_site(path)
    });
    let source = CampaignSource::new("quay news", SourceKind::Feed, format!("http://{}/feed.xml", server.addr));
    let mut window = sources_of_town(vec![source]);
    window.click("quay news");
    window.click("Test");
    window.assert_shows("being tested");
    window.click("Politeness");
    window.assert_shows("robots.txt");
    window.click("Sources 1");
    window.assert_shows("being tested");
    *gate.0.lock().unwrap() = true;
    gate.1.notify_all();
    window.until("the test has ended", |window| window.shows("test passed: 2 pages"));
}

#[test]
fn a_token_goes_to_the_keychain_and_is_not_shown_again() {
    const TOKEN: &str = "s3cret-token";
    let server = ScriptedServer::start_with_heads(|_, path, head| match path {
        path if path.starts_with("/api/") && head.contains(&format!("Authorization: Bearer {TOKEN}")) => {
            ScriptedReply::page(200, "Content-Type: application/json\r\n", "[]")
        }
        _ => ScriptedReply::page(401, "", ""),
    });
    let address = format!("http://{}/tags/x", server.addr);
    let mut window = sources_of_town(vec![CampaignSource::new("quay posts", SourceKind::Mastodon, address)]);
    let keychain = Arc::new(MemoryKeychain::default());
    window.app_mut().use_keychain(keychain.clone());
    window.click("quay posts");
    window.click("Test");
    window.until("it is refused", |window| window.shows("it needs a token"));
    window.click("Send a token, which is in the system's keychain");
    window.type_into("Token of the source", TOKEN);
    window.click("Save token");
    window.until("it is kept", |window| window.shows("The token of “quay posts” is in the keychain"));
    let name = work::token_name(&draft(&window)[0]);
    assert_eq!(keychain.secret(&name).unwrap().as_deref(), Some(TOKEN));
    assert!(!window.shows(TOKEN), "{:?}", window.texts());
    assert!(window.app().sent().all(|command| !format!("{command:?}").contains(TOKEN)));
    window.click("Test");
    window.until("it is let in", |window| window.shows("test passed: 0 pages"));
    window.click("Remove token");
    window.until("it is gone", |window| window.shows("was taken out of the keychain"));
    assert_eq!(keychain.secret(&name).unwrap(), None);
}

#[test]
fn the_crawl_page_shows_what_sources_brought_and_leads_to_it() {
    let server = ScriptedServer::start(|_, path| feed_site(path));
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("w");
    let url = |path: &str| format!("http://{}{path}", server.addr);
    {
        let session = Session::new(Workspace::create(&folder).unwrap());
        let mut news = Campaign::new("News");
        news.rules = crate::scope::standard_rules();
        news.seeds = vec![Seed { url: url("/2"), scope: SeedScope::Resource, depth: None, source_tag: String::new() }];
        news.sources = vec![CampaignSource::new("news", SourceKind::Feed, url("/feed.xml"))];
        polite(&mut news);
        let id = session.catalogue().save_campaign(None, &news).unwrap();
        work::crawl(&session, id, &CrawlOptions::default(), &JobCx::detached()).unwrap();
    }
    let mut window = Window::on_disk(root.path(), crate::app::Settings::default(), Some(folder));
    let id = window.session().catalogue().campaigns().unwrap()[0].id;
    window.app_mut().send(Command::ChooseCampaign(id));
    window.app_mut().send(Command::Go(Route::Crawl));
    window.until("the launch is there", |window| window.shows("found by sources"));
    window.settle();
    window.click("Sources");
    window.assert_shows("Pages found by sources, and the URLs reached from them");
    let yields = window.session().catalogue().source_yields(Some(id), crate::app::models::Launches::Last).unwrap();
    assert_eq!((yields.len(), yields[0].tag.as_str()), (1, "source:news"), "{yields:?}");
    assert!(yields[0].fetched >= 1, "{yields:?}");
    window.click_number(&format!("Fetched: {}", yields[0].fetched));
    window.assert_shows("tag=source:news");
    window.assert_shows(&url("/1"));
    window.assert_shows(&crate::ui::text::counted(yields[0].fetched, "URL"));
}
