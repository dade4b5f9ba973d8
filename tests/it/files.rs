//! Archive files that are killed in, moved, changed, broken or packed.

use crate::archive::{gzip, write};
use crate::archives::record;
use crate::kill::{kill_when, start};
use crate::need;
use crate::program::{CallResult, arg, fonds};
use fonds::jobs::JobCx;
use fonds::store::Workspace;
use fonds::uri::CaptureDate;
use fonds::warc::RecordBuilder;
use fonds::work;
use fonds::work::Session;
use fonds::work::models::{CaptureQuery, CaptureRow, ProblemQuery};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The records of an archive file of so many pages of one host.
fn records(host: &str, pages: usize, bytes_of: fn(&RecordBuilder, &[u8]) -> Vec<u8>) -> Vec<u8> {
    let date = CaptureDate::from_millis(1_709_283_600_000);
    let info = RecordBuilder::warcinfo(&format!("urn:test:{host}"), date, "a.warc.gz");
    let mut bytes = bytes_of(&info, b"software: test\r\n");
    for page in 0..pages {
        let url = format!("http://{host}.example/{page}");
        let links: String = (0..20).map(|link| format!("<a href='/{link}'>page {link}</a>")).collect();
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>{page}</title>{links}");
        let record = RecordBuilder::response(&format!("urn:test:{host}:{page}"), date, &url);
        bytes.extend(bytes_of(&record, block.as_bytes()));
    }
    bytes
}

/// An archive file with a gzip member for each record.
pub fn warc(host: &str, pages: usize) -> Vec<u8> {
    records(host, pages, RecordBuilder::compress)
}

/// An archive file without compression: hosts of equal length give equal sizes.
pub fn plain_warc(host: &str, pages: usize) -> Vec<u8> {
    records(host, pages, RecordBuilder::plain)
}

/// A new workspace and a folder beside it.
pub fn made() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let (workspace, source) = (dir.path().join("archive"), dir.path().join("old"));
    fonds(&["new", arg(&workspace)]).with_status(0);
    fs::create_dir(&source).unwrap();
    (dir, workspace, source)
}

pub fn open(workspace: &Path) -> Session {
    Session::new(Workspace::open(workspace).unwrap())
}

pub fn captures(session: &Session, filter: &str) -> Vec<CaptureRow> {
    let query = CaptureQuery { filter: filter.to_owned(), limit: 100_000, ..work::everything() };
    let page = session.catalogue().captures(&query).unwrap();
    assert_eq!(page.filter_problem, None);
    page.rows
}

/// Figures of an import, by a look from another process.
pub fn so_far(workspace: &Path) -> (u64, usize) {
    let Ok(reader) = Workspace::open_read_only(workspace) else { return (0, 0) };
    let total = reader.catalogue().captures(&work::everything()).map_or(0, |page| page.total);
    let files = reader.catalogue().imports().ok().and_then(|imports| imports.first().map(|import| import.launch));
    let files = files.and_then(|launch| reader.catalogue().imported_files(launch).ok()).unwrap_or_default();
    (total, files.len())
}

#[test]
fn an_import_killed_again_and_again_brings_everything_in_once() {
    const PAGES: usize = 1_000;
    let (_dir, workspace, source) = made();
    // Two of one size, so that the way over the digest is killed in, too.
    for (name, host) in [("a", "one"), ("b", "two")] {
        write(&source, &format!("{name}.warc"), &plain_warc(host, PAGES));
    }
    for (name, host) in [("c", "three"), ("d", "seven"), ("e", "eleven")] {
        write(&source, &format!("{name}.warc.gz"), &warc(host, PAGES));
    }
    let args = ["import", arg(&workspace), arg(&source)];
    let mut kills = 0;
    for least in [1, 400, 1_000, 1_600, 2_200, 2_800] {
        kills += usize::from(kill_when(start(&args), || so_far(&workspace).0 >= least));
    }
    assert!(kills >= 3, "the program was killed {kills} times only: the kills come too late");
    // Whoever only looks is told how it stands, too.
    let listed = || fonds(&["files", "imports", arg(&workspace)]).with_status(0).out;
    assert!(
        listed().to_lowercase().contains("stopped") && !listed().to_lowercase().contains("running"),
        "{}",
        listed()
    );
    assert!(kill_when(start(&args), || so_far(&workspace).1 >= 1) || so_far(&workspace).1 == 5);
    // What is done is not read again: its bytes may be others by now.
    let done = fonds(&["files", "report", arg(&workspace), "--json"]).json_lines();
    let first = done.iter().find(|file| file["outcome"] == "read").unwrap()["path"].as_str().unwrap().to_owned();
    let meta = fs::metadata(&first).unwrap();
    let sound = fs::read(&first).unwrap();
    fs::write(&first, vec![0; sound.len()]).unwrap();
    File::options().write(true).open(&first).unwrap().set_modified(meta.modified().unwrap()).unwrap();
    let output = fonds(&["import", arg(&workspace), arg(&source), "--json"]).with_status(0);
    fs::write(&first, &sound).unwrap();

    let files = output.json_lines();
    assert_eq!(files.len(), 5, "{files:?}");
    assert!(files.iter().all(|file| file["outcome"] == "read" && file["captures"] == PAGES), "{files:?}");
    let imports = fonds(&["files", "imports", arg(&workspace), "--json"]).with_status(0).json_lines();
    assert_eq!(imports.len(), 1, "a killed import goes on, it does not begin anew");
    assert_eq!((&imports[0]["state"], &imports[0]["files"]), (&Value::from("finished"), &Value::from(5)));
    let session = open(&workspace);
    let rows = captures(&session, "");
    let urls: BTreeSet<_> = rows.iter().map(|row| row.url.clone()).collect();
    assert_eq!((rows.len(), urls.len()), (5 * PAGES, 5 * PAGES));
}

#[test]
fn a_file_that_was_renamed_in_the_middle_goes_on_under_its_new_name() {
    const PAGES: usize = 1_500;
    let (_dir, workspace, source) = made();
    let path = write(&source, "a.warc.gz", &warc("one", PAGES));
    let args = ["import", arg(&workspace), arg(&source)];
    assert!(kill_when(start(&args), || so_far(&workspace).0 > 0), "the kill came too late");
    let before = so_far(&workspace);
    assert!(before.0 < PAGES as u64 && before.1 == 0, "{before:?}");
    fs::rename(&path, source.join("renamed.warc.gz")).unwrap();
    fonds(&args).with_status(0);
    let session = open(&workspace);
    assert_eq!(captures(&session, "").len(), PAGES);
    assert_eq!(captures(&session, "file:renamed.warc.gz").len(), PAGES);
    assert_eq!(session.workspace.files().unwrap().len(), 1);
}

/// State and name of each file, as listed.
#[track_caller]
pub fn states(output: &CallResult) -> Vec<(String, String)> {
    let text = |row: &Value, field: &str| row[field].as_str().unwrap().to_owned();
    let name =
        |row: &Value| Path::new(row["path"].as_str().unwrap()).file_name().unwrap().to_string_lossy().into_owned();
    output.json_lines().iter().map(|row| (text(row, "state"), name(row))).collect()
}

pub fn pair(state: &str, name: &str) -> (String, String) {
    (state.to_owned(), name.to_owned())
}

#[test]
fn moved_missing_and_changed_files_are_distinguished_and_found_again() {
    let (dir, workspace, source) = made();
    for (name, host) in [("moved", "one"), ("gone", "two"), ("other", "three"), ("same", "four")] {
        write(&source, &format!("{name}.warc.gz"), &warc(host, 3));
    }
    fonds(&["import", arg(&workspace), arg(&source)]).with_status(0);
    let list = |status| fonds(&["files", "list", arg(&workspace), "--json"]).with_status(status);
    assert!(states(&list(0)).iter().all(|(state, _)| state == "present"));

    let elsewhere = dir.path().join("new-disk/deep");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::rename(source.join("moved.warc.gz"), elsewhere.join("other-name.gz")).unwrap();
    fs::remove_file(source.join("gone.warc.gz")).unwrap();
    fs::copy(source.join("other.warc.gz"), elsewhere.join("kept.warc.gz")).unwrap();
    write(&source, "other.warc.gz", &warc("nine", 9));
    let lost = [pair("missing", "gone.warc.gz"), pair("missing", "moved.warc.gz"), pair("changed", "other.warc.gz")];
    assert_eq!(states(&list(1))[..3], lost);
    {
        let session = open(&workspace);
        let why = |filter: &str| session.content(captures(&session, filter)[0].id).unwrap_err().to_string();
        assert!(why("host:two.example").contains("not there any more"), "{}", why("host:two.example"));
        assert!(why("host:three.example").contains("another file stands here"), "{}", why("host:three.example"));
        assert!(session.content(captures(&session, "host:four.example")[0].id).is_ok());
    }
    let output = fonds(&["files", "locate", arg(&workspace), arg(&dir.path().join("new-disk"))]).with_status(1);
    assert!(output.err.contains("2 files found, 1 still missing"), "{}", output.err);
    assert!(output.out.contains("gone.warc.gz: not found"), "{}", output.out);
    let session = open(&workspace);
    for host in ["one", "three", "four"] {
        for row in captures(&session, &format!("host:{host}.example")) {
            assert_eq!(session.detail(row.id, 90).unwrap().row.url, row.url);
            session.content(row.id).unwrap();
        }
    }
}

#[test]
fn other_bytes_of_the_same_size_are_not_taken_for_those_that_were_read() {
    let (_dir, workspace, source) = made();
    let (one, two) = (plain_warc("one", 3), plain_warc("two", 3));
    assert_eq!(one.len(), two.len(), "the test needs files of one size");
    let path = write(&source, "a.warc.gz", &one);
    fonds(&["import", arg(&workspace), arg(&source)]).with_status(0);
    write(&source, "a.warc.gz", &two);
    let content = |session: &Session| session.content(captures(session, "host:one.example")[0].id);
    let error = content(&open(&workspace)).unwrap_err().to_string();
    assert!(error.contains("another record stands here"), "{error}");
    let list = |args: &[&str], status| {
        fonds(&[&["files", "list", arg(&workspace), "--json"], args].concat()).with_status(status)
    };
    assert_eq!(states(&list(&[], 0)), [pair("touched", "a.warc.gz")]);
    assert_eq!(states(&list(&["--check"], 1)), [pair("changed", "a.warc.gz")]);
    let error = content(&open(&workspace)).unwrap_err().to_string();
    assert!(error.contains("another file stands here"), "{error}");

    // Read as a file of its own, both are known and only one can be read.
    let output = fonds(&["import", arg(&workspace), arg(&path), "--json"]).with_status(0);
    assert_eq!(output.json_lines()[0]["new_captures"], 3);
    {
        let session = open(&workspace);
        assert!(content(&session).is_err());
        session.content(captures(&session, "host:two.example")[0].id).unwrap();
    }
    // The old bytes come back under another name.
    write(&source, "back.warc.gz", &one);
    let output = fonds(&["import", arg(&workspace), arg(&source), "--json"]).with_status(0);
    let outcomes: Vec<_> =
        output.json_lines().iter().map(|file| file["outcome"].as_str().unwrap().to_owned()).collect();
    assert_eq!(outcomes, ["known", "moved"]);
    content(&open(&workspace)).unwrap();
}

#[test]
fn a_file_that_grew_brings_in_what_is_new_in_it() {
    let (_dir, workspace, source) = made();
    let path = write(&source, "a.warc", &plain_warc("one", 3));
    fonds(&["import", arg(&workspace), arg(&source)]).with_status(0);
    let mut file = File::options().append(true).open(&path).unwrap();
    file.write_all(&plain_warc("two", 2)).unwrap();
    drop(file);
    assert_eq!(states(&fonds(&["files", "list", arg(&workspace), "--json"])), [pair("changed", "a.warc")]);
    let output = fonds(&["import", arg(&workspace), arg(&source), "--json"]).with_status(0);
    let file = &output.json_lines()[0];
    assert_eq!((&file["captures"], &file["new_captures"]), (&5.into(), &2.into()));
    let session = open(&workspace);
    let rows = captures(&session, "");
    assert_eq!(rows.len(), 5);
    for row in rows {
        session.content(row.id).unwrap();
    }
}

#[test]
fn what_cannot_be_read_is_a_row_with_a_reason_and_the_others_come_in() {
    let (_dir, workspace, source) = made();
    write(&source, "good.warc.gz", &warc("good", 2));
    write(&source, "empty.warc.gz", b"");
    write(&source, "hollow.warc.gz", &gzip(b""));
    write(&source, "still.warc.gz.open", &warc("open", 1));
    write(&source, "letter.warc", b"Dear archivist");
    write(&source, "hollow.wacz", &zip(&[]));
    let torn = warc("torn", 5);
    write(&source, "torn.warc.gz", &torn[..torn.len() - 40]);
    #[cfg(unix)]
    std::os::unix::fs::symlink(source.join("nowhere"), source.join("lost.warc.gz")).unwrap();
    let output = fonds(&["import", arg(&workspace), arg(&source), "--json"]).with_status(1);
    let files = output.json_lines();
    let of = |name: &str| files.iter().find(|file| file["path"].as_str().unwrap().ends_with(name)).unwrap();
    let mut rows = vec![
        ("empty.warc.gz", "the file is empty"),
        ("hollow.warc.gz", "there is no record in it"),
        ("still.warc.gz.open", "still being written"),
        ("letter.warc", "neither WARC nor ARC"),
        ("hollow.wacz", "without archive files"),
    ];
    if cfg!(unix) {
        rows.push(("lost.warc.gz", "No such file"));
    }
    for (name, reason) in &rows {
        assert_eq!(of(name)["outcome"], "unread", "{name}");
        assert!(of(name)["error"].as_str().unwrap().contains(reason), "{}", of(name));
    }
    assert_eq!((&of("good.warc.gz")["outcome"], &of("good.warc.gz")["captures"]), (&"read".into(), &2.into()));
    assert_eq!((&of("torn.warc.gz")["outcome"], &of("torn.warc.gz")["captures"]), (&"read".into(), &4.into()));

    // Each of them is a problem, too, and the torn record is shown at its place.
    let session = open(&workspace);
    let page = session.catalogue().problems(&ProblemQuery::default()).unwrap();
    for (name, reason) in rows {
        assert!(page.rows.iter().any(|row| row.path.ends_with(name) && row.detail.contains(reason)), "{name}");
    }
    let torn = page.rows.iter().find(|row| row.path.ends_with("torn.warc.gz")).unwrap();
    let detail = fonds::work::problem_detail(&session.workspace, torn.id).unwrap();
    assert!(detail.hex.contains("1f 8b"), "{}", detail.hex);
    let record = fonds::work::problem_record(&session.workspace, torn.id, &JobCx::detached()).unwrap();
    assert!(record.contains("WARC-Target-URI: http://torn.example/4"), "{record}");
    assert_eq!(detail.command, Some(format!("fonds warc cat {} {}", arg(&source.join("torn.warc.gz")), torn.offset)));
    let (_, offset) = detail.command.as_ref().unwrap().rsplit_once(' ').unwrap();
    let shown = fonds(&["warc", "cat", arg(&source.join("torn.warc.gz")), offset]).with_status(1);
    assert!(shown.out.contains("http://torn.example/4"), "{}", shown.out);
    // What could not be read left no file in the list.
    assert_eq!(session.workspace.files().unwrap().len(), 2);
    // Every number leads to as many rows.
    let import = &fonds::work::imports(&session.workspace).unwrap()[0];
    let records = fonds::work::import_records(&session.workspace, import.launch, None, &JobCx::detached()).unwrap();
    assert_eq!((records.rows.len() as u64, records.is_cut, records.unread), (import.records, false, Vec::new()));
    for file in session.catalogue().imported_files(import.launch).unwrap() {
        let found =
            fonds::work::import_records(&session.workspace, import.launch, Some(&file.path), &JobCx::detached())
                .unwrap();
        assert_eq!(found.rows.len() as u64, file.records, "{}", file.path);
    }
    // The report is kept.
    drop(session);
    let again = fonds(&["files", "report", arg(&workspace), "--json"]).with_status(1);
    assert_eq!(again.json_lines(), files);
}

#[test]
fn the_record_of_a_problem_is_read_from_the_member_that_it_shares() {
    let (_dir, workspace, source) = made();
    let member_record = |number: usize| {
        let date = if number == 7 { "yesterday" } else { "2024-03-01T09:00:00Z" };
        let url = format!("http://shared.example/{number}");
        record("resource", &url, date, "Content-Type: text/plain\r\n", "hi")
    };
    let member = |of: std::ops::Range<usize>| gzip(of.flat_map(member_record).collect::<Vec<u8>>());
    let first = member(0..5);
    let mut bytes = [&first[..], &member(5..9)].concat();
    let path = write(&source, "shared.warc.gz", &bytes);
    fonds(&["import", arg(&workspace), arg(&source)]).with_status(1);
    let session = open(&workspace);
    let page = session.catalogue().problems(&ProblemQuery::default()).unwrap();
    let problem = page.rows.iter().find(|row| row.detail.contains("shared.example/7")).unwrap();
    assert_eq!(problem.member.map(|member| member.offset), Some(first.len() as u64), "{problem:?}");
    // What stands before its member does not matter; the size tells no change.
    bytes[10..first.len()].fill(0);
    fs::write(path, bytes).unwrap();
    let detail = fonds::work::problem_detail(&session.workspace, problem.id).unwrap();
    assert!(detail.hex.trim_start().starts_with(&format!("{}  1f 8b", first.len())), "{}", detail.hex);
    assert_eq!((detail.far, detail.is_near()), (2 * member_record(5).len() as u64, true));
    let text = fonds::work::problem_record(&session.workspace, problem.id, &JobCx::detached()).unwrap();
    assert!(text.contains("WARC-Target-URI: http://shared.example/7") && text.ends_with("hi"), "{text}");
    let stopped = JobCx::detached();
    stopped.cancel();
    assert!(fonds::work::problem_record(&session.workspace, problem.id, &stopped).is_err());
}

/// A zip of these members: name, bytes, whether they are compressed.
pub fn zip(members: &[(&str, &[u8], bool)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes, compressed) in members {
        let method = if *compressed { zip::CompressionMethod::Deflated } else { zip::CompressionMethod::Stored };
        zip.start_file(*name, zip::write::SimpleFileOptions::default().compression_method(method)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A capture of a page that has no title of its own.
fn untitled() -> Vec<u8> {
    let date = CaptureDate::from_millis(1_709_283_600_000);
    let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<script>document.title = 'As seen'</script>";
    RecordBuilder::response("urn:test:untitled", date, "http://untitled.example/").compress(block)
}

#[test]
fn an_unpacked_page_has_the_title_of_its_package() {
    let (_dir, workspace, source) = made();
    let pages = br#"{"url": "http://untitled.example/", "ts": "2024-03-01T09:00:00Z", "title": "As seen"}"#;
    let package = zip(&[
        ("datapackage.json", br#"{"profile": "data-package", "wacz_version": "1.1.1", "resources": []}"#, true),
        ("archive/untitled.warc.gz", &untitled(), true),
        ("pages/pages.jsonl", pages, true),
    ]);
    write(&source, "a.wacz", &package);
    fonds(&["import", arg(&workspace), arg(&source)]).with_status(0);
    assert_eq!(captures(&open(&workspace), "")[0].title, "As seen");
}

#[test]
fn a_package_is_read_in_place_and_what_cannot_be_is_unpacked() {
    let (_dir, workspace, source) = made();
    let (stored, packed, plain) = (warc("stored", 4), warc("packed", 3), warc("whole", 2));
    // One gzip member for all records: they cannot be entered in the package.
    let mut unpacked = Vec::new();
    flate2::read::MultiGzDecoder::new(&plain[..]).read_to_end(&mut unpacked).unwrap();
    let whole = gzip(unpacked);
    let bytes = zip(&[
        ("datapackage.json", br#"{"profile": "data-package", "wacz_version": "1.1.1", "resources": []}"#, true),
        ("archive/a.warc.gz", &stored, false),
        ("archive/../../b.warc.gz", &packed, false),
        ("archive/packed.warc.gz", &packed, true),
        ("archive/whole.warc.gz", &whole, false),
        ("archive/untitled.warc.gz", &untitled(), false),
        (
            "pages/pages.jsonl",
            br#"{"url": "http://untitled.example/", "ts": "2024-03-01T09:00:00Z", "title": "As seen"}"#,
            true,
        ),
    ]);
    let path = write(&source, "crawl.wacz", &bytes);
    let output = fonds(&["import", arg(&workspace), arg(&source), "--json"]).with_status(1);
    let file = &output.json_lines()[0];
    assert_eq!((&file["outcome"], &file["captures"]), (&"read".into(), &10.into()), "{file}");
    let problems = file["problems"].to_string();
    assert!(problems.contains("WACZ package") && problems.contains("../../b.warc.gz"), "{problems}");
    let session = open(&workspace);
    assert_eq!(captures(&session, "host:untitled.example")[0].title, "As seen");
    for row in captures(&session, "-host:untitled.example") {
        let text = session.content(row.id).unwrap().text;
        assert!(text.contains("page 19"), "{}: {text}", row.url);
    }
    assert_eq!(captures(&session, "file:crawl.wacz").len(), 10);
    assert_eq!(captures(&session, "file:imports").len(), 5);
    // Every number of the package leads to as many rows, those of unpacked members too.
    let launch = fonds::work::imports(&session.workspace).unwrap()[0].launch;
    let row = &session.catalogue().imported_files(launch).unwrap()[0];
    let leads_to = |filter: String| captures(&session, &filter).len() as u64;
    assert_eq!(leads_to(format!("file:{}", row.file.unwrap())), row.captures);
    assert_eq!(leads_to(format!("file:{} import:{launch}", row.file.unwrap())), row.new_captures);
    assert_eq!(leads_to(format!("imported:{launch}")), row.captures);
    let files = session.workspace.files().unwrap();
    assert_eq!(files.iter().find(|file| Some(file.id) == row.file).unwrap().captures, row.captures);
    assert!(
        session.workspace.files().unwrap().iter().all(|file| !file.path.contains("..")),
        "names come from the package"
    );
    drop(session);
    // Known by its digest, wherever it lies.
    fs::rename(&path, source.join("renamed.wacz")).unwrap();
    let again = fonds(&["import", arg(&workspace), arg(&source), "--json"]).with_status(0);
    assert_eq!(
        (&again.json_lines()[0]["outcome"], &again.json_lines()[0]["new_captures"]),
        (&"moved".into(), &0.into())
    );
    let session = open(&workspace);
    assert_eq!(captures(&session, "").len(), 10);
    session.content(captures(&session, "host:stored.example")[0].id).unwrap();
}

/// How a package is killed in: after some of its members are unpacked and read.
#[test]
fn a_package_killed_between_unpacked_members_brings_everything_in_once() {
    const PAGES: usize = 900;
    let (_dir, workspace, source) = made();
    let packed = ["one", "two", "three"].map(|host| warc(host, PAGES));
    let bytes = zip(&[
        ("datapackage.json", br#"{"profile": "data-package", "wacz_version": "1.1.1", "resources": []}"#, true),
        ("archive/a.warc.gz", &packed[0], true),
        ("archive/b.warc.gz", &packed[1], true),
        ("archive/c.warc.gz", &packed[2], true),
    ]);
    write(&source, "crawl.wacz", &bytes);
    let args = ["import", arg(&workspace), arg(&source)];
    let past_first = PAGES as u64 + 1;
    assert!(kill_when(start(&args), || so_far(&workspace).0 >= past_first), "the kill came too late");
    fonds(&args).with_status(0);
    let session = open(&workspace);
    let rows = captures(&session, "");
    assert_eq!(rows.len(), 3 * PAGES);
    session.content(rows[0].id).unwrap();
    assert_eq!(captures(&session, "file:imports").len(), 3 * PAGES);
}

#[test]
fn a_cut_file_that_is_touched_or_completed_brings_nothing_in_twice() {
    let (_dir, workspace, source) = made();
    let whole = warc("one", 5);
    let cut = &whole[..whole.len() - 40];
    let path = write(&source, "a.warc.gz", cut);
    let import = || fonds(&["import", arg(&workspace), arg(&source)]);
    import().with_status(1);
    assert_eq!(so_far(&workspace).0, 4);
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
    import().with_status(0);
    assert_eq!(so_far(&workspace).0, 4);
    // Completed since: looking at digests must not make it pass for read.
    fs::write(&path, &whole).unwrap();
    fonds(&["files", "list", arg(&workspace), "--check"]);
    import().with_status(0);
    let session = open(&workspace);
    let rows = captures(&session, "");
    assert_eq!(rows.len(), 5);
    rows.iter().for_each(|row| drop(session.content(row.id).unwrap()));
}

#[test]
fn a_copy_that_rotted_is_mended_by_importing_again() {
    let (_dir, workspace, source) = made();
    let bytes = warc("one", 3);
    write(&source, "a.warc.gz", &bytes);
    let import = || fonds(&["import", arg(&workspace), arg(&source), "--copy"]);
    import().with_status(0);
    let copy = open(&workspace).workspace.files().unwrap()[0].location.clone();
    let mut rotten = bytes.clone();
    let middle = rotten.len() / 2;
    rotten[middle] ^= 0xff;
    fs::write(&copy, rotten).unwrap();
    fonds(&["files", "list", arg(&workspace), "--check"]);
    import();
    assert_eq!(fs::read(&copy).unwrap(), bytes);
    let session = open(&workspace);
    let rows = captures(&session, "");
    assert_eq!(rows.len(), 3);
    rows.iter().for_each(|row| drop(session.content(row.id).unwrap()));
}

#[test]
fn packages_of_others_come_in() {
    let Some(folder) = need::data("wacz") else { return };
    let (_dir, workspace, _) = made();
    let output = fonds(&["import", arg(&workspace), arg(&folder), "--json"]);
    let files = output.json_lines();
    assert_eq!(files.len(), 2, "{files:?}");
    let valid = files.iter().find(|file| file["path"].as_str().unwrap().ends_with("/valid_example_1.wacz")).unwrap();
    assert_eq!(valid["outcome"], "read");
    let session = open(&workspace);
    let rows = captures(&session, "");
    assert!(!rows.is_empty());
    for row in rows {
        session.content(row.id).unwrap();
    }
}

#[test]
fn a_copy_of_what_a_crawl_wrote_is_known() {
    let demo = crate::sample::demo();
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("workspace");
    crate::archive::copy_folder(&demo.report.workspace, &workspace);
    let copies = dir.path().join("copies");
    crate::archive::copy_folder(&workspace.join("output/warcs"), &copies);
    let before = captures(&open(&workspace), "").len();
    let output = fonds(&["import", arg(&workspace), arg(&copies), "--json"]).with_status(0);
    assert!(!output.json_lines().is_empty());
    assert!(output.json_lines().iter().all(|file| file["outcome"] == "known"), "{}", output.out);
    assert_eq!(captures(&open(&workspace), "").len(), before);
}
