//! One list of what was done and said: jobs of this window, jobs of earlier ones and of commands, messages.

use super::jobs_at_hand::EndedJob;
use super::models::{JobRow, Notice};
use crate::uri::CaptureDate;
use crate::work::JobKind;

/// How a line of the list came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobState {
    /// A message that goes with no job.
    Message,
    /// The work was done.
    Done,
    /// It has no end: it runs in another window, or was interrupted.
    Unfinished,
    /// It was done, and something is to be looked at.
    Warned,
    /// It failed, or an error was met.
    Failed,
}

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobLine {
    /// When it began, or was said.
    pub started: CaptureDate,
    /// When it ended.
    pub ended: Option<CaptureDate>,
    /// What kind of job it was; none for messages and for jobs of a newer version.
    pub kind: Option<JobKind>,
    /// The name of the job.
    pub name: String,
    /// How it ended, in words; the message.
    pub outcome: String,
    /// How it came out.
    pub state: JobState,
    /// What followed from it by itself, in the same order as the list.
    pub follow_ups: Vec<JobLine>,
}

impl JobLine {
    /// Whether a person should see it among many.
    pub fn needs_attention(&self) -> bool {
        matches!(self.state, JobState::Failed | JobState::Warned) || self.follow_ups.iter().any(Self::needs_attention)
    }
}

/// How long after a job its follow-ups begin at the latest, in milliseconds: they wait for one another.
const FOLLOWS_WITHIN_MS: i64 = 120_000;

/// What is done by itself while captures come and after it.
fn is_follow_up(kind: JobKind) -> bool {
    matches!(kind, JobKind::IndexTexts | JobKind::Collect)
}

/// Whether such a job has follow-ups.
fn has_follow_ups(kind: JobKind) -> bool {
    kind.is_crawl() || matches!(kind, JobKind::Import | JobKind::BuildInlinks)
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
            (true, _) => JobState::Failed,
            (_, true) => JobState::Warned,
            _ => JobState::Done,
        };
        match lines.iter_mut().find(is_row) {
            // The history names it; the window knows how it came out.
            Some(line) => {
                line.state = state.max(line.state);
                // Of one that finished the history has the same words; of others the window says how to go on.
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
        follow_ups: Vec::new(),
    }
}

/// Puts follow-ups under the job that they are of: the last one that began before them and ran still,
/// or had ended shortly before.
fn fold(lines: Vec<JobLine>) -> Vec<JobLine> {
    let mut folded: Vec<JobLine> = Vec::with_capacity(lines.len());
    // From the oldest.
    for line in lines.into_iter().rev() {
        let is_parent = |of: &JobLine, within_ms: i64| {
            let ran = of.ended.map_or(of.state == JobState::Unfinished, |ended| {
                line.started.millis() <= ended.millis().saturating_add(within_ms)
            });
            of.kind.is_some_and(has_follow_ups) && ran
        };
        let place = |within_ms: i64| folded.iter().rposition(|of| is_parent(of, within_ms));
        let is_follow_up = line.kind.is_some_and(is_follow_up);
        match is_follow_up.then(|| place(0).or_else(|| place(FOLLOWS_WITHIN_MS))).flatten() {
            Some(parent) => folded[parent].follow_ups.insert(0, line),
            None => folded.push(line),
        }
    }
    folded.reverse();
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: u64, name: &str, from_seconds: i64, to_seconds: i64, outcome: &str) -> JobRow {
        JobRow {
            id,
            name: name.to_owned(),
            started: CaptureDate::from_seconds(from_seconds),
            ended: Some(CaptureDate::from_seconds(to_seconds)),
            outcome: outcome.to_owned(),
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
        assert!(names[1].1 > 2870 && names[0].1 + names[1].1 == 2880, "{names:?}");
        assert!(lines[0].needs_attention() && !lines[1].needs_attention());
    }

    #[test]
    fn what_nobody_crawled_or_imported_for_stays_a_line_of_its_own() {
        let rows = [row(3, "Index texts", 5_000, 5_001, "9 texts"), row(1, "Crawl", 90, 100, "finished")];
        assert_eq!(job_list(&rows, [].iter(), [].iter()).len(), 2);
    }
}
