//! A body is read for its links, title and text. The one place that chooses how a body is read by
//! its type.

use super::limits::LANGUAGE_TEXT_BYTES;
use super::media::{Media, Scripts, computed_type, is_page_type, is_unknown_type, is_unspecific, is_xml_type};
use super::sitemap::{GZIP, is_packed_sitemap, unpacked};
use super::{LargePagePermit, PageFacts, Unread, is_nofollow_answer};
use crate::links::pdf::{PdfRead, pdf_text, read_pdf};
use crate::links::{
    AnchorBreaks, HeaderLink, LinkKind, MAX_PAGE_BYTES, Outlink, Page, PageCuts, PageLink, PageOptions, header_links,
    is_text_sitemap, read_css, read_json, read_links, read_page, read_playlist, read_text, read_text_sitemap, read_xml,
};
use crate::text::{PageText, text_of_json, text_of_markup};
use crate::uri::{Url, resolve};
use crate::warc::Headers;
use crate::warc::http::{HttpHead, MediaType, Payload, decode_payload};
use std::borrow::Cow;

/// The status of a capture whose record has the payload as its block: it was there to be kept.
pub(super) const STATUS_BY_CONVENTION: u16 = 200;

/// Bytes of a list that show whether it is XML or a text.
const SITEMAP_BEGIN: usize = 4096;

/// The form in which a body is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyForm {
    /// A page.
    Html,
    /// A page served as XML: `<script src="x"/>` has no content.
    Xhtml,
    /// A style sheet.
    Css,
    /// XML that names files: a sitemap, a feed, an outline, a media presentation, a drawing; a sitemap in text.
    Listing,
    /// A web application manifest, a JSON Feed.
    Json,
    /// A playlist of HTTP Live Streaming.
    Playlist,
    /// A PDF file.
    Pdf,
    /// Nothing that links are read from.
    Other,
}

impl BodyForm {
    /// The form of what is served with this type.
    pub fn of_type(mime: &str) -> Self {
        match mime {
            "text/html" => Self::Html,
            "application/xhtml+xml" => Self::Xhtml,
            "text/css" => Self::Css,
            "application/xml" | "text/xml" | "text/x-opml" | "text/opml" => Self::Listing,
            "application/json" | "text/json" | "application/manifest+json" | "application/feed+json" => Self::Json,
            "application/vnd.apple.mpegurl" | "application/x-mpegurl" | "audio/mpegurl" | "audio/x-mpegurl" => {
                Self::Playlist
            }
            "application/pdf" => Self::Pdf,
            _ if mime.ends_with("+xml") => Self::Listing,
            _ => Self::Other,
        }
    }

    /// The same, with what the name of a file says where its type says nothing of links.
    fn of_name(mime: &str, url: &Url) -> Self {
        let path = url.path();
        match Self::of_type(mime) {
            Self::Other if path.ends_with(".m3u8") => Self::Playlist,
            Self::Other if path.ends_with(".webmanifest") => Self::Json,
            Self::Other if mime == "text/plain" && (path.ends_with(".txt") || path.contains("sitemap")) => {
                Self::Listing
            }
            Self::Other if path.contains("sitemap") && !mime.is_empty() && is_unspecific(mime) => Self::Listing,
            form => form,
        }
    }

    /// The form of a body of this type: where the type is unspecific, by the first bytes and the URL
    /// ([`computed_type`]).
    pub fn of(mime: &str, url: &Url, body: &[u8]) -> Self {
        Self::of_computed(computed_type(mime, body, Scripts::Run), url, body)
    }

    fn of_computed(mime: &str, url: &Url, body: &[u8]) -> Self {
        match Self::of_name(mime, url) {
            Self::Other if is_packed_sitemap(url) && body.starts_with(&GZIP) => Self::Listing,
            form => form,
        }
    }

    /// Whether it is a page.
    pub(super) fn is_page(self) -> bool {
        self.page_type().is_some()
    }

    /// The type that stands for a page of this form.
    fn page_type(self) -> Option<&'static str> {
        match self {
            Self::Html => Some("text/html"),
            Self::Xhtml => Some("application/xhtml+xml"),
            _ => None,
        }
    }

    /// Whether somebody who looks for links would miss those of it: of what is a file for other ends they are a bonus.
    fn has_links(self) -> bool {
        matches!(self, Self::Html | Self::Xhtml | Self::Css | Self::Listing)
    }
}

/// The links of a body, with its title and language.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageLinks {
    /// Title of a page.
    pub title: Option<String>,
    /// Language of a page.
    pub language: Option<String>,
    /// Its links.
    pub outlinks: Vec<Outlink>,
    /// The target of its redirect.
    pub redirect_to: Option<Url>,
    /// Why it was not read whole.
    pub unread: Option<Unread>,
    /// The type that it was read as where it is a page whatever type is declared.
    pub page_type: Option<&'static str>,
    /// The main text of a page within its first bytes of text ([`LANGUAGE_TEXT_BYTES`]), where links alone were read.
    pub main_text: Option<String>,
}

/// Whether links are looked for in an answer with these fields.
pub fn may_have_links(url: &Url, headers: &Headers) -> bool {
    may_lead(url, &MediaType::of(headers).mime)
}

/// Whether links are looked for in an answer of this type, which may be none; any document of XML may be a page.
pub(super) fn may_lead(url: &Url, mime: &str) -> bool {
    let is_open = is_unknown_type(mime) || is_xml_type(mime);
    is_open || is_packed_sitemap(url) || BodyForm::of_name(mime, url) != BodyForm::Other
}

/// Whether links are looked for in what has this type.
pub(super) fn has_links(url: &Url, mime: &str) -> bool {
    is_packed_sitemap(url) || BodyForm::of_type(mime).has_links()
}

/// Whether an answer with this status leads to its `Location`.
pub fn is_redirect(status: u16) -> bool {
    (300..400).contains(&status) && status != 304
}

/// The redirect target of an answer with these fields.
pub fn redirect_target(url: &Url, status: u16, headers: &Headers) -> Option<Url> {
    resolve(url, &redirect_location(status, headers)?)
}

fn redirect_location(status: u16, headers: &Headers) -> Option<Cow<'_, str>> {
    if is_redirect(status) { headers.get_url("Location") } else { None }
}

/// `X-Content-Type-Options: nosniff` (Fetch standard, 3.6: the first of its values counts).
fn forbids_sniffing(headers: &Headers) -> bool {
    let value = headers.get_text("X-Content-Type-Options").unwrap_or_default();
    value.split(',').next().is_some_and(|first| first.trim().eq_ignore_ascii_case("nosniff"))
}

/// The body of a record or an answer, without transfer and content encoding.
#[derive(Debug, Clone)]
pub struct Body<'b> {
    status: u16,
    kind: MediaType,
    location: Option<String>,
    /// What its fields lead to.
    header_links: Vec<HeaderLink>,
    /// Its fields declare so for all its links.
    nofollow: bool,
    /// Whether its type may be sniffed as one that can run scripts.
    scripts: Scripts,
    /// The bytes.
    pub payload: Payload<'b>,
}

impl<'b> Body<'b> {
    /// A payload with the status and fields that it came with.
    pub fn new(status: u16, headers: &Headers, payload: Payload<'b>) -> Self {
        let kind = MediaType::of(headers);
        let location = redirect_location(status, headers).map(Cow::into_owned);
        let nofollow = is_nofollow_answer(headers, None);
        let links = headers.all("Link").map(String::from_utf8_lossy);
        let header_links = header_links(links, headers.get_url("Refresh").as_deref());
        let scripts = match is_unknown_type(&kind.mime) && forbids_sniffing(headers) {
            true => Scripts::Forbidden,
            false => Scripts::Run,
        };
        Self { status, kind, location, header_links, nofollow, scripts, payload }
    }

    /// That of a revisit, whose links are those of its original: it may have the fields of that one, and no body.
    pub(super) fn of_revisit(head: &HttpHead) -> Self {
        Self { header_links: Vec::new(), ..Self::new(head.status, &head.headers, Vec::new().into()) }
    }

    /// Decodes the body behind an HTTP head, up to a limit of bytes.
    pub fn decode(head: &HttpHead, raw_body: &'b [u8], limit: usize) -> Self {
        Self::new(head.status, &head.headers, decode_payload(head, raw_body, limit))
    }

    /// A payload without an HTTP head, with the fields that its record has of it.
    pub(super) fn of_payload(fields: &Headers, bytes: &'b [u8]) -> Self {
        let payload = Payload { bytes: bytes.into(), cut: false, bomb: false, flaws: Vec::new() };
        Self::new(STATUS_BY_CONVENTION, fields, payload)
    }

    /// The body with bytes of its own.
    pub fn into_owned(self) -> Body<'static> {
        let Self { status, kind, location, header_links, nofollow, scripts, payload } = self;
        Body { status, kind, location, header_links, nofollow, scripts, payload: payload.into_owned() }
    }

    /// The charset that its type declares.
    pub fn charset(&self) -> Option<&str> {
        self.kind.charset.as_deref()
    }

    /// Its type, which its bytes say where none is declared ([`computed_type`]).
    pub fn mime(&self) -> &str {
        computed_type(&self.kind.mime, &self.payload.bytes, self.scripts)
    }

    /// How it is read.
    pub fn form(&self, url: &Url) -> BodyForm {
        BodyForm::of_computed(self.mime(), url, &self.payload.bytes)
    }

    /// What it is to a person.
    pub fn media(&self, url: &Url) -> Media {
        Media::of_body(&self.kind.mime, url, &self.payload.bytes, self.scripts)
    }

    /// Its links, resolved against a URL, with title and language.
    pub fn links(&self, url: &Url, permit: &mut LargePagePermit) -> PageLinks {
        let (links, text) = self.read(url, permit, LANGUAGE_TEXT_BYTES);
        PageLinks { main_text: text.map(|text| text.main), ..links }
    }

    /// Its links with title and language, and the text of a page up to so many
    /// bytes, read in one pass; [`Self::text`] reads what is no page.
    pub fn read(
        &self,
        url: &Url,
        permit: &mut LargePagePermit,
        max_text_bytes: usize,
    ) -> (PageLinks, Option<PageText>) {
        let payload = &self.payload;
        permit.wait_for(payload.bytes.len());
        let bytes = &payload.bytes[..];
        let (mut is_cut, mut is_damaged, mut left_out) = (payload.cut, !payload.is_whole(), PageCuts::default());
        let mut bomb = payload.bomb;
        let (mut links, mut text) = (PageLinks::default(), None);
        if let Some(location) = &self.location {
            links.redirect_to = resolve(url, location);
            links.outlinks.extend(links.redirect_to.clone().map(|url| Outlink::bare(url, LinkKind::Redirect)));
        }
        let is_good = (200..300).contains(&self.status);
        if is_good {
            links.outlinks.extend(self.header_links.iter().filter_map(|link| {
                let url = resolve(url, &link.reference)?;
                Some(Outlink { rel: link.rel.clone(), ..Outlink::bare(url, link.kind) })
            }));
        }
        let form = self.form(url);
        links.page_type = form.page_type().filter(|_| !is_page_type(&self.kind.mime));
        match form {
            _ if bomb => {}
            BodyForm::Html | BodyForm::Xhtml => {
                // An inlink shows what a reader clicked on, and the data set has it without its breaks.
                let anchor_breaks = AnchorBreaks::Marked;
                let options = PageOptions { max_text_bytes, anchor_breaks, ..PageOptions::default() };
                let page = self.read_as(form, url, options);
                let page_text = PageText::of_page(&page, url);
                (links.title, links.language) = (page.title, page_text.language.clone());
                text = Some(page_text);
                left_out = page.cut;
                if is_good {
                    links.outlinks.extend(page.links);
                }
            }
            BodyForm::Css if is_good => {
                let (found, not_kept) = read_css(bytes, self.charset(), url);
                links.outlinks.extend(found);
                left_out.links = not_kept;
            }
            BodyForm::Listing if is_good => {
                let listing = unpacked(bytes, permit);
                is_cut |= listing.cut;
                is_damaged |= !listing.is_whole();
                bomb = listing.bomb;
                let text = if bomb { &[] } else { &listing.bytes[..] };
                match is_text_sitemap(&read_text(begin_of_list(text), None)) {
                    true => {
                        let (found, not_kept) = read_text_sitemap(&read_text(text, None), url);
                        links.outlinks.extend(found);
                        left_out.links = not_kept;
                    }
                    false => {
                        let found = read_xml(text, self.charset(), url);
                        links.outlinks.extend(found.links);
                        left_out.links = found.left_out;
                        is_damaged |= found.is_damaged;
                    }
                }
            }
            BodyForm::Json if is_good => {
                let (found, not_kept) = read_json(bytes, url);
                links.outlinks.extend(found);
                left_out.links = not_kept;
            }
            BodyForm::Playlist if is_good => {
                let (found, not_kept) = read_playlist(&read_text(bytes, Some("utf-8")), url);
                links.outlinks.extend(found);
                left_out.links = not_kept;
            }
            // Its links are no inlinks, as they are none in a data set of pages.
            BodyForm::Pdf if is_good => {
                let read = read_pdf(bytes, url, false, |link| {
                    if let Ok(url) = Url::parse(link.url.as_str()) {
                        let anchor = link.anchor.to_owned();
                        links.outlinks.push(Outlink { anchor, ..Outlink::bare(url, LinkKind::Area) });
                    }
                });
                if let PdfRead::Read(cut) = read {
                    left_out.links = cut.links;
                }
            }
            _ => {}
        }
        if is_good && form.has_links() {
            links.unread = if bomb { Some(Unread::Bomb) } else { Unread::of_page(is_cut, is_damaged, &left_out) };
        } else if left_out.links > 0 {
            links.unread = Some(Unread::Cut);
        }
        for (position, link) in links.outlinks.iter_mut().enumerate() {
            link.position = u32::try_from(position).unwrap_or(u32::MAX);
            // Of the answer, where it leads is no link.
            link.nofollow |= self.nofollow && link.kind != LinkKind::Redirect;
        }
        (links, text)
    }

    /// Gives each link of a page or PDF file to `each`, without a copy, and returns why it could not be
    /// read whole; `is_cut` where its record is not.
    pub(super) fn each_link(
        &self,
        url: &Url,
        options: &PageOptions,
        is_cut: bool,
        mut each: impl FnMut(&PageLink<'_>),
    ) -> Option<Unread> {
        let payload = &self.payload;
        let nofollow = self.nofollow;
        let each = |link: &PageLink<'_>| each(&PageLink { nofollow: link.nofollow || nofollow, ..*link });
        if payload.bomb {
            return Some(Unread::Bomb);
        }
        let cut = match self.form(url) {
            BodyForm::Pdf => match read_pdf(&payload.bytes, url, options.pdf_text, each) {
                PdfRead::Read(cut) => cut,
                PdfRead::Encrypted => return Some(Unread::Encrypted),
            },
            form => {
                let options = PageOptions { xhtml: form == BodyForm::Xhtml, ..options.clone() };
                read_links(&payload.bytes, self.charset(), url, &options, each)
            }
        };
        Unread::of_page(payload.cut || is_cut, !payload.is_whole(), &cut)
    }

    /// Reads all of a page: title, text and the rest; none where it is no page.
    pub fn page(&self, url: &Url, options: PageOptions) -> Option<Page> {
        match self.form(url) {
            form @ (BodyForm::Html | BodyForm::Xhtml) if !self.payload.bomb => Some(self.read_as(form, url, options)),
            _ => None,
        }
    }

    /// Whether there may be text in it, by its type.
    pub fn may_have_text(&self, url: &Url) -> bool {
        let form = self.form(url);
        form.is_page() || form == BodyForm::Pdf || self.is_text()
    }

    /// The parts of that text without what has to be derived from them ([`PageText::parts_of`]), for
    /// who needs no more, such as a score.
    pub fn text_parts(&self, url: &Url, max_bytes: usize) -> Option<PageText> {
        match self.form(url) {
            form @ (BodyForm::Html | BodyForm::Xhtml) if !self.payload.bomb => {
                Some(PageText::parts_of(&self.read_as(form, url, text_options(max_bytes))))
            }
            _ => self.other_text(url, max_bytes).map(|(main, is_cut)| PageText { main, is_cut, ..PageText::default() }),
        }
    }

    /// The text of what is no page, and whether there is more.
    fn other_text(&self, url: &Url, max_bytes: usize) -> Option<(String, bool)> {
        let bytes = &self.payload.bytes[..];
        match self.form(url) {
            _ if self.payload.bomb => None,
            BodyForm::Html | BodyForm::Xhtml => None,
            BodyForm::Pdf => pdf_text(bytes, max_bytes).map(|text| {
                let is_cut = text.len() >= max_bytes;
                (text, is_cut)
            }),
            _ => self.plain_text(max_bytes).map(|text| {
                let text = match self.mime() {
                    mime if mime.ends_with("xml") => text_of_markup(&text),
                    mime if mime.ends_with("json") => text_of_json(&text).into_owned(),
                    _ => text,
                };
                (text, bytes.len() > max_bytes)
            }),
        }
    }

    /// Its text, at most about so many bytes: of a page main text and
    /// boilerplate, of a PDF file and of other text all. None for other types,
    /// and where nothing can be read.
    pub fn text(&self, url: &Url, max_bytes: usize) -> Option<PageText> {
        self.text_with_facts(url, max_bytes, None)
    }

    /// The text of the page; its facts are added to `facts`.
    pub fn text_with_facts(&self, url: &Url, max_bytes: usize, facts: Option<&mut PageFacts>) -> Option<PageText> {
        let bytes = &self.payload.bytes[..];
        match self.form(url) {
            _ if self.payload.bomb => None,
            form @ (BodyForm::Html | BodyForm::Xhtml) => {
                let elements = facts.is_some();
                let options = PageOptions { elements, ..text_options(max_bytes) };
                let page = self.read_as(form, url, options);
                let text = PageText::of_page(&page, url);
                if let Some(facts) = facts {
                    facts.add_page(page, &text, self.charset(), bytes);
                }
                Some(text)
            }
            _ => self.other_text(url, max_bytes).map(|(text, is_cut)| PageText::of_text(text, is_cut)),
        }
    }

    fn read_as(&self, form: BodyForm, url: &Url, options: PageOptions) -> Page {
        let options = PageOptions { xhtml: form == BodyForm::Xhtml, ..options };
        read_page(&self.payload.bytes, self.charset(), url, &options)
    }

    fn is_text(&self) -> bool {
        let mime = self.mime();
        mime.starts_with("text/")
            || mime.ends_with("json")
            || mime.ends_with("xml")
            || Media::of_type(mime) == Media::Code
    }

    /// The beginning of what is text and no page; none for other types.
    pub fn plain_text(&self, limit: usize) -> Option<String> {
        let begin = self.payload.bytes.get(..self.payload.bytes.len().min(limit)).unwrap_or_default();
        (self.is_text() && !self.payload.bomb).then(|| read_text(begin, self.charset()).into_owned())
    }
}

/// Links that are read with a text: what is main text follows from what is in anchors, and where a page sends its
/// readers on is one of its facts.
const TEXT_LINKS: [LinkKind; 2] = [LinkKind::Anchor, LinkKind::MetaRefresh];

/// The options of reading a page for its text alone.
fn text_options(max_text_bytes: usize) -> PageOptions {
    PageOptions { max_text_bytes, kinds: TEXT_LINKS.into_iter().collect(), ..PageOptions::default() }
}

/// Bytes of memory that an answer of this length may take while it is read for
/// its links, once it is decoded: a link takes some three hundred bytes, and fifteen of a page.
pub fn reading_bytes(url: &Url, headers: &Headers, answer_len: u64) -> usize {
    let len = usize::try_from(answer_len).unwrap_or(usize::MAX).min(MAX_PAGE_BYTES);
    let mime = MediaType::of(headers).mime;
    // A line of a playlist is a link. Other files for other ends have few links for their length; the objects of a PDF
    // file are packed.
    len.saturating_mul(match BodyForm::of_name(&mime, url) {
        BodyForm::Playlist => 45,
        BodyForm::Json | BodyForm::Pdf => 30,
        _ if is_unknown_type(&mime) || has_links(url, &mime) => 20,
        _ => 3,
    })
}

/// The beginning of a list, which shows whether it is a text: whole lines, unless the first one is longer.
fn begin_of_list(text: &[u8]) -> &[u8] {
    let Some(begin) = text.get(..SITEMAP_BEGIN) else { return text };
    memchr::memrchr(b'\n', begin).map_or(begin, |end| &begin[..end])
}

/// Bytes of memory that links take.
pub fn links_bytes(links: &[Outlink]) -> usize {
    links.iter().map(|link| size_of_val(link) + link.url.as_str().len() + link.anchor.len() + link.rel.len()).sum()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "page_tests.rs"]
mod tests;
