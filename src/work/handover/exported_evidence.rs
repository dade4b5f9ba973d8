//! The files that prove permissions, as they leave with a handover.

use crate::campaign::{EvidenceFile, Permission};
use crate::export::Attachment;
use crate::jobs::JobCx;
use crate::knowledge::ListedEvidence;
use crate::store::Workspace;
use crate::work::models::CampaignId;
use crate::work::scope::{EvidenceFiles, own_name};
use anyhow::Context;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

/// Folder of a handover below which evidence lies.
const CAMPAIGN_FOLDER: &str = "data/campaign";
/// Problems that are listed one by one; further ones are counted.
const MAX_PROBLEMS: usize = 1000;

/// The evidence of a campaign, of all its versions: what goes along, and what cannot.
#[derive(Debug, Default)]
pub(in crate::work) struct ExportedEvidence {
    /// By the path that the campaign names: its digest in lower case, and where it lies.
    files: BTreeMap<String, (String, PathBuf)>,
    /// Files that cannot be carried along, why, and what to do.
    pub problems: Vec<String>,
}

impl ExportedEvidence {
    /// Finds the evidence of a campaign.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read, or a stop.
    pub(in crate::work) fn of_campaign(workspace: &Workspace, id: CampaignId, cx: &JobCx) -> anyhow::Result<Self> {
        cx.stage("Checking evidence", None);
        let (mut exported, mut unlisted) = (Self::default(), 0u64);
        let mut found = EvidenceFiles::new(workspace);
        let mut searched = HashSet::new();
        let versions = workspace.catalogue().campaign_versions(id)?;
        let newest = versions.last().map_or(0, |(version, _)| *version);
        // The newest version names a file that several have.
        for (version, campaign) in versions.iter().rev() {
            let records = (1..).zip(&campaign.permissions);
            for (record, permission) in records {
                for file in &permission.files {
                    let sha256 = file.sha256.to_lowercase();
                    if !searched.insert((file.path.as_str(), sha256.clone())) {
                        continue;
                    }
                    let why = match found.find(file, cx)? {
                        Err(why) => why,
                        Ok(_) if !super::evidence::is_place_of_evidence(&file.path) => {
                            "is no place for evidence, which is kept as evidence/NAME".to_owned()
                        }
                        Ok(_) if exported.files.contains_key(&file.path) => {
                            "is the path of another file in a newer version".to_owned()
                        }
                        Ok(place) => {
                            exported.files.insert(file.path.clone(), (sha256, place));
                            continue;
                        }
                    };
                    if exported.problems.len() >= MAX_PROBLEMS {
                        unlisted += 1;
                        continue;
                    }
                    let next = match *version == newest {
                        true => format!("attach it again: fonds scope attach DIR {id} {record} FILE"),
                        false => format!("put the file with SHA-256 {sha256} there again, in the workspace"),
                    };
                    exported.problems.push(format!(
                        "evidence of record {record} ({}) of campaign {id} “{}”, version {version}: {} {why}; \
                         {next}",
                        permission.covers, campaign.name, file.path
                    ));
                }
            }
        }
        if unlisted > 0 {
            exported.problems.push(format!("evidence: {unlisted} further files are not there and not listed"));
        }
        Ok(exported)
    }

    /// The files as attachments of an export.
    pub(in crate::work) fn attachments(&self) -> impl Iterator<Item = Attachment<'_>> {
        self.files.iter().map(|(path, (_, place))| {
            Attachment::new(format!("{CAMPAIGN_FOLDER}/{path}"), move |out, _| {
                let mut source = std::fs::File::open(place).with_context(|| place.display().to_string())?;
                std::io::copy(&mut source, out)?;
                Ok(1)
            })
        })
    }

    /// The files of a record, without those whose digest is none.
    pub(in crate::work) fn of_record(&self, record: &Permission) -> Vec<ListedEvidence> {
        let is_digest =
            |file: &&EvidenceFile| file.sha256.len() == 64 && file.sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
        let listed = |file: &EvidenceFile| {
            let sha256 = file.sha256.to_lowercase();
            let is_in = self.files.get(&file.path).is_some_and(|(exported, _)| *exported == sha256);
            let path = is_in.then(|| format!("{CAMPAIGN_FOLDER}/{}", file.path));
            ListedEvidence { name: own_name(file).to_owned(), path, sha256 }
        };
        record.files.iter().filter(is_digest).map(listed).collect()
    }
}
