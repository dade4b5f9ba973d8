//! Agreement of two persons who judged the same things.

use serde::Serialize;

/// So many pairs make a coefficient; of fewer only the share of equal judgements is shown.
pub const LEAST_PAIRS: u64 = 30;

/// The agreement of two persons.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RaterAgreement {
    /// Things that both judged.
    pub both: u64,
    /// Things with the same judgement by both.
    pub agreed: u64,
    /// Cohen's κ; none below [`LEAST_PAIRS`], or where chance explains all of it.
    pub kappa: Option<f64>,
    /// Gwet's AC1, which stays high where nearly all judgements are of one kind; none as κ.
    pub ac1: Option<f64>,
}

impl RaterAgreement {
    /// The agreement in judgements that are each one of `categories`.
    pub fn of<T: PartialEq>(pairs: &[(T, T)], categories: &[T]) -> Self {
        let both = pairs.len() as u64;
        let is_enough = both >= LEAST_PAIRS;
        Self {
            both,
            agreed: pairs.iter().filter(|(a, b)| a == b).count() as u64,
            kappa: kappa(pairs, categories).filter(|_| is_enough),
            ac1: ac1(pairs, categories).filter(|_| is_enough),
        }
    }

    /// The share of equal judgements; none without a pair.
    pub fn raw(&self) -> Option<f64> {
        (self.both > 0).then(|| self.agreed as f64 / self.both as f64)
    }
}

/// Agreement beyond chance of two persons (J. Cohen: A coefficient of agreement for nominal scales, Educational and
/// Psychological Measurement 20, 1960). None without pairs, or where both gave everything one judgement.
pub(super) fn kappa<T: PartialEq>(pairs: &[(T, T)], categories: &[T]) -> Option<f64> {
    let by_chance = |first: f64, second: f64| first * second;
    beyond_chance(pairs, categories.iter().map(|of| shares(pairs, of)).map(|(a, b)| by_chance(a, b)).sum())
}

/// Agreement beyond chance, where chance is that of persons who guess now and then (K. L. Gwet: Computing inter-rater
/// reliability and its variance in the presence of high agreement, British Journal of Mathematical and
/// Statistical Psychology 61, 2008). None without pairs, or with one category.
fn ac1<T: PartialEq>(pairs: &[(T, T)], categories: &[T]) -> Option<f64> {
    let others = categories.len().checked_sub(1).filter(|others| *others > 0)?;
    let of_either = categories.iter().map(|of| shares(pairs, of)).map(|(a, b)| (a + b) / 2.0);
    let by_chance: f64 = of_either.map(|share| share * (1.0 - share)).sum();
    beyond_chance(pairs, by_chance / others as f64)
}

/// The shares of a category in the judgements of the first and of the second person.
fn shares<T: PartialEq>(pairs: &[(T, T)], of: &T) -> (f64, f64) {
    let n = pairs.len() as f64;
    let first = pairs.iter().filter(|(a, _)| a == of).count() as f64;
    let second = pairs.iter().filter(|(_, b)| b == of).count() as f64;
    (first / n, second / n)
}

fn beyond_chance<T: PartialEq>(pairs: &[(T, T)], by_chance: f64) -> Option<f64> {
    let agreed = pairs.iter().filter(|(a, b)| a == b).count() as f64 / pairs.len() as f64;
    (by_chance < 1.0).then(|| (agreed - by_chance) / (1.0 - by_chance))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Pairs with so many of each: both good, good and bad, bad and good, both bad.
    fn pairs(of: [usize; 4]) -> Vec<(bool, bool)> {
        let kinds = [(true, true), (true, false), (false, true), (false, false)];
        kinds.into_iter().zip(of).flat_map(|(pair, times)| std::iter::repeat_n(pair, times)).collect()
    }

    /// By the definitions in fractions; those of lopsided judgements show why both are shown.
    #[test]
    fn coefficients_are_those_of_cohen_and_gwet() {
        for (of, kappa, ac1) in [([40, 5, 5, 50], "0.7980", "0.8020"), ([90, 4, 4, 2], "0.2908", "0.9098")] {
            let found = RaterAgreement::of(&pairs(of), &[true, false]);
            assert_eq!(format!("{:.4}", found.kappa.unwrap()), kappa, "{of:?}");
            assert_eq!(format!("{:.4}", found.ac1.unwrap()), ac1, "{of:?}");
        }
        assert_eq!(RaterAgreement::of(&pairs([90, 4, 4, 2]), &[true, false]).raw(), Some(0.92));
    }

    #[test]
    fn fewer_than_thirty_pairs_make_no_coefficient() {
        let few = RaterAgreement::of(&pairs([20, 4, 4, 1]), &[true, false]);
        assert_eq!((few.both, few.agreed, few.kappa, few.ac1), (29, 21, None, None));
        let enough = RaterAgreement::of(&pairs([20, 4, 4, 2]), &[true, false]);
        assert!(enough.kappa.is_some() && enough.ac1.is_some());
        let none = RaterAgreement::of(&pairs([0; 4]), &[true, false]);
        assert_eq!((none.both, none.raw(), none.kappa), (0, None, None));
        let one_kind = RaterAgreement::of(&pairs([40, 0, 0, 0]), &[true, false]);
        assert_eq!((one_kind.kappa, one_kind.ac1), (None, Some(1.0)), "chance explains all of it for Cohen");
    }
}
