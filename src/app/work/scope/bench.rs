//! The rules of launches with all facts that are known, and every URL seen put
//! before them, by several readers at once.

use crate::app::models::{CampaignId, LaunchId};
use crate::app::workspace_desk::WorkspaceDesk;
use crate::campaign::{Campaign, RobotsPolicy, Seed};
use crate::crawl::RobotsRules;
use crate::jobs::{Cancelled, JobCx};
use crate::scope::{
    AnnotationFact, AnswerSource, Candidate, ContentFact, DecideRules, Decision, Difference, Facts, GeoDatabase,
    GeoFact, NO_RULE, RobotsFact, Trace, Turn, Verdict,
};
use crate::store::{Catalogue, SeenAsk, SeenUrl, StoreError};
use crate::uri::{CaptureDate, ScopeSurt, Url, parse_web_url};
use anyhow::Context;
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

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
    seeds: HashMap<String, SeedOf>,
    /// Whether these are rules that no launch ran.
    edited: bool,
    /// Whether they begin elsewhere than the rules that the launch ran. Told
    /// once, since seeds may be many and are asked for with every URL.
    has_other_seeds: bool,
    /// The word that seeds of that launch, as typed, carry here, where it is another.
    other_tags: HashMap<String, String>,
}

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
    /// Whether robots.txt decided without a rule.
    by_robots: bool,
    /// Taken as far as is known; what a fetch would tell could refuse it.
    pub untold: bool,
}

impl Judged {
    /// The rules of `spec` in a launch: what its seeds redirected to then are seeds.
    pub(super) fn new(catalogue: &Catalogue, spec: &Campaign, launch: LaunchId) -> anyhow::Result<Self> {
        let mut rules = DecideRules::compile(spec)?;
        let mut seeds = HashMap::new();
        let of =
            |seed: &Seed, is_typed| SeedOf { url: seed.url.clone(), source_tag: seed.source_tag.clone(), is_typed };
        // As a crawl begins: all seeds, of equal ones the first, before any redirect.
        for seed in &spec.seeds {
            if let Some(url) = parse_web_url(&seed.url) {
                seeds.entry(url.to_string()).or_insert_with(|| of(seed, true));
            }
        }
        for seed in &spec.seeds {
            let Some(mut url) = parse_web_url(&seed.url) else { continue };
            for _ in 0..MAX_SEED_REDIRECTS {
                let Some(target) = catalogue.redirect_of(launch, url.as_str())? else { break };
                let Some(next) = parse_web_url(&target) else { break };
                rules = rules.with_seed(Seed { url: target, ..seed.clone() })?;
                if seeds.contains_key(next.as_str()) {
                    break;
                }
                seeds.insert(next.to_string(), of(seed, false));
                url = next;
            }
        }
        Ok(Self {
            rules,
            obeys: spec.politeness.robots == RobotsPolicy::Obey,
            seeds,
            edited: false,
            has_other_seeds: false,
            other_tags: HashMap::new(),
        })
    }

    /// Makes them the edited rules of a launch that ran `before`.
    fn edited_from(mut self, before: Option<&Self>) -> Self {
        self.edited = true;
        let Some(before) = before else { return self };
        self.has_other_seeds = before.seeds != self.seeds;
        for (url, then) in before.seeds.iter().filter(|(_, then)| then.is_typed) {
            let now = self.seeds.get(url).filter(|now| now.is_typed && now.source_tag != then.source_tag);
            self.other_tags.extend(now.map(|now| (then.url.clone(), now.source_tag.clone())));
        }
        self
    }

    /// Lets robots.txt say what it says to these rules.
    fn put_robots(&self, known: &mut KnownFacts) {
        known.facts.robots = match (self.obeys, self.edited, &known.robots_as_edited) {
            (false, ..) => RobotsFact::NotAsked,
            (true, true, Some(robots)) => robots.clone(),
            (true, ..) => known.robots.clone(),
        };
    }

    /// Decides as the crawl does: what is refused before it is fetched stays
    /// so whatever it holds, then robots.txt is asked, and what was fetched can
    /// only be refused.
    pub(super) fn decide(&self, candidate: &Candidate, known: &mut KnownFacts) -> Decided {
        self.put_robots(known);
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

    /// Every rule that has an opinion on the way to the decision, once each:
    /// before the fetch and, of what that took, after it.
    pub(super) fn each_opinion(
        &self,
        candidate: &Candidate,
        known: &mut KnownFacts,
        mut said: impl FnMut(usize, Decision),
    ) {
        self.put_robots(known);
        let content = std::mem::take(&mut known.facts.content);
        let is_asked_again = self.rules.uses_content() && !matches!(content, ContentFact::NotFetched);
        let (mut standing, mut spoke) = (Decision::Reject, Vec::new());
        self.rules.each_opinion(candidate, &known.facts, |index, decision| {
            standing = decision;
            said(index, decision);
            if is_asked_again {
                spoke.push(index);
            }
        });
        known.facts.content = content;
        let is_denied = matches!(known.facts.robots, RobotsFact::Denied { .. });
        if is_asked_again && standing == Decision::Accept && !is_denied {
            let robots = std::mem::take(&mut known.facts.robots);
            self.rules.each_opinion(candidate, &known.facts, |index, decision| {
                if !spoke.contains(&index) {
                    said(index, decision);
                }
            });
            known.facts.robots = robots;
        }
    }

    /// The same rules without those about countries, for what they let in:
    /// robots.txt is not asked.
    pub(super) fn without_geolocation(&self) -> Self {
        Self {
            rules: self.rules.without_geolocation(),
            obeys: false,
            seeds: HashMap::new(),
            edited: false,
            has_other_seeds: false,
            other_tags: HashMap::new(),
        }
    }

    /// In which rules `after` differs, where that is all that could make it
    /// decide otherwise of a URL under the same facts.
    pub(super) fn difference(&self, after: &Self) -> Option<Difference> {
        let alike = self.obeys == after.obeys
            && !after.has_other_seeds
            && self.rules.uses_content() == after.rules.uses_content();
        if alike { self.rules.difference(&after.rules) } else { None }
    }

    /// What these rules decide of a URL of which others decided `then`, when
    /// both say the same of it; none where they have to be asked.
    pub(super) fn decide_like(
        &self,
        then: Decided,
        difference: &Difference,
        candidate: &Candidate,
        known: &mut KnownFacts,
    ) -> Option<Decided> {
        // Another user agent, or a country that nobody knows, may tell them apart.
        let country_untold = difference.asks_geo() && matches!(known.facts.geo, GeoFact::NotAsked);
        if known.robots_as_edited.is_some() || country_untold {
            return None;
        }
        self.put_robots(known);
        if difference.speaks(candidate, &known.facts) {
            return None;
        }
        if !matches!(known.facts.content, ContentFact::NotFetched) {
            let content = std::mem::take(&mut known.facts.content);
            let speaks = difference.speaks(candidate, &known.facts);
            known.facts.content = content;
            if speaks {
                return None;
            }
        }
        let rule = match then.rule {
            None => None,
            Some(rule) => Some(difference.index_after(rule)?),
        };
        Some(Decided { rule, ..then })
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

    /// The trace of that very decision, with the change that would turn it.
    pub(super) fn explain(&self, candidate: &Candidate, known: &mut KnownFacts) -> (Trace, Option<Turn>) {
        let decided = self.decide(candidate, known);
        // Of the facts at hand those that were before the crawl when it decided.
        let all = known.facts.clone();
        let before_fetch = Facts { content: ContentFact::NotFetched, ..all.clone() };
        let after_fetch = Facts { robots: RobotsFact::NotAsked, ..all.clone() };
        let says_so = |facts: &Facts| self.rules.decide_by_index(candidate, facts) == (decided.decision, decided.rule);
        let mut facts = match decided.decision {
            Decision::Accept if says_so(&all) => all,
            Decision::Reject if !decided.by_robots && !says_so(&before_fetch) => after_fetch,
            _ => before_fetch,
        };
        // A look-up that failed decides nothing, but it says why.
        let failed = Facts { geo: known.geo_failed.clone().unwrap_or_else(|| facts.geo.clone()), ..facts.clone() };
        if says_so(&failed) {
            facts = failed;
        }
        let (mut trace, mut turn) = self.rules.explain_with_turn(candidate, &facts);
        if decided.by_robots {
            trace.verdict = self.verdict(decided);
            trace.steps.iter_mut().for_each(|step| step.deciding = false);
            trace.turn = Some("Only a campaign that does not obey robots.txt takes it".to_owned());
            turn = None;
        }
        (trace, turn)
    }

    /// Whether a country that nobody has looked up might turn the decision. A
    /// crawl looks hosts up before it fetches, never for what a fetch told.
    pub(super) fn hangs_on_country(&self, candidate: &Candidate, known: &mut KnownFacts) -> bool {
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
    /// What is known of all hosts and captures, read before a scan; single
    /// URLs are asked for one by one.
    held: Option<Held>,
    /// The geolocation database, opened when an address stands in a URL; none
    /// where none was chosen or it cannot be read, so that nothing is known.
    database: OnceLock<Option<GeoDatabase>>,
    desk: &'a WorkspaceDesk,
    /// The user agent of edited rules.
    edited_agent: Option<String>,
    unreadable: Mutex<Unreadable>,
}

/// Rows whose URL no standard can read: no rule was ever asked about them.
#[derive(Default)]
struct Unreadable {
    rows: u64,
    /// The first that was met, and what is wrong with it.
    example: String,
}

struct Held {
    geo: HashMap<String, GeoFact>,
    annotations: HashMap<i64, (String, AnnotationFact)>,
}

/// The facts of a URL, with what robots.txt says apart, since not every
/// campaign obeys it.
#[derive(Default)]
pub(super) struct KnownFacts {
    pub facts: Facts,
    pub robots: RobotsFact,
    /// Why the look-up of the host failed; no rule is asked with it.
    geo_failed: Option<GeoFact>,
    /// The same as it goes for the user agent of edited rules, when that is another.
    robots_as_edited: Option<RobotsFact>,
}

impl KnownFacts {
    /// For a person: a look-up that failed says why.
    pub(super) fn told(self) -> Facts {
        Facts { geo: self.geo_failed.unwrap_or(self.facts.geo), ..self.facts }
    }
}

/// Hosts by launch, number, and whether they are asked by https.
type HostsHeld = HashMap<(LaunchId, i64, bool), HostFacts, RandomState>;

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
        Ok(Self {
            catalogue,
            ids,
            launches,
            held: None,
            database: OnceLock::new(),
            desk,
            edited_agent: None,
            unreadable: Mutex::default(),
        })
    }

    /// Without any launch: for campaigns that never ran.
    pub(super) fn of_no_launch(desk: &'a WorkspaceDesk) -> Self {
        Self {
            catalogue: desk.catalogue(),
            ids: Vec::new(),
            launches: HashMap::new(),
            held: None,
            database: OnceLock::new(),
            desk,
            edited_agent: None,
            unreadable: Mutex::default(),
        }
    }

    /// The rules of an edited campaign as they would stand in each launch.
    pub(super) fn edited(&mut self, edited: &Campaign) -> anyhow::Result<HashMap<LaunchId, Judged>> {
        let mut rules = HashMap::new();
        for id in &self.ids {
            let judged = Judged::new(self.catalogue, edited, *id).context("the edited rules")?;
            rules.insert(*id, judged.edited_from(self.launches.get(id).map(|launch| &launch.rules)));
        }
        self.edited_agent = Some(edited.politeness.user_agent.clone());
        Ok(rules)
    }

    /// Reads what readers share, and says what is under way. `uses` are
    /// further rules that will be asked.
    pub(super) fn begin(&mut self, cx: &JobCx, words: &str, uses: &[&Judged]) -> anyhow::Result<()> {
        // Row numbers: how many rows a question meets is known behind it.
        let span = self.catalogue.seen_span(&self.ids)?;
        cx.stage(words, Some(span.map_or(0, |span| span.end().abs_diff(*span.start()) + 1)));
        let mut rules = self.launches.values().map(|launch| &launch.rules).chain(uses.iter().copied());
        let annotations = match rules.any(|judged| judged.rules.uses_annotations()) {
            true => self.catalogue.annotation_facts()?,
            false => HashMap::new(),
        };
        self.held = Some(Held { geo: self.catalogue.geo_facts()?, annotations });
        cx.checkpoint().map_err(|stop: Cancelled| stop.into())
    }

    /// Whether rows of a scan with these further rules tell what was fetched.
    pub(super) fn reads_content(&self, uses: &[&Judged]) -> bool {
        let mut rules = self.launches.values().map(|launch| &launch.rules).chain(uses.iter().copied());
        rules.any(|judged| judged.rules.uses_content())
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
            with_content: self.reads_content(uses),
            let_in_by: let_in_by.map(str::to_owned),
        };
        let asks_robots = all().any(Judged::asks_robots);
        let next = AtomicI64::new(*span.start());
        let readers = std::thread::available_parallelism().map_or(2, usize::from).min(8);
        let read_all = || -> anyhow::Result<S> {
            let mut found = new();
            let mut hosts = HostsHeld::default();
            let mut candidate = Candidate::bare(Url::parse("http://nowhere.invalid/").context("a constant")?);
            loop {
                let first = next.fetch_add(CHUNK, Ordering::Relaxed);
                if first > *span.end() {
                    return Ok(found);
                }
                let last = (first + CHUNK - 1).min(*span.end());
                self.catalogue.scan_seen(first..=last, &ask, |row| {
                    candidate.url = match Url::parse(row.url) {
                        Ok(url) => url,
                        Err(error) => {
                            self.note_unreadable(row.url, &error);
                            return Ok(());
                        }
                    };
                    self.one(row, asks_robots, &mut hosts, &mut candidate, |before, candidate, known| {
                        each(&mut found, before, candidate, known)
                    })
                })??;
                after_chunk(&mut found)?;
                cx.advance(last.abs_diff(first) + 1)?;
            }
        };
        let read = || {
            let answer = read_all();
            if answer.is_err() {
                // The others need not go on.
                next.store(*span.end() + 1, Ordering::Relaxed);
            }
            answer
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

    fn note_unreadable(&self, url: &str, error: &dyn std::fmt::Display) {
        let mut unreadable = self.unreadable.lock().unwrap_or_else(PoisonError::into_inner);
        unreadable.rows += 1;
        if unreadable.rows == 1 {
            unreadable.example = format!("“{url}”: {error}");
        }
    }

    /// What scans left out because its URL cannot be read, in words.
    pub(super) fn remark(&self) -> Option<String> {
        let unreadable = self.unreadable.lock().unwrap_or_else(PoisonError::into_inner);
        let Unreadable { rows, example } = &*unreadable;
        (*rows > 0).then(|| format!("{rows} URLs cannot be read and are left out, such as {example}"))
    }

    /// The same for one URL.
    pub(super) fn again<T>(
        &self,
        seen: i64,
        each: impl FnOnce(&Before<'_>, &mut Candidate, &mut KnownFacts) -> anyhow::Result<T>,
    ) -> anyhow::Result<Option<T>> {
        let (mut answer, mut each) = (None, Some(each));
        self.each_again(std::iter::once(seen), |before, candidate, known| {
            if let Some(each) = each.take() {
                answer = Some(each(before, candidate, known)?);
            }
            Ok(())
        })?;
        Ok(answer)
    }

    /// The same for some URLs, in their order.
    pub(super) fn each_again(
        &self,
        seen: impl Iterator<Item = i64>,
        mut each: impl FnMut(&Before<'_>, &mut Candidate, &mut KnownFacts) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut candidate = Candidate::bare(Url::parse("http://nowhere.invalid/").context("a constant")?);
        let mut hosts = HostsHeld::default();
        for seen in seen {
            self.catalogue.seen_one(seen, |row| {
                candidate.url = Url::parse(row.url).with_context(|| row.url.to_owned())?;
                self.one(row, true, &mut hosts, &mut candidate, &mut each)
            })??;
        }
        Ok(())
    }

    /// Makes a row ready to be decided; the candidate has its URL already.
    fn one(
        &self,
        row: &SeenUrl<'_>,
        asks_robots: bool,
        hosts: &mut HostsHeld,
        candidate: &mut Candidate,
        each: impl FnOnce(&Before<'_>, &mut Candidate, &mut KnownFacts) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let Some(launch) = self.launches.get(&row.launch) else { return Ok(()) };
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
                free.insert(self.host_facts(&candidate.url, Some(row.launch), &launch.agent, asks_robots)?)
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
        facts.annotation = match &self.held {
            Some(held) if held.annotations.is_empty() => None,
            Some(held) => held.annotations.get(&row.url_id).map(|(_, said)| said.clone()),
            None => self.catalogue.annotation_of(row.url_id)?,
        };
        facts.content = match row.content {
            None => ContentFact::NotFetched,
            Some((status, mime, bytes)) => ContentFact::Fetched { status, mime: mime.to_owned(), bytes },
        };
        each(&Before { row, launch }, candidate, &mut host.known)
    }

    fn host_facts(
        &self,
        url: &Url,
        launch: Option<LaunchId>,
        agent: &str,
        asks_robots: bool,
    ) -> anyhow::Result<HostFacts> {
        let mut geo_failed = None;
        let geo = match self.geo_of(url.host_str().unwrap_or_default())? {
            // A failed look-up says nothing; the crawl makes it again.
            failed @ GeoFact::Failed { .. } => {
                geo_failed = Some(failed);
                self.place_of_address(url)
            }
            GeoFact::NotAsked => self.place_of_address(url),
            known @ GeoFact::Known(_) => known,
        };
        let answer = match launch.filter(|_| asks_robots) {
            None => None,
            Some(id) => self.catalogue.robots_answer(id, &url.origin().ascii_serialization())?,
        };
        let robots_for = |agent: &str| answer.as_ref().and_then(|answer| super::robots_rules(answer, agent));
        let edited_agent = self.edited_agent.as_deref().filter(|edited| *edited != agent);
        Ok(HostFacts {
            known: KnownFacts { facts: Facts { geo, ..Facts::default() }, geo_failed, ..KnownFacts::default() },
            robots: robots_for(agent),
            robots_as_edited: edited_agent.and_then(robots_for),
        })
    }

    /// The location known of a host, failed look-ups included.
    pub(super) fn geo_of(&self, host: &str) -> Result<GeoFact, StoreError> {
        match &self.held {
            Some(held) => Ok(held.geo.get(host).cloned().unwrap_or_default()),
            None => self.catalogue.geo_fact(host),
        }
    }

    /// Where the address in a URL stands; it needs no resolver.
    fn place_of_address(&self, url: &Url) -> GeoFact {
        let Some(address) = address_of(url) else { return GeoFact::NotAsked };
        let database = self.database.get_or_init(|| super::geo_database(self.desk).ok().flatten());
        let evidence = database.as_ref().and_then(|geo| geo.evidence(&[address], CaptureDate::now()).ok());
        evidence.map_or(GeoFact::NotAsked, |evidence| GeoFact::Known(evidence.answered_by(AnswerSource::Url)))
    }

    /// The facts of a URL that these launches have not seen, on `date`.
    pub(super) fn facts_of(&self, url: &Url, agent: &str, date: CaptureDate) -> anyhow::Result<KnownFacts> {
        let last = self.ids.last().copied();
        let host = self.host_facts(url, last, agent, true)?;
        let mut known = host.known;
        if let Some(robots) = host.robots.filter(|_| !is_robots_url(url)) {
            known.robots = robots.fact(url);
        }
        known.facts.date = Some(date);
        if let Some(id) = self.catalogue.url_id(url.as_str())? {
            known.facts.annotation = self.catalogue.annotation_of(id)?;
            known.facts.content = self.catalogue.content_fact(id)?;
        }
        Ok(known)
    }
}

fn address_of(url: &Url) -> Option<std::net::IpAddr> {
    url.host_str()?.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Whether a row was fetched because another URL needed it: no rule decides that.
pub(super) fn is_apart(row: &SeenUrl<'_>) -> bool {
    row.rule_index.is_none() && row.rule_name == "PrerequisiteAcceptDecideRule"
}

fn is_robots_url(url: &Url) -> bool {
    url.path() == "/robots.txt" && url.query().is_none()
}
