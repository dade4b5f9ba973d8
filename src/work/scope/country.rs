//! A URL is tried in every kind of country to see whether its side depends on one that nobody has
//! looked up.

use super::launch_rules::{KnownFacts, LaunchRules};
use crate::scope::{AddressCountry, AnswerSource, Candidate, DecideRules, Decision, GeoEvidence, GeoFact};
use crate::uri::CaptureDate;
use std::net::{IpAddr, Ipv4Addr};

/// Every kind of place that two lists of rules distinguish.
pub(super) struct Countries(Vec<GeoFact>);

impl Countries {
    /// Takes one country of each kind: those that the same rules list are equal, and so are all that no
    /// rule lists.
    pub(super) fn of(before: &DecideRules, after: &DecideRules) -> Self {
        let lists: Vec<&[String]> = before.country_lists().chain(after.country_lists()).collect();
        let mut kinds: Vec<Vec<bool>> = vec![vec![false; lists.len()]];
        let mut places = vec![assumed_place(None)];
        for country in lists.iter().copied().flatten() {
            let listed = |list: &&[String]| list.iter().any(|other| other.trim().eq_ignore_ascii_case(country.trim()));
            let kind: Vec<bool> = lists.iter().map(listed).collect();
            if !kinds.contains(&kind) {
                kinds.push(kind);
                places.push(assumed_place(Some(country.trim().to_ascii_uppercase())));
            }
        }
        Self(places)
    }

    /// Whether it changes side in some of the places and not in others, or not in the same way. The
    /// flags are true where a crawl with these rules would look the host up; one that does not decides
    /// without.
    pub(super) fn can_move(
        &self,
        (before, hung): (&LaunchRules, bool),
        (after, hangs): (&LaunchRules, bool),
        candidate: &mut Candidate,
        known: &mut KnownFacts,
    ) -> bool {
        let mut moves = self.0.iter().map(|place| {
            let here = |with_lookup: bool| if with_lookup { place.clone() } else { GeoFact::NotQueried };
            known.facts.geo = here(hung);
            let then = before.decide(candidate, known).decision;
            known.facts.geo = here(hangs);
            let now = after.with_own_seeds(before, candidate, |candidate| after.decide(candidate, known).decision);
            known.facts.geo = GeoFact::NotQueried;
            (then != now).then_some(now == Decision::Accept)
        });
        let first = moves.next();
        moves.any(|other| Some(other) != first)
    }
}

fn assumed_place(country: Option<String>) -> GeoFact {
    GeoFact::Known(GeoEvidence {
        date: CaptureDate::from_seconds(0),
        addresses: vec![AddressCountry::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), "", country)],
        database: String::new(),
        database_build: CaptureDate::from_seconds(0),
        source: AnswerSource::Unrecorded,
    })
}
