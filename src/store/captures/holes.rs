//! What pages need to be shown and what became of it: captured, or why not.

use super::link_list::outlinks_of;
use super::originals::{Answers, nearest_capture};
use super::requisites::{needed_links_sql, requisite_capture_sql};
use crate::jobs::JobCx;
use crate::links::LinkKind;
use crate::scope::{REFUSED_PERMISSION, ROBOTS_RULE, rule_label};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::{kind_name, uint};
use crate::store::launches::ledger::{FAILED, QUEUED, REFUSED};
use crate::store::rows::{CampaignId, CaptureId};
use crate::uri::{CaptureDate, PageKey};
use rusqlite::{Connection, OptionalExtension};
use serde::Serialize;
use std::collections::HashSet;

/// Why a resource that a page needs has no capture that shows anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum HoleState {
    /// No launch met it.
    NeverSeen,
    /// It waits in the queue of a launch.
    Queued,
    /// It could not be fetched, and why.
    Failed {
        /// In words of the crawl.
        why: String,
    },
    /// A rule refused it.
    Refused {
        /// Name of the rule.
        rule: String,
    },
    /// It answered with an error.
    Error {
        /// HTTP status.
        status: i32,
    },
}

impl HoleState {
    /// In a few words.
    pub fn label(&self) -> String {
        match self {
            Self::NeverSeen => "never requested".to_owned(),
            Self::Queued => "waits in the queue".to_owned(),
            Self::Failed { why } if why.is_empty() => "failed".to_owned(),
            Self::Failed { why } => format!("failed: {why}"),
            Self::Refused { rule } => format!("refused by “{}”", rule_label(rule)),
            Self::Error { status } => format!("answered {status}"),
        }
    }

    /// Whether a patch fetches it unless a person says otherwise: what another request may bring. What a rule refused
    /// has to be let in, and what is not there will not be there now.
    pub fn is_worth_a_request(&self) -> bool {
        match self {
            Self::NeverSeen | Self::Queued | Self::Failed { .. } => true,
            Self::Refused { .. } => false,
            Self::Error { status } => *status == 429 || *status >= 500,
        }
    }

    /// Whether a person may let it in: rules of the campaign may be overruled for a URL, a permission and robots.txt not.
    pub fn may_be_let_in(&self) -> bool {
        match self {
            Self::Refused { rule } => rule != REFUSED_PERMISSION && rule != ROBOTS_RULE,
            _ => true,
        }
    }
}

/// A resource that pages need and nobody captured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hole {
    /// Its URL.
    pub url: String,
    /// Pages among those in question that need it.
    pub pages: u64,
    /// One of these, the first by number.
    pub page: CaptureId,
    /// Why it is not here.
    #[serde(flatten)]
    pub state: HoleState,
}

/// A resource that a page names, and its capture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Need {
    /// Its URL.
    pub url: String,
    /// Its kind, such as `image`.
    pub kind: String,
    /// The capture that it is shown with: the nearest in time that is no error.
    pub capture: Option<CaptureId>,
    /// When that is of.
    pub date: Option<CaptureDate>,
    /// Why it is not here, where it is not.
    pub hole: Option<HoleState>,
}

impl Need {
    /// What became of it, beside the date of the page that needs it.
    pub fn label(&self, page: CaptureDate) -> String {
        match (&self.hole, self.date) {
            (Some(hole), _) => hole.label(),
            (None, Some(date)) => match (date.millis() - page.millis()) / 86_400_000 {
                0 => "captured".to_owned(),
                days => format!("captured {} {}", days.abs(), days_apart(days)),
            },
            (None, None) => "captured".to_owned(),
        }
    }
}

fn days_apart(days: i64) -> &'static str {
    match (days.abs(), days > 0) {
        (1, true) => "day later",
        (1, false) => "day earlier",
        (_, true) => "days later",
        (_, false) => "days earlier",
    }
}

/// Links that a page is not complete without.
fn is_needed(kind: LinkKind) -> bool {
    use LinkKind::{Css, Frame, Image, Media, Redirect, Script, Stylesheet};
    matches!(kind, Stylesheet | Image | Script | Media | Css | Frame | Redirect)
}

/// What the last launch that met a URL made of it; what its page answered, where it did.
fn state_of(conn: &Connection, url: &str) -> Result<HoleState, StoreError> {
    let answered: Option<i32> = conn
        .prepare_cached(
            "SELECT c.status FROM url u CROSS JOIN capture c ON c.page = u.page WHERE u.url = ?1
             ORDER BY c.date_ms DESC, c.id DESC LIMIT 1",
        )?
        .query_row([url], |row| row.get(0))
        .optional()?;
    let seen: Option<(i64, String, String)> = conn
        .prepare_cached(
            "SELECT s.state, s.rule_name, s.why FROM url u CROSS JOIN seen s ON s.url = u.id WHERE u.url = ?1
             ORDER BY s.launch DESC LIMIT 1",
        )?
        .query_row([url], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    Ok(match (seen, answered) {
        (Some((QUEUED, ..)), _) => HoleState::Queued,
        (Some((REFUSED, rule, _)), _) => HoleState::Refused { rule },
        (Some((FAILED, _, why)), _) => HoleState::Failed { why },
        (_, Some(status)) => HoleState::Error { status },
        _ => HoleState::NeverSeen,
    })
}

impl Catalogue {
    /// Resources that these captures need to be shown, and what those need in turn, of which there is no capture but
    /// errors; those that most pages need first.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read, or a stop.
    pub fn holes(&self, captures: &[CaptureId], cx: &JobCx) -> Result<Vec<Hole>, StoreError> {
        // Style sheets name images and other style sheets: three steps lead to all that a browser would load.
        const FIND: &str = concat!(
            "WITH RECURSIVE rejected (capture) AS (SELECT NULL WHERE 0), needed (root, id, depth) AS (
                SELECT value, value, 0 FROM json_each(?1)
                UNION SELECT n.root, ",
            requisite_capture_sql!(),
            ", n.depth + 1 ",
            needed_links_sql!(),
            " AND n.depth < 3)
             SELECT k.value ->> 1, count(DISTINCT n.root), min(n.root) ",
            needed_links_sql!(),
            " AND NOT EXISTS (SELECT 1 FROM capture x WHERE x.page = t.id AND x.status < 400)
              GROUP BY 1 ORDER BY 2 DESC, 1"
        );
        let captures = serde_json::to_string(captures).map_err(|error| StoreError::Content(error.to_string()))?;
        self.read_on_disk(cx, |conn| {
            let mut statement = conn.prepare_cached(FIND)?;
            let mut rows = statement.query([captures])?;
            let mut holes = Vec::new();
            while let Some(row) = rows.next()? {
                let url: String = row.get(0)?;
                let state = state_of(conn, &url)?;
                holes.push(Hole { url, pages: uint(row.get(1)?), page: row.get(2)?, state });
            }
            Ok(holes)
        })
    }

    /// The campaign whose launch brought a capture; none where it is of none.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn campaign_of_capture(&self, id: CaptureId) -> Result<Option<CampaignId>, StoreError> {
        let campaign: Option<Option<CampaignId>> = self.row_if_any(
            "SELECT l.campaign FROM capture c JOIN launch l ON l.id = c.launch WHERE c.id = ?1",
            [id],
            |row| row.get(0),
        )?;
        Ok(campaign.flatten())
    }

    /// Why a page of which this is a URL has no capture but errors; none where it has one.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn hole_of(&self, page: &PageKey, url: &str) -> Result<Option<HoleState>, StoreError> {
        self.read(|conn| {
            let is_here = conn
                .prepare_cached(
                    "SELECT 1 FROM page t CROSS JOIN capture c ON c.page = t.id AND c.status < 400 WHERE t.key = ?1",
                )?
                .exists([page.as_str()])?;
            if is_here { Ok(None) } else { state_of(conn, url).map(Some) }
        })
    }

    /// The resources that a capture names itself, in the order of the page, each once.
    ///
    /// # Errors
    ///
    /// No such capture, or a catalogue that cannot be read.
    pub fn needs_of(&self, capture: CaptureId) -> Result<Vec<Need>, StoreError> {
        let page = self.capture_row(capture)?;
        self.read(|conn| {
            let conn = conn.unchecked_transaction()?;
            let mut listed = HashSet::new();
            let mut needs = Vec::new();
            for link in outlinks_of(&conn, capture)? {
                let Some(key) = link.page().filter(|_| is_needed(link.kind)) else { continue };
                if !listed.insert(link.url.clone()) {
                    continue;
                }
                let shown = nearest_capture(&conn, key.as_str(), page.date, Answers::WithoutErrors)?;
                let date: Option<i64> = match shown {
                    Some(id) => conn
                        .prepare_cached("SELECT date_ms FROM capture WHERE id = ?1")?
                        .query_row([id], |row| row.get(0))
                        .optional()?,
                    None => None,
                };
                let hole = if shown.is_none() { Some(state_of(&conn, &link.url)?) } else { None };
                needs.push(Need {
                    kind: kind_name(link.kind),
                    url: link.url,
                    capture: shown,
                    date: date.map(CaptureDate::from_millis),
                    hole,
                });
            }
            Ok(needs)
        })
    }
}
