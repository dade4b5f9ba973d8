//! Campaigns of others start nothing here before a person has let them run.

use crate::archive::page;
use crate::handover::put;
use crate::program::{arg, fonds, fonds_with};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server of the receiver's own network, and how many questions it got.
fn intranet() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/secret.html", listener.local_addr().unwrap());
    let requests = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&requests);
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            count.fetch_add(1, Ordering::SeqCst);
            let mut socket = socket.unwrap();
            let _ = socket.read(&mut [0; 4096]);
            let _ = socket.write_all(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\nConnection: close\r\n\r\nhere",
            );
        }
    });
    (url, requests)
}

/// A campaign that would reach into the network of whoever opens it, every hour.
fn greedy(seed: &str) -> Value {
    json!({
        "name": "A gift", "active": true, "seeds": [{"url": seed}],
        "rules": [{"rule": "reject_all"}, {"rule": "seed_scope"}],
        "schedule": {"frequency": "hourly", "catch_up": "once", "start": "2020-01-01T00:00"},
        "politeness": {
            "user_agent": "Mozilla/5.0 (compatible; gift; +https://gift.example/bot)",
            "delay_factor": 0.0, "min_delay_ms": 0, "allow_private_addresses": true, "robots": "ignore",
        },
        "limits": {"disk_floor_bytes": 0},
    })
}

/// A new workspace in a folder.
fn workspace(dir: &Path) -> PathBuf {
    let workspace = dir.join("receiver");
    fonds(&["new", arg(&workspace)]).with_status(0);
    workspace
}

/// Nothing of campaign 1 starts, whoever asks; then a person lets it run.
#[track_caller]
fn is_off_until_activated(workspace: &Path, requests: &AtomicUsize) {
    let workspace = arg(workspace);
    assert_eq!(fonds(&["schedule", "next", workspace, "--json"]).with_status(1).json_lines(), Vec::<Value>::new());
    fonds(&["schedule", "run", workspace, "--once"]).with_status(0);
    fonds(&["crawl", workspace, "1"])
        .with_status(2)
        .with_message("switched off")
        .with_message("private addresses: all");
    let row = &fonds(&["campaign", "list", workspace, "--json"]).with_status(0).json_lines()[0];
    assert_eq!((&row["active"], row["suspended"].is_string(), &row["next_run"]), (&json!(false), true, &Value::Null));
    let listed = fonds(&["campaign", "list", workspace]).with_status(0).out;
    assert!(listed.contains("(from ") && listed.contains(", switched off)"), "{listed}");
    let activation = format!("to let it run: fonds campaign activate {workspace} 1");
    let shown = fonds(&["campaign", "show", workspace, "1"]).with_status(0).out;
    assert!(shown.contains(&activation), "{shown}");
    assert!(shown.contains("switched off") && shown.contains("private addresses: all"), "{shown}");
    assert_eq!(requests.load(Ordering::SeqCst), 0, "a request went out");
    let active = fonds(&["campaign", "activate", workspace, "1"]).with_status(0).out;
    for term in ["schedule: every hour", "private addresses: all", "robots.txt: not asked for", "user agent: Mozilla"] {
        assert!(active.contains(term), "{term}: {active}");
    }
    assert!(!fonds(&["schedule", "next", workspace, "--json"]).with_status(0).json_lines().is_empty());
    // Runs from before that are nobody's.
    fonds(&["schedule", "run", workspace, "--once"]).with_status(0);
    assert_eq!(requests.load(Ordering::SeqCst), 0, "a run from before was made up for");
    fonds(&["crawl", workspace, "1"]).with_status(0);
    assert!(requests.load(Ordering::SeqCst) > 0);
    fonds(&["campaign", "deactivate", workspace, "1"]).with_status(0);
    let listed = fonds(&["campaign", "list", workspace]).with_status(0).out;
    assert!(listed.contains("(from ") && listed.contains(", switched off)"), "{listed}");
    assert_eq!(fonds(&["schedule", "next", workspace, "--json"]).with_status(1).json_lines(), Vec::<Value>::new());
    // Deleted, it leaves its captures here, and what explains them.
    let captures = || fonds(&["captures", workspace, "--count"]).with_status(0).out;
    let before = captures();
    let preview = fonds(&["campaign", "delete", workspace, "1", "--preview"]).with_status(0).out;
    assert!(preview.contains("would be deleted") && preview.contains("stays: "), "{preview}");
    assert_eq!(fonds(&["campaign", "list", workspace, "--json"]).with_status(0).json_lines().len(), 1);
    fonds(&["campaign", "delete", workspace, "1"]).with_status(0);
    assert_eq!(fonds(&["campaign", "list", workspace, "--json"]).with_status(0).json_lines().len(), 0);
    assert_eq!(captures(), before);
    fonds(&["crawl", workspace, "1"]).with_status(2).with_message("there is no campaign");
}

#[test]
fn a_handover_starts_no_crawl_of_its_receiver() {
    let dir = tempfile::tempdir().unwrap();
    let (_, export) = crate::knowledge::exported(dir.path());
    let (url, requests) = intranet();
    put(&export, "data/campaign/campaign.v1.json", greedy(&url).to_string().as_bytes());
    let workspace = workspace(dir.path());
    let import = fonds(&["import", arg(&workspace), arg(&export)]);
    let activation = format!("fonds campaign activate {} 1", workspace.display());
    for term in
        ["is switched off", "schedule: every hour", "private addresses: all", "robots.txt: not asked for", &activation]
    {
        assert!(import.err.contains(term), "{term}: {}", import.err);
    }
    is_off_until_activated(&workspace, &requests);
}

#[test]
fn a_folder_of_archive_files_starts_no_crawl() {
    let dir = tempfile::tempdir().unwrap();
    let (url, requests) = intranet();
    let job = dir.path().join("warcs/gift");
    std::fs::create_dir_all(&job).unwrap();
    crate::archive::file(&job, "gift.warc", &[page("http://gift.example/", "2024-03-01T09:00:00Z", "<p>a gift</p>")]);
    std::fs::write(job.join("campaign.v1.json"), greedy(&url).to_string()).unwrap();
    let workspace = workspace(dir.path());
    fonds(&["import", arg(&workspace), arg(&dir.path().join("warcs"))]).with_status(0).with_message("is switched off");
    is_off_until_activated(&workspace, &requests);
}

#[test]
fn a_feed_starts_no_crawl() {
    let dir = tempfile::tempdir().unwrap();
    let own = workspace(dir.path());
    let mut campaign = greedy("http://gift.example/");
    campaign["politeness"]["allow_private_addresses"] = json!(false);
    fonds_with(&["campaign", "add", arg(&own), "-"], campaign.to_string().as_bytes()).with_status(0);
    let feed = dir.path().join("feed.json");
    std::fs::write(&feed, fonds(&["feed", "export", arg(&own)]).with_status(0).out).unwrap();
    let other = dir.path().join("other");
    fonds(&["new", arg(&other)]).with_status(0);
    let report = &fonds(&["feed", "import", arg(&other), arg(&feed), "--json"]).with_status(0).json_lines()[0];
    assert!(report["campaigns"][0]["suspended_terms"].to_string().contains("schedule: "), "{report}");
    assert_eq!(fonds(&["schedule", "next", arg(&other), "--json"]).with_status(1).json_lines(), Vec::<Value>::new());
    fonds(&["campaign", "activate", arg(&other), "1"]).with_status(0);
    assert!(!fonds(&["schedule", "next", arg(&other), "--json"]).with_status(0).json_lines().is_empty());
    // What came by itself goes again.
    fonds(&["campaign", "delete", arg(&other), "1", "--preview"]).with_status(0);
    assert_eq!(fonds(&["campaign", "list", arg(&other), "--json"]).with_status(0).json_lines().len(), 1);
    fonds(&["campaign", "delete", arg(&other), "1"]).with_status(0);
    assert_eq!(fonds(&["campaign", "list", arg(&other), "--json"]).with_status(0).json_lines(), Vec::<Value>::new());
}
