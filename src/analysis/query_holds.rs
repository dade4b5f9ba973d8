//! A query held against one document, by its definition: slow and simple, to
//! be compared with what an index and a catalogue answer.

use super::text_match::{TextMatcher, url_text};
use crate::query::{FieldTerm, FieldTest, Query, Sign, TextTest, number_range};
use crate::text::{TextToken, fold_letters, text_tokens};
use crate::uri::CaptureDate;
use serde_json::Value;
use std::collections::BTreeMap;

/// A document as a query sees it: a JSON object of fields.
///
/// `title`, `main`, `rest`, `anchors` and `url` are texts, `anchors` a list of
/// texts; `date` and `published` are dates of WARC records, or lists of these;
/// other fields are texts, numbers or lists of them.
#[derive(Debug, Clone, Default)]
pub struct SearchDocument {
    /// Number of the content version.
    pub version: u64,
    fields: BTreeMap<String, Vec<Value>>,
    /// Words of the fields with text. The values of one are one text: a phrase
    /// may go on from anchor to anchor.
    tokens: BTreeMap<&'static str, Vec<TextToken>>,
}

/// Fields whose words plain words are looked for in.
const PLAIN: [&str; 5] = ["title", "main", "rest", "anchors", "url"];

/// Fields with words.
const TOKENIZED: [&str; 6] = ["title", "main", "rest", "anchors", "anchor", "url"];

/// Fields of texts in which a part is found, whole words or not.
const PARTS: [&str; 3] = ["title", "url", "anchor"];

/// Fields of dates.
const DATES: [&str; 2] = ["date", "published"];

impl SearchDocument {
    /// Reads a document; what is no object is one without fields.
    pub fn of_json(json: &Value) -> Self {
        let mut document = Self { version: json["version"].as_u64().unwrap_or_default(), ..Self::default() };
        for (name, value) in json.as_object().into_iter().flatten() {
            let values = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
            let has_value = |value: &Value| !value.is_null() && value != "";
            document.fields.insert(name.clone(), values.into_iter().filter(has_value).collect());
        }
        for name in TOKENIZED {
            let text = document.texts(name).collect::<Vec<_>>().join("\n");
            let text = if name == "url" { url_text(&text) } else { text };
            document.tokens.insert(name, text_tokens(&text));
        }
        document
    }

    fn values(&self, name: &str) -> &[Value] {
        self.fields.get(name).map_or(&[], Vec::as_slice)
    }

    fn texts(&self, name: &str) -> impl Iterator<Item = &str> {
        self.values(name).iter().filter_map(Value::as_str)
    }

    /// Whether a test finds words in a field.
    fn finds_in(&self, name: &str, test: &TextTest) -> bool {
        let tokens = self.tokens.get(name).map_or(&[][..], Vec::as_slice);
        TextMatcher::new(test, &str::to_owned).holds(tokens, &[])
    }

    /// Whether a test finds a part of a field.
    fn has_part(&self, name: &str, test: &TextTest) -> bool {
        match test {
            TextTest::Word(text) | TextTest::Url(text) | TextTest::Phrase { text, slop: 0 } => {
                let part = fold_letters(text);
                self.spellings(name).iter().any(|text| fold_letters(text).contains(&part))
            }
            test => self.finds_in(name, test),
        }
    }

    /// The texts of a field; a URL also without its percent-encoding.
    fn spellings(&self, name: &str) -> Vec<String> {
        let mut spellings: Vec<String> = self.texts(name).map(str::to_owned).collect();
        if name == "url" {
            let decoded = |url: &str| percent_encoding::percent_decode_str(url).decode_utf8().ok().map(String::from);
            spellings.extend(self.texts(name).filter_map(decoded));
        }
        spellings
    }

    fn meets(&self, term: &FieldTerm) -> bool {
        let Some(field) = &term.field else {
            return term.test == TextTest::Any || PLAIN.iter().any(|name| self.finds_in(name, &term.test));
        };
        let name = field.name.as_str();
        match (name, &term.test) {
            ("text", test) => ["title", "main", "rest"].iter().any(|name| self.finds_in(name, test)),
            (_, TextTest::Any) => !self.values(name).is_empty(),
            ("main" | "rest" | "anchors", test) => self.finds_in(name, test),
            (name, test) if PARTS.contains(&name) => match field.sign {
                Sign::Is => self.spellings(name).iter().any(|text| fold_letters(text) == fold_letters(&field.value)),
                _ => self.has_part(name, test),
            },
            ("host", test) => self.texts("host").any(|host| host_meets(host, field, test)),
            (name, _) if DATES.contains(&name) => self.texts(name).any(|date| date_meets(date, field)),
            (name, _) => self.values(name).iter().any(|value| match value {
                Value::Number(number) => number.as_f64().is_some_and(|number| number_meets(number, field)),
                Value::String(text) if field.sign == Sign::Is => text.eq_ignore_ascii_case(&field.value),
                Value::String(text) => text.to_ascii_lowercase().contains(&field.value.to_ascii_lowercase()),
                _ => false,
            }),
        }
    }
}

/// Whether a document meets a query.
pub fn query_holds(query: &Query<FieldTerm>, document: &SearchDocument) -> bool {
    match query {
        Query::And(parts) => parts.iter().all(|part| query_holds(part, document)),
        Query::Or(parts) => parts.iter().any(|part| query_holds(part, document)),
        Query::Not(part) => !query_holds(part, document),
        Query::Term(term) => document.meets(term),
    }
}

fn host_meets(host: &str, field: &FieldTest, test: &TextTest) -> bool {
    let value = field.value.to_lowercase();
    match test {
        TextTest::Pattern(_) => {
            // A host has no blanks: as a text of one word it would fall apart.
            let pattern = format!("^{}$", regex::escape(&value).replace("\\*", ".*").replace("\\?", "."));
            regex::Regex::new(&pattern).is_ok_and(|pattern| pattern.is_match(host))
        }
        _ if field.sign == Sign::Is => host == value,
        _ => host == value || host.ends_with(&format!(".{value}")),
    }
}

fn number_meets(number: f64, field: &FieldTest) -> bool {
    field.comparisons().is_ok_and(|sides| {
        sides.iter().all(|side| number_range(side.value).is_some_and(|range| is_in(side.sign, number, range)))
    })
}

fn date_meets(date: &str, field: &FieldTest) -> bool {
    let Ok(date) = CaptureDate::parse(date) else { return false };
    field.comparisons().is_ok_and(|sides| {
        sides.iter().all(|side| CaptureDate::period(side.value).is_ok_and(|period| is_in(side.sign, date, period)))
    })
}

/// Whether a value stands so to a period, of which first and last belong to it.
fn is_in<T: PartialOrd>(sign: Sign, value: T, (first, last): (T, T)) -> bool {
    match sign {
        Sign::Has | Sign::Is => value >= first && value <= last,
        Sign::Less => value < first,
        Sign::AtMost => value <= last,
        Sign::Greater => value > last,
        Sign::AtLeast => value >= first,
    }
}
