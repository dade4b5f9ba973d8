//! A key dialect.

use super::Url;
use serde::{Deserialize, Serialize};
use std::fmt;

/// See the table of the room.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CdxKey(String);

impl CdxKey {
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

impl fmt::Display for CdxKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
