//! A record is read once after it was stored, and what is kept of it is what it says.

use super::*;
use crate::analysis::{Matcher, ScoreWeights};
use crate::campaign::Request;
use crate::jobs::JobCx;
use crate::testing::{data, empty_session, record, town};
use crate::work::content::records_read;
use crate::work::models::{CampaignId, CaptureQuery, ImportOptions, ScoredRow, SearchQuery, SelectionSpec};
use crate::work::select::request_matches;
use crate::work::{Session, everything, preview_selection};
use std::path::{Path, PathBuf};

fn page(url: &str, mime: &str, body: &str) -> Vec<u8> {
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: {mime}\r\n\r\n{body}");
    let kind = "Content-Type: application/http; msgtype=response\r\n";
    record("response", url, "2024-05-01T10:00:00Z", kind, answer)
}

fn imported(pages: &[Vec<u8>]) -> (tempfile::TempDir, Session) {
    let (dir, session) = empty_session();
    let path = dir.path().join("x.warc");
    std::fs::write(&path, pages.concat()).unwrap();
    session.import(&[path], ImportOptions::default(), &JobCx::detached()).unwrap();
    (dir, session)
}

/// URLs of the pages that a query finds.
fn found(session: &Session, text: &str) -> Vec<String> {
    let query = SearchQuery { text: text.to_owned(), limit: 10, shows_all: true, ..SearchQuery::default() };
    session.search(&query).unwrap().hits.into_iter().map(|hit| hit.capture.url).collect()
}

fn spec() -> SelectionSpec {
    SelectionSpec { campaign: CampaignId::new(1), weights: ScoreWeights::default(), ..SelectionSpec::default() }
}

/// Every capture of the first campaign with its score, and those that could not be read.
fn scores(session: &Session) -> (Vec<ScoredRow>, Vec<String>) {
    let (report, (above, below)) =
        preview_selection(&session.workspace, &spec(), usize::MAX, &JobCx::detached()).unwrap();
    (above.into_iter().chain(below).collect(), report.unread)
}

/// Words that fill so many MiB of text, in blocks.
fn filling(mebibytes: usize) -> String {
    "<p>uma linha de texto que nada diz de novo a quem a lê na ria</p>\n".repeat((mebibytes << 20) / 60)
}

#[test]
fn text_behind_the_first_mebibyte_is_found_and_scored_and_behind_the_limit_is_named() {
    let html = |text: &str| format!("<title>Longa</title>{text}<p>estaleiro naval</p>");
    let pages = [
        page("http://a.pt/two", "text/html", &html(&filling(2))),
        page("http://a.pt/plain", "text/plain", &format!("{}\nestaleiro naval", "linha de texto\n".repeat(150_000))),
        page("http://a.pt/six", "text/html", &html(&filling(6))),
        page("http://a.pt/short", "text/html", &html("")),
    ];
    let (_dir, session) = imported(&pages);
    let report = session.index_texts(false, &JobCx::detached()).unwrap();
    assert_eq!((report.cut, report.unread), (1, 0), "{report:?}");
    assert_eq!(report.cut_captures, ["http://a.pt/six"]);
    assert!(crate::work::Report::summary(&report).contains("only the first 4 MiB of text"), "{report:?}");
    let mut urls = found(&session, "\"estaleiro naval\"");
    urls.sort();
    assert_eq!(urls, ["http://a.pt/plain", "http://a.pt/short", "http://a.pt/two"]);
    let texts = PageTexts::open(&session.workspace).unwrap();
    let matcher = Matcher::compile(&"\"estaleiro naval\"".parse::<Request>().unwrap());
    for row in session.catalogue().captures(&everything()).unwrap().rows {
        let head = session.catalogue().capture_heads(&[row.id]).unwrap().remove(0);
        let (matches, unread) = request_matches(&mut texts.reader().unwrap(), &matcher, &head);
        assert_eq!((matches.holds, unread), (row.url != "http://a.pt/six", None), "{}", row.url);
        // Whoever reads the text is told as well.
        let problems = session.content(row.id).unwrap().problems;
        assert_eq!(problems.iter().any(|problem| problem.contains("4 MiB")), row.url == "http://a.pt/six");
    }
}

#[test]
fn after_a_record_was_indexed_nobody_reads_it_again() {
    let root = tempfile::tempdir().unwrap();
    let session = Session::new(Workspace::open(&town().copy(root.path())).unwrap());
    let (cx, workspace) = (JobCx::detached(), &session.workspace);
    let read = || records_read(workspace.folder());
    let from_records = scores(&session);
    let before = read();
    session.index_texts(false, &cx).unwrap();
    let indexing = read() - before;
    let captures = session.catalogue().captures(&everything()).unwrap();
    assert!(indexing > 100 && indexing <= captures.total, "{indexing} records for {} captures", captures.total);
    let done = read();
    let request = session.catalogue().campaign(CampaignId::new(1)).unwrap().1.request;
    let indexed = scores(&session);
    assert_eq!(indexed, from_records);
    session.request_sample(&request, Some(CampaignId::new(1)), 10).unwrap();
    crate::work::select(workspace, &spec(), true, &cx).unwrap();
    let mut checked = 0;
    crate::work::check_captures(&session, 50, &cx, |_| {
        checked += 1;
        Ok(())
    })
    .unwrap();
    assert!(checked > 5, "{checked}");
    for row in captures.rows.iter().take(20) {
        crate::work::text_marks(&session.workspace, row.id, "ria").unwrap();
    }
    session.index_texts(false, &cx).unwrap();
    assert_eq!(read() - done, 0);
}

#[test]
fn what_came_since_and_what_is_damaged_is_read_from_its_record() {
    let pages: Vec<Vec<u8>> =
        (0..40).map(|nth| page(&format!("http://a.pt/{nth}"), "text/html", &format!("<p>ria {nth}"))).collect();
    let (dir, session) = imported(&pages[..20]);
    session.index_texts(false, &JobCx::detached()).unwrap();
    let more = dir.path().join("more.warc");
    std::fs::write(&more, pages[20..].concat()).unwrap();
    session.import(&[more], ImportOptions::default(), &JobCx::detached()).unwrap();
    let text_of_all = || {
        let texts = PageTexts::open(&session.workspace).unwrap();
        let rows = session.catalogue().captures(&CaptureQuery { limit: 100, ..everything() }).unwrap().rows;
        let texts: Vec<String> = rows.iter().map(|row| texts.read(row.id).unwrap().text()).collect();
        assert_eq!(texts.len(), 40);
        assert!(texts.iter().all(|text| text.starts_with("ria ")), "{texts:?}");
    };
    text_of_all();
    let file = session.workspace.folder().join("index/pages.bin");
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    std::fs::write(&file, bytes).unwrap();
    text_of_all();
    let check = crate::work::check_index(&session.workspace, &JobCx::detached()).unwrap();
    assert!(check.damaged.iter().any(|file| file.ends_with("pages.bin")), "{check:?}");
    // One of another index is none of this: it is made again.
    let other = tempfile::tempdir().unwrap();
    let builder = crate::search::IndexBuilder::open(other.path()).unwrap();
    builder.finish().unwrap();
    std::fs::copy(other.path().join("pages.bin"), &file).unwrap();
    text_of_all();
    let report = session.index_texts(false, &JobCx::detached()).unwrap();
    assert!(report.rebuilt.contains("of another index") && report.indexed == 40, "{report:?}");
    text_of_all();
}

/// Holds what is kept of every capture against what its record says.
#[track_caller]
fn check_kept(session: &Session, requests: &[&str]) -> usize {
    session.index_texts(false, &JobCx::detached()).unwrap();
    let texts = PageTexts::open(&session.workspace).unwrap();
    let from_records = PageTexts { workspace: &session.workspace, index: None };
    let ids = session.catalogue().captures_with_text().unwrap();
    let (mut kept, mut read) = (texts.reader().unwrap(), from_records.reader().unwrap());
    for head in session.catalogue().capture_heads(&ids).unwrap() {
        let is_readable = read.read(head.id, head.version).is_ok();
        assert_eq!(kept.indexed(head.version).is_some(), is_readable, "{}", head.url);
        for request in requests {
            let matcher = Matcher::compile(&request.parse::<Request>().unwrap());
            let (of_kept, of_record) =
                (request_matches(&mut kept, &matcher, &head), request_matches(&mut read, &matcher, &head));
            assert_eq!(of_kept, of_record, "{request}: {}", head.url);
        }
    }
    ids.len()
}

#[test]
fn what_is_kept_scores_as_what_its_record_says() {
    let requests = ["ria OR estaleiro^0.5", "\"a ria\" AND NOT festival", "the OR \"of the\"^-0.3 report", "lang:pt"];
    let root = tempfile::tempdir().unwrap();
    let session = Session::new(Workspace::open(&town().copy(root.path())).unwrap());
    assert!(check_kept(&session, &requests) > 100);
    let Some(reports) = data("reports") else { return };
    let (_dir, session) = empty_session();
    let archives: Vec<PathBuf> = archives_below(&reports);
    session.import(&archives, ImportOptions::default(), &JobCx::detached()).unwrap();
    check_kept(&session, &requests);
}

fn archives_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(archives_below(&path)),
            false if path.to_string_lossy().contains(".warc") => found.push(path),
            false => {}
        }
    }
    found.sort();
    found
}
