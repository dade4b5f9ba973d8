//! Extracts links from PDF files: the addresses of link annotations and, as an option, those that are printed
//! as text (see `text`).
//!
//! Of annotations are read `/URI` strings of actions (ISO 32000-1, 12.6.4.7) in the open or in object streams
//! packed with Flate (7.5.7). Limits: a link whose address is an object of its own, object streams with a
//! predictor or another filter, and everything in an encrypted file are not found. The words of a link are
//! drawn elsewhere, at the same place of the page; its anchor is the address as written, as the published
//! data set has it for PDF files.

mod objects;
mod text;

use super::html::collect::{MAX_ANCHOR_BYTES, MAX_LINK_BYTES_PER_PAGE, MAX_LINKS_PER_PAGE, MAX_URL_BYTES, PageLink};
use super::html::fold::fold_into;
use super::page::{LinkKind, PageCuts};
use super::resolve::Resolver;
use crate::uri::{Url, parse_web_url};
use encoding_rs::UTF_8;
use flate2::read::DeflateDecoder;
use memchr::memmem;
use objects::{MAX_STREAM_BYTES, MAX_STREAMS, MAX_UNPACKED_BYTES, is_regular, string_at};
use std::io::Read;
use std::ops::Range;
use text::{printed_addresses, shown_texts};

/// Between the name `/ObjStm` and both ends of its dictionary.
const MAX_DICTIONARY_BYTES: usize = 4096;

/// Result of reading a PDF file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PdfRead {
    /// All that can be read was.
    Read(PageCuts),
    /// The strings are encrypted.
    Encrypted,
}

/// Gives every address to `each`, resolved against the base that the file names
/// for them (`/Base` of its `/URI` dictionary, ISO 32000-1, 12.6.4.7), else
/// against its own; `printed` says whether those in the text, too.
pub(crate) fn read_pdf(body: &[u8], url: &Url, printed: bool, each: impl FnMut(&PageLink<'_>)) -> PdfRead {
    if is_encrypted(body) {
        return PdfRead::Encrypted;
    }
    let mut found = Found::default();
    found.annotations_in(body);
    let (mut left, mut unpacked, mut read_to) = (MAX_UNPACKED_BYTES, Vec::new(), 0);
    for at in memmem::find_iter(body, b"/ObjStm").take(MAX_STREAMS) {
        // No byte is searched or unpacked twice, however many names are before it.
        let Some(stream) = object_stream(body, at, read_to) else { continue };
        read_to = stream.end;
        let packed = body.get(stream).unwrap_or_default();
        unpacked.clear();
        // What is broken in the middle is read up to about there, so the checksum
        // at the end says nothing new.
        let _ = DeflateDecoder::new(packed).take(left.min(MAX_STREAM_BYTES)).read_to_end(&mut unpacked);
        left = left.saturating_sub(unpacked.len() as u64);
        found.annotations_in(&unpacked);
        if left == 0 {
            found.cut.links += 1;
            break;
        }
    }
    if printed {
        found.cut.links += printed_addresses(body, |address| found.link(address));
    }
    PdfRead::Read(found.resolve(url, each))
}

/// The text of a PDF file, in the order of its pages in the file, one line a
/// line; at most so many bytes. None where it is encrypted.
pub(crate) fn pdf_text(body: &[u8], max_bytes: usize) -> Option<String> {
    if is_encrypted(body) {
        return None;
    }
    let mut out = String::new();
    shown_texts(body, |text| {
        for line in text.split(|c: char| c.is_control() && c != '\t') {
            let (begin, line) = (out.len(), line.replace('\u{fffd}', " "));
            fold_into(&mut out, &line);
            out.truncate(out.trim_end_matches(' ').len().max(begin));
            if out.len() > begin {
                out.push('\n');
            }
        }
        out.len() <= max_bytes
    });
    out.truncate(out.floor_char_boundary(max_bytes));
    out.truncate(out.trim_end().len());
    Some(out)
}

/// Streams are encrypted too, so the name in one of them is not seen.
fn is_encrypted(body: &[u8]) -> bool {
    memmem::find_iter(body, b"/Encrypt").any(|at| !is_regular(body.get(at + 8)))
}

/// What was found. Addresses are resolved when all of the file was read: their base may stand anywhere.
#[derive(Default)]
struct Found {
    /// Addresses as written, one behind the other.
    addresses: String,
    /// Where they end.
    ends: Vec<usize>,
    base: Option<Url>,
    cut: PageCuts,
}

impl Found {
    fn annotations_in(&mut self, bytes: &[u8]) {
        self.base_in(bytes);
        let mut rest = bytes;
        while let Some(at) = memmem::find(rest, b"/URI") {
            rest = rest.get(at + 4..).unwrap_or_default();
            if is_regular(rest.first()) {
                continue;
            }
            let begin = rest.trim_ascii_start();
            let (text, len) = string_at(begin);
            // No byte is read twice, however many strings have no end.
            rest = begin.get(len..).unwrap_or_default();
            if let Some(text) = text {
                self.link(&text_of(text));
            }
        }
    }

    /// No other dictionary has a string of this name. The last one counts, as of all that a file says again.
    fn base_in(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(at) = memmem::find(rest, b"/Base") {
            rest = rest.get(at + 5..).unwrap_or_default();
            if is_regular(rest.first()) {
                continue;
            }
            let begin = rest.trim_ascii_start();
            let (text, len) = string_at(begin);
            rest = begin.get(len..).unwrap_or_default();
            let base = text.and_then(|text| parse_web_url(text_of(text).trim()));
            self.base = base.filter(|base| base.as_str().len() <= MAX_URL_BYTES).or(self.base.take());
        }
    }

    fn link(&mut self, text: &str) {
        let is_full = self.ends.len() >= MAX_LINKS_PER_PAGE || self.addresses.len() > MAX_LINK_BYTES_PER_PAGE;
        if is_full || text.len() > MAX_URL_BYTES.min(MAX_ANCHOR_BYTES) {
            self.cut.links += 1;
            return;
        }
        let text = text.trim();
        if !text.is_empty() {
            self.addresses.push_str(text);
            self.ends.push(self.addresses.len());
        }
    }

    fn resolve(mut self, url: &Url, mut each: impl FnMut(&PageLink<'_>)) -> PageCuts {
        let mut resolver = Resolver::new(self.base.as_ref().unwrap_or(url), UTF_8);
        let (mut begin, mut bytes, mut anchor) = (0, 0, String::new());
        for end in self.ends {
            let text = self.addresses.get(begin..end).unwrap_or_default();
            begin = end;
            anchor.clear();
            fold_into(&mut anchor, text);
            // Readers of PDF open such an address, which has no scheme, as one of the web.
            let is_bare = text.get(..4).is_some_and(|begin| begin.eq_ignore_ascii_case("www."));
            let with_scheme = is_bare.then(|| format!("http://{text}"));
            let Some(url) = resolver.resolve(with_scheme.as_deref().unwrap_or(text)) else { continue };
            bytes += url.as_str().len() + anchor.len();
            if bytes > MAX_LINK_BYTES_PER_PAGE || url.as_str().len() > MAX_URL_BYTES {
                self.cut.links += 1;
                continue;
            }
            each(&PageLink { url, kind: LinkKind::Anchor, anchor: anchor.trim_end(), nofollow: false });
        }
        self.cut
    }
}

/// Range of the deflated bytes of the stream whose dictionary holds the name at `at`; none where they begin
/// before `from`.
fn object_stream(body: &[u8], at: usize, from: usize) -> Option<Range<usize>> {
    let after = body.get(at..(at + MAX_DICTIONARY_BYTES).min(body.len()))?;
    let begin = at + memmem::find(after, b"stream")? + b"stream".len();
    let before = body.get(at.saturating_sub(MAX_DICTIONARY_BYTES)..begin)?;
    let dictionary = before.get(memmem::rfind(before, b" obj").unwrap_or(0)..)?;
    let has = |name: &[u8]| memmem::find(dictionary, name).is_some();
    if !has(b"/FlateDecode") || has(b"/DecodeParms") {
        return None;
    }
    let data = body.get(begin..)?;
    let data = data.strip_prefix(b"\r\n").or(data.strip_prefix(b"\n")).unwrap_or(data);
    // Two bytes of zlib precede the deflated ones.
    let (_, packed) = data.split_at_checked(2).filter(|(head, _)| head.first().is_some_and(|byte| byte & 15 == 8))?;
    let start = body.len() - packed.len();
    if start < from {
        return None;
    }
    // A stream without an end is that of a file that was cut off.
    let len = memmem::find(packed, b"endstream").unwrap_or(packed.len());
    Some(start..start + len)
}

/// A string as text: UTF-16 with its mark, else UTF-8, else Latin-1.
fn text_of(bytes: Vec<u8>) -> String {
    if let Some(units) = bytes.strip_prefix(&[0xfe, 0xff]) {
        let units = units.chunks_exact(2).map(|pair| pair.iter().fold(0, |unit, byte| unit << 8 | u16::from(*byte)));
        return char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    }
    String::from_utf8(bytes).unwrap_or_else(|error| error.as_bytes().iter().map(|byte| char::from(*byte)).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use proptest::prelude::*;
    use std::io::Write;

    fn read(body: &[u8]) -> (Vec<String>, PdfRead) {
        let mut links = Vec::new();
        let url = parse_web_url("http://a.pt/docs/x.pdf").unwrap();
        let read = read_pdf(body, &url, true, |link| links.push(link.url.as_str().to_owned()));
        (links, read)
    }

    #[test]
    fn addresses_are_resolved_against_the_base_that_the_file_names() {
        check(
            "<</A<</S/URI/URI(x.html)>>>> <</Type/Catalog/URI<</Base (http://b.pt/y/)>>>> <</BaseFont/Helvetica>>",
            &["http://b.pt/y/x.html"],
        );
        check("<</URI(x)>><</URI<</Base(not a base)>>>>", &["http://a.pt/docs/x"]);
    }

    #[track_caller]
    fn check(body: &str, expected: &[&str]) {
        let (links, read) = read(body.as_bytes());
        assert_eq!(links, expected, "{body}");
        assert_eq!(read, PdfRead::Read(PageCuts::default()));
    }

    #[test]
    fn addresses_of_link_annotations_are_found() {
        check(
            "%PDF-1.4\n1 0 obj <</Subtype /Link /A <</S /URI /URI (http://b.pt/x?y=1)>>>> endobj",
            &["http://b.pt/x?y=1"],
        );
        check("<</S/URI/URI(http://b.pt/\\(a\\)(b)\\\nc\\144)>>", &["http://b.pt/(a)(b)cd"]);
        check("/URI <687474703a2f2f622e70742f 41>", &["http://b.pt/A"]);
        check("/URI <FEFF0068007400740070003a002f002f0062002e00700074002f00e9>", &["http://b.pt/%C3%A9"]);
        check(
            "/URI (WWW.b.pt/x) /URI(../y.html) /URI (mailto:a@b.pt) /URI ()",
            &["http://www.b.pt/x", "http://a.pt/y.html"],
        );
        check("/URI 12 0 R /URIs (http://no.pt/) /URI (http://no.pt/ without /URI (end", &[]);
    }

    #[test]
    fn the_anchor_is_the_address_as_written() {
        let url = parse_web_url("http://a.pt/x.pdf").unwrap();
        let mut anchors = Vec::new();
        read_pdf(b"/URI (https://Arquivo.pt)/URI( www.b.pt/\\n)", &url, false, |link| {
            anchors.push(link.anchor.to_owned())
        });
        assert_eq!(anchors, ["https://Arquivo.pt", "www.b.pt/"]);
    }

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(text).unwrap();
        zlib.finish().unwrap()
    }

    fn with_stream(dictionary: &str, data: &[u8]) -> Vec<u8> {
        let mut body =
            format!("%PDF-1.5\n7 0 obj\n<</Type /ObjStm /N 1 /First 4 {dictionary}>>\nstream\r\n").into_bytes();
        body.extend_from_slice(data);
        body.extend_from_slice(b"\nendstream endobj");
        body
    }

    #[test]
    fn object_streams_are_unpacked_as_far_as_they_go() {
        let data = packed(b"9 0 <</S /URI /URI (http://b.pt/)>>");
        assert_eq!(read(&with_stream("/Filter /FlateDecode", &data)).0, ["http://b.pt/"]);
        assert_eq!(read(&with_stream("/Filter /LZWDecode", &data)).0, [""; 0]);
        assert_eq!(read(&with_stream("/Filter /FlateDecode", &data[..data.len() - 3])).0, ["http://b.pt/"]);
        let encrypted = [with_stream("/Filter /FlateDecode", &data), b"trailer <</Encrypt 3 0 R>>".to_vec()].concat();
        assert_eq!(read(&encrypted), (Vec::new(), PdfRead::Encrypted));
    }

    #[test]
    fn a_stream_is_unpacked_once_whatever_refers_to_it() {
        let data = packed(b"9 0 <</S /URI /URI (http://b.pt/)>>");
        let names = "/ObjStm ".repeat(400);
        assert_eq!(read(&with_stream(&format!("/Filter /FlateDecode {names}"), &data)).0, ["http://b.pt/"]);
        // Each of these has the rest of the file for a stream.
        let endless = "7 0 obj <</Type/ObjStm/Filter/FlateDecode>> stream\nx\u{1}".repeat(MAX_STREAMS);
        assert_eq!(read(endless.as_bytes()).0, [""; 0]);
    }

    #[test]
    fn a_bomb_is_cut() {
        let bomb = packed(&vec![b' '; MAX_STREAM_BYTES as usize + 1000]);
        let body = with_stream("/Filter /FlateDecode", &bomb).repeat(20);
        let (links, read) = read(&body);
        assert!(links.is_empty() && matches!(read, PdfRead::Read(cut) if cut.links > 0), "{read:?}");
    }

    proptest! {
        #[test]
        fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "[/URI()<>\\\\0-9A-F ObjStmream\n]{0,200}") {
            read(&bytes);
            read(text.as_bytes());
            read(&[b"/URI (", bytes.as_slice()].concat());
            read(&with_stream("/Filter /FlateDecode", &bytes));
        }
    }
}
