//! Inlinks point a person to pages to check: pages that are no longer what others call them, and
//! pages never captured that the rules would take.

use crate::analysis::{AnchorCheck, AnchorLink, AnchorTallies, AnchorWords};
use crate::inlinks::LinkError;
use crate::inlinks::stored::{LinkStore, Window, host_of};
use crate::jobs::JobCx;
use crate::store::StoreError;
use crate::uri::{CaptureDate, PageKey};
use crate::work::Session;
use crate::work::find::stored_pages::{PageTexts, facts_of};
use crate::work::models::{AnchorRow, CampaignId, CaptureId, CapturePage, ProspectRow};
use crate::work::{mark_matching, most_cited};
use anyhow::Context;
use serde::Serialize;

/// A capture with what its external anchors and its words have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckedCapture {
    /// Number of the capture.
    pub capture: CaptureId,
    /// The URL of the capture.
    pub url: String,
    /// When.
    pub date: CaptureDate,
    /// Distinct hosts of the external links in the window.
    pub hosts: u64,
    /// Whether a person should check it.
    pub finding: bool,
    /// The result, as text.
    pub check: String,
}

/// Holds the external anchors of a capture, those in its window, against its
/// title and text. `None` for what is no page, and where nobody links.
///
/// # Errors
///
/// A catalogue or an archive file that cannot be read.
pub(in crate::work) fn anchor_check(
    session: &Session,
    texts: &PageTexts<'_>,
    id: CaptureId,
    window_days: u32,
) -> anyhow::Result<Option<AnchorCheck>> {
    match external_terms(session, id, window_days)? {
        Some(words) => compare_with_page(texts, id, words),
        None => Ok(None),
    }
}

/// The words of the external anchors of a capture; `None` where nobody links.
fn external_terms(session: &Session, id: CaptureId, window_days: u32) -> Result<Option<AnchorWords>, StoreError> {
    let mut words = None::<AnchorWords>;
    session.workspace.each_inlink_of_capture(id, window_days, |link| {
        if !link.internal {
            words.get_or_insert_default().take(link.anchor);
        }
    })?;
    Ok(words)
}

fn compare_with_page(
    texts: &PageTexts<'_>,
    capture: CaptureId,
    words: AnchorWords,
) -> anyhow::Result<Option<AnchorCheck>> {
    let page = texts.read(capture)?;
    Ok(facts_of(&page).is_page.then(|| words.check(&page.title, &page.text())))
}

/// Checks the captures that most other hosts link to. Gives each to `take`; those that cannot be
/// read count as findings with the reason. Returns how many further captures have inlinks.
///
/// # Errors
///
/// A catalogue that cannot be read, an error of `take`, or `Cancelled`.
pub fn check_captures(
    session: &Session,
    limit: u64,
    cx: &JobCx,
    mut take: impl FnMut(CheckedCapture) -> anyhow::Result<()>,
) -> anyhow::Result<u64> {
    let window_days = session.catalogue().window_days()?;
    let CapturePage { rows, total, .. } = session.catalogue().captures(&most_cited(limit))?;
    let left = total.saturating_sub(rows.len() as u64);
    let texts = PageTexts::open(&session.workspace)?;
    cx.stage("Holding anchors against pages", Some(rows.len() as u64));
    for row in rows {
        cx.advance(1)?;
        let hosts = row.inlink_hosts.unwrap_or(0);
        // Without links or a catalogue no page can be checked.
        let Some(words) = external_terms(session, row.id, window_days)? else { continue };
        let (finding, check) = match compare_with_page(&texts, row.id, words) {
            Ok(None) => continue,
            Ok(Some(check)) => (check.is_finding(), check.summary()),
            Err(error) => (true, format!("the page cannot be read: {}", crate::work::error_chain(&error))),
        };
        take(CheckedCapture { capture: row.id, url: row.url, date: row.date, hosts, finding, check })?;
    }
    Ok(left)
}

/// Replaces the verdicts of the last crawl by those of a campaign's present rules; with none named,
/// of the only campaign there is. `url_of` knows the URL of a row.
///
/// # Errors
///
/// A campaign or catalogue that cannot be read.
pub fn judge_prospects(
    session: &Session,
    campaign: Option<CampaignId>,
    rows: &mut [ProspectRow],
    url_of: impl Fn(&ProspectRow) -> String,
) -> anyhow::Result<()> {
    let catalogue = session.catalogue();
    let only = || catalogue.only_campaign();
    let Some(campaign) = campaign.map_or_else(only, |named| Ok(Some(named)))? else { return Ok(()) };
    let (_, spec) = catalogue.campaign(campaign)?;
    let urls: Vec<String> = rows.iter().map(url_of).collect();
    for (row, verdict) in rows.iter_mut().zip(crate::work::scope_verdicts(session, Some(campaign), &spec, &urls)?) {
        row.verdict = match verdict {
            Ok(verdict) => format!("{} {}", verdict.decision.as_str(), verdict.rule_name),
            Err(why) => why,
        };
    }
    Ok(())
}

/// The anchors of a page, and counts of its inlinks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageAnchors {
    /// The anchors, those of most hosts first.
    pub rows: Vec<AnchorRow>,
    /// When; none for links of all times.
    pub window: Option<Window>,
    /// Inlinks then, those without words too.
    pub inlinks: u64,
    /// Inlinks of other times.
    pub outside: u64,
}

/// Anchors of a page within a window; without one, of a captured page around
/// its newest capture, of another one of all times.
///
/// # Errors
///
/// A text that names no page, inlinks that are not built, and links or a
/// catalogue that cannot be read.
pub(in crate::work) fn anchors_of_page(
    session: &Session,
    page: &str,
    window: Option<Window>,
) -> anyhow::Result<PageAnchors> {
    let key = PageKey::of_text(page).with_context(|| format!("“{page}” is neither a URL nor a key"))?;
    let store = session.workspace.built_links()?.context("inlinks are not built yet")?;
    let catalogue = session.catalogue();
    let newest = if window.is_none() { catalogue.last_capture(&key)? } else { None };
    let window = match newest {
        Some(newest) => Some(Window { around: catalogue.capture_row(newest)?.date, days: catalogue.window_days()? }),
        None => window,
    };
    let found = anchors_of_stored(&store, key.as_str(), window)?;
    Ok(PageAnchors { rows: mark_matching(catalogue, None, found.rows)?, ..found })
}

/// Anchors of a page by its key, links within its site too.
///
/// # Errors
///
/// Links that cannot be read.
pub(in crate::work) fn anchors_of_stored(
    store: &LinkStore,
    key: &str,
    window: Option<Window>,
) -> Result<PageAnchors, LinkError> {
    let mut tallies = AnchorTallies::default();
    let (mut inlinks, mut outside) = (0, 0);
    store.each_inlink(key, None, |link| {
        if window.is_some_and(|window| !window.holds(link.date)) {
            outside += 1;
            return true;
        }
        inlinks += 1;
        if !link.anchor.is_empty() {
            tallies.take(AnchorLink { anchor: link.anchor, source_host: host_of(link.source), date: link.date });
        }
        true
    })?;
    Ok(PageAnchors { rows: anchor_rows(tallies), window, inlinks, outside })
}

/// Tallied anchors as rows.
fn anchor_rows(tallies: AnchorTallies) -> Vec<AnchorRow> {
    let row = |tally: crate::analysis::AnchorTally| AnchorRow {
        text: tally.spelling,
        hosts: tally.hosts,
        links: tally.links,
        first: tally.first,
        last: tally.last,
        matches_request: tally.matches_request,
    };
    tallies.finish(|_| false).into_iter().map(row).collect()
}
