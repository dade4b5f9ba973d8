//! Rows of the matrix for entities: names of authority files, found or not, and names that the request lacks.

use super::matrix::{MatrixRow, RowOrigin};
use crate::analysis::entities::{EntityKind, NamedEntity};
use crate::campaign::{Term, TermKind};
use crate::query::{parse_fields, quoted_value, write_query};
use crate::search::CaptureFacts;
use crate::store::{AnalysisError, AnalysisStore, Workspace};
use crate::text::fold;
use crate::work::models::CampaignId;
use fixedbitset::FixedBitSet;
use std::collections::HashSet;

/// Names of authority files that are found, and that are not, at most.
const MOST_KNOWN: usize = 25;
const MOST_ABSENT: usize = 10;
/// Names of authority files that are searched for the ones that are not found.
const MOST_SEARCHED: usize = 2_000;
/// Names that no file and no request has, at most: those on most pages.
const MOST_OTHERS: usize = 10;
/// Entities of an analysis that are gone through for these.
const MOST_READ: usize = 2_000;

/// A row with its captures.
pub(super) type EntityRowFound = (MatrixRow, FixedBitSet);

/// The term that an entity would be in a request.
pub fn term_of(kind: EntityKind, name: &str, uri: &str) -> Term {
    let kind = match kind {
        EntityKind::Person => TermKind::Person,
        EntityKind::Place => TermKind::Place,
        EntityKind::Organisation => TermKind::Organisation,
        EntityKind::Event => TermKind::Event,
        EntityKind::Unknown if name.contains(' ') => TermKind::Phrase,
        EntityKind::Unknown => TermKind::Keyword,
    };
    Term { uri: Some(uri.to_owned()).filter(|uri| !uri.is_empty()), ..Term::new(kind, name.to_owned()) }
}

/// The rows of entities, for a campaign with these captures, beside the terms of its request; none where nothing was
/// analysed.
///
/// # Errors
///
/// A catalogue or a file of analyses that cannot be read.
pub(super) fn entity_rows(
    workspace: &Workspace,
    facts: &CaptureFacts,
    (campaign, captures): (CampaignId, &FixedBitSet),
    requested: &[Term],
) -> anyhow::Result<Vec<EntityRowFound>> {
    let store = match AnalysisStore::open(workspace.folder()) {
        Err(AnalysisError::Absent(_)) => return Ok(Vec::new()),
        store => store?,
    };
    let Some(run) = store.run_of_campaign(campaign.get())? else { return Ok(Vec::new()) };
    let mut names: HashSet<String> = requested
        .iter()
        .flat_map(|term| std::iter::once(&term.value).chain(&term.aliases))
        .map(|of| fold(of))
        .collect();
    let mut row = |kind: EntityKind, name: &str, uri: &str, origin: RowOrigin| -> anyhow::Result<_> {
        if !names.insert(fold(name)) {
            return Ok(None);
        }
        let address = if uri.is_empty() { name } else { uri };
        let mut found = facts.captures_of(&store.versions_naming(Some(address))?);
        found.intersect_with(captures);
        let part = parse_fields(&format!("entity:{}", quoted_value(address)))?;
        let row = MatrixRow {
            label: name.to_owned(),
            term: term_of(kind, name, uri),
            is_against: false,
            origin,
            filter: write_query(&part),
            captures: found.count_ones(..) as u64,
            cells: Vec::new(),
            part,
        };
        Ok(Some((row, found)))
    };
    let (mut known, mut absent, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for entity in store.entities(run.id, None, MOST_READ)? {
        let (rows, most, origin) = match entity.source.as_str() {
            "" => (&mut others, MOST_OTHERS, RowOrigin::Found),
            _ => (&mut known, MOST_KNOWN, RowOrigin::Authority),
        };
        if rows.len() < most {
            let of: Option<EntityRowFound> = row(entity.kind, &entity.name, &entity.uri, origin)?;
            rows.extend(of.filter(|(row, _)| row.captures > 0));
        }
    }
    let named: Vec<NamedEntity> = workspace.catalogue().authority_entities()?.into_iter().map(|(_, of)| of).collect();
    for entity in named.iter().take(MOST_SEARCHED) {
        if absent.len() >= MOST_ABSENT {
            break;
        }
        let of: Option<EntityRowFound> = row(entity.kind, &entity.name, &entity.uri, RowOrigin::Authority)?;
        absent.extend(of.filter(|(row, _)| row.captures == 0));
    }
    for rows in [&mut known, &mut others] {
        rows.sort_by(|(a, _), (b, _)| b.captures.cmp(&a.captures).then_with(|| a.label.cmp(&b.label)));
    }
    Ok(known.into_iter().chain(absent).chain(others).collect())
}
