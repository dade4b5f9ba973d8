//! A seed that leads to where the campaign does not go.

use crate::analysis::checks::check::Reads;
use crate::analysis::checks::evidence::evidence;
use crate::analysis::checks::{Check, CheckLevel, CheckLimits, LaunchSigns, Signal};
use serde_json::json;

pub static SEED_OFF_SCOPE: Check = Check {
    id: "seed-off-scope",
    label: "Seed that leads out of scope",
    level: CheckLevel::Launch,
    weight: 0.9,
    rule: "A seed redirects to a URL that the scope of its campaign refused, so that nothing of its site was captured.",
    inputs: &["seeds", "redirects", "verdicts of URLs seen"],
    thresholds: &[],
    sources: &["Archive-It: seeds report, redirected seeds"],
    reads: Reads::Launch(read),
};

fn read(of: &LaunchSigns, _: CheckLimits<'_>) -> Vec<(String, Signal)> {
    let signal = |seed: &crate::analysis::checks::SeedSigns| {
        let text = format!("it leads to {}, which the scope refused", seed.refused_target);
        (seed.url.clone(), Signal::problem(1.0, evidence(text, json!({ "to": seed.refused_target }))))
    };
    of.seeds.iter().filter(|seed| !seed.refused_target.is_empty() && !seed.is_captured).map(signal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::checks::SeedSigns;
    use crate::analysis::checks::tests::found_of_launch;

    #[test]
    fn a_refused_target_is_a_problem() {
        let refused_target = "http://b.pt/".to_owned();
        let seed = SeedSigns { url: "http://a.pt/".to_owned(), refused_target, ..SeedSigns::default() };
        let of = |seed| LaunchSigns { seeds: vec![seed], ..LaunchSigns::default() };
        assert_eq!(found_of_launch(&SEED_OFF_SCOPE, &of(seed.clone())), ["http://a.pt/"]);
        let seed = SeedSigns { refused_target: String::new(), ..seed };
        assert!(found_of_launch(&SEED_OFF_SCOPE, &of(seed)).is_empty());
    }
}
