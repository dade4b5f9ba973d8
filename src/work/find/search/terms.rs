//! Facets that no column has: the terms of a campaign's request, kinds of sites, entities, changes between launches.

use super::answers::versions_with_entity;
use super::{Found, SearchRoom, captures_beside, meeting_request};
use crate::campaign::Request;
use crate::jobs::lock;
use crate::search::{FacetKind, FacetValue, TextIndexError, facet_choices};
use crate::store::{AnalysisError, AnalysisStore, Catalogue, Workspace};
use crate::work::models::{CampaignId, CaptureQuery, PageChange};
use crate::work::{everything, index_folder};
use fixedbitset::FixedBitSet;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

/// Terms of requests whose captures are kept in memory, and that are counted of one request.
pub const MOST_TERMS: usize = 100;

/// Content versions of which entities are counted one by one.
const MOST_COUNTED_VERSIONS: usize = 20_000;

/// When the index was changed last; the state of the captures, and the newest one that was known.
type Present = (Option<SystemTime>, [i64; 7], i64);

/// The captures that hold terms, while neither index nor captures change.
pub(super) struct KnownTerms {
    present: Present,
    captures: HashMap<String, Arc<FixedBitSet>>,
    /// The captures of a campaign that hold each term of its request, of the campaign that was counted last.
    request: Option<(CampaignId, Request, Arc<Vec<FixedBitSet>>)>,
}

impl KnownTerms {
    fn of(present: Present) -> Self {
        Self { present, captures: HashMap::new(), request: None }
    }
}

impl SearchRoom {
    fn present(&self, catalogue: &Catalogue, folder: &Path) -> anyhow::Result<Present> {
        let index = std::fs::metadata(folder.join("meta.json")).and_then(|meta| meta.modified()).ok();
        Ok((index, catalogue.facts_stamp()?, self.facts(catalogue)?.newest()))
    }

    /// Keeps what was found of one state of index and captures, and forgets what was found of another.
    fn keep_known(&self, present: Present, keep: impl FnOnce(&mut KnownTerms)) {
        let mut known = lock(&self.terms);
        let is_full = |known: &KnownTerms| known.present != present || known.captures.len() >= MOST_TERMS;
        if known.as_ref().is_some_and(is_full) {
            *known = None;
        }
        keep(known.get_or_insert_with(|| KnownTerms::of(present)));
    }

    /// The captures of a campaign that hold each term of a request, found once for each state of index and captures.
    ///
    /// # Errors
    ///
    /// Those of finding them, and a catalogue that cannot be read.
    pub(in crate::work) fn holding_terms(
        &self,
        workspace: &Workspace,
        (campaign, request): (CampaignId, &Request),
        find: impl FnOnce() -> anyhow::Result<Vec<FixedBitSet>>,
    ) -> anyhow::Result<Arc<Vec<FixedBitSet>>> {
        let present = self.present(workspace.catalogue(), &index_folder(workspace))?;
        if let Some(known) = lock(&self.terms).as_ref().filter(|known| known.present == present)
            && let Some((of, before, holding)) = &known.request
            && (of, before) == (&campaign, request)
        {
            return Ok(Arc::clone(holding));
        }
        let holding = Arc::new(find()?);
        let kept = Arc::clone(&holding);
        self.keep_known(present, |known| known.request = Some((campaign, request.clone(), kept)));
        Ok(holding)
    }

    /// The captures that meet a term of a request.
    ///
    /// # Errors
    ///
    /// What is no request, and a catalogue or index that cannot be read.
    pub(super) fn with_term(
        &self,
        catalogue: &Catalogue,
        folder: &Path,
        term: &str,
    ) -> anyhow::Result<Arc<FixedBitSet>> {
        let present = self.present(catalogue, folder)?;
        if let Some(known) = lock(&self.terms).as_ref().filter(|known| known.present == present)
            && let Some(found) = known.captures.get(term)
        {
            return Ok(Arc::clone(found));
        }
        let of_index = self.index(catalogue, folder)?.ok_or_else(|| TextIndexError::Absent(folder.to_owned()))?;
        let found = Arc::new(meeting_request(catalogue, &of_index, self, term)?);
        let kept = Arc::clone(&found);
        self.keep_known(present, |known| drop(known.captures.insert(term.to_owned(), kept)));
        Ok(found)
    }
}

impl SearchRoom {
    /// How many of the captures that a filter finds are of each kind of site, whatever the filter chooses of these,
    /// the most frequent first.
    ///
    /// # Errors
    ///
    /// A catalogue or index that cannot be read.
    pub(in crate::work) fn kind_facet(
        &self,
        workspace: &Workspace,
        filter: &CaptureQuery,
        captures: &FixedBitSet,
    ) -> anyhow::Result<Vec<FacetValue>> {
        let (catalogue, folder) = (workspace.catalogue(), index_folder(workspace));
        let Some(index) = self.index(catalogue, &folder)? else { return Ok(Vec::new()) };
        let beside = captures_beside(catalogue, filter, FacetKind::Kind)?;
        let captures = beside.as_ref().unwrap_or(captures);
        let facts = self.facts(catalogue)?;
        let of_kind = |(value, versions): (String, FixedBitSet)| {
            let count = facts.captures_of(&versions).intersection_count(captures) as u64;
            (count > 0).then_some(FacetValue { value, count })
        };
        let mut values: Vec<FacetValue> = index.site_kinds()?.into_iter().filter_map(of_kind).collect();
        values.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
        Ok(values)
    }
}

impl SearchRoom {
    /// How many of the captures that a filter finds name each entity that analyses found, whatever the filter
    /// chooses of these, the most frequent first; none where nothing was analysed.
    ///
    /// # Errors
    ///
    /// A catalogue or a file of analyses that cannot be read.
    pub(in crate::work) fn entity_facet(
        &self,
        workspace: &Workspace,
        filter: &CaptureQuery,
        captures: &FixedBitSet,
    ) -> anyhow::Result<Vec<FacetValue>> {
        let (catalogue, folder) = (workspace.catalogue(), index_folder(workspace));
        let store = match AnalysisStore::open(workspace.folder()) {
            Err(AnalysisError::Absent(_)) => return Ok(Vec::new()),
            store => store?,
        };
        let runs = store.answering_runs()?;
        let beside = captures_beside(catalogue, filter, FacetKind::Entity)?;
        let captures = beside.as_ref().unwrap_or(captures);
        let facts = self.facts(catalogue)?;
        let versions = facts.versions_of(captures);
        // Of many captures, the entities that are on most pages of all.
        let is_counted = versions.count_ones(..) <= MOST_COUNTED_VERSIONS;
        let mut names = BTreeSet::new();
        for run in runs {
            match is_counted {
                true => names.extend(store.entities_on(run.id, &versions, MOST_TERMS)?),
                false => names.extend(store.entities(run.id, None, MOST_TERMS)?.into_iter().map(|entity| entity.name)),
            }
        }
        let mut values = Vec::new();
        for value in names {
            let of_name = facts.captures_of(&versions_with_entity(&folder, Some(&value))?);
            let count = of_name.intersection_count(captures) as u64;
            values.extend((count > 0).then_some(FacetValue { value, count }));
        }
        values.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
        values.truncate(MOST_TERMS);
        Ok(values)
    }
}

/// How many of the captures that a filter finds are new, gone, changed or failing since the launch before, whatever
/// the filter chooses of these; none where there are no two launches to compare.
///
/// # Errors
///
/// A catalogue that cannot be read.
pub(in crate::work) fn since_facet(
    catalogue: &Catalogue,
    filter: &CaptureQuery,
    captures: &FixedBitSet,
) -> anyhow::Result<Vec<FacetValue>> {
    let beside = captures_beside(catalogue, filter, FacetKind::Since)?;
    let captures = beside.as_ref().unwrap_or(captures);
    let mut values = Vec::new();
    for change in PageChange::ALL {
        let since = CaptureQuery { filter: change.filter(None), campaign: filter.campaign, ..everything() };
        let count = catalogue.matching_captures(&since)?.intersection_count(captures) as u64;
        values.extend((count > 0).then(|| FacetValue { value: change.name().to_owned(), count }));
    }
    Ok(values)
}

impl Found {
    /// How many of the captures found are new, gone, changed or failing.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub(in crate::work) fn since_facet(&self, catalogue: &Catalogue) -> anyhow::Result<Vec<FacetValue>> {
        since_facet(catalogue, &self.filter, &self.captures)
    }

    /// How many of the captures found name each entity.
    ///
    /// # Errors
    ///
    /// A catalogue or a file of analyses that cannot be read.
    pub(in crate::work) fn entity_facet(
        &self,
        workspace: &Workspace,
        room: &SearchRoom,
    ) -> anyhow::Result<Vec<FacetValue>> {
        room.entity_facet(workspace, &self.filter, &self.captures)
    }

    /// How many of the captures found are of each kind of site.
    ///
    /// # Errors
    ///
    /// A catalogue or index that cannot be read.
    pub(in crate::work) fn kind_facet(
        &self,
        workspace: &Workspace,
        room: &SearchRoom,
    ) -> anyhow::Result<Vec<FacetValue>> {
        room.kind_facet(workspace, &self.filter, &self.captures)
    }

    /// How many of the captures found hold each of these terms of a request, and
    /// terms that are chosen: in this order, those that none holds, too.
    ///
    /// # Errors
    ///
    /// A catalogue or index that cannot be read.
    pub(in crate::work) fn term_facet(
        &self,
        workspace: &Workspace,
        room: &SearchRoom,
        mut terms: Vec<String>,
    ) -> anyhow::Result<Vec<FacetValue>> {
        if self.index.is_none() {
            return Ok(Vec::new());
        }
        let (catalogue, folder) = (workspace.catalogue(), index_folder(workspace));
        let beside = captures_beside(catalogue, &self.filter, FacetKind::Term)?;
        let captures = beside.as_ref().unwrap_or(&self.captures);
        let chosen = facet_choices(&self.filter.filter).into_iter().filter(|choice| choice.kind == FacetKind::Term);
        let chosen: Vec<String> = chosen.map(|choice| choice.value).filter(|value| !terms.contains(value)).collect();
        terms.extend(chosen);
        let count = |value: String| {
            let count = room.with_term(catalogue, &folder, &value)?.intersection_count(captures) as u64;
            Ok(FacetValue { value, count })
        };
        terms.into_iter().map(count).collect()
    }
}
