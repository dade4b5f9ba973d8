//! Launches with planted faults and sound twins that look like them: a robots.txt that closes, less than usual, many new
//! hosts.

use crate::program::{arg, fonds, fonds_with};
use fonds::serve::{Handler, HttpReply, HttpRequest, NamedHosts};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A web of two weeks: a plain fault of each check, a tricky one, and two twins without any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LaunchKind {
    Plain,
    Tricky,
    /// A tenth less, a part closed, one new host of nine.
    FewerTwin,
    /// More than before, a robots.txt that cannot be read, no new host.
    MoreTwin,
}

/// Hosts of the first week, and those that come with the second at most.
const HOSTS: usize = 8;
const MORE_HOSTS: usize = 3;
/// Pages of the main host in the first week.
const PAGES: usize = 60;

fn host(nth: usize) -> String {
    format!("h{nth}.example")
}

struct TwoWeeks {
    kind: LaunchKind,
    week: Arc<AtomicUsize>,
}

impl TwoWeeks {
    fn robots(&self, host: &str, week: usize) -> HttpReply {
        let closed = "User-agent: *\nDisallow: /\n";
        let text = match (host, self.kind, week) {
            ("h1.example", LaunchKind::Plain, 1) => closed,
            ("h1.example", LaunchKind::Tricky, 1) => "User-agent: *\nAllow: /\n\nUser-agent: planted\nDisallow: /\n",
            ("h1.example", LaunchKind::FewerTwin, 1) => {
                "User-agent: *\nDisallow: /private\n\nUser-agent: other\nDisallow: /\n"
            }
            ("h1.example", LaunchKind::MoreTwin, 1) => return HttpReply::html(500, "broken"),
            // It was closed before.
            ("h2.example", LaunchKind::FewerTwin, _) => closed,
            _ => "User-agent: *\nAllow: /\n",
        };
        HttpReply::new(200, "text/plain", text.as_bytes().to_vec())
    }

    fn front(&self, week: usize) -> HttpReply {
        let pages = match (self.kind, week) {
            (_, 0) | (LaunchKind::Tricky, _) => PAGES,
            (LaunchKind::Plain, _) => PAGES / 4,
            (LaunchKind::FewerTwin, _) => PAGES * 9 / 10,
            (LaunchKind::MoreTwin, _) => PAGES * 3 / 2,
        };
        let more = match (self.kind, week) {
            (LaunchKind::Plain, 1) => MORE_HOSTS,
            (LaunchKind::Tricky, 1) => 2,
            (LaunchKind::FewerTwin, 1) => 1,
            _ => 0,
        };
        let links = (0..pages).map(|nth| format!("<a href=/page/{nth}>{nth}</a> "));
        let hosts = (1..HOSTS + more).map(|nth| format!("<a href=http://{}/>{nth}</a> ", host(nth)));
        HttpReply::html(200, format!("<title>Front</title>{}", links.chain(hosts).collect::<String>()))
    }
}

impl Handler for TwoWeeks {
    fn handle(&self, request: &HttpRequest) -> HttpReply {
        let week = self.week.load(Ordering::SeqCst);
        match (request.host.as_str(), request.path.as_str()) {
            (host, "/robots.txt") => self.robots(host, week),
            ("h0.example", "/") => self.front(week),
            (_, path) => {
                // As many pages, with a fifth of their text.
                let words = if self.kind == LaunchKind::Tricky && week == 1 { 40 } else { 200 };
                HttpReply::html(200, format!("<title>{path}</title><p>{}", "boats of the lagoon ".repeat(words)))
            }
        }
    }
}

/// The checks that found something on the second launch, each with its subject.
fn found(kind: LaunchKind) -> BTreeSet<(String, String)> {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("w");
    let week = Arc::new(AtomicUsize::new(0));
    let hosts: Vec<(String, Ipv4Addr)> = (0..HOSTS + MORE_HOSTS)
        .map(|nth| (host(nth), Ipv4Addr::new(127, 0, 180 + u8::try_from(nth).unwrap(), 1 + kind as u8)))
        .collect();
    let server = NamedHosts::start(&hosts, Arc::new(TwoWeeks { kind, week: Arc::clone(&week) })).unwrap();
    let resolve: Vec<String> = server
        .resolve()
        .into_iter()
        .flat_map(|(host, port, to)| ["--resolve".to_owned(), format!("{host}:{port}:{to}")])
        .collect();
    fonds(&["new", arg(&workspace)]).with_status(0);
    let campaign = json!({
        "name": "Launches", "seeds": [{ "url": "http://h0.example/" }], "rules": [{"rule": "accept_all"}],
        "politeness": {
            "user_agent": "Mozilla/5.0 (compatible; planted; +https://archive.example/bot)",
            "delay_factor": 0.0, "min_delay_ms": 0, "max_retries": 0, "retry_delay_seconds": 0,
            "allow_private_addresses": true,
        },
        "limits": {"disk_floor_bytes": 0},
    });
    fonds_with(&["campaign", "add", arg(&workspace), "-"], campaign.to_string().as_bytes()).with_status(0);
    for now in 0..2 {
        week.store(now, Ordering::SeqCst);
        let resolve: Vec<&str> = resolve.iter().map(String::as_str).collect();
        let crawled = fonds(&[&["crawl", arg(&workspace), "1", "--fresh"], &resolve[..]].concat());
        assert!(crawled.status <= 1, "{}", crawled.err);
    }
    let all = fonds(&["check", arg(&workspace), "--json"]).with_status(0).json_lines();
    let text = |of: &Value, name: &str| of[name].as_str().unwrap_or_default().to_owned();
    let of_launches: Vec<&Value> = all.iter().filter(|of| of.get("launch").is_some()).collect();
    of_launches.iter().map(|of| (text(of, "check"), text(of, "url"))).collect()
}

#[test]
fn launches_that_lost_something_are_found_and_their_sound_twins_are_not() {
    let expected = [("robots-closed", "h1.example"), ("launch-shrunk", ""), ("new-hosts", "")];
    for kind in [LaunchKind::Plain, LaunchKind::Tricky] {
        let found = found(kind);
        for (check, subject) in expected {
            assert!(found.contains(&(check.to_owned(), subject.to_owned())), "{kind:?}: {check}: {found:?}");
        }
    }
    for kind in [LaunchKind::FewerTwin, LaunchKind::MoreTwin] {
        let found = found(kind);
        for (check, _) in expected {
            assert!(found.iter().all(|(of, _)| of != check), "{kind:?}: {check}: {found:?}");
        }
    }
}
