//! A URL may be collected on a permission or on grounds of its campaign.

use super::redecision::Redecision;
use crate::campaign::feed::TargetGrounds;
use crate::campaign::{Campaign, Criterion, Grounds};
use crate::scope::{Candidate, Derivation, Facts, Permissions, SeedsVerdict};
use crate::uri::{CaptureDate, Url, parse_web_url};
use crate::work::Session;

/// Derives whether URLs may be collected on a date by a campaign that need not be saved, with what
/// the catalogue knows of their hosts.
pub fn permissions(
    session: &Session,
    campaign: &Campaign,
    urls: &[String],
    date: CaptureDate,
) -> anyhow::Result<Vec<Result<Derivation, String>>> {
    let permissions = compiled(campaign)?;
    let redecision = Redecision::of_no_launch(session);
    let mut derived = Vec::new();
    for text in urls {
        derived.push(match parse_web_url(text) {
            None => Err(format!("“{text}” is no http or https URL")),
            Some(url) => {
                let facts = known(&redecision, campaign, &url, date)?;
                Ok(permissions.derive(&Candidate::bare(url), &facts))
            }
        });
    }
    Ok(derived)
}

/// Whether all seeds of a campaign may be collected on a date. Seeds that are
/// no URLs count as seeds without a ground.
pub fn seeds_verdict(session: &Session, campaign: &Campaign, date: CaptureDate) -> anyhow::Result<SeedsVerdict> {
    let permissions = compiled(campaign)?;
    let redecision = Redecision::of_no_launch(session);
    let mut seeds = Vec::new();
    let mut unread = 0;
    for seed in &campaign.seeds {
        match parse_web_url(&seed.url) {
            None => unread += 1,
            Some(url) => {
                let facts = known(&redecision, campaign, &url, date)?;
                seeds.push((Candidate::bare(url), facts));
            }
        }
    }
    let verdict = permissions.of_seeds(&seeds);
    if unread == 0 {
        return Ok(verdict);
    }
    let why = format!("{unread} seeds are no URLs; of the others: {}", verdict.why);
    Ok(SeedsVerdict { covered: false, all_by_domain: false, all_by_hosting: false, why })
}

/// Sums up the grounds of all seeds of a campaign on a date: the criteria of legal deposit apart
/// from licences, as the feeds of the annotation tool part them.
pub fn target_grounds(session: &Session, campaign: &Campaign, date: CaptureDate) -> anyhow::Result<TargetGrounds> {
    let with = |has_criterion: fn(Criterion) -> bool, grounds: Grounds| {
        let records = campaign.permissions.iter().filter(|record| has_criterion(record.criterion));
        Campaign { permissions: records.cloned().collect(), grounds, ..campaign.clone() }
    };
    let law = with(|criterion| criterion != Criterion::Licence, campaign.grounds.clone());
    let reading = Grounds { reading: campaign.grounds.reading, ..Grounds::default() };
    let licensed = with(|criterion| criterion == Criterion::Licence, reading);
    let urls: Vec<String> = campaign.seeds.iter().map(|seed| seed.url.clone()).collect();
    let licences = permissions(session, &licensed, &urls, date)?;
    let all = |fits: fn(&Derivation) -> bool| {
        !licences.is_empty() && licences.iter().all(|found| found.as_ref().is_ok_and(fits))
    };
    Ok(TargetGrounds {
        legal_deposit: seeds_verdict(session, &law, date)?.covered,
        licence: all(Derivation::is_granted),
        own_licence: all(|found| found.is_granted() && found.inherited_from.is_none()),
    })
}

fn compiled(campaign: &Campaign) -> anyhow::Result<Permissions> {
    Permissions::compile(&campaign.permissions, &campaign.grounds).map_err(anyhow::Error::msg)
}

fn known(redecision: &Redecision<'_>, campaign: &Campaign, url: &Url, date: CaptureDate) -> anyhow::Result<Facts> {
    Ok(redecision.facts_of(url, &campaign.politeness.user_agent, date)?.into_facts())
}
