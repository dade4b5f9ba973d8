//! Decisions on URLs that are found, with the facts that the rules
//! need.

use super::plan::MetSeed;
use super::priority::{Place, priority_points};
use super::relevance::guide::{Linker, RequestGuide};
use super::{Admission, AdmissionState, CurrentPlan, Ledger, LedgerError, Plan};
use crate::campaign::Seed;
use crate::exchange::Client;
use crate::links::{LinkKind, Outlink};
use crate::scope::{
    AnnotationFact, Candidate, ContentFact, Decision, Facts, GeoDatabase, GeoFact, RobotsFact, Verdict, refused_anyway,
    with_hop,
};
use crate::uri::{Clock, ScopeSurt, Url, authority_of, is_same_site};
use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Decides by a plan, with what is known about hosts.
pub struct Judge<'a> {
    plan: &'a CurrentPlan,
    geo: Option<&'a GeoDatabase>,
    known: RwLock<HashMap<String, GeoFact>>,
    /// By URL; read when a plan needs them, and again for the plan after it.
    annotations: Mutex<Option<Annotations>>,
    client: &'a Client,
    ledger: &'a dyn Ledger,
    clock: Clock,
    /// What completes a page is admitted.
    takes_requisites: bool,
}

struct Annotations {
    /// The plan that they were read for.
    generation: u64,
    by_url: Arc<HashMap<String, AnnotationFact>>,
}

/// The page that links were found on.
pub struct Source<'a> {
    /// The page.
    pub url: &'a Url,
    /// Its path from the seed.
    pub hops: &'a str,
    /// The seed it descends from.
    pub seed: Option<&'a str>,
    /// The word of that seed.
    pub source_tag: &'a str,
    /// Whether it is a seed: what a seed redirects to on its own site is one too.
    pub is_seed: bool,
    /// Its priority, which what completes it has.
    pub points: u16,
    /// The score of its text, from 0 to 1.
    pub score: f64,
}

impl<'a> Source<'a> {
    /// A page as it was admitted, whose text has this score.
    pub fn of(admission: &'a Admission, score: f64) -> Self {
        Self {
            url: &admission.candidate.url,
            hops: &admission.candidate.hops,
            seed: admission.candidate.seed.as_deref(),
            source_tag: &admission.candidate.source_tag,
            is_seed: admission.candidate.is_seed,
            points: priority_points(admission.priority, admission.parts),
            score,
        }
    }
}

impl<'a> Judge<'a> {
    /// Creates a judge with the hosts that the ledger knows. A look-up that failed
    /// in an earlier run is made again.
    pub fn new(
        plan: &'a CurrentPlan,
        geo: Option<&'a GeoDatabase>,
        client: &'a Client,
        ledger: &'a dyn Ledger,
        clock: Clock,
    ) -> Result<Self, LedgerError> {
        let mut known = ledger.geo_facts()?;
        known.retain(|_, fact| matches!(fact, GeoFact::Known(_)));
        Ok(Self {
            plan,
            geo,
            known: RwLock::new(known),
            annotations: Mutex::default(),
            client,
            ledger,
            clock,
            takes_requisites: true,
        })
    }

    /// The same, which leaves out what completes a page where it is a trial.
    pub fn of_trial(self, is_trial: bool) -> Self {
        Self { takes_requisites: !is_trial, ..self }
    }

    /// Whether a seed stays one where its URL redirects: on the same site, and
    /// not to private addresses that the campaign does not allow. A redirect
    /// elsewhere brings nobody's reach along; a person decides about it.
    pub fn keeps_seed(&self, from: &Url, target: &Url) -> bool {
        is_same_site(from, target) && !self.client.is_closed_off(target)
    }

    /// Lets what seeds redirected to count as those seeds, which are named as
    /// typed.
    pub fn add_met_seeds(&self, met: Vec<MetSeed>) -> Result<(), LedgerError> {
        self.plan.add_met_seeds(met).map_err(|error| LedgerError(error.to_string()))
    }

    /// Decides on a candidate with all known facts; the flag is true if the host's
    /// location would matter and could not be looked up.
    pub fn decide(
        &self,
        plan: &Plan,
        candidate: &Candidate,
        robots: RobotsFact,
    ) -> Result<(Verdict, bool), LedgerError> {
        let rules = &plan.rules;
        if let Some(name) = refused_anyway(candidate) {
            return Ok((Verdict::unlisted(Decision::Reject, name), false));
        }
        let mut facts = self.facts(plan, candidate, robots)?;
        let failed = matches!(facts.geo, GeoFact::Failed { .. });
        if failed {
            facts.geo = GeoFact::NotQueried;
        }
        if !rules.needs_geo(candidate, &facts) {
            return Ok((rules.decide(candidate, &facts), false));
        }
        facts.geo = self.resolve_country(&candidate.url)?;
        // Without a database nothing would be known later either.
        let unknown = matches!(facts.geo, GeoFact::Failed { .. }) && self.geo.is_some();
        let verdict = rules.decide(candidate, &facts);
        let waits = unknown && verdict.decision == Decision::Reject;
        Ok((verdict, waits))
    }

    /// The verdict, when rules about content refuse what was let in before it
    /// was fetched.
    pub fn refuses_content(
        &self,
        plan: &Plan,
        candidate: &Candidate,
        content: ContentFact,
    ) -> Result<Option<Verdict>, LedgerError> {
        let rules = &plan.rules;
        if !rules.uses_content() {
            return Ok(None);
        }
        let before = self.facts(plan, candidate, RobotsFact::NotFetched)?;
        let after = Facts { content, ..before.clone() };
        let verdict = rules.decide(candidate, &after);
        let turned = verdict.decision == Decision::Reject;
        Ok((turned && rules.decide(candidate, &before).decision == Decision::Accept).then_some(verdict))
    }

    fn facts(&self, plan: &Plan, candidate: &Candidate, robots: RobotsFact) -> Result<Facts, LedgerError> {
        let annotation = match plan.rules.uses_annotations() {
            true => self.annotations(plan)?.get(candidate.url.as_str()).cloned(),
            false => None,
        };
        Ok(Facts {
            geo: self.known_fact(candidate.url.host_str().unwrap_or_default()),
            robots,
            date: Some(self.clock.now()),
            annotation,
            ..Facts::default()
        })
    }

    /// Marks and notes as they are when the plan, or one after it, first needs them.
    fn annotations(&self, plan: &Plan) -> Result<Arc<HashMap<String, AnnotationFact>>, LedgerError> {
        let mut kept = self.annotations.lock().unwrap_or_else(PoisonError::into_inner);
        let annotations = match kept.take() {
            Some(kept) if kept.generation >= plan.generation() => kept,
            _ => Annotations { generation: plan.generation(), by_url: Arc::new(self.ledger.annotations()?) },
        };
        Ok(Arc::clone(&kept.insert(annotations).by_url))
    }

    /// Lets pages of sources count as seeds.
    pub fn add_source_seeds(&self, seeds: Vec<Seed>) -> Result<(), LedgerError> {
        self.plan.add_source_seeds(seeds).map_err(|error| LedgerError(error.to_string()))
    }

    /// Turns links into URLs for the ledger, each decided by the plan that counts
    /// now; equal ones once.
    pub fn admit(&self, source: &Source<'_>, links: &[Outlink]) -> Result<Vec<Admission>, LedgerError> {
        let mut first: HashMap<&str, usize> = HashMap::new();
        // Further links to a URL that the page has: the number of the first one among the candidates, and their texts.
        let mut further: Vec<(usize, &str)> = Vec::new();
        let is_seed = |link: &Outlink| {
            source.is_seed && link.kind == LinkKind::Redirect && self.keeps_seed(source.url, &link.url)
        };
        let mut candidates: Vec<Candidate> = links
            .iter()
            .filter(|link| self.takes_requisites || link.kind.hop() != 'E')
            .filter(|link| link.url != *source.url)
            .filter(|link| {
                let next = first.len();
                let number = *first.entry(link.url.as_str()).or_insert(next);
                if number != next && link.kind.hop() == 'L' {
                    further.push((number, link.anchor.as_str()));
                }
                number == next
            })
            .map(|link| Candidate {
                surt: ScopeSurt::of(&link.url),
                url: link.url.clone(),
                hops: with_hop(source.hops, link.kind.hop()),
                via: Some(source.url.clone()),
                anchor: link.anchor.clone(),
                is_seed: is_seed(link),
                seed: source.seed.map(str::to_owned),
                source_tag: source.source_tag.to_owned(),
                nofollow: link.nofollow,
            })
            .collect();
        let met = candidates.iter().filter(|candidate| candidate.is_seed);
        let met: Vec<MetSeed> = met.map(|met| (met.seed.clone().unwrap_or_default(), met.url.clone())).collect();
        if !met.is_empty() {
            self.add_met_seeds(met)?;
        }
        let plan = self.plan.now();
        self.resolve_countries_ahead(&plan, &candidates)?;
        let authority = authority_of(source.url);
        if let Some(guide) = &plan.guide {
            choose_anchors(guide, authority, &mut candidates, &further);
            let links = candidates.iter().filter(|candidate| candidate.hops.ends_with('L'));
            guide.count_anchors(authority, links.map(|candidate| candidate.anchor.as_str()));
        }
        let mut linker = Linker { score: source.score, points: source.points, authority };
        let mut places: Vec<Place> = candidates.iter().map(|candidate| plan.place(candidate, &linker)).collect();
        if plan.guide.is_some() {
            // What completes a page comes before all that it links to.
            let links = places.iter().filter_map(|place| place.parts).filter(|parts| !parts.completes);
            linker.points = links.map(|parts| parts.points()).fold(linker.points, u16::max);
            for (candidate, place) in candidates.iter().zip(&mut places) {
                if place.parts.is_some_and(|parts| parts.completes) {
                    *place = plan.place(candidate, &linker);
                }
            }
        }
        let placed = candidates.into_iter().zip(places);
        placed.map(|(candidate, place)| self.admission_at(&plan, candidate, place)).collect()
    }

    /// Decides one URL that no page led to.
    pub fn admission(&self, plan: &Plan, candidate: Candidate) -> Result<Admission, LedgerError> {
        let place = plan.place(&candidate, &Linker::default());
        self.admission_at(plan, candidate, place)
    }

    /// Decides one URL that has this place in the queue where it is let in.
    fn admission_at(&self, plan: &Plan, candidate: Candidate, place: Place) -> Result<Admission, LedgerError> {
        let (verdict, waits) = self.decide(plan, &candidate, RobotsFact::NotFetched)?;
        let queued = waits || verdict.decision == Decision::Accept;
        Ok(Admission {
            verdict,
            state: if queued { AdmissionState::Queued } else { AdmissionState::Refused },
            priority: place.priority,
            parts: place.parts,
            date: self.clock.now(),
            candidate,
        })
    }

    fn known_fact(&self, host: &str) -> GeoFact {
        self.known.read().unwrap_or_else(PoisonError::into_inner).get(host).cloned().unwrap_or_default()
    }

    /// Looks up many hosts side by side on the resolver's threads, so that a
    /// page full of foreign links does not hold its worker for minutes.
    fn resolve_countries_ahead(&self, plan: &Plan, candidates: &[Candidate]) -> Result<(), LedgerError> {
        let rules = &plan.rules;
        if self.geo.is_none() || !rules.uses_geo() {
            return Ok(());
        }
        let mut hosts = HashSet::new();
        let unresolved = candidates.iter().filter(|candidate| {
            let host = candidate.url.host_str().unwrap_or_default();
            self.known_fact(host) == GeoFact::NotQueried
                && rules.needs_geo(candidate, &Facts::default())
                && hosts.insert(host)
        });
        let unresolved: Vec<&Url> = unresolved.map(|candidate| &candidate.url).collect();
        self.client.resolve_ahead(&unresolved);
        let mut facts = Vec::with_capacity(unresolved.len());
        for url in unresolved {
            // Those that are left are decided when their turn comes.
            if self.client.is_cancelled() {
                break;
            }
            facts.push((url.host_str().unwrap_or_default().to_owned(), self.locate(url)));
        }
        self.keep_facts(facts)
    }

    /// Finds out the country of a host and keeps it.
    fn resolve_country(&self, url: &Url) -> Result<GeoFact, LedgerError> {
        if self.geo.is_some() && self.client.is_cancelled() {
            return Ok(GeoFact::Failed { why: "the crawl was stopped".to_owned() });
        }
        let fact = self.locate(url);
        if self.geo.is_some() {
            self.keep_facts(vec![(url.host_str().unwrap_or_default().to_owned(), fact.clone())])?;
        }
        Ok(fact)
    }

    fn locate(&self, url: &Url) -> GeoFact {
        let Some(geo) = self.geo else {
            return GeoFact::Failed { why: "no country database is set".to_owned() };
        };
        match self.client.addresses(url) {
            Ok(addresses) => {
                let addresses: Vec<IpAddr> = addresses.iter().map(std::net::SocketAddr::ip).collect();
                match geo.evidence(&addresses, self.clock.now()) {
                    Ok(evidence) => GeoFact::Known(evidence.answered_by(self.client.answer_source(url))),
                    Err(error) => GeoFact::Failed { why: error.to_string() },
                }
            }
            Err(error) => GeoFact::Failed { why: error.message },
        }
    }

    fn keep_facts(&self, facts: Vec<(String, GeoFact)>) -> Result<(), LedgerError> {
        self.ledger.keep_geo_facts(&facts)?;
        self.known.write().unwrap_or_else(PoisonError::into_inner).extend(facts);
        Ok(())
    }
}

/// Gives each candidate the text that is worth most, of all links to it on its page; the longest of those that are worth
/// the same, since another request may find more in it.
fn choose_anchors(guide: &RequestGuide, authority: &str, candidates: &mut [Candidate], further: &[(usize, &str)]) {
    for (number, anchor) in further {
        let Some(candidate) = candidates.get_mut(*number).filter(|of| of.hops.ends_with('L')) else { continue };
        let worth = |text: &str| (guide.value_of_anchor(authority, text), text.len());
        if worth(anchor) > worth(&candidate.anchor) {
            (*anchor).clone_into(&mut candidate.anchor);
        }
    }
}
