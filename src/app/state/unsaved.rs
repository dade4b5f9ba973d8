//! Edits of a specification are not lost without asking.
//!
//! Invariant: a command that leaves an edited draft is carried out once a
//! person has answered, with all that was sent after it.

use super::super::crawl_request::AfterSave;
use super::super::{Action, Command, Dialog, Route, UnsavedAnswer, resolve};
use super::AppState;

impl AppState {
    /// Whether carrying this out would lose edits that are not saved.
    pub(super) fn loses_edits(&self, command: &Command) -> bool {
        let is_of_another = |route: &Route, id| matches!(route, Route::Spec(of) if *of != id);
        let Some(spec) = self.open.spec.as_ref() else { return false };
        let loses = match command {
            Command::OpenWorkspace(folder) if self.is_open(|open| open == folder) => false,
            // While jobs run, this is refused anyway.
            Command::OpenWorkspace(_) | Command::NewWorkspace(_) | Command::LoadSample(_) => !self.is_busy(),
            Command::NewCampaign | Command::CloseWindow => true,
            Command::ChooseCampaign(id) => {
                let is_shown = matches!(self.open.route, Route::Spec(_) | Route::Scope(..));
                spec.id != Some(*id) && self.open.campaign.is_some_and(|current| is_shown || current != *id)
            }
            Command::AddSeeds(_) | Command::AddTerms(_) | Command::AddRules(_) => spec.id != self.open.campaign,
            Command::Go(route) => is_of_another(route, spec.id),
            Command::Back => self.open.history.last().is_some_and(|route| is_of_another(route, spec.id)),
            _ => false,
        };
        loses && spec.is_edited()
    }

    /// Holds a command back, and what was sent after it, until a person has
    /// decided about the edits.
    pub(super) fn confirm_edits(&mut self, command: Command) {
        self.open.deferred = std::iter::once(command).chain(self.outbox.drain(..)).collect();
        self.open.dialog = Some(Dialog::Unsaved);
    }

    /// Goes on with the commands that were held back.
    pub(super) fn answer_unsaved(&mut self, answer: UnsavedAnswer) {
        self.open.dialog = None;
        let commands = std::mem::take(&mut self.open.deferred);
        match answer {
            UnsavedAnswer::Cancel => {}
            UnsavedAnswer::Discard => {
                let may_fail = |command: &Command| {
                    use Command::{CloseWindow, LoadSample, NewWorkspace, OpenWorkspace};
                    matches!(command, OpenWorkspace(_) | NewWorkspace(_) | LoadSample(_) | CloseWindow)
                };
                // Where the folder cannot be opened, or the window stays open, the draft is still there.
                match commands.first().is_some_and(may_fail) {
                    true => self.open.discards_edits = true,
                    false => self.open.spec = None,
                }
                self.go_on_with(commands);
            }
            UnsavedAnswer::Save => match resolve(Action::SaveCampaign, self) {
                Ok(Command::SaveCampaign { id, campaign }) => {
                    self.save_and(id, campaign, AfterSave::Commands(commands));
                }
                _ => self.act(Action::SaveCampaign),
            },
        }
    }

    /// Puts commands before all others that wait.
    pub(super) fn go_on_with(&mut self, commands: Vec<Command>) {
        for command in commands.into_iter().rev() {
            self.outbox.push_front(command);
        }
    }

    /// Closes the window, after a dialog where work runs.
    pub(super) fn close_window(&mut self) {
        match self.is_busy() {
            true => self.open.dialog = Some(Dialog::Quit),
            false => self.stop_and_close(),
        }
    }

    /// Stops what runs; the window closes when it has ended.
    pub(super) fn stop_and_close(&mut self) {
        self.open.dialog = None;
        self.open.jobs.iter().chain(&self.left_jobs).for_each(|job| job.cx().cancel());
        self.closing = true;
    }
}
