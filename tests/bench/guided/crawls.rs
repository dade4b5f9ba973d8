//! Crawls of a web that is served on loopback, and what they cost.

use crate::generated_web::WebPage;
use crate::measured::{cpu_time, thread_time};
use fonds::campaign::{Campaign, CrawlOrder, Limits, Politeness, PrivateAddresses, RobotsPolicy, Seed, SeedScope};
use fonds::exchange::HostOverride;
use fonds::jobs::JobCx;
use fonds::scope::standard_rules;
use fonds::serve::{Handler, HttpReply, HttpRequest, NamedHosts};
use fonds::store::Workspace;
use fonds::work::{CrawlOptions, Session};
use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Pages that were requested, in order, and what it took to serve them. It ends a crawl that requested enough.
#[derive(Default)]
pub struct Requests(Mutex<Requested>);

#[derive(Default)]
struct Requested {
    pages: Vec<usize>,
    serving: Duration,
    end: Option<(usize, JobCx)>,
}

impl Requests {
    /// Begins again; the job ends when so many pages were requested, where there is a limit.
    fn begin(&self, most: Option<usize>, cx: &JobCx) {
        *self.0.lock().unwrap() = Requested { end: most.map(|most| (most, cx.uncounted())), ..Requested::default() };
    }

    /// Answers the request for a page.
    pub fn serve(&self, page: usize, reply: impl FnOnce() -> HttpReply) -> HttpReply {
        let before = thread_time();
        let reply = reply();
        let mut requested = self.0.lock().unwrap();
        requested.serving += thread_time().saturating_sub(before);
        requested.pages.push(page);
        if let Some((most, cx)) = &requested.end
            && requested.pages.len() >= *most
        {
            cx.cancel();
        }
        reply
    }
}

/// The outcome of a crawl.
pub struct Crawled {
    /// Requested pages, in order.
    pub pages: Vec<usize>,
    /// Wall time.
    pub took: Duration,
    /// Processor time without that of serving.
    pub cpu: Duration,
}

/// A web that is served: its requests, the addresses of its hosts, and its front pages.
pub struct LocalWeb<'w> {
    pub requests: &'w Requests,
    pub hosts: Vec<HostOverride>,
    pub fronts: Vec<String>,
}

/// A campaign from these front pages.
pub fn campaign(request: &str, fronts: &[String], order: CrawlOrder, workers: usize) -> Campaign {
    let seed =
        |url: &String| Seed { url: url.clone(), scope: SeedScope::Subdomains, depth: None, source_tag: String::new() };
    Campaign {
        name: order.name().to_owned(),
        request: request.parse().unwrap(),
        seeds: fronts.iter().map(seed).collect(),
        rules: standard_rules(),
        order,
        limits: Limits::default(),
        politeness: Politeness {
            user_agent: "bench (+https://archive.example.org/bot)".to_owned(),
            delay_factor: 0.0,
            min_delay_ms: 0,
            robots: RobotsPolicy::Ignore,
            allow_private_addresses: PrivateAddresses::All,
            workers,
            ..Politeness::default()
        },
        ..Campaign::default()
    }
}

impl LocalWeb<'_> {
    /// A session of a new workspace, in which the hosts of the web are known.
    pub fn session(&self, folder: &tempfile::TempDir) -> Session {
        let session = Session::new(Workspace::create(&folder.path().join("w")).unwrap());
        session.set_overrides(self.hosts.clone());
        session
    }

    /// Crawls a campaign in a workspace of its own until it requested so many pages, or to its end.
    pub fn crawl(&self, campaign: &Campaign, most: Option<usize>) -> Crawled {
        let folder = tempfile::tempdir().unwrap();
        let session = self.session(&folder);
        let id = session.catalogue().save_campaign(None, campaign).unwrap();
        let cx = JobCx::detached();
        self.requests.begin(most, &cx);
        let (began, cpu) = (Instant::now(), cpu_time());
        let ended = session.crawl_with(id, &CrawlOptions::default(), &cx);
        assert!(ended.is_ok() || cx.is_cancelled(), "{:?}", ended.err());
        let (took, cpu) = (began.elapsed(), cpu_time() - cpu);
        let mut requested = self.requests.0.lock().unwrap();
        let mut pages = std::mem::take(&mut requested.pages);
        pages.truncate(most.unwrap_or(usize::MAX));
        Crawled { pages, took, cpu: cpu.saturating_sub(requested.serving) }
    }
}

/// Pages made of a number, as servers on loopback.
pub struct Served {
    by_name: HashMap<(String, String), usize>,
    pages: Vec<String>,
    pub requests: Requests,
}

/// The name of a host of the generated web.
fn host_name(host: usize) -> String {
    crate::generated_web::GeneratedWeb::host_name(host)
}

impl Served {
    pub fn new(pages: &[WebPage]) -> Arc<Self> {
        let url = |page: usize| format!("http://{}{}", host_name(pages[page].host), pages[page].path);
        let html = |page: &WebPage| {
            let links = page.links.iter().map(|(to, anchor)| format!("<li><a href=\"{}\">{anchor}</a></li>", url(*to)));
            let links: String = links.collect();
            format!(
                "<!doctype html><title>{}</title><ul>{links}</ul><article><p>{}</p></article>",
                page.path, page.text
            )
        };
        let name = |page: &WebPage| (host_name(page.host), page.path.clone());
        Arc::new(Self {
            by_name: pages.iter().enumerate().map(|(at, page)| (name(page), at)).collect(),
            pages: pages.iter().map(html).collect(),
            requests: Requests::default(),
        })
    }

    /// The page of a URL.
    pub fn page(&self, url: &str) -> Option<usize> {
        let (host, path) = url.strip_prefix("http://")?.split_once('/')?;
        self.by_name.get(&(host.to_owned(), format!("/{path}"))).copied()
    }

    /// Serves so many hosts.
    pub fn start(self: &Arc<Self>, hosts: usize) -> (NamedHosts, LocalWeb<'_>) {
        let named: Vec<(String, Ipv4Addr)> =
            (0..hosts).map(|host| (host_name(host), Ipv4Addr::new(127, 0, 81, host as u8 + 1))).collect();
        let server = NamedHosts::start(&named, Arc::clone(self) as Arc<dyn Handler>).unwrap();
        let hosts = server.resolve().into_iter().map(|(host, port, addr)| HostOverride { host, port, addr }).collect();
        let fronts = named.iter().map(|(name, _)| format!("http://{name}/")).collect();
        let web = LocalWeb { requests: &self.requests, hosts, fronts };
        (server, web)
    }
}

impl Handler for Served {
    fn handle(&self, request: &HttpRequest) -> HttpReply {
        let host = request.header("host").unwrap_or_default();
        let host = host.split(':').next().unwrap_or_default().to_owned();
        match self.by_name.get(&(host, request.target())) {
            Some(page) => self
                .requests
                .serve(*page, || HttpReply::new(200, "text/html; charset=utf-8", self.pages[*page].clone())),
            None => HttpReply::plain(404, "no such page"),
        }
    }
}
