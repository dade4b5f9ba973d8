//! Input and result of a crawl: its setup, report and errors.

use super::{CrawlSnapshot, CurrentPlan, LedgerError};
use crate::exchange::HostOverride;
use crate::scope::{GeoDatabase, ScopeError};
use crate::uri::Clock;
use crate::warc::WarcError;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Everything one launch needs.
pub struct CrawlSetup {
    /// The campaign and its rules; may be replaced while the crawl runs.
    pub plan: Arc<CurrentPlan>,
    /// The version that the launch ran before, where its seeds or rules were
    /// others: what waits is judged by the new ones first.
    pub changed_from: Option<u32>,
    /// The country database, where one is set.
    pub geo: Option<GeoDatabase>,
    /// Hosts that are connected to elsewhere.
    pub overrides: Vec<HostOverride>,
    /// Folder of the launch's WARC files; made when missing.
    pub warc_dir: PathBuf,
    /// The same folder as [`RecordPlace::file`](super::RecordPlace::file)
    /// names it: relative to the workspace, with slashes.
    pub warc_label: String,
    /// Folder of the launch's logs; made when missing.
    pub log_dir: PathBuf,
    /// UTC start of the launch, 14 digits. A resumed launch keeps its own.
    pub launch: String,
    /// Name of the job: a folder name and the prefix of file names.
    pub job_name: String,
    /// Who runs the crawl, for `warcinfo`; may be empty.
    pub operator: String,
    /// Name and version of the program, for `warcinfo`.
    pub software: String,
    /// A WARC file that has reached so many bytes is closed.
    pub warc_max_bytes: u64,
    /// The bounds of a trial launch; none of others.
    pub trial: Option<TrialBounds>,
    /// The clock for the dates of captures, logs and file names. Waits and
    /// retries always go by the system's clock.
    pub clock: Clock,
}

/// The bounds of a trial launch. It fetches pages to be read and marked: what completes a page is
/// left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrialBounds {
    /// URLs of a host, without robots.txt.
    pub per_host: u64,
}

/// The reason why a crawl ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CrawlEnd {
    /// Nothing waits any more.
    Finished,
    /// A person stopped it; it can be resumed.
    Stopped,
    /// A limit of the campaign was reached, in words; it can be resumed with
    /// a higher one.
    Limit(String),
    /// Nobody answered for hours, in words; it can be resumed.
    NetworkGone(String),
}

impl CrawlEnd {
    /// The end in one sentence for people.
    pub fn summary(&self) -> String {
        match self {
            Self::Finished => "Finished".to_owned(),
            Self::Stopped => "Stopped on request".to_owned(),
            Self::Limit(why) => format!("Finished - {why}"),
            Self::NetworkGone(why) => format!("Stopped: {why}"),
        }
    }
}

/// Repairs after an earlier run that was killed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecoveryReport {
    /// Files closed that were left open.
    pub files: Vec<PathBuf>,
    /// Bytes of torn records that were cut off.
    pub cut_bytes: u64,
    /// Captures found in files that the ledger did not have.
    pub captures: u64,
    /// Captures that the ledger had and that are not in the
    /// files: they are fetched again.
    pub lost: u64,
    /// Oddities met, in words.
    pub problems: Vec<String>,
}

/// The result of a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawlReport {
    /// How it ended.
    pub end: CrawlEnd,
    /// Figures of the whole launch, earlier runs too.
    pub totals: CrawlSnapshot,
    /// WARC files written by this run.
    pub files: Vec<PathBuf>,
    /// Seeds that answered with an error, 4xx or 5xx.
    pub seed_errors: u64,
    /// Seeds that a permission refuses.
    pub refused_seeds: u64,
    /// Links that this run did not follow since their files have too many.
    pub links_left_out: u64,
    /// The repairs at the beginning.
    pub recovery: RecoveryReport,
}

/// Why a crawl could not begin or go on. What was finished is kept, and the
/// launch can be resumed.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// The campaign cannot be crawled as it is.
    #[error("{0}")]
    Setup(String),
    /// A rule cannot be compiled.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// The catalogue failed.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A WARC file cannot be written or read.
    #[error(transparent)]
    Warc(#[from] WarcError),
    /// The operating system refused.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A defect of the program that concerns no single URL.
    #[error("an internal error ended the crawl: {0}. Resume the launch to go on")]
    Internal(String),
    /// No thread could be made to work on.
    #[error("no worker thread could be started ({0}). Close other programs, then resume the launch")]
    NoWorkers(io::Error),
    /// Stopped on request before the crawl had begun.
    #[error("{0}")]
    Cancelled(#[from] crate::jobs::Cancelled),
}

impl CrawlError {
    /// The file that could not be written for want of room, and its error; none
    /// for any other error.
    pub fn disk_full(&self) -> Option<(&Path, &io::Error)> {
        match self {
            Self::Io { path, source } | Self::Warc(WarcError::Io { path, source }) => {
                crate::jobs::is_disk_full(source).then_some((path.as_path(), source))
            }
            _ => None,
        }
    }

    pub(super) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
}

/// Refuses a User-Agent that leaves a webmaster nobody to write to.
pub fn check_user_agent(user_agent: &str) -> Result<(), CrawlError> {
    let refuse = |why: &str| {
        Err(CrawlError::Setup(format!(
            "{why} Set the campaign's User-Agent to who you are and how to reach you, \
             for example “Mozilla/5.0 (compatible; our-archive; +https://archive.example.org/bot)”."
        )))
    };
    if user_agent.trim().is_empty() {
        return refuse("The campaign has no User-Agent.");
    }
    if user_agent.chars().any(char::is_control) {
        return refuse("The User-Agent holds a line break or another control character.");
    }
    let mut tokens = user_agent.split(|character: char| character.is_whitespace() || "()<>;,+\"'".contains(character));
    let is_contact = |token: &str| {
        let token = token.strip_prefix("mailto:").unwrap_or(token);
        let is_url =
            crate::uri::parse_web_url(token).is_some_and(|url| url.host_str().is_some_and(|host| host.contains('.')));
        let is_mail = token
            .split_once('@')
            .is_some_and(|(who, host)| !who.is_empty() && host.contains('.') && !host.starts_with('.'));
        is_url || is_mail
    };
    if tokens.any(is_contact) { Ok(()) } else { refuse("The User-Agent names no e-mail address or web page.") }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_user_agent_names_a_contact() {
        for good in [
            "Mozilla/5.0 (compatible; our-archive; +https://archive.example.org/bot)",
            "archive (mailto:web@example.org)",
            "archive web@example.org",
        ] {
            check_user_agent(good).unwrap();
        }
        for bad in [
            "",
            "  ",
            "Mozilla/5.0",
            "archive (me@)",
            "archive @home",
            "archive http://",
            "a\r\nX: b@c.pt",
            "+https://bot/",
        ] {
            let message = check_user_agent(bad).unwrap_err().to_string();
            assert!(message.contains("User-Agent"), "{bad}: {message}");
        }
    }
}
