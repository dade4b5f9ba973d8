//! Patches: resources that captures need and lack are fetched by a small launch of their own.

use super::crawl::{CrawlOptions, CrawlOutcome};
use crate::analysis::checks::RequisiteKind;
use crate::campaign::{Campaign, CrawlOrder, Seed, SeedScope};
use crate::jobs::JobCx;
use crate::scope::Decision;
use crate::scope::rules::{Rule, RuleKind};
use crate::store::Hole;
use crate::uri::{PageKey, Url, parse_web_url};
use crate::work::models::{CampaignId, CaptureId, CaptureQuery};
use crate::work::{Report, Session, counted, everything};
use serde::Serialize;
use serde_json::Value;
use std::collections::HashSet;

/// URLs that a patch fetches at most.
pub const MOST_PATCHED: usize = 10_000;
/// The word that captures of a patch carry, where those of a seed carry that of their seed.
pub const PATCH_TAG: &str = "patch";

/// The holes that a patch may fill.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct HoleChoice {
    /// Those too that a rule of the campaign refused: they are let in. A permission and robots.txt still hold.
    pub lets_in: bool,
    /// Those too that answered with an error such as 404.
    pub with_errors: bool,
}

impl HoleChoice {
    /// Whether a hole is among them.
    pub fn has(self, hole: &Hole) -> bool {
        use crate::store::HoleState::{Error, Refused};
        hole.state.may_be_let_in()
            && match &hole.state {
                Refused { .. } => self.lets_in,
                Error { .. } => self.with_errors || hole.state.is_worth_a_request(),
                _ => true,
            }
    }
}

/// The captures whose holes are meant: those that a filter finds in a campaign; its pages where there is none.
///
/// # Errors
///
/// A filter that is not understood.
pub fn captures_to_patch(session: &Session, campaign: CampaignId, filter: &str) -> anyhow::Result<Vec<CaptureId>> {
    let filter = if filter.trim().is_empty() { "media:page" } else { filter };
    let query = CaptureQuery { filter: filter.to_owned(), campaign: Some(campaign), ..everything() };
    Ok(session.catalogue().capture_ids(&query)?)
}

/// What a patch is made for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PatchSource {
    /// What these captures lack.
    Captures(Vec<CaptureId>),
    /// What the captures lack that a filter finds.
    Filter(String),
}

/// What a patch could fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchOffer {
    /// The campaign that it would be a launch of; none where the captures are of none.
    pub campaign: Option<CampaignId>,
    /// The captures that were looked through.
    pub captures: Vec<CaptureId>,
    /// What these lack.
    pub holes: Vec<Hole>,
}

impl PatchOffer {
    /// The URLs of a choice of its holes.
    pub fn urls(&self, choice: HoleChoice) -> Vec<String> {
        self.holes.iter().filter(|hole| choice.has(hole)).map(|hole| hole.url.clone()).collect()
    }
}

/// Looks for what a patch could fetch, in a campaign or that of the first capture.
///
/// # Errors
///
/// A filter that is not understood, a catalogue that cannot be read, or a stop.
pub fn patch_offer(
    session: &Session,
    campaign: Option<CampaignId>,
    source: &PatchSource,
    cx: &JobCx,
) -> anyhow::Result<PatchOffer> {
    let catalogue = session.catalogue();
    let captures = match source {
        PatchSource::Captures(captures) => captures.clone(),
        PatchSource::Filter(filter) => {
            let query = CaptureQuery { filter: filter.clone(), campaign, ..everything() };
            catalogue.capture_ids(&query)?
        }
    };
    let campaign = match (campaign, captures.first()) {
        (None, Some(first)) => catalogue.campaign_of_capture(*first)?,
        (named, _) => named,
    };
    let holes = catalogue.holes(&captures, cx)?;
    Ok(PatchOffer { campaign, captures, holes })
}

/// The URLs of a list: one a line, blank lines and those that begin with `#` left out; each once.
///
/// # Errors
///
/// A line that is no web address; an empty or too long list.
pub fn urls_of_list(text: &str) -> anyhow::Result<Vec<String>> {
    let (mut urls, mut known) = (Vec::new(), HashSet::new());
    for (number, line) in (1_u64..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let url = parse_web_url(line).ok_or_else(|| anyhow::anyhow!("line {number}: “{line}” is no web address"))?;
        if known.insert(url.to_string()) {
            urls.push(url.into());
        }
    }
    check_length(urls.len())?;
    Ok(urls)
}

fn check_length(urls: usize) -> anyhow::Result<()> {
    anyhow::ensure!(urls > 0, "there is nothing to patch: the list has no URL");
    anyhow::ensure!(
        urls <= MOST_PATCHED,
        "a patch fetches at most {MOST_PATCHED} URLs, and the list has {urls}. Narrow the filter, or make them seeds: \
         fonds patch DIR CAMPAIGN FILTER --list --seeds FILE"
    );
    Ok(())
}

/// The outcome of a patch.
#[derive(Debug, Clone, Serialize)]
pub struct PatchOutcome {
    /// Its crawl.
    #[serde(flatten)]
    pub crawl: CrawlOutcome,
    /// URLs of its list.
    pub listed: u64,
    /// Those that have a capture now that is no error.
    pub filled: u64,
    /// Those that have none.
    pub left: Vec<Hole>,
}

impl Report for PatchOutcome {
    fn summary(&self) -> String {
        format!(
            "{} of {} filled, {} left; {}",
            self.filled,
            counted(self.listed, "hole"),
            self.left.len(),
            self.crawl.figures()
        )
    }
}

/// The campaign as a patch runs it: its list in the place of the seeds, each with what it needs itself. Of the rules
/// those count that guard the crawl (permissions, robots.txt, times, sizes, schemes); what is in scope the person
/// decided who chose the list. Each rule keeps its number.
pub(super) fn patch_campaign(spec: &Campaign, urls: &[String]) -> Campaign {
    let seed = |url: &String| Seed {
        url: url.clone(),
        scope: SeedScope::Resource,
        depth: None,
        source_tag: PATCH_TAG.to_owned(),
    };
    let mut has_seeds = false;
    let mut rules: Vec<Value> = spec.rules.clone();
    for saved in &mut rules {
        let Ok(rule) = Rule::read(saved) else { continue };
        let is_seeds = matches!(rule.kind, RuleKind::SeedScope(_)) && !has_seeds;
        has_seeds |= is_seeds;
        if let Some(fields) = saved.as_object_mut() {
            fields.insert("enabled".to_owned(), Value::Bool(is_seeds || rule.enabled && is_guard(&rule.kind)));
        }
    }
    if !has_seeds {
        let own = crate::scope::standard_rules().into_iter().filter(|rule| rule["rule"] == "seed_scope");
        rules.splice(0..0, own);
    }
    Campaign {
        seeds: urls.iter().map(seed).collect(),
        rules,
        order: CrawlOrder::RoundRobin,
        left_out_redirects: Vec::new(),
        ..spec.clone()
    }
}

/// Rules that hold for a list that a person chose.
fn is_guard(rule: &RuleKind) -> bool {
    match rule {
        RuleKind::Permission(rule) => rule.decision == Decision::Reject,
        RuleKind::ScheduleWindow(rule) => rule.decision == Decision::Reject,
        RuleKind::Robots(_) | RuleKind::ContentSize(_) | RuleKind::SchemeNotInSet(_) | RuleKind::Transclusion(_) => {
            true
        }
        _ => false,
    }
}

/// Fetches a list of URLs as a patch of a campaign, then looks whether the holes are filled: those of `captures` where
/// these are named, else whether each URL has a capture.
///
/// # Errors
///
/// A campaign that cannot be crawled, an empty list, a workspace that cannot be written.
pub(in crate::work) fn patch(
    session: &Session,
    campaign: CampaignId,
    urls: &[String],
    captures: &[CaptureId],
    options: &CrawlOptions,
    cx: &JobCx,
) -> anyhow::Result<PatchOutcome> {
    check_length(urls.len())?;
    let options = CrawlOptions { patch: Some(urls.to_vec()), trial: None, ..options.clone() };
    let crawl = super::crawl::crawl(session, campaign, &options, cx)?;
    let left = holes_left(session, urls, captures, cx)?;
    let listed = urls.len() as u64;
    Ok(PatchOutcome { crawl, listed, filled: listed.saturating_sub(left.len() as u64), left })
}

/// The check after a patch: the holes that it was made for and that are still there. Review checks that look at missing
/// resources are run again from here.
fn holes_left(session: &Session, urls: &[String], captures: &[CaptureId], cx: &JobCx) -> anyhow::Result<Vec<Hole>> {
    let catalogue = session.catalogue();
    let listed: HashSet<&str> = urls.iter().map(String::as_str).collect();
    let mut left = catalogue.holes(captures, cx)?;
    left.retain(|hole| listed.contains(hole.url.as_str()));
    let known: HashSet<&str> = left.iter().map(|hole| hole.url.as_str()).collect();
    let others: Vec<&String> = urls.iter().filter(|url| !known.contains(url.as_str())).collect();
    let mut also = Vec::new();
    for url in others {
        let Ok(parsed) = Url::parse(url) else { continue };
        if let Some(state) = catalogue.hole_of(&PageKey::of(&parsed), url)? {
            let (kind, page) = (RequisiteKind::Other, CaptureId::default());
            also.push(Hole { url: url.clone(), kind, weight: 0, pages: 0, page, state });
        }
    }
    left.append(&mut also);
    Ok(left)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::scope::{Candidate, DecideRules, Facts, standard_rules};

    #[test]
    fn a_list_is_read_line_by_line_and_names_what_is_no_url() {
        let urls = urls_of_list("# holes\nhttp://a.pt/x.png\n\n http://a.pt/x.png#y \nhttps://b.pt/\n").unwrap();
        assert_eq!(urls, ["http://a.pt/x.png", "https://b.pt/"]);
        assert!(urls_of_list("http://a.pt/\nimage.png").unwrap_err().to_string().starts_with("line 2: “image.png”"));
        assert!(urls_of_list("# none\n").unwrap_err().to_string().contains("nothing to patch"));
    }

    #[test]
    fn a_patch_takes_its_list_and_what_that_needs_and_nothing_else() {
        let mut spec = Campaign::new("Town");
        spec.rules = standard_rules();
        spec.seeds = vec![Seed {
            url: "http://a.pt/".to_owned(),
            scope: SeedScope::Subdomains,
            depth: None,
            source_tag: String::new(),
        }];
        let regex = spec.rules.iter_mut().find(|rule| rule["rule"] == "regex").unwrap();
        regex["patterns"] = serde_json::json!([".*/maps/.*"]);
        let names = |spec: &Campaign| spec.rules.iter().map(|rule| rule["rule"].clone()).collect::<Vec<_>>();
        let patched = patch_campaign(&spec, &["http://maps.pt/maps/x.css".to_owned()]);
        assert_eq!(names(&patched), names(&spec));
        let rules = DecideRules::compile(&patched).unwrap();
        let accepts = |url: &str, hops: &str| {
            let mut candidate = Candidate::bare(url.parse().unwrap());
            candidate.is_seed = hops.is_empty();
            candidate.hops = hops.to_owned();
            candidate.seed = Some("http://maps.pt/maps/x.css".to_owned());
            rules.decide(&candidate, &Facts::default()).decision == Decision::Accept
        };
        assert!(accepts("http://maps.pt/maps/x.css", ""));
        assert!(accepts("http://maps.pt/maps/font.woff", "E"));
        assert!(!accepts("http://a.pt/page", "L"));
        assert!(!accepts("http://maps.pt/page", "L"));
    }
}
