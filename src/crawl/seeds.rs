//! Seeds of a campaign and pages of its sources, as they are admitted to the queue.

use super::judge::Judge;
use super::logs::Logs;
use super::{
    Admission, AdmissionState, Admitted, CrawlError, CrawlEvent, CrawlStats, CurrentPlan, EventKind, Ledger, Plan,
    SourcePage,
};
use crate::campaign::Campaign;
use crate::jobs::{counted, verb};
use crate::scope::{Candidate, Facts, MAX_REDIRECTS, REFUSED_PERMISSION};
use crate::uri::{Clock, parse_web_url};

/// Pages of sources that are admitted in one go.
const SOURCE_PAGES_AT_ONCE: usize = 1_000;

/// Makes the redirect targets of seeds in an earlier run seeds again.
pub(super) fn add_met_seeds(ledger: &dyn Ledger, judge: &Judge<'_>, campaign: &Campaign) -> Result<(), CrawlError> {
    let mut met = Vec::new();
    for seed in &campaign.seeds {
        let Some(mut url) = parse_web_url(&seed.url) else { continue };
        for _ in 0..MAX_REDIRECTS {
            let Some(target) = ledger.redirect_of(&url)?.filter(|target| judge.keeps_seed(&url, target)) else { break };
            met.push((seed.url.clone(), target.clone()));
            url = target;
        }
    }
    Ok(judge.add_met_seeds(met)?)
}

/// The seeds of a plan as they were admitted.
#[derive(Debug, Default)]
pub(super) struct AdmittedSeeds {
    /// Those that the queue did not have.
    pub new: Vec<Admission>,
    /// Those that a permission forbids.
    pub refused: u64,
}

/// Admits the seeds of a plan, whether the queue has them or not.
pub(super) fn admit_seeds(
    plan: &Plan,
    clock: Clock,
    ledger: &dyn Ledger,
    judge: &Judge<'_>,
    logs: &Logs,
    stats: &CrawlStats,
) -> Result<AdmittedSeeds, CrawlError> {
    let mut admissions = Vec::new();
    for seed in &plan.campaign.seeds {
        let Some(url) = parse_web_url(&seed.url) else {
            let mut event = CrawlEvent::new(EventKind::Seed, "This seed is no web address and is left out");
            event.url.clone_from(&seed.url);
            stats.event(event);
            continue;
        };
        let mut candidate = Candidate::bare(url);
        candidate.is_seed = true;
        candidate.seed = Some(seed.url.clone());
        candidate.source_tag.clone_from(&seed.source_tag);
        admissions.push(judge.admission(plan, candidate)?);
    }
    if admissions.is_empty() {
        return Err(CrawlError::Setup("No seed is a web address (http:// or https://).".to_owned()));
    }
    let refused = admissions.iter().filter(|admission| admission.state == AdmissionState::Refused);
    let (by_permission, refused): (Vec<_>, Vec<_>) =
        refused.partition(|admission| admission.verdict.rule_name == REFUSED_PERMISSION);
    for admission in &by_permission {
        let facts = Facts { date: Some(clock.now()), ..Facts::default() };
        let steps = plan.rules.explain(&admission.candidate, &facts).steps;
        let why = steps.into_iter().find(|step| step.deciding).map(|step| step.tested).unwrap_or_default();
        let text = format!("This seed must not be crawled and is left out ({why})");
        stats.event(CrawlEvent::new(EventKind::Seed, text).of_url(&admission.candidate.url));
    }
    let (by_permission, refused) = (by_permission.len() as u64, refused.len() as u64);
    let new = ledger.admit(admissions.clone())?;
    let fresh = admissions.into_iter().zip(new).filter(|(_, new)| *new == Admitted::New);
    let fresh: Vec<Admission> = fresh.map(|(admission, _)| admission).collect();
    logs.scope_of_admissions(&fresh)?;
    if refused > 0 {
        let are = verb(refused, "is");
        let text = format!("{} {are} refused by the campaign's own rules", counted(refused, "seed"));
        stats.event(CrawlEvent::new(EventKind::Seed, text));
    }
    let new = fresh.into_iter().filter(|admission| admission.state == AdmissionState::Queued).collect();
    Ok(AdmittedSeeds { new, refused: by_permission })
}

/// Admits pages that sources named; returns those that are new in the queue.
pub(super) fn admit_source_pages(
    plan: &CurrentPlan,
    ledger: &dyn Ledger,
    judge: &Judge<'_>,
    logs: &Logs,
    stats: &CrawlStats,
    pages: &[SourcePage],
) -> Result<Vec<Admission>, CrawlError> {
    let plan = plan.now();
    let mut queued = Vec::new();
    for some in pages.chunks(SOURCE_PAGES_AT_ONCE) {
        let admissions = some.iter().map(|page| judge.admission(&plan, page.candidate()));
        let admissions = admissions.collect::<Result<Vec<_>, _>>()?;
        let admitted = ledger.admit(admissions.clone())?;
        let new = admissions.into_iter().zip(admitted).filter(|(_, admitted)| *admitted == Admitted::New);
        let new: Vec<Admission> = new.map(|(admission, _)| admission).collect();
        logs.scope_of_admissions(&new)?;
        queued.extend(new.into_iter().filter(|admission| admission.state == AdmissionState::Queued));
    }
    if !queued.is_empty() {
        let text = format!(
            "{} that sources named {} in the queue",
            counted(queued.len() as u64, "page"),
            verb(queued.len() as u64, "is")
        );
        stats.event(CrawlEvent::new(EventKind::Source, text));
    }
    Ok(queued)
}
