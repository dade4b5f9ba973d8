//! `fonds replay` as a person and as other programs use it.

use crate::program::fonds;
use crate::sample::demo;
use fonds::store::Workspace;
use fonds::work::Session;
use fonds::work::models::SeenQuery;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A replay that ends with this.
pub(crate) struct RunningReplay {
    child: Child,
    pub(crate) control: String,
    pub(crate) archive: String,
}

impl RunningReplay {
    pub(crate) fn start(target: &std::path::Path) -> Self {
        Self::start_with(target, &[])
    }

    pub(crate) fn start_with(target: &std::path::Path, options: &[&str]) -> Self {
        let mut call = Command::new(env!("CARGO_BIN_EXE_fonds"));
        call.args(["replay", "--json"])
            .args(options)
            .arg(target)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .stdin(Stdio::null());
        let mut child = call.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let addresses: serde_json::Value = serde_json::from_str(&line).unwrap();
        let of = |name: &str| addresses[name].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
        Self { control: of("control"), archive: of("replay"), child }
    }
}

impl Drop for RunningReplay {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a server answers; `base` is its host, and the token where it has one.
pub(crate) fn get(base: &str, target: &str) -> String {
    let (host, root) = base.find('/').map_or((base, ""), |at| base.split_at(at));
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET {root}{target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut got = Vec::new();
    stream.read_to_end(&mut got).unwrap();
    String::from_utf8_lossy(&got).into_owned()
}

#[test]
fn a_workspace_and_an_export_of_it_show_the_same_page() {
    let demo = demo();
    let page = "/w/http://biblioteca.vilanova.example/";
    let mut shown = Vec::new();
    for target in [demo.folder.join("workspace"), demo.folder.join("export")] {
        let replay = RunningReplay::start(&target);
        let gate = get(&replay.archive, page);
        let location = gate.lines().find_map(|line| line.strip_prefix("Location: http://")).unwrap();
        let (_, path) = location.split_once('/').unwrap();
        let memento = get(&replay.archive, &format!("/{path}"));
        assert!(memento.starts_with("HTTP/1.1 200 ") && memento.contains("Memento-Datetime: "), "{memento}");
        assert!(memento.contains("<script src=\"/shim.js\">"), "{memento}");
        let cdx = get(&replay.control, "/cdx?url=biblioteca.vilanova.example");
        assert!(cdx.contains("example,vilanova,biblioteca)/ "), "{cdx}");
        let (_, title) = memento.split_once("<title>").unwrap();
        shown.push(title.split_once("</title>").unwrap().0.to_owned());
    }
    assert!(shown[0] == shown[1], "{shown:#?}");
}

#[test]
fn with_a_token_no_other_address_is_answered() {
    let folder = demo().folder.join("workspace");
    let of = |options: &[&str]| RunningReplay::start_with(&folder, options);
    let (first, second, own) = (of(&["--token"]), of(&["--token"]), of(&["--token=my-own_1"]));
    let token = |base: &str| base.split_once('/').unwrap().1.to_owned();
    assert!(token(&first.control) == token(&first.archive) && token(&first.control) != token(&second.control));
    assert!(token(&first.control).len() == 32 && token(&own.archive) == "my-own_1");
    for base in [&first.control, &first.archive] {
        let (host, token) = base.split_once('/').unwrap();
        for target in ["/", "/w/http://biblioteca.vilanova.example/", "/shim.js", &format!("/{}x/", &token[..31])] {
            assert!(get(host, target).starts_with("HTTP/1.1 403 "), "{target}");
        }
    }
    assert!(get(&first.control, "").starts_with("HTTP/1.1 200 "));
    let gate = get(&first.archive, "/w/http://biblioteca.vilanova.example/");
    assert!(gate.contains(&format!("Location: http://{}/w/", first.archive)), "{gate}");
    fonds(&["replay", folder.to_str().unwrap(), "--token=a/b"]).with_status(2).with_message("letters");
}

#[test]
fn a_page_that_was_not_captured_names_the_rule_that_refused_it() {
    let replay = RunningReplay::start(&demo().folder.join("workspace"));
    let session = Session::new(Workspace::open_read_only(&demo().folder.join("workspace")).unwrap());
    let launch = &session.catalogue().launches(None).unwrap()[0];
    let refused = session.catalogue().seen(&SeenQuery::of_launch(launch.id, "refused")).unwrap().rows;
    let of_rule =
        refused.iter().find(|row| session.catalogue().captures_of_url(&row.url.parse().unwrap()).unwrap().is_empty());
    let row = of_rule.unwrap();
    let got = get(&replay.archive, &format!("/w/20240101000000mp_/{}", row.url));
    assert!(
        got.starts_with("HTTP/1.1 404 ") && got.contains("refused by the rule") && got.contains(&row.rule),
        "{got}"
    );
    let got = get(&replay.archive, "/w/20240101000000mp_/http://never.example/x");
    assert!(got.contains("never seen by a crawl here"), "{got}");
}

/// The bytes of all files of a workspace but those that SQLite makes for readers.
fn state_of(folder: &std::path::Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            match entry.is_dir() {
                true => folders.push(entry),
                false if entry.to_string_lossy().ends_with("-shm") => {}
                false => files.push((entry.clone(), std::fs::read(&entry).unwrap())),
            }
        }
    }
    files.sort();
    files
}

#[test]
fn a_replay_that_is_killed_leaves_the_workspace_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("w");
    crate::archive::copy_folder(&demo().folder.join("workspace"), &workspace);
    // Whoever reads first may leave files of the reader.
    drop(fonds(&["captures", workspace.to_str().unwrap()]));
    let before = state_of(&workspace);
    let replay = RunningReplay::start(&workspace);
    let second = RunningReplay::start(&workspace);
    for replay in [&replay, &second] {
        assert!(get(&replay.archive, "/w/http://biblioteca.vilanova.example/").starts_with("HTTP/1.1 302 "));
        get(&replay.archive, "/w/20240101000000mp_/http://biblioteca.vilanova.example/");
        get(&replay.control, "/info?path=/w/20240101000000mp_/http://biblioteca.vilanova.example/");
    }
    drop((replay, second));
    assert!(before == state_of(&workspace), "a file changed");
}

#[test]
fn standard_input_is_rewritten_as_a_page_is() {
    let rewrite = |kind: &str, input: &str| {
        let args = ["replay", "rewrite", kind, "--url", "https://a.pt/b/", "--timestamp", "20240105093000"];
        crate::program::fonds_with(&args, input.as_bytes())
    };
    for (kind, input, expected) in [
        ("html", "<a href=/x>", "<a href=/w/20240105093000mp_/https://a.pt/x>"),
        ("url", "//c.pt", "/w/20240105093000mp_/https://c.pt/"),
        ("insert", "<head><p>", "<head>{INSERT}<p>"),
        ("header", "Location: c", "Location: /w/20240105093000mp_/https://a.pt/b/c"),
        ("cookie", "Set-Cookie: a=b", "(none)"),
    ] {
        let result = rewrite(kind, input);
        assert_eq!((result.status, result.out.as_str()), (0, expected), "{kind}");
    }
    assert_eq!(rewrite("poem", "").status, 2);
}
