//! The catalogue's shape, version by version.

use rusqlite::Connection;

/// `Fnds`: whose file this is (SQLite's application_id).
pub(super) const APPLICATION_ID: u32 = 0x466e_6473;

/// Version n of the catalogue is made from version n-1 by the nth of these.
const MIGRATIONS: [&str; 5] = [
    include_str!("schema.sql"),
    include_str!("schema_schedule.sql"),
    include_str!("schema_engine.sql"),
    include_str!("schema_import.sql"),
    include_str!("schema_inlinks.sql"),
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

/// Tables that version 4 gave further columns, with what stands in them where
/// nothing is known.
const COLUMNS_OF_4: [(&str, &str); 4] = [
    ("warc_file", "NULL AS package"),
    ("problem", "0 AS read_again"),
    ("import", "'[]' AS passed_paths"),
    ("import_file", "'{}' AS left_out, 0 AS orphans"),
];

/// Lets a connection that can only look see an earlier version as the present
/// one. What an earlier version has no table for is asked for with care.
pub(super) fn view_as_of_now(conn: &Connection) -> rusqlite::Result<()> {
    let found: u32 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found < 4 {
        for (table, columns) in COLUMNS_OF_4 {
            conn.execute_batch(&format!("CREATE TEMP VIEW {table} AS SELECT *, {columns} FROM main.{table}"))?;
        }
    }
    if found < 5 {
        // Inlinks of another form are none, and wait to be built anew.
        conn.execute_batch(
            "CREATE TEMP VIEW capture_inlinks AS SELECT * FROM main.capture_inlinks WHERE 0;
             CREATE TEMP VIEW inlink_build AS SELECT * FROM main.inlink_build WHERE 0;
             CREATE TEMP VIEW setting AS SELECT * FROM main.setting UNION ALL
                SELECT 'inlinks_wanted', '1' WHERE EXISTS (SELECT 1 FROM main.inlink_build);",
        )?;
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::campaign::Campaign;
    use crate::store::Workspace;

    /// What the page of files and the filter of captures ask for.
    #[track_caller]
    fn looking_answers(looking: &Workspace) {
        let catalogue = looking.catalogue();
        assert_eq!(catalogue.imports().unwrap(), []);
        assert_eq!(catalogue.problems(&Default::default()).unwrap().rows, []);
        assert!(looking.files().unwrap().is_empty());
        assert_eq!(catalogue.imported_files(1).unwrap(), []);
        for filter in ["file:a.warc.gz", "imported:1", "file:1"] {
            let query = crate::store::rows::CaptureQuery {
                filter: filter.to_owned(),
                tab: crate::store::rows::CaptureTab::All,
                campaign: None,
                sort: Vec::new(),
                offset: 0,
                limit: 9,
            };
            assert_eq!(catalogue.captures(&query).unwrap().rows, [], "{filter}");
        }
    }

    #[test]
    fn inlinks_of_an_earlier_form_are_thrown_away_and_wanted() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("w");
        drop(Workspace::create(&folder).unwrap());
        let path = folder.join("fonds.sqlite");
        std::fs::remove_file(&path).unwrap();
        let conn = Connection::open(&path).unwrap();
        MIGRATIONS[..4].iter().for_each(|sql| conn.execute_batch(sql).unwrap());
        conn.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        conn.pragma_update(None, "user_version", 4).unwrap();
        conn.execute_batch(
            "INSERT INTO page VALUES (1, 'pt,a)/'), (2, 'pt,b)/');
             INSERT INTO anchor VALUES (1, 'A');
             INSERT INTO inlink VALUES (1, 5, 2, 1, 0, 1);
             CREATE TABLE inlink_new (target INTEGER);
             INSERT INTO inlink_build (date_ms, report) VALUES (5, '{}');",
        )
        .unwrap();
        drop(conn);
        let looking = Workspace::look(&folder).unwrap();
        assert_eq!(looking.catalogue().prospects(None, "", 9).unwrap(), []);
        assert_eq!(looking.top_anchors(9, &Default::default()).unwrap(), []);
        assert!(looking.built_links().unwrap().is_none() && looking.catalogue().inlinks_wanted().unwrap());
        assert!(looking.catalogue().inlink_build().unwrap().is_none());
        drop(looking);
        let open = Workspace::open(&folder).unwrap();
        assert!(open.catalogue().inlinks_wanted().unwrap());
        assert!(open.built_links().unwrap().is_none() && open.catalogue().inlink_build().unwrap().is_none());
        crate::store::tests::build(&open);
        assert!(open.built_links().unwrap().is_some() && !open.catalogue().inlinks_wanted().unwrap());
    }

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
        looking_answers(&looking);
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
