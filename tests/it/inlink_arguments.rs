//! The words of `fonds inlinks dataset`, `map`, `reduce`, `export` and
//! `uncaptured`, each with the lines that it has to give.

use crate::archive::{file, gzip, page, response};
use crate::archives::record;
use crate::kill::{kill_when, start};
use crate::need;
use crate::program::{CallResult, arg, command, fonds, fonds_with};
use fonds::store::Workspace;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Four pages, one of them captured twice, a redirect and a missing page.
pub fn small(folder: &Path) -> PathBuf {
    let records = [
        page(
            "http://www.a.pt/",
            "2024-03-01T09:00:00Z",
            "<a href=/sobre>Sobre</a> <a href=/sobre>Sobre nós</a> <a href=/sobre/>Barra</a> \
             <a href=http://never.pt/Q?b=2&amp;a=1>Nunca 😀</a>",
        ),
        page("http://a.pt/sobre", "2024-03-01T09:00:30Z", "<a href=http://a.pt/>Início</a>"),
        page(
            "http://b.pt/x",
            "2024-03-02T10:00:00Z",
            "<a href=//a.pt/sobre>De B</a> <a href=http://c.pt/old>Velho</a>",
        ),
        page("http://b.pt/x", "2025-03-02T10:00:00Z", "<a href=//a.pt/sobre>De B mais tarde</a>"),
        page("http://sub.a.pt/", "2024-05-30T09:00:30Z", "<a href=http://www.a.pt/sobre>De sub</a>"),
        response(
            "http://c.pt/old",
            "2024-03-02T10:01:00Z",
            "301 Moved\r\nLocation: /new\r\nContent-Type: text/html",
            "",
        ),
        response("http://c.pt/gone", "2024-03-02T10:02:00Z", "404 Not Found\r\nContent-Type: text/html", ""),
    ];
    file(folder, "small.warc.gz", &records)
}

const ROOT: &str = r#"{"url":"(pt,a,","count":1,"countInternal":1,"countExternal":0,"captureDate":"2024-03-01T09:00:00","inlinks":[{"date":"2024-03-01T09:00:30","source":"(pt,a,)/sobre","anchor":"Início"}]}"#;
const SLASH: &str = r#"{"url":"(pt,a,)/sobre/","count":1,"countInternal":1,"countExternal":0,"captureDate":null,"inlinks":[{"date":"2024-03-01T09:00:00","source":"(pt,a,","anchor":"Barra"}]}"#;
const OLD: &str = r#"{"url":"(pt,c,)/old","count":1,"countInternal":0,"countExternal":1,"captureDate":null,"inlinks":[{"date":"2024-03-02T10:00:00","source":"(pt,b,)/x","anchor":"Velho"}]}"#;
const NEVER: &str = r#"{"url":"(pt,never,)/q?b=2&a=1","count":1,"countInternal":0,"countExternal":1,"captureDate":null,"inlinks":[{"date":"2024-03-01T09:00:00","source":"(pt,a,","anchor":"Nunca 😀"}]}"#;
/// With the usual rules: the link of 2025 is outside the window, that of May 30 is at its very end.
const ABOUT: &str = r#"{"url":"(pt,a,)/sobre","count":4,"countInternal":2,"countExternal":2,"captureDate":"2024-03-01T09:00:30","inlinks":[{"date":"2024-03-01T09:00:00","source":"(pt,a,","anchor":"Sobre"},{"date":"2024-03-01T09:00:00","source":"(pt,a,","anchor":"Sobre nós"},{"date":"2024-03-02T10:00:00","source":"(pt,b,)/x","anchor":"De B"},{"date":"2024-05-30T09:00:30","source":"(pt,a,sub,","anchor":"De sub"}]}"#;

/// Words of `dataset`, and the lines that they give of [`small`].
fn option_sets() -> Vec<(&'static str, Vec<String>)> {
    let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let with_about = |about: &str| lines(&[ROOT, about, SLASH, OLD, NEVER]);
    let short = |text: &str| text.replace("09:00:00\"", "09:00\"").replace("10:00:00\"", "10:00\"");
    vec![
        ("", with_about(ABOUT)),
        (
            "--window-days 0",
            // To the second: nothing was captured when its links were; what was never captured keeps all.
            lines(&[SLASH, OLD, NEVER]),
        ),
        (
            "--window-days 89",
            with_about(
                r#"{"url":"(pt,a,)/sobre","count":3,"countInternal":2,"countExternal":1,"captureDate":"2024-03-01T09:00:30","inlinks":[{"date":"2024-03-01T09:00:00","source":"(pt,a,","anchor":"Sobre"},{"date":"2024-03-01T09:00:00","source":"(pt,a,","anchor":"Sobre nós"},{"date":"2024-03-02T10:00:00","source":"(pt,b,)/x","anchor":"De B"}]}"#,
            ),
        ),
        (
            "--window-days none",
            with_about(
                r#"{"url":"(pt,a,)/sobre","count":5,"countInternal":2,"countExternal":3,"captureDate":"2024-03-01T09:00:30","inlinks":[{"date":"2024-03-01T09:00:00","source":"(pt,a,","anchor":"Sobre"},{"date":"2024-03-01T09:00:00","source":"(pt,a,","anchor":"Sobre nós"},{"date":"2024-03-02T10:00:00","source":"(pt,b,)/x","anchor":"De B"},{"date":"2024-05-30T09:00:30","source":"(pt,a,sub,","anchor":"De sub"},{"date":"2025-03-02T10:00:00","source":"(pt,b,)/x","anchor":"De B mais tarde"}]}"#,
            ),
        ),
        (
            "--dedup source-target --window-days none",
            with_about(
                r#"{"url":"(pt,a,)/sobre","count":3,"countInternal":1,"countExternal":2,"captureDate":"2024-03-01T09:00:30","inlinks":[{"date":"2024-03-01T09:00:00","source":"(pt,a,","anchor":"Sobre"},{"date":"2024-03-02T10:00:00","source":"(pt,b,)/x","anchor":"De B"},{"date":"2024-05-30T09:00:30","source":"(pt,a,sub,","anchor":"De sub"}]}"#,
            ),
        ),
        ("--uncaptured drop", lines(&[ROOT, ABOUT])),
        (
            "--cap 1",
            with_about(
                r#"{"url":"(pt,a,)/sobre","count":2,"countInternal":1,"countExternal":1,"captureDate":"2024-03-01T09:00:30","inlinks":[{"date":"2024-03-01T09:00:00","source":"(pt,a,","anchor":"Sobre"},{"date":"2024-03-02T10:00:00","source":"(pt,b,)/x","anchor":"De B"}]}"#,
            ),
        ),
        ("--java-times", with_about(ABOUT).iter().map(|line| short(line)).collect()),
        (
            "--per-capture",
            lines(&[
                ROOT,
                ABOUT,
                r#"{"url":"(pt,a,sub,","count":0,"countInternal":0,"countExternal":0,"captureDate":"2024-05-30T09:00:30","inlinks":[]}"#,
                r#"{"url":"(pt,b,)/x","count":0,"countInternal":0,"countExternal":0,"captureDate":"2024-03-02T10:00:00","inlinks":[]}"#,
                r#"{"url":"(pt,b,)/x","count":0,"countInternal":0,"countExternal":0,"captureDate":"2025-03-02T10:00:00","inlinks":[]}"#,
            ]),
        ),
        (
            "--internal registrable",
            with_about(&ABOUT.replace(r#""countInternal":2,"countExternal":2"#, r#""countInternal":3,"countExternal":1"#)),
        ),
        (
            "--internal sldn --cap 2",
            with_about(
                r#"{"url":"(pt,a,)/sobre","count":3,"countInternal":2,"countExternal":1,"captureDate":"2024-03-01T09:00:30","inlinks":[{"date":"2024-03-01T09:00:00","source":"(pt,a,","anchor":"Sobre"},{"date":"2024-03-01T09:00:00","source":"(pt,a,","anchor":"Sobre nós"},{"date":"2024-03-02T10:00:00","source":"(pt,b,)/x","anchor":"De B"}]}"#,
            ),
        ),
        (
            // /sobre and /sobre/ are one page, and the query is sorted.
            "--notation cdx",
            lines(&[
                r#"{"url":"pt,a)/","count":1,"countInternal":1,"countExternal":0,"captureDate":"2024-03-01T09:00:00","inlinks":[{"date":"2024-03-01T09:00:30","source":"pt,a)/sobre","anchor":"Início"}]}"#,
                r#"{"url":"pt,a)/sobre","count":5,"countInternal":3,"countExternal":2,"captureDate":"2024-03-01T09:00:30","inlinks":[{"date":"2024-03-01T09:00:00","source":"pt,a)/","anchor":"Barra"},{"date":"2024-03-01T09:00:00","source":"pt,a)/","anchor":"Sobre"},{"date":"2024-03-01T09:00:00","source":"pt,a)/","anchor":"Sobre nós"},{"date":"2024-03-02T10:00:00","source":"pt,b)/x","anchor":"De B"},{"date":"2024-05-30T09:00:30","source":"pt,a,sub)/","anchor":"De sub"}]}"#,
                r#"{"url":"pt,c)/old","count":1,"countInternal":0,"countExternal":1,"captureDate":null,"inlinks":[{"date":"2024-03-02T10:00:00","source":"pt,b)/x","anchor":"Velho"}]}"#,
                r#"{"url":"pt,never)/q?a=1&b=2","count":1,"countInternal":0,"countExternal":1,"captureDate":null,"inlinks":[{"date":"2024-03-01T09:00:00","source":"pt,a)/","anchor":"Nunca 😀"}]}"#,
            ]),
        ),
        (
            // In UTF-16 code units, before links are compared; the half of a character goes.
            "--anchor-cap 5",
            vec![
                ROOT.replace("Início", "Iníci"),
                r#"{"url":"(pt,a,)/sobre","count":3,"countInternal":1,"countExternal":2,"captureDate":"2024-03-01T09:00:30","inlinks":[{"date":"2024-03-01T09:00:00","source":"(pt,a,","anchor":"Sobre"},{"date":"2024-03-02T10:00:00","source":"(pt,b,)/x","anchor":"De B"},{"date":"2024-05-30T09:00:30","source":"(pt,a,sub,","anchor":"De su"}]}"#.to_owned(),
                SLASH.to_owned(),
                OLD.to_owned(),
                NEVER.replace("Nunca 😀", "Nunca"),
            ],
        ),
        ("--anchor-cap 7", vec![ROOT.to_owned(), ABOUT.replace("Sobre nós", "Sobre n"), SLASH.to_owned(), OLD.to_owned(), NEVER.replace("Nunca 😀", "Nunca ")]),
        (
            "--preset arquivo-2024",
            lines(&[
                r#"{"url":"(pt,a,","count":1,"countInternal":1,"countExternal":0,"captureDate":"2024-03-01T09:00","inlinks":[{"date":"2024-03-01T09:00:30","source":"(pt,a,)/sobre","anchor":"Início"}]}"#,
                r#"{"url":"(pt,a,)/sobre","count":3,"countInternal":2,"countExternal":1,"captureDate":"2024-03-01T09:00:30","inlinks":[{"date":"2024-03-01T09:00","source":"(pt,a,","anchor":"Sobre"},{"date":"2024-03-02T10:00","source":"(pt,b,)/x","anchor":"De B"},{"date":"2024-05-30T09:00:30","source":"(pt,a,sub,","anchor":"De sub"}]}"#,
            ]),
        ),
        (
            // A rule given beside a preset stays.
            "--preset arquivo-2024 --internal fqdn --window-days 1 --uncaptured keep",
            vec![
                short(ROOT),
                r#"{"url":"(pt,a,)/sobre","count":1,"countInternal":1,"countExternal":0,"captureDate":"2024-03-01T09:00:30","inlinks":[{"date":"2024-03-01T09:00","source":"(pt,a,","anchor":"Sobre"}]}"#.to_owned(),
                short(SLASH),
                short(OLD),
                short(NEVER),
            ],
        ),
    ]
}

fn arguments<'a>(command: &[&'a str], options: &'a str) -> Vec<&'a str> {
    command.iter().copied().chain(options.split_whitespace()).collect()
}

pub fn imported(folder: &Path, file: &Path) -> PathBuf {
    let workspace = folder.join("archive");
    fonds(&["new", arg(&workspace)]).with_status(0);
    fonds(&["import", arg(&workspace), arg(file)]).with_status(0);
    workspace
}

#[test]
fn each_option_gives_its_lines_from_files_and_from_a_workspace() {
    let folder = tempfile::tempdir().unwrap();
    let warc = small(folder.path());
    let workspace = imported(folder.path(), &warc);
    for (options, expected) in option_sets() {
        let expected: String = expected.iter().map(|line| format!("{line}\n")).collect();
        let output = fonds(&arguments(&["inlinks", "dataset", arg(&warc)], options)).with_status(0);
        assert_eq!(output.out, expected, "dataset {options}");
        let output = fonds(&arguments(&["inlinks", "export", arg(&workspace)], options)).with_status(0);
        assert_eq!(output.out, expected, "export {options}");
    }
}

#[test]
fn a_workspace_of_foreign_files_exports_the_bytes_of_the_files() {
    let Some(warc) = need::data("warc/real/blackbook.warc.gz") else { return };
    let folder = tempfile::tempdir().unwrap();
    let workspace = imported(folder.path(), &warc);
    for options in
        ["", "--per-capture --notation cdx", "--anchor-cap 5 --cap 3 --window-days 0", "--preset arquivo-2024"]
    {
        let dataset = fonds(&arguments(&["inlinks", "dataset", arg(&warc)], options)).with_status(0).out;
        let export = fonds(&arguments(&["inlinks", "export", arg(&workspace)], options)).with_status(0).out;
        assert!(dataset.lines().count() > 50, "{options}");
        assert!(dataset == export, "{options}");
    }
}

#[test]
fn what_a_command_cannot_do_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let warc = small(folder.path());
    let workspace = imported(folder.path(), &warc);
    let export = |options| fonds(&arguments(&["inlinks", "export", arg(&workspace)], options)).with_status(2);
    for options in ["--kinds image", "--image-alt", "--from pdf"] {
        let output = export(options);
        let option = options.split(' ').next().unwrap();
        assert!(output.err.contains(&format!("{option} cannot be answered from a workspace")), "{}", output.err);
        assert!(
            output.err.contains(&format!("fonds inlinks dataset {option}")) && output.out.is_empty(),
            "{}",
            output.err
        );
    }
    // A window is one thing everywhere.
    for call in [
        vec!["inlinks", "export", arg(&workspace)],
        vec!["inlinks", "dataset", arg(&warc)],
        vec!["inlinks", "reduce"],
        vec!["inlinks", "top", arg(&workspace)],
        vec!["inlinks", "show", arg(&workspace), "http://a.pt/", "--date", "2024-03-01"],
    ] {
        for days in ["3651", "-1", "never"] {
            let output = fonds(&[call.as_slice(), &[&format!("--window-days={days}")]].concat()).with_status(2);
            output.with_message("0 to 3650 days, or none");
        }
    }
    // What belongs to the other half is not passed over.
    for option in ["--kinds=a", "--image-alt", "--from=pages", "--notation=cdx"] {
        fonds_with(&["inlinks", "reduce", option], b"").with_status(2).with_message("unexpected argument");
    }
    fonds_with(&["inlinks", "reduce", "--internal", "sldn"], b"")
        .with_status(2)
        .with_message("give --internal to fonds inlinks map");
    // Lines do not get the name of a Parquet file.
    let parquet = folder.path().join("x.parquet");
    for call in [["inlinks", "dataset", arg(&warc)], ["inlinks", "export", arg(&workspace)]] {
        let output = fonds(&[call.as_slice(), &["--out", arg(&parquet)]].concat()).with_status(2);
        output.with_message(&format!(
            "fonds inlinks convert {} {}",
            arg(&folder.path().join("x.jsonl.gz")),
            arg(&parquet)
        ));
        assert!(!parquet.exists());
    }
}

#[test]
fn a_window_of_none_shows_links_of_all_times() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = imported(folder.path(), &small(folder.path()));
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    let show = |days: &str| {
        let call =
            ["inlinks", "show", arg(&workspace), "a.pt/sobre", "--date", "20240301090000", "--window-days", days];
        fonds(&call).with_status(0).out.lines().count()
    };
    // Those of /sobre/ too: a page of the catalogue.
    assert_eq!((show("0"), show("1"), show("90"), show("3650"), show("none")), (3, 3, 4, 6, 6));
    let top = |days: &str| {
        let rows =
            fonds(&["inlinks", "top", arg(&workspace), "--json", "--window-days", days]).with_status(0).json_lines();
        let row = rows.iter().find(|row| row["url"] == "http://a.pt/sobre").unwrap();
        (row["inlinks_external"].as_u64().unwrap(), row["date"].clone())
    };
    assert_eq!(top("90"), (2, json!("2024-03-01T09:00:30Z")));
    assert_eq!((top("366").0, top("367").0, top("none").0), (2, 3, 3));
}

#[test]
fn the_preset_differs_from_its_program_as_the_help_describes() {
    let folder = tempfile::tempdir().unwrap();
    let date = "2024-03-01T09:00:00Z";
    // No word stands in it, and its address is that of an image.
    let html = "<a href='HTTP://WWW.K.pt/'><img src=i></a><a href=http://ww2.k.pt/></a><a href=https://k.pt:443/p></a>\
        <a href=http://u:p@k.pt/u></a><a href=http://localhost:8080/x></a><a href='http://[::1]/x'></a>\
        <a href=JavaScript:x()></a><a href=ftp://k.pt/></a><a href=/doc.pdf></a>";
    let records = [
        page("http://a.pt/pic.gif", date, html),
        page("http://a.pt/tie", date, "<a href=/twice>B</a><a href=/twice>A</a><a href=/again>Z</a>"),
        page("http://a.pt/twice", "2024-03-03T09:00:00Z", ""),
        page("http://a.pt/twice", date, ""),
        response("http://a.pt/again", date, "302 Found\r\nLocation: /twice\r\nContent-Type: text/html", ""),
        response("http://a.pt/doc.pdf", date, "200 OK\r\nContent-Type: application/pdf", "%PDF-1.4"),
    ];
    let warc = file(folder.path(), "a.warc.gz", &records);
    let objects = |options: &str| {
        fonds(&arguments(&["inlinks", "dataset", arg(&warc), "--preset", "arquivo-2024"], options))
            .with_status(0)
            .json_lines()
    };
    let kept = objects("--uncaptured keep");
    let keys: Vec<&str> = kept.iter().map(|object| object["url"].as_str().unwrap()).collect();
    let expected = [
        "([::1])/x",
        "(localhost,:8080)/x",
        "(pt,a,)/again",
        "(pt,a,)/doc.pdf",
        "(pt,a,)/twice",
        "(pt,k,",
        "(pt,k,)/p",
        "(pt,k,)/u",
        "(pt,k,ww2,",
    ];
    assert_eq!(keys, expected);
    // A redirect and a PDF file are no captures; the first capture is told, and the least of equal anchors.
    let dropped = objects("");
    assert_eq!(dropped.len(), 1);
    assert_eq!((&dropped[0]["url"], &dropped[0]["captureDate"]), (&json!("(pt,a,)/twice"), &json!("2024-03-01T09:00")));
    assert_eq!(dropped[0]["inlinks"], json!([{"date": "2024-03-01T09:00", "source": "(pt,a,)/tie", "anchor": "A"}]));
    let help = fonds(&["inlinks", "dataset", "--help"]).with_status(0).out;
    assert!(help.contains("--preset arquivo-2024 differs from the program"), "{help}");
}

/// Target, anchor and source of every link in a data set.
fn links(output: &CallResult) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    output
        .json_lines()
        .iter()
        .flat_map(|object| {
            object["inlinks"]
                .as_array()
                .unwrap()
                .iter()
                .map(|link| (text(&object["url"]), text(&link["anchor"])))
                .collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn each_kind_of_link_counts_where_it_is_requested() {
    let folder = tempfile::tempdir().unwrap();
    let html = "<head><meta http-equiv=refresh content='5; url=/refresh'><link rel=stylesheet href=/sheet>\
        <link rel=next href=/next><style>body { background: url(/css) }</style><script src=/script></script></head>\
        <body><a href=/anchor>Texto</a><a href=/pic><img src=/image alt='Retrato'></a>\
        <map><area href=/area alt=Mapa></map><iframe src=/frame></iframe><video src=/media></video>\
        <form action=/form></form>";
    let warc = file(folder.path(), "kinds.warc.gz", &[page("http://a.pt/", "2024-03-01T09:00:00Z", html)]);
    let found = |options: &str| links(&fonds(&arguments(&["inlinks", "dataset", arg(&warc)], options)).with_status(0));
    let pair = |(path, anchor): &(&str, &str)| (format!("(pt,a,)/{path}"), (*anchor).to_owned());
    let check = |options: &str, expected: &[(&str, &str)]| {
        assert_eq!(found(options), expected.iter().map(pair).collect::<Vec<_>>(), "{options}");
    };
    check("", &[("anchor", "Texto"), ("pic", "")]);
    check("--kinds a", &[("anchor", "Texto"), ("pic", "")]);
    check("--kinds a --image-alt", &[("anchor", "Texto"), ("pic", "Retrato")]);
    check("--kinds area", &[("area", "Mapa")]);
    check("--kinds frame", &[("frame", "")]);
    check("--kinds meta-refresh", &[("refresh", "")]);
    check("--kinds stylesheet", &[("sheet", "")]);
    check("--kinds link", &[("next", "")]);
    check("--kinds image", &[("image", "Retrato")]);
    check("--kinds script", &[("script", "")]);
    check("--kinds media", &[("media", "")]);
    check("--kinds form", &[("form", "")]);
    check("--kinds css", &[("css", "")]);
    check("--kinds area,a,form", &[("anchor", "Texto"), ("area", "Mapa"), ("form", ""), ("pic", "")]);
    fonds(&["inlinks", "dataset", arg(&warc), "--kinds", "anchors"])
        .with_status(2)
        .with_message("possible values: a, area");
}

/// An envelope about a page, as webarchive-commons writes it.
fn envelope(url: &str, date: &Value, target: &str) -> Value {
    json!({"Envelope": {
        "WARC-Header-Metadata": {"WARC-Type": "response", "WARC-Target-URI": url, "WARC-Date": date},
        "Payload-Metadata": {"HTTP-Response-Metadata": {
            "Response-Message": {"Status": "200"},
            "Headers": {"Content-Type": "text/html"},
            "HTML-Metadata": {"Links": [{"path": "A@/href", "url": target, "text": target.trim_start_matches('/')}]},
        }},
    }})
}

#[test]
fn links_are_read_from_the_records_that_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let date = "2024-03-01T09:00:00Z";
    let metadata = |object: &Value| gzip(record("metadata", "http://a.pt/", date, "", object.to_string()));
    let mut ours = envelope("http://a.pt/", &json!(date), "/of-ours");
    ours["Fonds"] = json!({});
    let pdf = "%PDF-1.4\n1 0 obj <</Subtype /Link /A <</S /URI /URI (http://a.pt/of-pdf)>>>> endobj\n\
        2 0 obj <</Subtype /Form>> stream\nBT (http://a.pt/of-print) Tj ET\nendstream endobj";
    let warc = file(
        folder.path(),
        "mixed.warc.gz",
        &[
            page("http://a.pt/", date, "<a href=/of-page>of-page</a>"),
            metadata(&ours),
            metadata(&envelope("http://a.pt/w", &json!(date), "/of-wat")),
            response("http://a.pt/x.pdf", date, "200 OK\r\nContent-Type: application/pdf", pdf),
        ],
    );
    let found = |from: &[&str]| {
        let output = fonds(&[["inlinks", "dataset", arg(&warc)].as_slice(), from].concat()).with_status(0);
        links(&output)
            .into_iter()
            .map(|(url, _)| url.rsplit('/').next().unwrap().to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(found(&[]), "of-page of-wat");
    assert_eq!(found(&["--from", "pages"]), "of-page");
    assert_eq!(found(&["--from", "wat"]), "of-wat");
    assert_eq!(found(&["--from", "metadata"]), "of-ours");
    assert_eq!(found(&["--from", "pdf"]), "of-pdf");
    assert_eq!(found(&["--from", "pdf-text"]), "of-pdf of-print");
    assert_eq!(found(&["--from", "pages,wat,metadata,pdf"]), "of-ours of-page of-pdf of-wat");
    // With its anchor, date and the capture of the PDF file itself.
    let output = fonds(&["inlinks", "dataset", arg(&warc), "--from", "pdf", "--per-capture"]).with_status(0);
    assert_eq!(output.json_lines()[0]["url"], "(pt,a,)/x.pdf");
    let output = fonds(&["inlinks", "dataset", arg(&warc), "--from", "pdf"]).with_status(0);
    assert_eq!(
        output.json_lines()[0]["inlinks"],
        json!([{"date": "2024-03-01T09:00:00", "source": "(pt,a,)/x.pdf", "anchor": "http://a.pt/of-pdf"}])
    );
}

#[test]
fn an_envelope_without_a_date_that_can_be_read_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let date = "2024-03-01T09:00:00Z";
    let of = |url: &str, declared: Value| {
        gzip(record("metadata", url, date, "", envelope(url, &declared, "/x").to_string()))
    };
    let records = [of("http://a.pt/", json!(date)), of("http://b.pt/", json!("soon")), of("http://c.pt/", Value::Null)];
    let wat = file(folder.path(), "a.warc.wat.gz", &records);
    let output = fonds(&["inlinks", "dataset", arg(&wat)]).with_status(1);
    assert_eq!(output.out.lines().count(), 1);
    let output =
        output.with_message("2 × no date").with_message("http://b.pt/: no date").with_message("http://c.pt/: no date");
    assert!(output.err.contains("3 records, 0 revisits, 1 page"), "{}", output.err);
}

#[test]
fn the_most_inlinks_of_each_side_are_kept_by_date() {
    let folder = tempfile::tempdir().unwrap();
    let mut records = vec![page("http://a.pt/", "2024-03-01T09:00:00Z", "")];
    for n in (0..1003).rev() {
        let date = format!("2024-03-02T00:{:02}:{:02}Z", n / 60, n % 60);
        records.push(page(&format!("http://a.pt/{n:04}"), &date, "<a href=/>In</a>"));
        records.push(page(&format!("http://h{n:04}.pt/"), &date, "<a href=http://a.pt/>Out</a>"));
    }
    let warc = file(folder.path(), "many.warc.gz", &records);
    let output = fonds(&["inlinks", "dataset", arg(&warc)]).with_status(0).with_message("6 over the cap");
    let object = output.json_lines().remove(0);
    assert_eq!(
        (&object["count"], &object["countInternal"], &object["countExternal"]),
        (&json!(2000), &json!(1000), &json!(1000))
    );
    let inlinks = object["inlinks"].as_array().unwrap();
    assert_eq!(inlinks.last().unwrap()["date"], "2024-03-02T00:16:39");
    let none = fonds(&["inlinks", "dataset", arg(&warc), "--cap", "0"]).with_status(0);
    assert_eq!(none.out, "", "a page that keeps no inlink is not written");
}

#[test]
fn uncaptured_pages_have_dates_and_the_verdict_of_the_rules_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = imported(folder.path(), &small(folder.path()));
    let workspace = arg(&workspace);
    fonds(&["inlinks", "build", workspace]).with_status(0);
    let campaign =
        |rules: Value| json!({"name": "Towns", "seeds": [{"url": "http://a.pt/"}], "rules": rules}).to_string();
    let save = |rules: Value, id: &[&str]| {
        fonds_with(&[["campaign", "add", workspace, "-"].as_slice(), id].concat(), campaign(rules).as_bytes())
            .with_status(0);
    };
    save(json!([{"rule": "accept_all"}]), &[]);
    let rows = || fonds(&["inlinks", "uncaptured", workspace, "--json"]).with_status(0).json_lines();
    let verdicts = || rows().iter().map(|row| (row["url"].clone(), row["verdict"].clone())).collect::<Vec<_>>();
    // The redirect was captured as something, and /sobre/ is the page /sobre of the catalogue.
    assert_eq!(verdicts(), [(json!("http://never.pt/Q?b=2&a=1"), json!("ACCEPT AcceptDecideRule"))]);
    assert_eq!(
        (&rows()[0]["first"], &rows()[0]["last"]),
        (&json!("2024-03-01T09:00:00Z"), &json!("2024-03-01T09:00:00Z"))
    );
    let output = fonds(&["inlinks", "uncaptured", workspace]).with_status(0).out;
    assert_eq!(
        output,
        "   1 host       1 link   2024-03-01 to 2024-03-01  http://never.pt/Q?b=2&a=1  “Nunca 😀”  ACCEPT AcceptDecideRule\n"
    );
    // Nothing is built anew: the rules of today are asked.
    save(json!([{"rule": "reject_all"}]), &["--id", "1"]);
    assert_eq!(verdicts()[0].1, "REJECT RejectDecideRule");
    let prefixed = fonds(&["inlinks", "uncaptured", workspace, "--json", "--prefix", "(pt,never,"]).with_status(0);
    assert_eq!(prefixed.json_lines()[0]["verdict"], "REJECT RejectDecideRule");
    // Dates of other lists are text too.
    let shown = fonds(&["inlinks", "show", workspace, "http://a.pt/", "--json"]).with_status(0).json_lines();
    assert_eq!(shown[0]["date"], "2024-03-01T09:00:30Z");
    let anchors = fonds(&["inlinks", "anchors", workspace, "http://a.pt/", "--json"]).with_status(0).json_lines();
    assert_eq!(anchors[0]["last"], "2024-03-01T09:00:30Z");
}

#[test]
fn a_build_that_never_counted_is_reported_and_not_taken_for_an_empty_list() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = imported(folder.path(), &small(folder.path()));
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    // As a build that was killed behind its links leaves the catalogue.
    Workspace::open(&workspace).unwrap().catalogue().set_setting("inlinks_counted", "").unwrap();
    for call in [&["top"][..], &["uncaptured"], &["anchors"], &["check"]] {
        let output = fonds(&[&["inlinks", call[0], arg(&workspace)], &call[1..]].concat()).with_status(2);
        assert_eq!(output.out, "");
        output.with_message("ended before it had counted them; run: fonds inlinks build");
    }
    // What asks the links themselves is answered all the same.
    fonds(&["inlinks", "show", arg(&workspace), "http://a.pt/"]).with_status(0);
    fonds(&["inlinks", "anchors", arg(&workspace), "http://a.pt/"]).with_status(0);
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    for command in ["top", "uncaptured", "anchors"] {
        assert!(!fonds(&["inlinks", command, arg(&workspace)]).with_status(0).out.is_empty(), "{command}");
    }
}

#[test]
fn rows_go_through_hadoop_streaming_as_it_splits_and_sorts_them() {
    let folder = tempfile::tempdir().unwrap();
    let first = small(folder.path());
    let names: Vec<String> = (0..40).map(|n| format!("http://h{}.pt/p{n}", n % 7)).collect();
    let records: Vec<Vec<u8>> = (0..40)
        .map(|n| {
            let links: String =
                (0..n % 6).map(|k| format!("<a href={}>a{k}\t“b\u{a0}</a>", names[(n * 3 + k * 11) % 40])).collect();
            page(&names[n], &format!("2024-03-{:02}T09:00:00Z", n % 28 + 1), &links)
        })
        .collect();
    let second = file(folder.path(), "second.warc.gz", &records);
    for (options, reduce) in
        [("", ""), ("--preset arquivo-2024", "--preset arquivo-2024"), ("--notation cdx", "--per-capture")]
    {
        let mut call = arguments(&["inlinks", "dataset", arg(&first), arg(&second)], options);
        call.extend(reduce.split_whitespace().filter(|option| !options.contains(option)));
        let expected = fonds(&call).with_status(0).out;
        // NLineInputFormat: a task a line, the place of the line before it; many tasks give one shuffle.
        let rows: String = [&first, &second]
            .iter()
            .enumerate()
            .map(|(task, file)| {
                let line = format!("{}\t{}\n", task * 57, arg(file));
                fonds_with(&arguments(&["inlinks", "map"], options), line.as_bytes()).with_status(0).out
            })
            .collect();
        // Three reducers by the key; below it values come in any order.
        let mut parts: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
        for row in rows.lines() {
            let key = row.split('\t').next().unwrap();
            let hash = key.bytes().fold(0_u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
            parts.entry(hash % 3).or_default().push(row);
        }
        assert_eq!(parts.len(), 3);
        let mut reduced: Vec<String> = Vec::new();
        for rows in parts.values_mut() {
            rows.reverse();
            rows.sort_by_key(|row| row.split('\t').next().unwrap());
            let output = fonds_with(&arguments(&["inlinks", "reduce"], reduce), (rows.join("\n") + "\n").as_bytes());
            let lines: Vec<String> = output.with_status(0).out.lines().map(str::to_owned).collect();
            assert!(!lines.is_empty());
            reduced.extend(lines);
        }
        let of = |line: &str| {
            let object: Value = serde_json::from_str(line).unwrap();
            (object["url"].as_str().unwrap().to_owned(), object["captureDate"].as_str().unwrap_or_default().to_owned())
        };
        reduced.sort_by_key(|line| of(line));
        assert_eq!(reduced.iter().map(|line| format!("{line}\n")).collect::<String>(), expected, "{options} {reduce}");
        // Hadoop writes a tab behind a line that has none; that does not hurt.
        let written: String = reduced.iter().map(|line| format!("{line}\t\n")).collect();
        let links = folder.path().join(format!("links {options}"));
        let loaded = fonds_with(&["inlinks", "load", arg(&links), "--json"], written.as_bytes()).with_status(0);
        assert_eq!(loaded.json_lines()[0]["objects"], reduced.len());
    }
}

#[test]
fn broken_lines_and_marks_cost_no_other_line() {
    let folder = tempfile::tempdir().unwrap();
    let (lines, out) = (folder.path().join("a.jsonl"), folder.path().join("b.jsonl.zst"));
    std::fs::write(&lines, format!("\u{feff}{ROOT}\r\n{{\"url\": 7}}\n\n{NEVER}\nlast")).unwrap();
    let output = fonds(&["inlinks", "convert", arg(&lines), arg(&out)]).with_status(1);
    let output =
        output.with_message("left out: line 2: ").with_message("left out: line 5: ").with_message("2 lines left out");
    assert_eq!(output.out, "");
    assert_eq!(fonds(&["inlinks", "convert", arg(&out), "-"]).with_status(0).out, format!("{ROOT}\r\n{NEVER}\n"));
    let output = fonds(&["inlinks", "load", arg(&folder.path().join("links")), arg(&lines), "--json"]).with_status(1);
    assert_eq!((&output.json_lines()[0]["objects"], &output.json_lines()[0]["bad_lines"]), (&json!(2), &json!(2)));
    let marked = "\u{feff}(pt,a,\t20240301090000\t(pt,b,\texternal\tB\n";
    assert_eq!(fonds_with(&["inlinks", "reduce"], marked.as_bytes()).with_status(0).out.lines().count(), 1);
}

/// Many rows in no order, some 60 bytes each.
fn many_rows(count: u64, out: &mut impl Write) -> std::io::Result<()> {
    for n in 0..count {
        let far = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let (target, source, day) = (far % 200_003, far % 99_991, n % 28 + 1);
        writeln!(
            out,
            "(pt,h{},)/{target:06}\t202403{day:02}090000\t(pt,g{},)/{source:06}\texternal\tAnchor {n}",
            target % 97,
            source % 89
        )?;
    }
    Ok(())
}

/// The most memory that `reduce` takes for so many rows, in MiB, and the lines that it gives.
#[cfg(target_os = "linux")]
fn memory_of_reduce(folder: &Path, rows: u64, limit_mib: &str) -> (u64, Vec<u8>) {
    let mut child = command(&["inlinks", "reduce", "--memory-mib", limit_mib, "--threads", "1", "--temp", arg(folder)])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = BufWriter::new(child.stdin.take().unwrap());
    let feed = std::thread::spawn(move || many_rows(rows, &mut stdin).unwrap());
    // The figure only grows. It is read with every block of the output: the program cannot end
    // before its last block was taken, so the last reading is of its end, however slow the machine.
    let mut stdout = child.stdout.take().unwrap();
    let (mut lines, mut block, mut most_kib) = (Vec::new(), [0; 1 << 15], 0);
    loop {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        most_kib = peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(most_kib);
        match stdout.read(&mut block).unwrap() {
            0 => break,
            read => lines.extend_from_slice(&block[..read]),
        }
    }
    feed.join().unwrap();
    assert!(child.wait().unwrap().success());
    (most_kib / 1024, lines)
}

#[test]
#[cfg(target_os = "linux")]
fn reduce_stays_within_the_memory_it_is_given() {
    let folder = tempfile::tempdir().unwrap();
    // Some 6 and 25 MiB of rows, the more in a quarter of the memory that they need.
    let (few, few_lines) = memory_of_reduce(folder.path(), 80_000, "4");
    let (many, many_lines) = memory_of_reduce(folder.path(), 320_000, "4");
    let (unbounded, all_lines) = memory_of_reduce(folder.path(), 320_000, "512");
    println!("for sorting 4 MiB: {few} MiB for 80,000 rows, {many} MiB for 320,000; 512 MiB: {unbounded} MiB");
    assert!(few > 0 && many <= few + 12, "{few} MiB for a quarter of the rows, {many} MiB for all");
    assert!(many + 8 <= unbounded, "{many} MiB with a limit of 4, {unbounded} MiB with one of 512");
    assert!(many_lines.len() > 2 * few_lines.len());
    assert!(all_lines == many_lines);
}

#[test]
fn a_data_set_killed_again_and_again_is_taken_up_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let links: String =
        (0..150).map(|n| format!("<a href=http://h{}.pt/{n}>the words of link {n}</a>", n % 11)).collect();
    let files: Vec<PathBuf> = (0..12)
        .map(|number| {
            let records: Vec<Vec<u8>> = (0..128)
                .map(|n| page(&format!("http://h{}.pt/{number}/{n}", n % 5), "2024-03-01T09:00:00Z", &links))
                .collect();
            file(folder.path(), &format!("{number:02}.warc.gz"), &records)
        })
        .collect();
    let mut call = vec!["inlinks", "dataset", "--memory-mib", "1", "--threads", "1"];
    call.extend(files.iter().map(|file| arg(file)));
    let expected = fonds(&call).with_status(0).out;
    let (runs, out) = (folder.path().join("runs"), folder.path().join("out.jsonl"));
    call.extend(["--resume", arg(&runs), "--out", arg(&out)]);
    std::fs::write(&out, "kept").unwrap();
    let written = || {
        let entries = std::fs::read_dir(&runs).into_iter().flatten().flatten();
        entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("run-")).count()
    };
    let mut kills = 0;
    for _ in 0..4 {
        let before = written();
        kills += usize::from(kill_when(start(&call), || written() > before));
    }
    assert!(kills >= 2, "the program was killed {kills} times only: the kills come too late");
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "kept");
    let output =
        fonds(&call).with_status(0).with_message("of the pages had been read before the build was interrupted");
    let read: u64 = output
        .err
        .lines()
        .find_map(|line| line.split(" of the pages had").nth(1).and(line.split(' ').next()))
        .unwrap()
        .parse()
        .unwrap();
    assert!((64..=1536).contains(&read), "{}", output.err);
    assert!(std::fs::read_to_string(&out).unwrap() == expected);
    assert!(!runs.exists());
    // Hidden files of killed calls are gone, too.
    let left: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('.'))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
