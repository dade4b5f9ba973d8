//! The versions of a campaign as files beside its WARC files, and back.
//!
//! WARC files are the truth of captures; with these files beside them they are
//! that of campaigns, too: a catalogue that is lost is made again of both.

use super::import::leads_out;
use crate::campaign::Campaign;
use crate::jobs::{check_readable, replace_own};
use crate::store::{Catalogue, StoreError, Workspace, job_name};
use crate::work::models::CampaignId;
use anyhow::Context;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Longest file that is read as a campaign.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// What the campaign files of a job folder came to.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RestoredJob {
    /// The folder.
    pub folder: PathBuf,
    /// Its campaigns.
    pub campaigns: Vec<RestoredCampaign>,
    /// Files that could not be read, and why.
    pub problems: Vec<String>,
}

/// A campaign that stands in files.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RestoredCampaign {
    /// Its number here.
    pub id: CampaignId,
    /// Its title.
    pub name: String,
    /// The versions in the files.
    pub versions: Vec<u32>,
    /// Whether it was made of them just now; one that is here is left as it is.
    pub is_new: bool,
    /// What its crawls would do, as [`Campaign::crawl_terms`] names it, while it
    /// waits for a person here to let it run; none where it does not wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_back: Option<Vec<String>>,
}

impl RestoredJob {
    /// The outcome, a line a campaign.
    pub fn summary(&self) -> Vec<String> {
        let line = |campaign: &RestoredCampaign| {
            let versions: Vec<String> = campaign.versions.iter().map(u32::to_string).collect();
            let (what, number) =
                (if campaign.is_new { "restored" } else { "here already, left as it is" }, campaign.id);
            format!("campaign {number} “{}” ({what}): version {}", campaign.name, versions.join(", "))
        };
        let mut lines = Vec::new();
        for campaign in &self.campaigns {
            lines.push(line(campaign));
            lines.extend(campaign.held_back.as_ref().map(|terms| held_back_line(campaign.id, terms)));
        }
        lines
    }
}

/// What crawls of a campaign would do that waits for a person here to let it
/// run; none where it does not wait.
pub(super) fn held_back(catalogue: &Catalogue, id: CampaignId) -> Result<Option<Vec<String>>, StoreError> {
    Ok(match catalogue.held_campaign(id)? {
        Some(_) => Some(catalogue.campaign(id)?.1.crawl_terms()),
        None => None,
    })
}

/// That a campaign from elsewhere is switched off, with what its crawls would do.
pub fn held_back_line(id: CampaignId, terms: &[String]) -> String {
    let terms = if terms.is_empty() { String::new() } else { format!(" ({})", terms.join("; ")) };
    format!("campaign {id} is switched off{terms}; to let it run: fonds campaign activate")
}

/// Writes every version of a campaign beside the WARC files of its job; those
/// that are there stay.
pub(super) fn keep_campaign_files(workspace: &Workspace, id: CampaignId) -> anyhow::Result<()> {
    let (_, newest) = workspace.catalogue().campaign(id)?;
    let folder = workspace.job_folder(&job_name(&newest.name))?;
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    for (version, campaign) in workspace.catalogue().campaign_versions(id)? {
        keep_version(&folder, id, version, &campaign)?;
    }
    Ok(())
}

/// The same for a campaign that was just saved, if it was crawled before.
/// What cannot be written now is written when it is crawled next.
pub fn renew_campaign_files(workspace: &Workspace, id: CampaignId) {
    let is_crawled =
        |campaign: &Campaign| workspace.job_folder(&job_name(&campaign.name)).is_ok_and(|folder| folder.is_dir());
    let kept = match workspace.catalogue().campaign(id) {
        Ok((_, campaign)) if is_crawled(&campaign) => keep_campaign_files(workspace, id),
        Ok(_) => Ok(()),
        Err(error) => Err(error.into()),
    };
    if let Err(error) = kept {
        tracing::warn!("the campaign file was not written: {error:#}");
    }
}

fn keep_version(folder: &Path, id: CampaignId, version: u32, campaign: &Campaign) -> anyhow::Result<()> {
    let text = campaign.to_json();
    // Another campaign of the same title has the same folder.
    for name in [format!("campaign.v{version}.json"), format!("campaign-{id}.v{version}.json")] {
        let path = folder.join(name);
        match fs::read(&path) {
            Ok(kept) if kept == text.as_bytes() => return Ok(()),
            Ok(_) => {}
            Err(_) => {
                let written = replace_own(&path, |file| file.write_all(text.as_bytes()));
                return written.with_context(|| path.display().to_string());
            }
        }
    }
    Ok(())
}

/// Whose version a file of this name holds: the campaign's number, where the
/// name has one, and the version.
fn parse_name(path: &Path) -> Option<(Option<CampaignId>, u32)> {
    let name = path.file_name()?.to_str()?;
    let (of, version) = name.strip_prefix("campaign")?.strip_suffix(".json")?.split_once(".v")?;
    let of = match of.strip_prefix('-') {
        Some(id) => Some(id.parse().ok()?),
        None if of.is_empty() => None,
        None => return None,
    };
    Some((of, version.parse().ok()?))
}

/// Whether a file is one that [`keep_campaign_files`] writes, by its name.
pub(super) fn is_campaign_file(path: &Path) -> bool {
    parse_name(path).is_some()
}

/// What a path holds of a workspace of Fonds.
pub(super) struct JobFolders {
    /// Its job folders: itself, those in it, or those of the workspace there.
    pub jobs: Vec<PathBuf>,
    /// What else is in it.
    pub rest: Vec<PathBuf>,
    /// Links that lead out of it and are in neither.
    pub led_out: Vec<PathBuf>,
}

/// Looks for job folders in a path.
pub(super) fn job_folders(path: &Path, follow_links: bool) -> JobFolders {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let mut entries: Vec<PathBuf> =
            fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        entries.sort();
        entries
    };
    let is_job = |folder: &Path| folder.is_dir() && entries(folder).iter().any(|path| is_campaign_file(path));
    let none = JobFolders { jobs: Vec::new(), rest: Vec::new(), led_out: Vec::new() };
    if is_job(path) {
        return JobFolders { jobs: vec![path.to_owned()], ..none };
    }
    let real = path.canonicalize().ok().filter(|_| !follow_links);
    let is_out = |entry: &PathBuf| real.as_ref().is_some_and(|path| leads_out(entry, path).is_some());
    let (led_out, inside): (Vec<PathBuf>, Vec<PathBuf>) = entries(path).into_iter().partition(is_out);
    let (jobs, rest): (Vec<PathBuf>, Vec<PathBuf>) = inside.into_iter().partition(|entry| is_job(entry));
    match jobs.is_empty() {
        true => JobFolders { rest: vec![path.to_owned()], ..none },
        false => JobFolders { jobs, rest, led_out },
    }
}

/// Every campaign file of a folder can be read by this program.
///
/// # Errors
///
/// The first that cannot, and why.
pub(super) fn check_versions(folder: &Path) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry.with_context(|| folder.display().to_string())?.path();
        if is_campaign_file(&path) {
            read(folder, &path).with_context(|| {
                format!("{}: this program cannot read it as a campaign; a newer Fonds may", path.display())
            })?;
        }
    }
    Ok(())
}

/// Restores the campaigns whose files stand in a job folder. One that is here
/// with the same content is left as it is; others are switched off until a
/// person here lets them run. `origin` is what the folder came with.
pub(super) fn restore(workspace: &Workspace, folder: &Path, origin: &str) -> anyhow::Result<RestoredJob> {
    let mut restored = RestoredJob { folder: folder.to_owned(), ..RestoredJob::default() };
    let mut found: BTreeMap<Option<CampaignId>, BTreeMap<u32, Campaign>> = BTreeMap::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())?.flatten() {
        let path = entry.path();
        let Some((of, version)) = parse_name(&path) else { continue };
        match read(folder, &path) {
            Ok(campaign) => drop(found.entry(of).or_default().insert(version, campaign)),
            Err(error) => restored.problems.push(format!("{}: {error:#}", path.display())),
        }
    }
    let catalogue = workspace.catalogue();
    let mut here = Vec::new();
    for row in catalogue.campaigns()? {
        here.push((row.id, catalogue.campaign_versions(row.id)?));
    }
    for versions in found.into_values() {
        let Some(name) = versions.values().next_back().map(|campaign| campaign.name.clone()) else { continue };
        let numbers = versions.keys().copied().collect();
        let is_it = |kept: &[(u32, Campaign)]| kept.iter().any(|(at, campaign)| versions.get(at) == Some(campaign));
        let known = here.iter().find(|(_, kept)| is_it(kept)).map(|(id, _)| *id);
        let id = match known {
            Some(id) => id,
            None => catalogue.restore_campaign(versions.into_iter().collect(), origin)?,
        };
        let held_back = held_back(catalogue, id)?;
        restored.campaigns.push(RestoredCampaign { id, name, versions: numbers, is_new: known.is_none(), held_back });
    }
    Ok(restored)
}

fn read(folder: &Path, path: &Path) -> anyhow::Result<Campaign> {
    let leads_out = folder.canonicalize().is_ok_and(|folder| leads_out(path, &folder).is_some());
    anyhow::ensure!(!leads_out, "this link leads out of the folder, and is not followed");
    check_readable(path)?;
    let len = fs::metadata(path)?.len();
    anyhow::ensure!(len <= MAX_BYTES, "it is too long for a campaign file ({len} bytes)");
    Ok(Campaign::from_json(&fs::read_to_string(path)?)?)
}
