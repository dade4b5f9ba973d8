//! Values of fields with an order are ranges and comparisons: `a..b`, `>n`, `1m`, `4xx`.

use super::{FieldTest, Sign};
use crate::uri::CaptureDate;
use std::ops::RangeInclusive;

/// A comparison: one side of a range, or a value that is to be met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comparison<'a> {
    /// [`Sign::Is`] for one value, never [`Sign::Has`].
    pub sign: Sign,
    /// The value: a number, a date.
    pub value: &'a str,
}

impl FieldTest {
    /// The comparisons that a value with an order must all meet: `a..b` are two, `a..` is one, `..` is
    /// none.
    ///
    /// # Errors
    /// A range behind `<` or `>`; the message shows how it is written.
    pub fn comparisons(&self) -> Result<Vec<Comparison<'_>>, String> {
        let (name, value) = (&self.name, self.value.as_str());
        let Some((from, to)) = value.split_once("..") else {
            let sign = if self.sign == Sign::Has { Sign::Is } else { self.sign };
            return Ok(vec![Comparison { sign, value }]);
        };
        if self.sign.is_ordering() {
            return Err(format!("a range is written {name}:{value}, or as {name}>={from} {name}<={to}"));
        }
        let sides = [(Sign::AtLeast, from), (Sign::AtMost, to)];
        let sides = sides.into_iter().filter(|(_, value)| !value.is_empty());
        Ok(sides.map(|(sign, value)| Comparison { sign, value }).collect())
    }

    /// The seconds since 1970 that a date has to be among; all of them for `*`.
    ///
    /// # Errors
    /// No date, or a range that nothing is in; the message shows how it is written.
    pub fn seconds(&self) -> Result<RangeInclusive<i64>, String> {
        let (mut from, mut to) = (i64::MIN, i64::MAX);
        if self.value == "*" {
            return Ok(from..=to);
        }
        for Comparison { sign, value } in self.comparisons()? {
            let period = CaptureDate::period(value).map(|(first, last)| (first.seconds(), last.seconds()));
            let (first, last) = period.map_err(|error| format!("{error}; {}", date_examples(&self.name)))?;
            match sign {
                Sign::Has | Sign::Is => (from, to) = (from.max(first), to.min(last)),
                Sign::Less => to = to.min(first - 1),
                Sign::AtMost => to = to.min(last),
                Sign::Greater => from = from.max(last + 1),
                Sign::AtLeast => from = from.max(first),
            }
        }
        if from > to {
            return Err(format!("nothing is in this range; {}", date_examples(&self.name)));
        }
        Ok(from..=to)
    }
}

/// Examples of dates of a field.
pub fn date_examples(name: &str) -> String {
    format!("write a year, month or day such as {name}:2024-03, {name}>=2019, {name}:2019..2024-05")
}

/// The first and last value of a written number: `3`, `1.5m` (k, m and g are thousands, millions
/// and thousand millions), and `4xx`, which is 400 to 499. None where it is no number.
pub fn number_range(text: &str) -> Option<(f64, f64)> {
    let class = text.strip_suffix("xx").and_then(|class| class.parse::<u8>().ok());
    if let Some(class) = class.filter(|class| (1..=9).contains(class)) {
        let first = f64::from(class) * 100.0;
        return Some((first, first + 99.0));
    }
    let times = match text.chars().next_back()?.to_ascii_lowercase() {
        'k' => 1e3,
        'm' => 1e6,
        'g' => 1e9,
        _ => 1.0,
    };
    let digits = if times > 1.0 { text.get(..text.len() - 1)? } else { text };
    // `inf` and `nan` are numbers to Rust.
    if !digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E')) {
        return None;
    }
    let number = digits.parse::<f64>().ok()? * times;
    number.is_finite().then_some((number, number))
}
