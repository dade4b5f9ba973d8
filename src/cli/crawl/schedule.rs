//! `fonds schedule`.

use super::Ground;
use crate::campaign::{Calendar, MAX_NEXT_RUNS};
use crate::cli::campaign::{read_only_session, session};
use crate::cli::output::{json_line, plain, with_text};
use crate::cli::{FINE, PROBLEMS};
use crate::uri::CaptureDate;
use crate::work;
use crate::work::models::RunId;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Commands for the schedules of campaigns.
#[derive(Debug, clap::Subcommand)]
pub enum ScheduleCommand {
    /// List the next runs of a campaign, or of all.
    #[command(after_help = "Examples:\n  fonds schedule next my-archive\n  \
        fonds schedule next my-archive 1 --count 5 --json\n  \
        fonds schedule next my-archive 1 --calendar launcher      what W3ACT's launcher would start\n\n\
        Columns: date in UTC, campaign, date in the campaign's time zone, title.\n\
        A time of day that a clock change skips is as much later (02:30 becomes 03:30); one that comes twice\n\
        means the first. Short months have their run on the last day.\n\
        Exit status 1 says that there is no run to come.")]
    Next {
        /// Workspace.
        folder: PathBuf,
        /// Number or title of the campaign; all without it.
        campaign: Option<String>,
        /// How many.
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=MAX_NEXT_RUNS as i64))]
        count: u16,
        /// Runs after this date; now without it.
        #[arg(long, value_name = "DATE")]
        after: Option<String>,
        /// Who counts: fonds, w3act (its preview, whose months drift) or launcher (W3ACT's, which leaves short months out).
        #[arg(long, default_value = "fonds")]
        calendar: String,
        /// One object a run.
        #[arg(long)]
        json: bool,
    },
    /// Start crawls when they are due, until Ctrl-C.
    #[command(after_help = "Examples:\n  fonds schedule run my-archive\n  \
        fonds schedule run my-archive --once      what is due now, then end; for cron, say every 30 minutes\n\n\
        One process works on a workspace: where its window is open, the window starts what is due.\n\
        Crawls run one after the other. A campaign that is still at work when its next run is due is not\n\
        started twice. Runs that were missed are made up for by one run, left out, or asked about, as the\n\
        campaign says (schedule.catch_up: once, skip, ask); answer with: fonds schedule answer\n\
        A crawl that Ctrl-C or a kill has stopped is taken up as a missed run is. What became of every run: fonds schedule log\n\
        Exit status 1 says that a crawl failed, or that runs wait for an answer.")]
    Run {
        /// Workspace.
        folder: PathBuf,
        /// Look once, run what is due, and end.
        #[arg(long)]
        once: bool,
        /// Minutes that a run may start late and still be on time.
        #[arg(long, value_name = "MINUTES", default_value_t = (work::ON_TIME.as_secs() / 60) as u32)]
        late: u32,
        #[command(flatten)]
        ground: Ground,
    },
    /// List what became of runs that were due.
    #[command(after_help = "Examples:\n  fonds schedule log my-archive\n  \
        fonds schedule log my-archive 1 --json | jq 'select(.state == \"missed\")'\n\n\
        Columns: number, date it was due in UTC, campaign, what became of it, launch, why.\n\
        Exit status 1 says that runs wait for an answer.")]
    Log {
        /// Workspace.
        folder: PathBuf,
        /// Number or title of the campaign; all without it.
        campaign: Option<String>,
        /// Most runs listed, the last due first.
        #[arg(long, default_value_t = 50)]
        limit: u64,
        /// One object a run.
        #[arg(long)]
        json: bool,
    },
    /// Say whether a run that was missed shall be made up for.
    #[command(after_help = "Examples:\n  fonds schedule answer my-archive 12 run\n  \
        fonds schedule answer my-archive 12 skip\n\n\
        Numbers of runs: fonds schedule log my-archive\n\
        What shall run starts with the next: fonds schedule run my-archive")]
    Answer {
        /// Workspace.
        folder: PathBuf,
        /// Number of the run.
        run: RunId,
        /// run or skip.
        #[arg(value_parser = ["run", "skip"])]
        answer: String,
    },
}

pub(in crate::cli) fn run(command: ScheduleCommand, out: &mut dyn Write) -> anyhow::Result<u8> {
    match command {
        ScheduleCommand::Next { folder, campaign, count, after, calendar, json } => {
            let session = read_only_session(&folder)?;
            let campaign = campaign.map(|name| session.catalogue().find_campaign(&name)).transpose()?;
            let after = after.map_or_else(|| Ok(CaptureDate::now()), |text| CaptureDate::parse(&text))?;
            let calendar: Calendar = serde_json::from_value(calendar.to_lowercase().into())
                .map_err(|_| anyhow::anyhow!("--calendar {calendar}: give fonds, w3act or launcher"))?;
            let (runs, notes) = work::next_runs(&session, campaign, calendar, after, usize::from(count))?;
            for next in &runs {
                let (date, summary) = (next.run.date, &next.run.words);
                if json {
                    let row = serde_json::json!({
                        "campaign": next.campaign, "name": next.campaign_name, "date": date.to_warc(),
                        "words": summary, "is_extra": next.run.is_extra,
                    });
                    json_line(out, &row)?;
                } else {
                    let extra = if next.run.is_extra { ", an extra date" } else { "" };
                    let (id, name) = (next.campaign, plain(&next.campaign_name));
                    writeln!(out, "{}\t{id}\t{summary}{extra}\t{name}", date.to_warc())?;
                }
            }
            notes.iter().for_each(|note| warn_of!("notes", "note: {}", plain(note)));
            Ok(if runs.is_empty() { PROBLEMS } else { FINE })
        }
        ScheduleCommand::Run { folder, once, late, ground } => {
            let session = session(&folder)?;
            ground.prepare(&session)?;
            let on_time = Duration::from_secs(u64::from(late) * 60);
            let watch = work::Watch { once, on_time, now: &CaptureDate::now };
            let report =
                with_text(|cx, print| work::keep_schedules(&session, &watch, cx, &|line| print(plain(&line))))?;
            notice!(
                "Crawls: {} ran, {} failed; runs that wait for an answer: {}",
                report.ran,
                report.failed,
                report.unanswered
            );
            if report.unanswered > 0 {
                let folder = folder.display();
                notice!(
                    "See them with: fonds schedule log {folder}; answer with: fonds schedule answer {folder} NUMBER run"
                );
            }
            Ok(if report.failed == 0 && report.unanswered == 0 { FINE } else { PROBLEMS })
        }
        ScheduleCommand::Log { folder, campaign, limit, json } => {
            let session = read_only_session(&folder)?;
            let campaign = campaign.map(|name| session.catalogue().find_campaign(&name)).transpose()?;
            for run in session.catalogue().scheduled_runs(campaign, limit)? {
                if json {
                    json_line(out, &run)?;
                } else {
                    writeln!(
                        out,
                        "{}\t{}\t{}\t{}\t{}\t{}",
                        run.id,
                        run.due.to_warc(),
                        plain(&run.campaign_name),
                        run.state.label(),
                        run.launch_name.as_deref().unwrap_or("-"),
                        plain(&run.why)
                    )?;
                }
            }
            let runs = session.catalogue().open_scheduled_runs()?;
            let is_waiting = runs.iter().any(|run| run.state == crate::store::rows::RunState::Unanswered);
            Ok(if is_waiting { PROBLEMS } else { FINE })
        }
        ScheduleCommand::Answer { folder, run, answer } => {
            let session = session(&folder)?;
            let before = session.catalogue().scheduled_run(run)?;
            anyhow::ensure!(
                session.catalogue().answer_scheduled(run, answer == "run")?,
                "run {run} does not wait for an answer: it is {}. Numbers of runs: fonds schedule log {}",
                before.state.label(),
                folder.display()
            );
            Ok(FINE)
        }
    }
}
