//! Files that we write are read by programs of others: warcio, cdxj-indexer, pywb, DuckDB.

use crate::archive::{files_under, warcs_under};
use crate::need;
use crate::program::{arg, fonds};
use crate::sample::demo;
use fonds::jobs::JobCx;
use fonds::warc::cdx::{IndexForm, IndexOptions, index_file, write_sorted};
use fonds::warc::{Digests, RecordType};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Starting a Python server takes long on a busy machine; it is waited for so long.
const PATIENCE: Duration = Duration::from_secs(120);

/// Archive files of the demo: those of the crawl, then that of the export.
fn archives() -> Vec<PathBuf> {
    let report = &demo().report;
    let mut files = warcs_under(&report.workspace.join("output"));
    files.extend(warcs_under(&report.export));
    assert!(files.len() >= 3);
    files
}

/// Runs a program that has to end well; tells its standard output.
#[track_caller]
pub fn run(program: &Path, folder: &Path, args: &[&str]) -> String {
    let output = Command::new(program).current_dir(folder).args(args).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{} {args:?}: {}\n{out}\n{err}", program.display(), output.status);
    out.into_owned()
}

#[test]
fn warcio_finds_every_record_and_every_digest_right() {
    let Some([warcio]) = need::peers(["warcio"]) else { return };
    for file in archives() {
        let folder = file.parent().unwrap();
        let path = file.to_str().unwrap();
        let output = run(&warcio, folder, &["check", "-v", path]);
        assert!(output.contains("digest pass") && !output.contains("digest failed"), "{output}");
        let index = run(&warcio, folder, &["index", "-f", "offset,warc-type,warc-record-id", path]);
        let records = crate::archive::records(&file);
        assert_eq!(index.lines().count(), records.len(), "{path}");
        for (line, record) in index.lines().zip(&records) {
            let theirs: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(theirs["offset"], record.span.offset.to_string());
            assert_eq!(theirs["warc-type"], record.head.record_type.as_str());
            assert_eq!(theirs["warc-record-id"], format!("<{}>", record.head.record_id().unwrap()));
        }
    }
}

/// Lines of an index for comparing. A URN has no host to be turned round and
/// stays as it is with us; cdxj-indexer treats it as the path of a URL (small
/// letters, no last slash), so its key is left out.
fn comparable(index: &str) -> Vec<&str> {
    let without_key = |line: &str| if line.starts_with("urn:") { line.find(' ').unwrap_or(0) } else { 0 };
    let mut lines: Vec<&str> = index.lines().map(|line| &line[without_key(line)..]).collect();
    lines.sort_unstable();
    lines
}

#[track_caller]
fn assert_same(ours: &str, theirs: &str) {
    let (ours, theirs) = (comparable(ours), comparable(theirs));
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(ours.len(), theirs.len());
    assert!(ours.iter().filter(|line| !line.starts_with(' ')).count() > 100, "captures are in it");
}

/// Our index in the letters of cdxj-indexer. There is one difference: where a
/// body came in chunks, no `WARC-Payload-Digest` is written, since programs
/// read that field in two ways. We then hash the payload, they hash the body
/// with its chunks, as it crossed the wire.
fn as_they_hash(mut index: String, file: &Path) -> String {
    for record in crate::archive::records(file) {
        let digests = Digests::of_block(&record.block, true);
        if record.head.record_type == RecordType::Response
            && let Some(raw_body) = &digests.raw_body
        {
            let place = format!("\"length\": \"{}\", \"offset\": \"{}\"", record.span.length, record.span.offset);
            let (ours, theirs) = (format!("{}\", {place}", digests.payload), format!("{raw_body}\", {place}"));
            assert!(index.contains(&ours), "{:?}", record.head.target_uri());
            index = index.replace(&ours, &theirs);
        }
    }
    index
}

#[test]
fn our_index_is_that_of_cdxj_indexer() {
    let Some([indexer]) = need::peers(["cdxj-indexer"]) else { return };
    for file in archives() {
        let name = file.file_name().unwrap().to_str().unwrap();
        let theirs = run(&indexer, file.parent().unwrap(), &["--sort", name]);
        let (lines, problems) = index_file(&file, name, IndexOptions::default(), &JobCx::detached()).unwrap();
        assert!(problems.is_empty(), "{problems:?}");
        let mut ours = Vec::new();
        write_sorted(&lines, IndexForm::Cdxj, &mut ours).unwrap();
        let ours = as_they_hash(String::from_utf8(ours).unwrap(), &file);
        assert_same(&ours, &theirs);
    }
    // The index that an export brings is the same.
    let report = &demo().report;
    let archive = &warcs_under(&report.export)[0];
    let name = archive.file_name().unwrap().to_str().unwrap();
    let theirs = run(&indexer, archive.parent().unwrap(), &["--sort", name]);
    let ours = std::fs::read_to_string(report.export.join("data/indexes/index.cdxj")).unwrap();
    assert_same(&as_they_hash(ours, archive), &theirs);
}

/// An archive file with what other writers get wrong, in the job folder of a
/// campaign; exported from a new workspace.
fn export_of_odd_records(dir: &Path) -> PathBuf {
    let job = dir.join("job");
    std::fs::create_dir(&job).unwrap();
    let campaign = fonds(&["campaign", "example"]).with_status(0).out;
    std::fs::write(job.join("campaign.v1.json"), campaign).unwrap();
    let record = |id: &str, date: &str, target: &str, more: &[(&str, &str)]| {
        let fields = [
            ("WARC-Type", "response"),
            ("WARC-Record-ID", id),
            ("WARC-Date", date),
            ("WARC-Target-URI", target),
            ("Content-Type", "application/http; msgtype=response"),
        ];
        let fields = fields.iter().chain(more).map(|(name, value)| ((*name).to_owned(), value.as_bytes().into()));
        let page = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>page of {target}</title>");
        fonds::warc::RecordBuilder::with_fields(fields).compress(page.as_bytes())
    };
    let id = |number: u32| format!("<urn:uuid:00000000-0000-4000-8000-{number:012}>");
    let wrong = "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let whole = "2024-03-01T09:00:00Z";
    let records = [
        record(&id(1), whole, "http://a.example/", &[]),
        record(&id(1), whole, "http://b.example/", &[("WARC-Warcinfo-ID", &id(9))]),
        record(&id(2), whole, "http://c.example/", &[("WARC-Block-Digest", wrong), ("WARC-Payload-Digest", wrong)]),
        record(&id(3), "2014-01", "<http://d.example/x>", &[]),
        record(&id(4), "20140203040506", "http://e.example/", &[]),
        record(&id(5), "2014-02-03T04:05:06.123456789Z", "http://f.example/", &[]),
    ];
    std::fs::write(job.join("odd.warc.gz"), records.concat()).unwrap();
    let (workspace, out) = (dir.join("archive"), dir.join("export"));
    fonds(&["new", arg(&workspace)]).with_status(0);
    fonds(&["import", arg(&workspace), arg(&job)]).with_status(0);
    fonds(&["select", "run", arg(&workspace), "1", "--threshold", "0"]).with_status(0);
    let output = fonds(&["export", arg(&workspace), "--out", arg(&out)]).with_status(1);
    assert!(output.err.contains("http://b.example/: another record has this record's id"), "{}", output.err);
    fonds(&["verify", arg(&out)]).with_status(0);
    out
}

#[test]
fn an_export_of_odd_records_is_read_by_others() {
    let dir = tempfile::tempdir().unwrap();
    let export = export_of_odd_records(dir.path());
    let ours = std::fs::read_to_string(export.join("data/indexes/index.cdxj")).unwrap();
    assert!(ours.contains("example,d)/x 20140101000000 {\"url\": \"http://d.example/x\""), "{ours}");
    let archive = &warcs_under(&export)[0];
    let name = archive.file_name().unwrap().to_str().unwrap();
    if let Some([indexer, warcio]) = need::peers(["cdxj-indexer", "warcio"]) {
        let theirs = run(&indexer, archive.parent().unwrap(), &["--sort", name]);
        assert_eq!(comparable(&as_they_hash(ours, archive)), comparable(&theirs));
        run(&warcio, archive.parent().unwrap(), &["check", name]);
    }
    if let Some([manager]) = need::peers(["wb-manager"]) {
        run(&manager, dir.path(), &["init", "odd"]);
        run(&manager, dir.path(), &["add", "odd", archive.to_str().unwrap()]);
        let indexed = files_under(&dir.path().join("collections/odd/indexes"));
        let text: String = indexed.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
        for line in ["example,d)/x 20140101000000", "example,e)/ 20140203040506", "example,f)/ 20140203040506"] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }
}

#[test]
fn the_data_set_loads_in_duckdb() {
    let Some([python]) = need::peers(["python"]) else { return };
    let file = demo().report.export.join("data/inlinks.jsonl");
    let query = "import duckdb, sys, json\n\
        table = f\"read_json('{sys.argv[1]}', format='newline_delimited')\"\n\
        print(json.dumps(duckdb.sql(f'select count(*), sum(count)::bigint, sum(countInternal)::bigint, \
        sum(countExternal)::bigint, sum(len(inlinks))::bigint, count(distinct url), \
        count(captureDate::timestamp) from {table}').fetchall()[0]))";
    let output = run(&python, file.parent().unwrap(), &["-c", query, file.to_str().unwrap()]);
    let theirs: Vec<u64> = serde_json::from_str(output.trim()).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let objects: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let sum = |of: fn(&serde_json::Value) -> u64| objects.iter().map(of).sum::<u64>();
    let ours = [
        objects.len() as u64,
        sum(|object| object["count"].as_u64().unwrap()),
        sum(|object| object["countInternal"].as_u64().unwrap()),
        sum(|object| object["countExternal"].as_u64().unwrap()),
        sum(|object| object["inlinks"].as_array().unwrap().len() as u64),
        // A page that was captured twice is there twice, with what is in the window of each capture.
        objects.iter().map(|object| object["url"].as_str().unwrap()).collect::<std::collections::HashSet<_>>().len()
            as u64,
        sum(|object| u64::from(!object["captureDate"].is_null())),
    ];
    assert_eq!(theirs, ours);
    assert!(objects.len() > 50 && ours[3] > 0);
}

/// A server that ends with the test.
struct RunningServer(Child);

impl Drop for RunningServer {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Status and body of a page, over a connection of its own.
fn get(port: u16, path: &str) -> std::io::Result<(u16, String)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(stream, "GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Ok((status, answer))
}

#[test]
fn pywb_replays_pages_of_the_export() {
    let Some([manager, wayback]) = need::peers(["wb-manager", "wayback"]) else { return };
    let report = &demo().report;
    let dir = tempfile::tempdir().unwrap();
    run(&manager, dir.path(), &["init", "demo"]);
    for file in warcs_under(&report.export) {
        run(&manager, dir.path(), &["add", "demo", file.to_str().unwrap()]);
    }
    let indexed = files_under(&dir.path().join("collections/demo/indexes"));
    let lines: usize = indexed.iter().map(|file| std::fs::read_to_string(file).unwrap().lines().count()).sum();
    assert!(lines as u64 >= report.exported_captures, "pywb indexed {lines} lines");

    let serve = || -> Option<(u16, RunningServer)> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = Command::new(&wayback)
            .current_dir(dir.path())
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--threads", "2"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut server = RunningServer(server);
        let begun = Instant::now();
        while get(port, "/demo/").map_or(0, |(status, _)| status) != 200 {
            if server.0.try_wait().unwrap().is_some() {
                return None;
            }
            assert!(begun.elapsed() < PATIENCE, "wayback does not answer");
            std::thread::sleep(Duration::from_millis(100));
        }
        Some((port, server))
    };
    // The port was free; another may have taken it meanwhile.
    let (port, _server) = (0..3).find_map(|_| serve()).expect("wayback ended");
    // Three exported pages of three hosts, the charsets of which are told in
    // three ways, and a revisit that needs its original.
    let replayed = pages(&report.export);
    assert!(replayed.len() >= 4, "{replayed:?}");
    for (timestamp, url, title) in replayed {
        let (status, body) = get(port, &format!("/demo/{timestamp}mp_/{url}")).unwrap();
        assert_eq!(status, 200, "{url} of {timestamp}");
        assert!(body.contains(&title), "{url} of {timestamp} does not hold “{title}”: {body}");
    }
}

/// Date, URL and title of exported pages: the first of each host, and one that
/// is a revisit. Titles in ASCII look alike in every charset.
fn pages(export: &Path) -> Vec<(String, String, String)> {
    let session =
        fonds::work::Session::new(fonds::store::Workspace::open_or_read_only(&demo().report.workspace).unwrap());
    let query = fonds::work::models::CaptureQuery {
        tab: fonds::work::models::CaptureTab::Html,
        filter: "status:200".to_owned(),
        limit: 10_000,
        ..fonds::work::everything()
    };
    let rows = session.catalogue().captures(&query).unwrap().rows;
    let index = std::fs::read_to_string(export.join("data/indexes/index.cdxj")).unwrap();
    let mut chosen = BTreeMap::new();
    for row in rows {
        let date = row.date.to_digits14();
        let plain = row.title.is_ascii() && !row.title.contains(['&', '<', '\'', '"']) && row.title.len() > 5;
        let exported = index.contains(&format!(" {date} {{\"url\": \"{}\"", row.url));
        let host = row.url.split('/').nth(2).unwrap_or_default().to_owned();
        if plain && exported {
            chosen
                .entry((row.revisit, if row.revisit { String::new() } else { host }))
                .or_insert((date, row.url, row.title));
        }
    }
    assert!(chosen.keys().any(|(revisit, _)| *revisit), "no revisit was exported");
    chosen.into_values().collect()
}
