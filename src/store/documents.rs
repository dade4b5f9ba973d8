//! Captures of documents, and the pages that link to them.

use super::captures::uint;
use super::catalogue::Catalogue;
use super::rows::CaptureId;
use super::workspace::StoreError;
use crate::uri::CaptureDate;
use rusqlite::{OptionalExtension, params};

/// A capture that may be one of a document.
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

/// Pages looked at for one document.
const MOST_LANDINGS: i64 = 200;

impl Catalogue {
    /// Hands out every answered capture that is no page, no picture and no
    /// part of a page's design, by URL, oldest first.
    pub fn for_each_document<E: From<StoreError>>(
        &self,
        mut each: impl FnMut(DocumentCapture) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut failed = None;
        let read = self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT c.id, u.url, c.date_ms, c.mime, c.size, c.digest, c.title, v.url, c.source_tag, l.job, l.launch
                 FROM capture c JOIN url u ON u.id = c.url JOIN launch l ON l.id = c.launch
                 LEFT JOIN url v ON v.id = c.via
                 WHERE c.status BETWEEN 200 AND 299
                   AND (c.mime NOT LIKE 'image/%' OR c.mime LIKE 'image/vnd.djvu%') AND c.mime NOT LIKE 'text/html%'
                   AND c.mime NOT LIKE 'text/css%' AND c.mime NOT LIKE 'font/%' AND c.mime NOT LIKE '%javascript%'
                 ORDER BY u.url, c.date_ms, c.id",
            )?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let capture = DocumentCapture {
                    id: row.get(0)?,
                    url: row.get(1)?,
                    date: CaptureDate::from_millis(row.get(2)?),
                    mime: row.get(3)?,
                    bytes: uint(row.get(4)?),
                    digest: row.get(5)?,
                    title: row.get(6)?,
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

    /// Pages that link to a URL: those of the built inlinks, and the page that
    /// led the crawl there, with what its link says.
    pub fn landing_pages(&self, url: &str, via: Option<&str>) -> Result<Vec<LandingPage>, StoreError> {
        self.read(|conn| {
            let mut pages = Vec::new();
            let mut statement = conn.prepare_cached(
                "SELECT s.url, c.title, a.text FROM inlink i
                 JOIN capture c ON c.id = i.capture JOIN url s ON s.id = c.url JOIN anchor a ON a.id = i.anchor
                 WHERE i.target = (SELECT page FROM url WHERE url = ?1) ORDER BY i.date_s, i.source, i.anchor LIMIT ?2",
            )?;
            let mut rows = statement.query(params![url, MOST_LANDINGS])?;
            while let Some(row) = rows.next()? {
                pages.push(LandingPage { url: row.get(0)?, title: row.get(1)?, anchor: row.get(2)? });
            }
            let Some(via) = via else { return Ok(pages) };
            let link = conn
                .prepare_cached(
                    "SELECT c.title, a.text FROM capture c
                     JOIN outlink o ON o.capture = c.id JOIN anchor a ON a.id = o.anchor
                     WHERE c.url = (SELECT id FROM url WHERE url = ?1)
                       AND o.target IN (SELECT id FROM url WHERE page = (SELECT page FROM url WHERE url = ?2))
                     ORDER BY a.text = '', c.date_ms, o.position LIMIT 1",
                )?
                .query_row([via, url], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let (title, anchor) = link.unwrap_or_default();
            pages.push(LandingPage { url: via.to_owned(), title, anchor });
            Ok(pages)
        })
    }

    /// The number of the newest capture; 0 where there is none.
    pub fn newest_capture(&self) -> Result<CaptureId, StoreError> {
        self.read(|conn| Ok(conn.query_row("SELECT ifnull(max(id), 0) FROM capture", [], |row| row.get(0))?))
    }
}
