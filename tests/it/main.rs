//! Journeys through the whole program, in one test binary.

#![allow(clippy::unwrap_used)]

mod structure;
