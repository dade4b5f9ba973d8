//! The report of a handover as people read it: who it is by, what it counts, what it leaves
//! out; the same in each language.

use crate::archive::copy_folder;
use crate::program::{arg, fonds};
use crate::sample::demo;
use html5gum::{Token, Tokenizer};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const LANGUAGES: [&str; 5] = ["en", "pt", "es", "fr", "de"];

/// A copy of the workspace of the demo where two persons decided.
fn workspace(root: &Path) -> PathBuf {
    let workspace = root.join("w");
    copy_folder(&demo().report.workspace, &workspace);
    let mark = |mark: &str, filter: &str, reason: &str| {
        fonds(&["mark", arg(&workspace), mark, "--filter", filter, "--reason", reason]).with_status(0);
    };
    mark("reject", "url:http://assembleia.example/brasao.svg", "a coat of <b>arms</b> “&amp;”");
    mark("approve", "title:Regata", "names the harbour");
    workspace
}

fn export(workspace: &Path, name: &str, options: &[&str]) -> PathBuf {
    let out = workspace.parent().unwrap().join(name);
    let args = [&["export", arg(workspace), "--out", arg(&out), "--without-rdf"], options].concat();
    fonds(&args).with_status(0);
    out
}

/// A report as a reader takes it in.
#[derive(Default)]
struct ReadReport {
    lang: String,
    /// Texts in their order, without those that are marked as English.
    texts: Vec<String>,
    /// Tables by the text of their first head.
    tables: BTreeMap<String, Vec<Vec<String>>>,
    /// Names with values, by name.
    facts: BTreeMap<String, String>,
}

fn read(out: &Path) -> ReadReport {
    let html = std::fs::read_to_string(out.join("report.html")).unwrap();
    let mut report = ReadReport::default();
    let (mut text, mut is_english, mut head, mut term) = (String::new(), false, String::new(), String::new());
    let mut row: Vec<String> = Vec::new();
    for token in Tokenizer::new(&html) {
        match token.unwrap() {
            Token::StartTag(tag) => {
                let name = String::from_utf8(tag.name.0.clone()).unwrap();
                let lang =
                    tag.attributes.get(b"lang".as_slice()).map(|lang| String::from_utf8_lossy(lang).into_owned());
                match (name.as_str(), lang) {
                    ("html", Some(lang)) => report.lang = lang,
                    (_, Some(lang)) => is_english = lang == "en",
                    _ => {}
                }
                match name.as_str() {
                    "table" => head.clear(),
                    "tr" => row.clear(),
                    _ => {}
                }
                text.clear();
            }
            Token::String(part) => text.push_str(&String::from_utf8_lossy(&part)),
            Token::EndTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name).into_owned();
                match name.as_str() {
                    "th" if head.is_empty() => head.clone_from(&text),
                    "td" => row.push(text.clone()),
                    "tr" if !row.is_empty() => report.tables.entry(head.clone()).or_default().push(row.clone()),
                    "dt" => term.clone_from(&text),
                    "dd" => drop(report.facts.insert(term.clone(), text.clone())),
                    _ => {}
                }
                if !text.trim().is_empty() && !is_english && name != "style" {
                    report.texts.push(text.trim().to_owned());
                }
                is_english = false;
                text.clear();
            }
            _ => {}
        }
    }
    report
}

/// The number that a cell shows.
fn number(cell: &str) -> u64 {
    cell.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap_or_else(|_| panic!("{cell}"))
}

#[test]
fn no_report_has_a_sentence_of_another_language() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = workspace(dir.path());
    let reports = LANGUAGES.map(|language| read(&export(&workspace, language, &["--language", language])));
    for (report, language) in reports.iter().zip(LANGUAGES) {
        assert_eq!(report.lang, language);
    }
    let [english, others @ ..] = &reports;
    let data = fonds(&["campaign", "export", arg(&workspace), "1"]).with_status(0).out;
    let english_texts: BTreeSet<&String> = english.texts.iter().collect();
    for other in others {
        assert_eq!(other.texts.len(), english.texts.len(), "{}", other.lang);
        for text in &other.texts {
            let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
            // What persons wrote, and addresses, are in no language.
            let is_data = text.split(", ").all(|part| data.contains(part))
                || ["/", "Vila Nova da Ria", "coat of", "names the harbour", "Test data", "(decis"]
                    .iter()
                    .any(|part| text.contains(part));
            assert!(words < 3 || is_data || !english_texts.contains(text), "{}: {text}", other.lang);
        }
    }
    let markdown = std::fs::read_to_string(dir.path().join("de/report.md")).unwrap();
    assert!(markdown.contains("## Was nicht enthalten ist") && !markdown.contains("## What"), "{markdown}");
    // The documents for programs are the same in each.
    let manifest = |language: &str| {
        let campaign = dir.path().join(language).join("data/selection.json");
        std::fs::read_to_string(campaign).unwrap()
    };
    assert_eq!(manifest("en"), manifest("fr"));
}

#[test]
fn every_plot_agrees_with_its_text() {
    let dir = tempfile::tempdir().unwrap();
    let out = export(&workspace(dir.path()), "out", &[]);
    let report = read(&out);
    let captures = number(&report.facts["Captures"]);
    let manifest: Value = serde_json::from_str(&std::fs::read_to_string(out.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(Some(captures), manifest["counts"]["captures"].as_u64(), "{manifest}");
    for (head, column) in
        [("Month", 1), ("Answer of the server", 1), ("Kind of content", 1), ("Language", 1), ("Host", 1)]
    {
        let sum: u64 = report.tables[head].iter().map(|row| number(&row[column])).sum();
        assert_eq!(sum, captures, "{head}");
    }
    let lead = &report.texts.iter().find(|text| text.starts_with("This export holds")).unwrap();
    assert!(lead.contains(&format!("{captures} captures")) && lead.contains("August 2026"), "{lead}");
}

#[test]
fn the_summary_and_the_lists_name_who_decided_and_what_was_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = workspace(dir.path());
    let report = read(&export(&workspace, "out", &[]));
    // Who, how many, when.
    let persons = &report.tables["Person"];
    let decided: u64 = persons.iter().map(|row| number(&row[1]) + number(&row[2]) + number(&row[3])).sum();
    let lines = fonds(&["annotations", "export", arg(&workspace)]).with_status(0).json_lines();
    assert!(decided > 0 && decided <= lines.len() as u64, "{persons:?}");
    assert!(persons.iter().all(|row| row[4].contains(" 20")), "{persons:?}");
    assert!(report.facts["Who decided"].contains(&persons[0][0]), "{}", report.facts["Who decided"]);
    // What was left out stands with its reason, and where all of it is.
    let left_out = &report.tables["Address"];
    let rejected = left_out.iter().find(|row| row[0].ends_with("/brasao.svg")).unwrap();
    assert!(
        rejected[2].contains("a coat of <b>arms</b> “&amp;”") && rejected[2].starts_with("rejected by"),
        "{rejected:?}"
    );
    assert!(left_out.iter().any(|row| row[2].starts_with("score 0.") && row[2].contains("below 0.3")), "{left_out:?}");
    let all = report.texts.iter().find(|text| text.starts_with("The first ")).unwrap();
    assert!(all.contains("100 of ") || all.contains(&format!("{} of ", left_out.len())), "{all}");
    assert!(report.texts.iter().any(|text| text.contains("fonds captures WORKSPACE")));
    // Request, rules and seeds are words.
    let text = report.texts.join("\n");
    for part in [
        "person “Leonor Maresia”",
        "language Spanish",
        "what a site does not allow in its robots.txt",
        "everything below this address",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for jargon in ["DecideRule", "http://(", "{\"", "any of 0", "\"and\""] {
        assert!(!text.contains(jargon), "{jargon}: {text}");
    }
}

#[test]
fn the_campaign_names_the_language_and_an_export_another_one() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = workspace(dir.path());
    let campaign = fonds(&["campaign", "export", arg(&workspace), "1"]).with_status(0).out;
    let mut campaign: Value = serde_json::from_str(&campaign).unwrap();
    campaign["name"] = "<script>alert(1)</script> \u{202e}“Ria”".into();
    let file = dir.path().join("campaign.json");
    let mut save = |language: &str| {
        campaign["report_language"] = language.into();
        std::fs::write(&file, campaign.to_string()).unwrap();
        fonds(&["campaign", "add", arg(&workspace), arg(&file), "--id", "1"])
    };
    save("xx").with_status(2).with_message("report_language");
    save("pt").with_status(0);
    let report = read(&export(&workspace, "of-campaign", &[]));
    assert_eq!((report.lang.as_str(), report.facts.contains_key("Finalidade")), ("pt", true));
    assert!(report.texts.iter().any(|text| text.contains("de agosto de 2026")), "{:?}", report.texts);
    let html = std::fs::read_to_string(dir.path().join("of-campaign/report.html")).unwrap();
    assert!(!html.contains("<script") && !html.contains('\u{202e}') && html.contains("&lt;script&gt;"));
    assert_eq!(read(&export(&workspace, "of-call", &["--language", "FR"])).lang, "fr");
    // For once: the next one is that of the campaign.
    assert_eq!(read(&export(&workspace, "again", &[])).lang, "pt");
    let refused = dir.path().join("refused");
    fonds(&["export", arg(&workspace), "--out", arg(&refused), "--language", "it"])
        .with_status(2)
        .with_message("en, pt, es, fr or de");
    assert!(!refused.exists());
    // Whoever takes the handover in has the campaign's language, too.
    let other = dir.path().join("other");
    fonds(&["new", arg(&other)]).with_status(0);
    fonds(&["import", arg(&other), arg(&dir.path().join("again"))]).with_status(0);
    let exported = fonds(&["campaign", "export", arg(&other), "1"]).with_status(0).out;
    assert!(exported.contains("\"report_language\": \"pt\""), "{exported}");
}

#[test]
fn problems_are_named_in_the_language_without_paths_of_the_machine() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("w");
    fonds(&["new", arg(&workspace)]).with_status(0);
    let campaign = fonds(&["campaign", "example"]).with_status(0).out;
    crate::program::fonds_with(&["campaign", "add", arg(&workspace), "-"], campaign.as_bytes()).with_status(0);
    let block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Biblioteca";
    let fields = "Content-Type: application/http\r\n";
    let odd = crate::archives::record("response", "<http://a.pt/>", "2024-03-01T09:00:30Z", fields, block);
    let warc = dir.path().join("odd.warc");
    std::fs::write(&warc, odd).unwrap();
    fonds(&["import", arg(&workspace), arg(&warc)]);
    fonds(&["select", "run", arg(&workspace), "1", "--filter", "*"]).with_status(0);
    for (language, name) in
        LANGUAGES.into_iter().zip(["is written unusually", "forma invulgar", "inusual", "inhabituelle", "ungewöhnlich"])
    {
        let out = dir.path().join(language);
        let exported = fonds(&["export", arg(&workspace), "--out", arg(&out), "--language", language]).with_status(0);
        assert!(exported.out.contains("1 record with the target URI in angle brackets"), "{}", exported.out);
        for file in ["report.html", "report.md"] {
            let report = std::fs::read_to_string(out.join(file)).unwrap();
            assert!(report.contains(name), "{language}: {file}");
            assert!(report.contains("odd.warc, offset"), "{language}: {file}");
            assert!(!report.contains(arg(dir.path())), "{language}: {file} names a folder of this machine");
        }
    }
}
