//! To come.

pub mod geo;
pub mod robots;
pub mod surt;

/// Nothing is wrong.
pub const FINE: u8 = 0;
/// Problems were found and told.
pub const PROBLEMS: u8 = 1;
