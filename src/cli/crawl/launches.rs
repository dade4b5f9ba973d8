//! `fonds launches`.

use super::trials::TrialCommand;
use crate::cli::FINE;
use crate::cli::campaign::read_only_session;
use crate::cli::output::{json_line, plain};
use crate::cli::review::captures::named_campaign;
use crate::jobs::counted;
use crate::work;
use std::io::Write;
use std::path::PathBuf;

/// List the crawls of a workspace, the newest first.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds launches my-archive\n  \
    fonds launches my-archive --campaign 1 --json\n  \
    fonds events my-archive 20240301090000      what one of them reported\n  \
    fonds launches discard my-archive 20240301090000      takes a trial out again\n\n\
    Columns: launch, campaign with version, start, end, state, URLs fetched, failed, refused and queued, bytes, why it \
    ended. A trial is named in its state. The launch is its name, as fonds events, fonds why and the filter launch: take it. What imports came to: fonds files \
    imports. Nothing is listed, and the status is 0, where nothing was crawled yet.")]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct LaunchesArgs {
    #[command(subcommand)]
    trial: Option<TrialCommand>,
    /// Workspace.
    #[arg(required = true)]
    folder: Option<PathBuf>,
    /// Only those of this campaign, by number or title.
    #[arg(long)]
    campaign: Option<String>,
    /// One object a launch.
    #[arg(long)]
    json: bool,
}

pub(in crate::cli) fn run(args: &LaunchesArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    if let Some(trial) = &args.trial {
        return super::trials::run_trial(trial, out);
    }
    let folder = args.folder.clone().unwrap_or_default();
    let session = read_only_session(&folder)?;
    let campaign = named_campaign(&session, args.campaign.as_deref())?;
    let launches = work::launches(&session, campaign)?;
    for launch in launches.iter().rev() {
        if args.json {
            json_line(out, launch)?;
            continue;
        }
        let row = &launch.row;
        let campaign = match row.campaign.get() {
            0 => "none".to_owned(),
            _ => format!("{} “{}” v{}", row.campaign, plain(&row.campaign_name), launch.version),
        };
        let ended = row.ended.map_or_else(|| "-".to_owned(), |ended| ended.to_readable());
        let figures =
            format!("{} fetched, {} failed, {} refused, {} queued", row.fetched, row.failed, row.refused, row.queued);
        let why = if row.why.is_empty() { "-".to_owned() } else { plain(&row.why) };
        writeln!(
            out,
            "{}\t{campaign}\t{}\t{ended}\t{}\t{figures}\t{}\t{why}",
            plain(&row.launch),
            row.started.to_readable(),
            launch.outcome,
            row.bytes
        )?;
    }
    if launches.is_empty() && !args.json {
        notice!("{}: nothing was crawled yet", folder.display());
    } else if !args.json {
        notice!("{}", counted(launches.len() as u64, "launch"));
    }
    Ok(FINE)
}
