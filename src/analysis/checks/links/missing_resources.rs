//! Missing resources, weighed by what a page loses without them.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::{counted, evidence};
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, Signal};
use serde_json::json;

/// Missing resources that the evidence names.
const NAMED: usize = 50;

pub static MISSING_RESOURCES: Check = Check {
    id: "missing-resources",
    label: "Missing resources",
    level: CheckLevel::Page,
    weight: 1.0,
    rule: "The weight of what is missing, in that of all: the first two style sheets 8, further ones 5; a module or the only script 3, others \
           1, those that count visits or show advertisements 0; an image by its declared area of a screen of 1024 × 768, 8 from a fifth on, 3 from a fiftieth on, else 1, 2 without \
           declared sizes and 0 up to four pixels; a frame 4; media 10. From 0.3 on it is a problem, from 0.1 on odd. Of alternatives \
           (srcset) one is enough. Not applicable where the launch took no resource of any page.",
    inputs: &["resources and their declared sizes", "captures of these", "URLs seen, with their verdicts and failures"],
    thresholds: &[
        threshold("problem", 0.3, "share of weight from which it is a problem"),
        threshold("odd", 0.1, "share of weight from which it is odd"),
    ],
    sources: &["Brunelle et al. 2014: not all missing resources are equal", "web-memento-damage"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    let requisites = of.of.requisites.as_ref()?;
    if !of.page.is_page || !(200..300).contains(&of.of.status) || requisites.missing.is_empty() {
        return None;
    }
    if requisites.is_without_resources {
        return Some(Signal::not_applicable("its launch took no resources of any page"));
    }
    let missing: u64 = requisites.missing.iter().map(|of| of.weight).sum();
    let share = missing as f64 / requisites.weight.max(1) as f64;
    if share < limits.of("odd") {
        return None;
    }
    let cut = limits.of("problem").clamp(0.01, 0.99);
    // The cut is where a finding becomes a problem, whatever share that is.
    let strength = match share < cut {
        true => 0.5 * share / cut,
        false => 0.5 + 0.5 * (share - cut) / (1.0 - cut),
    };
    let number = requisites.missing.len() as u64;
    let text = format!("{} missing, {:.0} % by weight", counted(number, "resource"), share * 100.0);
    let named: Vec<_> = requisites.missing.iter().take(NAMED).collect();
    let more = json!({ "share": (share * 1000.0).round() / 1000.0, "missing": number, "requisites": named });
    Some(Signal::problem(strength, evidence(text, more)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::tests::{found, page};
    use crate::analysis::checks::{FindingState, LackingRequisite, RequisiteSigns};

    #[test]
    fn weights_decide_and_not_numbers() {
        let check = |missing: u64, weight, is_without_resources| {
            let (page, mut of) = page("http://a.pt/x", 100);
            let missing = vec![LackingRequisite { weight: missing, ..LackingRequisite::default() }];
            of.requisites = Some(RequisiteSigns { missing, weight, is_without_resources, ..RequisiteSigns::default() });
            found(&MISSING_RESOURCES, &page, &of)
        };
        assert_eq!(check(30, 100, false), Some(FindingState::Problem));
        assert_eq!(check(29, 100, false), Some(FindingState::Odd));
        assert_eq!(check(9, 100, false), None);
        assert_eq!(check(90, 100, true), Some(FindingState::NotApplicable));
    }
}
