//! Cuts targets into parts once rows have to go to the disk, so that the rows of a part are together there
//! and are read once.

/// Parts at most: their number has eleven bits (see [`super::texts`]).
pub(super) const MOST_PARTS: usize = 512;

/// Targets sampled for each part.
const SAMPLES: usize = 16;

/// A cut is no longer than this; a longer text only shows where it could be.
const CUT_BYTES: usize = 256;

/// Cuts between parts, in order.
#[derive(Debug, Default)]
pub(super) struct Split(Vec<Box<[u8]>>);

impl Split {
    /// Cuts for so many parts of about the same size, where `targets` is like
    /// what will come.
    pub(super) fn new<'t>(parts: usize, targets: impl Iterator<Item = &'t [u8]>) -> Self {
        let mut samples: Vec<&[u8]> = targets.map(|target| &target[..target.len().min(CUT_BYTES)]).collect();
        samples.sort_unstable();
        let each = samples.len().div_ceil(parts.clamp(1, MOST_PARTS)).max(1);
        let mut cuts: Vec<Box<[u8]>> = samples.into_iter().skip(each).step_by(each).map(Box::from).collect();
        cuts.dedup();
        cuts.retain(|cut| !cut.is_empty());
        Self(cuts)
    }

    /// Targets to sample for so many parts.
    pub(super) fn samples(parts: usize) -> usize {
        parts * SAMPLES
    }

    /// Number of parts.
    pub(super) fn parts(&self) -> usize {
        self.0.len() + 1
    }

    /// The part of a target.
    #[inline]
    pub(super) fn part_of(&self, target: &[u8]) -> u16 {
        self.0.partition_point(|cut| **cut <= *target) as u16
    }

    /// Beginnings of the parts but the first.
    pub(super) fn cuts(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(Box::as_ref)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_even_and_in_order() {
        let targets: Vec<String> = (0..10_000).map(|n| format!("(pt,host{:04},)/", n * 7 % 10_000)).collect();
        let split = Split::new(100, targets.iter().step_by(6).map(String::as_bytes));
        assert_eq!(split.parts(), 99);
        let mut sizes = vec![0; split.parts()];
        targets.iter().for_each(|target| sizes[usize::from(split.part_of(target.as_bytes()))] += 1);
        assert!(sizes[..98].iter().all(|size| (80..=120).contains(size)) && sizes[98] < 120, "{sizes:?}");
        let starts: Vec<u16> = split.cuts().map(|cut| split.part_of(cut)).collect();
        assert_eq!(starts, (1..99).collect::<Vec<u16>>());
        assert_eq!((split.part_of(b""), split.part_of(b"\xff")), (0, 98));
    }

    #[test]
    fn one_target_and_long_ones_make_few_parts() {
        let long = ["a".repeat(300), "a".repeat(400), "b".repeat(300)];
        let split = Split::new(3, long.iter().map(String::as_bytes));
        assert_eq!(split.parts(), 3);
        assert_eq!(split.part_of(long[1].as_bytes()), 1);
        assert_eq!(Split::new(9, std::iter::repeat_n(&b"x"[..], 100)).parts(), 2);
        assert_eq!((Split::default().parts(), Split::new(5, std::iter::empty()).parts()), (1, 1));
    }
}
