//! Results of a draft of a selection, while it is edited.

use super::ByIdentity;
use super::models::{Balance, CaptureId, MovedCaptures, ScoreSet, SelectionCriteria, SelectionSpec};

/// Captures shown on each side of the threshold.
const BORDERLINE: usize = 20;
/// Captures of a list of those that change their side.
pub const LISTED: usize = 200;

/// Scores under the weights and the threshold of a draft.
pub struct TriedSelection {
    /// The draft.
    pub draft: SelectionSpec,
    /// What it selects; none before it is known what its filter and its
    /// collections find.
    pub balance: Option<Balance>,
    /// The captures nearest to the threshold, highest score first.
    pub nearest: Vec<CaptureId>,
    /// The first captures that change their side; none before that is known.
    pub moved: MovedCaptures,
}

/// A draft as JSON, the scores, what its filter and its collections find: none
/// where that is not known.
pub(super) type Trial = (String, ByIdentity<ScoreSet>, Option<ByIdentity<SelectionCriteria>>);

/// Goes through all scores.
pub(super) fn try_selection((draft, scores, criteria): &Trial) -> anyhow::Result<TriedSelection> {
    let (draft, scores) = (serde_json::from_str::<SelectionSpec>(draft)?, scores.answer()?);
    let found = match criteria {
        Some(criteria) => Some(SelectionCriteria::clone(&*criteria.answer()?)),
        None => draft.is_by_score().then(SelectionCriteria::default),
    };
    let sides = found.map(|found| SelectionCriteria { weights: draft.weights, threshold: draft.threshold, ..found });
    let balance = sides.as_ref().map(|sides| scores.draft(sides));
    let moved = sides.as_ref().map(|sides| scores.moved(sides, LISTED)).unwrap_or_default();
    let (above, below) = scores.nearest(&draft.weights, draft.threshold, BORDERLINE);
    let nearest = above.into_iter().rev().chain(below).collect();
    Ok(TriedSelection { draft, balance, nearest, moved })
}
