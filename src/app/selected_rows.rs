//! The captures that a person selected in the table.

use super::models::{ActDetail, CaptureId, CaptureQuery, Judgement, Loaded, ReviewMark, SearchQuery};
use super::state::Answer;
use super::{AppState, Dialog, Route};
use crate::work::{Session, act_summary};
use std::collections::HashSet;

/// Captures selected in the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SelectedRows {
    /// Some captures.
    Ids(Vec<CaptureId>),
    /// All captures that match a query when they are decided on.
    Query {
        /// The query, without order and page.
        query: CaptureQuery,
        /// The number of matches when it was shown last.
        count: u64,
    },
}

impl Default for SelectedRows {
    fn default() -> Self {
        Self::Ids(Vec::new())
    }
}

impl From<Vec<CaptureId>> for SelectedRows {
    fn from(ids: Vec<CaptureId>) -> Self {
        Self::Ids(ids)
    }
}

impl SelectedRows {
    /// The selection of all rows of the table of `query`.
    pub fn all(query: &CaptureQuery, count: u64) -> Self {
        Self::Query { query: view_of(query), count }
    }

    /// The number of selected captures, as far as is known here.
    pub fn count(&self) -> u64 {
        match self {
            Self::Ids(ids) => ids.len() as u64,
            Self::Query { count, .. } => *count,
        }
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Adds a capture, or takes it away. A query gives way to the one row.
    pub fn toggle(&mut self, id: CaptureId) {
        match self {
            Self::Ids(ids) => match ids.iter().position(|selected| *selected == id) {
                Some(index) => {
                    ids.remove(index);
                }
                None => ids.push(id),
            },
            Self::Query { .. } => *self = Self::Ids(vec![id]),
        }
    }

    /// The captures, by their numbers. Blocks: called on a worker.
    pub(super) fn resolve(&self, session: &Session) -> anyhow::Result<Vec<CaptureId>> {
        match self {
            Self::Ids(ids) => Ok(ids.clone()),
            Self::Query { query, .. } => session.capture_ids(query, None),
        }
    }
}

/// A person's decision on captures.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewDecision {
    /// The captures.
    pub captures: SelectedRows,
    /// The mark.
    pub mark: ReviewMark,
    /// The reason.
    pub note: String,
    /// What it comes with.
    pub detail: ActDetail,
}

/// Captures that are decided on without asking.
const MOST_UNASKED: u64 = 50;

/// A query without order and page: which rows are in the view.
fn view_of(query: &CaptureQuery) -> CaptureQuery {
    CaptureQuery { sort: Vec::new(), offset: 0, limit: 0, ..query.clone() }
}

impl AppState {
    /// Deselects captures that are not among the rows of `query`, of which
    /// there are `total`, if that is known. Answers whether this is done:
    /// before, rows may be selected that nobody sees.
    pub fn cut_selection_to(&mut self, query: &CaptureQuery, total: Option<u64>) -> bool {
        let view = view_of(query);
        match &mut self.open.selected {
            SelectedRows::Ids(ids) if !ids.is_empty() => {
                if let Loaded::Ready(kept) = self.reads.captures_among(view.clone(), ids.clone()) {
                    if kept.len() != ids.len() {
                        let kept: HashSet<CaptureId> = kept.iter().copied().collect();
                        ids.retain(|id| kept.contains(id));
                    }
                    self.open.selected_in = Some(view);
                    return true;
                }
                self.open.selected_in.as_ref() == Some(&view)
            }
            SelectedRows::Query { query, count } if *query == view => {
                *count = total.unwrap_or(*count);
                true
            }
            SelectedRows::Ids(_) | SelectedRows::Query { .. } => {
                self.open.selected = SelectedRows::default();
                self.open.selected_in = Some(view);
                true
            }
        }
    }

    /// Decides on a few captures at once; on many, a person confirms it first.
    pub(super) fn decide_or_confirm(&mut self, decision: ReviewDecision) {
        if decision.captures.count() > MOST_UNASKED {
            self.open.decision = Some(decision);
            self.open.dialog = Some(Dialog::Decide);
        } else {
            self.decide(decision);
        }
    }

    /// Has a worker keep the person's assessment of a search result.
    pub(super) fn judge(&mut self, query: SearchQuery, capture: CaptureId, judgement: Option<Judgement>) {
        let settings = self.settings.clone();
        self.write(
            move |session: &Session| {
                session.judge(&query, &[capture], judgement, &settings.person())?;
                Ok(None)
            },
            |kept| Answer::Kept(Vec::new(), kept),
        );
    }

    /// Has a worker find the captures that are meant now, and mark them as one act.
    pub(super) fn decide(&mut self, ReviewDecision { captures, mark, note, detail }: ReviewDecision) {
        let is_note = mark == ReviewMark::Note;
        let settings = self.settings.clone();
        // A note decides nothing: the capture is still to review.
        let reviewed = match &captures {
            SelectedRows::Ids(ids) if matches!(self.open.route, Route::Review { .. }) && !is_note => ids.clone(),
            _ => Vec::new(),
        };
        let work = move |session: &Session| {
            let ids = captures.resolve(session)?;
            if ids.is_empty() {
                return Ok(Some("No capture matches any more; nothing was decided".to_owned()));
            }
            session.mark_with(&ids, mark, (&note, &settings.person()), detail)?;
            let is_one = matches!(&captures, SelectedRows::Ids(ids) if ids.len() == 1);
            Ok((is_note || !is_one).then(|| match mark {
                ReviewMark::Note => format!("Kept the {}", act_summary(mark, ids.len() as u64)),
                mark => act_summary(mark, ids.len() as u64),
            }))
        };
        self.write(work, move |kept| Answer::Kept(reviewed, kept));
    }
}
