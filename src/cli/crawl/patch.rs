//! `fonds patch`.

use super::Ground;
use crate::cli::campaign::{read_only_session, session};
use crate::cli::output::{json_line, plain, with_progress};
use crate::cli::search::query_text::QueryText;
use crate::cli::{FINE, PROBLEMS};
use crate::jobs::{JobCx, WholeFile, counted};
use crate::store::Hole;
use crate::work;
use crate::work::Report;
use crate::work::{CrawlOptions, HoleChoice};
use anyhow::Context;
use std::io::Write;
use std::path::PathBuf;

/// Fetch what captures lack to be shown: images, style sheets and scripts that are missing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds patch my-archive 1 --list\n  \
    fonds patch my-archive 1 'host:example.org mark:approve'\n  \
    fonds patch my-archive 1 'rule:Transclusion' --let-in\n  \
    fonds patch my-archive 1 --urls missing.txt\n  \
    fonds patch my-archive 1 --list --seeds missing.txt\n  \
    fonds launches discard my-archive 20240301090000      takes a patch out again\n\n\
    Without a filter all pages of the campaign are looked through. Missing is what a page, or its style sheets, name and\n\
    of which there is no capture but errors. A patch fetches what was never requested, what failed and what answered 429\n\
    or 5xx, with what that needs itself, and follows no link. --let-in adds what a rule of the campaign refused;\n\
    permissions and robots.txt hold all the same. It is a launch of its own, kept or discarded as a whole.\n\
    With --list nothing is fetched: columns are the state, the pages that need it, and the URL. Exit status 1 says that\n\
    holes are left.")]
pub struct PatchArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign.
    campaign: String,
    /// The captures whose missing resources are meant, as for fonds captures; all pages without it.
    #[arg(default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    filter: QueryText,
    #[command(flatten)]
    ground: Ground,
    /// Fetch the URLs of this file, one a line, whatever their state is.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["filter", "list"])]
    urls: Option<PathBuf>,
    /// Fetch, or list, what a rule of the campaign refused as well.
    #[arg(long)]
    let_in: bool,
    /// Fetch, or list, what answered 404 or another error as well.
    #[arg(long)]
    errors: bool,
    /// Only list what is missing; nothing is fetched.
    #[arg(long)]
    list: bool,
    /// Write the list as a file of seeds, one URL a line.
    #[arg(long, value_name = "FILE", requires = "list")]
    seeds: Option<PathBuf>,
    /// One object: the result, or one object a URL with --list.
    #[arg(long)]
    json: bool,
}

pub(in crate::cli) fn run(args: &PatchArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let choice = HoleChoice { lets_in: args.let_in, with_errors: args.errors };
    if args.list {
        return list(args, choice, out);
    }
    let session = session(&args.folder)?;
    let id = session.catalogue().find_campaign(&args.campaign)?;
    args.ground.prepare(&session)?;
    let options = CrawlOptions { trial: None, ..session.crawl_options()? };
    let outcome = with_progress(|cx| {
        let (urls, captures) = match &args.urls {
            Some(path) => {
                let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
                (work::urls_of_list(&text).with_context(|| path.display().to_string())?, Vec::new())
            }
            None => {
                let captures = work::captures_to_patch(&session, id, &args.filter)?;
                let holes = session.holes(&captures, Some(choice), cx)?;
                (holes.into_iter().map(|hole| hole.url).collect::<Vec<_>>(), captures)
            }
        };
        if urls.is_empty() {
            return Ok(None);
        }
        session.patch(id, &urls, &captures, &options, cx).map(Some)
    })?;
    let Some(outcome) = outcome else {
        notice!("Nothing to patch: no page lacks anything that a patch could fetch. All that is missing: --list");
        return Ok(FINE);
    };
    if args.json {
        json_line(out, &outcome)?;
    } else {
        writeln!(out, "{}", outcome.summary())?;
        writeln!(out, "Launch      {}", outcome.crawl.launch)?;
        writeln!(out, "WARC files  {}", outcome.crawl.warc_folder.display())?;
        for hole in &outcome.left {
            notice!("  {}: {}", plain(&hole.url), plain(&hole.state.label()));
        }
        notice!("To take it out again: fonds launches discard {} {}", args.folder.display(), outcome.crawl.launch);
    }
    Ok(if outcome.left.is_empty() { FINE } else { PROBLEMS })
}

/// Lists what is missing, and writes it as seeds.
fn list(args: &PatchArgs, choice: HoleChoice, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(&args.folder)?;
    let id = session.catalogue().find_campaign(&args.campaign)?;
    let captures = work::captures_to_patch(&session, id, &args.filter)?;
    let holes = session.holes(&captures, None, &JobCx::detached())?;
    for hole in &holes {
        match args.json {
            true => json_line(out, hole)?,
            false => writeln!(out, "{}\t{}\t{}", plain(&hole.state.label()), hole.pages, plain(&hole.url))?,
        }
    }
    let chosen: Vec<&Hole> = holes.iter().filter(|hole| choice.has(hole)).collect();
    let (missing, fetched) = (counted(holes.len() as u64, "resource"), chosen.len());
    if let Some(path) = &args.seeds {
        let text: String = chosen.iter().map(|hole| format!("{}\n", hole.url)).collect();
        let mut file = WholeFile::create(path)?;
        file.write_all(text.as_bytes()).with_context(|| path.display().to_string())?;
        file.finish()?;
        notice!("{} written to {}", counted(fetched as u64, "URL"), path.display());
    } else if !args.json {
        notice!("{missing} missing; a patch fetches {fetched} of them");
    }
    Ok(FINE)
}
