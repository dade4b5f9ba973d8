//! `fonds sites`.

use super::FINE;
use super::campaign::{read_only_session, session};
use super::output::{json_line, plain, with_progress};
use crate::jobs::counted;
use crate::work;
use anyhow::Context;
use std::io::Write;
use std::path::PathBuf;

/// List hosts whose pages are of a known kind.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds sites my-archive\n  \
    fonds sites my-archive --campaign 1 --preview     what the exclusions would change, and change nothing\n  \
    fonds sites my-archive --campaign 1 --host wiki.example.org --accept\n  \
    fonds sites my-archive --kinds      the kinds with their signs, as a file\n\n\
    Columns: host, kind, pages of that kind, all pages read of the host, and the signs that they have. The exclusions of\n\
    a kind skip pages that repeat what others have: editing, answers to comments, orders of lists, sessions. They are\n\
    proposals: --accept adds them to the rules, as a new version of the campaign. Pages are read by the index: fonds index.\n\n\
    A file site-kinds.json in the folder of the workspace adds kinds, or takes the place of those of the same name; the\n\
    next fonds index reads all pages by it. The captures of a kind: fonds captures my-archive kind:mediawiki")]
pub struct SitesArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of a campaign: only its captures.
    #[arg(long)]
    campaign: Option<String>,
    /// Only this host, with its port where that is no default.
    #[arg(long)]
    host: Option<String>,
    /// Decide again what was seen, with the exclusions behind the rules; nothing is saved.
    #[arg(long, requires = "campaign", conflicts_with = "accept")]
    preview: bool,
    /// Add the exclusions to the rules of the campaign.
    #[arg(long, requires = "campaign")]
    accept: bool,
    /// Print the kinds that pages are compared with, as site-kinds.json has them.
    #[arg(long, conflicts_with_all = ["campaign", "host", "preview", "accept", "json"])]
    kinds: bool,
    /// One object a host; of --preview, the change in figures.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &SitesArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = if args.accept { session(&args.folder)? } else { read_only_session(&args.folder)? };
    if args.kinds {
        out.write_all(work::site_kinds_file(&session)?.as_bytes())?;
        return Ok(FINE);
    }
    let campaign = args.campaign.as_ref().map(|name| session.catalogue().find_campaign(name)).transpose()?;
    let mut rows = with_progress(|cx| work::sites(&session, campaign, cx))?;
    rows.retain(|row| args.host.as_ref().is_none_or(|host| *host == row.host));
    if args.preview || args.accept {
        let id = campaign.context("name a campaign: --campaign")?;
        let (version, spec) = session.catalogue().campaign(id)?;
        let edited = work::with_site_presets(&spec, &rows);
        let rules = edited.rules.len() - spec.rules.len();
        if args.accept {
            let (_, now) = session.save_campaign(Some(id), &edited)?;
            let rules = counted(rules as u64, "rule");
            writeln!(out, "{rules} added; campaign {id} has version {now} now, {version} before")?;
            return Ok(FINE);
        }
        let change = with_progress(|cx| work::what_if(&session, id, None, &edited, cx))?;
        match args.json {
            true => json_line(out, &change)?,
            false => writeln!(
                out,
                "{}: of {} URLs seen, {} stay in and {} would be refused",
                counted(rules as u64, "rule"),
                change.seen,
                change.stay_in,
                change.moved_out.urls
            )?,
        }
        return Ok(FINE);
    }
    for row in &rows {
        if args.json {
            json_line(out, row)?;
            continue;
        }
        let [pages, of] = row.pages;
        writeln!(out, "{}\t{}\t{pages}\t{of}\t{}", plain(&row.host), row.kind, plain(&row.evidence.join(", ")))?;
    }
    if rows.is_empty() {
        notice!("No page that was read is of a known kind of site");
    }
    Ok(FINE)
}
