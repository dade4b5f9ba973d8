//! Many hosts that no earlier launch had.

use crate::analysis::checks::check::{Reads, threshold};
use crate::analysis::checks::evidence::evidence;
use crate::analysis::checks::{Check, CheckLevel, CheckLimits, LaunchSigns, Signal};
use serde_json::json;

/// New hosts that the evidence names.
const NAMED: usize = 20;

pub static NEW_HOSTS: Check = Check {
    id: "new-hosts",
    label: "Many new hosts",
    level: CheckLevel::Launch,
    weight: 0.3,
    rule: "More than 15 of 100 hosts of the launch are in no earlier launch of its campaign. Never a problem by itself.",
    inputs: &["hosts of the launch", "hosts of earlier launches"],
    thresholds: &[
        threshold("share", 0.15, "share of new hosts above which it is odd"),
        threshold("hosts", 5.0, "hosts from which a launch is compared"),
    ],
    sources: &["Web Curator Tool: sub-domains"],
    reads: Reads::Launch(read),
};

fn read(of: &LaunchSigns, limits: CheckLimits<'_>) -> Vec<(String, Signal)> {
    let new: Vec<&str> = of.hosts.iter().filter(|host| host.is_new).map(|host| host.host.as_str()).collect();
    let all = of.hosts.len();
    if of.earlier == 0 || (all as u64) < limits.count("hosts") || new.len() as f64 <= limits.of("share") * all as f64 {
        return Vec::new();
    }
    let named: Vec<&&str> = new.iter().take(NAMED).collect();
    let text = format!("{} of {all} hosts are new", new.len());
    vec![(String::new(), Signal::problem(1.0, evidence(text, json!({ "hosts": named, "new": new.len(), "all": all }))))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::LaunchHost;
    use crate::analysis::checks::tests::found_of_launch;

    #[test]
    fn few_new_hosts_are_usual() {
        let check = |new, earlier| {
            let hosts = (0..10).map(|nth| LaunchHost { is_new: nth < new, ..LaunchHost::default() }).collect();
            !found_of_launch(&NEW_HOSTS, &LaunchSigns { hosts, earlier, ..LaunchSigns::default() }).is_empty()
        };
        assert!(check(2, 1) && !check(1, 1) && !check(9, 0));
    }
}
