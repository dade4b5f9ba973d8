//! Totals of a launch, computed from its ledger: figures to go on with after
//! a restart, limits, and Heritrix's reports at the end.

use super::CrawlSnapshot;
use crate::exchange::fetch_status::ROBOTS_PRECLUDED;
use crate::uri::parse_web_url;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

/// MIME types counted one by one; hostile servers invent more.
const MAX_MIME_TYPES: usize = 200;

/// Figures of one host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostTally {
    /// URLs with an answer.
    pub urls: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
    /// URLs that robots.txt excluded.
    pub robots: u64,
    /// Answers whose payload was stored already.
    pub duplicate_urls: u64,
    /// Bytes of those.
    pub duplicate_bytes: u64,
}

/// Figures of a launch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaunchTally {
    /// Of each host, with port where it is no default.
    pub hosts: BTreeMap<String, HostTally>,
    /// URLs that got no answer.
    pub failures: u64,
    /// URLs that a rule refused at their turn.
    pub disregarded: u64,
    /// Captures and bytes by MIME type.
    pub mimes: BTreeMap<String, (u64, u64)>,
    /// Captures by HTTP status.
    pub statuses: BTreeMap<i32, u64>,
    /// Status of each seed that came to its end, by its URL.
    pub seeds: HashMap<String, i32>,
    /// Where seeds redirect to.
    pub redirects: HashMap<String, String>,
    /// How long the launch ran, without the time that it was paused or stopped.
    pub ran_ms: u64,
}

impl LaunchTally {
    /// Counts a capture.
    pub fn add_capture(&mut self, host: &str, mime: &str, status: i32, bytes: u64, is_duplicate: bool) {
        let of_host = self.host(host);
        of_host.urls += 1;
        of_host.bytes += bytes;
        if is_duplicate {
            of_host.duplicate_urls += 1;
            of_host.duplicate_bytes += bytes;
        }
        *self.statuses.entry(status).or_default() += 1;
        let is_known = self.mimes.len() < MAX_MIME_TYPES || self.mimes.contains_key(mime);
        let of_mime = self.mimes.entry(if is_known { mime } else { "other" }.to_owned()).or_default();
        of_mime.0 += 1;
        of_mime.1 += bytes;
    }

    /// Counts URLs of a host that got no answer.
    pub fn add_failures(&mut self, host: &str, urls: u64) {
        self.host(host);
        self.failures += urls;
    }

    /// Counts a URL that was refused at its turn, with its fetch status.
    pub fn add_refusal(&mut self, host: &str, status: i32) {
        self.host(host).robots += u64::from(status == ROBOTS_PRECLUDED);
        self.disregarded += 1;
    }

    fn host(&mut self, host: &str) -> &mut HostTally {
        self.hosts.entry(host.to_owned()).or_default()
    }

    /// URLs with an answer.
    pub fn successes(&self) -> u64 {
        self.hosts.values().map(|host| host.urls).sum()
    }

    /// Bytes of all bodies.
    pub fn bytes(&self) -> u64 {
        self.hosts.values().map(|host| host.bytes).sum()
    }

    /// The figures as a watcher sees them.
    pub fn snapshot(&self, queued: u64) -> CrawlSnapshot {
        let class = |from: i32, to: i32| self.statuses.range(from..to).map(|(_, count)| count).sum();
        let mut mimes: Vec<(String, u64, u64)> =
            self.mimes.iter().map(|(mime, (count, bytes))| (mime.clone(), *count, *bytes)).collect();
        mimes.sort_by_key(|(_, _, bytes)| std::cmp::Reverse(*bytes));
        CrawlSnapshot {
            found: queued + self.successes() + self.failures + self.disregarded,
            queued,
            fetched: self.successes(),
            failed: self.failures,
            refused: self.disregarded,
            bytes: self.bytes(),
            classes: [class(200, 300), class(300, 400), class(400, 500), class(500, 1000), self.failures],
            mimes,
            ..CrawlSnapshot::default()
        }
    }

    /// `seeds-report.txt`, sorted by code.
    pub fn seeds_report(&self, seeds: &[String]) -> String {
        let mut lines: Vec<(i32, String)> = seeds
            .iter()
            .map(|seed| {
                let key = parse_web_url(seed).map_or_else(|| seed.clone(), |url| url.to_string());
                let code = self.seeds.get(&key).copied().unwrap_or(0);
                let status = if code > 0 { "CRAWLED" } else { "NOTCRAWLED" };
                let redirect = self.redirects.get(&key).map(|to| format!(" {to}")).unwrap_or_default();
                (code, format!("{code} {status} {seed}{redirect}\n"))
            })
            .collect();
        lines.sort_by_key(|(code, _)| *code);
        lines.into_iter().fold("[code] [status] [seed] [redirect]\n".to_owned(), |report, (_, line)| report + &line)
    }

    /// Formats `hosts-report.txt`, by URLs; `remaining` has the URLs that wait per host.
    pub fn hosts_report(&self, remaining: &HashMap<String, u64>) -> String {
        let mut report = "[#urls] [#bytes] [host] [#robots] [#remaining] [#novel-urls] [#novel-bytes] \
                          [#dup-by-hash-urls] [#dup-by-hash-bytes] [#not-modified-urls] [#not-modified-bytes]\n"
            .to_owned();
        let none = HostTally::default();
        let waiting_only = remaining.keys().filter(|host| !self.hosts.contains_key(*host)).map(|host| (host, &none));
        let mut hosts: Vec<(&String, &HostTally)> = self.hosts.iter().chain(waiting_only).collect();
        hosts.sort_by(|a, b| b.1.urls.cmp(&a.1.urls).then_with(|| a.0.cmp(b.0)));
        for (name, host) in hosts {
            // Writing to a String cannot fail.
            let _ = writeln!(
                report,
                "{} {} {name} {} {} {} {} {} {} 0 0 ",
                host.urls,
                host.bytes,
                host.robots,
                remaining.get(name).copied().unwrap_or(0),
                host.urls - host.duplicate_urls,
                host.bytes - host.duplicate_bytes,
                host.duplicate_urls,
                host.duplicate_bytes,
            );
        }
        report
    }

    /// `crawl-report.txt`.
    pub fn crawl_report(&self, name: &str, status: &str, seeds: &[String]) -> String {
        let crawled = seeds
            .iter()
            .filter_map(|seed| parse_web_url(seed))
            .filter(|seed| self.seeds.get(seed.as_str()).is_some_and(|code| *code > 0))
            .count();
        let (urls, bytes) = (self.successes(), self.bytes());
        let duplicates: u64 = self.hosts.values().map(|host| host.duplicate_urls).sum();
        let duplicate_bytes: u64 = self.hosts.values().map(|host| host.duplicate_bytes).sum();
        let millis = self.ran_ms;
        let seconds = (millis as f64 / 1000.0).max(0.001);
        let (minutes, rest) = (millis / 60_000, millis % 60_000 / 1000);
        format!(
            "crawl name: {name}\ncrawl status: {status}\nduration: {minutes}m{rest}s\n\n\
             seeds crawled: {crawled}\nseeds uncrawled: {}\n\nhosts visited: {}\n\nURIs processed: {}\n\
             URI successes: {urls}\nURI failures: {}\nURI disregards: {}\n\nnovel URIs: {}\n\
             duplicate-by-hash URIs: {duplicates}\nnot-modified URIs: 0\n\ntotal crawled bytes: {bytes}\n\
             novel crawled bytes: {}\nduplicate-by-hash crawled bytes: {duplicate_bytes}\n\
             not-modified crawled bytes: 0\n\nURIs/sec: {:.2}\nKB/sec: {:.0}\n",
            seeds.len() - crawled,
            self.hosts.len(),
            urls + self.failures + self.disregarded,
            self.failures,
            self.disregarded,
            urls - duplicates,
            bytes - duplicate_bytes,
            urls as f64 / seconds,
            bytes as f64 / 1024.0 / seconds,
        )
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn figures_make_reports() {
        let mut tally = LaunchTally::default();
        tally.add_capture("a.pt", "text/html", 301, 0, false);
        tally.add_capture("a.pt", "text/html", 200, 100, false);
        tally.add_capture("b.pt", "image/png", 200, 50, true);
        tally.add_refusal("b.pt", -9998);
        tally.add_failures("c.pt", 1);
        tally.seeds = HashMap::from([("http://a.pt/".to_owned(), 301), ("http://c.pt/".to_owned(), -2)]);
        tally.redirects = HashMap::from([("http://a.pt/".to_owned(), "http://a.pt/home".to_owned())]);
        assert_eq!((tally.successes(), tally.bytes(), tally.failures, tally.disregarded), (3, 150, 1, 1));
        let snapshot = tally.snapshot(7);
        assert_eq!((snapshot.found, snapshot.queued, snapshot.classes), (12, 7, [2, 1, 0, 0, 1]));
        let seeds = ["http://a.pt/".to_owned(), "http://c.pt/".to_owned(), "http://d.pt/".to_owned()];
        assert_eq!(
            tally.seeds_report(&seeds),
            "[code] [status] [seed] [redirect]\n-2 NOTCRAWLED http://c.pt/\n0 NOTCRAWLED http://d.pt/\n\
             301 CRAWLED http://a.pt/ http://a.pt/home\n"
        );
        let hosts = tally.hosts_report(&HashMap::from([("b.pt".to_owned(), 4)]));
        assert!(hosts.contains("\n2 100 a.pt 0 0 2 100 0 0 0 0 \n1 50 b.pt 1 4 0 0 1 50 0 0 \n"), "{hosts}");
        let report = tally.crawl_report("town", "Finished", &seeds);
        assert!(report.contains("seeds crawled: 1\nseeds uncrawled: 2\n"), "{report}");
    }
}
