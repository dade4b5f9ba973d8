//! Speed of reading and writing archive files, beside its limit: bare
//! libdeflate over the same bytes.
//!
//! `FONDS_BENCH_WARC=folder cargo bench --no-default-features --bench warc`
//! reads the `.warc.gz` files of the folder; without it, some made for the
//! occasion. Every way takes its turn in each of three rounds, and the table
//! shows the best round, by the processor's time and by the clock: on a busy
//! machine only the former can be compared. Writing is also held against bare
//! libdeflate a few megabytes at a time, by turns: what a machine does beside
//! it then falls on all alike.

#![allow(clippy::unwrap_used)]

mod measured;

use fonds::uri::CaptureDate;
use fonds::warc::cdx::{IndexOptions, index_file};
use fonds::warc::http::parse_response_head;
use fonds::warc::{
    ArchiveReader, Digests, Event, FileSetOptions, RecordBuilder, RecordType, WarcFileSet, WarcWriter,
    read_in_parallel, read_record_at,
};
use libdeflater::{CompressionLvl, Compressor, Decompressor};
use measured::cpu_time;
use std::hint::black_box;
use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const ROUNDS: usize = 3;

/// Bytes of blocks that each way of writing takes before it is another's turn.
const SLICE: usize = 4 << 20;

/// Bytes of blocks that are written.
const WRITTEN: usize = 128 << 20;

/// Records read by their place.
const PLACES: usize = 2000;

const DATE: CaptureDate = CaptureDate::from_seconds(1_709_283_600);

/// What a way did: records and bytes, not compressed.
type Done = (u64, u64);

type Way<'a> = Box<dyn Fn() -> Done + 'a>;

fn main() {
    // Run by `cargo test`, it only shows that everything works.
    let measure = std::env::args().any(|arg| arg == "--bench");
    let made = tempfile::tempdir().unwrap();
    let files = match std::env::var_os("FONDS_BENCH_WARC").filter(|_| measure) {
        Some(folder) => files_in(Path::new(&folder)),
        None => make_files(made.path(), if measure { 60_000 } else { 300 }),
    };
    let blocks = some_blocks(&files, if measure { WRITTEN } else { 1 << 20 });
    let records: Vec<(RecordBuilder, &[u8])> = blocks
        .iter()
        .map(|block| {
            let builder = RecordBuilder::response("urn:uuid:bench", DATE, "http://example.pt/");
            (builder.digests(&Digests::of_block(block, true)), block.as_slice())
        })
        .collect();
    let plain: Vec<Vec<u8>> = records.iter().map(|(builder, block)| builder.plain(block)).collect();
    let places = places_of(&files[0]);
    let ways: Vec<(&str, Way<'_>)> = vec![
        ("read: bare libdeflate, members known", Box::new(|| bare_inflate(&files))),
        ("read: one thread", Box::new(|| read(&files, 1))),
        ("read: two threads", Box::new(|| read(&files, 2))),
        ("read: cdxj, as many threads as are good", Box::new(|| index(&files))),
        ("read: records by their place", Box::new(|| by_place(&files[0], &places))),
        ("write: bare libdeflate", Box::new(|| bare_deflate(&plain))),
        ("write: records", Box::new(|| write(&records))),
        ("write: records and their digests", Box::new(|| write_with_digests(&blocks))),
        ("write: records through a file set", Box::new(|| write_set(&records))),
    ];
    let rounds = if measure { ROUNDS } else { 1 };
    let mut best = vec![(Duration::MAX, Duration::MAX, (0, 0)); ways.len()];
    for _ in 0..rounds {
        for ((_, way), best) in ways.iter().zip(&mut best) {
            let (clock, cpu) = (Instant::now(), cpu_time());
            let done = way();
            *best = (best.0.min(cpu_time().saturating_sub(cpu)), best.1.min(clock.elapsed()), done);
        }
    }
    println!("{:<42} {:>9} {:>8} {:>8} {:>12} {:>10}", "", "records", "cpu s", "wall s", "records/cpu s", "MB/cpu s");
    for ((name, _), (cpu, wall, (count, bytes))) in ways.iter().zip(best) {
        let per = |amount: u64| amount as f64 / cpu.as_secs_f64().max(0.005);
        println!(
            "{name:<42} {count:>9} {:>8.2} {:>8.2} {:>13.0} {:>10.0}",
            cpu.as_secs_f64(),
            wall.as_secs_f64(),
            per(count),
            per(bytes) / 1e6
        );
    }
    by_slices(&blocks, &records, &plain, rounds);
}

/// What share of bare libdeflate's rate each way of writing has: the middle of
/// all turns, and where the middle half of them lies.
fn by_slices(blocks: &[Vec<u8>], records: &[(RecordBuilder, &[u8])], plain: &[Vec<u8>], rounds: usize) {
    let mut slices = Vec::new();
    let (mut from, mut len) = (0, 0);
    for (number, block) in blocks.iter().enumerate() {
        len += block.len();
        if len >= SLICE || number + 1 == blocks.len() {
            slices.push(from..number + 1);
            (from, len) = (number + 1, 0);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let mut set = WarcFileSet::new(FileSetOptions::new(folder.path(), "BENCH"));
    let mut shares = [(); 3].map(|()| Vec::new());
    for slice in (0..rounds).flat_map(|_| &slices) {
        let time = |way: &mut dyn FnMut() -> Done| {
            let begin = Instant::now();
            black_box(way());
            begin.elapsed().as_secs_f64()
        };
        let bare = || time(&mut || bare_deflate(&plain[slice.clone()]));
        let before = bare();
        let ways = [
            time(&mut || write(&records[slice.clone()])),
            time(&mut || write_with_digests(&blocks[slice.clone()])),
            time(&mut || append(&mut set, &records[slice.clone()])),
        ];
        let bare = before.midpoint(bare());
        shares.iter_mut().zip(ways).for_each(|(shares, way)| shares.push(100.0 * bare / way));
    }
    for (name, shares) in ["records", "records and their digests", "records through a file set"].iter().zip(&mut shares)
    {
        shares.sort_by(f64::total_cmp);
        let [low, middle, high] = [1, 2, 3].map(|quarter| shares[shares.len() * quarter / 4]);
        println!("write: {name:<34} {middle:>3.0} % of bare libdeflate, by turns ({low:.0} to {high:.0})");
    }
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.to_string_lossy().ends_with(".warc.gz"));
    files.sort();
    assert!(!files.is_empty(), "no .warc.gz in {}", folder.display());
    files
}

/// Pages of many sizes, about as squeezable as pages are.
fn make_files(folder: &Path, pages: usize) -> Vec<PathBuf> {
    let options = FileSetOptions { max_bytes: 100_000_000, ..FileSetOptions::new(folder, "BENCH") };
    let mut set = WarcFileSet::new(options);
    let mut state = 7_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for page in 0..pages {
        let mut block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nServer: bench\r\n\r\n<html><body>".to_vec();
        for _ in 0..next(600) {
            let word = next(50_000);
            writeln!(block, "<p class=\"c{}\"><a href=\"/w/{word}\">word {word}</a> text {}</p>", word % 7, next(9))
                .unwrap();
        }
        let builder = RecordBuilder::response("urn:uuid:bench", DATE, &format!("http://example.pt/{page}"));
        set.append(&[&builder.digests(&Digests::of_block(&block, true)).compress(&block)]).unwrap();
    }
    set.close().unwrap()
}

fn some_blocks(files: &[PathBuf], len: usize) -> Vec<Vec<u8>> {
    let records = files.iter().flat_map(|file| ArchiveReader::open(file).unwrap().records(1 << 22));
    let responses = records.map(Result::unwrap).filter(|record| record.head.record_type == RecordType::Response);
    let mut left = len;
    let enough = |block: &Vec<u8>| {
        let goes_on = left > 0;
        left = left.saturating_sub(block.len());
        goes_on
    };
    responses.map(|record| record.block).take_while(enough).collect()
}

/// Every record with the HTTP head parsed and the block read.
fn read(files: &[PathBuf], threads: usize) -> Done {
    let map = |head: &fonds::warc::RecordHead, block: &mut dyn BufRead| {
        let mut is_first = head.is_http();
        let mut len = 0;
        loop {
            let chunk = block.fill_buf()?;
            if chunk.is_empty() {
                return Ok(len);
            }
            if std::mem::take(&mut is_first) {
                black_box(parse_response_head(chunk));
            }
            len += chunk.len() as u64;
            let used = chunk.len();
            block.consume(used);
        }
    };
    let mut done = (0, 0);
    read_in_parallel(files, threads, &fonds::jobs::JobCx::detached(), map, |_, event| {
        match event {
            Event::Record(visit) => done = (done.0 + u64::from(visit.span.is_some()), done.1 + visit.value),
            Event::Failed(error) => panic!("{error}"),
            Event::End(_) => {}
        }
        ControlFlow::Continue(())
    });
    done
}

/// The members of the files, found as the next header that fits.
fn bare_inflate(files: &[PathBuf]) -> Done {
    let mut inflate = Decompressor::new();
    let mut out = vec![0; 64 << 20];
    let mut done = (0, 0);
    for file in files {
        let bytes = std::fs::read(file).unwrap();
        let mut start = 0;
        let mut guess = 18;
        while start < bytes.len() {
            let next = bytes[start + guess..].windows(3).position(|window| window == [0x1f, 0x8b, 8]);
            let end = next.map_or(bytes.len(), |next| start + guess + next);
            let len = u32::from_le_bytes(*bytes[..end].last_chunk().unwrap()) as usize;
            let room = (len + 512).min(out.len());
            match inflate.gzip_decompress(&bytes[start..end], &mut out[..room]) {
                Ok(found) if found == len => {
                    done = (done.0 + 1, done.1 + len as u64);
                    (start, guess) = (end, 18);
                }
                _ => guess = end - start + 1,
            }
        }
    }
    done
}

fn index(files: &[PathBuf]) -> Done {
    let cx = fonds::jobs::JobCx::detached();
    let lines_of = |file| index_file(file, "bench", IndexOptions::default(), &cx).unwrap().0.len();
    let lines: usize = files.iter().map(|file| lines_of(file)).sum();
    (lines as u64, 0)
}

fn places_of(file: &Path) -> Vec<u64> {
    let records = ArchiveReader::open(file).unwrap().records(0);
    let places: Vec<u64> = records.map(|record| record.unwrap().span.offset).collect();
    // Far from each other and not in order.
    (0..PLACES.min(places.len())).map(|number| places[number * 7919 % places.len()]).collect()
}

fn by_place(file: &Path, places: &[u64]) -> Done {
    let lens = places.iter().map(|&offset| read_record_at(file, offset, 1 << 20).unwrap().block.len() as u64);
    (places.len() as u64, lens.sum())
}

fn total(blocks: impl IntoIterator<Item = usize>) -> Done {
    blocks.into_iter().fold((0, 0), |done, len| (done.0 + 1, done.1 + len as u64))
}

fn bare_deflate(plain: &[Vec<u8>]) -> Done {
    let mut deflate = Compressor::new(CompressionLvl::new(6).unwrap());
    let mut out = vec![0; deflate.gzip_compress_bound(plain.iter().map(Vec::len).max().unwrap_or(0))];
    for bytes in plain {
        black_box(deflate.gzip_compress(bytes, &mut out).unwrap());
    }
    total(plain.iter().map(Vec::len))
}

fn write(records: &[(RecordBuilder, &[u8])]) -> Done {
    let mut writer = WarcWriter::new(io::sink(), 0);
    for (builder, block) in records {
        writer.append(&builder.compress(block)).unwrap();
    }
    total(records.iter().map(|(_, block)| block.len()))
}

fn write_with_digests(blocks: &[Vec<u8>]) -> Done {
    let mut writer = WarcWriter::new(io::sink(), 0);
    for block in blocks {
        let builder = RecordBuilder::response("urn:uuid:bench", DATE, "http://example.pt/");
        writer.append(&builder.digests(&Digests::of_block(block, true)).compress(block)).unwrap();
    }
    total(blocks.iter().map(Vec::len))
}

fn write_set(records: &[(RecordBuilder, &[u8])]) -> Done {
    let folder = tempfile::tempdir().unwrap();
    let mut set = WarcFileSet::new(FileSetOptions::new(folder.path(), "BENCH"));
    let done = append(&mut set, records);
    set.close().unwrap();
    done
}

fn append(set: &mut WarcFileSet, records: &[(RecordBuilder, &[u8])]) -> Done {
    for (builder, block) in records {
        set.append(&[&builder.compress(block)]).unwrap();
    }
    total(records.iter().map(|(_, block)| block.len()))
}
