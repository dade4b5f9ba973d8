//! The rules of launches with all facts that are known, and every URL seen put
//! before them, by several readers at once.

use crate::app::models::{CampaignId, LaunchId};
use crate::app::workspace_desk::WorkspaceDesk;
use crate::campaign::{Campaign, RobotsPolicy, Seed};
use crate::crawl::RobotsRules;
use crate::jobs::{Cancelled, JobCx};
use crate::scope::{
    AnnotationFact, Candidate, ContentFact, DecideRules, Decision, Facts, GeoFact, NO_RULE, RobotsFact, Verdict,
};
use crate::store::{Catalogue, SeenAsk, SeenUrl, StoreError};
use crate::uri::{ScopeSurt, Url, parse_web_url};
use anyhow::Context;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicI64, Ordering};

/// Row numbers that a reader takes at once.
const CHUNK: i64 = 8_192;

/// Hosts whose facts a reader holds; when there are more it begins anew.
const MAX_HOSTS_HELD: usize = 50_000;

/// Redirects of a seed that are followed, each of which is a seed too.
const MAX_SEED_REDIRECTS: usize = 10;

/// The name a crawl gives what robots.txt refuses although no rule says so.
const ROBOTS_RULE: &str = "RobotsDecideRule";

/// The rules of one campaign version, as they stood at the end of a launch.
pub(super) struct Judged {
    pub rules: DecideRules,
    /// Whether robots.txt is obeyed.
    obeys: bool,
    /// URLs that count as seeds: the campaign's, and what they redirect to.
    seeds: HashSet<String>,
    /// Whether these are rules that no launch ran.
    edited: bool,
}

/// A decision with the rule that made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decided {
    pub decision: Decision,
    pub rule: Option<usize>,
    /// Whether robots.txt decided without a rule.
    by_robots: bool,
    /// Taken as far as is known; what a fetch would tell could refuse it.
    pub untold: bool,
}

impl Judged {
    /// The rules of `spec` in a launch: what its seeds redirected to then are seeds.
    fn new(catalogue: &Catalogue, spec: &Campaign, launch: LaunchId) -> anyhow::Result<Self> {
        let mut rules = DecideRules::compile(spec)?;
        let mut seeds = HashSet::new();
        for seed in &spec.seeds {
            let Some(mut url) = parse_web_url(&seed.url) else { continue };
            for _ in 0..MAX_SEED_REDIRECTS {
                let known = !seeds.insert(url.to_string());
                let target = if known { None } else { catalogue.redirect_of(launch, url.as_str())? };
                let Some(target) = target else { break };
                let Some(next) = parse_web_url(&target) else { break };
                rules = rules.with_seed(Seed { url: target, ..seed.clone() })?;
                url = next;
            }
        }
        Ok(Self { rules, obeys: spec.politeness.robots == RobotsPolicy::Obey, seeds, edited: false })
    }

    /// Decides as the crawl does: what is refused before it is fetched stays
    /// so whatever it holds, then robots.txt is asked, and what was fetched can
    /// only be refused.
    pub(super) fn decide(&self, candidate: &Candidate, known: &mut KnownFacts) -> Decided {
        known.facts.robots = match (self.obeys, self.edited, &known.robots_as_edited) {
            (false, ..) => RobotsFact::NotAsked,
            (true, true, Some(robots)) => robots.clone(),
            (true, ..) => known.robots.clone(),
        };
        let content = std::mem::take(&mut known.facts.content);
        let (decision, rule) = self.rules.decide_by_index(candidate, &known.facts);
        let mut decided = Decided { decision, rule, by_robots: false, untold: false };
        let is_fetched = !matches!(content, ContentFact::NotFetched);
        known.facts.content = content;
        if decision == Decision::Reject {
            return decided;
        }
        if matches!(known.facts.robots, RobotsFact::Denied { .. }) {
            return Decided { decision: Decision::Reject, rule: None, by_robots: true, untold: false };
        }
        let asks_content = self.rules.uses_content();
        let robots_untold =
            self.obeys && matches!(known.facts.robots, RobotsFact::NotAsked) && !is_robots_url(&candidate.url);
        decided.untold = robots_untold || (asks_content && !is_fetched);
        if asks_content && is_fetched {
            let robots = std::mem::take(&mut known.facts.robots);
            let (decision, rule) = self.rules.decide_by_index(candidate, &known.facts);
            known.facts.robots = robots;
            if decision == Decision::Reject {
                return Decided { decision, rule, by_robots: false, untold: false };
            }
        }
        decided
    }

    /// The decision in the words of logs.
    pub(super) fn verdict(&self, decided: Decided) -> Verdict {
        let rule_name = match (decided.by_robots, decided.rule) {
            (true, _) => ROBOTS_RULE,
            (false, None) => NO_RULE,
            (false, index) => self.rules.name_of(index),
        };
        Verdict { decision: decided.decision, rule_index: decided.rule, rule_name: rule_name.to_owned() }
    }

    /// Whether a country that nobody has looked up might turn the decision.
    pub(super) fn hangs_on_country(&self, candidate: &Candidate, known: &KnownFacts) -> bool {
        self.rules.needs_geo(candidate, &known.facts)
    }

    /// Whether a URL that counted as a seed under `before` counts as one here.
    pub(super) fn is_seed(&self, before: &Self, url: &str, was_seed: bool) -> bool {
        if was_seed {
            self.seeds.contains(url) || !before.seeds.contains(url)
        } else {
            self.seeds.contains(url) && !before.seeds.contains(url)
        }
    }

    pub(super) fn has_seeds_of(&self, other: &Self) -> bool {
        self.seeds == other.seeds
    }

    fn asks_robots(&self) -> bool {
        self.obeys
    }
}

/// A launch with the rules it ran.
pub(super) struct Launch {
    pub rules: Judged,
    agent: String,
}

/// All that is needed to decide again about what launches have seen.
pub(super) struct Bench<'a> {
    pub catalogue: &'a Catalogue,
    pub ids: Vec<LaunchId>,
    pub launches: HashMap<LaunchId, Launch>,
    geo: HashMap<String, GeoFact>,
    annotations: HashMap<i64, (String, AnnotationFact)>,
    /// The user agent of edited rules.
    edited_agent: Option<String>,
}

/// The facts of a URL, with what robots.txt says apart, since not every
/// campaign obeys it.
#[derive(Default)]
pub(super) struct KnownFacts {
    pub facts: Facts,
    pub robots: RobotsFact,
    /// The same as it goes for the user agent of edited rules, when that is another.
    robots_as_edited: Option<RobotsFact>,
}

/// What a reader holds of a host.
struct HostFacts {
    known: KnownFacts,
    robots: Option<RobotsRules>,
    robots_as_edited: Option<RobotsRules>,
}

/// A URL seen and how it was found, ready to be decided.
pub(super) struct Before<'r> {
    pub row: &'r SeenUrl<'r>,
    pub launch: &'r Launch,
}

impl<'a> Bench<'a> {
    /// Of all launches of a campaign, or of one.
    pub(super) fn new(desk: &'a WorkspaceDesk, campaign: CampaignId, launch: Option<LaunchId>) -> anyhow::Result<Self> {
        let catalogue = desk.catalogue();
        let ids: Vec<LaunchId> = match launch {
            None => catalogue.launches(Some(campaign))?.into_iter().map(|launch| launch.id).collect(),
            Some(id) => {
                let of = catalogue.launch(id)?.campaign;
                anyhow::ensure!(of == campaign, "launch {id} is of campaign {of}, not of campaign {campaign}");
                vec![id]
            }
        };
        let mut launches = HashMap::new();
        for id in &ids {
            let spec = catalogue.campaign_version(campaign, catalogue.launch_version(*id)?)?;
            let rules = Judged::new(catalogue, &spec, *id).with_context(|| format!("the rules of launch {id}"))?;
            launches.insert(*id, Launch { rules, agent: spec.politeness.user_agent });
        }
        let mut bench = Self {
            catalogue,
            ids,
            launches,
            geo: catalogue.geo_facts()?,
            annotations: HashMap::new(),
            edited_agent: None,
        };
        bench.read_annotations(std::iter::empty())?;
        Ok(bench)
    }

    /// The rules of an edited campaign as they would stand in each launch.
    pub(super) fn edited(&mut self, edited: &Campaign) -> anyhow::Result<HashMap<LaunchId, Judged>> {
        let mut rules = HashMap::new();
        for id in &self.ids {
            let judged = Judged::new(self.catalogue, edited, *id).context("the edited rules")?;
            rules.insert(*id, Judged { edited: true, ..judged });
        }
        self.edited_agent = Some(edited.politeness.user_agent.clone());
        self.read_annotations(rules.values())?;
        Ok(rules)
    }

    fn read_annotations<'j>(&mut self, mut more: impl Iterator<Item = &'j Judged>) -> Result<(), StoreError> {
        let mut own = self.launches.values();
        let used = own.any(|launch| launch.rules.rules.uses_annotations())
            || more.any(|judged| judged.rules.uses_annotations());
        if used {
            self.annotations = self.catalogue.annotation_facts()?;
        }
        Ok(())
    }

    /// Puts every URL that was seen before `each`, which notes what it finds
    /// in a value of its own a reader. `uses` are further rules that will be asked.
    pub(super) fn scan<S: Send>(
        &self,
        let_in_by: Option<&str>,
        uses: &[&Judged],
        cx: &JobCx,
        new: impl Fn() -> S + Sync,
        each: impl Fn(&mut S, &Before<'_>, &mut Candidate, &mut KnownFacts) -> anyhow::Result<()> + Sync,
        after_chunk: impl Fn(&mut S) -> anyhow::Result<()> + Sync,
    ) -> anyhow::Result<Vec<S>> {
        let Some(span) = self.catalogue.seen_span(&self.ids)? else { return Ok(Vec::new()) };
        let all = || self.launches.values().map(|launch| &launch.rules).chain(uses.iter().copied());
        let ask = SeenAsk {
            launches: self.ids.clone(),
            with_via: all().any(|judged| judged.rules.uses_via()),
            with_content: all().any(|judged| judged.rules.uses_content()),
            let_in_by: let_in_by.map(str::to_owned),
        };
        let asks_robots = all().any(Judged::asks_robots);
        let next = AtomicI64::new(*span.start());
        let readers = std::thread::available_parallelism().map_or(2, usize::from).min(8);
        let read = || -> anyhow::Result<S> {
            let mut found = new();
            let mut hosts = HashMap::new();
            let mut candidate = Candidate::bare(Url::parse("http://nowhere.invalid/").context("a constant")?);
            loop {
                let first = next.fetch_add(CHUNK, Ordering::Relaxed);
                if first > *span.end() {
                    return Ok(found);
                }
                let mut count = 0;
                self.catalogue.scan_seen(first..=(first + CHUNK - 1).min(*span.end()), &ask, |row| {
                    count += 1;
                    self.one(row, asks_robots, &mut hosts, &mut candidate, |before, candidate, known| {
                        each(&mut found, before, candidate, known)
                    })
                })??;
                after_chunk(&mut found)?;
                cx.advance(count)?;
            }
        };
        std::thread::scope(|scope| {
            let read = &read;
            let threads: Vec<_> = (0..readers).map(|_| scope.spawn(read)).collect();
            let ended = |thread: std::thread::ScopedJoinHandle<'_, anyhow::Result<S>>| match thread.join() {
                Ok(answer) => answer,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            threads.into_iter().map(ended).collect()
        })
    }

    /// The same for one URL.
    pub(super) fn again<T>(
        &self,
        seen: i64,
        each: impl FnOnce(&Before<'_>, &mut Candidate, &mut KnownFacts) -> anyhow::Result<T>,
    ) -> anyhow::Result<Option<T>> {
        let mut candidate = Candidate::bare(Url::parse("http://nowhere.invalid/").context("a constant")?);
        self.catalogue.seen_one(seen, |row| {
            let mut answer = None;
            self.one(row, true, &mut HashMap::new(), &mut candidate, |before, candidate, known| {
                answer = Some(each(before, candidate, known)?);
                Ok(())
            })?;
            Ok(answer)
        })?
    }

    /// Makes a row ready to be decided. A URL that no standard can read is
    /// none that a rule ever saw.
    fn one(
        &self,
        row: &SeenUrl<'_>,
        asks_robots: bool,
        hosts: &mut HashMap<(LaunchId, i64, bool), HostFacts>,
        candidate: &mut Candidate,
        each: impl FnOnce(&Before<'_>, &mut Candidate, &mut KnownFacts) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let Some(launch) = self.launches.get(&row.launch) else { return Ok(()) };
        candidate.url = Url::parse(row.url).with_context(|| row.url.to_owned())?;
        candidate.surt = ScopeSurt::of(&candidate.url);
        row.hops.clone_into(&mut candidate.hops);
        candidate.via = if row.via.is_empty() { None } else { parse_web_url(row.via) };
        candidate.is_seed = row.is_seed;
        match (row.seed, &mut candidate.seed) {
            (Some(seed), Some(held)) => seed.clone_into(held),
            (seed, held) => *held = seed.map(str::to_owned),
        }
        row.source_tag.clone_into(&mut candidate.source_tag);
        candidate.nofollow = row.nofollow;

        if hosts.len() > MAX_HOSTS_HELD {
            hosts.clear();
        }
        let key = (row.launch, row.host_id, candidate.url.scheme() == "https");
        let host = match hosts.entry(key) {
            std::collections::hash_map::Entry::Occupied(held) => held.into_mut(),
            std::collections::hash_map::Entry::Vacant(free) => {
                free.insert(self.host_facts(&candidate.url, row.launch, launch, asks_robots)?)
            }
        };
        host.known.robots = match &host.robots {
            Some(robots) if !is_robots_url(&candidate.url) => robots.fact(&candidate.url),
            _ => RobotsFact::NotAsked,
        };
        host.known.robots_as_edited = match &host.robots_as_edited {
            Some(robots) if !is_robots_url(&candidate.url) => Some(robots.fact(&candidate.url)),
            _ => None,
        };
        let facts = &mut host.known.facts;
        facts.date = Some(row.date);
        if !self.annotations.is_empty() {
            facts.annotation = self.annotations.get(&row.url_id).map(|(_, said)| said.clone());
        }
        facts.content = match row.content {
            None => ContentFact::NotFetched,
            Some((status, mime, bytes)) => ContentFact::Fetched { status, mime: mime.to_owned(), bytes },
        };
        each(&Before { row, launch }, candidate, &mut host.known)
    }

    fn host_facts(&self, url: &Url, id: LaunchId, launch: &Launch, asks_robots: bool) -> anyhow::Result<HostFacts> {
        let geo = match self.geo.get(url.host_str().unwrap_or_default()) {
            // A failed look-up says nothing; the crawl makes it again.
            None | Some(GeoFact::Failed { .. }) => GeoFact::NotAsked,
            Some(known) => known.clone(),
        };
        let answer = match asks_robots {
            false => None,
            true => self.catalogue.robots_answer(id, &url.origin().ascii_serialization())?,
        };
        let robots_for = |agent: &str| answer.as_ref().and_then(|answer| super::robots_rules(answer, agent));
        let edited_agent = self.edited_agent.as_deref().filter(|agent| *agent != launch.agent);
        Ok(HostFacts {
            known: KnownFacts { facts: Facts { geo, ..Facts::default() }, ..KnownFacts::default() },
            robots: robots_for(&launch.agent),
            robots_as_edited: edited_agent.and_then(robots_for),
        })
    }

    /// The location known of a host, failed look-ups included.
    pub(super) fn geo_of(&self, host: &str) -> GeoFact {
        self.geo.get(host).cloned().unwrap_or_default()
    }
}

/// Whether a row was fetched because another URL needed it: no rule decides that.
pub(super) fn is_apart(row: &SeenUrl<'_>) -> bool {
    row.rule_index.is_none() && row.rule_name == "PrerequisiteAcceptDecideRule"
}

fn is_robots_url(url: &Url) -> bool {
    url.path() == "/robots.txt" && url.query().is_none()
}

/// So that readers stop when a person asks.
pub(super) fn begin(cx: &JobCx, words: &str, bench: &Bench<'_>) -> anyhow::Result<()> {
    cx.stage(words, Some(bench.catalogue.seen_count(&bench.ids)?));
    cx.checkpoint().map_err(|stop: Cancelled| stop.into())
}
