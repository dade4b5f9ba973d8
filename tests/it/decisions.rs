//! Decisions of others: which captures they reach, where they are shown to be from,
//! and that they leave as what they came.

use crate::archive::{file, page, warcs_under};
use crate::handover::put;
use crate::program::{CallResult, arg, fonds, fonds_with};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A workspace with a campaign and these pages, each of its own file.
fn archive(dir: &Path, name: &str, urls: &[&str]) -> PathBuf {
    let folder = dir.join(name);
    fonds(&["new", arg(&folder)]).with_status(0);
    let example = fonds(&["campaign", "example"]).with_status(0).out.replace("My first campaign", name);
    fonds_with(&["campaign", "add", arg(&folder), "-"], example.as_bytes()).with_status(0);
    for (number, url) in urls.iter().enumerate() {
        let captured = page(url, "2024-03-01T09:00:30Z", &format!("<p>{url}"));
        let warc = file(dir, &format!("{name}-{number}.warc.gz"), &[captured]);
        fonds(&["import", arg(&folder), arg(&warc)]).with_status(0);
    }
    folder
}

fn mark(workspace: &Path, mark: &str, url: &str, by: &str) {
    fonds(&["mark", arg(workspace), mark, "--url", url, "--by", by, "--reason", "so"]).with_status(0);
}

fn export_handover(workspace: &Path, campaign: &str, to: &str) -> PathBuf {
    let out = workspace.with_file_name(to);
    fonds(&["select", "run", arg(workspace), campaign, "--filter", "*", "--allow-empty"]).with_status(0);
    fonds(&["export", arg(workspace), "--campaign", campaign, "--out", arg(&out)]).with_status(0);
    fonds(&["verify", arg(&out)]).with_status(0);
    out
}

fn import(workspace: &Path, what: &Path) -> CallResult {
    fonds(&["import", arg(workspace), arg(what)])
}

fn why(workspace: &Path, url: &str) -> String {
    fonds(&["why", arg(workspace), url]).with_status(0).out
}

fn marked(workspace: &Path, filter: &str) -> String {
    fonds(&["captures", arg(workspace), filter, "--count"]).with_status(0).out.trim().to_owned()
}

fn annotations(workspace: &Path) -> Vec<Value> {
    fonds(&["annotations", "export", arg(workspace)]).with_status(0).json_lines()
}

fn lines_of(handover: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(handover.join("data/decisions.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The same without where each is from.
fn without_source(mut lines: Vec<Value>) -> Vec<Value> {
    lines.iter_mut().for_each(|line| drop(line.as_object_mut().unwrap().shift_remove("via")));
    lines
}

/// A decision in the name of a person of the receiver, later than all that will ever be decided.
fn forged(id: u32, value: &str, url: &str) -> Value {
    json!({
        "@context": ["http://www.w3.org/ns/anno.jsonld", { "fonds": "urn:fonds:ns:" }],
        "id": format!("urn:uuid:00000000-0000-8000-8000-{id:012}"), "type": "Annotation", "motivation": "assessing",
        "creator": { "type": "Person", "name": "Me" }, "created": "2099-01-01T00:00:00Z",
        "body": [{ "type": "TextualBody", "purpose": "assessing", "value": value }],
        "target": { "type": "SpecificResource", "source": url,
            "state": { "type": "TimeState", "sourceDate": "2024-03-01T09:00:30Z" } },
    })
}

/// Writes these decisions into a handover, with manifest and digests to match.
fn forge(handover: &Path, decisions: &[Value]) {
    let text: String = decisions.iter().map(|line| format!("{line}\n")).collect();
    put(handover, "data/decisions.jsonl", text.as_bytes());
    let mut manifest: Value = serde_json::from_slice(&std::fs::read(handover.join("manifest.json")).unwrap()).unwrap();
    manifest["attachments"]["data/decisions.jsonl"] = decisions.len().into();
    std::fs::write(handover.join("manifest.json"), manifest.to_string()).unwrap();
}

const MINE: &str = "http://mine.pt/";
const ALSO_MINE: &str = "http://also-mine.pt/";
const THEIRS: &str = "http://theirs.pt/";
const LATER: &str = "http://later.pt/";

#[test]
fn decisions_of_a_handover_reach_only_captures_that_came_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let victim = archive(dir.path(), "victim", &[MINE, ALSO_MINE]);
    mark(&victim, "approve", ALSO_MINE, "Me");
    let handover = export_handover(&archive(dir.path(), "evil", &[THEIRS]), "1", "hx");
    let mut judged = forged(4, "wrong", MINE);
    judged["body"][0]["fonds:query"] = "mine".into();
    let note = json!({ "id": "urn:x:note", "creator": "Me", "created": "2099-01-01T00:00:00Z", "target": MINE, "body": "Mine says so" });
    let decisions = [
        forged(1, "reject", MINE),
        forged(2, "reject", ALSO_MINE),
        forged(3, "approve", THEIRS),
        judged,
        note,
        forged(5, "reject", LATER),
    ];
    forge(&handover, &decisions);
    for _ in 0..2 {
        let imported = import(&victim, &handover).with_status(1);
        let text = imported.out + &imported.err;
        assert!(text.contains("4 left out since their captures are not in the handover"), "{text}");
        assert!(text.contains("Rejected by Me: http://mine.pt/") && text.contains("and 1 more"), "{text}");
        assert!(text.contains("annotations import"), "{text}");
    }
    let report = fonds(&["import", arg(&victim), arg(&handover), "--json"]).with_status(1).json_lines();
    let of_handover = report.iter().find(|line| line["handover"] == "hx").unwrap();
    assert_eq!(of_handover["annotations"]["on_other_captures"], 4, "{of_handover}");
    assert_eq!(of_handover["annotations"]["on_other_examples"].as_array().unwrap().len(), 3);
    assert_eq!(marked(&victim, "mark:reject"), "0");
    assert!(why(&victim, MINE).contains("not reviewed"));
    assert!(why(&victim, ALSO_MINE).contains("approved by Me: so"));
    assert!(!annotations(&victim).iter().any(|line| line["id"] == "urn:x:note"));
    assert_eq!(fonds(&["evaluate", arg(&victim), "--json"]).out.trim(), "", "no judgement came in");
    // That on what it brought comes in, and says in each list where it is from.
    assert!(why(&victim, THEIRS).contains("approved by Me (from hx)"), "{}", why(&victim, THEIRS));
    let rows = fonds(&["captures", arg(&victim), "--json"]).json_lines();
    let origin_of = |url: &str| rows.iter().find(|row| row["url"] == url).unwrap()["decision_origin"].clone();
    assert_eq!((origin_of(THEIRS), origin_of(ALSO_MINE), origin_of(MINE)), (json!("hx"), Value::Null, Value::Null));
    let listed = fonds(&["captures", arg(&victim), "mark:approve"]).with_status(0).out;
    assert!(listed.contains("approve (from hx)") && listed.contains("\tapprove\t"), "{listed}");
    fonds(&["select", "run", arg(&victim), "2", "--filter", "*"]).with_status(0);
    let list = fonds(&["select", "list", arg(&victim), "2"]).with_status(0).out;
    assert!(list.contains("approved (from hx)"), "{list}");
    let scored = fonds(&["select", "list", arg(&victim), "2", "--json"]).with_status(0).json_lines();
    assert!(scored.iter().any(|row| row["url"] == THEIRS && row["decision_origin"] == "hx"), "{scored:?}");

    // What comes otherwise is not decided about by it either, and who gets both is not misled.
    let later = file(dir.path(), "later.warc.gz", &[page(LATER, "2024-03-01T09:00:30Z", "<p>Later")]);
    fonds(&["import", arg(&victim), arg(&later), "--campaign", "none"]).with_status(0);
    assert!(why(&victim, LATER).contains("not reviewed"));
    let third = archive(dir.path(), "third", &[]);
    import(&third, &export_handover(&victim, "1", "of-victim"));
    assert_eq!((marked(&third, "mark:reject"), marked(&third, "mark:approve")), ("0".to_owned(), "1".to_owned()));
    assert!(why(&third, ALSO_MINE).contains("approved by Me (from of-victim): so"));

    // A person who wants them takes them in, and sees where they are from.
    let file = handover.join("data/decisions.jsonl");
    let taken = fonds(&["annotations", "import", arg(&victim), arg(&file)]).with_status(0).out;
    assert!(taken.contains("5 new"), "{taken}");
    assert!(why(&victim, MINE).contains("rejected by Me (from decisions.jsonl)"), "{}", why(&victim, MINE));
    assert!(why(&victim, ALSO_MINE).contains("approved by Me: so"), "what was decided here holds");
    assert!(why(&victim, LATER).contains("rejected by Me (from decisions.jsonl)"));
}

#[test]
fn decisions_reach_captures_that_were_here_already_where_the_handover_has_them_too() {
    let dir = tempfile::tempdir().unwrap();
    let ours = archive(dir.path(), "ours", &[MINE, ALSO_MINE]);
    mark(&ours, "approve", ALSO_MINE, "Ana");
    let first = export_handover(&ours, "1", "first");
    let theirs = archive(dir.path(), "theirs", &[]);
    // The files first, then the handover.
    fonds(&["import", arg(&theirs), arg(&warcs_under(&first)[0]), "--campaign", "none"]).with_status(0);
    import(&theirs, &first).with_status(0);
    assert!(why(&theirs, ALSO_MINE).contains("approved by Ana (from first): so"));
    mark(&theirs, "flag", MINE, "Bea");
    mark(&theirs, "reject", ALSO_MINE, "Bea");
    assert!(why(&theirs, ALSO_MINE).contains("rejected by Bea: so"));
    fonds(&["mark", arg(&theirs), "clear", "--url", ALSO_MINE, "--by", "Bea"]).with_status(0);
    let back = export_handover(&theirs, "2", "back");
    // One's own captures come back with what others decided; own decisions are known, and hold.
    for added in ["3 new, 1 here already", "0 new, 4 here already", "0 new, 4 here already"] {
        import(&ours, &back).with_status(0).with_message(added);
    }
    assert!(why(&ours, MINE).contains("flagged by Bea (from back): so"), "{}", why(&ours, MINE));
    assert!(why(&ours, ALSO_MINE).contains("approved by Ana: so"), "{}", why(&ours, ALSO_MINE));
    let lines = annotations(&ours);
    let of = |name: &str| lines.iter().find(|line| line["creator"]["name"] == name).unwrap();
    assert_eq!((&of("Ana")["via"], &of("Bea")["via"]), (&Value::Null, &json!(["urn:fonds:source:back"])));
    // Whoever gets it from here sees what held here, though Bea's is later; and each hand it went through.
    let third = archive(dir.path(), "third", &[]);
    let again = export_handover(&ours, "1", "again");
    import(&third, &again).with_status(0);
    assert!(why(&third, ALSO_MINE).contains("approved by Ana (from again): so"), "{}", why(&third, ALSO_MINE));
    let lines = annotations(&third);
    let bea = lines.iter().find(|line| line["creator"]["name"] == "Bea").unwrap();
    assert_eq!(bea["via"], json!(["urn:fonds:source:again", "urn:fonds:source:back"]));
    // Report, metadata records and graph of an export say it as well.
    let report = std::fs::read_to_string(again.join("report.md")).unwrap();
    assert!(
        report.contains("| Flagged | so | back | 1 | 0 |") && report.contains("| Approved | so |  | 1 | 0 |"),
        "{report}"
    );
    let origins: Vec<(Value, Value)> = warcs_under(&again)
        .iter()
        .flat_map(|file| crate::archive::records(file))
        .filter(|record| {
            let target = record.head.headers.get("WARC-Target-URI").unwrap_or_default();
            target.starts_with("urn:fonds:export:")
        })
        .flat_map(|record| {
            let known: Value = serde_json::from_slice(&record.block).unwrap();
            known["annotations"].as_array().unwrap().clone()
        })
        .map(|of| (of["who"].clone(), of["origin"].clone()))
        .collect();
    assert!(
        origins.contains(&(json!("Bea"), json!("back"))) && origins.contains(&(json!("Ana"), Value::Null)),
        "{origins:?}"
    );
    let graph = crate::archive::knowledge_of(&again);
    let quoted = "<http://www.w3.org/ns/prov#wasQuotedFrom> <urn:fonds:source:back> <urn:fonds:marks>";
    assert_eq!(graph.matches(quoted).count(), 3, "{graph}");
}

/// The rows of the decisions of a report, but for where they are from.
fn decisions_in_report(handover: &Path) -> Vec<String> {
    let report = std::fs::read_to_string(handover.join("report.md")).unwrap();
    let part = report.split("## Decisions of reviewers").nth(1).unwrap().split("\n## ").next().unwrap().to_owned();
    let mut rows: Vec<String> = part
        .lines()
        .filter(|line| line.starts_with("| "))
        .skip_while(|line| !line.starts_with("| Decision "))
        .map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            [cells[1], cells[2], cells[4], cells[5]].join(" | ")
        })
        .collect();
    rows.sort();
    let excluded = report.lines().find(|line| line.contains("Excluded by hand")).unwrap().to_owned();
    rows.push(excluded);
    rows
}

#[test]
fn tags_and_decisions_on_hosts_targets_and_links_survive_two_handovers() {
    let dir = tempfile::tempdir().unwrap();
    let ours = archive(dir.path(), "ours", &[MINE, ALSO_MINE, THEIRS]);
    let assessed = |id: &str, target: Value| {
        json!({ "id": id, "type": "Annotation", "motivation": "assessing", "created": "2024-05-01T09:00:00Z",
            "creator": { "type": "Person", "name": "Rui" }, "target": target,
            "body": [{ "type": "TextualBody", "purpose": "assessing", "value": "reject" },
                { "type": "TextualBody", "purpose": "commenting", "value": "not ours" }] })
    };
    let host = "http://host.example";
    let identity = format!(
        "urn:uuid:{}",
        fonds(&["campaign", "list", arg(&ours), "--json"]).json_lines()[0]["identity"].as_str().unwrap()
    );
    let link =
        json!({ "source": MINE, "selector": { "type": "CssSelector", "value": "a[href='http://out.example/']" } });
    let exact = json!({ "source": MINE, "state": { "type": "TimeState", "sourceDate": "2024-03-01T09:00:30Z" } });
    let mut tagged = assessed("urn:x:tagged", exact);
    tagged["motivation"] = "tagging".into();
    tagged["body"] = json!([{ "type": "TextualBody", "purpose": "tagging", "value": "festival" },
        { "type": "TextualBody", "purpose": "commenting", "value": "See page 3" }]);
    let hypothesis = json!({ "id": "aB3", "created": "2024-06-02T10:11:12.131415+00:00", "user": "acct:ana@hypothes.is",
        "uri": ALSO_MINE, "text": "", "tags": ["música", "1"], "target": [{ "source": ALSO_MINE }] });
    let given = [
        assessed("urn:x:host", json!(host)),
        assessed("urn:x:page", json!(MINE)),
        assessed("urn:x:target", json!(identity)),
        assessed("urn:x:link", link),
        tagged,
        hypothesis,
    ];
    let list = dir.path().join("given.json");
    std::fs::write(&list, json!(given).to_string()).unwrap();
    let taken = fonds(&["annotations", "import", arg(&ours), arg(&list)]).with_status(0).out;
    assert!(taken.contains("6 new"), "{taken}");
    // They are read where they belong, and decide about no capture.
    assert_eq!(marked(&ours, "mark:reject"), "0");
    mark(&ours, "reject", THEIRS, "Ana");
    mark(&ours, "approve", MINE, "Ana");

    let [first, second, third] = ["first", "second", "third"].map(|name| dir.path().join(name));
    let handovers = [export_handover(&ours, "1", "handover-1"), first.clone(), second.clone()];
    let mut before = handovers[0].clone();
    for (workspace, to) in [(&first, "handover-2"), (&second, "handover-3"), (&third, "handover-4")] {
        fonds(&["new", arg(workspace)]).with_status(0);
        import(workspace, &before).with_status(0);
        let next = export_handover(workspace, "1", to);
        assert_eq!(without_source(lines_of(&next)), without_source(lines_of(&before)), "{to}");
        assert_eq!(decisions_in_report(&next), decisions_in_report(&before), "{to}");
        before = next;
    }
    let lines = lines_of(&before);
    for of in &given {
        let mut line = lines.iter().find(|line| line["id"] == of["id"]).unwrap().clone();
        let via = line.as_object_mut().unwrap().shift_remove("via").unwrap();
        assert_eq!(&line, of);
        assert_eq!(via[0], "urn:fonds:source:handover-3");
        assert_eq!(via.as_array().unwrap().last().unwrap(), "urn:fonds:source:given.json");
    }
    let report = decisions_in_report(&before);
    assert!(
        report.contains(&"Rejected | not ours | 0 | 4".to_owned())
            && report.contains(&"Rejected | so | 1 | 0".to_owned()),
        "{report:#?}"
    );
    assert!(report.last().unwrap().contains('1'), "{report:#?}");
    let graph = crate::archive::knowledge_of(&before);
    for part in [
        "<urn:x:tagged#tag-0> <http://www.w3.org/1999/02/22-rdf-syntax-ns#value> \"festival\"",
        "<urn:x:tagged#tag-0> <http://www.w3.org/ns/oa#hasPurpose> <http://www.w3.org/ns/oa#tagging>",
        "<urn:x:host#target> <http://www.w3.org/ns/oa#hasSource> <http://host.example>",
        "<urn:x:page> <http://www.w3.org/ns/oa#hasBody> <urn:fonds:ns:reject>",
        "<urn:x:page> <http://www.w3.org/ns/oa#hasTarget> <urn:x:page#target>",
    ] {
        assert!(graph.contains(part), "{part} is missing: {graph}");
    }
}
