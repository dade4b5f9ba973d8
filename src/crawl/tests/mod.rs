//! Whole crawls on loopback: journeys, outages, odd and hostile servers.

pub(super) mod durability;
pub(super) mod generated_web;
pub(super) mod guided;
pub(super) mod journey;
pub(super) mod memory_ledger;
pub(super) mod outages;
pub(super) mod patience;
pub(super) mod plan;
pub(super) mod redirects;
pub(super) mod robots;
