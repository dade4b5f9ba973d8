//! A trial, from its crawl to what its marks are worth, and out of the workspace again.

use crate::archive::{copy_folder, files_under, warcs_under};
use crate::generated_web::{GeneratedWeb, HOSTS, REQUEST, WebPage};
use crate::kill::{kill_when, start};
use crate::program::{arg, fonds};
use fonds::campaign::{Campaign, Limits, Politeness, PrivateAddresses, RobotsPolicy, Seed, SeedScope};
use fonds::scope::standard_rules;
use fonds::serve::{Handler, HttpReply, HttpRequest, NamedHosts};
use fonds::store::Workspace;
use fonds::work;
use fonds::work::Session;
use fonds::work::models::CampaignId;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A generated web on loopback.
struct Served {
    web: GeneratedWeb,
    by_name: HashMap<(String, String), usize>,
    requests: Mutex<Vec<(String, String)>>,
}

fn url(web: &GeneratedWeb, page: &WebPage) -> String {
    let _ = web;
    format!("http://{}{}", GeneratedWeb::host_name(page.host), page.path)
}

impl Handler for Served {
    fn handle(&self, request: &HttpRequest) -> HttpReply {
        let host = request.header("host").unwrap_or_default().split(':').next().unwrap_or_default().to_owned();
        let name = (host, request.target());
        self.requests.lock().unwrap().push(name.clone());
        let Some(page) = self.by_name.get(&name) else { return HttpReply::plain(404, "no such page") };
        let page = &self.web.pages[*page];
        let links: String = page
            .links
            .iter()
            .map(|(to, anchor)| format!("<li><a href=\"{}\">{anchor}</a></li>", url(&self.web, &self.web.pages[*to])))
            .collect();
        let html = format!(
            "<!doctype html><title>{}</title><ul>{links}</ul><article><p>{}</p><img src=\"/i.png\"></article>",
            page.path, page.text
        );
        HttpReply::new(200, "text/html; charset=utf-8", html)
    }
}

/// A web, its server, and a workspace with a campaign about it, whose request has two of six words.
struct TrialSite {
    dir: tempfile::TempDir,
    folder: PathBuf,
    served: Arc<Served>,
    server: NamedHosts,
    truth: HashMap<String, bool>,
}

fn campaign() -> Campaign {
    let seed = |host| Seed {
        url: format!("http://{}/", GeneratedWeb::host_name(host)),
        scope: SeedScope::Subdomains,
        depth: None,
        source_tag: String::new(),
    };
    Campaign {
        request: REQUEST[..2].join(" OR ").parse().unwrap(),
        seeds: (0..HOSTS).map(seed).collect(),
        rules: standard_rules(),
        limits: Limits { max_documents: 200, ..Limits::default() },
        politeness: Politeness {
            user_agent: "test (+https://archive.example.org/bot)".to_owned(),
            delay_factor: 0.0,
            min_delay_ms: 0,
            robots: RobotsPolicy::Ignore,
            allow_private_addresses: PrivateAddresses::All,
            workers: 4,
            ..Politeness::default()
        },
        ..Campaign::new("Shipyards")
    }
}

impl TrialSite {
    fn new(seed: u64) -> Self {
        let web = GeneratedWeb::new(seed, 2000);
        let truth = web.pages.iter().map(|page| (url(&web, page), page.is_relevant)).collect();
        let name = |page: &WebPage| (GeneratedWeb::host_name(page.host), page.path.clone());
        let by_name = web.pages.iter().enumerate().map(|(at, page)| (name(page), at)).collect();
        let served = Arc::new(Served { web, by_name, requests: Mutex::default() });
        let hosts: Vec<(String, Ipv4Addr)> =
            (0..HOSTS).map(|host| (GeneratedWeb::host_name(host), Ipv4Addr::new(127, 0, 82, host as u8 + 1))).collect();
        let server = NamedHosts::start(&hosts, Arc::clone(&served) as Arc<dyn Handler>).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("w");
        let spec = dir.path().join("campaign.json");
        std::fs::write(&spec, campaign().to_json()).unwrap();
        fonds(&["new", arg(&folder)]).with_status(0);
        fonds(&["campaign", "add", arg(&folder), arg(&spec)]).with_status(0);
        Self { dir, folder, served, server, truth }
    }

    fn crawl(&self, folder: &Path, more: &[&str]) -> crate::program::CallResult {
        let mut args: Vec<String> = ["crawl", arg(folder), "1"].iter().chain(more).map(ToString::to_string).collect();
        for (host, port, addr) in self.server.resolve() {
            args.extend(["--resolve".to_owned(), format!("{host}:{port}:{addr}")]);
        }
        fonds(&args)
    }

    /// Crawls a trial; gives its name.
    fn trial(&self, folder: &Path) -> String {
        let crawled = self.crawl(folder, &["--trial", "300", "--json"]).with_status(0);
        let outcome = crawled.json_lines().pop().unwrap();
        assert_eq!((&outcome["complete"], &outcome["is_trial"]), (&true.into(), &true.into()), "{outcome}");
        outcome["launch"].as_str().unwrap().to_owned()
    }

    /// Marks the sample of a trial as it is; gives how many of it are relevant.
    fn mark(&self, folder: &Path, launch: &str) -> usize {
        let mut args: Vec<String> = ["marks", arg(folder), launch].iter().map(ToString::to_string).collect();
        let mut relevant = 0;
        for page in fonds(&["marks", arg(folder), launch, "--json"]).with_status(0).json_lines() {
            let url = page["url"].as_str().unwrap();
            let is_relevant = self.truth[url];
            relevant += usize::from(is_relevant);
            let number = if is_relevant { url.to_owned() } else { page["capture"].to_string() };
            args.extend([if is_relevant { "--relevant" } else { "--irrelevant" }.to_owned(), number]);
        }
        fonds(&args).with_status(0).with_message("30 of 30 marked; of the random pages");
        relevant
    }
}

#[test]
fn a_trial_is_bounded_marked_and_teaches_the_campaign() {
    let made = TrialSite::new(1);
    let folder = made.folder.as_path();
    let launch = made.trial(folder);
    // At most 300 URLs, 30 of a host beside its robots.txt and sitemap, and no images.
    let requests = made.served.requests.lock().unwrap().clone();
    let mut of_host: BTreeMap<&str, usize> = BTreeMap::new();
    for (host, path) in requests.iter().filter(|(_, path)| !path.ends_with(".txt") && !path.ends_with(".xml")) {
        assert!(!path.ends_with(".png"), "{path}");
        *of_host.entry(host).or_default() += 1;
    }
    assert!(requests.len() <= 300 && requests.len() > 200, "{}", requests.len());
    assert!(of_host.values().all(|count| *count <= 30) && of_host.values().any(|count| *count == 30), "{of_host:?}");

    let launches = fonds(&["launches", arg(folder), "--json"]).with_status(0).json_lines();
    assert_eq!((&launches[0]["trial"]["urls"], &launches[0]["trial"]["is_kept"]), (&300.into(), &false.into()));
    assert!(fonds(&["launches", arg(folder)]).with_status(0).out.contains("\tTrial: finished\t"));

    let sample = fonds(&["marks", arg(folder), &launch, "--json"]).with_status(0).json_lines();
    for reason in ["random", "highest", "threshold"] {
        assert_eq!(sample.iter().filter(|page| page["reason"] == reason).count(), 10, "{reason}");
    }
    fonds(&["suggest", arg(folder), "1"]).with_status(0).with_message("0 pages marked as relevant");
    fonds(&["suggest", arg(folder), "1", "--curve"]).with_status(2).with_message("no page of the trial");
    fonds(&["marks", arg(folder), &launch, "--relevant", "http://nowhere.test/"])
        .with_status(2)
        .with_message("read no page");
    let relevant = made.mark(folder, &launch);
    assert!(relevant < made.served.web.relevant());
    assert!((5..28).contains(&relevant), "{relevant}");

    // Decisions are another thing.
    let decided = fonds(&["captures", arg(folder), "mark:approve OR mark:reject", "--count"]).with_status(0);
    assert_eq!(decided.out.trim(), "0");

    let found = fonds(&["suggest", arg(folder), "1", "--json"]).with_status(0).json_lines();
    let words: Vec<(u64, String)> = found
        .iter()
        .filter(|line| line["proposal"]["kind"] == "word")
        .map(|line| (line["number"].as_u64().unwrap(), line["proposal"]["value"].as_str().unwrap().to_owned()))
        .collect();
    let good: Vec<&(u64, String)> = words.iter().filter(|(_, word)| REQUEST[2..5].contains(&word.as_str())).collect();
    assert!(!good.is_empty() && words.len() <= good.len() + 2, "{found:?}");
    let second = found.iter().find(|line| line["number"] != good[0].0).unwrap();
    let (first, second) = (good[0].0.to_string(), second["number"].to_string());
    let plain = fonds(&["suggest", arg(folder), "1"]).with_status(0);
    assert!(plain.out.contains("relevant pages, ") && plain.out.contains("add to the request"), "{}", plain.out);

    let accepted = fonds(&["suggest", arg(folder), "1", "--accept", &first, "--accept", &second]).with_status(0);
    assert!(accepted.out.starts_with("Version 2 of campaign 1, made from version 1\nrequest\n"), "{}", accepted.out);
    assert!(accepted.out.contains(&format!("  + {}^", good[0].1)), "{}", accepted.out);
    fonds(&["suggest", arg(folder), "1", "--accept", "999"]).with_status(2).with_message("no proposal 999");
    let again = fonds(&["suggest", arg(folder), "1", "--json"]).with_status(0).json_lines();
    assert!(again.iter().all(|line| line["proposal"]["value"] != good[0].1.as_str()), "{again:?}");

    let curves = fonds(&["suggest", arg(folder), "1", "--curve", "--json"]).with_status(0).json_lines();
    let share = |curve: &Value, at: usize| curve["named"][at].as_f64().unwrap();
    assert!(share(&curves[1], 2) + 0.1 >= share(&curves[0], 2), "{} {}", curves[0]["named"], curves[1]["named"]);
    assert!(curves.iter().all(|curve| share(curve, 2) <= 1.0 && share(curve, 2) > 0.0));

    let diff = fonds(&["campaign", "diff", arg(folder), "1", "1"]).with_status(0);
    assert!(diff.out.lines().filter(|line| line.starts_with("  + ")).count() >= 2, "{}", diff.out);
    let restored = fonds(&["campaign", "restore", arg(folder), "1", "1"]).with_status(0);
    assert!(restored.out.starts_with("Version 3 of campaign 1, as version 1 was"), "{}", restored.out);
    assert!(fonds(&["campaign", "diff", arg(folder), "1", "1"]).with_status(0).out.is_empty());
    assert_eq!(fonds(&["campaign", "versions", arg(folder), "1"]).with_status(0).out.lines().count(), 3);

    // The main crawl is one of its own, and leans on no record of the trial.
    made.crawl(folder, &[]).with_status(1);
    let launches = fonds(&["launches", arg(folder), "--json"]).with_status(0).json_lines();
    assert_eq!((launches.len(), &launches[0]["trial"]), (2, &Value::Null), "{launches:?}");
    let discarded = fonds(&["launches", "discard", arg(folder), &launch]).with_status(0);
    assert!(discarded.out.starts_with(&format!("Trial {launch} discarded: ")), "{}", discarded.out);
    assert_eq!(fonds(&["launches", arg(folder), "--json"]).with_status(0).json_lines().len(), 1);
    let session = Session::new(Workspace::open(folder).unwrap());
    let query = fonds::work::models::CaptureQuery { limit: 1000, ..work::everything() };
    let rows = session.catalogue().captures(&query).unwrap().rows;
    assert!(rows.len() > 100);
    for row in &rows {
        session.content(row.id).unwrap();
    }
    assert_eq!(session.catalogue().campaign(CampaignId::new(1)).unwrap().0, 3, "versions are no part of a trial");
}

/// What a workspace answers, in lines that do not name times of jobs.
fn answers(folder: &Path, out: &Path) -> Vec<String> {
    let session = Session::new(Workspace::open(folder).unwrap());
    drop(session);
    let mut answers = Vec::new();
    for call in [
        &["captures", arg(folder), "--json"][..],
        &["search", arg(folder), "mercado", "--json", "--all", "--limit", "500"],
        &["launches", arg(folder), "--json"],
        &["files", "list", arg(folder)],
        &["queue", arg(folder), "1", "--top", "500", "--json"],
        &["inlinks", "hosts", arg(folder)],
    ] {
        let called = fonds(call);
        let lines = called.out.lines().filter(|line| !line.starts_with("discarded\t"));
        // A search finds the same; how high it ranks hits goes by figures of the index, which forgets
        // texts that are gone only when it is made again.
        let line = |line: &str| match call[0] {
            "search" => serde_json::from_str::<Value>(line).unwrap()["url"].to_string(),
            _ => line.to_owned(),
        };
        let mut lines: Vec<String> = lines.map(|of| format!("{} {}", call[0], line(of))).collect();
        if call[0] == "search" {
            lines.sort_unstable();
        }
        answers.append(&mut lines);
    }
    std::fs::create_dir(out).unwrap();
    fonds(&["inlinks", "export", arg(folder), "--out", arg(&out.join("links"))]).with_status(0);
    for file in files_under(out) {
        answers.push(format!(
            "{} {}",
            file.display().to_string().replace(arg(out), ""),
            std::fs::read(&file).unwrap().len()
        ));
    }
    answers
}

#[test]
fn a_workspace_after_a_discarded_trial_is_as_if_there_had_been_none() {
    let made = TrialSite::new(2);
    let first = made.folder.as_path();
    made.crawl(first, &[]).with_status(1);
    fonds(&["inlinks", "build", arg(first)]).with_status(0);
    fonds(&["index", arg(first)]).with_status(0);
    let second = made.dir.path().join("second");
    copy_folder(first, &second);
    let launch = made.trial(&second);
    fonds(&["inlinks", "build", arg(&second)]).with_status(0);
    fonds(&["index", arg(&second)]).with_status(0);
    made.mark(&second, &launch);
    let with_trial = fonds(&["captures", arg(&second), "--count"]).out.trim().parse::<u64>().unwrap();
    fonds(&["launches", "discard", arg(&second), &launch]).with_status(0).with_message("/discarded/");

    let (expected, found) =
        (answers(first, &made.dir.path().join("one")), answers(&second, &made.dir.path().join("two")));
    assert!(expected.len() > 300, "{}", expected.len());
    assert!(with_trial > 300);
    let only = |these: &[String], those: &[String]| -> Vec<String> {
        these.iter().filter(|line| !those.contains(line)).take(5).cloned().collect()
    };
    let differences = (only(&expected, &found), only(&found, &expected));
    assert!(differences.0.is_empty() && differences.1.is_empty(), "{differences:#?}");
    assert_eq!(expected.len(), found.len());
    let listed = fonds(&["files", "list", arg(&second), "--check"]).with_status(0);
    let discarded = listed.out.lines().filter(|line| line.starts_with("discarded\t")).count();
    assert!(discarded > 0 && listed.out.contains(&format!("/{launch}/warcs/")), "{}", listed.out);
    assert_eq!(warcs_under(&second.join("output/warcs")).len(), warcs_under(&first.join("output/warcs")).len());
    let jobs = fonds(&["jobs", arg(&second)]).with_status(0);
    assert!(jobs.out.contains("Discard trial") && jobs.out.contains(&launch), "{}", jobs.out);
}

#[test]
fn what_a_person_decided_about_is_discarded_only_when_confirmed() {
    let made = TrialSite::new(3);
    let folder = made.folder.as_path();
    let launch = made.trial(folder);
    fonds(&["launches", "discard", arg(folder), "20200101000000"]).with_status(2).with_message("there is no launch");
    let id = fonds(&["captures", arg(folder), "--json", "--limit", "1"]).json_lines()[0]["id"].to_string();
    fonds(&["mark", arg(folder), "approve", "--id", &id]).with_status(0);
    fonds(&["launches", "discard", arg(folder), &launch])
        .with_status(2)
        .with_message("a person decided about 1 capture");
    fonds(&["launches", "keep", arg(folder), &launch]).with_status(0);
    fonds(&["launches", "discard", arg(folder), &launch, "--yes"]).with_status(2).with_message("it was kept");
    let second = made.trial(folder);
    assert_ne!(launch, second);
    fonds(&["mark", arg(folder), "reject", "--filter", &format!("launch:{second}")]).with_status(0);
    fonds(&["launches", "discard", arg(folder), &second]).with_status(2).with_message("--yes");
    fonds(&["launches", "discard", arg(folder), &second, "--yes"]).with_status(0);
    made.crawl(folder, &[]).with_status(1);
    let main = fonds(&["launches", arg(folder), "--json"]).json_lines()[0]["launch"].as_str().unwrap().to_owned();
    fonds(&["launches", "discard", arg(folder), &main]).with_status(2).with_message("it is no trial");
}

#[test]
fn a_discard_that_is_killed_is_done_or_not_begun() {
    let made = TrialSite::new(4);
    let launch = made.trial(&made.folder);
    let captures = fonds(&["captures", arg(&made.folder), "--count"]).out;
    let folders = |folder: &Path| {
        let names = |of: &str| {
            files_under(&folder.join(of)).into_iter().filter(|path| path.to_string_lossy().contains(&launch))
        };
        (names("output").count(), if folder.join("discarded").exists() { names("discarded").count() } else { 0 })
    };
    let (files, _) = folders(&made.folder);
    let mut kills = [0, 0];
    for point in 0..8_u64 {
        let copy = made.dir.path().join(format!("copy{point}"));
        copy_folder(&made.folder, &copy);
        let wal = copy.join("fonds.sqlite-wal");
        // From its beginning, by what is written, to the moved folder.
        let seen = || match point {
            0 => true,
            7 => copy.join("discarded").exists(),
            point => std::fs::metadata(&wal).map_or(0, |meta| meta.len()) > point * point * 8_000,
        };
        kill_when(start(&["launches", "discard", arg(&copy), &launch]), seen);
        // Whoever opens it next has one or the other.
        drop(Workspace::open(&copy).unwrap());
        let left = fonds(&["captures", arg(&copy), "--count"]).with_status(0).out;
        let (kept, moved) = folders(&copy);
        match left.trim() {
            "0" => {
                kills[1] += 1;
                assert_eq!((kept, moved), (0, files), "point {point}");
                assert!(fonds(&["launches", arg(&copy), "--json"]).with_status(0).out.is_empty());
            }
            left => {
                kills[0] += 1;
                assert_eq!((left, kept, moved), (captures.trim(), files, 0), "point {point}");
                fonds(&["launches", "discard", arg(&copy), &launch]).with_status(0);
                assert_eq!(folders(&copy), (0, files));
            }
        }
        fonds(&["files", "list", arg(&copy), "--check"]).with_status(0);
    }
    println!("not begun {}, done {}", kills[0], kills[1]);
    assert!(kills[0] > 0);

    // Killed between both: the catalogue has it, the files are where they were.
    let session = Session::new(Workspace::open(&made.folder).unwrap());
    let id = work::launch_called(&session, &launch).unwrap().id;
    session.catalogue().discard_trial(id, "test").unwrap();
    assert_eq!(folders(&made.folder), (files, 0));
    drop(session);
    drop(Workspace::open(&made.folder).unwrap());
    assert_eq!(folders(&made.folder), (0, files));
}

#[test]
fn a_trial_that_was_stopped_goes_on_and_is_no_crawl_to_resume() {
    let made = TrialSite::new(5);
    let folder = made.folder.as_path();
    let mut args: Vec<String> = ["crawl", arg(folder), "1", "--trial", "120"].iter().map(ToString::to_string).collect();
    for (host, port, addr) in made.server.resolve() {
        args.extend(["--resolve".to_owned(), format!("{host}:{port}:{addr}")]);
    }
    assert!(kill_when(start(&args), || made.served.requests.lock().unwrap().len() > 40));
    fonds(&args).with_status(0);
    let launches = fonds(&["launches", arg(folder), "--json"]).with_status(0).json_lines();
    assert_eq!(launches.len(), 1, "{launches:?}");
    assert!(launches[0]["fetched"].as_u64().unwrap() <= 120);
    made.crawl(folder, &[]).with_status(1);
    assert_eq!(fonds(&["launches", arg(folder), "--json"]).with_status(0).json_lines().len(), 2);
}

#[test]
fn a_queue_of_a_trial_names_its_terms_whatever_order_the_campaign_has() {
    let made = TrialSite::new(6);
    let folder = made.folder.as_path();
    let spec = made.dir.path().join("in-turn.json");
    let by_hops = Campaign { order: fonds::campaign::CrawlOrder::BreadthFirst, ..campaign() };
    std::fs::write(&spec, by_hops.to_json()).unwrap();
    fonds(&["campaign", "add", arg(folder), arg(&spec), "--id", "1"]).with_status(0);
    // A short one leaves links with words of the request in the queue.
    made.crawl(folder, &["--trial", "40"]).with_status(0);
    let queue = fonds(&["queue", arg(folder), "1", "--top", "2000", "--json"]).with_status(0).json_lines();
    let has_terms = |place: &Value| {
        place["parts"]
            .as_array()
            .unwrap()
            .iter()
            .any(|part| part["terms"].as_array().is_some_and(|terms| !terms.is_empty()))
    };
    assert!(queue.iter().any(has_terms), "{:?}", queue.first());
    let plain = fonds(&["queue", arg(folder), "1", "--top", "1"]).with_status(0);
    assert!(plain.err.contains("relevance"), "{}", plain.err);
}

#[test]
fn a_damaged_record_of_a_trial_is_named_and_is_no_empty_text() {
    let made = TrialSite::new(7);
    let folder = made.folder.as_path();
    let launch = made.trial(folder);
    made.mark(folder, &launch);
    let whole = fonds(&["suggest", arg(folder), "1", "--json"]).with_status(0);
    assert!(!whole.err.contains("cannot be read"), "{}", whole.err);
    // The record of one page that was marked is spoiled.
    let marked = fonds(&["marks", arg(folder), &launch, "--json"]).with_status(0).json_lines();
    let page = marked.iter().find(|page| page["relevance"] == "relevant").unwrap();
    let (url, id) = (page["url"].as_str().unwrap(), page["capture"].as_i64().unwrap());
    let session = Session::new(Workspace::open(folder).unwrap());
    let stored = session.catalogue().stored_capture(fonds::work::models::CaptureId::new(id)).unwrap();
    let record = &stored.records[0];
    let file = folder.join(&record.file);
    drop(session);
    let mut bytes = std::fs::read(&file).unwrap();
    let begin = usize::try_from(record.span.offset).unwrap() + 12;
    bytes[begin..begin + 40].fill(0x55);
    std::fs::write(&file, bytes).unwrap();
    let spoiled = fonds(&["suggest", arg(folder), "1", "--json"]).with_status(0);
    let named = format!("{url}, which you marked, counts for nothing: its record cannot be read (");
    assert!(spoiled.err.contains(&named), "{}", spoiled.err);
    assert_eq!(spoiled.err.matches("cannot be read").count(), 1, "{}", spoiled.err);
    // Counts are of the pages that were read.
    let relevant_of = |call: &crate::program::CallResult| {
        call.json_lines().iter().filter_map(|line| line["proposal"]["relevant_of"].as_u64()).max().unwrap()
    };
    assert_eq!(relevant_of(&spoiled), relevant_of(&whole) - 1);
    let curves = fonds(&["suggest", arg(folder), "1", "--curve"]).with_status(0);
    assert!(curves.err.contains(&named), "{}", curves.err);
}
