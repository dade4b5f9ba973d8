//! From the wish to crawl to the crawl that a person confirmed.
//!
//! In: the campaign or the draft that is on screen. Out: what would be
//! crawled ([`CrawlPlan`]), and a crawl of exactly that ([`CrawlStart`]).

use super::models::{CampaignId, Loaded, Notice};
use super::state::AppState;
use super::{Command, Dialog, Route, SpecDraft};
use crate::campaign::Seed;
use crate::work::{CrawlRequest, CrawlStart};
use std::sync::Arc;

/// What a crawl is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrawlTarget {
    /// The specification being edited, as it is on screen.
    Draft,
    /// A campaign as it was saved last.
    Campaign(CampaignId),
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
        self.shows_every_campaign = false;
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
