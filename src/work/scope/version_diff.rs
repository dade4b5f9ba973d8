//! Differences of two versions of a campaign as lines for people: terms, seeds, rules by their
//! summaries, other fields by their values.

use crate::campaign::{Campaign, Term, campaign_differences};
use crate::query::Query;
use crate::scope::DecideRules;
use serde::Serialize;

/// What a later version of a campaign lacks and has of a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VersionDifference {
    /// The field, such as `request`.
    pub field: String,
    /// Lines of the first version that the second one lacks.
    pub removed: Vec<String>,
    /// Lines of the second version that the first one lacks.
    pub added: Vec<String>,
}

/// The differences of two versions, by field.
pub fn version_differences(first: &Campaign, second: &Campaign) -> Vec<VersionDifference> {
    let mut found = Vec::new();
    let mut compare = |field: &str, one: Vec<String>, other: Vec<String>| {
        let removed: Vec<String> = one.iter().filter(|line| !other.contains(line)).cloned().collect();
        let added: Vec<String> = other.into_iter().filter(|line| !one.contains(line)).collect();
        let differs = !removed.is_empty() || !added.is_empty();
        if differs {
            found.push(VersionDifference { field: field.to_owned(), removed, added });
        }
        differs
    };
    if !compare("request", terms(first), terms(second)) {
        compare("request", vec![first.request.to_string()], vec![second.request.to_string()]);
    }
    let is_compared = match (rules(first), rules(second)) {
        (Some(one), Some(other)) => compare("rules", one, other),
        _ => false,
    };
    // Rules in another order, and those that cannot be compiled, are compared as they are saved.
    let others = campaign_differences(first, second).into_iter();
    let others = others.filter(|of| !(of.field.starts_with("request") || is_compared && of.field == "rules"));
    let lines = |text: String| if text.is_empty() { Vec::new() } else { vec![text] };
    found.extend(others.map(|of| VersionDifference {
        field: of.field,
        removed: lines(of.first),
        added: lines(of.second),
    }));
    found
}

fn terms(campaign: &Campaign) -> Vec<String> {
    let mut terms = Vec::new();
    campaign.request.for_each_term(&mut |term: &Term| terms.push(Query::Term(term.clone()).to_string()));
    terms
}

fn rules(campaign: &Campaign) -> Option<Vec<String>> {
    let rules = DecideRules::compile(campaign).ok()?;
    let line = |(_, _, summary, enabled): (usize, &str, String, bool)| {
        if enabled { summary } else { format!("{summary} (off)") }
    };
    Some(rules.lines().map(|of| line((of.0, "", of.2.to_string(), of.3))).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::scope::{reject_below, standard_rules};

    #[test]
    fn terms_and_rules_are_compared_one_by_one() {
        let first =
            Campaign { request: "ria AND naval".parse().unwrap(), rules: standard_rules(), ..Campaign::new("x") };
        let mut second = Campaign { request: "(ria AND naval) OR casco^0.8".parse().unwrap(), ..first.clone() };
        second.rules = reject_below(&first, "http://a.pt/loja/", "").unwrap();
        second.limits.max_documents = 5;
        let found = version_differences(&first, &second);
        let of = |field: &str| found.iter().find(|of| of.field == field).unwrap();
        assert_eq!((of("request").removed.len(), &*of("request").added), (0, &["casco^0.8".to_owned()][..]));
        assert!(of("rules").removed.is_empty() && of("rules").added[0].contains("http://a.pt/loja/"), "{found:?}");
        assert_eq!((&*of("limits.max_documents").removed[0], &*of("limits.max_documents").added[0]), ("10000", "5"));
        assert_eq!(found.len(), 3, "{found:?}");
        second = Campaign { request: "ria OR naval".parse().unwrap(), ..first.clone() };
        let found = version_differences(&first, &second);
        assert_eq!(found[0].removed, ["ria AND naval"]);
        assert!(version_differences(&first, &first).is_empty());
    }
}
