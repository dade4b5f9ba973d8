//! Collects the links in the window of each capture of a page.
//!
//! Windows lie over one another: a link that many captures list is held once,
//! and put together with others when the window of a capture has passed. Links
//! that no capture lists, since its side is full, are counted and not held.

use super::assign::{AssignOptions, Dedup};
use crate::uri::CaptureDate;
use std::collections::{HashMap, VecDeque};

/// A link as the rows have it.
#[derive(Clone, Copy)]
pub(super) struct Link<'a> {
    pub(super) date: CaptureDate,
    pub(super) source: &'a [u8],
    pub(super) anchor: &'a [u8],
    pub(super) internal: bool,
}

/// The captures of a page whose window was reached and has not passed yet.
#[derive(Default)]
pub(super) struct Windows {
    open: VecDeque<Open>,
    /// Links so far: of other sites, and of the same.
    seen: [u64; 2],
    kept: [KeptLinks; 2],
    /// Kept links of each linking page, where only one of each is listed.
    sources: HashMap<Box<[u8]>, VecDeque<Place>>,
}

/// Seconds since 1970, and how many links came before.
type Place = (i64, u64);

/// A capture that links still come to.
struct Open {
    /// The first second of its window.
    from: i64,
    /// Links before it was opened, by side.
    before: [u64; 2],
    /// Where only one link of each page is listed: those that are, and behind
    /// which of all links a side was full.
    listed: [usize; 2],
    full_behind: [u64; 2],
    cut: u64,
}

impl Windows {
    /// Begins another page.
    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.seen = [0, 0];
        self.kept.iter_mut().for_each(KeptLinks::clear);
        self.sources.clear();
    }

    /// Number of open captures.
    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    /// Opens a capture, the one after those that are open.
    pub(super) fn open(&mut self, capture: CaptureDate, options: &AssignOptions) {
        self.open.push_back(Open {
            from: options.window_begin(capture),
            before: self.seen,
            listed: [0, 0],
            full_behind: [u64::MAX; 2],
            cut: 0,
        });
    }

    /// Takes a link that is in the window of every open capture. Says of how
    /// many captures it is a further link of a page that they list.
    pub(super) fn push(&mut self, link: Link<'_>, options: &AssignOptions) -> u64 {
        let side = usize::from(link.internal);
        let number = self.seen.iter().sum();
        let place = (link.date.seconds(), number);
        let mut repeated = 0;
        let is_listed = match options.dedup {
            // The newest capture has the most room.
            Dedup::Exact => {
                self.open.back().is_some_and(|newest| self.seen[side] - newest.before[side] < options.cap as u64)
            }
            Dedup::SourceTarget => {
                let known = self.sources.get(link.source);
                let mut is_listed = false;
                for open in &mut self.open {
                    let first =
                        known.and_then(|places| places.get(places.partition_point(|(date, _)| *date < open.from)));
                    if first.is_some_and(|(_, number)| *number < open.full_behind[side]) {
                        repeated += 1;
                    } else if open.listed[side] < options.cap {
                        is_listed = true;
                        open.listed[side] += 1;
                        if open.listed[side] == options.cap {
                            open.full_behind[side] = number + 1;
                        }
                    } else {
                        open.cut += 1;
                    }
                }
                if is_listed {
                    match self.sources.get_mut(link.source) {
                        Some(places) => places.push_back(place),
                        None => drop(self.sources.insert(link.source.into(), [place].into())),
                    }
                }
                is_listed
            }
        };
        self.seen[side] += 1;
        if is_listed {
            self.kept[side].push(place, link);
        }
        repeated
    }

    /// Gives the links in the window of the first open capture to `take`, in
    /// order, as long as their side wants more, and says how many the cap cuts
    /// off. `None` where no capture is open.
    pub(super) fn pass(&mut self, options: &AssignOptions, mut take: impl FnMut(Link<'_>) -> bool) -> Option<u64> {
        let open = self.open.pop_front()?;
        let mut sides =
            [false, true].map(|internal| self.kept[usize::from(internal)].since(open.from, internal).peekable());
        let mut is_full = [false; 2];
        loop {
            let next = |side: usize, sides: &mut [std::iter::Peekable<_>; 2]| match is_full[side] {
                true => None,
                false => sides[side].peek().map(|(number, _): &(u64, Link<'_>)| *number),
            };
            let side = match (next(0, &mut sides), next(1, &mut sides)) {
                (None, None) => break,
                (Some(external), Some(internal)) => usize::from(internal < external),
                (external, _) => usize::from(external.is_none()),
            };
            if let Some((_, link)) = sides[side].next() {
                is_full[side] = !take(link);
            }
        }
        let over = |side: usize| (self.seen[side] - open.before[side]).saturating_sub(options.cap as u64);
        Some(match options.dedup {
            Dedup::Exact => over(0) + over(1),
            Dedup::SourceTarget => open.cut,
        })
    }

    /// Forgets links before the window of the earliest capture that is still
    /// to be given out.
    pub(super) fn forget_before(&mut self, capture: CaptureDate, options: &AssignOptions) {
        let begin = options.window_begin(capture);
        for kept in &mut self.kept {
            let sources = &mut self.sources;
            kept.forget_before(begin, |source| {
                if let Some(places) = sources.get_mut(source) {
                    places.pop_front();
                    if places.is_empty() {
                        sources.remove(source);
                    }
                }
            });
        }
    }
}

/// Links of one side, by date.
#[derive(Default)]
struct KeptLinks {
    links: VecDeque<KeptLink>,
    /// Their sources and anchors, one behind the other.
    texts: Vec<u8>,
    /// Bytes of texts that were forgotten.
    forgotten: usize,
}

struct KeptLink {
    place: Place,
    date: CaptureDate,
    /// Where its source begins, its anchor, and where that ends, with the
    /// forgotten ones counted.
    at: [usize; 3],
}

impl KeptLinks {
    fn clear(&mut self) {
        self.links.clear();
        self.texts.clear();
        self.forgotten = 0;
    }

    fn push(&mut self, place: Place, link: Link<'_>) {
        let begin = self.forgotten + self.texts.len();
        let middle = begin + link.source.len();
        self.texts.extend_from_slice(link.source);
        self.texts.extend_from_slice(link.anchor);
        self.links.push_back(KeptLink { place, date: link.date, at: [begin, middle, middle + link.anchor.len()] });
    }

    fn text(&self, from: usize, to: usize) -> &[u8] {
        self.texts.get(from - self.forgotten..to - self.forgotten).unwrap_or_default()
    }

    /// Links from a second on, each with its number among all.
    fn since(&self, begin: i64, internal: bool) -> impl Iterator<Item = (u64, Link<'_>)> {
        let first = self.links.partition_point(|link| link.place.0 < begin);
        self.links.range(first..).map(move |kept| {
            let [begin, middle, end] = kept.at;
            let (source, anchor) = (self.text(begin, middle), self.text(middle, end));
            (kept.place.1, Link { date: kept.date, source, anchor, internal })
        })
    }

    fn forget_before(&mut self, begin: i64, mut forget: impl FnMut(&[u8])) {
        let count = self.links.partition_point(|link| link.place.0 < begin);
        for link in self.links.range(..count) {
            forget(self.text(link.at[0], link.at[1]));
        }
        self.links.drain(..count);
        let from = self.links.front().map_or(self.forgotten + self.texts.len(), |link| link.at[0]);
        // Moving the rest is paid for by what was put there since.
        if (from - self.forgotten) * 2 >= self.texts.len() {
            self.texts.drain(..from - self.forgotten);
            self.forgotten = from;
        }
    }
}
