//! Links out of XML that is no page: sitemaps, feeds, outlines, DASH, SVG.
//!
//! The text is read as a stream of events, in its charset. What is not well
//! formed is read as far as it goes. No entity but those of HTML is expanded,
//! no DTD is read, and nothing outside of the document is asked for.

use super::css::css_references;
use super::dash::{MAX_SEGMENTS, Representation, SegmentTemplate, seconds};
use super::html::{MAX_URL_BYTES, Reading, decode_references, decode_text, detect_xml};
use super::listed::ListedLinks;
use super::page::{LinkKind, Outlink};
use crate::uri::{Url, resolve};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Elements that may change the base of references at the same time.
const MAX_BASES: usize = 32;

/// Representations of a period of a media presentation whose segments are named.
const MAX_REPRESENTATIONS: usize = 256;

/// Elements deeper than this are read as if they stood there.
const MAX_DEPTH: usize = 512;

/// What is read out of one document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct XmlLinks {
    /// Its links, in reading order.
    pub(crate) links: Vec<Outlink>,
    /// Links left out because of a limit.
    pub(crate) left_out: u64,
    /// It is a list of links, and not well formed: those behind that place are missing.
    pub(crate) is_damaged: bool,
}

/// Which vocabulary a document is of, by the name of its root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Vocabulary {
    /// sitemaps.org, with the extensions for images, videos and languages.
    Sitemap,
    /// RSS 0.9 to 2.0, with Media RSS and the like.
    Rss,
    /// RFC 4287, with Media RSS.
    Atom,
    /// Lists of feeds.
    Opml,
    /// Media presentations (ISO 23009-1).
    Dash,
    Svg,
    Other,
}

impl Vocabulary {
    fn of_root(name: &str) -> Self {
        match name {
            "urlset" | "sitemapindex" => Self::Sitemap,
            "rss" | "RDF" => Self::Rss,
            "feed" => Self::Atom,
            "opml" => Self::Opml,
            "MPD" => Self::Dash,
            "svg" => Self::Svg,
            _ => Self::Other,
        }
    }
}

/// What becomes of the text of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextUse {
    Link(LinkKind),
    /// HTML, escaped or in CDATA.
    Markup,
    Css,
    /// The base of what follows beside it, and a link where it is no folder.
    Base,
}

/// A reader that goes on behind faults that files of the web have.
pub(super) fn lenient_reader(text: &str) -> Reader<&[u8]> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
    reader
}

/// Reads the links of a document. `http_charset` is the `charset` of its HTTP `Content-Type`.
pub(crate) fn read_xml(body: &[u8], http_charset: Option<&str>, url: &Url) -> XmlLinks {
    let (text, _) = decode_text(body, detect_xml(body, http_charset));
    let mut reader = lenient_reader(&text);
    let mut document = Document {
        found: ListedLinks::new(url),
        url,
        vocabulary: None,
        names: String::new(),
        begins: Vec::new(),
        too_deep: 0,
        root: Vec::new(),
        bases: Vec::new(),
        text_use: None,
        text: String::new(),
        presentation: Presentation {
            seconds: None,
            begin: 0.0,
            period: None,
            templates: Vec::new(),
            representation: Representation::default(),
            read: Vec::new(),
            left: MAX_SEGMENTS,
        },
    };
    let (mut is_damaged, mut is_ended) = (false, false);
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                if !document.start(&tag) {
                    break;
                }
            }
            Ok(Event::Empty(tag)) => {
                if !document.start(&tag) {
                    break;
                }
                document.end();
                is_ended |= document.root == tag.name().as_ref();
            }
            Ok(Event::End(tag)) => {
                document.end();
                is_ended |= document.root == tag.name().as_ref();
            }
            Ok(Event::Text(text)) => document.push(&String::from_utf8_lossy(&text)),
            Ok(Event::CData(text)) => document.push(&String::from_utf8_lossy(&text)),
            Ok(Event::GeneralRef(name)) => {
                let reference = format!("&{};", String::from_utf8_lossy(&name));
                document.push(&decode_references(&reference, Reading::Data));
            }
            Ok(Event::PI(instruction)) if instruction.target() == b"xml-stylesheet" => {
                let content = String::from_utf8_lossy(instruction.content()).into_owned();
                document.style_sheet(&BytesStart::from_content(content, 0));
            }
            Ok(Event::Eof) => {
                // The end of the root is missing: it broke off.
                is_damaged = document.is_list() && !is_ended;
                break;
            }
            Ok(Event::Comment(_) | Event::Decl(_) | Event::DocType(_) | Event::PI(_)) => {}
            Err(_) => {
                is_damaged = document.is_list();
                break;
            }
        }
    }
    document.add_segments(None);
    let (links, left_out) = document.found.finish();
    XmlLinks { links, left_out, is_damaged }
}

/// A document while it is read.
struct Document<'u> {
    found: ListedLinks,
    url: &'u Url,
    /// None before the root.
    vocabulary: Option<Vocabulary>,
    /// Local names of the open elements, one behind the other.
    names: String,
    /// Where they begin.
    begins: Vec<usize>,
    /// Open elements beyond [`MAX_DEPTH`].
    too_deep: usize,
    /// The name of the root, as it is written.
    root: Vec<u8>,
    /// Bases of references (`xml:base`, `BaseURL`), with the depth of the elements that have them.
    bases: Vec<(usize, Url)>,
    /// The element whose text is used, by its depth, and what for.
    text_use: Option<(usize, TextUse)>,
    text: String,
    presentation: Presentation,
}

/// What a media presentation said of its segments so far.
struct Presentation {
    /// Seconds of all of it, and where the period that is read begins and how long it says that it is.
    seconds: Option<f64>,
    begin: f64,
    period: Option<f64>,
    /// `SegmentTemplate` of the open elements, the outermost first.
    templates: Vec<SegmentTemplate>,
    representation: Representation,
    /// Representations of the period that is read: how long it is may be known at its end only.
    read: Vec<(SegmentTemplate, Representation, Url)>,
    /// Segments that may still be named.
    left: usize,
}

impl Document<'_> {
    /// Whether it is a list of links, and no drawing.
    fn is_list(&self) -> bool {
        self.vocabulary.is_some_and(|root| !matches!(root, Vocabulary::Svg | Vocabulary::Other))
    }

    /// An element starts; the answer says whether to read on.
    fn start(&mut self, tag: &BytesStart<'_>) -> bool {
        let qualified = tag.name();
        let qualified = String::from_utf8_lossy(qualified.as_ref());
        let (prefix, name) = qualified.split_once(':').unwrap_or(("", &qualified));
        if self.vocabulary.is_none() {
            self.root = qualified.as_bytes().to_vec();
        }
        let vocabulary = *self.vocabulary.get_or_insert_with(|| Vocabulary::of_root(name));
        if vocabulary == Vocabulary::Other {
            return false;
        }
        // An address has no elements inside: the end of its own is missing.
        if let Some((_, TextUse::Link(kind))) = self.text_use {
            self.text_use = None;
            let text = std::mem::take(&mut self.text);
            self.add(kind, &text);
        }
        let parent = self.names.get(self.begins.last().copied().unwrap_or_default()..).unwrap_or_default();
        let tag = Element { tag, prefix, name };
        // Names are short, and of long ones none is known.
        let text_use = match vocabulary {
            Vocabulary::Sitemap => sitemap_text(name, parent),
            Vocabulary::Rss => rss_text(&tag, parent),
            Vocabulary::Atom => atom_text(&tag),
            Vocabulary::Dash => matches!(name, "BaseURL" | "Location").then_some(TextUse::Base),
            Vocabulary::Svg => (name == "style").then_some(TextUse::Css),
            Vocabulary::Opml | Vocabulary::Other => None,
        };
        if self.begins.len() < MAX_DEPTH {
            self.begins.push(self.names.len());
            self.names.push_str(name.get(..name.floor_char_boundary(32)).unwrap_or_default());
        } else {
            self.too_deep += 1;
        }
        let depth = self.begins.len();
        if let Some(base) = tag.get("xml:base") {
            self.set_base(depth, &base);
        }
        if self.text_use.is_none() {
            self.text_use = text_use.map(|text_use| (depth, text_use));
            self.text.clear();
        }
        match vocabulary {
            Vocabulary::Sitemap if name == "link" => self.add_attribute(&tag, "href", LinkKind::Manifest),
            Vocabulary::Sitemap | Vocabulary::Other => {}
            Vocabulary::Rss | Vocabulary::Atom => self.entry_of_feed(&tag),
            Vocabulary::Opml if name == "outline" => {
                for attribute in ["xmlUrl", "htmlUrl", "url"] {
                    self.add_attribute(&tag, attribute, LinkKind::Manifest);
                }
            }
            Vocabulary::Opml => {}
            Vocabulary::Dash => self.part_of_presentation(&tag, depth),
            Vocabulary::Svg => self.svg_element(&tag),
        }
        true
    }

    fn part_of_presentation(&mut self, tag: &Element<'_, '_>, depth: usize) {
        let duration = |name| tag.get(name).and_then(|value| seconds(&value));
        match tag.name {
            "MPD" => self.presentation.seconds = duration("mediaPresentationDuration"),
            "Period" => {
                let begin = duration("start");
                self.add_segments(begin);
                let presentation = &mut self.presentation;
                presentation.begin = begin.unwrap_or(presentation.begin + presentation.period.unwrap_or_default());
                presentation.period = duration("duration");
            }
            "Representation" => {
                let get = |name| tag.get(name).unwrap_or_default();
                self.presentation.representation = Representation { id: get("id"), bandwidth: get("bandwidth") };
            }
            "SegmentTemplate" => {
                let templates = &mut self.presentation.templates;
                let template = SegmentTemplate::new(depth - 1, templates.last(), |name| tag.get(name));
                if templates.len() < MAX_BASES {
                    templates.push(template);
                }
            }
            "SegmentTimeline" => {
                if let Some(template) = self.presentation.templates.last_mut() {
                    template.begin_timeline();
                }
            }
            "S" => {
                if let Some(template) = self.presentation.templates.last_mut() {
                    template.push(|name| tag.get(name));
                }
            }
            _ => {
                for attribute in ["media", "sourceURL"] {
                    self.add_attribute(tag, attribute, LinkKind::Media);
                }
            }
        }
    }

    /// Adds the segments of the period that was read; the next begins at `next`, where it says so.
    fn add_segments(&mut self, next: Option<f64>) {
        let Presentation { seconds, begin, period, read, left, .. } = &mut self.presentation;
        let end = next.or(*seconds).map(|end| (end - *begin).max(0.0));
        for (template, representation, base) in std::mem::take(read) {
            template.add_segments(&representation, &base, period.or(end), left, &mut self.found);
        }
    }

    /// An element of a presentation ends.
    fn end_of_part(&mut self, depth: usize) {
        let Some(&begin) = self.begins.last() else { return };
        let Self { presentation, bases, .. } = self;
        if &self.names[begin..] == "Representation"
            && let Some(template) = presentation.templates.last()
            && presentation.read.len() < MAX_REPRESENTATIONS
        {
            let base = bases.last().map_or(self.url, |(_, base)| base).clone();
            presentation.read.push((template.clone(), std::mem::take(&mut presentation.representation), base));
        }
        while presentation.templates.last().is_some_and(|template| template.of >= depth) {
            presentation.templates.pop();
        }
    }

    /// What the attributes of an element of RSS or Atom name.
    fn entry_of_feed(&mut self, tag: &Element<'_, '_>) {
        let is_image = |tag: &Element<'_, '_>| {
            let of_type = tag.get("type").is_some_and(|kind| kind.trim_start().starts_with("image/"));
            of_type || tag.get("medium").is_some_and(|medium| medium.trim() == "image")
        };
        match (tag.prefix, tag.name) {
            (_, "link") => self.add_attribute(tag, "href", LinkKind::Manifest),
            (_, "enclosure" | "source") => self.add_attribute(tag, "url", LinkKind::Manifest),
            ("media", "content") if is_image(tag) => self.add_attribute(tag, "url", LinkKind::Image),
            ("media", "content" | "player") => self.add_attribute(tag, "url", LinkKind::Manifest),
            (_, "thumbnail") => self.add_attribute(tag, "url", LinkKind::Image),
            (_, "image") => self.add_attribute(tag, "href", LinkKind::Image),
            ("", "content") => self.add_attribute(tag, "src", LinkKind::Manifest),
            // Content of the type `xhtml`.
            (_, "a") => self.add_attribute(tag, "href", LinkKind::Area),
            (_, "img") => self.add_attribute(tag, "src", LinkKind::Image),
            _ => {}
        }
    }

    fn svg_element(&mut self, tag: &Element<'_, '_>) {
        let kind = match tag.name {
            "image" | "use" | "feImage" => LinkKind::Image,
            "a" => LinkKind::Area,
            "script" => LinkKind::Script,
            _ => {
                if let Some(style) = tag.get("style").filter(|style| style.contains('(')) {
                    self.css(&style);
                }
                // HTML in `foreignObject`.
                return if tag.name == "img" {
                    self.add_attribute(tag, "src", LinkKind::Image)
                };
            }
        };
        for attribute in ["href", "xlink:href"] {
            self.add_attribute(tag, attribute, kind);
        }
    }

    fn css(&mut self, css: &str) {
        let Self { found, bases, .. } = self;
        let base = bases.last().map(|(_, base)| base);
        css_references(css, |reference| found.add_to(base, LinkKind::Css, reference));
    }

    fn add(&mut self, kind: LinkKind, reference: &str) {
        let Self { found, bases, .. } = self;
        found.add_to(bases.last().map(|(_, base)| base), kind, reference);
    }

    fn add_attribute(&mut self, tag: &Element<'_, '_>, attribute: &str, kind: LinkKind) {
        if let Some(value) = tag.get(attribute) {
            self.add(kind, &value);
        }
    }

    /// `<?xml-stylesheet href="…"?>`, which browsers load before they show anything.
    fn style_sheet(&mut self, instruction: &BytesStart<'_>) {
        let tag = Element { tag: instruction, prefix: "", name: "" };
        self.add_attribute(&tag, "href", LinkKind::Stylesheet);
    }

    fn set_base(&mut self, depth: usize, reference: &str) {
        let base = self.bases.last().map_or(self.url, |(_, base)| base);
        if let Some(base) = resolve(base, reference)
            && base.as_str().len() <= MAX_URL_BYTES
            && self.bases.len() < MAX_BASES
        {
            self.bases.push((depth, base));
        }
    }

    fn push(&mut self, text: &str) {
        if self.text_use.is_some() {
            self.text.push_str(text);
        }
    }

    fn end(&mut self) {
        let depth = self.begins.len();
        if let Some((of, text_use)) = self.text_use
            && of == depth
        {
            self.text_use = None;
            let text = std::mem::take(&mut self.text);
            match text_use {
                TextUse::Link(kind) => self.add(kind, &text),
                TextUse::Markup => {
                    let Self { found, bases, .. } = self;
                    found.markup_to(bases.last().map(|(_, base)| base), &text);
                }
                TextUse::Css => self.css(&text),
                TextUse::Base => {
                    if !text.trim().ends_with('/') {
                        self.add(LinkKind::Media, &text);
                    }
                    self.set_base(depth.saturating_sub(1), text.trim());
                }
            }
        }
        if self.vocabulary == Some(Vocabulary::Dash) {
            self.end_of_part(depth);
        }
        let is_inside = |bases: &[(usize, Url)]| bases.last().is_some_and(|(of, _)| *of >= depth);
        while is_inside(&self.bases) {
            self.bases.pop();
        }
        if self.too_deep > 0 {
            self.too_deep -= 1;
        } else if let Some(begin) = self.begins.pop() {
            self.names.truncate(begin);
        }
    }
}

/// A start tag with its name.
struct Element<'t, 'e> {
    tag: &'t BytesStart<'e>,
    prefix: &'t str,
    name: &'t str,
}

impl Element<'_, '_> {
    /// The value of an attribute, by its name as written.
    fn get(&self, name: &str) -> Option<String> {
        let mut attributes = self.tag.html_attributes();
        let attributes = attributes.with_checks(false);
        let found = attributes.filter_map(Result::ok).find(|attribute| attribute.key.as_ref() == name.as_bytes())?;
        Some(decode_references(&String::from_utf8_lossy(&found.value), Reading::Attribute).into_owned())
    }
}

fn sitemap_text(name: &str, parent: &str) -> Option<TextUse> {
    Some(TextUse::Link(match name {
        "loc" if parent == "image" => LinkKind::Image,
        "loc" => LinkKind::Manifest,
        "content_loc" => LinkKind::Media,
        "thumbnail_loc" => LinkKind::Image,
        "player_loc" => LinkKind::Frame,
        _ => return None,
    }))
}

fn rss_text(tag: &Element<'_, '_>, parent: &str) -> Option<TextUse> {
    Some(TextUse::Link(match (tag.prefix, tag.name) {
        (_, "link" | "comments" | "commentRss") => LinkKind::Manifest,
        // An identifier is an address unless it says that it is none (RSS 2.0).
        (_, "guid") if tag.get("isPermaLink").is_none_or(|value| value.trim() != "false") => LinkKind::Manifest,
        (_, "url") if parent == "image" => LinkKind::Image,
        ("" | "content", "description" | "encoded") => return Some(TextUse::Markup),
        _ => return None,
    }))
}

fn atom_text(tag: &Element<'_, '_>) -> Option<TextUse> {
    let is_html = || matches!(tag.get("type").unwrap_or_default().trim(), "html" | "text/html");
    Some(match tag.name {
        "logo" | "icon" => TextUse::Link(LinkKind::Image),
        "uri" => TextUse::Link(LinkKind::Manifest),
        "content" | "summary" | "title" if is_html() => TextUse::Markup,
        _ => return None,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "xml_tests.rs"]
mod tests;
