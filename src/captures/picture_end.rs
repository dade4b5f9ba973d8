//! The end of a JPEG or a GIF, found by walking over its parts.
//!
//! Its end mark alone proves little: a preview inside a JPEG has one of its own, and any byte may be that of a GIF.
//! Cameras put further pictures and zeros behind the end; that is no fault. Where a file is not as its standard has it
//! (JPEG: ITU-T T.81, annex B; GIF: GIF89a), its last bytes decide.

/// Why a walk ended before the end mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Broken {
    /// The file ends first.
    Short,
    /// Something else is there than the standard has.
    Odd,
}

/// Whether a JPEG has its end (`EOI`).
pub(super) fn jpeg_has_end(body: &[u8]) -> bool {
    has_end(jpeg_walk(body), body, &[0xff, 0xd9])
}

/// Whether a GIF has its end (the trailer, behind a block).
pub(super) fn gif_has_end(body: &[u8]) -> bool {
    has_end(gif_walk(body), body, &[0, 0x3b])
}

fn has_end(walked: Result<(), Broken>, body: &[u8], mark: &[u8]) -> bool {
    let zeros = body.iter().rev().take_while(|&&byte| byte == 0).count();
    walked.is_ok() || walked == Err(Broken::Odd) && body[..body.len() - zeros].ends_with(mark)
}

/// Bytes of a file that are read one after the other.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Broken> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Broken::Short)?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Broken> {
        Ok(self.take(1)?[0])
    }
}

/// Walks to the end mark.
fn jpeg_walk(body: &[u8]) -> Result<(), Broken> {
    let mut bytes = Cursor(body);
    bytes.take(2)?;
    loop {
        if bytes.byte()? != 0xff {
            return Err(Broken::Odd);
        }
        let mut marker = bytes.byte()?;
        while marker == 0xff {
            marker = bytes.byte()?;
        }
        match marker {
            0xd9 => return Ok(()),
            // Without a length: `TEM`, `RSTn`.
            0x01 | 0xd0..=0xd7 => continue,
            // Reserved, as 0x02 to 0xBF are (ITU T.81, table B.1).
            0x00 | 0x02..=0xbf | 0xd8 => return Err(Broken::Odd),
            _ => {}
        }
        let len = bytes.take(2)?;
        let len = usize::from(u16::from_be_bytes([len[0], len[1]]));
        bytes.take(len.checked_sub(2).ok_or(Broken::Odd)?)?;
        if marker == 0xda {
            skip_scan(&mut bytes)?;
        }
    }
}

/// Skips the data of a scan; in them 0xFF is followed by a zero, or by the number of a restart.
fn skip_scan(bytes: &mut Cursor<'_>) -> Result<(), Broken> {
    loop {
        let at = memchr::memchr(0xff, bytes.0).ok_or(Broken::Short)?;
        match bytes.0.get(at + 1) {
            None => return Err(Broken::Short),
            Some(0x00 | 0xd0..=0xd7) => bytes.take(at + 2)?,
            Some(0xff) => bytes.take(at + 1)?,
            Some(_) => return bytes.take(at).map(|_| ()),
        };
    }
}

/// Walks to the trailer.
fn gif_walk(body: &[u8]) -> Result<(), Broken> {
    let mut bytes = Cursor(body);
    let screen = bytes.take(13)?;
    bytes.take(color_table_len(screen[10]))?;
    loop {
        match bytes.byte()? {
            0x3b => return Ok(()),
            0x21 => {
                bytes.byte()?;
            }
            0x2c => {
                let image = bytes.take(9)?;
                bytes.take(color_table_len(image[8]))?;
                bytes.byte()?;
            }
            // Some writers put a zero too many between blocks.
            0x00 => continue,
            _ => return Err(Broken::Odd),
        }
        loop {
            match bytes.byte()? {
                0 => break,
                len => bytes.take(len.into())?,
            };
        }
    }
}

/// Bytes of the color table that a packed field declares.
fn color_table_len(packed: u8) -> usize {
    if packed & 0x80 == 0 { 0 } else { 3 << ((packed & 7) + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A JPEG with a preview in its `APP1`, restarts and stuffed bytes in its scan.
    fn jpeg() -> Vec<u8> {
        let preview = [0xff, 0xd8, 0xff, 0xda, 0, 2, 7, 0xff, 0xd9];
        let app1 = [&[0xff, 0xe1, 0, 2 + preview.len() as u8][..], &preview].concat();
        let scan = [0xff, 0xda, 0, 4, 1, 1, 9, 0xff, 0, 0xff, 0xd0, 8, 0xff, 0xff, 0, 5];
        [&[0xff, 0xd8][..], &app1, &[0xff, 0xff, 0xdb, 0, 3, 1], &scan, &scan, &[0xff, 0xd9]].concat()
    }

    /// A GIF with color tables, a comment with the byte of the trailer, and two images.
    fn gif() -> Vec<u8> {
        let screen = [b"GIF89a".as_slice(), &[1, 0, 1, 0, 0x80, 0, 0, 1, 2, 3, 4, 5, 6]].concat();
        let comment = [0x21, 0xfe, 3, 0x3b, 0, 0x3b, 0];
        let image = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0x80, 1, 2, 3, 4, 5, 6, 2, 2, 0x3b, 1, 0];
        [&screen[..], &comment, &image, &[0], &image, &[0x3b]].concat()
    }

    #[test]
    fn a_picture_has_its_end_wherever_it_is_whole_and_nowhere_before() {
        for (whole, has_end) in [(jpeg(), jpeg_has_end as fn(&[u8]) -> bool), (gif(), gif_has_end)] {
            for behind in [&[][..], &[0; 40], b"another picture", &whole] {
                assert!(has_end(&[&whole, behind].concat()), "{behind:?}");
            }
            for end in 0..whole.len() {
                assert!(!has_end(&whole[..end]), "{end} of {} bytes", whole.len());
            }
        }
    }

    #[test]
    fn of_a_picture_that_is_odd_the_last_bytes_decide() {
        for (name, odd, expected) in [
            ("length of a segment too short", &[0xff, 0xd8, 0xff, 0xe0, 0, 1, 7, 0xff, 0xd9][..], true),
            ("zeros behind it", &[0xff, 0xd8, 0xff, 0xe0, 0, 0, 7, 0xff, 0xd9, 0, 0, 0], true),
            ("garbage behind it", &[0xff, 0xd8, 0xff, 0xe0, 0, 0, 7, 0xff, 0xd9, 5], false),
            ("no marker", b"\xff\xd8\xff\xe0\x00\x02text", false),
        ] {
            assert_eq!(jpeg_has_end(odd), expected, "{name}");
        }
        let screen = [b"GIF87a".as_slice(), &[1, 0, 1, 0, 0, 0, 0, 9]].concat();
        for (name, end, expected) in [
            ("a trailer behind a block", &[2, 0, 0x3b][..], true),
            ("zeros behind it", &[2, 0, 0x3b, 0, 0], true),
            ("the byte of the trailer inside", &[2, 0x3b, 7], false),
            ("that byte without the end of a block", &[2, 7, 0x3b], false),
        ] {
            assert_eq!(gif_has_end(&[&screen, end].concat()), expected, "{name}");
        }
    }
}
