//! Samples of review as they are handed over, and read back.
//!
//! A sample tells a share of faulty pages only as a whole. So pages of it that are not handed over come along by name, with
//! what was judged of them there (`sampled_elsewhere`), and count in its figures here.

use super::samples::judged_pages;
use crate::store::captures::originals::named_digest_sql;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::{int, uint};
use crate::store::rows::{CampaignId, CaptureId, SampleId};
use crate::uri::CaptureDate;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A sample with its pages, by names that hold in any workspace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SampleDocument {
    /// Its name.
    pub name: String,
    /// The filter that it was drawn from; empty for all.
    pub filter: String,
    /// The seed of its order.
    pub seed: u64,
    /// The margin that it was drawn for, from 0 to 1.
    pub margin: f64,
    /// Whether it was drawn by hosts.
    pub by_host: bool,
    /// Who drew it.
    pub who: String,
    /// When.
    pub date: CaptureDate,
    /// How many pages it was drawn from, by host; of all together under an empty name.
    pub drawn_from: BTreeMap<String, u64>,
    /// Its pages, in the order in which they are judged.
    pub pages: Vec<SampledPage>,
}

/// A page of a sample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampledPage {
    /// Its capture here; none where it is not here.
    #[serde(skip)]
    pub capture: Option<CaptureId>,
    /// URL of the capture.
    pub url: String,
    /// When it was captured.
    pub date: CaptureDate,
    /// Its payload digest; empty where its record has none.
    pub digest: String,
    /// Id of its response record; empty in ARC files.
    pub record: String,
    /// The host that it was drawn for; empty where it was drawn of all together.
    pub host: String,
    /// A second person judges it, too.
    pub twice: bool,
    /// A person passed over it.
    pub skipped: bool,
    /// Whether it is faulty in any way, in content, technically; none where that was not judged.
    pub faulty: [Option<bool>; 3],
}

/// What is known of a page of a sample beside what was judged of it.
const NAMES: &str = concat!(
    "SELECT e.place, c.id, u.url, c.date_ms, ",
    named_digest_sql!(),
    ", ifnull((SELECT r.record_id FROM record r WHERE r.capture = c.id AND r.position = 0), ''), e.host, e.twice, e.skipped
     FROM sampled_capture e JOIN capture c ON c.id = e.capture JOIN url u ON u.id = c.url WHERE e.sample = ?1
     UNION ALL SELECT place, NULL, url, date_ms, digest, record, host, twice, skipped FROM sampled_elsewhere WHERE sample = ?1
     ORDER BY 1"
);

fn host_name(conn: &Connection, host: i64) -> Result<String, StoreError> {
    let name =
        conn.prepare_cached("SELECT name FROM host WHERE id = ?1")?.query_row([host], |row| row.get(0)).optional()?;
    Ok(name.unwrap_or_default())
}

/// The number of a host by its name, also of one without captures; 0 for no name.
fn host_number(conn: &Connection, name: &str) -> Result<i64, StoreError> {
    if name.is_empty() {
        return Ok(0);
    }
    conn.prepare_cached("INSERT INTO host (name) VALUES (?1) ON CONFLICT DO NOTHING")?.execute([name])?;
    Ok(conn.prepare_cached("SELECT id FROM host WHERE name = ?1")?.query_row([name], |row| row.get(0))?)
}

fn pages_of(conn: &Connection, sample: SampleId) -> Result<Vec<SampledPage>, StoreError> {
    let judged = judged_pages(conn, sample)?;
    let mut statement = conn.prepare_cached(NAMES)?;
    let mut rows = statement.query([sample])?;
    let mut pages = Vec::new();
    while let Some(row) = rows.next()? {
        let faulty = judged.get(pages.len()).map(|page| page.faults).unwrap_or_default();
        pages.push(SampledPage {
            capture: row.get(1)?,
            url: row.get(2)?,
            date: CaptureDate::from_millis(row.get(3)?),
            digest: row.get(4)?,
            record: row.get(5)?,
            host: host_name(conn, row.get(6)?)?,
            twice: row.get(7)?,
            skipped: row.get(8)?,
            faulty,
        });
    }
    Ok(pages)
}

impl Catalogue {
    /// The samples of a campaign, oldest first, to be handed over.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn sample_documents(&self, campaign: CampaignId) -> Result<Vec<SampleDocument>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT id, name, filter, seed, margin, is_stratified, who, date_ms FROM review_sample
                 WHERE campaign = ?1 ORDER BY date_ms, id",
            )?;
            let mut rows = statement.query([campaign])?;
            let mut documents = Vec::new();
            while let Some(row) = rows.next()? {
                let sample: SampleId = row.get(0)?;
                let mut strata = conn.prepare_cached("SELECT host, pages FROM sample_stratum WHERE sample = ?1")?;
                let strata = strata.query_map([sample], |row| Ok((row.get::<_, i64>(0)?, uint(row.get(1)?))))?;
                let mut drawn_from = BTreeMap::new();
                for stratum in strata {
                    let (host, pages) = stratum?;
                    drawn_from.insert(host_name(conn, host)?, pages);
                }
                documents.push(SampleDocument {
                    name: row.get(1)?,
                    filter: row.get(2)?,
                    seed: row.get::<_, i64>(3)?.cast_unsigned(),
                    margin: row.get(4)?,
                    by_host: row.get(5)?,
                    who: row.get(6)?,
                    date: CaptureDate::from_millis(row.get(7)?),
                    drawn_from,
                    pages: pages_of(conn, sample)?,
                });
            }
            Ok(documents)
        })
    }

    /// Takes a sample of another workspace in, for a campaign; `origin` is a part of its name where another one has that.
    /// False where it is here already.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn take_sample(
        &self,
        campaign: CampaignId,
        document: SampleDocument,
        origin: &str,
    ) -> Result<bool, StoreError> {
        let origin = origin.to_owned();
        self.write(move |conn| {
            let SampleDocument { name, filter, seed, margin, by_host, who, date, drawn_from, pages } = &document;
            let is_here: bool = conn
                .prepare_cached(
                    "SELECT EXISTS (SELECT 1 FROM review_sample WHERE seed = ?1 AND date_ms = ?2 AND who = ?3)",
                )?
                .query_row(params![seed.cast_signed(), date.millis(), who], |row| row.get(0))?;
            if is_here {
                return Ok(false);
            }
            let is_taken = |name: &str| -> Result<bool, StoreError> {
                let sql = "SELECT EXISTS (SELECT 1 FROM review_sample WHERE name = ?1)";
                Ok(conn.prepare_cached(sql)?.query_row([name], |row| row.get(0))?)
            };
            let mut free = name.clone();
            for nth in 1.. {
                if !is_taken(&free)? {
                    break;
                }
                let number = if nth == 1 { String::new() } else { format!(" {nth}") };
                free = format!("{name} ({origin}{number})");
            }
            conn.prepare_cached(
                "INSERT INTO review_sample (name, campaign, filter, seed, margin, is_stratified, who, date_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                free,
                campaign,
                filter,
                seed.cast_signed(),
                margin,
                by_host,
                who,
                date.millis()
            ])?;
            let sample = SampleId::new(conn.last_insert_rowid());
            for (host, pages) in drawn_from {
                conn.prepare_cached("INSERT INTO sample_stratum VALUES (?1, ?2, ?3)")?.execute(params![
                    sample,
                    host_number(conn, host)?,
                    int(*pages)
                ])?;
            }
            for (place, page) in (0_u64..).zip(pages) {
                let host = host_number(conn, &page.host)?;
                if let Some(capture) = page.capture {
                    conn.prepare_cached("INSERT INTO sampled_capture VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
                        .execute(params![sample, int(place), capture, host, page.twice, page.skipped])?;
                    continue;
                }
                let [faulty, content, technical] = page.faulty;
                conn.prepare_cached(
                    "INSERT INTO sampled_elsewhere VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
                )?
                .execute(params![
                    sample,
                    int(place),
                    page.url,
                    page.date.millis(),
                    page.digest,
                    page.record,
                    host,
                    page.twice,
                    page.skipped,
                    faulty,
                    content,
                    technical
                ])?;
            }
            Ok(true)
        })
    }
}
