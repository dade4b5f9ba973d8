//! Target of an annotation tool that a campaign was made from.

use super::feed::Dialect;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The fields of a target in an annotation tool that a campaign does not have.
///
/// The entry of the crawl feed is kept as it came, so that it goes out again
/// whole: what a campaign has no place for, and the very texts of dates.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Target {
    /// Whether documents found on its pages are to be listed.
    pub watched: bool,
    /// The begin of the URLs of its documents, without scheme
    /// (`www.example.org/reports/`); empty or none takes all.
    pub document_url_scheme: Option<String>,
    /// The dialect of the entry.
    pub dialect: Dialect,
    /// The entry as it came; empty where the target was made here.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub entry: Map<String, Value>,
}

impl Target {
    /// The number or name of the target in the annotation tool.
    pub fn id(&self) -> Option<String> {
        match self.entry.get("id")? {
            Value::Number(number) => Some(number.to_string()),
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            _ => None,
        }
    }

    /// Whether a document of this URL is one of those it watches.
    ///
    /// The scheme is compared as text with what follows `//`, as the tool does
    /// it; one that was typed with a protocol means the same.
    pub fn wants_document(&self, url: &str) -> bool {
        let prefix = self.document_url_scheme.as_deref().unwrap_or_default().trim();
        after_protocol(url).starts_with(after_protocol(prefix))
    }
}

/// The text after `http://`, or after `//`; a path may have `//` too.
fn after_protocol(text: &str) -> &str {
    match text.split_once("//") {
        Some((protocol, rest)) if protocol.is_empty() || protocol.ends_with(':') => rest,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_scheme_is_a_prefix_without_protocol() {
        let target =
            |scheme: Option<&str>| Target { document_url_scheme: scheme.map(str::to_owned), ..Target::default() };
        let url = "https://www.example.org/reports/2024.pdf";
        for (scheme, expected) in [
            (None, true),
            (Some(""), true),
            (Some("www.example.org/reports/"), true),
            (Some("http://www.example.org/reports/"), true),
            (Some("//www.example.org/reports/"), true),
            (Some("www.example.org//reports/"), false),
            (Some("other.example//www.example.org/reports/"), false),
            (Some("example.org/reports/"), false),
            (Some("www.example.org/Reports/"), false),
        ] {
            assert_eq!(target(scheme).wants_document(url), expected, "{scheme:?}");
        }
    }
}
