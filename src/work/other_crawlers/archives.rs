//! The archives of a job: those that really are in its folder.

use super::Engine;
use crate::work::import::is_archive_name;
use std::fs;
use std::path::{Path, PathBuf};

/// The folders of a job's archives. A package beside the files that it was made from would bring
/// every capture twice.
pub(super) fn archives(folder: &Path, engine: Engine, follow_links: bool) -> (Vec<PathBuf>, Vec<String>) {
    let files = folder.join("archive");
    let parts = |of: &Path| match follow_links {
        true => (vec![of.to_owned()], Vec::new()),
        false => inside_only(of, folder),
    };
    let has_files = fs::read_dir(&files).into_iter().flatten().flatten().any(|entry| entry.path().is_file());
    if engine != Engine::Browsertrix || !has_files {
        return parts(folder);
    }
    let packages = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut passed_over: Vec<String> = packages
        .filter(|path| path.extension().is_some_and(|ending| ending == "wacz"))
        .map(|path| format!("{}: the files it was made from are read from archive/", path.display()))
        .collect();
    passed_over.sort();
    let (found, mut led_out) = parts(&files);
    passed_over.append(&mut led_out);
    (found, passed_over)
}

/// A folder without the links in it that lead out of the job: its files are
/// another's, and whoever made the job chose where they lead.
fn inside_only(folder: &Path, job: &Path) -> (Vec<PathBuf>, Vec<String>) {
    let (mut parts, mut led_out) = (Vec::new(), Vec::new());
    match sort_out(folder, job, &mut parts, &mut led_out) {
        true => (vec![folder.to_owned()], led_out),
        false => (parts, led_out),
    }
}

/// Whether nothing in a folder leads out; where something does, the parts that
/// do not.
fn sort_out(folder: &Path, job: &Path, parts: &mut Vec<PathBuf>, led_out: &mut Vec<String>) -> bool {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    let (mut all, mut whole) = (true, Vec::new());
    for path in entries {
        let Ok(meta) = path.symlink_metadata() else { continue };
        if meta.is_symlink() {
            // One that leads round in the job is read where it leads.
            match path.canonicalize() {
                Ok(real) if !real.starts_with(job) => {
                    all = false;
                    let why = "it leads out of the job's folder; import what it leads to, if it belongs to the job";
                    led_out.push(format!("{}: {why}: {}", path.display(), real.display()));
                }
                _ => {}
            }
        } else if meta.is_dir() {
            if sort_out(&path, job, parts, led_out) {
                whole.push(path);
            } else {
                all = false;
            }
        } else if is_archive_name(&path) {
            whole.push(path);
        }
    }
    if !all {
        parts.append(&mut whole);
    }
    all
}
