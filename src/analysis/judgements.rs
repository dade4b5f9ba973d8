//! Evaluation of search results by the judgements of people.
//!
//! A result is right or wrong by the majority of its judges; without one it
//! is unsure. Precision is that of the results which are right or wrong:
//! those that nobody judged, and those that are unsure, are counted beside it.
//! The gain counts the order, too: a right result gains 1, an unsure one ½, and
//! one that is wrong or that nobody judged nothing.

use super::agreement::kappa;
use super::sampling::Z;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The first so many results are measured.
pub const CUTOFFS: [u64; 4] = [5, 10, 20, 50];

/// The judgement of a person on a search result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Judgement {
    /// It answers the query.
    Right,
    /// It does not.
    Wrong,
    /// The person cannot decide.
    Unsure,
}

impl Judgement {
    /// Every judgement, in the order of menus.
    pub const ALL: [Self; 3] = [Self::Right, Self::Wrong, Self::Unsure];

    /// The name of the judgement in files and commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong",
            Self::Unsure => "unsure",
        }
    }

    /// The name of the judgement for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Right => "Right",
            Self::Wrong => "Wrong",
            Self::Unsure => "Unsure",
        }
    }

    /// The judgement of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|judgement| judgement.name() == name)
    }

    /// The majority of judgements; unsure without one.
    pub fn of_majority(judgements: impl IntoIterator<Item = Self>) -> Self {
        let weight = |judgement| match judgement {
            Self::Right => 1_i64,
            Self::Wrong => -1,
            Self::Unsure => 0,
        };
        match judgements.into_iter().map(weight).sum::<i64>() {
            1.. => Self::Right,
            0 => Self::Unsure,
            _ => Self::Wrong,
        }
    }
}

/// A result with the judgement of each judge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResultJudgements {
    /// Its place among the results by relevance, from 1, where it was shown there.
    pub rank: Option<u64>,
    /// Judges with their judgements; each judge once.
    pub by: Vec<(String, Judgement)>,
}

/// Counts of results that are right, wrong or unsure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct JudgementCounts {
    /// Results that are right.
    pub right: u64,
    /// Results that are wrong.
    pub wrong: u64,
    /// Results that nobody could decide, or that judges disagree about.
    pub unsure: u64,
}

impl JudgementCounts {
    /// The number of all judged results.
    pub fn judged(self) -> u64 {
        self.right + self.wrong + self.unsure
    }

    /// The number of results with this judgement.
    pub fn of(self, judgement: Judgement) -> u64 {
        match judgement {
            Judgement::Right => self.right,
            Judgement::Wrong => self.wrong,
            Judgement::Unsure => self.unsure,
        }
    }

    /// The share of right ones; none where nothing is right or wrong.
    pub fn precision(self) -> Option<Proportion> {
        Proportion::of(self.right, self.right + self.wrong)
    }

    fn of_all(judgements: impl IntoIterator<Item = Judgement>) -> Self {
        let mut counts = Self::default();
        for judgement in judgements {
            match judgement {
                Judgement::Right => counts.right += 1,
                Judgement::Wrong => counts.wrong += 1,
                Judgement::Unsure => counts.unsure += 1,
            }
        }
        counts
    }
}

/// A share with its interval of 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Proportion {
    /// The share.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Proportion {
    /// The share of `hits` in `all`, with the score interval of E. B. Wilson (Probable
    /// inference, the law of succession, and statistical inference, JASA 22,
    /// 1927), which holds for few cases and near 0 and 1, too. None of none is no share.
    pub fn of(hits: u64, all: u64) -> Option<Self> {
        if all == 0 {
            return None;
        }
        let (n, share) = (all as f64, hits as f64 / all as f64);
        let centre = share + Z * Z / (2.0 * n);
        let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        let end = |at: f64| (at / scale).clamp(0.0, 1.0);
        Some(Self { value: share, low: end(centre - half).min(share), high: end(centre + half).max(share) })
    }
}

impl fmt::Display for Proportion {
    /// Writes it as “0.80 (0.49–0.94)”.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} ({:.2}–{:.2})", self.value, self.low, self.high)
    }
}

/// Precision of the first results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PrecisionAt {
    /// How many results.
    pub k: u64,
    /// Counts of those that were judged.
    #[serde(flatten)]
    pub counts: JudgementCounts,
    /// The share of right ones among those that are right or wrong.
    pub precision: Option<Proportion>,
}

/// The figures of one judge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgeFigures {
    /// Name of the judge.
    pub judge: String,
    /// The judgements.
    #[serde(flatten)]
    pub counts: JudgementCounts,
    /// The share of right ones among those that are right or wrong.
    pub precision: Option<Proportion>,
}

/// The agreement of two judges.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgeAgreement {
    /// Names of the judges.
    pub judges: [String; 2],
    /// Results that both judged.
    pub both: u64,
    /// Results with the same judgement by both.
    pub agreed: u64,
    /// Cohen's κ; none where both gave everything one judgement, or judged nothing in common.
    pub kappa: Option<f64>,
}

/// The results of a query in figures.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SearchEvaluation {
    /// All results that were judged.
    #[serde(flatten)]
    pub counts: JudgementCounts,
    /// Precision of all results that were judged.
    pub precision: Option<Proportion>,
    /// The precision of the first results, for each of [`CUTOFFS`].
    pub at: Vec<PrecisionAt>,
    /// The discounted gain of the first ten results, as a share of that of the best order of all
    /// that were judged; none where nothing gains.
    pub ndcg_10: Option<f64>,
    /// By judge.
    pub judges: Vec<JudgeFigures>,
    /// By pairs of judges that have judged the same results.
    pub agreements: Vec<JudgeAgreement>,
}

impl SearchEvaluation {
    /// The figures of results.
    pub fn of(results: &[ResultJudgements]) -> Self {
        let results: Vec<&ResultJudgements> = results.iter().filter(|result| !result.by.is_empty()).collect();
        let majority =
            |result: &&ResultJudgements| Judgement::of_majority(result.by.iter().map(|(_, judgement)| *judgement));
        let counts = JudgementCounts::of_all(results.iter().map(majority));
        let at = CUTOFFS.map(|k| {
            let first = results.iter().filter(|result| result.rank.is_some_and(|rank| rank <= k));
            let counts = JudgementCounts::of_all(first.map(majority));
            PrecisionAt { k, counts, precision: counts.precision() }
        });
        let mut names: Vec<&String> =
            results.iter().flat_map(|result| result.by.iter().map(|(name, _)| name)).collect();
        names.sort_unstable();
        names.dedup();
        let by = |name: &String, result: &ResultJudgements| {
            result.by.iter().find(|(judge, _)| judge == name).map(|(_, judgement)| *judgement)
        };
        let judges = names.iter().map(|name| {
            let counts = JudgementCounts::of_all(results.iter().filter_map(|result| by(name, result)));
            JudgeFigures { judge: (*name).clone(), counts, precision: counts.precision() }
        });
        let mut agreements = Vec::new();
        for (nth, first) in names.iter().enumerate() {
            for second in names.iter().skip(nth + 1) {
                let both = results.iter().filter_map(|result| Some((by(first, result)?, by(second, result)?)));
                let both: Vec<(Judgement, Judgement)> = both.collect();
                if !both.is_empty() {
                    agreements.push(JudgeAgreement {
                        judges: [(*first).clone(), (*second).clone()],
                        both: both.len() as u64,
                        agreed: both.iter().filter(|(a, b)| a == b).count() as u64,
                        kappa: kappa(&both, &Judgement::ALL),
                    });
                }
            }
        }
        let ranked: Vec<(Option<u64>, Judgement)> =
            results.iter().map(|result| (result.rank, majority(result))).collect();
        Self {
            counts,
            precision: counts.precision(),
            at: at.to_vec(),
            ndcg_10: ndcg(&ranked, 10),
            judges: judges.collect(),
            agreements,
        }
    }

    /// Cohen's κ for people: of several pairs the lowest and highest; none without one.
    pub fn kappa_summary(&self) -> Option<String> {
        let mut all: Vec<f64> = self.agreements.iter().filter_map(|of| of.kappa).collect();
        all.sort_by(f64::total_cmp);
        match all.as_slice() {
            [] => None,
            [one] => Some(format!("{one:.2}")),
            [first, .., last] => Some(format!("{first:.2} to {last:.2}")),
        }
    }

    /// The first results up to one of [`CUTOFFS`].
    pub fn first(&self, k: u64) -> Option<&PrecisionAt> {
        self.at.iter().find(|at| at.k == k)
    }
}

/// Normalized discounted cumulative gain of the first `k` results (K. Järvelin, J. Kekäläinen:
/// Cumulated gain-based evaluation of IR techniques, ACM TOIS 20, 2002), discounted by the binary
/// logarithm of the place and one, as `trec_eval` has it. None where no result gains.
fn ndcg(results: &[(Option<u64>, Judgement)], k: u64) -> Option<f64> {
    let gain = |judgement: Judgement| match judgement {
        Judgement::Right => 1.0,
        Judgement::Unsure => 0.5,
        Judgement::Wrong => 0.0,
    };
    let at = |rank: u64, gain: f64| gain / (rank as f64 + 1.0).log2();
    let first = results.iter().filter_map(|(rank, judgement)| Some((rank.filter(|rank| *rank <= k)?, *judgement)));
    let found = first.map(|(rank, judgement)| at(rank, gain(judgement))).fold(0.0, |sum, gain| sum + gain);
    let mut gains: Vec<f64> = results.iter().map(|(_, judgement)| gain(*judgement)).collect();
    gains.sort_by(|a, b| b.total_cmp(a));
    let best: f64 = (1..=k).zip(gains).map(|(rank, gain)| at(rank, gain)).sum();
    // Two results may have been judged at one place, when the index was another.
    (best > 0.0).then(|| (found / best).min(1.0))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn result(rank: u64, by: &[(&str, Judgement)]) -> ResultJudgements {
        ResultJudgements {
            rank: Some(rank),
            by: by.iter().map(|(name, judgement)| ((*name).to_owned(), *judgement)).collect(),
        }
    }

    /// `statsmodels.stats.proportion.proportion_confint(hits, all, method="wilson")` of statsmodels 0.15.
    #[test]
    fn intervals_are_those_of_statsmodels() {
        for (hits, all, low, high) in [
            (8, 10, 0.490_162_471_536_641_8, 0.943_317_848_545_624_7),
            (0, 5, 0.0, 0.434_482_464_783_174_9),
            (5, 5, 0.565_517_535_216_825_2, 1.0),
            (1, 1, 0.206_549_314_377_237_4, 1.0),
            (37, 120, 0.232_727_369_889_163, 0.395_829_977_238_006_8),
        ] {
            let found = Proportion::of(hits, all).unwrap();
            assert!((found.low - low).abs() < 1e-9 && (found.high - high).abs() < 1e-9, "{hits} of {all}: {found:?}");
        }
        assert_eq!(Proportion::of(0, 0), None);
    }

    /// `statsmodels.stats.inter_rater.cohens_kappa(table).kappa` of statsmodels 0.15; the first
    /// table is the example of Wikipedia's article on Cohen's kappa.
    #[test]
    fn agreement_is_that_of_statsmodels() {
        use Judgement::{Right, Unsure, Wrong};
        let table = |counts: &[(usize, Judgement, Judgement)]| -> Vec<(Judgement, Judgement)> {
            counts.iter().flat_map(|(times, a, b)| std::iter::repeat_n((*a, *b), *times)).collect()
        };
        let close = |found: Option<f64>, right: f64| assert!((found.unwrap() - right).abs() < 1e-9, "{found:?}");
        close(
            kappa(
                &table(&[(20, Right, Right), (5, Right, Wrong), (10, Wrong, Right), (15, Wrong, Wrong)]),
                &Judgement::ALL,
            ),
            0.4,
        );
        let three = [(4, Right, Right), (1, Right, Unsure), (3, Wrong, Wrong), (1, Unsure, Wrong), (1, Wrong, Right)];
        close(kappa(&table(&three), &Judgement::ALL), 0.482_758_620_689_655_1);
        close(kappa(&table(&[(2, Right, Wrong), (2, Wrong, Right)]), &Judgement::ALL), -1.0);
        assert_eq!(kappa(&table(&[(3, Right, Right)]), &Judgement::ALL), None, "chance explains all of it");
    }

    /// `ndcg_cut_10` of trec_eval (pytrec_eval-terrier 0.5), where right is 2, unsure 1 and wrong 0.
    #[test]
    fn the_gain_is_that_of_trec_eval() {
        use Judgement::{Right, Unsure, Wrong};
        let of = |ranked: &[(u64, Judgement)], unranked: &[Judgement]| {
            let ranked = ranked.iter().map(|(rank, judgement)| (Some(*rank), *judgement));
            ndcg(&ranked.chain(unranked.iter().map(|judgement| (None, *judgement))).collect::<Vec<_>>(), 10)
        };
        let first = [(1, Right), (2, Unsure), (3, Wrong), (5, Right), (6, Wrong)];
        for (ranked, unranked, expected) in [
            (&[&first[..], &[(7, Right)]].concat()[..], &[][..], 0.867_612_305_611_451_4),
            (&first, &[Right, Right], 0.617_893_818_316_530_3),
            (&[(4, Unsure)], &[], 0.430_676_558_073_393_06),
            (&[(1, Right), (2, Right)], &[], 1.0),
            (&[(12, Right)], &[], 0.0),
        ] {
            let found = of(ranked, unranked).unwrap();
            assert!((found - expected).abs() < 1e-9 && found.is_sign_positive(), "{ranked:?}: {found}");
        }
        assert_eq!(of(&[(1, Wrong)], &[]), None);
    }

    #[test]
    fn majority_decides_and_what_is_unsure_is_no_part_of_precision() {
        use Judgement::{Right, Unsure, Wrong};
        let results = [
            result(1, &[("Ana", Right), ("Rui", Right)]),
            result(2, &[("Ana", Right), ("Rui", Wrong)]),
            result(3, &[("Ana", Wrong)]),
            result(5, &[("Ana", Right), ("Eva", Right), ("Rui", Wrong)]),
            result(6, &[("Ana", Unsure), ("Rui", Wrong)]),
            result(51, &[("Ana", Right)]),
            ResultJudgements { rank: None, by: vec![("Ana".to_owned(), Right)] },
            result(7, &[]),
        ];
        let found = SearchEvaluation::of(&results);
        assert_eq!(found.counts, JudgementCounts { right: 4, wrong: 2, unsure: 1 });
        let at: Vec<(u64, JudgementCounts)> = found.at.iter().map(|at| (at.k, at.counts)).collect();
        let first = JudgementCounts { right: 2, wrong: 1, unsure: 1 };
        let further = JudgementCounts { wrong: 2, ..first };
        assert_eq!(at, [(5, first), (10, further), (20, further), (50, further)]);
        assert!((found.first(5).unwrap().precision.unwrap().value - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(found.first(10).unwrap().precision.unwrap().value, 0.5);
        let judges: Vec<(&str, u64)> = found.judges.iter().map(|of| (of.judge.as_str(), of.counts.judged())).collect();
        assert_eq!(judges, [("Ana", 7), ("Eva", 1), ("Rui", 4)]);
        let agreed: Vec<(u64, u64)> = found.agreements.iter().map(|of| (of.both, of.agreed)).collect();
        assert_eq!(agreed, [(1, 1), (4, 1), (1, 0)], "Ana and Eva, Ana and Rui, Eva and Rui");
        assert_eq!(found.kappa_summary().unwrap(), "0.00 to 0.08", "{:?}", found.agreements);
        assert_eq!(found.precision.unwrap().to_string(), "0.67 (0.30–0.90)");
        assert_eq!(SearchEvaluation::of(&[]).first(10).unwrap().precision, None);
    }
}
