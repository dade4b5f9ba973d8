//! What runs found, as rows.

use super::runs::Places;
use super::{AnalysisResult, AnalysisStore};
use crate::analysis::entities::EntityKind;
use crate::analysis::terms::CorpusTerm;
use crate::text::fold;
use crate::uri::CaptureDate;
use fixedbitset::FixedBitSet;
use rusqlite::{OptionalExtension, Row, params};
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// Pages of an entity that are looked through for others beside it.
const MOST_PAGES: usize = 5_000;
/// Sentences that two entities share, at least, to be related.
const FEWEST_SHARED: u64 = 2;

/// An entity in the results of a run. Hostile text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntityRow {
    /// Its number in the run.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: EntityKind,
    /// What names it in its authority file; empty for a candidate, and where the file has none.
    pub uri: String,
    /// The authority files and campaigns that have it, parted by `; `; empty for a candidate.
    pub source: String,
    /// Places where it is named.
    pub mentions: u64,
    /// Sentences with it.
    pub sentences: u64,
    /// Content versions with it.
    pub pages: u64,
    /// Hosts of these.
    pub hosts: u64,
    /// Its first capture.
    pub first: CaptureDate,
    /// Its last one.
    pub last: CaptureDate,
    /// Months of first captures (12 × year + month from 0), each with its pages, in order.
    pub months: Vec<[u32; 2]>,
}

impl EntityRow {
    /// Whether the request of a campaign names it.
    pub fn is_requested(&self) -> bool {
        let is_campaign = |source: &str| source.strip_prefix("campaign ").is_some_and(|id| id.parse::<i64>().is_ok());
        self.source.split("; ").any(is_campaign)
    }
}

/// Where a content version names an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityMention {
    /// The content version.
    pub version: u64,
    /// First character, characters and sentence of each place.
    pub places: Places,
}

/// An entity that a page names.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundEntity {
    /// The entity.
    #[serde(flatten)]
    pub entity: EntityRow,
    /// Places on the page: first character, characters, sentence.
    pub places: Places,
}

/// An entity that is named beside another one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RelatedEntity {
    /// The entity.
    #[serde(flatten)]
    pub entity: EntityRow,
    /// Sentences with both.
    pub shared: u64,
    /// Positive pointwise mutual information of both in a sentence, in bits (K. Church, P. Hanks 1990).
    pub ppmi: f64,
}

const ENTITY_COLUMNS: &str =
    "e.id, e.name, e.kind, e.uri, e.source, e.mentions, e.sentences, e.pages, e.hosts, e.first_ms, e.last_ms,
    e.months";

fn entity_row(row: &Row<'_>) -> rusqlite::Result<EntityRow> {
    let number = |at: usize| row.get::<_, i64>(at).map(i64::unsigned_abs);
    let kind: String = row.get(2)?;
    Ok(EntityRow {
        id: u32::try_from(row.get::<_, i64>(0)?).unwrap_or(u32::MAX),
        name: row.get(1)?,
        kind: EntityKind::of_name(&kind).unwrap_or_default(),
        uri: row.get(3)?,
        source: row.get(4)?,
        mentions: number(5)?,
        sentences: number(6)?,
        pages: number(7)?,
        hosts: number(8)?,
        first: CaptureDate::from_millis(row.get(9)?),
        last: CaptureDate::from_millis(row.get(10)?),
        months: numbers_of(&row.get::<_, Vec<u8>>(11)?),
    })
}

/// Groups of numbers that were kept one behind the other.
fn numbers_of<const N: usize>(bytes: &[u8]) -> Vec<[u32; N]> {
    let number = |bytes: &[u8]| bytes.try_into().map(u32::from_le_bytes).unwrap_or_default();
    let group = |group: &[u8]| std::array::from_fn(|at| number(group.get(4 * at..4 * at + 4).unwrap_or_default()));
    bytes.chunks_exact(4 * N).map(group).collect()
}

impl AnalysisStore {
    /// The entities of a run, those on most pages first.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn entities(&self, run: i64, kind: Option<EntityKind>, most: usize) -> AnalysisResult<Vec<EntityRow>> {
        let conn = self.conn();
        self.of((|| {
            let sql = format!(
                "SELECT {ENTITY_COLUMNS} FROM entity e WHERE e.run = ?1 AND (?2 IS NULL OR e.kind = ?2)
                 ORDER BY e.pages DESC, e.id LIMIT ?3"
            );
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let mut statement = conn.prepare_cached(&sql)?;
            statement.query_map(params![run, kind.map(EntityKind::name), most], entity_row)?.collect()
        })())
    }

    /// The entities of a run that are called so, or have this URI.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn entities_named(&self, run: i64, name: &str) -> AnalysisResult<Vec<EntityRow>> {
        let conn = self.conn();
        self.of((|| {
            let sql = format!(
                "SELECT {ENTITY_COLUMNS} FROM entity e WHERE e.run = ?1 AND (e.uri = ?2 OR e.id IN
                    (SELECT n.entity FROM entity_name n WHERE n.run = ?1 AND n.name = ?3))
                 ORDER BY e.pages DESC, e.id"
            );
            let mut statement = conn.prepare_cached(&sql)?;
            statement.query_map(params![run, name, fold(name)], entity_row)?.collect()
        })())
    }

    /// An entity by its number.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn entity(&self, run: i64, id: u32) -> AnalysisResult<Option<EntityRow>> {
        let conn = self.conn();
        let sql = format!("SELECT {ENTITY_COLUMNS} FROM entity e WHERE e.run = ?1 AND e.id = ?2");
        self.of(conn.query_row(&sql, params![run, id], entity_row).optional())
    }

    /// Where an entity is named, by content version.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn mentions_of(&self, run: i64, entity: u32, most: usize) -> AnalysisResult<Vec<EntityMention>> {
        let conn = self.conn();
        self.of((|| {
            let sql = "SELECT version, places FROM mention WHERE run = ?1 AND entity = ?2 ORDER BY version LIMIT ?3";
            let mut statement = conn.prepare_cached(sql)?;
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let rows = statement.query_map(params![run, entity, most], |row| {
                let places: Vec<u8> = row.get(1)?;
                Ok(EntityMention { version: row.get::<_, i64>(0)?.unsigned_abs(), places: numbers_of(&places) })
            })?;
            rows.collect()
        })())
    }

    /// The content versions with any of some entities, or with any at all.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn versions_with(&self, run: i64, entities: Option<&[u32]>) -> AnalysisResult<FixedBitSet> {
        let conn = self.conn();
        let mut found = FixedBitSet::new();
        let mut add = |version: i64| {
            if let Ok(version) = usize::try_from(version) {
                found.grow_and_insert(version);
            }
        };
        self.of((|| {
            let Some(entities) = entities else {
                let mut statement = conn.prepare_cached("SELECT DISTINCT version FROM mention WHERE run = ?1")?;
                let mut rows = statement.query([run])?;
                while let Some(row) = rows.next()? {
                    add(row.get(0)?);
                }
                return Ok(());
            };
            let mut statement = conn.prepare_cached("SELECT version FROM mention WHERE run = ?1 AND entity = ?2")?;
            for entity in entities {
                let mut rows = statement.query(params![run, entity])?;
                while let Some(row) = rows.next()? {
                    add(row.get(0)?);
                }
            }
            Ok(())
        })())?;
        Ok(found)
    }

    /// The entities of a page, in the order of its text.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn entities_of_page(&self, run: i64, version: u64) -> AnalysisResult<Vec<FoundEntity>> {
        let conn = self.conn();
        let mut found: Vec<FoundEntity> = self.of((|| {
            let sql = format!(
                "SELECT {ENTITY_COLUMNS}, m.places FROM mention m INDEXED BY mention_page
                    JOIN entity e ON e.run = m.run AND e.id = m.entity WHERE m.run = ?1 AND m.version = ?2"
            );
            let mut statement = conn.prepare_cached(&sql)?;
            let rows = statement.query_map(params![run, i64::try_from(version).unwrap_or(i64::MAX)], |row| {
                let places: Vec<u8> = row.get(12)?;
                Ok(FoundEntity { entity: entity_row(row)?, places: numbers_of(&places) })
            })?;
            rows.collect()
        })())?;
        found.sort_by_key(|found| found.places.first().copied().unwrap_or_default());
        Ok(found)
    }

    /// The names of entities on some content versions, those on most of these first.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn entities_on(&self, run: i64, versions: &FixedBitSet, most: usize) -> AnalysisResult<Vec<String>> {
        let conn = self.conn();
        self.of((|| {
            let mut counts: HashMap<i64, u64> = HashMap::new();
            let sql = "SELECT entity FROM mention INDEXED BY mention_page WHERE run = ?1 AND version = ?2";
            let mut statement = conn.prepare_cached(sql)?;
            for version in versions.ones() {
                let mut rows = statement.query(params![run, i64::try_from(version).unwrap_or(i64::MAX)])?;
                while let Some(row) = rows.next()? {
                    *counts.entry(row.get(0)?).or_default() += 1;
                }
            }
            let mut counts: Vec<(i64, u64)> = counts.into_iter().collect();
            counts.sort_by_key(|(entity, count)| (std::cmp::Reverse(*count), *entity));
            counts.truncate(most);
            let mut name = conn.prepare_cached("SELECT name FROM entity WHERE run = ?1 AND id = ?2")?;
            counts.into_iter().map(|(entity, _)| name.query_row([run, entity], |row| row.get(0))).collect()
        })())
    }

    /// The entities that are named in a sentence with one, more often than by chance, the closest first.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn related_entities(&self, run: i64, entity: &EntityRow, most: usize) -> AnalysisResult<Vec<RelatedEntity>> {
        let mut shared: HashMap<u32, u64> = HashMap::new();
        let sentence = |place: &[u32; 3]| place[2];
        for mention in self.mentions_of(run, entity.id, MOST_PAGES)? {
            let own: HashSet<u32> = mention.places.iter().map(sentence).collect();
            let conn = self.conn();
            self.of((|| {
                let sql = "SELECT entity, places FROM mention INDEXED BY mention_page WHERE run = ?1 AND version = ?2";
                let mut statement = conn.prepare_cached(sql)?;
                let mut rows = statement.query(params![run, i64::try_from(mention.version).unwrap_or(i64::MAX)])?;
                while let Some(row) = rows.next()? {
                    let (other, places): (u32, Vec<u8>) = (row.get(0)?, row.get(1)?);
                    let beside: HashSet<u32> =
                        numbers_of(&places).iter().map(sentence).filter(|at| own.contains(at)).collect();
                    if other != entity.id && !beside.is_empty() {
                        *shared.entry(other).or_default() += beside.len() as u64;
                    }
                }
                Ok(())
            })())?;
        }
        let sentences = self.run(Some(run))?.counts.sentences.max(1) as f64;
        let mut related = Vec::new();
        for (other, shared) in shared.into_iter().filter(|(_, shared)| *shared >= FEWEST_SHARED) {
            let Some(other) = self.entity(run, other)? else { continue };
            let both = (entity.sentences.max(1) * other.sentences.max(1)) as f64;
            let ppmi = (shared as f64 * sentences / both).log2().max(0.0);
            related.push(RelatedEntity { entity: other, shared, ppmi });
        }
        related.retain(|related| related.ppmi > 0.0);
        related.sort_by(|a, b| {
            b.ppmi.total_cmp(&a.ppmi).then(b.shared.cmp(&a.shared)).then(a.entity.id.cmp(&b.entity.id))
        });
        related.truncate(most);
        Ok(related)
    }

    /// The terms of a page that set it apart, each with its weight.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn terms_of_page(&self, run: i64, version: u64) -> AnalysisResult<Vec<(String, f64)>> {
        let conn = self.conn();
        let sql = "SELECT terms FROM page_term WHERE run = ?1 AND version = ?2";
        let kept: Option<String> = self.of(conn
            .query_row(sql, params![run, i64::try_from(version).unwrap_or(i64::MAX)], |row| row.get(0))
            .optional())?;
        Ok(kept.and_then(|kept| serde_json::from_str(&kept).ok()).unwrap_or_default())
    }

    /// The terms of a run, the best first.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn terms(&self, run: i64, most: usize) -> AnalysisResult<Vec<CorpusTerm>> {
        let conn = self.conn();
        self.of((|| {
            let sql = "SELECT text, count, pages, elsewhere, c_value, keyness FROM term WHERE run = ?1 ORDER BY place LIMIT ?2";
            let mut statement = conn.prepare_cached(sql)?;
            let rows = statement.query_map(params![run, i64::try_from(most).unwrap_or(i64::MAX)], |row| {
                let number = |at: usize| row.get::<_, i64>(at).map(i64::unsigned_abs);
                Ok(CorpusTerm {
                    text: row.get(0)?,
                    count: number(1)?,
                    pages: number(2)?,
                    elsewhere: number(3)?,
                    c_value: row.get(4)?,
                    keyness: row.get(5)?,
                })
            })?;
            rows.collect()
        })())
    }
}
