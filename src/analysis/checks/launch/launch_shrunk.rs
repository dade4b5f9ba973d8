//! A launch that brought much less than the ones before.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::evidence;
use crate::analysis::checks::{Check, CheckLevel, CheckLimits, LaunchSigns, Signal};
use serde_json::json;

pub static LAUNCH_SHRUNK: Check = Check {
    id: "launch-shrunk",
    label: "Launch that brought less",
    level: CheckLevel::Launch,
    weight: 0.7,
    rule: "The URLs of the launch are 30 of 100 below the median of the last three launches of its campaign, or its bytes 50 of 100. A \
           difference of a tenth is usual.",
    inputs: &["URLs and bytes of the launch", "those of three launches before"],
    thresholds: &[
        threshold("urls", 0.7, "share of the usual URLs below which it is less"),
        threshold("bytes", 0.5, "share of the usual bytes below which it is less"),
    ],
    sources: &["Web Curator Tool: quality indicators"],
    reads: Reads::Launch(read),
};

fn read(of: &LaunchSigns, limits: CheckLimits<'_>) -> Vec<(String, Signal)> {
    let Some([urls, bytes]) = of.usual else { return Vec::new() };
    let is_less = |now: u64, usual: u64, name: &str| (now as f64) < limits.of(name) * usual as f64;
    if !is_less(of.urls, urls, "urls") && !is_less(of.bytes, bytes, "bytes") {
        return Vec::new();
    }
    let text = format!("{} URLs and {} bytes, where {urls} and {bytes} were usual", of.urls, of.bytes);
    let more = json!({ "urls": of.urls, "bytes": of.bytes, "usual_urls": urls, "usual_bytes": bytes });
    vec![(String::new(), Signal::problem(1.0, evidence(text, more)))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::tests::found_of_launch;

    #[test]
    fn a_tenth_less_is_usual() {
        let check = |urls, bytes| {
            let of = LaunchSigns { urls, bytes, usual: Some([100, 1000]), ..LaunchSigns::default() };
            !found_of_launch(&LAUNCH_SHRUNK, &of).is_empty()
        };
        assert!(check(60, 1000) && check(100, 400) && !check(90, 900));
    }
}
