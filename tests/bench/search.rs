//! Speed of indexing texts, beside others who index the same texts, and of
//! searching a workspace.
//!
//! `cargo bench --no-default-features --bench search` makes 100,000 captures;
//! `FONDS_BENCH_CAPTURES=1000000` as many as the goals speak of.
//! `FONDS_BENCH_FOLDER=DIR` keeps the workspace there, and searches it again in later runs.
//! `FONDS_BENCH_PYTHON=target/peers/bin/python` lets `search_peers.py` index the
//! same texts by SQLite FTS5 and by PyPI's tantivy in the same run. The table
//! shows processor time, since a busy machine changes the clock; of questions
//! the middle and the longest of all rounds, by the clock.

#![allow(clippy::unwrap_used)]

mod generated;
mod measured;
mod random;
mod sizes;

use fonds::campaign::{Campaign, Request};
use fonds::jobs::JobCx;
use fonds::search::{FacetKind, IndexBuilder, IndexMark, Period, TextDocument};
use fonds::store::Workspace;
use fonds::work::models::{CaptureColumn, CaptureQuery, CaptureTab, LaunchId};
use fonds::work::{MatrixBy, SearchOrder, SearchQuery, Session, everything};
use generated::{Texts, workspace_of};
use measured::{cpu_time, forget_peak, ms, peak, resident};
use sizes::number;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const ROUNDS: usize = 9;
/// Terms of the request of the matrix.
const LEAVES: usize = 50;
/// Texts that peers index.
const PEER_TEXTS: u64 = 50_000;

fn main() {
    // Run by `cargo test`, it only shows that everything works.
    let measure = std::env::args().any(|arg| arg == "--bench");
    let captures = if measure { number("FONDS_BENCH_CAPTURES").unwrap_or(100_000) } else { 600 };
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
    matrix(&session, &texts);
    // Last: what its texts take would count as memory of the others.
    beside_peers(made.path(), &texts, captures.min(PEER_TEXTS));
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

/// Finds near-duplicates, and what searching keeps in memory.
fn near_groups(session: &Session, folder: &Path, captures: u64) {
    // Those of an earlier run are found again.
    _ = std::fs::remove_file(folder.join("index/near.bin"));
    forget_peak();
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

/// Targeted against crawled, of a request of fifty terms: when it is asked first, and for other columns after that.
fn matrix(session: &Session, texts: &Texts) {
    let mut words = BTreeSet::from(["metade".to_owned(), "quase".to_owned()]);
    for capture in 1.. {
        let (_, text) = texts.of(capture);
        words.extend(text.split(' ').map(str::to_owned).take(LEAVES - words.len()));
        if words.len() == LEAVES {
            break;
        }
    }
    let request: Request = words.into_iter().collect::<Vec<_>>().join(" OR ").parse().unwrap();
    let campaign = Campaign { request, ..Campaign::new("Fifty terms") };
    let (id, _) = session.save_campaign(None, &campaign).unwrap();
    session.assign_import(LaunchId::new(1), Some(id)).unwrap();
    println!("\n{:<46} {:>10} {:>10} {:>10}", "matrix of 50 terms", "ms", "rows", "columns");
    // Columns of captures are counted anew for the campaign; that is no part of the matrix.
    session.search(&SearchQuery { limit: 1, ..SearchQuery::default() }).unwrap();
    for (what, by, bar_ms) in [
        ("first, by hosts", MatrixBy::Hosts, 1_000.0),
        ("then by months", MatrixBy::Months, 50.0),
        ("by languages", MatrixBy::Languages, 50.0),
        ("by launches", MatrixBy::Launches, 50.0),
        ("by hosts again", MatrixBy::Hosts, 50.0),
    ] {
        let begun = Instant::now();
        let matrix = session.matrix(id, by).unwrap();
        let took = ms(begun.elapsed());
        let over = if took > bar_ms { format!("  over the goal of {bar_ms} ms") } else { String::new() };
        println!("{what:<46} {took:>10.1} {:>10} {:>10}{over}", matrix.rows.len(), matrix.columns.len());
    }
}

fn questions(session: &Session, captures: u64, rounds: usize) {
    let query = |text: &str| SearchQuery { text: text.to_owned(), limit: 50, ..SearchQuery::default() };
    let before = resident();
    let begun = Instant::now();
    assert_eq!(session.search(&query("")).unwrap().captures, captures);
    let figures = format!("{:>9.1} ms, {} more in memory", ms(begun.elapsed()), mb(resident().saturating_sub(before)));
    line("first search: columns and groups are loaded", &figures);
    println!("\n{:<46} {:>10} {:>10} {:>10} {:>10}", "question", "median ms", "longest", "cpu ms", "captures");
    let measure = |what: &str, bar_ms: f64, question: &dyn Fn(usize) -> u64| {
        let (mut took, mut cpu_took) = (Vec::new(), Duration::ZERO);
        let mut found = 0;
        for round in 0..rounds {
            let (begun, cpu) = (Instant::now(), cpu_time());
            found = question(round);
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
        ("top 50, a term that nobody wrote", "zzzxq"),
        ("top 50, a term in a range of dates", "metade date:2024-03..2024-05"),
        ("top 50, two terms and not a third", "metade quase -raten"),
        ("top 50, a phrase", "\"metade ba\""),
        ("top 50, a part of titles", "title:eta"),
        ("top 50, a part of URLs", "url:pagina/77"),
    ];
    for (what, text) in texts {
        measure(what, 20.0, &|_| session.search(&query(text)).unwrap().captures);
    }
    let newest = SearchQuery { order: SearchOrder::Newest, ..query("metade") };
    measure("newest 50, a term of 49 in 100", 20.0, &|_| session.search(&newest).unwrap().captures);
    for (what, text) in [("11 facets and months, all", ""), ("11 facets and months, 49 in 100", "metade")] {
        measure(what, 50.0, &|_| {
            let counts = session.search_counts(&query(text), &FacetKind::ALL, Some(Period::Month)).unwrap();
            counts.histogram.iter().map(|month| month.count).sum()
        });
    }
    for (what, filter) in [
        ("facets beside the table of captures, all", ""),
        ("the same, a host and a year chosen", "host=host4.pt date:2024"),
        ("the same, a term of 49 in 100 and a language", "metade lang=pt"),
        ("the same, and values of four facets", "metade (lang=pt OR lang=en) media=page tld=pt status:200"),
    ] {
        measure(what, 50.0, &|_| {
            let query = CaptureQuery { filter: filter.to_owned(), ..everything() };
            session.capture_facets(&query).unwrap().facets[0].1.iter().map(|value| value.count).sum()
        });
    }
    // Each key asks something else.
    let typed = ["m", "me", "met", "meta", "metad", "metade", "metade q", "metade qu", "metade qua"];
    measure("a keystroke to results and counts", 100.0, &|round| {
        let query = query(&format!("{}*", typed[round % typed.len()]));
        session.search_counts(&query, &FacetKind::ALL, Some(Period::Month)).unwrap();
        session.search(&query).unwrap().captures
    });
    measure("a keystroke to rows of the captures table", 100.0, &|round| {
        let filter = format!("text:{}*", typed[round % 6]);
        session.catalogue().captures(&CaptureQuery { filter, limit: 50, ..everything() }).unwrap().total
    });
    let newest = vec![(CaptureColumn::Date, true)];
    for (what, sort, tab) in [
        ("rows of captures that a search found", Vec::new(), CaptureTab::All),
        ("the same, newest first", newest, CaptureTab::All),
        ("the same, documents", Vec::new(), CaptureTab::Documents),
    ] {
        measure(what, 100.0, &|round| {
            let filter = format!("found:\"{}*\"", typed[round % typed.len()]);
            session
                .catalogue()
                .captures(&CaptureQuery { filter, tab, sort: sort.clone(), limit: 50, ..everything() })
                .unwrap()
                .total
        });
    }
    // Their records are in no file: reading the twenty that are shown is not measured.
    let request: Request = "metade OR quase^0.5 AND NOT raten".parse().unwrap();
    measure("the sample of a request", 300.0, &|_| session.request_sample(&request, None, 10).unwrap().meeting);
}
