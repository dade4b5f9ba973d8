//! Answers of an open workspace are these values: the catalogue's read models and those of the
//! rooms below.

pub use super::session::SearchCounts;
pub use crate::analysis::entities::EntityKind;
pub use crate::analysis::terms::CorpusTerm;
pub use crate::analysis::{Judgement, Proposal};
pub use crate::crawl::{CrawlEvent, EventKind, OutcomeClass, OutcomeKind, UrlOutcome};
pub use crate::crawl::{HostActivity, HostState, OrderPreview};
pub use crate::export::{PlannedFile, spreadsheet_cell};
pub use crate::query::quoted_value as quoted;
pub use crate::search::{CountryCount, FacetKind, FacetValue, MAP_HEIGHT, MapCountry, MapPoint, Period, PeriodCount};
pub use crate::search::{FacetChoice, date_range, facet_choices, toggle_facet, with_date_range, with_facets};
pub use crate::search::{count_by_country, country_of, map_countries};
pub use crate::store::rows::scope_rows::*;
pub use crate::store::rows::*;
pub use crate::store::{CampaignContents, CampaignTwin, FilterField, Lacking, SortKey, Unassigned, filter_fields};
pub use crate::store::{CheckPrecision, KeptFinding, PageLoss};
pub use crate::store::{EntityMerge, EntityRow, FoundEntity, RelatedEntity};
pub use crate::store::{Hole, HoleState, HostChanges, LaunchPair, Need, NeedState, PageChange, PageNeeds};
pub use crate::store::{NamedPageList, NamedPageRow, Relevance, SourceYield, TrialContents};
pub use crate::text::{DiffLine, DiffPart, PartKind};
pub use crate::work::analysis::{
    AbsentEntity, ClusterProposal, EntitiesPage, EntityDetail, EntityQuote, LEAST_CELL, PageAnalysis, matrix_aggregate,
};
pub use crate::work::find::judgements::{SearchJudgements, judged_filter};
pub use crate::work::find::missing_places::MarkedText;
pub use crate::work::find::related::{RelatedPage, RelatedRow};
pub use crate::work::find::request_sample::{RequestSample, SampleRow, TermFound};
pub use crate::work::find::saved_searches::SavedSearch;
pub use crate::work::find::search::{Hit, SearchAnswer, SearchOrder, SearchQuery};
pub use crate::work::first_steps::{FirstStep, FirstSteps};
pub use crate::work::handover::dry_run::ExportDryRun;
pub use crate::work::handover::export_check::{ExportCheck, RefusedHost};
pub use crate::work::launch::patch::{HoleChoice, PatchOffer, PatchSource};
pub use crate::work::launch::replay::{CURVE_REMARK, HarvestCurve, HarvestCurves};
pub use crate::work::launch::suggestions::{Suggestions, proposed_change};
pub use crate::work::launch::trial_pages::UnreadTrialPage;
pub use crate::work::launch::trials::{SamplePage, TrialSample};
pub use crate::work::links::link_models::*;
pub use crate::work::overview::{
    Figure, Gap, GapAction, GapItem, GapKind, LaunchFigures, Matrix, MatrixBy, MatrixColumn, MatrixRow, Overview,
    RowList, RowOrigin, Urgency, WaitingItem, WaitingKind, term_of,
};
pub use crate::work::replay::PagePicture;
pub use crate::work::scope::VersionDifference;
pub use crate::work::session::TermOverTime;
pub use crate::work::sites::{SiteRow, site_rules};
pub use crate::work::sources::{PlannedRequest, SourceRow, SourceTest, mark_text, planned_requests};
pub use crate::work::versions::capture_diff::{CaptureDiff, DiffSide, LinkDifference};
pub use crate::work::versions::changes::{LaunchComparison, ListedChange};

use crate::campaign::Campaign;
use crate::scope::{Remedy, Trace};
use crate::uri::CaptureDate;
use std::path::PathBuf;

/// The position up to which the anomalies of a crawl were read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AnomalyMark {
    /// The run that they are of.
    pub run: usize,
    /// The number of the next one.
    pub next: u64,
}

/// A URL run through the rules of a campaign that need not be saved.
#[derive(Debug, Clone)]
pub struct ScopeTest {
    /// The trace of every rule: what it tested, and its opinion.
    pub trace: Trace,
    /// The smallest change that turns the verdict and that a person can make
    /// in the campaign; none where only the world outside could.
    pub remedy: Option<Remedy>,
}

/// The effect of an edited campaign, with the campaign that it is for.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIfAnswer {
    /// The campaign.
    pub campaign: CampaignId,
    /// As edited.
    pub edited: Campaign,
    /// The changes in figures.
    pub figures: WhatIf,
}

/// A form of other programs that links are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LinkForm {
    /// The host graph as GEXF.
    #[default]
    Gexf,
    /// The host graph as GraphML.
    GraphMl,
    /// The edges between hosts as CSV.
    CsvEdges,
    /// The hosts as CSV.
    CsvHosts,
    /// Captures with their inlinks, as Arquivo.pt publishes them.
    Dataset,
    /// The inlinks of each page with their anchors, as Nutch lists them.
    Nutch,
}

impl LinkForm {
    /// Every one, with its words.
    pub const ALL: [(Self, &str); 6] = [
        (Self::Gexf, "Host graph, GEXF (Gephi)"),
        (Self::GraphMl, "Host graph, GraphML (networkx, igraph, yEd)"),
        (Self::CsvEdges, "Host links, CSV"),
        (Self::CsvHosts, "Hosts with their PageRank, CSV"),
        (Self::Dataset, "Inlink data set, one JSON object per line"),
        (Self::Nutch, "Anchor texts per page, in Nutch format"),
    ];

    /// Its name for people.
    pub fn label(self) -> &'static str {
        Self::ALL.iter().find(|(form, _)| *form == self).map_or("", |(_, label)| label)
    }

    /// Beginning and ending of the name of a file in it.
    pub fn name(self) -> (&'static str, &'static str) {
        match self {
            Self::Gexf => ("host-graph", "gexf"),
            Self::GraphMl => ("host-graph", "graphml"),
            Self::CsvEdges => ("host-edges", "csv"),
            Self::CsvHosts => ("hosts", "csv"),
            Self::Dataset => ("inlinks", "jsonl"),
            Self::Nutch => ("anchors-nutch", "txt"),
        }
    }
}

/// The geolocation database that was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct GeoChoice {
    /// The file.
    pub path: PathBuf,
    /// Its description, or why it cannot be used.
    pub database: Result<GeoDatabaseInfo, String>,
}

/// A geolocation database in figures.
#[derive(Debug, Clone, PartialEq)]
pub struct GeoDatabaseInfo {
    /// Its type, such as `GeoLite2-Country`.
    pub database_type: String,
    /// When it was built.
    pub build_date: CaptureDate,
    /// Nodes of its search tree.
    pub nodes: u64,
    /// Whether it knows IPv6 addresses.
    pub knows_ipv6: bool,
    /// Size of the file.
    pub len_bytes: u64,
    /// A reason not to trust it just now, as text.
    pub remark: Option<String>,
}
