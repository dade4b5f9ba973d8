//! Everything that is known of a selection, as RDF in its export.

use crate::archive::{field, file, knowledge_of, page, records, warcs_under};
use crate::need;
use crate::program::{arg, fonds, fonds_with};
use fonds::warc::{Record, RecordBuilder};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "http://www.a.pt/sobre";
/// Text that breaks what is not escaped, or is escaped twice.
const HOSTILE: &str = "a\"b\\c \\u0041 \u{202e}x\u{2028}y\u{85}z <s> <p> \"o\" . # ' 😀";

/// A workspace with hostile pages, decisions and notes, and its export.
pub fn exported(dir: &Path) -> (PathBuf, PathBuf) {
    let (workspace, out) = (dir.join("w"), dir.join("out"));
    let linking = format!("<a href=http://www.a.pt/sobre>{HOSTILE}</a>");
    let pages = [
        page(TARGET, "2024-03-01T09:00:30Z", &format!("<title>{}</title>", HOSTILE.replace('<', "&lt;"))),
        page("http://www.a.pt/x|y?a=%zz&b={1}&c=[2]`^\"'", "2024-03-01T09:01:30Z", &linking),
        page("http://b.pt/%22%3E", "2024-03-02T09:00:30Z", "<p>left out"),
        page("http://www.b.pt/", "2024-03-03T09:00:30Z", &linking),
    ];
    fonds(&["new", arg(&workspace)]).with_status(0);
    let mut campaign: Value = serde_json::from_str(&fonds(&["campaign", "example"]).with_status(0).out).unwrap();
    campaign["name"] = HOSTILE.into();
    campaign["description"] = "two\nlines\ttab \u{1} \u{7f}".into();
    fonds_with(&["campaign", "add", arg(&workspace), "-"], campaign.to_string().as_bytes()).with_status(0);
    fonds(&["import", arg(&workspace), arg(&file(dir, "a.warc.gz", &pages))]).with_status(0);
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    for (mark, filter, by) in [("reject", "host:b.pt", HOSTILE), ("approve", "host:www.a.pt", "Ana Reis")] {
        fonds(&["mark", arg(&workspace), mark, "--filter", filter, "--reason", HOSTILE, "--by", by]).with_status(0);
    }
    fonds(&["select", "run", arg(&workspace), "1", "--filter", "host:www.a.pt"]).with_status(0);
    fonds(&["export", arg(&workspace), "--out", arg(&out)]).with_status(0);
    (workspace, out)
}

fn is_knowledge(record: &Record) -> bool {
    record.head.headers.get("Content-Type").as_deref() == Some("application/n-quads")
}

/// Runs a script of the Python environment with an argument; gives what it printed.
#[track_caller]
pub fn python(script: &str, args: &[&Path]) -> Option<String> {
    let [python] = need::peers(["python3"])?;
    let output = Command::new(python).arg("-c").arg(script).args(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

fn quads_of_manifest(out: &Path) -> u64 {
    fonds::export::Manifest::read(out).unwrap().attachments["data/knowledge.nq.gz"]
}

#[test]
fn every_record_agrees_with_the_file_whatever_strangers_wrote() {
    let dir = tempfile::tempdir().unwrap();
    let (workspace, out) = exported(dir.path());
    let checks = fonds(&["verify", arg(&out), "--json"]).with_status(0).json_lines();
    assert!(checks.iter().any(|check| check["what"].as_str().unwrap().starts_with("Knowledge is N-Quads")));

    let file = &warcs_under(&out)[0];
    let all = records(file);
    let parts: Vec<&Record> = all.iter().filter(|record| is_knowledge(record)).collect();
    assert_eq!(parts.len(), 3, "two captures and the rest");
    let lines_of = |record: &Record| -> Vec<String> {
        String::from_utf8(record.block.clone()).unwrap().lines().map(str::to_owned).collect()
    };
    let union: BTreeSet<String> = parts.iter().flat_map(|record| lines_of(record)).collect();
    let text = knowledge_of(&out);
    let quads: BTreeSet<String> = text.lines().map(str::to_owned).collect();
    assert_eq!(text.lines().count(), quads.len(), "each once");
    assert_eq!(quads_of_manifest(&out), quads.len() as u64);
    // Links are in the metadata records, and no second time in those of N-Quads.
    let is_link = |line: &&String| line.contains("#link-");
    assert!(quads.iter().filter(|line| !is_link(line)).eq(union.iter()));
    assert!(quads.iter().any(|line| is_link(&line)));
    for part in &parts {
        assert_eq!(field(part, "WARC-Warcinfo-ID"), field(&all[0], "WARC-Record-ID"));
        let is_rest = part.head.record_type.as_str() == "resource";
        let about = part.head.headers.get("WARC-Refers-To");
        assert_eq!(about.is_none(), is_rest);
        // The decision on what was left out is not with a capture.
        let has_rejection = lines_of(part).iter().any(|line| line.contains("<urn:fonds:ns:reject>"));
        assert_eq!(has_rejection, is_rest);
        if let Some(about) = about {
            assert!(all.iter().any(|record| field(record, "WARC-Record-ID") == about));
            // An id that is no IRI is escaped; the id of this one has its URL in it.
            let as_iri = about.replace('|', "%7C").replace('{', "%7B").replace('}', "%7D").replace('^', "%5E");
            let as_iri = as_iri.replace('[', "%5B").replace(']', "%5D").replace('`', "%60").replace('"', "%22");
            let as_iri = as_iri.replace("%zz", "%25zz");
            let is_typed = format!("{as_iri} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:fonds:ns:Capture>");
            assert!(lines_of(part).iter().any(|line| line.starts_with(&is_typed)), "{is_typed}");
            assert!(field(part, "WARC-Target-URI").starts_with("urn:fonds:knowledge:http://www.a.pt/"));
        }
    }

    let without = dir.path().join("without");
    fonds(&["export", arg(&workspace), "--out", arg(&without), "--without-rdf"]).with_status(0);
    fonds(&["verify", arg(&without)]).with_status(0);
    assert!(!without.join("data/knowledge.nq.gz").exists());
    assert!(!records(&warcs_under(&without)[0]).iter().any(is_knowledge));

    // The file brings itself along no page when it is read back.
    let other = dir.path().join("other");
    fonds(&["new", arg(&other)]).with_status(0);
    let found = fonds(&["import", arg(&other), arg(&out), "--json"]).with_status(0).json_lines();
    assert_eq!(found[0]["captures"], 2, "{found:?}");
    assert_eq!(found[0]["problem_count"], 0, "{found:?}");
    let again = dir.path().join("again");
    fonds(&["select", "run", arg(&other), "1", "--filter", "host:www.a.pt"]).with_status(0);
    fonds(&["export", arg(&other), "--out", arg(&again)]).with_status(0);
    fonds(&["verify", arg(&again)]).with_status(0);
    assert_eq!(records(&warcs_under(&again)[0]).iter().filter(|record| is_knowledge(record)).count(), 3);
    // Decisions have their ids from where they were made, campaigns from what they say.
    let of = |out: &Path, graph: &str| -> Vec<String> {
        let text = knowledge_of(out);
        text.split('\n').filter(|line| line.contains(&format!("<urn:fonds:{graph}> ."))).map(str::to_owned).collect()
    };
    assert_eq!(of(&out, "campaigns"), of(&again, "campaigns"));
    let mut marks = of(&again, "marks");
    let before = marks.len();
    marks.retain(|line| !line.contains("#wasQuotedFrom> <urn:fonds:source:out> "));
    assert!(marks.len() < before, "each says that it came with the handover");
    assert_eq!(of(&out, "marks"), marks);

    const LOAD: &str = "
import gzip, json, sys, rdflib
data = rdflib.Dataset()
data.parse(gzip.open(sys.argv[1]), format='nquads')
text = lambda name: sorted({str(o) for s, p, o, g in data.quads((None, rdflib.URIRef(name), None, None))})
print(json.dumps([len(list(data.quads())), text('http://purl.org/dc/terms/title'), text('urn:fonds:ns:anchor'),
    text('urn:fonds:ns:url'), text('http://xmlns.com/foaf/0.1/name'), text('http://www.w3.org/1999/02/22-rdf-syntax-ns#value'),
    text('http://purl.org/dc/terms/description')]))";
    let Some(loaded) = python(LOAD, &[&out.join("data/knowledge.nq.gz")]) else { return };
    let loaded: Value = serde_json::from_str(&loaded).unwrap();
    assert_eq!(loaded[0], quads.len());
    let has = |at: usize, text: &str| loaded[at].as_array().unwrap().iter().any(|value| value == text);
    assert!(has(1, HOSTILE), "the name of the campaign: {}", loaded[1]);
    assert!(has(5, HOSTILE) && has(4, HOSTILE) && has(4, "Ana Reis"), "{loaded}");
    assert!(has(6, "two\nlines\ttab \u{1} \u{7f}"), "{}", loaded[6]);
    let starts = |anchor: &Value| anchor.as_str().unwrap().starts_with("a\"b\\c \\u0041 \u{202e}x");
    assert!(loaded[2].as_array().unwrap().iter().any(starts), "{}", loaded[2]);
    assert_eq!(loaded[3].as_array().unwrap().len(), 4, "two captures and two left out: {}", loaded[3]);
}

#[test]
fn both_records_of_a_capture_have_the_same_score_and_links() {
    let dir = tempfile::tempdir().unwrap();
    // A crawl, where every part is known, and imported pages, where the path from the seed is not.
    let exports = [crate::sample::demo().report.export.clone(), exported(dir.path()).1];
    let files: Vec<PathBuf> = exports.iter().flat_map(|out| warcs_under(out)).collect();
    let graph: String = exports.iter().map(|out| knowledge_of(out)).collect();
    let mut stated: HashMap<&str, u64> = HashMap::new();
    for line in graph.lines().filter(|line| line.contains(" <urn:fonds:ns:Link> ")) {
        *stated.entry(line.split_once("#link-").unwrap().0).or_default() += 1;
    }
    let all: Vec<Record> = files.iter().flat_map(|file| records(file)).collect();
    let about = |record: &Record| record.head.headers.get("WARC-Refers-To");
    let is_export = |record: &&Record| {
        record.head.headers.get("WARC-Target-URI").is_some_and(|target| target.starts_with("urn:fonds:export:"))
    };
    let (mut scored, mut linked) = (0, 0);
    for json in all.iter().filter(is_export) {
        let quads = all.iter().find(|record| is_knowledge(record) && about(record) == about(json)).unwrap();
        let text = String::from_utf8(quads.block.clone()).unwrap();
        let count = |of: &str| text.lines().filter(|line| line.contains(of)).count();
        let json: Value = serde_json::from_slice(&json.block).unwrap();
        let parts = json["selection"]["parts"].as_array().cloned().unwrap_or_default();
        // A part that is not known has no measurement: its 0 is none.
        let known = parts.iter().filter(|part| part["weight"] != 0.0).count();
        assert_eq!(count("<http://www.w3.org/ns/dqv#value>"), if parts.is_empty() { 0 } else { known + 1 }, "{text}");
        if let Some(score) = json["selection"]["score"].as_f64() {
            let (_, rest) = text.split_once("#score> <http://www.w3.org/ns/dqv#value> \"").unwrap();
            let value: f64 = rest.split_once('"').unwrap().0.parse().unwrap();
            assert!((value - score).abs() < 1e-9, "{value} is not {score}");
        }
        scored += usize::from(known > 0 && known < parts.len());
        let links = json["inlinks"]["list"].as_array().unwrap();
        let of_side = |internal: bool| links.iter().filter(|link| link["internal"] == internal).count().min(100);
        assert_eq!(count("<urn:fonds:ns:Link>"), 0, "its other record lists them");
        let typed = text.lines().find(|line| line.contains(" <urn:fonds:ns:Capture> ")).unwrap();
        let capture = typed.split_once('>').unwrap().0;
        let found = stated.get(capture).copied().unwrap_or_default();
        assert_eq!(found, (of_side(true) + of_side(false)) as u64, "{capture}");
        linked += links.len();
    }
    assert!(scored > 0 && linked > 0, "{scored} {linked}");
}

/// The record again with another block.
fn with_block(record: &Record, block: &str) -> Vec<u8> {
    let is_kept = |name: &str| !["Content-Length", "WARC-Block-Digest", "WARC-Payload-Digest"].contains(&name);
    let fields = record.head.headers.iter().filter(|(name, _)| is_kept(name));
    RecordBuilder::with_fields(fields.map(|(name, value)| (name.to_owned(), Cow::Borrowed(value))))
        .compress(block.as_bytes())
}

#[test]
fn verify_names_record_file_and_line_of_knowledge_that_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let (_, out) = exported(dir.path());
    let detail = || -> String {
        let checks = fonds(&["verify", arg(&out), "--json"]).with_status(1).json_lines();
        let check = checks.iter().find(|check| check["what"].as_str().unwrap().starts_with("Knowledge is")).unwrap();
        assert_eq!(check["ok"], false, "{check}");
        check["detail"].as_str().unwrap().to_owned()
    };
    let graph = out.join("data/knowledge.nq.gz");
    let packed = std::fs::read(&graph).unwrap();
    let text = knowledge_of(&out);
    let mut lines: Vec<&str> = text.split_terminator('\n').collect();
    let spoiled = lines[2].replace('>', "");
    lines[2] = &spoiled;
    let write = |lines: &[&str]| {
        std::fs::write(&graph, fonds::warc::gzip_member((lines.join("\n") + "\n").as_bytes())).unwrap();
    };
    write(&lines);
    let found = detail();
    assert!(found.contains("knowledge.nq.gz, line 3: ") && found.contains("knowledge.nq.gz lacks a quad"), "{found}");
    // A link that the metadata record lists is not there, or another one is.
    let mut lines: Vec<&str> = text.split_terminator('\n').collect();
    let at = lines.iter().position(|line| line.contains("#link-1> <urn:fonds:ns:source>")).unwrap();
    let link = lines.remove(at);
    write(&lines);
    assert!(detail().contains("; 1 wrong: knowledge.nq.gz lacks a quad of the records: "), "{}", detail());
    let other = link.replace("www.", "ww2.");
    lines.insert(at, &other);
    write(&lines);
    let found = detail();
    assert!(
        found.contains(&format!("line {}: it is in no record", at + 1)) && found.contains("lacks a quad"),
        "{found}"
    );
    // It ends early.
    std::fs::write(&graph, &packed[..packed.len() / 2]).unwrap();
    assert!(detail().contains("lacks a quad"));
    std::fs::write(&graph, &packed).unwrap();

    let file = &warcs_under(&out)[0];
    let (bytes, all) = (std::fs::read(file).unwrap(), records(file));
    let at = all.iter().position(is_knowledge).unwrap();
    let block = String::from_utf8(all[at].block.clone()).unwrap();
    let id = field(&all[at], "WARC-Refers-To");
    for (block, why) in [
        (format!("{block}<urn:x> <urn:y> \"z .\n"), "line "),
        (block.replace(&id, "<urn:uuid:of-another>"), "its quads are about another capture"),
        (block.trim_end().to_owned(), "it is cut off"),
    ] {
        let mut file_bytes = Vec::new();
        for (position, record) in all.iter().enumerate() {
            let (from, len) = (record.span.offset as usize, record.span.length as usize);
            match position == at {
                true => file_bytes.extend(with_block(record, &block)),
                false => file_bytes.extend_from_slice(&bytes[from..from + len]),
            }
        }
        std::fs::write(file, file_bytes).unwrap();
        let found = detail();
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(found.contains(&format!("{name}, ")) && found.contains(why), "{found}");
        assert!(found.contains("urn:fonds:knowledge:http://www.a.pt/"), "{found}");
    }
}

/// Compares graphs of two files, and gives what statements of one of them lacks in the other.
const SAME_GRAPH: &str = "
import gzip, sys, rdflib
def load(path):
    data = rdflib.Dataset(default_union=True)
    raw = gzip.open(path) if path.endswith('.gz') else open(path, 'rb')
    data.parse(raw, format='nquads')
    return set(data.graph(rdflib.URIRef('urn:fonds:campaigns')))
one, other = load(sys.argv[1]), load(sys.argv[2])
print(len(one), len(one - other), len(other - one))
flat = rdflib.Graph()
for triple in other:
    flat.add(triple)
flat.serialize(sys.argv[3], format='turtle')
";

const CONFORMS: &str = "
import sys, rdflib, pyshacl
data = rdflib.Graph()
data.parse(sys.argv[1], format='nt')
shapes = rdflib.Graph().parse(sys.argv[2], format='turtle')
conforms, _, text = pyshacl.validate(data, shacl_graph=shapes)
print('conforms' if conforms else text)
";

#[test]
fn a_campaign_goes_out_and_in_whole_as_handover_and_as_statements() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let workspace = path("w");
    fonds(&["new", arg(&workspace)]).with_status(0);
    let mut campaign: Value = serde_json::from_str(&fonds(&["campaign", "example"]).with_status(0).out).unwrap();
    campaign["name"] = "Ria".into();
    campaign["tags"] = serde_json::json!(["z", "a"]);
    campaign["order"] = "breadth_first".into();
    campaign["request"] = "(ria OR person:\"Amélia Vaz\"^0.8 OR event:Festa) NOT futebol lang:pt".into();
    campaign["sources"] = serde_json::json!([
        { "name": "wiki", "kind": "mediawiki", "address": "https://w.example/api.php", "queries": ["b", "a"], "every_hours": 12 },
        { "name": "news", "kind": "feed", "address": "https://n.example/rss", "enabled": false },
    ]);
    campaign["schedule"] = serde_json::json!({ "frequency": "monthly", "start": "2024-01-31T08:00", "end": "2030-01-01",
        "extra": ["2025-05-05"], "time_zone": "Europe/Lisbon" });
    campaign["icon"] = "🦀".into();
    let rules = campaign["rules"].as_array_mut().unwrap();
    rules.push(
        serde_json::json!({ "rule": "regex", "patterns": [".*[?&]action=edit.*"], "any": true, "decision": "REJECT" }),
    );
    rules.push(serde_json::json!({ "rule": "source_tag", "tags": ["source:wiki"], "decision": "ACCEPT" }));
    fonds_with(&["campaign", "add", arg(&workspace), "-"], campaign.to_string().as_bytes()).with_status(0);
    campaign["description"] = "second".into();
    fonds_with(&["campaign", "add", arg(&workspace), "-", "--id", "1"], campaign.to_string().as_bytes()).with_status(0);
    let pages = [page(TARGET, "2024-03-01T09:00:30Z", "<p>ria")];
    fonds(&["import", arg(&workspace), arg(&file(dir.path(), "a.warc.gz", &pages))]).with_status(0);
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    fonds(&["select", "run", arg(&workspace), "1", "--filter", "host:www.a.pt"]).with_status(0);
    let out = path("out");
    fonds(&["export", arg(&workspace), "--out", arg(&out)]).with_status(0);
    let whole = |workspace: &Path| fonds(&["campaign", "export", arg(workspace), "1"]).with_status(0).out;
    let expected = whole(&workspace);

    let by_handover = path("by-handover");
    fonds(&["new", arg(&by_handover)]).with_status(0);
    fonds(&["import", arg(&by_handover), arg(&out)]).with_status(0);
    assert_eq!(whole(&by_handover), expected);
    let rdf = |workspace: &Path| fonds(&["campaign", "export", arg(workspace), "1", "--rdf"]).with_status(0).out;
    assert_eq!(rdf(&by_handover), rdf(&workspace));

    let statements = path("campaign.nq");
    std::fs::write(&statements, rdf(&workspace)).unwrap();
    let packed = out.join("data/knowledge.nq.gz");
    for (name, file) in [("by-rdf", &statements), ("by-knowledge", &packed)] {
        let other = path(name);
        fonds(&["new", arg(&other)]).with_status(0);
        let notes = fonds(&["campaign", "add", arg(&other), arg(file)]).with_status(0).err;
        assert!(!notes.contains("Not taken in"), "{notes}");
        let read: [Value; 2] = [whole(&other), expected.clone()].map(|text| serde_json::from_str(&text).unwrap());
        let [read, expected] = read.map(|mut value| {
            // Only the newest version came, so that none is before it.
            drop(value.as_object_mut().unwrap().remove("parent"));
            value
        });
        assert_eq!(read, expected, "{name}");
    }
    let named = path("others.ttl");
    std::fs::write(
        &named,
        "@prefix : <http://www.gate.ac.uk/ns/ontologies/arcomem-data-model.rdf#> .\n\
         <x:s> :hasHTMLCrawlId <x:h> ; :hasAPICrawlId [ :APIScope \"twitter\" ] . <x:h> :hasSeed <http://a.pt/> .",
    )
    .unwrap();
    let other = path("by-others");
    fonds(&["new", arg(&other)]).with_status(0);
    let notes = fonds(&["campaign", "add", arg(&other), arg(&named)]).with_status(1).err;
    assert!(notes.contains("Not taken in: APIScope twitter: the network is closed to programs"), "{notes}");

    let turtle = path("campaign.ttl");
    let Some(found) = python(SAME_GRAPH, &[&packed, &statements, &turtle]) else { return };
    let [all, gone, new] = found.split_whitespace().map(|n| n.parse().unwrap()).collect::<Vec<u64>>()[..] else {
        panic!("{found}")
    };
    assert!(all > 100 && gone > 0 && new == 0, "the handover has both versions: {found}");
    // Another library wrote it in another order and syntax.
    let other = path("by-turtle");
    fonds(&["new", arg(&other)]).with_status(0);
    fonds(&["campaign", "add", arg(&other), arg(&turtle)]).with_status(0);
    let [read, expected]: [Value; 2] = [whole(&other), expected].map(|text| serde_json::from_str(&text).unwrap());
    for field in ["seeds", "request", "sources", "rules", "tags", "order", "schedule", "icon", "limits", "politeness"] {
        assert_eq!(read[field], expected[field], "{field}");
    }
    let triples = path("all.nt");
    let flat: String = knowledge_of(&out)
        .lines()
        .map(|line| line.rsplit_once(" <urn:fonds:").unwrap().0.to_owned() + " .\n")
        .collect();
    std::fs::write(&triples, flat).unwrap();
    let shapes = out.join("data/formats/shapes.ttl");
    assert_eq!(python(CONFORMS, &[&triples, &shapes]).unwrap().trim(), "conforms");
}
