//! What other writers put into archive files, and what is right of it: pages without a type, resource records, ARC files
//! with wrong lengths, digests of nothing, packages of packages. The files of the test data come with their right values.

use crate::archive::{file, warcs_under};
use crate::archives::{DATE, gzip, record};
use crate::need;
use crate::program::{CallResult, fonds, fonds_with};
use fonds::uri::DatasetKey;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A path as an argument that is kept.
fn arg(path: &Path) -> String {
    crate::program::arg(path).to_owned()
}

/// A workspace with these files.
fn workspace_of(folder: &Path, files: &[&Path]) -> String {
    let workspace = arg(&folder.join("workspace"));
    if !Path::new(&workspace).exists() {
        fonds(&["new", &workspace]).with_status(0);
    }
    for file in files {
        fonds(&["import", &workspace, &arg(file)]);
    }
    workspace
}

/// The key of a URL in the data set.
fn key(url: &str) -> String {
    DatasetKey::of_text(url).unwrap().to_string()
}

/// The links of all pages of a file: keys of target and source, as the data set has them.
fn links_of(path: &Path, status: i32) -> Vec<(String, String)> {
    let out = fonds(&["inlinks", "dataset", &arg(path)]).with_status(status).out;
    let objects = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut links: Vec<_> = objects
        .flat_map(|object| {
            let inlinks = object["inlinks"].as_array().cloned().unwrap_or_default();
            let target = text(&object["url"]);
            inlinks.into_iter().map(move |link| (target.clone(), text(&link["source"]))).collect::<Vec<_>>()
        })
        .collect();
    links.sort();
    links
}

fn count(workspace: &str, filter: &str) -> u64 {
    fonds(&["captures", workspace, filter, "--count"]).with_status(0).out.trim().parse().unwrap()
}

fn response(url: &str, fields: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let block = [format!("HTTP/1.1 200 OK\r\n{fields}\r\n").as_bytes(), body.as_ref()].concat();
    record("response", url, DATE, "Content-Type: application/http; msgtype=response\r\n", block)
}

/// How bodies begin, with their fields, and whether they are pages: the table of the MIME Sniffing Standard, 7.1, a byte
/// order mark before it, XHTML in XML, and types that say nothing.
fn beginnings() -> Vec<(&'static str, Vec<u8>, bool)> {
    let link = "<title>T</title><a href=\"http://goal.pt/x\">goal</a>";
    let tags = [
        "<!DOCTYPE html>",
        "<html>",
        "<HEAD>",
        "<script></script>",
        "<iframe></iframe>",
        "<h1>A</h1>",
        "<div>",
        "<font>",
        "<table></table>",
        "<a href=x>x</a>",
        "<style></style>",
        "<title>U</title>",
        "<b>B</b>",
        "<body\n bgcolor=red>",
        "<br>",
        "<p>",
        "<!-- first -->",
        "\r\n\t \u{c}<html lang=pt>",
        "\u{feff}<html>",
        "<!DOCTYPE HTML\n PUBLIC \"x\">",
    ];
    let mut all: Vec<(&'static str, Vec<u8>, bool)> =
        tags.iter().map(|tag| ("", format!("{tag}{link}").into_bytes(), true)).collect();
    let utf16: Vec<u8> = format!("\u{feff}<html>{link}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let unmarked = utf16[2..].to_vec();
    let xhtml = format!(
        "<?xml version=\"1.0\"?><!-- c --><!DOCTYPE html [<!ENTITY a \"b\">]>\n<html xmlns=\"http://www.w3.org/1999/xhtml\"><body>{link}</body></html>"
    );
    let prefixed = "<h:html xmlns:h='http://www.w3.org/1999/xhtml' xmlns='x'><h:body/></h:html>";
    for kind in [
        "Content-Type: */*\r\n",
        "Content-Type: unknown/unknown\r\n",
        "Content-Type: ;charset=x\r\n",
        "Content-Type: no-type\r\n",
        "Content-Type:\r\n",
        "Content-Type: text/html\u{b}\r\n",
    ] {
        all.push((kind, format!("<html>{link}").into_bytes(), true));
    }
    for kind in [
        "",
        "Content-Type: application/xml\r\n",
        "Content-Type: text/xml; charset=utf-8\r\n",
        "Content-Type: application/vnd.x+xml\r\n",
        "Content-Type: application/xhtml+xml\r\n",
    ] {
        all.push((kind, xhtml.clone().into_bytes(), true));
    }
    all.extend([
        ("", utf16, true),
        ("", unmarked, false),
        ("", format!("text, then <html>{link}").into_bytes(), false),
        ("", format!("<htmlx>{link}").into_bytes(), false),
        ("", b"<?xml version='1.0'?><rss><channel/></rss>".to_vec(), false),
        ("", b"%PDF-1.4 <html>".to_vec(), false),
        ("", b"\x89PNG\r\n\x1a\n<html>".to_vec(), false),
        ("X-Content-Type-Options: nosniff\r\n", format!("<html>{link}").into_bytes(), false),
        ("Content-Type: application/octet-stream\r\n", format!("<html>{link}").into_bytes(), false),
        ("Content-Type: text/plain\r\n", format!("<html>{link}").into_bytes(), false),
        ("Content-Type: image/png\r\n", format!("<html>{link}").into_bytes(), false),
        ("Content-Type: application/xml\r\n", b"<html><body/></html>".to_vec(), false),
        ("Content-Type: application/xml\r\n", prefixed.as_bytes().to_vec(), true),
    ]);
    all
}

#[test]
fn a_page_is_what_a_browser_shows_as_one_in_every_reader() {
    let folder = tempfile::tempdir().unwrap();
    let all = beginnings();
    let url = |nth: usize| format!("http://page{nth}.pt/");
    let records: Vec<Vec<u8>> =
        all.iter().enumerate().map(|(nth, (fields, body, _))| gzip(response(&url(nth), fields, body))).collect();
    let path = file(folder.path(), "pages.warc.gz", &records);
    let workspace = workspace_of(folder.path(), &[&path]);
    let pages = fonds(&["captures", &workspace, "page:yes", "--json"]).with_status(0).json_lines();
    let pages: Vec<&str> = pages.iter().map(|page| page["url"].as_str().unwrap()).collect();
    let sources: Vec<String> = links_of(&path, 0)
        .into_iter()
        .filter(|(goal, _)| *goal == key("http://goal.pt/x"))
        .map(|(_, from)| from)
        .collect();
    for (nth, (fields, body, is_page)) in all.iter().enumerate() {
        let what = format!("{fields:?} {}", String::from_utf8_lossy(&body[..body.len().min(60)]));
        assert_eq!(pages.contains(&url(nth).as_str()), *is_page, "page:yes {what}");
        let has_link = *is_page && memchr::memmem::find(body, b"goal").is_some() || body.starts_with(b"\xff\xfe");
        assert_eq!(sources.contains(&key(&url(nth))), has_link, "a source of inlinks: {what}");
    }
    // Imported, they have the same inlinks as read from the file.
    fonds(&["inlinks", "build", &workspace]).with_status(0);
    let shown = fonds(&["inlinks", "show", &workspace, "http://goal.pt/x", "--json"]).with_status(0).json_lines();
    assert_eq!(shown.len(), sources.len());
}

#[test]
fn pages_of_resource_records_are_pages() {
    let folder = tempfile::tempdir().unwrap();
    let resource = |url: &str, kind: &str, body: &str| {
        gzip(record("resource", url, DATE, &format!("Content-Type: {kind}\r\n"), body))
    };
    let path = file(
        folder.path(),
        "copy.warc.gz",
        &[
            resource(
                "http://museu.pt/",
                "text/html",
                "<html lang=pt><title>Museu</title><p>O relatório anual. <a href=sobre.html>Sobre</a>",
            ),
            resource(
                "http://museu.pt/sobre.html",
                "text/html; charset=utf-8",
                "<title>Sobre</title><p>Relatório de contas",
            ),
            resource("http://museu.pt/logo.png", "image/png", "\u{89}PNG"),
            gzip(record("resource", "http://museu.pt/untyped", DATE, "", "<html><a href=/sobre.html>x</a>")),
        ],
    );
    assert_eq!(
        links_of(&path, 0),
        ["http://museu.pt/", "http://museu.pt/untyped"].map(|from| (key("http://museu.pt/sobre.html"), key(from)))
    );
    let workspace = workspace_of(folder.path(), &[&path]);
    assert_eq!(count(&workspace, "page:yes"), 3);
    assert_eq!(count(&workspace, "status:200"), 4);
    fonds(&["inlinks", "build", &workspace]).with_status(0);
    let shown = fonds(&["inlinks", "show", &workspace, "http://museu.pt/sobre.html", "--json"]).with_status(0);
    assert_eq!(shown.json_lines().len(), 2);
    let package = folder.path().join("copy.wacz");
    fonds(&["wacz", "create", &arg(&package), &arg(&path)]).with_status(0);
    let pages = fonds(&["wacz", "ls", &arg(&package), "--pages", "--json"]).with_status(0).json_lines();
    assert_eq!(pages.iter().filter(|page| page["list"].is_string()).count(), 3, "{pages:?}");
}

/// An ARC file of these records; each line has the length that its `wrong` adds.
fn arc(records: &[(&str, &str, i64)]) -> Vec<u8> {
    let head = "1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n";
    let mut bytes = format!("filedesc://x.arc 0.0.0.0 20080430204825 text/plain {}\n{head}\n", head.len()).into_bytes();
    for (url, ip, wrong) in records {
        let body = format!("<html><title>{url}</title><a href=\"http://goal.pt/\">goal</a></html>");
        let block =
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        let len = block.len() as i64 + wrong;
        bytes.extend_from_slice(format!("{url} {ip} 20080430204825 text/html {len}\n{block}\n").as_bytes());
    }
    bytes
}

#[test]
fn a_wrong_length_or_an_empty_field_of_an_arc_line_loses_no_other_record() {
    let folder = tempfile::tempdir().unwrap();
    let urls = ["http://um.pt/", "http://dois.pt/", "http://tres.pt/", "http://quatro.pt/"];
    for wrong in [3, 40, 250, 5000] {
        let records: Vec<_> =
            urls.iter().map(|url| (*url, "10.0.0.1", if url.contains("dois") { wrong } else { 0 })).collect();
        let path = file(folder.path(), &format!("long{wrong}.arc"), &[arc(&records)]);
        let listed = fonds(&["warc", "ls", &arg(&path), "--json"]).with_status(1);
        let found: Vec<String> =
            listed.json_lines().iter().filter_map(|line| Some(line["url"].as_str()?.to_owned())).collect();
        assert_eq!(found, urls, "{wrong}: {}", listed.err);
        assert!(listed.err.contains("declared with"), "{wrong}: {}", listed.err);
        assert_eq!(links_of(&path, 1).len(), 4, "{wrong}");
    }
    let records: Vec<_> =
        urls.iter().map(|url| (*url, if url.contains("dois") { "" } else { "10.0.0.1" }, 0)).collect();
    let path = file(folder.path(), "unaddressed.arc", &[arc(&records)]);
    let workspace = workspace_of(folder.path(), &[&path]);
    assert_eq!(count(&workspace, "page:yes"), 4);
    // A length that is right says where the block ends, whatever stands in it.
    let inside = String::from_utf8(arc(&[("http://inside.pt/", "10.0.0.1", 0)])).unwrap();
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{inside}");
    let line = format!("http://um.pt/ 10.0.0.1 20080430204825 text/plain {}\n{block}\n", block.len());
    let whole = [arc(&[]), line.into_bytes(), arc(&[("http://dois.pt/", "10.0.0.1", 0)])[arc(&[]).len()..].to_vec()];
    let path = file(folder.path(), "nested.arc", &whole);
    let listed = fonds(&["warc", "ls", &arg(&path), "--json"]).with_status(0).json_lines();
    assert_eq!(listed.iter().filter(|line| line["url"].is_string()).count(), 2);
}

#[test]
fn json_and_xml_are_found_without_their_escapes() {
    let folder = tempfile::tempdir().unwrap();
    let records = [
        gzip(response(
            "http://a.pt/d.json",
            "Content-Type: application/json\r\n",
            r#"{"t":"Popula\u00e7\u00e3o da regi\u00e3o"}"#,
        )),
        gzip(response("http://a.pt/m", "Content-Type: application/manifest+json\r\n", r#"{"name":"Mem\u00f3ria"}"#)),
        gzip(response(
            "http://a.pt/f.xml",
            "Content-Type: text/xml\r\n",
            "<rss><title>Educa&#231;&#xe3;o</title></rss>",
        )),
    ];
    let path = file(folder.path(), "data.warc.gz", &records);
    let workspace = workspace_of(folder.path(), &[&path]);
    fonds(&["index", &workspace]).with_status(0);
    let found = |term: &str| fonds(&["search", &workspace, term, "--json"]).with_status(0).json_lines().len();
    for (term, hits) in [("população", 1), ("região", 1), ("memória", 1), ("educação", 1), ("u00e7", 0)] {
        assert_eq!(found(term), hits, "{term}");
    }
}

#[test]
fn a_block_without_an_http_head_is_named_by_the_check() {
    let folder = tempfile::tempdir().unwrap();
    let http = "Content-Type: application/http; msgtype=response\r\n";
    let of = |nth: u8, block: &str| gzip(record("response", &format!("http://nh{nth}.pt/"), DATE, http, block));
    let records = [
        of(1, "HTTP 200 OK\r\nContent-Type: text/html\r\n\r\nx"),
        of(2, "\r\nHTTP/1.1 200 OK\r\n\r\nx"),
        of(3, "h2 200\r\n\r\nx"),
        of(4, "<html>x</html>"),
        of(5, "HTTP/1.1 200 OK\r\n\r\nx"),
        gzip(record(
            "request",
            "http://nh5.pt/",
            DATE,
            "Content-Type: application/http; msgtype=request\r\n",
            "no request",
        )),
    ];
    let path = file(folder.path(), "heads.warc.gz", &records);
    let checked = fonds(&["warc", "check", &arg(&path)]);
    let named = [&checked.out, &checked.err].iter().map(|text| text.matches("no HTTP re").count()).sum::<usize>();
    assert_eq!(named, 5, "{}{}", checked.out, checked.err);
    // A capture without a type is none of an HTTP message.
    let path = file(folder.path(), "untyped.warc.gz", &[gzip(response("http://a.pt/", "", "<html>"))]);
    assert!(!fonds(&["warc", "ls", &arg(&path)]).with_status(0).out.contains("application/http"));
}

/// A record with these fields beside those that every one has.
fn odd(url: &str, date: &str, fields: &str) -> Vec<u8> {
    let block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><title>T</title><p>relatório";
    gzip(record("response", url, date, &format!("Content-Type: application/http; msgtype=response\r\n{fields}"), block))
}

/// Imports a file, selects all of it and exports it; what the export came to.
fn exported(folder: &Path, path: &Path) -> (CallResult, PathBuf) {
    let workspace = workspace_of(folder, &[path]);
    let campaign = folder.join("campaign.json");
    std::fs::write(&campaign, fonds(&["campaign", "example"]).with_status(0).out).unwrap();
    fonds(&["campaign", "add", &workspace, &arg(&campaign)]);
    fonds(&["files", "assign", &workspace, "1", "1"]);
    fonds(&["select", "run", &workspace, "1", "--filter", "*"]);
    let out = folder.join("handover");
    (fonds(&["export", &workspace, "--out", &arg(&out)]), out)
}

#[test]
fn an_export_leaves_clean_and_names_each_kind_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut records: Vec<Vec<u8>> =
        (0..120).map(|nth| odd(&format!("<http://a.pt/{nth}>"), DATE, "WARC-Block-Digest: \u{7f}\u{1}x\r\n")).collect();
    records.push(odd("http://a.pt/a b", DATE, "WARC-Payload-Digest: crc32:352441c2\r\n"));
    records.push(odd("http://a.pt/leap", "2016-12-31T23:59:60Z", ""));
    let path = file(folder.path(), "wget.warc.gz", &records);
    let (call, out) = exported(folder.path(), &path);
    let call = call.with_status(0);
    let notes: Vec<&str> = call.out.lines().filter(|line| line.starts_with("note: ")).collect();
    assert_eq!(notes.len(), 4, "{}{}", call.out, call.err);
    for text in [
        "120 records with the target URI in angle brackets",
        "1 field with a blank in a URI",
        "1 field with a date",
        "121 fields with a digest of no algorithm",
    ] {
        assert!(notes.iter().any(|note| note.contains(text)), "{text}: {notes:#?}");
    }
    assert_eq!(call.err.lines().filter(|line| line.contains("angle")).count(), 0, "{}", call.err);
    fonds(&["verify", &arg(&out)]).with_status(0);
    let archives: Vec<PathBuf> =
        warcs_under(&out).into_iter().filter(|path| path.to_string_lossy().contains("archive")).collect();
    for path in &archives {
        let mut text = String::new();
        std::io::Read::read_to_string(
            &mut flate2::read::MultiGzDecoder::new(std::fs::File::open(path).unwrap()),
            &mut text,
        )
        .unwrap();
        for kept in [
            "WARC-Target-URI: http://a.pt/a%20b\r\n",
            "WARC-Fonds-Source-Target-URI: http://a.pt/a b\r\n",
            "WARC-Date: 2016-12-31T23:59:59Z\r\n",
            "WARC-Fonds-Source-Date: 2016-12-31T23:59:60Z\r\n",
            "WARC-Fonds-Source-Payload-Digest: crc32:352441c2\r\n",
        ] {
            assert!(text.contains(kept), "{kept}");
        }
        assert!(!text.contains("\r\nWARC-Block-Digest: \u{7f}"));
    }
    let Some([warcio]) = need::peers(["warcio"]) else { return };
    let checked = Command::new(warcio).arg("check").args(&archives).output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
}

/// A zip of members that are only stored.
fn zip(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let (len, offset) = ((content.len() as u32).to_le_bytes(), (bytes.len() as u32).to_le_bytes());
        let name_len = (name.len() as u16).to_le_bytes();
        let about =
            [&[20, 0, 0, 0, 0, 0, 0, 0, 0, 0][..], &crc.sum().to_le_bytes(), &len, &len, &name_len, &[0, 0]].concat();
        bytes.extend([b"PK\x03\x04", &about[..], name.as_bytes(), content].concat());
        directory.extend([b"PK\x01\x02", &[20, 0][..], &about, &[0; 10], &offset, name.as_bytes()].concat());
    }
    let (count, len) = ((members.len() as u16).to_le_bytes(), (directory.len() as u32).to_le_bytes());
    let offset = (bytes.len() as u32).to_le_bytes();
    [bytes, directory, [b"PK\x05\x06", &[0; 4][..], &count, &count, &len, &offset, &[0, 0]].concat()].concat()
}

fn package(folder: &Path, name: &str, page: &str) -> PathBuf {
    let warc =
        file(folder, &format!("{name}.warc.gz"), &[gzip(response(page, "Content-Type: text/html\r\n", "<html><p>x"))]);
    let path = folder.join(name);
    fonds(&["wacz", "create", &arg(&path), &arg(&warc)]).with_status(0);
    path
}

#[test]
fn packages_of_packages_come_in() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let parts = [package(folder, "one.wacz", "http://one.pt/"), package(folder, "two.wacz", "http://two.pt/")];
    let list = serde_json::json!({"profile": "multi-wacz-package", "resources": [
        {"name": "one.wacz", "path": "one.wacz"}, {"name": "two.wacz", "path": "two.wacz"}]});
    let content = |path: &PathBuf| std::fs::read(path).unwrap();
    let multi = zip(&[
        ("datapackage.json", list.to_string().into_bytes()),
        ("one.wacz", content(&parts[0])),
        ("two.wacz", content(&parts[1])),
    ]);
    let inside = file(folder, "multi.wacz", std::slice::from_ref(&multi));
    let call = |workspace: &str, path: &Path| fonds(&["import", workspace, &arg(path)]);
    let workspace = arg(&folder.join("inside"));
    fonds(&["new", &workspace]).with_status(0);
    call(&workspace, &inside).with_status(0);
    assert_eq!(count(&workspace, "page:yes"), 2);
    // They are found by the file that was imported, and counted with it.
    assert_eq!((count(&workspace, "imported:1"), count(&workspace, "file:multi")), (2, 2));
    let files = fonds(&["files", "list", &workspace, "--json"]).with_status(0).json_lines();
    let listed = files.iter().find(|file| file["path"].as_str().unwrap().ends_with("multi.wacz")).unwrap();
    assert_eq!(listed["captures"], 2, "{listed}");
    // A second time nothing is new.
    call(&workspace, &inside).with_status(0);
    call(&workspace, &parts[0]);
    assert_eq!(count(&workspace, "page:yes"), 2);
    fonds(&["index", &workspace]).with_status(0);
    // A package in a package in a package.
    let deep = file(
        folder,
        "deep.wacz",
        &[zip(&[("datapackage.json", list.to_string().into_bytes()), ("multi.wacz", multi)])],
    );
    let workspace = arg(&folder.join("deep"));
    fonds(&["new", &workspace]).with_status(0);
    let deep = call(&workspace, &deep).with_status(1);
    assert_eq!((count(&workspace, "page:yes"), count(&workspace, "imported:1")), (2, 2));
    assert!(format!("{}{}", deep.out, deep.err).contains("2 packages that it lists, not in it"), "{}", deep.out);
    // As a list beside the packages.
    let listed = serde_json::json!({"profile": "multi-wacz-package", "resources": [
        {"path": "one.wacz"}, {"path": "../two.wacz"}, {"path": "https://far.pt/three.wacz"}]});
    let listed = file(folder, "multi.json", &[listed.to_string().into_bytes()]);
    let workspace = arg(&folder.join("listed"));
    fonds(&["new", &workspace]).with_status(0);
    let listed = call(&workspace, &listed).with_status(1);
    assert_eq!(count(&workspace, "page:yes"), 1);
    let text = format!("{}{}", listed.out, listed.err);
    assert!(text.contains("download it, and import its file") && text.contains("outside of its own folder"), "{text}");
}

#[cfg(unix)]
#[test]
fn a_list_of_packages_names_neither_itself_nor_what_a_link_leads_to() {
    let folder = tempfile::tempdir().unwrap();
    let (given, outside) = (folder.path().join("given"), folder.path().join("outside"));
    std::fs::create_dir_all(&given).unwrap();
    std::fs::create_dir(&outside).unwrap();
    package(&given, "one.wacz", "http://one.pt/");
    package(&outside, "far.wacz", "http://far.pt/");
    file(&outside, "notes.txt", &[b"secret".to_vec()]);
    std::os::unix::fs::symlink(&outside, given.join("sub")).unwrap();
    let list = serde_json::json!({"profile": "multi-wacz-package", "resources": [
        {"path": "datapackage.json"}, {"path": "one.wacz"}, {"path": "sub/far.wacz"}, {"path": "sub/notes.txt"}]});
    let list = file(&given, "datapackage.json", &[list.to_string().into_bytes()]);
    let workspace = arg(&folder.path().join("workspace"));
    fonds(&["new", &workspace]).with_status(0);
    let out = fonds(&["import", &workspace, &arg(&list)]).with_status(1);
    let text = format!("{}{}", out.out, out.err);
    assert_eq!(count(&workspace, "page:yes"), 1, "{text}");
    assert_eq!(text.matches("leads out of the folder").count(), 2, "{text}");
    assert!(text.contains("neither a package nor an archive") && !text.contains("secret"), "{text}");
    fonds(&["import", &workspace, &arg(&list), "--follow-links"]).with_status(1);
    assert_eq!(count(&workspace, "page:yes"), 2);
}

/// Each package holds as many again; what is too much is named, and the rest comes in.
#[test]
fn packages_within_packages_are_bounded_together() {
    let folder = tempfile::tempdir().unwrap();
    let one = std::fs::read(package(folder.path(), "one.wacz", "http://one.pt/")).unwrap();
    let many = |inner: &[u8], count: usize| {
        let names: Vec<String> = (0..count).map(|number| format!("{number}.wacz")).collect();
        zip(&names.iter().map(|name| (name.as_str(), inner.to_vec())).collect::<Vec<_>>())
    };
    let nested = many(&many(&many(&[], 13), 13), 13);
    let nested = file(folder.path(), "nested.wacz", &[zip(&[("a.wacz", one), ("b.wacz", nested)])]);
    let workspace = arg(&folder.path().join("workspace"));
    fonds(&["new", &workspace]).with_status(0);
    fonds(&["import", &workspace, &arg(&nested)]).with_status(1);
    assert_eq!(count(&workspace, "page:yes"), 1);
}

/// A buffer that ends within the first line of a message says nothing of it.
#[test]
fn a_message_is_known_wherever_its_block_begins() {
    let folder = tempfile::tempdir().unwrap();
    let message = response("http://a.pt/", "Content-Type: text/html\r\n", "<p>x");
    let begin = message.windows(5).position(|bytes| bytes == b"HTTP/").unwrap();
    for before in 1..20 {
        let filler = response("http://b.pt/", "", vec![b'x'; 32_768 - before - begin]);
        let surplus = filler.len() + begin + before - 32_768;
        let filler = response("http://b.pt/", "", vec![b'x'; 32_768 - before - begin - surplus]);
        let path = file(folder.path(), "a.warc", &[filler, message.clone()]);
        let out = fonds(&["warc", "check", &arg(&path)]);
        assert!(!format!("{}{}", out.out, out.err).contains("no HTTP response"), "{before}: {}", out.out);
    }
}

#[test]
fn keys_of_mail_and_of_two_www_labels_are_those_of_surt() {
    let lines = [
        "mailto:a@example.org",
        "http://www.www.gov.pt/",
        "http://www2.www.x.pt/p",
        "dns:www.example.org",
        "sip:a@b.org",
    ];
    let keys = ["mailto:a@example.org", "pt,gov,www)/", "pt,x,www)/p", "dns:www.example.org", "sip:a@b.org"];
    let made = fonds_with(&["surt", "--form", "cdx"], lines.join("\n").as_bytes()).with_status(0).out;
    assert_eq!(made.lines().collect::<Vec<_>>(), keys);
    let Some([python]) = need::peers(["python3"]) else { return };
    let script = "import surt, sys\nfor line in sys.stdin: print(surt.surt(line.strip()))";
    let mut child = Command::new(python)
        .args(["-c", script])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(lines.join("\n").as_bytes()).unwrap();
    let theirs = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(theirs.lines().collect::<Vec<_>>(), keys);
}

/// The files after public reports, with their right values.
#[test]
fn files_after_public_reports_are_read_as_is_right() {
    let Some(data) = need::data("reports") else { return };
    let at = |name: &str| data.join(name);
    let goals = |name: &str| links_of(&at(name), 0).into_iter().map(|(goal, _)| goal).collect::<Vec<_>>();
    assert_eq!(
        links_of(&at("01-no-content-type.warc.gz"), 0),
        [(key("http://destino.example/a"), key("http://origem.example/a"))]
    );
    assert_eq!(
        links_of(&at("02-no-type-arc.arc"), 0),
        [(key("http://destino.example/b"), key("http://velho.example/"))]
    );
    assert!(!fonds(&["warc", "ls", &arg(&at("02-no-type-arc.arc"))]).with_status(0).out.contains("application/http"));
    assert_eq!(
        goals("03-sniffed-starts.warc.gz"),
        (0..4).map(|nth| key(&format!("http://destino.example/c{nth}"))).collect::<Vec<_>>()
    );
    assert_eq!(goals("24-xhtml-as-xml.warc.gz"), [key("http://destino.example/xh")]);
    let imported = |name: &str| {
        let folder = tempfile::tempdir().unwrap();
        let workspace = workspace_of(folder.path(), &[&at(name)]);
        (folder, workspace)
    };
    let (_folder, workspace) = imported("01-no-content-type.warc.gz");
    assert_eq!(count(&workspace, "page:yes"), 1);
    let (_folder, workspace) = imported("19-arc-length-too-long.arc");
    assert_eq!(count(&workspace, "page:yes"), 4);
    let problems = fonds(&["files", "problems", &workspace]).out;
    assert_eq!(problems.lines().count(), 1, "{problems}");
    let (_folder, workspace) = imported("20-arc-without-ip.arc");
    assert_eq!(count(&workspace, "page:yes"), 3);
    let (_folder, workspace) = imported("22-json-escapes.warc.gz");
    fonds(&["index", &workspace]).with_status(0);
    for (term, hits) in [("população", 1), ("região", 1), ("u00e7", 0)] {
        assert_eq!(fonds(&["search", &workspace, term, "--json"]).json_lines().len(), hits, "{term}");
    }
    let checked = fonds(&["warc", "check", &arg(&at("25-no-http-head.warc.gz"))]);
    assert_eq!(format!("{}{}", checked.out, checked.err).matches("no HTTP response inside").count(), 2);
    let (_folder, workspace) = imported("warcit-resource-records.warc.gz");
    assert_eq!(count(&workspace, "page:yes"), 2);
    assert!(!goals("warcit-resource-records.warc.gz").is_empty());
    let (_folder, workspace) = imported("warcit-without-scheme.warc.gz");
    let problems = fonds(&["files", "problems", &workspace]).out;
    assert_eq!(problems.matches("warcit http://www.museu.example/").count(), 3, "{problems}");
    for name in ["16-digest-no-algorithm.warc.gz", "uri-with-blank.warc.gz"] {
        let folder = tempfile::tempdir().unwrap();
        let (call, out) = exported(folder.path(), &at(name));
        call.with_status(0);
        fonds(&["verify", &arg(&out)]).with_status(0);
        let archives: Vec<PathBuf> =
            warcs_under(&out).into_iter().filter(|path| path.to_string_lossy().contains("archive")).collect();
        for path in &archives {
            fonds(&["warc", "check", &arg(path)]).with_status(0);
        }
        let Some([warcio]) = need::peers(["warcio"]) else { continue };
        let checked = Command::new(warcio).arg("check").args(&archives).output().unwrap();
        assert!(checked.status.success(), "{name}: {}", String::from_utf8_lossy(&checked.stdout));
    }
}
