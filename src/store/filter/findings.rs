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
        _ => {
            return Err(format!(
                "“{value}” is no state; write finding:problem, finding:odd, finding:none or finding:unchecked"
            ));
        }
    })
}

impl FilterWriter<'_> {
    /// The condition of `cause:`, as [`cause_filter`](crate::store::rows::cause_filter) writes it.
    pub(super) fn cause(&mut self, value: &str) -> Result<String, String> {
        let parts = value.split_once('/').map(|(check, rest)| (check, rest, rest.find('/').unwrap_or(rest.len())));
        let Some((check, rest, end)) = parts.filter(|(check, ..)| check_of_id(check).is_some()) else {
            return Err(format!(
                "“{value}” is no cause; write a check, a host and a form of address, such as cause:\"status/a.pt/news/*\""
            ));
        };
        let (host, template) = rest.split_at(end);
        self.values.extend([check, host, template].map(|part| Value::Text(part.to_owned())));
        Ok("c.id IN (SELECT k.capture FROM finding k WHERE k.check_id = ? AND k.state IN (0, 1) AND NOT k.false_alarm
            AND k.template = (SELECT t.id FROM finding_template t WHERE t.host = (SELECT n.id FROM host n WHERE n.name = ?)
                AND t.template = ?))"
            .to_owned())
    }

    /// The condition of `check:`.
    pub(super) fn check(&mut self, value: &str) -> Result<String, String> {
        let (id, state) =
            match value.split_once(STATE_SIGN) {
                Some((id, "n/a" | "not applicable")) => (id, Some(FindingState::NotApplicable)),
                Some((id, name)) => {
                    let known = FindingState::of_name(name);
                    (
                        id,
                        Some(known.ok_or_else(|| {
                            format!("“{name}” is no state; write check:{id}/problem or check:{id}/odd")
                        })?),
                    )
                }
                None => (value, None),
            };
        if check_of_id(id).is_none() {
            let ids: Vec<&str> = CHECKS.iter().map(|check| check.id).collect();
            return Err(format!("there is no check “{id}”; checks are {}", ids.join(", ")));
        }
        self.values.push(Value::Text(id.to_owned()));
        let state = state.map_or_else(|| "k.state < 2".to_owned(), |state| format!("k.state = {}", state.number()));
        Ok(format!("c.id IN (SELECT k.capture FROM finding k WHERE k.check_id = ? AND {state} AND NOT k.false_alarm)"))
    }
}
