//! A workspace with as many captures as a benchmark speaks of, made without an
//! import: their rows, their texts and the index of these.

#![allow(clippy::unwrap_used)]

use crate::measured::cpu_time;
use crate::random::Random;
use fonds::search::{IndexBuilder, IndexMark, StoredPage, TextDocument};
use fonds::store::Workspace;
use fonds::work::Session;
use fonds::work::models::CaptureId;
use std::path::Path;
use std::time::Instant;

/// Hosts that the captures are of.
const HOSTS: u64 = 2_000;
/// Different words of the texts.
const VOCABULARY: usize = 60_000;
/// 2023-01-01.
const FIRST_DAY_MS: u64 = 1_672_531_200_000;

/// Texts with words as frequent as words are (Zipf 1935): the nth of them as
/// often as 1/n.
pub struct Texts {
    vocabulary: Vec<String>,
    upto: Vec<f64>,
}

impl Texts {
    pub fn new() -> Self {
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
    pub fn of(&self, capture: u64) -> (String, String) {
        let mut random = Random(capture.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..4 {
            random.next();
        }
        if capture > 1 && random.below(1000) < 50 {
            let (title, text) = self.of(capture - 1);
            return (title, format!("{text} {}", self.one(&mut random)));
        }
        let title: Vec<&str> = (0..5).map(|_| self.one(&mut random)).collect();
        let mut text: Vec<&str> = (0..100 + random.below(100)).map(|_| self.one(&mut random)).collect();
        if random.below(1000) < 490 {
            text[20] = "metade";
        }
        if random.below(1000) < 12 {
            text[40] = "quase";
        }
        (title.join(" "), text.join(" "))
    }

    pub fn document(&self, capture: u64) -> TextDocument {
        let (title, main) = self.of(capture);
        let language = ["pt", "en", "de", "fr", ""][(capture % 5) as usize].to_owned();
        let words = main.split(' ').count() as u64;
        let url = format!("host{} tld pagina {capture}", capture % HOSTS);
        let page = StoredPage { version: capture, title, main, url, language, ..StoredPage::default() };
        TextDocument { page, words, ..TextDocument::default() }
    }
}

/// A workspace with so many captures, and its index. They come from no file:
/// what is asked here reads none.
pub fn workspace_of(folder: &Path, texts: &Texts, captures: u64) -> Session {
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
             INSERT INTO capture (id, launch, url, page, host, date_ms, status, mime, media, size, digest, title, language, stored)
                SELECT i, 1, i, i, (SELECT host FROM url WHERE id = i),
                    {FIRST_DAY_MS} + (i * 7919 % 1096) * 86400000 + i % 86400 * 1000,
                    CASE i % 50 WHEN 0 THEN 404 ELSE 200 END,
                    CASE i % 20 WHEN 0 THEN 'application/pdf' WHEN 1 THEN 'image/png' ELSE 'text/html' END,
                    -- Documents, images, pages.
                    CASE i % 20 WHEN 0 THEN 2 WHEN 1 THEN 4 ELSE 1 END,
                    1000 + i % 5000, 'sha1:' || i, 'titulo ' || i,
                    CASE i % 5 WHEN 0 THEN 'pt' WHEN 1 THEN 'en' WHEN 2 THEN 'de' WHEN 3 THEN 'fr' ELSE '' END, 500 FROM n;
             INSERT INTO record (capture, position, kind, record_id, file, offset, length)
                SELECT i, 0, 'response', 'urn:uuid:' || i, 1, i * 1000, 500 FROM n;
             COMMIT;"
        ))
        .unwrap();
    drop(catalogue);
    let workspace = Workspace::open(folder).unwrap();
    let site_kinds = workspace.site_kinds().unwrap().digest().to_owned();
    let session = Session::new(workspace);
    let index = folder.join("index");
    std::fs::create_dir(&index).unwrap();
    let (begun, cpu) = (Instant::now(), cpu_time());
    let mut builder = IndexBuilder::open(&index).unwrap();
    (1..=captures).for_each(|capture| builder.add(&texts.document(capture)).unwrap());
    let through = i64::try_from(captures).unwrap();
    let last = session.catalogue().capture_stamp(CaptureId::new(through)).unwrap().unwrap();
    builder.commit(&IndexMark { through, last, site_kinds, ..IndexMark::default() }).unwrap();
    builder.finish().unwrap();
    let cpu = (cpu_time() - cpu).as_secs_f64();
    println!("\n{captures} captures; texts made and indexed in {cpu:.0} cpu s, {:.0} s", begun.elapsed().as_secs_f64());
    session
}
