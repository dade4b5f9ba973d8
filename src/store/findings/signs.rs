//! Signs that are kept, so that findings follow from them again without a text.

use super::marks::is_false_alarm;
use super::rows::{parts_of, put_loss};
use crate::analysis::checks::{CheckSettings, ContextSigns, Finding, PageSigns};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::int;
use crate::store::rows::CaptureId;
use fixedbitset::FixedBitSet;
use rusqlite::{Connection, OptionalExtension, params};

/// The setting with what a person set for the checks, as JSON.
const SETTINGS: &str = "checks";
/// The setting with the state of the workspace that the findings are of.
const CHECKED: &str = "checked";

/// The signs of a content version, to be kept.
#[derive(Default, Debug, Clone, PartialEq)]
pub struct KeptPage {
    /// Number of the version: its first capture.
    pub version: CaptureId,
    /// Its signs.
    pub signs: PageSigns,
    /// MinHash of its main text; empty where it has none.
    pub sketch: Vec<u8>,
    /// Its commonest terms.
    pub terms: Vec<u8>,
}

/// What was found on a capture, to be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct CaptureFindings {
    /// The capture.
    pub capture: CaptureId,
    /// Its signs among others; none where those that are kept stay.
    pub signs: Option<ContextSigns>,
    /// The form of its address.
    pub template: String,
    /// Inlinks from other hosts; none where the count that is kept stays.
    pub external: Option<u64>,
    /// The findings.
    pub findings: Vec<Finding>,
}

fn json<T: serde::Serialize>(of: &T) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(of).map_err(|error| StoreError::Content(error.to_string()))
}

fn of_json<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, StoreError> {
    serde_json::from_slice(bytes).map_err(|error| StoreError::Content(format!("the signs of a page ({error})")))
}

impl Catalogue {
    /// What a person set for the checks.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read. What is no such setting counts as none.
    pub fn check_settings(&self) -> Result<CheckSettings, StoreError> {
        Ok(self.setting(SETTINGS)?.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default())
    }

    /// Sets thresholds, and which checks are off. The findings follow when the checks run again.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn set_check_settings(&self, settings: &CheckSettings) -> Result<(), StoreError> {
        let json = serde_json::to_string(settings).map_err(|error| StoreError::Content(error.to_string()))?;
        self.set_setting(SETTINGS, &json)
    }

    /// The state of the workspace that the findings are of; none before the checks ran to their end.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn checked_state(&self) -> Result<Option<String>, StoreError> {
        self.setting(CHECKED)
    }

    /// Notes the state of the workspace that the findings are of.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn set_checked_state(&self, state: &str) -> Result<(), StoreError> {
        self.set_setting(CHECKED, state)
    }

    /// What findings follow from besides captures and texts, in a line: inlinks, URLs seen, launches, campaigns.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn state_of_checks(&self) -> Result<String, StoreError> {
        self.row(
            "SELECT (SELECT ifnull(group_concat(name || '=' || value), '') FROM
                        (SELECT name, value FROM setting WHERE name IN ('inlinks_counted', 'captures_lost') ORDER BY name))
                || ';' || (SELECT ifnull(group_concat(id || state || ifnull(ended_ms, 0)), '') FROM launch)
                || ';' || (SELECT ifnull(sum(urls * (state + 1)), 0) FROM seen_tally)
                || ';' || (SELECT ifnull(group_concat(id || '.' || version), '') FROM campaign)
                || ';' || (SELECT count(*) FROM capture)",
            [],
            |row| row.get(0),
        )
    }

    /// How many captures there are.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn capture_count(&self) -> Result<u64, StoreError> {
        Ok(crate::store::catalogue::sql::uint(self.row("SELECT count(*) FROM capture", [], |row| row.get(0))?))
    }

    /// Captures with a problem, and those that are odd without one.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn loss_counts(&self) -> Result<[(crate::analysis::checks::FindingState, u64); 2], StoreError> {
        use crate::analysis::checks::FindingState::{Odd, Problem};
        self.row(
            "SELECT ifnull(sum(problems > 0), 0), ifnull(sum(problems = 0 AND odd > 0), 0) FROM page_loss",
            [],
            |row| {
                let count = |at: usize| row.get(at).map(crate::store::catalogue::sql::uint);
                Ok([(Problem, count(0)?), (Odd, count(1)?)])
            },
        )
    }

    /// The content versions whose signs are kept in this form.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn versions_with_signs(&self, form: u32) -> Result<FixedBitSet, StoreError> {
        let newest = self.newest_capture()?;
        self.read(|conn| {
            let mut statement = conn.prepare("SELECT version FROM check_page WHERE form = ?1")?;
            let mut rows = statement.query([form])?;
            let mut found = FixedBitSet::new();
            while let Some(row) = rows.next()? {
                let version = Some(row.get::<_, CaptureId>(0)?).filter(|version| *version <= newest);
                let at = version.and_then(|version| usize::try_from(version).ok());
                at.into_iter().for_each(|at| found.grow_and_insert(at));
            }
            Ok(found)
        })
    }

    /// Keeps signs of content versions.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn put_page_signs(&self, form: u32, pages: Vec<KeptPage>) -> Result<(), StoreError> {
        self.write(move |conn| {
            let mut put = conn.prepare_cached("INSERT OR REPLACE INTO check_page VALUES (?1, ?2, ?3, ?4, ?5)")?;
            for page in &pages {
                put.execute(params![page.version, form, json(&page.signs)?, page.sketch, page.terms])?;
            }
            Ok(())
        })
    }

    /// Keeps findings of captures in the place of those that they had.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn put_findings(&self, captures: Vec<CaptureFindings>) -> Result<(), StoreError> {
        self.write(move |conn| captures.iter().try_for_each(|of| put_checked(conn, of)))
    }

    /// The signs of captures behind one, so many at most, with what was found by them; none at the end.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn kept_signs(&self, behind: CaptureId, most: u64) -> Result<Vec<KeptSigns>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(concat!(
                "SELECT c.id, (SELECT p.signals FROM check_page p WHERE p.version = ",
                crate::store::captures::originals::version_sql!(),
                "), m.measures FROM check_measure m CROSS JOIN capture c ON c.id = m.capture
                 WHERE m.capture > ?1 ORDER BY m.capture LIMIT ?2"
            ))?;
            let kept = statement.query_map(params![behind, int(most)], |row| {
                Ok(KeptSigns { capture: row.get(0)?, page: row.get(1)?, context: row.get(2)?, found: Vec::new() })
            })?;
            let mut kept = kept.collect::<Result<Vec<_>, _>>()?;
            let Some(last) = kept.last().map(|of| of.capture) else { return Ok(kept) };
            let mut statement = conn.prepare_cached(
                "SELECT capture, check_id, state, severity, evidence FROM finding WHERE capture > ?1 AND capture <= ?2
                 ORDER BY capture, check_id",
            )?;
            let mut rows = statement.query(params![behind, last])?;
            let mut of_rows = kept.iter_mut().peekable();
            while let Some(row) = rows.next()? {
                let capture: CaptureId = row.get(0)?;
                while of_rows.next_if(|of| of.capture < capture).is_some() {}
                if let Some(of) = of_rows.peek_mut().filter(|of| of.capture == capture) {
                    of.found.push((row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?));
                }
            }
            Ok(kept)
        })
    }
}

/// The signs of a capture as they are kept, with what was found by them.
pub struct KeptSigns {
    /// The capture.
    pub capture: CaptureId,
    page: Option<Vec<u8>>,
    context: Vec<u8>,
    /// Check, state, severity and evidence, in the order of checks.
    found: Vec<(String, i64, i64, String)>,
}

impl KeptSigns {
    /// Reads them.
    ///
    /// # Errors
    ///
    /// What are no signs.
    pub fn read(&self) -> Result<(PageSigns, ContextSigns), StoreError> {
        let page = self.page.as_ref().map_or_else(|| Ok(PageSigns::default()), |page| of_json(page))?;
        Ok((page, of_json(&self.context)?))
    }

    /// Whether these findings are those that are kept.
    pub fn has(&self, findings: &[Finding]) -> bool {
        let is_kept = |of: &Finding| {
            let at = self.found.binary_search_by(|(check, ..)| check.as_str().cmp(of.check));
            let json = of.evidence.to_string();
            at.ok().and_then(|at| self.found.get(at)).is_some_and(|(_, state, severity, evidence)| {
                (*state, *severity, evidence) == (of.state.number(), parts_of(of.severity), &json)
            })
        };
        self.found.len() == findings.len() && findings.iter().all(is_kept)
    }
}

fn put_checked(conn: &Connection, of: &CaptureFindings) -> Result<(), StoreError> {
    let known: Option<(i64, i64, String)> = conn
        .prepare_cached("SELECT host, url, digest FROM capture WHERE id = ?1")?
        .query_row([of.capture], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let Some((host, url, digest)) = known else { return Ok(()) };
    if let Some(signs) = &of.signs {
        conn.prepare_cached("INSERT OR REPLACE INTO check_measure VALUES (?1, ?2)")?
            .execute(params![of.capture, json(signs)?])?;
    }
    conn.prepare_cached("DELETE FROM finding WHERE capture = ?1")?.execute([of.capture])?;
    if !of.findings.is_empty() {
        let template = template_id(conn, host, &of.template)?;
        for finding in &of.findings {
            let is_false = is_false_alarm(conn, finding.check, url, &digest)?;
            conn.prepare_cached("INSERT INTO finding VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?.execute(params![
                of.capture,
                finding.check,
                finding.state.number(),
                parts_of(finding.severity),
                template,
                finding.evidence.to_string(),
                is_false
            ])?;
        }
    }
    put_loss(conn, of.capture, of.external)
}

fn template_id(conn: &Connection, host: i64, template: &str) -> Result<i64, StoreError> {
    let known = conn
        .prepare_cached("SELECT id FROM finding_template WHERE host = ?1 AND template = ?2")?
        .query_row(params![host, template], |row| row.get(0))
        .optional()?;
    if let Some(known) = known {
        return Ok(known);
    }
    conn.prepare_cached("INSERT INTO finding_template (host, template) VALUES (?1, ?2)")?
        .execute(params![host, template])?;
    Ok(conn.last_insert_rowid())
}
