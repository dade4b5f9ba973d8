//! The capture beside earlier ones of the page.

mod previous_size;

pub(super) use previous_size::PreviousSize;
