//! A medium is what a person sees in a capture: a page, a document, an image and so on.
//!
//! The one list of media types that the program has. An unspecific type
//! (`application/octet-stream`) is none: the first bytes of the payload and the ending of the URL
//! decide then.

use crate::uri::Url;
use std::borrow::Cow;

/// The medium of a capture, for a person. Numbers are those that a catalogue keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Media {
    /// Anything else: fonts, programs, archives.
    Other = 0,
    /// A page of HTML.
    Page = 1,
    /// Documents that are read or printed as a whole: PDF files, texts of word processors, tables, slides, books.
    Document = 2,
    /// Plain text.
    Text = 3,
    /// An image.
    Image = 4,
    /// Sound.
    Audio = 5,
    /// Moving images.
    Video = 6,
    /// Style sheets and scripts.
    Code = 7,
    /// Data that programs exchange: JSON, XML, feeds, CSV.
    Data = 8,
}

/// Bytes of a payload that are read: the resource header of the MIME Sniffing Standard (5.2).
pub const SNIFFED_BYTES: usize = 1445;

/// Types that are none to a browser (MIME Sniffing Standard, 7), besides those that are not written as one.
const UNKNOWN: [&str; 3] = ["unknown/unknown", "application/unknown", "*/*"];

/// Types that a browser believes, and that are unspecific all the same: servers send them for whatever they do not
/// know. What has one is no page.
const UNSPECIFIC: [&str; 5] = [
    "application/octet-stream",
    "application/download",
    "application/force-download",
    "application/x-download",
    "binary/octet-stream",
];

/// Media of types; one that ends with `*` is every type that begins so, and the first that fits counts.
const OF_TYPES: [(Media, &[&str]); 9] = [
    (Media::Page, &["text/html", "application/xhtml+xml"]),
    (
        Media::Document,
        &[
            "application/pdf",
            "application/x-pdf",
            "application/msword",
            "application/rtf",
            "application/x-rtf",
            "text/rtf",
            "application/postscript",
            "application/epub+zip",
            "application/x-mobipocket-ebook",
            "application/vnd.ms-excel*",
            "application/vnd.ms-powerpoint*",
            "application/vnd.ms-word*",
            "application/vnd.ms-project",
            "application/vnd.ms-works",
            "application/vnd.ms-xpsdocument",
            "application/vnd.openxmlformats-officedocument.*",
            "application/vnd.oasis.opendocument.*",
            "application/vnd.sun.xml.*",
            "application/vnd.wordperfect",
            "application/vnd.visio",
            "image/vnd.djvu*",
            "image/x-djvu",
            "application/x-ole-storage",
        ],
    ),
    (Media::Image, &["image/*"]),
    (Media::Audio, &["audio/*", "application/ogg"]),
    (Media::Video, &["video/*", "application/mp4"]),
    (
        Media::Code,
        &[
            "text/css",
            "text/javascript",
            "text/ecmascript",
            "application/javascript",
            "application/x-javascript",
            "application/ecmascript",
        ],
    ),
    (
        Media::Data,
        &[
            "application/json",
            "application/ld+json",
            "text/csv",
            "text/tab-separated-values",
            "text/xml",
            "application/xml",
            "application/rss+xml",
            "application/atom+xml",
            "application/rdf+xml",
        ],
    ),
    (Media::Text, &["text/plain", "text/markdown"]),
    (Media::Other, &["*"]),
];

/// Media of the endings of names, where the type is unspecific.
const OF_ENDINGS: [(Media, &[&str]); 4] = [
    (
        Media::Document,
        &["pdf", "doc", "docx", "odt", "rtf", "epub", "xls", "xlsx", "ods", "ppt", "pptx", "odp", "ps", "djvu", "mobi"],
    ),
    (Media::Image, &["png", "jpg", "jpeg", "gif", "webp", "avif", "svg", "ico", "tif", "tiff"]),
    (Media::Audio, &["mp3", "ogg", "oga", "flac", "wav", "m4a"]),
    (Media::Video, &["mp4", "m4v", "webm", "ogv", "mov", "avi", "mkv"]),
];

/// Types of first bytes, each with their offset; of a family of types one stands for all. First those of documents
/// and archives, which the standard leaves to others, then its own (MIME Sniffing Standard, 6.1, 6.2 and 6.3).
const OF_BYTES: [(&str, usize, &[u8]); 31] = [
    ("application/pdf", 0, b"%PDF-"),
    ("application/rtf", 0, b"{\\rtf"),
    ("application/postscript", 0, b"%!PS"),
    ("image/vnd.djvu", 0, b"AT&TFORM"),
    // Compound files of Microsoft: texts, tables and slides before 2007.
    ("application/x-ole-storage", 0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    // The first member of the package has its type (ODF 1.2 part 3, 3.3; EPUB OCF 3.2, 4.3).
    ("application/vnd.oasis.opendocument.text", 30, b"mimetypeapplication/vnd.oasis.opendocument"),
    ("application/epub+zip", 30, b"mimetypeapplication/epub+zip"),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", 30, b"[Content_Types].xml"),
    ("application/x-mobipocket-ebook", 60, b"BOOKMOBI"),
    ("image/png", 0, b"\x89PNG\r\n\x1a\n"),
    ("image/jpeg", 0, b"\xff\xd8\xff"),
    ("image/gif", 0, b"GIF8"),
    ("image/webp", 8, b"WEBPVP"),
    ("image/avif", 4, b"ftypavif"),
    ("image/bmp", 0, b"BM"),
    ("image/x-icon", 0, b"\0\0\x01\0"),
    ("image/x-icon", 0, b"\0\0\x02\0"),
    ("audio/mpeg", 0, b"ID3"),
    ("audio/flac", 0, b"fLaC"),
    ("audio/ogg", 0, b"OggS"),
    ("audio/wav", 8, b"WAVE"),
    ("audio/aiff", 8, b"AIFF"),
    ("audio/midi", 0, b"MThd\0\0\0\x06"),
    ("audio/mp4", 4, b"ftypM4A"),
    ("video/mp4", 4, b"ftyp"),
    ("video/x-msvideo", 8, b"AVI "),
    ("video/webm", 0, b"\x1a\x45\xdf\xa3"),
    ("application/x-gzip", 0, b"\x1f\x8b\x08"),
    ("application/zip", 0, b"PK\x03\x04"),
    ("application/x-rar-compressed", 0, b"Rar!\x1a\x07\0"),
    ("application/x-rar-compressed", 0, b"Rar \x1a\x07\0"),
];

/// How bytes of HTML begin (MIME Sniffing Standard, 7.1), each before `>` or a blank. That one may be of any kind, as in
/// Firefox: the standard has the space alone, and document types are often broken over lines.
const HTML_BEGINS: [&[u8]; 16] = [
    b"<!doctype html",
    b"<html",
    b"<head",
    b"<script",
    b"<iframe",
    b"<h1",
    b"<div",
    b"<font",
    b"<table",
    b"<a",
    b"<style",
    b"<title",
    b"<b",
    b"<body",
    b"<br",
    b"<p",
];

/// The namespace of XHTML.
const XHTML: &str = "http://www.w3.org/1999/xhtml";

/// Bytes at the beginning of an XML document within which its root element is looked for: comments may stand before it.
pub const ROOT_WITHIN_BYTES: usize = 64 << 10;

impl Media {
    /// Every one, by its number.
    pub const ALL: [Self; 9] = [
        Self::Other,
        Self::Page,
        Self::Document,
        Self::Text,
        Self::Image,
        Self::Audio,
        Self::Video,
        Self::Code,
        Self::Data,
    ];

    /// The medium of a type (in lower case, without parameters) and of the first bytes of the payload, as far as they
    /// were read; where both are unspecific, of the ending of the URL.
    pub fn of(mime: &str, url: &Url, begin: &[u8]) -> Self {
        Self::of_body(mime, url, begin, Scripts::Run)
    }

    pub(super) fn of_body(mime: &str, url: &Url, begin: &[u8], scripts: Scripts) -> Self {
        match Self::of_content(mime, url, begin, scripts) {
            // Rules for crawlers are no text for readers.
            Self::Text if url.path() == "/robots.txt" => Self::Code,
            media => media,
        }
    }

    fn of_content(mime: &str, url: &Url, begin: &[u8], scripts: Scripts) -> Self {
        let computed = match is_unspecific(mime) {
            true if begin.is_empty() => "",
            true if !is_unknown_type(mime) => type_of_signature(begin).unwrap_or_default(),
            _ => computed_type(mime, begin, scripts),
        };
        let media = Self::of_type(computed);
        if !is_unspecific(mime) || !matches!(media, Self::Text | Self::Other) {
            return media;
        }
        let name = url.path().rsplit('/').next().unwrap_or_default();
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
        let by_ending = OF_ENDINGS.iter().find(|(_, endings)| endings.contains(&ending.as_str()));
        by_ending.map_or(media, |(media, _)| *media)
    }

    /// The medium of the first bytes, whatever type is declared; none where they show none.
    pub fn sniffed(begin: &[u8]) -> Option<Self> {
        let media = Self::of_type(computed_type("", begin, Scripts::Run));
        Some(media).filter(|media| !matches!(media, Self::Text | Self::Other))
    }

    /// The medium of what is served with a type.
    pub fn of_type(mime: &str) -> Self {
        let fits = |pattern: &&str| match pattern.strip_suffix('*') {
            Some(begin) => mime.starts_with(begin),
            None => mime == *pattern,
        };
        OF_TYPES.iter().find(|(_, types)| types.iter().any(fits)).map_or(Self::Other, |(media, _)| *media)
    }

    /// The one of a number; other numbers mean [`Self::Other`].
    pub fn of_number(number: i64) -> Self {
        usize::try_from(number).ok().and_then(|at| Self::ALL.get(at)).copied().unwrap_or(Self::Other)
    }

    /// Its word in filters, facets and files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Other => "other",
            Self::Page => "page",
            Self::Document => "document",
            Self::Text => "text",
            Self::Image => "image",
            Self::Audio => "audio",
            Self::Video => "video",
            Self::Code => "code",
            Self::Data => "data",
        }
    }
}

/// Whether a sniffed type may be one that can run scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scripts {
    /// It may.
    Run,
    /// It may not: the server forbids to sniff the type that it did not declare (`X-Content-Type-Options: nosniff`).
    Forbidden,
}

/// The type that a browser takes a payload for (MIME Sniffing Standard, 7): the declared one, or that of the first
/// bytes where that is none. A document of XML whose root element is one of XHTML is a page.
///
/// Behind a byte order mark the standard sees plain text; here HTML and XML are known behind one, too.
pub fn computed_type<'m>(declared: &'m str, begin: &[u8], scripts: Scripts) -> &'m str {
    let mime = if is_unknown_type(declared) { sniffed_type(begin, scripts) } else { declared };
    match is_xml_type(mime) && has_root_of_xhtml(begin) {
        true => "application/xhtml+xml",
        false => mime,
    }
}

/// “Identifying a resource with an unknown MIME type” (MIME Sniffing Standard, 7.1).
fn sniffed_type(begin: &[u8], scripts: Scripts) -> &'static str {
    let begin = begin.get(..SNIFFED_BYTES).unwrap_or(begin);
    let (text, has_mark) = ascii_of(begin);
    if scripts == Scripts::Run
        && let Some(mime) = type_of_markup(&text)
    {
        return mime;
    }
    let by_signature = type_of_signature(begin).filter(|mime| *mime != "application/pdf" || scripts == Scripts::Run);
    let is_binary = |byte: &u8| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    match by_signature {
        _ if has_mark => "text/plain",
        Some(mime) => mime,
        None if begin.iter().any(is_binary) => "application/octet-stream",
        None => "text/plain",
    }
}

fn type_of_signature(begin: &[u8]) -> Option<&'static str> {
    // A name at offset 8 is one of a container of chunks, whose own name comes first.
    let is_contained = |at: usize| at != 8 || [b"RIFF", b"FORM"].iter().any(|name| begin.starts_with(*name));
    let fits = |(_, at, bytes): &&(&str, usize, &[u8])| {
        begin.get(*at..).is_some_and(|rest| rest.starts_with(bytes)) && is_contained(*at)
    };
    OF_BYTES.iter().find(fits).map(|(mime, ..)| *mime).or_else(|| is_mp3(begin).then_some("audio/mpeg"))
}

/// Whether two frames of MP3 follow one another, as they do in files without ID3 (MIME Sniffing Standard, 6.2.3).
fn is_mp3(begin: &[u8]) -> bool {
    let second = mp3_frame_bytes(begin).and_then(|len| begin.get(len..));
    second.and_then(mp3_frame_bytes).is_some()
}

/// Bytes of the frame of MPEG audio, layer III, that begins here (ISO 11172-3, 2.4.2.3; ISO 13818-3, 2.4.2.3).
fn mp3_frame_bytes(bytes: &[u8]) -> Option<usize> {
    const KBITS_OF_MPEG_1: [usize; 14] = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
    const KBITS_OF_MPEG_2: [usize; 14] = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
    const HERTZ: [usize; 3] = [44_100, 48_000, 32_000];
    let [0xff, second, third, _, ..] = *bytes else { return None };
    let is_layer_3 = second & 0xe6 == 0xe2;
    // MPEG-2 has half of the rates, MPEG-2.5 a quarter.
    let (samples, divisor, kbits) = match (second >> 3) & 3 {
        3 => (144, 1, KBITS_OF_MPEG_1),
        2 => (72, 2, KBITS_OF_MPEG_2),
        0 => (72, 4, KBITS_OF_MPEG_2),
        _ => return None,
    };
    let kbits = kbits.get(usize::from(third >> 4).checked_sub(1)?)?;
    let hertz = HERTZ.get(usize::from(third >> 2) & 3)? / divisor;
    let padding = usize::from(third >> 1) & 1;
    is_layer_3.then_some(samples * 1000 * kbits / hertz + padding)
}

/// The type of markup that text begins with.
fn type_of_markup(text: &[u8]) -> Option<&'static str> {
    let text = text.trim_ascii_start();
    let begins = |tag: &&[u8]| {
        text.get(..tag.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(tag))
            && matches!(text.get(tag.len()), Some(b' ' | b'>' | b'\t' | b'\n' | b'\r' | 0x0c))
    };
    if HTML_BEGINS.iter().any(begins) || text.starts_with(b"<!--") {
        return Some("text/html");
    }
    text.starts_with(b"<?xml").then_some("text/xml")
}

/// The letters of ASCII in the beginning of a text, and whether it begins with a byte order mark, which is left out.
/// UTF-16 is known by its mark, and XML in it by its declaration (XML 1.0, F.1).
fn ascii_of(begin: &[u8]) -> (Cow<'_, [u8]>, bool) {
    let utf16 = |bytes: &[u8], at: usize| {
        let letter = |pair: &[u8]| if pair[1 - at] == 0 { pair[at] } else { b'?' };
        Cow::Owned(bytes.chunks_exact(2).map(letter).collect())
    };
    match begin {
        [0xef, 0xbb, 0xbf, rest @ ..] => (Cow::Borrowed(rest), true),
        [0xff, 0xfe, rest @ ..] => (utf16(rest, 0), true),
        [0xfe, 0xff, rest @ ..] => (utf16(rest, 1), true),
        [b'<', 0, b'?', 0, ..] => (utf16(begin, 0), false),
        [0, b'<', 0, b'?', ..] => (utf16(begin, 1), false),
        _ => (Cow::Borrowed(begin), false),
    }
}

/// Whether a document of XML has a root element `html` of the namespace of XHTML.
fn has_root_of_xhtml(begin: &[u8]) -> bool {
    let (text, _) = ascii_of(begin.get(..ROOT_WITHIN_BYTES).unwrap_or(begin));
    let mut rest = text.trim_ascii_start();
    let behind = |text: &[u8], end: &[u8]| memchr::memmem::find(text, end).map(|at| at + end.len());
    loop {
        let end = match rest {
            [b'<', b'?', ..] => behind(rest, b"?>"),
            [b'<', b'!', b'-', b'-', ..] => behind(rest, b"-->"),
            [b'<', b'!', ..] => {
                // A document type may declare entities in brackets.
                let end = memchr::memchr2(b'>', b'[', rest);
                match end.filter(|end| rest[*end] == b'[') {
                    Some(open) => behind(&rest[open..], b"]").and_then(|end| {
                        let at = open + end;
                        memchr::memchr(b'>', &rest[at..]).map(|close| at + close + 1)
                    }),
                    None => end.map(|close| close + 1),
                }
            }
            [b'<', ..] => return memchr::memchr(b'>', rest).is_some_and(|end| is_root_of_xhtml(&rest[1..end])),
            _ => return false,
        };
        let Some(end) = end else { return false };
        rest = rest[end..].trim_ascii_start();
    }
}

/// Whether a root element with this tag, without its brackets, is one of XHTML.
fn is_root_of_xhtml(tag: &[u8]) -> bool {
    let tag = String::from_utf8_lossy(tag);
    let is_blank = |letter: char| letter.is_ascii_whitespace();
    let (name, attributes) = tag.split_once(is_blank).unwrap_or((tag.trim_end_matches('/'), ""));
    let declaration = match name.split_once(':') {
        None if name == "html" => "xmlns".to_owned(),
        Some((prefix, "html")) => format!("xmlns:{prefix}"),
        _ => return false,
    };
    attributes.match_indices(&declaration).any(|(at, _)| {
        let value = attributes[at + declaration.len()..].trim_start().strip_prefix('=').map(str::trim_start);
        let value = value.and_then(|value| value.strip_prefix(['"', '\'']));
        let is_whole =
            value.and_then(|value| value.strip_prefix(XHTML)).is_some_and(|end| end.starts_with(['"', '\'']));
        is_whole && (at == 0 || attributes[..at].ends_with(is_blank))
    })
}

/// Whether a type is none: missing, not written as one (`no-type`, as ARC files have it), or one that stands for that.
pub fn is_unknown_type(mime: &str) -> bool {
    let is_token = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
    };
    UNKNOWN.contains(&mime) || !mime.split_once('/').is_some_and(|(kind, form)| is_token(kind) && is_token(form))
}

/// Whether a type is one of XML (MIME Sniffing Standard, 4.6).
pub fn is_xml_type(mime: &str) -> bool {
    matches!(mime, "text/xml" | "application/xml") || mime.ends_with("+xml")
}

/// Whether a type is so unspecific that first bytes are read.
pub fn is_unspecific(mime: &str) -> bool {
    UNSPECIFIC.contains(&mime) || is_unknown_type(mime)
}

/// Whether first bytes show more than a type: that is unspecific, or one of XML, which pages may be written in.
pub fn is_sniffed(mime: &str) -> bool {
    is_unspecific(mime) || is_xml_type(mime)
}

/// Whether a type is one of pages: `text/html` or `application/xhtml+xml`.
pub fn is_page_type(mime: &str) -> bool {
    Media::of_type(mime) == Media::Page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(mime: &str, url: &str, begin: &[u8], media: Media) {
        let url = Url::parse(&format!("http://a.pt/{url}")).expect("a URL");
        assert_eq!(Media::of(mime, &url, begin), media, "{mime} {url}");
    }

    #[test]
    fn documents_are_known_by_their_type_their_bytes_or_their_name() {
        check("application/pdf", "a", b"", Media::Document);
        check("application/x-pdf", "a", b"", Media::Document);
        check("application/octet-stream", "a", b"%PDF-1.4", Media::Document);
        check("application/octet-stream", "relatorio.PDF?x=1", b"", Media::Document);
        check("application/octet-stream", "?a.pdf", b"", Media::Other);
        check(
            "",
            "a",
            b"PK\x03\x04\x14\0\0\0\0\0AAAABBBBCCCCDDDD\x08\0\0\0mimetypeapplication/vnd.oasis.opendocument.text",
            Media::Document,
        );
        check("application/vnd.oasis.opendocument.text", "a", b"", Media::Document);
        check("text/rtf", "a", b"", Media::Document);
        check("image/vnd.djvu", "a", b"", Media::Document);
        // A specific type counts more than bytes and names.
        check("text/plain", "a.txt", b"%PDF-", Media::Text);
        check("text/plain", "robots.txt", b"User-agent: *", Media::Code);
        check("text/plain", "a/robots.txt", b"", Media::Text);
        check("text/html", "a.pdf", b"%PDF-", Media::Page);
        check("application/vnd.ms-fontobject", "a.eot", b"", Media::Other);
        check("application/vnd.google-earth.kml+xml", "a.kml", b"", Media::Other);
        check("-", "a", b"\x89PNG\r\n\x1a\n", Media::Image);
        // MP3 without ID3: 128 kbit/s at 44.1 kHz are frames of 417 or 418 bytes.
        let frames = |first: [u8; 4], len: usize| [&first[..], &vec![0; len - 4], &[0xff, 0xfb, 0x90, 0]].concat();
        check("", "a", &frames([0xff, 0xfb, 0x90, 0], 417), Media::Audio);
        check("", "a", &frames([0xff, 0xfb, 0x92, 0], 418), Media::Audio);
        check("", "a", &frames([0xff, 0xfb, 0x90, 0], 418), Media::Other);
        check("", "a", &[0xff; 1445], Media::Text);
        check("application/octet-stream", "a.bin", b"PK\x03\x04", Media::Other);
    }

    #[test]
    fn a_type_that_is_none_is_sniffed_and_others_are_believed() {
        let xhtml = b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'>";
        for (declared, begin, expected) in [
            ("", &b"<!-- x --><p>"[..], "text/html"),
            ("no-type", b"\n <BODY bgcolor=red>", "text/html"),
            ("*/*", b"\xef\xbb\xbf<html>", "text/html"),
            ("text/html\u{b}", b"\xff\xfe<\0p\0>\0", "text/html"),
            ("", b"<htm", "text/plain"),
            ("", b"<\0p\0>\0", "application/octet-stream"),
            ("", b"\xef\xbb\xbfwords", "text/plain"),
            ("", xhtml, "application/xhtml+xml"),
            ("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml"),
            ("text/xml", xhtml, "application/xhtml+xml"),
            ("text/xml", b"<html xmlns='http://www.w3.org/1999/xhtmlx'>", "text/xml"),
            (
                "text/xml",
                b"<!DOCTYPE html [<!ENTITY a '>'>]> <!-- > --> <html xmlns = \"http://www.w3.org/1999/xhtml\"/>",
                "application/xhtml+xml",
            ),
            ("text/plain", b"<html>", "text/plain"),
            ("application/octet-stream", b"<html>", "application/octet-stream"),
            ("", b"%PDF-1.4", "application/pdf"),
            ("", b"RIFF\x01\x02\x03\x04WEBPVP8 ", "image/webp"),
            ("", b"12345678AVI 1", "text/plain"),
            ("", b"", "text/plain"),
        ] {
            assert_eq!(computed_type(declared, begin, Scripts::Run), expected, "{declared} {}", begin.escape_ascii());
        }
        // A server that forbids to sniff has no page.
        for begin in [&b"<html>"[..], b"%PDF-1.4"] {
            assert_eq!(computed_type("", begin, Scripts::Forbidden), "text/plain");
        }
        assert_eq!(computed_type("", b"\x89PNG\r\n\x1a\n", Scripts::Forbidden), "image/png");
    }

    #[test]
    fn numbers_never_change() {
        for (number, media) in Media::ALL.into_iter().enumerate() {
            assert_eq!((Media::of_number(number as i64), media as usize), (media, number));
        }
        assert_eq!((Media::of_number(-1), Media::of_number(99)), (Media::Other, Media::Other));
    }
}
