//! The helper browser: Chromium with a profile of its own, whose every request is answered by the archive.
//!
//! In: a workspace and a Chromium that is on this machine; without one, nothing here is offered. Out: pages as a browser
//! shows them ([`Session::check_replay`]), and a window in which a person reads them ([`CleanBrowser`]). Bytes and
//! fields of answers are those of the archive, under the URLs that they had; nothing is installed, no profile of a
//! person is opened, and no request leaves this machine.

mod certificate;
mod check;
mod clean;
mod crawler_records;
mod devtools;
mod page;
mod picture;
mod program;
mod proxy;
mod tunnel;

pub use check::{AtCrawl, ReplayCheckOptions, ReplayCheckReport, ReplayFindings};
pub use clean::CleanBrowser;
pub use picture::PagePicture;
pub use program::find_browser;
pub use proxy::PageRequest;

#[cfg(doc)]
use crate::work::Session;
