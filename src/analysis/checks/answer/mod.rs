//! Checks of the answer of the server.

mod media_type;
mod status;

pub(super) use media_type::DeclaredType;
pub(super) use status::Status;
