//! The queue of Review: which captures come up, in what order, and causes that many of them share.
//!
//! Without more, it holds what is to review ([`to_review_sql`]): parts of pages and robots.txt do not come up.
//! What checks found is in `page_loss` and `finding`; what they have not seen yet comes last.
//!
//! A queue by severity is no sample of anything: shares of samples are those of `samples.rs`.

use crate::analysis::checks::FindingState;
use crate::search::CaptureFacts;
use crate::store::captures::detail::one_row;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::uint;
use crate::store::review::marks::{decisions_on_sql, of_campaign_sql, to_review_sql, undecided_sql};
use crate::store::rows::{CampaignId, CaptureId, CaptureQuery, CaptureRow, CaptureTab, SampleId};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};
use serde::Serialize;

/// Losses and severities are stored as whole numbers up to this.
const WHOLE: f64 = 10_000.0;

/// Captures with the same finding that are counted at most.
const MOST_SAME: i64 = 1_000;

/// Causes that are listed at most.
const MOST_CAUSES: i64 = 100;

/// Open captures of a cause that are counted at most.
const MOST_OF_CAUSE: i64 = 1_000;

/// SQL: the last capture of each content version that two persons decided differently, unless the last decision was
/// given to end that. Of each person the last decision counts.
const DISAGREEMENTS: &str =
    "SELECT g.capture FROM (SELECT m.page, m.digest, iif(m.digest = '', m.capture, 0) AS alone, m.who, m.mark, m.id,
            m.act, max(m.capture) OVER w AS capture, row_number() OVER (PARTITION BY m.page, m.digest,
                iif(m.digest = '', m.capture, 0), m.who ORDER BY m.id DESC) AS nth,
            last_value(m.act) OVER w AS last_act
        FROM mark m WHERE m.undone_ms IS NULL AND m.mark <> 'note'
        WINDOW w AS (PARTITION BY m.page, m.digest, iif(m.digest = '', m.capture, 0) ORDER BY m.id
            ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)) g
     WHERE g.nth = 1 AND g.mark <> 'clear'
        AND NOT EXISTS (SELECT 1 FROM review_act a WHERE a.act = g.last_act AND a.settles)
     GROUP BY g.page, g.digest, g.alone HAVING count(DISTINCT g.mark) > 1";

/// The order of the queue, with what is in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum ReviewOrder {
    /// The loss of the page by its findings, then links from other hosts.
    #[default]
    Severity,
    /// What the newest launch of the campaign captured for the first time or with new content, by severity.
    New,
    /// Pages that many other hosts link to, and that nobody decided about.
    Cited,
    /// Captures that two persons decided differently.
    Disagreements,
    /// What is left of a sample, in its order.
    Sample(SampleId),
    /// Pages of a sample that somebody else judged, and that a second person judges without seeing that.
    SecondReading(SampleId),
}

impl ReviewOrder {
    /// Whether what no check has seen comes last.
    fn is_by_severity(self) -> bool {
        matches!(self, Self::Severity | Self::New)
    }
}

/// A question to the queue.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ReviewQueueQuery {
    /// Only this campaign.
    pub campaign: Option<CampaignId>,
    /// The order.
    pub order: ReviewOrder,
    /// A filter of captures; empty for all.
    pub filter: String,
    /// Whether decided captures, parts of pages and robots.txt come up, too.
    pub includes_all: bool,
    /// The person who reviews.
    pub person: String,
    /// Rows to skip.
    pub offset: u64,
    /// Rows at most.
    pub limit: u64,
}

/// A capture of the queue.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueuedCapture {
    /// The capture; a second reader gets it without its decision.
    #[serde(flatten)]
    pub row: CaptureRow,
    /// What its findings take of the page, 0 to 1; none where no check has seen it.
    pub loss: Option<f64>,
    /// The name of the check with the worst finding.
    pub check: Option<String>,
    /// The state of that finding.
    pub state: Option<FindingState>,
    /// Captures with that finding of the same host and form of address, at most a thousand.
    pub same_cause: u64,
}

/// A part of the queue.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReviewQueuePage {
    /// The rows.
    pub rows: Vec<QueuedCapture>,
    /// Why the filter could not be understood, in words.
    pub filter_problem: Option<String>,
}

/// Captures to review of one host with one finding and one form of address.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CauseGroup {
    /// The name of the check.
    pub check: String,
    /// The host.
    pub host: String,
    /// The form of address.
    pub template: String,
    /// Captures to review that have it; of more than a thousand, a thousand.
    pub captures: u64,
    /// The highest severity among them, 0 to 1.
    pub severity: f64,
    /// The filter that finds them.
    pub filter: String,
    /// The address of one of them.
    pub url: String,
    /// The title of that one; may be empty. Hostile text.
    pub title: String,
}

/// The filter of captures with one cause.
pub fn cause_filter(check: &str, host: &str, template: &str) -> String {
    let value = format!("{check}/{host}{template}").replace('\\', "\\\\").replace('"', "\\\"");
    format!("cause:\"{value}\"")
}

impl ReviewQueueQuery {
    fn of_captures(&self) -> CaptureQuery {
        CaptureQuery {
            filter: self.filter.trim().to_owned(),
            tab: CaptureTab::All,
            campaign: self.campaign,
            sort: Vec::new(),
            offset: self.offset,
            limit: self.limit,
        }
    }

    /// `FROM` and the order: rows are `c`, outer-joined as filters need it.
    fn source_and_order(&self) -> (String, &'static str) {
        const JOINED: &str = "LEFT JOIN url u ON u.id = c.url LEFT JOIN host h ON h.id = c.host
            LEFT JOIN url v ON v.id = c.via LEFT JOIN launch l ON l.id = c.launch
            LEFT JOIN file_rule f ON f.capture = c.id LEFT JOIN capture_inlinks i ON i.capture = c.id
            LEFT JOIN score s ON s.capture = c.id AND s.campaign = ?1";
        let (first, order) = match self.order {
            // In the order of the index, so that the first rows are found without all others.
            ReviewOrder::Severity | ReviewOrder::New => (
                "page_loss p INDEXED BY page_loss_order CROSS JOIN capture c ON c.id = p.capture",
                "p.loss DESC, p.external DESC, p.capture",
            ),
            ReviewOrder::Cited => (
                "capture_inlinks g INDEXED BY capture_inlinks_external CROSS JOIN capture c ON c.id = g.capture",
                "g.external DESC, g.capture",
            ),
            ReviewOrder::Disagreements => ("capture c", "c.id"),
            ReviewOrder::Sample(_) | ReviewOrder::SecondReading(_) => {
                ("sampled_capture e CROSS JOIN capture c ON c.id = e.capture", "e.place")
            }
        };
        // Nothing but a filter asks for them.
        let joined = if self.filter.trim().is_empty() { "" } else { JOINED };
        (format!("FROM {first} {joined}"), order)
    }

    /// The condition of the order, with its values.
    fn condition(&self) -> (String, Vec<Value>) {
        let open = if self.includes_all { "1" } else { to_review_sql!() };
        match self.order {
            ReviewOrder::Severity => (open.to_owned(), Vec::new()),
            ReviewOrder::New => (
                format!(
                    "{open} AND c.change <> 2 AND c.launch = (SELECT max(n.id) FROM launch n WHERE n.kind = 'crawl'
                        AND (?1 = 0 OR n.campaign = ?1) AND EXISTS (SELECT 1 FROM capture y WHERE y.launch = n.id))"
                ),
                Vec::new(),
            ),
            ReviewOrder::Cited => (format!("{open} AND g.external > 0"), Vec::new()),
            ReviewOrder::Disagreements => (format!("c.id IN ({DISAGREEMENTS})"), Vec::new()),
            ReviewOrder::Sample(sample) => {
                // Drawn from what was to review: a capture that came before it later changes nothing.
                let open = if self.includes_all { "1" } else { concat!("NOT e.skipped AND ", undecided_sql!()) };
                (format!("{open} AND e.sample = ?"), vec![Value::Integer(sample.get())])
            }
            ReviewOrder::SecondReading(sample) => {
                let by = |test: &str| {
                    format!(
                        "EXISTS (SELECT 1 FROM mark m WHERE {} AND m.mark <> 'clear' AND m.who {test} ?)",
                        decisions_on_sql!()
                    )
                };
                let person = Value::Text(self.person.clone());
                (
                    format!("e.sample = ? AND e.twice AND {} AND NOT {}", by("<>"), by("=")),
                    vec![Value::Integer(sample.get()), person.clone(), person],
                )
            }
        }
    }
}

/// The SQL of a question with its values; the first one is the campaign.
struct QueueSql {
    from: String,
    order: &'static str,
    condition: String,
    values: Vec<Value>,
}

impl Catalogue {
    fn queue_sql(&self, query: &ReviewQueueQuery) -> Result<QueueSql, StoreError> {
        let (filter, named) = self.capture_filter(&query.of_captures())?;
        // As the table of captures has it: of the only campaign there is.
        let campaign = match query.campaign.or(named) {
            None => self.only_campaign()?.unwrap_or_default(),
            Some(campaign) => campaign,
        };
        let (filter, of_filter) = filter.condition();
        let (from, order) = query.source_and_order();
        let (of_order, order_values) = query.condition();
        // Its number comes before those of the values without one.
        let mut condition = format!("?1 IS NOT NULL AND ({filter}) AND {of_order}");
        if query.campaign.is_some() {
            condition.push_str(concat!(" AND ", of_campaign_sql!()));
        }
        let mut values = vec![Value::Integer(campaign.get())];
        values.extend(of_filter);
        values.extend(order_values);
        Ok(QueueSql { from, order, condition, values })
    }

    /// A part of the queue.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn review_queue(&self, query: &ReviewQueueQuery) -> Result<ReviewQueuePage, StoreError> {
        let sql = match self.queue_sql(query) {
            Ok(sql) => sql,
            Err(StoreError::Filter(why)) => return Ok(ReviewQueuePage { rows: Vec::new(), filter_problem: Some(why) }),
            Err(error) => return Err(error),
        };
        let is_blind = matches!(query.order, ReviewOrder::SecondReading(_));
        self.read(|conn| {
            let mut ids = ids(conn, &sql, query.offset, query.limit)?;
            let missing = query.limit.saturating_sub(ids.len() as u64);
            if query.order.is_by_severity() && missing > 0 {
                let checked = count(conn, &sql)?;
                ids.extend(unchecked(conn, &sql, query.offset.saturating_sub(checked), missing)?);
            }
            let mut rows = Vec::with_capacity(ids.len());
            for id in ids {
                let mut row = queue_row(conn, id)?;
                if is_blind {
                    (row.row.mark, row.row.decision_origin, row.row.decision_inherited) = (None, None, false);
                }
                rows.push(row);
            }
            Ok(ReviewQueuePage { rows, filter_problem: None })
        })
    }

    /// The number of captures in the queue; none where its filter cannot be understood.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn review_queue_count(&self, query: &ReviewQueueQuery) -> Result<Option<u64>, StoreError> {
        if query.order == ReviewOrder::Severity
            && !query.includes_all
            && let Some(full_text) = self.full_text()
        {
            return self.count_to_review(query, &*full_text.facts().map_err(StoreError::Content)?);
        }
        let sql = match self.queue_sql(query) {
            Ok(sql) => sql,
            Err(StoreError::Filter(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        self.read(|conn| match query.order {
            of if of.is_by_severity() => Ok(Some(count(conn, &sql.of_all_captures())?)),
            _ => Ok(Some(count(conn, &sql)?)),
        })
    }

    /// The captures to review that a filter lets through, by their columns.
    fn count_to_review(&self, query: &ReviewQueueQuery, facts: &CaptureFacts) -> Result<Option<u64>, StoreError> {
        let mut found = match self.matching_captures(&query.of_captures()) {
            Err(StoreError::Filter(_)) => return Ok(None),
            found => found?,
        };
        let campaign = query.campaign.map_or_else(|| self.only_campaign(), |named| Ok(Some(named)))?;
        found.intersect_with(&self.captures_to_review(facts, campaign)?);
        Ok(Some(found.count_ones(..) as u64))
    }

    /// Causes of findings on captures to review, those that take most of the pages first: of the most frequent ones.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn cause_groups(&self, campaign: Option<CampaignId>) -> Result<Vec<CauseGroup>, StoreError> {
        // From the index alone: which captures of a cause are open is looked up only for the causes that are listed.
        let causes = format!(
            "SELECT g.check_id, g.template, h.name, t.template FROM
                (SELECT check_id, template, sum(captures) AS captures FROM
                    (SELECT check_id, state, template, count(*) AS captures FROM finding
                     WHERE state IN (0, 1) AND false_alarm = 0 GROUP BY check_id, state, template)
                 GROUP BY check_id, template ORDER BY captures DESC, check_id, template LIMIT {MOST_CAUSES}) g
             JOIN finding_template t ON t.id = g.template JOIN host h ON h.id = t.host"
        );
        let of_campaign = if campaign.is_some() { of_campaign_sql!() } else { "1" };
        let open = format!(
            "SELECT count(*), max(severity), min(id) FROM (SELECT k.severity, c.id
                FROM finding k CROSS JOIN capture c ON c.id = k.capture
                WHERE k.check_id = ?2 AND k.template = ?3 AND k.state IN (0, 1) AND k.false_alarm = 0 AND {} AND {of_campaign}
                LIMIT {MOST_OF_CAUSE})",
            to_review_sql!()
        );
        self.read(|conn| {
            let mut groups = Vec::new();
            let mut causes = conn.prepare_cached(&causes)?;
            let mut rows = causes.query([])?;
            let mut open = conn.prepare_cached(&open)?;
            while let Some(row) = rows.next()? {
                let (check, template_id): (String, i64) = (row.get(0)?, row.get(1)?);
                let (host, template): (String, String) = (row.get(2)?, row.get(3)?);
                let of_cause = params![campaign.unwrap_or_default(), check, template_id];
                let (captures, severity, one) = open.query_row(of_cause, |row| {
                    Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?, row.get::<_, Option<CaptureId>>(2)?))
                })?;
                let (Some(severity), Some(one)) = (severity, one) else { continue };
                let one = one_row(conn, one)?;
                groups.push(CauseGroup {
                    filter: cause_filter(&check, &host, &template),
                    check,
                    host,
                    template,
                    captures: uint(captures),
                    severity: severity as f64 / WHOLE,
                    url: one.url,
                    title: one.title,
                });
            }
            groups.sort_by(|a, b| {
                let taken = |of: &CauseGroup| of.captures as f64 * of.severity;
                taken(b).total_cmp(&taken(a)).then_with(|| a.filter.cmp(&b.filter))
            });
            Ok(groups)
        })
    }
}

impl QueueSql {
    /// The same of all captures, checked or not.
    fn of_all_captures(&self) -> Self {
        let checked = "page_loss p INDEXED BY page_loss_order CROSS JOIN capture c ON c.id = p.capture";
        Self {
            from: self.from.replace(checked, "capture c"),
            order: "c.id",
            condition: self.condition.clone(),
            values: self.values.clone(),
        }
    }
}

fn count(conn: &Connection, sql: &QueueSql) -> Result<u64, StoreError> {
    let QueueSql { from, condition, values, .. } = sql;
    let mut statement = conn.prepare_cached(&format!("SELECT count(*) {from} WHERE {condition}"))?;
    Ok(uint(statement.query_row(params_from_iter(values), |row| row.get(0))?))
}

fn ids(conn: &Connection, sql: &QueueSql, offset: u64, limit: u64) -> Result<Vec<CaptureId>, StoreError> {
    let QueueSql { from, order, condition, values } = sql;
    let part = format!("LIMIT {} OFFSET {}", limit.min(i64::MAX as u64), offset.min(i64::MAX as u64));
    let mut statement =
        conn.prepare_cached(&format!("SELECT c.id {from} WHERE {condition} ORDER BY {order} {part}"))?;
    let rows = statement.query_map(params_from_iter(values), |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Captures that no check has seen, in the order in which they came.
fn unchecked(conn: &Connection, sql: &QueueSql, offset: u64, limit: u64) -> Result<Vec<CaptureId>, StoreError> {
    let all = sql.of_all_captures();
    let condition = format!("{} AND NOT EXISTS (SELECT 1 FROM page_loss p WHERE p.capture = c.id)", all.condition);
    ids(conn, &QueueSql { condition, ..all }, offset, limit)
}

fn queue_row(conn: &Connection, id: CaptureId) -> Result<QueuedCapture, StoreError> {
    let loss: Option<i64> = conn
        .prepare_cached("SELECT loss FROM page_loss WHERE capture = ?1")?
        .query_row([id], |row| row.get(0))
        .optional()?;
    let worst: Option<(String, i64, i64)> = conn
        .prepare_cached(
            "SELECT check_id, state, template FROM finding WHERE capture = ?1 AND state < 2 AND NOT false_alarm
             ORDER BY state, severity DESC, check_id LIMIT 1",
        )?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let same_cause = match &worst {
        None => 0,
        Some((check, state, template)) => uint(
            conn.prepare_cached(
                "SELECT count(*) FROM (SELECT 1 FROM finding WHERE check_id = ?1 AND state = ?2 AND template = ?3
                    AND false_alarm = 0 LIMIT ?4)",
            )?
            .query_row(params![check, state, template, MOST_SAME], |row| row.get(0))?,
        ),
    };
    Ok(QueuedCapture {
        row: one_row(conn, id)?,
        loss: loss.map(|loss| loss as f64 / WHOLE),
        state: worst.as_ref().map(|(_, state, _)| FindingState::of_number(*state)),
        check: worst.map(|(check, ..)| check),
        same_cause,
    })
}
