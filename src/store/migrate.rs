//! The catalogue's shape, version by version.

use super::needed::needed_sql;
use rusqlite::Connection;
use std::collections::BTreeMap;

/// `Fnds`: whose file this is (SQLite's application_id).
pub(super) const APPLICATION_ID: u32 = 0x466e_6473;

/// Milliseconds that a launch ran, as far as its captures tell: what lies
/// between two of them, unless that is a pause.
macro_rules! ran_by_captures {
    () => {
        "ifnull((SELECT sum(gap) FROM
            (SELECT date_ms - lag(date_ms) OVER (ORDER BY date_ms) AS gap FROM main.capture WHERE launch = launch.id)
            WHERE gap <= 600000), 0)"
    };
}

/// The links that captures need, from the time when each of them was a row.
macro_rules! needed_rows {
    () => {
        "FROM needed n JOIN capture c ON c.id = n.id
         JOIN outlink o ON o.capture = CASE WHEN c.revisit_of_ms IS NULL THEN c.id ELSE
               ifnull((SELECT x.id FROM capture x WHERE x.url = c.url AND x.digest = c.digest
                        AND x.revisit_of_ms IS NULL ORDER BY x.date_ms DESC LIMIT 1), c.id) END
            AND o.kind IN ('stylesheet', 'image', 'script', 'media', 'css', 'frame', 'redirect')
         JOIN url t ON t.id = o.target
         WHERE n.id NOT IN (SELECT capture FROM rejected)"
    };
}

/// What such a link leads to.
macro_rules! nearest_by_url {
    () => {
        "(SELECT x.id FROM capture x WHERE x.page = t.page ORDER BY abs(x.date_ms - c.date_ms), x.id LIMIT 1)"
    };
}

/// The rows that were links of the capture `$capture`, as the list of them.
macro_rules! packed_rows {
    ($capture:literal) => {
        concat!(
            "(SELECT pack_links(o.position, t.url, o.kind, a.text, o.nofollow, o.rel, o.place)
               FROM outlink o JOIN url t ON t.id = o.target JOIN anchor a ON a.id = o.anchor WHERE o.capture = ",
            $capture,
            ")"
        )
    };
}

/// Version n of the catalogue is made from version n-1 by the nth of these.
const MIGRATIONS: [&str; 28] = [
    include_str!("schema.sql"),
    include_str!("schema_schedule.sql"),
    include_str!("schema_engine.sql"),
    include_str!("schema_import.sql"),
    include_str!("schema_inlinks.sql"),
    include_str!("schema_problem.sql"),
    concat!(
        include_str!("schema_requisite.sql"),
        "INSERT INTO requisite WITH RECURSIVE asked (campaign) AS (SELECT campaign FROM selection WHERE requisites > 0), ",
        needed_sql!(nearest_by_url!(), needed_rows!()),
        " SELECT campaign, capture FROM along; ALTER TABLE selection DROP COLUMN requisites;"
    ),
    include_str!("schema_outlink.sql"),
    include_str!("schema_repeat.sql"),
    include_str!("schema_unread.sql"),
    include_str!("schema_original.sql"),
    include_str!("schema_found.sql"),
    include_str!("schema_decision.sql"),
    concat!(
        include_str!("schema_ran.sql"),
        "UPDATE launch SET ran_ms = CASE WHEN is_foreign THEN max(ifnull(ended_ms, started_ms) - started_ms, 0) ELSE ",
        ran_by_captures!(),
        " END;"
    ),
    "UPDATE problem SET kind = CASE kind
        WHEN 'bytes that are no record' THEN 'data outside records'
        WHEN 'bad record head' THEN 'invalid record header'
        WHEN 'bad field' THEN 'invalid header'
        WHEN 'cut off' THEN 'truncated'
        WHEN 'against advice' THEN 'not recommended'
        WHEN 'original not here' THEN 'original missing'
        WHEN 'page not read whole' THEN 'page not fully read'
        ELSE kind END;",
    include_str!("schema_event.sql"),
    include_str!("schema_gap.sql"),
    include_str!("schema_change.sql"),
    include_str!("schema_claim.sql"),
    include_str!("schema_refers_to.sql"),
    include_str!("schema_declared.sql"),
    include_str!("schema_mark_origin.sql"),
    // What a score is made of, from the parts that were written with it.
    concat!(
        include_str!("schema_measure.sql"),
        "INSERT INTO measure (campaign, capture, request, holds, external_hosts, anchor_hosts, unread, terms) ",
        include_str!("schema_measure_of_parts.sql"),
        "; ALTER TABLE score ADD COLUMN review TEXT NOT NULL DEFAULT ''; UPDATE score SET review = ",
        include_str!("schema_review_of_parts.sql"),
        "; ALTER TABLE score DROP COLUMN parts;"
    ),
    include_str!("schema_collection.sql"),
    include_str!("schema_handed.sql"),
    concat!(
        include_str!("schema_link_list.sql"),
        "INSERT INTO link_list (capture, anchors, last, links)
         SELECT capture, sum(kind = 'anchor'), max(position), ",
        packed_rows!("outlink.capture"),
        " FROM outlink GROUP BY capture ORDER BY capture; DROP TABLE outlink; DROP TABLE anchor;"
    ),
    include_str!("schema_judgement.sql"),
    include_str!("schema_order.sql"),
];

/// The version this program writes (SQLite's user_version).
pub(super) const SCHEMA_VERSION: u32 = MIGRATIONS.len() as u32;

/// Brings a catalogue to the present version, all or nothing.
pub(super) fn migrate(conn: &mut Connection) -> rusqlite::Result<()> {
    let found: u32 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    super::link_list::register(conn)?;
    for (step, sql) in MIGRATIONS.iter().enumerate().skip(found as usize) {
        let transaction = conn.transaction()?;
        transaction.execute_batch(sql)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", step as u32 + 1)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Makes the tables of a version in an empty catalogue.
pub(super) fn create_version(conn: &Connection, version: u32) -> rusqlite::Result<()> {
    super::link_list::register(conn)?;
    MIGRATIONS.iter().take(version as usize).try_for_each(|sql| conn.execute_batch(sql))
}

/// Tables that a version gave further columns, with what stands in them where
/// nothing is known.
const FURTHER_COLUMNS: [(u32, &str, &str); 7] = [
    (4, "warc_file", "NULL AS package"),
    (4, "problem", "0 AS read_again"),
    (4, "import", "'[]' AS passed_paths"),
    (4, "import_file", "'{}' AS left_out, 0 AS orphans"),
    (6, "problem", "NULL AS member, NULL AS member_decoded"),
    (8, "outlink", "NULL AS rel, NULL AS place"),
    (14, "launch", concat!(ran_by_captures!(), " AS ran_ms, NULL AS running_since_ms")),
];

/// Lets a connection that can only look see an earlier version as the present
/// one. What an earlier version has no table for is asked for with care.
pub(super) fn view_as_of_now(conn: &Connection) -> rusqlite::Result<()> {
    let found: u32 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let mut missing: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (_, table, columns) in FURTHER_COLUMNS.iter().filter(|(since, ..)| found < *since) {
        missing.entry(table).or_default().push(columns);
    }
    for (table, columns) in missing {
        let columns = columns.join(", ");
        conn.execute_batch(&format!("CREATE TEMP VIEW {table} AS SELECT *, {columns} FROM main.{table}"))?;
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
    if found < 9 {
        conn.execute_batch(
            "CREATE TEMP VIEW repeat AS
                SELECT NULL AS capture, NULL AS url, NULL AS original, NULL AS reading, NULL AS found WHERE 0",
        )?;
    } else if found < 12 {
        let reading = if found < 11 { "NULL AS reading," } else { "" };
        conn.execute_batch(&format!("CREATE TEMP VIEW repeat AS SELECT *, {reading} NULL AS found FROM main.repeat"))?;
    }
    if found < 25 {
        conn.execute_batch(
            "CREATE TEMP VIEW launch_origin AS SELECT NULL AS launch, NULL AS origin WHERE 0;
             CREATE TEMP VIEW handed_geo AS SELECT NULL AS host, NULL AS fact, NULL AS origin WHERE 0;",
        )?;
    }
    if found < 27 {
        conn.execute_batch(
            "CREATE TEMP VIEW judgement AS SELECT NULL AS id, NULL AS query, NULL AS capture, NULL AS judgement,
                NULL AS who, NULL AS date_ms, NULL AS rank, NULL AS annotation, NULL AS origin WHERE 0;",
        )?;
    }
    if found < 26 {
        conn.execute_batch(concat!(
            "CREATE TEMP VIEW link_list AS SELECT id, id AS capture,
                (SELECT count(*) FROM outlink WHERE capture = c.id AND kind = 'anchor') AS anchors,
                (SELECT max(position) FROM outlink WHERE capture = c.id) AS last, ",
            packed_rows!("c.id"),
            " AS links FROM main.capture c WHERE EXISTS (SELECT 1 FROM outlink WHERE capture = c.id)",
        ))?;
    }
    if found < 24 {
        conn.execute_batch(
            "CREATE TEMP VIEW named_selection AS SELECT NULL AS id, NULL AS campaign, NULL AS name, NULL AS spec,
                NULL AS who, NULL AS date_ms WHERE 0;
             CREATE TEMP VIEW named_capture AS SELECT NULL AS selection, NULL AS capture WHERE 0;
             CREATE TEMP VIEW collection AS SELECT NULL AS id, NULL AS name, NULL AS about, NULL AS filter,
                NULL AS campaign, NULL AS who, NULL AS date_ms WHERE 0;
             CREATE TEMP VIEW collected AS SELECT NULL AS collection, NULL AS capture, NULL AS is_out, NULL AS who,
                NULL AS date_ms WHERE 0;",
        )?;
    }
    if found < 23 {
        let selected = if found < 13 { "selected <> by_hand" } else { "selected" };
        conn.execute_batch(&format!(
            "CREATE TEMP VIEW measure AS {};
             CREATE TEMP VIEW measured AS SELECT NULL AS campaign, NULL AS conditions WHERE 0;
             CREATE TEMP VIEW score AS SELECT campaign, capture, score, {selected} AS selected, {} AS review
                FROM main.score AS score;",
            include_str!("schema_measure_of_parts.sql"),
            include_str!("schema_review_of_parts.sql")
        ))?;
    }
    if found < 22 {
        conn.execute_batch(
            "CREATE TEMP VIEW mark_origin AS SELECT NULL AS mark, NULL AS annotation, NULL AS origin WHERE 0;
             CREATE TEMP VIEW annotation_apart AS SELECT NULL AS annotation, NULL AS line, NULL AS origin WHERE 0;",
        )?;
    }
    if found < 21 {
        conn.execute_batch("CREATE TEMP VIEW declared_digest AS SELECT NULL AS capture, NULL AS digest WHERE 0")?;
    }
    if found < 20 {
        conn.execute_batch("CREATE TEMP VIEW refers_to AS SELECT NULL AS capture, NULL AS record_id WHERE 0")?;
    }
    if found < 19 {
        conn.execute_batch(
            "CREATE TEMP VIEW file_rule AS SELECT c.id AS capture, c.rule_name AS rule
                FROM main.capture c JOIN main.launch l ON l.id = c.launch WHERE l.kind = 'import' AND c.rule_name <> ''",
        )?;
    }
    if found < 18 {
        conn.execute_batch(
            "CREATE TEMP VIEW launch_change AS
                SELECT NULL AS launch, NULL AS date_ms, NULL AS from_version, NULL AS to_version WHERE 0",
        )?;
    }
    if found < 13 {
        conn.execute_batch(
            "CREATE TEMP VIEW mark AS SELECT id, act, capture,
                CASE WHEN m.mark = 'forcein' THEN 'approve' WHEN m.mark = 'forceout' THEN 'reject'
                    -- What was forced out stays out, whatever was said of it after.
                    WHEN m.mark IN ('approve', 'flag') AND 'forceout' = (SELECT f.mark FROM main.mark f
                        WHERE f.capture = m.capture AND f.undone_ms IS NULL AND f.mark IN ('forcein', 'forceout')
                          AND f.id < m.id ORDER BY f.id DESC LIMIT 1) THEN 'reject'
                    ELSE m.mark END AS mark,
                note, who, date_ms, undone_ms FROM main.mark m",
        )?;
    }
    if found < 7 {
        conn.execute_batch(concat!(
            "CREATE TEMP VIEW requisite AS WITH RECURSIVE asked (campaign) AS
                (SELECT campaign FROM selection WHERE requisites > 0), ",
            needed_sql!(nearest_by_url!(), needed_rows!()),
            " SELECT campaign, capture FROM along"
        ))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
