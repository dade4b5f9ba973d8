//! Crawls that follow a request: the sources of a campaign.

mod sources;
