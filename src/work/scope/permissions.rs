//! What URLs may be collected on, and the files that prove it.

use super::replay::Replay;
use crate::campaign::feed::TargetGrounds;
use crate::campaign::{Campaign, Criterion, EvidenceFile, Grounds};
use crate::jobs::{JobCx, make_private, make_private_folder, replace_own};
use crate::scope::{Candidate, Derivation, Facts, Permissions, SeedsVerdict};
use crate::store::Workspace;
use crate::uri::{CaptureDate, Url, parse_web_url};
use crate::work::Session;
use crate::work::import::{Hashing, digest_of};
use crate::work::models::CampaignId;
use anyhow::Context;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Folder of evidence files in a workspace.
pub(in crate::work) const EVIDENCE: &str = "evidence";
/// Characters of a file's name that are kept.
const NAME_KEPT: usize = 80;

/// On what grounds URLs may be collected on a date by a campaign that need not
/// be saved, with what the catalogue knows of their hosts.
pub fn permissions(
    session: &Session,
    campaign: &Campaign,
    urls: &[String],
    date: CaptureDate,
) -> anyhow::Result<Vec<Result<Derivation, String>>> {
    let permissions = compiled(campaign)?;
    let replay = Replay::of_no_launch(session);
    let mut derived = Vec::new();
    for text in urls {
        derived.push(match parse_web_url(text) {
            None => Err(format!("“{text}” is no http or https URL")),
            Some(url) => {
                let facts = known(&replay, campaign, &url, date)?;
                Ok(permissions.derive(&Candidate::bare(url), &facts))
            }
        });
    }
    Ok(derived)
}

/// Whether all seeds of a campaign may be collected on a date. Seeds that are
/// no URLs count as seeds without a ground.
pub fn seeds_verdict(session: &Session, campaign: &Campaign, date: CaptureDate) -> anyhow::Result<SeedsVerdict> {
    let permissions = compiled(campaign)?;
    let replay = Replay::of_no_launch(session);
    let mut seeds = Vec::new();
    let mut unread = 0;
    for seed in &campaign.seeds {
        match parse_web_url(&seed.url) {
            None => unread += 1,
            Some(url) => {
                let facts = known(&replay, campaign, &url, date)?;
                seeds.push((Candidate::bare(url), facts));
            }
        }
    }
    let verdict = permissions.of_seeds(&seeds);
    if unread == 0 {
        return Ok(verdict);
    }
    let why = format!("{unread} seeds are no URLs; of the others: {}", verdict.why);
    Ok(SeedsVerdict { covered: false, all_by_domain: false, all_by_hosting: false, why })
}

/// On what grounds all seeds of a campaign stand on a date: the criteria of legal
/// deposit apart from licences, as the feeds of the annotation tool part them.
pub fn target_grounds(session: &Session, campaign: &Campaign, date: CaptureDate) -> anyhow::Result<TargetGrounds> {
    let with = |is_wanted: fn(Criterion) -> bool, grounds: Grounds| {
        let records = campaign.permissions.iter().filter(|record| is_wanted(record.criterion));
        Campaign { permissions: records.cloned().collect(), grounds, ..campaign.clone() }
    };
    let law = with(|criterion| criterion != Criterion::Licence, campaign.grounds.clone());
    let reading = Grounds { reading: campaign.grounds.reading, ..Grounds::default() };
    let licensed = with(|criterion| criterion == Criterion::Licence, reading);
    let urls: Vec<String> = campaign.seeds.iter().map(|seed| seed.url.clone()).collect();
    let licences = permissions(session, &licensed, &urls, date)?;
    let all = |fits: fn(&Derivation) -> bool| {
        !licences.is_empty() && licences.iter().all(|found| found.as_ref().is_ok_and(fits))
    };
    Ok(TargetGrounds {
        legal_deposit: seeds_verdict(session, &law, date)?.covered,
        licence: all(Derivation::is_granted),
        own_licence: all(|found| found.is_granted() && found.inherited_from.is_none()),
    })
}

fn compiled(campaign: &Campaign) -> anyhow::Result<Permissions> {
    Permissions::compile(&campaign.permissions, &campaign.grounds).map_err(anyhow::Error::msg)
}

fn known(replay: &Replay<'_>, campaign: &Campaign, url: &Url, date: CaptureDate) -> anyhow::Result<Facts> {
    Ok(replay.facts_of(url, &campaign.politeness.user_agent, date)?.into_facts())
}

/// How an evidence file stands on the disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EvidenceState {
    /// Position of the record, from 0.
    pub record: usize,
    /// Its path in the workspace.
    pub path: String,
    /// Whether it is there with the bytes that were attached.
    pub holds: bool,
    /// How it stands, in words.
    pub words: String,
}

/// Holds the evidence files of a campaign against their digests.
pub fn check_evidence(session: &Session, campaign: &Campaign, cx: &JobCx) -> anyhow::Result<Vec<EvidenceState>> {
    let mut states = Vec::new();
    for (record, permission) in campaign.permissions.iter().enumerate() {
        for file in &permission.files {
            cx.checkpoint()?;
            let place = session.workspace.folder().join(&file.path);
            let words = if !file.is_inside() {
                "leads out of the workspace and is not read".to_owned()
            } else if !place.is_file() {
                "is not there".to_owned()
            } else {
                match digest_of(&place, cx) {
                    Ok((found, _)) if found.eq_ignore_ascii_case(&file.sha256) => String::new(),
                    Ok(_) => "holds other bytes than those that were attached".to_owned(),
                    Err(error) => format!("cannot be read: {error}"),
                }
            };
            let holds = words.is_empty();
            let words = if holds { "is as it was attached".to_owned() } else { words };
            states.push(EvidenceState { record, path: file.path.clone(), holds, words });
        }
    }
    Ok(states)
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
    let mut attached = Vec::new();
    for source in files {
        anyhow::ensure!(source.is_file(), "{}: this is no file", source.display());
        let (sha256, _) = digest_of(source, cx).with_context(|| source.display().to_string())?;
        let known = permission.files.iter().find(|file| file.sha256 == sha256).filter(|file| file.is_inside());
        let is_new = known.is_none();
        let path = known.map_or_else(
            || format!("{EVIDENCE}/{}-{}", sha256.get(..12).unwrap_or(&sha256), harmless_name(source)),
            |file| file.path.clone(),
        );
        // What lies there under this name may have been changed since.
        keep_evidence(&session.workspace, source, (&path, &sha256), true, cx)?;
        if is_new {
            let file = EvidenceFile { path, sha256 };
            permission.files.push(file.clone());
            attached.push(file);
        }
    }
    session.catalogue().save_campaign(Some(id), &campaign)?;
    Ok(attached)
}

/// Copies a file to its path in the workspace, unless it is there with these
/// bytes already; whether it was copied. A file with other bytes stays, and the
/// answer is none, unless `replaces` says otherwise.
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
        make_private(copy)?;
        std::io::copy(&mut bytes, copy)?;
        let is_same = bytes.finish()?.0 == sha256;
        is_same.then_some(()).ok_or_else(|| std::io::Error::other("it changed while it was copied; try again"))
    });
    copied.with_context(|| source.display().to_string())?;
    Ok(Some(true))
}

/// The file's own name with nothing in it that a path could take for more.
fn harmless_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let kept = |c: char| if c.is_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '-' };
    let name: String = name.chars().map(kept).collect();
    let from = name.char_indices().rev().nth(NAME_KEPT - 1).map_or(0, |(at, _)| at);
    name.get(from..).unwrap_or_default().trim_start_matches('.').to_owned()
}
