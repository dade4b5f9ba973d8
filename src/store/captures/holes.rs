//! Holes: parts that pages need and nobody captured, each once, with why it is not here.

use super::needs::{NeedReader, NeedState};
use crate::analysis::checks::RequisiteKind;
use crate::jobs::JobCx;
use crate::scope::{REFUSED_PERMISSION, ROBOTS_RULE, rule_label};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::launches::ledger::{FAILED, QUEUED, REFUSED};
use crate::store::rows::{CampaignId, CaptureId};
use crate::uri::PageKey;
use rusqlite::{Connection, OptionalExtension};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};

/// Why a resource that a page needs has no capture that shows anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum HoleState {
    /// No launch met it.
    NeverSeen,
    /// It waits in the queue of a launch.
    Queued,
    /// The crawl that met it last ended before it.
    EndedBefore,
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
            Self::EndedBefore => "the crawl ended before it".to_owned(),
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
            Self::NeverSeen | Self::Queued | Self::EndedBefore | Self::Failed { .. } => true,
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
    /// Its kind.
    pub kind: RequisiteKind,
    /// What a page loses without it, in tenths, where it loses most; 0 for what may not be seen.
    pub weight: u64,
    /// Pages among those in question that need it.
    pub pages: u64,
    /// One of these, the first by number.
    pub page: CaptureId,
    /// Why it is not here.
    #[serde(flatten)]
    pub state: HoleState,
}

/// What the last launch that met a URL made of it; what its page answered, where it did.
pub(super) fn state_of(conn: &Connection, url: &str) -> Result<HoleState, StoreError> {
    let answered: Option<i32> = conn
        .prepare_cached(
            "SELECT c.status FROM url u CROSS JOIN capture c ON c.page = u.page WHERE u.url = ?1
             ORDER BY c.date_ms DESC, c.id DESC LIMIT 1",
        )?
        .query_row([url], |row| row.get(0))
        .optional()?;
    let seen: Option<(i64, String, String, bool)> = conn
        .prepare_cached(
            "SELECT s.state, s.rule_name, s.why, l.state IN ('stopped', 'finished')
             FROM url u CROSS JOIN seen s ON s.url = u.id CROSS JOIN launch l ON l.id = s.launch WHERE u.url = ?1
             ORDER BY s.launch DESC LIMIT 1",
        )?
        .query_row([url], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .optional()?;
    Ok(match (seen, answered) {
        (Some((QUEUED, _, _, true)), None) => HoleState::EndedBefore,
        (Some((QUEUED, _, _, false)), _) => HoleState::Queued,
        (Some((REFUSED, rule, ..)), _) => HoleState::Refused { rule },
        (Some((FAILED, _, why, _)), _) => HoleState::Failed { why },
        (_, Some(status)) => HoleState::Error { status },
        _ => HoleState::NeverSeen,
    })
}

impl Catalogue {
    /// The parts that these captures need to be shown, and what those need in turn, of which there is no capture but
    /// errors; those that most captures need first.
    ///
    /// # Errors
    ///
    /// No such capture, a catalogue that cannot be read, or a stop.
    pub fn holes(&self, captures: &[CaptureId], cx: &JobCx) -> Result<Vec<Hole>, StoreError> {
        let reader = NeedReader::new(self);
        let mut found: HashMap<String, Hole> = HashMap::new();
        let captures: BTreeSet<CaptureId> = captures.iter().copied().collect();
        for page in captures {
            cx.checkpoint()?;
            for need in reader.needs(page)?.needs {
                let NeedState::Missing(state) = need.state else { continue };
                let hole = found.entry(need.url.clone()).or_insert(Hole {
                    url: need.url,
                    kind: need.kind,
                    weight: 0,
                    pages: 0,
                    page,
                    state,
                });
                hole.pages += 1;
                hole.weight = hole.weight.max(need.weight);
            }
        }
        let mut holes: Vec<Hole> = found.into_values().collect();
        holes.sort_by(|one, other| other.pages.cmp(&one.pages).then_with(|| one.url.cmp(&other.url)));
        Ok(holes)
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
}
