//! Jobs of other crawlers: folders of theirs come in, campaigns go out.
//!
//! In: a job folder of Heritrix (configuration, seeds, logs, archives) or a collection of
//! Browsertrix. Out: a campaign with the job's seeds and rules, a launch for each run with the
//! content of its logs, and the archives by way of the import.
//!
//! Invariants: a folder is only read; what its files name outside of it is not opened; every line
//! of a log is counted, and unread ones are listed with file and line. Read again, a folder changes
//! nothing but what is new in it.

mod archives;
mod logs;
mod write;

pub use logs::LogCount;
pub use write::{browsertrix_crawl, write_heritrix_job};

use super::handover::{ExportedEvidence, Handover, HandoverImport, attach_annotations};
use super::import::leads_out;
use crate::campaign::Campaign;
use crate::jobs::{JobCx, counted};
use crate::scope::other_crawlers::{
    EngineJob, EngineNote, browsertrix_campaign, read_heritrix_job, read_heritrix1_order, seeds_of_text,
};
use crate::store::Workspace;
use crate::store::rows::{CampaignChoice, CampaignId, ImportOptions, ImportRow, LaunchId};
use crate::work::files::campaign_files;
use crate::work::files::campaign_files::RestoredJob;
use serde::Serialize;
use std::cell::RefCell;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Longest file that is read as a whole.
const MOST_BYTES: u64 = 256 * 1024 * 1024;
/// Begin of the setting of a job whose campaign is being made: the newest
/// campaign before it follows.
const BEGUN: &str = "after ";
/// Notes of a job that are listed in a line of the window.
const MAX_NOTES: usize = 30;
/// Why a file that may be missing is not read.
const NOT_THERE: &str = "it is not there";

/// The crawler that made a folder.
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

/// The outcome of importing a job folder, its archives apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EngineImport {
    /// The folder.
    pub folder: String,
    /// The crawler that made it.
    pub engine: Engine,
    /// The campaign that it became.
    pub campaign: CampaignId,
    /// Its title.
    pub name: String,
    /// Whether it was made now; a known one is left as it is.
    pub is_new: bool,
    /// See [`RestoredCampaign::suspended_terms`](super::RestoredCampaign::suspended_terms).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspended_terms: Option<Vec<String>>,
    /// Its seeds.
    pub seeds: usize,
    /// Rules of the job's scope.
    pub rules: usize,
    /// Parts of the job without a place in a campaign.
    pub notes: Vec<EngineNote>,
    /// Runs of the job, oldest first.
    pub launches: Vec<EngineLaunch>,
    /// Pages that a Browsertrix crawl lists.
    pub pages: u64,
    /// Why its configuration could not be read, where it could not.
    pub broken: Option<String>,
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
    /// The counts of each log.
    pub logs: Vec<LogCount>,
}

impl EngineImport {
    /// Lines of logs that could not be read, and a configuration that could not.
    pub fn unread(&self) -> u64 {
        let lines: u64 = self.launches.iter().flat_map(|launch| &launch.logs).map(|log| log.unread).sum();
        lines + u64::from(self.broken.is_some())
    }
}

/// The outcome of an import with job folders in it.
#[derive(Debug, Default)]
pub struct Imported {
    /// Jobs of other crawlers.
    pub jobs: Vec<EngineImport>,
    /// Jobs of Fonds with files of their campaigns.
    pub restored: Vec<RestoredJob>,
    /// The imports of archive files: one for each handover and job, and one of all others.
    pub imports: Vec<ImportRow>,
    /// Handovers, in the order in which they were named.
    pub handovers: Vec<HandoverImport>,
    /// Decisions and notes that were kept for captures which came now.
    pub attached: u64,
    /// Links that lead out of the folders that were named, with why they were not followed.
    pub led_out: Vec<String>,
}

impl Imported {
    fn pass_over(&mut self, links: impl Iterator<Item = PathBuf>) {
        let why =
            "this link leads out of the folder, and is not followed. Name what it leads to, or give --follow-links";
        self.led_out.extend(links.map(|path| format!("{}: {why}", path.display())));
    }
}

/// Imports files and folders as [`super::import`] does, and takes folders that are jobs of another
/// crawler for what they are. Campaigns whose files are beside the WARC files of a workspace of
/// Fonds are restored, and have the captures of their job.
///
/// # Errors
///
/// As [`super::import`].
pub fn import_with_jobs(
    workspace: &Workspace,
    paths: &[PathBuf],
    options: ImportOptions,
    cx: &JobCx,
) -> anyhow::Result<Imported> {
    let mut imported = Imported::default();
    let (mut archives, mut own_jobs, mut engine_jobs) = (Vec::new(), Vec::new(), Vec::new());
    let mut handovers = Vec::new();
    // Whatever is wrong with one of them: nothing comes in.
    for path in paths {
        handovers.push(Handover::check(workspace, path, cx)?);
    }
    for (path, _) in paths.iter().zip(&handovers).filter(|(_, handover)| handover.is_none()) {
        let mut folders = job_folders(path);
        if !options.follow_links
            && let Ok(real) = path.canonicalize()
        {
            imported.pass_over(folders.extract_if(.., |folder| leads_out(folder, &real).is_some()));
        }
        if folders.is_empty() {
            let mut found = campaign_files::job_folders(path, options.follow_links);
            own_jobs.append(&mut found.jobs);
            archives.append(&mut found.rest);
            imported.pass_over(found.led_out.into_iter());
        }
        engine_jobs.append(&mut folders);
    }
    // The campaign is chosen before anything comes in. What brings its own campaign keeps it.
    let campaign = match archives.is_empty() {
        true => None,
        false => workspace.catalogue().import_campaign(options.campaign)?,
    };
    let of = |campaign: Option<CampaignId>| {
        let campaign = campaign.map_or(CampaignChoice::None, CampaignChoice::Of);
        ImportOptions { campaign, ..options }
    };
    for handover in handovers.into_iter().flatten() {
        let (came, import) = handover.take(workspace, options, cx)?;
        imported.handovers.push(came);
        imported.imports.push(import);
    }
    let is_only_job =
        archives.is_empty() && own_jobs.is_empty() && imported.imports.is_empty() && engine_jobs.len() == 1;
    for folder in engine_jobs {
        let (job, found) = one_job(workspace, &folder, options.follow_links, cx)?;
        if !found.is_empty() || is_only_job {
            imported.imports.push(super::import(workspace, &found, of(Some(job.campaign)), cx)?);
        }
        imported.jobs.push(job);
    }
    for folder in own_jobs {
        let mut restored = campaign_files::restore(workspace, &folder, None)?;
        for campaign in &restored.campaigns {
            restored.lost_evidence.extend(ExportedEvidence::of_campaign(workspace, campaign.id, cx)?.problems);
        }
        // Of several campaigns of one title nobody knows whose captures they are.
        let campaign = match restored.campaigns.as_slice() {
            [campaign] => Some(campaign.id),
            _ => None,
        };
        let import = super::import(workspace, &[folder], of(campaign), cx)?;
        imported.restored.push(restored);
        imported.imports.push(import);
    }
    if !archives.is_empty() || imported.imports.is_empty() && imported.restored.is_empty() {
        imported.imports.push(super::import(workspace, &archives, of(campaign), cx)?);
    }
    imported.attached = attach_annotations(workspace, cx)?;
    Ok(imported)
}

/// Whether a folder holds something to import: archives, or the job of another crawler.
pub fn is_importable(folder: &Path) -> anyhow::Result<bool> {
    Ok(!job_folders(folder).is_empty() || super::import::has_archives(folder)?)
}

/// Decisions that were kept until their captures came; none where there were none.
pub fn attached_summary(attached: u64) -> Option<String> {
    let what = super::counted(attached, "annotation");
    (attached > 0).then(|| format!("{what} of earlier imports put on captures that came since"))
}

/// An import with its jobs in words: what each became, what has no place in a campaign, what could
/// not be read. Of many notes the first are listed.
pub fn jobs_summary(Imported { jobs, restored, imports, handovers, attached, led_out }: &Imported) -> String {
    let mut parts = Vec::new();
    let restored = restored.iter().flat_map(|job| job.summary().into_iter().chain(job.problems.clone()));
    let handovers = handovers.iter().flat_map(HandoverImport::lines);
    for job in jobs {
        let known = if job.is_new { "new" } else { "known, left as it is" };
        let mut text = format!(
            "{} job {}: campaign {} “{}” ({known}), {}, {}, {}",
            job.engine.name(),
            job.folder,
            job.campaign,
            job.name,
            super::counted(job.seeds as u64, "seed"),
            super::counted(job.rules as u64, "rule"),
            super::counted(job.launches.len() as u64, "run"),
        );
        let logs = || job.launches.iter().flat_map(|launch| &launch.logs);
        let unread: u64 = logs().map(|log| log.unread).sum();
        if unread > 0 {
            text.push_str(&format!(", {} of logs could not be read", super::counted(unread, "line")));
        }
        let notes = job.notes.iter().map(ToString::to_string);
        let unread = logs().flat_map(|log| &log.unread_examples).map(|example| format!("unreadable: {example}"));
        let passed_over = job.passed_over.iter().map(|path| format!("passed over: {path}"));
        let notes: Vec<String> = notes.chain(unread).chain(passed_over).collect();
        for note in notes.iter().take(MAX_NOTES) {
            text.push_str(&format!("; {note}"));
        }
        if notes.len() > MAX_NOTES {
            let more = notes.len() - MAX_NOTES;
            text.push_str(&format!("; and {more} more notes, which fonds import of this folder tells"));
        }
        parts.push(text);
    }
    parts.extend(restored.chain(handovers).chain(attached_summary(*attached)).chain(led_out.iter().cloned()));
    // What came as a whole is the news; its archive files follow.
    let beside = !parts.is_empty();
    parts.extend(imports.iter().filter_map(|import| {
        if beside { super::import::summary_beside(import) } else { Some(super::import_summary(import)) }
    }));
    parts.join(". ")
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

/// Brings a job in, and returns the folders of its archives.
fn one_job(
    workspace: &Workspace,
    folder: &Path,
    follow_links: bool,
    cx: &JobCx,
) -> anyhow::Result<(EngineImport, Vec<PathBuf>)> {
    cx.stage(format!("Reading the job {}", folder.display()), None);
    let folder = folder.canonicalize().map_err(|error| anyhow::anyhow!("{}: {error}", folder.display()))?;
    let mut engine = engine_of(&folder).unwrap_or(Engine::Logs);
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut pages = (0, Vec::new());
    let read = match engine {
        Engine::Heritrix => heritrix(&folder),
        Engine::Heritrix1 => heritrix_1(&folder),
        Engine::Logs => Ok(logs_only(&folder)),
        Engine::Browsertrix => {
            let (job, count, unread) = browsertrix(&folder, &name);
            pages = (count, unread);
            Ok(job)
        }
    };
    // Logs and archives are worth having also where the configuration is torn.
    let (mut job, broken) = match read {
        Ok(job) => (job, None),
        Err(why) => {
            engine = Engine::Logs;
            let mut job = logs_only(&folder);
            let what = format!("{why}. Seeds, logs and archives are read without it");
            job.notes.insert(0, EngineNote { place: folder.display().to_string(), what });
            (job, Some(why))
        }
    };
    if job.campaign.name.trim().is_empty() || job.campaign.name.starts_with('[') {
        job.campaign.name.clone_from(&name);
    }
    let (campaign, is_new) = campaign_of(workspace, &folder, &job.campaign)?;
    let mut notes = job.notes;
    notes.extend(pages.1);
    let launches = match engine {
        Engine::Browsertrix => Vec::new(),
        _ => logs::read(workspace, campaign, &folder, &name, cx)?,
    };
    let (archives, passed_over) = archives::archives(&folder, engine, follow_links);
    let import = EngineImport {
        folder: folder.display().to_string(),
        engine,
        campaign,
        name: job.campaign.name.clone(),
        is_new,
        suspended_terms: campaign_files::suspended_terms(workspace.catalogue(), campaign)?,
        seeds: job.campaign.seeds.len(),
        rules: job.rules,
        notes,
        launches,
        pages: pages.0,
        broken,
        passed_over,
    };
    Ok((import, archives))
}

/// The campaign of a job folder, and whether it was made now. Another job may be where a known one
/// was, as on a drive that is changed.
fn campaign_of(workspace: &Workspace, folder: &Path, job: &Campaign) -> anyhow::Result<(CampaignId, bool)> {
    let catalogue = workspace.catalogue();
    let key = format!("engine_job {}", folder.display());
    let known = catalogue.setting(&key)?;
    if let Some(id) = known.as_deref().and_then(|id| id.parse::<CampaignId>().ok()) {
        let (_, campaign) = catalogue.campaign(id)?;
        let shares = |url: &String| campaign.seeds.iter().any(|seed| seed.url == *url);
        let no_seeds = job.seeds.is_empty() || campaign.seeds.is_empty();
        if job.seeds.iter().any(|seed| shares(&seed.url)) || (no_seeds && job.name == campaign.name) {
            return Ok((id, false));
        }
    }
    // Killed between the two writes, the next import finds the campaign by its begin.
    let before = match known.as_deref().and_then(|begun| begun.strip_prefix(BEGUN)?.parse::<CampaignId>().ok()) {
        Some(before) => before,
        None => {
            let newest = catalogue.listed_campaigns()?.iter().map(|row| row.id).max().unwrap_or_default();
            catalogue.set_setting(&key, &format!("{BEGUN}{newest}"))?;
            newest
        }
    };
    for row in catalogue.listed_campaigns()?.iter().filter(|row| row.id > before) {
        if catalogue.campaign(row.id)?.1 == *job {
            catalogue.set_setting(&key, &row.id.to_string())?;
            return Ok((row.id, false));
        }
    }
    let origin = folder.file_name().unwrap_or_default().to_string_lossy();
    let id = catalogue.save_campaign_from(&origin, job)?;
    catalogue.set_setting(&key, &id.to_string())?;
    Ok((id, true))
}

fn heritrix(folder: &Path) -> Result<EngineJob, String> {
    let path = configuration(folder).unwrap_or_default();
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let text = read_inside(folder, &file).map_err(|why| format!("{file}: {why}"))?;
    let unread = RefCell::new(Vec::new());
    let others = |name: &str| text_inside(folder, name, &mut unread.borrow_mut());
    let mut job = read_heritrix_job(&file, &text, &others).map_err(|error| error.to_string())?;
    job.notes.append(&mut unread.take());
    Ok(job)
}

fn heritrix_1(folder: &Path) -> Result<EngineJob, String> {
    let text = read_inside(folder, "order.xml").map_err(|why| format!("order.xml: {why}"))?;
    let mut unread = Vec::new();
    let seeds = text_inside(folder, "seeds.txt", &mut unread);
    let mut job = read_heritrix1_order("order.xml", &text, seeds.as_deref()).map_err(|error| error.to_string())?;
    job.notes.append(&mut unread);
    Ok(job)
}

fn logs_only(folder: &Path) -> EngineJob {
    let mut notes = Vec::new();
    let text = text_inside(folder, "seeds.txt", &mut notes).unwrap_or_default();
    let (seeds, prefixes, unread) = seeds_of_text(&text);
    let what = "there is no configuration, so the campaign has no rules; nothing is in its scope before it has some";
    notes.push(EngineNote { place: folder.display().to_string(), what: what.to_owned() });
    if !prefixes.is_empty() {
        let what =
            format!("{} with + or - left out: there is no rule for them", counted(prefixes.len() as u64, "line"));
        notes.push(EngineNote { place: "seeds.txt".to_owned(), what });
    }
    let unread = unread.into_iter().map(|(line, entry)| (line, format!("“{entry}” is neither seed nor prefix")));
    examples(&mut notes, "seeds.txt", unread);
    EngineJob { campaign: Campaign { seeds, ..Campaign::default() }, rules: 0, notes }
}

/// Tells of bad lines of a file: the first ones, and how many more there are.
fn examples(notes: &mut Vec<EngineNote>, file: &str, lines: impl Iterator<Item = (usize, String)>) {
    let mut more = 0_u64;
    for (listed, (line, what)) in lines.enumerate() {
        if listed < logs::EXAMPLES {
            notes.push(EngineNote { place: format!("{file}:{line}"), what });
        } else {
            more += 1;
        }
    }
    if more > 0 {
        notes.push(EngineNote {
            place: file.to_owned(),
            what: format!("{} could not be read", counted(more, "more line")),
        });
    }
}

/// A collection of Browsertrix, from its lists of pages and its logs.
fn browsertrix(folder: &Path, name: &str) -> (EngineJob, u64, Vec<EngineNote>) {
    let mut notes = Vec::new();
    let mut read = |file: &str| {
        let text = text_inside(folder, file, &mut notes).unwrap_or_default();
        let (campaign, count, unread) = browsertrix_campaign(name, &text);
        examples(&mut notes, file, unread.into_iter().map(|(line, why)| (line, format!("this is no page: {why}"))));
        (campaign, count as u64)
    };
    let (campaign, pages) = read("pages/pages.jsonl");
    let (_, extra) = read("pages/extraPages.jsonl");
    let logs = fs::read_dir(folder.join("logs")).into_iter().flatten().flatten();
    let mut logs: Vec<String> = logs.map(|entry| format!("logs/{}", entry.file_name().to_string_lossy())).collect();
    logs.sort();
    for file in logs {
        let Some(text) = text_inside(folder, &file, &mut notes) else { continue };
        let (mut lines, mut errors, mut unread) = (0, 0, Vec::new());
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            lines += 1;
            match serde_json::from_str::<serde_json::Value>(line) {
                Ok(line) if ["error", "fatal"].iter().any(|level| line["logLevel"] == *level) => errors += 1,
                Ok(_) => {}
                Err(error) => unread.push((number + 1, format!("this is no line of a log: {error}"))),
            }
        }
        examples(&mut notes, &file, unread.into_iter());
        if errors > 0 {
            notes.push(EngineNote { place: file, what: format!("{errors} of {} with errors", counted(lines, "line")) });
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

/// The text of a file that really is inside a folder; `Err` has the reason.
fn read_inside(folder: &Path, name: &str) -> Result<String, String> {
    let reason = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => NOT_THERE.to_owned(),
        _ => format!("it cannot be read: {error}"),
    };
    let path = folder.join(name.trim()).canonicalize().map_err(reason)?;
    if !path.starts_with(folder.canonicalize().map_err(reason)?) {
        return Err("it leads out of the folder of the job, and is not opened".to_owned());
    }
    let meta = path.metadata().map_err(reason)?;
    if !meta.is_file() {
        return Err("this is no file".to_owned());
    }
    if meta.len() > MOST_BYTES {
        return Err(format!("it is larger than {MOST_BYTES} bytes, and is not read"));
    }
    Ok(String::from_utf8_lossy(&fs::read(path).map_err(reason)?).into_owned())
}

/// The same; a file that is there and cannot be read gets a note.
fn text_inside(folder: &Path, name: &str, notes: &mut Vec<EngineNote>) -> Option<String> {
    let read = read_inside(folder, name);
    if let Err(what) = &read
        && what != NOT_THERE
        && !name.trim().is_empty()
    {
        notes.push(EngineNote { place: name.to_owned(), what: what.clone() });
    }
    read.ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
