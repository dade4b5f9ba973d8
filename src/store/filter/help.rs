//! The text that explains queries and their fields.

use super::filter_fields;
use crate::query::QUERY_RULES;

/// How queries are written and which fields there are, for the help of a command.
pub fn query_help() -> String {
    let fields = filter_fields();
    let lines = |head: &str, lines: &mut dyn Iterator<Item = (&str, &str)>| {
        let width = fields.iter().map(|field| field.example.chars().count()).max().unwrap_or_default();
        lines.fold(format!("{head}\n"), |text, (written, about)| text + &format!("  {written:<width$}  {about}\n"))
    };
    let rules = lines("A query is made of:", &mut QUERY_RULES.into_iter());
    let fields = lines("Fields:", &mut fields.iter().map(|field| (field.example, field.about)));
    let ranges = "A number or date may be a range: size:1k..2.5m, size:<1m, inlinks.ext:3.., date:2024-03..2024-05, \
                  date:..2019. Names of fields may be in capitals. text:, main:, rest:, anchors:, kind:, like:, similar: \
                  and request: need the index of texts: fonds index; entity: needs an analysis: fonds analyse. A query \
                  has 400 terms at most, a phrase 100 words, a word 1000 letters.";
    format!("{rules}\n{ranges}\n\n{}", fields.trim_end())
}
