//! `fonds collections`.

use super::captures::ChosenCaptures;
use crate::cli::FINE;
use crate::cli::campaign::{read_only_session, session};
use crate::cli::output::{json_line, plain, with_progress};
use crate::cli::search::query_text::FilterText;
use crate::jobs::counted;
use crate::work::models::CollectionSpec;
use crate::work::{JobKind, Report, operator};
use std::io::Write;
use std::path::PathBuf;

/// Captures put together across campaigns.
#[derive(Debug, clap::Subcommand)]
pub enum CollectionsCommand {
    /// List the collections.
    #[command(after_help = "Example:\n  fonds collections list my-archive")]
    List(CollectionsListArgs),
    /// Make a collection, or change what it is for and what fills it.
    #[command(after_help = "Examples:\n  \
        fonds collections save my-archive Elections --about 'Pages on the elections of 2026'\n  \
        fonds collections save my-archive Ria --campaign 1 --filter 'host:ria.example status:200 score>=0.5'\n\n\
        With --filter it fills itself after each crawl of the campaign and after each import: captures since the \
        last selection are scored, and what the filter finds is put in. What is in stays; what a person took out \
        does not come back.")]
    Save(CollectionsSaveArgs),
    /// Put captures into a collection.
    #[command(after_help = "Example:\n  fonds collections add my-archive Elections --filter 'title:election'")]
    Add(CollectionsChangeArgs),
    /// Take captures out of a collection.
    #[command(after_help = "Example:\n  fonds collections remove my-archive Elections --id 17")]
    Remove(CollectionsChangeArgs),
    /// Ask the filters of all collections now.
    #[command(after_help = "Example:\n  fonds collections fill my-archive")]
    Fill(CollectionsListArgs),
    /// Delete a collection; its captures stay in the workspace.
    #[command(after_help = "Example:\n  fonds collections delete my-archive Elections")]
    Delete(CollectionsDeleteArgs),
}

/// A workspace, and how its collections are shown.
#[derive(Debug, clap::Args)]
pub struct CollectionsListArgs {
    /// Workspace.
    folder: PathBuf,
    /// One object a collection.
    #[arg(long)]
    json: bool,
}

/// A collection as it shall be.
#[derive(Debug, clap::Args)]
pub struct CollectionsSaveArgs {
    /// Workspace.
    folder: PathBuf,
    /// Its name.
    name: String,
    /// What it is for.
    #[arg(long, default_value = "")]
    about: String,
    /// Put in what this filter finds.
    #[arg(long, allow_hyphen_values = true, requires = "campaign")]
    filter: Option<FilterText>,
    /// Number or title of the campaign whose captures and scores the filter asks for.
    #[arg(long, requires = "filter")]
    campaign: Option<String>,
    /// The collection as one object.
    #[arg(long)]
    json: bool,
}

/// Captures of a collection.
#[derive(Debug, clap::Args)]
pub struct CollectionsChangeArgs {
    /// Workspace.
    folder: PathBuf,
    /// Name of the collection.
    name: String,
    #[command(flatten)]
    captures: ChosenCaptures,
}

/// A collection by its name.
#[derive(Debug, clap::Args)]
pub struct CollectionsDeleteArgs {
    /// Workspace.
    folder: PathBuf,
    /// Name of the collection.
    name: String,
}

pub(in crate::cli) fn run(command: &CollectionsCommand, out: &mut dyn Write) -> anyhow::Result<u8> {
    match command {
        CollectionsCommand::List(args) => list(args, out),
        CollectionsCommand::Save(args) => {
            let session = session(&args.folder)?;
            let campaign = args.campaign.as_deref().map(|name| session.catalogue().find_campaign(name)).transpose()?;
            let spec = CollectionSpec {
                name: args.name.clone(),
                about: args.about.clone(),
                filter: args.filter.as_deref().unwrap_or_default().to_owned(),
                campaign,
            };
            session.save_collection(&spec, &operator())?;
            if campaign.is_some() {
                let filled = with_progress(|cx| session.fill_collections(campaign, cx))?;
                if !args.json {
                    writeln!(out, "{}", plain(&filled.summary()))?;
                }
            }
            if args.json {
                let rows = session.catalogue().collections()?;
                rows.iter().filter(|row| row.name == args.name.trim()).try_for_each(|row| json_line(out, row))?;
            }
            Ok(FINE)
        }
        CollectionsCommand::Add(args) => change(args, false, out),
        CollectionsCommand::Remove(args) => change(args, true, out),
        CollectionsCommand::Fill(args) => {
            let session = session(&args.folder)?;
            let filled = with_progress(|cx| session.fill_collections(None, cx))?;
            match args.json {
                true => json_line(out, &filled)?,
                false => writeln!(out, "{}", plain(&filled.summary()))?,
            }
            Ok(FINE)
        }
        CollectionsCommand::Delete(args) => {
            let session = session(&args.folder)?;
            anyhow::ensure!(
                session.catalogue().forget_collection(&args.name)?,
                "there is no collection “{}”. List them with: fonds collections list {}",
                args.name,
                args.folder.display()
            );
            Ok(FINE)
        }
    }
}

fn list(args: &CollectionsListArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    for row in read_only_session(&args.folder)?.catalogue().collections()? {
        if args.json {
            json_line(out, &row)?;
            continue;
        }
        let mut line = format!("{}\t{}", plain(&row.name), counted(row.captures, "capture"));
        for (number, what) in [(row.rejected, "rejected"), (row.taken_out, "taken out")] {
            if number > 0 {
                line.push_str(&format!(", {number} {what}"));
            }
        }
        let filled = if row.filter.is_empty() { "by hand".to_owned() } else { format!("by {}", plain(&row.filter)) };
        let from = row.origin.as_ref().map(|origin| format!("\tfrom {}", plain(origin))).unwrap_or_default();
        writeln!(out, "{line}\t{filled}\t{}{from}", plain(&row.about))?;
    }
    Ok(FINE)
}

fn change(args: &CollectionsChangeArgs, takes_out: bool, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = session(&args.folder)?;
    let captures = args.captures.find(&session, &args.folder)?;
    let (number, name) = (captures.len() as u64, args.name.trim());
    let changed = session.run_job(JobKind::Collect, || {
        let changed = session.catalogue().collect(name, captures, takes_out, &operator())?;
        let what = if takes_out { "taken out of" } else { "put into" };
        Ok(format!("{} of {} {what} “{name}”", changed, counted(number, "capture")))
    })?;
    writeln!(out, "{}", plain(&changed))?;
    Ok(FINE)
}
