//! The tables of a catalogue, by subject, and how they become those of the present version.
//!
//! A catalogue made before version [`FIRST_VERSION`] is not opened:
//! `fonds new NEW --from OLD` brings over what people know of it.

use rusqlite::Connection;

/// `Fnds`: whose file this is (SQLite's application_id).
pub(in crate::store) const APPLICATION_ID: u32 = 0x466e_6473;

/// The version that [`TABLES`] are. Earlier ones were never released.
pub(in crate::store) const FIRST_VERSION: u32 = 29;

/// The SQL that makes the tables of an empty catalogue.
const TABLES: [&str; 9] = [
    include_str!("schema/launches.sql"),
    include_str!("schema/people.sql"),
    include_str!("schema/seen.sql"),
    include_str!("schema/files.sql"),
    include_str!("schema/captures.sql"),
    include_str!("schema/inlinks.sql"),
    include_str!("schema/selections.sql"),
    include_str!("schema/findings.sql"),
    include_str!("schema/reviews.sql"),
];

/// The nth of these makes version `FIRST_VERSION + n` from the one before.
const MIGRATIONS: [&str; 0] = [];

/// The version this program writes (SQLite's user_version).
pub(in crate::store) const SCHEMA_VERSION: u32 = FIRST_VERSION + MIGRATIONS.len() as u32;

/// The steps from one version, 0 of an empty file, to the present one, each with the version that it makes.
fn steps_from(version: u32) -> impl Iterator<Item = (u32, String)> {
    let first = (version < FIRST_VERSION).then(|| (FIRST_VERSION, TABLES.concat()));
    let later = (FIRST_VERSION + 1..).zip(MIGRATIONS).map(|(makes, sql): (u32, &str)| (makes, sql.to_owned()));
    first.into_iter().chain(later.filter(move |(makes, _)| *makes > version))
}

/// Brings a catalogue to the present version, step by step, each all or nothing.
pub(in crate::store) fn migrate(conn: &mut Connection) -> rusqlite::Result<()> {
    let found: u32 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for (version, sql) in steps_from(found) {
        let transaction = conn.transaction()?;
        transaction.execute_batch(&sql)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", version)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Makes the tables of a version in an empty catalogue.
pub(in crate::store) fn create_version(conn: &Connection, version: u32) -> rusqlite::Result<()> {
    steps_from(0).take_while(|(makes, _)| *makes <= version).try_for_each(|(_, sql)| conn.execute_batch(&sql))
}
