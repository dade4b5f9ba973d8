//! Archive files give the same pages, links, originals and problems in
//! whatever way they are read: as a data set, by an import with its inlinks,
//! and by `warc cat`.

use crate::need;
use fonds::captures::{Author, CaptureNotes, DocumentReader, Place, ReadFrom, Unread, find_original, index_archive};
use fonds::crawl::CrawlError;
use fonds::inlinks::{DatasetBuilder, DatasetOptions, FileEvent, LinkError};
use fonds::jobs::JobCx;
use fonds::links::{LinkKind, MAX_PAGE_BYTES, Outlink, PageOptions, read_page};
use fonds::store::Workspace;
use fonds::uri::{CaptureDate, Url};
use fonds::warc::http::parse_response_head;
use fonds::warc::{ArchiveReader, Problem, ProblemKind, Record, RecordType, read_record_at};
use fonds::work;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Archives that are generated.
const ARCHIVES: u64 = 200;

/// Pseudo-random numbers (SplitMix64): the same for each seed.
struct SplitMix(u64);

impl SplitMix {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % limit as u64) as usize
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// What a server answered.
#[derive(Clone)]
struct Answer {
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn digest(&self) -> String {
        // Some writers digest the chunks as they are.
        let is_chunked = self.head.contains("chunked") && self.body.len().is_multiple_of(2);
        if is_chunked {
            fonds::warc::sha1_base32(&self.body)
        } else {
            fonds::warc::Digests::of_block(&self.block(), true).payload
        }
    }

    fn block(&self) -> Vec<u8> {
        [self.head.as_bytes(), &self.body].concat()
    }
}

fn answer(dice: &mut SplitMix, number: usize) -> Answer {
    let links = format!(
        "<a href=near{number}>Near {number}</a> <a href='/root{number}'>Root</a> <a href='http://far.pt/{number}' rel='nofollow'>Far</a>"
    );
    let html = format!("<title>T{number}</title><p>Text {number}</p>{links}");
    let xhtml = format!(
        "<html xmlns='http://www.w3.org/1999/xhtml'><head><title>T{number}</title><script src='a.js'/></head><body>{}</body></html>",
        links.replace(&format!("near{number}>"), &format!("'near{number}'>"))
    );
    let pdf = format!("%PDF-1.4\n1 0 obj <</Type /Annot /A <</S /URI /URI (http://far.pt/pdf{number})>> >> endobj\n");
    let (status, kind, body): (&str, &str, Vec<u8>) = match dice.below(14) {
        0..=4 => ("200 OK", "text/html", html.into()),
        5 | 6 => ("200 OK", "application/xhtml+xml", xhtml.into()),
        7 => ("200 OK", "text/html; charset=iso-8859-1", [html.as_bytes(), b"<a href=/caf\xe9>caf\xe9</a>"].concat()),
        8 => ("404 Not Found", "text/html", html.into()),
        9 => ("200 OK", "application/pdf", pdf.into()),
        10 => ("200 OK", "text/plain", html.into()),
        11 => ("200 OK", "", format!("<!DOCTYPE html>{html}").into()),
        12 => ("200 OK", "Text/HTML", Vec::new()),
        _ => ("302 Found", "text/html", html.into()),
    };
    let mut head = format!("HTTP/1.1 {status}\r\n");
    if !kind.is_empty() {
        write!(head, "Content-Type: {kind}\r\n").unwrap();
    }
    if status.starts_with("302") {
        head.push_str("Location: http://a.pt/p1\r\n");
    }
    let body = match dice.below(10) {
        0 => {
            head.push_str("Transfer-Encoding: chunked\r\n");
            [format!("{:x}\r\n", body.len()).as_bytes(), &body, b"\r\n0\r\n\r\n"].concat()
        }
        1 => {
            head.push_str("Content-Encoding: gzip\r\n");
            crate::archive::gzip(body)
        }
        2 => {
            // Torn in the middle of a chunk.
            head.push_str("Transfer-Encoding: chunked\r\n");
            [format!("{:x}\r\n", body.len() + 9).as_bytes(), &body].concat()
        }
        _ => body,
    };
    head.push_str("\r\n");
    Answer { head, body }
}

const URLS: [&str; 7] = [
    "http://a.pt/p1",
    "http://a.pt/dir/p2",
    "http://b.pt/q/",
    "https://a.pt/p1",
    "http://www.a.pt/p1",
    "http://c.pt/x?b=2&a=1",
    "http://a.pt/dir/p2/",
];

fn date_of(number: usize) -> String {
    format!("2024-03-{:02}T{:02}:00:00Z", 1 + number % 27, number / 27)
}

/// A record with what it needs and some fields more.
fn record(kind: &str, fields: &[(&str, String)], content_type: &str, block: &[u8]) -> Vec<u8> {
    let mut head = format!("WARC/1.1\r\nWARC-Type: {kind}\r\n");
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        write!(head, "{name}: {value}\r\n").unwrap();
    }
    if !content_type.is_empty() {
        write!(head, "Content-Type: {content_type}\r\n").unwrap();
    }
    write!(head, "Content-Length: {}\r\n\r\n", block.len()).unwrap();
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

const HTTP: &str = "application/http; msgtype=response";

/// A response as later records may name it.
struct Made {
    url: &'static str,
    date: String,
    id: String,
    digest: String,
    answer: Answer,
}

/// The bytes of some archive files.
fn archive(seed: u64) -> Vec<Vec<u8>> {
    let mut dice = SplitMix(seed);
    let answers: Vec<Answer> = (0..4).map(|number| answer(&mut dice, number)).collect();
    let mut files = vec![Vec::new(); 1 + dice.below(3)];
    let mut made: Vec<Made> = Vec::new();
    for number in 0..6 + dice.below(10) {
        let url = *dice.one(&URLS);
        let date = date_of(number + if dice.once_in(8) { 1 } else { 0 });
        let id = format!("<urn:uuid:{seed:08x}-{number:04}>");
        let mut records = Vec::new();
        if made.is_empty() || dice.once_in(2) {
            let answer = dice.one(&answers).clone();
            let digest = answer.digest();
            let names_digest = !dice.once_in(4);
            let kind = if dice.once_in(9) { "resource" } else { "response" };
            let mut fields = vec![
                ("WARC-Target-URI", if dice.once_in(20) { "dns:a.pt".to_owned() } else { url.to_owned() }),
                ("WARC-Date", if dice.once_in(20) { "someday".to_owned() } else { date.clone() }),
                ("WARC-Record-ID", id.clone()),
                ("WARC-Payload-Digest", if names_digest { digest.clone() } else { String::new() }),
            ];
            if dice.once_in(12) {
                fields.push(("WARC-Truncated", dice.one(&["length", "time", "disconnect"]).to_string()));
            }
            records.push(match kind {
                "resource" => record(kind, &fields, "text/html", &answer.body),
                _ => record(kind, &fields, dice.one::<&str>(&[HTTP, HTTP, HTTP, "", "text/plain"]), &answer.block()),
            });
            if dice.once_in(4) {
                records.push(metadata(&mut dice, url, &date, &id, &answer));
            }
            made.push(Made { url, date, id, digest, answer });
        } else {
            records.push(revisit(&mut dice, url, &date, &id, &made));
        }
        let file = dice.below(files.len());
        records.iter().for_each(|record| files[file].extend_from_slice(record));
    }
    if dice.once_in(10) {
        let cut = files[0].len().saturating_sub(7);
        files[0].truncate(cut);
    }
    files.retain(|file| !file.is_empty());
    files
}

/// A revisit of whatever profile, that names as much of its original as writers do.
fn revisit(dice: &mut SplitMix, url: &str, date: &str, id: &str, made: &[Made]) -> Vec<u8> {
    let of = dice.one(made);
    let profile = *dice.one(&["identical-payload-digest", "server-not-modified", "of-another-kind"]);
    let url = if dice.once_in(2) { of.url } else { url };
    let digest = match dice.below(8) {
        0 => String::new(),
        1 => "sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae".to_owned(),
        2 => "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ".to_owned(),
        3 => dice.one(made).digest.clone(),
        _ => of.digest.clone(),
    };
    let mut fields = vec![
        ("WARC-Target-URI", url.to_owned()),
        ("WARC-Date", date.to_owned()),
        ("WARC-Record-ID", id.to_owned()),
        ("WARC-Profile", format!("http://netpreserve.org/warc/1.1/revisit/{profile}")),
        ("WARC-Payload-Digest", digest),
    ];
    if dice.once_in(2) {
        fields.push(("WARC-Refers-To-Target-URI", of.url.to_owned()));
    }
    if dice.once_in(2) {
        fields.push(("WARC-Refers-To-Date", of.date.clone()));
    }
    match dice.below(6) {
        0 | 1 => fields.push(("WARC-Refers-To", of.id.clone())),
        // Of another record, and of none.
        2 => fields.push(("WARC-Refers-To", dice.one(made).id.clone())),
        3 => fields.push(("WARC-Refers-To", "<urn:uuid:nowhere>".to_owned())),
        _ => {}
    }
    let head = match dice.below(4) {
        0 => String::new(),
        1 => "HTTP/1.1 304 Not Modified\r\n\r\n".to_owned(),
        _ => of.answer.head.clone(),
    };
    record("revisit", &fields, HTTP, head.as_bytes())
}

/// What other programs, Heritrix and we ourselves write beside a response.
fn metadata(dice: &mut SplitMix, url: &str, date: &str, about: &str, answer: &Answer) -> Vec<u8> {
    let id = about.replace("<urn:uuid:", "<urn:uuid:m");
    let fields = [
        ("WARC-Target-URI", url.to_owned()),
        ("WARC-Date", date.to_owned()),
        ("WARC-Record-ID", id),
        ("WARC-Refers-To", about.to_owned()),
    ];
    if dice.once_in(3) {
        return record("metadata", &fields, "application/warc-fields", b"via: http://v.pt/\r\nhopsFromSeed: L\r\n");
    }
    let mut notes =
        CaptureNotes { status: 200, mime: "text/html".to_owned(), hops: "L".to_owned(), ..Default::default() };
    let page = read_page(&answer.body, None, &Url::parse(url).unwrap(), &PageOptions::default());
    notes.outlinks = page.links;
    notes.outlinks.push(Outlink::bare(Url::parse("http://noted.pt/").unwrap(), LinkKind::Anchor));
    let mut block = Vec::new();
    notes.write_json(&Url::parse(url).unwrap(), CaptureDate::parse(date).unwrap(), &mut block).unwrap();
    record("metadata", &fields, "application/json", &block)
}

/// Where a record stands.
type At = (PathBuf, u64);

/// What was found out about some files.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    dataset: String,
    /// Pages that were not read, or not whole, by reason.
    unread: BTreeMap<Unread, u64>,
    /// Of revisits of pages, by where they stand.
    originals: BTreeMap<At, Option<At>>,
    /// What is wrong with the files themselves.
    problems: Vec<(PathBuf, Problem)>,
}

/// Whether a problem is one of the file, and not of what a capture in it says.
fn is_of_file((_, problem): &(PathBuf, Problem)) -> bool {
    !matches!(problem.kind, ProblemKind::UnreadPage | ProblemKind::BadField | ProblemKind::Limit)
}

fn by_data_set(files: &[PathBuf]) -> Found {
    let cx = JobCx::detached();
    let fetch = |place: Place| read_record_at(&files[place.file as usize], place.offset, MAX_PAGE_BYTES);
    let mut builder = DatasetBuilder::new(DatasetOptions::default(), &cx).unwrap();
    let mut problems = Vec::new();
    builder
        .add_files(files, |file, news| {
            if let FileEvent::Problem(problem) = news {
                problems.push((files[file].clone(), problem.clone()));
            }
        })
        .unwrap();
    let mut dataset = Vec::new();
    let (report, _) = builder
        .finish(fetch, |piece| {
            dataset.extend_from_slice(piece);
            Ok(())
        })
        .unwrap();
    let mut reader = DocumentReader::new(ReadFrom::default(), &std::env::temp_dir());
    for (number, file) in (0..).zip(files) {
        for record in ArchiveReader::open(file).unwrap().records(MAX_PAGE_BYTES) {
            let record = record.unwrap();
            let offset = record.span.offset;
            reader.take(record, Place { file: number, offset });
        }
    }
    let mut originals = BTreeMap::new();
    let fetched = std::cell::Cell::new(None);
    let at = |place: Place| (files[place.file as usize].clone(), place.offset);
    let fetch = |place: Place| {
        fetched.set(Some(place));
        fetch(place)
    };
    reader
        .resolve::<LinkError>(
            |_, _| false,
            &cx,
            fetch,
            |document, _, _| {
                let original = fetched.get().filter(|_| !document.is_lost()).map(at);
                originals.insert(at(document.place), original);
                Ok(())
            },
        )
        .unwrap();
    let mut unread = report.documents.unread;
    unread.retain(|why, _| !matches!(why, Unread::NoDate | Unread::NoHttp));
    problems.retain(is_of_file);
    Found { dataset: String::from_utf8(dataset).unwrap(), unread, originals, problems }
}

/// The same of a workspace, and the original of every revisit in it.
fn by_workspace(folder: &Path, files: &[PathBuf]) -> (Found, BTreeMap<At, (bool, Option<At>)>) {
    let cx = JobCx::detached();
    let workspace = Workspace::create(&folder.join("workspace")).unwrap();
    work::import(&workspace, files, work::models::ImportOptions::default(), &cx).unwrap();
    let built = work::build_inlinks(&workspace, false, &cx).unwrap();
    let mut dataset = Vec::new();
    work::write_dataset(&workspace, &DatasetOptions::default(), &mut dataset, &cx).unwrap();
    let catalogue = workspace.catalogue();
    let mut unread = catalogue.unread_pages().unwrap();
    if built.originals_missing > 0 {
        unread.insert(Unread::NoOriginal, built.originals_missing);
    }
    let mut all = BTreeMap::new();
    let mut pages = BTreeMap::new();
    let query = work::models::CaptureQuery { limit: 100_000, ..work::everything() };
    let only_pages = work::models::CaptureQuery { filter: "page:yes".into(), ..query.clone() };
    let shown_as_page: BTreeSet<_> = catalogue.captures(&only_pages).unwrap().rows.iter().map(|row| row.id).collect();
    for row in catalogue.captures(&query).unwrap().rows {
        let stored = catalogue.stored_capture(row.id).unwrap();
        if stored.revisit_of.is_none() {
            continue;
        }
        let at = |stored: &fonds::store::StoredCapture| {
            (PathBuf::from(&stored.records[0].file), stored.records[0].span.offset)
        };
        let original = catalogue.original_of(stored.id).unwrap();
        let is_complete = matches!(stored.status, 0 | 304) || (200..300).contains(&stored.status);
        if is_complete && original.as_ref().is_some_and(|original| shown_as_page.contains(&original.id)) {
            pages.insert(at(&stored), original.as_ref().map(at));
        }
        let may_be_page = stored.status == 304
            || matches!(stored.status, 0 | 200..300)
                && matches!(stored.mime.as_str(), "-" | "text/html" | "application/xhtml+xml");
        all.insert(at(&stored), (may_be_page, original.as_ref().map(at)));
    }
    let mut problems = Vec::new();
    for file in files {
        let sink = |_| Ok::<_, CrawlError>(());
        let report = index_archive(file, "file", Author::Anyone, sink, &cx).unwrap();
        problems.extend(report.problems.into_iter().map(|problem| (file.clone(), problem)));
    }
    problems.retain(is_of_file);
    let found = Found { dataset: String::from_utf8(dataset).unwrap(), unread, originals: pages, problems };
    (found, all)
}

/// What `warc cat --payload` takes for the original of each revisit.
fn by_cat(files: &[PathBuf]) -> BTreeMap<At, Option<At>> {
    let mut originals = BTreeMap::new();
    for file in files {
        for record in ArchiveReader::open(file).unwrap().records(MAX_PAGE_BYTES) {
            let record = record.unwrap();
            if record.head.record_type == RecordType::Revisit {
                let http = parse_response_head(&record.block).filter(|_| record.head.is_http());
                let found = find_original(&record.head, http.as_ref(), files, &JobCx::detached()).unwrap();
                let original = found.map(|original| (original.file, original.offset));
                originals.insert((file.clone(), record.span.offset), original);
            }
        }
    }
    originals
}

fn is_page(record: &Record) -> bool {
    parse_response_head(&record.block).filter(|_| record.head.is_http()).is_some_and(|http| {
        let mime = http.content_type().mime;
        (200..300).contains(&http.status) && matches!(mime.as_str(), "text/html" | "application/xhtml+xml")
    })
}

/// What differs between the ways in which these files are read.
pub fn differences(files: &[PathBuf]) -> Vec<String> {
    let files: &[PathBuf] = &files.iter().map(|file| file.canonicalize().unwrap()).collect::<Vec<_>>();
    let dir = tempfile::tempdir().unwrap();
    let data_set = by_data_set(files);
    let (workspace, of_all) = by_workspace(dir.path(), files);
    let cat = by_cat(files);
    let mut differences = Vec::new();
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    let (one, two) = (lines(&data_set.dataset), lines(&workspace.dataset));
    one.difference(&two).for_each(|line| differences.push(format!("only in the data set: {line}")));
    two.difference(&one).for_each(|line| differences.push(format!("only in the workspace: {line}")));
    if data_set.unread != workspace.unread {
        differences
            .push(format!("unread: {:?} in the data set, {:?} in the workspace", data_set.unread, workspace.unread));
    }
    if data_set.problems != workspace.problems {
        let (one, other) = (&data_set.problems, &workspace.problems);
        differences.push(format!("problems: {one:?} in the data set, {other:?} in the workspace"));
    }
    // Of several captures with the same answer in one second, either will do.
    let answer = |original: &Option<At>| {
        original.as_ref().map(|(file, offset)| read_record_at(file, *offset, MAX_PAGE_BYTES).unwrap().block)
    };
    let mut compare = |revisit: &At, [one, other]: [(&str, &Option<At>); 2]| {
        if one.1 != other.1 && answer(one.1) != answer(other.1) {
            differences.push(format!("{revisit:?}: {:?} {}, {:?} {}", one.1, one.0, other.1, other.0));
        }
    };
    let mut of_pages = data_set.originals;
    of_pages.retain(|_, original| original.is_some());
    let revisits: BTreeSet<&At> = of_pages.keys().chain(workspace.originals.keys()).collect();
    for revisit in revisits {
        let of = |originals: &BTreeMap<At, Option<At>>| originals.get(revisit).cloned().flatten();
        let (one, other) = (of(&of_pages), of(&workspace.originals));
        compare(revisit, [("in the data set", &one), ("in the workspace", &other)]);
    }
    for (revisit, (may_be_page, original)) in &of_all {
        // A workspace searches all captures for pages alone: only they have inlinks.
        let by_cat = cat.get(revisit).cloned().flatten().filter(|(file, offset)| {
            original.is_some() || *may_be_page && is_page(&read_record_at(file, *offset, MAX_PAGE_BYTES).unwrap())
        });
        compare(revisit, [("in the workspace", original), ("for warc cat", &by_cat)]);
    }
    differences
}

#[test]
fn generated_archives_are_read_in_one_way_everywhere() {
    let number: Option<u64> = std::env::var("SEED").ok().and_then(|n| n.parse().ok());
    let seeds = number.map_or(0..ARCHIVES, |n| n..n + 1);
    let dir = tempfile::tempdir().unwrap();
    let mut wrong = 0;
    for seed in seeds {
        let files: Vec<PathBuf> = (0..)
            .zip(archive(seed))
            .map(|(part, bytes)| {
                let path = dir.path().join(format!("{seed}-{part}.warc"));
                std::fs::write(&path, bytes).unwrap();
                path
            })
            .collect();
        let differences = differences(&files);
        if !differences.is_empty() {
            wrong += 1;
            println!("archive {seed}:\n  {}", differences.join("\n  ").replace(&dir.path().display().to_string(), ""));
            if number.is_some() {
                for file in &files {
                    println!("=== {}\n{}", file.display(), String::from_utf8_lossy(&std::fs::read(file).unwrap()));
                }
            }
        }
    }
    assert_eq!(wrong, 0, "archives that are read in several ways");
}

#[test]
fn the_archives_of_other_programs_are_read_in_one_way_everywhere() {
    let Some(data) = need::data("warc") else { return };
    let mut wrong = Vec::new();
    for folder in ["small", "revisit", "encodings", "links", "arc", "real", "arquivo-gpl3", "malformed"] {
        for file in crate::archive::files_under(&data.join(folder)) {
            if ArchiveReader::open(&file).is_ok() {
                let differences = differences(std::slice::from_ref(&file));
                if !differences.is_empty() {
                    wrong.push(format!("{}:\n  {}", file.display(), differences.join("\n  ")));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
