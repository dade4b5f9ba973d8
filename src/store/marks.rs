//! What persons decide and note about captures. Append-only.
//!
//! Of the marks of a capture that were not taken back, the last that is no note
//! is its decision. *Approve* and *reject* count above every score and filter:
//! the fragments of SQL below are the one place that says so.
//!
//! Marks of other workspaces are kept beside those given here, with their
//! origin. Their numbers lie below zero: as the last one by number counts, a
//! mark given here counts above each of them, whenever it was given.

use super::catalogue::Catalogue;
use super::error::StoreError;
use super::judgements::ForeignJudgement;
use super::rows::{CaptureId, ReviewMark};
use super::sql::{mark_name, mark_of};
use crate::uri::CaptureDate;
use rusqlite::{OptionalExtension, params};

/// SQL: the decision on capture `c`, NULL where there is none.
macro_rules! decision_sql {
    () => {
        "(SELECT nullif(m.mark, 'clear') FROM mark m WHERE m.capture = c.id AND m.undone_ms IS NULL
            AND m.mark <> 'note' ORDER BY m.id DESC LIMIT 1)"
    };
}

/// SQL: whether capture `c` is counted and shown with campaign `?1`, or with
/// another one. Imports belong to no campaign and are shown with each.
macro_rules! of_campaign_sql {
    () => {
        $crate::store::marks::of_campaign_sql!("?1")
    };
    ($campaign:literal) => {
        concat!("c.launch IN (SELECT id FROM launch WHERE campaign = ", $campaign, " OR campaign IS NULL)")
    };
}

/// SQL: whether capture `c`, outer-joined with its score `s`, is selected for
/// campaign `?1`.
macro_rules! selected_sql {
    () => {
        concat!(
            "(CASE ",
            $crate::store::marks::decision_sql!(),
            " WHEN 'approve' THEN ",
            $crate::store::marks::of_campaign_sql!(),
            " WHEN 'reject' THEN 0 ELSE ifnull(s.selected, 0) END)"
        )
    };
}

/// SQL: whether a person decided about capture `c` against its score `s`.
macro_rules! override_sql {
    () => {
        concat!(
            "(CASE ",
            $crate::store::marks::decision_sql!(),
            " WHEN 'approve' THEN NOT ifnull(s.selected, 0) WHEN 'reject' THEN ifnull(s.selected, 0) ELSE 0 END)"
        )
    };
}

pub(super) use {decision_sql, of_campaign_sql, override_sql, selected_sql};

/// A mark that was given in another workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignMark {
    /// The capture here.
    pub capture: CaptureId,
    /// The mark.
    pub mark: ReviewMark,
    /// Why, or the note.
    pub note: String,
    /// Who gave it.
    pub who: String,
    /// When.
    pub date: CaptureDate,
    /// When it was taken back.
    pub undone: Option<CaptureDate>,
    /// Its id as an annotation.
    pub annotation: String,
}

/// An annotation on a capture that is not here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnotationApart {
    /// Its id.
    pub annotation: String,
    /// The annotation as it came, a line of JSON.
    pub line: String,
    /// What it came with.
    pub origin: String,
}

impl Catalogue {
    /// Keeps marks of another workspace, in the order in which they were given,
    /// and judgements, and apart those on captures that are not here (id and
    /// line). Those that are here already are passed over, and those that were
    /// kept apart are so no longer. Says how many are new.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written. None is kept then.
    pub fn add_foreign_marks(
        &self,
        marks: Vec<ForeignMark>,
        judgements: Vec<ForeignJudgement>,
        apart: Vec<(String, String)>,
        origin: &str,
    ) -> Result<u64, StoreError> {
        let origin = origin.to_owned();
        self.write(move |conn| {
            let lowest: i64 = conn.query_row("SELECT min(ifnull(min(id), 0), 0) FROM mark", [], |row| row.get(0))?;
            // The last of them has the highest number.
            let mut id = lowest - i64::try_from(marks.len()).unwrap_or(i64::MAX / 2);
            let mut added = 0;
            for mark in &marks {
                let is_known = conn
                    .prepare_cached("SELECT EXISTS (SELECT 1 FROM mark_origin WHERE annotation = ?1)")?
                    .query_row([&mark.annotation], |row| row.get::<_, bool>(0))?;
                if is_known {
                    continue;
                }
                conn.prepare_cached(
                    "INSERT INTO mark (id, act, capture, mark, note, who, date_ms, undone_ms)
                     VALUES (?1, ?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                )?
                .execute(params![
                    id,
                    mark.capture,
                    mark_name(mark.mark),
                    mark.note,
                    mark.who,
                    mark.date.millis(),
                    mark.undone.map(CaptureDate::millis)
                ])?;
                conn.prepare_cached("INSERT INTO mark_origin VALUES (?1, ?2, ?3)")?.execute(params![
                    id,
                    mark.annotation,
                    origin
                ])?;
                conn.prepare_cached("DELETE FROM annotation_apart WHERE annotation = ?1")?
                    .execute([&mark.annotation])?;
                id += 1;
                added += 1;
            }
            added += super::judgements::add_foreign(conn, &judgements, &origin)?;
            for (annotation, line) in &apart {
                added += conn
                    .prepare_cached("INSERT OR IGNORE INTO annotation_apart VALUES (?1, ?2, ?3)")?
                    .execute(params![annotation, line, origin])? as u64;
            }
            Ok(added)
        })
    }

    /// Annotations on captures that are not here, in the order of their ids.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn annotations_apart(&self) -> Result<Vec<AnnotationApart>, StoreError> {
        self.read(|conn| {
            let mut statement =
                conn.prepare_cached("SELECT annotation, line, origin FROM annotation_apart ORDER BY annotation")?;
            let rows = statement.query_map([], |row| {
                Ok(AnnotationApart { annotation: row.get(0)?, line: row.get(1)?, origin: row.get(2)? })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Appends one mark on many captures; it is taken back as one.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written. Nothing is marked then.
    pub fn mark(&self, captures: &[CaptureId], mark: ReviewMark, note: &str, who: &str) -> Result<(), StoreError> {
        let (captures, note, who) = (captures.to_vec(), note.to_owned(), who.to_owned());
        self.write(move |conn| {
            let act: i64 = conn.query_row("SELECT ifnull(max(act), 0) + 1 FROM mark", [], |row| row.get(0))?;
            for capture in captures {
                conn.prepare_cached(
                    "INSERT INTO mark (act, capture, mark, note, who, date_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                )?
                .execute(params![
                    act,
                    capture,
                    mark_name(mark),
                    note,
                    who,
                    CaptureDate::now().millis()
                ])?;
            }
            Ok(())
        })
    }

    /// The number of the last mark that was given here, and of the last one that was not taken
    /// back; 0 without one.
    pub fn last_marks(&self) -> Result<(i64, i64), StoreError> {
        self.read(|conn| {
            let sql = "SELECT ifnull(max(id), 0), ifnull(max(CASE WHEN undone_ms IS NULL THEN id END), 0) FROM mark
                WHERE id > 0";
            Ok(conn.prepare_cached(sql)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?)
        })
    }

    /// Takes back the last word that still holds: what it was and on how
    /// many captures.
    pub fn undo_mark(&self) -> Result<Option<(ReviewMark, u64)>, StoreError> {
        self.write(|conn| {
            let last: Option<(i64, String)> = conn
                .query_row(
                    "SELECT act, mark FROM mark WHERE undone_ms IS NULL AND id > 0 ORDER BY id DESC LIMIT 1",
                    [],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            let Some((act, word)) = last else { return Ok(None) };
            let changed = conn.execute(
                // Later than every undo before, whatever the clock says: redo goes by it.
                "UPDATE mark SET undone_ms = max(?2, ifnull((SELECT max(undone_ms) FROM mark), 0) + 1)
                 WHERE act = ?1 AND undone_ms IS NULL",
                params![act, CaptureDate::now().millis()],
            )?;
            Ok(mark_of(&word).map(|mark| (mark, changed as u64)))
        })
    }

    /// Restores the act that was undone last, unless a later act has followed
    /// it: what it was and on how many captures.
    pub fn redo_mark(&self) -> Result<Option<(ReviewMark, u64)>, StoreError> {
        self.write(|conn| {
            let last: Option<(i64, String)> = conn
                .query_row(
                    "SELECT act, mark FROM mark WHERE undone_ms IS NOT NULL AND id > 0
                        AND act > (SELECT ifnull(max(act), 0) FROM mark WHERE undone_ms IS NULL)
                     ORDER BY undone_ms DESC, act LIMIT 1",
                    [],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            let Some((act, word)) = last else { return Ok(None) };
            let changed = conn.execute("UPDATE mark SET undone_ms = NULL WHERE act = ?1", [act])?;
            Ok(mark_of(&word).map(|mark| (mark, changed as u64)))
        })
    }
}
