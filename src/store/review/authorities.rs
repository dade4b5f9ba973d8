//! Authority files that persons loaded, and names that they put together.

use crate::analysis::entities::{EntityKind, NamedEntity};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::text::fold;
use crate::uri::CaptureDate;
use rusqlite::params;
use serde::Serialize;

/// An authority file that was loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuthorityRow {
    /// Its number.
    pub id: i64,
    /// The name of the file.
    pub name: String,
    /// Its SHA-256.
    pub digest: String,
    /// Who loaded it.
    pub who: String,
    /// When.
    pub date: CaptureDate,
    /// Entities in it.
    pub entities: u64,
}

/// A name that a person gave to an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntityMerge {
    /// Its number.
    pub id: i64,
    /// The name, folded.
    pub name: String,
    /// The name or URI of the entity.
    pub target: String,
    /// Who put them together.
    pub who: String,
    /// When.
    pub date: CaptureDate,
}

impl Catalogue {
    /// Keeps an authority file, in the place of one of the same name; whether there was one.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn load_authority(
        &self,
        name: &str,
        digest: &str,
        who: &str,
        entities: &[NamedEntity],
    ) -> Result<bool, StoreError> {
        let (name, digest, who, entities) = (name.to_owned(), digest.to_owned(), who.to_owned(), entities.to_vec());
        self.write(move |conn| {
            let was_there = forget(conn, &name)?;
            conn.execute(
                "INSERT INTO authority (name, digest, who, date_ms) VALUES (?1, ?2, ?3, ?4)",
                params![name, digest, who, CaptureDate::now().millis()],
            )?;
            let authority = conn.last_insert_rowid();
            let mut put = conn.prepare(
                "INSERT INTO authority_entity (authority, place, uri, kind, name, aliases) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?;
            for (place, entity) in (0_i64..).zip(&entities) {
                let aliases = serde_json::to_string(&entity.aliases).unwrap_or_default();
                put.execute(params![authority, place, entity.uri, entity.kind.name(), entity.name, aliases])?;
            }
            Ok(was_there)
        })
    }

    /// Takes an authority file out; whether it was there.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn forget_authority(&self, name: &str) -> Result<bool, StoreError> {
        let name = name.to_owned();
        self.write(move |conn| forget(conn, &name))
    }

    /// The authority files, in the order in which they were loaded.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn authorities(&self) -> Result<Vec<AuthorityRow>, StoreError> {
        self.rows(
            "SELECT a.id, a.name, a.digest, a.who, a.date_ms,
                (SELECT count(*) FROM authority_entity e WHERE e.authority = a.id) FROM authority a ORDER BY a.id",
            [],
            |row| {
                Ok(AuthorityRow {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    digest: row.get(2)?,
                    who: row.get(3)?,
                    date: CaptureDate::from_millis(row.get(4)?),
                    entities: row.get::<_, i64>(5)?.unsigned_abs(),
                })
            },
        )
    }

    /// The entities of all authority files, each with the name of its file.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn authority_entities(&self) -> Result<Vec<(String, NamedEntity)>, StoreError> {
        self.rows(
            "SELECT a.name, e.uri, e.kind, e.name, e.aliases FROM authority_entity e JOIN authority a ON a.id = e.authority
             ORDER BY e.authority, e.place",
            [],
            |row| {
                let (kind, aliases): (String, String) = (row.get(2)?, row.get(4)?);
                let entity = NamedEntity {
                    uri: row.get(1)?,
                    kind: EntityKind::of_name(&kind).unwrap_or_default(),
                    name: row.get(3)?,
                    aliases: serde_json::from_str(&aliases).unwrap_or_default(),
                };
                Ok((row.get(0)?, entity))
            },
        )
    }

    /// Puts names together with an entity, which its name or URI names.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn merge_entities(&self, names: &[String], target: &str, who: &str) -> Result<(), StoreError> {
        let names: Vec<String> = names.iter().map(|name| fold(name)).collect();
        let (target, who) = (target.to_owned(), who.to_owned());
        self.write(move |conn| {
            let date = CaptureDate::now().millis();
            for name in names {
                conn.execute(
                    "UPDATE entity_merge SET undone_ms = ?2 WHERE name = ?1 AND undone_ms IS NULL",
                    params![name, date],
                )?;
                conn.execute(
                    "INSERT INTO entity_merge (name, target, who, date_ms) VALUES (?1, ?2, ?3, ?4)",
                    params![name, target, who, date],
                )?;
            }
            Ok(())
        })
    }

    /// Takes back that names are those of another entity; how many were.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn split_entities(&self, names: &[String]) -> Result<u64, StoreError> {
        let names: Vec<String> = names.iter().map(|name| fold(name)).collect();
        self.write(move |conn| {
            let mut split = 0;
            for name in names {
                split += conn.execute(
                    "UPDATE entity_merge SET undone_ms = ?2 WHERE name = ?1 AND undone_ms IS NULL",
                    params![name, CaptureDate::now().millis()],
                )? as u64;
            }
            Ok(split)
        })
    }

    /// The names that were put together, the oldest first.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn entity_merges(&self) -> Result<Vec<EntityMerge>, StoreError> {
        self.rows(
            "SELECT id, name, target, who, date_ms FROM entity_merge WHERE undone_ms IS NULL ORDER BY id",
            [],
            |row| {
                Ok(EntityMerge {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    target: row.get(2)?,
                    who: row.get(3)?,
                    date: CaptureDate::from_millis(row.get(4)?),
                })
            },
        )
    }
}

fn forget(conn: &rusqlite::Connection, name: &str) -> Result<bool, StoreError> {
    conn.execute("DELETE FROM authority_entity WHERE authority IN (SELECT id FROM authority WHERE name = ?1)", [name])?;
    Ok(conn.execute("DELETE FROM authority WHERE name = ?1", [name])? > 0)
}
