//! `fonds replay check`: pages of an archive in Chromium, which reaches nothing else.

use crate::archive::{file, page, record_of, response};
use crate::need::program;
use crate::program::{arg, fonds};
use std::path::Path;

const DATE: &str = "2024-03-01T09:00:00Z";

/// A style sheet, a script, a picture of one dot: what pages here need.
fn parts(host: &str) -> [Vec<u8>; 3] {
    let of = |path: &str, mime: &str, body: &str| {
        let head = format!("200 OK\r\nContent-Type: {mime}\r\nStrict-Transport-Security: max-age=9");
        response(&format!("{host}{path}"), DATE, &head, body)
    };
    [
        of("/s.css", "text/css", "p { color: green } @import '/gone.css';"),
        of(
            "/s.js",
            "text/javascript",
            "document.body.append('added by a script'); fetch('/data.json'); nothing.here()",
        ),
        of("/i.svg", "image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"),
    ]
}

const PAGE: &str = "<!doctype html><title>T</title><link rel=stylesheet href=/s.css><link rel=stylesheet href=/lost.css>\
    <p>one two three four five six seven eight nine ten<img src=/i.svg><img src=//c.example/lost.png>\
    <script src=/s.js></script>";

fn workspace(folder: &Path, records: &[Vec<u8>]) -> String {
    let archive = file(folder, "a.warc.gz", records);
    let workspace = folder.join("w");
    fonds(&["new", arg(&workspace)]).with_status(0);
    fonds(&["import", arg(&workspace), arg(&archive)]).with_status(0);
    arg(&workspace).to_owned()
}

#[test]
fn pages_are_opened_as_they_were_and_each_hole_is_named() {
    if program("chromium").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut records = Vec::new();
    // One of them is a site of another scheme, whose certificate nobody has.
    for host in ["http://a.example", "https://b.example"] {
        records.push(page(&format!("{host}/"), DATE, PAGE));
        records.extend(parts(host));
    }
    let url = "https://b.example/";
    records.push(record_of(
        &format!("urn:text:{url}"),
        DATE,
        "text/plain",
        b"one two three four five added by a script",
    ));
    let info = format!(
        r#"{{"urls":{{"{url}":{{"status":200}},"{url}lost.css":{{"status":200}},"{url}x":{{"status":404}}}}}}"#
    );
    records.push(record_of(&format!("urn:pageinfo:{url}"), DATE, "application/json", info.as_bytes()));
    let workspace = workspace(folder.path(), &records);
    let pages = fonds(&["replay", "check", &workspace, "--json"]).with_status(0).json_lines();
    assert_eq!(pages.len(), 2, "{pages:#?}");
    for page in &pages {
        let findings = &page["findings"];
        let base = page["url"].as_str().unwrap();
        let mut missing: Vec<&str> =
            findings["missing"].as_array().unwrap().iter().map(|request| request["url"].as_str().unwrap()).collect();
        missing.retain(|url| !url.ends_with("/favicon.ico"));
        missing.sort_unstable();
        let scheme = base.split_once(':').unwrap().0;
        let mut expected: Vec<String> = ["data.json", "lost.css"].iter().map(|name| format!("{base}{name}")).collect();
        expected.push(format!("{scheme}://c.example/lost.png"));
        expected.sort_unstable();
        assert_eq!(missing, expected, "an import after a rule is none");
        assert!(findings["missing"][0]["why"].as_str().unwrap().contains("never seen"), "{findings}");
        assert_eq!(page["words"], 1.0, "{page}");
        assert_eq!(findings["script_errors"].as_array().unwrap().len(), 1, "{findings}");
        let picture = std::fs::read(Path::new(&workspace).join(page["picture"].as_str().unwrap())).unwrap();
        assert!(picture.starts_with(b"\x89PNG"));
    }
    // Beside what its crawler kept: 9 of 14 words, one of two requests.
    let crawler = &pages.iter().find(|page| page["url"] == url).unwrap()["findings"]["crawler"];
    assert!((crawler["text"].as_f64().unwrap() - 9.0 / 14.0).abs() < 1e-9, "{crawler}");
    assert_eq!(crawler["requests"], serde_json::json!([2, 1]));
    assert!(fonds(&["replay", "check", &workspace, "--json"]).with_status(0).out.is_empty(), "they are known");
    assert_eq!(fonds(&["replay", "check", &workspace, "--json", "--again", "--most", "1"]).json_lines().len(), 1);
}

#[test]
fn nothing_is_opened_without_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = workspace(folder.path(), &[page("http://a.example/", DATE, PAGE)]);
    let absent = folder.path().join("chromium");
    fonds(&["replay", "check", &workspace, "--browser", arg(&absent)]).with_status(2).with_message("--browser");
    // A program that is no browser is named.
    let call = fonds(&["replay", "check", &workspace, "--browser", "/bin/true"]).with_status(2);
    assert!(call.err.contains("/bin/true"), "{}", call.err);
}
