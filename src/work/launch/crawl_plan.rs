//! A plan shows what a crawl would do, and starts the crawl that a person confirmed.

use crate::campaign::Campaign;
use crate::work::models::CampaignId;

/// A crawl that waits for confirmation.
#[derive(Debug, Clone, PartialEq)]
pub struct CrawlRequest {
    /// The campaign; none for a new one.
    pub campaign: Option<CampaignId>,
    /// The edits that are saved first, as a new version; none where nothing was edited.
    pub edits: Option<Campaign>,
}

/// The plan of a crawl, for a person to confirm.
#[derive(Debug, Clone, PartialEq)]
pub struct CrawlPlan {
    /// Name of the campaign.
    pub title: String,
    /// The version that is crawled; for edits the one that they will be.
    pub version: u32,
    /// Seeds in all.
    pub seeds: u64,
    /// The first of them.
    pub first_seeds: Vec<String>,
    /// Hosts of the seeds in all.
    pub hosts: u64,
    /// The first of them.
    pub first_hosts: Vec<String>,
    /// The launch that was stopped and can be resumed.
    pub unfinished: Option<UnfinishedLaunch>,
    /// Errors: seeds that will not be crawled, and why.
    pub errors: Vec<String>,
    /// Why it cannot be crawled yet, and what to do about it.
    pub obstacle: Option<String>,
}

/// A launch that can be resumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedLaunch {
    /// When it began, UTC, in words.
    pub started: String,
    /// The version of the campaign that it ran last; resumed, it goes on with
    /// the newest.
    pub version: u32,
    /// URLs in its queue.
    pub queued: u64,
}

/// A crawl that was confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrawlStart {
    /// The campaign.
    pub campaign: CampaignId,
    /// The version that was confirmed; a crawl of another does not start.
    pub version: u32,
    /// Begins a new launch even where one can be resumed.
    pub fresh: bool,
}
