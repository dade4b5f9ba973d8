//! Captures in the browser of this computer.

use crate::app::AppState;
use crate::app::loader::failure;
use crate::app::models::CaptureId;
use crate::app::state::notices::NoticeCause;
use crate::work::ReplayServer;
use std::sync::Arc;

impl AppState {
    /// Starts the replay of the workspace where it does not run, and has the window open a capture of it.
    pub(super) fn open_in_browser(&mut self, capture: CaptureId) {
        let Some(session) = self.session().map(Arc::clone) else { return };
        let started = match self.open.replay.take() {
            Some(server) => Ok(server),
            None => ReplayServer::start(session, None, None),
        };
        match started {
            Ok(server) => {
                self.open.browser_url = Some(server.capture_url(capture));
                self.open.replay = Some(server);
            }
            Err(error) => self.error_notice(NoticeCause::Replay, failure("The replay cannot be started", &error)),
        }
    }

    /// An address that the window has to open in the browser, once.
    pub fn take_browser_url(&mut self) -> Option<String> {
        self.open.browser_url.take()
    }
}
