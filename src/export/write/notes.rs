//! What an export writes otherwise than its source has it, and loses nothing by: each kind is one line.

use crate::jobs::counted;
use std::collections::BTreeMap;

/// A kind of change, or of what stays though other programs wonder at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::export) enum ExportNote {
    /// A target URI in angle brackets, as the grammar of WARC 1.0 has it.
    Brackets,
    /// A URI with a blank in it.
    Blank,
    /// A date in a form that not every reader takes.
    Date,
    /// A digest whose algorithm nobody knows.
    UnknownDigest,
    /// A record without an id.
    NoId,
    /// A record that stands in several files.
    Twice,
}

impl ExportNote {
    /// What was done about so many of them, in words.
    fn line(self, count: u64) -> String {
        let (records, fields) = (counted(count, "record"), counted(count, "field"));
        match self {
            Self::Brackets => format!(
                "{records} with the target URI in angle brackets, as the grammar of WARC 1.0 has it: it is kept; index and metadata records have it without them"
            ),
            Self::Blank => format!(
                "{fields} with a blank in a URI, which checks of other programs refuse: it is percent-encoded; what stood there is kept as WARC-Fonds-Source-Target-URI"
            ),
            Self::Date => format!(
                "{fields} with a date in a form that not every reader takes: it is written in the common one; what stood there is kept as WARC-Fonds-Source-Date"
            ),
            Self::UnknownDigest => format!(
                "{fields} with a digest of no algorithm or an unknown one: the SHA-1 is written; what stood there is kept under a name that begins with WARC-Fonds-Source"
            ),
            Self::NoId => format!("{records} without an id: a new one is written"),
            Self::Twice if count == 1 => format!("{records} that stands in several places: it is written once"),
            Self::Twice => format!("{records} that stand in several places: each is written once"),
        }
    }
}

/// All of them, counted, each kind with the place of the first.
#[derive(Debug, Default)]
pub(in crate::export) struct ExportNotes(BTreeMap<ExportNote, (u64, String)>);

impl ExportNotes {
    /// Counts one that was met there.
    pub(in crate::export) fn add(&mut self, kind: ExportNote, at: &str) {
        let (count, _) = self.0.entry(kind).or_insert_with(|| (0, at.to_owned()));
        *count += 1;
    }

    /// A line for each kind.
    pub(in crate::export) fn lines(&self) -> Vec<String> {
        let line = |(kind, (count, first)): (&ExportNote, &(u64, String))| {
            let which = if *count == 1 { "it is in" } else { "the first is in" };
            format!("{}; {which} {first}", kind.line(*count))
        };
        self.0.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hundreds_of_one_kind_are_one_line() {
        let mut notes = ExportNotes::default();
        (0..300).for_each(|nth| notes.add(ExportNote::Brackets, &format!("a.warc, offset {nth}")));
        notes.add(ExportNote::Date, "b.warc, offset 7");
        let lines = notes.lines();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("300 records with the target URI in angle brackets"), "{lines:?}");
        assert!(lines[0].ends_with("the first is in a.warc, offset 0"), "{lines:?}");
        assert!(lines[1].starts_with("1 field with a date") && lines[1].ends_with("it is in b.warc, offset 7"));
    }
}
