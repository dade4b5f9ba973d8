//! One crawl against another, two captures, and what pages lack, from the command line: each number is the number of
//! rows that its filter lists.

use crate::program::{arg, fonds};
use crate::sample::demo;
use serde_json::Value;
use std::path::Path;

fn captures(workspace: &Path, filter: &str) -> u64 {
    let list = ["captures", arg(workspace), "--json", filter];
    fonds(&list).with_status(0).json_lines().len() as u64
}

#[test]
fn changes_of_the_demo_are_counted_by_their_filters() {
    let workspace = &demo().report.workspace;
    let pages = fonds(&["changes", arg(workspace), "1", "--json"]).with_status(0).json_lines();
    assert!(pages.len() > 20);
    let has = |page: &Value, change: &str| page["changes"].as_array().unwrap().iter().any(|of| of == change);
    let hosts = fonds(&["changes", arg(workspace), "1"]).with_status(0).out;
    for (column, change) in (1..).zip(["new", "gone", "changed", "failing"]) {
        let count = pages.iter().filter(|page| has(page, change)).count() as u64;
        assert_eq!(captures(workspace, &format!("since:{change}")), count, "{change}");
        for line in hosts.lines() {
            let cells: Vec<&str> = line.split('\t').collect();
            let of_host = captures(workspace, &format!("since:{change} host={}", cells[0]));
            assert_eq!(cells[column], of_host.to_string(), "{change} of {line}");
        }
    }
    for page in &pages {
        let (before, after) = (page["before_status"].as_i64(), page["after_status"].as_i64());
        match page["change"].as_str().unwrap() {
            "new" => assert!(before.is_none() && after == Some(200), "{page}"),
            "gone" => assert!(before == Some(200) && after.is_none_or(|status| [404, 410].contains(&status)), "{page}"),
            "failing" => assert!(before == Some(200) && after.is_none_or(|status| status >= 400), "{page}"),
            _ => assert!(before.is_some() && after.is_some(), "{page}"),
        }
    }
    // The launches by name, and the other way round.
    let launches = fonds(&["launches", arg(workspace), "--json"]).with_status(0).json_lines();
    let name = |at: usize| launches[at]["launch"].as_str().unwrap().to_owned();
    let (before, after) = (name(1), name(0));
    let named = ["changes", arg(workspace), "1", "--launch", &before, "--against", &after, "--json"];
    assert_eq!(fonds(&named).with_status(0).json_lines(), pages);
    let back = ["changes", arg(workspace), "1", "--launch", &after, "--against", &before, "--json"];
    let back = fonds(&back).with_status(0).json_lines();
    let gone = back.iter().filter(|page| has(page, "gone")).count() as u64;
    assert_eq!(captures(workspace, &format!("since:gone@{after}..{before}")), gone);
    fonds(&["changes", arg(workspace), "1", "--launch", "20000101000000"]).with_status(2);
    fonds(&["captures", arg(workspace), "since:sometimes"]).with_status(2);
}

#[test]
fn two_captures_of_the_demo_are_compared_and_what_it_lacks_is_listed() {
    let workspace = &demo().report.workspace;
    let pages = fonds(&["changes", arg(workspace), "1", "--json"]).with_status(0).json_lines();
    let changed = pages.iter().find(|page| page["change"] == "changed" && page["after_status"] == 200).unwrap();
    let (before, after) = (changed["before_capture"].to_string(), changed["after_capture"].to_string());
    let by_number = fonds(&["diff", arg(workspace), &before, &after, "--json"]).with_status(0).json_lines().remove(0);
    let by_url = ["diff", arg(workspace), changed["url"].as_str().unwrap(), "--json"];
    assert_eq!(fonds(&by_url).with_status(0).json_lines().remove(0), by_number);
    assert_eq!(by_number["is_same_payload"], false);
    let same = fonds(&["diff", arg(workspace), &after, &after, "--json"]).with_status(0).json_lines().remove(0);
    assert_eq!((&same["is_same_payload"], &same["text"]["added_words"]), (&Value::Bool(true), &Value::from(0)));
    fonds(&["diff", arg(workspace), &before]).with_status(2);
    fonds(&["diff", arg(workspace), "http://never.example/"]).with_status(2);
    // Each hole is one that replay would miss, too: no capture of it shows anything.
    for hole in fonds(&["patch", arg(workspace), "1", "--list", "--json"]).with_status(0).json_lines() {
        let filter = format!("key:{} status<400", hole["url"].as_str().unwrap());
        assert_eq!(captures(workspace, &filter), 0, "{hole}");
    }
}
