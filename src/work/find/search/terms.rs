//! The terms of a campaign's request as a facet of what was found.

use super::{FacetChoice, Found, NoQuery, QueryContext, SearchQuery, SearchRoom, meeting_request};
use crate::jobs::lock;
use crate::search::{FacetKind, FacetValue, TextIndexError};
use crate::store::Workspace;
use crate::work::index_folder;
use fixedbitset::FixedBitSet;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::SystemTime;

/// Terms of requests whose captures are kept in memory, and that are counted of one request.
pub const MOST_TERMS: usize = 100;

/// The captures that hold terms, while neither index nor captures change.
pub(super) struct KnownTerms {
    /// When the index was changed last.
    index: Option<SystemTime>,
    /// The state of the captures, and the newest one that was known.
    facts: ([i64; 7], i64),
    captures: HashMap<String, Arc<FixedBitSet>>,
}

impl SearchRoom {
    /// The captures that meet a term of a request.
    ///
    /// # Errors
    ///
    /// [`NoQuery`] for what is no request, and a catalogue or index that cannot be read.
    pub(super) fn with_term(&self, context: &QueryContext<'_>, term: &str) -> anyhow::Result<Arc<FixedBitSet>> {
        let index = std::fs::metadata(context.folder.join("meta.json")).and_then(|meta| meta.modified()).ok();
        let facts = (context.catalogue.facts_stamp()?, context.facts.newest());
        let is_present = |known: &KnownTerms| known.index == index && known.facts == facts;
        if let Some(known) = lock(&self.terms).as_ref().filter(|known| is_present(known))
            && let Some(found) = known.captures.get(term)
        {
            return Ok(Arc::clone(found));
        }
        let of_index =
            context.index.ok_or_else(|| NoQuery(TextIndexError::Absent(context.folder.to_owned()).to_string()))?;
        let found = Arc::new(meeting_request(context.catalogue, of_index, self, term)?);
        let mut known = lock(&self.terms);
        if known.as_ref().is_none_or(|known| !is_present(known) || known.captures.len() >= MOST_TERMS) {
            *known = Some(KnownTerms { index, facts, captures: HashMap::new() });
        }
        known.iter_mut().for_each(|known| drop(known.captures.insert(term.to_owned(), Arc::clone(&found))));
        Ok(found)
    }
}

impl Found {
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
        search: &SearchQuery,
    ) -> anyhow::Result<Vec<FacetValue>> {
        let Some(index) = &self.index else { return Ok(Vec::new()) };
        let folder = index_folder(workspace);
        let context = QueryContext {
            catalogue: workspace.catalogue(),
            folder: &folder,
            facts: &self.facts,
            index: Some(index),
            near: self.near.as_deref(),
            campaign: search.campaign,
        };
        let captures = self.captures_beside(FacetKind::Term);
        let mut values = Vec::new();
        let chosen = search.facets.iter().filter(|choice| choice.kind == FacetKind::Term);
        let chosen: Vec<String> = chosen.map(|choice| choice.value.clone()).collect();
        terms.extend(chosen.into_iter().filter(|value| !terms.contains(value)).collect::<Vec<_>>());
        for value in terms {
            let count = room.with_term(&context, &value)?.intersection_count(&captures) as u64;
            values.push(FacetValue { value, count });
        }
        Ok(values)
    }
}

/// The captures that chosen terms of a request leave.
pub(super) fn with_terms(
    context: &QueryContext<'_>,
    room: &SearchRoom,
    choices: &[FacetChoice],
) -> anyhow::Result<FixedBitSet> {
    let of_terms = |is_excluded| {
        choices.iter().filter(move |choice| choice.kind == FacetKind::Term && choice.is_excluded == is_excluded)
    };
    let mut left = FixedBitSet::with_capacity(context.facts.captures().len());
    for choice in of_terms(false) {
        left.union_with(&*room.with_term(context, &choice.value)?);
    }
    if of_terms(false).next().is_none() {
        left.union_with(context.facts.captures());
    }
    for choice in of_terms(true) {
        left.difference_with(&*room.with_term(context, &choice.value)?);
    }
    Ok(left)
}
