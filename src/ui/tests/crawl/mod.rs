//! Crawls that follow a request: the sources of a campaign, and its trials.

mod changes;
mod sources;
mod trials;
