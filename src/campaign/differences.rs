//! Differences of two versions of a campaign, field by field, for a person who chooses between them.

use super::Campaign;
use serde_json::Value;
use std::collections::BTreeSet;

/// A field that two versions have different values in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldDifference {
    /// Where, such as `politeness.delay_ms`.
    pub field: String,
    /// The value of the first one; of lists, the entries that the other lacks.
    pub first: String,
    /// The value of the second one.
    pub second: String,
}

/// The fields in which two versions of a campaign differ, by their names.
pub fn campaign_differences(first: &Campaign, second: &Campaign) -> Vec<FieldDifference> {
    let mut found = Vec::new();
    let value = |campaign: &Campaign| serde_json::to_value(campaign).unwrap_or_default();
    compare("", &value(first), &value(second), &mut found);
    found
}

fn compare(field: &str, first: &Value, second: &Value, found: &mut Vec<FieldDifference>) {
    if first == second {
        return;
    }
    let pair = match (first, second) {
        (Value::Object(one), Value::Object(other)) => {
            let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            for name in names {
                let field = if field.is_empty() { name.clone() } else { format!("{field}.{name}") };
                let of = |object: &serde_json::Map<String, Value>| object.get(name).cloned().unwrap_or_default();
                compare(&field, &of(one), &of(other), found);
            }
            return;
        }
        (Value::Array(one), Value::Array(other)) => {
            let only = |of: &[Value], other: &[Value]| -> String {
                let only: Vec<String> = of.iter().filter(|entry| !other.contains(entry)).map(plain_value).collect();
                only.join(", ")
            };
            match (only(one, other), only(other, one)) {
                (one, other) if one.is_empty() && other.is_empty() => {
                    ("in another order".to_owned(), "in another order".to_owned())
                }
                lists => lists,
            }
        }
        _ => (plain_value(first), plain_value(second)),
    };
    found.push(FieldDifference { field: field.to_owned(), first: pair.0, second: pair.1 });
}

fn plain_value(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        // A seed or a site is its address; the rest of it only where that is alike.
        Value::Object(fields) => match fields.get("url") {
            Some(Value::String(url)) => url.clone(),
            _ => value.to_string(),
        },
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::Seed;

    #[test]
    fn fields_and_entries_of_lists_that_differ_are_named() {
        let seed =
            |url: &str| Seed { url: url.to_owned(), scope: Default::default(), depth: None, source_tag: String::new() };
        let first =
            Campaign { seeds: vec![seed("http://a.example/"), seed("http://b.example/")], ..Campaign::new("x") };
        let mut second = Campaign { active: !first.active, ..first.clone() };
        second.seeds[1] = seed("http://c.example/");
        second.name = "y".to_owned();
        let found = campaign_differences(&first, &second);
        let fields: Vec<_> = found.iter().map(|found| found.field.as_str()).collect();
        assert_eq!(fields, ["active", "name", "seeds"]);
        assert_eq!((found[2].first.as_str(), found[2].second.as_str()), ("http://b.example/", "http://c.example/"));
        assert_eq!(campaign_differences(&first, &first), []);
    }
}
