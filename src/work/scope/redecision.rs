//! A redecision puts every URL that was seen before the rules of its launch again, with all known
//! facts, by several readers at once.

use super::launch_rules::{ByLaunch, Decided, KnownFacts, LaunchRules, SeedsCompared, Version, is_robots_url};
use super::rule_cache::{CacheEntry, EditedRules, LaunchScope};
use crate::campaign::Campaign;
use crate::crawl::{RobotsRules, RobotsTrail, follow_robots};
use crate::jobs::{Cancelled, JobCx};
use crate::scope::{AnnotationFact, AnswerSource, Candidate, ContentFact, Facts, GeoDatabase, GeoFact, RobotsFact};
use crate::store::rows::SeenId;
use crate::store::{Catalogue, SeenColumns, SeenUrl, StoreError};
use crate::uri::{CaptureDate, Url, parse_web_url};
use crate::work::Session;
use crate::work::models::{CampaignId, LaunchId};
use anyhow::Context;
use foldhash::fast::RandomState;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Rows that a reader takes at once.
const CHUNK: i64 = 8_192;

/// Row numbers to each row of the launches from which on the others are skipped.
const SPARSE: u64 = 8;

/// A reader keeps the facts of this many hosts; then it empties its cache.
const MAX_CACHED_HOSTS: usize = 50_000;

/// A launch with the rules it ran.
pub(super) struct Launch {
    pub rules: LaunchRules,
    agent: String,
}

/// Decides again about the URLs that launches have seen.
pub(super) struct Redecision<'a> {
    pub catalogue: &'a Catalogue,
    pub ids: Vec<LaunchId>,
    launch_scope: Arc<LaunchScope>,
    pub launches: Arc<ByLaunch<Launch>>,
    /// All hosts and captures with their facts, read before a scan; single URLs are read from the
    /// catalogue.
    preloaded: Option<Preloaded>,
    /// The geolocation database, opened for the first URL with an address; none where none was chosen
    /// or it cannot be read, so that nothing is known.
    database: OnceLock<Option<GeoDatabase>>,
    session: &'a Session,
    /// The user agent of edited rules.
    edited_agent: Option<String>,
    unreadable: Mutex<Unreadable>,
}

/// Rows whose URL no standard can read: no rule ever decided on them.
#[derive(Default)]
struct Unreadable {
    rows: u64,
    /// The first that was met, and what is wrong with it.
    example: String,
}

/// Facts that all readers of a scan share.
struct Preloaded {
    /// None where no rule tests countries.
    geo: Option<HashMap<String, GeoFact>>,
    annotations: HashMap<i64, (String, AnnotationFact)>,
}

/// Hosts by launch, number, and whether by https. Their facts are apart: the table itself should
/// fit into the processor's cache.
type HostCache = HashMap<(LaunchId, i64, bool), Box<HostFacts>, RandomState>;

/// The facts of a host that a reader keeps.
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

impl Before<'_> {
    /// Reads what was fetched, which readers leave out by themselves: for most URLs the rules need
    /// nothing of it.
    pub(super) fn load_content(&self, known: &mut KnownFacts) -> Result<(), StoreError> {
        known.facts.content = self.row.content()?;
        Ok(())
    }

    /// Decides by the rules of its launch, with what was fetched where they need it.
    pub(super) fn decide(&self, candidate: &Candidate, known: &mut KnownFacts) -> Result<Decided, StoreError> {
        let rules = &self.launch.rules;
        let first = rules.before_fetch(candidate, known);
        if rules.hangs_on_content(first) {
            self.load_content(known)?;
        }
        Ok(rules.after_fetch(first, candidate, known))
    }
}

impl<'a> Redecision<'a> {
    /// Redecides all launches of a campaign, or one.
    pub(super) fn new(
        session: &'a Session,
        campaign: CampaignId,
        launch: Option<LaunchId>,
        cx: &JobCx,
    ) -> anyhow::Result<Self> {
        let catalogue = session.catalogue();
        let ids: Vec<LaunchId> = match launch {
            None => catalogue.launch_ids(Some(campaign))?,
            Some(id) => {
                let of = catalogue.launch_campaign(id)?;
                anyhow::ensure!(of == campaign, "launch {id} is of campaign {of}, not of campaign {campaign}");
                vec![id]
            }
        };
        let revision = catalogue.revision_now()?;
        let with_launches =
            |(launch_scope, launches)| Self { ids: ids.clone(), launch_scope, launches, ..Self::of_no_launch(session) };
        let cached = session.rule_cache().launches(campaign, &ids, revision);
        if let Some(cached) = cached {
            return Ok(with_launches(cached));
        }
        let launch_scope = LaunchScope::of(catalogue, campaign, &ids)?;
        // Before the rules are read: a redirect that comes meanwhile is read again.
        let since = session.rule_cache().last_capture(campaign, &launch_scope);
        let (last_capture, met) = catalogue.redirects_since(since)?;
        let cached = since.zip(met).and_then(|(since, met)| {
            session.rule_cache().revalidate(campaign, &launch_scope, revision, last_capture, since, &met)
        });
        if let Some(cached) = cached {
            return Ok(with_launches(cached));
        }
        let mut of_version: BTreeMap<u32, Vec<LaunchId>> = BTreeMap::new();
        for launch in launch_scope.launches() {
            of_version.entry(launch.version).or_default().push(launch.id);
        }
        let (mut launches, mut redirect_sources) = (ByLaunch::default(), HashSet::new());
        for (version, ids) in of_version {
            let spec = catalogue.campaign_version(campaign, version)?;
            let mut version = Version::new(catalogue, &spec, &launch_scope, cx)?;
            for id in ids {
                cx.checkpoint()?;
                let rules = version.in_launch(id).with_context(|| format!("the rules of launch {id}"))?;
                launches.insert(id, Launch { rules, agent: spec.politeness.user_agent.clone() });
            }
            redirect_sources.extend(version.into_redirect_sources());
        }
        let (launch_scope, launches) = (Arc::new(launch_scope), Arc::new(launches));
        session.rule_cache().insert(CacheEntry {
            campaign,
            launch_scope: Arc::clone(&launch_scope),
            revision,
            last_capture,
            redirect_sources,
            launches: Arc::clone(&launches),
            edited: None,
        });
        Ok(with_launches((launch_scope, launches)))
    }

    /// Without any launch: for campaigns that never ran.
    pub(super) fn of_no_launch(session: &'a Session) -> Self {
        Self {
            catalogue: session.catalogue(),
            ids: Vec::new(),
            launch_scope: Arc::default(),
            launches: Arc::default(),
            preloaded: None,
            database: OnceLock::new(),
            session,
            edited_agent: None,
            unreadable: Mutex::default(),
        }
    }

    /// The rules of an edited campaign for each launch.
    pub(super) fn edited(&mut self, edited: &Campaign, cx: &JobCx) -> anyhow::Result<Arc<ByLaunch<LaunchRules>>> {
        self.edited_agent = Some(edited.politeness.user_agent.clone());
        if let Some(rules) = self.session.rule_cache().edited(&self.launches, edited) {
            return Ok(rules);
        }
        let up_to = self.session.rule_cache().valid_up_to(&self.launches);
        let mut version = Version::new(self.catalogue, edited, &self.launch_scope, cx)?;
        let (mut rules, mut compared) = (ByLaunch::default(), SeedsCompared::default());
        for id in &self.ids {
            cx.checkpoint()?;
            let launch_rules = version.in_launch(*id).context("the edited rules")?;
            let before = self.launches.get(id).map(|launch| &launch.rules);
            rules.insert(*id, launch_rules.edited_from(before, &mut compared));
        }
        let rules = Arc::new(rules);
        let compiled = EditedRules {
            campaign: edited.clone(),
            redirect_sources: version.into_redirect_sources(),
            rules: Arc::clone(&rules),
        };
        self.session.rule_cache().insert_edited(&self.launches, up_to, compiled);
        Ok(rules)
    }

    /// Reads what readers share, and begins a stage of the job. `uses` are further rules that will
    /// decide.
    pub(super) fn begin(&mut self, cx: &JobCx, stage: &str, uses: &[&LaunchRules]) -> anyhow::Result<()> {
        // Row numbers: how many rows a question meets is known behind it.
        let span = self.catalogue.seen_span(&self.ids)?;
        cx.stage(stage, Some(span.map_or(0, |span| span.end().abs_diff(*span.start()) + 1)));
        let rules = || self.launches.values().map(|launch| &launch.rules).chain(uses.iter().copied());
        let annotations = match rules().any(|launch_rules| launch_rules.rules.uses_annotations()) {
            true => self.catalogue.annotation_facts()?,
            false => HashMap::new(),
        };
        let geo = match rules().any(|launch_rules| launch_rules.uses_geo) {
            true => Some(self.catalogue.geo_facts()?),
            false => None,
        };
        self.preloaded = Some(Preloaded { geo, annotations });
        cx.checkpoint().map_err(|stop: Cancelled| stop.into())
    }

    /// Puts every URL that was seen before `each`, which notes what it finds in a value of its own a
    /// reader. `uses` are further rules that will decide.
    pub(super) fn scan<S: Send>(
        &self,
        let_in_by: Option<&str>,
        uses: &[&LaunchRules],
        cx: &JobCx,
        new: impl Fn() -> S + Sync,
        each: impl Fn(&mut S, &Before<'_>, &mut Candidate, &mut KnownFacts) -> anyhow::Result<()> + Sync,
        after_chunk: impl Fn(&mut S) -> anyhow::Result<()> + Sync,
    ) -> anyhow::Result<Vec<S>> {
        let Some(span) = self.catalogue.seen_span(&self.ids)? else { return Ok(Vec::new()) };
        let all = || self.launches.values().map(|launch| &launch.rules).chain(uses.iter().copied());
        let count = self.catalogue.seen_count(&self.ids)?;
        let mut columns = SeenColumns {
            launches: self.ids.clone(),
            let_in_by: let_in_by.map(str::to_owned),
            ..SeenColumns::default()
        };
        all().for_each(|launch_rules| launch_rules.put_needs(&mut columns));
        // Where others saw most of these rows, the index of a launch skips them.
        let width = span.end().abs_diff(*span.start()).saturating_add(1);
        let rows_per_seen = width.checked_div(count).unwrap_or(width).max(1);
        columns.is_sparse = rows_per_seen >= SPARSE;
        let chunk = match columns.is_sparse {
            true => CHUNK.saturating_mul(i64::try_from(rows_per_seen).unwrap_or(i64::MAX)),
            false => CHUNK,
        };
        let obeys_robots = all().any(LaunchRules::obeys_robots);
        let next = AtomicI64::new(*span.start());
        let readers = std::thread::available_parallelism().map_or(2, usize::from).min(8);
        let read_all = || -> anyhow::Result<S> {
            let mut found = new();
            let mut hosts = HostCache::default();
            let mut candidate = Candidate::bare(Url::parse("http://nowhere.invalid/").context("a constant")?);
            loop {
                let first = next.fetch_add(chunk, Ordering::Relaxed);
                if first > *span.end() {
                    return Ok(found);
                }
                let last = first.saturating_add(chunk - 1).min(*span.end());
                self.catalogue.scan_seen(first..=last, &columns, |row| {
                    self.one(row, obeys_robots, &mut hosts, &mut candidate, |before, candidate, known| {
                        each(&mut found, before, candidate, known)
                    })?
                    .unwrap_or_else(|error| self.note_unreadable(row.url, &error));
                    anyhow::Ok(())
                })??;
                after_chunk(&mut found)?;
                cx.advance(last.abs_diff(first) + 1)?;
            }
        };
        let read = || {
            // Where one fails or panics the others need not go on.
            let mut unless_whole = Stop { next: &next, at: span.end().saturating_add(1), is_whole: false };
            let answer = read_all();
            unless_whole.is_whole = answer.is_ok();
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

    /// A remark on URLs that scans left out since they cannot be read.
    pub(super) fn remark(&self) -> Option<String> {
        let unreadable = self.unreadable.lock().unwrap_or_else(PoisonError::into_inner);
        let Unreadable { rows, example } = &*unreadable;
        match rows {
            0 => None,
            1 => Some(format!("1 URL cannot be read and is left out: {example}")),
            _ => Some(format!("{rows} URLs cannot be read and are left out, such as {example}")),
        }
    }

    /// Decides one URL again.
    pub(super) fn again<T>(
        &self,
        seen: SeenId,
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

    /// Decides some URLs again, in their order.
    pub(super) fn each_again(
        &self,
        seen: impl Iterator<Item = SeenId>,
        mut each: impl FnMut(&Before<'_>, &mut Candidate, &mut KnownFacts) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut candidate = Candidate::bare(Url::parse("http://nowhere.invalid/").context("a constant")?);
        let mut hosts = HostCache::default();
        for seen in seen {
            self.catalogue.seen_one(seen, |row| {
                self.one(row, true, &mut hosts, &mut candidate, |before, candidate, known| {
                    before.load_content(known)?;
                    each(before, candidate, known)
                })?
                .with_context(|| row.url.to_owned())
            })??;
        }
        Ok(())
    }

    /// Makes a row ready to be decided; the inner error is that of its URL.
    fn one(
        &self,
        row: &SeenUrl<'_>,
        obeys_robots: bool,
        hosts: &mut HostCache,
        candidate: &mut Candidate,
        each: impl FnOnce(&Before<'_>, &mut Candidate, &mut KnownFacts) -> anyhow::Result<()>,
    ) -> anyhow::Result<Result<(), url::ParseError>> {
        let Some(launch) = self.launches.get(&row.launch) else { return Ok(Ok(())) };
        if hosts.len() > MAX_CACHED_HOSTS {
            hosts.clear();
        }
        candidate.url = match Url::parse(row.url) {
            Ok(url) => url,
            Err(error) => return Ok(Err(error)),
        };
        candidate.surt.set(&candidate.url);
        row.hops.clone_into(&mut candidate.hops);
        candidate.via = if row.via.is_empty() { None } else { parse_web_url(row.via) };
        candidate.is_seed = row.is_seed;
        match (row.seed, &mut candidate.seed) {
            (Some(seed), Some(place)) => seed.clone_into(place),
            (seed, place) => *place = seed.map(str::to_owned),
        }
        row.source_tag.clone_into(&mut candidate.source_tag);
        candidate.nofollow = row.nofollow;

        let host = match hosts.entry((row.launch, row.host_id, row.url.starts_with("https:"))) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                new.insert(Box::new(self.host_facts(&candidate.url, Some(row.launch), &launch.agent, obeys_robots)?))
            }
        };
        host.known.robots = match &host.robots {
            Some(robots) if !is_robots_url(&candidate.url) => robots.fact(&candidate.url),
            _ => RobotsFact::NotFetched,
        };
        host.known.robots_as_edited = match &host.robots_as_edited {
            Some(robots) if !is_robots_url(&candidate.url) => Some(robots.fact(&candidate.url)),
            _ => None,
        };
        let facts = &mut host.known.facts;
        facts.date = row.date;
        facts.annotation = match &self.preloaded {
            Some(preloaded) if preloaded.annotations.is_empty() => None,
            Some(preloaded) => preloaded.annotations.get(&row.url_id).map(|(_, annotation)| annotation.clone()),
            None => self.catalogue.annotation_of(row.url_id)?,
        };
        facts.content = ContentFact::NotFetched;
        each(&Before { row, launch }, candidate, &mut host.known)?;
        Ok(Ok(()))
    }

    fn host_facts(
        &self,
        url: &Url,
        launch: Option<LaunchId>,
        agent: &str,
        obeys_robots: bool,
    ) -> anyhow::Result<HostFacts> {
        let mut geo_failed = None;
        let geo = match self.geo_of(url.host_str().unwrap_or_default())? {
            // A failed look-up is no fact; the crawl makes it again.
            failed @ GeoFact::Failed { .. } => {
                geo_failed = Some(failed);
                self.place_of_address(url)
            }
            GeoFact::NotQueried if self.preloaded.as_ref().is_some_and(|preloaded| preloaded.geo.is_none()) => {
                GeoFact::NotQueried
            }
            GeoFact::NotQueried => self.place_of_address(url),
            known @ GeoFact::Known(_) => known,
        };
        let answer = match launch.filter(|_| obeys_robots) {
            None => None,
            Some(id) => match follow_robots(url, |key| self.catalogue.robots_answer(id, key))? {
                RobotsTrail::Answer(answer, _) => Some(answer),
                RobotsTrail::Needed(_) | RobotsTrail::TooLong => None,
            },
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
        match &self.preloaded {
            Some(preloaded) => Ok(preloaded.geo.as_ref().and_then(|geo| geo.get(host)).cloned().unwrap_or_default()),
            None => self.catalogue.geo_fact(host),
        }
    }

    /// The location of the address in a URL; it needs no resolver.
    fn place_of_address(&self, url: &Url) -> GeoFact {
        let Some(address) = address_of(url) else { return GeoFact::NotQueried };
        let database = self.database.get_or_init(|| super::geo_database(self.session).ok().flatten());
        let evidence = database.as_ref().and_then(|geo| geo.evidence(&[address], CaptureDate::now()).ok());
        evidence.map_or(GeoFact::NotQueried, |evidence| GeoFact::Known(evidence.answered_by(AnswerSource::Url)))
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

/// Leaves nothing to be read by other readers, unless its own was whole.
struct Stop<'n> {
    next: &'n AtomicI64,
    at: i64,
    is_whole: bool,
}

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        if !self.is_whole {
            self.next.store(self.at, Ordering::Relaxed);
        }
    }
}

fn address_of(url: &Url) -> Option<std::net::IpAddr> {
    url.host_str()?.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_panics_stops_the_others() {
        let next = AtomicI64::new(3);
        let panics = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _stop = Stop { next: &next, at: 100, is_whole: false };
            std::panic::resume_unwind(Box::new(()));
        }));
        assert!(panics.is_err());
        assert_eq!(next.load(Ordering::Relaxed), 100);
        drop(Stop { next: &next, at: 200, is_whole: true });
        assert_eq!(next.load(Ordering::Relaxed), 100, "who came to the end");
    }
}
