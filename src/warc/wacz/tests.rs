//! Tests of packages, sound and hostile, made byte by byte.

use super::*;
use crate::jobs::JobCx;
use crate::uri::CaptureDate;
use crate::warc::{ArchiveReader, RecordBuilder, read_record_at, sha1_base32};
use data_encoding::{BASE64, HEXLOWER};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use sha2::{Digest, Sha256};
use std::io::{Seek, SeekFrom, Write};

/// A member and its entries in the zip.
#[derive(Clone)]
pub(super) struct Entry {
    name: String,
    /// What the local header calls it.
    local_name: Option<String>,
    compressed: Vec<u8>,
    len: u64,
    crc: u32,
    method: u16,
    flags: u16,
    unix_mode: u32,
    /// Another entry whose bytes it shares.
    shares: Option<usize>,
}

impl Entry {
    fn stored(name: &str, bytes: &[u8]) -> Self {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        Self {
            name: name.to_owned(),
            local_name: None,
            compressed: bytes.to_vec(),
            len: bytes.len() as u64,
            crc: crc.sum(),
            method: 0,
            flags: 0x800,
            unix_mode: 0o100_644,
            shares: None,
        }
    }

    fn deflated(name: &str, bytes: &[u8]) -> Self {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        Self { compressed: encoder.finish().unwrap(), method: 8, ..Self::stored(name, bytes) }
    }
}

/// A zip as small writers make it.
pub(super) fn zip_of(entries: &[Entry]) -> Vec<u8> {
    let (mut out, mut directory, mut places) = (Vec::new(), Vec::new(), Vec::<usize>::new());
    for entry in entries {
        let place = entry.shares.map_or(out.len(), |other| places[other]);
        places.push(place);
        let sizes = |out: &mut Vec<u8>| {
            out.extend(entry.crc.to_le_bytes());
            out.extend((entry.compressed.len() as u32).to_le_bytes());
            out.extend((entry.len as u32).to_le_bytes());
        };
        if entry.shares.is_none() {
            let name = entry.local_name.as_ref().unwrap_or(&entry.name);
            out.extend(b"PK\x03\x04\x14\x00");
            out.extend(entry.flags.to_le_bytes());
            out.extend(entry.method.to_le_bytes());
            out.extend([0, 0, 0x21, 0]);
            sizes(&mut out);
            out.extend((name.len() as u16).to_le_bytes());
            out.extend([0, 0]);
            out.extend(name.as_bytes());
            out.extend(&entry.compressed);
        }
        directory.extend(b"PK\x01\x02\x14\x03\x14\x00");
        directory.extend(entry.flags.to_le_bytes());
        directory.extend(entry.method.to_le_bytes());
        directory.extend([0, 0, 0x21, 0]);
        sizes(&mut directory);
        directory.extend((entry.name.len() as u16).to_le_bytes());
        directory.extend([0; 8]);
        directory.extend((entry.unix_mode << 16).to_le_bytes());
        directory.extend((place as u32).to_le_bytes());
        directory.extend(entry.name.as_bytes());
    }
    let (begin, len, count) = (out.len() as u32, directory.len() as u32, entries.len() as u16);
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(len.to_le_bytes());
    out.extend(begin.to_le_bytes());
    out.extend([0, 0]);
    out
}

pub(super) fn write(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.wacz");
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn warc() -> Vec<u8> {
    let date = CaptureDate::from_millis(1_709_283_600_000);
    let info = RecordBuilder::warcinfo("urn:test:0", date, "a.warc.gz").compress(b"software: test\r\n");
    let page = RecordBuilder::response("urn:test:1", date, "http://a.pt/").compress(b"HTTP/1.1 200 OK\r\n\r\npage");
    [info, page].concat()
}

const PACKAGE: &[u8] = br#"{"profile": "data-package", "wacz_version": "1.1.1", "title": "A title",
    "mainPageURL": "http://a.pt/", "created": "2024-03-01T09:00:00Z", "resources": [
    {"name": "a", "path": "archive/a.warc.gz", "hash": "sha256:00", "bytes": 5}, {"name": "no path"}]}"#;

/// The reasons why members are set aside.
#[track_caller]
fn check_refused(entries: &[Entry], expected: &[(&str, &str)]) {
    let (_folder, path) = write(&zip_of(entries));
    let wacz = Wacz::open(&path).unwrap();
    let reported: Vec<String> = wacz.refused().iter().map(ToString::to_string).collect();
    assert_eq!(reported.len(), expected.len(), "{reported:?}");
    for (reported, (name, why)) in reported.iter().zip(expected) {
        assert!(reported.starts_with(name) && reported.contains(why), "{reported} should name {name}: {why}");
    }
}

#[test]
fn archive_files_are_read_in_place() {
    let entries = [
        Entry::deflated(DATAPACKAGE, PACKAGE),
        Entry::stored("archive/a.warc.gz", &warc()),
        Entry::deflated("archive/b.warc.gz", &warc()),
        Entry::stored("archive/notes.txt", b"no archive"),
        Entry::stored("pages/", b""),
    ];
    let (_folder, path) = write(&zip_of(&entries));
    let wacz = Wacz::open(&path).unwrap();
    let problems: Vec<String> = wacz.problems().map(ToString::to_string).collect();
    assert_eq!(problems, ["datapackage.json: resource 2 has no path: {\"name\":\"no path\"}"]);
    let package = wacz.package();
    assert_eq!((package.title.as_str(), package.main_page_url.as_str()), ("A title", "http://a.pt/"));
    assert_eq!(package.resource("archive/a.warc.gz").unwrap().bytes, Some(5));
    let names: Vec<_> = wacz.archives().iter().map(|member| (member.file_name(), member.stored)).collect();
    assert_eq!(names, [("a.warc.gz", true), ("b.warc.gz", false)]);
    for index in 0..2 {
        let reader = ArchiveReader::new(wacz.open_archive(index).unwrap(), Path::new("a.wacz")).unwrap();
        let records: Vec<_> = reader.records(usize::MAX).map(Result::unwrap).collect();
        assert_eq!(records.len(), 2);
        assert_eq!(records[1].block, b"HTTP/1.1 200 OK\r\n\r\npage");
        // A record of a stored member has a place in the package itself.
        if let Some(member) = wacz.archives().get(index).filter(|member| member.stored) {
            let record = read_record_at(&path, member.offset + records[1].span.offset, usize::MAX).unwrap();
            assert_eq!((&record.head, record.span.length), (&records[1].head, records[1].span.length));
        }
    }
    assert!(wacz.open_archive(2).unwrap_err().to_string().contains("there are 2 archive files"));
}

#[test]
fn a_stored_member_can_be_entered_anywhere() {
    let (_folder, path) = write(&zip_of(&[Entry::stored("archive/a.warc", b"0123456789"), Entry::stored("b", b"xx")]));
    let wacz = Wacz::open(&path).unwrap();
    let MemberReader::Stored(mut window) = wacz.open_archive(0).unwrap() else { panic!("it is stored") };
    window.seek(SeekFrom::Start(7)).unwrap();
    let mut rest = String::new();
    window.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "789");
    assert_eq!(window.seek(SeekFrom::End(-4)).unwrap(), 6);
    assert_eq!(window.seek(SeekFrom::Current(1)).unwrap(), 7);
    assert!(window.seek(SeekFrom::Current(-8)).is_err());
    window.seek(SeekFrom::Start(100)).unwrap();
    assert_eq!(window.read(&mut [0; 4]).unwrap(), 0);
}

#[test]
fn names_that_lead_elsewhere_are_set_aside() {
    let names = ["../../etc/cron.d/x", "/etc/passwd", "archive\\a.warc", "C:/x.warc", "a/./b", "fine"];
    let entries = names.map(|name| Entry::stored(name, b"x"));
    check_refused(
        &entries,
        &[
            ("../../etc/cron.d/x", "leads out of the folder"),
            ("/etc/passwd", "absolute"),
            ("archive\\a.warc", "backslashes"),
            ("C:/x.warc", "drive"),
            ("a/./b", "empty parts"),
        ],
    );
}

#[test]
fn members_that_lie_are_set_aside() {
    let link = Entry { unix_mode: 0o120_777, ..Entry::stored("archive/link.warc", b"/etc/passwd") };
    let encrypted = Entry { flags: 1, ..Entry::stored("secret", b"x") };
    let bzip2 = Entry { method: 12, ..Entry::stored("b.warc", b"x") };
    let sizes = Entry { len: 9, ..Entry::stored("sizes", b"x") };
    let elsewhere = Entry { local_name: Some("archive/b.warc".to_owned()), ..Entry::stored("archive/a.warc", b"x") };
    let bomb = Entry { len: 4_000_000_000, ..Entry::deflated("archive/bomb.warc", &[0; 100_000]) };
    check_refused(
        &[link, encrypted, bzip2, sizes, elsewhere, bomb],
        &[
            ("archive/link.warc", "symbolic link"),
            ("secret", "encrypted"),
            ("b.warc", "is packed by"),
            ("sizes", "stored with 1 bytes and declared with 9"),
            ("archive/a.warc", "is called “archive/b.warc” in its local header"),
            ("archive/bomb.warc", "a zip bomb"),
        ],
    );
}

#[test]
fn a_name_listed_twice_is_set_aside() {
    let entries = [
        Entry::stored("archive/a.warc", b"one"),
        Entry::stored("archive/a.warc", b"two"),
        Entry::stored("archive/b.warc", b"three"),
    ];
    check_refused(&entries, &[("archive/a.warc", "is twice")]);
}

#[test]
fn members_that_share_bytes_are_set_aside() {
    let first = Entry::stored("archive/a.warc", b"0123456789");
    let same = Entry { shares: Some(0), name: "archive/c.warc".to_owned(), ..first.clone() };
    check_refused(&[first, same], &[("archive/c.warc", "is called “archive/a.warc”")]);
    // A whole zip member inside the bytes of another.
    let inner = zip_of(&[Entry::stored("archive/c.warc", b"inner")]);
    let outer = Entry::stored("archive/a.warc", &inner);
    let mut bytes = zip_of(&[outer, Entry::stored("archive/c.warc", b"inner")]);
    let place = memchr::memmem::rfind(&bytes, b"archive/c.warc").unwrap() - 4;
    // The second entry's place is that of the member inside the first.
    bytes[place..place + 4].copy_from_slice(&(30 + 14u32).to_le_bytes());
    let (_folder, path) = write(&bytes);
    let wacz = Wacz::open(&path).unwrap();
    let reported: Vec<String> = wacz.refused().iter().map(ToString::to_string).collect();
    assert_eq!(reported, ["archive/c.warc: shares bytes with archive/a.warc"]);
}

#[test]
fn a_deflated_member_is_checked_against_its_length_and_crc() {
    #[track_caller]
    fn check(entry: Entry, why: &str) {
        let (_folder, path) = write(&zip_of(&[entry]));
        let wacz = Wacz::open(&path).unwrap();
        let error = wacz.open_archive(0).unwrap().read_to_end(&mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
    let sound = Entry::deflated("archive/a.warc", &b"0123456789".repeat(1000));
    check(Entry { len: 9_999, ..sound.clone() }, "more bytes");
    check(Entry { len: 10_001, ..sound.clone() }, "fewer bytes");
    check(Entry { crc: 1, ..sound.clone() }, "CRC");
    let mut cut = sound;
    cut.compressed.truncate(10);
    check(cut, "");
}

#[test]
fn what_is_no_package_is_reported_as_none() {
    #[track_caller]
    fn check(bytes: &[u8], why: &str) {
        let (_folder, path) = write(bytes);
        let error = Wacz::open(&path).unwrap_err().to_string();
        assert!(error.contains("a.wacz: ") && error.contains(why), "{error}");
    }
    let no_package = "no WACZ package";
    check(b"", no_package);
    check(b"WARC/1.1\r\n", no_package);
    let whole = zip_of(&[Entry::stored("archive/a.warc", b"0123456789")]);
    check(&whole[..whole.len() - 30], "a zip file whose list of members");
    let mut many = whole.clone();
    // The end of the directory says 60,000 members where one is.
    let end = many.len() - 22;
    many[end + 8..end + 12].copy_from_slice(&[0x60, 0xea, 0x60, 0xea]);
    check(&many, "a zip file whose list of members");
    let bomb = |index| Entry { len: 60_000_000, ..Entry::deflated(&format!("archive/{index}.warc"), &[0; 1000]) };
    check(&zip_of(&(0..20).map(bomb).collect::<Vec<_>>()), "to 1200000000 bytes: a zip bomb");
    assert!(Wacz::open(Path::new("/nowhere/a.wacz")).unwrap_err().to_string().contains("/nowhere/a.wacz: "));
}

#[test]
fn a_package_without_a_datapackage_still_gives_its_archive_files() {
    let (_folder, path) = write(&zip_of(&[Entry::stored("archive/a.warc.gz", &warc())]));
    let wacz = Wacz::open(&path).unwrap();
    assert_eq!(wacz.archives().len(), 1);
    let problems: Vec<String> = wacz.problems().map(ToString::to_string).collect();
    assert_eq!(problems, ["datapackage.json: is missing: nothing says what is in the package"]);
    for (bad, why) in
        [(&b"[1]"[..], "is no JSON object"), (b"{}", "has no list"), (br#"{"title": 7}"#, "“title” is no text: 7")]
    {
        let (_folder, path) = write(&zip_of(&[Entry::stored(DATAPACKAGE, bad)]));
        let problems: Vec<String> = Wacz::open(&path).unwrap().problems().map(ToString::to_string).collect();
        assert!(problems[0].contains(why), "{problems:?}");
    }
}

#[test]
fn the_older_layout_of_resources_is_read() {
    let old = br#"{"metadata": {"title": "Old"}, "wacz_version": "1.0.0", "resources": [
        {"path": "a", "stats": {"hash": "00ff", "bytes": 7}, "hashing": "sha256"}]}"#;
    let mut problems = Vec::new();
    let package = Package::parse(old, &mut problems);
    assert_eq!((package.title.as_str(), problems.len()), ("Old", 0));
    let expected = Resource { path: "a".to_owned(), hash: "sha256:00ff".to_owned(), bytes: Some(7) };
    assert_eq!(package.resources, [expected]);
}

proptest::proptest! {
    #[test]
    fn damage_never_panics(place in 0usize..2000, byte: u8, cut in 0usize..2000) {
        let mut bytes = zip_of(&[
            Entry::deflated(DATAPACKAGE, PACKAGE),
            Entry::stored("archive/a.warc.gz", &warc()),
            Entry::deflated("archive/b.warc.gz", &warc()),
        ]);
        let len = bytes.len();
        bytes[place % len] = byte;
        if cut % 3 == 0 {
            bytes.truncate(cut % len);
        }
        let (_folder, path) = write(&bytes);
        if let Ok(wacz) = Wacz::open(&path) {
            for index in 0..wacz.archives().len() {
                let mut all = Vec::new();
                drop(wacz.open_archive(index).unwrap().read_to_end(&mut all));
            }
        }
    }
}

/// A package of ours: two WARC files, one of them plain, and a page.
fn written(folder: &Path) -> PathBuf {
    let compressed = folder.join("a.warc.gz");
    std::fs::write(&compressed, warc()).unwrap();
    let plain = folder.join("b b.warc");
    let mut bytes = Vec::new();
    flate2::read::MultiGzDecoder::new(&warc()[..]).read_to_end(&mut bytes).unwrap();
    std::fs::write(&plain, bytes).unwrap();
    let page =
        WaczPage { url: "http://a.pt/".to_owned(), title: "A \"title\"\u{2028}".to_owned(), ..WaczPage::default() };
    let options = WaczOptions {
        title: "Ours".to_owned(),
        main_page_url: Some("http://a.pt/".to_owned()),
        created: CaptureDate::from_millis(1_709_283_600_123),
        pages: Box::new([page].into_iter()),
        ..WaczOptions::default()
    };
    let out = folder.join("ours.wacz");
    let archives = [compressed.clone(), plain, compressed];
    let written = write_wacz(&out, &archives, options, &JobCx::detached()).unwrap();
    assert_eq!((written.archives, written.index_lines, written.pages), (3, 3, 1));
    assert_eq!(written.problems, []);
    assert_eq!(written.bytes, std::fs::metadata(&out).unwrap().len());
    out
}

#[test]
fn what_is_written_is_read_and_holds() {
    let folder = tempfile::tempdir().unwrap();
    let out = written(folder.path());
    assert!(!folder.path().join("ours.wacz.open").exists());
    let wacz = Wacz::open(&out).unwrap();
    let names: Vec<_> = wacz.members().iter().map(|member| (member.name.as_str(), member.stored)).collect();
    assert_eq!(
        names,
        [
            ("archive/a.warc.gz", true),
            ("archive/b-b.warc", true),
            ("archive/a-2.warc.gz", true),
            ("indexes/index.cdx.gz", true),
            ("indexes/index.idx", false),
            ("pages/pages.jsonl", false),
            ("datapackage.json", false),
            ("datapackage-digest.json", false),
        ]
    );
    let package = wacz.package();
    assert_eq!((package.title.as_str(), package.created.as_str()), ("Ours", "2024-03-01T09:00:00Z"));
    assert_eq!((package.main_page_url.as_str(), package.wacz_version.as_str()), ("http://a.pt/", "1.1.1"));
    let pages: Vec<_> = PageReader::new(wacz.open_member(wacz.member(PAGES).unwrap()).unwrap()).collect();
    let page = pages[0].as_ref().unwrap();
    assert_eq!((page.title.as_str(), page.id.len()), ("A \"title\"\u{2028}", 16));
    let report = wacz.check(&JobCx::detached()).unwrap();
    assert_eq!((report.problems, report.notes), (vec![], Vec::<String>::new()));
    assert_eq!((report.members, report.digests, report.records, report.index_found), (8, 6, 6, 3));
    let again = write_wacz(&out, &[], WaczOptions::default(), &JobCx::detached()).unwrap_err();
    assert!(again.to_string().ends_with("ours.wacz: there is such a file; remove it or name another one"), "{again}");
}

/// Rewrites a package of ours with a member changed; returns the problem of it.
#[track_caller]
fn tampered(name: &str, change: impl Fn(&mut Vec<u8>)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let wacz = Wacz::open(&written(folder.path())).unwrap();
    let entries: Vec<Entry> = wacz
        .members()
        .iter()
        .map(|member| {
            let mut bytes = Vec::new();
            wacz.open_member(member).unwrap().read_to_end(&mut bytes).unwrap();
            if member.name == name {
                change(&mut bytes);
            }
            if member.stored { Entry::stored(&member.name, &bytes) } else { Entry::deflated(&member.name, &bytes) }
        })
        .collect();
    let (_other, path) = write(&zip_of(&entries));
    let report = Wacz::open(&path).unwrap().check(&JobCx::detached()).unwrap();
    report.problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn changes_after_the_writing_are_found() {
    let replace = |from: &'static str, to: &'static str| {
        move |bytes: &mut Vec<u8>| {
            let text = String::from_utf8(std::mem::take(bytes)).unwrap();
            assert!(text.contains(from), "{text}");
            *bytes = text.replacen(from, to, 1).into_bytes();
        }
    };
    assert_eq!(tampered("none", |_| {}), "");
    let reported = tampered("archive/b-b.warc", replace("page", "PAGE"));
    assert!(reported.contains("archive/b-b.warc: its hash is not that of datapackage.json"), "{reported}");
    let reported = tampered(PAGES, replace("\"url\"", "\"uri\""));
    assert!(reported.contains("pages/pages.jsonl: line 2: no url"), "{reported}");
    let reported = tampered(DATAPACKAGE, replace("\"Ours\"", "\"Mine\""));
    assert_eq!(reported, "datapackage.json: its hash is not that of datapackage-digest.json");
    let reported = tampered(DATAPACKAGE, replace("archive/b-b.warc", "archive/c.warc"));
    assert!(reported.contains("archive/b-b.warc: is not listed in datapackage.json"), "{reported}");
    assert!(reported.contains("archive/c.warc: is listed in datapackage.json and not there"), "{reported}");
    let reported = tampered("indexes/index.idx", replace("\"length\": ", "\"length\": 9"));
    assert!(reported.contains("indexes/index.idx: line 2: indexes/index.cdx.gz has only"), "{reported}");
    let reported = tampered("indexes/index.idx", replace("pt,a)/", "pt,b)/"));
    assert!(reported.contains("line 2: the block at offset 0 does not begin with it"), "{reported}");
    // A record more before the others: no line leads to its record any more.
    let reported = tampered("archive/a.warc.gz", |bytes| {
        *bytes =
            [RecordBuilder::warcinfo("urn:test:9", CaptureDate::default(), "x").compress(b""), std::mem::take(bytes)]
                .concat();
    });
    assert!(reported.contains("indexes/index.cdx.gz: line 2: a.warc.gz, offset"), "{reported}");
}

#[test]
fn what_packages_do_not_hold_is_refused_and_nothing_is_left() {
    #[track_caller]
    fn check(bytes: &[u8], why: &str) {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a.warc.gz");
        std::fs::write(&source, bytes).unwrap();
        let out = folder.path().join("o.wacz");
        let error = write_wacz(&out, &[source], WaczOptions::default(), &JobCx::detached()).unwrap_err().to_string();
        assert!(error.contains("a.warc.gz: ") && error.contains(why), "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
    check(b"", "the file is empty");
    check(b"filedesc://x 0.0.0.0 20080430204825 text/plain 76\n", "this is none");
    check(&[0x28, 0xb5, 0x2f, 0xfd, 0], "zstd");
    let mut plain = Vec::new();
    flate2::read::MultiGzDecoder::new(&warc()[..]).read_to_end(&mut plain).unwrap();
    check(&crate::testing::gzip(plain), "all records share one gzip member");
}

#[test]
fn members_become_files_and_damaged_ones_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let wacz = Wacz::open(&written(folder.path())).unwrap();
    let out = folder.path().join("out");
    for member in wacz.members() {
        let path = wacz.extract(member, &out, &JobCx::detached()).unwrap();
        assert_eq!(std::fs::metadata(path).unwrap().len(), member.len);
    }
    assert_eq!(std::fs::read(out.join("archive/a-2.warc.gz")).unwrap(), warc());
    assert!(wacz.extract(&wacz.members()[0], &out, &JobCx::detached()).unwrap_err().to_string().contains("exists"));
    // What is there stays, and clashing names concern themselves only.
    let clashing = ["a", "a/b", "c/d", "c", "e.open", "e"].map(|name| Entry::stored(name, name.as_bytes()));
    let (_folder, path) = write(&zip_of(&clashing));
    let wacz = Wacz::open(&path).unwrap();
    let out = folder.path().join("clashing");
    let reported: Vec<String> = wacz
        .members()
        .iter()
        .filter_map(|member| wacz.extract(member, &out, &JobCx::detached()).err())
        .map(|error| match error {
            ExtractError::Name { member, .. } => member,
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(reported, ["a/b", "c"]);
    assert_eq!(std::fs::read(out.join("e")).unwrap(), b"e");
    assert_eq!(std::fs::read(out.join("e.open")).unwrap(), b"e.open");
    let damaged = Entry { crc: 7, ..Entry::stored("archive/a.warc", b"x") };
    let (_folder, path) = write(&zip_of(&[damaged]));
    let wacz = Wacz::open(&path).unwrap();
    let error = wacz.extract(&wacz.members()[0], &folder.path().join("bad"), &JobCx::detached()).unwrap_err();
    assert!(error.to_string().contains("a.wacz, archive/a.warc: its CRC"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path().join("bad/archive")).unwrap().count(), 0);
}

#[test]
fn members_of_the_longest_names_become_files_whatever_a_killed_call_left() {
    let name = "n".repeat(255);
    let (folder, path) = write(&zip_of(&[Entry::stored(&name, b"long"), Entry::stored("short", b"short")]));
    let wacz = Wacz::open(&path).unwrap();
    std::fs::write(folder.path().join("short.open"), b"sh").unwrap();
    for member in wacz.members() {
        let path = wacz.extract(member, folder.path(), &JobCx::detached()).unwrap();
        assert_eq!(std::fs::metadata(path).unwrap().len(), member.len);
    }
    // The package, both members, and what was there.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4);
}

/// A key that signs packages for tests and nothing else.
const TEST_KEY: &str = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgc4/j9nRZgdhU1nUuJ07NgdCwUhTc8wPzoyUKUycOrgqhRANCAATBaTdbgl4pjFJSd0A1PTgusV4bBXGOyCkZK7GIgtjTLL1c+jX2qoprfslmMTHPsUa7RVZ1nYqEun/3fPfGsYXm";

/// The signed digest file of a package with this `datapackage.json`.
fn signed(package: &[u8], hash: &str) -> serde_json::Value {
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(BASE64.decode(TEST_KEY.as_bytes()).unwrap());
    let key = rustls::crypto::ring::sign::any_ecdsa_type(&key.into()).unwrap();
    let signer = key.choose_scheme(&[rustls::SignatureScheme::ECDSA_NISTP256_SHA256]).unwrap();
    let signature = BASE64.encode(&signer.sign(hash.as_bytes()).unwrap());
    let public = BASE64.encode(&key.public_key().unwrap());
    let created = Package::parse(package, &mut Vec::new()).created;
    serde_json::json!({"path": DATAPACKAGE, "hash": hash, "signedData": {"hash": hash, "created": created,
        "signature": signature, "publicKey": public, "timeSignature": "AAAA"}})
}

fn sha256(bytes: &[u8]) -> String {
    format!("sha256:{}", HEXLOWER.encode(&Sha256::digest(bytes)))
}

/// The members of a package with one archive file, with these hashes, signed.
fn signed_package(of_archive: &str, of_package: impl Fn(&[u8]) -> String) -> [Entry; 3] {
    let package = serde_json::json!({"profile": "data-package", "wacz_version": "1.1.1",
        "created": "2024-03-01T09:00:00Z",
        "resources": [{"path": "archive/a.warc.gz", "hash": of_archive, "bytes": warc().len()}]})
    .to_string();
    let digest = signed(package.as_bytes(), &of_package(package.as_bytes())).to_string();
    [
        Entry::stored("archive/a.warc.gz", &warc()),
        Entry::stored(DATAPACKAGE, package.as_bytes()),
        Entry::stored(DATAPACKAGE_DIGEST, digest.as_bytes()),
    ]
}

/// Whether the content is proven, and how many members are not; the signature
/// itself holds.
#[track_caller]
fn proven(entries: &[Entry]) -> (bool, u64) {
    let (_folder, path) = write(&zip_of(entries));
    let report = Wacz::open(&path).unwrap().check(&JobCx::detached()).unwrap();
    let signature = report.signature.as_ref().unwrap();
    assert!(signature.holds() && signature.has_time_stamp, "{:?}", signature.problems);
    assert!(report.notes.iter().any(|note| note.contains("time stamp present, not verified")), "{:?}", report.notes);
    let unproven = report.notes.iter().filter(|note| note.contains("does not prove the content")).count();
    assert_eq!(unproven > 0, signature.unproven_members > 0);
    (report.is_content_proven(), signature.unproven_members)
}

#[test]
fn weak_digests_are_no_proof_of_what_was_signed() {
    let strong = sha256(&warc());
    assert_eq!(proven(&signed_package(&strong, sha256)), (true, 0));
    assert_eq!(proven(&signed_package(&sha1_base32(&warc()), sha256)), (false, 1));
    assert_eq!(proven(&signed_package("blake3:00", sha256)), (false, 1));
    assert_eq!(proven(&signed_package("", sha256)), (false, 1));
    assert_eq!(proven(&signed_package(&strong, sha1_base32)), (false, 3));
}

#[test]
fn a_package_that_was_tampered_with_is_not_proven() {
    let whole = signed_package(&sha256(&warc()), sha256);
    let tampered = |change: &dyn Fn(&mut Vec<Entry>)| {
        let mut entries = whole.to_vec();
        change(&mut entries);
        proven(&entries)
    };
    let other = [warc(), warc()].concat();
    assert_eq!(tampered(&|_| {}), (true, 0));
    // Another archive file, one that cannot be read, none.
    assert_eq!(tampered(&|entries| entries[0] = Entry::stored("archive/a.warc.gz", &other)), (false, 1));
    assert_eq!(tampered(&|entries| entries[0].crc ^= 1), (false, 1));
    assert_eq!(tampered(&|entries| drop(entries.remove(0))), (false, 1));
    // A file more, and one more of the same name.
    assert_eq!(tampered(&|entries| entries.push(Entry::stored("archive/b.warc.gz", &other))), (false, 1));
    assert_eq!(tampered(&|entries| entries.push(Entry::stored("archive/a.warc.gz", &other))), (false, 1));
    // A forged list of digests under the true signature of another.
    let forged = serde_json::json!({"profile": "data-package", "wacz_version": "1.1.1",
        "created": "2024-03-01T09:00:00Z",
        "resources": [{"path": "archive/a.warc.gz", "hash": sha256(&other), "bytes": other.len()}]});
    let forge = |entries: &mut Vec<Entry>| {
        entries[0] = Entry::stored("archive/a.warc.gz", &other);
        entries[1] = Entry::stored(DATAPACKAGE, forged.to_string().as_bytes());
    };
    assert_eq!(tampered(&forge), (false, 3));
}
