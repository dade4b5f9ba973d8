//! Samples of pages to review: how many, which, in what order, and what they tell about all pages.
//!
//! In: sizes of hosts, numbers of captures, judged pages. Out: sizes of samples, an order, shares with
//! intervals of 95 %.
//!
//! | file | answers |
//! |---|---|
//! | [`sample_size()`] | how many pages a margin takes |
//! | [`drawn_of_strata()`] | how many of them each host has |
//! | [`random_order()`] | which pages, in an order of which each beginning is a sample |
//! | [`StratifiedShare`] | the share of faulty pages of all, by those of the hosts |
//! | [`SampleFigures`] | what is known after so many decisions |
//! | [`median_of_last()`] | how long a decision takes |
//!
//! Invariants: pure; the same seed gives the same order, whatever the order of the input.
//!
//! Not here: a queue by severity, which is no sample; the agreement of two persons, see
//! [`RaterAgreement`](crate::analysis::RaterAgreement).

mod figures;
mod order;
mod pace;
mod strata;

pub use figures::SampleFigures;
pub use order::{every_fifth, random_order};
pub use pace::{DECISIONS_OF_PACE, median_of_last};
pub use strata::{StratifiedShare, Stratum, drawn_of_strata};

/// The 97.5th percentile of the normal distribution: intervals of 95 %.
pub(in crate::analysis) const Z: f64 = 1.959_963_984_540_054;

/// The number of pages to judge so that the share of faulty ones among `population` pages is known within
/// `margin` (0 to 1) with 95 %, where about `expected` (0 to 1) of them are faulty; 0.5 assumes nothing.
/// Normal approximation with the correction for a finite population (W. G. Cochran, Sampling Techniques, 3rd
/// ed. 1977, section 4.4). All of them where `margin` is not above 0.
pub fn sample_size(population: u64, margin: f64, expected: f64) -> u64 {
    if population == 0 || margin.is_nan() || margin <= 0.0 {
        return population;
    }
    let expected = expected.clamp(0.0, 1.0);
    let unbounded = Z * Z * expected * (1.0 - expected) / (margin * margin);
    let size = unbounded / (1.0 + (unbounded - 1.0).max(0.0) / population as f64);
    (size.ceil() as u64).clamp(1, population)
}

/// The number of pages to judge so that at least one with a fault that `share` (0 to 1) of the pages have is among
/// them with 95 %, in a large population. None where the share is not between 0 and 1.
pub fn size_to_meet_one(share: f64) -> Option<u64> {
    if share >= 1.0 {
        return Some(1);
    }
    (share > 0.0).then(|| (0.05_f64.ln() / (-share).ln_1p()).ceil() as u64)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::analysis::Proportion;

    /// Sizes that R's `samplingbook::sample.size.prop` and Cochran's formula give for four populations.
    #[test]
    fn a_margin_takes_as_many_pages_as_the_formula_of_a_finite_population_has() {
        let populations = [200, 1000, 10_000, 1_000_000];
        for (margin, expected, sizes) in [
            (0.10, 0.5, [66, 88, 96, 97]),
            (0.05, 0.5, [132, 278, 370, 385]),
            (0.03, 0.5, [169, 517, 965, 1066]),
            (0.05, 0.1, [83, 122, 137, 139]),
        ] {
            assert_eq!(populations.map(|of| sample_size(of, margin, expected)), sizes, "{margin} {expected}");
        }
        assert_eq!([sample_size(0, 0.1, 0.5), sample_size(7, 0.0, 0.5), sample_size(7, f64::NAN, 0.5)], [0, 7, 7]);
        assert_eq!([sample_size(1, 0.1, 0.5), sample_size(500, 0.1, 0.0)], [1, 1]);
    }

    #[test]
    fn a_rare_fault_is_met_once_in_so_many_pages() {
        assert_eq!([0.01, 0.02, 0.05].map(|share| size_to_meet_one(share).unwrap()), [299, 149, 59]);
        assert_eq!([size_to_meet_one(0.0), size_to_meet_one(1.0), size_to_meet_one(f64::NAN)], [None, Some(1), None]);
    }

    /// `statsmodels.stats.proportion.proportion_confint(hits, all, method="wilson")`.
    #[test]
    fn the_interval_of_a_share_is_that_of_wilson() {
        for (hits, all, low, high) in [
            (0, 30, 0.0, 0.1135),
            (0, 100, 0.0, 0.0370),
            (0, 300, 0.0, 0.0126),
            (5, 50, 0.0435, 0.2136),
            (10, 100, 0.0552, 0.1744),
            (50, 500, 0.0767, 0.1295),
            (2, 37, 0.0149, 0.1770),
        ] {
            let share = Proportion::of(hits, all).unwrap();
            let is_near = |a: f64, b: f64| (a - b).abs() < 0.000_051;
            assert!(is_near(share.low, low) && is_near(share.high, high), "{hits} of {all}: {share:?}");
        }
    }
}
