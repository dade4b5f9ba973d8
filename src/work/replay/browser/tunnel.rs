//! The way from a browser's proxy connection to a server: as it comes, or out of TLS.

use rustls::{ServerConfig, ServerConnection};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Bytes that are passed on at once.
const PIECE_BYTES: usize = 64 << 10;
/// Bytes of the head of a request for a tunnel.
const MAX_HEAD_BYTES: usize = 16 << 10;
/// How long a client may take for that head.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// The first byte of a TLS handshake (RFC 8446, 5.1).
const HANDSHAKE: u8 = 22;

/// The servers behind a proxy: of URLs that begin with `http:`, and with `https:`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Behind {
    pub(super) http: SocketAddr,
    pub(super) https: SocketAddr,
}

/// Passes a connection on until one side ends it.
pub(super) fn pass_on(mut client: TcpStream, behind: Behind, tls: Arc<ServerConfig>) -> io::Result<()> {
    client.set_nodelay(true)?;
    client.set_read_timeout(Some(HEAD_TIME))?;
    let mut first = vec![0; 8];
    let begun = peek(&client, &mut first)?;
    if !first[..begun].starts_with(b"CONNECT ") {
        return join(client, TcpStream::connect(behind.http)?);
    }
    read_head(&mut client)?;
    client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
    let mut first = [0];
    if peek(&client, &mut first)? == 0 {
        return Ok(());
    }
    // What speaks no TLS in a tunnel is a WebSocket of a page without it.
    match first[0] {
        HANDSHAKE => {
            join_tls(client, TcpStream::connect(behind.https)?, ServerConnection::new(tls).map_err(io::Error::other)?)
        }
        _ => join(client, TcpStream::connect(behind.http)?),
    }
}

/// The first bytes that come, which stay to be read.
fn peek(stream: &TcpStream, bytes: &mut [u8]) -> io::Result<usize> {
    let mut len = 0;
    // Some clients send a head in pieces; each look begins anew.
    for _ in 0..1000 {
        let seen = stream.peek(bytes)?;
        if seen == bytes.len() || seen == 0 || seen > 0 && !b"CONNECT ".starts_with(&bytes[..seen]) {
            return Ok(seen);
        }
        len = seen;
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(len)
}

fn read_head(client: &mut TcpStream) -> io::Result<()> {
    let mut head = Vec::new();
    let mut byte = [0];
    // To its end and no byte further: what follows is the handshake.
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() == MAX_HEAD_BYTES || client.read(&mut byte)? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        head.push(byte[0]);
    }
    Ok(())
}

/// Passes bytes on, both ways.
fn join(client: TcpStream, server: TcpStream) -> io::Result<()> {
    client.set_read_timeout(None)?;
    server.set_nodelay(true)?;
    let (mut from_client, mut to_server) = (client.try_clone()?, server.try_clone()?);
    let there = std::thread::Builder::new().name("proxy request".into()).spawn(move || {
        let ended = copy(&mut from_client, |bytes| to_server.write_all(bytes));
        drop(to_server.shutdown(Shutdown::Both));
        ended
    })?;
    let (mut from_server, mut to_client) = (server, client);
    let ended = copy(&mut from_server, |bytes| to_client.write_all(bytes));
    drop(to_client.shutdown(Shutdown::Both));
    drop(there.join());
    ended
}

/// Passes bytes on, both ways; those of the client are TLS.
fn join_tls(client: TcpStream, server: TcpStream, tls: ServerConnection) -> io::Result<()> {
    client.set_read_timeout(None)?;
    server.set_nodelay(true)?;
    let tls = Arc::new(Mutex::new(tls));
    let (mut from_client, mut to_server, theirs) = (client.try_clone()?, server.try_clone()?, Arc::clone(&tls));
    let there = std::thread::Builder::new().name("proxy request".into()).spawn(move || {
        let mut answers = from_client.try_clone()?;
        let mut plain = Vec::new();
        let ended = copy(&mut from_client, |mut bytes| {
            while !bytes.is_empty() {
                plain.clear();
                {
                    let mut tls = crate::jobs::lock(&theirs);
                    tls.read_tls(&mut bytes)?;
                    let read = tls.process_new_packets().map_err(io::Error::other)?.plaintext_bytes_to_read();
                    plain.resize(read, 0);
                    tls.reader().read_exact(&mut plain)?;
                    send_tls(&mut tls, &mut answers)?;
                }
                to_server.write_all(&plain)?;
            }
            Ok(())
        });
        drop(to_server.shutdown(Shutdown::Both));
        ended
    })?;
    let (mut from_server, mut to_client) = (server, client);
    let ended = copy(&mut from_server, |mut bytes| {
        while !bytes.is_empty() {
            let mut tls = crate::jobs::lock(&tls);
            let len = tls.writer().write(bytes)?;
            bytes = &bytes[len..];
            send_tls(&mut tls, &mut to_client)?;
        }
        Ok(())
    });
    {
        let mut tls = crate::jobs::lock(&tls);
        tls.send_close_notify();
        drop(send_tls(&mut tls, &mut to_client));
    }
    drop(to_client.shutdown(Shutdown::Both));
    drop(there.join());
    ended
}

fn send_tls(tls: &mut ServerConnection, out: &mut TcpStream) -> io::Result<()> {
    while tls.wants_write() {
        tls.write_tls(out)?;
    }
    Ok(())
}

fn copy(from: &mut TcpStream, mut put: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut piece = crate::jobs::filled(0_u8, PIECE_BYTES);
    loop {
        match from.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(len) => put(&piece[..len])?,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
