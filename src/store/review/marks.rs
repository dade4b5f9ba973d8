//! Persons decide on captures and note things about them; rows are only ever added.
//!
//! A decision is on a content version: the captures of one page with one payload
//! (`store/captures/originals.rs`). Of the marks of a version that were not taken back, the
//! last that is no note is the decision on each of its captures, those that came
//! later too: a capture that it was not given on *inherits* it. *Approve* and
//! *reject* count above every score and filter.
//!
//! A new version of a page of which a version was rejected is *to review*: no
//! score, filter or collection takes it before a person approves it. An approval
//! does not reach a new version either.
//!
//! The fragments of SQL below are the one place with these rules.
//!
//! Marks of other workspaces are kept beside those given here, with their
//! origin. Their numbers lie below zero: as the last one by number counts, a
//! mark given here counts above each of them, whenever it was given.

use super::assessments::{ActDetail, Assessment};
use super::judgements::ForeignJudgement;
use crate::store::captures::requisites::decided_sql;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::{mark_name, mark_of, uint};
use crate::store::rows::{CampaignId, CaptureId, CaptureNote, FileId, LaunchId, ReviewMark};
use crate::uri::CaptureDate;
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::HashSet;

/// SQL: whether the rows `$a` and `$b` of the second and third are of one content version; those of a
/// capture without a known payload are of it alone. Rows are captures by `id` or marks by `capture`.
macro_rules! same_version_sql {
    ($a:literal, $a_capture:literal, $b:literal, $b_capture:literal) => {
        concat!(
            $a,
            ".page = ",
            $b,
            ".page AND ",
            $a,
            ".digest = ",
            $b,
            ".digest AND (",
            $b,
            ".digest <> '' OR ",
            $a,
            ".",
            $a_capture,
            " = ",
            $b,
            ".",
            $b_capture,
            ")"
        )
    };
}

/// SQL: marks `m` that are decisions on capture `c` and were not taken back; the last one counts.
macro_rules! decisions_on_sql {
    () => {
        concat!(
            $crate::store::review::marks::same_version_sql!("m", "capture", "c", "id"),
            " AND m.reaches <= c.id AND m.undone_ms IS NULL AND m.mark <> 'note'"
        )
    };
}

/// SQL: a value of the last decision `m` on capture `c`, also of one that cleared others; NULL without one.
macro_rules! of_decision_sql {
    ($value:literal) => {
        concat!(
            "(SELECT ",
            $value,
            " FROM mark m WHERE ",
            $crate::store::review::marks::decisions_on_sql!(),
            " ORDER BY m.id DESC LIMIT 1)"
        )
    };
}

/// SQL: the decision on capture `c`, NULL where there is none.
macro_rules! decision_sql {
    () => {
        $crate::store::review::marks::of_decision_sql!("nullif(m.mark, 'clear')")
    };
}

/// SQL: whether capture `c` inherits its decision: it was given on another capture of its version.
macro_rules! inherited_sql {
    () => {
        concat!(
            "ifnull(",
            $crate::store::review::marks::of_decision_sql!("m.mark <> 'clear' AND m.capture <> c.id"),
            ", 0)"
        )
    };
}

/// SQL: rejections `m` of another version of the page of capture `c` that count still, given before the
/// version of `c` came. They are no notes: so SQLite knows that the index of decisions has them.
macro_rules! earlier_rejections_sql {
    () => {
        concat!(
            "m.page = c.page AND m.mark = 'reject' AND m.mark <> 'note' AND m.undone_ms IS NULL AND m.reaches <= c.id
             AND (m.digest <> c.digest OR m.digest = '' AND m.capture <> c.id)
             AND 'reject' = (SELECT n.mark FROM mark n WHERE ",
            $crate::store::review::marks::same_version_sql!("n", "capture", "m", "capture"),
            " AND n.undone_ms IS NULL AND n.mark <> 'note' ORDER BY n.id DESC LIMIT 1)
             AND NOT EXISTS (SELECT 1 FROM capture x WHERE ",
            $crate::store::review::marks::same_version_sql!("x", "id", "c", "id"),
            " AND x.id <= m.newest AND x.date_ms <= m.date_ms)"
        )
    };
}

/// SQL: whether capture `c` is of a new version of a page that was rejected before, and nobody
/// approved or rejected that version: nothing but an approval selects it.
macro_rules! rejected_before_sql {
    () => {
        concat!(
            "(EXISTS (SELECT 1 FROM mark m WHERE ",
            $crate::store::review::marks::earlier_rejections_sql!(),
            ") AND ifnull(",
            $crate::store::review::marks::decision_sql!(),
            ", '') NOT IN ('approve', 'reject'))"
        )
    };
}

/// SQL: whether capture `c` is what a person reviews by itself: neither a part of a page nor what a crawl fetches
/// first, such as robots.txt. What was imported without its path, or is of the list of a patch, is that where it is a
/// page, a document, sound or moving images (numbers of captures::Media).
macro_rules! reviewed_by_itself_sql {
    () => {
        "(rtrim(c.hops, 'R') NOT GLOB '*[EXPI]' AND (c.hops <> ''
            OR (SELECT k.kind FROM launch k WHERE k.id = c.launch) = 'crawl' AND c.source_tag <> 'patch'
            OR c.media IN (1, 2, 5, 6) AND (SELECT g.key FROM page g WHERE g.id = c.page) NOT LIKE '%/robots.txt'))"
    };
}

/// SQL: whether capture `c` waits for a decision: nobody decided about its version, or what a person put off for a
/// new crawl was captured again.
macro_rules! undecided_sql {
    () => {
        concat!(
            $crate::store::review::marks::of_decision_sql!(
                "iif(m.mark = 'later' AND EXISTS (SELECT 1 FROM capture x WHERE x.page = c.page AND x.digest = c.digest
                    AND c.digest <> '' AND x.id > m.newest), NULL, nullif(m.mark, 'clear'))"
            ),
            " IS NULL"
        )
    };
}

/// SQL: whether capture `c` is to review: it waits for a decision, is what a person reviews by itself, and of the
/// captures of its version which are shown with campaign `?1` (all of them where that is 0), or with another one, it
/// is the first.
macro_rules! to_review_sql {
    () => {
        $crate::store::review::marks::to_review_sql!("?1")
    };
    ($campaign:literal) => {
        concat!(
            "(",
            $crate::store::review::marks::reviewed_by_itself_sql!(),
            " AND ",
            $crate::store::review::marks::undecided_sql!(),
            " AND NOT EXISTS (SELECT 1 FROM capture x WHERE x.page = c.page AND x.digest = c.digest
                AND c.digest <> '' AND x.id < c.id AND (",
            $campaign,
            " = 0 OR x.launch IN (SELECT id FROM launch WHERE campaign = ",
            $campaign,
            "))))"
        )
    };
}

/// SQL: whether capture `c` is of campaign `?1`, or of another one: by its crawls and
/// the imports that belong to it.
macro_rules! of_campaign_sql {
    () => {
        $crate::store::review::marks::of_campaign_sql!("?1")
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
            $crate::store::review::marks::decision_sql!(),
            " WHEN 'approve' THEN ",
            $crate::store::review::marks::of_campaign_sql!(),
            " WHEN 'reject' THEN 0 ELSE ifnull(s.selected, 0) AND NOT ",
            $crate::store::review::marks::rejected_before_sql!(),
            " END)"
        )
    };
}

/// SQL: whether capture `c` is out of the selection by its score `s` or by a person; one of which neither is known
/// is on no side.
macro_rules! unselected_sql {
    () => {
        concat!(
            "((s.capture IS NOT NULL OR (",
            $crate::store::review::marks::decision_sql!(),
            " = 'reject' AND ",
            $crate::store::review::marks::of_campaign_sql!(),
            ")) AND NOT ",
            $crate::store::review::marks::selected_sql!(),
            ")"
        )
    };
}

/// SQL: whether a person decided about capture `c` against its score `s`.
macro_rules! override_sql {
    () => {
        concat!(
            "(CASE ",
            $crate::store::review::marks::decision_sql!(),
            " WHEN 'approve' THEN NOT ifnull(s.selected, 0) WHEN 'reject' THEN ifnull(s.selected, 0) ELSE 0 END)"
        )
    };
}

/// SQL: marks `m` for capture `c` of number `?1` as [`note_of`] reads them, up to the condition.
macro_rules! note_sql {
    () => {
        "SELECT m.date_ms, m.who, (SELECT o.origin FROM mark_origin o WHERE o.mark = m.id), m.mark, m.note,
            m.undone_ms IS NOT NULL, m.capture <> c.id FROM capture c CROSS JOIN mark m WHERE c.id = ?1 AND "
    };
}

/// SQL: what the decision on capture `c` came with; NULL where it was given here, or there is none.
macro_rules! decision_origin_sql {
    () => {
        $crate::store::review::marks::of_decision_sql!(
            "iif(m.mark = 'clear', NULL, (SELECT o.origin FROM mark_origin o WHERE o.mark = m.id))"
        )
    };
}

pub(in crate::store) use {
    decision_origin_sql, decision_sql, decisions_on_sql, earlier_rejections_sql, inherited_sql, note_sql,
    of_campaign_sql, of_decision_sql, override_sql, rejected_before_sql, reviewed_by_itself_sql, same_version_sql,
    selected_sql, to_review_sql, undecided_sql, unselected_sql,
};

/// The origin of the decision on a capture, none where it was given here; and whether it is
/// inherited.
pub(in crate::store) fn decision_source(
    conn: &Connection,
    capture: CaptureId,
) -> Result<(Option<String>, bool), StoreError> {
    const FIND: &str =
        concat!("SELECT ", decision_origin_sql!(), ", ", inherited_sql!(), " FROM capture c WHERE c.id = ?1");
    Ok(conn.prepare_cached(FIND)?.query_row([capture], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

/// A row of [`note_sql`].
pub(in crate::store) fn note_of(row: &Row<'_>) -> rusqlite::Result<Result<CaptureNote, StoreError>> {
    let name: String = row.get(3)?;
    let Some(mark) = mark_of(&name) else { return Ok(Err(StoreError::Content(format!("decision “{name}”")))) };
    Ok(Ok(CaptureNote {
        date: CaptureDate::from_millis(row.get(0)?),
        who: row.get(1)?,
        origin: row.get(2)?,
        mark,
        note: row.get(4)?,
        undone: row.get(5)?,
        inherited: row.get(6)?,
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
    /// The person who gave it.
    pub who: String,
    /// When.
    pub date: CaptureDate,
    /// When it was taken back.
    pub undone: Option<CaptureDate>,
    /// Its id as an annotation.
    pub annotation: String,
    /// The annotation as it came, where the mark does not hold all of it.
    pub line: Option<String>,
    /// Its judgements of content and technical quality, with the reason codes.
    pub assessment: Assessment,
    /// The first capture of its content version that a decision reaches; none for all of them.
    pub reaches: Option<CaptureId>,
}

/// Captures with one decision for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecidedCaptures {
    /// The decision.
    pub mark: ReviewMark,
    /// Why.
    pub reason: String,
    /// The origin of the decision, where it was given in another workspace.
    pub origin: Option<String>,
    /// Captures that have it, given on them or inherited.
    pub captures: u64,
}

/// An annotation on a capture that is not here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnotationApart {
    /// Its id.
    pub annotation: String,
    /// The annotation as it came, a line of JSON.
    pub line: String,
    /// Its origin.
    pub origin: String,
    /// A person took it in for whatever capture it is about; if not, it came with a
    /// handover and is about captures of that alone.
    pub is_for_any: bool,
}

impl Catalogue {
    /// Keeps marks of another workspace, in the order in which they were given, and judgements, and
    /// apart those on captures that are not here (id and line); `is_for_any` decides whether these wait
    /// for whatever capture. Those that are here already are passed over, and those that were kept
    /// apart are so no longer. Returns how many are new.
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
                    "INSERT INTO mark (id, act, capture, mark, note, who, date_ms, undone_ms, reaches)
                     VALUES (?1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                )?
                .execute(params![
                    id,
                    mark.capture,
                    mark_name(mark.mark),
                    mark.note,
                    mark.who,
                    mark.date.millis(),
                    mark.undone.map(CaptureDate::millis),
                    mark.reaches.unwrap_or_default()
                ])?;
                conn.prepare_cached("INSERT INTO mark_origin VALUES (?1, ?2, ?3, ?4)")?.execute(params![
                    id,
                    mark.annotation,
                    origin,
                    mark.line
                ])?;
                conn.prepare_cached("DELETE FROM annotation_apart WHERE annotation = ?1")?
                    .execute([&mark.annotation])?;
                ActDetail { assessment: mark.assessment.clone(), ..ActDetail::default() }.keep(conn, id)?;
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
        self.rows("SELECT annotation, line, origin, is_for_any FROM annotation_apart ORDER BY annotation", [], |row| {
            let (annotation, line) = (row.get(0)?, row.get(1)?);
            Ok(AnnotationApart { annotation, line, origin: row.get(2)?, is_for_any: row.get(3)? })
        })
    }

    /// The archive files of an import, whether it read them or they were known.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn files_of_import(&self, import: LaunchId) -> Result<HashSet<FileId>, StoreError> {
        self.rows(
            "SELECT file FROM import_file WHERE launch = ?1 AND file IS NOT NULL
                 UNION SELECT p.id FROM import_file i JOIN warc_file p ON p.package = i.file WHERE i.launch = ?1",
            [import],
            |row| row.get(0),
        )
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
        self.mark_with(captures, mark, (note, who), ActDetail::default())
    }

    /// The same, with what the act comes with; the text is its note, and who gave it.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written. Nothing is marked then.
    pub fn mark_with(
        &self,
        captures: &[CaptureId],
        mark: ReviewMark,
        (note, who): (&str, &str),
        detail: ActDetail,
    ) -> Result<(), StoreError> {
        let (captures, note, who) = (captures.to_vec(), note.to_owned(), who.to_owned());
        self.write(move |conn| {
            let act: i64 = conn.query_row("SELECT ifnull(max(act), 0) + 1 FROM mark", [], |row| row.get(0))?;
            detail.keep(conn, act)?;
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

    /// The origin of the decision on a capture, none where it was given here; and whether the capture
    /// inherits it.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn decision_source(&self, capture: CaptureId) -> Result<(Option<String>, bool), StoreError> {
        self.read(|conn| decision_source(conn, capture))
    }

    /// The first capture of the content version of a capture that one of these files holds.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn first_of_version_in(
        &self,
        capture: CaptureId,
        files: &HashSet<FileId>,
    ) -> Result<Option<CaptureId>, StoreError> {
        const FIND: &str = concat!(
            "SELECT x.id FROM capture c JOIN capture x ON ",
            same_version_sql!("x", "id", "c", "id"),
            " WHERE c.id = ?1 ORDER BY x.id"
        );
        let version: Vec<CaptureId> = self.rows(FIND, [capture], |row| row.get(0))?;
        for id in version {
            if self.is_capture_in(id, files)? {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// The number of captures with the content of one of these that are none of them: they inherit a
    /// decision on these.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn of_same_content(&self, captures: &[CaptureId]) -> Result<u64, StoreError> {
        let captures = serde_json::to_string(captures).map_err(|error| StoreError::Content(error.to_string()))?;
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "WITH given (id) AS MATERIALIZED (SELECT value FROM json_each(?1))
                 SELECT count(DISTINCT x.id) FROM given g JOIN capture c ON c.id = g.id
                 JOIN capture x ON x.page = c.page AND x.digest = c.digest AND c.digest <> ''
                 WHERE x.id NOT IN (SELECT id FROM given)",
            )?;
            Ok(uint(statement.query_row([captures], |row| row.get(0))?))
        })
    }

    /// New versions of URLs of which a version was rejected, that are to review: how many URLs.
    /// They are listed by `rejected_before:yes`.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn rejected_before(&self, campaign: CampaignId) -> Result<u64, StoreError> {
        const COUNT: &str = concat!(
            "SELECT count(DISTINCT c.page) FROM capture c
             WHERE c.page IN (SELECT page FROM mark WHERE mark = 'reject' AND undone_ms IS NULL) AND ",
            of_campaign_sql!(),
            " AND ",
            rejected_before_sql!()
        );
        self.read(|conn| Ok(uint(conn.prepare_cached(COUNT)?.query_row([campaign], |row| row.get(0))?)))
    }

    /// Whether a campaign has captures, from a crawl or an import.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn has_captures(&self, campaign: CampaignId) -> Result<bool, StoreError> {
        const ANY: &str = concat!("SELECT EXISTS (SELECT 1 FROM capture c WHERE ", of_campaign_sql!(), ")");
        self.read(|conn| Ok(conn.prepare_cached(ANY)?.query_row([campaign], |row| row.get(0))?))
    }

    /// Whether a person decided on a capture of a campaign.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn has_decisions(&self, campaign: CampaignId) -> Result<bool, StoreError> {
        const ANY: &str = concat!(
            "SELECT EXISTS (SELECT 1 FROM mark m CROSS JOIN capture c ON c.id = m.capture
                WHERE m.undone_ms IS NULL AND m.mark NOT IN ('note', 'clear') AND ",
            of_campaign_sql!(),
            ")"
        );
        self.read(|conn| Ok(conn.prepare_cached(ANY)?.query_row([campaign], |row| row.get(0))?))
    }

    /// Captures that are shown with a campaign and have a decision, given on them or inherited: how many, by what
    /// was decided, why, and what that came with.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn decided_captures(&self, campaign: CampaignId) -> Result<Vec<DecidedCaptures>, StoreError> {
        const COUNT: &str = concat!(
            "WITH ",
            decided_sql!(),
            " SELECT m.mark, m.note, (SELECT o.origin FROM mark_origin o WHERE o.mark = m.id), count(*)
             FROM decided d JOIN mark m ON m.id = d.id JOIN capture c ON c.id = d.capture
             WHERE m.mark <> 'clear' AND ",
            of_campaign_sql!(),
            " GROUP BY 1, 2, 3"
        );
        self.read(|conn| {
            let mut statement = conn.prepare_cached(COUNT)?;
            let mut rows = statement.query([campaign])?;
            let mut counts = Vec::new();
            while let Some(row) = rows.next()? {
                let name: String = row.get(0)?;
                let mark = mark_of(&name).ok_or_else(|| StoreError::Content(format!("decision “{name}”")))?;
                counts.push(DecidedCaptures {
                    mark,
                    reason: row.get(1)?,
                    origin: row.get(2)?,
                    captures: uint(row.get(3)?),
                });
            }
            Ok(counts)
        })
    }

    /// The rejection of an earlier version of the page of a capture that is to review for it, with
    /// person and reason: the last one.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn earlier_rejection(&self, capture: CaptureId) -> Result<Option<CaptureNote>, StoreError> {
        self.read(|conn| {
            let last = conn
                .prepare_cached(concat!(
                    note_sql!(),
                    rejected_before_sql!(),
                    " AND ",
                    earlier_rejections_sql!(),
                    " ORDER BY m.id DESC LIMIT 1"
                ))?
                .query_row([capture], note_of)
                .optional()?;
            last.transpose()
        })
    }

    /// The decision on a capture, with who gave it and why.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn decision(&self, capture: CaptureId) -> Result<Option<CaptureNote>, StoreError> {
        self.read(|conn| {
            let last = conn
                .prepare_cached(concat!(note_sql!(), decisions_on_sql!(), " ORDER BY m.id DESC LIMIT 1"))?
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

    /// Takes back the last mark that still holds, and returns it with the number of its captures.
    pub fn undo_mark(&self) -> Result<Option<(ReviewMark, u64)>, StoreError> {
        self.write(|conn| {
            let last: Option<(i64, String)> = conn
                .query_row(
                    "SELECT act, mark FROM mark WHERE undone_ms IS NULL AND id > 0 ORDER BY id DESC LIMIT 1",
                    [],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            let Some((act, name)) = last else { return Ok(None) };
            let changed = conn.execute(
                // Later than every undo before, whatever the clock: redo goes by it.
                "UPDATE mark SET undone_ms = max(?2, ifnull((SELECT max(undone_ms) FROM mark), 0) + 1)
                 WHERE act = ?1 AND undone_ms IS NULL",
                params![act, CaptureDate::now().millis()],
            )?;
            Ok(mark_of(&name).map(|mark| (mark, changed as u64)))
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
            let Some((act, name)) = last else { return Ok(None) };
            let changed = conn.execute("UPDATE mark SET undone_ms = NULL WHERE act = ?1", [act])?;
            Ok(mark_of(&name).map(|mark| (mark, changed as u64)))
        })
    }
}
