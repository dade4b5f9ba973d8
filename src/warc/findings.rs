//! What is wrong with one record, up to a number.

use super::ProblemKind;

/// What is odd, in words, for a [`Problem`](super::Problem) at the place of the record.
pub(super) type Finding = (ProblemKind, String);

/// Findings of one record that are listed: a hostile head of 1 MiB has room
/// for hundreds of thousands of broken lines, and the first few say it all.
const MAX_LISTED: usize = 20;

/// The first findings about a record, and how many more of each kind there are.
#[derive(Debug, Default)]
pub(super) struct Findings {
    listed: Vec<Finding>,
    /// Counted by kind: the kind tells how bad they are.
    unlisted: Vec<(ProblemKind, u64)>,
}

impl Findings {
    pub(super) fn push(&mut self, (kind, detail): Finding) {
        if self.listed.len() < MAX_LISTED {
            self.listed.push((kind, detail));
            return;
        }
        match self.unlisted.iter_mut().find(|(other, _)| *other == kind) {
            Some((_, count)) => *count += 1,
            None => self.unlisted.push((kind, 1)),
        }
    }
}

impl Extend<Finding> for Findings {
    fn extend<I: IntoIterator<Item = Finding>>(&mut self, found: I) {
        found.into_iter().for_each(|finding| self.push(finding));
    }
}

impl IntoIterator for Findings {
    type Item = Finding;
    type IntoIter = std::iter::Chain<std::vec::IntoIter<Finding>, std::vec::IntoIter<Finding>>;

    /// Those listed, then a line for each kind of those that are not.
    fn into_iter(self) -> Self::IntoIter {
        let more = |(kind, count)| (kind, format!("and {count} more of this kind in this record"));
        let rest: Vec<Finding> = self.unlisted.into_iter().map(more).collect();
        self.listed.into_iter().chain(rest)
    }
}
