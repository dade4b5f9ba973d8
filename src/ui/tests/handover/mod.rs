//! The way to a handover: first steps, selection, check and export.

mod first_run;
mod select;
