//! Recovery after a kill or a power cut: torn files are closed, captures on
//! disk that the ledger lacks are taken over, and those in the ledger that
//! are not on disk are fetched again, so that nothing is lost or claimed.

use super::judge::{Judge, Source};
use super::logs::{Logs, decision_key, line_key};
use super::outlink_parts::FurtherOutlinks;
use super::outlinks::followed;
use super::setup::RecoveryReport;
use super::{
    Admission, Admitted, CrawlError, CrawlEvent, CrawlSetup, CrawlStats, EventKind, Finished, Ledger, LostCapture, Plan,
};
use crate::captures::CaptureEntry;
use crate::captures::{Author, index_archive_from};
use crate::crawl::logs::crawl_log::CrawlLogLine;
use crate::crawl::robots::robots_cache::{is_robots_url, origin_of};
use crate::exchange::{fetch_status, file_label};
use crate::jobs::{JobCx, check_readable, counted, panic_message, verb};
use crate::scope::{Candidate, Decision, Verdict};
use crate::uri::{CaptureDate, Clock, Url};
use crate::warc::{ArchiveReader, OPEN_SUFFIX, Span, WarcError, enter_record_in, repair_open_file};
use std::collections::HashSet;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Lines that wait for others at most, so that they are written together.
const LINES_AT_ONCE: usize = 10_000;
/// Lost URLs of a file that have an event each; the event of the file counts all.
const LOST_NAMED: usize = 1000;
/// End of the name of a file that is set aside, since nothing can be read of it.
const UNREADABLE_SUFFIX: &str = ".unreadable";
/// Files of one name that are set aside at most.
const MAX_SET_ASIDE: u32 = 1000;

/// Puts right what a run of this launch left that was killed, or that a power
/// cut ended, and gives the captures that are in its files and not in the
/// ledger.
///
/// Memory holds all captures found; a kill leaves few.
pub(super) fn recover(
    setup: &CrawlSetup,
    ledger: &dyn Ledger,
    logs: &Logs,
    stats: &CrawlStats,
    cx: &JobCx,
) -> Result<(RecoveryReport, Vec<CaptureEntry>), CrawlError> {
    let mut report = RecoveryReport::default();
    close_files(&setup.warc_dir, &mut report)?;
    for problem in &report.problems {
        stats.event(CrawlEvent::new(EventKind::Recovery, problem.clone()));
    }
    report.lost = lose_what_is_gone(setup, ledger, logs, stats)?;
    let reported = report.problems.len();
    let known = |label: &str| Ok(ledger.recorded(label)?);
    let captures = unknown_captures(&setup.warc_dir, &setup.warc_label, known, &mut report, cx)?;
    for problem in &report.problems[reported..] {
        stats.event(CrawlEvent::new(EventKind::Recovery, problem.clone()));
    }
    Ok((report, captures))
}

/// Closes the files that a run left open. One that no record can be read of
/// is set aside, so that it does not keep the crawl from going on.
fn close_files(warc_dir: &Path, report: &mut RecoveryReport) -> Result<(), CrawlError> {
    for open in files_ending(warc_dir, &format!(".warc.gz{OPEN_SUFFIX}"))? {
        let name = open.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let repaired = match repair_open_file(&open) {
            Err(error @ (WarcError::NoRecord { .. } | WarcError::NotArchive { .. })) => {
                let aside = set_aside(&open).map_err(|source| CrawlError::io(&open, source))?;
                let aside = aside.file_name().unwrap_or_default().to_string_lossy().into_owned();
                report.problems.push(format!("{name}: no record can be read ({error}); the file is kept as {aside}"));
                continue;
            }
            repaired => repaired?,
        };
        if let Some(kept) = &repaired.kept {
            report.problems.push(format!("{name}: {kept}"));
        } else if repaired.cut_bytes > 0 {
            report.cut_bytes += repaired.cut_bytes;
            report.problems.push(format!("{name}: {} bytes of a torn record were cut off", repaired.cut_bytes));
        }
        report.files.extend(repaired.file);
    }
    Ok(())
}

/// Gives a file a name that no reader takes for an archive.
fn set_aside(open: &Path) -> std::io::Result<PathBuf> {
    for number in 1..=MAX_SET_ASIDE {
        let mut name = open.as_os_str().to_owned();
        name.push(UNREADABLE_SUFFIX);
        if number > 1 {
            name.push(format!("-{number}"));
        }
        let aside = PathBuf::from(name);
        if !aside.exists() {
            std::fs::rename(open, &aside)?;
            return Ok(aside);
        }
    }
    Err(std::io::ErrorKind::AlreadyExists.into())
}

/// Takes captures out of the ledger whose records are not in the files, and
/// puts their URLs back into the queue. Says how many.
fn lose_what_is_gone(
    setup: &CrawlSetup,
    ledger: &dyn Ledger,
    logs: &Logs,
    stats: &CrawlStats,
) -> Result<u64, CrawlError> {
    let mut count = 0;
    for label in ledger.files()? {
        // A file that was found elsewhere is read from there.
        let file = label.strip_prefix(&setup.warc_label).and_then(|rest| rest.strip_prefix('/'));
        // What else the catalogue may name there is no file of the launch.
        let is_name = |file: &&str| Path::new(file).file_name().is_some_and(|name| name == *file);
        let Some(file) = file.filter(is_name) else { continue };
        let known = ledger.recorded(&label)?;
        let (gone, why) = gone_records(&setup.warc_dir.join(file), &known)?;
        if gone.is_empty() {
            continue;
        }
        let lost = ledger.captures_at(&label, &gone)?;
        count += lost.len() as u64;
        // The log first: a kill in between leaves them in the ledger, to be found again.
        logs.remove_ends(&lost.iter().map(|lost| line_key(lost.url.as_str(), 0, Some(lost.date))).collect())?;
        ledger.lose_captures(&lost)?;
        report_lost(&label, &why, &lost, stats);
    }
    Ok(count)
}

/// The places of records that are not in a file any more, and why.
fn gone_records(file: &Path, known: &[Range<u64>]) -> Result<(Vec<u64>, String), CrawlError> {
    let starts = |of: &[Range<u64>]| of.iter().map(|range| range.start).collect();
    let len = match std::fs::metadata(file) {
        Ok(meta) => meta.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok((starts(known), "the file is missing".to_owned()));
        }
        Err(source) => return Err(CrawlError::io(file, source)),
    };
    let begins = |range: &Range<u64>| is_record(file, range);
    let within = known.partition_point(|range| range.end <= len);
    let (inside, beyond) = known.split_at(within);
    // The end shows whether the bytes are those that were written.
    if inside.first().is_none_or(begins) && inside.last().is_none_or(begins) {
        return Ok((starts(beyond), format!("the file ends at byte {len}")));
    }
    let mut gone: Vec<u64> = inside.iter().filter(|range| !begins(range)).map(|range| range.start).collect();
    gone.extend(beyond.iter().map(|range| range.start));
    Ok((gone, "other bytes stand at their places".to_owned()))
}

/// Whether a record begins and ends at just this place.
fn is_record(file: &Path, range: &Range<u64>) -> bool {
    let span = Span { offset: range.start, length: range.end - range.start };
    let found = enter_record_in(file, span).and_then(|(_, mut reader)| reader.finish_record());
    matches!(found, Ok(Some(found)) if found == span)
}

/// Says what is fetched again, and which decisions went with it.
fn report_lost(label: &str, why: &str, lost: &[LostCapture], stats: &CrawlStats) {
    let text = format!(
        "{label}: {why}. {} of it {} not there and will be fetched again",
        counted(lost.len() as u64, "capture"),
        verb(lost.len() as u64, "is")
    );
    stats.event(CrawlEvent::new(EventKind::Recovery, text));
    for lost in lost.iter().take(LOST_NAMED) {
        let text = format!("The capture of {} is not in its file; it will be fetched again", lost.date.to_readable());
        stats.event(CrawlEvent::new(EventKind::Recovery, text).of_url(&lost.url));
    }
    for lost in lost {
        for decision in &lost.decisions {
            let text = format!("This decision was about a capture that is lost; decide again: {decision}");
            stats.event(CrawlEvent::new(EventKind::Recovery, text).of_url(&lost.url));
        }
    }
}

/// Reads every capture in the files that is not known: `known(label)` gives
/// the places that are, as [`Ledger::recorded`] does. Workers write in one
/// order and report in another, so unknown captures may be between known ones.
fn unknown_captures(
    warc_dir: &Path,
    warc_label: &str,
    known: impl Fn(&str) -> Result<Vec<Range<u64>>, CrawlError>,
    report: &mut RecoveryReport,
    cx: &JobCx,
) -> Result<Vec<CaptureEntry>, CrawlError> {
    let mut captures = Vec::new();
    for file in files_ending(warc_dir, ".warc.gz")? {
        let label = file_label(warc_label, &file);
        let len = std::fs::metadata(&file).map_err(|source| CrawlError::io(&file, source))?.len();
        let known = known(&label)?;
        let from = if len == 0 { 0 } else { first_gap(&file, &known)? };
        if from >= len {
            continue;
        }
        let mut take = |entry: CaptureEntry| {
            let place = entry.records.first().map_or(0, |record| record.span.offset);
            if known.binary_search_by_key(&place, |range| range.start).is_err() {
                captures.push(entry);
            }
            Ok::<_, CrawlError>(())
        };
        let indexed = index_archive_from(&file, from, &label, Author::ThisWorkspace, &mut take, cx)?;
        report.problems.extend(indexed.problems.iter().map(|problem| format!("{label}: {problem}")));
    }
    Ok(captures)
}

/// Offset of the first record that is not known. Files begin with a
/// `warcinfo` record, which belongs to no capture.
fn first_gap(file: &Path, known: &[Range<u64>]) -> Result<u64, CrawlError> {
    let mut reader = ArchiveReader::open(file)?;
    let first = match reader.next_head()? {
        Some(_) => reader.finish_record()?,
        None => None,
    };
    let mut end = first.map_or(0, |span| span.offset + span.length);
    for range in known {
        if range.start > end {
            break;
        }
        end = end.max(range.end);
    }
    Ok(end)
}

fn files_ending(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, CrawlError> {
    let io = |source| CrawlError::io(folder, source);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ending)) {
            check_readable(&path).map_err(|source| CrawlError::io(&path, source))?;
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The instant of the system's clock that is `date` on `clock`.
fn of_system(date: CaptureDate, clock: Clock) -> CaptureDate {
    let behind = CaptureDate::now().millis() - clock.now().millis();
    CaptureDate::from_millis(date.millis().saturating_add(behind))
}

/// Adds the lines of decisions to scope.log that were kept, and that a kill
/// left without one: they are logged when it is known which of them are new.
/// Returns how many. With `is_behind` the ledger lost its newest entries: what
/// the log has of them is not logged again.
pub(super) fn complete_scope_log(
    ledger: &dyn Ledger,
    logs: &Logs,
    clock: Clock,
    is_behind: bool,
) -> Result<u64, CrawlError> {
    let tail = logs.last_decisions()?;
    let mut unknown = if is_behind { tail.keys.clone() } else { HashSet::new() };
    let mut lost: Vec<(Candidate, Verdict, CaptureDate)> = Vec::new();
    let (mut count, mut written) = (0, Ok(()));
    let write = |lost: &mut Vec<(Candidate, Verdict, CaptureDate)>| {
        let result = logs.scope_of(lost.iter().map(|(candidate, verdict, date)| (candidate, verdict, *date)));
        lost.clear();
        result
    };
    let mut keys = tail.keys;
    let mut add = |admission: Admission, date: CaptureDate| {
        let key = decision_key(admission.verdict.decision, admission.candidate.url.as_str());
        unknown.remove(&key);
        if written.is_ok() && !keys.contains(&key) {
            count += 1;
            keys.insert(key);
            lost.push((admission.candidate, admission.verdict, date));
            // Where the log is gone, it is all of a launch.
            if lost.len() >= LINES_AT_ONCE {
                written = write(&mut lost);
            }
        }
    };
    ledger.decided_since(tail.since, &mut |admission| {
        let date = admission.date;
        add(admission, date);
    })?;
    // Refused at their turn, long after they were found.
    ledger.failed_since(of_system(tail.since, clock), &mut |admission, _| {
        if admission.verdict.decision == Decision::Reject {
            add(admission, logs.now());
        }
    })?;
    written?;
    write(&mut lost)?;
    logs.pass_over(unknown);
    Ok(count)
}

/// Adds the lines of URLs to crawl.log that came to their end, and that a kill
/// left without one: they are logged after the ledger has them. Returns how many.
/// A fetch takes `longest_fetch_ms` at most.
///
/// Where the ledger lost entries, because its own log may not have been kept by
/// the disk, the log has more: lines of captures that are `found` in the files
/// stay and are not written again, nor are those of other ends, which come
/// again; those of captures that are nowhere are taken out.
pub(super) fn complete_crawl_log(
    ledger: &dyn Ledger,
    logs: &Logs,
    clock: Clock,
    longest_fetch_ms: i64,
    found: &[CaptureEntry],
) -> Result<u64, CrawlError> {
    let tail = logs.last_ends(None)?;
    let since = match tail.is_empty {
        true => CaptureDate::from_millis(i64::MIN),
        false => CaptureDate::from_millis(tail.since.millis().saturating_sub(longest_fetch_ms)),
    };
    let key_of = |capture: &CaptureEntry| line_key(capture.url.as_str(), 0, Some(capture.date));
    let mut earliest = found.iter().map(|capture| capture.date).fold(since, CaptureDate::min);
    let mut known: HashSet<String> = found.iter().map(key_of).collect();
    ledger.captures_since(since, &mut |capture| {
        earliest = earliest.min(capture.date);
        known.insert(key_of(&capture));
    })?;
    let logged = logs.last_ends(Some(earliest))?.keys;
    let (mut count, mut written) = (0, Ok(()));
    let mut write = |line: CrawlLogLine| {
        if written.is_ok() && !logged.contains(&line_key(&line.url, line.status, line.started)) {
            count += 1;
            written = logs.crawl(&line);
        }
    };
    ledger.captures_since(since, &mut |capture| write(CrawlLogLine::recovered(&capture, logs.now())))?;
    ledger.failed_since(of_system(tail.since, clock), &mut |admission, status| {
        known.insert(line_key(admission.candidate.url.as_str(), status, None));
        let mut line = CrawlLogLine::of(&admission, status, 0, logs.now());
        line.annotations.push("recovered".to_owned());
        write(line);
    })?;
    written?;
    if !found.is_empty() {
        let in_files: HashSet<String> = found.iter().map(key_of).collect();
        let from = since.to_digits17();
        // The query to the ledger reaches back to `since` only.
        let is_in_range = |key: &&String| !starts_with_date(key) || key.as_str() >= from.as_str();
        let unknown = logged.iter().filter(|key| !known.contains(*key)).filter(is_in_range).cloned();
        let (gone, again): (HashSet<String>, HashSet<String>) = unknown.partition(|key| starts_with_date(key));
        if !gone.is_empty() {
            logs.remove_ends(&gone)?;
        }
        logs.pass_over(again.into_iter().chain(in_files.into_iter().filter(|key| logged.contains(key))));
    }
    Ok(count)
}

/// Whether the key of a line is that of a capture, and of no other end.
fn starts_with_date(key: &str) -> bool {
    key.split_once(' ').is_some_and(|(date, _)| date.len() == 17 && date.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Tells the ledger of recovered captures: with them the URLs that still wait
/// come to their end. A robots.txt whose rules were not kept is fetched again
/// nevertheless: the crawl needs the rules, not the record. One that panics is
/// given up with words for `on_panic`, or no run would ever come further.
pub(super) fn take_over(
    captures: Vec<CaptureEntry>,
    ledger: &dyn Ledger,
    judge: &Judge<'_>,
    plan: &Plan,
    logs: &Logs,
    on_panic: &mut dyn FnMut(&Url, String),
) -> Result<u64, CrawlError> {
    let mut taken = 0;
    if captures.is_empty() {
        return Ok(taken);
    }
    let decided = logs.last_decisions()?.keys;
    for capture in captures {
        taken += 1;
        let url = capture.url.clone();
        let whole = catch_unwind(AssertUnwindSafe(|| take_over_one(capture, ledger, judge, plan, logs, &decided)));
        let panic = match whole {
            Ok(result) => {
                result?;
                continue;
            }
            Err(panic) => panic,
        };
        let why = format!("internal error: {}", panic_message(panic.as_ref()));
        if let Some(waiting) = ledger.find_waiting(&url)? {
            let fetch_status = fetch_status::RUNTIME_EXCEPTION;
            ledger.finish(waiting.ended(fetch_status, &why))?;
            logs.crawl(&CrawlLogLine::of(&waiting.admission, fetch_status, 0, logs.now()))?;
        }
        on_panic(&url, why);
    }
    Ok(taken)
}

fn take_over_one(
    mut capture: CaptureEntry,
    ledger: &dyn Ledger,
    judge: &Judge<'_>,
    plan: &Plan,
    logs: &Logs,
    decided: &HashSet<String>,
) -> Result<(), CrawlError> {
    let has_rules = !is_robots_url(&capture.url) || ledger.robots(&origin_of(&capture.url))?.is_some();
    // The links of a revisit are in the record that was torn off, and nowhere
    // else in this file: its URL is fetched again.
    let has_links = capture.revisit_of.is_none() || capture.notes.verdict.is_some();
    let Some(waiting) = ledger.find_waiting(&capture.url)?.filter(|_| has_rules && has_links) else {
        let further = FurtherOutlinks::split(&mut capture);
        let line = CrawlLogLine::recovered(&capture, logs.now());
        ledger.keep_capture(capture)?;
        logs.crawl(&line)?;
        further.store(ledger, || false)?;
        return Ok(());
    };
    let admission = &waiting.admission;
    if capture.notes.verdict.is_none() {
        // The record with the reason for the fetch was torn off.
        capture.notes.hops.clone_from(&admission.candidate.hops);
        capture.notes.via.clone_from(&admission.candidate.via);
        capture.notes.seed.clone_from(&admission.candidate.seed);
        capture.notes.source_tag.clone_from(&admission.candidate.source_tag);
        // One that waited for its host's location was decided again at its turn.
        capture.notes.verdict = Some(admission.verdict.clone()).filter(|verdict| verdict.decision == Decision::Accept);
    }
    // Its text is not read again: its links have what their own words give them.
    let source = Source::of(admission, 0.0);
    // What was fetched stays in the archive; its links may lead nowhere.
    let candidate = &admission.candidate;
    let refused = judge.refuses_content(plan, candidate, capture.content_fact())?;
    if let Some(verdict) = refused.as_ref()
        && !decided.contains(&decision_key(verdict.decision, admission.candidate.url.as_str()))
    {
        logs.scope([(candidate, verdict)])?;
    }
    let links = if refused.is_some() { &[] } else { followed(&capture.notes.outlinks) };
    let found = judge.admit(&source, links)?;
    let line = CrawlLogLine::recovered(&capture, logs.now());
    let further = FurtherOutlinks::split(&mut capture);
    let finished = Finished {
        id: waiting.id,
        fetch_status: capture.notes.status,
        why: None,
        refused: None,
        capture: Some(capture),
        found: found.clone(),
        reading: None,
    };
    let new = ledger.finish(finished)?;
    logs.crawl(&line)?;
    further.store(ledger, || false)?;
    let fresh = found.iter().zip(new).filter(|(_, new)| *new == Admitted::New);
    logs.scope_of_admissions(fresh.map(|(admission, _)| admission))
}
