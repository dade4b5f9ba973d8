//! A handover is read back: first all of it is checked, then it is taken in.

use super::packed::unpack;
use super::{
    AnnotationImport, AnnotationReach, CrawlsImport, EntitiesImport, EvidenceImport, InlinksImport, ReviewImport,
    SelectionImport, annotations_in, check_crawls, check_entities, check_review, check_selection, import_annotations,
    import_crawls, import_entities, import_evidence, import_inlinks, import_review, import_selection,
};
use crate::campaign::Identity;
use crate::export::{Manifest, check_handover};
use crate::jobs::{JobCx, StopError};
use crate::store::{CapturesElsewhere, Workspace};
use crate::work::Report;
use crate::work::files::campaign_files::RestoredJob;
use crate::work::files::campaign_files::{CameWith, check_versions, restore};
use crate::work::models::{CampaignChoice, ImportOptions, ImportRow};
use anyhow::Context;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder that is an export, and cannot be read back: nothing of it came in.
#[derive(Debug, thiserror::Error)]
#[error("nothing of the handover came in: {0:#}")]
pub struct BadHandover(anyhow::Error);

/// A folder that was found to be a handover which can be taken in.
pub(in crate::work) struct Handover {
    folder: PathBuf,
    /// Its name, which is the origin of what it brings.
    name: String,
    /// It came as one file and lies in the workspace now.
    is_unpacked: bool,
    manifest: Manifest,
}

/// The outcome of reading a handover.
#[derive(Debug, Default, Serialize)]
pub struct HandoverImport {
    /// Name of its folder.
    pub handover: String,
    /// Its campaign.
    pub restored: RestoredJob,
    /// Captures of it that came before, and are of another campaign.
    pub elsewhere: Vec<CapturesElsewhere>,
    /// Files that prove permissions.
    pub evidence: Option<EvidenceImport>,
    /// Launches and the URLs that they have seen.
    pub crawls: Option<CrawlsImport>,
    /// Inlinks from pages that did not come with it.
    pub inlinks: Option<InlinksImport>,
    /// Decisions and notes.
    pub annotations: Option<AnnotationImport>,
    /// Samples to review, and reason codes.
    pub review: Option<ReviewImport>,
    /// Authority files, and names that persons put together.
    pub entities: Option<EntitiesImport>,
    /// Selection, scores and collections.
    pub selection: Option<SelectionImport>,
}

impl HandoverImport {
    /// The outcome, a line each.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = self.restored.summary();
        lines.extend(self.elsewhere.iter().map(CapturesElsewhere::line));
        lines.extend(self.evidence.as_ref().filter(|of| **of != EvidenceImport::default()).map(Report::summary));
        lines.extend(self.crawls.as_ref().filter(|crawls| !crawls.is_nothing()).map(Report::summary));
        lines.extend(self.inlinks.as_ref().filter(|of| of.absent > 0).map(Report::summary));
        lines.extend(self.selection.as_ref().map(Report::summary));
        lines.extend(self.annotations.as_ref().map(Report::summary));
        lines.extend(self.review.as_ref().filter(|of| **of != ReviewImport::default()).map(Report::summary));
        lines.extend(self.entities.as_ref().filter(|of| **of != EntitiesImport::default()).map(Report::summary));
        lines
    }

    /// Decisions, notes and judgements that were not taken in, since they are about captures
    /// that are here and did not come with them.
    pub fn on_other_captures(&self) -> u64 {
        self.annotations.as_ref().map_or(0, |of| of.on_other_captures)
    }

    /// Problems: what of it has no place here, with why.
    pub fn problems(&self) -> impl Iterator<Item = &String> {
        let annotations = self.annotations.iter().flat_map(|of| &of.left_out);
        let evidence = self.evidence.iter().flat_map(|of| &of.apart);
        annotations.chain(evidence).chain(&self.restored.problems)
    }
}

impl Handover {
    /// Looks at all of a handover, a folder or one packed as zip or tar, and takes nothing in but the folder
    /// that the latter unpacks to; none where it is none.
    ///
    /// # Errors
    ///
    /// [`BadHandover`]: files are not those of its manifest, or a document is
    /// none that this program reads. A stop.
    pub(in crate::work) fn check(workspace: &Workspace, path: &Path, cx: &JobCx) -> anyhow::Result<Option<Self>> {
        let bad = |error: anyhow::Error| if error.is_cancelled() { error } else { BadHandover(error).into() };
        let Some(unpacked) = unpack(workspace, path, cx).map_err(bad)? else {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            return Self::check_folder(path, name, false, cx).map_err(bad);
        };
        let handover = Self::check_folder(&unpacked.folder, unpacked.name, true, cx);
        if unpacked.is_new && !matches!(handover, Ok(Some(_))) {
            fs::remove_dir_all(&unpacked.folder).with_context(|| unpacked.folder.display().to_string())?;
        }
        handover.with_context(|| path.display().to_string()).map_err(bad)
    }

    fn check_folder(folder: &Path, name: String, is_unpacked: bool, cx: &JobCx) -> anyhow::Result<Option<Self>> {
        let Some(manifest) = check_handover(folder, cx)? else { return Ok(None) };
        let handover = Self { folder: folder.to_owned(), name, is_unpacked, manifest };
        handover.check_documents(cx)?;
        Ok(Some(handover))
    }

    fn check_documents(&self, cx: &JobCx) -> anyhow::Result<()> {
        let campaigns = self.folder.join(self.manifest.payload("campaign"));
        if campaigns.is_dir() {
            check_versions(&campaigns)?;
        }
        if let Some(decisions) = self.listed("decisions.jsonl") {
            annotations_in(&decisions)?;
        }
        check_entities(self.listed("entities.json").as_deref())?;
        check_review(self.listed("review.json").as_deref())?;
        check_crawls(&self.crawls(), cx)?;
        check_selection((self.listed("selection.json"), self.listed("scores.jsonl.gz")), cx)
    }

    /// A document that the manifest lists: no other one is read.
    fn listed(&self, name: &str) -> Option<PathBuf> {
        let path = self.manifest.payload(name);
        self.manifest.files.iter().any(|file| file.path == path).then(|| self.folder.join(path))
    }

    fn crawls(&self) -> [Option<PathBuf>; 3] {
        ["launches.json", "seen.jsonl.gz", "hosts.jsonl"].map(|name| self.listed(name))
    }

    /// The identity of this handover, where its documents have none: its archive and campaign files.
    fn identity(&self) -> Identity {
        let (archive, campaign) = (self.manifest.payload("archive/"), self.manifest.payload("campaign/"));
        let files = self.manifest.files.iter();
        let mut parts: Vec<String> = files
            .filter(|file| file.path.starts_with(&archive) || file.path.starts_with(&campaign))
            .map(|file| format!("{} {}", file.path, file.sha256.to_lowercase()))
            .collect();
        parts.sort();
        Identity::of_parts(parts)
    }

    /// Takes it in: its campaign with all versions and evidence, its captures for
    /// that, its crawls, the decisions and notes, and the selection.
    ///
    /// # Errors
    ///
    /// A workspace that cannot be written, or a stop; what came in stays, and the
    /// same call goes on.
    pub(in crate::work) fn take(
        &self,
        workspace: &Workspace,
        options: ImportOptions,
        cx: &JobCx,
    ) -> anyhow::Result<(HandoverImport, ImportRow)> {
        let Self { folder, name: origin, is_unpacked, manifest } = self;
        let campaigns = folder.join(manifest.payload("campaign"));
        let came_with = CameWith { name: origin.clone(), identity: self.identity() };
        let restored = match campaigns.is_dir() {
            true => restore(workspace, &campaigns, Some(&came_with))?,
            false => RestoredJob { folder: campaigns, ..RestoredJob::default() },
        };
        let campaign = match restored.campaigns.as_slice() {
            [campaign] => Some(campaign.id),
            _ => None,
        };
        let mut came = HandoverImport { handover: origin.clone(), restored, ..HandoverImport::default() };
        // It brings its own campaign, whichever is chosen for files that bring none.
        let choice = campaign.map_or(CampaignChoice::None, CampaignChoice::Of);
        let options = ImportOptions { copy: options.copy && !is_unpacked, campaign: choice, ..options };
        let import = crate::work::import(workspace, &[folder.join(manifest.payload("archive"))], options, cx)?;
        if let Some(campaign) = campaign {
            // They came before, in an import of these files alone or in one of this handover that was killed.
            let archive = manifest.payload("archive/");
            let files = manifest.files.iter().filter(|file| file.path.starts_with(&archive));
            let digests = files.map(|file| file.sha256.to_lowercase()).collect();
            workspace.catalogue().take_from_imports(import.launch, digests)?;
            came.elsewhere = workspace.catalogue().captures_elsewhere(import.launch)?;
            came.evidence = Some(import_evidence(workspace, campaign, (folder, manifest), origin, cx)?);
            came.crawls = Some(import_crawls(workspace, campaign, &self.crawls(), origin, cx)?);
        }
        if manifest.counts.metadata > 0 {
            came.inlinks = Some(import_inlinks(workspace, (folder, manifest), origin, cx)?);
        }
        let files = workspace.catalogue().files_of_import(import.launch)?;
        let reach = AnnotationReach::Files(&files);
        if let Some(decisions) = self.listed("decisions.jsonl") {
            came.annotations = Some(import_annotations(workspace, &decisions, origin, reach, cx)?);
        }
        if let (Some(campaign), Some(document)) = (campaign, self.listed("review.json")) {
            came.review = Some(import_review(workspace, campaign, &document, (origin, reach), cx)?);
        }
        if let Some(document) = self.listed("entities.json") {
            came.entities = Some(import_entities(workspace, &document, origin)?);
        }
        let selection = (self.listed("selection.json"), self.listed("scores.jsonl.gz"));
        if let (Some(campaign), (Some(document), Some(scores))) = (campaign, selection) {
            came.selection = Some(import_selection(workspace, campaign, (&document, &scores), &came_with, reach, cx)?);
        }
        Ok((came, import))
    }
}
