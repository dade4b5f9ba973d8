//! Listeners and connections: a thread each, keep-alive, limits, an end.

use super::request::{Incoming, ReadRequest, RequestReader};
use super::{HttpReply, HttpRequest, ServerLimits};
use crate::jobs::lock;
use std::collections::HashMap;
use std::io::{self, ErrorKind, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long the end of a server waits for handlers that are at work.
const WAIT_FOR_HANDLERS: Duration = Duration::from_secs(5);
/// How long a listener rests when the system gives it no connection, as it does when files run out.
const AFTER_FAILED_ACCEPT: Duration = Duration::from_millis(50);
/// How often the end of a server tries to wake a listener.
const WAKE_ATTEMPTS: usize = 20;
/// Time and bytes for reading on from a client that was refused.
const LINGER: (Duration, usize) = (Duration::from_secs(1), 1 << 20);

/// Something that can be served.
pub trait Handler: Send + Sync {
    /// Answers a request. Only the method decides whether the reply is sent with its body: HEAD gets the head.
    fn handle(&self, request: &HttpRequest) -> HttpReply;
}

/// A running server; it stops when dropped.
pub struct HttpServer {
    shared: Arc<Shared>,
    listeners: Vec<(SocketAddr, JoinHandle<()>)>,
}

struct Shared {
    handler: Arc<dyn Handler>,
    limits: ServerLimits,
    stopping: AtomicBool,
    connections: Mutex<Connections>,
    /// A connection ended, or the server stops.
    changed: Condvar,
    request_count: AtomicU64,
}

#[derive(Default)]
struct Connections {
    next: u64,
    open: HashMap<u64, TcpStream>,
}

impl HttpServer {
    /// A server that listens nowhere yet.
    pub fn new(handler: Arc<dyn Handler>, limits: ServerLimits) -> Self {
        let shared = Shared {
            handler,
            limits,
            stopping: AtomicBool::new(false),
            connections: Mutex::default(),
            changed: Condvar::new(),
            request_count: AtomicU64::new(0),
        };
        Self { shared: Arc::new(shared), listeners: Vec::new() }
    }

    /// Listens at an address of loopback; port 0 takes a free one. Says where.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidInput`] for an address beyond loopback; errors of the operating system.
    pub fn listen(&mut self, address: SocketAddr) -> io::Result<SocketAddr> {
        if !address.ip().is_loopback() {
            let why = format!("{address} can be reached by others; name an address of loopback, such as 127.0.0.1");
            return Err(io::Error::new(ErrorKind::InvalidInput, why));
        }
        let listener = TcpListener::bind(address)?;
        let socket = listener.local_addr()?;
        let shared = Arc::clone(&self.shared);
        let thread =
            std::thread::Builder::new().name(format!("serve {socket}")).spawn(move || accept(&listener, &shared))?;
        self.listeners.push((socket, thread));
        Ok(socket)
    }

    /// Requests that reached the handler so far.
    pub fn request_count(&self) -> u64 {
        self.shared.request_count.load(Ordering::Relaxed)
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let shared = &self.shared;
        {
            // Under the lock: a handler that waits reads the flag under it, too.
            let _connections = lock(&shared.connections);
            shared.stopping.store(true, Ordering::SeqCst);
        }
        shared.changed.notify_all();
        let connections = lock(&shared.connections);
        for stream in connections.open.values() {
            drop(stream.shutdown(Shutdown::Both));
        }
        let waited = shared
            .changed
            .wait_timeout_while(connections, WAIT_FOR_HANDLERS, |connections| !connections.open.is_empty());
        let left = waited.unwrap_or_else(PoisonError::into_inner).0.open.len();
        if left > 0 {
            tracing::warn!(left, "connections of a server that ended are still at work");
        }
        // Last, since the connections had descriptors that are needed to wake the listeners.
        for (socket, thread) in self.listeners.drain(..) {
            match wake(socket, &thread) {
                true => drop(thread.join()),
                false => tracing::warn!(%socket, "the listener of a server that ended could not be woken"),
            }
        }
    }
}

/// Ends the accept call of a listener, which sees then that the server stops; false where that cannot be done, as in a
/// process without a free descriptor.
fn wake(socket: SocketAddr, thread: &JoinHandle<()>) -> bool {
    (0..WAKE_ATTEMPTS).any(|_| {
        let is_awake = TcpStream::connect_timeout(&socket, Duration::from_secs(1)).is_ok() || thread.is_finished();
        if !is_awake {
            std::thread::sleep(AFTER_FAILED_ACCEPT);
        }
        is_awake
    })
}

/// Takes a connection off the list when its thread ends, however that is.
struct Registered<'s> {
    shared: &'s Shared,
    id: u64,
}

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        lock(&self.shared.connections).open.remove(&self.id);
        self.shared.changed.notify_all();
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        let Ok((stream, registered)) = stream.and_then(|stream| Ok((stream.try_clone()?, stream))) else {
            std::thread::sleep(AFTER_FAILED_ACCEPT);
            continue;
        };
        let id = {
            let mut connections = lock(&shared.connections);
            if shared.stopping.load(Ordering::SeqCst) {
                return;
            }
            if connections.open.len() >= shared.limits.connections {
                drop(connections);
                refuse_connection(stream);
                continue;
            }
            connections.next += 1;
            let id = connections.next;
            connections.open.insert(id, registered);
            id
        };
        let mine = Arc::clone(shared);
        let spawned = std::thread::Builder::new().name("serve connection".into()).spawn(move || {
            let registered = Registered { shared: &mine, id };
            if let Err(error) = serve(stream, &mine) {
                tracing::debug!(%error, "a connection to a server on loopback ended");
            }
            drop(registered);
        });
        if spawned.is_err() {
            drop(Registered { shared, id });
        }
    }
}

/// Says that there are too many connections. So few bytes go into the buffer of the system: nobody is waited for.
fn refuse_connection(mut stream: TcpStream) {
    let _ = stream.set_nonblocking(true);
    let _ = HttpReply::plain(503, "Too many connections").write(&mut stream, false, true, true);
}

fn serve(stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = RequestReader::new(stream.try_clone()?);
    let mut out = Pieces { stream, time: shared.limits.write_time };
    loop {
        let ReadRequest { request, close, is_current } = match reader.next(&shared.limits)? {
            Incoming::Request(request) => request,
            Incoming::Refused(status, why) => {
                HttpReply::plain(status, why).write(&mut out, false, true, true)?;
                out.stream.shutdown(Shutdown::Write)?;
                reader.linger(LINGER.0, LINGER.1);
                return Ok(());
            }
            Incoming::End => return Ok(()),
        };
        shared.request_count.fetch_add(1, Ordering::Relaxed);
        let handled = catch_unwind(AssertUnwindSafe(|| shared.handler.handle(&request)));
        let mut reply = handled.unwrap_or_else(|panic| {
            tracing::error!("a request failed: {}", crate::jobs::panic_message(&*panic));
            HttpReply::plain(500, "Internal error")
        });
        if reply.status == 200
            && matches!(request.method.as_str(), "GET" | "HEAD")
            && reply.header("ETag").is_some_and(|tag| request.has_tag(tag))
        {
            reply = reply.not_modified();
        }
        shared.pause(reply.delay);
        let close = close || shared.stopping.load(Ordering::SeqCst);
        reply.write(&mut out, request.method == "HEAD", close, is_current)?;
        if close {
            return Ok(());
        }
    }
}

impl Shared {
    /// Waits so long, unless the server stops.
    fn pause(&self, time: Duration) {
        if !time.is_zero() {
            let connections = lock(&self.connections);
            let runs = |_: &mut Connections| !self.stopping.load(Ordering::SeqCst);
            drop(self.changed.wait_timeout_while(connections, time, runs));
        }
    }
}

/// A stream that gives each piece of a reply so much time.
struct Pieces {
    stream: TcpStream,
    time: Duration,
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let until = Instant::now() + self.time;
        while !bytes.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ErrorKind::TimedOut.into());
            }
            self.stream.set_write_timeout(Some(left))?;
            match self.stream.write(bytes) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(len) => bytes = &bytes[len..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
