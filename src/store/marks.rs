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
use super::rows::{CaptureId, CaptureNote, FileId, LaunchId, ReviewMark};
use super::sql::{mark_name, mark_of};
use crate::uri::CaptureDate;
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::HashSet;

/// SQL: the decision on capture `c`, NULL where there is none.
macro_rules! decision_sql {
    () => {
        "(SELECT nullif(m.mark, 'clear') FROM mark m WHERE m.capture = c.id AND m.undone_ms IS NULL
            AND m.mark <> 'note' ORDER BY m.id DESC LIMIT 1)"
    };
}

/// SQL: whether capture `c` is of campaign `?1`, or of another one: by its crawls and
/// the imports that belong to it.
macro_rules! of_campaign_sql {
    () => {
        $crate::store::marks::of_campaign_sql!("?1")
    };
    ($campaign:literal) => {
        concat!("c.launch IN (SELECT id FROM launch WHERE campaign = ", $campaign, ")")
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

/// SQL: marks as [`note_of`] reads them, up to the condition.
macro_rules! note_sql {
    () => {
        "SELECT date_ms, who, (SELECT o.origin FROM mark_origin o WHERE o.mark = mark.id), mark, note,
            undone_ms IS NOT NULL FROM mark WHERE "
    };
}

/// SQL: what the decision on capture `c` came with; NULL where it was given here, or there is none.
macro_rules! decision_origin_sql {
    () => {
        "(SELECT iif(m.mark = 'clear', NULL, (SELECT o.origin FROM mark_origin o WHERE o.mark = m.id))
            FROM mark m WHERE m.capture = c.id AND m.undone_ms IS NULL AND m.mark <> 'note'
            ORDER BY m.id DESC LIMIT 1)"
    };
}

pub(super) use {decision_origin_sql, decision_sql, note_sql, of_campaign_sql, override_sql, selected_sql};

/// What the decision on a capture came with; none where it was given here.
pub(super) fn decision_origin(conn: &Connection, capture: CaptureId) -> Result<Option<String>, StoreError> {
    const FIND: &str = concat!("SELECT ", decision_origin_sql!(), " FROM capture c WHERE c.id = ?1");
    Ok(conn.prepare_cached(FIND)?.query_row([capture], |row| row.get(0))?)
}

/// A row of [`note_sql`].
pub(super) fn note_of(row: &Row<'_>) -> rusqlite::Result<Result<CaptureNote, StoreError>> {
    let name: String = row.get(3)?;
    let Some(mark) = mark_of(&name) else { return Ok(Err(StoreError::Content(format!("decision “{name}”")))) };
    Ok(Ok(CaptureNote {
        date: CaptureDate::from_millis(row.get(0)?),
        who: row.get(1)?,
        origin: row.get(2)?,
        mark,
        note: row.get(4)?,
        undone: row.get(5)?,
    }))
}

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
    /// The annotation as it came, where the mark does not say all of it.
    pub line: Option<String>,
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
    /// A person took it in for whatever capture it is about; if not, it came with a
    /// handover and is about captures of that alone.
    pub is_for_any: bool,
}

impl Catalogue {
    /// Keeps marks of another workspace, in the order in which they were given,
    /// and judgements, and apart those on captures that are not here (id and
    /// line), which `is_for_any` says whether they wait for whatever capture. Those
    /// that are here already are passed over, and those that were kept apart are so
    /// no longer. Says how many are new.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written. None is kept then.
    pub fn add_foreign_marks(
        &self,
        marks: Vec<ForeignMark>,
        judgements: Vec<ForeignJudgement>,
        (apart, is_for_any): (Vec<(String, String)>, bool),
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
                conn.prepare_cached("INSERT INTO mark_origin VALUES (?1, ?2, ?3, ?4)")?.execute(params![
                    id,
                    mark.annotation,
                    origin,
                    mark.line
                ])?;
                conn.prepare_cached("DELETE FROM annotation_apart WHERE annotation = ?1")?
                    .execute([&mark.annotation])?;
                id += 1;
                added += 1;
            }
            added += super::judgements::add_foreign(conn, &judgements, &origin)?;
            for (annotation, line) in &apart {
                added += conn
                    .prepare_cached(
                        "INSERT INTO annotation_apart VALUES (?1, ?2, ?3, ?4)
                         ON CONFLICT DO UPDATE SET is_for_any = 1, origin = excluded.origin
                         WHERE excluded.is_for_any AND NOT is_for_any",
                    )?
                    .execute(params![annotation, line, origin, is_for_any])? as u64;
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
            let mut statement = conn.prepare_cached(
                "SELECT annotation, line, origin, is_for_any FROM annotation_apart ORDER BY annotation",
            )?;
            let rows = statement.query_map([], |row| {
                let (annotation, line) = (row.get(0)?, row.get(1)?);
                Ok(AnnotationApart { annotation, line, origin: row.get(2)?, is_for_any: row.get(3)? })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// The archive files that an import has looked at, whether it read them or they were known.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn files_of_import(&self, import: LaunchId) -> Result<HashSet<FileId>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT file FROM import_file WHERE launch = ?1 AND file IS NOT NULL
                 UNION SELECT p.id FROM import_file i JOIN warc_file p ON p.package = i.file WHERE i.launch = ?1",
            )?;
            let files = statement.query_map([import], |row| row.get(0))?;
            Ok(files.collect::<Result<_, _>>()?)
        })
    }

    /// Whether one of these files holds a capture: that which it is read from, or one
    /// that had the same record when it was imported.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn is_capture_in(&self, capture: CaptureId, files: &HashSet<FileId>) -> Result<bool, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT file FROM record WHERE capture = ?1 AND position = 0
                 UNION ALL SELECT file FROM copied_capture WHERE capture = ?1",
            )?;
            let mut rows = statement.query([capture])?;
            while let Some(row) = rows.next()? {
                if files.contains(&row.get(0)?) {
                    return Ok(true);
                }
            }
            Ok(false)
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

    /// What the decision on a capture came with; none where it was given here.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn decision_origin(&self, capture: CaptureId) -> Result<Option<String>, StoreError> {
        self.read(|conn| decision_origin(conn, capture))
    }

    /// The decision on a capture, with who gave it and why.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn decision(&self, capture: CaptureId) -> Result<Option<CaptureNote>, StoreError> {
        self.read(|conn| {
            let last = conn
                .prepare_cached(concat!(
                    note_sql!(),
                    "capture = ?1 AND undone_ms IS NULL AND mark <> 'note' ORDER BY id DESC LIMIT 1"
                ))?
                .query_row([capture], note_of)
                .optional()?
                .transpose()?;
            Ok(last.filter(|note| note.mark != ReviewMark::Clear))
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
