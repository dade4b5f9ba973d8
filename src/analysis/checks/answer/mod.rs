//! What the server answered.

mod status;

pub(super) use status::Status;
