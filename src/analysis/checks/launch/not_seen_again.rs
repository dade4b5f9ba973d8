//! URLs that earlier launches captured, and this one never saw.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::{counted, evidence};
use crate::analysis::checks::{Check, CheckLevel, CheckLimits, LaunchSigns, Signal};
use serde_json::json;

pub static NOT_SEEN_AGAIN: Check = Check {
    id: "not-seen-again",
    label: "Captured before, not seen now",
    level: CheckLevel::Launch,
    weight: 0.6,
    rule: "Pages that earlier launches of the campaign captured well, all of the last three or as many as there are from two on, are not among \
           the URLs that this launch saw: nothing links to them any more, or the crawl ended before.",
    inputs: &["URLs seen by the launch", "captures of up to three launches before"],
    thresholds: &[
        threshold("launches", 2.0, "earlier launches from which they are compared"),
        threshold("urls", 1.0, "pages from which it is a finding"),
    ],
    sources: &["EDGI web monitoring: crawls missed 6 to 7.5 % of tracked URLs for ever, 10 to 18 % on any day"],
    reads: Reads::Launch(read),
};

fn read(of: &LaunchSigns, limits: CheckLimits<'_>) -> Vec<(String, Signal)> {
    if of.earlier < limits.count("launches") || of.unseen_count < limits.count("urls").max(1) {
        return Vec::new();
    }
    let text = format!("{} captured before were not seen", counted(of.unseen_count, "page"));
    let more = json!({ "pages": of.unseen_count, "urls": of.unseen });
    vec![(String::new(), Signal::problem(1.0, evidence(text, more)))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::tests::found_of_launch;

    #[test]
    fn one_launch_before_is_no_rule() {
        let check = |earlier| {
            let of = LaunchSigns { earlier, unseen_count: 4, ..LaunchSigns::default() };
            !found_of_launch(&NOT_SEEN_AGAIN, &of).is_empty()
        };
        assert!(check(2) && !check(1));
    }
}
