//! Every piece of work that a person can start runs here on an open workspace: the rooms put
//! together. Called by the window and by the command line alike.

mod analysis;
mod checks;
mod feed;
mod files;
mod find;
mod first_steps;
mod handover;
mod import;
mod job;
mod launch;
mod links;
pub mod models;
mod opener;
mod other_crawlers;
mod overview;
mod own_workspaces;
mod replay;
pub mod sample;
mod scope;
mod session;
mod sites;
mod sources;
mod versions;

pub use analysis::{
    AbsentEntity, AggregateCell, AggregateTable, AnalysisInputs, AnalysisReport, AnalysisStep, ClusterProposal,
    EntitiesPage, EntityDetail, EntityQuote, LEAST_CELL, PageAnalysis, PersonalDataCheck, PersonalDataFound,
    RunComparison, absent_entities, analyse_documents, analysis_run, analysis_runs, cluster_proposals, compare_runs,
    delete_run, entities_aggregate, entities_page, entity_rows, load_authority, matrix_aggregate, page_analysis,
    terms_aggregate, terms_of_run,
};
pub use checks::{CheckPagesReport, are_checks_due, check_pages};
pub use feed::{FeedCampaign, FeedChange, FeedReport, WrittenFeed, check_feed, export_feed, import_feed};
pub use files::backup::{BackupOutcome, back_up};
pub use files::campaign_files::{RestoredCampaign, RestoredJob, renew_campaign_files, suspension_line};
pub use files::documents::{DocumentList, DocumentRow, DocumentVersion, documents, documents_noted};
pub use files::earlier::{EarlierOutcome, from_earlier};
pub use files::import_records::import_records;
pub use files::table_files::write_table;
pub use files::{CheckOutcome, LocateOutcome, check_files, locate, problem_detail, problem_record};
pub use find::index_updates::{FollowPace, follow_while, has_index, index_politely, is_index_behind};
pub use find::judgements::{QueryEvaluation, SearchJudgements, evaluations, judged_filter, judged_urls};
pub use find::request_sample::{RequestSample, SampleRow};
pub use find::saved_searches::{forget_search, rename_search, save_search, saved_search, saved_searches};
pub use find::search::{Hit, NoQuery, SearchAnswer, SearchOrder, SearchQuery};
pub use find::text_index::{IndexCheck, TextIndexReport, check_index, index_folder, index_texts};
pub use find::text_marks::{has_text_terms, text_marks};
pub use first_steps::first_steps;
use handover::attach_annotations;
pub use handover::collections::{CollectionsFilled, fill_collections};
pub use handover::dry_run::{ExportDryRun, dry_run_export};
pub use handover::export::{ExportOutcome, ExportWishes, export, own_keys, verify, verify_with};
pub use handover::export_check::check_export;
pub use handover::select::{
    SelectReport, SelectedAfterRun, SelectionChange, preview_selection, score_new_captures, scores_are_outdated,
    select, selection_criteria, selection_offer,
};
pub use handover::{
    AnnotationImport, AnnotationReach, BadHandover, CrawlsImport, EntitiesImport, EvidenceImport, HandoverImport,
    SelectionImport, annotation, decisions, import_annotations,
};
pub use handover::{campaign_text, specification_in, specification_syntax, write_specification};
pub use import::{
    ARCHIVE_NAMES, file_summary, has_problems, import, import_campaign_line, import_summary, imports, summary_beside,
};
pub use job::{FAILED, JobKind, JobReport, Report};
pub use launch::crawl::{CrawlOptions, CrawlOutcome, TRIAL_URLS, crawl, crawl_plan};
pub use launch::crawl_plan::{CrawlPlan, CrawlRequest, CrawlStart, UnfinishedLaunch};
pub use launch::launches::{ListedLaunch, launches};
pub use launch::patch::{
    HoleChoice, MOST_PATCHED, PATCH_TAG, PatchOffer, PatchOutcome, PatchSource, captures_to_patch, patch_offer,
    urls_of_list,
};
pub use launch::queue::{LaunchQueue, QueuedPart, QueuedPlace, queue, queue_orders, queued_place};
pub use launch::replay::{CURVE_REMARK, HarvestCurve, HarvestCurves, harvest_curves};
pub use launch::schedule::{
    CHECK_INTERVAL, DueRuns, NextRun, ON_TIME, Scheduler, Watch, WatchReport, keep_schedules, next_runs, run_scheduled,
    scheduled_terms,
};
pub use launch::suggestions::{Suggestions, accept_proposals, proposed_change, suggestions};
pub use launch::trials::{
    SamplePage, SampleReason, TrialDiscarded, TrialSample, launch_called, mark_pages, trial_sample,
};
pub use links::anchor_check::{CheckedCapture, PageAnchors, check_captures, judge_prospects};
pub use links::build::{InlinkReport, build_inlinks};
pub use links::hosts::{LinkSource, NutchForm, NutchLimits, RankedHosts};
pub use links::inlink_dataset::{dataset_within, write_dataset};
pub use links::inlink_rows::room_warning;
pub use links::link_answers::CitedCaptureRow;
pub use links::link_files::export_links;
pub use links::link_sets::{cited_pages, inlinks_in, link_hosts, link_set};
pub use opener::{OpenTarget, Workspaces};
pub use other_crawlers::{
    Engine, EngineImport, EngineLaunch, Imported, LogCount, attached_summary, browsertrix_crawl, import_with_jobs,
    is_importable, jobs_summary, write_heritrix_job,
};
pub use overview::{
    Figure, Gap, GapAction, GapItem, GapKind, LaunchFigures, Matrix, MatrixBy, MatrixColumn, MatrixRow, RowOrigin,
    term_of,
};
pub use overview::{Overview, RowList, Urgency, WaitingItem, WaitingKind};
pub use own_workspaces::OwnWorkspaces;
pub use replay::{
    AtCrawl, CleanBrowser, PageRequest, ReplayCheckOptions, ReplayCheckReport, ReplayFindings, ReplayServer,
    find_browser, random_token,
};
pub use scope::{
    EvidenceState, GeoChoiceSeen, RuleCache, VersionDifference, attach_evidence, check_campaign, check_evidence,
    edited_campaign, forget_geo_database, geo_choice, geo_database, geo_drift, geo_report, missing_evidence,
    permissions, rule_hits, scope_test, scope_verdicts, seeds_verdict, set_geo_database, target_grounds,
    urls_matched_by_rule, version_differences, what_if, what_if_hosts, what_if_rows, what_if_trace, why,
};
pub use session::{SearchCounts, ServedWeb, Session, TermOverTime, act_summary};

pub(in crate::work) use sites::site_labels;
pub use sites::{SiteRow, site_kinds_file, site_rules, sites, with_site_presets};
pub use sources::{
    PlannedRequest, SourceChoice, SourceOutcome, SourceRow, SourceTest, SourcesOutcome, add_source, named_source,
    planned_requests, recognise_source, run_sources, sources, test_source, token_name,
};

pub use versions::capture_diff::{
    CaptureDiff, DiffSide, LinkDifference, NamedCapture, capture_diff, captures_to_compare,
};
pub use versions::changes::{LaunchComparison, ListedChange, launch_comparison, listed_changes};

use crate::analysis::Matcher;
use crate::jobs::counted;
use crate::store::Catalogue;
use models::{AnchorRow, CampaignId, CaptureColumn, CaptureQuery, CaptureTab, CrawlPage};

/// The captures table without a filter.
pub fn everything() -> CaptureQuery {
    CaptureQuery { filter: String::new(), tab: CaptureTab::All, campaign: None, sort: Vec::new(), offset: 0, limit: 0 }
}

/// Captures with inlinks, those that most other hosts link to first.
pub fn most_cited(limit: u64) -> CaptureQuery {
    let sort = vec![
        (CaptureColumn::InlinkHosts, true),
        (CaptureColumn::InlinksExternal, true),
        (CaptureColumn::InlinksInternal, true),
        (CaptureColumn::Url, false),
        (CaptureColumn::Date, false),
    ];
    CaptureQuery { filter: "inlinks>0".to_owned(), sort, limit, ..everything() }
}

/// The crawl page before anything ever ran.
pub fn empty_crawl_page() -> CrawlPage {
    CrawlPage {
        launch: None,
        job: None,
        samples: Vec::new(),
        classes: [0; 5],
        types: Vec::new(),
        hosts: Vec::new(),
        hosts_total: 0,
        refused_by_rule: Vec::new(),
        launches: Vec::new(),
        pauses: Vec::new(),
        pauses_total: 0,
        relevant: None,
        saved_version: None,
        named_by_sources: 0,
    }
}

/// An error and its causes; a cause that is in the text already is left out.
pub fn error_chain(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

/// The name of the person at work, where none was given: the system's user name.
pub fn operator() -> String {
    static NAME: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| {
        let of_environment = ["USER", "LOGNAME", "USERNAME"]
            .iter()
            .find_map(|name| std::env::var(name).ok().filter(|name| !name.is_empty()));
        of_environment.or_else(account_name).unwrap_or_else(|| "unknown".to_owned())
    });
    NAME.clone()
}

/// The name of the account that this process runs under, where no variable has it, as under cron.
#[cfg(unix)]
fn account_name() -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let user = std::fs::metadata("/proc/self").ok()?.uid().to_string();
    let accounts = std::fs::read_to_string("/etc/passwd").ok()?;
    let of_user = |line: &&str| line.split(':').nth(2) == Some(user.as_str());
    let name = accounts.lines().find(of_user)?.split(':').next()?;
    Some(name.to_owned()).filter(|name| !name.is_empty())
}

/// Elsewhere the environment always has it.
#[cfg(not(unix))]
fn account_name() -> Option<String> {
    None
}

/// Says of each anchor whether it holds a term of a campaign: of the one
/// named, or of any.
pub fn mark_matching(
    catalogue: &Catalogue,
    campaign: Option<CampaignId>,
    mut rows: Vec<AnchorRow>,
) -> anyhow::Result<Vec<AnchorRow>> {
    let campaigns = match campaign {
        Some(id) => vec![(id, catalogue.campaign(id)?.1)],
        None => catalogue.readable_campaigns()?,
    };
    let matchers: Vec<Matcher> = campaigns.iter().map(|(_, campaign)| Matcher::compile(&campaign.request)).collect();
    for row in &mut rows {
        row.matches_request = matchers.iter().any(|matcher| matcher.speaks_of(&row.text));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_written_once() {
        let system = std::io::Error::other("no such file");
        let error = anyhow::Error::from(system).context("a.warc: no such file").context("cannot begin");
        assert_eq!(error_chain(&error), "cannot begin: a.warc: no such file");
    }
}
