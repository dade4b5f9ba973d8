//! Kills and power cuts at random moments: captures, log lines and reports are
//! those of an undisturbed crawl, and nothing is claimed that is not there.
//!
//! `FONDS_KILLS` says how many kills (default 8), `FONDS_SEED` which moments.

use crate::archive::copy_folder;
use crate::archive::{assert_sound, files_under, records, warcs_under};
use crate::kill::{lines_logged, start};
use crate::need;
use crate::program::{arg, fonds};
use crate::site_server::{Site, SiteServer};
use fonds::campaign::{Campaign, Seed, SeedScope};
use fonds::crawl::CrawlLogLine;
use fonds::serve::NamedHosts;
use fonds::store::Workspace;
use fonds::warc::RecordType;
use fonds::work;
use fonds::work::Session;
use fonds::work::models::{CaptureQuery, CaptureTab};
use fonds::work::sample::{Edition, HOSTS, SamplePages, campaign, geo_database};
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Numbers that look random and are the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end.max(1)
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |value| value.parse().unwrap())
}

/// A web on loopback with a campaign that crawls it.
struct Web {
    dir: tempfile::TempDir,
    resolve: Vec<(String, u16, SocketAddr)>,
    request_count: Box<dyn Fn() -> u64>,
}

impl Web {
    fn of_sample() -> Self {
        let hosts: Vec<(String, Ipv4Addr)> =
            HOSTS.iter().flat_map(|host| host.names().map(|name| (name.to_owned(), host.address()))).collect();
        let server = NamedHosts::start(&hosts, Arc::new(SamplePages::new(Edition::First))).unwrap();
        let (resolve, request_count) = (server.resolve(), Box::new(move || server.request_count()));
        Self::new(resolve, request_count, &campaign())
    }

    fn of_sites() -> Option<Self> {
        let (manual, test) = (need::data("sites/httpd-manual-part")?, need::data("sites/heritrix-selftest")?);
        let site = |host: &str, folder: &PathBuf, language: &str| Site {
            host: host.to_owned(),
            folder: folder.clone(),
            language: language.to_owned(),
        };
        let sites = vec![
            site("manual-en.example", &manual, "en"),
            site("manual-fr.example", &manual, "fr"),
            site("selftest.example", &test, "en"),
        ];
        let seeds = ["manual-en.example/howto/", "manual-en.example/ssl/", "manual-fr.example/rewrite/"];
        let seeds = seeds.iter().copied().chain(["selftest.example/Frames/", "selftest.example/Charset/"]);
        let seed = |url| Seed {
            url: format!("http://{url}"),
            scope: SeedScope::Subdomains,
            depth: None,
            source_tag: String::new(),
        };
        let campaign = Campaign {
            seeds: seeds.map(seed).collect(),
            rules: fonds::scope::standard_rules(),
            politeness: campaign().politeness,
            ..Campaign::new("Sites of others")
        };
        let server = SiteServer::start(sites);
        let (resolve, request_count) = (server.resolve(), Box::new(move || server.request_count()));
        Some(Self::new(resolve, request_count, &campaign))
    }

    fn new(resolve: Vec<(String, u16, SocketAddr)>, request_count: Box<dyn Fn() -> u64>, campaign: &Campaign) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("geo.mmdb"), geo_database()).unwrap();
        std::fs::write(dir.path().join("campaign.json"), campaign.to_json()).unwrap();
        Self { dir, resolve, request_count }
    }

    /// A new workspace with the campaign.
    fn prepare(&self, name: &str) -> PathBuf {
        let workspace = self.dir.path().join(name);
        fonds(&["new", arg(&workspace)]).with_status(0);
        fonds(&["campaign", "add", arg(&workspace), arg(&self.dir.path().join("campaign.json"))]).with_status(0);
        workspace
    }

    /// The call that crawls.
    fn args(&self, workspace: &Path) -> Vec<String> {
        let geo = self.dir.path().join("geo.mmdb");
        let mut args: Vec<String> =
            ["crawl", arg(workspace), "1", "--geo", arg(&geo)].iter().map(ToString::to_string).collect();
        for (host, port, addr) in &self.resolve {
            args.extend(["--resolve".to_owned(), format!("{host}:{port}:{addr}")]);
        }
        args
    }

    /// Crawls to the end; some URLs of the webs fail for good.
    fn finish(&self, workspace: &Path) -> String {
        let output = fonds(&self.args(workspace));
        assert!(output.status <= 1, "{}{}", output.out, output.err);
        output.out
    }

    /// Begins to crawl and kills it at a random moment of some that are likely.
    fn kill_once(&self, workspace: &Path, random: &mut Random, most_requests: u64) -> bool {
        let (requests, wait) = (random.below(most_requests), Duration::from_micros(random.below(20_000)));
        // Some while it starts and puts right what the last kill left.
        let early = (random.below(4) == 0).then(|| Duration::from_millis(random.below(600)));
        let (before, begin) = ((self.request_count)(), Instant::now());
        let mut child = start(&self.args(workspace));
        loop {
            if child.try_wait().unwrap().is_some() {
                return false;
            }
            let is_time = match early {
                Some(early) => begin.elapsed() >= early,
                None => (self.request_count)() - before > requests,
            };
            if is_time {
                std::thread::sleep(wait);
                child.kill().unwrap();
                return !child.wait().unwrap().success();
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// What a launch came to, as its files tell.
#[derive(Debug, PartialEq)]
struct Outcome {
    /// URL and status of each capture in the WARC files, with how often.
    captures: BTreeMap<String, usize>,
    /// The same of the lines of crawl.log.
    lines: BTreeMap<String, usize>,
    /// Decision and URL of the lines of scope.log.
    decisions: BTreeMap<String, usize>,
    /// Lines of the reports that do not tell time.
    reports: Vec<String>,
}

fn outcome(workspace: &Path) -> Outcome {
    let mut captures = BTreeMap::new();
    let files = warcs_under(&workspace.join("output/warcs"));
    if let Some([warcio]) = need::peers(["warcio"]) {
        let checked = std::process::Command::new(warcio).arg("check").args(&files).output().unwrap();
        assert!(checked.status.success(), "warcio: {}", String::from_utf8_lossy(&checked.stdout));
    }
    for file in files {
        assert_sound(&file);
        for record in records(&file) {
            if matches!(record.head.record_type, RecordType::Response | RecordType::Revisit) {
                let status = fonds::warc::http::parse_response_head(&record.block).unwrap().status;
                *captures.entry(format!("{status} {}", record.head.target_uri().unwrap())).or_default() += 1;
            }
        }
    }
    let (mut lines, mut decisions, mut reports) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    for path in files_under(&workspace.join("output/logs")) {
        let text = std::fs::read_to_string(&path).unwrap();
        match path.file_name().unwrap().to_str().unwrap() {
            "crawl.log" => {
                for line in text.lines() {
                    let line = CrawlLogLine::parse(line).unwrap();
                    *lines.entry(format!("{} {}", line.status, line.url)).or_default() += 1;
                }
            }
            "scope.log" => {
                for line in text.lines() {
                    let fields: Vec<&str> = line.split(' ').collect();
                    let at = fields.iter().position(|field| matches!(*field, "ACCEPT" | "REJECT")).unwrap();
                    *decisions.entry(fields[at..at + 2].join(" ")).or_default() += 1;
                }
            }
            "hosts-report.txt" | "seeds-report.txt" => reports.extend(text.lines().map(str::to_owned)),
            "crawl-report.txt" => {
                let is_timed = |line: &&str| ["duration", "URIs/sec", "KB/sec"].iter().any(|of| line.starts_with(of));
                reports.extend(text.lines().filter(|line| !is_timed(line)).map(str::to_owned));
            }
            _ => {}
        }
    }
    reports.sort();
    Outcome { captures, lines, decisions, reports }
}

/// What differs between two, for the eye.
fn differences(one: &BTreeMap<String, usize>, other: &BTreeMap<String, usize>) -> Vec<String> {
    let keys = one.keys().chain(other.keys()).collect::<std::collections::BTreeSet<_>>();
    let differ = keys.into_iter().filter(|key| one.get(*key) != other.get(*key));
    differ.map(|key| format!("{key}: {:?} and {:?}", one.get(key), other.get(key))).collect()
}

fn assert_same(found: &Outcome, expected: &Outcome) {
    assert_eq!(differences(&found.captures, &expected.captures), [""; 0], "captures");
    assert_eq!(differences(&found.lines, &expected.lines), [""; 0], "lines of crawl.log");
    assert_eq!(differences(&found.decisions, &expected.decisions), [""; 0], "lines of scope.log");
    assert_eq!(found.reports, expected.reports);
}

/// Every capture of the catalogue can be read; says how many there are.
fn readable(workspace: &Path) -> usize {
    let session = Session::new(Workspace::open(workspace).unwrap());
    let query = CaptureQuery { tab: CaptureTab::All, limit: 100_000, ..work::everything() };
    let rows = session.catalogue().captures(&query).unwrap().rows;
    rows.iter().for_each(|row| drop(session.content(row.id).unwrap()));
    rows.len()
}

fn check_kills(web: &Web, kills: u64) {
    let whole = web.prepare("whole");
    web.finish(&whole);
    let expected = outcome(&whole);
    let captures: usize = expected.captures.values().sum();
    let answered = expected.lines.iter().filter(|(line, _)| !line.starts_with('-')).map(|(_, times)| times);
    assert_eq!(captures, answered.sum::<usize>());

    let seed = number("FONDS_SEED", 1);
    let (mut random, mut hits, mut crawls) = (Random(seed), 0, 0);
    // A crawl comes to its end now and then in spite of all kills: another begins.
    while hits < kills {
        crawls += 1;
        let disturbed = web.prepare(&format!("disturbed-{crawls}"));
        let mut of_crawl = 0;
        while hits + of_crawl < kills && !is_finished(&disturbed) {
            of_crawl += u64::from(web.kill_once(&disturbed, &mut random, 2 * captures as u64 / kills + 1));
        }
        if !is_finished(&disturbed) {
            web.finish(&disturbed);
        }
        hits += of_crawl;
        let readable = readable(&disturbed);
        let lines = lines_logged(&disturbed);
        eprintln!("crawl {crawls} (seed {seed}): {of_crawl} kills, {readable} captures, {lines} lines of crawl.log");
        assert!(of_crawl > 0, "no run of the program was killed");
        assert_same(&outcome(&disturbed), &expected);
        assert_eq!(readable, captures);
    }
}

/// Whether the last launch came to its end.
fn is_finished(workspace: &Path) -> bool {
    let session = Session::new(Workspace::open(workspace).unwrap());
    session.catalogue().launches(None).unwrap().iter().any(|launch| launch.label().starts_with("Finished"))
}

#[test]
fn kills_at_random_moments_change_no_capture_no_line_and_no_report() {
    check_kills(&Web::of_sample(), number("FONDS_KILLS", 8));
}

#[test]
fn kills_in_a_crawl_of_real_sites_change_no_capture_no_line_and_no_report() {
    if let Some(web) = Web::of_sites() {
        check_kills(&web, number("FONDS_KILLS", 8));
    }
}

#[test]
fn a_limit_of_documents_is_exact_over_kills() {
    let web = Web::of_sample();
    let spec = web.dir.path().join("campaign.json");
    let mut limited = campaign();
    limited.limits.max_documents = 60;
    std::fs::write(&spec, limited.to_json()).unwrap();
    let (mut random, workspace) = (Random(number("FONDS_SEED", 1)), web.prepare("limited"));
    for _ in 0..number("FONDS_KILLS", 8) / 2 {
        web.kill_once(&workspace, &mut random, 30);
    }
    let output = web.finish(&workspace);
    assert!(output.contains("limit of 60 documents"), "{output}");
    let found = outcome(&workspace);
    assert_eq!((found.captures.values().sum::<usize>(), readable(&workspace)), (60, 60));
    let answered = found.lines.iter().filter(|(line, _)| !line.starts_with('-')).map(|(_, times)| times);
    assert_eq!(answered.sum::<usize>(), 60);
    assert!(found.reports.iter().any(|line| line == "URI successes: 60"), "{:?}", found.reports);
}

#[test]
fn after_a_power_cut_nothing_is_claimed_that_is_not_there() {
    let web = Web::of_sample();
    let whole = web.prepare("whole");
    web.finish(&whole);
    let expected = outcome(&whole);
    let killed = web.prepare("killed");
    let (mut random, most) = (Random(7), 100);
    while lines_logged(&killed) < 60 {
        web.kill_once(&killed, &mut random, most);
    }
    let is_open = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "open");
    let open = |workspace: &Path| files_under(&workspace.join("output/warcs")).into_iter().find(is_open);
    // Killed while it started, a run leaves none.
    while open(&killed).is_none() {
        web.kill_once(&killed, &mut random, most);
    }
    let claims = |workspace: &Path| fonds(&["files", "list", arg(workspace)]);
    assert!(claims(&killed).with_status(0).out.starts_with("open\t"));
    let relative = open(&killed).unwrap().strip_prefix(&killed).unwrap().to_owned();
    let len = std::fs::metadata(killed.join(&relative)).unwrap().len();
    let cuts = [Some(0), Some(200), Some(len / 3), Some(len * 2 / 3), Some(len), None];
    for (number, cut) in cuts.into_iter().enumerate() {
        let workspace = web.dir.path().join(format!("cut-{number}"));
        copy_folder(&killed, &workspace);
        let file = workspace.join(&relative);
        match cut {
            Some(cut) => std::fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(cut).unwrap(),
            None => std::fs::remove_file(&file).unwrap(),
        }
        if cut != Some(len) {
            // The first capture is of a seed; a person has said something about it.
            fonds(&["mark", arg(&workspace), "approve", "--id", "3", "--reason", "keep", "--by", "Ana"]).with_status(0);
            let state = if cut.is_some() { "truncated\t" } else { "missing\t" };
            assert!(claims(&workspace).with_status(1).out.contains(state), "{cut:?}");
            let checked = fonds(&["files", "list", "--check", arg(&workspace)]).with_status(1);
            assert!(checked.out.contains(state), "{}", checked.out);
            if let Some(cut) = cut {
                let problems = fonds(&["files", "problems", arg(&workspace)]).with_status(1).out;
                assert!(problems.contains(&format!("\t{cut}\ttruncated\tthe file ends here")), "{problems}");
            }
        }
        web.finish(&workspace);
        let found = outcome(&workspace);
        assert_same(&found, &expected);
        assert_eq!(readable(&workspace), expected.captures.values().sum::<usize>(), "{cut:?}");
        assert!(claims(&workspace).with_status(0).out.lines().all(|line| line.starts_with("present\t")));
        fonds(&["files", "problems", arg(&workspace)]).with_status(0);
        fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
        let events = files_under(&workspace.join("output/logs"));
        let events = events.iter().find(|path| path.ends_with("events.log")).unwrap();
        let events = std::fs::read_to_string(events).unwrap();
        if cut != Some(len) {
            assert!(events.contains("will be fetched again"), "{cut:?}: {events}");
        }
        if cut == Some(0) {
            assert!(events.contains("decide again: Approved (keep), by Ana on "), "{events}");
        }
    }
}
