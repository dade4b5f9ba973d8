//! Launches that go on with a newer version of their campaign.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::campaign::{CrawlOrder, PrivateAddresses, Request, Seed, SeedScope};
use crate::exchange::HostOverride;
use crate::store::Workspace;
use crate::testing::{ScriptedReply, ScriptedServer};
use crate::work::launch::queue::{queue, queue_orders};
use crate::work::models::{CampaignRow, SeenQuery};

pub(in crate::work::launch) fn seed(url: &str) -> Seed {
    Seed { url: url.to_owned(), scope: SeedScope::Root, depth: None, source_tag: String::new() }
}

pub(in crate::work::launch) fn town() -> Campaign {
    let mut town = Campaign::new("Town");
    town.rules = crate::scope::standard_rules();
    town.seeds = vec![seed("http://a.example/")];
    town.politeness.user_agent = "Fonds test (+mailto:archive@town.example)".to_owned();
    (town.politeness.delay_factor, town.politeness.min_delay_ms) = (0.0, 0);
    town.politeness.allow_private_addresses = PrivateAddresses::Listed(vec!["127.0.0.0/8".to_owned()]);
    town.politeness.workers = 1;
    town
}

pub(in crate::work::launch) fn session(folder: &std::path::Path, server: &ScriptedServer) -> Session {
    let session = Session::new(Workspace::create(&folder.join("w")).unwrap());
    let to_server = |host: &str| HostOverride { host: host.to_owned(), port: 80, addr: server.addr };
    session.set_overrides(["a.example", "b.example", "c.example"].map(to_server).into());
    session
}

#[test]
fn seeds_and_rules_that_were_edited_while_it_was_stopped_hold_when_it_goes_on() {
    let server = ScriptedServer::start(|host, path| match (host, path) {
        (_, "/robots.txt") => ScriptedReply::page(404, "", ""),
        ("a.example", "/") => {
            let links: String = (0..9).map(|n| format!("<a href=/keep{n}>k</a><a href=/drop{n}>d</a>")).collect();
            ScriptedReply::html(&format!("{links}<a href=http://b.example/x>b</a><a href=http://c.example/>c</a>"))
        }
        _ => ScriptedReply::html("leaf"),
    });
    let dir = tempfile::tempdir().unwrap();
    let session = session(dir.path(), &server);
    let catalogue = session.catalogue();
    let mut town = town();
    town.limits.max_documents = 5;
    let id = catalogue.save_campaign(None, &town).unwrap();
    let first = crawl(&session, id, &CrawlOptions::default(), &JobCx::detached()).unwrap();
    assert!(first.limit_reached && first.queued > 10, "{first:?}");
    let launch = catalogue.last_launch(Some(id)).unwrap().unwrap().id;
    let dropped = |hits: &[String]| hits.iter().filter(|path| path.starts_with("/drop")).count();
    let before = dropped(&server.paths("a.example"));
    assert!(server.paths("b.example").is_empty());

    town.limits.max_documents = 0;
    town.seeds.push(seed("http://b.example/"));
    let (_, rules) = (0, &mut town.rules);
    let regex = rules.iter_mut().find(|rule| rule["rule"] == "regex").unwrap();
    regex["patterns"] = serde_json::json!([".*/drop.*"]);
    catalogue.save_campaign(Some(id), &town).unwrap();
    let plan = crawl_plan(&session, &CrawlRequest { campaign: Some(id), edits: None }).unwrap();
    assert_eq!((plan.version, plan.unfinished.unwrap().version), (2, 1));
    let second = crawl(&session, id, &CrawlOptions::default(), &JobCx::detached()).unwrap();
    assert!(second.resumed && second.complete, "{second:?}");
    assert_eq!(catalogue.last_launch(Some(id)).unwrap().unwrap().id, launch);
    assert_eq!(catalogue.launch_version(launch).unwrap(), 2);

    // What is refused now was not fetched any more; what was refused before was.
    assert_eq!(dropped(&server.paths("a.example")), before);
    assert_eq!(server.paths("a.example").iter().filter(|path| path.starts_with("/keep")).count(), 9);
    let of_b = server.paths("b.example");
    assert!(of_b.contains(&"/".to_owned()) && of_b.contains(&"/x".to_owned()), "{of_b:?}");
    assert!(server.paths("c.example").is_empty());
    let row = |url: &str| {
        let filter = format!("url:{url}");
        let rows = catalogue.seen(&SeenQuery { filter, ..SeenQuery::of_launch(launch, "all") }).unwrap().rows;
        rows.into_iter().next().unwrap()
    };
    assert_eq!((row("/drop8").rule.as_str(), row("/drop8").state.as_str()), ("MatchesListRegexDecideRule", "refused"));
    let log = std::fs::read_to_string(second.log_folder.join("scope.log")).unwrap();
    let lines = |text: &str| log.lines().filter(|line| line.contains(text)).count();
    assert_eq!(lines("MatchesListRegexDecideRule REJECT http://a.example/drop8 "), 1, "{log}");
    assert_eq!(lines("ACCEPT http://b.example/x "), 1, "{log}");
    assert_eq!(lines("ACCEPT http://a.example/keep8 "), 1, "{log}");
    let campaigns: Vec<CampaignRow> = catalogue.campaigns().unwrap();
    assert_eq!(campaigns[0].captures, second.fetched);
}

#[test]
fn a_seed_that_redirects_to_another_site_is_a_question() {
    let server = ScriptedServer::start(|host, path| match (host, path) {
        (_, "/robots.txt") => ScriptedReply::page(404, "", ""),
        ("a.example", "/") => ScriptedReply::page(301, "Location: http://www.a.example/\r\n", ""),
        ("www.a.example", "/") => ScriptedReply::page(301, "Location: http://b.example/new\r\n", ""),
        _ => ScriptedReply::html("leaf"),
    });
    let dir = tempfile::tempdir().unwrap();
    let session = session(dir.path(), &server);
    let mut overrides = session.overrides();
    overrides.push(HostOverride { host: "www.a.example".to_owned(), port: 80, addr: server.addr });
    session.set_overrides(overrides);
    let catalogue = session.catalogue();
    let mut town = town();
    let id = catalogue.save_campaign(None, &town).unwrap();
    crawl(&session, id, &CrawlOptions::default(), &JobCx::detached()).unwrap();
    let moved = catalogue.campaign_page(id).unwrap().moved_seeds;
    let pairs: Vec<_> = moved.iter().map(|moved| (moved.seed.as_str(), moved.target.as_str())).collect();
    assert_eq!(pairs, [("http://a.example/", "http://b.example/new")]);
    assert!(moved[0].is_open(&town));
    town.left_out_redirects.push("http://b.example/new".to_owned());
    assert!(!moved[0].is_open(&town));
    town.left_out_redirects.clear();
    town.seeds.push(seed("https://b.example/"));
    assert!(!moved[0].is_open(&town), "a seed reaches it");
}

#[test]
fn each_order_is_tried_on_the_queue_that_a_launch_left() {
    let server = ScriptedServer::start(|host, path| match (host, path) {
        (_, "/robots.txt") => ScriptedReply::page(404, "", ""),
        ("a.example", "/") => {
            let links: String = (0..9).map(|n| format!("<a href=/p{n}>other</a>")).collect();
            ScriptedReply::html(&format!("{links}<a href=/boat>the boat yard</a><a href=http://b.example/x>b</a>"))
        }
        _ => ScriptedReply::html("leaf"),
    });
    let dir = tempfile::tempdir().unwrap();
    let session = session(dir.path(), &server);
    let mut town = Campaign { order: CrawlOrder::RoundRobin, request: "boat".parse().unwrap(), ..town() };
    town.seeds = vec![seed("http://a.example/"), seed("http://b.example/")];
    town.limits.max_documents = 3;
    let id = session.catalogue().save_campaign(None, &town).unwrap();
    assert_eq!(queue_orders(&session, id, &town, 50).unwrap(), None, "nothing waits before a crawl");
    crawl(&session, id, &CrawlOptions::default(), &JobCx::detached()).unwrap();
    let orders = queue_orders(&session, id, &town, 50).unwrap().unwrap();
    let waiting = queue(&session, id, None, 50).unwrap();
    assert_eq!((orders.read, orders.is_partial), (waiting.waiting, false));
    let links = |order: CrawlOrder| -> Vec<&str> {
        orders.of(order).iter().map(String::as_str).filter(|url| !url.ends_with(".example/")).collect()
    };
    assert_eq!(links(CrawlOrder::Relevance)[0], "http://a.example/boat", "{orders:?}");
    assert_eq!(links(CrawlOrder::BreadthFirst)[0], "http://a.example/p0", "{orders:?}");
    let hosts: Vec<_> = orders.of(CrawlOrder::RoundRobin).iter().take(4).map(|url| &url[7..8]).collect();
    assert_eq!(hosts, ["a", "b", "a", "b"], "{orders:?}");
    assert_eq!(links(CrawlOrder::RoundRobin).len(), links(CrawlOrder::BreadthFirst).len());
    // Of a request without words none is more relevant.
    let draft = Campaign { request: Request::default(), ..town };
    let orders = queue_orders(&session, id, &draft, 50).unwrap().unwrap();
    assert_eq!(orders.of(CrawlOrder::Relevance), orders.of(CrawlOrder::RoundRobin));
}
