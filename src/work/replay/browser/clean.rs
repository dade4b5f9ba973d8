//! A browser with a window, which shows nothing but the archive.

use super::program::arguments;
use super::proxy::ArchiveProxy;
use crate::uri::{CaptureDate, Url};
use crate::work::Session;
use crate::work::replay::Replay;
use anyhow::Context;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

/// A window of Chromium on an archive at a date; it is closed when dropped.
pub struct CleanBrowser {
    child: Child,
    _proxy: ArchiveProxy,
    _profile: tempfile::TempDir,
}

impl CleanBrowser {
    /// Opens a URL as it was at a date.
    ///
    /// # Errors
    ///
    /// A browser that cannot be started; those of the system.
    pub fn open(session: &Arc<Session>, program: &Path, url: &Url, date: CaptureDate) -> anyhow::Result<Self> {
        anyhow::ensure!(url.has_host(), "{url} is no address that a browser opens");
        let replay = Arc::new(Replay::of(Arc::clone(session)));
        let proxy = ArchiveProxy::start(replay, date)?;
        let profile = tempfile::Builder::new().prefix("fonds-browser-").tempdir()?;
        let mut command = Command::new(program);
        command.args(arguments(profile.path(), proxy.address.port(), &proxy.pin, false)).arg("--").arg(url.as_str());
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("{} cannot be started", program.display()))?;
        Ok(Self { child, _proxy: proxy, _profile: profile })
    }

    /// Whether its window is open.
    pub fn is_open(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for CleanBrowser {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
