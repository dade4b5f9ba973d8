//! `fonds replay open`.

use super::check::NO_BROWSER;
use crate::cli::campaign::read_only_session;
use crate::cli::output::with_progress;
use crate::cli::{FINE, WRONG_USE};
use crate::uri::{CaptureDate, parse_typed_url};
use crate::work::{CleanBrowser, find_browser};
use anyhow::Context;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Open a capture in a browser that sees the archive alone.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fonds replay open my-archive https://a.pt/\n  \
    fonds replay open my-archive https://a.pt/ --at 2019-03\n\n\
    The window is one of a Chromium with a profile of its own that goes when it is closed. Every URL is answered by the\n\
    capture nearest to the date, with its bytes as they were; nothing else is reached.\n\n\
    Exit status: 0 the window was closed, or Ctrl-C; 2 there is no browser.")]
pub(super) struct OpenArgs {
    /// Workspace.
    folder: PathBuf,
    /// Archived URL.
    url: String,
    /// Date of the captures; the newest ones without it.
    #[arg(long, value_name = "DATE")]
    at: Option<String>,
    /// Program of Chromium, Chrome or Edge; one that is found without it.
    #[arg(long, value_name = "PROGRAM")]
    browser: Option<PathBuf>,
}

pub(super) fn run(args: &OpenArgs) -> anyhow::Result<u8> {
    let Some(browser) = find_browser(args.browser.as_deref(), true) else {
        notice!("fonds: {NO_BROWSER}");
        return Ok(WRONG_USE);
    };
    let url = parse_typed_url(&args.url).with_context(|| format!("{} is no URL", args.url))?;
    let date = match &args.at {
        None => CaptureDate::now(),
        Some(date) => {
            CaptureDate::parse(date).with_context(|| format!("{date} is no date: write 2019-03-31 or its digits"))?
        }
    };
    let session = Arc::new(read_only_session(&args.folder)?);
    let mut window = CleanBrowser::open(&session, &browser, &url, date)?;
    let ended = with_progress(|cx| {
        cx.stage("Open until the window is closed", None);
        while window.is_open() {
            cx.checkpoint()?;
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    });
    match ended {
        Err(error) if crate::jobs::StopError::is_cancelled(&error) => Ok(FINE),
        ended => ended.map(|()| FINE),
    }
}
