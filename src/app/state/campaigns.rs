//! Actions on whole campaigns: switched on and off, deleted, given imports.

use super::super::models::{CampaignChoice, CampaignId, CampaignRow, CampaignTwin, ImportOptions, LaunchId, Loaded};
use super::super::{Command, Dialog};
use super::{Answer, AppState, JobKind};
use crate::campaign::{Campaign, CampaignFile};
use crate::work::Session;

/// An action on a campaign, or on what belongs to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CampaignAct {
    /// Shows the captures of every campaign, and those of none.
    ShowEveryCapture,
    /// Lets a campaign run.
    Activate(CampaignId),
    /// Switches its schedule off.
    Deactivate(CampaignId),
    /// Deletes it; its captures stay.
    Delete(CampaignId),
    /// Gives an import to a campaign, or to none.
    AssignImport(LaunchId, Option<CampaignId>),
    /// Saves the open draft, though a campaign like it is here: as the next version of that one, or as another one.
    SaveTwin(Option<CampaignId>),
    /// Saves the open draft though somebody else saved its campaign meanwhile, or gives it up.
    AnswerNewer {
        /// Whether the draft is saved, as the next version.
        keeps_draft: bool,
    },
}

/// Similar campaigns that are here already: a person confirms before another one is saved.
#[derive(Debug, thiserror::Error)]
#[error("a campaign like this is here already")]
pub(super) struct TwinsFound(pub Vec<CampaignTwin>);

impl TwinsFound {
    /// # Errors
    ///
    /// [`TwinsFound`] where a new campaign may be one that is here.
    pub(super) fn check(session: &Session, campaign: &Campaign) -> anyhow::Result<()> {
        let file = CampaignFile { campaign: campaign.clone(), ..CampaignFile::default() };
        let twins = session.catalogue().campaign_twins(&file)?;
        if twins.is_empty() { Ok(()) } else { Err(Self(twins).into()) }
    }
}

impl AppState {
    pub(super) fn act_on_campaigns(&mut self, act: CampaignAct) {
        match act {
            CampaignAct::ShowEveryCapture => {
                self.open.shows_every_campaign = true;
                self.open.campaign = None;
                self.open.selected = Default::default();
                self.follow(None);
            }
            CampaignAct::Activate(id) => self.write(
                move |session| session.activate_campaign(id).map(|of| format!("“{}” is active", of.name)),
                |done| Answer::Set("The campaign was not switched on", done),
            ),
            CampaignAct::Deactivate(id) => self.write(
                move |session| {
                    let of = session.deactivate_campaign(id)?;
                    Ok(format!("“{}” is switched off: no scheduled runs", of.name))
                },
                |done| Answer::Set("The campaign was not switched off", done),
            ),
            CampaignAct::Delete(id) => {
                self.open.dialog = None;
                self.open.deleting = Some(id);
                if self.open.campaign == Some(id) {
                    self.open.campaign = None;
                    self.open.spec = None;
                    self.send(Command::Go(super::super::Route::Campaigns));
                }
                self.write(
                    move |session| {
                        let of = session.catalogue().delete_campaign(id)?;
                        let stays = of.stays().map(|stays| format!(". Stays: {stays}")).unwrap_or_default();
                        Ok(format!("Deleted the campaign “{}”{stays}", of.name))
                    },
                    |done| Answer::Set("The campaign was not deleted", done),
                );
            }
            CampaignAct::AssignImport(import, campaign) => {
                self.start(JobKind::AssignImport, move |session, _| {
                    session.assign_import(import, campaign).map(|of| crate::work::Report::summary(&of))
                });
            }
            CampaignAct::AnswerNewer { keeps_draft } => self.answer_newer_version(keeps_draft),
            CampaignAct::SaveTwin(id) => {
                self.open.dialog = None;
                self.open.twins.clear();
                if let Some(spec) = self.open.spec.as_ref().filter(|spec| spec.id.is_none()) {
                    let campaign = Box::new(spec.campaign.clone());
                    self.save_confirmed(id, campaign);
                }
            }
        }
    }

    /// Asks whether a new campaign is one that is here.
    pub(super) fn confirm_duplicates(&mut self, twins: Vec<CampaignTwin>) {
        self.open.twins = twins;
        self.open.dialog = Some(Dialog::Twins);
    }

    /// Campaigns that a new one may be.
    pub fn twins(&self) -> &[CampaignTwin] {
        &self.open.twins
    }

    /// Whether the captures of all campaigns are shown, so that none is the current one.
    pub fn shows_every_campaign(&self) -> bool {
        self.open.shows_every_campaign && self.open.campaign.is_none()
    }

    /// The campaign that is chosen where there is no current one: the first of these that is not being deleted.
    pub fn first_campaign(&self, rows: &[CampaignRow]) -> Option<CampaignId> {
        let first = rows.iter().map(|row| row.id).find(|id| self.open.deleting != Some(*id));
        first.filter(|_| self.open.campaign.is_none() && !self.open.shows_every_campaign)
    }

    /// The default options of an import: for the current campaign.
    pub fn import_options(&mut self) -> ImportOptions {
        let campaign = match (self.open.campaign, self.reads.campaigns()) {
            (Some(id), _) => CampaignChoice::Of(id),
            (None, Loaded::Ready(rows)) if rows.len() > 1 => CampaignChoice::None,
            (None, _) => CampaignChoice::Only,
        };
        ImportOptions { campaign, ..ImportOptions::default() }
    }
}
