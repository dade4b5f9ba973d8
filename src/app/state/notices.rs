//! Causes of notices: the page that they lead to, and when an error is over.

use super::super::models::{EventKind, LaunchId, Notice, ProblemQuery};
use super::super::{FilesRoute, Route};
use super::AppState;
use crate::store::Access;
use crate::work::JobKind;

/// Why there is an error. It goes when its cause does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoticeCause {
    /// A job of this kind; until one begins again.
    Job(JobKind),
    /// No workspace is open, or one could not be opened; until one is.
    Opening,
    /// Running jobs kept another workspace closed; until they have ended.
    Running,
    /// A specification was not saved; until one is.
    Saving,
    /// A decision was not saved; until one is.
    Deciding,
    /// A setting of the workspace was not changed; until one is.
    Setting,
    /// Schedules could not be read; until they are.
    Schedules,
    /// Replay could not be started; until it is.
    Replay,
}

/// A notice's page and cause, beside its text.
#[derive(Debug, Default)]
pub(in crate::app) struct About {
    route: Option<Route>,
    cause: Option<NoticeCause>,
    /// Whether it is a warning: all was done, with problems.
    warns: bool,
    /// Whether undo takes back what it reports.
    can_undo: bool,
}

impl AppState {
    /// Shows an error until its cause is gone.
    pub fn error_notice(&mut self, cause: NoticeCause, notice: Notice) {
        self.cure(|of| *of == cause);
        let route = match &cause {
            NoticeCause::Job(kind) => Some(route_of_job(*kind)),
            NoticeCause::Saving => {
                Some(Route::Spec(self.open.spec.as_ref().and_then(|spec| spec.id).or(self.open.campaign)))
            }
            _ => None,
        };
        self.notice_about(notice, About { route, cause: Some(cause), ..About::default() });
    }

    /// Tells a person how a job ended.
    pub(super) fn job_notice(&mut self, kind: JobKind, notice: Notice) {
        if notice.is_error {
            return self.error_notice(NoticeCause::Job(kind), notice);
        }
        let can_undo = kind == JobKind::Mark;
        self.notice_about(notice, About { route: Some(route_of_job(kind)), can_undo, ..About::default() });
    }

    /// Whether undo takes back what a notice reports: of several, it is the last one.
    pub fn notice_can_undo(&self, id: u64) -> bool {
        let undoable = self.open.about.iter().filter(|(_, about)| about.can_undo).map(|(id, _)| *id);
        undoable.max() == Some(id)
    }

    /// Notes that a decision was taken back or made again: no message is about the last one any more.
    pub(super) fn forget_undoable(&mut self) {
        self.open.about.values_mut().for_each(|about| about.can_undo = false);
    }

    /// Warns a person of the problems of an import, and leads to them.
    pub(super) fn problems_notice(&mut self, import: LaunchId, notice: Notice) {
        let problems = ProblemQuery { launch: Some(import), ..ProblemQuery::default() };
        let route = Some(Route::Files(FilesRoute::Problems(problems)));
        self.notice_about(notice, About { route, warns: true, ..About::default() });
    }

    /// Whether a notice warns of something.
    pub fn notice_warns(&self, id: u64) -> bool {
        self.open.about.get(&id).is_some_and(|about| about.warns)
    }

    /// Shows each anomaly of the running crawl once; of those that
    /// came together only the last of its kind is shown.
    pub(super) fn report_anomalies(&mut self) {
        let Some(session) = self.session() else { return };
        let (events, shown) = session.anomalies(self.open.anomalies_shown);
        self.open.anomalies_shown = shown;
        for kind in EventKind::ALL {
            let of_kind: Vec<_> = events.iter().filter(|event| event.kind == kind).collect();
            let Some((last, others)) = of_kind.split_last() else { continue };
            let about = if last.url.is_empty() { &last.host } else { &last.url };
            let why = match others.len() {
                0 => about.clone(),
                others => format!("{about} (and {others} more of this kind)").trim().to_owned(),
            };
            let what = format!("Crawl: {}", last.text);
            let notice = Notice { is_error: false, what, why, hint: String::new() };
            self.notice_about(notice, About { route: Some(Route::Crawl), ..About::default() });
        }
    }

    /// Tells a person something, with the page that shows it.
    pub(in super::super) fn notice_leading_to(&mut self, notice: Notice, route: Route) {
        self.notice_about(notice, About { route: Some(route), ..About::default() });
    }

    fn notice_about(&mut self, notice: Notice, about: About) {
        self.open.about.insert(self.next_id, about);
        self.notice(notice);
    }

    /// The page of a notice's subject; none when that is on screen.
    pub fn notice_route(&self, id: u64) -> Option<&Route> {
        self.open.about.get(&id)?.route.as_ref().filter(|route| !route.is_list_of(&self.open.route))
    }

    /// Sends the command of `action`, or shows a notice of why it cannot be carried out.
    pub fn act(&mut self, action: super::super::Action) {
        match super::super::resolve(action, self) {
            Ok(command) => self.send(command),
            Err(why) => self.notice(Notice {
                is_error: false,
                what: format!("{} is not available now", action.label_now(self)),
                why: why.to_owned(),
                hint: String::new(),
            }),
        }
    }

    /// Why nothing can be written into the open workspace; none where it can.
    pub fn read_only(&self) -> Option<&'static str> {
        match self.session()?.workspace.access() {
            Access::Write => None,
            Access::ReadOnly(why) => Some(why.brief()),
        }
    }

    /// Says once, for a while, that nothing can be written.
    pub(super) fn refuse_to_write(&mut self, why: &str) {
        const WHAT: &str = "Nothing was changed";
        let now = crate::uri::CaptureDate::now();
        let is_on_screen = |(date, notice): &(crate::uri::CaptureDate, Notice)| {
            notice.what == WHAT && notice.why == why && now.millis() - date.millis() < REFUSAL_SHOWN_MS
        };
        if !self.open.log.back().is_some_and(is_on_screen) {
            let (what, why) = (WHAT.to_owned(), why.to_owned());
            self.notice(Notice { is_error: false, what, why, hint: String::new() });
        }
    }

    /// Takes errors away whose cause has gone.
    pub(super) fn cure(&mut self, is_gone: impl Fn(&NoticeCause) -> bool) {
        let about = &self.open.about;
        self.open.notices.retain(|(id, _)| {
            let cause = about.get(id).and_then(|about| about.cause.as_ref());
            !cause.is_some_and(&is_gone)
        });
    }

    /// Forgets about notices that went by.
    pub(super) fn forget_notices(&mut self) {
        let first = self.open.notices.first().map_or(self.next_id, |(id, _)| *id);
        // Messages that go by are still shown for a while.
        self.open.about.retain(|id, _| *id + ABOUT_KEPT >= first);
    }
}

/// Milliseconds for which the message that nothing can be written is on screen: keys that decide are
/// pressed one after the other.
const REFUSAL_SHOWN_MS: i64 = 5_000;

/// Notices whose page is remembered after they were taken over by the window.
const ABOUT_KEPT: u64 = 500;

/// The page that shows what a job did.
pub fn route_of_job(kind: JobKind) -> Route {
    use JobKind as Kind;
    match kind {
        Kind::Crawl | Kind::ScheduledCrawl | Kind::Patch | Kind::ReadSources | Kind::DiscardTrial => Route::Crawl,
        Kind::Import | Kind::AssignImport => Route::Files(FilesRoute::Imports(None)),
        Kind::LocateFiles | Kind::CheckFiles => Route::Files(FilesRoute::Files(None)),
        Kind::BuildInlinks | Kind::LoadInlinks | Kind::WriteLinks | Kind::SetWindow => {
            Route::Links { target: String::new() }
        }
        Kind::Select | Kind::Export | Kind::DryRun | Kind::Verify => Route::Select,
        Kind::Mark | Kind::Collect | Kind::ImportAnnotations | Kind::WriteTable | Kind::Backup | Kind::ReplayPages => {
            Route::Jobs
        }
        Kind::IndexTexts => Route::Search(crate::app::models::SearchQuery::default()),
        Kind::CheckPages => Route::Review { filter: "finding:problem".to_owned() },
        Kind::Analyse => Route::Entities { entity: String::new() },
    }
}
