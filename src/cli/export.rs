//! `fonds export` and `fonds verify`.

use super::campaign::reading_session;
use super::output::{json_line, plain, with_progress};
use super::{FINE, PROBLEMS};
use crate::work;
use crate::work::Report;
use anyhow::Context;
use std::io::Write;
use std::path::PathBuf;

/// Write the selection out.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  fonds export my-archive --out /tmp/export && fonds verify /tmp/export\n\n\
    Writes WARC files with a metadata record per capture, a CDXJ index, the inlink data set and a manifest;\n\
    with --wacz a package too, which ReplayWeb.page shows and fonds wacz looks into.\n\
    Works beside a running crawl and on a workspace that cannot be written to; the workspace does not list\n\
    the export then, and the command says so. What a killed export left in OUT.open is deleted first.\n\
    What is wrong in the sources (record ids that stand twice, digests that the bytes contradict, warcinfo records\n\
    that are not there) is put right in the heads of records, never in their blocks, and listed.\n\
    Exit status 1 says that something is wrong in the sources or could not be carried along.")]
pub struct ExportArgs {
    /// Workspace.
    folder: PathBuf,
    /// Folder to write; made if absent, refused if it holds something.
    #[arg(long)]
    out: PathBuf,
    /// Campaign whose selection is written; needed when there are several.
    #[arg(long)]
    campaign: Option<String>,
    /// Pack the WARC files, an index and a list of pages into a WACZ package too;
    /// done without asking where the window was told so for this selection.
    #[arg(long)]
    wacz: bool,
    /// Leave out data/seen.jsonl.gz, the list of every URL that the crawls have
    /// seen with the verdict on it.
    #[arg(long)]
    without_seen: bool,
    /// Leave out what is known as RDF: data/knowledge.nq, which takes about 7 kB
    /// a capture and more where many pages link to it, and the records of it.
    #[arg(long)]
    without_rdf: bool,
    /// The result as one object.
    #[arg(long)]
    json: bool,
}

/// Read an export back and check all of it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  fonds verify /tmp/export\n\nExit status 1 says that a check fails.")]
pub struct VerifyArgs {
    /// Folder of the export.
    folder: PathBuf,
    /// One object a check.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ExportArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = reading_session(&args.folder)?;
    let campaign = match &args.campaign {
        Some(name) => session.catalogue().find_campaign(name)?,
        None => match session.catalogue().campaigns()?.as_slice() {
            [only] => only.id,
            [] => anyhow::bail!("{}: there is no campaign, so nothing is selected", args.folder.display()),
            _ => anyhow::bail!("there are several campaigns: name one with --campaign"),
        },
    };
    let spec = session.catalogue().selection_page(campaign)?.spec.with_context(|| {
        format!("nothing is selected yet; run: fonds select run {} {campaign}", args.folder.display())
    })?;
    let wishes =
        work::ExportWishes { wacz: args.wacz || spec.with_wacz, seen: !args.without_seen, rdf: !args.without_rdf };
    let outcome = with_progress(|cx| session.export(&spec, &args.out, wishes, cx))?;
    if args.json {
        json_line(out, &outcome)?;
    } else {
        writeln!(out, "{}", plain(&outcome.summary()))?;
        outcome.problems.iter().for_each(|problem| warn_of!("problems of the export", "{}", plain(problem)));
        writeln!(out, "Check it with: fonds verify {}", args.out.display())?;
    }
    Ok(if outcome.problems.is_empty() { FINE } else { PROBLEMS })
}

pub(super) fn verify(args: &VerifyArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let lines = with_progress(|cx| work::verify(&args.folder, cx))?;
    let mut status = FINE;
    for line in &lines {
        if !line.ok {
            status = PROBLEMS;
        }
        if args.json {
            json_line(out, line)?;
        } else {
            writeln!(out, "{} {}: {}", if line.ok { "ok  " } else { "FAIL" }, plain(&line.what), plain(&line.detail))?;
        }
    }
    Ok(status)
}
