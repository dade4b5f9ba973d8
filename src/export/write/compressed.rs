//! Writer that compresses a file by the end of its name.

use crate::warc::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::{self, Write};
use std::path::Path;

/// Bytes that become one frame of zstd: as many are in memory.
const FRAME_BYTES: usize = 4 << 20;

/// Bytes that are given to gzip at once.
const BLOCK_BYTES: usize = 256 << 10;

/// The compression by the end of a file's name: `.gz`, `.zst` or `.zstd`.
pub fn compression_by_name(path: &Path) -> Compression {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match extension.as_str() {
        "gz" => Compression::Gzip,
        "zst" | "zstd" => Compression::Zstd,
        _ => Compression::Plain,
    }
}

/// Compresses what is written to it. The same bytes come out the same, whatever the
/// pieces; memory does not grow with their number. It has to be finished.
pub struct CompressedWriter<W: Write> {
    inner: Inner<W>,
    /// Bytes that make no whole block yet.
    pending: Vec<u8>,
}

enum Inner<W: Write> {
    Plain(W),
    Gzip(Box<GzEncoder<W>>),
    Zstd(W),
}

impl<W: Write> CompressedWriter<W> {
    /// A writer into `out`.
    pub fn new(compression: Compression, out: W) -> Self {
        let inner = match compression {
            Compression::Plain => Inner::Plain(out),
            // No date and no name: the same bytes every day.
            Compression::Gzip => Inner::Gzip(Box::new(GzEncoder::new(out, flate2::Compression::default()))),
            Compression::Zstd => Inner::Zstd(out),
        };
        Self { inner, pending: Vec::new() }
    }

    /// Writes what is left, and gives back what was written into.
    ///
    /// # Errors
    ///
    /// Those of what is written into.
    pub fn finish(mut self) -> io::Result<W> {
        self.inner.write_block(&self.pending)?;
        match self.inner {
            Inner::Plain(out) | Inner::Zstd(out) => Ok(out),
            Inner::Gzip(gzip) => gzip.finish(),
        }
    }
}

impl<W: Write> Inner<W> {
    /// Bytes that are packed at once: pieces of other sizes would be packed otherwise.
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

impl<W: Write> Write for CompressedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Inner::Plain(out) = &mut self.inner {
            return out.write(bytes);
        }
        let block_bytes = self.inner.block_bytes();
        let taken = bytes.len().min(block_bytes - self.pending.len());
        self.pending.extend_from_slice(bytes.get(..taken).unwrap_or_default());
        if self.pending.len() == block_bytes {
            self.inner.write_block(&self.pending)?;
            self.pending.clear();
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

    const ALL: [Compression; 3] = [Compression::Plain, Compression::Gzip, Compression::Zstd];

    fn compressed(compression: Compression, pieces: &[&[u8]]) -> Vec<u8> {
        let mut writer = CompressedWriter::new(compression, Vec::new());
        for piece in pieces {
            writer.write_all(piece).unwrap();
            writer.flush().unwrap();
        }
        writer.finish().unwrap()
    }

    #[test]
    fn names_decide_how_to_pack() {
        for (name, expected) in [
            ("a.jsonl", Compression::Plain),
            ("a.jsonl.GZ", Compression::Gzip),
            ("a.zst", Compression::Zstd),
            ("a.zstd", Compression::Zstd),
            ("gz", Compression::Plain),
        ] {
            assert_eq!(compression_by_name(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn what_was_packed_is_read_again_whatever_the_pieces() {
        let text: Vec<u8> =
            (0..400_000_u32).flat_map(|n| format!("linha {}\n", n % 1000 * 7919 % 1013).into_bytes()).collect();
        for compression in ALL {
            let whole = compressed(compression, &[&text]);
            let pieces: Vec<&[u8]> = text.chunks(65_537).collect();
            assert_eq!(compressed(compression, &pieces), whole, "{compression:?}");
            let mut again = Vec::new();
            decoded(&whole[..]).unwrap().read_to_end(&mut again).unwrap();
            assert!(again == text, "{compression:?}");
            assert!(
                compression == Compression::Plain || whole.len() < text.len() / 3,
                "{compression:?}: {}",
                whole.len()
            );
            assert!(compressed(compression, &[]).len() < 30);
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

    /// Makes text that cannot be packed well: signs that follow no rule.
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
    fn little_is_buffered_while_writing_and_little_read_ahead() {
        let text = noise(4 * FRAME_BYTES);
        for compression in ALL {
            let passed = Rc::new(Cell::new(0));
            let mut writer = CompressedWriter::new(compression, Counting(Vec::new(), passed.clone()));
            let mut written = 0;
            for piece in text.chunks(1 << 20) {
                writer.write_all(piece).unwrap();
                written += piece.len();
                // Six bits of eight are random.
                assert!(passed.get() >= (written.saturating_sub(FRAME_BYTES)) / 2, "{compression:?}: {written}");
            }
            let whole = writer.finish().unwrap().0;
            passed.set(0);
            let mut reader = decoded(Counting(&whole[..], passed.clone())).unwrap();
            reader.read_exact(&mut vec![0; 1 << 20]).unwrap();
            assert!(passed.get() < whole.len() / 2, "{compression:?}: {} of {}", passed.get(), whole.len());
        }
    }
}
