//! Jobs of other crawlers: folders of theirs come in, campaigns go out.
//!
//! In: a job folder of Heritrix (configuration, seeds, logs, archives) or a
//! collection of Browsertrix. Out: a campaign with the job's seeds and rules,
//! a launch for each run with what its logs say, and the archives by way of
//! the import.
//!
//! Invariants: a folder is only read; what its files name outside of it is
//! not opened; every line of a log is counted, and those that could not be
//! read are told with file and line. Read again, a folder changes nothing but
//! what is new in it.

mod logs;
mod write;

pub use logs::LogCount;
pub use write::{write_browsertrix_crawl, write_heritrix_job};

use crate::campaign::Campaign;
use crate::jobs::JobCx;
use crate::scope::engines::{
    EngineJob, EngineNote, browsertrix_campaign, read_heritrix_job, read_heritrix1_order, seeds_of_text,
};
use crate::store::Workspace;
use crate::store::rows::{CampaignId, ImportRow, LaunchId};
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};

/// Longest file that is read as a whole.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// Which crawler made a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Engine {
    /// Heritrix 3.
    #[serde(rename = "Heritrix 3")]
    Heritrix,
    /// Heritrix 1.
    #[serde(rename = "Heritrix 1")]
    Heritrix1,
    /// Heritrix of some kind, of which only logs are there.
    #[serde(rename = "Heritrix logs")]
    Logs,
    /// Browsertrix.
    Browsertrix,
}

impl Engine {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Heritrix => "Heritrix 3",
            Self::Heritrix1 => "Heritrix 1",
            Self::Logs => "Heritrix logs",
            Self::Browsertrix => "Browsertrix",
        }
    }
}

/// What a job folder came to, its archives apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EngineImport {
    /// The folder.
    pub folder: String,
    /// Who made it.
    pub engine: Engine,
    /// The campaign that it became.
    pub campaign: CampaignId,
    /// Its title.
    pub name: String,
    /// Whether it was made now; a known one is left as it is.
    pub is_new: bool,
    /// Its seeds.
    pub seeds: usize,
    /// Rules of the job's scope.
    pub rules: usize,
    /// What has no place in a campaign.
    pub notes: Vec<EngineNote>,
    /// Runs of the job, oldest first.
    pub launches: Vec<EngineLaunch>,
    /// Pages that a Browsertrix crawl lists.
    pub pages: u64,
    /// Archives that were passed over, and why.
    pub passed_over: Vec<String>,
}

/// A run of a job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EngineLaunch {
    /// Its number here.
    pub launch: LaunchId,
    /// Its name: when it began.
    pub name: String,
    /// URLs of it that are new in the catalogue.
    pub new_urls: u64,
    /// What was read of each log.
    pub logs: Vec<LogCount>,
}

impl EngineImport {
    /// Lines of logs that could not be read.
    pub fn unread(&self) -> u64 {
        self.launches.iter().flat_map(|launch| &launch.logs).map(|log| log.unread).sum()
    }
}

/// Imports files and folders as [`super::import`] does, and takes folders that
/// are jobs of another crawler for what they are.
///
/// # Errors
///
/// As [`super::import`].
pub fn import_with_jobs(
    workspace: &Workspace,
    paths: &[PathBuf],
    copy: bool,
    cx: &JobCx,
) -> anyhow::Result<(Vec<EngineImport>, ImportRow)> {
    let (mut jobs, mut archives) = (Vec::new(), Vec::new());
    for path in paths {
        let folders = job_folders(path);
        if folders.is_empty() {
            archives.push(path.clone());
        }
        for folder in folders {
            let (job, mut found) = one_job(workspace, &folder, cx)?;
            jobs.push(job);
            archives.append(&mut found);
        }
    }
    let import = super::import(workspace, &archives, copy, cx)?;
    // Captures of several jobs in one import cannot be told apart.
    if let ([job], [_]) = (jobs.as_slice(), paths) {
        workspace.catalogue().import_for_campaign(import.launch, job.campaign)?;
    }
    Ok((jobs, import))
}

/// The jobs in a folder: itself, or the collections below it.
fn job_folders(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return Vec::new();
    }
    if engine_of(path).is_some() {
        return vec![path.to_owned()];
    }
    let mut collections: Vec<PathBuf> = folders_in(&path.join("collections"));
    collections.retain(|folder| engine_of(folder).is_some());
    collections
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn engine_of(folder: &Path) -> Option<Engine> {
    if configuration(folder).is_some() {
        Some(Engine::Heritrix)
    } else if folder.join("order.xml").is_file() {
        Some(Engine::Heritrix1)
    } else if folder.join("pages").join("pages.jsonl").is_file()
        || (folder.join("archive").is_dir() && folder.join("pages").is_dir())
    {
        Some(Engine::Browsertrix)
    } else if ["crawl.log", "logs/crawl.log", "scope.log", "logs/scope.log"]
        .iter()
        .any(|log| folder.join(log).is_file())
    {
        Some(Engine::Logs)
    } else {
        None
    }
}

/// The configuration of a Heritrix 3 job.
fn configuration(folder: &Path) -> Option<PathBuf> {
    let usual = folder.join("crawler-beans.cxml");
    if usual.is_file() {
        return Some(usual);
    }
    let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "cxml") && path.is_file()).collect();
    found.sort();
    found.into_iter().next()
}

/// Brings a job in, and says where its archives are.
fn one_job(workspace: &Workspace, folder: &Path, cx: &JobCx) -> anyhow::Result<(EngineImport, Vec<PathBuf>)> {
    cx.stage(format!("Reading the job {}", folder.display()), None);
    let folder = folder.canonicalize().map_err(|error| anyhow::anyhow!("{}: {error}", folder.display()))?;
    let engine = engine_of(&folder).unwrap_or(Engine::Logs);
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut pages = (0, Vec::new());
    let mut job = match engine {
        Engine::Heritrix => heritrix(&folder)?,
        Engine::Heritrix1 => {
            let text = read_inside(&folder, "order.xml").unwrap_or_default();
            read_heritrix1_order("order.xml", &text, read_inside(&folder, "seeds.txt").as_deref())
                .map_err(|error| anyhow::anyhow!("{}: {error}", folder.display()))?
        }
        Engine::Logs => logs_only(&folder),
        Engine::Browsertrix => {
            let (job, count, unread) = browsertrix(&folder, &name);
            pages = (count, unread);
            job
        }
    };
    if job.campaign.name.trim().is_empty() || job.campaign.name.starts_with('[') {
        job.campaign.name.clone_from(&name);
    }
    let key = format!("engine_job {}", folder.display());
    let known = workspace.catalogue().setting(&key)?.and_then(|id| id.parse::<CampaignId>().ok());
    let (campaign, is_new) = match known {
        Some(id) => (id, false),
        None => {
            let id = workspace.catalogue().save_campaign(None, &job.campaign)?;
            workspace.catalogue().set_setting(&key, &id.to_string())?;
            (id, true)
        }
    };
    let mut notes = job.notes;
    notes.extend(pages.1);
    let launches = match engine {
        Engine::Browsertrix => Vec::new(),
        _ => logs::read(workspace, campaign, &folder, &name, cx)?,
    };
    let (archives, passed_over) = archives(&folder, engine);
    let import = EngineImport {
        folder: folder.display().to_string(),
        engine,
        campaign,
        name: job.campaign.name.clone(),
        is_new,
        seeds: job.campaign.seeds.len(),
        rules: job.rules,
        notes,
        launches,
        pages: pages.0,
        passed_over,
    };
    Ok((import, archives))
}

fn heritrix(folder: &Path) -> anyhow::Result<EngineJob> {
    let path = configuration(folder).unwrap_or_default();
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let text = read_inside(folder, &file).ok_or_else(|| {
        anyhow::anyhow!("{}: it cannot be read, or is larger than {MOST_BYTES} bytes", path.display())
    })?;
    read_heritrix_job(&file, &text, &|name| read_inside(folder, name))
        .map_err(|error| anyhow::anyhow!("{}: {error}", folder.display()))
}

fn logs_only(folder: &Path) -> EngineJob {
    let (seeds, _, _) = seeds_of_text(&read_inside(folder, "seeds.txt").unwrap_or_default());
    let what = "there is no configuration, so the campaign has no rules; nothing is in its scope before it has some";
    let note = EngineNote { place: folder.display().to_string(), what: what.to_owned() };
    EngineJob { campaign: Campaign { seeds, ..Campaign::default() }, rules: 0, notes: vec![note] }
}

/// A collection of Browsertrix: what its lists of pages and its logs say.
fn browsertrix(folder: &Path, name: &str) -> (EngineJob, u64, Vec<EngineNote>) {
    let mut notes = Vec::new();
    let mut read = |file: &str| {
        let (campaign, count, unread) = browsertrix_campaign(name, &read_inside(folder, file).unwrap_or_default());
        notes.extend(unread.into_iter().map(|(line, why)| EngineNote {
            place: format!("{file}:{line}"),
            what: format!("this is no page: {why}"),
        }));
        (campaign, count as u64)
    };
    let (campaign, pages) = read("pages/pages.jsonl");
    let (_, extra) = read("pages/extraPages.jsonl");
    for path in fs::read_dir(folder.join("logs")).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let file = format!("logs/{}", path.file_name().unwrap_or_default().to_string_lossy());
        let text = read_inside(folder, &file).unwrap_or_default();
        let (mut lines, mut errors) = (0, 0);
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            lines += 1;
            match serde_json::from_str::<serde_json::Value>(line) {
                Ok(line) if ["error", "fatal"].iter().any(|level| line["logLevel"] == *level) => errors += 1,
                Ok(_) => {}
                Err(error) => notes.push(EngineNote {
                    place: format!("{file}:{}", number + 1),
                    what: format!("this is no line of a log: {error}"),
                }),
            }
        }
        if errors > 0 {
            notes.push(EngineNote { place: file, what: format!("{errors} of {lines} lines tell of errors") });
        }
    }
    let rules = campaign.rules.len();
    if campaign.seeds.is_empty() {
        let what = "no page is marked as a seed; give the campaign its seeds";
        notes.push(EngineNote { place: "pages/pages.jsonl".to_owned(), what: what.to_owned() });
    }
    let what =
        "a collection does not tell its scope; seeds have the scope “root” and the standard rules, look them over";
    notes.push(EngineNote { place: "rules".to_owned(), what: what.to_owned() });
    (EngineJob { campaign, rules, notes: Vec::new() }, pages + extra, notes)
}

/// Where the archives of a job are. A package beside the files that it was
/// made from would bring every capture twice.
fn archives(folder: &Path, engine: Engine) -> (Vec<PathBuf>, Vec<String>) {
    let files = folder.join("archive");
    let has_files = fs::read_dir(&files).into_iter().flatten().flatten().any(|entry| entry.path().is_file());
    if engine != Engine::Browsertrix || !has_files {
        return (vec![folder.to_owned()], Vec::new());
    }
    let packages = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut passed_over: Vec<String> = packages
        .filter(|path| path.extension().is_some_and(|ending| ending == "wacz"))
        .map(|path| format!("{}: the files it was made from are read from archive/", path.display()))
        .collect();
    passed_over.sort();
    (vec![files], passed_over)
}

/// The text of a file that really is inside a folder.
fn read_inside(folder: &Path, name: &str) -> Option<String> {
    let path = folder.join(name.trim()).canonicalize().ok()?;
    let meta = path.metadata().ok()?;
    if !path.starts_with(folder.canonicalize().ok()?) || !meta.is_file() || meta.len() > MOST_BYTES {
        return None;
    }
    Some(String::from_utf8_lossy(&fs::read(path).ok()?).into_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
