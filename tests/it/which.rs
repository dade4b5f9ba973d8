//! Originals, content versions, media and nearest captures are the same for every command, in whatever order
//! files come.

use crate::archives;
use crate::program::{arg, fonds};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

/// A response or revisit with an HTTP head.
fn record(kind: &str, url: &str, date: &str, fields: &str, block: &str) -> Vec<u8> {
    archives::record(kind, url, date, &format!("{fields}Content-Type: application/http\r\n"), block)
}

fn answer(mime: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: {mime}\r\n\r\n{body}")
}

/// A page in Portuguese, long enough to be known as such.
fn page(title: &str) -> String {
    let text = "A câmara municipal aprovou ontem o relatório anual das contas, que todos os cidadãos podem consultar. ";
    answer(
        "text/html; charset=utf-8",
        &format!("<html><title>{title}</title><p>{}</p><a href=/x>Próxima</a>", text.repeat(4)),
    )
}

fn write(folder: &Path, name: &str, records: &[Vec<u8>]) -> PathBuf {
    let path = folder.join(format!("{name}.warc"));
    std::fs::write(&path, records.concat()).unwrap();
    path
}

fn imported(workspace: &Path, files: &[&Path]) {
    fonds(&["new", arg(workspace)]).with_status(0);
    for file in files {
        fonds(&["import", arg(workspace), arg(file)]).with_status(0);
    }
}

fn sha1(payload: &str) -> String {
    use sha1::Digest;
    format!("WARC-Payload-Digest: sha1:{}\r\n", data_encoding::BASE32.encode(&sha1::Sha1::digest(payload)))
}

fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").unwrap().1
}

const NOT_MODIFIED: &str = "HTTP/1.1 304 Not Modified\r\n\r\n";

fn refers_to(url: &str, date: &str) -> String {
    format!("WARC-Refers-To-Target-URI: {url}\r\nWARC-Refers-To-Date: {date}\r\n")
}

/// Records whose originals are found by each clause of the rule, some of them nowhere.
fn town() -> Vec<Vec<u8>> {
    let (first, second) = (page("Relatório"), page("Segunda versão"));
    let image = answer("image/png", "\u{1}PNG");
    let digest = |answer: &str| sha1(body(answer));
    let (one, two, three) = ("2024-03-01T09:00:00Z", "2024-03-02T09:00:00Z", "2024-03-03T09:00:00Z");
    vec![
        record("response", "http://a.pt/", one, &digest(&first), &first),
        record("response", "http://a.pt/", three, &digest(&second), &second),
        // By URL and date, with a digest of nothing.
        record(
            "revisit",
            "http://a.pt/",
            "2024-03-04T09:00:00Z",
            &format!("{}{}", refers_to("http://a.pt/", one), sha1("")),
            NOT_MODIFIED,
        ),
        // By URL and payload, without a head.
        record("revisit", "http://a.pt/", "2024-03-05T09:00:00Z", &digest(&second), ""),
        // Of another URL, by URL and date.
        record(
            "revisit",
            "http://b.pt/",
            two,
            &format!("{}{}", refers_to("http://a.pt/", one), digest(&first)),
            &first[..first.find("<html").unwrap()],
        ),
        // By payload alone.
        record("revisit", "http://c.pt/", two, &digest(&first), ""),
        record("response", "http://a.pt/i.png", one, &digest(&image), &image),
        record("revisit", "http://c.pt/i.png", two, &digest(&image), ""),
        record("revisit", "http://c.pt/gone", two, &sha1("nowhere"), ""),
        record("revisit", "http://c.pt/same", two, &sha1(""), NOT_MODIFIED),
        record("response", "http://c.pt/i.png", three, &digest(&image), &image.replace("200 OK", "404 Not Found")),
    ]
}

/// What a person sees of the captures of a workspace: rows without numbers, and what searches find.
fn seen_of(workspace: &Path) -> String {
    let rows = fonds(&["captures", arg(workspace), "--json"]).with_status(0).json_lines();
    let mut lines: Vec<String> = rows
        .into_iter()
        .map(|row| {
            let part = |name: &str| row[name].to_string();
            ["url", "date", "status", "mime", "size", "title", "language", "revisit", "versions"].map(part).join(" ")
        })
        .collect();
    lines.sort();
    for filter in ["lang:pt", "media:page", "media:image", "page:yes", "revisit:yes", "text:relatório"] {
        fonds(&["index", arg(workspace)]).with_status(0);
        let found = fonds(&["captures", arg(workspace), filter, "--json"]).with_status(0).json_lines();
        let mut urls: Vec<String> = found.iter().map(|row| format!("{} {}", row["url"], row["date"])).collect();
        urls.sort();
        lines.push(format!("{filter}: {}", urls.join(", ")));
    }
    let search = fonds(&["search", arg(workspace), "municipal", "--all", "--json"]).with_status(0).json_lines();
    let mut results: Vec<String> = search.iter().map(|row| format!("{} {}", row["url"], row["captures"])).collect();
    results.sort();
    lines.push(format!("search: {results:?}"));
    lines.push(fonds(&["inlinks", "export", arg(workspace)]).out);
    lines.join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]

    /// The same records in files of any cut and order give the same captures, versions, titles, languages, inlinks and results.
    #[test]
    fn the_order_of_imports_changes_nothing(
        order in Just((0..town().len()).collect::<Vec<_>>()).prop_shuffle(),
        cuts in prop::collection::vec(1_usize..11, 0..4),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let all = town();
        let whole = write(dir.path(), "whole", &all);
        let one = dir.path().join("one");
        imported(&one, &[&whole]);
        fonds(&["inlinks", "build", arg(&one)]);
        let mut files: Vec<Vec<Vec<u8>>> = vec![Vec::new()];
        for (nth, number) in order.iter().enumerate() {
            if cuts.contains(&nth) {
                files.push(Vec::new());
            }
            files.last_mut().unwrap().push(all[*number].clone());
        }
        let files: Vec<PathBuf> =
            files.iter().enumerate().map(|(nth, records)| write(dir.path(), &format!("part{nth}"), records)).collect();
        let many = dir.path().join("many");
        imported(&many, &files.iter().map(PathBuf::as_path).collect::<Vec<_>>());
        fonds(&["inlinks", "build", arg(&many)]);
        prop_assert_eq!(seen_of(&one), seen_of(&many));
    }
}

#[test]
fn a_revisit_of_another_file_has_title_language_and_size_of_its_original() {
    let dir = tempfile::tempdir().unwrap();
    let original = page("Relatório anual");
    let at = "2024-03-01T09:00:00Z";
    let originals =
        write(dir.path(), "original", &[record("response", "http://a.pt/", at, &sha1(body(&original)), &original)]);
    let fields = format!("{}{}", refers_to("http://a.pt/", at), sha1(body(&original)));
    let revisits =
        write(dir.path(), "revisit", &[record("revisit", "http://a.pt/", "2024-04-01T09:00:00Z", &fields, "")]);
    for (name, files) in [("in order", [&originals, &revisits]), ("against it", [&revisits, &originals])] {
        let workspace = dir.path().join(name);
        imported(&workspace, &files.map(PathBuf::as_path));
        let rows = fonds(&["captures", arg(&workspace), "revisit:yes", "--json"]).with_status(0).json_lines();
        assert_eq!(rows.len(), 1, "{name}");
        assert_eq!((&rows[0]["title"], &rows[0]["language"]), (&"Relatório anual".into(), &"pt".into()), "{name}");
        assert_eq!(rows[0]["size"], body(&original).len(), "{name}");
        let both = fonds(&["captures", arg(&workspace), "lang:pt", "--json"]).with_status(0).json_lines();
        assert_eq!(both.len(), 2, "{name}");
    }
}

#[test]
fn a_page_and_its_revisit_are_one_result() {
    let dir = tempfile::tempdir().unwrap();
    let at = "2024-03-01T09:00:00Z";
    let first = page("Relatório");
    let file = write(
        dir.path(),
        "two",
        &[
            record("response", "http://a.pt/", at, "", &first),
            record("revisit", "http://a.pt/", "2024-04-01T09:00:00Z", &refers_to("http://a.pt/", at), NOT_MODIFIED),
        ],
    );
    let workspace = dir.path().join("w");
    imported(&workspace, &[&file]);
    fonds(&["index", arg(&workspace)]).with_status(0);
    let results = fonds(&["search", arg(&workspace), "municipal", "--json"]).with_status(0).json_lines();
    assert_eq!(results.len(), 1, "{results:?}");
}

#[test]
fn the_list_of_documents_and_the_media_of_searches_agree() {
    let dir = tempfile::tempdir().unwrap();
    let kinds = [
        ("a.odt", "application/vnd.oasis.opendocument.text", "PK", true),
        ("bytes", "application/octet-stream", "%PDF-1.4", true),
        ("named.pdf", "application/octet-stream", "", true),
        ("b.pdf", "application/x-pdf", "%PDF-1.4", true),
        ("c.rtf", "application/rtf", "{\\rtf", true),
        ("d.txt", "text/plain", "text", false),
        ("e", "application/octet-stream", "\u{0}\u{1}", false),
        ("f.kml", "application/vnd.google-earth.kml+xml", "<kml/>", false),
    ];
    let records: Vec<Vec<u8>> = kinds
        .iter()
        .map(|(name, mime, body, _)| {
            record("response", &format!("http://a.pt/{name}"), "2024-03-01T09:00:00Z", "", &answer(mime, body))
        })
        .collect();
    let file = write(dir.path(), "kinds", &records);
    let workspace = dir.path().join("w");
    imported(&workspace, &[&file]);
    let campaign = dir.path().join("campaign.json");
    let spec = serde_json::json!({
        "name": "Town", "seeds": [{"url": "http://a.pt/", "scope": "root"}], "target": {"watched": true}
    });
    std::fs::write(&campaign, spec.to_string()).unwrap();
    fonds(&["campaign", "add", arg(&workspace), arg(&campaign)]).with_status(0);
    let expected: Vec<String> =
        kinds.iter().filter(|(.., is)| *is).map(|(name, ..)| format!("http://a.pt/{name}")).collect();
    let urls = |lines: Vec<serde_json::Value>| {
        let mut urls: Vec<String> = lines.iter().map(|row| row["url"].as_str().unwrap().to_owned()).collect();
        urls.sort();
        urls
    };
    let mut expected = expected;
    expected.sort();
    let by_media = fonds(&["captures", arg(&workspace), "media:document", "--json"]).with_status(0);
    assert_eq!(urls(by_media.json_lines()), expected);
    let listed = fonds(&["documents", "list", arg(&workspace), "--json"]);
    assert_eq!(urls(listed.json_lines()), expected, "{}", listed.err);
}

#[test]
fn a_page_that_was_not_modified_leaves_with_its_image_and_not_with_an_error_in_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let at = "2024-03-01T09:00:00Z";
    let with_image = answer("text/html", "<title>Town</title><p>The town and its harbour.</p><img src=/i.png>");
    let image = answer("image/png", "\u{1}PNG");
    let lost = image.replace("200 OK", "404 Not Found");
    let file = write(
        dir.path(),
        "town",
        &[
            record("response", "http://a.pt/", at, "", &with_image),
            record("response", "http://a.pt/i.png", at, "", &image),
            record("response", "http://a.pt/i.png", "2024-04-01T09:00:00Z", "", &lost),
            record("revisit", "http://a.pt/", "2024-04-01T09:00:00Z", &refers_to("http://a.pt/", at), NOT_MODIFIED),
        ],
    );
    let (workspace, campaign, out) = (dir.path().join("w"), dir.path().join("campaign.json"), dir.path().join("out"));
    imported(&workspace, &[&file]);
    std::fs::write(&campaign, r#"{"name": "Town", "seeds": [{"url": "http://a.pt/"}]}"#).unwrap();
    fonds(&["campaign", "add", arg(&workspace), arg(&campaign)]).with_status(0);
    fonds(&["files", "assign", arg(&workspace), "1", "1"]).with_status(0);
    fonds(&["select", "run", arg(&workspace), "1", "--filter", "revisit:yes"]).with_status(0);
    fonds(&["export", arg(&workspace), "--out", arg(&out)]);
    let archive = std::fs::read_dir(out.join("data/archive")).unwrap().map(|entry| entry.unwrap().path());
    let archive = archive.filter(|path| path.extension().is_some_and(|ending| ending == "gz")).collect::<Vec<_>>();
    let mut args = vec!["warc", "ls", "--json"];
    args.extend(archive.iter().map(|path| arg(path)));
    let records = fonds(&args).json_lines();
    let of_image: Vec<&serde_json::Value> = records
        .iter()
        .filter(|record| record["url"] == "http://a.pt/i.png" && record["type"] == "response")
        .map(|record| &record["status"])
        .collect();
    assert_eq!(of_image, [&serde_json::json!(200)], "{records:?}");
}
