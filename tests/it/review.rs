//! `fonds review`: the queue, causes, samples and agreement, as a script uses them.

use crate::archives::record;
use crate::folders::copy_folder;
use crate::program::{arg, fonds, fonds_with};
use crate::sample::demo;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn demo_copy() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("w");
    copy_folder(&demo().report.workspace, &workspace);
    (dir, workspace)
}

#[track_caller]
fn lines(workspace: &Path, what: &str, more: &[&str]) -> Vec<Value> {
    fonds(&[&["review", what, arg(workspace), "--json"], more].concat()).with_status(0).json_lines()
}

#[test]
fn the_queue_begins_with_the_worst_and_has_no_parts_of_pages() {
    let (_dir, workspace) = demo_copy();
    fonds(&["check", arg(&workspace)]);
    let queue = lines(&workspace, "queue", &["--limit", "100000"]);
    let losses: Vec<f64> = queue.iter().map(|row| row["loss"].as_f64().unwrap_or(-1.0)).collect();
    assert!(losses.is_sorted_by(|a, b| a >= b) && losses[0] >= 0.5, "{losses:?}");
    for row in &queue {
        let (url, hops) = (row["url"].as_str().unwrap(), row["hops"].as_str().unwrap());
        assert!(!url.ends_with("/robots.txt") && !hops.ends_with(['E', 'P']), "{url} {hops}");
    }
    let listed = fonds(&["review", arg(&workspace), "--json"]).with_status(0).json_lines();
    let ids = |rows: &[Value]| rows.iter().map(|row| row["id"].as_i64().unwrap()).collect::<BTreeSet<_>>();
    assert_eq!(ids(&listed), ids(&queue));
}

#[test]
fn a_cause_is_decided_by_its_filter() {
    let (_dir, workspace) = demo_copy();
    fonds(&["check", arg(&workspace)]);
    let groups = lines(&workspace, "groups", &[]);
    let group = groups.iter().max_by_key(|group| group["captures"].as_u64()).unwrap();
    let filter = format!("{} review:yes", group["filter"].as_str().unwrap());
    let call = ["mark", arg(&workspace), "reject", "--filter", &filter, "--reason", "soft 404", "--json"];
    let marked = fonds(&call).with_status(0).json_lines();
    assert_eq!(marked[0]["captures"].as_array().unwrap().len() as u64, group["captures"].as_u64().unwrap());
    assert!(lines(&workspace, "groups", &[]).iter().all(|of| of["filter"] != group["filter"]));
    let wrong = fonds(&["captures", arg(&workspace), "cause:nothing"]).with_status(2);
    assert!(wrong.err.contains("write a check, a host and a form of address"), "{}", wrong.err);
}

#[test]
fn the_same_seed_draws_the_same_sample_and_two_persons_are_compared() {
    let (_dir, workspace) = demo_copy();
    let drawn = |name: &str, seed: &str| -> Vec<i64> {
        let sample = lines(&workspace, "sample", &["--size", "40", "--seed", seed, "--name", name]);
        sample.iter().map(|row| row["id"].as_i64().unwrap()).collect()
    };
    let first = drawn("First", "7");
    assert_eq!((first.len(), drawn("Second", "7")), (40, first.clone()));
    assert_ne!(drawn("Third", "8"), first);
    let mark = |id: i64, mark: &str, by: &str, reason: &str| {
        let id = id.to_string();
        fonds(&["mark", arg(&workspace), mark, "--id", &id, "--by", by, "--reason", reason]).with_status(0);
    };
    for (nth, id) in first.iter().take(10).enumerate() {
        match nth {
            0 => mark(*id, "reject", "Ana", "soft 404"),
            _ => mark(*id, "approve", "Ana", ""),
        }
    }
    let sample = lines(&workspace, "samples", &[]).into_iter().find(|sample| sample["name"] == "First").unwrap();
    assert_eq!((sample["figures"]["judged"].as_u64(), sample["figures"]["faulty"].as_u64()), (Some(10), Some(1)));
    assert_eq!((sample["technical"]["faulty"].as_u64(), sample["content"]["faulty"].as_u64()), (Some(1), Some(0)));
    let second = lines(&workspace, "queue", &["--by", "second", "--sample", "First", "--as", "Rui"]);
    assert!(second.len() == 2 && second.iter().all(|row| row["mark"].is_null()), "a fifth of ten: {second:?}");
    for row in &second {
        mark(row["id"].as_i64().unwrap(), "reject", "Rui", "");
    }
    let agreement = lines(&workspace, "agreement", &["--sample", "First"]).remove(0);
    let overall = &agreement["agreement"]["overall"];
    assert_eq!(overall["both"], 2);
    assert!(overall["kappa"].is_null() && overall["ac1"].is_null(), "two pages make no coefficient");
    let differing = 2 - overall["agreed"].as_u64().unwrap();
    assert_eq!(lines(&workspace, "queue", &["--by", "disagreements"]).len() as u64, differing);
    let missing = fonds(&["review", "queue", arg(&workspace), "--by", "sample", "--sample", "None"]).with_status(2);
    assert!(missing.err.contains("there is no sample “None”"), "{}", missing.err);
}

#[test]
fn what_is_put_off_is_not_to_review_until_it_is_captured_again() {
    let (_dir, workspace) = demo_copy();
    let first = lines(&workspace, "queue", &["--limit", "1"])[0]["id"].clone();
    let id = first.to_string();
    let open =
        |id: &serde_json::Value| lines(&workspace, "queue", &["--limit", "100000"]).iter().any(|row| row["id"] == *id);
    fonds(&["mark", arg(&workspace), "later", "--id", &id]).with_status(0);
    assert!(!open(&first));
    assert_eq!(fonds(&["captures", arg(&workspace), "mark:later", "--count"]).with_status(0).out.trim(), "1");
    fonds(&["mark", arg(&workspace), "clear", "--id", &id]).with_status(0);
    assert!(open(&first));
}

#[test]
fn judgements_reasons_and_samples_come_back_from_a_handover() {
    let dir = tempfile::tempdir().unwrap();
    let [workspace, out, other, again] = ["w", "out", "other", "again"].map(|name| dir.path().join(name));
    let page = |nth: usize| {
        let html = format!("<title>Page {nth}</title><p>{}", "boats of the lagoon ".repeat(20 + nth));
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n", html.len());
        let url = format!("http://{}.example/{nth}", ["jornal", "porto", "museu"][nth % 3]);
        record("response", &url, "2024-03-01T09:00:00Z", "", head + &html)
    };
    let file = dir.path().join("pages.warc");
    std::fs::write(&file, (0..30).flat_map(page).collect::<Vec<u8>>()).unwrap();
    fonds(&["new", arg(&workspace)]).with_status(0);
    let mut campaign: Value = serde_json::from_str(&fonds(&["campaign", "example"]).with_status(0).out).unwrap();
    campaign["name"] = "Boats".into();
    fonds_with(&["campaign", "add", arg(&workspace), "-"], campaign.to_string().as_bytes()).with_status(0);
    fonds(&["import", arg(&workspace), arg(&file), "--campaign", "1"]).with_status(0);
    let reasons = ["--content", "off topic", "--technical", "soft 404", "--technical", "cropped"];
    fonds(&[&["review", "reasons", arg(&workspace)], &reasons[..]].concat()).with_status(0);
    let drawn = ["--size", "12", "--seed", "7", "--name", "First", "--by-host", "--campaign", "1", "--by", "Ana"];
    let drawn = lines(&workspace, "sample", &drawn);
    for (nth, row) in drawn.iter().take(9).enumerate() {
        let id = row["id"].to_string();
        let (mark, reason) = match nth % 3 {
            0 => ("reject", "cropped"),
            1 => ("approve", ""),
            _ => ("flag", "off topic; see the letter"),
        };
        fonds(&["mark", arg(&workspace), mark, "--id", &id, "--by", "Ana", "--reason", reason]).with_status(0);
    }
    // Rejected pages stay behind, and so does a host.
    fonds(&["select", "run", arg(&workspace), "1", "--filter", "NOT host:museu.example"]).with_status(0);
    fonds(&["export", arg(&workspace), "--out", arg(&out)]).with_status(0);
    fonds(&["verify", arg(&out)]).with_status(0);
    let report = std::fs::read_to_string(out.join("report.md")).unwrap();
    assert!(report.contains("Samples that were reviewed") && report.contains("First"), "{report}");

    fonds(&["new", arg(&other)]).with_status(0);
    let came = fonds(&["import", arg(&other), arg(&out)]).with_status(0);
    assert!(format!("{}{}", came.out, came.err).contains("Review: 1 sample"), "{}{}", came.out, came.err);
    let known = |workspace: &Path| {
        let mut sample = lines(workspace, "samples", &[]).remove(0);
        for local in ["id", "campaign"] {
            sample.as_object_mut().unwrap().remove(local);
        }
        let reasons = fonds(&["review", "reasons", arg(workspace), "--json"]).with_status(0).out;
        (sample, reasons)
    };
    let expected = known(&workspace);
    assert_eq!(
        (expected.0["figures"]["judged"].as_u64(), expected.0["figures"]["faulty"].as_u64()),
        (Some(9), Some(6))
    );
    assert_eq!(
        (expected.0["content"]["faulty"].as_u64(), expected.0["technical"]["faulty"].as_u64()),
        (Some(3), Some(3))
    );
    assert_eq!(known(&other), expected);
    let decisions = |workspace: &Path| {
        let all = fonds(&["annotations", "export", arg(workspace)]).with_status(0).json_lines();
        let judged = |of: &Value| of["body"][0].clone();
        all.iter().map(|of| (of["id"].to_string(), judged(of).to_string())).collect::<BTreeSet<_>>()
    };
    let brought = decisions(&other);
    assert!(brought.is_subset(&decisions(&workspace)) && brought.len() > 1, "{brought:?}");
    assert!(
        brought.iter().any(|(_, body)| body.contains("\"fonds:content\":\"faulty\",\"fonds:technical\":\"sound\""))
    );
    // A second import changes nothing, and the sample goes on from there.
    fonds(&["import", arg(&other), arg(&out)]).with_status(0);
    assert_eq!((lines(&other, "samples", &[]).len(), known(&other)), (1, expected.clone()));
    fonds(&["export", arg(&other), "--out", arg(&again)]).with_status(0);
    let document = |out: &Path| -> Value {
        serde_json::from_slice(&std::fs::read(out.join("data/review.json")).unwrap()).unwrap()
    };
    assert_eq!(document(&again), document(&out));
}
