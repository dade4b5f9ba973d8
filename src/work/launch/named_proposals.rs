//! What the newest analysis suggests for a request: entities and terms that captures hold which persons found relevant,
//! and that the request lacks.

use crate::analysis::entities::EntityKind;
use crate::analysis::{Proposal, ProposalKind};
use crate::query::quoted_value;
use crate::store::{AnalysisError, AnalysisStore, Relevance};
use crate::text;
use crate::work::models::{CampaignId, CaptureId};
use crate::work::{Session, everything};
use fixedbitset::FixedBitSet;
use std::collections::HashSet;

/// Entities and terms of the run that are compared.
const MOST_COMPARED: usize = 2_000;
const MOST_TERMS: usize = 200;
/// Relevant pages that one must be on.
const MIN_PAGES: u64 = 3;
/// Percent of judged pages with it that are relevant.
const ONE_SIDED_PERCENT: u64 = 80;
/// Proposals of entities, and of terms.
const MOST: usize = 20;
/// URLs shown with a proposal.
const EXAMPLES: usize = 3;

/// Content versions that persons found relevant, and others.
pub(super) struct JudgedPages {
    relevant: FixedBitSet,
    irrelevant: FixedBitSet,
}

impl JudgedPages {
    /// Those of a campaign: by decisions, by judgements of results of searches, and by marks of pages of a trial.
    pub fn of(session: &Session, campaign: CampaignId, marked: &[(CaptureId, Relevance)]) -> anyhow::Result<Self> {
        let facts = session.facts()?;
        let found = |line: &str, mark: Relevance| -> anyhow::Result<FixedBitSet> {
            let query = crate::work::models::CaptureQuery {
                filter: format!("campaign:{campaign} ({line})"),
                campaign: Some(campaign),
                ..everything()
            };
            let mut captures = session.catalogue().matching_captures(&query)?;
            for (capture, _) in marked.iter().filter(|(_, of)| *of == mark) {
                captures.grow_and_insert(usize::try_from(capture.get())?);
            }
            Ok(facts.versions_of(&captures))
        };
        let relevant = found("mark:approve OR right:*", Relevance::Relevant)?;
        let mut irrelevant = found("mark:reject OR wrong:*", Relevance::Irrelevant)?;
        irrelevant.difference_with(&relevant);
        Ok(Self { relevant, irrelevant })
    }

    /// How many are relevant, and how many are not.
    pub fn counts(&self) -> [u64; 2] {
        [&self.relevant, &self.irrelevant].map(|set| set.count_ones(..) as u64)
    }
}

/// Proposals of entities and terms that a request lacks, whose names it has being `known`, folded; none where nothing was
/// analysed.
pub(super) fn named_proposals(
    session: &Session,
    judged: &JudgedPages,
    known: &HashSet<String>,
) -> anyhow::Result<Vec<Proposal>> {
    let store = match AnalysisStore::open(session.workspace.folder()) {
        Err(AnalysisError::Absent(_)) => return Ok(Vec::new()),
        store => store?,
    };
    let Some(run) = store.present_run()?.map(|run| run.id) else { return Ok(Vec::new()) };
    let is_new = |name: &str| {
        let folded = text::words(name).join(" ");
        !folded.is_empty() && !known.contains(&folded)
    };
    let mut entities = Vec::new();
    for row in store.entities(run, None, MOST_COMPARED)?.into_iter().filter(|row| is_new(&row.name)) {
        let versions = store.versions_with(run, Some(&[row.id]))?;
        let mut found = proposal(session, judged, kind_of(row.kind), &row.name, &versions)?;
        found.iter_mut().for_each(|proposal| proposal.uri.clone_from(&row.uri));
        entities.extend(found);
    }
    let names: HashSet<String> = entities.iter().map(|proposal| text::fold(&proposal.value)).collect();
    let facts = session.facts()?;
    let mut terms = Vec::new();
    for term in store.terms(run, MOST_TERMS)?.into_iter().filter(|term| is_new(&term.text)) {
        if names.contains(&text::fold(&term.text)) {
            continue;
        }
        let filter = format!("main:{}", quoted_value(&term.text));
        let query = crate::work::models::CaptureQuery { filter, ..everything() };
        let versions = facts.versions_of(&session.catalogue().matching_captures(&query)?);
        terms.extend(proposal(session, judged, ProposalKind::Term, &term.text, &versions)?);
    }
    let mut found = Vec::new();
    for mut some in [entities, terms] {
        some.sort_by(|a, b| (b.relevant, a.irrelevant, &a.value).cmp(&(a.relevant, b.irrelevant, &b.value)));
        some.truncate(MOST);
        found.extend(some);
    }
    Ok(found)
}

fn kind_of(kind: EntityKind) -> ProposalKind {
    match kind {
        EntityKind::Person => ProposalKind::Person,
        EntityKind::Place => ProposalKind::Place,
        EntityKind::Organisation => ProposalKind::Organisation,
        EntityKind::Event => ProposalKind::Event,
        EntityKind::Unknown => ProposalKind::Name,
    }
}

/// A proposal where most judged pages with it are relevant.
fn proposal(
    session: &Session,
    judged: &JudgedPages,
    kind: ProposalKind,
    value: &str,
    versions: &FixedBitSet,
) -> anyhow::Result<Option<Proposal>> {
    let count = |set: &FixedBitSet| set.intersection_count(versions) as u64;
    let (relevant, irrelevant) = (count(&judged.relevant), count(&judged.irrelevant));
    if relevant < MIN_PAGES || relevant * 100 < (relevant + irrelevant) * ONE_SIDED_PERCENT {
        return Ok(None);
    }
    let mut examples = Vec::new();
    for version in judged.relevant.intersection(versions).take(EXAMPLES) {
        examples.push(session.catalogue().capture_row(CaptureId::try_from(version)?)?.url.to_string());
    }
    let [relevant_of, irrelevant_of] = judged.counts();
    Ok(Some(Proposal {
        kind,
        value: value.to_owned(),
        uri: String::new(),
        is_for: true,
        relevant,
        relevant_of,
        irrelevant,
        irrelevant_of,
        examples,
        z: None,
        nearest_query_rank: None,
        is_broad: false,
    }))
}
