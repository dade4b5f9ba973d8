//! The log files of a launch.

use super::CrawlError;
use super::crawl_log::CrawlLogLine;
use super::reports::Tally;
use crate::scope::{Candidate, ScopeLine, Verdict};
use crate::uri::{CaptureDate, Clock};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{BufReader, Write};
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

impl Logs {
    /// Opens or goes on with the logs of a folder, which is made if missing.
    pub fn open(folder: &Path, clock: Clock) -> Result<Self, CrawlError> {
        fs::create_dir_all(folder).map_err(|source| CrawlError::io(folder, source))?;
        let open = |name: &str| {
            let path = folder.join(name);
            let file = OpenOptions::new().create(true).append(true).open(&path);
            file.map(Mutex::new).map_err(|source| CrawlError::io(&path, source))
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
        let (mut lines, date) = (String::new(), self.clock.now());
        for (candidate, verdict) in decided {
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
