//! Queries all pages by reading every link.
//!
//! Memory holds the hosts that link to one page, and the best so far.

use super::super::LinkError;
use super::super::row::{LinkRow, Row};
use super::super::shuffle::{Shuffle, ShuffleOptions};
use super::folder::LinkStore;
use super::query::{CitedCounts, Window};
use super::{Hosts, host_name, host_of, tallied_anchor};
use crate::jobs::JobCx;
use crate::uri::CaptureDate;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A page with what links to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cited {
    /// Key of the page.
    pub target: String,
    /// How often it was captured.
    pub captures: u64,
    /// Of all times.
    #[serde(flatten)]
    pub counts: CitedCounts,
    /// Dates of the first and the last link.
    pub dates: Option<(CaptureDate, CaptureDate)>,
}

/// Filter of pages, and of the links to them that count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CitedBy {
    /// All pages, all links.
    #[default]
    All,
    /// Pages of one host.
    OfHost(String),
    /// Pages that other sites link to with this anchor, and those links.
    Anchor(String),
}

/// A capture with what links to it within the window.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CitedCapture {
    /// Within the window; the most cited first.
    #[serde(flatten, serialize_with = "unreversed")]
    order: Reverse<CitedCounts>,
    /// Key of the page.
    pub target: String,
    /// When it was captured.
    pub date: CaptureDate,
}

impl CitedCapture {
    /// Within the window.
    pub fn counts(&self) -> CitedCounts {
        self.order.0
    }
}

fn unreversed<S: serde::Serializer>(order: &Reverse<CitedCounts>, serializer: S) -> Result<S::Ok, S::Error> {
    order.0.serialize(serializer)
}

/// Anchor of links from other sites, with counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnchorCount {
    /// The text. Hostile text.
    pub text: String,
    /// Distinct linking hosts.
    pub hosts: u64,
    /// Links.
    pub links: u64,
    /// First date.
    pub first: CaptureDate,
    /// Last date.
    pub last: CaptureDate,
}

/// Keeps the least of many.
struct Least<T> {
    kept: BTreeSet<T>,
    most: usize,
}

impl<T: Ord> Least<T> {
    fn new(most: u64) -> Self {
        Self { kept: BTreeSet::new(), most: usize::try_from(most).unwrap_or(usize::MAX) }
    }

    fn may_enter(&self, item: impl FnOnce(&T) -> bool) -> bool {
        self.most > 0 && (self.kept.len() < self.most || self.kept.last().is_some_and(item))
    }

    fn take(&mut self, item: T) {
        self.kept.insert(item);
        if self.kept.len() > self.most {
            self.kept.pop_last();
        }
    }
}

impl LinkStore {
    /// Gives out every page whose key begins with `prefix`, in the order of
    /// the keys; `take` returns whether to go on. Counts rows as done with the job.
    ///
    /// # Errors
    ///
    /// Files that are not as they were written, an error of `take`, or `Cancelled`.
    pub fn each_target(
        &self,
        prefix: &str,
        cx: &JobCx,
        take: impl FnMut(&Cited) -> Result<bool, LinkError>,
    ) -> Result<(), LinkError> {
        self.each_target_by(prefix, cx, |_| true, take)
    }

    /// As [`Self::each_target`], where only some links count.
    fn each_target_by(
        &self,
        prefix: &str,
        cx: &JobCx,
        counts: impl Fn(&LinkRow<'_>) -> bool,
        mut take: impl FnMut(&Cited) -> Result<bool, LinkError>,
    ) -> Result<(), LinkError> {
        let mut rows = self.rows(prefix.as_bytes(), 0, after_prefix(prefix), cx)?;
        let mut hosts = Hosts::default();
        let mut page: Option<Cited> = None;
        while rows.advance()? {
            let row = rows.row()?;
            if rows.merge.is_new_target() {
                if let Some(mut page) = page.take() {
                    page.counts.hosts = std::mem::take(&mut hosts).count();
                    if !take(&page)? {
                        return Ok(());
                    }
                }
                let target = row.target().to_owned();
                page = Some(Cited { target, captures: 0, counts: CitedCounts::default(), dates: None });
            }
            let Some(page) = &mut page else { continue };
            match row {
                Row::Capture(_) => page.captures += 1,
                Row::Link(link) if !counts(&link) => {}
                Row::Link(link) => {
                    page.dates = Some((page.dates.map_or(link.date, |(first, _)| first), link.date));
                    if link.internal {
                        page.counts.internal += 1;
                    } else {
                        page.counts.external += 1;
                        hosts.add(link.source);
                    }
                }
            }
        }
        if let Some(mut page) = page {
            page.counts.hosts = hosts.count();
            take(&page)?;
        }
        Ok(())
    }

    /// The captures that most other hosts link to within so many days; those
    /// that nobody links to are left out.
    ///
    /// # Errors
    ///
    /// As [`Self::each_target`].
    pub fn most_cited(&self, days: u32, limit: u64, cx: &JobCx) -> Result<Vec<CitedCapture>, LinkError> {
        let mut best = Least::<CitedCapture>::new(limit);
        self.each_target("", cx, |page| {
            // No window holds more than all times do: most pages need no second look.
            let may_enter = best.may_enter(|last| Reverse(page.counts) <= last.order);
            if page.captures > 0 && page.dates.is_some() && may_enter {
                self.counts_of_captures(&page.target, days, |date, counts| {
                    if counts.external + counts.internal > 0 {
                        best.take(CitedCapture { order: Reverse(counts), target: page.target.clone(), date });
                    }
                })?;
            }
            Ok(true)
        })?;
        Ok(best.kept.into_iter().collect())
    }

    /// Prefix of pages that a person types: of keys in either notation, or a URL.
    pub fn under(&self, text: &str) -> Under {
        let text = text.trim();
        if text.contains("://") || text.contains(')') {
            let key = self.key_of(text).unwrap_or_else(|| text.to_owned());
            return Under { begin: key, is_site: false };
        }
        let host = text.strip_prefix('(').unwrap_or(text);
        if self.rules().notation == crate::inlinks::Notation::Dataset && !host.is_empty() {
            return Under { begin: format!("({host}"), is_site: false };
        }
        let (begin, is_site) = host.strip_suffix(',').map_or((host, false), |site| (site, true));
        Under { begin: begin.to_owned(), is_site }
    }

    /// Pages that are linked to and were never captured, the most cited first;
    /// `prefix` as [`Self::under`] reads it.
    ///
    /// # Errors
    ///
    /// As [`Self::each_target`].
    pub fn uncaptured(&self, prefix: &str, limit: u64, cx: &JobCx) -> Result<(Vec<Cited>, u64), LinkError> {
        let mut best = Least::<(Reverse<CitedCounts>, String, Dates)>::new(limit);
        let mut pages = 0;
        let under = self.under(prefix);
        self.each_target(&under.begin, cx, |page| {
            if page.captures == 0 && under.holds(&page.target) {
                pages += 1;
                if best.may_enter(|last| Reverse(page.counts) <= last.0) {
                    best.take((Reverse(page.counts), page.target.clone(), page.dates));
                }
            }
            Ok(true)
        })?;
        let cited = |(Reverse(counts), target, dates)| Cited { target, captures: 0, counts, dates };
        Ok((best.kept.into_iter().map(cited).collect(), pages))
    }

    /// Pages that are linked to, the most cited first; and how many there are.
    ///
    /// # Errors
    ///
    /// As [`Self::each_target`].
    pub fn cited_pages(&self, by: &CitedBy, limit: u64, cx: &JobCx) -> Result<(Vec<Cited>, u64), LinkError> {
        let mut best = Least::<(Reverse<CitedCounts>, String, u64, Dates)>::new(limit);
        let mut pages = 0;
        let host = match by {
            CitedBy::OfHost(host) => Some(host.as_str()),
            CitedBy::All | CitedBy::Anchor(_) => None,
        };
        let counts = |link: &LinkRow<'_>| match by {
            CitedBy::Anchor(anchor) => !link.internal && link.anchor == anchor,
            CitedBy::All | CitedBy::OfHost(_) => true,
        };
        let begin = host.and_then(|host| self.begin_of(host)).unwrap_or_default();
        self.each_target_by(&begin, cx, counts, |page| {
            let is_of_host = || host.is_none_or(|host| host_name(host_of(&page.target)).as_str() == host);
            if page.dates.is_some() && is_of_host() {
                pages += 1;
                if best.may_enter(|last| Reverse(page.counts) <= last.0) {
                    best.take((Reverse(page.counts), page.target.clone(), page.captures, page.dates));
                }
            }
            Ok(true)
        })?;
        let cited = |(Reverse(counts), target, captures, dates)| Cited { target, captures, counts, dates };
        Ok((best.kept.into_iter().map(cited).collect(), pages))
    }

    /// Prefix of the keys of a host's pages, whatever their ports.
    fn begin_of(&self, host: &str) -> Option<String> {
        let key = self.key_of(&format!("http://{host}/"))?;
        let in_key = host_of(&key);
        key.find(in_key).and_then(|at| key.get(..at + in_key.len())).map(str::to_owned)
    }

    /// The anchors that other sites use most, whatever they link to. They are
    /// sorted outside the memory where they do not fit.
    ///
    /// # Errors
    ///
    /// As [`Self::each_target`]; no room for sorting.
    pub fn top_anchors(&self, limit: u64, options: &ShuffleOptions, cx: &JobCx) -> Result<Vec<AnchorCount>, LinkError> {
        let mut shuffle = Shuffle::new(options, &cx.uncounted())?;
        let mut rows = self.rows(b"", 0, None, cx)?;
        while rows.advance()? {
            if let Row::Link(link) = rows.row()?
                && !link.internal
                && !link.anchor.is_empty()
            {
                // By its anchor instead of its target; so it stays one of its kind.
                shuffle.push_link(&LinkRow {
                    target: link.anchor,
                    anchor: link.target,
                    target_url: "",
                    source_url: "",
                    source_id: 0,
                    position: 0,
                    ..link
                })?;
            }
        }
        let mut best = Least::<(Reverse<(u64, u64)>, String, CaptureDate, CaptureDate)>::new(limit);
        let mut hosts = Hosts::default();
        let mut anchor: Option<AnchorCount> = None;
        let mut end = |anchor: Option<AnchorCount>, hosts: Hosts| {
            if let Some(AnchorCount { text, links, first, last, .. }) = anchor {
                best.take((Reverse((hosts.count(), links)), text, first, last));
            }
        };
        shuffle.finish()?.for_each(|row| -> Result<(), LinkError> {
            let Row::Link(link) = row else { return Ok(()) };
            if anchor.as_ref().is_none_or(|anchor| anchor.text != link.target) {
                end(anchor.take(), std::mem::take(&mut hosts));
            }
            let text = || link.target.to_owned();
            let count = anchor.get_or_insert_with(|| AnchorCount {
                text: text(),
                hosts: 0,
                links: 0,
                first: link.date,
                last: link.date,
            });
            count.links += 1;
            count.last = link.date;
            hosts.add(link.source);
            Ok(())
        })?;
        end(anchor, hosts);
        let count = |(Reverse((hosts, links)), text, first, last)| AnchorCount { text, hosts, links, first, last };
        Ok(best.kept.into_iter().map(count).collect())
    }

    /// Most frequent anchor of a page, those of other sites before its own.
    ///
    /// # Errors
    ///
    /// As [`Self::captures`](LinkStore::captures).
    pub fn top_anchor(&self, target: &str, window: Option<Window>) -> Result<String, LinkError> {
        let mut hosts_of = BTreeMap::<Box<str>, (Hosts, u64)>::new();
        self.each_inlink(target, window, |link| {
            if !link.anchor.is_empty() {
                let (hosts, links) = hosts_of.entry(tallied_anchor(link.anchor).into()).or_default();
                *links += 1;
                if !link.internal {
                    hosts.add(link.source);
                }
            }
            true
        })?;
        // Of equal ones the first by its bytes.
        let best = hosts_of.iter().rev().max_by_key(|(_, (hosts, links))| (hosts.count(), *links));
        Ok(best.map(|(text, _)| text.to_string()).unwrap_or_default())
    }
}

/// Keys that begin alike; see [`LinkStore::under`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Under {
    /// How they begin.
    pub begin: String,
    /// The beginning is a whole site, and all its hosts are meant: a host name
    /// that goes on after it is another one.
    is_site: bool,
}

impl Under {
    /// Whether a key that begins so is meant.
    pub fn holds(&self, key: &str) -> bool {
        !self.is_site || key.get(self.begin.len()..).is_some_and(|rest| rest.starts_with([')', ':', ',']))
    }
}

type Dates = Option<(CaptureDate, CaptureDate)>;

/// The first text behind all that begin with `prefix`; `None` where there is none.
fn after_prefix(prefix: &str) -> Option<Vec<u8>> {
    let mut bytes = prefix.as_bytes().to_vec();
    // No byte of UTF-8 is 0xff, so the last one can always grow.
    *bytes.last_mut()? += 1;
    Some(bytes)
}
