//! Figures of a campaign and of its launches, with what changed.

use super::row_list::{RowList, count_rows};
use crate::campaign::Campaign;
use crate::jobs::JobCx;
use crate::query::quoted_value;
use crate::store::{Catalogue, Workspace};
use crate::work::models::{CampaignCounts, CampaignId, CampaignRow, LaunchRow, LaunchState};
use serde::Serialize;

/// Launches before one that it is compared with.
const COMPARED: usize = 3;
/// Changes beyond these parts of the median are worth a look. Those of a tool for one site, a tenth, are
/// noise for sites that live.
const UNUSUAL_URLS: f64 = 0.3;
const UNUSUAL_BYTES: f64 = 0.5;

/// A number with the list of its rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// Its name in files.
    pub key: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// The number.
    pub count: u64,
    /// What the last launch added; of figures of a launch, the difference to the launch before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<i64>,
    /// The list of its rows; none of a sum of others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<RowList>,
}

/// A launch in figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LaunchFigures {
    /// The launch.
    #[serde(flatten)]
    pub row: LaunchRow,
    /// How it differs from the launches before it, where that is worth a look.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unusual: Vec<String>,
}

/// The launches of a campaign, the oldest first.
pub(super) fn launches(catalogue: &Catalogue, campaign: CampaignId) -> anyhow::Result<Vec<LaunchFigures>> {
    let rows = catalogue.launches(Some(campaign))?;
    let is_compared = |row: &&LaunchRow| row.trial.is_none() && row.state == LaunchState::Finished;
    let mut launches: Vec<LaunchFigures> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let before: Vec<&LaunchRow> = rows[..at].iter().rev().filter(is_compared).take(COMPARED).collect();
        let unusual = if is_compared(&row) { unusual(row, &before) } else { Vec::new() };
        launches.push(LaunchFigures { row: row.clone(), unusual });
    }
    Ok(launches)
}

/// How a launch differs from the median of those before it.
fn unusual(row: &LaunchRow, before: &[&LaunchRow]) -> Vec<String> {
    type Compared = (&'static str, fn(&LaunchRow) -> u64, f64);
    let parts: [Compared; 2] =
        [("URLs fetched", |row| row.fetched, UNUSUAL_URLS), ("bytes received", |row| row.bytes, UNUSUAL_BYTES)];
    let mut found = Vec::new();
    for (what, number, limit) in parts {
        let mut others: Vec<u64> = before.iter().map(|row| number(row)).collect();
        others.sort_unstable();
        let Some(median) = others.get(others.len() / 2).copied().filter(|median| *median > 0) else { continue };
        let change = number(row) as f64 / median as f64 - 1.0;
        if change.abs() > limit {
            let sign = if change < 0.0 { '−' } else { '+' };
            found.push(format!("{what} {sign}{:.0} %: {} after {median}", change.abs() * 100.0, number(row)));
        }
    }
    found
}

/// The figures of captures of a campaign. Those that the list of campaigns has as well are left 0 ([`figures`]).
pub(super) fn of_filters(
    workspace: &Workspace,
    campaign: CampaignId,
    spec: &Campaign,
    launches: &[LaunchFigures],
    cx: &JobCx,
) -> anyhow::Result<Vec<Figure>> {
    let last = launches.last().map(|of| &of.row);
    let count =
        |rows: &RowList| Ok::<_, anyhow::Error>(count_rows(workspace.catalogue(), campaign, rows)?.unwrap_or_default());
    let mut figures = Vec::new();
    for (key, label, filter, adds) in of_captures(workspace, spec)? {
        cx.checkpoint()?;
        let rows = RowList::captures(filter.clone());
        let change = match last.filter(|_| adds) {
            Some(last) => {
                let of_launch = format!("{filter} launch:{}", last.launch);
                Some(i64::try_from(count(&RowList::captures(of_launch.trim()))?).unwrap_or(i64::MAX))
            }
            None => None,
        };
        let is_listed = matches!(key, "captures" | "review" | "selected");
        let count = if is_listed { 0 } else { count(&rows)? };
        figures.push(Figure { key, label, count, change, rows: Some(rows) });
    }
    Ok(figures)
}

/// The figures of a campaign, by its row in the list of campaigns and what was counted besides.
pub(super) fn figures(
    workspace: &Workspace,
    row: &CampaignRow,
    counts: CampaignCounts,
    mut figures: Vec<Figure>,
    launches: &[LaunchFigures],
    cx: &JobCx,
) -> anyhow::Result<Vec<Figure>> {
    for figure in &mut figures {
        match figure.key {
            "captures" => figure.count = row.captures,
            "review" => figure.count = counts.to_review,
            "selected" => figure.count = counts.selected,
            _ => {}
        }
    }
    let last = launches.last().map(|of| &of.row);
    let count =
        |rows: &RowList| Ok::<_, anyhow::Error>(count_rows(workspace.catalogue(), row.id, rows)?.unwrap_or_default());
    if workspace.catalogue().inlink_build()?.is_some() {
        let rows = RowList::Prospects { filter: String::new() };
        let label = "cited, never captured";
        figures.push(Figure { key: "cited", label, count: count(&rows)?, change: None, rows: Some(rows) });
    }
    if let Some(last) = last {
        let before = launches.iter().rev().nth(1).map(|of| &of.row);
        let of_launch: [(&str, &str, &str); 5] = [
            ("known", "URLs of the last launch", ""),
            ("fetched", "fetched", "fetched"),
            ("queued", "queued", "queued"),
            ("failed", "failed", "failed"),
            ("refused", "refused", "refused"),
        ];
        for (key, label, state) in of_launch {
            cx.checkpoint()?;
            let of = |launch| RowList::Seen { launch: Some(launch), state, filter: String::new() };
            let (rows, before) = (of(last.id), before.map(|row| count(&of(row.id))).transpose()?);
            let count = count(&rows)?;
            let change = before.map(|before| i64::try_from(i128::from(count) - i128::from(before)).unwrap_or(0));
            let rows = (!state.is_empty()).then_some(rows);
            figures.push(Figure { key, label, count, change, rows });
        }
    }
    Ok(figures)
}

/// Key, name, filter, and whether a launch adds to it.
type OfCaptures = (&'static str, &'static str, String, bool);

fn of_captures(workspace: &Workspace, spec: &Campaign) -> anyhow::Result<Vec<OfCaptures>> {
    let mut figures: Vec<OfCaptures> = vec![
        ("captures", "captures", String::new(), true),
        ("good", "answered 2xx", "status:2xx".to_owned(), true),
        ("repeats", "repeat what was kept", "revisit:yes".to_owned(), true),
    ];
    if super::matrix::has_terms(spec) && crate::work::has_index(workspace) {
        let filter = format!("request:{}", quoted_value(&spec.request.to_string()));
        figures.insert(2, ("relevant", "meet the request", filter, true));
    }
    if workspace.catalogue().inlink_build()?.is_some() {
        figures.push(("inlinks", "cited by other hosts", "inlinks.ext>0".to_owned(), true));
    }
    figures.push(("review", "to review", "review:yes".to_owned(), false));
    figures.push(("selected", "selected", "selected:yes".to_owned(), false));
    Ok(figures)
}
