//! Rows of a catalogue of the last version that was never released, taken into a new one.

use super::Catalogue;
use super::error::StoreError;
use super::sql::uint;
use super::untrusted::{connect, is_shape};
use crate::campaign::Identity;
use crate::captures::Media;
use crate::captures::original_rule::{DeclaredKind, names_payload};
use crate::jobs::{Cancelled, JobCx};
use crate::store::campaigns::lineage::spec_digest;
use crate::store::captures::link_list::insert_alone;
use crate::uri::Url;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params, params_from_iter};
use serde::Serialize;
use std::path::Path;

/// The version that is read, and the digest of the shape of its tables.
const VERSION: u32 = 28;
const SHAPE: &str = "d747ea01a90c7f732a62b510b5b39001f3c1df3eaf026ff27cdc045616c1a526";

/// Tables of both versions, each behind those that its rows name. Sums of seen URLs come by themselves;
/// what was built of inlinks is built again.
const TABLES: [&str; 41] = [
    "campaign",
    "campaign_version",
    "launch",
    "launch_origin",
    "launch_change",
    "schedule_run",
    "event",
    "job",
    "host",
    "page",
    "url",
    "seen",
    "host_wait",
    "robots",
    "host_geo",
    "handed_geo",
    "warc_file",
    "import",
    "import_file",
    "problem",
    "capture",
    "declared_digest",
    "file_rule",
    "unread_page",
    "record",
    "link_list",
    "outlink_gap",
    "mark",
    "mark_origin",
    "annotation_apart",
    "judgement",
    "collection",
    "collected",
    "selection",
    "score",
    "measure",
    "measured",
    "requisite",
    "named_selection",
    "named_capture",
    "export",
];

/// Settings that record what was done with the rows of the earlier catalogue, and is done again.
const LEFT_SETTINGS: &str = "'originals_searched', 'repeats_read', 'links_lost', 'inlinks_wanted', 'inlinks_counted'";

/// Counts of rows taken from an earlier catalogue.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct EarlierRows {
    /// Campaigns, whatever their versions.
    pub campaigns: u64,
    /// Decisions and notes, those too that were taken back.
    pub marks: u64,
    /// Judgements of results.
    pub judgements: u64,
    /// Collections.
    pub collections: u64,
    /// Launches of crawls and imports.
    pub launches: u64,
    /// URLs that they have seen.
    pub seen: u64,
    /// Captures.
    pub captures: u64,
}

/// The version of a catalogue; nothing is changed in it.
///
/// # Errors
///
/// A file that cannot be read as an SQLite database.
pub fn catalogue_version(path: &Path) -> Result<u32, StoreError> {
    Ok(open(path)?.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Archive files inside the folder of an earlier workspace, as its catalogue names them: relative to it.
///
/// # Errors
///
/// A catalogue that cannot be read.
pub fn earlier_files(path: &Path) -> Result<Vec<String>, StoreError> {
    let conn = open(path)?;
    let mut statement = conn.prepare("SELECT path FROM warc_file WHERE changed < 2 ORDER BY path")?;
    let paths = statement.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
    Ok(paths.into_iter().filter(|path| !Path::new(path).is_absolute()).collect())
}

/// Whether [`Catalogue::take_earlier`] reads catalogues of a version.
pub fn is_earlier(version: u32) -> bool {
    version == VERSION
}

fn open(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    connect(path, flags).map_err(StoreError::sql("be opened"))
}

impl Catalogue {
    /// Takes the rows of an earlier catalogue into this one, which is empty: all or nothing. Nobody may
    /// write the earlier one meanwhile.
    ///
    /// # Errors
    ///
    /// A catalogue that is none of that version or cannot be read, no room, and `Cancelled`.
    pub fn take_earlier(&self, path: &Path, cx: &JobCx) -> Result<EarlierRows, StoreError> {
        let earlier = open(path)?;
        if !is_shape(&earlier, SHAPE)? {
            return Err(super::damage::altered(path, "it has other tables than those of its version".to_owned()));
        }
        let cx = cx.clone();
        self.write(move |conn| {
            conn.pragma_update(None, "defer_foreign_keys", true)?;
            for table in TABLES {
                cx.stage(format!("Taking over table {table}"), None);
                match table {
                    "campaign" | "collection" => copy_with_identities(&earlier, conn, table, &cx)?,
                    "campaign_version" => copy_versions(&earlier, conn)?,
                    "capture" => copy_captures(&earlier, conn, &cx)?,
                    "declared_digest" => copy_declared(&earlier, conn)?,
                    "link_list" => copy_lists(&earlier, conn)?,
                    _ => copy(&earlier, conn, table, "", &cx)?,
                }
            }
            copy(&earlier, conn, "setting", &format!("WHERE name NOT IN ({LEFT_SETTINGS})"), &cx)?;
            // Imports counted for every campaign then. Of several nobody knows which one is meant.
            conn.execute(
                "UPDATE launch SET campaign = (SELECT id FROM campaign), version = (SELECT version FROM campaign)
                 WHERE kind = 'import' AND campaign IS NULL AND (SELECT count(*) FROM campaign) = 1",
                [],
            )?;
            let count = |table: &str| -> Result<u64, StoreError> {
                Ok(uint(conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?))
            };
            Ok(EarlierRows {
                campaigns: count("campaign")?,
                marks: count("mark")?,
                judgements: count("judgement")?,
                collections: count("collection")?,
                launches: count("launch")?,
                seen: count("seen")?,
                captures: count("capture")?,
            })
        })
    }
}

fn copy_declared(earlier: &Connection, conn: &Connection) -> Result<(), StoreError> {
    let sql = "SELECT d.capture, c.page, d.digest FROM declared_digest d JOIN capture c ON c.id = d.capture";
    let mut select = earlier.prepare(sql)?;
    let mut rows = select.query([])?;
    let mut insert = conn.prepare("INSERT INTO declared_digest (capture, page, digest) VALUES (?1, ?2, ?3)")?;
    while let Some(row) = rows.next()? {
        insert.execute(params![row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, String>(2)?])?;
    }
    Ok(())
}

/// Copies lists of outlinks, each of which was compressed by itself.
fn copy_lists(earlier: &Connection, conn: &Connection) -> Result<(), StoreError> {
    let mut select = earlier.prepare("SELECT capture, anchors, last, links FROM link_list ORDER BY id")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let list = row.get_ref(3)?.as_blob().map_err(rusqlite::Error::from)?;
        insert_alone(conn, (row.get(0)?, row.get(1)?, row.get(2)?), list)?;
    }
    Ok(())
}

/// Copies the rows of a table whose rows have an identity since, and gives each one of its own.
fn copy_with_identities(earlier: &Connection, conn: &Connection, table: &str, cx: &JobCx) -> Result<(), StoreError> {
    copy_and_fill(earlier, conn, (table, ""), Some("identity"), cx)
}

/// Copies the versions of campaigns, each with its digest and that of the one before.
fn copy_versions(earlier: &Connection, conn: &Connection) -> Result<(), StoreError> {
    let sql = "SELECT campaign, version, spec, saved_ms FROM campaign_version ORDER BY campaign, version";
    let mut select = earlier.prepare(sql)?;
    let mut rows = select.query([])?;
    let mut insert = conn.prepare(
        "INSERT INTO campaign_version (campaign, version, spec, saved_ms, digest, parent) VALUES (?1,?2,?3,?4,?5,?6)",
    )?;
    let mut before: Option<(i64, String)> = None;
    while let Some(row) = rows.next()? {
        let (campaign, spec) = (row.get::<_, i64>(0)?, row.get::<_, String>(2)?);
        let digest = spec_digest(&spec);
        let parent = before.filter(|(of, _)| *of == campaign).map(|(_, digest)| digest);
        insert.execute(params![campaign, row.get::<_, i64>(1)?, spec, row.get::<_, i64>(3)?, digest, parent])?;
        before = Some((campaign, digest));
    }
    Ok(())
}

/// Copies the rows of a table that a condition holds of, with the columns that it has in both versions.
fn copy(earlier: &Connection, conn: &Connection, table: &str, condition: &str, cx: &JobCx) -> Result<(), StoreError> {
    copy_and_fill(earlier, conn, (table, condition), None, cx)
}

/// Copies a table, with a new identity for each row in a column that only the present version has.
fn copy_and_fill(
    earlier: &Connection,
    conn: &Connection,
    (table, condition): (&str, &str),
    identity: Option<&str>,
    cx: &JobCx,
) -> Result<(), StoreError> {
    let columns = |conn: &Connection| -> rusqlite::Result<Vec<String>> {
        conn.prepare("SELECT name FROM pragma_table_info(?1)")?.query_map([table], |row| row.get(0))?.collect()
    };
    let before = columns(earlier)?;
    let both: Vec<String> = columns(conn)?.into_iter().filter(|column| before.contains(column)).collect();
    let count = both.len();
    let mut select = earlier.prepare(&format!("SELECT {} FROM {table} {condition}", both.join(", ")))?;
    let into: Vec<String> = both.into_iter().chain(identity.map(str::to_owned)).collect();
    let (names, places) = (into.join(", "), vec!["?"; into.len()].join(", "));
    let mut insert = conn.prepare(&format!("INSERT INTO {table} ({names}) VALUES ({places})"))?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        cx.checkpoint().map_err(|_| Cancelled)?;
        let mut values = (0..count).map(|at| row.get::<_, Value>(at)).collect::<Result<Vec<_>, _>>()?;
        values.extend(identity.map(|_| Value::Text(Identity::new().to_string())));
        insert.execute(params_from_iter(values))?;
    }
    Ok(())
}

/// Copies captures, and the claims of the records of revisits. Their originals are found by the present rule.
fn copy_captures(earlier: &Connection, conn: &Connection, cx: &JobCx) -> Result<(), StoreError> {
    let mut select = earlier.prepare(
        "SELECT c.id, c.launch, c.url, c.page, c.host, c.date_ms, c.status, c.mime, c.size, c.digest, c.truncated, c.ip,
            c.fetch_ms, c.title, c.language, c.hops, c.via, c.seed, c.source_tag, c.rule_index, c.rule_name,
            c.redirect_to, c.revisit_of_ms, c.change, c.stored, u.url, nullif(r.url, c.url), t.record_id, r.original
         FROM capture c JOIN url u ON u.id = c.url LEFT JOIN repeat r ON r.capture = c.id
         LEFT JOIN refers_to t ON t.capture = c.id",
    )?;
    let mut insert = conn.prepare(
        "INSERT INTO capture (id, launch, url, page, host, date_ms, status, mime, size, digest, truncated, ip,
            fetch_ms, title, language, hops, via, seed, source_tag, rule_index, rule_name, redirect_to, revisit_of_ms,
            change, stored, media)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    let mut insert_revisit = conn.prepare(
        "INSERT INTO revisit (capture, url, record_id, digest, names_payload, lacks_head, declared_kind, links_of)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        cx.checkpoint().map_err(|_| Cancelled)?;
        let mut values = (0..25).map(|at| row.get::<_, Value>(at)).collect::<Result<Vec<_>, _>>()?;
        let (status, mime): (i32, String) = (row.get(6)?, row.get(7)?);
        let url = Url::parse(&row.get::<_, String>(25)?);
        values.push(Value::Integer(url.map_or(Media::Other, |url| Media::of(&mime, &url, b"")) as i64));
        let is_revisit = row.get::<_, Option<i64>>(22)?.is_some();
        let digest: String = row.get(9)?;
        let is_named = names_payload(&digest, status);
        if is_revisit && !is_named {
            values[9] = Value::Text(String::new());
        }
        insert.execute(params_from_iter(values))?;
        if is_revisit {
            insert_revisit.execute(params![
                row.get::<_, i64>(0)?,
                row.get::<_, Option<i64>>(26)?,
                row.get::<_, Option<String>>(27)?,
                (!is_named && !digest.is_empty()).then_some(digest),
                is_named,
                status == 0,
                DeclaredKind::of(status, &mime) as u8,
                row.get::<_, Option<i64>>(28)?,
            ])?;
        }
    }
    Ok(())
}
