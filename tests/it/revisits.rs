//! Revisits count as captures of what they repeat, also of another URL, in
//! whatever order files come.

use crate::archives;
use crate::program::{CallResult, arg, fonds};
use std::path::{Path, PathBuf};

const PAGE: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Town</title>\
    <a href=x>Near</a> <a href=/y>Root</a> <a href=http://far.pt/>Far</a>";

fn record(kind: &str, url: &str, date: &str, fields: &str, block: &str) -> String {
    let fields = format!("{fields}Content-Type: application/http\r\n");
    String::from_utf8(archives::record(kind, url, date, &fields, block)).unwrap()
}

/// A file with pages, and one with what repeats them.
fn files(folder: &Path) -> [PathBuf; 2] {
    let revisit = |url: &str, date: &str, of: &str, head: &str| {
        let digest = "WARC-Payload-Digest: sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae";
        let fields =
            format!("{digest}\r\nWARC-Refers-To-Target-URI: {of}\r\nWARC-Refers-To-Date: 2024-03-01T09:00:00Z\r\n");
        record("revisit", url, date, &fields, head)
    };
    let pages = [
        record("response", "http://a.pt/dir/p", "2024-03-01T09:00:00Z", "", PAGE),
        record("response", "http://far.pt/", "2024-03-02T09:00:00Z", "", &PAGE.replace("/y", "/z")),
        record("response", "http://gone.pt/", "2024-03-01T09:00:00Z", "", &PAGE.replace("200 OK", "404 Not Found")),
    ];
    let repeats = [
        revisit("http://b.pt/q/", "2024-03-05T09:00:00Z", "http://a.pt/dir/p", &PAGE[..PAGE.find("<title").unwrap()]),
        revisit("https://a.pt/dir/p", "2024-03-06T09:00:00Z", "http://a.pt/dir/p", "HTTP/1.1 304 Not Modified\r\n\r\n"),
        revisit("http://a.pt/dir/p", "2024-03-07T09:00:00Z", "http://a.pt/dir/p", "HTTP/1.1 304 Not Modified\r\n\r\n"),
        revisit("http://c.pt/", "2024-03-08T09:00:00Z", "http://gone.pt/", ""),
    ];
    [("pages", pages.concat()), ("repeats", repeats.concat())].map(|(name, text)| {
        let path = folder.join(format!("{name}.warc"));
        std::fs::write(&path, text).unwrap();
        path
    })
}

/// A workspace into which the files of each step came, with a build after each;
/// what the builds said, and their status.
fn filled(workspace: PathBuf, steps: &[&[&Path]]) -> (PathBuf, Vec<CallResult>) {
    fonds(&["new", arg(&workspace)]).with_status(0);
    let builds = steps.iter().map(|files| {
        let mut args = vec!["import", arg(&workspace)];
        args.extend(files.iter().map(|file| arg(file)));
        fonds(&args).with_status(0);
        fonds(&["inlinks", "build", arg(&workspace)])
    });
    let builds = builds.collect();
    (workspace, builds)
}

#[test]
fn a_revisit_that_names_nothing_but_a_payload_repeats_whatever_page_gave_it() {
    const TOWN: &str = "WARC-Payload-Digest: sha1:3F3RURNR757AHSKIT6JBEFQONZOUWYV2\r\n";
    const NOTHING: &str = "WARC-Payload-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\r\n";
    let dir = tempfile::tempdir().unwrap();
    let empty = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let moved = "HTTP/1.1 301 Moved\r\nLocation: http://a.pt/dir/p\r\n\r\n";
    let own_url = "WARC-Refers-To-Target-URI: http://d.pt/\r\nWARC-Refers-To-Date: 2024-03-01T09:00:00Z\r\n";
    let secure = "WARC-Refers-To-Target-URI: https://t.pt/p\r\n";
    let spelt = "WARC-Refers-To-Target-URI: HTTP://A.pt:80/dir/p\r\nWARC-Refers-To-Date: 2024-03-01T09:00:00Z\r\n";
    let records = [
        // The same payload, and no page.
        vec![
            record(
                "response",
                "http://err.pt/",
                "2024-02-01T09:00:00Z",
                TOWN,
                &PAGE.replace("200 OK", "404 Not Found"),
            ),
            record(
                "response",
                "http://text.pt/",
                "2024-02-01T09:00:00Z",
                TOWN,
                &PAGE.replace("text/html", "text/plain"),
            ),
            record("response", "http://moved.pt/", "2024-02-01T09:00:00Z", NOTHING, moved),
            // Later the same bytes as a page.
            record("response", "http://t.pt/p", "2024-02-01T09:00:00Z", TOWN, &PAGE.replace("text/html", "text/plain")),
        ],
        vec![
            record("response", "http://a.pt/dir/p", "2024-03-01T09:00:00Z", TOWN, PAGE),
            record("response", "http://empty.pt/", "2024-03-01T09:00:00Z", NOTHING, empty),
            record("response", "http://t.pt/p", "2024-03-04T09:00:00Z", TOWN, PAGE),
        ],
        vec![
            record("revisit", "http://b.pt/q/", "2024-03-05T09:00:00Z", TOWN, empty),
            // The same digest, spelt in another way.
            record(
                "revisit",
                "http://c.pt/",
                "2024-03-06T09:00:00Z",
                &TOWN.replace("sha1:3F3RURN", "SHA1:3f3rurn"),
                "",
            ),
            record("revisit", "http://d.pt/", "2024-03-07T09:00:00Z", &format!("{TOWN}{own_url}"), ""),
            // A redirect has no payload, as the empty page: it is none for that.
            record("revisit", "http://far.pt/", "2024-03-08T09:00:00Z", NOTHING, moved),
            // Nor does what was not modified tell its page by the digest of nothing.
            record("revisit", "http://e.pt/", "2024-03-09T09:00:00Z", NOTHING, "HTTP/1.1 304 Not Modified\r\n\r\n"),
            record("revisit", "http://t.pt/p", "2024-03-05T09:00:00Z", &format!("{TOWN}{secure}"), ""),
            // The same URL, spelt in another way.
            record("revisit", "http://h.pt/", "2024-03-05T09:00:00Z", spelt, ""),
            // What it repeats is nowhere, and its own head says that it is a page.
            record("revisit", "http://b.pt/y", "2024-03-10T09:00:00Z", &TOWN.replace("3F3R", "4F3R"), empty),
        ],
    ];
    let files = [0, 1, 2].map(|number| {
        let path = dir.path().join(format!("{number}.warc"));
        std::fs::write(&path, records[number].concat()).unwrap();
        path
    });
    let [others, pages, repeats] = [&files[0], &files[1], &files[2]].map(PathBuf::as_path);
    let output = fonds(&["inlinks", "dataset", arg(others), arg(pages), arg(repeats)]).with_status(1);
    assert!(output.err.contains("2 × a revisit whose original is not in the input"), "{}", output.err);
    let dataset = output.out;
    for line in [
        r#"{"url":"(pt,b,)/q/x","count":1,"countInternal":1,"countExternal":0,"captureDate":null,"inlinks":[{"date":"2024-03-05T09:00:00","source":"(pt,b,)/q/","anchor":"Near"}]}"#,
        r#"{"url":"(pt,c,)/x","count":1,"countInternal":1,"countExternal":0,"captureDate":null,"inlinks":[{"date":"2024-03-06T09:00:00","source":"(pt,c,","anchor":"Near"}]}"#,
        r#"{"url":"(pt,b,)/y","count":1,"countInternal":1,"countExternal":0,"captureDate":"2024-03-10T09:00:00","inlinks":[{"date":"2024-03-05T09:00:00","source":"(pt,b,)/q/","anchor":"Root"}]}"#,
        r#"{"url":"(pt,h,)/x","count":1,"countInternal":1,"countExternal":0,"captureDate":null,"inlinks":[{"date":"2024-03-05T09:00:00","source":"(pt,h,","anchor":"Near"}]}"#,
        r#"{"url":"(pt,t,)/x","count":2,"countInternal":2,"countExternal":0,"captureDate":null,"inlinks":[{"date":"2024-03-04T09:00:00","source":"(pt,t,)/p","anchor":"Near"},{"date":"2024-03-05T09:00:00","source":"(pt,t,)/p","anchor":"Near"}]}"#,
        r#"{"url":"(pt,d,)/x","count":1,"countInternal":1,"countExternal":0,"captureDate":null,"inlinks":[{"date":"2024-03-07T09:00:00","source":"(pt,d,","anchor":"Near"}]}"#,
    ] {
        assert!(dataset.lines().any(|found| found == line), "{dataset}");
    }
    let far: Vec<_> = dataset.lines().filter(|line| line.contains(r#""url":"(pt,far,""#)).collect();
    assert!(far.len() == 1 && far[0].contains(r#""captureDate":null"#), "{far:?}");
    let orders: [&[&[&Path]]; 6] = [
        &[&[others, pages, repeats]],
        &[&[others, repeats], &[pages]],
        &[&[others], &[repeats], &[pages]],
        &[&[repeats], &[others], &[pages]],
        &[&[repeats], &[pages], &[others]],
        &[&[pages], &[repeats], &[others]],
    ];
    for (number, steps) in orders.into_iter().enumerate() {
        let (workspace, mut builds) = filled(dir.path().join(format!("w{number}")), steps);
        let export = || fonds(&["inlinks", "export", arg(&workspace)]).with_status(0).out;
        assert_eq!(export(), dataset, "order {number}");
        builds.push(fonds(&["inlinks", "build", arg(&workspace), "--anew"]));
        assert_eq!(export(), dataset, "order {number}, anew");
        for last in builds.iter().rev().take(2) {
            assert!(
                last.out.contains("the originals of 2 revisits are not in this workspace"),
                "order {number}: {}",
                last.out
            );
        }
    }
}

#[test]
fn of_two_captures_of_one_second_a_revisit_repeats_the_same_one_in_whatever_order_they_come() {
    let dir = tempfile::tempdir().unwrap();
    let of = "WARC-Refers-To-Target-URI: http://a.pt/\r\nWARC-Refers-To-Date: 2024-03-01T09:00:00Z\r\n";
    let page = |name: &str| {
        let text = record("response", "http://a.pt/", "2024-03-01T09:00:00Z", "", &PAGE.replace("/y", name));
        text.replace("<urn:x:response:", &format!("<urn:{name}:"))
    };
    let texts = [page("one"), page("two"), record("revisit", "http://a.pt/", "2024-03-05T09:00:00Z", of, "")];
    let files = [0, 1, 2].map(|number| {
        let path = dir.path().join(format!("{number}.warc"));
        std::fs::write(&path, &texts[number]).unwrap();
        path
    });
    let dataset = |order: [usize; 3]| {
        let [a, b, c] = order.map(|number| arg(&files[number]));
        fonds(&["inlinks", "dataset", a, b, c]).with_status(0).out
    };
    let once = dataset([0, 1, 2]);
    assert_eq!(once.matches("2024-03-05").count(), 3, "{once}");
    assert_eq!((dataset([1, 0, 2]), dataset([2, 1, 0])), (once.clone(), once));
}

#[test]
fn of_two_captures_of_one_second_the_page_is_repeated_in_whatever_order_they_are_imported() {
    let dir = tempfile::tempdir().unwrap();
    let of = "WARC-Refers-To-Target-URI: http://a.pt/\r\nWARC-Refers-To-Date: 2024-03-01T09:00:00Z\r\n";
    let captured = |page: &str| record("response", "http://a.pt/", "2024-03-01T09:00:00Z", "", page);
    let texts = [
        captured(PAGE),
        captured(&PAGE.replace("text/html", "text/plain")).replace("<urn:x", "<urn:y"),
        record("revisit", "http://a.pt/", "2024-03-05T09:00:00Z", of, ""),
    ];
    let files = [0, 1, 2].map(|number| {
        let path = dir.path().join(format!("{number}.warc"));
        std::fs::write(&path, &texts[number]).unwrap();
        path
    });
    let [page, text, revisit] = [&files[0], &files[1], &files[2]].map(PathBuf::as_path);
    let orders: [&[&[&Path]]; 3] =
        [&[&[page], &[text], &[revisit]], &[&[text], &[page], &[revisit]], &[&[text], &[revisit], &[page]]];
    for (number, steps) in orders.into_iter().enumerate() {
        let (workspace, _) = filled(dir.path().join(format!("w{number}")), steps);
        let exported = fonds(&["inlinks", "export", arg(&workspace)]).with_status(0).out;
        assert_eq!(exported.matches("2024-03-05").count(), 3, "order {number}: {exported}");
    }
}

#[test]
fn a_revisit_of_another_url_has_the_links_of_what_it_repeats_as_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let [pages, repeats] = files(dir.path());
    let dataset = fonds(&["inlinks", "dataset", arg(&pages), arg(&repeats)]).with_status(0).out;
    // Near and Root of b.pt are of its own host; those of a.pt were captured three times.
    for line in [
        r#"{"url":"(pt,b,)/q/x","count":1,"countInternal":1,"countExternal":0,"captureDate":null,"inlinks":[{"date":"2024-03-05T09:00:00","source":"(pt,b,)/q/","anchor":"Near"}]}"#,
        r#"{"url":"(pt,b,)/y","count":1,"countInternal":1,"countExternal":0,"captureDate":null,"inlinks":[{"date":"2024-03-05T09:00:00","source":"(pt,b,)/q/","anchor":"Root"}]}"#,
    ] {
        assert!(dataset.lines().any(|found| found == line), "{dataset}");
    }
    assert_eq!(dataset.lines().find(|line| line.contains(r#""url":"(pt,a,)/y""#)).unwrap().matches("Root").count(), 3);
    let mut shown = Vec::new();
    let orders: [(_, &[&[&Path]]); 3] = [
        ("together", &[&[&pages, &repeats]]),
        ("after", &[&[&pages], &[&repeats]]),
        ("before", &[&[&repeats], &[&pages]]),
    ];
    for (name, steps) in orders {
        let (workspace, builds) = filled(dir.path().join(name), steps);
        for (step, built) in builds.into_iter().enumerate() {
            match (name, step) {
                ("before", 0) => {
                    let built = built.with_status(1);
                    assert!(
                        built.out.contains("the originals of 4 revisits are not in this workspace"),
                        "{}",
                        built.out
                    );
                }
                _ => drop(built.with_status(0)),
            }
        }
        assert_eq!(fonds(&["inlinks", "export", arg(&workspace)]).with_status(0).out, dataset, "{name}");
        let show = |url: &str| -> Vec<String> {
            let rows = fonds(&["inlinks", "show", arg(&workspace), url, "--json"]).with_status(0).json_lines();
            rows.iter()
                .map(|row| format!("{} {} {} {}", row["date"], row["source"], row["anchor"], row["internal"]))
                .collect()
        };
        shown.push(["http://b.pt/q/x", "http://b.pt/y", "http://a.pt/y", "http://far.pt/"].map(show));
        let near =
            fonds(&["inlinks", "show", arg(&workspace), "http://b.pt/q/x", "--json"]).with_status(0).json_lines();
        assert_eq!((near.len(), near[0]["anchor"].as_str()), (1, Some("Near")), "{name}: {near:?}");
    }
    assert!(shown.windows(2).all(|pair| pair[0] == pair[1]), "the order of files tells: {shown:#?}");
}

#[test]
fn links_wait_while_what_they_are_of_cannot_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let [pages, repeats] = files(dir.path());
    let workspace = dir.path().join("w");
    fonds(&["new", arg(&workspace)]).with_status(0);
    fonds(&["import", arg(&workspace), arg(&pages)]).with_status(0);
    let away = dir.path().join("away.warc");
    std::fs::rename(&pages, &away).unwrap();
    fonds(&["import", arg(&workspace), arg(&repeats)]).with_status(0);
    let built = fonds(&["inlinks", "build", arg(&workspace)]).with_status(1);
    assert!(format!("{}{}", built.out, built.err).contains("links of 3 revisits are missing"), "{}", built.err);
    let near = |status| {
        fonds(&["inlinks", "show", arg(&workspace), "http://b.pt/q/x", "--json"]).with_status(status).json_lines().len()
    };
    assert_eq!(near(1), 0);
    std::fs::rename(&away, &pages).unwrap();
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    assert_eq!(near(0), 1);
}

#[test]
fn data_set_workspace_and_warc_cat_take_the_same_capture_for_what_is_repeated() {
    const TOWN: &str = "WARC-Payload-Digest: sha1:3F3RURNR757AHSKIT6JBEFQONZOUWYV2\r\n";
    const NOTHING: &str = "WARC-Payload-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\r\n";
    const TYPE: &str = "Content-Type: application/http\r\n";
    let dir = tempfile::tempdir().unwrap();
    let other = PAGE.replace("/y", "/other");
    let missing = PAGE.replace("200 OK", "404 Not Found");
    let empty = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let at = |url: &str, date: &str| format!("WARC-Refers-To-Target-URI: {url}\r\nWARC-Refers-To-Date: {date}\r\n");
    let response = |url: &str, date: &str, fields: &str, block: &str| record("response", url, date, fields, block);
    let revisit = |url: &str, fields: &str, head: &str| record("revisit", url, "2024-03-09T09:00:00Z", fields, head);
    let cases = [
        (
            "an original whose record tells no digest",
            vec![
                response("http://a.pt/p", "2024-03-01T09:00:00Z", "", PAGE),
                response("http://a.pt/p", "2024-03-02T09:00:00Z", "", &other),
                revisit("http://a.pt/p", TOWN, ""),
                revisit("http://b.pt/p", TOWN, ""),
            ],
            2,
        ),
        (
            "the nearer one, which is no page",
            vec![
                response("http://a.pt/p", "2024-03-01T09:00:00Z", TOWN, PAGE),
                response("http://a.pt/p", "2024-03-08T09:00:00Z", TOWN, &missing),
                revisit("http://a.pt/p", TOWN, ""),
            ],
            0,
        ),
        (
            "the nearer one, which is a page",
            vec![
                response("http://a.pt/p", "2024-03-01T09:00:00Z", TOWN, &missing),
                response("http://a.pt/p", "2024-03-08T09:00:00Z", TOWN, PAGE),
                revisit("http://a.pt/p", TOWN, ""),
            ],
            1,
        ),
        (
            "its own URL before others that gave the same",
            vec![
                response("http://b.pt/p", "2024-03-08T09:00:00Z", TOWN, PAGE),
                response("http://a.pt/p", "2024-03-08T09:00:00Z", TOWN, &missing),
                revisit("http://a.pt/p", TOWN, ""),
            ],
            0,
        ),
        (
            "the payload that it names, of two in one second",
            vec![
                response("http://a.pt/p", "2024-03-01T09:00:00Z", TOWN, PAGE),
                response("http://a.pt/p", "2024-03-01T09:00:00Z", NOTHING, empty).replace("<urn:x", "<urn:w"),
                revisit("http://a.pt/p", &format!("{TOWN}{}", at("http://a.pt/p", "2024-03-01T09:00:00Z")), ""),
            ],
            1,
        ),
        (
            "the page at the date that it names, when others have answered the same since",
            vec![
                [
                    response("http://a.pt/p", "2024-03-01T09:00:00Z", TOWN, PAGE),
                    response("http://e.pt/", "2024-03-04T09:00:00Z", TOWN, &missing),
                    response("http://a.pt/p", "2024-03-05T09:00:00Z", TOWN, &missing),
                    revisit("http://a.pt/p", &format!("{TOWN}{}", at("http://a.pt/p", "2024-03-01T09:00:00Z")), ""),
                ]
                .concat(),
            ],
            1,
        ),
        (
            "another page of its payload, which is a text elsewhere",
            vec![
                response("http://a.pt/p", "2024-03-01T09:00:00Z", TOWN, PAGE),
                [
                    response("http://e.pt/", "2024-03-04T09:00:00Z", TOWN, &PAGE.replace("text/html", "text/plain")),
                    revisit("http://b.pt/p", TOWN, ""),
                ]
                .concat(),
            ],
            1,
        ),
        (
            "the page at its date, when it was not modified and names the digest of no bytes",
            vec![
                response(
                    "http://a.pt/p",
                    "2024-03-01T09:00:00Z",
                    NOTHING,
                    "HTTP/1.1 302 Found\r\nLocation: /q\r\n\r\n",
                ),
                response("http://a.pt/p", "2024-03-02T09:00:00Z", TOWN, PAGE),
                revisit(
                    "http://a.pt/p",
                    &format!("{NOTHING}{}", at("http://a.pt/p", "2024-03-02T09:00:00Z")),
                    "HTTP/1.1 304 Not Modified\r\n\r\n",
                ),
            ],
            1,
        ),
        (
            "the page of two captures of one date, of which the other stands nearer",
            vec![
                response("http://a.pt/p", "2024-03-01T09:00:00Z", TOWN, PAGE),
                [
                    response("http://a.pt/p", "2024-03-01T09:00:00Z", TOWN, &missing).replace("<urn:x", "<urn:w"),
                    revisit("http://a.pt/p", &format!("{TOWN}{}", at("http://a.pt/p", "2024-03-01T09:00:00Z")), ""),
                ]
                .concat(),
            ],
            1,
        ),
        (
            "the page at its date, when no bytes are named and came before",
            vec![
                [
                    response("http://a.pt/p", "2024-03-02T09:00:00Z", NOTHING, empty),
                    response("http://a.pt/p", "2024-03-01T09:00:00Z", TOWN, PAGE),
                    revisit("http://a.pt/p", &format!("{NOTHING}{}", at("http://a.pt/p", "2024-03-01T09:00:00Z")), ""),
                ]
                .concat(),
            ],
            1,
        ),
        (
            "no bytes, of another page, without a head",
            vec![
                response("http://a.pt/p", "2024-03-01T09:00:00Z", NOTHING, empty),
                revisit("http://b.pt/p", NOTHING, ""),
            ],
            0,
        ),
        (
            "a page, whatever stands where the revisit's status should be",
            vec![
                response("http://a.pt/p", "2024-03-01T09:00:00Z", TOWN, PAGE),
                revisit("http://a.pt/p", TOWN, "HTTP/1.1 abc\r\nContent-Type: text/html\r\n\r\n"),
            ],
            1,
        ),
        (
            "the nearer one, which tells no digest and is no page",
            vec![
                response("http://a.pt/p", "2024-03-01T09:00:00Z", TOWN, PAGE),
                response("http://a.pt/p", "2024-03-08T09:00:00Z", "", &missing),
                revisit("http://a.pt/p", TOWN, ""),
            ],
            0,
        ),
        (
            "its payload, whatever record it names",
            vec![
                response("http://a.pt/p", "2024-03-01T09:00:00Z", TOWN, PAGE),
                response("http://a.pt/p", "2024-03-08T09:00:00Z", NOTHING, &missing),
                revisit(
                    "http://a.pt/p",
                    &format!("{TOWN}WARC-Refers-To: <urn:x:response:http://a.pt/p:2024-03-08T09:00:00Z>\r\n"),
                    "",
                ),
            ],
            1,
        ),
        (
            "records that do not say that they hold HTTP",
            vec![
                response("http://a.pt/p", "2024-03-01T09:00:00Z", TOWN, PAGE).replace(TYPE, ""),
                revisit("http://a.pt/p", TOWN, &PAGE[..PAGE.find("<title").unwrap()]).replace(TYPE, ""),
            ],
            1,
        ),
        (
            "records that say that they hold something else",
            vec![
                response("http://a.pt/p", "2024-03-01T09:00:00Z", TOWN, PAGE)
                    .replace(TYPE, "Content-Type: text/plain\r\n"),
                revisit("http://a.pt/p", TOWN, "HTTP/1.1 200 OK\r\n\r\n"),
            ],
            0,
        ),
        (
            "the URL and date that it names, before what has its payload",
            vec![
                response("http://a.pt/p", "2024-03-01T09:00:00Z", TOWN, PAGE),
                response("http://b.pt/p", "2024-03-02T09:00:00Z", NOTHING, empty),
                revisit("http://a.pt/p", &format!("{TOWN}{}", at("http://b.pt/p", "2024-03-02T09:00:00Z")), ""),
            ],
            0,
        ),
        (
            "the record that it names, which tells nothing of its payload",
            vec![
                response("http://a.pt/q", "2024-03-01T09:00:00Z", TOWN, PAGE),
                revisit(
                    "http://a.pt/p",
                    "WARC-Refers-To: <urn:x:response:http://a.pt/q:2024-03-01T09:00:00Z>\r\n",
                    "HTTP/1.1 304 Not Modified\r\n\r\n",
                ),
            ],
            1,
        ),
        (
            "a page with its payload, before a record of another one that it names",
            vec![
                response("http://a.pt/q", "2024-03-01T09:00:00Z", NOTHING, empty),
                response("http://c.pt/q", "2024-03-01T09:00:00Z", TOWN, PAGE),
                revisit(
                    "http://a.pt/p",
                    &format!("{TOWN}WARC-Refers-To: <urn:x:response:http://a.pt/q:2024-03-01T09:00:00Z>\r\n"),
                    "",
                ),
            ],
            1,
        ),
        (
            "nothing, by a digest of another kind",
            vec![
                response("http://a.pt/p", "2024-03-01T09:00:00Z", "WARC-Payload-Digest: md5:x\r\n", PAGE),
                revisit("http://a.pt/p", "WARC-Payload-Digest: md5:x\r\n", ""),
            ],
            0,
        ),
    ];
    for (number, (name, records, repeated)) in cases.into_iter().enumerate() {
        let files: Vec<PathBuf> = (0..)
            .zip(&records)
            .map(|(part, text)| {
                let path = dir.path().join(format!("{number}-{part}.warc"));
                std::fs::write(&path, text).unwrap();
                path
            })
            .collect();
        let mut args = vec!["inlinks", "dataset"];
        args.extend(files.iter().map(|file| arg(file)));
        let dataset = fonds(&args).out;
        args[2..].reverse();
        assert_eq!(fonds(&args).out, dataset, "{name}: the other way round");
        let near = dataset.lines().filter(|line| line.contains("/x\"")).map(|line| line.matches("2024-03-09").count());
        assert_eq!(near.sum::<usize>(), repeated, "{name}: {dataset}");
        let steps: Vec<Vec<&Path>> = files.iter().map(|file| vec![file.as_path()]).collect();
        let (workspace, _) =
            filled(dir.path().join(format!("w{number}")), &steps.iter().map(Vec::as_slice).collect::<Vec<_>>());
        assert_eq!(fonds(&["inlinks", "export", arg(&workspace)]).out, dataset, "{name}");
        assert_eq!(crate::differential::differences(&files), [""; 0], "{name}");
    }
}

#[test]
fn what_a_page_without_its_original_needs_is_in_the_second_export_too() {
    let dir = tempfile::tempdir().unwrap();
    let with_image = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Town</title><img src=http://a.pt/i.png>";
    let image = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\nPNG";
    let of = "WARC-Refers-To-Target-URI: http://a.pt/one\r\nWARC-Refers-To-Date: 2024-03-01T09:00:00Z\r\n";
    let digest = "WARC-Payload-Digest: sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae\r\n";
    let records = [
        record("response", "http://a.pt/one", "2024-03-01T09:00:00Z", "", with_image),
        record("response", "http://a.pt/i.png", "2024-03-01T09:00:01Z", "", image),
        record(
            "revisit",
            "http://a.pt/two",
            "2024-03-05T09:00:00Z",
            &format!("{digest}{of}"),
            with_image.split_once("<title").unwrap().0,
        ),
    ];
    let warc = dir.path().join("pages.warc");
    std::fs::write(&warc, records.concat()).unwrap();
    let first = dir.path().join("first");
    fonds(&["new", arg(&first)]).with_status(0);
    let campaign = fonds(&["campaign", "example"]).with_status(0).out;
    crate::program::fonds_with(&["campaign", "add", arg(&first), "-"], campaign.as_bytes()).with_status(0);
    fonds(&["import", arg(&first), arg(&warc)]).with_status(0);
    fonds(&["select", "run", arg(&first), "1", "--filter", "url:two"]).with_status(0);
    fonds(&["mark", arg(&first), "reject", "--url", "http://a.pt/one", "--reason", "no"]).with_status(0);
    let mut from = first;
    for archive in ["second", "third"] {
        let out = dir.path().join(format!("out-{archive}"));
        let exported = fonds(&["export", arg(&from), "--out", arg(&out), "--json"]).with_status(0).json_lines();
        assert_eq!(
            (&exported[0]["captures"], &exported[0]["requisites"]),
            (&2.into(), &1.into()),
            "to the {archive} hand"
        );
        from = dir.path().join(archive);
        fonds(&["new", arg(&from)]).with_status(0);
        fonds(&["import", arg(&from), arg(&out)]).with_status(0);
    }
}
