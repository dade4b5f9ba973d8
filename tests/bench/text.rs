//! Speed of reading the text of pages, as `fonds text` does: main text against
//! boilerplate, title, description, day of publication, language; the ends
//! of sentences; names and terms. Beside it what others take for the same pages.
//!
//! `cargo bench --no-default-features --bench text` makes pages;
//! `FONDS_BENCH_FILES` (names with `:` between them) takes the pages of archive
//! files in their place, the first 256 MB of them. `FONDS_BENCH_PYTHON=PYTHON`
//! lets `text_peers.py` read the first thousands of the same pages by
//! resiliparse and trafilatura, where that Python has them. Everything takes
//! one thread, and the table shows its processor time: reading archive files is
//! not in it. Language and sentences are asked of the main texts once more,
//! which says what part of reading the language is.

#![allow(clippy::unwrap_used)]

mod measured;
mod random;

use fonds::analysis::entities::{EntityKind, Gazetteer, NamedEntity, page_names};
use fonds::analysis::terms::page_terms;
use fonds::captures::{Body, body_of};
use fonds::links::MAX_PAGE_BYTES;
use fonds::search::stem_term;
use fonds::text::{PageText, language_of, sentences};
use fonds::uri::Url;
use fonds::warc::http::Payload;
use fonds::warc::{ArchiveReader, Headers};
use measured::thread_time;
use random::Random;
use std::fmt::Write as _;
use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const ROUNDS: usize = 3;
/// Bytes of pages that are read.
const MOST_BYTES: usize = 256 << 20;
/// Pages that peers read.
const PEER_PAGES: usize = 2_000;

fn main() {
    // Run by `cargo test`, it only shows that everything works.
    let measure = std::env::args().any(|arg| arg == "--bench");
    let pages = match std::env::var("FONDS_BENCH_FILES") {
        Ok(files) if measure => pages_of(files.split(':').map(Path::new)),
        _ => (0..if measure { 5_000 } else { 20 }).map(made_page).collect(),
    };
    assert!(!pages.is_empty(), "no page in these files");
    let bytes: usize = pages.iter().map(|page| page.html.len()).sum();
    println!("{} pages, {:.1} MB", pages.len(), bytes as f64 / 1e6);
    let rounds = if measure { ROUNDS } else { 1 };

    println!("{:<46} {:>12} {:>10} {:>10}", "", "pages/cpu s", "MB/cpu s", "cpu ms");
    let (texts, reading) = best(rounds, || pages.iter().map(Page::text).collect::<Vec<PageText>>());
    print_rates("text, title, day, language", &pages, reading);
    let (found, language) = best(rounds, || texts.iter().filter_map(|text| language_of(&text.main)).count());
    print_rates("language, from the main texts once more", &pages, language);
    let stated = texts.iter().filter(|text| text.language.is_some()).count();
    let (count, ends) = best(rounds, || texts.iter().map(|text| sentences(&text.main).count()).sum::<usize>());
    print_rates("ends of sentences", &pages, ends);
    let gazetteer = Gazetteer::new(&countries()).unwrap();
    let names = |text: &PageText| page_names(&text.main, &gazetteer).candidates.len();
    let (named, naming) = best(rounds, || texts.iter().map(names).sum::<usize>());
    print_rates("names, from the main texts", &pages, naming);
    let terms = |text: &PageText| page_terms(&text.main, "pt", &|word| stem_term("pt", word)).len();
    let (termed, terming) = best(rounds, || texts.iter().map(terms).sum::<usize>());
    print_rates("terms, from the main texts", &pages, terming);
    println!("{named} runs of capitalised words, {termed} terms");
    let titles = texts.iter().filter(|text| text.title.is_some()).count();
    let dated = texts.iter().filter(|text| text.published.is_some()).count();
    println!(
        "main texts of {:.1} MB in {count} sentences; {titles} titles, {dated} days, {stated} languages; telling it \
         from the text finds {found}, in {:.0} % of the time of reading (pages that name theirs are spared that)",
        texts.iter().map(|text| text.main.len()).sum::<usize>() as f64 / 1e6,
        100.0 * language.as_secs_f64() / reading.as_secs_f64().max(1e-9)
    );
    assert!(measure || (titles, found) == (pages.len(), pages.len()), "{titles} titles, {found} languages");
    beside_peers(&pages[..pages.len().min(PEER_PAGES)], rounds);
}

/// The countries of `assets/names.tsv`, as an authority file.
fn countries() -> Vec<NamedEntity> {
    let rows = include_str!("../../assets/names.tsv").lines().filter_map(|row| row.split_once('\t'));
    let entity = |(uri, names): (&str, &str)| {
        let mut names = names.split('\t').map(str::to_owned);
        let (uri, name) = (uri.to_owned(), names.next().unwrap());
        NamedEntity { uri, kind: EntityKind::Place, name, aliases: names.collect() }
    };
    rows.map(entity).collect()
}

/// A page as it was captured.
struct Page {
    url: Url,
    media_type: String,
    html: Vec<u8>,
}

impl Page {
    fn text(&self) -> PageText {
        let mut headers = Headers::new();
        headers.push("Content-Type", &self.media_type);
        let payload = Payload { bytes: self.html.as_slice().into(), cut: false, bomb: false, flaws: Vec::new() };
        Body::new(200, &headers, payload).text(&self.url, MAX_PAGE_BYTES).unwrap_or_default()
    }
}

/// What a way comes to, and the processor time of its best round.
fn best<T>(rounds: usize, way: impl Fn() -> T) -> (T, Duration) {
    let round = || {
        let begun = thread_time();
        let came = black_box(way());
        (came, thread_time().saturating_sub(begun))
    };
    (1..rounds).fold(round(), |best, _| {
        let next = round();
        if next.1 < best.1 { next } else { best }
    })
}

fn print_rates(what: &str, pages: &[Page], took: Duration) {
    let (seconds, bytes) = (took.as_secs_f64().max(1e-6), pages.iter().map(|page| page.html.len()).sum::<usize>());
    let rates = (pages.len() as f64 / seconds, bytes as f64 / 1e6 / seconds);
    println!("{what:<46} {:>12.0} {:>10.1} {:>10.0}", rates.0, rates.1, seconds * 1e3);
}

/// Reads the first pages here and by peers.
fn beside_peers(pages: &[Page], rounds: usize) {
    let Some(python) = std::env::var_os("FONDS_BENCH_PYTHON") else {
        println!("no peer: FONDS_BENCH_PYTHON names no Python");
        return;
    };
    println!("\nthe first {} pages, beside others", pages.len());
    let (_, reading) = best(rounds, || pages.iter().map(Page::text).collect::<Vec<_>>());
    print_rates("text, title, day, language", pages, reading);
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join("pages.bin");
    let mut out = BufWriter::new(File::create(&path).unwrap());
    for page in pages {
        writeln!(out, "{} {}", page.html.len(), page.url).unwrap();
        out.write_all(&page.html).unwrap();
    }
    out.into_inner().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bench/text_peers.py");
    let status = Command::new(python).arg(script).arg(path).status().unwrap();
    assert!(status.success(), "text_peers.py has failed");
}

/// The pages of archive files.
fn pages_of<'a>(files: impl Iterator<Item = &'a Path>) -> Vec<Page> {
    let (mut pages, mut bytes) = (Vec::new(), 0);
    for file in files.map(PathBuf::from) {
        for record in ArchiveReader::open(&file).unwrap().records(MAX_PAGE_BYTES) {
            let record = record.unwrap();
            let (http, body) = body_of(&record, MAX_PAGE_BYTES);
            let media_type = http.as_ref().and_then(|http| http.headers.get("Content-Type")).unwrap_or_default();
            if !media_type.contains("html") {
                continue;
            }
            let Some(url) = record.head.target_uri().and_then(|url| url.parse().ok()) else { continue };
            let html = body.payload.bytes.to_vec();
            bytes += html.len();
            pages.push(Page { url, media_type: media_type.to_owned(), html });
            if bytes >= MOST_BYTES {
                return pages;
            }
        }
    }
    pages
}

/// Sentences that pages are made of, by language.
const SENTENCES: [[&str; 4]; 4] = [
    [
        "A câmara municipal aprovou ontem o orçamento para o próximo ano, com os votos da maioria.",
        "As obras na biblioteca começam em março e devem durar até ao fim do verão.",
        "Segundo o relatório, o número de visitantes cresceu em todas as freguesias do concelho.",
        "O programa inclui concertos, exposições e uma feira do livro junto ao rio.",
    ],
    [
        "The town council approved the budget for next year yesterday, with the votes of the majority.",
        "Works at the library begin in March and are expected to last until the end of summer.",
        "According to the report, the number of visitors has grown in every parish of the county.",
        "The programme includes concerts, exhibitions and a book fair beside the river.",
    ],
    [
        "Der Gemeinderat hat gestern den Haushalt für das nächste Jahr mit den Stimmen der Mehrheit beschlossen.",
        "Die Arbeiten an der Bibliothek beginnen im März und sollen bis zum Ende des Sommers dauern.",
        "Nach dem Bericht ist die Zahl der Besucher in allen Gemeinden des Landkreises gewachsen.",
        "Zum Programm gehören Konzerte, Ausstellungen und eine Buchmesse am Ufer des Flusses.",
    ],
    [
        "Le conseil municipal a approuvé hier le budget de l'année prochaine, avec les voix de la majorité.",
        "Les travaux à la bibliothèque commencent en mars et devraient durer jusqu'à la fin de l'été.",
        "Selon le rapport, le nombre de visiteurs a augmenté dans toutes les communes du canton.",
        "Le programme comprend des concerts, des expositions et une foire du livre au bord de la rivière.",
    ],
];

/// A page with an article between a menu, a list of other pages and a foot.
fn made_page(number: u64) -> Page {
    let mut random = Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let lines = &SENTENCES[(number % 4) as usize];
    let mut html = format!(
        "<!doctype html><html><head><meta charset=\"utf-8\"><title>{} {number}</title>\
         <meta property=\"article:published_time\" content=\"2024-{:02}-{:02}T08:00:00Z\">\
         <meta name=\"description\" content=\"{}\"></head><body><nav><ul>",
        &lines[0][..lines[0].floor_char_boundary(20)],
        1 + number % 12,
        1 + number % 28,
        lines[1]
    );
    (0..40).for_each(|item| write!(html, "<li><a href=\"/s/{item}\">Item {item}</a></li>").unwrap());
    html.push_str("</ul></nav><article>");
    for _ in 0..20 + random.below(20) {
        html.push_str("<p class=\"text body-copy\">");
        for _ in 0..2 + random.below(4) {
            write!(html, "{} ", lines[random.below(4) as usize]).unwrap();
        }
        writeln!(html, "<a href=\"/p/{}\">{}</a></p>", random.below(9_999), random.below(9_999)).unwrap();
    }
    html.push_str("</article><aside><ul>");
    let teaser = &lines[2][..lines[2].floor_char_boundary(16)];
    for _ in 0..60 {
        let other = random.below(9_999);
        write!(html, "<li class=\"teaser\"><a href=\"/p/{other}\"><b>{other}</b> {teaser}</a></li>").unwrap();
    }
    html.push_str("</ul></aside><footer><p>© 2024</p></footer></body></html>");
    Page {
        url: format!("https://h{}.example.org/p/{number}", number % 50).parse().unwrap(),
        media_type: "text/html".to_owned(),
        html: html.into_bytes(),
    }
}
