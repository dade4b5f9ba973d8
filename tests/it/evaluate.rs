//! Results of searches judged through the program: figures, other workspaces, programs of others.

use crate::archive::{file, page};
use crate::folders::copy_folder;
use crate::kill::start;
use crate::knowledge::python;
use crate::peers_formats::{EXPAND, against_shapes, validated};
use crate::program::{arg, fonds, fonds_with};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A workspace with pages that a search for “ship” finds in the order of their hosts, its numbers in that order.
fn ships(dir: &Path) -> (PathBuf, Vec<u64>) {
    let workspace = dir.join("w");
    let w = arg(&workspace);
    let pages: Vec<Vec<u8>> = (1..=7)
        .map(|nth| {
            // Texts of their own: those of near-duplicates are one result.
            let own: String = (0..40).map(|term| format!(" own{nth}x{term}")).collect();
            let html = format!("<title>Harbour {nth}</title><p>{} in a quiet harbour{own}", "ship ".repeat(10 - nth));
            page(&format!("http://h{nth}.pt/"), &format!("2024-03-0{nth}T09:00:00Z"), &html)
        })
        .collect();
    fonds(&["new", w]).with_status(0);
    let campaign = fonds(&["campaign", "example"]).with_status(0).out;
    fonds_with(&["campaign", "add", w, "-"], campaign.as_bytes()).with_status(0);
    fonds(&["import", w, arg(&file(dir, "a.warc.gz", &pages))]).with_status(0);
    fonds(&["index", w]).with_status(0);
    let found = fonds(&["search", w, "ship", "--json"]).with_status(0).json_lines();
    assert_eq!(found.len(), 7);
    (workspace, found.iter().map(|hit| hit["id"].as_u64().unwrap()).collect())
}

fn judge(workspace: &Path, judgement: &str, capture: u64, by: &str) {
    fonds(&["judge", arg(workspace), judgement, "ship", "--id", &capture.to_string(), "--by", by]).with_status(0);
}

/// Two judges: one who changes a mind, and one who agrees in part.
fn judged(dir: &Path) -> (PathBuf, Vec<u64>) {
    let (workspace, found) = ships(dir);
    for (nth, ana, rui) in [
        (0, "wrong", "right"),
        (1, "right", "right"),
        (2, "right", "wrong"),
        (3, "wrong", "wrong"),
        (4, "right", ""),
        (5, "unsure", ""),
        (6, "right", ""),
    ] {
        judge(&workspace, ana, found[nth], "Ana Reis");
        if !rui.is_empty() {
            judge(&workspace, rui, found[nth], "Rui");
        }
    }
    judge(&workspace, "right", found[0], "Ana Reis");
    judge(&workspace, "clear", found[6], "Ana Reis");
    (workspace, found)
}

fn evaluation(workspace: &Path) -> Value {
    fonds(&["evaluate", arg(workspace), "ship", "--json"]).with_status(0).json_lines().remove(0)
}

#[test]
fn figures_measure_how_good_results_are_and_lead_to_them() {
    let dir = tempfile::tempdir().unwrap();
    let (workspace, found) = judged(dir.path());
    let w = arg(&workspace);
    let of = evaluation(&workspace);
    assert_eq!((&of["right"], &of["wrong"], &of["unsure"]), (&json!(3), &json!(1), &json!(2)), "{of}");
    // The first five: right, right, disputed, wrong, right.
    let five = &of["at"][0];
    assert_eq!(
        (&five["k"], &five["right"], &five["wrong"], &five["unsure"]),
        (&json!(5), &json!(3), &json!(1), &json!(1))
    );
    assert_eq!(five["precision"]["value"], 0.75);
    // Of the four that both judged they differ in one; each has three kinds of two: chance is a half.
    assert_eq!((&of["agreements"][0]["both"], &of["agreements"][0]["agreed"]), (&json!(4), &json!(3)));
    assert_eq!(of["agreements"][0]["kappa"], 0.5);
    let line = fonds(&["evaluate", w]).with_status(0).out;
    assert_eq!(line, "2\t6\t3\t1\t2\t0.75 (0.30–0.95)\t0.75 (0.30–0.95)\t0.96\t0.50\tship\n");
    let csv = fonds(&["evaluate", w, "--csv"]).with_status(0).out;
    assert!(csv.contains("\r\nship,2,6,3,1,2,5,0.75,"), "{csv}");
    let ids = |filter: &str| -> Vec<u64> {
        let rows = fonds(&["captures", w, filter, "--json", "--sort", "url"]).with_status(0).json_lines();
        rows.iter().map(|row| row["id"].as_u64().unwrap()).collect()
    };
    assert_eq!(ids("right:ship"), [found[0], found[1], found[4]]);
    assert_eq!(ids("wrong:ship"), [found[3]]);
    assert_eq!(ids("unsure:*"), [found[2], found[5]]);
    assert_eq!(fonds(&["search", w, "wrong:ship", "--count"]).with_status(0).out, "1 page, 1 capture\n");
    fonds(&["evaluate", w, "boat"]).with_status(2).with_message("nobody judged a result of “boat”");
    fonds(&["judge", w, "right", "ship (", "--id", "1"]).with_status(2).with_message("the query cannot be read");
    fonds(&["judge", w, "right", "ship", "--id", "99"]).with_status(2);
}

/// Precision of run and qrels as trec_eval counts it: by topic and rank, what is not judged is not relevant.
#[test]
fn runs_and_judgements_have_the_same_topics_and_documents() {
    let dir = tempfile::tempdir().unwrap();
    let (workspace, found) = judged(dir.path());
    let w = arg(&workspace);
    fonds(&["judge", w, "right", "a quiet harbour", "--id", &found[2].to_string(), "--by", "Eva"]).with_status(0);
    let [topics, qrels] = ["topics.tsv", "qrels.txt"].map(|name| dir.path().join(name));
    fonds(&["evaluate", w, "--topics", arg(&topics), "--qrels", arg(&qrels)]).with_status(0);
    assert_eq!(std::fs::read_to_string(&topics).unwrap(), "1\ta quiet harbour\n2\tship\n");
    let text = std::fs::read_to_string(&qrels).unwrap();
    let of_ship = ["2 0 http://h1.pt/ 1", "2 0 http://h2.pt/ 1", "2 0 http://h4.pt/ 0", "2 0 http://h5.pt/ 1"];
    assert_eq!(text.lines().collect::<Vec<_>>(), [&["1 0 http://h3.pt/ 1"][..], &of_ship].concat());
    let run = fonds(&["search", w, "--trec", "fonds", "--batch", arg(&topics)]).with_status(0).out;
    let first: Vec<Vec<&str>> = run.lines().map(|line| line.split(' ').collect()).collect();
    let relevant = first.iter().filter(|row| row[0] == "2" && row[3].parse::<u32>().unwrap() <= 5);
    let relevant = relevant.filter(|row| of_ship.contains(&format!("2 0 {} 1", row[2]).as_str())).count();
    assert_eq!(relevant as u64, evaluation(&workspace)["at"][0]["right"].as_u64().unwrap());
}

#[test]
fn judgements_come_to_another_workspace_once_and_wait_for_their_captures() {
    let dir = tempfile::tempdir().unwrap();
    let (workspace, found) = judged(dir.path());
    let list = dir.path().join("annotations.jsonl");
    let exported = fonds(&["annotations", "export", arg(&workspace)]).with_status(0);
    std::fs::write(&list, &exported.out).unwrap();
    assert_eq!(exported.json_lines().len(), 13);
    let other = dir.path().join("other");
    let o = arg(&other);
    fonds(&["new", o]).with_status(0);
    let first = fonds(&["annotations", "import", o, arg(&list)]).with_status(0).out;
    assert!(first.contains("13 annotations, 13 new, 0 here already, 13 on captures that are not here"), "{first}");
    fonds(&["import", o, arg(&dir.path().join("a.warc.gz"))])
        .with_status(0)
        .with_message("13 annotations of earlier imports");
    assert_eq!(evaluation(&other), evaluation(&workspace));
    let again = fonds(&["annotations", "import", o, arg(&list)]).with_status(0).out;
    assert!(again.contains("0 new, 13 here already"), "{again}");
    let mut came = fonds(&["annotations", "export", o]).with_status(0).json_lines();
    for line in &mut came {
        let via = line.as_object_mut().unwrap().shift_remove("via").unwrap();
        assert_eq!(via, json!(["urn:fonds:source:annotations.jsonl"]));
    }
    assert_eq!(came, exported.json_lines());
    // Back home nothing is new, and what a person says here holds against what comes.
    let home = fonds(&["annotations", "import", arg(&workspace), arg(&list)]).with_status(0).out;
    assert!(home.contains("0 new, 13 here already"), "{home}");
    judge(&other, "wrong", found[0], "Ana Reis");
    judge(&workspace, "right", found[0], "Ana Reis");
    let newer = fonds(&["annotations", "export", arg(&workspace)]).with_status(0);
    std::fs::write(&list, &newer.out).unwrap();
    let last = fonds(&["annotations", "import", o, arg(&list)]).with_status(0).out;
    assert!(last.contains("1 new, 13 here already"), "{last}");
    let judges = &evaluation(&other)["judges"].clone();
    assert_eq!((&judges[0]["judge"], &judges[0]["wrong"]), (&json!("Ana Reis"), &json!(2)), "{judges}");
    // On a capture that is none of those a judgement is something to read.
    let mut vague: Value = serde_json::from_str(newer.out.lines().next().unwrap()).unwrap();
    vague["target"].as_object_mut().unwrap().remove("state");
    vague["id"] = json!("urn:x:vague");
    std::fs::write(&list, vague.to_string()).unwrap();
    fonds(&["annotations", "import", o, arg(&list)]).with_status(0);
    assert_eq!(&evaluation(&other)["judges"], judges);
    let catalogue = rusqlite::Connection::open(other.join("fonds.sqlite")).unwrap();
    let note: String = catalogue.query_row("SELECT note FROM mark", [], |row| row.get(0)).unwrap();
    assert_eq!(note, "wrong for “ship”");
    // It leaves as it came.
    let lines = fonds(&["annotations", "export", o]).with_status(0).json_lines();
    let mut line = lines.into_iter().find(|of| of["id"] == "urn:x:vague").unwrap();
    line.as_object_mut().unwrap().shift_remove("via");
    assert_eq!(line, vague);
}

#[test]
fn judgements_outlive_a_kill_and_an_index_made_from_scratch() {
    let dir = tempfile::tempdir().unwrap();
    let (workspace, found) = judged(dir.path());
    let before = evaluation(&workspace);
    let killed = dir.path().join("killed");
    copy_folder(&workspace, &killed);
    let mut index = start(&["index", arg(&killed), "--rebuild"]);
    index.kill().unwrap();
    index.wait().unwrap();
    judge(&killed, "unsure", found[5], "Ana Reis");
    fonds(&["index", arg(&killed), "--rebuild"]).with_status(0);
    let mut after = evaluation(&killed);
    after["last"] = before["last"].clone();
    assert_eq!(after, before);
    let copy = dir.path().join("copy");
    fonds(&["backup", arg(&killed), arg(&copy)]).with_status(0);
    assert_eq!(evaluation(&copy)["judges"], before["judges"]);
}

/// Counts P@k of the judgements that hold, by what the graph says alone.
const PRECISION: &str = "
import gzip, json, sys, rdflib, collections
from rdflib import Namespace, RDF
OA, DCT, PROV, F = (Namespace(of) for of in ('http://www.w3.org/ns/oa#', 'http://purl.org/dc/terms/',
    'http://www.w3.org/ns/prov#', 'urn:fonds:ns:'))
data = rdflib.Dataset(default_union=True)
data.parse(gzip.open(sys.argv[1]), format='nquads')
results = collections.defaultdict(list)
for body in data.subjects(RDF.type, F.Judgement):
    annotation = data.value(predicate=OA.hasBody, object=body)
    said = str(data.value(body, RDF.value))
    if data.value(annotation, PROV.invalidatedAtTime) is None and said != 'clear':
        target = data.value(annotation, OA.hasTarget)
        url = data.value(target, F.url)
        results[str(url)].append((str(data.value(annotation, DCT.created)), said, int(data.value(body, F.rank))))
found = {}
for k in (5, 10, 20, 50):
    right = wrong = 0
    for said in results.values():
        rank = max(said)[2]
        balance = sum({'right': 1, 'wrong': -1, 'unsure': 0}[of] for _, of, _ in said)
        if rank <= k:
            right += balance > 0
            wrong += balance < 0
    found[k] = [right, wrong, right / (right + wrong)]
print(json.dumps(found))";

#[test]
fn precision_is_the_same_when_it_is_counted_from_the_rdf_of_a_handover() {
    let dir = tempfile::tempdir().unwrap();
    let (workspace, found) = judged(dir.path());
    let w = arg(&workspace);
    // A result that is left out, and one whose capture is handed over.
    fonds(&["mark", w, "reject", "--id", &found[3].to_string()]).with_status(0);
    fonds(&["select", "run", w, "1", "--filter", "host:h*.pt"]).with_status(0);
    let out = dir.path().join("out");
    fonds(&["export", w, "--out", arg(&out)]).with_status(0);
    fonds(&["verify", arg(&out)]).with_status(0);

    // The report for people has the figures of each judge and of both.
    let report = std::fs::read_to_string(out.join("report.md")).unwrap();
    let section = report.split("## How good searches were").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| ship")).collect();
    assert_eq!(
        rows,
        [
            "| ship | Ana Reis | 4 | 1 | 1 | 0.80 (0.38–0.96) |",
            "| ship | Rui | 2 | 2 | 0 | 0.50 (0.15–0.85) |",
            "| ship | all 2 | 3 | 1 | 2 | 0.75 (0.30–0.95) |"
        ]
    );
    let html = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(html.contains("<td>Ana Reis</td><td class=\"n\">4</td>"), "{html}");

    // Read back, all of it is there, and a second time nothing is new.
    let other = dir.path().join("other");
    fonds(&["new", arg(&other)]).with_status(0);
    fonds(&["import", arg(&other), arg(&out)]).with_status(0);
    let of = evaluation(&workspace);
    let came = evaluation(&other);
    // But for the wrong one, whose capture was left out: its judgements wait for it.
    assert_eq!((&came["right"], &came["wrong"], &came["unsure"]), (&of["right"], &json!(0), &of["unsure"]), "{came}");
    fonds(&["import", arg(&other), arg(&out)]).with_status(0).with_message("0 new, 14 here already");

    let lines: Vec<Value> = fonds(&["annotations", "export", w]).with_status(0).json_lines();
    let documents: Vec<(&str, Value)> = lines.iter().map(|line| ("annotation", line.clone())).collect();
    let Some(errors) = validated(&out, dir.path(), &documents) else { return };
    assert!(errors.iter().all(|(_, errors)| errors.is_empty()), "{errors:#?}");
    let (_, conforms, why) = against_shapes(&out, &out.join("data/knowledge.nq.gz")).unwrap();
    assert!(conforms, "{why}");
    let counted: Value =
        serde_json::from_str(&python(PRECISION, &[&out.join("data/knowledge.nq.gz")]).unwrap()).unwrap();
    for at in of["at"].as_array().unwrap() {
        let expected = json!([at["right"], at["wrong"], at["precision"]["value"]]);
        assert_eq!(counted[at["k"].to_string()], expected, "{counted}");
    }
    // The annotations say it as JSON-LD, too.
    let expanded =
        python(EXPAND, &[&out.join("data/formats/context.jsonld"), &out.join("data/decisions.jsonl")]).unwrap();
    assert_eq!(expanded.matches("urn:fonds:ns:query").count(), 13);
    assert_eq!(expanded.matches("urn:fonds:ns:rank").count(), 13);
}
