//! Scores and the selection that follows from them.

use super::marks::{of_campaign_sql, selected_sql, unselected_sql};
use super::score_set::{FACTS, KeptScore, facts_sql, page_of, review_of, to_score};
use crate::campaign::ReportLanguage;
use crate::jobs::JobCx;
use crate::store::captures::requisites::{
    chosen_sql, needed_links_sql, needed_sql, requisite_capture_sql, requisite_sql, vetoed_sql,
};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::{int, uint};
use crate::store::catalogue::sql::{mark_name, mark_of};
use crate::store::rows::{
    CampaignId, CaptureId, ScoredRow, SelectedHost, SelectionPage, SelectionSpec, SelectionStamp, with_origin,
};
use crate::uri::CaptureDate;
use crate::warc::reading_threads;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Serialize;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

impl Lacking {
    /// The page, what it lacks, and who rejected that.
    pub fn summary(&self) -> String {
        let reason = if self.reason.is_empty() { String::new() } else { format!(": {}", self.reason) };
        let rejected = if self.is_new_version { "of which an earlier version was rejected" } else { "rejected" };
        format!(
            "{} ({}) lacks {} ({}), {rejected} by {}{reason}",
            self.page,
            self.page_date.to_readable(),
            self.url,
            self.date.to_readable(),
            self.who
        )
    }
}

/// Captures of a campaign, with the scores that were kept of them.
const OF_CAMPAIGN: &str =
    concat!("FROM capture c LEFT JOIN score s ON s.campaign = ?1 AND s.capture = c.id WHERE ", of_campaign_sql!());

/// SQL: captures that a selection holds (`true`), or scored and left out.
fn side_sql(selected: bool) -> &'static str {
    match selected {
        true => selected_sql!(),
        false => unselected_sql!(),
    }
}

/// A selected page that lacks something a person rejected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lacking {
    /// The page.
    pub page: String,
    /// When it was captured.
    pub page_date: CaptureDate,
    /// The URL that it needs.
    pub url: String,
    /// When that was captured.
    pub date: CaptureDate,
    /// The person who rejected it.
    pub who: String,
    /// Why, as noted with the rejection.
    pub reason: String,
    /// An earlier version of it was rejected, and nobody has reviewed this one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_new_version: bool,
}

impl Catalogue {
    /// The settings and date of the campaign's kept selection; none where none is kept.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn kept_selection(&self, campaign: CampaignId) -> Result<Option<(SelectionSpec, CaptureDate)>, StoreError> {
        self.read(|conn| kept_selection(conn, campaign))
    }

    /// Keeps a selection in the place of the campaign's last one.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn keep_selection(&self, spec: &SelectionSpec, scored: Vec<KeptScore>) -> Result<(), StoreError> {
        let (campaign, with_requisites) = (spec.campaign, spec.with_requisites);
        let spec = serde_json::to_string(spec).map_err(|error| StoreError::Content(error.to_string()))?;
        self.write(move |conn| {
            conn.execute("DELETE FROM score_before WHERE campaign = ?1", [campaign])?;
            conn.execute(
                "INSERT INTO score_before SELECT campaign, capture, score, selected, review FROM score
                 WHERE campaign = ?1",
                [campaign],
            )?;
            conn.execute(
                "INSERT OR REPLACE INTO selection_before (campaign, spec, date_ms)
                 SELECT ?1, (SELECT spec FROM selection WHERE campaign = ?1),
                    ifnull((SELECT date_ms FROM selection WHERE campaign = ?1), 0)",
                [campaign],
            )?;
            conn.execute("DELETE FROM score WHERE campaign = ?1", [campaign])?;
            let mut keep = conn.prepare_cached(
                "INSERT INTO score (campaign, capture, score, selected, review) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            for KeptScore { id, score, passes, decision } in scored {
                keep.execute(params![campaign, id, score, passes, decision.map(mark_name).unwrap_or_default()])?;
            }
            conn.execute(
                "INSERT OR REPLACE INTO selection (campaign, spec, date_ms) VALUES (?1, ?2, ?3)",
                params![campaign, spec, CaptureDate::now().millis()],
            )?;
            keep_requisites(conn, campaign, with_requisites)
        })
    }

    /// Scores captures that came since the selection was kept; none of them is selected by that.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn add_scores(&self, campaign: CampaignId, scored: Vec<KeptScore>) -> Result<(), StoreError> {
        self.write(move |conn| {
            let mut add = conn.prepare_cached(
                "INSERT OR IGNORE INTO score (campaign, capture, score, selected, review) VALUES (?1, ?2, ?3, 0, ?4)",
            )?;
            for KeptScore { id, score, decision, .. } in scored {
                add.execute(params![campaign, id, score, decision.map(mark_name).unwrap_or_default()])?;
            }
            Ok(())
        })
    }

    /// Whether there is a selection that the kept one took the place of, or none was there then.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn can_undo_selection(&self, campaign: CampaignId) -> Result<bool, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached("SELECT 1 FROM selection_before WHERE campaign = ?1")?;
            Ok(statement.exists([campaign])?)
        })
    }

    /// Puts the selection back that the kept one took the place of. Says whether there is one to put back;
    /// captures that came since have no score then.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn undo_selection(&self, campaign: CampaignId) -> Result<bool, StoreError> {
        self.write(move |conn| {
            let before: Option<Option<String>> = conn
                .query_row("SELECT spec FROM selection_before WHERE campaign = ?1", [campaign], |row| row.get(0))
                .optional()?;
            let Some(before) = before else { return Ok(false) };
            for step in [
                "DELETE FROM score WHERE campaign = ?1",
                "INSERT INTO score SELECT campaign, capture, score, selected, review FROM score_before
                 WHERE campaign = ?1",
                "DELETE FROM selection WHERE campaign = ?1",
                "INSERT INTO selection SELECT campaign, spec, date_ms FROM selection_before
                 WHERE campaign = ?1 AND spec IS NOT NULL",
                "DELETE FROM score_before WHERE campaign = ?1",
                "DELETE FROM selection_before WHERE campaign = ?1",
            ] {
                conn.execute(step, [campaign])?;
            }
            let spec = before.and_then(|spec| serde_json::from_str::<SelectionSpec>(&spec).ok());
            keep_requisites(conn, campaign, spec.is_some_and(|spec| spec.with_requisites))?;
            Ok(true)
        })
    }

    /// Remembers which parts exports of a campaign's selection hold: a package, RDF, the URLs that
    /// were seen, persons, the language of the report, and whether personal data stops one. The
    /// selection stays as it is.
    pub fn remember_export_parts(&self, spec: &SelectionSpec) -> Result<(), StoreError> {
        let json = |flag: bool| if flag { "true" } else { "false" };
        let [wacz, rdf, seen] = [spec.with_wacz, spec.with_rdf, spec.with_seen].map(json);
        let [persons, refuses] = [spec.with_persons, spec.refuses_personal_data].map(json);
        let language = spec.report_language.map(ReportLanguage::code);
        let campaign = spec.campaign;
        self.execute(
            "UPDATE selection SET spec = json_set(spec, '$.with_wacz', json(?2), '$.with_rdf', json(?3),
                    '$.with_seen', json(?4), '$.with_persons', json(?5), '$.refuses_personal_data', json(?6),
                    '$.report_language', ?7) WHERE campaign = ?1",
            (campaign, wacz, rdf, seen, persons, refuses, language),
        )
    }

    /// Numbers of the selected captures, oldest first.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read, or a stop.
    pub fn selected(&self, campaign: CampaignId, cx: &JobCx) -> Result<Vec<CaptureId>, StoreError> {
        self.read_on_disk(cx, |conn| {
            let mut statement = conn.prepare_cached(&format!(
                "SELECT c.id {OF_CAMPAIGN} AND {} ORDER BY c.date_ms, (SELECT url FROM url WHERE id = c.url), c.id",
                side_sql(true)
            ))?;
            let rows = statement.query_map([campaign], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// The hosts of the captures that are selected, or scored and not
    /// selected; those with the most first.
    pub fn selected_hosts(&self, campaign: CampaignId, selected: bool) -> Result<Vec<SelectedHost>, StoreError> {
        self.rows(
            &format!(
                "SELECT (SELECT name FROM host WHERE id = c.host) AS name, count(*), CAST(total(c.size) AS INTEGER)
                 {OF_CAMPAIGN} AND {} GROUP BY c.host ORDER BY count(*) DESC, name",
                side_sql(selected)
            ),
            [campaign],
            |row| Ok(SelectedHost { host: row.get(0)?, captures: uint(row.get(1)?), bytes: uint(row.get(2)?) }),
        )
    }

    /// A capture's score, when it has one.
    pub fn scored(&self, campaign: CampaignId, capture: CaptureId) -> Result<Option<ScoredRow>, StoreError> {
        match self.kept_selection(campaign)? {
            Some((spec, _)) => self.scored_with(&spec, capture),
            None => Ok(None),
        }
    }

    /// The same where the kept selection of the campaign is known.
    pub fn scored_with(&self, spec: &SelectionSpec, capture: CaptureId) -> Result<Option<ScoredRow>, StoreError> {
        const FIND: &str = concat!(facts_sql!(), " WHERE c.id = ?2 AND s.score IS NOT NULL");
        self.read(|conn| {
            let mut statement = conn.prepare_cached(FIND)?;
            let mut rows = statement.query((spec.campaign, capture))?;
            rows.next()?.map(|row| kept_row(conn, row, spec)).transpose()
        })
    }

    /// Finds the requisites of a campaign's selected captures as of now: images, style sheets and
    /// scripts, as captured nearest in time, what those need in turn, and the goals of redirects. None
    /// of them is selected itself.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read, or a stop.
    pub fn find_requisites(
        &self,
        campaign: CampaignId,
        with_requisites: bool,
        cx: &JobCx,
    ) -> Result<Vec<CaptureId>, StoreError> {
        const FIND: &str = concat!(
            "WITH RECURSIVE target_campaign (campaign) AS (SELECT ?1), ",
            needed_sql!("WHERE id % ?2 = ?3"),
            " SELECT capture FROM along"
        );
        // What came along in a handover, where it has pages without their originals: what these need is not known.
        const FROM_HANDOVER: &str = concat!(
            "WITH target_campaign (campaign) AS (SELECT ?1), ",
            chosen_sql!(),
            " SELECT capture FROM requisite
             WHERE campaign = ?1 AND capture NOT IN (SELECT id FROM chosen) AND capture NOT IN (SELECT capture FROM rejected)
                AND EXISTS (SELECT 1 FROM chosen s JOIN capture c ON c.id = s.id
                    WHERE c.revisit_of_ms IS NOT NULL AND c.original IS NULL)"
        );
        if !with_requisites {
            return Ok(Vec::new());
        }
        // An export waits for it: each core looks through the links of a part of the pages.
        let parts = reading_threads();
        let of_part = |part: usize| {
            self.read_on_disk(cx, |conn| {
                let mut statement = conn.prepare_cached(FIND)?;
                let rows = statement.query_map((campaign, parts as i64, part as i64), |row| row.get(0))?;
                Ok(rows.collect::<Result<Vec<CaptureId>, _>>()?)
            })
        };
        let found: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..parts).map(|part| scope.spawn(move || of_part(part))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
        });
        let found: Vec<Vec<CaptureId>> = found.into_iter().collect::<Result<_, _>>()?;
        let mut found = found.concat();
        found.extend(self.read_on_disk(cx, |conn| {
            let mut statement = conn.prepare_cached(FROM_HANDOVER)?;
            let rows = statement.query_map([campaign], |row| row.get(0))?;
            Ok(rows.collect::<Result<Vec<CaptureId>, _>>()?)
        })?);
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Keeps what was found with the selection: captures may have come since
    /// it was made. Whoever leaves them out for once, or takes them for once,
    /// changes nothing that is kept.
    pub fn keep_requisites(
        &self,
        campaign: CampaignId,
        with_requisites: bool,
        found: Vec<CaptureId>,
    ) -> Result<(), StoreError> {
        self.write(move |conn| {
            let kept: Option<String> = conn
                .query_row("SELECT spec FROM selection WHERE campaign = ?1", [campaign], |row| row.get(0))
                .optional()?;
            let kept: Option<SelectionSpec> = kept.and_then(|spec| serde_json::from_str(&spec).ok());
            if kept.is_some_and(|kept| kept.with_requisites == with_requisites) {
                conn.execute("DELETE FROM requisite WHERE campaign = ?1", [campaign])?;
                let mut insert = conn.prepare_cached("INSERT INTO requisite VALUES (?1, ?2)")?;
                found.iter().try_for_each(|capture| insert.execute((campaign, *capture)).map(drop))?;
            }
            Ok(())
        })
    }

    /// Embedded resources and goals of redirects that selected pages and their requisites lack since a
    /// person rejected them.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn lacking(&self, campaign: CampaignId) -> Result<Vec<Lacking>, StoreError> {
        const ANY: &str = concat!(
            "WITH RECURSIVE target_campaign (campaign) AS (SELECT ?1), ",
            needed_sql!(),
            " SELECT EXISTS (SELECT 1 FROM needed WHERE id IN (SELECT capture FROM rejected))"
        );
        // The links of `needed` once more, which only a rejection among them is worth.
        const FIND: &str = concat!(
            "WITH RECURSIVE target_campaign (campaign) AS (SELECT ?1), ",
            needed_sql!(),
            ", lost (page, capture) AS (
                SELECT DISTINCT n.id, ",
            requisite_capture_sql!(),
            " ",
            needed_links_sql!(),
            ")
             SELECT pu.url, p.date_ms, xu.url, x.date_ms, m.who, m.note, o.origin,
                x.id NOT IN (SELECT capture FROM decided WHERE mark = 'reject')
             FROM lost l JOIN rejected r ON r.capture = l.capture
             JOIN capture p ON p.id = l.page JOIN url pu ON pu.id = p.url
             JOIN capture x ON x.id = l.capture JOIN url xu ON xu.id = x.url
             JOIN mark m ON m.id = r.id
             LEFT JOIN mark_origin o ON o.mark = m.id
             ORDER BY p.date_ms, pu.url, xu.url"
        );
        // Without a rejection there is nothing to look for among the links.
        if self.veto_state(campaign)?.is_none() {
            return Ok(Vec::new());
        }
        self.read(|conn| {
            if !conn.prepare_cached(ANY)?.query_row([campaign], |row| row.get::<_, bool>(0))? {
                return Ok(Vec::new());
            }
            let mut statement = conn.prepare_cached(FIND)?;
            let rows = statement.query_map([campaign], |row| {
                Ok(Lacking {
                    page: row.get(0)?,
                    page_date: CaptureDate::from_millis(row.get(1)?),
                    url: row.get(2)?,
                    date: CaptureDate::from_millis(row.get(3)?),
                    who: with_origin(&row.get::<_, String>(4)?, row.get::<_, Option<String>>(6)?.as_deref()),
                    reason: row.get(5)?,
                    is_new_version: row.get(7)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Captures that selected ones need and that do not come along, since a person rejected them.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn vetoed(&self, campaign: CampaignId) -> Result<u64, StoreError> {
        const COUNT: &str = concat!("SELECT count(*) FROM capture c WHERE ", vetoed_sql!());
        if self.veto_state(campaign)?.is_none() {
            return Ok(0);
        }
        self.read(|conn| Ok(uint(conn.prepare_cached(COUNT)?.query_row([campaign], |row| row.get(0))?)))
    }

    /// A stamp of what [`Self::vetoed`] follows from, so that nobody counts again what stays the same;
    /// none where nobody rejected anything.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn veto_state(&self, campaign: CampaignId) -> Result<Option<[i64; 3]>, StoreError> {
        self.read(|conn| {
            let (rejections, last, undone, selected) = conn.query_row(
                "SELECT total(mark = 'reject' AND undone_ms IS NULL), ifnull(max(id), 0), total(undone_ms IS NOT NULL),
                    ifnull((SELECT date_ms FROM selection WHERE campaign = ?1), 0) FROM mark",
                [campaign],
                |row| Ok((row.get::<_, f64>(0)?, row.get(1)?, row.get::<_, f64>(2)?, row.get(3)?)),
            )?;
            Ok((rejections > 0.0).then_some([last, undone as i64, selected]))
        })
    }

    /// A stamp of what a check of the kept selection follows from: selection, decisions, version of the campaign.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn selection_stamp(&self, campaign: CampaignId) -> Result<SelectionStamp, StoreError> {
        self.read(|conn| selection_stamp(conn, campaign))
    }

    /// The selection of a campaign and what it would carry.
    pub fn selection_page(&self, campaign: CampaignId) -> Result<SelectionPage, StoreError> {
        let exports = self.exports_of(campaign)?;
        let scores = Arc::new(self.score_set(campaign)?);
        let named = self.named_selections(campaign)?;
        let mut missing = Vec::new();
        if self.inlink_build()?.is_none() {
            missing.push("Inlinks are not built yet, so they do not count".to_owned());
        }
        self.read(|conn| {
            let spec = kept_selection(conn, campaign)?.map(|(spec, _)| spec);
            if spec.is_none() {
                missing.push("Nothing is scored yet".to_owned());
            }
            let (requisites, requisite_bytes) = conn
                .prepare_cached(concat!(
                    "SELECT count(*), CAST(total(c.size) AS INTEGER)
                     FROM capture c LEFT JOIN score s ON s.campaign = ?1 AND s.capture = c.id WHERE ",
                    requisite_sql!()
                ))?
                .query_row([campaign], |row| Ok((uint(row.get(0)?), uint(row.get(1)?))))?;
            Ok(SelectionPage {
                spec,
                stamp: selection_stamp(conn, campaign)?,
                missing,
                balance: scores.kept(),
                scores,
                requisites,
                requisite_bytes,
                named,
                exports,
            })
        })
    }

    /// The scored captures of a campaign, best first, with the parts of each score.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn scored_rows(&self, campaign: CampaignId, limit: u64) -> Result<Vec<ScoredRow>, StoreError> {
        self.read(|conn| {
            let Some((spec, _)) = kept_selection(conn, campaign)? else { return Ok(Vec::new()) };
            let mut statement = conn.prepare_cached(&format!(
                "{FACTS} WHERE s.score IS NOT NULL
                 ORDER BY s.score DESC, (SELECT url FROM url WHERE id = c.url), c.id LIMIT ?2"
            ))?;
            let mut rows = statement.query(params![campaign, int(limit)])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push(kept_row(conn, row, &spec)?);
            }
            Ok(found)
        })
    }
}

fn selection_stamp(conn: &Connection, campaign: CampaignId) -> Result<SelectionStamp, StoreError> {
    const STAMP: &str = "SELECT ifnull((SELECT date_ms FROM selection WHERE campaign = ?1), 0),
        (SELECT ifnull(max(id), 0) FROM mark), (SELECT count(*) FROM mark WHERE undone_ms IS NOT NULL),
        (SELECT ifnull(max(version), 0) FROM campaign_version WHERE campaign = ?1)";
    let stamp = |row: &Row<'_>| Ok(SelectionStamp([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]));
    Ok(conn.prepare_cached(STAMP)?.query_row([campaign], stamp)?)
}

pub(in crate::store) fn kept_selection(
    conn: &Connection,
    campaign: CampaignId,
) -> Result<Option<(SelectionSpec, CaptureDate)>, StoreError> {
    let kept: Option<(String, i64)> = conn
        .prepare_cached("SELECT spec, date_ms FROM selection WHERE campaign = ?1")?
        .query_row([campaign], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    kept.map(|(spec, date)| {
        let spec = serde_json::from_str(&spec).map_err(|error| StoreError::Content(error.to_string()))?;
        Ok((spec, CaptureDate::from_millis(date)))
    })
    .transpose()
}

/// Renews the requisites of a campaign's selected captures, as of now.
pub(in crate::store) fn keep_requisites(
    conn: &Connection,
    campaign: CampaignId,
    with_requisites: bool,
) -> Result<(), StoreError> {
    conn.execute("DELETE FROM requisite WHERE campaign = ?1", [campaign])?;
    if with_requisites {
        const KEEP: &str = concat!(
            "INSERT INTO requisite WITH RECURSIVE target_campaign (campaign) AS (SELECT ?1), ",
            needed_sql!(),
            " SELECT campaign, capture FROM along"
        );
        conn.prepare_cached(KEEP)?.execute([campaign])?;
    }
    Ok(())
}

/// A row of [`FACTS`] with the score and the side that were kept.
fn kept_row(conn: &Connection, row: &Row<'_>, spec: &SelectionSpec) -> Result<ScoredRow, StoreError> {
    let mut facts = to_score(row, spec.window_days, true)?;
    // The score that was kept counts the decision of its time; the side is of today.
    facts.input.review = review_of(mark_of(row.get_ref(17)?.as_str().unwrap_or_default()));
    let page = page_of(conn, facts.id)?;
    ScoredRow::of(facts, page, spec, row.get(15)?, row.get(16)?).with_decision_of(conn)
}
