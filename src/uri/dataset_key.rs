//! The key of the published inlink data set.

use super::Url;
use serde::{Deserialize, Serialize};
use std::fmt;

/// `(pt,fccn,` for a host's root page, `(pt,fccn,)/path` for the rest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DatasetKey(String);

impl DatasetKey {
    /// The key of a parsed URL.
    pub fn of(url: &Url) -> Self {
        let _ = url;
        Self(String::new())
    }

    /// The text of the key.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DatasetKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
