//! The state of a window: what is open, what is shown, what runs.
//!
//! In: [`Command`]s through [`AppState::send`], answers of workers through
//! [`AppState::tick`]. Out: read models ([`AppState::reads`]), notices, jobs.
//!
//! Invariants: nothing here touches disk or network on the calling thread;
//! writes are carried out in the order they were sent.

mod campaigns;
mod entities;
pub(super) mod index;
mod jobs;
mod links;
mod new_campaign;
pub(super) mod notices;
mod open;
mod patches;
mod replay;
mod review;
mod saves;
mod scans;
mod schedules;
mod searches;
mod selections;
mod sources;
mod trials;
mod unsaved;
mod view;

pub use campaigns::CampaignAct;
pub use new_campaign::CampaignPlace;
pub use notices::{NoticeCause, route_of_job};
pub use open::RecentWorkspace;
pub use replay::has_clean_browser;
pub use review::ReviewAct;
pub use saves::NewerVersion;
pub use schedules::ScheduleWatch;
pub use searches::SearchAct;
pub use selections::SelectionAct;
pub(super) use sources::SourceChecks;
pub use sources::{RecognisedAs, SourceAct, SourceAdding, SourceTestState, TokenText};
pub use trials::TrialAct;
pub use view::SelectLead;

use crate::work::models::ProblemId;
use open::{AfterOpen, OpenedWorkspace};

use super::decision_target::Focus;
use super::loader::{Order, Pool, ReadCx, failure, no_workspace};
use super::models::*;
use super::open_workspace::OpenWorkspace;
use super::reads::Reads;
use super::selected_rows::ReviewDecision;
use super::settings::{Settings, ThemeChoice};
use super::{Command, Dialog, FilesRoute, Route};
use crate::app::current_jobs::RunningJob;
use crate::jobs::Wake;
use crate::keys::{Keychain, SigningKey, SystemKeychain};
use crate::work::{DueRuns, ExportWishes, JobKind, JobReport, OpenTarget, Session, Workspaces};
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::cell::Cell;
use std::collections::VecDeque;
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
/// Time between two looks at running jobs.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// The answer of a worker after a write.
pub(super) enum Answer {
    /// The folder that was to be opened, what follows, and what came of it.
    Opened(PathBuf, AfterOpen, anyhow::Result<OpenedWorkspace>),
    /// The type of a path that a person opens, and whether archives there are copied.
    Named(PathBuf, ImportOptions, anyhow::Result<OpenTarget>),
    /// Whether a workspace was deleted in which nothing was kept.
    Removed(PathBuf, bool),
    /// Whether a workspace that was opened lately is there.
    Recent(PathBuf, bool),
    /// A save, by its number; what was saved, of which campaign, as which version.
    Saved(u64, anyhow::Result<saves::SavedDraft>),
    Marked(anyhow::Result<String>),
    /// A decision, with its captures where it was made on the page Review: its
    /// message, where it was of more than one.
    Kept(Vec<CaptureId>, anyhow::Result<Option<String>>),
    /// A setting of the workspace: the message of a failure, and the result.
    Set(&'static str, anyhow::Result<String>),
    /// A write whose result its row shows: the message of a failure, and the result.
    Shown(&'static str, anyhow::Result<()>),
    Schedules(anyhow::Result<DueRuns>),
    /// Whether there is something to index.
    ToFollow(anyhow::Result<index::FollowUps>),
    /// One of these of the workspace with this generation, which another may have replaced since.
    OfWorkspace(u64, Box<Self>),
}

/// The state of a window.
pub struct AppState {
    opener: Arc<Workspaces>,
    wake: Wake,
    writer: Pool,
    answers: (Sender<Answer>, Receiver<Answer>),
    outbox: VecDeque<Command>,
    next_id: u64,
    opening: Option<PathBuf>,
    /// The workspace made for a campaign that was given up, which is being deleted.
    removing: Option<PathBuf>,
    /// Jobs of workspaces that were left, which have not ended yet.
    left_jobs: Vec<RunningJob>,
    /// Read models, with what they are of: they are replaced together with [`AppState::open`].
    pub reads: Reads,
    /// The state that belongs to the open workspace.
    pub open: OpenWorkspace,
    /// The settings of the person.
    pub settings: Settings,
    /// Commands sent lately, the newest last.
    pub(super) sent: VecDeque<Command>,
    pub(super) recent: Vec<RecentWorkspace>,
    pub(super) closing: bool,
    pub(super) shows_dark: bool,
    /// Where tokens of sources are kept.
    keychain: Arc<dyn Keychain>,
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
        let mut state = Self {
            opener,
            wake,
            writer: Pool::new("write", 1, Order::OldestFirst)?,
            answers: unbounded(),
            outbox: VecDeque::new(),
            next_id: 1,
            opening: None,
            removing: None,
            left_jobs: Vec::new(),
            reads: Reads::new(cx),
            open: OpenWorkspace::default(),
            settings,
            sent: VecDeque::new(),
            recent: Vec::new(),
            closing: false,
            shows_dark: false,
            keychain: Arc::new(SystemKeychain),
        };
        state.replace_workspace(None);
        state.check_recent();
        Ok(state)
    }

    /// The open workspace.
    pub fn session(&self) -> Option<&Arc<Session>> {
        self.reads.session()
    }

    /// Whether an answer is on its way, so that what is shown will change.
    pub fn is_waited_for(&self) -> bool {
        self.opening.is_some()
            || self.removing.is_some()
            || self.reads.is_waited_for()
            || self.open.scans.is_waited_for()
            || self.open.source_checks.is_running()
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

    /// Whether commands wait that are not carried out yet.
    pub fn has_outbox(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// Tells a person something.
    pub fn notice(&mut self, notice: Notice) {
        keep(&mut self.open.log, (crate::uri::CaptureDate::now(), notice.clone()));
        self.open.notices.push((self.next_id, notice));
        self.next_id += 1;
    }

    /// Whether Back leads somewhere.
    pub fn can_go_back(&self) -> bool {
        !self.open.history.is_empty()
    }

    /// Takes in what workers answered and carries out the commands that were sent.
    /// Never blocks.
    pub fn tick(&mut self) {
        while let Ok(answer) = self.answers.1.try_recv() {
            self.handle_answer(answer);
        }
        self.poll_jobs();
        self.poll_sources();
        self.report_anomalies();
        self.watch_schedules();
        self.watch_index();
        while let Some(command) = self.outbox.pop_front() {
            keep(&mut self.sent, command.clone());
            if !self.open.discards_edits && self.loses_edits(&command) {
                self.confirm_edits(command);
            } else {
                self.execute(command);
            }
        }
        self.leave_unused_workspace();
        let is_seen = matches!(self.open.route, Route::Files(_)) && self.panel_is_open();
        let focus = self.focus();
        let shown = |id: &ProblemId| is_seen && focus == Some(Focus::Problem(*id));
        self.open.scans.problem_record.keep_only(shown);
        self.open.far_record = self.open.far_record.filter(shown);
        self.open.scans.import_records.keep_only(|(launch, path)| match &self.open.route {
            Route::Files(FilesRoute::Records(shown, of)) => (shown, of) == (launch, path),
            _ => false,
        });
        self.rest_link_scans();
        self.refresh_what_if();
    }

    /// The time until [`AppState::tick`] has to be called again without a wake-up.
    pub fn next_tick(&mut self) -> Option<Duration> {
        let later = self.reads.cx().later.take();
        let poll = self.is_at_work().then_some(POLL_INTERVAL);
        let due = self.session().is_some().then(|| self.open.schedules.next_poll());
        later.into_iter().chain(poll).chain(due).min()
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
            Answer::Marked(Ok(text)) => self.notify(&text),
            Answer::Kept(reviewed, Ok(summary)) => {
                self.cure(|cause| *cause == NoticeCause::Deciding);
                let is_new = |id: &CaptureId| !self.open.reviewed.contains(id);
                let new: Vec<CaptureId> = reviewed.into_iter().filter(is_new).collect();
                self.open.reviewed.extend(new);
                if let Some(summary) = summary {
                    self.notify(&summary);
                }
            }
            Answer::Schedules(due) => self.take_in_schedules(due),
            Answer::ToFollow(found) => self.take_in_follow_ups(found),
            Answer::OfWorkspace(generation, answer) if generation == self.reads.generation() => {
                self.handle_answer(*answer);
            }
            Answer::OfWorkspace(_, answer) => self.handle_late_answer(*answer),
            Answer::Marked(Err(error)) | Answer::Kept(_, Err(error)) => {
                self.error_notice(NoticeCause::Deciding, failure("Decision not saved", &error))
            }
            Answer::Set(_, Ok(text)) => {
                self.cure(|cause| *cause == NoticeCause::Setting);
                self.notify(&text);
            }
            Answer::Shown(_, Ok(())) => self.cure(|cause| *cause == NoticeCause::Setting),
            Answer::Set(failed, Err(error)) | Answer::Shown(failed, Err(error)) => {
                self.error_notice(NoticeCause::Setting, failure(failed, &error))
            }
        }
    }

    /// Takes in the result of a write into a workspace that was left meanwhile: it changes nothing of the one
    /// that is open, but a notice shows what was not kept.
    fn handle_late_answer(&mut self, answer: Answer) {
        let (what, error) = match answer {
            Answer::Saved(_, Err(error)) => ("Specification not saved", error),
            Answer::Marked(Err(error)) | Answer::Kept(_, Err(error)) => ("Decision not saved", error),
            Answer::Set(failed, Err(error)) | Answer::Shown(failed, Err(error)) => (failed, error),
            _ => return,
        };
        self.notice(failure(&format!("{what} in the workspace that was open before"), &error));
    }

    fn notify(&mut self, what: &str) {
        self.notice(Notice { is_error: false, what: what.to_owned(), why: String::new(), hint: String::new() });
    }

    fn execute(&mut self, command: Command) {
        if let Some(why) = self.read_only().filter(|_| command.writes()) {
            return self.refuse_to_write(why);
        }
        match command {
            Command::Go(route) => {
                self.open.opens_filter |= matches!(&route, Route::Search(query) if query.query_line().is_empty());
                self.go(route);
            }
            Command::GoToAll(route) => {
                let shows_all = matches!(route, Route::Crawl | Route::Captures { .. } | Route::Review { .. });
                self.go(route);
                self.open.shows_all = shows_all;
            }
            Command::ShowRows(rows) => self.show_rows(rows),
            Command::Back => {
                if let Some(route) = self.open.history.pop() {
                    self.show(route);
                }
            }
            Command::OpenDialog(dialog) => self.open.dialog = Some(dialog),
            Command::CloseDialog => {
                if self.open.dialog.take() == Some(Dialog::Quit) {
                    self.open.discards_edits = false;
                }
                self.open.decision = None;
                self.open.crawl_request = None;
                self.open.deferred.clear();
            }
            Command::AnswerUnsaved(answer) => self.answer_unsaved(answer),
            Command::CloseWindow => self.close_window(),
            Command::StopAndClose => self.stop_and_close(),
            Command::Find => {
                if !matches!(self.open.route, Route::Captures { .. } | Route::Search(_)) {
                    self.go(Route::Captures { filter: String::new() });
                }
                self.open.opens_filter = true;
            }
            Command::StepMatch(step) => self.step_match(step),
            Command::OpenInBrowser(capture) => self.open_in_browser(capture),
            Command::OpenInCleanBrowser(capture) => self.open_in_clean_browser(capture),
            Command::ToggleFacets => self.settings.facets = !self.settings.facets,
            Command::ToggleLowerPanel => self.toggle_lower_panel(),
            Command::ToggleTheme => {
                self.settings.theme = if self.shows_dark { ThemeChoice::Light } else { ThemeChoice::Dark };
            }
            Command::StepScale(step) => self.settings.step_scale(step),
            Command::Dismiss(id) => self.open.notices.retain(|(number, _)| *number != id),
            Command::Open { path, options } => self.open_named(path, options),
            Command::OpenWorkspace(folder) => self.open_workspace(folder),
            Command::NewWorkspace(folder) => self.make_workspace(folder),
            Command::LoadSample(folder) => self.open_sample(folder),
            Command::SaveCampaign { id, campaign } => self.save(id, campaign),
            Command::ChooseCampaign(id) => self.take_campaign(id),
            Command::AddSeeds(urls) => self.add_seeds(urls),
            Command::AddTerms(terms) => self.add_terms(terms),
            Command::AddRules(rules) => self.add_rules(rules),
            Command::NewCampaign => self.new_campaign(),
            Command::BeginCampaign(place) => self.begin_campaign(place),
            Command::EditSpec(campaign) => {
                if let Some(spec) = &mut self.open.spec {
                    spec.put(*campaign, Instant::now());
                }
            }
            Command::UndoEdit => {
                if let Some(spec) = &mut self.open.spec {
                    spec.undo(Instant::now());
                }
            }
            Command::RedoEdit => {
                if let Some(spec) = &mut self.open.spec {
                    spec.redo(Instant::now());
                }
            }
            Command::SetGeoDatabase(path) => self.write(
                move |session| session.set_geo_database(path.as_deref()),
                |set| Answer::Set("Geolocation database not changed", set),
            ),
            Command::CompareCountries(path) => self.open.compared = path,
            Command::OpenTableExport(rows) => {
                self.open.table_rows = Some(rows);
                self.open.dialog = Some(Dialog::WriteTable);
            }
            Command::WriteTable { rows, form, folder } => {
                self.start(JobKind::WriteTable, move |session, cx| rows.write_file(form, &folder, session, cx));
            }
            Command::ExportLinks { form, folder } => {
                self.start(JobKind::WriteLinks, move |session, cx| session.export_links(form, &folder, cx));
            }
            Command::Mark { captures, mark, note } => {
                self.decide_or_confirm(ReviewDecision { captures, mark, note, detail: ActDetail::default() });
            }
            Command::Review(act) => self.act_on_review(act),
            Command::ConfirmMark => {
                self.open.dialog = None;
                if let Some(decision) = self.open.decision.take() {
                    self.decide(decision);
                }
            }
            Command::Judge { query, capture, judgement } => self.judge(*query, capture, judgement),
            Command::UndoMark => {
                self.forget_undoable();
                self.write(|session| session.undo_mark(), Answer::Marked);
            }
            Command::RedoMark => {
                self.forget_undoable();
                self.write(|session| session.redo_mark(), Answer::Marked);
            }
            Command::PauseJob(id, paused) => {
                if let Some(job) = self.open.jobs.iter().find(|job| job.id == id) {
                    job.cx().set_paused(paused);
                }
            }
            Command::CancelJob(id) => {
                if let Some(job) = self.open.jobs.iter().find(|job| job.id == id) {
                    job.cx().cancel();
                }
            }
            Command::RequestCrawl(target) => self.request_crawl(target),
            Command::ConfirmCrawl { version, fresh } => self.confirm_crawl(version, fresh),
            Command::StartCrawl(start) => self.start(JobKind::Crawl, move |session, cx| session.run_crawl(start, cx)),
            Command::ApplyVersion(campaign) => self.write(
                move |session| {
                    let version = session.apply_version(campaign)?;
                    Ok(format!("The crawl now uses version {version}"))
                },
                |done| Answer::Set("Version not applied", done),
            ),
            Command::ResumeHost(campaign, host) => self.write(
                move |session| {
                    session.resume_host(campaign, &host)?;
                    Ok(format!("{host} is no longer deferred"))
                },
                |done| Answer::Set("Host still deferred", done),
            ),
            Command::RetryFailed(campaign) => {
                self.start(JobKind::Crawl, move |session, cx| session.retry_failed(campaign, cx))
            }
            Command::Import { paths, options } => {
                self.start(JobKind::Import, move |session, cx| session.import(&paths, options, cx))
            }
            Command::Locate { folder, file } => {
                self.start(JobKind::LocateFiles, move |session, cx| session.locate(&folder, file, cx))
            }
            Command::ReadProblem(problem) => {
                self.open.far_record = problem;
                self.open.scans.problem_record.keep_only(|id| Some(*id) == problem);
            }
            Command::CheckFiles => self.start(JobKind::CheckFiles, |session, cx| session.check_files(cx)),
            Command::IndexTexts => self.start(JobKind::IndexTexts, |session, cx| session.index_texts(false, cx)),
            Command::Analyse => {
                self.start(JobKind::Analyse, |session, cx| session.analyse(&crate::work::AnalysisInputs::default(), cx))
            }
            Command::BuildInlinks => self.start(JobKind::BuildInlinks, |session, cx| session.build_inlinks(false, cx)),
            Command::SetWindow(days) => {
                self.settings.window_days = days;
                self.open.selection_draft.window_days = days;
                if self.session().is_some() && self.read_only().is_none() {
                    // Nobody waits for the counts of a window that is left.
                    self.open
                        .jobs
                        .iter()
                        .filter(|job| job.kind == JobKind::SetWindow)
                        .for_each(|job| job.cx().cancel());
                    self.start(JobKind::SetWindow, move |session, cx| session.set_window(days, cx));
                }
            }
            Command::Select(spec) => self.start(JobKind::Select, move |session, cx| session.select(&spec, false, cx)),
            Command::Selections(act) => self.act_on_selections(act),
            Command::Searches(act) => self.act_on_searches(act),
            Command::PutTogether { name, target } => self.put_together(name, target),
            Command::TakeApart { name } => self.take_apart(name),
            Command::Export { out, selection } => {
                self.open.last_export = Some(out.clone());
                let sign_with = self.settings.sign_with.clone();
                self.start(JobKind::Export, move |session, cx| {
                    // The keychain may open a dialog.
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
            Command::Trials(act) => self.act_on_trials(act),
            Command::PlanPatch(source) => self.plan_patch(source),
            Command::Patch { campaign, urls, captures } => self.patch(campaign, urls, captures),
            Command::Sources(act) => self.act_on_sources(act),
            Command::EndLaunch(id) => {
                self.write(move |session| session.end_launch(id).map(|()| "Launch ended".to_owned()), Answer::Marked)
            }
        }
    }

    fn go(&mut self, route: Route) {
        if route == self.open.route {
            return;
        }
        if let Route::Spec(id) = &route
            && self.open.spec.as_ref().is_none_or(|spec| spec.id != *id && !spec.is_edited())
        {
            self.open.spec = None;
        }
        let left = self.show(route);
        self.open.history.push(left);
        if self.open.history.len() > HISTORY_KEPT {
            self.open.history.remove(0);
        }
    }

    /// Shows a page; answers with the one that was left.
    fn show(&mut self, route: Route) -> Route {
        // Another list, another current row; Captures finds its row again.
        if !route.is_list_of(&self.open.route) {
            self.follow(None);
        }
        self.open.shows_all = false;
        std::mem::replace(&mut self.open.route, route)
    }

    /// Has a worker write. `answer` gets the result, also when it panicked:
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
        let (answers, wake, generation) = (self.answers.0.clone(), self.wake.clone(), self.reads.generation());
        self.writer.run(move || {
            let written = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(session.as_ref())))
                .unwrap_or_else(|_| Err(anyhow::anyhow!("internal error")));
            let _ = answers.send(Answer::OfWorkspace(generation, Box::new(answer(written))));
            wake();
        });
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
