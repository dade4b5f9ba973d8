//! Results of a draft of a selection, while it is edited.

use super::ByIdentity;
use super::models::{Balance, CaptureId, ScoreSet, SelectionCriteria, SelectionSpec};

/// Captures shown on each side of the threshold.
const BORDERLINE: usize = 20;

/// Scores under the weights and the threshold of a draft.
pub struct TriedSelection {
    /// The draft.
    pub draft: SelectionSpec,
    /// What it selects; none before it is known what its filter and its
    /// collections find.
    pub balance: Option<Balance>,
    /// The captures nearest to the threshold, highest score first.
    pub nearest: Vec<CaptureId>,
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
    let balance = found
        .map(|found| scores.draft(&SelectionCriteria { weights: draft.weights, threshold: draft.threshold, ..found }));
    let (above, below) = scores.nearest(&draft.weights, draft.threshold, BORDERLINE);
    let nearest = above.into_iter().rev().chain(below).collect();
    Ok(TriedSelection { draft, balance, nearest })
}
