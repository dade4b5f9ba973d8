//! The priority of a URL that was found on pages, by its parts: higher is fetched earlier.

use super::super::priority::{LATER, Place};
use crate::campaign::WeightedPart;
use crate::jobs::{counted, verb};

/// The priority of what comes before all else.
pub const TOP_POINTS: u16 = 10_000;

/// Distinct hosts above which further ones that cite a URL count nothing.
const MOST_CITING: f64 = 31.0;

/// What is known of a URL that was found on a page, each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LinkValues {
    /// The text of its link.
    pub anchor: f64,
    /// The words of its path.
    pub url: f64,
    /// The page with the link.
    pub page: f64,
    /// Other hosts whose pages link to it.
    pub citing_hosts: u32,
    /// The scores that the campaign gives it, from -1 to 1.
    pub scored: f64,
}

/// The parts of the priority of a URL that was found on a page.
pub const RELEVANCE_PARTS: [WeightedPart<LinkValues>; 5] = [
    WeightedPart {
        key: "anchor",
        name: "Anchor",
        about: "Words of the request in the text of the link",
        weight: 0.5,
        value: |link| Some(link.anchor),
        why: |link| format!("{:.2} of the text of its link", link.anchor),
    },
    WeightedPart {
        key: "url",
        name: "URL",
        about: "Words of the request in the path of the URL",
        weight: 0.2,
        value: |link| Some(link.url),
        why: |link| format!("{:.2} of the words of its path", link.url),
    },
    WeightedPart {
        key: "page",
        name: "Page",
        about: "Words of the request in the main text of the page with the link",
        weight: 0.3,
        value: |link| Some(link.page),
        why: |link| format!("{:.2} of the page with the link", link.page),
    },
    WeightedPart {
        key: "cited",
        name: "Cited",
        about: "Other hosts whose pages link to it",
        weight: 0.1,
        value: |link| Some((f64::from(link.citing_hosts).min(MOST_CITING) + 1.0).log2() / 5.0),
        why: |link| {
            let hosts = u64::from(link.citing_hosts);
            format!("{} {} to it", counted(hosts, "other host"), verb(hosts, "links"))
        },
    },
    WeightedPart {
        key: "pattern",
        name: "Pattern",
        about: "Scores of the campaign for patterns of URLs and for tags of seeds",
        weight: 1.0,
        value: |link| Some(link.scored),
        why: |link| format!("{:+.2} by patterns and tags of the campaign", link.scored),
    },
];

/// The parts as they are kept with a URL: 7 or 9 bytes, and 8 for the hosts that cite it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PriorityParts {
    /// It completes a page whose priority `page` is.
    pub completes: bool,
    /// Points of the text of its link.
    pub anchor: u16,
    /// Points of the words of its path.
    pub url: u16,
    /// Points of the page with the link.
    pub page: u16,
    /// Points of patterns and tags, which may be negative.
    pub scored: i16,
    /// Hosts that cite it, a bit each by a hash of its name.
    pub cited: u64,
}

impl PriorityParts {
    /// The parts of what a link has; `cited` as the field of that name.
    pub fn of_link(anchor: f64, url: f64, page: f64, cited: u64) -> Self {
        let values = LinkValues { anchor, url, page, ..LinkValues::default() };
        let [anchor, url, page, ..] = RELEVANCE_PARTS.each_ref().map(|part| points_of(part, &values));
        Self { completes: false, anchor, url, page, scored: 0, cited }
    }

    /// The same with the sum of the campaign's scores, from -1 to 1.
    pub fn with_score(self, value: f64) -> Self {
        // `as` stops at both ends.
        Self { scored: (value.clamp(-1.0, 1.0) * f64::from(TOP_POINTS)).round() as i16, ..self }
    }

    /// The parts of what completes a page with this priority.
    pub fn of_requisite(page: u16) -> Self {
        Self { completes: true, page: page.min(TOP_POINTS), ..Self::default() }
    }

    /// Other hosts that link to it, as far as the bits tell them apart.
    pub fn citing_hosts(self) -> u32 {
        self.cited.count_ones()
    }

    /// Points of the hosts that cite it.
    pub fn cited_points(self) -> u16 {
        let values = LinkValues { citing_hosts: self.citing_hosts(), ..LinkValues::default() };
        if self.completes { 0 } else { points_of(&RELEVANCE_PARTS[3], &values) }
    }

    /// The priority: the sum of the parts, from 0 to [`TOP_POINTS`].
    pub fn points(self) -> u16 {
        let found = [self.anchor, self.url, self.page, self.cited_points()];
        let sum = found.into_iter().map(i32::from).sum::<i32>() + i32::from(self.scored);
        u16::try_from(sum.max(0)).unwrap_or(TOP_POINTS).min(TOP_POINTS)
    }

    /// The place in the queue: lower is earlier.
    pub fn priority(self) -> i64 {
        self.place().priority
    }

    /// The place in the queue, with its parts.
    pub(in crate::crawl) fn place(self) -> Place {
        let behind = i64::from(TOP_POINTS - self.points());
        Place { priority: LATER + 2 * behind + i64::from(!self.completes), parts: Some(self) }
    }

    /// The better of both ways to a URL, with all hosts that cite it; and whether it is the second one.
    pub fn or(self, other: Self) -> (Self, bool) {
        let place = |parts: Self| Self { cited: 0, ..parts }.place().priority;
        let is_better = place(other) < place(self);
        let of = if is_better { other } else { self };
        (Self { cited: self.cited | other.cited, ..of }, is_better)
    }

    /// The bytes that are kept, without `cited`.
    pub fn to_bytes(self) -> Vec<u8> {
        let mut bytes = vec![u8::from(self.completes)];
        for points in [self.anchor, self.url, self.page] {
            bytes.extend(points.to_le_bytes());
        }
        // Few campaigns have scores.
        if self.scored != 0 {
            bytes.extend(self.scored.to_le_bytes());
        }
        bytes
    }

    /// Reads what [`Self::to_bytes`] wrote; none where it is something else.
    pub fn from_bytes(bytes: &[u8], cited: u64) -> Option<Self> {
        let [completes, a, b, c, d, e, f, ref scored @ ..] = *bytes else { return None };
        let scored = match *scored {
            [] => 0,
            [low, high] => i16::from_le_bytes([low, high]),
            _ => return None,
        };
        let number = |low, high| u16::from_le_bytes([low, high]);
        let (anchor, url, page) = (number(a, b), number(c, d), number(e, f));
        Some(Self { completes: completes != 0, anchor, url, page, scored, cited })
    }
}

fn points_of(part: &WeightedPart<LinkValues>, values: &LinkValues) -> u16 {
    let value = (part.value)(values).unwrap_or(0.0).clamp(0.0, 1.0);
    // `as` stops at both ends.
    (value * part.weight * f64::from(TOP_POINTS)).round() as u16
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn parts_add_up_and_are_kept() {
        let parts = PriorityParts::of_link(0.6, 0.5, 0.7, 0b1011);
        assert_eq!((parts.anchor, parts.url, parts.page, parts.cited_points()), (3000, 1000, 2100, 400));
        assert_eq!((parts.points(), parts.place().priority), (6500, LATER + 2 * 3500 + 1));
        assert_eq!(PriorityParts::from_bytes(&parts.to_bytes(), parts.cited), Some(parts));
        assert_eq!(PriorityParts::from_bytes(&[1, 2], 0), None);
        for (score, points) in [(-0.25, 4000), (-1.0, 0), (1.0, TOP_POINTS)] {
            let scored = parts.with_score(score);
            assert_eq!(scored.points(), points);
            assert_eq!(PriorityParts::from_bytes(&scored.to_bytes(), scored.cited), Some(scored));
        }
        assert_eq!(PriorityParts::of_link(9.0, f64::NAN, -1.0, 0).points(), 5000);
        assert_eq!(PriorityParts::of_link(1.0, 1.0, 1.0, u64::MAX).points(), TOP_POINTS);
    }

    #[test]
    fn what_completes_a_page_comes_before_links_of_its_priority() {
        let place = |parts: PriorityParts| parts.place().priority;
        assert!(place(PriorityParts::of_requisite(3000)) < place(PriorityParts::of_link(0.6, 0.0, 0.0, 0)));
        assert!(place(PriorityParts::of_requisite(3000)) > place(PriorityParts::of_link(0.62, 0.0, 0.0, 0)));
    }

    #[test]
    fn of_several_pages_with_a_link_the_best_counts_and_not_their_sum() {
        let poor = PriorityParts::of_link(0.2, 0.5, 0.0, 1);
        let good = PriorityParts::of_link(0.0, 0.5, 0.9, 2);
        for (first, second, is_second) in [(poor, good, true), (good, poor, false)] {
            let (best, was_better) = first.or(second);
            assert_eq!((best.page, best.anchor, best.cited, was_better), (good.page, 0, 3, is_second));
        }
        assert!(!good.or(good).1);
    }
}
