//! Keeps problems and counts of the input beside the runs that hold its rows, so that a resumed build reports
//! them as if it had read all itself.

use crate::captures::{DocumentReport, MAX_LISTED, Place, Unread};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Counts by part of the input and kind, and a list of places.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notes {
    /// How many of each kind, by part of the input.
    counts: BTreeMap<u32, BTreeMap<String, u64>>,
    listed: Vec<Noted>,
}

/// Note on one place of the input.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Noted {
    /// Which part of the input: a file's number.
    pub unit: u32,
    /// Where in it.
    pub place: u64,
    /// Name of the item there.
    pub what: String,
    /// Text of the note.
    pub why: String,
}

impl Notes {
    /// Counts something.
    pub fn count(&mut self, unit: u32, kind: &str, count: u64) {
        if count > 0 {
            *self.counts.entry(unit).or_default().entry(kind.to_owned()).or_default() += count;
        }
    }

    /// Lists a place.
    pub fn list(&mut self, noted: Noted) {
        self.listed.push(noted);
    }

    /// Counts of a part of the input.
    pub fn counts_of(&self, unit: u32) -> impl Iterator<Item = (&str, u64)> {
        self.counts.get(&unit).into_iter().flatten().map(|(kind, count)| (kind.as_str(), *count))
    }

    /// The first places.
    pub fn listed(&self) -> &[Noted] {
        &self.listed
    }

    /// Leaves places behind one out of the list.
    pub(super) fn cut_behind(&mut self, last: &Noted) {
        self.listed.retain(|noted| noted <= last);
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (unit, counts) in &other.counts {
            counts.iter().for_each(|(kind, count)| self.count(*unit, kind, *count));
        }
        if !other.listed.is_empty() {
            self.listed.extend_from_slice(&other.listed);
            self.listed.sort_unstable();
            self.listed.truncate(MAX_LISTED);
        }
    }
}

impl From<&DocumentReport> for Notes {
    fn from(report: &DocumentReport) -> Self {
        let mut notes = Self::default();
        report.unread.iter().for_each(|(why, count)| notes.count(0, why.as_str(), *count));
        for (place, url, why) in &report.listed {
            let (what, why) = (url.clone(), why.as_str().to_owned());
            notes.list(Noted { unit: place.file, place: place.offset, what, why });
        }
        notes
    }
}

impl From<&Notes> for DocumentReport {
    fn from(notes: &Notes) -> Self {
        let counts = notes.counts_of(0).filter_map(|(why, count)| Some((Unread::parse(why)?, count)));
        let listed = notes.listed().iter().filter_map(|noted| {
            let place = Place { file: noted.unit, offset: noted.place };
            Some((place, noted.what.clone(), Unread::parse(&noted.why)?))
        });
        Self { unread: counts.collect(), listed: listed.collect(), ..Self::default() }
    }
}
