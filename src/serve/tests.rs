//! Tests of hostile and slow clients, over real sockets.

#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Says what was requested; some paths are odd.
struct Echo;

impl Handler for Echo {
    fn handle(&self, request: &HttpRequest) -> HttpReply {
        let line = format!("{} {} {}", request.method, request.host, request.target());
        let mut reply = HttpReply::new(200, "text/plain", line).with("ETag", "\"1\"");
        match request.path.as_str() {
            "/chunked" => reply.framing = ReplyFraming::Chunked,
            "/panic" => panic!("a handler breaks"),
            "/slow" => reply.delay = Duration::from_secs(600),
            "/body" => reply.body = ReplyBody::Bytes(request.body.clone()),
            "/long" => reply.body = ReplyBody::Stream(1 << 40, Box::new(std::io::repeat(b'x'))),
            "/short" => reply.body = ReplyBody::Stream(100, Box::new(&b"only this"[..])),
            "/headers" => reply = reply.with("X-A", "one\r\nX-Evil: 1").with("X B", "2").with("X-Ç", "3"),
            "/method" => reply = HttpReply::method_not_allowed("GET"),
            _ => {}
        }
        reply
    }
}

/// A server with limits that a test can reach.
fn start(limits: ServerLimits) -> (HttpServer, SocketAddr) {
    let mut server = HttpServer::new(Arc::new(Echo), limits);
    let socket = server.listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).unwrap();
    (server, socket)
}

fn connect(socket: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(socket).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

fn rest_of(mut stream: TcpStream) -> String {
    let mut got = Vec::new();
    stream.read_to_end(&mut got).unwrap();
    String::from_utf8(got).unwrap()
}

/// Everything that a client gets that sends these bytes and then nothing more.
fn exchange(sent: &[u8]) -> String {
    let (_server, socket) = start(ServerLimits { body_bytes: 100, ..ServerLimits::default() });
    let mut stream = connect(socket);
    stream.write_all(sent).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    rest_of(stream)
}

fn get(path: &str) -> String {
    exchange(format!("GET {path} HTTP/1.1\r\nHost: a.example\r\n\r\n").as_bytes())
}

#[test]
fn several_requests_on_one_connection_are_answered_in_order() {
    let got = exchange(
        b"GET /x?y=1 HTTP/1.1\r\nHost: A.example:80\r\n\r\n\r\nHEAD /h HTTP/1.1\r\nHost: a.example\r\n\r\n\
          GET /chunked HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\nGET /never HTTP/1.1\r\nHost: a\r\n\r\n",
    );
    assert!(
        got.contains("Content-Length: 20\r\nConnection: keep-alive\r\n\r\nGET a.example /x?y=1HTTP/1.1 200"),
        "{got}"
    );
    assert!(got.contains("Content-Length: 17\r\nConnection: keep-alive\r\n\r\nHTTP/1.1 200"), "{got}");
    assert!(got.ends_with("16\r\nGET a.example /chunked\r\n0\r\n\r\n"), "{got}");
    let got = exchange(b"GET /chunked HTTP/1.0\r\n\r\nGET /never HTTP/1.0\r\n\r\n");
    assert!(got.ends_with("Content-Length: 13\r\nConnection: close\r\n\r\nGET  /chunked"), "{got}");
}

#[test]
fn a_client_that_has_the_page_gets_no_body() {
    for (known, status) in [("\"1\"", 304), ("W/\"1\"", 304), ("\"0\", \"1\"", 304), ("*", 304), ("\"2\"", 200)] {
        let got = exchange(format!("GET / HTTP/1.1\r\nHost: a\r\nIf-None-Match: {known}\r\n\r\n").as_bytes());
        assert!(got.starts_with(&format!("HTTP/1.1 {status} ")), "{known}: {got}");
        assert_eq!(got.ends_with("\r\n\r\n"), status == 304, "{known}: {got}");
    }
    // RFC 9110, 13.1.2: a condition of this kind answers nothing but GET and HEAD with 304.
    assert!(exchange(b"POST / HTTP/1.1\r\nHost: a\r\nIf-None-Match: *\r\n\r\n").starts_with("HTTP/1.1 200 "));
}

#[test]
fn what_is_no_request_is_refused_and_the_connection_ended() {
    let host = "Host: a\r\n";
    let long_line = format!("GET /{} HTTP/1.1\r\n{host}\r\n", "a".repeat(100_000));
    let long_field = format!("GET / HTTP/1.1\r\n{host}X: {}\r\n\r\n", "a".repeat(100_000));
    let endless = "x".repeat(1 << 20);
    let many = format!("GET / HTTP/1.1\r\n{host}{}\r\n", "X: 1\r\n".repeat(101));
    for (sent, status) in [
        ("BREW /pot\r\n\r\n", 400),
        ("\u{16}\u{3}\u{1}\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        ("GET a.html HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nX\u{0}: 1\r\n\r\n", 400),
        ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 101\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411),
        (&long_line, 431),
        (&long_field, 431),
        (&endless, 431),
        (&many, 431),
    ] {
        let shown = &sent[..sent.len().min(60)];
        let got = exchange(format!("{sent}GET /second HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes());
        assert!(got.starts_with(&format!("HTTP/1.1 {status} ")), "{shown:?}: {got}");
        assert!(got.contains("Connection: close\r\n") && got.matches("HTTP/1.1").count() == 1, "{shown:?}: {got}");
    }
}

#[test]
fn any_method_reaches_the_handler_and_a_body_is_read_to_its_end() {
    let got =
        exchange(b"POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n12345PUT /x HTTP/1.1\r\nHost: a\r\n\r\n");
    assert!(got.contains("\r\n\r\n12345HTTP/1.1 200") && got.ends_with("PUT a /x"), "{got}");
    assert!(exchange(b"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").ends_with("OPTIONS a *"));
    assert!(exchange(b"BREW /method HTTP/1.1\r\nHost: a\r\n\r\n").contains("405 Method Not Allowed\r\n"));
    let got = exchange(b"POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n123");
    assert_eq!(got, "", "a request that was cut off is none");
}

#[test]
fn a_target_for_a_proxy_names_its_host_itself() {
    for (target, line) in [
        ("http://B.example:8080/x?y", "GET b.example /x?y"),
        ("http://b.example", "GET b.example /"),
        ("HTTP://b.example?y", "GET b.example /?y"),
        ("http://[::1]:80/", "GET [::1] /"),
        ("http://[::1]/", "GET [::1] /"),
    ] {
        assert!(get(target).ends_with(line), "{target}");
    }
}

#[test]
fn paths_come_as_sent_and_none_leads_out_of_a_folder() {
    for path in ["/../secret", "/a/%2e%2e/../b", "/%2fetc", "//x"] {
        assert!(get(path).ends_with(&format!("GET a.example {path}")), "{path}");
    }
    for (path, file) in [
        ("/a/b.html", Some("a/b.html")),
        ("//a/./b%20c", Some("a/b c")),
        ("/", Some("")),
        ("/...", Some("...")),
        ("/../secret", None),
        ("/%2e%2e/secret", None),
        ("/a/..%2fsecret", None),
        ("/..%5csecret", None),
        ("/C:/secret", None),
        ("/a%00.html", None),
        ("/%ff", None),
    ] {
        let found = HttpRequest::get("a", path).file_path();
        assert_eq!(found.as_deref(), file.map(std::path::Path::new), "{path}");
        assert!(found.is_none_or(|found| found.is_relative()), "{path}");
    }
}

#[test]
fn what_a_handler_does_wrong_stays_with_its_request() {
    let got = get("/panic");
    assert!(got.starts_with("HTTP/1.1 500 ") && got.ends_with("Internal error\n"), "{got}");
    let got = get("/headers");
    assert!(got.contains("X-A: oneX-Evil: 1\r\n") && !got.contains("X B") && !got.contains("X-Ç"), "{got}");
    let got = get("/short");
    assert!(got.contains("Content-Length: 100\r\n") && !got.contains("HTTP/1.1 500"), "{got}");
}

#[test]
fn slow_clients_are_let_go() {
    let (head_time, idle, write_time) =
        (Duration::from_millis(300), Duration::from_millis(300), Duration::from_millis(300));
    let (_server, socket) =
        start(ServerLimits { head_time, idle, write_time, body_bytes: 9, ..ServerLimits::default() });
    let slow_end = |sent: &'static str| {
        let begun = Instant::now();
        let mut stream = connect(socket);
        // A byte now and then does not count as progress.
        for byte in sent.bytes() {
            if stream.write_all(&[byte]).is_err() || begun.elapsed() > Duration::from_secs(10) {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let got = rest_of(stream);
        assert!(begun.elapsed() < Duration::from_secs(10), "{sent}: {:?}", begun.elapsed());
        got
    };
    assert_eq!(slow_end(""), "", "a silent client is let go without a word");
    assert!(slow_end("GET /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa").starts_with("HTTP/1.1 408 "));
    assert!(slow_end("GET / HTTP/1.1\nHost: a\n\n").starts_with("HTTP/1.1 408 "));
    let mut stream = connect(socket);
    stream.write_all(b"POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1").unwrap();
    assert!(rest_of(stream).starts_with("HTTP/1.1 408 "));
    // One that does not read.
    let mut stream = connect(socket);
    stream.write_all(b"GET /long HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    std::thread::sleep(write_time * 4);
    let mut len = 0_u64;
    let mut buffer = vec![0; 1 << 16];
    while let Ok(read) = stream.read(&mut buffer)
        && read > 0
    {
        len += read as u64;
    }
    assert!(len < 1 << 30, "{len} bytes came for a client that did not read");
}

#[test]
fn connections_beyond_the_limit_are_refused_and_there_is_room_again() {
    let (server, socket) = start(ServerLimits { connections: 3, ..ServerLimits::default() });
    let mut open: Vec<_> = (0..3).map(|_| connect(socket)).collect();
    for stream in &mut open {
        stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
        stream.read_exact(&mut [0; 12]).unwrap();
    }
    assert!(rest_of(connect(socket)).starts_with("HTTP/1.1 503 "));
    open.pop();
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        let mut stream = connect(socket);
        // A refused connection may be gone already.
        let _ = stream.write_all(b"GET /room HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        let mut got = Vec::new();
        let _ = stream.read_to_end(&mut got);
        if got.ends_with(b"GET a /room") {
            break;
        }
        assert!(Instant::now() < until, "no room again");
    }
    assert_eq!(server.request_count(), 4);
}

#[test]
fn a_hundred_clients_at_once_get_their_own_pages() {
    let (server, socket) = start(ServerLimits::default());
    std::thread::scope(|scope| {
        for number in 0..100 {
            scope.spawn(move || {
                let mut stream = connect(socket);
                for round in 0..10 {
                    let close = if round == 9 { "Connection: close\r\n" } else { "" };
                    write!(stream, "GET /{number}-{round} HTTP/1.1\r\nHost: a\r\n{close}\r\n").unwrap();
                }
                let got = rest_of(stream);
                assert!((0..10).all(|round| got.contains(&format!("GET a /{number}-{round}"))), "{got}");
            });
        }
    });
    assert_eq!(server.request_count(), 1000);
}

#[test]
fn the_end_of_a_server_ends_all_connections() {
    let (server, socket) = start(ServerLimits::default());
    let [idle, mut half, mut waits, mut reads] = [(); 4].map(|()| connect(socket));
    half.write_all(b"GET /half").unwrap();
    waits.write_all(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    reads.write_all(b"GET /long HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    reads.read_exact(&mut [0; 1000]).unwrap();
    while server.request_count() < 2 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let begun = Instant::now();
    drop(server);
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    for mut stream in [idle, half, waits] {
        let mut got = Vec::new();
        let _ = stream.read_to_end(&mut got);
    }
    assert!(TcpStream::connect(socket).is_err());
}

#[test]
fn nothing_is_served_beyond_loopback() {
    let mut server = HttpServer::new(Arc::new(Echo), ServerLimits::default());
    for address in ["0.0.0.0", "[::]", "192.0.2.1", "10.0.0.1"] {
        let address: IpAddr = address.trim_matches(['[', ']']).parse().unwrap();
        let error = server.listen(SocketAddr::new(address, 0)).unwrap_err();
        assert!(error.to_string().contains("can be reached by others"), "{error}");
    }
}

#[test]
fn hosts_have_addresses_of_their_own_and_a_dead_one_refuses() {
    let hosts = ["a.example", "B.example"].map(str::to_owned);
    let [a, b] = hosts;
    let mut named =
        NamedHosts::start(&[(a, Ipv4Addr::new(127, 0, 77, 1)), (b, Ipv4Addr::new(127, 0, 78, 1))], Arc::new(Echo))
            .unwrap();
    named.add_dead_host("c.example", Ipv4Addr::new(127, 0, 79, 1));
    let resolve = named.resolve();
    assert_eq!(
        resolve.iter().map(|(host, ..)| host.as_str()).collect::<Vec<_>>(),
        ["a.example", "b.example", "c.example"]
    );
    assert_ne!(resolve[0].2, resolve[1].2);
    assert!(TcpStream::connect(resolve[2].2).is_err());
    assert_eq!(named.request_count(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is sent, the connection ends and what comes back begins as a reply.
    #[test]
    fn any_bytes_are_answered_or_dropped(
        parts in prop::collection::vec(prop::sample::select(vec![
            "GET ", "/", " HTTP/1.1", "\r\n", "\r\n\r\n", "Host: a\r\n", "Content-Length: 3\r\n", "\u{0}", "%", ":", " ", "é", "\n",
        ]), 0..30),
    ) {
        let got = exchange(parts.concat().as_bytes());
        prop_assert!(got.is_empty() || got.starts_with("HTTP/1.1 "), "{got}");
    }
}
