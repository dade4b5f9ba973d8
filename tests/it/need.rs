//! What a test needs that not every machine has.
//!
//! `FONDS_REQUIRE` is a list with commas: a need named there must be met, or
//! the test fails; any other need that is not met is told and the test skipped.

/// Fails or tells, by `FONDS_REQUIRE`, that a need is not met.
#[track_caller]
pub fn missing(need: &str, why: &str) {
    let required = std::env::var("FONDS_REQUIRE").unwrap_or_default();
    assert!(!required.split(',').any(|word| word.trim() == need), "required, but missing: {why}");
    eprintln!("skipped: {why}");
}
