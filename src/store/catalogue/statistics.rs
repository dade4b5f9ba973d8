//! The statistics by which SQLite plans each statement: those of a large catalogue, in every catalogue.
//!
//! SQLite's own are those of the day on which it counted. A campaign is tried on a page before it is crawled: then the
//! statistics of one page plan the statements of a million, and a join reads one table whole for each row of another.
//! With the same statistics everywhere a statement has one plan, the one that is measured.

use rusqlite::{Connection, params};

/// Lines of table, index (empty for a table without any) and figures, as [SQLite keeps them](
/// https://www.sqlite.org/fileformat2.html#the_sqlite_stat1_table).
const STATISTICS: &str = include_str!("schema/statistics.tsv");

/// Table, index and figures of each line.
fn rows() -> impl Iterator<Item = (&'static str, Option<&'static str>, &'static str)> {
    STATISTICS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut fields = line.split('\t');
        let (table, index, figures) = (fields.next()?, fields.next()?, fields.next()?);
        Some((table, (!index.is_empty()).then_some(index), figures))
    })
}

/// Puts the statistics into a catalogue that has others, or none of a table that was made anew.
///
/// # Errors
///
/// A catalogue that cannot be read or written.
pub(in crate::store) fn keep_statistics(conn: &Connection) -> rusqlite::Result<()> {
    let is_kept: bool =
        conn.query_row("SELECT count(*) = 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'", [], |row| row.get(0))?;
    if is_kept && has_all(conn)? {
        return Ok(());
    }
    conn.execute_batch("SAVEPOINT statistics")?;
    let replaced = replace(conn);
    let end = if replaced.is_ok() { "" } else { "ROLLBACK TO statistics; " };
    conn.execute_batch(&format!("{end}RELEASE statistics; ANALYZE sqlite_schema"))?;
    replaced
}

fn replace(conn: &Connection) -> rusqlite::Result<()> {
    // SQLite makes the tables of statistics itself.
    conn.execute_batch("ANALYZE setting; DELETE FROM sqlite_stat1")?;
    let has_samples: bool =
        conn.query_row("SELECT count(*) = 1 FROM sqlite_schema WHERE name = 'sqlite_stat4'", [], |row| row.get(0))?;
    if has_samples {
        conn.execute_batch("DELETE FROM sqlite_stat4")?;
    }
    let mut insert = conn.prepare("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?1, ?2, ?3)")?;
    for (table, index, figures) in rows() {
        insert.execute(params![table, index, figures])?;
    }
    Ok(())
}

fn has_all(conn: &Connection) -> rusqlite::Result<bool> {
    let mut kept = conn.prepare("SELECT tbl, idx, stat FROM sqlite_stat1")?;
    let kept = kept.query_map([], |row| {
        Ok((row.get::<_, Option<String>>(0)?, row.get::<_, Option<String>>(1)?, row.get::<_, Option<String>>(2)?))
    })?;
    let mut kept: Vec<_> = kept.collect::<Result<_, _>>()?;
    let owned = |text: &str| Some(text.to_owned());
    let mut all: Vec<_> =
        rows().map(|(table, index, figures)| (owned(table), index.and_then(owned), owned(figures))).collect();
    kept.sort_unstable();
    all.sort_unstable();
    Ok(kept == all)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::store::Workspace;

    /// The indexes of the schema, by name, with the number of their columns.
    fn columns_of(conn: &Connection, table: &str) -> Vec<(String, i64)> {
        let mut list = conn.prepare("SELECT name FROM pragma_index_list(?1)").unwrap();
        let names: Vec<String> = list.query_map([table], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        let count = |name: &String| -> i64 {
            conn.query_row("SELECT count(*) FROM pragma_index_info(?1)", [name], |row| row.get(0)).unwrap()
        };
        names.into_iter().map(|name| (name.clone(), count(&name))).collect()
    }

    #[test]
    fn statistics_are_those_of_tables_and_indexes_that_there_are() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Workspace::create(&dir.path().join("w")).unwrap();
        let read = |conn: &Connection| {
            for (table, index, figures) in rows() {
                let figures: Vec<u64> = figures.split(' ').map(|figure| figure.parse().unwrap()).collect();
                let Some(index) = index else {
                    assert_eq!(figures.len(), 1, "{table}");
                    continue;
                };
                if index == table {
                    // The table itself, of which the key is the index.
                    continue;
                }
                let found = columns_of(conn, table);
                let (_, columns) = found.iter().find(|(name, _)| name == index).unwrap_or_else(|| panic!("{index}"));
                assert!(figures.len() as i64 == columns + 1, "{index}: {figures:?}, {columns} columns");
            }
            assert!(has_all(conn).unwrap());
            Ok(())
        };
        workspace.catalogue().read(read).unwrap();
    }

    #[test]
    fn a_catalogue_keeps_no_statistics_of_its_first_days() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("w");
        let workspace = Workspace::create(&folder).unwrap();
        let analyze = |conn: &Connection| Ok(conn.execute_batch("ANALYZE")?);
        workspace.catalogue().write(analyze).unwrap();
        drop(workspace);
        let workspace = Workspace::open(&folder).unwrap();
        let kept = |conn: &Connection| Ok(has_all(conn)?);
        assert!(workspace.catalogue().read(kept).unwrap());
    }
}
