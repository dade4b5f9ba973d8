//! A catalogue may come from somebody else: it is data, and nothing in it is
//! carried out.

use super::error::StoreError;
use super::schema::{SCHEMA_VERSION, create_version};
use crate::jobs::JobCx;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use sha2::{Digest, Sha256};
use std::path::Path;

/// Longest row or value that is read, in bytes: several times the longest
/// campaign.
const MAX_VALUE_BYTES: i32 = 256 << 20;
/// Longest statement, in bytes.
const MAX_STATEMENT_BYTES: i32 = 1 << 20;
/// Triggers that set off each other. Those of ours set off none.
const MAX_TRIGGER_DEPTH: i32 = 4;
/// Databases opened beside the catalogue: the copy that makes it smaller.
const MAX_ATTACHED: i32 = 1;

/// Characters of a text that a message shows.
const SHOWN_CHARS: usize = 60;

/// Tables that SQLite makes for itself.
const OF_SQLITE: [(&str, &str); 2] = [
    ("sqlite_stat1", "CREATE TABLE sqlite_stat1 ( tbl , idx , stat ) "),
    ("sqlite_stat4", "CREATE TABLE sqlite_stat4 ( tbl , idx , neq , nlt , ndlt , sample ) "),
];
/// Tables that a build of inlinks fills before it puts them in the place of
/// others. One that was killed leaves them; they are dropped unread.
const OF_BUILDS: [&str; 2] = ["prospect_new", "capture_inlinks_new"];

/// Opens a catalogue; every connection to one is made here.
pub(in crate::store) fn connect(path: impl AsRef<Path>, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let conn = Connection::open_with_flags(path, flags)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, MAX_STATEMENT_BYTES),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, MAX_TRIGGER_DEPTH),
        (Limit::SQLITE_LIMIT_ATTACHED, MAX_ATTACHED),
    ] {
        conn.set_limit(limit, most)?;
    }
    Ok(conn)
}

/// A table, index, trigger or view.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Object {
    kind: String,
    name: String,
    table: String,
    /// The SQL that makes it (see [`plain_sql`]).
    sql: String,
}

/// SHA-256 of the shape of the present version: computing it to compare takes longer than all the
/// rest of opening.
const PRESENT_SHAPE: &str = "c3a1913f709a8cad07cbee4e8c37c6161c061223a4b44559b35a3622e8f8005d";

/// Says what a catalogue holds that no version of this program has made, or
/// lacks of it; none where its shape is that of its version.
pub(in crate::store) fn foreign_shape(conn: &Connection) -> rusqlite::Result<Option<String>> {
    let version: u32 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    // One that is too new is refused elsewhere.
    if version > SCHEMA_VERSION {
        return Ok(None);
    }
    let found = shape(conn)?;
    if version == SCHEMA_VERSION && digest(&found) == PRESENT_SHAPE {
        return Ok(None);
    }
    let own = shape_of_version(version)?;
    for object in &found {
        if own.contains(object) {
            continue;
        }
        let is_known = own.iter().any(|own| own.kind == object.kind && own.name == object.name);
        let what = if is_known { "another one than that of Fonds" } else { "none of Fonds" };
        return Ok(Some(format!("the {} “{}” is {what}", object.kind, object.name)));
    }
    if let Some(missing) = own.iter().find(|object| !found.contains(object)) {
        return Ok(Some(format!("the {} “{}” is missing", missing.kind, missing.name)));
    }
    // What is there twice is in both lists.
    Ok((found.len() != own.len()).then(|| "something in it is there twice".to_owned()))
}

/// Numbers of rows by which memory is laid out, by the tables and columns that have them.
const NUMBERS: [(&str, &str); 13] = [
    ("capture", "id"),
    ("capture", "host"),
    ("capture", "page"),
    ("capture", "url"),
    ("capture", "launch"),
    ("capture", "original"),
    ("host", "id"),
    ("launch", "id"),
    ("link_list", "capture"),
    ("page", "id"),
    ("record", "capture"),
    ("url", "id"),
    ("warc_file", "id"),
];
/// Bytes of a catalogue that a row takes at least; one of a capture takes some two hundred.
const MIN_ROW_BYTES: i64 = 16;
/// Numbers that are taken whatever the size of the catalogue is: they cost some megabytes.
const FREE_NUMBERS: i64 = 1 << 20;

/// Says which number of a row is higher, or lower, than any that this program has
/// given: rows are numbered one after the other, so a catalogue of so many bytes
/// has none that is much higher than their count. None where all can be so.
pub(in crate::store) fn foreign_number(conn: &Connection) -> rusqlite::Result<Option<String>> {
    let version: u32 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version != SCHEMA_VERSION {
        return Ok(None);
    }
    let pages: i64 = conn.pragma_query_value(None, "page_count", |row| row.get(0))?;
    let page_bytes: i64 = conn.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let most = pages.saturating_mul(page_bytes) / MIN_ROW_BYTES + FREE_NUMBERS;
    for (table, column) in NUMBERS {
        for end in ["min", "max"] {
            // Each is one look into an index; that of originals has no others.
            let sql = format!("SELECT {end}({column}) FROM {table} WHERE {column} IS NOT NULL");
            let number: Option<i64> = conn.query_row(&sql, [], |row| row.get(0))?;
            if let Some(number) = number.filter(|number| !(0..=most).contains(number)) {
                return Ok(Some(format!(
                    "the table “{table}” has a row with the {column} {number}, where {most} is the most that a catalogue of this size can have"
                )));
            }
        }
    }
    Ok(None)
}

/// Rows between two checks whether the job is cancelled.
const ROWS_PER_CHECK: u64 = 4096;

/// Says which texts are no UTF-8, the first of each column; none where all are. Reads the whole catalogue.
pub(in crate::store) fn foreign_text(conn: &Connection, cx: &JobCx) -> Result<Option<String>, StoreError> {
    let mut tables = conn.prepare(
        "SELECT s.name, c.name, EXISTS (SELECT 1 FROM pragma_table_info(s.name) i WHERE i.name = 'id')
         FROM sqlite_schema s JOIN pragma_table_info(s.name) c
         WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite%' AND c.type = 'TEXT' ORDER BY s.name, c.cid",
    )?;
    let columns: Vec<(String, String, bool)> =
        tables.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect::<Result<_, _>>()?;
    cx.stage("Checking texts", Some(columns.len() as u64));
    let mut found = Vec::new();
    for (table, column, has_id) in columns {
        cx.advance(1)?;
        cx.note(table.clone());
        let mut count = 0_u64;
        let id = if has_id { "id" } else { "NULL" };
        let mut statement = conn.prepare(&format!("SELECT \"{column}\", {id} FROM \"{table}\""))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            count += 1;
            if count.is_multiple_of(ROWS_PER_CHECK) {
                cx.checkpoint()?;
            }
            if let ValueRef::Text(text) = row.get_ref(0)?
                && let Err(error) = std::str::from_utf8(text)
            {
                let (text, at) = (String::from_utf8_lossy(text), error.valid_up_to());
                let text: String = text.chars().take(SHOWN_CHARS).collect();
                let id = row.get::<_, Option<i64>>(1)?.map_or_else(String::new, |id| format!(" {id}"));
                let text = text.escape_debug();
                found.push(format!("row{id} of the table {table}: byte {at} of its {column} “{text}” is no UTF-8"));
                break;
            }
        }
    }
    Ok((!found.is_empty()).then(|| found.join("; ")))
}

/// Whether a catalogue has the shape of a digest.
pub(in crate::store) fn is_shape(conn: &Connection, expected: &str) -> rusqlite::Result<bool> {
    Ok(digest(&shape(conn)?) == expected)
}

fn shape_of_version(version: u32) -> rusqlite::Result<Vec<Object>> {
    let conn = Connection::open_in_memory()?;
    create_version(&conn, version)?;
    shape(&conn)
}

fn digest(shape: &[Object]) -> String {
    let mut hasher = Sha256::new();
    for Object { kind, name, table, sql } in shape {
        // No statement holds this character.
        [kind, name, table, sql].iter().for_each(|text| hasher.update([text.as_bytes(), b"\0"].concat()));
    }
    data_encoding::HEXLOWER.encode(&hasher.finalize())
}

/// The objects of a catalogue, by names, without optional ones.
fn shape(conn: &Connection) -> rusqlite::Result<Vec<Object>> {
    let mut statement = conn.prepare(
        "SELECT CAST(type AS TEXT), CAST(name AS TEXT), CAST(tbl_name AS TEXT), CAST(sql AS TEXT) FROM main.sqlite_schema",
    )?;
    let mut rows = statement.query([])?;
    let mut objects = Vec::new();
    while let Some(row) = rows.next()? {
        let text = |at: usize| row.get::<_, Option<String>>(at).map(Option::unwrap_or_default);
        let object = Object { kind: text(0)?, name: text(1)?, table: text(2)?, sql: plain_sql(&text(3)?) };
        let is_of_build = OF_BUILDS.contains(&object.name.as_str()) && object.sql.starts_with("CREATE TABLE ");
        let is_of_sqlite = OF_SQLITE.contains(&(object.name.as_str(), object.sql.as_str()));
        if !(object.kind == "table" && (is_of_build || is_of_sqlite)) {
            objects.push(object);
        }
    }
    objects.sort_unstable();
    Ok(objects)
}

/// The words and signs of a statement with one blank between them. Names are
/// without quotes where they need none: SQLite quotes those of tables that it renames.
fn plain_sql(sql: &str) -> String {
    let is_name_char = |c: char| c.is_alphanumeric() || c == '_';
    let mut plain = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let until = |end: usize| rest.get(1..).and_then(|rest| rest.find(first)).map_or(end, |at| at + 2);
        let len = match first {
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '\'' | '"' | '`' => until(rest.len()),
            _ if is_name_char(first) => rest.find(|c| !is_name_char(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (part, behind) = rest.split_at(len);
        let is_comment = matches!(first, '-' | '/') && len > 1;
        if !is_comment && !first.is_ascii_whitespace() {
            let name = part.strip_prefix(['"', '`']).and_then(|name| name.strip_suffix(first));
            let needs_none = |name: &&str| !name.is_empty() && name.chars().all(is_name_char);
            plain.push_str(name.filter(needs_none).unwrap_or(part));
            plain.push(' ');
        }
        rest = behind;
    }
    plain
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::schema::FIRST_VERSION;
    use super::*;
    use crate::store::Workspace;

    #[test]
    fn comments_and_blanks_make_no_other_statement() {
        let plain = plain_sql("CREATE TABLE \"a\" (\n  -- what it's for\n  b TEXT DEFAULT 'x  --y',/* c */\"d  e\")");
        assert_eq!(plain, "CREATE TABLE a ( b TEXT DEFAULT 'x  --y' , \"d  e\" ) ");
        for open in ["'", "\"", "--", "/*", "'é", "é'", "`", "-", "/"] {
            plain_sql(open);
        }
    }

    #[test]
    fn opening_compares_the_present_shape_by_its_digest() {
        let present = digest(&shape_of_version(SCHEMA_VERSION).unwrap());
        assert_eq!(PRESENT_SHAPE, present, "a migration came: note the digest of its shape here");
    }

    #[test]
    fn the_shape_of_every_version_is_known_and_any_other_one_is_named() {
        for version in [0].into_iter().chain(FIRST_VERSION..=SCHEMA_VERSION) {
            let conn = connect(":memory:", OpenFlags::default()).unwrap();
            create_version(&conn, version).unwrap();
            conn.pragma_update(None, "user_version", version).unwrap();
            conn.execute_batch("ANALYZE").unwrap();
            assert_eq!(foreign_shape(&conn).unwrap(), None, "version {version}");
            conn.execute_batch("CREATE TABLE diary (day TEXT)").unwrap();
            assert_eq!(foreign_shape(&conn).unwrap().unwrap(), "the table “diary” is none of Fonds");
        }
    }

    #[test]
    fn a_compacted_copied_or_read_only_catalogue_has_its_shape() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("w");
        let workspace = Workspace::create(&folder).unwrap();
        workspace.catalogue().vacuum().unwrap();
        workspace.catalogue().back_up(&dir.path().join("copy.sqlite"), &JobCx::detached()).unwrap();
        Workspace::open_read_only(&folder).unwrap();
        // A build puts tables in the place of others; one that is killed leaves its own.
        crate::store::tests::build(&workspace);
        workspace
            .catalogue()
            .write(|conn| Ok(conn.execute_batch("CREATE TABLE prospect_new (page INTEGER)")?))
            .unwrap();
        drop(workspace);
        drop(Workspace::open(&folder).unwrap());
        std::fs::rename(dir.path().join("copy.sqlite"), folder.join("fonds.sqlite")).unwrap();
        Workspace::open(&folder).unwrap();
    }
}
