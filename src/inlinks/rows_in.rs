//! Reads lines of text into the sort: rows as the filters write them, and objects of the data set, one a
//! line.

use super::dataset::without_mark;
use super::dataset_build::{Notation, first_units};
use super::invert::stored::{host_name, host_of};
use super::invert::{LinkError, LinkRow, RowWriter, Shuffle, TargetCapture};
use super::workers::share;
use crate::captures::lone_surrogates::without_halves;
use crate::links::LinkKind;
use crate::uri::{CaptureDate, InternalPolicy};
use crossbeam_channel::bounded;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read};
use std::marker::PhantomData;
use std::ops::AddAssign;

/// Lines go to threads in pieces of about so many bytes.
const PIECE_BYTES: usize = 1024 * 1024;

/// A longer line is neither a row nor an object: 2,000 inlinks with long
/// anchors take some 200 KB.
const MAX_LINE_BYTES: usize = 256 * 1024 * 1024;

/// An object with more inlinks, in memory many times as large as its line, is
/// none: of a page 2,000 are kept.
const MAX_INLINKS_PER_LINE: usize = 2_000_000;

/// Tabs before the last column of a row, which may hold more.
const TABS: usize = 4;

/// Order of the columns of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RowColumns {
    /// As [`map_files`](super::filters::map_files) writes them.
    #[default]
    Map,
    /// `target source date anchor`: dates also in seconds since 1970, which
    /// have 9 to 11 digits or a minus; a link is internal by the hosts of its keys.
    Table,
}

/// Rules for reading lines.
pub(super) struct LineRules {
    pub(super) columns: RowColumns,
    /// For rows that do not declare it.
    pub(super) internal: InternalPolicy,
    /// Anchors are cut after so many UTF-16 code units.
    pub(super) anchor_cap: Option<usize>,
    /// Objects of the data set are read too, and keys of the other notation
    /// are refused.
    pub(super) notation: Option<Notation>,
}

/// Counts of objects and of what was not read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LineReport {
    /// Lines that are no rows.
    pub(super) bad_lines: u64,
    /// The first of them: its number, from 1, and what is wrong.
    pub(super) first_bad: Option<(u64, String)>,
    /// Objects of the data set.
    pub(super) objects: u64,
    /// Inlinks that objects count and do not list.
    pub(super) unlisted: u64,
    /// Inlinks without a date.
    pub(super) undated: u64,
}

impl AddAssign for LineReport {
    fn add_assign(&mut self, other: Self) {
        self.bad_lines += other.bad_lines;
        self.first_bad = match (self.first_bad.take(), other.first_bad) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        self.objects += other.objects;
        self.unlisted += other.unlisted;
        self.undated += other.undated;
    }
}

/// Reads lines into a sort, with as many threads as that has.
pub(super) fn read_lines(input: impl Read, rules: &LineRules, shuffle: &Shuffle) -> Result<LineReport, LinkError> {
    let threads = shuffle.threads();
    // Memory that was read through comes back: new memory costs more than reading into it.
    let (give_back, read_through) = bounded::<Vec<u8>>(2 * threads);
    let work = |pieces: &mut dyn Iterator<Item = Piece>| {
        let mut reader =
            LineReader { rules, row_writer: shuffle.row_writer(), report: LineReport::default(), date: None };
        for piece in pieces {
            reader.read(&piece)?;
            if piece.bytes.capacity() <= 4 * PIECE_BYTES {
                let _ = give_back.try_send(piece.bytes);
            }
        }
        Ok(reader.report)
    };
    let spare = || read_through.try_recv().unwrap_or_default();
    let reports = share(threads, work, |give| each_piece(input, spare, give).map_err(LinkError::Input))?;
    let mut report = LineReport::default();
    reports.into_iter().for_each(|read| report += read);
    Ok(report)
}

/// Some whole lines.
struct Piece {
    bytes: Vec<u8>,
    /// The number of the first one, from 1.
    line: u64,
}

/// `spare` has memory to read into, or none.
fn each_piece(
    mut input: impl Read,
    spare: impl Fn() -> Vec<u8>,
    mut give: impl FnMut(Piece) -> bool,
) -> io::Result<()> {
    let (mut bytes, mut line) = (Vec::new(), 1);
    let mut is_begin = true;
    loop {
        bytes.reserve(PIECE_BYTES + PIECE_BYTES / 8);
        let mut read = (&mut input).take(PIECE_BYTES as u64).read_to_end(&mut bytes)?;
        if std::mem::take(&mut is_begin) {
            bytes.drain(..bytes.len() - without_mark(&bytes).len());
            read = bytes.len();
        }
        // What was there before has no line end.
        let new = bytes.len() - read;
        let end = if read == 0 {
            bytes.len()
        } else {
            memchr::memrchr(b'\n', bytes.get(new..).unwrap_or_default()).map_or(0, |at| new + at + 1)
        };
        if end == 0 && read > 0 {
            if bytes.len() > MAX_LINE_BYTES {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!("line {line} has no end: these are no rows"),
                ));
            }
            continue;
        }
        let mut rest = spare();
        rest.clear();
        rest.extend_from_slice(bytes.get(end..).unwrap_or_default());
        bytes.truncate(end);
        let ends = memchr::memchr_iter(b'\n', &bytes).count() as u64;
        let lines = ends + u64::from(bytes.last().is_some_and(|last| *last != b'\n'));
        if !bytes.is_empty() && !give(Piece { bytes: std::mem::replace(&mut bytes, rest), line }) {
            return Ok(());
        }
        line += lines;
        if read == 0 {
            return Ok(());
        }
    }
}

/// An object of the data set, with its texts as slices of the line.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ObjectIn<'a> {
    #[serde(borrow)]
    url: Cow<'a, str>,
    #[serde(default)]
    count: Option<u64>,
    #[serde(default, borrow)]
    capture_date: Option<TextIn<'a>>,
    #[serde(default, borrow)]
    inlinks: Option<InlinksIn<'a>>,
}

/// As many as a line may list.
struct InlinksIn<'a>(Vec<InlinkIn<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for InlinksIn<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each<'a>(PhantomData<InlinksIn<'a>>);
        impl<'de: 'a, 'a> Visitor<'de> for Each<'a> {
            type Value = InlinksIn<'a>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of inlinks")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<InlinksIn<'a>, A::Error> {
                let mut inlinks = Vec::new();
                while let Some(inlink) = list.next_element()? {
                    if inlinks.len() == MAX_INLINKS_PER_LINE {
                        let why = format!("more than {MAX_INLINKS_PER_LINE} inlinks in one object");
                        return Err(serde::de::Error::custom(why));
                    }
                    inlinks.push(inlink);
                }
                Ok(InlinksIn(inlinks))
            }
        }
        deserializer.deserialize_seq(Each(PhantomData))
    }
}

#[derive(Deserialize)]
struct InlinkIn<'a> {
    #[serde(default, borrow)]
    date: Option<TextIn<'a>>,
    #[serde(borrow)]
    source: Cow<'a, str>,
    #[serde(default, borrow)]
    anchor: Option<TextIn<'a>>,
}

/// Within an option, serde borrows only by a name of its own.
#[derive(Deserialize)]
struct TextIn<'a>(#[serde(borrow)] Cow<'a, str>);

impl TextIn<'_> {
    fn or_empty<'t>(text: &'t Option<TextIn<'_>>) -> &'t str {
        text.as_ref().map_or("", |text| &text.0)
    }
}

/// The notation of the first key in the beginning of some lines, as far as it shows: lines that are neither
/// rows nor objects show none.
pub(super) fn notation_of(begin: &[u8]) -> Option<Notation> {
    without_mark(begin).split(|byte| *byte == b'\n').find_map(|line| {
        let text = line.trim_ascii_start();
        let (key, end) = match text.strip_prefix(b"{") {
            None => (text, b'\t'),
            Some(object) => {
                let name = memchr::memmem::find(object, b"\"url\"")?;
                let rest = object.get(name + 5..)?.trim_ascii_start().strip_prefix(b":")?;
                (rest.trim_ascii_start().strip_prefix(b"\"")?, b'"')
            }
        };
        let key = String::from_utf8_lossy(key.get(..memchr::memchr(end, key)?)?);
        match Notation::of_key(&key) {
            // Other keys than these have nothing before the bracket.
            Notation::Cdx if !key.contains(')') => None,
            notation => Some(notation),
        }
    })
}

/// Lines into the sort.
struct LineReader<'o, 's> {
    rules: &'o LineRules,
    row_writer: RowWriter<'s>,
    report: LineReport,
    /// The last date, as text and read: the links of a page have the same.
    date: Option<(String, CaptureDate)>,
}

/// Error of a line, or of the whole work.
enum Wrong {
    Line(Cow<'static, str>),
    Work(LinkError),
}

impl From<LinkError> for Wrong {
    fn from(error: LinkError) -> Self {
        Self::Work(error)
    }
}

fn bad(why: &'static str) -> Wrong {
    Wrong::Line(Cow::Borrowed(why))
}

impl LineReader<'_, '_> {
    fn read(&mut self, piece: &Piece) -> Result<(), LinkError> {
        // Checked once for all, as long as nothing is wrong.
        let text = std::str::from_utf8(&piece.bytes).ok();
        let (mut from, mut number) = (0, piece.line);
        let (mut tabs, mut tab_count) = ([0; TABS], 0);
        for end in memchr::memchr2_iter(b'\t', b'\n', &piece.bytes).chain([piece.bytes.len()]) {
            if piece.bytes.get(end) == Some(&b'\t') {
                if let Some(tab) = tabs.get_mut(tab_count) {
                    *tab = end - from;
                    tab_count += 1;
                }
                continue;
            }
            let line = match text {
                Some(text) => text.get(from..end),
                None => piece.bytes.get(from..end).and_then(|line| std::str::from_utf8(line).ok()),
            };
            let tabs = tabs.get(..std::mem::take(&mut tab_count)).unwrap_or_default();
            from = end + 1;
            number += 1;
            let line = line.map(|line| line.strip_suffix('\r').unwrap_or(line));
            let read = match line {
                None => Err(bad("it is not UTF-8")),
                Some("") => continue,
                Some(line) if self.rules.notation.is_some() && line.trim_ascii_start().starts_with('{') => {
                    self.object(line)
                }
                Some(line) => self.row(line, tabs),
            };
            match read {
                Ok(()) => {}
                Err(Wrong::Work(error @ LinkError::RowTooLarge { .. })) => {
                    self.report.bad_lines += 1;
                    self.report.first_bad.get_or_insert_with(|| (number - 1, error.to_string()));
                }
                Err(Wrong::Work(error)) => return Err(error),
                Err(Wrong::Line(why)) => {
                    self.report.bad_lines += 1;
                    self.report.first_bad.get_or_insert_with(|| (number - 1, why.into_owned()));
                }
            }
        }
        Ok(())
    }

    /// `tabs` are the places of the first ones.
    fn row(&mut self, line: &str, tabs: &[usize]) -> Result<(), Wrong> {
        // What is behind the tab before the column, and before the one after it.
        let from = |column: usize| column.checked_sub(1).and_then(|before| tabs.get(before)).map_or(0, |tab| tab + 1);
        let rest = |column: usize| line.get(from(column)..).unwrap_or_default();
        let text = |column: usize| tabs.get(column).and_then(|&tab| line.get(from(column)..tab)).unwrap_or_default();
        let target = text(0);
        match tabs.len() {
            0 => return Err(bad("it has one column; two make a capture, more a link")),
            1 => {
                self.check_notation(target)?;
                let date = self.date(rest(1))?;
                return Ok(self.row_writer.push_capture(&TargetCapture { target, date, id: 0 })?);
            }
            2 => return Err(bad("it has three columns; two make a capture, more a link")),
            _ => self.check_notation(target)?,
        }
        let (date, source, internal, anchor) = match self.rules.columns {
            RowColumns::Map if tabs.len() < TABS => return Err(bad("it has four columns and a link has five")),
            RowColumns::Map => {
                let internal = match text(3) {
                    "internal" => true,
                    "external" => false,
                    _ => return Err(bad("its fourth column is neither internal nor external")),
                };
                (text(1), text(2), internal, rest(4))
            }
            RowColumns::Table => (text(2), text(1), is_internal(self.rules.internal, target, text(1)), rest(3)),
        };
        let date = self.date(date)?;
        self.link(target, date, source, internal, anchor)
    }

    fn object(&mut self, line: &str) -> Result<(), Wrong> {
        let wrong =
            |error: serde_json::Error| Wrong::Line(Cow::Owned(format!("it is no object of a data set: {error}")));
        let mended = without_halves(line.as_bytes());
        let object: ObjectIn<'_> = match &mended {
            Cow::Borrowed(_) => serde_json::from_str(line),
            Cow::Owned(json) => serde_json::from_slice(json),
        }
        .map_err(wrong)?;
        self.check_notation(&object.url)?;
        let captured = match TextIn::or_empty(&object.capture_date) {
            "" => None,
            text => Some(self.date(text)?),
        };
        let inlinks = object.inlinks.map(|InlinksIn(list)| list).unwrap_or_default();
        // All dates and lengths before any link is taken: an object is read whole or not at all.
        let dates: Vec<Option<CaptureDate>> = inlinks
            .iter()
            .map(|inlink| match TextIn::or_empty(&inlink.date) {
                "" => Ok(None),
                text => self.date(text).map(Some),
            })
            .collect::<Result<_, _>>()?;
        let longest = inlinks.iter().map(|inlink| inlink.source.len() + TextIn::or_empty(&inlink.anchor).len()).max();
        self.row_writer.check_row(object.url.len() + longest.unwrap_or(0))?;
        if let Some(date) = captured {
            self.row_writer.push_capture(&TargetCapture { target: &object.url, date, id: 0 })?;
        }
        self.report.objects += 1;
        self.report.unlisted += object.count.unwrap_or(0).saturating_sub(inlinks.len() as u64);
        for (inlink, date) in inlinks.iter().zip(dates) {
            let Some(date) = date else {
                self.report.undated += 1;
                continue;
            };
            let internal = is_internal(self.rules.internal, &object.url, &inlink.source);
            self.link(&object.url, date, &inlink.source, internal, TextIn::or_empty(&inlink.anchor))?;
        }
        Ok(())
    }

    fn link(
        &mut self,
        target: &str,
        date: CaptureDate,
        source: &str,
        internal: bool,
        anchor: &str,
    ) -> Result<(), Wrong> {
        let anchor = match self.rules.anchor_cap {
            Some(units) => first_units(anchor, units),
            None => anchor,
        };
        self.row_writer.push_link(&LinkRow {
            target,
            target_url: "",
            source,
            source_url: "",
            source_id: 0,
            date,
            anchor,
            internal,
            nofollow: false,
            kind: LinkKind::Anchor,
            position: 0,
        })?;
        Ok(())
    }

    fn check_notation(&self, key: &str) -> Result<(), Wrong> {
        match self.rules.notation {
            _ if key.is_empty() => Err(bad("it names no page")),
            _ if is_web_url(key) => {
                Err(bad("it names its page by a URL and not by a key such as (pt,fct,)/sobre; fonds surt writes keys"))
            }
            Some(expected) if Notation::of_key(key) != expected && !key.starts_with("data:") => Err(bad(
                "its key is written in the other notation: (pt,fct,)/sobre and pt,fct)/sobre do not go together",
            )),
            _ => Ok(()),
        }
    }

    fn date(&mut self, text: &str) -> Result<CaptureDate, Wrong> {
        if let Some((_, date)) = self.date.as_ref().filter(|(last, _)| last == text) {
            return Ok(*date);
        }
        // `20090601` is a day.
        let may_be_seconds = text.starts_with('-') || (9..=11).contains(&text.len());
        let seconds = (self.rules.columns == RowColumns::Table && may_be_seconds).then(|| text.parse().ok()).flatten();
        let date = match seconds {
            Some(seconds) => CaptureDate::from_seconds(seconds),
            None => CaptureDate::parse(text).map_err(|_| bad("its date is none: 14 digits are wanted"))?,
        };
        let last = self.date.get_or_insert_default();
        last.0.clear();
        last.0.push_str(text);
        last.1 = date;
        Ok(date)
    }
}

/// Whether a link is internal by the hosts in its keys.
fn is_internal(policy: InternalPolicy, target: &str, source: &str) -> bool {
    // Nearly all hosts end at the first bracket, and most links stay within one.
    let end = memchr::memchr(b')', target.as_bytes()).map(|bracket| ..=bracket);
    if end.is_some_and(|end| source.as_bytes().get(end) == target.as_bytes().get(end)) {
        return true;
    }
    let (target, source) = (host_of(target), host_of(source));
    if target == source {
        return true;
    }
    // Only a `www2` label makes one name of two keys.
    let may_be_www = |host: &str| {
        let label = memchr::memrchr(b',', host.as_bytes()).map_or(0, |comma| comma + 1);
        host.get(label..).is_some_and(|label| label.starts_with("www"))
    };
    if policy == InternalPolicy::Fqdn && !may_be_www(target) && !may_be_www(source) {
        return false;
    }
    policy.is_internal(&host_name(target), &host_name(source))
}

/// Whether a key is a URL instead; a key of Heritrix's scope rules (`http://(pt,`) is none.
fn is_web_url(key: &str) -> bool {
    let rest = key.strip_prefix("http://").or_else(|| key.strip_prefix("https://"));
    rest.is_some_and(|rest| !rest.starts_with('('))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_notation_is_that_of_the_first_line_that_is_one() {
        let check = |begin: &str, expected| assert_eq!(notation_of(begin.as_bytes()), expected, "{begin}");
        check("(pt,fct,\t2024", Some(Notation::Dataset));
        check("pt,fct)/\t2024", Some(Notation::Cdx));
        check(r#"{"count": 1, "url": "pt,fct)/", "x": 1}"#, Some(Notation::Cdx));
        check("# a line that is none\ntarget\tdate\n{\"uri\": 1}\n(pt,fct,\t2024", Some(Notation::Dataset));
        check("\u{feff}pt,fct)/\t2024", Some(Notation::Cdx));
        check("data:x\t2024\nftp://(pt,fct,)/x\t2024", Some(Notation::Dataset));
        check("nothing here\n", None);
    }

    #[test]
    fn an_object_of_too_many_inlinks_is_none() {
        let list = |count: usize| format!("[{}]", vec![r#"{"source":""}"#; count].join(","));
        assert!(serde_json::from_str::<InlinksIn<'_>>(&list(3)).is_ok_and(|list| list.0.len() == 3));
        let error = serde_json::from_str::<InlinksIn<'_>>(&list(MAX_INLINKS_PER_LINE + 1)).err().unwrap().to_string();
        assert!(error.contains("more than 2000000 inlinks"), "{error}");
    }
}
