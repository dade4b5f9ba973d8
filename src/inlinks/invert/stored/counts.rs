//! Counts the links around each of many captures in one pass over all links.
//!
//! Two cursors go over the links of a page: one where a window begins, one
//! where it ends. Memory holds the captures of one page, and the hosts and
//! anchors of the links to it.

use super::super::LinkError;
use super::super::row::{LinkRow, Row};
use super::super::shuffle::{Shuffle, ShuffleOptions};
use super::super::sorted::ROWS_PER_CHECK;
use super::super::sorted::{PartRows, Sorted};
use super::folder::{LinkStore, MergedRows};
use super::query::{CitedCounts, Window};
use super::scan::Cited;
use super::{host_of, tallied_anchor};
use crate::jobs::JobCx;
use crate::links::LinkKind;
use crate::uri::CaptureDate;
use foldhash::fast::RandomState;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Captures to count the inlinks of, in any order.
pub struct Counting(Shuffle);

impl Counting {
    /// Without pages yet; they are sorted by `options`. `cx` cancels it, and counts nothing: links are what a
    /// count goes through.
    ///
    /// # Errors
    ///
    /// As [`Shuffle::new`].
    pub fn new(options: &ShuffleOptions, cx: &JobCx) -> Result<Self, LinkError> {
        Ok(Self(Shuffle::new(options, &cx.uncounted())?))
    }

    /// Takes a capture: its page, when it was made, and a number of the caller's.
    ///
    /// # Errors
    ///
    /// No room for sorting.
    pub fn push(&mut self, target: &str, date: CaptureDate, id: u64) -> Result<(), LinkError> {
        // As a link, since captures of one page and instant would be one.
        self.0.push_link(&LinkRow {
            target,
            target_url: "",
            source: &format!("{id:020}"),
            source_url: "",
            source_id: id,
            date,
            anchor: "",
            internal: false,
            nofollow: false,
            kind: LinkKind::Anchor,
            position: 0,
        })
    }
}

/// Result of one pass: captures of a page by date and number, pages by key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted<'c> {
    /// A capture with what links to it within the window.
    Capture {
        /// The number that it came with.
        id: u64,
        /// Within the window.
        counts: CitedCounts,
        /// Those over the cap of a side.
        cut: u64,
        /// What most hosts call the page within the window.
        top_anchor: &'c str,
    },
    /// A page that is linked to, with no capture among those that came.
    Uncaptured {
        /// The page, with what links to it at any time.
        page: &'c Cited,
        /// What most hosts call it.
        top_anchor: &'c str,
        /// The number of the capture that its first link came with.
        source_id: u64,
    },
}

/// Totals of one pass, each link counted once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CountTotals {
    /// Links of the same site.
    pub internal: u64,
    /// Links from other sites.
    pub external: u64,
    /// Pages that are linked to.
    pub targets: u64,
    /// Those with no capture.
    pub uncaptured: u64,
    /// Captures with inlinks within the window.
    pub captures_with_inlinks: u64,
    /// Links over the cap of a side, of each capture.
    pub cut: u64,
}

impl LinkStore {
    /// Counts the inlinks of captures within so many days, at most `cap` kept
    /// on a side, and those of pages without a capture. Counts rows as done
    /// with the job.
    ///
    /// # Errors
    ///
    /// Files that are not as they were written, no room for sorting, an error
    /// of `each`, or `Cancelled`.
    pub fn count_windows<E: From<LinkError>>(
        &self,
        captures: Counting,
        days: u32,
        cap: usize,
        cx: &JobCx,
        mut each: impl FnMut(Counted<'_>) -> Result<(), E>,
    ) -> Result<CountTotals, E> {
        let mut sorted: Sorted = captures.0.finish()?;
        let (mut totals, mut failed) = (CountTotals::default(), None);
        let uncounted = cx.uncounted();
        sorted.in_one(|captures| {
            let mut pass = Pass {
                entering: Cursor::new(self, cx)?,
                leaving: Cursor::new(self, &uncounted)?,
                days,
                cap: cap as u64,
                cx,
                given: 0,
                totals: CountTotals::default(),
            };
            pass.run(captures, &mut |counted| {
                failed = each(counted).err();
                failed.is_none()
            })?;
            totals = pass.totals;
            Ok(())
        })?;
        failed.map_or(Ok(totals), Err)
    }
}

/// A place among all links.
struct Cursor<'s> {
    rows: MergedRows<'s>,
    /// Whether it is at a row.
    more: bool,
}

impl<'s> Cursor<'s> {
    fn new(store: &'s LinkStore, cx: &'s JobCx) -> Result<Self, LinkError> {
        let mut rows = store.rows(b"", 0, None, cx)?;
        let more = rows.advance()?;
        Ok(Self { rows, more })
    }

    fn when(&self) -> u64 {
        self.rows.merge.when()
    }

    fn target(&self) -> Option<&[u8]> {
        self.more.then(|| self.rows.merge.target())
    }

    /// Goes on; returns whether that is a row of the same target.
    fn stays(&mut self) -> Result<bool, LinkError> {
        self.more = self.rows.advance()?;
        Ok(self.more && !self.rows.merge.is_new_target())
    }
}

/// A capture that is to be counted.
struct Capture {
    target: Vec<u8>,
    date: CaptureDate,
    id: u64,
}

fn next_capture(captures: &mut PartRows<'_, '_>) -> Result<Option<Capture>, LinkError> {
    let row = match captures.next()? {
        None => return Ok(None),
        Some(merge) => merge.row().decode().and_then(|row| match row {
            Row::Link(row) => Some(Capture { target: row.target.into(), date: row.date, id: row.source_id }),
            Row::Capture(_) => None,
        }),
    };
    row.map(Some).ok_or_else(|| captures.broken())
}

type Give<'g> = &'g mut dyn FnMut(Counted<'_>) -> bool;

struct Pass<'s> {
    entering: Cursor<'s>,
    leaving: Cursor<'s>,
    days: u32,
    cap: u64,
    cx: &'s JobCx,
    given: u64,
    totals: CountTotals,
}

impl Pass<'_> {
    fn run(&mut self, captures: &mut PartRows<'_, '_>, give: Give<'_>) -> Result<(), LinkError> {
        self.cx.checkpoint()?;
        let mut ahead = next_capture(captures)?;
        let (mut target, mut of_page) = (Vec::new(), Vec::new());
        loop {
            let first = match (&ahead, self.entering.target()) {
                (None, None) => return Ok(()),
                (Some(capture), None) => &capture.target,
                (None, Some(linked)) => linked,
                (Some(capture), Some(linked)) => linked.min(&capture.target),
            };
            target.clear();
            target.extend_from_slice(first);
            of_page.clear();
            while let Some(capture) = ahead.take_if(|capture| capture.target == target) {
                of_page.push((capture.date, capture.id));
                ahead = next_capture(captures)?;
            }
            let goes_on = match (self.entering.target() == Some(&target), of_page.is_empty()) {
                (true, true) => self.uncaptured(give)?,
                (true, false) => self.captured(&of_page, give)?,
                (false, _) => self.give_all(&of_page, give)?,
            };
            if !goes_on {
                return Ok(());
            }
        }
    }

    /// Captures of a page that nothing links to.
    fn give_all(&mut self, captures: &[(CaptureDate, u64)], give: Give<'_>) -> Result<bool, LinkError> {
        for (_, id) in captures {
            if !self.give(*id, &mut Inside::default(), give)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn give(&mut self, id: u64, inside: &mut Inside, give: Give<'_>) -> Result<bool, LinkError> {
        self.given += 1;
        if self.given.is_multiple_of(ROWS_PER_CHECK) {
            self.cx.checkpoint()?;
        }
        let counts = inside.counts;
        let cut = counts.internal.saturating_sub(self.cap) + counts.external.saturating_sub(self.cap);
        self.totals.captures_with_inlinks += u64::from(counts.internal + counts.external > 0);
        self.totals.cut += cut;
        Ok(give(Counted::Capture { id, counts, cut, top_anchor: inside.top_anchor() }))
    }

    /// Takes the present link into the totals, and returns when it was seen.
    fn total(&mut self, links: &mut u64) -> Result<(), LinkError> {
        if let Row::Link(link) = self.entering.rows.row()? {
            *links += 1;
            *(if link.internal { &mut self.totals.internal } else { &mut self.totals.external }) += 1;
        }
        Ok(())
    }

    /// A page without captures: every link counts.
    fn uncaptured(&mut self, give: Give<'_>) -> Result<bool, LinkError> {
        let mut inside = Inside::default();
        let target = String::from_utf8_lossy(self.entering.target().unwrap_or_default()).into_owned();
        let mut page = Cited { target, captures: 0, counts: CitedCounts::default(), dates: None };
        let (mut links, mut source_id) = (0, None);
        loop {
            self.total(&mut links)?;
            match self.entering.rows.row()? {
                Row::Capture(_) => page.captures += 1,
                Row::Link(link) => {
                    source_id.get_or_insert(link.source_id);
                    page.dates = Some((page.dates.map_or(link.date, |(first, _)| first), link.date));
                    inside.count_link(&link, true);
                }
            }
            if !self.entering.stays()? {
                break;
            }
        }
        while self.leaving.stays()? {}
        if links == 0 {
            return Ok(true);
        }
        self.totals.targets += 1;
        self.totals.uncaptured += 1;
        page.counts = inside.counts;
        let source_id = source_id.unwrap_or_default();
        Ok(give(Counted::Uncaptured { page: &page, top_anchor: inside.top_anchor(), source_id }))
    }

    /// A page with captures, by date.
    fn captured(&mut self, captures: &[(CaptureDate, u64)], give: Give<'_>) -> Result<bool, LinkError> {
        let mut inside = Inside::default();
        // Whether the cursors are at the page, and how many rows are between them.
        let (mut enters, mut leaves, mut between) = (true, true, 0_u64);
        let mut links = 0;
        for (date, id) in captures {
            let (from, to) = Window { around: *date, days: self.days }.bounds();
            while between > 0 && self.leaving.when() < from {
                if let Row::Link(link) = self.leaving.rows.row()? {
                    inside.count_link(&link, false);
                }
                leaves = self.leaving.stays()?;
                between -= 1;
            }
            while enters && self.entering.when() <= to {
                self.total(&mut links)?;
                // Captures, too: they come before the first link.
                if between == 0 && self.entering.when() < from {
                    leaves = self.leaving.stays()?;
                } else {
                    if let Row::Link(link) = self.entering.rows.row()? {
                        inside.count_link(&link, true);
                    }
                    between += 1;
                }
                enters = self.entering.stays()?;
            }
            if !self.give(*id, &mut inside, give)? {
                return Ok(false);
            }
        }
        while enters {
            self.total(&mut links)?;
            enters = self.entering.stays()?;
        }
        while leaves {
            leaves = self.leaving.stays()?;
        }
        self.totals.targets += u64::from(links > 0);
        Ok(true)
    }
}

/// An anchor of links in the window.
struct Anchor {
    number: u64,
    /// Distinct hosts of other sites that use it, and links with it.
    tally: (u64, u64),
}

/// The tally of an anchor and its text: the best is the last.
type Rank = ((u64, u64), Reverse<Arc<str>>);

/// The links of one page that are in the window, as they come and go.
#[derive(Default)]
struct Inside {
    counts: CitedCounts,
    /// Hosts of other sites: a number, and how many links come from there.
    hosts: HashMap<Box<str>, (u64, u64), RandomState>,
    anchors: HashMap<Arc<str>, Anchor, RandomState>,
    /// External links by (anchor, host).
    of_both: HashMap<(u64, u64), u64, RandomState>,
    /// Hosts and anchors that were given a number.
    numbered: u64,
    /// Anchors by their tallies, for pages whose best one is queried repeatedly.
    ranked: Option<BTreeSet<Rank>>,
    was_queried: bool,
}

impl Inside {
    /// A link comes into the window, or leaves it.
    fn count_link(&mut self, link: &LinkRow<'_>, comes: bool) {
        let step = |number: &mut u64| *number = if comes { *number + 1 } else { number.saturating_sub(1) };
        let mut host = None;
        if link.internal {
            step(&mut self.counts.internal);
        } else {
            step(&mut self.counts.external);
            let name = host_of(link.source);
            if !self.hosts.contains_key(name) {
                self.numbered += 1;
                self.hosts.insert(name.into(), (self.numbered, 0));
            }
            if let Some((number, links)) = self.hosts.get_mut(name) {
                step(links);
                host = Some(*number);
                if *links == u64::from(comes) {
                    step(&mut self.counts.hosts);
                }
                // What is in no window takes no memory.
                if *links == 0 {
                    self.hosts.remove(name);
                }
            }
        }
        if link.anchor.is_empty() {
            return;
        }
        let text = tallied_anchor(link.anchor);
        if !self.anchors.contains_key(&*text) {
            self.numbered += 1;
            self.anchors.insert(Arc::from(&*text), Anchor { number: self.numbered, tally: (0, 0) });
        }
        let Some(anchor) = self.anchors.get_mut(&*text) else { return };
        let was = anchor.tally;
        step(&mut anchor.tally.1);
        if let Some(host) = host {
            let links = self.of_both.entry((anchor.number, host)).or_default();
            step(links);
            let links = *links;
            if links == u64::from(comes) {
                step(&mut anchor.tally.0);
            }
            if links == 0 {
                self.of_both.remove(&(anchor.number, host));
            }
        }
        let is = anchor.tally;
        if let Some(ranked) = &mut self.ranked
            && let Some((text, _)) = self.anchors.get_key_value(&*text)
        {
            ranked.remove(&(was, Reverse(Arc::clone(text))));
            if is.1 > 0 {
                ranked.insert((is, Reverse(Arc::clone(text))));
            }
        }
        if is.1 == 0 {
            self.anchors.remove(&*text);
        }
    }

    /// The most frequent anchor, those of other sites first; of equal ones the first by its bytes.
    fn top_anchor(&mut self) -> &str {
        let ranks = || self.anchors.iter().map(|(text, anchor)| (anchor.tally, Reverse(text)));
        if !std::mem::replace(&mut self.was_queried, true) {
            return ranks().max().map_or("", |(_, Reverse(text))| text);
        }
        let set = || ranks().map(|(tally, Reverse(text))| (tally, Reverse(Arc::clone(text)))).collect();
        let ranked = self.ranked.get_or_insert_with(set);
        ranked.last().map_or("", |(_, Reverse(text))| text)
    }
}
