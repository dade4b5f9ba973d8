//! Texts that are only shown, read whatever their bytes are.
//!
//! One byte that is no UTF-8 in a title does not keep a person from the other rows: it is shown as
//! “\u{fffd}”, and a warning names once which rows have such texts. Texts by which rows are found
//! again (URLs, keys of pages, names of hosts and files) are not read so: changed, they would be
//! those of others.

use rusqlite::types::{FromSql, FromSqlResult, ValueRef};
use std::borrow::Cow;
use std::cell::Cell;

thread_local! {
    static HAS_MET: Cell<bool> = const { Cell::new(false) };
}

/// A text with “\u{fffd}” in the place of what is no UTF-8.
pub(in crate::store) struct LossyText(pub String);

impl FromSql for LossyText {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            ValueRef::Text(bytes) => Ok(Self(lossy(bytes).into_owned())),
            other => String::column_result(other).map(Self),
        }
    }
}

/// Bytes as text with “\u{fffd}” in the place of what is no UTF-8.
pub(in crate::store) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(bytes);
    if matches!(text, Cow::Owned(_)) {
        HAS_MET.set(true);
    }
    text
}

/// Whether this thread has read such a text since the last call.
pub(in crate::store) fn take_met() -> bool {
    HAS_MET.take()
}
