//! `fonds marks`, `fonds suggest`, `fonds launches keep` and `discard`.

use crate::cli::FINE;
use crate::cli::campaign::{read_only_session, session};
use crate::cli::output::{json_line, plain, with_progress};
use crate::store::Relevance;
use crate::work;
use crate::work::Report;
use std::io::Write;
use std::path::PathBuf;

/// Keep or discard a trial or a patch.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum TrialCommand {
    /// Keep a trial or a patch: it is a crawl like others from then on.
    #[command(after_help = "Example:\n  fonds launches keep my-archive 20240301090000")]
    Keep {
        /// Workspace.
        folder: PathBuf,
        /// The trial (its 14 digits).
        launch: String,
    },
    /// Take a trial or a patch out of the workspace, with all that is known of it; its files move to discarded/.
    #[command(after_help = "Example:\n  fonds launches discard my-archive 20240301090000\n\n\
        Captures, links, queue, texts, events and marks of the trial are gone from every list and search. Its archive\n\
        files and logs are moved to the folder discarded of the workspace, which fonds files list names; only a person\n\
        deletes them. What was learned stays: versions of the campaign are no part of a trial.\n\
        Nothing is discarded where a person decided about captures of it, or where captures of other crawls or imports\n\
        depend on it, unless --yes is given. Exit status 2 says that nothing was discarded, or that a full disk left\n\
        something to do: the same command ends that.")]
    Discard {
        /// Workspace.
        folder: PathBuf,
        /// The trial (its 14 digits).
        launch: String,
        /// Discard it also where a person decided about captures of it, or others depend on it.
        #[arg(long)]
        yes: bool,
        /// The result as one object.
        #[arg(long)]
        json: bool,
    },
}

pub(super) fn run_trial(command: &TrialCommand, out: &mut dyn Write) -> anyhow::Result<u8> {
    match command {
        TrialCommand::Keep { folder, launch } => {
            let session = session(folder)?;
            let launch = work::launch_called(&session, launch)?;
            with_progress(|cx| session.keep_trial(launch.id, cx))?;
            writeln!(out, "Trial {} is kept", plain(&launch.launch))?;
        }
        TrialCommand::Discard { folder, launch, yes, json } => {
            let session = session(folder)?;
            let discarded = with_progress(|cx| match work::launch_called(&session, launch) {
                Ok(launch) => session.discard_trial(launch.id, *yes, cx),
                // The disk may have taken no more once it was out of the catalogue.
                Err(error) => session.finish_discard(launch, cx)?.ok_or(error),
            })?;
            match json {
                true => json_line(out, &discarded)?,
                false => writeln!(out, "{}", discarded.summary())?,
            }
            if let Some(file) = discarded.files.first() {
                notice!("Its files, which only you delete: {}/{}", folder.display(), plain(file));
            }
        }
    }
    Ok(FINE)
}

/// List the pages of a trial to mark as relevant or not, and mark them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds marks my-archive 20240301090000\n  \
    fonds marks my-archive 20240301090000 --relevant 17 --relevant 23 --irrelevant http://www.example.org/shop\n  \
    fonds marks my-archive 20240301090000 --clear 17\n\n\
    The sample: ten pages at random, ten of the highest score, ten near the score from which on pages count as\n\
    relevant. Columns: number of the capture, mark, score from 0 to 10,000, why it is in the sample, URL, title.\n\
    Marks are no decisions: fonds mark approves and rejects captures. What the marks suggest: fonds suggest")]
pub struct MarksArgs {
    /// Workspace.
    folder: PathBuf,
    /// The trial (its 14 digits).
    launch: String,
    /// This page is relevant: its URL, or the number of its capture; can be given several times.
    #[arg(long, value_name = "URL|NUMBER")]
    relevant: Vec<String>,
    /// This page is not relevant; can be given several times.
    #[arg(long, value_name = "URL|NUMBER")]
    irrelevant: Vec<String>,
    /// Takes the mark of this page back; can be given several times.
    #[arg(long, value_name = "URL|NUMBER")]
    clear: Vec<String>,
    /// Who marks; the system's user name without it.
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// One object a page.
    #[arg(long)]
    json: bool,
}

pub(in crate::cli) fn marks(args: &MarksArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let groups = [
        (&args.relevant, Some(Relevance::Relevant)),
        (&args.irrelevant, Some(Relevance::Irrelevant)),
        (&args.clear, None),
    ];
    let is_marking = groups.iter().any(|(names, _)| !names.is_empty());
    let session = if is_marking { session(&args.folder)? } else { read_only_session(&args.folder)? };
    let launch = work::launch_called(&session, &args.launch)?;
    let who = args.by.clone().unwrap_or_else(work::operator);
    for (names, relevance) in groups.into_iter().filter(|(names, _)| !names.is_empty()) {
        work::mark_pages(&session, launch.id, names, relevance, &who)?;
    }
    let sample = work::trial_sample(&session, launch.id)?;
    for page in sample.pages.iter().filter(|_| !is_marking || args.json) {
        if args.json {
            json_line(out, page)?;
            continue;
        }
        writeln!(
            out,
            "{}\t{}\t{}\t{}\t{}\t{}",
            page.capture,
            page.relevance.map_or("-", Relevance::name),
            page.score.map_or_else(|| "-".to_owned(), |score| score.to_string()),
            page.reason.label(),
            plain(&page.url),
            plain(&page.title)
        )?;
    }
    notice!("{}", sample.progress());
    Ok(FINE)
}

/// List what the marks of a trial suggest for its campaign, and accept it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds suggest my-archive 1\n  \
    fonds suggest my-archive 1 --accept 1 --accept 4\n  \
    fonds suggest my-archive 1 --curve\n\n\
    Columns: number, kind, what to do, value, counts among the marked pages, remarks, examples.\n\
    Words are those that set relevant pages apart from others, on three relevant pages of two hosts at least; texts of\n\
    links, hosts and paths have four of five of their marked pages on one side. “broad”: the request would meet more\n\
    than three times as many pages. Where texts were analysed (fonds analyse), persons, places, organisations, names and\n\
    terms join them that are on three relevant pages and that the request lacks; there, pages that you approved or judged\n\
    as right count as relevant too, those that you rejected or judged as wrong as others, also where there was no trial.\n\
    What is accepted makes the next version of the campaign: words, names and terms become terms of the\n\
    request, hosts and paths become seeds, or are left out by a rule. Nothing is accepted by itself.\n\
    --curve replays the queue on the pages of the trial, without a request to anybody: the share of the pages marked as\n\
    relevant that is found after 10, 25 and 50 % of the fetches, by version.")]
pub struct SuggestArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign.
    campaign: String,
    /// The trial (its 14 digits); the last one of the campaign without it.
    #[arg(long)]
    launch: Option<String>,
    /// Accept the proposal of this number; can be given several times.
    #[arg(long, value_name = "NUMBER")]
    accept: Vec<usize>,
    /// Show how soon versions of the campaign find the relevant pages of the trial.
    #[arg(long, conflicts_with = "accept")]
    curve: bool,
    /// One object a proposal, or a curve.
    #[arg(long)]
    json: bool,
}

pub(in crate::cli) fn suggest(args: &SuggestArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = if args.accept.is_empty() { read_only_session(&args.folder)? } else { session(&args.folder)? };
    let campaign = session.catalogue().find_campaign(&args.campaign)?;
    let launch = args.launch.as_deref().map(|name| work::launch_called(&session, name)).transpose()?;
    let launch = launch.map(|launch| launch.id);
    if args.curve {
        let curves = with_progress(|cx| work::harvest_curves(&session, campaign, launch, cx))?;
        for curve in &curves.curves {
            match (args.json, curve.named) {
                (true, _) => json_line(out, curve)?,
                (false, [a, b, c]) => writeln!(out, "{a:.2}\t{b:.2}\t{c:.2}\t{}", curve.label)?,
            }
        }
        curves.unread.iter().for_each(|page| notice!("note: {}", plain(&page.sentence())));
        notice!(
            "Found after 10, 25 and 50 % of {} pages, of {} marked as relevant. {}",
            curves.pages,
            curves.relevant,
            work::CURVE_REMARK
        );
        return Ok(FINE);
    }
    if !args.accept.is_empty() {
        let (before, first) = session.catalogue().campaign(campaign)?;
        let version = work::accept_proposals(&session, campaign, launch, &args.accept)?;
        let (_, second) = session.catalogue().campaign(campaign)?;
        writeln!(out, "Version {version} of campaign {campaign}, made from version {before}")?;
        crate::cli::campaign_versions::print_version_diff(out, &first, &second, args.json)?;
        return Ok(FINE);
    }
    let of = work::suggestions(&session, campaign, launch)?;
    for (number, proposal) in (1..).zip(&of.proposals) {
        if args.json {
            json_line(out, &serde_json::json!({ "number": number, "proposal": proposal }))?;
            continue;
        }
        let examples: Vec<String> = proposal.examples.iter().map(|url| plain(url)).collect();
        writeln!(
            out,
            "{number}\t{}\t{}\t{}\t{}\t{}\t{}",
            proposal.kind.label(),
            work::proposed_change(proposal),
            plain(&proposal.value),
            proposal.counts(),
            match proposal.remarks() {
                remarks if remarks.is_empty() => "-".to_owned(),
                remarks => remarks,
            },
            examples.join(" ")
        )?;
    }
    of.unread.iter().for_each(|page| notice!("note: {}", plain(&page.sentence())));
    let trial = if of.launch.is_empty() { "No trial".to_owned() } else { format!("Trial {}", of.launch) };
    notice!(
        "{trial}: {} pages marked as relevant, {} as not; version {} of the campaign. {}",
        of.relevant,
        of.irrelevant,
        of.version,
        of.remark
    );
    Ok(FINE)
}
