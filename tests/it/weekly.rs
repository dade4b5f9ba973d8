//! A site that is crawled every week: what persons decided once holds for pages that stayed as they were, is
//! asked for again where they changed, and nothing changes a selection but a person.

use crate::archives;
use crate::program::{CallResult, arg, fonds, fonds_with};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The paths of the site.
const PATHS: [&str; 5] = ["/", "/private", "/report", "/gone", "/still"];

/// What a path gives in a week: status and body. `/private` is rejected and changes in the third week, `/report`
/// is approved and changes in the second, `/gone` goes in the fourth.
fn in_week(path: &str, week: usize) -> (u16, String) {
    let page = |text: &str| (200, format!("<title>{text}</title><p>{text}</p>"));
    match path {
        "/" => (200, PATHS[1..].iter().map(|path| format!("<a href={path}>{path}</a> ")).collect()),
        "/private" if week < 2 => page("Names a person"),
        "/private" => page("Names another person"),
        "/report" if week < 1 => page("First report"),
        "/report" => page("Second report"),
        "/gone" if week < 3 => page("Here for now"),
        "/still" => page("Stays as it is"),
        _ => (404, "No such page".to_owned()),
    }
}

/// The site on loopback, and the week that it is in.
fn site() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let week = Arc::new(AtomicUsize::new(0));
    let now = Arc::clone(&week);
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let (now, mut socket) = (Arc::clone(&now), socket.unwrap());
            std::thread::spawn(move || {
                let mut lines = BufReader::new(socket.try_clone().unwrap()).lines();
                while let Some(Ok(line)) = lines.next() {
                    let Some(path) = line.strip_prefix("GET ").and_then(|line| line.split(' ').next()) else {
                        continue;
                    };
                    let (status, body) = in_week(path, now.load(Ordering::SeqCst));
                    let head =
                        format!("HTTP/1.1 {status} X\r\nContent-Type: text/html\r\nContent-Length: {}", body.len());
                    if socket.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    (address, week)
}

/// A workspace with a campaign of the site.
fn archive(dir: &Path, address: &str) -> PathBuf {
    let workspace = dir.join("w");
    fonds(&["new", arg(&workspace)]).with_status(0);
    let campaign = json!({
        "name": "Weekly", "seeds": [{"url": format!("{address}/")}],
        "rules": [{"rule": "reject_all"}, {"rule": "seed_scope"}],
        "politeness": {
            "user_agent": "Mozilla/5.0 (compatible; weekly; +https://archive.example/bot)", "robots": "ignore",
            "delay_factor": 0.0, "min_delay_ms": 0, "allow_private_addresses": true,
        },
        "limits": {"disk_floor_bytes": 0},
    });
    fonds_with(&["campaign", "add", arg(&workspace), "-"], campaign.to_string().as_bytes()).with_status(0);
    workspace
}

struct WeeklyArchive {
    workspace: PathBuf,
    address: String,
    week: Arc<AtomicUsize>,
    _dir: tempfile::TempDir,
}

impl WeeklyArchive {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (address, week) = site();
        Self { workspace: archive(dir.path(), &address), address, week, _dir: dir }
    }

    fn w(&self) -> &str {
        arg(&self.workspace)
    }

    fn crawl(&self, week: usize) -> CallResult {
        self.week.store(week, Ordering::SeqCst);
        let crawled = fonds(&["crawl", self.w(), "1", "--fresh"]);
        assert!(crawled.status <= 1, "{}", crawled.err);
        crawled
    }

    fn mark(&self, mark: &str, path: &str) -> CallResult {
        fonds(&["mark", self.w(), mark, "--url", &format!("{}{path}", self.address), "--reason", "by hand"])
            .with_status(0)
    }

    /// Paths of the captures that a filter finds, each as often as it does.
    #[track_caller]
    fn paths(&self, filter: &str) -> Vec<String> {
        let rows = fonds(&["captures", self.w(), filter, "--campaign", "1", "--json"]).with_status(0).json_lines();
        let mut paths: Vec<String> =
            rows.iter().map(|row| row["url"].as_str().unwrap()[self.address.len()..].to_owned()).collect();
        paths.sort();
        paths
    }

    /// What is to review, by every way to ask: the queue, its filter, the list of campaigns.
    #[track_caller]
    fn queue(&self) -> (Vec<String>, String) {
        let review = fonds(&["review", self.w(), "--json"]).with_status(0);
        let mut queue: Vec<String> = review
            .json_lines()
            .iter()
            .map(|row| row["url"].as_str().unwrap()[self.address.len()..].to_owned())
            .collect();
        queue.sort();
        assert_eq!(queue, self.paths("review:yes"));
        let campaign = &fonds(&["campaign", "list", self.w(), "--json"]).with_status(0).json_lines()[0];
        assert_eq!(campaign["to_review"], json!(queue.len()));
        (queue, review.err)
    }

    /// Hands the selection over, and says what another archive gets of it: path, title.
    #[track_caller]
    fn exported_rows(&self, name: &str) -> BTreeSet<(String, String)> {
        let dir = self.workspace.parent().unwrap();
        let (to, other) = (dir.join(name), dir.join(format!("{name}-other")));
        fonds(&["export", self.w(), "--campaign", "1", "--out", arg(&to)]).with_status(0);
        fonds(&["verify", arg(&to)]).with_status(0);
        fonds(&["new", arg(&other)]).with_status(0);
        fonds(&["import", arg(&other), arg(&to)]).with_status(0);
        let rows = fonds(&["captures", arg(&other), "", "--json"]).with_status(0).json_lines();
        let text = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
        rows.iter().map(|row| (text(row, "url")[self.address.len()..].to_owned(), text(row, "title"))).collect()
    }

    fn selection_date(&self) -> String {
        let err = fonds(&["select", "list", self.w(), "1"]).with_status(0).err;
        err.lines().find(|line| line.starts_with("Selection of")).unwrap().split(" (").next().unwrap().to_owned()
    }
}

/// A call that ends well and prints this.
#[track_caller]
fn prints(call: &[&str], text: &str) {
    let out = fonds(call).with_status(0).out;
    assert!(out.contains(text), "“{text}” is missing: {out}");
}

fn set(rows: &[(&str, &str)]) -> BTreeSet<(String, String)> {
    rows.iter().map(|(path, title)| ((*path).to_owned(), (*title).to_owned())).collect()
}

#[test]
fn decisions_of_the_first_week_hold_for_four_weeks() {
    let archive = WeeklyArchive::new();
    let w = archive.w();
    archive.crawl(0);
    assert_eq!(archive.queue().0, ["/", "/gone", "/private", "/report", "/still"]);
    archive.mark("reject", "/private");
    archive.mark("approve", "/report");
    archive.mark("approve", "/still");
    assert_eq!(archive.queue().0, ["/", "/gone"]);
    fonds(&["select", "run", w, "1", "--filter", "status:200"]).with_status(0);
    let (first, still) = (("/report", "First report"), ("/still", "Stays as it is"));
    let (start, gone) = (("/", ""), ("/gone", "Here for now"));
    assert_eq!(archive.exported_rows("h0"), set(&[start, first, gone, still]));

    // The second week: what stayed as it was is decided, and is no more to review than before.
    let crawled = archive.crawl(1);
    assert_eq!(archive.paths("revisit:yes"), ["/", "/gone", "/private", "/still"]);
    assert_eq!(archive.queue().0, ["/", "/gone", "/report"]);
    assert_eq!(archive.paths("mark:reject"), ["/private", "/private"]);
    assert_eq!(archive.paths("inherited:yes"), ["/private", "/still"]);
    assert_eq!(archive.paths("mark:approve"), ["/report", "/still", "/still"]);
    let rows = fonds(&["captures", w, "mark:reject", "--json"]).json_lines();
    let inherited: Vec<&Value> = rows.iter().map(|row| &row["decision_inherited"]).collect();
    assert_eq!(inherited, [&json!(false), &json!(true)]);
    let why = fonds(&["why", w, &format!("{}/private", archive.address)]).with_status(0).out;
    assert!(why.contains("rejected by") && why.contains("on another capture of the same content"), "{why}");
    // The selection is as it was kept; what it would change is offered.
    assert!(crawled.err.contains("+3 −0 since"), "{}", crawled.err);
    assert_eq!(archive.paths("selected:yes"), ["/", "/gone", "/report", "/still", "/still"]);
    let changes = fonds(&["select", "changes", w, "1"]).with_status(0);
    assert_eq!(changes.out.lines().count(), 3, "{}", changes.out);
    prints(&["select", "again", w, "1"], "+3 −0");
    assert_eq!(fonds(&["select", "changes", w, "1"]).with_status(0).out, "");
    let second = ("/report", "Second report");
    assert_eq!(archive.exported_rows("h1"), set(&[start, first, second, gone, still]));
    fonds(&["mark", w, "reject", "--filter", "title:\"Second report\""]).with_status(0);

    // The third week: the rejected page has a new version, which nothing but an approval selects.
    let crawled = archive.crawl(2);
    let named = "1 URL with an earlier rejection changed";
    assert!(crawled.err.contains(named), "{}", crawled.err);
    let (queue, err) = archive.queue();
    assert_eq!(queue, ["/", "/gone", "/private"]);
    assert!(err.contains(named), "{err}");
    assert_eq!(archive.paths("rejected_before:yes"), ["/private"]);
    let run = fonds(&["select", "run", w, "1", "--filter", "status:200"]).with_status(0);
    assert!(run.out.contains(named), "{}", run.out);
    assert!(!archive.paths("export:yes").contains(&"/private".to_owned()));
    prints(&["select", "run", w, "1", "--threshold", "0"], named);
    assert!(!archive.paths("export:yes").contains(&"/private".to_owned()));
    let list = fonds(&["select", "list", w, "1", "--json"]).with_status(0).json_lines();
    let waiting: Vec<&Value> = list.iter().filter(|row| row["rejected_before"] == true).collect();
    assert_eq!((waiting.len(), &waiting[0]["passes"], &waiting[0]["selected"]), (1, &json!(true), &json!(false)));
    let why = fonds(&["why", w, &format!("{}/private", archive.address)]).with_status(0).out;
    assert!(why.contains("an earlier version was rejected by") && why.contains("by hand"), "{why}");
    // A flag is no approval; the approval of the new version is none of the rejected one.
    fonds(&["mark", w, "flag", "--filter", "rejected_before:yes"]).with_status(0);
    assert!(!archive.paths("selected:yes").contains(&"/private".to_owned()));
    fonds(&["mark", w, "approve", "--filter", "rejected_before:yes"]).with_status(0);
    assert_eq!(archive.paths("selected:yes url:/private"), ["/private"]);
    let given = archive.exported_rows("h2");
    assert!(given.contains(&("/private".to_owned(), "Names another person".to_owned())), "{given:?}");
    assert!(!given.iter().any(|(_, title)| title == "Names a person" || title == "Second report"), "{given:?}");

    // The fourth week: a page is gone; that is a version of its own.
    fonds(&["select", "run", w, "1", "--filter", "status:200"]).with_status(0);
    let date = archive.selection_date();
    archive.crawl(3);
    assert_eq!(archive.queue().0, ["/", "/gone", "/gone"]);
    assert_eq!(archive.selection_date(), date);
    fonds(&["select", "again", w, "1"]).with_status(0);
    assert_eq!(archive.paths("selected:yes status:404"), Vec::<String>::new());
    assert_eq!(archive.paths("selected:yes url:/private"), ["/private", "/private"]);
    // By URL all versions known now are decided, and one that comes is to review.
    archive.mark("reject", "/gone");
    assert_eq!(archive.queue().0, ["/"]);
    let fourth = archive.exported_rows("h3");
    assert!(!fourth.iter().any(|(path, _)| path == "/gone"), "{fourth:?}");
}

#[test]
fn a_campaign_may_have_its_selection_made_again_after_each_run_and_one_step_undoes_it() {
    let archive = WeeklyArchive::new();
    let w = archive.w();
    archive.crawl(0);
    fonds(&["select", "run", w, "1", "--filter", "status:200"]).with_status(0);
    prints(&["select", "undo", w, "1"], "no selection is kept");
    fonds(&["select", "undo", w, "1"]).with_status(2).with_message("no earlier selection");
    fonds(&["select", "run", w, "1", "--filter", "status:200"]).with_status(0);
    let kept = archive.paths("selected:yes");
    let campaign = fonds(&["campaign", "export", w, "1"]).with_status(0).out;
    let mut campaign: Value = serde_json::from_str(&campaign).unwrap();
    assert!(campaign.get("select_after_run").is_none(), "off by default");
    campaign["select_after_run"] = json!(true);
    fonds_with(&["campaign", "add", w, "-", "--id", "1"], campaign.to_string().as_bytes()).with_status(0);
    let jobs = || {
        let rows = fonds(&["jobs", w, "--json"]).with_status(0).json_lines();
        rows.iter().filter(|row| row["name"] == "Select").map(|row| row["outcome"].to_string()).collect::<Vec<_>>()
    };
    let before = jobs().len();
    archive.crawl(1);
    assert_eq!(archive.paths("selected:yes").len(), kept.len() + 5);
    let after = jobs();
    assert_eq!(after.len(), before + 1);
    assert!(after.iter().any(|job| job.contains("after the run") && job.contains("+5 −0")), "{after:?}");
    prints(&["select", "undo", w, "1"], "is back");
    assert_eq!(archive.paths("selected:yes"), kept);
    assert_eq!(fonds(&["select", "changes", w, "1"]).with_status(0).out.lines().count(), 5);
}

#[test]
fn a_collection_with_a_filter_leaves_the_kept_selection_as_it_is() {
    let archive = WeeklyArchive::new();
    let w = archive.w();
    archive.crawl(0);
    fonds(&["select", "run", w, "1", "--filter", "status:200"]).with_status(0);
    fonds(&["collections", "save", w, "K", "--campaign", "1", "--filter", "title:Second"]).with_status(0);
    let (kept, date) = (archive.paths("selected:yes"), archive.selection_date());
    archive.crawl(1);
    assert_eq!((archive.paths("selected:yes"), archive.selection_date()), (kept, date));
    assert_eq!(archive.paths("collection:K"), ["/report"]);
}

/// Four files of a page, a week apart: the first version, a revisit of each profile, a second version.
fn weeks(folder: &Path) -> Vec<PathBuf> {
    const URL: &str = "http://a.example/page";
    let http = "Content-Type: application/http; msgtype=response\r\n";
    let page = |text: &str| format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>{text}</title>");
    let digest = {
        use sha1::Digest;
        let payload = page("One").split_once("\r\n\r\n").unwrap().1.to_owned();
        format!("sha1:{}", data_encoding::BASE32.encode(&sha1::Sha1::digest(payload)))
    };
    let refers = format!("WARC-Refers-To-Target-URI: {URL}\r\nWARC-Refers-To-Date: 2024-03-01T09:00:00Z\r\n");
    let profile =
        |name: &str| format!("{http}{refers}WARC-Profile: http://netpreserve.org/warc/1.1/revisit/{name}\r\n");
    let same = profile("identical-payload-digest") + &format!("WARC-Payload-Digest: {digest}\r\n");
    let records = [
        archives::record("response", URL, "2024-03-01T09:00:00Z", http, page("One")),
        archives::record(
            "revisit",
            URL,
            "2024-03-08T09:00:00Z",
            &same,
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
        ),
        archives::record(
            "revisit",
            URL,
            "2024-03-15T09:00:00Z",
            &profile("server-not-modified"),
            "HTTP/1.1 304 Not Modified\r\n\r\n",
        ),
        archives::record("response", URL, "2024-03-22T09:00:00Z", http, page("Two")),
    ];
    let write = |(at, record): (usize, &Vec<u8>)| {
        let path = folder.join(format!("week{at}.warc"));
        std::fs::write(&path, record).unwrap();
        path
    };
    records.iter().enumerate().map(write).collect()
}

#[test]
fn revisits_of_both_profiles_have_the_decision_in_whatever_order_files_come() {
    for order in [[0, 1, 2, 3], [1, 2, 0, 3], [2, 0, 1, 3]] {
        let dir = tempfile::tempdir().unwrap();
        let workspace = dir.path().join("w");
        let w = arg(&workspace);
        let files = weeks(dir.path());
        let count = |filter: &str| fonds(&["captures", w, filter, "--count"]).with_status(0).out.trim().to_owned();
        fonds(&["new", w]).with_status(0);
        fonds(&["import", w, arg(&files[order[0]])]).with_status(0);
        // Decided on the first that came, even where what it repeats is not here yet.
        fonds(&["mark", w, "reject", "--url", "http://a.example/page"]).with_status(0);
        for at in &order[1..3] {
            fonds(&["import", w, arg(&files[*at])]).with_status(0);
        }
        assert_eq!(
            (count("mark:reject"), count("inherited:yes"), count("review:yes")),
            ("3".into(), "2".into(), "0".into()),
            "{order:?}"
        );
        fonds(&["import", w, arg(&files[3])]).with_status(0);
        assert_eq!(
            (count("mark:reject"), count("review:yes"), count("rejected_before:yes")),
            ("3".into(), "1".into(), "1".into()),
            "{order:?}"
        );
        // Taken back on any of them, it is on none, and nothing was rejected before.
        fonds(&["mark", w, "clear", "--filter", "inherited:yes"]).with_status(0);
        assert_eq!(
            (count("mark:reject"), count("review:yes"), count("rejected_before:yes")),
            ("0".into(), "2".into(), "0".into())
        );
    }
}
