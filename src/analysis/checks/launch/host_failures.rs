//! A host that failed much, or much more than before.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::evidence;
use crate::analysis::checks::{Check, CheckLevel, CheckLimits, LaunchHost, LaunchSigns, Signal};
use serde_json::json;

pub static HOST_FAILURES: Check = Check {
    id: "host-failures",
    label: "Host with many failures",
    level: CheckLevel::Host,
    weight: 0.7,
    rule: "More than a fifth of the URLs of a host failed or answered 4xx or 5xx; or three times the share of the launch before. Hosts with \
           few URLs say nothing.",
    inputs: &["URLs of the host in the launch", "those of the launch before"],
    thresholds: &[
        threshold("share", 0.2, "share of failures above which a host failed much"),
        threshold("times", 3.0, "times the share of the launch before"),
        threshold("urls", 5.0, "URLs from which a host is compared"),
    ],
    sources: &["Archive-It: hosts report"],
    reads: Reads::Launch(read),
};

fn read(of: &LaunchSigns, limits: CheckLimits<'_>) -> Vec<(String, Signal)> {
    let signal = |host: &LaunchHost| {
        let share = host.failed as f64 / host.urls.max(1) as f64;
        let before = host.failed_before as f64 / host.urls_before.max(1) as f64;
        let is_much = share > limits.of("share");
        let is_more = host.urls_before >= limits.count("urls") && share > before * limits.of("times") && share > 0.05;
        if host.urls < limits.count("urls") || !(is_much || is_more) {
            return None;
        }
        let earlier = match host.urls_before {
            0 => String::new(),
            _ => format!(", {:.0} % before", before * 100.0),
        };
        let text = format!("{} of {} URLs failed{earlier}", host.failed, host.urls);
        let more = json!({
            "failed": host.failed, "urls": host.urls, "failed_before": host.failed_before, "urls_before": host.urls_before,
        });
        Some((host.host.clone(), Signal::paired(is_much, 1.0, evidence(text, more))))
    };
    of.hosts.iter().filter_map(signal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::tests::found_of_launch;

    #[test]
    fn a_fifth_is_much() {
        let check = |failed, urls| {
            let host = LaunchHost { host: "a.pt".to_owned(), failed, urls, ..LaunchHost::default() };
            !found_of_launch(&HOST_FAILURES, &LaunchSigns { hosts: vec![host], ..LaunchSigns::default() }).is_empty()
        };
        assert!(check(3, 10) && !check(2, 10) && !check(2, 3));
    }
}
