//! The text index follows a crawl, an import or a build of inlinks by itself.
//!
//! New in the catalogue are captures behind the last one that the index has, originals of revisits
//! that were found since, inlinks that were built since. Whoever sees them come checks now and then
//! whether there are some, and follows up. This is done by one thread, and no more of the time than
//! [`SHARE`], so that it never slows the other work down by much.

use super::text_index::{TextIndexReport, index_folder, index_texts, open_index};
use crate::jobs::{Cancelled, JobCx};
use crate::search::{INDEX_FORMAT, IndexMark, TextIndex, TextIndexError};
use crate::store::Workspace;
use crate::work::models::CaptureId;
use std::time::{Duration, Instant};

/// Time between two looks while captures come, at least.
const EVERY: Duration = Duration::from_secs(30);
/// One follow-up waits so many times as long as the last one took.
const SHARE: u32 = 10;
/// The interval of checks whether captures still come.
const POLL: Duration = Duration::from_millis(100);

/// The pace at which the index is followed up while captures come.
#[derive(Debug, Clone, Copy)]
pub struct FollowPace {
    since: Instant,
    pause: Duration,
}

impl Default for FollowPace {
    fn default() -> Self {
        Self { since: Instant::now(), pause: EVERY }
    }
}

impl FollowPace {
    /// The pace from now on, after a follow-up that took so long.
    pub fn after(took: Duration) -> Self {
        Self { pause: EVERY.max(took.saturating_mul(SHARE)), ..Self::default() }
    }

    /// The time that is left to wait.
    pub fn wait(&self) -> Duration {
        self.pause.saturating_sub(self.since.elapsed())
    }
}

/// Whether the text index lacks captures, or what was found of those that it
/// has: where there is none, or one that has to be made again, all.
///
/// # Errors
///
/// A catalogue, links or an index that cannot be read.
pub fn is_index_behind(workspace: &Workspace) -> anyhow::Result<bool> {
    let mark = match open_index(workspace.catalogue(), &index_folder(workspace)) {
        Ok(index) => index.mark()?.filter(|mark| mark.format == INDEX_FORMAT).unwrap_or_default(),
        Err(error) if error.downcast_ref().is_some_and(TextIndexError::is_outdated) => IndexMark::default(),
        Err(error) => return Err(error),
    };
    let catalogue = workspace.catalogue();
    if catalogue.captures_behind(CaptureId::new(mark.through))? > 0 {
        return Ok(true);
    }
    Ok(mark.through > 0
        && (catalogue.captures_lost()? != mark.lost
            || catalogue.originals_changed()? != mark.originals
            || workspace.anchor_texts()?.stamp() != mark.links))
}

/// Whether a workspace has a text index.
pub fn has_index(workspace: &Workspace) -> bool {
    !matches!(TextIndex::open(&index_folder(workspace)), Err(TextIndexError::Absent(_)))
}

/// Indexes as [`index_texts`], by one thread.
///
/// # Errors
///
/// As [`index_texts`], and a thread that cannot be started.
pub fn index_politely(workspace: &Workspace, cx: &JobCx) -> anyhow::Result<TextIndexReport> {
    let thread = rayon::ThreadPoolBuilder::new().num_threads(1).thread_name(|_| "index".to_owned()).build()?;
    thread.install(|| index_texts(workspace, false, cx))
}

/// Calls `follow` now and then, as long as captures come.
///
/// # Errors
///
/// Those of `follow`, and `Cancelled`.
pub fn follow_while(
    cx: &JobCx,
    captures_come: impl Fn() -> bool,
    mut follow: impl FnMut() -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut pace = FollowPace::default();
    while captures_come() {
        if cx.is_cancelled() {
            return Err(Cancelled.into());
        }
        if pace.wait().is_zero() {
            let begun = Instant::now();
            follow()?;
            pace = FollowPace::after(begun.elapsed());
        }
        std::thread::sleep(POLL.min(pace.wait()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_follow_up_is_followed_by_a_longer_pause() {
        for (took, least, most) in [(0, 29, 30), (2, 29, 30), (60, 599, 600)] {
            let wait = FollowPace::after(Duration::from_secs(took)).wait().as_secs_f64();
            assert!(wait > f64::from(least) && wait <= f64::from(most), "{took}: {wait}");
        }
    }
}
