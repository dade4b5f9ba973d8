//! Selections under a name, and collections of captures across campaigns.

use super::marks::{decision_sql, of_campaign_sql, selected_sql};
use super::selections::kept_selection;
use crate::campaign::Identity;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::uint;
use crate::store::rows::{CampaignId, CaptureId, CollectionRow, NamedSelection, SelectionSpec};
use crate::uri::CaptureDate;
use rusqlite::{Connection, OptionalExtension, ToSql, params};
use std::collections::HashSet;

/// The definition of a collection: name, purpose and filter, without its captures.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CollectionSpec {
    /// Its name; upper and lower case are the same.
    pub name: String,
    /// Its purpose.
    pub about: String,
    /// Captures that this filter finds are in; empty where they come by hand alone.
    pub filter: String,
    /// The campaign whose scores and selection the filter tests.
    pub campaign: Option<CampaignId>,
}

impl Catalogue {
    /// Saves a campaign's kept selection under a name, in the place of one that had it; returns how
    /// many captures are in.
    ///
    /// # Errors
    ///
    /// Nothing selected yet, or a catalogue that cannot be written.
    pub fn name_selection(&self, campaign: CampaignId, name: &str, who: &str) -> Result<u64, StoreError> {
        let (name, who) = (name.trim().to_owned(), who.to_owned());
        self.write(move |conn| {
            let Some((spec, _)) = kept_selection(conn, campaign)? else {
                return Err(StoreError::Missing { what: "selection of campaign", id: campaign.to_string() });
            };
            let spec = serde_json::to_string(&spec).map_err(|error| StoreError::Content(error.to_string()))?;
            forget_named(conn, campaign, &name)?;
            conn.execute(
                "INSERT INTO named_selection (campaign, name, spec, who, date_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![campaign, name, spec, who, CaptureDate::now().millis()],
            )?;
            const KEEP: &str = concat!(
                "INSERT INTO named_capture SELECT ?2, c.id
                 FROM capture c LEFT JOIN score s ON s.campaign = ?1 AND s.capture = c.id WHERE ",
                of_campaign_sql!(),
                " AND ",
                selected_sql!()
            );
            Ok(conn.prepare_cached(KEEP)?.execute((campaign, conn.last_insert_rowid()))? as u64)
        })
    }

    /// Forgets a selection by its name; whether there was one.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn forget_selection(&self, campaign: CampaignId, name: &str) -> Result<bool, StoreError> {
        let name = name.trim().to_owned();
        self.write(move |conn| forget_named(conn, campaign, &name))
    }

    /// The named selections of a campaign, newest first, each compared with
    /// the kept one.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn named_selections(&self, campaign: CampaignId) -> Result<Vec<NamedSelection>, StoreError> {
        self.read(|conn| {
            // Of 100,000 captures nobody wants the numbers here: SQLite counts.
            const NOW: &str = concat!(
                "SELECT count(*) FROM capture c LEFT JOIN score s ON s.campaign = ?1 AND s.capture = c.id WHERE ",
                of_campaign_sql!(),
                " AND ",
                selected_sql!()
            );
            const BOTH: &str = concat!(
                "SELECT count(*), ifnull(sum(",
                of_campaign_sql!(),
                " AND ",
                selected_sql!(),
                "), 0) FROM named_capture n JOIN capture c ON c.id = n.capture
                 LEFT JOIN score s ON s.campaign = ?1 AND s.capture = c.id WHERE n.selection = ?2"
            );
            let mut statement = conn.prepare_cached(
                "SELECT id, name, spec, who, date_ms FROM named_selection WHERE campaign = ?1 ORDER BY date_ms DESC, id DESC",
            )?;
            let mut compare = conn.prepare_cached(BOTH)?;
            let mut rows = statement.query([campaign])?;
            let (mut now, mut found) = (None, Vec::new());
            while let Some(row) = rows.next()? {
                let spec: String = row.get(2)?;
                let now = match now {
                    Some(now) => now,
                    None => *now.insert(uint(conn.prepare_cached(NOW)?.query_row([campaign], |row| row.get(0))?)),
                };
                let (captures, both) = compare.query_row((campaign, row.get::<_, i64>(0)?), |row| {
                    Ok((uint(row.get(0)?), uint(row.get(1)?)))
                })?;
                found.push(NamedSelection {
                    name: row.get(1)?,
                    spec: serde_json::from_str(&spec).map_err(|error| StoreError::Content(error.to_string()))?,
                    who: row.get(3)?,
                    date: CaptureDate::from_millis(row.get(4)?),
                    captures,
                    added: now.saturating_sub(both),
                    removed: captures.saturating_sub(both),
                });
            }
            Ok(found)
        })
    }

    /// Makes a collection, or changes the one of its name.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn save_collection(&self, spec: &CollectionSpec, who: &str) -> Result<(), StoreError> {
        let (spec, who) = (spec.clone(), who.to_owned());
        self.write(move |conn| {
            let CollectionSpec { name, about, filter, campaign } = spec;
            conn.execute(
                "INSERT INTO collection (name, about, filter, campaign, who, date_ms, identity)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                 ON CONFLICT (name) DO UPDATE SET about = ?2, filter = ?3, campaign = ?4",
                params![name.trim(), about, filter.trim(), campaign, who, CaptureDate::now().millis(), Identity::new()],
            )?;
            Ok(())
        })
    }

    /// Takes a collection in that came with files; the one of its identity,
    /// where it is here, stays as it is. Says what it is called here: its name,
    /// or with `origin` behind it where another collection has that.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn take_collection(
        &self,
        spec: &CollectionSpec,
        who: &str,
        (identity, origin): (Identity, &str),
    ) -> Result<String, StoreError> {
        let (spec, who, origin) = (spec.clone(), who.to_owned(), origin.to_owned());
        self.write(move |conn| {
            let named = |sql: &str, value: &dyn ToSql| -> rusqlite::Result<Option<String>> {
                conn.query_row(sql, [value], |row| row.get(0)).optional()
            };
            if let Some(here) = named("SELECT name FROM collection WHERE identity = ?1", &identity)? {
                return Ok(here);
            }
            let CollectionSpec { name, about, filter, campaign } = spec;
            let mut free = None;
            for name in names_from(name.trim(), &origin) {
                if named("SELECT name FROM collection WHERE name = ?1", &name)?.is_none() {
                    free = Some(name);
                    break;
                }
            }
            let name = free.unwrap_or_else(|| identity.to_string());
            conn.execute(
                "INSERT INTO collection (name, about, filter, campaign, who, date_ms, identity, origin)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                params![name, about, filter.trim(), campaign, who, CaptureDate::now().millis(), identity, origin],
            )?;
            Ok(name)
        })
    }

    /// Puts captures into a collection that came with files. Its captures, and those that a person took
    /// out here, stay. Returns how many were put in.
    ///
    /// # Errors
    ///
    /// No collection of this name, or a catalogue that cannot be written.
    pub fn collect_from_handover(&self, name: &str, captures: Vec<CaptureId>, who: &str) -> Result<u64, StoreError> {
        let (name, who) = (name.to_owned(), who.to_owned());
        self.write(move |conn| {
            let id = collection_id(conn, &name)?;
            let now = CaptureDate::now().millis();
            let mut put = conn.prepare_cached("INSERT OR IGNORE INTO collected VALUES (?1, ?2, 0, ?3, ?4)")?;
            let mut changed = 0;
            for capture in captures {
                changed += put.execute(params![id, capture, who, now])? as u64;
            }
            Ok(changed)
        })
    }

    /// Puts captures into a collection, or takes them out; `who` is empty
    /// where its filter brings them: what a person took out stays out then.
    /// Says how many were put in or taken out.
    ///
    /// # Errors
    ///
    /// No collection of this name, or a catalogue that cannot be written.
    pub fn collect(&self, name: &str, captures: Vec<CaptureId>, out: bool, who: &str) -> Result<u64, StoreError> {
        let (name, who) = (name.trim().to_owned(), who.to_owned());
        self.write(move |conn| {
            let id = collection_id(conn, &name)?;
            let now = CaptureDate::now().millis();
            let mut put = conn.prepare_cached(
                "INSERT INTO collected VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (collection, capture) DO UPDATE SET is_out = ?3, who = ?4, date_ms = ?5
                 WHERE ?4 <> '' AND is_out <> ?3",
            )?;
            let mut changed = 0;
            for capture in captures {
                changed += put.execute(params![id, capture, out, who, now])? as u64;
            }
            Ok(changed)
        })
    }

    /// Forgets a collection; the captures stay. Whether there was one.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn forget_collection(&self, name: &str) -> Result<bool, StoreError> {
        let name = name.trim().to_owned();
        self.write(move |conn| {
            conn.execute(
                "DELETE FROM collected WHERE collection = (SELECT id FROM collection WHERE name = ?1)",
                [&name],
            )?;
            Ok(conn.execute("DELETE FROM collection WHERE name = ?1", [&name])? > 0)
        })
    }

    /// The collections, by name.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn collections(&self) -> Result<Vec<CollectionRow>, StoreError> {
        const LIST: &str = concat!(
            "SELECT o.name, o.about, o.filter, o.campaign, o.who, o.date_ms,
                (SELECT count(*) FROM collected k WHERE k.collection = o.id AND NOT k.is_out),
                (SELECT count(*) FROM collected k WHERE k.collection = o.id AND k.is_out),
                (SELECT count(*) FROM collected k JOIN capture c ON c.id = k.capture
                 WHERE k.collection = o.id AND NOT k.is_out AND ifnull(",
            decision_sql!(),
            ", '') = 'reject'), o.identity, o.origin
             FROM collection o ORDER BY o.name"
        );
        self.rows(LIST, [], |row| {
            Ok(CollectionRow {
                name: row.get(0)?,
                about: row.get(1)?,
                filter: row.get(2)?,
                campaign: row.get(3)?,
                who: row.get(4)?,
                date: CaptureDate::from_millis(row.get(5)?),
                captures: uint(row.get(6)?),
                taken_out: uint(row.get(7)?),
                rejected: uint(row.get(8)?),
                identity: row.get(9)?,
                origin: row.get(10)?,
            })
        })
    }

    /// The captures of collections, by name.
    ///
    /// # Errors
    ///
    /// No collection of a name, or a catalogue that cannot be read.
    pub fn collected(&self, names: &[String]) -> Result<HashSet<CaptureId>, StoreError> {
        self.read(|conn| {
            let mut found = HashSet::new();
            for name in names {
                let id = collection_id(conn, name.trim())?;
                let mut statement =
                    conn.prepare_cached("SELECT capture FROM collected WHERE collection = ?1 AND NOT is_out")?;
                let rows = statement.query_map([id], |row| row.get::<_, CaptureId>(0))?;
                for row in rows {
                    found.insert(row?);
                }
            }
            Ok(found)
        })
    }

    /// The settings that a named selection was made with.
    ///
    /// # Errors
    ///
    /// No selection of this name, or a catalogue that cannot be read.
    pub fn named_selection(&self, campaign: CampaignId, name: &str) -> Result<SelectionSpec, StoreError> {
        self.read(|conn| {
            let spec: Option<String> = conn
                .query_row(
                    "SELECT spec FROM named_selection WHERE campaign = ?1 AND name = ?2",
                    params![campaign, name.trim()],
                    |row| row.get(0),
                )
                .optional()?;
            let spec = spec.ok_or(StoreError::Missing { what: "selection", id: name.to_owned() })?;
            serde_json::from_str(&spec).map_err(|error| StoreError::Content(error.to_string()))
        })
    }
}

/// Free names for something that came and whose name is taken: the name, then with its origin.
pub(in crate::store) fn names_from<'a>(name: &'a str, origin: &'a str) -> impl Iterator<Item = String> + 'a {
    let numbered = (2..1000).map(move |number| format!("{name} (from {origin}, {number})"));
    [name.to_owned(), format!("{name} (from {origin})")].into_iter().chain(numbered)
}

fn collection_id(conn: &Connection, name: &str) -> Result<i64, StoreError> {
    conn.query_row("SELECT id FROM collection WHERE name = ?1", [name], |row| row.get(0))
        .optional()?
        .ok_or(StoreError::Missing { what: "collection", id: name.to_owned() })
}

fn forget_named(conn: &Connection, campaign: CampaignId, name: &str) -> Result<bool, StoreError> {
    conn.execute(
        "DELETE FROM named_capture WHERE selection =
            (SELECT id FROM named_selection WHERE campaign = ?1 AND name = ?2)",
        params![campaign, name],
    )?;
    Ok(conn.execute("DELETE FROM named_selection WHERE campaign = ?1 AND name = ?2", params![campaign, name])? > 0)
}
