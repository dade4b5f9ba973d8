//! Who allowed what: permissions of rights holders, with their evidence.

use crate::uri::{CaptureDate, DateError, ScopePrefix, ScopeSurt};
use serde::{Deserialize, Serialize};

/// What a rights holder said, or has not said yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PermissionState {
    /// Granted.
    Granted,
    /// Refused.
    Refused,
    /// Asked for, without an answer yet.
    Pending,
    /// Not asked for yet.
    Unasked,
}

impl PermissionState {
    /// The state in a word, as it is saved.
    pub fn word(self) -> &'static str {
        match self {
            Self::Granted => "granted",
            Self::Refused => "refused",
            Self::Pending => "pending",
            Self::Unasked => "unasked",
        }
    }
}

/// A permission (an agreement, a licence) and what it covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Permission {
    /// What it covers: a SURT prefix, or a URL that stands for the prefix it
    /// implies as a seed.
    pub covers: String,
    /// How it stands.
    pub state: PermissionState,
    /// Name of the licence or agreement.
    #[serde(default)]
    pub licence: String,
    /// What proves it: a letter, a page, a number in a register.
    #[serde(default)]
    pub evidence: String,
    /// First day it holds, such as `2024-03-01`; empty means always.
    #[serde(default)]
    pub from: String,
    /// First day it holds no more; empty means without end.
    #[serde(default)]
    pub until: String,
}

impl Permission {
    /// Whether it is about this URL.
    pub fn covers(&self, surt: &ScopeSurt) -> bool {
        ScopePrefix::parse(&self.covers).is_some_and(|prefix| prefix.matches(surt))
    }

    /// First instant it holds, and first it holds no more.
    pub fn term(&self) -> Result<(Option<CaptureDate>, Option<CaptureDate>), DateError> {
        let instant = |text: &str| match text.trim() {
            "" => Ok(None),
            text => CaptureDate::parse(text).map(Some),
        };
        Ok((instant(&self.from)?, instant(&self.until)?))
    }
}
