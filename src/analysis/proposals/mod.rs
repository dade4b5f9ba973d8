//! Proposals for a request and a scope, from pages that a person marked as relevant or not.
//!
//! | file | answers |
//! |---|---|
//! | `log_odds` | which words set relevant pages apart from others |
//! | `rocchio` | which words the query nearest to the relevant pages has |
//! | `places` | which hosts and paths have pages of one kind |
//!
//! Every proposal has its counts and examples. Nothing is changed here: a person accepts it or not.

mod log_odds;
mod places;
mod rocchio;

pub use log_odds::TokenCounts;

use log_odds::log_odds;
use rocchio::rocchio;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};

/// Marked relevant pages that a word must be on.
const MIN_PAGES: u64 = 3;
/// Hosts of those.
const MIN_HOSTS: usize = 2;
/// The z-score above which a word sets pages apart: 5 % of words by chance, both sides.
const MIN_Z: f64 = 1.96;
/// Percent of marked pages of one side, for an anchor, a host or a path.
const ONE_SIDED_PERCENT: u64 = 80;
/// Letters of a word.
const MIN_LETTERS: usize = 3;
/// Words of a text of a link that is proposed as a whole.
const MOST_ANCHOR_TOKENS: usize = 4;
/// New words of the nearest query that count as its own.
const ROCCHIO_TERMS: usize = 20;
/// Proposals of a kind.
const MOST_OF_A_KIND: usize = 20;
/// URLs shown with a proposal.
const EXAMPLES: usize = 3;
/// A word is broad where the share of pages that the request meets becomes more than so many times as high.
const BROAD_TIMES: u64 = 3;

/// A page that a person marked.
#[derive(Debug, Clone, Default)]
pub struct MarkedPage {
    /// Its URL.
    pub url: String,
    /// Its host with port.
    pub host: String,
    /// Whether it was marked as relevant.
    pub is_relevant: bool,
    /// The words of its main text.
    pub words: TokenCounts,
    /// The words of each link that leads to it.
    pub anchors: Vec<Vec<String>>,
}

/// A page of the launch, marked or not.
#[derive(Debug, Clone, Default)]
pub struct LaunchPage {
    /// The words of its main text.
    pub words: TokenCounts,
    /// Whether it has a word of the request.
    pub is_met: bool,
}

/// What a proposal is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ProposalKind {
    /// A word of the text.
    Word,
    /// A text of links.
    Anchor,
    /// A host.
    Host,
    /// The beginning of a path.
    Path,
    /// A person that texts name.
    Person,
    /// A place.
    Place,
    /// An organisation.
    Organisation,
    /// An event.
    Event,
    /// A name of no known kind.
    Name,
    /// A term that sets pages apart.
    Term,
}

impl ProposalKind {
    /// Its name for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Word => "Word",
            Self::Anchor => "Link text",
            Self::Host => "Host",
            Self::Path => "Path",
            Self::Person => "Person",
            Self::Place => "Place",
            Self::Organisation => "Organisation",
            Self::Event => "Event",
            Self::Name => "Name",
            Self::Term => "Term",
        }
    }
}

/// A change that marks suggest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Proposal {
    /// What it is about.
    pub kind: ProposalKind,
    /// The word, the text of links, the URL of the host or path.
    pub value: String,
    /// What names an entity; empty for all else.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uri: String,
    /// Whether it speaks for relevance.
    pub is_for: bool,
    /// Marked relevant pages with it.
    pub relevant: u64,
    /// All marked relevant pages.
    pub relevant_of: u64,
    /// Pages marked as not relevant with it.
    pub irrelevant: u64,
    /// All pages marked as not relevant.
    pub irrelevant_of: u64,
    /// URLs of pages with it.
    pub examples: Vec<String>,
    /// The log-odds of a word in units of its standard deviation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub z: Option<f64>,
    /// The place of a word among the new ones of the nearest query, from 1; none where it is not among the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest_query_rank: Option<usize>,
    /// The request would meet more than three times as many pages of the launch.
    pub is_broad: bool,
}

impl Proposal {
    /// Its counts as a sentence.
    pub fn counts(&self) -> String {
        format!(
            "{} of {} relevant pages, {} of {} others",
            self.relevant, self.relevant_of, self.irrelevant, self.irrelevant_of
        )
    }

    /// What a person should know of it beside its counts; empty where that is nothing.
    pub fn remarks(&self) -> String {
        let mut remarks = Vec::new();
        if let Some(z) = self.z {
            remarks.push(format!("z {z:.1}"));
            if self.nearest_query_rank.is_none() {
                remarks.push("not among the words of the nearest query".to_owned());
            }
        }
        if self.is_broad {
            remarks.push("broad".to_owned());
        }
        remarks.join(", ")
    }
}

/// The proposals that marked pages suggest: words, texts of links, hosts, paths. `pages` are all
/// pages of the launch, those too that are marked; `known` are words that the request has, folded.
pub fn proposals(marked: &[MarkedPage], pages: &[LaunchPage], known: &HashSet<String>) -> Vec<Proposal> {
    let mut found = term_proposals(marked, pages, known);
    let proposed: HashSet<String> =
        found.iter().map(|proposal| proposal.value.clone()).chain(known.iter().cloned()).collect();
    found.extend(anchor_proposals(marked, &proposed));
    found.extend(places::place_proposals(marked));
    found
}

/// Which of the marked pages a proposal is about, as the counts of it; none where nothing is.
fn proposal(
    kind: ProposalKind,
    value: &str,
    is_for: bool,
    marked: &[MarkedPage],
    has: impl Fn(&MarkedPage) -> bool,
) -> Proposal {
    let count = |is_relevant: bool, all: bool| {
        marked.iter().filter(|page| page.is_relevant == is_relevant && (all || has(page))).count() as u64
    };
    let examples = marked.iter().filter(|page| page.is_relevant == is_for && has(page));
    Proposal {
        kind,
        value: value.to_owned(),
        uri: String::new(),
        is_for,
        relevant: count(true, false),
        relevant_of: count(true, true),
        irrelevant: count(false, false),
        irrelevant_of: count(false, true),
        examples: examples.take(EXAMPLES).map(|page| page.url.clone()).collect(),
        z: None,
        nearest_query_rank: None,
        is_broad: false,
    }
}

fn hosts_of<'p>(pages: impl Iterator<Item = &'p MarkedPage>) -> usize {
    pages.map(|page| page.host.as_str()).collect::<HashSet<_>>().len()
}

fn is_plain_term(word: &str) -> bool {
    word.chars().count() >= MIN_LETTERS && word.chars().all(char::is_alphabetic)
}

fn term_proposals(marked: &[MarkedPage], pages: &[LaunchPage], known: &HashSet<String>) -> Vec<Proposal> {
    let of = |is_relevant: bool| {
        let mut sum = TokenCounts::new();
        for page in marked.iter().filter(|page| page.is_relevant == is_relevant) {
            page.words.iter().for_each(|(word, count)| *sum.entry(word.clone()).or_default() += count);
        }
        sum
    };
    let mut background = TokenCounts::new();
    for page in pages {
        page.words.iter().for_each(|(word, count)| *background.entry(word.clone()).or_default() += count);
    }
    let nearest = rocchio(marked, pages);
    let nearest: Vec<&str> = nearest
        .iter()
        .map(|(word, _)| word.as_str())
        .filter(|word| is_plain_term(word) && !known.contains(*word))
        .take(ROCCHIO_TERMS)
        .collect();
    let met = pages.iter().filter(|page| page.is_met).count() as u64;
    let odds = log_odds(&of(true), &of(false), &background).into_iter();
    odds.filter(|odds| odds.z >= MIN_Z && is_plain_term(&odds.word) && !known.contains(&odds.word))
        .filter_map(|odds| {
            let has = |page: &MarkedPage| page.words.contains_key(&odds.word);
            let mut proposal = proposal(ProposalKind::Word, &odds.word, true, marked, has);
            let hosts = hosts_of(marked.iter().filter(|page| page.is_relevant && has(page)));
            proposal.z = Some(odds.z);
            proposal.nearest_query_rank = nearest.iter().position(|word| *word == odds.word).map(|at| at + 1);
            let then = pages.iter().filter(|page| page.is_met || page.words.contains_key(&odds.word)).count() as u64;
            proposal.is_broad = then > BROAD_TIMES * met.max(1);
            (proposal.relevant >= MIN_PAGES && hosts >= MIN_HOSTS).then_some(proposal)
        })
        .take(MOST_OF_A_KIND)
        .collect()
}

/// Texts of links, whole where they are short, and their words, that lead to relevant pages.
fn anchor_proposals(marked: &[MarkedPage], known: &HashSet<String>) -> Vec<Proposal> {
    let texts_of = |page: &MarkedPage| -> HashSet<String> {
        let whole = page.anchors.iter().filter(|words| (2..=MOST_ANCHOR_TOKENS).contains(&words.len()));
        let whole = whole.filter(|words| {
            words.iter().any(|word| is_plain_term(word)) && !words.iter().all(|word| known.contains(word))
        });
        let single = page.anchors.iter().flatten().filter(|word| is_plain_term(word));
        whole.map(|words| words.join(" ")).chain(single.cloned()).filter(|text| !known.contains(text)).collect()
    };
    let texts: Vec<HashSet<String>> = marked.iter().map(texts_of).collect();
    let mut by_text: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (page, texts) in texts.iter().enumerate() {
        texts.iter().for_each(|text| by_text.entry(text).or_default().push(page));
    }
    let mut found: Vec<Proposal> = Vec::new();
    for (text, with) in by_text {
        let relevant: Vec<&MarkedPage> =
            with.iter().map(|page| &marked[*page]).filter(|page| page.is_relevant).collect();
        let is_one_sided = relevant.len() as u64 * 100 >= with.len() as u64 * ONE_SIDED_PERCENT;
        if relevant.len() as u64 >= MIN_PAGES && is_one_sided && hosts_of(relevant.into_iter()) >= MIN_HOSTS {
            let urls: HashSet<&str> = with.iter().map(|page| marked[*page].url.as_str()).collect();
            found.push(proposal(ProposalKind::Anchor, text, true, marked, |page| urls.contains(page.url.as_str())));
        }
    }
    found.sort_by(|a, b| b.relevant.cmp(&a.relevant).then(a.irrelevant.cmp(&b.irrelevant)).then(a.value.cmp(&b.value)));
    found.truncate(MOST_OF_A_KIND);
    found
}

#[cfg(test)]
mod tests;
