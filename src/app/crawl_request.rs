//! From the wish to crawl to the crawl that a person confirmed.
//!
//! In: the campaign or the draft that is on screen. Out: what would be
//! crawled ([`CrawlPlan`]), and a crawl of exactly that ([`CrawlStart`]).

use super::models::{CampaignId, Loaded, Notice};
use super::state::AppState;
use super::{Command, Dialog, Route, SpecDraft};
use crate::campaign::{Campaign, Seed};
use std::sync::Arc;

/// What a crawl is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrawlTarget {
    /// The specification being edited, as it is on screen.
    Draft,
    /// A campaign as it was saved last.
    Campaign(CampaignId),
}

/// A crawl that waits for confirmation.
#[derive(Debug, Clone, PartialEq)]
pub struct CrawlRequest {
    /// The campaign; none for a new one.
    pub campaign: Option<CampaignId>,
    /// What is saved first, as a new version; none where nothing was edited.
    pub edits: Option<Campaign>,
}

/// What a crawl will do.
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

impl AppState {
    /// Asks a person to confirm a crawl.
    pub(super) fn request_crawl(&mut self, target: CrawlTarget) {
        let request = match (target, &self.spec) {
            (CrawlTarget::Campaign(id), _) => CrawlRequest { campaign: Some(id), edits: None },
            (CrawlTarget::Draft, Some(spec)) => {
                let edits = (spec.id.is_none() || spec.is_edited()).then(|| spec.campaign.clone());
                CrawlRequest { campaign: spec.id, edits }
            }
            (CrawlTarget::Draft, None) => return,
        };
        self.crawl_request = Some(Arc::new(request));
        self.dialog = Some(Dialog::StartCrawl);
    }

    /// Starts the crawl that was asked about; edits are saved first, and
    /// without them it does not start.
    pub(super) fn confirm_crawl(&mut self, version: u32, fresh: bool) {
        self.dialog = None;
        let Some(request) = self.crawl_request.take() else { return };
        match (request.campaign, &request.edits) {
            (id, Some(edits)) => self.save_and(id, Box::new(edits.clone()), AfterSave::Crawl { fresh }),
            (Some(campaign), None) => {
                self.take_campaign(campaign);
                self.send(Command::StartCrawl(CrawlStart { campaign, version, fresh }));
            }
            (None, None) => {}
        }
    }

    /// Makes a campaign the one at hand.
    pub(super) fn take_campaign(&mut self, id: CampaignId) {
        let before = self.campaign.replace(id);
        if before != Some(id) {
            self.selection_draft.campaign = id;
            self.selected = Default::default();
            self.focus = None;
        }
        let is_of_another = match &self.route {
            Route::Spec(of) => *of != Some(id),
            Route::Scope(of, _) => *of != id,
            _ => false,
        };
        // The first choice is made by the window itself: it leaves no new campaign.
        if is_of_another && before.is_some() {
            self.route = Route::Spec(Some(id));
        }
    }

    /// Adds a seed to the specification of the campaign at hand and shows it, not yet saved.
    pub(super) fn add_seed(&mut self, url: String) {
        let Some(id) = self.campaign else { return };
        if self.spec.as_ref().is_none_or(|spec| spec.id != Some(id)) {
            let Loaded::Ready(page) = self.reads.campaign(id) else {
                self.notice(Notice {
                    is_error: false,
                    what: "The seed was not added".to_owned(),
                    why: "the campaign is still loading".to_owned(),
                    hint: "Add it again in a moment".to_owned(),
                });
                return;
            };
            self.spec = Some(SpecDraft::of(&page));
        }
        if let Some(spec) = &mut self.spec
            && !spec.campaign.seeds.iter().any(|seed| seed.url == url)
        {
            let source_tag = "prospect".to_owned();
            spec.campaign.seeds.push(Seed { url, scope: Default::default(), depth: None, source_tag });
        }
        self.send(Command::Go(Route::Spec(Some(id))));
    }
}

/// What follows once a draft is saved.
#[derive(Debug)]
pub(super) enum AfterSave {
    /// Its crawl starts.
    Crawl {
        /// See [`CrawlStart`].
        fresh: bool,
    },
    /// Commands that would have lost its edits.
    Commands(Vec<Command>),
}
