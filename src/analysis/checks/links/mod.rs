//! The page with what it needs, and with what links to it.

mod anchors;
mod live_leak;
mod missing_resources;
mod own_rules;

pub(super) use anchors::ANCHORS;
pub(super) use live_leak::LIVE_LEAK;
pub(super) use missing_resources::MISSING_RESOURCES;
pub(super) use own_rules::OWN_RULES;
