//! Every change and every long work on the open workspace is passed to its room.

use super::*;
use crate::jobs::{counted, verb};
use crate::keys::Keychain;

impl Session {
    /// Saves a campaign as new, or as a new version unless the latest is the
    /// same. Answers with the campaign and its latest version.
    pub fn save_campaign(&self, id: Option<CampaignId>, campaign: &Campaign) -> anyhow::Result<(CampaignId, u32)> {
        work::check_campaign(campaign)?;
        let id = self.catalogue().save_campaign(id, campaign)?;
        work::renew_campaign_files(&self.workspace, id);
        Ok((id, self.catalogue().campaign(id)?.0))
    }

    /// Saves a campaign that was written before others attached evidence to it: what its records have
    /// stays with them. `base` is the version that it was made from, where that is known. Returns what
    /// became of evidence, too.
    pub fn save_edited_campaign(
        &self,
        id: Option<CampaignId>,
        campaign: &mut Campaign,
        base: Option<&Campaign>,
    ) -> anyhow::Result<((CampaignId, u32), EvidenceCarried)> {
        let mut carried = match id {
            Some(id) => campaign.carry_evidence(&self.catalogue().campaign(id)?.1, base),
            None => EvidenceCarried::default(),
        };
        let saved = self.save_campaign(id, campaign)?;
        carried.missing = work::missing_evidence(self, campaign)?;
        Ok((saved, carried))
    }

    /// Lets a campaign run, one that came from elsewhere as well as one that was
    /// switched off. Answers with what it is now.
    pub fn activate_campaign(&self, id: CampaignId) -> anyhow::Result<Campaign> {
        self.catalogue().activate_campaign(id)?;
        self.set_active(id, true)
    }

    /// Switches the schedule of a campaign off. Answers with what it is now.
    pub fn deactivate_campaign(&self, id: CampaignId) -> anyhow::Result<Campaign> {
        self.set_active(id, false)
    }

    /// Saves an earlier version of a campaign as its next one; its schedule stays as it is now.
    /// Answers with the newest version, which is the one before where nothing differs.
    ///
    /// # Errors
    ///
    /// No such version; a campaign that cannot be saved.
    pub fn restore_campaign(&self, id: CampaignId, version: u32) -> anyhow::Result<u32> {
        let (_, now) = self.catalogue().campaign(id)?;
        let earlier = self.catalogue().campaign_version(id, version)?;
        let mut restored = Campaign { active: now.active, schedule: now.schedule, ..earlier };
        Ok(self.save_edited_campaign(Some(id), &mut restored, None)?.0.1)
    }

    fn set_active(&self, id: CampaignId, active: bool) -> anyhow::Result<Campaign> {
        let (_, mut campaign) = self.catalogue().campaign(id)?;
        if campaign.active != active {
            campaign.active = active;
            self.save_campaign(Some(id), &campaign)?;
        }
        Ok(campaign)
    }

    /// Saves what a person brings in a file: as the next version of a campaign,
    /// or under the identity that the file names. Answers with the campaign,
    /// what it became, and what became of evidence.
    ///
    /// # Errors
    ///
    /// A file of another campaign than the one whose next version it shall be;
    /// a campaign that cannot be crawled or saved.
    pub fn save_campaign_file(
        &self,
        id: Option<CampaignId>,
        file: &CampaignFile,
    ) -> anyhow::Result<(CampaignId, TakenAs, EvidenceCarried)> {
        let Some(id) = id else {
            work::check_campaign(&file.campaign)?;
            let (id, taken) = self.catalogue().add_campaign(file)?;
            work::renew_campaign_files(&self.workspace, id);
            let missing = work::missing_evidence(self, &file.campaign)?;
            return Ok((id, taken, EvidenceCarried { missing, ..EvidenceCarried::default() }));
        };
        let (head, here) = self.catalogue().campaign(id)?;
        let own = self.catalogue().campaign_identity(id)?;
        if let Some(identity) = file.identity.filter(|identity| *identity != own) {
            anyhow::bail!(
                "this is the campaign “{}” (identity {identity}), and campaign {id} is “{}” (identity {own}): nothing \
                 was saved. Leave --id out to have it as a campaign of its own. To make it the next version of \
                 campaign {id} all the same, take the line “identity” out of the file",
                file.campaign.name,
                here.name
            );
        }
        // The version that was edited, else the one that it was made from: a branch may go on with this campaign.
        let versions = self.catalogue().campaign_files(id)?;
        let base = [&file.digest, &file.parent].into_iter().flatten().find_map(|digest| {
            versions.iter().rev().find(|(_, of)| of.digest.as_ref() == Some(digest)).map(|(_, of)| &of.campaign)
        });
        let mut campaign = file.campaign.clone();
        let ((id, version), carried) = self.save_edited_campaign(Some(id), &mut campaign, base)?;
        Ok((id, if version == head { TakenAs::Known } else { TakenAs::Continued(head) }, carried))
    }

    /// The effect of a campaign version that was saved just now on a crawl that did not come to its
    /// end; none where there is no such crawl, or it has this version.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn unfinished_crawl_line(&self, id: CampaignId, version: u32) -> anyhow::Result<Option<String>> {
        let Some(launch) = self.catalogue().unfinished_launch(id)? else { return Ok(None) };
        let runs = self.catalogue().launch_version(launch.id)?;
        if runs == version {
            return Ok(None);
        }
        Ok(Some(match launch.state {
            LaunchState::Running | LaunchState::Paused => format!(
                "the crawl {} that runs now goes on with version {runs}. Apply version {version} to it on the page Crawl, or stop and resume it: then \
                 its queue is judged by version {version}",
                launch.launch
            ),
            LaunchState::Stopped | LaunchState::Finished => format!(
                "the crawl {} that was stopped ran version {runs}; when it is resumed its queue is judged by version {version}",
                launch.launch
            ),
        }))
    }

    /// The version of a campaign that a file was made from, where others were saved since.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn outdated_base(&self, id: CampaignId, file: &CampaignFile) -> anyhow::Result<Option<u32>> {
        let versions = self.catalogue().campaign_files(id)?;
        let base = versions.iter().rev().find(|(_, of)| file.digest.is_some() && of.digest == file.digest);
        let head = versions.last().map(|(version, _)| *version);
        Ok(base.map(|(version, _)| *version).filter(|version| Some(*version) != head))
    }

    /// Appends a person's word to captures.
    pub fn mark(&self, captures: &[CaptureId], mark: ReviewMark, note: &str, who: &str) -> anyhow::Result<()> {
        self.mark_with(captures, mark, (note, who), ActDetail::default())
    }

    /// The same, with what the act comes with; the text is its note, and who gave it.
    pub fn mark_with(
        &self,
        captures: &[CaptureId],
        mark: ReviewMark,
        note_and_who: (&str, &str),
        detail: ActDetail,
    ) -> anyhow::Result<()> {
        self.catalogue().mark_with(captures, mark, note_and_who, detail)?;
        lock(&self.review).undone.clear();
        Ok(())
    }

    /// Writes decisions and notes as annotations, a line each; returns how many.
    pub fn write_annotations(
        &self,
        campaign: Option<CampaignId>,
        out: &mut dyn std::io::Write,
        cx: &JobCx,
    ) -> anyhow::Result<u64> {
        work::decisions(&self.workspace, campaign, out, cx)
    }

    /// Takes annotations of others in, from a file.
    pub fn import_annotations(&self, file: &Path, cx: &JobCx) -> anyhow::Result<work::AnnotationImport> {
        let origin = file.file_name().unwrap_or_default().to_string_lossy();
        self.run_job(JobKind::ImportAnnotations, || {
            work::import_annotations(&self.workspace, file, &origin, work::AnnotationReach::Any, cx)
        })
    }

    /// Ends a launch that is neither running nor to be resumed.
    pub fn end_launch(&self, launch: LaunchId) -> anyhow::Result<()> {
        Ok(self.catalogue().set_launch_state(launch, LaunchState::Finished, "ended by hand")?)
    }

    /// Sets the window that inlink columns use and recounts them.
    pub fn set_window(&self, window_days: u32, cx: &JobCx) -> anyhow::Result<String> {
        let _guard = self.lock_inlink_count(cx)?;
        self.run_job(JobKind::SetWindow, || {
            let with = self.workspace.count_inlinks(window_days, cx)?.captures_with_inlinks;
            let (captures, have) = (counted(with, "capture"), verb(with, "has"));
            Ok(format!("{captures} {have} inlinks within ±{}", counted(window_days.into(), "day")))
        })
    }

    /// Starts a launch, or resumes the one that is not finished. The live
    /// figures are read with [`Session::crawl`].
    pub fn run_crawl(&self, start: CrawlStart, cx: &JobCx) -> anyhow::Result<CrawlOutcome> {
        let CrawlStart { campaign, version, fresh } = start;
        let options = CrawlOptions { version: Some(version), fresh, ..self.crawl_options()? };
        self.crawl_with(campaign, &options, cx)
    }

    /// Crawls the URLs that failed in a campaign's last launch again.
    pub fn retry_failed(&self, campaign: CampaignId, cx: &JobCx) -> anyhow::Result<CrawlOutcome> {
        let options = CrawlOptions { retry_failed: true, ..self.crawl_options()? };
        self.crawl_with(campaign, &options, cx)
    }

    /// Crawls a campaign.
    pub fn crawl_with(&self, campaign: CampaignId, options: &CrawlOptions, cx: &JobCx) -> anyhow::Result<CrawlOutcome> {
        let outcome = self.run_job(JobKind::Crawl, || work::crawl(self, campaign, options, cx));
        // The crawl is as good as it was; they are tried again with the next one.
        if let Err(error) = work::attach_annotations(&self.workspace, cx) {
            tracing::warn!("annotations that were kept for their captures stay apart: {error:#}");
        }
        // What may be discarded changes no selection and no collection.
        if options.trial.is_none() {
            self.follow_run(Some(campaign), cx);
        }
        outcome
    }

    /// Keeps a trial, which then is a crawl like others: collections and selections follow it.
    ///
    /// # Errors
    ///
    /// A launch that is no trial, was kept or runs.
    pub fn keep_trial(&self, launch: LaunchId, cx: &JobCx) -> anyhow::Result<()> {
        self.catalogue().keep_trial(launch)?;
        self.follow_run(Some(self.catalogue().launch_campaign(launch)?), cx);
        Ok(())
    }

    /// Takes a trial out of the workspace; inlinks that were built and texts that were indexed follow.
    /// `is_confirmed` says that a person knows what is lost with it.
    ///
    /// # Errors
    ///
    /// A launch that is no trial, was kept or runs; what a person has to confirm.
    pub fn discard_trial(&self, launch: LaunchId, is_confirmed: bool, cx: &JobCx) -> anyhow::Result<TrialDiscarded> {
        let discarded = {
            let _guard = self.lock_inlink_count(cx)?;
            self.run_job(JobKind::DiscardTrial, || work::launch::trials::discard_trial(self, launch, is_confirmed, cx))?
        };
        self.follow_discard(cx)?;
        Ok(discarded)
    }

    /// Ends a discard that a full disk broke off; none where no trial of this name was discarded.
    ///
    /// # Errors
    ///
    /// A workspace that cannot be written.
    pub fn finish_discard(&self, launch: &str, cx: &JobCx) -> anyhow::Result<Option<TrialDiscarded>> {
        let discarded = {
            let _guard = self.lock_inlink_count(cx)?;
            work::launch::trials::finish_discard(self, launch, cx)?
        };
        if discarded.is_some() {
            self.follow_discard(cx)?;
        }
        Ok(discarded)
    }

    /// Inlinks that were built and texts that were indexed follow a discarded trial.
    fn follow_discard(&self, cx: &JobCx) -> anyhow::Result<()> {
        // Both say themselves that they are behind where this fails.
        if self.catalogue().inlink_build()?.is_some()
            && let Err(error) = self.build_inlinks(false, cx)
        {
            tracing::warn!("inlinks are not built again yet: {error:#}");
        }
        if self.has_index()?
            && let Err(error) = self.index_texts(false, cx)
        {
            tracing::warn!("texts are not indexed again yet: {error:#}");
        }
        Ok(())
    }

    /// Reads sources of a campaign: what they name waits for its next launch.
    pub fn run_sources(
        &self,
        campaign: CampaignId,
        choice: &work::SourceChoice,
        keychain: &dyn Keychain,
        cx: &JobCx,
    ) -> anyhow::Result<work::SourcesOutcome> {
        self.run_job(JobKind::ReadSources, || work::run_sources(self, campaign, choice, keychain, cx))
    }

    /// Makes a collection, or changes the one of its name.
    pub fn save_collection(&self, spec: &CollectionSpec, who: &str) -> anyhow::Result<()> {
        if let Some(campaign) = spec.campaign.filter(|_| !spec.filter.trim().is_empty()) {
            // A filter that is not understood is refused here, not after the next crawl.
            let query = CaptureQuery { campaign: Some(campaign), filter: spec.filter.clone(), ..work::everything() };
            self.catalogue().capture_ids(&query)?;
        }
        anyhow::ensure!(!spec.name.trim().is_empty(), "the name of the collection is empty");
        Ok(self.catalogue().save_collection(spec, who)?)
    }

    /// Asks the filters of collections again: those of a campaign, or all.
    pub fn fill_collections(&self, campaign: Option<CampaignId>, cx: &JobCx) -> anyhow::Result<CollectionsFilled> {
        let _guard = self.prepare_collections(campaign, cx)?;
        self.run_job(JobKind::Collect, || work::fill_collections(&self.workspace, campaign, cx))
    }

    fn has_index(&self) -> anyhow::Result<bool> {
        Ok(self.search.index(self.catalogue(), &work::index_folder(&self.workspace))?.is_some())
    }

    /// Has the texts indexed that filters of collections ask, and waits for the turn to fill them.
    fn prepare_collections(&self, campaign: Option<CampaignId>, cx: &JobCx) -> anyhow::Result<MutexGuard<'_, ()>> {
        let reads_texts = |row: &CollectionRow| {
            row.campaign.is_some_and(|of| campaign.is_none_or(|id| id == of))
                && work::find::search::depends_on_texts(&row.filter, true)
        };
        // What was captured just now is found by its text only once it is indexed.
        if self.has_index()? && self.catalogue().collections()?.iter().any(reads_texts) {
            self.index_texts(false, cx)?;
        }
        self.lock_inlink_count(cx)
    }

    /// Follows up a crawl of a campaign, or an import: new captures are scored as kept selections score
    /// them, collections are filled by their filters, and the selection is made again where its
    /// campaign is set so; otherwise it stays, and its change is offered ([`Self::selection_offer`]).
    /// Where the review checks ran once, they run again: what was patched is no finding any more.
    /// Failures are in the job history: the crawl is as good as it was.
    pub(crate) fn follow_run(&self, of: Option<CampaignId>, cx: &JobCx) {
        let campaigns = match of {
            Some(id) => vec![id],
            None => self.catalogue().campaign_numbers().unwrap_or_default(),
        };
        for campaign in &campaigns {
            if let Err(error) = self.score_new_captures(*campaign, cx) {
                tracing::warn!("new captures are not scored yet: {error:#}");
            }
        }
        self.fill_collections_after(of, cx);
        for campaign in campaigns {
            if cx.checkpoint().is_err() {
                return;
            }
            let selects = self.catalogue().campaign(campaign).is_ok_and(|(_, of)| of.select_after_run)
                && matches!(self.catalogue().suspended_campaign(campaign), Ok(None));
            if let (true, Ok(Some((spec, _)))) = (selects, self.catalogue().kept_selection(campaign)) {
                drop(self.select_after_run(&spec, cx));
            }
            if self.catalogue().campaign(campaign).is_ok_and(|(_, of)| of.analyse_after_run) {
                // Its failure is in the job history.
                drop(self.analyse_after_run(campaign, cx));
            }
        }
        if cx.checkpoint().is_ok() && self.catalogue().checked_state().is_ok_and(|checked| checked.is_some()) {
            drop(self.follow_checks(cx));
        }
    }

    fn analyse_after_run(&self, campaign: CampaignId, cx: &JobCx) -> anyhow::Result<work::AnalysisReport> {
        let inputs = work::AnalysisInputs { campaigns: vec![campaign], ..work::AnalysisInputs::default() };
        self.analyse(&inputs, cx)
    }

    fn score_new_captures(&self, campaign: CampaignId, cx: &JobCx) -> anyhow::Result<()> {
        if self.catalogue().kept_selection(campaign)?.is_none() {
            return Ok(());
        }
        let _guard = self.lock_inlink_count(cx)?;
        work::score_new_captures(&self.workspace, campaign, cx)
    }

    fn select_after_run(&self, spec: &SelectionSpec, cx: &JobCx) -> anyhow::Result<work::SelectedAfterRun> {
        if work::find::search::depends_on_texts(&spec.filter, self.has_index()?) {
            self.index_texts(false, cx)?;
        }
        let _guard = self.lock_inlink_count(cx)?;
        self.run_follow_up(JobKind::Select, || {
            work::select(&self.workspace, spec, false, cx).map(work::SelectedAfterRun)
        })
    }

    /// Puts the selection back that the kept one of a campaign took the place of; answers in words.
    ///
    /// # Errors
    ///
    /// Nothing to put back; a catalogue that cannot be read or written.
    pub fn undo_selection(&self, campaign: CampaignId, cx: &JobCx) -> anyhow::Result<String> {
        let _guard = self.lock_inlink_count(cx)?;
        self.run_job(JobKind::Select, || {
            anyhow::ensure!(
                self.catalogue().undo_selection(campaign)?,
                "campaign {campaign} has no earlier selection to put back: only the last change can be undone"
            );
            work::score_new_captures(&self.workspace, campaign, cx)?;
            Ok(match self.catalogue().kept_selection(campaign)? {
                None => "Undone: no selection is kept, as before".to_owned(),
                Some((spec, date)) => format!(
                    "Undone: the selection of {} is back ({}), with {}",
                    date.to_readable(),
                    spec.criterion(),
                    counted(self.catalogue().selected(campaign, cx)?.len() as u64, "capture")
                ),
            })
        })
    }

    /// The filters of collections after a crawl or import, where there are any.
    fn fill_collections_after(&self, campaign: Option<CampaignId>, cx: &JobCx) {
        let fills = |row: CollectionRow| !row.filter.is_empty() && campaign.is_none_or(|id| row.campaign == Some(id));
        if cx.checkpoint().is_ok() && self.catalogue().collections().is_ok_and(|rows| rows.into_iter().any(fills)) {
            let Ok(_guard) = self.prepare_collections(campaign, cx) else { return };
            drop(self.run_follow_up(JobKind::Collect, || work::fill_collections(&self.workspace, campaign, cx)));
        }
    }

    /// Brings files and folders in, linked or copied. Waits for another import to end.
    pub fn import(&self, paths: &[PathBuf], options: ImportOptions, cx: &JobCx) -> anyhow::Result<Imported> {
        let _guard = self.lock_imports(cx)?;
        let imported = self.run_job(JobKind::Import, || work::import_with_jobs(&self.workspace, paths, options, cx));
        self.follow_run(None, cx);
        imported
    }

    /// Gives an import to a campaign, or to none.
    ///
    /// # Errors
    ///
    /// As [`Catalogue::assign_import`](crate::store::Catalogue::assign_import).
    pub fn assign_import(&self, import: LaunchId, campaign: Option<CampaignId>) -> anyhow::Result<ImportAssigned> {
        let assigned =
            self.run_job(JobKind::AssignImport, || Ok(self.catalogue().assign_import(import, campaign)?))?;
        if let Some(campaign) = campaign {
            self.fill_collections_after(Some(campaign), &JobCx::detached());
        }
        Ok(assigned)
    }

    /// Looks in a folder for lost files, or for one of them.
    pub fn locate(&self, folder: &Path, file: Option<FileId>, cx: &JobCx) -> anyhow::Result<LocateOutcome> {
        let _guard = self.lock_imports(cx)?;
        self.run_job(JobKind::LocateFiles, || work::locate(&self.workspace, folder, file, cx))
    }

    /// Compares the digest of every file.
    pub fn check_files(&self, cx: &JobCx) -> anyhow::Result<CheckOutcome> {
        let _guard = self.lock_imports(cx)?;
        self.run_job(JobKind::CheckFiles, || work::check_files(&self.workspace, cx))
    }

    /// Builds inlinks of what was captured since the last build, or of all.
    pub fn build_inlinks(&self, from_scratch: bool, cx: &JobCx) -> anyhow::Result<InlinkReport> {
        let _guard = self.lock_inlink_count(cx)?;
        self.run_job(JobKind::BuildInlinks, || work::build_inlinks(&self.workspace, from_scratch, cx))
    }

    /// Scores and keeps the selection; an empty one takes the place of another
    /// only where that is allowed.
    pub fn select(&self, spec: &SelectionSpec, allow_empty: bool, cx: &JobCx) -> anyhow::Result<SelectReport> {
        let _guard = self.lock_inlink_count(cx)?;
        self.run_job(JobKind::Select, || work::select(&self.workspace, spec, allow_empty, cx))
    }

    /// Saves the kept selection under a name; returns how many captures are in.
    pub fn name_selection(&self, campaign: CampaignId, name: &str, who: &str) -> anyhow::Result<u64> {
        anyhow::ensure!(!name.trim().is_empty(), "the name is empty. Name the selection, such as Handover 2026");
        Ok(self.catalogue().name_selection(campaign, name, who)?)
    }

    /// Writes the selection out.
    pub fn export(
        &self,
        spec: &SelectionSpec,
        out: &Path,
        wishes: ExportWishes,
        cx: &JobCx,
    ) -> anyhow::Result<ExportOutcome> {
        let _guard = self.lock_inlink_count(cx)?;
        self.run_job(JobKind::Export, || {
            let check = self.check_personal_data(spec, cx)?;
            anyhow::ensure!(
                !wishes.refuses_personal_data || check.texts == Some(0) && check.unindexed == 0,
                "nothing was written: {}",
                check.summary()
            );
            let outcome = work::export(&self.workspace, spec, out, wishes, cx)?;
            Ok(ExportOutcome { personal_data: check, ..outcome })
        })
    }

    /// Lists what [`Self::export`] would write. It writes nothing: it is in no job history.
    ///
    /// # Errors
    ///
    /// As [`work::dry_run_export`].
    pub fn dry_run_export(
        &self,
        spec: &SelectionSpec,
        out: &Path,
        wishes: ExportWishes,
        cx: &JobCx,
    ) -> anyhow::Result<ExportDryRun> {
        work::dry_run_export(&self.workspace, spec, out, wishes, cx)
    }

    /// Copies the catalogue and the campaigns.
    pub fn back_up(&self, out: &Path, cx: &JobCx) -> anyhow::Result<BackupOutcome> {
        self.run_job(JobKind::Backup, || work::back_up(&self.workspace, out, cx))
    }

    /// Reads an export back.
    pub fn verify(&self, folder: &Path, cx: &JobCx) -> anyhow::Result<Vec<VerifyLine>> {
        self.run_job(JobKind::Verify, || {
            let lines = work::verify(folder, cx)?;
            self.workspace.if_writable(|catalogue| catalogue.keep_verification(folder, &lines))?;
            Ok(lines)
        })
    }

    /// Writes down which runs fell due, and returns those that shall start or need an answer; none
    /// where another process writes the workspace. Where somebody else made the workspace, nothing is
    /// due until a person lets it run.
    pub fn poll_schedules(&self) -> anyhow::Result<DueRuns> {
        match self.workspace.access() {
            Access::ReadOnly(_) => Ok(DueRuns::default()),
            Access::Write if self.is_of_others()? => {
                Ok(DueRuns { of_others: work::scheduled_terms(self)?, ..DueRuns::default() })
            }
            Access::Write => self.scheduler().check(self, CaptureDate::now()),
        }
    }

    /// Crawls a run that waits.
    pub fn run_scheduled(&self, run: RunId, cx: &JobCx) -> anyhow::Result<CrawlOutcome> {
        work::run_scheduled(self, run, false, cx)
    }

    /// Says whether a run that was missed shall be made up for; answers in words.
    pub fn answer_scheduled(&self, run: RunId, starts: bool) -> anyhow::Result<String> {
        let answered = self.catalogue().answer_scheduled(run, starts)?;
        Ok(match (answered, starts) {
            (false, _) => "The missed run was already answered",
            (true, true) => "The missed run will start",
            (true, false) => "The missed run is skipped",
        }
        .to_owned())
    }

    /// The runs of a campaign with their states, those due last first.
    pub fn scheduled_runs(&self, campaign: CampaignId, limit: u64) -> anyhow::Result<Vec<ScheduledRun>> {
        Ok(self.catalogue().scheduled_runs(Some(campaign), limit)?)
    }

    /// The permissions of URLs under an edited, unsaved campaign.
    pub fn permissions(&self, campaign: &Campaign, urls: &[String]) -> anyhow::Result<Vec<Result<Derivation, String>>> {
        work::permissions(self, campaign, urls, CaptureDate::now())
    }
}
