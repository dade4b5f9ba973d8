//! What captures need to be shown and what became of each part: the one answer for review checks, the window, lists of
//! what is missing and patches.
//!
//! In: the requisites of a page with their weights, as the index job kept them for the checks; of a capture that is not
//! indexed yet, and of what is no page, its links, each by itself. Out: each part with the capture that it is shown with
//! ([`super::originals`] has the rule of the nearest), else why there is none.
//!
//! Invariants: of alternatives (`srcset`, sources of one player) one is enough; a part that redirects is as present as its
//! goal; what style sheets and frames name in turn is listed and weighs nothing: nobody knows whether it is used.

use super::holes::{HoleState, state_of};
use super::link_list::outlinks_of;
use super::originals::{Answers, nearest_capture, version_sql};
use crate::analysis::checks::{CheckedLink, Requisite, RequisiteKind, requisites_of};
use crate::jobs::lock;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::rows::CaptureId;
use crate::uri::{CaptureDate, PageKey, Url};
use rusqlite::{Connection, params};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex};

/// URLs whose captures are remembered: the pages of a site need the same few.
const KNOWN_URLS: usize = 20_000;
/// Style sheets and frames whose parts are remembered.
const KNOWN_SHEETS: usize = 2_000;
/// Captures of a URL that are read.
const MOST_CAPTURES: u32 = 1_000;
/// Redirects that are followed from a part.
const MOST_REDIRECTS: u32 = 5;
/// Style sheets name images and other style sheets: three steps lead to all that a browser would load.
const MOST_STEPS: u32 = 3;
/// Parts of a page that are listed at most.
const MOST_NEEDS: usize = 5_000;
const DAY_MS: i64 = 86_400_000;

/// A part that a page needs, with what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// Its kind.
    pub kind: RequisiteKind,
    /// Its URL; of alternatives the one that is here, or whose fate is known. Hostile text.
    pub url: String,
    /// What the page loses without it, in tenths; 0 for what may not be seen.
    pub weight: u64,
    /// The style sheet or frame that names it; none where the page does.
    pub via: Option<String>,
    /// What became of it.
    pub state: NeedState,
}

/// What became of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NeedState {
    /// The page is shown with this capture.
    Captured {
        /// The capture: of a redirect its goal.
        capture: CaptureId,
        /// Days that it is later than the page; negative for earlier.
        days: i64,
        /// Captures of it differ: another day may show another content.
        changes: bool,
    },
    /// There is no capture but errors.
    Missing(HoleState),
}

impl Need {
    /// Why it is missing; none where it is here.
    pub fn hole(&self) -> Option<&HoleState> {
        match &self.state {
            NeedState::Captured { .. } => None,
            NeedState::Missing(hole) => Some(hole),
        }
    }

    /// Whether the page loses something by its lack.
    pub fn is_loss(&self) -> bool {
        self.weight > 0 && self.hole().is_some()
    }

    /// What became of it, in a few words.
    pub fn label(&self) -> String {
        match &self.state {
            NeedState::Missing(hole) => hole.label(),
            NeedState::Captured { days: 0, .. } => "captured".to_owned(),
            NeedState::Captured { days, .. } => {
                let unit = if days.abs() == 1 { "day" } else { "days" };
                let side = if *days > 0 { "later" } else { "earlier" };
                format!("captured {} {unit} {side}", days.abs())
            }
        }
    }
}

/// The parts that a capture needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageNeeds {
    /// Each once, in the order of the page; what others name in turn behind.
    pub needs: Vec<Need>,
    /// Its elements were read, so that sizes and alternatives are known. Otherwise each link counts by itself.
    pub is_read: bool,
}

impl PageNeeds {
    /// Parts whose lack loses something.
    pub fn losses(&self) -> usize {
        self.needs.iter().filter(|need| need.is_loss()).count()
    }
}

/// A capture of a URL that is no error.
#[derive(Debug, Clone)]
struct GoodCapture {
    id: CaptureId,
    date_ms: i64,
    digest: String,
    redirect_to: Option<String>,
}

/// What is known of a URL: its captures that are no errors, else why there is none.
#[derive(Debug)]
struct UrlFate {
    captures: Vec<GoodCapture>,
    changes: bool,
    hole: Option<HoleState>,
}

/// The parts that a page or a style sheet names.
#[derive(Debug, Default)]
struct NamedParts {
    requisites: Vec<Requisite>,
    is_read: bool,
}

/// Finds what captures need, and remembers what many of them share.
pub struct NeedReader<'c> {
    catalogue: &'c Catalogue,
    urls: Mutex<HashMap<String, Arc<UrlFate>>>,
    sheets: Mutex<HashMap<CaptureId, Arc<NamedParts>>>,
}

impl<'c> NeedReader<'c> {
    /// A reader of this catalogue. It does not see what comes later of the URLs that it has met.
    pub fn new(catalogue: &'c Catalogue) -> Self {
        Self { catalogue, urls: Mutex::default(), sheets: Mutex::default() }
    }

    /// What became of the requisites of a page of this date, each in its place.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn fates(&self, date: CaptureDate, requisites: &[Requisite]) -> Result<Vec<Need>, StoreError> {
        self.catalogue.read(|conn| requisites.iter().map(|of| self.fate(conn, date.millis(), of, None)).collect())
    }

    /// What a capture needs to be shown, and what that needs in turn.
    ///
    /// # Errors
    ///
    /// No such capture, or a catalogue that cannot be read.
    pub fn needs(&self, capture: CaptureId) -> Result<PageNeeds, StoreError> {
        let date_ms: i64 =
            self.catalogue.row("SELECT date_ms FROM capture WHERE id = ?1", [capture], |row| row.get(0))?;
        let named = self.parts_of(capture)?;
        let mut found = PageNeeds { needs: Vec::new(), is_read: named.is_read };
        let (mut known, mut captures) = (HashSet::new(), HashSet::from([capture]));
        let mut waiting = VecDeque::from([(named, None::<String>, 0)]);
        while let Some((named, via, steps)) = waiting.pop_front() {
            let needs: Vec<Need> = self.catalogue.read(|conn| {
                let mut is_new = |of: &&Requisite| {
                    let is_new = of.urls.first().is_some_and(|url| !known.contains(url));
                    known.extend(of.urls.iter().cloned());
                    is_new
                };
                let new: Vec<&Requisite> = named.requisites.iter().filter(&mut is_new).collect();
                new.into_iter().map(|of| self.fate(conn, date_ms, of, via.as_deref())).collect()
            })?;
            for need in needs {
                if found.needs.len() >= MOST_NEEDS {
                    return Ok(found);
                }
                use RequisiteKind::{Frame, Media, Other, Style};
                if let NeedState::Captured { capture, .. } = need.state
                    && matches!(need.kind, Style | Frame | Media | Other)
                    && steps < MOST_STEPS
                    && captures.insert(capture)
                {
                    waiting.push_back((self.parts_of_sheet(capture)?, Some(need.url.clone()), steps + 1));
                }
                found.needs.push(need);
            }
        }
        Ok(found)
    }

    /// The parts that a capture names: as they are kept for the checks, else by its links.
    fn parts_of(&self, capture: CaptureId) -> Result<Arc<NamedParts>, StoreError> {
        let version = self.catalogue.row(
            concat!("SELECT ", version_sql!(), " FROM capture c WHERE c.id = ?1"),
            [capture],
            |row| row.get(0),
        )?;
        if let Some(kept) = self.catalogue.page_signs(version)?
            && (kept.signs.is_page || !kept.signs.requisites.is_empty())
        {
            return Ok(Arc::new(NamedParts { requisites: kept.signs.requisites, is_read: true }));
        }
        let links = self.catalogue.read(|conn| outlinks_of(conn, capture))?;
        let links: Vec<CheckedLink> =
            links.into_iter().map(|link| CheckedLink { kind: link.kind, rel: link.rel, url: link.url }).collect();
        Ok(Arc::new(NamedParts { requisites: requisites_of(&links, None, false), is_read: false }))
    }

    /// The same, remembered: many pages have the same style sheets.
    fn parts_of_sheet(&self, capture: CaptureId) -> Result<Arc<NamedParts>, StoreError> {
        if let Some(known) = lock(&self.sheets).get(&capture) {
            return Ok(known.clone());
        }
        let named = self.parts_of(capture)?;
        let mut sheets = lock(&self.sheets);
        if sheets.len() >= KNOWN_SHEETS {
            sheets.clear();
        }
        sheets.insert(capture, named.clone());
        Ok(named)
    }

    /// What became of a requisite: the first of its alternatives that is here, else the first of which something is known.
    fn fate(
        &self,
        conn: &Connection,
        date_ms: i64,
        requisite: &Requisite,
        via: Option<&str>,
    ) -> Result<Need, StoreError> {
        let mut missing: Option<(String, HoleState)> = None;
        let weight = if via.is_some() { 0 } else { requisite.weight };
        let need = |url: String, state| Need { kind: requisite.kind, url, weight, via: via.map(str::to_owned), state };
        for url in &requisite.urls {
            match self.fate_of_url(conn, url, date_ms, 0)? {
                (_, state @ NeedState::Captured { .. }) => return Ok(need(url.clone(), state)),
                (goal, NeedState::Missing(hole)) => {
                    if missing.as_ref().is_none_or(|(_, before)| *before == HoleState::NeverSeen) {
                        let is_better = missing.is_none() || hole != HoleState::NeverSeen;
                        missing = if is_better { Some((goal, hole)) } else { missing };
                    }
                }
            }
        }
        let (url, hole) = missing.unwrap_or((String::new(), HoleState::NeverSeen));
        Ok(need(url, NeedState::Missing(hole)))
    }

    /// The goal of a URL and what became of it, for a page of this date.
    fn fate_of_url(
        &self,
        conn: &Connection,
        url: &str,
        date_ms: i64,
        redirects: u32,
    ) -> Result<(String, NeedState), StoreError> {
        let of = self.known_fate(conn, url)?;
        let nearest = match of.captures.as_slice() {
            [] => None,
            [only] => Some(only),
            several => {
                let key = Url::parse(url).map(|url| PageKey::of(&url)).map_err(|_| broken(url))?;
                let date = CaptureDate::from_millis(date_ms);
                let id = nearest_capture(conn, key.as_str(), date, Answers::WithoutErrors)?;
                several.iter().find(|capture| Some(capture.id) == id).or(several.last())
            }
        };
        let Some(nearest) = nearest else {
            let hole = of.hole.clone().unwrap_or(HoleState::NeverSeen);
            return Ok((url.to_owned(), NeedState::Missing(hole)));
        };
        if let Some(goal) = nearest.redirect_to.as_deref().filter(|goal| *goal != url && redirects < MOST_REDIRECTS) {
            return self.fate_of_url(conn, goal, date_ms, redirects + 1);
        }
        let days = nearest.date_ms.saturating_sub(date_ms) / DAY_MS;
        let state = NeedState::Captured { capture: nearest.id, days, changes: of.changes };
        Ok((url.to_owned(), state))
    }

    fn known_fate(&self, conn: &Connection, url: &str) -> Result<Arc<UrlFate>, StoreError> {
        if let Some(known) = lock(&self.urls).get(url) {
            return Ok(known.clone());
        }
        let found = Arc::new(read_fate(conn, url)?);
        let mut urls = lock(&self.urls);
        if urls.len() >= KNOWN_URLS {
            urls.clear();
        }
        urls.insert(url.to_owned(), found.clone());
        Ok(found)
    }
}

fn broken(url: &str) -> StoreError {
    StoreError::Content(format!("{url} is no URL"))
}

/// The captures of a URL that are no errors, or why there is none.
fn read_fate(conn: &Connection, url: &str) -> Result<UrlFate, StoreError> {
    let Ok(parsed) = Url::parse(url) else {
        return Ok(UrlFate { captures: Vec::new(), changes: false, hole: Some(HoleState::NeverSeen) });
    };
    let mut statement = conn.prepare_cached(
        "SELECT c.id, c.date_ms, c.digest, iif(c.status BETWEEN 300 AND 399 AND c.status <> 304, r.url, NULL)
         FROM page p CROSS JOIN capture c ON c.page = p.id AND c.status < 400 LEFT JOIN url r ON r.id = c.redirect_to
         WHERE p.key = ?1 ORDER BY c.date_ms, c.digest LIMIT ?2",
    )?;
    let rows = statement.query_map(params![PageKey::of(&parsed).as_str(), MOST_CAPTURES], |row| {
        Ok(GoodCapture { id: row.get(0)?, date_ms: row.get(1)?, digest: row.get(2)?, redirect_to: row.get(3)? })
    })?;
    let captures: Vec<GoodCapture> = rows.collect::<rusqlite::Result<_>>()?;
    let changes = captures.windows(2).any(|pair| matches!(pair, [one, other] if one.digest != other.digest));
    let hole = if captures.is_empty() { Some(state_of(conn, url)?) } else { None };
    Ok(UrlFate { captures, changes, hole })
}

impl Catalogue {
    /// What a capture needs to be shown: see [`NeedReader::needs`].
    ///
    /// # Errors
    ///
    /// No such capture, or a catalogue that cannot be read.
    pub fn needs(&self, capture: CaptureId) -> Result<PageNeeds, StoreError> {
        NeedReader::new(self).needs(capture)
    }
}
