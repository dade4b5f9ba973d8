//! A crawl from its request to the start that a person confirmed.
//!
//! In: the campaign or the draft that is on screen. Out: what would be
//! crawled ([`CrawlPlan`]), and a crawl of exactly that ([`CrawlStart`]).

use super::models::{CampaignId, Loaded, Notice, campaign_title};
use super::state::AppState;
use super::{Command, Dialog, Route, SpecDraft};
use crate::campaign::{Seed, Term, with_alternative};
use crate::jobs::counted;
use crate::work::{CrawlRequest, CrawlStart};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

/// The source of a crawl's rules and seeds.
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
        let request = match (target, &self.open.spec) {
            (CrawlTarget::Campaign(id), _) => CrawlRequest { campaign: Some(id), edits: None },
            (CrawlTarget::Draft, Some(spec)) => {
                let edits = (spec.id.is_none() || spec.is_edited()).then(|| spec.campaign.clone());
                CrawlRequest { campaign: spec.id, edits }
            }
            (CrawlTarget::Draft, None) => return,
        };
        self.open.crawl_request = Some(Arc::new(request));
        self.open.dialog = Some(Dialog::StartCrawl);
    }

    /// Starts the crawl that was confirmed; edits are saved first, and
    /// without them it does not start.
    pub(super) fn confirm_crawl(&mut self, version: u32, fresh: bool) {
        self.open.dialog = None;
        let Some(request) = self.open.crawl_request.take() else { return };
        match (request.campaign, &request.edits) {
            (id, Some(edits)) => self.save_and(id, Box::new(edits.clone()), AfterSave::Crawl { fresh }),
            (Some(campaign), None) => {
                self.take_campaign(campaign);
                self.send(Command::StartCrawl(CrawlStart { campaign, version, fresh }));
            }
            (None, None) => {}
        }
    }

    /// Makes a campaign the current one.
    pub(super) fn take_campaign(&mut self, id: CampaignId) {
        let before = self.open.campaign.replace(id);
        self.open.shows_every_campaign = false;
        if before != Some(id) {
            self.open.selection_draft.campaign = id;
            self.open.selected = Default::default();
            // Another campaign's export is not what is verified next.
            self.open.last_export = None;
            self.follow(None);
        }
        let is_of_another = match &self.open.route {
            Route::Spec(of) => *of != Some(id),
            Route::Scope(of, _) => *of != id,
            _ => false,
        };
        // The first choice is made by the window itself: it leaves no new campaign.
        if is_of_another && before.is_some() {
            self.open.route = Route::Spec(Some(id));
        }
    }

    /// Adds seeds to the specification of the current campaign as one edit; the page stays.
    pub(super) fn add_seeds(&mut self, urls: Vec<String>) {
        let Some(id) = self.open.campaign else { return };
        if !self.open_draft(id, "No seed was added") {
            return;
        }
        let Some(spec) = &mut self.open.spec else { return };
        // What was there before is the step to go back to.
        spec.note(Instant::now());
        let known: HashSet<String> = spec.campaign.seeds.iter().map(|seed| seed.url.clone()).collect();
        let all = urls.len();
        let new: Vec<String> = urls.into_iter().filter(|url| !known.contains(url)).collect();
        let added = new.len();
        let seed = |url| Seed { url, scope: Default::default(), depth: None, source_tag: "prospect".to_owned() };
        spec.campaign.seeds.extend(new.into_iter().map(seed));
        spec.note(Instant::now());
        let title = campaign_title(id, &spec.campaign.name);
        let seeds = counted(added as u64, "seed");
        let why = match all - added {
            0 => String::new(),
            there => format!("{there} of {all} were seeds already"),
        };
        let hint = "Save it as a new version to crawl them; Ctrl+Z takes them out again".to_owned();
        let what = format!("{seeds} added to the specification of {title}, not saved yet");
        self.notice_leading_to(Notice { is_error: false, what, why, hint }, Route::Spec(Some(id)));
    }

    /// Opens the draft of a campaign, if it is not open; whether it is now. `nothing` is what did not happen where not.
    fn open_draft(&mut self, id: CampaignId, nothing: &str) -> bool {
        if self.open.spec.as_ref().is_none_or(|spec| spec.id != Some(id)) {
            let Loaded::Ready(page) = self.reads.campaign(id) else {
                self.notice(Notice {
                    is_error: false,
                    what: nothing.to_owned(),
                    why: "the campaign is still loading".to_owned(),
                    hint: "Add them again in a moment".to_owned(),
                });
                return false;
            };
            self.open.spec = Some(SpecDraft::of(&page));
        }
        true
    }

    /// Adds terms to the request of the current campaign, each as an alternative, as one edit.
    pub(super) fn add_terms(&mut self, terms: Vec<Term>) {
        let Some(id) = self.open.campaign else { return };
        if !self.open_draft(id, "Nothing was added") {
            return;
        }
        let Some(spec) = &mut self.open.spec else { return };
        spec.note(Instant::now());
        let (all, mut added) = (terms.len(), 0);
        for term in terms {
            let mut is_known = false;
            spec.campaign.request.for_each_term(&mut |known| is_known |= known.value == term.value);
            if !is_known {
                spec.campaign.request = with_alternative(std::mem::take(&mut spec.campaign.request), term);
                added += 1;
            }
        }
        spec.note(Instant::now());
        let title = campaign_title(id, &spec.campaign.name);
        let why = match all - added {
            0 => String::new(),
            there => format!("{there} of {all} were in it already"),
        };
        let what = format!("{} added to the request of {title}, not saved yet", counted(added as u64, "term"));
        let hint = "Save it as a new version; Ctrl+Z takes them out again".to_owned();
        self.notice_leading_to(Notice { is_error: false, what, why, hint }, Route::Spec(Some(id)));
    }

    /// Adds rules behind those of the current campaign as one edit, and opens them, where what they would change is
    /// shown before anything is saved.
    pub(super) fn add_rules(&mut self, rules: Vec<serde_json::Value>) {
        let Some(id) = self.open.campaign else { return };
        if !self.open_draft(id, "No rule was added") {
            return;
        }
        let Some(spec) = &mut self.open.spec else { return };
        spec.note(Instant::now());
        let all = rules.len();
        let new: Vec<serde_json::Value> =
            rules.into_iter().filter(|rule| !spec.campaign.rules.contains(rule)).collect();
        let added = new.len();
        if added == 0 {
            let (what, why) = ("No rule was added".to_owned(), "the specification has them already".to_owned());
            self.notice(Notice { is_error: false, what, why, hint: String::new() });
            return;
        }
        spec.campaign.rules.extend(new);
        spec.note(Instant::now());
        let what = format!(
            "{} added to the specification of {}, not saved yet",
            counted(added as u64, "rule"),
            campaign_title(id, &spec.campaign.name)
        );
        let why = match all - added {
            0 => String::new(),
            there => format!("{there} of {all} were there already"),
        };
        let hint = "The page shows which URLs they would refuse; save it as a new version, or Ctrl+Z".to_owned();
        self.notice(Notice { is_error: false, what, why, hint });
        self.send(Command::Go(Route::Spec(Some(id))));
    }
}

/// The next step once a draft is saved.
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
