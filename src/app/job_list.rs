//! One list of jobs and messages: jobs of this window, of earlier ones and of commands.

use super::models::{CampaignId, JobRow, Notice};
use crate::app::current_jobs::EndedJob;
use crate::uri::CaptureDate;
use crate::work::JobKind;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// The state of a line of the list, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobState {
    /// A message that goes with no job.
    Message,
    /// The work was done.
    Done,
    /// Work without an end: it runs in another window, or was interrupted.
    Unfinished,
    /// Work that was done with problems.
    Warned,
    /// Work that failed, or an error.
    Failed,
}

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobLine {
    /// The time when the job began or the message was shown.
    pub started: CaptureDate,
    /// The time when it ended.
    pub ended: Option<CaptureDate>,
    /// The kind of the job; none for messages and for jobs of a newer version.
    pub kind: Option<JobKind>,
    /// The name of the job.
    pub name: String,
    /// The outcome as text, or the message.
    pub outcome: String,
    /// The state of the job.
    pub state: JobState,
    /// Its number in the history, and that of the job that it followed.
    ids: Option<(u64, Option<u64>)>,
    /// Jobs that followed from it by themselves, in the same order as the list.
    pub follow_ups: Vec<JobLine>,
}

impl JobLine {
    /// Whether a person should see it among many.
    pub fn needs_attention(&self) -> bool {
        matches!(self.state, JobState::Failed | JobState::Warned) || self.follow_ups.iter().any(Self::needs_attention)
    }
}

/// The command line that does the work of a job on a workspace; none for what only the window does. Words in capitals
/// stand for what a person has to name.
pub fn command_line(kind: JobKind, folder: &Path, campaign: Option<CampaignId>) -> Option<String> {
    let folder = in_quotes(&folder.display().to_string());
    let of = campaign.map_or("CAMPAIGN".to_owned(), |campaign| campaign.to_string());
    Some(match kind {
        JobKind::Crawl => format!("fonds crawl {folder} {of}"),
        JobKind::ScheduledCrawl => format!("fonds schedule run {folder}"),
        JobKind::Patch => format!("fonds patch {folder} {of}"),
        JobKind::ReadSources => format!("fonds sources run {folder} {of}"),
        JobKind::Import => format!("fonds import {folder} PATH"),
        JobKind::LocateFiles => format!("fonds files locate {folder} PATH"),
        JobKind::CheckFiles => format!("fonds files check {folder}"),
        JobKind::BuildInlinks => format!("fonds inlinks build {folder}"),
        JobKind::IndexTexts => format!("fonds index {folder}"),
        JobKind::Analyse => format!("fonds analyse {folder}"),
        JobKind::ReplayPages => format!("fonds replay check {folder}"),
        JobKind::CheckPages => format!("fonds check {folder}"),
        JobKind::Select => format!("fonds select again {folder} {of}"),
        JobKind::Export => format!("fonds export {folder} --campaign {of} --out OUT"),
        JobKind::DryRun => format!("fonds export {folder} --campaign {of} --out OUT --dry-run"),
        JobKind::Verify => "fonds verify OUT".to_owned(),
        JobKind::Backup => format!("fonds backup {folder} OUT"),
        JobKind::Collect => format!("fonds collections fill {folder}"),
        JobKind::DiscardTrial => format!("fonds launches discard {folder} LAUNCH"),
        JobKind::AssignImport
        | JobKind::LoadInlinks
        | JobKind::SetWindow
        | JobKind::Mark
        | JobKind::ImportAnnotations
        | JobKind::WriteTable
        | JobKind::WriteLinks => return None,
    })
}

/// A path as one word of a shell.
fn in_quotes(path: &str) -> String {
    let is_plain = path.chars().all(|letter| letter.is_ascii_alphanumeric() || "/._-+,:@".contains(letter));
    if is_plain && !path.is_empty() { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

/// The list, newest first: each job once, with what followed from it; a message of a job is its outcome.
pub fn job_list<'a>(
    history: &[JobRow],
    ended: impl Iterator<Item = &'a EndedJob> + Clone,
    log: impl Iterator<Item = &'a (CaptureDate, Notice)>,
) -> Vec<JobLine> {
    let mut lines: Vec<JobLine> = history.iter().map(line_of_row).collect();
    for job in ended.clone() {
        let is_row =
            |line: &&mut JobLine| line.name == job.kind.label() && (job.started..=job.ended).contains(&line.started);
        let state = match (job.failed, job.warned) {
            (_, true) => JobState::Warned,
            (true, _) => JobState::Failed,
            _ => JobState::Done,
        };
        match lines.iter_mut().find(is_row) {
            // The history names it; the window knows how it came out.
            Some(line) => {
                line.state = state.max(line.state);
                // Of one that finished the history has the same text; of others the window has the next step.
                if !job.outcome.starts_with("finished") {
                    line.outcome.clone_from(&job.outcome);
                }
            }
            // What is in no history: dry runs, and what found nothing to do.
            None if job.by_itself && !job.failed => {}
            None => lines.push(JobLine {
                started: job.started,
                ended: Some(job.ended),
                kind: Some(job.kind),
                name: job.kind.label().to_owned(),
                outcome: job.outcome.clone(),
                state,
                ids: None,
                follow_ups: Vec::new(),
            }),
        }
    }
    lines.sort_by_key(|line| std::cmp::Reverse(line.started));
    let mut lines = fold(lines);
    let of_jobs = |notice: &Notice| ended.clone().any(|job| job.notice == *notice);
    lines.extend(log.filter(|(_, notice)| !of_jobs(notice)).map(|(date, notice)| JobLine {
        started: *date,
        ended: None,
        kind: None,
        name: if notice.is_error { "Error" } else { "Message" }.to_owned(),
        outcome: notice.line(),
        state: if notice.is_error { JobState::Failed } else { JobState::Message },
        ids: None,
        follow_ups: Vec::new(),
    }));
    lines.sort_by_key(|line| std::cmp::Reverse(line.started));
    lines
}

fn line_of_row(row: &JobRow) -> JobLine {
    let state = match row.ended {
        None => JobState::Unfinished,
        Some(_) if row.outcome.starts_with(crate::work::FAILED) => JobState::Failed,
        Some(_) => JobState::Done,
    };
    JobLine {
        started: row.started,
        ended: row.ended,
        kind: JobKind::of_label(&row.name),
        name: row.name.clone(),
        outcome: row.outcome.clone(),
        state,
        ids: Some((row.id, row.follows)),
        follow_ups: Vec::new(),
    }
}

/// Puts follow-ups under the job that they followed, where it is in the list.
fn fold(lines: Vec<JobLine>) -> Vec<JobLine> {
    let ids: HashSet<u64> = lines.iter().filter_map(|line| line.ids).map(|(id, _)| id).collect();
    let leader = |line: &JobLine| line.ids.and_then(|(_, follows)| follows).filter(|of| ids.contains(of));
    let (follow_ups, mut folded): (Vec<_>, Vec<_>) = lines.into_iter().partition(|line| leader(line).is_some());
    let places: HashMap<u64, usize> =
        folded.iter().enumerate().filter_map(|(place, line)| Some((line.ids?.0, place))).collect();
    for line in follow_ups {
        // What followed a follow-up, in a catalogue of others, has no place of its own.
        match leader(&line).and_then(|of| places.get(&of)) {
            Some(place) => folded[*place].follow_ups.push(line),
            None => folded.push(line),
        }
    }
    folded
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn row(id: u64, name: &str, from_seconds: i64, to_seconds: i64, outcome: &str) -> JobRow {
        JobRow {
            id,
            name: name.to_owned(),
            started: CaptureDate::from_seconds(from_seconds),
            ended: Some(CaptureDate::from_seconds(to_seconds)),
            outcome: outcome.to_owned(),
            follows: (name == "Index texts").then_some(1),
        }
    }

    #[test]
    fn index_runs_of_a_day_of_crawling_are_one_line_and_the_failed_import_is_the_other() {
        let mut rows: Vec<JobRow> = (0..2880)
            .map(|run| {
                row(10 + run, "Index texts", 100 + 30 * run.cast_signed(), 101 + 30 * run.cast_signed(), "5 texts")
            })
            .collect();
        rows.push(row(1, "Crawl", 90, 90_000, "finished"));
        rows.push(row(2, "Import", 300, 301, "failed: no room"));
        rows.sort_by_key(|row| std::cmp::Reverse(row.started));
        let lines = job_list(&rows, [].iter(), [].iter());
        let names: Vec<_> = lines.iter().map(|line| (line.name.as_str(), line.follow_ups.len())).collect();
        assert_eq!(names.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["Import", "Crawl"]);
        // Those that began beside the import were of the crawl all the same.
        assert_eq!((names[0].1, names[1].1), (0, 2880));
        assert!(lines[0].needs_attention() && !lines[1].needs_attention());
    }

    #[test]
    fn the_command_of_a_job_is_one_line_for_a_shell() {
        let line = |kind, folder: &str| command_line(kind, Path::new(folder), Some(CampaignId::new(2)));
        assert_eq!(line(JobKind::Crawl, "/home/a/fonds").unwrap(), "fonds crawl /home/a/fonds 2");
        assert_eq!(line(JobKind::IndexTexts, "/a b/it's").unwrap(), r"fonds index '/a b/it'\''s'");
        assert_eq!(line(JobKind::SetWindow, "/a"), None);
    }

    #[test]
    fn what_nobody_crawled_or_imported_for_stays_a_line_of_its_own() {
        // A person indexed them, whatever was done shortly before.
        let manual = JobRow { follows: None, ..row(3, "Index texts", 101, 102, "9 texts") };
        let rows = [manual, row(1, "Crawl", 90, 100, "finished")];
        assert_eq!(job_list(&rows, [].iter(), [].iter()).len(), 2);
    }
}
