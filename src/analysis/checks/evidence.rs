//! Evidence in words and as data.

use serde_json::{Value, json};

/// Evidence with its sentence and further fields of an object.
pub(super) fn evidence(text: impl Into<String>, more: Value) -> Value {
    let mut all = json!({ "text": text.into() });
    if let (Some(all), Value::Object(more)) = (all.as_object_mut(), more) {
        all.extend(more.into_iter().filter(|(_, value)| !value.is_null()));
    }
    all
}

/// A number with its noun.
pub(super) fn counted(number: u64, noun: &str) -> String {
    crate::jobs::counted(number, noun)
}
