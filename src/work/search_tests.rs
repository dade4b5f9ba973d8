//! Searching small workspaces that came in as archive files.

use super::*;
use crate::jobs::JobCx;
use crate::search::FacetKind;
use crate::testing::{empty_session, page_record, record};
use crate::work::models::CaptureQuery;
use crate::work::models::ImportOptions;
use crate::work::{Session, index_folder};
use std::path::Path;

/// A workspace with these pages: URL, date, HTML.
fn session_of(pages: &[(&str, &str, &str)]) -> (tempfile::TempDir, Session) {
    let (dir, session) = empty_session();
    add(&session, dir.path(), "first", pages);
    (dir, session)
}

fn add(session: &Session, folder: &Path, name: &str, pages: &[(&str, &str, &str)]) {
    let bytes: Vec<u8> = pages.iter().flat_map(|(url, date, html)| page(url, date, html)).collect();
    let path = folder.join(format!("{name}.warc"));
    std::fs::write(&path, bytes).unwrap();
    session.import(&[path], ImportOptions::default(), &JobCx::detached()).unwrap();
}

fn page(url: &str, date: &str, html: &str) -> Vec<u8> {
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}");
    record("response", url, date, "Content-Type: application/http; msgtype=response\r\n", answer)
}

fn index(session: &Session) -> crate::work::TextIndexReport {
    session.index_texts(false, &JobCx::detached()).unwrap()
}

/// The URLs of what a query finds, sorted.
#[track_caller]
fn urls(session: &Session, query: &str) -> Vec<String> {
    let asked = SearchQuery { text: query.to_owned(), limit: 100, shows_all: true, ..SearchQuery::default() };
    let answer = session.search(&asked).unwrap();
    assert_eq!(answer.problem, None, "{query}");
    assert_eq!(answer.versions, answer.hits.len() as u64, "{query}");
    let mut urls: Vec<String> = answer.hits.into_iter().map(|hit| hit.capture.url).collect();
    urls.sort();
    urls
}

#[track_caller]
fn check(session: &Session, query: &str, expected: &[&str]) {
    assert_eq!(urls(session, query), expected, "{query}");
}

const TOWN: [(&str, &str, &str); 4] = [
    (
        "https://a.pt/budget",
        "2024-03-01T10:00:00Z",
        "<html lang=en><title>The budget</title><p>The mayor spoke of ships and of the new state budget.</p></html>",
    ),
    (
        "https://a.pt/sport",
        "2024-04-01T10:00:00Z",
        "<html lang=en><title>Football</title><p>The ship of the mayor lost a football match.</p></html>",
    ),
    (
        "https://b.pt/navio",
        "2025-01-01T10:00:00Z",
        "<html lang=pt><title>Navios</title><p>O presidente da câmara falou das eleições.</p></html>",
    ),
    ("https://c.org/empty", "2025-02-01T10:00:00Z", "<html></html>"),
];

#[test]
fn pages_are_found_by_their_text() {
    let (_dir, session) = session_of(&TOWN);
    assert_eq!(index(&session).indexed, 4);
    check(&session, "mayor", &["https://a.pt/budget", "https://a.pt/sport"]);
    check(&session, "mayor -football", &["https://a.pt/budget"]);
    check(&session, "\"state budget\"", &["https://a.pt/budget"]);
    check(&session, "\"budget state\"", &[]);
    check(&session, "\"new budget\"~1", &["https://a.pt/budget"]);
    check(&session, "state NEAR/4 ships", &["https://a.pt/budget"]);
    check(&session, "state NEAR/3 ships", &[]);
    // Every form of a word, in the language of the page; with = this one alone.
    check(&session, "ship", &["https://a.pt/budget", "https://a.pt/sport"]);
    check(&session, "=ship", &["https://a.pt/sport"]);
    check(&session, "CAMARAS", &["https://b.pt/navio"]);
    check(&session, "foot*", &["https://a.pt/sport"]);
    check(&session, "f??tball", &["https://a.pt/sport"]);
    check(&session, "~footbal", &["https://a.pt/sport"]);
    check(&session, "mayor date:2024-03", &["https://a.pt/budget"]);
    check(&session, "host=b.pt OR budget", &["https://a.pt/budget", "https://b.pt/navio"]);
    check(&session, "empty", &["https://c.org/empty"]);
    check(&session, "text:empty", &[]);
    assert_eq!(urls(&session, "*").len(), 4);
    assert_eq!(urls(&session, "").len(), 4);
}

#[test]
fn a_title_counts_more_than_a_text() {
    let (_dir, session) = session_of(&[
        ("https://a.pt/1", "2024-03-01T10:00:00Z", "<title>Other</title><p>harbour and more words about it</p>"),
        ("https://a.pt/2", "2024-03-01T10:00:00Z", "<title>Harbour</title><p>words about it and many more</p>"),
    ]);
    index(&session);
    let asked = SearchQuery { text: "harbour".to_owned(), limit: 10, ..SearchQuery::default() };
    let hits = session.search(&asked).unwrap().hits;
    assert_eq!(
        hits.iter().map(|hit| hit.capture.url.as_str()).collect::<Vec<_>>(),
        ["https://a.pt/2", "https://a.pt/1"]
    );
}

#[test]
fn a_page_that_is_captured_again_is_one_result_until_it_changes() {
    let (dir, session) = session_of(&TOWN);
    index(&session);
    let (url, _, html) = TOWN[0];
    add(&session, dir.path(), "again", &[(url, "2024-06-01T10:00:00Z", html)]);
    let report = index(&session);
    assert_eq!((report.captures, report.indexed, report.versions), (1, 0, 4));
    let asked = SearchQuery { text: "state".to_owned(), limit: 10, ..SearchQuery::default() };
    let answer = session.search(&asked).unwrap();
    assert_eq!((answer.versions, answer.captures, answer.hits[0].captures), (1, 2, 2));
    assert_eq!(answer.hits[0].capture.date.to_warc(), "2024-06-01T10:00:00Z");
    // A condition on a capture is one on the captures of the result.
    let march = SearchQuery { text: "state date:2024-03".to_owned(), ..asked.clone() };
    assert_eq!(session.search(&march).unwrap().captures, 1);
    add(&session, dir.path(), "changed", &[(url, "2024-07-01T10:00:00Z", "<p>The state is bankrupt</p>")]);
    assert_eq!(session.search(&asked).unwrap().waiting, Some(1));
    assert_eq!(index(&session).indexed, 1);
    let answer = session.search(&asked).unwrap();
    assert_eq!((answer.versions, answer.captures, answer.waiting), (2, 3, Some(0)));
}

#[test]
fn without_an_index_urls_and_titles_are_searched() {
    let (_dir, session) = session_of(&TOWN);
    let asked = SearchQuery { text: "football".to_owned(), limit: 10, ..SearchQuery::default() };
    let answer = session.search(&asked).unwrap();
    assert_eq!((answer.versions, answer.waiting), (1, None));
    let text = SearchQuery { text: "text:mayor".to_owned(), ..asked };
    let problem = session.search(&text).unwrap().problem.unwrap();
    assert!(problem.contains("fonds index"), "{problem}");
}

#[test]
fn facets_and_periods_count_what_the_catalogue_counts() {
    let (_dir, session) = session_of(&TOWN);
    index(&session);
    let asked = SearchQuery { text: "*".to_owned(), ..SearchQuery::default() };
    let count = |facets: &[FacetChoice], kind: FacetKind| -> Vec<(String, u64)> {
        let asked = SearchQuery { facets: facets.to_vec(), ..asked.clone() };
        let counts = session.search_counts(&asked, &[kind], None).unwrap();
        counts.facets.into_iter().flat_map(|(_, values)| values).map(|value| (value.value, value.count)).collect()
    };
    let hosts = [("a.pt", 2), ("b.pt", 1), ("c.org", 1)].map(|(host, count)| (host.to_owned(), count));
    assert_eq!(count(&[], FacetKind::Host), hosts);
    assert_eq!(count(&[], FacetKind::TopLevel), [("pt".to_owned(), 3), ("org".to_owned(), 1)]);
    assert_eq!(count(&[], FacetKind::Year), [("2024".to_owned(), 2), ("2025".to_owned(), 2)]);
    for (host, captures) in hosts {
        let query = CaptureQuery { filter: format!("host={host}"), ..crate::work::everything() };
        assert_eq!(session.catalogue().captures(&query).unwrap().total, captures);
    }
    let choose = |value: &str, is_excluded| FacetChoice { kind: FacetKind::Host, value: value.to_owned(), is_excluded };
    // Of the chosen facet all values are counted, of others what is left.
    assert_eq!(count(&[choose("a.pt", false)], FacetKind::Host).len(), 3);
    assert_eq!(count(&[choose("a.pt", false)], FacetKind::Year), [("2024".to_owned(), 2)]);
    assert_eq!(count(&[choose("a.pt", false), choose("b.pt", false)], FacetKind::Year)[0], ("2024".to_owned(), 2));
    assert_eq!(count(&[choose("a.pt", true)], FacetKind::Year), [("2025".to_owned(), 2)]);
    // Every count of a facet is that of the filter which it leads to.
    let counts = session.search_counts(&asked, &FacetKind::ALL, None).unwrap();
    for (kind, values) in counts.facets {
        for value in values {
            let filter = facet_filter(kind, &value.value);
            let query = CaptureQuery { filter: filter.clone(), ..crate::work::everything() };
            let page = session.catalogue().captures(&query).unwrap();
            assert_eq!((page.filter_problem, page.total), (None, value.count), "{filter}");
        }
    }
    let chosen = [choose("a.pt", false), choose("b.pt", false)];
    let asked_of_two = SearchQuery { text: "mayor OR navio".to_owned(), facets: chosen.to_vec(), ..asked.clone() };
    let answer = session.search(&asked_of_two).unwrap();
    let query = CaptureQuery { filter: answer.filter.clone(), ..crate::work::everything() };
    let page = session.catalogue().captures(&query).unwrap();
    assert_eq!((page.filter_problem, page.total), (None, answer.captures), "{}", answer.filter);
    let months = session.search_counts(&asked, &[], Some(crate::search::Period::Month)).unwrap().histogram;
    let months: Vec<(&str, u64, u64)> =
        months.iter().map(|month| (month.period.as_str(), month.count, month.of)).collect();
    assert_eq!(months, [("2024-03", 1, 1), ("2024-04", 1, 1), ("2025-01", 1, 1), ("2025-02", 1, 1)]);
}

#[test]
fn a_damaged_index_or_one_of_another_catalogue_is_built_again() {
    let (dir, session) = session_of(&TOWN);
    index(&session);
    let folder = index_folder(&session.workspace);
    std::fs::write(folder.join("meta.json"), "{").unwrap();
    let report = index(&session);
    assert!(!report.rebuilt.is_empty() && report.versions == 4, "{report:?}");
    assert_eq!(urls(&session, "mayor").len(), 2);
    // The index of another workspace, whose captures have the same numbers.
    let (_other_dir, other) = session_of(&[("https://z.pt/", "2020-01-01T00:00:00Z", "<p>Something else</p>")]);
    index(&other);
    std::fs::remove_dir_all(&folder).unwrap();
    crate::testing::copy_folder(&index_folder(&other.workspace), &folder);
    let report = index(&session);
    assert!(report.rebuilt.contains("another catalogue"), "{report:?}");
    assert_eq!(urls(&session, "something"), Vec::<String>::new());
    assert!(session.check_index(&JobCx::detached()).unwrap().is_fine());
    drop(dir);
}

#[test]
fn results_of_one_host_are_folded_unless_a_host_is_named() {
    let html = "<p>harbour</p>";
    let pages: Vec<String> = (0..5).map(|nth| format!("https://a.pt/{nth}")).collect();
    let mut pages: Vec<(&str, &str, String)> = pages
        .iter()
        .enumerate()
        .map(|(nth, url)| (url.as_str(), "2024-03-01T10:00:00Z", format!("{html}{nth}")))
        .collect();
    pages.push(("https://b.pt/", "2024-03-01T10:00:00Z", html.to_owned()));
    let pages: Vec<(&str, &str, &str)> = pages.iter().map(|(url, date, html)| (*url, *date, html.as_str())).collect();
    let (_dir, session) = session_of(&pages);
    index(&session);
    let asked = |text: &str| SearchQuery { text: text.to_owned(), limit: 10, ..SearchQuery::default() };
    let answer = session.search(&asked("harbour")).unwrap();
    assert_eq!((answer.versions, answer.hits.len()), (6, 3));
    assert_eq!(answer.hits.iter().map(|hit| hit.folded).sum::<u64>(), 3);
    assert_eq!(session.search(&asked("harbour host:a.pt")).unwrap().hits.len(), 5);
}

#[test]
fn a_mark_is_found_without_indexing_again() {
    let (_dir, session) = session_of(&TOWN);
    index(&session);
    assert_eq!(urls(&session, "mayor mark:reject"), Vec::<String>::new());
    let asked = SearchQuery { text: "mayor football".to_owned(), limit: 1, ..SearchQuery::default() };
    let capture = session.search(&asked).unwrap().hits[0].capture.id;
    session.mark(&[capture], crate::work::models::ReviewMark::Reject, "", "x").unwrap();
    check(&session, "mayor mark:reject", &["https://a.pt/sport"]);
    let counts = session.search_counts(&asked, &[FacetKind::Mark], None).unwrap();
    assert_eq!(counts.facets[0].1[0].value, "reject");
}

#[test]
fn a_page_record_without_a_language_is_found_as_it_is_written() {
    let (dir, session) = empty_session();
    let path = dir.path().join("one.warc");
    std::fs::write(&path, page_record("https://x.pt/", "<p>Xyzzy quux</p>")).unwrap();
    session.import(&[path], ImportOptions::default(), &JobCx::detached()).unwrap();
    index(&session);
    check(&session, "xyzzy", &["https://x.pt/"]);
}
