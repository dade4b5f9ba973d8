//! After a kill: torn files are closed, and captures that are on disk but
//! were not told of are taken over, so that nothing is lost or fetched again.

use super::capture::file_label;
use super::crawl_log::CrawlLogLine;
use super::fetch::fetch_status;
use super::index::index_archive_from;
use super::judge::{Judge, Source};
use super::logs::{Logs, decision_key};
use super::outlink_parts::FurtherOutlinks;
use super::outlinks::followed;
use super::robots_desk::is_robots_url;
use super::setup::RecoveryReport;
use super::work::candidate_of;
use super::{Admission, CaptureEntry, CrawlError, CrawlSetup, Finished, Ledger};
use crate::jobs::{JobCx, panic_words};
use crate::scope::{Candidate, Decision};
use crate::uri::Url;
use crate::warc::{ArchiveReader, OPEN_SUFFIX, repair_open_file};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Lines that wait for others at most, so that they are written together.
const LINES_AT_ONCE: usize = 10_000;

/// Closes the files that a killed run of this launch left open, and reads
/// every capture in them that is not known: `known(label)` gives the places
/// that are, as [`Ledger::recorded`] does. Workers write in one order and tell
/// in another, so unknown captures may stand between known ones.
///
/// Memory holds all captures found; a kill leaves few.
pub fn recover_launch(
    warc_dir: &Path,
    warc_label: &str,
    known: impl Fn(&str) -> Result<Vec<Range<u64>>, CrawlError>,
    cx: &JobCx,
) -> Result<(RecoveryReport, Vec<CaptureEntry>), CrawlError> {
    let mut report = RecoveryReport::default();
    for open in files_ending(warc_dir, &format!(".warc.gz{OPEN_SUFFIX}"))? {
        let repaired = repair_open_file(&open)?;
        let name = open.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(kept) = &repaired.kept {
            report.problems.push(format!("{name}: {kept}"));
        } else if repaired.cut_bytes > 0 {
            report.cut_bytes += repaired.cut_bytes;
            report.problems.push(format!("{name}: {} bytes of a torn record were cut off", repaired.cut_bytes));
        }
        report.files.extend(repaired.file);
    }
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
            Ok(())
        };
        let indexed = index_archive_from(&file, from, &label, &mut take, cx)?;
        report.problems.extend(indexed.problems.iter().map(|problem| format!("{label}: {problem}")));
    }
    Ok((report, captures))
}

/// Where the first record stands that is not known. Files begin with a
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
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// [`recover_launch`] for a crawl that is about to go on.
pub(super) fn recover(
    setup: &CrawlSetup,
    ledger: &dyn Ledger,
    cx: &JobCx,
) -> Result<(RecoveryReport, Vec<CaptureEntry>), CrawlError> {
    recover_launch(&setup.warc_dir, &setup.warc_label, |label| Ok(ledger.recorded(label)?), cx)
}

/// Adds the lines of decisions to scope.log that were kept, and that a kill
/// left without one: they are logged when it is known which of them are new.
/// Says how many.
pub(super) fn complete_scope_log(ledger: &dyn Ledger, logs: &Logs) -> Result<u64, CrawlError> {
    let (since, logged) = logs.last_decisions()?;
    let (mut count, mut lost, mut written) = (0, Vec::new(), Ok(()));
    let write = |lost: &mut Vec<(Candidate, Admission)>| {
        let result = logs.scope_of(lost.iter().map(|(candidate, of)| (candidate, &of.verdict, of.date)));
        lost.clear();
        result
    };
    ledger.decided_since(since, &mut |admission| {
        if written.is_ok() && !logged.contains(&decision_key(admission.verdict.decision, admission.url.as_str())) {
            count += 1;
            lost.push((candidate_of(&admission), admission));
            // Where the log is gone, it is all of a launch.
            if lost.len() >= LINES_AT_ONCE {
                written = write(&mut lost);
            }
        }
    })?;
    written?;
    write(&mut lost)?;
    Ok(count)
}

/// Tells the ledger of recovered captures: with them the URLs that still wait
/// come to their end. A robots.txt is fetched again nevertheless, since its
/// rules are wanted, not its record. One that panics is given up with words for
/// `on_panic`, or no run would ever come further.
pub(super) fn take_over(
    captures: Vec<CaptureEntry>,
    ledger: &dyn Ledger,
    judge: &Judge<'_>,
    logs: &Logs,
    on_panic: &mut dyn FnMut(&Url, String),
) -> Result<u64, CrawlError> {
    let mut taken = 0;
    for capture in captures {
        taken += 1;
        let url = capture.url.clone();
        let whole = catch_unwind(AssertUnwindSafe(|| take_over_one(capture, ledger, judge, logs)));
        let panic = match whole {
            Ok(result) => {
                result?;
                continue;
            }
            Err(panic) => panic,
        };
        let why = format!("internal error: {}", panic_words(panic.as_ref()));
        if let Some(waiting) = ledger.find_waiting(&url)? {
            let fetch_status = fetch_status::RUNTIME_EXCEPTION;
            logs.crawl(&CrawlLogLine::of(&waiting.admission, fetch_status, 0, logs.now()))?;
            let (refused, capture, found) = (None, None, Vec::new());
            ledger.finish(Finished {
                id: waiting.id,
                fetch_status,
                why: Some(why.clone()),
                refused,
                capture,
                found,
            })?;
        }
        on_panic(&url, why);
    }
    Ok(taken)
}

fn take_over_one(
    mut capture: CaptureEntry,
    ledger: &dyn Ledger,
    judge: &Judge<'_>,
    logs: &Logs,
) -> Result<(), CrawlError> {
    let Some(waiting) = ledger.find_waiting(&capture.url)?.filter(|_| !is_robots_url(&capture.url)) else {
        let further = FurtherOutlinks::split(&mut capture);
        ledger.keep_capture(capture)?;
        further.store(ledger, || false)?;
        return Ok(());
    };
    let admission = &waiting.admission;
    if capture.verdict.is_none() {
        // The record that tells why it was fetched was torn off.
        capture.hops.clone_from(&admission.hops);
        capture.via.clone_from(&admission.via);
        capture.seed.clone_from(&admission.seed);
        capture.source_tag.clone_from(&admission.source_tag);
        // One that waited for its host's location was decided again at its turn.
        capture.verdict = Some(admission.verdict.clone()).filter(|verdict| verdict.decision == Decision::Accept);
    }
    let source = Source {
        url: &admission.url,
        hops: &admission.hops,
        seed: admission.seed.as_deref(),
        source_tag: &admission.source_tag,
        is_seed: admission.is_seed,
    };
    let decided = judge.admit(&source, followed(&capture.outlinks))?;
    let (candidates, found): (Vec<Candidate>, Vec<Admission>) = decided.into_iter().unzip();
    let mut line = CrawlLogLine::of(admission, capture.status, 0, logs.now()).with_capture(&capture);
    line.annotations.push("recovered".to_owned());
    if capture.revisit_of.is_some() {
        line.annotations.push("duplicate:digest".to_owned());
    }
    let further = FurtherOutlinks::split(&mut capture);
    let verdicts: Vec<_> = found.iter().map(|admission| admission.verdict.clone()).collect();
    let finished = Finished {
        id: waiting.id,
        fetch_status: capture.status,
        why: None,
        refused: None,
        capture: Some(capture),
        found,
    };
    let new = ledger.finish(finished)?;
    further.store(ledger, || false)?;
    logs.crawl(&line)?;
    let fresh = candidates.iter().zip(&verdicts).zip(new).filter(|(_, new)| *new).map(|(both, _)| both);
    logs.scope(fresh)?;
    Ok(())
}
