//! Selections under a name, and collections.

use super::super::SelectedRows;
use super::super::models::{CampaignId, CollectionSpec};
use super::{Answer, AppState};
use crate::jobs::counted;
use crate::work::JobKind;

/// An action on a named selection or a collection.
#[derive(Debug, Clone, PartialEq)]
pub enum SelectionAct {
    /// Saves the kept selection of a campaign under a name.
    Name(CampaignId, String),
    /// Deletes a selection that was saved.
    ForgetName(CampaignId, String),
    /// Makes a collection, or changes the one of its name.
    SaveCollection(CollectionSpec),
    /// Deletes a collection; its captures stay.
    ForgetCollection(String),
    /// Puts the selection of a campaign back that the kept one took the place of.
    Undo(CampaignId),
    /// Asks the filters of all collections now.
    FillCollections,
    /// Puts captures into a collection, or takes them out.
    Collect {
        /// The captures.
        captures: SelectedRows,
        /// The collection.
        name: String,
        /// Whether they are taken out.
        out: bool,
    },
}

impl AppState {
    pub(super) fn act_on_selections(&mut self, act: SelectionAct) {
        let who = self.settings.person();
        match act {
            SelectionAct::Name(campaign, name) => self.write(
                move |session| {
                    let captures = session.name_selection(campaign, &name, &who)?;
                    Ok(format!("Saved as “{}”: {}", name.trim(), counted(captures, "capture")))
                },
                |done| Answer::Set("The selection was not saved", done),
            ),
            SelectionAct::ForgetName(campaign, name) => self.write(
                move |session| {
                    session.catalogue().forget_selection(campaign, &name)?;
                    Ok(format!("Deleted the saved selection “{name}”"))
                },
                |done| Answer::Set("The saved selection was not deleted", done),
            ),
            SelectionAct::SaveCollection(spec) => match spec.campaign {
                Some(campaign) => self.start(JobKind::Collect, move |session, cx| {
                    session.save_collection(&spec, &who)?;
                    session.fill_collections(Some(campaign), cx)
                }),
                None => self.write(
                    move |session| {
                        session.save_collection(&spec, &who)?;
                        Ok(format!("Saved the collection “{}”", spec.name.trim()))
                    },
                    |done| Answer::Set("The collection was not saved", done),
                ),
            },
            SelectionAct::ForgetCollection(name) => self.write(
                move |session| {
                    session.catalogue().forget_collection(&name)?;
                    Ok(format!("Deleted the collection “{name}”; its captures stay"))
                },
                |done| Answer::Set("The collection was not deleted", done),
            ),
            SelectionAct::Undo(campaign) => {
                self.start(JobKind::Select, move |session, cx| session.undo_selection(campaign, cx));
            }
            SelectionAct::FillCollections => {
                self.start(JobKind::Collect, |session, cx| session.fill_collections(None, cx));
            }
            SelectionAct::Collect { captures, name, out } => self.write(
                move |session| {
                    let ids = captures.resolve(session)?;
                    let changed = session.catalogue().collect(&name, ids, out, &who)?;
                    let what = if out { "taken out of" } else { "put into" };
                    Ok(format!("{} {what} “{name}”", counted(changed, "capture")))
                },
                |done| Answer::Set("The collection was not changed", done),
            ),
        }
    }
}
