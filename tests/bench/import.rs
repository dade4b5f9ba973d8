//! Speed of imports as they grow: archives of a tenth, three tenths and all of
//! so many captures, each into an empty workspace.
//!
//! `cargo bench --no-default-features --bench import` goes up to 100,000
//! captures; `FONDS_BENCH_CAPTURES=1000000` to as many as the goals speak of.
//! `FONDS_BENCH_PAGE=29000` makes pages of about so many bytes: without it they
//! are of 1,500, of which the catalogue takes the most beside its archive. Each
//! URL, title and digest is another one, in no order, so that every index grows
//! in all places. The table shows processor time, since a busy machine changes
//! the clock, and last how much dearer a capture is among all than among few.

#![allow(clippy::unwrap_used)]

mod measured;
mod sizes;

use fonds::jobs::JobCx;
use fonds::store::Workspace;
use fonds::uri::CaptureDate;
use fonds::warc::{Digests, FileSetOptions, RecordBuilder, WarcFileSet};
use fonds::work;
use measured::{cpu_time, forget_peak, peak};
use sizes::number;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Hosts that the captures are of.
const HOSTS: u64 = 2_000;
/// 2023-01-01.
const FIRST_SECOND: u64 = 1_672_531_200;

fn main() {
    // Run by `cargo test`, it only shows that everything works.
    let measure = std::env::args().any(|arg| arg == "--bench");
    let most = if measure { number("FONDS_BENCH_CAPTURES").unwrap_or(100_000) } else { 600 };
    let page = number("FONDS_BENCH_PAGE").unwrap_or(1_500);
    println!(
        "{:>10} {:>10} {:>14} {:>14} {:>12} {:>10}",
        "captures", "cpu s", "captures/cpu s", "cpu ms/1,000", "peak", "catalogue"
    );
    let costs: Vec<f64> = [most / 10, most * 3 / 10, most].into_iter().map(|captures| import(captures, page)).collect();
    println!("a capture among {most} costs {:.2} of one among {}", costs[2] / costs[0], most / 10);
}

/// Imports so many captures: processor time of a thousand, in milliseconds.
fn import(captures: u64, page: u64) -> f64 {
    let made = tempfile::tempdir().unwrap();
    let files = archives(made.path(), captures, page);
    let bytes: u64 = files.iter().map(|file| file.metadata().unwrap().len()).sum();
    let folder = made.path().join("w");
    let workspace = Workspace::create(&folder).unwrap();
    forget_peak();
    let begun = cpu_time();
    let report = work::import(&workspace, &files, Default::default(), &JobCx::detached()).unwrap();
    drop(workspace);
    let cpu = (cpu_time() - begun).as_secs_f64().max(0.005);
    assert_eq!(report.new_captures, captures);
    let cost = cpu * 1e6 / captures as f64;
    println!(
        "{captures:>10} {cpu:>10.1} {:>14.0} {cost:>14.0} {:>9.0} MB {:>10.2}",
        captures as f64 / cpu,
        peak() as f64 / 1e6,
        folder.join("fonds.sqlite").metadata().unwrap().len() as f64 / bytes as f64
    );
    cost
}

/// Numbers without order, the same in every run.
struct Lcg(u64);

impl Lcg {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Pages with five links each, in files of 100 MB.
fn archives(folder: &Path, captures: u64, page: u64) -> Vec<PathBuf> {
    let options = FileSetOptions { max_bytes: 100_000_000, ..FileSetOptions::new(folder, "BENCH") };
    let mut set = WarcFileSet::new(options);
    let mut random = Lcg(7);
    for number in 0..captures {
        let host = random.below(HOSTS);
        let mut block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<html><head>".to_vec();
        write!(block, "<title>Record {} of series {number}</title></head><body><p>", random.below(90_000)).unwrap();
        while (block.len() as u64) < page.saturating_sub(400) {
            write!(block, "The town kept {} of them. ", random.below(1 << 40)).unwrap();
        }
        for _ in 0..4 {
            let (at, target) = (random.below(HOSTS), random.below(captures));
            write!(block, "</p><p><a href=\"http://host{at}.example.pt/p/{target}.html\">item {target}</a>").unwrap();
        }
        block.extend_from_slice(b"<a href=\"/\">home</a></p></body></html>");
        let date = CaptureDate::from_seconds((FIRST_SECOND + random.below(3 * 365 * 86_400)) as i64);
        let (id, url) = (
            format!("urn:uuid:{:08x}-0000-4000-8000-{:012x}", random.below(1 << 31), number),
            format!("http://host{host}.example.pt/p/{number}.html"),
        );
        let builder = RecordBuilder::response(&id, date, &url).digests(&Digests::of_block(&block, true));
        set.append(&[&builder.compress(&block)]).unwrap();
    }
    set.close().unwrap()
}
