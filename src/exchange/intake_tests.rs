//! Exchanges taken into an archive without a crawl.

#![allow(clippy::unwrap_used)]

use super::{
    Archive, Client, CutCause, Exchange, FetchLimits, Intake, Provenance, RepeatedCapture, Resolver, SentRequest,
    SystemResolver, Taken, TlsFacts,
};
use crate::campaign::{Limits, PrivateAddresses};
use crate::captures::{Author, CaptureEntry, index_archive};
use crate::jobs::JobCx;
use crate::links::{LinkKind, Outlink};
use crate::testing::{ScriptedReply, ScriptedServer, gzip};
use crate::uri::{CaptureDate, Url};
use crate::warc::{ArchiveReader, FileSetOptions, RecordType, WarcError};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

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
    let Taken { entry, main_text, permit } = take(&intake, fetched, provenance, None).unwrap();
    archive.make_durable(&entry.records).unwrap();
    assert_eq!((entry.notes.status, entry.notes.title.as_deref()), (200, Some("Ria")));
    assert_eq!((entry.notes.verdict.as_ref(), entry.notes.annotations.as_slice()), (None, &["browsed".to_owned()][..]));
    let targets: Vec<&str> = entry.notes.outlinks.iter().map(|link| link.url.path()).collect();
    assert_eq!(targets, ["/a", "/b", "/map.xml"]);
    let types: Vec<RecordType> = entry.records.iter().map(|record| record.record_type.clone()).collect();
    assert_eq!(types, [RecordType::Response, RecordType::Request, RecordType::Metadata]);
    assert!(main_text.is_some());
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

/// What a proxy knows of a request that a browser sent.
fn sent(request: &str) -> SentRequest {
    SentRequest {
        request: request.as_bytes().to_vec(),
        address: "192.0.2.7:443".parse().unwrap(),
        tls: Some(TlsFacts {
            protocol: "tls/1.3".to_owned(),
            cipher: "TLS_AES_128_GCM_SHA256".to_owned(),
            certificate_problem: None,
        }),
        date: CaptureDate::from_millis(1_709_283_600_123),
        took: Duration::from_millis(40),
        cut: None,
    }
}

/// Bytes that come a few at a time.
struct Slowly<'a>(&'a [u8]);

impl Read for Slowly<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = buffer.len().min(7);
        self.0.read(&mut buffer[..count])
    }
}

#[test]
fn an_exchange_that_somebody_else_recorded_is_stored_as_it_was_sent() {
    let (folder, cx) = (tempfile::tempdir().unwrap(), JobCx::detached());
    let archive = archive(folder.path());
    let intake = Intake::new(&archive, "test", &cx);
    let packed = gzip(PAGE.as_bytes());
    let (early, half) = packed.split_at(20);
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\
                Transfer-Encoding: chunked\r\nX-Odd:  caf\u{e9} \r\n\r\n";
    let chunk = |bytes: &[u8]| [format!("{:x};odd\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat();
    let answer = [head.as_bytes(), &chunk(early), &chunk(half), b"0\r\nX-Trailer: 1\r\n\r\n"].concat();
    let interim = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n";
    let request = "POST /form HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 3\r\n\r\na=1";
    let recorded = |request: &str, answer: &[u8]| Exchange::recorded(sent(request), Slowly(answer), folder.path());
    let exchange = recorded(request, &[&interim[..], &answer].concat()).unwrap();
    assert_eq!((&exchange.interim[..], exchange.cut), (&interim[..], None));
    let url = Url::parse("https://shop.example/form").unwrap();
    let entry = take(&intake, (url.clone(), exchange), Provenance::default(), None).unwrap().entry;
    assert_eq!((entry.notes.title.as_deref(), entry.notes.outlinks.len()), (Some("Ria"), 2));
    assert!(entry.notes.annotations.contains(&"interim".to_owned()), "{:?}", entry.notes.annotations);

    // The answer to HEAD has no body, whatever its head says; one that ends early is cut.
    let of_head = b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n";
    assert_eq!(recorded("HEAD / HTTP/1.1\r\n\r\n", of_head).unwrap().cut, None);
    assert_eq!(recorded("GET / HTTP/1.1\r\n\r\n", of_head).unwrap().cut, Some(CutCause::Disconnect));
    // Whoever recorded it knows better why.
    let stopped = SentRequest { cut: Some(CutCause::Length), ..sent("GET / HTTP/1.1\r\n\r\n") };
    assert_eq!(Exchange::recorded(stopped, &of_head[..], folder.path()).unwrap().cut, Some(CutCause::Length));
    for (odd, why) in [
        (&b"SSH-2.0-OpenSSH\r\n\r\n"[..], "no HTTP"),
        (b"HTTP/1.1 200 OK\r\n", "ends inside its head"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabcHTTP/1.1 200 OK\r\n\r\n", "not of the body"),
    ] {
        let error = recorded(request, odd).unwrap_err();
        assert!(error.kind() == ErrorKind::InvalidData && error.to_string().contains(why), "{error}");
    }

    drop(intake);
    let file = archive.close().unwrap().remove(0);
    let (mut reader, mut blocks) = (ArchiveReader::open(&file).unwrap(), Vec::new());
    while let Some(record) = reader.next_record(usize::MAX).unwrap() {
        blocks.push((record.head, record.block));
    }
    let of_type = |of: RecordType| blocks.iter().find(|(head, _)| head.record_type == of).unwrap();
    let (head, block) = of_type(RecordType::Response);
    assert_eq!(*block, answer);
    assert_eq!(of_type(RecordType::Request).1, request.as_bytes());
    let fields = ["WARC-IP-Address", "WARC-Date", "WARC-Cipher-Suite"];
    let fields = fields.map(|name| head.headers.get(name).unwrap());
    assert_eq!(fields, ["192.0.2.7", "2024-03-01T09:00:00.123Z", "TLS_AES_128_GCM_SHA256"]);
}
