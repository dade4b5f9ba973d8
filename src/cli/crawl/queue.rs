//! `fonds queue`.

use crate::cli::FINE;
use crate::cli::campaign::read_only_session;
use crate::cli::output::{json_line, plain};
use crate::jobs::counted;
use crate::work;
use std::io::Write;
use std::path::PathBuf;

/// Show what a crawl fetches next, and why.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds queue my-archive 1\n  \
    fonds queue my-archive 1 --host www.example.org --top 50\n  \
    fonds queue my-archive 1 --json | jq .explanation\n\n\
    The queue of the last launch, also while it runs. Columns: place, priority from 0 to 10,000, host, URL, and the sum\n\
    that the priority is: words of the request in the text of the link, in the path of the URL and in the main text of\n\
    the page with the link, and other hosts that link to it. Among hosts that are due the crawl also goes by what they\n\
    gave so far, and every tenth URL is a random one: it does not follow this list to the letter.\n\
    The order is the field \"order\" of the campaign: relevance, hosts_in_turn or breadth_first.")]
pub struct QueueArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign.
    campaign: String,
    /// Only what waits for this host (with its port, where that is no default).
    #[arg(long)]
    host: Option<String>,
    /// How many URLs.
    #[arg(long, default_value_t = 20)]
    top: u64,
    /// One object a URL.
    #[arg(long)]
    json: bool,
}

pub(in crate::cli) fn run(args: &QueueArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(&args.folder)?;
    let campaign = session.catalogue().find_campaign(&args.campaign)?;
    let queue = work::queue(&session, campaign, args.host.as_deref(), args.top)?;
    for place in &queue.first {
        if args.json {
            json_line(out, place)?;
            continue;
        }
        writeln!(
            out,
            "{}\t{}\t{}\t{}\t{}",
            place.rank,
            place.priority,
            plain(&place.host),
            plain(&place.url),
            plain(&place.explanation)
        )?;
    }
    match &queue.launch {
        _ if args.json => {}
        None => notice!("{}: the campaign was not crawled yet", args.folder.display()),
        Some(launch) => {
            let (waiting, order) = (counted(queue.waiting, "URL"), queue.order);
            let of = args.host.as_ref().map(|host| format!(" for {}", plain(host))).unwrap_or_default();
            notice!("Launch {launch}, order “{order}”: {waiting} in the queue{of}");
        }
    }
    Ok(FINE)
}
