//! What the index of texts answers of terms, as sets of captures.

use super::{MOST_SIMILAR, NoQuery, SearchRoom, captures_found, meeting_request};
use crate::query::{FieldTerm, FieldTest, TextTest};
use crate::search::{CaptureFacts, FacetKind, NearGroups, TextIndex, TextIndexError};
use crate::store::{Catalogue, FullText, Workspace};
use crate::work::index_folder;
use crate::work::models::CampaignId;
use fixedbitset::FixedBitSet;
use std::path::PathBuf;
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

    fn facts(&self) -> Result<Arc<CaptureFacts>, String> {
        let Some(catalogue) = self.catalogue.upgrade() else { return Err("the workspace is closed".to_owned()) };
        self.room.facts(&catalogue).map_err(|error| crate::work::error_chain(&error))
    }
}

impl FullText for TextAnswers {
    fn captures(&self, term: &FieldTerm, campaign: Option<CampaignId>) -> Result<FixedBitSet, String> {
        let Some(catalogue) = self.catalogue.upgrade() else { return Err("the workspace is closed".to_owned()) };
        let answer = || -> anyhow::Result<FixedBitSet> {
            if let Some(field) = term.field.as_ref().filter(|field| field.name == "found") {
                return captures_found(&catalogue, &self.folder, &self.room, &field.value, campaign);
            }
            let index = self
                .room
                .index(&catalogue, &self.folder)?
                .ok_or_else(|| TextIndexError::Absent(self.folder.clone()))?;
            if let Some(field) = term.field.as_ref().filter(|field| field.name == "request") {
                return meeting_request(&catalogue, &index, &self.room, &field.value);
            }
            with_text(&index, self.room.near(&self.folder).as_deref(), &*self.room.facts(&catalogue)?, term)
        };
        answer().map_err(|error| crate::work::error_chain(&error))
    }

    fn of_campaign(&self, campaign: CampaignId) -> Result<FixedBitSet, String> {
        Ok(of_campaign(&*self.facts()?, campaign))
    }

    fn of_media(&self, media: &str) -> Result<FixedBitSet, String> {
        Ok(self.facts()?.with_value(FacetKind::Media, &[media]))
    }
}

/// The captures of a campaign.
pub(super) fn of_campaign(facts: &CaptureFacts, campaign: CampaignId) -> FixedBitSet {
    facts.with_value(FacetKind::Campaign, &[&campaign.to_string()])
}

/// The captures whose texts meet a term.
pub(super) fn with_text(
    index: &TextIndex,
    near: Option<&NearGroups>,
    facts: &CaptureFacts,
    term: &FieldTerm,
) -> anyhow::Result<FixedBitSet> {
    let capture_of = |field: &FieldTest| {
        let why = || format!("column {}: “{}” is no number of a capture", field.value_column, field.value);
        field.value.parse::<usize>().map_err(|_| NoQuery(why()))
    };
    let versions = match &term.field {
        None if term.test == TextTest::Any => return Ok(facts.captures().clone()),
        Some(field) if field.name == "like" => {
            let similar = index.similar(facts.version_of(capture_of(field)?) as u64, MOST_SIMILAR)?;
            similar.iter().filter_map(|similar| usize::try_from(similar.version).ok()).collect()
        }
        Some(field) if field.name == "similar" => {
            let Some(near) = near else {
                let why = "near-duplicates were not looked for yet; follow up the index: fonds index DIR";
                return Err(NoQuery(format!("column {}: {why}", field.value_column)).into());
            };
            if term.test == TextTest::Any {
                return Ok(with_near_duplicates(near, facts));
            }
            let version = facts.version_of(capture_of(field)?);
            // A text without near-duplicates is the only one of its group.
            let members = near.members(version as u64).iter().filter_map(|member| usize::try_from(*member).ok());
            members.chain([version]).collect()
        }
        Some(field) if field.name == "published" => {
            let seconds = field.seconds().map_err(|why| NoQuery(format!("column {}: {why}", field.value_column)))?;
            index.published_within(&seconds)?
        }
        field => index.holding(field.as_ref().map(|field| field.name.as_str()), &term.test)?,
    };
    Ok(facts.captures_of(&versions))
}

/// The captures whose text is nearly that of another version that has captures.
fn with_near_duplicates(near: &NearGroups, facts: &CaptureFacts) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(facts.captures().len());
    for versions in near.groups() {
        let of_each: Vec<Vec<usize>> =
            versions.iter().map(|version| facts.captures_of_version(*version as usize).collect()).collect();
        if of_each.iter().filter(|captures| !captures.is_empty()).count() > 1 {
            found.extend(of_each.into_iter().flatten());
        }
    }
    found
}
