//! Read models of selections, exports and their verification.

use super::{CampaignId, CaptureId, ReviewMark};
use crate::analysis::{ScorePart, ScoreWeights};
use crate::campaign::{Identity, ReportLanguage};
use crate::jobs::counted;
use crate::query::quoted_value;
pub use crate::store::review::score_set::{MovedCaptures, ScoreSet, ScoredPage};
use crate::uri::CaptureDate;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// The settings of a selection and of its export: weights, threshold or filter, collections, parts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SelectionSpec {
    /// Campaign whose request counts.
    pub campaign: CampaignId,
    /// Weights of the parts.
    pub weights: ScoreWeights,
    /// Captures with at least this score are in; hand decisions win.
    pub threshold: f64,
    /// Days of the inlink window.
    pub window_days: u32,
    /// Images, style sheets and scripts of selected pages come along.
    pub with_requisites: bool,
    /// An export holds a WACZ package, too.
    pub with_wacz: bool,
    /// An export holds what is known as RDF.
    #[serde(skip_serializing_if = "is_yes")]
    pub with_rdf: bool,
    /// An export holds every URL that was seen.
    #[serde(skip_serializing_if = "is_yes")]
    pub with_seen: bool,
    /// An export holds what is known of persons: mentions, entities, names put together.
    #[serde(skip_serializing_if = "is_yes")]
    pub with_persons: bool,
    /// Nothing is exported where a selected text has personal data.
    #[serde(skip_serializing_if = "is_no")]
    pub refuses_personal_data: bool,
    /// The language of the report in an export; none is that of the campaign.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report_language: Option<ReportLanguage>,
    /// A filter instead of the score, when not empty; `*` is every capture.
    pub filter: String,
    /// Collections whose captures are in as well; hand decisions win.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub collections: Vec<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_yes(flag: &bool) -> bool {
    *flag
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_no(flag: &bool) -> bool {
    !*flag
}

impl SelectionSpec {
    /// These settings with the export parts of another one; they change no score.
    pub fn with_parts_of(self, other: &Self) -> Self {
        Self {
            with_wacz: other.with_wacz,
            with_rdf: other.with_rdf,
            with_seen: other.with_seen,
            with_persons: other.with_persons,
            refuses_personal_data: other.refuses_personal_data,
            report_language: other.report_language,
            ..self
        }
    }

    /// Whether the score decides where no person did: no filter, no collection.
    pub fn is_by_score(&self) -> bool {
        self.filter.trim().is_empty() && self.collections.is_empty()
    }

    /// The criterion where no person decided, as a filter; scores are those of the kept selection.
    fn rule(&self) -> String {
        let rule = match self.filter.trim() {
            "" => format!("score>={}", self.threshold),
            filter => filter.to_owned(),
        };
        self.collections.iter().fold(rule, |rule, name| format!("({rule}) OR collection:{}", quoted_value(name)))
    }

    /// Filters for the captures that would come into the kept selection, made by this, and go out of it, if
    /// it were made again now.
    pub fn change_filters(&self) -> (String, String) {
        let rule = self.rule();
        (
            format!("NOT selected:yes ({rule}) NOT mark:approve NOT mark:reject NOT rejected_before:yes"),
            format!("selected:yes NOT ({rule}) NOT mark:approve"),
        )
    }

    /// Whether this selects as another one does, whatever an export of it holds besides.
    pub fn selects_as(&self, other: &Self) -> bool {
        let sides = |spec: &Self| {
            let filter = spec.filter.trim().to_owned();
            (spec.weights, spec.threshold, spec.with_requisites, filter, spec.collections.clone())
        };
        sides(self) == sides(other)
    }

    /// The criterion where no person decided, such as `score at least 0.4` or `filter “host:gov.pt”`.
    pub fn criterion(&self) -> String {
        let mut criterion = match self.filter.trim() {
            "" => format!("score at least {}", self.threshold),
            "*" => "every capture".to_owned(),
            filter => format!("filter “{filter}”"),
        };
        for name in &self.collections {
            criterion.push_str(&format!(", or in collection “{name}”"));
        }
        criterion
    }
}

impl Default for SelectionSpec {
    fn default() -> Self {
        Self {
            campaign: CampaignId::default(),
            weights: ScoreWeights::default(),
            threshold: 0.3,
            window_days: crate::inlinks::MATCH_WINDOW_DAYS,
            with_requisites: true,
            with_wacz: false,
            with_rdf: true,
            with_seen: true,
            with_persons: true,
            refuses_personal_data: false,
            report_language: None,
            filter: String::new(),
            collections: Vec::new(),
        }
    }
}

/// Says that URLs with an earlier rejection have new versions to review.
pub fn changed_rejections(urls: u64) -> String {
    format!("{} with an earlier rejection changed", counted(urls, "URL"))
}

/// Captures that the kept selection of a campaign would gain and lose if it were made again now; a
/// person confirms that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SelectionOffer {
    /// When the selection was kept.
    pub date: CaptureDate,
    /// Captures that would come in.
    pub added: u64,
    /// Captures that would go out.
    pub removed: u64,
    /// The filter that lists those that would come in.
    pub added_filter: String,
    /// The filter that lists those that would go out.
    pub removed_filter: String,
    /// Why the difference is unknown, such as an index that is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A selection that was saved under a name, compared with the kept one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedSelection {
    /// Its name.
    pub name: String,
    /// The settings that it was made with.
    pub spec: SelectionSpec,
    /// The person who saved it.
    pub who: String,
    /// When.
    pub date: CaptureDate,
    /// Captures in it.
    pub captures: u64,
    /// Captures of the kept selection that are not in it.
    pub added: u64,
    /// Captures in it that are not in the kept selection.
    pub removed: u64,
}

/// Captures put together across campaigns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CollectionRow {
    /// Its name.
    pub name: String,
    /// Its purpose.
    pub about: String,
    /// The filter that fills it; empty where captures come by hand alone.
    pub filter: String,
    /// The campaign whose scores and selection the filter tests.
    pub campaign: Option<CampaignId>,
    /// The person who made it.
    pub who: String,
    /// When.
    pub date: CaptureDate,
    /// Captures in it.
    pub captures: u64,
    /// Captures that a person took out: the filter does not bring them back.
    pub taken_out: u64,
    /// Captures in it that a person rejected: no selection takes them from it.
    pub rejected: u64,
    /// Its identity in every workspace.
    pub identity: Identity,
    /// Its origin, such as a handover; none where it was made here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}

/// A host with scored captures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedHost {
    /// Its name.
    pub host: String,
    /// Captures of it that are in, or out.
    pub captures: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Figures of one side of a selection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct SelectionSide {
    /// Captures.
    pub captures: u64,
    /// Their hosts.
    pub hosts: u64,
    /// Their payload bytes.
    pub bytes: u64,
}

/// Figures of a selection: the kept one, or a draft.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Balance {
    /// Captures with a score.
    pub scored: u64,
    /// Captures that persons rejected: out of every selection.
    pub excluded: u64,
    /// Captures that persons approved: in, whatever their score.
    pub included: u64,
    /// Those of both that score or filter would have put on the other side.
    pub overrides: u64,
    /// Captures to review as new versions of URLs with an earlier rejection: out until they are approved.
    pub rejected_before: u64,
    /// Captures that are in, by score, filter or hand.
    #[serde(rename = "in")]
    pub inside: SelectionSide,
    /// Captures that are out.
    #[serde(rename = "out")]
    pub outside: SelectionSide,
    /// Captures that come in, against the kept selection.
    #[serde(skip)]
    pub added: u64,
    /// Captures that go out, against the kept selection.
    #[serde(skip)]
    pub removed: u64,
    /// Captures by score, in 50 equal bins from 0 to 1.
    #[serde(skip)]
    pub histogram: Vec<u64>,
}

/// A state of a kept selection, with the decisions and the version of its campaign. Equal stamps are the same state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SelectionStamp(pub(in crate::store) [i64; 4]);

/// The selection and what it would carry.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectionPage {
    /// The settings that it was computed with; none when nothing was scored yet.
    pub spec: Option<SelectionSpec>,
    /// The state that the kept selection is in.
    pub stamp: SelectionStamp,
    /// Steps that are missing before scores mean something, as text.
    pub missing: Vec<String>,
    /// Every capture with the values of its score, to try weights and thresholds on.
    pub scores: Arc<ScoreSet>,
    /// The kept selection in figures.
    pub balance: Balance,
    /// Requisites that come along.
    pub requisites: u64,
    /// Their bytes.
    pub requisite_bytes: u64,
    /// Selections saved under a name, newest first.
    pub named: Vec<NamedSelection>,
    /// Exports written so far, newest first.
    pub exports: Vec<ExportRow>,
}

/// A capture with its score, part by part.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoredRow {
    /// The capture.
    pub id: CaptureId,
    /// URL.
    pub url: String,
    /// Title of the page.
    pub title: String,
    /// Date.
    pub date: CaptureDate,
    /// Score, 0 to 1.
    pub score: f64,
    /// The parts of the score.
    pub parts: Vec<ScorePart>,
    /// Whether the score, or the filter in its place, selects it.
    pub passes: bool,
    /// The last decision of a person.
    pub decision: Option<ReviewMark>,
    /// Its origin, where it was given in another workspace.
    pub decision_origin: Option<String>,
    /// Whether the decision was given on another capture of the same page and content.
    pub decision_inherited: bool,
    /// An earlier version of its page was rejected, and this one is to review: nothing but an approval
    /// selects it.
    pub rejected_before: bool,
    /// Whether it is in: by decision, else by score or filter.
    pub selected: bool,
}

/// An export on disk.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExportRow {
    /// The campaign whose selection it is; none where that was not noted, or the campaign is gone.
    pub campaign: Option<CampaignId>,
    /// When it was written.
    pub date: CaptureDate,
    /// Folder.
    pub folder: PathBuf,
    /// Captures in it.
    pub captures: u64,
    /// Records in it.
    pub records: u64,
    /// Bytes of it.
    pub bytes: u64,
    /// The result of the last verification: none if never verified.
    pub verified: Option<Vec<VerifyLine>>,
}

/// A check of a verification, with its result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifyLine {
    /// The subject of the check.
    pub what: String,
    /// Whether it holds, and all is fine.
    pub ok: bool,
    /// It is a signature that holds, by a key that nobody vouches for: neither fine
    /// nor wrong.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unvouched: bool,
    /// The signer, where it is a signature by a key that somebody vouches for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_by: Option<String>,
    /// Figures, or what is wrong and where.
    pub detail: String,
}

/// The result of a check, or of all of them; the worst is the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckState {
    /// It holds.
    Passed,
    /// A signature holds, and nobody vouches for its key.
    Unvouched,
    /// It does not hold.
    Failed,
}

impl VerifyLine {
    /// The state of the check.
    pub fn state(&self) -> CheckState {
        match (self.ok, self.unvouched) {
            (true, _) => CheckState::Passed,
            (false, true) => CheckState::Unvouched,
            (false, false) => CheckState::Failed,
        }
    }
}

impl CheckState {
    /// The state of all lines together, and a summary of one line.
    pub fn of(lines: &[VerifyLine]) -> (Self, String) {
        let count = |state: Self| lines.iter().filter(|line| line.state() == state).count();
        let state = lines.iter().map(VerifyLine::state).max().unwrap_or(Self::Passed);
        let summary = match state {
            Self::Passed => format!("all {} checks passed", lines.len()),
            Self::Unvouched => format!(
                "{} of {} checks passed; signed by a key that nobody vouches for",
                count(Self::Passed),
                lines.len()
            ),
            Self::Failed => format!("{} of {} checks failed", count(state), lines.len()),
        };
        (state, summary)
    }
}
