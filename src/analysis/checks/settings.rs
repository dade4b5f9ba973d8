//! What a person set for the checks of a workspace: other thresholds, and checks that are off.

use super::Check;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Thresholds and checks as they were set. Serialized, a setting of the workspace.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CheckSettings {
    /// Checks that do not run, by name.
    pub off: BTreeSet<String>,
    /// Thresholds that are others than the program's, each as `check.threshold`.
    pub thresholds: BTreeMap<String, f64>,
}

impl CheckSettings {
    /// Whether a check runs.
    pub fn is_on(&self, check: &Check) -> bool {
        !self.off.contains(check.id)
    }

    /// The thresholds of a check.
    pub fn limits<'s>(&'s self, check: &'s Check) -> CheckLimits<'s> {
        CheckLimits { check, settings: self }
    }
}

/// The thresholds of one check.
#[derive(Debug, Clone, Copy)]
pub struct CheckLimits<'s> {
    check: &'s Check,
    settings: &'s CheckSettings,
}

impl CheckLimits<'_> {
    /// The threshold of this name: as it was set, else the program's; 0 where the check has none of that name.
    pub fn of(&self, name: &str) -> f64 {
        let own = |threshold: &&super::Threshold| threshold.name == name;
        let default = self.check.thresholds.iter().find(own).map_or(0.0, |threshold| threshold.default);
        match self.settings.thresholds.is_empty() {
            true => default,
            false => *self.settings.thresholds.get(&format!("{}.{name}", self.check.id)).unwrap_or(&default),
        }
    }

    /// The threshold as a count.
    pub fn count(&self, name: &str) -> u64 {
        self.of(name).max(0.0) as u64
    }
}
