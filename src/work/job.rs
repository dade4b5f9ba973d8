//! Long work on a workspace: what kinds there are, and what each came to.

use super::models::{CheckState, VerifyLine};
use super::{
    CheckOutcome, CollectionsFilled, CrawlOutcome, ExportDryRun, ExportOutcome, Imported, InlinkReport, LocateOutcome,
    SelectReport, TextIndexReport, TrialDiscarded,
};
use crate::jobs::counted;
use crate::store::ImportAssigned;
use crate::store::rows::LaunchId;
use std::path::PathBuf;

/// A kind of work that has its row in the job history, whoever starts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobKind {
    /// A crawl that a person started.
    Crawl,
    /// A crawl that a schedule started.
    ScheduledCrawl,
    /// Resources that captures lack are fetched.
    Patch,
    /// Sources of a campaign are read.
    ReadSources,
    /// Archive files and jobs of other crawlers come in.
    Import,
    /// A trial is discarded.
    DiscardTrial,
    /// An import is given to another campaign.
    AssignImport,
    /// Lost files are searched for.
    LocateFiles,
    /// Digests of files are compared.
    CheckFiles,
    /// Inlinks are built.
    BuildInlinks,
    /// Inlinks of a data set are loaded.
    LoadInlinks,
    /// Inlinks are counted in another window.
    SetWindow,
    /// Texts are indexed.
    IndexTexts,
    /// Texts are analysed.
    Analyse,
    /// Pages are opened in a browser.
    ReplayPages,
    /// Review checks run.
    CheckPages,
    /// Captures are scored and selected.
    Select,
    /// A selection is written out.
    Export,
    /// A dry run of an export is listed.
    DryRun,
    /// An export is read back.
    Verify,
    /// Decisions are made on many captures by command.
    Mark,
    /// Captures are put into collections, or taken out.
    Collect,
    /// Decisions and notes of others come in.
    ImportAnnotations,
    /// A table about the scope is written.
    WriteTable,
    /// Links are written for another program.
    WriteLinks,
    /// The catalogue is copied.
    Backup,
}

impl JobKind {
    /// Every kind.
    const ALL: [Self; 26] = [
        Self::Crawl,
        Self::ScheduledCrawl,
        Self::Patch,
        Self::ReadSources,
        Self::Import,
        Self::DiscardTrial,
        Self::AssignImport,
        Self::LocateFiles,
        Self::CheckFiles,
        Self::BuildInlinks,
        Self::LoadInlinks,
        Self::SetWindow,
        Self::IndexTexts,
        Self::Analyse,
        Self::ReplayPages,
        Self::CheckPages,
        Self::Select,
        Self::Export,
        Self::DryRun,
        Self::Verify,
        Self::Mark,
        Self::Collect,
        Self::ImportAnnotations,
        Self::WriteTable,
        Self::WriteLinks,
        Self::Backup,
    ];

    /// Its name on the screen and in the job history.
    pub fn label(self) -> &'static str {
        match self {
            Self::Crawl => "Crawl",
            Self::ScheduledCrawl => "Scheduled crawl",
            Self::Patch => "Patch",
            Self::ReadSources => "Read sources",
            Self::Import => "Import",
            Self::DiscardTrial => "Discard trial",
            Self::AssignImport => "Assign import",
            Self::LocateFiles => "Locate files",
            Self::CheckFiles => "Check files",
            Self::BuildInlinks => "Build inlinks",
            Self::LoadInlinks => "Load inlinks",
            Self::SetWindow => "Set window",
            Self::IndexTexts => "Index texts",
            Self::Analyse => "Analyse",
            Self::ReplayPages => "Open pages in a browser",
            Self::CheckPages => "Check pages",
            Self::Select => "Select",
            Self::Export => "Export",
            Self::DryRun => "Dry run",
            Self::Verify => "Verify",
            Self::Mark => "Mark captures",
            Self::Collect => "Fill collections",
            Self::ImportAnnotations => "Import annotations",
            Self::WriteTable => "Write table",
            Self::WriteLinks => "Write links",
            Self::Backup => "Backup",
        }
    }

    /// The kind of this name.
    pub fn of_label(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.label() == label)
    }

    /// Whether it is a crawl: one runs at a time.
    pub fn is_crawl(self) -> bool {
        matches!(self, Self::Crawl | Self::ScheduledCrawl | Self::Patch)
    }
}

/// The beginning of the outcome of a failed job in the history of jobs.
pub const FAILED: &str = "failed: ";

/// The result of a piece of work, as a line of text.
pub trait Report {
    /// In one line for the job history, the window and standard error.
    fn summary(&self) -> String;
}

impl Report for String {
    fn summary(&self) -> String {
        self.clone()
    }
}

impl From<super::SourcesOutcome> for JobReport {
    fn from(outcome: super::SourcesOutcome) -> Self {
        match outcome.is_whole() {
            true => Self::Done(outcome.summary()),
            false => Self::Incomplete(outcome.summary()),
        }
    }
}

impl Report for Imported {
    fn summary(&self) -> String {
        super::jobs_summary(self)
    }
}

impl Report for ImportAssigned {
    fn summary(&self) -> String {
        let captures = counted(self.captures, "capture");
        let to = self.campaign.map_or_else(|| "no campaign".to_owned(), |id| format!("campaign {id}"));
        if self.before == self.campaign {
            return format!("import {} belongs to {to} already, with {captures}", self.import);
        }
        let from = self.before.map_or_else(|| "no campaign".to_owned(), |id| format!("campaign {id}"));
        let unselected = match self.unselected {
            0 => String::new(),
            number => format!("; {number} of them were selected there and are so no more"),
        };
        format!("import {} with {captures} belongs to {to} now, not to {from}{unselected}", self.import)
    }
}

impl Report for Vec<VerifyLine> {
    fn summary(&self) -> String {
        CheckState::of(self).1
    }
}

/// The result of a job, as far as the window acts on it.
#[derive(Debug, Clone, PartialEq)]
pub enum JobReport {
    /// The work is done; in one line.
    Done(String),
    /// An export lacks something: a person has to do something about it.
    Incomplete(String),
    /// A crawl ended.
    Crawled {
        /// The outcome, such as `Stopped on request`.
        end: String,
        /// Figures of what was fetched and what was not.
        figures: String,
        /// Whether a person has to do something about it.
        is_incomplete: bool,
    },
    /// The work is done, and this import met problems that a person should check; in one line.
    Problems(LaunchId, String),
    /// An export was read back.
    Verified(PathBuf, Vec<VerifyLine>),
    /// The dry run of an export.
    Planned(Box<ExportDryRun>),
}

impl From<ExportDryRun> for JobReport {
    fn from(plan: ExportDryRun) -> Self {
        Self::Planned(Box::new(plan))
    }
}

impl From<CrawlOutcome> for JobReport {
    fn from(outcome: CrawlOutcome) -> Self {
        // What a person stopped, or a limit did, is no surprise.
        let is_incomplete = outcome.complete && !outcome.is_whole();
        Self::Crawled { figures: outcome.figures(), end: outcome.end, is_incomplete }
    }
}

impl From<super::PatchOutcome> for JobReport {
    fn from(outcome: super::PatchOutcome) -> Self {
        let is_incomplete = outcome.crawl.complete && !outcome.left.is_empty();
        let end = outcome.crawl.end.trim_start_matches("Patch: ").to_owned();
        Self::Crawled { figures: outcome.summary(), end, is_incomplete }
    }
}

impl From<ExportOutcome> for JobReport {
    fn from(outcome: ExportOutcome) -> Self {
        match outcome.problems.is_empty() {
            true => Self::Done(outcome.summary()),
            false => Self::Incomplete(outcome.summary()),
        }
    }
}

macro_rules! done {
    ($($report:ty),*) => {
        $(impl From<$report> for JobReport {
            fn from(report: $report) -> Self {
                Self::Done(report.summary())
            }
        })*
    };
}

impl From<Imported> for JobReport {
    fn from(imported: Imported) -> Self {
        match imported.imports.iter().find(|import| super::has_problems(import)) {
            Some(import) => Self::Problems(import.launch, imported.summary()),
            None => Self::Done(imported.summary()),
        }
    }
}

done!(
    String,
    super::SourceTest,
    super::AnalysisReport,
    super::CheckPagesReport,
    CollectionsFilled,
    LocateOutcome,
    CheckOutcome,
    InlinkReport,
    TextIndexReport,
    SelectReport,
    TrialDiscarded
);
