//! A scan reads all URLs that launches have seen in bulk, by row numbers, so that several readers
//! can share the work.

use crate::scope::{AnnotationFact, ContentFact, GeoFact};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::uint;
use crate::store::rows::SeenId;
use crate::store::rows::{CampaignId, LaunchId};
use crate::uri::CaptureDate;
use rusqlite::{Connection, OptionalExtension, Row, Statement, params};
use serde::Serialize;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// Launches and columns of a scan of seen URLs.
#[derive(Debug, Clone, Default)]
pub struct SeenColumns {
    /// The launches.
    pub launches: Vec<LaunchId>,
    /// Whether to read the page that led to a URL; it costs a look-up more.
    pub with_via: bool,
    /// Whether to read the seed that a URL descends from.
    pub with_seed: bool,
    /// Whether to read the source tag of that seed.
    pub with_source_tag: bool,
    /// Whether to read if the link is nofollow.
    pub with_nofollow: bool,
    /// Whether to read when a URL was found.
    pub with_date: bool,
    /// Whether other launches saw most of the rows: then it is faster to skip theirs.
    pub is_sparse: bool,
    /// Only URLs that the rule of this name let in.
    pub let_in_by: Option<String>,
}

/// A URL as a launch saw it. Text is lent for the moment. Columns not requested are empty.
#[derive(Clone, Copy)]
pub struct SeenUrl<'r> {
    /// Its number.
    pub id: SeenId,
    /// The launch.
    pub launch: LaunchId,
    /// Number of the URL, whatever the launch.
    pub url_id: i64,
    /// Number of its host (with port).
    pub host_id: i64,
    /// The URL.
    pub url: &'r str,
    /// The page that led here; empty when there is none.
    pub via: &'r str,
    /// Its path from the seed.
    pub hops: &'r str,
    /// The seed it descends from, as typed.
    pub seed: Option<&'r str>,
    /// The word of that seed.
    pub source_tag: &'r str,
    /// Whether it counts as a seed.
    pub is_seed: bool,
    /// The link that led here is nofollow.
    pub nofollow: bool,
    /// Whether it was fetched because another URL needed it: no rule decides that.
    pub is_apart: bool,
    /// When it was found.
    pub date: Option<CaptureDate>,
    content: &'r Content<'r>,
}

/// The answer of the last capture of the URL of this number. Its statement is prepared once for all
/// rows of a scan.
type Content<'r> = dyn Fn(i64) -> Result<ContentFact, StoreError> + 'r;

impl SeenUrl<'_> {
    /// The answer of its last capture, whatever the launch.
    pub fn content(&self) -> Result<ContentFact, StoreError> {
        (self.content)(self.url_id)
    }
}

/// Captures that are looked through for redirects at most, to spare compiling rules.
const MAX_SCANNED: i64 = 100_000;

/// All captures of a URL. The last one is sought here: for an ORDER BY SQLite
/// sets up a table in memory each time, which costs more than all the rest.
const CAPTURES: &str = "SELECT date_ms, id, status, mime, size FROM capture WHERE url = ?1";

/// The columns of every row of seen URLs, in this order.
const COLUMNS: &str = "s.id, s.url, s.host, u.url, s.hops,
    s.is_seed + 2 * (s.rule_index IS NULL AND s.rule_name = 'PrerequisiteAcceptDecideRule')";

/// Optional columns behind [`COLUMNS`].
#[derive(Default)]
struct Further {
    launch: Launch,
    via: Option<usize>,
    seed: Option<usize>,
    source_tag: Option<usize>,
    nofollow: Option<usize>,
    date: Option<usize>,
}

/// The launch of a row: not read where there is one alone.
enum Launch {
    Only(LaunchId),
    At(usize),
}

impl Default for Launch {
    fn default() -> Self {
        Self::At(0)
    }
}

impl Further {
    /// The requested columns, and their SQL.
    fn of(query: &SeenColumns) -> (Self, String) {
        let (mut further, mut sql, mut next) = (Self::default(), String::new(), 6);
        match query.launches.as_slice() {
            [only] => further.launch = Launch::Only(*only),
            _ => {
                further.launch = Launch::At(next);
                next += 1;
                sql.push_str(", s.launch");
            }
        }
        for (requested, at, column) in [
            (query.with_via, &mut further.via, "ifnull(v.url, '')"),
            (query.with_seed, &mut further.seed, "s.seed"),
            (query.with_source_tag, &mut further.source_tag, "s.source_tag"),
            (query.with_nofollow, &mut further.nofollow, "s.nofollow"),
            (query.with_date, &mut further.date, "s.date_ms"),
        ] {
            if requested {
                *at = Some(next);
                next += 1;
                sql.push_str(", ");
                sql.push_str(column);
            }
        }
        (further, sql)
    }

    fn all() -> (Self, String) {
        let all = SeenColumns {
            with_via: true,
            with_seed: true,
            with_source_tag: true,
            with_nofollow: true,
            with_date: true,
            ..SeenColumns::default()
        };
        Self::of(&all)
    }
}

impl Catalogue {
    /// First and last row number of what these launches have seen; none where
    /// they saw nothing.
    pub fn seen_span(&self, launches: &[LaunchId]) -> Result<Option<RangeInclusive<i64>>, StoreError> {
        self.read(|conn| {
            let mut span: Option<(i64, i64)> = None;
            for launch in launches {
                // By state, since that is how the index of a launch is sorted.
                for state in 0..=3 {
                    let (first, last): (Option<i64>, Option<i64>) = conn
                        .prepare_cached(
                            "SELECT (SELECT min(id) FROM seen WHERE launch = ?1 AND state = ?2),
                                    (SELECT max(id) FROM seen WHERE launch = ?1 AND state = ?2)",
                        )?
                        .query_row(params![launch, state], |row| Ok((row.get(0)?, row.get(1)?)))?;
                    if let (Some(first), Some(last)) = (first, last) {
                        let (low, high) = span.unwrap_or((first, last));
                        span = Some((low.min(first), high.max(last)));
                    }
                }
            }
            Ok(span.map(|(first, last)| first..=last))
        })
    }

    /// The number of URLs that these launches have seen; one seen by several counts for each.
    pub fn seen_count(&self, launches: &[LaunchId]) -> Result<u64, StoreError> {
        self.read(|conn| {
            let mut total = 0;
            for launch in launches {
                total += conn
                    .prepare_cached("SELECT ifnull(sum(urls), 0) FROM seen_tally WHERE launch = ?1")?
                    .query_row([launch], |row| row.get(0).map(uint))?;
            }
            Ok(total)
        })
    }

    /// Hands out what was seen, by row number. A URL that several of the
    /// launches saw comes once, as the last of them saw it. The inner result
    /// is the caller's: its error ends the reading.
    pub fn scan_seen<E>(
        &self,
        ids: RangeInclusive<i64>,
        query: &SeenColumns,
        mut each: impl FnMut(&SeenUrl<'_>) -> Result<(), E>,
    ) -> Result<Result<(), E>, StoreError> {
        let list: Vec<String> = query.launches.iter().map(ToString::to_string).collect();
        let list = list.join(",");
        let (further, columns) = Further::of(query);
        let join = if query.with_via { "LEFT JOIN url v ON v.id = s.via" } else { "" };
        let newest = match query.launches.len() {
            0 | 1 => String::new(),
            _ => format!(
                "AND NOT EXISTS (SELECT 1 FROM seen n WHERE n.url = s.url AND n.launch > s.launch AND n.launch IN ({list}))"
            ),
        };
        // The plus keeps SQLite on the row numbers, CROSS on this order.
        let (index, of_launch) = match query.is_sparse {
            true => ("INDEXED BY seen_state", format!("s.launch IN ({list}) AND s.state IN (0, 1, 2, 3)")),
            false => ("", format!("+s.launch IN ({list})")),
        };
        // That index has rows of one state behind those of another.
        let order = if query.is_sparse { "ORDER BY s.id" } else { "" };
        let let_in = if query.let_in_by.is_some() { "AND s.accepted AND s.rule_name = ?3" } else { "AND ?3 IS NULL" };
        self.read(|conn| {
            let mut statement = conn.prepare_cached(&format!(
                "SELECT {COLUMNS}{columns} FROM seen s {index} CROSS JOIN url u ON u.id = s.url {join}
                 WHERE s.id BETWEEN ?1 AND ?2 AND {of_launch} {let_in} {newest} {order}"
            ))?;
            let captures = RefCell::new(conn.prepare_cached(CAPTURES)?);
            let content = |url| content_fact(&mut captures.borrow_mut(), url);
            let mut rows = statement.query(params![ids.start(), ids.end(), query.let_in_by])?;
            while let Some(row) = rows.next()? {
                if let Err(stop) = each(&seen_url(&content, row, &further)?) {
                    return Ok(Err(stop));
                }
            }
            Ok(Ok(()))
        })
    }

    /// Reads one seen URL; `each` gets it with all columns.
    pub fn seen_one<T>(&self, id: SeenId, each: impl FnOnce(&SeenUrl<'_>) -> T) -> Result<T, StoreError> {
        let (further, columns) = Further::all();
        self.read(|conn| {
            let mut statement = conn.prepare_cached(&format!(
                "SELECT {COLUMNS}{columns} FROM seen s JOIN url u ON u.id = s.url LEFT JOIN url v ON v.id = s.via
                 WHERE s.id = ?1"
            ))?;
            let captures = RefCell::new(conn.prepare_cached(CAPTURES)?);
            let content = |url| content_fact(&mut captures.borrow_mut(), url);
            let mut rows = statement.query([id])?;
            match rows.next()? {
                Some(row) => Ok(each(&seen_url(&content, row, &further)?)),
                None => Err(StoreError::Missing { what: "seen URL", id: id.to_string() }),
            }
        })
    }

    /// The last location known of every host.
    pub fn geo_facts(&self) -> Result<HashMap<String, GeoFact>, StoreError> {
        self.read(super::ledger::all_geo_facts)
    }

    /// Payload bytes of the last capture of each URL, whatever the launch;
    /// none where there is no capture.
    pub fn captured_bytes(&self, urls: &[i64]) -> Result<Vec<Option<u64>>, StoreError> {
        self.read(|conn| {
            // One read transaction for all: to begin one for each takes longer than to read it.
            let snapshot = conn.unchecked_transaction()?;
            let mut statement = snapshot.prepare_cached(CAPTURES)?;
            urls.iter().map(|url| Ok(last_capture(&mut statement, *url)?.map(|(.., bytes)| bytes))).collect()
        })
    }

    /// The answer of the last capture of a URL, whatever the launch.
    pub fn content_fact(&self, url: i64) -> Result<ContentFact, StoreError> {
        self.read(|conn| content_fact(&mut *conn.prepare_cached(CAPTURES)?, url))
    }

    /// The names of hosts (with port where that is no default), by their numbers.
    pub fn host_names(&self, ids: &[i64]) -> Result<Vec<String>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached("SELECT name FROM host WHERE id = ?1")?;
            let mut name = |id: &i64| -> Result<String, StoreError> {
                let name = statement.query_row([id], |row| row.get(0)).optional()?;
                name.ok_or_else(|| StoreError::Missing { what: "host", id: id.to_string() })
            };
            ids.iter().map(&mut name).collect()
        })
    }

    /// The number of a URL in the catalogue, if it is there.
    pub fn url_id(&self, url: &str) -> Result<Option<i64>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached("SELECT id FROM url WHERE url = ?1")?;
            Ok(statement.query_row([url], |row| row.get(0)).optional()?)
        })
    }

    /// Annotations of captures, by the number and text of their URLs: the last mark that holds, and all
    /// notes that hold.
    pub fn annotation_facts(&self) -> Result<HashMap<i64, (String, AnnotationFact)>, StoreError> {
        self.read(annotation_facts)
    }

    /// The annotations of one URL, as in [`Self::annotation_facts`].
    pub fn annotation_of(&self, url: i64) -> Result<Option<AnnotationFact>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT m.mark, m.note FROM capture c JOIN mark m ON m.capture = c.id
                 WHERE c.url = ?1 AND m.undone_ms IS NULL ORDER BY m.id",
            )?;
            let mut rows = statement.query([url])?;
            let mut fact = None;
            while let Some(row) = rows.next()? {
                add_mark(fact.get_or_insert_default(), row.get(0)?, row.get(1)?);
            }
            Ok(fact)
        })
    }

    /// Gives out where each of these URLs redirected to, in any launch: the launch, when, the URL, its
    /// target. Of one launch the first comes first.
    pub fn redirects_of(
        &self,
        urls: &[String],
        mut each: impl FnMut(LaunchId, CaptureDate, &str, &str),
    ) -> Result<(), StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT c.launch, c.date_ms, v.url FROM capture c JOIN url v ON v.id = c.redirect_to
                 WHERE c.url = (SELECT id FROM url WHERE url = ?1) ORDER BY c.id",
            )?;
            for url in urls {
                let mut rows = statement.query([url])?;
                while let Some(row) = rows.next()? {
                    let date = CaptureDate::from_millis(row.get(1)?);
                    each(row.get(0)?, date, url, row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?);
                }
            }
            Ok(())
        })
    }

    /// The number of the last capture; and the URLs of captures behind the one of number `since` that
    /// redirect somewhere. None without `since`, or where so many came that reading takes longer than
    /// it saves.
    pub fn redirects_since(&self, since: Option<i64>) -> Result<(i64, Option<Vec<String>>), StoreError> {
        self.read(|conn| {
            let last = conn.query_row("SELECT ifnull(max(id), 0) FROM capture", [], |row| row.get(0))?;
            let Some(since) = since.filter(|since| last - since <= MAX_SCANNED) else { return Ok((last, None)) };
            let mut statement = conn.prepare_cached(
                "SELECT DISTINCT u.url FROM capture c JOIN url u ON u.id = c.url
                 WHERE c.id > ?1 AND c.id <= ?2 AND c.redirect_to IS NOT NULL",
            )?;
            let rows = statement.query_map([since, last], |row| row.get(0))?;
            Ok((last, Some(rows.collect::<Result<_, _>>()?)))
        })
    }

    /// Captures of some hosts that a campaign has, by its crawls and by imports
    /// of the jobs of other engines: how many, and their bytes; or one launch of
    /// it. A host without any is not among them.
    pub fn captures_of_hosts(
        &self,
        hosts: &[i64],
        campaign: CampaignId,
        launch: Option<LaunchId>,
    ) -> Result<HashMap<i64, (u64, u64)>, StoreError> {
        let hosts = serde_json::to_string(hosts).map_err(|error| StoreError::Content(error.to_string()))?;
        self.read(|conn| {
            // By hosts alone: sought by launch too, each host is sought once a launch.
            let mut statement = conn.prepare_cached(
                "SELECT host, count(*), CAST(total(size) AS INTEGER) FROM capture
                 WHERE host IN (SELECT value FROM json_each(?1))
                   AND +launch IN (SELECT id FROM launch WHERE campaign = ?2 AND (?3 IS NULL OR id = ?3))
                 GROUP BY host",
            )?;
            let rows = statement.query_map(params![hosts, campaign, launch], |row| {
                Ok((row.get(0)?, (uint(row.get(1)?), uint(row.get(2)?))))
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }
}

impl Catalogue {
    /// The row of the launch that first let in one of these URLs by a rule;
    /// the URLs are named by a row each.
    pub fn first_let_in(
        &self,
        rows: &[SeenId],
        launches: &[LaunchId],
        rule_name: &str,
    ) -> Result<Option<SeenId>, StoreError> {
        fn list(ids: &[impl Serialize]) -> Result<String, StoreError> {
            serde_json::to_string(ids).map_err(|error| StoreError::Content(error.to_string()))
        }
        let (rows, launches) = (list(rows)?, list(launches)?);
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT o.id FROM json_each(?1) r CROSS JOIN seen s ON s.id = r.value CROSS JOIN seen o ON o.url = s.url
                 WHERE o.launch IN (SELECT value FROM json_each(?2)) AND o.accepted AND o.rule_name = ?3
                 ORDER BY o.date_ms, o.id LIMIT 1",
            )?;
            Ok(statement.query_row(params![rows, launches, rule_name], |row| row.get(0)).optional()?)
        })
    }
}

/// See [`Catalogue::annotation_facts`].
pub(in crate::store) fn annotation_facts(
    conn: &Connection,
) -> Result<HashMap<i64, (String, AnnotationFact)>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT c.url, u.url, m.mark, m.note FROM mark m CROSS JOIN capture c ON c.id = m.capture CROSS JOIN url u ON u.id = c.url
         WHERE m.undone_ms IS NULL ORDER BY m.id",
    )?;
    let mut rows = statement.query([])?;
    let mut facts: HashMap<i64, (String, AnnotationFact)> = HashMap::new();
    while let Some(row) = rows.next()? {
        let (url, fact) = facts.entry(row.get(0)?).or_default();
        if url.is_empty() {
            *url = row.get(1)?;
        }
        add_mark(fact, row.get(2)?, row.get(3)?);
    }
    Ok(facts)
}

fn add_mark(fact: &mut AnnotationFact, mark: String, note: String) {
    if matches!(mark.as_str(), "approve" | "reject" | "flag" | "later") {
        fact.mark = mark;
    }
    if !note.is_empty() {
        fact.notes.push(note);
    }
}

fn content_fact(captures: &mut Statement<'_>, url: i64) -> Result<ContentFact, StoreError> {
    let last = last_capture(captures, url)?;
    Ok(last.map_or(ContentFact::NotFetched, |(status, mime, bytes)| ContentFact::Fetched { status, mime, bytes }))
}

/// Status, MIME type and payload bytes.
type Answered = (u16, String, u64);

/// The last of [`CAPTURES`]; of several of one instant the one that came in last.
fn last_capture(captures: &mut Statement<'_>, url: i64) -> Result<Option<Answered>, StoreError> {
    let mut rows = captures.query([url])?;
    let mut last: Option<((i64, i64), Answered)> = None;
    while let Some(row) = rows.next()? {
        let at = (row.get(0)?, row.get(1)?);
        if last.as_ref().is_none_or(|(best, _)| at > *best) {
            let status = u16::try_from(row.get::<_, i64>(2)?).unwrap_or(0);
            last = Some((at, (status, row.get(3)?, uint(row.get(4)?))));
        }
    }
    Ok(last.map(|(_, answer)| answer))
}

fn seen_url<'r>(content: &'r Content<'r>, row: &'r Row<'_>, further: &Further) -> Result<SeenUrl<'r>, StoreError> {
    let text = |at: usize| -> Result<&'r str, StoreError> {
        row.get_ref(at)?.as_str().map_err(|error| StoreError::Content(format!("a seen URL ({error})")))
    };
    let optional_text = |at: Option<usize>| at.map_or(Ok(""), text);
    let seed = match further.seed {
        Some(at) => {
            row.get_ref(at)?.as_str_or_null().map_err(|error| StoreError::Content(format!("a seed ({error})")))?
        }
        None => None,
    };
    let how: i64 = row.get(5)?;
    Ok(SeenUrl {
        id: row.get(0)?,
        launch: match further.launch {
            Launch::Only(only) => only,
            Launch::At(at) => row.get(at)?,
        },
        url_id: row.get(1)?,
        host_id: row.get(2)?,
        url: text(3)?,
        via: optional_text(further.via)?,
        hops: text(4)?,
        seed,
        source_tag: optional_text(further.source_tag)?,
        is_seed: how & 1 != 0,
        nofollow: further.nofollow.map_or(Ok(false), |at| row.get(at))?,
        is_apart: how & 2 != 0,
        date: further.date.map(|at| row.get(at)).transpose()?.map(CaptureDate::from_millis),
        content,
    })
}
