//! The priority of a URL: a sum of named, weighted parts. Lower is earlier.

use crate::campaign::{WeightedPart, weighted_sum};
use crate::jobs::counted;
use crate::scope::hop_count;

/// Priority of a robots.txt, which comes before all other URLs of its host.
pub const ROBOTS_PRIORITY: i64 = -1;

/// Requisites of requisites that are counted.
const MOST_REQUISITE_HOPS: usize = 99;

/// The parts of a priority, from the path of hops to a URL alone.
///
/// Seeds and what they need are 0. What completes a page already fetched
/// (embeds, redirects) comes next: the number of such hops at the end of the
/// path. Everything else is 100 for each hop from the seed.
pub const PRIORITY_PARTS: [WeightedPart<str>; 2] = [
    WeightedPart {
        key: "hops",
        name: "Hops",
        about: "Hops from the seed, of what completes no page",
        weight: 100.0,
        value: |hops| Some(if completing(hops) == 0 && !is_first(hops) { hop_count(hops) as f64 } else { 0.0 }),
        why: |hops| format!("{} from the seed", counted(hop_count(hops) as u64, "hop")),
    },
    WeightedPart {
        key: "requisites",
        name: "Requisites",
        about: "Embeds and redirects at the end of the path, of what completes a page",
        weight: 1.0,
        value: |hops| Some(completing(hops) as f64),
        why: |hops| format!("{} that complete a page", counted(completing(hops) as u64, "hop")),
    },
];

/// Weights of [`PRIORITY_PARTS`].
#[derive(Debug, Clone, PartialEq)]
pub struct Priorities {
    weights: [f64; PRIORITY_PARTS.len()],
}

impl Default for Priorities {
    fn default() -> Self {
        Self { weights: PRIORITY_PARTS.map(|part| part.weight) }
    }
}

impl Priorities {
    /// Breadth first with other weights, in the order of [`PRIORITY_PARTS`].
    pub fn weighted(weights: [f64; PRIORITY_PARTS.len()]) -> Self {
        Self { weights }
    }

    /// The place of a URL in the queue of its host, from its path.
    pub fn of(&self, hops: &str) -> i64 {
        // `as` stops at both ends.
        weighted_sum(&self.weights, &PRIORITY_PARTS.each_ref().map(|part| (part.value)(hops))).0 as i64
    }
}

/// Whether a URL is a seed, or what another one needs first.
fn is_first(hops: &str) -> bool {
    hops.is_empty() || hops.ends_with('P')
}

fn completing(hops: &str) -> usize {
    hops.bytes().rev().take_while(|hop| matches!(hop, b'E' | b'R')).count().min(MOST_REQUISITE_HOPS)
}
