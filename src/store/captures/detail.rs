//! Everything the lower panel shows of one capture, but its links.

use crate::store::rows::PageId;
use crate::store::rows::SeenId;

use super::capture_table::rows_where;
use super::stored_capture;
use crate::crawl::UrlOutcome;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::findings::{findings_of, is_checked};
use crate::store::review::marks::{note_of, note_sql, same_version_sql};
use crate::store::rows::{CampaignId, CaptureDetail, CaptureId, CaptureNote, CaptureRow, LaunchId};
use crate::uri::{CaptureDate, CdxKey, DatasetKey, PageKey, Url};
use rusqlite::{Connection, OptionalExtension, params};

/// Hops of a path that are followed back; longer ones are loops.
const MAX_PATH: usize = 100;

impl Catalogue {
    /// A row of the captures table.
    pub fn capture_row(&self, id: CaptureId) -> Result<CaptureRow, StoreError> {
        self.read(|conn| one_row(conn, id))
    }

    /// A capture with its path, versions and notes; the trace is added by whoever can run the rules,
    /// its facts by whoever has the index of texts.
    pub fn capture_detail(&self, id: CaptureId) -> Result<CaptureDetail, StoreError> {
        self.read(|conn| {
            let row = one_row(conn, id)?;
            let page: PageId = conn.query_row("SELECT page FROM capture WHERE id = ?1", [id], |row| row.get(0))?;
            Ok(CaptureDetail {
                outcome: outcome(conn, id, row.status)?,
                details: details(conn, id, &row)?,
                trace: None,
                path: path(conn, id, &row)?,
                versions: rows_where(conn, CampaignId::default(), "c.page = ?2", page, "c.date_ms, c.id")?,
                notes: notes(conn, id, false)?,
                findings: is_checked(conn, id)?.then(|| findings_of(conn, id)).transpose()?,
                facts: None,
                row,
            })
        })
    }

    /// The captures of a URL, oldest first.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn captures_of_url(&self, url: &Url) -> Result<Vec<CaptureId>, StoreError> {
        self.rows(
            "SELECT id FROM capture WHERE url = (SELECT id FROM url WHERE url = ?1) ORDER BY date_ms, id",
            [url.as_str()],
            |row| row.get(0),
        )
    }

    /// The newest capture of a page.
    pub fn last_capture(&self, key: &PageKey) -> Result<Option<CaptureId>, StoreError> {
        self.read(|conn| {
            Ok(conn
                .query_row(
                    "SELECT c.id FROM capture c JOIN page p ON p.id = c.page WHERE p.key = ?1
                     ORDER BY c.date_ms DESC, c.id DESC LIMIT 1",
                    [key.as_str()],
                    |row| row.get(0),
                )
                .optional()?)
        })
    }

    /// The seen row that a capture came from, in its launch.
    pub fn seen_of_capture(&self, id: CaptureId) -> Result<Option<SeenId>, StoreError> {
        self.read(|conn| {
            Ok(conn
                .query_row(
                    "SELECT s.id FROM capture c JOIN seen s ON s.launch = c.launch AND s.url = c.url WHERE c.id = ?1",
                    [id],
                    |row| row.get(0),
                )
                .optional()?)
        })
    }
}

pub(in crate::store) fn one_row(conn: &Connection, id: CaptureId) -> Result<CaptureRow, StoreError> {
    let campaign: Option<CampaignId> = conn
        .prepare_cached("SELECT l.campaign FROM capture c JOIN launch l ON l.id = c.launch WHERE c.id = ?1")?
        .query_row([id], |row| row.get(0))
        .optional()?
        .flatten();
    rows_where(conn, campaign.unwrap_or_default(), "c.id = ?2", id, "c.id")?
        .pop()
        .ok_or(StoreError::Missing { what: "capture", id: id.to_string() })
}

fn outcome(conn: &Connection, id: CaptureId, status: i32) -> Result<UrlOutcome, StoreError> {
    let truncated: String = conn
        .prepare_cached("SELECT ifnull(truncated, '') FROM capture WHERE id = ?1")?
        .query_row([id], |row| row.get(0))?;
    Ok(UrlOutcome::of_capture(status, &truncated))
}

fn details(conn: &Connection, id: CaptureId, row: &CaptureRow) -> Result<Vec<(String, String)>, StoreError> {
    let stored = stored_capture(conn, id)?.ok_or(StoreError::Missing { what: "capture", id: id.to_string() })?;
    let mut details = vec![
        ("URL".to_owned(), row.url.clone()),
        ("Captured (UTC)".to_owned(), row.date.to_readable()),
        ("Status".to_owned(), row.status.to_string()),
        ("Type".to_owned(), row.mime.clone()),
        ("Payload bytes".to_owned(), row.size.to_string()),
        ("Payload digest".to_owned(), stored.digest.clone()),
        ("Page identity".to_owned(), PageKey::of(&stored.url).to_string()),
        ("Data set key".to_owned(), DatasetKey::of(&stored.url).to_string()),
        ("CDX key".to_owned(), CdxKey::of(&stored.url).to_string()),
    ];
    let (imported, file_rule) = (row.imported, row.file_rule.clone());
    conn.query_row(
        "SELECT c.ip, c.fetch_ms, c.truncated, c.seed, c.source_tag, c.revisit_of_ms, r.url, l.launch, l.job, c.hops,
                (SELECT i.cut FROM capture_inlinks i WHERE i.capture = c.id), ifnull(v.url, '')
         FROM capture c LEFT JOIN url r ON r.id = c.redirect_to LEFT JOIN url v ON v.id = c.via
         JOIN launch l ON l.id = c.launch WHERE c.id = ?1",
        [id],
        |row| {
            let mut add = |label: &str, value: Option<String>| {
                if let Some(value) = value.filter(|value| !value.is_empty()) {
                    details.push((label.to_owned(), value));
                }
            };
            add("Server address", row.get(0)?);
            let claim = |label: &str| if imported { format!("{label} (the file says)") } else { label.to_owned() };
            add(&claim("Fetch time"), row.get::<_, Option<i64>>(1)?.map(|ms| format!("{ms} ms")));
            add("Truncated because of", row.get(2)?);
            add("Redirects to", row.get(6)?);
            add(&claim("Hops from the seed"), row.get(9)?);
            add(&claim("Seed"), row.get(3)?);
            add(&claim("Source tag"), row.get(4)?);
            if imported {
                add(&claim("Found on"), row.get(11)?);
                add(&claim("Rule"), Some(file_rule));
            }
            add(
                "Revisit of the capture of",
                row.get::<_, Option<i64>>(5)?.map(|ms| CaptureDate::from_millis(ms).to_readable()),
            );
            add(
                "Inlinks omitted by the limit",
                row.get::<_, Option<i64>>(10)?.filter(|cut| *cut > 0).map(|cut| cut.to_string()),
            );
            add("Job and launch", Some(format!("{} / {}", row.get::<_, String>(8)?, row.get::<_, String>(7)?)));
            Ok(())
        },
    )?;
    for record in &stored.records {
        let place = format!("{}, offset {}, {} bytes", record.file, record.span.offset, record.span.length);
        details.push((format!("Record ({})", record.record_type), place));
        if !record.record_id.is_empty() {
            details.push((format!("Record id ({})", record.record_type), record.record_id.clone()));
        }
    }
    Ok(details)
}

/// The way from the seed, seed first: URL and the anchor that led there.
fn path(conn: &Connection, id: CaptureId, row: &CaptureRow) -> Result<Vec<(String, String)>, StoreError> {
    let launch: LaunchId = conn.query_row("SELECT launch FROM capture WHERE id = ?1", [id], |row| row.get(0))?;
    let mut statement = conn.prepare_cached(
        "SELECT s.anchor, v.url FROM seen s JOIN url u ON u.id = s.url LEFT JOIN url v ON v.id = s.via
         WHERE s.launch = ?1 AND u.url = ?2",
    )?;
    let mut steps = Vec::new();
    let mut url = Some(row.url.clone());
    while let Some(here) = url.take() {
        let found: Option<(String, Option<String>)> =
            statement.query_row(params![launch, here], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let (anchor, via) = found.unwrap_or_default();
        let looped = steps.iter().any(|(seen, _)| *seen == here) || steps.len() >= MAX_PATH;
        steps.push((here, anchor));
        if !looped {
            url = via;
        }
    }
    steps.reverse();
    Ok(steps)
}

/// Notes on a capture and decisions on its content version, newest first; with `without_undone`
/// those that hold alone, as in a handover.
pub(in crate::store) fn notes(
    conn: &Connection,
    id: CaptureId,
    without_undone: bool,
) -> Result<Vec<CaptureNote>, StoreError> {
    let mut statement = conn.prepare_cached(concat!(
        note_sql!(),
        same_version_sql!("m", "capture", "c", "id"),
        " AND (m.capture = c.id OR m.mark <> 'note' AND m.reaches <= c.id)
          AND (NOT ?2 OR m.undone_ms IS NULL) ORDER BY m.id DESC"
    ))?;
    let notes = statement.query_map(params![id, without_undone], note_of)?.map(|note| note?);
    notes.collect()
}
