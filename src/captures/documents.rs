//! Archive records into documents: captures of pages with their links.
//!
//! A page is a response with a status from 200 to 299 and the type
//! `text/html` or `application/xhtml+xml`, or with bytes of these where its type
//! says nothing ([`Body::form`]), or such a `resource` record; its links are read from the decoded
//! payload. A revisit is a capture of the page that it repeats: the links of
//! the original, resolved against the revisit's URL, at the revisit's date.
//! Redirects, errors and everything that is no page are no documents.
//!
//! [`ReadFrom`] names what is read: a WAT record is the page that it is about, with the links that
//! it lists; our own metadata records and PDF files are taken by option.
//!
//! Originals may be anywhere in the input, before or behind, so revisits wait until all records
//! were seen ([`super::original`]).

use super::original::{DeclaredKind, MOST_IN_MEMORY, Originals, Place, Repeated, RevisitError};
use super::part::{CapturePart, fields_of_record};
use super::wat::{WatPage, may_be_wat, read_wat, wat_page};
use super::{Body, BodyForm, Unread};
use crate::jobs::{Cancelled, JobCx};
use crate::links::{MAX_PAGE_BYTES, Page, PageLink, PageOptions};
use crate::uri::{CaptureDate, Url};
use crate::warc::http::{HttpHead, parse_response_head};
use crate::warc::{Headers, Record, RecordType, WarcError};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// A capture of a page, its links not yet read.
#[derive(Debug, Clone)]
pub struct Document {
    /// The URL of the capture.
    pub url: Url,
    /// When, in whole seconds.
    pub date: CaptureDate,
    /// The place of its record; a revisit's own.
    pub place: Place,
    content: Content,
    /// The record's block: HTTP head and body, or envelope.
    block: Vec<u8>,
    /// The block is not whole.
    cut: bool,
    /// Why it was not whole when it was captured (`WARC-Truncated`); of a revisit, what it repeats.
    truncated: Option<String>,
    /// A revisit of what is not here.
    is_lost: bool,
}

/// The form of the block of a record.
#[derive(Debug, Clone)]
enum Content {
    /// An HTTP head and a body.
    Http(HttpHead),
    /// A payload, with the fields that its record has of it.
    Payload(Headers),
    /// The envelope of a WAT record.
    Envelope,
}

/// The kinds of records and bodies that links are read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadFrom {
    /// Responses that are pages.
    pub pages: bool,
    /// WAT records that others made of pages.
    pub wat: bool,
    /// Our own metadata records, which are beside responses: in the place of `pages`, no HTML is read.
    pub metadata: bool,
    /// PDF files: they count as pages, with the addresses of their link annotations.
    pub pdf: bool,
    /// The same, with the addresses that are printed in them as text.
    pub pdf_text: bool,
}

impl ReadFrom {
    fn takes_pdf(self) -> bool {
        self.pdf || self.pdf_text
    }

    fn takes(self, status: u16, form: BodyForm) -> bool {
        let is_taken = self.pages && form.is_page() || self.takes_pdf() && form == BodyForm::Pdf;
        (200..300).contains(&status) && is_taken
    }

    /// The kind that the head of a revisit declares; `None` where it can be of no page: redirects and
    /// errors often have no payload, as empty pages.
    fn kind_of_revisit(self, status: u16, mime: &str) -> Option<DeclaredKind> {
        let may_be = matches!(status, 0 | 304 | 200..300);
        may_be.then(|| DeclaredKind::of_kind(status.into(), mime, self.takes(200, BodyForm::of_type(mime))))
    }
}

impl Default for ReadFrom {
    fn default() -> Self {
        Self { pages: true, wat: true, metadata: false, pdf: false, pdf_text: false }
    }
}

impl Document {
    fn of(record: Record, http: Option<HttpHead>, url: Url, date: CaptureDate, place: Place) -> Self {
        let (cut, truncated) = (record.omitted > 0, record.head.headers.get("WARC-Truncated"));
        let content = http.map_or_else(|| Content::Payload(fields_of_record(&record.head)), Content::Http);
        Self { url, date, place, content, block: record.block, cut, truncated, is_lost: false }
    }

    /// Gives every link to `each`, and returns why the page could not be read whole, if so. Needs
    /// nothing else: threads can share the work.
    pub fn read_links(&self, options: &PageOptions, each: impl FnMut(&PageLink<'_>)) -> Option<Unread> {
        let Some(body) = self.body() else {
            return match read_wat(&self.block, &self.url, options, each) {
                Ok((cut, noted)) => {
                    let cut = Unread::of_page(false, false, &cut);
                    cut.filter(|why| why.loses_links()).or(noted).or(cut)
                }
                Err(_) => Some(Unread::NoWat),
            };
        };
        let unread = body.each_link(&self.url, options, self.cut, each);
        match unread {
            Some(Unread::Bomb | Unread::Encrypted) => unread,
            _ => Unread::of_record(unread, self.truncated.as_deref()),
        }
    }

    /// Reads all of the page: title, text and the rest; `None` where there is no HTML.
    pub fn read_page(&self, options: &PageOptions) -> Option<Page> {
        self.body()?.page(&self.url, options.clone())
    }

    fn body(&self) -> Option<Body<'_>> {
        match &self.content {
            Content::Http(head) => {
                Some(Body::decode(head, self.block.get(head.head_len..).unwrap_or_default(), MAX_PAGE_BYTES))
            }
            Content::Payload(fields) => Some(Body::of_payload(fields, &self.block)),
            Content::Envelope => None,
        }
    }

    /// Whether nothing is known but that a page was captured: a revisit of what is not here.
    pub fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// The memory that it takes, about, in bytes.
    pub fn len_bytes(&self) -> usize {
        self.block.len()
    }
}

/// Pages that are listed one by one; all are counted.
pub const MAX_LISTED: usize = 1000;

/// Counts of what was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentReport {
    /// Records read.
    pub records: u64,
    /// Pages whose links were read, repeated ones too.
    pub pages: u64,
    /// Revisits, found or not.
    pub revisits: u64,
    /// Pages that an interrupted build had read before.
    pub already_read: u64,
    /// Pages not read or not whole, by reason.
    pub unread: BTreeMap<Unread, u64>,
    /// The first of them: where, which, why.
    pub listed: Vec<(Place, String, Unread)>,
}

impl DocumentReport {
    /// Counts a page that was not read, or not whole, and lists it.
    pub fn note(&mut self, place: Place, url: impl fmt::Display, why: Unread) {
        *self.unread.entry(why).or_default() += 1;
        self.listed.push((place, url.to_string(), why));
        if self.listed.len() >= 2 * MAX_LISTED {
            self.cut_list();
        }
    }

    /// Whether links of some page may be missing.
    pub fn loses_links(&self) -> bool {
        self.unread.keys().any(|why| why.loses_links())
    }

    /// Adds what another thread noted.
    pub fn add(&mut self, other: Self) {
        self.records += other.records;
        self.pages += other.pages;
        self.revisits += other.revisits;
        self.already_read += other.already_read;
        for (why, count) in other.unread {
            *self.unread.entry(why).or_default() += count;
        }
        self.listed.extend(other.listed);
        self.cut_list();
    }

    fn cut_list(&mut self) {
        self.listed.sort_unstable();
        self.listed.truncate(MAX_LISTED);
    }
}

/// A page of which nothing is known but that it was captured.
const LOST_PAGE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";

/// The revisit in progress, for builds that are taken up again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeat {
    /// Stands for these very revisits with these originals; no number of a file.
    pub unit: u32,
    /// Its number.
    pub number: u64,
}

impl Repeat {
    /// Numbers of files lie below.
    const UNITS: u32 = 1 << 31;
}

/// Turns records into documents.
#[derive(Default)]
pub struct DocumentReader {
    from: ReadFrom,
    originals: Originals,
    report: DocumentReport,
}

impl DocumentReader {
    /// A reader of certain records. What is kept of captures for revisits goes
    /// into a folder where it does not fit the memory.
    pub fn new(from: ReadFrom, folder: &Path) -> Self {
        Self { from, originals: Originals::in_folder(folder, MOST_IN_MEMORY), ..Self::default() }
    }

    /// The counts of what was read.
    pub fn into_report(mut self) -> DocumentReport {
        self.report.cut_list();
        self.report
    }

    /// Adds what was noted while links were read.
    pub fn add_notes(&mut self, notes: DocumentReport) {
        self.report.add(notes);
    }

    /// Counts a page that an interrupted build had read before.
    pub fn count_already_read(&mut self) {
        self.report.already_read += 1;
    }

    /// # Errors
    ///
    /// Where what is kept of captures for revisits could not be put on the disk.
    pub fn check(&mut self) -> Result<(), RevisitError> {
        self.originals.check()
    }

    /// The document of a record, if it is one. Revisits wait for [`Self::resolve`].
    pub fn take(&mut self, record: Record, place: Place) -> Option<Document> {
        self.report.records += 1;
        let kind = &record.head.record_type;
        match kind {
            RecordType::Metadata if self.from.wat || self.from.metadata => return self.envelope(record, place),
            _ if kind.is_capture() && (self.from.pages || self.from.takes_pdf()) => {}
            _ => return None,
        }
        self.report.revisits += u64::from(*kind == RecordType::Revisit);
        // `dns:` and the like have no links.
        let part = CapturePart::of(&record.head)?;
        let Some(date) = part.date.map(in_seconds) else {
            self.report.note(place, part.url, Unread::NoDate);
            return None;
        };
        let head = part.payload_head(&record.block);
        let status = head.status;
        if *kind == RecordType::Revisit {
            let declared_kind = self.from.kind_of_revisit(status, &head.mime)?;
            self.originals.add_revisit(&record.head, &part.url, place, (status, declared_kind));
            return None;
        }
        let is_taken = self.from.takes(status, part.form(&head, &record.block));
        self.originals.add(&record.head, &part.url, place, (status, is_taken), || payload_digest(&part, &record));
        let url = part.url;
        if head.http.is_none() && record.head.is_http() {
            self.report.note(place, &url, Unread::NoHttp);
        }
        if !is_taken {
            return None;
        }
        self.report.pages += 1;
        Some(Document::of(record, head.http, url, date, place))
    }

    /// Reads the originals of the revisits seen so far with `fetch` and gives
    /// their documents to `take`, in the order of the originals, but for those
    /// that `is_done` holds of. An original that cannot be read leaves its revisits out.
    pub fn resolve<E: From<Cancelled> + From<RevisitError>>(
        &mut self,
        is_done: impl Fn(u32, u64) -> bool,
        cx: &JobCx,
        fetch: impl FnMut(Place) -> Result<Record, WarcError>,
        take: impl FnMut(&Document, Repeat, &mut DocumentReport) -> Result<(), E>,
    ) -> Result<(), E> {
        // Cancelled, a query of the table ends with an error of its own.
        cx.or_cancelled(self.read_repeats(is_done, cx, fetch, take))
    }

    fn read_repeats<E: From<Cancelled> + From<RevisitError>>(
        &mut self,
        is_done: impl Fn(u32, u64) -> bool,
        cx: &JobCx,
        mut fetch: impl FnMut(Place) -> Result<Record, WarcError>,
        mut take: impl FnMut(&Document, Repeat, &mut DocumentReport) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(resolved) = self.originals.resolve(cx)? else { return Ok(()) };
        resolved.each_lost(|place, url| self.report.note(place, url, Unread::NoOriginal))?;
        let count = resolved.count()?;
        cx.stage("Reading what revisits repeat", Some(count));
        let unit = Repeat::UNITS | resolved.hash()? as u32;
        let mut last: Option<(Place, Option<Document>)> = None;
        resolved.each(|number, Repeated { original, place, url, date }| {
            cx.advance(1)?;
            let (repeat, date) = (Repeat { unit, number }, in_seconds(date));
            if is_done(unit, number) {
                self.report.pages += 1;
                self.count_already_read();
                return Ok(());
            }
            // That a page was captured is known; its links are not.
            let Some(original) = original else {
                self.report.pages += 1;
                let content = parse_response_head(LOST_PAGE).map_or(Content::Envelope, Content::Http);
                let block = LOST_PAGE.to_vec();
                let document =
                    Document { url, date, place, content, block, cut: false, truncated: None, is_lost: true };
                return take(&document, repeat, &mut self.report);
            };
            if last.as_ref().is_none_or(|(place, _)| *place != original) {
                let fetched = fetch(original).ok();
                // Stopping is an error of fetching, too.
                cx.checkpoint()?;
                let document = fetched.and_then(|record| {
                    let part = CapturePart::of(&record.head)?;
                    let head = part.payload_head(&record.block);
                    let is_taken = self.from.takes(head.status, part.form(&head, &record.block));
                    is_taken.then(|| Document::of(record, head.http, url.clone(), date, original))
                });
                last = Some((original, document));
            }
            let Some((_, Some(document))) = &mut last else {
                self.report.note(place, &url, Unread::OriginalUnread);
                return Ok(());
            };
            self.report.pages += 1;
            (document.url, document.date, document.place) = (url, date, place);
            take(document, repeat, &mut self.report)
        })
    }

    /// The page that the envelope in a metadata record is about.
    fn envelope(&mut self, record: Record, place: Place) -> Option<Document> {
        if !may_be_wat(&record.block) {
            return None;
        }
        let page = match wat_page(&record.block) {
            Ok(page) => page?,
            Err(_) => {
                let url = record.head.target_uri().unwrap_or_default();
                self.report.note(place, url, if record.omitted > 0 { Unread::TooLong } else { Unread::NoWat });
                return None;
            }
        };
        let WatPage { url, date, is_ours } = page;
        if !(if is_ours { self.from.metadata } else { self.from.wat }) {
            return None;
        }
        let Some(date) = date else {
            self.report.note(place, url, Unread::NoDate);
            return None;
        };
        self.report.pages += 1;
        let cut = record.omitted > 0;
        let (block, content) = (record.block, Content::Envelope);
        Some(Document { url, date, place, content, block, cut, truncated: None, is_lost: false })
    }
}

/// The data set knows whole seconds; equal links within one are one.
fn in_seconds(date: CaptureDate) -> CaptureDate {
    CaptureDate::from_seconds(date.seconds())
}

/// The digest of a capture whose record declares none, where it is whole.
fn payload_digest(part: &CapturePart, record: &Record) -> Option<String> {
    let mut digester = part.digester();
    digester.update(&record.block);
    (record.omitted == 0).then(|| digester.finish().payload)
}

#[cfg(test)]
mod tests;
