//! Files that are imported again: copies that grew, imports that were killed,
//! packages with damage in them.

use crate::archive::{gzip, write};
use crate::files::{captures, made, open, pair, plain_warc, so_far, states, warc, zip};
use crate::kill::{kill_when, start};
use crate::program::{CallResult, arg, fonds};
use fonds::jobs::JobCx;
use fonds::uri::CaptureDate;
use fonds::warc::RecordBuilder;
use fonds::work::models::ProblemQuery;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

const DATE: CaptureDate = CaptureDate::from_millis(1_709_283_600_000);

fn append(path: &Path, bytes: &[u8]) {
    File::options().append(true).open(path).unwrap().write_all(bytes).unwrap();
}

/// So many captures, each of which can be read.
#[track_caller]
fn check_captures(workspace: &Path, count: usize) {
    let session = open(workspace);
    let rows = captures(&session, "");
    assert_eq!(rows.len(), count);
    rows.iter().for_each(|row| drop(session.content(row.id).unwrap()));
}

/// The files that lie under `imports`.
fn kept(workspace: &Path) -> Vec<PathBuf> {
    crate::archive::files_under(&workspace.join("imports"))
}

#[test]
fn a_copy_of_a_file_that_grew_takes_the_place_of_the_shorter_one() {
    let (_dir, workspace, source) = made();
    let path = write(&source, "a.warc.gz", &warc("one", 3));
    let import = || fonds(&["import", arg(&workspace), arg(&source), "--copy", "--json"]).with_status(0);
    import();
    let (file, first) = {
        let session = open(&workspace);
        (session.workspace.files().unwrap()[0].id, captures(&session, "")[0].id)
    };
    append(&path, &warc("two", 2));
    let output = import();
    let row = &output.json_lines()[0];
    assert_eq!((&row["captures"], &row["new_captures"], &row["file"]), (&5.into(), &2.into(), &file.get().into()));
    check_captures(&workspace, 5);
    assert_eq!(fs::read(&kept(&workspace)[0]).unwrap(), fs::read(&path).unwrap());
    assert_eq!(kept(&workspace).len(), 1, "the shorter copy is of no use any more");
    assert!(open(&workspace).content(first).unwrap().text.contains("page 19"));
    assert_eq!(
        states(&fonds(&["files", "list", arg(&workspace), "--check", "--json"])),
        [pair("present", "a.warc.gz")]
    );
    // Once more, by a link: it stays a copy, or its captures would come in twice.
    append(&path, &warc("three", 1));
    fonds(&["import", arg(&workspace), arg(&source)]).with_status(0);
    check_captures(&workspace, 6);
    assert_eq!(kept(&workspace).len(), 1);
    // Nothing new: nothing happens.
    assert_eq!(import().json_lines()[0]["outcome"], "known");
}

#[test]
fn a_torn_file_that_grew_brings_each_capture_in_once() {
    let body = "one\r\n\r\ntwo\r\n\r\n";
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let page = |number: usize| {
        let record = RecordBuilder::response(&format!("urn:test:{number}"), DATE, &format!("http://a.pt/{number}"));
        String::from_utf8(record.plain(block.as_bytes())).unwrap()
    };
    let torn = page(2);
    let ends: Vec<usize> = torn.match_indices("\r\n\r\n").map(|(at, end)| at + end.len()).collect();
    let within = (1..4).map(|less| torn.len() - less);
    for cut in ends.into_iter().chain(within).chain([30, torn.len() - 20]) {
        let (_dir, workspace, source) = made();
        let path = write(&source, "a.warc", [page(1).as_bytes(), &torn.as_bytes()[..cut]].concat().as_slice());
        let import = || fonds(&["import", arg(&workspace), arg(&source), "--json"]);
        import();
        append(&path, &torn.as_bytes()[cut..]);
        append(&path, page(3).as_bytes());
        import().with_status(0);
        let rows = captures(&open(&workspace), "");
        assert_eq!(rows.len(), 3, "cut {} bytes into the record: {rows:?}", cut);
        check_captures(&workspace, 3);
        let list = fonds(&["files", "list", arg(&workspace), "--check", "--json"]);
        assert_eq!(states(&list), [pair("present", "a.warc")], "{cut}");
    }
}

#[test]
fn a_copy_of_a_linked_file_that_grew_brings_in_what_is_new_and_leaves_the_file() {
    let (_dir, workspace, source) = made();
    let path = write(&source, "a.warc", &plain_warc("one", 3));
    fonds(&["import", arg(&workspace), arg(&source)]).with_status(0);
    append(&path, &plain_warc("two", 2));
    let output = fonds(&["import", arg(&workspace), arg(&source), "--copy", "--json"]).with_status(0);
    assert_eq!(output.json_lines()[0]["new_captures"], 2);
    assert!(path.exists());
    fs::remove_file(&path).unwrap();
    check_captures(&workspace, 5);
}

#[test]
fn the_records_of_an_import_stay_those_that_it_counted() {
    for (copy, name, pages) in [
        (false, "a.warc.gz", warc as fn(&str, usize) -> Vec<u8>),
        (true, "a.warc.gz", warc),
        (false, "a.warc", plain_warc),
    ] {
        let (_dir, workspace, source) = made();
        let path = write(&source, name, &pages("one", 3));
        let args: Vec<&str> =
            ["import", arg(&workspace), arg(&source)].into_iter().chain(copy.then_some("--copy")).collect();
        fonds(&args).with_status(0);
        append(&path, &pages("two", 2));
        fonds(&args).with_status(0);
        let session = open(&workspace);
        let [new, old] = &fonds::work::imports(&session.workspace).unwrap()[..] else { panic!("two imports") };
        assert!(new.records > old.records, "{new:?} {old:?}");
        for (import, has_grown) in [(new, false), (old, true)] {
            let found =
                fonds::work::import_records(&session.workspace, import.launch, None, &JobCx::detached()).unwrap();
            assert_eq!((found.rows.len() as u64, found.unread), (import.records, Vec::new()), "{name} {copy}");
            assert_eq!(found.differing.iter().any(|line| line.contains("it grew since")), has_grown);
        }
        if copy {
            continue;
        }
        // Other bytes, and fewer.
        write(&source, name, &pages("six", 1));
        let found = fonds::work::import_records(&session.workspace, old.launch, None, &JobCx::detached()).unwrap();
        let problems = [found.differing, found.unread].concat();
        assert!(problems.len() == 1 && problems[0].contains("changed"), "{problems:?}");
    }
}

#[test]
fn other_bytes_in_a_longer_file_are_a_copy_of_their_own() {
    let (_dir, workspace, source) = made();
    write(&source, "a.warc.gz", &warc("one", 2));
    let import = || fonds(&["import", arg(&workspace), arg(&source), "--copy"]).with_status(0);
    import();
    write(&source, "a.warc.gz", &warc("seven", 6));
    import();
    check_captures(&workspace, 8);
    assert_eq!(kept(&workspace).len(), 2);
}

#[test]
fn an_unchanged_twin_of_a_file_that_grew_is_known() {
    let (_dir, workspace, source) = made();
    let path = write(&source, "a.warc.gz", &warc("one", 3));
    write(&source, "b.warc.gz", &warc("one", 3));
    for copy in [None, Some("--copy")] {
        let args: Vec<&str> = ["import", arg(&workspace), arg(&source), "--json"].into_iter().chain(copy).collect();
        let import = || fonds(&args).with_status(0).json_lines();
        import();
        append(&path, &warc("two", 2));
        let rows = import();
        assert_eq!((&rows[0]["outcome"], &rows[1]["outcome"]), (&"read".into(), &"known".into()), "{rows:?}");
    }
    // What was appended the second time was here already.
    check_captures(&workspace, 5);
}

#[test]
fn a_killed_import_of_a_copy_that_grew_goes_on() {
    const PAGES: usize = 1_500;
    let (_dir, workspace, source) = made();
    let path = write(&source, "a.warc.gz", &warc("one", 3));
    fonds(&["import", arg(&workspace), arg(&source), "--copy"]).with_status(0);
    append(&path, &warc("two", PAGES));
    // Asked for by a link, too: it goes on as the copy that it is.
    let args = ["import", arg(&workspace), arg(&source), "--json"];
    assert!(kill_when(start(&args), || so_far(&workspace).0 > 3), "the kill came too late");
    assert!(so_far(&workspace).0 < 3 + PAGES as u64);
    let output = fonds(&args).with_status(0);
    assert_eq!(output.json_lines()[0]["new_captures"], PAGES);
    assert_eq!(so_far(&workspace).0, 3 + PAGES as u64);
    assert_eq!(kept(&workspace).len(), 1);
}

#[test]
fn the_figures_of_a_killed_import_are_those_of_the_whole() {
    const PAGES: usize = 1_000;
    let (_dir, workspace, source) = made();
    for (name, host) in [("a", "one"), ("b", "seven"), ("c", "eleven")] {
        write(&source, &format!("{name}.warc.gz"), &warc(host, PAGES));
    }
    let packed = zip(&[
        ("datapackage.json", br#"{"profile": "data-package", "wacz_version": "1.1.1", "resources": []}"#, true),
        ("archive/a.warc.gz", &warc("stored", PAGES), false),
        ("archive/b.warc.gz", &warc("packed", PAGES), true),
    ]);
    write(&source, "d.wacz", &packed);
    let args = ["import", arg(&workspace), arg(&source), "--json"];
    let mut kills = 0;
    for least in [1, 1_000, 1_800, 2_600, 3_100] {
        kills += usize::from(kill_when(start(&args), || so_far(&workspace).0 >= least));
    }
    assert!(kills >= 3, "the program was killed {kills} times only: the kills come too late");
    let output = fonds(&args).with_status(0);
    for row in output.json_lines() {
        assert_eq!(row["captures"], row["new_captures"], "{row}");
    }
    let import = &fonds(&["files", "imports", arg(&workspace), "--json"]).with_status(0).json_lines()[0];
    let figures =
        ["files", "records", "captures", "new_captures", "problems"].map(|name| import[name].as_u64().unwrap());
    let captures = 5 * PAGES as u64;
    assert_eq!(figures, [4, captures + 5, captures, captures, 0]);
    assert!(output.err.contains(&format!("{captures} new captures")), "{}", output.err);
}

#[test]
fn a_damaged_member_that_was_unpacked_has_its_true_state() {
    let (_dir, workspace, source) = made();
    // One gzip member for all records, cut off in the middle of its data.
    let plain = plain_warc("whole", 400);
    let mut whole = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    whole.write_all(&plain).unwrap();
    let mut whole = whole.finish().unwrap();
    whole.truncate(whole.len() / 2);
    let middle = whole.len() / 2;
    whole[middle..middle + 64].fill(0xff);
    let packed = zip(&[
        ("datapackage.json", br#"{"profile": "data-package", "wacz_version": "1.1.1", "resources": []}"#, true),
        ("archive/a.warc.gz", &whole, true),
        ("archive/b.warc.gz", b"\x1f\x8bno archive at all", true),
    ]);
    write(&source, "crawl.wacz", &packed);
    let import = || -> CallResult { fonds(&["import", arg(&workspace), arg(&source), "--json"]) };
    let output = import().with_status(1);
    let row = &output.json_lines()[0];
    assert!(row["captures"].as_u64().unwrap() > 10, "{row}");
    assert_eq!(row["outcome"], "read", "{row}");
    let output = fonds(&["files", "list", arg(&workspace), "--json"]);
    assert_eq!(states(&output), [pair("present", "crawl.wacz"), pair("present", "archive-1")]);
    let member = &output.json_lines()[1];
    assert_eq!((&member["captures"], &member["records"]), (&row["captures"], &row["records"]));
    assert_eq!(kept(&workspace).len(), 1, "what holds nothing is not kept");
    assert_eq!(import().with_status(0).json_lines()[0]["outcome"], "known");
}

#[test]
fn a_large_file_that_several_threads_read_survives_kills_too() {
    const PAGES: usize = 3_000;
    let (_dir, workspace, source) = made();
    let filler = "Words that fill the page so that the file grows large enough. ".repeat(120);
    let mut bytes = Vec::new();
    for page in 0..PAGES {
        let block = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>{page}</title><p>{filler}<a href='/{}'>on</a>page 19",
            page + 1
        );
        let record =
            RecordBuilder::response(&format!("urn:test:{page}"), DATE, &format!("http://large.example/{page}"));
        bytes.extend(record.plain(block.as_bytes()));
    }
    assert!(bytes.len() > 20 << 20, "{}", bytes.len());
    write(&source, "large.warc", &bytes);
    let args = ["import", arg(&workspace), arg(&source), "--json"];
    // A thousand captures are written at a time.
    let mut kills = 0;
    for least in [1, 1_001, 1_500] {
        kills += usize::from(kill_when(start(&args), || so_far(&workspace).0 >= least));
    }
    assert!(kills >= 2, "the program was killed {kills} times only: the kills come too late");
    let row = &fonds(&args).with_status(0).json_lines()[0];
    let figures = ["records", "captures", "new_captures"].map(|name| row[name].as_u64().unwrap());
    assert_eq!(figures, [PAGES as u64; 3]);
    check_captures(&workspace, PAGES);
    assert_eq!(
        states(&fonds(&["files", "list", arg(&workspace), "--check", "--json"])),
        [pair("present", "large.warc")]
    );
    // Damage in the middle is told at its place, and what is behind it comes in.
    let middle = bytes.len() / 2;
    bytes[middle..middle + 30_000].fill(b'#');
    write(&source, "torn.warc", &bytes);
    let row = &fonds(&args).with_status(1).json_lines()[1];
    assert!(row["captures"].as_u64().unwrap() > PAGES as u64 - 10, "{row}");
    assert!(!row["problems"].as_array().unwrap().is_empty());
}

#[test]
fn what_an_import_reported_stays_reported_when_a_file_is_read_again() {
    let (_dir, workspace, source) = made();
    let whole = warc("one", 40);
    let torn = &whole[..whole.len() - 30];
    let path = write(&source, "a.warc.gz", torn);
    let args = ["import", arg(&workspace), arg(&source)];
    fonds(&args).with_status(1);
    append(&path, &whole[torn.len()..]);
    fonds(&args).with_status(0);
    let session = open(&workspace);
    let imports = fonds::work::imports(&session.workspace).unwrap();
    let of = |launch| session.catalogue().problems(&ProblemQuery { launch, ..ProblemQuery::default() }).unwrap();
    for import in &imports {
        assert_eq!(of(Some(import.launch)).rows.len() as u64, import.problems, "{import:?}");
    }
    assert_eq!([imports[0].problems, imports[1].problems], [0, 1]);
    let row = &of(Some(imports[1].launch)).rows[0];
    assert!(row.read_again && row.kind == "truncated", "{row:?}");
    assert_eq!(of(None).rows, [], "it is whole now");
    assert_eq!(session.workspace.files().unwrap()[0].problems, 0);
}

#[test]
fn what_was_broken_in_bytes_that_are_gone_is_not_reported_of_the_new_ones() {
    let (_dir, workspace, source) = made();
    let whole = warc("one", 40);
    let path = write(&source, "a.warc.gz", &[&whole[..whole.len() / 2], b"#####", &whole[whole.len() / 2..]].concat());
    let args = ["import", arg(&workspace), arg(&source)];
    fonds(&args).with_status(1);
    fs::write(&path, warc("other", 5)).unwrap();
    fonds(&args).with_status(0);
    let session = open(&workspace);
    assert_eq!(session.catalogue().problems(&ProblemQuery::default()).unwrap().rows, []);
    assert!(session.workspace.files().unwrap().iter().all(|file| file.problems == 0));
    assert!(fonds::work::imports(&session.workspace).unwrap()[1].problems > 0, "the first import told what it told");
}

#[test]
fn figures_of_an_import_lead_to_what_was_there_then() {
    let (_dir, workspace, source) = made();
    let path = write(&source, "a.warc.gz", &warc("one", 5));
    let args = ["import", arg(&workspace), arg(&source)];
    fonds(&args).with_status(0);
    append(&path, &warc("two", 3));
    fonds(&args).with_status(0);
    let session = open(&workspace);
    for import in fonds::work::imports(&session.workspace).unwrap() {
        let found = captures(&session, &format!("imported:{}", import.launch)).len() as u64;
        assert_eq!(found, import.captures, "{import:?}");
    }
}

#[test]
fn a_copy_is_present_and_not_touched() {
    let (_dir, workspace, source) = made();
    let path = write(&source, "a.warc.gz", &warc("one", 5));
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
    fonds(&["import", arg(&workspace), arg(&source), "--copy"]).with_status(0);
    let output = fonds(&["files", "list", arg(&workspace), "--json"]).with_status(0);
    assert_eq!(output.json_lines()[0]["state"], "present");
}

#[test]
fn records_that_are_no_captures_are_reported_or_counted() {
    let (_dir, workspace, source) = made();
    let of = |id: &str, uri: &str| RecordBuilder::response(id, DATE, uri).plain(b"HTTP/1.1 200 OK\r\n\r\nx");
    let records =
        [of("urn:a:1", "http://a.pt/"), of("urn:a:2", "dns:a.pt"), of("urn:a:3", "no url"), of("urn:a:4", "dns:b.pt")];
    write(&source, "a.warc", &records.concat());
    let output = fonds(&["import", arg(&workspace), arg(&source), "--json"]).with_status(1);
    let row = &output.json_lines()[0];
    assert_eq!((&row["captures"], &row["left_out"]), (&1.into(), &serde_json::json!({"dns": 2})));
    let problems = row["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 2, "{row}");
    assert_eq!(problems[1]["detail"], "WARC-Target-URI holds a blank");
    assert_eq!(problems[0]["detail"], "“no url” is no URL of the web; the response record is left out");
    assert_eq!(problems[0]["offset"], (records[0].len() + records[1].len()) as u64);
}

#[test]
fn a_package_whose_records_share_members_only_later_loses_none() {
    let (_dir, workspace, source) = made();
    let mut mixed = warc("one", 1);
    mixed.extend(gzip(plain_warc("two", 4)));
    let package = zip(&[
        ("datapackage.json", br#"{"profile": "data-package", "wacz_version": "1.1.1", "resources": []}"#, true),
        ("archive/a.warc.gz", &mixed, false),
    ]);
    write(&source, "a.wacz", &package);
    let output = fonds(&["import", arg(&workspace), arg(&source), "--json"]).with_status(1);
    let row = &output.json_lines()[0];
    assert_eq!((&row["captures"], &row["new_captures"]), (&5.into(), &5.into()), "{row}");
    let session = open(&workspace);
    for capture in captures(&session, "") {
        session.content(capture.id).unwrap();
    }
    assert_eq!(captures(&session, "file:a.wacz").len(), 5);
}

/// Two captures of a page within one second, as a crawler makes them, with record ids of their own.
fn twice(name: &str) -> Vec<u8> {
    let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href='/x'>X</a>";
    let record = |id: &str| RecordBuilder::response(id, DATE, "http://twice.example/").compress(block);
    [record(&format!("urn:test:{name}:1")), record(&format!("urn:test:{name}:2"))].concat()
}

#[test]
fn what_is_here_already_comes_in_once_from_whatever_file() {
    let (dir, workspace, source) = made();
    let import = |path: &Path| {
        let output = fonds(&["import", arg(&workspace), arg(path), "--json"]).with_status(0);
        let row = output.json_lines().remove(0);
        (row["captures"].as_u64().unwrap(), row["new_captures"].as_u64().unwrap())
    };
    let links = || fonds(&["inlinks", "export", arg(&workspace)]).with_status(0).out;
    let first = write(&source, "a.warc.gz", &warc("one", 3));
    assert_eq!(import(&first), (3, 3));
    let before = links();
    // The same records packed otherwise, and one more.
    let grown = write(&source, "b.warc", &plain_warc("one", 4));
    assert_eq!(import(&grown), (4, 1));
    check_captures(&workspace, 4);
    let report = fonds(&["files", "report", arg(&workspace)]).with_status(0);
    assert!(report.out.contains("4 captures, 1 new, 3 already here"), "{}", report.out);
    assert!(report.err.contains("3 captures already here"), "{}", report.err);
    assert_eq!(links().matches("page 7").count(), before.matches("page 7").count() / 3 * 4, "a link was counted twice");

    // ARC records have no ids: what is made of them is known by URL, date and digest.
    let body = "<title>Arc</title>";
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let info = "1 1 Fonds\nURL IP-address Archive-date Content-type Archive-length\n";
    let arc = format!(
        "filedesc://old.arc 0.0.0.0 20010101000000 text/plain {}\n{info}\nhttp://old.example/ 1.2.3.4 20010203040506 text/html {}\n{block}\n",
        info.len(),
        block.len()
    );
    let old = write(&source, "old.arc", arc.as_bytes());
    assert_eq!(import(&old), (1, 1));
    let new = source.join("converted.warc.gz");
    fonds::warc::convert_arc_file(&old, &new, &JobCx::detached()).unwrap();
    assert_eq!(import(&new), (1, 0));

    // Two captures of one file are two; of another file, they are those.
    assert_eq!(import(&write(&source, "twice.warc.gz", &twice("a"))), (2, 2));
    assert_eq!(import(&write(&source, "copy.warc.gz", &[twice("b"), warc("two", 1)].concat())), (3, 1));
    check_captures(&workspace, 8);

    // Captures whose file is gone are read from the one that has them.
    fs::remove_file(&first).unwrap();
    fs::remove_file(&grown).unwrap();
    let rows = captures(&open(&workspace), "host:one.example");
    assert!(open(&workspace).content(rows[0].id).is_err());
    let again = write(&dir.path().join("old"), "again.warc", &[plain_warc("one", 4), plain_warc("six", 1)].concat());
    assert_eq!(import(&again), (5, 1));
    check_captures(&workspace, 9);
}

#[test]
fn an_export_and_its_package_add_nothing_to_the_workspace_and_each_capture_once_to_another() {
    let (dir, fresh, _) = made();
    let workspace = dir.path().join("workspace");
    crate::archive::copy_folder(&crate::sample::demo().report.workspace, &workspace);
    let out = dir.path().join("export");
    fonds(&["export", arg(&workspace), "--out", arg(&out), "--wacz"]).with_status(0);
    let before = captures(&open(&workspace), "").len();
    let links = || fonds(&["inlinks", "export", arg(&workspace)]).with_status(0).out;
    let linked = links();
    let in_it = crate::archive::files_under(&out.join("data"));
    let package = in_it.iter().find(|path| path.extension().is_some_and(|ending| ending == "wacz")).unwrap();
    for path in [&out, package] {
        let output = fonds(&["import", arg(&workspace), arg(path)]).with_status(0);
        assert!(output.err.contains(" 0 new captures") && output.err.contains("already here"), "{}", output.err);
    }
    assert_eq!(captures(&open(&workspace), "").len(), before);
    assert_eq!(links(), linked);
    let imports = [&out, package].map(|path| fonds(&["import", arg(&fresh), arg(path), "--json"]).with_status(0));
    let (of_handovers, rows): (Vec<_>, Vec<_>) =
        imports.iter().flat_map(|output| output.json_lines()).partition(|row| row["handover"].is_string());
    assert_eq!(of_handovers.len(), 1);
    let count = |name: &str| rows.iter().map(|row| row[name].as_u64().unwrap()).sum::<u64>();
    assert_eq!((rows.len(), count("captures")), (2, 2 * count("new_captures")), "{rows:?}");
    check_captures(&fresh, count("new_captures") as usize);
}
