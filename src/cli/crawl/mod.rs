//! `fonds crawl`.

pub(super) mod engine;
pub(super) mod events;
pub(super) mod launches;
pub(super) mod patch;
pub(super) mod queue;
pub(super) mod robots;
pub(super) mod schedule;
pub(super) mod trials;

use super::campaign::session;
use super::output::{json_line, plain, short, with_bar};
use super::{FINE, PROBLEMS};
use crate::crawl::{CrawlEvent, EventKind, EventObserver};
use crate::exchange::HostOverride;
use crate::jobs::counted;
use crate::work;
use crate::work::Report;
use crate::work::Session;
use crate::work::models::{CampaignId, Launches, SeenQuery};
use anyhow::Context;
use serde::Serialize;
use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Time between two checks for the end of the crawl while no event comes.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// [`work::TRIAL_URLS`] as an argument.
const DEFAULT_TRIAL: &str = "300";
/// URLs shown when a crawl came to nothing.
const SHOWN: u64 = 5;

/// Crawl a campaign now.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds crawl my-archive 1\n  \
    fonds crawl my-archive 1 --geo GeoLite2-Country.mmdb\n  \
    fonds crawl my-archive 1 --index\n  \
    fonds crawl my-archive 1 --trial 300\n  \
    fonds crawl my-archive 1 --resolve www.site.pt:80:127.0.0.1:8080\n\n\
    Ctrl-C stops cleanly and a second call resumes; so it does after a power cut or kill -9.\n\
    What happens is printed as it does; fonds events shows it afterwards. On a full disk the crawl waits for room.\n\
    With --json the last line is the result; each line before it is an event: {\"event\": …}.\n\
    A launch that goes on takes the campaign's newest version: its queue, and what was refused when it was found,\n\
    are judged by the seeds and rules that were changed meanwhile.\n\
    Exit status 1 says that nothing could be fetched, that URLs failed or answered with 429 or 5xx only\n\
    (--retry-failed takes both again), that a seed answered with an error, or that URLs still wait: it was stopped, or\n\
    a limit was reached.")]
pub struct CrawlArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign.
    campaign: String,
    #[command(flatten)]
    ground: Ground,
    /// Begin a new launch even when the last one did not come to its end.
    #[arg(long, conflicts_with = "retry_failed")]
    fresh: bool,
    /// Crawl a trial of at most so many URLs: by relevance, at most 30 of a host, pages alone. It is kept or discarded as a whole.
    #[arg(long, value_name = "URLS", num_args = 0..=1, default_missing_value = DEFAULT_TRIAL, conflicts_with = "retry_failed",
        value_parser = clap::value_parser!(u64).range(1..))]
    trial: Option<u64>,
    /// Crawl the URLs again that failed in the last launch, or last answered with 429 or 5xx.
    #[arg(long)]
    retry_failed: bool,
    /// Make the texts of new captures searchable while the crawl runs, and at its end, as fonds index does.
    #[arg(long)]
    index: bool,
    /// Print every event, single waits and retries too.
    #[arg(long)]
    events: bool,
    /// One object a line: {"event": …} for each event while the crawl runs, and the result last.
    #[arg(long)]
    json: bool,
}

/// Options that prepare a workspace for crawls: addresses of hosts and the geolocation database.
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
    pub(super) fn prepare(&self, session: &Session) -> anyhow::Result<()> {
        work::sample::serve_sample(session)?;
        let mut overrides = session.overrides();
        for text in &self.resolve {
            overrides.push(text.parse::<HostOverride>().with_context(|| format!("--resolve {text}"))?);
        }
        session.set_overrides(overrides);
        if let Some(geo) = &self.geo {
            work::set_geo_database(session, geo)?;
        }
        Ok(())
    }
}

/// Crawls, and prints the events that come meanwhile: as objects on `out`, or
/// as lines on standard error.
fn crawl_with_events(
    session: &Session,
    id: CampaignId,
    options: work::CrawlOptions,
    args: &CrawlArgs,
    out: &mut dyn Write,
) -> anyhow::Result<work::CrawlOutcome> {
    let (sender, events) = crossbeam_channel::unbounded();
    let observer = EventObserver::new(move |event| {
        // The last events may come when nobody listens any more.
        let _ = sender.send(event.clone());
    });
    let options = work::CrawlOptions { on_event: Some(observer), ..options };
    with_bar(|cx, bar| {
        let followed = || {
            std::thread::scope(|scope| {
                let crawl = scope.spawn(move || session.crawl_with(id, &options, cx));
                let mut written = Ok(());
                let mut repeats = Repeats::default();
                let mut print = |event: CrawlEvent| {
                    if args.json && written.is_ok() {
                        bar.suspend(|| written = json_line(out, &EventLine { event: &event }));
                    }
                    if args.events || (is_printed(&event) && repeats.is_shown(&event)) {
                        bar.suspend(|| notice!("{}", event_line(&event)));
                    }
                };
                while !crawl.is_finished() {
                    events.recv_timeout(POLL_INTERVAL).into_iter().for_each(&mut print);
                }
                events.try_iter().for_each(&mut print);
                repeats
                    .lines()
                    .for_each(|line| notice!("{line}; all of them: fonds events {} --each", args.folder.display()));
                let outcome = crawl.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
                written.map(|()| outcome)
            })
        };
        crate::cli::search::index::follow_beside(session, args.index, followed)
    })
}

/// An event among the lines of `--json`.
#[derive(Serialize)]
struct EventLine<'a> {
    event: &'a CrawlEvent,
}

/// Whether a person who watches needs the event: single waits, retries and
/// questions for robots.txt pass by themselves, and the end has its own line.
fn is_printed(event: &CrawlEvent) -> bool {
    match event.kind {
        EventKind::Wait | EventKind::Robots => event.count > 1,
        EventKind::End => false,
        _ => true,
    }
}

/// Repeats of an event that are printed; the others are counted.
const REPEATS_PRINTED: u64 = 5;

/// Counts events that differ in numbers and URL only.
#[derive(Default)]
struct Repeats(HashMap<(EventKind, String, String), u64>);

impl Repeats {
    /// Whether an event is to be printed. A host, a network or a disk that
    /// comes and goes is reported each time.
    fn is_shown(&mut self, event: &CrawlEvent) -> bool {
        if matches!(event.kind, EventKind::Host | EventKind::HostGivenUp | EventKind::Network | EventKind::Disk) {
            return true;
        }
        let count = self.0.entry((event.kind, event.host.clone(), event.shape())).or_default();
        *count += 1;
        *count <= REPEATS_PRINTED
    }

    /// The numbers of events that were not printed, a line for each kind.
    fn lines(&self) -> impl Iterator<Item = String> {
        let more = self.0.iter().filter(|(_, count)| **count > REPEATS_PRINTED);
        more.map(|((kind, _, text), count)| {
            let more = counted(count - REPEATS_PRINTED, "more event");
            format!("{more} of the kind {}: {}", kind.name(), short(&plain(text), 100))
        })
    }
}

/// An event as a line on a terminal.
fn event_line(event: &CrawlEvent) -> String {
    let mut line = format!("{} UTC  {}  {}", event.date.to_readable(), event.kind.name(), plain(&event.text));
    let about = if event.url.is_empty() { &event.host } else { &event.url };
    if !about.is_empty() && !event.text.contains(about.as_str()) {
        line.push_str(&format!(": {}", short(about, 200)));
    }
    line
}

pub(super) fn run(args: &CrawlArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = session(&args.folder)?;
    let id = session.catalogue().find_campaign(&args.campaign)?;
    args.ground.prepare(&session)?;
    let options = work::CrawlOptions {
        trial: args.trial,
        fresh: args.fresh,
        retry_failed: args.retry_failed,
        ..session.crawl_options()?
    };
    let outcome = crawl_with_events(&session, id, options, args, out)?;
    // A stop is a stop.
    let is_at_end = outcome.complete || outcome.limit_reached;
    let unread_texts = if args.index && is_at_end { crate::cli::search::index::follow(&session)? } else { 0 };
    if args.json {
        json_line(out, &outcome)?;
    } else {
        writeln!(out, "{}", outcome.summary())?;
        writeln!(out, "WARC files  {}", outcome.warc_folder.display())?;
        writeln!(out, "Logs        {}", outcome.log_folder.display())?;
    }
    let nothing_fetched = outcome.nothing_fetched.is_some();
    if nothing_fetched {
        notice!("What happened to the first URLs:");
        for state in ["failed", "refused"] {
            let launches = Launches::Last;
            let query = SeenQuery {
                campaign: Some(id),
                launches,
                state,
                filter: String::new(),
                sort: Vec::new(),
                offset: 0,
                limit: SHOWN,
            };
            for row in session.catalogue().seen(&query)?.rows {
                let detail = match row.outcome.detail.as_str() {
                    "" => String::new(),
                    detail => format!(" ({})", plain(detail)),
                };
                notice!("  {}: {}{detail}", plain(&row.url), plain(&row.outcome.sentence));
            }
        }
    }
    if outcome.is_trial && outcome.complete {
        let (folder, launch) = (args.folder.display(), &outcome.launch);
        notice!("Pages to mark as relevant or not: fonds marks {folder} {launch}");
        notice!("Then: fonds suggest {folder} {id}; fonds launches discard {folder} {launch}, or keep");
    } else if outcome.limit_reached {
        let folder = args.folder.display();
        notice!(
            "To go on, raise the limit in the campaign (fonds campaign export {folder} {id} > FILE, then \
             fonds campaign add {folder} FILE --id {id}) and crawl again; for a new launch, add --fresh"
        );
    }
    if outcome.complete && outcome.failed + outcome.server_errors > 0 {
        let folder = args.folder.display();
        let what = match (outcome.failed, outcome.server_errors) {
            (failed, 0) => format!("{} failed", counted(failed, "URL")),
            (0, errors) => format!("{} answered with 429 or 5xx only", counted(errors, "URL")),
            (failed, errors) => format!("{} failed, {errors} answered with 429 or 5xx only", counted(failed, "URL")),
        };
        notice!("{what}. To try again: fonds crawl {folder} {id} --retry-failed");
    }
    super::select::print_offers(&session, &args.folder, Some(id))?;
    if outcome.complete && outcome.seed_errors > 0 && !args.json {
        notice!("Seeds with an error: fonds events {} {} --kind seed", args.folder.display(), outcome.launch);
    }
    Ok(if outcome.is_whole() && unread_texts == 0 { FINE } else { PROBLEMS })
}
