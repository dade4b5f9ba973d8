//! Uses of inlinks on the demo: hosts, graphs, lists of other programs,
//! signals; and links read out of metadata records.

use crate::archive::warcs_under;
use crate::need;
use crate::program::{arg, fonds};
use crate::sample::demo;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

fn workspace() -> &'static str {
    arg(&demo().report.workspace)
}

#[test]
fn metadata_records_give_the_links_of_pages_without_html() {
    let files: Vec<PathBuf> = warcs_under(&demo().report.workspace.join("output"));
    let dataset = |from: &str| {
        let mut args = vec!["inlinks", "dataset", "--from", from];
        args.extend(files.iter().map(|file| arg(file)));
        fonds(&args).with_status(0).out
    };
    let pages = dataset("pages");
    assert!(pages.lines().count() > 50);
    assert!(pages == dataset("metadata"));
    assert!(pages == dataset("pages,wat,metadata"), "what stands there twice counts once");
    assert!(pages == dataset("pages,wat"), "ours are not taken for what others read");
    assert_eq!(dataset("wat"), "");
}

#[test]
fn hosts_are_ranked_and_the_graph_holds_the_same() {
    let hosts = fonds(&["inlinks", "hosts", workspace(), "--limit", "100000", "--json"]).with_status(0).json_lines();
    let number = |row: &Value, name: &str| row[name].as_u64().unwrap();
    let ranks: Vec<f64> = hosts.iter().map(|row| row["pagerank"].as_f64().unwrap()).collect();
    assert!(hosts.len() > 3 && ranks.is_sorted_by(|a, b| a >= b));
    assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    // The links are those of the build.
    let report = fonds(&["inlinks", "graph", workspace(), "--format", "csv", "--internal"]).with_status(0);
    let rows: Vec<Vec<&str>> = report.out.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let links = |internal: &str| -> u64 {
        rows.iter().filter(|row| row[2] == internal).map(|row| row[3].parse::<u64>().unwrap()).sum()
    };
    assert_eq!(links("false"), hosts.iter().map(|row| number(row, "inlinks")).sum::<u64>());
    assert_eq!(links("true"), hosts.iter().map(|row| number(row, "inlinks_internal")).sum::<u64>());
    assert!(links("false") > 0 && links("true") > 0);
    let none = fonds(&["inlinks", "hosts", workspace(), "--uncaptured", "--json"]).with_status(0).json_lines();
    assert!(!none.is_empty() && none.iter().all(|row| row["captures"] == 0));
    let text = fonds(&["inlinks", "graph", workspace(), "--format", "graphml"]).with_status(0).out;
    let document = roxmltree::Document::parse(&text).unwrap();
    let count = |name: &str| document.descendants().filter(|node| node.tag_name().name() == name).count();
    assert_eq!((count("node"), count("edge")), (hosts.len(), rows.iter().filter(|row| row[2] == "false").count()));
}

#[test]
fn networkx_reads_the_graph_and_ranks_the_same() {
    let Some([python]) = need::peers(["python"]) else { return };
    let dir = tempfile::tempdir().unwrap();
    for format in ["gexf", "graphml"] {
        let file = dir.path().join(format!("hosts.{format}"));
        fonds(&["inlinks", "graph", workspace(), "--format", format, "--out", arg(&file)]).with_status(0);
        let script = "import sys, json, networkx as nx\n\
            from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python as rank\n\
            g = getattr(nx, 'read_' + sys.argv[1])(sys.argv[2])\n\
            r = rank(g, alpha=0.85, tol=1e-13, max_iter=1000, weight=None)\n\
            name = 'label' if sys.argv[1] == 'gexf' else 'host'\n\
            print(json.dumps({d[name]: [d['captures'], d['pagerank'], r[n]] for n, d in g.nodes(data=True)}))\n\
            assert all(d['links'] > 0 and d['first'] <= d['last'] and d['internal'] is False for _, _, d in g.edges(data=True))";
        let output = Command::new(&python).args(["-c", script, format, arg(&file)]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let theirs: BTreeMap<String, (u64, f64, f64)> = serde_json::from_slice(&output.stdout).unwrap();
        let ours = fonds(&["inlinks", "hosts", workspace(), "--limit", "100000", "--json"]).with_status(0).json_lines();
        assert_eq!(theirs.len(), ours.len());
        for row in ours {
            let (captures, score, ranked) = theirs[row["host"].as_str().unwrap()];
            assert_eq!(captures, row["captures"].as_u64().unwrap());
            let ours = row["pagerank"].as_f64().unwrap();
            assert!((ours - score).abs() < 1e-11 && (ours - ranked).abs() < 1e-8, "{row}: {score} {ranked}");
        }
    }
}

#[test]
fn anchors_are_listed_as_nutch_keeps_them() {
    let dump = fonds(&["inlinks", "anchors", workspace(), "--nutch"]).with_status(0).out;
    let lists = fonds(&["inlinks", "anchors", workspace(), "--nutch", "--json"]).with_status(0).json_lines();
    let pages: Vec<&str> = dump.split_terminator("\n\n").collect();
    assert_eq!(pages.len(), lists.len());
    assert!(pages.len() > 5);
    for (page, list) in pages.iter().zip(&lists) {
        let (url, rows) = page.split_once("\tInlinks:\n").unwrap();
        assert_eq!(list["url"], url);
        let rows: Vec<(&str, &str)> =
            rows.lines().map(|row| row.strip_prefix(" fromUrl: ").unwrap().split_once(" anchor: ").unwrap()).collect();
        let distinct: std::collections::BTreeSet<_> = rows.iter().collect();
        assert_eq!(distinct.len(), rows.len(), "each once: {page}");
        for anchor in list["anchors"].as_array().unwrap() {
            assert!(rows.iter().any(|(_, text)| anchor == text), "{anchor} of {url}");
        }
    }
}

#[test]
fn pages_that_were_never_captured_show_the_verdict_of_today() {
    let rows = fonds(&["inlinks", "uncaptured", workspace(), "--json"]).with_status(0).json_lines();
    assert!(!rows.is_empty());
    for row in &rows {
        let verdict = row["verdict"].as_str().unwrap();
        assert!(verdict.starts_with("ACCEPT ") || verdict.starts_with("REJECT "), "{row}");
        let became = row["last_crawl"].as_str().unwrap();
        assert!(!became.contains("ACCEPT") && row["first"].as_str() <= row["last"].as_str(), "{row}");
    }
    // Each is the verdict of the tester, and its anchors can be asked for.
    let url = rows[0]["url"].as_str().unwrap();
    let tested = fonds(&["scope", "test", workspace(), "1", url, "--json"]).json_lines();
    let verdict = &tested[0]["verdict"];
    let decision = verdict["decision"].as_str().unwrap().to_uppercase();
    assert_eq!(rows[0]["verdict"], format!("{decision} {}", verdict["rule_name"].as_str().unwrap()));
    let anchors = fonds(&["inlinks", "anchors", workspace(), url, "--json"]).with_status(0).json_lines();
    assert!(rows[0]["anchor"] == "" || anchors.iter().any(|anchor| anchor["text"] == rows[0]["anchor"]), "{anchors:?}");
    fonds(&["inlinks", "uncaptured", workspace(), "--campaign", "none such"]).with_status(2);
}

#[test]
fn pages_are_compared_with_what_others_call_them() {
    let all = fonds(&["inlinks", "check", workspace(), "--all", "--json"]);
    let rows = all.json_lines();
    let findings: Vec<&Value> = rows.iter().filter(|row| row["finding"] == true).collect();
    assert_eq!(all.status, i32::from(!findings.is_empty()));
    assert!(rows.iter().any(|row| row["check"].as_str().unwrap().ends_with("occur on the page")), "{rows:?}");
    let found = fonds(&["inlinks", "check", workspace(), "--json"]).json_lines();
    assert_eq!(found.iter().collect::<Vec<_>>(), findings);
}

#[test]
fn a_file_that_was_not_finished_is_not_there() {
    let dir = tempfile::tempdir().unwrap();
    let (source, out) = (dir.path().join("a.jsonl"), dir.path().join("b.jsonl.gz"));
    // Packed by its beginning, and cut off.
    let whole = crate::archive::gzip("x".repeat(100_000).as_bytes());
    std::fs::write(&source, &whole[..whole.len() / 2]).unwrap();
    assert_ne!(fonds(&["inlinks", "convert", arg(&source), arg(&out)]).status, 0);
    std::fs::write(&out, b"kept").unwrap();
    fonds(&["inlinks", "convert", arg(&source), arg(&out)]).with_status(2).with_message("does not exist yet");
    assert_eq!(std::fs::read(&out).unwrap(), b"kept");
    // An earlier data set stays until the next one is whole.
    assert_ne!(fonds(&["inlinks", "dataset", arg(&dir.path().join("no.warc")), "--out", arg(&out)]).status, 0);
    assert_eq!(std::fs::read(&out).unwrap(), b"kept");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
}
