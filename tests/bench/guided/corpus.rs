//! Pages of an archive file as a web: who links to what, and which pages are about a topic. A crawl
//! is guided by some words of a topic and measured by others.

use crate::crawls::{LocalWeb, Requests};
use fonds::captures::{LargePagePermit, body_of};
use fonds::exchange::HostOverride;
use fonds::serve::{Handler, HttpReply, HttpRequest, HttpServer, ServerLimits};
use fonds::text::words;
use fonds::uri::Url;
use fonds::warc::{ArchiveReader, Record, RecordType, Span, read_record_in};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet, VecDeque};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Name, words of the request, words that a relevant page has three of.
///
/// The last one is that of transactions without a word of its truth that Java has for its own: three of five pages
/// that are relevant by those words are classes which implement `java.io.Serializable`.
pub const TOPICS: [(&str, &[&str], &[&str]); 6] = [
    (
        "regex",
        &["regex", "regexp", "regular", "pattern", "match"],
        &[
            "backreference",
            "backreferences",
            "metacharacter",
            "metacharacters",
            "lookahead",
            "lookbehind",
            "pcre",
            "greedy",
            "quantifier",
            "quantifiers",
        ],
    ),
    (
        "transactions",
        &["transaction", "transactions", "commit", "rollback", "lock", "locks", "locking"],
        &[
            "deadlock",
            "deadlocks",
            "isolation",
            "serializable",
            "savepoint",
            "savepoints",
            "mvcc",
            "snapshot",
            "snapshots",
        ],
    ),
    (
        "statistics",
        &["probability", "distribution", "distributions", "random", "statistics", "statistical"],
        &["variance", "gaussian", "poisson", "quantile", "quantiles", "cdf", "kurtosis", "likelihood", "skewness"],
    ),
    (
        "unicode",
        &["unicode", "utf", "encoding", "encodings", "charset"],
        &[
            "codepoint",
            "codepoints",
            "surrogate",
            "surrogates",
            "bom",
            "normalization",
            "grapheme",
            "collation",
            "collations",
        ],
    ),
    (
        "tls",
        &["ssl", "tls", "certificate", "certificates", "crypto"],
        &["cipher", "ciphers", "x509", "handshake", "pem", "rsa", "sha256", "openssl", "cipherlist"],
    ),
    (
        "transactions 2",
        &["transaction", "transactions", "commit", "rollback", "lock", "locks", "locking"],
        &["deadlock", "deadlocks", "isolation", "savepoint", "savepoints", "mvcc", "snapshot", "snapshots"],
    ),
];
/// Topics of the mean, the first ones.
pub const MEAN_OF: usize = 5;

/// Occurrences of words of the truth from which on a page is relevant.
const RELEVANT_FROM: usize = 3;
/// Records read at the same time.
const AT_ONCE: usize = 256;
/// Bytes of a page.
const MAX_BYTES: usize = 16 << 20;

/// A page of the archive.
pub struct CorpusPage {
    pub url: Url,
    span: Span,
    /// For each topic, whether it is about it.
    pub is_relevant: [bool; TOPICS.len()],
    links: Vec<u32>,
}

/// The pages of an archive, which it serves.
pub struct Corpus {
    file: PathBuf,
    pub pages: Vec<CorpusPage>,
    by_url: HashMap<String, u32>,
    /// The page with the shortest path of each host.
    pub fronts: Vec<u32>,
    /// Pages that links lead to from those.
    pub reachable: HashSet<u32>,
    pub requests: Requests,
    /// Hosts that are served, where not all are.
    only: Mutex<Option<HashSet<String>>>,
}

impl Corpus {
    pub fn read(file: &Path) -> Self {
        let mut found: Vec<(CorpusPage, Vec<String>)> = Vec::new();
        let mut records = ArchiveReader::open(file).unwrap().records(MAX_BYTES).map(Result::unwrap);
        loop {
            let some: Vec<Record> = records.by_ref().filter(is_response).take(AT_ONCE).collect();
            if some.is_empty() {
                break;
            }
            found.par_extend(some.par_iter().filter_map(read_page));
        }
        let by_url: HashMap<String, u32> =
            (0..).zip(&found).map(|(at, (page, _))| (page.url.to_string(), at)).collect();
        let mut pages: Vec<CorpusPage> = Vec::new();
        for (mut page, links) in found {
            page.links = links.iter().filter_map(|url| by_url.get(url).copied()).collect();
            pages.push(page);
        }
        let mut fronts: HashMap<String, u32> = HashMap::new();
        for (at, page) in (0..).zip(&pages) {
            let key = |at: u32| (pages[at as usize].url.path().len(), pages[at as usize].url.as_str());
            let front = fronts.entry(page.url.authority().to_owned()).or_insert(at);
            if key(at) < key(*front) {
                *front = at;
            }
        }
        let mut fronts: Vec<u32> = fronts.into_values().collect();
        fronts.sort_unstable();
        let mut reachable: HashSet<u32> = fronts.iter().copied().collect();
        let mut queue: VecDeque<u32> = fronts.iter().copied().collect();
        while let Some(at) = queue.pop_front() {
            queue.extend(pages[at as usize].links.iter().copied().filter(|to| reachable.insert(*to)));
        }
        Self {
            file: file.to_owned(),
            pages,
            by_url,
            fronts,
            reachable,
            requests: Requests::default(),
            only: Mutex::default(),
        }
    }

    /// Of some pages, those that links lead to and that are about a topic.
    pub fn relevant<'p>(&self, topic: usize, pages: impl Iterator<Item = &'p usize>) -> usize {
        let is_relevant = |at: &&usize| {
            let at = u32::try_from(**at).unwrap();
            self.reachable.contains(&at) && self.pages[at as usize].is_relevant[topic]
        };
        pages.filter(is_relevant).count()
    }

    /// Whether the page of a URL is about a topic.
    pub fn is_relevant(&self, topic: usize, url: &str) -> bool {
        self.by_url.get(url).is_some_and(|at| self.pages[*at as usize].is_relevant[topic])
    }

    /// The share of the pages about a topic that are among these.
    pub fn recall(&self, topic: usize, fetched: &[usize]) -> f64 {
        let all: Vec<usize> = self.reachable.iter().map(|at| *at as usize).collect();
        self.relevant(topic, fetched.iter()) as f64 / self.relevant(topic, all.iter()).max(1) as f64
    }

    /// Serves the pages of some hosts only, or of all.
    pub fn serve_only(&self, hosts: Option<HashSet<String>>) {
        *self.only.lock().unwrap() = hosts;
    }

    /// Serves the archive on loopback.
    pub fn start(self: &Arc<Self>) -> (HttpServer, LocalWeb<'_>) {
        let mut server = HttpServer::new(Arc::clone(self) as Arc<dyn Handler>, ServerLimits::default());
        let addr = server.listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).unwrap();
        let url = |at: &u32| &self.pages[*at as usize].url;
        let host = |url: &Url| HostOverride {
            host: url.host_str().unwrap().to_owned(),
            port: url.port_or_known_default().unwrap(),
            addr,
        };
        let hosts = self.fronts.iter().map(url).map(host).collect();
        let fronts = self.fronts.iter().map(url).map(Url::to_string).collect();
        (server, LocalWeb { requests: &self.requests, hosts, fronts })
    }
}

fn is_response(record: &Record) -> bool {
    record.head.record_type == RecordType::Response
}

fn read_page(record: &Record) -> Option<(CorpusPage, Vec<String>)> {
    let url: Url = record.head.target_uri()?.parse().ok()?;
    let (http, body) = body_of(record, MAX_BYTES);
    let http = http.filter(|http| http.status == 200)?;
    if !http.headers.get("Content-Type").is_some_and(|kind| kind.contains("html")) {
        return None;
    }
    let (links, text) = body.read(&url, &mut LargePagePermit::default(), MAX_BYTES);
    let tokens = words(&text?.all());
    let count = |of: &[&str]| tokens.iter().filter(|token| of.contains(&token.as_str())).count();
    let is_relevant = TOPICS.map(|(_, _, truth)| count(truth) >= RELEVANT_FROM);
    let anchors = links.outlinks.iter().filter(|link| link.kind == fonds::links::LinkKind::Anchor);
    let links = anchors.map(|link| link.url.to_string()).collect();
    Some((CorpusPage { url, span: record.span, is_relevant, links: Vec::new() }, links))
}

impl Handler for Corpus {
    fn handle(&self, request: &HttpRequest) -> HttpReply {
        let url = format!("http://{}{}", request.header("host").unwrap_or_default(), request.target());
        let url = Url::parse(&url).ok();
        let is_served = |url: &&Url| self.only.lock().unwrap().as_ref().is_none_or(|of| of.contains(url.authority()));
        let Some(at) = url.as_ref().filter(is_served).and_then(|url| self.by_url.get(url.as_str()).copied()) else {
            return HttpReply::plain(404, "no such page");
        };
        self.requests.serve(at as usize, || {
            let (record, _) = read_record_in(&self.file, self.pages[at as usize].span, MAX_BYTES).unwrap();
            let (http, body) = body_of(&record, MAX_BYTES);
            let kind = http.and_then(|http| http.headers.get("Content-Type")).unwrap_or_default();
            HttpReply::new(200, &kind, body.payload.bytes.to_vec())
        })
    }
}
