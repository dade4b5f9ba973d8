//! Saves the specification that is being edited.
//!
//! Invariants: one save of a draft at a time; an answer changes only the draft
//! that it is about, whatever was opened meanwhile.

use super::super::crawl_request::AfterSave;
use super::super::models::{CampaignId, Notice, campaign_title};
use super::super::{Command, CrawlStart, Dialog, Route};
use super::campaigns::TwinsFound;
use super::{Answer, AppState, NoticeCause, failure};
use crate::campaign::{Campaign, EvidenceCarried, FieldDifference, campaign_differences};
use crate::work::Session;

/// A version of a campaign that was saved since the open draft was begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewerVersion {
    /// Its number.
    pub version: u32,
    /// The version that the draft was begun from.
    pub begun_from: u32,
    /// Fields in which it and the draft differ, the saved version first.
    pub differences: Vec<FieldDifference>,
}

/// Somebody else saved the campaign: a person confirms before the draft takes its place.
#[derive(Debug, thiserror::Error)]
#[error("the campaign was saved by somebody else meanwhile")]
struct SavedMeanwhile(NewerVersion);

impl SavedMeanwhile {
    /// # Errors
    ///
    /// [`SavedMeanwhile`] where a version is saved that the draft does not know. Files of evidence that
    /// were attached meanwhile are carried over and are no difference.
    fn check(
        session: &Session,
        id: CampaignId,
        draft: &Campaign,
        (begun_from, mut base): (u32, Campaign),
    ) -> anyhow::Result<()> {
        let (version, saved) = session.catalogue().campaign(id)?;
        base.carry_evidence(&saved, None);
        if version <= begun_from || base == saved {
            return Ok(());
        }
        let differences = campaign_differences(&saved, draft);
        Err(Self(NewerVersion { version, begun_from, differences }).into())
    }
}

/// A draft as it was saved.
#[derive(Debug)]
pub(in crate::app) struct SavedDraft {
    campaign: Box<Campaign>,
    saved: (CampaignId, u32),
    /// Evidence that the version before had.
    evidence: EvidenceCarried,
    /// The consequence for a crawl that did not come to its end.
    crawl: Option<String>,
}

impl AppState {
    /// Has a worker save the open draft.
    pub(super) fn save(&mut self, id: Option<CampaignId>, campaign: Box<Campaign>) {
        let save = self.next_id;
        self.next_id += 1;
        self.begin_save(save, id, campaign, false);
    }

    /// Saves the open draft though a campaign like it is here: a person confirmed it. The next step of
    /// the save that failed follows this one.
    pub(super) fn save_confirmed(&mut self, id: Option<CampaignId>, campaign: Box<Campaign>) {
        let save = self.next_id;
        self.next_id += 1;
        if let Some((of, _)) = &mut self.open.after_save {
            *of = save;
        }
        self.begin_save(save, id, campaign, true);
    }

    /// Saves the draft; `after` follows once it is saved.
    pub(in super::super) fn save_and(&mut self, id: Option<CampaignId>, campaign: Box<Campaign>, then: AfterSave) {
        if self.open.spec.as_ref().is_none_or(|spec| !spec.is_being_saved()) {
            self.open.after_save = Some((self.next_id, then));
            self.save(id, campaign);
        }
    }

    fn begin_save(&mut self, save: u64, id: Option<CampaignId>, campaign: Box<Campaign>, is_confirmed: bool) {
        // Only the open draft knows what it was begun from.
        let of_draft = self.open.spec.as_ref().filter(|spec| spec.id == id);
        let base = of_draft.map(|spec| (spec.version, spec.saved.clone()));
        if let Some(spec) = &mut self.open.spec {
            // Asked twice before the first was begun.
            if spec.is_being_saved() {
                return;
            }
            if self.reads.session().is_some() {
                spec.begin_save(save);
            }
        }
        self.write(
            move |session| {
                let mut campaign = campaign;
                if id.is_none() && !is_confirmed {
                    TwinsFound::check(session, &campaign)?;
                }
                if let (Some(id), Some(base)) = (id, base) {
                    SavedMeanwhile::check(session, id, &campaign, base)?;
                }
                // It may be a draft of an older version, or have been begun before files were attached.
                let (saved, evidence) = session.save_edited_campaign(id, &mut campaign, None)?;
                let crawl = id.map(|id| session.unfinished_crawl_line(id, saved.1)).transpose()?.flatten();
                Ok(SavedDraft { campaign, saved, evidence, crawl })
            },
            move |saved| Answer::Saved(save, saved),
        );
    }

    /// Carries out the answer on a draft whose campaign was saved by somebody else: it is saved as the version
    /// after that one, or given up for it.
    pub(super) fn answer_newer_version(&mut self, keeps_draft: bool) {
        self.open.dialog = None;
        let Some(newer) = self.open.newer_version.take() else { return };
        if !keeps_draft {
            self.open.after_save = None;
            self.open.spec = None;
            return;
        }
        let Some(spec) = &mut self.open.spec else { return };
        spec.version = newer.version;
        let (id, campaign) = (spec.id, Box::new(spec.campaign.clone()));
        self.save_confirmed(id, campaign);
    }

    /// The version that was saved since the open draft was begun.
    pub fn newer_version(&self) -> Option<&NewerVersion> {
        self.open.newer_version.as_ref()
    }

    /// Takes in the result of a save; its draft may be closed already.
    pub(super) fn take_in_saved(&mut self, save: u64, saved: anyhow::Result<SavedDraft>) {
        let spec = self.open.spec.as_mut().and_then(|spec| spec.end_save(save).then_some(spec));
        let SavedDraft { campaign, saved: (id, version), evidence, crawl } = match saved {
            Ok(saved) => saved,
            Err(error) if spec.is_some() && error.is::<TwinsFound>() => {
                let twins = error.downcast().map(|TwinsFound(twins)| twins).unwrap_or_default();
                self.confirm_duplicates(twins);
                return;
            }
            Err(error) if spec.is_some() && error.is::<SavedMeanwhile>() => {
                self.open.newer_version = error.downcast().map(|SavedMeanwhile(newer)| newer).ok();
                self.open.dialog = Some(Dialog::NewerVersion);
                return;
            }
            Err(error) => {
                self.open.after_save.take_if(|(of, _)| *of == save);
                let mut notice = failure("Specification not saved", &error);
                notice.hint = match spec {
                    Some(_) => "Your edits are kept; correct them and save again".to_owned(),
                    None => "The edits were discarded with the page; the earlier saved version remains".to_owned(),
                };
                self.error_notice(NoticeCause::Saving, notice);
                return;
            }
        };
        let mut message = format!("Specification saved as version {version}");
        match spec {
            None => message = format!("{message}, {}", campaign_title(id, &campaign.name)),
            Some(spec) => {
                let was = spec.id.replace(id);
                if was.is_some() && spec.version == version {
                    message = format!("No changes: version {version} remains the latest");
                }
                spec.version = version;
                spec.newest = version;
                // Those records of the draft have it as well that are still as they were sent.
                spec.campaign.carry_evidence(&campaign, None);
                spec.set_saved(*campaign);
                // A person may have gone elsewhere, and to another campaign.
                let here = self.open.route == Route::Spec(was);
                if here {
                    self.open.route = Route::Spec(Some(id));
                }
                if here || self.open.campaign.is_none() {
                    self.open.campaign = Some(id);
                }
            }
        }
        self.cure(|cause| *cause == NoticeCause::Saving);
        self.notify(&message);
        if let Some(line) = crawl {
            let what = "Specification saved: the crawl goes on with the version that it has".to_owned();
            self.notice(Notice { is_error: false, what, why: line, hint: String::new() });
        }
        let lines = [evidence.kept_line(), evidence.dropped_line(), evidence.missing_line()];
        for line in lines.into_iter().flatten() {
            let hint = "Attach files to a record with: fonds scope attach FOLDER CAMPAIGN RECORD FILE".to_owned();
            self.notice(Notice {
                is_error: false,
                what: format!("Specification saved: {line}"),
                why: String::new(),
                hint,
            });
        }
        match self.open.after_save.take_if(|(of, _)| *of == save).map(|(_, then)| then) {
            None => {}
            Some(AfterSave::Commands(commands)) => self.go_on_with(commands),
            Some(AfterSave::Crawl { fresh }) => {
                self.take_campaign(id);
                self.send(Command::StartCrawl(CrawlStart { campaign: id, version, fresh }));
            }
        }
    }
}
