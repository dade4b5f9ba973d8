//! Speed of an export, beside copying its archive files and listing them in an
//! index; its memory, and the size of the graph.
//!
//! `cargo bench --no-default-features --bench export` makes 20,000 pages that look
//! like documentation: titles, headings, a menu of their chapter, hundreds of links
//! to each page. `FONDS_BENCH_CAPTURES` makes so many, or `FONDS_BENCH_FILES` (names
//! with `:` between them) takes archive files in their place.
//! `FONDS_BENCH_PYTHON=target/peers/bin/python` lets cdxj-indexer index the same
//! files; without it there is only the copy to compare with. Times are by the
//! clock, so the machine should do nothing else.

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
    let example = Command::new(env!("CARGO_BIN_EXE_fonds")).args(["campaign", "example"]).output().unwrap();
    fs::write(made.path().join("c.json"), example.stdout).unwrap();
    // The files that are imported then belong to it.
    fonds(&["campaign", "add", "w", "c.json"], made.path());
    let mut import = vec!["import", "w"];
    import.extend(files.iter().map(|file| file.to_str().unwrap()));
    let import = fonds(&import, made.path());
    let built = fonds(&["inlinks", "build", "w"], made.path());
    fonds(&["select", "run", "w", "1", "--filter", "*"], made.path());
    println!("import {:.2} s, inlinks {:.2} s", import.as_secs_f64(), built.as_secs_f64());

    let source: u64 = files.iter().map(|file| file.metadata().unwrap().len()).sum();
    for (name, options) in [("as it is by default", &[][..]), ("without RDF", &["--without-rdf"])] {
        let mut export = vec!["export", "w", "--out", "out"];
        export.extend(options);
        let (exported, memory) = measured(&export, made.path());
        let out = made.path().join("out");
        println!(
            "export {name}: {:.1} MB of {:.1} MB in {:.2} s, at most {} MiB of memory",
            mb(bytes_of(&out)),
            mb(source),
            exported.as_secs_f64(),
            memory.map_or_else(|| "?".to_owned(), |kib| (kib / 1024).to_string()),
        );
        if let Ok(graph) = out.join("data/knowledge.nq.gz").metadata() {
            println!("  data/knowledge.nq.gz takes {:.0} % of the source", 100.0 * mb(graph.len()) / mb(source));
        }
        let copied = copy(&files, &made.path().join("copy"));
        print!("  the source is copied and synced in {:.2} s", copied.as_secs_f64());
        match index(&files) {
            None => println!(),
            Some(indexed) => {
                let both = copied + indexed;
                let share = 100.0 * both.as_secs_f64() / exported.as_secs_f64();
                println!(
                    ", and indexed by cdxj-indexer, {:.2} s; export is at {share:.0} % of that rate",
                    both.as_secs_f64()
                );
            }
        }
        fs::remove_dir_all(&out).unwrap();
        fs::remove_dir_all(made.path().join("copy")).unwrap();
    }
}

fn mb(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// Runs the program; says how long it took.
fn fonds(args: &[&str], at: &Path) -> Duration {
    measured(args, at).0
}

/// Runs the program; says how long it took, and the most memory in KiB with mapped
/// files, where the system tells.
fn measured(args: &[&str], at: &Path) -> (Duration, Option<u64>) {
    let begin = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_fonds"))
        .args(args)
        .current_dir(at)
        .env("HOME", at)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let status_file = format!("/proc/{}/status", child.id());
    let mut memory = None;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        let text = fs::read_to_string(&status_file).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
        memory = peak.or(memory);
        std::thread::sleep(Duration::from_millis(5));
    };
    assert!(status.success(), "{args:?}: {status}");
    (begin.elapsed(), memory)
}

/// Pages of a chapter, which all link to each other by its menu.
const CHAPTER: u64 = 150;
/// Chapters of a host.
const CHAPTERS: u64 = 10;

/// An archive file of pages as documentation has them: a title, a menu with every page
/// of the chapter and the first ones of others, headings, text, links within it.
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
    let name = |page: u64| format!("module-{:04}", page * 7919 % 10_007);
    for page in 0..captures {
        let (host, chapter) = (page / (CHAPTER * CHAPTERS), page / CHAPTER);
        let mut html = format!("<title>{} — Manual {host}</title><nav><ul>", name(page));
        for other in chapter * CHAPTER..((chapter + 1) * CHAPTER).min(captures) {
            write!(html, "<li><a href='/c{chapter}/p{other}.html'>{}</a>", name(other)).unwrap();
        }
        for other in host * CHAPTERS..(host + 1) * CHAPTERS {
            write!(html, "<li><a href='/c{other}/p{}.html'>Chapter {other}</a>", other * CHAPTER).unwrap();
        }
        write!(html, "</ul></nav><main><h1>{}</h1>", name(page)).unwrap();
        for section in 0..20 {
            let other = next() % captures;
            let (of, chapter) = (other / (CHAPTER * CHAPTERS), other / CHAPTER);
            write!(html, "<h2>Section {section}</h2><p>").unwrap();
            write!(html, "See <a href='https://h{of}.example.org/c{chapter}/p{other}.html'>{}</a>", name(other))
                .unwrap();
            for _ in 0..60 {
                write!(html, " w{:x}", (next() % 60_000).pow(2) / 60_000).unwrap();
            }
        }
        html.push_str("</main>");
        let http =
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{html}", html.len());
        let date =
            format!("2024-03-{:02}T{:02}:{:02}:{:02}Z", 1 + page % 28, page / 3600 % 24, page % 60, page / 60 % 60);
        let id = format!("urn:uuid:00000000-0000-4000-8000-{page:012}");
        let record = format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <{id}>\r\nWARC-Date: {date}\r\n\
             WARC-Target-URI: https://h{host}.example.org/c{chapter}/p{page}.html\r\nContent-Type: application/http\r\n\
             Content-Length: {}\r\n\r\n{http}\r\n\r\n",
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

/// Copies files and waits until they are on the disk, as an export does.
fn copy(files: &[PathBuf], to: &Path) -> Duration {
    let begin = Instant::now();
    fs::create_dir_all(to).unwrap();
    for (number, file) in files.iter().enumerate() {
        let copy = to.join(number.to_string());
        fs::copy(file, &copy).unwrap();
        File::open(&copy).unwrap().sync_all().unwrap();
    }
    begin.elapsed()
}

/// Indexes archive files by cdxj-indexer, where Python is named.
fn index(files: &[PathBuf]) -> Option<Duration> {
    let python = PathBuf::from(std::env::var_os("FONDS_BENCH_PYTHON")?);
    let begin = Instant::now();
    let output = Command::new(python.with_file_name("cdxj-indexer")).args(files).output().unwrap();
    let took = begin.elapsed();
    assert!(output.status.success() && !output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(took)
}
