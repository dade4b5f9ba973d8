//! Replays the order of a crawl on pages that are there: no request is sent.

use super::frontier::{Frontier, Next};
use super::relevance::draws::Draws;
use super::relevance::gains::HostGains;
use super::relevance::guide::Linker;
use super::{Admission, AdmissionState, Admitted, Finished, Ledger, LedgerError, Plan, TOP_POINTS};
use crate::scope::{Candidate, Decision, Verdict, with_hop};
use crate::uri::{CaptureDate, Url, authority_of};
use std::collections::HashMap;
use std::time::Duration;

/// A page that is there.
#[derive(Debug, Clone)]
pub struct ReplayPage {
    /// Its URL.
    pub url: Url,
    /// Its main text.
    pub main: String,
    /// Its links: their targets by number among the pages, and their texts.
    pub links: Vec<(usize, String)>,
}

/// A page that a replay begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayStart {
    /// Its number among the pages.
    pub page: usize,
    /// It is a seed, and not what one redirected to.
    pub is_seed: bool,
}

/// The numbers of pages in the order in which one worker of a plan fetches them at once, at most
/// `most` of them. `ledger` is empty; `accepts` decides which URLs are in scope; `draws` are those
/// of the random choices.
pub fn replay(
    plan: &Plan,
    (pages, starts): (&[ReplayPage], &[ReplayStart]),
    accepts: &dyn Fn(&Candidate) -> bool,
    ledger: &dyn Ledger,
    draws: Draws,
    most: usize,
) -> Result<Vec<usize>, LedgerError> {
    let by_url: HashMap<&Url, usize> = pages.iter().enumerate().map(|(number, page)| (&page.url, number)).collect();
    let admission = |candidate: Candidate, linker: &Linker<'_>| {
        let place = plan.place(&candidate, linker);
        Admission {
            candidate,
            verdict: Verdict { decision: Decision::Accept, rule_index: None, rule_name: String::new() },
            state: AdmissionState::Queued,
            priority: place.priority,
            parts: place.parts,
            date: CaptureDate::now(),
        }
    };
    let begin = |start: &ReplayStart| Candidate {
        is_seed: start.is_seed,
        hops: if start.is_seed { String::new() } else { "R".to_owned() },
        ..Candidate::bare(pages[start.page].url.clone())
    };
    let begun = starts.iter().map(begin).filter(|candidate| accepts(candidate));
    ledger.admit(begun.map(|seed| admission(seed, &Linker::default())).collect())?;
    if let Some(guide) = &plan.guide {
        ledger.keep_terms(guide.tallies())?;
    }
    let gains = HostGains::default().drawn_by(draws);
    let frontier = Frontier::open(ledger, 1, 1, None)?.in_order(plan.order(), gains);
    let mut fetched = Vec::new();
    while fetched.len() < most {
        let queued = match frontier.next()? {
            Next::Url(queued) => queued,
            Next::Idle => continue,
            Next::Finished => break,
        };
        let Some(number) = by_url.get(queued.url()).copied() else { continue };
        fetched.push(number);
        let page = &pages[number];
        let reading = plan.guide.as_ref().map(|guide| guide.read(&page.main));
        let authority = authority_of(&page.url);
        if let (Some(guide), Some(reading)) = (&plan.guide, &reading) {
            guide.learn(reading);
            guide.count_anchors(authority, page.links.iter().map(|(_, anchor)| anchor.as_str()));
        }
        let score = reading.as_ref().map_or(0, |reading| reading.score);
        let linker = Linker { score: f64::from(score) / f64::from(TOP_POINTS), points: 0, authority };
        let found = page.links.iter().map(|(to, anchor)| Candidate {
            hops: with_hop(&queued.admission.candidate.hops, 'L'),
            via: Some(page.url.clone()),
            anchor: anchor.clone(),
            ..Candidate::bare(pages[*to].url.clone())
        });
        let found: Vec<Admission> =
            found.filter(|candidate| accepts(candidate)).map(|candidate| admission(candidate, &linker)).collect();
        let (why, refused, capture) = (None, None, None);
        let finished =
            Finished { id: queued.id, fetch_status: 200, why, refused, capture, found: found.clone(), reading };
        for (admission, admitted) in found.iter().zip(ledger.finish(finished)?) {
            match admitted {
                Admitted::New => frontier.announce(authority_of(&admission.candidate.url), admission.priority),
                Admitted::Nearer => frontier.reload(admission),
                Admitted::Known => {}
            }
        }
        frontier.read_page(authority, score);
        frontier.release(&queued, Duration::ZERO);
    }
    Ok(fetched)
}
