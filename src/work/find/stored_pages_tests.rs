//! A record is read once after it was stored, and the kept text and facts are those of the record.

use super::*;
use crate::analysis::{Matcher, ScoreWeights};
use crate::campaign::Request;
use crate::jobs::JobCx;
use crate::testing::{empty_session, record, town};
use crate::work::find::record_content::{records_read, records_read_again};
use crate::work::find::request_matches::RequestMatches;
use crate::work::models::{CampaignId, CaptureQuery, ImportOptions, ScoredRow, SearchQuery, SelectionSpec};
use crate::work::{Session, everything, preview_selection};

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
    let request = RequestMatches::of(matcher, texts.index()).unwrap();
    for row in session.catalogue().captures(&CaptureQuery { limit: 100, ..everything() }).unwrap().rows {
        let head = session.catalogue().capture_heads(&[row.id]).unwrap().remove(0);
        let (matches, unread) = request.of_capture(&mut texts.reader().unwrap(), &head);
        assert_eq!((matches.holds, unread), (row.url != "http://a.pt/six", None), "{}", row.url);
        // Whoever reads the text sees the problem as well.
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
    let captures = session.catalogue().captures(&CaptureQuery { limit: 100, ..everything() }).unwrap();
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
fn a_stored_record_is_read_once_for_index_score_sample_anchors_and_checks() {
    let root = tempfile::tempdir().unwrap();
    let session = Session::new(Workspace::open(&town().copy(root.path())).unwrap());
    let (cx, workspace) = (JobCx::detached(), &session.workspace);
    session.index_texts(false, &cx).unwrap();
    let captures = session.catalogue().captures(&CaptureQuery { limit: 10_000, ..everything() }).unwrap().rows;
    assert!(records_read(workspace.folder()) > 100);
    let request = session.catalogue().campaign(CampaignId::new(1)).unwrap().1.request;
    crate::work::select(workspace, &spec(), true, &cx).unwrap();
    session.request_sample(&request, Some(CampaignId::new(1)), 10).unwrap();
    crate::work::check_captures(&session, 50, &cx, |_| Ok(())).unwrap();
    let mut with_facts = 0;
    for row in &captures {
        let detail = session.detail(row.id, 90).unwrap();
        with_facts += usize::from(detail.facts.as_ref().is_some_and(|facts| facts.is_page && facts.status > 0));
    }
    assert!(with_facts > 50, "{with_facts} pages with facts");
    assert_eq!(records_read_again(workspace.folder()), Vec::<String>::new());
}

#[test]
fn what_a_page_has_by_itself_is_kept_for_checks() {
    let wall = "<html lang=pt><title>Aguarde</title><link rel=canonical href=/><meta property=og:url content=http://b.pt/>\
        <meta http-equiv=refresh content='5; url=/next'><script src=/cdn-cgi/challenge-platform/h.js></script>\
        <noscript>Enable JavaScript to go on</noscript><img src=a.png width=300 height=200>\
        <script type=application/ld+json>{\"isAccessibleForFree\": false}</script><input type=password>\
        <p>O festival da ria de Aveiro começa no domingo com uma regata de moliceiros e visitas ao estaleiro naval.\
        <p>Era uma vez \u{fffd} a lagoa, e a cÃ¢mara municipal diz que a entrada \u{e9} livre para todos.<script>if (a <";
    let pages = [
        page("http://a.pt/wall", "text/html; charset=utf-8", wall),
        page("http://a.pt/picture.png", "image/png", "\u{89}PNG"),
        page("http://a.pt/doc.pdf", "application/pdf", "%PDF-1.4 never ended"),
    ];
    let (_dir, session) = imported(&pages);
    let rows = session.catalogue().captures(&CaptureQuery { limit: 10, ..everything() }).unwrap().rows;
    let facts = |url: &str| {
        let id = rows.iter().find(|row| row.url == url).unwrap().id;
        session.detail(id, 90).unwrap().facts
    };
    // The catalogue alone has none; nothing is read to show a capture.
    let before = records_read(session.workspace.folder());
    assert_eq!(facts("http://a.pt/wall"), None);
    assert_eq!(records_read(session.workspace.folder()), before);
    session.index_texts(false, &JobCx::detached()).unwrap();
    let of_wall = facts("http://a.pt/wall").unwrap();
    assert_eq!((of_wall.status, of_wall.is_page, of_wall.sniffed.as_str()), (200, true, "page"));
    assert_eq!(of_wall.languages.unwrap(), ["pt", "pt"]);
    assert!(of_wall.language_percent >= 50);
    assert_eq!(of_wall.markers, ["challenge /cdn-cgi/challenge-platform/"]);
    assert!(of_wall.needs_scripts && of_wall.is_not_free);
    assert_eq!(of_wall.own_urls, ["http://a.pt/", "http://b.pt/"]);
    assert_eq!(of_wall.refresh_to, "http://a.pt/next");
    assert_eq!(of_wall.garbled, [1, 1]);
    assert_eq!(of_wall.elements.password_fields, 1);
    assert_eq!((of_wall.elements.images[0].width, of_wall.elements.images[0].height), (Some(300), Some(200)));
    let end = of_wall.end.unwrap();
    assert!(!end.is_closed && end.is_inside);
    assert!(!facts("http://a.pt/doc.pdf").unwrap().end.unwrap().is_closed);
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
