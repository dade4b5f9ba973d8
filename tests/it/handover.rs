//! Inlinks in an export, in its records and in its data set.

use crate::archive::{file, page};
use crate::archive::{records, warcs_under};
use crate::program::{arg, fonds, fonds_with};
use fonds::warc::RecordType;
use fonds::work::models::CampaignId;
use serde_json::Value;
use std::path::Path;

const TARGET: &str = "http://www.a.pt/sobre";

/// Inlinks of the target, by the metadata record of an export.
fn by_record(export: &Path) -> Value {
    let files = warcs_under(&export.join("data/archive"));
    let record = files
        .iter()
        .flat_map(|file| records(file))
        .find(|record| {
            record.head.record_type == RecordType::Metadata && record.head.target_uri().as_deref() == Some(TARGET)
        })
        .unwrap();
    serde_json::from_slice::<Value>(&record.block).unwrap()["inlinks"].clone()
}

/// Counts of the inlinks of the target, by the data set of an export.
fn by_line(export: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(export.join("data/inlinks.jsonl")).ok()?;
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let counts =
        lines.filter(|object| object["url"] == "(pt,a,)/sobre").map(|object| object["count"].as_u64().unwrap());
    counts.max()
}

/// What an export that was told of problems says in JSON.
fn export(workspace: &Path, out: &Path) -> Value {
    fonds(&["export", arg(workspace), "--out", arg(out), "--json"]).with_status(0).json_lines().remove(0)
}

#[test]
fn records_and_data_set_of_an_export_list_the_same_inlinks_however_old_the_build_is() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("w");
    let out = |name: &str| dir.path().join(name);
    let linking = |host: &str, day: u32| {
        page(
            &format!("http://{host}/"),
            &format!("2024-03-{day:02}T10:00:00Z"),
            "<a href=http://www.a.pt/sobre>A sobre</a>",
        )
    };
    let first = [page(TARGET, "2024-03-01T09:00:30Z", "<p>Sobre"), linking("b.pt", 2)];
    fonds(&["new", arg(&workspace)]).with_status(0);
    let campaign = fonds(&["campaign", "example"]).with_status(0).out;
    fonds_with(&["campaign", "add", arg(&workspace), "-"], campaign.as_bytes()).with_status(0);
    fonds(&["import", arg(&workspace), arg(&file(dir.path(), "first.warc.gz", &first))]).with_status(0);
    fonds(&["select", "run", arg(&workspace), "1", "--filter", "host:www.a.pt"]).with_status(0);

    // Beside a writer nothing is built: without a build, no export says that nobody links here.
    let open = fonds::store::Workspace::open(&workspace).unwrap();
    let report = export(&workspace, &out("unbuilt"));
    assert!(report["inlinks_missing"].as_str().unwrap().contains("fonds inlinks build"), "{report}");
    assert_eq!((by_record(&out("unbuilt")), by_line(&out("unbuilt"))), (Value::Null, None));
    drop(open);

    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    let second = [linking("c.pt", 3), linking("www.a.pt", 4)];
    fonds(&["import", arg(&workspace), arg(&file(dir.path(), "second.warc.gz", &second))]).with_status(0);
    let open = fonds::store::Workspace::open(&workspace).unwrap();
    let report = export(&workspace, &out("old"));
    assert!(report["inlinks_missing"].as_str().unwrap().contains("last build"), "{report}");
    assert_eq!((by_record(&out("old"))["count"].as_u64(), by_line(&out("old"))), (Some(1), Some(1)));
    drop(open);

    // Where it can be written, what came since is taken in first.
    let report = export(&workspace, &out("new"));
    assert!(report["inlinks_missing"].is_null(), "{report}");
    let known = by_record(&out("new"));
    assert_eq!((known["count"].as_u64(), known["countInternal"].as_u64()), (Some(3), Some(1)), "{known}");
    assert_eq!(by_line(&out("new")), Some(3));
    for name in ["unbuilt", "old", "new"] {
        fonds(&["verify", arg(&out(name))]).with_status(0);
    }

    // The data set of the older build beside the records of the newer one.
    let (old, new) = (out("old").join("data/inlinks.jsonl"), out("new").join("data/inlinks.jsonl"));
    std::fs::copy(&old, &new).unwrap();
    let path = out("new").join("manifest.json");
    let mut manifest = fonds::export::Manifest::read(&out("new")).unwrap();
    let of_old = fonds::export::Manifest::read(&out("old")).unwrap();
    let entry = |manifest: &fonds::export::Manifest| {
        manifest.files.iter().position(|file| file.path == "data/inlinks.jsonl").unwrap()
    };
    let at = entry(&manifest);
    manifest.files[at] = of_old.files[entry(&of_old)].clone();
    std::fs::write(&path, serde_json::to_vec(&manifest).unwrap()).unwrap();
    let checks = fonds(&["verify", arg(&out("new")), "--json"]).with_status(1).json_lines();
    let failed: Vec<&Value> = checks.iter().filter(|check| check["ok"] == false).collect();
    // The tag files of the bag tell of the other manifest, too.
    assert_eq!(failed.len(), 2, "{failed:?}");
    assert!(failed[0]["detail"].as_str().unwrap().contains("its metadata record has 3"), "{failed:?}");
    assert!(failed[1]["detail"].as_str().unwrap().contains("manifest.json: SHA-256 differs"), "{failed:?}");
}

/// The lines of a document, unpacked where it is packed.
fn lines(path: &Path) -> Vec<Value> {
    let bytes = std::fs::read(path).unwrap();
    let mut text = String::new();
    match path.extension().is_some_and(|ending| ending == "gz") {
        true => std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&bytes[..]), &mut text).unwrap(),
        false => std::io::Read::read_to_string(&mut &bytes[..], &mut text).unwrap(),
    };
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn decisions_on_what_was_left_out_and_every_url_seen_leave_with_the_selection() {
    let dir = tempfile::tempdir().unwrap();
    let (workspace, out) = (dir.path().join("w"), dir.path().join("out"));
    let mark = |mark: &str, filter: &str, note: &str| {
        fonds(&["mark", arg(&workspace), mark, "--filter", filter, "--reason", note, "--by", "Ana"]).with_status(0);
    };
    let pages = [
        page(TARGET, "2024-03-01T09:00:30Z", "<p>Sobre"),
        page("http://b.pt/", "2024-03-02T09:00:30Z", "<title><script>alert(1)</script></title>"),
    ];
    fonds(&["new", arg(&workspace)]).with_status(0);
    let mut campaign: Value = serde_json::from_str(&fonds(&["campaign", "example"]).with_status(0).out).unwrap();
    campaign["name"] = "Sobre <b>tudo</b>".into();
    fonds_with(&["campaign", "add", arg(&workspace), "-"], campaign.to_string().as_bytes()).with_status(0);
    fonds(&["import", arg(&workspace), arg(&file(dir.path(), "a.warc.gz", &pages))]).with_status(0);
    mark("reject", "host:b.pt", "advertising =1+1");
    mark("approve", "host:www.a.pt", "");
    fonds(&["select", "run", arg(&workspace), "1", "--filter", "host:www.a.pt"]).with_status(0);
    fonds(&["export", arg(&workspace), "--out", arg(&out)]).with_status(0);
    fonds(&["verify", arg(&out)]).with_status(0);

    let decisions = lines(&out.join("data/decisions.jsonl"));
    let of = |url: &str| decisions.iter().find(|decision| decision["target"]["source"] == url).unwrap();
    assert_eq!(decisions.len(), 2);
    let rejected = of("http://b.pt/");
    assert_eq!(rejected["creator"]["name"], "Ana");
    assert_eq!(rejected["body"][0]["value"], "reject");
    assert_eq!(rejected["body"][1]["value"], "advertising =1+1");
    assert_eq!(rejected["target"]["state"]["sourceDate"], "2024-03-02T09:00:30Z");
    assert!(
        !records(&warcs_under(&out)[0])
            .iter()
            .any(|record| record.head.target_uri().as_deref() == Some("http://b.pt/"))
    );
    // A second export says the same with the same ids.
    let again = dir.path().join("again");
    fonds(&["export", arg(&workspace), "--out", arg(&again)]).with_status(0);
    assert_eq!(decisions, lines(&again.join("data/decisions.jsonl")));

    // Its own campaign comes back with all versions.
    let other = dir.path().join("other");
    fonds(&["new", arg(&other)]).with_status(0);
    fonds(&["import", arg(&other), arg(&out)]).with_status(0);
    assert!(fonds(&["campaign", "list", arg(&other)]).with_status(0).out.contains("Sobre <b>tudo</b>"));
    let annotations = |workspace: &Path| -> Vec<Value> {
        fonds(&["annotations", "export", arg(workspace)]).with_status(0).json_lines()
    };
    // The decision on what is not here is kept, and handed over again.
    let mut came = annotations(&other);
    for line in &mut came {
        let via = line.as_object_mut().unwrap().shift_remove("via").unwrap();
        assert_eq!(via, serde_json::json!(["urn:fonds:source:out"]));
    }
    assert_eq!(came, decisions);
    fonds(&["import", arg(&other), arg(&again)]).with_status(0).with_message("0 new, 2 here already");
    // What is decided here holds against what came, whatever came first.
    fonds(&["mark", arg(&other), "reject", "--filter", "host:www.a.pt", "--by", "Rui"]).with_status(0);
    fonds(&["annotations", "import", arg(&other), arg(&out.join("data/decisions.jsonl"))]).with_status(0);
    let why = fonds(&["select", "run", arg(&other), "1", "--filter", "*", "--allow-empty"]).with_status(0);
    assert!(why.out.contains("0 of 1 capture selected") && why.out.contains("1 excluded by hand"), "{}", why.out);
    assert_eq!(annotations(&other).len(), 3);
    // Nothing comes in of a folder that is not whole.
    let spoiled = dir.path().join("spoiled");
    let manifest = std::fs::read_to_string(again.join("manifest.json")).unwrap();
    std::fs::write(again.join("data/decisions.jsonl"), "{}\n").unwrap();
    fonds(&["new", arg(&spoiled)]).with_status(0);
    fonds(&["import", arg(&spoiled), arg(&again)]).with_status(1).with_message("data/decisions.jsonl");
    std::fs::write(again.join("manifest.json"), manifest.replace("data/decisions.jsonl", "data/../../decisions.jsonl"))
        .unwrap();
    fonds(&["import", arg(&spoiled), arg(&again)]).with_status(1).with_message("leads out of the folder");
    assert_eq!(fonds(&["campaign", "list", arg(&spoiled), "--json"]).json_lines(), Vec::<Value>::new());

    let report = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(report.contains("Sobre &lt;b&gt;tudo&lt;/b&gt;") && report.contains("advertising =1+1"), "{report}");
    assert!(!report.contains("<script") && !report.contains("http-equiv=\"refresh"), "{report}");

    // A line less, with manifest and digests to match, is missed all the same.
    std::fs::write(out.join("data/decisions.jsonl"), format!("{}\n", decisions[0])).unwrap();
    let checks = fonds(&["verify", arg(&out), "--json"]).with_status(1).json_lines();
    let failed =
        |what: &str| checks.iter().any(|check| check["ok"] == false && check["what"].as_str().unwrap() == what);
    assert!(
        failed("Attachments have the rows of the manifest") && failed("Files are those of the manifest"),
        "{checks:?}"
    );
}

#[test]
fn every_url_that_a_crawl_saw_has_its_verdict_and_the_folder_is_a_bag() {
    let report = &crate::sample::demo().report;
    let seen = lines(&report.export.join("data/seen.jsonl.gz"));
    let session = fonds::work::Session::new(fonds::store::Workspace::open_or_read_only(&report.workspace).unwrap());
    let launches = session.catalogue().launches(Some(CampaignId::new(1))).unwrap();
    assert_eq!(
        seen.len() as u64,
        launches.iter().map(|of| of.queued + of.fetched + of.failed + of.refused).sum::<u64>()
    );
    let refused: Vec<&Value> = seen.iter().filter(|url| url["state"] == "refused").collect();
    assert!(refused.iter().any(|url| url["rule"]["index"] == 4 && !url["via"].as_str().unwrap().is_empty()));
    assert!(refused.iter().all(|url| url["decision"] == "REJECT" || url["why"].is_string()), "{refused:?}");

    let Some([python]) = crate::need::peers(["python3"]) else { return };
    let bag =
        std::process::Command::new(python).args(["-m", "bagit", "--validate", arg(&report.export)]).output().unwrap();
    assert!(bag.status.success(), "{}", String::from_utf8_lossy(&bag.stderr));
}

#[test]
fn every_command_leaves_its_row_in_the_job_history_and_a_stopped_one_is_marked() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("w");
    let out = dir.path().join("out");
    fonds(&["new", arg(&workspace)]).with_status(0);
    fonds(&["jobs", arg(&workspace)]).with_status(1).with_message("Nothing was done in this workspace yet");
    let pages = [page(TARGET, "2024-03-01T09:00:30Z", "<p>Sobre"), page("http://b.pt/", "2024-03-02T09:00:30Z", "")];
    let archive = file(dir.path(), "a.warc.gz", &pages);
    let campaign = fonds(&["campaign", "example"]).with_status(0).out;
    fonds_with(&["campaign", "add", arg(&workspace), "-"], campaign.as_bytes()).with_status(0);
    let filter = "host:www.a.pt";
    for command in [
        &["import", arg(&workspace), arg(&archive)][..],
        &["inlinks", "build", arg(&workspace)],
        &["mark", arg(&workspace), "flag", "--filter", filter, "--by", "Ana"],
        &["select", "run", arg(&workspace), "1", "--filter", filter],
        &["export", arg(&workspace), "--out", arg(&out)],
        &["files", "list", arg(&workspace), "--check"],
        &["backup", arg(&workspace), arg(&dir.path().join("copy"))],
    ] {
        fonds(command).with_status(0);
    }
    // What fails says why.
    fonds(&["export", arg(&workspace), "--out", arg(&out)]).with_status(2);
    let rows = fonds(&["jobs", arg(&workspace), "--json"]).with_status(0).json_lines();
    let names: Vec<&str> = rows.iter().rev().map(|row| row["name"].as_str().unwrap()).collect();
    let expected = ["Import", "Build inlinks", "Mark captures", "Select", "Export", "Check files", "Backup", "Export"];
    assert_eq!(names, expected);
    assert!(rows.iter().all(|row| !row["ended"].is_null() && !row["outcome"].as_str().unwrap().is_empty()), "{rows:?}");
    let outcome = |number: usize| rows[rows.len() - 1 - number]["outcome"].as_str().unwrap();
    assert_eq!(outcome(2), "1 capture flagged, by Ana");
    assert!(outcome(4).contains("1 selected"), "{}", outcome(4));
    assert!(outcome(7).starts_with("failed: ") && outcome(7).contains("not empty"), "{}", outcome(7));
    // A command that only looks is no job.
    fonds(&["select", "preview", arg(&workspace), "1"]).with_status(0);
    assert_eq!(fonds(&["jobs", arg(&workspace), "--json"]).with_status(0).json_lines().len(), rows.len());
}

/// Writes another file into an export, and its size and digest into the manifest.
pub fn put(export: &Path, path: &str, bytes: &[u8]) {
    std::fs::write(export.join(path), bytes).unwrap();
    let mut manifest = fonds::export::Manifest::read(export).unwrap();
    let digest = <sha2::Sha256 as sha2::Digest>::digest(bytes);
    let sha256: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let entry = manifest.files.iter_mut().find(|file| file.path == path).unwrap();
    (entry.bytes, entry.sha256) = (bytes.len() as u64, sha256);
    std::fs::write(export.join("manifest.json"), serde_json::to_vec(&manifest).unwrap()).unwrap();
}

/// A line of `data/seen.jsonl.gz`.
fn seen_line(url: &str, job: &str, launch: &str) -> String {
    let line = serde_json::json!({"url": url, "date": "2024-03-01T09:00:00Z", "decision": "REJECT", "state": "refused",
        "rule": {"index": 1, "name": "RejectDecideRule"}, "status": 0, "hops": "L", "job": job, "launch": launch});
    format!("{line}\n")
}

fn packed(text: &str) -> Vec<u8> {
    crate::archive::gzip(text.as_bytes())
}

#[test]
fn nothing_comes_in_of_a_handover_that_is_not_whole_or_not_understood() {
    let dir = tempfile::tempdir().unwrap();
    let (_, whole) = crate::knowledge::exported(dir.path());
    let archive = warcs_under(&whole)[0].strip_prefix(&whole).unwrap().to_str().unwrap().to_owned();
    let text = |export: &Path, path: &str| std::fs::read_to_string(export.join(path)).unwrap();
    type Spoil<'s> = &'s dyn Fn(&Path);
    let cases: [(&str, &str, Spoil<'_>); 15] = [
        ("a file is missing", "data/knowledge.nq.gz", &|out| {
            std::fs::remove_file(out.join("data/knowledge.nq.gz")).unwrap();
        }),
        ("a byte of an archive file is another", &archive, &|out| {
            let mut bytes = std::fs::read(out.join(&archive)).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            std::fs::write(out.join(&archive), bytes).unwrap();
        }),
        ("a byte of the graph is another", "data/knowledge.nq.gz", &|out| {
            let changed = crate::archive::knowledge_of(out).replacen("urn:fonds", "urn:Fonds", 1);
            std::fs::write(out.join("data/knowledge.nq.gz"), fonds::warc::gzip_member(changed.as_bytes())).unwrap();
        }),
        ("an archive file that nobody lists", "data/archive/more.warc.gz: the manifest does not list it", &|out| {
            std::fs::copy(out.join(&archive), out.join("data/archive/more.warc.gz")).unwrap();
        }),
        ("a campaign that nobody lists", "campaign.v9.json: the manifest does not list it", &|out| {
            std::fs::copy(out.join("data/campaign/campaign.v1.json"), out.join("data/campaign/campaign.v9.json"))
                .unwrap();
        }),
        ("a path leads out", "leads out of the folder", &|out| {
            let changed = text(out, "manifest.json").replace("data/inlinks.jsonl", "data/../../inlinks.jsonl");
            std::fs::write(out.join("manifest.json"), changed).unwrap();
        }),
        ("an absolute path", "leads out of the folder", &|out| {
            let changed = text(out, "manifest.json").replace("data/inlinks.jsonl", "/etc/hostname");
            std::fs::write(out.join("manifest.json"), changed).unwrap();
        }),
        ("a layout of a newer version", "reads versions 1 to 2. Take a newer Fonds", &|out| {
            let changed = text(out, "manifest.json").replace("\"version\": 2", "\"version\": 3");
            std::fs::write(out.join("manifest.json"), changed).unwrap();
        }),
        ("a campaign of a newer version", "campaign.v1.json: this program cannot read it as a campaign", &|out| {
            put(out, "data/campaign/campaign.v1.json", br#"{"name": {"pt": "Sobre"}, "request": {"near": []}}"#);
        }),
        ("a decision that is no JSON", "decisions.jsonl", &|out| {
            let lines = text(out, "data/decisions.jsonl") + "{\"id\": \n";
            put(out, "data/decisions.jsonl", lines.as_bytes());
        }),
        ("a URL seen that is none", "seen.jsonl.gz, line 1: “no URL” is no URL", &|out| {
            put(out, "data/seen.jsonl.gz", &packed(&seen_line("no URL", "town", "20240301090000")));
        }),
        ("a launch that leads out", "the job name “../town”", &|out| {
            put(out, "data/seen.jsonl.gz", &packed(&seen_line("http://a.pt/", "../town", "20240301090000")));
        }),
        ("a score that is no number", "scores.jsonl.gz, line 1", &|out| {
            put(out, "data/scores.jsonl.gz", &packed("{\"url\": \"http://a.pt/\", \"score\": \"much\"}\n"));
        }),
        ("launches in another form", "launches.json", &|out| {
            put(out, "data/launches.json", br#"{"launches": [{"job": "town"}]}"#);
        }),
        ("a link to a file of the person", "data/decisions.jsonl", &|out| {
            #[cfg(unix)]
            {
                let path = out.join("data/decisions.jsonl");
                let secret = out.join("../secret");
                std::fs::rename(&path, &secret).unwrap();
                std::os::unix::fs::symlink(&secret, &path).unwrap();
            }
            #[cfg(not(unix))]
            std::fs::remove_file(out.join("data/decisions.jsonl")).unwrap();
        }),
    ];
    for (number, (what, message, spoil)) in cases.into_iter().enumerate() {
        let (spoiled, workspace) = (dir.path().join(format!("s{number}/out")), dir.path().join(format!("w{number}")));
        crate::folders::copy_folder(&whole, &spoiled);
        spoil(&spoiled);
        fonds(&["new", arg(&workspace)]).with_status(0);
        let before = crate::round_trip::rows(&workspace);
        let import = fonds(&["import", arg(&workspace), arg(&spoiled)]);
        assert!(import.status == 1 && import.err.contains(message), "{what}: {} {}", import.status, import.err);
        assert!(import.err.contains("nothing of the handover came in"), "{what}: {}", import.err);
        // But for its row in the job history nothing is another.
        let mut after = crate::round_trip::rows(&workspace);
        after.insert("job".to_owned(), before["job"]);
        assert_eq!(before, after, "{what}");
        for list in [&["campaign", "list"][..], &["captures"], &["annotations", "export"]] {
            let args: Vec<&str> = list.iter().copied().chain([arg(&workspace)]).collect();
            let left = if list[0] == "annotations" { fonds(&args) } else { fonds(&[&args[..], &["--json"]].concat()) };
            assert_eq!(left.json_lines(), Vec::<Value>::new(), "{what}: {list:?}");
        }
    }
}

#[test]
fn rdf_in_archive_files_is_kept_and_never_followed() {
    let dir = tempfile::tempdir().unwrap();
    let secret = dir.path().join("secret");
    std::fs::write(&secret, "the secret of this machine").unwrap();
    let xml = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE r [<!ENTITY e SYSTEM \"file://{}\">]>\
         <rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"><x>&e;</x></rdf:RDF>",
        secret.display()
    );
    let main = page(TARGET, "2024-03-01T09:00:30Z", "<p>Sobre");
    let id = format!("<urn:x:response:2024-03-01T09:00:30Z:{TARGET}>");
    let metadata = |number: u32, mime: &str, block: &str| -> Vec<u8> {
        let date = fonds::uri::CaptureDate::parse("2024-03-01T09:00:30Z").unwrap();
        let target = format!("urn:fonds:knowledge:{TARGET}");
        fonds::warc::RecordBuilder::metadata(&format!("urn:x:rdf:{number}"), date, &target, mime)
            .field("WARC-Refers-To", &id)
            .compress(block.as_bytes())
    };
    let records = [
        main,
        metadata(1, "application/rdf+xml", &xml),
        metadata(2, "application/n-quads", "<a:b> <a:c> \"not \\q whole\" <a"),
    ];
    let (workspace, out) = (dir.path().join("w"), dir.path().join("out"));
    fonds(&["new", arg(&workspace)]).with_status(0);
    let campaign = fonds(&["campaign", "example"]).with_status(0).out;
    fonds_with(&["campaign", "add", arg(&workspace), "-"], campaign.as_bytes()).with_status(0);
    let found = fonds(&["import", arg(&workspace), arg(&file(dir.path(), "a.warc.gz", &records)), "--json"]);
    let found = found.with_status(0).json_lines();
    assert_eq!((&found[0]["captures"], &found[0]["records"]), (&Value::from(1), &Value::from(3)), "{found:?}");
    fonds(&["select", "run", arg(&workspace), "1", "--filter", "*"]).with_status(0);
    fonds(&["export", arg(&workspace), "--out", arg(&out)]).with_status(0);
    fonds(&["verify", arg(&out)]).with_status(0);
    for file in crate::archive::files_under(&out) {
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        assert!(!text.contains("the secret of this machine"), "{}", file.display());
    }
    let blocks: Vec<Vec<u8>> = records_of(&out).into_iter().map(|record| record.block).collect();
    assert!(!blocks.iter().any(|block| String::from_utf8_lossy(block).contains("the secret of this machine")));
}

fn records_of(export: &Path) -> Vec<fonds::warc::Record> {
    warcs_under(export).iter().flat_map(|file| records(file)).collect()
}
