//! The documents of a handover are valid by `data/formats`, in the programs of
//! others: jsonschema, pyld, pySHACL.

use crate::archive::{records, warcs_under};
use crate::evidence::Permitted;
use crate::knowledge::{exported, python};
use crate::sample::demo;
use serde_json::{Value, json};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The handovers that are looked at: of a crawl, of hostile pages with decisions, and of captures with permissions.
fn handovers(dir: &Path) -> [PathBuf; 3] {
    let (hostile, permitted) = (dir.join("hostile"), dir.join("permitted"));
    [&hostile, &permitted].into_iter().for_each(|folder| std::fs::create_dir_all(folder).unwrap());
    let out = permitted.join("out");
    Permitted::new(&permitted, "letter.pdf").export_handover(&out).with_status(0);
    [demo().report.export.clone(), exported(&hostile).1, out]
}

/// Validates each line of a file, `{"schema": …, "document": …}`; tells the first errors of each.
const VALIDATE: &str = "
import json, sys
from jsonschema import Draft202012Validator
schemas = {}
for line in open(sys.argv[2], encoding='utf-8'):
    case = json.loads(line)
    name = case['schema']
    if name not in schemas:
        schema = json.load(open(f'{sys.argv[1]}/{name}.schema.json', encoding='utf-8'))
        Draft202012Validator.check_schema(schema)
        schemas[name] = Draft202012Validator(schema)
    errors = [f'{error.json_path}: {error.message[:200]}' for error in schemas[name].iter_errors(case['document'])]
    print(json.dumps([name, errors[:3]]))";

/// Errors of each document, with the name of its schema.
pub fn validated(out: &Path, dir: &Path, documents: &[(&str, Value)]) -> Option<Vec<(String, Vec<String>)>> {
    let list = dir.join("documents.jsonl");
    let line = |(schema, document): &(&str, Value)| json!({"schema": schema, "document": document}).to_string() + "\n";
    std::fs::write(&list, documents.iter().map(line).collect::<String>()).unwrap();
    let found = python(VALIDATE, &[&out.join("data/formats"), &list])?;
    Some(found.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn lines(path: &Path) -> Vec<Value> {
    let bytes = std::fs::read(path).unwrap_or_default();
    let mut text = String::new();
    match path.extension().is_some_and(|ending| ending == "gz") {
        true => flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap(),
        false => (&bytes[..]).read_to_string(&mut text).unwrap(),
    };
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn document(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Every JSON document of a handover, with the name of its schema.
fn documents(out: &Path) -> Vec<(&'static str, Value)> {
    let mut all = vec![("manifest", document(&out.join("manifest.json")))];
    let campaigns = std::fs::read_dir(out.join("data/campaign")).unwrap().map(|entry| entry.unwrap().path());
    let is_version = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with("campaign.v");
    all.extend(campaigns.filter(is_version).map(|path| ("campaign", document(&path))));
    all.push(("selection", document(&out.join("data/selection.json"))));
    all.push(("launches", document(&out.join("data/launches.json"))));
    if out.join("data/review.json").is_file() {
        all.push(("review", document(&out.join("data/review.json"))));
    }
    for (schema, name) in [
        ("annotation", "decisions.jsonl"),
        ("seen", "seen.jsonl.gz"),
        ("score", "scores.jsonl.gz"),
        ("inlinks", "inlinks.jsonl"),
        ("host", "hosts.jsonl"),
    ] {
        all.extend(lines(&out.join("data").join(name)).into_iter().map(|line| (schema, line)));
    }
    for record in warcs_under(&out.join("data/archive")).iter().flat_map(|file| records(file)) {
        let target = record.head.headers.get("WARC-Target-URI").unwrap_or_default();
        if target.starts_with("urn:fonds:export:") {
            all.push(("metadata", serde_json::from_slice(&record.block).unwrap()));
        }
    }
    all
}

#[test]
fn every_document_is_valid_by_its_schema_and_a_spoiled_one_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let handovers = handovers(dir.path());
    let mut kinds = std::collections::BTreeMap::<&str, Value>::new();
    for out in &handovers {
        let documents = documents(out);
        let Some(found) = validated(out, dir.path(), &documents) else { return };
        assert_eq!(found.len(), documents.len());
        let wrong: Vec<_> = found.iter().filter(|(_, errors)| !errors.is_empty()).take(5).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        kinds.extend(documents);
    }
    assert_eq!(
        kinds.keys().copied().collect::<Vec<_>>(),
        ["annotation", "campaign", "host", "inlinks", "launches", "manifest", "metadata", "score", "seen", "selection"]
    );
    // A field less, a field more and a field of another type are seen.
    let mut spoiled = Vec::new();
    for (schema, document) in &kinds {
        let first = document.as_object().unwrap().keys().find(|key| *key != "@context").unwrap().clone();
        let mut less = document.clone();
        less.as_object_mut().unwrap().remove(&first);
        let mut other = document.clone();
        other[&first] = json!(7.5);
        spoiled.extend([(*schema, less), (*schema, other)]);
        if *schema != "campaign" {
            let mut more = document.clone();
            more["surprise"] = json!(true);
            spoiled.push((*schema, more));
        }
    }
    // What is demanded of permissions and locations, too.
    let all: Vec<Value> = handovers.iter().flat_map(|out| documents(out)).map(|(_, document)| document).collect();
    let permitted = all.iter().find(|page| page["permission"]["files"][0].is_object()).unwrap();
    let located = all.iter().find(|page| page["geolocation"]["addresses"][0].is_object()).unwrap();
    for (document, at, field) in [
        (permitted, "/permission", "files"),
        (permitted, "/permission/files/0", "name"),
        (permitted, "/permission/files/0", "path"),
        (permitted, "/permission/files/0", "sha256"),
        (located, "/geolocation", "database"),
        (located, "/geolocation", "databaseBuilt"),
        (located, "/geolocation/addresses/0", "address"),
        (located, "/geolocation/addresses/0", "country"),
    ] {
        let mut less = document.clone();
        less.pointer_mut(at).unwrap().as_object_mut().unwrap().remove(field).unwrap();
        spoiled.push(("metadata", less));
    }
    let host = lines(&handovers[0].join("data/hosts.jsonl")).remove(0);
    for field in ["addresses", "database", "database_build"] {
        let mut less = host.clone();
        less["location"].as_object_mut().unwrap().remove(field).unwrap();
        spoiled.push(("host", less));
    }
    for (name, errors) in validated(&handovers[0], dir.path(), &spoiled).unwrap() {
        assert!(!errors.is_empty(), "a spoiled document passed {name}");
    }
}

#[test]
fn metadata_has_title_language_tags_location_and_permission() {
    let dir = tempfile::tempdir().unwrap();
    let [of_crawl, of_import, _] = handovers(dir.path());
    let metadata = |out: &Path| -> Vec<Value> {
        documents(out).into_iter().filter(|(schema, _)| *schema == "metadata").map(|(_, document)| document).collect()
    };
    let crawled = metadata(&of_crawl);
    let page = crawled.iter().find(|page| page["hops"] == "" && page["language"] == "pt").unwrap();
    assert!(!page["title"].as_str().unwrap().is_empty());
    assert_eq!(page["campaign"]["tags"], json!(["sample"]));
    assert_eq!(page["campaign"]["version"], 1);
    let location = crawled.iter().find(|page| !page["geolocation"].is_null()).unwrap();
    assert_eq!(location["geolocation"]["addresses"][0]["country"].as_str().unwrap().len(), 2, "{location}");
    assert!(crawled.iter().any(|page| !page["selection"]["threshold"].is_null()));
    let imported = metadata(&of_import);
    assert!(imported.iter().all(|page| page["permission"].is_null() && page["geolocation"].is_null()));
    assert!(imported.iter().any(|page| page["title"].as_str().is_some_and(|title| title.contains("a\"b\\c"))));
}

/// Expands every line without a network, and turns it into quads.
pub const EXPAND: &str = "
import json, sys
from pyld import jsonld
context = json.load(open(sys.argv[1], encoding='utf-8'))
def load(url, options=None):
    assert url == 'http://www.w3.org/ns/anno.jsonld', f'a request is made for {url}'
    return {'contentType': 'application/ld+json', 'contextUrl': None, 'documentUrl': url, 'document': context}
jsonld.set_document_loader(load)
for line in open(sys.argv[2], encoding='utf-8'):
    document = json.loads(line)
    print(json.dumps([jsonld.expand(document)[0], len(jsonld.to_rdf(document)['@default'])]))";

#[test]
fn decisions_are_expanded_as_json_ld_without_a_network() {
    let dir = tempfile::tempdir().unwrap();
    let (_, out) = exported(dir.path());
    let decisions = out.join("data/decisions.jsonl");
    let Some(found) = python(EXPAND, &[&out.join("data/formats/context.jsonld"), &decisions]) else { return };
    let lines = lines(&decisions);
    assert_eq!(found.lines().count(), lines.len());
    for (line, expanded) in lines.iter().zip(found.lines()) {
        let (expanded, quads): (Value, u64) = serde_json::from_str(expanded).unwrap();
        let term = |name: &str| &expanded[format!("http://www.w3.org/ns/oa#{name}")];
        assert_eq!(expanded["@id"], line["id"]);
        assert_eq!(expanded["@type"], json!(["http://www.w3.org/ns/oa#Annotation"]));
        assert_eq!(term("motivatedBy")[0]["@id"], "http://www.w3.org/ns/oa#assessing");
        let target = &term("hasTarget")[0];
        assert_eq!(target["http://www.w3.org/ns/oa#hasSource"][0]["@id"], line["target"]["source"]);
        assert_eq!(target["urn:fonds:ns:digest"][0]["@value"], line["target"]["fonds:digest"]);
        let date = &target["http://www.w3.org/ns/oa#hasState"][0]["http://www.w3.org/ns/oa#sourceDate"][0];
        assert_eq!(date["@type"], "http://www.w3.org/2001/XMLSchema#dateTime");
        let bodies = term("hasBody").as_array().unwrap();
        assert_eq!(bodies.len(), line["body"].as_array().unwrap().len());
        let value = &bodies[1]["http://www.w3.org/1999/02/22-rdf-syntax-ns#value"][0]["@value"];
        assert_eq!(*value, line["body"][1]["value"]);
        let creator = &expanded["http://purl.org/dc/terms/creator"][0]["http://xmlns.com/foaf/0.1/name"][0]["@value"];
        assert_eq!(*creator, line["creator"]["name"]);
        // Nothing of the line is dropped on the way: an annotation, two bodies, its target with its state, its creator.
        assert!(quads >= 17, "{quads}");
    }
}

const SHAPES: &str = "
import gzip, json, sys, rdflib, pyshacl
data = rdflib.Dataset(default_union=True)
data.parse(gzip.open(sys.argv[2]) if sys.argv[2].endswith('.gz') else sys.argv[2], format='nquads')
ok, _, text = pyshacl.validate(data, shacl_graph=rdflib.Graph().parse(sys.argv[1]))
print(json.dumps([len(list(data.quads())), ok, text[:3000]]))";

/// Quads, whether they conform, and why not.
pub fn against_shapes(out: &Path, graph: &Path) -> Option<(u64, bool, String)> {
    let found = python(SHAPES, &[&out.join("data/formats/shapes.ttl"), graph])?;
    Some(serde_json::from_str(&found).unwrap())
}

#[test]
fn the_graph_conforms_to_its_shapes_and_a_spoiled_one_does_not() {
    let dir = tempfile::tempdir().unwrap();
    let handovers = handovers(dir.path());
    for out in &handovers {
        let Some((quads, conforms, why)) = against_shapes(out, &out.join("data/knowledge.nq.gz")) else { return };
        let of_manifest = fonds::export::Manifest::read(out).unwrap().attachments["data/knowledge.nq.gz"];
        assert_eq!(quads, of_manifest);
        assert!(conforms, "{why}");
    }
    let spoiled = dir.path().join("spoiled.nq");
    for (of, what, without) in [
        (0, "HostLocationShape", "ns:database>"),
        (0, "HostLocationShape", "ns:databaseBuilt>"),
        (0, "ServerAddressShape", "ns:address>"),
        (2, "PermissionShape", "ns:covers>"),
        (2, "EvidenceFileShape", "ns:sha256>"),
        (2, "EvidenceFileShape", "ns:path>"),
        (2, "GroundsShape", "ns:domain>"),
    ] {
        let text = crate::archive::knowledge_of(&handovers[of]);
        let kept: Vec<&str> = text.split_inclusive('\n').filter(|line| !line.contains(without)).collect();
        std::fs::write(&spoiled, kept.concat()).unwrap();
        let (_, conforms, why) = against_shapes(&handovers[of], &spoiled).unwrap();
        assert!(!conforms, "{what} without {without}: {why}");
    }
    let out = &handovers[1];
    let text = crate::archive::knowledge_of(out);
    for (what, keep) in [
        ("CaptureShape", Box::new(|line: &str| !line.contains("specializationOf")) as Box<dyn Fn(&str) -> bool>),
        ("AnnotationShape", Box::new(|line| !line.contains("dc/terms/creator"))),
        ("LinkShape", Box::new(|line| !line.contains("ns:source>"))),
        ("RunShape", Box::new(|line| !line.contains("wasAssociatedWith"))),
        ("CampaignShape", Box::new(|line| !line.contains("ns:version>"))),
    ] {
        let kept: Vec<&str> = text.split_inclusive('\n').filter(|line| keep(line)).collect();
        std::fs::write(&spoiled, kept.concat()).unwrap();
        let (_, conforms, why) = against_shapes(out, &spoiled).unwrap();
        assert!(!conforms && why.contains("minCount"), "{what}: {why}");
    }
    let score = "<urn:x:s> <http://www.w3.org/ns/dqv#value> \
                 \"1.5\"^^<http://www.w3.org/2001/XMLSchema#double> <urn:fonds:scores> .\n\
                 <urn:x:s> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> \
                 <http://www.w3.org/ns/dqv#QualityMeasurement> <urn:fonds:scores> .\n";
    std::fs::write(&spoiled, format!("{text}{score}")).unwrap();
    let (_, conforms, why) = against_shapes(out, &spoiled).unwrap();
    assert!(!conforms && why.contains("<= Literal(\"1.0\""), "{why}");
}
