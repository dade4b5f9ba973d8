//! The state of a window: what is open, what is shown, what runs.
//!
//! In: [`Command`]s through [`AppState::send`], answers of workers through
//! [`AppState::tick`]. Out: read models ([`AppState::reads`]), notices, jobs.
//!
//! Invariants: nothing here touches disk or network on the calling thread;
//! writes are carried out in the order they were asked.

#[path = "state_campaigns.rs"]
mod campaigns;
#[path = "state_index.rs"]
mod index;
#[path = "state_links.rs"]
mod links;
#[path = "state_new_campaign.rs"]
mod new_campaign;
#[path = "state_notices.rs"]
mod notices;
#[path = "state_open.rs"]
mod open;
#[path = "state_saves.rs"]
mod saves;
#[path = "state_schedules.rs"]
mod schedules;
#[path = "state_searches.rs"]
mod searches;
#[path = "state_selections.rs"]
mod selections;
#[path = "state_unsaved.rs"]
mod unsaved;
#[path = "state_view.rs"]
mod view;

pub use campaigns::CampaignAct;
pub use new_campaign::CampaignPlace;
pub use notices::{NoticeCause, route_of_job};
pub use open::RecentWorkspace;
pub use schedules::ScheduleWatch;
pub use searches::SearchAct;
pub use selections::SelectionAct;
pub use view::SelectLead;

use crate::work::models::ProblemId;
use open::{AfterOpen, OpenedWorkspace};

use super::crawl_request::AfterSave;
use super::decision_target::{Focus, RowsAtHand};
use super::jobs_at_hand::{EndedJob, JobResult, RunningJob};
use super::loader::{Order, Pool, ReadCx, failure, no_workspace};
use super::models::*;
use super::reads::Reads;
use super::scans::{RuleLine, Scans, name_rules, same_scope};
use super::selected_rows::ReviewDecision;
use super::settings::{Settings, ThemeChoice};
use super::spec_draft::SpecDraft;
use super::{Command, Dialog, FilesRoute, Route, SelectedRows, TableRows};
use crate::campaign::Campaign;
use crate::jobs::{JobCx, Progress, Wake};
use crate::keys::{SigningKey, SystemKeychain};
use crate::work::{CrawlRequest, DueRuns, ExportWishes, JobKind, JobReport, OpenTarget, Session, Workspaces};
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Threads that answer questions; two, so that one slow question does not
/// hold up the page.
const READERS: usize = 2;
/// Pages that Back can go through.
const HISTORY_KEPT: usize = 100;
/// Notices, ended jobs and commands that are kept.
const LOG_KEPT: usize = 200;
/// How often running jobs are looked at.
const LOOK: Duration = Duration::from_millis(250);

/// What a worker tells the window after a write.
pub(super) enum Answer {
    /// The folder that was to be opened, what follows, and what came of it.
    Opened(PathBuf, AfterOpen, anyhow::Result<OpenedWorkspace>),
    /// What a path is that a person wants to open, and whether archives there are copied.
    Named(PathBuf, ImportOptions, anyhow::Result<OpenTarget>),
    /// Whether a workspace was deleted in which nothing was kept.
    Removed(PathBuf, bool),
    /// Whether a workspace that was opened lately is there.
    Recent(PathBuf, bool),
    /// A save, by its number; what was saved, of which campaign, as which version.
    Saved(u64, anyhow::Result<saves::SavedDraft>),
    Marked(anyhow::Result<String>),
    /// A person's word on captures, and those that it was given on on the page
    /// Review: what was decided on how many, where it was not one alone.
    Kept(Vec<CaptureId>, anyhow::Result<Option<String>>),
    /// A setting of the workspace: what to say when it failed, how it went.
    Set(&'static str, anyhow::Result<String>),
    Schedules(u64, anyhow::Result<DueRuns>),
    /// Whether there is something to index; of the workspace with this generation.
    ToIndex(u64, anyhow::Result<bool>),
}

/// The state of a window.
pub struct AppState {
    opener: Arc<Workspaces>,
    wake: Wake,
    writer: Pool,
    answers: (Sender<Answer>, Receiver<Answer>),
    outbox: VecDeque<Command>,
    history: Vec<Route>,
    next_id: u64,
    opening: Option<PathBuf>,
    /// Whether the sample is open.
    is_sample: bool,
    /// The open workspace, where it was made for a campaign that is not saved yet.
    unused_workspace: Option<PathBuf>,
    /// Such a workspace that is being deleted.
    removing: Option<PathBuf>,
    scans: Scans,
    /// Commands that would lose edits, until a person has answered.
    deferred: Vec<Command>,
    /// Whether the edits go when another workspace is open.
    discards_edits: bool,
    /// What follows a save, by its number.
    after_save: Option<(u64, AfterSave)>,
    /// What notices speak of, by their numbers.
    about: BTreeMap<u64, notices::About>,
    /// Anomalies of the running crawl that a person was told of.
    anomalies_shown: AnomalyMark,
    /// When texts are indexed by themselves.
    pub(super) index_watch: index::IndexWatch,

    // What pages fill in; the rest they read and change by methods.
    /// Read models.
    pub reads: Reads,
    /// The specification being edited.
    pub spec: Option<SpecDraft>,
    /// What the next selection shall be.
    pub selection_draft: SelectionSpec,
    /// Folder of the next export, as typed.
    pub export_folder: String,
    /// What a person chose.
    pub settings: Settings,

    /// The rows among which they were selected.
    pub(super) selected_in: Option<CaptureQuery>,
    /// Whether the filter line of the captures shall take the keyboard.
    pub(super) opens_filter: bool,
    /// Whether the note field of the lower panel shall take the keyboard.
    pub(super) opens_note: bool,
    /// How many matches further, or back, the text of the capture at hand shall show.
    pub(super) match_step: i64,
    /// Whether the page shall leave nothing out that a number counts.
    pub(super) shows_all: bool,
    pub(super) select_lead: Option<SelectLead>,
    /// The selection that a campaign was seen to keep, on the page Select & export.
    pub(super) kept_selection: Option<(CampaignId, Option<SelectionSpec>)>,
    /// What was asked last, newest last.
    pub(super) asked: VecDeque<Command>,

    // See the methods of these names in `state_view.rs`.
    pub(super) route: Route,
    pub(super) dialog: Option<Dialog>,
    pub(super) campaign: Option<CampaignId>,
    pub(super) shows_every_campaign: bool,
    pub(super) twins: Vec<CampaignTwin>,
    pub(super) deleting: Option<CampaignId>,
    pub(super) what_if: Option<Loaded<Arc<WhatIfAnswer>>>,
    pub(super) compared: Option<PathBuf>,
    pub(super) selected: SelectedRows,
    pub(super) decision: Option<ReviewDecision>,
    pub(super) crawl_request: Option<Arc<CrawlRequest>>,
    pub(super) recent: Vec<RecentWorkspace>,
    pub(super) closing: bool,
    pub(super) at_hand: RowsAtHand,
    pub(super) far_record: Option<ProblemId>,
    pub(super) reviewed: Vec<CaptureId>,
    pub(super) table_rows: Option<TableRows>,
    pub(super) last_export: Option<PathBuf>,
    pub(super) verified: Option<(PathBuf, Vec<VerifyLine>)>,
    pub(super) dry_run: Option<Box<ExportDryRun>>,
    pub(super) shows_dark: bool,
    pub(super) notices: Vec<(u64, Notice)>,
    pub(super) log: VecDeque<(crate::uri::CaptureDate, Notice)>,
    pub(super) jobs: Vec<RunningJob>,
    pub(super) ended: VecDeque<EndedJob>,
    pub(super) schedules: ScheduleWatch,
}

impl AppState {
    /// A window without workspace. `wake` is called by workers.
    pub fn new(opener: Arc<Workspaces>, settings: Settings, wake: Wake) -> std::io::Result<Self> {
        let cx = ReadCx {
            session: None,
            generation: 0,
            wake: wake.clone(),
            pool: Pool::new("read", READERS, Order::NewestFirst)?,
            later: Cell::new(None),
        };
        let selection_draft = SelectionSpec { window_days: settings.window_days, ..SelectionSpec::default() };
        let mut state = Self {
            opener,
            wake,
            writer: Pool::new("write", 1, Order::OldestFirst)?,
            answers: unbounded(),
            outbox: VecDeque::new(),
            history: Vec::new(),
            next_id: 1,
            opening: None,
            is_sample: false,
            unused_workspace: None,
            removing: None,
            scans: Scans::default(),
            deferred: Vec::new(),
            discards_edits: false,
            after_save: None,
            about: BTreeMap::new(),
            anomalies_shown: AnomalyMark::default(),
            index_watch: index::IndexWatch::default(),
            reads: Reads::new(cx),
            route: Route::default(),
            dialog: None,
            campaign: None,
            shows_every_campaign: false,
            twins: Vec::new(),
            deleting: None,
            spec: None,
            what_if: None,
            compared: None,
            selected: SelectedRows::default(),
            selected_in: None,
            decision: None,
            crawl_request: None,
            recent: Vec::new(),
            closing: false,
            at_hand: RowsAtHand::default(),
            far_record: None,
            reviewed: Vec::new(),
            selection_draft,
            table_rows: None,
            export_folder: String::new(),
            last_export: None,
            verified: None,
            dry_run: None,
            opens_filter: false,
            opens_note: false,
            match_step: 0,
            shows_all: false,
            select_lead: None,
            kept_selection: None,
            shows_dark: false,
            settings,
            notices: Vec::new(),
            log: VecDeque::new(),
            jobs: Vec::new(),
            ended: VecDeque::new(),
            asked: VecDeque::new(),
            schedules: ScheduleWatch::default(),
        };
        state.look_for_recent();
        Ok(state)
    }

    /// The open workspace.
    pub fn session(&self) -> Option<&Arc<Session>> {
        self.reads.session()
    }

    /// Whether an answer is on its way, so that what is shown will change.
    pub fn is_waited_for(&self) -> bool {
        self.opening.is_some() || self.removing.is_some() || self.reads.is_waited_for() || self.scans.is_waited_for()
    }

    /// The folder that is being opened.
    pub fn opening(&self) -> Option<&Path> {
        self.opening.as_deref()
    }

    /// The folder offered to a person who has not chosen one.
    pub fn default_folder(&self) -> PathBuf {
        self.opener.default_folder()
    }

    /// Free bytes where that folder will lie, as far as known.
    pub fn disk_free(&self) -> Option<u64> {
        self.opener.disk_free()
    }

    /// The folder of the sample campaign: beside the one offered.
    pub fn sample_folder(&self) -> PathBuf {
        let folder = self.opener.default_folder();
        let mut name = folder.file_name().unwrap_or_default().to_os_string();
        name.push("-sample");
        folder.with_file_name(name)
    }

    /// Asks for something; carried out by the next [`AppState::tick`].
    pub fn send(&mut self, command: Command) {
        self.outbox.push_back(command);
    }

    /// Whether something was asked that is not carried out yet.
    pub fn has_outbox(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// Tells a person something.
    pub fn notice(&mut self, notice: Notice) {
        keep(&mut self.log, (crate::uri::CaptureDate::now(), notice.clone()));
        self.notices.push((self.next_id, notice));
        self.next_id += 1;
    }

    /// The running crawl.
    pub fn crawl_job(&self) -> Option<&RunningJob> {
        self.jobs.iter().find(|job| job.kind.is_crawl())
    }

    /// Whether a job runs that somebody waits for.
    pub fn is_busy(&self) -> bool {
        self.jobs.iter().any(|job| !job.by_itself)
    }

    /// Whether a job of this name runs.
    pub fn runs(&self, kind: JobKind) -> bool {
        self.jobs.iter().any(|job| job.kind == kind)
    }

    /// Whether Back leads somewhere.
    pub fn can_go_back(&self) -> bool {
        !self.history.is_empty()
    }

    /// Takes in what workers answered and carries out what was asked.
    /// Never blocks.
    pub fn tick(&mut self) {
        while let Ok(answer) = self.answers.1.try_recv() {
            self.handle_answer(answer);
        }
        self.look_at_jobs();
        self.report_anomalies();
        self.watch_schedules();
        self.watch_index();
        while let Some(command) = self.outbox.pop_front() {
            keep(&mut self.asked, command.clone());
            if !self.discards_edits && self.loses_edits(&command) {
                self.ask_about_edits(command);
            } else {
                self.execute(command);
            }
        }
        self.leave_unused_workspace();
        let is_seen = matches!(self.route, Route::Files(_)) && self.settings.lower_panel;
        let focus = self.focus();
        let shown = |id: &ProblemId| is_seen && focus == Some(Focus::Problem(*id));
        self.scans.problem_record.keep_only(shown);
        self.far_record = self.far_record.filter(shown);
        self.scans.import_records.keep_only(|(launch, path)| match &self.route {
            Route::Files(FilesRoute::Records(shown, of)) => (shown, of) == (launch, path),
            _ => false,
        });
        self.rest_link_scans();
        self.refresh_what_if();
    }

    /// Takes notice of edits, and of what they would change.
    fn refresh_what_if(&mut self) {
        if let Some(spec) = &mut self.spec {
            spec.note(Instant::now());
        }
        let edited = self.spec.as_ref().filter(|spec| spec.changes_scope());
        let Some((id, edited)) = edited.and_then(|spec| Some((spec.id?, &spec.campaign))) else {
            if self.what_if.take().is_some() {
                self.scans.what_if.forget();
            }
            return;
        };
        let answer = self.scans.what_if.get(
            self.reads.cx(),
            |(of, campaign)| *of == id && same_scope(campaign, edited),
            || (id, edited.clone()),
            |session, (campaign, edited), cx| {
                let figures = session.what_if(campaign, None, &edited, cx)?;
                Ok(WhatIfAnswer { campaign, edited, figures })
            },
        );
        self.what_if = Some(answer);
    }

    /// How far the trial of the edits is, while one is under way.
    pub fn what_if_progress(&self) -> Option<Progress> {
        self.scans.what_if.progress()
    }

    /// Each rule of a campaign in words; the last ones while it is being edited.
    pub fn rule_lines(&mut self, campaign: &Arc<Campaign>) -> Loaded<Arc<Vec<RuleLine>>> {
        let is_same = |asked: &Arc<Campaign>| Arc::ptr_eq(asked, campaign);
        let work = |_: &Session, campaign: Arc<Campaign>, cx: &JobCx| name_rules(&campaign, cx);
        self.scans.rule_lines.get(self.reads.cx(), is_same, || campaign.clone(), work)
    }

    /// See [`Session::rule_hits`].
    pub fn rule_hits(&mut self, campaign: CampaignId) -> Loaded<Arc<RuleReport>> {
        let cx = self.reads.cx();
        let of = |asked: &CampaignId| *asked == campaign;
        self.scans.rule_hits.get(cx, of, || campaign, |session, campaign, cx| session.rule_hits(campaign, None, cx))
    }

    /// See [`Session::urls_matched_by_rule`]; and how far the work on it is.
    pub fn urls_matched_by_rule(
        &mut self,
        campaign: CampaignId,
        rule: usize,
    ) -> (Loaded<Arc<RuleMatches>>, Option<Progress>) {
        let (cx, scan) = (self.reads.cx(), &mut self.scans.rule_matches);
        let of = |asked: &(CampaignId, usize)| *asked == (campaign, rule);
        let work =
            |session: &Session, (campaign, rule), cx: &JobCx| session.urls_matched_by_rule(campaign, None, rule, cx);
        let answer = scan.get(cx, of, || (campaign, rule), work);
        (answer, scan.progress())
    }

    /// See [`Session::geo_report`]; and how far the work on it is.
    pub fn geo_report(&mut self, campaign: CampaignId) -> (Loaded<Arc<GeoReport>>, Option<Progress>) {
        let (cx, scan) = (self.reads.cx(), &mut self.scans.geo_report);
        let of = |asked: &CampaignId| *asked == campaign;
        let answer = scan.get(cx, of, || campaign, |session, campaign, cx| session.geo_report(campaign, None, cx));
        (answer, scan.progress())
    }

    /// See [`Session::geo_drift`]; and how far the work on it is.
    pub fn geo_drift(&mut self, campaign: CampaignId, newer: &Path) -> (Loaded<Arc<Drift>>, Option<Progress>) {
        let (cx, scan) = (self.reads.cx(), &mut self.scans.drift);
        let answer = scan.get(
            cx,
            |(asked, path)| *asked == campaign && path == newer,
            || (campaign, newer.to_owned()),
            |session, (campaign, newer), cx| session.geo_drift(campaign, None, &newer, cx),
        );
        (answer, scan.progress())
    }

    /// See [`Session::problem_record`]; and how far the work on it is.
    pub fn problem_record(&mut self, id: ProblemId) -> (Loaded<Arc<String>>, Option<Progress>) {
        let (cx, scan) = (self.reads.cx(), &mut self.scans.problem_record);
        let answer =
            scan.get_as_of(0, cx, |asked| *asked == id, || id, |session, id, cx| session.problem_record(id, cx));
        (answer, scan.progress())
    }

    /// See [`Session::import_records`]; and how far the work on it is. While the
    /// import goes on, so does the answer.
    pub fn import_records(
        &mut self,
        launch: LaunchId,
        path: Option<&str>,
    ) -> (Loaded<Arc<FoundRecords>>, Option<Progress>) {
        let imports = match self.reads.imports() {
            Loaded::Ready(imports) | Loaded::Loading { last: Some(imports) } => imports,
            Loaded::Loading { last: None } => return (Loaded::Loading { last: None }, None),
            Loaded::Failed(notice) => return (Loaded::Failed(notice), None),
        };
        let import = imports.iter().find(|row| row.launch == launch);
        let counted = import.map_or(0, |row| row.files + row.records);
        let (cx, scan) = (self.reads.cx(), &mut self.scans.import_records);
        let answer = scan.get_as_of(
            counted,
            cx,
            |(of, asked)| *of == launch && asked.as_deref() == path,
            || (launch, path.map(str::to_owned)),
            |session, (launch, path), cx| session.import_records(launch, path.as_deref(), cx),
        );
        (answer, scan.progress())
    }

    /// When [`AppState::tick`] wants to be called again without a wake-up.
    pub fn next_tick(&mut self) -> Option<Duration> {
        let later = self.reads.cx().later.take();
        let look = (!self.jobs.is_empty()).then_some(LOOK);
        let due = self.session().is_some().then(|| self.schedules.next_look());
        later.into_iter().chain(look).chain(due).min()
    }

    fn handle_answer(&mut self, answer: Answer) {
        match answer {
            Answer::Opened(folder, then, opened) => self.take_in_opened(folder, then, opened),
            Answer::Removed(folder, is_removed) => self.take_in_removed(&folder, is_removed),
            Answer::Named(path, options, target) => self.take_in_named(path, options, target),
            Answer::Recent(folder, exists) => {
                let found = self.recent.iter_mut().find(|recent| recent.folder == folder);
                if let Some(recent) = found {
                    recent.exists = Some(exists);
                }
            }
            Answer::Saved(save, saved) => self.take_in_saved(save, saved),
            Answer::Marked(Ok(words)) => self.say(&words),
            Answer::Kept(reviewed, Ok(summary)) => {
                self.cure(|cause| *cause == NoticeCause::Deciding);
                let is_new = |id: &CaptureId| !self.reviewed.contains(id);
                let new: Vec<CaptureId> = reviewed.into_iter().filter(is_new).collect();
                self.reviewed.extend(new);
                if let Some(summary) = summary {
                    self.say(&summary);
                }
            }
            Answer::Schedules(generation, look) => self.take_in_schedules(generation, look),
            Answer::ToIndex(generation, is_behind) => self.take_in_index_behind(generation, is_behind),
            Answer::Marked(Err(error)) | Answer::Kept(_, Err(error)) => {
                self.error_notice(NoticeCause::Deciding, failure("Decision not saved", &error))
            }
            Answer::Set(_, Ok(words)) => {
                self.cure(|cause| *cause == NoticeCause::Setting);
                self.say(&words);
            }
            Answer::Set(failed, Err(error)) => self.error_notice(NoticeCause::Setting, failure(failed, &error)),
        }
    }

    fn say(&mut self, what: &str) {
        self.notice(Notice { is_error: false, what: what.to_owned(), why: String::new(), hint: String::new() });
    }

    fn look_at_jobs(&mut self) {
        for job in &mut self.jobs {
            job.look();
        }
        let (finished, running) = std::mem::take(&mut self.jobs).into_iter().partition(RunningJob::is_finished);
        self.jobs = running;
        let finished: Vec<RunningJob> = finished;
        for job in finished {
            let (by_itself, is_cancelled) = (job.by_itself, job.cx().is_cancelled());
            let (ended, notice, result) = job.finish();
            let mut problems_of = None;
            match result {
                Some(JobResult::Verified(folder, lines)) => {
                    self.last_export = Some(folder.clone());
                    self.verified = Some((folder, lines));
                }
                Some(JobResult::ImportProblems(import)) => problems_of = Some(import),
                Some(JobResult::Planned(plan)) => self.dry_run = Some(plan),
                None => {}
            }
            let kind = ended.kind;
            self.index_watch.note(kind, by_itself, is_cancelled || ended.failed);
            keep(&mut self.ended, ended);
            if let Some(import) = problems_of {
                self.problems_notice(import, notice);
            } else if !by_itself || notice.is_error {
                self.job_notice(kind, notice);
            }
        }
        if self.jobs.is_empty() {
            self.cure(|cause| *cause == NoticeCause::Running);
        }
        self.forget_notices();
    }

    fn execute(&mut self, command: Command) {
        if let Some(why) = self.read_only().filter(|_| command.writes()) {
            return self.refuse_to_write(why);
        }
        match command {
            Command::Go(route) => {
                self.opens_filter |= matches!(&route, Route::Search(query) if query.query_line().is_empty());
                self.go(route);
            }
            Command::GoToAll(route) => {
                let shows_all = matches!(route, Route::Crawl | Route::Captures { .. } | Route::Review { .. });
                self.go(route);
                self.shows_all = shows_all;
            }
            Command::Back => {
                if let Some(route) = self.history.pop() {
                    self.show(route);
                }
            }
            Command::Ask(dialog) => self.dialog = Some(dialog),
            Command::CloseDialog => {
                if self.dialog.take() == Some(Dialog::Quit) {
                    self.discards_edits = false;
                }
                self.decision = None;
                self.crawl_request = None;
                self.deferred.clear();
            }
            Command::AnswerUnsaved(answer) => self.answer_unsaved(answer),
            Command::CloseWindow => self.close_window(),
            Command::StopAndClose => self.stop_and_close(),
            Command::Find => {
                if !matches!(self.route, Route::Captures { .. } | Route::Search(_)) {
                    self.go(Route::Captures { filter: String::new() });
                }
                self.opens_filter = true;
            }
            Command::StepMatch(step) => self.step_match(step),
            Command::ToggleFacets => self.settings.facets = !self.settings.facets,
            Command::ToggleLowerPanel => self.toggle_lower_panel(),
            Command::ToggleTheme => {
                self.settings.theme = if self.shows_dark { ThemeChoice::Light } else { ThemeChoice::Dark };
            }
            Command::StepScale(step) => self.settings.step_scale(step),
            Command::Dismiss(id) => self.notices.retain(|(number, _)| *number != id),
            Command::Open { path, options } => self.open_named(path, options),
            Command::OpenWorkspace(folder) => self.open_workspace(folder),
            Command::NewWorkspace(folder) => self.make_workspace(folder),
            Command::LoadSample(folder) => self.open_sample(folder),
            Command::SaveCampaign { id, campaign } => self.save(id, campaign),
            Command::ChooseCampaign(id) => self.take_campaign(id),
            Command::AddSeeds(urls) => self.add_seeds(urls),
            Command::NewCampaign => self.new_campaign(),
            Command::BeginCampaign(place) => self.begin_campaign(place),
            Command::EditSpec(campaign) => {
                if let Some(spec) = &mut self.spec {
                    spec.put(*campaign, Instant::now());
                }
            }
            Command::UndoEdit => {
                if let Some(spec) = &mut self.spec {
                    spec.undo(Instant::now());
                }
            }
            Command::RedoEdit => {
                if let Some(spec) = &mut self.spec {
                    spec.redo(Instant::now());
                }
            }
            Command::SetGeoDatabase(path) => self.write(
                move |session| session.set_geo_database(path.as_deref()),
                |set| Answer::Set("Geolocation database not changed", set),
            ),
            Command::CompareCountries(path) => self.compared = path,
            Command::AskTableExport(rows) => {
                self.table_rows = Some(rows);
                self.dialog = Some(Dialog::WriteTable);
            }
            Command::WriteTable { rows, form, folder } => {
                self.start(JobKind::WriteTable, move |session, cx| rows.write_file(form, &folder, session, cx));
            }
            Command::ExportLinks { form, folder } => {
                self.start(JobKind::WriteLinks, move |session, cx| session.export_links(form, &folder, cx));
            }
            Command::Mark { captures, mark, note } => self.decide_or_ask(ReviewDecision { captures, mark, note }),
            Command::ConfirmMark => {
                self.dialog = None;
                if let Some(decision) = self.decision.take() {
                    self.decide(decision);
                }
            }
            Command::Judge { query, capture, judgement } => self.judge(*query, capture, judgement),
            Command::UndoMark => self.write(|session| session.undo_mark(), Answer::Marked),
            Command::RedoMark => self.write(|session| session.redo_mark(), Answer::Marked),
            Command::PauseJob(id, paused) => {
                if let Some(job) = self.jobs.iter().find(|job| job.id == id) {
                    job.cx().set_paused(paused);
                }
            }
            Command::CancelJob(id) => {
                if let Some(job) = self.jobs.iter().find(|job| job.id == id) {
                    job.cx().cancel();
                }
            }
            Command::RequestCrawl(target) => self.request_crawl(target),
            Command::ConfirmCrawl { version, fresh } => self.confirm_crawl(version, fresh),
            Command::StartCrawl(start) => self.start(JobKind::Crawl, move |session, cx| session.run_crawl(start, cx)),
            Command::RetryFailed(campaign) => {
                self.start(JobKind::Crawl, move |session, cx| session.retry_failed(campaign, cx))
            }
            Command::Import { paths, options } => {
                self.start(JobKind::Import, move |session, cx| session.import(&paths, options, cx))
            }
            Command::Locate { folder, file } => {
                self.start(JobKind::LocateFiles, move |session, cx| session.locate(&folder, file, cx))
            }
            Command::ReadProblem(wanted) => {
                self.far_record = wanted;
                self.scans.problem_record.keep_only(|id| Some(*id) == wanted);
            }
            Command::CheckFiles => self.start(JobKind::CheckFiles, |session, cx| session.check_files(cx)),
            Command::IndexTexts => self.start(JobKind::IndexTexts, |session, cx| session.index_texts(false, cx)),
            Command::BuildInlinks => self.start(JobKind::BuildInlinks, |session, cx| session.build_inlinks(false, cx)),
            Command::SetWindow(days) => {
                self.settings.window_days = days;
                self.selection_draft.window_days = days;
                if self.session().is_some() && self.read_only().is_none() {
                    // Nobody waits for the counts of a window that is left.
                    self.jobs.iter().filter(|job| job.kind == JobKind::SetWindow).for_each(|job| job.cx().cancel());
                    self.start(JobKind::SetWindow, move |session, cx| session.set_window(days, cx));
                }
            }
            Command::Select(spec) => self.start(JobKind::Select, move |session, cx| session.select(&spec, false, cx)),
            Command::Selections(act) => self.act_on_selections(act),
            Command::Searches(act) => self.act_on_searches(act),
            Command::Export { out, selection } => {
                self.last_export = Some(out.clone());
                let sign_with = self.settings.sign_with.clone();
                self.start(JobKind::Export, move |session, cx| {
                    // The keychain may ask the person.
                    let signer = match sign_with.as_str() {
                        "" => None,
                        name => Some(SigningKey::load(name, &SystemKeychain)?),
                    };
                    session.export(&selection, &out, ExportWishes { signer, ..ExportWishes::of(&selection) }, cx)
                });
            }
            Command::DryRun { out, selection } => self.start(JobKind::DryRun, move |session, cx| {
                session.dry_run_export(&selection, &out, ExportWishes::of(&selection), cx)
            }),
            Command::Verify(folder) => self.start(JobKind::Verify, move |session, cx| {
                let lines = session.verify(&folder, cx)?;
                Ok(JobReport::Verified(folder, lines))
            }),
            Command::AnswerScheduled { run, starts } => self.answer_scheduled(run, starts),
            Command::LetSchedulesRun(lets) => self.let_schedules_run(lets),
            Command::Campaigns(act) => self.act_on_campaigns(act),
            Command::EndLaunch(id) => {
                self.write(move |session| session.end_launch(id).map(|()| "Launch ended".to_owned()), Answer::Marked)
            }
        }
    }

    fn go(&mut self, route: Route) {
        if route == self.route {
            return;
        }
        if let Route::Spec(id) = &route
            && self.spec.as_ref().is_none_or(|spec| spec.id != *id && !spec.is_edited())
        {
            self.spec = None;
        }
        let left = self.show(route);
        self.history.push(left);
        if self.history.len() > HISTORY_KEPT {
            self.history.remove(0);
        }
    }

    /// Shows a page; answers with the one that was left.
    fn show(&mut self, route: Route) -> Route {
        // Another list, another row at hand; Captures finds its row again.
        if !route.is_list_of(&self.route) {
            self.follow(None);
        }
        self.shows_all = false;
        std::mem::replace(&mut self.route, route)
    }

    /// Has a worker write. `answer` hears how it went, also when it panicked:
    /// who waits for an answer always gets his own.
    pub(super) fn write<T: 'static>(
        &mut self,
        work: impl FnOnce(&Session) -> anyhow::Result<T> + Send + 'static,
        answer: impl FnOnce(anyhow::Result<T>) -> Answer + Send + 'static,
    ) {
        let Some(session) = self.session().cloned() else {
            self.no_workspace();
            return;
        };
        let (answers, wake) = (self.answers.0.clone(), self.wake.clone());
        self.writer.run(move || {
            let written = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(session.as_ref())))
                .unwrap_or_else(|_| Err(anyhow::anyhow!("internal error")));
            let _ = answers.send(answer(written));
            wake();
        });
    }

    fn start<R: Into<JobReport>>(
        &mut self,
        kind: JobKind,
        work: impl FnOnce(&Session, &JobCx) -> anyhow::Result<R> + Send + 'static,
    ) {
        let Some(session) = self.session().cloned() else {
            self.no_workspace();
            return;
        };
        let id = self.next_id;
        self.next_id += 1;
        match RunningJob::spawn(id, kind, self.wake.clone(), move |cx| Ok(work(session.as_ref(), cx)?.into())) {
            Ok(job) => {
                self.cure(|cause| matches!(cause, NoticeCause::Job(of) if *of == kind));
                self.jobs.push(job);
            }
            Err(notice) => self.job_notice(kind, notice),
        }
    }

    fn no_workspace(&mut self) {
        self.error_notice(NoticeCause::Opening, Notice { is_error: true, ..no_workspace() });
    }
}

fn keep<T>(log: &mut VecDeque<T>, entry: T) {
    if log.len() >= LOG_KEPT {
        log.pop_front();
    }
    log.push_back(entry);
}
