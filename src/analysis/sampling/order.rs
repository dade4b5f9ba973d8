//! The order of a sample.

use crate::text::near::mixed;

/// Captures in an order that the seed alone determines: each is as likely as any other to be the nth, so that the
/// first of them are a sample of them all, however many. Equal ones are kept once.
pub fn random_order<T: Copy + Ord + Into<i64>>(mut of: Vec<T>, seed: u64) -> Vec<T> {
    of.sort_unstable();
    of.dedup();
    let place = |id: T| mixed(seed ^ mixed(Into::<i64>::into(id).cast_unsigned()));
    // A number has one place, so that equal ones are not expected; the number itself decides then.
    of.sort_by_cached_key(|id| (place(*id), *id));
    of
}

/// Whether the page at this place of a sample, from 0, is judged by a second person: one of each five, at a place
/// that the seed determines, so that each beginning has its fifth of them.
pub fn every_fifth(place: u64, seed: u64) -> bool {
    const OF: u64 = 5;
    place % OF == mixed(seed ^ mixed(place / OF)) % OF
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_same_seed_gives_the_same_order_whatever_the_order_of_the_input() {
        let ids: Vec<i64> = (1..=1000).collect();
        let order = random_order(ids.clone(), 7);
        assert_eq!(random_order(ids.iter().rev().copied().chain([5, 5]).collect(), 7), order);
        assert_ne!(random_order(ids.clone(), 8), order);
        assert_eq!(order.iter().copied().collect::<BTreeSet<_>>().len(), 1000);
    }

    /// Of a population with a tenth of faulty pages, 95 of a hundred intervals hold that share, also of what was
    /// stopped early.
    #[test]
    fn each_beginning_of_the_order_is_a_sample() {
        use crate::analysis::Proportion;
        for stopped_after in [37, 100] {
            let holds = |seed: u64| {
                let order = random_order((1..=5000_i64).collect(), seed);
                let faulty = order[..stopped_after].iter().filter(|id| **id <= 500).count();
                let share = Proportion::of(faulty as u64, stopped_after as u64).unwrap();
                share.low <= 0.1 && share.high >= 0.1
            };
            let holding = (0..400).filter(|seed| holds(*seed)).count();
            assert!((368..=396).contains(&holding), "{holding} of 400 after {stopped_after}");
        }
    }

    #[test]
    fn a_fifth_of_each_beginning_is_judged_twice() {
        for seed in 0..20 {
            for size in [5, 50, 385] {
                assert_eq!((0..size).filter(|place| every_fifth(*place, seed)).count() as u64, size / 5);
            }
        }
        let first = |seed| (0..5).find(|place| every_fifth(*place, seed)).unwrap();
        assert!((0..50).map(first).collect::<BTreeSet<_>>().len() == 5, "no place is sure to be judged twice");
    }
}
