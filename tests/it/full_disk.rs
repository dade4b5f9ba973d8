//! A crawl on a disk that is full for a while. The largest size of a file
//! stands in for the disk: it meets WARC files, waiting answers, logs and the
//! catalogue alike, and can be lifted while the program runs.

use crate::archive::{assert_sound, records, warcs_under};
use crate::need;
use crate::program::{arg, command, fonds};
use fonds::warc::RecordType;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const PAGES: usize = 150;
/// Longer than what is kept in memory.
const LARGE: usize = 6_000_000;
/// Bytes that a file may have while the disk is “full”.
const LIMIT: usize = 2_500_000;

/// Bytes that cannot be made smaller.
fn noise(len: usize, seed: usize) -> Vec<u8> {
    let mut state = seed as u64 + 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// A site of many small files and two large ones.
fn site() -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (addr, request_count) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&request_count);
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let (mut socket, count) = (socket.unwrap(), Arc::clone(&count));
            std::thread::spawn(move || {
                let mut request = [0; 4096];
                let len = socket.read(&mut request).unwrap_or(0);
                count.fetch_add(1, Ordering::Relaxed);
                let request = String::from_utf8_lossy(&request[..len]).into_owned();
                let path = request.split(' ').nth(1).unwrap_or("/").to_owned();
                let (mime, body) = match path.strip_prefix("/f") {
                    None => {
                        let links = (0..PAGES).map(|page| format!("<a href=/f{page}>x</a> ")).collect::<String>();
                        ("text/html", links.into_bytes())
                    }
                    Some(number) => {
                        let number: usize = number.parse().unwrap_or(0);
                        let len = if number % 100 == 50 { LARGE } else { 20_000 };
                        ("image/png", noise(len, number))
                    }
                };
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: {mime}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                let _ = socket.write_all(head.as_bytes()).and_then(|()| socket.write_all(&body));
            });
        }
    });
    (addr, request_count)
}

/// A workspace with a campaign for the site, and the words of its crawl.
fn workspace(dir: &Path, addr: SocketAddr) -> (PathBuf, Vec<String>) {
    let workspace = dir.join("archive");
    fonds(&["new", arg(&workspace)]).with_status(0);
    let mut campaign: Value = serde_json::from_str(&fonds(&["campaign", "example"]).with_status(0).out).unwrap();
    campaign["seeds"] = json!([{ "url": "http://town.example/" }]);
    campaign["politeness"] = json!({
        "user_agent": "Fonds test (+mailto:archive@town.example)", "allow_private_addresses": true,
        "min_delay_ms": 0, "delay_factor": 0.0, "max_retries": 0, "robots": "ignore", "workers": 4
    });
    let file = dir.join("campaign.json");
    std::fs::write(&file, campaign.to_string()).unwrap();
    fonds(&["campaign", "add", arg(&workspace), arg(&file)]).with_status(0);
    let resolve = format!("town.example:80:{addr}");
    let args = ["crawl", arg(&workspace), "1", "--resolve", &resolve, "--json"].map(str::to_owned);
    (workspace, args.to_vec())
}

/// A crawl whose files may not be longer than the limit, and what it says.
struct Limited {
    child: Child,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Limited {
    fn start(prlimit: &Path, args: &[String], limit: usize) -> Self {
        // The program itself is left as it is; the shell lets it meet an error
        // where the system would end it.
        let mut limited = Command::new(prlimit);
        limited.arg(format!("--fsize={limit}:")).args(["sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh"]);
        limited.arg(command::<&str>(&[]).get_program()).args(args);
        let mut child = limited.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = Arc::new(Mutex::new(Vec::new()));
        let (read, kept) = (BufReader::new(child.stderr.take().unwrap()), Arc::clone(&lines));
        std::thread::spawn(move || read.lines().map_while(Result::ok).for_each(|line| kept.lock().unwrap().push(line)));
        Self { child, lines }
    }

    fn output(&self) -> String {
        self.lines.lock().unwrap().join("\n")
    }

    fn wait_until_paused(&mut self) {
        while !self.output().contains("Paused: disk full") {
            assert!(self.child.try_wait().unwrap().is_none(), "it ended: {}", self.output());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn make_room(&self, prlimit: &Path) {
        let limit = ["--pid", &self.child.id().to_string(), "--fsize=unlimited:"];
        assert!(Command::new(prlimit).args(limit).status().unwrap().success());
    }

    /// Its exit status, and the last of the lines on standard output.
    fn end(self) -> (i32, Value, String) {
        let message = || self.lines.lock().unwrap().join("\n");
        let output = self.child.wait_with_output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        let mut events = out.lines().rev().skip(1).map(|line| serde_json::from_str::<Value>(line).unwrap());
        assert!(events.all(|line| line["event"]["text"].is_string()), "{out}");
        let last = out.lines().last().map_or(Value::Null, |line| serde_json::from_str(line).unwrap());
        (output.status.code().unwrap_or(-1), last, message())
    }
}

/// Everything was fetched once, and files, log and catalogue agree on it.
#[track_caller]
fn assert_complete(workspace: &Path) {
    let mut taken = Vec::new();
    for file in warcs_under(&workspace.join("output/warcs")) {
        assert_sound(&file);
        let responses = records(&file).into_iter().filter(|record| record.head.record_type == RecordType::Response);
        taken.extend(responses.map(|record| record.head.target_uri().unwrap()));
    }
    assert_eq!(taken.len(), PAGES + 1, "captures in the files");
    assert_eq!(taken.iter().collect::<BTreeSet<_>>().len(), PAGES + 1, "each URL once");
    let captures = fonds(&["captures", arg(workspace), "--count"]).with_status(0).out;
    assert_eq!(captures.trim(), (PAGES + 1).to_string(), "captures in the catalogue");
    for (name, lines) in [("crawl.log", PAGES + 1), ("scope.log", PAGES + 1)] {
        let logs = crate::archive::files_under(&workspace.join("output/logs"));
        let log = logs.iter().find(|file| file.ends_with(name)).unwrap();
        assert_eq!(std::fs::read_to_string(log).unwrap().lines().count(), lines, "{name}");
    }
}

#[test]
fn a_crawl_waits_for_room_on_the_disk_and_goes_on_by_itself() {
    let Some(prlimit) = need::program("prlimit") else { return };
    let dir = tempfile::tempdir().unwrap();
    let (addr, request_count) = site();
    let (workspace, args) = workspace(dir.path(), addr);
    let mut crawl = Limited::start(&prlimit, &args, LIMIT);
    crawl.wait_until_paused();
    crawl.make_room(&prlimit);
    let (status, outcome, message) = crawl.end();
    assert_eq!(status, 0, "{message}");
    assert_eq!((&outcome["fetched"], &outcome["failed"]), (&json!(PAGES + 1), &json!(0)), "{outcome}");
    assert!(message.contains("There is room on the disk again"), "{message}");
    assert_complete(&workspace);
    // What it said stays with the launch.
    let events = fonds(&["events", arg(&workspace), "--kind", "disk", "--json"]).with_status(0).json_lines();
    assert!(events.len() >= 2 && events.iter().all(|event| event["kind"] == "disk"), "{events:?}");
    assert!(events.last().unwrap()["text"].as_str().unwrap().contains("Paused: disk full"), "{events:?}");
    let plain = fonds(&["events", arg(&workspace)]).with_status(0).out;
    assert!(plain.lines().next().unwrap().ends_with("\tend\t-\t-\t-\tFinished"), "{plain}");
    fonds(&["events", arg(&workspace), "--kind", "weather"]).with_status(2).with_message("host-given-up");
    // A few URLs that were in flight were asked for again, and none was tried to its end.
    assert!(request_count.load(Ordering::Relaxed) <= PAGES + 1 + 3 * 4, "{}", request_count.load(Ordering::Relaxed));
}

#[test]
fn a_crawl_that_is_stopped_while_it_waits_for_room_reports_it_and_loses_nothing() {
    let Some(prlimit) = need::program("prlimit") else { return };
    let dir = tempfile::tempdir().unwrap();
    let (workspace, args) = workspace(dir.path(), site().0);
    let mut crawl = Limited::start(&prlimit, &args, LIMIT);
    crawl.wait_until_paused();
    let interrupt = Command::new("kill").args(["-INT", &crawl.child.id().to_string()]).status();
    assert!(interrupt.unwrap().success());
    let (status, outcome, message) = crawl.end();
    assert_eq!(status, 1, "{message}");
    let end = outcome["end"].as_str().unwrap();
    assert!(end.starts_with("Stopped on request. Paused: disk full: "), "{end}");
    assert_eq!(outcome["failed"], 0, "{outcome}");
    let resumed = fonds(&args).with_status(0).json_lines();
    assert_eq!(resumed.last().unwrap()["fetched"], PAGES + 1);
    assert_complete(&workspace);
}

#[test]
fn a_crawl_that_begins_on_a_full_disk_waits_for_room() {
    let Some(prlimit) = need::program("prlimit") else { return };
    let addr = site().0;
    // What is written before the first fetch meets the end of the disk one after another.
    for limit in [34_000, 50_000, 70_000, 90_000, 120_000, 160_000] {
        let dir = tempfile::tempdir().unwrap();
        let (workspace, args) = workspace(dir.path(), addr);
        let mut crawl = Limited::start(&prlimit, &args, limit);
        crawl.wait_until_paused();
        crawl.make_room(&prlimit);
        let (status, outcome, message) = crawl.end();
        assert_eq!(status, 0, "with {limit} bytes: {message}");
        assert_eq!((&outcome["fetched"], &outcome["failed"]), (&json!(PAGES + 1), &json!(0)), "{outcome}");
        assert_complete(&workspace);
    }
}

/// Nothing but the time that the crawl runs is written while its only host is silent.
#[test]
fn a_crawl_whose_servers_are_gone_waits_for_room_as_well() {
    let Some(prlimit) = need::program("prlimit") else { return };
    let dir = tempfile::tempdir().unwrap();
    // Takes connections and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let (_, mut args) = workspace(dir.path(), silent.local_addr().unwrap());
    args.push("--events".to_owned());
    let mut crawl = Limited::start(&prlimit, &args, usize::MAX >> 1);
    let request_count = silent.accept().unwrap();
    // What stands in the log of the catalogue by now is all that it may be.
    let log = dir.path().join("archive/fonds.sqlite-wal");
    std::thread::sleep(Duration::from_secs(1));
    let limit = format!("--fsize={}:", std::fs::metadata(&log).unwrap().len());
    let set = Command::new(&prlimit).args(["--pid", &crawl.child.id().to_string(), &limit]).status();
    assert!(set.unwrap().success());
    crawl.wait_until_paused();
    assert!(Command::new("kill").args(["-INT", &crawl.child.id().to_string()]).status().unwrap().success());
    drop(request_count);
    let (status, outcome, message) = crawl.end();
    assert_eq!(status, 1, "{message}");
    let end = outcome["end"].as_str().unwrap_or_default();
    assert!(end.starts_with("Stopped on request. Paused: disk full: "), "{end}: {message}");
}

/// Where the archive file or a file beside it meets the end of the disk.
#[test]
fn an_export_onto_a_full_disk_names_the_next_step_and_leaves_nothing() {
    let Some(prlimit) = need::program("prlimit") else { return };
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("workspace");
    crate::archive::copy_folder(&crate::sample::demo().report.workspace, &workspace);
    let out = dir.path().join("export");
    for limit in [100_000, 1_000_000] {
        let mut limited = Command::new(&prlimit);
        limited.arg(format!("--fsize={limit}:")).args(["sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh"]);
        limited.arg(command::<&str>(&[]).get_program()).args(["export", arg(&workspace), "--out", arg(&out)]);
        let output = limited.output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        let line = text.lines().last().unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(line.starts_with(&format!("fonds: {}: data/archive/", out.display())), "{line}");
        assert!(line.contains("File too large (os error 27): the largest size of a file is reached ("), "{line}");
        assert!(line.contains("Make room there, or name a place on another disk"), "{line}");
        assert!(line.ends_with("Nothing of this export is left there"), "{line}");
        let mut left = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name());
        assert!(left.all(|name| name == "workspace"), "{line}");
    }
    // With room the same call does it.
    fonds(&["export", arg(&workspace), "--out", arg(&out)]).with_status(0);
}

/// Wherever the disk takes no more, a trial is there as a whole or is discarded, and the same command ends it.
#[test]
fn a_discard_on_a_full_disk_loses_nothing_and_can_be_repeated() {
    let Some(prlimit) = need::program("prlimit") else { return };
    let dir = tempfile::tempdir().unwrap();
    let (workspace, mut args) = workspace(dir.path(), site().0);
    args.extend(["--trial".to_owned(), "60".to_owned()]);
    let launch = fonds(&args).with_status(0).json_lines().pop().unwrap()["launch"].as_str().unwrap().to_owned();
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    let captures = |workspace: &Path| fonds(&["captures", arg(workspace), "--count"]).with_status(0).out;
    let all = captures(&workspace);
    let archives = warcs_under(&workspace.join("output/warcs")).len();
    assert!(archives > 0 && all.trim() != "0");
    let (mut untouched, mut done) = (0, 0);
    for (number, limit) in [1, 4_096, 20_000, 40_000, 80_000, 120_000, 200_000, 400_000].into_iter().enumerate() {
        let copy = dir.path().join(format!("copy{number}"));
        crate::archive::copy_folder(&workspace, &copy);
        let mut limited = Command::new(&prlimit);
        limited.arg(format!("--fsize={limit}:")).args(["sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh"]);
        limited.arg(command::<&str>(&[]).get_program()).args(["launches", "discard", arg(&copy), &launch]);
        let output = limited.output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!text.contains("panicked"), "{text}");
        let left = captures(&copy);
        let kept = warcs_under(&copy.join("output/warcs")).len();
        let moved = if copy.join("discarded").exists() { warcs_under(&copy.join("discarded")).len() } else { 0 };
        assert_eq!(kept + moved, archives, "with {limit} bytes: every archive file is there: {text}");
        if output.status.success() {
            done += 1;
            assert_eq!((left.trim(), moved), ("0", archives), "with {limit} bytes");
        } else {
            assert_eq!(output.status.code(), Some(2), "{text}");
            assert!(left == all || left.trim() == "0", "with {limit} bytes all or nothing: {left}: {text}");
            untouched += usize::from(left == all);
        }
        // With room the same command ends it, and once more changes nothing.
        for _ in 0..2 {
            fonds(&["launches", "discard", arg(&copy), &launch]).with_status(0).with_message("/discarded/");
            assert_eq!(captures(&copy).trim(), "0");
            assert_eq!(warcs_under(&copy.join("discarded")).len(), archives);
        }
        fonds(&["files", "list", arg(&copy), "--check"]).with_status(0);
    }
    assert!(untouched > 0, "no limit met the discard; {done} were done");
}
