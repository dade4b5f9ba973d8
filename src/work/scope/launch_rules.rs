//! Launch rules are those of a campaign version in a launch, and decide as the crawl would.

use super::rule_cache::LaunchScope;
use crate::campaign::{Campaign, RobotsPolicy, Seed};
use crate::jobs::JobCx;
use crate::scope::{
    Candidate, ContentFact, DecideRules, Decision, Facts, GeoFact, MAX_REDIRECTS, NO_RULE, ROBOTS_RULE, Remedy,
    RobotsFact, Trace, Verdict, refused_anyway,
};
use crate::store::{Catalogue, SeenColumns};
use crate::uri::{Url, is_same_site, parse_web_url};
use crate::work::models::LaunchId;
use foldhash::fast::RandomState;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Redirects of a seed that are followed, each of which is a seed too.
const MAX_SEED_REDIRECTS: usize = 10;

/// URLs that are read in one go, between which the work can be stopped.
const URLS_AT_ONCE: usize = 10_000;

/// The rules of one campaign version, as of the end of a launch.
pub(super) struct LaunchRules {
    pub rules: DecideRules,
    /// Whether robots.txt is obeyed.
    obeys: bool,
    /// Whether some rule tests what was fetched, or countries. Kept, since every URL needs it.
    pub uses_content: bool,
    pub uses_geo: bool,
    seeds: Arc<Seeds>,
    /// Whether these are rules that no launch ran.
    edited: bool,
    /// Whether they begin elsewhere than the rules that the launch ran. Kept, since seeds may be many
    /// and every URL needs it.
    has_other_seeds: bool,
    /// The word that seeds of that launch, as typed, carry here, where it is another.
    other_tags: Arc<Tags>,
}

/// URLs that count as seeds: the campaign's, and what they redirect to.
type Seeds = HashMap<String, SeedOf>;

/// Values by launch, read with every URL.
pub(super) type ByLaunch<T> = HashMap<LaunchId, T, RandomState>;

/// The seed that a URL counts as.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SeedOf {
    /// As typed.
    url: String,
    source_tag: String,
    /// Whether the URL is that seed, and nothing that the seed redirects to.
    is_typed: bool,
}

/// A decision with the rule that made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decided {
    pub decision: Decision,
    pub rule: Option<usize>,
    /// The name of what refused it without a rule.
    refused_as: Option<&'static str>,
    /// Accepted as far as is known; a fetch could find a reason to reject it.
    pub needs_fetch: bool,
}

/// Words by seeds, as typed.
type Tags = HashMap<String, String>;

/// The redirect targets of URLs in one launch.
type Redirects = HashMap<String, String>;

/// A campaign version whose rules are compiled once for all launches in which
/// its seeds redirected alike.
pub(super) struct Version<'a> {
    spec: &'a Campaign,
    redirects: HashMap<LaunchId, Redirects>,
    redirect_sources: HashSet<String>,
    /// Pages of sources that each launch took, which are seeds in it.
    of_sources: HashMap<LaunchId, Vec<Seed>>,
    /// Without what seeds redirected to.
    rules: Option<DecideRules>,
    compiled: Vec<(Redirects, Vec<Seed>, DecideRules, Arc<Seeds>)>,
}

impl<'a> Version<'a> {
    /// Reads what the seeds redirected to, in all given launches at once.
    pub(super) fn new(
        catalogue: &Catalogue,
        spec: &'a Campaign,
        launch_scope: &LaunchScope,
        cx: &JobCx,
    ) -> anyhow::Result<Self> {
        let mut redirects: HashMap<LaunchId, Redirects> = HashMap::new();
        let mut redirect_sources: HashSet<String> = HashSet::new();
        let mut next: Vec<String> = match launch_scope.launches().is_empty() {
            true => Vec::new(),
            false => spec.seeds.iter().filter_map(|seed| Some(parse_web_url(&seed.url)?.to_string())).collect(),
        };
        let mut of_sources = HashMap::new();
        for launch in launch_scope.launches() {
            let pages = catalogue.source_seeds(launch.id)?;
            next.extend(pages.iter().map(|seed| seed.url.clone()));
            if !pages.is_empty() {
                of_sources.insert(launch.id, pages);
            }
        }
        for _ in 0..MAX_SEED_REDIRECTS {
            next.retain(|url| redirect_sources.insert(url.clone()));
            let mut targets = Vec::new();
            for urls in next.chunks(URLS_AT_ONCE) {
                cx.checkpoint()?;
                catalogue.redirects_of(urls, |launch, date, url, target| {
                    let pair = parse_web_url(url).zip(parse_web_url(target));
                    let is_own_site = pair.is_some_and(|(url, target)| is_same_site(&url, &target));
                    for launch in launch_scope.launches_of(launch, date) {
                        // Other crawlers take the target for a seed wherever it is.
                        if !is_own_site && !launch_scope.is_foreign(launch) {
                            continue;
                        }
                        targets.extend(parse_web_url(target).map(|target| target.to_string()));
                        let of_launch = redirects.entry(launch).or_default();
                        of_launch.entry(url.to_owned()).or_insert_with(|| target.to_owned());
                    }
                })?;
            }
            next = targets;
        }
        Ok(Self { spec, redirects, redirect_sources, of_sources, rules: None, compiled: Vec::new() })
    }

    /// The URLs on whose redirects these rules depend.
    pub(super) fn into_redirect_sources(self) -> HashSet<String> {
        self.redirect_sources
    }

    /// The rules in a launch: what its seeds redirected to then are seeds.
    pub(super) fn in_launch(&mut self, launch: LaunchId) -> anyhow::Result<LaunchRules> {
        let redirects = self.redirects.remove(&launch).unwrap_or_default();
        let pages = self.of_sources.remove(&launch).unwrap_or_default();
        let same =
            self.compiled.iter().find(|(compiled, of_sources, ..)| *compiled == redirects && *of_sources == pages);
        let (rules, seeds) = match same {
            Some((_, _, rules, seeds)) => (rules.clone(), Arc::clone(seeds)),
            None => {
                let (more, seeds) = self.seeds_with(&redirects, &pages);
                let rules = match &self.rules {
                    Some(rules) => rules,
                    None => self.rules.insert(DecideRules::compile(self.spec)?),
                };
                let rules = rules.with_met(&pages)?.with_met(&more)?;
                let seeds = Arc::new(seeds);
                self.compiled.push((redirects, pages, rules.clone(), Arc::clone(&seeds)));
                (rules, seeds)
            }
        };
        Ok(LaunchRules {
            obeys: self.spec.politeness.robots == RobotsPolicy::Obey,
            uses_content: rules.uses_content(),
            uses_geo: rules.uses_geo(),
            rules,
            seeds,
            edited: false,
            has_other_seeds: false,
            other_tags: Arc::default(),
        })
    }

    /// The redirect targets of seeds, as seeds; and all URLs that count as one.
    fn seeds_with(&self, redirected: &Redirects, pages: &[Seed]) -> (Vec<Seed>, Seeds) {
        let mut seeds = Seeds::new();
        let of =
            |seed: &Seed, is_typed| SeedOf { url: seed.url.clone(), source_tag: seed.source_tag.clone(), is_typed };
        // As a crawl begins: all seeds, of equal ones the first, before any redirect.
        let all = || self.spec.seeds.iter().chain(pages);
        let urls: Vec<Option<Url>> = all().map(|seed| parse_web_url(&seed.url)).collect();
        for (seed, url) in all().zip(&urls) {
            if let Some(url) = url {
                seeds.entry(url.to_string()).or_insert_with(|| of(seed, true));
            }
        }
        let mut redirects = Vec::new();
        for (seed, url) in all().zip(urls) {
            let Some(mut url) = url else { continue };
            for _ in 0..MAX_SEED_REDIRECTS {
                let Some(target) = redirected.get(url.as_str()) else { break };
                let Some(next) = parse_web_url(target) else { break };
                redirects.push(Seed { url: target.clone(), ..seed.clone() });
                if seeds.contains_key(next.as_str()) {
                    break;
                }
                seeds.insert(next.to_string(), of(seed, false));
                url = next;
            }
        }
        (redirects, seeds)
    }
}

/// Results of comparing seeds: launches share most of them.
#[derive(Default)]
pub(super) struct SeedsCompared(HashMap<[*const Seeds; 2], (bool, Arc<Tags>)>);

impl SeedsCompared {
    /// Whether edited rules begin elsewhere, and the words of seeds that are
    /// others now. Both have to be held as long as this.
    fn of(&mut self, before: &Arc<Seeds>, edited: &Arc<Seeds>) -> (bool, Arc<Tags>) {
        let compare = || {
            let mut other_tags = Tags::new();
            for (url, then) in before.iter().filter(|(_, then)| then.is_typed) {
                let now = edited.get(url).filter(|now| now.is_typed && now.source_tag != then.source_tag);
                other_tags.extend(now.map(|now| (then.url.clone(), now.source_tag.clone())));
            }
            (before != edited, Arc::new(other_tags))
        };
        self.0.entry([Arc::as_ptr(before), Arc::as_ptr(edited)]).or_insert_with(compare).clone()
    }
}

impl LaunchRules {
    /// Makes them the edited rules of a launch that ran `before`.
    pub(super) fn edited_from(mut self, before: Option<&Self>, compared: &mut SeedsCompared) -> Self {
        self.edited = true;
        if let Some(before) = before {
            (self.has_other_seeds, self.other_tags) = compared.of(&before.seeds, &self.seeds);
        }
        self
    }

    /// Puts the robots.txt fact in that holds for these rules.
    fn put_robots(&self, known: &mut KnownFacts) {
        known.facts.robots = match (self.obeys, self.edited, &known.robots_as_edited) {
            (false, ..) => RobotsFact::NotFetched,
            (true, true, Some(robots)) => robots.clone(),
            (true, ..) => known.robots.clone(),
        };
    }

    /// Decides as the crawl does: what is refused before it is fetched stays so whatever it holds, then
    /// robots.txt counts, and what was fetched can only be refused.
    pub(super) fn decide(&self, candidate: &Candidate, known: &mut KnownFacts) -> Decided {
        let first = self.before_fetch(candidate, known);
        self.after_fetch(first, candidate, known)
    }

    /// The decision before the fetch; what was fetched does not count.
    pub(super) fn before_fetch(&self, candidate: &Candidate, known: &mut KnownFacts) -> Decided {
        self.put_robots(known);
        let content = std::mem::take(&mut known.facts.content);
        let decided = self.rules.decide_by_index(candidate, &known.facts);
        known.facts.content = content;
        self.apply_robots(decided, candidate, known)
    }

    fn apply_robots(
        &self,
        (decision, rule): (Decision, Option<usize>),
        candidate: &Candidate,
        known: &KnownFacts,
    ) -> Decided {
        let decided = Decided { decision, rule, refused_as: None, needs_fetch: false };
        if let Some(name) = refused_anyway(candidate) {
            return Decided { decision: Decision::Reject, rule: None, refused_as: Some(name), needs_fetch: false };
        }
        match (decision, &known.facts.robots) {
            (Decision::Reject, _) | (_, RobotsFact::Allowed) => decided,
            (_, RobotsFact::Denied { .. }) => {
                Decided { decision: Decision::Reject, rule: None, refused_as: Some(ROBOTS_RULE), needs_fetch: false }
            }
            (_, RobotsFact::NotFetched) => {
                Decided { needs_fetch: self.obeys && !is_robots_url(&candidate.url), ..decided }
            }
        }
    }

    /// Whether what was fetched could refuse what was taken before.
    pub(super) fn hangs_on_content(&self, first: Decided) -> bool {
        self.uses_content && first.decision == Decision::Accept
    }

    /// The final decision after the one before the fetch.
    pub(super) fn after_fetch(&self, first: Decided, candidate: &Candidate, known: &mut KnownFacts) -> Decided {
        if !self.hangs_on_content(first) {
            return first;
        }
        if matches!(known.facts.content, ContentFact::NotFetched) {
            return Decided { needs_fetch: true, ..first };
        }
        let robots = std::mem::take(&mut known.facts.robots);
        let (decision, rule) = self.rules.decide_by_index(candidate, &known.facts);
        known.facts.robots = robots;
        match decision {
            Decision::Accept => first,
            Decision::Reject => Decided { decision, rule, refused_as: None, needs_fetch: false },
        }
    }

    /// Every rule that has an opinion on the way to the decision, once each:
    /// before the fetch and, of what that took, after it.
    pub(super) fn each_opinion(
        &self,
        candidate: &Candidate,
        known: &mut KnownFacts,
        mut note: impl FnMut(usize, Decision),
    ) {
        self.put_robots(known);
        let content = std::mem::take(&mut known.facts.content);
        let decides_again = self.uses_content && !matches!(content, ContentFact::NotFetched);
        let (mut current, mut spoke) = (Decision::Reject, Vec::new());
        self.rules.each_opinion(candidate, &known.facts, |index, decision| {
            current = decision;
            note(index, decision);
            if decides_again {
                spoke.push(index);
            }
        });
        known.facts.content = content;
        let is_denied = matches!(known.facts.robots, RobotsFact::Denied { .. });
        if decides_again && current == Decision::Accept && !is_denied {
            let robots = std::mem::take(&mut known.facts.robots);
            self.rules.each_opinion(candidate, &known.facts, |index, decision| {
                if !spoke.contains(&index) {
                    note(index, decision);
                }
            });
            known.facts.robots = robots;
        }
    }

    /// These rules without robots.txt.
    pub(super) fn without_robots(&self) -> Self {
        Self {
            uses_content: self.uses_content,
            uses_geo: self.uses_geo,
            rules: self.rules.clone(),
            obeys: false,
            seeds: Arc::default(),
            edited: false,
            has_other_seeds: false,
            other_tags: Arc::default(),
        }
    }

    /// The decision in the words of logs.
    pub(super) fn verdict(&self, decided: Decided) -> Verdict {
        let rule_name = match (decided.refused_as, decided.rule) {
            (Some(name), _) => name,
            (None, None) => NO_RULE,
            (None, index) => self.rules.name_of(index),
        };
        Verdict { decision: decided.decision, rule_index: decided.rule, rule_name: rule_name.to_owned() }
    }

    /// The trace of that very decision, with the change that would turn it.
    pub(super) fn explain(&self, candidate: &Candidate, known: &mut KnownFacts) -> (Trace, Option<Remedy>) {
        let decided = self.decide(candidate, known);
        // Of the facts known those that the crawl had when it decided.
        let all = known.facts.clone();
        let before_fetch = Facts { content: ContentFact::NotFetched, ..all.clone() };
        let after_fetch = Facts { robots: RobotsFact::NotFetched, ..all.clone() };
        let agrees = |facts: &Facts| self.rules.decide_by_index(candidate, facts) == (decided.decision, decided.rule);
        let mut facts = match decided.decision {
            Decision::Accept if agrees(&all) => all,
            Decision::Reject if decided.refused_as.is_none() && !agrees(&before_fetch) => after_fetch,
            _ => before_fetch,
        };
        // A look-up that failed decides nothing, but shows why.
        let failed = Facts { geo: known.geo_failed.clone().unwrap_or_else(|| facts.geo.clone()), ..facts.clone() };
        if agrees(&failed) {
            facts = failed;
        }
        let (mut trace, mut remedy) = self.rules.explain_with_remedy(candidate, &facts);
        if let Some(name) = decided.refused_as {
            trace.verdict = self.verdict(decided);
            trace.steps.iter_mut().for_each(|step| step.deciding = false);
            trace.remedy = Some(match name {
                ROBOTS_RULE => "Only a campaign that does not obey robots.txt takes it".to_owned(),
                _ => format!("No rule does: at most {MAX_REDIRECTS} redirects in a row are followed"),
            });
            remedy = None;
        }
        (trace, remedy)
    }

    /// Whether a country that nobody has looked up might change the decision. A crawl looks hosts up
    /// before it fetches, never for a rule on what was fetched.
    pub(super) fn hangs_on_country(&self, candidate: &Candidate, known: &mut KnownFacts) -> bool {
        if !self.uses_geo || known.facts.geo != GeoFact::NotQueried {
            return false;
        }
        self.put_robots(known);
        let content = std::mem::take(&mut known.facts.content);
        let hangs = self.rules.needs_geo(candidate, &known.facts);
        known.facts.content = content;
        hangs
    }

    /// Puts the candidate as it would have been found with these seeds, when
    /// it was found with those of `before`, the rules of the same launch.
    pub(super) fn with_own_seeds<T>(
        &self,
        before: &Self,
        candidate: &mut Candidate,
        each: impl FnOnce(&mut Candidate) -> T,
    ) -> T {
        if !self.has_other_seeds {
            return each(candidate);
        }
        let (then, now) = [before, self].map(|rules| rules.seeds.get(candidate.url.as_str())).into();
        let is_typed = |seed: Option<&SeedOf>| seed.is_some_and(|seed| seed.is_typed);
        if let Some(now) = now
            && (then.is_none() && !candidate.is_seed || now.is_typed && !is_typed(then))
        {
            // A crawl begins with it: no way leads there.
            let mut begun = Candidate {
                is_seed: true,
                seed: Some(now.url.clone()),
                source_tag: now.source_tag.clone(),
                ..Candidate::bare(candidate.url.clone())
            };
            return each(&mut begun);
        }
        let was_seed = candidate.is_seed;
        candidate.is_seed &= now.is_some() || then.is_none();
        let of = candidate.seed.as_deref();
        // What a seed redirects to may have become that of another seed.
        let other =
            now.zip(then).filter(|(now, then)| was_seed && now.url != then.url && of == Some(then.url.as_str()));
        let seed = other.map(|(now, _)| candidate.seed.replace(now.url.clone()));
        let tag = match other {
            Some((now, _)) => Some(&now.source_tag),
            None => candidate.seed.as_ref().and_then(|seed| self.other_tags.get(seed)),
        };
        let tag = tag.map(|tag| std::mem::replace(&mut candidate.source_tag, tag.clone()));
        let answer = each(candidate);
        candidate.is_seed = was_seed;
        if let Some(seed) = seed {
            candidate.seed = seed;
        }
        if let Some(tag) = tag {
            candidate.source_tag = tag;
        }
        answer
    }

    /// The seed of these rules that a URL is, by its text.
    pub(super) fn begin_at(&self, url: Url) -> Candidate {
        let seed = self.seeds.get(url.as_str());
        Candidate {
            is_seed: seed.is_some(),
            seed: seed.map(|seed| seed.url.clone()),
            source_tag: seed.map(|seed| seed.source_tag.clone()).unwrap_or_default(),
            ..Candidate::bare(url)
        }
    }

    pub(super) fn obeys_robots(&self) -> bool {
        self.obeys
    }

    /// Adds the columns that these rules need.
    pub(super) fn put_needs(&self, columns: &mut SeenColumns) {
        let needs = self.rules.needs();
        columns.with_via |= needs.via;
        columns.with_seed |= needs.seed || self.has_other_seeds;
        columns.with_source_tag |= needs.source_tag;
        columns.with_nofollow |= needs.nofollow;
        columns.with_date |= needs.date;
    }
}

/// The facts of a URL, with robots.txt apart, since not every campaign obeys it.
#[derive(Default)]
pub(super) struct KnownFacts {
    pub facts: Facts,
    pub robots: RobotsFact,
    /// Why the look-up of the host failed; no rule uses it.
    pub geo_failed: Option<GeoFact>,
    /// The robots.txt fact for the user agent of edited rules, when that is another.
    pub robots_as_edited: Option<RobotsFact>,
}

impl KnownFacts {
    /// The facts for a person, with the reason of a failed look-up.
    pub(super) fn into_facts(self) -> Facts {
        Facts { geo: self.geo_failed.unwrap_or(self.facts.geo), ..self.facts }
    }
}

pub(super) fn is_robots_url(url: &Url) -> bool {
    url.path() == "/robots.txt" && url.query().is_none()
}
