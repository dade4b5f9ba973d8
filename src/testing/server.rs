//! A scripted server on loopback for tests: it sends exactly the given bytes.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The server's response to one request.
#[derive(Clone)]
pub struct ScriptedReply {
    /// Bytes, and the pause after each part.
    pub parts: Vec<(Vec<u8>, Duration)>,
    /// Sends the last part again and again until the client is gone.
    pub endless: bool,
    /// Waits for another request on the same line.
    pub keep_open: bool,
}

impl ScriptedReply {
    /// A reply of these bytes; then the connection is closed.
    pub fn raw(bytes: impl AsRef<[u8]>) -> Self {
        Self { parts: vec![(bytes.as_ref().to_vec(), Duration::ZERO)], endless: false, keep_open: false }
    }

    /// A whole answer with a length, on a line that stays open.
    pub fn page(status: u16, fields: &str, body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let mut bytes = format!("HTTP/1.1 {status} X\r\n{fields}Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        bytes.extend_from_slice(body);
        Self { keep_open: true, ..Self::raw(bytes) }
    }

    /// An HTML page.
    pub fn html(body: &str) -> Self {
        Self::page(200, "Content-Type: text/html; charset=utf-8\r\n", body)
    }
}

/// The server; it serves until the test ends.
pub struct ScriptedServer {
    /// The address of the server.
    pub addr: SocketAddr,
    /// `host path` of every request, in order.
    pub hits: Arc<Mutex<Vec<String>>>,
    is_down: Arc<AtomicBool>,
}

impl ScriptedServer {
    /// Serves with `answer(host, path)`.
    pub fn start(answer: impl Fn(&str, &str) -> ScriptedReply + Send + Sync + 'static) -> Self {
        Self::start_with_heads(move |host, path, _| answer(host, path))
    }

    /// Serves with `answer(host, path, head)`; the head has every field of the request.
    pub fn start_with_heads(answer: impl Fn(&str, &str, &str) -> ScriptedReply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let hits = Arc::new(Mutex::new(Vec::new()));
        let answer = Arc::new(answer);
        let is_down = Arc::new(AtomicBool::new(false));
        std::thread::spawn({
            let (hits, is_down) = (Arc::clone(&hits), Arc::clone(&is_down));
            move || {
                let (mut listener, mut lines) = (listener, Vec::<TcpStream>::new());
                loop {
                    let (socket, _) = listener.accept().unwrap();
                    if is_down.load(Ordering::SeqCst) {
                        drop((listener, socket));
                        lines.drain(..).for_each(|line| drop(line.shutdown(std::net::Shutdown::Both)));
                        while is_down.load(Ordering::SeqCst) {
                            std::thread::sleep(Duration::from_millis(5));
                        }
                        listener = TcpListener::bind(addr).unwrap();
                        continue;
                    }
                    lines.push(socket.try_clone().unwrap());
                    let closing = socket.try_clone().unwrap();
                    let (answer, hits) = (Arc::clone(&answer), Arc::clone(&hits));
                    std::thread::spawn(move || {
                        serve(socket, &*answer, &hits);
                        let _ = closing.shutdown(std::net::Shutdown::Both);
                    });
                }
            }
        });
        Self { addr, hits, is_down }
    }

    /// Goes away, with all its connections, or comes back.
    pub fn set_down(&self, down: bool) {
        self.is_down.store(down, Ordering::SeqCst);
        if down {
            // Whoever waits for the next connection learns of it by one.
            let _ = TcpStream::connect(self.addr);
        }
    }

    /// Paths requested on `host`, in order.
    pub fn paths(&self, host: &str) -> Vec<String> {
        let prefix = format!("{host} ");
        self.hits.lock().unwrap().iter().filter_map(|hit| hit.strip_prefix(&prefix)).map(str::to_owned).collect()
    }
}

fn serve(mut socket: TcpStream, answer: &dyn Fn(&str, &str, &str) -> ScriptedReply, hits: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(socket.try_clone().unwrap());
    loop {
        let (mut path, mut host, mut head) = (String::new(), String::new(), String::new());
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if let Some(rest) = line.strip_prefix("GET ") {
                path = rest.split(' ').next().unwrap().to_owned();
            }
            if let Some(rest) = line.strip_prefix("Host: ") {
                host = rest.trim().to_owned();
            }
            if line.trim().is_empty() {
                break;
            }
            head.push_str(&line);
        }
        hits.lock().unwrap().push(format!("{host} {path}"));
        let reply = answer(&host, &path, &head);
        for (bytes, pause) in &reply.parts {
            if socket.write_all(bytes).is_err() {
                return;
            }
            std::thread::sleep(*pause);
        }
        if let (true, Some((bytes, pause))) = (reply.endless, reply.parts.last()) {
            while socket.write_all(bytes).is_ok() {
                std::thread::sleep(*pause);
            }
            return;
        }
        if !reply.keep_open {
            return;
        }
    }
}
