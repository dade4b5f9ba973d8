//! Links of a workspace: the inlink build, its answers, and lists for other programs.

pub(super) mod anchor_check;
pub(super) mod build;
pub(super) mod hosts;
pub(super) mod inlink_dataset;
pub(super) mod inlink_rows;
pub(super) mod link_answers;
pub(super) mod link_files;
pub(super) mod link_models;
pub(super) mod link_sets;
pub(super) mod outlink_gaps;
pub(super) mod repeats;
