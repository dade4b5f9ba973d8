//! The queries of the window, each with its cache.

use super::loader::{Cache, ReadCx};
use super::models::*;
use super::tried_selection::{TriedSelection, try_selection};
use super::{MovedQuery, RowQuery, SeenListQuery};
use crate::campaign::Campaign;
use crate::jobs::JobCx;
use crate::scope::{Derivation, Trace};
use crate::work;
use crate::work::models::SeenId;
use crate::work::{CrawlPlan, CrawlRequest, QueuedPlace, Session};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// Age after which values that change without the catalogue, such as free disk space
/// or the figures of a running crawl, are loaded again.
const LIVE: Duration = Duration::from_millis(500);
const SLOW: Duration = Duration::from_secs(10);

/// URLs of a queue that are shown under each order.
const QUEUE_SHOWN: usize = 50;

/// URLs run through edited rules, or why they could not be parsed.
pub type ScopeAnswers = Vec<Result<ScopeTest, String>>;

/// A value as a part of a question: equal is only what is the same.
/// Questions are kept for long and long answers are not kept by them: once an
/// answer is shown nowhere, its queries have none.
pub struct ByIdentity<T>(Weak<T>);

impl<T> ByIdentity<T> {
    /// A key for this answer.
    pub fn of(answer: &Arc<T>) -> Self {
        Self(Arc::downgrade(answer))
    }

    pub(super) fn answer(&self) -> anyhow::Result<Arc<T>> {
        self.0.upgrade().ok_or_else(|| anyhow::anyhow!("this list was replaced by a newer one"))
    }
}

impl<T> Clone for ByIdentity<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> PartialEq for ByIdentity<T> {
    fn eq(&self, other: &Self) -> bool {
        Weak::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Eq for ByIdentity<T> {}

impl<T> Hash for ByIdentity<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Weak::as_ptr(&self.0).hash(state);
    }
}

/// Rows of a long list that are read at once.
pub const LIST_PAGE: u64 = 200;

/// Best and worst captures of a request that are shown.
const SAMPLED: usize = 10;

/// On what grounds URLs may be collected, or why they could not be parsed.
pub type GroundAnswers = Vec<Result<Derivation, String>>;

macro_rules! reads {
    ($($(#[$doc:meta])* $name:ident $([$kept:literal])? ($($arg:ident: $kind:ty),*) -> $answer:ty, $stale:expr, $load:expr;)*) => {
        /// The caches of all queries, with the context that they share.
        pub struct Reads {
            cx: ReadCx,
            answers: ReadAnswers,
        }

        /// Answers of one workspace.
        #[derive(Default)]
        struct ReadAnswers {
            $($name: Cache<($($kind,)*), $answer $(, $kept)?>,)*
        }

        impl Reads {
            /// Empty caches that load by `cx`.
            pub fn new(cx: ReadCx) -> Self {
                Self { cx, answers: ReadAnswers::default() }
            }

            /// The context that the caches share.
            pub fn cx(&mut self) -> &mut ReadCx {
                &mut self.cx
            }

            /// The open workspace.
            pub fn session(&self) -> Option<&Arc<Session>> {
                self.cx.session.as_ref()
            }

            /// Asks another workspace from now on, or none; answers of the one before are gone.
            pub(super) fn open(&mut self, session: Option<Arc<Session>>) {
                self.cx.session = session;
                self.cx.generation += 1;
                self.answers = ReadAnswers::default();
            }

            /// Grows when another workspace is opened.
            pub fn generation(&self) -> u64 {
                self.cx.generation
            }

            /// Whether a worker still has a question.
            pub(super) fn is_waited_for(&self) -> bool {
                false $(|| self.answers.$name.is_waited_for())*
            }

            $($(#[$doc])*
            pub fn $name(&mut self, $($arg: $kind),*) -> Loaded<Arc<$answer>> {
                self.answers.$name.get(&self.cx, ($($arg,)*), $stale, $load)
            })*
        }
    };
}

impl Reads {
    /// The campaigns; without what takes long to count until that is here.
    pub fn campaigns(&mut self) -> Loaded<Arc<Vec<CampaignRow>>> {
        match self.counted_campaigns() {
            Loaded::Loading { last: None } => self.listed_campaigns(),
            counted => counted,
        }
    }
}

reads! {
    /// See [`Session::workspace`].
    workspace() -> WorkspaceInfo, Some(SLOW), |session, ()| session.workspace();
    /// See [`Catalogue::campaigns`](crate::store::Catalogue::campaigns).
    counted_campaigns() -> Vec<CampaignRow>, None, |session, ()| session.catalogue().campaigns();
    /// See [`Catalogue::listed_campaigns`](crate::store::Catalogue::listed_campaigns).
    listed_campaigns() -> Vec<CampaignRow>, None, |session, ()| session.catalogue().listed_campaigns();
    /// See [`Catalogue::campaign_page`](crate::store::Catalogue::campaign_page).
    campaign(id: CampaignId) -> CampaignPage, None, |session, (id,)| session.catalogue().campaign_page(*id);
    /// See [`Session::crawl`]; loaded twice a second.
    crawl(campaign: Option<CampaignId>, launches: Launches) -> CrawlPage, Some(LIVE),
        |session, (campaign, launches)| session.crawl(*campaign, *launches);
    /// All launches of a campaign together, loaded again when the catalogue changes.
    all_launches(campaign: CampaignId) -> CrawlPage, None, |session, (campaign,)| session.crawl(Some(*campaign), Launches::All);
    /// Each launch of a campaign with its figures, oldest first.
    launches(campaign: CampaignId) -> Vec<LaunchRow>, None, |session, (campaign,)| session.catalogue().launches(Some(*campaign));
    /// See [`Session::last_launches`].
    last_launches() -> Vec<LaunchRow>, None, |session, ()| session.last_launches();
    /// See [`work::crawl_plan`](crate::work::launch::crawl_plan).
    crawl_plan(of: ByIdentity<CrawlRequest>) -> CrawlPlan, None, |session, (of,)| work::crawl_plan(session, of.answer()?.as_ref());
    /// See [`Catalogue::captures`](crate::store::Catalogue::captures).
    captures(query: CaptureQuery) -> CapturePage, None, |session, (query,)| session.catalogue().captures(query);
    /// The captures among these that match a query; see [`Session::capture_ids`].
    captures_among(query: CaptureQuery, ids: Vec<CaptureId>) -> Vec<CaptureId>, None,
        |session, (query, ids)| session.capture_ids(query, Some(ids));
    /// See [`Catalogue::review_queue`](crate::store::Catalogue::review_queue).
    review_queue(query: ReviewQueueQuery) -> ReviewQueuePage, None, |session, (query,)| session.catalogue().review_queue(query);
    /// See [`Catalogue::review_queue_count`](crate::store::Catalogue::review_queue_count).
    review_queue_count(query: ReviewQueueQuery) -> Option<u64>, None,
        |session, (query,)| session.catalogue().review_queue_count(query);
    /// See [`Catalogue::cause_groups`](crate::store::Catalogue::cause_groups).
    cause_groups(campaign: Option<CampaignId>) -> Vec<CauseGroup>, None,
        |session, (campaign,)| session.catalogue().cause_groups(*campaign);
    /// See [`Catalogue::samples`](crate::store::Catalogue::samples).
    samples(campaign: Option<CampaignId>) -> Vec<ReviewSample>, None, |session, (campaign,)| session.catalogue().samples(*campaign);
    /// See [`Catalogue::sample_agreement`](crate::store::Catalogue::sample_agreement).
    sample_agreement(sample: SampleId) -> SampleAgreement, None,
        |session, (sample,)| session.catalogue().sample_agreement(*sample);
    /// See [`Catalogue::review_reasons`](crate::store::Catalogue::review_reasons).
    review_reasons() -> Vec<ReviewReason>, None, |session, ()| session.catalogue().review_reasons();
    /// The text of a capture with what it lacks at its places.
    marked_text(id: CaptureId) -> MarkedText, None, |session, (id,)| session.marked_text(*id);
    /// See [`Session::page_picture`]; pictures are large.
    page_picture [6] (id: CaptureId) -> Option<PagePicture>, None, |session, (id,)| session.page_picture(*id);
    /// The findings on a capture, and what they take of it; none where it was not checked.
    findings(id: CaptureId) -> (Vec<KeptFinding>, Option<PageLoss>), None, |session, (id,)| {
        anyhow::Ok((session.catalogue().findings_of(*id)?, session.catalogue().loss_of(*id)?))
    };
    /// See [`Catalogue::check_precision`](crate::store::Catalogue::check_precision).
    check_precision() -> Vec<CheckPrecision>, None, |session, ()| session.catalogue().check_precision();
    /// See [`Catalogue::tab_counts`](crate::store::Catalogue::tab_counts).
    tab_counts(query: CaptureQuery) -> TabCounts, None, |session, (query,)| session.catalogue().tab_counts(query);
    /// See [`Session::detail`].
    detail(id: CaptureId, days: u32) -> CaptureDetail, None, |session, (id, days)| session.detail(*id, *days);
    /// See [`Session::content`].
    content(id: CaptureId) -> CaptureContent, None, |session, (id,)| session.content(*id);
    /// See [`work::text_marks`](crate::work::find::text_marks).
    text_marks(id: CaptureId, query: String) -> Vec<Range<usize>>, None, |session, (id, query)| work::text_marks(&session.workspace, *id, query);
    /// See [`Workspace::inlinks_of_capture`](crate::store::Workspace::inlinks_of_capture).
    inlinks(id: CaptureId, days: u32) -> InlinkPage, None, |session, (id, days)| session.workspace.inlinks_of_capture(*id, *days);
    /// See [`Session::inlinks_of`].
    inlinks_of(target: String, days: u32) -> InlinkPage, None, |session, (target, days)| session.inlinks_of(target, *days);
    /// See [`Session::inlinks_behind`].
    inlinks_behind() -> Option<String>, None, |session, ()| session.inlinks_behind();
    /// See [`work::link_set`](crate::work::link_set); folders are filled without the catalogue.
    link_set(folder: Option<PathBuf>) -> Option<LinkSet>, Some(SLOW), |session, (folder,)| work::link_set(&session.workspace, folder.as_deref());
    /// See [`work::inlinks_in`](crate::work::inlinks_in).
    inlinks_in(folder: PathBuf, page: String) -> InlinkPage, Some(SLOW), |_, (folder, page)| work::inlinks_in(folder, page);
    /// See [`Catalogue::outlinks`](crate::store::Catalogue::outlinks).
    outlinks(id: CaptureId) -> Vec<OutlinkRow>, None, |session, (id,)| session.catalogue().outlinks(*id);
    /// See [`work::entities_page`].
    entities() -> EntitiesPage, None, |session, ()| work::entities_page(&session.workspace);
    /// See [`Session::entity_detail`].
    entity(name: String, period: Period) -> Vec<EntityDetail>, None,
        |session, (name, period)| session.entity_detail(None, name, *period);
    /// See [`work::cluster_proposals`]: none where nothing was analysed.
    clusters() -> Vec<ClusterProposal>, None, |session, ()| match session.is_analysed()? {
        true => work::cluster_proposals(&session.workspace, None),
        false => Ok(Vec::new()),
    };
    /// See [`Catalogue::entity_merges`](crate::store::Catalogue::entity_merges).
    merges() -> Vec<EntityMerge>, None, |session, ()| session.catalogue().entity_merges();
    /// See [`Session::terms_over_time`].
    terms_over_time(terms: Vec<String>) -> Vec<TermOverTime>, None, |session, (terms,)| session.terms_over_time(terms);
    /// See [`work::page_analysis`].
    page_analysis(id: CaptureId) -> PageAnalysis, None, |session, (id,)| work::page_analysis(&session.workspace, *id);
    /// See [`Session::related`].
    related(id: CaptureId, days: u32) -> RelatedPage, None, |session, (id, days)| session.related(*id, *days);
    /// See [`Session::anchors`].
    anchors(id: CaptureId, days: u32) -> Vec<AnchorRow>, None, |session, (id, days)| session.anchors(*id, *days);
    /// See [`Session::top_anchors`].
    top_anchors(limit: u64) -> Vec<AnchorRow>, None, |session, (limit,)| session.top_anchors(*limit);
    /// See [`Session::prospect_sites`].
    prospect_sites(query: ProspectSiteQuery) -> ProspectSites, None,
        |session, (query,)| session.prospect_sites(query);
    /// See [`Session::prospects`].
    prospects(query: ProspectQuery) -> ProspectPage, None, |session, (query,)| session.prospects(query);
    /// See [`Catalogue::seen`](crate::store::Catalogue::seen).
    seen(query: SeenQuery) -> SeenPage, None, |session, (query,)| session.catalogue().seen(query);
    /// See [`Catalogue::events`](crate::store::Catalogue::events).
    events(query: EventQuery) -> EventPage, None, |session, (query,)| session.catalogue().events(query);
    /// See [`work::why`](crate::work::why).
    why(seen: SeenId) -> Trace, None, |session, (seen,)| work::why(session, *seen);
    /// The row of a URL ever seen, with what became of it.
    seen_one(seen: SeenId) -> Option<SeenRow>, None, |session, (seen,)| session.seen_rows(&[*seen]).map(|mut rows| rows.pop());
    /// See [`Session::selection`].
    selection(campaign: CampaignId) -> SelectionPage, None, |session, (campaign,)| session.selection(*campaign);
    /// The changes of the kept selection if it were made again now, and whether an earlier one can be put back.
    selection_offer(campaign: CampaignId) -> (Option<SelectionOffer>, bool), None,
        |session, (campaign,)| session.selection_offer(*campaign);
    /// URLs with an earlier rejection that have a new version to review.
    rejected_before(campaign: CampaignId) -> u64, None, |session, (campaign,)| session.catalogue().rejected_before(*campaign);
    /// See [`work::selection_criteria`](crate::work::selection_criteria): what the filter and the collections of a draft come to.
    selection_criteria(campaign: CampaignId, filter: String, collections: Vec<String>) -> SelectionCriteria, None,
        |session, (campaign, filter, collections)| work::selection_criteria(&session.workspace, &SelectionSpec {
            campaign: *campaign, filter: filter.clone(), collections: collections.clone(), ..SelectionSpec::default()
        });
    /// What a draft, as JSON, comes to on these scores, with what its filter
    /// and its collections find where that is known.
    tried_selection(draft: String, scores: ByIdentity<ScoreSet>, criteria: Option<ByIdentity<SelectionCriteria>>)
        -> TriedSelection, None, |_, trial| try_selection(trial);
    /// See [`Session::scored_under`]; the draft travels as JSON.
    scored_under(draft: String, ids: Vec<CaptureId>) -> Vec<ScoredRow>, None,
        |session, (draft, ids)| session.scored_under(&serde_json::from_str(draft)?, ids);
    /// See [`Session::export_check`].
    export_check(campaign: CampaignId) -> ExportCheck, None, |session, (campaign,)| session.export_check(*campaign);
    /// See [`Session::next_export_folder`]; folders come and go without the catalogue.
    next_export_folder() -> PathBuf, Some(SLOW), |session, ()| anyhow::Ok(session.next_export_folder());
    /// See [`Session::overview`].
    overview(campaign: CampaignId) -> Overview, None, |session, (campaign,)| session.overview(*campaign, &JobCx::detached());
    /// See [`Session::waiting`].
    waiting(campaign: CampaignId) -> (CampaignId, Vec<WaitingItem>), None,
        |session, (campaign,)| anyhow::Ok((*campaign, session.waiting(*campaign)?));
    /// See [`Session::matrix`].
    matrix(campaign: CampaignId, by: MatrixBy) -> Matrix, None, |session, (campaign, by)| session.matrix(*campaign, *by);
    /// See [`Session::first_steps`].
    first_steps(campaign: CampaignId) -> FirstSteps, None, |session, (campaign,)| session.first_steps(*campaign);
    /// The collections of the workspace.
    collections() -> Vec<CollectionRow>, None, |session, ()| session.catalogue().collections();
    /// See [`Session::export_reports`]; folders come and go without the catalogue.
    export_reports(of: Option<PathBuf>) -> BTreeMap<PathBuf, String>, Some(SLOW),
        |session, (of,)| session.export_reports(of.as_deref());
    /// See [`Session::vetoed`].
    vetoed(campaign: CampaignId) -> u64, None, |session, (campaign,)| session.vetoed(*campaign);
    /// See [`Workspace::files`](crate::store::Workspace::files); files come and go without the catalogue.
    files() -> Vec<FileRow>, Some(SLOW), |session, ()| session.workspace.files();
    /// See [`Workspace::file`](crate::store::Workspace::file).
    file(id: FileId) -> FileRow, Some(SLOW), |session, (id,)| session.workspace.file(*id);
    /// See [`Session::file_of_capture`].
    file_of_capture(id: CaptureId) -> Option<FileRow>, Some(SLOW), |session, (id,)| session.file_of_capture(*id);
    /// See [`Catalogue::problems`](crate::store::Catalogue::problems).
    problems(query: ProblemQuery) -> ProblemPage, None, |session, (query,)| session.catalogue().problems(query);
    /// See [`work::problem_detail`](crate::work::problem_detail).
    problem(id: ProblemId) -> ProblemDetail, Some(SLOW), |session, (id,)| work::problem_detail(&session.workspace, *id);
    /// See [`work::imports`](crate::work::imports).
    imports() -> Vec<ImportRow>, None, |session, ()| work::imports(&session.workspace);
    /// See [`crate::work::operator`].
    operator() -> String, Some(SLOW), |_, ()| anyhow::Ok(work::operator());
    /// Names of the keys with which the person at the keyboard signs.
    own_keys() -> Vec<String>, Some(SLOW), |_, ()| work::own_keys();
    /// Captures that are of no campaign.
    unassigned() -> Unassigned, None, |session, ()| session.catalogue().unassigned();
    /// The contents of a campaign that may be deleted.
    campaign_contents(id: CampaignId) -> CampaignContents, None, |session, (id,)| session.catalogue().campaign_contents(*id);
    /// See [`Catalogue::passed_paths`](crate::store::Catalogue::passed_paths).
    passed_paths(launch: LaunchId) -> Vec<String>, None, |session, (launch,)| session.catalogue().passed_paths(*launch);
    /// See [`Catalogue::imported_files`](crate::store::Catalogue::imported_files).
    imported_files(launch: LaunchId) -> Vec<ImportedFile>, None, |session, (launch,)| session.catalogue().imported_files(*launch);
    /// See [`Session::geo_choice`].
    geo_choice() -> Option<GeoChoice>, Some(SLOW), |session, ()| session.geo_choice();
    /// URLs of a list that a number of a specification counts.
    seen_list(query: SeenListQuery) -> Vec<SeenRow>, None, |session, (query,)| query.read(session);
    /// See [`Session::what_if_rows`].
    moved_rows(query: MovedQuery) -> Vec<MovedRow>, None, |session, (query,)| query.read(session);
    /// See [`Session::what_if_hosts`].
    what_if_hosts(of: ByIdentity<WhatIfAnswer>) -> Vec<MovedHost>, None,
        |session, (of,)| session.what_if_hosts(&of.answer()?.figures);
    /// See [`work::launch_comparison`](crate::work::launch_comparison).
    launch_comparison(campaign: CampaignId, before: Option<LaunchId>, after: Option<LaunchId>) -> Option<LaunchComparison>, None,
        |session, (campaign, before, after)| work::launch_comparison(session, *campaign, *before, *after);
    /// See [`work::capture_diff`](crate::work::capture_diff).
    capture_diff(before: CaptureId, after: CaptureId, is_whole: bool) -> CaptureDiff, None,
        |session, (before, after, is_whole)| work::capture_diff(session, *before, *after, *is_whole);
    /// See [`Catalogue::needs`](crate::store::Catalogue::needs).
    needs(capture: CaptureId) -> PageNeeds, None, |session, (capture,)| session.catalogue().needs(*capture);
    /// See [`work::patch_offer`](crate::work::patch_offer).
    patch_offer(campaign: Option<CampaignId>, source: PatchSource) -> PatchOffer, None, |session, (campaign, source)| {
        work::patch_offer(session, *campaign, source, &JobCx::detached())
    };
    /// See [`work::trial_sample`](crate::work::trial_sample).
    trial_sample(launch: LaunchId) -> TrialSample, None, |session, (launch,)| work::trial_sample(session, *launch);
    /// See [`Catalogue::trial_contents`](crate::store::Catalogue::trial_contents).
    trial_contents(launch: LaunchId) -> TrialContents, None, |session, (launch,)| session.catalogue().trial_contents(*launch);
    /// See [`work::suggestions`](crate::work::suggestions).
    suggestions(campaign: CampaignId, launch: LaunchId) -> Suggestions, None,
        |session, (campaign, launch)| work::suggestions(session, *campaign, Some(*launch));
    /// See [`work::harvest_curves`](crate::work::harvest_curves).
    harvest_curves(campaign: CampaignId, launch: LaunchId) -> HarvestCurves, None, |session, (campaign, launch)| {
        work::harvest_curves(session, *campaign, Some(*launch), &JobCx::detached())
    };
    /// A version of a campaign compared with the newest.
    version_differences(campaign: CampaignId, version: u32) -> Vec<VersionDifference>, None, |session, (campaign, version)| {
        let catalogue = session.catalogue();
        let earlier = catalogue.campaign_version(*campaign, *version)?;
        anyhow::Ok(work::version_differences(&earlier, &catalogue.campaign(*campaign)?.1))
    };
    /// See [`work::sources`](crate::work::sources()).
    source_rows(campaign: CampaignId) -> Vec<SourceRow>, None, |session, (campaign,)| work::sources(session, *campaign);
    /// Pages that a source of a campaign named, or those that wait for a launch; the source travels as JSON.
    named_pages(campaign: CampaignId, source: String, only_waiting: bool) -> NamedPageList, None,
        |session, (campaign, source, only_waiting)| {
            let source = serde_json::from_str(source)?;
            anyhow::Ok(session.catalogue().named_pages(*campaign, &source, *only_waiting, LIST_PAGE)?)
        };
    /// See [`Catalogue::source_yields`](crate::store::Catalogue::source_yields).
    source_yields(campaign: Option<CampaignId>, launches: Launches) -> Vec<SourceYield>, None,
        |session, (campaign, launches)| session.catalogue().source_yields(*campaign, *launches);
    /// See [`work::queued_place`](crate::work::queued_place).
    queued_place(seen: SeenId) -> Option<QueuedPlace>, None, |session, (seen,)| work::queued_place(session, *seen);
    /// See [`work::sites`](crate::work::sites).
    sites(campaign: Option<CampaignId>) -> Vec<SiteRow>, None,
        |session, (campaign,)| work::sites(session, *campaign, &JobCx::detached());
    /// The trace of a seen URL by the edited rules of an answer.
    what_if_trace(of: ByIdentity<WhatIfAnswer>, seen: SeenId) -> Trace, None, load_what_if_trace;
    /// See [`Catalogue::selected_hosts`](crate::store::Catalogue::selected_hosts).
    selected_hosts(campaign: CampaignId, selected: bool) -> Vec<SelectedHost>, None,
        |session, (campaign, selected)| session.catalogue().selected_hosts(*campaign, *selected);
    /// See [`Session::search`].
    search(query: SearchQuery) -> SearchAnswer, None, |session, (query,)| session.search(query);
    /// See [`Session::search_counts`]: all facets.
    search_counts(query: SearchQuery, period: Period) -> SearchCounts, None, |session, (query, period)| {
        session.search_counts(query, &FacetKind::ALL, Some(*period))
    };
    /// See [`Session::capture_facets`].
    capture_facets(query: CaptureQuery) -> SearchCounts, None, |session, (query,)| session.capture_facets(query);
    /// See [`Session::request_sample`]; the request travels as JSON.
    request_sample(request: String, campaign: Option<CampaignId>) -> RequestSample, None, |session, (request, campaign)| {
        session.request_sample(&serde_json::from_str(request)?, *campaign, SAMPLED)
    };
    /// See [`work::queue_orders`]; the campaign travels as JSON.
    queue_orders(of: CampaignId, campaign: String) -> Option<OrderPreview>, None, |session, (of, campaign)| {
        work::queue_orders(session, *of, &serde_json::from_str(campaign)?, QUEUE_SHOWN)
    };
    /// See [`work::saved_searches`](crate::work::find::saved_searches).
    saved_searches() -> Vec<SavedSearch>, None, |session, ()| work::saved_searches(session.catalogue());
    /// See [`Session::job_elsewhere`].
    job_elsewhere() -> Option<String>, None, |session, ()| session.job_elsewhere();
    /// See [`Session::job_history`].
    job_history(limit: u64) -> Vec<JobRow>, None, |session, (limit,)| session.job_history(*limit);
    /// See [`Session::scheduled_runs`].
    scheduled_runs(campaign: CampaignId, limit: u64) -> Vec<ScheduledRun>, None,
        |session, (campaign, limit)| session.scheduled_runs(*campaign, *limit);
    /// See [`Session::permissions`]; the campaign travels as JSON.
    permissions(campaign: String, urls: Vec<String>) -> GroundAnswers, None, run_permissions;
    /// See [`work::scope_test`](crate::work::scope_test); the campaign travels as JSON, since only text can be a key.
    scope_test(of: Option<CampaignId>, campaign: String, urls: Vec<String>) -> ScopeAnswers, None, run_scope_test;
}

fn run_scope_test(
    session: &Session,
    (of, campaign, urls): &(Option<CampaignId>, String, Vec<String>),
) -> anyhow::Result<ScopeAnswers> {
    let campaign: Campaign = serde_json::from_str(campaign)?;
    work::scope_test(session, *of, &campaign, urls)
}

fn load_what_if_trace(session: &Session, (of, seen): &(ByIdentity<WhatIfAnswer>, SeenId)) -> anyhow::Result<Trace> {
    work::what_if_trace(session, &of.answer()?.edited, *seen)
}

fn run_permissions(session: &Session, (campaign, urls): &(String, Vec<String>)) -> anyhow::Result<GroundAnswers> {
    let campaign: Campaign = serde_json::from_str(campaign)?;
    session.permissions(&campaign, urls)
}
