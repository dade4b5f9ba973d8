//! How fast texts are indexed, beside others who index the same texts, and how
//! fast a workspace is searched.
//!
//! `cargo bench --no-default-features --bench search` makes 100,000 captures;
//! `FONDS_BENCH_CAPTURES=1000000` as many as the goals speak of.
//! `FONDS_BENCH_FOLDER=DIR` keeps the workspace there, and asks it again in later runs.
//! `FONDS_BENCH_PYTHON=target/peers/bin/python` lets `search_peers.py` index the
//! same texts by SQLite FTS5 and by PyPI's tantivy in the same run. The table
//! shows processor time, since a busy machine changes the clock; of questions
//! the middle and the longest of all rounds, by the clock.

#![allow(clippy::unwrap_used)]

use fonds::campaign::Request;
use fonds::jobs::JobCx;
use fonds::search::{FacetKind, IndexBuilder, IndexMark, Period, TextDocument};
use fonds::store::Workspace;
use fonds::work::models::{CaptureColumn, CaptureQuery, CaptureTab};
use fonds::work::{SearchOrder, SearchQuery, Session, everything};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const ROUNDS: usize = 9;
/// Hosts that the captures are of.
const HOSTS: u64 = 2_000;
/// Different words of the texts.
const VOCABULARY: usize = 60_000;
/// Texts that peers index.
const PEER_TEXTS: u64 = 50_000;
/// 2023-01-01.
const FIRST_DAY_MS: u64 = 1_672_531_200_000;

fn main() {
    // Run by `cargo test`, it only shows that everything works.
    let measure = std::env::args().any(|arg| arg == "--bench");
    let captures = match std::env::var("FONDS_BENCH_CAPTURES").ok().and_then(|number| number.parse().ok()) {
        Some(number) if measure => number,
        _ if measure => 100_000,
        _ => 600,
    };
    let made = tempfile::tempdir().unwrap();
    let texts = Texts::new();
    let kept = std::env::var_os("FONDS_BENCH_FOLDER").filter(|_| measure);
    let folder = kept.map_or_else(|| made.path().join("w"), PathBuf::from);
    let session = match folder.exists() {
        true => Session::new(Workspace::open(&folder).unwrap()),
        false => workspace_of(&folder, &texts, captures),
    };
    near_groups(&session, &folder, captures);
    questions(&session, captures, if measure { ROUNDS } else { 1 });
    // Last: what its texts take would count as memory of the others.
    beside_peers(made.path(), &texts, captures.min(PEER_TEXTS));
}

/// Numbers without order, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn is_one_of_thousand(&mut self, share: u64) -> bool {
        self.below(1000) < share
    }
}

/// Texts with words as frequent as words are (Zipf 1935): the nth of them as
/// often as 1/n.
struct Texts {
    vocabulary: Vec<String>,
    upto: Vec<f64>,
}

impl Texts {
    fn new() -> Self {
        const SYLLABLES: [&str; 20] = [
            "ba", "ko", "mi", "ra", "ten", "su", "lor", "ve", "dan", "pi", "gra", "no", "sel", "tu", "ar", "en", "chi",
            "mo", "fa", "rel",
        ];
        let mut random = Random(7);
        let mut vocabulary = std::collections::BTreeSet::new();
        while vocabulary.len() < VOCABULARY {
            let len = 2 + random.below(4);
            vocabulary.insert((0..len).map(|_| SYLLABLES[random.below(20) as usize]).collect::<String>());
        }
        let mut sum = 0.0;
        let upto = (0..VOCABULARY).map(|nth| {
            sum += 1.0 / (nth as f64 + 2.7);
            sum
        });
        let upto: Vec<f64> = upto.collect();
        // Of the alphabet's order the frequent ones would share their beginnings.
        let mut vocabulary: Vec<String> = vocabulary.into_iter().collect();
        for nth in (1..vocabulary.len()).rev() {
            vocabulary.swap(nth, random.below(nth as u64 + 1) as usize);
        }
        Self { vocabulary, upto }
    }

    fn one(&self, random: &mut Random) -> &str {
        let at = random.next() as f64 / u64::MAX as f64 * self.upto[VOCABULARY - 1];
        &self.vocabulary[self.upto.partition_point(|upto| *upto < at).min(VOCABULARY - 1)]
    }

    /// Title and text of a capture: 49 of 100 hold `metade`, 12 of 1,000 `quase`,
    /// and 5 of 100 are nearly the text before.
    fn of(&self, capture: u64) -> (String, String) {
        let mut random = Random(capture.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..4 {
            random.next();
        }
        if capture > 1 && random.is_one_of_thousand(50) {
            let (title, text) = self.of(capture - 1);
            return (title, format!("{text} {}", self.one(&mut random)));
        }
        let title: Vec<&str> = (0..5).map(|_| self.one(&mut random)).collect();
        let mut text: Vec<&str> = (0..100 + random.below(100)).map(|_| self.one(&mut random)).collect();
        if random.is_one_of_thousand(490) {
            text[20] = "metade";
        }
        if random.is_one_of_thousand(12) {
            text[40] = "quase";
        }
        (title.join(" "), text.join(" "))
    }

    fn document(&self, capture: u64) -> TextDocument {
        let (title, main) = self.of(capture);
        let language = ["pt", "en", "de", "fr", ""][(capture % 5) as usize].to_owned();
        let words = main.split(' ').count() as u64;
        let url = format!("host{} tld pagina {capture}", capture % HOSTS);
        TextDocument { version: capture, title, main, url, language, words, ..TextDocument::default() }
    }
}

fn line(what: &str, figures: &str) {
    println!("{what:<46} {figures}");
}

fn mb(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// Indexes some texts here and by peers: documents a second of the processor,
/// and bytes of the index beside those of the texts.
fn beside_peers(folder: &Path, texts: &Texts, captures: u64) {
    let rows = folder.join("texts.tsv");
    let mut file = BufWriter::new(File::create(&rows).unwrap());
    let mut text_bytes = 0;
    for capture in 1..=captures {
        let (title, text) = texts.of(capture);
        text_bytes += (title.len() + text.len()) as u64;
        writeln!(file, "{capture}\t{title}\t{text}").unwrap();
    }
    file.flush().unwrap();
    println!("\n{captures} texts, {}", mb(text_bytes));
    let documents: Vec<TextDocument> = (1..=captures).map(|capture| texts.document(capture)).collect();
    let index = folder.join("index");
    std::fs::create_dir(&index).unwrap();
    let cpu = cpu_time();
    let mut builder = IndexBuilder::open(&index).unwrap();
    documents.iter().for_each(|document| builder.add(document).unwrap());
    builder.commit(&IndexMark::default()).unwrap();
    builder.finish().unwrap();
    let cpu = (cpu_time() - cpu).as_secs_f64().max(0.005);
    let bytes: u64 = std::fs::read_dir(&index).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    let share = bytes as f64 / text_bytes as f64;
    line("index, words and stems", &format!("{:>9.0} texts/cpu s {share:>6.2} of the text", captures as f64 / cpu));
    if let Some(python) = std::env::var_os("FONDS_BENCH_PYTHON") {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bench/search_peers.py");
        let status = Command::new(python).arg(script).arg(&rows).arg(folder).status().unwrap();
        assert!(status.success(), "search_peers.py has failed");
    }
}

/// A workspace with so many captures, and its index. They come from no file:
/// what is asked here reads none.
fn workspace_of(folder: &Path, texts: &Texts, captures: u64) -> Session {
    drop(Workspace::create(folder).unwrap());
    let catalogue = rusqlite::Connection::open(folder.join("fonds.sqlite")).unwrap();
    catalogue
        .execute_batch(&format!(
            "PRAGMA synchronous = OFF;
             CREATE TEMP TABLE n (i INTEGER PRIMARY KEY);
             WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < {captures}) INSERT INTO n SELECT i FROM c;
             BEGIN;
             INSERT INTO launch (id, kind, job, launch, state, started_ms)
                VALUES (1, 'import', 'bench', '20240101000000', 'finished', 1704067200000);
             INSERT INTO warc_file (id, path, launch) VALUES (1, '/bench.warc.gz', 1);
             INSERT INTO host SELECT i, 'host' || i || '.' || substr('ptcomorgde', 1 + i % 4 * 2, 2) FROM n WHERE i <= {HOSTS};
             INSERT INTO host SELECT {HOSTS}, 'host0.pt' WHERE {captures} < {HOSTS};
             INSERT INTO page SELECT i, 'pt,host' || (i % {HOSTS}) || ')/pagina/' || i FROM n;
             INSERT INTO url SELECT i, 'http://host' || (i % {HOSTS}) || '.pt/pagina/' || i, i,
                CASE i % {HOSTS} WHEN 0 THEN {HOSTS} ELSE i % {HOSTS} END FROM n;
             INSERT INTO capture (id, launch, url, page, host, date_ms, status, mime, size, digest, title, language, stored)
                SELECT i, 1, i, i, (SELECT host FROM url WHERE id = i),
                    {FIRST_DAY_MS} + (i * 7919 % 1096) * 86400000 + i % 86400 * 1000,
                    CASE i % 50 WHEN 0 THEN 404 ELSE 200 END,
                    CASE i % 20 WHEN 0 THEN 'application/pdf' WHEN 1 THEN 'image/png' ELSE 'text/html' END,
                    1000 + i % 5000, 'sha1:' || i, 'titulo ' || i,
                    CASE i % 5 WHEN 0 THEN 'pt' WHEN 1 THEN 'en' WHEN 2 THEN 'de' WHEN 3 THEN 'fr' ELSE '' END, 500 FROM n;
             INSERT INTO record (capture, position, kind, record_id, file, offset, length)
                SELECT i, 0, 'response', 'urn:uuid:' || i, 1, i * 1000, 500 FROM n;
             COMMIT;"
        ))
        .unwrap();
    drop(catalogue);
    let session = Session::new(Workspace::open(folder).unwrap());
    let index = folder.join("index");
    std::fs::create_dir(&index).unwrap();
    let (begun, cpu) = (Instant::now(), cpu_time());
    let mut builder = IndexBuilder::open(&index).unwrap();
    (1..=captures).for_each(|capture| builder.add(&texts.document(capture)).unwrap());
    let through = i64::try_from(captures).unwrap();
    let last = session.catalogue().capture_stamp(through).unwrap().unwrap();
    builder.commit(&IndexMark { through, last, ..IndexMark::default() }).unwrap();
    builder.finish().unwrap();
    let cpu = (cpu_time() - cpu).as_secs_f64();
    println!("\n{captures} captures; texts made and indexed in {cpu:.0} cpu s, {:.0} s", begun.elapsed().as_secs_f64());
    session
}

/// Finds near-duplicates, and what searching keeps in memory.
fn near_groups(session: &Session, folder: &Path, captures: u64) {
    // Those of an earlier run are found again.
    _ = std::fs::remove_file(folder.join("index/near.bin"));
    // Linux begins to measure the peak again.
    _ = std::fs::write("/proc/self/clear_refs", "5");
    let (begun, cpu) = (resident(), cpu_time());
    let report = session.index_texts(false, &JobCx::detached()).unwrap();
    let figures = format!(
        "{:>9.1} cpu s, {} joined a group, {} at its peak over {}",
        (cpu_time() - cpu).as_secs_f64(),
        report.near_duplicates,
        mb(peak()),
        mb(begun)
    );
    assert_eq!((report.rebuilt.as_str(), report.versions), ("", captures));
    line("near-duplicates of all", &figures);
}

fn questions(session: &Session, captures: u64, rounds: usize) {
    let query = |text: &str| SearchQuery { text: text.to_owned(), limit: 50, ..SearchQuery::default() };
    let before = resident();
    let begun = Instant::now();
    assert_eq!(session.search(&query("")).unwrap().captures, captures);
    let figures = format!("{:>9.1} ms, {} more in memory", ms(begun.elapsed()), mb(resident().saturating_sub(before)));
    line("first search: columns and groups are loaded", &figures);
    println!("\n{:<46} {:>10} {:>10} {:>10} {:>10}", "question", "median ms", "longest", "cpu ms", "captures");
    let ask = |what: &str, bar_ms: f64, ask: &dyn Fn(usize) -> u64| {
        let (mut took, mut cpu_took) = (Vec::new(), Duration::ZERO);
        let mut found = 0;
        for round in 0..rounds {
            let (begun, cpu) = (Instant::now(), cpu_time());
            found = ask(round);
            took.push(begun.elapsed());
            cpu_took += cpu_time() - cpu;
        }
        took.sort_unstable();
        let (median, longest) = (ms(took[took.len() / 2]), ms(took[took.len() - 1]));
        let over = if median > bar_ms { format!("  over the goal of {bar_ms} ms") } else { String::new() };
        let cpu = ms(cpu_took) / rounds as f64;
        println!("{what:<46} {median:>10.1} {longest:>10.1} {cpu:>10.1} {found:>10}{over}");
    };
    let texts = [
        ("top 50 of all", ""),
        ("top 50, a term of 49 in 100", "metade"),
        ("top 50, a term of 12 in 1,000", "quase"),
        ("top 50, a term in a range of dates", "metade date:2024-03..2024-05"),
        ("top 50, two terms and not a third", "metade quase -raten"),
        ("top 50, a phrase", "\"metade ba\""),
    ];
    for (what, text) in texts {
        ask(what, 20.0, &|_| session.search(&query(text)).unwrap().captures);
    }
    let newest = SearchQuery { order: SearchOrder::Newest, ..query("metade") };
    ask("newest 50, a term of 49 in 100", 20.0, &|_| session.search(&newest).unwrap().captures);
    for (what, text) in [("11 facets and months, all", ""), ("11 facets and months, 49 in 100", "metade")] {
        ask(what, 50.0, &|_| {
            let counts = session.search_counts(&query(text), &FacetKind::ALL, Some(Period::Month)).unwrap();
            counts.histogram.iter().map(|month| month.count).sum()
        });
    }
    // Each key asks something else.
    let typed = ["m", "me", "met", "meta", "metad", "metade", "metade q", "metade qu", "metade qua"];
    ask("a keystroke to results and counts", 100.0, &|round| {
        let asked = query(&format!("{}*", typed[round % typed.len()]));
        session.search_counts(&asked, &FacetKind::ALL, Some(Period::Month)).unwrap();
        session.search(&asked).unwrap().captures
    });
    ask("a keystroke to rows of the captures table", 100.0, &|round| {
        let filter = format!("text:{}*", typed[round % 6]);
        session.captures(&CaptureQuery { filter, limit: 50, ..everything() }).unwrap().total
    });
    let newest = vec![(CaptureColumn::Date, true)];
    for (what, sort, tab) in [
        ("rows of captures that a search found", Vec::new(), CaptureTab::All),
        ("the same, newest first", newest, CaptureTab::All),
        ("the same, documents", Vec::new(), CaptureTab::Documents),
    ] {
        ask(what, 100.0, &|round| {
            let filter = format!("found:\"{}*\"", typed[round % typed.len()]);
            session
                .captures(&CaptureQuery { filter, tab, sort: sort.clone(), limit: 50, ..everything() })
                .unwrap()
                .total
        });
    }
    // Their records are in no file: reading the twenty that are shown is not measured.
    let request: Request = "metade OR quase^0.5 AND NOT raten".parse().unwrap();
    ask("the sample of a request", 300.0, &|_| session.request_sample(&request, None, 10).unwrap().meeting);
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Processor time of all threads so far; zero where the system does not tell
/// it as Linux does (in hundredths of a second).
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    Duration::from_millis(fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>() * 10)
}

/// Bytes of a line of the process's state; zero where the system does not tell it as Linux does.
fn state_bytes(name: &str) -> u64 {
    let state = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = state.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or_default() * 1024
}

/// Bytes of memory of its own now: what is read of files is not counted.
fn resident() -> u64 {
    state_bytes("RssAnon:")
}

/// Bytes of memory at the highest so far.
fn peak() -> u64 {
    state_bytes("VmHWM:")
}
