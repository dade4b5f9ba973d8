//! What the index of texts answers of terms, as sets of captures.

use super::{MOST_SIMILAR, SearchQuery, SearchRoom};
use crate::jobs::empty_set;
use crate::query::{FieldTerm, FieldTest, TextTest};
use crate::search::{CaptureFacts, CaptureLetters, LettersOf, NearGroups, TextIndex, TextIndexError};
use crate::store::{AnalysisStore, Catalogue, FullText, Workspace};
use crate::work::index_folder;
use crate::work::models::CampaignId;
use anyhow::Context;
use fixedbitset::FixedBitSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

/// Answers the terms of filters that ask for words of texts.
pub(in crate::work) struct TextAnswers {
    room: Arc<SearchRoom>,
    folder: PathBuf,
    /// It keeps these answers itself.
    catalogue: Weak<Catalogue>,
}

impl TextAnswers {
    /// Answers for a workspace.
    pub(in crate::work) fn new(workspace: &Workspace, room: Arc<SearchRoom>) -> Self {
        Self { room, folder: index_folder(workspace), catalogue: Arc::downgrade(workspace.catalogue()) }
    }

    fn of<T>(&self, answer: impl FnOnce(&Catalogue) -> anyhow::Result<T>) -> Result<T, String> {
        let Some(catalogue) = self.catalogue.upgrade() else { return Err("the workspace is closed".to_owned()) };
        answer(&catalogue).map_err(|error| crate::work::error_chain(&error))
    }
}

impl FullText for TextAnswers {
    fn captures(&self, term: &FieldTerm, campaign: Option<CampaignId>) -> Result<FixedBitSet, String> {
        self.of(|catalogue| {
            let field = term.field.as_ref();
            if let Some(field) = field.filter(|field| field.name == "found") {
                let search = SearchQuery { text: field.value.clone(), campaign, ..SearchQuery::default() };
                return Ok(catalogue.matching_captures(&search.filter())?);
            }
            if let Some(field) = field.filter(|field| field.name == "request") {
                return Ok((*self.room.with_term(catalogue, &self.folder, &field.value)?).clone());
            }
            if let Some(field) = field.filter(|field| field.name == "entity") {
                let name = (term.test != TextTest::Any).then_some(field.value.as_str());
                return Ok(self.room.facts(catalogue)?.captures_of(&versions_with_entity(&self.folder, name)?));
            }
            let index = self.room.index(catalogue, &self.folder)?;
            let index = index.ok_or_else(|| TextIndexError::Absent(self.folder.clone()))?;
            with_text(&index, self.room.near(&self.folder).as_deref(), &*self.room.facts(catalogue)?, term)
        })
    }

    fn has_index(&self) -> Result<bool, String> {
        self.of(|catalogue| Ok(self.room.index(catalogue, &self.folder)?.is_some()))
    }

    fn facts(&self) -> Result<Arc<CaptureFacts>, String> {
        self.of(|catalogue| self.room.facts(catalogue))
    }

    fn facts_in_memory(&self) -> Option<Arc<CaptureFacts>> {
        self.room.facts_in_memory(&*self.catalogue.upgrade()?)
    }

    fn letters(&self, of: LettersOf) -> Result<Option<Arc<CaptureLetters>>, String> {
        self.of(|catalogue| self.room.letters(catalogue, of))
    }
}

/// The content versions with an entity of this name or URI, or with any, by the analyses that answer for the workspace
/// that an index is of.
pub(super) fn versions_with_entity(index: &Path, name: Option<&str>) -> anyhow::Result<FixedBitSet> {
    Ok(AnalysisStore::open(index.parent().unwrap_or(index))?.versions_naming(name)?)
}

/// The captures whose texts meet a term.
fn with_text(
    index: &TextIndex,
    near: Option<&NearGroups>,
    facts: &CaptureFacts,
    term: &FieldTerm,
) -> anyhow::Result<FixedBitSet> {
    let capture_of = |field: &FieldTest| {
        field.value.parse::<usize>().with_context(|| format!("“{}” is no number of a capture", field.value))
    };
    let versions = match &term.field {
        Some(field) if field.name == "like" => {
            let similar = index.similar(facts.version_of(capture_of(field)?) as u64, MOST_SIMILAR)?;
            similar.iter().filter_map(|similar| usize::try_from(similar.version).ok()).collect()
        }
        Some(field) if field.name == "similar" => {
            let Some(near) = near else {
                anyhow::bail!("near-duplicates were not looked for yet; follow up the index: fonds index DIR");
            };
            if term.test == TextTest::Any {
                return Ok(with_near_duplicates(near, facts));
            }
            let version = facts.version_of(capture_of(field)?);
            // A text without near-duplicates is the only one of its group.
            let members = near.members(version as u64).iter().filter_map(|member| usize::try_from(*member).ok());
            members.chain([version]).collect()
        }
        Some(field) if field.name == "kind" => match &term.test {
            TextTest::Any => index.site_kinds()?.into_values().fold(FixedBitSet::new(), |mut all, versions| {
                all.union_with(&versions);
                all
            }),
            _ => index.of_site_kind(&field.value.to_lowercase())?,
        },
        Some(field) if field.name == "published" => {
            index.published_within(&field.seconds().map_err(anyhow::Error::msg)?)?
        }
        field => index.holding(field.as_ref().map(|field| field.name.as_str()), &term.test)?,
    };
    Ok(facts.captures_of(&versions))
}

/// The captures whose text is nearly that of another version that has captures.
fn with_near_duplicates(near: &NearGroups, facts: &CaptureFacts) -> FixedBitSet {
    let mut found = empty_set(facts.captures().len());
    for versions in near.groups() {
        let of_each: Vec<Vec<usize>> =
            versions.iter().map(|version| facts.captures_of_version(*version as usize).collect()).collect();
        if of_each.iter().filter(|captures| !captures.is_empty()).count() > 1 {
            found.extend(of_each.into_iter().flatten());
        }
    }
    found
}
