//! Every kind of link on a served site: what the program, called as a person does, asks for.

use crate::program::fonds;
use fonds::guide::{LINK_EXAMPLES, LinkExample};
use fonds::serve::{Handler, HttpReply, HttpRequest, NamedHosts};
use std::collections::BTreeSet;
use std::io::Write;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::{Arc, Mutex};

const HOST: &str = "kinds.example";

/// A site with one link of each kind, and all paths that were asked for.
struct LinkSite {
    examples: Vec<(usize, &'static LinkExample)>,
    requests: Arc<Mutex<BTreeSet<String>>>,
    /// Whether robots.txt names the sitemaps.
    names_sitemaps: bool,
}

fn filled(text: &str, number: usize) -> String {
    let path = format!("/t/{number}");
    text.replace("@@", &path).replace("@A", &format!("http://{HOST}{path}")).replace("{n}", &number.to_string())
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

impl LinkSite {
    fn files(&self) -> impl Iterator<Item = (String, usize, &'static LinkExample)> {
        let files = self.examples.iter().filter(|(_, example)| !example.file.is_empty());
        files.map(|(number, example)| (format!("/f/{number}/{}", example.file), *number, *example))
    }

    fn front_page(&self) -> String {
        let mut page = "<!doctype html><title>kinds</title>".to_owned();
        for (number, example) in self.examples.iter().filter(|(_, example)| example.file.is_empty()) {
            page += &filled(example.markup, *number);
            page.push('\n');
        }
        for (path, ..) in self.files().filter(|(path, ..)| !path.contains("sitemap")) {
            let link = if path.ends_with(".css") { "<link rel=stylesheet href=" } else { "<a href=" };
            page += &format!("{link}{path}>f</a>\n");
        }
        page
    }

    fn file(path: &str, number: usize, example: &LinkExample) -> HttpReply {
        let status = if path.ends_with("moved") {
            302
        } else if path.ends_with("created") {
            201
        } else {
            200
        };
        let mut body = filled(example.markup, number).into_bytes();
        if path.contains("utf-16") {
            body = String::from_utf8(body).unwrap().encode_utf16().flat_map(u16::to_be_bytes).collect();
        }
        if path.ends_with(".gz") {
            body = packed(&body);
        }
        let encoded = path.ends_with(".gz.gz");
        if encoded {
            body = packed(&body);
        }
        let mut reply = HttpReply::new(status, example.content_type, body);
        if encoded {
            reply = reply.with("Content-Encoding", "gzip");
        }
        match filled(example.fields, number).split_once(": ") {
            Some((name, value)) => reply.with(name, value),
            None => reply,
        }
    }
}

impl Handler for LinkSite {
    fn handle(&self, request: &HttpRequest) -> HttpReply {
        self.requests.lock().unwrap().insert(request.path.clone());
        match request.path.as_str() {
            "/" => HttpReply::new(200, "text/html; charset=utf-8", self.front_page()),
            "/robots.txt" => {
                let mut robots = "User-agent: *\nDisallow: /private\n".to_owned();
                for (path, ..) in self.files().filter(|(path, ..)| path.contains("sitemap") && self.names_sitemaps) {
                    robots += &format!("Sitemap: http://{HOST}{path}\n");
                }
                HttpReply::new(200, "text/plain", robots)
            }
            "/sitemap.xml" => {
                let sitemap = format!("<urlset><url><loc>http://{HOST}/undeclared</loc></url></urlset>");
                HttpReply::new(200, "application/xml", sitemap)
            }
            path => match self.files().find(|(known, ..)| known == path) {
                Some((path, number, example)) => Self::file(&path, number, example),
                None => HttpReply::new(200, "text/html", "<p>leaf"),
            },
        }
    }
}

/// Crawls a site to its end with the program, and gives its result.
fn crawl(site: Arc<dyn Handler>, folder: &Path) -> serde_json::Value {
    let hosts = NamedHosts::start(&[(HOST.to_owned(), Ipv4Addr::new(127, 0, 80, 1))], site).unwrap();
    let (host, port, address) = &hosts.resolve()[0];
    let resolve = format!("{host}:{port}:{address}");
    let campaign = serde_json::json!({
        "name": "Kinds of links",
        "seeds": [{ "url": format!("http://{HOST}/"), "scope": "root" }],
        "rules": fonds::scope::standard_rules(),
        "politeness": {
            "user_agent": "Fonds test (+https://archive.example/contact)",
            "delay_factor": 0.0, "min_delay_ms": 0, "max_delay_ms": 0, "allow_private_addresses": true,
        },
    });
    let (workspace, file) = (folder.join("workspace"), folder.join("campaign.json"));
    std::fs::write(&file, campaign.to_string()).unwrap();
    let (workspace, file) = (workspace.to_str().unwrap(), file.to_str().unwrap());
    fonds(&["new", workspace]).with_status(0);
    fonds(&["campaign", "add", workspace, file]).with_status(0);
    let result = fonds(&["crawl", workspace, "1", "--resolve", &resolve, "--json"]).with_status(0);
    result.json_lines().pop().unwrap()
}

/// All paths of the site that a crawl asks for.
fn crawled(examples: Vec<(usize, &'static LinkExample)>, names_sitemaps: bool, folder: &Path) -> BTreeSet<String> {
    let requests = Arc::default();
    crawl(Arc::new(LinkSite { examples, requests: Arc::clone(&requests), names_sitemaps }), folder);
    std::mem::take(&mut *requests.lock().unwrap())
}

/// A page and a sitemap with many links to another host.
struct LongLists;

impl Handler for LongLists {
    fn handle(&self, request: &HttpRequest) -> HttpReply {
        match request.path.as_str() {
            "/" => {
                let links: String = (0..6_010).map(|at| format!("<a href=http://other.example/p/{at}>x</a>")).collect();
                HttpReply::new(200, "text/html", links)
            }
            "/robots.txt" => HttpReply::new(200, "text/plain", format!("Sitemap: http://{HOST}/map.xml\n")),
            "/map.xml" => {
                let links: String =
                    (0..20_000).map(|at| format!("<url><loc>http://other.example/s/{at}</loc></url>")).collect();
                HttpReply::new(200, "application/xml", format!("<urlset>{links}</urlset>"))
            }
            _ => HttpReply::plain(404, "Not here"),
        }
    }
}

#[test]
fn links_beyond_the_limit_of_a_page_are_counted_and_a_sitemap_is_followed_whole() {
    let dir = tempfile::tempdir().unwrap();
    let result = crawl(Arc::new(LongLists), dir.path());
    assert_eq!((&result["links_left_out"], &result["refused"]), (&10.into(), &26_000.into()), "{result}");
    let workspace = dir.path().join("workspace");
    let events = fonds(&["events", workspace.to_str().unwrap(), "--kind", "truncated", "--json"]).with_status(0);
    let texts: Vec<_> = events.json_lines().iter().map(|event| event["text"].to_string()).collect();
    assert!(texts.len() == 1 && texts[0].contains("10 of 6010 links"), "{texts:?}");
}

#[test]
fn a_crawl_follows_the_kinds_of_links_that_the_guide_names() {
    let dir = tempfile::tempdir().unwrap();
    let examples: Vec<_> = LINK_EXAMPLES.iter().flat_map(|kind| kind.examples).enumerate().collect();
    let requests = crawled(examples.clone(), true, dir.path());
    let mut wrong = Vec::new();
    let followed = LINK_EXAMPLES.iter().flat_map(|kind| kind.examples.iter().map(|_| kind.is_followed));
    for ((number, example), is_expected) in examples.iter().zip(followed) {
        let is_followed =
            ["", ".html", ".json", ".png"].iter().any(|end| requests.contains(&format!("/t/{number}{end}")));
        if is_followed != is_expected {
            wrong.push(format!("{is_followed}: {} {} {}", example.file, example.fields, example.markup));
        }
    }
    assert!(wrong.is_empty(), "{} of {} are not as the guide says:\n{}", wrong.len(), examples.len(), wrong.join("\n"));
    assert!(!requests.contains("/sitemap.xml"), "sitemaps that robots.txt names are all");
}

#[test]
fn a_sitemap_at_the_usual_place_is_found_where_robots_txt_names_none() {
    let dir = tempfile::tempdir().unwrap();
    let requests = crawled(Vec::new(), false, dir.path());
    assert!(requests.contains("/undeclared"), "{requests:?}");
}
