//! `fonds review`.

pub(super) mod annotations;
pub(super) mod captures;
pub(super) mod changes;
pub(super) mod check;
pub(super) mod collections;
pub(super) mod diff;
pub(super) mod mark;
mod queue;
mod sample;
pub(super) mod why;

use super::FINE;
use super::campaign::read_only_session;
use super::output::{json_line, plain};
use super::select::print_rejected_before;
use crate::cli::review::captures::named_campaign;
use crate::cli::search::query_text::QueryText;
use crate::jobs::counted;
use crate::work;
use crate::work::models::{CaptureQuery, CaptureTab};
use std::io::Write;
use std::path::PathBuf;

/// What is done in Review.
#[derive(Debug, clap::Subcommand)]
pub enum ReviewCommand {
    /// List captures in the order in which they come up in Review.
    Queue(queue::ReviewQueueArgs),
    /// List causes that captures to review share: check, host and form of address.
    Groups(queue::GroupsArgs),
    /// Draw a sample of what is to review.
    Sample(sample::ReviewSampleArgs),
    /// List samples with what their decisions tell.
    Samples(sample::SamplesArgs),
    /// Say how far two persons agree about a sample.
    Agreement(sample::AgreementArgs),
    /// List the reason codes of the workspace, or change them.
    Reasons(sample::ReasonsArgs),
}

/// List the captures that wait for a decision, in the order in which they came, or see the queue of Review.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:\n  fonds review my-archive\n  \
    fonds review my-archive --campaign 1 --filter 'media:page' --json\n\n\
    Columns: number, date, status, URL. Of captures of a page with the same content one is listed: a decision on it is one\n\
    on all of them. URLs with an earlier rejection that changed are counted at the end; of these no score, filter or\n\
    collection selects anything before it is approved: fonds mark.")]
pub struct ReviewArgs {
    /// Workspace.
    folder: Option<PathBuf>,
    /// A part of Review.
    #[command(subcommand)]
    command: Option<ReviewCommand>,
    /// Number or title of the campaign; all captures without it.
    #[arg(long)]
    campaign: Option<String>,
    /// Only captures that this filter finds.
    #[arg(long, default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    filter: QueryText,
    /// At most so many captures.
    #[arg(long, default_value_t = u64::MAX, hide_default_value = true)]
    limit: u64,
    /// One object a capture.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ReviewArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    match &args.command {
        Some(ReviewCommand::Queue(args)) => return queue::queue(args, out),
        Some(ReviewCommand::Groups(args)) => return queue::groups(args, out),
        Some(ReviewCommand::Sample(args)) => return sample::sample(args, out),
        Some(ReviewCommand::Samples(args)) => return sample::samples(args, out),
        Some(ReviewCommand::Agreement(args)) => return sample::agreement(args, out),
        Some(ReviewCommand::Reasons(args)) => return sample::reasons(args, out),
        None => {}
    }
    let folder = args.folder.as_ref().ok_or_else(|| anyhow::anyhow!("which workspace? fonds review DIR"))?;
    let session = read_only_session(folder)?;
    let campaign = named_campaign(&session, args.campaign.as_deref())?;
    let query = CaptureQuery {
        campaign,
        filter: args.filter.to_string(),
        tab: CaptureTab::NotReviewed,
        limit: args.limit,
        ..work::everything()
    };
    let page = session.catalogue().captures(&query)?;
    if let Some(problem) = page.filter_problem {
        anyhow::bail!("the filter cannot be read: {problem}");
    }
    for row in &page.rows {
        match args.json {
            true => json_line(out, row)?,
            false => writeln!(out, "{}\t{}\t{}\t{}", row.id, row.date.to_readable(), row.status, plain(&row.url))?,
        }
    }
    notice!("{} to review", counted(page.total, "capture"));
    if let Some(campaign) = campaign.or(session.catalogue().only_campaign()?) {
        print_rejected_before(&session, folder, campaign)?;
    }
    Ok(FINE)
}
