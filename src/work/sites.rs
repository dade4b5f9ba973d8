//! The kinds of the sites of a workspace, with the exclusions that suit them.

use super::find::stored_pages::{PageTexts, facts_of};
use crate::campaign::Campaign;
use crate::captures::{PageFacts, SiteKinds};
use crate::jobs::JobCx;
use crate::scope::Decision;
use crate::search::FacetKind;
use crate::work::Session;
use crate::work::models::{CampaignId, CaptureQuery};
use anyhow::Context;
use fixedbitset::FixedBitSet;
use serde::Serialize;
use std::collections::BTreeMap;

/// Pages of a host that are read for the signs that they have.
const PAGES_READ: usize = 20;

/// A host of a kind of site.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SiteRow {
    /// Host, with its port where that is no default.
    pub host: String,
    /// The kind, by its name.
    pub kind: String,
    /// The name of the kind on the screen.
    pub label: String,
    /// Captured pages of that kind, of all captured pages of the host.
    pub pages: [u64; 2],
    /// Signs that twenty of them have, those of most pages first.
    pub evidence: Vec<String>,
    /// Parts of URLs that the preset skips, as regular expressions.
    pub skip: Vec<String>,
    /// The pages that the preset leaves to be followed, in words.
    pub follow: String,
}

/// Hosts whose pages are of a known kind, by what the index has of them: the host with most such pages first.
///
/// # Errors
///
/// No index, a catalogue or a file of kinds that cannot be read, or a stop.
pub fn sites(session: &Session, campaign: Option<CampaignId>, cx: &JobCx) -> anyhow::Result<Vec<SiteRow>> {
    let texts = PageTexts::open(&session.workspace)?;
    let index = texts.index().context("pages are read by the index, and there is none yet: fonds index DIR")?;
    let known = session.workspace.site_kinds()?;
    let facts = session.search_room().facts(session.catalogue())?;
    let of_campaign = match campaign {
        Some(_) => session.catalogue().matching_captures(&CaptureQuery { campaign, ..super::everything() })?,
        None => facts.captures().clone(),
    };
    let mut pages: BTreeMap<&str, u64> = BTreeMap::new();
    for capture in facts.with_value_among(&of_campaign, FacetKind::Media, |media| media == "page").ones() {
        *pages.entry(facts.host_of(capture)).or_default() += 1;
    }
    let mut reader = texts.reader()?;
    let mut rows = Vec::new();
    for (name, versions) in index.site_kinds()? {
        cx.checkpoint()?;
        let mut captures = facts.captures_of(&versions);
        captures.intersect_with(&of_campaign);
        let mut hosts: BTreeMap<&str, FixedBitSet> = BTreeMap::new();
        for capture in captures.ones() {
            hosts.entry(facts.host_of(capture)).or_default().grow_and_insert(capture);
        }
        let preset = known.kind(&name);
        for (host, captures) in hosts {
            let mut signs: BTreeMap<String, u64> = BTreeMap::new();
            for capture in captures.ones().take(PAGES_READ) {
                let Some(page) = reader.indexed(facts.version_of(capture) as u64) else { continue };
                let of_kind = facts_of(&page).site_kinds.into_iter().filter(|(kind, _)| *kind == name);
                of_kind.flat_map(|(_, evidence)| evidence).for_each(|sign| *signs.entry(sign).or_default() += 1);
            }
            let mut evidence: Vec<(String, u64)> = signs.into_iter().collect();
            evidence.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            let count = captures.count_ones(..) as u64;
            rows.push(SiteRow {
                pages: [count, pages.get(host).copied().unwrap_or_default().max(count)],
                evidence: evidence.into_iter().map(|(sign, _)| sign).collect(),
                label: preset.map_or_else(|| name.clone(), |of| of.label.clone()),
                skip: preset.map(|of| of.skip.clone()).unwrap_or_default(),
                follow: preset.map(|of| of.follow.clone()).unwrap_or_default(),
                host: host.to_owned(),
                kind: name.clone(),
            });
        }
    }
    rows.sort_by(|a, b| b.pages[0].cmp(&a.pages[0]).then_with(|| (&a.host, &a.kind).cmp(&(&b.host, &b.kind))));
    Ok(rows)
}

/// The kinds of site that a page is of, by their names on the screen, each with its signs.
pub(in crate::work) fn site_labels(known: &SiteKinds, facts: &PageFacts) -> Vec<String> {
    let label = |(name, evidence): &(String, Vec<String>)| {
        let label = known.kind(name).map_or(name.as_str(), |kind| &kind.label);
        format!("{label}, by {}", evidence.join("; "))
    };
    facts.site_kinds.iter().map(label).collect()
}

/// Rules that exclude what the kind of a host repeats, one for each host of a kind that has such exclusions.
pub fn site_rules(rows: &[SiteRow]) -> Vec<serde_json::Value> {
    rows.iter().filter(|row| !row.skip.is_empty()).map(preset_rule).collect()
}

/// A campaign with such rules behind its own, which a person may save; those that it has are not added again.
pub fn with_site_presets(campaign: &Campaign, rows: &[SiteRow]) -> Campaign {
    let mut edited = campaign.clone();
    for rule in site_rules(rows) {
        if !edited.rules.contains(&rule) {
            edited.rules.push(rule);
        }
    }
    edited
}

/// The kinds that pages of a workspace are compared with, as the file that a person may edit.
///
/// # Errors
///
/// A file of kinds that cannot be used.
pub fn site_kinds_file(session: &Session) -> anyhow::Result<String> {
    Ok(session.workspace.site_kinds()?.to_json())
}

fn preset_rule(row: &SiteRow) -> serde_json::Value {
    let host = row.host.replace('.', "\\.").replace('[', "\\[").replace(']', "\\]");
    // The slash behind the host may be that of the part.
    let patterns = row.skip.iter().map(|skip| format!("https?://{host}(?:/.*)?(?:{skip}).*"));
    let comment = format!("{}: URLs that repeat what others have", row.label);
    crate::scope::regex_rule(&comment, patterns.collect(), Decision::Reject)
}
