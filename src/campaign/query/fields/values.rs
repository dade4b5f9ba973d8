//! What the values of fields with an order say: `a..b`, `>n`, `1m`, `4xx`.

use super::{FieldTest, Sign};

/// One side of a range, or a value that is to be met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comparison<'a> {
    /// [`Sign::Is`] for one value, never [`Sign::Has`].
    pub sign: Sign,
    /// The value: a number, a date.
    pub value: &'a str,
}

impl FieldTest {
    /// What must hold all together of a value that has an order: `a..b` are
    /// two, `a..` is one, `..` is none.
    ///
    /// # Errors
    /// A range behind `<` or `>`; says how it is written.
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
}

/// What a written number stands for, first and last: `3`, `1.5m` (k, m and g
/// are thousands, millions and thousand millions), and `4xx`, which is 400 to
/// 499. None where it is no number.
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
