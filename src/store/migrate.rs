//! The catalogue's shape, version by version.

use rusqlite::Connection;

/// `Fnds`: whose file this is (SQLite's application_id).
pub(super) const APPLICATION_ID: u32 = 0x466e_6473;

/// Version n of the catalogue is made from version n-1 by the nth of these.
const MIGRATIONS: [&str; 4] = [
    include_str!("schema.sql"),
    include_str!("schema_schedule.sql"),
    include_str!("schema_engine.sql"),
    include_str!("schema_import.sql"),
];

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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::campaign::Campaign;
    use crate::store::Workspace;

    #[test]
    fn a_workspace_of_an_earlier_version_opens_with_all_it_holds() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("w");
        drop(Workspace::create(&folder).unwrap());
        let path = folder.join("fonds.sqlite");
        std::fs::remove_file(&path).unwrap();
        let conn = Connection::open(&path).unwrap();
        conn.execute_batch(MIGRATIONS[0]).unwrap();
        conn.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        conn.pragma_update(None, "user_version", 1).unwrap();
        let spec = serde_json::to_string(&Campaign::new("Old")).unwrap();
        conn.execute("INSERT INTO campaign VALUES (1, 'Old', 1, 5)", []).unwrap();
        conn.execute("INSERT INTO campaign_version VALUES (1, 1, ?1, 5)", [spec]).unwrap();
        for (name, state, why) in [("20260101000000", "stopped", ""), ("20250101000000", "finished", "imported from x")]
        {
            conn.execute(
                "INSERT INTO launch (kind, campaign, version, job, launch, state, started_ms, why)
                 VALUES ('crawl', 1, 1, 'old', ?1, ?2, 5, ?3)",
                [name, state, why],
            )
            .unwrap();
        }
        drop(conn);

        let looking = Workspace::look(&folder).unwrap();
        assert_eq!(looking.catalogue().scheduled_runs(None, 9).unwrap(), []);
        assert_eq!(looking.catalogue().last_launch(None).unwrap().unwrap().launch, "20250101000000");
        drop(looking);
        let open = Workspace::open(&folder).unwrap();
        assert_eq!(open.catalogue().campaign(1).unwrap().1.name, "Old");
        assert_eq!(open.catalogue().last_launch(None).unwrap().unwrap().launch, "20260101000000");
        assert_eq!(open.catalogue().unfinished_launch(1).unwrap().unwrap().launch, "20260101000000");
        let run = crate::campaign::Run { date: Default::default(), is_extra: false, words: String::new() };
        let kept = open.catalogue().keep_scheduled(
            1,
            vec![(run, crate::store::rows::RunState::Missed, "asleep".to_owned())],
            Default::default(),
        );
        assert_eq!(kept.unwrap().len(), 1);
    }
}
