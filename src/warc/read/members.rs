//! Decoded bytes of a file, member by member.

use super::gzip::{self, GzipMember, Step};
use super::head::{Start, record_start};
use super::input::Input;
use super::zstd::{self, Frame};
use std::io::{self, Read};

/// Decoded bytes made at once.
const CHUNK: usize = 64 * 1024;

/// What is decoded a second time, within stretches that turned out to be
/// damaged, in bytes before and after decoding. Archives within archives make
/// every record of a damaged one begin such a stretch; a hostile file could
/// nest them so that the whole of it is decoded from every few bytes on.
const SECOND_LOOKS: u64 = 64 * 1024 * 1024;

/// How a file is packed, told by its first bytes.
enum Layer {
    Plain,
    Gzip(Box<GzipMember>),
    Zstd(Box<Frame>),
}

/// What [`Members::fill`] came to.
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

/// What [`Members::begin_member`] found.
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

/// The decoded bytes of the present member, and where it stands. A plain file
/// is one member.
pub(super) struct Members<R> {
    input: Input<R>,
    layer: Layer,
    buf: Vec<u8>,
    start: usize,
    end: usize,
    /// Decoded bytes before `buf[0]`, since the beginning.
    decoded_base: u64,
    member_offset: u64,
    in_member: bool,
    /// Place in the decoded stream at which the present member begins.
    member_decoded: u64,
    /// Offset in the file up to which a member that broke off has been decoded.
    decoded_to: u64,
    /// What is left of [`SECOND_LOOKS`].
    second_looks: u64,
}

impl<R: Read> Members<R> {
    /// Tells the packing by the first bytes. `base` is the offset in the file
    /// at which `inner` stands.
    pub(super) fn new(inner: R, base: u64) -> io::Result<Self> {
        let mut input = Input::new(inner, base);
        let head = input.peek(4)?;
        // One byte is all that a writer killed early may have left.
        let layer = if head.starts_with(&gzip::MAGIC[..2]) || head == &gzip::MAGIC[..1] {
            Layer::Gzip(Box::new(GzipMember::new()))
        } else if zstd::is_frame(head) {
            Layer::Zstd(Box::new(Frame::new()))
        } else {
            Layer::Plain
        };
        let in_member = matches!(layer, Layer::Plain);
        Ok(Self {
            input,
            layer,
            buf: Vec::new(),
            start: 0,
            end: 0,
            decoded_base: base,
            member_offset: base,
            in_member,
            member_decoded: base,
            decoded_to: base,
            second_looks: SECOND_LOOKS,
        })
    }

    /// Uses the dictionary that stands at the beginning of a zstd file.
    pub(super) fn use_dictionary(&mut self, bytes: &[u8]) -> Result<(), String> {
        match &mut self.layer {
            Layer::Zstd(frame) => frame.use_dictionary(bytes),
            _ => Ok(()),
        }
    }

    pub(super) fn is_plain(&self) -> bool {
        matches!(self.layer, Layer::Plain)
    }

    pub(super) fn in_member(&self) -> bool {
        self.in_member
    }

    /// Offset in the file of the present member.
    pub(super) fn member_offset(&self) -> u64 {
        self.member_offset
    }

    /// Offset in the file after the last member, or of the next plain byte.
    pub(super) fn file_offset(&self) -> u64 {
        if self.is_plain() { self.decoded_offset() } else { self.input.offset() }
    }

    /// Place of the next decoded byte in the decoded stream.
    pub(super) fn decoded_offset(&self) -> u64 {
        self.decoded_base + self.start as u64
    }

    /// Decoded bytes at hand.
    pub(super) fn window(&self) -> &[u8] {
        &self.buf[self.start..self.end]
    }

    pub(super) fn consume(&mut self, len: usize) {
        self.start = (self.start + len).min(self.end);
    }

    /// Decodes more of the present member into the window.
    pub(super) fn fill(&mut self) -> io::Result<Fill> {
        if !self.in_member {
            return Ok(Fill::End);
        }
        self.make_room();
        let room = &mut self.buf[self.end..];
        match &mut self.layer {
            Layer::Plain => {
                self.input.set_mark();
                let len = self.input.read(room)?;
                self.end += len;
                Ok(if len == 0 { Fill::End } else { Fill::More })
            }
            Layer::Gzip(member) => loop {
                match member.step(self.input.window(), room) {
                    Step::Went { used, written } => {
                        self.input.consume(used);
                        if written > 0 {
                            self.end += written;
                            return Ok(Fill::More);
                        }
                    }
                    Step::Ended { used } => {
                        self.input.consume(used);
                        self.in_member = false;
                        return Ok(Fill::End);
                    }
                    Step::Starved => {
                        if !self.input.fill()? {
                            let rest = self.input.window().len();
                            self.input.consume(rest);
                            self.in_member = false;
                            return Ok(Fill::CutOff);
                        }
                    }
                    Step::Broken(why) => {
                        self.in_member = false;
                        return Ok(Fill::Broken(why));
                    }
                }
            },
            Layer::Zstd(frame) => match frame.read(&mut self.input, room)? {
                zstd::Step::Wrote(len) => {
                    self.end += len;
                    Ok(Fill::More)
                }
                ended => {
                    self.in_member = false;
                    Ok(match ended {
                        zstd::Step::CutOff => Fill::CutOff,
                        zstd::Step::Broken(why) => Fill::Broken(why),
                        _ => Fill::End,
                    })
                }
            },
        }
    }

    fn make_room(&mut self) {
        if self.start == self.end {
            self.decoded_base += self.start as u64;
            self.start = 0;
            self.end = 0;
        }
        if self.buf.len() - self.end < CHUNK {
            self.buf.copy_within(self.start..self.end, 0);
            self.decoded_base += self.start as u64;
            self.end -= self.start;
            self.start = 0;
            if self.buf.len() - self.end < CHUNK {
                self.buf.resize((self.buf.len() * 2).max(self.end + 2 * CHUNK), 0);
            }
        }
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
            Layer::Gzip(member) => {
                let header = loop {
                    match gzip::header_len(self.input.window()) {
                        Ok(Some(len)) => break len,
                        Ok(None) if self.input.fill()? => {}
                        Ok(None) => return Ok(Begin::CutOff),
                        Err(why) => return Ok(Begin::Foreign(why.to_owned())),
                    }
                };
                self.input.consume(header);
                member.begin();
            }
            Layer::Zstd(frame) => match frame.begin(&mut self.input)? {
                zstd::Begin::Frame => self.member_offset = frame.offset(),
                zstd::Begin::EndOfFile => return Ok(Begin::EndOfFile),
                zstd::Begin::CutOff => return Ok(Begin::CutOff),
                zstd::Begin::Foreign(why) => return Ok(Begin::Foreign(why)),
            },
        }
        self.in_member = true;
        self.member_decoded = self.decoded_base + self.end as u64;
        Ok(Begin::Member)
    }

    /// Whether damage is no longer searched for records, because there was too
    /// much of it within itself.
    pub(super) fn gives_up_damage(&self) -> bool {
        self.second_looks == 0
    }

    /// Leaves the present member and looks, from the byte after its first,
    /// for the next one that begins with a record. Returns the bytes passed
    /// over, `None` when there is no such member up to the end of the file.
    pub(super) fn seek_member(&mut self) -> io::Result<Option<u64>> {
        self.consume(self.end - self.start);
        let from = self.member_offset;
        let decoded_to = self.input.offset();
        if from < self.decoded_to {
            let work = self.decoded_offset().saturating_sub(self.member_decoded) + decoded_to.saturating_sub(from);
            self.second_looks = self.second_looks.saturating_sub(work);
        }
        self.in_member = false;
        self.decoded_to = self.decoded_to.max(decoded_to);
        let again = if self.gives_up_damage() { self.decoded_to.max(from + 1) } else { from + 1 };
        self.input.go_back_to(again);
        let magic: &[u8] = match self.layer {
            Layer::Plain => return Ok(None),
            Layer::Gzip(_) => &gzip::MAGIC,
            Layer::Zstd(_) => &zstd::MAGIC,
        };
        let finder = memchr::memmem::Finder::new(magic);
        loop {
            match finder.find(self.input.window()) {
                Some(place) => {
                    self.input.consume(place);
                    self.input.set_mark();
                    if self.member_holds_record()? {
                        return Ok(Some(self.input.offset().saturating_sub(from)));
                    }
                    self.input.consume(1);
                }
                None => {
                    let keep = magic.len() - 1;
                    let len = self.input.window().len();
                    self.input.consume(len.saturating_sub(keep));
                    self.input.set_mark();
                    if !self.input.fill()? {
                        let rest = self.input.window().len();
                        self.input.consume(rest);
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Whether what begins at the next raw byte decodes to the start of a
    /// record. A zstd block may be longer than is worth a look: its magic must do.
    fn member_holds_record(&mut self) -> io::Result<bool> {
        const LOOK: usize = 16 * 1024;
        if matches!(self.layer, Layer::Zstd(_)) {
            return Ok(true);
        }
        let mut out = [0; 4096];
        let raw = self.input.peek(LOOK)?;
        let len = gzip::first_bytes(&raw[..raw.len().min(LOOK)], &mut out);
        let text = out[..len].trim_ascii_start();
        Ok(!text.is_empty() && record_start(text) != Start::No)
    }
}
