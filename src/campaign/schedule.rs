//! When a campaign runs.

use serde::{Deserialize, Serialize};

/// How often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Frequency {
    /// Only when a person starts it.
    #[default]
    Manual,
    /// Every hour.
    Hourly,
    /// Every day.
    Daily,
    /// Every week, on Monday when no date is given.
    Weekly,
    /// Every month, on the 1st when no date is given.
    Monthly,
    /// Every three months.
    Quarterly,
    /// Every year, on the campaign's birthday when no date is given.
    Yearly,
}

/// When a campaign runs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Schedule {
    /// How often.
    pub frequency: Frequency,
    /// First run, ISO 8601; gives hour and day of the later ones.
    pub start: Option<String>,
    /// No run after this, ISO 8601.
    pub end: Option<String>,
    /// One-off dates besides, ISO 8601.
    pub extra: Vec<String>,
}

impl Schedule {
    /// The next run in words.
    pub fn next_run_words(&self, _after: crate::uri::CaptureDate, _created: crate::uri::CaptureDate) -> Option<String> {
        None
    }
}
