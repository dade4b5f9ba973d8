//! Captures as replay and its indexes list them: in the order of time, with the place of their records.

use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::lossy::LossyText;
use crate::store::catalogue::sql::{int, uint};
use crate::store::rows::CaptureId;
use crate::uri::{CaptureDate, PageKey};
use crate::warc::Span;
use rusqlite::{Row, params};

/// A capture of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedCapture {
    /// Its number.
    pub id: CaptureId,
    /// Its URL.
    pub url: String,
    /// When.
    pub date: CaptureDate,
    /// HTTP status; of a revisit without a head, that of what it repeats.
    pub status: i32,
    /// The declared type.
    pub mime: String,
    /// Payload digest.
    pub digest: String,
    /// Whether its record is a revisit.
    pub is_revisit: bool,
    /// The file of its main record, as the catalogue keeps it.
    pub file: String,
    /// The place of that record.
    pub span: Span,
}

/// The pages whose captures are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageRange {
    /// One.
    Exact(PageKey),
    /// Those whose key begins so.
    Prefix(String),
    /// Those from this key on, in the order of keys.
    From(String),
}

impl PageRange {
    /// The first and the last key.
    fn bounds(&self) -> (String, String) {
        match self {
            Self::Exact(key) => (key.as_str().to_owned(), key.as_str().to_owned()),
            Self::Prefix(prefix) => (prefix.clone(), format!("{prefix}\u{10ffff}")),
            Self::From(key) => (key.clone(), '\u{10ffff}'.to_string()),
        }
    }
}

/// SQL: columns of [`listed`].
macro_rules! listed_sql {
    () => {
        concat!(
            "SELECT c.id, u.url, c.date_ms, c.status, c.mime, ",
            $crate::store::captures::originals::named_digest_sql!(),
            ", c.revisit_of_ms IS NOT NULL, ifnull(f.path, ''), ifnull(r.offset, 0), ifnull(r.length, 0)
             FROM page p CROSS JOIN capture c ON c.page = p.id CROSS JOIN url u ON u.id = c.url
             LEFT JOIN record r ON r.capture = c.id AND r.position = 0 LEFT JOIN warc_file f ON f.id = r.file"
        )
    };
}

fn listed(row: &Row<'_>) -> Result<ListedCapture, rusqlite::Error> {
    Ok(ListedCapture {
        id: row.get(0)?,
        url: row.get(1)?,
        date: CaptureDate::from_millis(row.get(2)?),
        status: row.get(3)?,
        mime: row.get::<_, LossyText>(4)?.0,
        digest: row.get(5)?,
        is_revisit: row.get(6)?,
        file: row.get(7)?,
        span: Span { offset: uint(row.get(8)?), length: uint(row.get(9)?) },
    })
}

impl Catalogue {
    /// At most so many captures of a page before a date and as many from it on, nearest first; of those that are equally
    /// far to the second, one with a status from 200 to 299 comes first, then the earlier.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn captures_near(
        &self,
        page: &PageKey,
        date: CaptureDate,
        most: u64,
    ) -> Result<Vec<ListedCapture>, StoreError> {
        let before = concat!(listed_sql!(), " WHERE p.key = ?1 AND c.date_ms < ?2 ORDER BY c.date_ms DESC LIMIT ?3");
        let after = concat!(listed_sql!(), " WHERE p.key = ?1 AND c.date_ms >= ?2 ORDER BY c.date_ms LIMIT ?3");
        let mut found: Vec<ListedCapture> =
            self.rows(before, params![page.as_str(), date.millis(), int(most)], listed)?;
        found.extend(self.rows::<_, Vec<_>>(after, params![page.as_str(), date.millis(), int(most)], listed)?);
        found.sort_by_key(|capture| {
            let is_fine = (200..300).contains(&capture.status);
            ((capture.date.seconds() - date.seconds()).abs(), !is_fine, capture.date, capture.id)
        });
        Ok(found)
    }

    /// Captures of pages by the order of their keys, of each page the oldest first.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn list_captures(
        &self,
        pages: &PageRange,
        between: (CaptureDate, CaptureDate),
        most: u64,
    ) -> Result<Vec<ListedCapture>, StoreError> {
        self.list_captures_behind(pages, between, 0, most)
    }

    /// As [`Self::list_captures`], without the first ones.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn list_captures_behind(
        &self,
        pages: &PageRange,
        between: (CaptureDate, CaptureDate),
        skip: u64,
        most: u64,
    ) -> Result<Vec<ListedCapture>, StoreError> {
        let (low, high) = pages.bounds();
        self.rows(
            concat!(
                listed_sql!(),
                " WHERE p.key BETWEEN ?1 AND ?2 AND c.date_ms BETWEEN ?3 AND ?4 ORDER BY p.key, c.date_ms, c.id
                  LIMIT ?5 OFFSET ?6"
            ),
            params![low, high, between.0.millis(), between.1.millis(), int(most), int(skip)],
            listed,
        )
    }

    /// The first captured page of each host, at most so many, in the order of keys: one look into an index each.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn first_pages(&self, most: u64) -> Result<Vec<PageKey>, StoreError> {
        let keys: Vec<Option<String>> = self.rows(
            "WITH RECURSIVE first(key) AS (
                 SELECT '' UNION ALL
                 SELECT (SELECT p.key FROM page p WHERE p.key > iif(first.key = '', '', substr(first.key, 1, instr(first.key, ')')) || ?2)
                             AND EXISTS (SELECT 1 FROM capture c WHERE c.page = p.id) ORDER BY p.key LIMIT 1)
                 FROM first WHERE first.key IS NOT NULL AND (first.key = '' OR instr(first.key, ')') > 0)
                 LIMIT ?1)
             SELECT key FROM first WHERE key <> ''",
            params![int(most.saturating_add(1)), "\u{10ffff}"],
            |row| row.get(0),
        )?;
        Ok(keys.into_iter().flatten().map(PageKey::from_stored).collect())
    }

    /// The number of captures of pages.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn count_listed(&self, pages: &PageRange, between: (CaptureDate, CaptureDate)) -> Result<u64, StoreError> {
        let (low, high) = pages.bounds();
        self.read(|conn| {
            let count = conn
                .prepare_cached(
                    "SELECT count(*) FROM page p CROSS JOIN capture c ON c.page = p.id
                     WHERE p.key BETWEEN ?1 AND ?2 AND c.date_ms BETWEEN ?3 AND ?4",
                )?
                .query_row(params![low, high, between.0.millis(), between.1.millis()], |row| row.get(0))?;
            Ok(uint(count))
        })
    }
}
