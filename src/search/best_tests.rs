//! The best by each way of finding them, beside the sums of all.

use super::*;
use crate::query::parse_fields;
use crate::search::{IndexBuilder, IndexMark, StoredPage, TextDocument};

/// Texts of few different terms, in some segments, a part of them taken out again.
fn index(folder: &std::path::Path) -> IndexBuilder {
    let mut builder = IndexBuilder::open(folder).unwrap();
    let mut state = 5_u64;
    let mut below = |end: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % end
    };
    for version in 1..3000_u64 {
        let mut term = || format!("t{}", below(5) * below(8));
        let (title, main): (String, Vec<String>) = (term(), (0..20).map(|_| term()).collect());
        let language = ["pt", "en", ""][(version % 3) as usize].to_owned();
        let page = StoredPage { version, title, main: main.join(" "), language, ..StoredPage::default() };
        let document = TextDocument { page, ..TextDocument::default() };
        builder.add(&document).unwrap();
        if version % 700 == 0 {
            builder.commit(&IndexMark::default()).unwrap();
        }
    }
    (1..3000).filter(|version| version % 13 == 0).for_each(|version| builder.remove(version));
    builder.commit(&IndexMark::default()).unwrap();
    builder
}

#[test]
fn the_best_are_those_of_all() {
    let folder = tempfile::tempdir().unwrap();
    let builder = index(folder.path());
    let there = builder.index().versions().unwrap();
    let every = |nth: usize| there.ones().filter(|version| version % nth == 0).collect::<FixedBitSet>();
    for query in ["t7", "t0 t4", "t28 OR t7", "\"t4 t0\" t7", "t1* OR t2*"] {
        let query = parse_fields(query).unwrap();
        for among in [there.clone(), every(2), every(40), every(5000)] {
            // As many as there are: nothing is left out for being worth less.
            let all = builder.index().rank(&query, &among, 3000).unwrap();
            assert!(all.iter().all(|one| among.contains(one.version as usize)));
            assert!(all.is_sorted_by(|one, other| best_first(one, other).is_lt()));
            for most in [1, 10, 100] {
                let best = builder.index().rank(&query, &among, most).unwrap();
                assert_eq!(best, all[..most.min(all.len())], "{query:?}, {most} of {}", among.count_ones(..));
            }
            // What each is worth does not depend on what else is found.
            let of_all = builder.index().rank(&query, &there, 3000).unwrap();
            let of_these: Vec<Ranked> = of_all.into_iter().filter(|one| among.contains(one.version as usize)).collect();
            assert_eq!(all, of_these);
        }
    }
}

#[test]
fn a_phrase_whose_documents_are_known_is_worth_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let builder = index(folder.path());
    let index = builder.index();
    let there = index.versions().unwrap();
    let query = parse_fields("\"t4 t0\"").unwrap();
    let few: FixedBitSet = there.ones().filter(|version| version % 40 == 0).collect();
    let ranked = || [&there, &few].map(|among| index.rank(&query, among, 50).unwrap());
    let unknown = ranked();
    query.for_each_term(&mut |term| assert!(!index.holding(None, &term.test).unwrap().is_clear()));
    assert!(!unknown[1].is_empty());
    assert_eq!(ranked(), unknown);
    // What was found is found again.
    let mut found = Vec::new();
    query.for_each_term(&mut |term| found.extend(index.holding(None, &term.test).unwrap().ones()));
    let of_all: Vec<u64> = index.rank(&query, &there, 3000).unwrap().iter().map(|one| one.version).collect();
    assert!(found.iter().all(|version| of_all.contains(&(*version as u64))) && found.len() > 100);
}
