//! A host that newly forbids all by its robots.txt.

use crate::analysis::checks::check::Reads;
use crate::analysis::checks::evidence::evidence;
use crate::analysis::checks::{Check, CheckLevel, CheckLimits, LaunchSigns, Signal};
use serde_json::json;

pub static ROBOTS_CLOSED: Check = Check {
    id: "robots-closed",
    label: "robots.txt newly forbids",
    level: CheckLevel::Host,
    weight: 0.6,
    rule: "The robots.txt of a host refuses its front page to the crawler of the campaign, and did not in the launch before.",
    inputs: &["robots.txt of the launch", "robots.txt of the launch before"],
    thresholds: &[],
    sources: &["RFC 9309"],
    reads: Reads::Launch(read),
};

fn read(of: &LaunchSigns, _: CheckLimits<'_>) -> Vec<(String, Signal)> {
    let closed = of.hosts.iter().filter(|host| host.is_newly_forbidden);
    let text = "its robots.txt refuses the front page now, and did not before";
    closed.map(|host| (host.host.clone(), Signal::problem(1.0, evidence(text, json!({}))))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::LaunchHost;
    use crate::analysis::checks::tests::found_of_launch;

    #[test]
    fn hosts_that_closed_are_named() {
        let host = |host: &str, is_newly_forbidden| LaunchHost {
            host: host.to_owned(),
            is_newly_forbidden,
            ..LaunchHost::default()
        };
        let of = LaunchSigns { hosts: vec![host("a.pt", true), host("b.pt", false)], ..LaunchSigns::default() };
        assert_eq!(found_of_launch(&ROBOTS_CLOSED, &of), ["a.pt"]);
    }
}
