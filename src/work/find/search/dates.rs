//! Dates in queries, answered from what is in memory.

use crate::query::{FieldTest, Sign};
use crate::search::DAY_MS;
use crate::uri::CaptureDate;

/// The first and the last day that a test of dates means; none where it means a
/// time of day, or nothing: the catalogue answers that.
pub(super) fn days_of(field: &FieldTest) -> Option<(i32, i32)> {
    let (mut first, mut last) = (i32::MIN, i32::MAX);
    let sides = field.comparisons().ok()?;
    for side in &sides {
        let (from, to) = CaptureDate::period(side.value).ok()?;
        let (from, to) = (from.millis(), to.millis() + 1);
        if from % DAY_MS != 0 || to % DAY_MS != 0 {
            return None;
        }
        let (from, to) = (i32::try_from(from / DAY_MS).ok()?, i32::try_from(to / DAY_MS - 1).ok()?);
        match side.sign {
            Sign::Has | Sign::Is => (first, last) = (first.max(from), last.min(to)),
            Sign::Less => last = last.min(from - 1),
            Sign::AtMost => last = last.min(to),
            Sign::Greater => first = first.max(to + 1),
            Sign::AtLeast => first = first.max(from),
        }
    }
    // What is the wrong way round is told by the catalogue.
    (!sides.is_empty() && first <= last).then_some((first, last))
}
