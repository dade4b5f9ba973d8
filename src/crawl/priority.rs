//! The place of a URL in the queue of its host: lower is earlier. People see a priority from 0 to
//! 10,000, higher first, that [`priority_points`] makes of it.

use super::relevance::guide::{Linker, RequestGuide};
use super::relevance::parts::{PriorityParts, TOP_POINTS};
use crate::campaign::{WeightedPart, weighted_sum};
use crate::jobs::counted;
use crate::scope::{Candidate, hop_count};

/// Place of a robots.txt, which comes before all other URLs of its host.
pub const ROBOTS_PRIORITY: i64 = -1;

/// The first place of what is ordered by relevance, behind seeds and redirects.
pub(super) const LATER: i64 = 10;

/// Requisites of requisites that are counted.
const MOST_REQUISITE_HOPS: usize = 99;

/// The parts of a place by hops, from the path of hops to a URL alone.
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

/// The place of a URL in its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// Lower is earlier.
    pub priority: i64,
    /// Its parts, where it is ordered by relevance.
    pub parts: Option<PriorityParts>,
}

/// The place of a URL by the hops to it.
pub(super) fn place_by_hops(hops: &str) -> Place {
    let weights = PRIORITY_PARTS.each_ref().map(|part| part.weight);
    // `as` stops at both ends.
    let priority = weighted_sum(&weights, &PRIORITY_PARTS.each_ref().map(|part| (part.value)(hops))).0 as i64;
    Place { priority, parts: None }
}

/// The place of a URL by its relevance: seeds and what they need, then redirects, then the rest by
/// its parts; what completes a page comes with the page that it completes.
pub(super) fn place_by_relevance(guide: &RequestGuide, candidate: &Candidate, linker: &Linker<'_>) -> Place {
    place_by_kind(&candidate.hops, candidate.is_seed, linker.points)
        .unwrap_or_else(|| guide.parts_of(candidate, linker).place())
}

/// The place of what is no link of a page: a seed, what it needs, a redirect, or what completes a page whose
/// priority is `points`.
pub(super) fn place_by_kind(hops: &str, is_seed: bool, points: u16) -> Option<Place> {
    match hops.as_bytes().last() {
        None | Some(b'P') => Some(Place { priority: 0, parts: None }),
        _ if is_seed => Some(Place { priority: 0, parts: None }),
        Some(b'R') => Some(Place { priority: 1, parts: None }),
        Some(b'E') => Some(PriorityParts::of_requisite(points).place()),
        Some(_) => None,
    }
}

/// The priority that people see, from 0 to 10,000.
pub fn priority_points(priority: i64, parts: Option<PriorityParts>) -> u16 {
    match parts {
        Some(parts) => parts.points(),
        None => u16::try_from((i64::from(TOP_POINTS) - priority).clamp(0, i64::from(TOP_POINTS))).unwrap_or(0),
    }
}

/// The best priority that a place may have, from 0 to 1; that of a seed or a redirect is 2, so that
/// their hosts come first.
pub(super) fn best_share(priority: i64) -> f64 {
    let behind = priority.saturating_sub(LATER);
    if behind < 0 { 2.0 } else { (1.0 - behind as f64 / (2.0 * f64::from(TOP_POINTS))).clamp(0.0, 1.0) }
}

/// Whether a URL is a seed, or what another one needs first.
fn is_first(hops: &str) -> bool {
    hops.is_empty() || hops.ends_with('P')
}

fn completing(hops: &str) -> usize {
    hops.bytes().rev().take_while(|hop| matches!(hop, b'E' | b'R')).count().min(MOST_REQUISITE_HOPS)
}
