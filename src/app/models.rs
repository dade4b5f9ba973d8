//! Plain structs that pages draw, and the states in which they arrive.

pub use crate::work::models::*;

/// An answer that may still be on its way.
#[derive(Debug, Clone, PartialEq)]
pub enum Loaded<T> {
    /// Asked for; the last answer to a like question, if there is one.
    Loading {
        /// The value that was shown before.
        last: Option<T>,
    },
    /// Here.
    Ready(T),
    /// The load failed.
    Failed(Notice),
}

impl<T> Loaded<T> {
    /// The answer to the question itself, if it is there.
    pub fn ready(&self) -> Option<&T> {
        match self {
            Self::Ready(value) => Some(value),
            Self::Loading { .. } | Self::Failed(_) => None,
        }
    }

    /// The same state without the answer to another query, for lists whose title
    /// would not be theirs.
    pub fn only_own(self) -> Self {
        match self {
            Self::Loading { .. } => Self::Loading { last: None },
            own => own,
        }
    }

    /// The value that can be shown now, old or new.
    pub fn shown(&self) -> Option<&T> {
        match self {
            Self::Loading { last } => last.as_ref(),
            Self::Ready(value) => Some(value),
            Self::Failed(_) => None,
        }
    }
}

/// Something a person should know, with what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Whether something went wrong.
    pub is_error: bool,
    /// The event.
    pub what: String,
    /// Why.
    pub why: String,
    /// The next step; may be empty.
    pub hint: String,
}

impl Notice {
    /// The notice in one line.
    pub fn line(&self) -> String {
        let parts = [&self.what, &self.why, &self.hint].map(String::as_str);
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" – ")
    }
}
