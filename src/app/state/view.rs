//! The state of a window as pages read it, and what they change of it at once.

use super::{AppState, RecentWorkspace, ScheduleWatch};
use crate::app::current_jobs::{EndedJob, RunningJob};
use crate::app::models::{
    CampaignId, CaptureQuery, CaptureTab, ExportDryRun, Loaded, Notice, RowList, SelectionSpec, VerifyLine,
    WhatIfAnswer,
};
use crate::app::selected_rows::ReviewDecision;
use crate::app::{Command, Dialog, PanelTab, Route, SelectedRows, TableRows};
use crate::uri::CaptureDate;
use crate::work::CrawlRequest;
use crate::work::models::ProblemId;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A filter that is brought to the page Select & export, for a person to confirm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SelectLead {
    /// The filter of the selection.
    Filter(String),
    /// The filter that fills a collection after each crawl.
    Rule(String),
}

impl AppState {
    /// The page that is on screen.
    pub fn route(&self) -> &Route {
        &self.open.route
    }

    /// The dialog that is open.
    pub fn dialog(&self) -> Option<Dialog> {
        self.open.dialog
    }

    /// The current campaign.
    pub fn campaign(&self) -> Option<CampaignId> {
        self.open.campaign
    }

    /// Changes that the edits of the specification would make to what was ever seen; none while none of
    /// them is about the scope.
    pub fn what_if(&self) -> Option<&Loaded<Arc<WhatIfAnswer>>> {
        self.open.what_if.as_ref()
    }

    /// The geolocation database that evidence is compared with.
    pub fn compared(&self) -> Option<&Path> {
        self.open.compared.as_deref()
    }

    /// Captures selected in the table.
    pub fn selected(&self) -> &SelectedRows {
        &self.open.selected
    }

    /// The decision that waits for confirmation.
    pub fn decision(&self) -> Option<&ReviewDecision> {
        self.open.decision.as_ref()
    }

    /// The crawl that waits for confirmation.
    pub fn crawl_request(&self) -> Option<&Arc<CrawlRequest>> {
        self.open.crawl_request.as_ref()
    }

    /// Workspaces that were opened lately, the last one first.
    pub fn recent(&self) -> &[RecentWorkspace] {
        &self.recent
    }

    /// Whether the window shall close once nothing runs any more.
    pub fn is_closing(&self) -> bool {
        self.closing
    }

    /// Whether a second person reviews, who does not see what others decided.
    pub fn is_blind(&self) -> bool {
        self.open.is_blind && matches!(self.open.route, Route::Review { .. })
    }

    /// Notes whether the page Review hides what others decided.
    pub fn note_blind(&mut self, is_blind: bool) {
        self.open.is_blind = is_blind;
    }

    /// The problem whose record is read though much has to be decompressed for it.
    pub fn far_record(&self) -> Option<ProblemId> {
        self.open.far_record
    }

    /// Captures that were decided on the page Review since the workspace was opened, and are so still.
    pub fn reviewed(&mut self) -> u64 {
        if self.open.reviewed.is_empty() || self.session().is_none() {
            return 0;
        }
        let to_review = CaptureQuery { tab: CaptureTab::NotReviewed, ..crate::work::everything() };
        let open = self.reads.captures_among(to_review, self.open.reviewed.clone());
        // What was undone is to review once more.
        let open = open.shown().map_or(0, |open| open.len());
        self.open.reviewed.len().saturating_sub(open) as u64
    }

    /// The table that is to be written, once its folder is known.
    pub fn table_rows(&self) -> Option<&TableRows> {
        self.open.table_rows.as_ref()
    }

    /// The export made or verified last.
    pub fn last_export(&self) -> Option<&Path> {
        self.open.last_export.as_deref()
    }

    /// The result of the last verification of this window.
    pub fn verified(&self) -> Option<&(PathBuf, Vec<VerifyLine>)> {
        self.open.verified.as_ref()
    }

    /// The result of the last dry run of this window.
    pub fn dry_run(&self) -> Option<&ExportDryRun> {
        self.open.dry_run.as_deref()
    }

    /// Whether the window is light on dark just now, by choice or by the desktop.
    pub fn shows_dark(&self) -> bool {
        self.shows_dark
    }

    /// Notices not yet taken away, oldest first, with their numbers.
    pub fn notices(&self) -> &[(u64, Notice)] {
        &self.open.notices
    }

    /// Notices that went by, newest last.
    pub fn log(&self) -> &VecDeque<(CaptureDate, Notice)> {
        &self.open.log
    }

    /// Jobs of this window that run.
    pub fn jobs(&self) -> &[RunningJob] {
        &self.open.jobs
    }

    /// Whether something runs: here, or still in a workspace that was left.
    pub fn is_at_work(&self) -> bool {
        !self.open.jobs.is_empty() || !self.left_jobs.is_empty()
    }

    /// Jobs of this window that ended, newest last.
    pub fn ended(&self) -> &VecDeque<EndedJob> {
        &self.open.ended
    }

    /// Runs that schedules call for.
    pub fn schedules(&self) -> &ScheduleWatch {
        &self.open.schedules
    }
}

impl AppState {
    /// Narrows the list of captures to a filter, which is no step to go back.
    pub fn refine(&mut self, filter: String) {
        self.open.route = Route::Captures { filter };
    }

    /// Changes the query of the page Search; Back leads past it.
    pub fn refine_search(&mut self, query: crate::app::models::SearchQuery) {
        self.open.route = Route::Search(query);
    }

    /// Selects captures in the table of captures.
    pub fn select(&mut self, rows: SelectedRows) {
        self.open.selected = rows;
        self.follow_beside(Vec::new());
    }

    /// Takes an export as the one that is verified next.
    pub fn choose_export(&mut self, folder: PathBuf) {
        self.open.last_export = Some(folder);
    }

    /// Shows what a verification found.
    pub fn show_checks(&mut self, folder: PathBuf, lines: Vec<VerifyLine>) {
        self.open.verified = Some((folder, lines));
    }

    /// Closes the list of a dry run.
    pub fn close_dry_run(&mut self) {
        self.open.dry_run = None;
    }

    /// Notes whether the window is light on dark.
    pub fn note_dark(&mut self, is_dark: bool) {
        self.shows_dark = is_dark;
    }

    /// Takes away the notices that are no errors.
    pub fn take_news(&mut self) -> Vec<(u64, Notice)> {
        self.open.notices.extract_if(.., |(_, notice)| !notice.is_error).collect()
    }

    /// Goes to the page with these rows, which takes their list from here.
    pub(super) fn show_rows(&mut self, rows: RowList) {
        let spec = Route::Spec(self.campaign());
        let route = match &rows {
            RowList::Captures { filter } => Route::Captures { filter: filter.clone() },
            RowList::Seen { .. } => Route::Crawl,
            RowList::Prospects { .. } => Route::Prospect,
            RowList::Seeds | RowList::Terms => spec,
        };
        match rows {
            RowList::Captures { .. } => self.send(Command::GoToAll(route)),
            rows => {
                self.open.row_list = Some(rows);
                self.send(Command::Go(route));
            }
        }
    }

    /// The list that the page shall show, where its like is asked for; once.
    pub fn take_row_list(&mut self, is_own: impl Fn(&RowList) -> bool) -> Option<RowList> {
        self.open.row_list.take_if(|rows| is_own(rows))
    }

    /// Whether the page shall leave nothing out; true once.
    pub fn take_shows_all(&mut self) -> bool {
        std::mem::take(&mut self.open.shows_all)
    }

    /// Notes what the selection of a campaign is that is kept: only that is exported.
    pub fn note_kept_selection(&mut self, campaign: CampaignId, kept: Option<&SelectionSpec>) {
        let is_same = |(of, spec): &(CampaignId, Option<SelectionSpec>)| *of == campaign && spec.as_ref() == kept;
        if !self.open.kept_selection.as_ref().is_some_and(is_same) {
            self.open.kept_selection = Some((campaign, kept.cloned()));
        }
    }

    /// Notes why the selection of a campaign is not exported: its check runs, or has found why.
    pub fn note_export_obstacle(&mut self, campaign: CampaignId, why: Option<&'static str>) {
        self.open.export_obstacle = why.map(|why| (campaign, why));
    }

    /// Goes to the page Select & export, with a filter put into one of its fields.
    pub fn lead_to_selection(&mut self, lead: SelectLead) {
        self.open.select_lead = Some(lead);
        self.send(Command::Go(Route::Select));
    }

    /// The filter that was brought to the page Select & export; taken once.
    pub fn take_select_lead(&mut self) -> Option<SelectLead> {
        self.open.select_lead.take()
    }

    /// Whether the filter line of the captures shall take the keyboard; true once.
    pub fn take_opens_filter(&mut self) -> bool {
        std::mem::take(&mut self.open.opens_filter)
    }

    /// The query whose finds are marked in texts: that of the page Search, or the filter of the captures.
    pub fn marked_query(&self) -> &str {
        match &self.open.route {
            Route::Search(query) => &query.text,
            Route::Captures { filter } => filter,
            _ => "",
        }
    }

    /// Goes so many matches on, or back, in the text of the current capture: to
    /// the first where the text was not shown.
    pub(super) fn step_match(&mut self, step: i64) {
        let is_shown = self.panel_is_open() && self.settings.panel_tab == PanelTab::Text;
        if !is_shown {
            self.show_tab(PanelTab::Text);
        } else {
            self.open.match_step += step;
        }
    }

    /// Number of matches to go further, or back, in a text; taken once.
    pub fn take_match_step(&mut self) -> i64 {
        std::mem::take(&mut self.open.match_step)
    }

    /// Whether the note field of the lower panel shall take the keyboard; true once.
    pub fn take_opens_note(&mut self) -> bool {
        std::mem::take(&mut self.open.opens_note)
    }
}

#[cfg(all(test, feature = "gui"))]
impl AppState {
    /// The last command that was sent.
    pub(crate) fn last_command(&self) -> Option<&crate::app::Command> {
        self.sent.back()
    }

    /// Commands that were sent, the oldest first.
    pub(crate) fn sent(&self) -> impl Iterator<Item = &crate::app::Command> {
        self.sent.iter()
    }

    /// Takes the last job of this kind out of those that ended.
    pub(crate) fn take_ended(&mut self, kind: crate::work::JobKind) -> Option<EndedJob> {
        let at = self.open.ended.iter().rposition(|job| job.kind == kind)?;
        self.open.ended.remove(at)
    }
}
