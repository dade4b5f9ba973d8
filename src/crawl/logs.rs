//! The log files of a launch.

use super::crawl_log::CrawlLogLine;
use super::line_file::LineFile;
use super::reports::Tally;
use super::{CrawlError, DiskGate};
use crate::jobs::is_disk_full;
use crate::scope::{Candidate, Decision, ScopeLine, Verdict};
use crate::uri::{CaptureDate, Clock};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// crawl.log and scope.log, appended to line by line. A line is with the
/// system when a call returns.
pub struct Logs {
    folder: PathBuf,
    clock: Clock,
    crawl: Mutex<LineFile>,
    scope: Mutex<LineFile>,
    disk: Option<Arc<DiskGate>>,
}

/// What of scope.log is looked at first for its last lines, in bytes.
const TAIL_BYTES: u64 = 1 << 20;

/// Longest time between a decision and its line.
const LINE_DELAY_MS: i64 = 60_000;

/// A line of scope.log among others.
pub(super) fn decision_key(decision: Decision, url: &str) -> String {
    format!("{} {url}", decision.as_str())
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
        Ok(Self { folder: folder.to_owned(), clock, crawl, scope, disk: None })
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

    /// Tells of a URL that came to its end.
    pub fn crawl(&self, line: &CrawlLogLine) -> Result<(), CrawlError> {
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
        let mut lines = String::new();
        for (candidate, verdict, date) in decided {
            lines.push_str(&ScopeLine::of(candidate, verdict, date).to_string());
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

    /// The instant from which on decisions may be kept that have no line, and
    /// the lines from then on: decision and URL.
    pub(super) fn last_decisions(&self) -> Result<(CaptureDate, HashSet<String>), CrawlError> {
        let path = self.folder.join("scope.log");
        let io = |source| CrawlError::io(&path, source);
        let mut file = File::open(&path).map_err(io)?;
        let end = file.metadata().map_err(io)?.len();
        let mut take = TAIL_BYTES;
        loop {
            let from = end.saturating_sub(take);
            file.seek(SeekFrom::Start(from)).map_err(io)?;
            let mut text = Vec::new();
            (&file).take(end - from).read_to_end(&mut text).map_err(io)?;
            let text = String::from_utf8_lossy(&text);
            // The first line of a tail is a part of one.
            let lines = text.lines().skip(usize::from(from > 0)).filter_map(|line| ScopeLine::parse(line).ok());
            let lines: Vec<ScopeLine> = lines.collect();
            let last = lines.iter().map(|line| line.date.millis()).max();
            let since = last.map_or(i64::MIN, |last| last.saturating_sub(LINE_DELAY_MS));
            let reaches = lines.first().is_some_and(|line| line.date.millis() < since);
            if reaches || from == 0 {
                let lines = lines.into_iter().filter(|line| line.date.millis() >= since);
                let lines = lines.map(|line| decision_key(line.verdict.decision, &line.url)).collect();
                return Ok((CaptureDate::from_millis(since), lines));
            }
            take = take.saturating_mul(4);
        }
    }

    /// Figures of everything logged so far, earlier runs of the launch too.
    pub fn tally(&self) -> Result<Tally, CrawlError> {
        let path = self.folder.join("crawl.log");
        let file = File::open(&path).map_err(|source| CrawlError::io(&path, source))?;
        Tally::read(BufReader::new(file)).map_err(|source| CrawlError::io(&path, source))
    }

    /// Writes the reports of a launch; each stands whole or not at all.
    pub fn write_reports(
        &self,
        tally: &Tally,
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
            let open = self.folder.join(format!("{name}.open"));
            let written = fs::write(&open, text).and_then(|()| fs::rename(&open, &path));
            written.map_err(|source| CrawlError::io(&path, source))?;
        }
        Ok(())
    }
}
