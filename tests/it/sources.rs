//! Sources of a campaign by the program: added by their address, read, killed in the middle, and read on.

use crate::archive::files_under;
use crate::kill::{kill_when, start};
use crate::program::{arg, fonds};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Fields and body of an answer, or none for 404.
type Reply = Option<(String, String)>;

/// A server on loopback that notes the paths that were requested.
struct Service {
    addr: SocketAddr,
    paths: Arc<Mutex<Vec<String>>>,
}

impl Service {
    fn start(answer: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (addr, paths, answer) =
            (listener.local_addr().unwrap(), Arc::new(Mutex::new(Vec::new())), Arc::new(answer));
        let seen = Arc::clone(&paths);
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let (mut socket, seen, answer) = (socket.unwrap(), Arc::clone(&seen), Arc::clone(&answer));
                std::thread::spawn(move || {
                    let mut lines = BufReader::new(socket.try_clone().unwrap()).lines();
                    let Some(Ok(first)) = lines.next() else { return };
                    for line in lines.by_ref().map_while(Result::ok) {
                        if line.is_empty() {
                            break;
                        }
                    }
                    let path = first.split(' ').nth(1).unwrap_or("/").to_owned();
                    if path != "/robots.txt" {
                        seen.lock().unwrap().push(path.clone());
                    }
                    let (head, body) = match answer(&path) {
                        Some((fields, body)) => (format!("HTTP/1.1 200 OK\r\n{fields}"), body),
                        None => ("HTTP/1.1 404 Not Found\r\n".to_owned(), String::new()),
                    };
                    let head = format!("{head}Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
                    let _ = socket.write_all(head.as_bytes()).and_then(|()| socket.write_all(body.as_bytes()));
                });
            }
        });
        Self { addr, paths }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.addr)
    }

    /// The paths that were requested since the last call.
    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut *self.paths.lock().unwrap())
    }
}

/// A workspace with a campaign about floods without sources.
fn workspace(dir: &Path, service: &Service, sources: &Value) -> PathBuf {
    let workspace = dir.join("archive");
    fonds(&["new", arg(&workspace)]).with_status(0);
    let mut campaign: Value = serde_json::from_str(&fonds(&["campaign", "example"]).with_status(0).out).unwrap();
    campaign["request"] = json!("flood OR \"high water\"");
    campaign["seeds"] = json!([{ "url": service.url("/start") }]);
    campaign["sources"] = sources.clone();
    campaign["politeness"] = json!({
        "user_agent": "Fonds test (+mailto:archive@town.example)", "allow_private_addresses": true,
        "min_delay_ms": 0, "delay_factor": 0.0, "max_retries": 0
    });
    let file = dir.join("campaign.json");
    std::fs::write(&file, campaign.to_string()).unwrap();
    fonds(&["campaign", "add", arg(&workspace), arg(&file)]).with_status(0);
    workspace
}

const JSON: &str = "Content-Type: application/json; charset=utf-8\r\n";
const HTML: &str = "Content-Type: text/html; charset=utf-8\r\n";

/// Changes of a wiki, a second apart each: those from `from` to `to`.
fn changes(from: usize, to: usize) -> String {
    let change = |number: usize| {
        format!(
            r#"{{"type":"edit","ns":0,"title":"Page {number}","pageid":{number},"revid":{number},"old_revid":0,
                "rcid":{number},"oldlen":1,"newlen":2,"timestamp":"2026-01-01T00:{:02}:{:02}Z"}}"#,
            number / 60,
            number % 60
        )
    };
    (from..to).map(change).collect::<Vec<_>>().join(",")
}

/// The second of a change, of a `rcstart` or of where a list goes on.
fn second(time: &str) -> usize {
    let digits: String = time.chars().filter(char::is_ascii_digit).collect();
    let part = |at: usize| digits[at..at + 2].parse::<usize>().unwrap();
    part(10) * 60 + part(12)
}

const BATCH: usize = 5;

/// A wiki that gives five changes at once, as many as there are by now.
fn wiki(written: &Arc<AtomicUsize>) -> Service {
    let written = Arc::clone(written);
    Service::start(move |path| {
        let query = path.strip_prefix("/w/api.php?")?;
        let field = |name: &str| {
            let fields = query.split('&').filter_map(|field| field.split_once('='));
            fields
                .into_iter()
                .find(|(of, _)| *of == name)
                .map(|(_, value)| value.replace("%3A", ":").replace("%7C", "|"))
        };
        assert_eq!(field("list").as_deref(), Some("recentchanges"), "{path}");
        let all = written.load(Ordering::SeqCst);
        let from = match field("rccontinue") {
            Some(goes_on) => goes_on.rsplit('|').next().unwrap().parse().unwrap(),
            None => field("rcstart").map_or(0, |start| second(&start)),
        };
        let to = all.min(from + BATCH);
        let goes_on = match to < all {
            true => format!(r#""continue":{{"rccontinue":"20260101000000|{to}","continue":"-||"}},"#),
            false => String::new(),
        };
        // So that a kill hits between two answers.
        std::thread::sleep(std::time::Duration::from_millis(20));
        Some((
            JSON.to_owned(),
            format!(
                r#"{{{goes_on}"batchcomplete":true,"query":{{"general":{{"articlepath":"/wiki/$1","server":""}},"recentchanges":[{}]}}}}"#,
                changes(from, to)
            ),
        ))
    })
}

/// Where a run began: the second of `rcstart`.
fn began_at(paths: &[String]) -> Option<usize> {
    let (_, start) = paths.first().unwrap().split_once("rcstart=")?;
    Some(second(&start.split('&').next().unwrap().replace("%3A", ":")))
}

fn row(workspace: &Path) -> Value {
    fonds(&["sources", "list", arg(workspace), "1", "--json"]).with_status(0).json_lines().remove(0)
}

#[test]
fn a_run_that_is_killed_goes_on_from_the_mark_of_the_last_whole_one() {
    let dir = tempfile::tempdir().unwrap();
    let written = Arc::new(AtomicUsize::new(60));
    let service = wiki(&written);
    let source = json!([{ "name": "wiki", "kind": "mediawiki", "address": service.url("/w/api.php"), "queries": [] }]);
    let workspace = workspace(dir.path(), &service, &source);
    let run = ["sources", "run", arg(&workspace), "1"];
    let mut kills = 0;
    let kill_after = |answers: usize, kills: &mut usize| {
        let hit = kill_when(start(&run), || service.paths.lock().unwrap().len() >= answers);
        *kills += usize::from(hit);
        service.taken()
    };
    // Killed while nothing was ever read to its end: each run begins at the beginning.
    for answers in [1, 4, 8] {
        assert_eq!(began_at(&kill_after(answers, &mut kills)), None);
        assert_eq!(row(&workspace)["marks"], json!({}), "no mark before all pages of a run are kept");
    }
    fonds(&run).with_status(0);
    assert_eq!(began_at(&service.taken()), None);
    let whole = row(&workspace);
    assert_eq!((&whole["pages"], &whole["waiting"]), (&json!(60), &json!(60)), "each page once: {whole}");
    assert_eq!(whole["marks"][""], "2026-01-01T00:00:59Z");

    // Killed in the next one: it goes on from the mark, and not from where the killed one was.
    written.store(130, Ordering::SeqCst);
    for answers in [2, 5, 9] {
        assert_eq!(began_at(&kill_after(answers, &mut kills)), Some(58), "a second before the mark");
        assert_eq!(row(&workspace)["marks"][""], "2026-01-01T00:00:59Z");
    }
    assert!(kills >= 4, "the program was killed {kills} times only: the kills come too late");
    fonds(&run).with_status(0);
    assert_eq!(began_at(&service.taken()), Some(58));
    let whole = row(&workspace);
    assert_eq!(whole["pages"], 130, "nothing was lost: {whole}");
    assert_eq!(whole["marks"][""], "2026-01-01T00:02:09Z");
    fonds(&run).with_status(0).with_message("");
    let last = service.taken();
    assert_eq!((last.len(), began_at(&last)), (1, Some(128)), "only what is new is requested: {last:?}");

    // The answers of killed runs are captures, too, and no file is left open.
    let left: Vec<_> =
        files_under(&workspace).into_iter().filter(|file| file.to_string_lossy().ends_with(".open")).collect();
    assert_eq!(left, Vec::<PathBuf>::new());
    let captured = fonds(&["captures", arg(&workspace), "url:/w/api.php", "--json", "--limit", "1000"]).with_status(0);
    let urls: BTreeSet<String> =
        captured.json_lines().iter().map(|row| row["url"].as_str().unwrap_or_default().to_owned()).collect();
    assert!(
        urls.iter().any(|url| url.contains("rccontinue")) && urls.iter().any(|url| url.contains("rcstart")),
        "{urls:?}"
    );
}

/// A service of each protocol below one address, with the pages by which each is recognised.
fn services(path: &str) -> Reply {
    let answer = |fields: &str, body: &str| Some((fields.to_owned(), body.to_owned()));
    match path {
        "/wiki/Main_Page" => answer(
            HTML,
            "<html><head><meta name=\"generator\" content=\"MediaWiki 1.43.0\"/>\
             <link rel=\"EditURI\" type=\"application/rsd+xml\" href=\"/w/api.php?action=rsd\"/></head></html>",
        ),
        path if path.starts_with("/w/api.php?") => answer(
            JSON,
            r#"{"batchcomplete":true,"query":{"general":{"server":"","articlepath":"/wiki/$1"},"searchinfo":{"totalhits":1},
                "search":[{"ns":0,"title":"Flood of 1755","pageid":7,"timestamp":"2026-01-02T03:04:05Z"}]}}"#,
        ),
        "/tags/flood" => answer(
            &format!("Server: Mastodon\r\n{HTML}"),
            "<div class=app-holder id=\"mastodon\"></div><script id=\"initial-state\" type=\"application/json\">{}</script>",
        ),
        path if path.starts_with("/api/v1/timelines/tag/flood?") => answer(
            JSON,
            r#"[{"id":"103270115826048975","created_at":"2026-01-02T03:04:05.000Z","url":"/@ria/103270115826048975",
                "content":"<p>flood</p>","account":{"acct":"ria"}}]"#,
        ),
        "/blog/" => answer(
            &format!("{HTML}Link: </blog/wp-json/>; rel=\"https://api.w.org/\"\r\n"),
            "<html><head><meta name=\"generator\" content=\"WordPress 6.9\"></head></html>",
        ),
        path if path.starts_with("/blog/wp-json/wp/v2/posts?") => answer(
            &format!("{JSON}X-WP-Total: 1\r\nX-WP-TotalPages: 1\r\n"),
            r#"[{"id":1,"link":"/blog/flood/","modified_gmt":"2026-01-02T03:04:05","title":{"rendered":"Flood"}}]"#,
        ),
        "/forum" => {
            answer(HTML, "<html><head><meta name=\"generator\" content=\"Discourse 3.6.0.beta1 - x\"></head></html>")
        }
        path if path.starts_with("/search.json?") => answer(
            JSON,
            r#"{"topics":[{"id":5,"slug":"flood","title":"Flood","bumped_at":"2026-01-02T03:04:05.000Z"}],
                "grouped_search_result":{"more_full_page_results":null}}"#,
        ),
        "/news" => answer(HTML, "<link rel='alternate' type='application/atom+xml' title='News' href='/news.atom'>"),
        "/news.atom" => answer(
            "Content-Type: application/atom+xml\r\n",
            "<feed xmlns='http://www.w3.org/2005/Atom'><entry><title>Flood</title><link href='/news/1'/></entry></feed>",
        ),
        "/sitemap.xml" => answer(
            "Content-Type: application/xml\r\n",
            "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>/page</loc></url></urlset>",
        ),
        path if path.starts_with("/find?q=") => answer(HTML, "<a href='https://press.example/flood'>Flood</a>"),
        _ => None,
    }
}

#[test]
fn a_service_of_each_protocol_is_added_by_its_address_tested_and_read() {
    let dir = tempfile::tempdir().unwrap();
    let service = Service::start(services);
    let workspace = workspace(dir.path(), &service, &json!([]));
    for (path, kind, address, page) in [
        ("/wiki/Main_Page", "mediawiki", "/w/api.php", "/wiki/Flood_of_1755"),
        ("/tags/flood", "mastodon", "/tags/flood", "/@ria/103270115826048975"),
        ("/blog/", "wordpress", "/blog/wp-json/", "/blog/flood/"),
        ("/forum", "discourse", "/", "/t/flood/5"),
        ("/news", "feed", "/news.atom", "/news/1"),
        ("/sitemap.xml", "sitemap", "/sitemap.xml", "/page"),
        ("/find?q={query}", "search", "/find?q={query}", "https://press.example/flood"),
    ] {
        let url = service.url(path);
        let mut args = vec!["sources", "add", arg(&workspace), "1", &url, "--name", kind, "--json"];
        if kind == "search" {
            args.extend(["--kind", "search"]);
        }
        let added = fonds(&args).with_status(0).json_lines().remove(0);
        assert_eq!((&added["kind"], &added["address"]), (&json!(kind), &json!(service.url(address))), "{added}");
        let page = if page.starts_with('/') { service.url(page) } else { page.to_owned() };
        let test =
            fonds(&["sources", "test", arg(&workspace), "1", kind, "--json"]).with_status(0).json_lines().remove(0);
        assert_eq!(test["pages"][0][0], json!(page), "{kind}: {test}");
        // What was shown before is what was sent.
        let sent = service.taken();
        let shown = test["requests"][0][1].as_str().unwrap();
        assert!(sent.iter().any(|path| service.url(path) == shown), "{kind}: {shown}: {sent:?}");
        let run =
            fonds(&["sources", "run", arg(&workspace), "1", kind, "--json"]).with_status(0).json_lines().remove(0);
        assert_eq!((&run["sources"][0]["new"], &run["sources"][0]["failures"]), (&json!(1), &Value::Null), "{run}");
    }
    let nothing = service.url("/nothing");
    fonds(&["sources", "add", arg(&workspace), "1", &nothing]).with_status(2).with_message("name its --kind");
    let versions = fonds(&["campaign", "versions", arg(&workspace), "1"]).with_status(0).out.lines().count();
    assert_eq!(versions, 8, "each that was added makes a version");
}
