//! Compares the finder with an exact comparison of all pairs, on copies edited at known rates.

use super::finder::NearFinder;
use super::*;
use std::collections::HashSet;

/// Numbers that look random and are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (mixed(self.0) % limit as u64) as usize
    }

    fn token(&mut self) -> String {
        format!("t{}", self.below(5000))
    }
}

/// A text with so many of a hundred tokens replaced.
fn edited(text: &[String], percent: usize, dice: &mut Dice) -> Vec<String> {
    let one = |token: &String| if dice.below(1000) < percent * 10 { dice.token() } else { token.clone() };
    text.iter().map(one).collect()
}

/// Texts of many lengths, each with copies of which 1, 5, 10 and 20 % are edited.
fn texts() -> Vec<String> {
    let mut dice = Dice(1);
    let mut texts = Vec::new();
    for _ in 0..60 {
        let len = 40 + dice.below(400);
        let original: Vec<String> = (0..len).map(|_| dice.token()).collect();
        texts.push(original.join(" "));
        for percent in [0, 1, 1, 5, 10, 20] {
            texts.push(edited(&original, percent, &mut dice).join(" "));
        }
    }
    texts
}

impl NearFinder {
    /// The texts that are near this one, with how alike they are; it is not taken in.
    fn near_texts(&self, shingles: &[u64], mut fetch: impl FnMut(u64) -> Option<Vec<u64>>) -> Vec<(u64, f64)> {
        let candidates = MinHash::of(shingles).map(|signature| self.candidates(&signature)).unwrap_or_default();
        let numbers = candidates.into_iter().map(|at| self.number(at));
        let scores = numbers.filter_map(|number| Some((number, jaccard(shingles, &fetch(number)?))));
        scores.filter(|(_, score)| *score >= NEAR_JACCARD).collect()
    }
}

#[test]
fn what_is_near_is_found_and_nothing_else() {
    let sets: Vec<Vec<u64>> = texts().iter().map(|text| shingles(text)).collect();
    let fetch = |older: u64| sets.get(older as usize).cloned();
    let mut finder = NearFinder::default();
    let mut found = HashSet::new();
    for (number, set) in (0_u64..).zip(&sets) {
        for (older, score) in finder.near_texts(set, fetch) {
            assert!(score == jaccard(set, &sets[older as usize]) && score >= NEAR_JACCARD);
            found.insert((older, number));
        }
        finder.add(number, set, fetch);
    }
    assert_eq!(finder.len(), sets.len());
    let mut counts = [(0_u32, 0_u32); 2];
    for (number, set) in (0_u64..).zip(&sets) {
        for (older, other) in (0..number).zip(&sets) {
            let score = jaccard(set, other);
            for (least, (all, hits)) in [0.9, 0.8].into_iter().zip(&mut counts) {
                *all += u32::from(score >= least);
                *hits += u32::from(score >= least && found.contains(&(older, number)));
            }
        }
    }
    let share = |(all, hits): (u32, u32)| f64::from(hits) / f64::from(all);
    eprintln!(
        "near-duplicates: recall {:.3} of {} pairs at 0.9, {:.3} of {} at 0.8; precision 1",
        share(counts[0]),
        counts[0].0,
        share(counts[1]),
        counts[1].0
    );
    assert!(counts[0].0 > 100 && share(counts[0]) >= 0.99, "{counts:?}");
    assert!(share(counts[1]) >= 0.9, "{counts:?}");
}

#[test]
fn groups_do_not_chain() {
    let mut dice = Dice(7);
    let mut chain: Vec<Vec<String>> = vec![(0..300).map(|_| dice.token()).collect()];
    for _ in 0..12 {
        let mut next = chain[chain.len() - 1].clone();
        for _ in 0..5 {
            let at = dice.below(next.len());
            next[at] = dice.token();
        }
        chain.push(next);
    }
    let sets: Vec<Vec<u64>> = chain.iter().map(|text| shingles(&text.join(" "))).collect();
    let mut finder = NearFinder::default();
    let groups: Vec<Option<u64>> = (0_u64..)
        .zip(&sets)
        .map(|(number, set)| finder.add(number, set, |older| sets.get(older as usize).cloned()))
        .collect();
    for pair in sets.windows(2) {
        assert!(jaccard(&pair[0], &pair[1]) >= NEAR_JACCARD, "each is near the one before it");
    }
    for (set, group) in sets.iter().zip(&groups) {
        if let Some(first) = group {
            assert!(jaccard(set, &sets[*first as usize]) >= GROUP_JACCARD, "{groups:?}");
        }
    }
    assert!(groups.iter().flatten().collect::<HashSet<_>>().len() > 1, "{groups:?}");
    assert!(groups[1] == Some(0) && groups[12] != Some(0), "{groups:?}");
}

#[test]
fn many_of_the_same_are_one_group_and_few_checks() {
    let set = shingles("um aviso de que nada foi encontrado neste endereço deste sítio");
    let mut finder = NearFinder::default();
    let mut checks = 0;
    for number in 0..500 {
        let group = finder.add(number, &set, |_| {
            checks += 1;
            Some(set.clone())
        });
        assert_eq!(group, (number > 0).then_some(0));
    }
    assert_eq!(checks, 499);
}

#[test]
fn runs_are_of_four_tokens_and_short_texts_are_one() {
    let sizes: Vec<usize> =
        ["", "a", "a b c", "a b c d", "a b c d e", "A, b. C: d!"].map(|text| shingles(text).len()).into();
    assert_eq!(sizes, [0, 1, 1, 1, 2, 1]);
    assert_eq!(shingles("A, b. C: d!"), shingles("a b c d"));
    assert_ne!(shingles("a b c d"), shingles("b a c d"));
    assert_eq!(MinHash::of(&[]), None);
    assert_eq!(jaccard(&[1, 2, 3], &[2, 3, 4]), 0.5);
    assert_eq!(jaccard(&[], &[]), 0.0);
    let signature = MinHash::of(&[1, 2]).unwrap();
    assert_eq!(MinHash::from_bytes(&signature.to_bytes()), signature);
    // The same in all versions: numbers are kept.
    assert_eq!(signature.to_bytes()[..3], [479_680_206_u32, 2_433_363_436, 201_072_194].map(|of| of as u8));
    assert_eq!(signature.to_bytes()[128..132], [8, 39, 111, 64]);
}
