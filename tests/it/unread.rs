//! Pages that are too much, damaged or not what they say: each is named, what
//! can be read of it is there, and memory stays bounded.

use crate::archive::write;
use crate::files::{made, open};
use crate::program::{CallResult, arg, fonds, fonds_watched};
use fonds::uri::CaptureDate;
use fonds::warc::RecordBuilder;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Most memory that a command may take, in MiB: a page of 64 MiB, as it stands
/// and as text, and what is made of it.
const MAX_MIB: u64 = 1024;

/// A hostile page, and what has to be said of it.
struct HostilePage {
    name: &'static str,
    /// Fields of its HTTP head.
    fields: &'static str,
    body: Vec<u8>,
    why: &'static str,
    /// Whether links of it may be missing.
    loses_links: bool,
}

/// A gzip stream of a few links and then nothing but blanks.
fn bomb(mebibytes: usize) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(b"<a href=/before-the-bang>before</a>").unwrap();
    let blanks = vec![b' '; 1 << 20];
    (0..mebibytes).for_each(|_| encoder.write_all(&blanks).unwrap());
    encoder.finish().unwrap()
}

/// The pages; most links of the one with a million of them lead to `most`.
fn hostile(most: &str) -> Vec<HostilePage> {
    let page = |name, fields, body: &[u8], why, loses_links| HostilePage {
        name,
        fields,
        body: body.to_vec(),
        why,
        loses_links,
    };
    let html = "Content-Type: text/html\r\n";
    let (too_long, torn) =
        ("too long: only its start was read", "the declared Content-Encoding is wrong: read as far as it goes");
    let (cut, charset) =
        ("too many or too long links: some were left out", "not in the declared charset: no links were found");
    // Links near its beginning, behind 20 MiB, and behind the limit.
    let mut large = b"<a href=/near>near</a>".to_vec();
    large.resize(20 << 20, b' ');
    large.extend_from_slice(b"<a href=/far>far</a>");
    large.resize(70 << 20, b' ');
    large.extend_from_slice(b"<a href=/beyond>beyond</a>");
    let packed = crate::archive::gzip("<a href=/in-part>in part</a>".repeat(1000).as_bytes());
    let some: String = (0..500).map(|n| format!("<a href=/m{n}>m</a>")).collect();
    let many = some + &format!("<a href='{most}'>m</a>").repeat(1_000_000);
    let attribute = format!("<a href='/{}'>x</a><a href=/beside>beside</a>", "x".repeat(10_000_000));
    vec![
        page("large", html, &large, too_long, true),
        page("bomb", "Content-Type: text/html\r\nContent-Encoding: gzip\r\n", &bomb(256), too_long, true),
        page("torn", "Content-Type: text/html\r\nContent-Encoding: gzip\r\n", &packed[..packed.len() - 8], torn, true),
        page("many", html, many.as_bytes(), cut, true),
        page("attribute", html, attribute.as_bytes(), cut, true),
        page("utf-16", "Content-Type: text/html; charset=utf-16\r\n", b"<a href=/none>none</a>", charset, true),
        page(
            "utf-8",
            "Content-Type: text/html; charset=utf-8\r\n",
            b"<a href=/letters>caf\xe9</a>",
            "undecodable characters: they were replaced",
            false,
        ),
        page(
            "deep",
            html,
            format!("{}<a href=/deep>deep</a>", "<div>".repeat(100_000)).as_bytes(),
            "elements nested too deep: texts of links may be cut off",
            false,
        ),
    ]
}

fn url_of(page: &HostilePage) -> String {
    format!("http://{}.example/", page.name)
}

/// A file for each page.
fn files(folder: &Path, pages: &[HostilePage]) -> Vec<PathBuf> {
    let date = CaptureDate::from_millis(1_709_283_600_000);
    let file = |page: &HostilePage| {
        let head = format!("HTTP/1.1 200 OK\r\n{}\r\n", page.fields);
        let record = RecordBuilder::response(&format!("urn:test:{}", page.name), date, &url_of(page));
        let bytes = record.plain(&[head.as_bytes(), &page.body].concat());
        write(folder, &format!("{}.warc", page.name), &bytes)
    };
    pages.iter().map(file).collect()
}

#[track_caller]
fn within_bounds(what: &str, (output, peak_mib): (CallResult, u64)) -> CallResult {
    println!("{what}: {peak_mib} MiB at most");
    assert!(peak_mib <= MAX_MIB, "{what}: {peak_mib} MiB");
    assert!(peak_mib > 0 || !cfg!(target_os = "linux"), "{what}: nobody has looked");
    output
}

/// Links that can be read of these pages, and some that cannot.
#[track_caller]
fn assert_links(lines: &str) {
    for there in
        ["(example,large,)/near", "/far", "/before-the-bang", "/in-part", "/m499", "/beside", "/letters", "/deep"]
    {
        assert!(lines.contains(there), "{there}");
    }
    for lost in ["/beyond", "/none", "/xxx"] {
        assert!(!lines.contains(lost), "{lost}");
    }
}

#[test]
fn data_sets_name_every_hostile_page_and_hold_what_can_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let pages = hostile("/most");
    let files = files(dir.path(), &pages);
    let names: Vec<&str> = files.iter().map(|file| arg(file)).collect();
    for command in ["dataset", "map"] {
        let output =
            within_bounds(command, fonds_watched(&[&["inlinks", command], &names[..]].concat())).with_status(1);
        assert_links(&output.out);
        for (page, file) in pages.iter().zip(&names) {
            let expected = format!("{file}, offset 0: {}: {}", url_of(page), page.why);
            assert!(output.err.contains(&expected), "“{expected}” is missing: {}", output.err);
        }
    }
    // Where all links are there, words that are not as they were meant are told, and no fault.
    for (page, file) in pages.iter().zip(&names).filter(|(page, _)| !page.loses_links) {
        fonds(&["inlinks", "dataset", file]).with_status(0).with_message(page.why);
        fonds(&["inlinks", "map", file]).with_status(0).with_message(page.why);
    }
}

#[test]
fn an_import_and_its_inlinks_name_every_hostile_page() {
    let (_dir, workspace, source) = made();
    // Such links count, and the catalogue has no million of rows to write.
    let pages = hostile("http://[");
    let files = files(&source, &pages);
    let output = within_bounds("import", fonds_watched(&["import", arg(&workspace), arg(&source)])).with_status(1);
    let problems = fonds(&["files", "problems", arg(&workspace), "--json"]).with_status(1).json_lines();
    for (page, file) in pages.iter().zip(&files) {
        let of_page: Vec<&Value> = problems.iter().filter(|row| row["path"] == arg(file)).collect();
        if !page.loses_links {
            assert!(of_page.is_empty(), "{of_page:?}");
            continue;
        }
        let [row] = &of_page[..] else { panic!("{}: {of_page:?}", page.name) };
        assert_eq!((&row["kind"], &row["offset"]), (&Value::from("page not fully read"), &Value::from(0)));
        let detail = format!("{}: {}; links may be missing", url_of(page), page.why);
        assert_eq!(row["detail"], detail);
        assert!(output.out.contains(&detail), "{}", output.out);
    }
    let built = within_bounds("build", fonds_watched(&["inlinks", "build", arg(&workspace)])).with_status(1);
    let lossy = pages.iter().filter(|page| page.loses_links).count();
    assert!(built.out.contains(&format!("{lossy} pages not read completely, links may be missing")), "{}", built.out);
    for page in &pages {
        assert!(built.out.contains(page.why), "{}: {}", page.why, built.out);
    }
    let report = &fonds(&["inlinks", "build", arg(&workspace), "--json"]).with_status(1).json_lines()[0];
    assert_eq!((&report["unread"], &report["cut"]), (&Value::from(lossy), &Value::from(0)));
    assert_links(&fonds(&["inlinks", "export", arg(&workspace)]).with_status(0).out);
    assert_eq!(crate::files::captures(&open(&workspace), "").len(), pages.len());
}

#[test]
fn many_large_pages_are_read_within_bounds() {
    let (_dir, workspace, source) = made();
    let date = CaptureDate::from_millis(1_709_283_600_000);
    // Each comes out three times as long as text.
    let letters = [&b"<p>"[..], &[0xe9; 4096]].concat().repeat(9 << 10);
    let block = [b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=latin1\r\n\r\n", &letters[..]].concat();
    let page = |n: u32| {
        RecordBuilder::response(&format!("urn:test:{n}"), date, &format!("http://a.example/{n}")).plain(&block)
    };
    let path = write(&source, "a.warc", &(0..6).flat_map(page).collect::<Vec<u8>>());
    within_bounds("import of many", fonds_watched(&["import", arg(&workspace), arg(&path)])).with_status(0);
}

#[test]
fn what_was_cut_at_its_capture_is_named_and_what_is_only_declared_wrongly_is_no_fault() {
    let (_dir, workspace, source) = made();
    let (day, later) = (CaptureDate::from_millis(1_709_283_600_000), CaptureDate::from_millis(1_709_370_000_000));
    let body = b"<a href=/cut>cut</a>";
    let (url, head) = ("http://cut.example/", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n");
    let block = [head.as_bytes(), b"\r\n", body].concat();
    let original = RecordBuilder::response("urn:test:cut", day, url).field("WARC-Truncated", "length").plain(&block);
    let digest = fonds::warc::sha1_base32(body);
    let revisit = RecordBuilder::revisit("urn:test:again", later, url, &digest, ("urn:test:cut", url, day));
    let revisit = revisit.plain(format!("{head}\r\n").as_bytes());
    let cut = write(&source, "cut.warc", &[original, revisit].concat());
    let plain = format!("{head}Content-Encoding: gzip\r\n\r\n<a href=/plain>plain</a>");
    let plain = RecordBuilder::response("urn:test:plain", day, "http://plain.example/").plain(plain.as_bytes());
    let plain = write(&source, "plain.warc", &plain);
    let why = "cut at its capture, by its length: read as far as it goes";
    for command in ["dataset", "map"] {
        let output = fonds(&["inlinks", command, arg(&cut)]).with_status(1);
        assert!(output.out.contains("/cut"), "{}", output.out);
        assert_eq!(output.err.matches(&format!("{url}: {why}")).count(), 2, "{}", output.err);
        let output = fonds(&["inlinks", command, arg(&plain)]).with_status(0);
        assert!(output.out.contains("/plain") && !output.err.contains("encoded"), "{}", output.err);
    }
    let output = fonds(&["import", arg(&workspace), arg(&source)]).with_status(1);
    assert!(output.out.contains(&format!("{url}: {why}; links may be missing")), "{}", output.out);
    assert!(!output.out.contains("http://plain.example/"), "{}", output.out);
    let built = fonds(&["inlinks", "build", arg(&workspace)]).with_status(1);
    for text in ["2 pages not read completely, links may be missing", &format!("2 × {why}")] {
        assert!(built.out.contains(text), "“{text}” is missing: {}", built.out);
    }
}
