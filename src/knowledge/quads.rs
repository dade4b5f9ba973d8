//! Statements as N-Quads (W3C Recommendation of 25 February 2014), written and read.
//!
//! URLs and text are what strangers wrote. An address that is no IRI is escaped
//! until it is one: signs that no URI has become `%XX`, and what has no scheme
//! becomes `urn:fonds:text:…`. Text stays as it is, with the escapes of the form.

use super::statement::{RdfNode, RdfValue, Statement};
use super::vocabulary::{CAPTURE_CLASS, space_and_name};
use crate::uri::CaptureDate;
use oxrdf::vocab::{rdf, xsd};
use oxrdf::{LiteralRef, NamedNode, NamedNodeRef, Term};
use oxttl::NQuadsParser;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::fmt::Write;

/// The id of the record of a capture, as statements name it.
pub struct CaptureIri<'c> {
    id: &'c str,
    address: String,
    /// Whether `#` and a part may follow as they are.
    takes_parts: bool,
}

impl<'c> CaptureIri<'c> {
    /// The identifier of the record with this id.
    pub fn new(id: &'c str) -> Self {
        let address = iri(id).into_string();
        let takes_parts = address == id && !id.contains('#');
        Self { id, address, takes_parts }
    }

    /// Its address.
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Statement {
    /// The line of N-Quads without its end.
    pub fn line(&self, capture: &CaptureIri<'_>) -> String {
        let mut line = String::with_capacity(256);
        self.subject.push(capture, &mut line);
        line.push(' ');
        push_term(self.property, &mut line);
        line.push(' ');
        match &self.value {
            RdfValue::Node(node) => node.push(capture, &mut line),
            RdfValue::Text(text) => push_text(text, &mut line),
            RdfValue::Date(date) => push_date(*date, &mut line),
            RdfValue::Real(number) => {
                push_literal(LiteralRef::new_typed_literal(&number.to_string(), xsd::DOUBLE), &mut line);
            }
            RdfValue::Count(count) => {
                let count = count.to_string();
                push_literal(LiteralRef::new_typed_literal(&count, xsd::NON_NEGATIVE_INTEGER), &mut line);
            }
        }
        line.push_str(" <urn:fonds:");
        line.push_str(self.graph);
        line.push_str("> .");
        line
    }
}

impl RdfNode {
    pub(super) fn push(&self, capture: &CaptureIri<'_>, line: &mut String) {
        match self {
            Self::Capture => push_node(&[&capture.address], line),
            Self::PartOfCapture(part) if capture.takes_parts => push_node(&[&capture.address, "#", part], line),
            Self::PartOfCapture(part) => push_node(&[iri(&format!("{}#{part}", capture.id)).as_str()], line),
            Self::Iri(address) => push_iri(address, line),
            Self::Term(term) => push_term(term, line),
        }
    }
}

/// Appends an address that is an IRI, in pieces.
fn push_node(address: &[&str], line: &mut String) {
    line.push('<');
    address.iter().for_each(|piece| line.push_str(piece));
    line.push('>');
}

/// Appends an address as the IRI that it is, or that is nearest to it.
pub(super) fn push_iri(address: &str, line: &mut String) {
    match is_iri(address) {
        true => push_node(&[address], line),
        false => push_node(&[iri(address).as_str()], line),
    }
}

pub(super) fn push_text(text: &str, line: &mut String) {
    // Most texts have nothing to escape.
    if text.bytes().all(|byte| byte >= b' ' && !matches!(byte, b'"' | b'\\' | 0x7f)) {
        push_quoted(text, line);
    } else {
        push_literal(LiteralRef::new_simple_literal(text), line);
    }
}

pub(super) fn push_date(date: CaptureDate, line: &mut String) {
    push_quoted(&date.to_warc(), line);
    line.push_str("^^");
    push_node(&[xsd::DATE_TIME.as_str()], line);
}

/// Appends text that has nothing to escape.
fn push_quoted(text: &str, line: &mut String) {
    line.push('"');
    line.push_str(text);
    line.push('"');
}

pub(super) fn push_term(term: &str, line: &mut String) {
    let (space, name) = space_and_name(term);
    push_node(&[space, name], line);
}

fn push_literal(literal: LiteralRef<'_>, line: &mut String) {
    // Writing into text does not fail.
    let _ = write!(line, "{literal}");
}

/// A term that is written with its prefix here.
fn vocabulary_term(term: &str) -> NamedNode {
    let (space, name) = space_and_name(term);
    NamedNode::new_unchecked(format!("{space}{name}"))
}

fn is_iri(address: &str) -> bool {
    is_plain_web_address(address) || (address.is_ascii() && NamedNodeRef::new(address).is_ok())
}

/// Whether an address is one of the web without escapes, user or brackets, as most are:
/// these are IRIs (RFC 3986, appendix A).
fn is_plain_web_address(address: &str) -> bool {
    let Some(rest) = address.strip_prefix("http://").or_else(|| address.strip_prefix("https://")) else { return false };
    let bytes = rest.as_bytes();
    let name = bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')).count();
    let (_, mut behind) = bytes.split_at(name);
    if let Some(port) = behind.strip_prefix(b":") {
        let digits = port.iter().take_while(|byte| byte.is_ascii_digit()).count();
        behind = port.split_at(digits).1;
    }
    let is_plain = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'!' | b'$' | b'&'..=b'/' | b':' | b';' | b'=' | b'?' | b'@' | b'_' | b'~')
    };
    name > 0 && (behind.is_empty() || behind.starts_with(b"/")) && behind.iter().all(is_plain)
}

/// The IRI of an address: itself where it is one in ASCII, else as near as can be.
fn iri(address: &str) -> NamedNode {
    let as_it_is = is_iri(address).then(|| NamedNode::new_unchecked(address));
    let escaped = || NamedNode::new(escaped(address)).ok();
    // Nothing but letters, digits and escapes follows the scheme.
    let as_text =
        || NamedNode::new_unchecked(format!("urn:fonds:text:{}", utf8_percent_encode(address, NON_ALPHANUMERIC)));
    as_it_is.or_else(escaped).unwrap_or_else(as_text)
}

/// The address with `%XX` for all that no URI may have (RFC 3986).
fn escaped(address: &str) -> String {
    let bytes = address.as_bytes();
    // Brackets belong to a host that is an IPv6 address, and nowhere else.
    let host = address.find("://").map_or(0..0, |scheme| {
        let from = scheme + 3;
        from..address[from..].find(['/', '?', '#']).map_or(address.len(), |end| from + end)
    });
    let mut out = String::with_capacity(address.len() + 16);
    let mut has_fragment = false;
    for (at, byte) in bytes.iter().enumerate() {
        let is_fine = match byte {
            b'%' => bytes.get(at + 1..at + 3).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)),
            b'#' => !std::mem::replace(&mut has_fragment, true),
            b'[' | b']' => host.contains(&at),
            _ => byte.is_ascii_alphanumeric() || b"-._~:/?@!$&'()*+,;=".contains(byte),
        };
        match is_fine {
            true => out.push(char::from(*byte)),
            false => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// Reads a line; returns the subject where it states that this is a capture.
///
/// # Errors
///
/// What is wrong with the line.
pub fn read_quad(line: &[u8]) -> Result<Option<String>, String> {
    let mut quads = NQuadsParser::new().for_slice(line);
    let quad = match quads.next() {
        Some(Ok(quad)) => quad,
        Some(Err(error)) => return Err(error.message().to_owned()),
        None => return Err("there is no quad in it".to_owned()),
    };
    match quads.next() {
        None => {}
        Some(Ok(_)) => return Err("there is more than one quad in it".to_owned()),
        Some(Err(error)) => return Err(error.message().to_owned()),
    }
    let is_capture = quad.predicate.as_ref() == rdf::TYPE
        && matches!(&quad.object, Term::NamedNode(class) if *class == vocabulary_term(CAPTURE_CLASS));
    let named = |node: NamedNodeRef<'_>| node.as_str().to_owned();
    Ok(match &quad.subject {
        oxrdf::NamedOrBlankNode::NamedNode(node) if is_capture => Some(named(node.as_ref())),
        _ => None,
    })
}

/// The address by which quads name a record.
pub fn address_of(id: &str) -> String {
    iri(id).into_string()
}

/// Whether a line is about what has this address, or a part of it.
pub fn is_about(line: &str, address: &str) -> bool {
    let behind = line.strip_prefix('<').and_then(|line| line.strip_prefix(address));
    // An address that is no IRI with a part behind it has its `#` escaped.
    behind.is_some_and(|behind| [">", "#", "%23"].iter().any(|end| behind.starts_with(end)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::Statements;
    use super::*;
    use proptest::prelude::*;

    fn statements(subject: &str, text: &str) -> Vec<Statement> {
        let mut statements = Statements::default();
        statements.about("facts", RdfNode::Iri(subject.to_owned())).text("dct:title", text).iri("f:via", text);
        statements.take()
    }

    #[test]
    fn addresses_that_are_no_iris_are_escaped_and_others_stay() {
        for (address, expected) in [
            ("urn:uuid:4d2c6f0e-0b1a-4c67-9b0d-2a1d7e4f0001", "urn:uuid:4d2c6f0e-0b1a-4c67-9b0d-2a1d7e4f0001"),
            ("http://a.pt/x?y=1#z", "http://a.pt/x?y=1#z"),
            ("http://a.pt/a|b^c`d{e}", "http://a.pt/a%7Cb%5Ec%60d%7Be%7D"),
            ("http://a.pt/100%&%zz%41", "http://a.pt/100%25&%25zz%41"),
            ("http://[::1]:80/[x]", "http://[::1]:80/%5Bx%5D"),
            ("http://a.pt/#a#b", "http://a.pt/#a%23b"),
            ("http://a.pt/> <x:y> <z:z> .\n<evil:", "http://a.pt/%3E%20%3Cx:y%3E%20%3Cz:z%3E%20.%0A%3Cevil:"),
            ("http://a.pt/ação\u{3000}\u{202e}", "http://a.pt/a%C3%A7%C3%A3o%E3%80%80%E2%80%AE"),
            ("no scheme", "urn:fonds:text:no%20scheme"),
            ("", "urn:fonds:text:"),
            ("http://[zz/", "urn:fonds:text:http%3A%2F%2F%5Bzz%2F"),
        ] {
            assert_eq!(iri(address).as_str(), expected);
        }
    }

    #[test]
    fn a_quad_is_one_line_and_a_line_one_quad() {
        let title = &statements("http://a.pt/", "a\"b\\c\n<x> <y> <z> .\r\u{0}\u{85}\u{2028}\u{202e}")[0];
        assert_eq!(
            title.line(&CaptureIri::new("")),
            "<http://a.pt/> <http://purl.org/dc/terms/title> \
             \"a\\\"b\\\\c\\n<x> <y> <z> .\\r\\u0000\u{85}\u{2028}\u{202e}\" <urn:fonds:facts> ."
        );
        let class = Statement {
            graph: "facts",
            subject: RdfNode::Capture,
            property: "rdf:type",
            value: RdfValue::Node(RdfNode::Term(CAPTURE_CLASS)),
        };
        assert_eq!(read_quad(class.line(&CaptureIri::new("urn:test:1")).as_bytes()), Ok(Some("urn:test:1".to_owned())));
        for (line, why) in [
            ("<a:b> <a:c> \"x\" <a:d>", ""),
            ("<a:b> <a:c> \"x\" . <a:b> <a:c> \"y\" .", ""),
            ("<a:b> <a:c> \"x\" .\n<a:b> <a:c> \"y\" .", "more than one"),
            ("# a comment", "no quad"),
            ("<a b> <a:c> \"x\" .", ""),
            ("<a:b> <a:c> \"x\\q\" .", ""),
        ] {
            let error = read_quad(line.as_bytes()).unwrap_err();
            assert!(error.contains(why), "{line}: {error}");
        }
    }

    #[test]
    fn the_quick_ways_write_what_the_library_writes() {
        for text in ["", "ação", "a\"b", "a\\b", "a\nb", "a\u{7f}b", "\u{85}\u{2028}", "x\u{1}"] {
            let mut quick = String::new();
            push_text(text, &mut quick);
            assert_eq!(quick, LiteralRef::new_simple_literal(text).to_string());
        }
        let (mut quick, date) = (String::new(), CaptureDate::from_millis(1_709_283_600_123));
        push_date(date, &mut quick);
        assert_eq!(quick, LiteralRef::new_typed_literal(&date.to_warc(), xsd::DATE_TIME).to_string());
        for byte in 0..=127_u8 {
            for address in
                ["http://a.pt", "https://a.pt:80/x", "http://"].map(|begin| format!("{begin}{}y", char::from(byte)))
            {
                assert!(!is_plain_web_address(&address) || NamedNodeRef::new(&address).is_ok(), "{address}");
            }
        }
        assert!(is_plain_web_address("http://a.example:8080/b/c.html?d=e,f"));
    }

    proptest! {
        #[test]
        fn whatever_strangers_write_is_read_back_by_another_parser(
            subject in any::<String>(), text in any::<String>(), tail in "[ -~\u{80}-\u{ff}\u{2000}-\u{2fff}]{1,40}"
        ) {
            for (subject, text) in [(&subject, &text), (&format!("http://a.pt/{tail}"), &tail)] {
                for statement in statements(subject, &format!("t{text}")) {
                    let line = statement.line(&CaptureIri::new("urn:test:1"));
                    prop_assert!(!line.contains(['\n', '\r']));
                    let mut quads = NQuadsParser::new().for_slice(line.as_bytes());
                    let quad = quads.next().unwrap().unwrap();
                    prop_assert!(quads.next().is_none());
                    if let Term::Literal(literal) = quad.object {
                        prop_assert_eq!(literal.value(), format!("t{text}"));
                    }
                }
            }
        }
    }
}
