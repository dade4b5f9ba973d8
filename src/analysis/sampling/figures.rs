//! What a sample tells after so many decisions.

use super::{StratifiedShare, Stratum};
use crate::analysis::Proportion;
use serde::Serialize;

/// The figures of a sample of which some pages were judged, in the order that they were drawn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SampleFigures {
    /// Pages that were judged.
    pub judged: u64,
    /// The faulty ones among them.
    pub faulty: u64,
    /// Pages that came up and were skipped: not judged.
    pub skipped: u64,
    /// The share of faulty pages among those that were judged, with its interval; none before the first.
    pub share: Option<Proportion>,
    /// The share of faulty pages among all that came up, if all skipped ones were sound, and if all were faulty;
    /// equal without skipped ones. None before the first page.
    pub bounds: Option<[f64; 2]>,
    /// The share of all pages by that of each host, where the sample was drawn by hosts.
    pub stratified: Option<StratifiedShare>,
}

impl SampleFigures {
    /// The figures of a sample with so many skipped pages; `strata` has one element where it was drawn of all pages
    /// alike, which `is_stratified` denies.
    pub fn of(strata: &[Stratum], skipped: u64, is_stratified: bool) -> Self {
        let judged: u64 = strata.iter().map(|of| of.judged).sum();
        let faulty: u64 = strata.iter().map(|of| of.faulty).sum();
        let seen = judged + skipped;
        let bounds = [faulty, faulty + skipped].map(|faulty| faulty as f64 / seen as f64);
        Self {
            judged,
            faulty,
            skipped,
            share: Proportion::of(faulty, judged),
            bounds: (seen > 0).then_some(bounds),
            stratified: if is_stratified { StratifiedShare::of(strata) } else { None },
        }
    }

    /// The figures in a line: `after 37: 5.4 %, 1.5–17.7 %`; none before the first decision. Of a sample by hosts the share
    /// of all pages, where enough was judged for one.
    pub fn line(&self) -> Option<String> {
        let share = self.share?;
        let (value, low, high) = match self.stratified {
            Some(of) => (of.value, (of.value - of.margin).max(0.0), (of.value + of.margin).min(1.0)),
            None => (share.value, share.low, share.high),
        };
        let mut line =
            format!("after {}: {:.1} %, {:.1}–{:.1} %", self.judged, value * 100.0, low * 100.0, high * 100.0);
        if let (Some([low, high]), true) = (self.bounds, self.skipped > 0) {
            line +=
                &format!("; {} not judged: {:.1} to {:.1} % of those seen", self.skipped, low * 100.0, high * 100.0);
        }
        Some(line)
    }

    /// Whether the interval is not wider than `margin` on each side, so that judging may stop.
    pub fn is_within(&self, margin: f64) -> bool {
        match (self.stratified, self.share) {
            (Some(of), _) => of.margin <= margin,
            (None, Some(share)) => (share.high - share.low) / 2.0 <= margin,
            (None, None) => false,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn stratum(pages: u64, judged: u64, faulty: u64) -> Stratum {
        Stratum { pages, judged, faulty }
    }

    #[test]
    fn a_sample_that_was_stopped_has_its_share_with_the_interval() {
        let figures = SampleFigures::of(&[stratum(5000, 37, 2)], 0, false);
        assert_eq!(figures.line().unwrap(), "after 37: 5.4 %, 1.5–17.7 %");
        assert_eq!(figures.bounds, Some([2.0 / 37.0; 2]));
        assert!(figures.is_within(0.1) && !figures.is_within(0.05));
    }

    #[test]
    fn what_was_skipped_stays_in_the_denominator() {
        let figures = SampleFigures::of(&[stratum(5000, 36, 4)], 4, false);
        assert_eq!(figures.bounds, Some([0.1, 0.2]));
        assert!(figures.line().unwrap().ends_with("; 4 not judged: 10.0 to 20.0 % of those seen"));
        assert_eq!(SampleFigures::of(&[stratum(5000, 0, 0)], 3, false).line(), None);
        assert!(!SampleFigures::of(&[stratum(10, 0, 0)], 0, false).is_within(1.0));
    }

    #[test]
    fn a_sample_by_hosts_has_the_share_of_all_pages() {
        let strata = [stratum(9000, 60, 3), stratum(900, 20, 5), stratum(100, 10, 6)];
        let figures = SampleFigures::of(&strata, 0, true);
        assert_eq!(figures.line().unwrap(), "after 90: 7.4 %, 2.1–12.6 %");
    }
}
