//! The catalogue's shape, version by version.

use rusqlite::Connection;

/// `Fnds`: whose file this is (SQLite's application_id).
pub(super) const APPLICATION_ID: u32 = 0x466e_6473;

/// Version n of the catalogue is made from version n-1 by the nth of these.
const MIGRATIONS: [&str; 1] = [include_str!("schema.sql")];

/// The version this program writes (SQLite's user_version).
pub(super) const SCHEMA_VERSION: u32 = MIGRATIONS.len() as u32;

/// Brings a catalogue to the present version, all or nothing.
pub(super) fn migrate(conn: &mut Connection) -> rusqlite::Result<()> {
    let found: u32 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for (step, sql) in MIGRATIONS.iter().enumerate().skip(found as usize) {
        let transaction = conn.transaction()?;
        transaction.execute_batch(sql)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", step as u32 + 1)?;
        transaction.commit()?;
    }
    Ok(())
}
