//! Pages that are nothing but links, and very many of them: memory, stop, kill.

use crate::program::{arg, command, fonds};
use fonds::store::Workspace;
use fonds::work::models::CaptureId;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A server on loopback: `/full/N/NAME` is a page of N links, `/endless/K` one
/// of an endless site, anything else a file of a folder.
struct Pages {
    port: u16,
    request_count: Arc<AtomicU64>,
}

impl Pages {
    fn serve(folder: Option<PathBuf>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let request_count = Arc::new(AtomicU64::new(0));
        let (folder, counter) = (Arc::new(folder), Arc::clone(&request_count));
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let (folder, counter) = (Arc::clone(&folder), Arc::clone(&counter));
                std::thread::spawn(move || answer_all(socket.unwrap(), folder.as_deref(), &counter));
            }
        });
        Self { port, request_count }
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

fn answer_all(mut socket: TcpStream, folder: Option<&Path>, request_count: &AtomicU64) {
    let mut lines = BufReader::new(socket.try_clone().unwrap()).lines();
    while let Some(Ok(line)) = lines.next() {
        if let Some(path) = line.strip_prefix("GET ").and_then(|line| line.split(' ').next()) {
            request_count.fetch_add(1, Ordering::Relaxed);
            let (kind, body) = page(path, folder);
            let status = if body.is_some() { 200 } else { 404 };
            let body = body.unwrap_or_default();
            let head = format!("HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n", body.len());
            if socket.write_all(head.as_bytes()).is_err() || socket.write_all(&body).is_err() {
                return;
            }
        }
    }
}

fn page(path: &str, folder: Option<&Path>) -> (&'static str, Option<Vec<u8>>) {
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let mut body = Vec::new();
    match (parts.as_slice(), folder) {
        (["full", count, name], _) => {
            for number in 0..count.parse().unwrap_or(0_u64) {
                write!(body, "<a href={name}{number:x}>").unwrap();
            }
        }
        (["endless", number], _) => {
            let number = number.parse().unwrap_or(0_u64);
            body.extend_from_slice("<p>Words of a page that has some. ".repeat(60).as_bytes());
            for next in 1..=20 {
                let next = number * 20 + next;
                write!(body, "<li><a href=/endless/{next}>Page number {next}</a>").unwrap();
            }
        }
        (parts, Some(folder)) if !parts.contains(&"..") => {
            let file = folder.join(parts.join("/"));
            let kind = match file.extension().and_then(|end| end.to_str()) {
                Some("html" | "htm") => "text/html",
                Some("css") => "text/css",
                _ => "application/octet-stream",
            };
            return (kind, std::fs::read(file).ok());
        }
        _ => return ("text/plain", None),
    }
    ("text/html; charset=utf-8", Some(body))
}

/// A workspace with an impolite campaign, and the call that crawls it.
pub fn prepare(folder: &Path, seeds: &[String], rules: serde_json::Value, workers: usize) -> (PathBuf, Vec<String>) {
    let seeds: Vec<_> = seeds.iter().map(|url| serde_json::json!({"url": url, "scope": "subdomains"})).collect();
    let spec = serde_json::json!({
        "name": "Full", "seeds": seeds, "rules": rules,
        "politeness": {
            "user_agent": "Mozilla/5.0 (compatible; tester; +https://archive.example.org/bot)",
            "delay_factor": 0.0, "min_delay_ms": 0, "allow_private_addresses": true, "workers": workers,
            "robots": "ignore",
        },
        "limits": {"disk_floor_bytes": 0},
    });
    let file = folder.join("campaign.json");
    std::fs::write(&file, spec.to_string()).unwrap();
    let workspace = folder.join("w");
    fonds(&["new", arg(&workspace)]).with_status(0);
    fonds(&["campaign", "add", arg(&workspace), arg(&file)]).with_status(0);
    let call = ["crawl", arg(&workspace), "1"].map(str::to_owned).to_vec();
    (workspace, call)
}

pub fn seeds_only() -> serde_json::Value {
    serde_json::json!([{"rule": "reject_all"}, {"rule": "seed_scope"}, {"rule": "too_many_hops", "max_hops": 0}])
}

fn start(call: &[String]) -> Child {
    command(call).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// A number out of the catalogue; 0 while it cannot be read.
fn number(workspace: &Path, sql: &str) -> u64 {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let conn = rusqlite::Connection::open_with_flags(workspace.join("fonds.sqlite"), flags);
    let found = conn.and_then(|conn| conn.query_row(sql, [], |row| row.get::<_, i64>(0)));
    found.map_or(0, i64::unsigned_abs)
}

/// Links of the page that are stored, and captures that more of them belong to.
fn links_stored(workspace: &Path) -> [u64; 2] {
    ["SELECT sum(anchors) FROM link_list", "SELECT count(*) FROM outlink_gap"].map(|sql| number(workspace, sql))
}

/// The links of the first capture are so many, each of them once.
#[track_caller]
fn has_all_links(workspace: &Path, count: u64) {
    assert_eq!(links_stored(workspace), [count, 0]);
    let links = Workspace::open_read_only(workspace).unwrap().catalogue().outlinks(CaptureId::new(1)).unwrap();
    assert!(links.iter().map(|link| u64::from(link.position)).eq(0..count));
}

#[test]
fn a_page_full_of_links_that_is_killed_between_its_parts_has_them_all_in_the_end() {
    const LINKS: u64 = 40_000;
    let pages = Pages::serve(None);
    let dir = tempfile::tempdir().unwrap();
    let (workspace, call) = prepare(dir.path(), &[pages.url(&format!("/full/{LINKS}/x"))], seeds_only(), 2);
    let mut child = start(&call);
    while number(&workspace, "SELECT count(*) FROM outlink_gap") == 0 {
        assert!(child.try_wait().unwrap().is_none(), "the links came in one part");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let [links, gaps] = links_stored(&workspace);
    assert!(links < LINKS && gaps == 1, "{links} links, {gaps} gaps: the kill came too late");

    // Whoever asks first for the links gets them whole: a build of inlinks …
    let built = dir.path().join("built");
    crate::archive::copy_folder(&workspace, &built);
    fonds(&["inlinks", "build", arg(&built)]).with_status(0);
    has_all_links(&built, LINKS);
    // … or the launch that goes on, which fetches nothing again.
    let request_count = pages.request_count.load(Ordering::Relaxed);
    fonds(&call).with_status(0);
    has_all_links(&workspace, LINKS);
    assert_eq!(pages.request_count.load(Ordering::Relaxed), request_count);
    assert_eq!(number(&workspace, "SELECT count(*) FROM capture"), 1);
}

/// What a run took at most, how long it ended after Ctrl-C, and its name.
struct Figures {
    name: &'static str,
    peak_mib: u64,
    wall: Duration,
    stop: Option<Duration>,
}

/// Crawls until `stop_when`, then sends what Ctrl-C sends.
fn watched(name: &'static str, call: &[String], mut stop_when: impl FnMut(Duration) -> bool) -> Figures {
    let (mut child, begin) = (start(call), Instant::now());
    let status = format!("/proc/{}/status", child.id());
    let (mut peak_mib, mut stopped) = (0, None);
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let peak =
            text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB")?.trim().parse().ok());
        peak_mib = peak_mib.max(peak.unwrap_or(0_u64) / 1024);
        if stopped.is_none() && stop_when(begin.elapsed()) {
            std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
            stopped = Some(Instant::now());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Figures { name, peak_mib, wall: begin.elapsed(), stop: stopped.map(|stopped| stopped.elapsed()) }
}

/// Takes minutes. `FONDS_PAGES` names a folder of pages with an `index.html`,
/// such as documentation, for the last case.
#[test]
#[ignore = "measures for minutes; run it alone: cargo test --test it full_pages -- --ignored --nocapture"]
fn crawls_full_of_links_stay_below_300_mib_and_stop_within_15_seconds() {
    let folder = std::env::var_os("FONDS_PAGES").map(PathBuf::from);
    let pages = Pages::serve(folder.clone());
    let full =
        |count: u64| -> Vec<String> { ('a'..='h').map(|name| pages.url(&format!("/full/{count}/{name}"))).collect() };
    let all = serde_json::json!([{"rule": "accept_all"}]);
    let endless = vec![pages.url("/endless/1")];
    let mut figures = Vec::new();
    let mut run = |name, seeds: &[String], rules, workers, stop_when: &mut dyn FnMut(&Path, Duration) -> bool| {
        let dir = tempfile::tempdir().unwrap();
        let (workspace, call) = prepare(dir.path(), seeds, rules, workers);
        let of = watched(name, &call, |since| stop_when(&workspace, since));
        println!("{name}: {} MiB, {:.1?}, stop {:.1?}", of.peak_mib, of.wall, of.stop);
        // Nothing is half: each URL waits or has its end, and no link is missing when the launch goes on.
        figures.push(of);
    };
    let after = |seconds: u64| move |_: &Path, since: Duration| since >= Duration::from_secs(seconds);
    let queued = |workspace: &Path, _: Duration| number(workspace, "SELECT max(id) FROM seen") >= 1_000_000;
    run("a million URLs queued on one host", &endless, all.clone(), 16, &mut { queued });
    run("eight pages of 100,000 links", &full(100_000), seeds_only(), 8, &mut |_, _| false);
    run("eight pages of 100,000 links, stopped", &full(100_000), seeds_only(), 8, &mut after(8));
    run("eight pages of 700,000 links, stopped", &full(700_000), seeds_only(), 8, &mut after(30));
    if folder.is_some() {
        let index = [pages.url("/index.html")];
        run("32 workers on a folder of pages", &index, all.clone(), 32, &mut |_, _| false);
        run("32 workers on a folder of pages, stopped", &index, all, 32, &mut after(10));
    }
    for of in figures {
        assert!(of.name.contains("700,000") || of.peak_mib < 300, "{}: {} MiB", of.name, of.peak_mib);
        assert!(of.stop.is_none_or(|stop| stop < Duration::from_secs(15)), "{}: {:?}", of.name, of.stop);
    }
}
