//! A handover that is read back and handed over again: file by file the same,
//! but for what is listed here.

use crate::archive::{records, warcs_under};
use crate::folders::{copy_folder, files_under};
use crate::program::{arg, fonds, fonds_with};
use crate::sample::demo;
use fonds::warc::Record;
use fonds::work::models::CampaignId;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What may differ, and why, by kind of workspace.
#[derive(Clone, Copy)]
struct Allowed {
    /// Fields of metadata records, as paths.
    metadata: &'static [&'static str],
    /// Parts of quads of a line that may be in one graph alone.
    quads: &'static [&'static str],
}

/// Dates of what is made anew in each workspace.
const DATES: &[&str] = &["inlinks.built"];

/// Everything of a campaign was handed over.
const WHOLE: Allowed = Allowed { metadata: DATES, quads: &[] };

/// Captures that were imported by the first workspace: the import of the second is another one. An
/// ARC record without a type is a WARC record with one, and a revisit that stood behind its
/// original in a file had its title from there.
const IMPORTED: Allowed = Allowed {
    metadata: &["inlinks.built", "capturedFor.campaign", "capturedFor.version", "capturedFor.launch"],
    quads: &["/terms/format>"],
};

/// An export and how it is read.
struct Export<'e> {
    folder: &'e Path,
    records: Vec<Record>,
}

impl<'e> Export<'e> {
    fn read(folder: &'e Path) -> Self {
        let files = warcs_under(&folder.join("data/archive"));
        Self { folder, records: files.iter().flat_map(|file| records(file)).collect() }
    }

    fn text(&self, path: &str) -> String {
        if path == "data/knowledge.nq.gz" {
            return crate::archive::knowledge_of(self.folder);
        }
        std::fs::read_to_string(self.folder.join(path)).unwrap()
    }

    fn field(record: &Record, name: &str) -> String {
        record.head.headers.get(name).unwrap_or_default()
    }

    /// What the export itself wrote: its own head, metadata and graph.
    fn is_of_export(record: &Record) -> bool {
        let target = Self::field(record, "WARC-Target-URI");
        target.starts_with("urn:fonds:") || !Self::field(record, "WARC-Filename").is_empty()
    }

    /// The records that were handed over, with every field of their heads.
    fn carried(&self) -> BTreeSet<(String, Vec<u8>)> {
        let head = |record: &Record| {
            let fields = record.head.headers.iter();
            fields.map(|(name, value)| format!("{name}: {}\n", String::from_utf8_lossy(value))).collect::<String>()
        };
        let carried = self.records.iter().filter(|record| !Self::is_of_export(record));
        carried.map(|record| (head(record), record.block.clone())).collect()
    }

    /// Metadata by the record that each is about.
    fn metadata(&self) -> BTreeMap<String, Value> {
        let of = self.records.iter().filter(|of| Self::field(of, "WARC-Target-URI").starts_with("urn:fonds:export:"));
        let known = |of: &Record| {
            let mut known: Value = serde_json::from_slice(&of.block).unwrap();
            // Where decisions are from differs by the hands that they went through.
            known["annotations"].as_array_mut().unwrap().iter_mut().for_each(|of| of["origin"] = Value::Null);
            known
        };
        of.map(|of| (Self::field(of, "WARC-Refers-To"), known(of))).collect()
    }

    /// Ids of records whose digest in the source contradicted their bytes.
    fn corrected(&self) -> BTreeSet<String> {
        let is_corrected = |record: &&Record| !Self::field(record, "WARC-Fonds-Source-Payload-Digest").is_empty();
        let ids = self.records.iter().filter(is_corrected).map(|record| Self::field(record, "WARC-Record-ID"));
        ids.map(|id| id.trim_matches(['<', '>']).to_owned()).collect()
    }

    /// Captures of the index, without where they are.
    fn index(&self) -> BTreeSet<String> {
        let text = self.text("data/indexes/index.cdxj");
        let lines = text.lines().filter(|line| !line.starts_with("urn:"));
        lines.map(|line| line.split("\"length\"").next().unwrap().to_owned()).collect()
    }
}

/// The fields in which two documents differ, as paths.
fn differing(path: &str, one: &Value, other: &Value, found: &mut BTreeSet<String>) {
    match (one, other) {
        (Value::Object(a), Value::Object(b)) => {
            for key in a.keys().chain(b.keys()).collect::<BTreeSet<_>>() {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                differing(&path, a.get(key).unwrap_or(&Value::Null), b.get(key).unwrap_or(&Value::Null), found);
            }
        }
        _ if one != other => drop(found.insert(path.to_owned())),
        _ => {}
    }
}

/// Compares every file of two exports; a line each says how.
#[track_caller]
fn compared(first: &Path, second: &Path, allowed: Allowed) -> Vec<(String, String)> {
    let (one, two) = (Export::read(first), Export::read(second));
    let names = |of: &Path| -> Vec<String> {
        let files = files_under(of).into_iter();
        let names = files.map(|file| file.strip_prefix(of).unwrap().to_string_lossy().into_owned());
        names.filter(|name| !name.starts_with("data/archive/")).collect::<BTreeSet<_>>().into_iter().collect()
    };
    assert_eq!(names(first), names(second), "other files");
    let corrected = one.corrected();
    let about_corrected = |line: &str| corrected.iter().any(|id| line.starts_with(&format!("<{id}")));
    let mut table = Vec::new();
    for name in names(first) {
        let same = std::fs::read(first.join(&name)).unwrap() == std::fs::read(second.join(&name)).unwrap();
        let how = match name.as_str() {
            _ if same => "the same bytes".to_owned(),
            "manifest.json" => {
                let document = |of: &Export<'_>| -> Value { serde_json::from_str(&of.text(&name)).unwrap() };
                let (mut a, mut b) = (document(&one), document(&two));
                let paths = |manifest: &Value| -> Vec<String> {
                    let files = manifest["files"].as_array().unwrap().iter();
                    let paths = files.map(|file| file["path"].as_str().unwrap().to_owned());
                    paths.filter(|path| !path.starts_with("data/archive/")).collect()
                };
                assert_eq!(paths(&a), paths(&b));
                // Digests and sizes follow from what is compared file by file.
                (a["files"], b["files"]) = (Value::Null, Value::Null);
                let mut found = BTreeSet::new();
                differing("", &a, &b, &mut found);
                let known = [
                    "created",
                    "software",
                    "counts.copied",
                    "counts.rewrapped",
                    "selection.inlinksBuilt",
                    "selection.selected",
                    "selection.excludedByHand",
                    "counts.inlink_objects",
                    "attachments.data/knowledge.nq.gz",
                ];
                found.retain(|path| !known.contains(&path.as_str()));
                assert!(found.is_empty(), "{name}: {found:?}");
                "equal but for dates, software, digests, what was copied as it is, and counts of what was left out"
                    .to_owned()
            }
            "data/indexes/index.cdxj" => {
                assert_eq!(one.index(), two.index());
                "the same captures; offsets and file names are those of the new archive files".to_owned()
            }
            "data/knowledge.nq.gz" => {
                let quads =
                    |of: &Export<'_>| -> BTreeSet<String> { of.text(&name).split('\n').map(str::to_owned).collect() };
                let (a, b) = (quads(&one), quads(&two));
                let strange: Vec<&String> = a
                    .symmetric_difference(&b)
                    .filter(|line| !allowed.quads.iter().any(|part| line.contains(part)) && !about_corrected(line))
                    .filter(|line| !line.contains("#wasQuotedFrom> <urn:fonds:source:"))
                    .collect();
                assert!(
                    strange.is_empty(),
                    "{} quads: {:#?}",
                    strange.len(),
                    strange.iter().take(5).collect::<Vec<_>>()
                );
                format!("{} of {} quads are the same", a.intersection(&b).count(), a.len())
            }
            "data/decisions.jsonl" => {
                let lines = |of: &Export<'_>| -> Vec<Value> {
                    let mut lines: Vec<Value> =
                        of.text(&name).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
                    lines.iter_mut().for_each(|line| drop(line.as_object_mut().unwrap().shift_remove("via")));
                    lines
                };
                assert_eq!(lines(&one), lines(&two));
                "equal but for where each came from".to_owned()
            }
            "report.html" | "report.md" => "written anew, with another date".to_owned(),
            "bag-info.txt" | "manifest-sha256.txt" | "tagmanifest-sha256.txt" => {
                "follows from the other files".to_owned()
            }
            _ => panic!("{name} differs"),
        };
        table.push((name, how));
    }
    let (a, b) = (one.carried(), two.carried());
    let strange: Vec<&str> = a.symmetric_difference(&b).map(|(head, _)| head.as_str()).take(3).collect();
    assert!(strange.is_empty(), "records: {strange:#?}");
    table.push((
        "data/archive: records that were handed over".to_owned(),
        format!("{} with the same head and block", a.len()),
    ));
    let (a, b) = (one.metadata(), two.metadata());
    assert!(a.keys().eq(b.keys()), "metadata of other captures");
    let mut fields = BTreeSet::new();
    for (id, document) in &a {
        let mut found = BTreeSet::new();
        differing("", document, &b[id], &mut found);
        found.retain(|path| !allowed.metadata.contains(&path.as_str()));
        if !corrected.contains(id.trim_matches(['<', '>'])) {
            assert!(found.is_empty(), "{id}: {found:?}\n{document:#}\n{:#}", b[id]);
        }
        fields.extend(found);
    }
    let but = if fields.is_empty() { String::new() } else { format!(", of corrected digests also for {fields:?}") };
    let how = format!("{} equal but for {}{but}", a.len(), allowed.metadata.join(", "));
    table.push(("data/archive: metadata records".to_owned(), how));
    table
}

/// Rows of every table of a catalogue.
pub fn rows(workspace: &Path) -> BTreeMap<String, i64> {
    let catalogue = rusqlite::Connection::open(workspace.join("fonds.sqlite")).unwrap();
    let mut tables = catalogue.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").unwrap();
    let names: Vec<String> = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let count = |name: &str| catalogue.query_row(&format!("SELECT count(*) FROM \"{name}\""), [], |row| row.get(0));
    names.iter().map(|name| (name.clone(), count(name).unwrap())).collect()
}

/// Exports a workspace, reads it back into a new one and exports that; the new
/// workspace and what was compared.
#[track_caller]
fn there_and_back(dir: &Path, workspace: &Path, allowed: Allowed) -> (PathBuf, Vec<(String, String)>) {
    let [first, second, other] = ["first", "second", "other"].map(|name| dir.join(name));
    // Status 1 says that sources have problems, which are named.
    let export = |workspace: &Path, out: &Path| {
        let export = fonds(&["export", arg(workspace), "--out", arg(out)]);
        assert!(export.status <= 1, "{}", export.err);
    };
    export(workspace, &first);
    fonds(&["new", arg(&other)]).with_status(0);
    let imported = fonds(&["import", arg(&other), arg(&first)]);
    assert!(imported.status <= 1, "{}", imported.err);
    export(&other, &second);
    fonds(&["verify", arg(&second)]).with_status(0);
    let table = compared(&first, &second, allowed);
    // A second time nothing is added but the note that it was imported.
    let before = rows(&other);
    fonds(&["import", arg(&other), arg(&first)]);
    let mut after = rows(&other);
    for (name, count) in &before {
        let is_note = ["job", "launch", "import", "import_file", "problem"].contains(&name.as_str());
        if is_note {
            after.insert(name.clone(), *count);
        }
    }
    assert_eq!(before, after);
    (other, table)
}

fn print(what: &str, table: &[(String, String)]) {
    println!("{what}");
    table.iter().for_each(|(name, how)| println!("  {name:45} {how}"));
}

fn demo_copy() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("w");
    copy_folder(&demo().report.workspace, &workspace);
    (dir, workspace)
}

#[test]
fn a_whole_campaign_read_back_leaves_as_it_came() {
    let (dir, workspace) = demo_copy();
    let w = arg(&workspace);
    fonds(&["mark", w, "approve", "--filter", "host:roteiro.example", "--by", "Ana", "--reason", "routes"])
        .with_status(0);
    fonds(&["select", "run", w, "1", "--filter", "*"]).with_status(0);
    let (other, table) = there_and_back(dir.path(), &workspace, WHOLE);
    print("The demo, all of it", &table);
    assert!(table.contains(&("data/seen.jsonl.gz".to_owned(), "the same bytes".to_owned())));
    // Whoever asks why a URL was refused gets the same answer, with where it came from.
    let refused = crate::selections::packed_lines(&dir.path().join("first/data/seen.jsonl.gz"));
    let refused =
        refused.iter().find(|url| url["rule"]["name"] == "RejectDecideRule" && url["via"].is_string()).unwrap();
    let url = refused["url"].as_str().unwrap();
    let why = |workspace: &Path| fonds(&["why", arg(workspace), url]).with_status(0).out;
    let (here, there) = (why(&other), why(&workspace));
    assert!(here.contains("Came with the handover “first”: it was not crawled here"), "{here}");
    assert!(!there.contains("Came with"), "{there}");
    for line in ["Recorded", "Found on", "Link text", "Hops", "Seen", "Outcome"] {
        let line_of = |text: &str| text.lines().find(|of| of.trim_start().starts_with(line)).map(str::to_owned);
        assert_eq!(line_of(&here), line_of(&there), "{line}");
    }
    let rules = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.trim_start().starts_with('>')).map(str::to_owned).collect()
    };
    assert_eq!(rules(&here), rules(&there));
    let figures = |workspace: &Path| {
        let session = fonds::work::Session::new(fonds::store::Workspace::open_or_read_only(workspace).unwrap());
        let launches = session.catalogue().launches(Some(CampaignId::new(1))).unwrap().into_iter();
        let launches: Vec<_> = launches
            .map(|of| {
                (of.launch, of.queued, of.fetched, of.failed, of.refused, of.started, of.ended, of.ran_ms, of.why)
            })
            .collect();
        (launches, session.catalogue().refused_by_rule(CampaignId::new(1)).unwrap())
    };
    assert_eq!(figures(&other), figures(&workspace));
    // Nobody goes on with a crawl of another workspace; where it came from, nothing is added.
    let session = fonds::work::Session::new(fonds::store::Workspace::open(&other).unwrap());
    assert_eq!(session.catalogue().unfinished_launch(CampaignId::new(1)).unwrap(), None);
    assert_eq!(session.catalogue().own_last_launch(CampaignId::new(1)).unwrap(), None);
    drop(session);
    let before = rows(&workspace);
    fonds(&["import", w, arg(&dir.path().join("first"))])
        .with_status(0)
        .with_message("of this workspace, left as it is");
    let after = rows(&workspace);
    for table in ["seen", "capture", "mark", "launch_origin", "handed_geo", "campaign", "campaign_version", "score"] {
        assert_eq!(before[table], after[table], "{table}");
    }
}

#[test]
fn a_selection_read_back_leaves_as_it_came_with_links_of_pages_left_out() {
    let (dir, workspace) = demo_copy();
    let w = arg(&workspace);
    fonds(&["mark", w, "reject", "--filter", "host:harborblog.example", "--by", "Ana", "--reason", "ads"])
        .with_status(0);
    fonds(&["select", "run", w, "1", "--threshold", "0.3"]).with_status(0);
    let (other, table) = there_and_back(dir.path(), &workspace, WHOLE);
    print("The demo, captures that score 0.3", &table);
    let left_out = "http://biblioteca.vilanova.example/sobre.html";
    let of = fonds(&["inlinks", "show", arg(&other), "http://assembleia.example/"]).with_status(0);
    let line = of.out.lines().find(|line| line.contains(left_out)).unwrap();
    assert!(line.ends_with("“Assembleia Municipal”  (page not here, from first)"), "{line}");
    let captures = fonds(&["captures", arg(&other), &format!("url:{left_out}"), "--count"]);
    assert_eq!(captures.out.trim(), "0");
}

#[test]
fn archives_of_many_programs_survive_export_and_import() {
    let Some(data) = crate::need::data("warc") else { return };
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("w");
    let w = arg(&workspace);
    fonds(&["new", w]).with_status(0);
    let campaign = fonds(&["campaign", "example"]).with_status(0).out;
    fonds_with(&["campaign", "add", w, "-"], campaign.as_bytes()).with_status(0);
    let all = data.parent().unwrap();
    let folders = ["warc", "wacz", "inlinks"].map(|name| all.join(name));
    fonds(&["import", w, arg(&folders[0]), arg(&folders[1]), arg(&folders[2])]).with_status(1);
    fonds(&["inlinks", "build", w]).with_status(1);
    fonds(&["mark", w, "approve", "--filter", "host:auer.netzliteratur.net", "--by", "Ana", "--reason", "small"])
        .with_status(0);
    fonds(&["select", "run", w, "1", "--filter", "*"]).with_status(0);
    let (_, table) = there_and_back(dir.path(), &workspace, IMPORTED);
    print("All archives of the test data", &table);
}
