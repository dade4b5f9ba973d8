//! Decisions and notes of persons, and where those of other workspaces are from.

use crate::uri::CaptureDate;
use serde::{Deserialize, Serialize};

/// A person's decision on a capture, or a note. Append-only; of decisions the
/// last one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReviewMark {
    /// In every selection of its campaign, above score and filter.
    Approve,
    /// Out of every selection and export, above score and filter.
    Reject,
    /// To be reviewed again; score and filter decide.
    Flag,
    /// To be reviewed again after a new crawl captured the page; score and filter decide.
    Later,
    /// Takes the decision back.
    Clear,
    /// Only a note; it decides nothing.
    Note,
}

impl ReviewMark {
    /// Every mark, in the order of menus.
    pub const ALL: [Self; 6] = [Self::Approve, Self::Reject, Self::Flag, Self::Later, Self::Clear, Self::Note];
    /// The marks that a capture can have as its decision.
    pub const DECISIONS: [Self; 4] = [Self::Approve, Self::Reject, Self::Flag, Self::Later];

    /// Whether it puts a capture into every selection, or out of each; none
    /// where it leaves that to score or filter.
    pub fn decides(self) -> Option<bool> {
        match self {
            Self::Approve => Some(true),
            Self::Reject => Some(false),
            Self::Flag | Self::Later | Self::Clear | Self::Note => None,
        }
    }

    /// Its name for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Approve => "Approved",
            Self::Reject => "Rejected",
            Self::Flag => "Flagged",
            Self::Later => "Later, after a new crawl",
            Self::Clear => "Decision cleared",
            Self::Note => "Note",
        }
    }
}

/// A decision or note of a person about a capture, with its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaptureNote {
    /// When.
    pub date: CaptureDate,
    /// The person.
    pub who: String,
    /// Its origin, where it was given in another workspace: the name of a handover or file.
    pub origin: Option<String>,
    /// The mark.
    pub mark: ReviewMark,
    /// Why, or the note.
    pub note: String,
    /// Whether it was taken back.
    pub undone: bool,
    /// It was given on another capture of the same page and content.
    pub inherited: bool,
}

impl CaptureNote {
    /// The person who gave it, with its origin.
    pub fn by(&self) -> String {
        with_origin(&self.who, self.origin.as_deref())
    }

    /// Its reason or text, that it is inherited, and that it was taken back.
    pub fn text(&self) -> String {
        let notes = [(self.inherited, "(inherited)"), (self.undone, "(undone)")];
        let notes = notes.into_iter().filter(|(holds, _)| *holds).map(|(_, note)| note);
        Some(self.note.as_str()).filter(|note| !note.is_empty()).into_iter().chain(notes).collect::<Vec<_>>().join(" ")
    }
}

/// A decision with what it came with from another workspace, and that it was given on another
/// capture of the same page and content: the text that every list has.
pub fn with_source(label: &str, origin: Option<&str>, inherited: bool) -> String {
    match (inherited, origin) {
        (false, origin) => with_origin(label, origin),
        (true, None) => format!("{label} (inherited)"),
        (true, Some(origin)) => format!("{label} (inherited, from {origin})"),
    }
}

/// A person or thing with its origin in another workspace: the text that every list and message
/// has.
pub fn with_origin(text: &str, origin: Option<&str>) -> String {
    match (text, origin) {
        (_, None) => text.to_owned(),
        ("", Some(origin)) => format!("(from {origin})"),
        (_, Some(origin)) => format!("{text} (from {origin})"),
    }
}
