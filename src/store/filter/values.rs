//! Values of filter fields, as SQL compares them.

use super::FilterField;
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
