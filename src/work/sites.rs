//! The kinds of the sites of a workspace, with the exclusions that suit them.

use super::find::stored_pages::PageTexts;
use crate::campaign::Campaign;
use crate::captures::{SITE_KINDS, SiteKind};
use crate::jobs::JobCx;
use crate::scope::Decision;
use crate::uri::{Url, authority_of};
use crate::work::Session;
use crate::work::models::{CampaignId, CaptureQuery};
use serde::Serialize;
use std::collections::BTreeMap;

/// A host of a kind of site.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SiteRow {
    /// Host, with its port where that is no default.
    pub host: String,
    /// The kind, by its name.
    pub kind: String,
    /// Pages of that kind, of all pages of the host that were read.
    pub pages: [u64; 2],
    /// Signs that they have, those of most pages first.
    pub evidence: Vec<String>,
    /// Parts of URLs that the preset skips, as regular expressions.
    pub skip: Vec<String>,
    /// The pages that the preset leaves to be followed, in words.
    pub follow: String,
}

/// Hosts whose pages are of a known kind, by what the index has of them.
pub fn sites(session: &Session, campaign: Option<CampaignId>, cx: &JobCx) -> anyhow::Result<Vec<SiteRow>> {
    let texts = PageTexts::open(&session.workspace)?;
    anyhow::ensure!(texts.index().is_some(), "pages are read by the index, and there is none yet: fonds index DIR");
    let ids = session.catalogue().capture_ids(&CaptureQuery { campaign, ..super::everything() })?;
    let mut pages: BTreeMap<String, u64> = BTreeMap::new();
    let mut found: BTreeMap<(String, String), (u64, BTreeMap<String, u64>)> = BTreeMap::new();
    let mut reader = texts.reader()?;
    for some in ids.chunks(1_000) {
        cx.checkpoint()?;
        for head in session.catalogue().capture_heads(some)? {
            let Some(page) = reader.indexed(head.version) else { continue };
            let facts = super::find::stored_pages::facts_of(&page);
            let Some(url) = Url::parse(&head.url).ok().filter(|_| facts.is_page) else { continue };
            let host = authority_of(&url).to_owned();
            for (kind, evidence) in facts.site_kinds {
                let (count, signs) = found.entry((host.clone(), kind)).or_default();
                *count += 1;
                evidence.into_iter().for_each(|sign| *signs.entry(sign).or_default() += 1);
            }
            *pages.entry(host).or_default() += 1;
        }
    }
    let row = |((host, kind), (count, signs)): ((String, String), (u64, BTreeMap<String, u64>))| {
        let mut evidence: Vec<(String, u64)> = signs.into_iter().collect();
        evidence.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let preset = SITE_KINDS.iter().find(|of| of.name == kind);
        SiteRow {
            pages: [count, pages.get(&host).copied().unwrap_or_default()],
            evidence: evidence.into_iter().map(|(sign, _)| sign).collect(),
            skip: preset.map(|of| of.skip.clone()).unwrap_or_default(),
            follow: preset.map(|of| of.follow.clone()).unwrap_or_default(),
            host,
            kind,
        }
    };
    Ok(found.into_iter().map(row).collect())
}

/// A campaign with the exclusions of the kinds of these hosts behind its rules, which a person may save.
pub fn with_site_presets(campaign: &Campaign, rows: &[SiteRow]) -> Campaign {
    let mut edited = campaign.clone();
    for row in rows {
        let Some(kind) = SITE_KINDS.iter().find(|kind| kind.name == row.kind) else { continue };
        let rule = preset_rule(kind, &row.host);
        if !edited.rules.contains(&rule) {
            edited.rules.push(rule);
        }
    }
    edited
}

fn preset_rule(kind: &SiteKind, host: &str) -> serde_json::Value {
    let host = host.replace('.', "\\.").replace('[', "\\[").replace(']', "\\]");
    // The slash behind the host may be that of the part.
    let patterns = kind.skip.iter().map(|skip| format!("https?://{host}(?:/.*)?{skip}.*"));
    let comment = format!("{}: URLs that repeat what others have", kind.label);
    crate::scope::regex_rule(&comment, patterns.collect(), Decision::Reject)
}
