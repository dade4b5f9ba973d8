//! Both servers over sockets, on small archives of our own making.

use super::*;
use crate::jobs::JobCx;
use crate::testing::{DATE, empty_session, gzip, page_record, record};
use crate::work::models::{CampaignChoice, ImportOptions};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

/// A replay of these records.
fn replay_of(records: &[Vec<u8>]) -> (tempfile::TempDir, ReplayServer) {
    replay_below(records, None)
}

fn replay_below(records: &[Vec<u8>], token: Option<&str>) -> (tempfile::TempDir, ReplayServer) {
    let (dir, session) = empty_session();
    let file = dir.path().join("a.warc.gz");
    std::fs::write(&file, records.iter().flat_map(gzip).collect::<Vec<u8>>()).unwrap();
    let options = ImportOptions { copy: false, follow_links: false, campaign: CampaignChoice::None };
    session.import(&[file], options, &JobCx::detached()).unwrap();
    let server = ReplayServer::start(Arc::new(session), None, None, token).unwrap();
    (dir, server)
}

/// What comes back for a request with these fields, as text.
fn send(origin: &str, method: &str, target: &str, fields: &str, body: &str) -> String {
    let host = origin.strip_prefix("http://").unwrap();
    // Requests name the token themselves.
    let host = host.split('/').next().unwrap();
    let host_field = if fields.contains("Host:") { String::new() } else { format!("Host: {host}\r\n") };
    let mut stream = TcpStream::connect(host).unwrap();
    let length = body.len();
    write!(
        stream,
        "{method} {target} HTTP/1.1\r\n{host_field}{fields}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut got = Vec::new();
    stream.read_to_end(&mut got).unwrap();
    String::from_utf8_lossy(&got).into_owned()
}

fn get(origin: &str, target: &str) -> String {
    send(origin, "GET", target, "", "")
}

fn response(url: &str, date: &str, head: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    record("response", url, date, "", [format!("HTTP/1.1 {head}\r\n\r\n").as_bytes(), body.as_ref()].concat())
}

fn body_of(got: &str) -> &str {
    got.split_once("\r\n\r\n").unwrap().1
}

const MAY: &str = "2024-05-01T12:00:00Z";

#[test]
fn a_page_comes_with_its_references_policy_and_memento_fields() {
    let (_dir, server) = replay_of(&[
        page_record("http://a.pt/", "<head><title>T</title></head><a href=/b>B</a><img src='//c.pt/i.png'>"),
        response("http://a.pt/", MAY, "200 OK\r\nContent-Type: text/html\r\nSet-Cookie: a=b\r\nETag: \"x\"", "<p>May"),
    ]);
    let got = get(&server.archive_url(), "/w/20240301090000mp_/http://a.pt/");
    assert!(got.starts_with("HTTP/1.1 200 "), "{got}");
    assert!(got.contains("Memento-Datetime: Fri, 01 Mar 2024 09:00:00 GMT\r\n"), "{got}");
    assert!(got.contains("rel=\"timegate\"") && !got.contains("Vary:"), "{got}");
    assert!(got.contains("Content-Security-Policy: default-src 'self'") && got.contains("base-uri 'self'"), "{got}");
    assert!(got.contains("<head><script src=\"/shim.js\"></script><title>T</title>"), "{got}");
    assert!(got.contains("<a href=/w/20240301090000mp_/http://a.pt/b>B</a>"), "{got}");
    assert!(got.contains("<img src='/w/20240301090000im_/http://c.pt/i.png'>"), "{got}");
    let got = get(&server.archive_url(), "/w/20240601000000mp_/http://a.pt/");
    assert!(body_of(&got).ends_with("<p>May") && !got.contains("Set-Cookie"), "{got}");
    assert!(got.contains("X-Archive-Orig-ETag: \"x\""), "{got}");
    // The time gate leads to the nearest one, and the map has all.
    let got =
        send(&server.archive_url(), "GET", "/w/http://a.pt/", "Accept-Datetime: Fri, 01 Mar 2024 00:00:00 GMT\r\n", "");
    assert!(got.starts_with("HTTP/1.1 302 ") && got.contains("Vary: accept-datetime\r\n"), "{got}");
    assert!(got.contains(&format!("Location: {}/w/20240301090000mp_/http://a.pt/\r\n", server.archive_url())), "{got}");
    assert!(!got.contains("Memento-Datetime"), "{got}");
    assert!(get(&server.archive_url(), "/w/http://a.pt/").contains("/w/20240501120000mp_/"));
    let got = send(&server.archive_url(), "GET", "/w/http://a.pt/", "Accept-Datetime: \r\n", "");
    assert!(got.starts_with("HTTP/1.1 302 ") && got.contains("/w/20240501120000mp_/"), "{got}");
    assert!(
        send(&server.archive_url(), "GET", "/w/http://a.pt/", "Accept-Datetime: May\r\n", "")
            .starts_with("HTTP/1.1 400 ")
    );
    // Before the first one and behind the last one, these.
    for (date, memento) in
        [("Sat, 01 Jan 2000 00:00:00 GMT", "20240301090000"), ("Tue, 01 Jan 2030 00:00:00 GMT", "20240501120000")]
    {
        let field = format!("Accept-Datetime: {date}\r\n");
        let got = send(&server.archive_url(), "GET", "/w/http://a.pt/", &field, "");
        assert!(got.contains(&format!("/w/{memento}mp_/http://a.pt/\r\n")), "{got}");
    }
    let never = get(&server.archive_url(), "/w/http://n.pt/");
    assert!(
        never.starts_with("HTTP/1.1 404 ") && !never.contains("\r\nLink:") && !never.contains("\r\nVary:"),
        "{never}"
    );
    let got = get(&server.archive_url(), "/w/20240301090000mp_/http://a.pt");
    assert!(got.contains("307 Temporary Redirect") && got.contains("mp_/http://a.pt/\r\n"), "{got}");
    let map = get(&server.archive_url(), "/w/timemap/link/http://a.pt/");
    assert!(map.contains("application/link-format") && map.matches("rel=\"memento\"").count() == 2, "{map}");
    assert!(
        get(&server.archive_url(), "/w/timemap/foo/http://a.pt/")
            .contains("{\"message\":\"output=foo not supported\"}")
    );
    assert!(get(&server.archive_url(), "/w/timemap/link/http://n.pt/").starts_with("HTTP/1.1 404 "));
    let list = get(&server.archive_url(), "/w/2024*/http://a.pt/");
    assert_eq!(list.matches("<tr>").count(), 2, "{list}");
}

#[test]
fn redirects_revisits_and_slashes_lead_to_what_was_captured() {
    let html = "200 OK\r\nContent-Type: text/html";
    let refers = format!("WARC-Refers-To-Target-URI: http://a.pt/o\r\nWARC-Refers-To-Date: {DATE}\r\n");
    let (_dir, server) = replay_of(&[
        response("http://a.pt/", DATE, "301 Moved\r\nLocation: https://a.pt/", ""),
        response("https://a.pt/", MAY, html, "<p>secure"),
        response("http://a.pt/m", DATE, "302 Found\r\nLocation: n?x=1", ""),
        response("http://a.pt/x", DATE, "301 Moved\r\nLocation: /x/", ""),
        response("http://a.pt/sub/", DATE, html, "<p>sub"),
        response("http://a.pt/o", DATE, html, "<p>original"),
        record(
            "revisit",
            "http://a.pt/o",
            MAY,
            &refers,
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-A: 2\r\n\r\n",
        ),
        record("revisit", "http://a.pt/gone", MAY, "WARC-Refers-To: <urn:x:nowhere>\r\n", "HTTP/1.1 200 OK\r\n\r\n"),
    ]);
    let page = |target: &str| get(&server.archive_url(), &format!("/w/20240301090000mp_/{target}"));
    assert!(page("http://a.pt/").ends_with("<p>secure"));
    let got = page("http://a.pt/m");
    assert!(got.contains("302 Found") && got.contains("Location: /w/20240301090000mp_/http://a.pt/n?x=1\r\n"), "{got}");
    assert!(got.contains("Memento-Datetime"), "{got}");
    let raw = |fields: &str| send(&server.archive_url(), "GET", "/w/20240301090000id_/http://a.pt/m", fields, "");
    assert!(raw("").contains("\r\nLocation: n?x=1\r\n"), "{}", raw(""));
    let got = raw("Sec-Fetch-Mode: cors\r\nSec-Fetch-Site: same-origin\r\n");
    assert!(got.contains("\r\nLocation: /w/20240301090000id_/http://a.pt/n?x=1\r\n"), "{got}");
    // What leads to itself is passed over here as well: clients that follow it would leave the archive.
    assert!(get(&server.archive_url(), "/w/20240301090000id_/http://a.pt/").ends_with("<p>secure"));
    let got = page("http://a.pt/x");
    assert!(got.starts_with("HTTP/1.1 404 ") && got.contains("http://a.pt/x/, which was not captured"), "{got}");
    assert!(page("http://a.pt/sub").contains("307 Temporary Redirect\r\n"), "{}", page("http://a.pt/sub"));
    let got = get(&server.archive_url(), "/w/20240501120000mp_/http://a.pt/o");
    assert!(got.ends_with("<p>original") && got.contains("X-Archive-Orig-X-A: 2"), "{got}");
    let lines = |query: &str| body_of(&get(&server.control_url(), &format!("/cdx?{query}"))).to_owned();
    let originals = lines("url=a.pt/o&resolveRevisits=true&fl=mime,orig.filename,originalOffset&output=text");
    let place = lines("url=a.pt/o&fl=offset&output=text&limit=1");
    assert_eq!(originals, format!("text/html - -\nwarc/revisit a.warc.gz {place}"));
    assert_eq!(lines("url=a.pt/o&resolveRevisits=true&output=text").lines().next().unwrap().split(' ').count(), 14);
    let got = page("http://a.pt/gone");
    assert!(got.starts_with("HTTP/1.1 503 ") && got.contains("original of this capture is missing"), "{got}");
}

#[test]
fn resources_come_decoded_in_parts_and_near_in_time() {
    let bytes: String = ('a'..='z').cycle().take(1270).collect();
    let coded = gzip("body{background:url(/i.png)}");
    let (_dir, server) = replay_of(&[
        response("http://a.pt/v.mp4", DATE, "200 OK\r\nContent-Type: video/mp4", &bytes),
        response("http://a.pt/s.css", DATE, "200 OK\r\nContent-Type: text/css\r\nContent-Encoding: gzip", &coded),
        response(
            "http://a.pt/l.css",
            DATE,
            "200 OK\r\nContent-Type: text/css\r\nContent-Encoding: gzip",
            "a{b:url(/c)}",
        ),
        response("http://a.pt/i.png", DATE, "404 Not Found\r\nContent-Type: text/html", "<p>no"),
        response("http://a.pt/i.png", MAY, "200 OK\r\nContent-Type: image/png", "PNG"),
        response(
            "http://a.pt/api?x=1&_=1699999999999",
            DATE,
            "200 OK\r\nContent-Type: application/json",
            "{\"u\":\"http://b.pt/\"}",
        ),
        response(
            "http://a.pt/p",
            DATE,
            "206 Partial\r\nContent-Type: video/mp4\r\nContent-Range: bytes 100-109/1270",
            "0123456789",
        ),
        response(
            "http://a.pt/d.pdf",
            DATE,
            "206 Partial\r\nContent-Type: application/pdf\r\nContent-Range: bytes 0-4/10",
            "01234",
        ),
        response(
            "http://a.pt/d.pdf",
            MAY,
            "206 Partial\r\nContent-Type: application/pdf\r\nContent-Range: bytes 5-9/10",
            "56789",
        ),
        response("http://a.pt/s.js", DATE, "200 OK\r\nContent-Type: text/html", "function(){location='/x'}"),
    ]);
    let part = |range: &str| {
        send(&server.archive_url(), "GET", "/w/2024oe_/http://a.pt/v.mp4", &format!("Range: {range}\r\n"), "")
    };
    let got = part("bytes=10-19");
    assert!(got.starts_with("HTTP/1.1 206 ") && got.contains("Content-Range: bytes 10-19/1270\r\n"), "{got}");
    assert_eq!(body_of(&got), "klmnopqrst");
    assert!(part("bytes=1270-").contains("416 Range Not Satisfiable") && part("bytes=1270-").contains("bytes */1270"));
    assert!(part("bytes=20-10").starts_with("HTTP/1.1 200 "));
    let resource = |target: &str| get(&server.archive_url(), &format!("/w/20240301090000{target}"));
    assert!(resource("cs_/http://a.pt/s.css").ends_with("url(/w/20240301090000oe_/http://a.pt/i.png)}"));
    assert!(resource("cs_/http://a.pt/l.css").ends_with("a{b:url(/w/20240301090000oe_/http://a.pt/c)}"));
    // An error does not hide what a page embeds; as a page it is what was there.
    assert!(
        resource("im_/http://a.pt/i.png").ends_with("PNG")
            && resource("mp_/http://a.pt/i.png").contains("404 Not Found")
    );
    let got = resource("mp_/http://a.pt/api?x=1&_=1700000000000");
    assert!(got.ends_with("{\"u\":\"http://b.pt/\"}") && got.contains("X-Fonds-Other-Url: "), "{got}");
    assert!(resource("mp_/http://a.pt/p").contains("Content-Range: bytes 100-109/1270"));
    // Parts of one file are joined, whole or where they meet.
    let got = resource("oe_/http://a.pt/d.pdf");
    assert!(got.starts_with("HTTP/1.1 200 ") && got.ends_with("\r\n\r\n0123456789"), "{got}");
    let got = send(&server.archive_url(), "GET", "/w/2024oe_/http://a.pt/d.pdf", "Range: bytes=3-6\r\n", "");
    assert!(got.contains("Content-Range: bytes 3-6/10\r\n") && got.ends_with("\r\n\r\n3456"), "{got}");
    let got = resource("js_/http://a.pt/s.js");
    assert!(got.contains("Content-Type: text/javascript\r\n") && got.ends_with("function(){location='/x'}"), "{got}");
    let raw = send(&server.archive_url(), "GET", "/w/2024id_/http://a.pt/s.css", "Accept-Encoding: gzip\r\n", "");
    assert!(raw.contains("Content-Encoding: gzip\r\n"), "{raw}");
    assert!(resource("id_/http://a.pt/s.css").ends_with("body{background:url(/i.png)}"));
    let head = send(&server.archive_url(), "HEAD", "/w/2024oe_/http://a.pt/v.mp4", "", "");
    assert!(head.contains("Content-Length: 1270\r\n") && body_of(&head).is_empty(), "{head}");
}

#[test]
fn types_charsets_and_encodings_that_lie_do_no_harm() {
    let utf16: Vec<u8> = "\u{feff}<a href='/x'>ç</a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (_dir, server) = replay_of(&[
        response("http://a.pt/download", DATE, "200 OK\r\nContent-Type: application/octet-stream", "<html><a href=/x>"),
        response("http://a.pt/untyped", DATE, "200 OK\r\nServer: x", "<!doctype html><a href=/x>"),
        response("http://a.pt/plain", DATE, "200 OK\r\nContent-Type: text/html", b"<p>\xe9<a href=/x>"),
        response(
            "http://a.pt/unchunked",
            DATE,
            "200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked",
            "<a href=/x>",
        ),
        response("http://a.pt/wide", DATE, "200 OK\r\nContent-Type: text/html", utf16),
        response("http://a.pt/mark.css", DATE, "200 OK\r\nContent-Type: text/css", "\u{feff}a{b:url(/c)}"),
        response(
            "http://a.pt/japanese",
            DATE,
            "200 OK\r\nContent-Type: text/html",
            b"<meta charset=shift_jis><a href=\"/x?q=\x83\x65\">",
        ),
        response(
            "http://a.pt/packed.mp4",
            DATE,
            "200 OK\r\nContent-Type: video/mp4\r\nContent-Encoding: gzip",
            gzip("0123456789"),
        ),
    ]);
    let page = |name: &str| get(&server.archive_url(), &format!("/w/20240301090000mp_/http://a.pt/{name}"));
    let link = "href=/w/20240301090000mp_/http://a.pt/x";
    assert!(body_of(&page("download")).ends_with("<html><a href=/x>"), "{}", page("download"));
    let untyped = page("untyped");
    assert!(untyped.contains("Content-Type: text/html\r\n") && untyped.contains(link), "{untyped}");
    // A browser guesses the charset now as it did then.
    assert!(page("plain").contains("Content-Type: text/html\r\n") && page("plain").contains(link), "{}", page("plain"));
    let unchunked = page("unchunked");
    assert!(unchunked.contains(link) && !unchunked.contains("\r\nTransfer-Encoding"), "{unchunked}");
    let wide = page("wide");
    assert!(wide.to_lowercase().contains("content-type: text/html; charset=utf-8\r\n") && wide.contains("ç"), "{wide}");
    let sheet = get(&server.archive_url(), "/w/20240301090000cs_/http://a.pt/mark.css");
    assert!(sheet.to_lowercase().contains("content-type: text/css; charset=utf-8\r\n"), "{sheet}");
    assert!(body_of(&sheet).starts_with("a{b:url(/w/"), "{sheet}");
    assert!(page("japanese").contains("/http://a.pt/x?q=%83e\""), "{}", page("japanese"));
    // Ranges are those of what was archived: of an encoded body, all is sent.
    let whole = send(&server.archive_url(), "GET", "/w/2024oe_/http://a.pt/packed.mp4", "Range: bytes=0-3\r\n", "");
    assert!(whole.starts_with("HTTP/1.1 200 ") && whole.ends_with("\r\n\r\n0123456789"), "{whole}");
}

#[test]
fn a_form_is_answered_by_the_capture_with_its_body() {
    let request = |body: &str| {
        let head = format!(
            "POST /g HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}",
            body.len()
        );
        record(
            "request",
            "http://a.pt/g",
            DATE,
            "WARC-Concurrent-To: <urn:x:response:http://a.pt/g:2024-03-01T09:00:00Z>\r\n",
            format!("{head}\r\n\r\n{body}"),
        )
    };
    let (_dir, server) =
        replay_of(&[response("http://a.pt/g", DATE, "200 OK\r\nContent-Type: text/plain", "answer"), request("a=1")]);
    let post = |body: &str| {
        let fields = "Content-Type: application/x-www-form-urlencoded\r\n";
        send(&server.archive_url(), "POST", "/w/2024mp_/http://a.pt/g", fields, body)
    };
    assert!(post("a=1").ends_with("answer"), "{}", post("a=1"));
    assert!(post("a=2").starts_with("HTTP/1.1 404 "));
}

#[test]
fn indexes_and_archive_files_are_served_to_other_programs() {
    let (dir, server) = replay_of(&[page_record("http://a.pt/", "<p>1"), page_record("http://b.a.pt/x", "<p>2")]);
    let cdx = get(&server.control_url(), "/cdx?url=a.pt");
    let line = body_of(&cdx).trim();
    assert!(line.starts_with("pt,a)/ 20240301090000 {\"url\": \"http://a.pt/\""), "{cdx}");
    assert!(line.contains("\"filename\": \"a.warc.gz\"") && line.contains("\"offset\": \"0\""), "{cdx}");
    assert_eq!(
        body_of(&get(&server.control_url(), "/cdx?url=*.a.pt&fl=url&output=text")),
        "http://a.pt/\nhttp://b.a.pt/x\n"
    );
    assert!(get(&server.control_url(), "/cdx").contains("The \\\"url\\\" param is required"));
    let file = std::fs::read(dir.path().join("a.warc.gz")).unwrap();
    let got = send(&server.control_url(), "GET", "/warc/a.warc.gz", "Range: bytes=5-9\r\n", "");
    assert!(got.contains(&format!("Content-Range: bytes 5-9/{}\r\n", file.len())), "{got}");
    // Who knows no address begins with the hosts.
    let start = get(&server.control_url(), "/");
    assert!(start.contains("2 captures of 2 hosts, a page of each:"), "{start}");
    assert!(start.contains("<a href=\"/r/20240301090000/http://b.a.pt/x\">http://b.a.pt/x</a>"), "{start}");
    // The forms of other servers.
    let lines = |query: &str| body_of(&get(&server.control_url(), &format!("/cdx?{query}"))).to_owned();
    assert_eq!(lines("url=a.pt&matchType=range&fl=url&output=text"), "http://a.pt/\nhttp://b.a.pt/x\n");
    assert_eq!(lines("url=b.a.pt&matchType=range&fl=url&output=text"), "http://b.a.pt/x\n");
    assert_eq!(lines("urlkey=pt,a,b)/x&fl=url&output=text"), "http://b.a.pt/x\n");
    assert_eq!(lines("url=*.a.pt&showNumPages=true"), "1\n");
    assert_eq!(lines("url=*.a.pt&page=0&fl=url&output=text").lines().count(), 2);
    assert_eq!(lines("url=*.a.pt&page=1"), "");
    let link = format!("<{}/w/20240301090000mp_/http://a.pt/>; rel=\"memento\"; datetime=", server.archive_url());
    assert!(lines("url=a.pt&output=link").starts_with(&link), "{}", lines("url=a.pt&output=link"));
    for path in ["/warc/../../etc/passwd", "/warc/%2e%2e/a.warc.gz", "/warc/b.warc.gz"] {
        assert!(get(&server.control_url(), path).starts_with("HTTP/1.1 404 "), "{path}");
    }
}

#[test]
fn other_hosts_and_other_sites_are_refused() {
    let (_dir, server) = replay_of(&[page_record("http://a.pt/", "<p>secret")]);
    for origin in [server.control_url(), server.archive_url()] {
        let got = send(&origin, "GET", "/w/2024mp_/http://a.pt/", "Host: attacker.example:8090\r\n", "");
        assert!(got.starts_with("HTTP/1.1 421 ") && !got.contains("secret"), "{got}");
        for fields in
            ["Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n", "Origin: https://attacker.example\r\n"]
        {
            let got = send(&origin, "GET", "/w/2024mp_/http://a.pt/", fields, "");
            assert!(got.starts_with("HTTP/1.1 403 ") && !got.contains("secret"), "{fields}: {got}");
        }
    }
    // Another host at the port of this program is another site.
    let foreign = server.control_url().replace("127.0.0.1", "attacker.example");
    let got = send(&server.archive_url(), "GET", "/w/2024mp_/http://a.pt/", &format!("Origin: {foreign}\r\n"), "");
    assert!(got.starts_with("HTTP/1.1 403 ") && !got.contains("secret"), "{got}");
    // A page of the archive reads nothing of this program.
    let got = send(
        &server.control_url(),
        "GET",
        "/cdx?url=a.pt",
        "Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: cors\r\n",
        "",
    );
    assert!(got.starts_with("HTTP/1.1 403 "), "{got}");
    let got = send(&server.control_url(), "GET", "/cdx?url=a.pt", "Origin: null\r\n", "");
    assert!(got.starts_with("HTTP/1.1 403 "), "{got}");
    let port = server.control_url();
    let got = get(&server.archive_url(), &format!("/w/2024mp_/{port}/warc/a.warc.gz"));
    assert!(got.starts_with("HTTP/1.1 404 "), "{got}");
    let got = send(&server.archive_url(), "GET", "/w/2024mp_/http://a.pt/", "Service-Worker: script\r\n", "");
    assert!(got.starts_with("HTTP/1.1 404 "), "{got}");
    assert!(send(&server.archive_url(), "DELETE", "/w/2024mp_/http://a.pt/", "", "").starts_with("HTTP/1.1 405 "));
}

#[test]
fn a_token_begins_every_address_that_is_answered_or_written() {
    let page = "<head></head><a href=/b>B</a><img src=i.png><p style='background: url(//c.pt/x)'>";
    let sheet = response("http://a.pt/s.css", DATE, "200 OK\r\nContent-Type: text/css", "a { b: url(/c) }");
    let link = response("http://a.pt/l", DATE, "302 Found\r\nLocation: /b\r\nRefresh: 0; url=/d", "");
    let (_dir, server) = replay_below(&[page_record("http://a.pt/", page), sheet, link], Some("T-1"));
    let (archive, control) = (server.archive_url(), server.control_url());
    assert!(archive.ends_with("/T-1") && control.ends_with("/T-1"));
    for target in ["/", "/w/2024mp_/http://a.pt/", "/T-1x/w/2024mp_/http://a.pt/", "/T-/w/", "/t-1/", "//T-1/", ""] {
        for base in [&archive, &control] {
            let got = get(base, target);
            assert!(got.starts_with("HTTP/1.1 403 ") || target.is_empty(), "{target}: {got}");
        }
    }
    let got = get(&archive, "/T-1/w/20240301090000mp_/http://a.pt/");
    for part in [
        "<script src=\"/T-1/shim.js\"></script>",
        "<a href=/T-1/w/20240301090000mp_/http://a.pt/b>",
        "<img src=i.png>",
        "url(/T-1/w/20240301090000oe_/http://c.pt/x)",
        "report-uri /T-1/blocked",
        &format!("<{archive}/w/http://a.pt/>; rel=\"timegate\""),
    ] {
        assert!(got.contains(part), "{part}: {got}");
    }
    assert!(get(&archive, "/T-1/w/20240301090000cs_/http://a.pt/s.css").contains("url(/T-1/w/20240301090000oe_/"));
    let got = get(&archive, "/T-1/w/20240301090000mp_/http://a.pt/l");
    assert!(got.contains("Location: /T-1/w/20240301090000mp_/http://a.pt/b\r\n"), "{got}");
    assert!(got.contains("Refresh: 0; url=/T-1/w/20240301090000mp_/http://a.pt/d\r\n"), "{got}");
    // A path that a script of a page made is led back by the page that it came from, and by no other.
    let referer = format!("Referer: {archive}/w/20240301090000mp_/http://a.pt/\r\n");
    let got = send(&archive, "GET", "/js/x.js", &referer, "");
    assert!(got.contains("Location: /T-1/w/20240301090000mp_/http://a.pt/js/x.js\r\n"), "{got}");
    let got = send(&archive, "GET", "/js/x.js", &referer.replace("T-1", "T-2"), "");
    assert!(got.starts_with("HTTP/1.1 403 "), "{got}");
    let frame = get(&control, "/T-1/r/20240301090000/http://a.pt/");
    assert!(frame.contains("src=\"/T-1/frame.js\"") && frame.contains("data-root=\"/T-1\""), "{frame}");
    assert!(frame.contains(&format!("src=\"{archive}/w/20240301090000mp_/http://a.pt/\"")), "{frame}");
    let info = get(&control, "/T-1/info?path=/T-1/w/20240301090000mp_/http://a.pt/");
    assert!(info.contains("\"all\":\"/T-1/list?url="), "{info}");
    assert!(get(&control, "/T-1/list?url=http://a.pt/").contains("href=\"/T-1/r/20240301090000/http://a.pt/\""));
    assert!(get(&control, "/T-1/?url=a.pt").contains("Location: /T-1/r/"));
}

#[test]
fn what_is_missing_is_listed_and_nothing_of_it_is_markup() {
    let (_dir, server) = replay_of(&[page_record("http://a.pt/", "<img src=/i.png>")]);
    let page = format!("{}/w/20240301090000mp_/http://a.pt/", server.archive_url());
    let referer = format!("Referer: {page}\r\n");
    // Encoded as a whole, so that it reaches the page as it is meant.
    let evil = "/w/20240301090000mp_/http%3A%2F%2Fa.pt%2F%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E'";
    let got = send(&server.archive_url(), "GET", evil, &referer, "");
    assert!(got.starts_with("HTTP/1.1 404 ") && !body_of(&got).contains("<script>"), "{got}");
    assert!(body_of(&got).contains("never seen by a crawl here"), "{got}");
    send(&server.archive_url(), "GET", "/w/20240301090000im_/http://a.pt/i.png", &referer, "");
    let report = format!(
        "{{\"csp-report\":{{\"document-uri\":\"{page}\",\"blocked-uri\":\"http://live.example/p.gif?q=1\",\"effective-directive\":\"img-src\"}}}}"
    );
    assert!(send(&server.archive_url(), "POST", "/blocked", "", &report).starts_with("HTTP/1.1 204 "));
    let info = get(&server.control_url(), "/info?path=/w/20240301090000mp_/http://a.pt/");
    let info: serde_json::Value = serde_json::from_str(body_of(&info)).unwrap();
    let missing: Vec<&str> =
        info["missing"].as_array().unwrap().iter().map(|url| url["url"].as_str().unwrap()).collect();
    assert!(missing.contains(&"http://a.pt/i.png") && missing.contains(&"http://live.example/p.gif?q=1"), "{info}");
    assert_eq!((&info["versions"], &info["decision"]), (&1.into(), &"not reviewed".into()));
    // What left the path of its page is led back, but without a page it is not guessed.
    let got = send(&server.archive_url(), "GET", "/js/x.js", &referer, "");
    assert!(got.contains("307 ") && got.contains("Location: /w/20240301090000mp_/http://a.pt/js/x.js\r\n"), "{got}");
    assert!(get(&server.archive_url(), "/js/x.js").starts_with("HTTP/1.1 404 "));
    // What too many dots lead to is reported, not guessed.
    send(&server.archive_url(), "GET", "/w/20240301090000mp_/https://img/a.png", &referer, "");
    assert!(get(&server.control_url(), "/missing").contains("\"url\":\"https://img/a.png\""));
    let got = send(&server.archive_url(), "OPTIONS", "/w/20240301090000mp_/http://a.pt/", "", "");
    assert!(got.starts_with("HTTP/1.1 200 ") && !got.contains("\r\nAccess-Control"), "{got}");
    let frame = get(&server.control_url(), "/r/20240301090000/http%3A%2F%2Fa.pt%2F%22%3E%3Cscript%3Ex%3C%2Fscript%3E");
    assert!(
        frame.contains("sandbox=\"allow-scripts allow-same-origin allow-forms\"") && !frame.contains("<script>x"),
        "{frame}"
    );
    assert!(frame.contains(&format!("frame-src {};", server.archive_url())), "{frame}");
    // A link that was followed goes by the page around, which knows then what it shows.
    let fields = "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n";
    let step = send(&server.archive_url(), "GET", "/w/20240301090000mp_/http://a.pt/", fields, "");
    assert!(body_of(&step).contains("/step.js?around=http"), "{step}");
}

#[test]
fn replay_changes_nothing_in_a_workspace() {
    let (dir, server) = replay_of(&[page_record("http://a.pt/", "<p>1")]);
    let state = |folder: &Path| -> Vec<(std::path::PathBuf, Vec<u8>)> {
        let files = crate::testing::files_under(folder);
        // What SQLite keeps for readers in memory.
        let files = files.into_iter().filter(|file| !file.to_string_lossy().ends_with("-shm"));
        files.map(|file| (file.clone(), std::fs::read(file).unwrap_or_default())).collect()
    };
    let before = state(dir.path());
    get(&server.archive_url(), "/w/2024mp_/http://a.pt/");
    get(&server.control_url(), "/info?path=/w/2024mp_/http://a.pt/");
    get(&server.archive_url(), "/w/2024mp_/http://a.pt/none");
    assert!(before == state(dir.path()), "a file changed");
}

#[test]
fn archive_files_that_come_later_are_served_as_well() {
    let (dir, server) = replay_of(&[page_record("http://a.pt/", "<p>1")]);
    assert!(get(&server.control_url(), "/warc/a.warc.gz").starts_with("HTTP/1.1 200 "));
    assert!(get(&server.control_url(), "/warc/b.warc.gz").starts_with("HTTP/1.1 404 "));
    let file = dir.path().join("b.warc.gz");
    std::fs::write(&file, gzip(page_record("http://b.pt/", "<p>2"))).unwrap();
    let options = ImportOptions { copy: false, follow_links: false, campaign: CampaignChoice::None };
    server.replay.session.import(&[file], options, &JobCx::detached()).unwrap();
    assert!(get(&server.control_url(), "/warc/b.warc.gz").starts_with("HTTP/1.1 200 "));
    assert!(get(&server.control_url(), "/cdx?url=b.pt").contains("\"filename\": \"b.warc.gz\""));
}

#[test]
fn a_player_of_the_persons_own_is_served_and_nothing_beside_its_folder() {
    let (dir, session) = empty_session();
    let player = dir.path().join("player");
    std::fs::create_dir(&player).unwrap();
    std::fs::write(player.join("sw.js"), "self.worker = 1").unwrap();
    std::fs::write(dir.path().join("secret"), "secret").unwrap();
    let server = ReplayServer::start(Arc::new(session), None, Some(player), None).unwrap();
    let origin = server.archive_url();
    // Its worker is the person's: it is not refused as those of archived pages are.
    let worker = send(&origin, "GET", "/player/sw.js", "Service-Worker: script\r\n", "");
    assert!(worker.contains("Content-Type: text/javascript") && worker.ends_with("self.worker = 1"), "{worker}");
    assert!(get(&origin, "/player/open?url=http://a.pt/").contains("msg_type: 'addColl'"));
    for path in ["/player/../secret", "/player/%2e%2e/secret", "/player/none.js", "/player/"] {
        assert!(get(&origin, path).starts_with("HTTP/1.1 404 "), "{path}");
    }
    let (_dir, server) = replay_of(&[page_record("http://a.pt/", "<p>1")]);
    assert!(get(&server.archive_url(), "/player/open").starts_with("HTTP/1.1 404 "));
}
