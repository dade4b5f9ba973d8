//! `fonds changes`.

use crate::cli::FINE;
use crate::cli::campaign::read_only_session;
use crate::cli::output::{json_line, plain};
use crate::store::PageChange;
use crate::work;
use crate::work::models::LaunchId;
use std::io::Write;
use std::path::PathBuf;

/// Compare a crawl with the one before: pages that are new, gone, changed, or failing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds changes my-archive 1\n  \
    fonds changes my-archive 1 --launch 20240301090000 --against 20240308090000\n  \
    fonds changes my-archive 1 --json | jq 'select(.change == \"failing\") | .url'\n  \
    fonds captures my-archive since:gone      their captures\n\n\
    Without launches the last two crawls of the campaign that ended are compared; trials are none, and a patch counts\n\
    with the crawl before it. Columns: host, new, gone, changed, failing.\n\
    New: answered with content, and has no capture in the crawl before. Gone: had content before; now it answers 404 or\n\
    410, or the crawl met it no more. Changed: other content or another status than before. Failing: had content before;\n\
    now another error, or no answer. A page that answers 404 in the place of 200 is gone and changed, so it is counted\n\
    by both. URLs that still wait are none of them.\n\
    With --json one object a page: url, host, change (what says most), changes (all that hold), date, status and number\n\
    of both captures, and outcome where the later crawl has no capture.")]
pub struct LaunchChangesArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign.
    campaign: String,
    /// The earlier crawl (its 14 digits); without it the one before the later.
    #[arg(long, value_name = "LAUNCH")]
    launch: Option<String>,
    /// The later crawl (its 14 digits); without it the last that ended.
    #[arg(long, value_name = "LAUNCH")]
    against: Option<String>,
    /// One object a page.
    #[arg(long)]
    json: bool,
}

pub(in crate::cli) fn run(args: &LaunchChangesArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(&args.folder)?;
    let campaign = session.catalogue().find_campaign(&args.campaign)?;
    let id = |name: &Option<String>| -> anyhow::Result<Option<LaunchId>> {
        let Some(name) = name else { return Ok(None) };
        let found = session.catalogue().launch_named(campaign, name)?;
        anyhow::ensure!(found.is_some(), "campaign {campaign} has no crawl “{name}”; fonds launches lists them");
        Ok(found)
    };
    let (before, after) = (id(&args.launch)?, id(&args.against)?);
    let Some(compared) = work::launch_comparison(&session, campaign, before, after)? else {
        notice!("There are no two crawls of campaign {campaign} to compare yet: fonds crawl {}", args.folder.display());
        return Ok(FINE);
    };
    if args.json {
        for page in work::listed_changes(&session, compared.pair)? {
            json_line(out, &page)?;
        }
        return Ok(FINE);
    }
    for host in &compared.hosts {
        let counts = PageChange::ALL.map(|change| host.count(change).to_string());
        writeln!(out, "{}\t{}", plain(&host.host), counts.join("\t"))?;
    }
    let sums = PageChange::ALL.map(|change| format!("{} {}", compared.count(change), change.name()));
    notice!("{} against {}: {}, {} the same", compared.before, compared.after, sums.join(", "), compared.same);
    let filter = compared.filter(PageChange::Changed, None);
    notice!("Their captures: fonds captures {} {filter}", args.folder.display());
    Ok(FINE)
}
