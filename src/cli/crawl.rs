//! `fonds crawl`.

use super::campaign::desk;
use super::output::{json_line, plain, with_progress};
use super::{FINE, PROBLEMS};
use crate::app::models::{Launches, SeenQuery};
use crate::app::workspace_desk::WorkspaceDesk;
use crate::app::{Desk, work};
use crate::crawl::HostOverride;
use crate::jobs::counted;
use anyhow::Context;
use std::io::Write;
use std::path::PathBuf;

/// URLs shown when a crawl came to nothing.
const SHOWN: u64 = 5;

/// Crawl a campaign now.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds crawl my-archive 1\n  \
    fonds crawl my-archive 1 --geo GeoLite2-Country.mmdb\n  \
    fonds crawl my-archive 1 --resolve www.site.pt:80:127.0.0.1:8080\n\n\
    Ctrl-C stops cleanly and a second call resumes; so it does after a power cut or kill -9.\n\
    Limits and politeness are those of the campaign's newest version, also for a launch that goes on.\n\
    Exit status 1 says that nothing could be fetched, that URLs failed (--retry-failed takes them again), or that URLs \
    still wait: it was stopped, or a limit was reached.")]
pub struct Args {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign.
    campaign: String,
    #[command(flatten)]
    ground: Ground,
    /// Begin a new launch even when the last one did not come to its end.
    #[arg(long, conflicts_with = "retry_failed")]
    fresh: bool,
    /// Crawl the URLs that failed in the last launch again.
    #[arg(long)]
    retry_failed: bool,
    /// The result as one object.
    #[arg(long)]
    json: bool,
}

/// What crawls of this call stand on.
#[derive(Debug, clap::Args)]
pub struct Ground {
    /// Lead a host elsewhere: HOST:PORT:ADDRESS, where the address may carry a port of its own.
    #[arg(long, value_name = "HOST:PORT:ADDR")]
    resolve: Vec<String>,
    /// Geolocation database (GeoLite2, DB-IP …); kept as the workspace's own from now on.
    #[arg(long, value_name = "FILE.mmdb")]
    geo: Option<PathBuf>,
}

impl Ground {
    /// Makes a workspace ready for crawls; serves the sample web where it needs one.
    pub(super) fn prepare(&self, desk: &WorkspaceDesk) -> anyhow::Result<()> {
        if work::is_sample(desk) {
            desk.serve_sample(crate::app::sample::SampleWeb::start(work::sample_edition(desk)?)?);
        }
        let mut overrides = desk.overrides();
        for text in &self.resolve {
            overrides.push(text.parse::<HostOverride>().with_context(|| format!("--resolve {text}"))?);
        }
        desk.set_overrides(overrides);
        if let Some(geo) = &self.geo {
            work::set_geo_database(desk, geo)?;
        }
        Ok(())
    }
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<u8> {
    let desk = desk(&args.folder)?;
    let id = desk.catalogue().find_campaign(&args.campaign)?;
    args.ground.prepare(&desk)?;
    let options =
        work::CrawlOptions { fresh: args.fresh, retry_failed: args.retry_failed, ..work::crawl_options(&desk)? };
    let outcome = with_progress(|cx| work::crawl(&desk, id, &options, cx))?;
    if args.json {
        json_line(out, &outcome)?;
    } else {
        writeln!(out, "{}", outcome.words())?;
        writeln!(out, "WARC files  {}", outcome.warc_folder.display())?;
        writeln!(out, "Logs        {}", outcome.log_folder.display())?;
    }
    let nothing_fetched = outcome.nothing_fetched.is_some();
    if nothing_fetched {
        tell!("What happened to the first URLs:");
        for state in ["failed", "refused"] {
            let launches = Launches::Last;
            let query =
                SeenQuery { campaign: Some(id), launches, state, filter: String::new(), offset: 0, limit: SHOWN };
            for row in desk.seen(&query)?.rows {
                let detail = match row.outcome.detail.as_str() {
                    "" => String::new(),
                    detail => format!(" ({})", plain(detail)),
                };
                tell!("  {}: {}{detail}", plain(&row.url), plain(&row.outcome.sentence));
            }
        }
    }
    if outcome.limit_reached {
        let folder = args.folder.display();
        tell!(
            "To go on, raise the limit in the campaign (fonds campaign export {folder} {id} > FILE, then \
             fonds campaign add {folder} FILE --id {id}) and crawl again; for a new launch, add --fresh"
        );
    }
    if outcome.complete && outcome.failed > 0 {
        let folder = args.folder.display();
        tell!("{} failed. To try again: fonds crawl {folder} {id} --retry-failed", counted(outcome.failed, "URL"));
    }
    Ok(if outcome.complete && !nothing_fetched && outcome.failed == 0 { FINE } else { PROBLEMS })
}
