//! Rule on the reach of the seeds.

use super::{Change, DecideRule, Edit, counted, hop_count, is_navigation};
use crate::campaign::{Campaign, Seed, SeedScope};
use crate::scope::{Candidate, Decision, Facts};
use crate::uri::{ScopePrefix, ScopePrefixSet, ScopeSurt, Url, parse_typed_url};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Accepts what the campaign's seeds reach, each seed by its own scope:
///
/// | scope | reaches |
/// |---|---|
/// | `resource` | the seed and, by hops that are no links, what it needs to be shown |
/// | `plus1` | the same, and everything one link away, with what that needs |
/// | `root` | everything under the SURT prefix that the seed implies |
/// | `subdomains` | the seed's host and all hosts below it (`www` is no label) |
///
/// A seed with a depth reaches only so many hops of any kind.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SeedScopeRule {}

/// What the seeds of a campaign reach, and those that a launch met.
#[derive(Debug, Clone, Default)]
pub(super) struct CompiledSeedScope {
    given: Arc<SeedReaches>,
    /// Seeds that were met on the way, in blocks: the archivist did not give them.
    met: Vec<Arc<SeedReaches>>,
}

/// The reach of some seeds together.
#[derive(Debug, Default)]
struct SeedReaches {
    seeds: Arc<Vec<Seed>>,
    /// Seeds whose own prefix may not reach them, by SURT tail.
    themselves: HashSet<Box<str>>,
    /// Root and subdomains without depth.
    open: ScopePrefixSet,
    /// Root and subdomains by depth.
    limited: Vec<(usize, ScopePrefixSet)>,
    /// Most links and most hops of what descends from resource and plus1 seeds.
    followed: HashMap<Box<str>, (usize, usize)>,
}

/// The prefix of a root or subdomains seed; none where reach is by hops.
fn prefix_of(seed: &Seed, url: &Url) -> Option<ScopePrefix> {
    match seed.scope {
        SeedScope::Root => Some(ScopePrefix::implied_by_seed(&seed.url)),
        SeedScope::Subdomains => Some(ScopePrefix::domain_of(url)),
        SeedScope::Resource | SeedScope::Plus1 => None,
    }
}

impl SeedScopeRule {
    pub(super) fn compile(&self, seeds: &[Seed]) -> Result<CompiledSeedScope, String> {
        let given = Arc::new(SeedReaches::compile(0, Arc::new(seeds.to_vec()))?);
        Ok(CompiledSeedScope { given, met: Vec::new() })
    }
}

/// The reach of one seed, for the one who types it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeedReach {
    /// The SURT prefix that decides; none where the reach is counted in hops.
    pub prefix: Option<ScopePrefix>,
    /// The reach in words.
    pub summary: String,
    /// What the prefix lets in beyond the obvious.
    pub remark: Option<&'static str>,
}

/// The reach of a seed by its scope and depth; `None` where its text is no URL.
pub fn seed_reach(seed: &Seed) -> Option<SeedReach> {
    let prefix = prefix_of(seed, &parse_typed_url(&seed.url)?);
    let mut summary = match (&prefix, seed.scope) {
        (Some(prefix), SeedScope::Subdomains) => format!("this host and all hosts below it: {prefix}"),
        (Some(prefix), _) => format!("everything that starts with {prefix}"),
        (None, SeedScope::Plus1) => "this page, the pages it links to, and what they need to be shown".to_owned(),
        (None, _) => "this page and what it needs to be shown".to_owned(),
    };
    if let Some(depth) = seed.depth {
        summary.push_str(&format!(", up to {} from it", counted(depth as usize as u64, "hop")));
    }
    // Who chose subdomains needs no remark that they are open.
    let remark = prefix.as_ref().filter(|_| seed.scope == SeedScope::Root).and_then(ScopePrefix::remark);
    Some(SeedReach { prefix, summary, remark })
}

/// Whether a person has yet to decide on a URL of another site that a seed
/// redirects to: it is not left out, and no seed reaches it.
pub fn is_open_redirect(campaign: &Campaign, seed: &str, target: &Url) -> bool {
    let surt = ScopeSurt::of(target);
    let reaches = |seed: &Seed| match parse_typed_url(&seed.url) {
        Some(url) if url == *target => true,
        Some(url) => prefix_of(seed, &url).is_some_and(|prefix| prefix.matches(&surt)),
        None => false,
    };
    campaign.seeds.iter().any(|of| of.url == seed)
        && !campaign.left_out_redirects.iter().any(|url| url == target.as_str())
        && !campaign.seeds.iter().any(reaches)
}

/// How a candidate is reached.
enum Reach {
    Itself,
    Prefix(ScopePrefix),
    Hops(usize),
}

impl SeedReaches {
    /// The reach of seeds, the first of which has this position in all of them.
    fn compile(first: usize, seeds: Arc<Vec<Seed>>) -> Result<Self, String> {
        let mut reaches = Self::default();
        let mut by_depth: BTreeMap<Option<usize>, Vec<ScopePrefix>> = BTreeMap::new();
        for (number, seed) in (first + 1..).zip(&*seeds) {
            let url = parse_typed_url(&seed.url)
                .ok_or_else(|| format!("seed {number} (“{}”) is no URL; give it as https://fct.pt/", seed.url))?;
            let depth = seed.depth.map(|depth| depth as usize);
            let prefix = prefix_of(seed, &url);
            if prefix.is_none() || depth.is_some() {
                reaches.themselves.insert(ScopeSurt::of(&url).tail().into());
            }
            match prefix {
                Some(prefix) => by_depth.entry(depth).or_default().push(prefix),
                None => {
                    let links = usize::from(seed.scope == SeedScope::Plus1);
                    let follows = (links, depth.unwrap_or(usize::MAX));
                    // Candidates name their seed as it was typed when they were found.
                    reaches.followed.insert(seed.url.as_str().into(), follows);
                    reaches.followed.entry(url.as_str().into()).or_insert(follows);
                }
            }
        }
        for (depth, prefixes) in by_depth {
            let set = ScopePrefixSet::new(prefixes);
            match depth {
                None => reaches.open = set,
                Some(depth) => reaches.limited.push((depth, set)),
            }
        }
        Ok(Self { seeds, ..reaches })
    }

    /// The prefixes that reach so many hops.
    fn sets(&self, hops: usize) -> impl Iterator<Item = &ScopePrefixSet> {
        let limited = self.limited.iter().filter(move |(depth, _)| hops <= *depth).map(|(_, set)| set);
        std::iter::once(&self.open).chain(limited)
    }
}

impl CompiledSeedScope {
    fn blocks(&self) -> impl DoubleEndedIterator<Item = &SeedReaches> {
        std::iter::once(&self.given).chain(&self.met).map(|block| &**block)
    }

    /// All seeds, those that were met behind the others.
    fn seeds(&self) -> Vec<Seed> {
        self.blocks().flat_map(|block| block.seeds.iter().cloned()).collect()
    }

    fn is_one(&self, candidate: &Candidate) -> bool {
        candidate.is_seed || self.blocks().any(|block| block.themselves.contains(candidate.surt.tail()))
    }

    fn reaches(&self, candidate: &Candidate) -> bool {
        let hops = hop_count(&candidate.hops);
        self.blocks().any(|block| block.sets(hops).any(|set| set.matches(&candidate.surt)))
            || self.is_one(candidate)
            || self.follows(candidate).is_some()
    }

    /// How many links it took, where the seed counts links.
    fn follows(&self, candidate: &Candidate) -> Option<usize> {
        if self.blocks().all(|block| block.followed.is_empty()) {
            return None;
        }
        let seed = candidate.seed.as_deref()?;
        // Of equal seeds the last one counts.
        let of = |seed: &str| self.blocks().rev().find_map(|block| block.followed.get(seed));
        let (most_links, most_hops) = of(seed).or_else(|| of(parse_typed_url(seed)?.as_str()))?;
        let links = links(&candidate.hops);
        (links <= *most_links && hop_count(&candidate.hops) <= *most_hops).then_some(links)
    }

    fn reach(&self, candidate: &Candidate) -> Option<Reach> {
        if self.is_one(candidate) {
            return Some(Reach::Itself);
        }
        let hops = hop_count(&candidate.hops);
        let mut sets = self.blocks().flat_map(|block| block.sets(hops));
        sets.find_map(|set| set.matching(&candidate.surt))
            .map(Reach::Prefix)
            .or_else(|| self.follows(candidate).map(Reach::Hops))
    }

    /// The campaign's seeds with one of them altered or gone.
    fn with(&self, position: usize, alter: impl FnOnce(&mut Seed)) -> Edit {
        let mut seeds = self.seeds();
        if let Some(seed) = seeds.get_mut(position) {
            alter(seed);
        }
        Edit::Seeds(seeds)
    }

    fn widenings(&self, candidate: &Candidate) -> Vec<Change> {
        let mut changes = Vec::new();
        let hops = hop_count(&candidate.hops);
        for (position, seed) in self.blocks().flat_map(|block| &*block.seeds).enumerate() {
            let Some(url) = parse_typed_url(&seed.url) else { continue };
            let inside = match prefix_of(seed, &url) {
                Some(prefix) => prefix.matches(&candidate.surt),
                None => {
                    candidate.seed.as_deref() == Some(&seed.url) && {
                        links(&candidate.hops) <= usize::from(seed.scope == SeedScope::Plus1)
                    }
                }
            };
            if let Some(depth) = seed.depth.filter(|depth| inside && hops > *depth as usize) {
                changes.push(Change {
                    summary: format!("raise the depth of the seed {} from {depth} to {hops}", seed.url),
                    edit: self.with(position, |seed| seed.depth = u32::try_from(hops).ok()),
                });
            }
            let mut widen = |scope: SeedScope, name: &str| {
                changes.push(Change {
                    summary: format!("set the scope of the seed {} to {name}", seed.url),
                    edit: self.with(position, |seed| seed.scope = scope),
                });
            };
            let descends = candidate.seed.as_deref() == Some(&seed.url);
            if seed.scope == SeedScope::Resource && descends && links(&candidate.hops) == 1 {
                widen(SeedScope::Plus1, "plus1");
            }
            let counts_hops = matches!(seed.scope, SeedScope::Resource | SeedScope::Plus1);
            if counts_hops && ScopePrefix::implied_by_seed(&seed.url).matches(&candidate.surt) {
                widen(SeedScope::Root, "root");
            }
            if seed.scope != SeedScope::Subdomains && ScopePrefix::domain_of(&url).matches(&candidate.surt) {
                widen(SeedScope::Subdomains, "subdomains");
            }
        }
        if candidate.url.has_host() {
            let prefix = candidate.url.join("/").map_or_else(|_| candidate.url.to_string(), |root| root.to_string());
            let mut seeds = self.seeds();
            let (depth, source_tag) = (None, String::new());
            seeds.push(Seed { url: prefix.clone(), scope: SeedScope::Root, depth, source_tag });
            changes.push(Change { summary: format!("add the seed {prefix}"), edit: Edit::Seeds(seeds) });
        }
        changes
    }
}

/// How many hops of a path a person took.
fn links(hops: &str) -> usize {
    // The letters of a shortened path are gone; they count as links.
    let (more, rest) = hops.split_once('+').unwrap_or(("0", hops));
    more.parse::<usize>().unwrap_or(0) + rest.bytes().filter(|&hop| is_navigation(hop)).count()
}

impl DecideRule for CompiledSeedScope {
    fn name(&self) -> &'static str {
        "SeedScopeDecideRule"
    }

    fn summary(&self) -> String {
        let given = self.given.seeds.len();
        let verb = if given == 1 { "reaches" } else { "reach" };
        format!("accepts what {} {verb}", counted(given as u64, "seed"))
    }

    fn decide(&self, candidate: &Candidate, _: &Facts) -> Option<Decision> {
        self.reaches(candidate).then_some(Decision::Accept)
    }

    fn tested(&self, candidate: &Candidate, _: &Facts) -> String {
        match self.reach(candidate) {
            Some(Reach::Itself) => "it is a seed".to_owned(),
            Some(Reach::Prefix(prefix)) => format!("{} starts with {prefix}", candidate.surt),
            Some(Reach::Hops(links)) => format!("{} from its seed", counted(links as u64, "link")),
            None => format!("{} is under no seed", candidate.surt),
        }
    }

    fn with_met(&self, blocks: &[Arc<Vec<Seed>>]) -> Option<Result<Arc<dyn DecideRule>, String>> {
        let mut first = self.given.seeds.len();
        let met = blocks.iter().map(|seeds| {
            let compiled = match self.met.iter().find(|block| Arc::ptr_eq(&block.seeds, seeds)) {
                Some(block) => Arc::clone(block),
                None => Arc::new(SeedReaches::compile(first, Arc::clone(seeds))?),
            };
            first += seeds.len();
            Ok(compiled)
        });
        let met: Result<Vec<_>, String> = met.collect();
        Some(met.map(|met| Arc::new(Self { given: Arc::clone(&self.given), met }) as Arc<dyn DecideRule>))
    }

    fn changes(&self, candidate: &Candidate, _: &Facts, target: Option<Decision>) -> Vec<Change> {
        match target {
            Some(Decision::Accept) if !self.reaches(candidate) => self.widenings(candidate),
            None if self.reaches(candidate) => {
                let alone = |seed: &Seed| {
                    let one = std::slice::from_ref(seed);
                    SeedScopeRule {}.compile(one).is_ok_and(|rule| rule.reaches(candidate))
                };
                let (out, kept): (Vec<Seed>, Vec<Seed>) = self.seeds().into_iter().partition(alone);
                let out: Vec<String> = out.into_iter().map(|seed| seed.url).collect();
                let summary = format!("remove {}", super::listed(&out, "the seed", "the seeds"));
                vec![Change { summary, edit: Edit::Seeds(kept) }]
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::testing::decision_of;
    use super::*;

    fn seed(url: &str, scope: SeedScope, depth: Option<u32>) -> Seed {
        Seed { url: url.to_owned(), scope, depth, source_tag: String::new() }
    }

    #[track_caller]
    fn check(seed: &Seed, accepted: &[(&str, &str)], silent: &[(&str, &str)]) {
        let rule = SeedScopeRule {}.compile(std::slice::from_ref(seed)).unwrap();
        for (url, hops) in accepted {
            assert_eq!(decision_of(&rule, url, hops), Some(Decision::Accept), "{seed:?} {url} {hops}");
        }
        for (url, hops) in silent {
            assert_eq!(decision_of(&rule, url, hops), None, "{seed:?} {url} {hops}");
        }
    }

    #[test]
    fn a_resource_is_the_page_and_what_it_needs() {
        check(
            &seed("http://fct.pt/", SeedScope::Resource, None),
            &[("http://fct.pt/", ""), ("https://fct.pt/", "LL"), ("http://cdn.pt/a.css", "E"), ("http://w.pt/", "RE")],
            &[("http://fct.pt/a", "L"), ("http://cdn.pt/a.css", "LE")],
        );
    }

    #[test]
    fn plus1_is_one_link_more() {
        check(
            &seed("http://fct.pt/", SeedScope::Plus1, None),
            &[("http://other.pt/", "L"), ("http://cdn.pt/a.css", "LE"), ("http://w.pt/", "RLRE")],
            &[("http://other.pt/a", "LL"), ("http://fct.pt/a", "LLE"), ("http://x.pt/", "60+EE")],
        );
    }

    #[test]
    fn root_is_the_implied_prefix() {
        check(
            &seed("http://fct.pt/", SeedScope::Root, None),
            &[("https://fct.pt/a", "LLLL")],
            &[("http://www.fct.pt/a", "L"), ("http://sobre.fct.pt/", "L")],
        );
        check(
            &seed("https://fct.pt", SeedScope::Root, None),
            &[("http://sobre.fct.pt/", "L")],
            &[("http://fctx.pt/", "L")],
        );
        check(
            &seed("https://fct.pt/sobre/nos.html", SeedScope::Root, None),
            &[("http://fct.pt/sobre/a", "L")],
            &[("http://fct.pt/a", "L")],
        );
    }

    #[test]
    fn subdomains_are_all_hosts_below() {
        check(
            &seed("https://www.fct.pt:8080/sobre/", SeedScope::Subdomains, None),
            &[("http://fct.pt/", "LLL"), ("https://a.b.fct.pt/x", "L")],
            &[("http://fctx.pt/", "L"), ("http://pt/", "L")],
        );
    }

    #[test]
    fn depth_counts_every_hop() {
        check(
            &seed("http://fct.pt/", SeedScope::Root, Some(2)),
            &[("http://fct.pt/a", "L"), ("http://fct.pt/b", "LE")],
            &[("http://fct.pt/c", "LLL")],
        );
    }

    #[test]
    fn the_reach_is_shown_while_a_seed_is_typed() {
        let reach_of = |url: &str, scope, depth| {
            let reach = seed_reach(&seed(url, scope, depth)).unwrap();
            (reach.summary, reach.remark.is_some())
        };
        let text = |text: &str| text.to_owned();
        assert_eq!(
            reach_of("http://fct.pt", SeedScope::Root, None),
            (text("everything that starts with http://(pt,fct,"), true)
        );
        assert_eq!(
            reach_of("fct.pt/sobre/", SeedScope::Root, Some(1)),
            (text("everything that starts with http://(pt,fct,)/sobre/, up to 1 hop from it"), false)
        );
        assert_eq!(
            reach_of("https://www.fct.pt/", SeedScope::Subdomains, None),
            (text("this host and all hosts below it: http://(pt,fct,"), false)
        );
        assert_eq!(seed_reach(&seed("", SeedScope::Root, None)), None);
    }

    #[test]
    fn a_seed_that_is_no_url_is_named() {
        let error = SeedScopeRule {}.compile(&[seed("http://", SeedScope::Root, None)]).unwrap_err();
        assert!(error.contains("seed 1"), "{error}");
    }
}
