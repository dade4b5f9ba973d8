//! What the catalogue gives the checks: captures host by host, and what became of the URLs that a page needs.

use super::signs::KeptPage;
use crate::analysis::checks::CheckedLink;
use crate::store::captures::link_list::outlinks_of;
use crate::store::captures::originals::{shown_status_sql, version_sql};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::lossy::LossyText;
use crate::store::catalogue::sql::uint;
use crate::store::rows::{CampaignId, CaptureId, LaunchId};
use crate::uri::CaptureDate;
use rusqlite::{OptionalExtension, params};

/// A capture of a host, as checks compare it with the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostCapture {
    /// The capture.
    pub id: CaptureId,
    /// Its content version.
    pub version: CaptureId,
    /// Number of its page.
    pub page: i64,
    /// Its launch.
    pub launch: LaunchId,
    /// The campaign of that.
    pub campaign: Option<CampaignId>,
    /// Its URL.
    pub url: String,
    /// When.
    pub date: CaptureDate,
    /// HTTP status of what it shows.
    pub status: i32,
    /// Declared type.
    pub mime: String,
    /// Bytes of the payload.
    pub size: u64,
    /// Payload digest.
    pub digest: String,
    /// Path from the seed.
    pub hops: String,
    /// Target of its redirect.
    pub redirect_to: Option<String>,
    /// Inlinks from other hosts in the window, and their hosts.
    pub external: [u64; 2],
}

/// What a launch did with a URL that it did not capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenAs {
    /// Why it failed.
    pub why: String,
    /// Times that it was tried.
    pub tries: u64,
    /// The text of the link by which it was seen.
    pub anchor: String,
    /// What the page that was fetched has of the request, from 0 to 10,000.
    pub score: Option<u64>,
}

impl Catalogue {
    /// Numbers and names of the hosts with captures.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn hosts_to_check(&self) -> Result<Vec<(i64, String)>, StoreError> {
        self.rows(
            "SELECT h.id, h.name FROM host h WHERE EXISTS (SELECT 1 FROM capture c WHERE c.host = h.id) ORDER BY h.name",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
    }

    /// The captures of a host, by URL and date.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn captures_to_check(&self, host: i64) -> Result<Vec<HostCapture>, StoreError> {
        self.rows(
            concat!(
                "SELECT c.id, ",
                version_sql!(),
                ", c.page, c.launch, l.campaign, u.url, c.date_ms, ",
                shown_status_sql!(),
                ", c.mime, c.size, c.digest, c.hops, r.url, ifnull(i.external, 0), ifnull(i.hosts, 0)
                 FROM capture c JOIN url u ON u.id = c.url JOIN launch l ON l.id = c.launch
                 LEFT JOIN url r ON r.id = c.redirect_to LEFT JOIN capture_inlinks i ON i.capture = c.id
                 WHERE c.host = ?1 ORDER BY u.url, c.date_ms, c.digest, c.id"
            ),
            [host],
            |row| {
                Ok(HostCapture {
                    id: row.get(0)?,
                    version: row.get(1)?,
                    page: row.get(2)?,
                    launch: row.get(3)?,
                    campaign: row.get(4)?,
                    url: row.get(5)?,
                    date: CaptureDate::from_millis(row.get(6)?),
                    status: row.get(7)?,
                    mime: row.get::<_, LossyText>(8)?.0,
                    size: uint(row.get(9)?),
                    digest: row.get(10)?,
                    hops: row.get(11)?,
                    redirect_to: row.get(12)?,
                    external: [uint(row.get(13)?), uint(row.get(14)?)],
                })
            },
        )
    }

    /// The signs of a content version with its sketch and terms; none where they are not kept.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn page_signs(&self, version: CaptureId) -> Result<Option<KeptPage>, StoreError> {
        let found: Option<[Vec<u8>; 3]> =
            self.row_if_any("SELECT signals, sketch, terms FROM check_page WHERE version = ?1", [version], |row| {
                Ok([row.get(0)?, row.get(1)?, row.get(2)?])
            })?;
        let Some([signs, sketch, terms]) = found else { return Ok(None) };
        let signs = serde_json::from_slice(&signs)
            .map_err(|error| StoreError::Content(format!("the signs of version {version} ({error})")))?;
        Ok(Some(KeptPage { version, signs, sketch, terms }))
    }

    /// Whether anything of a host was captured.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn is_captured_host(&self, host: &str) -> Result<bool, StoreError> {
        self.row(
            "SELECT EXISTS (SELECT 1 FROM capture WHERE host = (SELECT id FROM host WHERE name = ?1))",
            [host],
            |row| row.get(0),
        )
    }

    /// What a launch did with a URL; none where it never saw it.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn seen_as(&self, launch: LaunchId, url: &str) -> Result<Option<SeenAs>, StoreError> {
        self.row_if_any(
            "SELECT s.why, s.tries, s.anchor, s.score FROM seen s
             WHERE s.url = (SELECT id FROM url WHERE url = ?2) AND s.launch = ?1",
            params![launch, url],
            |row| {
                Ok(SeenAs {
                    why: row.get(0)?,
                    tries: uint(row.get(1)?),
                    anchor: row.get(2)?,
                    score: row.get::<_, Option<i64>>(3)?.map(uint),
                })
            },
        )
    }

    /// The links out of a content version, by their position: those of a capture that answered well, where one did. Of
    /// errors links are not read.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn links_to_check(&self, version: CaptureId) -> Result<Vec<CheckedLink>, StoreError> {
        self.read(|conn| {
            let best: Option<CaptureId> = conn
                .prepare_cached(
                    "SELECT x.id FROM capture c JOIN capture x ON x.page = c.page AND x.digest = c.digest
                     WHERE c.id = ?1 AND c.digest <> '' ORDER BY x.status NOT BETWEEN 200 AND 299, x.date_ms, x.id LIMIT 1",
                )?
                .query_row([version], |row| row.get(0))
                .optional()?;
            let links = outlinks_of(conn, best.unwrap_or(version))?;
            Ok(links.into_iter().map(|link| CheckedLink { kind: link.kind, rel: link.rel, url: link.url }).collect())
        })
    }

    /// Whether a launch captured any resource of pages: images, styles, scripts.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn has_resources(&self, launch: LaunchId) -> Result<bool, StoreError> {
        let found: Option<i64> = self.read(|conn| {
            Ok(conn
                .query_row(
                    "SELECT 1 FROM capture WHERE launch = ?1 AND media IN (?2, ?3, ?4, ?5)
                     AND status BETWEEN 200 AND 399 LIMIT 1",
                    params![
                        launch,
                        crate::captures::Media::Image as i64,
                        crate::captures::Media::Code as i64,
                        crate::captures::Media::Audio as i64,
                        crate::captures::Media::Video as i64
                    ],
                    |row| row.get(0),
                )
                .optional()?)
        })?;
        Ok(found.is_some())
    }
}
