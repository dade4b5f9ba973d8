//! Exports are written to disk from these rows: a capture with its notes, scores and inlinks.

use crate::store::captures::{StoredCapture, stored_capture};

use crate::jobs::JobCx;
use crate::store::captures::detail::notes;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::{int, uint};
use crate::store::findings::{KeptFinding, findings_of};
use crate::store::rows::{CampaignId, CaptureId, CaptureNote, ExportRow, VerifyLine};
use crate::uri::{CaptureDate, DatasetKey, Url};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// Linking captures that are remembered; then all are forgotten.
const MAX_SOURCES: usize = 65_536;

/// A link to a capture that leaves with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedLink {
    /// When the linking page was captured.
    pub date: CaptureDate,
    /// The linking page.
    pub source: Arc<LinkingPage>,
    /// Text of the link. Hostile text.
    pub anchor: String,
    /// Same site or not.
    pub internal: bool,
}

/// A page that links to others.
#[derive(Debug, PartialEq, Eq)]
pub struct LinkingPage {
    /// Its URL.
    pub url: String,
    /// Its key in the data set; none where the URL is none.
    pub key: Option<String>,
}

impl LinkingPage {
    pub(in crate::store) fn new(url: String) -> Self {
        let key = Url::parse(&url).ok().map(|url| DatasetKey::of(&url).as_str().to_owned());
        Self { url, key }
    }
}

/// The pages that link to captures, kept from capture to capture: many are
/// linked from the same ones. Threads may share it.
#[derive(Debug, Default)]
pub struct LinkingPages(RwLock<HashMap<CaptureId, Arc<LinkingPage>>>);

impl LinkingPages {
    /// Looks pages up that are known.
    pub(in crate::store) fn with<T>(&self, lookup: impl FnOnce(&HashMap<CaptureId, Arc<LinkingPage>>) -> T) -> T {
        lookup(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Remembers pages.
    pub(in crate::store) fn extend(&self, found: HashMap<CaptureId, Arc<LinkingPage>>) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() + found.len() > MAX_SOURCES {
            known.clear();
        }
        known.extend(found);
    }
}

/// A capture with everything that leaves with it.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedCapture {
    /// The places of its records.
    pub stored: StoredCapture,
    /// Whether it came by import: path, seed and rule are those in its file.
    pub imported: bool,
    /// Path from the seed.
    pub hops: String,
    /// The page that led here.
    pub via: String,
    /// The seed it descends from.
    pub seed: String,
    /// The tag of that seed.
    pub source_tag: String,
    /// Name of the rule that let it in.
    pub rule: Option<String>,
    /// Index of that rule in its campaign.
    pub rule_index: Option<i64>,
    /// Inlinks in the window; none where they are not built.
    pub inlinks: Option<Vec<ExportedLink>>,
    /// Decisions and notes that hold.
    pub notes: Vec<CaptureNote>,
    /// What checks found on it.
    pub findings: Vec<KeptFinding>,
    /// Campaign, its version, job and launch it was captured in.
    pub provenance: (Option<i64>, Option<u32>, String, String),
}

impl Catalogue {
    /// The export of a capture that has these inlinks.
    pub(in crate::store) fn exported_capture(
        &self,
        id: CaptureId,
        inlinks: Option<Vec<ExportedLink>>,
    ) -> Result<ExportedCapture, StoreError> {
        self.read(|conn| {
            // One state of the catalogue for all of it; locked and looked up once, not for each statement.
            let conn = &*conn.unchecked_transaction()?;
            let stored =
                stored_capture(conn, id)?.ok_or(StoreError::Missing { what: "capture", id: id.to_string() })?;
            let notes = notes(conn, id, true)?;
            let findings = findings_of(conn, id)?;
            let mut statement = conn.prepare_cached(
                "SELECT c.hops, ifnull(v.url, ''), ifnull(c.seed, ''), c.rule_index,
                        ifnull((SELECT f.rule FROM file_rule f WHERE f.capture = c.id), c.rule_name),
                        l.campaign, ifnull((SELECT h.from_version FROM launch_change h
                            WHERE h.launch = l.id AND h.date_ms > c.date_ms ORDER BY h.date_ms LIMIT 1), l.version),
                        l.job, l.launch, l.kind = 'import', c.source_tag
                 FROM capture c LEFT JOIN url v ON v.id = c.via JOIN launch l ON l.id = c.launch WHERE c.id = ?1",
            )?;
            Ok(statement.query_row([id], |row| {
                let index: Option<i64> = row.get(3)?;
                let rule: String = row.get(4)?;
                Ok(ExportedCapture {
                    stored,
                    hops: row.get(0)?,
                    via: row.get(1)?,
                    seed: row.get(2)?,
                    source_tag: row.get(10)?,
                    rule: Some(rule).filter(|rule| !rule.is_empty()),
                    rule_index: index,
                    imported: row.get(9)?,
                    inlinks,
                    notes,
                    findings,
                    provenance: (row.get(5)?, row.get(6)?, row.get(7)?, row.get(8)?),
                })
            })?)
        })
    }

    /// Bytes of all records of captures in their files.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn record_bytes(&self, captures: &[CaptureId]) -> Result<u64, StoreError> {
        self.read(|conn| {
            let mut statement =
                conn.prepare_cached("SELECT CAST(total(length) AS INTEGER) FROM record WHERE capture = ?1")?;
            let mut bytes = 0;
            for capture in captures {
                bytes += uint(statement.query_row([capture], |row| row.get(0))?);
            }
            Ok(bytes)
        })
    }

    /// Gives out URL and date of each of these captures.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read, or a stop.
    pub fn each_url(
        &self,
        captures: &[CaptureId],
        cx: &JobCx,
        mut each: impl FnMut(&str, CaptureDate),
    ) -> Result<(), StoreError> {
        self.read_on_disk(cx, |conn| {
            let mut statement = conn
                .prepare_cached("SELECT u.url, c.date_ms FROM capture c JOIN url u ON u.id = c.url WHERE c.id = ?1")?;
            for capture in captures {
                let mut rows = statement.query([capture])?;
                while let Some(row) = rows.next()? {
                    each(row.get_ref(0)?.as_str().unwrap_or_default(), CaptureDate::from_millis(row.get(1)?));
                }
            }
            Ok(())
        })
    }

    /// Keeps that the selection of a campaign was written, now, into a folder.
    pub fn keep_export(&self, export: &ExportRow) -> Result<(), StoreError> {
        let folder = export.folder.to_string_lossy().into_owned();
        let (captures, records, bytes) = (int(export.captures), int(export.records), int(export.bytes));
        self.execute(
            "INSERT INTO export (campaign, date_ms, folder, captures, records, bytes) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (export.campaign, export.date.millis(), folder, captures, records, bytes),
        )
    }

    /// Keeps what a verification found.
    pub fn keep_verification(&self, folder: &Path, lines: &[VerifyLine]) -> Result<(), StoreError> {
        let folder = folder.to_string_lossy().into_owned();
        let lines = serde_json::to_string(lines).map_err(|error| StoreError::Content(error.to_string()))?;
        self.execute(
            "UPDATE export SET verified = ?2 WHERE id = (SELECT max(id) FROM export WHERE folder = ?1)",
            (folder, lines),
        )
    }

    /// Exports written so far, newest first.
    pub fn exports(&self) -> Result<Vec<ExportRow>, StoreError> {
        self.exports_where("?1 IS NULL", None)
    }

    /// Exports of a campaign, and those of which nobody knows whose they are, newest first.
    pub fn exports_of(&self, campaign: CampaignId) -> Result<Vec<ExportRow>, StoreError> {
        self.exports_where("campaign IS NULL OR campaign = ?1", Some(campaign))
    }

    fn exports_where(&self, condition: &str, campaign: Option<CampaignId>) -> Result<Vec<ExportRow>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(&format!(
                "SELECT campaign, date_ms, folder, captures, records, bytes, verified
                 FROM export WHERE {condition} ORDER BY id DESC LIMIT 100"
            ))?;
            let mut rows = statement.query([campaign])?;
            let mut exports = Vec::new();
            while let Some(row) = rows.next()? {
                let verified: Option<String> = row.get(6)?;
                exports.push(ExportRow {
                    campaign: row.get(0)?,
                    date: CaptureDate::from_millis(row.get(1)?),
                    folder: PathBuf::from(row.get::<_, String>(2)?),
                    captures: uint(row.get(3)?),
                    records: uint(row.get(4)?),
                    bytes: uint(row.get(5)?),
                    verified: verified
                        .map(|lines| serde_json::from_str(&lines))
                        .transpose()
                        .map_err(|error| StoreError::Content(error.to_string()))?,
                });
            }
            Ok(exports)
        })
    }
}
