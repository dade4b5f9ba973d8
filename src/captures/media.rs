//! A medium is what a person sees in a capture: a page, a document, an image and so on.
//!
//! The one list of media types that the program has. An unspecific type
//! (`application/octet-stream`) is none: the first bytes of the payload and the ending of the URL
//! decide then.

use crate::uri::Url;

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

/// Bytes of a payload that are read.
pub const SNIFFED_BYTES: usize = 512;

/// Unspecific types; servers send them for whatever they do not know.
const UNSPECIFIC: [&str; 9] = [
    "",
    "-",
    "application/octet-stream",
    "application/download",
    "application/force-download",
    "application/x-download",
    "application/unknown",
    "binary/octet-stream",
    "unknown/unknown",
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

/// Media of first bytes, each with their offset.
const OF_BYTES: [(Media, usize, &[u8]); 22] = [
    (Media::Document, 0, b"%PDF-"),
    (Media::Document, 0, b"{\\rtf"),
    (Media::Document, 0, b"%!PS"),
    (Media::Document, 0, b"AT&TFORM"),
    // Compound files of Microsoft: texts, tables and slides before 2007.
    (Media::Document, 0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    // The first member of the package has its type (ODF 1.2 part 3, 3.3; EPUB OCF 3.2, 4.3).
    (Media::Document, 30, b"mimetypeapplication/vnd.oasis.opendocument"),
    (Media::Document, 30, b"mimetypeapplication/epub+zip"),
    (Media::Document, 30, b"[Content_Types].xml"),
    (Media::Document, 60, b"BOOKMOBI"),
    (Media::Image, 0, b"\x89PNG\r\n\x1a\n"),
    (Media::Image, 0, b"\xff\xd8\xff"),
    (Media::Image, 0, b"GIF8"),
    (Media::Image, 8, b"WEBPVP8"),
    (Media::Image, 4, b"ftypavif"),
    (Media::Audio, 0, b"ID3"),
    (Media::Audio, 0, b"fLaC"),
    (Media::Audio, 0, b"OggS"),
    (Media::Audio, 8, b"WAVEfmt"),
    (Media::Audio, 4, b"ftypM4A"),
    (Media::Video, 4, b"ftyp"),
    (Media::Video, 8, b"AVI LIST"),
    (Media::Video, 0, b"\x1a\x45\xdf\xa3"),
];

/// The first bytes of HTML.
const HTML_BEGINS: [&[u8]; 17] = [
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
    b"<!--",
];

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

    /// The medium of a type (in lower case, without parameters); where that is unspecific, of the first
    /// bytes of the payload, as far as they were read, or the ending of the URL.
    pub fn of(mime: &str, url: &Url, begin: &[u8]) -> Self {
        if !is_unspecific(mime) {
            return Self::of_type(mime);
        }
        let fits =
            |(_, at, bytes): &&(Self, usize, &[u8])| begin.get(*at..).is_some_and(|rest| rest.starts_with(bytes));
        if let Some((media, ..)) = OF_BYTES.iter().find(fits) {
            return *media;
        }
        let name = url.path().rsplit('/').next().unwrap_or_default();
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
        OF_ENDINGS
            .iter()
            .find(|(_, endings)| endings.contains(&ending.as_str()))
            .map_or(Self::Other, |(media, _)| *media)
    }

    /// The medium of the first bytes, whatever type is declared; none where they show none. HTML is
    /// known as the MIME Sniffing Standard (7.1) has it.
    pub fn sniffed(begin: &[u8]) -> Option<Self> {
        let fits =
            |(_, at, bytes): &&(Self, usize, &[u8])| begin.get(*at..).is_some_and(|rest| rest.starts_with(bytes));
        if let Some((media, ..)) = OF_BYTES.iter().find(fits) {
            return Some(*media);
        }
        let begin = begin.strip_prefix(b"\xef\xbb\xbf").unwrap_or(begin).trim_ascii_start();
        let begins = |tag: &&[u8]| {
            let is_it = begin.get(..tag.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(tag));
            is_it && begin.get(tag.len()).is_none_or(|byte| matches!(byte, b' ' | b'>' | b'\t' | b'\n' | b'\r' | 0x0c))
        };
        if HTML_BEGINS.iter().any(begins) {
            return Some(Self::Page);
        }
        begin.starts_with(b"<?xml").then_some(Self::Data)
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

/// Whether a type is so unspecific that first bytes are read.
pub fn is_unspecific(mime: &str) -> bool {
    UNSPECIFIC.contains(&mime)
}

/// Whether a type is one of pages: `text/html` or `application/xhtml+xml`.
pub fn is_page_type(mime: &str) -> bool {
    Media::of_type(mime) == Media::Page
}

/// Whether an answer shows a page: a status from 200 to 299 and a type of pages.
pub fn is_page(status: impl Into<i32>, mime: &str) -> bool {
    (200..300).contains(&status.into()) && is_page_type(mime)
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
        check("text/plain", "robots.txt", b"%PDF-", Media::Text);
        check("text/html", "a.pdf", b"%PDF-", Media::Page);
        check("application/vnd.ms-fontobject", "a.eot", b"", Media::Other);
        check("application/vnd.google-earth.kml+xml", "a.kml", b"", Media::Other);
        check("-", "a", b"\x89PNG\r\n\x1a\n", Media::Image);
        check("application/octet-stream", "a.bin", b"PK\x03\x04", Media::Other);
    }

    #[test]
    fn numbers_never_change() {
        for (number, media) in Media::ALL.into_iter().enumerate() {
            assert_eq!((Media::of_number(number as i64), media as usize), (media, number));
        }
        assert_eq!((Media::of_number(-1), Media::of_number(99)), (Media::Other, Media::Other));
        assert!(is_page(206, "text/html") && !is_page(404, "text/html") && !is_page(200, "text/plain"));
    }
}
