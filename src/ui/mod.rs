//! The window: rail, pages, lower panel, palette.
//!
//! In: [`crate::app::AppState`]. Out: [`crate::app::Command`]s sent to it.
//!
//! Invariants: nothing here reads a disk, a network or a database; text from
//! the web is drawn through [`text`] only, which makes control characters
//! and overrides of the reading direction visible; colours and sizes come
//! from [`theme`]; functions that draw end in `_ui`.
//!
//! Not here: opening the window (`window.rs`), what commands do (`app`).

mod access;
mod bidi;
mod cockpit;
mod decisions;
mod dialogs;
mod drops;
mod facets;
mod geo_database;
mod header;
pub(crate) mod icons;
mod long_text;
mod markdown;
mod news;
mod pages;
mod panel;
mod pick;
mod rail;
mod recent;
mod shell;
mod table;
pub mod text;
pub mod theme;
mod trace;
mod widgets;

mod schedule_questions;
#[cfg(test)]
mod tests;

pub use cockpit::Cockpit;
pub use widgets::Gallery;
