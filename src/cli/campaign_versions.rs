//! `fonds campaign versions`, `diff` and `restore`.

use super::FINE;
use super::campaign::{read_only_session, session};
use super::output::{json_line, plain};
use crate::campaign::Campaign;
use crate::work;
use std::io::Write;
use std::path::PathBuf;

/// Versions of a campaign.
#[derive(Debug, clap::Args)]
pub struct VersionsArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign.
    campaign: String,
    /// One object a version.
    #[arg(long)]
    json: bool,
}

/// Two versions of a campaign.
#[derive(Debug, clap::Args)]
pub struct DiffArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign.
    campaign: String,
    /// Number of the first version.
    first: u32,
    /// Number of the second version; the newest one without it.
    second: Option<u32>,
    /// One object a field.
    #[arg(long)]
    json: bool,
}

/// A version of a campaign to go back to.
#[derive(Debug, clap::Args)]
pub struct RestoreArgs {
    /// Workspace.
    folder: PathBuf,
    /// Number or title of the campaign.
    campaign: String,
    /// Number of the version.
    version: u32,
}

pub(super) fn list(args: &VersionsArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(&args.folder)?;
    let page = session.catalogue().campaign_page(session.catalogue().find_campaign(&args.campaign)?)?;
    for (version, saved) in &page.versions {
        match args.json {
            true => json_line(out, &serde_json::json!({ "version": version, "saved": saved }))?,
            false => writeln!(out, "{version}\t{}", saved.to_readable())?,
        }
    }
    Ok(FINE)
}

pub(super) fn diff(args: &DiffArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = read_only_session(&args.folder)?;
    let id = session.catalogue().find_campaign(&args.campaign)?;
    let first = session.catalogue().campaign_version(id, args.first)?;
    let second = match args.second {
        Some(version) => session.catalogue().campaign_version(id, version)?,
        None => session.catalogue().campaign(id)?.1,
    };
    print_version_diff(out, &first, &second, args.json)?;
    Ok(FINE)
}

pub(super) fn restore(args: &RestoreArgs, out: &mut dyn Write) -> anyhow::Result<u8> {
    let session = session(&args.folder)?;
    let id = session.catalogue().find_campaign(&args.campaign)?;
    let (before, first) = session.catalogue().campaign(id)?;
    let version = session.restore_campaign(id, args.version)?;
    if version == before {
        notice!("Version {before} of campaign {id} is the same already: nothing was saved");
        return Ok(FINE);
    }
    writeln!(out, "Version {version} of campaign {id}, as version {} was; its schedule stays", args.version)?;
    let (_, second) = session.catalogue().campaign(id)?;
    print_version_diff(out, &first, &second, false)?;
    Ok(FINE)
}

/// Prints what differs between two versions: a line for the field, then what is gone and what came.
pub(in crate::cli) fn print_version_diff(
    out: &mut dyn Write,
    first: &Campaign,
    second: &Campaign,
    json: bool,
) -> anyhow::Result<()> {
    let found = work::version_differences(first, second);
    for of in &found {
        if json {
            json_line(out, of)?;
            continue;
        }
        writeln!(out, "{}", plain(&of.field))?;
        for line in &of.removed {
            writeln!(out, "  - {}", plain(line))?;
        }
        for line in &of.added {
            writeln!(out, "  + {}", plain(line))?;
        }
    }
    if found.is_empty() {
        notice!("Both versions are the same");
    }
    Ok(())
}
