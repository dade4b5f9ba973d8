//! Score of a capture: a sum of named parts, each of which can be defended.
//!
//! Each part has a value from 0 to 1 and the archivist's weight:
//!
//! | part | value |
//! |---|---|
//! | request | score of the [`Matcher`](super::Matcher) |
//! | external hosts | ln(1 + hosts) / ln(1 + 20), at most 1 |
//! | anchors | ln(1 + hosts with a matching anchor) / ln(1 + 5), at most 1 |
//! | depth | 1 / (1 + hops / 2) |
//! | review | approved 1, no word or flagged ½, rejected 0 |
//! | freshness | first capture of its payload 1, else 0 |
//! | entities | ln(1 + persons, places … of the request that the page names) / ln(1 + 5), at most 1 |
//!
//! Score = Σ weight × value / Σ weight over the parts that are known. What is
//! not known (inlinks not built, no request) neither helps nor harms, and
//! says so. What has no text of its own (an image, an error, a redirect) is
//! known not to answer a request: its request part is 0 and keeps its weight,
//! so that it comes after the pages that it belongs to.

use crate::campaign::{WeightedPart, effective_weight, weighted_sum};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::HashMap;

/// Distinct external hosts from which on more of them change nothing.
pub const SATURATION_HOSTS: u64 = 20;
/// Distinct hosts with a matching anchor from which on more of them change nothing.
pub const SATURATION_ANCHOR_HOSTS: u64 = 5;
/// Distinct entities of the request from which on more of them change nothing.
pub const SATURATION_ENTITIES: u64 = 5;
/// Bins of [`histogram`].
pub const HISTOGRAM_BINS: usize = 50;

/// The weight of each part, as the archivist sets it, in the order of [`SCORE_PARTS`].
/// Negative weights and those that are no number count as 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreWeights([f64; PARTS]);

impl Default for ScoreWeights {
    fn default() -> Self {
        Self(SCORE_PARTS.each_ref().map(|part| part.weight))
    }
}

impl Serialize for ScoreWeights {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(part, weight)| (part.key, weight)))
    }
}

/// Parts that are not named weigh what they do by default; others are passed over.
impl<'de> Deserialize<'de> for ScoreWeights {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let named: HashMap<String, serde_json::Value> = HashMap::deserialize(deserializer)?;
        let mut weights = Self::default();
        for (part, weight) in weights.iter_mut() {
            if let Some(value) = named.get(part.key) {
                let key = part.key;
                *weight = value.as_f64().ok_or_else(|| D::Error::custom(format!("{key} is no number: {value}")))?;
            }
        }
        Ok(weights)
    }
}

/// The result of the [`Matcher`](super::Matcher) for the page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RequestReading {
    /// 0 to 1.
    pub score: f64,
    /// Whether the boolean tree holds.
    pub holds: bool,
    /// The terms that were found, by [`Matcher::describe`](super::Matcher::describe).
    pub summary: String,
}

/// The decision of a person on a capture, as far as the score uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReviewState {
    /// None yet.
    #[default]
    None,
    /// Good.
    Approved,
    /// Not to be kept.
    Rejected,
    /// To be looked at again.
    Flagged,
}

/// The facts about a capture that its score is computed from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScoreInput {
    /// The match with the request; none where the campaign has none or
    /// the page was not read.
    pub request: Option<RequestReading>,
    /// Why it has no text of its own, such as `an image`; none where it may have some.
    pub without_text: Option<&'static str>,
    /// Distinct external hosts that link here within the window; none where
    /// inlinks are not built.
    pub external_hosts: Option<u64>,
    /// Distinct external hosts whose anchor speaks of the request; none where
    /// inlinks are not built or there is no request.
    pub anchor_hosts: Option<u64>,
    /// Days of the window on each side.
    pub window_days: u32,
    /// Hops from the seed; none where not known (imports without logs).
    pub depth: Option<u32>,
    /// Whether that is only a claim of the file of an import.
    pub depth_is_claim: bool,
    /// The last decision of a person.
    pub review: ReviewState,
    /// Whether no earlier capture holds the same payload; none where not known.
    pub first_of_payload: Option<bool>,
    /// Distinct persons, places, organisations and events of the request that its text names; none where nothing was
    /// analysed or the request names nobody.
    pub entities: Option<u64>,
}

/// A part of a score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScorePart {
    /// Its name, for people.
    pub name: String,
    /// 0 to 1; 0 where not known.
    pub value: f64,
    /// The archivist's weight; 0 where the value is not known.
    pub weight: f64,
    /// Why the value is what it is.
    pub why: String,
}

/// Parts of a score.
const PARTS: usize = 7;

/// Parts of a score, in their order.
pub static SCORE_PARTS: [WeightedPart<ScoreInput>; PARTS] = [
    WeightedPart {
        key: "request",
        name: "Request",
        about: "Match of the campaign's request",
        weight: 0.4,
        value: |input| match (input.without_text, &input.request) {
            (Some(_), _) => Some(0.0),
            (None, Some(reading)) if reading.score.is_finite() => Some(reading.score.clamp(0.0, 1.0)),
            (None, Some(_)) => Some(0.0),
            (None, None) => None,
        },
        why: |input| match (input.without_text, &input.request) {
            (Some(what), _) => format!("does not apply: {what} has no text of its own"),
            (None, None) => "the campaign has no request, or the page was not read".to_owned(),
            (None, Some(RequestReading { holds: true, summary, .. })) => format!("the request holds: {summary}"),
            (None, Some(RequestReading { summary, .. })) => format!("the request does not hold: {summary}"),
        },
    },
    WeightedPart {
        key: "external_hosts",
        name: "External hosts",
        about: "Distinct hosts that link here in the window",
        weight: 0.25,
        value: |input| input.external_hosts.map(|hosts| saturating(hosts, SATURATION_HOSTS)),
        why: |input| match input.external_hosts {
            None => "inlinks are not built".to_owned(),
            Some(number) => format!("{} within ±{} days", hosts_link_here(number), input.window_days),
        },
    },
    WeightedPart {
        key: "anchors",
        name: "Anchors",
        about: "Links whose text matches the request",
        weight: 0.15,
        value: |input| input.anchor_hosts.map(|hosts| saturating(hosts, SATURATION_ANCHOR_HOSTS)),
        why: |input| match input.anchor_hosts {
            None => "inlinks are not built, or the campaign has no request".to_owned(),
            Some(number) => format!("{} in the words of the request", hosts_link_here(number)),
        },
    },
    WeightedPart {
        key: "depth",
        name: "Depth",
        about: "Nearness to the seed",
        weight: 0.1,
        value: |input| input.depth.map(|hops| 1.0 / (1.0 + f64::from(hops) / 2.0)),
        why: |input| {
            let depth = match input.depth {
                None => return "the path from the seed is not known".to_owned(),
                Some(0) => "a seed".to_owned(),
                Some(hops) => format!("{} from the seed", count(hops.into(), "hop", "hops")),
            };
            if input.depth_is_claim { format!("{depth}, its file says") } else { depth }
        },
    },
    WeightedPart {
        key: "review",
        name: "Review",
        about: "Approved by a person",
        weight: 0.05,
        value: |input| match input.review {
            ReviewState::Approved => Some(1.0),
            ReviewState::Rejected => Some(0.0),
            ReviewState::Flagged | ReviewState::None => Some(0.5),
        },
        why: |input| match input.review {
            ReviewState::Approved => "approved".to_owned(),
            ReviewState::Rejected => "rejected".to_owned(),
            ReviewState::Flagged => "flagged, not decided".to_owned(),
            ReviewState::None => "not reviewed yet".to_owned(),
        },
    },
    WeightedPart {
        key: "freshness",
        name: "Freshness",
        about: "First capture of this content",
        weight: 0.05,
        value: |input| input.first_of_payload.map(|first| if first { 1.0 } else { 0.0 }),
        why: |input| match input.first_of_payload {
            None => "the payload's digest is not known".to_owned(),
            Some(true) => "first capture of this content".to_owned(),
            Some(false) => "the same content was captured before".to_owned(),
        },
    },
    WeightedPart {
        key: "entities",
        name: "Entities",
        about: "Persons, places and so on of the request that the text names",
        // A selection counts them where the archivist says so: scores are what they were before.
        weight: 0.0,
        value: |input| match (input.without_text, input.entities) {
            (Some(_), Some(_)) => Some(0.0),
            (_, entities) => entities.map(|number| saturating(number, SATURATION_ENTITIES)),
        },
        why: |input| match (input.without_text, input.entities) {
            (_, None) => {
                "nothing was analysed, or the request names no person, place, organisation or event".to_owned()
            }
            (Some(what), _) => format!("does not apply: {what} has no text of its own"),
            (None, Some(number)) => {
                format!("{} named", count(number, "entity of the request is", "entities of the request are"))
            }
        },
    },
];

/// The values of the parts, each 0 to 1; none where it is not known.
pub type PartValues = [Option<f64>; PARTS];

impl ScoreInput {
    /// The value of each part, before it is weighed.
    pub fn values(&self) -> PartValues {
        SCORE_PARTS.each_ref().map(|part| (part.value)(self))
    }

    /// The parts of its score, for people.
    pub fn parts(&self, weights: &ScoreWeights) -> Vec<ScorePart> {
        let explained = |(part, weight): (&WeightedPart<Self>, f64)| {
            let (name, why) = (part.name.to_owned(), (part.why)(self));
            match (part.value)(self) {
                Some(value) => ScorePart { name, value, weight: effective_weight(weight), why },
                None => ScorePart { name, value: 0.0, weight: 0.0, why: format!("not counted: {why}") },
            }
        };
        weights.iter().map(explained).collect()
    }
}

impl ScoreWeights {
    /// Each part with its weight, in the order of [`SCORE_PARTS`].
    pub fn iter(&self) -> impl Iterator<Item = (&'static WeightedPart<ScoreInput>, f64)> {
        SCORE_PARTS.iter().zip(self.0)
    }

    /// The weights of all parts, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&'static WeightedPart<ScoreInput>, &mut f64)> {
        SCORE_PARTS.iter().zip(&mut self.0)
    }

    /// The weight of a part, by its key; 0 where there is no such part.
    pub fn get(&self, key: &str) -> f64 {
        self.iter().find(|(part, _)| part.key == key).map_or(0.0, |(_, weight)| weight)
    }

    /// Sets the weight of a part, by its key; `None` where there is no such part.
    pub fn with(mut self, key: &str, weight: f64) -> Option<Self> {
        *self.iter_mut().find(|(part, _)| part.key == key)?.1 = weight;
        Some(self)
    }

    /// The score of a capture with these values, 0 to 1.
    pub fn score(&self, values: &PartValues) -> f64 {
        let (sum, total) = weighted_sum(&self.0, values);
        if total > 0.0 { (sum / total).clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// Counts scores in [`HISTOGRAM_BINS`] equal bins from 0 to 1; 1 falls into
/// the last one, what lies outside into the nearest.
pub fn histogram(scores: impl IntoIterator<Item = f64>) -> Vec<u64> {
    let mut bins = vec![0; HISTOGRAM_BINS];
    for score in scores {
        // `as` takes what is no number for 0 and stops at both ends.
        let bin = ((score * HISTOGRAM_BINS as f64) as usize).min(HISTOGRAM_BINS - 1);
        if let Some(count) = bins.get_mut(bin) {
            *count += 1;
        }
    }
    bins
}

fn hosts_link_here(number: u64) -> String {
    count(number, "external host links here", "external hosts link here")
}

/// Grows with the logarithm: the second host counts more than the twentieth.
fn saturating(count: u64, saturation: u64) -> f64 {
    ((count as f64).ln_1p() / (saturation as f64).ln_1p()).min(1.0)
}

fn count(n: u64, one: &str, many: &str) -> String {
    match n {
        0 => format!("no {one}"),
        1 => format!("1 {one}"),
        _ => format!("{n} {many}"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn full() -> ScoreInput {
        ScoreInput {
            request: Some(RequestReading { score: 1.0, holds: true, summary: "“ria” 2 × in title".into() }),
            without_text: None,
            external_hosts: Some(20),
            anchor_hosts: Some(5),
            window_days: 90,
            depth: Some(0),
            depth_is_claim: false,
            review: ReviewState::Approved,
            first_of_payload: Some(true),
            entities: Some(5),
        }
    }

    fn score(input: &ScoreInput, weights: &ScoreWeights) -> f64 {
        weights.score(&input.values())
    }

    /// Value and words of one part.
    #[track_caller]
    fn check_part(input: &ScoreInput, name: &str, value: f64, why: &str) {
        let parts = input.parts(&ScoreWeights::default());
        let part = parts.iter().find(|part| part.name == name).unwrap_or_else(|| panic!("no part {name}"));
        assert!((part.value - value).abs() < 5e-4, "{name}: {}", part.value);
        assert_eq!(part.why, why, "{name}");
    }

    #[test]
    fn parts_have_values_and_texts() {
        let with = |change: fn(&mut ScoreInput)| {
            let mut input = full();
            change(&mut input);
            input
        };
        check_part(&full(), "Request", 1.0, "the request holds: “ria” 2 × in title");
        check_part(
            &with(|i| i.request = None),
            "Request",
            0.0,
            "not counted: the campaign has no request, or the page was not read",
        );
        check_part(
            &with(|i| i.external_hosts = Some(0)),
            "External hosts",
            0.0,
            "no external host links here within ±90 days",
        );
        check_part(
            &with(|i| i.external_hosts = Some(1)),
            "External hosts",
            0.2277,
            "1 external host links here within ±90 days",
        );
        check_part(
            &with(|i| i.external_hosts = Some(500)),
            "External hosts",
            1.0,
            "500 external hosts link here within ±90 days",
        );
        check_part(&with(|i| i.external_hosts = None), "External hosts", 0.0, "not counted: inlinks are not built");
        check_part(
            &with(|i| i.anchor_hosts = Some(2)),
            "Anchors",
            0.6131,
            "2 external hosts link here in the words of the request",
        );
        check_part(&with(|i| i.depth = Some(1)), "Depth", 0.6667, "1 hop from the seed");
        check_part(&with(|i| i.depth = Some(2)), "Depth", 0.5, "2 hops from the seed");
        check_part(
            &with(|i| (i.depth, i.depth_is_claim) = (Some(2), true)),
            "Depth",
            0.5,
            "2 hops from the seed, its file says",
        );
        check_part(&with(|i| i.depth = Some(u32::MAX)), "Depth", 0.0, "4294967295 hops from the seed");
        check_part(&with(|i| i.review = ReviewState::None), "Review", 0.5, "not reviewed yet");
        check_part(&with(|i| i.review = ReviewState::Rejected), "Review", 0.0, "rejected");
        check_part(
            &with(|i| i.first_of_payload = Some(false)),
            "Freshness",
            0.0,
            "the same content was captured before",
        );
        check_part(&full(), "Entities", 1.0, "5 entities of the request are named");
        check_part(&with(|i| i.entities = Some(1)), "Entities", 0.3869, "1 entity of the request is named");
        check_part(&with(|i| i.entities = Some(0)), "Entities", 0.0, "no entity of the request is named");
    }

    #[test]
    fn entities_count_where_they_have_a_weight() {
        let without = ScoreInput { entities: Some(0), ..full() };
        let default = ScoreWeights::default();
        assert!((score(&full(), &default) - score(&without, &default)).abs() < 1e-9);
        let weights = default.with("entities", 0.5).unwrap();
        assert!(score(&full(), &weights) > score(&without, &weights));
    }

    #[test]
    fn the_sum_is_normalised_over_what_is_known() {
        #[track_caller]
        fn check(input: &ScoreInput, weights: &ScoreWeights, expected: f64) {
            let got = score(input, weights);
            assert!((got - expected).abs() < 1e-9, "{got} is not {expected}");
        }
        let default = ScoreWeights::default();
        check(&full(), &default, 1.0);
        check(&ScoreInput::default(), &default, 0.5);
        let mut input = full();
        input.external_hosts = Some(0);
        check(&input, &default, 0.75);
        input.external_hosts = None;
        check(&input, &default, 1.0);
        input.depth = Some(2);
        check(&input, &default.with("request", 1.0).unwrap().with("depth", 1.0).unwrap(), (1.0 + 0.5 + 0.25) / 2.25);
        let none = ScoreWeights([0.0, -1.0, f64::NAN, 0.0, 0.0, 0.0, 0.0]);
        check(&full(), &none, 0.0);
    }

    #[test]
    fn captures_without_text_score_below_pages_with_a_reason() {
        let image = ScoreInput { request: None, without_text: Some("an image"), ..full() };
        check_part(&image, "Request", 0.0, "does not apply: an image has no text of its own");
        let weights = ScoreWeights::default();
        assert!((score(&image, &weights) - 0.6).abs() < 1e-9);
        // Without a request, too.
        let page = ScoreInput { request: None, without_text: None, ..full() };
        assert!(score(&page, &weights) > score(&image, &weights));
    }

    #[test]
    fn weights_are_kept_by_the_names_of_their_parts() {
        let weights = ScoreWeights::default().with("anchors", 0.5).unwrap();
        let json = serde_json::to_string(&weights).unwrap();
        assert_eq!(
            json,
            r#"{"request":0.4,"external_hosts":0.25,"anchors":0.5,"depth":0.1,"review":0.05,"freshness":0.05}"#
        );
        assert_eq!(serde_json::from_str::<ScoreWeights>(&json).unwrap(), weights);
        let some: ScoreWeights = serde_json::from_str(r#"{"anchors": 0.5, "of later versions": []}"#).unwrap();
        assert_eq!(some, weights);
        assert!(serde_json::from_str::<ScoreWeights>(r#"{"depth": "deep"}"#).is_err());
        assert!(weights.with("luck", 1.0).is_none());
    }

    #[test]
    fn bins_hold_every_score() {
        let bins = histogram([0.0, 0.019, 0.02, 0.5, 0.999, 1.0, 2.0, -1.0, f64::NAN]);
        assert_eq!(bins.len(), 50);
        assert_eq!((bins[0], bins[1], bins[25], bins[49]), (4, 1, 1, 3));
        assert_eq!(bins.iter().sum::<u64>(), 9);
    }
}
