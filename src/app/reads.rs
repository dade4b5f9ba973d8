//! The questions the window asks, each with its cache.

use super::Desk;
use super::loader::{Cache, ReadCx};
use super::models::*;
use super::{MovedQuery, RowQuery, SeenListQuery};
use crate::campaign::Campaign;
use crate::scope::{Derivation, Trace};
use crate::work::{CrawlPlan, CrawlRequest};
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// What changes without a change of the catalogue, such as free disk space
/// or the figures of a running crawl, is asked again after this.
const LIVE: Duration = Duration::from_millis(500);
const SLOW: Duration = Duration::from_secs(10);

/// URLs run through edited rules, or why they could not be parsed.
pub type ScopeAnswers = Vec<Result<ScopeTest, String>>;

/// A value as a part of a question: equal is only what is the same.
/// Questions are kept for long and long answers are not kept by them: once an
/// answer is shown nowhere, what was asked of it has none.
pub struct Same<T>(Weak<T>);

impl<T> Same<T> {
    /// Of this answer.
    pub fn of(answer: &Arc<T>) -> Self {
        Self(Arc::downgrade(answer))
    }

    pub(super) fn answer(&self) -> anyhow::Result<Arc<T>> {
        self.0.upgrade().ok_or_else(|| anyhow::anyhow!("this list was replaced by a newer one"))
    }
}

impl<T> Clone for Same<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> PartialEq for Same<T> {
    fn eq(&self, other: &Self) -> bool {
        Weak::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Eq for Same<T> {}

impl<T> Hash for Same<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Weak::as_ptr(&self.0).hash(state);
    }
}

/// Rows of a long list that are read at once.
pub const LIST_PAGE: u64 = 200;

/// On what grounds URLs may be collected, or why they could not be parsed.
pub type GroundAnswers = Vec<Result<Derivation, String>>;

macro_rules! reads {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $kind:ty),*) -> $answer:ty, $stale:expr, $load:expr;)*) => {
        /// All caches, and what they share.
        pub struct Reads {
            cx: ReadCx,
            $($name: Cache<($($kind,)*), $answer>,)*
        }

        impl Reads {
            /// Caches that ask as `cx` says.
            pub fn new(cx: ReadCx) -> Self {
                Self { cx, $($name: Cache::default(),)* }
            }

            /// Who answers, whom to wake.
            pub fn cx(&mut self) -> &mut ReadCx {
                &mut self.cx
            }

            /// The open workspace.
            pub fn desk(&self) -> Option<&Arc<dyn Desk>> {
                self.cx.desk.as_ref()
            }

            /// Forgets every answer.
            pub fn clear(&mut self) {
                $(self.$name.clear();)*
            }

            /// Whether a worker still has a question.
            #[cfg(all(test, feature = "gui"))]
            pub(super) fn is_waited_for(&self) -> bool {
                false $(|| self.$name.is_waited_for())*
            }

            $($(#[$doc])*
            pub fn $name(&mut self, $($arg: $kind),*) -> Loaded<Arc<$answer>> {
                self.$name.get(&self.cx, ($($arg,)*), $stale, $load)
            })*
        }
    };
}

reads! {
    /// See [`Desk::workspace`].
    workspace() -> WorkspaceInfo, Some(SLOW), |desk, ()| desk.workspace();
    /// See [`Desk::campaigns`].
    campaigns() -> Vec<CampaignRow>, None, |desk, ()| desk.campaigns();
    /// See [`Desk::campaign`].
    campaign(id: CampaignId) -> CampaignPage, None, |desk, (id,)| desk.campaign(*id);
    /// See [`Desk::crawl`]; asked twice a second.
    crawl(campaign: Option<CampaignId>, launches: Launches) -> CrawlPage, Some(LIVE),
        |desk, (campaign, launches)| desk.crawl(*campaign, *launches);
    /// See [`Desk::crawl_plan`].
    crawl_plan(of: Same<CrawlRequest>) -> CrawlPlan, None, |desk, (of,)| desk.crawl_plan(of.answer()?.as_ref());
    /// See [`Desk::captures`].
    captures(query: CaptureQuery) -> CapturePage, None, |desk, (query,)| desk.captures(query);
    /// Those of these captures that match a query; see [`Desk::capture_ids`].
    captures_among(query: CaptureQuery, ids: Vec<CaptureId>) -> Vec<CaptureId>, None,
        |desk, (query, ids)| desk.capture_ids(query, Some(ids));
    /// See [`Desk::tab_counts`].
    tab_counts(query: CaptureQuery) -> TabCounts, None, |desk, (query,)| desk.tab_counts(query);
    /// See [`Desk::detail`].
    detail(id: CaptureId, days: u32) -> CaptureDetail, None, |desk, (id, days)| desk.detail(*id, *days);
    /// See [`Desk::content`].
    content(id: CaptureId) -> CaptureContent, None, |desk, (id,)| desk.content(*id);
    /// See [`Desk::inlinks`].
    inlinks(id: CaptureId, days: u32) -> InlinkPage, None, |desk, (id, days)| desk.inlinks(*id, *days);
    /// See [`Desk::inlinks_of`].
    inlinks_of(target: String, days: u32) -> InlinkPage, None, |desk, (target, days)| desk.inlinks_of(target, *days);
    /// See [`super::LinkDesk::link_set`]; folders are filled without the catalogue.
    link_set(folder: Option<PathBuf>) -> Option<LinkSet>, Some(SLOW), |desk, (folder,)| desk.link_set(folder.as_deref());
    /// See [`super::LinkDesk::inlinks_in`].
    inlinks_in(folder: PathBuf, page: String) -> InlinkPage, Some(SLOW), |desk, (folder, page)| desk.inlinks_in(folder, page);
    /// See [`Desk::outlinks`].
    outlinks(id: CaptureId) -> Vec<OutlinkRow>, None, |desk, (id,)| desk.outlinks(*id);
    /// See [`Desk::anchors`].
    anchors(id: CaptureId, days: u32) -> Vec<AnchorRow>, None, |desk, (id, days)| desk.anchors(*id, *days);
    /// See [`Desk::top_anchors`].
    top_anchors(limit: u64) -> Vec<AnchorRow>, None, |desk, (limit,)| desk.top_anchors(*limit);
    /// See [`Desk::prospects`].
    prospects(query: ProspectQuery) -> ProspectPage, None, |desk, (query,)| desk.prospects(query);
    /// See [`Desk::seen`].
    seen(query: SeenQuery) -> SeenPage, None, |desk, (query,)| desk.seen(query);
    /// See [`Desk::events`].
    events(query: EventQuery) -> EventPage, None, |desk, (query,)| desk.events(query);
    /// See [`Desk::why`].
    why(seen: i64) -> Trace, None, |desk, (seen,)| desk.why(*seen);
    /// The row of a URL ever seen, with what became of it.
    seen_one(seen: i64) -> Option<SeenRow>, None, |desk, (seen,)| Ok(desk.seen_rows(&[*seen])?.pop());
    /// See [`Desk::selection`].
    selection(campaign: CampaignId) -> SelectionPage, None, |desk, (campaign,)| desk.selection(*campaign);
    /// See [`Desk::files`]; files come and go without the catalogue.
    files() -> Vec<FileRow>, Some(SLOW), |desk, ()| desk.files();
    /// See [`Desk::file`].
    file(id: FileId) -> FileRow, Some(SLOW), |desk, (id,)| desk.file(*id);
    /// See [`Desk::file_of_capture`].
    file_of_capture(id: CaptureId) -> Option<FileRow>, Some(SLOW), |desk, (id,)| desk.file_of_capture(*id);
    /// See [`Desk::problems`].
    problems(query: ProblemQuery) -> ProblemPage, None, |desk, (query,)| desk.problems(query);
    /// See [`Desk::problem`].
    problem(id: i64) -> ProblemDetail, Some(SLOW), |desk, (id,)| desk.problem(*id);
    /// See [`Desk::imports`].
    imports() -> Vec<ImportRow>, None, |desk, ()| desk.imports();
    /// See [`Desk::passed_paths`].
    passed_paths(launch: LaunchId) -> Vec<String>, None, |desk, (launch,)| desk.passed_paths(*launch);
    /// See [`Desk::imported_files`].
    imported_files(launch: LaunchId) -> Vec<ImportedFile>, None, |desk, (launch,)| desk.imported_files(*launch);
    /// See [`Desk::geo_choice`].
    geo_choice() -> Option<GeoChoice>, Some(SLOW), |desk, ()| desk.geo_choice();
    /// URLs of a list that a number of a specification counts.
    seen_list(query: SeenListQuery) -> Vec<SeenRow>, None, |desk, (query,)| query.read(desk);
    /// See [`Desk::what_if_rows`].
    moved_rows(query: MovedQuery) -> Vec<MovedRow>, None, |desk, (query,)| query.read(desk);
    /// See [`Desk::what_if_hosts`].
    what_if_hosts(of: Same<WhatIfAnswer>) -> Vec<MovedHost>, None,
        |desk, (of,)| desk.what_if_hosts(&of.answer()?.figures);
    /// What the edited rules of an answer say of a seen URL.
    what_if_trace(of: Same<WhatIfAnswer>, seen: i64) -> Trace, None, load_what_if_trace;
    /// See [`Desk::selected_hosts`].
    selected_hosts(campaign: CampaignId, selected: bool) -> Vec<SelectedHost>, None,
        |desk, (campaign, selected)| desk.selected_hosts(*campaign, *selected);
    /// See [`Desk::job_history`].
    job_history(limit: u64) -> Vec<JobRow>, None, |desk, (limit,)| desk.job_history(*limit);
    /// See [`super::Plans::scheduled_runs`].
    scheduled_runs(campaign: CampaignId, limit: u64) -> Vec<ScheduledRun>, None,
        |desk, (campaign, limit)| desk.scheduled_runs(*campaign, *limit);
    /// See [`super::Plans::permissions`]; the campaign travels as JSON.
    permissions(campaign: String, urls: Vec<String>) -> GroundAnswers, None, run_permissions;
    /// See [`Desk::scope_test`]; the campaign travels as JSON, since only text can be a key.
    scope_test(of: Option<CampaignId>, campaign: String, urls: Vec<String>) -> ScopeAnswers, None, run_scope_test;
}

fn run_scope_test(
    desk: &dyn Desk,
    (of, campaign, urls): &(Option<CampaignId>, String, Vec<String>),
) -> anyhow::Result<ScopeAnswers> {
    let campaign: Campaign = serde_json::from_str(campaign)?;
    desk.scope_test(*of, &campaign, urls)
}

fn load_what_if_trace(desk: &dyn Desk, (of, seen): &(Same<WhatIfAnswer>, i64)) -> anyhow::Result<Trace> {
    desk.what_if_trace(&of.answer()?.edited, *seen)
}

fn run_permissions(desk: &dyn Desk, (campaign, urls): &(String, Vec<String>)) -> anyhow::Result<GroundAnswers> {
    let campaign: Campaign = serde_json::from_str(campaign)?;
    desk.permissions(&campaign, urls)
}
