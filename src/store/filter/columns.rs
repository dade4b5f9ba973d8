//! Fields that the columns of captures in memory answer, as SQL does: dates, and those that facets count by.

use super::among::beside;
use super::hosts::HostTest;
use super::{FilterField, Kind, NO_MARK};
use crate::query::{FieldTerm, FieldTest, Sign, TextTest, number_range};
use crate::search::{CaptureFacts, DAY_MS, FacetKind};
use crate::uri::CaptureDate;
use fixedbitset::FixedBitSet;
use std::ops::RangeInclusive;

/// A test of a value of a column as its text.
type ValueTest = Box<dyn Fn(&str) -> bool>;

/// A test of a column.
pub(super) enum ColumnTest {
    /// Days of capture.
    Days(RangeInclusive<i32>),
    /// Values of a facet.
    Values(FacetKind, ValueTest),
    /// Whether a payload was captured before.
    Revisit(bool),
}

impl ColumnTest {
    /// The captures that meet it.
    pub(super) fn captures(self, facts: &CaptureFacts) -> FixedBitSet {
        match self {
            Self::Days(days) => facts.captures_of_days(days),
            Self::Values(kind, is_meant) => facts.with_value(kind, is_meant),
            Self::Revisit(true) => facts.revisits().clone(),
            Self::Revisit(false) => beside(facts.revisits(), facts),
        }
    }
}

impl FilterField {
    /// What a term of the field tests of a column; none where no column answers it, or it is wrong: SQL says so.
    pub(super) fn column_test(&self, test: &FieldTest, term: &FieldTerm, facts: &CaptureFacts) -> Option<ColumnTest> {
        if matches!(self.kind, Kind::Date(_)) {
            return days_of(test).map(ColumnTest::Days);
        }
        if self.name == "revisit" {
            return match test.value.as_str() {
                _ if test.sign.is_ordering() => None,
                "yes" => Some(ColumnTest::Revisit(true)),
                "no" => Some(ColumnTest::Revisit(false)),
                _ => None,
            };
        }
        let kind = FacetKind::of_name(self.name)?;
        let (value, is_any) = (test.value.clone(), term.test == TextTest::Any);
        let is_meant: ValueTest = match (test.sign, &self.kind) {
            (_, Kind::Number(_)) => numbers(test)?,
            (Sign::Has, _) if value.is_empty() => return None,
            (Sign::Has, Kind::Value(_) | Kind::Mark) if is_any => Box::new(|of| !of.is_empty()),
            (Sign::Is, Kind::Value(_)) => Box::new(move |of| of.eq_ignore_ascii_case(&value)),
            (Sign::Has, Kind::Value(_)) => {
                let value = value.to_ascii_lowercase();
                Box::new(move |of| of.to_ascii_lowercase().contains(&value))
            }
            (Sign::Has | Sign::Is, Kind::Host) if !is_any => {
                HostTest::new(&test.value, test.sign == Sign::Is, &term.test).into_test()
            }
            (Sign::Has | Sign::Is, Kind::Mark | Kind::Id(..)) if value.to_lowercase() == NO_MARK => {
                Box::new(str::is_empty)
            }
            // Another one is wrong, of none of them, or of a campaign that was deleted.
            (Sign::Has | Sign::Is, Kind::Mark | Kind::Id(..) | Kind::Launch) if facts.has_value(kind, &value) => {
                Box::new(move |of| of == value)
            }
            _ => return None,
        };
        Some(ColumnTest::Values(kind, is_meant))
    }
}

/// A test of numbers of a column in which nothing stands for 0; none for what is no number or range of them.
fn numbers(test: &FieldTest) -> Option<ValueTest> {
    let sides = test.comparisons().ok()?.into_iter();
    let sides = sides.map(|side| Some((side.sign, number_range(side.value)?))).collect::<Option<Vec<_>>>()?;
    if let [(_, (from, _)), (_, (_, to))] = sides[..]
        && from > to
    {
        return None;
    }
    Some(Box::new(move |of: &str| {
        let number = of.parse().unwrap_or(0.0);
        sides.iter().all(|(sign, (first, last))| match sign {
            Sign::Has | Sign::Is => (*first..=*last).contains(&number),
            Sign::Less => number < *first,
            Sign::AtMost => number <= *last,
            Sign::Greater => number > *last,
            Sign::AtLeast => number >= *first,
        })
    }))
}

/// The days from the first to the last that a test of dates means; none where it means a time of day, or nothing.
fn days_of(field: &FieldTest) -> Option<RangeInclusive<i32>> {
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
    // What is the wrong way round is refused by SQL.
    (!sides.is_empty() && first <= last).then_some(first..=last)
}
