//! Exchanges taken into an archive without a crawl.

#![allow(clippy::unwrap_used)]

use super::{
    Archive, Client, Exchange, FetchLimits, Intake, Provenance, RepeatedCapture, Resolver, SystemResolver, Taken,
};
use crate::campaign::{Limits, PrivateAddresses};
use crate::captures::{Author, CaptureEntry, index_archive};
use crate::jobs::JobCx;
use crate::links::{LinkKind, Outlink};
use crate::testing::{ScriptedReply, ScriptedServer, gzip};
use crate::uri::Url;
use crate::warc::{FileSetOptions, RecordType, WarcError};
use std::path::Path;
use std::sync::Arc;

fn archive(folder: &Path) -> Archive {
    Archive::new(FileSetOptions::new(folder, "proxy"), "browsed")
}

fn fetch(server: &ScriptedServer, path: &str, folder: &Path) -> (Url, Exchange) {
    let resolver: Arc<dyn Resolver> = Arc::new(SystemResolver::start().unwrap());
    let limits = FetchLimits::of(&Limits::default());
    let client = Client::new(resolver, "test (+mailto:test@example.org)", limits, folder.to_owned());
    let client = client.unwrap().allowing_private(PrivateAddresses::All);
    let url = Url::parse(&format!("http://{}{path}", server.addr)).unwrap();
    let exchange = client.fetch(&url, &client.addresses(&url).unwrap(), limits, None).unwrap();
    (url, exchange)
}

fn take<'i>(
    intake: &'i Intake<'_>,
    (url, exchange): (Url, Exchange),
    provenance: Provenance,
    original: Option<RepeatedCapture>,
) -> Option<Taken<'i>> {
    intake.take(&url, exchange, provenance, |_, _| Ok::<_, WarcError>(original)).unwrap()
}

/// Reads the entries in the files back.
fn read_back(archive: Archive) -> Vec<CaptureEntry> {
    let mut found = Vec::new();
    for file in archive.close().unwrap() {
        let label = format!("browsed/{}", file.file_name().unwrap().to_str().unwrap());
        let sink = |entry| {
            found.push(entry);
            Ok::<_, anyhow::Error>(())
        };
        index_archive(&file, &label, Author::ThisWorkspace, sink, &JobCx::detached()).unwrap();
    }
    found
}

const PAGE: &str = "<html lang=pt><title>Ria</title><a href=/a>um</a><a href=/b>dois</a>";

#[test]
fn what_is_taken_is_what_a_reader_finds_in_the_archive() {
    let server = ScriptedServer::start(|_, _| ScriptedReply::html(PAGE));
    let (folder, cx) = (tempfile::tempdir().unwrap(), JobCx::detached());
    let archive = archive(folder.path());
    let intake = Intake::new(&archive, "test", &cx);
    let fetched = fetch(&server, "/", folder.path());
    let further = Url::parse("http://a.example/map.xml").unwrap();
    let provenance = Provenance {
        source_tag: "by hand".to_owned(),
        annotations: vec!["browsed".to_owned()],
        further_links: vec![Outlink::bare(further.clone(), LinkKind::Manifest)],
        ..Provenance::default()
    };
    let Taken { entry, permit } = take(&intake, fetched, provenance, None).unwrap();
    archive.make_durable(&entry.records).unwrap();
    assert_eq!((entry.notes.status, entry.notes.title.as_deref()), (200, Some("Ria")));
    assert_eq!((entry.notes.verdict.as_ref(), entry.notes.annotations.as_slice()), (None, &["browsed".to_owned()][..]));
    let targets: Vec<&str> = entry.notes.outlinks.iter().map(|link| link.url.path()).collect();
    assert_eq!(targets, ["/a", "/b", "/map.xml"]);
    let types: Vec<RecordType> = entry.records.iter().map(|record| record.record_type.clone()).collect();
    assert_eq!(types, [RecordType::Response, RecordType::Request, RecordType::Metadata]);
    drop(permit);
    drop(intake);
    let found = read_back(archive);
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0].url, found[0].date, &found[0].records), (&entry.url, entry.date, &entry.records));
    // Links that are not on the page are in the catalogue only.
    assert_eq!(found[0].notes.outlinks[..], entry.notes.outlinks[..2]);
    assert_eq!(found[0].notes.source_tag, entry.notes.source_tag);
    assert_eq!(found[0].payload_digest, entry.payload_digest);
}

#[test]
fn a_payload_that_is_there_already_becomes_a_revisit() {
    let server = ScriptedServer::start(|_, path| match path {
        "/empty" => ScriptedReply::html(""),
        _ => ScriptedReply::html(PAGE),
    });
    let (folder, cx) = (tempfile::tempdir().unwrap(), JobCx::detached());
    let archive = archive(folder.path());
    let intake = Intake::new(&archive, "test", &cx);
    let provenance = Provenance::default;
    let first = take(&intake, fetch(&server, "/", folder.path()), provenance(), None).unwrap().entry;
    let original = (first.date, first.records[0].record_id.clone());
    let again = take(&intake, fetch(&server, "/", folder.path()), provenance(), Some(original.clone())).unwrap().entry;
    assert_eq!(again.records[0].record_type, RecordType::Revisit);
    assert_eq!((again.revisit_of, again.refers_to.as_ref()), (Some(original.0), Some(&original.1)));
    assert_eq!(again.notes.annotations, ["duplicate:digest"]);
    // An empty payload repeats nothing.
    let empty = take(&intake, fetch(&server, "/empty", folder.path()), provenance(), Some(original)).unwrap().entry;
    assert_eq!((empty.records[0].record_type.clone(), empty.revisit_of), (RecordType::Response, None));
}

fn first_hundred(links: &[Outlink]) -> &[Outlink] {
    &links[..100]
}

#[test]
fn a_page_that_unpacks_longer_than_expected_keeps_its_links() {
    let links: String = (0..20_000).map(|number| format!("<a href=/{number}>x</a>{:400}", "")).collect();
    let packed = gzip(links.as_bytes());
    assert!(packed.len() * 10 < links.len(), "the first try has too little room");
    let server = ScriptedServer::start(move |_, _| {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
            packed.len()
        );
        ScriptedReply::raw([head.as_bytes(), &packed[..]].concat())
    });
    let (folder, cx) = (tempfile::tempdir().unwrap(), JobCx::detached());
    let archive = archive(folder.path());
    let intake = Intake::new(&archive, "test", &cx);
    let provenance = Provenance { followed: Some(first_hundred), ..Provenance::default() };
    let entry = take(&intake, fetch(&server, "/", folder.path()), provenance, None).unwrap().entry;
    let not_followed = entry.notes.outlinks.len() - 100;
    assert!(not_followed > 10_000);
    assert!(entry.notes.annotations.contains(&format!("dol:{not_followed}")), "{:?}", entry.notes.annotations);
}

#[test]
fn nothing_is_written_once_it_is_cancelled() {
    let server = ScriptedServer::start(|_, _| ScriptedReply::html(PAGE));
    let (folder, cx) = (tempfile::tempdir().unwrap(), JobCx::detached());
    let archive = archive(folder.path());
    let intake = Intake::new(&archive, "test", &cx);
    let fetched = fetch(&server, "/", folder.path());
    // All of the memory is in use.
    let all = intake.pages.reserve(usize::MAX, || false).unwrap();
    cx.cancel();
    assert!(take(&intake, fetched, Provenance::default(), None).is_none());
    drop(all);
    drop(intake);
    assert!(archive.close().unwrap().is_empty());
}
