//! The graph of an export: written into records and a file, and read back.
//!
//! Beside the metadata record of each capture stands one of N-Quads with what
//! is known of it; one `resource` record has what is known beyond captures.
//! `knowledge.nq` has the lines of all of them, each once, in the order of their
//! bytes. Memory does not grow with the graph: see [`SpillSort`].

use super::attachments::MAX_LINE;
use super::join::SORT_BYTES;
use super::rdf::{CaptureName, Statement, address_of, read_quad};
use super::verify::Faults;
use super::{ExportError, VerifyCheck, io_at, no_temporary};
use crate::jobs::{JobCx, SpillSort, counted};
use crate::uri::CaptureDate;
use crate::warc::{BlockDigester, RecordBuilder, RecordHead, RecordType, metadata_target};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

/// The file with the whole graph.
pub(super) const KNOWLEDGE_NAME: &str = "knowledge.nq";
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

/// The graph in the making.
pub(super) struct Graph {
    lines: SpillSort,
}

impl Graph {
    pub(super) fn new() -> Self {
        Self { lines: SpillSort::new(SORT_BYTES) }
    }

    /// Takes the lines of a capture in.
    pub(super) fn extend(&mut self, lines: Vec<String>) -> Result<(), ExportError> {
        lines.into_iter().try_for_each(|line| self.lines.push(line)).map_err(no_temporary)
    }

    /// Takes in what is known beyond captures; gives its record, in a temporary file.
    pub(super) fn of_export(
        &mut self,
        id: &str,
        warcinfo: &str,
        date: CaptureDate,
        further: FurtherKnowledge<'_>,
        left_out: &[usize],
    ) -> Result<File, ExportError> {
        let mut own = SpillSort::new(SORT_BYTES);
        let no_capture = CaptureName::new("");
        further(left_out, &mut |statements| {
            statements.iter().try_for_each(|statement| {
                let line = statement.line(&no_capture);
                self.lines.push(line.clone())?;
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
        block
            .rewind()
            .and_then(|()| {
                RecordBuilder::new(&RecordType::Resource, id, date)
                    .field("WARC-Target-URI", &metadata_target(KIND, id))
                    .field("Content-Type", MIME)
                    .reference("WARC-Warcinfo-ID", warcinfo)
                    .digests(&digester.finish())
                    .compress_from(BufReader::new(block), len, BufWriter::new(&mut record))
            })
            .and_then(|()| record.rewind())
            .map_err(no_temporary)?;
        Ok(record)
    }

    /// Writes all of it; says how many quads it has.
    pub(super) fn write(self, out: &mut dyn Write) -> io::Result<u64> {
        let mut quads = 0;
        for line in distinct(self.lines)? {
            out.write_all(line?.as_bytes())?;
            out.write_all(b"\n")?;
            quads += 1;
        }
        Ok(quads)
    }
}

/// The lines of what is known of a capture, each once and in order.
pub(super) fn lines_of_capture(statements: &[Statement], capture: &str) -> Vec<String> {
    let capture = CaptureName::new(capture);
    let mut lines: Vec<String> = statements.iter().map(|statement| statement.line(&capture)).collect();
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
    lines: SpillSort,
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
}

impl Default for KnowledgeRead {
    fn default() -> Self {
        Self { lines: SpillSort::new(SORT_BYTES), of_captures: 0, of_exports: 0, faults: Faults::default() }
    }
}

impl KnowledgeRead {
    pub(super) fn record(&mut self) -> QuadsRead<'_> {
        QuadsRead { of: self, line: Vec::new(), number: 0, captures: Vec::new(), wrong: Vec::new() }
    }

    /// Whether no record of it was found.
    pub(super) fn is_empty(&self) -> bool {
        self.of_captures == 0 && self.of_exports == 0
    }

    /// Tells of a record about a capture that is not here.
    pub(super) fn lacks(&mut self, record: &str, about: &str) {
        self.faults.add(format!("{record}: it is about {about}, which is not here"));
    }

    /// Every quad can be read, every record is about a capture that is here,
    /// and the file at `path` has what the records have, where there is one.
    pub(super) fn into_check(self, path: Option<&Path>, metadata: u64, cx: &JobCx) -> Result<VerifyCheck, ExportError> {
        let Self { lines, of_captures, of_exports, mut faults } = self;
        if of_captures != metadata || of_exports != 1 {
            faults.add(format!(
                "{} about captures and {of_exports} about the export, instead of {metadata} and 1",
                counted(of_captures, "record")
            ));
        }
        let quads = match path {
            Some(path) => same_lines(path, lines, &mut faults, cx)?,
            None => {
                faults.add(format!("{KNOWLEDGE_NAME} is not among the files of the manifest"));
                0
            }
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
        self.of.lines.push(String::from_utf8_lossy(&line).into_owned())
    }

    /// Ends the record that has this head, at this place; names the record that
    /// it is about, and itself.
    pub(super) fn end(mut self, head: &RecordHead, at: &str) -> Option<(String, String)> {
        if !self.line.is_empty() {
            self.wrong.push(format!("line {}: it is cut off", self.number + 1));
        }
        let about = head.headers.get("WARC-Refers-To").unwrap_or_default();
        let about = about.trim().trim_matches(['<', '>']).to_owned();
        let place = format!("{at}, {}", head.headers.get("WARC-Target-URI").unwrap_or_default());
        let is_of_capture = head.record_type != RecordType::Resource;
        if is_of_capture {
            let capture = address_of(&about);
            if self.captures.iter().any(|other| *other != capture) || self.captures.is_empty() {
                self.wrong.push(format!("it refers to {about}, and its quads are about another capture"));
            }
            self.of.of_captures += 1;
        } else {
            self.of.of_exports += 1;
        }
        for why in self.wrong {
            self.of.faults.add(format!("{place}: {why}"));
        }
        is_of_capture.then_some((about, place))
    }
}

/// The file has the lines of the records, each once and in order; says how many.
fn same_lines(path: &Path, lines: SpillSort, faults: &mut Faults, cx: &JobCx) -> Result<u64, ExportError> {
    let mut file = match File::open(path) {
        Ok(file) => FileLines { reader: BufReader::new(file), number: 0, line: Vec::new() },
        Err(error) => {
            faults.add(format!("{KNOWLEDGE_NAME}: {error}"));
            return Ok(0);
        }
    };
    let mut more = file.advance().map_err(io_at(path))?;
    for line in distinct(lines).map_err(no_temporary)? {
        let line = line.map_err(no_temporary)?;
        cx.checkpoint()?;
        while more && file.line.as_slice() < line.as_bytes() {
            faults.add(file.stray());
            more = file.advance().map_err(io_at(path))?;
        }
        if more && file.line == line.as_bytes() {
            more = file.advance().map_err(io_at(path))?;
        } else {
            let shown: String = line.chars().take(SHOWN).collect();
            faults.add(format!("{KNOWLEDGE_NAME} lacks a quad of the records: {shown}"));
        }
    }
    while more {
        faults.add(file.stray());
        cx.checkpoint()?;
        more = file.advance().map_err(io_at(path))?;
    }
    Ok(file.number)
}

/// The lines of a file, one at a time.
struct FileLines {
    reader: BufReader<File>,
    number: u64,
    line: Vec<u8>,
}

impl FileLines {
    fn advance(&mut self) -> io::Result<bool> {
        self.line.clear();
        let len = (&mut self.reader).take(MAX_LINE).read_until(b'\n', &mut self.line)?;
        self.number += u64::from(len > 0);
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        }
        Ok(len > 0)
    }

    /// What is wrong with a line that no record has.
    fn stray(&self) -> String {
        let why = read_quad(&self.line).err().unwrap_or_else(|| "it is in no record, or out of order".to_owned());
        let shown: String = String::from_utf8_lossy(&self.line).chars().take(SHOWN).collect();
        format!("{KNOWLEDGE_NAME}, line {}: {why}: {shown}", self.number)
    }
}
