//! Searches under a name.

use super::super::models::SearchQuery;
use super::{Answer, AppState};
use crate::work;

/// An action on a saved search.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchAct {
    /// Saves a search under a name, in the place of one that had it.
    Save(String, Box<SearchQuery>),
    /// Gives one another name.
    Rename {
        /// Its name.
        from: String,
        /// Its name from now on.
        to: String,
    },
    /// Removes one.
    Forget(String),
}

impl AppState {
    pub(super) fn act_on_searches(&mut self, act: SearchAct) {
        let who = self.settings.person();
        match act {
            SearchAct::Save(name, query) => self.write(
                move |session| {
                    let was_there = session.save_search(&name, &query, &who)?;
                    let place = if was_there { ", in the place of the one that had this name" } else { "" };
                    Ok(format!("Saved the search “{}”{place}", name.trim()))
                },
                |done| Answer::Set("The search was not saved", done),
            ),
            SearchAct::Rename { from, to } => self.write(
                move |session| {
                    work::rename_search(session.catalogue(), &from, &to)?;
                    Ok(format!("The saved search “{from}” is called “{}” now", to.trim()))
                },
                |done| Answer::Set("The saved search was not renamed", done),
            ),
            SearchAct::Forget(name) => self.write(
                move |session| {
                    work::forget_search(session.catalogue(), &name)?;
                    Ok(format!("Removed the saved search “{name}”"))
                },
                |done| Answer::Set("The saved search was not removed", done),
            ),
        }
    }
}
