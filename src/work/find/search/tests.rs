//! Searching small workspaces that came in as archive files.

use super::*;
use crate::jobs::JobCx;
use crate::query::quoted_value;
use crate::search::{FacetChoice, FacetKind, narrowed_by};
use crate::testing::{empty_session, page_record, record};
use crate::work::models::ImportOptions;
use crate::work::models::{CaptureQuery, LaunchId};
use crate::work::{Session, index_folder};
use std::path::Path;

#[path = "search_follow_tests.rs"]
mod follow;

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
    let search = SearchQuery { text: query.to_owned(), limit: 100, shows_all: true, ..SearchQuery::default() };
    let answer = session.search(&search).unwrap();
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
fn pages_are_found_by_when_they_were_published() {
    let days = ["2023-12-31", "2024-03-01", "2024-03-31", "2024-04-01", "2025-01-05"];
    let pages: Vec<(String, String)> = days
        .iter()
        .map(|day| {
            let meta = format!("<meta property=article:published_time content='{day}T12:00:00Z'>");
            (format!("https://a.pt/{day}"), format!("<title>A</title>{meta}<p>A text of some length, of {day}."))
        })
        .chain([("https://a.pt/none".to_owned(), "<title>A</title><p>Nothing says when.".to_owned())])
        .collect();
    let pages: Vec<_> = pages.iter().map(|(url, html)| (url.as_str(), "2025-06-01T10:00:00Z", html.as_str())).collect();
    let (_dir, session) = session_of(&pages);
    index(&session);
    // Texts of days are in the order of the days.
    let within = |from: &str, to: &str| -> Vec<String> {
        days.iter().filter(|day| from <= **day && **day <= to).map(|day| format!("https://a.pt/{day}")).collect()
    };
    for (query, from, to) in [
        ("published:2024", "2024-01-01", "2024-12-31"),
        ("published=2024-03", "2024-03-01", "2024-03-31"),
        ("published:2024-03-31", "2024-03-31", "2024-03-31"),
        ("published:2023..2024-03", "2023-01-01", "2024-03-31"),
        ("published:..2024-03", "0", "2024-03-31"),
        ("published>2024-03", "2024-04-01", "9"),
        ("published>=2024-03", "2024-03-01", "9"),
        ("published<2024", "0", "2023-12-31"),
        ("published<=2024", "0", "2024-12-31"),
        ("published:*", "0", "9"),
    ] {
        let expected = within(from, to);
        assert_eq!(urls(&session, query), expected, "{query}");
        // The same filter line in the table of captures.
        let search = CaptureQuery { filter: query.to_owned(), limit: 100, ..crate::work::everything() };
        let rows = session.catalogue().captures(&search).unwrap().rows;
        let mut listed: Vec<String> = rows.into_iter().map(|row| row.url).collect();
        listed.sort();
        assert_eq!(listed, expected, "{query}");
    }
    for (query, why) in [
        ("published:soon", "column 11: “soon” is not a date"),
        ("published:2025..2024", "column 11: nothing is in this range"),
    ] {
        let search = SearchQuery { text: query.to_owned(), ..SearchQuery::default() };
        let problem = session.search(&search).unwrap().problem.unwrap();
        assert!(problem.starts_with(why), "{problem}");
    }
}

#[test]
fn a_title_counts_more_than_a_text() {
    let (_dir, session) = session_of(&[
        ("https://a.pt/1", "2024-03-01T10:00:00Z", "<title>Other</title><p>harbour and more words about it</p>"),
        ("https://a.pt/2", "2024-03-01T10:00:00Z", "<title>Harbour</title><p>words about it and many more</p>"),
    ]);
    index(&session);
    let search = SearchQuery { text: "harbour".to_owned(), limit: 10, ..SearchQuery::default() };
    let hits = session.search(&search).unwrap().hits;
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
    let search = SearchQuery { text: "state".to_owned(), limit: 10, ..SearchQuery::default() };
    let answer = session.search(&search).unwrap();
    assert_eq!((answer.versions, answer.captures, answer.hits[0].captures), (1, 2, 2));
    assert_eq!(answer.hits[0].capture.date.to_warc(), "2024-06-01T10:00:00Z");
    // A condition on a capture is one on the captures of the result.
    let march = SearchQuery { text: "state date:2024-03".to_owned(), ..search.clone() };
    assert_eq!(session.search(&march).unwrap().captures, 1);
    add(&session, dir.path(), "changed", &[(url, "2024-07-01T10:00:00Z", "<p>The state is bankrupt</p>")]);
    assert_eq!(session.search(&search).unwrap().waiting, Some(1));
    assert_eq!(index(&session).indexed, 1);
    let answer = session.search(&search).unwrap();
    assert_eq!((answer.versions, answer.captures, answer.waiting), (2, 3, Some(0)));
}

#[test]
fn without_an_index_urls_and_titles_are_searched() {
    let (_dir, session) = session_of(&TOWN);
    let search = SearchQuery { text: "football".to_owned(), limit: 10, ..SearchQuery::default() };
    let answer = session.search(&search).unwrap();
    assert_eq!((answer.versions, answer.waiting), (1, None));
    let text = SearchQuery { text: "text:mayor".to_owned(), ..search };
    let problem = session.search(&text).unwrap().problem.unwrap();
    assert!(problem.contains("fonds index"), "{problem}");
}

#[test]
fn facets_and_periods_count_what_the_catalogue_counts() {
    let (_dir, session) = session_of(&TOWN);
    index(&session);
    let search = SearchQuery { text: "*".to_owned(), ..SearchQuery::default() };
    let count = |facets: &[FacetChoice], kind: FacetKind| -> Vec<(String, u64)> {
        let narrowed = SearchQuery { text: narrowed_by(&search.text, facets), ..search.clone() };
        let counts = session.search_counts(&narrowed, &[kind], None).unwrap();
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
    let counts = session.search_counts(&search, &FacetKind::ALL, None).unwrap();
    for (kind, values) in counts.facets {
        for value in values {
            let choice = FacetChoice { kind, value: value.value.clone(), is_excluded: false };
            let filter = narrowed_by("", &[choice]);
            let query = CaptureQuery { filter: filter.clone(), ..crate::work::everything() };
            let page = session.catalogue().captures(&query).unwrap();
            assert_eq!((page.filter_problem, page.total), (None, value.count), "{filter}");
        }
    }
    let chosen = [choose("a.pt", false), choose("b.pt", false)];
    let of_two = SearchQuery { text: narrowed_by("mayor OR navio", &chosen), ..search.clone() };
    let answer = session.search(&of_two).unwrap();
    let query = CaptureQuery { filter: answer.filter.clone(), ..crate::work::everything() };
    let page = session.catalogue().captures(&query).unwrap();
    assert_eq!((page.filter_problem, page.total), (None, answer.captures), "{}", answer.filter);
    let months = session.search_counts(&search, &[], Some(crate::search::Period::Month)).unwrap().histogram;
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
    assert!(crate::work::check_index(&session.workspace, &JobCx::detached()).unwrap().is_fine());
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
    let search = |text: &str| SearchQuery { text: text.to_owned(), limit: 10, ..SearchQuery::default() };
    let answer = session.search(&search("harbour")).unwrap();
    assert_eq!((answer.versions, answer.hits.len()), (6, 3));
    assert_eq!(answer.hits.iter().map(|hit| hit.folded).sum::<u64>(), 3);
    assert_eq!(session.search(&search("harbour host:a.pt")).unwrap().hits.len(), 5);
    // One that is left out says nothing of the others.
    assert_eq!(session.search(&search("harbour -host:b.pt -host:c.pt")).unwrap().hits.len(), 5);
    assert_eq!(session.search(&search("harbour -host:c.pt")).unwrap().hits.len(), 3);
}

#[test]
fn style_sheets_scripts_and_robots_txt_are_code() {
    let (dir, session) = empty_session();
    let answer = |url: &str, mime: &str, body: &str| {
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: {mime}\r\n\r\n{body}");
        let kind = "Content-Type: application/http; msgtype=response\r\n";
        record("response", url, "2024-03-01T10:00:00Z", kind, answer)
    };
    let files = [
        ("https://a.pt/", "text/html", "<p>harbour"),
        ("https://a.pt/a.css", "text/css", ".harbour {}"),
        ("https://a.pt/a.js", "application/javascript", "harbour()"),
        ("https://a.pt/b.json", "application/json", "{\"name\": \"harbour\"}"),
        ("https://a.pt/c.txt", "text/plain", "harbour"),
        ("https://a.pt/robots.txt", "text/plain", "Disallow: /harbour"),
    ];
    let bytes: Vec<u8> = files.iter().flat_map(|(url, mime, body)| answer(url, mime, body)).collect();
    let path = dir.path().join("a.warc");
    std::fs::write(&path, bytes).unwrap();
    session.import(&[path], ImportOptions::default(), &JobCx::detached()).unwrap();
    index(&session);
    let search = |line: &str| SearchQuery { text: line.to_owned(), limit: 10, ..SearchQuery::default() };
    let listed = |line: &str| -> (Vec<String>, u64) {
        let answer = session.search(&search(line)).unwrap();
        (answer.hits.iter().map(|hit| hit.capture.url.clone()).collect(), answer.code)
    };
    let (mut without, left_out) = listed("harbour");
    without.sort();
    assert_eq!(without, ["https://a.pt/", "https://a.pt/b.json", "https://a.pt/c.txt"]);
    assert_eq!(left_out, 3);
    assert_eq!(listed("harbour type:css"), (vec!["https://a.pt/a.css".to_owned()], 0));
    assert_eq!(listed("harbour media:code").0.len(), 3);
    // Where nothing else holds the words, they are what was found.
    assert_eq!(listed("disallow"), (vec!["https://a.pt/robots.txt".to_owned()], 0));
    let all = SearchQuery { shows_all: true, ..search("harbour") };
    assert_eq!(session.search(&all).unwrap().hits.len(), 6);
    // They are captures that the words are in: a filter line and the scores have them.
    assert_eq!(session.search(&search("harbour")).unwrap().captures, 6);
    check(&session, "harbour -media:code", &["https://a.pt/", "https://a.pt/b.json", "https://a.pt/c.txt"]);
    check(&session, "harbour media:code", &["https://a.pt/a.css", "https://a.pt/a.js", "https://a.pt/robots.txt"]);
    check(&session, "harbour type:css", &["https://a.pt/a.css"]);
    check(&session, "harbour type:javascript", &["https://a.pt/a.js"]);
    check(&session, "harbour url:robots.txt", &["https://a.pt/robots.txt"]);
}

#[test]
fn results_of_the_only_host_come_by_second_and_on_any_port() {
    let times = ["09:00:00", "23:59:59", "00:00:01", "12:30:00"];
    let urls_of = times.map(|time| format!("https://a.pt:8443/{time}"));
    let dates = times.map(|time| format!("2024-03-01T{time}Z"));
    let pages: Vec<(&str, &str, &str)> =
        urls_of.iter().zip(&dates).map(|(url, date)| (url.as_str(), date.as_str(), "<p>harbour</p>")).collect();
    let (_dir, session) = session_of(&pages);
    index(&session);
    let of_order = |order: SearchOrder| -> Vec<String> {
        let search = SearchQuery { text: "harbour".to_owned(), limit: 10, order, ..SearchQuery::default() };
        let hits = session.search(&search).unwrap().hits;
        hits.iter().map(|hit| hit.capture.url.rsplit('/').next().unwrap().to_owned()).collect()
    };
    let newest = ["23:59:59", "12:30:00", "09:00:00", "00:00:01"];
    assert_eq!(of_order(SearchOrder::Newest), newest);
    assert!(of_order(SearchOrder::Oldest).iter().eq(newest.iter().rev()));
    for (filter, expected) in
        [("host:a.pt", 4), ("host:pt", 4), ("host:*.pt", 4), ("host:a.pt:8443", 4), ("host=a.pt", 0)]
    {
        assert_eq!(urls(&session, filter).len(), expected, "{filter}");
    }
    let counts = session.search_counts(&SearchQuery::default(), &[FacetKind::Domain], None).unwrap();
    assert_eq!((counts.facets[0].1[0].value.as_str(), counts.facets[0].1[0].count), ("a.pt", 4));
}

#[test]
fn a_mark_is_found_without_indexing_again() {
    let (_dir, session) = session_of(&TOWN);
    index(&session);
    assert_eq!(urls(&session, "mayor mark:reject"), Vec::<String>::new());
    let search = SearchQuery { text: "mayor football".to_owned(), limit: 1, ..SearchQuery::default() };
    let capture = session.search(&search).unwrap().hits[0].capture.id;
    session.mark(&[capture], crate::work::models::ReviewMark::Reject, "", "x").unwrap();
    check(&session, "mayor mark:reject", &["https://a.pt/sport"]);
    let counts = session.search_counts(&search, &[FacetKind::Mark], None).unwrap();
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

/// A page of a hundred tokens, of which those from `edited` on are others.
fn copy(edited: usize) -> String {
    let token = |nth: usize| if nth < edited { format!("harbour{nth} ") } else { format!("changed{nth}x{edited} ") };
    format!("<p>{}</p>", (0..100).map(token).collect::<String>())
}

const DAY: &str = "2024-03-01T10:00:00Z";

/// Copies of one page on three hosts, of which two are edited, a page with another text and a short one twice.
fn copies() -> Vec<(&'static str, &'static str, String)> {
    vec![
        ("https://a.pt/1", DAY, copy(100)),
        ("https://b.pt/1", DAY, copy(98)),
        ("https://c.pt/1", DAY, copy(95)),
        ("https://d.pt/1", DAY, copy(50)),
        ("https://e.pt/1", DAY, "<p>harbour0 not found</p>".to_owned()),
        ("https://f.pt/1", DAY, "<p>harbour0 not found</p>\n".to_owned()),
    ]
}

fn of_copies() -> (tempfile::TempDir, Session) {
    let pages = copies();
    session_of(&pages.iter().map(|(url, date, html)| (*url, *date, html.as_str())).collect::<Vec<_>>())
}

#[track_caller]
fn number_of(session: &Session, url: &str) -> CaptureId {
    let query = CaptureQuery { filter: format!("key:{url}"), limit: 100, ..crate::work::everything() };
    session.catalogue().captures(&query).unwrap().rows.iter().map(|row| row.id).max().unwrap()
}

/// URLs of the captures that a filter line finds, sorted.
#[track_caller]
fn filtered(session: &Session, filter: &str) -> Vec<String> {
    let query = CaptureQuery { filter: filter.to_owned(), limit: 100, ..crate::work::everything() };
    let page = session.catalogue().captures(&query).unwrap();
    assert_eq!(page.filter_problem, None, "{filter}");
    let mut urls: Vec<String> = page.rows.into_iter().map(|row| row.url).collect();
    urls.sort();
    urls
}

const COPIES: [&str; 3] = ["https://a.pt/1", "https://b.pt/1", "https://c.pt/1"];

#[test]
fn edited_copies_are_one_result_and_their_number_leads_to_them() {
    let (_dir, session) = of_copies();
    let report = index(&session);
    assert_eq!((report.versions, report.near_duplicates), (6, 2), "{report:?}");
    let search = SearchQuery { text: "harbour0".to_owned(), limit: 10, ..SearchQuery::default() };
    let answer = session.search(&search).unwrap();
    assert_eq!((answer.versions, answer.hits.len()), (6, 4));
    let of_group = |hit: &&Hit| COPIES.contains(&hit.capture.url.as_str());
    let similar: Vec<u64> = answer.hits.iter().filter(of_group).map(|hit| hit.similar).collect();
    assert_eq!(similar, [2]);
    assert_eq!(answer.hits.iter().map(|hit| hit.similar + hit.folded).sum::<u64>(), 2);
    // What the query does not find is not counted.
    let two = SearchQuery { text: "harbour97".to_owned(), ..search.clone() };
    let hits = session.search(&two).unwrap().hits;
    assert_eq!(hits.iter().map(|hit| hit.similar).collect::<Vec<_>>(), [1]);
    let all = session.search(&SearchQuery { shows_all: true, ..search }).unwrap().hits;
    assert_eq!((all.len(), all.iter().map(|hit| hit.similar).sum::<u64>()), (6, 6));
    for url in COPIES {
        let filter = format!("similar:{}", number_of(&session, url));
        assert_eq!(filtered(&session, &filter), COPIES);
        let shown = session.search(&SearchQuery { text: filter, limit: 10, ..SearchQuery::default() }).unwrap().hits;
        assert_eq!(shown.len(), 3);
    }
    assert_eq!(filtered(&session, "similar:*"), COPIES);
    assert_eq!(filtered(&session, "similar:* -host:b.pt"), [COPIES[0], COPIES[2]]);
    check(&session, "similar:* harbour97", &COPIES[..2]);
    check(&session, &format!("similar:{}", number_of(&session, "https://d.pt/1")), &["https://d.pt/1"]);
    check(&session, "similar:999", &[]);
    let wrong = SearchQuery { text: "similar:me".to_owned(), ..SearchQuery::default() };
    assert!(session.search(&wrong).unwrap().problem.unwrap().contains("no number of a capture"));
}

#[test]
fn near_duplicates_that_come_later_are_of_the_same_group() {
    let pages = copies();
    let (dir, session) = session_of(&[]);
    for (nth, (url, date, html)) in pages.iter().enumerate() {
        add(&session, dir.path(), &format!("file{nth}"), &[(url, date, html)]);
        index(&session);
    }
    assert_eq!(filtered(&session, "similar:*"), COPIES);
    let near = index_folder(&session.workspace).join("near.bin");
    let followed = std::fs::read(&near).unwrap();
    assert_eq!(index(&session).near_duplicates, 2);
    assert_eq!(std::fs::read(&near).unwrap(), followed);
    session.index_texts(true, &JobCx::detached()).unwrap();
    assert_eq!(std::fs::read(&near).unwrap(), followed, "from scratch the same is found");
    // A text that was revised is another version, and of no group.
    let revised = copy(20);
    add(&session, dir.path(), "revised", &[(COPIES[1], "2024-09-01T10:00:00Z", &revised)]);
    assert_eq!(index(&session).near_duplicates, 2);
    let newest = number_of(&session, COPIES[1]);
    assert_eq!(filtered(&session, "similar:* date:2024-09"), Vec::<String>::new());
    assert_eq!(filtered(&session, &format!("similar:{newest}")), [COPIES[1]]);
    assert_eq!(filtered(&session, "similar:*"), COPIES);
}

#[test]
fn near_duplicates_that_are_missing_or_damaged_are_found_again() {
    let (dir, session) = of_copies();
    index(&session);
    let folder = index_folder(&session.workspace);
    let near = folder.join("near.bin");
    let whole = std::fs::read(&near).unwrap();
    let search = SearchQuery { text: "harbour0".to_owned(), limit: 10, ..SearchQuery::default() };
    let mut flipped_end = whole.clone();
    let at = whole.len() - 60;
    flipped_end[at] ^= 1;
    let long = [&u64::MAX.to_le_bytes()[..]; 7].concat();
    for damage in [None, Some(b"".to_vec()), Some(whole[..whole.len() - 1].to_vec()), Some(flipped_end), Some(long)] {
        match &damage {
            None => std::fs::remove_file(&near).unwrap(),
            Some(bytes) => std::fs::write(&near, bytes).unwrap(),
        }
        assert_eq!(session.search(&search).unwrap().hits.len(), 6, "nothing is folded");
        let similar = SearchQuery { text: "similar:*".to_owned(), ..search.clone() };
        assert!(session.search(&similar).unwrap().problem.unwrap().contains("follow up the index"));
        assert_eq!(
            crate::work::check_index(&session.workspace, &JobCx::detached()).unwrap().is_fine(),
            damage.is_none()
        );
        assert_eq!(index(&session).near_duplicates, 2);
        assert_eq!(std::fs::read(&near).unwrap(), whole);
        assert!(crate::work::check_index(&session.workspace, &JobCx::detached()).unwrap().is_fine());
    }
    // Damage of what is kept of a text is found when a new text is compared.
    let mut flipped = whole;
    flipped[40] ^= 1;
    std::fs::write(&near, flipped).unwrap();
    assert!(!crate::work::check_index(&session.workspace, &JobCx::detached()).unwrap().is_fine());
    let again = copy(97);
    add(&session, dir.path(), "more", &[("https://g.pt/1", DAY, &again)]);
    assert_eq!(index(&session).near_duplicates, 3);
    assert_eq!(filtered(&session, "similar:*").len(), 4);
    // Those of another state of the index go as a whole.
    let older = std::fs::read(&near).unwrap();
    add(&session, dir.path(), "other", &[("https://h.pt/1", DAY, "<p>one more</p>")]);
    index(&session);
    std::fs::write(&near, older).unwrap();
    assert_eq!(index(&session).near_duplicates, 3);
    assert!(crate::work::check_index(&session.workspace, &JobCx::detached()).unwrap().is_fine());
}

#[test]
fn a_group_whose_captures_are_lost_is_none() {
    use crate::crawl::{Ledger, LostCapture};
    let (dir, session) = of_copies();
    index(&session);
    let lose = |url: &str| {
        let id = number_of(&session, url);
        let row = session.catalogue().capture_row(id).unwrap();
        let url = crate::uri::Url::parse(&row.url).unwrap();
        let lost = LostCapture { id: id.get(), url, date: row.date, decisions: Vec::new() };
        crate::store::LaunchLedger::new(session.workspace.catalogue().clone(), LaunchId::new(1))
            .lose_captures(&[lost])
            .unwrap();
    };
    // The oldest goes: the others are a group of their own.
    lose(COPIES[0]);
    assert_eq!(filtered(&session, "similar:*"), COPIES[1..]);
    assert_eq!(index(&session).near_duplicates, 1);
    assert_eq!(filtered(&session, &format!("similar:{}", number_of(&session, COPIES[2]))), COPIES[1..]);
    // One of two: nothing is left that it is nearly the same as, before and after the index follows.
    lose(COPIES[1]);
    assert_eq!(filtered(&session, "similar:*"), Vec::<String>::new());
    let report = index(&session);
    assert_eq!((report.removed, report.near_duplicates), (1, 0));
    assert_eq!(filtered(&session, "similar:*"), Vec::<String>::new());
    let again = copy(96);
    add(&session, dir.path(), "again", &[("https://b.pt/2", DAY, &again)]);
    assert_eq!(index(&session).near_duplicates, 1);
    assert_eq!(filtered(&session, "similar:*"), ["https://b.pt/2", COPIES[2]]);
}

#[test]
fn a_stop_keeps_the_near_duplicates_found_so_far() {
    // Each text twice, the second time in the second step.
    let text = |nth: usize| (0..30).map(|at| format!("token{nth}x{at} ")).collect::<String>();
    let pages: Vec<(String, String)> = (0..160)
        .map(|nth| (format!("https://a.pt/{nth}"), format!("<p>{}</p>{}", text(nth % 130), "\n".repeat(nth / 130))))
        .collect();
    let pages: Vec<(&str, &str, &str)> = pages.iter().map(|(url, html)| (url.as_str(), DAY, html.as_str())).collect();
    let (_dir, session) = session_of(&pages);
    assert_eq!(index(&session).near_duplicates, 30);
    let folder = index_folder(&session.workspace);
    let whole = std::fs::read(folder.join("near.bin")).unwrap();
    std::fs::remove_file(folder.join("near.bin")).unwrap();
    let cx = JobCx::detached();
    cx.cancel();
    let stopped = crate::work::index_texts(&session.workspace, false, &cx).unwrap_err();
    assert!(stopped.is::<crate::jobs::Cancelled>(), "{stopped:#}");
    let kept = crate::search::NearFile::open(&folder).unwrap();
    assert_eq!((kept.texts, kept.compared, kept.groups.len()), (128, 0, 0));
    assert_eq!(index(&session).near_duplicates, 30);
    assert_eq!(std::fs::read(folder.join("near.bin")).unwrap(), whole);
}

#[test]
fn a_filter_by_texts_finds_the_rows_that_it_finds_row_by_row() {
    use crate::work::models::{CaptureColumn, CaptureTab};
    let (dir, session) = session_of(&TOWN);
    let budget = "<p>Another budget of the mayor.</p>";
    let more: Vec<(String, String)> =
        (1..9).map(|day| (format!("https://d.pt/{day}"), format!("2023-0{day}-01T10:00:00Z"))).collect();
    let more: Vec<(&str, &str, &str)> = more.iter().map(|(url, date)| (url.as_str(), date.as_str(), budget)).collect();
    add(&session, dir.path(), "more", &more);
    add(&session, dir.path(), "other", &[("https://e.pt/", DAY, budget), ("https://e.pt/2", DAY, "<p>A mayor.</p>")]);
    let new = |name| session.save_campaign(None, &crate::campaign::Campaign::new(name)).unwrap().0;
    let campaigns = [new("One"), new("Two")];
    let conn = rusqlite::Connection::open(session.workspace.folder().join("fonds.sqlite")).unwrap();
    conn.execute("UPDATE launch SET campaign = ?1 WHERE id = (SELECT max(id) FROM launch)", [campaigns[1]]).unwrap();
    for (mime, each) in [("application/epub+zip", 3), ("application/vnd.ms-excel", 4), ("image/png", 5)] {
        let media = crate::captures::Media::of_type(mime) as u8;
        conn.execute(
            "UPDATE capture SET mime = ?1, media = ?3 WHERE id % ?2 = 0",
            rusqlite::params![mime, each, media],
        )
        .unwrap();
    }
    index(&session);
    let media = [(CaptureTab::Html, "page"), (CaptureTab::Documents, "document"), (CaptureTab::Images, "image")];
    for (tab, media) in media {
        let all = |tab, filter: &str| CaptureQuery {
            filter: filter.to_owned(),
            tab,
            campaign: None,
            sort: vec![],
            offset: 0,
            limit: 9,
        };
        let total = |query: CaptureQuery| session.catalogue().captures(&query).unwrap().total;
        let of_tab = total(all(tab, ""));
        assert!(of_tab > 1, "{media}: {of_tab}");
        assert_eq!(of_tab, total(all(CaptureTab::All, &format!("media={media}"))), "{media}");
    }
    let sorts = [vec![], vec![(CaptureColumn::Date, true)], vec![(CaptureColumn::Url, false)]];
    let mut totals = HashSet::new();
    for filter in ["found:\"mayor\"", "text:budget", "text:mayor text:budget", "text:budget url:d.pt", "found:nothing"]
    {
        for campaign in [None, Some(campaigns[0]), Some(campaigns[1])] {
            let tabs = [CaptureTab::All, CaptureTab::Failed].into_iter().chain(media.map(|(tab, _)| tab));
            for (tab, sort) in tabs.flat_map(|tab| sorts.iter().map(move |sort| (tab, sort))) {
                let of = |filter: String, offset| {
                    let query = CaptureQuery { filter, tab, campaign, sort: sort.clone(), offset, limit: 3 };
                    let page = session.catalogue().captures(&query).unwrap();
                    assert_eq!(page.filter_problem, None);
                    let ids = (
                        session.catalogue().capture_ids(&query).unwrap(),
                        session.catalogue().tab_counts(&query).unwrap(),
                    );
                    (page.total, page.rows.iter().map(|row| row.url.clone()).collect::<Vec<_>>(), ids)
                };
                for offset in [0, 2, 20] {
                    // With an alternative that nothing meets, the catalogue has to look at each row.
                    let each = of(format!("({filter}) OR status:999"), offset);
                    totals.insert(each.0);
                    assert_eq!(of(filter.to_owned(), offset), each, "{filter} {campaign:?} {sort:?} {tab:?} {offset}");
                }
            }
        }
    }
    assert!(totals.len() > 4, "{totals:?}");
}

#[test]
fn terms_of_the_request_are_counted_and_chosen_as_their_filters_find() {
    let (_dir, session) = session_of(&TOWN);
    let request =
        "ship OR person:\"the mayor\"|presidente^0.5 OR lang:pt AND period:[2025..] OR dragon AND NOT football";
    let campaign =
        crate::campaign::Campaign { request: request.parse().unwrap(), ..crate::campaign::Campaign::new("T") };
    let terms = |session: &Session, text: &str, facets: Vec<FacetChoice>| -> Vec<(String, u64)> {
        let search = SearchQuery { text: narrowed_by(text, &facets), ..SearchQuery::default() };
        let counts = session.search_counts(&search, &[FacetKind::Term], None).unwrap();
        assert_eq!(counts.problem, None);
        counts.facets.into_iter().flat_map(|(_, values)| values).map(|value| (value.value, value.count)).collect()
    };
    index(&session);
    assert_eq!(terms(&session, "", vec![]), [], "there is no campaign yet");
    let (id, _) = session.save_campaign(None, &campaign).unwrap();
    for import in crate::work::imports(&session.workspace).unwrap() {
        session.assign_import(import.launch, Some(id)).unwrap();
    }
    // Counted by hand; what speaks against the request is no term of it.
    let of_all =
        [("ship", 1), ("person:\"the mayor\"|presidente", 3), ("lang:pt", 1), ("period:[2025..]", 2), ("dragon", 0)];
    assert_eq!(terms(&session, "", vec![]), of_all.map(|(term, count)| (term.to_owned(), count)));
    // Of what is found: as many as the filter of both finds.
    for text in ["mayor", "host:pt -football", "budget OR navios"] {
        for (term, count) in terms(&session, text, vec![]) {
            let both = CaptureQuery {
                filter: format!("found:{} request:{}", quoted_value(text), quoted_value(&term)),
                ..crate::work::everything()
            };
            assert_eq!(session.catalogue().captures(&both).unwrap().total, count, "{text} and {term}");
        }
    }
    // Chosen and left out, as other facets; those of the facet itself are counted all the same.
    let choice = |value: &str, is_excluded| FacetChoice { kind: FacetKind::Term, value: value.to_owned(), is_excluded };
    for (choices, expected) in [
        (vec![choice("ship", false)], vec!["https://a.pt/sport"]),
        (vec![choice("ship", false), choice("lang:pt", false)], vec!["https://a.pt/sport", "https://b.pt/navio"]),
        (vec![choice("period:[2025..]", false), choice("lang:pt", true)], vec!["https://c.org/empty"]),
        (vec![choice("lang:pt", true)], vec!["https://a.pt/budget", "https://a.pt/sport", "https://c.org/empty"]),
    ] {
        let text = narrowed_by("", &choices);
        let search = SearchQuery { text, limit: 9, campaign: Some(id), ..SearchQuery::default() };
        let answer = session.search(&search).unwrap();
        let mut found: Vec<&str> = answer.hits.iter().map(|hit| hit.capture.url.as_str()).collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{choices:?}");
        assert_eq!(filtered(&session, &answer.filter), expected, "{}", answer.filter);
        assert_eq!(terms(&session, "", choices), of_all.map(|(term, count)| (term.to_owned(), count)));
    }
    // What came since is counted once it is indexed.
    let (dir, page) =
        (tempfile::tempdir().unwrap(), ("https://d.pt/", "2024-05-01T10:00:00Z", "<p>a dragon on a ship</p>"));
    add(&session, dir.path(), "later", &[page]);
    index(&session);
    assert_eq!(terms(&session, "", vec![])[4].1, 1);
    // A term that cannot be read is a problem of the question.
    let broken = SearchQuery { text: narrowed_by("", &[choice("(", false)]), ..SearchQuery::default() };
    assert!(session.search(&broken).unwrap().problem.is_some());
}

#[test]
fn a_single_letter_of_a_script_without_blanks_is_found_anywhere() {
    let texts = ["生词表", "词", "典籍", "a词 b", "词典", "人生"];
    let pages: Vec<(String, String)> = texts
        .iter()
        .enumerate()
        .map(|(nth, text)| (format!("https://a.pt/{nth}"), format!("<title>T</title><p>{text}</p>")))
        .collect();
    let pages: Vec<_> = pages.iter().map(|(url, html)| (url.as_str(), "2025-06-01T10:00:00Z", html.as_str())).collect();
    let (_dir, session) = session_of(&pages);
    index(&session);
    let urls = |numbers: &[u8]| numbers.iter().map(|nth| format!("https://a.pt/{nth}")).collect::<Vec<_>>();
    let matcher = crate::analysis::Matcher::compile(&"词".parse().unwrap());
    for (nth, text) in texts.iter().enumerate() {
        let read = matcher.read(&crate::analysis::TextFields { main: text, ..Default::default() });
        assert_eq!(read.holds, [0, 1, 3, 4].contains(&nth), "{text}");
    }
    for query in ["词", "=词", "\"词\"", "text:词", "request:词", "词^2"] {
        assert_eq!(self::urls(&session, query), urls(&[0, 1, 3, 4]), "{query}");
    }
    assert_eq!(self::urls(&session, "-词"), urls(&[2, 5]));
    assert_eq!(self::urls(&session, "生 NEAR/1 词"), urls(&[0]));
    assert_eq!(self::urls(&session, "词典"), urls(&[4]));
}
