//! HTTPS against a server with a certificate that nobody would trust.

#![allow(clippy::unwrap_used)]

use super::fetch::{Client, FetchLimits, fetch_status};
use super::resolver::{Resolver, SystemResolver};
use crate::uri::Url;
use data_encoding::BASE64;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

/// Self-signed for a.example and valid for one day in 2026; made for this test.
const CERTIFICATE: &str = "\
    MIIBkjCCATmgAwIBAgIUMwjPP8pMaaZksux10WRaFY1xXNcwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJYS5leGFtcGxlMB4XDTI2\
    MTEyMDE4MDc0OFoXDTI2MTEyMTE4MDc0OFowFDESMBAGA1UEAwwJYS5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\
    L4bsevb3bHKocLWh4QFEc2JyvxCUSYaYtSiVmk5SyuS5HnzYVt6NOQ8Gt5DmJX96jQpx0gF+JsguAzHAx3IUj6NpMGcwHQYDVR0O\
    BBYEFF0cVtkurl7nGNZGLO8SQ0MLdueWMB8GA1UdIwQYMBaAFF0cVtkurl7nGNZGLO8SQ0MLdueWMA8GA1UdEwEB/wQFMAMBAf8w\
    FAYDVR0RBA0wC4IJYS5leGFtcGxlMAoGCCqGSM49BAMCA0cAMEQCIGjhkVruyxUdGFSQfBHFUUsnz8TNdypzr6gR7P3fyhz/AiBv\
    2kqjuk6qeBEsNZy0Bi75TSvzcqbfOkwVXiJegXEq7A==";
/// Its key, of no use to anybody.
const KEY: &str = "\
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgJ3ktUKzFJ5lP/PCqmfhxIieaWeE32s6PUZNBxHSBlkWhRANCAAQv\
    hux69vdscqhwtaHhAURzYnK/EJRJhpi1KJWaTlLK5LkefNhW3o05Dwa3kOYlf3qNCnHSAX4myC4DMcDHchSP";

fn server(answer: &'static [u8], close_notify: bool) -> SocketAddr {
    let certificate = CertificateDer::from(BASE64.decode(CERTIFICATE.as_bytes()).unwrap());
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(BASE64.decode(KEY.as_bytes()).unwrap()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let connection = ServerConnection::new(Arc::new(config.clone())).unwrap();
            let mut stream = StreamOwned::new(connection, socket.unwrap());
            let mut request = [0; 4096];
            if stream.read(&mut request).is_err() || stream.write_all(answer).is_err() {
                continue;
            }
            if close_notify {
                stream.conn.send_close_notify();
            }
            let _ = stream.flush();
        }
    });
    addr
}

fn client() -> Client {
    let resolver: Arc<dyn Resolver> = Arc::new(SystemResolver::start().unwrap());
    let time = Duration::from_secs(5);
    let limits = FetchLimits { bytes: 1_000_000, time, idle: time, head: time, least_rate: 0, rate_window: time };
    Client::new(resolver, "test (+mailto:test@example.org)", limits, std::env::temp_dir())
        .unwrap()
        .allowing_private(crate::campaign::PrivateAddresses::All)
}

#[test]
fn an_untrusted_server_is_read_and_what_is_wrong_is_written_down() {
    let url = Url::parse("https://a.example/").unwrap();
    for close_notify in [true, false] {
        let addr = server(b"HTTP/1.1 200 OK\r\n\r\nsecured until close", close_notify);
        let mut exchange = client().fetch(&url, &[addr], client().limits(), None).unwrap();
        assert_eq!(*exchange.decoded_payload(100).unwrap().bytes, *b"secured until close");
        assert_eq!(exchange.cut, None);
        let tls = exchange.tls.unwrap();
        assert_eq!(tls.protocol, "tls/1.3");
        assert!(tls.cipher.starts_with("TLS_"), "{}", tls.cipher);
        assert!(tls.certificate_problem.is_some());
    }
}

#[test]
fn a_server_that_does_not_speak_tls_is_reported() {
    let plain = crate::testing::ScriptedServer::start(|_, _| crate::testing::ScriptedReply::page(200, "", "plain"));
    let url = Url::parse("https://a.example/").unwrap();
    let error = client().fetch(&url, &[plain.addr], client().limits(), None).unwrap_err();
    assert_eq!(error.status, fetch_status::CONNECT_FAILED, "{error}");
}
