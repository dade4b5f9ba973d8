//! Which inlinks belong to which capture.
//!
//! Rows come sorted, so one pass does: captures of a target first, then its
//! links by date. What is held is the captures of one target and the inlinks
//! of those captures whose window has not passed yet, at most the cap on each
//! side.

use super::LinkError;
use super::row::Row;
use super::shuffle::{ShuffleReport, Sorted};
use crate::links::{MATCH_WINDOW_DAYS, MAX_INLINKS_PER_SIDE};
use crate::uri::CaptureDate;
use serde::{Deserialize, Serialize};
use std::collections::{HashSet, VecDeque};
use std::io;
use std::rc::Rc;

const SECONDS_PER_DAY: u64 = 86_400;

/// One object for each linked page, or for each capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Pages that keep an inlink, dated by their first capture.
    #[default]
    PerPage,
    /// Every capture, those without inlinks too.
    PerCapture,
}

/// When two links count as one, beyond those that are equal in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dedup {
    /// Only links equal in target, source, date and anchor.
    #[default]
    Exact,
    /// All links from one page to another: the earliest stays.
    SourceTarget,
}

/// What happens to links to pages that were never captured.
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

    fn window_seconds(&self) -> u64 {
        u64::from(self.window_days) * SECONDS_PER_DAY
    }
}

/// A link seen from its target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inlink {
    /// When the linking page was captured.
    pub date: CaptureDate,
    /// Key of the linking page.
    pub source: String,
    /// Anchor text.
    pub anchor: String,
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
    /// What is kept, by (date, source, anchor).
    pub inlinks: &'a [Rc<Inlink>],
    /// Kept ones of the same site.
    pub count_internal: u64,
    /// Kept ones of other sites.
    pub count_external: u64,
    /// Left out because a side was full.
    pub cut: u64,
}

/// What became of the links.
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

/// Reads all rows and gives out objects by target key, then capture date.
pub fn assign(
    mut sorted: Sorted,
    options: &AssignOptions,
    mut emit: impl FnMut(&Assigned<'_>) -> io::Result<()>,
) -> Result<(ShuffleReport, AssignReport), LinkError> {
    let mut group = Group::new(options);
    let mut report = AssignReport::default();
    while let Some(row) = sorted.next_row()? {
        if row.target() != group.target || report.targets == 0 {
            group.end(&mut report, &mut emit)?;
            group.begin(row.target());
            report.targets += 1;
        }
        match row {
            Row::Capture(capture) => group.captures.push(capture.date),
            Row::Link(link) => {
                let inlink = || Inlink {
                    date: link.date,
                    source: link.source.to_owned(),
                    anchor: link.anchor.to_owned(),
                    internal: link.internal,
                };
                group.link(link.date, link.source, link.internal, inlink, &mut report, &mut emit)?;
            }
        }
    }
    group.end(&mut report, &mut emit)?;
    Ok((sorted.report(), report))
}

/// An object being filled.
#[derive(Default)]
struct Object {
    capture_date: Option<CaptureDate>,
    inlinks: Vec<Rc<Inlink>>,
    internal: usize,
    external: usize,
    cut: u64,
    /// Sources that are in, where only one link of each may be.
    sources: HashSet<Rc<str>>,
}

enum Taken {
    In,
    Cut,
    Repeated,
}

impl Object {
    fn at(capture_date: Option<CaptureDate>) -> Self {
        Self { capture_date, ..Self::default() }
    }

    fn take(
        &mut self,
        options: &AssignOptions,
        source: &str,
        internal: bool,
        inlink: impl FnOnce() -> Rc<Inlink>,
    ) -> Taken {
        let by_source = options.dedup == Dedup::SourceTarget;
        if by_source && self.sources.contains(source) {
            return Taken::Repeated;
        }
        let side = if internal { &mut self.internal } else { &mut self.external };
        if *side >= options.cap {
            self.cut += 1;
            return Taken::Cut;
        }
        *side += 1;
        self.inlinks.push(inlink());
        if by_source {
            self.sources.insert(source.into());
        }
        Taken::In
    }

    fn give(
        &self,
        target: &str,
        report: &mut AssignReport,
        emit: &mut impl FnMut(&Assigned<'_>) -> io::Result<()>,
    ) -> Result<(), LinkError> {
        report.objects += 1;
        report.captured_objects += u64::from(self.capture_date.is_some());
        report.inlinks += self.inlinks.len() as u64;
        report.internal += self.internal as u64;
        emit(&Assigned {
            target,
            capture_date: self.capture_date,
            inlinks: &self.inlinks,
            count_internal: self.internal as u64,
            count_external: self.external as u64,
            cut: self.cut,
        })
        .map_err(LinkError::Output)
    }
}

/// One target.
struct Group<'o> {
    options: &'o AssignOptions,
    target: String,
    /// Dates of its captures, ascending: they come before the links.
    captures: Vec<CaptureDate>,
    /// Captures whose window no later link can reach any more, and are given out.
    given: usize,
    /// Objects of the captures from `given` on whose window was reached.
    open: VecDeque<Object>,
    /// The one object of a page.
    page: Object,
}

impl<'o> Group<'o> {
    fn new(options: &'o AssignOptions) -> Self {
        Self {
            options,
            target: String::new(),
            captures: Vec::new(),
            given: 0,
            open: VecDeque::new(),
            page: Object::default(),
        }
    }

    fn begin(&mut self, target: &str) {
        self.target.clear();
        self.target.push_str(target);
        self.captures.clear();
        self.given = 0;
        self.open.clear();
        self.page = Object::default();
    }

    fn link(
        &mut self,
        date: CaptureDate,
        source: &str,
        internal: bool,
        inlink: impl Fn() -> Inlink,
        report: &mut AssignReport,
        emit: &mut impl FnMut(&Assigned<'_>) -> io::Result<()>,
    ) -> Result<(), LinkError> {
        let uncaptured = self.captures.is_empty();
        let keeps_uncaptured = self.options.uncaptured == Uncaptured::Keep && self.options.shape == Shape::PerPage;
        if uncaptured && !keeps_uncaptured {
            report.uncaptured_dropped += 1;
            return Ok(());
        }
        match self.options.shape {
            Shape::PerPage => {
                if !uncaptured && !self.fits_any(date) {
                    report.outside_window += 1;
                    return Ok(());
                }
                let taken = self.page.take(self.options, source, internal, || Rc::new(inlink()));
                count(&taken, report);
            }
            Shape::PerCapture => {
                self.give_passed(date, report, emit)?;
                self.open_reached(date);
                let shared = Rc::new(inlink());
                let mut fits = false;
                for object in &mut self.open {
                    if object.capture_date.is_some_and(|capture| self.options.fits(date, capture)) {
                        fits = true;
                        let taken = object.take(self.options, source, internal, || Rc::clone(&shared));
                        count(&taken, report);
                    }
                }
                report.outside_window += u64::from(!fits);
            }
        }
        Ok(())
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
        report: &mut AssignReport,
        emit: &mut impl FnMut(&Assigned<'_>) -> io::Result<()>,
    ) -> Result<(), LinkError> {
        while let Some(&capture) = self.captures.get(self.given)
            && capture < date
            && !self.options.fits(date, capture)
        {
            let object = self.open.pop_front().unwrap_or_else(|| Object::at(Some(capture)));
            object.give(&self.target, report, emit)?;
            self.given += 1;
        }
        Ok(())
    }

    /// Opens captures whose window has begun at `date`.
    fn open_reached(&mut self, date: CaptureDate) {
        while let Some(&capture) = self.captures.get(self.given + self.open.len())
            && (capture <= date || self.options.fits(date, capture))
        {
            self.open.push_back(Object::at(Some(capture)));
        }
    }

    fn end(
        &mut self,
        report: &mut AssignReport,
        emit: &mut impl FnMut(&Assigned<'_>) -> io::Result<()>,
    ) -> Result<(), LinkError> {
        match self.options.shape {
            Shape::PerPage => {
                if !self.page.inlinks.is_empty() {
                    self.page.capture_date = self.captures.first().copied();
                    self.page.give(&self.target, report, emit)?;
                }
            }
            Shape::PerCapture => {
                for &capture in self.captures.get(self.given..).unwrap_or_default() {
                    let object = self.open.pop_front().unwrap_or_else(|| Object::at(Some(capture)));
                    object.give(&self.target, report, emit)?;
                }
            }
        }
        self.captures.clear();
        Ok(())
    }
}

fn count(taken: &Taken, report: &mut AssignReport) {
    match taken {
        Taken::In => {}
        Taken::Cut => report.cut += 1,
        Taken::Repeated => report.repeated_sources += 1,
    }
}
