//! Packing of captures by several threads, before they are appended in order.

use super::copy::{PackedMember, Part};
use crate::export::ExportError;
use crate::export::knowledge::{PartOfGraph, knowledge_record, lines_of_capture};
use crate::knowledge::{CaptureIri, StatedLink, Statement};
use crate::uri::CaptureDate;
use crate::warc::cdx::{IndexLine, index_line};
use crate::warc::{RecordBuilder, sha1_base32};

/// Records that are appended one after another, and what goes with them.
pub(in crate::export) struct Unpacked {
    pub parts: Vec<Part>,
    /// The metadata of the capture, where it comes in with them.
    pub about: Option<AboutCapture>,
}

/// The metadata, statements and inlinks of a capture, to be packed.
pub(in crate::export) struct AboutCapture {
    /// Head and block of its metadata record.
    pub metadata: (RecordBuilder, String),
    /// The knowledge as RDF, where that comes along.
    pub knowledge: Option<UnpackedKnowledge>,
    /// Its line of the data set.
    pub inlinks: Option<String>,
}

/// The record of N-Quads of a capture, to be packed.
pub(in crate::export) struct UnpackedKnowledge {
    /// Id of the record.
    pub id: String,
    /// Id of the `warcinfo` record of the file that it will be in, most likely.
    pub warcinfo: String,
    /// Id of the main record of the capture.
    pub main: String,
    pub url: String,
    pub date: CaptureDate,
    pub statements: Vec<Statement>,
    pub links: Vec<StatedLink>,
}

/// A packed capture, to be appended.
pub(in crate::export) struct Packed {
    pub parts: Vec<PackedMember>,
    pub about: Option<PackedAbout>,
}

/// The packed metadata, statements and inlinks of a capture, to be appended.
pub(in crate::export) struct PackedAbout {
    pub metadata: PackedRecord,
    pub knowledge: Option<PackedKnowledge>,
    pub inlinks: Option<String>,
}

/// A record of ours, and its line of the index.
pub(in crate::export) struct PackedRecord {
    pub member: Vec<u8>,
    pub line: Option<IndexLine>,
}

impl PackedRecord {
    fn of(head: RecordBuilder, block: &[u8]) -> Self {
        let digest = sha1_base32(block);
        let head = head.block_digest(&digest);
        let line = index_line(&head.as_read(block.len() as u64), &[], || Some(digest));
        Self { member: head.compress_fast(block), line }
    }
}

/// The record of N-Quads of a capture, and what goes into the graph.
pub(in crate::export) struct PackedKnowledge {
    of: UnpackedKnowledge,
    lines: Vec<String>,
    record: PackedRecord,
    part: PartOfGraph,
}

/// Packs records. With `sizes_only` what can be copied as it is stays where it is.
///
/// # Errors
///
/// As [`Part::member`].
pub(in crate::export) fn pack(unpacked: Unpacked, sizes_only: bool) -> Result<Packed, ExportError> {
    let Unpacked { parts, about } = unpacked;
    Ok(Packed {
        parts: parts.into_iter().map(|part| part.member(sizes_only)).collect::<Result<_, _>>()?,
        about: about.map(|AboutCapture { metadata: (head, block), knowledge, inlinks }| PackedAbout {
            metadata: PackedRecord::of(head, block.as_bytes()),
            knowledge: knowledge.map(PackedKnowledge::of),
            inlinks,
        }),
    })
}

impl PackedKnowledge {
    fn of(mut of: UnpackedKnowledge) -> Self {
        let capture = CaptureIri::new(&of.main);
        let lines = lines_of_capture(&std::mem::take(&mut of.statements), &capture);
        let part = PartOfGraph::of_capture(&lines, &std::mem::take(&mut of.links), &capture);
        let record = record(&of, &lines);
        Self { of, lines, record, part }
    }

    /// Makes its record for the file that this `warcinfo` record begins, and its part of the graph.
    pub(in crate::export) fn into_record(mut self, warcinfo: String) -> (PackedRecord, PartOfGraph) {
        if self.of.warcinfo != warcinfo {
            self.of.warcinfo = warcinfo;
            self.record = record(&self.of, &self.lines);
        }
        (self.record, self.part)
    }
}

fn record(of: &UnpackedKnowledge, lines: &[String]) -> PackedRecord {
    let mut block = Vec::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
    for line in lines {
        block.extend_from_slice(line.as_bytes());
        block.push(b'\n');
    }
    PackedRecord::of(knowledge_record(&of.id, &of.warcinfo, &of.main, &of.url, of.date), &block)
}
