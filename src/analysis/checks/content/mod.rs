//! Checks of the content of a page.

mod title;

pub(super) use title::HasTitle;
