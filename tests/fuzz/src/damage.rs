//! Compressed files that were sound and then came to harm.

use super::archive::read_every_way;
use flate2::{Compression, GzBuilder};
use fonds::uri::CaptureDate;
use fonds::warc::RecordBuilder;
use std::io::Write;
use std::ops::Range;

/// A recipe: how many records of what kind, packed how, damaged where.
struct Recipe<'a>(&'a [u8]);

impl<'a> Recipe<'a> {
    fn byte(&mut self) -> usize {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(first)
    }

    fn two(&mut self) -> usize {
        self.byte() << 8 | self.byte()
    }

    fn take(&mut self, len: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(len.min(self.0.len()));
        self.0 = rest;
        taken
    }
}

/// A member of the file, and whether its bytes may look like members themselves.
struct Member {
    id: String,
    block: Vec<u8>,
    place: Range<usize>,
}

/// Bytes that cannot be squeezed and hold no member.
fn noise(seed: usize, len: usize) -> Vec<u8> {
    let mut state = seed as u64 ^ 0x9E37_79B9_7F4A_7C15;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..len).map(|_| next()).collect()
}

fn pack(how: usize, plain: &[u8]) -> Vec<u8> {
    let builder = match how {
        0 => GzBuilder::new(),
        1 => GzBuilder::new().filename("a.warc").extra(vec![b's', b'l', 4, 0, 1, 2, 3, 4]),
        _ => GzBuilder::new().comment("a comment").mtime(1),
    };
    let level = [6, 9, 0, 1][how % 4];
    let mut encoder = builder.write(Vec::new(), Compression::new(level));
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

/// Makes a file of several members out of the recipe, damages it, and reads
/// it: what stands before the damage is read as it was, and so is what stands
/// behind it.
pub fn gzip(data: &[u8]) {
    let mut recipe = Recipe(data);
    let is_zstd = recipe.byte() % 4 == 3;
    let date = CaptureDate::from_millis(1_709_283_600_000);
    let mut wild = false;
    let mut file = Vec::new();
    let mut members = Vec::new();
    for number in 0..1 + recipe.byte() % 6 {
        let block = match recipe.byte() % 6 {
            0 => noise(number, recipe.two() % 4000),
            1 => b"O arquivo da web. ".repeat(recipe.byte()),
            2 => vec![b'\n'; recipe.two()],
            3 => noise(number, 60_000 + recipe.two() % 12_000),
            4 => Vec::new(),
            _ => {
                wild = true;
                let len = recipe.byte();
                recipe.take(len).to_vec()
            }
        };
        let id = format!("urn:fuzz:{number}");
        let plain = RecordBuilder::response(&id, date, "http://a.pt/").plain(&block);
        let packed = match is_zstd {
            true => ruzstd::encoding::compress_to_vec(&plain[..], ruzstd::encoding::CompressionLevel::Fastest),
            false => pack(recipe.byte() % 4, &plain),
        };
        let place = file.len()..file.len() + packed.len();
        file.extend(packed);
        members.push(Member { id, block, place });
    }

    // From the end to the beginning, so that places stay what they were.
    let mut damages: Vec<(usize, usize, usize)> =
        (0..recipe.byte() % 4).map(|_| (recipe.two() * file.len() / 65_536, recipe.byte(), recipe.byte())).collect();
    damages.sort_unstable();
    let mut harmed = file.len()..file.len();
    for &(place, how, more) in damages.iter().rev() {
        let place = place.min(file.len());
        let mut end = (place + 1).min(harmed.start.max(place));
        match how % 6 {
            0 if place < file.len() => file[place] ^= 1 << (more % 8),
            1 if place < file.len() => file[place] = more as u8,
            2 => {
                end = (place + more).min(file.len());
                file.drain(place..end);
            }
            3 => drop(file.splice(place..place, noise(more, more * 40))),
            4 => {
                wild = true;
                let bytes = recipe.take(more).to_vec();
                file.splice(place..place, bytes);
            }
            _ => {
                end = usize::MAX;
                file.truncate(place);
            }
        }
        harmed = place..if harmed.is_empty() { end } else { harmed.end.max(end) };
    }

    let found = read_every_way(&file);
    let before: Vec<&Member> = members.iter().take_while(|member| member.place.end <= harmed.start).collect();
    for (member, record) in before.iter().zip(&found.records) {
        assert_eq!(record.head.record_id().as_deref(), Some(member.id.as_str()));
        assert_eq!(record.block, member.block[..member.block.len().min(64 * 1024)]);
        assert_eq!((record.span.offset, record.span.length), (member.place.start as u64, member.place.len() as u64));
    }
    assert!(
        found.records.len() >= before.len(),
        "{} of {} records before the damage",
        found.records.len(),
        before.len()
    );
    // The first bytes tell how the file is packed: without them it is another file.
    if wild || (!harmed.is_empty() && harmed.start < 4) {
        return;
    }
    let mut read = found.records.iter();
    for member in members.iter().filter(|member| member.place.start >= harmed.end || member.place.end <= harmed.start) {
        let record = read.find(|record| record.head.record_id().as_deref() == Some(member.id.as_str()));
        let record =
            record.unwrap_or_else(|| panic!("{} is lost by damage at {harmed:?}: {:?}", member.id, found.problems));
        assert_eq!(record.block, member.block[..member.block.len().min(64 * 1024)]);
    }
}
