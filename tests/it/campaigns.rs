//! Two campaigns in one workspace: whose captures are whose, and what nobody can answer without naming one.

use crate::archive::{file, page};
use crate::program::{CallResult, arg, fonds, fonds_with};
use fonds::store::Workspace;
use fonds::work::models::CampaignId;
use fonds::work::{Session, Workspaces};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const DATE: &str = "2024-03-01T09:00:30Z";

/// An archive file with pages of a host.
fn archive(dir: &Path, host: &str, pages: usize) -> PathBuf {
    let records: Vec<_> = (0..pages)
        .map(|number| page(&format!("http://{host}/{number}"), DATE, &format!("<title>{host} {number}</title><p>x")))
        .collect();
    file(dir, &format!("{host}.warc.gz"), &records)
}

fn add_campaign(workspace: &Path, campaign: &Value) -> CallResult {
    fonds_with(&["campaign", "add", arg(workspace), "-"], campaign.to_string().as_bytes())
}

fn campaign(name: &str) -> Value {
    json!({"name": name, "seeds": [{"url": format!("http://{}.example/", name.to_lowercase())}]})
}

fn count(workspace: &Path, more: &[&str]) -> u64 {
    let mut args = vec!["captures", arg(workspace), "--count"];
    args.extend(more);
    fonds(&args).with_status(0).out.trim().parse().unwrap()
}

/// A workspace with the campaigns Mine and Town, of which each has an import and Mine a selection.
fn two_campaigns(dir: &Path) -> PathBuf {
    let workspace = dir.join("w");
    fonds(&["new", arg(&workspace)]).with_status(0);
    for name in ["Mine", "Town"] {
        add_campaign(&workspace, &campaign(name)).with_status(0);
        let host = format!("{}.example", name.to_lowercase());
        let warc = archive(dir, &host, if name == "Mine" { 3 } else { 2 });
        fonds(&["import", arg(&workspace), arg(&warc), "--campaign", name]).with_status(0);
    }
    fonds(&["select", "run", arg(&workspace), "Mine", "--filter", "-host:town.example"]).with_status(0);
    workspace
}

#[test]
fn commands_of_one_campaign_are_refused_where_there_are_several_and_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let folder = two_campaigns(dir.path());
    let w = arg(&folder);
    fonds(&["collections", "save", w, "All"]).with_status(0);
    let refused = |args: &[&str]| {
        let call = fonds(args);
        assert_eq!(call.status, 2, "{args:?}: {} {}", call.out, call.err);
        assert!(call.err.contains("1 “Mine”, 2 “Town”"), "{args:?}: {}", call.err);
        assert_eq!(call.out, "", "{args:?}");
    };
    let filters = [
        "selected:yes",
        "NOT selected:yes",
        "-selected:yes",
        "export:no",
        "score>0.5",
        "saved:x",
        "vetoed:no",
        "byhand:no",
    ];
    for filter in filters.into_iter().chain(["host:a OR (requisite:yes)", "found:\"x selected:yes\""]) {
        refused(&["captures", w, filter]);
        refused(&["captures", w, filter, "--count"]);
        refused(&["search", w, filter, "--json"]);
        refused(&["search", w, filter, "--count", "--facets", "host"]);
        refused(&["search", w, filter, "--save", "mine"]);
        refused(&["mark", w, "reject", "--filter", filter]);
        refused(&["mark", w, "reject", "--filter", filter, "--dry-run"]);
        refused(&["collections", "add", w, "All", "--filter", filter]);
        refused(&["collections", "remove", w, "All", "--filter", filter]);
        refused(&["judge", w, "right", filter, "--id", "1"]);
        refused(&["judge", w, "right", "x", "--filter", filter]);
    }
    refused(&["captures", w, "--sort", "score"]);
    refused(&["search", w, "--facets", "term"]);
    refused(&["export", w, "--out", arg(&dir.path().join("out"))]);
    assert_eq!(count(&folder, &["mark:none"]), 5, "something was decided");
    assert_eq!(count(&folder, &["collection:All"]), 0);
    assert_eq!(fonds(&["search", w, "--list-saved"]).with_status(0).out, "");

    // What is asked of one of them has an answer, and all else as before.
    assert_eq!(count(&folder, &["selected:yes", "--campaign", "Mine"]), 3);
    assert_eq!(count(&folder, &["NOT selected:yes", "--campaign", "Town"]), 2);
    assert_eq!(count(&folder, &["found:\"NOT selected:yes\"", "--campaign", "Mine"]), 0);
    assert_eq!(count(&folder, &[]), 5);
    fonds(&["mark", w, "reject", "--filter", "NOT selected:yes", "--campaign", "Mine", "--dry-run"])
        .with_status(2)
        .with_message("finds no capture");
    fonds(&["judge", w, "right", "selected:yes", "--id", "1", "--campaign", "Mine"]).with_status(0);
    // With one campaign nobody has to name it.
    fonds(&["campaign", "delete", w, "Town"]).with_status(0);
    assert_eq!(count(&folder, &["selected:yes"]), 3);
    assert_eq!(count(&folder, &["NOT selected:yes"]), 0, "what is of no campaign is not among those of this one");
}

#[test]
fn an_empty_filter_changes_nothing_and_a_query_may_begin_with_a_hyphen() {
    let dir = tempfile::tempdir().unwrap();
    let folder = two_campaigns(dir.path());
    let w = arg(&folder);
    fonds(&["collections", "save", w, "All"]).with_status(0);
    for empty in ["", "  "] {
        for args in [
            vec!["mark", w, "reject", "--filter", empty],
            vec!["mark", w, "reject", "--filter", empty, "--url", "http://mine.example/0"],
            vec!["collections", "add", w, "All", "--filter", empty],
            vec!["collections", "remove", w, "All", "--filter", empty],
            vec!["collections", "save", w, "Other", "--campaign", "1", "--filter", empty],
            vec!["select", "run", w, "1", "--filter", empty],
            vec!["select", "preview", w, "1", "--filter", empty],
            vec!["judge", w, "right", "x", "--filter", empty],
            vec!["search", w, empty, "--save", "mine"],
        ] {
            let call = fonds(&args).with_status(2);
            assert!(call.err.contains("empty"), "{args:?}: {}", call.err);
        }
        assert_eq!(count(&folder, &[empty]), 5, "a list without a filter");
    }
    assert_eq!(count(&folder, &["mark:none"]), 5);
    // Left out, it means what it meant.
    fonds(&["select", "run", w, "1", "--threshold", "0"]).with_status(0);

    assert_eq!(count(&folder, &["-host:town.example"]), 3);
    let found = fonds(&["search", w, "-host:town.example", "--count", "--json"]).with_status(0).json_lines();
    assert_eq!(found[0]["captures"], 3);
    fonds(&["search", w, "--count", "--facets", "host", "-host:town.example"]).with_status(0);
    let marked = fonds(&["mark", w, "flag", "--filter", "-host:town.example", "--json"]).with_status(0).json_lines();
    assert_eq!(marked[0]["captures"].as_array().unwrap().len(), 3);
    fonds(&["collections", "add", w, "All", "--filter", "-host:town.example"]).with_status(0);
    fonds(&["judge", w, "right", "-football", "--filter", "-host:town.example"]).with_status(0);
    fonds(&["evaluate", w, "-football"]).with_status(0);
    // A slip of the keys is no query.
    fonds(&["captures", w, "--cuont"]).with_status(2).with_message("no such option");
    fonds(&["mark", w, "reject", "--filter", "--dry-run"]).with_status(2).with_message("the query is missing");
}

#[test]
fn imports_belong_to_a_campaign_or_to_none_in_every_number() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("w");
    let w = arg(&folder);
    fonds(&["new", w]).with_status(0);
    let import = |host: &str, pages: usize, more: &[&str]| {
        let warc = archive(dir.path(), host, pages);
        let mut args = vec!["import", w, arg(&warc)];
        args.extend(more);
        fonds(&args)
    };
    // To none where there is none, then to the only one, then somebody has to say.
    import("early.example", 4, &[]).with_status(0).with_message("of no campaign");
    add_campaign(&folder, &campaign("Mine")).with_status(0).with_message("4 captures belong to no campaign");
    import("mine.example", 3, &[]).with_status(0).with_message("of campaign 1 “Mine”");
    add_campaign(&folder, &campaign("Town")).with_status(0);
    let refused =
        import("town.example", 2, &[]).with_status(2).with_message("1 “Mine”, 2 “Town”").with_message("--campaign");
    assert_eq!((refused.out.as_str(), count(&folder, &[])), ("", 7), "something came in");
    import("town.example", 2, &["--campaign", "3"]).with_status(2);
    import("town.example", 2, &["--campaign", "Town"]).with_status(0);
    import("other.example", 1, &["--campaign", "none"]).with_status(0);

    let has = |expected: [u64; 3]| {
        let rows = fonds(&["campaign", "list", w, "--json"]).with_status(0).json_lines();
        for (row, (id, captures)) in rows.iter().zip([("1", expected[0]), ("2", expected[1])]) {
            assert_eq!((&row["captures"], &row["to_review"]), (&json!(captures), &json!(captures)), "{row}");
            assert_eq!(count(&folder, &["--campaign", id]), captures);
            assert_eq!(count(&folder, &[&format!("campaign:{id}")]), captures);
            let facets = ["search", w, "", "--campaign", id, "--count", "--json", "--facets", "campaign,host"];
            let lines = fonds(&facets).with_status(0).json_lines();
            let of = |facet: &str| {
                let lines = lines.iter().filter(|line| line["facet"] == facet);
                lines.map(|line| line["captures"].as_u64().unwrap()).sum::<u64>()
            };
            assert_eq!((&lines[0]["captures"], of("campaign"), of("host")), (&json!(captures), captures, captures));
            fonds(&["select", "run", w, id, "--filter", "*", "--allow-empty"]).with_status(0);
            let selected = fonds(&["select", "list", w, id, "--json"]).with_status(0).json_lines();
            assert_eq!(selected.iter().filter(|row| row["selected"] == true).count() as u64, captures);
            let out = tempfile::tempdir_in(dir.path()).unwrap().keep();
            let export = fonds(&["export", w, "--campaign", id, "--out", arg(&out), "--json"]);
            match captures {
                0 => assert_eq!(export.status, 2),
                _ => assert_eq!(export.with_status(0).json_lines()[0]["captures"], captures),
            }
        }
        assert_eq!(count(&folder, &["campaign:none"]), expected[2]);
        assert_eq!(count(&folder, &[]), 10);
    };
    has([3, 2, 5]);
    // One campaign's captures are no concern of the other one's.
    assert_eq!(count(&folder, &["host:town.example", "--campaign", "1"]), 0);

    let imports = fonds(&["files", "imports", w, "--json"]).with_status(0).json_lines();
    let belong: Vec<_> = imports.iter().rev().map(|import| import["campaign"].clone()).collect();
    assert_eq!(belong, [Value::Null, json!(1), json!(2), Value::Null]);
    let number = |at: usize| imports[imports.len() - 1 - at]["launch"].to_string();
    let assigned = fonds(&["files", "assign", w, &number(0), "Mine", "--json"]).with_status(0).json_lines();
    assert_eq!((&assigned[0]["captures"], &assigned[0]["before"]), (&json!(4), &Value::Null));
    has([7, 2, 1]);
    // What another campaign gets leaves the selection of the one before.
    let assigned = fonds(&["files", "assign", w, &number(1), "2", "--json"]).with_status(0).json_lines();
    assert_eq!((&assigned[0]["captures"], &assigned[0]["unselected"]), (&json!(3), &json!(3)));
    assert_eq!(count(&folder, &["selected:yes", "--campaign", "1"]), 4);
    has([4, 5, 1]);
    fonds(&["files", "assign", w, &number(0), "none"]).with_status(0);
    fonds(&["files", "assign", w, &number(0), "none"]).with_status(0);
    has([0, 5, 5]);
    fonds(&["files", "assign", w, "99", "1"]).with_status(2);
    fonds(&["files", "assign", w, &number(0), "9"]).with_status(2);
    // The same file again belongs to where it is, and brings nothing.
    import("town.example", 2, &["--campaign", "1"]).with_status(0);
    has([0, 5, 5]);
}

#[test]
fn imports_with_their_own_campaign_keep_it_without_a_question() {
    let dir = tempfile::tempdir().unwrap();
    let folder = two_campaigns(dir.path());
    let handover = dir.path().join("handover");
    fonds(&["export", arg(&folder), "--campaign", "Mine", "--out", arg(&handover)]).with_status(0);
    let other = dir.path().join("other");
    let w = arg(&other);
    fonds(&["new", w]).with_status(0);
    add_campaign(&other, &campaign("First")).with_status(0);
    add_campaign(&other, &campaign("Second")).with_status(0);
    fonds(&["import", w, arg(&handover)]).with_status(0);
    assert_eq!(count(&other, &["--campaign", "Mine"]), 3);
    // Whatever is chosen for files that bring none.
    let third = dir.path().join("third");
    let w = arg(&third);
    fonds(&["new", w]).with_status(0);
    add_campaign(&third, &campaign("First")).with_status(0);
    let late = archive(dir.path(), "late.example", 2);
    fonds(&["import", w, arg(&handover), arg(&late), "--campaign", "First"]).with_status(0);
    assert_eq!((count(&third, &["--campaign", "Mine"]), count(&third, &["--campaign", "First"])), (3, 2));
    // What came before for another campaign stays there, and is named.
    let fourth = dir.path().join("fourth");
    let w = arg(&fourth);
    fonds(&["new", w]).with_status(0);
    add_campaign(&fourth, &campaign("First")).with_status(0);
    fonds(&["import", w, arg(&handover.join("data/archive"))]).with_status(0);
    fonds(&["import", w, arg(&handover)])
        .with_status(0)
        .with_message("3 captures of it came before, and stay with campaign 1 “First”");
    // Nothing comes in where somebody has to be asked.
    fonds(&["import", arg(&other), arg(&handover), arg(&late)]).with_status(2).with_message("Nothing was imported");
}

#[test]
fn a_campaign_that_is_added_twice_is_not_saved_unseen() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("w");
    let w = arg(&folder);
    fonds(&["new", w]).with_status(0);
    add_campaign(&folder, &campaign("Mine")).with_status(0);
    let listed = || fonds(&["campaign", "list", w, "--json"]).with_status(0).json_lines().len();
    let mut edited = campaign("Mine");
    edited["description"] = json!("of today");
    for twice in [&campaign("Mine"), &edited] {
        add_campaign(&folder, twice)
            .with_status(2)
            .with_message("--id 1")
            .with_message("--as-new")
            .with_message("campaign 1 “Mine”");
    }
    let mut exported: Value = serde_json::from_str(&fonds(&["campaign", "export", w, "1"]).with_status(0).out).unwrap();
    exported["name"] = json!("Renamed");
    add_campaign(&folder, &exported).with_status(2).with_message("the same identity");
    assert_eq!(listed(), 1, "something was saved");
    fonds_with(&["campaign", "add", w, "-", "--id", "1"], edited.to_string().as_bytes()).with_status(0);
    assert_eq!(listed(), 1);
    fonds_with(&["campaign", "add", w, "-", "--as-new"], edited.to_string().as_bytes()).with_status(0);
    assert_eq!(listed(), 2);
}

/// A workspace with the sample campaign, of which some pages were crawled.
fn crawled(dir: &Path) -> PathBuf {
    let folder = dir.join("w");
    let session = Workspaces::new().open_sample(&folder).unwrap().1;
    let mut campaign = session.catalogue().campaign_page(CampaignId::new(1)).unwrap().campaign;
    campaign.limits.max_documents = 12;
    session.save_campaign(Some(CampaignId::new(1)), &campaign).unwrap();
    drop(session);
    fonds(&["crawl", arg(&folder), "1"]);
    folder
}

#[test]
fn launches_are_listed_and_a_new_version_reports_whether_it_reaches_them() {
    let dir = tempfile::tempdir().unwrap();
    let folder = crawled(dir.path());
    let w = arg(&folder);
    let launches = || fonds(&["launches", w, "--json"]).with_status(0).json_lines();
    let first = &launches()[0];
    assert_eq!(
        (&first["campaign"], &first["version"], &first["state"]),
        (&json!(1), &json!(2), &json!("stopped")),
        "at its limit"
    );
    assert!(first["fetched"].as_u64().unwrap() >= 12 && first["outcome"].is_string(), "{first}");
    let name = first["launch"].as_str().unwrap();
    let listed = fonds(&["launches", w]).with_status(0).out;
    assert!(listed.starts_with(name) && listed.contains(" v2\t") && listed.contains(" fetched, "), "{listed}");
    fonds(&["events", w, name]);
    assert_eq!(count(&folder, &[&format!("launch:{name}")]), count(&folder, &[]));
    fonds(&["events", w, "20000101000000"]).with_status(2).with_message("fonds launches");

    // While it runs, a new version is not for it.
    let session = Session::new(Workspace::open(&folder).unwrap());
    let id = CampaignId::new(1);
    session.catalogue().begin_launch(id, "again", fonds::uri::CaptureDate::now()).unwrap();
    assert_eq!(session.unfinished_crawl_line(id, 2).unwrap(), None);
    let mut campaign = session.catalogue().campaign_page(id).unwrap().campaign;
    campaign.description = "more".to_owned();
    let (_, version) = session.save_campaign(Some(id), &campaign).unwrap();
    let line = session.unfinished_crawl_line(id, version).unwrap().unwrap();
    assert!(line.contains("goes on with version 2. Apply version 3 to it on the page Crawl"), "{line}");
    drop(session);
    // Ended by a kill, it would be resumed with what is saved then.
    let stopped = &launches()[0];
    assert_eq!((&stopped["state"], &stopped["version"]), (&json!("stopped"), &json!(2)), "{stopped}");
    let mut exported: Value = serde_json::from_str(&fonds(&["campaign", "export", w, "1"]).with_status(0).out).unwrap();
    exported["description"] = json!("even more");
    fonds_with(&["campaign", "add", w, "-", "--id", "1"], exported.to_string().as_bytes())
        .with_status(0)
        .with_message("was stopped ran version 2; when it is resumed its queue is judged by version 4");
    assert_eq!(launches().len(), 2);
    assert_eq!(fonds(&["launches", w, "--campaign", "9"]).status, 2);
}

#[test]
fn a_deleted_campaign_leaves_its_captures_and_what_explains_them() {
    let dir = tempfile::tempdir().unwrap();
    let folder = crawled(dir.path());
    let w = arg(&folder);
    fonds(&["select", "run", w, "1", "--filter", "*"]).with_status(0);
    fonds(&["select", "save", w, "1", "First"]).with_status(0);
    fonds(&["collections", "save", w, "All", "--campaign", "1", "--filter", "*"]).with_status(0);
    let (all, row) = (count(&folder, &[]), fonds(&["captures", w, "--json", "--limit", "3"]).json_lines()[2].clone());
    let url = row["url"].as_str().unwrap();
    fonds(&["mark", w, "approve", "--url", url, "--by", "Ana"]).with_status(0);
    let why = |args: &str| {
        let output = fonds(&["why", w, url]).with_status(0).out;
        assert!(output.contains(args), "{args}: {output}");
    };
    why("approved by Ana");

    let preview = fonds(&["campaign", "delete", w, "1", "--preview", "--json"]).with_status(0).json_lines().remove(0);
    assert_eq!(
        (&preview["captures"], &preview["crawls"], &preview["saved_selections"]),
        (&json!(all), &json!(1), &json!(1))
    );
    let preview = fonds(&["campaign", "delete", w, "1", "--preview"]).with_status(0).out;
    assert!(preview.contains("1 saved selection") && preview.contains(&format!("stays: {all} captures")), "{preview}");
    assert_eq!(fonds(&["campaign", "list", w, "--json"]).json_lines().len(), 1, "a preview deletes nothing");

    fonds(&["campaign", "delete", w, "1"]).with_status(0);
    assert_eq!(fonds(&["campaign", "list", w, "--json"]).with_status(0).json_lines(), Vec::<Value>::new());
    fonds(&["campaign", "list", w]).with_status(0).with_message(&format!("{all} captures belong to no campaign"));
    assert_eq!(
        (count(&folder, &[]), count(&folder, &["campaign:none"]), count(&folder, &["collection:All"])),
        (all, all, all)
    );
    assert_eq!(count(&folder, &["mark:approve"]), 1);
    why("approved by Ana");
    assert_eq!(fonds(&["launches", w, "--json"]).with_status(0).json_lines().len(), 1);
    for args in [vec!["campaign", "show", w, "1"], vec!["crawl", w, "1"], vec!["campaign", "activate", w, "1"]] {
        fonds(&args).with_status(2).with_message("no campaign");
    }
    fonds(&["schedule", "next", w]).with_status(1);
    // A new one of its title is another one.
    add_campaign(&folder, &campaign("Mine")).with_status(0);
    assert_eq!(count(&folder, &["--campaign", "Mine"]), 0);
}
