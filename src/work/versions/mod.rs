//! Versions of pages compared: two captures word by word and link by link, two launches page by page.
//!
//! In: captures and launches of a workspace, texts as the index keeps them. Out: values that the window draws and the
//! command line prints. Nothing is written.

pub(super) mod capture_diff;
pub(super) mod changes;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
