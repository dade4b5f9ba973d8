//! `fonds feed`.

use super::campaign::{read_only_session, session};
use super::output::{json_line, plain};
use super::{FINE, PROBLEMS, WRONG_USE};
use crate::campaign::feed::{Dialect, DueQuestion, FeedFrequency, FeedGrounds};
use crate::jobs::counted;
use crate::uri::CaptureDate;
use crate::work::Report;
use crate::work::{self, FeedReport};
use anyhow::Context;
use std::io::Write;
use std::path::PathBuf;

/// Crawl feeds of an annotation tool.
#[derive(Debug, clap::Subcommand)]
pub enum FeedCommand {
    /// Bring the targets of feeds in, each as a campaign.
    #[command(after_help = "Examples:\n  fonds feed import my-archive crawl-feed.json\n  \
        fonds feed import my-archive crawl-feed.2016-*.jsonl --json | jq .problems\n\n\
        All dialects are known by themselves: api, wrapped, lines, launcher, write-back, launch.\n\
        A target that was imported before becomes a new version of its campaign; what you changed in it stays.\n\
        What a campaign has no place for is kept and goes out again with fonds feed export.\n\
        Exit status 1 says that entries were left out; 2 that a file cannot be used; the others are read.")]
    Import {
        /// Workspace.
        folder: PathBuf,
        /// Feeds.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Make new campaigns, also of targets that are known by their number.
        #[arg(long)]
        always_new: bool,
        /// One object a file.
        #[arg(long)]
        json: bool,
    },
    /// Read a feed and say what is wrong with it; nothing is brought in.
    #[command(after_help = "Example:\n  fonds feed check crawl-feed.json\n\n\
        Exit status 1 says that something is wrong; 2 that the file cannot be read.")]
    Check {
        /// Feeds.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// One object a file.
        #[arg(long)]
        json: bool,
    },
    /// Print campaigns as a feed.
    #[command(after_help = "Examples:\n  fonds feed export my-archive > crawl-feed.json\n  \
        fonds feed export my-archive --frequency daily --dialect launcher > crawl-feed.daily\n  \
        fonds feed export my-archive --frequency frequent --dialect launch --campaign 3\n\n\
        Dialects: api (array, dates in milliseconds), wrapped ({\"targets\": {…}}, dates as text), lines (one a\n\
        line, dates as text), launcher (array, dates as text), write-back (field_… names, dates in seconds),\n\
        launch (one message a seed).\n\
        With --frequency the feed holds what is due, as the annotation tool decides: of that frequency, switched\n\
        on, begun (a start date is needed) and not ended, two hours' grace at both ends. all is everything but\n\
        blocked targets, frequent also without those of the domain crawl; nevercrawl is what is blocked.\n\
        Without it all campaigns go out; of those that are switched off a note tells, as a feed cannot say so.\n\
        With --grounds the feed holds only targets whose seeds all stand on them, by the campaign's records, domains\n\
        and countries: ld is legal deposit (with --paywalled its feed of targets behind a login), by is a licence\n\
        of targets that legal deposit does not reach, oa is a licence of their own, whatever the dates.\n\
        Without it permissions are not asked: a target whose owner refused goes out like any other. The crawler\n\
        that reads the feed, or the campaign's own rules, must ask for them.")]
    Export {
        /// Workspace.
        folder: PathBuf,
        /// Form of the feed.
        #[arg(long, default_value = "api", value_parser = dialect)]
        dialect: Dialect,
        /// Only targets that are due: a frequency, all or frequent.
        #[arg(long, value_parser = frequency)]
        frequency: Option<FeedFrequency>,
        /// Only targets behind a login, which are left out otherwise.
        #[arg(long, requires = "frequency")]
        paywalled: bool,
        /// Only targets on these grounds: ld, by or oa.
        #[arg(long, requires = "frequency", value_parser = grounds)]
        grounds: Option<FeedGrounds>,
        /// Time that the question is asked for, such as 2024-03-01T09:00; now where it is not given.
        #[arg(long, requires = "frequency")]
        at: Option<String>,
        /// Only this campaign, by number or title; may be given again.
        #[arg(long)]
        campaign: Vec<String>,
    },
}

fn dialect(value: &str) -> Result<Dialect, String> {
    Dialect::parse(value).ok_or_else(|| {
        let all: Vec<&str> = Dialect::ALL.into_iter().map(Dialect::as_str).collect();
        format!("one of {} is wanted", all.join(", "))
    })
}

fn frequency(value: &str) -> Result<FeedFrequency, String> {
    FeedFrequency::parse(value).ok_or_else(|| {
        "one of daily, weekly, monthly, quarterly, sixmonthly, annual, domaincrawl, nevercrawl, all, frequent is wanted"
            .to_owned()
    })
}

fn grounds(value: &str) -> Result<FeedGrounds, String> {
    FeedGrounds::parse(value).ok_or_else(|| {
        let all: Vec<&str> = FeedGrounds::ALL.into_iter().map(FeedGrounds::as_str).collect();
        format!("one of {} is wanted", all.join(", "))
    })
}

pub(super) fn run(command: FeedCommand, out: &mut dyn Write) -> anyhow::Result<u8> {
    match command {
        FeedCommand::Import { folder, files, always_new, json } => {
            let session = session(&folder)?;
            each_file(&files, json, out, |file| work::import_feed(&session.workspace, file, always_new))
        }
        FeedCommand::Check { files, json } => {
            let status = each_file(&files, json, out, work::check_feed)?;
            Ok(status)
        }
        FeedCommand::Export { folder, dialect, frequency, paywalled, grounds, at, campaign } => {
            anyhow::ensure!(
                !paywalled || FeedGrounds::part_logins(grounds),
                "--paywalled goes with no grounds or with ld"
            );
            let session = read_only_session(&folder)?;
            let now = match at {
                Some(text) => CaptureDate::parse(&text).context("--at")?,
                None => CaptureDate::now(),
            };
            let ids =
                campaign.iter().map(|name| session.catalogue().find_campaign(name)).collect::<Result<Vec<_>, _>>()?;
            let due = frequency.map(|frequency| DueQuestion { frequency, now, paywalled, grounds });
            let feed = work::export_feed(&session, dialect, &ids, due.as_ref())?;
            out.write_all(feed.text.as_bytes())?;
            for (id, name, note) in &feed.notes {
                warn_of!("notes on campaigns", "note: campaign {id} ({}): {}", plain(name), plain(note));
            }
            notice!("{}", counted(feed.targets as u64, "target"));
            for (why, count) in &feed.left_out {
                notice!("{count} left out: {why}");
            }
            Ok(FINE)
        }
    }
}

fn each_file(
    files: &[PathBuf],
    json: bool,
    out: &mut dyn Write,
    read: impl Fn(&std::path::Path) -> anyhow::Result<FeedReport>,
) -> anyhow::Result<u8> {
    let mut status = FINE;
    for file in files {
        let report = match read(file) {
            Ok(report) => report,
            Err(error) => {
                notice!("fonds: {}", plain(&work::error_chain(&error)));
                status = WRONG_USE;
                continue;
            }
        };
        if report.problems.iter().any(|problem| problem.keeps_out) && status == FINE {
            status = PROBLEMS;
        }
        if json {
            json_line(out, &report)?;
        } else {
            for row in &report.campaigns {
                let number = row.campaign.map_or_else(|| "-".to_owned(), |id| id.to_string());
                let change = match (row.campaign, row.change) {
                    (None, _) => "fine",
                    (_, work::FeedChange::New) => "new",
                    (_, work::FeedChange::Changed) => "changed",
                    (_, work::FeedChange::Same) => "unchanged",
                };
                writeln!(out, "{number}\t{change}\tentry {}\t{}", row.index, plain(&row.name))?;
                if let (Some(id), Some(terms)) = (row.campaign, &row.suspended_terms) {
                    notice!("{}", plain(&work::suspension_line(id, terms)));
                }
            }
        }
        for problem in &report.problems {
            let weight = if problem.keeps_out { "left out" } else { "note" };
            warn_of!(weight, "{weight}: {}: {}", plain(&report.file), plain(&problem.to_string()));
        }
        let message = if report.campaigns.iter().any(|row| row.campaign.is_some()) || report.campaigns.is_empty() {
            report.summary()
        } else {
            format!(
                "{} ({}): {}, {} usable, {}",
                report.file,
                report.dialect.as_str(),
                counted(report.found as u64, "entry"),
                report.campaigns.len(),
                counted(report.problems.len() as u64, "problem")
            )
        };
        notice!("{}", plain(&message));
    }
    Ok(status)
}
