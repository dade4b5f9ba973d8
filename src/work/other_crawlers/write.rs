//! Campaigns as jobs of other crawlers, on disk.

use crate::campaign::Campaign;
use crate::jobs::{Existing, WholeFile, ascii_name, remove_left};
use crate::scope::other_crawlers::{EngineNote, HERITRIX_CONFIGURATION, browsertrix_yaml, heritrix_job};
use crate::store::job_name;
use anyhow::Context;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes a Heritrix 3 job folder: configuration, seeds, prefixes. Says what
/// was written, and what is not the same there.
///
/// # Errors
///
/// When the folder holds a job already, or cannot be written.
pub fn write_heritrix_job(campaign: &Campaign, folder: &Path) -> anyhow::Result<(Vec<PathBuf>, Vec<EngineNote>)> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let (files, notes) = heritrix_job(campaign);
    if let Some((name, _)) = files.iter().find(|(name, _)| folder.join(name).exists()) {
        anyhow::bail!("{}: there is a {name} already; name a folder without a job", folder.display());
    }
    // The configuration comes last: with it the folder is a job.
    let (configuration, others): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|(name, _)| name == HERITRIX_CONFIGURATION);
    let mut written = Vec::new();
    for (name, text) in others.into_iter().chain(configuration) {
        let path = folder.join(name);
        new_file(&path, &text)?;
        written.push(path);
    }
    Ok((written, notes))
}

/// The configuration of a Browsertrix crawl (YAML), and what is not the same
/// there.
pub fn browsertrix_crawl(campaign: &Campaign) -> (String, Vec<EngineNote>) {
    // The crawler takes letters without marks only.
    let collection = ascii_name(&job_name(&campaign.name), "");
    browsertrix_yaml(campaign, &collection)
}

fn new_file(path: &Path, text: &str) -> anyhow::Result<()> {
    let of_path = || format!("{}: this file cannot be written", path.display());
    remove_left([path]);
    let mut file = WholeFile::create_hidden(path, Existing::Stays)?;
    file.write_all(text.as_bytes()).with_context(of_path)?;
    Ok(file.finish()?)
}
