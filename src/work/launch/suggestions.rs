//! What the marks of a trial suggest for its campaign, and versions of the campaign with that.

use super::named_proposals::{JudgedPages, named_proposals};
use super::trial_pages::{TrialPage, UnreadTrialPage, trial_pages, unread_pages, without_fragment};
use crate::analysis::{LaunchPage, MarkedPage, Matcher, Proposal, ProposalKind, proposals};
use crate::campaign::{Campaign, Request, Seed, SeedScope, Term, TermKind, with_alternative};
use crate::scope::{reject_below, rejects_below};
use crate::store::Relevance;
use crate::text;
use crate::uri::{Url, parse_web_url};
use crate::work::Session;
use crate::work::models::{CampaignId, CaptureId, LaunchId, LaunchRow};
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// Marked pages below which proposals say little.
const FEW_MARKS: u64 = 20;

/// What the marks of a trial suggest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Suggestions {
    /// The trial: its 14 digits.
    pub launch: String,
    /// The newest version of the campaign, which an accepted proposal changes.
    pub version: u32,
    /// Pages marked as relevant.
    pub relevant: u64,
    /// Pages marked as not relevant.
    pub irrelevant: u64,
    /// The proposals that the newest version does not have yet.
    pub proposals: Vec<Proposal>,
    /// Why there are none, or few; empty where there is nothing to say.
    pub remark: String,
    /// Pages whose records cannot be read: no proposal is made of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadTrialPage>,
}

/// The trial whose marks count: the one that is named, else the last one of the campaign.
///
/// # Errors
///
/// A launch of another campaign, or none at all.
pub(in crate::work) fn trial_of(
    session: &Session,
    campaign: CampaignId,
    launch: Option<LaunchId>,
) -> anyhow::Result<LaunchRow> {
    let catalogue = session.catalogue();
    let Some(id) = launch else {
        return catalogue.own_last_trial(campaign)?.ok_or_else(|| {
            anyhow::anyhow!("this campaign has no trial yet. Start one with: fonds crawl DIR {campaign} --trial 300")
        });
    };
    let launch = catalogue.launch(id)?;
    anyhow::ensure!(launch.campaign == campaign, "the launch {} is none of campaign {campaign}", launch.launch);
    Ok(launch)
}

/// What the marks of a trial suggest for its campaign; of the last trial where none is named.
///
/// # Errors
///
/// No trial, or a workspace that cannot be read.
pub fn suggestions(session: &Session, campaign: CampaignId, launch: Option<LaunchId>) -> anyhow::Result<Suggestions> {
    let (version, spec) = session.catalogue().campaign(campaign)?;
    let has_trial = launch.is_some() || session.catalogue().own_last_trial(campaign)?.is_some();
    if !has_trial && session.is_analysed()? {
        return of_decisions(session, campaign, version, &spec);
    }
    let launch = trial_of(session, campaign, launch)?;
    let pages = trial_pages(session, launch.id)?;
    let is_read = |page: &&TrialPage| page.main.is_ok();
    let count = |of| pages.iter().filter(is_read).filter(|page| page.read.relevance == Some(of)).count() as u64;
    let (relevant, irrelevant) = (count(Relevance::Relevant), count(Relevance::Irrelevant));
    let mut proposals = proposals_for(&spec, &pages);
    let marked: Vec<(CaptureId, Relevance)> =
        pages.iter().filter_map(|page| Some((page.read.capture, page.read.relevance?))).collect();
    let judged = JudgedPages::of(session, campaign, &marked)?;
    let mut known = known_terms(&spec.request);
    known.extend(proposals.iter().map(|proposal| text::words(&proposal.value).join(" ")));
    proposals.extend(named_proposals(session, &judged, &known)?);
    let remark = match (relevant, irrelevant) {
        (0, _) | (_, 0) => "Words are compared once pages of both kinds are marked".to_owned(),
        _ if relevant + irrelevant < FEW_MARKS => {
            format!("Only {} pages are marked: with 30 the proposals say more", relevant + irrelevant)
        }
        _ => String::new(),
    };
    let unread = unread_pages(&pages);
    Ok(Suggestions { launch: launch.launch, version, relevant, irrelevant, proposals, remark, unread })
}

/// What decisions on captures, judgements of results and the newest analysis suggest for a campaign without a trial.
fn of_decisions(session: &Session, campaign: CampaignId, version: u32, spec: &Campaign) -> anyhow::Result<Suggestions> {
    let judged = JudgedPages::of(session, campaign, &[])?;
    let proposals = named_proposals(session, &judged, &known_terms(&spec.request))?;
    let [relevant, irrelevant] = judged.counts();
    let remark = match relevant {
        0 => "Approve pages, or judge results of searches: what these have in common is proposed".to_owned(),
        _ => "By decisions and judgements, since there was no trial".to_owned(),
    };
    Ok(Suggestions { launch: String::new(), version, relevant, irrelevant, proposals, remark, unread: Vec::new() })
}

/// Proposals that a campaign does not have yet.
pub(super) fn proposals_for(spec: &Campaign, pages: &[TrialPage]) -> Vec<Proposal> {
    let mut anchors: HashMap<&str, HashSet<Vec<String>>> = HashMap::new();
    for page in pages {
        for (url, anchor) in page.links.iter().filter(|(url, _)| without_fragment(url) != page.read.url) {
            let words = text::words(anchor);
            if !words.is_empty() {
                anchors.entry(without_fragment(url)).or_default().insert(words);
            }
        }
    }
    let matcher = Matcher::compile(&spec.request);
    let is_met = |main: &str| {
        let mut is_met = false;
        matcher.find(main, &mut |term| is_met |= matcher.speaks_for(term));
        is_met
    };
    // What cannot be read is no page without words.
    let readable: Vec<(&TrialPage, &str)> =
        pages.iter().filter_map(|page| Some((page, page.main.as_deref().ok()?))).collect();
    let of_page = |(page, main): &(&TrialPage, &str)| LaunchPage { words: page.token_counts(), is_met: is_met(main) };
    let of_launch: Vec<LaunchPage> = readable.iter().map(of_page).collect();
    let marked = |((page, _), of): (&(&TrialPage, &str), &LaunchPage)| {
        let mut anchors: Vec<Vec<String>> =
            anchors.get(page.read.url.as_str()).into_iter().flatten().cloned().collect();
        anchors.sort_unstable();
        Some(MarkedPage {
            url: page.read.url.clone(),
            host: page.read.host.clone(),
            is_relevant: page.read.relevance? == Relevance::Relevant,
            words: of.words.clone(),
            anchors,
        })
    };
    let marked: Vec<MarkedPage> = readable.iter().zip(&of_launch).filter_map(marked).collect();
    let mut found = proposals(&marked, &of_launch, &known_terms(&spec.request));
    found.retain(|proposal| !is_in(spec, proposal));
    found
}

/// The words and names of a request, folded.
fn known_terms(request: &Request) -> HashSet<String> {
    let mut known = HashSet::new();
    request.for_each_term(&mut |term| {
        for name in std::iter::once(&term.value).chain(&term.aliases) {
            known.insert(text::words(name).join(" "));
        }
    });
    known
}

/// Whether a campaign has what a proposal about a host or path would change, or it would refuse a seed.
fn is_in(spec: &Campaign, proposal: &Proposal) -> bool {
    let seeds = || spec.seeds.iter().filter_map(|seed| parse_web_url(&seed.url));
    match proposal.kind {
        ProposalKind::Host | ProposalKind::Path if proposal.is_for => {
            seeds().any(|seed| seed.as_str() == proposal.value)
        }
        ProposalKind::Host | ProposalKind::Path => {
            seeds().any(|seed| seed.as_str().starts_with(&proposal.value)) || rejects_below(spec, &proposal.value)
        }
        _ => false,
    }
}

/// A campaign with a proposal: a word as a further term of the request, a host or path as a seed
/// where it is relevant, and left out by a rule where it is not.
///
/// # Errors
///
/// A rule that cannot be read.
pub(super) fn with_proposal(spec: &Campaign, proposal: &Proposal) -> anyhow::Result<Campaign> {
    let mut spec = spec.clone();
    match proposal.kind {
        kind if !matches!(kind, ProposalKind::Host | ProposalKind::Path) => {
            let kind = match kind {
                ProposalKind::Person => TermKind::Person,
                ProposalKind::Place => TermKind::Place,
                ProposalKind::Organisation => TermKind::Organisation,
                ProposalKind::Event => TermKind::Event,
                _ if proposal.value.contains(' ') => TermKind::Phrase,
                _ => TermKind::Keyword,
            };
            let value = proposal.value.clone();
            let uri = Some(proposal.uri.clone()).filter(|uri| Url::parse(uri).is_ok());
            let weight = weight_of(proposal);
            let term = Term { weight, uri, ..Term::new(kind, value) };
            spec.request = with_alternative(std::mem::take(&mut spec.request), term);
        }
        ProposalKind::Host | ProposalKind::Path if proposal.is_for => {
            Url::parse(&proposal.value)?;
            let url = proposal.value.clone();
            spec.seeds.push(Seed { url, scope: SeedScope::Root, depth: None, source_tag: String::new() });
        }
        _ => {
            spec.rules = reject_below(&spec, &proposal.value, &format!("Marked pages: {}", proposal.counts()))?;
        }
    }
    Ok(spec)
}

/// What accepting a proposal does, in a few words.
pub fn proposed_change(proposal: &Proposal) -> &'static str {
    match proposal.kind {
        ProposalKind::Host | ProposalKind::Path if proposal.is_for => "add as a seed",
        ProposalKind::Host | ProposalKind::Path => "leave out",
        _ => "add to the request",
    }
}

/// The share of pages with a word that are relevant, by the marks, as if one page of each kind had
/// been marked before; to a tenth.
fn weight_of(proposal: &Proposal) -> f64 {
    let (relevant, irrelevant) = (proposal.relevant as f64, proposal.irrelevant as f64);
    (10.0 * (relevant + 1.0) / (relevant + irrelevant + 2.0)).round() / 10.0
}

/// Accepts proposals, which are named by their place in the list, from 1; gives the version that
/// this makes.
///
/// # Errors
///
/// A number that is in no list; a campaign that cannot be saved.
pub fn accept_proposals(
    session: &Session,
    campaign: CampaignId,
    launch: Option<LaunchId>,
    numbers: &[usize],
) -> anyhow::Result<u32> {
    let of = suggestions(session, campaign, launch)?;
    let (_, mut spec) = session.catalogue().campaign(campaign)?;
    let mut accepted = HashSet::new();
    for number in numbers.iter().filter(|number| accepted.insert(**number)) {
        let proposal = number.checked_sub(1).and_then(|at| of.proposals.get(at)).ok_or_else(|| {
            anyhow::anyhow!("there is no proposal {number}: there are {}. Nothing was changed", of.proposals.len())
        })?;
        spec = with_proposal(&spec, proposal)?;
    }
    Ok(session.save_campaign(Some(campaign), &spec)?.1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::scope::{Candidate, Decision, Facts};
    use crate::scope::{DecideRules, standard_rules};

    fn proposal(kind: ProposalKind, value: &str, is_for: bool) -> Proposal {
        Proposal {
            kind,
            value: value.to_owned(),
            uri: String::new(),
            is_for,
            relevant: 8,
            relevant_of: 10,
            irrelevant: 1,
            irrelevant_of: 10,
            examples: Vec::new(),
            z: None,
            nearest_query_rank: None,
            is_broad: false,
        }
    }

    #[test]
    fn terms_seeds_and_rules_come_of_proposals() {
        let seed = |url: &str| Seed {
            url: url.to_owned(),
            scope: SeedScope::Subdomains,
            depth: None,
            source_tag: String::new(),
        };
        let spec = Campaign {
            request: "ria AND naval".parse().unwrap(),
            seeds: vec![seed("http://a.pt/")],
            rules: standard_rules(),
            ..Campaign::new("x")
        };
        let word = with_proposal(&spec, &proposal(ProposalKind::Word, "casco", true)).unwrap();
        let both = with_proposal(&word, &proposal(ProposalKind::Anchor, "casco novo", true)).unwrap();
        assert_eq!(both.request.to_string(), "(ria AND naval) OR casco^0.8 OR \"casco novo\"^0.8");
        let empty = with_proposal(&Campaign::new("x"), &proposal(ProposalKind::Word, "casco", true)).unwrap();
        assert_eq!(empty.request.to_string(), "casco^0.8");
        let host = with_proposal(&spec, &proposal(ProposalKind::Host, "http://b.pt/", true)).unwrap();
        assert_eq!(host.seeds[1].url, "http://b.pt/");
        let path = proposal(ProposalKind::Path, "http://a.pt/desporto/", false);
        assert!(!is_in(&spec, &path));
        let less = with_proposal(&spec, &path).unwrap();
        assert!(is_in(&less, &path));
        let rules = DecideRules::compile(&less).unwrap();
        let decide = |url: &str| rules.decide(&Candidate::bare(Url::parse(url).unwrap()), &Facts::default()).decision;
        assert_eq!(decide("http://a.pt/desporto/1"), Decision::Reject);
        assert_eq!(decide("http://a.pt/desportos"), Decision::Accept);
        assert_eq!(decide("http://a.pt/obra/1"), Decision::Accept);
        assert!(is_in(&spec, &proposal(ProposalKind::Host, "http://a.pt/", false)), "no seed is refused");
    }
}
