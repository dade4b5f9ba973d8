//! The crawl feed of the annotation tool: targets with seeds and schedules.
//!
//! In: the text of a feed in any of its dialects. Out: one [`FeedEntry`] a
//! target, and a [`FeedProblem`] for everything that a person should check.
//! The other way round, entries as the text of a dialect.
//!
//! An entry is the JSON object as it came; what it means is read from it. So
//! an entry goes out as it came in, unknown fields and the very texts of its
//! dates included, unless somebody changed what it means.
//!
//! Invariants: a bad entry keeps no other out; reading never fails as a
//! whole; what is written in a dialect is read as that dialect.
//!
//! Not here: files, the catalogue, when a launch is due.

mod apply;
mod date;
mod dialect;
mod due;
mod fields;
mod message;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use dialect::Dialect;
pub use due::{DueQuestion, FeedFrequency, FeedGrounds, TargetGrounds};
pub use fields::{CrawlFrequency, Meaning, SizeCap};
pub use read::read_feed;
pub use write::write_feed;

use serde::Serialize;
use serde_json::{Map, Value};

/// A target of a feed.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedEntry {
    /// The form it has.
    pub dialect: Dialect,
    /// All fields, in their order.
    pub fields: Map<String, Value>,
}

/// A feed that was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Feed {
    /// The form of the file.
    pub dialect: Dialect,
    /// The entries that can be used, with their index in the file.
    pub entries: Vec<(usize, FeedEntry)>,
    /// How many entries there are, those that cannot be used included.
    pub found: usize,
    /// The problems, in the order of the file.
    pub problems: Vec<FeedProblem>,
    /// Of a wrapped feed: its fields beside the targets.
    pub beside: Map<String, Value>,
}

/// Something in a feed that a person should check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FeedProblem {
    /// Index of the entry from 0; none where it is about the file.
    pub index: Option<usize>,
    /// The field, such as `schedules[0].startDate`; empty where it is about
    /// the entry.
    pub field: String,
    /// The fault.
    pub what: String,
    /// The way to mend it.
    pub hint: String,
    /// Whether the entry stays out because of it.
    pub keeps_out: bool,
}

impl std::fmt::Display for FeedProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(index) = self.index {
            write!(f, "entry {index}")?;
            if !self.field.is_empty() {
                f.write_str(", ")?;
            }
        }
        f.write_str(&self.field)?;
        if self.index.is_some() || !self.field.is_empty() {
            f.write_str(": ")?;
        }
        write!(f, "{}; {}", self.what, self.hint)
    }
}
