//! Tests that lost captures are fetched again after a power cut, and that nothing is counted twice.

#![allow(clippy::unwrap_used)]

use super::journey::{campaign, captured, crawl, records, setup, site};
use super::memory_ledger::{MemoryLedger, StoredFate};
use crate::crawl::*;
use crate::jobs::JobCx;
use crate::testing::{ScriptedReply, ScriptedServer, copy_folder};
use crate::warc::read_record_at;
use std::collections::BTreeSet;
use std::path::Path;

/// Asserts that every record that the ledger claims is at its place, under its id.
fn assert_nothing_is_claimed(ledger: &MemoryLedger, folder: &Path) {
    for capture in ledger.captures().into_iter().chain(ledger.kept()) {
        for place in &capture.records {
            let file = folder.join("warcs").join(place.file.rsplit('/').next().unwrap());
            let record = read_record_at(&file, place.span.offset, 1 << 20);
            let record = record.unwrap_or_else(|error| panic!("{}: {error}", capture.url));
            assert_eq!((record.head.record_id().unwrap(), record.span), (place.record_id.clone(), place.span));
        }
    }
}

/// The lines of crawl.log: one for each capture, and one for each other end.
fn assert_lines_are_captures(ledger: &MemoryLedger, folder: &Path) {
    let log = std::fs::read_to_string(folder.join("logs/crawl.log")).unwrap();
    let lines: Vec<_> = log.lines().map(|line| CrawlLogLine::parse(line).unwrap()).collect();
    let mut logged: Vec<_> = lines.iter().map(|line| (line.url.clone(), line.started, line.status)).collect();
    let captures = ledger.captures().into_iter().chain(ledger.kept());
    let mut recorded: Vec<_> =
        captures.map(|capture| (capture.url.to_string(), Some(capture.date), capture.notes.status)).collect();
    recorded.extend(ledger.rows().into_iter().filter_map(|(admission, fate)| match fate {
        StoredFate::Finished(end) if end.capture.is_none() => {
            Some((admission.candidate.url.to_string(), None, end.fetch_status))
        }
        _ => None,
    }));
    logged.sort();
    recorded.sort();
    assert_eq!(logged, recorded);
}

#[test]
fn what_a_power_cut_took_is_fetched_again_wherever_the_file_ends() {
    let server = ScriptedServer::start(site);
    let whole = tempfile::tempdir().unwrap();
    let whole_ledger = MemoryLedger::default();
    let campaign = campaign(&["http://a.example/"]);
    let file = crawl(&campaign, &server, whole.path(), &whole_ledger).files.remove(0);
    let len = std::fs::metadata(&file).unwrap().len();
    let mut ends: Vec<(u64, u64)> = whole_ledger
        .captures()
        .iter()
        .map(|capture| {
            let (first, last) = (capture.records[0].span, capture.records[2].span);
            (first.offset + first.length, last.offset + last.length)
        })
        .collect();
    ends.sort_unstable();
    // Nothing, inside warcinfo, around the ends of responses and captures, between, all; and no file.
    let mut cuts = vec![Some(0), Some(1), Some(100), Some(len - 1), Some(len), None];
    cuts.extend(
        ends.iter().step_by(4).flat_map(|(first, last)| [first - 1, *first, first + 1, last - 1, *last]).map(Some),
    );
    cuts.extend((1..12).map(|part| Some(len * part / 12)));
    for cut in cuts {
        let folder = tempfile::tempdir().unwrap();
        copy_folder(whole.path(), folder.path());
        let closed = folder.path().join("warcs").join(file.file_name().unwrap());
        match cut {
            Some(cut) => {
                let open = closed.with_file_name(format!("{}.open", file.file_name().unwrap().display()));
                std::fs::rename(&closed, &open).unwrap();
                std::fs::OpenOptions::new().write(true).open(&open).unwrap().set_len(cut).unwrap();
            }
            None => std::fs::remove_file(&closed).unwrap(),
        }
        let (ledger, earlier_hits) = (whole_ledger.copy(), server.hits.lock().unwrap().len());
        let report = crawl(&campaign, &server, folder.path(), &ledger);
        let gone = ends.iter().filter(|(_, last)| cut.is_none_or(|cut| *last > cut)).count() as u64;
        assert_eq!(report.recovery.lost, gone, "{cut:?}");
        // A response that is whole is taken over without the rest of its records.
        let torn =
            ends.iter().filter(|(first, last)| cut.is_some_and(|cut| *first <= cut && *last > cut)).count() as u64;
        assert_eq!(report.recovery.captures, torn, "{cut:?}");
        assert_eq!(server.hits.lock().unwrap().len() - earlier_hits, (gone - torn) as usize, "{cut:?}");
        assert_eq!(captured(&ledger), captured(&whole_ledger), "{cut:?}");
        assert_nothing_is_claimed(&ledger, folder.path());
        assert_lines_are_captures(&ledger, folder.path());
        records(folder.path());
        let events = ledger.events();
        let named: BTreeSet<_> = events
            .iter()
            .filter(|event| event.kind == EventKind::Recovery && !event.url.is_empty())
            .map(|event| &event.url)
            .collect();
        assert_eq!(named.len() as u64, gone, "{events:?}");
        assert_eq!(report.totals.fetched, ends.len() as u64, "{cut:?}");
        // Numbers of files go on, and a launch that goes on again has nothing to put right.
        for file in report.files {
            assert!(file.to_string_lossy().ends_with("-00002.warc.gz") || cut.is_none_or(|cut| cut < 400), "{file:?}");
        }
        let report = crawl(&campaign, &server, folder.path(), &ledger);
        assert_eq!((report.recovery.lost, report.recovery.captures), (0, 0), "{cut:?}");
        assert_lines_are_captures(&ledger, folder.path());
    }
}

#[test]
fn a_revisit_without_the_record_that_has_its_links_is_fetched_again() {
    let server = ScriptedServer::start(site);
    let (first, second, killed) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let earlier = MemoryLedger::default();
    let campaign = campaign(&["http://a.example/"]);
    crawl(&campaign, &server, first.path(), &earlier);
    let whole = MemoryLedger::after(&earlier);
    let file = crawl(&campaign, &server, second.path(), &whole).files.remove(0);
    let seed = whole.captures().into_iter().find(|capture| capture.url.path() == "/").unwrap();
    assert!(seed.revisit_of.is_some() && !seed.notes.outlinks.is_empty(), "{seed:?}");
    // Killed behind the revisit, before its request and metadata; only the seed is known by then.
    let end = seed.records[0].span.offset + seed.records[0].span.length;
    let bytes = std::fs::read(&file).unwrap();
    let open = killed.path().join("warcs").join(format!("{}.open", file.file_name().unwrap().display()));
    std::fs::create_dir_all(open.parent().unwrap()).unwrap();
    std::fs::write(&open, &bytes[..usize::try_from(end).unwrap()]).unwrap();
    let ledger = MemoryLedger::after(&earlier);
    ledger.admit(whole.rows().into_iter().map(|(row, _)| row).filter(|row| row.candidate.is_seed).collect()).unwrap();
    let report = crawl(&campaign, &server, killed.path(), &ledger);
    assert!(report.recovery.captures > 0, "{:?}", report.recovery);
    assert_eq!(captured(&ledger), captured(&whole));
    assert!(ledger.kept().iter().any(|capture| capture.url.path() == "/"), "what was whole of it is kept, too");
    assert_lines_are_captures(&ledger, killed.path());
    records(killed.path());
}

#[test]
fn a_file_of_zeros_does_not_keep_a_crawl_from_going_on() {
    let server = ScriptedServer::start(site);
    let folder = tempfile::tempdir().unwrap();
    let ledger = MemoryLedger::default();
    let campaign = campaign(&["http://a.example/"]);
    let file = crawl(&campaign, &server, folder.path(), &ledger).files.remove(0);
    let (before, zeros) = (captured(&ledger), vec![0; 5000]);
    std::fs::remove_file(&file).unwrap();
    std::fs::write(folder.path().join("warcs").join(format!("{}.open", file.file_name().unwrap().display())), &zeros)
        .unwrap();
    let report = crawl(&campaign, &server, folder.path(), &ledger);
    assert_eq!((report.recovery.lost, captured(&ledger)), (before.len() as u64, before));
    assert!(report.recovery.problems[0].contains("the file is kept as"), "{:?}", report.recovery);
    let kept = folder.path().join("warcs").join(format!("{}.open.unreadable", file.file_name().unwrap().display()));
    assert_eq!(std::fs::read(kept).unwrap(), zeros);
    assert_nothing_is_claimed(&ledger, folder.path());
}

#[test]
fn lines_that_a_kill_left_out_are_added_and_none_is_there_twice() {
    let server = ScriptedServer::start(|host, path| match path {
        "/" => ScriptedReply::html("<a href=/dead>d</a><a href=/secret/x>no</a><a href=/old>old</a><a href=/p1>1</a>"),
        "/dead" => ScriptedReply::raw(""),
        path => site(host, path),
    });
    let folder = tempfile::tempdir().unwrap();
    let ledger = MemoryLedger::default();
    let campaign = campaign(&["http://a.example/"]);
    crawl(&campaign, &server, folder.path(), &ledger);
    assert_lines_are_captures(&ledger, folder.path());
    let path = folder.path().join("logs/crawl.log");
    let whole = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    assert!(whole.contains(" -9998 ") && whole.contains("-3 "), "{whole}");
    for left_out in 0..lines.len() {
        let mut left = lines.clone();
        left.remove(left_out);
        std::fs::write(&path, left.join("\n") + "\n").unwrap();
        crawl(&campaign, &server, folder.path(), &ledger);
        assert_lines_are_captures(&ledger, folder.path());
    }
    std::fs::write(&path, "").unwrap();
    crawl(&campaign, &server, folder.path(), &ledger);
    assert_lines_are_captures(&ledger, folder.path());
}

#[test]
fn limits_count_what_earlier_runs_did() {
    let server = ScriptedServer::start(site);
    let folder = tempfile::tempdir().unwrap();
    let ledger = MemoryLedger::default();
    let mut campaign = campaign(&["http://a.example/"]);
    campaign.limits.max_bytes = 1500;
    let stats = CrawlStats::default();
    let report = run_crawl(&setup(&campaign, &server, folder.path()), &ledger, &stats, &JobCx::detached()).unwrap();
    let CrawlEnd::Limit(_) = report.end else { panic!("{:?}", report.end) };
    let bytes: u64 = ledger.captures().iter().map(|capture| capture.payload_len).sum();
    assert_eq!(report.totals.bytes, bytes);
    // The same limit again: nothing more is fetched, and the figures are the same.
    let before = captured(&ledger);
    let report = crawl(&campaign, &server, folder.path(), &ledger);
    assert!(matches!(report.end, CrawlEnd::Limit(_)));
    assert_eq!((captured(&ledger), report.totals.bytes), (before, bytes));
}

#[test]
fn no_line_comes_twice_where_the_ledger_lost_its_last_commits() {
    let server = ScriptedServer::start(site);
    let folder = tempfile::tempdir().unwrap();
    let campaign = campaign(&["http://b.example/", "http://nowhere.invalid/"]);
    let whole = MemoryLedger::default();
    crawl(&campaign, &server, folder.path(), &whole);
    let lines = |name: &str| {
        let log = std::fs::read_to_string(folder.path().join("logs").join(name)).unwrap();
        let mut lines: Vec<String> = log.lines().map(|line| line[24..].to_owned()).collect();
        lines.sort();
        lines
    };
    let (ends, decisions) = (lines("crawl.log"), lines("scope.log"));
    // All that the catalogue's own log had is gone; files and logs are there.
    let ledger = MemoryLedger::default();
    let earlier_hits = server.hits.lock().unwrap().len();
    crawl(&campaign, &server, folder.path(), &ledger);
    let found = |ledger: &MemoryLedger| {
        let mut urls = captured(ledger);
        urls.retain(|url| !url.ends_with("/robots.txt"));
        urls
    };
    assert_eq!(found(&ledger), found(&whole));
    // robots.txt alone is fetched again: the crawl needs its rules.
    let again: Vec<String> = server.hits.lock().unwrap()[earlier_hits..].to_vec();
    assert!(again.iter().all(|hit| hit.ends_with("/robots.txt")), "{again:?}");
    assert_eq!(lines("scope.log"), decisions);
    let pages = |lines: &[String]| lines.iter().filter(|line| !line.contains("robots.txt")).count();
    let now = lines("crawl.log");
    assert_eq!(pages(&now), pages(&ends), "{now:?} {ends:?}");
}
