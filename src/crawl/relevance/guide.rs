//! Reads pages and links for the words of the request.
//!
//! A word weighs by how rare it is on the pages that the launch has read: idf(t) =
//! ln(1 + (n + 10) / (df + 1)), n pages read since the word is looked for, df of them with it.
//! Words that no page had yet weigh no more than the rarest that one had: a word that nobody uses
//! would make everything else look poor. All values are shares of the sum of the three heaviest
//! words, so that a request with many names of a thing is no harder to meet than one with few.

use super::parts::{PriorityParts, TOP_POINTS};
use crate::analysis::Matcher;
use crate::campaign::{Campaign, CrawlOrder, Term, UrlScores};
use crate::crawl::PageReading;
use crate::jobs::lock;
use crate::scope::Candidate;
use crate::uri::{Url, authority_of};
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex};
use url::Position;

/// Words of the request that make a value full.
const FULL_TERMS: usize = 3;
/// Pages that are taken to have been read before the first one, for the weights of words.
const PRIOR_PAGES: f64 = 10.0;
/// Occurrences of a word that make half of its strength come true (as k1 of BM25).
const HALF_STRENGTH: f64 = 1.2;
/// A main text of this length has its words counted half.
const HALF_LENGTH: f64 = 2000.0;
/// Percent of the links of a host above which an anchor that they share says nothing.
const SHARED_PERCENT: u64 = 20;
/// Links of a host before its anchors are told apart by that.
const LINKS_TO_JUDGE: u64 = 50;
/// Texts of links and paths whose words are kept at most; most links of a page are those of the page before.
const MOST_TEXTS: usize = 200_000;
/// Hosts, and anchors of each, that are counted at most.
const MOST_COUNTED: (usize, usize) = (10_000, 200);
/// Letters of a word of a path that is read.
const MIN_URL_LETTERS: usize = 3;
/// Percent of pages above which a word of the request does not discriminate.
const COMMON_PERCENT: u64 = 25;
/// Pages read before that is reported.
const PAGES_TO_JUDGE: u64 = 50;
/// A page of this score is relevant.
pub const RELEVANT_POINTS: u16 = 3000;

/// The request of a campaign, made ready to order its queue.
pub struct RequestGuide {
    matcher: Matcher,
    /// Whether each term counts: it speaks for the request and has words.
    counts: Vec<bool>,
    scores: Option<UrlScores>,
    learned: Mutex<Learned>,
    anchors: Mutex<HashMap<Box<str>, HostAnchors>>,
    /// The terms of short texts, by a hash of each.
    texts: Mutex<HashMap<u64, Box<[usize]>>>,
}

/// What a launch has seen of the words of a request.
#[derive(Default)]
struct Learned {
    pages: u64,
    by_term: HashMap<String, TermTally>,
    weights: Arc<Weights>,
}

/// Pages with a word of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TermTally {
    /// Pages that the launch had read when it began to look for the word.
    pub since: u64,
    /// Pages with it among those read from then on.
    pub pages: u64,
    /// It was reported that it does not discriminate.
    pub is_reported: bool,
}

/// Weights of the terms, and the sum of the heaviest.
#[derive(Debug, Default, PartialEq)]
struct Weights {
    terms: Vec<f64>,
    full: f64,
}

impl Weights {
    fn share(&self, sum: f64) -> f64 {
        if self.full > 0.0 { (sum / self.full).clamp(0.0, 1.0) } else { 0.0 }
    }
}

#[derive(Default)]
struct HostAnchors {
    links: u64,
    /// Links by their anchor, of those that have a word of the request.
    by_anchor: HashMap<u64, u64>,
}

/// The page that a link was found on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Linker<'a> {
    /// Its score, from 0 to 1.
    pub score: f64,
    /// The priority of what completes it.
    pub points: u16,
    /// Its host with port; empty where no page has the link.
    pub authority: &'a str,
}

impl RequestGuide {
    /// The guide of a campaign; none where it is not ordered by relevance, or its request has no
    /// words to look for and it scores no URLs.
    pub fn of(campaign: &Campaign) -> Option<Self> {
        let matcher = Matcher::compile(&campaign.request);
        let counts: Vec<bool> = (0..matcher.terms().len())
            .map(|term| matcher.speaks_for(term) && !matcher.tests(term).is_empty())
            .collect();
        let scores = UrlScores::of(&campaign.scores);
        if campaign.order != CrawlOrder::Relevance || !counts.contains(&true) && scores.is_none() {
            return None;
        }
        let (learned, anchors, texts) = (Mutex::default(), Mutex::default(), Mutex::default());
        let guide = Self { matcher, counts, scores, learned, anchors, texts };
        guide.learned_so_far(0, HashMap::new());
        Some(guide)
    }

    /// Goes on from what an earlier run of the launch, or another plan, has learned.
    pub fn learned_so_far(&self, pages: u64, by_term: HashMap<String, TermTally>) {
        let mut learned = lock(&self.learned);
        (learned.pages, learned.by_term) = (pages, by_term);
        for (_, term) in self.terms() {
            learned.by_term.entry(term.value.clone()).or_insert(TermTally { since: pages, ..TermTally::default() });
        }
        learned.weights = Arc::new(self.weights_of(&learned));
    }

    /// Goes on from what the guide before it has learned.
    pub fn follow(&self, before: &Self) {
        let (pages, by_term) = {
            let learned = lock(&before.learned);
            (learned.pages, learned.by_term.clone())
        };
        self.learned_so_far(pages, by_term);
    }

    /// The terms that are looked for, with their pages so far.
    pub fn tallies(&self) -> Vec<(String, TermTally)> {
        let learned = lock(&self.learned);
        learned.by_term.iter().map(|(term, tally)| (term.clone(), *tally)).collect()
    }

    /// The terms that count, with their numbers.
    fn terms(&self) -> impl Iterator<Item = (usize, &Term)> {
        self.matcher.terms().iter().enumerate().filter(|(number, _)| self.counts[*number])
    }

    fn weights_of(&self, learned: &Learned) -> Weights {
        let tally = |term: &Term| learned.by_term.get(&term.value).copied().unwrap_or_default();
        let idf = |tally: TermTally| {
            let read = learned.pages.saturating_sub(tally.since) as f64;
            (1.0 + (read + PRIOR_PAGES) / (tally.pages as f64 + 1.0)).ln()
        };
        let met = self.terms().map(|(_, term)| tally(term)).filter(|tally| tally.pages > 0).map(idf);
        let most = met.fold(None, |most: Option<f64>, idf| Some(most.map_or(idf, |most| most.max(idf))));
        let mut terms = vec![0.0; self.counts.len()];
        for (number, term) in self.terms() {
            let idf = idf(tally(term)).min(most.unwrap_or(f64::MAX));
            terms[number] = idf * term.weight.abs().min(1.0);
        }
        let mut heaviest = terms.clone();
        heaviest.sort_by(|a, b| b.total_cmp(a));
        let full = heaviest.iter().take(FULL_TERMS).sum();
        Weights { terms, full }
    }

    fn weights(&self) -> Arc<Weights> {
        Arc::clone(&lock(&self.learned).weights)
    }

    /// The terms that a text has, each once, with how often it has them.
    fn found_in(&self, text: &str) -> Vec<(usize, u32)> {
        let mut found: Vec<(usize, u32)> = Vec::new();
        if !text.is_empty() {
            self.matcher.find(text, &mut |term| match found.iter_mut().find(|(of, _)| *of == term) {
                Some((_, count)) => *count = count.saturating_add(1),
                None if self.counts[term] => found.push((term, 1)),
                None => {}
            });
        }
        found
    }

    /// The terms that a short text has, each once. `key` is a number of it, and `text` makes it where its terms are not
    /// known yet.
    fn terms_of<T: AsRef<str>>(&self, key: u64, text: impl FnOnce() -> T) -> Box<[usize]> {
        if let Some(terms) = lock(&self.texts).get(&key) {
            return terms.clone();
        }
        let found = self.found_in(text().as_ref());
        let terms: Box<[usize]> = found.into_iter().map(|(term, _)| term).collect();
        let mut texts = lock(&self.texts);
        if texts.len() >= MOST_TEXTS {
            texts.clear();
        }
        texts.insert(key, terms.clone());
        terms
    }

    fn terms_of_anchor(&self, anchor: &str) -> Box<[usize]> {
        if anchor.is_empty() { Box::default() } else { self.terms_of(hash_of(anchor), || anchor) }
    }

    fn terms_of_path(&self, url: &Url) -> Box<[usize]> {
        // Another key than that of the same text in a link.
        self.terms_of(hash_of(&url[Position::BeforePath..]).rotate_left(1), || path_text(url))
    }

    fn share_of(&self, terms: &[usize]) -> f64 {
        if terms.is_empty() {
            return 0.0;
        }
        let weights = self.weights();
        weights.share(terms.iter().map(|term| weights.terms[*term]).sum())
    }

    /// Reads the main text of a page.
    pub fn read(&self, main: &str) -> PageReading {
        let found = self.found_in(main);
        let weights = self.weights();
        let shorter = HALF_LENGTH / (main.len() as f64 + HALF_LENGTH);
        let strength = |(term, count): &(usize, u32)| {
            let often = f64::from(*count) * shorter;
            weights.terms[*term] * often / (often + HALF_STRENGTH)
        };
        let score = weights.share(found.iter().map(strength).sum());
        let names: HashSet<&str> = found.iter().map(|(term, _)| self.matcher.terms()[*term].value.as_str()).collect();
        let mut terms: Vec<String> = names.into_iter().map(str::to_owned).collect();
        terms.sort_unstable();
        PageReading { score: (score * f64::from(TOP_POINTS)).round() as u16, terms }
    }

    /// Counts a page that was read; gives what a person should know of the request's words.
    pub fn learn(&self, reading: &PageReading) -> Vec<String> {
        let mut learned = lock(&self.learned);
        let learned = &mut *learned;
        learned.pages += 1;
        for name in &reading.terms {
            learned.by_term.entry(name.clone()).or_default().pages += 1;
        }
        let mut remarks = Vec::new();
        for (_, term) in self.terms() {
            let Some(tally) = learned.by_term.get_mut(&term.value).filter(|tally| !tally.is_reported) else { continue };
            let read = learned.pages.saturating_sub(tally.since);
            if read >= PAGES_TO_JUDGE && tally.pages * 100 > read * COMMON_PERCENT {
                tally.is_reported = true;
                let percent = tally.pages * 100 / read;
                remarks.push(format!(
                    "“{}” occurs on {percent} % of the pages read: it does not discriminate",
                    term.value
                ));
            }
        }
        learned.weights = Arc::new(self.weights_of(learned));
        remarks
    }

    /// Counts the links of a page of a host, by which an anchor that many of them share is known.
    pub fn count_anchors<'l>(&self, authority: &str, anchors: impl Iterator<Item = &'l str>) {
        let mut hosts = lock(&self.anchors);
        if !hosts.contains_key(authority) {
            if hosts.len() >= MOST_COUNTED.0 {
                return;
            }
            hosts.insert(authority.into(), HostAnchors::default());
        }
        let Some(of) = hosts.get_mut(authority) else { return };
        for anchor in anchors {
            of.links += 1;
            if self.terms_of_anchor(anchor).is_empty() {
                continue;
            }
            let key = hash_of(anchor);
            if of.by_anchor.len() < MOST_COUNTED.1 || of.by_anchor.contains_key(&key) {
                *of.by_anchor.entry(key).or_default() += 1;
            }
        }
    }

    fn is_shared(&self, authority: &str, anchor: &str) -> bool {
        let hosts = lock(&self.anchors);
        hosts.get(authority).is_some_and(|of| {
            let links = of.by_anchor.get(&hash_of(anchor)).copied().unwrap_or_default();
            of.links >= LINKS_TO_JUDGE && links * 100 > of.links * SHARED_PERCENT
        })
    }

    /// The parts of the priority of a URL by a link to it.
    pub fn parts_of(&self, candidate: &Candidate, linker: &Linker<'_>) -> PriorityParts {
        let own = authority_of(&candidate.url);
        let cited = match linker.authority {
            "" => 0,
            // A host that links to itself is no witness.
            authority if authority == own => 0,
            authority => 1 << (hash_of(authority) % 64),
        };
        let (anchor, url) = self.values_of(linker.authority, &candidate.anchor, &candidate.url);
        let scored = self.score_of(candidate.url.as_str(), &candidate.source_tag);
        PriorityParts::of_link(anchor, url, linker.score, cited).with_score(scored)
    }

    fn score_of(&self, url: &str, source_tag: &str) -> f64 {
        self.scores.as_ref().map_or(0.0, |scores| scores.value(url, source_tag))
    }

    /// The values of a link's text and of its URL.
    fn values_of(&self, authority: &str, anchor: &str, url: &Url) -> (f64, f64) {
        (self.value_of_anchor(authority, anchor), self.share_of(&self.terms_of_path(url)))
    }

    /// The value of the text of a link on a page of a host, from 0 to 1.
    pub fn value_of_anchor(&self, authority: &str, anchor: &str) -> f64 {
        let terms = self.terms_of_anchor(anchor);
        if terms.is_empty() || self.is_shared(authority, anchor) { 0.0 } else { self.share_of(&terms) }
    }

    /// The parts of a URL that waits, by a request that it was not found with: text and URL are read
    /// again, the value of the page stays as it was.
    pub fn parts_again(
        &self,
        url: &Url,
        source_tag: &str,
        linker: Option<&str>,
        anchor: &str,
        parts: Option<PriorityParts>,
    ) -> PriorityParts {
        let before = parts.unwrap_or_default();
        let of_anchor = match self.terms_of_anchor(anchor).is_empty() {
            true => 0.0,
            // The page matters only where the link has a word of the request.
            false => {
                let linker = linker.and_then(|linker| Url::parse(linker).ok());
                self.value_of_anchor(linker.as_ref().map_or("", authority_of), anchor)
            }
        };
        // Other than the links of a page, those that wait are each read once.
        let in_path: Vec<usize> = self.found_in(&path_text(url)).into_iter().map(|(term, _)| term).collect();
        let of_link = PriorityParts::of_link(of_anchor, self.share_of(&in_path), 0.0, 0);
        PriorityParts { anchor: of_link.anchor, url: of_link.url, ..before }
            .with_score(self.score_of(url.as_str(), source_tag))
    }

    /// The words of the request in the text of a link and in a URL, for people.
    pub fn terms_in(&self, anchor: &str, url: &Url) -> [Vec<String>; 2] {
        let names = |found: Vec<(usize, u32)>| -> Vec<String> {
            found.into_iter().map(|(term, _)| self.matcher.terms()[term].value.clone()).collect()
        };
        [names(self.found_in(anchor)), names(self.found_in(&path_text(url)))]
    }
}

/// A number that stands for a text, the same in every run.
fn hash_of(text: &str) -> u64 {
    foldhash::fast::FixedState::default().hash_one(text)
}

/// Path and query of a URL as words: parted at what is no letter and where small letters are
/// followed by a capital one.
fn path_text(url: &Url) -> String {
    let path = percent_encoding::percent_decode_str(url.path()).decode_utf8_lossy();
    let query = percent_encoding::percent_decode_str(url.query().unwrap_or_default()).decode_utf8_lossy();
    let mut text = String::with_capacity(path.len() + query.len() + 8);
    let mut begin = 0;
    let mut was_small = false;
    for c in path.chars().chain([' ']).chain(query.chars()).chain([' ']) {
        if !c.is_alphabetic() || was_small && c.is_uppercase() {
            // Too short to be a word.
            if text.get(begin..).is_some_and(|word| word.chars().count() < MIN_URL_LETTERS) {
                text.truncate(begin);
            } else {
                text.push(' ');
            }
            begin = text.len();
        }
        if c.is_alphabetic() {
            text.push(c);
        }
        was_small = c.is_lowercase();
    }
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn guide(request: &str) -> RequestGuide {
        RequestGuide::of(&Campaign { request: request.parse().unwrap(), ..Campaign::default() }).unwrap()
    }

    fn found(url: &str, anchor: &str) -> Candidate {
        Candidate { anchor: anchor.to_owned(), hops: "L".to_owned(), ..Candidate::bare(Url::parse(url).unwrap()) }
    }

    #[test]
    fn a_request_without_terms_guides_nothing() {
        let of = |request: &str, order| {
            RequestGuide::of(&Campaign { request: request.parse().unwrap(), order, ..Campaign::default() }).is_some()
        };
        assert!(of("ria", CrawlOrder::Relevance) && !of("ria", CrawlOrder::RoundRobin));
        assert!(!of("lang:pt", CrawlOrder::Relevance) && !of("", CrawlOrder::Relevance));
        assert!(!of("NOT ria", CrawlOrder::Relevance) && !of("ria^-1", CrawlOrder::Relevance));
    }

    #[test]
    fn a_path_is_parted_at_cases_and_signs() {
        let of = |url: &str| path_text(&Url::parse(url).unwrap()).trim().to_owned();
        assert_eq!(
            of("http://naval.pt/estaleiroNaval/a-1/Ci%C3%AAncia2.html?id=ria_norte"),
            "estaleiro Naval Ciência html ria norte"
        );
        assert_eq!(of("http://a.pt/"), "");
    }

    #[test]
    fn a_link_is_read_as_the_index_reads_it() {
        let guide = guide("estaleiro OR \"ciência naval\" OR ria");
        let linker = Linker { score: 0.5, points: 0, authority: "a.pt" };
        let parts = guide.parts_of(&found("http://a.pt/ESTALEIRO/x", "A Ciencia-Naval da Ria"), &linker);
        assert_eq!((parts.anchor, parts.url, parts.page, parts.cited), (3333, 667, 1500, 0));
        let elsewhere = guide.parts_of(&found("http://ria.pt/", "mais"), &linker);
        assert_eq!((elsewhere.anchor, elsewhere.url, elsewhere.citing_hosts()), (0, 0, 1), "the host is no word of it");
        assert_eq!(guide.terms_in("Ria", &Url::parse("http://a.pt/ria").unwrap()), [["ria"], ["ria"]]);
    }

    #[test]
    fn scores_of_patterns_and_tags_are_added_and_refuse_nothing() {
        let score = |pattern: &str, tag: &str, score| crate::campaign::UrlScore {
            pattern: pattern.to_owned(),
            source_tag: tag.to_owned(),
            score,
        };
        let scores = vec![score("/press/", "", 0.4), score("", "blogs", -1.0)];
        let of = |request: &str| {
            let campaign =
                Campaign { request: request.parse().unwrap(), scores: scores.clone(), ..Campaign::default() };
            RequestGuide::of(&campaign).unwrap()
        };
        let guide = of("ria");
        let linker = Linker { score: 0.0, points: 0, authority: "a.pt" };
        let tagged = |url: &str, tag: &str| Candidate { source_tag: tag.to_owned(), ..found(url, "Ria") };
        let points = |url: &str, tag: &str| guide.parts_of(&tagged(url, tag), &linker).points();
        assert_eq!(points("http://a.pt/press/1", ""), points("http://a.pt/other/1", "") + 4000);
        assert_eq!(points("http://a.pt/other/1", "blogs"), 0);
        let waits = guide.parts_of(&tagged("http://a.pt/press/1", ""), &linker);
        let url = Url::parse("http://a.pt/press/1").unwrap();
        assert_eq!(guide.parts_again(&url, "", Some("http://a.pt/"), "Ria", Some(waits)), waits);
        assert_eq!(guide.parts_again(&url, "blogs", Some("http://a.pt/"), "Ria", Some(waits)).scored, -6000);
        // Scores alone order a queue as well.
        assert_eq!(of("lang:pt").parts_of(&found("http://a.pt/press/", "x"), &Linker::default()).points(), 4000);
    }

    #[test]
    fn an_anchor_of_most_links_counts_nothing() {
        let guide = guide("ria");
        let anchors: Vec<String> =
            (0..100).map(|n| if n < 30 { "ria".to_owned() } else { format!("ria {n}") }).collect();
        guide.count_anchors("a.pt", anchors.iter().map(String::as_str));
        let of = |anchor| {
            guide.parts_of(&found("http://a.pt/x", anchor), &Linker { authority: "a.pt", ..Linker::default() })
        };
        assert_eq!((of("ria").anchor, of("ria 40").anchor), (0, 5000));
        let elsewhere = Linker { authority: "b.pt", ..Linker::default() };
        assert_eq!(guide.parts_of(&found("http://a.pt/x", "ria"), &elsewhere).anchor, 5000);
    }

    #[test]
    fn rare_terms_weigh_more_and_common_ones_are_named() {
        let guide = guide("pattern OR lookahead OR missing");
        let mut remarks = Vec::new();
        for number in 0..200 {
            let text = format!(
                "{} {}",
                if number % 3 == 0 { "pattern" } else { "" },
                if number % 50 == 1 { "lookahead" } else { "" }
            );
            remarks.extend(guide.learn(&guide.read(&text)));
        }
        assert_eq!(remarks.len(), 1, "{remarks:?}");
        assert!(
            remarks[0].starts_with("“pattern” occurs on 3") && remarks[0].contains("does not discriminate"),
            "{remarks:?}"
        );
        let score = |text: &str| guide.read(text).score;
        assert!(score("lookahead") > 2 * score("pattern"));
        assert!(score("lookahead lookahead") > score("lookahead"));
        assert!(score("lookahead") > score(&format!("lookahead {}", "x ".repeat(5000))));
        assert!(score("lookahead") > 1000, "a word that no page has takes nothing from the others");
        assert_eq!(guide.read("pattern Lookahead").terms, ["lookahead", "pattern"]);
    }

    #[test]
    fn a_new_request_goes_on_with_what_is_known_of_old_terms() {
        let before = guide("ria OR naval");
        for _ in 0..100 {
            before.learn(&before.read("ria"));
        }
        let after = guide("ria OR estaleiro");
        after.follow(&before);
        // The longer text counts a trifle less.
        assert!(after.read("estaleiro").score + 20 > after.read("ria").score);
        let old = PriorityParts::of_link(0.5, 0.5, 0.7, 5);
        let url = Url::parse("http://a.pt/estaleiro").unwrap();
        let again = after.parts_again(&url, "", None, "naval", Some(old));
        assert_eq!((again.anchor, again.page, again.cited), (0, old.page, 5));
        assert!(again.url > 0);
    }
}
