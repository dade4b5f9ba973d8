//! Which texts hold personal data, as a check before they are handed over.

use super::run::AnalysedCaptures;
use crate::analysis::{PersonalDataKind, personal_data};
use crate::jobs::{JobCx, counted};
use crate::search::TextIndexError;
use crate::store::Workspace;
use crate::work::models::CaptureId;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;

/// Texts that are read in one step.
const BATCH: usize = 128;
/// Texts that one thread reads behind each other.
const READ_TOGETHER: usize = 16;

/// Personal data in the text of a content version: how many, not which.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PersonalDataFound {
    /// The first capture of the content version.
    pub capture: CaptureId,
    /// Its URL.
    pub url: String,
    /// How many of each kind.
    pub counts: BTreeMap<PersonalDataKind, u64>,
}

/// The check of selected texts for personal data.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PersonalDataCheck {
    /// Texts with personal data; none where there is no index of texts to look in.
    pub texts: Option<u64>,
    /// Captures that are not indexed yet, and were not looked at.
    pub unindexed: u64,
    /// The command that lists the texts.
    pub command: String,
}

impl PersonalDataCheck {
    /// The outcome in words, with the way to the texts.
    pub fn summary(&self) -> String {
        let rest = match self.unindexed {
            0 => String::new(),
            captures => format!(" ({} not indexed and not looked at)", counted(captures, "capture")),
        };
        match self.texts {
            None => "not looked at for personal data, since texts are not indexed: fonds index".to_owned(),
            Some(0) => format!("no personal data known by pattern in selected texts{rest}"),
            Some(texts) => {
                format!("personal data in {}{rest}; list them: {}", counted(texts, "selected text"), self.command)
            }
        }
    }
}

/// The content versions of captures with personal data in their texts, menus and footers included, in order.
///
/// # Errors
///
/// A catalogue or an index that cannot be read, or `Cancelled`.
pub(in crate::work) fn with_personal_data(
    workspace: &Workspace,
    of: &AnalysedCaptures<'_>,
    cx: &JobCx,
) -> anyhow::Result<Vec<PersonalDataFound>> {
    let mut versions = of.facts.versions_of(&of.captures);
    versions.intersect_with(&of.all);
    let versions: Vec<usize> = versions.ones().collect();
    cx.stage("Looking for personal data", Some(versions.len() as u64));
    let some = |versions: &[usize]| {
        let mut pages = of.index.pages()?;
        let mut one = |version: &usize| {
            let page = pages.page(*version as u64)?.unwrap_or_default();
            let mut counts: BTreeMap<PersonalDataKind, u64> = BTreeMap::new();
            for text in [&page.main, &page.rest] {
                personal_data(text).iter().for_each(|(kind, _)| *counts.entry(*kind).or_default() += 1);
            }
            Ok((*version, counts))
        };
        versions.iter().map(&mut one).collect::<Result<Vec<_>, TextIndexError>>()
    };
    let mut found = Vec::new();
    for batch in versions.chunks(BATCH) {
        let read = batch.par_chunks(READ_TOGETHER).map(some).collect::<Result<Vec<_>, TextIndexError>>()?;
        for (version, counts) in read.into_iter().flatten().filter(|(_, counts)| !counts.is_empty()) {
            let capture = CaptureId::try_from(version)?;
            let url = workspace.catalogue().capture_row(capture)?.url.to_string();
            found.push(PersonalDataFound { capture, url, counts });
        }
        cx.advance(batch.len() as u64)?;
    }
    Ok(found)
}
