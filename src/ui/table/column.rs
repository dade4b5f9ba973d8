//! Columns: what a row's value is, as text, as sort key and as a cell.

use crate::ui::text;
use crate::uri::CaptureDate;
use egui::Ui;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// Decimals of a fraction, on the screen and in files.
const DECIMALS: usize = 3;

/// A row's value in a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'r> {
    /// No value is known.
    Unknown,
    /// A text.
    Text(Cow<'r, str>),
    /// A number.
    Count(u64),
    /// A size in bytes.
    Bytes(u64),
    /// A fraction.
    Fraction(f64),
    /// A moment.
    Date(CaptureDate),
    /// A day.
    Day(CaptureDate),
}

impl<'r> From<&'r str> for Value<'r> {
    fn from(text: &'r str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl Value<'_> {
    /// A number, where it is known.
    pub fn known(number: Option<u64>) -> Self {
        number.map_or(Value::Unknown, Value::Count)
    }

    /// The value as the screen shows it.
    pub fn shown(&self) -> Cow<'_, str> {
        match self {
            Self::Unknown => Cow::Borrowed("–"),
            Self::Text(text) => Cow::Borrowed(text),
            Self::Count(number) => Cow::Owned(text::count(*number)),
            Self::Bytes(number) => Cow::Owned(text::bytes(*number)),
            Self::Fraction(number) => Cow::Owned(format!("{number:.DECIMALS$}")),
            Self::Date(date) => Cow::Owned(text::minute(*date)),
            Self::Day(date) => Cow::Owned(text::shown_day(*date)),
        }
    }

    /// All of a value that the screen shows a part of.
    pub fn whole(&self) -> Option<String> {
        match self {
            Self::Date(date) | Self::Day(date) => Some(format!("{} UTC", text::second(*date))),
            _ => None,
        }
    }

    /// The value for other programs: plain digits, dates as in WARC.
    pub fn exported(&self) -> serde_json::Value {
        match self {
            Self::Unknown => serde_json::Value::Null,
            Self::Text(text) => text.as_ref().into(),
            Self::Count(number) | Self::Bytes(number) => (*number).into(),
            Self::Fraction(number) => (*number).into(),
            Self::Date(date) => date.to_warc().into(),
            Self::Day(date) => text::day(*date).into(),
        }
    }

    /// Whether it counts nothing.
    pub fn is_zero(&self) -> bool {
        matches!(self, Self::Count(0) | Self::Bytes(0))
    }

    /// The order of two values of a column; what is not known comes last both
    /// ways.
    pub fn compare(&self, other: &Self, descending: bool) -> Ordering {
        let order = match (self, other) {
            (Self::Unknown, Self::Unknown) => return Ordering::Equal,
            (Self::Unknown, _) => return Ordering::Greater,
            (_, Self::Unknown) => return Ordering::Less,
            (Self::Text(a), Self::Text(b)) => {
                let folded = |text: &str| text.chars().flat_map(char::to_lowercase).collect::<String>();
                folded(a).cmp(&folded(b)).then_with(|| a.cmp(b))
            }
            (Self::Fraction(a), Self::Fraction(b)) => a.total_cmp(b),
            _ => self.rank().cmp(&other.rank()),
        };
        if descending { order.reverse() } else { order }
    }

    fn rank(&self) -> i128 {
        match self {
            Self::Count(number) | Self::Bytes(number) => i128::from(*number),
            Self::Date(date) | Self::Day(date) => i128::from(date.millis()),
            Self::Unknown | Self::Text(_) | Self::Fraction(_) => 0,
        }
    }
}

impl Hash for Value<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Self::Text(text) => text.hash(state),
            Self::Fraction(number) => number.to_bits().hash(state),
            other => other.rank().hash(state),
        }
    }
}

/// A function that reads the value from a row: a plain one, which a worker may call
/// while the window draws on.
pub(super) enum Getter<R> {
    Text(fn(&R) -> &str),
    Made(fn(&R) -> String),
    Count(fn(&R) -> u64),
    Bytes(fn(&R) -> u64),
    Date(fn(&R) -> CaptureDate),
    Day(fn(&R) -> CaptureDate),
    Value(fn(&R) -> Value<'_>),
}

impl<R> Clone for Getter<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Getter<R> {}

impl<R> Getter<R> {
    pub(super) fn of<'r>(&self, row: &'r R) -> Value<'r> {
        match self {
            Self::Text(get) => get(row).into(),
            Self::Made(get) => get(row).into(),
            Self::Count(get) => Value::Count(get(row)),
            Self::Bytes(get) => Value::Bytes(get(row)),
            Self::Date(get) => Value::Date(get(row)),
            Self::Day(get) => Value::Day(get(row)),
            Self::Value(get) => get(row),
        }
    }
}

type CellLink<'a, R, A> = (&'a str, Box<dyn Fn(&R) -> Option<A> + 'a>);
type CellDraw<'a, R, A> = Box<dyn Fn(&mut Ui, &R) -> Option<A> + 'a>;

/// A column of rows `R`; the actions of its cells are an `A`.
pub struct Column<'a, R, A = ()> {
    pub(super) id: &'static str,
    pub(super) head: &'static str,
    pub(super) about: &'static str,
    pub(super) width: f32,
    pub(super) get: Getter<R>,
    pub(super) is_number: bool,
    pub(super) is_hidden: bool,
    pub(super) empty: &'static str,
    pub(super) link: Option<CellLink<'a, R, A>>,
    /// One of what the value counts, which the hint of its link names.
    pub(super) example: Option<fn(&R) -> Option<&str>>,
    pub(super) draw: Option<CellDraw<'a, R, A>>,
    /// A text below the value, or behind it where rows have one line.
    pub(super) second: Option<SecondLine<R>>,
}

/// A further text of a row in the cell of another: exported and sorted by as a column of its own.
pub(super) struct SecondLine<R> {
    pub(super) id: &'static str,
    pub(super) head: &'static str,
    pub(super) get: fn(&R) -> &str,
}

/// A value of each row as it is sorted by, copied and exported.
pub(super) struct Field<R> {
    pub(super) id: &'static str,
    pub(super) head: &'static str,
    pub(super) get: Getter<R>,
    pub(super) is_number: bool,
}

impl<'a, R, A> Column<'a, R, A> {
    /// The values of this column: its own, and that of its second line.
    pub(super) fn fields(&self) -> impl Iterator<Item = Field<R>> + use<R, A> {
        let own = Field { id: self.id, head: self.head, get: self.get, is_number: self.is_number };
        let second = self.second.as_ref().map(|second| Field {
            id: second.id,
            head: second.head,
            get: Getter::Text(second.get),
            is_number: false,
        });
        std::iter::once(own).chain(second)
    }

    /// The name for screen readers: the head, or the id where that is a sign or empty.
    pub(super) fn name(&self) -> &'static str {
        if self.head.chars().any(char::is_alphanumeric) { self.head } else { self.id }
    }

    fn new(id: &'static str, head: &'static str, width: f32, get: Getter<R>) -> Self {
        Self {
            id,
            head,
            about: "",
            width,
            get,
            is_number: matches!(get, Getter::Count(_) | Getter::Bytes(_)),
            is_hidden: false,
            empty: "",
            link: None,
            example: None,
            draw: None,
            second: None,
        }
    }

    /// A text that the row holds. `id` names it in settings and files.
    pub fn text(id: &'static str, head: &'static str, width: f32, get: fn(&R) -> &str) -> Self {
        Self::new(id, head, width, Getter::Text(get))
    }

    /// A text that is made of the row.
    pub fn made(id: &'static str, head: &'static str, width: f32, get: fn(&R) -> String) -> Self {
        Self::new(id, head, width, Getter::Made(get))
    }

    /// A column of numbers.
    pub fn count(id: &'static str, head: &'static str, width: f32, get: fn(&R) -> u64) -> Self {
        Self::new(id, head, width, Getter::Count(get))
    }

    /// A size in bytes.
    pub fn bytes(id: &'static str, head: &'static str, width: f32, get: fn(&R) -> u64) -> Self {
        Self::new(id, head, width, Getter::Bytes(get))
    }

    /// A moment.
    pub fn date(id: &'static str, head: &'static str, width: f32, get: fn(&R) -> CaptureDate) -> Self {
        Self::new(id, head, width, Getter::Date(get))
    }

    /// A day.
    pub fn day(id: &'static str, head: &'static str, width: f32, get: fn(&R) -> CaptureDate) -> Self {
        Self::new(id, head, width, Getter::Day(get))
    }

    /// Any value, such as one that may be unknown.
    pub fn value(id: &'static str, head: &'static str, width: f32, get: fn(&R) -> Value<'_>) -> Self {
        Self::new(id, head, width, Getter::Value(get))
    }

    /// Whether it may take the room that is left: a text that is no date.
    pub(super) fn takes_rest(&self) -> bool {
        !self.is_number && !matches!(self.get, Getter::Date(_) | Getter::Day(_))
    }

    /// Makes it a column of numbers, at the right and sorted from the most.
    pub fn numeric(mut self) -> Self {
        self.is_number = true;
        self
    }

    /// Adds a description of the column, in one line.
    pub fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }

    /// Hidden until a person chooses it.
    pub fn hidden(mut self) -> Self {
        self.is_hidden = true;
        self
    }

    /// Adds the text that is shown in the place of an empty one.
    pub fn or(mut self, empty: &'static str) -> Self {
        self.empty = empty;
        self
    }

    /// Makes the value a link, which `hint` describes; a zero is none.
    pub fn link(mut self, hint: &'a str, to: impl Fn(&R) -> Option<A> + 'a) -> Self {
        self.link = Some((hint, Box::new(to)));
        self
    }

    /// Adds an example of what the value counts: the hint of the link names it.
    pub fn example(mut self, example: fn(&R) -> Option<&str>) -> Self {
        self.example = Some(example);
        self
    }

    /// Adds a further text of the row, weak: below the value in rows of two lines, else behind it.
    pub fn second(mut self, id: &'static str, head: &'static str, get: fn(&R) -> &str) -> Self {
        self.second = Some(SecondLine { id, head, get });
        self
    }

    /// Draws the cell by a function.
    pub fn draw(mut self, draw: impl Fn(&mut Ui, &R) + 'a) -> Self {
        self.draw = Some(Box::new(move |ui, row| {
            draw(ui, row);
            None
        }));
        self
    }

    /// Draws the cell by a function, which gives the action of a click in it.
    pub fn draw_with_action(mut self, draw: impl Fn(&mut Ui, &R) -> Option<A> + 'a) -> Self {
        self.draw = Some(Box::new(draw));
        self
    }

    /// The action of the link in this row.
    pub(super) fn target(&self, row: &R) -> Option<A> {
        let (_, to) = self.link.as_ref()?;
        if self.get.of(row).is_zero() { None } else { to(row) }
    }
}
