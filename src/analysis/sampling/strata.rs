//! Samples by hosts.

use super::Z;
use serde::Serialize;

/// The least number of pages drawn of a host, where it has so many.
const LEAST_OF_STRATUM: u64 = 2;

/// Pages of a host: how many there are, were judged, and were found faulty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Stratum {
    /// All of them.
    pub pages: u64,
    /// Those that were drawn and judged.
    pub judged: u64,
    /// The faulty ones among the judged.
    pub faulty: u64,
}

/// How many pages to draw of each host with so many pages: at least two, or all of a smaller one, and the rest of
/// `total` in proportion to the square root of its pages, so that hosts of many pages do not take the whole sample.
/// More than `total` where the hosts are too many for two each.
pub fn drawn_of_strata(pages: &[u64], total: u64) -> Vec<u64> {
    let mut drawn: Vec<u64> = pages.iter().map(|pages| LEAST_OF_STRATUM.min(*pages)).collect();
    loop {
        let left = total.saturating_sub(drawn.iter().sum());
        let open: Vec<usize> = (0..pages.len()).filter(|of| drawn[*of] < pages[*of]).collect();
        if left == 0 || open.is_empty() {
            return drawn;
        }
        let roots: f64 = open.iter().map(|of| (pages[*of] as f64).sqrt()).sum();
        let mut parts: Vec<(usize, u64, f64)> = Vec::with_capacity(open.len());
        for of in open {
            let part = left as f64 * (pages[of] as f64).sqrt() / roots;
            parts.push((of, (part.floor() as u64).min(pages[of] - drawn[of]), part.fract()));
        }
        if parts.iter().all(|(_, whole, _)| *whole == 0) {
            // Less than one each: to those with the largest parts.
            parts.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
            for (of, ..) in parts.into_iter().take(left as usize) {
                drawn[of] += 1;
            }
            return drawn;
        }
        for (of, whole, _) in parts {
            drawn[of] += whole;
        }
    }
}

/// The share of faulty pages among all pages, by what was judged of each host.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StratifiedShare {
    /// The share, 0 to 1.
    pub value: f64,
    /// Half of its interval of 95 %.
    pub margin: f64,
    /// Hosts of which a single page, or none, was judged: they were put together with the next one.
    pub collapsed: u64,
}

impl StratifiedShare {
    /// Estimates Σ W·p with the variance Σ W²·(1 − n/N)·p·(1 − p)/(n − 1) (W. G. Cochran, Sampling Techniques,
    /// 3rd ed. 1977, sections 5.4 and 5.9). A host with one judged page, or none, has no variance: it is put together with
    /// the next one. None before two pages were judged.
    pub fn of(strata: &[Stratum]) -> Option<Self> {
        let mut whole: Vec<Stratum> = Vec::with_capacity(strata.len());
        let mut carried = Stratum::default();
        let mut collapsed = 0;
        for stratum in strata.iter().filter(|of| of.pages > 0) {
            let together = add(carried, *stratum);
            if together.judged < 2 {
                carried = together;
                collapsed += 1;
            } else {
                whole.push(together);
                carried = Stratum::default();
            }
        }
        if carried.pages > 0 {
            // Nothing follows it.
            let last = whole.last_mut()?;
            *last = add(*last, carried);
        }
        let pages: u64 = whole.iter().map(|of| of.pages).sum();
        if whole.is_empty() {
            return None;
        }
        let (mut value, mut variance) = (0.0, 0.0);
        for of in whole {
            let (weight, judged) = (of.pages as f64 / pages as f64, of.judged as f64);
            let share = of.faulty as f64 / judged;
            let unseen = (1.0 - judged / of.pages as f64).max(0.0);
            value += weight * share;
            variance += weight * weight * unseen * share * (1.0 - share) / (judged - 1.0);
        }
        Some(Self { value, margin: Z * variance.sqrt(), collapsed })
    }
}

fn add(a: Stratum, b: Stratum) -> Stratum {
    Stratum { pages: a.pages + b.pages, judged: a.judged + b.judged, faulty: a.faulty + b.faulty }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn strata(of: &[(u64, u64, u64)]) -> Vec<Stratum> {
        of.iter().map(|(pages, judged, faulty)| Stratum { pages: *pages, judged: *judged, faulty: *faulty }).collect()
    }

    #[test]
    fn the_share_of_all_pages_weighs_each_host_by_its_pages() {
        let found = StratifiedShare::of(&strata(&[(9000, 60, 3), (900, 20, 5), (100, 10, 6)])).unwrap();
        assert_eq!(format!("{:.4} ± {:.4}", found.value, found.margin), "0.0735 ± 0.0529");
        assert_eq!(found.collapsed, 0);
        let all = StratifiedShare::of(&strata(&[(10, 10, 4), (10, 10, 0)])).unwrap();
        assert_eq!((all.value, all.margin), (0.2, 0.0), "all pages were judged: nothing is estimated");
    }

    #[test]
    fn a_host_with_one_judged_page_goes_with_the_next() {
        let apart = StratifiedShare::of(&strata(&[(50, 1, 1), (150, 9, 1), (10, 1, 0)])).unwrap();
        let together = StratifiedShare::of(&strata(&[(210, 11, 2)])).unwrap();
        assert_eq!((apart.value, apart.margin), (together.value, together.margin));
        assert_eq!((apart.collapsed, together.collapsed), (2, 0));
        assert_eq!(StratifiedShare::of(&strata(&[(50, 1, 1), (0, 0, 0)])), None);
        assert_eq!(StratifiedShare::of(&[]), None);
    }

    #[test]
    fn each_host_has_two_pages_and_large_ones_by_the_root_of_theirs() {
        assert_eq!(drawn_of_strata(&[10_000, 100, 1, 2, 0], 115), [101, 11, 1, 2, 0]);
        assert_eq!(drawn_of_strata(&[5, 5, 5], 4), [2, 2, 2], "two each, though the total is less");
        assert_eq!(drawn_of_strata(&[5, 5, 5], 100), [5, 5, 5], "all of them");
        let drawn = drawn_of_strata(&[90_000, 400, 400, 3, 1], 97);
        assert_eq!(drawn.iter().sum::<u64>(), 97);
        assert!(drawn[0] > drawn[1] && drawn[0] < 90 && drawn[3] == 3, "{drawn:?}");
    }
}
