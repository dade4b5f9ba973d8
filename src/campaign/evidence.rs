//! Evidence of permissions when a campaign is saved over another version of it.
//!
//! Files are attached to a record after the campaign was written, so the file
//! that a person edits and brings back often does not name them. Evidence is
//! never lost without a word: what the records have that are still there stays,
//! and what has no record any more is named.
//!
//! A record has no number. It is the same one while it covers the same by the
//! same licence or criterion; state, dates, method and requests change with time.

use super::{Campaign, EvidenceFile, Permission};
use serde::Serialize;
use std::collections::{HashMap, HashSet, VecDeque};

/// Files that are listed one by one.
const MAX_LISTED: usize = 20;

/// A file of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordEvidence {
    /// Position of the record in its version, from 0.
    pub record: usize,
    /// The coverage of the record.
    pub covers: String,
    /// The file.
    pub file: EvidenceFile,
}

/// A file of a record that is not in the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissingEvidence {
    /// Record and file.
    #[serde(flatten)]
    pub of: RecordEvidence,
    /// Why it counts as missing, such as `is not there`.
    pub why: String,
}

/// Evidence that was kept, dropped or missing when a campaign was saved over another version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct EvidenceCarried {
    /// Evidence that the campaign did not name and has all the same, by the records of the new version.
    pub kept: Vec<RecordEvidence>,
    /// Evidence that no record of the new version has, by the records of the version before.
    pub dropped: Vec<RecordEvidence>,
    /// Evidence that records of the new version name and the workspace lacks, kept or not.
    pub missing: Vec<MissingEvidence>,
}

impl EvidenceCarried {
    /// Whether there is nothing to report.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.dropped.is_empty() && self.missing.is_empty()
    }

    /// A line on evidence that stayed and is there; none where there is none.
    pub fn kept_line(&self) -> Option<String> {
        let is_there = |kept: &&RecordEvidence| !self.missing.iter().any(|missing| missing.of == **kept);
        let kept: Vec<RecordEvidence> = self.kept.iter().filter(is_there).cloned().collect();
        let line = format!("evidence that it does not name stays attached: {}", labels(&kept));
        (!kept.is_empty()).then_some(line)
    }

    /// A line on evidence that records name and the workspace lacks; none where all is there.
    pub fn missing_line(&self) -> Option<String> {
        let first = self.missing.iter().take(MAX_LISTED);
        let first: Vec<String> = first.map(|missing| format!("{} {}", missing.of.label(), missing.why)).collect();
        let more = match self.missing.len().saturating_sub(MAX_LISTED) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        (!first.is_empty()).then(|| format!("evidence is missing: {}{more}", first.join("; ")))
    }

    /// A line on evidence that was dropped; none where nothing was.
    pub fn dropped_line(&self) -> Option<String> {
        let line = format!(
            "evidence that no record has any more, by the version before: {}. The files stay in the workspace",
            labels(&self.dropped)
        );
        (!self.dropped.is_empty()).then_some(line)
    }
}

/// The first of them, and how many there are more.
fn labels(of: &[RecordEvidence]) -> String {
    let first: Vec<String> = of.iter().take(MAX_LISTED).map(RecordEvidence::label).collect();
    match of.len().saturating_sub(MAX_LISTED) {
        0 => first.join("; "),
        more => format!("{}; and {more} more", first.join("; ")),
    }
}

impl RecordEvidence {
    /// File and record, for a person.
    pub fn label(&self) -> String {
        format!("{} of record {} ({})", self.file.path, self.record + 1, self.covers)
    }
}

impl Campaign {
    /// Takes over the evidence of `before`, the version that this one shall
    /// follow, for the records that are still there. `base` is the version that
    /// whoever wrote this one had before them, where that is known: what is in
    /// that and not in this was taken out on purpose.
    pub fn carry_evidence(&mut self, before: &Self, base: Option<&Self>) -> EvidenceCarried {
        let digest = |file: &EvidenceFile| file.sha256.to_lowercase();
        let digests = |campaign: &Self| -> HashSet<String> {
            campaign.permissions.iter().flat_map(|record| record.files.iter().map(digest)).collect()
        };
        let mut carried = EvidenceCarried::default();
        if before.permissions.iter().all(|record| record.files.is_empty()) {
            return carried;
        }
        let (named, known) = (digests(self), base.map(digests).unwrap_or_default());
        let followers = followers(&before.permissions, &self.permissions);
        for (position, (record, follower)) in before.permissions.iter().zip(followers).enumerate() {
            for file in &record.files {
                let sha256 = digest(file);
                let of = |at| RecordEvidence { record: at, covers: record.covers.clone(), file: file.clone() };
                let is_taken_out = known.contains(&sha256);
                match follower.and_then(|at| self.permissions.get_mut(at).map(|new| (at, new))) {
                    Some((_, new)) if new.files.iter().any(|file| digest(file) == sha256) => {}
                    Some((at, new)) if !is_taken_out => {
                        new.files.push(file.clone());
                        carried.kept.push(of(at));
                    }
                    // It may have been given to another record.
                    _ if named.contains(&sha256) => {}
                    _ => carried.dropped.push(of(position)),
                }
            }
        }
        carried
    }
}

/// The record of the new version that each record with files goes on in; each
/// goes on at most one, those that are wholly the same first.
fn followers(before: &[Permission], after: &[Permission]) -> Vec<Option<usize>> {
    let mut found: Vec<Option<usize>> = vec![None; before.len()];
    let mut taken: HashSet<usize> = HashSet::new();
    for key in [whole_key, record_key] {
        let mut free: HashMap<String, VecDeque<usize>> = HashMap::new();
        for (at, record) in after.iter().enumerate().filter(|(at, _)| !taken.contains(at)) {
            free.entry(key(record)).or_default().push_back(at);
        }
        for (record, found) in before.iter().zip(&mut found) {
            if found.is_none() && !record.files.is_empty() {
                *found = free.get_mut(&key(record)).and_then(VecDeque::pop_front);
                taken.extend(*found);
            }
        }
    }
    found
}

/// All of a record but its files.
fn whole_key(record: &Permission) -> String {
    let bare = Permission { files: Vec::new(), ..record.clone() };
    serde_json::to_string(&bare).unwrap_or_default()
}

/// The key of a record, which stays while the record changes.
fn record_key(record: &Permission) -> String {
    let Permission { covers, reach, criterion, licence, .. } = record;
    format!("{reach:?} {criterion:?} {:?} {:?}", covers.trim(), licence.trim())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::campaign::PermissionState;

    fn record(covers: &str, licence: &str, files: &[&str]) -> Permission {
        let file = |name: &&str| EvidenceFile { path: format!("evidence/{name}"), sha256: format!("{name:0<64}") };
        Permission {
            covers: covers.to_owned(),
            licence: licence.to_owned(),
            state: PermissionState::Granted,
            files: files.iter().map(file).collect(),
            ..Permission::default()
        }
    }

    fn campaign(permissions: Vec<Permission>) -> Campaign {
        Campaign { permissions, ..Campaign::new("Ria") }
    }

    fn each_label(of: &[RecordEvidence]) -> Vec<String> {
        of.iter().map(RecordEvidence::label).collect()
    }

    #[test]
    fn evidence_stays_with_its_record_and_is_named_where_that_is_gone() {
        let before = campaign(vec![record("a", "x", &["1", "2"]), record("b", "x", &["3"]), record("c", "y", &["4"])]);
        // Another order, one with another state, one with another licence, one more.
        let mut changed = record("a", "x", &[]);
        changed.state = PermissionState::Superseded;
        let mut after = campaign(vec![record("b", "x", &[]), record("c", "z", &[]), changed, record("d", "", &[])]);
        let carried = after.carry_evidence(&before, None);
        assert_eq!(
            each_label(&carried.kept),
            ["evidence/1 of record 3 (a)", "evidence/2 of record 3 (a)", "evidence/3 of record 1 (b)"]
        );
        assert_eq!(each_label(&carried.dropped), ["evidence/4 of record 3 (c)"]);
        assert_eq!(after.permissions[2].files, before.permissions[0].files);
        assert!(after.permissions[3].files.is_empty());
        // Once more, and nothing is left to do.
        let again = after.clone();
        assert!(after.carry_evidence(&again, None).is_empty());
    }

    #[test]
    fn what_its_author_had_and_took_out_is_out_and_named() {
        let base = campaign(vec![record("a", "x", &["1", "2"])]);
        let mut since = base.clone();
        since.permissions[0].files.extend(record("", "", &["3"]).files);
        let mut after = campaign(vec![record("a", "x", &["1"])]);
        let carried = after.carry_evidence(&since, Some(&base));
        assert_eq!(each_label(&carried.kept), ["evidence/3 of record 1 (a)"], "it was attached since");
        assert_eq!(each_label(&carried.dropped), ["evidence/2 of record 1 (a)"]);
        // A file that was given to another record is not lost.
        let mut moved = campaign(vec![record("e", "", &["1", "2", "3"])]);
        assert!(moved.carry_evidence(&since, Some(&since)).is_empty());
    }

    #[test]
    fn equal_records_keep_their_evidence_in_order() {
        let before = campaign(vec![record("a", "x", &["1"]), record("a", "x", &["2"])]);
        let mut after = campaign(vec![record("a", "x", &[]), record("a", "x", &[])]);
        after.carry_evidence(&before, None);
        assert_eq!(after, before);
    }
}
