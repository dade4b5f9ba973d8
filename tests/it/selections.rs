//! Selections under a name, and collections: what is kept, compared, and
//! filled by itself.

use crate::archive::{file, page};
use crate::folders::copy_folder;
use crate::program::{arg, fonds, fonds_with};
use crate::sample::demo;
use fonds::work::Workspaces;
use fonds::work::models::CampaignId;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn demo_copy() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("w");
    copy_folder(&demo().report.workspace, &workspace);
    (dir, workspace)
}

/// The captures of campaign 1 that a filter finds, by number.
#[track_caller]
fn ids(workspace: &Path, filter: &str) -> BTreeSet<i64> {
    let call = ["captures", arg(workspace), filter, "--campaign", "1", "--json"];
    let lines = fonds(&call).with_status(0).json_lines();
    lines.iter().map(|line| line["id"].as_i64().unwrap()).collect()
}

/// A call that ends well and prints this.
#[track_caller]
fn prints(call: &[&str], text: &str) {
    let out = fonds(call).with_status(0).out;
    assert!(out.contains(text), "“{text}” is missing: {out}");
}

#[track_caller]
fn collections(workspace: &Path) -> Vec<Value> {
    fonds(&["collections", "list", arg(workspace), "--json"]).with_status(0).json_lines()
}

#[test]
fn a_saved_selection_stays_as_it_was_and_is_compared_with_the_kept_one() {
    let (_dir, workspace) = demo_copy();
    let w = arg(&workspace);
    fonds(&["select", "run", w, "1", "--threshold", "0.3"]).with_status(0);
    prints(&["select", "save", w, "1", "Handover 2026"], "Handover 2026");
    let then = ids(&workspace, "selected:yes");
    assert_eq!(ids(&workspace, "saved:\"handover 2026\""), then);
    fonds(&["select", "run", w, "1", "--filter", "host:cuaderno.example OR score>=0.5"]).with_status(0);
    fonds(&["mark", w, "approve", "--id", &ids(&workspace, "selected:no").first().unwrap().to_string()]).with_status(0);
    let now = ids(&workspace, "selected:yes");
    let saved = fonds(&["select", "saved", w, "1", "--json"]).with_status(0).json_lines().remove(0);
    let (added, removed) = (now.difference(&then).count(), then.difference(&now).count());
    assert!(added > 0 && removed > 0, "{added} {removed}");
    assert_eq!(
        (&saved["captures"], &saved["added"], &saved["removed"]),
        (&json!(then.len()), &json!(added), &json!(removed))
    );
    // The numbers lead to their rows.
    assert_eq!(ids(&workspace, "selected:yes -saved:\"Handover 2026\"").len(), added);
    assert_eq!(ids(&workspace, "saved:\"Handover 2026\" -selected:yes").len(), removed);
    // Its settings again: what a person decided since holds.
    prints(&["select", "use", w, "1", "Handover 2026"], "score at least 0.3");
    let again = ids(&workspace, "selected:yes");
    let approved = ids(&workspace, "mark:approve");
    assert!(again.is_superset(&then) && again.difference(&then).all(|id| approved.contains(id)));
    fonds(&["select", "use", w, "1", "Handover 1999"]).with_status(2).with_message("Handover 1999");
    fonds(&["select", "delete", w, "1", "HANDOVER 2026"]).with_status(0);
    fonds(&["select", "delete", w, "1", "Handover 2026"]).with_status(2).with_message("fonds select saved");
    assert_eq!(ids(&workspace, "selected:yes"), again);
}

#[test]
fn a_collection_is_selected_whatever_its_scores_but_for_what_a_person_rejected() {
    let (_dir, workspace) = demo_copy();
    let w = arg(&workspace);
    fonds(&["select", "run", w, "1", "--threshold", "0.6"]).with_status(0);
    let low: Vec<i64> = ids(&workspace, "score<0.3 -mark:reject").into_iter().take(3).collect();
    fonds(&["collections", "save", w, "Oddities", "--about", "Pages nobody scores"]).with_status(0);
    let call = ["collections", "add", w, "oddities", "--id", &low[0].to_string(), "--id", &low[1].to_string()];
    prints(&[&call[..], &["--id", &low[2].to_string()]].concat(), "3 of 3 captures");
    fonds(&["mark", w, "reject", "--id", &low[0].to_string(), "--reason", "names a person"]).with_status(0);
    let before = ids(&workspace, "selected:yes");
    prints(&["select", "run", w, "1", "--threshold", "0.6", "--collection", "Oddities"], "or in collection “Oddities”");
    let after = ids(&workspace, "selected:yes");
    assert_eq!(after.difference(&before).copied().collect::<Vec<_>>(), low[1..]);
    let row = collections(&workspace).remove(0);
    assert_eq!(
        (&row["captures"], &row["rejected"], &row["about"]),
        (&json!(3), &json!(1), &json!("Pages nobody scores"))
    );
    fonds(&["select", "run", w, "1", "--collection", "Nothing"]).with_status(2).with_message("Nothing");
    assert_eq!(ids(&workspace, "selected:yes"), after);
    fonds(&["collections", "delete", w, "Oddities"]).with_status(0);
    assert!(collections(&workspace).is_empty());
}

#[test]
fn a_collection_with_a_filter_is_filled_after_each_import_and_crawl() {
    let (dir, workspace) = demo_copy();
    let w = arg(&workspace);
    fonds(&["select", "run", w, "1", "--threshold", "0.3"]).with_status(0);
    let filter = "status:200 score>=0.05 (host:new.example OR host:cuaderno.example)";
    fonds(&["collections", "save", w, "Kept", "--filter", "colour:red", "--campaign", "1"])
        .with_status(2)
        .with_message("colour");
    fonds(&["collections", "save", w, "Kept", "--filter", filter, "--campaign", "1"]).with_status(0);
    let first = ids(&workspace, "collection:Kept");
    assert_eq!(first, ids(&workspace, filter));
    assert!(!first.is_empty());
    // What a person takes out stays out.
    let out = first.first().unwrap().to_string();
    fonds(&["collections", "remove", w, "Kept", "--id", &out]).with_status(0);
    let new = page("http://new.example/ria", "2024-05-01T10:00:00Z", "<title>A ria</title><p>Festival da Ria</p>");
    let archive = file(dir.path(), "new.warc.gz", &[new]);
    fonds(&["import", w, arg(&archive)]).with_status(0);
    let second = ids(&workspace, "collection:Kept");
    let added: Vec<i64> = second.difference(&first).copied().collect();
    assert_eq!((added.len(), first.len() - 1 + added.len()), (1, second.len()));
    assert_eq!(ids(&workspace, "host:new.example").first(), added.first());
    // A crawl fills it, too: the campaign once more, limited to a few documents.
    let session = Workspaces::new().open(&workspace).unwrap();
    let mut campaign = session.catalogue().campaign_page(CampaignId::new(1)).unwrap().campaign;
    campaign.limits.max_documents = 40;
    session.save_campaign(Some(CampaignId::new(1)), &campaign).unwrap();
    drop(session);
    let jobs = || {
        let session = Workspaces::new().open(&workspace).unwrap();
        session.job_history(50).unwrap().iter().filter(|job| job.name == "Fill collections").count()
    };
    let before = jobs();
    let session = Workspaces::new().open(&workspace).unwrap();
    let start = fonds::work::CrawlStart {
        campaign: CampaignId::new(1),
        version: session.catalogue().campaign_page(CampaignId::new(1)).unwrap().version,
        fresh: true,
    };
    session.run_crawl(start, &fonds::jobs::JobCx::detached()).unwrap();
    drop(session);
    assert_eq!(jobs(), before + 1);
    assert!(ids(&workspace, "collection:Kept").is_superset(&second));
    assert!(!ids(&workspace, "collection:Kept").contains(&out.parse().unwrap()));
    assert_eq!(collections(&workspace)[0]["taken_out"], json!(1));
}

/// Lines of a packed document.
pub fn packed_lines(path: &Path) -> Vec<Value> {
    let text = std::io::read_to_string(flate2::read::MultiGzDecoder::new(std::fs::File::open(path).unwrap())).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn selection_scores_and_collections_come_back_with_a_handover_and_leave_again_as_they_came() {
    let (dir, workspace) = demo_copy();
    let w = arg(&workspace);
    fonds(&["select", "run", w, "1", "--threshold", "0.3"]).with_status(0);
    fonds(&["select", "save", w, "1", "Spring"]).with_status(0);
    let high: Vec<i64> = ids(&workspace, "selected:yes score>=0.4").into_iter().take(3).collect();
    fonds(&["collections", "save", w, "Ria", "--about", "The ria"]).with_status(0);
    fonds(&["collections", "add", w, "Ria", "--id", &high[0].to_string(), "--id", &high[1].to_string()]).with_status(0);
    fonds(&["mark", w, "reject", "--id", &high[2].to_string(), "--reason", "names a person"]).with_status(0);
    fonds(&["select", "run", w, "1", "--threshold", "0.35", "--collection", "Ria"]).with_status(0);
    let (first, second) = (dir.path().join("first"), dir.path().join("second"));
    fonds(&["export", w, "--out", arg(&first)]).with_status(0);
    fonds(&["verify", arg(&first)]).with_status(0);

    let other = dir.path().join("other");
    let o = arg(&other);
    fonds(&["new", o]).with_status(0);
    fonds(&["import", o, arg(&first)]).with_status(0);
    // Scores and sides, part by part, are those of where they came from.
    let rows = |workspace: &str| -> Vec<(Value, Value, Value, Value, Value)> {
        let rows = fonds(&["select", "list", workspace, "1", "--json"]).with_status(0).json_lines();
        let selected = rows.into_iter().filter(|row| row["selected"] == true);
        selected
            .map(|row| {
                let part = |name: &str| row["parts"].as_array().unwrap().iter().find(|p| p["name"] == name).cloned();
                (
                    row["url"].clone(),
                    row["date"].clone(),
                    row["score"].clone(),
                    part("Request").unwrap(),
                    part("External hosts").unwrap(),
                )
            })
            .collect()
    };
    let (here, there) = (rows(o), rows(w));
    assert_eq!((here.len(), here.is_empty()), (there.len(), false));
    for (here, there) in here.iter().zip(&there) {
        assert_eq!(here, there);
    }
    let saved = || fonds(&["select", "saved", o, "1", "--json"]).with_status(0).json_lines();
    assert_eq!((saved().len(), &saved()[0]["name"]), (1, &json!("Spring")));
    assert_eq!((collections(&other).len(), &collections(&other)[0]["captures"]), (1, &json!(2)));

    // Out again, with nothing selected anew: the same.
    fonds(&["export", o, "--out", arg(&second), "--without-seen"]).with_status(0);
    fonds(&["verify", arg(&second)]).with_status(0);
    let read = |out: &Path, name: &str| std::fs::read_to_string(out.join("data").join(name)).unwrap();
    for name in ["selection.json", "campaign/campaign.v1.json", "campaign/feed.jsonl"] {
        assert_eq!(read(&first, name), read(&second, name), "{name}");
    }
    // Decisions say by which hand they came, too.
    let via = r#","via":["urn:fonds:source:first"]"#;
    assert_eq!(read(&first, "decisions.jsonl"), read(&second, "decisions.jsonl").replace(via, ""));
    let scores = |out: &Path| packed_lines(&out.join("data/scores.jsonl.gz"));
    assert_eq!(scores(&first), scores(&second));

    // A second time nothing is added; where another selection is kept here it stays.
    let before = (rows(o), saved(), collections(&other));
    fonds(&["import", o, arg(&first)]).with_status(0);
    assert_eq!((rows(o), saved(), collections(&other)), before);
    fonds(&["select", "run", o, "1", "--filter", "*"]).with_status(0);
    let kept = ids(&other, "selected:yes");
    fonds(&["import", o, arg(&first)]).with_status(0).with_message("saved as “first”");
    assert_eq!(ids(&other, "selected:yes"), kept);
    assert_eq!(saved().len(), 2);
    assert!(ids(&other, "saved:first").len() < kept.len());
}

#[test]
fn what_a_search_selected_comes_back_with_a_handover_where_no_text_is_indexed() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let (workspace, other, out) = (path("w"), path("other"), path("out"));
    let (w, o) = (arg(&workspace), arg(&other));
    let pages: Vec<_> = ["a town", "a hospital", "the hospital again", "a school"]
        .iter()
        .enumerate()
        .map(|(n, text)| page(&format!("http://a.pt/{n}"), "2024-03-01T09:00:30Z", &format!("<p>This is {text}.")))
        .collect();
    let archive = file(dir.path(), "a.warc.gz", &pages);
    let example = fonds(&["campaign", "example"]).with_status(0).out;
    fonds(&["new", w]).with_status(0);
    fonds_with(&["campaign", "add", w, "-"], example.as_bytes()).with_status(0);
    fonds(&["import", w, arg(&archive), "--index"]).with_status(0);
    // A first look at scores, before anything is kept.
    prints(&["select", "preview", w, "1", "--filter", "found:hospital"], "2 captures");
    fonds(&["select", "run", w, "1", "--filter", "found:hospital"]).with_status(0);
    fonds(&["collections", "save", w, "All", "--campaign", "1", "--filter", "status:200 score>=0"]).with_status(0);
    let selected = |folder: &Path| -> BTreeSet<String> {
        let call = ["captures", arg(folder), "selected:yes", "--campaign", "1", "--json"];
        let lines = fonds(&call).with_status(0).json_lines();
        lines.iter().map(|line| line["url"].as_str().unwrap().to_owned()).collect()
    };
    let both: BTreeSet<String> = ["http://a.pt/1", "http://a.pt/2"].map(str::to_owned).into();
    assert_eq!(selected(&workspace), both);
    fonds(&["export", w, "--out", arg(&out)]).with_status(0);
    prints(&["verify", arg(&out)], "those of the manifest: 2 captures");

    fonds(&["new", o]).with_status(0);
    for _ in 0..2 {
        fonds(&["import", o, arg(&out)]).with_status(0);
        assert_eq!(selected(&other), both);
    }
    let again = path("again");
    fonds(&["export", o, "--out", arg(&again)]).with_status(0);
    let lines = |folder: &Path| packed_lines(&folder.join("data/scores.jsonl.gz")).len();
    assert_eq!((lines(&out), lines(&again)), (2, 2));
}
