//! Kill -9 at any moment, start again, finish: nothing is lost, nothing is torn.
//!
//! Every kill waits for something to be seen (lines in a log, requests at a
//! server, a folder), never for a time: slow machines pass as well.

use crate::archive::copy_folder;
use crate::archive::{assert_sound, files_under, records, warcs_under};
use crate::program::{arg, command, fonds};
use crate::sample::demo;
use fonds::serve::{Handler, HttpReply, HttpRequest, NamedHosts};
use fonds::store::Workspace;
use fonds::warc::http::parse_response_head;
use fonds::warc::{Digests, RecordType};
use fonds::work;
use fonds::work::Session;
use fonds::work::models::{CaptureQuery, CaptureTab};
use fonds::work::sample::{Edition, HOSTS, SamplePages, campaign, geo_database};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::net::Ipv4Addr;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// Looks again so often.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// What a capture is, whenever it was taken: number of the launch, URL, HTTP
/// status, payload digest.
type Taken = (usize, String, u16, String);

/// The captures in the WARC files of a workspace, and how many records hold them.
fn taken(workspace: &Path) -> (BTreeSet<Taken>, usize) {
    let mut folders: Vec<_> = warcs_under(&workspace.join("output/warcs"))
        .iter()
        .map(|file| file.parent().unwrap().to_owned())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    folders.sort();
    let (mut all, mut count) = (BTreeSet::new(), 0);
    for (launch, folder) in folders.iter().enumerate() {
        for file in warcs_under(folder) {
            assert_sound(&file);
            for record in records(&file) {
                if !matches!(record.head.record_type, RecordType::Response | RecordType::Revisit) {
                    continue;
                }
                count += 1;
                let status = parse_response_head(&record.block).unwrap().status;
                // A payload that came in chunks has no digest of its own in the file.
                let declared = record.head.headers.get("WARC-Payload-Digest");
                let digest = declared.unwrap_or_else(|| Digests::of_block(&record.block, true).payload);
                all.insert((launch, record.head.target_uri().unwrap(), status, digest));
            }
        }
    }
    (all, count)
}

/// Lines in the crawl logs of a workspace.
pub fn lines_logged(workspace: &Path) -> usize {
    let logs = workspace.join("output/logs");
    if !logs.exists() {
        return 0;
    }
    let logs = files_under(&logs).into_iter().filter(|path| path.ends_with("crawl.log"));
    logs.map(|log| std::fs::read(log).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count()).sum()
}

/// Kills the program as soon as something is seen; says whether it still ran.
pub fn kill_when(mut child: Child, seen: impl Fn() -> bool) -> bool {
    loop {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        if seen() {
            child.kill().unwrap();
            child.wait().unwrap();
            return true;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Starts the program, its words unheard.
pub fn start<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Child {
    command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Files of a run are closed, and the catalogue knows what they hold.
fn assert_whole(workspace: &Path) {
    let open: Vec<_> =
        files_under(workspace).into_iter().filter(|path| path.to_string_lossy().ends_with(".open")).collect();
    assert!(open.is_empty(), "left open: {open:?}");
    let session = Session::new(Workspace::open(workspace).unwrap());
    let query = CaptureQuery { tab: CaptureTab::All, limit: 100_000, ..work::everything() };
    let rows = session.catalogue().captures(&query).unwrap().rows;
    let (_, count) = taken(workspace);
    assert_eq!(rows.len(), count, "catalogue and files differ");
    for row in &rows {
        session.content(row.id).unwrap();
    }
}

#[test]
fn a_demo_killed_again_and_again_takes_the_same_captures() {
    let whole = demo();
    let (expected, expected_records) = taken(&whole.report.workspace);
    let total = lines_logged(&whole.report.workspace);
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("demo");
    let workspace = folder.join("workspace");
    let args = ["demo", "--out", arg(&folder)];
    // Eight points over both launches, the first at once, the last near the end.
    let points: Vec<usize> = (0..8).map(|point| total * point / 8 + 2).collect();
    let mut kills = 0;
    for point in points {
        kills += usize::from(kill_when(start(&args), || lines_logged(&workspace) >= point));
    }
    assert!(kills >= 4, "the program was killed {kills} times only: the kills come too late");
    let output = fonds(&["demo", "--json", "--out", arg(&folder)]).with_status(0);
    let report = &output.json_lines()[0];
    assert_eq!(report["verified"], true, "{report}");
    assert_eq!(report["launches"], whole.report.launches);

    let (found, found_records) = taken(&workspace);
    let lost: Vec<_> = expected.difference(&found).collect();
    let gained: Vec<_> = found.difference(&expected).collect();
    assert!(lost.is_empty() && gained.is_empty(), "lost {lost:#?}, gained {gained:#?}");
    let twice = found_records - expected_records;
    let workers = campaign().politeness.workers;
    assert!(twice <= kills * workers, "{twice} fetched twice after {kills} kills of {workers} workers");
    assert_whole(&workspace);

    // The verdicts are the same, each URL counted once.
    let by_rule: BTreeMap<String, u64> =
        serde_json::from_value::<Vec<(String, u64)>>(report["refused_by_rule"].clone()).unwrap().into_iter().collect();
    assert_eq!(by_rule, whole.report.refused_by_rule.iter().cloned().collect());
}

/// The sample web that notes which URLs were requested.
struct Logged {
    pages: SamplePages,
    log: crossbeam_channel::Sender<String>,
}

impl Handler for Logged {
    fn handle(&self, request: &HttpRequest) -> HttpReply {
        self.log.send(format!("{} {}", request.host, request.target())).unwrap();
        self.pages.handle(request)
    }
}

#[test]
fn servers_see_at_most_what_was_in_flight_twice() {
    let dir = tempfile::tempdir().unwrap();
    let geo = dir.path().join("geo.mmdb");
    std::fs::write(&geo, geo_database()).unwrap();
    let spec = dir.path().join("campaign.json");
    std::fs::write(&spec, campaign().to_json()).unwrap();
    let (log, request_count) = crossbeam_channel::unbounded();
    let hosts: Vec<(String, Ipv4Addr)> =
        HOSTS.iter().flat_map(|host| host.names().map(|name| (name.to_owned(), host.address()))).collect();
    let pages = Logged { pages: SamplePages::new(Edition::First), log };
    let server = NamedHosts::start(&hosts, Arc::new(pages)).unwrap();

    let prepare = |name: &str| {
        let workspace = dir.path().join(name);
        fonds(&["new", arg(&workspace)]).with_status(0);
        fonds(&["campaign", "add", arg(&workspace), arg(&spec)]).with_status(0);
        let mut args: Vec<String> =
            ["crawl", arg(&workspace), "1", "--geo", arg(&geo)].iter().map(ToString::to_string).collect();
        for (host, port, addr) in server.resolve() {
            args.extend(["--resolve".to_owned(), format!("{host}:{port}:{addr}")]);
        }
        (workspace, args)
    };
    let drain = || {
        let mut requests: BTreeMap<String, usize> = BTreeMap::new();
        for request in request_count.try_iter() {
            *requests.entry(request).or_default() += 1;
        }
        requests
    };
    let (undisturbed, args) = prepare("undisturbed");
    // The sample web links to a host that is gone: its URLs fail.
    fonds(&args).with_status(1);
    let expected = drain();
    let (expected_captures, _) = taken(&undisturbed);

    let (disturbed, args) = prepare("disturbed");
    let total: usize = expected.values().sum();
    let before = server.request_count();
    let mut kills = 0;
    for point in (1..=6).map(|point| total * point / 8) {
        kills += usize::from(kill_when(start(&args), || (server.request_count() - before) as usize >= point));
        // What is there can be looked at before the crawl goes on.
        fonds(&["campaign", "list", arg(&disturbed), "--json"]).with_status(0);
    }
    assert!(kills >= 3, "the program was killed {kills} times only: the kills come too late");
    let output = fonds(&args).with_status(1);
    assert!(output.out.contains("resumed an earlier run"), "{}", output.out);
    let found = drain();
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        expected.keys().collect::<Vec<_>>(),
        "other URLs were asked for than in an undisturbed crawl"
    );
    let twice = found.values().sum::<usize>() - total;
    let workers = campaign().politeness.workers;
    assert!(twice <= kills * workers, "{twice} requests more after {kills} kills of {workers} workers");
    assert!(found.values().all(|times| *times <= 1 + kills), "one URL was asked for again and again");
    assert_eq!(taken(&disturbed).0, expected_captures);
    assert_whole(&disturbed);
}

#[test]
fn killed_while_it_inverts_scores_or_exports_it_comes_to_the_same_end() {
    let whole = demo();
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("demo");
    let workspace = folder.join("workspace");
    copy_folder(&whole.folder, &folder);
    let top = || fonds(&["inlinks", "top", arg(&workspace), "--json"]).with_status(0).out;
    let built = top();
    let half_written = folder.join("export.open");
    let finished = folder.join("export/manifest.json");
    // Somewhere after its start, a little later each time: in the inlink
    // build, in the scoring; whatever is hit, the next call has to cope.
    for step in (0..8_u32).map(|step| step * 12) {
        let left = std::cell::Cell::new(step);
        kill_when(start(&["demo", "--out", arg(&folder)]), || {
            left.set(left.get().saturating_sub(1));
            left.get() == 0
        });
        assert_eq!(top(), built, "a build that was cut off changed what is shown");
    }
    let exports = [
        // As soon as the export begins, once it holds an archive file, once it is done.
        Box::new(|| half_written.exists()) as Box<dyn Fn() -> bool>,
        Box::new(|| half_written.join("data/archive").exists()),
        Box::new(|| half_written.join("data/indexes").exists()),
        Box::new(|| finished.exists()),
    ];
    let mut kills = 0;
    for seen in exports {
        drop(std::fs::remove_dir_all(folder.join("export")));
        kills += usize::from(kill_when(start(&["demo", "--out", arg(&folder)]), seen));
    }
    assert!(kills > 0, "no kill hit an export");
    let output = fonds(&["demo", "--json", "--out", arg(&folder)]).with_status(0);
    let report = &output.json_lines()[0];
    let expected = serde_json::to_value(&whole.report).unwrap();
    for figure in ["captures", "inlinks", "linked_pages", "scored", "selected", "exported_captures", "exported_records"]
    {
        assert_eq!(report[figure], expected[figure], "{figure}");
    }
    assert!(!half_written.exists());
    let built = workspace.join("inlinks/built");
    let list = serde_json::from_slice::<serde_json::Value>(&std::fs::read(built.join("links.json")).unwrap()).unwrap();
    let segments = list["segments"].as_array().unwrap();
    let name = |segment: &serde_json::Value| format!("links-{:06}.seg", segment["number"].as_u64().unwrap());
    let mut listed: Vec<_> = segments.iter().map(|segment| built.join(name(segment))).collect();
    listed.extend([built.join("links.json"), built.join("links.lock")]);
    let mut there = files_under(&workspace.join("inlinks"));
    listed.sort();
    there.sort();
    assert_eq!(there, listed, "left behind by the build");
    assert_whole(&workspace);
}

#[test]
fn killed_while_it_makes_the_workspace_it_begins_again() {
    let dir = tempfile::tempdir().unwrap();
    for (number, file) in ["", "fonds.lock", "fonds.sqlite", "sample-geo.mmdb", "output/logs"].iter().enumerate() {
        let folder = dir.path().join(number.to_string());
        let seen = folder.join("workspace").join(file);
        kill_when(start(&["demo", "--out", arg(&folder)]), || seen.exists());
        // Into the crawl is far enough: the rest is told above.
        let workspace = folder.join("workspace");
        let mut child = command(&["demo", "--out", arg(&folder)]).stdout(Stdio::null()).spawn().unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            drop(stderr.read_to_string(&mut text));
            text
        });
        let hit = kill_when(child, || lines_logged(&workspace) > 20);
        let text = reader.join().unwrap();
        assert!(hit && !text.contains("panicked"), "killed when {file:?} was there, it cannot begin again: {text}");
    }
}
