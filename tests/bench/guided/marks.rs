//! What thirty marks of a trial are worth: recall of the campaign before and after what they suggest was accepted.

use crate::crawls::{LocalWeb, campaign};
use fonds::campaign::CrawlOrder;
use fonds::jobs::JobCx;
use fonds::store::Relevance;
use fonds::work::{self, CrawlOptions};

/// URLs of a trial.
const TRIAL_URLS: u64 = 300;
/// Proposals that are accepted at most.
const ACCEPTED: usize = 3;

/// What a trial was worth.
pub struct MarksOutcome {
    /// Pages marked, and those of them that are relevant.
    pub marked: (usize, usize),
    /// What was accepted.
    pub accepted: Vec<String>,
    /// Pages fetched for the first version and for the second.
    pub fetched: [Vec<usize>; 2],
}

/// Crawls a trial, marks its sample by the truth, accepts the first words and texts of links that are proposed and are
/// not broad, and crawls `most` pages with the campaign before and after.
pub fn marks(web: &LocalWeb<'_>, request: &str, most: usize, is_relevant: &dyn Fn(&str) -> bool) -> MarksOutcome {
    let first = campaign(request, &web.fronts, CrawlOrder::Relevance, 1);
    let folder = tempfile::tempdir().unwrap();
    let session = web.session(&folder);
    let id = session.catalogue().save_campaign(None, &first).unwrap();
    let options = CrawlOptions { trial: Some(TRIAL_URLS), ..CrawlOptions::default() };
    let trial = session.crawl_with(id, &options, &JobCx::detached()).unwrap();
    let launch = work::launch_called(&session, &trial.launch).unwrap().id;
    let sample = work::trial_sample(&session, launch).unwrap();
    let (relevant, other): (Vec<String>, Vec<String>) =
        sample.pages.into_iter().map(|page| page.url).partition(|url| is_relevant(url));
    let marked = (relevant.len() + other.len(), relevant.len());
    for (urls, mark) in [(&relevant, Relevance::Relevant), (&other, Relevance::Irrelevant)] {
        if !urls.is_empty() {
            work::mark_pages(&session, launch, urls, Some(mark), "bench").unwrap();
        }
    }
    let of = work::suggestions(&session, id, Some(launch)).unwrap();
    let good = (1..).zip(&of.proposals).filter(|(_, proposal)| {
        proposal.is_for && !proposal.is_broad && work::proposed_change(proposal) == "add to the request"
    });
    let (numbers, accepted): (Vec<usize>, Vec<String>) =
        good.take(ACCEPTED).map(|(number, proposal)| (number, proposal.value.clone())).unzip();
    let before = web.crawl(&first, Some(most)).pages;
    let after = if numbers.is_empty() {
        before.clone()
    } else {
        work::accept_proposals(&session, id, Some(launch), &numbers).unwrap();
        let (_, second) = session.catalogue().campaign(id).unwrap();
        web.crawl(&second, Some(most)).pages
    };
    MarksOutcome { marked, accepted, fetched: [before, after] }
}
