//! What a browser showed of captured pages: findings of a dated check, no facts of the capture.

use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::{int, uint};
use crate::store::rows::CaptureId;
use crate::uri::CaptureDate;
use rusqlite::{Row, params};
use serde::Serialize;
use std::collections::HashSet;

/// A page as a browser showed it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReplayCheck {
    /// The capture.
    pub capture: CaptureId,
    /// Its URL.
    pub url: String,
    /// When it was captured.
    pub date: CaptureDate,
    /// When it was opened.
    pub checked: CaptureDate,
    /// Name and version of the browser.
    pub browser: String,
    /// Width and height of its window in CSS pixels.
    pub viewport: [u32; 2],
    /// The share of captured words that are shown, 0 to 1; none where there are next to none.
    pub words: Option<f64>,
    /// URLs that it requested.
    pub requested: u64,
    /// Of them, those without a capture.
    pub missing: u64,
    /// Errors of its scripts.
    pub script_errors: u64,
    /// The file of its picture, below the workspace.
    pub picture: String,
    /// All of it, as the check describes it.
    pub findings: serde_json::Value,
}

impl Catalogue {
    /// Keeps what a browser showed of a page, in the place of what it showed before.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn keep_replay_check(&self, check: &ReplayCheck) -> Result<(), StoreError> {
        let check = check.clone();
        self.write(move |conn| {
            conn.execute(
                "INSERT OR REPLACE INTO replay_check (capture, checked_ms, browser, width, height, words, requested,
                 missing, script_errors, picture, findings) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                params![
                    check.capture,
                    check.checked.millis(),
                    check.browser,
                    check.viewport[0],
                    check.viewport[1],
                    check.words,
                    int(check.requested),
                    int(check.missing),
                    int(check.script_errors),
                    check.picture,
                    check.findings.to_string(),
                ],
            )?;
            Ok(())
        })
    }

    /// The captures that a browser showed.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn replay_checked(&self) -> Result<HashSet<CaptureId>, StoreError> {
        let known: Vec<CaptureId> = self.rows("SELECT capture FROM replay_check", [], |row| row.get(0))?;
        Ok(known.into_iter().collect())
    }

    /// The archive files that no capture is in. Crawlers with a browser keep pictures and texts of pages in such.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn files_without_captures(&self) -> Result<Vec<String>, StoreError> {
        self.rows(
            "SELECT f.path FROM warc_file f
             WHERE f.changed = 0 AND f.records > 0 AND NOT EXISTS (SELECT 1 FROM record r WHERE r.file = f.id)",
            [],
            |row| row.get(0),
        )
    }

    /// What a browser showed of a page; none where none opened it.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn replay_check(&self, capture: CaptureId) -> Result<Option<ReplayCheck>, StoreError> {
        let found: Vec<ReplayCheck> = self.rows(
            "SELECT k.capture, u.url, c.date_ms, k.checked_ms, k.browser, k.width, k.height, k.words, k.requested, k.missing,
                k.script_errors, k.picture, k.findings
             FROM replay_check k JOIN capture c ON c.id = k.capture JOIN url u ON u.id = c.url WHERE k.capture = ?1",
            [capture],
            row_of,
        )?;
        Ok(found.into_iter().next())
    }
}

fn row_of(row: &Row<'_>) -> rusqlite::Result<ReplayCheck> {
    Ok(ReplayCheck {
        capture: row.get(0)?,
        url: row.get(1)?,
        date: CaptureDate::from_millis(row.get(2)?),
        checked: CaptureDate::from_millis(row.get(3)?),
        browser: row.get(4)?,
        viewport: [row.get(5)?, row.get(6)?],
        words: row.get(7)?,
        requested: uint(row.get(8)?),
        missing: uint(row.get(9)?),
        script_errors: uint(row.get(10)?),
        picture: row.get(11)?,
        findings: serde_json::from_str(&row.get::<_, String>(12)?).unwrap_or_default(),
    })
}
