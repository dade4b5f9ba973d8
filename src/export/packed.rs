//! Files packed while they are written, as their names say.

use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::{self, Write};
use std::path::Path;

/// Bytes that become one frame of zstd: as many are held.
const FRAME_BYTES: usize = 4 << 20;

/// Bytes that are given to gzip at once.
const BLOCK_BYTES: usize = 256 << 10;

/// How a file is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// Not at all.
    Plain,
    /// gzip, in one member.
    Gzip,
    /// zstd, in frames one behind the other.
    Zstd,
}

impl Packing {
    /// By the end of a file's name: `.gz`, `.zst` or `.zstd`.
    pub fn of(path: &Path) -> Self {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match extension.as_str() {
            "gz" => Self::Gzip,
            "zst" | "zstd" => Self::Zstd,
            _ => Self::Plain,
        }
    }
}

/// Packs what is written to it. The same bytes come out the same, whatever the
/// pieces; memory does not grow with their number. It has to be finished.
pub struct PackedWriter<W: Write> {
    inner: Inner<W>,
    /// What makes no whole block yet.
    held: Vec<u8>,
}

enum Inner<W: Write> {
    Plain(W),
    Gzip(Box<GzEncoder<W>>),
    Zstd(W),
}

impl<W: Write> PackedWriter<W> {
    /// A writer into `out`.
    pub fn new(packing: Packing, out: W) -> Self {
        let inner = match packing {
            Packing::Plain => Inner::Plain(out),
            // No date and no name: the same bytes every day.
            Packing::Gzip => Inner::Gzip(Box::new(GzEncoder::new(out, Compression::default()))),
            Packing::Zstd => Inner::Zstd(out),
        };
        Self { inner, held: Vec::new() }
    }

    /// Writes what is left, and gives back what was written into.
    ///
    /// # Errors
    ///
    /// Those of what is written into.
    pub fn finish(mut self) -> io::Result<W> {
        self.inner.write_block(&self.held)?;
        match self.inner {
            Inner::Plain(out) | Inner::Zstd(out) => Ok(out),
            Inner::Gzip(gzip) => gzip.finish(),
        }
    }
}

impl<W: Write> Inner<W> {
    /// What is packed at once: pieces of other sizes would be packed otherwise.
    fn block_bytes(&self) -> usize {
        match self {
            Self::Plain(_) => 0,
            Self::Gzip(_) => BLOCK_BYTES,
            Self::Zstd(_) => FRAME_BYTES,
        }
    }

    fn write_block(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(out) => out.write_all(bytes),
            Self::Gzip(gzip) => gzip.write_all(bytes),
            Self::Zstd(_) if bytes.is_empty() => Ok(()),
            Self::Zstd(out) => out.write_all(&compress_to_vec(bytes, CompressionLevel::Fastest)),
        }
    }
}

impl<W: Write> Write for PackedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Inner::Plain(out) = &mut self.inner {
            return out.write(bytes);
        }
        let block_bytes = self.inner.block_bytes();
        let taken = bytes.len().min(block_bytes - self.held.len());
        self.held.extend_from_slice(bytes.get(..taken).unwrap_or_default());
        if self.held.len() == block_bytes {
            self.inner.write_block(&self.held)?;
            self.held.clear();
        }
        Ok(taken)
    }

    /// Only of what is packed: a block that ends early would change the bytes.
    fn flush(&mut self) -> io::Result<()> {
        match &mut self.inner {
            Inner::Plain(out) | Inner::Zstd(out) => out.flush(),
            Inner::Gzip(gzip) => gzip.get_mut().flush(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::inlinks::stored::load::decoded;
    use std::cell::Cell;
    use std::io::Read;
    use std::rc::Rc;

    const ALL: [Packing; 3] = [Packing::Plain, Packing::Gzip, Packing::Zstd];

    fn packed(packing: Packing, pieces: &[&[u8]]) -> Vec<u8> {
        let mut writer = PackedWriter::new(packing, Vec::new());
        for piece in pieces {
            writer.write_all(piece).unwrap();
            writer.flush().unwrap();
        }
        writer.finish().unwrap()
    }

    #[test]
    fn names_say_how_to_pack() {
        for (name, expected) in [
            ("a.jsonl", Packing::Plain),
            ("a.jsonl.GZ", Packing::Gzip),
            ("a.zst", Packing::Zstd),
            ("a.zstd", Packing::Zstd),
            ("gz", Packing::Plain),
        ] {
            assert_eq!(Packing::of(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn what_was_packed_is_read_again_whatever_the_pieces() {
        let text: Vec<u8> =
            (0..400_000_u32).flat_map(|n| format!("linha {}\n", n % 1000 * 7919 % 1013).into_bytes()).collect();
        for packing in ALL {
            let whole = packed(packing, &[&text]);
            let pieces: Vec<&[u8]> = text.chunks(65_537).collect();
            assert_eq!(packed(packing, &pieces), whole, "{packing:?}");
            let mut again = Vec::new();
            decoded(&whole[..]).unwrap().read_to_end(&mut again).unwrap();
            assert!(again == text, "{packing:?}");
            assert!(packing == Packing::Plain || whole.len() < text.len() / 3, "{packing:?}: {}", whole.len());
            assert!(packed(packing, &[]).len() < 30);
        }
    }

    /// Counts what passes.
    struct Counting<T>(T, Rc<Cell<usize>>);

    impl Write for Counting<Vec<u8>> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1.set(self.1.get() + bytes.len());
            self.0.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Read for Counting<&[u8]> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let read = self.0.read(out)?;
            self.1.set(self.1.get() + read);
            Ok(read)
        }
    }

    /// What cannot be packed well: signs that follow no rule.
    fn noise(bytes: usize) -> Vec<u8> {
        let mut state = 1_u64;
        std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            b'0' + (state >> 58) as u8
        })
        .take(bytes)
        .collect()
    }

    #[test]
    fn little_is_held_back_while_writing_and_little_read_ahead() {
        let text = noise(4 * FRAME_BYTES);
        for packing in ALL {
            let passed = Rc::new(Cell::new(0));
            let mut writer = PackedWriter::new(packing, Counting(Vec::new(), passed.clone()));
            let mut written = 0;
            for piece in text.chunks(1 << 20) {
                writer.write_all(piece).unwrap();
                written += piece.len();
                // Six bits of eight say something.
                assert!(passed.get() >= (written.saturating_sub(FRAME_BYTES)) / 2, "{packing:?}: {written}");
            }
            let whole = writer.finish().unwrap().0;
            passed.set(0);
            let mut reader = decoded(Counting(&whole[..], passed.clone())).unwrap();
            reader.read_exact(&mut vec![0; 1 << 20]).unwrap();
            assert!(passed.get() < whole.len() / 2, "{packing:?}: {} of {}", passed.get(), whole.len());
        }
    }
}
