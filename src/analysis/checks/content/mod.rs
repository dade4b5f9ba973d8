//! What the page has.

mod consent_wall;
mod garbled;
mod language;
mod nearly_empty;
mod parked;
mod paywall;
mod request;
mod same_as_many;
mod script_built;
mod soft_404;

pub(super) use consent_wall::CONSENT_WALL;
pub(super) use garbled::GARBLED;
pub(super) use language::LANGUAGE;
pub(super) use nearly_empty::NEARLY_EMPTY;
pub(super) use parked::PARKED;
pub(super) use paywall::PAYWALL;
pub(super) use request::REQUEST;
pub(super) use same_as_many::SAME_AS_MANY;
pub(super) use script_built::SCRIPT_BUILT;
pub(super) use soft_404::SOFT_404;
