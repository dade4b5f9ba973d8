//! Replaces the head of a record that is a gzip member of its own without packing its block again.
//!
//! A deflate stream (RFC 1951) is a row of literals and of matches, which repeat bytes before them. Where the
//! head of a record changes, all that belongs to the block still holds, but for the few matches that repeat
//! the head: these become literals. So the bits of the block are copied; to scan them takes a seventh of the
//! time of packing the block again, and it stays as small as its writer made it.
//!
//! Each literal and match is checked against the block: the result is that block, or none and the record has
//! to be packed again.

use super::super::read::gzip_header_len;
use libdeflater::Compressor;

/// Length of the trailer of a gzip member: CRC-32 and length modulo 2^32.
const TRAILER: usize = 8;

/// Header of a gzip member: no date and no name, of no known system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

/// Longer heads are not packed in one block of deflate for sure.
const MAX_HEAD: usize = 4096;

/// Bits that a table of codes is entered with; longer codes are rare.
const TABLE_BITS: u32 = 10;

/// Longest code.
const MAX_CODE: usize = 15;

/// Symbols of literals and lengths, of which some never occur in a stream.
const MAX_SYMBOLS: usize = 288;

/// The symbol that ends a block.
const END: u16 = 256;

/// Shortest length of the symbols from 257 on, and how many bits follow for more.
const LENGTHS: [u16; 29] =
    [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
const LENGTH_BITS: [u8; 29] = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];

/// Bases and extra bits of the symbols of distances.
const DISTANCES: [u16; 30] = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
    8193, 12_289, 16_385, 24_577,
];
const DISTANCE_BITS: [u8; 30] =
    [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13];

/// The order of the lengths of the codes for lengths of codes.
const CODE_ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// `member` with the head that `plain` begins with, which is `head_len` bytes long; the rest of `plain` must
/// be the block of the member, which gives the length of the old head. `compressor` packs the head. None
/// where the block differs, or cannot be kept as it is packed.
pub(super) fn with_other_head(
    member: &[u8],
    plain: &[u8],
    head_len: usize,
    compressor: &mut Compressor,
) -> Option<Vec<u8>> {
    let begin = gzip_header_len(member)?;
    let deflated = member.get(begin..member.len().checked_sub(TRAILER)?)?;
    let (head, body) = plain.split_at_checked(head_len)?;
    let [.., l0, l1, l2, l3] = *member else { return None };
    let old_head_len = (u32::from_le_bytes([l0, l1, l2, l3]) as usize).checked_sub(body.len())?;
    let mut out = BitWriter::new(member.len() + head.len());
    out.bytes.extend_from_slice(&HEADER);
    put_head(&mut out, head, compressor)?;
    let mut padded = Vec::with_capacity(deflated.len() + size_of::<u64>());
    padded.extend_from_slice(deflated);
    let input = Bits::new(padded);
    let mut walk = Walk { input: &input, at: 0, place: 0, head_len: old_head_len, body, out };
    while !walk.block()? {}
    if walk.at.div_ceil(8) != deflated.len() || walk.place != old_head_len + body.len() {
        return None;
    }
    let mut out = walk.out.finish();
    out.extend_from_slice(&libdeflater::crc32(plain).to_le_bytes());
    out.extend_from_slice(&(plain.len() as u32).to_le_bytes());
    Some(out)
}

/// Puts the head as a block that is not the last one.
fn put_head(out: &mut BitWriter, head: &[u8], compressor: &mut Compressor) -> Option<()> {
    if head.len() > MAX_HEAD {
        return None;
    }
    let mut packed = vec![0; compressor.deflate_compress_bound(head.len())];
    let len = compressor.deflate_compress(head, &mut packed).ok()?;
    packed.truncate(len);
    // So short a text is one block, which says first that it is the last one.
    *packed.first_mut()? &= !1;
    let input = Bits::new(packed);
    let end = match input.peek(0) >> 1 & 3 {
        // What is stored goes from byte to byte, and so does this.
        0 => len * 8,
        kind => {
            let (codes, mut at) = Codes::read(&input, 3, kind)?;
            loop {
                let (token, bits) = codes.token(&input, at)?;
                at += bits;
                if token == Token::End {
                    break at;
                }
            }
        }
    };
    out.copy(&input, 0, end);
    (end.div_ceil(8) == len).then_some(())
}

/// Bytes that are read bit by bit, with eight more behind them.
struct Bits {
    padded: Vec<u8>,
    /// Bits of what is read.
    end: usize,
}

impl Bits {
    fn new(mut bytes: Vec<u8>) -> Self {
        let end = bytes.len() * 8;
        bytes.extend_from_slice(&[0; size_of::<u64>()]);
        Self { padded: bytes, end }
    }

    /// At least 57 bits from `at` on; zeros behind the end.
    #[inline]
    fn peek(&self, at: usize) -> u64 {
        let bytes = self.padded.get(at / 8..).and_then(|rest| rest.first_chunk());
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes) >> (at % 8))
    }
}

/// Writes bit by bit.
struct BitWriter {
    bytes: Vec<u8>,
    /// Bits that make no whole byte yet.
    pending: u64,
    len: u32,
}

impl BitWriter {
    fn new(room: usize) -> Self {
        Self { bytes: Vec::with_capacity(room), pending: 0, len: 0 }
    }

    /// Puts up to 48 bits, above which there are none.
    #[inline]
    fn put(&mut self, bits: u64, len: u32) {
        self.pending |= bits << self.len;
        self.len += len;
        let whole = self.len / 8;
        self.bytes.extend_from_slice(self.pending.to_le_bytes().get(..whole as usize).unwrap_or_default());
        self.pending >>= whole * 8;
        self.len %= 8;
    }

    /// Copies the bits from one place to another.
    fn copy(&mut self, from: &Bits, mut at: usize, to: usize) {
        while at < to {
            let len = (to - at).min(48);
            self.put(from.peek(at) & ((1 << len) - 1), len as u32);
            at += len;
        }
    }

    /// Fills the last byte up.
    fn align(&mut self) {
        let room = (8 - self.len) % 8;
        self.put(0, room);
    }

    fn finish(mut self) -> Vec<u8> {
        self.align();
        self.bytes
    }
}

/// Meaning of a code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    Literal(u8),
    Match { len: usize, distance: usize },
    End,
}

/// The codes of a block.
struct Codes {
    symbols: Table,
    distances: Table,
}

/// Codes for symbols, by their bits.
struct Table {
    /// By the next bits: symbol and length of the code; 0 for a longer one, or none.
    short: [(u16, u8); 1 << TABLE_BITS],
    /// Codes of each length.
    counts: [u16; MAX_CODE + 1],
    /// Symbols in the order of their codes.
    sorted: [u16; MAX_SYMBOLS],
}

impl Table {
    /// Builds the codes from their lengths, as they are canonical (RFC 1951, 3.2.2).
    fn new(lengths: &[u8]) -> Self {
        let mut counts = [0_u16; MAX_CODE + 1];
        lengths.iter().for_each(|len| counts[usize::from(len & 15)] += 1);
        counts[0] = 0;
        let mut next = [0_u16; MAX_CODE + 1];
        for len in 1..MAX_CODE {
            next[len + 1] = next[len] + counts[len];
        }
        let mut sorted = [0; MAX_SYMBOLS];
        for (len, symbol) in lengths.iter().zip(0..).filter(|(len, _)| **len > 0) {
            let place = &mut next[usize::from(len & 15)];
            if let Some(sorted) = sorted.get_mut(usize::from(*place)) {
                *sorted = symbol;
            }
            *place += 1;
        }
        let mut short = [(0, 0); 1 << TABLE_BITS];
        let table = Self { short, counts, sorted };
        table.each_code(|symbol, code, len| {
            let mut at = code as usize;
            while len <= TABLE_BITS
                && let Some(entry) = short.get_mut(at)
            {
                *entry = (symbol, len as u8);
                at += 1 << len;
            }
        });
        Self { short, ..table }
    }

    /// Calls with each symbol, its code with the first bit lowest, and the length of that.
    fn each_code(&self, mut each: impl FnMut(u16, u32, u32)) {
        let mut code = 0_u32;
        let mut symbols = self.sorted.iter();
        for (len, count) in (0_u32..).zip(self.counts).skip(1) {
            code <<= 1;
            for symbol in symbols.by_ref().take(usize::from(count)) {
                each(*symbol, code.reverse_bits() >> (32 - len), len);
                code += 1;
            }
        }
    }

    /// The symbol that these bits begin with, and the length of its code.
    #[inline]
    fn symbol(&self, bits: u64) -> Option<(u16, u32)> {
        match self.short[bits as usize & ((1 << TABLE_BITS) - 1)] {
            (_, 0) => self.long_symbol(bits),
            (symbol, len) => Some((symbol, u32::from(len))),
        }
    }

    /// Finds a symbol with a long code by counting codes, length by length.
    fn long_symbol(&self, bits: u64) -> Option<(u16, u32)> {
        let (mut code, mut first, mut before) = (0_u32, 0_u32, 0_usize);
        for len in 1..=MAX_CODE {
            code = code << 1 | (bits >> (len - 1) & 1) as u32;
            let count = u32::from(self.counts[len]);
            first <<= 1;
            if let Some(at) = code.checked_sub(first).filter(|at| *at < count) {
                return Some((*self.sorted.get(before + at as usize)?, len as u32));
            }
            first += count;
            before += count as usize;
        }
        None
    }
}

impl Codes {
    /// The codes of the block whose tables are at `at`, and where these end; `kind` is 1 for fixed codes and
    /// 2 for codes in the block.
    fn read(input: &Bits, mut at: usize, kind: u64) -> Option<(Self, usize)> {
        if kind == 1 {
            let mut lengths = [8_u8; 288];
            lengths.get_mut(144..256)?.fill(9);
            lengths.get_mut(256..280)?.fill(7);
            return Some((Self { symbols: Table::new(&lengths), distances: Table::new(&[5; 32]) }, at));
        }
        if kind != 2 {
            return None;
        }
        let bits = input.peek(at);
        let symbols = 257 + (bits & 31) as usize;
        let distances = 1 + (bits >> 5 & 31) as usize;
        let coded = 4 + (bits >> 10 & 15) as usize;
        at += 14;
        let mut lengths = [0_u8; 19];
        for place in CODE_ORDER.iter().take(coded) {
            *lengths.get_mut(*place)? = (input.peek(at) & 7) as u8;
            at += 3;
        }
        let table = Table::new(&lengths);
        let mut lengths = Vec::with_capacity(320);
        while lengths.len() < symbols + distances {
            let bits = input.peek(at);
            let (symbol, len) = table.symbol(bits)?;
            let extra = bits >> len;
            let (value, times, extra) = match symbol {
                0..16 => (symbol as u8, 1, 0),
                16 => (*lengths.last()?, 3 + (extra & 3), 2),
                17 => (0, 3 + (extra & 7), 3),
                _ => (0, 11 + (extra & 127), 7),
            };
            lengths.extend(std::iter::repeat_n(value, times as usize));
            at += (len + extra) as usize;
        }
        let (of_symbols, of_distances) = lengths.split_at_checked(symbols)?;
        let of_distances = of_distances.get(..distances)?;
        Some((Self { symbols: Table::new(of_symbols), distances: Table::new(of_distances) }, at))
    }

    /// The token at a place, and how many bits it takes.
    #[inline]
    fn token(&self, input: &Bits, at: usize) -> Option<(Token, usize)> {
        if at >= input.end {
            return None;
        }
        let mut bits = input.peek(at);
        let (symbol, len) = self.symbols.symbol(bits)?;
        if symbol < END {
            return Some((Token::Literal(symbol as u8), len as usize));
        }
        if symbol == END {
            return (at + len as usize <= input.end).then_some((Token::End, len as usize));
        }
        let mut taken = len;
        bits >>= len;
        let symbol = usize::from(symbol - END - 1);
        let (base, extra) = (*LENGTHS.get(symbol)?, *LENGTH_BITS.get(symbol)?);
        let len = usize::from(base) + (bits & ((1 << extra) - 1)) as usize;
        bits >>= extra;
        taken += u32::from(extra);
        let (symbol, of_code) = self.distances.symbol(bits)?;
        bits >>= of_code;
        let symbol = usize::from(symbol);
        let (base, extra) = (*DISTANCES.get(symbol)?, *DISTANCE_BITS.get(symbol)?);
        let distance = usize::from(base) + (bits & ((1 << extra) - 1)) as usize;
        taken += of_code + u32::from(extra);
        Some((Token::Match { len, distance }, taken as usize))
    }

    /// The literals at a place, as far as they are short codes of these bytes: what they end at is looked at by
    /// [`Self::token`].
    #[inline]
    fn literals_at(&self, input: &Bits, at: usize, bytes: &[u8]) -> LiteralRun {
        let mut run = LiteralRun { count: 0, bits: 0 };
        'literals: while at + run.bits + 64 <= input.end {
            let (mut bits, mut left) = (input.peek(at + run.bits), 57);
            while left >= TABLE_BITS {
                let (symbol, len) = self.symbols.short[bits as usize & ((1 << TABLE_BITS) - 1)];
                if len == 0 || bytes.get(run.count).is_none_or(|byte| u16::from(*byte) != symbol) {
                    break 'literals;
                }
                bits >>= len;
                left -= u32::from(len);
                run.bits += usize::from(len);
                run.count += 1;
            }
        }
        run
    }

    /// The codes of literals by their bytes: bits and length, 0 where there is none.
    fn of_literals(&self) -> [(u16, u8); 256] {
        let mut codes = [(0, 0); 256];
        self.symbols.each_code(|symbol, code, len| {
            if let Some(place) = codes.get_mut(usize::from(symbol)) {
                *place = (code as u16, len as u8);
            }
        });
        codes
    }
}

/// Whether bytes stand at two places, the second behind the first.
#[inline]
fn is_repeated(bytes: &[u8], from: usize, to: usize, len: usize) -> bool {
    let eight_bytes =
        |at: usize| bytes.get(at..).and_then(|rest| rest.first_chunk()).map(|chunk| u64::from_le_bytes(*chunk));
    // Most matches are short.
    if len <= 8
        && let (Some(first), Some(second)) = (eight_bytes(from), eight_bytes(to))
    {
        return (first ^ second) << (64 - 8 * len) == 0;
    }
    bytes.get(from..from + len).zip(bytes.get(to..to + len)).is_some_and(|(first, second)| first == second)
}

/// Literals that follow one another.
struct LiteralRun {
    count: usize,
    bits: usize,
}

/// The way through a member.
struct Walk<'w> {
    input: &'w Bits,
    /// The next bit.
    at: usize,
    /// Bytes that came out so far.
    place: usize,
    /// Bytes of the head that goes.
    head_len: usize,
    /// What came behind it.
    body: &'w [u8],
    out: BitWriter,
}

impl Walk<'_> {
    /// Takes a block; returns whether it was the last one.
    fn block(&mut self) -> Option<bool> {
        let begin = self.at;
        let bits = self.input.peek(begin);
        let is_last = bits & 1 == 1;
        self.at += 3;
        match bits >> 1 & 3 {
            0 => self.stored(is_last)?,
            kind => self.coded(begin, is_last, kind)?,
        }
        (self.at <= self.input.end).then_some(is_last)
    }

    fn stored(&mut self, is_last: bool) -> Option<()> {
        let from = self.at.div_ceil(8);
        let len = usize::from(u16::from_le_bytes(*self.input.padded.get(from..)?.first_chunk()?));
        let bytes = self.input.padded.get(from + 4..from + 4 + len)?;
        let (place, begin) = (self.place, self.head_len.saturating_sub(self.place).min(len));
        let kept = bytes.get(begin..)?;
        let body_from = (place + begin).saturating_sub(self.head_len);
        if !kept.is_empty() && self.body.get(body_from..body_from + kept.len())? != kept {
            return None;
        }
        if !kept.is_empty() || is_last {
            let kept_len = kept.len() as u16;
            self.out.put(u64::from(is_last), 3);
            self.out.align();
            self.out.bytes.extend_from_slice(&kept_len.to_le_bytes());
            self.out.bytes.extend_from_slice(&(!kept_len).to_le_bytes());
            self.out.bytes.extend_from_slice(kept);
        }
        self.place += len;
        self.at = (from + 4 + len) * 8;
        Some(())
    }

    fn coded(&mut self, begin: usize, is_last: bool, kind: u64) -> Option<()> {
        let (codes, tokens) = Codes::read(self.input, self.at, kind)?;
        self.at = tokens;
        let (mut place, mut at) = (self.place, self.at);
        // Tokens of the head are dropped.
        while place < self.head_len {
            let (token, bits) = codes.token(self.input, at)?;
            match token {
                Token::Literal(_) => place += 1,
                Token::Match { len, .. } => {
                    place += len;
                    if place > self.head_len {
                        self.out.copy(self.input, begin, tokens);
                        let literals = codes.of_literals();
                        self.literals(&literals, self.head_len, place)?;
                        return self.rest(&codes, Some(literals), place, at + bits);
                    }
                }
                Token::End => {
                    self.place = place;
                    self.at = at + bits;
                    if is_last {
                        self.out.copy(self.input, begin, tokens);
                        self.out.copy(self.input, at, self.at);
                    }
                    return Some(());
                }
            }
            at += bits;
        }
        self.out.copy(self.input, begin, tokens);
        self.rest(&codes, None, place, at)
    }

    /// Takes what of a block belongs to the body.
    fn rest(
        &mut self,
        codes: &Codes,
        mut literals: Option<[(u16, u8); 256]>,
        mut place: usize,
        mut at: usize,
    ) -> Option<()> {
        let mut kept_from = at;
        loop {
            // Three codes are within what is read at once.
            let literals_here = codes.literals_at(self.input, at, self.body.get(place - self.head_len..)?);
            at += literals_here.bits;
            place += literals_here.count;
            let (token, bits) = codes.token(self.input, at)?;
            let behind = at + bits;
            match token {
                Token::Literal(byte) => {
                    if *self.body.get(place - self.head_len)? != byte {
                        return None;
                    }
                    place += 1;
                }
                Token::Match { len, distance } => {
                    let from = place.checked_sub(distance)?;
                    if let Some(from) = from.checked_sub(self.head_len) {
                        let to = place - self.head_len;
                        if !is_repeated(self.body, from, to, len) {
                            return None;
                        }
                    } else {
                        self.out.copy(self.input, kept_from, at);
                        kept_from = behind;
                        let literals = literals.get_or_insert_with(|| codes.of_literals());
                        self.literals(literals, place, place + len)?;
                    }
                    place += len;
                }
                Token::End => {
                    self.out.copy(self.input, kept_from, behind);
                    self.place = place;
                    self.at = behind;
                    return Some(());
                }
            }
            at = behind;
        }
    }

    /// Writes the bytes of the body between these places as literals.
    fn literals(&mut self, literals: &[(u16, u8); 256], from: usize, to: usize) -> Option<()> {
        for byte in self.body.get(from - self.head_len..to - self.head_len)? {
            let (code, len) = literals[usize::from(*byte)];
            if len == 0 {
                return None;
            }
            self.out.put(u64::from(code), u32::from(len));
        }
        Some(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use flate2::{Compression, GzBuilder};
    use libdeflater::CompressionLvl;
    use proptest::prelude::*;
    use std::io::{Read, Write};

    fn gzip(parts: &[&[u8]], level: u32) -> Vec<u8> {
        let mut out = GzEncoder::new(Vec::new(), Compression::new(level));
        parts.iter().for_each(|part| out.write_all(part).unwrap());
        out.finish().unwrap()
    }

    fn gunzip(member: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        flate2::read::MultiGzDecoder::new(member).read_to_end(&mut out).unwrap();
        out
    }

    fn changed(member: &[u8], head: &[u8], body: &[u8]) -> Option<Vec<u8>> {
        let mut compressor = Compressor::new(CompressionLvl::new(6).unwrap());
        with_other_head(member, &[head, body].concat(), head.len(), &mut compressor)
    }

    const OLD: &[u8] = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Type: text/html\r\nWARC-Payload-Digest: sha1:AAAA\r\nContent-Length: 9\r\n\r\n";
    const NEW: &[u8] = b"WARC/1.1\r\nWARC-Type: response\r\nContent-Type: text/html\r\nWARC-Fonds-Source-Payload-Digest: sha1:AAAA\r\nWARC-Payload-Digest: sha1:QJXZ234567\r\nContent-Length: 9\r\n\r\n";

    /// A page of about so many bytes, which repeats fields of the head.
    fn page(bytes: usize) -> Vec<u8> {
        let mut page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n".to_vec();
        let mut number = 7_u64;
        while page.len() < bytes {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            write!(page, "<p>WARC-Type: response {} of ação {:x}", number >> 60, number >> 44).unwrap();
        }
        page.extend_from_slice(b"\r\n\r\n");
        page
    }

    #[test]
    fn the_block_stays_as_it_was_packed() {
        for bytes in [0, 300, 5000, 32_700, 100_000, 1_500_000] {
            let body = page(bytes);
            for level in [0, 1, 2, 4, 6, 9] {
                let member = gzip(&[OLD, &body], level);
                let new = changed(&member, NEW, &body).unwrap();
                assert!(gunzip(&new) == [NEW, &body].concat(), "{bytes} bytes, level {level}");
                assert!(new.len() <= member.len() + 2 * NEW.len(), "{} of {}", new.len(), member.len());
                // Once more, back.
                assert!(gunzip(&changed(&new, OLD, &body).unwrap()) == [OLD, &body].concat());
            }
            let mut whole = Compressor::new(CompressionLvl::new(6).unwrap());
            let plain = [OLD, &body].concat();
            let mut member = vec![0; whole.gzip_compress_bound(plain.len())];
            let len = whole.gzip_compress(&plain, &mut member).unwrap();
            assert!(gunzip(&changed(&member[..len], NEW, &body).unwrap()) == [NEW, &body].concat());
        }
    }

    #[test]
    fn a_header_with_a_name_goes_and_what_is_no_member_is_refused() {
        let body = page(2000);
        let mut named = GzBuilder::new().filename("a.warc").extra(vec![1, 2, 3]).write(Vec::new(), Compression::new(6));
        named.write_all(&[OLD, &body].concat()).unwrap();
        let named = named.finish().unwrap();
        assert!(gunzip(&changed(&named, NEW, &body).unwrap()) == [NEW, &body].concat());
        let member = gzip(&[OLD, &body], 6);
        let mut other = body.clone();
        for at in [0, 70, 1000, body.len() - 1] {
            other[at] ^= 1;
            assert!(changed(&member, NEW, &other).is_none_or(|new| gunzip(&new) == [NEW, &other].concat()), "{at}");
            other[at] ^= 1;
        }
        other[1000] ^= 1;
        assert!(changed(&member, NEW, &other).is_none());
        assert!(changed(&member, NEW, &body[1..]).is_none_or(|new| gunzip(&new) == [NEW, &body[1..]].concat()));
        assert!(changed(&[&member[..], b"x"].concat(), NEW, &body).is_none());
        assert!(changed(&member, &NEW.repeat(40), &body).is_none());
        for len in 0..40 {
            assert!(changed(&member[..len], NEW, &body).is_none());
        }
    }

    proptest! {
        #[test]
        fn nothing_else_ever_comes_out(
            head in "[A-Z a-z:\r\n]{0,300}", new in "[A-Za-z:]{0,300}", body in "([a-f ]{1,20}|WARC-Type: |\u{e7}){0,400}",
            level in 0_u32..10, cut in 0_usize..300, damage in any::<Option<(u16, u8)>>()
        ) {
            // A body that begins with the end of the head repeats it.
            let body = format!("{}{body}", head.get(cut..).unwrap_or_default());
            let mut member = gzip(&[head.as_bytes(), body.as_bytes()], level);
            let is_sound = damage.is_none_or(|(_, bits)| bits == 0);
            if let Some((at, bits)) = damage {
                let at = usize::from(at) % member.len();
                member[at] ^= bits;
            }
            if let Some(made) = changed(&member, new.as_bytes(), body.as_bytes()) {
                prop_assert_eq!(gunzip(&made), [new.as_bytes(), body.as_bytes()].concat());
            } else if is_sound {
                // A literal may be without a code where the head alone has it.
                prop_assert!(level > 0);
            }
        }
    }
}
