//! Other time: parts of the page were captured long before or after it.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::{counted, evidence};
use crate::analysis::checks::{CaptureSigns, Check, CheckLevel, CheckLimits, Signal};
use serde_json::json;

pub static OTHER_TIME: Check = Check {
    id: "other-time",
    label: "Parts of another time",
    level: CheckLevel::Page,
    weight: 0.4,
    rule: "The nearest capture of a style sheet, a frame or a large image is more than 30 days off. What has one content in all of its captures \
           does not count. Never a problem by itself; it weighs more with the days.",
    inputs: &["resources", "dates and digests of their captures"],
    thresholds: &[
        threshold("days", 30.0, "days from which a part is of another time"),
        threshold("full_days", 365.0, "days from which it weighs in full"),
    ],
    sources: &["Ainsworth, Nelson, Van de Sompel 2015: composite mementos"],
    reads: Reads::Capture(read),
};

fn read(of: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Signal> {
    let far = &of.of.requisites.as_ref()?.far;
    let over = |days: &u64| *days as f64 > limits.of("days");
    let most = far.iter().filter_map(|of| of.days).filter(over).max()?;
    let number = far.iter().filter(|of| of.days.as_ref().is_some_and(over)).count() as u64;
    let strength = (most as f64 / limits.of("full_days").max(1.0)).clamp(0.2, 1.0);
    let text = format!("{} up to {} off", counted(number, "part"), counted(most, "day"));
    Some(Signal::problem(strength, evidence(text, json!({ "days": most, "requisites": far }))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::tests::{found, page};
    use crate::analysis::checks::{FindingState, LackingRequisite, RequisiteSigns};

    #[test]
    fn a_month_is_another_time() {
        let check = |days| {
            let (page, mut of) = page("http://a.pt/x", 100);
            let far = vec![LackingRequisite { days: Some(days), ..LackingRequisite::default() }];
            of.requisites = Some(RequisiteSigns { far, ..RequisiteSigns::default() });
            found(&OTHER_TIME, &page, &of)
        };
        assert_eq!((check(30), check(31)), (None, Some(FindingState::Odd)));
    }
}
