//! Dates as feeds have them.

use crate::uri::CaptureDate;
use serde_json::Value;

/// From here on a number counts milliseconds: as seconds it would be beyond
/// the year 5138, as milliseconds it is 1973.
const FIRST_MILLIS: f64 = 1e11;

/// A date of a feed.
pub(super) struct FeedDate;

impl FeedDate {
    /// Reads null, an empty text, zero (all three: none), a number of
    /// milliseconds or seconds since 1970, the same as text, database text
    /// (`2024-03-01 09:00:00.000`) and ISO 8601. Text without a zone is UTC.
    /// `Err` describes the value.
    pub(super) fn read(value: &Value) -> Result<Option<CaptureDate>, String> {
        match value {
            Value::Null => Ok(None),
            Value::Number(number) => of_number(number.as_f64().unwrap_or(f64::NAN)).ok_or_else(|| number.to_string()),
            Value::String(text) => {
                let text = text.trim();
                // Fourteen digits are a date of archives, other numbers an epoch.
                let number = text.parse::<f64>().ok().filter(|_| text.len() != 14 && text.len() != 17);
                match number {
                    _ if text.is_empty() => Ok(None),
                    Some(number) => of_number(number).ok_or_else(|| format!("“{text}”")),
                    None => CaptureDate::parse(text).map(Some).map_err(|_| format!("“{text}”")),
                }
            }
            other => Err(kind_of(other).to_owned()),
        }
    }

    /// `2024-03-01 09:00:00`, with milliseconds where it has some.
    pub(super) fn text(date: CaptureDate) -> String {
        let text = date.to_dataset().replace('T', " ");
        match date.millis().rem_euclid(1000) {
            0 => text,
            millis => format!("{text}.{millis:03}"),
        }
    }
}

fn of_number(number: f64) -> Option<Option<CaptureDate>> {
    if number == 0.0 {
        return Some(None);
    }
    let millis = if number.abs() >= FIRST_MILLIS { number } else { number * 1000.0 };
    // Years 0 to 9999, which calendars know.
    let known = -62_167_219_200_000.0..=253_402_300_799_999.0;
    #[allow(clippy::cast_possible_truncation)]
    known.contains(&millis).then(|| Some(CaptureDate::from_millis(millis.round() as i64)))
}

/// The kind of a value, for people.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn all_forms_of_a_date_are_read() {
        let read = |value: Value| FeedDate::read(&value).map(|date| date.map(CaptureDate::to_log));
        for none in [json!(null), json!(""), json!(" "), json!(0), json!("0"), json!(0.0)] {
            assert_eq!(read(none), Ok(None));
        }
        for same in [
            json!(1_438_246_800_000_i64),
            json!(1_438_246_800),
            json!(1_438_246_800.0),
            json!("1438246800"),
            json!("1438246800000"),
            json!("2015-07-30 09:00:00"),
            json!("2015-07-30 09:00:00.000"),
            json!("2015-07-30T09:00:00Z"),
            json!("2015-07-30T10:00:00+01:00"),
            json!("20150730090000"),
        ] {
            assert_eq!(read(same.clone()), Ok(Some("2015-07-30T09:00:00.000Z".to_owned())), "{same}");
        }
        assert_eq!(read(json!("2015-07-30 09:00:00.25")), Ok(Some("2015-07-30T09:00:00.250Z".to_owned())));
        assert_eq!(read(json!("soon")), Err("“soon”".to_owned()));
        assert_eq!(read(json!(1e300)), Err("1e+300".to_owned()));
        assert_eq!(read(json!([])), Err("a list".to_owned()));
    }
}
