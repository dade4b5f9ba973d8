//! What a person can ask and what they get to see.
//!
//! In: [`Command`]s. Out: read models ([`models`]) in the screen's words,
//! jobs with progress, [`Notice`]s.
//!
//! Invariants: everything the window can do is a [`Command`]; read models are
//! loaded on worker threads, keyed by (query, catalogue revision); the last
//! answer stays visible while a new one loads.
//!
//! Not here: drawing.

mod command;
pub mod demo;
mod desk;
mod live;
pub mod models;
pub mod sample;
pub mod work;
pub mod workspace_desk;

pub use command::{Action, Command, Route};
pub use desk::{Desk, DeskResult, Opener};
