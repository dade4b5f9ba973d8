//! Places that a campaign leaves out by a rule.

use super::Decision;
use super::rules::{Rule, RuleKind, SurtPrefix};
use crate::campaign::Campaign;
use serde_json::Value;

/// Whether a rule of a campaign rejects what is below a place, which is written as a URL.
pub fn rejects_below(campaign: &Campaign, place: &str) -> bool {
    let rules = campaign.rules.iter().filter_map(|rule| Rule::read(rule).ok()).filter(|rule| rule.enabled);
    rules.into_iter().any(|rule| match rule.kind {
        RuleKind::SurtPrefix(of) => {
            of.decision == Decision::Reject && of.prefixes.iter().any(|of| place.starts_with(of))
        }
        _ => false,
    })
}

/// The rules of a campaign, and behind them that what is below a place is rejected. Where the last one
/// rejects places it has this one as well.
///
/// # Errors
///
/// A rule that cannot be written.
pub fn reject_below(campaign: &Campaign, place: &str, comment: &str) -> Result<Vec<Value>, serde_json::Error> {
    let mut rules = campaign.rules.clone();
    let last = rules.last().and_then(|rule| Rule::read(rule).ok()).filter(|rule| rule.enabled);
    if let Some(Rule { enabled, comment, kind: RuleKind::SurtPrefix(mut of) }) = last
        && of.decision == Decision::Reject
        && !of.also_check_via
    {
        of.prefixes.push(place.to_owned());
        rules.pop();
        rules.push(serde_json::to_value(Rule { enabled, comment, kind: RuleKind::SurtPrefix(of) })?);
        return Ok(rules);
    }
    let of = SurtPrefix { prefixes: vec![place.to_owned()], decision: Decision::Reject, also_check_via: false };
    let rule = Rule { enabled: true, comment: comment.to_owned(), kind: RuleKind::SurtPrefix(of) };
    rules.push(serde_json::to_value(rule)?);
    Ok(rules)
}
