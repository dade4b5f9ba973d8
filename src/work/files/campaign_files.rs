//! The versions of a campaign as files beside its WARC files, and back.
//!
//! WARC files are the truth of captures; with these files beside them they are
//! that of campaigns, too: a catalogue that is lost is made again of both.

use crate::campaign::{Campaign, CampaignFile, Identity};
use crate::jobs::{check_readable, replace_own};
use crate::store::{Catalogue, StoreError, Workspace, job_name};
use crate::work::import::leads_out;
use crate::work::models::{CampaignId, TakenAs};
use anyhow::Context;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Longest file that is read as a campaign.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Highest number of a version: others follow it.
const MAX_VERSION: u32 = 1_000_000;

/// Campaigns of one identity in a folder at most: a campaign and branches that were crawled.
const MAX_CHAINS: usize = 100;

/// The endings of the names of archive files.
const ARCHIVE_ENDINGS: [&str; 5] = [".warc.gz", ".warc", ".warc.zst", ".arc.gz", ".arc"];

/// The outcome of reading the campaign files of a job folder.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RestoredJob {
    /// The folder.
    pub folder: PathBuf,
    /// Its campaigns.
    pub campaigns: Vec<RestoredCampaign>,
    /// Files that could not be read, and why.
    pub problems: Vec<String>,
    /// Evidence that its campaigns name and that is not in the workspace: it lies in no job folder.
    pub lost_evidence: Vec<String>,
}

/// A campaign read from files.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RestoredCampaign {
    /// Its number here.
    pub id: CampaignId,
    /// Its identity in every workspace.
    pub identity: Identity,
    /// Its title.
    pub name: String,
    /// The versions in the files.
    pub versions: Vec<u32>,
    /// The form in which it was taken in.
    pub taken: TakenAs,
    /// The terms of its crawls, as [`Campaign::crawl_terms`] names it, while it waits for a person here
    /// to let it run; none where it does not wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspended_terms: Option<Vec<String>>,
}

/// The origin of campaign files: its name, and the identity of a campaign whose files have none.
pub(in crate::work) struct CameWith {
    /// The name of the origin.
    pub name: String,
    /// The identity of a campaign whose files have none.
    pub identity: Identity,
}

impl CameWith {
    /// A job folder. Without an identity its campaign is known by its first version and the
    /// oldest archive file beside it, which stay the same while the job goes on.
    fn folder(folder: &Path, first: &CampaignFile) -> Self {
        let entries = |folder: &Path| {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).collect::<Vec<PathBuf>>()
        };
        // They lie in folders of their launches, and their names begin alike and go on with their dates.
        let inside = |path: PathBuf| if path.is_dir() { entries(&path) } else { vec![path] };
        let names = entries(folder).into_iter().flat_map(inside);
        let names = names.filter_map(|path| path.file_name().map(|name| name.to_string_lossy().into_owned()));
        let oldest = names.filter(|name| ARCHIVE_ENDINGS.iter().any(|ending| name.ends_with(ending))).min();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self { name, identity: Identity::of_parts([first.campaign.digest(), oldest.unwrap_or_default()]) }
    }
}

impl RestoredJob {
    /// The outcome, a line a campaign.
    pub fn summary(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for campaign in &self.campaigns {
            lines.push(campaign.summary());
            lines.extend(campaign.suspended_terms.as_ref().map(|terms| suspension_line(campaign.id, terms)));
        }
        lines.extend(self.lost_evidence.iter().cloned());
        lines
    }
}

impl RestoredCampaign {
    fn summary(&self) -> String {
        let Self { id, name, .. } = self;
        let list = |versions: &[u32]| versions.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let all = list(&self.versions);
        match self.taken {
            TakenAs::New => format!("campaign {id} “{name}” (restored): version {all}"),
            TakenAs::Known => format!("campaign {id} “{name}” (here already, left as it is): version {all}"),
            TakenAs::Continued(head) => {
                let new: Vec<u32> = self.versions.iter().copied().filter(|version| *version > head).collect();
                format!("campaign {id} “{name}” (here already, goes on): version {all}, new {}", list(&new))
            }
            TakenAs::Branch(point) => format!(
                "campaign {id} “{name}” ({point}, kept beside it): version {all}. Nothing of campaign {of} changed; to \
                 make the last of them its next version: fonds campaign export DIR {id} > campaign.json, then fonds \
                 campaign add DIR campaign.json --id {of}",
                of = point.campaign
            ),
        }
    }
}

/// The terms of the crawls of a campaign that waits for a person here to let it run; none where it
/// does not wait.
pub(in crate::work) fn suspended_terms(
    catalogue: &Catalogue,
    id: CampaignId,
) -> Result<Option<Vec<String>>, StoreError> {
    Ok(match catalogue.suspended_campaign(id)? {
        Some(_) => Some(catalogue.campaign(id)?.1.crawl_terms()),
        None => None,
    })
}

/// A line of text: a campaign from elsewhere is switched off, with the terms of its crawls.
pub fn suspension_line(id: CampaignId, terms: &[String]) -> String {
    let terms = if terms.is_empty() { String::new() } else { format!(" ({})", terms.join("; ")) };
    format!("campaign {id} is switched off{terms}; to let it run: fonds campaign activate DIR {id}")
}

/// Writes every version of a campaign beside the WARC files of its job; those
/// that are there stay.
pub(in crate::work) fn keep_campaign_files(workspace: &Workspace, id: CampaignId) -> anyhow::Result<()> {
    let (_, newest) = workspace.catalogue().campaign(id)?;
    let folder = workspace.job_folder(&job_name(&newest.name))?;
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    for (version, file) in workspace.catalogue().campaign_files(id)? {
        keep_version(&folder, id, version, &file)?;
    }
    Ok(())
}

/// Renews the files of a campaign that was just saved, if it was crawled before. What cannot be
/// written now is written when it is crawled next.
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

fn keep_version(folder: &Path, id: CampaignId, version: u32, file: &CampaignFile) -> anyhow::Result<()> {
    let text = file.to_json();
    // An earlier program wrote the same without identity and lineage.
    let is_bare = |kept: &[u8]| {
        let kept = std::str::from_utf8(kept).ok().and_then(|text| CampaignFile::from_json(text).ok());
        kept.is_some_and(|kept| kept.identity.is_none() && kept.campaign == file.campaign)
    };
    // Another campaign of the same title has the same folder.
    for name in [format!("campaign.v{version}.json"), format!("campaign-{id}.v{version}.json")] {
        let path = folder.join(name);
        match fs::read(&path) {
            Ok(kept) if kept == text.as_bytes() => return Ok(()),
            Ok(kept) if !is_bare(&kept) => {}
            _ => {
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
    Some((of, version.parse().ok().filter(|version| (1..=MAX_VERSION).contains(version))?))
}

/// Whether a file is one that [`keep_campaign_files`] writes, by its name.
pub(in crate::work) fn is_campaign_file(path: &Path) -> bool {
    parse_name(path).is_some()
}

/// The job folders of Fonds at a path, and what else is there.
pub(in crate::work) struct JobFolders {
    /// Its job folders: itself, those in it, or those of the workspace there.
    pub jobs: Vec<PathBuf>,
    /// Other entries in it.
    pub rest: Vec<PathBuf>,
    /// Links that lead out of it and are in neither.
    pub led_out: Vec<PathBuf>,
}

/// Looks for job folders in a path.
pub(in crate::work) fn job_folders(path: &Path, follow_links: bool) -> JobFolders {
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
pub(in crate::work) fn check_versions(folder: &Path) -> anyhow::Result<()> {
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

/// A version in a file, with its number and its digest.
struct FoundVersion {
    number: u32,
    digest: String,
    file: CampaignFile,
}

/// Restores the campaigns from files in a folder; `came_with` is their origin, none for a job
/// folder. What is here stays as it is: see [`TakenAs`](crate::store::rows::TakenAs). What comes is
/// switched off until a person here lets it run.
pub(in crate::work) fn restore(
    workspace: &Workspace,
    folder: &Path,
    came_with: Option<&CameWith>,
) -> anyhow::Result<RestoredJob> {
    let mut restored = RestoredJob { folder: folder.to_owned(), ..RestoredJob::default() };
    let mut named: BTreeMap<Identity, Vec<FoundVersion>> = BTreeMap::new();
    let mut bare: BTreeMap<Option<CampaignId>, Vec<FoundVersion>> = BTreeMap::new();
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .with_context(|| folder.display().to_string())?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    for path in paths {
        let Some((of, number)) = parse_name(&path) else { continue };
        match read(folder, &path) {
            Ok(file) => {
                let identity = file.identity;
                let found = FoundVersion { number, digest: file.campaign.digest(), file };
                match identity {
                    Some(identity) => named.entry(identity).or_default().push(found),
                    None => bare.entry(of).or_default().push(found),
                }
            }
            Err(error) => restored.problems.push(format!("{}: {error:#}", path.display())),
        }
    }
    let mut chains = Vec::new();
    for (identity, versions) in named {
        let (found, left_out) = chains_of(versions);
        if left_out > 0 {
            restored.problems.push(format!(
                "{}: more than {MAX_CHAINS} branches of campaign {identity}, {left_out} are left out",
                folder.display()
            ));
        }
        chains.extend(found.into_iter().map(|chain| (Some(identity), chain)));
    }
    for mut versions in bare.into_values() {
        versions.sort_by_key(|of| of.number);
        chains.push((None, versions.into_iter().map(|of| (of.number, of.file)).collect()));
    }
    for (identity, chain) in chains {
        let chain: Vec<(u32, CampaignFile)> = chain;
        let (Some((_, first)), Some((_, last))) = (chain.first(), chain.last()) else { continue };
        let came_with = match came_with {
            Some(came_with) => came_with,
            None => &CameWith::folder(folder, first),
        };
        let identity = identity.unwrap_or(came_with.identity);
        let (name, versions) = (last.campaign.name.clone(), chain.iter().map(|(number, _)| *number).collect());
        let (id, taken) = workspace.catalogue().take_campaign(identity, with_parents(chain), &came_with.name)?;
        let suspended_terms = suspended_terms(workspace.catalogue(), id)?;
        restored.campaigns.push(RestoredCampaign { id, identity, name, versions, taken, suspended_terms });
    }
    Ok(restored)
}

/// The campaign of an identity and its branches, where files of several are in one folder, the one
/// with the lowest versions first; and how many are too many. Each begins at a version that no
/// other one was made from.
fn chains_of(mut versions: Vec<FoundVersion>) -> (Vec<Vec<(u32, CampaignFile)>>, usize) {
    versions.sort_by(|a, b| (a.number, &a.digest, &a.file.parent).cmp(&(b.number, &b.digest, &b.file.parent)));
    versions.dedup_by(|a, b| (a.number, &a.digest, &a.file.parent) == (b.number, &b.digest, &b.file.parent));
    let is_one = versions.windows(2).all(|pair| matches!(pair, [a, b] if a.number != b.number));
    if is_one {
        return (vec![versions.into_iter().map(|of| (of.number, of.file)).collect()], 0);
    }
    // Each with the one that it was made from: of those with its digest the nearest below.
    let mut by_digest: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut before = Vec::with_capacity(versions.len());
    for (at, of) in versions.iter().enumerate() {
        let parents = of.file.parent.as_deref().and_then(|parent| by_digest.get(parent));
        let below = |other: &&usize| versions.get(**other).is_some_and(|other| other.number < of.number);
        before.push(parents.and_then(|parents| parents.iter().rev().find(below)).copied());
        by_digest.entry(&of.digest).or_default().push(at);
    }
    let with_next: std::collections::BTreeSet<usize> = before.iter().copied().flatten().collect();
    let heads: Vec<usize> = (0..versions.len()).filter(|at| !with_next.contains(at)).collect();
    let chain_to = |head: &usize| {
        let back = std::iter::successors(Some(*head), |at| before.get(*at).copied().flatten());
        let mut chain: Vec<(u32, CampaignFile)> =
            back.filter_map(|at| versions.get(at)).map(|of| (of.number, of.file.clone())).collect();
        chain.reverse();
        chain
    };
    (heads.iter().take(MAX_CHAINS).map(chain_to).collect(), heads.len().saturating_sub(MAX_CHAINS))
}

/// Versions without lineage were each made from the one before.
fn with_parents(mut versions: Vec<(u32, CampaignFile)>) -> Vec<(u32, CampaignFile)> {
    let mut before = None;
    for (_, file) in &mut versions {
        let digest = file.campaign.digest();
        if file.identity.is_none() {
            file.parent = before;
        }
        before = Some(digest);
    }
    versions
}

fn read(folder: &Path, path: &Path) -> anyhow::Result<CampaignFile> {
    let leads_out = folder.canonicalize().is_ok_and(|folder| leads_out(path, &folder).is_some());
    anyhow::ensure!(!leads_out, "this link leads out of the folder, and is not followed");
    check_readable(path)?;
    let len = fs::metadata(path)?.len();
    anyhow::ensure!(len <= MAX_BYTES, "it is too long for a campaign file ({len} bytes)");
    Ok(CampaignFile::from_json(&fs::read_to_string(path)?)?)
}
