//! Findings of captures, and what pages lose by them.

use crate::analysis::checks::{Finding, FindingState, check_of_id, page_loss};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::uint;
use crate::store::rows::{CaptureId, CaptureQuery, LaunchId};
use crate::uri::CaptureDate;
use rusqlite::{Connection, Row, params};
use serde::Serialize;

/// Parts of 1 in which severities and losses are kept.
pub(super) const PARTS: f64 = 10_000.0;

/// A number from 0 to 1 as it is kept.
pub(super) fn parts_of(value: f64) -> i64 {
    (value.clamp(0.0, 1.0) * PARTS).round() as i64
}

/// A finding on a capture, as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KeptFinding {
    /// The check, by its name in data; one that there is no more stays as it was.
    pub check: String,
    /// The conclusion.
    pub state: FindingState,
    /// Weight times strength, from 0 to 1.
    pub severity: f64,
    /// Why: an object, whose `text` is a short sentence. Hostile text.
    pub evidence: serde_json::Value,
    /// A person called it a false alarm on this URL and content.
    pub false_alarm: bool,
}

impl KeptFinding {
    /// The name of its check on the screen.
    pub fn label(&self) -> &str {
        check_of_id(&self.check).map_or(&self.check, |check| check.label)
    }

    /// Its evidence in a sentence without a full stop.
    pub fn text(&self) -> &str {
        self.evidence.get("text").and_then(|text| text.as_str()).unwrap_or_default()
    }
}

/// What a capture lost by its findings, false alarms left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct PageLoss {
    /// 1 − Π(1 − severity), from 0 to 1.
    pub loss: f64,
    /// Inlinks from other hosts when it was checked.
    pub external: u64,
    /// Findings that are problems.
    pub problems: u64,
    /// Findings that are odd.
    pub odd: u64,
}

/// A finding with the capture that it is on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListedFinding {
    /// The capture.
    pub capture: CaptureId,
    /// Its URL.
    pub url: String,
    /// When it was captured.
    pub date: CaptureDate,
    /// The finding.
    #[serde(flatten)]
    pub finding: KeptFinding,
}

/// A finding on a launch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LaunchFinding {
    /// The launch.
    pub launch: LaunchId,
    /// When it began.
    pub date: CaptureDate,
    /// A URL or a host of it.
    pub subject: String,
    /// The finding.
    #[serde(flatten)]
    pub finding: KeptFinding,
}

/// A finding in columns `check_id, state, severity, evidence, false_alarm` from this one on.
fn kept(row: &Row<'_>, at: usize) -> rusqlite::Result<KeptFinding> {
    let evidence: String = row.get(at + 3)?;
    Ok(KeptFinding {
        check: row.get(at)?,
        state: FindingState::of_number(row.get(at + 1)?),
        severity: row.get::<_, i64>(at + 2)? as f64 / PARTS,
        evidence: serde_json::from_str(&evidence).unwrap_or_default(),
        false_alarm: row.get(at + 4)?,
    })
}

impl Catalogue {
    /// The findings on a capture: the worst first, false alarms last. Empty where no check found anything, and where it was
    /// not checked ([`Self::loss_of`] tells these apart).
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn findings_of(&self, capture: CaptureId) -> Result<Vec<KeptFinding>, StoreError> {
        self.read(|conn| findings_of(conn, capture))
    }

    /// The loss of a capture; none where it was not checked.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn loss_of(&self, capture: CaptureId) -> Result<Option<PageLoss>, StoreError> {
        self.row_if_any("SELECT loss, external, problems, odd FROM page_loss WHERE capture = ?1", [capture], |row| {
            Ok(PageLoss {
                loss: row.get::<_, i64>(0)? as f64 / PARTS,
                external: uint(row.get(1)?),
                problems: uint(row.get(2)?),
                odd: uint(row.get(3)?),
            })
        })
    }

    /// Captures by their loss, then by inlinks from other hosts: so many behind the first ones.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn worst_captures(&self, behind: u64, most: u64) -> Result<Vec<(CaptureId, PageLoss)>, StoreError> {
        self.rows(
            "SELECT capture, loss, external, problems, odd FROM page_loss INDEXED BY page_loss_order
             WHERE loss > 0 ORDER BY loss DESC, external DESC, capture LIMIT ?2 OFFSET ?1",
            params![behind.min(i64::MAX as u64) as i64, most.min(i64::MAX as u64) as i64],
            |row| {
                let loss = PageLoss {
                    loss: row.get::<_, i64>(1)? as f64 / PARTS,
                    external: uint(row.get(2)?),
                    problems: uint(row.get(3)?),
                    odd: uint(row.get(4)?),
                };
                Ok((row.get(0)?, loss))
            },
        )
    }

    /// Captures on which a check came to a state, false alarms left out.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn captures_with(&self, check: &str, state: FindingState) -> Result<Vec<CaptureId>, StoreError> {
        self.rows(
            "SELECT capture FROM finding WHERE check_id = ?1 AND state = ?2 AND NOT false_alarm ORDER BY capture",
            params![check, state.number()],
            |row| row.get(0),
        )
    }

    /// Gives each finding on the captures that a filter finds, of the worst captures first.
    ///
    /// # Errors
    ///
    /// A filter that is not understood, a catalogue that cannot be read, or the first error of `each`.
    pub fn each_finding<E: From<StoreError>>(
        &self,
        query: &CaptureQuery,
        mut each: impl FnMut(ListedFinding) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut captures: Vec<(CaptureId, PageLoss)> = Vec::new();
        for capture in self.capture_ids(query)? {
            if let Some(loss) = self.loss_of(capture)? {
                captures.push((capture, loss));
            }
        }
        captures.sort_by(|(one, a), (other, b)| {
            b.loss.total_cmp(&a.loss).then(b.external.cmp(&a.external)).then(one.cmp(other))
        });
        for (capture, _) in captures {
            let findings = self.findings_of(capture)?;
            if findings.is_empty() {
                continue;
            }
            let (url, date): (String, i64) = self.row(
                "SELECT u.url, c.date_ms FROM capture c JOIN url u ON u.id = c.url WHERE c.id = ?1",
                [capture],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )?;
            let date = CaptureDate::from_millis(date);
            for finding in findings {
                each(ListedFinding { capture, url: url.clone(), date, finding })?;
            }
        }
        Ok(())
    }

    /// Findings on launches, of one or of all, newest launch first.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn launch_findings(&self, launch: Option<LaunchId>) -> Result<Vec<LaunchFinding>, StoreError> {
        self.rows(
            "SELECT f.launch, l.started_ms, f.subject, f.check_id, f.state, f.severity, f.evidence, 0
             FROM launch_finding f JOIN launch l ON l.id = f.launch WHERE ?1 IS NULL OR f.launch = ?1
             ORDER BY f.launch DESC, f.state, f.severity DESC, f.check_id, f.subject",
            [launch],
            |row| {
                Ok(LaunchFinding {
                    launch: row.get(0)?,
                    date: CaptureDate::from_millis(row.get(1)?),
                    subject: row.get(2)?,
                    finding: kept(row, 3)?,
                })
            },
        )
    }

    /// Puts findings on launches in the place of all there were.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn put_launch_findings(&self, found: Vec<(LaunchId, String, Finding)>) -> Result<(), StoreError> {
        self.write(move |conn| {
            conn.execute("DELETE FROM launch_finding", [])?;
            let mut put =
                conn.prepare_cached("INSERT OR REPLACE INTO launch_finding VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
            for (launch, subject, of) in &found {
                put.execute(params![
                    launch,
                    of.check,
                    subject,
                    of.state.number(),
                    parts_of(of.severity),
                    of.evidence.to_string()
                ])?;
            }
            Ok(())
        })
    }
}

/// Whether checks saw a capture.
pub(in crate::store) fn is_checked(conn: &Connection, capture: CaptureId) -> Result<bool, StoreError> {
    let mut statement = conn.prepare_cached("SELECT 1 FROM page_loss WHERE capture = ?1")?;
    Ok(statement.exists([capture])?)
}

/// See [`Catalogue::findings_of`].
pub(in crate::store) fn findings_of(conn: &Connection, capture: CaptureId) -> Result<Vec<KeptFinding>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT check_id, state, severity, evidence, false_alarm FROM finding WHERE capture = ?1
         ORDER BY false_alarm, state, severity DESC, check_id",
    )?;
    let rows = statement.query_map([capture], |row| kept(row, 0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Sums up the findings of a capture anew; `external` stays as it is where none is given.
pub(super) fn put_loss(conn: &Connection, capture: CaptureId, external: Option<u64>) -> Result<(), StoreError> {
    let mut statement =
        conn.prepare_cached("SELECT state, severity FROM finding WHERE capture = ?1 AND NOT false_alarm")?;
    let rows = statement.query_map([capture], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))?;
    let counted: Vec<(i64, i64)> = rows.collect::<Result<_, _>>()?;
    let of = |state: FindingState| counted.iter().filter(|(number, _)| *number == state.number()).count() as i64;
    let loss = page_loss(counted.iter().map(|(_, severity)| *severity as f64 / PARTS));
    conn.prepare_cached(
        "INSERT INTO page_loss VALUES (?1, ?2, ifnull(?3, 0), ?4, ?5) ON CONFLICT (capture) DO UPDATE SET
            loss = excluded.loss, external = ifnull(?3, external), problems = excluded.problems, odd = excluded.odd",
    )?
    .execute(params![
        capture,
        parts_of(loss),
        external.map(crate::store::catalogue::sql::int),
        of(FindingState::Problem),
        of(FindingState::Odd)
    ])?;
    Ok(())
}
