//! Every query on the open workspace is passed to its room.

use super::*;

/// Names of folders that are tried for an export.
const MOST_EXPORTS: usize = 1000;

impl Session {
    /// Grows with every change of the catalogue; read models are keyed by it. Does not block.
    pub fn revision(&self) -> u64 {
        let live = self.live().map_or(0, |live| live.revision());
        self.catalogue().revision() + live
    }

    /// Whether inlinks of an earlier form wait to be built in the present one.
    pub fn needs_inlink_build(&self) -> bool {
        let is_outdated = || self.catalogue().needs_rebuild().unwrap_or(false);
        let is_half_built = || self.workspace.counts_are_missing().unwrap_or(false);
        *self.workspace.access() == Access::Write && (is_outdated() || is_half_built())
    }

    /// The workspace itself.
    pub fn workspace(&self) -> anyhow::Result<WorkspaceInfo> {
        let query = work::everything();
        Ok(WorkspaceInfo {
            folder: self.workspace.folder().to_owned(),
            read_only: match self.workspace.access() {
                Access::Write => None,
                Access::ReadOnly(why) => Some(why.to_string()),
            },
            disk_free: crate::crawl::free_bytes(self.workspace.folder()).unwrap_or(0),
            captures: self.catalogue().captures(&CaptureQuery { limit: 0, ..query })?.total,
            campaigns: self.catalogue().campaign_titles()?.len() as u64,
            counted_window_days: match self.workspace.built_links()? {
                Some(_) => Some(self.catalogue().window_days()?),
                None => None,
            },
        })
    }

    /// Whether nothing is kept in it: no campaign, no capture, no import.
    pub fn is_unused(&self) -> anyhow::Result<bool> {
        let info = self.workspace()?;
        Ok(info.read_only.is_none()
            && info.captures == 0
            && info.campaigns == 0
            && work::imports(&self.workspace)?.is_empty())
    }

    /// Launches of a campaign (of any, when none is named).
    pub fn crawl(&self, campaign: Option<CampaignId>, launches: Launches) -> anyhow::Result<CrawlPage> {
        let Some(mut page) = self.catalogue().crawl_page(campaign, launches)? else {
            return Ok(work::empty_crawl_page());
        };
        let id = page.launch.as_ref().map(|launch| launch.id);
        if let Some(live) = self.live().filter(|live| Some(live.launch) == id) {
            live.add_to(&mut page);
            page.saved_version = self.version_to_apply(&live)?;
        }
        Ok(page)
    }

    /// Numbers of the captures that match a query, whatever its page; of
    /// these only, where some are named.
    pub fn capture_ids(&self, query: &CaptureQuery, among: Option<&[CaptureId]>) -> anyhow::Result<Vec<CaptureId>> {
        Ok(match among {
            Some(ids) => self.catalogue().captures_among(query, ids)?,
            None => self.catalogue().capture_ids(query)?,
        })
    }

    /// A capture with all that is known of it.
    pub fn detail(&self, id: CaptureId, window_days: u32) -> anyhow::Result<CaptureDetail> {
        let mut detail = self.catalogue().capture_detail(id)?;
        if let Some(seen) = self.catalogue().seen_of_capture(id)? {
            detail.trace = Some(work::why(self, seen)?);
        }
        // Problems of index or record are reported where the content is read.
        if let Ok(texts) = work::find::stored_pages::PageTexts::open(&self.workspace) {
            detail.facts = texts.indexed_facts(id).unwrap_or_default();
            if let (Some(facts), Ok(kinds)) = (&detail.facts, self.workspace.site_kinds()) {
                let labels =
                    work::site_labels(&kinds, facts).into_iter().map(|label| ("Kind of site".to_owned(), label));
                detail.details.extend(labels);
            }
            if let Ok(Some(check)) = work::links::anchor_check::anchor_check(self, &texts, id, window_days) {
                detail.details.push(("External anchor texts".to_owned(), check.summary()));
            }
        }
        Ok(detail)
    }

    /// The content of the WARC record of a capture.
    pub fn content(&self, id: CaptureId) -> anyhow::Result<CaptureContent> {
        work::find::record_content::content(
            &self.workspace,
            &work::find::stored_pages::PageTexts::open(&self.workspace)?,
            id,
        )
    }

    /// The text of a capture with what it lacks at its places, and its heads and fields.
    ///
    /// # Errors
    ///
    /// A record, a catalogue or an index that cannot be read.
    pub fn marked_text(&self, id: CaptureId) -> anyhow::Result<work::models::MarkedText> {
        work::find::missing_places::marked_text(&self.workspace, id)
    }

    /// Inlinks of any URL or key, captured or not.
    pub fn inlinks_of(&self, target: &str, window_days: u32) -> anyhow::Result<InlinkPage> {
        let key = PageKey::of_text(target)
            .with_context(|| format!("“{target}” is neither a URL nor a key such as pt,example)/path"))?;
        Ok(self.workspace.inlinks_of_page(&key, target, window_days)?)
    }

    /// Anchor texts of a capture's inlinks in its window.
    pub fn anchors(&self, id: CaptureId, window_days: u32) -> anyhow::Result<Vec<AnchorRow>> {
        let rows = self.workspace.anchors_of_capture(id, window_days)?;
        work::mark_matching(self.catalogue(), None, rows)
    }

    /// Most frequent anchors of the whole archive.
    pub fn top_anchors(&self, limit: u64) -> anyhow::Result<Vec<AnchorRow>> {
        work::mark_matching(self.catalogue(), None, self.workspace.top_anchors(limit, &JobCx::detached())?)
    }

    /// Pages cited but never captured, most citing hosts first.
    pub fn prospects(&self, query: &ProspectQuery) -> anyhow::Result<ProspectPage> {
        let mut page = self.catalogue().prospects(query)?;
        work::judge_prospects(self, query.campaign, &mut page.rows, |row| row.url.clone())?;
        Ok(page)
    }

    /// Sites with pages that are cited but were never captured, with the decision about the most cited page of each.
    pub fn prospect_sites(&self, query: &ProspectSiteQuery) -> anyhow::Result<ProspectSites> {
        let mut sites = self.catalogue().prospect_sites(query)?;
        let mut pages: Vec<ProspectRow> = sites.rows.iter().map(|site| site.best.clone()).collect();
        work::judge_prospects(self, query.campaign, &mut pages, |row| row.url.clone())?;
        sites.rows.iter_mut().zip(pages).for_each(|(site, page)| site.best = page);
        Ok(sites)
    }

    /// Anomalies of the crawl in this process that came since the answer before; the second value is
    /// the mark for the next call. It answers at once, from memory.
    pub fn anomalies(&self, since: AnomalyMark) -> (Vec<CrawlEvent>, AnomalyMark) {
        let Some(live) = self.live() else { return Default::default() };
        let run = Arc::as_ptr(&live.stats) as usize;
        let (events, next) = live.stats.anomalies(if since.run == run { since.next } else { 0 });
        (events, AnomalyMark { run, next })
    }

    /// The change of the kept selection if it were made again now, and whether there is an earlier one
    /// to put back.
    pub fn selection_offer(&self, campaign: CampaignId) -> anyhow::Result<(Option<SelectionOffer>, bool)> {
        let can_undo = self.catalogue().can_undo_selection(campaign)?;
        Ok((work::selection_offer(&self.workspace, campaign)?, can_undo))
    }

    /// The selection of a campaign and what it would carry.
    pub fn selection(&self, campaign: CampaignId) -> anyhow::Result<SelectionPage> {
        let mut page = self.catalogue().selection_page(campaign)?;
        if let Some(spec) = &page.spec
            && work::scores_are_outdated(&self.workspace, spec)?
        {
            page.missing.push("The campaign, the inlinks or the window changed since; score again".to_owned());
        }
        Ok(page)
    }

    /// Why the built inlinks are not those of all captures; none where they are.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn inlinks_behind(&self) -> anyhow::Result<Option<String>> {
        work::links::build::inlinks_behind(&self.workspace)
    }

    /// The last crawl of each campaign that was crawled.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn last_launches(&self) -> anyhow::Result<Vec<LaunchRow>> {
        let campaigns = self.catalogue().campaign_titles()?;
        let last = campaigns.iter().map(|(id, _)| self.catalogue().last_launch(Some(*id)));
        Ok(last.filter_map(Result::transpose).collect::<Result<_, _>>()?)
    }

    /// Checks the kept selection of a campaign before it is exported. While a crawl runs here, only a selection that
    /// changed is checked again.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn export_check(&self, campaign: CampaignId) -> anyhow::Result<work::models::ExportCheck> {
        let stamp = self.catalogue().selection_stamp(campaign)?;
        let known = lock(&self.export_checks).get(&campaign).filter(|check| check.stamp == stamp).cloned();
        if let Some(known) = known.filter(|_| self.live().is_some()) {
            return Ok(known);
        }
        let check = work::check_export(&self.workspace, campaign, &JobCx::detached())?;
        lock(&self.export_checks).insert(campaign, check.clone());
        Ok(check)
    }

    /// A folder of the workspace that the next export may be written to: the first of its kind that is not there or
    /// empty.
    pub fn next_export_folder(&self) -> PathBuf {
        let folder = |number: usize| {
            let name = if number == 1 { "selection".to_owned() } else { format!("selection-{number}") };
            self.workspace.folder().join("exports").join(name)
        };
        let is_free = |folder: &PathBuf| {
            std::fs::read_dir(folder).map_or_else(|_| !folder.exists(), |mut entries| entries.next().is_none())
        };
        (1..MOST_EXPORTS).map(folder).find(is_free).unwrap_or_else(|| folder(MOST_EXPORTS))
    }

    /// The steps from a new campaign to a verified export, each with whether it is done.
    ///
    /// # Errors
    ///
    /// A catalogue or a campaign that cannot be read.
    pub fn first_steps(&self, campaign: CampaignId) -> anyhow::Result<work::models::FirstSteps> {
        work::first_steps(&self.workspace, campaign)
    }

    /// Embedded resources of a selection that persons rejected. They are counted
    /// again when decisions or the selection change, not while captures come in.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn vetoed(&self, campaign: CampaignId) -> anyhow::Result<u64> {
        let Some(state) = self.catalogue().veto_state(campaign)? else { return Ok(0) };
        let mut known = lock(&self.vetoed);
        if let Some((of, count)) = known.get(&campaign)
            && *of == state
        {
            return Ok(*count);
        }
        let count = self.catalogue().vetoed(campaign)?;
        known.insert(campaign, (state, count));
        Ok(count)
    }

    /// Addresses (`file:`) of the reports of exports whose folders have one, by
    /// their folders: of those that the workspace lists, and of one more.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn export_reports(&self, of: Option<&Path>) -> anyhow::Result<BTreeMap<PathBuf, String>> {
        let listed = self.catalogue().exports()?.into_iter().map(|row| row.folder);
        let address = |folder: PathBuf| {
            let report = std::path::absolute(folder.join("report.html")).ok()?;
            let url = report.is_file().then(|| Url::from_file_path(&report).ok()).flatten()?;
            Some((folder, url.into()))
        };
        Ok(listed.chain(of.map(Path::to_owned)).filter_map(address).collect())
    }

    /// Captures with their scores under a draft, in the order of `ids`.
    pub fn scored_under(&self, draft: &SelectionSpec, ids: &[CaptureId]) -> anyhow::Result<Vec<ScoredRow>> {
        let sides = work::selection_criteria(&self.workspace, draft)?;
        Ok(self.catalogue().scored_under(draft, &sides, ids)?)
    }

    /// A part of the URLs that a number of a what-if counts.
    pub fn what_if_rows(
        &self,
        campaign: CampaignId,
        edited: &Campaign,
        answer: &WhatIf,
        list: WhatIfList,
        range: std::ops::Range<u64>,
    ) -> anyhow::Result<Vec<MovedRow>> {
        let mut rows = Vec::new();
        work::what_if_rows(self, campaign, edited, answer, list, range, &JobCx::detached(), |row| {
            rows.push(row);
            Ok(())
        })?;
        Ok(rows)
    }

    /// The hosts of the URLs that change side, those with the most first.
    pub fn what_if_hosts(&self, answer: &WhatIf) -> anyhow::Result<Vec<MovedHost>> {
        work::what_if_hosts(self, answer, &JobCx::detached())
    }

    /// Seen URLs by their numbers.
    pub fn seen_rows(&self, ids: &[SeenId]) -> anyhow::Result<Vec<SeenRow>> {
        ids.iter().map(|id| Ok(self.catalogue().seen_row(*id)?.1)).collect()
    }

    /// Hosts whose verdicts another country database would change.
    pub fn geo_drift(
        &self,
        campaign: CampaignId,
        launch: Option<LaunchId>,
        newer: &Path,
        cx: &JobCx,
    ) -> anyhow::Result<Drift> {
        work::geo_drift(self, campaign, launch, &crate::scope::GeoDatabase::open(newer)?, cx)
    }

    /// The geolocation database that was chosen; none where none was.
    pub fn geo_choice(&self) -> anyhow::Result<Option<GeoChoice>> {
        work::geo_choice(self, &mut self.geo_choice.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Chooses a geolocation database, or none; returns its description.
    pub fn set_geo_database(&self, path: Option<&Path>) -> anyhow::Result<String> {
        let Some(path) = path else {
            work::forget_geo_database(self)?;
            return Ok("Geolocation database removed; recorded evidence is kept".to_owned());
        };
        work::set_geo_database(self, path)?;
        Ok(format!("Geolocation database set to {}", path.display()))
    }

    /// Writes the links into a folder, in the form of another program.
    pub fn export_links(&self, form: LinkForm, folder: &Path, cx: &JobCx) -> anyhow::Result<String> {
        self.run_job(JobKind::WriteLinks, || work::export_links(self, form, folder, cx))
    }

    /// The archive file that a capture is read from.
    pub fn file_of_capture(&self, id: CaptureId) -> anyhow::Result<Option<FileRow>> {
        Ok(self.catalogue().file_of_capture(id)?.map(|file| self.workspace.file(file)).transpose()?)
    }

    /// A line about the job of another process that writes the workspace; none where there is no such
    /// process, or nothing that it began is without an end.
    pub fn job_elsewhere(&self) -> anyhow::Result<Option<String>> {
        /// Jobs that are read: what runs began lately.
        const RECENT: u64 = 50;
        if *self.workspace.access() == Access::Write || !self.workspace.is_written() {
            return Ok(None);
        }
        let rows = self.catalogue().jobs(RECENT)?;
        // A job that was interrupted has no end, too.
        let unfinished = rows.iter().find(|row| row.ended.is_none());
        Ok(unfinished.map(|row| format!("{} of another window may be running", row.name)))
    }

    /// Jobs of windows, newest first, without those that run in this process.
    pub fn job_history(&self, limit: u64) -> anyhow::Result<Vec<JobRow>> {
        let running = lock(&self.running);
        let mut rows = self.catalogue().jobs(limit)?;
        rows.retain(|row| row.ended.is_some() || !running.contains(&row.id));
        if *self.workspace.access() != Access::Write && self.workspace.is_written() {
            for row in rows.iter_mut().filter(|row| row.ended.is_none()) {
                "running in another process, or interrupted".clone_into(&mut row.outcome);
            }
        }
        Ok(rows)
    }
}
