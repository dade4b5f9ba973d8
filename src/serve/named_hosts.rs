//! Host names on loopback addresses of their own.

use super::{Handler, HttpServer, ServerLimits};
use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

/// Port that URLs of served hosts carry (none written: http).
pub const URL_PORT: u16 = 80;

/// Host names that are served on ephemeral ports, each at its own address, until this is dropped.
pub struct NamedHosts {
    server: HttpServer,
    resolve: Vec<(String, u16, SocketAddr)>,
    fallback: bool,
}

impl NamedHosts {
    /// Listens on every address named.
    ///
    /// Where an address of 127.0.0.0/8 cannot be bound (other systems than Linux know 127.0.0.1 only), 127.0.0.1 is
    /// used and [`Self::fallback`] is true.
    ///
    /// # Errors
    ///
    /// When not even 127.0.0.1 can be bound or no thread can be started.
    pub fn start(hosts: &[(String, Ipv4Addr)], handler: Arc<dyn Handler>) -> io::Result<Self> {
        let server = HttpServer::new(handler, ServerLimits::default());
        let mut named = Self { server, resolve: Vec::new(), fallback: false };
        let mut by_address: BTreeMap<Ipv4Addr, SocketAddr> = BTreeMap::new();
        for (host, address) in hosts {
            let socket = match by_address.get(address) {
                Some(socket) => *socket,
                None => named.listen(*address)?,
            };
            by_address.insert(*address, socket);
            named.resolve.push((host.to_ascii_lowercase(), URL_PORT, socket));
        }
        Ok(named)
    }

    fn listen(&mut self, address: Ipv4Addr) -> io::Result<SocketAddr> {
        match self.server.listen(SocketAddr::from((address, 0))) {
            Err(_) if address != Ipv4Addr::LOCALHOST && address.is_loopback() => {
                self.fallback = true;
                self.server.listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))
            }
            listens => listens,
        }
    }

    /// Host, port in URLs and socket of every host, for the crawl's host overrides.
    pub fn resolve(&self) -> Vec<(String, u16, SocketAddr)> {
        self.resolve.clone()
    }

    /// Adds a name whose server does not answer: connections to it are refused.
    pub fn add_dead_host(&mut self, host: &str, address: Ipv4Addr) {
        // Port 1 (tcpmux) is closed on any machine one would crawl from.
        let address = if self.fallback { Ipv4Addr::LOCALHOST } else { address };
        self.resolve.push((host.to_owned(), URL_PORT, SocketAddr::new(IpAddr::V4(address), 1)));
    }

    /// Whether 127.0.0.1 replaces an address that could not be bound, so that geolocation sees one address for
    /// several hosts.
    pub fn fallback(&self) -> bool {
        self.fallback
    }

    /// Requests that reached the handler so far.
    pub fn request_count(&self) -> u64 {
        self.server.request_count()
    }
}
