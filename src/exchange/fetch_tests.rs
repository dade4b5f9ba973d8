//! Odd and hostile servers against the client.

#![allow(clippy::unwrap_used)]

use super::answer::{CutCause, Exchange};
use super::fetch::*;
use super::resolver::{Resolver, SystemResolver};
use super::wire::{Abandon, AddressGate};
use crate::campaign::PrivateAddresses;
use crate::testing::{ScriptedReply, ScriptedServer};
use crate::uri::Url;
use crate::warc::digest::sha1_base32;
use std::io::Read;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const LIMITS: FetchLimits = FetchLimits {
    bytes: 10_000_000,
    time: Duration::from_secs(20),
    idle: Duration::from_secs(5),
    head: Duration::from_secs(20),
    least_rate: 0,
    rate_window: Duration::from_secs(20),
};

fn client(limits: FetchLimits) -> Client {
    let resolver: Arc<dyn Resolver> = Arc::new(SystemResolver::start().unwrap());
    Client::new(resolver, "test (+mailto:test@example.org)", limits, std::env::temp_dir())
        .unwrap()
        .allowing_private(PrivateAddresses::All)
}

fn fetch_with(client: &Client, server: &ScriptedServer, path: &str) -> Result<Exchange, FetchError> {
    let url = Url::parse(&format!("http://{}{path}", server.addr)).unwrap();
    let addresses = client.addresses(&url)?;
    client.fetch(&url, &addresses, client.limits(), None)
}

fn fetch(limits: FetchLimits, reply: ScriptedReply) -> Result<Exchange, FetchError> {
    let server = ScriptedServer::start(move |_, _| reply.clone());
    fetch_with(&client(limits), &server, "/")
}

fn response(exchange: &mut Exchange) -> Vec<u8> {
    let mut bytes = Vec::new();
    exchange.response.reader(0).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

/// Sends `wire` and closes; the recorded answer must be `wire[skip..]`.
#[track_caller]
fn check(wire: &[u8], skip: usize, status: u16, payload: &[u8], cut: Option<CutCause>) {
    let shown = String::from_utf8_lossy(wire).into_owned();
    let mut exchange = fetch(LIMITS, ScriptedReply::raw(wire)).unwrap_or_else(|error| panic!("{shown}: {error}"));
    assert_eq!(response(&mut exchange), &wire[skip..], "{shown}");
    assert_eq!(exchange.interim, &wire[..skip], "{shown}");
    assert_eq!(exchange.head.status, status, "{shown}");
    assert_eq!(&*exchange.decoded_payload(1 << 20).unwrap().bytes, payload, "{shown}");
    assert_eq!(exchange.digests.payload_len, payload.len() as u64, "{shown}");
    assert_eq!(exchange.cut, cut, "{shown}");
    assert_eq!(exchange.digests.payload, sha1_base32(payload), "{shown}");
    assert_eq!(exchange.digests.block, sha1_base32(&wire[skip..]), "{shown}");
}

#[test]
fn odd_answers_are_recorded_byte_for_byte() {
    let early = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n";
    check(b"HTTP/1.1 200 OK\r\ncOnTeNt-LeNgTh: 3\r\n\r\nabc", 0, 200, b"abc", None);
    check(b"HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nContent-Length: 0\r\n\r\n", 0, 200, b"", None);
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=\"y\"\r\nabc\r\n0\r\nT: 1\r\n\r\n";
    check(chunked, 0, 200, b"abc", None);
    check(b"HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 1\r\n\r\nz", 0, 200, b"z", None);
    check(b"HTTP/1.1 200 OK\r\nX: caf\xe9\r\n\r\nuntil close", 0, 200, b"until close", None);
    check(b"HTTP/1.1 200 OK\nContent-Length: 2\n\nok", 0, 200, b"ok", None);
    check(b"HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok", 0, 200, b"ok", None);
    check(b"HTTP/1.1 200 OK\r\nno colon here\r\nContent-Length: 2\r\n\r\nok", 0, 200, b"ok", None);
    check(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 4\r\n\r\nokok", 0, 200, b"okok", None);
    check(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 4\r\n\r\nok", 0, 200, b"ok", None);
    check(b"HTTP/1.1 404\r\nContent-Length: 2\r\n\r\nno", 0, 404, b"no", None);
    check(b"HTTP/1.0 200 OK\r\n\r\nold", 0, 200, b"old", None);
    check(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", 0, 200, b"short", Some(CutCause::Disconnect));
    check(b"HTTP/1.1 999 Denied\r\nContent-Length: 0\r\n\r\n", 0, 999, b"", None);
    check(b"HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\n", 0, 204, b"", None);
    let after_hints = [&early[..], b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"].concat();
    check(&after_hints, early.len(), 200, b"ok", None);
    let cut = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc";
    check(cut, 0, 200, b"abc", Some(CutCause::Disconnect));
    let lies = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n<html>no chunks";
    check(lies, 0, 200, b"<html>no chunks", None);
}

#[test]
fn an_answer_that_is_no_http_is_described() {
    for (bytes, status) in [
        (&b"SSH-2.0-OpenSSH_9.2p1\r\n"[..], fetch_status::UNFETCHABLE),
        (b"<html>hello</html>", fetch_status::UNFETCHABLE),
        (b"", fetch_status::CONNECT_LOST),
        (b"HTTP/1.1 200 OK\r\nX: ", fetch_status::CONNECT_LOST),
    ] {
        let error = fetch(LIMITS, ScriptedReply::raw(bytes)).unwrap_err();
        assert_eq!(error.status, status, "{error}");
    }
}

#[test]
fn bytes_after_the_answer_are_not_part_of_it() {
    let wire = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 500 smuggled\r\n\r\n";
    let mut exchange = fetch(LIMITS, ScriptedReply { keep_open: true, ..ScriptedReply::raw(wire) }).unwrap();
    assert_eq!(response(&mut exchange), b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
}

#[test]
fn long_answers_are_cut_at_the_limit_and_marked() {
    let small = FetchLimits { bytes: 100_000, ..LIMITS };
    let head = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
    let endless = ScriptedReply {
        parts: vec![(head, Duration::ZERO), (vec![b'x'; 8192], Duration::ZERO)],
        endless: true,
        keep_open: false,
    };
    let exchange = fetch(small, endless).unwrap();
    assert_eq!(exchange.cut, Some(CutCause::Length));
    assert_eq!(exchange.response.len(), 100_000);
    let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    let endless = ScriptedReply {
        parts: vec![(head, Duration::ZERO), (b"1\r\nx\r\n".repeat(1000), Duration::ZERO)],
        endless: true,
        keep_open: false,
    };
    assert_eq!(fetch(small, endless).unwrap().cut, Some(CutCause::Length));
    // Exactly as long as allowed is not too long.
    let exact = ScriptedReply::page(200, "", vec![b'x'; 1000]);
    let limit = exact.parts[0].0.len() as u64;
    assert_eq!(fetch(FetchLimits { bytes: limit, ..LIMITS }, exact).unwrap().cut, None);
}

#[test]
fn endless_heads_are_given_up() {
    let line = format!("X-Flood: {}\r\n", "y".repeat(1000)).repeat(50).into_bytes();
    let parts = vec![(b"HTTP/1.1 200 OK\r\n".to_vec(), Duration::ZERO), (line, Duration::ZERO)];
    let error = fetch(LIMITS, ScriptedReply { parts, endless: true, keep_open: false }).unwrap_err();
    assert_eq!((error.status, error.retry), (fetch_status::UNFETCHABLE, false), "{error}");
    let hint = b"HTTP/1.1 100 Continue\r\n\r\n".to_vec();
    let endless = ScriptedReply { parts: vec![(hint.repeat(1000), Duration::ZERO)], endless: true, keep_open: false };
    assert_eq!(fetch(LIMITS, endless).unwrap_err().status, fetch_status::UNFETCHABLE);
    // Many that end are no harm.
    let hints = hint.repeat(200);
    let wire = [&hints[..], b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"].concat();
    check(&wire, hints.len(), 200, b"ok", None);
}

#[test]
fn a_head_has_its_own_time_and_a_body_a_least_rate() {
    let drip = |begin: &[u8], end: &[u8]| {
        let mut parts = vec![(begin.to_vec(), Duration::ZERO)];
        parts.extend((0..200).map(|_| (b"x".to_vec(), Duration::from_millis(5))));
        parts.push((end.to_vec(), Duration::ZERO));
        ScriptedReply { parts, endless: false, keep_open: false }
    };
    // Each would come to its end within the time of the whole answer.
    let head = drip(b"HTTP/1.1 200 OK\r\nX: ", b"\r\nContent-Length: 0\r\n\r\n");
    let hasty = FetchLimits { head: Duration::from_millis(200), ..LIMITS };
    assert_eq!(fetch(hasty, head.clone()).unwrap_err().status, fetch_status::TIMEOUT);
    assert_eq!(fetch(LIMITS, head).unwrap().cut, None);
    let body = drip(b"HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n", b"");
    let brisk = FetchLimits { least_rate: 10_000, rate_window: Duration::from_millis(200), ..LIMITS };
    let cut = fetch(brisk, body.clone()).unwrap();
    assert_eq!(cut.cut.map(CutCause::truncated), Some("time"));
    assert!(cut.digests.payload_len > 0);
    let patient = FetchLimits { least_rate: 1, ..brisk };
    assert_eq!(fetch(patient, body).unwrap().cut, None);
}

/// Lets nobody in at some addresses, and remembers who is in.
#[derive(Default)]
struct Gate {
    closed: Mutex<Vec<IpAddr>>,
    taken: Mutex<Vec<IpAddr>>,
    left: Mutex<Vec<IpAddr>>,
}

impl AddressGate for Gate {
    fn enter(&self, ip: IpAddr) -> bool {
        let enters = !self.closed.lock().unwrap().contains(&ip);
        self.taken.lock().unwrap().extend(enters.then_some(ip));
        enters
    }

    fn leave(&self, ip: IpAddr) {
        self.left.lock().unwrap().push(ip);
    }
}

#[test]
fn each_connection_has_a_place_at_the_address_that_it_is_made_with() {
    let server = ScriptedServer::start(|_, _| ScriptedReply::page(200, "", "ok"));
    let (client, gate) = (client(LIMITS), Gate::default());
    let url = Url::parse("http://a.example/").unwrap();
    // Nobody listens at the first address; the second is the one in use.
    let (dead, used) = (std::net::SocketAddr::from(([127, 0, 0, 9], server.addr.port())), server.addr);
    let fetch = || client.fetch(&url, &[dead, used], client.limits(), Some(&gate)).map(|exchange| exchange.address);
    assert_eq!(fetch().unwrap(), used);
    assert_eq!(*gate.taken.lock().unwrap(), [dead.ip(), used.ip()]);
    assert_eq!(*gate.left.lock().unwrap(), [dead.ip(), used.ip()]);
    // A connection that was kept open counts as well, and waits where it is.
    gate.closed.lock().unwrap().push(used.ip());
    assert_eq!(fetch().unwrap_err().status, fetch_status::NOT_ATTEMPTED);
    assert_eq!(server.hits.lock().unwrap().len(), 1);
    gate.closed.lock().unwrap().clear();
    assert_eq!(fetch().unwrap(), used);
    assert_eq!(gate.taken.lock().unwrap().len(), 3);
    gate.closed.lock().unwrap().push(dead.ip());
    let other = Url::parse("http://b.example/").unwrap();
    let busy = client.fetch(&other, &[dead, used], client.limits(), Some(&gate)).unwrap_err();
    assert_eq!(busy.status, fetch_status::NOT_ATTEMPTED);
    assert_eq!(gate.taken.lock().unwrap().len(), gate.left.lock().unwrap().len());
}

#[test]
fn slow_servers_cost_no_more_than_the_time_allowed() {
    let drip = |head: &[u8]| ScriptedReply {
        parts: vec![(head.to_vec(), Duration::ZERO), (b"x".to_vec(), Duration::from_millis(50))],
        endless: true,
        keep_open: false,
    };
    let limits = FetchLimits { time: Duration::from_secs(2), idle: Duration::from_millis(1500), ..LIMITS };
    let begin = Instant::now();
    let body = fetch(limits, drip(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")).unwrap();
    assert_eq!(body.cut.map(CutCause::truncated), Some("time"));
    assert_eq!(fetch(limits, drip(b"HTTP/1.1 200 OK\r\nX: ")).unwrap_err().status, fetch_status::TIMEOUT);
    let silent = ScriptedReply { parts: vec![(Vec::new(), Duration::from_secs(60))], endless: false, keep_open: false };
    assert_eq!(fetch(limits, silent).unwrap_err().status, fetch_status::TIMEOUT);
    assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
}

#[test]
fn connections_are_used_again_and_replaced_when_stale() {
    let server = ScriptedServer::start(|_, path| match path {
        "/close" => ScriptedReply { keep_open: false, ..ScriptedReply::page(200, "", "a") },
        _ => ScriptedReply::page(200, "", "b"),
    });
    let client = client(LIMITS);
    for path in ["/1", "/2", "/close", "/3"] {
        assert_eq!(fetch_with(&client, &server, path).unwrap().head.status, 200, "{path}");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(server.hits.lock().unwrap().len(), 4);
}

#[test]
fn private_addresses_are_refused_at_the_last_moment() {
    let server = ScriptedServer::start(|_, _| ScriptedReply::page(200, "", "secret"));
    let client = client(LIMITS).allowing_private(PrivateAddresses::default());
    let error = fetch_with(&client, &server, "/").unwrap_err();
    assert_eq!((error.status, error.retry), (fetch_status::BLOCKED_BY_SETTING, false));
    assert!(error.message.contains("127.0.0.1") && error.message.contains("loopback"), "{error}");
    assert!(server.hits.lock().unwrap().is_empty());
    // A host or a network that is listed lets in no more than it names.
    for (entry, lets_in) in [("127.0.0.0/8", true), ("127.0.0.1", true), ("10.0.0.0/8", false), ("localhost", false)] {
        let listed = PrivateAddresses::Listed(vec![entry.to_owned()]);
        let fetched = fetch_with(&self::client(LIMITS).allowing_private(listed), &server, "/");
        assert_eq!(fetched.is_ok(), lets_in, "{entry}");
    }
}

#[test]
fn a_wish_to_stop_ends_a_slow_answer() {
    let stop = Arc::new(AtomicBool::new(false));
    let abandon: Abandon = Arc::new({
        let stop = Arc::clone(&stop);
        move || stop.load(Ordering::SeqCst)
    });
    let parts = vec![
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".to_vec(), Duration::ZERO),
        (b"x".to_vec(), Duration::from_millis(20)),
    ];
    let server =
        ScriptedServer::start(move |_, _| ScriptedReply { parts: parts.clone(), endless: true, keep_open: false });
    let client = client(LIMITS).abandoned_when(abandon);
    let begin = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(150));
            stop.store(true, Ordering::SeqCst);
        });
        assert!(fetch_with(&client, &server, "/").unwrap_err().message.contains("given up"));
    });
    assert!(begin.elapsed() < Duration::from_secs(15));
}

#[test]
fn requests_name_their_user_agent_and_keep_the_query() {
    let client = client(LIMITS);
    let server = ScriptedServer::start(|_, _| ScriptedReply::page(200, "", ""));
    let exchange = fetch_with(&client, &server, "/a%20b?x=1&y=ç").unwrap();
    let request = String::from_utf8(exchange.request).unwrap();
    assert!(request.starts_with("GET /a%20b?x=1&y=%C3%A7 HTTP/1.1\r\n"), "{request}");
    assert!(request.contains(&format!("\r\nHost: {}\r\n", server.addr)), "{request}");
    assert!(request.contains("\r\nUser-Agent: test (+mailto:test@example.org)\r\n"), "{request}");
    assert!(request.ends_with("\r\n\r\n"));
}

#[test]
fn failures_have_heritrix_numbers() {
    let client = client(LIMITS);
    let url = Url::parse("http://no-such-host.invalid/").unwrap();
    assert_eq!(client.addresses(&url).unwrap_err().status, fetch_status::DNS_FAILED);
    // No other test listens where only the system may.
    let closed = std::net::SocketAddr::from(([127, 0, 0, 1], 1));
    let url = Url::parse(&format!("http://{closed}/")).unwrap();
    assert_eq!(client.fetch(&url, &[closed], client.limits(), None).unwrap_err().status, fetch_status::CONNECT_FAILED);
}
