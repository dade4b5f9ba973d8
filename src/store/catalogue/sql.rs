//! Values of the program as SQLite keeps them.

use super::error::StoreError;
use crate::links::LinkKind;
use crate::store::rows::ReviewMark;
use crate::uri::Url;

/// SQLite's integers are signed; lengths and offsets stay far below.
pub(in crate::store) fn int(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Back from what [`int`] wrote.
pub(in crate::store) fn uint(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// The word the catalogue keeps for a link kind.
pub(in crate::store) fn kind_name(kind: LinkKind) -> String {
    serde_json::to_value(kind).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

/// The mark behind the catalogue's word.
pub(in crate::store) fn mark_of(name: &str) -> Option<ReviewMark> {
    serde_json::from_value(serde_json::Value::String(name.to_owned())).ok()
}

/// The catalogue's word for a mark.
pub(in crate::store) fn mark_name(mark: ReviewMark) -> String {
    serde_json::to_value(mark).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

/// A URL that was stored is a URL.
pub(in crate::store) fn parse_stored(text: &str) -> Result<Url, StoreError> {
    Url::parse(text).map_err(|error| StoreError::Content(format!("the URL “{text}” ({error})")))
}
