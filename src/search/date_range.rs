//! The range of dates that a query asks for, as a part of it that can be read, replaced and taken away.

use super::capture_columns::Period;
use super::facet_choice::parts_of;
use crate::query::{FieldTerm, FieldTest, Query, Sign, TextTest, parse_fields, write_query};
use crate::uri::CaptureDate;

const FIELD: &str = "date";

/// The dates of a part that is a range or a single time, such as `2024-03..2024-05`.
fn dates_of(part: &Query<FieldTerm>) -> Option<&str> {
    let Query::Term(FieldTerm { field: Some(field), .. }) = part else { return None };
    (field.name == FIELD && field.sign == Sign::Has).then_some(field.value.as_str())
}

/// The period that a day is in, as `2024-03`; days are counted from 1970.
pub fn period_of(day: i32, period: Period) -> String {
    let date = CaptureDate::from_seconds(i64::from(day) * 86_400).to_warc();
    date.get(..period.chars()).unwrap_or(&date).to_owned()
}

/// The range of dates that a query asks for beside all else, as it is written there; none where it asks for
/// no time, or for several.
pub fn date_range(line: &str) -> Option<String> {
    let parts = parse_fields(line).map(parts_of).unwrap_or_default();
    let mut ranges = parts.iter().filter_map(dates_of);
    let first = ranges.next()?;
    ranges.next().is_none().then(|| first.to_owned())
}

/// A query for another range of dates, or for any time; a line that cannot be read as it is.
pub fn with_date_range(line: &str, range: Option<&str>) -> String {
    let Ok(query) = parse_fields(line) else { return line.to_owned() };
    let mut parts = parts_of(query);
    let place = parts.iter().position(|part| dates_of(part).is_some());
    parts.retain(|part| dates_of(part).is_none());
    if let Some(range) = range {
        let value = range.to_owned();
        let field = FieldTest { name: FIELD.to_owned(), sign: Sign::Has, value: value.clone(), value_column: 1 };
        let text = format!("{FIELD}{}{value}", Sign::Has.as_str());
        let (field, test) = (Some(field), TextTest::Word(value));
        let term = FieldTerm { column: 1, text, is_quoted: false, field, test, boost: 1.0 };
        parts.insert(place.unwrap_or(parts.len()), Query::Term(term));
    }
    write_query(&if parts.len() == 1 { parts.remove(0) } else { Query::And(parts) })
}

#[cfg(test)]
mod tests {
    use super::{date_range, with_date_range};

    #[test]
    fn a_range_is_read_replaced_and_taken_away() {
        for (line, range, with, without) in [
            ("", None, "date:2024-03..2024-05", ""),
            ("mayor", None, "mayor date:2024-03..2024-05", "mayor"),
            ("a OR b", None, "(a OR b) date:2024-03..2024-05", "a OR b"),
            ("date:2023 mayor", Some("2023"), "date:2024-03..2024-05 mayor", "mayor"),
            ("mayor date:2023-01..2023-02-03", Some("2023-01..2023-02-03"), "mayor date:2024-03..2024-05", "mayor"),
            ("date:2023", Some("2023"), "date:2024-03..2024-05", ""),
            // What asks for other times, or for none, stays.
            ("-date:2023 mayor", None, "-date:2023 mayor date:2024-03..2024-05", "-date:2023 mayor"),
            ("(", None, "(", "("),
        ] {
            assert_eq!(date_range(line).as_deref(), range, "{line}");
            assert_eq!(with_date_range(line, Some("2024-03..2024-05")).replace("NOT ", "-"), with, "{line}");
            assert_eq!(with_date_range(line, None).replace("NOT ", "-"), without, "{line}");
        }
    }
}
