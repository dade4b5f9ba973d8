//! The main job on the sample web: its messages agree with the files on disk.

use crate::archive::copy_folder;
use crate::archive::{assert_sound, field, records, warcs_under};
use crate::sample::demo;
use fonds::crawl::CrawlLogLine;
use fonds::jobs::JobCx;
use fonds::store::Workspace;
use fonds::uri::{CaptureDate, PageKey};
use fonds::warc::{Record, RecordType};
use fonds::work;
use fonds::work::Session;
use fonds::work::models::{CaptureQuery, CaptureTab, LaunchRow, LaunchState, SeenQuery, SeenRow};
use fonds::work::sample::run_demo;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

const DAY_MS: i64 = 86_400_000;
const ALL: u64 = 100_000;

/// A session on the finished demo.
fn session() -> Session {
    Session::new(Workspace::open_or_read_only(&demo().report.workspace).unwrap())
}

fn query(filter: &str, tab: CaptureTab) -> CaptureQuery {
    CaptureQuery { filter: filter.to_owned(), tab, limit: ALL, ..work::everything() }
}

/// Whether a date lies in a launch; the launches of the demo lie months apart.
fn is_of(launch: &LaunchRow, date: CaptureDate) -> bool {
    (date.millis() - launch.started.millis()).abs() < 10 * DAY_MS
}

fn is_capture(record: &Record) -> bool {
    matches!(record.head.record_type, RecordType::Response | RecordType::Revisit)
}

#[test]
fn the_catalogue_holds_exactly_the_captures_of_the_warc_files() {
    let report = &demo().report;
    let files = warcs_under(&report.workspace.join("output"));
    assert_eq!(files.len() as u64, report.launches, "{files:?}");
    let mut on_disk = BTreeSet::new();
    let mut revisits = 0;
    for file in &files {
        assert_sound(file);
        for record in records(file).iter().filter(|record| is_capture(record)) {
            let date = record.head.date().unwrap().to_digits14();
            assert!(on_disk.insert((record.head.target_uri().unwrap(), date)), "{:?} twice", record.head.target_uri());
            revisits += u64::from(record.head.record_type == RecordType::Revisit);
        }
    }
    let rows = session().catalogue().captures(&query("", CaptureTab::All)).unwrap();
    let known: BTreeSet<_> = rows.rows.iter().map(|row| (row.url.clone(), row.date.to_digits14())).collect();
    assert_eq!(known, on_disk);
    assert_eq!(report.captures, rows.total);
    assert_eq!(report.captures as usize, on_disk.len());
    assert_eq!(report.revisits, revisits);
    assert!(report.captures > 400 && report.revisits > 100, "{report:?}");
    assert_eq!(rows.rows.iter().filter(|row| row.revisit).count() as u64, revisits);
}

#[test]
fn every_fetched_url_has_its_line_in_the_crawl_log() {
    let session = session();
    for launch in session.catalogue().launches(None).unwrap() {
        assert_eq!((launch.state, launch.queued), (LaunchState::Finished, 0));
        let folder = session.workspace.folder().join("output/logs");
        let log = crate::archive::files_under(&folder)
            .into_iter()
            .find(|path| path.ends_with(format!("{}/crawl.log", launch.launch)))
            .unwrap();
        let lines: Vec<CrawlLogLine> =
            std::fs::read_to_string(&log).unwrap().lines().map(|line| CrawlLogLine::parse(line).unwrap()).collect();
        let fetched = lines.iter().filter(|line| line.status > 0).count() as u64;
        assert_eq!(fetched, launch.fetched, "{}", log.display());
        // The dates of a launch agree with its name.
        let begun = CaptureDate::parse(&launch.launch).unwrap();
        for line in &lines {
            let days = (line.logged.millis() - begun.millis()) / DAY_MS;
            assert_eq!(days, 0, "{} is logged {days} days off its launch", line.url);
        }
    }
}

#[test]
fn every_refused_url_is_counted_once_and_can_be_explained() {
    let report = &demo().report;
    let by_rule: u64 = report.refused_by_rule.iter().map(|(_, urls)| urls).sum();
    assert_eq!(by_rule, report.refused);
    let session = session();
    let captures = session.catalogue().captures(&query("", CaptureTab::All)).unwrap().rows;
    let captures: Vec<_> = captures.into_iter().map(|row| (row.url, row.date)).collect();
    // Each URL as the last launch that saw it decided.
    let mut last: BTreeMap<String, String> = BTreeMap::new();
    for launch in session.catalogue().launches(None).unwrap() {
        let all = session.catalogue().seen(&SeenQuery::of_launch(launch.id, "")).unwrap().rows;
        all.iter().for_each(|row| drop(last.remove(&row.url)));
        let rows: Vec<SeenRow> = session.catalogue().seen(&SeenQuery::of_launch(launch.id, "refused")).unwrap().rows;
        assert_eq!(rows.len() as u64, launch.refused);
        for row in rows {
            last.insert(row.url.clone(), row.rule.clone());
            let trace = fonds::work::why(&session, row.id).unwrap();
            assert_eq!(
                (trace.verdict.rule_name.as_str(), row.decision.as_str()),
                (row.rule.as_str(), "REJECT"),
                "{row:?}"
            );
            assert_eq!(trace.verdict.decision.as_str(), "REJECT", "{row:?}");
            let deciding: Vec<_> = trace.steps.iter().filter(|step| step.deciding).collect();
            assert_eq!(deciding.len(), 1, "{trace:?}");
            assert!(!deciding[0].tested.is_empty() && !deciding[0].words.is_empty(), "{trace:?}");
            let taken = captures.iter().any(|(url, date)| *url == row.url && is_of(&launch, *date));
            assert!(!taken, "{} was refused and taken", row.url);
        }
    }
    let mut counted: BTreeMap<String, u64> = BTreeMap::new();
    last.values().for_each(|rule| *counted.entry(rule.clone()).or_default() += 1);
    assert_eq!(last.len() as u64, report.refused);
    assert_eq!(counted, report.refused_by_rule.iter().cloned().collect::<BTreeMap<_, _>>());
    for rule in ["RobotsDecideRule", "TooManyHopsDecideRule", "PathologicalPathDecideRule"] {
        assert!(counted.contains_key(rule), "the sample web has something for {rule}: {counted:?}");
    }
}

#[test]
fn the_scope_log_agrees_with_the_catalogue() {
    let session = session();
    for launch in session.catalogue().launches(None).unwrap() {
        let refused = session.catalogue().seen(&SeenQuery::of_launch(launch.id, "refused")).unwrap().rows;
        let refused: BTreeSet<(String, String)> = refused.into_iter().map(|row| (row.url, row.rule)).collect();
        let log = crate::archive::files_under(&session.workspace.folder().join("output/logs"))
            .into_iter()
            .find(|path| path.ends_with(format!("{}/scope.log", launch.launch)))
            .unwrap();
        let text = std::fs::read_to_string(&log).unwrap();
        let mut logged = BTreeSet::new();
        for line in text.lines() {
            let columns: Vec<&str> = line.splitn(6, ' ').collect();
            assert!(columns[0].ends_with('Z') && CaptureDate::parse(columns[0]).is_ok(), "{line}");
            // Below zero: taken before any rule is asked, such as robots.txt.
            assert!(columns[1].parse::<i32>().is_ok(), "{line}");
            if columns[3] == "REJECT" {
                logged.insert((columns[4].to_owned(), columns[2].to_owned()));
            }
        }
        assert_eq!(logged, refused);
    }
}

#[test]
fn hosts_that_only_geolocation_lets_in_are_named() {
    let report = &demo().report;
    if fonds::work::sample::SampleWeb::start(fonds::work::sample::Edition::First).unwrap().fallback() {
        println!("skipped: this system has one loopback address only, so no host has a country");
        return;
    }
    for host in ["diaspora.example", "estaleiro-gaivota.example", "roteiro.example"] {
        assert!(report.geo_hosts.iter().any(|found| found == host), "{host}: {:?}", report.geo_hosts);
    }
    for host in ["postcards.example", "praias.example", "biblioteca.vilanova.example"] {
        assert!(!report.geo_hosts.iter().any(|found| found == host), "{host}: {:?}", report.geo_hosts);
    }
    let session = session();
    let rows = session.catalogue().captures(&query("", CaptureTab::GeoOnly)).unwrap().rows;
    assert!(!rows.is_empty());
    for row in rows {
        assert_eq!(row.rule, "ExternalGeoLocationDecideRule", "{row:?}");
        let trace = session.detail(row.id, 90).unwrap().trace.unwrap();
        let step = trace.steps.iter().find(|step| step.deciding).unwrap();
        assert!(step.tested.contains("PT"), "the evidence is missing: {step:?}");
    }
    // Abroad: only what pages of the scope show, and the robots.txt that this needs.
    let abroad = session.catalogue().captures(&query("host:postcards.example", CaptureTab::All)).unwrap().rows;
    assert!(abroad.iter().all(|row| row.hops.ends_with('E') || row.hops.ends_with("EP")), "{abroad:?}");
}

#[test]
fn versions_show_what_changed_between_the_launches() {
    let session = session();
    let changed = session.catalogue().captures(&query("", CaptureTab::Changed)).unwrap();
    assert!(changed.total > 5, "{}", changed.total);
    for row in changed.rows {
        assert!(row.versions >= 2 && !row.revisit, "{row:?}");
        let versions = session.detail(row.id, 90).unwrap().versions;
        assert_eq!(versions.len() as u64, row.versions);
        assert!(versions.is_sorted_by_key(|version| version.date));
        let days = (versions.last().unwrap().date.millis() - versions[0].date.millis()) / DAY_MS;
        assert!(days >= 99, "the launches lie {days} days apart");
    }
}

#[test]
fn the_window_keeps_the_launches_apart() {
    let session = session();
    let launches = session.catalogue().launches(None).unwrap();
    let first = launches.iter().map(|launch| launch.started).min().unwrap();
    let page = "http://biblioteca.vilanova.example/";
    let rows = session.catalogue().captures(&query("host:biblioteca.vilanova.example", CaptureTab::All)).unwrap().rows;
    let mut captures: Vec<_> = rows.into_iter().filter(|row| row.url == page).collect();
    captures.sort_by_key(|row| row.date);
    assert_eq!(captures.len(), 2, "captured by both launches");
    let of_launch = |date: CaptureDate| usize::from(date.millis() - first.millis() > 50 * DAY_MS);
    for (number, capture) in captures.iter().enumerate() {
        assert_eq!(of_launch(capture.date), number);
        let inlinks = session.workspace.inlinks_of_capture(capture.id, 90).unwrap();
        assert!(inlinks.built);
        for row in &inlinks.rows {
            assert_eq!(row.in_window, of_launch(row.date) == number, "{row:?}");
        }
        let inside = inlinks.rows.iter().filter(|row| row.in_window);
        let (internal, external): (Vec<_>, Vec<_>) = inside.partition(|row| row.internal);
        assert_eq!((internal.len() as u64, external.len() as u64), (inlinks.internal, inlinks.external));
        assert!(inlinks.internal > 0 && inlinks.external > 0);
        assert_eq!(
            (capture.inlinks_internal, capture.inlinks_external),
            (Some(inlinks.internal), Some(inlinks.external))
        );
        let hosts: HashSet<_> = external.iter().map(|row| &row.source_host).collect();
        assert_eq!(capture.inlink_hosts, Some(hosts.len() as u64));
        assert!(inlinks.rows.iter().any(|row| !row.in_window), "the other launch's links are shown outside");
        // A window that reaches from one launch to the other holds both.
        let wide = session.workspace.inlinks_of_capture(capture.id, 120).unwrap();
        assert!(wide.rows.iter().all(|row| row.in_window));
        assert!(wide.internal > inlinks.internal && wide.external > inlinks.external);
    }
}

#[test]
fn inlinks_and_outlinks_are_the_same_links_seen_from_two_sides() {
    let report = &demo().report;
    assert_eq!(report.inlinks, report.internal + report.external);
    assert!(report.internal > 0 && report.external > 0 && report.uncaptured > 0);
    let session = session();
    let rows = session.catalogue().captures(&query("inlinks.ext>0", CaptureTab::Html)).unwrap().rows;
    assert!(rows.len() > 20);
    for row in rows.iter().take(10) {
        for inlink in session.workspace.inlinks_of_capture(row.id, 90).unwrap().rows {
            let source = inlink.capture.unwrap();
            assert_eq!(session.catalogue().capture_row(source).unwrap().url, inlink.source);
            let outlinks = session.catalogue().outlinks(source).unwrap();
            let same = |url: &str| PageKey::of_text(url) == PageKey::of_text(&row.url);
            assert!(
                outlinks.iter().any(|link| same(&link.url) && link.anchor == inlink.anchor),
                "{} does not link to {} as “{}”",
                inlink.source,
                row.url,
                inlink.anchor
            );
        }
    }
}

#[test]
fn the_export_carries_verdict_score_and_inlinks_of_each_capture() {
    let report = &demo().report;
    assert!(report.verified, "{:?}", report.checks);
    assert!(report.checks.iter().all(|check| check.ok) && report.checks.len() >= 5);
    let files = warcs_under(&report.export);
    files.iter().for_each(|file| assert_sound(file));
    let all: Vec<Record> = files.iter().flat_map(|file| records(file)).collect();
    assert_eq!(all.len() as u64, report.exported_records);
    let by_id: HashMap<String, &Record> =
        all.iter().filter_map(|record| Some((record.head.record_id()?, record))).collect();
    assert_eq!(by_id.len(), all.len(), "record ids are unique");

    let session = session();
    let (mut selected, mut needed) = (0, 0);
    let knowledge = all.iter().filter(|record| {
        record.head.record_type == RecordType::Metadata
            && String::from_utf8_lossy(&record.block).contains("\"selection\"")
    });
    for record in knowledge {
        let refers_to = field(record, "WARC-Refers-To");
        assert_eq!(refers_to, field(record, "WARC-Concurrent-To"));
        let main = by_id[refers_to.trim_matches(['<', '>'])];
        assert!(is_capture(main));
        let known: serde_json::Value = serde_json::from_slice(&record.block).unwrap();
        assert_eq!(known["verdict"]["decision"], "ACCEPT", "{known}");
        assert!(known["verdict"]["rule"].as_str().is_some_and(|rule| rule.ends_with("DecideRule")), "{known}");
        assert_eq!(known["campaign"]["version"], 1);
        match known["selection"]["role"].as_str().unwrap() {
            "selected" => {
                selected += 1;
                let score = known["selection"]["score"].as_f64().unwrap();
                assert!(score >= known["selection"]["threshold"].as_f64().unwrap());
                let parts = known["selection"]["parts"].as_array().unwrap();
                let sum = |of: fn(&serde_json::Value) -> f64| parts.iter().map(of).sum::<f64>();
                let weights = sum(|part| part["weight"].as_f64().unwrap());
                let value = sum(|part| part["weight"].as_f64().unwrap() * part["value"].as_f64().unwrap());
                let explained = [value, value / weights].iter().any(|sum| (sum.clamp(0.0, 1.0) - score).abs() < 1e-6);
                assert!(explained, "the parts do not make the score: {known}");
            }
            "needed by a selected page" => needed += 1,
            other => panic!("nobody decided by hand: {other}"),
        }
        let list = known["inlinks"]["list"].as_array().unwrap();
        assert_eq!(known["inlinks"]["count"], list.len());
        let (url, date) = (main.head.target_uri().unwrap(), main.head.date().unwrap());
        for inlink in list {
            let linked = CaptureDate::parse(inlink["date"].as_str().unwrap()).unwrap();
            assert!((linked.millis() - date.millis()).abs() <= 90 * DAY_MS, "{url}: {inlink} is out of the window");
        }
        // What the window shows is what is carried out.
        let row = session.catalogue().captures(&query(&format!("url:{url}"), CaptureTab::All)).unwrap().rows;
        let row = row.into_iter().find(|row| row.url == url && row.date.to_digits14() == date.to_digits14()).unwrap();
        assert_eq!(
            (known["inlinks"]["countInternal"].as_u64(), known["inlinks"]["countExternal"].as_u64()),
            (row.inlinks_internal, row.inlinks_external),
            "{url}"
        );
    }
    assert_eq!(selected, report.selected);
    assert_eq!(selected + needed, report.exported_captures);
    // A revisit without what it repeats would be an empty page.
    for record in all.iter().filter(|record| record.head.record_type == RecordType::Revisit) {
        let original = field(record, "WARC-Refers-To");
        assert_eq!(by_id[original.trim_matches(['<', '>'])].head.record_type, RecordType::Response);
    }
}

#[test]
fn a_second_call_goes_on_without_a_new_launch() {
    let first = demo();
    let dir = tempfile::tempdir().unwrap();
    copy_folder(&first.folder, dir.path());
    let printed = std::cell::RefCell::new(Vec::new());
    let again = run_demo(dir.path(), &JobCx::detached(), &|line| printed.borrow_mut().push(line)).unwrap();
    let printed = printed.into_inner().join("\n");
    assert!(
        printed.contains("Launch 1 is finished already") && printed.contains("Launch 2 is finished already"),
        "{printed}"
    );
    assert!(again.verified);
    let figures = |report: &fonds::work::sample::DemoReport| {
        let mut value = serde_json::to_value(report).unwrap();
        let fields = value.as_object_mut().unwrap();
        // Places differ; ids and dates of the new export change what it packs to.
        for name in ["workspace", "export", "checks"] {
            fields.remove(name);
        }
        value
    };
    assert_eq!(figures(&again), figures(&first.report));
}
