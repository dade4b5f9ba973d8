//! Scopes of other crawlers: their job configurations, read and written.
//!
//! In: the text of a Heritrix 3 job (`crawler-beans.cxml`), of a Heritrix 1
//! order; out: a campaign with the same rules under the same indexes, and an
//! [`EngineNote`] for everything that has no place in one. The other way
//! round, a campaign as a Heritrix 3 job or as a Browsertrix crawl, and notes
//! of what these cannot do.
//!
//! Invariants: a rule that is not known keeps its index, switched off, so that
//! the numbers in logs stay true. Text in a configuration is data: no
//! document types (entities that grow), and no expressions that the other
//! crawler would run are taken from it or written into it.
//!
//! Not here: folders and files; callers pass their texts.

mod beans;
mod browsertrix;
#[cfg(test)]
mod changed_tests;
mod heritrix_read;
mod heritrix_rules;
mod heritrix_settings;
mod heritrix_write;
mod order;
mod seeds_text;
#[cfg(test)]
mod tests;
mod write_rules;

pub use browsertrix::{browsertrix_campaign, browsertrix_yaml};
pub use heritrix_read::read_heritrix_job;
pub use heritrix_write::{HERITRIX_CONFIGURATION, heritrix_job};
pub use order::read_heritrix1_order;
pub use seeds_text::seeds_of_text;

use crate::campaign::{Campaign, PermissionState};
use serde::Serialize;

/// A job of another crawler as a campaign.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineJob {
    /// The campaign.
    pub campaign: Campaign,
    /// Rules that were found in the scope, those that are not known included.
    pub rules: usize,
    /// Notes on what has no place in a campaign, or a place that is not quite the same.
    pub notes: Vec<EngineNote>,
}

/// Something that is not the same on both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EngineNote {
    /// Where: a file with its line, a rule, a seed, a setting.
    pub place: String,
    /// The note.
    pub what: String,
}

impl EngineNote {
    fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { place: place.into(), what: what.into() }
    }
}

/// The note that refusals of permissions are no rule of the other crawler.
fn refusals_note(campaign: &Campaign) -> Option<EngineNote> {
    let refused = campaign.permissions.iter().filter(|record| record.state == PermissionState::Refused);
    let covers: Vec<&str> = refused.map(|record| record.covers.as_str()).collect();
    let what = format!("refusals are known to Fonds only; leave these out by a rule: {}", covers.join(", "));
    (campaign.grounds.obey_refusals && !covers.is_empty()).then(|| EngineNote::new("permissions", what))
}

impl std::fmt::Display for EngineNote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// A configuration that cannot be read at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {why}")]
pub struct EngineError {
    /// The file.
    pub file: String,
    /// The fault, and what to do.
    pub why: String,
}
