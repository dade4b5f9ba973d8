//! The graph of an export: written into records and a file, and read back.
//!
//! Beside the metadata record of each capture is one of N-Quads with what
//! is known of it; one `resource` record has what is known beyond captures.
//! `knowledge.nq.gz` has the lines of all of them, and the links that metadata
//! records list (see [`crate::knowledge::push_links`]): first those about captures and their
//! parts, in the order of the records, then all others in the order of their
//! bytes, each once. Its members are packed by several threads, and the same
//! whoever packs them. Memory does not grow with the graph: see [`SpillSort`].
//!
//! Earlier versions wrote `knowledge.nq`, sorted as a whole, with the links in the
//! records of N-Quads. It is read back as well.

use super::verify::Faults;
use super::{ExportError, VerifyCheck, no_temporary};
use crate::export::verify::join::SORT_BYTES;
use crate::export::write::attachments::MAX_LINE;
use crate::jobs::{InOrder, JobCx, SpillSort, counted};
use crate::knowledge::{CaptureIri, StatedLink, Statement, address_of, is_about, push_links, read_quad};
use crate::uri::CaptureDate;
use crate::warc::{BlockDigester, RecordBuilder, RecordHead, RecordType, gzip_member, metadata_target};
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

/// The file with the whole graph.
pub(super) const KNOWLEDGE_NAME: &str = "knowledge.nq.gz";
/// The name of the file of the graph in exports of earlier versions.
pub(super) const SORTED_KNOWLEDGE_NAME: &str = "knowledge.nq";
/// Bytes of lines that become a member of the file.
const MEMBER_BYTES: usize = 512 << 10;
/// Bytes of the lines of a link, about.
const BYTES_OF_LINK: usize = 800;
/// Type of the records that hold its parts.
const MIME: &str = "application/n-quads";
/// The kind in the targets of these records.
const KIND: &str = "knowledge";
/// Signs of a line that a fault shows.
const SHOWN: usize = 160;

/// States what is known beyond the captures of an export; it hears which items,
/// by their positions, could not be carried along.
pub type FurtherKnowledge<'a> =
    Box<dyn FnOnce(&[usize], &mut dyn FnMut(Vec<Statement>) -> io::Result<()>) -> anyhow::Result<()> + 'a>;

/// Compression of lines of the graph into members of the file, in order.
pub(super) type Zipping = InOrder<String, Vec<u8>>;

/// A member of the file.
pub(super) fn zip(lines: String) -> Vec<u8> {
    gzip_member(lines.as_bytes())
}

/// The lines that a capture adds to the graph.
pub(super) struct PartOfGraph {
    /// Lines about it and its parts.
    own: String,
    quads: u64,
    /// Lines about other things: decisions of persons.
    others: Vec<String>,
}

impl PartOfGraph {
    /// Makes the part of a capture from its lines and links.
    pub(super) fn of_capture(lines: &[String], links: &[StatedLink], capture: &CaptureIri<'_>) -> Self {
        let len = lines.iter().map(|line| line.len() + 1).sum::<usize>() + links.len() * BYTES_OF_LINK;
        let mut part = Self { own: String::with_capacity(len), quads: 0, others: Vec::new() };
        for line in lines {
            if is_about(line, capture.address()) {
                part.own.push_str(line);
                part.own.push('\n');
                part.quads += 1;
            } else {
                part.others.push(line.clone());
            }
        }
        part.quads += push_links(links, capture, &mut part.own);
        part
    }
}

/// The graph in the making.
pub(super) struct Graph {
    /// Members with statements on captures.
    members: BufWriter<File>,
    /// Lines that make no whole member yet.
    begun: String,
    quads: u64,
    /// Lines about other things than captures.
    others: SpillSort,
}

impl Graph {
    pub(super) fn new() -> Result<Self, ExportError> {
        let members = BufWriter::new(tempfile::tempfile().map_err(no_temporary)?);
        Ok(Self { members, begun: String::new(), quads: 0, others: SpillSort::new(SORT_BYTES) })
    }

    /// Takes the part of a capture in.
    pub(super) fn extend(&mut self, part: PartOfGraph, zipping: &mut Zipping) -> Result<(), ExportError> {
        self.quads += part.quads;
        self.begun.push_str(&part.own);
        if self.begun.len() >= MEMBER_BYTES {
            self.push_member(zipping)?;
        }
        part.others.into_iter().try_for_each(|line| self.others.push(line)).map_err(no_temporary)
    }

    fn push_member(&mut self, zipping: &mut Zipping) -> Result<(), ExportError> {
        if zipping.is_full()
            && let Some(member) = zipping.take()
        {
            self.members.write_all(&member).map_err(no_temporary)?;
        }
        zipping.push(std::mem::take(&mut self.begun));
        Ok(())
    }

    /// Ends the statements on captures.
    pub(super) fn end_captures(&mut self, zipping: &mut Zipping) -> Result<(), ExportError> {
        if !self.begun.is_empty() {
            self.push_member(zipping)?;
        }
        while let Some(member) = zipping.take() {
            self.members.write_all(&member).map_err(no_temporary)?;
        }
        Ok(())
    }

    /// Takes in what is known beyond captures; gives its record, in a temporary file, and
    /// the head of that.
    pub(super) fn of_export(
        &mut self,
        id: &str,
        warcinfo: &str,
        date: CaptureDate,
        further: FurtherKnowledge<'_>,
        left_out: &[usize],
    ) -> Result<(File, RecordHead), ExportError> {
        let mut own = SpillSort::new(SORT_BYTES);
        let no_capture = CaptureIri::new("");
        further(left_out, &mut |statements| {
            statements.iter().try_for_each(|statement| {
                let line = statement.line(&no_capture);
                self.others.push(line.clone())?;
                own.push(line)
            })
        })
        .map_err(|error| match error.downcast() {
            Ok(stopped) => ExportError::Cancelled(stopped),
            Err(error) => ExportError::Unread(error),
        })?;
        let mut block = BufWriter::new(tempfile::tempfile().map_err(no_temporary)?);
        let mut digester = BlockDigester::new(false);
        let mut len = 0;
        for line in distinct(own).map_err(no_temporary)? {
            let line = line.map_err(no_temporary)? + "\n";
            digester.update(line.as_bytes());
            len += line.len() as u64;
            block.write_all(line.as_bytes()).map_err(no_temporary)?;
        }
        let mut block = block.into_inner().map_err(|error| no_temporary(error.into_error()))?;
        let mut record = tempfile::tempfile().map_err(no_temporary)?;
        let head = RecordBuilder::new(&RecordType::Resource, id, date)
            .field("WARC-Target-URI", &metadata_target(KIND, id))
            .field("Content-Type", MIME)
            .reference("WARC-Warcinfo-ID", warcinfo)
            .digests(&digester.finish());
        block
            .rewind()
            .and_then(|()| head.compress_from(BufReader::new(block), len, BufWriter::new(&mut record)))
            .and_then(|()| record.rewind())
            .map_err(no_temporary)?;
        Ok((record, head.as_read(len)))
    }

    /// Writes the whole graph; returns the number of its quads.
    pub(super) fn write(self, out: &mut dyn Write) -> io::Result<u64> {
        let Self { members, mut begun, mut quads, others } = self;
        let mut members = members.into_inner().map_err(io::IntoInnerError::into_error)?;
        members.rewind()?;
        io::copy(&mut members, out)?;
        for line in distinct(others)? {
            begun.push_str(&line?);
            begun.push('\n');
            quads += 1;
            if begun.len() >= MEMBER_BYTES {
                out.write_all(&zip(std::mem::take(&mut begun)))?;
            }
        }
        // A file without a member would be none of gzip.
        if !begun.is_empty() || quads == 0 {
            out.write_all(&zip(begun))?;
        }
        Ok(quads)
    }
}

/// The lines of what is known of a capture, each once and in order.
pub(super) fn lines_of_capture(statements: &[Statement], capture: &CaptureIri<'_>) -> Vec<String> {
    let mut lines: Vec<String> = statements.iter().map(|statement| statement.line(capture)).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// The record of what is known of a capture.
pub(super) fn knowledge_record(id: &str, warcinfo: &str, main: &str, url: &str, date: CaptureDate) -> RecordBuilder {
    RecordBuilder::metadata(id, date, &metadata_target(KIND, url), MIME)
        .reference("WARC-Refers-To", main)
        .reference("WARC-Warcinfo-ID", warcinfo)
}

/// Whether this is such a record, or that of what is known beyond captures.
pub(super) fn is_knowledge(head: &RecordHead) -> bool {
    let prefix = metadata_target(KIND, "");
    matches!(head.record_type, RecordType::Metadata | RecordType::Resource)
        && head.headers.get("WARC-Target-URI").is_some_and(|target| target.starts_with(&prefix))
}

/// Every line once, in order.
fn distinct(lines: SpillSort) -> io::Result<impl Iterator<Item = io::Result<String>>> {
    // No quad is an empty line.
    let mut last = String::new();
    Ok(lines.finish()?.filter(move |line| match line {
        Ok(line) if last == *line => false,
        Ok(line) => {
            last.clone_from(line);
            true
        }
        Err(_) => true,
    }))
}

/// The knowledge of an export as it is read back.
pub(super) struct KnowledgeRead {
    /// The file, where there is one and it is not sorted as a whole.
    file: Option<FileLines>,
    /// Lines of the records that are in the file in the order of their bytes.
    sorted: SpillSort,
    /// The record that a metadata record is about, and the links that it lists.
    links: Option<(String, Vec<StatedLink>)>,
    /// Records about captures.
    of_captures: u64,
    /// Records of what is known beyond captures.
    of_exports: u64,
    faults: Faults,
}

/// A record of N-Quads that is being read.
pub(super) struct QuadsRead<'k> {
    of: &'k mut KnowledgeRead,
    /// The begin of a line whose end is to come.
    line: Vec<u8>,
    number: u64,
    captures: Vec<String>,
    wrong: Vec<String>,
    /// Lines that may be about the capture, where the file has those in the order of records.
    lines: Vec<String>,
    /// Bytes of them.
    len: u64,
    is_of_capture: bool,
}

impl KnowledgeRead {
    /// Reads beside the file of `folder` by this name, where it is no older form.
    pub(super) fn beside(file: Option<&Path>) -> Self {
        let mut read = Self {
            file: None,
            sorted: SpillSort::new(SORT_BYTES),
            links: None,
            of_captures: 0,
            of_exports: 0,
            faults: Faults::default(),
        };
        if let Some(path) = file.filter(|path| path.ends_with(KNOWLEDGE_NAME)) {
            read.file = FileLines::open(path, &mut read.faults);
        }
        read
    }

    pub(super) fn record(&mut self, head: &RecordHead) -> QuadsRead<'_> {
        QuadsRead {
            of: self,
            line: Vec::new(),
            number: 0,
            captures: Vec::new(),
            wrong: Vec::new(),
            lines: Vec::new(),
            len: 0,
            is_of_capture: head.record_type != RecordType::Resource,
        }
    }

    /// Whether no record of it was found.
    pub(super) fn is_empty(&self) -> bool {
        self.of_captures == 0 && self.of_exports == 0
    }

    /// Takes the links that the metadata record of a capture lists, as far as they are stated.
    pub(super) fn links_of(&mut self, about: &str, links: Vec<StatedLink>) {
        if self.file.is_some() {
            self.links = Some((about.to_owned(), links));
        }
    }

    /// Tells of a record about a capture that is not here.
    pub(super) fn lacks(&mut self, record: &str, about: &str) {
        self.faults.add(format!("{record}: it is about {about}, which is not here"));
    }

    /// Every quad can be read, every record is about a capture that is here,
    /// and the file at `path` has what the records have, where there is one.
    pub(super) fn into_check(self, path: Option<&Path>, metadata: u64, cx: &JobCx) -> Result<VerifyCheck, ExportError> {
        let Self { file, sorted, of_captures, of_exports, mut faults, .. } = self;
        if of_captures != metadata || of_exports != 1 {
            faults.add(format!(
                "{} about captures and {of_exports} about the export, instead of {metadata} and 1",
                counted(of_captures, "record")
            ));
        }
        let file = match (path, file) {
            (_, Some(file)) => Some(file),
            (Some(path), None) if path.ends_with(SORTED_KNOWLEDGE_NAME) => FileLines::open(path, &mut faults),
            // That it cannot be opened has been reported.
            (Some(_), None) => None,
            (None, None) => {
                faults.add(format!("{KNOWLEDGE_NAME} is not among the files of the manifest"));
                None
            }
        };
        let quads = match file {
            Some(file) => same_lines(file, sorted, &mut faults, cx)?,
            None => 0,
        };
        let figures = format!("{}, {}", counted(quads, "quad"), counted(of_captures + of_exports, "record"));
        Ok(faults.into_check("Knowledge is N-Quads, the same in records and file", figures))
    }
}

impl QuadsRead<'_> {
    /// Takes the next bytes of the block.
    pub(super) fn update(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            self.line.extend_from_slice(&bytes[..end]);
            self.take_line()?;
            bytes = &bytes[end + 1..];
        }
        if (self.line.len() + bytes.len()) as u64 > MAX_LINE {
            self.wrong.push(format!("line {}: it is too long", self.number + 1));
            self.line.clear();
        } else {
            self.line.extend_from_slice(bytes);
        }
        Ok(())
    }

    fn take_line(&mut self) -> io::Result<()> {
        self.number += 1;
        let line = std::mem::take(&mut self.line);
        match read_quad(&line) {
            Ok(capture) => self.captures.extend(capture),
            Err(why) => {
                self.wrong.push(format!("line {}: {why}", self.number));
                return Ok(());
            }
        }
        // What was read as a quad is UTF-8.
        let line = String::from_utf8_lossy(&line).into_owned();
        self.len += line.len() as u64;
        if !self.is_of_capture || self.of.file.is_none() || self.len > MAX_LINE {
            return self.of.sorted.push(line);
        }
        self.lines.push(line);
        Ok(())
    }

    /// Ends the record that has this head, at this place; names the record that
    /// it is about, and itself.
    pub(super) fn end(mut self, head: &RecordHead, at: &str) -> io::Result<Option<(String, String)>> {
        if !self.line.is_empty() {
            self.wrong.push(format!("line {}: it is cut off", self.number + 1));
        }
        let about = head.headers.get("WARC-Refers-To").unwrap_or_default();
        let about = about.trim().trim_matches(['<', '>']).to_owned();
        let place = format!("{at}, {}", head.headers.get("WARC-Target-URI").unwrap_or_default());
        if self.is_of_capture {
            let capture = address_of(&about);
            if self.captures.iter().any(|other| *other != capture) || self.captures.is_empty() {
                self.wrong.push(format!("it refers to {about}, and its quads are about another capture"));
            }
            self.of.of_captures += 1;
        } else {
            self.of.of_exports += 1;
        }
        for why in std::mem::take(&mut self.wrong) {
            self.of.faults.add(format!("{place}: {why}"));
        }
        if self.is_of_capture {
            self.compare(&about)?;
        }
        Ok(self.is_of_capture.then_some((about, place)))
    }

    /// Holds what is known of a capture against the file.
    fn compare(&mut self, about: &str) -> io::Result<()> {
        let KnowledgeRead { file, sorted, links, faults, .. } = &mut *self.of;
        let Some(file) = file else { return Ok(()) };
        let capture = CaptureIri::new(about);
        let mut lines = std::mem::take(&mut self.lines);
        lines.sort_unstable();
        lines.dedup();
        let (own, others): (Vec<_>, Vec<_>) = lines.into_iter().partition(|line| is_about(line, capture.address()));
        others.into_iter().try_for_each(|line| sorted.push(line))?;
        let links = links.take().filter(|(of, _)| of == about).map(|(_, links)| links).unwrap_or_default();
        let mut of_links = String::new();
        push_links(&links, &capture, &mut of_links);
        let expected: Vec<&str> = own.iter().map(String::as_str).chain(of_links.lines()).collect();
        let mut next = 0;
        while let Some(line) = expected.get(next) {
            if file.line() == Some(line.as_bytes()) {
                next += 1;
            } else if let Some(known) = file.line()
                // Faults are named for a few lines only: a file in another order is read to its end.
                && let Some(ahead) = expected[next..].iter().position(|line| line.as_bytes() == known)
            {
                expected[next..next + ahead].iter().for_each(|line| lacks(faults, line));
                next += ahead + 1;
            } else if file.line().is_some() {
                faults.add(file.stray());
            } else {
                lacks(faults, line);
                next += 1;
                continue;
            }
            file.advance(faults);
        }
        Ok(())
    }
}

fn lacks(faults: &mut Faults, line: &str) {
    let shown: String = line.chars().take(SHOWN).collect();
    faults.add(format!("{KNOWLEDGE_NAME} lacks a quad of the records: {shown}"));
}

/// Checks that the rest of the file has these lines, each once and in order;
/// returns the number of all its lines.
fn same_lines(mut file: FileLines, lines: SpillSort, faults: &mut Faults, cx: &JobCx) -> Result<u64, ExportError> {
    for line in distinct(lines).map_err(no_temporary)? {
        let line = line.map_err(no_temporary)?;
        cx.checkpoint()?;
        while file.line().is_some_and(|found| found < line.as_bytes()) {
            faults.add(file.stray());
            file.advance(faults);
        }
        if file.line() == Some(line.as_bytes()) {
            file.advance(faults);
        } else {
            lacks(faults, &line);
        }
    }
    while file.line().is_some() {
        faults.add(file.stray());
        cx.checkpoint()?;
        file.advance(faults);
    }
    Ok(file.number)
}

/// The lines of the file, one at a time.
struct FileLines {
    reader: Box<dyn BufRead>,
    name: &'static str,
    /// Number of the current line.
    number: u64,
    line: Vec<u8>,
    ended: bool,
}

impl FileLines {
    /// Opens the file at its first line; none, with a fault, where it cannot be read.
    fn open(path: &Path, faults: &mut Faults) -> Option<Self> {
        let is_packed = path.ends_with(KNOWLEDGE_NAME);
        let name = if is_packed { KNOWLEDGE_NAME } else { SORTED_KNOWLEDGE_NAME };
        let file = match File::open(path) {
            Ok(file) => BufReader::new(file),
            Err(error) => {
                faults.add(format!("{name}: {error}"));
                return None;
            }
        };
        let reader: Box<dyn BufRead> = match is_packed {
            true => Box::new(BufReader::new(MultiGzDecoder::new(file))),
            false => Box::new(file),
        };
        let mut lines = Self { reader, name, number: 0, line: Vec::new(), ended: false };
        lines.advance(faults);
        Some(lines)
    }

    /// The current line; none behind the last one.
    fn line(&self) -> Option<&[u8]> {
        (!self.ended).then_some(self.line.as_slice())
    }

    fn advance(&mut self, faults: &mut Faults) {
        self.line.clear();
        match (&mut self.reader).take(MAX_LINE).read_until(b'\n', &mut self.line) {
            Ok(0) => self.ended = true,
            Ok(_) => self.number += 1,
            Err(error) => {
                faults.add(format!("{}, line {}: {error}", self.name, self.number + 1));
                self.ended = true;
            }
        }
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        }
    }

    /// The fault of a line that no record has.
    fn stray(&self) -> String {
        let why = read_quad(&self.line).err().unwrap_or_else(|| "it is in no record, or out of order".to_owned());
        let shown: String = String::from_utf8_lossy(&self.line).chars().take(SHOWN).collect();
        format!("{}, line {}: {why}: {shown}", self.name, self.number)
    }
}
