//! A web of our own on loopback: an invented town on a lagoon, its library,
//! festival, newspaper, assembly and the people who write about them.
//!
//! In: the fragments under `assets/sample-web` (and `assets/sample-web-2`,
//! what changed by the second launch), embedded in the program. Out: a running
//! HTTP server with one loopback address per host, the host overrides that
//! lead a crawl there, the sample campaign and a small geolocation database.
//!
//! Invariants: what is served depends on host, target and edition only, so
//! that a second crawl of the same edition repeats every payload; nothing
//! leaves loopback.

mod campaign;
mod content;
mod demo;
mod generated;
mod hosts;
mod traps;
mod workspace;

pub use campaign::{campaign, geo_database};
pub use demo::{DemoReport, run_demo};
pub use hosts::{HOSTS, HostSpec, Wire};
pub use workspace::{add_sample_campaign, example_campaign, is_sample, sample_edition, serve_sample};

use crate::serve::{Handler, HttpReply, HttpRequest, NamedHosts};
use content::Library;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// The state of the sample web that is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Edition {
    /// As it was at the first launch.
    #[default]
    First,
    /// Some weeks later: pages changed, added and gone.
    Second,
}

/// The sample web, answering until dropped.
pub struct SampleWeb {
    hosts: NamedHosts,
    pages: Arc<SamplePages>,
}

impl SampleWeb {
    /// Starts the servers on ephemeral ports.
    ///
    /// # Errors
    /// When loopback cannot be listened on.
    pub fn start(edition: Edition) -> io::Result<Self> {
        let pages = Arc::new(SamplePages::new(edition));
        let hosts: Vec<_> = HOSTS.iter().flat_map(|h| h.names().map(|name| (name.to_owned(), h.address()))).collect();
        let mut named = NamedHosts::start(&hosts, Arc::clone(&pages) as Arc<dyn Handler>)?;
        named.add_dead_host(hosts::DEAD_HOST, hosts::loopback(hosts::DEAD_HOST_NET));
        Ok(Self { hosts: named, pages })
    }

    /// Switches to another edition; requests from now on see it.
    pub fn set_edition(&self, edition: Edition) {
        self.pages.set_edition(edition);
    }

    /// Host, port in URLs and socket address of every host, the dead one included.
    pub fn resolve(&self) -> Vec<(String, u16, SocketAddr)> {
        self.hosts.resolve()
    }

    /// Whether all hosts share 127.0.0.1 because this system has no other
    /// loopback addresses; geolocation then knows none of them.
    pub fn fallback(&self) -> bool {
        self.hosts.fallback()
    }

    /// Requests answered so far.
    pub fn request_count(&self) -> u64 {
        self.hosts.request_count()
    }

    /// URLs the sample campaign starts from.
    pub fn seeds() -> Vec<String> {
        campaign::seeds().into_iter().map(|seed| seed.url).collect()
    }
}

/// The answers of the sample web, without a network: also for link checks.
pub struct SamplePages {
    edition: AtomicU8,
    first: Library,
    second: Library,
}

impl SamplePages {
    /// Reads the embedded fragments.
    pub fn new(edition: Edition) -> Self {
        let pages = Self { edition: AtomicU8::new(0), first: Library::first(), second: Library::second() };
        pages.set_edition(edition);
        pages
    }

    fn set_edition(&self, edition: Edition) {
        self.edition.store(edition as u8, Ordering::SeqCst);
    }

    fn library(&self) -> &Library {
        if self.edition.load(Ordering::SeqCst) == Edition::Second as u8 { &self.second } else { &self.first }
    }

    /// URL, title and language of every HTML page that has content of its own
    /// (no redirects, errors or endless ones), ordered by URL.
    pub fn listing(&self) -> Vec<(String, String, String)> {
        self.library().listing(|_| true)
    }
}

impl Handler for SamplePages {
    fn handle(&self, request: &HttpRequest) -> HttpReply {
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return HttpReply::method_not_allowed("GET, HEAD");
        }
        let mut reply = self.answer(request);
        reply.headers.insert(0, ("Server".into(), "fonds-sample".into()));
        reply
    }
}

impl SamplePages {
    fn answer(&self, request: &HttpRequest) -> HttpReply {
        let Some(host) = HOSTS.iter().find(|h| h.name == request.host) else {
            return match HOSTS.iter().find(|h| h.alias == Some(request.host.as_str())) {
                Some(host) => traps::moved(301, &format!("http://{}{}", host.name, request.target())),
                None => HttpReply::plain(421, "No such host here"),
            };
        };
        self.library().answer(host, request)
    }
}

#[cfg(test)]
mod tests;
