//! A trace shows why a URL was or would be taken or refused, by the very decision that lists and
//! figures count.

use super::launch_rules::{ByLaunch, KnownFacts, LaunchRules, Version};
use super::redecision::Redecision;
use super::rule_cache::LaunchScope;
use crate::campaign::Campaign;
use crate::jobs::JobCx;
use crate::scope::{Candidate, Decision, PREREQUISITE_RULE, Remedy, Trace, Verdict};
use crate::store::rows::SeenId;
use crate::uri::{CaptureDate, parse_web_url};
use crate::work::Session;
use crate::work::models::{CampaignId, LaunchId, ScopeTest};
use anyhow::Context;

/// The trace of a URL ever seen, with the rules of the version its launch ran.
pub fn why(session: &Session, seen: SeenId) -> anyhow::Result<Trace> {
    let redecision = redecision_of(session, seen)?;
    let trace = redecision.again(seen, |before, candidate, known| {
        Ok(match before.row.is_apart {
            true => apart(before.row.url),
            false => before.launch.rules.explain(candidate, known).0,
        })
    })?;
    trace.with_context(|| format!("seen URL {seen} is of no launch"))
}

/// The trace with the rules of an edited campaign, as a what-if puts them.
pub fn what_if_trace(session: &Session, edited: &Campaign, seen: SeenId) -> anyhow::Result<Trace> {
    let mut redecision = redecision_of(session, seen)?;
    if let Some(apart) =
        redecision.again(seen, |before, _, _| Ok(before.row.is_apart.then(|| apart(before.row.url))))?.flatten()
    {
        return Ok(apart);
    }
    let edited = redecision.edited(edited, &JobCx::detached())?;
    Ok(as_edited(&redecision, &edited, seen, None, LaunchRules::explain)?.0)
}

/// The trace of a URL that the crawl itself needed, such as robots.txt: no rule decided.
fn apart(url: &str) -> Trace {
    let verdict = Verdict::unlisted(Decision::Accept, PREREQUISITE_RULE);
    Trace { url: url.to_owned(), steps: Vec::new(), verdict, remedy: None }
}

/// With the one launch that saw the URL.
fn redecision_of(session: &Session, seen: SeenId) -> anyhow::Result<Redecision<'_>> {
    let launch = session.catalogue().seen_one(seen, |row| row.launch)?;
    Redecision::new(session, session.catalogue().launch(launch)?.campaign, Some(launch), &JobCx::detached())
}

fn as_edited<T>(
    redecision: &Redecision<'_>,
    edited: &ByLaunch<LaunchRules>,
    seen: SeenId,
    date: Option<CaptureDate>,
    decide: impl FnOnce(&LaunchRules, &Candidate, &mut KnownFacts) -> T,
) -> anyhow::Result<T> {
    let answer = redecision.again(seen, |before, candidate, known| {
        known.facts.date = date.or(known.facts.date);
        let Some(after) = edited.get(&before.row.launch) else { return Ok(None) };
        let decide = |candidate: &mut Candidate| decide(after, candidate, known);
        Ok(Some(after.with_own_seeds(&before.launch.rules, candidate, decide)))
    })?;
    answer.flatten().with_context(|| format!("seen URL {seen} is of no launch"))
}

/// Traces of URLs under the rules of a campaign that need not be saved, as of
/// now. What the last launch of the campaign `of` that saw a URL knows of it
/// (its way from the seed, its robots.txt) is used.
pub fn scope_test(
    session: &Session,
    of: Option<CampaignId>,
    campaign: &Campaign,
    urls: &[String],
) -> anyhow::Result<Vec<Result<ScopeTest, String>>> {
    let explained = each_as_of_now(session, of, campaign, urls, LaunchRules::explain)?;
    let test = |(trace, remedy): (Trace, Option<Remedy>)| {
        // What only the world outside could change is in the trace, and is no edit.
        let remedy = remedy.filter(|remedy| remedy.apply(campaign) != *campaign);
        ScopeTest { trace, remedy }
    };
    Ok(explained.into_iter().map(|explained| explained.map(test)).collect())
}

/// The verdicts of such traces alone, for many URLs.
pub fn scope_verdicts(
    session: &Session,
    of: Option<CampaignId>,
    campaign: &Campaign,
    urls: &[String],
) -> anyhow::Result<Vec<Result<Verdict, String>>> {
    each_as_of_now(session, of, campaign, urls, |rules, candidate, known| rules.verdict(rules.decide(candidate, known)))
}

fn each_as_of_now<T>(
    session: &Session,
    of: Option<CampaignId>,
    campaign: &Campaign,
    urls: &[String],
    decide: impl Fn(&LaunchRules, &Candidate, &mut KnownFacts) -> T,
) -> anyhow::Result<Vec<Result<T, String>>> {
    let catalogue = session.catalogue();
    let now = CaptureDate::now();
    let last = match of {
        None => None,
        Some(of) => catalogue.launch_ids(Some(of))?.into_iter().max(),
    };
    let cx = JobCx::detached();
    let launch_scope = match of {
        None => LaunchScope::default(),
        Some(of) => LaunchScope::of(catalogue, of, last.as_slice())?,
    };
    let unseen = match (of, last) {
        (Some(of), Some(last)) => Redecision::new(session, of, Some(last), &cx)?,
        _ => Redecision::of_no_launch(session),
    };
    // Of a campaign that never ran no seed has redirected anywhere.
    let fresh = Version::new(catalogue, campaign, &launch_scope, &cx)?.in_launch(last.unwrap_or_default())?;
    let mut answers: Vec<Option<Result<T, String>>> = Vec::with_capacity(urls.len());
    let mut seen_urls: Vec<(LaunchId, SeenId, usize)> = Vec::new();
    for (at, text) in urls.iter().enumerate() {
        let Some(url) = parse_web_url(text) else {
            answers.push(Some(Err(format!("“{text}” is no http or https URL"))));
            continue;
        };
        let seen = match of {
            None => None,
            Some(of) => catalogue.seen_by_url(of, None, url.as_str())?,
        };
        answers.push(match seen {
            Some((seen, launch)) => {
                seen_urls.push((launch, seen, at));
                None
            }
            None => {
                let mut known = unseen.facts_of(&url, &campaign.politeness.user_agent, now)?;
                Some(Ok(decide(&fresh, &fresh.begin_at(url), &mut known)))
            }
        });
    }
    // Launch by launch, so that the rules of one are held at a time.
    seen_urls.sort_unstable();
    for of_launch in seen_urls.chunk_by(|a, b| a.0 == b.0) {
        let Some((_, seen, _)) = of_launch.first() else { continue };
        let mut redecision = redecision_of(session, *seen)?;
        let edited = redecision.edited(campaign, &cx)?;
        for (_, seen, at) in of_launch {
            let answer = as_edited(&redecision, &edited, *seen, Some(now), &decide)?;
            if let Some(slot) = answers.get_mut(*at) {
                *slot = Some(Ok(answer));
            }
        }
    }
    Ok(answers.into_iter().flatten().collect())
}
