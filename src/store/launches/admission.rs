//! URLs come into the ledger of a launch: new ones, and those that are found again.

use super::hop_paths::hop_count_sql;
use super::ledger::state_number;
use crate::crawl::{Admission, Admitted, PageReading, PriorityParts};
use crate::scope::Decision;
use crate::store::captures::interned_texts::url_ids;
use crate::store::catalogue::error::StoreError;
use crate::store::rows::LaunchId;
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::sync::LazyLock;

/// A URL that waits takes a shorter way, and the best priority of all pages with a link to it; one
/// that was refused when it was found is taken over where it comes as queued.
static ADMIT: LazyLock<String> = LazyLock::new(|| {
    let is_shorter = concat!("(", hop_count_sql!("excluded.hops"), " < ", hop_count_sql!("seen.hops"), ")");
    let takes_way = format!("(seen.state = 1 OR {is_shorter})");
    let has_parts = "(excluded.parts IS NOT NULL OR seen.parts IS NOT NULL)";
    // Without parts the way is all that the priority is made of.
    let takes_priority = format!(
        "(seen.state = 1 OR CASE WHEN {has_parts} THEN excluded.priority < seen.priority ELSE {is_shorter} END)"
    );
    let of_way =
        ["via", "hops", "anchor", "seed", "source_tag", "is_seed", "nofollow", "accepted", "rule_index", "rule_name"]
            .map(|column| format!("{column} = CASE WHEN {takes_way} THEN excluded.{column} ELSE seen.{column} END"))
            .join(", ");
    let of_linker = [("linker", "via"), ("linker_anchor", "anchor")]
        .map(|(column, of)| {
            format!(
                "{column} = CASE WHEN {takes_priority} AND {takes_way} OR {has_parts} = 0 THEN NULL
                    WHEN {takes_priority} THEN excluded.{of} WHEN {takes_way} THEN ifnull(seen.{column}, seen.{of})
                    ELSE seen.{column} END"
            )
        })
        .join(", ");
    let of_priority = ["priority", "parts"]
        .map(|column| format!("{column} = CASE WHEN {takes_priority} THEN excluded.{column} ELSE seen.{column} END"))
        .join(", ");
    format!(
        "INSERT INTO seen (launch, url, host, via, hops, anchor, seed, source_tag, is_seed, nofollow,
            accepted, rule_index, rule_name, state, priority, due_ms, date_ms, parts, cited)
         VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,0,?16,?17,?18)
         ON CONFLICT (launch, url) DO UPDATE SET {of_way}, {of_linker}, {of_priority}, state = excluded.state,
            cited = CASE WHEN seen.state = 1 OR seen.cited IS NULL THEN excluded.cited
                ELSE seen.cited | ifnull(excluded.cited, 0) END,
            -- One that waits keeps its date, which tells it from those that are new.
            date_ms = CASE seen.state WHEN 0 THEN min(seen.date_ms, excluded.date_ms - 1) ELSE excluded.date_ms END
         WHERE excluded.state = 0 AND (seen.state = 1 AND seen.fetch_status = 0
            OR seen.state = 0 AND seen.priority >= 0 AND ({is_shorter} OR {has_parts} AND (excluded.priority < seen.priority
                OR ifnull(excluded.cited, 0) & ~ifnull(seen.cited, 0) <> 0)))
         RETURNING date_ms = ?16, id, priority, parts, cited"
    )
});

pub(super) fn admit_all(conn: &Connection, launch: LaunchId, found: &[Admission]) -> Result<Vec<Admitted>, StoreError> {
    let mut admitted = Vec::with_capacity(found.len());
    for admission in found {
        let ids = url_ids(conn, &admission.candidate.url)?;
        let via = admission.candidate.via.as_ref().map(|via| url_ids(conn, via)).transpose()?.map(|ids| ids.url);
        let (parts, cited) = parts_columns(admission.parts);
        let changed: Option<(bool, i64, i64, Option<PriorityParts>)> = conn
            .prepare_cached(&ADMIT)?
            .query_row(
                params![
                    launch,
                    ids.url,
                    ids.host,
                    via,
                    admission.candidate.hops,
                    admission.candidate.anchor,
                    admission.candidate.seed,
                    admission.candidate.source_tag,
                    admission.candidate.is_seed,
                    admission.candidate.nofollow,
                    admission.verdict.decision == Decision::Accept,
                    admission.verdict.rule_index.map(|index| index as i64),
                    admission.verdict.rule_name,
                    state_number(admission.state),
                    admission.priority,
                    admission.date.millis(),
                    parts,
                    cited,
                ],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, stored_parts(row, 3)?)),
            )
            .optional()?;
        // Hosts that cite it add to the priority of either way.
        if let Some((_, id, priority, Some(parts))) = changed
            && parts.priority() != priority
        {
            conn.prepare_cached("UPDATE seen SET priority = ?2 WHERE id = ?1")?.execute([id, parts.priority()])?;
        }
        admitted.push(match changed {
            Some((true, ..)) => Admitted::New,
            Some((false, ..)) => Admitted::Nearer,
            None => Admitted::Known,
        });
    }
    Ok(admitted)
}

/// The columns `parts` and `cited`.
pub(super) fn parts_columns(parts: Option<PriorityParts>) -> (Option<Vec<u8>>, Option<i64>) {
    (parts.map(PriorityParts::to_bytes), parts.map(|parts| parts.cited.cast_signed()))
}

/// Reads the column `parts` and the column `cited` behind it.
pub(in crate::store) fn stored_parts(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<PriorityParts>> {
    let cited: Option<i64> = row.get(at + 1)?;
    let bytes: Option<Vec<u8>> = row.get(at)?;
    Ok(bytes.and_then(|bytes| PriorityParts::from_bytes(&bytes, cited.unwrap_or_default().cast_unsigned())))
}

/// Counts a page for the terms of the request that it has.
pub(super) fn count_terms(conn: &Connection, launch: LaunchId, reading: &PageReading) -> Result<(), StoreError> {
    let mut statement =
        conn.prepare_cached("UPDATE launch_term SET pages = pages + 1 WHERE launch = ?1 AND term = ?2")?;
    for term in &reading.terms {
        statement.execute(params![launch, term])?;
    }
    Ok(())
}
