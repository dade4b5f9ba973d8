//! What the page holds.

mod title;

pub(super) use title::HasTitle;
