//! Decodes one zstd frame at a time, with the dictionary that a WARC file may begin with (“Zstandard
//! Compression for WARC Files 1.0”, IIPC).

use super::input::Input;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, Dictionary, FrameDecoder};
use sha1::{Digest, Sha1};
use std::io::{self, Read};

pub(super) const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Magic of the skippable frame that holds the dictionary.
const DICTIONARY_MAGIC: u32 = 0x184D_2A5D;

/// A dictionary larger than this is refused.
const MAX_DICTIONARY: usize = 64 * 1024 * 1024;

/// Window sizes above this are refused: memory stays bounded. A frame may need as much memory as its window,
/// so that this alone takes reading above 64 MiB: the levels 20 to 22 of zstd make such frames of long
/// records, and to refuse them would lose what they hold. `zstd -d` draws the line here, too.
const MAX_WINDOW: u64 = 128 * 1024 * 1024;

/// Decodes frames.
pub(super) struct Frame {
    decoder: FrameDecoder,
    dictionary: Option<u32>,
    /// Digest of the dictionary that the file begins with: reading one record by its place finds this one.
    leading: Option<[u8; 20]>,
    /// Offset in the file of the dictionary in use, where it is another one.
    late: Option<u64>,
    offset: u64,
    /// The bytes so far came from a source that ended.
    ready: bool,
}

pub(super) enum FrameStart {
    Frame,
    EndOfFile,
    CutOff,
    Foreign(String),
}

pub(super) enum ZstdStep {
    Wrote(usize),
    Ended,
    CutOff,
    Broken(String),
}

/// Whether these bytes begin a zstd frame or a skippable one.
pub(super) fn is_frame(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC) || skippable(bytes).is_some()
}

/// The first place at which a frame may begin, or one that holds a dictionary,
/// without which the frames behind it cannot be read.
pub(super) fn find_frame(bytes: &[u8]) -> Option<usize> {
    let dictionary = DICTIONARY_MAGIC.to_le_bytes();
    memchr::memchr2_iter(MAGIC[0], dictionary[0], bytes)
        .find(|&place| bytes[place..].starts_with(&MAGIC) || bytes[place..].starts_with(&dictionary))
}

fn skippable(bytes: &[u8]) -> Option<u32> {
    let magic = u32::from_le_bytes(*bytes.first_chunk()?);
    (magic & 0xFFFF_FFF0 == 0x184D_2A50).then_some(magic)
}

impl Frame {
    pub(super) fn new() -> Self {
        Self { decoder: new_decoder(), dictionary: None, leading: None, late: None, offset: 0, ready: false }
    }

    /// Offset in the file of the current frame.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Offset of the dictionary in use, where it is not the one that the file begins with.
    pub(super) fn late_dictionary(&self) -> Option<u64> {
        self.late
    }

    /// Takes the dictionary that the file begins with.
    pub(super) fn use_leading_dictionary(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.use_dictionary(bytes)?;
        self.leading = Some(Sha1::digest(bytes).into());
        self.late = None;
        Ok(())
    }

    /// Takes a dictionary, itself compressed or not, in the place of an earlier one.
    fn use_dictionary(&mut self, bytes: &[u8]) -> Result<(), String> {
        let plain;
        let bytes = if bytes.starts_with(&MAGIC) {
            let mut out = Vec::new();
            let reader = ruzstd::decoding::StreamingDecoder::new(bytes).map_err(|error| error.to_string())?;
            reader.take(MAX_DICTIONARY as u64).read_to_end(&mut out).map_err(|error| error.to_string())?;
            plain = out;
            &plain
        } else {
            bytes
        };
        let dictionary = Dictionary::decode_dict(bytes).map_err(|error| error.to_string())?;
        self.dictionary = Some(dictionary.id);
        // A new decoder forgets the earlier one: a file of nothing but
        // dictionaries must not gather them all in memory.
        self.decoder = new_decoder();
        self.ready = false;
        self.decoder.add_dict(dictionary).map_err(|error| error.to_string())
    }

    /// Reads a frame header; passes over skippable frames and takes the
    /// dictionary out of the one that holds it.
    pub(super) fn begin<R: Read>(&mut self, input: &mut Input<R>) -> io::Result<FrameStart> {
        loop {
            self.offset = input.offset();
            input.set_mark();
            let head = input.peek(8)?;
            if head.is_empty() {
                return Ok(FrameStart::EndOfFile);
            }
            if let Some(magic) = skippable(head) {
                let Some(&[l0, l1, l2, l3]) = head.get(4..8).and_then(|len| len.first_chunk()) else {
                    return Ok(FrameStart::CutOff);
                };
                let len = u64::from(u32::from_le_bytes([l0, l1, l2, l3]));
                input.consume(8);
                if magic == DICTIONARY_MAGIC && len <= MAX_DICTIONARY as u64 {
                    let mut bytes = Vec::new();
                    input.take(len).read_to_end(&mut bytes)?;
                    if (bytes.len() as u64) < len {
                        return Ok(FrameStart::CutOff);
                    }
                    let taken = match self.offset {
                        0 => self.use_leading_dictionary(&bytes),
                        _ => self.use_dictionary(&bytes),
                    };
                    if let Err(why) = taken {
                        return Ok(FrameStart::Foreign(format!("the zstd dictionary cannot be read: {why}")));
                    }
                    let is_leading = self.leading == Some(Sha1::digest(&bytes).into());
                    self.late = (!is_leading).then_some(self.offset);
                } else if io::copy(&mut input.take(len), &mut io::sink())? < len {
                    return Ok(FrameStart::CutOff);
                }
                continue;
            }
            if !head.starts_with(&MAGIC) {
                return Ok(FrameStart::Foreign("no zstd frame".to_owned()));
            }
            return Ok(match self.decoder.reset(&mut *input) {
                Ok(()) => {
                    self.ready = true;
                    match self.dictionary {
                        // Frames need not name the dictionary of their file.
                        Some(id) if self.decoder.force_dict(id).is_err() => {
                            FrameStart::Foreign("the zstd dictionary does not fit".to_owned())
                        }
                        _ => FrameStart::Frame,
                    }
                }
                Err(error) if input.peek(1)?.is_empty() && is_header_error(&error) => FrameStart::CutOff,
                Err(FrameDecoderError::DictNotProvided { dict_id }) => {
                    FrameStart::Foreign(format!("zstd dictionary {dict_id} is needed and is not in the file"))
                }
                Err(FrameDecoderError::WindowSizeTooBig { requested, max }) => FrameStart::Foreign(format!(
                    "the zstd frame asks for a window of {} MiB and at most {} MiB are given; unpack the file with zstd -d --long=31 and read that",
                    requested >> 20,
                    max >> 20
                )),
                Err(error) => FrameStart::Foreign(error.to_string()),
            });
        }
    }

    /// Decodes into `out`.
    pub(super) fn read<R: Read>(&mut self, input: &mut Input<R>, out: &mut [u8]) -> io::Result<ZstdStep> {
        loop {
            if self.decoder.can_collect() > 0 {
                let len = Read::read(&mut self.decoder, out)?;
                if len > 0 {
                    return Ok(ZstdStep::Wrote(len));
                }
            }
            if !self.ready || self.decoder.is_finished() {
                return Ok(self.verdict());
            }
            let strategy = BlockDecodingStrategy::UptoBytes(out.len());
            if let Err(error) = self.decoder.decode_blocks(&mut *input, strategy) {
                self.ready = false;
                return Ok(match input.peek(1)?.is_empty() {
                    true => ZstdStep::CutOff,
                    false => ZstdStep::Broken(format!("the zstd frame is damaged ({error})")),
                });
            }
        }
    }

    fn verdict(&self) -> ZstdStep {
        match (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum()) {
            (Some(declared), Some(found)) if declared != found => {
                ZstdStep::Broken(format!("the checksum is {found:08x}, the file says {declared:08x}"))
            }
            _ => ZstdStep::Ended,
        }
    }
}

fn new_decoder() -> FrameDecoder {
    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size(MAX_WINDOW);
    decoder
}

fn is_header_error(error: &FrameDecoderError) -> bool {
    matches!(error, FrameDecoderError::ReadFrameHeaderError(why) if !matches!(why, ReadFrameHeaderError::BadMagicNumber(_)))
}

/// The content of the dictionary frame that these bytes begin with.
pub(super) fn leading_dictionary(mut source: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut head = [0; 8];
    match source.read_exact(&mut head) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    if skippable(&head) != Some(DICTIONARY_MAGIC) {
        return Ok(None);
    }
    let len = u64::from(u32::from_le_bytes([head[4], head[5], head[6], head[7]]));
    if len > MAX_DICTIONARY as u64 {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    source.take(len).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 == len).then_some(bytes))
}
