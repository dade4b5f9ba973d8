//! The pages that a trial read, with their texts and links.

use crate::store::{LinkedText, ReadPage};
use crate::text;
use crate::work::Session;
use crate::work::find::stored_pages::PageTexts;
use crate::work::models::{CaptureId, LaunchId};
use serde::Serialize;
use std::collections::HashMap;

/// A page of a trial with its text and links.
pub(super) struct TrialPage {
    /// What the catalogue has of it.
    pub read: ReadPage,
    /// Its main text, or why its record cannot be read.
    pub main: Result<String, String>,
    /// Its links to pages.
    pub links: Vec<LinkedText>,
}

impl TrialPage {
    /// How often its text has each word; none of a page that cannot be read.
    pub fn token_counts(&self) -> HashMap<String, u32> {
        let mut counts = HashMap::new();
        for word in text::words(self.main.as_deref().unwrap_or_default()) {
            let count: &mut u32 = counts.entry(word).or_default();
            *count = count.saturating_add(1);
        }
        counts
    }
}

/// A page of a trial whose record cannot be read, so that it counts for nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadTrialPage {
    /// Its URL.
    pub url: String,
    /// Whether a person marked it.
    pub is_marked: bool,
    /// Why.
    pub why: String,
}

impl UnreadTrialPage {
    /// In one sentence.
    pub fn sentence(&self) -> String {
        let marked = if self.is_marked { ", which you marked," } else { "" };
        format!("{}{marked} counts for nothing: its record cannot be read ({})", self.url, self.why)
    }
}

/// Those of the pages whose record cannot be read.
pub(super) fn unread_pages(pages: &[TrialPage]) -> Vec<UnreadTrialPage> {
    let unread = |page: &TrialPage| {
        let why = page.main.as_ref().err()?.clone();
        Some(UnreadTrialPage { url: page.read.url.clone(), is_marked: page.read.relevance.is_some(), why })
    };
    pages.iter().filter_map(unread).collect()
}

/// The pages of a launch, also those whose record cannot be read.
///
/// # Errors
///
/// A catalogue or an index that cannot be read.
pub(super) fn trial_pages(session: &Session, launch: LaunchId) -> anyhow::Result<Vec<TrialPage>> {
    let catalogue = session.catalogue();
    let pages = catalogue.read_pages(launch)?;
    let captures: Vec<CaptureId> = pages.iter().map(|page| page.capture).collect();
    let versions: HashMap<CaptureId, u64> =
        catalogue.capture_heads(&captures)?.into_iter().map(|head| (head.id, head.version)).collect();
    let texts = PageTexts::open(&session.workspace)?;
    let mut reader = texts.reader()?;
    let links = catalogue.page_links(&captures)?;
    Ok(pages
        .into_iter()
        .zip(links)
        .map(|(read, links)| {
            let version = versions.get(&read.capture).copied().unwrap_or_default();
            let main = reader.text(read.capture, version).map(|page| page.main);
            let main = main.map_err(|error| crate::work::error_chain(&error));
            TrialPage { read, main, links }
        })
        .collect())
}

/// A URL without its fragment.
pub(super) fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or(url)
}
