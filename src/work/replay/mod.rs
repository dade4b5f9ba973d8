//! Replay of a workspace: two servers on loopback, one for archived answers and one for what Fonds says of them.
//!
//! In: requests of a browser or another program. Out: captures with their references rewritten, the page around them,
//! lists, indexes, bytes of archive files. Two origins keep the scripts of archived pages from what only this program
//! may do. Nothing is written, so a workspace that a crawl writes to, and one on a medium without writing, is replayed.

mod answer;
mod archive;
mod browser;
mod capture;
mod control;
mod file_names;
mod indexes;
mod known;
mod log;
mod lookup;
mod partial;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use browser::{
    AtCrawl, CleanBrowser, PagePicture, PageRequest, ReplayCheckOptions, ReplayCheckReport, ReplayFindings,
    find_browser,
};

use super::Session;
use super::models::CaptureId;
use crate::replay::{Hint, replay_path};
use crate::serve::{Handler, HttpReply, HttpRequest, HttpServer, ServerLimits};
use crate::uri::CaptureDate;
use anyhow::Context;
use file_names::FileNames;
use log::ReplayLog;
use std::borrow::Cow;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

/// Bytes of a request's body: forms whose answers are looked up by them.
const MAX_BODY_BYTES: usize = 1 << 20;
/// Connections to each of the two servers at once.
const MAX_CONNECTIONS: usize = 64;

/// A running replay; it ends when dropped.
pub struct ReplayServer {
    _servers: [HttpServer; 2],
    replay: Arc<Replay>,
}

/// What both servers know.
struct Replay {
    session: Arc<Session>,
    origins: OnceLock<Origins>,
    /// What all paths begin with: a slash and a token that only who was given an address knows; else empty.
    root: String,
    log: Mutex<ReplayLog>,
    file_names: Mutex<Option<Arc<FileNames>>>,
    /// The person's own copy of a player that runs as a service worker.
    player: Option<PathBuf>,
}

/// Ports of both servers.
#[derive(Debug, Clone, Copy)]
struct Origins {
    control: u16,
    archive: u16,
}

/// One of the servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Control,
    Archive,
}

impl ReplayServer {
    /// Starts both servers for a workspace: the pages of Fonds at `port`, the archive at the next one; without a port
    /// at free ones. `player` is a folder with ReplayWeb.page. With a `token` both answer only paths that begin with
    /// it.
    ///
    /// # Errors
    ///
    /// Ports that others have, and those of the system.
    pub fn start(
        session: Arc<Session>,
        port: Option<u16>,
        player: Option<PathBuf>,
        token: Option<&str>,
    ) -> anyhow::Result<Self> {
        let root = token.map(|token| format!("/{token}")).unwrap_or_default();
        let replay = Arc::new(Replay { player, root, ..Replay::of(session) });
        let begin = |origin, port: u16| {
            let limits =
                ServerLimits { body_bytes: MAX_BODY_BYTES, connections: MAX_CONNECTIONS, ..ServerLimits::default() };
            let mut server = HttpServer::new(Arc::new(Endpoint { origin, replay: Arc::clone(&replay) }), limits);
            let socket = server.listen(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
            let socket = socket.with_context(|| {
                format!("port {port} of this machine cannot be used: choose another one with --port, or none")
            })?;
            Ok::<_, anyhow::Error>((server, socket.port()))
        };
        let port = port.unwrap_or(0);
        anyhow::ensure!(port < u16::MAX, "port {port} has none behind it for the archive: choose a lower one");
        let (archive, archive_port) = begin(Origin::Archive, if port == 0 { 0 } else { port + 1 })?;
        let (control, control_port) = begin(Origin::Control, port)?;
        let _ = replay.origins.set(Origins { control: control_port, archive: archive_port });
        Ok(Self { _servers: [control, archive], replay })
    }

    /// What the addresses of the pages of Fonds begin with: `http://127.0.0.1:8090`, and the token.
    pub fn control_url(&self) -> String {
        self.replay.base(Origin::Control)
    }

    /// What the addresses of archived answers begin with.
    pub fn archive_url(&self) -> String {
        self.replay.base(Origin::Archive)
    }

    /// The address at which a capture is shown.
    pub fn capture_url(&self, capture: CaptureId) -> String {
        format!("{}/capture/{capture}", self.control_url())
    }
}

/// A token that nobody guesses.
pub fn random_token() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}

impl Replay {
    /// The replay of a workspace, without servers yet.
    fn of(session: Arc<Session>) -> Self {
        Self {
            session,
            origins: OnceLock::new(),
            root: String::new(),
            log: Mutex::default(),
            file_names: Mutex::default(),
            player: None,
        }
    }

    /// What the addresses of a server begin with, without a slash at the end.
    fn base(&self, origin: Origin) -> String {
        self.origin(origin) + &self.root
    }

    fn origin(&self, origin: Origin) -> String {
        format!("http://127.0.0.1:{}", self.port(origin))
    }

    fn port(&self, origin: Origin) -> u16 {
        self.origins.get().map_or(0, |origins| match origin {
            Origin::Control => origins.control,
            Origin::Archive => origins.archive,
        })
    }

    /// The path of a capture.
    fn capture_path(&self, timestamp: &str, hint: Hint, url: &str) -> String {
        replay_path(&self.root, timestamp, hint, url)
    }

    /// The path of a capture as a page.
    fn page_path(&self, url: &str, date: CaptureDate) -> String {
        self.capture_path(&date.to_digits14(), Hint::Page, url)
    }

    /// The path of the page around a capture.
    fn shown_path(&self, timestamp: &str, url: &str) -> String {
        format!("{}/r/{timestamp}/{url}", self.root)
    }
}

struct Endpoint {
    origin: Origin,
    replay: Arc<Replay>,
}

impl Endpoint {
    /// The answer to a request that this server does not serve: one for another host, or of another site.
    fn refusal(&self, request: &HttpRequest, path: &str) -> Option<HttpReply> {
        let host = request.header("Host").unwrap_or_default();
        let is_of = |origin: Origin, host: &str| {
            let (name, own) = host.rsplit_once(':').unwrap_or((host, "80"));
            let is_loopback = ["127.0.0.1", "localhost", "[::1]"].iter().any(|own| name.eq_ignore_ascii_case(own));
            is_loopback && own.parse() == Ok(self.replay.port(origin))
        };
        // A name of somebody else that leads to this machine.
        if !is_of(self.origin, host) {
            return Some(HttpReply::plain(421, "This server has no such host: use its address 127.0.0.1"));
        }
        let field = |name: &str| request.header(name).unwrap_or_default();
        let is_opened = field("Sec-Fetch-Mode") == "navigate" && field("Sec-Fetch-Dest") == "document";
        let is_foreign = match self.origin {
            Origin::Control => {
                let is_page = path == "/" || ["/r/", "/capture/"].iter().any(|begin| path.starts_with(begin));
                let is_of_others = matches!(field("Sec-Fetch-Site"), "cross-site" | "same-site");
                is_of_others && !(is_opened && is_page)
            }
            Origin::Archive => field("Sec-Fetch-Site") == "cross-site" && !is_opened,
        };
        let is_own_origin = |origin: &str| match self.origin {
            // Frames without an origin of their own are pages of the archive, too.
            Origin::Archive if origin == "null" => true,
            Origin::Archive => origin
                .strip_prefix("http://")
                .is_some_and(|host| is_of(Origin::Archive, host) || is_of(Origin::Control, host)),
            Origin::Control => origin.strip_prefix("http://").is_some_and(|host| is_of(Origin::Control, host)),
        };
        let is_of_other_origin = request.header("Origin").is_some_and(|origin| !is_own_origin(origin));
        (is_foreign || is_of_other_origin)
            .then(|| HttpReply::plain(403, "This server answers its own pages alone, not those of other sites"))
    }
}

impl Handler for Endpoint {
    fn handle(&self, request: &HttpRequest) -> HttpReply {
        let inside =
            request.path.strip_prefix(&self.replay.root).filter(|path| path.is_empty() || path.starts_with('/'));
        let inside = inside.map(|path| if path.is_empty() { "/" } else { path });
        if let Some(refusal) = self.refusal(request, inside.unwrap_or_default()) {
            return refusal;
        }
        let inside = inside.map(|path| match path == request.path {
            true => Cow::Borrowed(request),
            false => Cow::Owned(request.at(path)),
        });
        let answer = match (self.origin, &inside) {
            (Origin::Control, Some(request)) => self.replay.control(request),
            (Origin::Archive, Some(request)) => self.replay.archive(request),
            // A path of an archived site that its page did not get rewritten.
            (Origin::Archive, None) if self.replay.is_of_page(request) => Ok(self.replay.escaped(request)),
            (_, None) => Ok(HttpReply::plain(403, "Addresses here begin with a token that is not in this one")),
        };
        let reply = answer.unwrap_or_else(|error| {
            let why = super::error_chain(&error);
            tracing::warn!(target = request.target(), why, "a request of the replay cannot be answered");
            self.replay.own_page(500, "This cannot be replayed", &[why], &[])
        });
        self.replay.with_policy(self.origin, reply)
    }
}
