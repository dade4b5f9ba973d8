//! `fonds why`.

use crate::cli::campaign::read_only_session;
use crate::cli::output::{json_line, plain};
use crate::cli::{FINE, PROBLEMS};
use crate::scope::{Trace, hop_count, rule_label};
use crate::uri::{CaptureDate, PageKey, Url};
use crate::work;
use crate::work::QueuedPlace;
use crate::work::models::{CaptureRow, LaunchRow, ReviewMark, SeenRow};
use anyhow::Context;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Show what became of a URL, and why: in each launch that saw it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds why my-archive https://www.example.org/about\n  \
    fonds why my-archive https://www.example.org/private --launch 20260816112450 --json\n\n\
    For taken, refused and failed URLs alike: the outcome and what to do about it, the decision as it was\n\
    recorded, the page that led there with the words of its link, the path from the seed (L link, E embedded,\n\
    R redirect, I inferred, P prerequisite), what each rule answered, and the captures with what persons decided.\n\
    Exit status 1 says that the URL was never seen.")]
pub struct WhyArgs {
    /// Workspace.
    folder: PathBuf,
    /// The URL.
    url: String,
    /// Only what this launch saw (its 14 digits).
    #[arg(long)]
    launch: Option<String>,
    /// Number or title of the campaign; all of them without it.
    #[arg(long)]
    campaign: Option<String>,
    /// One object.
    #[arg(long)]
    json: bool,
}

/// A URL as one launch saw it, with the trace of its rules.
#[derive(Serialize)]
struct LaunchTrace {
    launch: LaunchRow,
    #[serde(flatten)]
    row: SeenRow,
    seed: Option<String>,
    /// What each rule of that launch answers; none with the reason where it cannot be had.
    trace: Option<Trace>,
    trace_problem: Option<String>,
    /// Its place in the queue, where it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    queue: Option<QueuedPlace>,
}

/// A capture of the URL with what a person decided about it.
#[derive(Serialize)]
struct Decided {
    #[serde(flatten)]
    row: CaptureRow,
    decided_by: Option<String>,
    reason: Option<String>,
    /// Who rejected an earlier version of the page, where this one is to review for it, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    rejected_before: Option<EarlierRejection>,
}

/// A rejection of an earlier version.
#[derive(Serialize)]
struct EarlierRejection {
    by: String,
    reason: String,
    date: CaptureDate,
}

#[derive(Serialize)]
struct Answer {
    url: String,
    seen: Vec<LaunchTrace>,
    captures: Vec<Decided>,
}

pub(in crate::cli) fn run(args: &WhyArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let url = Url::parse(args.url.trim()).with_context(|| format!("“{}” is not a URL", args.url))?;
    let session = read_only_session(&args.folder)?;
    let catalogue = session.catalogue();
    let campaign = args.campaign.as_deref().map(|name| catalogue.find_campaign(name)).transpose()?;
    let mut answer = Answer { url: url.to_string(), seen: Vec::new(), captures: Vec::new() };
    for id in catalogue.seen_of_url(&url)? {
        let (launch, row, _, _, seed) = catalogue.seen_row(id)?;
        let launch = catalogue.launch(launch)?;
        let is_meant = campaign.is_none_or(|campaign| launch.campaign == campaign)
            && args.launch.as_ref().is_none_or(|name| launch.launch == *name);
        if !is_meant {
            continue;
        }
        let (trace, trace_problem) = match work::why(&session, id) {
            Ok(trace) => (Some(trace), None),
            Err(error) => (None, Some(work::error_chain(&error))),
        };
        let queue = work::queued_place(&session, id)?;
        answer.seen.push(LaunchTrace { launch, row, seed, trace, trace_problem, queue });
    }
    for id in catalogue.captures_of_url(&url)? {
        let row = catalogue.capture_row(id)?;
        let (decided_by, reason) = match catalogue.decision(id)? {
            Some(decision) => (Some(decision.by()), Some(decision.note).filter(|reason| !reason.is_empty())),
            None => (None, None),
        };
        let rejected_before =
            catalogue.earlier_rejection(id)?.map(|of| EarlierRejection { by: of.by(), date: of.date, reason: of.note });
        answer.captures.push(Decided { row, decided_by, reason, rejected_before });
    }
    let known = !answer.seen.is_empty() || !answer.captures.is_empty();
    if args.json {
        json_line(out, &answer)?;
    } else if known {
        print(&answer, out)?;
    } else {
        writeln!(out, "{}: never seen, neither as a link nor as a capture", plain(url.as_str()))?;
        if let Some(id) = catalogue.last_capture(&PageKey::of(&url))? {
            writeln!(out, "The same page was captured as {}", plain(&catalogue.capture_row(id)?.url))?;
        }
        writeln!(
            out,
            "What the rules of a campaign would decide: fonds scope test {} CAMPAIGN URL",
            args.folder.display()
        )?;
    }
    Ok(if known { FINE } else { PROBLEMS })
}

fn print(answer: &Answer, out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(out, "{}", plain(&answer.url))?;
    for seen in &answer.seen {
        let LaunchTrace { launch, row, seed, trace, trace_problem, queue } = seen;
        writeln!(out, "\nLaunch {} of campaign {} ({})", launch.launch, launch.campaign, plain(&launch.campaign_name))?;
        if let Some(origin) = &launch.origin {
            writeln!(out, "  Came with the handover “{}”: it was not crawled here", plain(origin))?;
        }
        writeln!(out, "  Outcome   {}", plain(&row.outcome.to_string()))?;
        let decision = if row.decision == "ACCEPT" { "in scope" } else { "refused" };
        writeln!(out, "  Recorded  {decision}, decided by: {} ({})", rule_label(&row.rule), plain(&row.rule))?;
        match row.via.as_str() {
            "" => writeln!(out, "  Found as  a seed, or without a page that led there")?,
            via => writeln!(out, "  Found on  {}", plain(via))?,
        }
        if !row.anchor.is_empty() {
            writeln!(out, "  Link text “{}”", plain(&row.anchor))?;
        }
        let hops =
            if row.hops.is_empty() { "none".to_owned() } else { format!("{} ({})", hop_count(&row.hops), row.hops) };
        writeln!(
            out,
            "  Hops      {}{}",
            plain(&hops),
            seed.as_ref().map_or(String::new(), |seed| format!(" from {}", plain(seed)))
        )?;
        writeln!(out, "  Seen      {} UTC", row.date.to_readable())?;
        if let Some(place) = queue {
            writeln!(out, "  Queue     place {}; priority {}", place.rank, plain(&place.explanation))?;
        }
        match (trace, trace_problem) {
            (Some(trace), _) if trace.steps.is_empty() => {
                writeln!(out, "  Rules     none was asked: the crawl itself needed it")?
            }
            (Some(trace), _) => print_rules(row, trace, out)?,
            (None, Some(why)) => writeln!(out, "  Rules     cannot be shown: {}", plain(why))?,
            (None, None) => {}
        }
    }
    if answer.seen.is_empty() {
        writeln!(out, "\nNo launch of a crawl saw it: its captures came by import, without a decision")?;
    }
    writeln!(out, "\n{}", if answer.captures.is_empty() { "No captures" } else { "Captures" })?;
    for Decided { row, decided_by, reason, rejected_before } in &answer.captures {
        let decision = match (row.mark, decided_by) {
            (Some(mark), Some(by)) => {
                let reason = reason.as_ref().map_or(String::new(), |reason| format!(": {}", plain(reason)));
                let by = if row.decision_inherited {
                    format!("{} on another capture of the same content", plain(by))
                } else {
                    plain(by)
                };
                match mark {
                    ReviewMark::Approve => format!("approved by {by}{reason}"),
                    ReviewMark::Reject => format!("rejected by {by}{reason}"),
                    _ => format!("flagged by {by}{reason}"),
                }
            }
            _ => "not reviewed".to_owned(),
        };
        let decision = match rejected_before {
            None => decision,
            Some(EarlierRejection { by, reason, .. }) => {
                let reason = if reason.is_empty() { String::new() } else { format!(": {}", plain(reason)) };
                format!(
                    "{decision}, in no selection until approved: an earlier version was rejected by {}{reason}",
                    plain(by)
                )
            }
        };
        writeln!(out, "  {}  {} UTC  status {}  {}", row.id, row.date.to_readable(), row.status, decision)?;
        let claims = [("hops", &row.hops), ("found on", &row.via), ("rule", &row.file_rule)];
        let claims: Vec<String> = claims
            .iter()
            .filter(|(_, claim)| row.imported && !claim.is_empty())
            .map(|(name, claim)| format!("{name} {}", plain(claim)))
            .collect();
        if !claims.is_empty() {
            writeln!(out, "    Its file says, and no crawl here vouches for it: {}", claims.join(", "))?;
        }
    }
    Ok(())
}

/// Prints the answer of each rule, the deciding one marked; and whether that was recorded.
fn print_rules(row: &SeenRow, trace: &Trace, out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(out, "  Rules")?;
    for step in &trace.steps {
        let answer = match (step.enabled, step.opinion) {
            (false, _) => "off",
            (true, None) => "no match",
            (true, Some(decision)) => decision.as_str(),
        };
        let mark = if step.deciding { '>' } else { ' ' };
        writeln!(out, "  {mark} {:>2} {answer:<8} {}  [{}]", step.index, plain(&step.words), plain(&step.tested))?;
    }
    if trace.verdict.decision.as_str() != row.decision || trace.verdict.rule_name != row.rule {
        writeln!(
            out,
            "  Note      with what is known today the rules answer {} by {}; what counted then is recorded above",
            trace.verdict.decision.as_str(),
            plain(&trace.verdict.rule_name)
        )?;
    }
    if let Some(change) = &trace.remedy {
        writeln!(out, "  Smallest rule change that reverses this: {}", plain(change))?;
    }
    Ok(())
}
