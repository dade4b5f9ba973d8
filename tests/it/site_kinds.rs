//! Kinds of sites: recognised, found by field and facet, exported, and changed by a file of the workspace.

use crate::archive::{field, file, knowledge_of, page, records, warcs_under};
use crate::program::{arg, fonds, fonds_with};
use serde_json::Value;
use std::path::{Path, PathBuf};

const WIKI: &str = "<meta name=generator content='MediaWiki 1.43.0'><title>Ria</title><p>A wiki about the lagoon";
const JOOMLA: &str = "<meta name=generator content='Joomla! 5'><title>Town</title><p>News of the town";
const ABOUT: &str = "<title>About</title><p>How a wiki with MediaWiki 1.43.0 is made, class=mediawiki";

fn workspace(dir: &Path) -> PathBuf {
    let workspace = dir.join("w");
    let date = "2024-03-01T09:00:30Z";
    let pages = [
        page("http://wiki.pt/Ria", date, WIKI),
        page("http://wiki.pt/index.php?title=Ria&action=edit", date, &WIKI.replace("about", "editing")),
        page("http://town.pt/", date, JOOMLA),
        page("http://about.pt/", date, ABOUT),
    ];
    fonds(&["new", arg(&workspace)]).with_status(0);
    let campaign = fonds(&["campaign", "example"]).with_status(0).out;
    fonds_with(&["campaign", "add", arg(&workspace), "-"], campaign.as_bytes()).with_status(0);
    fonds(&["import", arg(&workspace), arg(&file(dir, "a.warc.gz", &pages))]).with_status(0);
    workspace
}

fn urls(workspace: &Path, filter: &str) -> Vec<String> {
    let lines = fonds(&["captures", arg(workspace), filter, "--json"]).with_status(0).json_lines();
    let mut urls: Vec<String> = lines.iter().map(|line| line["url"].as_str().unwrap().to_owned()).collect();
    urls.sort();
    urls
}

#[test]
fn a_kind_is_a_field_a_facet_and_a_part_of_the_export() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = workspace(dir.path());
    let why = fonds(&["captures", arg(&workspace), "kind:mediawiki"]).with_status(2).err;
    assert!(why.contains("there is no text index; build it: fonds index"), "{why}");
    fonds(&["index", arg(&workspace)]).with_status(0);
    let wiki = ["http://wiki.pt/Ria", "http://wiki.pt/index.php?title=Ria&action=edit"];
    assert_eq!(urls(&workspace, "kind:mediawiki"), wiki);
    assert_eq!(urls(&workspace, "kind:MediaWiki"), wiki);
    assert_eq!(urls(&workspace, "kind:*"), wiki);
    assert_eq!(urls(&workspace, "NOT kind:*"), ["http://about.pt/", "http://town.pt/"]);
    assert_eq!(urls(&workspace, "kind:drupal"), Vec::<String>::new());
    let found = fonds(&["search", arg(&workspace), "lagoon kind:mediawiki", "--json"]).with_status(0).out;
    assert!(found.contains("http://wiki.pt/Ria"), "{found}");
    let facets = fonds(&["search", arg(&workspace), "lagoon", "--facets", "kind"]).with_status(0);
    assert!(facets.out.contains("mediawiki"), "{}", facets.out);

    let sites = fonds(&["sites", arg(&workspace), "--json"]).with_status(0).json_lines();
    assert_eq!(sites.len(), 1, "{sites:?}");
    assert_eq!((&sites[0]["host"], &sites[0]["label"]), (&"wiki.pt".into(), &"MediaWiki".into()));
    assert_eq!(sites[0]["pages"], serde_json::json!([2, 2]));
    assert_eq!(sites[0]["evidence"], serde_json::json!(["generator MediaWiki"]));

    fonds(&["files", "assign", arg(&workspace), "1", "1"]).with_status(0);
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    fonds(&["select", "run", arg(&workspace), "1", "--filter", "kind:mediawiki OR host:about.pt"]).with_status(0);
    let out = dir.path().join("out");
    fonds(&["export", arg(&workspace), "--out", arg(&out)]).with_status(0);
    fonds(&["verify", arg(&out)]).with_status(0);
    let mut kinds = Vec::new();
    for record in records(&warcs_under(&out)[0]) {
        if record.head.record_type.as_str() == "metadata" && field(&record, "Content-Type") == "application/json" {
            let metadata: Value = serde_json::from_slice(&record.block).unwrap();
            kinds.push(metadata["siteKinds"].clone());
        }
    }
    kinds.sort_by_key(Value::to_string);
    assert_eq!(kinds, [serde_json::json!(["mediawiki"]), serde_json::json!(["mediawiki"]), Value::Null]);
    assert_eq!(knowledge_of(&out).matches("<urn:fonds:ns:siteKind> \"mediawiki\"").count(), 2);
    let report = std::fs::read_to_string(out.join("report.md")).unwrap();
    assert!(report.contains("Kind of site") && report.contains("mediawiki"), "{report}");
}

#[test]
fn a_file_of_the_workspace_adds_kinds_and_a_wrong_one_is_refused_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = workspace(dir.path());
    fonds(&["index", arg(&workspace)]).with_status(0);
    assert_eq!(urls(&workspace, "kind:joomla"), Vec::<String>::new());
    let own = workspace.join("site-kinds.json");
    std::fs::write(&own, "{ \"kinds\": [{ \"name\": \"joomla\" }] }").unwrap();
    for command in ["index", "sites"] {
        let why = fonds(&[command, arg(&workspace)]).err;
        assert!(why.contains("site-kinds.json: line 1") && why.contains("missing field `label`"), "{command}: {why}");
        assert!(why.contains("Mend the file, or take it away"), "{command}: {why}");
    }
    let joomla = serde_json::json!({ "kinds": [{
        "name": "joomla", "label": "Joomla", "skip": ["[?&]tmpl=component"],
        "signs": [{ "in": "generator", "text": "Joomla", "points": 100 }],
    }] });
    std::fs::write(&own, joomla.to_string()).unwrap();
    let kinds: Value = serde_json::from_str(&fonds(&["sites", arg(&workspace), "--kinds"]).with_status(0).out).unwrap();
    let names: Vec<&str> = kinds["kinds"].as_array().unwrap().iter().map(|of| of["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"mediawiki") && names.last() == Some(&"joomla"), "{names:?}");
    let report = fonds(&["index", arg(&workspace)]).with_status(0);
    assert!(report.out.contains("the kinds of sites have other signs than before"), "{}", report.out);
    assert_eq!(urls(&workspace, "kind:joomla"), ["http://town.pt/"]);
    // An exclusion is no sign: nothing is read again for it.
    std::fs::write(&own, joomla.to_string().replace("tmpl=component", "tmpl=")).unwrap();
    assert!(!fonds(&["index", arg(&workspace)]).with_status(0).out.contains("from scratch"));
    let shown = fonds(&["sites", arg(&workspace), "--host", "town.pt", "--json"]).with_status(0).json_lines();
    assert_eq!(shown[0]["skip"], serde_json::json!(["[?&]tmpl="]));

    // What is accepted are rules like others.
    fonds(&["sites", arg(&workspace), "--campaign", "1", "--accept"]).with_status(0);
    let refused = |url: &str| fonds(&["scope", "test", arg(&workspace), "1", url]).out;
    let edit = refused("http://wiki.pt/index.php?title=Ria&action=edit");
    assert!(edit.starts_with("REJECT") && edit.contains("action=(edit|"), "{edit}");
    let again = fonds(&["sites", arg(&workspace), "--campaign", "1", "--accept"]).with_status(0).out;
    assert!(again.starts_with("0 rules"), "{again}");
}
