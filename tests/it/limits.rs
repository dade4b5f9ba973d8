//! Queries have limits, whoever sends them, and texts of strangers are written so that whoever shows them is safe.

use crate::archive::{file, page};
use crate::program::{arg, fonds, fonds_with};
use std::path::{Path, PathBuf};

/// Begins colours on a terminal in one character, and turns the reading direction.
const OBEYED: [char; 4] = ['\u{9b}', '\u{85}', '\u{202e}', '\u{2067}'];

/// A workspace of two pages, the first of which links to the other with these words.
fn workspace(dir: &Path, anchor: &str) -> PathBuf {
    let workspace = dir.join("w");
    fonds(&["new", arg(&workspace)]).with_status(0);
    let link = format!("<title>{anchor}</title><p>the zebra <a href=/b>{anchor}</a>");
    let pages = [
        page("http://a.example/", "2024-03-01T09:00:30Z", &link),
        page("http://a.example/b", "2024-03-02T09:00:30Z", "<title>b</title><p>the violin"),
    ];
    let warc = file(dir, "a.warc.gz", &pages);
    fonds(&["import", arg(&workspace), arg(&warc), "--index"]).with_status(0);
    workspace
}

#[test]
fn queries_above_a_limit_name_it_and_the_column() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = workspace(dir.path(), "b");
    let campaign = dir.path().join("c.json");
    let add = |request: &str| {
        let seeds = serde_json::json!([{"url": "http://a.example/", "scope": "root"}]);
        let text = serde_json::json!({"name": "C", "seeds": seeds, "request": request}).to_string();
        std::fs::write(&campaign, text).unwrap();
        fonds(&["campaign", "add", arg(&workspace), arg(&campaign)])
    };
    add("zebra").with_status(0);
    let words = |count: usize| (0..count).map(|number| format!("w{number} ")).collect::<String>();
    for (query, column, limit) in [
        (words(401), "column 1891: ", "400 terms at most"),
        (words(401).replace(' ', " OR "), "", "400 terms at most"),
        (format!("zebra \"{}\"", "the ".repeat(101)), "column 7: ", "100 words"),
        (format!("zebra title:\"{}\"", "the ".repeat(101)), "column 13: ", "100 words"),
        (format!("zebra {}", "a-".repeat(101)), "column 7: ", "100 words"),
        (format!("zebra {}", "b".repeat(1001)), "column 7: ", "1000 letters"),
        (format!("zebra {}b", "a*".repeat(21)), "column 7: ", "20 *"),
        (format!("zebra ab{}", "?".repeat(999) + "a"), "column 7: ", "1000 letters"),
        (format!("mime:{}", "b".repeat(70_000)), "column 6: ", "65536 letters"),
    ] {
        for call in [["search", arg(&workspace), &query], ["captures", arg(&workspace), &query]] {
            let called = fonds(&call).with_status(2);
            assert!(
                called.err.contains(limit) && called.err.contains(column),
                "{}: {limit}: {}",
                &query[..20],
                called.err
            );
        }
        let saved = ["collections", "save", arg(&workspace), "C", "--campaign", "1", "--filter", &query];
        fonds(&saved).with_status(2).with_message(limit);
    }
    // What is within them is answered.
    for query in [words(400), format!("\"{}\"", "the ".repeat(100)), "b".repeat(1000), "a*b*c*d*".to_owned()] {
        fonds(&["search", arg(&workspace), &query]).with_status(0);
        fonds(&["captures", arg(&workspace), &query]).with_status(0);
    }
    for (request, limit) in [(words(401), "400 terms at most"), (format!("\"{}\"", "the ".repeat(101)), "100 words")] {
        add(&request).with_status(2).with_message(limit);
    }
}

#[test]
fn texts_of_strangers_reach_pipes_without_what_terminals_obey() {
    let dir = tempfile::tempdir().unwrap();
    let hostile = format!("x{}31m", OBEYED.iter().collect::<String>());
    let workspace = workspace(dir.path(), &hostile);
    fonds(&["inlinks", "build", arg(&workspace)]).with_status(0);
    let html = dir.path().join("p.html");
    std::fs::write(&html, format!("<title>t</title><p>{hostile} {}</p>", "zebra and more ".repeat(40))).unwrap();
    let warc = dir.path().join("a.warc.gz");
    let json = [
        fonds(&["inlinks", "export", arg(&workspace)]).with_status(0).out,
        fonds(&["inlinks", "dataset", arg(&warc)]).with_status(0).out,
        fonds(&["text", "--json", arg(&html)]).with_status(0).out,
    ];
    let plain = [
        fonds(&["text", "--all", arg(&html)]).with_status(0).out,
        fonds(&["captures", arg(&workspace), "--csv"]).with_status(0).out,
        fonds(&["captures", arg(&workspace), "--tsv"]).with_status(0).out,
        fonds(&["search", arg(&workspace), "zebra", "--csv"]).with_status(0).out,
        fonds_with(&["language"], format!("{hostile}\n").as_bytes()).with_status(0).out,
    ];
    for text in json.iter().chain(&plain) {
        assert!(!text.contains(OBEYED), "{text:?}");
    }
    // JSON keeps the value; in what has no escapes a sign stands in its place.
    for line in json.iter().flat_map(|text| text.lines()) {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(!line.contains("31m") || line.contains("\\u009b"), "{line}");
        if let Some(anchor) = value["inlinks"][0]["anchor"].as_str() {
            assert!(anchor.contains('\u{202e}'), "{anchor:?}");
        }
    }
    assert!(plain.iter().filter(|text| text.contains("\u{fffd}31m")).count() >= 4, "{plain:?}");
    // Marks of Hebrew and Arabic stay where nobody is fooled by them.
    let marked = "\u{200f}\u{61c}ab\n";
    assert!(fonds_with(&["language"], marked.as_bytes()).with_status(0).out.contains("\u{200f}\u{61c}ab"));
}
