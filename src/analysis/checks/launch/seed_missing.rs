//! A seed without a good capture.

use crate::analysis::checks::check::Reads;
use crate::analysis::checks::evidence::evidence;
use crate::analysis::checks::{Check, CheckLevel, CheckLimits, LaunchSigns, Signal};
use serde_json::json;

pub static SEED_MISSING: Check = Check {
    id: "seed-missing",
    label: "Seed without a good capture",
    level: CheckLevel::Launch,
    weight: 1.0,
    rule: "Neither a seed of the launch nor the page that it leads to has a capture with status 2xx in it.",
    inputs: &["seeds", "captures of the launch"],
    thresholds: &[],
    sources: &["Archive-It: seeds report"],
    reads: Reads::Launch(read),
};

fn read(of: &LaunchSigns, _: CheckLimits<'_>) -> Vec<(String, Signal)> {
    let missing = of.seeds.iter().filter(|seed| !seed.is_captured && seed.refused_target.is_empty());
    let signal = |seed: &crate::analysis::checks::SeedSigns| {
        let why = match (seed.status, seed.why.as_str()) {
            (1.., _) => format!("status {}", seed.status),
            (_, "") => "it was not fetched".to_owned(),
            (_, why) => why.to_owned(),
        };
        let more = json!({ "status": seed.status, "why": seed.why });
        (seed.url.clone(), Signal::problem(1.0, evidence(format!("no good capture: {why}"), more)))
    };
    missing.map(signal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::SeedSigns;
    use crate::analysis::checks::tests::found_of_launch;

    #[test]
    fn seeds_that_were_captured_are_no_findings() {
        let seed = |url: &str, is_captured| SeedSigns { url: url.to_owned(), is_captured, ..SeedSigns::default() };
        let of = LaunchSigns {
            seeds: vec![seed("http://a.pt/", true), seed("http://b.pt/", false)],
            ..LaunchSigns::default()
        };
        assert_eq!(found_of_launch(&SEED_MISSING, &of), ["http://b.pt/"]);
    }
}
