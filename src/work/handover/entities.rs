//! The entities of captures leave with them; authority files and merges of persons leave and come back.

use super::lines::document;
use crate::analysis::entities::{EntityKind, NamedEntity};
use crate::jobs::{counted, lock};
use crate::knowledge::{
    CaptureEntities, CaptureEntity, EntityPlace, StatedAnalysis, Statement, Statements, checked_entities, state_entity,
};
use crate::store::{AnalysisError, AnalysisRun, AnalysisStore, FoundEntity, StoredCapture, Workspace};
use crate::text::fold;
use crate::uri::CaptureDate;
use crate::work::Report;
use crate::work::analysis::AnalysisInputs;
use crate::work::find::stored_pages::PageTexts;
use crate::work::models::CampaignId;

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;

/// Places of an entity in a capture that leave, at most; how many there are leaves in any case.
const MOST_PLACES: usize = 20;
/// Authority files and merges of a handover that are taken in, at most.
const MOST_TAKEN: usize = 1_000_000;

/// The entities that captures of an export name, by the analysis that answers for its campaign.
#[derive(Default)]
pub(in crate::work) struct EntitiesOf<'a> {
    found: Option<(AnalysisStore, AnalysisRun, PageTexts<'a>)>,
    without_persons: bool,
    /// What captures named so far, by URI or kind and name.
    named: Mutex<BTreeMap<(String, EntityKind, String), CaptureEntity>>,
}

impl<'a> EntitiesOf<'a> {
    /// Reads which analysis there is; nothing of it leaves where there is none.
    ///
    /// # Errors
    ///
    /// A file of analyses or an index that cannot be read.
    pub(super) fn new(workspace: &'a Workspace, campaign: CampaignId, without_persons: bool) -> anyhow::Result<Self> {
        let none = Self { without_persons, ..Self::default() };
        let store = match AnalysisStore::open(workspace.folder()) {
            Err(AnalysisError::Absent(_)) => return Ok(none),
            store => store?,
        };
        let Some(run) = store.run_of_campaign(campaign.get())? else { return Ok(none) };
        Ok(Self { found: Some((store, run, PageTexts::open(workspace)?)), ..none })
    }

    /// Those of a capture; none where it was not analysed.
    ///
    /// # Errors
    ///
    /// A catalogue, a file of analyses or an index that cannot be read.
    pub(super) fn of(&self, workspace: &Workspace, stored: &StoredCapture) -> anyhow::Result<Option<CaptureEntities>> {
        let Some((store, run, texts)) = &self.found else { return Ok(None) };
        let heads = workspace.catalogue().capture_heads(&[stored.id])?;
        let Some(version) = heads.first().map(|head| head.version) else { return Ok(None) };
        let mut found = store.entities_of_page(run.id, version)?;
        found.retain(|of| !(self.without_persons && of.entity.kind == EntityKind::Person));
        if found.is_empty() {
            return Ok(None);
        }
        let page = match texts.index() {
            Some(index) => index.pages()?.page(version)?.unwrap_or_default(),
            None => return Ok(None),
        };
        let chars: Vec<char> = page.main.chars().collect();
        let list: Vec<CaptureEntity> = found.into_iter().map(|of| capture_entity(of, &chars)).collect();
        let mut named = lock(&self.named);
        for entity in &list {
            let key = (entity.uri.clone(), entity.kind, entity.name.clone());
            named.entry(key).or_insert_with(|| CaptureEntity { places: Vec::new(), ..entity.clone() });
        }
        Ok(Some(CaptureEntities { analysis: run.digest.clone(), without_persons: self.without_persons, list }))
    }

    /// States each entity that captures named.
    ///
    /// # Errors
    ///
    /// What `state` fails with.
    pub(super) fn state_named(
        &self,
        state: &mut dyn FnMut(Vec<Statement>) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let mut out = Statements::default();
        let mut stated = BTreeSet::new();
        for ((uri, kind, name), entity) in lock(&self.named).iter() {
            // Of one URI the first name is stated.
            let key = if uri.is_empty() { format!("{} {name}", kind.name()) } else { uri.clone() };
            if stated.insert(key) {
                state_entity(&mut out, entity);
                state(out.take())?;
            }
        }
        Ok(())
    }

    /// The analysis, where any capture named an entity.
    pub(super) fn analysis(&self) -> Option<StatedAnalysis> {
        let (_, run, _) = self.found.as_ref()?;
        if lock(&self.named).is_empty() {
            return None;
        }
        let inputs = serde_json::from_value::<AnalysisInputs>(run.inputs.clone()).unwrap_or_default();
        Some(StatedAnalysis {
            digest: run.digest.clone(),
            program: run.program.clone(),
            inputs: inputs.label(),
            started: run.started,
            ended: run.ended,
            without_persons: self.without_persons,
        })
    }
}

fn capture_entity(of: FoundEntity, chars: &[char]) -> CaptureEntity {
    let place = |[start, length, _]: &[u32; 3]| {
        let end = start.saturating_add(*length);
        let text = chars.get(*start as usize..end as usize)?;
        Some(EntityPlace { start: *start, end, text: text.iter().collect() })
    };
    CaptureEntity {
        mentions: of.places.len() as u64,
        places: of.places.iter().filter_map(place).take(MOST_PLACES).collect(),
        name: of.entity.name,
        kind: of.entity.kind,
        uri: of.entity.uri,
        source: of.entity.source,
    }
}

/// An authority file in a handover.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct HandoverAuthority {
    name: String,
    digest: String,
    who: String,
    date: CaptureDate,
    entities: Vec<NamedEntity>,
}

/// A decision of a person that a name is one of an entity.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct HandoverMerge {
    name: String,
    target: String,
    who: String,
    date: CaptureDate,
}

/// `data/entities.json`: what persons loaded and decided for analyses.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EntitiesDocument {
    without_persons: bool,
    authorities: Vec<HandoverAuthority>,
    merges: Vec<HandoverMerge>,
}

/// The document of a workspace; none where persons loaded and decided nothing.
///
/// # Errors
///
/// A catalogue that cannot be read.
pub(super) fn entities_document(workspace: &Workspace, without_persons: bool) -> anyhow::Result<Option<String>> {
    let catalogue = workspace.catalogue();
    let entities = catalogue.authority_entities()?;
    let persons: BTreeSet<String> = entities
        .iter()
        .filter(|(_, entity)| entity.kind == EntityKind::Person)
        .flat_map(|(_, entity)| entity.names().map(fold).chain([entity.uri.clone()]).collect::<Vec<_>>())
        .filter(|name| without_persons && !name.is_empty())
        .collect();
    let is_kept = |entity: &NamedEntity| !(without_persons && entity.kind == EntityKind::Person);
    let mut authorities = Vec::new();
    for row in catalogue.authorities()? {
        let own = entities.iter().filter(|(name, entity)| *name == row.name && is_kept(entity));
        let own: Vec<NamedEntity> = own.map(|(_, entity)| entity.clone()).collect();
        if !own.is_empty() {
            let digest = if without_persons { format!("{}-without-persons", row.digest) } else { row.digest };
            let (name, who, date) = (row.name, row.who, row.date);
            authorities.push(HandoverAuthority { name, digest, who, date, entities: own });
        }
    }
    let merges = catalogue.entity_merges()?.into_iter().filter(|merge| {
        // What a person's name was put to is of a person; of a name in no file nobody knows.
        !without_persons || !persons.contains(&merge.target) && !persons.contains(&fold(&merge.target))
    });
    let merges: Vec<HandoverMerge> = merges
        .map(|merge| HandoverMerge { name: merge.name, target: merge.target, who: merge.who, date: merge.date })
        .collect();
    if authorities.is_empty() && merges.is_empty() {
        return Ok(None);
    }
    Ok(Some(serde_json::to_string_pretty(&EntitiesDocument { without_persons, authorities, merges })?))
}

/// What came back of the entities of a handover.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct EntitiesImport {
    /// Entities of authority files that came in.
    pub entities: u64,
    /// Names that a person there put to an entity, which came in.
    pub merges: u64,
    /// Names that were put to another entity here: they stay.
    pub merges_apart: Vec<String>,
}

impl Report for EntitiesImport {
    fn summary(&self) -> String {
        let mut line = format!(
            "{} of authority files and {} put together came in; look for them: fonds analyse",
            counted(self.entities, "entity"),
            counted(self.merges, "name")
        );
        if !self.merges_apart.is_empty() {
            let apart = self.merges_apart.len() as u64;
            line.push_str(&format!("; {} put to another entity here and stay so", counted(apart, "name")));
        }
        line
    }
}

/// Looks whether the document is one.
///
/// # Errors
///
/// A file that cannot be read or is no such document.
pub(super) fn check_entities(path: Option<&Path>) -> anyhow::Result<()> {
    let Some(path) = path else { return Ok(()) };
    let of: EntitiesDocument = document(path)?;
    let taken = of.authorities.iter().map(|authority| authority.entities.len()).sum::<usize>() + of.merges.len();
    anyhow::ensure!(taken <= MOST_TAKEN, "{}: it has more than {MOST_TAKEN} entities and merges", path.display());
    Ok(())
}

/// Takes authority files and merges in. A file of the same name and content is here; one of the same name and other
/// content comes under its name and that of the handover.
///
/// # Errors
///
/// A document that cannot be read, a catalogue that cannot be written.
pub(super) fn import_entities(workspace: &Workspace, path: &Path, origin: &str) -> anyhow::Result<EntitiesImport> {
    let of: EntitiesDocument = document(path)?;
    let catalogue = workspace.catalogue();
    let here = catalogue.authorities()?;
    let mut came = EntitiesImport::default();
    for authority in of.authorities {
        let of_name = format!("{} ({origin})", authority.name);
        if here.iter().any(|row| row.digest == authority.digest && (row.name == authority.name || row.name == of_name))
        {
            continue;
        }
        let name = if here.iter().any(|row| row.name == authority.name) { of_name } else { authority.name };
        let entities = checked_entities(authority.entities).map_err(anyhow::Error::msg)?;
        catalogue.load_authority(&name, &authority.digest, &authority.who, &entities)?;
        came.entities += entities.len() as u64;
    }
    let merged: BTreeMap<String, String> =
        catalogue.entity_merges()?.into_iter().map(|merge| (merge.name, merge.target)).collect();
    for merge in of.merges {
        match merged.get(&fold(&merge.name)) {
            Some(target) if *target == merge.target => {}
            Some(_) => came.merges_apart.push(merge.name),
            None => {
                let who = format!("{} ({origin})", merge.who);
                catalogue.merge_entities(std::slice::from_ref(&merge.name), &merge.target, &who)?;
                came.merges += 1;
            }
        }
    }
    Ok(came)
}
