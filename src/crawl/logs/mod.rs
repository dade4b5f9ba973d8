//! The log files of a launch.

pub(super) mod crawl_log;
pub(super) mod crawl_stream;
pub(super) mod line_file;

use super::reports::LaunchTally;
use super::{Admission, CrawlError};
use crate::crawl::logs::crawl_log::CrawlLogLine;
use crate::crawl::logs::line_file::LineFile;
use crate::exchange::DiskGate;
use crate::jobs::{is_disk_full, replace_own};
use crate::scope::{Candidate, Decision, ScopeLine, Verdict};
use crate::uri::{CaptureDate, Clock};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// crawl.log and scope.log, appended to line by line. A line is with the
/// system when a call returns.
pub struct Logs {
    folder: PathBuf,
    clock: Clock,
    crawl: Mutex<LineFile>,
    scope: Mutex<LineFile>,
    /// Lines that the logs have already although the ledger lacks their URLs:
    /// those come again, and the lines are not written again.
    written: Mutex<HashSet<String>>,
    disk: Option<Arc<DiskGate>>,
}

/// Bytes at the end of a log that are read first for its last lines.
const TAIL_BYTES: u64 = 1 << 20;

/// Longest time in milliseconds between an event and its line.
const LINE_DELAY_MS: i64 = 60_000;

/// A line of scope.log among others.
pub(super) fn decision_key(decision: Decision, url: &str) -> String {
    format!("{} {url}", decision.as_str())
}

/// A line of crawl.log among others: one capture, or one end without.
pub(super) fn line_key(url: &str, status: i32, started: Option<CaptureDate>) -> String {
    match started {
        Some(started) => format!("{} {url}", started.to_digits17()),
        None => format!("{status} {url}"),
    }
}

/// The last lines of a log.
pub(super) struct LogTail {
    /// Whether the log has any line.
    pub is_empty: bool,
    /// From here on things may have happened that have no line.
    pub since: CaptureDate,
    /// Keys of the lines from then on.
    pub keys: HashSet<String>,
}

impl Logs {
    /// Opens or goes on with the logs of a folder, which is made if missing.
    pub fn open(folder: &Path, clock: Clock) -> Result<Self, CrawlError> {
        fs::create_dir_all(folder).map_err(|source| CrawlError::io(folder, source))?;
        let open = |name: &str| {
            let path = folder.join(name);
            LineFile::open(&path).map(Mutex::new).map_err(|source| CrawlError::io(&path, source))
        };
        let (crawl, scope) = (open("crawl.log")?, open("scope.log")?);
        Ok(Self { folder: folder.to_owned(), clock, crawl, scope, written: Mutex::default(), disk: None })
    }

    /// Pauses the crawl by `disk` while the logs cannot be written for want of
    /// room; the lines are written when there is.
    pub fn with_disk(mut self, disk: &Arc<DiskGate>) -> Self {
        self.disk = Some(Arc::clone(disk));
        self
    }

    /// Writes lines that could not be written when they came.
    pub(super) fn flush(&self) {
        for file in [&self.crawl, &self.scope] {
            // What fails is tried again.
            let _ = file.lock().unwrap_or_else(PoisonError::into_inner).flush();
        }
    }

    /// The time that lines are written with.
    pub fn now(&self) -> CaptureDate {
        self.clock.now()
    }

    /// Lines with these keys are passed over once each when they come again.
    pub(super) fn pass_over(&self, keys: impl IntoIterator<Item = String>) {
        self.written.lock().unwrap_or_else(PoisonError::into_inner).extend(keys);
    }

    /// Whether the log has a line with this key already.
    fn is_written(&self, key: impl FnOnce() -> String) -> bool {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        !written.is_empty() && written.remove(&key())
    }

    /// Writes the line of a URL that came to its end.
    pub fn crawl(&self, line: &CrawlLogLine) -> Result<(), CrawlError> {
        if self.is_written(|| line_key(&line.url, line.status, line.started)) {
            return Ok(());
        }
        self.append(&self.crawl, &(line.write() + "\n"))
    }

    /// Tells of decisions.
    pub fn scope<'a>(&self, decided: impl IntoIterator<Item = (&'a Candidate, &'a Verdict)>) -> Result<(), CrawlError> {
        let now = self.clock.now();
        self.scope_of(decided.into_iter().map(|(candidate, verdict)| (candidate, verdict, now)))
    }

    /// Tells of decisions, with when each was made.
    pub(super) fn scope_of<'a>(
        &self,
        decided: impl IntoIterator<Item = (&'a Candidate, &'a Verdict, CaptureDate)>,
    ) -> Result<(), CrawlError> {
        self.scope_lines(decided.into_iter().map(|(candidate, verdict, date)| ScopeLine::of(candidate, verdict, date)))
    }

    /// Tells of URLs that were new, as they were decided.
    pub(super) fn scope_of_admissions<'a>(
        &self,
        admissions: impl IntoIterator<Item = &'a Admission>,
    ) -> Result<(), CrawlError> {
        let now = self.clock.now();
        let line = |admission: &Admission| ScopeLine::of(&admission.candidate, &admission.verdict, now);
        self.scope_lines(admissions.into_iter().map(line))
    }

    fn scope_lines(&self, decided: impl IntoIterator<Item = ScopeLine>) -> Result<(), CrawlError> {
        let mut lines = String::new();
        for line in decided {
            if self.is_written(|| decision_key(line.verdict.decision, &line.url)) {
                continue;
            }
            lines.push_str(&line.to_string());
            lines.push('\n');
        }
        self.append(&self.scope, &lines)
    }

    fn append(&self, file: &Mutex<LineFile>, lines: &str) -> Result<(), CrawlError> {
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        match (file.add(lines), &self.disk) {
            (Err(error), Some(disk)) if is_disk_full(&error) => {
                disk.pause(file.path(), &error);
                Ok(())
            }
            (written, _) => written.map_err(|source| CrawlError::io(file.path(), source)),
        }
    }

    /// The instant from which on decisions may be kept that have no line in
    /// scope.log, and the lines from then on.
    pub(super) fn last_decisions(&self) -> Result<LogTail, CrawlError> {
        self.tail("scope.log", None, |line| {
            let line = ScopeLine::parse(line).ok()?;
            Some((line.date, decision_key(line.verdict.decision, &line.url)))
        })
    }

    /// Reads the last lines of crawl.log, which has the URLs that came to their
    /// end; back to `from` at least.
    pub(super) fn last_ends(&self, from: Option<CaptureDate>) -> Result<LogTail, CrawlError> {
        self.tail("crawl.log", from, |line| {
            let line = CrawlLogLine::parse(line).ok()?;
            Some((line.logged, line_key(&line.url, line.status, line.started)))
        })
    }

    fn tail(
        &self,
        name: &str,
        from: Option<CaptureDate>,
        parse: impl Fn(&str) -> Option<(CaptureDate, String)>,
    ) -> Result<LogTail, CrawlError> {
        let path = self.folder.join(name);
        let io = |source| CrawlError::io(&path, source);
        let mut file = File::open(&path).map_err(io)?;
        let end = file.metadata().map_err(io)?.len();
        let mut take = TAIL_BYTES;
        loop {
            let at = end.saturating_sub(take);
            file.seek(SeekFrom::Start(at)).map_err(io)?;
            let mut text = Vec::new();
            (&file).take(end - at).read_to_end(&mut text).map_err(io)?;
            let text = String::from_utf8_lossy(&text);
            // The first line of a tail is a part of one.
            let lines: Vec<_> = text.lines().skip(usize::from(at > 0)).filter_map(&parse).collect();
            let last = lines.iter().map(|(date, _)| date.millis()).max();
            let since = last.map_or(i64::MIN, |last| last.saturating_sub(LINE_DELAY_MS));
            let since = from.map_or(since, |from| since.min(from.millis()));
            let reaches = lines.first().is_some_and(|(date, _)| date.millis() < since);
            if reaches || at == 0 {
                let is_empty = lines.is_empty();
                let keys = lines.into_iter().filter(|(date, _)| date.millis() >= since).map(|(_, key)| key).collect();
                return Ok(LogTail { is_empty, since: CaptureDate::from_millis(since), keys });
            }
            take = take.saturating_mul(4);
        }
    }

    /// Takes the lines with these keys out of crawl.log; returns their number.
    /// The old log stays until the new one is whole.
    pub(super) fn remove_ends(&self, keys: &HashSet<String>) -> Result<u64, CrawlError> {
        let path = self.folder.join("crawl.log");
        let mut log = self.crawl.lock().unwrap_or_else(PoisonError::into_inner);
        log.flush().map_err(|source| CrawlError::io(&path, source))?;
        let mut removed = 0;
        let rewritten = replace_own(&path, |file| {
            let mut lines = BufReader::new(File::open(&path)?);
            let mut kept = BufWriter::new(file);
            let mut line = Vec::new();
            while lines.read_until(b'\n', &mut line)? > 0 {
                let parsed = CrawlLogLine::parse(&String::from_utf8_lossy(&line)).ok();
                match parsed.is_some_and(|parsed| keys.contains(&line_key(&parsed.url, parsed.status, parsed.started)))
                {
                    true => removed += 1,
                    false => kept.write_all(&line)?,
                }
                line.clear();
            }
            kept.flush()
        });
        rewritten.map_err(|source| CrawlError::io(&path, source))?;
        *log = LineFile::open(&path).map_err(|source| CrawlError::io(&path, source))?;
        Ok(removed)
    }

    /// Writes the reports of a launch; each is there whole or not at all.
    pub fn write_reports(
        &self,
        tally: &LaunchTally,
        job: &str,
        status: &str,
        seeds: &[String],
        remaining: &HashMap<String, u64>,
    ) -> Result<(), CrawlError> {
        for (name, text) in [
            ("seeds-report.txt", tally.seeds_report(seeds)),
            ("hosts-report.txt", tally.hosts_report(remaining)),
            ("crawl-report.txt", tally.crawl_report(job, status, seeds)),
        ] {
            let path = self.folder.join(name);
            let written = replace_own(&path, |file| file.write_all(text.as_bytes()));
            written.map_err(|source| CrawlError::io(&path, source))?;
        }
        Ok(())
    }
}
