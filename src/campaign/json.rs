//! A campaign as a JSON file.
//!
//! Fields that this version does not know are kept: those of the campaign
//! itself in place, those further inside under [`UNREAD_FIELDS`], by their
//! path, where [`Campaign::problems`] reports them.

use super::{Campaign, Request};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};

/// Field of the file that holds what was not understood further inside.
pub const UNREAD_FIELDS: &str = "unread_fields";

/// The text is no campaign: where, and what is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}{}: {why}", at_field(.field))]
pub struct CampaignFileError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The field, such as `seeds[0].url`; empty for the file as a whole.
    pub field: String,
    /// The fault.
    pub why: String,
}

fn at_field(field: &str) -> String {
    if field.is_empty() { String::new() } else { format!(", field {field}") }
}

impl Campaign {
    /// Reads a campaign file and keeps identity and lineage among the unknown fields.
    pub(super) fn with_lineage_fields(text: &str) -> Result<Self, CampaignFileError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut campaign: Self = serde_json::from_str(text).map_err(|error| located(text, &error))?;
        let as_written: Value = serde_json::from_str(text).map_err(|error| located(text, &error))?;
        let as_read = serde_json::to_value(&campaign).map_err(|error| located(text, &error))?;
        let mut unread = Map::new();
        collect_unread("", &as_written, &as_read, &mut unread);
        if !unread.is_empty() {
            let kept = campaign.other.entry(UNREAD_FIELDS).or_insert_with(|| Value::Object(Map::new()));
            match kept {
                Value::Object(kept) => kept.extend(unread),
                other => {
                    unread.insert(UNREAD_FIELDS.to_owned(), other.take());
                    *other = Value::Object(unread);
                }
            }
        }
        Ok(campaign)
    }

    /// Writes a campaign file, indented, with a line break at its end.
    pub fn to_json(&self) -> String {
        let mut text =
            serde_json::to_string_pretty(self).expect("fails only for keys that are no text, and there are none");
        text.push('\n');
        text
    }
}

/// Reads a request as the tree it is written as, or as the line of text that
/// people type.
pub(super) fn request<'de, D: Deserializer<'de>>(from: D) -> Result<Request, D::Error> {
    struct TreeOrLine;

    impl<'de> Visitor<'de> for TreeOrLine {
        type Value = Request;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a request: a line of text, or an object with and, or, not or term")
        }

        fn visit_str<E: serde::de::Error>(self, line: &str) -> Result<Request, E> {
            line.parse().map_err(E::custom)
        }

        fn visit_map<A: MapAccess<'de>>(self, tree: A) -> Result<Request, A::Error> {
            Request::deserialize(MapAccessDeserializer::new(tree))
        }
    }

    from.deserialize_any(TreeOrLine)
}

/// Fields that were written and are not among those that were read.
fn collect_unread(path: &str, written: &Value, read: &Value, unread: &mut Map<String, Value>) {
    match (written, read) {
        (Value::Object(written), Value::Object(read)) => {
            for (key, value) in written {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                match read.get(key) {
                    Some(read) => collect_unread(&path, value, read, unread),
                    // Empty fields are left out when a campaign is written.
                    None if value.is_null() || value.as_array().is_some_and(Vec::is_empty) => {}
                    None => {
                        unread.insert(path, value.clone());
                    }
                }
            }
        }
        (Value::Array(written), Value::Array(read)) => {
            for (i, (written, read)) in written.iter().zip(read).enumerate() {
                collect_unread(&format!("{path}[{i}]"), written, read, unread);
            }
        }
        _ => {}
    }
}

fn located(text: &str, error: &serde_json::Error) -> CampaignFileError {
    let start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let mut offset = (start + error.column()).min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let read = text.get(..offset).unwrap_or(text);
    let column = text.get(start..offset).map_or(0, |line| line.chars().count()).max(1);
    let message = error.to_string();
    let why = message.rsplit_once(" at line ").map_or(message.as_str(), |(why, _)| why);
    CampaignFileError { line: error.line().max(1), column, field: field_at_end(read), why: with_plain_type_names(why) }
}

/// Type names of the reader, as a person calls them.
fn with_plain_type_names(why: &str) -> String {
    [
        ("expected u64", "expected a whole number from 0"),
        ("expected u32", "expected a whole number from 0"),
        ("expected usize", "expected a whole number from 0"),
        ("expected f64", "expected a number"),
        ("expected a boolean", "expected true or false"),
        ("expected a sequence", "expected a list"),
        ("expected a map", "expected an object"),
        ("invalid type: sequence", "invalid type: a list"),
        ("invalid type: map", "invalid type: an object"),
        ("expected struct ", "expected an object: "),
    ]
    .into_iter()
    .fold(why.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Path of the value in which a text of JSON ends.
fn field_at_end(read: &str) -> String {
    enum Open {
        Object(String),
        Array(usize),
    }
    let mut open: Vec<Open> = Vec::new();
    let mut string: Option<String> = None;
    let mut escaped = false;
    // A string is a key when it comes first in an object or behind a comma.
    let mut wants_key = false;
    for c in read.chars() {
        if let Some(text) = &mut string {
            match c {
                _ if escaped => {
                    escaped = false;
                    text.push(c);
                }
                '\\' => escaped = true,
                '"' => {
                    if let (true, Some(Open::Object(key))) = (wants_key, open.last_mut()) {
                        key.clone_from(text);
                        wants_key = false;
                    }
                    string = None;
                }
                _ => text.push(c),
            }
            continue;
        }
        match c {
            '"' => string = Some(String::new()),
            '{' => {
                open.push(Open::Object(String::new()));
                wants_key = true;
            }
            '[' => {
                open.push(Open::Array(0));
                wants_key = false;
            }
            '}' | ']' => {
                open.pop();
                wants_key = false;
            }
            ',' => match open.last_mut() {
                Some(Open::Array(index)) => *index += 1,
                Some(Open::Object(key)) => {
                    key.clear();
                    wants_key = true;
                }
                None => {}
            },
            _ => {}
        }
    }
    let mut path = String::new();
    for part in open {
        match part {
            Open::Array(index) => path.push_str(&format!("[{index}]")),
            Open::Object(key) if key.is_empty() => {}
            Open::Object(key) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&key);
            }
        }
    }
    path
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::campaign::{Request, Seed, SeedScope};

    #[test]
    fn what_is_written_is_read() {
        let mut campaign = Campaign::new("Ria 2024");
        campaign.request = "ria AND (\"estaleiro naval\" OR person:\"Amélia Vaz\"^0.8) NOT futebol".parse().unwrap();
        campaign.seeds.push(Seed {
            url: "https://ria.example/".into(),
            scope: SeedScope::Plus1,
            depth: Some(3),
            source_tag: "ria".into(),
        });
        campaign.rules.push(serde_json::json!({"rule": "too_many_hops", "max": 5}));
        campaign.schedule.time_zone = Some("Europe/Lisbon".into());
        let text = campaign.to_json();
        assert!(text.ends_with("}\n"));
        let read = Campaign::from_json(&text).unwrap();
        assert_eq!(read, campaign);
        assert_eq!(read.to_json(), text);
        assert_eq!(Campaign::from_json("\u{feff}{}").unwrap(), Campaign::default());
    }

    #[test]
    fn a_request_may_be_a_line_of_text() {
        let line = "ria AND (\"estaleiro naval\" OR person:\"Amélia Vaz\") AND NOT futebol lang:pt";
        let text = serde_json::json!({ "name": "a", "request": line }).to_string();
        let campaign = Campaign::from_json(&text).unwrap();
        assert_eq!(campaign.request, line.parse().unwrap());
        assert_eq!(Campaign::from_json(&campaign.to_json()).unwrap(), campaign);
        let broken = Campaign::from_json(r#"{"request": "ria AND ("}"#).unwrap_err();
        assert_eq!(broken.field, "request");
        assert!(Campaign::from_json(r#"{"request": 5}"#).unwrap_err().why.contains("a line of text"));
    }

    #[test]
    fn unknown_fields_are_kept() {
        let text = r#"{"name": "a", "icon": "🦀", "seeds": [{"url": "https://a.example/", "frequency": "daily"}],
            "request": {"and": [{"term": {"kind": "person", "value": "b", "gender": "f", "uri": null, "aliases": []}}]},
            "limits": {"max_bytes": 5, "max_hosts": 7}}"#;
        let campaign = Campaign::from_json(text).unwrap();
        assert_eq!(campaign.limits.max_bytes, 5);
        assert_eq!(campaign.other["icon"], "🦀");
        let unread = serde_json::json!({
            "seeds[0].frequency": "daily", "request.and[0].term.gender": "f", "limits.max_hosts": 7,
        });
        assert_eq!(campaign.other[UNREAD_FIELDS], unread);
        // Reading and writing again neither loses nor doubles them.
        let again = Campaign::from_json(&campaign.to_json()).unwrap();
        assert_eq!(again, campaign);
    }

    #[test]
    fn the_deepest_request_that_text_takes_goes_through_a_file() {
        let deep = crate::query::MAX_REQUEST_DEPTH - 1;
        let text = format!("{}a{}", "ALL(".repeat(deep), ")".repeat(deep));
        let campaign = Campaign { request: text.parse().unwrap(), ..Campaign::default() };
        assert_eq!(Campaign::from_json(&campaign.to_json()).unwrap(), campaign);
        assert_eq!(campaign.request.to_string(), text);
        assert!(matches!(campaign.request, Request::And(_)));
    }

    #[track_caller]
    fn check_error(text: &str, line: usize, column: usize, field: &str, why: &str) {
        let error = Campaign::from_json(text).unwrap_err();
        assert_eq!((error.line, error.column, error.field.as_str()), (line, column, field), "{error}");
        assert!(error.why.contains(why), "{error}");
    }

    #[test]
    fn errors_name_line_column_and_field() {
        check_error("", 1, 1, "", "EOF");
        check_error("[]", 1, 1, "", "an object");
        check_error("{\n  \"name\": 5\n}", 2, 11, "name", "expected a string");
        check_error("{\n  \"name\": \"a\",\n}", 3, 1, "", "trailing comma");
        check_error("{\"limits\": {\"max_bytes\": \"é\"}}", 1, 28, "limits.max_bytes", "a whole number");
        check_error(
            "{\"seeds\": [{\"url\": \"a\"},\n {\"scope\": \"root\"}]}",
            2,
            18,
            "seeds[1]",
            "missing field `url`",
        );
        check_error(
            "{\"seeds\": [{\"url\": \"a\", \"scope\": \"all\"}]}",
            1,
            38,
            "seeds[0].scope",
            "unknown variant `all`",
        );
        check_error("{\"request\": {\"xor\": []}}", 1, 18, "request.xor", "unknown variant `xor`");
        check_error("{\"active\": 1}", 1, 12, "active", "true or false");
        check_error("{\"name\": \"a\"", 1, 12, "name", "EOF");
        let deep = format!("{{\"request\": {}", "{\"not\": ".repeat(1000));
        assert!(Campaign::from_json(&deep).unwrap_err().why.contains("recursion limit"));
    }
}
