//! Analyses of a workspace: who and what its texts speak of.
//!
//! `inputs` names what is analysed, `run` reads texts once, `gather` puts results together, `answers` shows them,
//! `clusters` proposes names that may be those of one entity.

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

pub(in crate::work) use answers::entity_detail;
pub use answers::{
    AbsentEntity, EntitiesPage, EntityDetail, EntityQuote, PageAnalysis, RunComparison, absent_entities,
    aggregate_table, analysis_run, analysis_runs, compare_runs, delete_run, entities_page, entity_rows, load_authority,
    page_analysis, terms_of_run,
};
pub use clusters::{ClusterProposal, cluster_proposals};
pub use documents::analyse_documents;
pub use inputs::{AnalysisInputs, AnalysisStep};
pub use personal::PersonalDataFound;
pub(in crate::work) use personal::with_personal_data;
pub use run::AnalysisReport;
pub(in crate::work) use run::{AnalysedCaptures, analyse};
