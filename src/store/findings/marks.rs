//! What persons said of findings, and how often each check was right by that.

use super::rows::put_loss;
use crate::analysis::checks::{CHECKS, FindingState, check_of_id};
use crate::analysis::{Judgement, Proportion};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::uint;
use crate::store::review::judgements::ForeignJudgement;
use crate::store::rows::CaptureId;
use crate::uri::CaptureDate;
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;

/// Marks from which a check that is often wrong is offered to be switched off.
pub const OFFER_OFF_MARKS: u64 = 50;
/// The share of right findings below which it is.
pub const OFFER_OFF_BELOW: f64 = 0.6;

/// A mark of a person on findings of a check on one URL with one content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FindingMark {
    /// Its number.
    pub id: i64,
    /// The check, by its name in data.
    pub check: String,
    /// The URL.
    pub url: String,
    /// Payload digest of the content.
    pub digest: String,
    /// The finding was confirmed; else it is a false alarm.
    pub is_right: bool,
    /// The person.
    pub who: String,
    /// When.
    pub date: CaptureDate,
    /// Where it came from, if it was given in another workspace.
    pub origin: Option<String>,
    /// Its id as an annotation there.
    pub annotation: Option<String>,
}

/// How often a check was right, by what persons said of its findings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckPrecision {
    /// The check, by its name in data.
    pub check: String,
    /// Findings that were confirmed.
    pub right: u64,
    /// Findings that were marked.
    pub marked: u64,
    /// The share with its interval of 95 %; none without marks.
    pub precision: Option<Proportion>,
    /// It was often wrong: to be offered for switching off.
    pub offers_off: bool,
}

impl CheckPrecision {
    /// In words: `right in 47 of 50 marked pages, 0.94 (0.84–0.98)`.
    pub fn label(&self) -> String {
        match &self.precision {
            Some(precision) => {
                let pages = crate::jobs::counted(self.marked, "marked page");
                format!("right in {} of {pages}, {precision}", self.right)
            }
            None => "not marked yet".to_owned(),
        }
    }
}

/// SQL: of each URL, content, check and person the last mark that was not taken back.
const LAST_MARKS: &str = "SELECT check_id, url, digest, is_right FROM (
    SELECT m.*, row_number() OVER (PARTITION BY check_id, url, digest
        ORDER BY origin IS NULL DESC, date_ms DESC, id DESC) AS nth
    FROM finding_mark m WHERE undone_ms IS NULL) WHERE nth = 1";

/// Whether the last mark on a finding calls it a false alarm.
pub(super) fn is_false_alarm(conn: &Connection, check: &str, url: i64, digest: &str) -> Result<bool, StoreError> {
    let is_right: Option<bool> = conn
        .prepare_cached(
            "SELECT is_right FROM finding_mark WHERE url = ?1 AND check_id = ?2 AND digest = ?3 AND undone_ms IS NULL
             ORDER BY origin IS NULL DESC, date_ms DESC, id DESC LIMIT 1",
        )?
        .query_row(params![url, check, digest], |row| row.get(0))
        .optional()?;
    Ok(is_right == Some(false))
}

/// The query whose results are the captures that a check found something on.
const QUERY: &str = "check:";

/// A mark on a finding is a judgement of a result of the search for that check: as such it is handed over.
fn put_judgement(
    conn: &Connection,
    check: &str,
    capture: CaptureId,
    is_right: Option<bool>,
    who: &str,
    now: i64,
) -> Result<(), StoreError> {
    let judgement = match is_right {
        Some(true) => "right",
        Some(false) => "wrong",
        None => "clear",
    };
    conn.prepare_cached("INSERT INTO judgement (query, capture, judgement, who, date_ms) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![format!("{QUERY}{check}"), capture, judgement, who, now])?;
    Ok(())
}

/// Keeps a judgement of another workspace on the search for a check as a mark on the finding.
pub(in crate::store) fn take_judgement(
    conn: &Connection,
    of: &ForeignJudgement,
    origin: &str,
) -> Result<(), StoreError> {
    let Some(check) = of.query.strip_prefix(QUERY).and_then(check_of_id) else { return Ok(()) };
    let is_right = match of.judgement {
        Some(Judgement::Right) => true,
        Some(Judgement::Wrong) => false,
        Some(Judgement::Unsure) | None => return Ok(()),
    };
    let (url, digest): (i64, String) = conn
        .prepare_cached("SELECT url, digest FROM capture WHERE id = ?1")?
        .query_row([of.capture], |row| Ok((row.get(0)?, row.get(1)?)))?;
    conn.prepare_cached(
        "INSERT OR IGNORE INTO finding_mark (check_id, url, digest, is_right, who, date_ms, annotation, origin)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![check.id, url, digest, is_right, of.who, of.date.millis(), of.annotation, origin])?;
    apply(conn, check.id, url, &digest)
}

/// Brings the findings on all captures of a URL with one content to what the last mark says.
fn apply(conn: &Connection, check: &str, url: i64, digest: &str) -> Result<(), StoreError> {
    let is_false = is_false_alarm(conn, check, url, digest)?;
    let mut captures = conn.prepare_cached("SELECT id FROM capture WHERE url = ?1 AND digest = ?2")?;
    let captures: Vec<CaptureId> =
        captures.query_map(params![url, digest], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for capture in captures {
        let changed = conn
            .prepare_cached("UPDATE finding SET false_alarm = ?3 WHERE capture = ?1 AND check_id = ?2")?
            .execute(params![capture, check, is_false])?;
        if changed > 0 {
            put_loss(conn, capture, None)?;
        }
    }
    Ok(())
}

impl Catalogue {
    /// Keeps that a person confirms the findings of a check on captures, or calls them false alarms. A false alarm hides the
    /// finding on that URL until its content changes. Says how many findings were marked: those of captures without the
    /// finding are passed over.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written. Nothing is kept then.
    pub fn mark_findings(
        &self,
        captures: &[CaptureId],
        check: &str,
        is_right: bool,
        who: &str,
    ) -> Result<Vec<i64>, StoreError> {
        let (captures, check, who) = (captures.to_vec(), check.to_owned(), who.to_owned());
        self.write(move |conn| {
            let now = CaptureDate::now().millis();
            let mut marked = Vec::new();
            for capture in captures {
                let found: Option<(i64, String)> = conn
                    .prepare_cached(
                        "SELECT c.url, c.digest FROM finding f JOIN capture c ON c.id = f.capture
                         WHERE f.capture = ?1 AND f.check_id = ?2 AND f.state < 2",
                    )?
                    .query_row(params![capture, check], |row| Ok((row.get(0)?, row.get(1)?)))
                    .optional()?;
                let Some((url, digest)) = found else { continue };
                conn.prepare_cached(
                    "INSERT INTO finding_mark (check_id, url, digest, is_right, who, date_ms)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                )?
                .execute(params![check, url, digest, is_right, who, now])?;
                marked.push(conn.last_insert_rowid());
                put_judgement(conn, &check, capture, Some(is_right), &who, now)?;
                apply(conn, &check, url, &digest)?;
            }
            Ok(marked)
        })
    }

    /// Takes marks on findings back, by their numbers.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written. All of them stay then.
    pub fn undo_finding_marks(&self, marks: &[i64]) -> Result<(), StoreError> {
        let marks = marks.to_vec();
        self.write(move |conn| {
            let now = CaptureDate::now().millis();
            for mark in marks {
                let found: Option<(String, i64, String, String)> = conn
                    .prepare_cached(
                        "UPDATE finding_mark SET undone_ms = ?2 WHERE id = ?1 AND undone_ms IS NULL
                         RETURNING check_id, url, digest, who",
                    )?
                    .query_row(params![mark, now], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
                    .optional()?;
                if let Some((check, url, digest, who)) = found {
                    let capture: Option<CaptureId> = conn
                        .prepare_cached("SELECT id FROM capture WHERE url = ?1 AND digest = ?2 ORDER BY id LIMIT 1")?
                        .query_row(params![url, digest], |row| row.get(0))
                        .optional()?;
                    if let Some(capture) = capture {
                        put_judgement(conn, &check, capture, None, &who, now)?;
                    }
                    apply(conn, &check, url, &digest)?;
                }
            }
            Ok(())
        })
    }

    /// How often each check was right, in the order of the checks.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn check_precision(&self) -> Result<Vec<CheckPrecision>, StoreError> {
        let counted: Vec<(String, u64, u64)> = self.rows(
            &format!("SELECT check_id, sum(is_right), count(*) FROM ({LAST_MARKS}) GROUP BY check_id"),
            [],
            |row| Ok((row.get(0)?, uint(row.get(1)?), uint(row.get(2)?))),
        )?;
        let of =
            |id: &str| counted.iter().find(|(check, ..)| check == id).map_or((0, 0), |(_, right, all)| (*right, *all));
        let precision = |check: &&'static crate::analysis::checks::Check| {
            let (right, marked) = of(check.id);
            let precision = Proportion::of(right, marked);
            let is_low = precision.is_some_and(|of| of.value < OFFER_OFF_BELOW);
            let offers_off = marked >= OFFER_OFF_MARKS && is_low;
            CheckPrecision { check: check.id.to_owned(), right, marked, precision, offers_off }
        };
        Ok(CHECKS.iter().map(precision).collect())
    }

    /// The marks on findings that were not taken back, oldest first.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn finding_marks(&self) -> Result<Vec<FindingMark>, StoreError> {
        self.rows(
            "SELECT m.id, m.check_id, u.url, m.digest, m.is_right, m.who, m.date_ms, m.origin, m.annotation
             FROM finding_mark m JOIN url u ON u.id = m.url WHERE m.undone_ms IS NULL ORDER BY m.date_ms, m.id",
            [],
            |row| {
                Ok(FindingMark {
                    id: row.get(0)?,
                    check: row.get(1)?,
                    url: row.get(2)?,
                    digest: row.get(3)?,
                    is_right: row.get(4)?,
                    who: row.get(5)?,
                    date: CaptureDate::from_millis(row.get(6)?),
                    origin: row.get(7)?,
                    annotation: row.get(8)?,
                })
            },
        )
    }

    /// Captures that a check found something on, of which nobody said whether it is right.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn unmarked_findings(&self, check: &str, state: FindingState) -> Result<Vec<CaptureId>, StoreError> {
        self.rows(
            "SELECT f.capture FROM finding f JOIN capture c ON c.id = f.capture
             WHERE f.check_id = ?1 AND f.state = ?2 AND NOT EXISTS (SELECT 1 FROM finding_mark m
                WHERE m.url = c.url AND m.check_id = f.check_id AND m.digest = c.digest AND m.undone_ms IS NULL)
             ORDER BY f.capture",
            params![check, state.number()],
            |row| row.get(0),
        )
    }
}
