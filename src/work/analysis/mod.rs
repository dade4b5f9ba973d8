//! Analyses of a workspace: who and what its texts speak of.
//!
//! `inputs` names what is analysed, `run` reads texts once, `gather` puts results together, `answers` shows them,
//! `clusters` proposes names that may be those of one entity, `aggregates` are tables that may leave.

mod aggregates;
mod answers;
mod clusters;
mod documents;
mod gather;
mod inputs;
mod personal;
mod run;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use aggregates::{
    AggregateCell, AggregateTable, LEAST_CELL, entities_aggregate, matrix_aggregate, terms_aggregate,
};
pub use answers::{
    AbsentEntity, EntitiesPage, EntityDetail, EntityQuote, PageAnalysis, RunComparison, absent_entities, analysis_run,
    analysis_runs, compare_runs, delete_run, entities_page, entity_rows, load_authority, page_analysis, terms_of_run,
};
pub(in crate::work) use answers::{answering_runs, entity_detail, request_entity_counts};
pub use clusters::{ClusterProposal, cluster_proposals};
pub use documents::analyse_documents;
pub(in crate::work) use inputs::request_entities;
pub use inputs::{AnalysisInputs, AnalysisStep};
pub(in crate::work) use personal::with_personal_data;
pub use personal::{PersonalDataCheck, PersonalDataFound};
pub use run::AnalysisReport;
pub(in crate::work) use run::{AnalysedCaptures, analyse};
