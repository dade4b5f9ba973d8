//! The files that prove permissions, read back into a workspace.
//!
//! Their paths are those that the campaign names, so they are what a stranger
//! wrote: only names below `evidence/` that are names of files on every system
//! are taken, no link is followed, and a file that is here is never written
//! over.

use crate::campaign::EvidenceFile;
use crate::export::Manifest;
use crate::jobs::{JobCx, StopError, counted};
use crate::store::Workspace;
use crate::work::Report;
use crate::work::import::leads_out;
use crate::work::models::CampaignId;
use crate::work::scope::{EVIDENCE, keep_evidence};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

/// Names that a system takes for a device, whatever stands behind a dot.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// What reading evidence files back came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct EvidenceImport {
    /// Files that came in.
    pub added: u64,
    /// Files that were here already.
    pub known: u64,
    /// What did not come in under its path, with where it is or why not.
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
    // A path with the digests that versions of the campaign have for it.
    let mut files: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (_, version) in workspace.catalogue().campaign_versions(campaign)? {
        for EvidenceFile { path, sha256 } in version.permissions.into_iter().flat_map(|permission| permission.files) {
            files.entry(path).or_default().insert(sha256.to_lowercase());
        }
    }
    let real = folder.canonicalize()?;
    for (path, digests) in files {
        cx.checkpoint()?;
        let listed = manifest.payload(&format!("campaign/{path}"));
        // One that was lost before the handover is a matter of the check of permissions.
        let Some(entry) = manifest.files.iter().find(|file| file.path == listed) else { continue };
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
        let beside = format!("{EVIDENCE}/{}/{below}", harmless(origin));
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

/// Whether a path is one below `evidence/` whose parts are names of files on every system.
fn is_place_of_evidence(path: &str) -> bool {
    let mut parts = path.split('/');
    let is_normal = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    is_normal && parts.next() == Some(EVIDENCE) && parts.clone().next().is_some() && parts.all(is_file_name)
}

fn is_file_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let is_device = DEVICES.iter().any(|device| {
        let rest = stem.strip_prefix(device);
        match *device {
            "com" | "lpt" => {
                rest.is_some_and(|rest| rest.chars().count() == 1 && !rest.starts_with(char::is_alphabetic))
            }
            _ => rest == Some(""),
        }
    });
    let is_odd = |c: char| c.is_control() || matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*' | '\\' | '/');
    !name.is_empty() && !is_device && !name.chars().any(is_odd) && !name.ends_with(['.', ' '])
}

/// The name of a handover as the name of a folder.
pub(super) fn harmless(origin: &str) -> String {
    let name: String = origin.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '-' }).take(60).collect();
    format!("from-{name}")
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
        assert_eq!(harmless("../..\\x"), "from-------x");
    }
}
