//! Which capture a revisit repeats, and links of those that repeat a capture
//! of another URL.

use super::captures::{StoredCapture, insert_outlinks, stored_capture};
use super::catalogue::Catalogue;
use super::rows::{CaptureId, LaunchId};
use super::workspace::StoreError;
use crate::links::Outlink;
use crate::uri::Url;
use rusqlite::OptionalExtension;

/// The capture that `c` repeats, NULL where it is not there; `c` itself where
/// it is no revisit. It is of the URL that the revisit names, or of its own,
/// with the same payload; where digests do not tell (`sha256:`, or made of
/// chunks), it is the one at the date that the revisit names. Where there is
/// none, other spellings of its own page will do.
pub(super) const ORIGINAL: &str = "CASE WHEN c.revisit_of_ms IS NULL THEN c.id ELSE coalesce(
    (SELECT x.id FROM capture x WHERE x.url = ifnull((SELECT r.url FROM repeat r WHERE r.capture = c.id), c.url)
        AND x.digest = c.digest AND c.digest <> '' AND x.revisit_of_ms IS NULL
      ORDER BY abs(x.date_ms - c.revisit_of_ms), x.id LIMIT 1),
    (SELECT x.id FROM capture x WHERE x.url = ifnull((SELECT r.url FROM repeat r WHERE r.capture = c.id), c.url)
        AND x.revisit_of_ms IS NULL AND abs(x.date_ms - c.revisit_of_ms) < 1000 ORDER BY x.id LIMIT 1),
    (SELECT x.id FROM capture x WHERE x.page = c.page AND x.revisit_of_ms IS NULL
        AND (x.digest = c.digest AND c.digest <> '' OR c.digest = '' AND abs(x.date_ms - c.revisit_of_ms) < 1000)
      ORDER BY abs(x.date_ms - c.revisit_of_ms), x.id LIMIT 1)) END";

/// The capture that has the links of `c`, where `p` is what it repeats.
pub(super) const HAS_LINKS: &str =
    "CASE WHEN EXISTS (SELECT 1 FROM repeat r WHERE r.capture = c.id) THEN c.id ELSE p.id END";

/// A revisit of another URL, whose links were not read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingRepeat {
    /// The revisit.
    pub capture: CaptureId,
    /// Its URL.
    pub url: Url,
    /// What it repeats, which is there.
    pub original: CaptureId,
}

impl Catalogue {
    /// The capture that a revisit repeats, if it is there.
    pub fn original_of(&self, id: CaptureId) -> Result<Option<StoredCapture>, StoreError> {
        self.read(|conn| {
            let original: Option<i64> = conn
                .prepare_cached(&format!("SELECT {ORIGINAL} FROM capture c WHERE c.id = ?1"))?
                .query_row([id], |row| row.get(0))
                .optional()?
                .flatten();
            let original = original.filter(|original| *original != id);
            Ok(original.map(|id| stored_capture(conn, id)).transpose()?.flatten())
        })
    }

    /// Revisits of other URLs whose links were not read yet, in the order of
    /// what they repeat: all, or those that one launch brought, or the capture
    /// that they repeat.
    pub fn waiting_repeats(&self, launch: Option<LaunchId>) -> Result<Vec<WaitingRepeat>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(&format!(
                "SELECT id, url, original FROM
                    (SELECT c.id AS id, c.launch AS launch, u.url AS url, {ORIGINAL} AS original
                       FROM repeat w JOIN capture c ON c.id = w.capture JOIN url u ON u.id = c.url
                      WHERE w.original IS NULL)
                 WHERE ?1 IS NULL OR ?1 IN (launch, (SELECT o.launch FROM capture o WHERE o.id = original))"
            ))?;
            let mut rows = statement.query([launch])?;
            let mut waiting = Vec::new();
            while let Some(row) = rows.next()? {
                let (url, original): (String, Option<CaptureId>) = (row.get(1)?, row.get(2)?);
                if let (Ok(url), Some(original)) = (Url::parse(&url), original) {
                    waiting.push(WaitingRepeat { capture: row.get(0)?, url, original });
                }
            }
            waiting.sort_by_key(|repeat| (repeat.original, repeat.capture));
            Ok(waiting)
        })
    }

    /// Keeps what links such revisits have. Those that they have already stay.
    pub fn keep_repeats(&self, read: Vec<(WaitingRepeat, Vec<Outlink>)>) -> Result<(), StoreError> {
        self.write(move |conn| {
            for (repeat, links) in &read {
                insert_outlinks(conn, repeat.capture, links)?;
                conn.prepare_cached("UPDATE repeat SET original = ?2 WHERE capture = ?1")?
                    .execute((repeat.capture, repeat.original))?;
            }
            Ok(())
        })
    }
}
