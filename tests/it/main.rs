//! Journeys through the whole program, in one test binary.

#![allow(clippy::unwrap_used)]

mod archive;
mod cli;
mod demo;
mod foreign;
mod hostile;
mod imports;
mod kill;
mod need;
mod peers;
mod program;
mod sample;
mod sites;
mod structure;
mod window;
