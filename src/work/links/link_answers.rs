//! Queries on links are answered here, whether the links are stored in a folder or built of the
//! captures of a workspace.

use super::anchor_check::{PageAnchors, anchors_of_page, anchors_of_stored, judge_prospects};
use super::hosts::LinkSource;
use super::link_sets::{inlinks_of_store, stored_key};
use crate::inlinks::MATCH_WINDOW_DAYS;
use crate::inlinks::invert::ShuffleOptions;
use crate::inlinks::stored::{AnchorCount, Cited, CitedCounts, LinkStore, Window};
use crate::jobs::JobCx;
use crate::store::PROSPECTS_KEPT;
use crate::store::rows::{AnchorRow, CampaignId, CaptureRow, InlinkPage, ProspectPage, ProspectQuery, ProspectRow};
use crate::uri::{CaptureDate, PageKey};
use crate::work::most_cited;
use anyhow::Context;
use serde::Serialize;

/// A capture that others link to.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum CitedCaptureRow {
    /// One of a workspace.
    Captured(Box<CaptureRow>),
    /// One that stored links know of; named as in the table of captures.
    Stored {
        /// Its key.
        url: String,
        /// When it was captured.
        date: CaptureDate,
        /// Hosts that link to it in the window.
        inlink_hosts: u64,
        /// Links of other sites.
        inlinks_external: u64,
        /// Links of its own.
        inlinks_internal: u64,
        /// The commonest anchor.
        top_anchor: String,
    },
}

impl CitedCaptureRow {
    /// Counts, date, page and anchor, for a line.
    pub fn line(&self) -> (CitedCounts, CaptureDate, &str, &str) {
        let counts = |hosts, external, internal| CitedCounts { hosts, external, internal };
        match self {
            Self::Captured(row) => {
                let [hosts, external, internal] =
                    [row.inlink_hosts, row.inlinks_external, row.inlinks_internal].map(Option::unwrap_or_default);
                (counts(hosts, external, internal), row.date, &row.url, &row.top_anchor)
            }
            Self::Stored { url, date, inlink_hosts, inlinks_external, inlinks_internal, top_anchor } => {
                (counts(*inlink_hosts, *inlinks_external, *inlinks_internal), *date, url, top_anchor)
            }
        }
    }
}

/// Of a workspace, inlinks have to be built; without a build, lists are empty.
impl LinkSource<'_> {
    /// The inlinks of a page, of all times or around a date.
    ///
    /// # Errors
    ///
    /// A text that names no page, and links or a catalogue that cannot be read.
    pub fn inlinks_of(&self, page: &str, window: Option<Window>) -> anyhow::Result<InlinkPage> {
        let session = match self {
            Self::Store(store) => return inlinks_of_store(store, page, window),
            Self::Workspace(session) => session,
        };
        let Some(Window { around, days }) = window else {
            return session.inlinks_of(page, session.catalogue().window_days()?);
        };
        let key = PageKey::of_text(page)
            .with_context(|| format!("“{page}” is neither a URL nor a key such as pt,example)/path"))?;
        let mut answer = session.workspace.inlinks_around(&key, page, around, days)?;
        answer.rows.retain(|row| row.in_window);
        Ok(answer)
    }

    /// The captures that most other hosts link to, in a window of so many days;
    /// without them in that of the columns of a workspace.
    ///
    /// # Errors
    ///
    /// Links or a catalogue that cannot be read, or `Cancelled`.
    pub fn most_cited(&self, days: Option<u32>, limit: u64, cx: &JobCx) -> anyhow::Result<Vec<CitedCaptureRow>> {
        let store = match (self, days) {
            (Self::Store(store), _) => store,
            (Self::Workspace(session), days) => {
                let counted = session.catalogue().window_days()?;
                let rows = match days.filter(|days| *days != counted) {
                    Some(days) => session.workspace.most_cited(days, limit, cx)?,
                    None => session.catalogue().captures(&most_cited(limit))?.rows,
                };
                return Ok(rows.into_iter().map(|row| CitedCaptureRow::Captured(Box::new(row))).collect());
            }
        };
        let days = days.unwrap_or(MATCH_WINDOW_DAYS);
        reading_all(store, cx);
        let rows = store.most_cited(days, limit, cx)?.into_iter().map(|row| {
            let top_anchor = store.top_anchor(&row.target, Some(Window { around: row.date, days }))?;
            let CitedCounts { hosts, external, internal } = row.counts();
            Ok(CitedCaptureRow::Stored {
                url: row.target,
                date: row.date,
                inlink_hosts: hosts,
                inlinks_external: external,
                inlinks_internal: internal,
                top_anchor,
            })
        });
        rows.collect()
    }

    /// Pages that are cited but were never captured; of a workspace with the present decisions of a
    /// campaign's rules on them.
    ///
    /// # Errors
    ///
    /// As [`Self::most_cited`].
    pub fn uncaptured(
        &self,
        prefix: &str,
        campaign: Option<CampaignId>,
        limit: u64,
        cx: &JobCx,
    ) -> anyhow::Result<ProspectPage> {
        let store = match self {
            Self::Store(store) => store,
            Self::Workspace(session) if prefix.is_empty() && limit <= PROSPECTS_KEPT as u64 => {
                return session.prospects(&ProspectQuery::new(campaign, "", 0, limit));
            }
            Self::Workspace(session) => {
                let mut page = session.workspace.prospects_under(prefix, campaign, limit, cx)?;
                judge_prospects(session, campaign, &mut page.rows, |row| row.url.clone())?;
                return Ok(page);
            }
        };
        reading_all(store, cx);
        let row = |cited: Cited| -> anyhow::Result<ProspectRow> {
            let (first, last) = cited.dates.unwrap_or_default();
            Ok(ProspectRow {
                anchor: store.top_anchor(&cited.target, None)?,
                url: cited.target,
                hosts: cited.counts.hosts,
                links: cited.counts.external + cited.counts.internal,
                first,
                last,
                verdict: String::new(),
                last_crawl: String::new(),
            })
        };
        let (pages, total) = store.uncaptured(prefix, limit, cx)?;
        let rows = pages.into_iter().map(row).collect::<anyhow::Result<_>>()?;
        Ok(ProspectPage { rows, total, ..ProspectPage::default() })
    }

    /// The anchors that other sites use most.
    ///
    /// # Errors
    ///
    /// As [`Self::most_cited`].
    pub fn top_anchors(&self, limit: u64, cx: &JobCx) -> anyhow::Result<Vec<AnchorRow>> {
        let store = match self {
            Self::Store(store) => store,
            Self::Workspace(session) => return session.top_anchors(limit),
        };
        reading_all(store, cx);
        let row = |count: AnchorCount| AnchorRow {
            text: count.text,
            hosts: count.hosts,
            links: count.links,
            first: count.first,
            last: count.last,
            matches_request: false,
        };
        Ok(store.top_anchors(limit, &ShuffleOptions::default(), cx)?.into_iter().map(row).collect())
    }

    /// The anchors of a page within a window; without one, of a captured page of a workspace around its
    /// newest capture, of another one at all times.
    ///
    /// # Errors
    ///
    /// As [`Self::inlinks_of`].
    pub fn anchors_of(&self, page: &str, window: Option<Window>) -> anyhow::Result<PageAnchors> {
        match self {
            Self::Store(store) => Ok(anchors_of_stored(store, &stored_key(store, page)?, window)?),
            Self::Workspace(session) => anchors_of_page(session, page, window),
        }
    }
}

/// Sets the job up for reading all links.
fn reading_all(store: &LinkStore, cx: &JobCx) {
    let counts = store.counts();
    cx.stage("Reading links", Some(counts.links + counts.captures));
}
