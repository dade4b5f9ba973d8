//! Resolver of host names, and the check whether an address may be fetched from.

use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// An answer is used this long, as Heritrix does.
const KEEP_ANSWER: Duration = Duration::from_secs(21_600);
/// A failure is used this long, so that a page full of links to a dead host makes one query.
const KEEP_FAILURE: Duration = Duration::from_secs(30);
/// Names in the cache.
const MAX_NAMES: usize = 50_000;
/// Questions on their way at the same time.
const THREADS: usize = 8;
/// The system's own call has no time-out; nobody waits longer than this.
const TIMEOUT: Duration = Duration::from_secs(20);
/// How often it is seen whether the crawl was cancelled.
const POLL: Duration = Duration::from_millis(200);

/// Why a name has no address, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{host} {}: {why}", if self.is_temporary() { NOT_NOW } else { "cannot be resolved" })]
pub struct ResolveError {
    /// The name.
    pub host: String,
    /// The error of the system's resolver.
    pub why: String,
}

impl ResolveError {
    /// Whether the name server was not available, which is no evidence about the
    /// name.
    fn is_temporary(&self) -> bool {
        let why = self.why.to_ascii_lowercase();
        ["temporary failure", "try again", "no answer within", "overloaded"].iter().any(|text| why.contains(text))
    }
}

/// The begin of the reason, behind the name, where the name server was not
/// available.
pub const NOT_NOW: &str = "cannot be resolved now";

/// Finds addresses of hosts.
pub trait Resolver: Send + Sync {
    /// The addresses of a host name, at least one; blocks for a bounded time.
    fn resolve(&self, host: &str) -> Result<Vec<IpAddr>, ResolveError>;

    /// Resolves many names side by side, so that [`Self::resolve`] knows their
    /// answers at once afterwards; ends early when `is_cancelled` is true.
    /// One that answers at once anyway does nothing.
    fn resolve_ahead(&self, _hosts: &[&str], _is_cancelled: &dyn Fn() -> bool) {}
}

/// Sends one host and port somewhere else, as `curl --resolve` does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostOverride {
    /// Host name as in URLs, lower case.
    pub host: String,
    /// Port as in URLs.
    pub port: u16,
    /// Where to connect instead.
    pub addr: SocketAddr,
}

/// The text is no override.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is not HOST:PORT:ADDRESS, such as www.example.pt:80:127.0.0.1 or www.example.pt:443:127.0.0.1:8443")]
pub struct OverrideError(pub String);

impl FromStr for HostOverride {
    type Err = OverrideError;

    /// `HOST:PORT:ADDR`, where `ADDR` is an address, optionally with its own
    /// port (IPv6 then in brackets).
    fn from_str(text: &str) -> Result<Self, OverrideError> {
        let read = || {
            let (host, rest) = text.split_once(':')?;
            let (port, addr) = rest.split_once(':')?;
            let port = port.parse().ok().filter(|port| *port > 0)?;
            let bare = addr.strip_prefix('[').and_then(|addr| addr.strip_suffix(']')).unwrap_or(addr);
            let addr = match bare.parse::<IpAddr>() {
                Ok(ip) => SocketAddr::new(ip, port),
                Err(_) => addr.parse().ok()?,
            };
            (!host.is_empty()).then(|| Self { host: host.trim_end_matches('.').to_ascii_lowercase(), port, addr })
        };
        read().ok_or_else(|| OverrideError(text.to_owned()))
    }
}

impl fmt::Display for HostOverride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.host, self.port, self.addr)
    }
}

/// Why an address is not fetched from unless the campaign allows it; none for
/// addresses of the public internet.
pub fn private_address(ip: IpAddr) -> Option<&'static str> {
    match ip {
        IpAddr::V4(ip) => private_v4(ip),
        IpAddr::V6(ip) => private_v6(ip),
    }
}

fn private_v4(ip: Ipv4Addr) -> Option<&'static str> {
    let [a, b, c, _] = ip.octets();
    match (a, b) {
        (127, _) => Some("loopback"),
        (10, _) | (172, 16..=31) | (192, 168) => Some("private network"),
        (169, 254) => Some("link-local (cloud metadata too)"),
        (100, 64..=127) => Some("shared address space of providers"),
        (0, _) => Some("this network"),
        (192, 0) if c == 0 => Some("protocol assignments"),
        (198, 18..=19) => Some("benchmarking"),
        (224..=239, _) => Some("multicast"),
        (240.., _) => Some("reserved"),
        _ => None,
    }
}

fn private_v6(ip: Ipv6Addr) -> Option<&'static str> {
    let [a, b, c, ..] = ip.segments();
    let embedded = |from: usize| {
        let bytes = ip.octets();
        private_v4(Ipv4Addr::new(bytes[from], bytes[from + 1], bytes[from + 2], bytes[from + 3]))
    };
    if ip.is_loopback() {
        Some("loopback")
    } else if ip.is_unspecified() {
        Some("unspecified")
    } else if ip.to_ipv4_mapped().is_some() || ip.octets()[..12] == [0; 12] {
        embedded(12)
    } else if ip.octets()[..12] == [0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0] {
        // SIIT writes any IPv4 address so (RFC 2765); only a translator of the own network knows which.
        Some("address of a local translator to IPv4 (SIIT)")
    } else if (a, b, c) == (0x64, 0xff9b, 1) {
        // RFC 8215 leaves the place of the IPv4 address in it to each network.
        Some("address of a local translator to IPv4 (NAT64)")
    } else if (a, b) == (0x2001, 0) {
        // Teredo hides the client's IPv4 address, and leads through a relay that anybody may run.
        Some("tunnel over IPv4 (Teredo)")
    } else if (a, b) == (0x64, 0xff9b) {
        // An IPv4 address behind a translator (NAT64).
        embedded(12)
    } else if a == 0x2002 {
        // An IPv4 address behind 6to4.
        embedded(2)
    } else if a & 0xfe00 == 0xfc00 {
        Some("unique local network")
    } else if a & 0xffc0 == 0xfe80 {
        Some("link-local")
    } else if a & 0xffc0 == 0xfec0 {
        Some("site-local")
    } else if a & 0xff00 == 0xff00 {
        Some("multicast")
    } else {
        None
    }
}

/// The system's resolver, run on threads of its own, with a cache.
pub struct SystemResolver {
    questions: crossbeam_channel::Sender<Question>,
    memory: Mutex<HashMap<String, (Instant, Resolution)>>,
}

type Resolution = Result<Vec<IpAddr>, ResolveError>;

struct Question {
    host: String,
    answer: crossbeam_channel::Sender<(String, Result<Vec<IpAddr>, String>)>,
}

impl SystemResolver {
    /// Starts its threads; they end when the resolver is dropped and the
    /// system has answered all queries.
    ///
    /// # Errors
    ///
    /// When not a single thread can be made.
    pub fn start() -> std::io::Result<Self> {
        let (questions, inbox) = crossbeam_channel::bounded::<Question>(1024);
        for number in 0..THREADS {
            let inbox = inbox.clone();
            let made = std::thread::Builder::new().name(format!("resolve-{number}")).spawn(move || {
                for question in inbox {
                    let answer = query_system(&question.host);
                    // Nobody may wait for the answer any more; that is fine.
                    let _ = question.answer.send((question.host, answer));
                }
            });
            if let Err(error) = made
                && number == 0
            {
                return Err(error);
            }
        }
        Ok(Self { questions, memory: Mutex::new(HashMap::new()) })
    }

    fn known(&self, host: &str) -> Option<Resolution> {
        let memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let (resolved_at, answer) = memory.get(host)?;
        let keep = if answer.is_ok() { KEEP_ANSWER } else { KEEP_FAILURE };
        (resolved_at.elapsed() < keep).then(|| answer.clone())
    }

    fn keep(&self, host: &str, answer: Result<Vec<IpAddr>, String>) -> Resolution {
        let answer = answer.map_err(|why| ResolveError { host: host.to_owned(), why });
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.len() >= MAX_NAMES {
            memory.clear();
        }
        memory.insert(host.to_owned(), (Instant::now(), answer.clone()));
        answer
    }
}

fn no_answer() -> String {
    format!("no answer within {} seconds", TIMEOUT.as_secs())
}

fn query_system(host: &str) -> Result<Vec<IpAddr>, String> {
    let mut addresses: Vec<IpAddr> = Vec::new();
    for address in (host, 0).to_socket_addrs().map_err(|error| error.to_string())? {
        if !addresses.contains(&address.ip()) {
            addresses.push(address.ip());
        }
    }
    if addresses.is_empty() { Err("it has no address".to_owned()) } else { Ok(addresses) }
}

impl Resolver for SystemResolver {
    fn resolve(&self, host: &str) -> Result<Vec<IpAddr>, ResolveError> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        if let Ok(ip) = bare.parse() {
            return Ok(vec![ip]);
        }
        if let Some(answer) = self.known(host) {
            return answer;
        }
        let (sender, answer) = crossbeam_channel::bounded(1);
        let begin = Instant::now();
        let question = Question { host: host.to_owned(), answer: sender };
        let answer = match self.questions.send_timeout(question, TIMEOUT) {
            Ok(()) => match answer.recv_timeout(TIMEOUT.saturating_sub(begin.elapsed())) {
                Ok((_, answer)) => answer,
                Err(_) => Err(no_answer()),
            },
            Err(_) => Err("the system's resolver is overloaded".to_owned()),
        };
        self.keep(host, answer)
    }

    fn resolve_ahead(&self, hosts: &[&str], is_cancelled: &dyn Fn() -> bool) {
        let is_name = |host: &&str| host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_err();
        let mut hosts = hosts.iter().copied().filter(is_name).filter(|host| self.known(host).is_none());
        let (sender, answers) = crossbeam_channel::unbounded();
        let mut pending: HashMap<String, Instant> = HashMap::new();
        loop {
            while pending.len() < THREADS {
                let Some(host) = hosts.next() else { break };
                let question = Question { host: host.to_owned(), answer: sender.clone() };
                // An overloaded resolver gets each name when its URL is fetched.
                if self.questions.try_send(question).is_err() {
                    return;
                }
                pending.insert(host.to_owned(), Instant::now());
            }
            if pending.is_empty() || is_cancelled() {
                return;
            }
            if let Ok((host, answer)) = answers.recv_timeout(POLL)
                && pending.remove(&host).is_some()
            {
                let _ = self.keep(&host, answer);
            }
            let late = pending.iter().filter(|(_, since)| since.elapsed() >= TIMEOUT).map(|(host, _)| host.clone());
            for host in late.collect::<Vec<_>>() {
                pending.remove(&host);
                let _ = self.keep(&host, Err(no_answer()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn overrides_are_read_and_written() {
        let check = |text: &str, expected: Option<(&str, u16, &str)>| {
            let got = text.parse::<HostOverride>().ok();
            let expected = expected.map(|(host, port, addr)| HostOverride {
                host: host.to_owned(),
                port,
                addr: addr.parse().unwrap(),
            });
            assert_eq!(got, expected, "{text}");
        };
        check("www.Example.pt:80:127.0.0.1", Some(("www.example.pt", 80, "127.0.0.1:80")));
        check("a.pt:443:127.0.0.1:8443", Some(("a.pt", 443, "127.0.0.1:8443")));
        check("a.pt:80:::1", Some(("a.pt", 80, "[::1]:80")));
        check("a.pt:80:[::1]", Some(("a.pt", 80, "[::1]:80")));
        check("a.pt:80:[::1]:8080", Some(("a.pt", 80, "[::1]:8080")));
        for text in ["", "a.pt", "a.pt:80", "a.pt:x:127.0.0.1", "a.pt:80:host", ":80:127.0.0.1", "a.pt:0:127.0.0.1"] {
            check(text, None);
        }
    }

    #[test]
    fn addresses_that_are_nobodys_business_are_known() {
        for ip in [
            "127.0.0.1",
            "127.9.9.9",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "192.0.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "::ffff:10.0.0.1",
            "::7f00:1",
            "64:ff9b::a00:1",
            "2002:7f00:1::",
            "64:ff9b:1::a00:1",
            "64:ff9b:1:a00:1::",
            "64:ff9b:1:ffff:ffff:ffff:808:808",
            "::ffff:0:10.0.0.1",
            "::ffff:0:8.8.8.8",
            "2001::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        ] {
            assert!(private_address(ip.parse().unwrap()).is_some(), "{ip}");
        }
        for ip in [
            "193.136.1.1",
            "8.8.8.8",
            "172.32.0.1",
            "100.128.0.1",
            "2001:690::1",
            "2001:1:2::3",
            "64:ff9b::808:808",
            "64:ff9b:2::808:808",
            "::ffff:8.8.8.8",
            "2002:808:808::",
        ] {
            assert!(private_address(ip.parse().unwrap()).is_none(), "{ip}");
        }
    }

    #[test]
    fn names_resolved_ahead_are_known_afterwards() {
        let resolver = SystemResolver::start().unwrap();
        resolver.resolve_ahead(&["localhost"], &|| true);
        resolver.resolve_ahead(&["192.0.2.1", "localhost", "[::1]"], &|| false);
        assert!(resolver.known("localhost").is_some_and(|answer| answer.is_ok()));
        assert_eq!(resolver.memory.lock().unwrap().len(), 1);
    }

    #[test]
    fn addresses_resolve_to_themselves() {
        let resolver = SystemResolver::start().unwrap();
        assert_eq!(resolver.resolve("192.0.2.1").unwrap(), ["192.0.2.1".parse::<IpAddr>().unwrap()]);
        assert_eq!(resolver.resolve("[2001:db8::1]").unwrap(), ["2001:db8::1".parse::<IpAddr>().unwrap()]);
        assert!(resolver.resolve("localhost").unwrap().iter().all(|ip| ip.is_loopback()));
    }
}
