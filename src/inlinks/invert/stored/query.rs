//! Queries one page: its captures and the links to it.

use super::super::LinkError;
use super::super::row::{LinkRow, Row, read_when, when_of_link};
use super::folder::{LinkStore, MergedRows};
use super::{Hosts, host_of};
use crate::inlinks::Notation;
use crate::jobs::JobCx;
use crate::links::LinkKind;
use crate::uri::{CaptureDate, PageKey, parse_typed_url};
use foldhash::fast::RandomState;
use serde::Serialize;
use std::collections::{HashMap, VecDeque};

const SECONDS_PER_DAY: i64 = 86_400;

/// Window of links that count: at most so many days before or after an instant, to the second, both ends in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The instant, usually that of a capture.
    pub around: CaptureDate,
    /// Days on each side.
    pub days: u32,
}

impl Window {
    /// Whether an instant is in it.
    pub fn holds(self, date: CaptureDate) -> bool {
        let apart = date.seconds().abs_diff(self.around.seconds());
        apart <= u64::from(self.days) * SECONDS_PER_DAY.unsigned_abs()
    }

    /// `when` of the first and the last link that may be in it.
    pub(super) fn bounds(self) -> (u64, u64) {
        let (seconds, reach) = (self.around.seconds(), i64::from(self.days) * SECONDS_PER_DAY);
        let from = CaptureDate::from_seconds(seconds.saturating_sub(reach));
        let to = CaptureDate::from_seconds(seconds.saturating_add(reach));
        (when_of_link(from), when_of_link(CaptureDate::from_millis(to.millis().saturating_add(999))))
    }
}

/// A stored link to the queried page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoredInlink {
    /// When the linking page was captured.
    pub date: CaptureDate,
    /// Key of the linking page.
    pub source: String,
    /// Its URL, where it was kept.
    pub source_url: String,
    /// Number of the linking capture, given by the program that stored the link.
    pub source_id: u64,
    /// Anchor text. Hostile text.
    pub anchor: String,
    /// Of the same site.
    pub internal: bool,
    /// The link has `nofollow`.
    pub nofollow: bool,
    /// Kind of its element.
    pub kind: LinkKind,
}

/// Counts of the links to a page, in all or within a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
pub struct CitedCounts {
    /// Distinct hosts of the external links.
    pub hosts: u64,
    /// Links from other sites.
    pub external: u64,
    /// Links from the same site.
    pub internal: u64,
}

/// Captures of a page and links to it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct StoredInlinks {
    /// When it was captured.
    pub captures: Vec<CaptureDate>,
    /// Links in the order (date, source, anchor), at most the cap on each side.
    pub inlinks: Vec<StoredInlink>,
    /// Counts of all links queried, those over the cap too.
    pub counts: CitedCounts,
    /// Those over the cap.
    pub cut: u64,
}

impl LinkStore {
    /// The key that a text means here: a URL, or a key in either notation.
    /// `None` for a text that names no page.
    pub fn key_of(&self, text: &str) -> Option<String> {
        if self.rules().notation == Notation::Page {
            return PageKey::of_text(text).map(|key| key.as_str().to_owned());
        }
        let text = text.trim();
        let is_dataset = text.starts_with('(') || text.contains("://(");
        let is_cdx =
            !is_dataset && !text.contains("://") && text.split('/').next().is_some_and(|host| host.contains(')'));
        let url = match (self.rules().notation, is_dataset, is_cdx) {
            (Notation::Dataset, true, _) | (Notation::Cdx, _, true) => return Some(text.to_owned()),
            (_, true, _) => Notation::Dataset.likely_url(text)?,
            (_, _, true) => Notation::Cdx.likely_url(text)?,
            _ => parse_typed_url(text)?,
        };
        Some(self.rules().notation.key(&url))
    }

    /// Captures of a page, oldest first.
    ///
    /// # Errors
    ///
    /// Files that are not as they were written.
    pub fn captures(&self, target: &str) -> Result<Vec<CaptureDate>, LinkError> {
        let cx = JobCx::detached();
        let mut rows = self.rows_of(target, 0, &cx)?;
        let mut dates = Vec::new();
        while rows.advance()? {
            match read_when(rows.merge.row().when) {
                (date, false) => dates.push(date),
                (_, true) => break,
            }
        }
        Ok(dates)
    }

    /// Gives out the links to a page in the order (date, source, anchor), each
    /// once; all of them without a window. `take` returns whether to go on.
    ///
    /// # Errors
    ///
    /// As [`Self::captures`].
    pub fn each_inlink(
        &self,
        target: &str,
        window: Option<Window>,
        mut take: impl FnMut(&LinkRow<'_>) -> bool,
    ) -> Result<(), LinkError> {
        let (from, to) = window.map_or((when_of_link(CaptureDate::from_millis(i64::MIN)), u64::MAX), Window::bounds);
        let cx = JobCx::detached();
        let mut rows = self.rows_of(target, from, &cx)?;
        while rows.advance()? {
            let when = rows.merge.row().when;
            if when > to {
                break;
            }
            // The block may begin with rows of an earlier date.
            if when < from {
                continue;
            }
            if let Row::Link(link) = rows.row()?
                && !take(&link)
            {
                break;
            }
        }
        Ok(())
    }

    /// The captures of a page and the links to it, at most `cap` on each side;
    /// all are counted.
    ///
    /// # Errors
    ///
    /// As [`Self::captures`].
    pub fn inlinks(&self, target: &str, window: Option<Window>, cap: usize) -> Result<StoredInlinks, LinkError> {
        let mut answer = StoredInlinks { captures: self.captures(target)?, ..StoredInlinks::default() };
        let mut hosts = Hosts::default();
        let mut kept = [0, 0];
        self.each_inlink(target, window, |link| {
            if link.internal {
                answer.counts.internal += 1;
            } else {
                answer.counts.external += 1;
                hosts.add(link.source);
            }
            let side = &mut kept[usize::from(link.internal)];
            if *side >= cap {
                answer.cut += 1;
                return true;
            }
            *side += 1;
            answer.inlinks.push(StoredInlink {
                date: link.date,
                source: link.source.to_owned(),
                source_url: link.source_url.to_owned(),
                source_id: link.source_id,
                anchor: link.anchor.to_owned(),
                internal: link.internal,
                nofollow: link.nofollow,
                kind: link.kind,
            });
            true
        })?;
        answer.counts.hosts = hosts.count();
        Ok(answer)
    }

    /// Counts the links to each capture of a page within so many days of it. One pass, and memory for the
    /// hosts in one window, however many captures there are.
    ///
    /// # Errors
    ///
    /// As [`Self::captures`].
    pub fn counts_of_captures(
        &self,
        target: &str,
        days: u32,
        mut each: impl FnMut(CaptureDate, CitedCounts),
    ) -> Result<(), LinkError> {
        let captures = self.captures(target)?;
        let Some(&first) = captures.first() else { return Ok(()) };
        let cx = JobCx::detached();
        let (begin, _) = Window { around: first, days }.bounds();
        let mut links = self.rows_of(target, begin, &cx)?;
        let mut more = links.advance()?;
        // Links that are in the window: when, and the number of their host; none of internal ones.
        let mut inside = VecDeque::<(u64, Option<usize>)>::new();
        let mut numbers = HashMap::<Box<str>, usize, RandomState>::default();
        let mut links_of = Vec::<u64>::new();
        let mut counts = CitedCounts::default();
        for capture in captures {
            let (from, to) = Window { around: capture, days }.bounds();
            while more {
                let when = links.merge.row().when;
                if when > to {
                    break;
                }
                if let Row::Link(link) = links.row()?
                    && when >= from
                {
                    let host = (!link.internal).then(|| {
                        let host = host_of(link.source);
                        let known = numbers.get(host).copied();
                        known.unwrap_or_else(|| {
                            links_of.push(0);
                            numbers.insert(host.into(), links_of.len() - 1);
                            links_of.len() - 1
                        })
                    });
                    count(&mut counts, &mut links_of, host, true);
                    inside.push_back((when, host));
                }
                more = links.advance()?;
            }
            while let Some(&(when, host)) = inside.front()
                && when < from
            {
                count(&mut counts, &mut links_of, host, false);
                inside.pop_front();
            }
            each(capture, counts);
        }
        Ok(())
    }

    fn rows_of<'s>(&'s self, target: &str, when: u64, cx: &'s JobCx) -> Result<MergedRows<'s>, LinkError> {
        // No text holds a NUL, so nothing is between a key and this.
        let until = [target.as_bytes(), b"\0"].concat();
        self.rows(target.as_bytes(), when, Some(until), cx)
    }
}

/// A link comes into a window, or leaves it.
fn count(counts: &mut CitedCounts, links_of: &mut [u64], host: Option<usize>, comes: bool) {
    let step = |number: &mut u64| *number = if comes { *number + 1 } else { number.saturating_sub(1) };
    let Some(host) = host else { return step(&mut counts.internal) };
    step(&mut counts.external);
    if let Some(links) = links_of.get_mut(host) {
        step(links);
        if *links == u64::from(comes) {
            step(&mut counts.hosts);
        }
    }
}
