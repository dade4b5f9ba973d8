//! URLs that a permission refuses are not crawled, and entries of rules show
//! at once what they cover.

use crate::program::{arg, fonds, fonds_with};
use fonds::campaign::Campaign;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Serves a page with links to `/private/1` and `/open` for every URL, and
/// notes host and path of what it was asked for.
fn server() -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (addr, requests) = (listener.local_addr().unwrap(), Arc::<Mutex<Vec<String>>>::default());
    let noted = Arc::clone(&requests);
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let (mut socket, mut request) = (socket.unwrap(), [0; 4096]);
            let len = socket.read(&mut request).unwrap_or(0);
            let text = String::from_utf8_lossy(&request[..len]).into_owned();
            let path = text.split(' ').nth(1).unwrap_or_default();
            let host = text.lines().find_map(|line| line.strip_prefix("Host: ")).unwrap_or_default();
            noted.lock().unwrap().push(format!("{host}{path}"));
            let (status, body) = match path {
                "/robots.txt" => ("404 Not Found", ""),
                _ => ("200 OK", "<a href=/private/1>p</a> <a href=/private/open/2>o</a> <a href=/open>x</a>"),
            };
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            let _ = socket.write_all(format!("{head}{body}").as_bytes());
        }
    });
    (addr, requests)
}

fn example(edit: impl FnOnce(&mut Value)) -> Value {
    let mut campaign: Value = serde_json::from_str(&fonds(&["campaign", "example"]).with_status(0).out).unwrap();
    campaign["politeness"] = json!({
        "user_agent": "Fonds test (+mailto:archive@town.example)", "allow_private_addresses": true,
        "min_delay_ms": 0, "delay_factor": 0.0, "max_retries": 0
    });
    edit(&mut campaign);
    campaign
}

fn workspace(dir: &Path) -> PathBuf {
    let folder = dir.join("w");
    fonds(&["new", arg(&folder)]).with_status(0);
    folder
}

fn record(covers: &str, state: &str) -> Value {
    json!({"covers": covers, "reach": "root", "state": state, "evidence": "letter 12"})
}

#[test]
fn a_refusal_stops_the_crawl_of_what_it_covers_until_a_person_decides_otherwise() {
    let dir = tempfile::tempdir().unwrap();
    let folder = workspace(dir.path());
    let (addr, requests) = server();
    let mut campaign = example(|campaign| {
        campaign["seeds"] = json!([{"url": "http://town.example/"}, {"url": "http://poet.example/"}]);
        campaign["permissions"] = json!([
            record("http://town.example/private/", "refused"),
            record("http://town.example/private/open/", "granted"),
            record("http://poet.example/", "refused"),
        ]);
    });
    let refused = "http://poet.example/ must not be crawled (permission 3: refused, evidence letter 12)";
    let add = |campaign: &Value, more: &[&str]| {
        fonds_with(&[&["campaign", "add", arg(&folder), "-"], more].concat(), campaign.to_string().as_bytes())
    };
    add(&campaign, &[]).with_status(0).with_message(&format!("error: seeds[1].url: {refused}; take the seed out"));
    let show = fonds(&["campaign", "show", arg(&folder), "1"]).with_status(0).with_message(refused);
    let rules = campaign["rules"].as_array().unwrap().len();
    let rule = format!(
        "Rule {rules:<4} rejects what permissions refuse: records http://town.example/private/, http://poet.example/"
    );
    assert!(show.out.contains(&rule), "{}", show.out);

    let test = ["scope", "test", arg(&folder), "1", "http://town.example/private/1"];
    let output = fonds(&test).with_status(1);
    assert!(output.out.contains("by RefusedPermissionDecideRule"), "{}", output.out);
    assert!(
        output.out.contains("permission 1: refused, evidence letter 12, inherited from http://town.example/private/"),
        "{}",
        output.out
    );

    let to = ["town.example", "poet.example"].map(|host| format!("{host}:80:{addr}"));
    let crawl = |more: &[&str]| {
        fonds(&[&["crawl", arg(&folder), "1", "--resolve", &to[0], "--resolve", &to[1]], more].concat())
    };
    let output =
        crawl(&[]).with_status(1).with_message("This seed must not be crawled and is left out (permission 3: refused");
    assert!(output.out.contains("(1 seed left out, refused by permission)"), "{}", output.out);
    let mut paths = requests.lock().unwrap().clone();
    paths.sort();
    // The closest record counts.
    assert_eq!(paths, ["town.example/", "town.example/open", "town.example/private/open/2", "town.example/robots.txt"]);
    let why = fonds(&["why", arg(&folder), "http://town.example/private/1"]);
    assert!(why.out.contains("a permission says that this must not be crawled"), "{}{}", why.out, why.err);

    // With nothing left to crawl it does not begin.
    campaign["permissions"][0]["covers"] = "http://town.example/".into();
    add(&campaign, &["--id", "1"]).with_status(0).with_message("before it can be crawled: seeds[0].url");
    crawl(&["--fresh"])
        .with_status(2)
        .with_message("the campaign cannot be crawled yet: seeds[0].url: http://town.example/ must not");

    // Switched off by a person, which can be read.
    campaign["grounds"] = json!({"obey_refusals": false});
    let output = add(&campaign, &["--id", "1"]).with_status(0);
    assert!(!output.err.contains("must not be crawled"), "{}", output.err);
    let show = fonds(&["campaign", "show", arg(&folder), "1"]).with_status(0);
    assert!(
        show.out.lines().any(|line| line.contains("what permissions refuse") && line.contains("(off)")),
        "{}",
        show.out
    );
    requests.lock().unwrap().clear();
    crawl(&["--fresh"]).with_status(0);
    assert!(requests.lock().unwrap().iter().any(|path| path == "poet.example/"));
}

#[test]
fn prefixes_and_patterns_show_at_once_what_they_cover() {
    let dir = tempfile::tempdir().unwrap();
    let folder = workspace(dir.path());
    let campaign = example(|campaign| {
        campaign["seeds"] = json!([{"url": "http://archive.example/"}]);
        campaign["rules"] = json!([
            {"rule": "reject_all"}, {"rule": "seed_scope"},
            {"rule": "surt_prefix", "prefixes": ["http://archive.example/details", "(example,archive,)/x"], "decision": "REJECT"},
            {"rule": "regex", "patterns": ["/calendar\\?month=", ".*replytocom=.*"], "decision": "REJECT"},
        ]);
    });
    fonds_with(&["campaign", "add", arg(&folder), "-"], campaign.to_string().as_bytes())
        .with_status(0)
        .with_message("rule 2: http://archive.example/details covers http://(example,archive,)/details…")
        .with_message("note: rules[3].patterns[0]: “/calendar\\?month=” matches no whole URL")
        .with_message("to look for a part, write .*/calendar\\?month=.*");
    let show = fonds(&["campaign", "show", arg(&folder), "1"]).with_status(0);
    let rule = "rejects prefixes http://archive.example/details (covers http://(example,archive,)/details…), (example,archive,)/x";
    assert!(show.out.contains(rule), "{}", show.out);
    for (path, status) in [("about", 0), ("details/1", 1), ("detailsx", 1), ("", 0), ("x/1", 1)] {
        fonds(&["scope", "test", arg(&folder), "1", &format!("http://archive.example/{path}")]).with_status(status);
    }
    // Another crawler gets what is meant.
    let job = dir.path().join("job");
    fonds(&["campaign", "export", arg(&folder), "1", "--heritrix", arg(&job)]);
    let beans = std::fs::read_to_string(job.join("crawler-beans.cxml")).unwrap();
    assert!(beans.contains("+http://(example,archive,)/details\n"), "{beans}");
    assert!(serde_json::from_value::<Campaign>(campaign).is_ok());
}
