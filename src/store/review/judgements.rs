//! A judgement rates a capture as a result of a query; rows are only ever added.
//!
//! A judgement is on a capture, as it was shown; it is about its content version, which is what a
//! search finds. Of the judgements of one person on a version for a query the last counts, and one
//! made here counts above those from other workspaces, whatever their dates: the fragments of SQL
//! below are the one place with that rule.

use super::marks::of_campaign_sql;
use crate::analysis::Judgement;
use crate::store::captures::originals::version_sql;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::{int, uint};
use crate::store::findings::take_judgement;
use crate::store::rows::{CampaignId, CaptureId, with_origin};
use crate::uri::CaptureDate;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// The catalogue's word for what is taken back.
const CLEAR: &str = "clear";

/// SQL: judgements with the version they are on, and their place among those of a person on it for a query: 1 counts.
/// The joins are ordered: there are few judgements beside captures, in each workspace.
macro_rules! placed_sql {
    () => {
        concat!(
            "SELECT p.*, row_number() OVER by_person AS nth, lag(p.date_ms) OVER by_person AS later_ms FROM
                (SELECT j.*, ",
            version_sql!(),
            " AS version FROM judgement j CROSS JOIN capture c ON c.id = j.capture) p
             WINDOW by_person AS (PARTITION BY p.query, p.version, p.who
                ORDER BY p.origin IS NULL DESC, p.date_ms DESC, p.id DESC)"
        )
    };
}

/// SQL: judgements `j` with their captures, up to the condition.
macro_rules! judgement_rows_sql {
    () => {
        concat!(
            "SELECT u.url, c.date_ms, ",
            $crate::store::captures::originals::named_digest_sql!(),
            ",
                ifnull((SELECT r.record_id FROM record r WHERE r.capture = c.id AND r.position = 0), ''),
                c.id, j.version, j.query, j.judgement, j.who, j.date_ms, j.rank, j.annotation,
                CASE WHEN j.nth > 1 THEN max(j.date_ms, j.later_ms) END, j.origin, j.line
             FROM (",
            placed_sql!(),
            ") j CROSS JOIN capture c ON c.id = j.capture CROSS JOIN url u ON u.id = c.url WHERE "
        )
    };
}

/// A judgement of a person on a search result, with the name of the capture in any workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgementRow {
    /// The capture.
    pub capture: CaptureId,
    /// Its content version.
    pub version: CaptureId,
    /// URL of the capture.
    pub url: String,
    /// When it was captured.
    pub captured: CaptureDate,
    /// Payload digest of the capture; empty where its record has none.
    pub digest: String,
    /// Id of its response record, without angle brackets; empty in ARC files.
    pub record_id: String,
    /// The query.
    pub query: String,
    /// The judgement; none where an earlier one is taken back.
    pub judgement: Option<Judgement>,
    /// The person who made it.
    pub who: String,
    /// When.
    pub date: CaptureDate,
    /// The place of the result by relevance, where it was shown there.
    pub rank: Option<u64>,
    /// When the same person judged the same result anew.
    pub replaced: Option<CaptureDate>,
    /// Its id as an annotation, where it was given in another workspace.
    pub annotation: Option<String>,
    /// Its origin there.
    pub origin: Option<String>,
    /// The annotation as it came, where the judgement does not hold all of it.
    pub line: Option<String>,
}

/// A judgement that was given in another workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignJudgement {
    /// The capture here.
    pub capture: CaptureId,
    /// The query.
    pub query: String,
    /// The judgement; none where an earlier one is taken back.
    pub judgement: Option<Judgement>,
    /// The person who made it.
    pub who: String,
    /// When.
    pub date: CaptureDate,
    /// The place of the result by relevance.
    pub rank: Option<u64>,
    /// Its id as an annotation.
    pub annotation: String,
    /// The annotation as it came, where the judgement does not hold all of it.
    pub line: Option<String>,
}

/// A judgement to keep: the capture, its rank by relevance, and the judgement itself; none takes
/// back the one the person made before.
pub type GivenJudgement = (CaptureId, Option<u64>, Option<Judgement>);

/// The condition that capture `c` was judged so, by the majority of its judges,
/// for the query `?`, or for any one.
pub(in crate::store) fn judged_sql(judgement: Judgement, for_any: bool) -> String {
    let of_query = if for_any { "" } else { "AND query = ?" };
    let sign = match judgement {
        Judgement::Right => ">",
        Judgement::Wrong => "<",
        Judgement::Unsure => "=",
    };
    // One capture a result, so that as many are found as results were counted.
    format!(
        "c.id IN (SELECT max(capture) FROM ({}) WHERE nth = 1 AND judgement <> '{CLEAR}' {of_query}
            GROUP BY query, version HAVING sum(judgement = 'right') {sign} sum(judgement = 'wrong'))",
        placed_sql!()
    )
}

/// The judgements of a capture as a result, one line of text each, oldest first.
pub(in crate::store) fn judgement_lines(conn: &Connection, capture: CaptureId) -> Result<Vec<String>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT date_ms, who, judgement, query, origin FROM judgement WHERE capture = ?1 ORDER BY date_ms, id",
    )?;
    let rows = statement.query_map([capture], |row| {
        let date = CaptureDate::from_millis(row.get(0)?).to_readable();
        let (who, query): (String, String) = (row.get(1)?, row.get(3)?);
        let judgement = Judgement::of_name(row.get_ref(2)?.as_str()?).map_or("Judgement cleared", Judgement::label);
        let who = with_origin(&who, row.get::<_, Option<String>>(4)?.as_deref());
        Ok(format!("{judgement} for “{query}”, by {who} on {date}"))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn judgement_row(row: &Row<'_>) -> Result<JudgementRow, StoreError> {
    let name: String = row.get(7)?;
    let judgement = match name.as_str() {
        CLEAR => None,
        name => Some(Judgement::of_name(name).ok_or_else(|| StoreError::Content(format!("judgement “{name}”")))?),
    };
    Ok(JudgementRow {
        url: row.get(0)?,
        captured: CaptureDate::from_millis(row.get(1)?),
        digest: row.get(2)?,
        record_id: row.get(3)?,
        capture: row.get(4)?,
        version: row.get(5)?,
        query: row.get(6)?,
        judgement,
        who: row.get(8)?,
        date: CaptureDate::from_millis(row.get(9)?),
        rank: row.get::<_, Option<i64>>(10)?.map(uint),
        annotation: row.get(11)?,
        replaced: row.get::<_, Option<i64>>(12)?.map(CaptureDate::from_millis),
        origin: row.get(13)?,
        line: row.get(14)?,
    })
}

/// Keeps judgements of another workspace; those that are here already are
/// passed over. Says how many are new.
pub(in crate::store) fn add_foreign(
    conn: &Connection,
    judgements: &[ForeignJudgement],
    origin: &str,
) -> Result<u64, StoreError> {
    let mut added = 0;
    for of in judgements {
        added += conn
            .prepare_cached("INSERT OR IGNORE INTO judgement VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")?
            .execute(params![
                of.query,
                of.capture,
                of.judgement.map_or(CLEAR, Judgement::name),
                of.who,
                of.date.millis(),
                of.rank.map(int),
                of.annotation,
                origin,
                of.line
            ])? as u64;
        conn.prepare_cached("DELETE FROM annotation_apart WHERE annotation = ?1")?.execute([&of.annotation])?;
        take_judgement(conn, of, origin)?;
    }
    Ok(added)
}

impl Catalogue {
    /// Appends judgements of a person on captures as results of a query. Returns those that counted
    /// before.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written. Nothing is kept then.
    pub fn judge(
        &self,
        query: &str,
        given: Vec<GivenJudgement>,
        who: &str,
    ) -> Result<Vec<Option<Judgement>>, StoreError> {
        let (query, who) = (query.to_owned(), who.trim().to_owned());
        self.write(move |conn| {
            // Later than all before, whatever the clock: the last counts.
            let now: i64 = conn.query_row(
                "SELECT max(?1, ifnull((SELECT max(date_ms) + 1 FROM judgement WHERE origin IS NULL), 0))",
                [CaptureDate::now().millis()],
                |row| row.get(0),
            )?;
            let mut before = Vec::with_capacity(given.len());
            for (capture, ..) in &given {
                let name: Option<String> = conn
                    .prepare_cached(concat!(
                        "SELECT j.judgement FROM (",
                        placed_sql!(),
                        ") j WHERE j.nth = 1 AND j.query = ?1 AND j.who = ?2 AND j.version = (SELECT ",
                        version_sql!(),
                        " FROM capture c WHERE c.id = ?3)"
                    ))?
                    .query_row(params![query, who, capture], |row| row.get(0))
                    .optional()?;
                before.push(name.and_then(|name| Judgement::of_name(&name)));
            }
            for (capture, rank, judgement) in given {
                let name = judgement.map_or(CLEAR, Judgement::name);
                conn.prepare_cached(
                    "INSERT INTO judgement (query, capture, judgement, who, date_ms, rank) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                )?
                .execute(params![query, capture, name, who, now, rank.map(int)])?;
            }
            Ok(before)
        })
    }

    /// The judgements that count, of a query or of all: of each person the last
    /// on each content version, those that were taken back left out. By query
    /// and version, those of a version as they were given.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn judgements(&self, query: Option<&str>) -> Result<Vec<JudgementRow>, StoreError> {
        const FIND: &str = concat!(
            judgement_rows_sql!(),
            "j.nth = 1 AND j.judgement <> 'clear' AND (?1 IS NULL OR j.query = ?1)
             ORDER BY j.query, j.version, j.date_ms, j.id"
        );
        self.read(|conn| {
            let mut statement = conn.prepare_cached(FIND)?;
            let mut rows = statement.query([query])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push(judgement_row(row)?);
            }
            Ok(found)
        })
    }

    /// Every judgement on captures of a campaign and on imported ones, or on all,
    /// as they were given, also those that count no more.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read, and what `each` fails with.
    pub fn each_judgement<E: From<StoreError>>(
        &self,
        campaign: Option<CampaignId>,
        mut each: impl FnMut(JudgementRow) -> Result<(), E>,
    ) -> Result<(), E> {
        const FIND: &str = concat!(judgement_rows_sql!(), "?1 IS NULL OR ", of_campaign_sql!(), " ORDER BY j.id");
        self.read(|conn| {
            let mut statement = conn.prepare_cached(FIND)?;
            let mut rows = statement.query([campaign])?;
            while let Some(row) = rows.next()? {
                if let Err(error) = each(judgement_row(row)?) {
                    return Ok(Err(error));
                }
            }
            Ok(Ok(()))
        })
        .map_err(E::from)?
    }
}
