//! References of pages: attributes by their meaning, sheets inside of them, import maps.

use super::{Edits, FRAME_NAME, Hint, Rewriter, Rewritten, Source, in_ascii};
use crate::links::{
    AttributePlace, MarkupPart, StartTag, Tag, decode_attribute, detect_charset, each_markup, has_token,
};
use std::borrow::Cow;
use std::ops::Range;

/// Pages in `srcdoc` inside each other that are rewritten.
const MAX_SRCDOC_DEPTH: u8 = 4;

/// Link types that make browsers look names up, connect or fetch ahead, which no policy forbids.
const HINTS_OF_LINKS: [&str; 4] = ["dns-prefetch", "preconnect", "prefetch", "prerender"];

/// What is done to an attribute.
enum Action {
    Url(Hint),
    /// Its URL becomes absolute even where it is relative.
    AbsoluteUrl(Hint),
    Srcset,
    Refresh,
    Css,
    Page,
    /// It gets another name, under which it has no effect.
    Disable,
    /// Another value takes the place of its own.
    Value(String),
}

impl Rewriter {
    /// Rewrites a page; `http_charset` is that of its type, `insert` is put where its scripts begin at the earliest.
    pub fn html(mut self, body: &[u8], http_charset: Option<&str>, insert: Option<&str>) -> Rewritten {
        let (charset, _) = detect_charset(body, http_charset);
        let (bytes, charset_now) = in_ascii(body, charset);
        self.charset = charset;
        let edits = self.page_edits(&Source::new(&bytes, charset_now), insert, 0);
        let charset = (charset_now != charset).then(|| charset_now.name());
        Rewritten { bytes: edits.apply(&bytes), charset }
    }

    /// Puts a text where the scripts of a page begin at the earliest, and changes nothing else.
    pub fn insert(body: &[u8], text: &str) -> Vec<u8> {
        let source = Source::new(body, encoding_rs::UTF_8);
        let (mut edits, mut first) = (Edits::default(), InsertPlace::default());
        each_markup(&source.markup, |part| first.see(&part));
        edits.insert(first.0.unwrap_or(body.len()), text);
        edits.apply(body)
    }

    fn page_edits(mut self, source: &Source<'_>, insert: Option<&str>, depth: u8) -> Edits {
        self.take_base(source);
        let (mut edits, mut first) = (Edits::default(), InsertPlace::default());
        // The type of the script whose text comes next, and whether a base was seen.
        let (mut is_import_map, mut has_base) = (false, false);
        each_markup(&source.markup, |part| {
            first.see(&part);
            match part {
                MarkupPart::Start(start) => {
                    let tag = OpenTag { start: &start, source };
                    is_import_map =
                        start.tag == Tag::SCRIPT && tag.value("type").trim().eq_ignore_ascii_case("importmap");
                    let is_other_base = start.tag == Tag::BASE && has_base;
                    has_base |= start.tag == Tag::BASE && tag.has("href");
                    if !start.name.contains('-') && !is_other_base {
                        self.tag_edits(&tag, insert, depth, &mut edits);
                    }
                }
                MarkupPart::RawText(Tag::STYLE, place) => self.css_edits(source, place, &mut edits),
                MarkupPart::RawText(_, place) if is_import_map => {
                    let text = source.markup.get(place.clone()).unwrap_or_default();
                    self.import_map_edits(text, place.start, &mut edits);
                }
                MarkupPart::RawText(..) => {}
            }
        });
        if let Some(insert) = insert {
            edits.insert(first.0.unwrap_or(source.bytes.len()), insert);
        }
        edits
    }

    /// Takes the base that the page names: that of its first `base` element with an `href`, which counts for what
    /// precedes it, too.
    pub(super) fn take_base(&mut self, source: &Source<'_>) {
        let mut base = None;
        each_markup(&source.markup, |part| {
            if let MarkupPart::Start(start) = part
                && start.tag == Tag::BASE
                && base.is_none()
            {
                let tag = OpenTag { start: &start, source };
                base = tag.has("href").then(|| tag.value("href").into_owned());
            }
        });
        if let Some(url) = base.and_then(|base| self.page.join(base.trim()).ok())
            && !matches!(url.scheme(), "data" | "javascript")
        {
            self.base = url;
        }
    }

    fn tag_edits(&self, tag: &OpenTag<'_>, insert: Option<&str>, depth: u8, edits: &mut Edits) {
        for attribute in &tag.start.attributes {
            let name = tag.source.markup.get(attribute.name.clone()).unwrap_or_default().to_ascii_lowercase();
            let Some(action) = action(tag, &name) else { continue };
            let value = tag.decoded(attribute);
            let new = match action {
                Action::Disable => {
                    edits.insert(attribute.name.start, "_");
                    continue;
                }
                Action::Url(hint) => match tag.start.tag {
                    // A base is relative to the page itself.
                    Tag::BASE => Self { base: self.page.clone(), ..self.clone() }.url(&value, hint, false),
                    _ => self.url(&value, hint, false),
                },
                Action::AbsoluteUrl(hint) => self.url(&value, hint, true),
                Action::Srcset => Some(self.srcset(&value)),
                Action::Refresh => Some(self.refresh(&value)),
                Action::Css => Some(self.css_text(&value)),
                Action::Page if depth < MAX_SRCDOC_DEPTH => {
                    let inner = Source::new(value.as_bytes(), encoding_rs::UTF_8);
                    Some(self.clone().page_edits(&inner, insert, depth + 1).apply_to_text(&value))
                }
                // Nobody writes so; what is not read is not shown.
                Action::Page => Some(String::new()),
                Action::Value(value) => Some(value),
            };
            if let Some(new) = new.filter(|new| *new != *value) {
                edits.replace(attribute.value.clone(), encoded(&new, attribute.quote));
            }
        }
    }
}

/// A start tag with the text that it is in.
pub(super) struct OpenTag<'t> {
    pub(super) start: &'t StartTag<'t>,
    pub(super) source: &'t Source<'t>,
}

impl<'t> OpenTag<'t> {
    fn decoded(&self, attribute: &AttributePlace) -> Cow<'t, str> {
        match self.source.text(&attribute.value) {
            Cow::Borrowed(raw) => decode_attribute(raw),
            Cow::Owned(raw) => Cow::Owned(decode_attribute(&raw).into_owned()),
        }
    }

    fn find(&self, name: &str) -> Option<&'t AttributePlace> {
        let own = |place: &Range<usize>| self.source.markup.get(place.clone()).unwrap_or_default();
        self.start.attributes.iter().find(|attribute| own(&attribute.name).eq_ignore_ascii_case(name))
    }

    fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    pub(super) fn value(&self, name: &str) -> Cow<'t, str> {
        self.find(name).map_or(Cow::Borrowed(""), |attribute| self.decoded(attribute))
    }
}

/// What is done to an attribute of this name, in lower case.
fn action(tag: &OpenTag<'_>, name: &str) -> Option<Action> {
    let element = tag.start.tag;
    let of = |tags: &[Tag]| tags.contains(&element);
    Some(match name {
        "style" => Action::Css,
        "background" => Action::Url(Hint::Image),
        "integrity" | "crossorigin" | "ping" | "referrerpolicy" => Action::Disable,
        "manifest" if of(&[Tag::HTML]) => Action::Disable,
        "target" | "formtarget" if of(&[Tag::A, Tag::AREA, Tag::BASE, Tag::FORM, Tag::BUTTON, Tag::INPUT]) => {
            let is_outer = ["_top", "_parent", "_blank", "new"];
            let target = tag.value(name).trim().to_ascii_lowercase();
            Action::Value(is_outer.contains(&target.as_str()).then(|| FRAME_NAME.to_owned())?)
        }
        "href" | "xlink:href" if of(&[Tag::LINK]) => link_action(tag)?,
        "href" | "xlink:href" if of(&[Tag::SCRIPT]) => Action::AbsoluteUrl(Hint::Script),
        "href" | "xlink:href" if of(&[Tag::A, Tag::AREA, Tag::BASE]) => Action::Url(Hint::Page),
        // Elements of SVG: images, symbols of another file, patterns.
        "href" | "xlink:href" => Action::Url(Hint::Image),
        "rel" if of(&[Tag::LINK]) => Action::Value(without_hints(&tag.value("rel"))?),
        "imagesrcset" if of(&[Tag::LINK]) => Action::Srcset,
        "srcset" if of(&[Tag::IMG, Tag::SOURCE]) => Action::Srcset,
        "src" if of(&[Tag::SCRIPT]) => Action::AbsoluteUrl(Hint::Script),
        "src" if of(&[Tag::IMG, Tag::INPUT, Tag::IMAGE]) => Action::Url(Hint::Image),
        "src" if of(&[Tag::IFRAME]) => Action::Url(Hint::Frame),
        "src" if of(&[Tag::FRAME]) => Action::Url(Hint::OldFrame),
        "src" if of(&[Tag::AUDIO, Tag::VIDEO, Tag::SOURCE, Tag::TRACK, Tag::EMBED, Tag::BGSOUND]) => {
            Action::Url(Hint::Other)
        }
        "srcdoc" if of(&[Tag::IFRAME]) => Action::Page,
        "poster" if of(&[Tag::VIDEO]) => Action::Url(Hint::Image),
        "action" if of(&[Tag::FORM]) => Action::Url(Hint::Page),
        "formaction" if of(&[Tag::BUTTON, Tag::INPUT]) => Action::Url(Hint::Page),
        "cite" if of(&[Tag::BLOCKQUOTE, Tag::Q, Tag::INS, Tag::DEL]) => Action::Url(Hint::Page),
        "data" | "codebase" if of(&[Tag::OBJECT, Tag::APPLET]) => Action::Url(Hint::Other),
        "code" | "archive" if of(&[Tag::APPLET]) => Action::Url(Hint::Other),
        "value" if of(&[Tag::PARAM]) => {
            let value = tag.value("value");
            let value = value.trim();
            let is_url = ["http:", "https:", "//"]
                .iter()
                .any(|begin| value.get(..begin.len()).is_some_and(|own| own.eq_ignore_ascii_case(begin)));
            is_url.then_some(Action::Url(Hint::Other))?
        }
        "type" if of(&[Tag::SCRIPT]) => {
            let is_ahead = tag.value("type").trim().eq_ignore_ascii_case("speculationrules");
            is_ahead.then(|| Action::Value("_speculationrules".to_owned()))?
        }
        "content" if of(&[Tag::META]) => meta_action(tag)?,
        _ => return None,
    })
}

fn link_action(tag: &OpenTag<'_>) -> Option<Action> {
    let rel = tag.value("rel");
    let has = |token: &str| has_token(&rel, token);
    let is_for_later = rel.split_ascii_whitespace().all(|token| {
        HINTS_OF_LINKS.iter().any(|hint| token.eq_ignore_ascii_case(hint)) || token.eq_ignore_ascii_case("canonical")
    });
    Some(match () {
        // What is not fetched stays as evidence.
        () if is_for_later && !rel.trim().is_empty() => return None,
        () if has("modulepreload") => Action::AbsoluteUrl(Hint::Script),
        () if has("stylesheet") => Action::Url(Hint::Style),
        () if has("preload") => Action::Url(hint_of_preload(&tag.value("as"))),
        () => Action::Url(Hint::Other),
    })
}

/// The hint for what is loaded ahead as this.
pub(super) fn hint_of_preload(destination: &str) -> Hint {
    match destination.trim().to_ascii_lowercase().as_str() {
        "script" | "worker" => Hint::Script,
        "style" => Hint::Style,
        "image" => Hint::Image,
        "document" => Hint::Frame,
        "fetch" => Hint::Page,
        _ => Hint::Other,
    }
}

/// A `rel` whose types that act outside the page are none any more; nothing where it has none of them.
pub(super) fn without_hints(rel: &str) -> Option<String> {
    let is_hint = |token: &&str| HINTS_OF_LINKS.iter().any(|hint| token.eq_ignore_ascii_case(hint));
    rel.split_ascii_whitespace().any(|token| is_hint(&token)).then(|| {
        let tokens = rel.split_ascii_whitespace();
        tokens
            .map(|token| if is_hint(&token) { format!("_{token}") } else { token.to_owned() })
            .collect::<Vec<_>>()
            .join(" ")
    })
}

fn meta_action(tag: &OpenTag<'_>) -> Option<Action> {
    let (equiv, name) = (tag.value("http-equiv"), tag.value("name"));
    match equiv.trim().to_ascii_lowercase().as_str() {
        "refresh" => Some(Action::Refresh),
        "content-security-policy" | "content-security-policy-report-only" => Some(Action::Disable),
        _ => {
            name.trim().eq_ignore_ascii_case("referrer").then(|| Action::Value("no-referrer-when-downgrade".to_owned()))
        }
    }
}

/// Where scripts of a page begin at the earliest: behind `<head>`, or before the first other element but `html`.
#[derive(Default)]
struct InsertPlace(Option<usize>);

impl InsertPlace {
    fn see(&mut self, part: &MarkupPart<'_>) {
        if let MarkupPart::Start(start) = part
            && self.0.is_none()
        {
            self.0 = match start.tag {
                Tag::HTML => None,
                Tag::HEAD => Some(start.place.end),
                _ => Some(start.place.start),
            };
        }
    }
}

/// A value as it is written between such quotes, in ASCII, so that it fits into any charset.
fn encoded(value: &str, quote: Option<u8>) -> String {
    let mut out = String::with_capacity(value.len());
    for letter in value.chars() {
        let is_special = match quote {
            Some(b'\'') => letter == '\'',
            Some(_) => letter == '"',
            None => letter.is_ascii_whitespace() || matches!(letter, '"' | '\'' | '=' | '`'),
        };
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if is_special => out.push_str("&quot;"),
            letter if is_special && quote.is_some() || !letter.is_ascii() => {
                out.push_str(&format!("&#{};", letter as u32))
            }
            // In a URL without quotes `=` is harmless but as its first letter.
            '=' if !out.is_empty() => out.push('='),
            letter if is_special => out.push_str(&format!("&#{};", letter as u32)),
            letter => out.push(letter),
        }
    }
    out
}
