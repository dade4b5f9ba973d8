//! Names in logs of verdicts that no rule of a campaign gives, and plain names
//! of decide rules, for people.

/// Lets a robots.txt in: no rule decides what another URL needs.
pub const PREREQUISITE_RULE: &str = "PrerequisiteAcceptDecideRule";
/// Refuses by robots.txt, with a rule for that or without.
pub const ROBOTS_RULE: &str = "RobotsDecideRule";
/// Keeps private addresses out.
pub const PRIVATE_ADDRESS_RULE: &str = "PrivateAddressGuard";
/// Keeps out redirects to URLs that cannot be fetched (`file:`, `ftp:`, `javascript:` …).
pub const UNSUPPORTED_SCHEME: &str = "UnsupportedSchemeDecideRule";

/// The plain name of a rule that logs call by its class name: `URL pattern`
/// for `MatchesListRegexDecideRule`. Names of rules of other crawlers stay
/// as they are.
pub fn rule_label(name: &str) -> &str {
    LABELS.iter().find(|(class, _)| *class == name).map_or(name, |(_, label)| label)
}

const LABELS: [(&str, &str); 33] = [
    ("AcceptDecideRule", "accept everything"),
    ("RejectDecideRule", "reject everything"),
    ("SeedScopeDecideRule", "seed scope"),
    ("SurtPrefixedDecideRule", "SURT prefix"),
    ("MatchesRegexDecideRule", "URL pattern"),
    ("MatchesListRegexDecideRule", "URL pattern"),
    ("NotMatchesRegexDecideRule", "URL pattern"),
    ("OnDomainsDecideRule", "domain list"),
    ("OnHostsDecideRule", "host list"),
    ("TopLevelDomainDecideRule", "top-level domain"),
    ("TooManyHopsDecideRule", "number of hops"),
    ("TooManyPathSegmentsDecideRule", "number of path segments"),
    ("TooManyQueryParametersDecideRule", "number of query parameters"),
    ("PathologicalPathDecideRule", "repeating path"),
    ("TransclusionDecideRule", "embedded resource"),
    ("SchemeNotInSetDecideRule", "URL scheme"),
    ("HopTypeDecideRule", "type of hop"),
    ("HopsPathMatchesRegexDecideRule", "hop path"),
    ("SourceTagDecideRule", "seed tag"),
    ("NofollowDecideRule", "nofollow link"),
    (ROBOTS_RULE, "robots.txt"),
    ("ExternalGeoLocationDecideRule", "country of the server"),
    ("PermissionDecideRule", "permission"),
    (super::REFUSED_PERMISSION, "permission refused"),
    ("ScheduleWindowDecideRule", "time window"),
    ("AnnotationDecideRule", "review decision"),
    ("ContentLengthDecideRule", "response size"),
    ("ContentTypeMatchesRegexDecideRule", "content type"),
    (PREREQUISITE_RULE, "prerequisite"),
    (PRIVATE_ADDRESS_RULE, "private address"),
    (super::TOO_MANY_REDIRECTS, "number of redirects in a row"),
    (super::UNSUPPORTED_SCHEME, "unsupported scheme"),
    (super::NO_RULE, "no rule matched"),
];

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::campaign::Campaign;
    use crate::scope::{DecideRules, rule_templates};

    #[test]
    fn every_rule_that_can_be_added_has_a_plain_name() {
        let mut campaign = Campaign::new("Town");
        let mut named = 0;
        for (label, rule) in rule_templates() {
            campaign.rules = vec![rule];
            // Rules that need a list do not compile while it is empty.
            let Ok(rules) = DecideRules::compile(&campaign) else { continue };
            let name = rules.lines().next().unwrap().1.to_owned();
            assert_ne!(rule_label(&name), name, "{label}");
            named += 1;
        }
        assert!(named > 15, "{named}");
        assert_eq!(rule_label("SomebodysOwnDecideRule"), "SomebodysOwnDecideRule");
    }
}
