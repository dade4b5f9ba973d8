//! `fonds scope permissions` and `fonds scope attach`.

use crate::campaign::{PermissionState, Reading};
use crate::cli::campaign::{read_only_session, session};
use crate::cli::output::{json_line, plain, with_progress};
use crate::cli::{FINE, PROBLEMS};
use crate::scope::Derivation;
use crate::uri::CaptureDate;
use crate::work;
use std::io::{BufRead, Write};
use std::path::PathBuf;

/// Show on what grounds URLs may be collected.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fonds scope permissions my-archive 1      the seeds, and the campaign as a whole\n  \
    fonds scope permissions my-archive 1 https://www.bl.uk/collection/\n  \
    fonds scope permissions my-archive 1 - --json < urls.txt\n\n\
    Of the records in the campaign's file (permissions) that cover a URL and hold, the closest decides; where\n\
    none does, the domains and then the countries of its grounds. Every record that is about the URL is shown,\n\
    with why it decides or not. A record with a reach is handed down the host tree: root to what lies under its\n\
    path, subdomains to its host and those below it, by whole labels.\n\
    --reading w3act reads them as W3ACT did: text of hosts without label boundaries (notbl.uk inherits from\n\
    bl.uk), http apart from https, refusals ignored, only the first address, no seeds is covered.\n\
    Exit status 1 says that something is not granted, or that an evidence file is missing or changed."
)]
pub struct PermissionsArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign.
    campaign: String,
    /// URLs, or - for one a line on standard input; the campaign's seeds without any.
    urls: Vec<String>,
    /// Read the records so, whatever the campaign says: strict or w3act.
    #[arg(long)]
    reading: Option<String>,
    /// One object a URL.
    #[arg(long)]
    json: bool,
}

/// Keep files as evidence of a permission.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  fonds scope attach my-archive 1 2 letter.pdf answer.eml      to the second record of campaign 1\n\n\
    The files are copied into the workspace; the campaign keeps their paths and SHA-256 as a new version."
)]
pub struct AttachArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign.
    campaign: String,
    /// Number of the record in the campaign's permissions, from 1.
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    record: u32,
    /// Files to keep.
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

pub(super) fn run(args: &PermissionsArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(&args.folder)?;
    let (_, mut campaign) = session.catalogue().campaign(session.catalogue().find_campaign(&args.campaign)?)?;
    if let Some(reading) = &args.reading {
        campaign.grounds.reading = serde_json::from_value::<Reading>(reading.to_lowercase().into())
            .map_err(|_| anyhow::anyhow!("--reading {reading}: give strict or w3act"))?;
    }
    let of_seeds = args.urls.is_empty();
    let now = CaptureDate::now();
    let urls: Vec<String> = if of_seeds {
        campaign.seeds.iter().map(|seed| seed.url.clone()).collect()
    } else if args.urls == ["-"] {
        let lines = std::io::stdin().lock().lines().collect::<Result<Vec<_>, _>>()?;
        lines.into_iter().filter(|line| !line.trim().is_empty()).collect()
    } else {
        args.urls.clone()
    };
    let mut status = FINE;
    for (url, derived) in urls.iter().zip(work::permissions(&session, &campaign, &urls, now)?) {
        match derived {
            Ok(derived) => {
                if !derived.is_granted() {
                    status = PROBLEMS;
                }
                if args.json { json_line(out, &derived)? } else { print(&derived, out)? }
            }
            Err(why) => {
                status = PROBLEMS;
                if args.json {
                    json_line(out, &serde_json::json!({ "url": url, "error": why }))?;
                } else {
                    writeln!(out, "{}", plain(&why))?;
                }
            }
        }
    }
    if of_seeds {
        let verdict = work::seeds_verdict(&session, &campaign, now)?;
        if !verdict.covered {
            status = PROBLEMS;
        }
        let covered = if verdict.covered { "covered" } else { "not covered" };
        let yes = |holds| if holds { "yes" } else { "no" };
        notice!(
            "The campaign is {covered}: {}; all by domain: {}, all by hosting: {}",
            plain(&verdict.why),
            yes(verdict.all_by_domain),
            yes(verdict.all_by_hosting)
        );
    }
    for file in with_progress(|cx| work::check_evidence(&session, &campaign, cx))?.iter().filter(|file| !file.holds) {
        status = PROBLEMS;
        warn_of!(
            "evidence that is not as it was",
            "evidence of record {}: {} {}",
            file.record + 1,
            plain(&file.path),
            plain(&file.words)
        );
    }
    Ok(status)
}

fn print(derived: &Derivation, out: &mut dyn Write) -> anyhow::Result<()> {
    let state = derived.state.map_or("no ground", PermissionState::as_str);
    writeln!(out, "{state}  {}  ({})", plain(&derived.url), plain(&derived.why))?;
    for step in &derived.steps {
        let mark = if step.deciding { '>' } else { ' ' };
        writeln!(out, "{mark}   {}: {}", plain(&step.what), plain(&step.result))?;
    }
    Ok(())
}

pub(super) fn attach(args: &AttachArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = session(&args.folder)?;
    let id = session.catalogue().find_campaign(&args.campaign)?;
    let record = args.record as usize - 1;
    let attached = with_progress(|cx| work::attach_evidence(&session, id, record, &args.files, cx))?;
    for file in &attached {
        writeln!(out, "{}  {}", file.sha256, plain(&file.path))?;
    }
    notice!("{} of {} files are new to the record", attached.len(), args.files.len());
    Ok(FINE)
}
