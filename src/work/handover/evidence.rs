//! The files that prove permissions, read back into a workspace.
//!
//! Their paths are those that the campaign names, so they are what a stranger
//! wrote: only names below `evidence/` that are names of files on every system
//! are taken, no link is followed, and a file that is here is never written
//! over.

use crate::campaign::EvidenceFile;
use crate::export::Manifest;
use crate::jobs::{JobCx, StopError, counted, is_file_name, plain_name};
use crate::store::Workspace;
use crate::work::Report;
use crate::work::import::leads_out;
use crate::work::models::CampaignId;
use crate::work::scope::{EVIDENCE, EvidenceFiles, keep_evidence};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

/// The outcome of reading evidence files back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct EvidenceImport {
    /// Files that came in.
    pub added: u64,
    /// Files that were here already.
    pub known: u64,
    /// Files that did not come in under their path, with where they are or why not.
    pub apart: Vec<String>,
}

impl Report for EvidenceImport {
    fn summary(&self) -> String {
        let mut line = format!("{}, {} new", counted(self.added + self.known, "evidence file"), self.added);
        for why in &self.apart {
            line.push_str(&format!("; {why}"));
        }
        line
    }
}

/// Takes the evidence files of a campaign's versions out of a handover. Where
/// another file has the path, the one that comes is kept in a folder of the
/// handover's name beside it.
///
/// # Errors
///
/// A catalogue that cannot be read, a folder that cannot be written, or a stop.
pub(in crate::work) fn import_evidence(
    workspace: &Workspace,
    campaign: CampaignId,
    (folder, manifest): (&Path, &Manifest),
    origin: &str,
    cx: &JobCx,
) -> anyhow::Result<EvidenceImport> {
    let mut report = EvidenceImport::default();
    // A path with the digests that versions of the campaign have for it, and the newest record that names it.
    let mut files: BTreeMap<String, (BTreeSet<String>, String)> = BTreeMap::new();
    for (number, version) in workspace.catalogue().campaign_versions(campaign)? {
        for (at, record) in version.permissions.into_iter().enumerate() {
            for EvidenceFile { path, sha256 } in record.files {
                let (digests, named_by) = files.entry(path).or_default();
                digests.insert(sha256.to_lowercase());
                *named_by = format!("record {} ({}) of version {number}", at + 1, record.covers);
            }
        }
    }
    let real = folder.canonicalize()?;
    let mut found = EvidenceFiles::new(workspace);
    for (path, (digests, named_by)) in files {
        cx.checkpoint()?;
        let listed = manifest.payload(&format!("campaign/{path}"));
        // It was lost before, and no other handover of the same campaign need have brought it.
        let Some(entry) = manifest.files.iter().find(|file| file.path == listed) else {
            if !is_here(&mut found, (&path, &digests), cx)? {
                report.apart.push(format!("{path}, which {named_by} names, is not in the handover: ask who made it"));
            }
            continue;
        };
        let source = folder.join(&listed);
        if !is_place_of_evidence(&path) || leads_out(&source, &real).is_some() {
            report.apart.push(format!("“{path}” is no place for evidence and is left out"));
            continue;
        }
        let sha256 = entry.sha256.clone();
        if !digests.contains(&sha256) {
            report.apart.push(format!("{path} holds other bytes than those that were attached, and is left out"));
            continue;
        }
        let below = path.strip_prefix(EVIDENCE).unwrap_or(&path).trim_start_matches('/');
        let beside = format!("{EVIDENCE}/{}/{below}", folder_of(origin));
        let kept = keep_evidence(workspace, &source, (&path, &sha256), false, cx).and_then(|kept| match kept {
            Some(is_new) => Ok((Some(is_new), false)),
            None => Ok((keep_evidence(workspace, &source, (&beside, &sha256), false, cx)?, true)),
        });
        match kept {
            Ok((Some(true), is_beside)) => {
                report.added += 1;
                if is_beside {
                    report.apart.push(format!("{path} is another file here; the one of the handover is {beside}"));
                }
            }
            Ok((Some(false), _)) => report.known += 1,
            Ok((None, _)) => report.apart.push(format!("{path} and {beside} are other files here; it is left out")),
            Err(error) if error.is_cancelled() => return Err(error),
            Err(error) => report.apart.push(format!("{path}: {}", crate::work::error_chain(&error))),
        }
    }
    Ok(report)
}

/// Whether a file lies in the workspace with one of these digests.
fn is_here(
    files: &mut EvidenceFiles<'_>,
    (path, digests): (&str, &BTreeSet<String>),
    cx: &JobCx,
) -> anyhow::Result<bool> {
    for sha256 in digests {
        let file = EvidenceFile { path: path.to_owned(), sha256: sha256.clone() };
        if files.find(&file, cx)?.is_ok() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a path is one below `evidence/` whose parts are names of files on every system.
pub(super) fn is_place_of_evidence(path: &str) -> bool {
    let mut parts = path.split('/');
    let is_normal = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    is_normal && parts.next() == Some(EVIDENCE) && parts.clone().next().is_some() && parts.all(is_file_name)
}

/// The name of a handover as the name of a folder.
pub(super) fn folder_of(origin: &str) -> String {
    format!("from-{}", plain_name(origin, "").chars().take(60).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_below_the_folder_of_evidence_are_places_for_it() {
        for good in
            ["evidence/0a1b-letter.txt", "evidence/from-x/letter.txt", "evidence/company.pdf", "evidence/Ümläut é.txt"]
        {
            assert!(is_place_of_evidence(good), "{good}");
        }
        for bad in [
            "",
            "evidence",
            "evidence/",
            "/evidence/x",
            "fonds.sqlite",
            "output/warcs/x",
            "evidence/../fonds.sqlite",
            "evidence/./x",
            "./evidence/x",
            "evidence//x",
            "evidence/a\\b",
            "evidence/CON",
            "evidence/nul.txt",
            "evidence/Com1.log",
            "evidence/LPT9",
            "evidence/a:b",
            "evidence/x ",
            "evidence/x.",
            "evidence/a\nb",
            "C:/evidence/x",
        ] {
            assert!(!is_place_of_evidence(bad), "{bad}");
        }
        assert_eq!(folder_of("../..\\x"), "from-------x");
    }
}
