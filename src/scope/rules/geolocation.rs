//! The country of the server.

use super::{Change, DecideRule, Edit, RuleKind, listed, verb};
use crate::scope::{Candidate, Decision, Facts, GeoFact};
use serde::{Deserialize, Serialize};

/// Accepts (or rejects) hosts with an address in one of these countries.
///
/// A name that could not be resolved, an address without a country and a host
/// that nobody has looked up give no opinion. Why it accepts by default: it
/// lets in hosts of a country that have no name under its domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Geolocation {
    /// ISO 3166 codes of two letters.
    pub countries: Vec<String>,
    /// The decision on a host there.
    #[serde(default = "accept")]
    pub decision: Decision,
}

fn accept() -> Decision {
    Decision::Accept
}

impl Geolocation {
    /// Whether the country is one of the list.
    pub fn lists(&self, country: &str) -> bool {
        // What is compiled or was answered holds no blanks, and is compared often.
        let country = if country.len() == 2 { country } else { country.trim() };
        let is_same = |listed: &String| listed.eq_ignore_ascii_case(country);
        self.countries
            .iter()
            .any(|listed| is_same(listed) || listed.len() > 2 && listed.trim().eq_ignore_ascii_case(country))
    }

    pub(super) fn compile(&self) -> Result<Self, String> {
        let mut countries = Vec::with_capacity(self.countries.len());
        for country in &self.countries {
            let code = country.trim().to_ascii_uppercase();
            if code.len() != 2 || !code.bytes().all(|b| b.is_ascii_uppercase()) {
                return Err(format!("“{country}” is no country code; give two letters, such as PT"));
            }
            countries.push(code);
        }
        Ok(Self { countries, ..self.clone() })
    }
}

impl DecideRule for Geolocation {
    fn name(&self) -> &'static str {
        "ExternalGeoLocationDecideRule"
    }

    fn summary(&self) -> String {
        format!("{} servers in {}", verb(self.decision), listed(&self.countries, "country", "countries"))
    }

    fn decide(&self, _: &Candidate, facts: &Facts) -> Option<Decision> {
        let GeoFact::Known(evidence) = &facts.geo else {
            return None;
        };
        let mut found = evidence.addresses.iter().filter_map(|address| address.country.as_deref());
        found.any(|country| self.lists(country)).then_some(self.decision)
    }

    fn tested(&self, _: &Candidate, facts: &Facts) -> String {
        match &facts.geo {
            GeoFact::NotQueried => "the country of its server is not looked up yet".to_owned(),
            GeoFact::Failed { why } => format!("not known: {why}"),
            GeoFact::Known(evidence) if evidence.addresses.is_empty() => "the host has no address".to_owned(),
            GeoFact::Known(evidence) => {
                let build = evidence.database_build.to_readable();
                let day = build.split(' ').next().unwrap_or_default();
                format!("{} ({} of {day})", evidence.places(), evidence.database)
            }
        }
    }

    fn uses_geo(&self) -> bool {
        true
    }

    fn changes(&self, candidate: &Candidate, facts: &Facts, target: Option<Decision>) -> Vec<Change> {
        let edited = |countries| Edit::Entry(RuleKind::Geolocation(Self { countries, ..self.clone() }));
        let GeoFact::Known(evidence) = &facts.geo else {
            return Vec::new();
        };
        let place = evidence.addresses.iter().find_map(|address| address.country.clone());
        match (target, self.decide(candidate, facts)) {
            (None, Some(_)) => {
                let is_here = |listed: &&String| {
                    let mut found = evidence.addresses.iter().filter_map(|address| address.country.as_deref());
                    found.any(|country| listed.eq_ignore_ascii_case(country))
                };
                let out: Vec<String> = self.countries.iter().filter(is_here).cloned().collect();
                let kept = self.countries.iter().filter(|listed| !is_here(listed)).cloned().collect();
                vec![Change { summary: format!("take {} out of the countries", out.join(", ")), edit: edited(kept) }]
            }
            (Some(target), None) if target == self.decision => place
                .map(|country| {
                    let mut countries = self.countries.clone();
                    countries.push(country.clone());
                    Change { summary: format!("add {country} to the countries"), edit: edited(countries) }
                })
                .into_iter()
                .collect(),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::testing::candidate;
    use super::*;
    use crate::scope::{AddressCountry, AnswerSource, GeoEvidence};
    use crate::uri::CaptureDate;

    fn known(countries: &[Option<&str>]) -> GeoFact {
        let addresses = countries.iter().map(|country| {
            AddressCountry::new("192.0.2.1".parse().unwrap(), "192.0.2.0/24", country.map(str::to_owned))
        });
        GeoFact::Known(GeoEvidence {
            date: CaptureDate::from_seconds(0),
            addresses: addresses.collect(),
            database: "GeoLite2-Country".to_owned(),
            database_build: CaptureDate::from_seconds(1_709_251_200),
            source: AnswerSource::Resolver,
        })
    }

    #[test]
    fn only_a_known_country_gives_an_opinion() {
        let rule = Geolocation { countries: vec!["gb".to_owned()], decision: Decision::Accept }.compile().unwrap();
        let candidate = candidate("http://www.bl.uk/", "L");
        for (geo, expected) in [
            (GeoFact::NotQueried, None),
            (GeoFact::Failed { why: "no such host".to_owned() }, None),
            (known(&[]), None),
            (known(&[None]), None),
            (known(&[Some("FR")]), None),
            (known(&[Some("GB")]), Some(Decision::Accept)),
            (known(&[Some("FR"), Some("GB")]), Some(Decision::Accept)),
        ] {
            let facts = Facts { geo, ..Facts::default() };
            assert_eq!(rule.decide(&candidate, &facts), expected, "{facts:?}");
        }
        let facts = Facts { geo: known(&[Some("GB")]), ..Facts::default() };
        assert_eq!(rule.tested(&candidate, &facts), "192.0.2.1 in 192.0.2.0/24 is GB (GeoLite2-Country of 2024-03-01)");
        assert!(Geolocation { countries: vec!["Portugal".to_owned()], ..rule }.compile().is_err());
    }
}
