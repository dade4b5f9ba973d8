//! Captures in the browser of this computer.

use crate::app::AppState;
use crate::app::loader::failure;
use crate::app::models::CaptureId;
use crate::app::state::notices::NoticeCause;
use crate::work::{CleanBrowser, ReplayServer, find_browser, random_token};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The Chromium of this computer that has a window; none where there is none.
fn clean_browser() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<std::path::PathBuf>> = OnceLock::new();
    FOUND.get_or_init(|| find_browser(None, true)).as_deref()
}

/// Whether there is a browser for [`Command::OpenInCleanBrowser`](crate::app::Command).
pub fn has_clean_browser() -> bool {
    clean_browser().is_some()
}

impl AppState {
    /// Starts the replay of the workspace where it does not run, and has the window open a capture of it.
    pub(super) fn open_in_browser(&mut self, capture: CaptureId) {
        let Some(session) = self.session().map(Arc::clone) else { return };
        let started = match self.open.replay.take() {
            Some(server) => Ok(server),
            None => ReplayServer::start(session, None, None, Some(&random_token())),
        };
        match started {
            Ok(server) => {
                self.open.browser_url = Some(server.capture_url(capture));
                self.open.replay = Some(server);
            }
            Err(error) => self.error_notice(NoticeCause::Replay, failure("The replay cannot be started", &error)),
        }
    }

    /// Opens a capture in a Chromium that sees the archive alone.
    pub(super) fn open_in_clean_browser(&mut self, capture: CaptureId) {
        let Some((session, program)) = self.session().map(Arc::clone).zip(clean_browser()) else { return };
        self.open.clean_browsers.retain_mut(CleanBrowser::is_open);
        let stored = session.catalogue().stored_capture(capture).map_err(anyhow::Error::from);
        match stored.and_then(|stored| CleanBrowser::open(&session, program, &stored.url, stored.date)) {
            Ok(browser) => self.open.clean_browsers.push(browser),
            Err(error) => self.error_notice(NoticeCause::Replay, failure("The browser cannot be started", &error)),
        }
    }

    /// An address that the window has to open in the browser, once.
    pub fn take_browser_url(&mut self) -> Option<String> {
        self.open.browser_url.take()
    }
}
