//! Reports of the scope for an archivist: effects of an edited list, hosts that
//! only geolocation let in, the logs of a crawl.

use crate::archive::files_under;
use crate::program::{arg, fonds, fonds_with};
use crate::sample::demo;
use fonds::campaign::Campaign;
use fonds::jobs::JobCx;
use fonds::store::Workspace;
use fonds::work;
use fonds::work::CrawlStart;
use fonds::work::models::{CampaignId, MovedSide, SeenQuery, WhatIf, WhatIfList};
use fonds::work::{Session, Workspaces};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const GEO_HOSTS: [&str; 3] = ["diaspora.example", "estaleiro-gaivota.example", "roteiro.example"];

/// Whether hosts of the sample web have addresses of their own here.
fn has_countries() -> bool {
    let fallback = fonds::work::sample::SampleWeb::start(fonds::work::sample::Edition::First).unwrap().fallback();
    if fallback {
        println!("skipped: this system has one loopback address only, so no host has a country");
    }
    !fallback
}

fn campaign_of(workspace: &str) -> Value {
    serde_json::from_str(&fonds(&["campaign", "export", workspace, "1"]).with_status(0).out).unwrap()
}

#[test]
fn an_edited_list_is_tried_without_a_network() {
    let workspace = arg(&demo().report.workspace);
    let campaign = campaign_of(workspace);
    let what_if = |edited: &Value, more: &[&str]| {
        let args = [&["scope", "what-if", workspace, "1", "-", "--json"], more].concat();
        fonds_with(&args, edited.to_string().as_bytes()).with_status(0).json_lines()
    };
    let same = what_if(&campaign, &[]).remove(0);
    assert!(same["seen"].as_u64().unwrap() > 100, "{same}");
    assert_eq!((&same["moved_in"]["urls"], &same["moved_out"]["urls"]), (&json!(0), &json!(0)), "{same}");
    // Fewer hops throw out what was further away, and nothing else.
    let mut near = campaign["rules"].clone();
    let hops = near.as_array_mut().unwrap().iter_mut().find(|rule| rule["rule"] == "too_many_hops").unwrap();
    hops["max_hops"] = json!(2);
    let figures = what_if(&near, &[]).remove(0);
    let out = what_if(&near, &["--list", "out"]);
    assert!(!out.is_empty() && out.len() as u64 == figures["moved_out"]["urls"].as_u64().unwrap(), "{figures}");
    for row in &out {
        assert!(
            row["hops"].as_str().unwrap().len() > 2 && row["after"]["rule_name"] == "TooManyHopsDecideRule",
            "{row}"
        );
    }
    assert!(what_if(&near, &["--list", "in"]).is_empty());
    fonds(&["scope", "what-if", workspace, "1", "none.json"]).with_status(2).with_message("none.json");
    fonds_with(&["scope", "what-if", workspace, "1", "-"], b"[{\"rule\": \"no_such\"}]")
        .with_status(2)
        .with_message("no_such");
    fonds_with(&["scope", "what-if", workspace, "1", "-", "--launch", "1"], b"[]")
        .with_status(2)
        .with_message("it has: ");
    fonds_with(&["scope", "what-if", workspace, "1", "-", "--by-rule", "9"], b"[{\"rule\": \"accept_all\"}]")
        .with_status(2)
        .with_message("the edited list has 1 rules, counted from 0; there is no rule 9");
}

#[test]
fn every_rule_shows_how_often_it_matched() {
    let workspace = arg(&demo().report.workspace);
    let rows = fonds(&["scope", "hits", workspace, "1", "--json"]).with_status(0).json_lines();
    assert_eq!(rows.len(), campaign_of(workspace)["rules"].as_array().unwrap().len());
    let number = |row: &Value, key: &str| row[key].as_u64().unwrap();
    for row in &rows {
        assert!(number(row, "decided") <= number(row, "spoke"), "{row}");
        assert_eq!(row["example"].is_string(), number(row, "spoke") > 0, "{row}");
    }
    assert!(number(&rows[0], "spoke") >= rows.iter().map(|row| number(row, "decided")).max().unwrap());
}

#[test]
fn hosts_let_in_by_geolocation_are_in_report_log_and_drift() {
    if !has_countries() {
        return;
    }
    let report = &demo().report;
    let workspace = arg(&report.workspace);
    let rows = fonds(&["scope", "geo", workspace, "1", "--json"]).with_status(0).json_lines();
    let hosts: Vec<&str> = rows.iter().map(|row| row["host"].as_str().unwrap()).collect();
    for host in GEO_HOSTS {
        let row = rows.iter().find(|row| row["host"] == host).unwrap_or_else(|| panic!("{host}: {hosts:?}"));
        assert!(row["captures"].as_u64().unwrap() > 0 && row["bytes"].as_u64().unwrap() > 0, "{row}");
    }
    for host in ["postcards.example", "praias.example", "biblioteca.vilanova.example"] {
        assert!(!hosts.contains(&host), "{hosts:?}");
    }
    for row in &rows {
        assert_eq!(row["evidence"]["addresses"][0]["country"], "PT", "{row}");
        assert_eq!(row["evidence"]["source"], "override", "{row}");
    }
    let csv = fonds(&["scope", "geo", workspace, "1", "--csv"]).with_status(0).out;
    assert!(csv.starts_with("host,urls,captures,bytes,addresses,") && csv.lines().count() == rows.len() + 1, "{csv}");
    // The log of the same crawl names the same hosts.
    let logs: Vec<_> = files_under(&report.workspace.join("output/logs"))
        .into_iter()
        .filter(|path| path.ends_with("scope.log"))
        .collect();
    let mut args = vec!["scope", "report", "--json"];
    let paths: Vec<String> =
        logs.iter().map(|path| report.workspace.join("output/logs").join(path).display().to_string()).collect();
    args.extend(paths.iter().map(String::as_str));
    let logged = fonds(&args).with_status(0).json_lines();
    let logged: BTreeSet<&str> = logged.iter().map(|row| row["host"].as_str().unwrap()).collect();
    assert_eq!(logged, hosts.into_iter().collect());
    args.extend(["--own-tld", "example", "--totals"]);
    let totals = fonds(&args).with_status(0).json_lines().remove(0);
    assert_eq!((&totals["hosts"], &totals["unread"]), (&json!(0), &json!(0)), "{totals}");
    // The database they were decided with moves nobody.
    let own = report.workspace.join("sample-geo.mmdb");
    fonds(&["scope", "drift", workspace, "1", "--geo", arg(&own)]).with_status(0).with_message("0 hosts change sides");
    let drift = fonds(&["scope", "drift", workspace, "1", "--geo", arg(&own), "--csv"]).with_status(0).out;
    assert!(drift.starts_with("host,urls_in,urls_out,old_addresses,") && drift.lines().count() == 1, "{drift}");
    fonds(&["scope", "drift", workspace, "1", "--geo", arg(&logs[0])]).with_status(2);
}

#[test]
fn lines_that_are_no_decisions_are_reported() {
    let log = b"2014-11-05T10:17:39.790Z 4 ExternalGeoLocationDecideRule ACCEPT http://=cmd.example:80/\nnonsense\n\
        2014-11-05T10:17:39.790Z 4 ExternalGeoLocationDecideRule ACCEPT http://www.jaymoy.com:8080/\n";
    let output = fonds_with(&["scope", "report", "-", "--own-tld", "uk", "--csv"], log).with_status(1);
    assert!(output.out.contains("\r\nwww.jaymoy.com,1,http://www.jaymoy.com:8080/\r\n"), "{}", output.out);
    assert!(!output.out.lines().any(|line| line.starts_with('=')), "{}", output.out);
    assert!(output.err.contains("standard input, line 2"), "{}", output.err);
    fonds_with(&["scope", "report", "-", "--own-tld", "u k"], b"").with_status(2).with_message("no domain");
    fonds(&["scope", "report", "nowhere.log"]).with_status(2).with_message("nowhere.log");
}

#[test]
fn a_report_names_the_hosts_that_a_pipeline_over_the_log_names() {
    let geo = "ExternalGeoLocationDecideRule";
    let mut log = String::new();
    for n in 0..300 {
        let host = format!("www{}.host{}.{}", n % 3, n % 41, ["com", "co.uk", "org", "uk"][n % 4]);
        let rule = if n % 5 == 0 { "SurtPrefixedDecideRule" } else { geo };
        let decision = if n % 7 == 0 { "REJECT" } else { "ACCEPT" };
        log.push_str(&format!("2014-11-05T10:17:39.790Z 4 {rule} {decision} http://{host}/page/{n}\n"));
        // Names that were only looked up: those of pages, and others.
        log.push_str(&format!("2014-11-05T10:17:39.790Z 4 {geo} ACCEPT dns:{host}\n"));
        log.push_str(&format!("2014-11-05T10:17:39.790Z 12 PrerequisiteAcceptDecideRule ACCEPT dns:only{n}.com\n"));
        log.push_str(&format!("2014-11-05T10:17:39.790Z 4 {geo} ACCEPT dns:looked-up{n}.com\n"));
    }
    let hosts = |args: &[&str]| -> BTreeSet<String> {
        let mut all = vec!["scope", "report", "-", "--own-tld", "uk", "--json"];
        all.extend(args);
        let rows = fonds_with(&all, log.as_bytes()).with_status(0).json_lines();
        rows.iter().map(|row| row["host"].as_str().unwrap().to_owned()).collect()
    };
    let expected: BTreeSet<String> = log
        .lines()
        .filter_map(|line| line.split_once(&format!("{geo} ACCEPT http://")))
        .map(|(_, url)| url.split('/').next().unwrap().to_owned())
        .filter(|host| !host.ends_with(".uk"))
        .collect();
    assert!(expected.len() > 50, "{expected:?}");
    assert_eq!(hosts(&[]), expected);
    assert_eq!(hosts(&["--with-dns"]).len(), expected.len() + 300 + other_hosts(&log, &expected));
    assert_eq!(hosts(&["--rule", "PrerequisiteAcceptDecideRule"]), BTreeSet::new());
    let totals = |args: &[&str]| {
        let mut all = vec!["scope", "report", "-", "--own-tld", "uk", "--totals", "--json"];
        all.extend(args);
        fonds_with(&all, log.as_bytes()).with_status(0).json_lines().remove(0)
    };
    let (without, with) = (totals(&[]), totals(&["--with-dns"]));
    assert_eq!((&without["lines"], &without["dns"], &with["dns"]), (&json!(1200), &json!(900), &json!(900)));
    let decisions = |totals: &Value| totals["accepted"].as_u64().unwrap() + totals["rejected"].as_u64().unwrap();
    assert_eq!((decisions(&without), decisions(&with)), (300, 1200));

    // The command line itself, where there is a shell.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scope.log");
    std::fs::write(&path, &log).unwrap();
    let pipeline = format!(
        "grep '{geo} ACCEPT http' \"$1\" | sed -E 's|^.* ACCEPT https?://([^/:?#]+).*$|\\1|' | grep -v '\\.uk$' | sort -u"
    );
    match std::process::Command::new("sh").args(["-c", &pipeline, "sh", arg(&path)]).output() {
        Ok(output) => {
            let found: BTreeSet<String> =
                String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
            assert_eq!(found, expected);
        }
        Err(error) => println!("skipped: no shell here ({error})"),
    }
}

/// Hosts outside the own domain that were looked up and of which no page was let in.
fn other_hosts(log: &str, let_in: &BTreeSet<String>) -> usize {
    let names = log.lines().filter_map(|line| line.split_once("ExternalGeoLocationDecideRule ACCEPT dns:www"));
    let names: BTreeSet<String> = names.map(|(_, rest)| format!("www{rest}")).collect();
    names.iter().filter(|name| !name.ends_with(".uk") && !let_in.contains(*name)).count()
}

/// Crawls the sample web's first edition with these rules.
fn crawled(folder: &Path, edit: impl FnOnce(&mut Campaign)) -> Session {
    let session = Workspaces::new().open_sample(folder).unwrap().1;
    let mut campaign = session.catalogue().campaign_page(CampaignId::new(1)).unwrap().campaign;
    edit(&mut campaign);
    let (_, version) = session.save_campaign(Some(CampaignId::new(1)), &campaign).unwrap();
    session.run_crawl(CrawlStart { campaign: CampaignId::new(1), version, fresh: false }, &JobCx::detached()).unwrap();
    drop(session);
    Session::new(Workspace::open_read_only(folder).unwrap())
}

/// Every URL by the way it was found, with what became of it.
fn decisions(session: &Session) -> BTreeMap<(String, String), String> {
    let launch = session.catalogue().last_launch(None).unwrap().unwrap();
    let rows = session.catalogue().seen(&SeenQuery::of_launch(launch.id, "all")).unwrap().rows;
    rows.into_iter().map(|row| ((row.url, row.hops), row.decision)).collect()
}

#[test]
fn what_if_agrees_with_a_crawl_under_the_edited_rules() {
    let folder = tempfile::tempdir().unwrap();
    let edit = |campaign: &mut Campaign| {
        let rules = campaign.rules.iter_mut();
        for rule in rules {
            match rule["rule"].as_str() {
                Some("too_many_hops") => rule["max_hops"] = json!(2),
                Some("geolocation" | "robots") => rule["enabled"] = json!(false),
                _ => {}
            }
        }
    };
    let before = crawled(&folder.path().join("before"), |_| {});
    let (_, mut edited) = before.catalogue().campaign(CampaignId::new(1)).unwrap();
    edit(&mut edited);
    let answer: WhatIf = work::what_if(&before, CampaignId::new(1), None, &edited, &JobCx::detached()).unwrap();
    let mut expected = decisions(&before);
    for (side, decision) in [(MovedSide::In, "ACCEPT"), (MovedSide::Out, "REJECT")] {
        work::what_if_rows(
            &before,
            CampaignId::new(1),
            &edited,
            &answer,
            WhatIfList::Side(side),
            0..u64::MAX,
            &JobCx::detached(),
            |row| {
                let was = expected.insert((row.url.clone(), row.hops), decision.to_owned());
                assert_ne!(was.as_deref(), Some(decision), "{}", row.url);
                Ok(())
            },
        )
        .unwrap();
    }
    assert!(answer.moved_out.urls > 20, "{answer:?}");

    let after = decisions(&crawled(&folder.path().join("after"), edit));
    let mut compared = 0;
    for (found, decision) in &after {
        // What was reached another way, or not at all, is another decision.
        if let Some(expected) = expected.get(found) {
            assert_eq!(decision, expected, "{found:?}");
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared} of {}", after.len());
    println!("{compared} of {} URLs of the second crawl were foreseen", after.len());
}
