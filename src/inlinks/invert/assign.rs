//! Assigns inlinks to captures.
//!
//! Rows come sorted, so one pass does: captures of a target first, then its links by date. Memory holds the
//! captures of one target and its inlinks, at most the cap on each side; of single captures, those in the
//! windows that have not passed yet ([`super::window`]).

use super::LinkError;
use super::row::{is_internal, read_when};
use super::sorted::{PartRows, ShuffleReport, Sorted};
use super::window::{Link, Windows};
use crate::inlinks::dataset::needs_escape;
use crate::inlinks::{MATCH_WINDOW_DAYS, MAX_INLINKS_PER_SIDE};
use crate::uri::CaptureDate;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::io;
use std::ops::AddAssign;

const SECONDS_PER_DAY: u64 = 86_400;

/// Unit of the objects: a linked page, or a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Pages that keep an inlink, dated by their first capture.
    #[default]
    PerPage,
    /// Every capture, those without inlinks too.
    PerCapture,
}

/// Rule for links that count as one, beyond those that are equal in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dedup {
    /// Only links equal in target, source, date and anchor.
    #[default]
    Exact,
    /// All links from one page to another: the earliest stays.
    SourceTarget,
}

/// Treatment of links to pages that were never captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Uncaptured {
    /// They stay: this is the list for prospection.
    #[default]
    Keep,
    /// They are left out.
    Drop,
}

/// The rules of the assignment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AssignOptions {
    /// An inlink fits a capture when both are at most so many days apart, to
    /// the second, both ends in.
    pub window_days: u32,
    /// Inlinks kept on each side (internal, external) of an object.
    pub cap: usize,
    /// When two links count as one.
    pub dedup: Dedup,
    /// Links to pages never captured (for [`Shape::PerPage`]).
    pub uncaptured: Uncaptured,
    /// What an object is.
    pub shape: Shape,
}

impl Default for AssignOptions {
    fn default() -> Self {
        Self {
            window_days: MATCH_WINDOW_DAYS,
            cap: MAX_INLINKS_PER_SIDE,
            dedup: Dedup::Exact,
            uncaptured: Uncaptured::Keep,
            shape: Shape::PerPage,
        }
    }
}

impl AssignOptions {
    /// Whether a link seen at one instant fits a capture at another.
    pub fn fits(&self, link: CaptureDate, capture: CaptureDate) -> bool {
        link.seconds().abs_diff(capture.seconds()) <= self.window_seconds()
    }

    /// The first second whose links fit a capture.
    pub(super) fn window_begin(&self, capture: CaptureDate) -> i64 {
        capture.seconds().saturating_sub_unsigned(self.window_seconds())
    }

    fn window_seconds(&self) -> u64 {
        u64::from(self.window_days) * SECONDS_PER_DAY
    }
}

/// A link seen from its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inlink<'a> {
    /// When the linking page was captured.
    pub date: CaptureDate,
    /// Key of the linking page.
    pub source: &'a str,
    /// Anchor text.
    pub anchor: &'a str,
    /// Of the same site.
    pub internal: bool,
}

/// A page or capture with its inlinks.
#[derive(Debug, Clone, Copy)]
pub struct Assigned<'a> {
    /// Key of the page.
    pub target: &'a str,
    /// The (first) capture, if there is one.
    pub capture_date: Option<CaptureDate>,
    /// Kept ones of the same site.
    pub count_internal: u64,
    /// Kept ones of other sites.
    pub count_external: u64,
    /// Left out because a side was full.
    pub cut: u64,
    /// Sources and anchors, one behind the other.
    texts: &'a str,
    kept: &'a [Kept],
}

impl<'a> Assigned<'a> {
    /// Whether sources and anchors are written to JSON without escapes.
    pub fn is_plain(&self) -> bool {
        // Without a way out of the loop it takes many bytes at once.
        !self.texts.bytes().fold(false, |any, byte| any | needs_escape(byte))
    }

    /// Inlinks that are kept, by (date, source, anchor).
    pub fn inlinks(&self) -> impl ExactSizeIterator<Item = Inlink<'a>> + use<'a> {
        let texts = self.texts;
        let mut from = 0;
        self.kept.iter().map(move |kept| {
            let source = texts.get(from..kept.source_end).unwrap_or_default();
            let anchor = texts.get(kept.source_end..kept.anchor_end).unwrap_or_default();
            from = kept.anchor_end;
            Inlink { date: kept.date, source, anchor, internal: kept.internal }
        })
    }
}

#[derive(Debug, Clone, Copy)]
struct Kept {
    date: CaptureDate,
    source_end: usize,
    anchor_end: usize,
    internal: bool,
}

/// Counts of the links assigned and left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AssignReport {
    /// Different pages that are linked to or were captured.
    pub targets: u64,
    /// Objects given out.
    pub objects: u64,
    /// Objects with a capture date.
    pub captured_objects: u64,
    /// Inlinks in them; one that fits two captures counts twice.
    pub inlinks: u64,
    /// Of these, internal.
    pub internal: u64,
    /// Left out because a side was full.
    pub cut: u64,
    /// Links that fit no capture of their target.
    pub outside_window: u64,
    /// Links to pages never captured that were left out.
    pub uncaptured_dropped: u64,
    /// Further links from a page already counted ([`Dedup::SourceTarget`]).
    pub repeated_sources: u64,
}

impl AddAssign for AssignReport {
    fn add_assign(&mut self, other: Self) {
        self.targets += other.targets;
        self.objects += other.objects;
        self.captured_objects += other.captured_objects;
        self.inlinks += other.inlinks;
        self.internal += other.internal;
        self.cut += other.cut;
        self.outside_window += other.outside_window;
        self.uncaptured_dropped += other.uncaptured_dropped;
        self.repeated_sources += other.repeated_sources;
    }
}

/// Reads all rows and gives out objects by target key, then capture date.
pub fn assign(
    sorted: Sorted,
    options: &AssignOptions,
    mut emit: impl FnMut(&Assigned<'_>) -> io::Result<()>,
) -> Result<(ShuffleReport, AssignReport), LinkError> {
    // One thread, and objects instead of bytes: the rest is the same.
    let emit = &mut emit;
    let mut sorted = sorted;
    let mut report = AssignReport::default();
    sorted.in_one(|rows| {
        report = Group::new(options).read(rows, |object| emit(object).map_err(LinkError::Output))?;
        Ok(())
    })?;
    Ok((sorted.report(), report))
}

/// As [`assign`], with several threads: `render` turns objects into bytes, in
/// any order, and `write` gets the bytes in the order of the objects.
pub fn assign_rendered(
    sorted: &mut Sorted,
    options: &AssignOptions,
    threads: usize,
    render: impl Fn(&Assigned<'_>, &mut Vec<u8>) + Sync,
    write: impl FnMut(&[u8]) -> io::Result<()>,
) -> Result<(ShuffleReport, AssignReport), LinkError> {
    let reports = sorted.in_parts(
        threads,
        |rows, pieces| {
            Group::new(options).read(rows, |object| {
                render(object, pieces.bytes());
                Ok(())
            })
        },
        write,
    )?;
    let mut report = AssignReport::default();
    reports.into_iter().for_each(|part| report += part);
    Ok((sorted.report(), report))
}

/// An object being filled.
#[derive(Default)]
struct Object {
    capture_date: Option<CaptureDate>,
    texts: Vec<u8>,
    kept: Vec<Kept>,
    internal: usize,
    external: usize,
    cut: u64,
    /// Sources that are in, where only one link of each may be.
    sources: HashSet<Box<[u8]>>,
}

impl Object {
    /// Clears the buffers and keeps their memory.
    fn begin(&mut self, capture_date: Option<CaptureDate>) {
        self.capture_date = capture_date;
        self.texts.clear();
        self.kept.clear();
        (self.internal, self.external, self.cut) = (0, 0, 0);
        self.sources.clear();
    }

    /// Takes a link, the counts of what it leaves out are kept in `report`.
    fn take(&mut self, options: &AssignOptions, link: Link<'_>, report: &mut AssignReport) {
        let by_source = options.dedup == Dedup::SourceTarget;
        if by_source && self.sources.contains(link.source) {
            report.repeated_sources += 1;
            return;
        }
        let side = if link.internal { &mut self.internal } else { &mut self.external };
        if *side >= options.cap {
            self.cut += 1;
            return;
        }
        *side += 1;
        self.texts.extend_from_slice(link.source);
        let source_end = self.texts.len();
        self.texts.extend_from_slice(link.anchor);
        let anchor_end = self.texts.len();
        self.kept.push(Kept { date: link.date, source_end, anchor_end, internal: link.internal });
        if by_source {
            self.sources.insert(link.source.into());
        }
    }

    fn give(
        &self,
        target: &[u8],
        report: &mut AssignReport,
        emit: &mut impl FnMut(&Assigned<'_>) -> Result<(), LinkError>,
    ) -> Result<(), LinkError> {
        report.objects += 1;
        report.cut += self.cut;
        report.captured_objects += u64::from(self.capture_date.is_some());
        report.inlinks += self.kept.len() as u64;
        report.internal += self.internal as u64;
        let text = |bytes| {
            std::str::from_utf8(bytes)
                .map_err(|error| LinkError::Output(io::Error::new(io::ErrorKind::InvalidData, error)))
        };
        emit(&Assigned {
            target: text(target)?,
            capture_date: self.capture_date,
            count_internal: self.internal as u64,
            count_external: self.external as u64,
            cut: self.cut,
            texts: text(&self.texts)?,
            kept: &self.kept,
        })
    }
}

/// Captures and links of one target.
struct Group<'o> {
    options: &'o AssignOptions,
    target: Vec<u8>,
    /// Dates of its captures, ascending: they come before the links.
    captures: Vec<CaptureDate>,
    /// Captures whose window no later link can reach any more, and are given out.
    given: usize,
    /// The captures from `given` on whose window was reached.
    windows: Windows,
    /// The one object of a page, or of the capture that is given out.
    object: Object,
    report: AssignReport,
}

impl<'o> Group<'o> {
    fn new(options: &'o AssignOptions) -> Self {
        Self {
            options,
            target: Vec::new(),
            captures: Vec::new(),
            given: 0,
            windows: Windows::default(),
            object: Object::default(),
            report: AssignReport::default(),
        }
    }

    fn read(
        mut self,
        rows: &mut PartRows<'_, '_>,
        mut emit: impl FnMut(&Assigned<'_>) -> Result<(), LinkError>,
    ) -> Result<AssignReport, LinkError> {
        let emit = &mut emit;
        while let Some(merge) = rows.next()? {
            if merge.is_new_target() {
                self.end(emit)?;
                self.begin(merge.target());
            }
            match read_when(merge.when()) {
                (date, false) => self.captures.push(date),
                (date, true) => {
                    // Most texts are far apart in memory, and many links fit nothing.
                    if self.wants(date, emit)? {
                        let row = merge.row();
                        let internal = is_internal(row.tail);
                        self.link(Link { date, source: row.source, anchor: row.anchor, internal });
                    }
                }
            }
        }
        self.end(emit)?;
        Ok(self.report)
    }

    fn begin(&mut self, target: &[u8]) {
        self.target.clear();
        self.target.extend_from_slice(target);
        self.captures.clear();
        self.given = 0;
        self.object.begin(None);
        self.windows.clear();
        self.report.targets += 1;
    }

    /// Whether a link of this date goes into an object; gives out those that
    /// no further link can.
    fn wants(
        &mut self,
        date: CaptureDate,
        emit: &mut impl FnMut(&Assigned<'_>) -> Result<(), LinkError>,
    ) -> Result<bool, LinkError> {
        let uncaptured = self.captures.is_empty();
        let keeps_uncaptured = self.options.uncaptured == Uncaptured::Keep && self.options.shape == Shape::PerPage;
        if uncaptured && !keeps_uncaptured {
            self.report.uncaptured_dropped += 1;
            return Ok(false);
        }
        let fits = match self.options.shape {
            Shape::PerPage => uncaptured || self.fits_any(date),
            Shape::PerCapture => {
                self.give_passed(date, emit)?;
                self.open_reached(date);
                // Those that are open at this date have it in their window.
                self.windows.len() > 0
            }
        };
        self.report.outside_window += u64::from(!fits);
        Ok(fits)
    }

    /// Takes a link that [`Self::wants`].
    fn link(&mut self, link: Link<'_>) {
        match self.options.shape {
            Shape::PerPage => self.object.take(self.options, link, &mut self.report),
            Shape::PerCapture => self.report.repeated_sources += self.windows.push(link, self.options),
        }
    }

    fn fits_any(&self, date: CaptureDate) -> bool {
        let after = self.captures.partition_point(|capture| *capture < date);
        let nearest = [after.checked_sub(1), Some(after)];
        nearest
            .into_iter()
            .flatten()
            .filter_map(|at| self.captures.get(at))
            .any(|&capture| self.options.fits(date, capture))
    }

    /// Gives out captures whose window ended before `date`.
    fn give_passed(
        &mut self,
        date: CaptureDate,
        emit: &mut impl FnMut(&Assigned<'_>) -> Result<(), LinkError>,
    ) -> Result<(), LinkError> {
        while let Some(&capture) = self.captures.get(self.given)
            && capture < date
            && !self.options.fits(date, capture)
        {
            self.give_next(capture, emit)?;
        }
        Ok(())
    }

    /// Gives out the next capture, with what it has.
    fn give_next(
        &mut self,
        capture: CaptureDate,
        emit: &mut impl FnMut(&Assigned<'_>) -> Result<(), LinkError>,
    ) -> Result<(), LinkError> {
        let Self { options, object, .. } = self;
        object.begin(Some(capture));
        // What it leaves out was counted when it came.
        let mut counted = AssignReport::default();
        let cut = self.windows.pass(options, |link| {
            object.take(options, link, &mut counted);
            (if link.internal { object.internal } else { object.external }) < options.cap
        });
        object.cut = cut.unwrap_or_default();
        object.give(&self.target, &mut self.report, emit)?;
        self.given += 1;
        if let Some(&next) = self.captures.get(self.given) {
            self.windows.forget_before(next, options);
        }
        Ok(())
    }

    /// Opens captures whose window has begun at `date`.
    fn open_reached(&mut self, date: CaptureDate) {
        while let Some(&capture) = self.captures.get(self.given + self.windows.len())
            && (capture <= date || self.options.fits(date, capture))
        {
            self.windows.open(capture, self.options);
        }
    }

    fn end(&mut self, emit: &mut impl FnMut(&Assigned<'_>) -> Result<(), LinkError>) -> Result<(), LinkError> {
        match self.options.shape {
            Shape::PerPage if self.object.kept.is_empty() => self.report.cut += self.object.cut,
            Shape::PerPage => {
                self.object.capture_date = self.captures.first().copied();
                self.object.give(&self.target, &mut self.report, emit)?;
            }
            Shape::PerCapture => {
                while let Some(&capture) = self.captures.get(self.given) {
                    self.give_next(capture, emit)?;
                }
            }
        }
        Ok(())
    }
}
