//! Values of filter fields, as SQL compares them.

use super::of_campaign::OF_NO_CAMPAIGN;
use super::{FilterField, Kind, findings};
use crate::store::review::judgements::judged_sql;
use rusqlite::types::Value;

/// Whether one number is above another.
pub(super) fn is_above(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => a > b,
        (Value::Real(a), Value::Real(b)) => a > b,
        _ => false,
    }
}

/// The condition of a field that is yes or no.
pub(super) fn yes_or_no(field: &FilterField, value: &str, yes: &str, no: &str) -> Result<String, String> {
    match value {
        "yes" => Ok(yes.to_owned()),
        "no" => Ok(no.to_owned()),
        _ => Err(format!("“{value}” is neither yes nor no; write {0}:yes or {0}:no", field.name)),
    }
}

/// A pattern of LIKE for texts that have this one in them.
pub(super) fn contains(text: &str) -> String {
    format!("%{}%", escape_like(text))
}

/// A text in which LIKE sees no signs of its own.
pub(super) fn escape_like(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}

/// The condition that there is a value at all: `field:*`. None where `*` is
/// no such question.
pub(super) fn has_value(kind: &Kind) -> Option<String> {
    // What counts as 0 or nothing where it is not known.
    let known = |column: &str| match column.strip_prefix("ifnull(").and_then(|of| of.split_once(',')) {
        Some((column, _)) => format!("{column} IS NOT NULL"),
        None => format!("{column} IS NOT NULL"),
    };
    Some(match kind {
        Kind::Text(column) | Kind::Url(column) | Kind::Value(column) => format!("ifnull({column}, '') <> ''"),
        Kind::Number(column) | Kind::Date(column) => known(column),
        Kind::YesNo(yes, no) => format!("({yes} OR {no})"),
        Kind::Mark => format!("{} IS NOT NULL", crate::store::captures::capture_table::LAST_MARK),
        Kind::Collection { is_out } => {
            format!("c.id IN (SELECT k.capture FROM collected k WHERE k.is_out = {})", u8::from(*is_out))
        }
        Kind::Judged(judgement) => judged_sql(*judgement, true),
        Kind::Saved => "c.id IN (SELECT n.capture FROM named_capture n JOIN named_selection o ON o.id = n.selection
            WHERE o.campaign = ?1)"
            .to_owned(),
        Kind::Host | Kind::Fqdn | Kind::Key | Kind::File | Kind::Launch => "1".to_owned(),
        Kind::Id(_, "campaign", _) => format!("NOT ({OF_NO_CAMPAIGN})"),
        Kind::Check | Kind::Cause | Kind::Breaks => findings::HAS_FINDING.to_owned(),
        Kind::Id(..)
        | Kind::Page
        | Kind::Pattern
        | Kind::Linked
        | Kind::Since
        | Kind::Finding
        | Kind::Indexed
        | Kind::IndexedDate => return None,
    })
}
