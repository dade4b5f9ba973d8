//! Rule on what a page brings along: embeds and links guessed out of scripts.

use super::{Change, DecideRule, Edit, RuleKind, counted, is_navigation};
use crate::scope::{Candidate, Decision, Facts};
use serde::{Deserialize, Serialize};

/// Accepts what a page needs to be shown: candidates whose hop path ends with
/// at least one and at most `max_trans_hops` hops that are no links (frames,
/// images, scripts; redirects are not counted), of which at most
/// `max_speculative_hops` are guesses out of scripts (`X`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transclusion {
    /// The most embeds in a row.
    pub max_trans_hops: usize,
    /// The most guesses among them.
    pub max_speculative_hops: usize,
}

/// Length of the tail without links, and how many of it are no redirects, and
/// how many are guesses.
fn tail(hops: &str) -> (usize, usize, usize) {
    let tail = hops.bytes().rev().take_while(|&hop| !is_navigation(hop) && hop != b'+');
    tail.fold((0, 0, 0), |(all, counted, guessed), hop| {
        (all + 1, counted + usize::from(hop != b'R'), guessed + usize::from(hop == b'X'))
    })
}

impl DecideRule for Transclusion {
    fn name(&self) -> &'static str {
        "TransclusionDecideRule"
    }

    fn summary(&self) -> String {
        format!(
            "accepts what a page needs to be shown, up to {} without a link",
            counted(self.max_trans_hops as u64, "hop")
        )
    }

    fn decide(&self, candidate: &Candidate, _: &Facts) -> Option<Decision> {
        let (all, counted, guessed) = tail(&candidate.hops);
        let accepts = all > 0 && counted <= self.max_trans_hops && guessed <= self.max_speculative_hops;
        accepts.then_some(Decision::Accept)
    }

    fn tested(&self, candidate: &Candidate, _: &Facts) -> String {
        match tail(&candidate.hops) {
            (0, ..) => "no hop without a link at the end".to_owned(),
            (all, counted_hops, _) if all > counted_hops => {
                format!(
                    "{} without a link at the end, redirects not counted ({})",
                    counted(counted_hops as u64, "hop"),
                    candidate.hops
                )
            }
            (all, ..) => format!("{} without a link at the end ({})", counted(all as u64, "hop"), candidate.hops),
        }
    }

    fn changes(&self, candidate: &Candidate, _: &Facts, target: Option<Decision>) -> Vec<Change> {
        let (all, hops, guessed) = tail(&candidate.hops);
        let raised = Self {
            max_trans_hops: self.max_trans_hops.max(hops),
            max_speculative_hops: self.max_speculative_hops.max(guessed),
        };
        if target != Some(Decision::Accept) || all == 0 || raised == *self {
            return Vec::new();
        }
        let mut raises = Vec::new();
        if raised.max_trans_hops > self.max_trans_hops {
            raises.push(format!("raise its limit from {} embeds in a row to {hops}", self.max_trans_hops));
        }
        if raised.max_speculative_hops > self.max_speculative_hops {
            raises.push(format!("raise its limit from {} guessed links to {guessed}", self.max_speculative_hops));
        }
        vec![Change { summary: raises.join(" and "), edit: Edit::Number(RuleKind::Transclusion(raised)) }]
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::decision_of;
    use super::*;

    #[test]
    fn accepts_what_a_page_brings_along() {
        let rule = Transclusion { max_trans_hops: 2, max_speculative_hops: 1 };
        let accept = Some(Decision::Accept);
        for (hops, expected) in [
            ("", None),
            ("L", None),
            ("LE", accept),
            ("LEE", accept),
            ("LEEE", None),
            ("LERRRE", accept),
            ("R", accept),
            ("LX", accept),
            ("LXX", None),
            ("LEL", None),
            ("S", None),
            ("M", None),
            ("60+EE", accept),
        ] {
            assert_eq!(decision_of(&rule, "http://cdn.example/a.css", hops), expected, "{hops}");
        }
    }
}
