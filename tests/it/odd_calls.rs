//! Calls that a person makes by mistake, or with a pipe where a file is meant,
//! and files that lie.

use crate::archive::gzip;
use crate::archive::write;
use crate::files::{captures, made, open, plain_warc, warc, zip};
use crate::program::{arg, fonds, fonds_with};
use fonds::uri::CaptureDate;
use fonds::warc::{RecordBuilder, RecordType};
use std::path::Path;

const DATE: CaptureDate = CaptureDate::from_millis(1_709_283_600_000);

/// Puts a digit before the first declared length behind `from`.
fn lying(bytes: &[u8], from: usize, digit: &[u8]) -> Vec<u8> {
    let at = memchr::memmem::find(&bytes[from..], b"Content-Length: ").unwrap() + "Content-Length: ".len();
    [&bytes[..from + at], digit, &bytes[from + at..]].concat()
}

#[test]
fn a_file_that_is_named_twice_counts_once() {
    let (_dir, _, source) = made();
    let path = write(&source, "a.warc.gz", &warc("one", 2));
    let other = source.join(".").join("a.warc.gz");
    for command in ["check", "index"] {
        let once = fonds(&["warc", command, arg(&path)]).with_status(0);
        let twice = fonds(&["warc", command, arg(&path), arg(&other)]).with_status(0);
        assert_eq!(twice.out, once.out);
        assert_eq!(twice.err.matches("named twice, read once").count(), 1, "{}", twice.err);
        assert!(!once.err.contains("twice"), "{}", once.err);
    }
}

#[cfg(unix)]
#[test]
fn a_file_under_two_names_is_indexed_under_both() {
    let (_dir, _, source) = made();
    write(&source, "a.warc.gz", &warc("one", 2));
    let names = ["b.warc.gz", "c.warc.gz"].map(|name| source.join(name));
    names.iter().for_each(|name| std::os::unix::fs::symlink("a.warc.gz", name).unwrap());
    let output = fonds(&["warc", "index", arg(&names[0]), arg(&names[1])]).with_status(0);
    assert_eq!((output.out.matches("b.warc.gz").count(), output.out.matches("c.warc.gz").count()), (2, 2));
    let output = fonds(&["warc", "check", arg(&names[0]), arg(&names[1])]).with_status(0);
    output.with_message("c.warc.gz: named twice, read once");
}

#[test]
fn a_file_that_is_missing_keeps_no_other_from_the_index() {
    let (_dir, _, source) = made();
    let path = write(&source, "a.warc.gz", &warc("one", 2));
    let alone = fonds(&["warc", "index", arg(&path)]).with_status(0);
    let output = fonds(&["warc", "index", arg(&path), arg(&source.join("missing.warc.gz"))]).with_status(2);
    assert_eq!(output.out, alone.out);
    assert_eq!(output.out.lines().count(), 2);
    output.with_message("missing.warc.gz: No such file");
}

#[cfg(unix)]
#[test]
fn a_record_is_found_in_a_pipe() {
    for bytes in [warc("one", 3), plain_warc("one", 3)] {
        let list = fonds_with(&["warc", "ls", "--json", "/dev/stdin"], &bytes).with_status(0).json_lines();
        let offset = list[1]["offset"].to_string();
        let output = fonds_with(&["warc", "cat", "/dev/stdin", &offset], &bytes).with_status(0);
        assert!(output.out.contains("WARC-Target-URI: http://one.example/0\r\n"), "{}", output.out);
        let wrong = format!("{}", list[1]["offset"].as_u64().unwrap() + 1);
        fonds_with(&["warc", "cat", "/dev/stdin", &wrong], &bytes).with_status(2).with_message("no record begins here");
        fonds_with(&["warc", "cat", "--raw", "/dev/stdin", &offset], &bytes)
            .with_status(2)
            .with_message("save it as a file");
    }
}

#[test]
fn a_new_file_needs_a_name() {
    let (_dir, _, source) = made();
    let path = write(&source, "a.warc.gz", &warc("one", 2));
    fonds(&["warc", "recompress", arg(&path), "--out", "-"]).with_status(2).with_message("name a file");
}

#[test]
fn a_package_that_begins_with_an_unlisted_page_is_reported() {
    let (_dir, _, source) = made();
    let path = write(&source, "a.warc.gz", &warc("one", 2));
    let create =
        |page: &str, name: &str| fonds(&["wacz", "create", arg(&source.join(name)), arg(&path), "--main-page", page]);
    create("http://one.example/1", "right.wacz").with_status(0);
    create("http://one.example/9", "wrong.wacz").with_status(1).with_message("http://one.example/9: it is on no list");
}

#[test]
fn records_behind_a_wrong_length_are_read_by_all() {
    let (_dir, workspace, source) = made();
    let bytes = plain_warc("one", 4);
    let sound = write(&source, "a.warc", &bytes);
    let list = fonds(&["warc", "ls", "--json", arg(&sound)]).with_status(0).json_lines();
    let begin = list[2]["offset"].as_u64().unwrap() as usize;
    std::fs::remove_file(sound).unwrap();
    let path = write(&source, "lying.warc", &lying(&bytes, begin, b"9"));
    let output = fonds(&["warc", "check", arg(&path)]).with_status(1);
    assert!(output.out.contains(&format!("{} records", list.len())), "{}", output.out);
    assert!(output.out.contains("a record follows them"), "{}", output.out);
    fonds(&["import", arg(&workspace), arg(&source)]).with_status(1);
    let session = open(&workspace);
    let rows = captures(&session, "");
    assert_eq!(rows.len(), 4);
    rows.iter().for_each(|row| drop(session.content(row.id).unwrap()));
    drop(session);
    // It is known by its records, wherever it went.
    std::fs::rename(&path, source.join("moved.warc")).unwrap();
    fonds(&["files", "locate", arg(&workspace), arg(&source)]).with_status(0);
    assert_eq!(open(&workspace).workspace.files().unwrap()[0].state.as_str(), "present");
}

#[test]
fn lengths_beyond_all_numbers_leave_the_sums_alone() {
    let (_dir, workspace, source) = made();
    let page = RecordBuilder::response("urn:test:1", DATE, "http://a.pt/")
        .field("WARC-Payload-Digest", "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    let other = RecordBuilder::response("urn:test:2", DATE, "http://b.pt/")
        .field("WARC-Payload-Digest", "sha1:BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nx";
    let members = [page, other].map(|record| gzip(lying(&record.plain(block), 0, b"92233720368547750")));
    write(&source, "a.warc.gz", &members.concat());
    fonds(&["import", arg(&workspace), arg(&source)]).with_status(1);
    let session = open(&workspace);
    let sizes: Vec<u64> = captures(&session, "").iter().map(|row| row.size).collect();
    // Nothing tells the line breaks behind a block from it where its member ends.
    assert_eq!(sizes, [5, 5]);
}

#[test]
fn a_record_that_lies_about_its_length_is_shown_with_a_remark() {
    let (_dir, workspace, source) = made();
    let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nshort";
    let page = |host: &str| RecordBuilder::response(&format!("urn:test:{host}"), DATE, &format!("http://{host}.pt/"));
    let digit = block.len().to_string().len() - 1;
    let lie = |host: &str| lying(&page(host).plain(block), digit, b"99");
    // What follows in the package is none of the record.
    let package = zip(&[
        ("archive/a.warc", &[page("a").plain(block), lie("b")].concat(), false),
        ("datapackage.json", br#"{"profile": "data-package", "wacz_version": "1.1.1", "resources": []}"#, false),
    ]);
    write(&source, "a.wacz", &package);
    write(&source, "b.warc", &[lie("c"), page("d").plain(block)].concat());
    write(&source, "c.warc.gz", &[gzip(lie("e")), page("f").compress(block)].concat());
    fonds(&["import", arg(&workspace), arg(&source)]).with_status(1);
    let session = open(&workspace);
    let rows = captures(&session, "");
    assert_eq!(rows.len(), 6);
    for row in rows {
        let content = session.content(row.id).unwrap();
        // In a compressed file, nothing tells the line breaks behind a block from it.
        let text = if row.url == "http://e.pt/" { "short\r\n\r\n" } else { "short" };
        assert_eq!((content.text.as_str(), row.size), (text, text.len() as u64), "{}", row.url);
        let is_lie = ["b", "c", "e"].iter().any(|host| row.url == format!("http://{host}.pt/"));
        let is_reported = content.problems.iter().any(|problem| problem.contains("are there"));
        assert_eq!(is_reported, is_lie, "{}: {:?}", row.url, content.problems);
    }
    let imported = format!("imported:{}", fonds::work::imports(&session.workspace).unwrap()[0].launch);
    drop(session);
    let example = fonds(&["campaign", "example"]).with_status(0).out;
    let campaign = write(&source, "campaign.json", example.as_bytes());
    fonds(&["campaign", "add", arg(&workspace), arg(&campaign)]).with_status(0);
    let import = imported.strip_prefix("imported:").unwrap();
    fonds(&["files", "assign", arg(&workspace), import, "1"]).with_status(0);
    fonds(&["select", "run", arg(&workspace), "1", "--filter", &imported]).with_status(0);
    let out = source.join("export");
    let output = fonds(&["export", arg(&workspace), "--out", arg(&out), "--json"]).with_status(1);
    let printed = [output.out.as_str(), &output.err].concat();
    assert_eq!(printed.matches("cannot be read whole").count(), 3, "{printed}");
}

#[test]
fn a_record_about_any_letters_is_reported_briefly() {
    let (_dir, workspace, source) = made();
    let record = RecordBuilder::response("urn:test:1", DATE, &format!("{}:x", "a".repeat(100_000)));
    let request = RecordBuilder::new(&RecordType::Request, "urn:test:2", DATE).field("WARC-Target-URI", "http://a.pt/");
    let both = [record.compress(b"HTTP/1.1 200 OK\r\n\r\nx"), request.compress(b"GET / HTTP/1.1\r\n\r\n")];
    write(&source, "a.warc.gz", &both.concat());
    let output = fonds(&["import", arg(&workspace), arg(&source)]).with_status(1);
    assert!(output.out.len() < 2_000 && output.err.len() < 2_000, "{} {}", output.out.len(), output.err.len());
    assert!(output.out.contains("1 request or metadata record without a capture"), "{}", output.out);
}

#[test]
fn damage_is_reported_again_when_its_bytes_are_back() {
    let (_dir, workspace, source) = made();
    let whole = warc("one", 3);
    let torn = &whole[..whole.len() - 30];
    let path = write(&source, "a.warc.gz", torn);
    let import = || fonds(&["import", arg(&workspace), arg(&source)]).status;
    assert_eq!(import(), 1);
    write(&source, "a.warc.gz", &warc("two", 3));
    assert_eq!(import(), 0);
    assert_eq!(fonds(&["files", "problems", arg(&workspace)]).status, 0);
    write(&source, "b.warc.gz", torn);
    import();
    assert_eq!(fonds(&["files", "problems", arg(&workspace)]).status, 1);
    let files = open(&workspace).workspace.files().unwrap();
    let problems = |path: &Path| files.iter().find(|file| file.location == path).map(|file| file.problems);
    assert_eq!((problems(&source.join("b.warc.gz")), problems(&path)), (Some(1), Some(0)));
}

#[test]
fn a_copy_of_segments_is_no_fault_and_a_whole_counts_once() {
    let (_dir, _, source) = made();
    let first = RecordBuilder::response("urn:test:1", DATE, "http://a.pt/").field("WARC-Segment-Number", "1");
    let last = RecordBuilder::new(&RecordType::Continuation, "urn:test:2", DATE)
        .field("WARC-Target-URI", "http://a.pt/")
        .reference("WARC-Segment-Origin-ID", "urn:test:1")
        .field("WARC-Segment-Number", "2");
    let (one, two) = (&b"HTTP/1.1 200 OK\r\n\r\nab"[..], &b"cd"[..]);
    let digest = fonds::warc::Digests::of_block(&[one, two].concat(), true).payload;
    let total = (one.len() + two.len()).to_string();
    let bytes = [
        first.field("WARC-Payload-Digest", &digest).plain(one),
        last.field("WARC-Segment-Total-Length", &total).plain(two),
    ];
    let path = write(&source, "seg.warc", &bytes.concat());
    let copy = write(&source, "copy.warc", &bytes.concat());
    let alone = fonds(&["warc", "check", arg(&path)]);
    let both = fonds(&["warc", "check", arg(&path), arg(&copy)]);
    assert!(
        alone.out.contains("2 records, digests of 2 checked") || alone.out.contains("digests of 1 checked"),
        "{}",
        alone.out
    );
    assert!(!both.out.contains("more than once"), "{}", both.out);
    assert_eq!(alone.status, both.status);
}

#[test]
fn a_file_without_a_record_is_no_sound_one() {
    let (_dir, _, source) = made();
    fonds(&["warc", "check", arg(&write(&source, "none.warc.gz", &gzip(b"")))]).with_status(1);
}

#[test]
fn a_wrong_offset_calls_no_archive_a_foreign_file() {
    let (_dir, _, source) = made();
    let path = write(&source, "a.warc.gz", &warc("one", 2));
    let output = fonds(&["warc", "cat", arg(&path), "17"]).with_status(2);
    assert!(!output.err.contains("neither WARC nor ARC"), "{}", output.err);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_searched_twice() {
    let bytes = warc("one", 3);
    let output = fonds_with(&["warc", "cat", "/dev/stdin", "--url", "http://one.example/1"], &bytes).with_status(2);
    output.with_message("a pipe is read once");
}

#[test]
fn a_record_that_lies_is_shown_as_far_as_it_goes() {
    let (_dir, _, source) = made();
    let bytes = plain_warc("one", 2);
    let at = memchr::memmem::rfind(&bytes, b"WARC/1.1").unwrap();
    let path = write(&source, "a.warc", &lying(&bytes, at, b"9"));
    let output = fonds(&["warc", "cat", arg(&path), &at.to_string()]).with_status(1);
    assert!(output.out.contains("page 19"), "{}", output.out);
    output.with_message("the file ends behind them");
}
