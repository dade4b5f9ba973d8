//! Takes exchanges into the archive: reads their links, writes their records
//! and makes their catalogue entries, within a bound of memory.

use super::archive::{PACK_IN_MEMORY, entry_of};
use super::page_reader::PageReaders;
use super::{Archive, CutCause, Exchange, RepeatedCapture};
use crate::captures::media::{ROOT_WITHIN_BYTES, is_sniffed};
use crate::captures::{
    Body, CaptureEntry, CaptureNotes, LargePagePermit, PageBudget, PageLinks, PagePermit, Unread, is_nofollow_answer,
    is_packed_sitemap, links_bytes, may_have_links, reading_bytes,
};
use crate::jobs::JobCx;
use crate::links::{LinkKind, Outlink};
use crate::scope::Verdict;
use crate::uri::Url;
use crate::warc::WarcError;
use crate::warc::http::unpacked_limit;
use std::io;
use std::path::PathBuf;

/// Memory for answers that are read, written and stored at the same time.
const PAGES_BYTES: usize = 96 << 20;
/// Answers longer than this are read for links on threads of their own.
const LONG_PAGE_BYTES: u64 = 256 << 10;
/// Encoded pages are expected to come out at most so many times as long; of the
/// others the length is known after a first try.
const EXPECTED_RATIO: u64 = 10;
/// Bytes of memory that a link takes while it is decided and passed on.
const ADMISSION_BYTES: usize = 1_500;

/// Chooses the links of an answer that are followed.
pub type FollowedLinks = fn(&[Outlink]) -> &[Outlink];

/// The origin of an exchange: page, path and verdict that led to it.
#[derive(Debug, Clone, Default)]
pub struct Provenance {
    /// The page that led to it.
    pub via: Option<Url>,
    /// Its path from the seed; empty for a seed, and for what a person requested.
    pub hops: String,
    /// The seed that it descends from.
    pub seed: Option<String>,
    /// The source tag of that seed.
    pub source_tag: String,
    /// The verdict that let it in; none where a person requested it.
    pub verdict: Option<Verdict>,
    /// Remarks for the crawl log, before those about the answer.
    pub annotations: Vec<String>,
    /// Links that the answer has besides those that its body is read for.
    pub further_links: Vec<Outlink>,
    /// The choice of the links that are followed; none where nobody follows them.
    pub followed: Option<FollowedLinks>,
}

impl Provenance {
    fn followed(&self, links: &[Outlink]) -> usize {
        self.followed.map_or(0, |followed| followed(links).len())
    }
}

/// A capture whose records are in the archive.
pub struct Taken<'i> {
    /// Its entry for the catalogue.
    pub entry: CaptureEntry,
    /// The begin of the main text of a page.
    pub main_text: Option<String>,
    /// Its part of the memory, free again when it goes.
    pub permit: PagePermit<'i>,
}

/// Takes exchanges into the WARC files of a launch. Shared by all who fetch.
pub struct Intake<'a> {
    archive: &'a Archive,
    cx: &'a JobCx,
    /// The product that answers may forbid to follow links, as in robots.txt.
    product: String,
    pub(super) pages: PageBudget,
    readers: PageReaders,
}

impl<'a> Intake<'a> {
    /// Writes to `archive` until `cx` is cancelled, as a crawler that calls itself `product`.
    pub fn new(archive: &'a Archive, product: &str, cx: &'a JobCx) -> Self {
        let (pages, readers) = (PageBudget::new(PAGES_BYTES), PageReaders::start());
        Self { archive, cx, product: product.to_owned(), pages, readers }
    }

    /// Reads an answer for its links and writes it to the archive, as a revisit
    /// where `same_payload` knows a capture of this URL with its payload. None
    /// when cancelled before there was room for that: nothing was written.
    ///
    /// # Errors
    ///
    /// A disk that does not take the records, and what `same_payload` meets.
    pub fn take<E: From<WarcError>>(
        &self,
        url: &Url,
        exchange: Exchange,
        provenance: Provenance,
        same_payload: impl FnOnce(&Url, &str) -> Result<Option<RepeatedCapture>, E>,
    ) -> Result<Option<Taken<'_>>, E> {
        let packing = 3 * usize::try_from(exchange.response.len().min(PACK_IN_MEMORY)).unwrap_or(usize::MAX);
        let Some((mut exchange, mut links, mut permit)) = self.read(url, exchange, packing)? else { return Ok(None) };
        if is_nofollow_answer(&exchange.head.headers, Some(&self.product)) {
            let found = links.outlinks.iter_mut().filter(|link| link.kind != LinkKind::Redirect);
            found.for_each(|link| link.nofollow = true);
        }
        links.outlinks.extend_from_slice(&provenance.further_links);
        let main_text = links.main_text.take();
        let storing = links_bytes(&links.outlinks)
            + provenance.followed(&links.outlinks) * ADMISSION_BYTES
            + main_text.as_ref().map_or(0, String::len);
        permit.set_bytes(packing + storing);
        let digests = &exchange.digests;
        let may_repeat = digests.payload_len > 0 && digests.can_be_repeated() && exchange.cut.is_none();
        let original = if may_repeat { same_payload(url, &digests.payload)? } else { None };
        let notes = notes_of(&exchange, links, provenance, original.is_some());
        let sniffed = match is_sniffed(&notes.mime) {
            false => None,
            true => {
                let begin = exchange.decoded_payload(ROOT_WITHIN_BYTES).map_err(|source| self.io(source))?;
                Some(Body::new(exchange.head.status, &exchange.head.headers, begin).media(url))
            }
        };
        let records = self.archive.write(url, &mut exchange, original.as_ref(), &notes)?;
        let entry = CaptureEntry { sniffed, ..entry_of(url, &exchange, original.as_ref(), notes, records) };
        permit.set_bytes(storing);
        Ok(Some(Taken { entry, main_text, permit }))
    }

    /// Reads an answer for its links when there is room for it besides `packing` bytes.
    fn read(
        &self,
        url: &Url,
        mut exchange: Exchange,
        packing: usize,
    ) -> Result<Option<(Exchange, PageLinks, PagePermit<'_>)>, WarcError> {
        let may_have_links = may_have_links(url, &exchange.head.headers);
        let mut expected = expected_len(url, &exchange);
        loop {
            let reading = if may_have_links { reading_bytes(url, &exchange.head.headers, expected) } else { 0 };
            let Some(permit) = self.pages.reserve(packing + reading, || self.cx.is_cancelled()) else {
                return Ok(None);
            };
            let (returned, read) = match may_have_links && exchange.response.len().max(expected) > LONG_PAGE_BYTES {
                true => self.readers.run({
                    let url = url.clone();
                    move || read_links(&url, exchange, expected)
                }),
                false => read_links(url, exchange, expected),
            };
            exchange = returned;
            match read.map_err(|source| self.io(source))? {
                LinksRead::Complete(links) => return Ok(Some((exchange, links, permit))),
                // Who waits for more room has none: the part of this try is free again.
                LinksRead::Longer(decoded) => expected = decoded,
            }
        }
    }

    fn io(&self, source: io::Error) -> WarcError {
        WarcError::Io { path: PathBuf::from(self.archive.folder()), source }
    }
}

/// The result of reading the links of an answer.
enum LinksRead {
    Complete(PageLinks),
    /// It is so many bytes long once it is decoded, more than there is room for.
    Longer(u64),
}

/// Bytes that an answer is expected to have once it is decoded.
fn expected_len(url: &Url, exchange: &Exchange) -> u64 {
    let len = exchange.response.len();
    if is_packed_sitemap(url) {
        // It is unpacked on the way of reading it.
        return u64::try_from(unpacked_limit(usize::try_from(len).unwrap_or(usize::MAX))).unwrap_or(u64::MAX);
    }
    let is_encoded = exchange.head.headers.get("Content-Encoding").is_some();
    if is_encoded { len.saturating_mul(EXPECTED_RATIO) } else { len }
}

/// Reads an answer for its links, unless it is longer than expected.
fn read_links(url: &Url, mut exchange: Exchange, expected: u64) -> (Exchange, io::Result<LinksRead>) {
    let mut permit = LargePagePermit::default();
    let payload = match may_have_links(url, &exchange.head.headers) {
        true => permit.decode(|limit| exchange.decoded_payload(limit)),
        false => Ok(Vec::new().into()),
    };
    let read = payload.map(|payload| {
        if payload.bytes.len() as u64 > expected {
            return LinksRead::Longer(payload.bytes.len() as u64);
        }
        LinksRead::Complete(Body::new(exchange.head.status, &exchange.head.headers, payload).links(url, &mut permit))
    });
    (exchange, read)
}

fn notes_of(exchange: &Exchange, links: PageLinks, provenance: Provenance, is_revisit: bool) -> CaptureNotes {
    let not_followed = match provenance.followed {
        Some(followed) => links.outlinks.len() - followed(&links.outlinks).len(),
        None => 0,
    };
    let Provenance { via, hops, seed, source_tag, verdict, mut annotations, .. } = provenance;
    annotate(&mut annotations, exchange, not_followed, is_revisit, links.unread);
    CaptureNotes {
        status: i32::from(exchange.head.status),
        mime: exchange.mime(),
        page_type: links.page_type,
        title: links.title,
        language: links.language,
        outlinks: links.outlinks,
        unread: links.unread,
        via,
        hops,
        seed,
        source_tag,
        fetch_ms: Some(u64::try_from(exchange.took.as_millis()).unwrap_or(u64::MAX)),
        verdict,
        annotations,
        interim: String::from_utf8_lossy(&exchange.interim).into_owned(),
        certificate_problem: exchange.tls.as_ref().and_then(|tls| tls.certificate_problem.clone()),
    }
}

/// Adds Heritrix's remarks for the last column of the crawl log.
fn annotate(
    annotations: &mut Vec<String>,
    exchange: &Exchange,
    not_followed: usize,
    is_revisit: bool,
    unread: Option<Unread>,
) {
    match exchange.cut.map(CutCause::truncated) {
        Some("length") => annotations.push("lenTrunc".to_owned()),
        Some(cause) => annotations.push(format!("{cause}Trunc")),
        None => {}
    }
    if not_followed > 0 {
        annotations.push(format!("dol:{not_followed}"));
    }
    if unread.is_some_and(Unread::loses_links) {
        annotations.push("notReadWhole".to_owned());
    }
    if is_revisit {
        annotations.push("duplicate:digest".to_owned());
    }
    annotations.extend(exchange.notes.iter().map(|note| (*note).to_owned()));
    if exchange.tls.as_ref().is_some_and(|tls| tls.certificate_problem.is_some()) {
        annotations.push("certificate".to_owned());
    }
}
