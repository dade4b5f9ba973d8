//! How fast a selection is exported, beside copying the same bytes and listing
//! them in an index.
//!
//! `cargo bench --no-default-features --bench export` makes 20,000 pages of
//! about 20 kB that link to each other; `FONDS_BENCH_CAPTURES` so many, or
//! `FONDS_BENCH_FILES` (names with `:` between them) takes archive files in
//! their place. `FONDS_BENCH_PYTHON=target/peers/bin/python` lets cdxj-indexer
//! index the exported files; without it there is only the copy to compare
//! with. Times are by the clock, so the machine should do nothing else.

#![allow(clippy::unwrap_used)]

mod sizes;

use sizes::number;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn main() {
    let measure = std::env::args().any(|arg| arg == "--bench");
    let captures = number("FONDS_BENCH_CAPTURES").unwrap_or(if measure { 20_000 } else { 50 });
    let made = tempfile::tempdir().unwrap();
    let files = match std::env::var("FONDS_BENCH_FILES") {
        Ok(files) => files.split(':').map(PathBuf::from).collect(),
        Err(_) => vec![archive_of(made.path(), captures)],
    };
    fonds(&["new", "w"], made.path());
    let mut import = vec!["import", "w"];
    import.extend(files.iter().map(|file| file.to_str().unwrap()));
    let import = fonds(&import, made.path());
    let built = fonds(&["inlinks", "build", "w"], made.path());
    let example = Command::new(env!("CARGO_BIN_EXE_fonds")).args(["campaign", "example"]).output().unwrap();
    fs::write(made.path().join("c.json"), example.stdout).unwrap();
    fonds(&["campaign", "add", "w", "c.json"], made.path());
    fonds(&["select", "run", "w", "1", "--filter", "*"], made.path());
    println!("import {:.2} s, inlinks {:.2} s", import.as_secs_f64(), built.as_secs_f64());

    for (name, options) in [("without RDF", &["--without-rdf"][..]), ("with RDF", &[])] {
        let mut export = vec!["export", "w", "--out", "out"];
        export.extend(options);
        let exported = fonds(&export, made.path());
        let out = made.path().join("out");
        let bytes = bytes_of(&out);
        let copied = copy(&out, &made.path().join("copy"));
        let indexed = index(&out);
        let rate = |time: Duration| bytes as f64 / 1e6 / time.as_secs_f64();
        println!(
            "export {name}: {:.1} MB in {:.2} s, {:.1} MB/s",
            bytes as f64 / 1e6,
            exported.as_secs_f64(),
            rate(exported)
        );
        println!("  copied and synced in {:.2} s, {:.1} MB/s", copied.as_secs_f64(), rate(copied));
        if let Some(indexed) = indexed {
            let both = copied + indexed;
            let share = 100.0 * both.as_secs_f64() / exported.as_secs_f64();
            println!(
                "  copied and indexed by cdxj-indexer in {:.2} s; export is at {share:.0} % of that rate",
                both.as_secs_f64()
            );
        }
        fs::remove_dir_all(&out).unwrap();
        fs::remove_dir_all(made.path().join("copy")).unwrap();
    }
}

/// Runs the program; says how long it took.
fn fonds(args: &[&str], at: &Path) -> Duration {
    let begin = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_fonds"))
        .args(args)
        .current_dir(at)
        .env("HOME", at)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "{args:?}: {status}");
    begin.elapsed()
}

/// An archive file of pages with text that compresses as text does, each with
/// forty links to others.
fn archive_of(folder: &Path, captures: u64) -> PathBuf {
    let path = folder.join("pages.warc.gz");
    let mut out = File::create(&path).unwrap();
    let mut seed = 7_u64;
    let mut next = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    for page in 0..captures {
        let mut html = format!("<title>Page {page}</title>");
        for paragraph in 0..40 {
            let other = next() % captures;
            write!(html, "<p><a href='/p{other}'>number {other}</a>").unwrap();
            for _ in 0..60 {
                write!(html, " w{:x}", (next() % 60_000).pow(2) / 60_000).unwrap();
            }
            write!(html, " {paragraph}</p>").unwrap();
        }
        let http =
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{html}", html.len());
        let date = format!("2024-{:02}-{:02}T09:{:02}:{:02}Z", 1 + page % 12, 1 + page % 28, page % 60, page / 60 % 60);
        let id = format!("urn:uuid:00000000-0000-4000-8000-{page:012}");
        let record = format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <{id}>\r\nWARC-Date: {date}\r\n\
             WARC-Target-URI: https://h{}.example.org/p{page}\r\nContent-Type: application/http\r\n\
             Content-Length: {}\r\n\r\n{http}\r\n\r\n",
            page % 50,
            http.len()
        );
        let mut member = flate2::write::GzEncoder::new(&mut out, flate2::Compression::new(6));
        member.write_all(record.as_bytes()).unwrap();
        member.finish().unwrap();
    }
    path
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files
}

fn bytes_of(folder: &Path) -> u64 {
    files_below(folder).iter().map(|file| file.metadata().unwrap().len()).sum()
}

/// Copies all files of a folder and waits until they are on the disk, as an export does.
fn copy(from: &Path, to: &Path) -> Duration {
    let begin = Instant::now();
    for file in files_below(from) {
        let copy = to.join(file.strip_prefix(from).unwrap());
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(&file, &copy).unwrap();
        File::open(&copy).unwrap().sync_all().unwrap();
    }
    begin.elapsed()
}

/// Indexes the archive files of an export by cdxj-indexer, where Python is named.
fn index(out: &Path) -> Option<Duration> {
    let python = PathBuf::from(std::env::var_os("FONDS_BENCH_PYTHON")?);
    let archives = files_below(&out.join("data/archive"));
    let begin = Instant::now();
    let output = Command::new(python.with_file_name("cdxj-indexer")).args(&archives).output().unwrap();
    let took = begin.elapsed();
    assert!(output.status.success() && !output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(took)
}
