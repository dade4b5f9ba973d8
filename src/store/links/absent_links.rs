//! Links from pages that are not here: those that the metadata records of a handover list of its
//! captures, so that a further handover lists them, too.

use super::link_rows::Captures;
use crate::store::captures::link_list::{packed, unpacked};
use crate::store::captures::originals::next_number;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::rows::CaptureId;
use crate::uri::{CaptureDate, PageKey};
use rusqlite::params;
use std::borrow::Cow;

/// A link from a page that is not here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbsentLink {
    /// When the linking page was captured, to the second.
    pub date: CaptureDate,
    /// Its URL.
    pub source_url: String,
    /// The text of the link, folded. Hostile text.
    pub anchor: String,
}

/// Such a link as it is stored: seconds since 1970, URL and anchor.
type Row<'a> = (i64, Cow<'a, str>, Cow<'a, str>);

impl Catalogue {
    /// Whether a capture of this page of this second is here, with links of its own.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn has_links_of(&self, page: &PageKey, date: CaptureDate) -> Result<bool, StoreError> {
        self.read(|conn| {
            let from = date.seconds().saturating_mul(1000);
            let mut statement = conn.prepare_cached(
                "SELECT 1 FROM capture c WHERE c.page = (SELECT id FROM page WHERE key = ?1)
                    AND c.date_ms BETWEEN ?2 AND ?2 + 999
                    AND (EXISTS (SELECT 1 FROM link_list l WHERE l.capture IN (c.id, c.original))
                        OR EXISTS (SELECT 1 FROM outlink_gap g WHERE g.capture IN (c.id, c.original)))",
            )?;
            Ok(statement.exists(params![page.as_str(), from])?)
        })
    }

    /// Keeps links to captures, in the place of those that the same origin brought for them before;
    /// returns to how many captures there are others now.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn keep_absent_links(
        &self,
        origin: String,
        links: Vec<(CaptureId, Vec<AbsentLink>)>,
    ) -> Result<u64, StoreError> {
        self.write(move |conn| {
            let (mut changed, mut number) = (0, None);
            for (capture, links) in &links {
                let list = encoded(links)?;
                // The same links may come in handovers of two names.
                let mut known = conn.prepare_cached("SELECT 1 FROM absent_link WHERE capture = ?1 AND links = ?2")?;
                if known.exists(params![capture, list])? {
                    continue;
                }
                let number = match number {
                    Some(number) => number,
                    None => *number.insert(next_number(conn)?),
                };
                conn.prepare_cached(
                    "INSERT OR REPLACE INTO absent_link (capture, origin, changed, links) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![capture, origin, number, list])?;
                changed += 1;
            }
            Ok(changed)
        })
    }

    /// Gives out the links from pages that are not here with the key of the page that they lead to: all, or
    /// those that came since.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read, and what `each` fails with.
    pub fn feed_absent_links<E>(
        &self,
        of: Captures,
        mut each: impl FnMut(&str, AbsentLink) -> Result<(), E>,
    ) -> Result<Result<(), E>, StoreError> {
        self.read(|conn| {
            let since = if of.after.get() > 0 { of.changed_after } else { 0 };
            let mut statement = conn.prepare(
            "SELECT p.key, a.links FROM absent_link a CROSS JOIN capture c ON c.id = a.capture CROSS JOIN page p ON p.id = c.page
             WHERE a.changed > ?1 AND a.capture <= ?2 ORDER BY a.capture, a.origin",
        )?;
            let mut rows = statement.query(params![since, of.up_to])?;
            while let Some(row) = rows.next()? {
                let key: String = row.get(0)?;
                for link in decoded(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?)? {
                    if let Err(stop) = each(&key, link) {
                        return Ok(Err(stop));
                    }
                }
            }
            Ok(Ok(()))
        })
    }

    /// The links to a page from pages that are not here, each with the handover that lists it.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub(in crate::store) fn absent_links_of(&self, page: &PageKey) -> Result<Vec<(String, AbsentLink)>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT a.origin, a.links FROM capture c JOIN absent_link a ON a.capture = c.id
                 WHERE c.page = (SELECT id FROM page WHERE key = ?1) ORDER BY a.origin, a.capture",
            )?;
            let mut rows = statement.query([page.as_str()])?;
            let mut links = Vec::new();
            while let Some(row) = rows.next()? {
                let origin: String = row.get(0)?;
                let list = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
                links.extend(decoded(list)?.into_iter().map(|link| (origin.clone(), link)));
            }
            Ok(links)
        })
    }
}

fn encoded(links: &[AbsentLink]) -> Result<Vec<u8>, StoreError> {
    let rows: Vec<Row<'_>> = links
        .iter()
        .map(|link| (link.date.seconds(), link.source_url.as_str().into(), link.anchor.as_str().into()))
        .collect();
    serde_json::to_vec(&rows).map(|list| packed(&list)).map_err(|error| StoreError::Content(error.to_string()))
}

fn decoded(list: &[u8]) -> Result<Vec<AbsentLink>, StoreError> {
    let broken = |why: String| StoreError::Content(format!("a list of links from pages that are not here ({why})"));
    let list = unpacked(list).map_err(|error| broken(error.to_string()))?;
    let rows: Vec<Row<'_>> = serde_json::from_slice(&list).map_err(|error| broken(error.to_string()))?;
    let link = |(seconds, source_url, anchor): Row<'_>| AbsentLink {
        date: CaptureDate::from_seconds(seconds),
        source_url: source_url.into_owned(),
        anchor: anchor.into_owned(),
    };
    Ok(rows.into_iter().map(link).collect())
}
