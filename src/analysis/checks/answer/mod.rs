//! Checks of the answer of the server.

mod status;

pub(super) use status::Status;
