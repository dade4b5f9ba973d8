//! Archive files as documents for search engines of others.

use crate::archives::record;
use crate::program::{arg, fonds, fonds_with};
use serde_json::{Value, json};
use std::path::Path;

const PAGE: &str = "<html lang=pt><title>Festival</title><meta name=description content='Da ria.'>\
    <meta property=article:published_time content=2024-02-29><nav><a href=/>Início</a></nav><article><p>O festival da ria \
    de Aveiro começa no domingo com uma regata de moliceiros e <a href=https://www.Porto.co.uk/A/>música</a>, diz a \
    câmara.</article><img src=/i.png>";

fn response(url: &str, date: &str, status: &str, kind: &str, body: &str) -> Vec<u8> {
    let http = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nServer: nginx\r\n\r\n{body}");
    record("response", url, date, "Content-Type: application/http; msgtype=response\r\n", http)
}

fn archive(folder: &Path) -> String {
    let mut warc = response(
        "http://www.site.pt/n/Festival.html",
        "2024-03-01T09:00:00Z",
        "200 OK",
        "text/html; charset=utf-8",
        PAGE,
    );
    warc.extend(response(
        "http://www.site.pt/n/Festival.html",
        "2025-03-01T09:00:00Z",
        "200 OK",
        "text/html; charset=utf-8",
        PAGE,
    ));
    warc.extend(response("http://site.pt/lost", "2024-03-01T09:00:01Z", "404 Not Found", "text/html", "<p>lost"));
    warc.extend(response("http://site.pt/i.png", "2024-03-01T09:00:02Z", "200 OK", "image/png", "\u{89}PNG"));
    warc.extend(response("http://site.pt/s.css", "2024-03-01T09:00:02Z", "200 OK", "text/css", "a { color: red }"));
    let path = folder.join("a.warc");
    std::fs::write(&path, warc).unwrap();
    arg(&path).to_owned()
}

fn by_url<'d>(documents: &'d [Value], url: &str) -> &'d Value {
    documents.iter().find(|document| document["url"] == url).unwrap_or_else(|| panic!("{url}: {documents:?}"))
}

#[test]
fn a_version_is_one_document_with_the_fields_of_solrwayback() {
    let dir = tempfile::tempdir().unwrap();
    let warc = archive(dir.path());
    let documents = fonds(&["index", "documents", &warc]).with_status(0).json_lines();
    assert_eq!(documents.len(), 3, "{documents:?}");
    let page = by_url(&documents, "http://www.site.pt/n/Festival.html");
    let expected = json!({
        "record_type": "response", "source_file": "a.warc", "source_file_path": warc, "source_file_offset": 0,
        "wayback_date": 20_240_301_090_000_u64, "crawl_date": "2024-03-01T09:00:00Z", "crawl_year": 2024,
        "crawl_dates": ["2024-03-01T09:00:00Z", "2025-03-01T09:00:00Z"], "crawl_years": [2024, 2025],
        "url_norm": "http://site.pt/n/festival.html", "url_path": "/n/Festival.html", "url_type": "normal",
        "host": "site.pt", "host_surt": ["(pt,", "(pt,site,"], "domain": "site.pt", "public_suffix": "pt",
        "resourcename": "Festival.html", "content_type_ext": "html", "status_code": 200,
        "content_type_served": "text/html; charset=utf-8", "content_type": "text/html", "content_type_norm": "html",
        "type": "Web Page", "server": ["nginx"], "content_length": PAGE.len(), "title": "Festival",
        "description": "Da ria.", "content_language": "pt", "publication_date": "2024-02-29T00:00:00Z",
        "publication_year": "2024", "publication_evidence_s": "meta",
        "links": ["http://site.pt/", "http://porto.co.uk/a"], "links_images": ["http://site.pt/i.png"],
        "links_hosts": ["site.pt", "porto.co.uk"], "links_domains": ["site.pt", "porto.co.uk"],
        "links_public_suffixes": ["pt", "co.uk"],
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&page[name], value, "{name}");
    }
    let content = page["content"].as_str().unwrap();
    assert!(content.starts_with("O festival") && content.ends_with("\nInício"), "{content}");
    let (id, hash) = (page["id"].as_str().unwrap(), page["hash"].as_str().unwrap());
    assert!(hash.starts_with("sha1:") && id.starts_with(&format!("{hash}/")) && id.ends_with("=="), "{id}");
    let image = by_url(&documents, "http://site.pt/i.png");
    assert_eq!((&image["type"], image.get("content")), (&json!("Image"), None));
    assert_eq!(by_url(&documents, "http://site.pt/s.css").get("content"), None);
    let all = fonds(&["index", "documents", "--all-statuses", "--no-links", &warc]).with_status(0).json_lines();
    assert_eq!((all.len(), all[0].get("links")), (4, None));
    assert_eq!(by_url(&all, "http://site.pt/lost")["status_code"], 404);
}

#[test]
fn rows_that_are_sorted_elsewhere_are_the_same_documents() {
    let dir = tempfile::tempdir().unwrap();
    let warc = archive(dir.path());
    let whole = fonds(&["index", "documents", &warc]).with_status(0).out;
    // As Hadoop gives names: with a place before them.
    let rows = fonds_with(&["index", "documents", "--map"], format!("0\t{warc}\n").as_bytes()).with_status(0).out;
    let mut rows: Vec<&str> = rows.lines().collect();
    assert_eq!(rows.len(), 4);
    rows.sort_by_key(|row| row.split('\t').next());
    for _ in 0..2 {
        let input: String = rows.iter().map(|row| format!("{row}\n")).collect();
        assert_eq!(fonds_with(&["index", "documents", "--reduce"], input.as_bytes()).with_status(0).out, whole);
        rows.reverse();
        rows.sort_by_key(|row| row.split('\t').next());
    }
    let bulk = fonds(&["index", "documents", "--format", "opensearch", &warc]).with_status(0).json_lines();
    assert_eq!(bulk.len(), 6);
    for pair in bulk.chunks(2) {
        assert_eq!(pair[0], json!({"index": {"_id": pair[1]["id"]}}));
    }
    fonds_with(&["index", "documents", "--reduce"], b"no row\n")
        .with_status(2)
        .with_message("line 1 is no row of --map");
}

#[test]
fn a_file_that_cannot_be_opened_fails_a_task_and_a_broken_record_does_not() {
    let dir = tempfile::tempdir().unwrap();
    let warc = archive(dir.path());
    let missing = dir.path().join("missing.warc");
    let rows = fonds(&["index", "documents", "--map", arg(&missing), &warc]).with_status(2);
    assert_eq!(rows.out.lines().count(), 4);
    rows.with_message("missing.warc").with_message("1 of 2 files cannot be read: documents are missing");
    let broken = dir.path().join("broken.warc");
    let bytes = std::fs::read(&warc).unwrap();
    std::fs::write(&broken, [b"no record\r\n\r\n", &bytes[..]].concat()).unwrap();
    assert_eq!(fonds(&["index", "documents", "--map", arg(&broken)]).with_status(1).out.lines().count(), 4);
    let recipe = "fonds index documents --map; test $? -le 1";
    let script = include_str!("../../assets/documents_spark.py");
    assert!(fonds(&["index", "documents", "--help"]).out.contains(recipe) && script.contains(recipe));
}
