//! `fonds review queue` and `fonds review groups`.

use super::captures::named_campaign;
use crate::cli::FINE;
use crate::cli::campaign::read_only_session;
use crate::cli::output::{json_line, plain};
use crate::cli::search::query_text::QueryText;
use crate::jobs::counted;
use crate::work;
use crate::work::Session;
use crate::work::models::{ReviewOrder, ReviewQueueQuery};
use std::io::Write;
use std::path::PathBuf;

/// List captures in the order in which they come up in Review.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds review queue my-archive\n  \
    fonds review queue my-archive --by new --campaign 1 --json\n  \
    fonds review queue my-archive --by severity --filter 'host:example.org' --limit 20\n  \
    fonds review queue my-archive --by second --sample 1 --as 'Rui Dias'\n\n\
    severity: what the page loses by its findings (fonds check), then links from other hosts. new: what the last crawl\n\
    brought for the first time or with new content. cited: pages that many other hosts link to. disagreements: captures\n\
    that two persons decided differently. sample: what is left of a sample. second: pages of a sample that somebody else\n\
    judged, without their decisions. A queue by severity is no sample: its shares tell nothing about all pages.\n\
    Columns: number, severity, finding, status, URL.")]
pub struct ReviewQueueArgs {
    /// Workspace.
    folder: PathBuf,
    /// What comes up, and in which order.
    #[arg(long, value_name = "ORDER", default_value = "severity")]
    by: OrderArg,
    /// Name or number of the sample.
    #[arg(long, value_name = "SAMPLE")]
    sample: Option<String>,
    /// Who reviews; the system's user name without it.
    #[arg(long = "as", value_name = "NAME")]
    person: Option<String>,
    /// Number or title of the campaign; all captures without it.
    #[arg(long)]
    campaign: Option<String>,
    /// Only captures that this filter finds.
    #[arg(long, default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    filter: QueryText,
    /// Reviewed captures, parts of pages and robots.txt as well.
    #[arg(long)]
    all: bool,
    /// At most so many captures.
    #[arg(long, default_value_t = 200)]
    limit: u64,
    /// One object a capture.
    #[arg(long)]
    json: bool,
}

/// An order as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum OrderArg {
    Severity,
    New,
    Cited,
    Disagreements,
    Sample,
    Second,
}

pub(super) fn queue(args: &ReviewQueueArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(&args.folder)?;
    let sample = |session: &Session| -> anyhow::Result<_> {
        let name = args
            .sample
            .as_deref()
            .ok_or_else(|| anyhow::anyhow!("which sample? --sample NAME, of those of fonds review samples"))?;
        Ok(super::sample::named_sample(session, name)?.id)
    };
    let order = match args.by {
        OrderArg::Severity => ReviewOrder::Severity,
        OrderArg::New => ReviewOrder::New,
        OrderArg::Cited => ReviewOrder::Cited,
        OrderArg::Disagreements => ReviewOrder::Disagreements,
        OrderArg::Sample => ReviewOrder::Sample(sample(&session)?),
        OrderArg::Second => ReviewOrder::SecondReading(sample(&session)?),
    };
    let query = ReviewQueueQuery {
        campaign: named_campaign(&session, args.campaign.as_deref())?,
        order,
        filter: args.filter.to_string(),
        includes_all: args.all,
        person: args.person.clone().unwrap_or_else(work::operator),
        offset: 0,
        limit: args.limit,
    };
    let page = session.catalogue().review_queue(&query)?;
    if let Some(problem) = page.filter_problem {
        anyhow::bail!("the filter cannot be read: {problem}");
    }
    for of in &page.rows {
        if args.json {
            json_line(out, of)?;
            continue;
        }
        let loss = of.loss.map_or("-".to_owned(), |loss| format!("{loss:.2}"));
        let check = of.check.as_deref().unwrap_or("-");
        writeln!(out, "{}\t{loss}\t{check}\t{}\t{}", of.row.id, of.row.status, plain(&of.row.url))?;
    }
    let total = session.catalogue().review_queue_count(&query)?.unwrap_or_default();
    notice!("{} to review", counted(total, "capture"));
    Ok(FINE)
}

/// List causes that captures to review share: check, host and form of address.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds review groups my-archive\n  \
    fonds review groups my-archive --campaign 1 --json\n\n\
    The filter of a cause finds its captures: fonds mark my-archive reject --filter FILTER decides on all of them as one\n\
    act. Columns: captures, severity, check, filter.")]
pub struct GroupsArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign; all captures without it.
    #[arg(long)]
    campaign: Option<String>,
    /// One object a cause.
    #[arg(long)]
    json: bool,
}

pub(super) fn groups(args: &GroupsArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(&args.folder)?;
    let groups = session.catalogue().cause_groups(named_campaign(&session, args.campaign.as_deref())?)?;
    for group in &groups {
        match args.json {
            true => json_line(out, group)?,
            false => {
                let filter = plain(&group.filter);
                writeln!(out, "{}\t{:.2}\t{}\t{filter}", group.captures, group.severity, plain(&group.check))?;
            }
        }
    }
    notice!("{} on captures to review", counted(groups.len() as u64, "cause"));
    Ok(FINE)
}
