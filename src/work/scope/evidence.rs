//! The files that prove permissions: attached, found again, checked.
//!
//! A campaign names a file by its path in the workspace and its SHA-256. The
//! digest decides: a file that lies elsewhere in the folder of evidence, since
//! another one had its path when it came, is the same evidence.

use crate::campaign::{Campaign, EvidenceFile, MissingEvidence, RecordEvidence};
use crate::jobs::{JobCx, end_of_name, make_private_folder, plain_name, replace_own};
use crate::store::Workspace;
use crate::work::Session;
use crate::work::import::{Hashing, digest_of};
use crate::work::models::CampaignId;
use anyhow::Context;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Folder of evidence files in a workspace.
pub(in crate::work) const EVIDENCE: &str = "evidence";
/// Bytes of a file's name that are kept: with the digest before it, it is the name of a file everywhere.
const NAME_BYTES: usize = 200;
/// Signs of the digest in the name of a file.
const DIGEST_CHARS: usize = 12;
/// Folders of what came with handovers, in which evidence is looked for at most.
const MAX_FOLDERS: usize = 10_000;

/// The state of an evidence file on the disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EvidenceState {
    /// Position of the record, from 0.
    pub record: usize,
    /// Its path in the workspace.
    pub path: String,
    /// Whether it is there with the bytes that were attached.
    pub holds: bool,
    /// Its state as text.
    pub words: String,
}

/// Finds evidence files in a workspace.
pub(in crate::work) struct EvidenceFiles<'a> {
    workspace: &'a Workspace,
    /// By the names of files, where they lie in folders of the folder of evidence; read once.
    beside: Option<BTreeMap<String, Vec<PathBuf>>>,
}

impl<'a> EvidenceFiles<'a> {
    pub(in crate::work) fn new(workspace: &'a Workspace) -> Self {
        Self { workspace, beside: None }
    }

    /// The path of a file with the bytes that were attached, or why there is none.
    ///
    /// # Errors
    ///
    /// A stop.
    pub(in crate::work) fn find(&mut self, file: &EvidenceFile, cx: &JobCx) -> anyhow::Result<Result<PathBuf, String>> {
        cx.checkpoint()?;
        if !file.is_inside() {
            return Ok(Err("leads out of the workspace and is not read".to_owned()));
        }
        let place = self.workspace.folder().join(&file.path);
        let why = match self.holds(&place, &file.sha256, cx) {
            Ok(true) => return Ok(Ok(place)),
            Ok(false) => "holds other bytes than those that were attached".to_owned(),
            Err(None) => "is not there".to_owned(),
            Err(Some(error)) => format!("cannot be read: {error}"),
        };
        cx.checkpoint()?;
        for place in self.beside(&file.path) {
            if let Ok(true) = self.holds(&place, &file.sha256, cx) {
                return Ok(Ok(place));
            }
            cx.checkpoint()?;
        }
        Ok(Err(why))
    }

    /// Whether a file has these bytes; no error where there is none.
    fn holds(&self, place: &Path, sha256: &str, cx: &JobCx) -> Result<bool, Option<std::io::Error>> {
        let other = |error: crate::store::StoreError| Some(std::io::Error::other(error.to_string()));
        self.workspace.own_folder(place).map_err(other)?;
        if !place.is_file() {
            return Err(None);
        }
        let (found, _) = digest_of(place, cx).map_err(Some)?;
        Ok(found.eq_ignore_ascii_case(sha256))
    }

    /// Files of the same name in the folders that handovers brought.
    fn beside(&mut self, path: &str) -> Vec<PathBuf> {
        let folder = self.workspace.folder().join(EVIDENCE);
        let read = || {
            let mut found: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
            let entries = |folder: &Path| -> Vec<PathBuf> {
                let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
                let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
                paths.sort();
                paths
            };
            let is_folder = |path: &PathBuf| path.is_dir() && !path.is_symlink();
            let mut folders: Vec<PathBuf> = entries(&folder).into_iter().filter(is_folder).collect();
            let mut at = 0;
            while let Some(folder) = folders.get(at).filter(|_| at < MAX_FOLDERS) {
                let (below, files): (Vec<_>, Vec<_>) = entries(folder).into_iter().partition(is_folder);
                for file in files {
                    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                    found.entry(name).or_default().push(file);
                }
                folders.extend(below);
                at += 1;
            }
            found
        };
        let name = path.rsplit('/').next().unwrap_or(path);
        self.beside.get_or_insert_with(read).get(name).cloned().unwrap_or_default()
    }
}

/// Holds the evidence files of a campaign against their digests.
pub fn check_evidence(session: &Session, campaign: &Campaign, cx: &JobCx) -> anyhow::Result<Vec<EvidenceState>> {
    let mut files = EvidenceFiles::new(&session.workspace);
    let mut states = Vec::new();
    for (record, permission) in campaign.permissions.iter().enumerate() {
        for file in &permission.files {
            let found = files.find(file, cx)?;
            let holds = found.is_ok();
            let state = found.err().unwrap_or_else(|| "is as it was attached".to_owned());
            states.push(EvidenceState { record, path: file.path.clone(), holds, words: state });
        }
    }
    Ok(states)
}

/// Evidence that a campaign names and that is not in the workspace, or no more the one that was attached.
///
/// # Errors
///
/// See [`check_evidence`].
pub fn missing_evidence(session: &Session, campaign: &Campaign) -> anyhow::Result<Vec<MissingEvidence>> {
    let states = check_evidence(session, campaign, &JobCx::detached())?;
    let files = campaign.permissions.iter().flat_map(|record| record.files.iter().map(move |file| (record, file)));
    let missing = files.zip(states).filter(|(_, state)| !state.holds).map(|((record, file), state)| MissingEvidence {
        of: RecordEvidence { record: state.record, covers: record.covers.clone(), file: file.clone() },
        why: state.words,
    });
    Ok(missing.collect())
}

/// Copies files into the workspace as evidence of a record, and saves the
/// campaign with them. A file that is attached already is not doubled; where its
/// copy holds other bytes or is gone it is put back.
pub fn attach_evidence(
    session: &Session,
    id: CampaignId,
    record: usize,
    files: &[PathBuf],
    cx: &JobCx,
) -> anyhow::Result<Vec<EvidenceFile>> {
    let (_, mut campaign) = session.catalogue().campaign(id)?;
    let count = campaign.permissions.len();
    let permission = campaign
        .permissions
        .get_mut(record)
        .with_context(|| format!("the campaign has {count} records; there is no record {}", record + 1))?;
    let mut found = EvidenceFiles::new(&session.workspace);
    let mut attached = Vec::new();
    for source in files {
        anyhow::ensure!(source.is_file(), "{}: this is no file", source.display());
        let (sha256, _) = digest_of(source, cx).with_context(|| source.display().to_string())?;
        let is_it = |file: &&mut EvidenceFile| file.sha256.eq_ignore_ascii_case(&sha256) && file.is_inside();
        let known = permission.files.iter_mut().find(is_it);
        if let Some(known) = &known
            && found.find(known, cx)?.is_ok()
        {
            continue;
        }
        let own_path = format!("{EVIDENCE}/{}", evidence_name(source, &sha256));
        // What lies there under this name may have been changed since; evidence of others is not written over.
        let (path, is_new) = match known {
            Some(known) if is_evidence_of_others(session, known, cx)? => {
                *known = EvidenceFile { path: own_path.clone(), sha256: sha256.clone() };
                (own_path, true)
            }
            Some(known) => (known.path.clone(), false),
            None => (own_path, true),
        };
        keep_evidence(&session.workspace, source, (&path, &sha256), true, cx)?;
        if is_new {
            let file = EvidenceFile { path, sha256 };
            if !permission.files.contains(&file) {
                permission.files.push(file.clone());
            }
            attached.push(file);
        }
    }
    session.catalogue().save_campaign(Some(id), &campaign)?;
    Ok(attached)
}

/// Whether the bytes that lie at the path of a file are evidence that a campaign names.
fn is_evidence_of_others(session: &Session, file: &EvidenceFile, cx: &JobCx) -> anyhow::Result<bool> {
    let place = session.workspace.folder().join(&file.path);
    if !place.is_file() || place.is_symlink() {
        return Ok(false);
    }
    let (sha256, _) = digest_of(&place, cx).with_context(|| place.display().to_string())?;
    for id in session.catalogue().campaign_numbers()? {
        for (_, version) in session.catalogue().campaign_versions(id)? {
            let mut files = version.permissions.iter().flat_map(|record| &record.files);
            if files.any(|file| file.sha256.eq_ignore_ascii_case(&sha256)) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Copies a file to its path in the workspace, unless it is there with these bytes already; whether
/// it was copied. A file with other bytes stays, and the answer is none, unless `replaces` is set.
///
/// # Errors
///
/// A link on the way, a file that cannot be read or has other bytes than its
/// digest, a folder that cannot be written, or a stop.
pub(in crate::work) fn keep_evidence(
    workspace: &Workspace,
    source: &Path,
    (path, sha256): (&str, &str),
    replaces: bool,
    cx: &JobCx,
) -> anyhow::Result<Option<bool>> {
    let place = workspace.folder().join(path);
    let folder = workspace.own_folder(place.parent().unwrap_or(&place))?;
    if place.is_file() && !place.is_symlink() && digest_of(&place, cx).is_ok_and(|(kept, _)| kept == sha256) {
        return Ok(Some(false));
    }
    cx.checkpoint()?;
    if !replaces && place.symlink_metadata().is_ok() {
        return Ok(None);
    }
    for folder in [workspace.own_folder(EVIDENCE)?, folder] {
        make_private_folder(&folder).with_context(|| folder.display().to_string())?;
    }
    let mut bytes = Hashing::new(std::fs::File::open(source)?, cx);
    let copied = replace_own(&place, |copy| {
        copy.make_private()?;
        std::io::copy(&mut bytes, copy)?;
        let is_same = bytes.finish()?.0 == sha256;
        is_same.then_some(()).ok_or_else(|| std::io::Error::other("it changed while it was copied; try again"))
    });
    copied.with_context(|| source.display().to_string())?;
    Ok(Some(true))
}

/// The name that a file has as evidence: the begin of its digest, and its own name.
fn evidence_name(source: &Path, sha256: &str) -> String {
    let digest = sha256.get(..DIGEST_CHARS).unwrap_or(sha256);
    let name = plain_name(&source.file_name().unwrap_or_default().to_string_lossy(), "._-");
    // One that was attached before has its digest in its name.
    let own = name.strip_prefix(digest).and_then(|rest| rest.strip_prefix('-')).unwrap_or(&name);
    let own = end_of_name(own, NAME_BYTES).trim_end_matches('.');
    if own.is_empty() { digest.to_owned() } else { format!("{digest}-{own}") }
}

/// The name of an evidence file as it was before it was attached.
pub(in crate::work) fn own_name(file: &EvidenceFile) -> &str {
    let name = file.path.rsplit('/').next().unwrap_or(&file.path);
    let digest = file.sha256.get(..DIGEST_CHARS).unwrap_or(&file.sha256);
    name.strip_prefix(digest).and_then(|rest| rest.strip_prefix('-')).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::is_file_name;

    #[test]
    fn names_keep_the_letters_of_the_file_and_are_names_everywhere() {
        let sha256 = "0123456789abcdef";
        for (source, name) in [
            ("/x/e\u{301}te\u{301}.pdf", "0123456789ab-été.pdf"),
            ("/x/..letter of\n thanks.txt", "0123456789ab-letter-of--thanks.txt"),
            ("/w/evidence/0123456789ab-été.pdf", "0123456789ab-été.pdf"),
            ("/x/CON", "0123456789ab-CON"),
            ("/x/ends with.", "0123456789ab-ends-with"),
            ("/x/=x", "0123456789ab-x"),
            ("/x/...", "0123456789ab"),
        ] {
            let found = evidence_name(Path::new(source), sha256);
            assert_eq!(found, name, "{source:?}");
            assert!(is_file_name(&found), "{found}");
            let file = EvidenceFile { path: format!("{EVIDENCE}/{found}"), sha256: sha256.to_owned() };
            assert_eq!(own_name(&file), name.trim_start_matches("0123456789ab-"));
        }
        let long = evidence_name(Path::new(&format!("{}.pdf", "𐐀".repeat(60))), sha256);
        assert!(long.len() <= 255 && long.ends_with("𐐀.pdf"), "{long}");
    }
}
