#![allow(clippy::unwrap_used)]

use super::*;
use crate::text;
use proptest::prelude::*;

fn counts(text: &str) -> TokenCounts {
    let mut counts = TokenCounts::new();
    text::words(text).into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
    counts
}

fn page(url: &str, is_relevant: bool, text: &str, anchors: &[&str]) -> MarkedPage {
    let host = url.split('/').nth(2).unwrap().to_owned();
    let anchors = anchors.iter().map(|anchor| text::words(anchor)).collect();
    MarkedPage { url: url.to_owned(), host, is_relevant, words: counts(text), anchors }
}

fn of_launch(marked: &[MarkedPage]) -> Vec<LaunchPage> {
    marked
        .iter()
        .map(|page| LaunchPage { words: page.words.clone(), is_met: page.words.contains_key("naval") })
        .collect()
}

/// Ten relevant pages of two hosts about a shipyard, ten others about football.
fn town() -> Vec<MarkedPage> {
    (0..20)
        .map(|number| {
            let (host, is_relevant) = (["a.pt", "b.pt"][number % 2], number < 10);
            let folder = if is_relevant { "obra" } else { "desporto" };
            let text = match is_relevant {
                true => format!("naval o estaleiro e o casco da obra {}", if number < 3 { "guindaste" } else { "" }),
                false => format!("o jogo e a bola da liga {}", if number == 10 { "naval" } else { "" }),
            };
            let anchor = if is_relevant { "Casco novo" } else { "Mais" };
            page(&format!("http://{host}/{folder}/{number}"), is_relevant, &text, &[anchor, "Mais"])
        })
        .collect()
}

#[test]
fn terms_of_relevant_pages_are_proposed_with_counts_and_examples() {
    let marked = town();
    let found = proposals(&marked, &of_launch(&marked), &HashSet::from(["naval".to_owned()]));
    let terms: Vec<&str> =
        found.iter().filter(|of| of.kind == ProposalKind::Word).map(|of| of.value.as_str()).collect();
    assert!(terms.contains(&"estaleiro") && terms.contains(&"casco"), "{terms:?}");
    for known in ["naval", "jogo", "liga", "da"] {
        assert!(!terms.contains(&known), "{known}: {terms:?}");
    }
    let casco = found.iter().find(|of| of.value == "casco").unwrap();
    assert_eq!(casco.counts(), "10 of 10 relevant pages, 0 of 10 others");
    assert_eq!(casco.examples, ["http://a.pt/obra/0", "http://b.pt/obra/1", "http://a.pt/obra/2"]);
    assert!(casco.z.unwrap() >= 1.96 && casco.nearest_query_rank.is_some() && !casco.is_broad);
    let anchors: Vec<&str> =
        found.iter().filter(|of| of.kind == ProposalKind::Anchor).map(|of| of.value.as_str()).collect();
    assert_eq!(anchors, ["casco novo", "novo"], "“mais” leads to all pages");
}

#[test]
fn a_term_of_one_host_or_of_two_pages_is_not_proposed() {
    let mut marked = town();
    for (number, page) in marked.iter_mut().filter(|page| page.host == "a.pt" && page.is_relevant).enumerate() {
        page.words.insert("rampa".to_owned(), 9);
        if number < 2 {
            page.words.insert("doca".to_owned(), 9);
        }
    }
    let found = proposals(&marked, &of_launch(&marked), &HashSet::new());
    assert!(found.iter().all(|of| of.value != "rampa" && of.value != "doca"), "{found:?}");
}

#[test]
fn a_term_that_is_everywhere_is_broad() {
    let marked = town();
    // One page in 40 has a word of the request, three quarters of them this one.
    let mut pages = of_launch(&marked);
    pages.iter_mut().skip(1).for_each(|page| page.is_met = false);
    pages.extend((0..20).map(|_| LaunchPage { words: counts("porto"), is_met: false }));
    let found = proposals(&marked, &pages, &HashSet::new());
    let broad = |word: &str| found.iter().find(|of| of.value == word).map(|of| of.is_broad);
    assert_eq!(broad("casco"), Some(true), "from 1 page to 10");
    pages.iter_mut().take(10).for_each(|page| page.is_met = true);
    let found = proposals(&marked, &pages, &HashSet::new());
    let broad = |word: &str| found.iter().find(|of| of.value == word).map(|of| of.is_broad);
    assert_eq!(broad("casco"), Some(false));
}

#[test]
fn hosts_and_paths_of_one_side_are_proposed_once() {
    let mut marked = town();
    let found = proposals(&marked, &of_launch(&marked), &HashSet::new());
    let places: Vec<(&str, bool)> = found
        .iter()
        .filter(|of| matches!(of.kind, ProposalKind::Host | ProposalKind::Path))
        .map(|of| (of.value.as_str(), of.is_for))
        .collect();
    assert_eq!(
        places,
        [
            ("http://a.pt/desporto/", false),
            ("http://a.pt/obra/", true),
            ("http://b.pt/desporto/", false),
            ("http://b.pt/obra/", true)
        ]
    );
    marked.retain(|page| page.host == "a.pt" || page.is_relevant);
    let found = proposals(&marked, &of_launch(&marked), &HashSet::new());
    let of_b: Vec<&Proposal> = found.iter().filter(|of| of.value.starts_with("http://b.pt/")).collect();
    assert_eq!(of_b.len(), 1, "the path says no more than its host: {of_b:?}");
    assert_eq!((of_b[0].kind, of_b[0].value.as_str()), (ProposalKind::Host, "http://b.pt/"));
}

/// Values worked out by hand: prior 100 words, counts below.
#[test]
fn log_odds_are_those_of_the_paper() {
    let of = |pairs: &[(&str, u32)]| pairs.iter().map(|(word, count)| ((*word).to_owned(), *count)).collect();
    let (first, second) = (of(&[("a", 30), ("b", 10), ("c", 60)]), of(&[("a", 5), ("b", 12), ("c", 83)]));
    let background = of(&[("a", 50), ("b", 50), ("c", 400)]);
    let found = log_odds(&first, &second, &background);
    // a: ln(40 / 160) - ln(15 / 185); variance 1/40 + 1/15.
    let delta = (40.0_f64 / 160.0).ln() - (15.0_f64 / 185.0).ln();
    let z = delta / (1.0_f64 / 40.0 + 1.0 / 15.0).sqrt();
    assert_eq!(found[0].word, "a");
    assert!((found[0].delta - delta).abs() < 1e-12 && (found[0].z - z).abs() < 1e-12);
    assert!((z - 3.7191).abs() < 0.01, "{z}");
    assert_eq!(found.last().unwrap().word, "c");
}

proptest! {
    #[test]
    fn log_odds_change_their_sign_with_the_groups(
        first in prop::collection::hash_map("[a-e]", 1_u32..40, 1..5),
        second in prop::collection::hash_map("[a-e]", 1_u32..40, 1..5),
    ) {
        let mut background = first.clone();
        second.iter().for_each(|(word, count)| *background.entry(word.clone()).or_default() += count);
        let (there, back) = (log_odds(&first, &second, &background), log_odds(&second, &first, &background));
        for odds in &there {
            let other = back.iter().find(|of| of.word == odds.word).unwrap();
            prop_assert!((odds.z + other.z).abs() < 1e-6);
            // The definition, written out once more: counts and prior added, odds divided.
            let n = |counts: &TokenCounts| counts.values().map(|count| f64::from(*count)).sum::<f64>();
            let prior = (n(&first) + n(&second)) / 2.0;
            let alpha = prior * f64::from(background[&odds.word]) / n(&background);
            let y = |counts: &TokenCounts| f64::from(counts.get(&odds.word).copied().unwrap_or(0));
            let ratio = ((y(&first) + alpha) / (n(&first) + prior - y(&first) - alpha))
                / ((y(&second) + alpha) / (n(&second) + prior - y(&second) - alpha));
            // A word that is the only one has no odds.
            if ratio.is_finite() && background.len() > 1 {
                prop_assert!((odds.delta - ratio.ln()).abs() < 1e-6, "{} {}", odds.delta, ratio.ln());
            }
        }
    }

    #[test]
    fn the_nearest_query_never_prefers_what_only_others_have(relevant in 1_usize..6, others in 1_usize..6) {
        let marked: Vec<MarkedPage> = (0..relevant + others)
            .map(|number| {
                let is_relevant = number < relevant;
                let text = if is_relevant { "casco navio" } else { "bola jogo" };
                page(&format!("http://a.pt/{number}"), is_relevant, text, &[])
            })
            .collect();
        let terms: Vec<String> = rocchio(&marked, &of_launch(&marked)).into_iter().map(|(word, _)| word).collect();
        prop_assert_eq!(terms, ["casco", "navio"]);
    }
}
