//! `fonds events`.

use crate::cli::campaign::read_only_session;
use crate::cli::output::{json_line, plain};
use crate::cli::{FINE, PROBLEMS};
use crate::work::Session;
use crate::work::models::{EventKind, EventQuery, LaunchRow};
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// Events that are read at once.
const ROWS_AT_ONCE: u64 = 10_000;

/// Show what a crawl reported: waits, hosts given up, the network, the disk, recovery.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds events my-archive\n  \
    fonds events my-archive 20260816112450 --kind host-given-up\n  \
    fonds events my-archive --json | jq -r '.host' | sort | uniq -c\n\n\
    Of the last launch, newest first; also while it runs. Columns: time (UTC), kind, host, URL, status, text.\n\
    Events that differ in numbers and URL only are one line with their count, the last of them; --each shows them all.\n\
    The same lines, oldest first, stand in events.log beside the crawl log.\n\
    Exit status 1 says that there is no event of that kind.")]
pub struct EventsArgs {
    /// Workspace.
    folder: PathBuf,
    /// The launch (its 14 digits); the last one without it.
    launch: Option<String>,
    /// Only events of this kind.
    #[arg(long, value_parser = kind)]
    kind: Option<EventKind>,
    /// At most so many events.
    #[arg(long)]
    limit: Option<u64>,
    /// Every event by itself, also those that differ in numbers and URL only.
    #[arg(long)]
    each: bool,
    /// One object an event.
    #[arg(long)]
    json: bool,
}

fn kind(name: &str) -> Result<EventKind, String> {
    let names = || EventKind::ALL.map(EventKind::name).join(", ");
    EventKind::from_name(name).ok_or_else(|| format!("there is no such kind; there are {}", names()))
}

/// The launch of this name, or the last one.
fn launch(session: &Session, name: Option<&str>) -> anyhow::Result<LaunchRow> {
    let catalogue = session.catalogue();
    let Some(name) = name else {
        let none = || anyhow::anyhow!("no crawl has run in this workspace yet. Start one with: fonds crawl");
        return catalogue.last_launch(None)?.ok_or_else(none);
    };
    for id in catalogue.launch_ids(None)?.into_iter().rev() {
        let launch = catalogue.launch(id)?;
        if launch.launch == name {
            return Ok(launch);
        }
    }
    anyhow::bail!("there is no launch “{}” in this workspace; fonds launches lists them", plain(name))
}

pub(in crate::cli) fn run(args: &EventsArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(&args.folder)?;
    let launch = launch(&session, args.launch.as_deref())?.id;
    let mut query = EventQuery { launch, kind: args.kind, each: args.each, offset: 0, limit: 0 };
    let mut left = args.limit.unwrap_or(u64::MAX);
    let mut out = BufWriter::new(out);
    let mut last = i64::MAX;
    loop {
        query.limit = left.min(ROWS_AT_ONCE);
        let page = session.catalogue().events(&query)?;
        // Events may come while these are read: none is shown twice.
        for row in page.rows.iter().filter(|row| row.id < last) {
            if args.json {
                json_line(&mut out, row)?;
                continue;
            }
            let event = &row.event;
            let or_dash = |text: &str| if text.is_empty() { "-".to_owned() } else { plain(text) };
            let status = if event.status == 0 { "-".to_owned() } else { event.status.to_string() };
            writeln!(
                out,
                "{}\t{}\t{}\t{}\t{status}\t{}{}",
                event.date.to_readable(),
                event.kind.name(),
                or_dash(&event.host),
                or_dash(&event.url),
                if event.count > 1 && !args.each {
                    format!("{} times, the last: ", event.count)
                } else {
                    String::new()
                },
                plain(&event.text)
            )?;
        }
        last = page.rows.last().map_or(last, |row| row.id);
        let read = page.rows.len() as u64;
        left = left.saturating_sub(read);
        query.offset += read;
        if left == 0 || read == 0 {
            break;
        }
    }
    out.flush()?;
    Ok(if query.offset > 0 { FINE } else { PROBLEMS })
}
