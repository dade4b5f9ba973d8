//! Fields that ask what checks of review found.

use super::FilterWriter;
use crate::analysis::checks::{CHECKS, FindingState, check_of_id};
use rusqlite::types::Value;

/// SQL: captures on which any check found something.
pub(super) const HAS_FINDING: &str =
    "c.id IN (SELECT p.capture FROM page_loss p WHERE p.loss > 0 OR p.problems > 0 OR p.odd > 0)";

/// SQL: pages whose missing resources have a text in their URLs.
pub(super) const BREAKS: &str = "c.id IN (SELECT k.capture FROM finding k
    WHERE k.check_id = 'missing-resources' AND k.state < 2 AND instr(k.evidence, ?) > 0)";

/// Between the name of a check and a state.
const STATE_SIGN: char = '/';

/// The condition of `finding:`.
pub(super) fn finding_sql(value: &str) -> Result<String, String> {
    let worst = |condition: &str| format!("c.id IN (SELECT p.capture FROM page_loss p WHERE {condition})");
    Ok(match value {
        "problem" => worst("p.problems > 0"),
        "odd" => worst("p.problems = 0 AND p.odd > 0"),
        "none" => worst("p.problems = 0 AND p.odd = 0"),
        "unchecked" => format!("NOT {}", worst("1")),
        _ => return Err(format!("“{value}” is no state; write finding:problem, finding:odd, finding:none or finding:unchecked")),
    })
}

impl FilterWriter<'_> {
    /// The condition of `check:`.
    pub(super) fn check(&mut self, value: &str) -> Result<String, String> {
        let (id, state) = match value.split_once(STATE_SIGN) {
            Some((id, "n/a" | "not applicable")) => (id, Some(FindingState::NotApplicable)),
            Some((id, name)) => {
                let known = FindingState::of_name(name);
                (id, Some(known.ok_or_else(|| format!("“{name}” is no state; write check:{id}/problem or check:{id}/odd"))?))
            }
            None => (value, None),
        };
        if check_of_id(id).is_none() {
            let ids: Vec<&str> = CHECKS.iter().map(|check| check.id).collect();
            return Err(format!("there is no check “{id}”; checks are {}", ids.join(", ")));
        }
        self.values.push(Value::Text(id.to_owned()));
        let state = state.map_or_else(|| "k.state < 2".to_owned(), |state| format!("k.state = {}", state.number()));
        Ok(format!(
            "c.id IN (SELECT k.capture FROM finding k WHERE k.check_id = ? AND {state} AND NOT k.false_alarm)"
        ))
    }
}
