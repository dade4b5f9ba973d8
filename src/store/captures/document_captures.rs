//! Captures of documents, and the pages that link to them.

use crate::captures::Media;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::lossy::LossyText;
use crate::store::catalogue::sql::uint;
use crate::store::rows::CaptureId;
use crate::uri::CaptureDate;

/// A capture of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentCapture {
    /// Its number.
    pub id: CaptureId,
    /// Its URL.
    pub url: String,
    /// When.
    pub date: CaptureDate,
    /// MIME type.
    pub mime: String,
    /// Bytes of the payload.
    pub bytes: u64,
    /// Digest of the payload.
    pub digest: String,
    /// Title of the document, where one was found in it.
    pub title: String,
    /// The page that led the crawl there.
    pub via: Option<String>,
    /// The tag of the seed.
    pub source_tag: String,
    /// Job and launch.
    pub launch: (String, String),
}

/// A page that links to a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LandingPage {
    /// Its URL.
    pub url: String,
    /// Its title.
    pub title: String,
    /// Text of the link.
    pub anchor: String,
}

/// Linking pages that are read for one document.
pub(in crate::store) const MOST_LANDINGS: usize = 200;

impl Catalogue {
    /// Gives every capture of a document ([`Media::Document`]) that was answered with one, by URL,
    /// oldest first, with those whose answer was that nothing changed.
    pub fn for_each_document<E: From<StoreError>>(
        &self,
        mut each: impl FnMut(DocumentCapture) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut failed = None;
        let read = self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT c.id, u.url, c.date_ms, c.mime, c.size, c.digest, c.title, v.url,
                        c.source_tag || iif(l.kind = 'import' AND c.source_tag <> '', ' (the file says)', ''), l.job, l.launch
                 FROM capture c JOIN url u ON u.id = c.url JOIN launch l ON l.id = c.launch
                 LEFT JOIN url v ON v.id = c.via LEFT JOIN capture p ON p.id = c.original
                 WHERE c.media = ?1 AND (c.status BETWEEN 200 AND 299
                    OR c.status IN (0, 304) AND p.status BETWEEN 200 AND 299)
                 ORDER BY u.url, c.date_ms, c.id",
            )?;
            let mut rows = statement.query([Media::Document as u8])?;
            while let Some(row) = rows.next()? {
                let capture = DocumentCapture {
                    id: row.get(0)?,
                    url: row.get(1)?,
                    date: CaptureDate::from_millis(row.get(2)?),
                    mime: row.get::<_, LossyText>(3)?.0,
                    bytes: uint(row.get(4)?),
                    digest: row.get(5)?,
                    title: row.get::<_, LossyText>(6)?.0,
                    via: row.get(7)?,
                    source_tag: row.get(8)?,
                    launch: (row.get(9)?, row.get(10)?),
                };
                if let Err(error) = each(capture) {
                    failed = Some(error);
                    break;
                }
            }
            Ok(())
        });
        read?;
        failed.map_or(Ok(()), Err)
    }

    /// The number of the newest capture; 0 where there is none.
    pub fn newest_capture(&self) -> Result<CaptureId, StoreError> {
        self.read(|conn| Ok(conn.query_row("SELECT ifnull(max(id), 0) FROM capture", [], |row| row.get(0))?))
    }

    /// The number of captures behind the one of this number.
    pub fn captures_behind(&self, after: CaptureId) -> Result<u64, StoreError> {
        let sql = "SELECT count(*) FROM capture WHERE id > ?1";
        self.read(|conn| Ok(crate::store::catalogue::sql::uint(conn.query_row(sql, [after], |row| row.get(0))?)))
    }
}
