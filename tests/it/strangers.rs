//! Data of strangers does no harm: hostile names, pages, archives and job
//! configurations, all of our own making.

use crate::archive::gzip;
use crate::archive::{files_under, records, warcs_under};
use crate::full_pages::{prepare, seeds_only};
use crate::need;
use crate::program::{arg, fonds, fonds_watched, fonds_with};
use fonds::uri::CaptureDate;
use fonds::warc::{RecordBuilder, RecordType};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

/// Begins colours on a terminal in one character, and turns the reading direction.
const OBEYED: &str = "a\u{9b}31m\u{85}\u{202e}\u{2067}\u{200f}b";

/// What the program writes to a terminal; none where there is nothing to make one.
fn on_terminal(args: &[&str]) -> Option<String> {
    let python = need::program("python3")?;
    let script = "import pty, sys; pty.spawn(sys.argv[1:])";
    let mut call = Command::new(python);
    call.args(["-c", script, env!("CARGO_BIN_EXE_fonds")]).args(args).stdin(Stdio::null());
    let output = call.output().unwrap();
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn no_text_moves_a_terminal_and_json_lines_escape_it() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join(OBEYED);
    let made = fonds(&["new", arg(&folder)]).with_status(0);
    assert!(made.out.contains(OBEYED), "a script gets the name as it is: {}", made.out);
    let campaign = dir.path().join("campaign.json");
    let seeds = [serde_json::json!({"url": "http://a.example/", "scope": "root"})];
    let text = serde_json::json!({"name": OBEYED, "seeds": seeds}).to_string();
    std::fs::write(&campaign, text).unwrap();
    // What is wrong with the campaign goes to standard error.
    let added = fonds(&["campaign", "add", arg(&folder), arg(&campaign)]).with_status(0);
    let listed = fonds(&["campaign", "list", arg(&folder), "--json"]).with_status(0);
    let shown = fonds(&["campaign", "export", arg(&folder), "1"]).with_status(0);
    let keys = fonds_with(&["surt", "--json"], format!("http://a.example/{OBEYED}\n").as_bytes()).with_status(0);
    for text in [&added.err, &listed.out, &shown.out, &keys.out] {
        assert!(!text.contains(['\u{9b}', '\u{85}', '\u{202e}', '\u{2067}', '\u{200f}']), "{text:?}");
    }
    assert!(listed.out.contains("a\\u009b31m\\u0085\\u202e\\u2067\\u200fb"), "{}", listed.out);
    assert_eq!(listed.json_lines()[0]["name"], OBEYED);
    assert_eq!(keys.json_lines()[0]["url"], format!("http://a.example/{OBEYED}"));

    let other = dir.path().join(format!("{OBEYED}2"));
    let Some(shown) = on_terminal(&["new", arg(&other)]) else { return };
    assert!(shown.contains("a\u{fffd}31m"), "{shown:?}");
    assert!(!shown.contains(['\u{9b}', '\u{85}', '\u{202e}', '\u{2067}', '\u{200f}']), "{shown:?}");
}

#[test]
fn warnings_of_one_kind_are_written_a_hundred_times_and_then_counted() {
    let dir = tempfile::tempdir().unwrap();
    let index = dir.path().join("strange.cdxj");
    let good = r#"pt,a)/ 20240301090000 {"url": "http://a.pt/", "offset": 0, "length": 9, "filename": "a.warc"}"#;
    std::fs::write(&index, format!("{}{good}\n", "no line\n".repeat(12_445))).unwrap();
    let listed = fonds(&["cdx", "ls", arg(&index), "--json"]).with_status(1);
    assert_eq!((listed.out.lines().count(), listed.err.lines().count()), (1, 101), "{}", listed.err);
    assert_eq!(listed.err.lines().last(), Some("… and 12345 more of this kind: lines left out"));
}

/// Most memory that hostile pages may take, in MiB.
const MOST_MIB: u64 = 400;

/// A page of so many bytes that is nothing but links to one URL.
fn link_page(bytes: usize) -> Vec<u8> {
    const LINK: &[u8] = b"<a href=/one>one</a>\n";
    LINK.repeat(bytes / LINK.len())
}

/// Packed three times, as `Content-Encoding: gzip, gzip, gzip` says.
fn thrice(page: &[u8]) -> Vec<u8> {
    gzip(gzip(gzip(page)))
}

/// An archive file of captures of so many URLs, which all answer this.
fn archive_of(folder: &Path, urls: &[String], fields: &str, body: &[u8]) -> PathBuf {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{fields}Content-Length: {}\r\n\r\n", body.len());
    let block = [head.as_bytes(), body].concat();
    let date = CaptureDate::parse("2024-03-01T09:00:00Z").unwrap();
    let record = |(number, url): (usize, &String)| {
        RecordBuilder::response(&format!("urn:test:{number}"), date, url).compress(&block)
    };
    let bytes: Vec<u8> = urls.iter().enumerate().flat_map(record).collect();
    let path = folder.join("strange.warc.gz");
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn pages_that_unpack_to_gigabytes_are_kept_and_not_read_at_an_import_and_by_a_data_set_build() {
    let dir = tempfile::tempdir().unwrap();
    let urls: Vec<String> = (0..120).map(|number| format!("http://bomb.example/{number}")).collect();
    let body = thrice(&link_page(64 << 20));
    assert!(body.len() < 8000, "{} bytes", body.len());
    let archive = archive_of(dir.path(), &urls, "Content-Encoding: gzip, gzip, gzip\r\n", &body);
    let folder = dir.path().join("w");
    fonds(&["new", arg(&folder)]).with_status(0);
    let start = Instant::now();
    let (read, peak) = fonds_watched(&["import", arg(&folder), arg(&archive)]);
    eprintln!("import of {} such pages: {peak} MiB, {:?}", urls.len(), start.elapsed());
    let read = read.with_status(1);
    assert!(peak < MOST_MIB, "{peak} MiB: {}", read.err);
    let captures = fonds(&["captures", arg(&folder), "--count"]).with_status(0);
    assert_eq!(captures.out, "120\n");
    let problems = fonds(&["files", "problems", arg(&folder)]).with_status(1).out;
    assert_eq!(problems.matches("unpacks to more than 250 times its size: it was not read").count(), 120, "{problems}");

    let start = Instant::now();
    let out = dir.path().join("built");
    let (built, peak) = fonds_watched(&["inlinks", "dataset", arg(&archive), "--out", arg(&out)]);
    eprintln!("data set of {} such pages: {peak} MiB, {:?}", urls.len(), start.elapsed());
    let built = built.with_status(1).with_message("unpacks to more than 250 times its size");
    assert!(peak < MOST_MIB, "{peak} MiB: {}", built.err);
}

#[test]
fn pages_that_make_much_out_of_little_are_taken_in_one_after_the_other() {
    let dir = tempfile::tempdir().unwrap();
    // Each link is as long as the page's own URL.
    let long = "x".repeat(30_000);
    let urls: Vec<String> = (0..10).map(|number| format!("http://long.example/{number}/{long}")).collect();
    let body: String = (0..1000).map(|number| format!("<a href=?{number}>x</a>\n")).collect();
    let archive = archive_of(dir.path(), &urls, "", body.as_bytes());
    let folder = dir.path().join("w");
    fonds(&["new", arg(&folder)]).with_status(0);
    let start = Instant::now();
    let (read, peak) = fonds_watched(&["import", arg(&folder), arg(&archive)]);
    eprintln!("import of {} such pages: {peak} MiB, {:?}", urls.len(), start.elapsed());
    let read = read.with_status(0);
    // Each is some thirty MiB of links: as many of them as the window has places were in memory before.
    assert!(peak < 250, "{peak} MiB: {}", read.err);
}

#[test]
fn pages_that_unpack_to_gigabytes_do_not_fill_the_memory_of_a_crawl() {
    let dir = tempfile::tempdir().unwrap();
    // Those that may be unpacked, and those that may not.
    let thrice_packed = || "Content-Encoding: gzip, gzip, gzip\r\n".to_owned();
    let (small, large) = (thrice(&link_page(1 << 20)), thrice(&link_page(64 << 20)));
    let server = serve(move |path| match path.starts_with("/small") {
        true => (thrice_packed(), small.clone()),
        false => (thrice_packed(), large.clone()),
    });
    let kind = |number| if number % 10 == 0 { "small" } else { "large" };
    let seeds: Vec<String> = (0..60).map(|number| format!("{server}/{}/{number}", kind(number))).collect();
    let (workspace, call) = prepare(dir.path(), &seeds, seeds_only(), 20);
    let start = Instant::now();
    let (crawled, peak) = fonds_watched(&call);
    eprintln!("crawl of {} such pages: {peak} MiB, {:?}", seeds.len(), start.elapsed());
    let crawled = crawled.with_status(0);
    assert!(peak < MOST_MIB, "{peak} MiB: {}", crawled.err);
    let captures = fonds(&["captures", arg(&workspace), "--count"]).with_status(0);
    assert_eq!(captures.out, "60\n");
    let built = fonds(&["inlinks", "build", arg(&workspace)]).with_status(1);
    assert!(built.out.contains("54 × unpacks to more than 250 times its size: it was not read"), "{}", built.out);
}

/// A server on loopback that gives for each path header fields and a body; its address.
fn serve(answer: impl Fn(&str) -> (String, Vec<u8>) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let (answer, mut socket) = (Arc::clone(&answer), socket.unwrap());
            std::thread::spawn(move || {
                let mut lines = BufReader::new(socket.try_clone().unwrap()).lines();
                while let Some(Ok(line)) = lines.next() {
                    let Some(path) = line.strip_prefix("GET ").and_then(|line| line.split(' ').next()) else {
                        continue;
                    };
                    let (fields, body) = answer(path);
                    let status = if fields.starts_with("Location") { "302 Found" } else { "200 OK" };
                    let len = body.len();
                    let head = format!(
                        "HTTP/1.1 {status}\r\nContent-Type: text/html\r\n{fields}Content-Length: {len}\r\n\r\n"
                    );
                    if socket.write_all(&[head.as_bytes(), &body].concat()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
}

#[test]
fn no_file_of_a_crawl_has_a_password_of_a_url() {
    const PASSWORD: &str = "s3cr3t-word";
    let dir = tempfile::tempdir().unwrap();
    let with_user = |url: &str| url.replacen("//", &format!("//someone:{PASSWORD}@"), 1);
    let page = move |target: &str| {
        let there = with_user(target);
        format!(
            "<base href={there}/in/><title>Links</title><a href={there}/absolute>a</a><a href=relative>b</a>\
             <link rel=canonical href={there}/c><a href=ftp://someone:{PASSWORD}@files.example/>c</a>"
        )
    };
    let target = serve(|path| (String::new(), format!("<p>{path}").into_bytes()));
    let server = serve({
        let target = target.clone();
        move |path| match path {
            // The server's own words, as it sent them; where they lead is ours.
            "/moved" => (format!("Location: {}/gone\r\n", with_user(&target)), Vec::new()),
            "/files" => (format!("Location: ftp://someone:{PASSWORD}@files.example/x\r\n"), Vec::new()),
            _ => (String::new(), page(&target).into_bytes()),
        }
    });
    let seeds = [
        with_user(&format!("{server}/page")),
        with_user(&format!("{target}/")),
        format!("{server}/moved"),
        format!("{server}/files"),
    ];
    let rules =
        serde_json::json!([{"rule": "reject_all"}, {"rule": "seed_scope"}, {"rule": "too_many_hops", "max_hops": 3}]);
    let (workspace, call) = prepare(dir.path(), &seeds, rules, 2);
    std::fs::remove_file(dir.path().join("campaign.json")).unwrap();
    fonds(&call).with_status(0);
    let captured = fonds(&["captures", arg(&workspace), "--json"]).with_status(0).out;
    assert!(captured.contains(&format!("{target}/gone")), "{captured}");
    assert!(captured.contains(&format!("{target}/absolute")), "{captured}");
    assert!(captured.contains(&format!("{target}/in/relative")), "{captured}");
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);

    let check = |name: &str, bytes: &[u8]| {
        let found = memchr::memmem::find(bytes, PASSWORD.as_bytes());
        let near = found.map(|at| String::from_utf8_lossy(&bytes[at.saturating_sub(200)..(at + 50).min(bytes.len())]));
        assert!(near.is_none(), "{name}: {}", near.unwrap_or_default());
    };
    for file in files_under(&workspace) {
        let name = file.display().to_string();
        if warcs_under(&workspace).contains(&file) {
            for record in records(&file) {
                check(&name, format!("{:?}", record.head).as_bytes());
                // What a server sent stays as it sent it.
                if record.head.record_type != RecordType::Response {
                    check(&name, &record.block);
                }
            }
        } else {
            check(&name, &std::fs::read(&file).unwrap());
        }
    }
}

#[test]
fn a_seed_with_a_password_is_saved_without_it_and_a_warning_is_shown() {
    let dir = tempfile::tempdir().unwrap();
    let (workspace, file) = (dir.path().join("w"), dir.path().join("campaign.json"));
    let seeds = [serde_json::json!({"url": "https://someone:s3cr3t@a.example/x", "scope": "root"})];
    std::fs::write(&file, serde_json::json!({"name": "A", "seeds": seeds}).to_string()).unwrap();
    fonds(&["new", arg(&workspace)]).with_status(0);
    let added = fonds(&["campaign", "add", arg(&workspace), arg(&file)]).with_status(0);
    assert!(!added.err.contains("s3cr3t"), "{}", added.err);
    added.with_message("seeds[0].url: the seed has a user name or a password in it; it is saved and crawled without");
    let saved = fonds(&["campaign", "export", arg(&workspace), "1"]).with_status(0);
    assert!(saved.out.contains("\"https://a.example/x\"") && !saved.out.contains("s3cr3t"), "{}", saved.out);
}
