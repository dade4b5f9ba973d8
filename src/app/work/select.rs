//! Scores captures and keeps the selection.

use super::content::decoded;
use super::everything;
use crate::analysis::{Matcher, RequestReading, ReviewWord, ScoreInput, TextFields, score, selected};
use crate::app::models::{CaptureQuery, ScoredRow, SelectionSpec};
use crate::jobs::JobCx;
use crate::links::stored::host_of;
use crate::store::{ToScore, Workspace};
use serde::Serialize;
use std::collections::HashSet;

/// What scores are given to: answers with content of their own. The rest
/// comes along as what a page needs, or not at all.
const SCORED: &str = "status:2xx -mime:image/ -mime:css -mime:javascript -mime:font -hops:P";

/// What selecting came to.
#[derive(Debug, Clone, Serialize)]
pub struct SelectReport {
    /// Captures scored.
    pub scored: u64,
    /// Captures selected.
    pub selected: u64,
    /// Hand decisions against the score.
    pub by_hand: u64,
    /// Links of captures that came since inlinks were built do not count.
    pub links_are_old: bool,
    /// Captures whose record could not be read; they have no text to match.
    pub unread: Vec<String>,
    /// Every scored capture.
    #[serde(skip)]
    pub rows: Vec<ScoredRow>,
}

impl SelectReport {
    /// The report in words.
    pub fn words(&self) -> String {
        let mut words = format!("{} of {} scored captures are selected", self.selected, self.scored);
        if self.by_hand > 0 {
            words.push_str(&format!(", {} by hand against the score", self.by_hand));
        }
        if !self.unread.is_empty() {
            words.push_str(&format!("; {} could not be read", self.unread.len()));
        }
        if self.links_are_old {
            words.push_str("; links of captures since the last build of inlinks do not count");
        }
        words
    }
}

/// Scores every capture of the campaign (and every imported one) and keeps
/// the selection.
pub fn select(workspace: &Workspace, spec: &SelectionSpec, cx: &JobCx) -> anyhow::Result<SelectReport> {
    let catalogue = workspace.catalogue();
    let (_, campaign) = catalogue.campaign(spec.campaign)?;
    let inlinks_built = workspace.built_links()?.is_some();
    // Captures that came since the last count have none.
    let counted = if inlinks_built { workspace.counts_are_new(spec.window_days)? } else { false };
    if !counted && (inlinks_built || spec.window_days != catalogue.window_days()?) {
        workspace.count_inlinks(spec.window_days, cx)?;
    }
    let query = CaptureQuery { campaign: Some(spec.campaign), filter: SCORED.to_owned(), ..everything() };
    let ids = catalogue.capture_ids(&query)?;
    // A filter in the place of the score.
    let wanted: Option<HashSet<i64>> = match spec.filter.trim() {
        "" => None,
        filter => {
            let filter = format!("{SCORED} {filter}");
            Some(catalogue.capture_ids(&CaptureQuery { filter, ..query.clone() })?.into_iter().collect())
        }
    };
    let matcher = Matcher::compile(&campaign.request);
    let mut report = SelectReport {
        scored: 0,
        selected: 0,
        by_hand: 0,
        links_are_old: workspace.links_are_old()?,
        unread: Vec::new(),
        rows: Vec::new(),
    };
    cx.stage("Scoring captures", Some(ids.len() as u64));
    for facts in catalogue.to_score(&ids)? {
        cx.advance(1)?;
        let row = score_one(workspace, spec, &matcher, inlinks_built, &facts, &mut report.unread)?;
        let high = match &wanted {
            None => row.score >= spec.threshold,
            Some(wanted) => wanted.contains(&row.id),
        };
        let row = ScoredRow {
            selected: match (&wanted, facts.by_hand) {
                (None, hand) => selected(row.score, spec.threshold, hand),
                (Some(_), hand) => hand.unwrap_or(high),
            },
            by_hand: facts.by_hand.is_some_and(|hand| hand != high),
            ..row
        };
        report.scored += 1;
        report.selected += u64::from(row.selected);
        report.by_hand += u64::from(row.by_hand);
        report.rows.push(row);
    }
    catalogue.keep_selection(spec, report.rows.clone())?;
    Ok(report)
}

fn score_one(
    workspace: &Workspace,
    spec: &SelectionSpec,
    matcher: &Matcher,
    inlinks_built: bool,
    facts: &ToScore,
    unread: &mut Vec<String>,
) -> anyhow::Result<ScoredRow> {
    let catalogue = workspace.catalogue();
    let stored = catalogue.stored_capture(facts.id)?;
    let text = match decoded(workspace, &stored) {
        Ok(decoded) => {
            let page = decoded.page(&stored.url, &stored.mime);
            page.map(|page| page.text).or_else(|| decoded.plain_text(&stored.mime)).unwrap_or_default()
        }
        Err(error) => {
            unread.push(format!("{}: {}", stored.url, super::in_words(&error)));
            String::new()
        }
    };
    let asks = !matcher.terms().is_empty();
    let request = asks.then(|| {
        let matches = matcher.read(&TextFields {
            title: &stored.title,
            text: &text,
            url: stored.url.as_str(),
            language: (!stored.language.is_empty()).then_some(stored.language.as_str()),
            date: Some(stored.date),
        });
        RequestReading { score: matches.score, holds: matches.holds, words: matcher.words(&matches) }
    });
    let anchor_hosts = match asks && inlinks_built {
        false => None,
        true => {
            let mut hosts = HashSet::<Box<str>>::new();
            workspace.each_inlink_of_capture(facts.id, spec.window_days, |link| {
                if !link.internal && !hosts.contains(host_of(link.source)) && matcher.speaks_of(link.anchor) {
                    hosts.insert(host_of(link.source).into());
                }
            })?;
            Some(hosts.len() as u64)
        }
    };
    let input = ScoreInput {
        request,
        external_hosts: if inlinks_built { facts.external_hosts } else { None },
        anchor_hosts,
        window_days: spec.window_days,
        depth: u32::try_from(facts.depth).ok(),
        review: match facts.review.as_str() {
            "approve" => ReviewWord::Approved,
            "reject" => ReviewWord::Rejected,
            "flag" => ReviewWord::Flagged,
            _ => ReviewWord::None,
        },
        first_of_payload: Some(!facts.repeats),
    };
    let parts = score(&input, &spec.weights);
    Ok(ScoredRow {
        id: facts.id,
        url: stored.url.to_string(),
        date: stored.date,
        score: parts.score,
        parts: parts.rows(),
        selected: false,
        by_hand: false,
    })
}
