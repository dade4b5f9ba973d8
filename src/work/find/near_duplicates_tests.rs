//! Groups found from files, beside those that the finder in memory gives.

use super::*;
use crate::search::{IndexBuilder, StoredPage, TextDocument};
use crate::text::near::finder::NearFinder;
use std::collections::BTreeMap;

/// Few texts a step, and one band at a time.
const SMALL: Steps = Steps { hashes: 1 << 10, texts: 64 };

/// Numbers that look random and are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    /// New texts, versions of earlier ones with some tokens replaced, one that
    /// comes again and again, and such as are too short.
    fn texts(&mut self, count: usize) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for nth in 0..count {
            let notice = "this is the notice that every page of the archive has where nothing else was found by \
                          the crawler on that day or any other";
            let text = match self.below(10) {
                0..4 => (0..25 + self.below(80)).map(|_| format!("t{} ", self.below(4000))).collect(),
                4..8 if nth > 0 => {
                    let percent = [0, 1, 3, 6, 12][self.below(5) as usize];
                    let of = texts[self.below(nth as u64) as usize].clone();
                    let token =
                        |token: &str| if self.below(100) < percent { "other ".into() } else { format!("{token} ") };
                    of.split_whitespace().map(token).collect()
                }
                8 => notice.to_owned(),
                _ => "too short to be compared".to_owned(),
            };
            texts.push(text);
        }
        texts
    }
}

/// The result of the finder in memory: versions that joined a group, with the first of each.
fn by_memory(texts: &BTreeMap<u64, String>, order: &[u64]) -> HashMap<u64, u64> {
    let mut finder = NearFinder::default();
    let runs = |version: u64| texts.get(&version).map(|text| shingles(text));
    let one = |version: &u64| Some((*version, finder.add(*version, &runs(*version)?, runs)?));
    order.iter().filter_map(one).collect()
}

#[test]
fn groups_from_files_are_those_found_in_memory() {
    let mut dice = Dice(11);
    let mut texts: BTreeMap<u64, String> = (1..).zip(dice.texts(900)).collect();
    let folder = tempfile::tempdir().unwrap();
    let mut builder = IndexBuilder::open(folder.path()).unwrap();
    let is_compared = |text: &String| text.split_whitespace().count() as u64 >= SHORTEST;
    let mut order: Vec<u64> = Vec::new();
    let mut before = IndexMark::default();
    // Three steps, so that later texts are compared with what is kept; after the second some are gone.
    for (step, through) in [(0, 300), (1, 650), (2, 900)] {
        let mut gone = HashSet::new();
        if step == 2 {
            gone = (1..=650).filter(|_| dice.below(30) == 0).collect();
            gone.iter().for_each(|version| builder.remove(*version));
        }
        for (version, text) in texts.range(before.through.unsigned_abs() + 1..=through) {
            let words = text.split_whitespace().count() as u64;
            let page = StoredPage { version: *version, main: text.clone(), ..StoredPage::default() };
            let document = TextDocument { page, words, ..TextDocument::default() };
            builder.add(&document).unwrap();
        }
        let mark = IndexMark { through: through as i64, ..before.clone() };
        builder.commit(&mark).unwrap();
        let found = |folder: &Path| NearFile::open(folder).unwrap().groups;
        if step == 2 {
            // Groups that lost a text are dissolved: the others of them come after those that stay.
            let groups = found(folder.path());
            let first = |version: &u64| groups.get(version).copied().unwrap_or(*version);
            let dissolved: HashSet<u64> = gone.iter().map(first).collect();
            texts.retain(|version, _| !gone.contains(version));
            order.retain(|version| !gone.contains(version) && !dissolved.contains(&first(version)));
        }
        let known: HashSet<u64> = order.iter().copied().collect();
        let new = texts.range(..=through).filter(|(version, text)| !known.contains(version) && is_compared(text));
        order.extend(new.map(|(version, _)| *version));
        let replaced = HashSet::new();
        let change = IndexChange { before: &before, replaced: &replaced, is_complete: true };
        let joined = follow_in_steps(folder.path(), builder.index(), &change, SMALL, &JobCx::detached()).unwrap();
        let expected = by_memory(&texts, &order);
        assert!(expected.len() > 50, "{}", expected.len());
        assert_eq!((joined as usize, found(folder.path())), (expected.len(), expected), "step {step}");
        before = builder.index().mark().unwrap().unwrap();
    }
    // From nothing, by age alone.
    std::fs::remove_file(folder.path().join("near.bin")).unwrap();
    order.sort_unstable();
    let (replaced, expected) = (HashSet::new(), by_memory(&texts, &order));
    let change = IndexChange { before: &before, replaced: &replaced, is_complete: true };
    follow_in_steps(folder.path(), builder.index(), &change, SMALL, &JobCx::detached()).unwrap();
    assert_eq!(NearFile::open(folder.path()).unwrap().groups, expected);
}
