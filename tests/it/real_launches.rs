//! Checks that a collection of files cannot show: three launches of one campaign over real sites, served on loopback.
//! Between the second and the third, real pages go, change or close; each check has to find its own, and to have said
//! nothing of it the week before.

use crate::archive::files_under;
use crate::archives::record;
use crate::need::data;
use crate::program::{arg, fonds, fonds_with};
use crate::site_server::{Site, SiteServer};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// The languages of the Apache manual, each a host of its own.
const LANGUAGES: [&str; 6] = ["en", "fr", "es", "ja", "ko", "tr"];

/// The project's hosts, which pages of the manuals link to and only the third launch has as seeds.
const NEW_SEEDS: [&str; 3] = ["http://www.apache.org/", "http://httpd.apache.org/docs/", "http://wiki.apache.org/"];

/// What the third launch has, a check and the subject of its finding.
const FOUND: [(&str, &str); 14] = [
    ("anchors", "http://httpd.apache.org/docs/"),
    ("host-failures", "manual-en.example"),
    ("launch-shrunk", ""),
    ("new-hosts", ""),
    ("not-seen-again", ""),
    ("off-topic", "http://manual-en.example/ssl/ssl_faq.html"),
    ("other-time", "http://selftest.example/Frames/"),
    ("own-rules", "http://manual-en.example/howto/htaccess.html"),
    ("request", "http://manual-en.example/rewrite/proxy.html"),
    ("robots-closed", "manual-ko.example"),
    ("seed-missing", "http://manual-en.example/mod/"),
    ("seed-off-scope", "http://manual-tr.example/ssl"),
    ("size-change", "http://manual-en.example/ssl/ssl_faq.html"),
    ("type", "http://selftest.example/SimpleDocumentTypes/binaries/pdf.pdf"),
];

/// What is found in the second launch already: nothing of it came with the third.
const FOUND_BEFORE: [&str; 6] =
    ["host-failures", "other-time", "own-rules", "request", "seed-missing", "seed-off-scope"];

fn copied(from: &Path, to: &Path) {
    for file in files_under(from) {
        let copy = to.join(file.strip_prefix(from).unwrap());
        std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
        std::fs::write(&copy, std::fs::read(&file).unwrap()).unwrap();
    }
}

fn campaign(more_seeds: &[&str]) -> Value {
    let paths = LANGUAGES.iter().flat_map(|language| ["howto/", "rewrite/", "ssl/"].map(|path| (language, path)));
    let mut seeds: Vec<String> =
        paths.map(|(language, path)| format!("http://manual-{language}.example/{path}")).collect();
    seeds.retain(|seed| seed != "http://manual-tr.example/ssl/");
    seeds.push("http://manual-en.example/mod/".to_owned());
    seeds.push("http://manual-tr.example/ssl".to_owned());
    for path in ["Frames/", "SimpleDocumentTypes/", "Charset/"] {
        seeds.push(format!("http://selftest.example/{path}"));
    }
    seeds.extend(more_seeds.iter().map(|seed| (*seed).to_owned()));
    json!({
        "name": "Manuals", "seeds": seeds.iter().map(|url| json!({"url": url})).collect::<Vec<_>>(),
        "request": {"term": {"kind": "keyword", "value": "dynamic"}},
        "rules": [
            {"rule": "reject_all"}, {"rule": "seed_scope"},
            {"rule": "regex", "patterns": [".*/style/.*", ".*/Frames/leftframe.html"], "any": true, "decision": "REJECT"},
            {"rule": "surt_prefix", "prefixes": ["http://manual-tr.example/ssl/"], "decision": "REJECT"},
        ],
        "politeness": {
            "user_agent": "Mozilla/5.0 (compatible; manuals; +https://archive.example/bot)",
            "delay_factor": 0.0, "min_delay_ms": 0, "max_retries": 0, "retry_delay_seconds": 0,
            "allow_private_addresses": true,
        },
        "limits": {"disk_floor_bytes": 0},
    })
}

/// What happens to the sites before the third launch.
fn third_week(place: &Path) {
    let manual = |language: &str| place.join(format!("manual-{language}.example"));
    std::fs::write(manual("ko").join("robots.txt"), "User-agent: *\nDisallow: /\n").unwrap();
    for language in ["es", "ja", "tr"] {
        std::fs::remove_dir_all(manual(language).join("howto")).unwrap();
        std::fs::remove_dir_all(manual(language).join("rewrite")).unwrap();
    }
    for page in files_under(&manual("fr").join("rewrite")) {
        // The list of a manual is gone, and with it the way to its pages.
        if page.file_name().is_some_and(|name| name.to_string_lossy().starts_with("index.html")) {
            std::fs::remove_file(page).unwrap();
        }
    }
    let article = data("sites/crawl-test-site/resources/documents/lorem-ipsum.html").unwrap();
    std::fs::copy(&article, manual("en").join("ssl/ssl_faq.html.en.utf8")).unwrap();
    let types = place.join("selftest.example/SimpleDocumentTypes");
    std::fs::copy(types.join("html.html"), types.join("binaries/pdf.pdf")).unwrap();
    for (host, page) in [("www.apache.org", ""), ("httpd.apache.org", "docs"), ("wiki.apache.org", "")] {
        std::fs::create_dir_all(place.join(host).join(page)).unwrap();
        std::fs::copy(&article, place.join(host).join(page).join("index.html")).unwrap();
    }
}

/// Two captures of a frame that the campaign's rules refuse: what another archive has of it.
fn older_frames(place: &Path) -> Vec<u8> {
    let frames = place.join("selftest.example/Frames");
    let of = |date: &str, file: &str| {
        let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n".to_vec();
        let block = [head, std::fs::read(frames.join(file)).unwrap()].concat();
        record("response", "http://selftest.example/Frames/leftframe.html", date, "", block)
    };
    [of("2019-01-01T00:00:00Z", "leftframe.html"), of("2020-01-01T00:00:00Z", "rightframe.html")].concat()
}

#[test]
fn checks_of_launches_find_what_happened_to_real_sites_and_nothing_the_week_before() {
    let (Some(manual), Some(selftest)) = (data("sites/httpd-manual-part"), data("sites/heritrix-selftest")) else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let (workspace, place) = (dir.path().join("w"), dir.path().join("sites"));
    let mut sites = Vec::new();
    let mut site = |host: &str, language: &str, from: Option<&Path>| {
        let folder = place.join(host);
        std::fs::create_dir_all(&folder).unwrap();
        if let Some(from) = from {
            copied(from, &folder);
        }
        sites.push(Site { host: host.to_owned(), folder, language: language.to_owned() });
    };
    for language in LANGUAGES {
        site(&format!("manual-{language}.example"), language, Some(&manual));
    }
    site("selftest.example", "en", Some(&selftest));
    for host in ["www.apache.org", "httpd.apache.org", "wiki.apache.org"] {
        site(host, "en", None);
    }
    let server = SiteServer::start(sites);
    let resolve: Vec<String> = server
        .resolve()
        .into_iter()
        .flat_map(|(host, port, to)| ["--resolve".to_owned(), format!("{host}:{port}:{to}")])
        .collect();
    let resolve: Vec<&str> = resolve.iter().map(String::as_str).collect();
    fonds(&["new", arg(&workspace)]).with_status(0);
    let older = dir.path().join("older.warc");
    std::fs::write(&older, older_frames(&place)).unwrap();
    fonds(&["import", arg(&workspace), arg(&older)]).with_status(0);
    let add = |more: &[&str], seeds: &[&str]| {
        let call = [&["campaign", "add", arg(&workspace), "-"], more].concat();
        fonds_with(&call, campaign(seeds).to_string().as_bytes()).with_status(0);
    };
    let found = || -> BTreeSet<(String, String)> {
        let crawled = fonds(&[&["crawl", arg(&workspace), "1", "--fresh"], &resolve[..]].concat());
        assert!(crawled.status <= 1, "{}", crawled.err);
        fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
        let text = |of: &Value, name: &str| of[name].as_str().unwrap_or_default().to_owned();
        let all = fonds(&["check", arg(&workspace), "--json"]).with_status(0).json_lines();
        let is_found = |of: &&Value| text(of, "state") != "not applicable";
        all.iter().filter(is_found).map(|of| (text(of, "check"), text(of, "url"))).collect()
    };
    add(&[], &[]);
    found();
    let second = found();
    let has = |of: &BTreeSet<(String, String)>, check: &str, subject: &str| {
        of.contains(&(check.to_owned(), subject.to_owned()))
    };
    let before: Vec<&str> =
        FOUND.into_iter().filter(|(check, subject)| has(&second, check, subject)).map(|(check, _)| check).collect();
    assert_eq!(before, FOUND_BEFORE, "in the second launch: {second:#?}");
    third_week(&place);
    add(&["--id", "1"], &NEW_SEEDS);
    let third = found();
    for (check, subject) in FOUND {
        assert!(has(&third, check, subject), "{check} {subject}: {third:#?}");
    }
    // Where a seed leads is no seed of its own.
    assert!(!has(&third, "seed-missing", "http://manual-tr.example/ssl/"), "{third:#?}");
}
