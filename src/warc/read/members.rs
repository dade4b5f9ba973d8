//! Decodes the bytes of a file, member by member.

use super::gzip::{self, GzipMember, GzipNote, Step};
use super::head::{Start, record_start};
use super::input::Input;
use super::whole_members::{Search, WholeMembers};
use super::zstd::{self, Frame};
use crate::jobs::{Cancelled, JobCx};
use std::io::{self, Read};

/// Decoded bytes made at once.
const CHUNK: usize = 64 * 1024;

/// Limit on decoding damaged stretches a second time, in bytes before and after decoding. Archives within
/// archives make every record of a damaged one begin such a stretch; a hostile file could nest them so that
/// the whole of it is decoded from every few bytes on.
const MAX_REDECODED_BYTES: u64 = 64 * 1024 * 1024;

/// Compression of a file, recognised by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Not compressed.
    Plain,
    /// Gzip members.
    Gzip,
    /// Zstandard frames.
    Zstd,
}

impl Compression {
    fn of(head: &[u8]) -> Self {
        // One byte is all that a writer killed early may have left.
        if head.starts_with(&gzip::MAGIC[..2]) || head == &gzip::MAGIC[..1] {
            Self::Gzip
        } else if zstd::is_frame(head) {
            Self::Zstd
        } else {
            Self::Plain
        }
    }

    /// Name of the compression.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }
}

/// Decoder of a file.
enum Layer {
    Plain,
    Gzip(Box<Gzip>),
    Zstd(Box<Frame>),
}

/// Decodes gzip members, as a whole where that can be.
struct Gzip {
    /// None when every member is streamed.
    whole_members: Option<WholeMembers>,
    /// Made when the first member is streamed.
    stream: Option<GzipMember>,
    stage: Stage,
    /// Values in the header of the present member.
    note: Option<GzipNote>,
}

/// Stage of decoding the present gzip member.
#[derive(Clone, Copy)]
enum Stage {
    /// Nothing of it is decoded yet, not even its header.
    Begun {
        header_len: usize,
    },
    /// All of it is in the window.
    Whole,
    Streamed,
}

impl Gzip {
    fn new() -> Self {
        Self { whole_members: Some(WholeMembers::new()), stream: None, stage: Stage::Whole, note: None }
    }

    /// Decodes the present member as a whole and uses up its raw bytes.
    fn inflate_whole<R: Read>(
        &mut self,
        header_len: usize,
        input: &mut Input<R>,
        out: &mut Window,
    ) -> io::Result<Option<usize>> {
        let Some(whole_members) = &mut self.whole_members else { return Ok(None) };
        let mut search = Search::default();
        while let Some(guess) = whole_members.guess(&mut search, header_len, input)? {
            let raw = &input.window()[..guess.raw_len];
            if let Some(len) = whole_members.inflate(&mut search, &guess, header_len, raw, out.room(guess.room())) {
                input.consume(guess.raw_len);
                out.end += len;
                return Ok(Some(len));
            }
        }
        Ok(None)
    }

    fn fill<R: Read>(&mut self, input: &mut Input<R>, out: &mut Window) -> io::Result<Fill> {
        if let Stage::Begun { header_len } = self.stage {
            if let Some(len) = self.inflate_whole(header_len, input, out)? {
                self.stage = Stage::Whole;
                return Ok(if len > 0 { Fill::More } else { Fill::End });
            }
            input.consume(header_len);
            self.stage = Stage::Streamed;
            self.stream.get_or_insert_with(GzipMember::new).begin();
        }
        let Some(stream) = self.stream.as_mut().filter(|_| matches!(self.stage, Stage::Streamed)) else {
            return Ok(Fill::End);
        };
        loop {
            match stream.step(input.window(), out.room(CHUNK)) {
                Step::Went { used, written } => {
                    input.consume(used);
                    if written > 0 {
                        out.end += written;
                        return Ok(Fill::More);
                    }
                }
                Step::Ended { used } => {
                    input.consume(used);
                    return Ok(Fill::End);
                }
                Step::Starved => {
                    if !input.fill()? {
                        let rest = input.window().len();
                        input.consume(rest);
                        return Ok(Fill::CutOff);
                    }
                }
                Step::Broken(why) => return Ok(Fill::Broken(why)),
            }
        }
    }
}

/// Decoded bytes not yet used.
struct Window {
    buf: Vec<u8>,
    start: usize,
    end: usize,
    /// Decoded bytes before `buf[0]`, since the beginning.
    base: u64,
}

impl Window {
    fn bytes(&self) -> &[u8] {
        &self.buf[self.start..self.end]
    }

    /// Room for at least `min` bytes behind the decoded ones.
    fn room(&mut self, min: usize) -> &mut [u8] {
        if self.start == self.end {
            self.base += self.start as u64;
            self.start = 0;
            self.end = 0;
        }
        if self.buf.len() - self.end < min {
            self.buf.copy_within(self.start..self.end, 0);
            self.base += self.start as u64;
            self.end -= self.start;
            self.start = 0;
            if self.buf.len() - self.end < min {
                self.buf.resize((self.buf.len() * 2).max(self.end + min), 0);
            }
        }
        &mut self.buf[self.end..]
    }
}

/// Result of [`Members::fill`].
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fill {
    /// The window grew.
    More,
    /// The member is complete (or the plain file at its end).
    End,
    /// The file ends inside the member.
    CutOff,
    /// The compression is damaged.
    Broken(String),
}

/// Result of [`Members::begin_member`].
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Begin {
    /// A member: [`Members::fill`] decodes it.
    Member,
    /// The end of the file.
    EndOfFile,
    /// The file ends inside the member's header.
    CutOff,
    /// Something else.
    Foreign(String),
}

/// The decoded bytes of the present member and its offset. A plain file is one member.
pub(super) struct Members<R> {
    input: Input<R>,
    layer: Layer,
    window: Window,
    member_offset: u64,
    in_member: bool,
    /// Place in the decoded stream at which the present member begins.
    member_decoded: u64,
    /// Offset in the file up to which a member that broke off has been decoded.
    decoded_to: u64,
    /// What is left of [`MAX_REDECODED_BYTES`].
    redecode_budget: u64,
    glance: Option<gzip::Glance>,
    /// Cancels reading.
    cx: Option<JobCx>,
}

impl<R: Read> Members<R> {
    /// Recognises the compression by the first bytes. `base` is the offset of `inner` in the file.
    pub(super) fn new(inner: R, base: u64) -> io::Result<Self> {
        let mut input = Input::new(inner, base);
        let compression = Compression::of(input.peek(4)?);
        Ok(Self::with(input, compression))
    }

    /// As [`new`](Self::new), for so many bytes.
    pub(super) fn expecting(inner: R, base: u64, len: u64) -> io::Result<Self> {
        let mut input = Input::expecting(inner, base, len);
        let compression = Compression::of(input.peek(4)?);
        Ok(Self::with(input, compression))
    }

    /// As [`new`](Self::new), anywhere in a file that is packed so.
    pub(super) fn inside(inner: R, base: u64, compression: Compression) -> Self {
        Self::with(Input::new(inner, base), compression)
    }

    fn with(input: Input<R>, compression: Compression) -> Self {
        let layer = match compression {
            Compression::Plain => Layer::Plain,
            Compression::Gzip => Layer::Gzip(Box::new(Gzip::new())),
            Compression::Zstd => Layer::Zstd(Box::new(Frame::new())),
        };
        let base = input.offset();
        let window = Window { buf: Vec::new(), start: 0, end: 0, base };
        Self {
            input,
            layer,
            window,
            member_offset: base,
            in_member: compression == Compression::Plain,
            member_decoded: base,
            decoded_to: base,
            redecode_budget: MAX_REDECODED_BYTES,
            glance: None,
            cx: None,
        }
    }

    /// Retains so many raw bytes for going back, from here on.
    pub(super) fn retain(&mut self, bytes: usize) {
        self.input.retain(bytes);
    }

    /// Makes decoding and searching fail once the job is cancelled.
    pub(super) fn stop_with(&mut self, cx: &JobCx) {
        self.cx = Some(cx.clone());
    }

    /// An error when the job shall stop.
    pub(super) fn go_on(&self) -> io::Result<()> {
        match &self.cx {
            Some(cx) if cx.is_cancelled() => Err(io::Error::other(Cancelled)),
            _ => Ok(()),
        }
    }

    /// Compression of the file.
    pub(super) fn compression(&self) -> Compression {
        match self.layer {
            Layer::Plain => Compression::Plain,
            Layer::Gzip(_) => Compression::Gzip,
            Layer::Zstd(_) => Compression::Zstd,
        }
    }

    /// Streams every gzip member, to hold the two ways against each other.
    #[cfg(test)]
    pub(super) fn stream_only(&mut self) {
        if let Layer::Gzip(gzip) = &mut self.layer {
            gzip.whole_members = None;
        }
    }

    /// Uses the dictionary at the beginning of a zstd file.
    pub(super) fn use_dictionary(&mut self, bytes: &[u8]) -> Result<(), String> {
        match &mut self.layer {
            Layer::Zstd(frame) => frame.use_leading_dictionary(bytes),
            _ => Ok(()),
        }
    }

    /// Offset of the zstd dictionary that the present frame needs, where it is not the one at the beginning
    /// of the file.
    pub(super) fn late_dictionary(&self) -> Option<u64> {
        match &self.layer {
            Layer::Zstd(frame) => frame.late_dictionary(),
            _ => None,
        }
    }

    pub(super) fn is_plain(&self) -> bool {
        matches!(self.layer, Layer::Plain)
    }

    /// Values in the gzip header of the present member.
    pub(super) fn gzip_note(&self) -> Option<GzipNote> {
        match &self.layer {
            Layer::Gzip(gzip) => gzip.note,
            Layer::Plain | Layer::Zstd(_) => None,
        }
    }

    /// Offset in the file of the present member.
    pub(super) fn member_offset(&self) -> u64 {
        self.member_offset
    }

    /// Place in the decoded stream at which the present member begins.
    pub(super) fn member_decoded_offset(&self) -> u64 {
        self.member_decoded
    }

    /// Sets the place in the decoded stream of what is decoded next, before anything was decoded.
    pub(super) fn count_from(&mut self, decoded_offset: u64) {
        (self.window.base, self.member_decoded) = (decoded_offset, decoded_offset);
    }

    /// Offset in the file after the last member, or of the next plain byte.
    pub(super) fn file_offset(&self) -> u64 {
        if self.is_plain() { self.decoded_offset() } else { self.input.offset() }
    }

    /// Place of the next decoded byte in the decoded stream.
    pub(super) fn decoded_offset(&self) -> u64 {
        self.window.base + self.window.start as u64
    }

    /// Decoded bytes not yet used.
    pub(super) fn window(&self) -> &[u8] {
        self.window.bytes()
    }

    pub(super) fn consume(&mut self, len: usize) {
        self.window.start = (self.window.start + len).min(self.window.end);
    }

    /// Decodes more of the present member into the window.
    pub(super) fn fill(&mut self) -> io::Result<Fill> {
        if !self.in_member {
            return Ok(Fill::End);
        }
        self.go_on()?;
        let fill = match &mut self.layer {
            Layer::Plain => {
                let len = self.input.read_through(self.window.room(CHUNK))?;
                self.window.end += len;
                return Ok(if len == 0 { Fill::End } else { Fill::More });
            }
            Layer::Gzip(gzip) => gzip.fill(&mut self.input, &mut self.window)?,
            Layer::Zstd(frame) => match frame.read(&mut self.input, self.window.room(CHUNK))? {
                zstd::ZstdStep::Wrote(len) => {
                    self.window.end += len;
                    Fill::More
                }
                zstd::ZstdStep::CutOff => Fill::CutOff,
                zstd::ZstdStep::Broken(why) => Fill::Broken(why),
                zstd::ZstdStep::Ended => Fill::End,
            },
        };
        self.in_member = fill == Fill::More;
        Ok(fill)
    }

    /// Goes on to the next member; what it decodes to follows what is left in
    /// the window.
    pub(super) fn begin_member(&mut self) -> io::Result<Begin> {
        self.input.set_mark();
        self.member_offset = self.input.offset();
        if self.input.peek(1)?.is_empty() {
            return Ok(Begin::EndOfFile);
        }
        match &mut self.layer {
            Layer::Plain => return Ok(Begin::EndOfFile),
            Layer::Gzip(gzip) => {
                let header_len = loop {
                    match gzip::header_len(self.input.window()) {
                        Ok(Some(len)) => break len,
                        Ok(None) if self.input.fill()? => {}
                        Ok(None) => return Ok(Begin::CutOff),
                        Err(why) => return Ok(Begin::Foreign(why.to_owned())),
                    }
                };
                gzip.note = self.input.window().get(..header_len).and_then(gzip::gzip_note);
                gzip.stage = Stage::Begun { header_len };
            }
            Layer::Zstd(frame) => match frame.begin(&mut self.input)? {
                zstd::FrameStart::Frame => self.member_offset = frame.offset(),
                zstd::FrameStart::EndOfFile => return Ok(Begin::EndOfFile),
                zstd::FrameStart::CutOff => return Ok(Begin::CutOff),
                zstd::FrameStart::Foreign(why) => return Ok(Begin::Foreign(why)),
            },
        }
        self.in_member = true;
        self.member_decoded = self.window.base + self.window.end as u64;
        Ok(Begin::Member)
    }

    /// Whether nothing before the present place matters to what is read from
    /// here on.
    pub(super) fn is_between(&self) -> bool {
        let fresh = !self.in_member && self.window().is_empty();
        let clean = self.decoded_to <= self.input.offset() && self.redecode_budget == MAX_REDECODED_BYTES;
        self.is_plain() || (fresh && clean)
    }

    /// Whether damage is no longer searched for records, because there was too
    /// much of it within itself.
    pub(super) fn gives_up_damage(&self) -> bool {
        self.redecode_budget == 0
    }

    /// Leaves the present member and looks, from the byte after its first (in
    /// a long one from as far before the damage as input is retained), for the next one that
    /// begins with a record. Returns the bytes passed over, `None` when there
    /// is no such member up to the end of the file.
    pub(super) fn seek_member(&mut self) -> io::Result<Option<u64>> {
        self.window.start = self.window.end;
        let from = self.member_offset;
        let decoded_to = self.input.offset();
        if from < self.decoded_to {
            let work = self.decoded_offset().saturating_sub(self.member_decoded) + decoded_to.saturating_sub(from);
            self.redecode_budget = self.redecode_budget.saturating_sub(work);
        }
        self.in_member = false;
        self.decoded_to = self.decoded_to.max(decoded_to);
        // What happens to be held of a long member depends on how it was read.
        let retained_from = decoded_to.saturating_sub(self.input.retained() as u64);
        let again = if self.gives_up_damage() { self.decoded_to } else { retained_from };
        let again = again.max(from + 1);
        self.input.go_back_to(again);
        Ok(self.find_member(u64::MAX)?.then(|| self.input.offset().saturating_sub(from)))
    }

    /// Searches from the present place up to `limit` for a member that begins with a record; in a plain file
    /// for a line that does.
    pub(super) fn seek_record(&mut self, limit: u64) -> io::Result<bool> {
        if !self.is_plain() {
            return self.find_member(limit);
        }
        const LINE: &[u8] = b"\nWARC/";
        let finder = memchr::memmem::Finder::new(LINE);
        while self.file_offset() < limit {
            match finder.find(self.window()) {
                Some(place) => {
                    self.consume(place + 1);
                    while record_start(self.window()) == Start::Unclear && self.fill()? == Fill::More {}
                    if record_start(self.window()) == Start::Warc {
                        return Ok(self.file_offset() < limit);
                    }
                }
                None => {
                    self.consume(self.window().len().saturating_sub(LINE.len() - 1));
                    if self.fill()? != Fill::More {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Goes to a raw byte at which a member begins that holds a record.
    fn find_member(&mut self, limit: u64) -> io::Result<bool> {
        let finder = memchr::memmem::Finder::new(&gzip::MAGIC);
        let is_zstd = match self.layer {
            Layer::Plain => return Ok(false),
            Layer::Gzip(_) => false,
            Layer::Zstd(_) => true,
        };
        let magic_len = if is_zstd { zstd::MAGIC.len() } else { gzip::MAGIC.len() };
        while self.input.offset() < limit {
            self.go_on()?;
            let window = self.input.window();
            match if is_zstd { zstd::find_frame(window) } else { finder.find(window) } {
                Some(place) => {
                    self.input.consume(place);
                    self.input.set_mark();
                    if self.input.offset() < limit && self.member_holds_record()? {
                        return Ok(true);
                    }
                    self.input.consume(1);
                }
                None => {
                    let keep = magic_len - 1;
                    let len = self.input.window().len();
                    self.input.consume(len.saturating_sub(keep));
                    self.input.set_mark();
                    if !self.input.fill()? {
                        let rest = self.input.window().len();
                        self.input.consume(rest);
                        return Ok(false);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Whether what begins at the next raw byte decodes to the start of a
    /// record. A zstd block may be longer than is worth a look: its magic must do.
    fn member_holds_record(&mut self) -> io::Result<bool> {
        const MAX_PEEK: usize = 16 * 1024;
        if matches!(self.layer, Layer::Zstd(_)) {
            return Ok(true);
        }
        let raw = self.input.peek(MAX_PEEK)?;
        let raw = &raw[..raw.len().min(MAX_PEEK)];
        let glance = self.glance.get_or_insert_with(gzip::Glance::new);
        let mut out = [0; 4096];
        // Most others differ in their first bytes.
        for room in [64, out.len()] {
            let len = glance.first_bytes(raw, &mut out[..room]);
            let text = out[..len].trim_ascii_start();
            match record_start(text) {
                Start::Warc | Start::Arc => return Ok(true),
                Start::No if !text.is_empty() => return Ok(false),
                _ if len < room => return Ok(!text.is_empty()),
                _ => {}
            }
        }
        Ok(!out.trim_ascii_start().is_empty())
    }
}
