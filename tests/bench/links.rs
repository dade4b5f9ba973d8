//! Speed and memory of making inlinks of outlinks, and of queries of stored links.
//!
//! `cargo bench --no-default-features --bench links` makes links from a seed:
//! power-law in-degree, 60 % internal, 15 % of the targets never captured, 5 %
//! exact duplicates. They are made before, into a file (about 110 bytes a
//! link, in the system's folder for temporary files): making them reads memory
//! all over, which costs as much as sorting them, and gigabytes of them in
//! memory cost a system that looks after its memory a part of its time.
//!
//! By the environment: `FONDS_BENCH_LINKS` how many (one million),
//! `FONDS_BENCH_MIB` the memory for sorting (512), `FONDS_BENCH_THREADS` (2),
//! `FONDS_BENCH_SHAPE` `capture` or `page`, `FONDS_BENCH_ONLY` `lines` or
//! `stored`, `FONDS_BENCH_PIECES` in how many loads links are stored (1),
//! `FONDS_BENCH_DIR` where (the system's folder for temporary files).

mod measured;
mod sizes;

use fonds::inlinks::dataset::render_line;
use fonds::inlinks::invert::{
    AssignOptions, LinkRow, Shape, Shuffle, ShuffleOptions, Sorted, TargetCapture, assign_rendered,
};
use fonds::inlinks::stored::{LinkStore, StoreRules, Window};
use fonds::jobs::JobCx;
use fonds::links::LinkKind;
use fonds::uri::CaptureDate;
use measured::cpu_time;
use sizes::number;
use std::hash::Hasher;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tempfile::NamedTempFile;

/// Links that are made from one seed.
const CHUNK: u64 = 50_000;

/// A thousand random numbers are as good as any: what counts is that they repeat.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// From 0 up to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The web that links lead through.
struct Web {
    /// Captured pages, those of one host together, then pages never captured.
    pages: Vec<String>,
    captured: usize,
    /// First page and number of pages of each host.
    hosts: Vec<(usize, usize)>,
    host_of: Vec<u32>,
    /// Page and second of each capture.
    captures: Vec<(u32, i64)>,
    /// Pages in the order of their popularity.
    popular: Vec<u32>,
    anchors: Vec<String>,
}

impl Web {
    fn new(links: u64) -> Self {
        let mut random = SplitMix(1);
        let captured = (links as usize / 40).max(1000);
        let uncaptured = captured * 15 / 85;
        let host_count = (captured / 100).max(50);
        let scale = captured as f64 * 0.5 / (host_count as f64).ln();
        let mut sizes: Vec<usize> = (1..=host_count).map(|rank| (scale / rank as f64) as usize + 1).collect();
        let total: usize = sizes.iter().sum();
        sizes.iter_mut().for_each(|size| *size = (*size * captured / total).max(1));
        let rest = captured.saturating_sub(sizes.iter().sum());
        sizes[0] += rest;
        let tlds = ["pt", "pt", "pt", "com", "org", "eu", "net", "test"];
        let names = ["noticias", "arquivo", "jornal", "camara", "escola", "museu", "porto", "radio", "loja", "blog"];
        let folders = [
            "sobre",
            "noticias/2024",
            "artigo",
            "produto/categoria",
            "index.php?id=",
            "pages/view",
            "forum/topico",
            "en",
        ];
        let (mut pages, mut hosts, mut host_of) = (Vec::new(), Vec::new(), Vec::new());
        for (host, size) in sizes.into_iter().enumerate() {
            hosts.push((pages.len(), size));
            for _ in 0..size {
                let page = pages.len();
                pages.push(format!(
                    "({},{}{host:x},)/{}/{page:x}",
                    tlds[host % 8],
                    names[host % 10],
                    folders[page % 8]
                ));
                host_of.push(host as u32);
            }
        }
        let captured = pages.len();
        pages.extend((0..uncaptured).map(|page| format!("(com,extern{:x},)/p/{page:x}", page % (host_count * 3))));
        let mut captures = Vec::new();
        for page in 0..captured {
            for _ in 0..1 + (random.unit() * random.unit() * 7.0) as usize {
                captures.push((page as u32, 1_672_531_200 + random.below(730 * 86_400) as i64));
            }
        }
        let mut popular: Vec<u32> = (0..pages.len() as u32).collect();
        for at in (1..popular.len()).rev() {
            popular.swap(at, random.below(at + 1));
        }
        let words = ["sobre", "contactos", "notícias", "seguinte", "ler mais", "artigo", "política", "mapa do site"];
        let anchors = (0..50_000)
            .map(|n| {
                let mut text: Vec<String> = (0..=n % 6).map(|_| words[random.below(words.len())].to_owned()).collect();
                if n % 3 == 0 {
                    text.push(n.to_string());
                }
                text.join(" ")
            })
            .collect();
        Self { pages, captured, hosts, host_of, captures, popular, anchors }
    }

    /// The links of one seed.
    fn chunk(&self, chunk: u64, count: u64, mut push: impl FnMut(&LinkRow<'_>)) {
        let mut random = SplitMix(chunk.wrapping_mul(0x5851_f42d_4c95_7f2d) + 7);
        let mut first = Vec::new();
        for n in 0..count {
            // The last twentieth repeats the first.
            let repeats = n + count / 20 >= count;
            let (capture, target, anchor) = if repeats {
                first[(n + count / 20 - count) as usize % first.len()]
            } else {
                let capture = random.below(self.captures.len());
                let (start, size) = self.hosts[self.host_of[self.captures[capture].0 as usize] as usize];
                let skewed = random.unit().powi(3);
                let target = match random.unit() < 0.6 {
                    true => start + (size as f64 * skewed) as usize,
                    false => self.popular[(self.popular.len() as f64 * skewed) as usize] as usize,
                };
                let anchor = (target * 7 + (random.unit().powi(4) * 40.0) as usize) % self.anchors.len();
                (capture, target, anchor)
            };
            if (first.len() as u64) < (count / 20).max(1) {
                first.push((capture, target, anchor));
            }
            let (page, seconds) = self.captures[capture];
            let internal = self.host_of.get(target) == self.host_of.get(page as usize);
            push(&LinkRow {
                target: &self.pages[target],
                target_url: "",
                source: &self.pages[page as usize],
                source_url: "",
                source_id: 0,
                date: CaptureDate::from_seconds(seconds),
                anchor: &self.anchors[anchor],
                internal,
                nofollow: false,
                kind: LinkKind::Anchor,
                position: 0,
            });
        }
    }
}

/// Memory of this program, in MiB, where the system says it: now (`VmRSS:`), at most (`VmHWM:`).
fn memory_mib(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// What the environment asks for.
struct BenchOptions {
    links: u64,
    threads: usize,
    shuffle: ShuffleOptions,
}

/// What a link of one seed is beside its texts: second, side, length of each text.
const FIXED: usize = 8 + 1 + 3 * 2;

/// Links of one seed as bytes: how many, what each is, and behind them all
/// texts, which then are found to be text at one go.
fn make(web: &Web, chunk: u64, count: u64) -> Vec<u8> {
    let (mut bytes, mut texts) = (count.to_le_bytes().to_vec(), Vec::new());
    web.chunk(chunk, count, |row| {
        bytes.extend_from_slice(&row.date.seconds().to_le_bytes());
        bytes.push(u8::from(row.internal));
        for text in [row.target, row.source, row.anchor] {
            bytes.extend_from_slice(&(text.len() as u16).to_le_bytes());
            texts.extend_from_slice(text.as_bytes());
        }
    });
    bytes.append(&mut texts);
    bytes
}

fn each_made(made: &[u8], mut push: impl FnMut(&LinkRow<'_>)) {
    let (count, rest) = made.split_first_chunk().expect("a count");
    let (links, texts) = rest.split_at(u64::from_le_bytes(*count) as usize * FIXED);
    let mut texts = std::str::from_utf8(texts).expect("texts are texts");
    for link in links.as_chunks::<FIXED>().0 {
        let (seconds, link) = link.split_first_chunk().expect("a second");
        let (internal, lens) = link.split_first().expect("a side");
        let [target, source, anchor] = [0, 1, 2].map(|which: usize| {
            let (text, rest) = texts.split_at(usize::from(u16::from_le_bytes(lens.as_chunks().0[which])));
            texts = rest;
            text
        });
        push(&LinkRow {
            target,
            target_url: "",
            source,
            source_url: "",
            source_id: 0,
            date: CaptureDate::from_seconds(i64::from_le_bytes(*seconds)),
            anchor,
            internal: *internal != 0,
            nofollow: false,
            kind: LinkKind::Anchor,
            position: 0,
        });
    }
}

/// What is sorted: the links lie in a file.
struct Input {
    web: Web,
    file: NamedTempFile,
    /// Where the links of each seed begin, and where the last ones end.
    chunks: Vec<Range<u64>>,
}

impl Input {
    fn new(bench: &BenchOptions) -> Self {
        let web = Web::new(bench.links);
        let file = NamedTempFile::new().expect("there is room for the links");
        let chunks = vec![0..0; bench.links.div_ceil(CHUNK) as usize];
        let (count, all) = (chunks.len(), Mutex::new((file.as_file(), 0, chunks)));
        in_threads(bench.threads, 0..count, |numbers| {
            for number in numbers {
                let chunk = number as u64;
                let made = make(&web, chunk, CHUNK.min(bench.links - chunk * CHUNK));
                let (file, end, chunks) = &mut *all.lock().expect("no thread breaks down");
                file.write_all(&made).expect("there is room for the links");
                chunks[number] = *end..*end + made.len() as u64;
                *end += made.len() as u64;
            }
        });
        // What the system puts on the disk later would be timed.
        file.as_file().sync_all().expect("there is room for the links");
        let (_, _, chunks) = all.into_inner().expect("no thread breaks down");
        Self { web, file, chunks }
    }

    fn bytes(&self) -> u64 {
        self.chunks.iter().map(|chunk| chunk.end - chunk.start).sum()
    }
}

/// Lets threads share numbers: each gets the next as it asks for it.
fn in_threads(threads: usize, numbers: Range<usize>, work: impl Fn(&mut dyn Iterator<Item = usize>) + Sync) {
    let next = AtomicUsize::new(numbers.start);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let next = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&number| number < numbers.end);
                work(&mut std::iter::from_fn(next));
            });
        }
    });
}

/// Sorts the captures and the links of some chunks.
fn sort(input: &Input, bench: &BenchOptions, chunks: Range<usize>) -> Sorted {
    let shuffle = Shuffle::new(&bench.shuffle, &JobCx::detached()).expect("no runs are kept");
    let captures: Vec<&[(u32, i64)]> = input.web.captures.chunks(CHUNK as usize).collect();
    in_threads(bench.threads, 0..captures.len(), |numbers| {
        let mut row_writer = shuffle.row_writer();
        for &(page, seconds) in numbers.flat_map(|number| captures[number]) {
            let (target, date) = (&input.web.pages[page as usize], CaptureDate::from_seconds(seconds));
            row_writer.push_capture(&TargetCapture { target, date, id: 0 }).expect("a capture is taken");
        }
    });
    in_threads(bench.threads, chunks, |numbers| {
        let mut row_writer = shuffle.row_writer();
        let (mut file, mut made) = (input.file.reopen().expect("the links are there"), Vec::new());
        for chunk in numbers.map(|number| &input.chunks[number]) {
            made.resize((chunk.end - chunk.start) as usize, 0);
            file.seek(SeekFrom::Start(chunk.start)).expect("the links are there");
            file.read_exact(&mut made).expect("the links are there");
            each_made(&made, |row| row_writer.push_link(row).expect("a link is taken"));
        }
    });
    shuffle.finish().expect("the sort ends")
}

fn main() {
    let threads = number("FONDS_BENCH_THREADS").unwrap_or(2).max(1);
    let memory_bytes = number("FONDS_BENCH_MIB").unwrap_or(512) << 20;
    let shuffle = ShuffleOptions { memory_bytes, threads, ..ShuffleOptions::default() };
    let bench = BenchOptions { links: number("FONDS_BENCH_LINKS").unwrap_or(1_000_000), threads, shuffle };
    let input = Input::new(&bench);
    println!(
        "{} links of {} bytes each, {} captures of {} pages, {} pages never captured",
        bench.links,
        input.bytes() / bench.links.max(1),
        input.web.captures.len(),
        input.web.captured,
        input.web.pages.len() - input.web.captured,
    );
    let only = std::env::var("FONDS_BENCH_ONLY").unwrap_or_default();
    if only != "stored" {
        lines(&input, &bench);
    }
    if only != "lines" {
        stored(&input, &bench);
    }
}

/// Links into the lines of the data set.
fn lines(input: &Input, bench: &BenchOptions) {
    let had = memory_mib("VmRSS:");
    let per_page = std::env::var("FONDS_BENCH_SHAPE").is_ok_and(|shape| shape == "page");
    let (start, cpu) = (Instant::now(), cpu_time().as_secs_f64());
    let mut sorted = sort(input, bench, 0..input.chunks.len());
    let at_sorted = start.elapsed();
    let shape = if per_page { Shape::PerPage } else { Shape::PerCapture };
    let options = AssignOptions { shape, ..AssignOptions::default() };
    let (mut bytes, mut hash) = (0, std::hash::DefaultHasher::new());
    let (shuffled, assigned) = assign_rendered(
        &mut sorted,
        &options,
        bench.threads,
        |object, out| render_line(object, false, out),
        |piece| {
            bytes += piece.len();
            hash.write(piece);
            Ok(())
        },
    )
    .expect("the objects come out");
    let (took, took_cpu) = (start.elapsed(), cpu_time().as_secs_f64() - cpu);
    println!(
        "{:.2} s: sorting {:.2}, merging and writing {:.2}; {:.2} M links/s",
        took.as_secs_f64(),
        at_sorted.as_secs_f64(),
        (took - at_sorted).as_secs_f64(),
        bench.links as f64 / took.as_secs_f64() / 1e6,
    );
    println!(
        "{took_cpu:.2} s of processor time; {:.2} M links a second of it",
        bench.links as f64 / took_cpu.max(0.01) / 1e6
    );
    println!(
        "{} objects, {} inlinks, {} duplicates, {} over the cap; {} runs, {} MiB on disk; {} MiB out, hash {:016x}; peak {} MiB beside what was made",
        assigned.objects,
        assigned.inlinks,
        shuffled.duplicates,
        assigned.cut,
        shuffled.runs,
        shuffled.spilled_bytes >> 20,
        bytes >> 20,
        hash.finish(),
        memory_mib("VmHWM:").saturating_sub(had)
    );
}

/// Links into the stored form, and questions to it.
fn stored(input: &Input, bench: &BenchOptions) {
    let (web, had) = (&input.web, memory_mib("VmRSS:"));
    let folder = match std::env::var_os("FONDS_BENCH_DIR") {
        Some(folder) => tempfile::tempdir_in(folder),
        None => tempfile::tempdir(),
    };
    let folder = folder.expect("there is a folder");
    let folder = folder.path().join("links");
    let cx = JobCx::detached();
    let (chunks, pieces) = (input.chunks.len(), number("FONDS_BENCH_PIECES").unwrap_or(1).max(1));
    let (start, cpu) = (Instant::now(), cpu_time().as_secs_f64());
    let mut store = LinkStore::open_to_add(&folder, StoreRules::default()).expect("the folder can be used");
    let mut sorting = 0.0;
    for piece in 0..pieces {
        let begin = Instant::now();
        let mut sorted = sort(input, bench, chunks * piece / pieces..chunks * (piece + 1) / pieces);
        sorting += begin.elapsed().as_secs_f64();
        store.add(&mut sorted, store.mark(), &cx).expect("the links are stored");
    }
    let segments = store.segments();
    store.compact(&cx).expect("segments are merged");
    let (took, took_cpu) = (start.elapsed().as_secs_f64(), cpu_time().as_secs_f64() - cpu);
    let (counts, bytes) = (store.counts(), store.bytes());
    let rows = bench.links + web.captures.len() as u64;
    println!(
        "stored in {took:.2} s, of which sorting {sorting:.2}: {:.2} M rows/s; {took_cpu:.2} s of processor time, {:.2} M rows a second of it",
        rows as f64 / took / 1e6,
        rows as f64 / took_cpu.max(0.01) / 1e6
    );
    println!(
        "{} links and {} captures in {} MiB ({segments} segments made one): {:.1} bytes a link; peak {} MiB beside what was made",
        counts.links,
        counts.captures,
        bytes >> 20,
        bytes as f64 / counts.links as f64,
        memory_mib("VmHWM:").saturating_sub(had)
    );
    let mut random = SplitMix(77);
    // A fresh store for each question when cold: not even the top is at hand.
    for (name, questions, cold) in [("warm", 3_000, false), ("cold", 300, true)] {
        let (mut times, mut answered, cpu) = (Vec::new(), 0, cpu_time().as_secs_f64());
        for _ in 0..questions {
            let (page, seconds) = web.captures[random.below(web.captures.len())];
            let window = Window { around: CaptureDate::from_seconds(seconds), days: random.below(3651) as u32 };
            if cold {
                forget(&folder);
                store = LinkStore::open(&folder).expect("the store opens again");
            }
            let begin = Instant::now();
            let answer = store.inlinks(&web.pages[page as usize], Some(window), 1000).expect("there is an answer");
            times.push(begin.elapsed());
            answered += answer.inlinks.len();
        }
        times.sort_unstable();
        let at = |part: usize| times[(times.len() * part / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
        println!(
            "{questions} captures asked for, in windows of 0 to 3,650 days, {name}: {:.3} ms in the middle, {:.2} ms at 95 %, {:.2} ms at most; {} inlinks each, {:.2} s of processor time",
            at(50),
            at(95),
            at(100),
            answered / questions,
            cpu_time().as_secs_f64() - cpu
        );
    }
}

/// Asks the system to drop what it holds of the files in memory.
#[cfg(unix)]
fn forget(folder: &std::path::Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if let Ok(file) = std::fs::File::open(entry.path()) {
            let _ = rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed);
        }
    }
}

#[cfg(not(unix))]
fn forget(_folder: &std::path::Path) {}
