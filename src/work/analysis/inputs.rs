//! What an analysis is about, and the names that it looks for.

use crate::analysis::entities::{EntityKind, NamedEntity};
use crate::campaign::{Campaign, TermKind};
use crate::query::quoted_value;
use crate::store::{Catalogue, EntityMerge, RunReach};
use crate::text::fold;
use crate::work::find::search::SearchQuery;
use crate::work::models::{CampaignId, LaunchId};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Between sources of one entity.
const SOURCES: &str = "; ";
/// Merges of merges that are followed.
const MOST_STEPS: usize = 16;

/// What to analyse, and how far. Without campaigns, launches and imports it is the whole workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AnalysisInputs {
    /// Captures of any of these campaigns,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub campaigns: Vec<CampaignId>,
    /// of any of these crawls,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub launches: Vec<String>,
    /// or of any of these imports,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub imports: Vec<LaunchId>,
    /// which a query finds,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub query: String,
    /// captured in a period, as `date:` has it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub period: String,
    /// What is looked for; everything where empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<AnalysisStep>,
}

/// A part of an analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnalysisStep {
    /// Persons, places, organisations, events.
    Entities,
    /// Terms.
    Terms,
}

impl AnalysisInputs {
    /// Whether a part is to be done.
    pub fn has(&self, step: AnalysisStep) -> bool {
        self.steps.is_empty() || self.steps.contains(&step)
    }

    /// How much of the workspace it is about. All campaigns, or all of some, whole; everything else is a part.
    pub fn reach(&self) -> RunReach {
        let has_all = self.launches.is_empty() && self.imports.is_empty() && self.query.trim().is_empty();
        let has_all = has_all && self.period.is_empty();
        match self.campaigns.as_slice() {
            _ if !has_all || !self.has(AnalysisStep::Entities) || !self.has(AnalysisStep::Terms) => RunReach::Part,
            [] => RunReach::Workspace,
            campaigns => RunReach::Campaigns(campaigns.iter().map(|id| id.get()).collect()),
        }
    }

    /// As a search, whose line finds the same captures in the table of captures.
    pub fn search(&self) -> SearchQuery {
        let campaigns = self.campaigns.iter().map(|id| format!("campaign:{id}"));
        let launches = self.launches.iter().map(|name| format!("launch:{}", quoted_value(name)));
        let imports = self.imports.iter().map(|id| format!("import:{id}"));
        let sources: Vec<String> = campaigns.chain(launches).chain(imports).collect();
        let mut parts: Vec<String> = Vec::new();
        if !sources.is_empty() {
            parts.push(format!("({})", sources.join(" OR ")));
        }
        if !self.query.trim().is_empty() {
            parts.push(format!("({})", self.query.trim()));
        }
        if !self.period.is_empty() {
            parts.push(format!("date:{}", self.period));
        }
        let campaign = match self.campaigns.as_slice() {
            [only] => Some(*only),
            _ => None,
        };
        // What a query asks of a campaign is asked of the only one; the line limits the captures.
        let campaign = campaign.filter(|_| self.launches.is_empty() && self.imports.is_empty());
        SearchQuery { text: parts.join(" "), campaign, shows_all: true, ..SearchQuery::default() }
    }

    /// In words, for lists.
    pub fn label(&self) -> String {
        let line = self.search().text;
        if line.is_empty() { "everything".to_owned() } else { line }
    }
}

/// The entities whose names are looked for.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownEntities {
    /// The entities.
    pub entities: Vec<NamedEntity>,
    /// Where each is from: an authority file, or a campaign.
    pub sources: Vec<String>,
}

impl KnownEntities {
    /// Those of authority files and of the requests of campaigns. What has one URI is one entity; what has none is the only one
    /// of its name, if there is one.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn read(catalogue: &Catalogue) -> anyhow::Result<Self> {
        let mut known = Self::default();
        let mut by_uri: HashMap<String, usize> = HashMap::new();
        for (source, entity) in catalogue.authority_entities()?.into_iter().chain(requested(catalogue)?) {
            let same = match entity.uri.as_str() {
                "" => known.only_named(&entity),
                uri => by_uri.get(uri).copied(),
            };
            let joined = same.and_then(|at| Some((known.entities.get_mut(at)?, known.sources.get_mut(at)?)));
            match joined {
                Some((first, sources)) => {
                    if sources.split(SOURCES).all(|of| of != source) {
                        *sources = [sources.as_str(), &source].join(SOURCES);
                    }
                    let names: Vec<String> = entity.names().map(str::to_owned).collect();
                    for name in names {
                        if !first.names().any(|own| own == name) {
                            first.aliases.push(name);
                        }
                    }
                    if first.kind == EntityKind::Unknown {
                        first.kind = entity.kind;
                    }
                }
                None => {
                    if !entity.uri.is_empty() {
                        by_uri.insert(entity.uri.clone(), known.entities.len());
                    }
                    known.entities.push(entity);
                    known.sources.push(source);
                }
            }
        }
        Ok(known)
    }

    fn only_named(&self, entity: &NamedEntity) -> Option<usize> {
        let folded = fold(&entity.name);
        let is_same = |other: &NamedEntity| {
            (other.kind == entity.kind || other.kind == EntityKind::Unknown || entity.kind == EntityKind::Unknown)
                && other.names().any(|name| fold(name) == folded)
        };
        let mut same = self.entities.iter().enumerate().filter(|(_, other)| is_same(other)).map(|(at, _)| at);
        same.next().filter(|_| same.next().is_none())
    }
}

/// What the requests of campaigns name.
fn requested(catalogue: &Catalogue) -> anyhow::Result<Vec<(String, NamedEntity)>> {
    let mut found = Vec::new();
    for (id, campaign) in catalogue.readable_campaigns()? {
        let named = request_entities(&campaign).into_iter();
        found.extend(named.map(|entity| (format!("campaign {id}"), entity)));
    }
    Ok(found)
}

/// The persons, places, organisations and events of the request of a campaign.
pub(in crate::work) fn request_entities(campaign: &Campaign) -> Vec<NamedEntity> {
    let mut found = Vec::new();
    campaign.request.for_each_term(&mut |term| {
        let kind = match term.kind {
            TermKind::Person => EntityKind::Person,
            TermKind::Place => EntityKind::Place,
            TermKind::Organisation => EntityKind::Organisation,
            TermKind::Event => EntityKind::Event,
            TermKind::Keyword | TermKind::Phrase | TermKind::Language | TermKind::Period => return,
        };
        // A pattern, such as `Vaz*`, is no name.
        let is_name = |name: &&String| !name.contains(['*', '?', '~']);
        let mut names = std::iter::once(&term.value).chain(&term.aliases).filter(is_name).cloned();
        let Some(name) = names.next() else { return };
        found.push(NamedEntity { uri: term.uri.clone().unwrap_or_default(), kind, name, aliases: names.collect() });
    });
    found
}

/// What names are put together with, by what persons decided.
#[derive(Debug, Clone, Default)]
pub(super) struct Merges(HashMap<String, String>);

impl Merges {
    pub fn of(merges: &[EntityMerge]) -> Self {
        Self(merges.iter().map(|merge| (merge.name.clone(), merge.target.clone())).collect())
    }

    /// The name or URI that a folded name is put together with; none where it stays by itself.
    pub fn target(&self, name: &str) -> Option<&str> {
        let mut target = self.0.get(name)?;
        for _ in 0..MOST_STEPS {
            match self.0.get(&fold(target)) {
                Some(further) if further != target => target = further,
                _ => break,
            }
        }
        Some(target)
    }
}
