//! Collects the problems of one record, a limited number of each kind.

use super::{Problem, ProblemKind};

/// Kind and description of a [`Problem`](super::Problem) of a record.
pub(super) type Finding = (ProblemKind, String);

/// Findings of one kind that are listed for a record: a hostile head of 1 MiB has room for hundreds of
/// thousands of broken lines, and the first few suffice. Those of one kind take no place from another.
const MAX_LISTED: usize = 5;

/// The first findings of each kind about a record, and how many more there are.
#[derive(Debug, Default)]
pub(super) struct Findings {
    listed: Vec<Finding>,
    /// How many there are of each kind: the kind gives their severity.
    counts: Vec<(ProblemKind, u64)>,
}

impl Findings {
    pub(super) fn push(&mut self, (kind, detail): Finding) {
        let count = match self.counts.iter_mut().find(|(other, _)| *other == kind) {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                self.counts.push((kind, 1));
                1
            }
        };
        if count <= MAX_LISTED as u64 {
            self.listed.push((kind, detail));
        }
    }

    /// Returns the listed findings, then a line for each kind of which there are more; all as problems of the
    /// record at `offset`.
    pub(super) fn into_problems(self, offset: u64) -> impl Iterator<Item = Problem> {
        let rest = self.counts.into_iter().filter_map(move |(kind, count)| {
            let more = count.checked_sub(MAX_LISTED as u64).filter(|&more| more > 0)?;
            let detail = format!("and {more} more of this kind in this record");
            Some(Problem { count: more, ..Problem::new(offset, kind, detail) })
        });
        self.listed.into_iter().map(move |(kind, detail)| Problem::new(offset, kind, detail)).chain(rest)
    }
}

impl Extend<Finding> for Findings {
    fn extend<I: IntoIterator<Item = Finding>>(&mut self, found: I) {
        found.into_iter().for_each(|finding| self.push(finding));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_of_one_kind_hide_none_of_another() {
        let mut findings = Findings::default();
        findings.extend((0..20).map(|number| (ProblemKind::BadField, format!("field {number}"))));
        findings.push((ProblemKind::BadDigest, "digest".to_owned()));
        let reported: Vec<_> = findings.into_problems(7).map(|found| (found.to_string(), found.count)).collect();
        let expected = [
            ("offset 7: invalid header: field 0", 1),
            ("offset 7: invalid header: field 1", 1),
            ("offset 7: invalid header: field 2", 1),
            ("offset 7: invalid header: field 3", 1),
            ("offset 7: invalid header: field 4", 1),
            ("offset 7: wrong digest: digest", 1),
            ("offset 7: invalid header: and 15 more of this kind in this record", 15),
        ];
        assert_eq!(reported, expected.map(|(text, count)| (text.to_owned(), count)));
    }
}
