//! The log files of a launch.

use super::CrawlError;
use super::crawl_log::CrawlLogLine;
use super::reports::Tally;
use crate::scope::{Candidate, Decision, ScopeLine, Verdict};
use crate::uri::{CaptureDate, Clock};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// crawl.log and scope.log, appended to line by line. A line is with the
/// system when a call returns.
pub struct Logs {
    folder: PathBuf,
    clock: Clock,
    crawl: Mutex<File>,
    scope: Mutex<File>,
}

/// What of scope.log is looked at first for its last lines, in bytes.
const TAIL_BYTES: u64 = 1 << 20;

/// Longest time between a decision and its line.
const LINE_DELAY_MS: i64 = 60_000;

/// Ends a line that was torn when the power went.
pub(super) fn on_a_new_line(mut file: File) -> io::Result<File> {
    let mut last = *b"\n";
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    if last != *b"\n" {
        file.write_all(b"\n")?;
    }
    Ok(file)
}

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
            let file = OpenOptions::new().create(true).append(true).read(true).open(&path);
            file.and_then(on_a_new_line).map(Mutex::new).map_err(|source| CrawlError::io(&path, source))
        };
        Ok(Self { folder: folder.to_owned(), clock, crawl: open("crawl.log")?, scope: open("scope.log")? })
    }

    /// The time that lines are written with.
    pub fn now(&self) -> CaptureDate {
        self.clock.now()
    }

    /// Tells of a URL that came to its end.
    pub fn crawl(&self, line: &CrawlLogLine) -> Result<(), CrawlError> {
        self.append(&self.crawl, "crawl.log", line.write() + "\n")
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
        self.append(&self.scope, "scope.log", lines)
    }

    fn append(&self, file: &Mutex<File>, name: &str, lines: String) -> Result<(), CrawlError> {
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        // One call per line: lines of several workers never mix.
        file.write_all(lines.as_bytes()).map_err(|source| CrawlError::io(&self.folder.join(name), source))
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
