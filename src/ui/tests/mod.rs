#[cfg(test)] pub mod fixture;
