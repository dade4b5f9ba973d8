//! Refused by our own rules: the commonest cause of holes, and the easiest to mend.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::{counted, evidence};
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, Signal};
use serde_json::json;
use std::collections::BTreeMap;

pub static OWN_RULES: Check = Check {
    id: "own-rules",
    label: "Refused by our own rules",
    level: CheckLevel::Page,
    weight: 0.5,
    rule: "Resources of the page were refused by a rule of the campaign's scope, or by robots.txt as the campaign follows it. A problem \
           where they are 0.3 of the page's weight or more, as missing resources have it; odd from 0.05 on.",
    inputs: &["resources", "verdicts of URLs seen"],
    thresholds: &[
        threshold("problem", 0.3, "share of weight from which it is a problem"),
        threshold("odd", 0.05, "share of weight from which it is odd"),
    ],
    sources: &["NYARC: quality assurance begins with what is blocked and out of scope"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    let requisites = of.of.requisites.as_ref()?;
    let mut rules: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut refused = 0;
    for lacking in requisites.missing.iter().filter(|of| !of.rule.is_empty()) {
        rules.entry(&lacking.rule).or_default().push(&lacking.url);
        refused += lacking.weight;
    }
    let share = refused as f64 / requisites.weight.max(1) as f64;
    if rules.is_empty() || share < limits.of("odd") {
        return None;
    }
    let list: Vec<String> =
        rules.iter().map(|(rule, urls)| format!("{} by {rule}", counted(urls.len() as u64, "resource"))).collect();
    let is_problem = share >= limits.of("problem");
    let more = json!({ "rules": rules, "share": (share * 1000.0).round() / 1000.0 });
    Some(Signal::problem(if is_problem { 1.0 } else { 0.6 }, evidence(format!("refused: {}", list.join(", ")), more)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::tests::{found, page};
    use crate::analysis::checks::{FindingState, LackingRequisite, RequisiteSigns};

    #[test]
    fn what_no_rule_refused_is_no_finding() {
        let check = |rule: &str, refused| {
            let (page, mut of) = page("http://a.pt/x", 100);
            let missing =
                vec![LackingRequisite { weight: refused, rule: rule.to_owned(), ..LackingRequisite::default() }];
            of.requisites = Some(RequisiteSigns { missing, weight: 100, ..RequisiteSigns::default() });
            found(&OWN_RULES, &page, &of)
        };
        assert_eq!(check("robots.txt", 40), Some(FindingState::Problem));
        assert_eq!(check("robots.txt", 10), Some(FindingState::Odd));
        assert_eq!(check("", 40), None);
    }
}
