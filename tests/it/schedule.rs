//! Crawls that start by themselves, as the program does it.

use crate::kill::{kill_when, lines_logged, start};
use crate::program::{arg, fonds};
use fonds::campaign::{Campaign, CatchUp, Frequency};
use fonds::store::Workspace;
use fonds::uri::CaptureDate;
use fonds::work::Session;
use fonds::work::Workspaces;
use fonds::work::models::CampaignId;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A workspace with the sample campaign, its schedule edited.
fn sample(dir: &Path, edit: impl FnOnce(&mut Campaign)) -> PathBuf {
    let folder = dir.join("w");
    let session = Workspaces::new().open_sample(&folder).unwrap().1;
    save(&session, edit);
    folder
}

fn save(session: &Session, edit: impl FnOnce(&mut Campaign)) {
    let mut campaign = session.catalogue().campaign_page(CampaignId::new(1)).unwrap().campaign;
    campaign.schedule.catch_up = CatchUp::Once;
    edit(&mut campaign);
    session.save_campaign(Some(CampaignId::new(1)), &campaign).unwrap();
}

/// A campaign is saved within this time, in milliseconds, on a slow machine
/// too: what was due before nobody asked for.
const SAVED_WITHIN_MS: i64 = 6_000;

/// Has a one-off run fall due, and waits until it has.
fn fall_due(folder: &Path) {
    let due = CaptureDate::from_millis(CaptureDate::now().millis() + SAVED_WITHIN_MS);
    let session = Workspaces::new().open(folder).unwrap();
    save(&session, |campaign| campaign.schedule.extra = vec![due.to_log()]);
    while CaptureDate::now() < due {
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn log(folder: &Path) -> Vec<Value> {
    fonds(&["schedule", "log", arg(folder), "--json"]).with_status(0).json_lines()
}

#[test]
fn what_is_due_is_crawled_once_and_written_down() {
    let dir = tempfile::tempdir().unwrap();
    let folder = sample(dir.path(), |campaign| {
        campaign.limits.max_documents = 12;
        campaign.schedule.frequency = Frequency::Yearly;
        campaign.schedule.start = Some("2999-12-31T01:30".to_owned());
        campaign.schedule.time_zone = Some("Europe/Lisbon".to_owned());
    });
    let next = fonds(&["schedule", "next", arg(&folder), "--count", "2"]).with_status(0);
    assert!(next.out.contains("2999-12-31T01:30:00Z\t1\tTuesday 31 Dec 2999 01:30 Europe/Lisbon\t"), "{}", next.out);
    assert_eq!(next.out.lines().count(), 2);
    fonds(&["schedule", "run", arg(&folder), "--once"]).with_status(0).with_message("Crawls: 0 ran");

    fall_due(&folder);
    fonds(&["schedule", "run", arg(&folder), "--once"]).with_status(0).with_message("Crawls: 1 ran, 0 failed");
    let runs = log(&folder);
    assert_eq!((runs.len(), &runs[0]["state"], &runs[0]["is_extra"]), (1, &"done".into(), &true.into()), "{runs:?}");
    let launch = runs[0]["launch_name"].as_str().unwrap();
    let warcs = folder.join("output/warcs");
    let found = crate::archive::warcs_under(&warcs);
    assert!(found.iter().any(|file| file.to_string_lossy().contains(launch)), "{launch}: {found:?}");
    fonds(&["schedule", "run", arg(&folder), "--once"]).with_status(0).with_message("Crawls: 0 ran");
    assert_eq!(log(&folder).len(), 1);

    // Who has the window open is told so.
    let open = Workspace::open(&folder).unwrap();
    fonds(&["schedule", "run", arg(&folder), "--once"]).with_status(2).with_message("open elsewhere");
    drop(open);
    fonds(&["schedule", "answer", arg(&folder), "1", "run"]).with_status(2).with_message("does not wait for an answer");
    fonds(&["schedule", "answer", arg(&folder), "77", "skip"]).with_status(2).with_message("no scheduled run 77");
    fonds(&["schedule", "next", arg(&folder), "--calendar", "mayan"]).with_status(2).with_message("w3act");
}

#[test]
fn a_scheduled_crawl_that_was_killed_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let folder = sample(dir.path(), |campaign| campaign.limits.max_documents = 200);
    fall_due(&folder);
    let child = start(&["schedule", "run", arg(&folder)]);
    assert!(kill_when(child, || lines_logged(&folder) > 5), "the crawl ended before it could be killed");
    let killed = log(&folder);
    assert_eq!(killed[0]["state"], "running", "{killed:?}");
    fonds(&["schedule", "run", arg(&folder), "--once"])
        .with_status(0)
        .with_message("Crawls: 1 ran")
        .with_message("resumed an earlier run");
    let done = log(&folder);
    assert_eq!((done.len(), &done[0]["state"]), (1, &"done".into()), "{done:?}");
    assert_eq!(done[0]["launch_name"], killed[0]["launch_name"]);
}
