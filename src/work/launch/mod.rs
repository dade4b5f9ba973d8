//! Launches of campaigns: what a crawl would do, its run, and schedules that start it.

pub(super) mod applied_version;
pub(super) mod crawl;
pub(super) mod crawl_plan;
pub(super) mod launches;
pub(super) mod live_view;
mod named_proposals;
pub(super) mod patch;
pub(super) mod queue;
pub(super) mod replay;
pub(super) mod resting_host;
pub(super) mod schedule;
pub(super) mod suggestions;
pub(super) mod trial_pages;
pub(super) mod trials;
