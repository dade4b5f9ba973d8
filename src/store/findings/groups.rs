//! Findings of one cause: one check, one host, addresses of one form.

use crate::analysis::checks::FindingState;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::{int, uint};
use crate::store::rows::CaptureId;
use rusqlite::params;
use serde::Serialize;

/// Captures with findings of one cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FindingGroup {
    /// The host, with its port where that is no default.
    pub host: String,
    /// The check, by its name in data.
    pub check: String,
    /// The form of the addresses: `/news/*/*.html`.
    pub template: String,
    /// The number of host and form in the catalogue.
    #[serde(skip)]
    pub template_id: i64,
    /// The conclusion.
    pub state: FindingState,
    /// Captures, false alarms left out.
    pub captures: u64,
}

/// Captures by check and state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckCount {
    /// The check, by its name in data.
    pub check: String,
    /// The conclusion.
    pub state: FindingState,
    /// Captures, false alarms left out.
    pub captures: u64,
    /// Captures whose finding a person called a false alarm.
    pub false_alarms: u64,
}

impl Catalogue {
    /// Groups of problems and odd captures, the largest first; those with fewer captures than `least` are left out.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn finding_groups(&self, least: u64, most: u64) -> Result<Vec<FindingGroup>, StoreError> {
        self.rows(
            "SELECT h.name, g.check_id, t.template, g.template, g.state, g.captures FROM
                (SELECT check_id, state, template, count(*) AS captures FROM finding
                 WHERE state < 2 AND NOT false_alarm GROUP BY check_id, state, template
                 HAVING captures >= ?1 ORDER BY captures DESC, check_id, template LIMIT ?2) g
             JOIN finding_template t ON t.id = g.template JOIN host h ON h.id = t.host
             ORDER BY g.captures DESC, g.state, g.check_id, h.name, t.template",
            params![int(least), int(most)],
            |row| {
                Ok(FindingGroup {
                    host: row.get(0)?,
                    check: row.get(1)?,
                    template: row.get(2)?,
                    template_id: row.get(3)?,
                    state: FindingState::of_number(row.get(4)?),
                    captures: uint(row.get(5)?),
                })
            },
        )
    }

    /// The captures of a group, the worst first.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn captures_of_group(&self, group: &FindingGroup) -> Result<Vec<CaptureId>, StoreError> {
        self.rows(
            "SELECT f.capture FROM finding f LEFT JOIN page_loss p ON p.capture = f.capture
             WHERE f.check_id = ?1 AND f.state = ?2 AND f.template = ?3 AND NOT f.false_alarm
             ORDER BY p.loss DESC, p.external DESC, f.capture",
            params![group.check, group.state.number(), group.template_id],
            |row| row.get(0),
        )
    }

    /// How many captures each check found something on.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn check_counts(&self) -> Result<Vec<CheckCount>, StoreError> {
        self.rows(
            "SELECT check_id, state, sum(NOT false_alarm), sum(false_alarm) FROM finding
             GROUP BY check_id, state ORDER BY state, 3 DESC, check_id",
            [],
            |row| {
                Ok(CheckCount {
                    check: row.get(0)?,
                    state: FindingState::of_number(row.get(1)?),
                    captures: uint(row.get(2)?),
                    false_alarms: uint(row.get(3)?),
                })
            },
        )
    }

    /// How many captures were checked.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn checked_captures(&self) -> Result<u64, StoreError> {
        Ok(uint(self.row("SELECT count(*) FROM page_loss", [], |row| row.get(0))?))
    }
}
