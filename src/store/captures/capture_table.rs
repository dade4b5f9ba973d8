//! The captures table: filter, sort, page.

use crate::captures::Media;
use crate::search::FacetKind;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::lossy::LossyText;
use crate::store::catalogue::sql::mark_of;
use crate::store::catalogue::sql::{int, uint};
use crate::store::filter::{Filter, FullText};
use crate::store::launches::hop_paths::hop_count_sql;
use crate::store::review::marks::{
    decision_origin_sql, decision_sql, inherited_sql, of_campaign_sql, selected_sql, to_review_sql,
};
use crate::store::rows::{
    CampaignId, CaptureColumn, CaptureId, CapturePage, CaptureQuery, CaptureRow, CaptureTab, TabCounts,
};
use crate::uri::CaptureDate;
use fixedbitset::FixedBitSet;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params_from_iter};

/// A person's decision on a capture.
pub(in crate::store) const LAST_MARK: &str = decision_sql!();

/// All of these give one row a capture, and are written as outer joins so that SQLite leaves out
/// those that a query does not use.
const FROM: &str = "FROM capture c
    LEFT JOIN url u ON u.id = c.url
    LEFT JOIN host h ON h.id = c.host
    LEFT JOIN url v ON v.id = c.via
    LEFT JOIN launch l ON l.id = c.launch
    LEFT JOIN file_rule f ON f.capture = c.id
    LEFT JOIN capture_inlinks i ON i.capture = c.id
    LEFT JOIN score s ON s.capture = c.id AND s.campaign = ?1";

const EVERY_TAB: [CaptureTab; 13] = [
    CaptureTab::All,
    CaptureTab::Html,
    CaptureTab::Documents,
    CaptureTab::Images,
    CaptureTab::Failed,
    CaptureTab::Redirects,
    CaptureTab::Duplicates,
    CaptureTab::Changed,
    CaptureTab::GeoOnly,
    CaptureTab::NoInlinks,
    CaptureTab::ManyExternal,
    CaptureTab::NotReviewed,
    CaptureTab::Selected,
];

/// The media of a tab that has only captures of it.
fn tab_media(tab: CaptureTab) -> Option<Media> {
    match tab {
        CaptureTab::Html => Some(Media::Page),
        CaptureTab::Documents => Some(Media::Document),
        CaptureTab::Images => Some(Media::Image),
        _ => None,
    }
}

fn tab_sql(tab: CaptureTab) -> String {
    match tab {
        CaptureTab::All => "1".to_owned(),
        CaptureTab::Html | CaptureTab::Documents | CaptureTab::Images => {
            tab_media(tab).map(|media| format!("c.media = {}", media as u8)).unwrap_or_default()
        }
        CaptureTab::Failed => "c.status >= 400".to_owned(),
        CaptureTab::Redirects => "c.status BETWEEN 300 AND 399".to_owned(),
        CaptureTab::Duplicates => "c.change = 2".to_owned(),
        CaptureTab::Changed => "c.change = 1".to_owned(),
        CaptureTab::GeoOnly => "c.rule_name = 'ExternalGeoLocationDecideRule'".to_owned(),
        CaptureTab::NoInlinks => "ifnull(i.internal, 0) + ifnull(i.external, 0) = 0".to_owned(),
        CaptureTab::ManyExternal => "i.hosts >= 3".to_owned(),
        CaptureTab::NotReviewed => to_review_sql!().to_owned(),
        CaptureTab::Selected => selected_sql!().to_owned(),
    }
}

fn column_sql(column: CaptureColumn) -> &'static str {
    match column {
        CaptureColumn::Mark => LAST_MARK,
        CaptureColumn::Score => "s.score",
        CaptureColumn::Url => "u.url",
        CaptureColumn::Title => "c.title",
        CaptureColumn::Date => "c.date_ms",
        CaptureColumn::Status => "c.status",
        CaptureColumn::Mime => "c.mime",
        CaptureColumn::Size => "c.size",
        CaptureColumn::Language => "c.language",
        CaptureColumn::InlinksInternal => "i.internal",
        CaptureColumn::InlinksExternal => "i.external",
        CaptureColumn::InlinkHosts => "i.hosts",
        CaptureColumn::TopAnchor => "i.top_anchor",
        CaptureColumn::Depth => hop_count_sql!("c.hops"),
        CaptureColumn::Via => "v.url",
        CaptureColumn::Rule => "iif(c.rule_name = '', ifnull(f.rule, ''), c.rule_name)",
        CaptureColumn::Versions => "(SELECT count(*) FROM capture x WHERE x.page = c.page)",
    }
}

const ROW: &str = concat!(
    "c.id, ",
    decision_sql!(),
    ", ",
    decision_origin_sql!(),
    ", ",
    inherited_sql!(),
    ", s.score, u.url, c.title, c.date_ms, c.status, c.mime, c.size,
    c.language, i.internal, i.external, i.hosts, ifnull(i.top_anchor, ''), c.hops, ifnull(v.url, ''),
    iif(l.kind = 'import', '', c.rule_name), ifnull(f.rule, ''), l.kind = 'import', c.revisit_of_ms IS NOT NULL, (SELECT count(*) FROM capture x WHERE x.page = c.page)"
);

fn capture_row(row: &Row<'_>) -> rusqlite::Result<CaptureRow> {
    let count = |at: usize| row.get::<_, Option<i64>>(at).map(|count| count.map(uint));
    Ok(CaptureRow {
        id: row.get(0)?,
        mark: row.get::<_, Option<String>>(1)?.as_deref().and_then(mark_of),
        decision_origin: row.get(2)?,
        decision_inherited: row.get(3)?,
        score: row.get(4)?,
        url: row.get(5)?,
        title: row.get::<_, LossyText>(6)?.0,
        date: CaptureDate::from_millis(row.get(7)?),
        status: row.get(8)?,
        mime: row.get::<_, LossyText>(9)?.0,
        size: uint(row.get(10)?),
        language: row.get::<_, LossyText>(11)?.0,
        inlinks_internal: count(12)?,
        inlinks_external: count(13)?,
        inlink_hosts: count(14)?,
        top_anchor: row.get::<_, LossyText>(15)?.0,
        hops: row.get(16)?,
        via: row.get(17)?,
        rule: row.get(18)?,
        file_rule: row.get(19)?,
        imported: row.get(20)?,
        revisit: row.get(21)?,
        versions: uint(row.get(22)?),
    })
}

struct Condition {
    /// Empty where the set is all that was asked for.
    sql: String,
    values: Vec<Value>,
    /// The captures that meet it, where they are known already.
    set: Option<FixedBitSet>,
    /// The campaign that gives scores and selection.
    campaign: CampaignId,
}

/// `FROM … WHERE …` of a filter under a campaign, with its values; `None` is no ready filter. Rows
/// show the scores of `campaign`, or of the `only` one there is.
fn condition(
    (filter, campaign): (Filter, Option<CampaignId>),
    only: Option<CampaignId>,
    tab: Option<CaptureTab>,
    full_text: Option<&dyn FullText>,
    needs_sql: bool,
) -> Result<Condition, String> {
    // What a selection needs may be of any campaign.
    let of_campaign = campaign.filter(|_| !filter.is_of_selection);
    let shown = campaign.or(only).unwrap_or_default();
    let media = tab.and_then(tab_media);
    let is_of_index = media.is_some() || matches!(tab, None | Some(CaptureTab::All));
    let mut set = filter.set().filter(|_| is_of_index).cloned();
    if is_of_index && filter.is_everything() {
        let facts = full_text.and_then(FullText::facts_in_memory);
        set = facts.map(|facts| facts.captures().clone());
    }
    if let (Some(set), Some(full_text)) = (&mut set, full_text) {
        let facts = full_text.facts()?;
        if let Some(campaign) = of_campaign {
            set.intersect_with(&facts.of_campaign(campaign.get()));
        }
        if let Some(media) = media {
            set.intersect_with(&facts.with_value(FacetKind::Media, |of| of == media.as_str()));
        }
    }
    if set.is_some() && !needs_sql {
        return Ok(Condition { sql: String::new(), values: Vec::new(), set, campaign: shown });
    }
    let mut values = vec![Value::Integer(shown.get())];
    let (filter, of_filter) = filter.condition();
    let mut sql = format!("{FROM} WHERE {filter}");
    if let Some(tab) = tab {
        sql.push_str(&format!(" AND ({})", tab_sql(tab)));
    }
    values.extend(of_filter);
    if let Some(campaign) = of_campaign {
        debug_assert_eq!(values[0], Value::Integer(campaign.get()));
        sql.push_str(concat!(" AND ", of_campaign_sql!()));
    }
    Ok(Condition { sql, values, set, campaign: shown })
}

impl Catalogue {
    fn condition(&self, query: &CaptureQuery, tab: Option<CaptureTab>) -> Result<Condition, StoreError> {
        self.condition_or_set(query, tab, true)
    }

    /// The same, as SQL where that is needed, or where no set is known.
    fn condition_or_set(
        &self,
        query: &CaptureQuery,
        tab: Option<CaptureTab>,
        needs_sql: bool,
    ) -> Result<Condition, StoreError> {
        let filter = self.capture_filter(query)?;
        let only = match filter.1 {
            None => self.only_campaign()?,
            named => named,
        };
        condition(filter, only, tab, self.full_text().as_deref(), needs_sql).map_err(StoreError::Filter)
    }

    /// A part of the captures table.
    pub fn captures(&self, query: &CaptureQuery) -> Result<CapturePage, StoreError> {
        // Dates are in memory, too.
        let (facts, newest_first) = match query.sort[..] {
            [(CaptureColumn::Date, newest_first)] => {
                (self.full_text().and_then(|full_text| full_text.facts_in_memory()), newest_first)
            }
            _ => (None, false),
        };
        let needs_sql = !query.sort.is_empty() && facts.is_none();
        let condition = match self.condition_or_set(query, Some(query.tab), needs_sql) {
            Ok(condition) => condition,
            Err(StoreError::Filter(why)) => {
                return Ok(CapturePage { offset: 0, rows: Vec::new(), total: 0, filter_problem: Some(why) });
            }
            Err(error) => return Err(error),
        };
        self.read(|conn| {
            let total = condition.set.as_ref().map(|set| set.count_ones(..) as u64);
            let total = total.map_or_else(|| count(conn, &condition), Ok)?;
            let ids = match (&condition.set, &facts) {
                (Some(set), _) if query.sort.is_empty() => part_of(set.ones(), query),
                (Some(set), Some(facts)) => {
                    let most = usize::try_from(query.offset.saturating_add(query.limit)).unwrap_or(usize::MAX);
                    part_of(facts.first_by_date(set, newest_first, most).into_iter(), query)
                }
                _ => ids(conn, &condition, query)?,
            };
            let mut statement = conn.prepare_cached(&format!("SELECT {ROW} {FROM} WHERE c.id = ?2"))?;
            // A set may be a moment older than the rows: what is gone since is left out.
            let mut row = |id: &CaptureId| statement.query_row((condition.campaign, *id), capture_row).optional();
            let rows = ids.iter().filter_map(|id| row(id).transpose()).collect::<Result<_, _>>()?;
            Ok(CapturePage { offset: query.offset, rows, total, filter_problem: None })
        })
    }

    /// The number of captures in each ready filter. Without inlinks nothing is known of those that are
    /// about them: they are left out.
    pub fn tab_counts(&self, query: &CaptureQuery) -> Result<TabCounts, StoreError> {
        let mut counts = self.every_tab_count(query)?;
        if self.inlink_build()?.is_none() {
            counts.retain(|(tab, _)| !matches!(tab, CaptureTab::NoInlinks | CaptureTab::ManyExternal));
        }
        Ok(counts)
    }

    fn every_tab_count(&self, query: &CaptureQuery) -> Result<TabCounts, StoreError> {
        let Ok(condition) = self.condition(query, None) else {
            return Ok(EVERY_TAB.iter().map(|tab| (*tab, 0)).collect());
        };
        let sums: Vec<String> =
            EVERY_TAB.iter().map(|tab| format!("count(*) FILTER (WHERE {})", tab_sql(*tab))).collect();
        self.read(|conn| {
            let mut statement = conn.prepare_cached(&format!("SELECT {} {}", sums.join(", "), condition.sql))?;
            Ok(statement.query_row(params_from_iter(&condition.values), |row| {
                EVERY_TAB.iter().enumerate().map(|(at, tab)| Ok((*tab, uint(row.get(at)?)))).collect()
            })?)
        })
    }

    /// The captures among these that match.
    pub fn captures_among(&self, query: &CaptureQuery, ids: &[CaptureId]) -> Result<Vec<CaptureId>, StoreError> {
        let mut condition = self.condition(query, Some(query.tab))?;
        condition.sql.push_str(" AND c.id IN (SELECT value FROM json_each(?))");
        condition.values.push(Value::Text(serde_json::json!(ids).to_string()));
        self.rows(&format!("SELECT c.id {}", condition.sql), params_from_iter(&condition.values), |row| row.get(0))
    }

    /// The captures that match.
    pub fn matching_captures(&self, query: &CaptureQuery) -> Result<FixedBitSet, StoreError> {
        let condition = self.condition_or_set(query, Some(query.tab), false)?;
        match condition.set {
            Some(set) => Ok(set),
            None => self.read(|conn| set_of(conn, &format!("SELECT c.id {}", condition.sql), condition.values)),
        }
    }

    /// Numbers of the captures that match, in order of date and URL.
    pub fn capture_ids(&self, query: &CaptureQuery) -> Result<Vec<CaptureId>, StoreError> {
        let condition = self.condition(query, Some(query.tab))?;
        self.read(|conn| {
            let mut statement =
                conn.prepare(&format!("SELECT c.id {} ORDER BY c.date_ms, u.url, c.id", condition.sql))?;
            let rows = statement.query_map(params_from_iter(&condition.values), |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }
}

/// The captures whose numbers a statement gives.
pub(in crate::store) fn set_of(
    conn: &Connection,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<FixedBitSet, StoreError> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    let mut found = FixedBitSet::new();
    while let Some(row) = rows.next()? {
        usize::try_from(row.get::<_, i64>(0)?).into_iter().for_each(|capture| found.grow_and_insert(capture));
    }
    Ok(found)
}

/// The captures of the part asked for, of those in its order.
fn part_of(captures: impl Iterator<Item = usize>, query: &CaptureQuery) -> Vec<CaptureId> {
    let skipped = usize::try_from(query.offset).unwrap_or(usize::MAX);
    let most = usize::try_from(query.limit).unwrap_or(usize::MAX);
    captures.skip(skipped).take(most).filter_map(|id| CaptureId::try_from(id).ok()).collect()
}

/// The captures of the requested part, in its order: which rows first, their columns after; sorting
/// would otherwise carry every column of every capture along.
fn ids(conn: &Connection, condition: &Condition, query: &CaptureQuery) -> Result<Vec<CaptureId>, StoreError> {
    let mut order: Vec<String> = query
        .sort
        .iter()
        .map(|(column, descending)| {
            format!("{} {} NULLS LAST", column_sql(*column), if *descending { "DESC" } else { "ASC" })
        })
        .collect();
    order.push("c.id".to_owned());
    let sql = format!(
        "SELECT c.id {} ORDER BY {} LIMIT {} OFFSET {}",
        condition.sql,
        order.join(", "),
        int(query.limit),
        int(query.offset)
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(&condition.values), |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn count(conn: &Connection, condition: &Condition) -> Result<u64, StoreError> {
    let sql = format!("SELECT count(*) {}", condition.sql);
    let number: i64 = conn.prepare_cached(&sql)?.query_row(params_from_iter(&condition.values), |row| row.get(0))?;
    Ok(uint(number))
}

/// Rows by a condition on `c`, in the order given.
pub(in crate::store) fn rows_where(
    conn: &Connection,
    campaign: CampaignId,
    condition: &str,
    value: impl ToSql,
    order: &str,
) -> Result<Vec<CaptureRow>, StoreError> {
    let mut statement = conn.prepare_cached(&format!("SELECT {ROW} {FROM} WHERE {condition} ORDER BY {order}"))?;
    let rows = statement.query_map((campaign, value), capture_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}
