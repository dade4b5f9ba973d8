//! Decisions of persons about captures, the selections that follow from them, and the rows of a
//! handover.

pub(super) mod assessments;
pub(super) mod authorities;
pub(super) mod collections;
pub(super) mod decision_rows;
mod decision_sets;
pub(super) mod exports;
pub(super) mod handover;
pub(in crate::store) mod handover_scores;
pub(super) mod judgements;
pub(super) mod marks;
pub(super) mod queue;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod queue_tests;
pub(super) mod sample_exchange;
pub(super) mod samples;
pub(super) mod score_set;
pub(super) mod selections;
