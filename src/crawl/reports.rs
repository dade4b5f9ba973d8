//! What a launch came to, reckoned from its crawl.log: figures to go on with
//! after a restart, and Heritrix's reports at the end.

use super::CrawlSnapshot;
use super::crawl_log::CrawlLogLine;
use super::frontier::authority_of;
use crate::uri::CaptureDate;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::io::{self, BufRead};

/// Figures of one host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostTally {
    /// URLs with an answer.
    pub urls: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
    /// URLs that robots.txt excluded.
    pub robots: u64,
    /// Answers whose payload was held already.
    pub duplicate_urls: u64,
    /// Bytes of those.
    pub duplicate_bytes: u64,
}

/// Figures of a launch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// First and last line.
    pub span: Option<(CaptureDate, CaptureDate)>,
    /// Of each host.
    pub hosts: BTreeMap<String, HostTally>,
    /// URLs that got no answer.
    pub failures: u64,
    /// URLs that a rule refused at their turn.
    pub disregarded: u64,
    /// Answers and bytes by MIME type.
    pub mimes: BTreeMap<String, (u64, u64)>,
    /// URLs by status.
    pub statuses: BTreeMap<i32, u64>,
    /// Status of each seed, by its URL.
    pub seeds: HashMap<String, i32>,
    /// Where seeds redirect to.
    pub redirects: HashMap<String, String>,
    /// Lines that could not be read.
    pub unreadable: u64,
}

impl Tally {
    /// Reads a crawl.log.
    pub fn read(log: impl BufRead) -> io::Result<Self> {
        let mut tally = Self::default();
        for line in log.split(b'\n') {
            let line = line?;
            match CrawlLogLine::parse(&String::from_utf8_lossy(&line)) {
                Ok(line) => tally.add(&line),
                Err(_) if line.trim_ascii().is_empty() => {}
                Err(_) => tally.unreadable += 1,
            }
        }
        Ok(tally)
    }

    fn add(&mut self, line: &CrawlLogLine) {
        let first = self.span.map_or(line.logged, |(first, _)| first);
        self.span = Some((first, line.logged));
        *self.statuses.entry(line.status).or_default() += 1;
        let host = line.web_url().map(|url| authority_of(&url).to_owned()).unwrap_or_default();
        let host = self.hosts.entry(host).or_default();
        match line.status {
            1.. => {
                let bytes = line.size.unwrap_or(0);
                host.urls += 1;
                host.bytes += bytes;
                if line.is_duplicate() {
                    host.duplicate_urls += 1;
                    host.duplicate_bytes += bytes;
                }
                let mime = self.mimes.entry(line.mime.clone()).or_default();
                mime.0 += 1;
                mime.1 += bytes;
            }
            -9998 => {
                host.robots += 1;
                self.disregarded += 1;
            }
            ..=-4000 => self.disregarded += 1,
            _ => self.failures += 1,
        }
        if line.hops.is_empty() {
            self.seeds.insert(line.url.clone(), line.status);
        }
        if line.hops == "R"
            && let Some(via) = &line.via
        {
            self.redirects.insert(via.clone(), line.url.clone());
        }
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
                let key = crate::uri::parse_web_url(seed).map_or_else(|| seed.clone(), |url| url.to_string());
                let code = self.seeds.get(&key).copied().unwrap_or(0);
                let status = if code > 0 { "CRAWLED" } else { "NOTCRAWLED" };
                let redirect = self.redirects.get(&key).map(|to| format!(" {to}")).unwrap_or_default();
                (code, format!("{code} {status} {seed}{redirect}\n"))
            })
            .collect();
        lines.sort_by_key(|(code, _)| *code);
        lines.into_iter().fold("[code] [status] [seed] [redirect]\n".to_owned(), |report, (_, line)| report + &line)
    }

    /// `hosts-report.txt`, by URLs; `remaining` tells what waits per host.
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
            .filter_map(|seed| crate::uri::parse_web_url(seed))
            .filter(|seed| self.seeds.get(seed.as_str()).is_some_and(|code| *code > 0))
            .count();
        let (urls, bytes) = (self.successes(), self.bytes());
        let duplicates: u64 = self.hosts.values().map(|host| host.duplicate_urls).sum();
        let duplicate_bytes: u64 = self.hosts.values().map(|host| host.duplicate_bytes).sum();
        let millis = self.span.map_or(0, |(first, last)| last.millis().saturating_sub(first.millis()).max(0));
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

    const LOG: &str = "\
2024-01-01T00:00:00.000Z   301          0 http://a.pt/ - - text/html #001 20240101000000000+5 sha1:A town -
2024-01-01T00:00:01.000Z   200        100 http://a.pt/home R http://a.pt/ text/html #001 20240101000000000+5 sha1:B town -
2024-01-01T00:00:02.000Z   200         50 http://b.pt/x L http://a.pt/ image/png #002 20240101000000000+5 sha1:C town duplicate:digest
2024-01-01T00:00:03.000Z -9998          - http://b.pt/no L http://a.pt/ - #002 - - town robotExcluded
2024-01-01T00:00:04.000Z    -2          - http://c.pt/ - - - #002 - - - 3t
torn li";

    #[test]
    fn a_log_gives_its_figures_and_reports() {
        let tally = Tally::read(LOG.as_bytes()).unwrap();
        assert_eq!((tally.successes(), tally.bytes(), tally.failures, tally.disregarded), (3, 150, 1, 1));
        assert_eq!(tally.unreadable, 1);
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
