//! What a campaign lacks, the gravest first.

use super::figures::LaunchFigures;
use super::matrix::Matrix;
use super::row_list::{RowList, count_rows};
use crate::analysis::Matcher;
use crate::campaign::{Campaign, TermKind};
use crate::jobs::JobCx;
use crate::query::quoted_value;
use crate::search::FacetKind;
use crate::store::Catalogue;
use crate::work::everything;
use crate::work::models::{CampaignId, CaptureQuery, LaunchId, LaunchState, Launches, ProspectQuery, SeenQuery};
use serde::Serialize;
use std::collections::BTreeSet;

/// Things of a gap that are named.
const MOST_ITEMS: u64 = 200;
/// Hosts that cite a page that is proposed as a seed.
const CITING_HOSTS: u64 = 3;
/// Hosts that cite a page whose refusal is worth a look.
const CITING_REFUSED: u64 = 5;
/// The share of pages below which a language is missing.
const LEAST_SHARE: f64 = 0.01;

/// A kind of gap, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GapKind {
    /// Seeds of which no capture has content.
    Seeds,
    /// Terms of the request that no capture holds.
    Terms,
    /// Captures of earlier launches whose URLs the last one did not get.
    Gone,
    /// URLs that were left in the queue when the last launch stopped.
    Queue,
    /// Hosts of the last launch that were accepted, and nothing was fetched from.
    Hosts,
    /// Refused pages that many hosts cite.
    Refused,
    /// Pages that several hosts cite by words of the request, and that were never captured.
    Cited,
    /// Embedded resources that could not be fetched.
    Resources,
    /// Languages of the request that almost no page has.
    Languages,
    /// Periods of the request in which no page was published.
    Periods,
}

impl GapKind {
    /// All of them, the gravest first.
    pub const ALL: [Self; 10] = [
        Self::Seeds,
        Self::Terms,
        Self::Gone,
        Self::Queue,
        Self::Hosts,
        Self::Refused,
        Self::Cited,
        Self::Resources,
        Self::Languages,
        Self::Periods,
    ];

    /// What is missing, for people, behind its count.
    pub fn label(self, count: u64) -> &'static str {
        let one = count == 1;
        match self {
            Self::Seeds if one => "seed without a good capture",
            Self::Seeds => "seeds without a good capture",
            Self::Terms if one => "requested term never found",
            Self::Terms => "requested terms never found",
            Self::Gone if one => "URL missing from the last launch",
            Self::Gone => "URLs missing from the last launch",
            Self::Queue if one => "URL left in the queue",
            Self::Queue => "URLs left in the queue",
            Self::Hosts if one => "host accepted, nothing fetched",
            Self::Hosts => "hosts accepted, nothing fetched",
            Self::Refused if one => "refused URL that many hosts cite",
            Self::Refused => "refused URLs that many hosts cite",
            Self::Cited if one => "cited page never captured",
            Self::Cited => "cited pages never captured",
            Self::Resources if one => "embedded resource not fetched",
            Self::Resources => "embedded resources not fetched",
            Self::Languages if one => "requested language is rare",
            Self::Languages => "requested languages are rare",
            Self::Periods if one => "requested period without a page",
            Self::Periods => "requested periods without a page",
        }
    }

    /// What a person can do about it.
    pub fn action(self) -> GapAction {
        match self {
            Self::Seeds => GapAction::EditSeeds,
            Self::Terms => GapAction::EditRequest,
            Self::Gone | Self::Hosts => GapAction::StartCrawl,
            Self::Queue => GapAction::ResumeCrawl,
            Self::Refused => GapAction::EditRules,
            Self::Cited | Self::Languages | Self::Periods => GapAction::AddSeeds,
            Self::Resources => GapAction::RetryFailed,
        }
    }
}

/// What a person can do about a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GapAction {
    /// Corrects seeds.
    EditSeeds,
    /// Adds other names of a term.
    EditRequest,
    /// Crawls again.
    StartCrawl,
    /// Resumes the last launch.
    ResumeCrawl,
    /// Changes the rules that refuse.
    EditRules,
    /// Adds sites as seeds.
    AddSeeds,
    /// Fetches again what failed.
    RetryFailed,
}

impl GapAction {
    /// Its name on a button.
    pub fn label(self) -> &'static str {
        match self {
            Self::EditSeeds => "Edit seeds",
            Self::EditRequest => "Edit request",
            Self::StartCrawl => "Start crawl…",
            Self::ResumeCrawl => "Resume crawl…",
            Self::EditRules => "Edit rules",
            Self::AddSeeds => "Add seeds",
            Self::RetryFailed => "Retry failed",
        }
    }
}

/// One thing that is missing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GapItem {
    /// Its name: a URL, a term, a host.
    pub label: String,
    /// What is known of it; empty where nothing is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The rows that show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<RowList>,
}

/// Things of one kind that a campaign lacks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gap {
    /// The kind.
    pub kind: GapKind,
    /// How many there are.
    pub count: u64,
    /// The worst of them, at most some hundreds.
    pub items: Vec<GapItem>,
    /// The list of all; none where they are no rows of a list, and all are named here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<RowList>,
    /// What can be done about it.
    pub action: GapAction,
}

impl Gap {
    /// The gap in words: `3 requested terms never found`.
    pub fn summary(&self) -> String {
        format!("{} {}", self.count, self.kind.label(self.count))
    }
}

pub(super) fn gaps(
    catalogue: &Catalogue,
    campaign: CampaignId,
    spec: &Campaign,
    launches: &[LaunchFigures],
    matrix: &Matrix,
    cx: &JobCx,
) -> anyhow::Result<Vec<Gap>> {
    let of = Gaps { catalogue, campaign, spec, launches, matrix };
    let mut gaps = Vec::new();
    // Before anything was captured everything is missing, and the first steps say so.
    if launches.is_empty() && !catalogue.has_captures(campaign)? {
        return Ok(gaps);
    }
    for kind in GapKind::ALL {
        cx.checkpoint()?;
        let (count, items, rows) = of.missing(kind)?;
        if count > 0 {
            gaps.push(Gap { kind, count, items, rows, action: kind.action() });
        }
    }
    Ok(gaps)
}

type Missing = (u64, Vec<GapItem>, Option<RowList>);

struct Gaps<'a> {
    catalogue: &'a Catalogue,
    campaign: CampaignId,
    spec: &'a Campaign,
    launches: &'a [LaunchFigures],
    matrix: &'a Matrix,
}

impl Gaps<'_> {
    fn missing(&self, kind: GapKind) -> anyhow::Result<Missing> {
        match kind {
            GapKind::Seeds => self.seeds(),
            GapKind::Terms => Ok(self.terms()),
            GapKind::Gone => self.gone(),
            GapKind::Queue => self.queue(),
            GapKind::Hosts => self.hosts(),
            GapKind::Refused => self.refused(),
            GapKind::Cited => self.cited(),
            GapKind::Resources => self.resources(),
            GapKind::Languages => self.languages(),
            GapKind::Periods => self.periods(),
        }
    }

    /// The last launch that was no trial, and has ended.
    fn last(&self) -> Option<&LaunchFigures> {
        self.launches
            .iter()
            .rev()
            .find(|of| of.row.trial.is_none() && matches!(of.row.state, LaunchState::Finished | LaunchState::Stopped))
    }

    fn seeds(&self) -> anyhow::Result<Missing> {
        let Some(last) = self.last() else { return Ok(Missing::default()) };
        let seeds = self.catalogue.seeds_without_content(self.campaign, &self.spec.seeds)?;
        let item = |(url, seen): &(String, Option<(&'static str, String)>)| GapItem {
            label: url.clone(),
            about: seen.as_ref().map_or_else(|| "not seen by a crawl".to_owned(), |(_, outcome)| outcome.clone()),
            rows: seen.as_ref().map(|(state, _)| {
                let filter = format!("url:{}", quoted_value(url));
                RowList::Seen { launch: Some(last.row.id), state, filter }
            }),
        };
        let items = seeds.iter().take(MOST_ITEMS as usize).map(item).collect();
        Ok((seeds.len() as u64, items, Some(RowList::Seeds)))
    }

    fn terms(&self) -> Missing {
        // Texts that are not indexed yet may hold them.
        if self.matrix.waiting != Some(0) {
            return Missing::default();
        }
        // Languages and periods are gaps of their own.
        let is_own = |kind: TermKind| !matches!(kind, TermKind::Language | TermKind::Period);
        let never_found = self.matrix.never_found().filter(|row| is_own(row.term.kind));
        let item = |label: &str| GapItem { label: label.to_owned(), about: String::new(), rows: None };
        let items: Vec<GapItem> = never_found.map(|row| item(&row.label)).collect();
        (items.len() as u64, items, Some(RowList::Terms))
    }

    fn gone(&self) -> anyhow::Result<Missing> {
        // Of one launch nothing can be missing that another one had.
        if self.launches.len() < 2 {
            return Ok(Missing::default());
        }
        self.captures("gone:yes".to_owned())
    }

    fn queue(&self) -> anyhow::Result<Missing> {
        match self.last().filter(|last| last.row.state == LaunchState::Stopped) {
            Some(last) => self.seen(last.row.id, "queued", String::new()),
            None => Ok(Missing::default()),
        }
    }

    fn hosts(&self) -> anyhow::Result<Missing> {
        let Some(last) = self.last() else { return Ok(Missing::default()) };
        let rows = self.catalogue.unreached_hosts(last.row.id)?;
        let item = |(host, state, urls): &(String, &'static str, u64)| GapItem {
            label: host.clone(),
            about: format!("{} {state}", crate::jobs::counted(*urls, "URL")),
            rows: Some(RowList::Seen {
                launch: Some(last.row.id),
                state,
                filter: format!("host={}", quoted_value(host)),
            }),
        };
        Ok((rows.len() as u64, rows.iter().take(MOST_ITEMS as usize).map(item).collect(), None))
    }

    fn refused(&self) -> anyhow::Result<Missing> {
        match self.last() {
            Some(last) => self.seen(last.row.id, "refused", format!("cited>={CITING_REFUSED}")),
            None => Ok(Missing::default()),
        }
    }

    fn cited(&self) -> anyhow::Result<Missing> {
        let matcher = Matcher::compile(&self.spec.request);
        let mut names = BTreeSet::new();
        for (nth, term) in matcher.terms().iter().enumerate() {
            if matcher.speaks_for(nth) && !matches!(term.kind, TermKind::Language | TermKind::Period) {
                names.extend([&term.value].into_iter().chain(&term.aliases).filter(|name| !name.trim().is_empty()));
            }
        }
        if names.is_empty() {
            return Ok(Missing::default());
        }
        let anchors: Vec<String> = names.iter().map(|name| format!("anchor:{}", quoted_value(name))).collect();
        let filter = format!("hosts>={CITING_HOSTS} ({})", anchors.join(" OR "));
        let page = self.catalogue.prospects(&ProspectQuery::new(Some(self.campaign), &filter, 0, MOST_ITEMS))?;
        let item = |row: &crate::work::models::ProspectRow| GapItem {
            label: row.url.clone(),
            about: format!("“{}”, cited by {}", row.anchor, crate::jobs::counted(row.hosts, "host")),
            rows: None,
        };
        // Refused pages are a gap of their own.
        Ok((page.total, page.rows.iter().map(item).collect(), Some(RowList::Prospects { filter })))
    }

    fn resources(&self) -> anyhow::Result<Missing> {
        match self.last() {
            Some(last) => self.seen(last.row.id, "failed", "embedded:yes".to_owned()),
            None => Ok(Missing::default()),
        }
    }

    fn languages(&self) -> anyhow::Result<Missing> {
        let pages = self.count("media:page -lang=\"\"")?;
        let matcher = Matcher::compile(&self.spec.request);
        let mut items = Vec::new();
        for (nth, term) in matcher.terms().iter().enumerate() {
            if term.kind != TermKind::Language || !matcher.speaks_for(nth) || pages == 0 {
                continue;
            }
            let filter = format!("media:page {}={}", FacetKind::Language.name(), quoted_value(&term.value));
            let found = self.count(&filter)?;
            if (found as f64) < pages as f64 * LEAST_SHARE {
                let about = format!("{found} of {}", crate::jobs::counted(pages, "page"));
                items.push(GapItem { label: term.value.clone(), about, rows: Some(RowList::captures(filter)) });
            }
        }
        Ok((items.len() as u64, items, None))
    }

    fn periods(&self) -> anyhow::Result<Missing> {
        // Without texts no page says when it was published.
        if self.matrix.waiting.is_none() {
            return Ok(Missing::default());
        }
        let matcher = Matcher::compile(&self.spec.request);
        let mut items = Vec::new();
        for (nth, term) in matcher.terms().iter().enumerate() {
            let is_period = matches!(term.kind, TermKind::Period | TermKind::Event) && matcher.speaks_for(nth);
            if !is_period || term.from.is_none() && term.to.is_none() {
                continue;
            }
            let day = |day: &Option<String>| day.clone().unwrap_or_default();
            let range = format!("{}..{}", day(&term.from), day(&term.to));
            let filter = format!("published:{range}");
            if self.count(&filter)? == 0 {
                let label = if term.value.is_empty() { range.clone() } else { format!("{} {range}", term.value) };
                items.push(GapItem { label, about: String::new(), rows: Some(RowList::captures(filter)) });
            }
        }
        Ok((items.len() as u64, items, None))
    }

    fn count(&self, filter: &str) -> anyhow::Result<u64> {
        Ok(count_rows(self.catalogue, self.campaign, &RowList::captures(filter))?.unwrap_or_default())
    }

    fn captures(&self, filter: String) -> anyhow::Result<Missing> {
        let rows = RowList::captures(filter.clone());
        let count = self.count(&filter)?;
        if count == 0 {
            return Ok(Missing::default());
        }
        let query = CaptureQuery { filter, campaign: Some(self.campaign), limit: MOST_ITEMS, ..everything() };
        let page = self.catalogue.captures(&query)?;
        let item = |row: &crate::work::models::CaptureRow| GapItem {
            label: row.url.clone(),
            about: format!("captured {}", row.date.to_readable().chars().take(10).collect::<String>()),
            rows: None,
        };
        Ok((count, page.rows.iter().map(item).collect(), Some(rows)))
    }

    fn seen(&self, launch: LaunchId, state: &'static str, filter: String) -> anyhow::Result<Missing> {
        let query = SeenQuery { limit: MOST_ITEMS, filter: filter.clone(), ..SeenQuery::of_launch(launch, state) };
        let query = SeenQuery { campaign: Some(self.campaign), launches: Launches::One(launch), ..query };
        let page = self.catalogue.seen(&query)?;
        let item = |row: &crate::work::models::SeenRow| GapItem {
            label: row.url.clone(),
            about: row.outcome.sentence.trim_end_matches('.').to_owned(),
            rows: None,
        };
        let rows = RowList::Seen { launch: Some(launch), state, filter };
        Ok((page.total, page.rows.iter().map(item).collect(), Some(rows)))
    }
}
