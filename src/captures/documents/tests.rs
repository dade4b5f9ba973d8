#![allow(clippy::unwrap_used)]

use super::*;
use crate::warc::{Headers, RecordHead, Span};

fn record(kind: &str, fields: &[(&str, &str)], block: &str) -> Record {
    let mut headers = Headers::new();
    for (name, value) in fields {
        headers.push(*name, *value);
    }
    let head = RecordHead {
        version: "WARC/1.1".to_owned(),
        record_type: RecordType::parse(kind),
        headers,
        content_length: block.len() as u64,
    };
    Record { head, block: block.as_bytes().to_vec(), omitted: 0, span: Span::default() }
}

fn response(url: &str, http: &str) -> Record {
    let fields = [
        ("WARC-Target-URI", url),
        ("WARC-Date", "2024-03-01T09:00:00.5Z"),
        ("WARC-Record-ID", "<urn:1>"),
        ("WARC-Payload-Digest", DIGEST),
    ];
    record("response", &fields, http)
}

const DIGEST: &str = "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const PAGE: &str = "HTTP/1.1 200 OK\r\nContent-Type: Text/HTML; charset=latin1\r\n\r\n<a href=x>\u{a0}S</a>";

#[track_caller]
fn check(record: &Record, pages: u64) {
    let mut reader = DocumentReader::default();
    reader.take(record.clone(), Place { file: 0, offset: 0 });
    assert_eq!(reader.report.pages, pages);
}

#[test]
fn only_good_responses_of_html_are_pages() {
    check(&response("http://a.pt/", PAGE), 1);
    check(&response("http://a.pt/", "HTTP/1.1 206 \r\nContent-Type: application/xhtml+xml\r\n\r\n"), 1);
    check(&response("http://a.pt/", "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n"), 0);
    check(&response("http://a.pt/", "HTTP/1.1 200 OK\r\n\r\n<a href=x>"), 1);
    check(&response("http://a.pt/", "HTTP/1.1 200 OK\r\n\r\nx <a href=x>"), 0);
    check(&response("http://a.pt/", &PAGE.replace("200", "301")), 0);
    check(&response("http://a.pt/", &PAGE.replace("200", "404")), 0);
    check(&response("dns:a.pt", PAGE), 0);
    check(&record("resource", &[("WARC-Target-URI", "http://a.pt/")], PAGE), 0);
}

#[test]
fn a_revisit_has_the_links_of_its_original_wherever_that_is() {
    let revisit = |field: (&str, &str)| {
        let fields = [("WARC-Target-URI", "http://b.pt/y/"), ("WARC-Date", "2024-04-01T09:00:00Z"), field];
        record("revisit", &fields, "")
    };
    let folder = tempfile::tempdir().unwrap();
    // In memory, and on the disk.
    for (field, most_in_memory) in [("WARC-Refers-To", "<urn:1>"), ("WARC-Payload-Digest", DIGEST)]
        .into_iter()
        .flat_map(|field| [(field, MOST_IN_MEMORY), (field, 1)])
    {
        let original = response("http://a.pt/", PAGE);
        let originals = Originals::in_folder(folder.path(), most_in_memory);
        let mut reader = DocumentReader { originals, ..DocumentReader::default() };
        let place = |offset| Place { file: 0, offset };
        assert!(reader.take(revisit(field), place(0)).is_none());
        assert!(reader.take(original.clone(), place(9)).is_some());
        let mut documents = Vec::new();
        let fetch = |at| {
            assert_eq!(at, place(9));
            Ok(original.clone())
        };
        resolve(&mut reader, fetch, |document| documents.push(document.clone()));
        assert_eq!(documents.len(), 1);
        assert_eq!(documents[0].date.to_dataset(), "2024-04-01T09:00:00");
        let mut links = Vec::new();
        documents[0].read_links(&PageOptions::links_only(), |link| links.push(link.url.as_str().to_owned()));
        assert_eq!(links, ["http://b.pt/y/x"]);
    }
    // An error or an image that is repeated has no links, and nothing is missing.
    for other in [PAGE.replace("200", "404"), PAGE.replace("Text/HTML", "image/png")] {
        let mut reader = DocumentReader::default();
        reader.take(revisit(("WARC-Refers-To", "<urn:1>")), Place { file: 0, offset: 5 });
        reader.take(response("http://a.pt/", &other), Place { file: 0, offset: 9 });
        resolve(&mut reader, |_| unreachable!(), |_| unreachable!());
        assert!(reader.report.unread.is_empty());
    }
    let mut lost = DocumentReader::default();
    lost.take(revisit(("WARC-Refers-To", "<urn:2>")), Place { file: 0, offset: 5 });
    resolve(&mut lost, |_| unreachable!(), |_| ());
    assert_eq!(lost.report.unread[&Unread::NoOriginal], 1);
    assert_eq!(lost.report.listed[0].0.offset, 5);
}

#[derive(Debug, thiserror::Error)]
enum ResolveTestError {
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    #[error(transparent)]
    Revisits(#[from] RevisitError),
}

fn resolve(
    reader: &mut DocumentReader,
    fetch: impl FnMut(Place) -> Result<Record, WarcError>,
    mut take: impl FnMut(&Document),
) {
    let taken = reader.resolve::<ResolveTestError>(
        |_, _| false,
        &JobCx::detached(),
        fetch,
        |document, _, _| {
            take(document);
            Ok(())
        },
    );
    taken.unwrap();
}

#[test]
fn an_original_that_is_gone_leaves_its_revisits_out_and_no_others() {
    let original = |url: &str, id: &str| {
        let fields = [("WARC-Target-URI", url), ("WARC-Date", "2024-03-01T09:00:00Z"), ("WARC-Record-ID", id)];
        record("response", &fields, PAGE)
    };
    let revisit = |of: &str| {
        let fields =
            [("WARC-Target-URI", "http://b.pt/"), ("WARC-Date", "2024-04-01T09:00:00Z"), ("WARC-Refers-To", of)];
        record("revisit", &fields, "")
    };
    let mut reader = DocumentReader::default();
    let records = [
        original("http://a.pt/1", "<urn:1>"),
        original("http://a.pt/2", "<urn:2>"),
        revisit("<urn:1>"),
        revisit("<urn:1>"),
        revisit("<urn:2>"),
    ];
    for (offset, record) in (0..).zip(&records) {
        reader.take(record.clone(), Place { file: 0, offset });
    }
    let (mut fetched, mut taken) = (0, Vec::new());
    let fetch = |place: Place| {
        fetched += 1;
        match place.offset {
            1 => Ok(records[1].clone()),
            offset => Err(WarcError::NoRecord { path: "a.warc".into(), offset, why: "gone".to_owned() }),
        }
    };
    resolve(&mut reader, fetch, |document| taken.push(document.place.offset));
    assert_eq!((taken, fetched), (vec![4], 2));
    assert_eq!(reader.report.unread[&Unread::OriginalUnread], 2);
}

#[test]
fn pages_that_cannot_be_read_are_named() {
    let why = |record: &Record| {
        let mut reader = DocumentReader::default();
        let document = reader.take(record.clone(), Place { file: 0, offset: 0 });
        let read = document.and_then(|document| document.read_links(&PageOptions::links_only(), |_| ()));
        reader.report.unread.keys().copied().chain(read).collect::<Vec<_>>()
    };
    assert_eq!(why(&response("http://a.pt/", "no http")), [Unread::NoHttp]);
    let gzip = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n<a href=x>plain</a>";
    assert_eq!(why(&response("http://a.pt/", gzip)), []);
    let chunked =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n<a href=x>torn</a>";
    assert_eq!(why(&response("http://a.pt/", chunked)), [Unread::Malformed]);
    assert_eq!(why(&record("response", &[("WARC-Target-URI", "http://a.pt/")], PAGE)), [Unread::NoDate]);
    let in_charset = |charset: &str, body: &str| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset={charset}\r\n\r\n");
        why(&response("http://a.pt/", &format!("{head}{body}")))
    };
    assert_eq!(in_charset("utf-16", "<a href=x>plain</a>"), [Unread::Charset]);
    assert_eq!(in_charset("euc-jp", "<a href=x>olá</a>\u{fffd}"), [Unread::Letters]);
    assert_eq!(in_charset("utf-8", &format!("{}<a href=x>fundo</a>", "<div>".repeat(600))), [Unread::Deep]);
    assert_eq!(in_charset("utf-8", &format!("<a href=x rel={}>olá</a>", "x".repeat(5000))), []);
}

#[test]
fn a_page_that_was_cut_at_its_capture_is_named_and_so_are_its_revisits() {
    let mut original = response("http://a.pt/", PAGE);
    original.head.headers.push("WARC-Truncated", "time");
    let fields = [
        ("WARC-Target-URI", "http://a.pt/"),
        ("WARC-Date", "2024-04-01T09:00:00Z"),
        ("WARC-Refers-To", "<urn:1>"),
        ("WARC-Truncated", "length"),
    ];
    let mut reader = DocumentReader::default();
    let place = |offset| Place { file: 0, offset };
    assert!(reader.take(record("revisit", &fields, ""), place(0)).is_none());
    let read = |document: &Document| {
        let mut links = 0;
        let why = document.read_links(&PageOptions::links_only(), |_| links += 1);
        assert_eq!((links, why), (1, Some(Unread::CutByTime)));
    };
    read(&reader.take(original.clone(), place(9)).unwrap());
    let mut repeated = 0;
    resolve(
        &mut reader,
        |_| Ok(original.clone()),
        |document| {
            repeated += 1;
            read(document);
        },
    );
    assert_eq!(repeated, 1);
}
