//! Links to captures as RDF.
//!
//! They are most of what is known: hundreds of a page. So the metadata record of a capture, which
//! lists them in JSON, is the only record that has them, and their statements in `knowledge.nq.gz`
//! follow from that record.

use super::graphs::LINKS;
use super::quads::{CaptureIri, push_date, push_iri, push_term, push_text};
use super::statement::RdfNode;
use crate::uri::CaptureDate;
use std::sync::LazyLock;

/// Links to a capture that are stated, of each side; its metadata record has more.
const MAX_LINKS_PER_SIDE: usize = 100;

/// A link to a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedLink {
    /// When the linking page was captured.
    pub date: CaptureDate,
    /// The URL of that page.
    pub source: String,
    /// The text of the link. Hostile text.
    pub anchor: String,
    /// Same site or not.
    pub internal: bool,
}

/// The links of a metadata record that are stated, by their positions in the list, in the order of
/// their numbers. `internal` has the side of each.
pub fn stated_links(internal: &[bool]) -> impl Iterator<Item = usize> {
    let of_side = |side: bool| internal.iter().enumerate().filter(move |(_, is)| **is == side).map(|(at, _)| at);
    of_side(false).take(MAX_LINKS_PER_SIDE).chain(of_side(true).take(MAX_LINKS_PER_SIDE))
}

/// The terms shared by the lines of all links.
struct Terms {
    class: String,
    source: String,
    target: String,
    anchor: String,
    date: String,
    sides: [String; 2],
    end: String,
}

static TERMS: LazyLock<Terms> = LazyLock::new(|| {
    let spelled = |terms: &[&str]| {
        let mut text = String::new();
        for term in terms {
            text.push(' ');
            push_term(term, &mut text);
        }
        text
    };
    Terms {
        class: spelled(&["rdf:type", "f:Link"]),
        source: spelled(&["f:source"]),
        target: spelled(&["f:target"]),
        anchor: spelled(&["f:anchor"]),
        date: spelled(&["dct:date"]),
        sides: ["f:external", "f:internal"].map(|side| spelled(&["f:side", side])),
        end: format!(" <urn:fonds:{LINKS}> .\n"),
    }
});

/// Appends the quads of the links to a capture, a line each; returns how many.
pub fn push_links(links: &[StatedLink], capture: &CaptureIri<'_>, out: &mut String) -> u64 {
    let terms = &*TERMS;
    let mut target = terms.target.clone();
    target.push(' ');
    RdfNode::Capture.push(capture, &mut target);
    let mut quads = 0;
    let mut subject = String::new();
    for (number, link) in (1..).zip(links) {
        subject.clear();
        RdfNode::PartOfCapture(format!("link-{number}")).push(capture, &mut subject);
        let mut quad = |out: &mut String, property: &str, value: &dyn Fn(&mut String)| {
            out.push_str(&subject);
            out.push_str(property);
            value(out);
            out.push_str(&terms.end);
            quads += 1;
        };
        let nothing = |_: &mut String| {};
        quad(out, &terms.class, &nothing);
        if !link.source.is_empty() {
            quad(out, &terms.source, &|out| {
                out.push(' ');
                push_iri(&link.source, out);
            });
        }
        quad(out, &target, &nothing);
        if !link.anchor.is_empty() {
            quad(out, &terms.anchor, &|out| {
                out.push(' ');
                push_text(&link.anchor, out);
            });
        }
        quad(out, &terms.date, &|out| {
            out.push(' ');
            push_date(link.date, out);
        });
        quad(out, &terms.sides[usize::from(link.internal)], &nothing);
    }
    quads
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::quads::read_quad;
    use super::*;

    #[test]
    fn a_hundred_links_of_each_side_are_stated_those_of_others_first() {
        let sides: Vec<bool> = (0..350).map(|at| at % 3 > 0).collect();
        let stated: Vec<usize> = stated_links(&sides).collect();
        assert_eq!(stated.len(), 200);
        assert!(stated[..100].iter().all(|at| !sides[*at]) && stated[100..].iter().all(|at| sides[*at]));
        assert_eq!((stated[0], stated[100]), (0, 1));
        assert_eq!(stated_links(&[true]).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn each_line_is_a_quad_about_the_link_whatever_strangers_wrote() {
        let link = |source: &str, anchor: &str| StatedLink {
            date: CaptureDate::from_seconds(1_700_000_000),
            source: source.to_owned(),
            anchor: anchor.to_owned(),
            internal: true,
        };
        let links = [link("http://a.pt/", "um\ndois \"três\\"), link("no scheme> <x:y>", ""), link("", "z")];
        for id in ["urn:uuid:1", "no iri #x", "http://a.pt/#b"] {
            let mut out = String::new();
            assert_eq!(push_links(&links, &CaptureIri::new(id), &mut out), 6 + 5 + 5);
            assert_eq!(out.lines().count(), 16);
            out.lines().for_each(|line| drop(read_quad(line.as_bytes()).unwrap()));
        }
    }
}
