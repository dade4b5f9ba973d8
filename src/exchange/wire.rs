//! Connections: TCP with deadlines, TLS above it, and those kept for reuse.

use super::resolver::private_address;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, SignatureScheme, StreamOwned};
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The begin of the reason, behind the address, where a handshake failed.
pub const TLS_MARK: &str = "TLS: ";
/// Time for one address to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Addresses of one host that are tried.
const MAX_ADDRESSES: usize = 4;
/// A system call waits at most this long before a cancel is seen.
const SLICE: Duration = Duration::from_secs(1);
/// An unused connection is kept this long.
const KEEP_IDLE: Duration = Duration::from_secs(15);
/// Unused connections that are kept.
const MAX_IDLE: usize = 64;

/// The instants at which reading and writing have to end.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    /// The whole exchange.
    pub end: Instant,
    /// Longest silence.
    pub idle: Duration,
}

/// Asked while waiting for a server: whether to give up at once.
pub type Abandon = Arc<dyn Fn() -> bool + Send + Sync>;

/// Counts the exchanges that are in flight with each address.
pub trait AddressGate: Sync {
    /// Takes a place at an address; false where it is busy.
    fn enter(&self, ip: IpAddr) -> bool;
    /// Gives a place back.
    fn leave(&self, ip: IpAddr);
}

/// A place at an address, given back when it is dropped.
pub struct WirePlace<'g> {
    gate: &'g dyn AddressGate,
    ip: IpAddr,
}

impl<'g> WirePlace<'g> {
    /// Takes a place at an address; none where it is busy.
    pub fn take(gate: &'g dyn AddressGate, ip: IpAddr) -> Option<Self> {
        gate.enter(ip).then(|| Self { gate, ip })
    }
}

impl Drop for WirePlace<'_> {
    fn drop(&mut self) {
        self.gate.leave(self.ip);
    }
}

/// The conditions of a connection to a server.
pub struct Way<'a> {
    /// With TLS for this host name.
    pub tls: Option<(&'a TlsClient, &'a str)>,
    /// Private addresses that are allowed.
    pub private: &'a dyn Fn(IpAddr) -> bool,
    /// When connecting has to end.
    pub deadline: Deadline,
    /// Whether to give up.
    pub abandon: Option<Abandon>,
}

/// A socket whose every call ends in time.
struct TimedSocket {
    socket: TcpStream,
    deadline: Deadline,
    abandon: Option<Abandon>,
    set: Duration,
}

impl TimedSocket {
    /// Runs one call in slices until it ends, time is up or nobody wants it.
    fn sliced<T>(&mut self, mut call: impl FnMut(&mut TcpStream) -> io::Result<T>) -> io::Result<T> {
        let begin = Instant::now();
        loop {
            let now = Instant::now();
            let left = (self.deadline.end.saturating_duration_since(now))
                .min(self.deadline.idle.saturating_sub(now - begin))
                .min(SLICE);
            if left.is_zero() {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "no time left"));
            }
            if self.abandon.as_ref().is_some_and(|abandon| abandon()) {
                return Err(io::Error::new(io::ErrorKind::ConnectionAborted, "given up on request"));
            }
            if left != self.set {
                self.socket.set_read_timeout(Some(left))?;
                self.socket.set_write_timeout(Some(left))?;
                self.set = left;
            }
            match call(&mut self.socket) {
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
                    ) => {}
                result => return result,
            }
        }
    }
}

impl Read for TimedSocket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.sliced(|socket| socket.read(buffer))
    }
}

impl Write for TimedSocket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sliced(|socket| socket.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}

enum Stream {
    Plain(TimedSocket),
    Tls(Box<StreamOwned<ClientConnection, TimedSocket>>),
}

/// Protocol and cipher of a TLS connection, and the problem of its certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFacts {
    /// `tls/1.3` or `tls/1.2`.
    pub protocol: String,
    /// Name of the cipher suite.
    pub cipher: String,
    /// Why the certificate would not be trusted, if it would not.
    pub certificate_problem: Option<String>,
}

/// A line to a server.
pub struct Connection {
    stream: Stream,
    address: SocketAddr,
    tls: Option<TlsFacts>,
}

/// Why there is no connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectError {
    /// Every address is private and the campaign does not allow that.
    Private(IpAddr, &'static str),
    /// The address whose turn it is has enough exchanges in flight.
    Busy,
    /// Nobody answers, in words.
    Failed(String),
}

impl Connection {
    /// Connects to the first address that answers, with the place at it.
    /// Private addresses are left out here, at the last moment before a packet
    /// would go out, so that neither a redirect nor a name that changes its
    /// address gets around it.
    pub fn open<'g>(
        addresses: &[SocketAddr],
        way: &Way<'_>,
        gate: Option<&'g dyn AddressGate>,
    ) -> Result<(Self, Option<WirePlace<'g>>), ConnectError> {
        let mut failure = None;
        let mut tried = 0;
        for &address in addresses {
            if let Some(why) = private_address(address.ip()).filter(|_| !(way.private)(address.ip())) {
                failure.get_or_insert(ConnectError::Private(address.ip(), why));
                continue;
            }
            if tried == MAX_ADDRESSES {
                break;
            }
            tried += 1;
            let place = match gate {
                Some(gate) => Some(WirePlace::take(gate, address.ip()).ok_or(ConnectError::Busy)?),
                None => None,
            };
            match connect(address, way.tls, way.deadline, way.abandon.clone()) {
                Ok(connection) => return Ok((connection, place)),
                Err(why) => failure = Some(ConnectError::Failed(format!("{address}: {why}"))),
            }
        }
        Err(failure.unwrap_or_else(|| ConnectError::Failed("the host has no address".to_owned())))
    }

    /// Address of the server.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The secured line, if it is one.
    pub fn tls(&self) -> Option<&TlsFacts> {
        self.tls.as_ref()
    }

    /// Begins another exchange on the same line.
    pub fn rearm(&mut self, deadline: Deadline, abandon: Option<Abandon>) {
        let socket = match &mut self.stream {
            Stream::Plain(socket) => socket,
            Stream::Tls(stream) => &mut stream.sock,
        };
        socket.deadline = deadline;
        socket.abandon = abandon;
    }

    /// Sends all bytes.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.stream {
            Stream::Plain(socket) => socket.write_all(bytes),
            Stream::Tls(stream) => stream.write_all(bytes).and_then(|()| stream.flush()),
        }
    }

    /// Some bytes of the answer; 0 at its end. A TLS line that ends without
    /// `close_notify` has ended too, as servers do that all the time.
    pub fn receive(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.stream {
            Stream::Plain(socket) => socket.read(buffer),
            Stream::Tls(stream) => match stream.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
                result => result,
            },
        }
    }
}

fn connect(
    address: SocketAddr,
    tls: Option<(&TlsClient, &str)>,
    deadline: Deadline,
    abandon: Option<Abandon>,
) -> Result<Connection, String> {
    let time = CONNECT_TIMEOUT.min(deadline.end.saturating_duration_since(Instant::now()));
    if time.is_zero() {
        return Err("no time left to connect".to_owned());
    }
    let socket = TcpStream::connect_timeout(&address, time).map_err(|error| error.to_string())?;
    socket.set_nodelay(true).map_err(|error| error.to_string())?;
    let mut socket = TimedSocket { socket, deadline, abandon, set: Duration::ZERO };
    let Some((client, host)) = tls else {
        return Ok(Connection { stream: Stream::Plain(socket), address, tls: None });
    };
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let name = ServerName::try_from(bare.to_owned()).map_err(|_| format!("“{host}” is no name for TLS"))?;
    let mut connection =
        ClientConnection::new(Arc::clone(&client.config), name.clone()).map_err(|error| error.to_string())?;
    while connection.is_handshaking() {
        connection.complete_io(&mut socket).map_err(|error| format!("{TLS_MARK}{error}"))?;
    }
    let facts = TlsFacts {
        protocol: match connection.protocol_version() {
            Some(rustls::ProtocolVersion::TLSv1_2) => "tls/1.2".to_owned(),
            _ => "tls/1.3".to_owned(),
        },
        cipher: connection
            .negotiated_cipher_suite()
            .map(|suite| format!("{:?}", suite.suite()).replace("TLS13_", "TLS_"))
            .unwrap_or_default(),
        certificate_problem: client.certificate_problem(connection.peer_certificates().unwrap_or_default(), &name),
    };
    let stream = Stream::Tls(Box::new(StreamOwned::new(connection, socket)));
    Ok(Connection { stream, address, tls: Some(facts) })
}

/// TLS for an archive: every server is read, whoever it claims to be, and the
/// faults of its certificate are recorded. A crawl sends no secrets,
/// and sites with an expired certificate are worth keeping too.
pub struct TlsClient {
    config: Arc<ClientConfig>,
    judge: Arc<WebPkiServerVerifier>,
}

impl TlsClient {
    /// Creates a client that checks certificates by Mozilla's roots.
    pub fn new() -> Result<Self, String> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut roots = rustls::RootCertStore::empty();
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        let judge = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
            .build()
            .map_err(|error| error.to_string())?;
        let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AcceptAnyone(provider)))
            .with_no_client_auth();
        Ok(Self { config: Arc::new(config), judge })
    }

    fn certificate_problem(&self, chain: &[CertificateDer<'static>], name: &ServerName<'_>) -> Option<String> {
        let (first, rest) = chain.split_first()?;
        self.judge.verify_server_cert(first, rest, name, &[], UnixTime::now()).err().map(|error| error.to_string())
    }
}

/// Checks that the server holds the key of its certificate, not whose it is.
#[derive(Debug)]
struct AcceptAnyone(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptAnyone {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls12_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls13_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// Scheme, host and port of a line.
pub type Origin = (String, String, u16);

/// Connections that servers left open, for the next URL of the same origin.
#[derive(Default)]
pub struct IdleConnections(Mutex<HashMap<Origin, Vec<(Instant, Connection)>>>);

impl IdleConnections {
    /// The connection used last, if there is one that is not too old.
    pub fn take(&self, origin: &Origin) -> Option<Connection> {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = idle.get_mut(origin)?.pop();
        if idle.get(origin).is_some_and(Vec::is_empty) {
            idle.remove(origin);
        }
        found.filter(|(since, _)| since.elapsed() < KEEP_IDLE).map(|(_, connection)| connection)
    }

    /// Keeps a connection; the old ones are closed when there are too many.
    pub fn keep(&self, origin: Origin, connection: Connection) {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.values().map(Vec::len).sum::<usize>() >= MAX_IDLE {
            idle.retain(|_, list| {
                list.retain(|(since, _)| since.elapsed() < KEEP_IDLE);
                !list.is_empty()
            });
            if idle.values().map(Vec::len).sum::<usize>() >= MAX_IDLE {
                return;
            }
        }
        idle.entry(origin).or_default().push((Instant::now(), connection));
    }
}
